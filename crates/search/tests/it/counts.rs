//! Node counts, limits and statistics of a search.

use crate::common;

use common::{Graph, Opinion, end_of_line};
use outplay_core::{Game, Payoff, Probe, ProbeError, Turn, Value};
use outplay_games::mnk::{Board, Mnk, Rules};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_search::{
    Counters, Limit, SearchEngine, SearchError, SearchLimits, SearchMethod, SearchOptions, SearchValue,
    breadth_first,
};
use outplay_solve::{Memo, memo};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

fn board(spec: &str) -> Mnk<u64> {
    Mnk::new(Rules::parse(spec).unwrap()).unwrap()
}

/// A tree in which every position has `degree` moves for `depth` plies, the first being the best.
#[derive(Clone)]
struct Uniform {
    degree: u32,
    depth: u32,
}

impl Game for Uniform {
    /// The moves made so far.
    type Position = Vec<u8>;
    type Move = u8;
    fn start(&self) -> Option<Vec<u8>> {
        Some(Vec::new())
    }
    fn turn(&self, pos: &Vec<u8>) -> Turn {
        if pos.len().is_multiple_of(2) { Turn::First } else { Turn::Second }
    }
    fn moves(&self, pos: &Vec<u8>, out: &mut Vec<u8>) {
        if pos.len() < self.depth as usize {
            out.extend(0..self.degree as u8);
        }
    }
    fn play(&self, pos: &Vec<u8>, mv: u8) -> Vec<u8> {
        let mut next = pos.clone();
        next.push(mv);
        next
    }
    fn outcome(&self, pos: &Vec<u8>) -> Option<Payoff> {
        // Every inferior move costs its player, an early one more than all later ones together.
        let cost = |ply: usize, mv: u8| i32::from(mv) * (self.degree as i32 + 1).pow(self.depth - ply as u32);
        let sum = pos
            .iter()
            .enumerate()
            .map(|(ply, &mv)| if ply % 2 == 0 { -cost(ply, mv) } else { cost(ply, mv) });
        (pos.len() == self.depth as usize).then(|| sum.sum::<i32>().clamp(-8000, 8000))
    }
    fn best_payoff(&self) -> Payoff {
        8000
    }
}

/// Knuth and Moore: with the best move first, alpha-beta looks at b^⌈d/2⌉ + b^⌊d/2⌋ − 1 leaves.
#[test]
fn best_order_gives_the_minimal_tree() {
    for (degree, depth) in [(2, 1), (2, 2), (2, 7), (3, 6), (4, 5), (5, 4), (38, 2)] {
        let game = Uniform { degree, depth };
        let at_level = |i: u32| u64::from(degree).pow(i.div_ceil(2)) + u64::from(degree).pow(i / 2) - 1;
        let nodes: u64 = (0..=depth).map(at_level).sum();
        let start = game.start().unwrap();
        for quiet in [
            SearchOptions::bare(SearchMethod::AlphaBeta),
            SearchOptions { killers: true, ..SearchOptions::bare(SearchMethod::AlphaBeta) },
        ] {
            let report =
                SearchEngine::new(&game, quiet).search(&start, SearchLimits::NONE, &NoMonitor).unwrap();
            assert_eq!(report.answer, SearchValue::Exact(Value::TIE), "{degree}^{depth}");
            assert_eq!(report.counts.static_evaluations, at_level(depth), "{degree}^{depth}");
            assert_eq!(report.counts.nodes, nodes, "{degree}^{depth}");
        }
        let all: u64 = (0..=depth).map(|i| u64::from(degree).pow(i)).sum();
        let report = SearchEngine::new(&game, SearchOptions::bare(SearchMethod::Minimax))
            .search(&start, SearchLimits::NONE, &NoMonitor)
            .unwrap();
        assert_eq!(
            (report.counts.nodes, report.counts.dynamic_evaluations),
            (all, all - u64::from(degree).pow(depth))
        );
    }
}

/// The bare and the full search visit the same tree.
#[test]
fn bare_and_full_search_count_alike() {
    for spec in ["tictactoe", "connect4", "mnk:4x4,k=3,misere", "mnk:5x4,k=4,obstacles=b2"] {
        let game = board(spec);
        let start = game.start().unwrap();
        for method in [SearchMethod::Minimax, SearchMethod::AlphaBeta] {
            for best_payoff in [false, true] {
                for depth in 0..6 {
                    let bare = SearchOptions { best_payoff, ..SearchOptions::bare(method) };
                    // Hints without an implementation select the full search and change nothing.
                    let full = SearchOptions { hints: true, ..bare };
                    let run = |options| {
                        SearchEngine::new(&game, options)
                            .search(&start, SearchLimits::depth(depth), &NoMonitor)
                            .unwrap()
                    };
                    let (one, other) = (run(bare), run(full));
                    assert_eq!(one.counts, other.counts, "{spec} {method:?} {depth}");
                    assert_eq!((one.answer, one.line), (other.answer, other.line));
                }
            }
        }
    }
}

