//! `filtering`: error filtering and minimax pathology (Pearl 1983): does a deeper search reduce evaluation errors?
//!
//! Moore's lecture on playing and solving games gives this as its second reason for deeper search: a search combines
//! thousands of evaluations and should cancel their noise. To isolate that effect, evaluations are synthetic: a
//! position gets its exact value, or, with the same probability everywhere, a wrong value. Deeper leaves are thus
//! evaluated no better than shallow ones, and any gain or loss of a deeper search is due to filtering alone. Pearl
//! proved that errors grow towards the root in trees with independent leaf values. In games, the values of neighbouring
//! leaves are correlated, so the trees are treated in three ways:
//!
//! Depths are compared on the same positions with the same errors, and the number of positions follows from a power
//! calculation for [`EFFECT`], stated before the run.
//!
//! ```text
//!   alone       finished positions have the same noise as others
//!   with ends   finished positions are evaluated exactly, as in every search
//!   shuffled    the same tree, its deepest leaves permuted: values and errors are independent, as in Pearl's trees
//! ```

use crate::design::{Purpose, Streams};
use crate::duel::opening;
use crate::plot::{Lines, Series};
use crate::sample::{Sample, percent, percent_point};
use crate::{Bench, Findings, Grid};
use outplay_arena::inference::{Conclusion, Difference, LEVEL, holm, sample_size};
use outplay_arena::seed::part;
use outplay_connect::{Depth, Solver, SolverLimits};
use outplay_core::{AnyGame, AnyPosition, Game, Notation};
use outplay_runtime::{Deadline, Monitor, threads};
use outplay_workbench::Trouble;
use rand::RngExt;
use rand::seq::SliceRandom;
use rustc_hash::{FxHashMap, FxHasher};
use std::collections::HashSet;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, PoisonError};

/// Error probabilities of the evaluation.
const ERRORS: [f64; 3] = [0.05, 0.1, 0.2];
/// Number of noise samples per position.
const DEALS: u64 = 40;
/// Random plies before a position.
const PLIES: std::ops::Range<u32> = 8..16;
/// The deepest search.
const DEEPEST: usize = 4;

/// The smallest difference between two depths that matters, in percentage points of right choices.
const EFFECT: f64 = 0.5;
/// Standard deviation of a position's difference between depths 4 and 1, in points: the largest of the three boards
/// with 10 % of errors and filtering alone, in a pilot run of 60 other positions a board (seed 1001, ten samples of
/// errors).
const DEVIATION: f64 = 18.3;
/// Hypotheses that are tested together: three boards, three errors, and three kinds of trees.
const HYPOTHESES: usize = BOARDS.len() * ERRORS.len() * KINDS.len();
/// The default sample size is for an effect of this many times [`EFFECT`]; `--full` has the planned one.
const COARSER: f64 = 2.0;

const BOARDS: [&str; 3] = ["connect4:5x4", "connect4:5x5", "connect4:6x5"];

/// Positions a board that find `effect` points with a power of 80 %, corrected for the number of hypotheses.
fn planned(effect: f64) -> u32 {
    sample_size(effect, DEVIATION, LEVEL / HYPOTHESES as f64) as u32
}

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

/// The error of the evaluation at a node: it occurs where the error probability is above `threshold`.
#[derive(Clone, Copy)]
struct NoiseDraw {
    threshold: f64,
    /// Which of the two wrong values.
    second: bool,
}

impl NoiseDraw {
    /// The evaluation of a position with this exact value.
    fn value(self, exact: i8, error: f64) -> i8 {
        if self.threshold >= error {
            return exact;
        }
        let others: [i8; 2] = match exact {
            1.. => [0, -1],
            0 => [1, -1],
            _ => [0, 1],
        };
        others[usize::from(self.second)]
    }
}

/// A board whose positions are solved one by one. The oracle of players would start each of the hundreds of thousands
/// of searches with an empty table.
struct SolvedBoard {
    game: AnyGame,
    /// Solvers that no thread uses.
    solvers: Mutex<Vec<Solver>>,
}

impl SolvedBoard {
    fn new(game: AnyGame) -> SolvedBoard {
        SolvedBoard { game, solvers: Mutex::default() }
    }

    fn take(&self) -> Solver {
        let idle = self.solvers.lock().unwrap_or_else(PoisonError::into_inner).pop();
        idle.unwrap_or_else(|| Solver::new(1 << 22))
    }

    fn put_back(&self, solver: Solver) {
        self.solvers.lock().unwrap_or_else(PoisonError::into_inner).push(solver);
    }

