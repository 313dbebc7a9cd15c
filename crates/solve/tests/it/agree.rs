//! Every solver equals plain minimax, position by position, on small games of every kind, and every small
//! known value of the literature has a line.

use outplay_core::{Game, Index, Tier, Turn, Value, laws};
use outplay_games::Spec;
use outplay_games::mnk::{Mnk, MnkIndex, Rules};
use outplay_games::nim::Nim;
use outplay_runtime::NoMonitor;
use outplay_solve::{ExploredGame, SolveError, SweepValues, Tally, memo, plain, reach, sweep};
use proptest::prelude::*;

const MANY: u64 = 10_000_000;

fn board(spec: &str) -> (Mnk<u64>, MnkIndex<u64>) {
    let game = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
    let index = MnkIndex::new(&game).unwrap();
    (game, index)
}

/// Compares memo and sweep (all numbers, reachable numbers, explored index) with plain on every position.
fn all_agree<G: Game, I: Index<G>>(game: &G, index: &I) {
    let start = game.start().unwrap();
    let memo = memo(game, &start, MANY, &NoMonitor).unwrap();
    let explored = ExploredGame::new(game, &start, MANY, &NoMonitor).unwrap();
    laws::check_index(game, &explored);
    let all: SweepValues<i8> = sweep(game, index, None, &NoMonitor).unwrap();
    let reach = reach(game, index, &start, &NoMonitor).unwrap();
    let legal: SweepValues<i32> = sweep(game, index, Some(&reach), &NoMonitor).unwrap();
    let everything = outplay_solve::reach(game, &explored, &start, &NoMonitor).unwrap();
    let graph: SweepValues<i8> = sweep(game, &explored, Some(&everything), &NoMonitor).unwrap();
    for pos in explored.positions() {
        let value = Some(plain(game, pos, &NoMonitor).unwrap().value);
        let (tier, number) = index.rank(pos);
        assert!(reach.has(tier, number), "{pos:?}");
        assert_eq!(memo.value(pos), value, "memo {pos:?}");
        assert_eq!(all.value(tier, number), value, "sweep {pos:?}");
        assert_eq!(legal.value(tier, number), value, "sweep of reachable {pos:?}");
        let (tier, number) = explored.rank(pos);
        assert_eq!(graph.value(tier, number), value, "sweep of explored {pos:?}");
    }
    let reached: u64 = (0..index.tiers()).map(|t| reach.count(Tier(t))).sum();
    assert_eq!(reached, explored.positions().len() as u64);
    let summary = |tally: &Tally| {
        let sides = [Turn::First, Turn::Second];
        (sides.map(|side| tally.by_turn(side)), sides.map(|side| tally.longest(side)), tally.finished())
    };
    assert_eq!(summary(legal.tally()), summary(&memo.tally(game)));
    assert_eq!(summary(graph.tally()), summary(&memo.tally(game)));
}

#[test]
fn solvers_agree_on_small_games() {
    for spec in
        ["mnk:2x2,k=2", "mnk:3x2,k=2,misere", "connect:3x3,k=3", "connect:4x2,k=2,misere", "mnk:1x1,k=1"]
    {
        let (game, index) = board(spec);
        all_agree(&game, &index);
    }
    for spec in ["nim:1", "nim:2+2", "nim:1+2+3", "nim:4+4,normal"] {
        let game = Nim::from_spec(Spec::parse(spec).unwrap()).unwrap();
        let explored = ExploredGame::new(&game, &game.start().unwrap(), MANY, &NoMonitor).unwrap();
        all_agree(&game, &explored);
    }
}