/// The numbers of tic-tac-toe: 549,946 positions, 255,168 games.
#[test]
fn minimax_of_tic_tac_toe() {
    let game = board("tictactoe");
    let start = game.start().unwrap();
    let report = SearchEngine::new(&game, SearchOptions::bare(SearchMethod::Minimax))
        .search(&start, SearchLimits::NONE, &NoMonitor)
        .unwrap();
    let expected = Counters {
        nodes: 549_946,
        static_evaluations: 255_168,
        dynamic_evaluations: 549_946 - 255_168,
        ..Counters::default()
    };
    assert_eq!(report.counts, expected);
    let options = SearchOptions { cache: 1 << 20, ..SearchOptions::bare(SearchMethod::Minimax) };
    let counts =
        SearchEngine::new(&game, options).search(&start, SearchLimits::depth(4), &NoMonitor).unwrap().counts;
    // 9·8·7·6 ways lead to the 756 positions with four stones.
    assert_eq!((counts.static_evaluations, counts.distinct_keys, counts.cache_hits), (3024, 756, 3024 - 756));
    let wide = breadth_first(&game, &start, &outplay_search::Zero, 9, 1 << 20, &NoMonitor).unwrap();
    assert_eq!(wide.levels, [1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]);
    assert_eq!(wide.report.counts.nodes, 549_946);
    assert_eq!(wide.report.answer, SearchValue::Exact(Value::TIE));
    let refused = breadth_first(&game, &start, &outplay_search::Zero, 9, 1000, &NoMonitor);
    assert_eq!(refused.unwrap_err(), SearchError::TooLarge(1000));
}

/// Bench signature: the total changes if and only if the behaviour of the search changes.
#[test]
fn signature() {
    let mut nodes = Vec::new();
    for options in [
        SearchOptions { best_payoff: true, ..SearchOptions::bare(SearchMethod::AlphaBeta) },
        SearchOptions { table: 1 << 12, quiescence: 2, ..SearchOptions::default() },
        SearchOptions {
            table: 1 << 12,
            symmetry: true,
            distance: false,
            quiescence: 0,
            ..SearchOptions::default()
        },
    ] {
        let mut sum = 0;
        for spec in ["tictactoe", "mnk:4x3,k=3", "mnk:4x4,k=3,misere", "connect4", "connect:5x4,k=4"] {
            let game = board(spec);
            let start = game.start().unwrap();
            let opinion = Opinion { seed: 3, spread: 50, slots: true };
            let mut engine = SearchEngine::new(&game, options).evaluate(opinion);
            sum += engine.search(&start, SearchLimits::depth(6), &NoMonitor).unwrap().counts.nodes;
        }
        nodes.push(sum);
    }
    assert_eq!(nodes, SIGNATURE);
}

const SIGNATURE: [u64; 3] = [260_143, 306_781, 45_486];

#[test]
fn pruning_and_ordering_save_work() {
    let game = board("connect4");
    let start = game.start().unwrap();
    let run = |options| {
        SearchEngine::new(&game, options).search(&start, SearchLimits::depth(8), &NoMonitor).unwrap()
    };
    let minimax = run(SearchOptions::bare(SearchMethod::Minimax));
    let alpha_beta = run(SearchOptions::bare(SearchMethod::AlphaBeta));
    let table = run(SearchOptions { table: 1 << 16, ..SearchOptions::bare(SearchMethod::AlphaBeta) });
    assert_eq!(minimax.counts.nodes, 1 + 7 + 49 + 343 + 2401 + 16_807 + 117_649 + 823_536 + 5_673_234);
    assert!(alpha_beta.counts.nodes * 10 < minimax.counts.nodes);
    assert!(table.counts.nodes < alpha_beta.counts.nodes);
    assert!(table.counts.table_cutoffs > 0 && table.counts.table_hits >= table.counts.table_cutoffs);
    assert!(alpha_beta.counts.alpha_cutoffs > 0 && alpha_beta.counts.beta_cutoffs > 0);
    assert_eq!(minimax.counts.alpha_cutoffs + minimax.counts.beta_cutoffs, 0);
}

