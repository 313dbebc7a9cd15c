//! Solver context: layout, shapes, thread pool and instruction set, shared by all passes.
//!
//! Invariant: each task writes only its own blocks of a bit-plane, so tasks share planes without locks.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::field::BoardGeometry;
use crate::kernel;
use crate::lane::Level;
use crate::mirror::{MirrorPass, Permuter};
use crate::plan::planes;
use crate::shapes::Shapes;
use crate::solve::{BitplaneOptions, PlaneValues};
use crate::tight::{TightLayout, WORDS};
use outplay_runtime::Monitor;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Blocks of a large shape that one task computes.
const TASK: u32 = 1024;
/// Blocks of a batch of small tasks.
const BATCH_BLOCKS: u64 = 64;

/// A board prepared for passes over its tiers.
pub(crate) struct Context {
    pub(crate) geometry: BoardGeometry,
    pub(crate) tight: TightLayout,
    pub(crate) shapes: Shapes,
    pub(crate) values: PlaneValues,
    pub(crate) level: Level,
    /// `None` for a single thread.
    pub(crate) pool: Option<rayon::ThreadPool>,
    /// Per-thread block permutations, reused from tier to tier.
    permuters: Mutex<Vec<Permuter>>,
}

/// Pointer shared by tasks, each of which writes a disjoint part.
#[derive(Clone, Copy)]
pub(crate) struct SharedPtr(pub(crate) *mut u64);
// SAFETY: tasks write disjoint blocks, see the invariant of the module.
unsafe impl Send for SharedPtr {}
// SAFETY: see above.
unsafe impl Sync for SharedPtr {}

impl SharedPtr {
    /// Advances the pointer by a number of lines.
    pub(crate) fn line(self, lines: u64) -> *mut u64 {
        // SAFETY: callers stay inside the pointer's arena.
        unsafe { self.0.add(lines as usize * WORDS) }
    }
}

/// A table to be mirrored: from a computed shape to its image.
#[derive(Clone, Copy)]
pub(crate) struct MirrorCopy {
    pub(crate) image: u32,
    pub(crate) from: SharedPtr,
    pub(crate) to: SharedPtr,
}

