//! From a board to its score: the questions asked and their order.

use crate::ConnectError;
use crate::bits::Bits;
use crate::rules::{Rules, check};
use crate::search::{Searcher, Settled, Shared};
use crate::table::Table;
use outplay_core::{LineBoard, Watch};
use std::sync::atomic::{AtomicBool, AtomicU64};
use std::time::{Duration, Instant};

/// When to give up.
#[derive(Clone, Copy, Debug, Default)]
pub struct Limits {
    /// Positions to enter at most.
    pub nodes: Option<u64>,
    /// Time to spend at most.
    pub time: Option<Duration>,
}

/// How much to find out.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Depth {
    /// Win, draw or loss.
    Verdict,
    /// The exact score.
    Score,
}

/// What a search found.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Answer {
    /// The score is at least this.
    pub low: i32,
    /// The score is at most this.
    pub high: i32,
    /// Positions entered.
    pub nodes: u64,
    /// Whether a limit or the watcher ended the search early.
    pub stopped: bool,
}

impl Answer {
    /// The score, if it is known exactly.
    pub fn score(&self) -> Option<i32> {
        (self.low == self.high).then_some(self.low)
    }

    /// 1, 0 or −1 for a win, a draw or a loss, if that is known.
    pub fn verdict(&self) -> Option<i32> {
        (self.low.signum() == self.high.signum()).then_some(self.low.signum())
    }
}

/// Solves positions and remembers what it met on the way.
pub struct Solver {
    entries: usize,
    table: Option<Table>,
    /// The board the table is about, without stones.
    about: Option<LineBoard>,
}

impl Solver {
    /// A solver whose table has room for about `table_entries` positions.
    pub fn new(table_entries: usize) -> Solver {
        Solver { entries: table_entries, table: None, about: None }
    }

    /// Forgets what was learned.
    pub fn clear(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
    }

    /// The score of a position for the player to move.
    pub fn solve(
        &mut self,
        board: &LineBoard,
        depth: Depth,
        limits: Limits,
        watch: &dyn Watch,
        threads: usize,
    ) -> Result<Answer, ConnectError> {
        check(board)?;
        let bits = (board.width * (board.height + 1)) as u32;
        self.prepare(board, bits);
        let table = self.table.as_ref().unwrap();
        Ok(match (board.width, board.height, board.k) {
            (7, 6, 4) => run::<u64, 7, 6, 4>(table, board, depth, limits, watch, threads),
            (_, _, 4) if bits <= 64 => run::<u64, 0, 0, 4>(table, board, depth, limits, watch, threads),
            _ if bits <= 64 => run::<u64, 0, 0, 0>(table, board, depth, limits, watch, threads),
            _ => run::<u128, 0, 0, 0>(table, board, depth, limits, watch, threads),
        })
    }

    fn prepare(&mut self, board: &LineBoard, bits: u32) {
        let mut about = board.clone();
        for cell in 0..board.cells.len() {
            about.cells[cell] = if board.playable(cell) {
                outplay_core::Content::Empty
            } else {
                outplay_core::Content::Blocked
            };
        }
        about.turn = outplay_core::Turn::First;
        if self.about.as_ref() == Some(&about) {
            return;
        }
        match &mut self.table {
            Some(table) if table.fits(bits) => table.clear(),
            _ => self.table = Some(Table::new(self.entries, bits)),
        }
        self.about = Some(about);
    }
}

fn run<B: Bits, const W: u32, const H: u32, const K: u32>(
    table: &Table,
    board: &LineBoard,
    depth: Depth,
    limits: Limits,
    watch: &dyn Watch,
    threads: usize,
) -> Answer {
    let _ = threads;
    let (rules, stones) = Rules::<B, W, H, K>::new(board);
    let (stop, nodes) = (AtomicBool::new(false), AtomicU64::new(0));
    let shared = Shared {
        table,
        stop: &stop,
        nodes: &nodes,
        node_limit: limits.nodes.unwrap_or(u64::MAX),
        deadline: limits.time.map(|time| Instant::now() + time),
        watch,
    };
    let mut searcher = Searcher::new(&rules, &shared);
    let (pos, same) = match Searcher::settle(&rules, stones) {
        Settled::Score(score) => return Answer { low: score, high: score, nodes: 0, stopped: false },
        Settled::Choice(pos, same) => (pos, same),
    };
    let key = rules.key(pos.stones, rules.filled(pos.stones));
    let (mut low, mut high) = (-(pos.left / 2 - 1), (pos.left + 1) / 2 - 1);
    while low < high {
        if depth == Depth::Verdict && (low > 0 || high < 0) {
            break;
        }
        let mut alpha = (low + high).div_euclid(2);
        if depth == Depth::Verdict {
            alpha = if high > 0 { 0 } else { -1 };
        } else if alpha <= 0 && low / 2 < alpha {
            alpha = low / 2;
        } else if alpha >= 0 && high / 2 > alpha {
            alpha = high / 2;
        }
        let score = searcher.enter(&pos, key, alpha);
        if searcher.stopped {
            break;
        }
        if score > alpha {
            low = low.max(score);
        } else {
            high = high.min(score);
        }
    }
    searcher.poll();
    let (low, high) = if same { (low, high) } else { (-high, -low) };
    Answer { low, high, nodes: searcher.nodes, stopped: searcher.stopped && low != high }
}
