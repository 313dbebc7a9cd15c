//! Null-window (zero-window) driver: a sequence of yes/no searches that narrows the score.
//!
//! ```text
//!  low                     0                      high
//!   |------------|---------|------------|----------|
//!            second      later        first              "is the score above this?"
//! ```
//!
//! A bisection like MTD(bi) (Plaat, Schaeffer, Pijls and de Bruin 1996), skewed away from zero as in Pascal Pons'
//! solver. Fast wins and fast losses are cheap to find or to rule out, because the search depth is bounded; null
//! windows near a draw are the expensive ones. The cheap windows at both ends are therefore searched first, in turn,
//! and fill the transposition table for the expensive ones.

use crate::rules::{BoardRules, WIDE, check};
use crate::search::{ForcedResult, Position, Searcher};
use crate::share::{BusyTable, SearchContext, StopSignal};
use crate::table::{Bounds, TranspositionTable};
use crate::{ConnectError, board};
use outplay_core::{Counters, LineBoard, Turn, Value};
use outplay_index::Bits;
use outplay_runtime::{Deadline, Monitor};
use std::sync::atomic::AtomicU64;
use std::time::{Duration, Instant};

/// Limits of a search by the connect-k solver.
#[derive(Clone, Copy, Debug, Default)]
pub struct SolverLimits {
    /// Maximum number of nodes, exceeded by at most about a thousand per thread.
    pub nodes: Option<u64>,
    /// Maximum time.
    pub time: Option<Duration>,
}

/// Question that a search answers: win, draw or loss; the exact score; or a bound on it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Win, draw or loss.
    Verdict,
    /// The exact score.
    Score,
    /// Whether the score is at least this.
    AtLeast(i32),
}

/// Larger than every score.
const FAR: i32 = 1000;

impl Depth {
    /// Returns the window of interest: scores outside of it need not be distinguished.
    fn window(self) -> Bounds {
        match self {
            Depth::Verdict => Bounds { low: -1, high: 1 },
            Depth::Score => Bounds { low: -FAR, high: FAR },
            Depth::AtLeast(score) => {
                let score = score.clamp(-FAR, FAR);
                Bounds { low: score - 1, high: score }
            }
        }
    }
}

/// Bounds on the score of a position that a search has proven, with its statistics.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ScoreBounds {
    /// The score is at least this.
    pub low: i32,
    /// The score is at most this.
    pub high: i32,
    /// Positions entered.
    pub nodes: u64,
    /// Empty cells that can still be filled.
    pub left: u32,
    /// Whether a limit or the monitor ended the search before the result was complete.
    pub stopped: bool,
    /// Search statistics. Forced moves are not counted as nodes; every node has a choice of moves.
    pub counters: Counters,
}

impl ScoreBounds {
    /// The score, if it is known exactly: ±((cells − stones at the end) / 2 + 1), 0 for a draw, positive
    /// if the player to move wins.
    pub fn score(&self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// 1, 0 or −1 for a win, a draw or a loss, if that is known.
    pub fn verdict(&self) -> Option<i32> {
        (self.low.signum() == self.high.signum()).then_some(self.low.signum())
    }

    /// The score as a value with its distance, if it is known exactly.
    pub fn value(&self) -> Option<Value> {
        self.score().map(|score| value(score, self.left))
    }
}

/// Converts a score in a position with `left` empty cells into a value with its distance.
pub fn value(score: i32, left: u32) -> Value {
    let left = left as i32;
    match score {
        0 => Value::TIE,
        1.. => Value::win((2 * ((left + 1) / 2 - score + 1) - 1).max(0) as u32),
        _ => Value::loss((2 * (left / 2 + score + 1)).max(0) as u32),
    }
}

/// Exact connect-k solver with a transposition table that persists between calls.
///
/// # Examples
///
/// ```
/// use outplay_connect::{Depth, Solver, SolverLimits};
/// use outplay_core::{LineBoard};
/// use outplay_runtime::NoMonitor;
///
/// let mut board = LineBoard::empty(5, 4, 4);
/// board.gravity = true;
/// let answer = Solver::new(1 << 16).solve(&board, Depth::Score, SolverLimits::default(), &NoMonitor, 1)?;
/// assert_eq!(answer.score(), Some(0));
/// # Ok::<(), outplay_connect::ConnectError>(())
/// ```
pub struct Solver {
    entries: usize,
    table: Option<TranspositionTable>,
    /// The board, without stones, that the table belongs to.
    about: Option<LineBoard>,
}

impl Solver {
    /// Creates a solver whose table holds about `table_entries` positions, 8 bytes each (16 on boards of more
    /// than 64 bits). The memory is allocated by the first search.
    pub fn new(table_entries: usize) -> Solver {
        Solver { entries: table_entries, table: None, about: None }
    }

