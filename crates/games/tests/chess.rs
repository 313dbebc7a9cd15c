//! The rules and the index of chess endings against an independent implementation and against each other.

use cozy_chess::Board;
use outplay_core::{Game, Index, Link, Notation, Predecessors, Tier, Turn, laws};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex, Setup, ending_of};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeSet;

fn chess(text: &str) -> (Chess, ChessIndex) {
    let game = Chess::from_spec(Spec::parse(text).unwrap()).unwrap();
    let index = ChessIndex::new(&game);
    (game, index)
}

/// A legal position of a tier, drawn by number.
fn random(index: &ChessIndex, tier: Tier, rng: &mut SmallRng) -> (u64, Setup) {
    loop {
        let number = rng.random_range(0..index.len(tier));
        if let Some(pos) = index.unrank(tier, number) {
            return (number, pos);
        }
    }
}

/// A picture with the line below it that names the side to move is the position, but for captures en passant.
#[test]
fn pictures_are_read_back() {
    let (game, index) = chess("chess:KPKP");
    let mut rng = SmallRng::seed_from_u64(4);
    for _ in 0..200 {
        let tier = Tier(rng.random_range(0..index.tiers()));
        let (_, pos) = random(&index, tier, &mut rng);
        if game.write_position(&pos).split(' ').nth(3) != Some("-") {
            continue;
        }
        let (picture, side) = (game.draw(&pos, &[]).plain(), game.turn(&pos));
        let white = side == Turn::First;
        let name = if white { "White" } else { "Black" };
        let shown = format!("{picture}\na draw ({name} to move)\nbest: Kd2\n");
        assert_eq!(game.read_position(&shown), Ok(pos), "{shown}");
        assert_eq!(game.read_position(&format!("{picture}{}\n", if white { "w" } else { "b" })), Ok(pos));
        assert_eq!(
            ending_of(&shown).unwrap().to_string(),
            ending_of(&game.write_position(&pos)).unwrap().to_string()
        );
        // Only the side to move can be missing.
        match game.read_position(&picture) {
            Ok(read) => assert_eq!(read, pos, "{picture}"),
            Err(error) => assert!(
                error.to_string().contains("the picture does not say which side is to move"),
                "{error}"
            ),
        }
    }
}

fn moves(game: &Chess, pos: &Setup) -> BTreeSet<String> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let words: BTreeSet<String> = moves.iter().map(|&mv| game.write_move(pos, mv)).collect();
    assert_eq!(words.len(), moves.len(), "a move is listed twice");
    words
}

fn theirs(board: &Board) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    board.generate_moves(|moves| {
        words.extend(moves.into_iter().map(|mv| mv.to_string()));
        false
    });
    words
}

/// Successors without a number: those after a double pawn step that allows an en passant capture.
fn passed(game: &Chess, index: &ChessIndex, pos: &Setup) -> Vec<Setup> {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    moves.iter().map(|&mv| game.play(pos, mv)).filter(|next| !index.holds(next)).collect()
}

/// A random position, with pawns on both sides, and such a successor.
fn random_passing(game: &Chess, index: &ChessIndex, tier: Tier, rng: &mut SmallRng) -> (Setup, Setup) {
    loop {
        let (_, pos) = random(index, tier, rng);
        if let Some(next) = passed(game, index, &pos).first() {
            return (pos, *next);
        }
    }
}

fn compare(game: &Chess, pos: &Setup) {
    let fen = game.write_position(pos);
    let board = Board::from_fen(&fen, false).unwrap_or_else(|error| panic!("{fen}: {error}"));
    assert_eq!(moves(game, pos), theirs(&board), "{fen}");
    let over = game.outcome(pos);
    let expected = match board.status() {
        // Draws by the fifty-move rule or by repetition cannot occur in a fresh position.
        cozy_chess::GameStatus::Ongoing => None,
        cozy_chess::GameStatus::Drawn => Some(0),
        cozy_chess::GameStatus::Won => Some(if fen.contains(" w ") { -1 } else { 1 }),
    };
    assert_eq!(over, expected, "{fen}");
    assert_eq!(game.read_position(&fen).as_ref(), Ok(pos), "{fen}");
}

