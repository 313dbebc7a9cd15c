//! Every combination of options gives the value of plain minimax, on random boards and random graphs, to the
//! end of the game or to a horizon.

use crate::common;

use common::{Graph, Opinion, end_of_line, minimax};
use outplay_core::{Game, HashKeys, Turn, Value};
use outplay_games::mnk::{Mnk, Rules};
use outplay_runtime::NoMonitor;
use outplay_search::{
    Evaluate, RatedMove, SearchEngine, SearchLimits, SearchMethod, SearchOptions, SearchResult, SearchValue,
    TableKey, breadth_first,
};
use outplay_solve::{memo, plain};
use proptest::prelude::*;

fn board(spec: &str) -> Option<Mnk<u64>> {
    Some(Mnk::new(Rules::parse(spec).ok()?).unwrap())
}

/// A random board of at most `free` free cells.
fn small_spec(free: usize) -> impl Strategy<Value = String> {
    any::<u64>().prop_map(move |seed| outplay_core::laws::random_board(seed, free))
}

/// Any combination of options, with small tables so that entries collide.
fn any_options() -> impl Strategy<Value = SearchOptions> {
    let method =
        prop_oneof![Just(SearchMethod::Minimax), Just(SearchMethod::AlphaBeta), Just(SearchMethod::Pvs)];
    let table = prop_oneof![Just(0usize), Just(2), Just(64), Just(4096)];
    let cache = prop_oneof![Just(0usize), Just(64), Just(100_000)];
    let key = prop_oneof![Just(TableKey::Exact), Just(TableKey::Zobrist(64)), Just(TableKey::Zobrist(8))];
    (method, (table, key), cache, any::<[bool; 10]>(), 0..4u32, 1..=3usize).prop_map(
        |(method, (table, key), cache, flags, quiescence, threads)| SearchOptions {
            method,
            deepening: flags[0],
            table,
            key,
            deeper: flags[1],
            symmetry: flags[2],
            hash_move: flags[3],
            killers: flags[4],
            history: flags[5],
            hints: flags[6],
            quiescence,
            best_payoff: flags[7],
            distance: flags[8],
            cache,
            // Threads are slow to start: one case in a few.
            threads: if flags[9] { 1 } else { threads },
        },
    )
}

/// Checks that bounds hold and exact answers are exact.
fn honest<M>(report: &SearchResult<M>, value: Value) {
    match report.answer {
        // A forced tie and a draw by repetition are worth the same.
        SearchValue::Exact(exact) => assert!(exact.cmp(&value).is_eq(), "{exact} {value}"),
        SearchValue::Payoff(payoff) => assert_eq!(payoff, value.payoff()),
        SearchValue::Unknown { low, high, .. } => {
            assert!(low <= value && value <= high, "{low} {value} {high}")
        }
    }
}

/// Checks that the best move of an exact answer has the value of the answer.
fn best_is_best<G: Game>(game: &G, pos: &G::Position, report: &SearchResult<G::Move>, value: Value) {
    if let (SearchValue::Exact(_) | SearchValue::Payoff(_), Some(mv)) = (report.answer, report.best) {
        let next = game.play(pos, mv);
        let after = plain(game, &next, &NoMonitor).unwrap().value.before(game.turn(&next) == game.turn(pos));
        assert_eq!(after.payoff(), value.payoff());
        assert!(matches!(report.answer, SearchValue::Payoff(_)) || after == value, "{after} {value}");
    }
}

/// Checks that every move has its minimax value, and the best one that of the position.
fn moves_agree<G: Game>(game: &G, engine: &mut SearchEngine<'_, G, Opinion>, value: Value) {
    let start = game.start().unwrap();
    for limits in [SearchLimits::NONE, SearchLimits::depth(2), SearchLimits::nodes(40)] {
        let judged = engine.each_move(&start, limits, &NoMonitor).unwrap();
        let mut best = None;
        for RatedMove { mv, answer, report } in &judged {
            let next = game.play(&start, *mv);
            let after = plain(game, &next, &NoMonitor).unwrap().value;
            honest(report, after);
            let after = after.before(game.turn(&next) == game.turn(&start));
            best = best.max(Some(after));
            match *answer {
                SearchValue::Exact(exact) => assert_eq!(exact, after),
                SearchValue::Payoff(payoff) => assert_eq!(payoff, after.payoff()),
                SearchValue::Unknown { low, high, .. } => assert!(low <= after && after <= high),
            }
        }
        assert_eq!(best, game.outcome(&start).is_none().then_some(value));
        let nodes: u64 = judged.iter().map(|judged| judged.report.counts.nodes).sum();
        // A finished position is counted even if the budget is used up.
        assert!(limits.nodes.is_none_or(|most| nodes <= most + judged.len() as u64));
    }
}