    /// Clears the transposition table. Results do not depend on its contents, only running times do.
    pub fn clear(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    /// Returns bounds on the score of a position for the player to move, as tight as `depth` asks for.
    ///
    /// A finished position is a loss (the opponent has a line) or a draw (the board is full).
    ///
    /// # Errors
    ///
    /// Boards that [`check`] rejects, or not enough memory for the table.
    pub fn solve(
        &mut self,
        board: &LineBoard,
        depth: Depth,
        limits: SolverLimits,
        monitor: &dyn Monitor,
        threads: usize,
    ) -> Result<ScoreBounds, ConnectError> {
        check(board)?;
        // The time limit includes allocating the table.
        let monitor = Deadline::new(limits.time, monitor);
        monitor.stage("searching", 0);
        let table = self.table_for(board)?;
        Ok(solve_with(table, board, depth, limits.nodes, &monitor, threads))
    }

    /// Returns the principal variation as columns (from 0), to the end of the game or to where a limit ended
    /// the search.
    ///
    /// # Errors
    ///
    /// Boards that [`check`] rejects, or not enough memory for the table.
    pub fn principal_variation(
        &mut self,
        board: &LineBoard,
        limits: SolverLimits,
        monitor: &dyn Monitor,
        threads: usize,
    ) -> Result<Vec<usize>, ConnectError> {
        let start = Instant::now();
        let rest = |nodes: u64| SolverLimits {
            nodes: limits.nodes.map(|most| most.saturating_sub(nodes)),
            time: limits.time.map(|most| most.saturating_sub(start.elapsed())),
        };
        let mut line = Vec::new();
        let answer = self.solve(board, Depth::Score, limits, monitor, threads)?;
        let (Some(mut score), mut nodes) = (answer.score(), answer.nodes) else { return Ok(line) };
        let mut board = board.clone();
        'plies: loop {
            // A best move is one after which the opponent's score is at most −score.
            for column in board::columns(&board) {
                let next = board::after(&board, column);
                let reply = self.solve(&next, Depth::AtLeast(1 - score), rest(nodes), monitor, threads)?;
                nodes += reply.nodes;
                if reply.stopped {
                    return Ok(line);
                }
                if reply.high <= -score {
                    line.push(column);
                    (board, score) = (next, -score);
                    continue 'plies;
                }
            }
            return Ok(line);
        }
    }

    /// Allocates the table for this board, which the first search does otherwise.
    ///
    /// # Errors
    ///
    /// Boards that [`check`] rejects, or not enough memory.
    pub fn prepare(&mut self, board: &LineBoard) -> Result<(), ConnectError> {
        check(board)?;
        self.table_for(board).map(|_| ())
    }

    /// Returns the table, cleared if it belonged to another board.
    fn table_for(&mut self, board: &LineBoard) -> Result<&TranspositionTable, ConnectError> {
        let (about, bits) = (board::without_stones(board), board::key_bits(board));
        let mut table = self.table.take().filter(|table| table.fits(bits));
        if self.about.as_ref() != Some(&about)
            && let Some(table) = &mut table
        {
            table.clear();
        }
        self.about = Some(about);
        let table = match table {
            Some(table) => table,
            None => TranspositionTable::new(self.entries, bits)?,
        };
        Ok(self.table.insert(table))
    }
}

/// Solves a board that passed [`check`], with a table that belongs to it.
pub(crate) fn solve_with(
    table: &TranspositionTable,
    board: &LineBoard,
    depth: Depth,
    nodes: Option<u64>,
    monitor: &dyn Monitor,
    threads: usize,
) -> ScoreBounds {
    let small = board::key_bits(board) <= 64;
    // A macro, because each arm is a monomorphisation of its own.
    macro_rules! run {
        ($bits:ty, $width:expr, $height:literal, $k:literal) => {
            RootSearch::<$bits, { $width }, $height, $k>::run(table, board, depth, nodes, monitor, threads)
        };
    }
    match (board.width, board.height, board.k) {
        (7, 6, 4) => run!(u64, 7, 6, 4),
        (8, 7, 4) => run!(u64, 8, 7, 4),
        (9, 5, 4) => run!(u64, 9, 5, 4),
        (4.., 5, 4) if small => run!(u64, WIDE, 5, 4),
        (4.., 6, 4) if small => run!(u64, WIDE, 6, 4),
        (_, _, 4) if small => run!(u64, 0, 0, 4),
        _ if small => run!(u64, 0, 0, 0),
        _ => run!(u128, 0, 0, 0),
    }
}

/// Nodes that one thread searches alone before helper threads start.
const ALONE: u64 = 20_000;

/// The search of one root position.
struct RootSearch<'a, B, const W: u32, const H: u32, const K: u32> {
    pos: Position<B>,
    key: B,
    searchers: Vec<Searcher<'a, B, W, H, K>>,
}