/// A random board of at most `free` free cells.
fn small_spec(free: usize) -> impl Strategy<Value = String> {
    any::<u64>().prop_map(move |seed| outplay_core::laws::random_board(seed, free))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn solvers_agree_on_random_boards(spec in small_spec(6)) {
        if Rules::parse(&spec).is_ok() {
            let (game, index) = board(&spec);
            all_agree(&game, &index);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    /// Up to 12 free cells: the start by plain minimax, all positions by memo against sweep.
    #[test]
    fn larger_random_boards(spec in small_spec(12)) {
        if Rules::parse(&spec).is_ok() {
            let (game, index) = board(&spec);
            let start = game.start().unwrap();
            let memo = memo(&game, &start, MANY, &NoMonitor).unwrap();
            let reach = reach(&game, &index, &start, &NoMonitor).unwrap();
            let swept: SweepValues<i8> = sweep(&game, &index, Some(&reach), &NoMonitor).unwrap();
            let (tier, number) = index.rank(&start);
            prop_assert_eq!(swept.value(tier, number), memo.value(&start));
            prop_assert_eq!(swept.tally().first_view(), memo.tally(&game).first_view());
            // Plain minimax searches transpositions again: a few million nodes are enough for a test.
            let small = index.total() < 40_000;
            if small {
                prop_assert_eq!(plain(&game, &start, &NoMonitor).unwrap().value, memo.found().value, "{}", spec);
            }
        }
    }
}

fn value(spec: &str) -> Value {
    let (game, index) = board(spec);
    let swept: SweepValues<i8> = sweep(&game, &index, None, &NoMonitor).unwrap();
    let (tier, number) = index.rank(&game.start().unwrap());
    swept.value(tier, number).unwrap()
}

#[test]
fn known_values() {
    let check = |verdict: &str, boards: &[&str]| {
        for spec in boards {
            assert_eq!(value(spec).verdict().word(), verdict, "{spec}");
        }
    };
    check("draw", &["tictactoe", "mnk:2x5,k=3", "mnk:4x4,k=4", "mnk:3x5,k=4"]);
    check("win", &["mnk:4x3,k=3", "mnk:3x4,k=3", "mnk:4x4,k=3", "mnk:2x2,k=2"]);
    check(
        "draw",
        &[
            "mnk:3x3,k=3,misere",
            "mnk:4x3,k=4,misere",
            "mnk:5x3,k=4,misere",
            "mnk:2x1,k=2,misere",
            "mnk:4x1,k=2,misere",
        ],
    );
    check("loss", &["mnk:4x3,k=3,misere", "mnk:4x4,k=3,misere", "mnk:3x1,k=2,misere", "mnk:5x1,k=2,misere"]);
    check("draw", &["connect:3x3,k=3", "connect:3x4,k=3", "connect4:4x4"]);
    check("win", &["connect:4x3,k=3", "connect:5x3,k=3", "connect:4x4,k=3"]);
    check("win", &["connect:3x3,k=3,misere", "connect:5x3,k=3,misere"]);
    check("loss", &["connect:4x3,k=3,misere", "connect:4x4,k=3,misere", "connect:3x4,k=3,misere"]);
}

/// Reachable positions and the first player's win/draw/loss counts.
#[test]
fn known_counts() {
    let check = |spec: &str, legal: u64, split: Option<(u64, u64, u64)>| {
        let (game, index) = board(spec);
        let reach = reach(&game, &index, &game.start().unwrap(), &NoMonitor).unwrap();
        let swept: SweepValues<i8> = sweep(&game, &index, Some(&reach), &NoMonitor).unwrap();
        let counts = swept.tally().first_view();
        assert_eq!(counts.total(), legal, "{spec}");
        if let Some((win, draw, loss)) = split {
            assert_eq!((counts.win, counts.draw, counts.loss), (win, draw, loss), "{spec}");
        }
    };
    check("tictactoe", 5_478, Some((2_936, 1_068, 1_474)));
    check("mnk:4x3,k=3", 111_973, None);
    check("mnk:4x4,k=3", 6_036_001, None);
    check("mnk:4x4,k=4", 9_722_011, None);
    check("connect4:4x4", 161_029, Some((36_499, 90_120, 34_410)));
    check("connect4:5x4", 3_945_711, Some((1_372_788, 1_303_636, 1_269_287)));
    check("connect4:4x5", 1_706_255, Some((553_837, 712_421, 439_997)));
}

#[test]
fn tic_tac_toe_in_detail() {
    let (game, index) = board("tictactoe");
    let reach = reach(&game, &index, &game.start().unwrap(), &NoMonitor).unwrap();
    let plies: Vec<u64> = (0..10).map(|t| reach.count(Tier(t))).collect();
    assert_eq!(plies, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    let swept: SweepValues<i8> = sweep(&game, &index, Some(&reach), &NoMonitor).unwrap();
    let tally = swept.tally();
    let mover = tally.by_turn(Turn::First).plus(tally.by_turn(Turn::Second));
    assert_eq!((mover.win, mover.draw, mover.loss), (2_836, 1_068, 1_574));
    assert_eq!(tally.finished(), 626 + 316 + 16);
    let longest = tally.longest(Turn::First).max(tally.longest(Turn::Second));
    assert_eq!(longest, (Some(5), Some(4)));
}

/// Misère and normal Nim by Bouton's theory (1901).
#[test]
fn nim_by_theory() {
    for piles in [
        vec![1],
        vec![2],
        vec![1, 1],
        vec![2, 2],
        vec![1, 1, 1],
        vec![1, 2, 3],
        vec![2, 3, 4],
        vec![1, 4, 5],
        vec![5, 5, 1, 1],
    ] {
        let xor = piles.iter().fold(0, |all, pile| all ^ pile);
        let small = piles.iter().all(|&pile| pile <= 1);
        let spec = piles.iter().map(i32::to_string).collect::<Vec<_>>().join("+");
        for (normal, wins) in [(false, if small { piles.len() % 2 == 0 } else { xor != 0 }), (true, xor != 0)]
        {
            let spec = format!("nim:{spec}{}", if normal { ",normal" } else { "" });
            let game = Nim::from_spec(Spec::parse(&spec).unwrap()).unwrap();
            let found = memo(&game, &game.start().unwrap(), MANY, &NoMonitor).unwrap().found();
            assert_eq!(found.value.payoff() == 1, wins, "{spec}");
        }
    }
}

/// A cyclic game: two squares to walk between for ever, or to leave.
#[derive(Clone)]
struct Circle;

impl Game for Circle {
    type Position = (u8, bool);
    type Move = u8;
    fn start(&self) -> Option<(u8, bool)> {
        Some((0, false))
    }
    fn turn(&self, pos: &(u8, bool)) -> Turn {
        if pos.1 { Turn::Second } else { Turn::First }
    }
    fn moves(&self, pos: &(u8, bool), out: &mut Vec<u8>) {
        if pos.0 < 2 {
            out.extend([1 - pos.0, 2]);
        }
    }
    fn play(&self, pos: &(u8, bool), mv: u8) -> (u8, bool) {
        (mv, !pos.1)
    }
    fn outcome(&self, pos: &(u8, bool)) -> Option<i32> {
        (pos.0 == 2).then_some(0)
    }
}

#[test]
fn cycles_are_reported() {
    let start = Circle.start().unwrap();
    assert_eq!(plain(&Circle, &start, &NoMonitor).unwrap_err(), SolveError::Loops("plain"));
    assert_eq!(memo(&Circle, &start, MANY, &NoMonitor).err(), Some(SolveError::Loops("memo")));
    let explored = ExploredGame::new(&Circle, &start, MANY, &NoMonitor).unwrap();
    assert!(explored.has_loops() && !explored.has_chance());
    assert_eq!(explored.positions().len(), 4);
    laws::check_index(&Circle, &explored);
    let swept: Result<SweepValues<i8>, _> = sweep(&Circle, &explored, None, &NoMonitor);
    assert_eq!(swept.err(), Some(SolveError::Loops("sweep")));
}

#[test]
fn too_many_positions_are_refused() {
    let (game, _) = board("connect4");
    let start = game.start().unwrap();
    assert_eq!(ExploredGame::new(&game, &start, 1000, &NoMonitor).err(), Some(SolveError::TooLarge(1000)));
    assert_eq!(memo(&game, &start, 20_000, &NoMonitor).err(), Some(SolveError::TooLarge(20_000)));
}
