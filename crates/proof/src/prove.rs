//! Driver of the proof search: combines the searches for both players into a verdict.
//!
//! ```text
//!  can the player to move win?   can the opponent win?       value
//!  yes                           -                           win
//!  no                            yes                         loss
//!  no                            no                          draw
//! ```
//!
//! On a board without stones and obstacles the second question needs no search: by strategy stealing (Nash) the
//! opponent cannot win, since an extra stone never hurts.

use crate::budget::NodeBudget;
use crate::cells::Cells;
use crate::extract::ProofExtractor;
use crate::field::{BoardGeometry, inverse};
use crate::fours::{AttackPosition, completions};
use crate::script::{ClaimGround, Proof, ProofStep};
use crate::strong::{ProofReason, StrongSearch, THREATS};
use crate::weak::NO_MOVE;
use outplay_core::{Content, LineBoard, Turn, Verdict};
use outplay_runtime::{Deadline, Monitor, NoMonitor};
use std::time::{Duration, Instant};
use thiserror::Error;

/// Limits of a proof search, and whether it returns a proof.
#[derive(Clone, Copy, Debug)]
pub struct ProofLimits {
    /// Maximum number of nodes.
    pub positions: u64,
    /// Maximum wall time, writing a proof included.
    pub time: Option<Duration>,
    /// Approximate bytes of the tables.
    pub bytes: u64,
    /// Whether to return a [`Proof`].
    pub proof: bool,
}

impl Default for ProofLimits {
    fn default() -> ProofLimits {
        ProofLimits { positions: u64::MAX, time: None, bytes: 4 << 30, proof: false }
    }
}

/// Result of a proof search: bounds on the value of a board for the player to move, and the proof if requested.
#[derive(Clone, Debug)]
pub struct ProofResult {
    /// The value is at least this.
    pub low: Verdict,
    /// The value is at most this.
    pub high: Verdict,
    /// A move that keeps the value, where the search has one: a win always has one; a draw by strategy stealing
    /// or by blocking alone has none.
    pub best: Option<usize>,
    /// Nodes searched.
    pub positions: u64,
    /// Wall time.
    pub time: Duration,
    /// The strategies that prove the value, if requested and the value is known.
    pub proof: Option<Proof>,
}

impl ProofResult {
    /// The value, or `None` if a limit came first.
    pub fn verdict(&self) -> Option<Verdict> {
        (self.low == self.high).then_some(self.low)
    }
}

/// A board that the proof search does not support.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProveError {
    /// The board has gravity.
    #[error("the proof search supports only boards without gravity; use another method")]
    Gravity,
    /// Completing a line loses.
    #[error(
        "the proof search supports only boards on which k in a row wins; use `--method sweep` for misère boards"
    )]
    Misere,
    /// The board has too many cells.
    #[error(
        "the proof search supports at most {most} cells, but this board has {cells}; use a smaller board"
    )]
    Large {
        /// Cells of the board.
        cells: usize,
        /// Supported number of cells.
        most: usize,
    },
    /// The board is inconsistent.
    #[error("the board is malformed: {0}")]
    Malformed(&'static str),
}

/// Maximum number of cells of a board.
pub const MOST_CELLS: usize = Cells::<6>::ROOM;

/// Computes the value of a board for the player to move.
///
/// # Errors
///
/// Unsupported boards: gravity, misère, more than [`MOST_CELLS`] cells.
///
/// # Examples
///
/// ```
/// use outplay_core::{LineBoard, Verdict};
/// use outplay_runtime::NoMonitor;
/// use outplay_proof::{ProofLimits, prove};
///
/// let answer = prove(&LineBoard::empty(7, 7, 6), &ProofLimits::default(), &NoMonitor)?;
/// assert_eq!(answer.verdict(), Some(Verdict::Draw));
/// # Ok::<(), outplay_proof::ProveError>(())
/// ```
pub fn prove(
    board: &LineBoard,
    limits: &ProofLimits,
    monitor: &dyn Monitor,
) -> Result<ProofResult, ProveError> {
    if board.gravity {
        return Err(ProveError::Gravity);
    }
    if board.misere {
        return Err(ProveError::Misere);
    }
    if board.k == 0 {
        return Err(ProveError::Malformed("k is 0, but a line needs at least one cell"));
    }
    if board.cells.len() != board.width * board.height {
        return Err(ProveError::Malformed("the number of cells must be width times height"));
    }
    if board.turn == Turn::Chance {
        return Err(ProveError::Malformed("a chance node, but a player must be to move"));
    }
    match board.cells.len() {
        0..=64 => run::<1>(board, limits, monitor),
        65..=128 => run::<2>(board, limits, monitor),
        129..=MOST_CELLS => run::<6>(board, limits, monitor),
        cells => Err(ProveError::Large { cells, most: MOST_CELLS }),
    }
}