    /// The payoff of an unfinished position for the player to move.
    fn value(&self, solver: &mut Solver, pos: &AnyPosition, watch: &dyn Monitor) -> Result<i8, Trouble> {
        let none = || Trouble::unable("this experiment is for boards with gravity");
        let board = self.game.board(pos).ok_or_else(none)?;
        let quiet = Deadline::new(None, watch).silent();
        let found = solver.solve(&board, Depth::Verdict, SolverLimits::default(), &quiet, 1)?;
        Ok(found.verdict().ok_or_else(Trouble::stopped)? as i8)
    }
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
    /// Builds a tree with exact values.
    ///
    /// # Errors
    ///
    /// A stop, or a failing source of exact values.
    fn new(
        board: &SolvedBoard,
        root: &AnyPosition,
        depth: usize,
        watch: &dyn Monitor,
    ) -> Result<PlyTree, Trouble> {
        let game = &board.game;
        let mut solver = board.take();
        // Many lines of play lead to the same leaf.
        let mut known: FxHashMap<AnyPosition, i8> = FxHashMap::default();
        let mut positions = vec![root.clone()];
        let (mut nodes, mut worth): (Vec<Node>, Vec<i8>) = (Vec::new(), Vec::new());
        let mut plies = vec![0];
        let mut from = 0;
        for ply in 0..=depth {
            let to = positions.len();
            for place in from..to {
                let pos = positions[place].clone();
                let outcome = game.outcome(&pos);
                let begin = positions.len();
                if outcome.is_none() && ply < depth {
                    let next: Vec<AnyPosition> = game.list(&pos).map(|mv| game.play(&pos, mv)).collect();
                    positions.extend(next);
                }
                let exact = match outcome {
                    Some(payoff) => game.turn(&pos).sees(payoff) as i8,
                    None if ply == depth => match known.get(&pos) {
                        Some(payoff) => *payoff,
                        None => {
                            let payoff = board.value(&mut solver, &pos, watch)?;
                            known.insert(pos.clone(), payoff);
                            payoff
                        }
                    },
                    None => 0,
                };
                let mut hasher = FxHasher::default();
                pos.hash(&mut hasher);
                let (children, finished) = (begin..positions.len(), outcome.is_some());
                nodes.push(Node { children, finished, key: hasher.finish() });
                worth.push(exact);
            }
            if watch.stopped() {
                return Err(Trouble::stopped());
            }
            from = to;
            plies.push(to);
        }
        board.put_back(solver);
        let mut tree = PlyTree { nodes, worth, plies };
        tree.back_up();
        Ok(tree)
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
    fn shuffled(&self, streams: Streams) -> PlyTree {
        let mut worth = self.worth.clone();
        let deepest = self.plies[self.plies.len() - 2];
        worth[deepest..].shuffle(&mut streams.rng(Purpose::Leaves));
        let mut tree = PlyTree { nodes: self.nodes.clone(), worth, plies: self.plies.clone() };
        tree.back_up();
        tree
    }

    /// Errors of the evaluation at every node. The same position has the same error wherever it is in the tree, unless
    /// all errors are to be `independent`.
    fn noise(&self, streams: Streams, independent: bool) -> Vec<NoiseDraw> {
        let seed = streams.seed(Purpose::Noise);
        let draw = |(place, node): (usize, &Node)| {
            let bits = part(seed, if independent { place as u64 } else { node.key });
            // The upper 53 bits as a number from 0 to 1.
            NoiseDraw { threshold: (bits >> 11) as f64 / (1u64 << 53) as f64, second: bits & 1 == 1 }
        };
        self.nodes.iter().enumerate().map(draw).collect()
    }

    /// Whether some move at the root is wrong.
    fn has_choice(&self) -> bool {
        let mut moves = self.nodes[0].children.clone().map(|child| self.worth[child]);
        let first = moves.next();
        moves.any(|other| Some(other) != first)
    }

    /// The probability that a search to `depth` with noise `error` chooses a right move at the root; ties are broken
    /// uniformly. `None` if every move is right.
    fn right(&self, depth: usize, error: f64, ends_known: bool, noise: &[NoiseDraw]) -> Option<f64> {
        if !self.has_choice() {
            return None;
        }
        let (begin, end) = (self.plies[depth], self.plies[depth + 1]);
        let mut looks = vec![0i8; end];
        for place in (0..end).rev() {
            let node = &self.nodes[place];
            looks[place] = if node.finished && ends_known {
                self.worth[place]
            } else if node.finished || place >= begin {
                noise[place].value(self.worth[place], error)
            } else {
                node.children.clone().map(|child| -looks[child]).max().unwrap_or(0)
            };
        }
        let moves = || self.nodes[0].children.clone();
        let best = moves().map(|child| -self.worth[child]).max()?;
        let liked = moves().map(|child| -looks[child]).max()?;
        let chosen = || moves().filter(|&child| -looks[child] == liked);
        let right = chosen().filter(|&child| -self.worth[child] == best).count() as f64;
        Some(right / chosen().count() as f64)
    }
}

/// Percentages of right choices at a position by depth, for every error and kind of tree; `None` where every move is
/// right.
type Shares = Vec<Option<[f64; DEEPEST]>>;

/// A test position with the choices of every search.
struct TestPosition {
    name: String,
    shares: Shares,
}

/// The index of an error and a kind of tree.
fn row_index(error: usize, kind: usize) -> usize {
    error * KINDS.len() + kind
}

/// Chooses at a random position with every depth, error and kind of tree, averaged over [`DEALS`] samples of errors;
/// `None` if the game ends before, or no move is wrong.
fn measure(
    board: &SolvedBoard,
    streams: Streams,
    deepest: usize,
    watch: &dyn Monitor,
) -> Result<Option<TestPosition>, Trouble> {
    let plies = streams.rng(Purpose::Positions).random_range(PLIES);
    let Some(pos) = opening(&board.game, plies, streams.seed(Purpose::Opening)) else { return Ok(None) };
    let tree = PlyTree::new(board, &pos, deepest, watch)?;
    if !tree.has_choice() {
        return Ok(None);
    }
    let mut sums = vec![([0.0; DEEPEST], 0u32); ERRORS.len() * KINDS.len()];
    for deal in 0..DEALS {
        let streams = streams.part(deal);
        let (noise, independent) = (tree.noise(streams, false), tree.noise(streams, true));
        let shuffled = tree.shuffled(streams);
        for (number, error) in ERRORS.into_iter().enumerate() {
            for (place, (kind, _)) in KINDS.into_iter().enumerate() {
                let (tree, noise) = match kind {
                    Kind::Shuffled => (&shuffled, &independent),
                    _ => (&tree, &noise),
                };
                let (sum, count) = &mut sums[row_index(number, place)];
                let mut right = [0.0; DEEPEST];
                let mut known = true;
                for depth in 1..=deepest {
                    match tree.right(depth, error, kind == Kind::WithEnds, noise) {
                        Some(share) => right[depth - 1] = share,
                        None => known = false,
                    }
                }
                if known {
                    sum.iter_mut().zip(right).for_each(|(sum, share)| *sum += share);
                    *count += 1;
                }
            }
        }
    }
    let mean = |(sum, count): ([f64; DEEPEST], u32)| {
        (count > 0).then(|| sum.map(|sum| 100.0 * sum / f64::from(count)))
    };
    Ok(Some(TestPosition {
        name: board.game.write_position(&pos),
        shares: sums.into_iter().map(mean).collect(),
    }))
}

/// Measures `wanted` distinct positions of a board in each run. The positions do not depend on the number of threads.
fn survey(bench: &Bench<'_>, board: &str, wanted: u32, deepest: usize) -> Result<Vec<Shares>, Trouble> {
    /// Positions tried at a time.
    const BATCH: usize = 64;
    let solved = SolvedBoard::new(bench.kit(board)?.game);
    let mut all = Vec::new();
    let mut met = HashSet::new();
    for seed in bench.seeds(1) {
        bench.watch.stage(board, u64::from(wanted));
        let run = Streams::new(seed);
        let end = all.len() + wanted as usize;
        for batch in 0..100 * u64::from(wanted).div_ceil(BATCH as u64) {
            bench.check_cancelled()?;
            if all.len() >= end {
                break;
            }
            let first = batch * BATCH as u64;
            let attempt = |i: usize| measure(&solved, run.part(first + i as u64), deepest, bench.watch);
            for found in threads::map(BATCH, &attempt) {
                let Some(found) = found? else { continue };
                // Short random games often transpose.
                if all.len() < end && met.insert(found.name) {
                    all.push(found.shares);
                    bench.watch.advance(1);
                }
            }
        }
    }
    Ok(all)
}

/// A claim that the deepest search chooses better than the shallowest, on a board with an error probability.
struct DepthComparison {
    cells: [String; 3],
    kind: usize,
    difference: Difference,
}

/// Adds the table of paired differences, with conclusions corrected for the number of hypotheses.
fn conclude(comparisons: &[DepthComparison], deepest: usize, findings: &mut Findings) {
    let values: Vec<f64> = comparisons.iter().map(|comparison| comparison.difference.p_value()).collect();
    let adjusted = holm(&values);
    let mut grid = Grid::new(
        format!("depth {deepest} minus depth 1 on the same positions, in points"),
        &[
            "board",
            "errors",
            "kind",
            "positions",
            "difference (95 %)",
            "standard deviation",
            "p (Holm)",
            "deeper is better",
        ],
    );
    let mut counts = [[0usize; 3]; KINDS.len()];
    let mut worse = [0usize; KINDS.len()];
    for (DepthComparison { cells, kind, difference }, adjusted) in comparisons.iter().zip(adjusted) {
        let conclusion = difference.conclude(adjusted, comparisons.len(), EFFECT);
        let place = match conclusion {
            Conclusion::Supported => 0,
            Conclusion::Refuted => 1,
            Conclusion::NotDecided { .. } => 2,
        };
        counts[*kind][place] += 1;
        worse[*kind] += usize::from(adjusted < LEVEL && difference.mean < 0.0);
        let mut row = cells.to_vec();
        row.extend([
            difference.count.to_string(),
            format!("{:+.2} ({:+.2} to {:+.2})", difference.mean, difference.low, difference.high),
            format!("{:.1}", difference.deviation),
            if adjusted < 1e-4 { "< 0.0001".into() } else { format!("{adjusted:.4}") },
            conclusion.to_string(),
        ]);
        grid.row(row);
    }
    findings.tables.push(grid);
    for (kind, [supported, refuted, open]) in counts.into_iter().enumerate() {
        findings.remark(format!(
            "{}: that depth {deepest} chooses better than depth 1 is supported in {supported} rows, refuted in {refuted} (in {} because depth {deepest} is worse) and not decided in {open}.",
            KINDS[kind].1, worse[kind]
        ));
    }
    findings.remark("The rows of a board share their positions, so they are not independent, and their number is no evidence beyond that of each row.");
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let few = bench.games.is_some_and(|games| games < 10);
    let boards = &BOARDS[..if few { 1 } else { BOARDS.len() }];
    let deepest = if few { 3 } else { DEEPEST };
    let effect = if bench.full { EFFECT } else { COARSER * EFFECT };
    let wanted = bench.games.unwrap_or_else(|| planned(effect)).max(2);
    let mut findings = Findings::new(format!(
        "{wanted} random positions a board and run with 8 to 15 stones and at least one wrong move, {}; every position \
         evaluated by its exact value, wrongly with a fixed probability, {DEALS} samples of errors a position. A power \
         calculation asks for {} positions to find {EFFECT} points in one of {HYPOTHESES} hypotheses, and {} for {} points \
         (power 80 %, standard deviation {DEVIATION})",
        bench.seeds_phrase(1),
        planned(EFFECT),
        planned(COARSER * EFFECT),
        COARSER * EFFECT
    ));
    let mut grid = Grid::new("share of choices that keep the value, by depth", &["board", "errors", "kind"]);
    grid.columns.extend((1..=deepest).map(|depth| format!("depth {depth}")));
    let mut comparisons = Vec::new();
    for board in boards {
        let positions = survey(bench, board, wanted, deepest)?;
        let mut series = Vec::new();
        for (number, error) in ERRORS.into_iter().enumerate() {
            for (kind, (_, name)) in KINDS.into_iter().enumerate() {
                let cells = [(*board).to_string(), format!("{:.0} %", 100.0 * error), name.to_string()];
                let mut row = cells.to_vec();
                let mut line = Series::new(format!("{:.0} % errors, {name}", 100.0 * error));
                let shares: Vec<[f64; DEEPEST]> =
                    positions.iter().filter_map(|shares| shares[row_index(number, kind)]).collect();
                for depth in 1..=deepest {
                    let mut sample = Sample::default();
                    shares.iter().for_each(|shares| sample.add(shares[depth - 1]));
                    row.push(sample.text(percent));
                    line.points.extend(percent_point(&sample, depth as f64));
                }
                grid.row(row);
                if number == 1 || few {
                    series.push(line);
                }
                let differences: Vec<f64> =
                    shares.iter().map(|shares| shares[deepest - 1] - shares[0]).collect();
                let streams = Streams::new(bench.seed).part(comparisons.len() as u64);
                if let Some(difference) = Difference::of(&differences, &mut streams.rng(Purpose::Bootstrap)) {
                    comparisons.push(DepthComparison { cells, kind, difference });
                }
            }
        }
        let axes = ["depth, plies", "choices that keep the value, %"];
        findings.plot(Lines::new(format!("{board}: does searching filter errors?"), axes, series));
    }
    findings.tables.push(grid);
    conclude(&comparisons, deepest, &mut findings);
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lesson::lessons;
    use outplay_catalog::Catalog;
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
        let board = SolvedBoard::new(kit.game.clone());
        let streams = Streams::new(1);
        for lesson in lessons(&bench, &kit, 1, 5, 4..9).unwrap() {
            let tree = PlyTree::new(&board, &lesson.pos, 4, &NoMonitor).unwrap();
            // The same values as those of the players' oracle.
            assert_eq!(f64::from(tree.worth[0]), lesson.best, "{}", kit.game.write_position(&lesson.pos));
            assert!(tree.has_choice());
            // A permuted tree has the same leaves.
            let mut shuffled = tree.shuffled(streams);
            let sum = |tree: &PlyTree| {
                tree.worth[tree.plies[4]..].iter().map(|worth| i32::from(*worth)).sum::<i32>()
            };
            assert_eq!(sum(&tree), sum(&shuffled));
            let noise = tree.noise(streams, false);
            for depth in 1..=4 {
                assert_eq!(tree.right(depth, 0.0, false, &noise), Some(1.0));
                assert!(shuffled.right(depth, 0.0, false, &noise).is_none_or(|share| share == 1.0));
                // With nothing but errors a choice is rarely right; it stays a probability.
                let share = tree.right(depth, 1.0, true, &noise);
                assert!(share.is_some_and(|share| (0.0..=1.0).contains(&share)));
            }
            // If all leaves are equal, no move is wrong.
            shuffled.worth.iter_mut().for_each(|worth| *worth = 0);
            assert_eq!(shuffled.right(1, 0.5, true, &noise), None);
        }
    }

