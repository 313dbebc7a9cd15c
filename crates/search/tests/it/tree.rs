//! A recorded tree is correct, within its size limit, and drawn completely.

use crate::common;

use common::{Graph, Leaf, Opinion, minimax};
use outplay_core::{Game, Notation, Turn, Value};
use outplay_games::mnk::{Mnk, Rules};
use outplay_games::{Spec, nim::Nim};
use outplay_runtime::NoMonitor;
use outplay_search::{
    Bound, Cut, Evaluate, Fate, SearchEngine, SearchLimits, SearchMethod, SearchOptions, Tree, TreeOptions,
    TreeOrder, Worth, Zero, tree,
};
use proptest::prelude::*;

fn board(spec: &str) -> Mnk<u64> {
    Mnk::new(Rules::parse(spec).unwrap()).unwrap()
}

/// An evaluation that is never 0: a tie and an evaluation of 0 are equal, and which of them is shown as best is
/// unspecified.
struct Decided(Opinion);

impl<G: Game> Evaluate<G> for Decided {
    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        match self.0.score(game, pos) {
            0 => 1,
            score => score,
        }
    }
}

/// A larger number for a better worth, first player's view.
fn rank(worth: Worth) -> (i32, Value, i32) {
    match worth {
        Worth::End(value) => (value.payoff().signum(), value, 0),
        Worth::Opinion(score) => (0, Value::TIE, score),
        Worth::Mean(_) => unreachable!("there are no dice"),
    }
}

/// The minimax value of a branch, with distances counted from the root.
fn truth<G: Game>(game: &G, opinion: &Decided, pos: &G::Position, depth: u32, ply: u32) -> Worth {
    let second = game.turn(pos) == Turn::Second;
    match minimax(game, opinion, pos, depth, 0) {
        Leaf::Opinion(score) => Worth::Opinion(if second { -score } else { score }),
        Leaf::End(value) => {
            let seen = if second { value.flipped() } else { value };
            Worth::End(Value::new(seen.payoff(), seen.distance().unwrap_or(0) + ply))
        }
    }
}

/// Checks every recorded position against minimax, and the tree's own sums.
fn honest<G: Game>(game: &G, tree: &Tree<G>, opinion: &Decided) {
    for (at, branch) in tree.branches.iter().enumerate() {
        let worth = truth(game, opinion, &branch.pos, tree.depth - branch.ply, branch.ply);
        match branch.worth {
            None => assert!(matches!(branch.fate, Fate::CutOff(_))),
            Some((Bound::Exact, said)) => assert_eq!(rank(said), rank(worth)),
            Some((Bound::AtLeast, said)) => assert!(rank(said) <= rank(worth)),
            Some((Bound::AtMost, said)) => assert!(rank(said) >= rank(worth)),
        }
        for &child in &branch.children {
            assert!(child > at && tree.branches[child].ply == branch.ply + 1);
            let mv = tree.branches[child].mv.expect("only the root has no move");
            assert_eq!(game.play(&branch.pos, mv), tree.branches[child].pos);
        }
    }
    let entered =
        tree.branches.iter().filter(|branch| !matches!(branch.fate, Fate::CutOff(_))).count() as u64;
    assert_eq!(entered + tree.left_out(), tree.counts.nodes);
    assert_eq!(tree.counts.nodes, tree.counts.static_evaluations + tree.counts.dynamic_evaluations);
    assert_eq!(tree.note().is_none(), tree.branches.iter().all(|b| b.left_out == 0 && b.cut_left_out == 0));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(5000))]

    #[test]
    fn recorded_values_hold(
        seed in any::<u64>(), size in 2..30u16, best in 1..4i32, depth in 0..5u32,
        prune in any::<bool>(), best_payoff in any::<bool>(), most in prop_oneof![Just(1usize), 2..30usize, Just(9999)]
    ) {
        let game = Graph::new(seed, size, 3, best, false);
        let opinion = Decided(Opinion { seed, spread: 100, slots: false });
        let options = TreeOptions { prune, best_payoff, most, ..TreeOptions::default() };
        let tree = tree(&game, &0, &opinion, depth, options, &NoMonitor).unwrap();
        honest(&game, &tree, &opinion);
        prop_assert!(tree.branches.len() <= most);
        if !best_payoff {
            // The same tree as the engine's.
            let method = if prune { SearchMethod::AlphaBeta } else { SearchMethod::Minimax };
            let mut engine = SearchEngine::new(&game, SearchOptions::bare(method)).evaluate(&opinion);
            let report = engine.search(&0, SearchLimits::depth(depth), &NoMonitor).unwrap();
            // The engine may search again for the end of its line.
            prop_assert!(report.counts.nodes >= tree.counts.nodes);
            let exact = report.answer.exact().is_some();
            prop_assert!(exact || report.counts.nodes == tree.counts.nodes);
        }
        // The principal variation starts with a move that has the value of the root.
        let root = rank(truth(&game, &opinion, &0, depth, 0));
        if let Some(second) = tree.branches.iter().filter(|b| b.principal).nth(1) {
            prop_assert_eq!(rank(truth(&game, &opinion, &second.pos, depth - 1, 1)), root);
        } else {
            prop_assert!(most < 9999 || depth == 0 || game.outcome(&0).is_some());
        }
    }
}

