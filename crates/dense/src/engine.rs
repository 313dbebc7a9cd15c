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
use crate::answer::Tables;
use crate::arena::Arena;
use crate::back::{Back, LEVELS, Worker};
use crate::counts::{Counts, PlyCounts};
use crate::export::{Export, Sink, Source};
use crate::field::Field;
use crate::forth::{Forth, Walker};
use crate::kernel;
use crate::plan::{Plan, parts};
use crate::solve::{Options, Solution, Values};
use crate::tight::WORDS;
use crate::workshop::{Copy, Shared, Workshop};
use outplay_core::{Value, Verdict, Watch};

/// A solve under way.
pub(crate) struct Engine {
    pub(crate) shop: Workshop,
    pub(crate) plan: Plan,
    keep: bool,
    counting: bool,
    tables: [Arena; 2],
    images: Arena,
    live: Arena,
}

impl Engine {
    /// Allocates what was planned; `keep` says that all tiers stay in memory.
    pub(crate) fn new(
        field: Field,
        options: &Options,
        plan: Plan,
        keep: bool,
        watch: &dyn Watch,
    ) -> Result<Engine, DenseError> {
        let tables = [Arena::new(plan.values[0])?, Arena::new(plan.values[1])?];
        let images = Arena::new(plan.images)?;
        let live = Arena::new(plan.reach)?;
        let shop = Workshop::new(field, options, plan.threads, watch)?;
        Ok(Engine { shop, keep, counting: options.counts, plan, tables, images, live })
    }

    /// Solves.
    pub(crate) fn run(&mut self, watch: &dyn Watch, sink: Option<&dyn Sink>) -> Result<Solution, DenseError> {
        if let Some(payoff) = self.shop.field.over {
            return Ok(self.shop.finished(payoff, self.counting, &self.plan));
        }
        let mut counts = Counts { plies: vec![PlyCounts::default(); self.shop.field.plies() + 1] };
        if self.plan.reach > 0 {
            self.forth(watch, &mut counts)?;
        }
        self.back(watch, sink, &mut counts)?;
        let (value, best) = match self.shop.field.plies() {
            0 => (Value::TIE, Vec::new()),
            _ => {
                let offsets = [self.shop.offsets(0, watch)?, self.shop.offsets(1, watch)?];
                self.shop.start(&self.tables(0, &offsets[0]), &self.tables(1, &offsets[1]))
            }
        };
        let exact = self.shop.values == Values::Distance || value.verdict() == Verdict::Draw;
        Ok(Solution {
            verdict: value.verdict(),
            value: exact.then_some(value),
            best,
            counts: self.counting.then_some(counts),
            plan: self.plan.clone(),
            balance: None,
        })
    }

    /// Where the planes of a tier begin.
    pub(crate) fn table(&self, tier: usize) -> *mut u64 {
        if self.keep {
            return self.tables[0].at(self.plan.tiers[..tier].iter().map(|t| t.value_lines).sum());
        }
        self.tables[tier % 2].at(0)
    }