/// Searches to the end and to every small depth, and compares.
fn agrees<G: Game>(game: &G, options: SearchOptions, opinion: Opinion, depths: u32) {
    let start = game.start().unwrap();
    let value = plain(game, &start, &NoMonitor).unwrap().value;
    let mut engine = SearchEngine::new(game, options).evaluate(opinion);

    let report = engine.search(&start, SearchLimits::NONE, &NoMonitor).unwrap();
    assert!(!matches!(report.answer, SearchValue::Unknown { .. }), "{:?}", report.answer);
    assert_eq!(report.limit, None);
    honest(&report, value);
    best_is_best(game, &start, &report, value);
    if options.distance && game.outcome(&start).is_none() {
        // Table hits may shorten the line only where searching it again was too expensive.
        if let Some(end) = end_of_line(game, &start, &report.line) {
            assert_eq!(Value::new(end.payoff(), end.distance().unwrap_or(0)), value, "{:?}", report.line);
        } else {
            assert!(options.table > 0, "{:?}", report.line);
        }
    }

    for depth in 0..depths {
        let mut fresh = SearchEngine::new(game, options).evaluate(opinion);
        let report = fresh.search(&start, SearchLimits::depth(depth), &NoMonitor).unwrap();
        honest(&report, value);
        best_is_best(game, &start, &report, value);
        // A table with deeper entries, or one that merges mirror images the evaluation distinguishes, returns a
        // better informed score than minimax to this depth.
        let strict = options.table == 0 || !(options.deeper || options.symmetry);
        if strict && options.distance {
            let seen = report.depth;
            let leaf = minimax(game, &opinion, &start, seen, options.quiescence);
            assert!(leaf.matches(report.answer), "depth {depth}: {leaf:?} {:?}", report.answer);
            assert!(report.depth == depth || report.limit.is_none());
        }
        // Entries of shallower and deeper searches do not make the result wrong.
        honest(&engine.search(&start, SearchLimits::depth(depth), &NoMonitor).unwrap(), value);
    }
    moves_agree(game, &mut engine, value);
}

