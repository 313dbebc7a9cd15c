//! The passes over all tiers: who owns the planes, and how work is dealt to threads.
//!
//! ```text
//!  forth   tier 0 → N      live planes of every tier are kept, in memory or in a file
//!  back    tier N-1 → 0    values of two tiers are kept; live planes shrink to what a table needs
//!          after each tier: mirror images for the next one, slots for the sink
//! ```
//!
//! Invariant: while a tier is computed nobody writes the tier it is computed from, and each task writes
//! blocks of its own.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::arena::{self, Arena};
use crate::back::{Back, LEVELS, Worker};
use crate::counts::{Counts, PlyCounts};
use crate::export::{self, Sink};
use crate::field::Field;
use crate::forth::{Forth, Walker};
use crate::kernel;
use crate::lane::Level;
use crate::plan::{Place, Plan, parts, planes};
use crate::relay::{Copier, Relay};
use crate::shapes::Shapes;
use crate::solve::{Options, Solution, Values};
use crate::tight::{Tight, WORDS};
use outplay_core::{Verdict, Watch};
use rayon::prelude::*;
use std::ops::Range;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Blocks that one task takes of a large shape.
const TASK: u32 = 1024;
/// Blocks below which work is not worth dividing.
const HANDFUL: u64 = 64;

/// A solve under way.
pub(crate) struct Engine {
    pub(crate) field: Field,
    pub(crate) tight: Tight,
    pub(crate) shapes: Shapes,
    pub(crate) plan: Plan,
    pub(crate) values: Values,
    level: Level,
    keep: bool,
    pub(crate) counting: bool,
    /// `None` where one thread does it all.
    pub(crate) pool: Option<rayon::ThreadPool>,
    tables: [Arena; 2],
    images: Arena,
    live: Arena,
    /// Threads' permutations of blocks, which serve every tier.
    copiers: Mutex<Vec<Copier>>,
}

/// A pointer that tasks share; each writes its own part.
#[derive(Clone, Copy)]
struct Shared(*mut u64);
// SAFETY: tasks write disjoint blocks, see the invariant of the module.
unsafe impl Send for Shared {}
// SAFETY: see above.
unsafe impl Sync for Shared {}

impl Shared {
    /// The word so many lines on.
    fn line(self, lines: u64) -> *mut u64 {
        // SAFETY: callers stay inside the arena that the pointer is of.
        unsafe { self.0.add(lines as usize * WORDS) }
    }
}

impl Engine {
    /// Plans and allocates; `keep` says that all tiers stay in memory.
    pub(crate) fn new(
        field: Field,
        options: &Options,
        export: bool,
        keep: bool,
        watch: &dyn Watch,
    ) -> Result<Engine, DenseError> {
        let mut plan = Plan::new(&field, options, export, keep, watch)?;
        if let (None, Some(available)) = (options.memory, arena::available())
            && plan.peak_bytes > available
        {
            let options = Options { memory: Some(available), ..options.clone() };
            plan = Plan::new(&field, &options, export, keep, watch)?;
        }
        let spill = options.spill.as_deref();
        let (values_dir, reach_dir) = match plan.place {
            Place::Memory => (None, None),
            Place::ReachOnDisk => (None, spill),
            Place::AllOnDisk => (spill, spill),
        };
        let tables = [Arena::new(plan.values[0], values_dir)?, Arena::new(plan.values[1], values_dir)?];
        let images = Arena::new(plan.images, values_dir)?;
        let live = Arena::new(plan.reach, reach_dir)?;
        let most = field.whole.iter().flatten().map(|line| line.count_ones()).max().unwrap_or(0);
        let build = || {
            let pool = rayon::ThreadPoolBuilder::new().num_threads(plan.threads).build();
            pool.map_err(|why| DenseError::Threads { threads: plan.threads, why: why.to_string() })
        };
        let pool = (plan.threads > 1).then(build).transpose()?;
        Ok(Engine {
            tight: Tight::new(options.low, most as usize),
            shapes: Shapes::new(&field, watch)?,
            field,
            values: options.values,
            // A level that the machine lacks would crash, so it is taken for the best one.
            level: options
                .level
                .filter(|level| Level::available().contains(level))
                .unwrap_or_else(Level::best),
            keep,
            counting: options.counts,
            plan,
            pool,
            tables,
            images,
            live,
            copiers: Mutex::default(),
        })
    }