impl Context {
    pub(crate) fn new(
        geometry: BoardGeometry,
        options: &BitplaneOptions,
        threads: usize,
        monitor: &dyn Monitor,
    ) -> Result<Context, DenseError> {
        let most = geometry.whole.iter().flatten().map(|line| line.count_ones()).max().unwrap_or(0);
        let build = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|why| DenseError::Threads { threads, why: why.to_string() })
        };
        let pool = (threads > 1).then(build).transpose()?;
        Ok(Context {
            tight: TightLayout::new(options.low, most as usize),
            shapes: Shapes::new(&geometry, monitor)?,
            geometry,
            values: options.values,
            // An unavailable level would crash, so the best one is used instead.
            level: options
                .level
                .filter(|level| Level::available().contains(level))
                .unwrap_or_else(Level::best),
            pool,
            permuters: Mutex::default(),
        })
    }

    /// Returns the block offsets of a tier.
    pub(crate) fn offsets(&self, tier: usize, monitor: &dyn Monitor) -> Result<Vec<u32>, DenseError> {
        self.tight.offsets(self.tight.high(tier), self.geometry.ones(tier), monitor)
    }

    /// Number of value planes of a tier.
    pub(crate) fn planes(&self, tier: usize) -> usize {
        planes(self.values, self.geometry.plies() - tier)
    }

    /// Counter group of a shape: 0 for a shape that is computed together with its image, 1 for one that stands for
    /// both.
    pub(crate) fn group(&self, shape: u32) -> usize {
        usize::from(self.geometry.mirror.is_some() && self.geometry.lean(shape) != 0)
    }

    /// Runs `tasks` tasks on all threads, until one fails.
    pub(crate) fn each(
        &self,
        tasks: usize,
        task: &(dyn Fn(usize) -> Result<(), DenseError> + Sync),
    ) -> Result<(), DenseError> {
        match &self.pool {
            Some(pool) if tasks > 1 => pool.install(|| (0..tasks).into_par_iter().try_for_each(task)),
            _ => (0..tasks).try_for_each(task),
        }
    }

    /// Runs `task` on all blocks of `shapes` shapes of a tier, and returns the workers' buffers; `ready` are
    /// existing buffers to start with.
    pub(crate) fn run_blocks<W: Send>(
        &self,
        monitor: &dyn Monitor,
        tier: usize,
        shapes: usize,
        ready: Vec<W>,
        make: impl Fn() -> W + Sync + Send,
        task: impl Fn(&mut W, usize, Range<u32>) + Sync + Send,
    ) -> Result<Vec<W>, DenseError> {
        let blocks = 1u32 << self.tight.high(tier);
        let size = blocks.min(TASK);
        let pieces = (blocks / size) as usize;
        let tasks = shapes * pieces;
        // Small tasks are batched, and buffers are passed on from batch to batch.
        let batch = (BATCH_BLOCKS / u64::from(size)).max(1) as usize;
        let free: Mutex<Vec<W>> = Mutex::new(ready);
        let stopped = AtomicBool::new(false);
        let run_batch = |i: usize| {
            // A batch takes a few milliseconds at most.
            if stopped.load(Relaxed) || monitor.stopped() {
                stopped.store(true, Relaxed);
                return;
            }
            let taken = free.lock().ok().and_then(|mut free| free.pop());
            let mut worker = taken.unwrap_or_else(&make);
            for i in (i * batch..tasks).take(batch) {
                let first = (i % pieces) as u32 * size;
                task(&mut worker, i / pieces, first..first + size);
            }
            if let Ok(mut free) = free.lock() {
                free.push(worker);
            }
        };
        let batches = tasks.div_ceil(batch);
        match &self.pool {
            Some(pool) if batches > 1 => pool.install(|| (0..batches).into_par_iter().for_each(run_batch)),
            _ => (0..batches).for_each(run_batch),
        }
        // The lock is poisoned only if a task panicked, and then the panic is already propagating.
        let workers = free.into_inner().unwrap_or_default();
        if stopped.into_inner() { Err(DenseError::Stopped) } else { Ok(workers) }
    }

    /// Makes mirror images of a tier's tables.
    pub(crate) fn mirror(
        &self,
        monitor: &dyn Monitor,
        tier: usize,
        planes: usize,
        offsets: &[u32],
        copies: &(dyn Fn(usize) -> MirrorCopy + Sync),
        count: usize,
    ) -> Result<(), DenseError> {
        let (Some(mirror), true) = (&self.geometry.mirror, planes > 0) else { return Ok(()) };
        let ready =
            self.permuters.lock().map(|mut permuters| std::mem::take(&mut *permuters)).unwrap_or_default();
        let permuters =
            self.run_blocks(monitor, tier, count, ready, Permuter::default, |permuter, i, blocks| {
                let MirrorCopy { image, from, to } = copies(i);
                let source = self.geometry.image(mirror, image);
                let ranks = self.mirrored_ranks(&mirror.variable, image, source);
                let mirror = MirrorPass {
                    tight: &self.tight,
                    stones: tier,
                    ones: self.geometry.ones(tier),
                    planes,
                    offsets,
                    ranks: &ranks,
                };
                // SAFETY: both tables lie in their arenas, and each image is written by one task.
                unsafe { kernel::mirror(self.level, &mirror, permuter, blocks, from.0, to.0) };
            })?;
        if let Ok(mut kept) = self.permuters.lock() {
            *kept = permuters;
        }
        Ok(())
    }

    /// By rank of a shape's variables: the rank of the mirrored variable in the mirrored shape.
    pub(crate) fn mirrored_ranks(&self, variable: &[u8], shape: u32, image: u32) -> Vec<u8> {
        let (mut filled, other) = (self.geometry.filled(shape), self.geometry.filled(image));
        let mut ranks = Vec::with_capacity(filled.count_ones() as usize);
        while filled != 0 {
            let mirrored = variable[filled.trailing_zeros() as usize];
            ranks.push((other & ((1 << mirrored) - 1)).count_ones() as u8);
            filled &= filled - 1;
        }
        ranks
    }
}
