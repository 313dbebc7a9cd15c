//! Entry point of the bit-plane solver: a forward pass for reachability, then a backward pass for values.
//!
//! The plan decides between the in-memory and the out-of-core solver. In memory, the forward pass runs only if
//! positions are counted or exported.

use crate::context::Context;
use crate::counts::Counts;
use crate::distributed::MemoryStore;
use crate::engine::MemorySolver;
use crate::export::Sink;
use crate::lane::Level;
use crate::plan::Plan;
use crate::slab_store::SlabStore;
use crate::slabwise::SlabSolver;
use crate::tight::LOW;
use crate::{BoardGeometry, DenseError};
use outplay_core::{LineBoard, Value, Verdict};
use outplay_runtime::{Communicator, Monitor};
use std::sync::Arc;

/// Kind of value computed for each position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PlaneValues {
    /// Win, draw or loss.
    Wdl,
    /// The same with the exact distance in plies.
    Distance,
}

/// Options of a solve by bit-planes.
#[derive(Clone, Debug)]
pub struct BitplaneOptions {
    /// Kind of values.
    pub values: PlaneValues,
    /// Whether to count legal positions.
    pub counts: bool,
    /// Number of threads, 0 for one per processor.
    pub threads: usize,
    /// Memory limit in bytes, `None` for the available memory.
    pub memory: Option<u64>,
    /// Whether to solve out of core, slab by slab, if the planes do not fit in memory; this requires a slab store.
    pub slabs: bool,
    /// Store of slabs.
    pub depot: Option<Arc<dyn SlabStore>>,
    /// Communicator of the ranks that solve the board together, slab by slab. Each calls [`solve`] with the same
    /// options, a slab store of its own or none, and a sink that receives its share of the slots.
    pub crew: Option<Arc<dyn Communicator>>,
    /// Whether to use mirror symmetry where the board has it.
    pub mirror: bool,
    /// Instruction set, `None` for the best that the machine supports.
    pub level: Option<Level>,
    /// Low variables of a block, at most 12; tests make it small to exercise the code for large boards.
    #[doc(hidden)]
    pub low: usize,
    /// Forces an out-of-core solve with slabs of this many bytes; for tests.
    #[doc(hidden)]
    pub slab_bytes: Option<u64>,
}

impl Default for BitplaneOptions {
    fn default() -> BitplaneOptions {
        BitplaneOptions {
            values: PlaneValues::Distance,
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

impl BitplaneOptions {
    /// Exact distances on all processors.
    pub fn distance() -> BitplaneOptions {
        BitplaneOptions::default()
    }

    /// Win, draw or loss on all processors.
    pub fn wdl() -> BitplaneOptions {
        BitplaneOptions { values: PlaneValues::Wdl, ..BitplaneOptions::default() }
    }

    /// Also counts legal positions.
    pub fn with_counts(self) -> BitplaneOptions {
        BitplaneOptions { counts: true, ..self }
    }

    pub(crate) fn threads(&self) -> usize {
        match self.threads {
            0 => std::thread::available_parallelism().map_or(1, usize::from),
            threads => threads,
        }
    }
}

/// Result of a solve by bit-planes: the value of the board, its best moves, and counts.
#[derive(Clone, Debug)]
pub struct Solution {
    /// Verdict of the start position for the player to move.
    pub verdict: Verdict,
    /// Value with distance; `None` when only win/draw/loss was computed and the position is not a tie.
    pub value: Option<Value>,
    /// Cells of the best first moves, ascending: all moves that keep the value and, with distances,
    /// the distance.
    pub best: Vec<usize>,
    /// Counts of legal positions, if requested.
    pub counts: Option<Counts>,
    /// The plan.
    pub plan: Plan,
    /// Load balance, if several ranks solved the board.
    pub balance: Option<Balance>,
}

/// Load balance of a distributed solve: computing time of each rank, and bytes transferred.
#[derive(Clone, Debug, Default)]
pub struct Balance {
    /// By rank: seconds of computation, without waiting for slabs or other ranks.
    pub busy: Vec<f64>,
    /// Bytes of slabs transferred between ranks.
    pub moved: u64,
}

impl Balance {
    /// Excess of the busiest rank over the mean, as a fraction of the mean.
    pub fn imbalance(&self) -> f64 {
        let mean = self.busy.iter().sum::<f64>() / self.busy.len().max(1) as f64;
        let most = self.busy.iter().copied().fold(0.0, f64::max);
        if mean > 0.0 { most / mean - 1.0 } else { 0.0 }
    }
}

/// Solves a board: its value, its best moves, the requested counts, and every position's value
/// for the sink.
///
/// # Errors
///
/// [`DenseError`] if the board exceeds the memory limit, the monitor cancels, or the sink or
/// the slab store fails.
///
/// # Examples
///
/// ```
/// use outplay_core::{LineBoard, Verdict};
/// use outplay_runtime::NoMonitor;
/// use outplay_bitplane::{BitplaneOptions, solve};
///
/// let board = LineBoard::empty(3, 3, 3);
/// let solution = solve(&board, &BitplaneOptions::distance().with_counts(), &NoMonitor, None)?;
/// assert_eq!(solution.verdict, Verdict::Draw);
/// assert_eq!(solution.counts.map(|counts| counts.total().legal), Some(5478));
/// # Ok::<(), outplay_bitplane::DenseError>(())
/// ```
pub fn solve(
    board: &LineBoard,
    options: &BitplaneOptions,
    monitor: &dyn Monitor,
    sink: Option<&dyn Sink>,
) -> Result<Solution, DenseError> {
    let geometry = BoardGeometry::new(board, options.mirror, options.low)?;
    let plan = Plan::fitting(&geometry, options, sink.is_some(), false, monitor)?;
    // Ranks without a disk keep their slabs in memory.
    let memory_store = || Arc::new(MemoryStore::default()) as Arc<dyn SlabStore>;
    let depot = options.depot.clone().or_else(|| options.crew.as_ref().map(|_| memory_store()));
    match (&plan.cut, depot) {
        (Some(cut), Some(depot)) => {
            let context = Context::new(geometry, options, plan.threads, monitor)?;
            let (cut, bytes) = (cut.clone(), plan.plane_bytes);
            SlabSolver::new(context, plan, depot, options, &cut, bytes)?.run(monitor, sink)
        }
        (Some(_), None) => Err(DenseError::SlabStore { why: "there is no store for slabs".into() }),
        (None, _) => MemorySolver::new(geometry, options, plan, false, monitor)?.run(monitor, sink),
    }
}
