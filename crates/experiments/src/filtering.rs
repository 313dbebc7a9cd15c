//! `filtering`: error filtering and minimax pathology (Pearl 1983): does a deeper search reduce evaluation errors?
//!
//! Moore's lecture on playing and solving games gives this as its second reason for deeper search: a search combines
//! thousands of evaluations and should cancel their noise. To isolate that effect, evaluations are synthetic: a
//! position gets its exact value, or, with the same probability everywhere, a wrong value. Deeper leaves are thus
//! evaluated no better than shallow ones, and any gain or loss of a deeper search is due to filtering alone. Pearl
//! proved that errors grow towards the root in trees with independent leaf values. In games, the values of neighbouring
//! leaves are correlated, so the trees are treated in three ways:
//!
//! ```text
//!   alone       finished positions have the same noise as others
//!   with ends   finished positions are evaluated exactly, as in every search
//!   shuffled    the same tree, its deepest leaves permuted: values of neighbours are independent, as in Pearl's trees
//! ```

use crate::lesson::lessons;
use crate::plot::{Lines, Series};
use crate::sample::{Sample, percent, percent_point};
use crate::{Bench, Findings, Grid};
use outplay_arena::seed::part;
use outplay_core::{AnyPosition, Game, Turn};
use outplay_players::PlayerContext;
use outplay_runtime::Deadline;
use outplay_workbench::Trouble;
use rand::rngs::SmallRng;
use rand::seq::SliceRandom;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};

/// Error probabilities of the evaluation.
const ERRORS: [f64; 3] = [0.05, 0.1, 0.2];
/// Number of noise samples per position.
const DEALS: u64 = 5;

/// The treatment of a tree.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Alone,
    WithEnds,
    Shuffled,
}

const KINDS: [(Kind, &str); 3] = [
    (Kind::Alone, "filtering alone"),
    (Kind::WithEnds, "ends are known"),
    (Kind::Shuffled, "leaves shuffled"),
];

/// A node of a tree.
#[derive(Clone)]
struct Node {
    /// The indices of its children; empty at the deepest ply and at finished positions.
    children: std::ops::Range<usize>,
    finished: bool,
    /// Hash of the position.
    key: u64,
}

/// The game tree below a position down to a depth, ply by ply.
struct PlyTree {
    nodes: Vec<Node>,
    /// The exact payoff for the player to move at each node.
    worth: Vec<i8>,
    /// The first node of each ply.
    plies: Vec<usize>,
}

impl PlyTree {
    /// # Errors
    ///
    /// A stop, or a failing source of exact values.
    fn new(
        bench: &Bench<'_>,
        kit: &PlayerContext,
        root: &AnyPosition,
        depth: u32,
    ) -> Result<Option<PlyTree>, Trouble> {
        let truth = kit.truth.clone().ok_or_else(|| Trouble::unable("exact values are needed"))?;
        let quiet = Deadline::new(None, bench.watch).silent();
        let mut positions = vec![root.clone()];
        let (mut nodes, mut worth): (Vec<Node>, Vec<i8>) = (Vec::new(), Vec::new());
        let mut plies = vec![0];
        let mut from = 0;
        for ply in 0..=depth {
            let to = positions.len();
            for place in from..to {
                let pos = positions[place].clone();
                let outcome = kit.game.outcome(&pos);
                let begin = positions.len();
                if outcome.is_none() && ply < depth {
                    let next: Vec<AnyPosition> =
                        kit.game.list(&pos).map(|mv| kit.game.play(&pos, mv)).collect();
                    positions.extend(next);
                }
                let exact = match outcome {
                    Some(payoff) => kit.game.turn(&pos).sees(payoff),
                    None if ply == depth => match truth.value(&pos, &quiet)? {
                        Some(merit) => merit.payoff() as i32,
                        None => return Ok(None),
                    },
                    None => 0,
                };
                let mut hasher = FxHasher::default();
                pos.hash(&mut hasher);
                let (children, finished) = (begin..positions.len(), outcome.is_some());
                nodes.push(Node { children, finished, key: hasher.finish() });
                worth.push(exact as i8);
            }
            bench.check_cancelled()?;
            from = to;
            plies.push(to);
        }
        let mut tree = PlyTree { nodes, worth, plies };
        tree.back_up();
        Ok(Some(tree))
    }