    /// Errors occur with their probability, in trees of different positions independently.
    #[test]
    fn errors_have_their_probability() {
        let (catalog, session) = (Catalog::standard(), outplay_workbench::Session::default());
        let kit = outplay_workbench::kit(&session, &catalog.open("connect4:5x4").unwrap());
        let board = SolvedBoard::new(kit.game.clone());
        let tree = PlyTree::new(&board, &kit.game.start().unwrap(), 4, &NoMonitor).unwrap();
        let run = Streams::new(1);
        let wrong = |streams: Streams| {
            let noise = tree.noise(streams, false);
            noise.iter().map(|draw| draw.value(0, 0.2) != 0).collect::<Vec<bool>>()
        };
        let (mut all, mut both, mut count) = (0, 0, 0);
        let mut before = wrong(run.part(0));
        for number in 1..200 {
            let now = wrong(run.part(number));
            count += now.len();
            all += now.iter().filter(|wrong| **wrong).count();
            both += now.iter().zip(&before).filter(|(now, before)| **now && **before).count();
            before = now;
        }
        let share = |part: usize| part as f64 / count as f64;
        assert!(
            (share(all) - 0.2).abs() < 0.005 && (share(both) - 0.04).abs() < 0.003,
            "{all} {both} {count}"
        );
    }

    #[test]
    fn sample_size_is_planned_for_half_a_point() {
        // Bonferroni: 5 % over 27 hypotheses leaves 3.11 standard errors, and a power of 80 % adds 0.84.
        let by_hand = ((3.113 + 0.8416) * DEVIATION / EFFECT).powi(2);
        assert!((f64::from(planned(EFFECT)) / by_hand - 1.0).abs() < 0.01, "{} {by_hand}", planned(EFFECT));
    }

    /// The positions of a run do not depend on how many are asked for.
    #[test]
    fn positions_depend_on_their_number_alone() {
        let (catalog, session) = (Catalog::standard(), outplay_workbench::Session::default());
        let bench = Bench {
            catalog: &catalog,
            session: &session,
            watch: &NoMonitor,
            seed: 1,
            full: false,
            games: None,
            runs: None,
        };
        let few = survey(&bench, "connect4:5x4", 3, 2).unwrap();
        let more = survey(&bench, "connect4:5x4", 6, 2).unwrap();
        assert_eq!((few.len(), more.len()), (3, 6));
        assert_eq!(few[..], more[..3]);
    }
}
