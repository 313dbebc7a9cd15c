//! In-memory solver: the forward and backward passes over all tiers.
//!
//! A tier is the set of positions with the same number of stones. A *live* plane marks the legal, reachable positions
//! of a tier in which the game goes on.
//!
//! ```text
//!  forward   tier 0 → N      live planes of every tier are kept in memory
//!  backward  tier N-1 → 0    values of two tiers are kept; from a live plane, wins in one ply are removed
//!            after each tier: make mirror images for the next one, export values to the sink
//! ```
//!
//! Invariant: while a tier is computed, the tier that it reads is not written, and each task writes only its own
//! blocks.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::answer::TierPlanes;
use crate::arena::Arena;
use crate::back::{BackwardPass, BackwardWorker, LEVELS};
use crate::context::{Context, MirrorCopy, SharedPtr};
use crate::counts::{Counts, PlyCounts};
use crate::export::{Export, ShapePlanes, Sink};
use crate::field::BoardGeometry;
use crate::forth::{ForwardPass, ForwardWorker};
use crate::kernel;
use crate::plan::{Plan, parts};
use crate::solve::{BitplaneOptions, PlaneValues, Solution};
use crate::stages;
use crate::tight::WORDS;
use outplay_core::{Value, Verdict};
use outplay_runtime::Monitor;

/// In-memory solver of a board.
pub(crate) struct MemorySolver {
    pub(crate) context: Context,
    pub(crate) plan: Plan,
    keep: bool,
    counting: bool,
    tables: [Arena; 2],
    images: Arena,
    live: Arena,
}

impl MemorySolver {
    /// Allocates the planned arenas; `keep` keeps all tiers in memory.
    pub(crate) fn new(
        geometry: BoardGeometry,
        options: &BitplaneOptions,
        plan: Plan,
        keep: bool,
        monitor: &dyn Monitor,
    ) -> Result<MemorySolver, DenseError> {
        let tables = [Arena::new(plan.values[0])?, Arena::new(plan.values[1])?];
        let images = Arena::new(plan.images)?;
        let live = Arena::new(plan.reach)?;
        let context = Context::new(geometry, options, plan.threads, monitor)?;
        Ok(MemorySolver { context, keep, counting: options.counts, plan, tables, images, live })
    }

    /// Solves the board.
    pub(crate) fn run(
        &mut self,
        monitor: &dyn Monitor,
        sink: Option<&dyn Sink>,
    ) -> Result<Solution, DenseError> {
        if let Some(payoff) = self.context.geometry.over {
            return Ok(self.context.finished(payoff, self.counting, &self.plan));
        }
        let mut counts = Counts { plies: vec![PlyCounts::default(); self.context.geometry.plies() + 1] };
        if self.plan.reach > 0 {
            self.forward(monitor, &mut counts)?;
        }
        self.backward(monitor, sink, &mut counts)?;
        let (value, best) = match self.context.geometry.plies() {
            0 => (Value::TIE, Vec::new()),
            _ => {
                let offsets = [self.context.offsets(0, monitor)?, self.context.offsets(1, monitor)?];
                self.context.start(&self.tables(0, &offsets[0]), &self.tables(1, &offsets[1]))
            }
        };
        let exact = self.context.values == PlaneValues::Distance || value.verdict() == Verdict::Draw;
        Ok(Solution {
            verdict: value.verdict(),
            value: exact.then_some(value),
            best,
            counts: self.counting.then_some(counts),
            plan: self.plan.clone(),
            balance: None,
        })
    }

    /// Returns the start of a tier's planes.
    pub(crate) fn table(&self, tier: usize) -> *mut u64 {
        if self.keep {
            return self.tables[0].at(self.plan.tiers[..tier].iter().map(|t| t.value_lines).sum());
        }
        self.tables[tier % 2].at(0)
    }