    /// Solves.
    pub(crate) fn run(&mut self, watch: &dyn Watch, sink: Option<&dyn Sink>) -> Result<Solution, DenseError> {
        if let Some(payoff) = self.field.over {
            return Ok(self.finished(payoff));
        }
        let mut counts = Counts { plies: vec![PlyCounts::default(); self.field.plies() + 1] };
        if self.plan.reach > 0 {
            self.forth(watch, &mut counts)?;
        }
        self.back(watch, sink, &mut counts)?;
        let (value, best) = self.start(watch)?;
        let exact = self.values == Values::Distance || value.verdict() == Verdict::Draw;
        Ok(Solution {
            verdict: value.verdict(),
            value: exact.then_some(value),
            best,
            counts: self.counting.then_some(counts),
            plan: self.plan.clone(),
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

    /// Where the planes of a tier begin.
    pub(crate) fn table(&self, tier: usize) -> *mut u64 {
        if self.keep {
            return self.tables[0].at(self.plan.tiers[..tier].iter().map(|t| t.value_lines).sum());
        }
        self.tables[tier % 2].at(0)
    }

    /// Where the live planes of a tier begin.
    fn live(&self, tier: usize) -> *mut u64 {
        self.live.at(self.plan.tiers[..tier].iter().map(|t| t.reach_lines).sum())
    }

    /// Shapes with lean 0 are their own group: the others stand for two.
    fn group(&self, shape: u32) -> usize {
        usize::from(self.field.mirror.is_some() && self.field.lean(shape) != 0)
    }

    /// Runs `task` on all blocks of so many shapes of a tier, and returns the threads' buffers, of which
    /// `ready` are there already.
    fn deal<W: Send>(
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

    /// All blocks of all tiers, mirror images left out.
    fn work(&self) -> u64 {
        self.plan.tiers.iter().map(|t| t.stored << self.tight.high(t.tier)).sum()
    }

    /// Makes the mirror images of a tier whose tables begin at `from`.
    fn relay(
        &self,
        watch: &dyn Watch,
        tier: usize,
        planes: usize,
        offsets: &[u32],
        from: *mut u64,
    ) -> Result<(), DenseError> {
        let (Some(mirror), true) = (&self.field.mirror, planes > 0) else { return Ok(()) };
        let (from, to) = (Shared(from), Shared(self.images.at(0)));
        let lines = u64::from(offsets[offsets.len() - 1]) * planes as u64;
        let relaid = &self.shapes.tiers[tier].relaid;
        let ready = self.copiers.lock().map(|mut copiers| std::mem::take(&mut *copiers)).unwrap_or_default();
        let copiers = self.deal(watch, tier, relaid.len(), ready, Copier::default, |copier, i, blocks| {
            let source = self.field.image(mirror, relaid[i]);
            let ranks = self.mirrored_ranks(&mirror.variable, relaid[i], source);
            let relay = Relay {
                tight: &self.tight,
                stones: tier,
                ones: self.field.ones(tier),
                planes,
                offsets,
                ranks: &ranks,
            };
            let place = u64::from(self.shapes.place[source as usize]);
            // SAFETY: both tables lie in their arenas, and images are written by one task each.
            unsafe {
                let (from, to) = (from.line(place * lines), to.line(i as u64 * lines));
                kernel::relay(self.level, &relay, copier, blocks, from, to);
            }
        })?;
        if let Ok(mut kept) = self.copiers.lock() {
            *kept = copiers;
        }
        Ok(())
    }

    /// Finds the live positions of every tier.
    fn forth(&mut self, watch: &dyn Watch, counts: &mut Counts) -> Result<(), DenseError> {
        watch.stage("reach", self.work());
        let plies = self.field.plies();
        // SAFETY: the first tier has one shape with one colouring, the lowest bit of its only block.
        unsafe { *self.live(0) = 1 };
        counts.plies[0].legal = 1;
        let mut last_offsets = self.offsets(0, watch)?;
        for tier in 1..=plies {
            self.relay(watch, tier - 1, 1, &last_offsets, self.live(tier - 1))?;
            let offsets = self.offsets(tier, watch)?;
            let pass = Forth {
                field: &self.field,
                tight: &self.tight,
                tier,
                offsets: &offsets,
                last_offsets: &last_offsets,
                place: &self.shapes.place,
                last: self.live(tier - 1),
                last_relaid: self.images.at(0),
            };
            let out = Shared(self.live(tier));
            let stored = &self.shapes.tiers[tier].stored;
            let lines = u64::from(offsets[offsets.len() - 1]);
            let walkers =
                self.deal(watch, tier, stored.len(), Vec::new(), Walker::default, |walker, i, blocks| {
                    walker.group = self.group(stored[i]);
                    watch.advance(blocks.len() as u64);
                    // SAFETY: the shape's plane lies in the arena, which ends with a spare line.
                    unsafe {
                        let out = out.line(i as u64 * lines);
                        kernel::forth(self.level, &pass, walker, stored[i], blocks, out);
                    }
                })?;
            let sum = |counters: [[u64; WORDS]; 2]| {
                counters[0].iter().sum::<u64>() + 2 * counters[1].iter().sum::<u64>()
            };
            let ply = &mut counts.plies[tier];
            ply.legal = walkers.iter().map(|w| sum(w.legal)).sum();
            let decided: u64 = walkers.iter().map(|w| sum(w.finished)).sum();
            let payoff = self.payoff_of_line(tier);
            let distance = (self.values == Values::Distance).then_some(0);
            ply.add(payoff, distance, decided);
            (ply.finished, ply.decided) = (decided, decided);
            if tier == plies {
                ply.add(0, None, ply.legal - decided);
                ply.finished = ply.legal;
            }
            last_offsets = offsets;
        }
        if plies == 0 {
            counts.plies[0].finished = 1;
            counts.plies[0].add(0, None, 1);
        }
        Ok(())
    }

    /// Finds the values of every tier.
    fn back(
        &mut self,
        watch: &dyn Watch,
        sink: Option<&dyn Sink>,
        counts: &mut Counts,
    ) -> Result<(), DenseError> {
        watch.stage("values", self.work());
        let plies = self.field.plies();
        let counting = self.plan.reach > 0;
        let mut next_offsets = self.offsets(plies, watch)?;
        if let Some(sink) = sink {
            export::tier(self, watch, sink, plies, &next_offsets, std::ptr::null())?;
        }
        for tier in (0..plies).rev() {
            let offsets = self.offsets(tier, watch)?;
            let pass = Back {
                field: &self.field,
                tight: &self.tight,
                tier,
                offsets: &offsets,
                next_offsets: &next_offsets,
                planes: self.planes(tier),
                next_planes: self.planes(tier + 1),
                wdl: self.values == Values::Wdl,
                place: &self.shapes.place,
                next: self.table(tier + 1),
                next_relaid: self.images.at(0),
            };
            let out = Shared(self.table(tier));
            let live = Shared(if counting { self.live(tier) } else { std::ptr::null_mut() });
            let stored = &self.shapes.tiers[tier].stored;
            let lines = u64::from(offsets[offsets.len() - 1]);
            let make = || Worker::new(self.field.stacks.len());
            let mut workers = Vec::new();
            let whole = 0..stored.len();
            let parts = if self.plan.frugal { parts(stored.len()).collect() } else { vec![whole] };
            for part in parts {
                workers = self.deal(watch, tier, part.len(), workers, make, |worker, i, blocks| {
                    let i = part.start + i;
                    worker.group = self.group(stored[i]) * LEVELS;
                    watch.advance(blocks.len() as u64);
                    let live = counting.then(|| live.line(i as u64 * lines));
                    // SAFETY: the shape's planes lie in the arenas, and blocks belong to one task each.
                    unsafe {
                        let out = out.line(i as u64 * lines * pass.planes as u64);
                        kernel::back(self.level, &pass, worker, stored[i], blocks, out, live);
                    }
                })?;
                if self.plan.frugal && pass.next_planes > 0 {
                    // A child has a higher number than its parent: lower ones are not asked for again.
                    let next = &self.shapes.tiers[tier + 1].stored;
                    let gone = next.partition_point(|&child| child <= stored[part.end - 1]) as u64;
                    let lines = u64::from(next_offsets[next_offsets.len() - 1]) * pass.next_planes as u64;
                    self.tables[(tier + 1) % 2].give_back(0..gone * lines);
                }
            }
            if self.plan.frugal {
                self.tables[(tier + 1) % 2].give_back(0..self.plan.values[(tier + 1) % 2]);
            }
            for (code, counters) in workers.iter().flat_map(|worker| worker.tally.iter().enumerate()) {
                let positions = counters.iter().sum::<u64>() * if code < LEVELS { 1 } else { 2 };
                if positions > 0 {
                    let (payoff, distance) = self.decode(tier, code % LEVELS);
                    let distance = (self.values == Values::Distance).then_some(distance);
                    counts.plies[tier].add(payoff, distance, positions);
                }
            }
            if let Some(sink) = sink {
                let live = self.live(tier);
                export::tier(self, watch, sink, tier, &offsets, live)?;
            }
            if tier > 0 {
                self.relay(watch, tier, pass.planes, &offsets, self.table(tier))?;
            }
            next_offsets = offsets;
        }
        Ok(())
    }
}