fn opinion(seed: u64) -> Opinion {
    // A spread of 0 is the zero evaluation; one beyond the scale must not exceed a win.
    let spread = [0, 1, 300, 60_000][(seed % 4) as usize];
    Opinion { seed, spread, slots: seed.is_multiple_of(3) }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn all_options_agree_on_random_boards(spec in small_spec(6), options in any_options(), seed in 0..1000u64) {
        if let Some(game) = board(&spec) {
            agrees(&game, options, opinion(seed), 4);
        }
    }

    #[test]
    fn all_options_agree_on_random_graphs(
        seed in any::<u64>(), size in 2..40u16, moves in 1..4usize, best in 1..4i32, options in any_options()
    ) {
        let game = Graph::new(seed, size, moves, best, false);
        agrees(&game, options, opinion(seed), 6);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// In a graph with cycles only forced ends can be proven, and all that is proven holds.
    #[test]
    fn cycles_never_yield_wrong_proofs(seed in any::<u64>(), size in 2..30u16, options in any_options()) {
        let game = Graph::new(seed, size, 3, 1, true);
        let opinion = opinion(seed);
        let truth = loop_value(&game);
        let options = SearchOptions { deepening: true, ..options };
        let mut engine = SearchEngine::new(&game, options).evaluate(opinion);
        for depth in 1..6 {
            let report = engine.search(&0, SearchLimits::depth(depth), &NoMonitor).unwrap();
            honest(&report, truth);
        }
    }

    #[test]
    fn own_keys_and_borrowed_evaluations(spec in small_spec(8), options in any_options()) {
        if let Some(game) = board(&spec) {
            let start = game.start().unwrap();
            let value = plain(&game, &start, &NoMonitor).unwrap().value;
            let options = SearchOptions { table: 256, ..options };
            let mut engine = SearchEngine::new(&game, options).own_keys();
            honest(&engine.search(&start, SearchLimits::NONE, &NoMonitor).unwrap(), value);
            let shared = opinion(7);
            let mut engine = SearchEngine::new(&game, options).evaluate(&shared);
            honest(&engine.search(&start, SearchLimits::NONE, &NoMonitor).unwrap(), value);
            let wide = breadth_first(&game, &start, &shared, 20, 1_000_000, &NoMonitor).unwrap();
            prop_assert_eq!(wide.report.answer, SearchValue::Exact(value));
        }
    }

    #[test]
    fn breadth_first_is_minimax(seed in any::<u64>(), size in 2..40u16, best in 1..4i32, depth in 0..6u32) {
        let game = Graph::new(seed, size, 3, best, seed.is_multiple_of(2));
        let opinion = opinion(seed);
        let wide = breadth_first(&game, &0, &opinion, depth, 1_000_000, &NoMonitor).unwrap();
        let leaf = minimax(&game, &opinion, &0, depth, 0);
        prop_assert!(leaf.matches(wide.report.answer), "{:?} {:?}", leaf, wide.report.answer);
        let deep = SearchEngine::new(&game, SearchOptions::bare(SearchMethod::Minimax)).evaluate(opinion)
            .search(&0, SearchLimits::depth(depth), &NoMonitor).unwrap();
        prop_assert_eq!(deep.answer, wide.report.answer);
        prop_assert_eq!(deep.counts.nodes, wide.report.counts.nodes);
        prop_assert!(wide.report.counts.distinct_keys <= deep.counts.nodes);
    }
}

/// The value of the first position of a graph with cycles and payoffs of at most 1, by iterating over the
/// number of plies in which a result can be forced.
fn loop_value(game: &Graph) -> Value {
    let n = game.turns.len();
    // The fewest plies in which a side can force its win, position by position.
    let force = |side: Turn| -> Vec<Option<u32>> {
        let mut known: Vec<Option<u32>> = vec![None; n];
        loop {
            let mut now = known.clone();
            for pos in 0..n as u16 {
                let next = game.next[pos as usize].iter().map(|&to| known[to as usize]);
                now[pos as usize] = match game.outcome(&pos) {
                    Some(payoff) => (side.sees(payoff) == 1).then_some(0),
                    None if game.turn(&pos) == side => next.flatten().min().map(|plies| plies + 1),
                    None => next
                        .into_iter()
                        .try_fold(0, |most, plies| Some(most.max(plies?)))
                        .map(|plies| plies + 1),
                };
            }
            if now == known {
                return known;
            }
            known = now;
        }
    };
    let mover = game.turn(&0);
    match (force(mover)[0], force(mover.other())[0]) {
        (Some(plies), _) => Value::win(plies),
        (_, Some(plies)) => Value::loss(plies),
        (None, None) => Value::REPETITION,
    }
}

#[test]
fn known_boards() {
    for spec in ["tictactoe", "mnk:4x3,k=3", "mnk:3x3,k=3,misere", "connect:4x3,k=3", "connect4:4x4"] {
        let game = board(spec).unwrap();
        let start = game.start().unwrap();
        let value = memo(&game, &start, 1_000_000, &NoMonitor).unwrap().found().value;
        let options = SearchOptions { table: 1 << 14, symmetry: true, ..SearchOptions::default() };
        let report =
            SearchEngine::new(&game, options).search(&start, SearchLimits::NONE, &NoMonitor).unwrap();
        assert_eq!(report.answer, SearchValue::Exact(value), "{spec}");
        let end = end_of_line(&game, &start, &report.line).unwrap();
        assert_eq!((end.payoff(), end.distance()), (value.payoff(), value.distance()), "{spec}");
    }
}

#[test]
fn game_keys_identify_positions() {
    let game = board("tictactoe").unwrap();
    let pos = game.play(&game.start().unwrap(), 0);
    assert_eq!(game.key(&pos), game.key(&pos.clone()));
    let score = <&Opinion as Evaluate<Mnk<u64>>>::score(&&opinion(2), &game, &pos);
    assert_eq!(score, Evaluate::score(&opinion(2), &game, &pos));
}
