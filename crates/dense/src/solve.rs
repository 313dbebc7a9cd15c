//! Solving a board: forward for what is legal, backward for what it is worth.

use crate::counts::Counts;
use crate::dealt::Pile;
use crate::depot::Depot;
use crate::engine::Engine;
use crate::export::Sink;
use crate::lane::Level;
use crate::plan::Plan;
use crate::slabwise::Slabwise;
use crate::tight::LOW;
use crate::workshop::Workshop;
use crate::{DenseError, Field};
use outplay_core::{Crew, LineBoard, Value, Verdict, Watch};
use std::sync::Arc;

/// What is computed of each position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Values {
    /// Win, draw or loss.
    Wdl,
    /// The same with the exact distance in plies.
    Distance,
}

/// How to solve.
#[derive(Clone, Debug)]
pub struct Options {
    /// What to compute.
    pub values: Values,
    /// Whether to count legal positions.
    pub counts: bool,
    /// Threads, 0 for one per processor.
    pub threads: usize,
    /// Most bytes of memory, `None` for what the system has to give.
    pub memory: Option<u64>,
    /// Whether to work slab by slab if the planes do not fit in memory, which takes a depot.
    pub slabs: bool,
    /// Where slabs wait.
    pub depot: Option<Arc<dyn Depot>>,
    /// Processes that solve the board together, slab by slab; each calls [`solve`] with the same options, a depot of its
    /// own or none, and a sink that takes its share of the slots.
    pub crew: Option<Arc<dyn Crew>>,
    /// Whether to use mirror symmetry where the board has it.
    pub mirror: bool,
    /// The instructions to use, `None` for the best that the machine has.
    pub level: Option<Level>,
    /// Low variables of a block, at most 12; tests make it small to exercise large boards' code.
    #[doc(hidden)]
    pub low: usize,
    /// Works slab by slab with slabs of so many bytes, whatever the memory; for tests.
    #[doc(hidden)]
    pub slab_bytes: Option<u64>,
}

impl Default for Options {
    fn default() -> Options {
        Options {
            values: Values::Distance,
            counts: false,
            threads: 0,
            memory: None,
            slabs: false,
            depot: None,
            crew: None,
            mirror: true,
            level: None,
            low: LOW,
            slab_bytes: None,
        }
    }
}

impl Options {
    /// Exact distances on all processors.
    pub fn distance() -> Options {
        Options::default()
    }

    /// Win, draw or loss on all processors.
    pub fn wdl() -> Options {
        Options { values: Values::Wdl, ..Options::default() }
    }

    /// The same with legal positions counted.
    pub fn with_counts(self) -> Options {
        Options { counts: true, ..self }
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// What a solve found out.
#[derive(Clone, Debug)]
pub struct Solution {
    /// What the start position is worth to the player to move.
    pub verdict: Verdict,
    /// The same with the distance; `None` when only win/draw/loss was computed and the position is no tie.
    pub value: Option<Value>,
    /// The cells of the best first moves, ascending; all moves that keep the value and, with distances,
    /// the distance.
    pub best: Vec<usize>,
    /// Legal positions, if they were asked for.
    pub counts: Option<Counts>,
    /// What was planned.
    pub plan: Plan,
    /// How the work was shared, where several processes did it.
    pub balance: Option<Balance>,
}

/// How work was shared among processes.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    /// By rank: seconds that it computed, neither waiting for slabs nor for others.
    pub busy: Vec<f64>,
    /// Bytes of slabs that went from one rank to another.
    pub moved: u64,
}

impl Balance {
    /// By how much the busiest rank worked longer than the average, as a share of the average.
    pub fn imbalance(&self) -> f64 {
        let mean = self.busy.iter().sum::<f64>() / self.busy.len().max(1) as f64;
        let most = self.busy.iter().copied().fold(0.0, f64::max);
        if mean > 0.0 { most / mean - 1.0 } else { 0.0 }
    }
}

/// Solves a board: its value, its best moves, the counts that were asked for, and every position's value
/// for the sink.
///
/// # Errors
///
/// [`DenseError`] if the board is too large for the memory allowed, the watch asks to stop, or the sink or
/// the depot fails.
///
/// # Examples
///
/// ```
/// use outplay_core::{LineBoard, Quiet, Verdict};
/// use outplay_dense::{Options, solve};
///
/// let board = LineBoard::empty(3, 3, 3);
/// let solution = solve(&board, &Options::distance().with_counts(), &Quiet, None)?;
/// assert_eq!(solution.verdict, Verdict::Draw);
/// assert_eq!(solution.counts.map(|counts| counts.total().legal), Some(5478));
/// # Ok::<(), outplay_dense::DenseError>(())
/// ```
pub fn solve(
    board: &LineBoard,
    options: &Options,
    watch: &dyn Watch,
    sink: Option<&dyn Sink>,
) -> Result<Solution, DenseError> {
    let field = Field::new(board, options.mirror, options.low)?;
    let plan = Plan::fitting(&field, options, sink.is_some(), false, watch)?;
    // Ranks without a disk keep their slabs in memory.
    let pile = || Arc::new(Pile::default()) as Arc<dyn Depot>;
    let depot = options.depot.clone().or_else(|| options.crew.as_ref().map(|_| pile()));
    match (&plan.cut, depot) {
        (Some(cut), Some(depot)) => {
            let shop = Workshop::new(field, options, plan.threads, watch)?;
            let (cut, bytes) = (cut.clone(), plan.plane_bytes);
            Slabwise::new(shop, plan, depot, options, &cut, bytes)?.run(watch, sink)
        }
        (Some(_), None) => Err(DenseError::Depot { why: "there is no place for slabs to wait at".into() }),
        (None, _) => Engine::new(field, options, plan, false, watch)?.run(watch, sink),
    }
}