    /// Backs values up from the leaves.
    fn back_up(&mut self) {
        for place in (0..self.nodes.len()).rev() {
            // Turns alternate on boards, so a parent's value is the negated minimum of its children.
            let children = self.nodes[place].children.clone();
            if let Some(worst) = children.map(|child| self.worth[child]).min() {
                self.worth[place] = -worst;
            }
        }
    }

    /// The same tree with its deepest leaves permuted.
    fn shuffled(&self, deal: u64) -> PlyTree {
        let mut worth = self.worth.clone();
        let deepest = self.plies[self.plies.len() - 2];
        worth[deepest..].shuffle(&mut SmallRng::seed_from_u64(deal));
        let mut tree = PlyTree { nodes: self.nodes.clone(), worth, plies: self.plies.clone() };
        tree.back_up();
        tree
    }

    /// The probability that a search to `depth` with noise `error` chooses a right move at the root; ties are broken
    /// uniformly. `None` if every move is right.
    fn right(&self, depth: usize, error: f64, ends_known: bool, deal: u64) -> Option<f64> {
        let (begin, end) = (self.plies[depth], self.plies[depth + 1]);
        let mut looks = vec![0i8; end];
        for place in (0..end).rev() {
            let node = &self.nodes[place];
            looks[place] = if node.finished && ends_known {
                self.worth[place]
            } else if node.finished || place >= begin {
                noisy_value(self.worth[place], node.key, error, deal)
            } else {
                node.children.clone().map(|child| -looks[child]).max().unwrap_or(0)
            };
        }
        let moves = || self.nodes[0].children.clone();
        let best = moves().map(|child| -self.worth[child]).max()?;
        let liked = moves().map(|child| -looks[child]).max()?;
        let chosen = || moves().filter(|&child| -looks[child] == liked);
        let right = chosen().filter(|&child| -self.worth[child] == best).count() as f64;
        let choice = moves().any(|child| -self.worth[child] != best);
        choice.then(|| right / chosen().count() as f64)
    }
}

