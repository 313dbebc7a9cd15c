//! What all passes over a board share: its layout, its shapes, its threads and their instructions.
//!
//! Invariant: each task that is dealt has blocks of its own.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::field::Field;
use crate::kernel;
use crate::lane::Level;
use crate::plan::planes;
use crate::relay::{Copier, Relay};
use crate::shapes::Shapes;
use crate::solve::{Options, Values};
use crate::tight::{Tight, WORDS};
use outplay_core::Watch;
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Blocks that one task takes of a large shape.
const TASK: u32 = 1024;
/// Blocks below which work is not worth dividing.
const HANDFUL: u64 = 64;

/// A board made ready for passes over its tiers.
pub(crate) struct Workshop {
    pub(crate) field: Field,
    pub(crate) tight: Tight,
    pub(crate) shapes: Shapes,
    pub(crate) values: Values,
    pub(crate) level: Level,
    /// `None` where one thread does it all.
    pub(crate) pool: Option<rayon::ThreadPool>,
    /// Threads' permutations of blocks, which serve every tier.
    copiers: Mutex<Vec<Copier>>,
}

/// A pointer that tasks share; each writes its own part.
#[derive(Clone, Copy)]
pub(crate) struct Shared(pub(crate) *mut u64);
// SAFETY: tasks write disjoint blocks, see the invariant of the module.
unsafe impl Send for Shared {}
// SAFETY: see above.
unsafe impl Sync for Shared {}

impl Shared {
    /// The word so many lines on.
    pub(crate) fn line(self, lines: u64) -> *mut u64 {
        // SAFETY: callers stay inside the arena that the pointer is of.
        unsafe { self.0.add(lines as usize * WORDS) }
    }
}

/// A table to be mirrored: from a computed shape to its image.
#[derive(Clone, Copy)]
pub(crate) struct Copy {
    pub(crate) image: u32,
    pub(crate) from: Shared,
    pub(crate) to: Shared,
}

impl Workshop {
    pub(crate) fn new(
        field: Field,
        options: &Options,
        threads: usize,
        watch: &dyn Watch,
    ) -> Result<Workshop, DenseError> {
        let most = field.whole.iter().flatten().map(|line| line.count_ones()).max().unwrap_or(0);
        let build = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
            pool.map_err(|why| DenseError::Threads { threads, why: why.to_string() })
        };
        let pool = (threads > 1).then(build).transpose()?;
        Ok(Workshop {
            tight: Tight::new(options.low, most as usize),
            shapes: Shapes::new(&field, watch)?,
            field,
            values: options.values,
            // A level that the machine lacks would crash, so it is taken for the best one.
            level: options
                .level
                .filter(|level| Level::available().contains(level))
                .unwrap_or_else(Level::best),
            pool,
            copiers: Mutex::default(),
        })
    }

    /// Where blocks begin in a tier.
    pub(crate) fn offsets(&self, tier: usize, watch: &dyn Watch) -> Result<Vec<u32>, DenseError> {
        self.tight.offsets(self.tight.high(tier), self.field.ones(tier), watch)
    }

    /// The planes of values of a tier.
    pub(crate) fn planes(&self, tier: usize) -> usize {
        planes(self.values, self.field.plies() - tier)
    }

    /// Shapes with lean 0 are their own group: the others stand for two.
    pub(crate) fn group(&self, shape: u32) -> usize {
        usize::from(self.field.mirror.is_some() && self.field.lean(shape) != 0)
    }

    /// Runs so many tasks on all threads, until one fails.
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

    /// Runs `task` on all blocks of so many shapes of a tier, and returns the threads' buffers, of which
    /// `ready` are there already.
    pub(crate) fn deal<W: Send>(
        &self,
        watch: &dyn Watch,
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
        // Small tasks are dealt in handfuls, and buffers are passed on from one handful to the next.
        let handful = (HANDFUL / u64::from(size)).max(1) as usize;
        let free: Mutex<Vec<W>> = Mutex::new(ready);
        let stopped = AtomicBool::new(false);
        let deal = |i: usize| {
            // A handful takes a few milliseconds at most.
            if stopped.load(Relaxed) || watch.stopped() {
                stopped.store(true, Relaxed);
                return;
            }
            let taken = free.lock().ok().and_then(|mut free| free.pop());
            let mut worker = taken.unwrap_or_else(&make);
            for i in (i * handful..tasks).take(handful) {
                let first = (i % pieces) as u32 * size;
                task(&mut worker, i / pieces, first..first + size);
            }
            if let Ok(mut free) = free.lock() {
                free.push(worker);
            }
        };
        let handfuls = tasks.div_ceil(handful);
        match &self.pool {
            Some(pool) if handfuls > 1 => pool.install(|| (0..handfuls).into_par_iter().for_each(deal)),
            _ => (0..handfuls).for_each(deal),
        }
        // The lock is poisoned only if a task panicked, and then the panic is already on its way.
        let workers = free.into_inner().unwrap_or_default();
        if stopped.into_inner() { Err(DenseError::Stopped) } else { Ok(workers) }
    }

    /// Makes mirror images of tables of a tier.
    pub(crate) fn mirror(
        &self,
        watch: &dyn Watch,
        tier: usize,
        planes: usize,
        offsets: &[u32],
        copies: &(dyn Fn(usize) -> Copy + Sync),
        count: usize,
    ) -> Result<(), DenseError> {
        let (Some(mirror), true) = (&self.field.mirror, planes > 0) else { return Ok(()) };
        let ready = self.copiers.lock().map(|mut copiers| std::mem::take(&mut *copiers)).unwrap_or_default();
        let copiers = self.deal(watch, tier, count, ready, Copier::default, |copier, i, blocks| {
            let Copy { image, from, to } = copies(i);
            let source = self.field.image(mirror, image);
            let ranks = self.mirrored_ranks(&mirror.variable, image, source);
            let relay = Relay {
                tight: &self.tight,
                stones: tier,
                ones: self.field.ones(tier),
                planes,
                offsets,
                ranks: &ranks,
            };
            // SAFETY: both tables lie in their arenas, and images are written by one task each.
            unsafe { kernel::relay(self.level, &relay, copier, blocks, from.0, to.0) };
        })?;
        if let Ok(mut kept) = self.copiers.lock() {
            *kept = copiers;
        }
        Ok(())
    }

    /// By rank of a shape's variables: the rank of the mirrored variable in the mirrored shape.
    pub(crate) fn mirrored_ranks(&self, variable: &[u8], shape: u32, image: u32) -> Vec<u8> {
        let (mut filled, other) = (self.field.filled(shape), self.field.filled(image));
        let mut ranks = Vec::with_capacity(filled.count_ones() as usize);
        while filled != 0 {
            let mirrored = variable[filled.trailing_zeros() as usize];
            ranks.push((other & ((1 << mirrored) - 1)).count_ones() as u8);
            filled &= filled - 1;
        }
        ranks
    }
}