#[test]
fn every_position_entered_is_accounted_for() {
    let game = board("connect:5x4,k=3");
    let start = game.start().unwrap();
    let opinion = Opinion { seed: 1, spread: 70, slots: false };
    for method in [SearchMethod::Minimax, SearchMethod::AlphaBeta, SearchMethod::Pvs] {
        let options = SearchOptions { method, table: 1 << 10, ..SearchOptions::default() };
        let Counters { nodes, static_evaluations, dynamic_evaluations, table_cutoffs, .. } =
            SearchEngine::new(&game, options)
                .evaluate(opinion)
                .search(&start, SearchLimits::depth(6), &NoMonitor)
                .unwrap()
                .counts;
        assert_eq!(nodes, static_evaluations + dynamic_evaluations + table_cutoffs);
    }
}

#[test]
fn limits_are_kept() {
    let game = board("connect4");
    let start = game.start().unwrap();
    for threads in [1, 2] {
        for options in [
            SearchOptions { threads, table: 1 << 14, ..SearchOptions::default() },
            SearchOptions::bare(SearchMethod::AlphaBeta),
            SearchOptions { deepening: true, ..SearchOptions::bare(SearchMethod::Minimax) },
        ] {
            for nodes in [0, 1, 2, 5, 1000, 12_345] {
                let report = SearchEngine::new(&game, options)
                    .search(&start, SearchLimits::nodes(nodes), &NoMonitor)
                    .unwrap();
                assert_eq!(report.counts.nodes, nodes);
                assert_eq!(report.limit, Some(Limit::Nodes));
                let SearchValue::Unknown { low, high, score } = report.answer else {
                    panic!("{:?}", report.answer)
                };
                assert!(low < Value::TIE && Value::TIE < high);
                assert!(report.best.is_some() == score.is_some());
                let sure = nodes >= 1000 && options.deepening && threads == 1;
                assert!(!sure || report.best.is_some());
            }
            let begin = Instant::now();
            let limits = SearchLimits::time(Duration::from_millis(30));
            let report = SearchEngine::new(&game, options).search(&start, limits, &NoMonitor).unwrap();
            assert_eq!(report.limit, Some(Limit::Time));
            assert!(begin.elapsed() < Duration::from_secs(5), "{:?}", begin.elapsed());
        }
    }
    let report = SearchEngine::new(&game, SearchOptions::default())
        .search(&start, SearchLimits::depth(5), &NoMonitor)
        .unwrap();
    assert_eq!((report.depth, report.limit), (5, Some(Limit::Depth)));
    assert_eq!(
        report.answer,
        SearchValue::Unknown { low: Value::loss(6), high: Value::win(6), score: Some(0) }
    );
    assert_eq!(report.answer.to_string(), "unknown, between loss in 6 and win in 6; looks like +0.00");
}

/// Monitor that stops the search after a number of nodes.
struct Impatient(AtomicU64);

impl Monitor for Impatient {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, units: u64) {
        self.0.fetch_add(units, Ordering::Relaxed);
    }
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) >= 5000
    }
}

#[test]
fn the_monitor_can_stop_a_search() {
    let game = board("connect4");
    let start = game.start().unwrap();
    let watch = Impatient(AtomicU64::new(0));
    let report = SearchEngine::new(&game, SearchOptions::default())
        .search(&start, SearchLimits::NONE, &watch)
        .unwrap();
    assert_eq!(report.limit, Some(Limit::Monitor));
    assert!(report.best.is_some() && report.depth > 0);
    assert!(report.counts.nodes < 10_000);
    let wide = breadth_first(&game, &start, &outplay_search::Zero, 12, 1 << 24, &watch).unwrap();
    assert_eq!((wide.report.limit, wide.report.best), (Some(Limit::Monitor), None));
}

/// A table of the positions with a given number of stones.
struct Known {
    memo: Memo<Mnk<u64>>,
    stones: u32,
}

impl Probe<Mnk<u64>> for Known {
    fn probe(&self, pos: &Board<u64>) -> Result<Option<Value>, ProbeError> {
        let known = (pos.stones[0] | pos.stones[1]).count_ones() == self.stones;
        Ok(if known { self.memo.value(pos) } else { None })
    }
}

struct Damaged;

impl Probe<Mnk<u64>> for Damaged {
    fn probe(&self, _pos: &Board<u64>) -> Result<Option<Value>, ProbeError> {
        Err(ProbeError("block 12 fails its checksum".into()))
    }
}