impl<'a, B: Bits, const W: u32, const H: u32, const K: u32> RootSearch<'a, B, W, H, K> {
    fn run(
        table: &TranspositionTable,
        board: &LineBoard,
        depth: Depth,
        nodes: Option<u64>,
        monitor: &dyn Monitor,
        threads: usize,
    ) -> ScoreBounds {
        let (rules, stones) = BoardRules::<B, W, H, K>::new(board);
        let left = (rules.board & !rules.filled(stones)).count();
        let (pos, same) = match Searcher::settle(&rules, stones) {
            ForcedResult::Score(score) => {
                let counters = Counters::default();
                return ScoreBounds { low: score, high: score, nodes: 0, left, stopped: false, counters };
            }
            ForcedResult::Choice(pos, same) => (pos, same),
        };
        let (signal, entered) = (StopSignal::default(), AtomicU64::new(0));
        let busy = (threads > 1).then(BusyTable::new);
        let shared = SearchContext {
            table,
            busy: busy.as_ref(),
            signal: &signal,
            nodes: &entered,
            node_limit: nodes.unwrap_or(u64::MAX),
            monitor,
        };
        let searchers = (0..threads.max(1)).map(|_| Searcher::new(&rules, &shared)).collect();
        let key = rules.key(pos.stones, rules.filled(pos.stones));
        let mut task = RootSearch { pos, key, searchers };
        let Bounds { low, high } = depth.window();
        let window = if same { Bounds { low, high } } else { Bounds { low: -high, high: -low } };
        let (Bounds { low, high }, stopped) = task.narrow(&shared, window);
        let counters = task.counters(left, board.turn);
        let (low, high) = if same { (low, high) } else { (-high, -low) };
        ScoreBounds { low, high, nodes: counters.nodes, left, stopped, counters }
    }

    /// Sums the statistics of all threads; `left` is the number of empty cells at the root, `turn` the player
    /// to move there.
    fn counters(&self, left: u32, turn: Turn) -> Counters {
        // Players alternate, so the parity of the empty cells gives the player to move.
        let of_second = ((left + u32::from(turn == Turn::First)) % 2) as usize;
        let mut counters = Counters::default();
        for searcher in &self.searchers {
            counters += Counters {
                nodes: searcher.nodes,
                dynamic_evaluations: searcher.nodes,
                alpha_cutoffs: searcher.cutoffs[of_second],
                beta_cutoffs: searcher.cutoffs[1 - of_second],
                table_hits: searcher.table_hits.get(),
                table_cutoffs: searcher.table_cutoffs,
                ..Counters::default()
            };
        }
        counters
    }

    /// Runs null-window searches until the score is known within the window, or the search is stopped.
    fn narrow(&mut self, shared: &SearchContext<'_>, window: Bounds) -> (Bounds, bool) {
        let mut known = Searcher::<B, W, H, K>::horizon(self.pos.left);
        // An earlier search may have been stopped while the table was growing.
        if !shared.table.grow(0, &|| shared.monitor.stopped()) {
            return (known, true);
        }
        if let Some(stored) = shared.table.probe(self.key) {
            known = Bounds { low: known.low.max(stored.low), high: known.high.min(stored.high) };
        }
        while known.low < known.high && known.low < window.high && known.high > window.low {
            let alpha = next_alpha(known).clamp(window.low, window.high - 1);
            let Some(score) = self.null_window(shared, alpha) else { return (known, true) };
            if score > alpha {
                known.low = known.low.max(score);
            } else {
                known.high = known.high.min(score);
            }
        }
        (known, false)
    }

    /// Runs one null-window search on all threads and returns a bound on the score; `None` if it was stopped.
    fn null_window(&mut self, shared: &SearchContext<'_>, alpha: i32) -> Option<i32> {
        let (pos, key) = (self.pos, self.key);
        let (main, helpers) = self.searchers.split_first_mut().expect("there is at least one searcher");
        shared.signal.reset();
        if !helpers.is_empty() && main.nodes < ALONE {
            // Most positions are solved in less time than starting a thread takes.
            main.budget = ALONE;
            let score = main.begin(&pos, key, alpha);
            main.budget = u64::MAX;
            if score.is_some() || shared.signal.gave_up() {
                return score;
            }
            shared.signal.reset();
        }
        if !helpers.is_empty() && !shared.table.spread(&|| shared.monitor.stopped()) {
            return None;
        }
        std::thread::scope(|scope| {
            let others: Vec<_> = helpers
                .iter_mut()
                .map(|helper| scope.spawn(move || helper.begin(&pos, key, alpha)))
                .collect();
            let mut score = main.begin(&pos, key, alpha);
            for other in others {
                // A panic in a helper is a bug in this crate and must not be hidden.
                score = score.or(other.join().expect("a search thread failed"));
            }
            score
        })
    }
}

/// Returns the next alpha: see the diagram above.
fn next_alpha(Bounds { low, high }: Bounds) -> i32 {
    let middle = (low + high).div_euclid(2);
    if middle <= 0 && low / 2 < middle {
        low / 2
    } else if middle >= 0 && high / 2 > middle {
        high / 2
    } else {
        middle
    }
}