/// Maximum number of quiet moves with which a pressing attack begins.
const QUIET: usize = 3;

/// The search from one attacker's view, with its result.
struct AttackerSearch<'a, const W: usize> {
    pos: AttackPosition<W>,
    /// Whether the attacker is the player to move.
    moves: bool,
    search: StrongSearch<'a, W>,
    wins: Option<bool>,
}

impl<'a, const W: usize> AttackerSearch<'a, W> {
    fn new(geometry: &'a BoardGeometry<W>, pos: AttackPosition<W>, moves: bool) -> Self {
        AttackerSearch { pos, moves, search: StrongSearch::new(geometry), wins: None }
    }

    /// Runs three searches in turn with growing budgets, because any of them can be much easier than the
    /// others: an attack by continuous threats, the strong game, and the weak game. In the long run the time
    /// goes to the strong game, which contains the other two.
    fn solve(&mut self, budget: &mut NodeBudget<'_>) {
        let mut node_budget = 5_000;
        let mut quiet = 1;
        while self.wins.is_none() && !budget.spent() {
            let mut attack = StrongSearch::new(self.search.geometry);
            attack.pressing = Some(self.pos.attacker.count() + quiet + usize::from(self.moves));
            // A node of an attack costs more than one of the strong game, so the attack gets fewer.
            let outside = budget.enter(2_000 + node_budget / 4);
            self.wins = attack.solve(self.pos, self.moves, budget);
            budget.leave(outside);
            if self.wins.is_some() {
                std::mem::replace(&mut self.search, attack).discard();
                break;
            }
            attack.discard();
            let outside = budget.enter(node_budget);
            self.wins = self.search.solve(self.pos, self.moves, budget);
            budget.leave(outside);
            if self.wins.is_none() {
                let outside = budget.enter((8 * node_budget).min(600_000));
                self.search.search_weak_game(self.pos, self.moves, budget);
                budget.leave(outside);
            }
            node_budget *= 4;
            quiet = quiet % QUIET + 1;
        }
    }

    /// Returns the move that this search gives the player to move: a winning one if it is the attacker, a
    /// holding one if it is not.
    fn best(&mut self, budget: &mut NodeBudget<'_>) -> Option<usize> {
        let child = self.search.child(NO_MOVE, self.pos, self.moves);
        let entry = *self.search.table.get(&child.key)?;
        let pos = child.key.pos;
        let cell = match (entry.reason, self.wins? == self.moves) {
            (ProofReason::Move(mv), true) => mv.into(),
            (ProofReason::Threats, true) => (*self.search.fours.find(pos, THREATS, budget)?.first()?).into(),
            (ProofReason::Rules, true) if self.moves => {
                let cells = completions(self.search.geometry, pos.attacker, pos.empty);
                (!cells.is_none()).then(|| cells.first())?
            }
            _ => return None,
        };
        Some(self.search.geometry.map_cell(inverse(child.symmetry), cell))
    }

    /// Appends the strategy to the steps.
    fn extract(&mut self, steps: &mut Vec<ProofStep>, budget: &mut NodeBudget<'_>) -> Option<ClaimGround> {
        let wins = self.wins?;
        let child = self.search.child(NO_MOVE, self.pos, self.moves);
        ProofExtractor::new(&mut self.search, steps, budget).root(&child, wins).map(ClaimGround::Step)
    }
}