#[test]
fn moves_agree_with_an_independent_program() {
    let mut rng = SmallRng::seed_from_u64(5);
    for name in ["all4", "KQRKR", "KBNKP", "KPPKP", "KRPKB", "KQKPP", "KNNNK"] {
        let (game, index) = chess(&format!("chess:{name}"));
        for tier in (0..index.tiers()).map(Tier) {
            for _ in 0..200 {
                let (_, pos) = random(&index, tier, &mut rng);
                compare(&game, &pos);
            }
        }
    }
}

fn perft(game: &Chess, pos: &Setup, depth: u32) -> u64 {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    if depth == 1 {
        return moves.len() as u64;
    }
    moves.iter().map(|&mv| perft(game, &game.play(pos, mv), depth - 1)).sum()
}

fn their_perft(board: &Board, depth: u32) -> u64 {
    let mut nodes = 0;
    board.generate_moves(|moves| {
        for mv in moves {
            let mut next = board.clone();
            next.play_unchecked(mv);
            nodes += if depth == 1 { 1 } else { their_perft(&next, depth - 1) };
        }
        false
    });
    nodes
}

#[test]
fn perft_agrees() {
    let mut rng = SmallRng::seed_from_u64(6);
    for name in ["KQKR", "KBNK", "KPPK", "KRPKB", "KQKP", "KNNKR", "KPKP", "KPPKP", "KRPKP", "KPKBP"] {
        let (game, index) = chess(&format!("chess:{name}"));
        for _ in 0..8 {
            let (_, pos) = random(&index, Tier(0), &mut rng);
            let fen = game.write_position(&pos);
            let board = Board::from_fen(&fen, false).unwrap();
            assert_eq!(perft(&game, &pos, 4), their_perft(&board, 4), "{fen}");
        }
    }
}

const BOTH_HAVE_PAWNS: [&str; 7] = ["KPKP", "KPPKP", "KQPKP", "KRPKP", "KBPKP", "KNPKP", "KPKPP"];

/// Thousands of positions before and after a double pawn step: moves, outcomes and perft of a few plies.
#[test]
fn en_passant_captures_agree_with_an_independent_program() {
    let mut rng = SmallRng::seed_from_u64(8);
    for name in BOTH_HAVE_PAWNS {
        let (game, index) = chess(&format!("chess:{name}"));
        for round in 0..500 {
            let (pos, next) = random_passing(&game, &index, Tier(0), &mut rng);
            compare(&game, &pos);
            compare(&game, &next);
            assert!(moves(&game, &next).len() > moves_without_right(&game, &next), "{next:?}");
            laws::check_detours(&game, &index, Tier(0), &pos);
            if round < 25 {
                let board = Board::from_fen(&game.write_position(&pos), false).unwrap();
                assert_eq!(perft(&game, &pos, 3), their_perft(&board, 3), "{}", game.write_position(&pos));
            }
        }
    }
}

fn moves_without_right(game: &Chess, pos: &Setup) -> usize {
    let fen = game.write_position(pos);
    let fields: Vec<&str> = fen.split(' ').collect();
    let plain = format!("{} {} - - 0 1", fields[0], fields[1]);
    moves(game, &game.read_position(&plain).unwrap()).len()
}

