//! Asks the two questions that decide a board and puts the answers together.
//!
//! ```text
//!  can the player to move win?   can the other player win?   value
//!  yes                           -                           win
//!  no                            yes                         loss
//!  no                            no                          draw
//! ```
//!
//! On a board without stones and obstacles the second question needs no search: the other player cannot
//! win, because the player to move could play the same strategy with a stone ahead.

use crate::budget::Budget;
use crate::cells::Cells;
use crate::extract::Extract;
use crate::field::{Field, inverse};
use crate::fours::{Spot, completions};
use crate::script::{Ground, Proof, Step};
use crate::strong::{Strong, THREATS, Why};
use crate::weak::NO_MOVE;
use outplay_core::{Content, Deadline, LineBoard, Quiet, Turn, Verdict, Watch};
use std::time::{Duration, Instant};
use thiserror::Error;

/// When to give up, and what to bring back.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Positions looked at.
    pub positions: u64,
    /// Wall time, the writing of a proof included.
    pub time: Option<Duration>,
    /// Bytes of the tables, approximately.
    pub bytes: u64,
    /// Whether to bring back a [`Proof`].
    pub proof: bool,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { positions: u64::MAX, time: None, bytes: 4 << 30, proof: false }
    }
}

/// What is known about a board, for the player to move.
#[derive(Clone, Debug)]
pub struct Answer {
    /// The value is at least this.
    pub low: Verdict,
    /// The value is at most this.
    pub high: Verdict,
    /// A cell to play on that keeps the value, where the search knows one: a win always has one; a draw by
    /// strategy stealing or by blocking alone names none.
    pub best: Option<usize>,
    /// Positions looked at.
    pub positions: u64,
    /// Wall time.
    pub time: Duration,
    /// The strategies that prove it, if they were asked for and the value is known.
    pub proof: Option<Proof>,
}

impl Answer {
    /// The value, or `None` if a limit came first.
    pub fn verdict(&self) -> Option<Verdict> {
        (self.low == self.high).then_some(self.low)
    }
}

/// Why a board cannot be asked about.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum ProveError {
    /// Stones fall.
    #[error("the proof search is for boards without gravity")]
    Gravity,
    /// Completing a line loses.
    #[error("the proof search is for boards where k in a row wins; use a table method for misère")]
    Misere,
    /// Too many cells.
    #[error("the proof search takes at most {most} cells and this board has {cells}; use a smaller board")]
    Large {
        /// Cells of the board.
        cells: usize,
        /// Cells it may have.
        most: usize,
    },
    /// Something about the board is impossible.
    #[error("the board is malformed: {0}")]
    Malformed(&'static str),
}

/// The most cells a board may have.
pub const MOST_CELLS: usize = Cells::<6>::ROOM;

/// Finds the value of a board for the player to move.
///
/// # Errors
///
/// One sentence for boards of another kind: gravity, misère, more than [`MOST_CELLS`] cells.
///
/// # Examples
///
/// ```
/// use outplay_core::{LineBoard, Quiet, Verdict};
/// use outplay_proof::{Limits, prove};
///
/// let answer = prove(&LineBoard::empty(7, 7, 6), &Limits::default(), &Quiet)?;
/// assert_eq!(answer.verdict(), Some(Verdict::Draw));
/// # Ok::<(), outplay_proof::ProveError>(())
/// ```
pub fn prove(board: &LineBoard, limits: &Limits, watch: &dyn Watch) -> Result<Answer, ProveError> {
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
        return Err(ProveError::Malformed("the number of cells is not width times height"));
    }
    if board.turn == Turn::Chance {
        return Err(ProveError::Malformed("it is chance's turn, but a player must move"));
    }
    match board.cells.len() {
        0..=64 => run::<1>(board, limits, watch),
        65..=128 => run::<2>(board, limits, watch),
        129..=MOST_CELLS => run::<6>(board, limits, watch),
        cells => Err(ProveError::Large { cells, most: MOST_CELLS }),
    }
}

/// The most moves without a threat pending that an attack begins with; with more it is hardly an attack.
const QUIET: usize = 3;

/// One question: the attacker's view of the board, and the answer so far.
struct Question<'a, const W: usize> {
    spot: Spot<W>,
    /// Whether the attacker is the player to move.
    moves: bool,
    search: Strong<'a, W>,
    wins: Option<bool>,
}

impl<'a, const W: usize> Question<'a, W> {
    fn new(field: &'a Field<W>, spot: Spot<W>, moves: bool) -> Self {
        Question { spot, moves, search: Strong::new(field), wins: None }
    }