/// The noisy evaluation: the exact value, or with probability `error` one of the other two.
fn noisy_value(exact: i8, key: u64, error: f64, deal: u64) -> i8 {
    let mut rng = SmallRng::seed_from_u64(part(key, deal));
    if rng.random::<f64>() >= error {
        return exact;
    }
    let others: [i8; 2] = match exact {
        1.. => [0, -1],
        0 => [1, -1],
        _ => [0, 1],
    };
    others[usize::from(rng.random::<bool>())]
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let few = bench.games.is_some_and(|games| games < 10);
    let boards: &[&str] =
        if few { &["connect4:5x4"] } else { &["connect4:5x4", "connect4:5x5", "connect4:6x5"] };
    let deepest = if few {
        3
    } else if bench.full {
        5
    } else {
        4
    };
    let wanted = bench.games.unwrap_or(if bench.full { 100 } else { 30 }).max(2);
    let mut findings = Findings::new(format!(
        "{wanted} random positions a board and run with 8 to 15 stones and at least one move that throws something away, {}; \
         every position judged by its exact value, wrongly with a fixed probability, errors dealt {DEALS} times; 95 % bounds over positions",
        bench.seeds_phrase(1)
    ));
    let mut grid = Grid::new("share of choices that keep the value, by depth", &["board", "errors", "kind"]);
    grid.columns.extend((1..=deepest).map(|depth| format!("depth {depth}")));
    let (mut better, mut worse) = ([0; KINDS.len()], [0; KINDS.len()]);
    for board in boards {
        let kit = bench.kit(board)?;
        let mut trees = Vec::new();
        for seed in bench.seeds(1) {
            bench.watch.stage(board, u64::from(wanted));
            for lesson in lessons(bench, &kit, seed, wanted, 8..16)? {
                bench.watch.advance(1);
                if kit.game.turn(&lesson.pos) == Turn::Chance {
                    continue;
                }
                if let Some(tree) = PlyTree::new(bench, &kit, &lesson.pos, deepest)? {
                    let dealt: Vec<PlyTree> = (0..DEALS).map(|deal| tree.shuffled(deal)).collect();
                    trees.push((tree, dealt));
                }
            }
        }
        let mut series = Vec::new();
        for error in ERRORS {
            for (number, (kind, name)) in KINDS.into_iter().enumerate() {
                let mut row = vec![(*board).to_string(), format!("{:.0} %", 100.0 * error), name.to_string()];
                let mut line = Series::new(format!("{:.0} % errors, {name}", 100.0 * error));
                let mut last: Option<f64> = None;
                for depth in 1..=deepest {
                    bench.check_cancelled()?;
                    let mut shares = Sample::default();
                    for (tree, shuffled) in &trees {
                        let deals = (0..DEALS).zip(shuffled).filter_map(|(deal, shuffled)| {
                            let tree = if kind == Kind::Shuffled { shuffled } else { tree };
                            tree.right(depth as usize, error, kind == Kind::WithEnds, deal)
                        });
                        let deals: Vec<f64> = deals.collect();
                        if !deals.is_empty() {
                            shares.add(100.0 * deals.iter().sum::<f64>() / deals.len() as f64);
                        }
                    }
                    row.push(shares.text(percent));
                    line.points.extend(percent_point(&shares, f64::from(depth)));
                    if let (Some(last), Some(now)) = (last, shares.mean()) {
                        better[number] += u32::from(now > last);
                        worse[number] += u32::from(now < last);
                    }
                    last = shares.mean();
                }
                grid.row(row);
                if error == ERRORS[1] || few {
                    series.push(line);
                }
            }
        }
        let axes = ["depth, plies", "choices that keep the value, %"];
        findings.plot(Lines::new(format!("{board}: does searching filter errors?"), axes, series));
    }
    findings.tables.push(grid);
    for (number, (_, name)) in KINDS.iter().enumerate() {
        findings.remark(format!(
            "{name}: one ply more made the share of right choices larger {} times and smaller {} times.",
            better[number], worse[number]
        ));
    }
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_catalog::Catalog;
    use outplay_core::Notation;
    use outplay_runtime::NoMonitor;

    #[test]
    fn without_errors_every_depth_is_right() {
        let (catalog, session) = (Catalog::standard(), outplay_workbench::Session::default());
        let session = &session;
        let bench = Bench {
            catalog: &catalog,
            session,
            watch: &NoMonitor,
            seed: 1,
            full: false,
            games: None,
            runs: None,
        };
        let kit = bench.kit("connect4:4x4").unwrap();
        for lesson in lessons(&bench, &kit, 1, 5, 4..9).unwrap() {
            let tree = PlyTree::new(&bench, &kit, &lesson.pos, 4).unwrap().unwrap();
            assert_eq!(f64::from(tree.worth[0]), lesson.best, "{}", kit.game.write_position(&lesson.pos));
            // A permuted tree has the same leaves.
            let mut shuffled = tree.shuffled(1);
            let sum = |tree: &PlyTree| {
                tree.worth[tree.plies[4]..].iter().map(|worth| i32::from(*worth)).sum::<i32>()
            };
            assert_eq!(sum(&tree), sum(&shuffled));
            for depth in 1..=4 {
                assert_eq!(tree.right(depth, 0.0, false, 0), Some(1.0));
                assert!(shuffled.right(depth, 0.0, false, 1).is_none_or(|share| share == 1.0));
                // With nothing but errors a choice is rarely right; it stays a probability.
                assert!(tree.right(depth, 1.0, true, 0).is_some_and(|share| (0.0..=1.0).contains(&share)));
            }
            // If all leaves are equal, no move is wrong.
            shuffled.worth.iter_mut().for_each(|worth| *worth = 0);
            assert_eq!(shuffled.right(1, 0.5, true, 0), None);
        }
    }
}