/// Mate and stalemate take the capture into account, and a capture that exposes the king is illegal.
#[test]
fn en_passant_right_is_kept_only_if_a_capture_is_legal() {
    let (game, index) = chess("chess:KRPKP");
    let live = |spec: &str, fen: &str| {
        let (game, index) = chess(spec);
        let pos = game.read_position(fen).unwrap();
        assert!(!index.holds(&pos), "{fen}");
        assert_eq!(game.write_position(&pos), fen);
        assert_eq!(game.outcome(&pos), None, "{fen}");
        moves(&game, &pos)
    };
    let vain = |fen: &str| {
        let pos = game.read_position(fen).unwrap();
        assert!(index.holds(&pos), "{fen}");
        assert!(game.write_position(&pos).contains(" - - "), "{fen}");
    };
    assert!(live("chess:KPKP", "8/8/8/8/1pP5/8/8/k2K4 b - c3 0 1").contains("b4c3"));
    // The pawn gives check and can be captured en passant.
    assert!(live("chess:KPKP", "8/8/8/1k6/1pP5/8/8/3K4 b - c3 0 1").contains("b4c3"));
    // Only the capture is legal, so this is neither mate nor stalemate.
    let only = |fen: &str| assert!(live("chess:KQPKP", fen).iter().eq(["c4b3"]), "{fen}");
    only("8/8/2Q5/k7/1Pp5/K7/8/8 b - b3 0 1");
    only("k7/2Q5/8/8/1Pp5/2K5/8/8 b - b3 0 1");
    // No pawn is beside the pawn that moved.
    vain("8/8/8/8/p1P5/8/8/k2K4 b - c3 0 1");
    // Both pawns leave the rank, which opens a check by the rook.
    vain("8/8/8/8/k1pP3R/8/8/3K4 b - d3 0 1");
    // The pawn is pinned on its file.
    vain("2R5/8/8/8/2pP4/8/8/2k1K3 b - d3 0 1");
    let refuse = |fen: &str, why: &str| {
        let error = game.read_position(fen).unwrap_err().to_string();
        assert!(error.contains(why) && error.contains("write -"), "{fen}: {error}");
    };
    refuse("8/8/8/8/1pP5/8/8/k2K4 b - z9 0 1", "not a square");
    refuse("8/8/8/8/1pP5/8/8/k2K4 b - c6 0 1", "only on row 3");
    refuse("8/8/8/8/1pP5/8/8/k2K4 w - c3 0 1", "only on row 6");
    refuse("8/8/8/8/1pP5/8/8/k2K4 b - d3 0 1", "there is no pawn");
    refuse("8/8/8/8/1pP5/2R5/8/k2K4 b - c3 0 1", "squares behind it are not empty");
    refuse("8/8/8/8/1pP5/8/2K5/k7 b - c3 0 1", "squares behind it are not empty");
    refuse("8/8/8/8/1pP4R/8/8/3K3k b - c3 0 1", "in check before");
}

/// A FEN determines its ending, whatever the colours.
#[test]
fn a_fen_determines_its_ending() {
    let check = |fen: &str, name: &str| {
        assert_eq!(ending_of(fen).unwrap().to_string(), name, "{fen}");
        let (game, _) = chess(&format!("chess:{name}"));
        let pos = game.read_position(fen).unwrap();
        assert_eq!(game.write_position(&pos), fen, "read as it stands, colours and all");
    };
    check("8/8/8/8/1pP5/8/8/k2K4 b - c3 0 1", "KPKP");
    check("8/8/8/8/8/2k5/8/K6Q w - - 0 1", "KQK");
    check("7K/6q1/5k2/8/8/8/8/8 w - - 0 1", "KQK");
    check("8/8/2r5/8/8/k7/8/K6q w - - 0 1", "KQRK");
    check("8/8/8/2k5/8/1n6/8/2K2R2 w - - 0 1", "KRKN");
    check("8/8/8/2k5/8/1q6/8/3K1R2 w - - 0 1", "KQKR");
    check("8/8/8/2k5/8/8/8/K7 w - - 0 1", "KK");
    for (fen, why) in [
        ("8/8/8/2k5/8/8/8/8 w", "white king is missing"),
        ("8/8/8/2k5/8/QQQQ4/8/K7 w", "kings included, but the FEN has 6"),
        ("nonsense", "1 rows"),
        ("", "1 rows"),
    ] {
        let error = ending_of(fen).unwrap_err().to_string();
        assert!(error.contains(why), "{fen}: {error}");
    }
}