    /// Asks in three ways in turn, each time with more patience, because any of them can be much easier
    /// than the others: an attack that never lets go, the whole game, and blocking alone. In the long run
    /// the time goes to the whole game, which contains the other two.
    fn ask(&mut self, budget: &mut Budget<'_>) {
        let mut patience = 5_000;
        let mut quiet = 1;
        while self.wins.is_none() && !budget.spent() {
            let mut attack = Strong::new(self.search.field);
            attack.pressing = Some(self.spot.attacker.count() + quiet + usize::from(self.moves));
            // A look of an attack costs more than one of the whole game, and one in a few is enough.
            let outside = budget.enter(2_000 + patience / 4);
            self.wins = attack.ask(self.spot, self.moves, budget);
            budget.leave(outside);
            if self.wins.is_some() {
                std::mem::replace(&mut self.search, attack).discard();
                break;
            }
            attack.discard();
            let outside = budget.enter(patience);
            self.wins = self.search.ask(self.spot, self.moves, budget);
            budget.leave(outside);
            if self.wins.is_none() {
                let outside = budget.enter((8 * patience).min(600_000));
                self.search.ponder(self.spot, self.moves, budget);
                budget.leave(outside);
            }
            patience *= 4;
            quiet = quiet % QUIET + 1;
        }
    }

    /// What the player to move should do, as far as this question tells: win if it is the attacker, hold if it
    /// is not.
    fn best(&mut self, budget: &mut Budget<'_>) -> Option<usize> {
        let child = self.search.child(NO_MOVE, self.spot, self.moves);
        let entry = *self.search.table.get(&child.key)?;
        let spot = child.key.spot;
        let cell = match (entry.why, self.wins? == self.moves) {
            (Why::Move(mv), true) => mv.into(),
            (Why::Threats, true) => (*self.search.fours.find(spot, THREATS, budget)?.first()?).into(),
            (Why::Rules, true) if self.moves => {
                let cells = completions(self.search.field, spot.attacker, spot.empty);
                (!cells.is_none()).then(|| cells.first())?
            }
            _ => return None,
        };
        Some(self.search.field.map_cell(inverse(child.symmetry), cell))
    }

    /// Appends the strategy to the steps.
    fn extract(&mut self, steps: &mut Vec<Step>, budget: &mut Budget<'_>) -> Option<Ground> {
        let wins = self.wins?;
        let child = self.search.child(NO_MOVE, self.spot, self.moves);
        Extract::new(&mut self.search, steps, budget).root(&child, wins).map(Ground::Step)
    }
}

fn run<const W: usize>(board: &LineBoard, limits: &Limits, watch: &dyn Watch) -> Result<Answer, ProveError> {
    let begun = Instant::now();
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
        Ok(Answer { low: verdict, high: verdict, best: None, positions: 0, time: begun.elapsed(), proof })
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
    let field: Field<W> = Field::new(board);
    let spot = Spot {
        attacker: set(content(board.turn)),
        defender: set(content(other)),
        empty: set(Content::Empty),
    };
    // The clock of the first question leaves time for the second one, where it needs a search.
    let timed = |part: u32| {
        let time = limits.time.map(|time| time.saturating_mul(part) / 2);
        Deadline::until(time.and_then(|time| begun.checked_add(time)), watch)
    };
    let shares = if bare { 2 } else { 1 };
    let (first_watch, watch) = (timed(shares), timed(2));
    let room = limits.bytes / u64::from(3 - shares) / Strong::<W>::bytes_per_look();
    let lines = field.lines.len();

    watch.stage("Can the player to move win?", 0);
    let mut first = Question::new(&field, spot, true);
    let most = limits.positions / if bare { 1 } else { 2 };
    let mut spending = Budget::new(&first_watch, most.min(room), lines);
    first.ask(&mut spending);
    let mut positions = spending.looks;

    let mut second = Question::new(&field, spot.flipped(), false);
    if first.wins != Some(true) && !bare {
        watch.stage("Can the other player win?", 0);
        let most = limits.positions.saturating_sub(positions);
        let mut spending = Budget::new(&watch, most.min(room), lines);
        second.ask(&mut spending);
        positions += spending.looks;
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
        watch.stage("Writing the proof", 0);
        let mut steps = Vec::new();
        let mut spending = Budget::new(&watch, room, lines);
        let grounds = match low {
            Verdict::Win => {
                first.extract(&mut steps, &mut spending).map(|ground| vec![(board.turn, true, ground)])
            }
            Verdict::Loss => {
                second.extract(&mut steps, &mut spending).map(|ground| vec![(other, true, ground)])
            }
            Verdict::Draw => {
                let theirs = first.extract(&mut steps, &mut spending);
                let ours =
                    if bare { Some(Ground::Stealing) } else { second.extract(&mut steps, &mut spending) };
                theirs.zip(ours).map(|(theirs, ours)| vec![(board.turn, false, ours), (other, false, theirs)])
            }
        };
        positions += spending.looks;
        proof = grounds.map(|grounds| {
            let mut proof = Proof { board: board.clone(), claim: low, grounds, steps };
            proof.tidy();
            proof
        });
    }
    // The list of threats that decided is found again in a moment, and a result without its move is worth little.
    let mut spending = Budget::new(&Quiet, u64::MAX, lines);
    let best = match low {
        Verdict::Win => first.best(&mut spending),
        Verdict::Draw if low == high => second.best(&mut spending),
        _ => None,
    };
    first.search.discard();
    second.search.discard();
    Ok(Answer { low, high, best, positions, time: begun.elapsed(), proof })
}
