//! Games with cycles: every solver agrees on thousands of random graphs, and a custom game with forward moves only is
//! solved without further code.

use outplay_core::{Code, Game, Index, Payoff, Tier, Turn, Value};
use outplay_runtime::NoMonitor;
use outplay_solve::{
    ExploredGame, Flaw, LoopCode, RetrogradeOptions, RetrogradeValues, SolveError, SolvedProbe, Tally,
    retrograde_by_graph, sweep_until_stable, verify_loops,
};
use proptest::prelude::*;
use proptest::strategy::ValueTree;
use std::collections::HashMap;

/// A game as an adjacency list: player to move, targets, and payoffs of finished positions.
#[derive(Clone, Debug)]
struct Graph {
    places: Vec<Place>,
}

#[derive(Clone, Debug)]
struct Place {
    turn: Turn,
    next: Vec<u8>,
    payoff: Payoff,
}

impl Game for Graph {
    type Position = u8;
    type Move = u8;

    fn start(&self) -> Option<u8> {
        Some(0)
    }

    fn turn(&self, pos: &u8) -> Turn {
        self.places[*pos as usize].turn
    }

    fn moves(&self, pos: &u8, out: &mut Vec<u8>) {
        out.extend(&self.places[*pos as usize].next);
    }

    fn play(&self, _pos: &u8, mv: u8) -> u8 {
        mv
    }

    fn outcome(&self, pos: &u8) -> Option<Payoff> {
        let place = &self.places[*pos as usize];
        place.next.is_empty().then_some(place.payoff)
    }

    fn best_payoff(&self) -> Payoff {
        3
    }
}

fn graph(most_payoff: Payoff) -> impl Strategy<Value = Graph> {
    let place = (any::<bool>(), prop::collection::vec(any::<u8>(), 0..4), -most_payoff..=most_payoff);
    prop::collection::vec(place, 2..40).prop_map(|places| {
        let count = places.len();
        let place = |(second, next, payoff): (bool, Vec<u8>, Payoff)| {
            let mut next: Vec<u8> = next.iter().map(|&n| n % count as u8).collect();
            next.sort_unstable();
            next.dedup();
            Place { turn: if second { Turn::Second } else { Turn::First }, next, payoff }
        };
        Graph { places: places.into_iter().map(place).collect() }
    })
}

/// The payoff by brute force: with n plies left, an unfinished position counts 0. No win is longer than the number of
/// positions, so with that many plies every payoff is exact.
fn payoff_within(game: &Graph, pos: u8, plies: usize, seen: &mut HashMap<(u8, usize), Payoff>) -> Payoff {
    if let Some(payoff) = game.outcome(&pos) {
        return payoff;
    }
    if plies == 0 {
        return 0;
    }
    if let Some(&payoff) = seen.get(&(pos, plies)) {
        return payoff;
    }
    let next = game.places[pos as usize].next.iter().map(|&n| payoff_within(game, n, plies - 1, seen));
    let payoffs: Vec<Payoff> = next.collect();
    let best = match game.turn(&pos) {
        Turn::Second => payoffs.iter().min(),
        _ => payoffs.iter().max(),
    };
    let best = *best.expect("unfinished positions have moves");
    seen.insert((pos, plies), best);
    best
}

fn agree(game: &Graph) {
    let explored = ExploredGame::new(game, &0, 1000, &NoMonitor).unwrap();
    let solved: RetrogradeValues<i32> =
        retrograde_by_graph(game, &explored, RetrogradeOptions::default(), &NoMonitor).unwrap();
    let stable = sweep_until_stable(game, &explored, &NoMonitor).unwrap();
    let mut seen = HashMap::new();
    for &pos in explored.positions() {
        let (tier, number) = explored.rank(&pos);
        let value = solved.value(tier, number).unwrap();
        assert_eq!(Some(value), stable.value(tier, number), "{pos} of {game:?}");
        let turn = game.turn(&pos);
        let brute = turn.sees(payoff_within(game, pos, game.places.len() * 4, &mut seen));
        assert_eq!(value.payoff(), brute, "{pos} of {game:?}");
        let plain = game.places.iter().all(|place| place.payoff.abs() <= 1);
        if let Some(plies) = value.distance().filter(|_| plain) {
            // The distance is the smallest number of plies within which the payoff can be forced. (With larger
            // payoffs a loser prefers a smaller loss to a later one, and the cutoff would distort that.)
            let within = |plies| turn.sees(payoff_within(game, pos, plies, &mut HashMap::new()));
            assert_eq!(within(plies as usize), value.payoff(), "{pos} of {game:?}");
            if plies > 0 {
                assert_eq!(within(plies as usize - 1), 0, "{pos} of {game:?}");
            }
        }
    }
    let stored = |tier, number| solved.value(tier, number);
    let verified = verify_loops(game, &explored, true, stored, &NoMonitor).unwrap();
    assert_eq!((verified.checked, verified.wrong), (explored.positions().len() as u64, 0));
    assert_eq!(solved.tally().first_view().total(), explored.positions().len() as u64);
    corrupted_values_are_found(game, &explored, &solved);
}