    /// The same with what it takes to read them.
    pub(crate) fn tables<'a>(&self, tier: usize, offsets: &'a [u32]) -> Tables<'a> {
        Tables { tier, offsets, at: self.table(tier) }
    }

    /// Where the live planes of a tier begin.
    fn live(&self, tier: usize) -> *mut u64 {
        self.live.at(self.plan.tiers[..tier].iter().map(|t| t.reach_lines).sum())
    }

    /// All blocks of all tiers, mirror images left out.
    fn work(&self) -> u64 {
        self.plan.tiers.iter().map(|t| t.stored << self.shop.tight.high(t.tier)).sum()
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
        let Some(mirror) = &self.shop.field.mirror else { return Ok(()) };
        let (from, to) = (Shared(from), Shared(self.images.at(0)));
        let lines = u64::from(offsets[offsets.len() - 1]) * planes as u64;
        let relaid = &self.shop.shapes.tiers[tier].relaid;
        let copy = |i: usize| {
            let source = self.shop.field.image(mirror, relaid[i]);
            let place = u64::from(self.shop.shapes.place[source as usize]);
            let (from, to) = (from.line(place * lines), to.line(i as u64 * lines));
            Copy { image: relaid[i], from: Shared(from), to: Shared(to) }
        };
        self.shop.mirror(watch, tier, planes, offsets, &copy, relaid.len())
    }

    /// Finds the live positions of every tier.
    fn forth(&mut self, watch: &dyn Watch, counts: &mut Counts) -> Result<(), DenseError> {
        watch.stage("reach", self.work());
        let plies = self.shop.field.plies();
        // SAFETY: the first tier has one shape with one colouring, the lowest bit of its only block.
        unsafe { *self.live(0) = 1 };
        counts.plies[0].legal = 1;
        let mut last_offsets = self.shop.offsets(0, watch)?;
        for tier in 1..=plies {
            self.relay(watch, tier - 1, 1, &last_offsets, self.live(tier - 1))?;
            let offsets = self.shop.offsets(tier, watch)?;
            let pass = Forth {
                field: &self.shop.field,
                tight: &self.shop.tight,
                tier,
                offsets: &offsets,
                last_offsets: &last_offsets,
                place: &self.shop.shapes.place,
                last: self.live(tier - 1),
                last_relaid: self.images.at(0),
            };
            let out = Shared(self.live(tier));
            let stored = &self.shop.shapes.tiers[tier].stored;
            let lines = u64::from(offsets[offsets.len() - 1]);
            let walkers = self.shop.deal(
                watch,
                tier,
                stored.len(),
                Vec::new(),
                Walker::default,
                |walker, i, blocks| {
                    walker.group = self.shop.group(stored[i]);
                    watch.advance(blocks.len() as u64);
                    // SAFETY: the shape's plane lies in the arena, which ends with a spare line.
                    unsafe {
                        let out = out.line(i as u64 * lines);
                        kernel::forth(self.shop.level, &pass, walker, stored[i], blocks, out);
                    }
                },
            )?;
            let sum = |counters: [[u64; WORDS]; 2]| {
                counters[0].iter().sum::<u64>() + 2 * counters[1].iter().sum::<u64>()
            };
            let ply = &mut counts.plies[tier];
            ply.legal = walkers.iter().map(|w| sum(w.legal)).sum();
            let decided: u64 = walkers.iter().map(|w| sum(w.finished)).sum();
            let payoff = self.shop.payoff_of_line(tier);
            let distance = (self.shop.values == Values::Distance).then_some(0);
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
        let plies = self.shop.field.plies();
        let counting = self.plan.reach > 0;
        let mut next_offsets = self.shop.offsets(plies, watch)?;
        if let Some(sink) = sink.filter(|sink| sink.wants(plies)) {
            // A full board is finished: the rules answer for all of it.
            sink.end(plies).map_err(|why| DenseError::Sink { tier: plies, why })?;
        }
        for tier in (0..plies).rev() {
            let offsets = self.shop.offsets(tier, watch)?;
            let pass = Back {
                field: &self.shop.field,
                tight: &self.shop.tight,
                tier,
                offsets: &offsets,
                next_offsets: &next_offsets,
                planes: self.shop.planes(tier),
                next_planes: self.shop.planes(tier + 1),
                wdl: self.shop.values == Values::Wdl,
                place: &self.shop.shapes.place,
                next: self.table(tier + 1),
                next_relaid: self.images.at(0),
            };
            let out = Shared(self.table(tier));
            let live = Shared(if counting { self.live(tier) } else { std::ptr::null_mut() });
            let stored = &self.shop.shapes.tiers[tier].stored;
            let lines = u64::from(offsets[offsets.len() - 1]);
            let make = || Worker::new(self.shop.field.stacks.len());
            let mut workers = Vec::new();
            let whole = 0..stored.len();
            let parts = if self.plan.frugal { parts(stored.len()).collect() } else { vec![whole] };
            for part in parts {
                workers = self.shop.deal(watch, tier, part.len(), workers, make, |worker, i, blocks| {
                    let i = part.start + i;
                    worker.group = self.shop.group(stored[i]) * LEVELS;
                    watch.advance(blocks.len() as u64);
                    let live = counting.then(|| live.line(i as u64 * lines));
                    // SAFETY: the shape's planes lie in the arenas, and blocks belong to one task each.
                    unsafe {
                        let out = out.line(i as u64 * lines * pass.planes as u64);
                        kernel::back(self.shop.level, &pass, worker, stored[i], blocks, out, live);
                    }
                })?;
                if self.plan.frugal && pass.next_planes > 0 {
                    // A child has a higher number than its parent: lower ones are not asked for again.
                    let next = &self.shop.shapes.tiers[tier + 1].stored;
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
                    let (payoff, distance) = self.shop.decode(tier, code % LEVELS);
                    let distance = (self.shop.values == Values::Distance).then_some(distance);
                    counts.plies[tier].add(payoff, distance, positions);
                }
            }
            if let Some(sink) = sink.filter(|sink| sink.wants(tier)) {
                let table = Shared(self.table(tier));
                let source = |place: u32| Source {
                    table: table.line(u64::from(place) * lines * pass.planes as u64),
                    care: live.line(u64::from(place) * lines),
                };
                let export = Export::new(&self.shop, watch, tier, &offsets)?;
                export.put(watch, sink, &export.shapes, &source)?;
                sink.end(tier).map_err(|why| DenseError::Sink { tier, why })?;
            }
            if tier > 0 {
                self.relay(watch, tier, pass.planes, &offsets, self.table(tier))?;
            }
            next_offsets = offsets;
        }
        Ok(())
    }
}
