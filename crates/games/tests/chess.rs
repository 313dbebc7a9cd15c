//! The rules and the index of chess endings against an independent implementation and against each other.

use cozy_chess::Board;
use outplay_core::{Game, Index, Link, Notation, Predecessors, Tier, laws};
use outplay_games::Spec;
use outplay_games::chess::{Chess, ChessIndex, Setup};
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

#[test]
fn moves_are_those_of_another_program() {
    let mut rng = SmallRng::seed_from_u64(5);
    for name in ["all4", "KQRKR", "KBNKP", "KPPKP", "KRPKB", "KQKPP", "KNNNK"] {
        let (game, index) = chess(&format!("chess:{name}"));
        for tier in (0..index.tiers()).map(Tier) {
            for _ in 0..200 {
                let (_, pos) = random(&index, tier, &mut rng);
                let fen = game.write_position(&pos);
                let board = Board::from_fen(&fen, false).unwrap_or_else(|error| panic!("{fen}: {error}"));
                assert_eq!(moves(&game, &pos), theirs(&board), "{fen}");
                let over = game.outcome(&pos);
                let expected = match board.status() {
                    // Their draws by rule of fifty moves or repetition cannot occur in a fresh position.
                    cozy_chess::GameStatus::Ongoing => None,
                    cozy_chess::GameStatus::Drawn => Some(0),
                    cozy_chess::GameStatus::Won => Some(if fen.contains(" w ") { -1 } else { 1 }),
                };
                assert_eq!(over, expected, "{fen}");
                assert_eq!(game.read_position(&fen).as_ref(), Ok(&pos), "{fen}");
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
    // No pawns on both sides, because captures en passant are left out here.
    for name in ["KQKR", "KBNK", "KPPK", "KRPKB", "KQKP", "KNNKR"] {
        let (game, index) = chess(&format!("chess:{name}"));
        for _ in 0..8 {
            let (_, pos) = random(&index, Tier(0), &mut rng);
            let fen = game.write_position(&pos);
            let board = Board::from_fen(&fen, false).unwrap();
            assert_eq!(perft(&game, &pos, 4), their_perft(&board, 4), "{fen}");
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

/// Every legal placement of the men is counted once: symmetric positions share a number, and the orbits add up.
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

/// Counts and exits equal what playing and ranking every move finds; backward moves are the forward ones
/// reversed. Positions with a king on a long diagonal, where images coincide, are drawn often.
#[test]
fn steps_forwards_and_backwards_match() {
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
                index.before(tier, number, &mut before);
                let set: BTreeSet<u64> = before.iter().copied().collect();
                assert_eq!(set.len(), before.len(), "{name}: a predecessor of {number} is listed twice");
                set
            };
            for _ in 0..300 {
                let (number, pos) = random(&index, tier, &mut rng);
                let (mut exits, mut links) = (Vec::new(), Vec::new());
                let count = index.ahead(&game, tier, &pos, &mut exits);
                let ahead = inner(number);
                assert_eq!(count as usize, ahead.len(), "{}", game.write_position(&pos));
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
fn nonsense_is_refused() {
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
    refuse("8/8/8/8/8/2k5/8/K5QQ w - - 0 1", "not those of chess:KQKR");
    refuse("8/8/8/8/8/2k5/8/KQQQr3 w - - 0 1", "6 men");
    refuse("8/8/8/8/8/8/1k6/K6Q w - - 0 1", "next to each other");
    refuse("8/8/8/8/8/2k5/8/K1Q5 w - - 0 1", "black is in check and not to move");
    refuse("8/8/8/8/8/2k5/8/K6Q x - - 0 1", "neither w nor b");
    refuse("8/8/8/8/8/2k5/8/K6Q w KQ - 0 1", "castling");
    refuse("8/8/8/8/8/2k5/8/K6Q w - e3 0 1", "en passant");
    let (pawns, _) = chess("chess:KPK");
    assert!(pawns.read_position("8/8/8/8/8/2k5/8/K6P w - - 0 1").unwrap_err().to_string().contains("pawn"));
    assert!(
        game.read_position("8/8/8/8/8/2k5/8/K6Q w - - 0 1").is_ok(),
        "a smaller ending may be asked about"
    );
}