#[test]
fn probes_are_used() {
    let game = board("mnk:4x3,k=3");
    let start = game.start().unwrap();
    let memo = memo(&game, &start, 1_000_000, &NoMonitor).unwrap();
    let value = memo.found().value;
    let known = Known { memo, stones: 4 };
    for options in [SearchOptions::default(), SearchOptions::bare(SearchMethod::AlphaBeta)] {
        let mut engine = SearchEngine::new(&game, options).probe(&known);
        let report = engine.search(&start, SearchLimits::depth(5), &NoMonitor).unwrap();
        assert_eq!(report.answer, SearchValue::Exact(value));
        assert!(report.counts.probe_hits > 0);
        let mut alone = SearchEngine::new(&game, options);
        assert!(alone.search(&start, SearchLimits::depth(5), &NoMonitor).unwrap().answer.exact().is_none());
        let mut engine = SearchEngine::new(&game, options).probe(&Damaged);
        let error = engine.search(&start, SearchLimits::depth(5), &NoMonitor).unwrap_err();
        assert_eq!(error.to_string(), "a table could not be read: block 12 fails its checksum");
    }
}

#[test]
fn two_threads_give_the_same_value() {
    for spec in ["mnk:4x4,k=3", "connect:5x4,k=4", "mnk:4x4,k=3,misere"] {
        let game = board(spec);
        let start = game.start().unwrap();
        let run = |threads, deepening| {
            let options = SearchOptions { threads, deepening, symmetry: true, ..SearchOptions::default() };
            SearchEngine::new(&game, options).search(&start, SearchLimits::NONE, &NoMonitor).unwrap()
        };
        let one = run(1, true);
        for (threads, deepening) in [(2, true), (3, true), (2, false)] {
            let many = run(threads, deepening);
            assert_eq!(one.answer, many.answer, "{spec}");
            if let Some(end) = end_of_line(&game, &start, &many.line) {
                assert_eq!(Some(end.payoff()), one.answer.exact().map(Value::payoff), "{spec}");
            }
        }
    }
}

/// One long line: the search goes as deep as the stack allows and reports where it stopped.
#[test]
fn long_games_do_not_overflow_the_stack() {
    #[derive(Clone)]
    struct Road(u32);
    impl Game for Road {
        type Position = u32;
        type Move = ();
        fn start(&self) -> Option<u32> {
            Some(0)
        }
        fn turn(&self, pos: &u32) -> Turn {
            if pos.is_multiple_of(2) { Turn::First } else { Turn::Second }
        }
        fn moves(&self, pos: &u32, out: &mut Vec<()>) {
            out.extend((*pos < self.0).then_some(()));
        }
        fn play(&self, pos: &u32, (): ()) -> u32 {
            pos + 1
        }
        fn outcome(&self, pos: &u32) -> Option<Payoff> {
            (*pos == self.0).then_some(1)
        }
    }
    for options in [
        SearchOptions::bare(SearchMethod::AlphaBeta),
        SearchOptions { deepening: false, ..SearchOptions::default() },
        SearchOptions { deepening: false, table: 0, killers: true, ..SearchOptions::default() },
    ] {
        let search = |length| {
            SearchEngine::new(&Road(length), options).search(&0, SearchLimits::NONE, &NoMonitor).unwrap()
        };
        assert_eq!(search(15_000).answer, SearchValue::Exact(Value::win(15_000)));
        let report = search(50_000);
        assert_eq!((report.depth, report.limit), (outplay_search::MOST_PLIES, Some(Limit::Depth)));
    }
}

#[test]
fn unsupported_games_are_errors() {
    let graph = Graph { best: 10_000, ..Graph::new(1, 5, 2, 1, false) };
    let error = SearchEngine::new(&graph, SearchOptions::default())
        .search(&0, SearchLimits::NONE, &NoMonitor)
        .unwrap_err();
    assert_eq!(error, SearchError::Payoff(10_000));
    let mut turns = vec![Turn::First; 3];
    turns[2] = Turn::Chance;
    let graph = Graph {
        turns: turns.into(),
        next: vec![vec![1], vec![2], vec![1]].into(),
        ..Graph::new(1, 3, 1, 1, true)
    };
    for options in [SearchOptions::default(), SearchOptions::bare(SearchMethod::Minimax)] {
        let error =
            SearchEngine::new(&graph, options).search(&0, SearchLimits::depth(4), &NoMonitor).unwrap_err();
        assert_eq!(error, SearchError::Chance);
    }
}