/// The SAN of every move is unique, parses back, and marks captures and checks as another program does.
#[test]
fn san_is_unique_and_marks_captures_and_checks() {
    let mut rng = SmallRng::seed_from_u64(9);
    for name in ["KQQQK", "KNNNK", "KRRKB", "KBBKP", "KQKR", "KPPKP", "KRPKP", "KNKP"] {
        let (game, index) = chess(&format!("chess:{name}"));
        for round in 0..150 {
            let (_, mut pos) = random(&index, Tier(0), &mut rng);
            if index.tier_name(Tier(0)).matches('P').count() > 1 && round % 2 == 0 {
                pos = random_passing(&game, &index, Tier(0), &mut rng).1;
            }
            let fen = game.write_position(&pos);
            // The other program rejects positions with three checks at once.
            let Ok(board) = Board::from_fen(&fen, false) else { continue };
            let mut names = BTreeSet::new();
            let mut list = Vec::new();
            game.moves(&pos, &mut list);
            for &mv in &list {
                let san = game.spoken(&pos, mv).unwrap();
                assert_eq!(san, game.san(&pos, mv));
                assert!(names.insert(san.clone()), "{fen}: {san} twice");
                assert_eq!(game.read_move(&pos, &san), Ok(mv), "{fen}: {san}");
                let mut after = board.clone();
                after.play(game.write_move(&pos, mv).parse().unwrap());
                let checks = !after.checkers().is_empty();
                let mates = after.status() == cozy_chess::GameStatus::Won;
                assert_eq!(san.contains('#'), mates, "{fen}: {san}");
                assert_eq!(san.contains('+'), checks && !mates, "{fen}: {san}");
                let taken = board.occupied().len() > after.occupied().len();
                assert_eq!(san.contains('x'), taken, "{fen}: {san}");
                // The origin is omitted unless it is needed.
                let short = san.replace(['x', '+', '#'], "");
                if short.starts_with(|c: char| "QRBN".contains(c)) && short.len() > 3 {
                    let bare = format!("{}{}", &short[..1], &short[short.len() - 2..]);
                    assert!(game.read_move(&pos, &bare).is_err(), "{fen}: {san} could be shorter");
                }
            }
        }
    }
}

#[test]
fn the_index_obeys_the_laws() {
    for name in ["KQK", "KPK"] {
        let (game, index) = chess(&format!("chess:{name}"));
        laws::check_index(&game, &index);
    }
}

/// Every legal placement of the men counts once: symmetric positions share a number, and the orbits add up.
#[test]
fn orbits_add_up_to_all_placements() {
    for name in ["KQK", "KPK", "KNK"] {
        let (game, index) = chess(&format!("chess:{name}"));
        let mut orbits = 0u64;
        let mut images_seen = 0u64;
        index.walk(Tier(0), 0..index.len(Tier(0)), &mut |number, pos| {
            orbits += u64::from(index.orbit(Tier(0), number));
            let mut images = Vec::new();
            game.symmetric(pos, &mut images);
            images_seen += images.len() as u64;
            assert!(images.iter().all(|image| index.rank(image) == (Tier(0), number)), "{pos:?}");
        });
        assert_eq!(orbits, images_seen, "{name}");
    }
}

