//! Star1 and Star2 equal expectiminimax on random trees with chance nodes, and playouts follow the dice.

use crate::common;

use common::Opinion;
use outplay_core::{Chance, Game, Payoff, Turn};
use outplay_games::{Spec, einstein::Einstein};
use outplay_runtime::NoMonitor;
use outplay_search::{
    Bound, DiceMethod, Evaluate, Fate, Limit, PlayoutOptions, SearchLimits, Worth, Zero, dice_tree,
    expectimax, playouts_with_dice,
};
use proptest::prelude::*;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// A random acyclic graph in which any node may be a chance node.
#[derive(Clone, Debug)]
struct Casino {
    turns: Arc<Vec<Turn>>,
    next: Arc<Vec<Vec<(u16, f64)>>>,
    paid: Arc<Vec<Payoff>>,
    best: Payoff,
}

impl Casino {
    fn new(seed: u64, positions: u16, most_moves: usize, best: Payoff) -> Casino {
        let mut rng = SmallRng::seed_from_u64(seed);
        let kinds = [Turn::First, Turn::Second, Turn::Chance];
        let mut next = Vec::new();
        for pos in 0..positions {
            let high = positions.min(pos + 9);
            let end = pos + 1 >= high || (pos > 0 && rng.random_range(0..8) == 0);
            let moves = if end { 0 } else { rng.random_range(1..=most_moves) };
            let mut weights: Vec<f64> = (0..moves).map(|_| f64::from(rng.random_range(0..6u8))).collect();
            if weights.iter().all(|&weight| weight == 0.0) {
                weights.fill(1.0);
            }
            let sum: f64 = weights.iter().sum();
            next.push(weights.iter().map(|weight| (rng.random_range(pos + 1..high), weight / sum)).collect());
        }
        Casino {
            turns: Arc::new((0..positions).map(|_| kinds[rng.random_range(0..3usize)]).collect()),
            next: Arc::new(next),
            paid: Arc::new((0..positions).map(|_| rng.random_range(-best..=best)).collect()),
            best,
        }
    }
}

impl Game for Casino {
    type Position = u16;
    type Move = u8;
    fn start(&self) -> Option<u16> {
        Some(0)
    }
    fn turn(&self, pos: &u16) -> Turn {
        self.turns[*pos as usize]
    }
    fn moves(&self, pos: &u16, out: &mut Vec<u8>) {
        out.extend(0..self.next[*pos as usize].len() as u8);
    }
    fn play(&self, pos: &u16, mv: u8) -> u16 {
        self.next[*pos as usize][mv as usize].0
    }
    fn outcome(&self, pos: &u16) -> Option<Payoff> {
        self.next[*pos as usize].is_empty().then(|| self.paid[*pos as usize])
    }
    fn best_payoff(&self) -> Payoff {
        self.best
    }
}

impl Chance for Casino {
    fn outcomes(&self, pos: &u16, out: &mut Vec<(u8, f64)>) {
        out.extend(self.next[*pos as usize].iter().enumerate().map(|(i, &(_, p))| (i as u8, p)));
    }
}