    /// Returns the planes of a tier, with their offsets.
    pub(crate) fn tables<'a>(&self, tier: usize, offsets: &'a [u32]) -> TierPlanes<'a> {
        TierPlanes { tier, offsets, at: self.table(tier) }
    }

    /// Returns the start of a tier's live planes.
    fn live(&self, tier: usize) -> *mut u64 {
        self.live.at(self.plan.tiers[..tier].iter().map(|t| t.reach_lines).sum())
    }

    /// Total number of blocks of all tiers, mirror images excluded.
    fn work(&self) -> u64 {
        self.plan.tiers.iter().map(|t| t.stored << self.context.tight.high(t.tier)).sum()
    }

    /// Makes the mirror images of a tier whose tables begin at `from`.
    fn mirror(
        &self,
        monitor: &dyn Monitor,
        tier: usize,
        planes: usize,
        offsets: &[u32],
        from: *mut u64,
    ) -> Result<(), DenseError> {
        let Some(mirror) = &self.context.geometry.mirror else { return Ok(()) };
        let (from, to) = (SharedPtr(from), SharedPtr(self.images.at(0)));
        let lines = u64::from(offsets[offsets.len() - 1]) * planes as u64;
        let mirrored = &self.context.shapes.tiers[tier].mirrored;
        let copy = |i: usize| {
            let source = self.context.geometry.image(mirror, mirrored[i]);
            let place = u64::from(self.context.shapes.place[source as usize]);
            let (from, to) = (from.line(place * lines), to.line(i as u64 * lines));
            MirrorCopy { image: mirrored[i], from: SharedPtr(from), to: SharedPtr(to) }
        };
        self.context.mirror(monitor, tier, planes, offsets, &copy, mirrored.len())
    }

    /// Computes the live positions of every tier.
    fn forward(&mut self, monitor: &dyn Monitor, counts: &mut Counts) -> Result<(), DenseError> {
        stages::begin_reach(monitor, self.work());
        let plies = self.context.geometry.plies();
        // SAFETY: the first tier has one shape with one colouring, the lowest bit of its only block.
        unsafe { *self.live(0) = 1 };
        counts.plies[0].legal = 1;
        let mut last_offsets = self.context.offsets(0, monitor)?;
        for tier in 1..=plies {
            self.mirror(monitor, tier - 1, 1, &last_offsets, self.live(tier - 1))?;
            let offsets = self.context.offsets(tier, monitor)?;
            let pass = ForwardPass {
                geometry: &self.context.geometry,
                tight: &self.context.tight,
                tier,
                offsets: &offsets,
                last_offsets: &last_offsets,
                place: &self.context.shapes.place,
                last: self.live(tier - 1),
                last_mirrored: self.images.at(0),
            };
            let out = SharedPtr(self.live(tier));
            let stored = &self.context.shapes.tiers[tier].stored;
            let lines = u64::from(offsets[offsets.len() - 1]);
            let workers = self.context.run_blocks(
                monitor,
                tier,
                stored.len(),
                Vec::new(),
                ForwardWorker::default,
                |worker, i, blocks| {
                    worker.group = self.context.group(stored[i]);
                    monitor.advance(blocks.len() as u64);
                    // SAFETY: the shape's plane lies in the arena, which ends with a spare line.
                    unsafe {
                        let out = out.line(i as u64 * lines);
                        kernel::forward(self.context.level, &pass, worker, stored[i], blocks, out);
                    }
                },
            )?;
            let sum = |counters: [[u64; WORDS]; 2]| {
                counters[0].iter().sum::<u64>() + 2 * counters[1].iter().sum::<u64>()
            };
            let ply = &mut counts.plies[tier];
            ply.legal = workers.iter().map(|w| sum(w.legal)).sum();
            let decided: u64 = workers.iter().map(|w| sum(w.finished)).sum();
            let payoff = self.context.payoff_of_line(tier);
            let distance = (self.context.values == PlaneValues::Distance).then_some(0);
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

    /// Computes the values of every tier.
    fn backward(
        &mut self,
        monitor: &dyn Monitor,
        sink: Option<&dyn Sink>,
        counts: &mut Counts,
    ) -> Result<(), DenseError> {
        stages::begin_values(monitor, self.work(), self.plan.reach > 0);
        let plies = self.context.geometry.plies();
        let counting = self.plan.reach > 0;
        let mut next_offsets = self.context.offsets(plies, monitor)?;
        if let Some(sink) = sink.filter(|sink| sink.wants(plies)) {
            // A full board is terminal: the rules give its value.
            sink.end(plies).map_err(|why| DenseError::Sink { tier: plies, why })?;
        }
        for tier in (0..plies).rev() {
            let offsets = self.context.offsets(tier, monitor)?;
            let pass = BackwardPass {
                geometry: &self.context.geometry,
                tight: &self.context.tight,
                tier,
                offsets: &offsets,
                next_offsets: &next_offsets,
                planes: self.context.planes(tier),
                next_planes: self.context.planes(tier + 1),
                wdl: self.context.values == PlaneValues::Wdl,
                place: &self.context.shapes.place,
                next: self.table(tier + 1),
                next_mirrored: self.images.at(0),
            };
            let out = SharedPtr(self.table(tier));
            let live = SharedPtr(if counting { self.live(tier) } else { std::ptr::null_mut() });
            let stored = &self.context.shapes.tiers[tier].stored;
            let lines = u64::from(offsets[offsets.len() - 1]);
            let make = || BackwardWorker::new(self.context.geometry.stacks.len());
            let mut workers = Vec::new();
            let whole = 0..stored.len();
            let parts = if self.plan.frugal { parts(stored.len()).collect() } else { vec![whole] };
            for part in parts {
                workers = self.context.run_blocks(
                    monitor,
                    tier,
                    part.len(),
                    workers,
                    make,
                    |worker, i, blocks| {
                        let i = part.start + i;
                        worker.group = self.context.group(stored[i]) * LEVELS;
                        monitor.advance(blocks.len() as u64);
                        let live = counting.then(|| live.line(i as u64 * lines));
                        // SAFETY: the shape's planes lie in the arenas, and each block belongs to one task.
                        unsafe {
                            let out = out.line(i as u64 * lines * pass.planes as u64);
                            kernel::backward(self.context.level, &pass, worker, stored[i], blocks, out, live);
                        }
                    },
                )?;
                if self.plan.frugal && pass.next_planes > 0 {
                    // A child has a higher number than its parent, so lower tables are no longer read.
                    let next = &self.context.shapes.tiers[tier + 1].stored;
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
                    let (payoff, distance) = self.context.decode(tier, code % LEVELS);
                    let distance = (self.context.values == PlaneValues::Distance).then_some(distance);
                    counts.plies[tier].add(payoff, distance, positions);
                }
            }
            if let Some(sink) = sink.filter(|sink| sink.wants(tier)) {
                let table = SharedPtr(self.table(tier));
                let source = |place: u32| ShapePlanes {
                    table: table.line(u64::from(place) * lines * pass.planes as u64),
                    care: live.line(u64::from(place) * lines),
                };
                let export = Export::new(&self.context, monitor, tier, &offsets)?;
                export.put(monitor, sink, &export.shapes, &source)?;
                sink.end(tier).map_err(|why| DenseError::Sink { tier, why })?;
            }
            if tier > 0 {
                self.mirror(monitor, tier, pass.planes, &offsets, self.table(tier))?;
            }
            next_offsets = offsets;
        }
        Ok(())
    }
}