/// Successor counts and exits equal those of playing and ranking every move; predecessors are the moves reversed.
/// Positions with a king on a long diagonal, where images coincide, are sampled often.
#[test]
fn predecessors_are_the_moves_reversed() {
    let mut rng = SmallRng::seed_from_u64(7);
    for name in ["all4", "KQRKR", "KBBKN", "KNNNK", "KPPKP"] {
        let (game, index) = chess(&format!("chess:{name}"));
        for tier in (0..index.tiers()).map(Tier) {
            let inner = |number: u64| -> BTreeSet<u64> {
                let mut links: Vec<Link> = Vec::new();
                if let Some(pos) = index.unrank(tier, number) {
                    index.links(&game, &pos, &mut links);
                }
                links.iter().filter(|link| link.tier == tier).map(|link| link.number).collect()
            };
            let before = |number: u64| -> BTreeSet<u64> {
                let mut before = Vec::new();
                index.predecessors(tier, number, &mut before);
                let set: BTreeSet<u64> = before.iter().copied().collect();
                assert_eq!(set.len(), before.len(), "{name}: a predecessor of {number} is listed twice");
                set
            };
            for _ in 0..300 {
                let (number, pos) = random(&index, tier, &mut rng);
                let (mut exits, mut links) = (Vec::new(), Vec::new());
                let count = index.successors_in_tier(&game, tier, &pos, &mut exits);
                let ahead = inner(number);
                assert_eq!(count as usize, ahead.len(), "{}", game.write_position(&pos));
                laws::check_detours(&game, &index, tier, &pos);
                index.links(&game, &pos, &mut links);
                links.retain(|link| link.tier != tier);
                links.sort_unstable();
                exits.sort_unstable();
                assert_eq!(exits, links, "{}", game.write_position(&pos));
                for next in ahead {
                    assert!(before(next).contains(&number), "{}", game.write_position(&pos));
                }
                for earlier in before(number).into_iter().filter(|&n| index.unrank(tier, n).is_some()) {
                    assert!(inner(earlier).contains(&number), "{}", game.write_position(&pos));
                }
            }
        }
    }
}

#[test]
fn invalid_input_is_rejected() {
    for text in ["chess", "chess:", "chess:QK", "chess:KQQKRR", "chess:KQKR,fast", "chess:all9"] {
        assert!(Chess::from_spec(Spec::parse(text).unwrap()).is_err(), "{text}");
    }
    let (game, _) = chess("chess:KQKR");
    assert_eq!(chess("chess:KRKQ").0, game);
    let refuse = |fen: &str, why: &str| {
        let error = game.read_position(fen).unwrap_err().to_string();
        assert!(error.contains(why), "{fen}: {error}");
    };
    refuse("", "empty");
    refuse("8/8/8 w - - 0 1", "3 rows");
    refuse("8/8/8/8/8/2k5/8/K6Q", "side to move");
    refuse("8/8/8/8/8/2k5/8/K6X w - - 0 1", "`X`");
    refuse("8/8/8/8/8/2k5/8/K7Q w - - 0 1", "9 squares");
    refuse("8/8/8/8/8/2k5/8/7Q w - - 0 1", "white king is missing");
    refuse("8/8/8/8/8/kk6/8/K6Q w - - 0 1", "2 black kings");
    refuse("8/8/8/8/8/2k5/8/K5QQ w - - 0 1", "neither those of chess:KQKR");
    refuse("8/8/8/8/8/2k5/8/KQQQr3 w - - 0 1", "6 men");
    refuse("8/8/8/8/8/8/1k6/K6Q w - - 0 1", "next to each other");
    refuse("8/8/8/8/8/2k5/8/K1Q5 w - - 0 1", "the black king is in check");
    refuse("8/8/8/8/8/2k5/8/K6Q x - - 0 1", "write w or b");
    refuse("8/8/8/8/8/2k5/8/K6Q w KQ - 0 1", "castling");
    refuse("8/8/8/8/8/2k5/8/K6Q w - e3 0 1", "en passant");
    let (pawns, _) = chess("chess:KPK");
    assert!(pawns.read_position("8/8/8/8/8/2k5/8/K6P w - - 0 1").unwrap_err().to_string().contains("pawn"));
    assert!(
        game.read_position("8/8/8/8/8/2k5/8/K6Q w - - 0 1").is_ok(),
        "a smaller ending may be asked about"
    );
}