fn run<const W: usize>(
    board: &LineBoard,
    limits: &ProofLimits,
    monitor: &dyn Monitor,
) -> Result<ProofResult, ProveError> {
    let start = Instant::now();
    let other = board.turn.other();
    let content = |player| if player == Turn::First { Content::First } else { Content::Second };
    let (mine, theirs) = (board.has_line(content(board.turn)), board.has_line(content(other)));
    if mine && theirs {
        return Err(ProveError::Malformed("both players have completed a line"));
    }
    let bare = board.cells.iter().all(|&cell| cell == Content::Empty);
    let over = |verdict| {
        let proof = Proof { board: board.clone(), claim: verdict, grounds: Vec::new(), steps: Vec::new() };
        let proof = limits.proof.then_some(proof);
        Ok(ProofResult {
            low: verdict,
            high: verdict,
            best: None,
            positions: 0,
            time: start.elapsed(),
            proof,
        })
    };
    if mine {
        return over(Verdict::Win);
    }
    if theirs {
        return over(Verdict::Loss);
    }
    let set = |content| -> Cells<W> {
        (0..board.cells.len()).filter(|&cell| board.cells[cell] == content).collect()
    };
    let geometry: BoardGeometry<W> = BoardGeometry::new(board);
    let pos = AttackPosition {
        attacker: set(content(board.turn)),
        defender: set(content(other)),
        empty: set(Content::Empty),
    };
    // The first search leaves time for the second one, where that is needed.
    let timed = |part: u32| {
        let time = limits.time.map(|time| time.saturating_mul(part) / 2);
        Deadline::until(time.and_then(|time| start.checked_add(time)), monitor)
    };
    let shares = if bare { 2 } else { 1 };
    let (first_monitor, monitor) = (timed(shares), timed(2));
    let room = limits.bytes / u64::from(3 - shares) / StrongSearch::<W>::bytes_per_node();
    let lines = geometry.lines.len();

    monitor.stage("Can the player to move win?", 0);
    let mut first = AttackerSearch::new(&geometry, pos, true);
    let most = limits.positions / if bare { 1 } else { 2 };
    let mut budget = NodeBudget::new(&first_monitor, most.min(room), lines);
    first.solve(&mut budget);
    let mut positions = budget.nodes;

    let mut second = AttackerSearch::new(&geometry, pos.flipped(), false);
    if first.wins != Some(true) && !bare {
        monitor.stage("Can the other player win?", 0);
        let most = limits.positions.saturating_sub(positions);
        let mut budget = NodeBudget::new(&monitor, most.min(room), lines);
        second.solve(&mut budget);
        positions += budget.nodes;
    }
    let high = match (first.wins, second.wins) {
        (_, Some(true)) => Verdict::Loss,
        (Some(false), _) => Verdict::Draw,
        _ => Verdict::Win,
    };
    let low = match (first.wins, second.wins) {
        (Some(true), _) => Verdict::Win,
        (_, Some(false)) => Verdict::Draw,
        _ if bare => Verdict::Draw,
        _ => Verdict::Loss,
    };
    let mut proof = None;
    if limits.proof && low == high {
        monitor.stage("Writing the proof", 0);
        let mut steps = Vec::new();
        let mut budget = NodeBudget::new(&monitor, room, lines);
        let grounds = match low {
            Verdict::Win => {
                first.extract(&mut steps, &mut budget).map(|ground| vec![(board.turn, true, ground)])
            }
            Verdict::Loss => {
                second.extract(&mut steps, &mut budget).map(|ground| vec![(other, true, ground)])
            }
            Verdict::Draw => {
                let theirs = first.extract(&mut steps, &mut budget);
                let ours =
                    if bare { Some(ClaimGround::Stealing) } else { second.extract(&mut steps, &mut budget) };
                theirs.zip(ours).map(|(theirs, ours)| vec![(board.turn, false, ours), (other, false, theirs)])
            }
        };
        positions += budget.nodes;
        proof = grounds.map(|grounds| {
            let mut proof = Proof { board: board.clone(), claim: low, grounds, steps };
            proof.tidy();
            proof
        });
    }
    // Finding the deciding VCF again is cheap, and a result without its move is of little use.
    let mut budget = NodeBudget::new(&NoMonitor, u64::MAX, lines);
    let best = match low {
        Verdict::Win => first.best(&mut budget),
        Verdict::Draw if low == high => second.best(&mut budget),
        _ => None,
    };
    first.search.discard();
    second.search.discard();
    Ok(ProofResult { low, high, best, positions, time: start.elapsed(), proof })
}
