//! Tests of the m,n,k family: laws, known position counts and parsing of positions.

use super::*;
use outplay_core::{Game, HashKeys, Index, Notation, Tier, laws};
use proptest::prelude::*;
use std::collections::HashSet;

fn game(spec: &str) -> Mnk<u64> {
    Mnk::new(Rules::parse(spec).unwrap()).unwrap()
}

#[test]
fn boards_obey_the_laws() {
    for spec in [
        "tictactoe",
        "mnk:4x3,k=3",
        "mnk:5x4,k=4,obstacles=c2+d3,misere",
        "connect4",
        "connect4:5x4,obstacles=b1+c3",
        "connect:6x3,k=3,x=a1+b1,o=c1",
        "mnk:3x3,k=3,x=b2,turn=x",
        "mnk:1x1,k=1",
        "mnk:2x2,k=5",
        "mnk:6x6,k=1",
    ] {
        let rules = Rules::parse(spec).unwrap();
        laws::check(&Mnk::<u64>::new(rules.clone()).unwrap());
        laws::check(&Mnk::<u128>::new(rules.clone()).unwrap());
        laws::check(&LargeMnk::new(rules));
    }
    laws::check(&Mnk::<u128>::new(Rules::parse("mnk:10x10,k=5,obstacles=e5").unwrap()).unwrap());
    laws::check(&LargeMnk::new(Rules::parse("connect:60x5,k=5").unwrap()));
}

/// Distinct positions have distinct keys.
#[test]
fn distinct_positions_have_distinct_keys() {
    fn check<B: Bits>(spec: &str) {
        let game: Mnk<B> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
        let mut keys = std::collections::HashMap::new();
        laws::random_play(&game, 3000, 5, |pos| {
            assert_eq!(*keys.entry(game.key(pos)).or_insert(*pos), *pos, "{spec}: one key for two positions");
        });
    }
    for spec in ["tictactoe", "connect4", "mnk:5x5,k=4,misere"] {
        check::<u64>(spec);
        check::<u128>(spec);
    }
    check::<u128>("mnk:10x10,k=5");
}

#[test]
fn sizes_of_the_tight_index() {
    let check = |spec: &str, size: u128| {
        let rules = Rules::parse(spec).unwrap();
        assert_eq!(tier_sizes(&rules).unwrap().iter().sum::<u128>(), size, "{spec}");
        if let Some(index) = MnkIndex::new(&Mnk::<u64>::new(rules).unwrap()) {
            assert_eq!(index.total(), size, "{spec}");
        }
    };
    check("tictactoe", 6_046);
    check("connect4:4x4", 201_755);
    check("connect4:5x4", 5_621_939);
    check("connect4:4x5", 3_039_959);
    check("connect4:5x5", 171_976_899);
    check("connect4:6x4", 159_643_961);
    check("connect4:7x4", 4_593_382_831);
    check("connect4:6x5", 9_918_556_649);
    check("connect4", 70_728_639_995_483);
    assert_eq!(tier_sizes(&Rules::parse("mnk:19x19,k=5").unwrap()), None);
    // Each column is scanned once, not once for each of its cells, which would take minutes.
    assert_eq!(tier_sizes(&Rules::parse("connect:2x555555").unwrap()), None);
}

/// The number of positions reachable by play, by exploration.
fn reached(game: &Mnk<u64>) -> HashSet<Board<u64>> {
    let start = game.start().unwrap();
    let mut seen = HashSet::from([start]);
    let mut open = vec![start];
    let mut moves = Vec::new();
    while let Some(pos) = open.pop() {
        moves.clear();
        game.moves(&pos, &mut moves);
        for &mv in &moves {
            let next = game.play(&pos, mv);
            if seen.insert(next) {
                open.push(next);
            }
        }
    }
    seen
}

#[test]
fn reachable_counts_of_the_literature() {
    let check = |spec: &str, count: usize| assert_eq!(reached(&game(spec)).len(), count, "{spec}");
    check("mnk:2x2,k=2", 29);
    check("tictactoe", 5_478);
    check("mnk:4x3,k=3", 111_973);
    check("connect4:4x4", 161_029);
    check("connect4:3x5", 38_310);
    check("connect4:8x2", 1_216_721);
}

fn perft(game: &Mnk<u64>, pos: &Board<u64>, plies: u32) -> u64 {
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    if plies == 0 {
        return 1;
    }
    moves.iter().map(|&mv| perft(game, &game.play(pos, mv), plies - 1)).sum()
}

#[test]
fn perft_of_the_literature() {
    let check = |spec: &str, counts: &[u64]| {
        let game = game(spec);
        for (plies, &count) in counts.iter().enumerate() {
            assert_eq!(perft(&game, &game.start().unwrap(), plies as u32), count, "{spec} {plies}");
        }
    };
    check("connect4", &[1, 7, 49, 343, 2401, 16807, 117_649, 823_536]);
    check("tictactoe", &[1, 9, 72, 504, 3024, 15120, 54720, 148_176, 200_448, 127_872]);
}