/// Checks that tags are balanced.
fn well_formed(svg: &str) {
    let mut open = Vec::new();
    for tag in svg.split('<').skip(1) {
        let (tag, text) = tag.split_once('>').expect("every tag ends");
        assert!(!text.contains('&') || text.contains(';'), "{text}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name), "{tag}");
        } else if !tag.ends_with('/') {
            open.push(tag.split([' ', '\n']).next().unwrap());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    // Nothing is loaded from elsewhere; the one URL is the SVG namespace.
    assert_eq!(svg.matches("http").count(), 1);
    assert!(!svg.contains("href") && !svg.contains("<script") && !svg.contains("NaN"));
}

#[test]
fn a_late_tic_tac_toe_position() {
    let game = board("tictactoe");
    let pos = game.read_position("..x/.x./oxo o").unwrap();
    let tree = tree(&game, &pos, &Zero, 9, TreeOptions::default(), &NoMonitor).unwrap();
    let text = tree.text(&game);
    let expected = "\
alpha-beta, 9 plies ahead: 33 positions entered, 12 of them leaves, 2 alpha and 2 beta cut-offs, 1 more at the best payoff
▼ draw  *
├─ a2 ▲ win 2
│  ├─ a3 ▼ draw
│  │  ├─ b3 ▲ draw
│  │  │  └─ c2 ■ draw
│  │  └─ c2 ▲ ≥ win 4  in (-∞, draw)
│  │     └─ b3 ■ win 4
│  ├─ b3 ■ win 2
│  └╌ ✂ c2: nothing better is possible
├─ a3 ▲ ≥ win 2  in (-∞, win 2)
";
    assert!(text.starts_with(expected), "{text}");
    assert!(
        text.ends_with("✂ left out; values are the first player's\n") && !text.contains("horizon"),
        "{text}"
    );
    assert!(tree.note().is_none());
    let cuts = |wanted| tree.branches.iter().filter(|b| b.fate == Fate::CutOff(wanted)).count();
    assert!(cuts(Cut::Alpha) > 0 && cuts(Cut::Beta) > 0 && cuts(Cut::BestPayoff) > 0);
    let svg = tree.svg(&game);
    well_formed(&svg);
    for part in ["#009E73", "#E69F00", "#D55E00", "stroke-dasharray", "system-ui", "β✂", "tictactoe"] {
        assert!(svg.contains(part), "{part}");
    }
}

#[test]
fn large_trees_report_omitted_nodes() {
    let game = board("connect4");
    let start = game.start().unwrap();
    let tree = tree(&game, &start, &Zero, 6, TreeOptions::default(), &NoMonitor).unwrap();
    assert!(tree.branches.len() <= 200 && tree.branches.len() > 7);
    let note = tree.note().unwrap();
    assert!(note.contains(&format!("of {} positions are shown", tree.counts.nodes)), "{note}");
    let svg = tree.svg(&game);
    well_formed(&svg);
    assert!(svg.contains(&note) && tree.text(&game).contains(&note));
    let nim = Nim::from_spec(Spec::parse("nim:1+2").unwrap()).unwrap();
    let small =
        outplay_search::tree(&nim, &nim.start().unwrap(), &Zero, 9, TreeOptions::default(), &NoMonitor)
            .unwrap();
    well_formed(&small.svg(&nim));
    assert!(small.text(&nim).contains("2-1"));
}

/// The move order changes the work and never the value, and the best order visits the critical tree of Knuth
/// and Moore: on 7x6 with gravity no game ends and no column fills within six plies, so every position has
/// seven moves.
#[test]
fn the_best_order_visits_the_critical_tree() {
    let game = board("connect4");
    let start = game.start().unwrap();
    let leaves = |depth: u32, prune: bool, order: TreeOrder, seed: u64| {
        let opinion = Opinion { seed, spread: 1000, slots: false };
        let options = TreeOptions { prune, best_payoff: false, order, ..TreeOptions::default() };
        let tree = tree(&game, &start, &opinion, depth, options, &NoMonitor).unwrap();
        let worth = tree.branches[0].worth.unwrap().1;
        (tree.counts.static_evaluations, rank(worth))
    };
    for seed in 0..3 {
        for depth in 1..=5u32 {
            let (all, worth) = leaves(depth, false, TreeOrder::Rules, seed);
            assert_eq!(all, 7u64.pow(depth));
            let (best, same) = leaves(depth, true, TreeOrder::Best, seed);
            assert_eq!(best, 7u64.pow(depth.div_ceil(2)) + 7u64.pow(depth / 2) - 1, "depth {depth}");
            assert_eq!(same, worth);
            for order in [TreeOrder::Rules, TreeOrder::Worst, TreeOrder::Shuffled(1), TreeOrder::Shuffled(2)]
            {
                let (some, same) = leaves(depth, true, order, seed);
                assert!((best..=all).contains(&some), "{order:?} at depth {depth}: {some}");
                assert_eq!(same, worth, "{order:?}");
            }
            let worst = leaves(depth, true, TreeOrder::Worst, seed).0;
            assert!(worst >= leaves(depth, true, TreeOrder::Rules, seed).0, "depth {depth}");
        }
    }
}