/// Plain expectiminimax as an oracle.
fn plain_expectiminimax(game: &Casino, eval: &Opinion, pos: u16, depth: u32) -> f64 {
    if let Some(payoff) = game.outcome(&pos) {
        return payoff.into();
    }
    let turn = game.turn(&pos);
    if depth == 0 {
        let score = f64::from(eval.score(game, &pos)) / 100.0;
        return (if turn == Turn::Second { -score } else { score })
            .clamp(-f64::from(game.best), f64::from(game.best));
    }
    let values =
        game.next[pos as usize].iter().map(|&(to, p)| (plain_expectiminimax(game, eval, to, depth - 1), p));
    match turn {
        Turn::First => values.map(|(value, _)| value).fold(f64::NEG_INFINITY, f64::max),
        Turn::Second => values.map(|(value, _)| value).fold(f64::INFINITY, f64::min),
        Turn::Chance => values.map(|(value, p)| value * p).sum(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(6000))]

    #[test]
    fn stars_equal_expectiminimax(
        seed in any::<u64>(), size in 1..40u16, moves in 1..4usize, best in 1..5i32, depth in 0..9u32
    ) {
        let game = Casino::new(seed, size, moves, best);
        let opinion = Opinion { seed, spread: 200, slots: false };
        let truth = plain_expectiminimax(&game, &opinion, 0, depth);
        let limits = SearchLimits::depth(depth);
        let mut plain_nodes = 0;
        for method in [DiceMethod::Expectiminimax, DiceMethod::Star1, DiceMethod::Star2] {
            let found = expectimax(&game, &0, &opinion, method, limits, &NoMonitor).unwrap();
            let value = found.value.unwrap();
            prop_assert!((value - truth).abs() < 1e-9, "{:?}: {} instead of {}", method, value, truth);
            prop_assert_eq!(found.limit, (!found.exact).then_some(Limit::Depth));
            match method {
                DiceMethod::Expectiminimax => plain_nodes = found.nodes,
                DiceMethod::Star1 => prop_assert!(found.nodes <= plain_nodes),
                DiceMethod::Star2 => {}
            }
            // The best move leads to the value, and exists wherever a player is to move.
            let player = depth > 0 && game.turn(&0) != Turn::Chance && game.outcome(&0).is_none();
            prop_assert_eq!(found.best.is_some(), player);
            if let Some(mv) = found.best {
                let after = plain_expectiminimax(&game, &opinion, game.play(&0, mv), depth - 1);
                prop_assert!((after - truth).abs() < 1e-9);
            }
        }
        let end = expectimax(&game, &0, &Zero, DiceMethod::Star2, SearchLimits::NONE, &NoMonitor).unwrap();
        prop_assert!(end.exact && end.limit.is_none());
        prop_assert!((end.value.unwrap() - plain_expectiminimax(&game, &opinion, 0, 1000)).abs() < 1e-9);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    /// The recorded search is the search itself: same value and counts, valid bounds, probabilities that sum to
    /// 1.
    #[test]
    fn recorded_values_hold(
        seed in any::<u64>(), size in 2..30u16, moves in 1..4usize, best in 1..4i32, depth in 0..6u32,
        most in prop_oneof![Just(1usize), 2..40usize, Just(99_999)]
    ) {
        let game = Casino::new(seed, size, moves, best);
        let opinion = Opinion { seed, spread: 150, slots: false };
        for method in DiceMethod::ALL {
            let tree = dice_tree(&game, &0, &opinion, depth, method, most, &NoMonitor).unwrap();
            let found = expectimax(&game, &0, &opinion, method, SearchLimits::depth(depth), &NoMonitor).unwrap();
            prop_assert_eq!(tree.branches[0].worth, found.value.map(|mean| (Bound::Exact, Worth::Mean(mean))));
            prop_assert_eq!(tree.counts, found.counters());
            prop_assert_eq!(tree.counts.nodes, tree.counts.static_evaluations + tree.counts.dynamic_evaluations);
            let cut = |fate: Fate| matches!(fate, Fate::CutOff(_));
            let entered = tree.branches.iter().filter(|branch| !branch.glance && !cut(branch.fate)).count();
            prop_assert_eq!(entered as u64 + tree.left_out(), tree.counts.nodes);
            for branch in &tree.branches {
                let truth = plain_expectiminimax(&game, &opinion, branch.pos, depth - branch.ply);
                match branch.worth {
                    None => prop_assert!(cut(branch.fate)),
                    Some((Bound::Exact, Worth::Mean(mean))) => prop_assert!((mean - truth).abs() < 1e-9),
                    Some((Bound::AtLeast, Worth::Mean(mean))) => prop_assert!(mean <= truth + 1e-9),
                    Some((Bound::AtMost, Worth::Mean(mean))) => prop_assert!(mean >= truth - 1e-9),
                    Some(other) => prop_assert!(false, "{:?}", other),
                }
                let below: Vec<_> = branch.children.iter().map(|&child| &tree.branches[child]).collect();
                prop_assert!(below.iter().all(|b| b.probability.is_some() == (branch.turn == Turn::Chance)));
                let whole = branch.left_out == 0 && branch.cut_left_out == 0 && !below.is_empty();
                if branch.turn == Turn::Chance && method == DiceMethod::Expectiminimax && whole {
                    let sum: f64 = below.iter().filter_map(|b| b.probability).sum();
                    prop_assert!((sum - 1.0).abs() < 1e-12, "{}", sum);
                }
            }
        }
    }
}

#[test]
fn pruning_at_dice_saves_work() {
    let [mut plain, mut star1, mut star2] = [0; 3];
    for seed in 0..60 {
        let game = Casino::new(seed, 60, 5, 1);
        let count =
            |method| expectimax(&game, &0, &Zero, method, SearchLimits::depth(8), &NoMonitor).unwrap();
        plain += count(DiceMethod::Expectiminimax).nodes;
        let found = count(DiceMethod::Star1);
        star1 += found.nodes;
        assert!(found.leaves < found.nodes || found.nodes == 1);
        star2 += count(DiceMethod::Star2).nodes;
    }
    assert!(star1 * 4 < plain * 3 && star2 < plain, "{plain} {star1} {star2}");
}

/// A real game: the same value by three methods, with less work for Star1 and Star2.
#[test]
fn star1_and_star2_save_work_on_einstein() {
    let game = Einstein::from_spec(Spec::parse("einstein:3x3").unwrap()).unwrap();
    let start = game.start().unwrap();
    for limits in [SearchLimits::depth(6), SearchLimits::depth(9)] {
        let run = |method| expectimax(&game, &start, &Zero, method, limits, &NoMonitor).unwrap();
        let plain = run(DiceMethod::Expectiminimax);
        let (star1, star2) = (run(DiceMethod::Star1), run(DiceMethod::Star2));
        for star in [&star1, &star2] {
            assert!((star.value.unwrap() - plain.value.unwrap()).abs() < 1e-9, "{star:?} {plain:?}");
            assert_eq!((star.exact, star.limit), (plain.exact, plain.limit));
            assert!(star.nodes < plain.nodes && star.leaves < plain.leaves, "{star:?} {plain:?}");
        }
    }
}

#[test]
fn limits_stop_expectimax() {
    let all = |game: &Casino| {
        expectimax(game, &0, &Zero, DiceMethod::Expectiminimax, SearchLimits::depth(8), &NoMonitor)
            .unwrap()
            .nodes
    };
    let game = (0..).map(|seed| Casino::new(seed, 60, 4, 1)).find(|game| all(game) > 200).unwrap();
    let found =
        expectimax(&game, &0, &Zero, DiceMethod::Expectiminimax, SearchLimits::nodes(100), &NoMonitor)
            .unwrap();
    assert_eq!((found.nodes, found.value, found.limit), (100, None, Some(Limit::Nodes)));
    assert!(!found.exact && found.best.is_none());
}

/// One roll decides: the first player wins with odds of 5 to 1.
#[test]
fn random_games_follow_the_dice() {
    let game = Casino {
        turns: Arc::new(vec![Turn::Chance; 3]),
        next: Arc::new(vec![vec![(1, 5.0 / 6.0), (2, 1.0 / 6.0)], vec![], vec![]]),
        paid: Arc::new(vec![0, 1, -1]),
        best: 1,
    };
    let played = playouts_with_dice(&game, &0, PlayoutOptions::games(60_000), &NoMonitor).unwrap();
    assert_eq!(played.games(), 60_000);
    assert!((played.mean() - 4.0 / 6.0).abs() < 0.02, "{played:?}");
}