/// A small random board.
fn small_spec() -> impl Strategy<Value = String> {
    any::<u64>().prop_map(|seed| outplay_core::laws::random_board(seed, 12))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn random_boards_obey_the_laws(spec in small_spec()) {
        let Ok(rules) = Rules::parse(&spec) else { return Ok(()) };
        prop_assert_eq!(&Rules::parse(&rules.spec()).unwrap(), &rules, "the canonical spec reads back");
        let game = Mnk::<u64>::new(rules.clone()).unwrap();
        laws::check(&game);
        let index = MnkIndex::new(&game).unwrap();
        if index.total() < 30_000 {
            laws::check_index(&game, &index);
            let wide = Mnk::<u128>::new(rules).unwrap();
            laws::check_index(&wide, &MnkIndex::new(&wide).unwrap());
        }
    }

    /// Parsing accepts exactly the reachable positions, among all boards with the right numbers of stones.
    #[test]
    fn parsing_accepts_exactly_the_reachable_positions(spec in small_spec()) {
        let Ok(rules) = Rules::parse(&spec) else { return Ok(()) };
        let game = Mnk::<u64>::new(rules).unwrap();
        let index = MnkIndex::new(&game).unwrap();
        prop_assume!(index.total() < 10_000);
        let reached = reached(&game);
        for t in 0..index.tiers() {
            index.walk(Tier(t), 0..index.len(Tier(t)), &mut |_, pos| {
                let line = game.write_position(pos);
                assert_eq!(game.read_position(&line).is_ok(), reached.contains(pos), "{spec}: {line}");
            });
        }
    }

    #[test]
    fn large_boards_play_like_small_ones(spec in small_spec(), dice: u64) {
        let Ok(rules) = Rules::parse(&spec) else { return Ok(()) };
        let small = Mnk::<u64>::new(rules.clone()).unwrap();
        let large = LargeMnk::new(rules);
        let (mut a, mut b) = (small.start().unwrap(), large.start().unwrap());
        for ply in 0.. {
            prop_assert_eq!(small.write_position(&a), large.write_position(&b));
            prop_assert_eq!(small.outcome(&a), large.outcome(&b));
            prop_assert_eq!(small.tie_plies(&a), large.tie_plies(&b));
            let (mut moves, mut theirs) = (Vec::new(), Vec::new());
            small.moves(&a, &mut moves);
            large.moves(&b, &mut theirs);
            prop_assert_eq!(moves.len(), theirs.len());
            if moves.is_empty() {
                break;
            }
            let choice = (dice.rotate_left(ply * 5) % moves.len() as u64) as usize;
            prop_assert_eq!(small.write_move(&a, moves[choice]), large.write_move(&b, theirs[choice]));
            a = small.play(&a, moves[choice]);
            b = large.play(&b, theirs[choice]);
        }
    }

    #[test]
    fn no_text_panics(spec in ".{0,40}", position in "[xo#./0-9 a-z]{0,30}", mv in ".{0,6}") {
        let _ = Rules::parse(&spec);
        let _ = Rules::parse(&format!("mnk:{spec}"));
        let game = game("connect4:5x4,obstacles=b2");
        let _ = game.read_position(&position);
        let _ = game.read_move(&game.start().unwrap(), &mv);
    }
}

#[test]
fn invalid_specs_are_rejected_in_one_sentence() {
    let check = |spec: &str, part: &str| {
        let error = Rules::parse(spec).expect_err(spec).to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{spec}: {error}");
    };
    check("mnk:3x3,k=0", "k must be at least 1");
    check("mnk:3x3,k=3,obstacles=d4", "cell d4 is not on the board; its columns are a-c, its rows 1-3");
    check("mnk:3x3,obstacles=a1+a1", "is listed twice");
    check("mnk:3x3,x=a1,o=a1", "is already occupied");
    check("mnk:3x3,x=a1+b2+c3", "already make 3 in a row");
    check("connect4,x=a3", "floats");
    check("mnk:0x0", "at least one column");
    check("mnk:100000x100000", "too large");
    check("mnk:99999999999999999999x1", "not a size");
    check("mnk", "size of the board is missing");
    check("mnk:3x3,k=x", "not a whole number");
    check("mnk:3x3,speed=3", "has no option `speed`");
    check("tictactoe:4x4", "always 3x3");
    check("connect4:7x6,k=5", "write `connect:7x6,k=5`");
}

#[test]
fn unreachable_positions_are_rejected_in_one_sentence() {
    let check = |spec: &str, position: &str, part: &str| {
        let error = game(spec).read_position(position).expect_err(position).to_string();
        assert!(error.contains(part) && !error.contains('\n'), "{position}: {error}");
    };
    check("tictactoe", "xxx/.../...", "they alternate");
    check("tictactoe", "xxx/ooo/...", "both players have a line");
    check("tictactoe", "xxx/oo./o..", "the player to move already has a line");
    check("tictactoe", "xo./xo.", "2 rows are given, but the board has 3");
    check("tictactoe", "xo./xo./....", "row 1 has 4 cells");
    check("tictactoe", "... o", "rows");
    check("tictactoe", ".../.../... o", "x's turn");
    check("connect4:4x4", "..../x.../..../....", "an empty cell below it");
    check("connect4:4x4", "..../..../x.../o...", "no order of moves");
    check("connect4:5x4,obstacles=b2", "...../...../...../.....", "is an obstacle");
}

#[test]
fn full_columns_and_occupied_cells_are_rejected() {
    let four = game("connect4:4x4");
    let full = four.read_position("o.../x.../o.../x...").unwrap();
    assert!(four.read_move(&full, "1").unwrap_err().to_string().contains("column 1 is full"));
    assert!(four.read_move(&full, "5").unwrap_err().to_string().contains("columns are 1 to 4"));
    assert_eq!(four.read_move(&full, "b"), four.read_move(&full, "2"));
    assert_eq!(four.read_move(&full, "b1"), four.read_move(&full, "2"));
    assert!(four.read_move(&full, "b2").is_err());
    let three = game("tictactoe");
    let one = three.read_position(".../.x./...").unwrap();
    assert!(three.read_move(&one, "b2").unwrap_err().to_string().contains("taken"));
    assert!(three.read_move(&one, "z9").unwrap_err().to_string().contains("not on the board"));
}