/// Every single change is reported, that of a tie to a draw by repetition included.
fn corrupted_values_are_found(game: &Graph, explored: &ExploredGame<Graph>, solved: &RetrogradeValues<i32>) {
    for &pos in explored.positions().iter().step_by(3) {
        let place = explored.rank(&pos);
        let right = solved.value(place.0, place.1).unwrap();
        for planted in [Value::win(2), Value::loss(3), Value::TIE, Value::REPETITION, Value::win(0)] {
            if planted.cmp(&right).is_eq() && planted.is_repetition() == right.is_repetition() {
                continue;
            }
            let stored = |tier, number| {
                if (tier, number) == place { Some(planted) } else { solved.value(tier, number) }
            };
            let verified = verify_loops(game, explored, true, stored, &NoMonitor).unwrap();
            assert!(verified.wrong > 0, "{planted} at {pos} of {game:?}");
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn solvers_agree_on_random_graphs(game in graph(1)) {
        agree(&game);
    }

    #[test]
    fn solvers_agree_on_random_graphs_that_pay_more(game in graph(3)) {
        agree(&game);
    }
}

/// A cycle of two positions, 0 and 1; from 0 the first player may also end the game.
fn ring(payoff: Payoff) -> Graph {
    Graph {
        places: vec![
            Place { turn: Turn::First, next: vec![1, 2], payoff: 0 },
            Place { turn: Turn::Second, next: vec![0], payoff: 0 },
            Place { turn: Turn::Second, next: vec![], payoff },
        ],
    }
}

fn value_at(game: &Graph, pos: u8) -> Value {
    let explored = ExploredGame::new(game, &0, 1000, &NoMonitor).unwrap();
    let solved: RetrogradeValues<LoopCode> =
        retrograde_by_graph(game, &explored, RetrogradeOptions::default(), &NoMonitor).unwrap();
    let (tier, number) = explored.rank(&pos);
    solved.value(tier, number).unwrap()
}

#[test]
fn a_tie_is_not_a_draw_by_repetition() {
    assert_eq!(value_at(&ring(1), 0), Value::win(1));
    assert_eq!(value_at(&ring(1), 1), Value::loss(2));
    // The first player can end the game with payoff 0 whenever position 0 recurs.
    assert_eq!(value_at(&ring(0), 0), Value::TIE);
    assert_eq!(value_at(&ring(0), 1), Value::TIE);
    // Ending it would lose, so play repeats for ever.
    assert_eq!(value_at(&ring(-1), 0), Value::REPETITION);
    assert_eq!(value_at(&ring(-1), 1), Value::REPETITION);
}

/// Two positions that support each other's win and loss, with no finished position behind them.
#[test]
fn a_cycle_of_mutually_supporting_wins_is_found() {
    let game = ring(-1);
    let explored = ExploredGame::new(&game, &0, 1000, &NoMonitor).unwrap();
    let end = explored.rank(&2);
    let first = explored.rank(&0);
    let planted = |win: u32, loss: u32| {
        move |tier: Tier, number: u64| {
            if (tier, number) == end {
                Some(Value::win(0))
            } else if (tier, number) == first {
                Some(Value::win(win))
            } else {
                Some(Value::loss(loss))
            }
        }
    };
    for (win, loss) in [(0, 0), (1, 2), (3, 2), (5, 6), (1, 0)] {
        let verified = verify_loops(&game, &explored, true, planted(win, loss), &NoMonitor).unwrap();
        assert!(verified.wrong > 0, "win in {win} and loss in {loss}");
    }
    // Without distances every value equals that of its best move, and only the support is missing.
    let verified = verify_loops(&game, &explored, false, planted(0, 0), &NoMonitor).unwrap();
    assert_eq!(verified.wrong, 2);
    assert!(matches!(verified.first_wrong, Some((_, _, Flaw::Groundless))), "{verified:?}");
}

#[test]
fn two_bit_verdicts_equal_exact_values() {
    let mut runner = proptest::test_runner::TestRunner::deterministic();
    for _ in 0..300 {
        let graph = graph(1).new_tree(&mut runner).unwrap().current();
        let game = Unit(graph);
        let explored = ExploredGame::new(&game, &0, 1000, &NoMonitor).unwrap();
        let exact: RetrogradeValues<LoopCode> =
            retrograde_by_graph(&game, &explored, RetrogradeOptions::default(), &NoMonitor).unwrap();
        let small: RetrogradeValues<LoopCode> = retrograde_by_graph(
            &game,
            &explored,
            RetrogradeOptions { distance: false, ..RetrogradeOptions::default() },
            &NoMonitor,
        )
        .unwrap();
        for t in (0..explored.tiers()).map(Tier) {
            let codes = exact.codes(t).unwrap();
            let bits = small.verdicts(t).unwrap();
            for n in 0..explored.len(t) {
                let value = exact.value(t, n).unwrap();
                assert_eq!(codes[n as usize].unpack(), Some(value));
                assert_eq!(i32::from(bits.at(n)) - 2, value.payoff());
                let coarse = small.value(t, n).unwrap();
                assert_eq!(
                    (coarse.payoff(), coarse.is_repetition()),
                    (value.payoff(), value.is_repetition())
                );
            }
        }
        let stored = |tier, number| small.value(tier, number);
        assert_eq!(verify_loops(&game, &explored, false, stored, &NoMonitor).unwrap().wrong, 0);
        let split = |tally: &Tally| tally.first_view();
        assert_eq!(split(exact.tally()), split(small.tally()));
    }
}

/// A graph that pays at most one.
#[derive(Clone, Debug)]
struct Unit(Graph);

impl Game for Unit {
    type Position = u8;
    type Move = u8;
    fn start(&self) -> Option<u8> {
        self.0.start()
    }
    fn turn(&self, pos: &u8) -> Turn {
        self.0.turn(pos)
    }
    fn moves(&self, pos: &u8, out: &mut Vec<u8>) {
        self.0.moves(pos, out);
    }
    fn play(&self, pos: &u8, mv: u8) -> u8 {
        self.0.play(pos, mv)
    }
    fn outcome(&self, pos: &u8) -> Option<Payoff> {
        self.0.outcome(pos)
    }
}

/// A custom cyclic game with forward moves only: two tokens on a ring of cells. A move advances the mover's token one
/// or two cells, not onto the other token; from cell 0 the mover may instead stop the game and wins if the other
/// token stands on an even cell.
#[derive(Clone)]
struct Chase {
    cells: u8,
}

impl Game for Chase {
    type Position = (u8, u8, bool);
    type Move = u8;
    fn start(&self) -> Option<(u8, u8, bool)> {
        Some((1, self.cells / 2, true))
    }
    fn turn(&self, pos: &(u8, u8, bool)) -> Turn {
        if pos.2 { Turn::First } else { Turn::Second }
    }
    fn moves(&self, &(mine, other, _): &(u8, u8, bool), out: &mut Vec<u8>) {
        if mine >= self.cells {
            return;
        }
        out.extend((1..=2).filter(|step| (mine + step) % self.cells != other));
        if mine == 0 {
            out.push(0);
        }
    }
    fn play(&self, &(mine, other, first): &(u8, u8, bool), step: u8) -> (u8, u8, bool) {
        match step {
            0 => (self.cells + other % 2, mine, !first),
            _ => (other, (mine + step) % self.cells, !first),
        }
    }
    fn outcome(&self, &(mine, _, first): &(u8, u8, bool)) -> Option<Payoff> {
        // The opponent stopped: an even cell loses for the player to move, an odd one wins.
        (mine >= self.cells).then_some(if (mine == self.cells) == first { -1 } else { 1 })
    }
}

#[test]
fn a_users_own_game_with_forward_moves_only_solves() {
    for cells in [4, 5, 8, 13] {
        let game = Chase { cells };
        let explored = ExploredGame::new(&game, &game.start().unwrap(), 100_000, &NoMonitor).unwrap();
        assert!(explored.has_loops());
        let solved: RetrogradeValues<i8> =
            retrograde_by_graph(&game, &explored, RetrogradeOptions::default(), &NoMonitor).unwrap();
        let stable = sweep_until_stable(&game, &explored, &NoMonitor).unwrap();
        for pos in explored.positions() {
            let (tier, number) = explored.rank(pos);
            assert_eq!(solved.value(tier, number), stable.value(tier, number), "{pos:?}");
        }
        let stored = |tier, number| solved.value(tier, number);
        assert_eq!(verify_loops(&game, &explored, true, stored, &NoMonitor).unwrap().wrong, 0);
        let probe = SolvedProbe { game: &game, index: &explored, solved: &solved };
        let start = game.start().unwrap();
        assert!(outplay_core::Probe::<Chase>::probe(&probe, &start).unwrap().is_some());
    }
}

#[test]
fn chance_is_refused() {
    let mut game = ring(1);
    game.places[1].turn = Turn::Chance;
    let explored = ExploredGame::new(&game, &0, 1000, &NoMonitor).unwrap();
    let error =
        retrograde_by_graph::<_, _, i32>(&game, &explored, RetrogradeOptions::default(), &NoMonitor).err();
    assert_eq!(error, Some(SolveError::Chance("retrograde")));
    assert!(sweep_until_stable(&game, &explored, &NoMonitor).is_err());
}
