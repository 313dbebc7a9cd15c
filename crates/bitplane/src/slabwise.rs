//! Out-of-core solver: tiers computed slab by slab, for boards whose planes exceed memory.
//!
//! ```text
//!  a slab:   the slabs that it reads are fetched and unpacked one slab ahead, while the cores compute;
//!            then it is computed, counted, exported, packed and stored, and so is each of its mirror images that
//!            another slab reads
//!  forward   tier 0 → N     live planes of all tiers are stored
//!  backward  tier N-1 → 0   a tier's values are stored until those of the tier before are known
//! ```
//!
//! The forward and backward passes are those of `engine`; only the location of the planes differs. Slabs that are in
//! the store are not computed again, so a killed run resumes with the slab at which it was killed (`schedule`). A tier
//! that is exported to the sink is computed completely, because export needs the mask of immediate wins, which is not
//! stored.
//!
//! In a distributed solve, each rank computes the slabs assigned to it and requests those of other ranks
//! (`distributed`).
//!
//! Invariant: a slab whose census (positions per value, written last) is in the store is complete, and it consists of
//! the shapes (sets of occupied cells) that the stored layout assigns to it.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::answer::TierPlanes;
use crate::arena::{Arena, ArenaSlot};
use crate::back::{BackwardPass, BackwardWorker, LEVELS};
use crate::census::{add_census, census};
use crate::compress::Effort;
use crate::context::{Context, MirrorCopy, SharedPtr};
use crate::counts::{Counts, PlyCounts};
use crate::distributed::DistributedStore;
use crate::export::{Export, ShapePlanes, Sink};
use crate::forth::{ForwardPass, ForwardWorker};
use crate::kernel;
use crate::neighbours::{NeighbourBuffers, NeighbourCache, keys};
use crate::plan::Plan;
use crate::plane_codec::PlaneCodec;
use crate::prefetch;
use crate::schedule::{Schedule, SlabInventory};
use crate::slab_store::{Part, SlabKey, SlabStore};
use crate::slabs::{SlabLayout, Slabs, TierDirection};
use crate::solve::{Balance, BitplaneOptions, PlaneValues, Solution};
use crate::stages;
use crate::tight::WORDS;
use outplay_core::{Value, Verdict};
use outplay_runtime::communicator::{pack, unpack as numbers};
use outplay_runtime::{CpuGuard, Monitor};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Arenas for the planes of the current slab and its images.
struct BufferPool {
    live: ArenaSlot,
    care: ArenaSlot,
    table: ArenaSlot,
    live_images: ArenaSlot,
    table_images: ArenaSlot,
}

impl BufferPool {
    /// Sizes the arenas for the largest slabs of a board.
    fn new(solver: &SlabSolver) -> BufferPool {
        let most = |of: &dyn Fn(usize, u64) -> u64| {
            let lines = (0..solver.slabs.len()).map(|tier| of(tier, lines_of(solver, tier)));
            lines.max().unwrap_or(0)
        };
        let shapes = |tier: usize| solver.slabs[tier].per as u64;
        let planes = |tier: usize| solver.context.planes(tier) as u64;
        // The forward kernel writes one line past the last plane.
        BufferPool {
            live: ArenaSlot::new(most(&|tier, lines| shapes(tier) * lines + 1)),
            care: ArenaSlot::new(most(&|tier, lines| shapes(tier) * lines)),
            table: ArenaSlot::new(most(&|tier, lines| shapes(tier) * lines * planes(tier))),
            live_images: ArenaSlot::new(most(&|tier, lines| most_images(solver, tier) * lines + 1)),
            table_images: ArenaSlot::new(most(&|tier, lines| {
                most_images(solver, tier) * lines * planes(tier)
            })),
        }
    }
}

/// Out-of-core solver of a board.
pub(crate) struct SlabSolver {
    context: Context,
    plan: Plan,
    store: Arc<dyn SlabStore>,
    /// The same store, if slabs are distributed over ranks.
    distributed: Option<Arc<DistributedStore>>,
    /// Microseconds that this rank waited for slabs and for other ranks.
    waited: AtomicU64,
    counting: bool,
    /// By tier.
    slabs: Vec<Slabs>,
    /// Memory for planes, in bytes.
    bytes: u64,
    codec: PlaneCodec,
}

impl SlabSolver {
    /// Prepares a solve. `cut` is the layout for an empty store, and `bytes` the memory for planes. An existing
    /// store keeps its layout, unless that takes more memory.
    pub(crate) fn new(
        context: Context,
        plan: Plan,
        mut store: Arc<dyn SlabStore>,
        options: &BitplaneOptions,
        cut: &SlabLayout,
        bytes: u64,
    ) -> Result<SlabSolver, DenseError> {
        let mut distributed = None;
        if let Some(crew) = &options.crew {
            let shared = Arc::new(DistributedStore::new(store, crew.clone())?);
            store = shared.clone();
            distributed = Some(shared);
        }
        let mut solver = SlabSolver {
            context,
            plan,
            store,
            distributed,
            waited: AtomicU64::new(0),
            counting: options.counts,
            slabs: Vec::new(),
            bytes,
            codec: PlaneCodec::new(if options.depot.is_none() { Effort::Swift } else { Effort::Small }),
        };
        let per = solver.layout(cut, options)?;
        let slabs = |(tier, &per): (usize, &usize)| {
            Slabs::new(&solver.context.geometry, &solver.context.shapes, tier, per)
        };
        solver.slabs = per.iter().enumerate().map(slabs).collect();
        if let Some(distributed) = &solver.distributed {
            distributed.assign(&solver.slabs.iter().map(Slabs::work).collect::<Vec<_>>());
        }
        Ok(solver)
    }

    /// Returns the slabs of a tier that this rank computes, in order.
    fn mine(&self, tier: usize) -> Vec<usize> {
        match &self.distributed {
            Some(distributed) => distributed.mine(tier),
            None => (0..self.slabs[tier].count).collect(),
        }
    }

    /// Reports the current phase to the communicator.
    fn phase(&self, name: &'static str) {
        if let Some(distributed) = &self.distributed {
            distributed.crew.phase(name);
        }
    }

    /// Barrier.
    fn barrier(&self) -> Result<(), DenseError> {
        let Some(distributed) = &self.distributed else { return Ok(()) };
        self.timed_wait(|| distributed.crew.barrier().map_err(|why| DenseError::SlabStore { why }))
    }

    /// Reports that one more tier has its values; returns the number of tiers that other ranks may lag behind.
    fn finish_tier(&self) -> Result<usize, DenseError> {
        let Some(distributed) = &self.distributed else { return Ok(0) };
        self.timed_wait(|| distributed.tier_done().map(|()| 1).map_err(|why| DenseError::SlabStore { why }))
    }

    /// Removes the slabs of a tier that is no longer read.
    fn forget_tier(&self, tier: usize) -> Result<(), DenseError> {
        // The values of the second ply are read once more, for the best moves of the start.
        if tier <= 1 || tier > self.context.geometry.plies() {
            return Ok(());
        }
        for part in [Part::Reach, Part::ReachImages, Part::Values, Part::ValueImages] {
            self.store.forget(part, tier).map_err(|why| DenseError::SlabStore { why })?;
        }
        Ok(())
    }

    /// Acquires the CPU lock for a slab; table encoding has priority.
    fn cpu_guard(&self) -> Option<CpuGuard<'_>> {
        self.distributed.as_ref().map(|distributed| distributed.crew.cpu_lock().lock())
    }

    /// Waits, and records the time.
    fn timed_wait<T>(&self, wait: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = wait();
        self.waited.fetch_add(began.elapsed().as_micros() as u64, Relaxed);
        done
    }

    /// Gathers the load balance of the ranks.
    fn balance(&self, began: Instant) -> Result<Option<Balance>, DenseError> {
        let Some(distributed) = &self.distributed else { return Ok(None) };
        let busy = (began.elapsed().as_micros() as u64).saturating_sub(self.waited.load(Relaxed));
        let gathered = distributed.crew.all_gather(&pack(&[busy, distributed.moved()]));
        let gathered = gathered.map_err(|why| DenseError::SlabStore { why })?;
        let mut balance = Balance::default();
        for bytes in gathered {
            let mut numbers = numbers(&bytes);
            balance.busy.push(numbers.next().unwrap_or(0) as f64 / 1e6);
            balance.moved += numbers.next().unwrap_or(0);
        }
        Ok(Some(balance))
    }

    /// Chooses the number of shapes in a slab, by tier. Slabs of another layout are removed.
    fn layout(&self, cut: &SlabLayout, options: &BitplaneOptions) -> Result<Vec<usize>, DenseError> {
        let key = SlabKey { part: Part::Layout, tier: 0, slab: 0 };
        let lost = |why| DenseError::SlabStore { why };
        let text = |per: &[usize]| {
            let per: Vec<String> = per.iter().map(usize::to_string).collect();
            format!("{:?} {} {}", options.values, options.low, per.join(","))
        };
        if self.store.has(key) {
            let found = String::from_utf8_lossy(&self.store.get(key).map_err(lost)?).into_owned();
            let per: Option<Vec<usize>> = found
                .rsplit(' ')
                .next()
                .map(|list| list.split(',').filter_map(|shapes| shapes.parse().ok()).collect());
            let per = per.filter(|per| text(per) == found && is_valid_layout(self, per));
            let (geometry, shapes, tiers) = (&self.context.geometry, &self.context.shapes, &self.plan.tiers);
            if let Some(per) = per {
                let same = per == cut.per;
                if same
                    || options.slab_bytes.is_none()
                        && SlabLayout::with(geometry, shapes, tiers, per.clone()).bytes <= self.bytes
                {
                    return Ok(per);
                }
            }
        }
        // Another rank may still be reading the layout.
        self.barrier()?;
        self.forget_slabs()?;
        self.store.forget(Part::Layout, 0).map_err(lost)?;
        if self.distributed.as_ref().is_none_or(|distributed| distributed.crew.rank() == 0) {
            self.store.put(key, text(&cut.per).into_bytes().into()).map_err(lost)?;
        }
        Ok(cut.per.clone())
    }

    /// Removes all slabs. Planes are removed before the census that vouches for them.
    fn forget_slabs(&self) -> Result<(), DenseError> {
        for part in Part::OF_SLABS {
            for tier in 0..=self.context.geometry.plies() {
                self.store.forget(part, tier).map_err(|why| DenseError::SlabStore { why })?;
            }
        }
        Ok(())
    }

    /// Solves the board.
    pub(crate) fn run(&self, monitor: &dyn Monitor, sink: Option<&dyn Sink>) -> Result<Solution, DenseError> {
        let plies = self.context.geometry.plies();
        let began = Instant::now();
        if let Some(payoff) = self.context.geometry.over {
            return Ok(self.context.finished(payoff, self.counting, &self.plan));
        }
        let schedule = self.schedule(monitor, sink)?;
        self.barrier()?;
        let mut counts = Counts { plies: vec![PlyCounts::default(); plies + 1] };
        let mut neighbour_buffers =
            NeighbourBuffers::new(self.context.geometry.shapes as usize, most_frames(self));
        let mut arenas = BufferPool::new(self);
        stages::begin_reach(monitor, work(self));
        for tier in 0..=plies {
            self.forward(monitor, tier, &schedule, &mut neighbour_buffers, &mut arenas)?;
        }
        stages::begin_values(monitor, work(self), true);
        if let Some(sink) = sink.filter(|sink| sink.wants(plies)) {
            // A full board is terminal: the rules give its value.
            sink.end(plies).map_err(|why| DenseError::Sink { tier: plies, why })?;
        }
        // The inputs of a tier are kept until its file is written; a distributed sink writes a tier's file during the
        // next tier, so they are kept one tier longer.
        let kept = usize::from(sink.is_some() && self.distributed.is_some());
        for tier in (0..plies).rev() {
            self.backward(monitor, sink, tier, &schedule, &mut neighbour_buffers, &mut arenas)?;
            // A tier that existed before did not wait for the file of the tier after it.
            if let Some(sink) = sink.filter(|sink| !sink.wants(tier)) {
                sink.settle().map_err(|why| DenseError::Sink { tier, why })?;
            }
            self.forget_tier(tier + 1 + self.finish_tier()? + kept)?;
        }
        if let Some(sink) = sink {
            sink.settle().map_err(|why| DenseError::Sink { tier: 0, why })?;
        }
        for (tier, ply) in counts.plies.iter_mut().enumerate() {
            count_reach(self, tier, ply)?;
            if tier < plies {
                count_values(self, tier, ply)?;
            }
        }
        let (value, best) = match plies {
            0 => (Value::TIE, Vec::new()),
            _ => {
                let offsets = [self.context.offsets(0, monitor)?, self.context.offsets(1, monitor)?];
                let arenas = [self.whole(0)?, self.whole(1)?];
                let tables =
                    |tier: usize| TierPlanes { tier, offsets: &offsets[tier], at: arenas[tier].at(0) };
                self.context.start(&tables(0), &tables(1))
            }
        };
        let exact = self.context.values == PlaneValues::Distance || value.verdict() == Verdict::Draw;
        let balance = self.balance(began)?;
        Ok(Solution {
            balance,
            verdict: value.verdict(),
            value: exact.then_some(value),
            best,
            counts: self.counting.then_some(counts),
            plan: self.plan.clone(),
        })
    }

    /// Whether the store holds a part of a finished slab. In a distributed solve, only slabs that existed at the start
    /// count, so that all ranks agree.
    fn holds(&self, key: SlabKey) -> bool {
        match &self.distributed {
            Some(distributed) => distributed.held_at_start(key),
            None => self.store.has(key) && self.store.has(key.finished()),
        }
    }

    /// Calls `with` with the inventory of slabs.
    fn inventory<T>(&self, sink: Option<&dyn Sink>, with: impl FnOnce(&SlabInventory<'_>) -> T) -> T {
        let slabs: Vec<usize> = self.slabs.iter().map(|slabs| slabs.count).collect();
        with(&SlabInventory {
            slabs: &slabs,
            planes: &|tier| self.context.planes(tier),
            has_images: &|tier, slab| self.slabs[tier].sources(slab).next().is_some(),
            holds: &|key| self.holds(key),
            wants: &|tier| sink.is_some_and(|sink| sink.wants(tier)),
        })
    }

    /// Decides which slabs to compute. A finished slab is computed again if it is damaged, or if it was discarded and a
    /// tier whose table is damaged needs it.
    fn schedule(&self, monitor: &dyn Monitor, sink: Option<&dyn Sink>) -> Result<Schedule, DenseError> {
        let schedule = self.inventory(sink, Schedule::new);
        if schedule.recomputed == 0 {
            return Ok(schedule);
        }
        monitor.note(&format!("{} slabs that were already finished are computed again", schedule.recomputed));
        if self.distributed.is_none() {
            return Ok(schedule);
        }
        // Other ranks would take the census of such a slab as proof that its planes exist.
        self.forget_slabs()?;
        Ok(self.inventory(sink, Schedule::new))
    }

    /// Starts prefetching the remote neighbours of the next tier's first slab.
    fn prefetch_next_tier(&self, tier: usize, neighbours: usize, direction: TierDirection) {
        let (Some(distributed), Some(&slab)) = (&self.distributed, self.mine(tier).first()) else { return };
        let planes = if direction == TierDirection::Up { self.context.planes(neighbours) } else { 0 };
        if direction == TierDirection::Down || planes > 0 {
            let (geometry, shapes) = (&self.context.geometry, &self.context.shapes);
            let of = (tier, &self.slabs[tier]);
            let bundles = self.slabs[neighbours].reads_of(geometry, shapes, of, slab, direction);
            distributed.fetch_ahead(keys(&bundles, neighbours, planes));
        }
    }

    /// Computes the live positions of a tier.
    fn forward(
        &self,
        monitor: &dyn Monitor,
        tier: usize,
        schedule: &Schedule,
        neighbour_buffers: &mut NeighbourBuffers,
        arenas: &mut BufferPool,
    ) -> Result<(), DenseError> {
        self.phase("forth");
        let (context, slabs) = (&self.context, &self.slabs[tier]);
        let mut todo = self.mine(tier);
        todo.retain(|slab| schedule.forward[tier].binary_search(slab).is_ok());
        let done = (slabs.count - todo.len()) * slabs.per;
        monitor.advance((done as u64) << context.tight.high(tier));
        if todo.is_empty() {
            return Ok(());
        }
        let offsets = context.offsets(tier, monitor)?;
        let lines = lines_of(self, tier);
        if tier == 0 {
            let live = Arena::new(lines)?;
            // SAFETY: the first tier has one shape with one colouring, the lowest bit of its only block.
            unsafe { *live.at(0) = 1 };
            let reach = self.codec.packed_live(&self.context, &live, lines)?;
            let key = |part| SlabKey { part, tier, slab: 0 };
            let census = census(&[(0, 1)]);
            for (part, bytes) in [(Part::Reach, reach), (Part::ReachCensus, census)] {
                self.store.put(key(part), bytes.into()).map_err(|why| DenseError::SlabStore { why })?;
            }
            return Ok(());
        }
        let live = arenas.live.take(lines * slabs.per as u64 + 1)?;
        let images = arenas.live_images.take(lines * most_images(self, tier) + 1)?;
        let last_offsets = context.offsets(tier - 1, monitor)?;
        let own = lines * 64 * (slabs.per as u64 + most_images(self, tier)) * 3 / 2;
        let mut near = NeighbourCache::new(
            context,
            (tier - 1, &self.slabs[tier - 1]),
            (tier, slabs),
            &todo,
            TierDirection::Down,
            0,
            self.bytes.saturating_sub(own) / 3 * 2,
            neighbour_buffers,
        )?;
        prefetch::with(&*self.store, |prefetcher| {
            prefetcher.fetch(near.keys(&near.missing(0)));
            for (turn, &slab) in todo.iter().enumerate() {
                let missing = near.missing(turn);
                near.load(turn, &missing, &self.timed_wait(|| prefetcher.fetched())?)?;
                if turn + 1 < todo.len() {
                    prefetcher.fetch(near.keys(&near.missing(turn + 1)));
                } else if tier < context.geometry.plies() {
                    self.prefetch_next_tier(tier + 1, tier, TierDirection::Down);
                }
                let (last, place) = near.tables();
                let pass = ForwardPass {
                    geometry: &context.geometry,
                    tight: &context.tight,
                    tier,
                    offsets: &offsets,
                    last_offsets: &last_offsets,
                    place,
                    last,
                    last_mirrored: last,
                };
                let stored = &context.shapes.tiers[tier].stored[slabs.places(slab)];
                let out = SharedPtr(live.at(0));
                let workers = context.run_blocks(
                    monitor,
                    tier,
                    stored.len(),
                    Vec::new(),
                    ForwardWorker::default,
                    |worker, i, blocks| {
                        worker.group = context.group(stored[i]);
                        monitor.advance(blocks.len() as u64);
                        // SAFETY: the shape's plane lies in the arena, which ends with a spare line.
                        unsafe {
                            let out = out.line(i as u64 * lines);
                            kernel::forward(context.level, &pass, worker, stored[i], blocks, out);
                        }
                    },
                )?;
                let mut kept = Vec::new();
                // A full board has no successors, so its live planes are not stored.
                if tier < context.geometry.plies() {
                    kept.push((
                        Part::Reach,
                        self.codec.packed_live(&self.context, &live, stored.len() as u64 * lines)?,
                    ));
                    let count = self.mirror(monitor, tier, slab, 1, &offsets, &live, &images)?;
                    if count > 0 {
                        kept.push((
                            Part::ReachImages,
                            self.codec.packed_live(&self.context, &images, count * lines)?,
                        ));
                    }
                }
                let sum = |of: fn(&ForwardWorker) -> &[[u64; WORDS]; 2]| {
                    let groups = workers.iter().map(|worker| {
                        let [once, twice] = of(worker);
                        once.iter().sum::<u64>() + 2 * twice.iter().sum::<u64>()
                    });
                    groups.sum::<u64>()
                };
                kept.push((Part::ReachCensus, census(&[(0, sum(|w| &w.legal)), (1, sum(|w| &w.finished))])));
                prefetcher.write(tier, slab, kept)?;
            }
            Ok(())
        })?;
        near.release();
        arenas.live.put(live);
        arenas.live_images.put(images);
        Ok(())
    }

    /// Computes the values of a tier.
    fn backward(
        &self,
        monitor: &dyn Monitor,
        sink: Option<&dyn Sink>,
        tier: usize,
        schedule: &Schedule,
        neighbour_buffers: &mut NeighbourBuffers,
        arenas: &mut BufferPool,
    ) -> Result<(), DenseError> {
        self.phase("back");
        let (context, slabs) = (&self.context, &self.slabs[tier]);
        let sink = sink.filter(|sink| sink.wants(tier));
        let mut todo = self.mine(tier);
        todo.retain(|slab| schedule.backward[tier].binary_search(slab).is_ok());
        let done = (slabs.count - todo.len()) * slabs.per;
        monitor.advance((done as u64) << context.tight.high(tier));
        if todo.is_empty() {
            // Finishing a tier is collective: other ranks may have put slots.
            if let Some(sink) = sink {
                sink.end(tier).map_err(|why| DenseError::Sink { tier, why })?;
            }
            return Ok(());
        }
        let (offsets, next_offsets) = (context.offsets(tier, monitor)?, context.offsets(tier + 1, monitor)?);
        let (planes, next_planes) = (context.planes(tier), context.planes(tier + 1));
        let lines = lines_of(self, tier);
        let shapes = slabs.per as u64;
        let images = most_images(self, tier);
        let live = arenas.live.take(lines * shapes)?;
        let care = arenas.care.take(lines * shapes)?;
        let table = arenas.table.take(lines * shapes * planes as u64)?;
        let live_images = arenas.live_images.take(lines * images)?;
        let table_images = arenas.table_images.take(lines * images * planes as u64)?;
        let own = lines * 64 * (shapes * (planes as u64 + 2) + images * (planes as u64 + 1)) * 3 / 2;
        let mut near = NeighbourCache::new(
            context,
            (tier + 1, &self.slabs[tier + 1]),
            (tier, slabs),
            &todo,
            TierDirection::Up,
            next_planes,
            self.bytes.saturating_sub(own) / 3 * 2,
            neighbour_buffers,
        )?;
        let export =
            sink.map(|sink| Ok((sink, Export::new(context, monitor, tier, &offsets)?))).transpose()?;
        prefetch::with(&*self.store, |prefetcher| {
            let reach = |slab| SlabKey { part: Part::Reach, tier, slab };
            let wanted = |near: &NeighbourCache<'_>, turn: usize| {
                let mut keys = vec![reach(todo[turn])];
                keys.extend(near.keys(&near.missing(turn)));
                keys
            };
            prefetcher.fetch(wanted(&near, 0));
            for (turn, &slab) in todo.iter().enumerate() {
                let missing = near.missing(turn);
                let packed = self.timed_wait(|| prefetcher.fetched())?;
                let mut guard = self.cpu_guard();
                let mut yield_cpu = || guard = guard.take().map(CpuGuard::yield_to_urgent);
                let stored = &context.shapes.tiers[tier].stored[slabs.places(slab)];
                self.codec.unpacked_live(
                    &self.context,
                    &live,
                    &packed[0],
                    stored.len() as u64 * lines,
                    tier,
                )?;
                yield_cpu();
                near.load(turn, &missing, &packed[1..])?;
                drop(packed);
                yield_cpu();
                if turn + 1 < todo.len() {
                    prefetcher.fetch(wanted(&near, turn + 1));
                } else if tier > 0 {
                    self.prefetch_next_tier(tier - 1, tier, TierDirection::Up);
                }
                // SAFETY: both arenas have the lines of the slab's live planes.
                unsafe {
                    let words = stored.len() * lines as usize * WORDS;
                    std::ptr::copy_nonoverlapping(live.at(0), care.at(0), words);
                }
                let (next, place) = near.tables();
                let pass = BackwardPass {
                    geometry: &context.geometry,
                    tight: &context.tight,
                    tier,
                    offsets: &offsets,
                    next_offsets: &next_offsets,
                    planes,
                    next_planes,
                    wdl: context.values == PlaneValues::Wdl,
                    place,
                    next,
                    next_mirrored: next,
                };
                let (out, matters) = (SharedPtr(table.at(0)), SharedPtr(care.at(0)));
                let make = || BackwardWorker::new(context.geometry.stacks.len());
                let workers = context.run_blocks(
                    monitor,
                    tier,
                    stored.len(),
                    Vec::new(),
                    make,
                    |worker, i, blocks| {
                        worker.group = context.group(stored[i]) * LEVELS;
                        monitor.advance(blocks.len() as u64);
                        // SAFETY: the shape's planes lie in the arenas, and each block belongs to one task.
                        unsafe {
                            let (out, live) =
                                (out.line(i as u64 * lines * planes as u64), matters.line(i as u64 * lines));
                            kernel::backward(
                                context.level,
                                &pass,
                                worker,
                                stored[i],
                                blocks,
                                out,
                                Some(live),
                            );
                        }
                    },
                )?;
                if let Some((sink, export)) = &export {
                    let places = slabs.places(slab);
                    let place = |place: usize| export.shapes.partition_point(|o| (o.place as usize) < place);
                    let first = places.start;
                    let source = |place: u32| {
                        let i = u64::from(place) - first as u64;
                        ShapePlanes {
                            table: out.line(i * lines * planes as u64),
                            care: matters.line(i * lines),
                        }
                    };
                    let outgoing = &export.shapes[place(places.start)..place(places.end)];
                    for outgoing in outgoing.chunks(outgoing.len().div_ceil(4).max(1)) {
                        yield_cpu();
                        export.put(monitor, *sink, outgoing, &source)?;
                    }
                }
                if self.inventory(None, |inventory| inventory.has_values(tier, slab)) {
                    continue;
                }
                yield_cpu();
                let mut kept = vec![(
                    Part::Values,
                    self.codec.packed_values(
                        &self.context,
                        &live,
                        &table,
                        stored.len() as u64 * lines,
                        planes,
                    )?,
                )];
                yield_cpu();
                let count = self.mirror(monitor, tier, slab, 1, &offsets, &live, &live_images)?;
                if count > 0 {
                    self.mirror(monitor, tier, slab, planes, &offsets, &table, &table_images)?;
                    let packed = self.codec.packed_values(
                        &self.context,
                        &live_images,
                        &table_images,
                        count * lines,
                        planes,
                    )?;
                    kept.push((Part::ValueImages, packed));
                }
                let mut tally: Vec<(u64, u64)> = (0..LEVELS as u64).map(|code| (code, 0)).collect();
                for (code, counters) in workers.iter().flat_map(|worker| worker.tally.iter().enumerate()) {
                    let times = if code < LEVELS { 1 } else { 2 };
                    tally[code % LEVELS].1 += counters.iter().sum::<u64>() * times;
                }
                tally.retain(|&(_, positions)| positions > 0);
                kept.push((Part::ValueCensus, census(&tally)));
                prefetcher.write(tier, slab, kept)?;
            }
            Ok(())
        })?;
        if let Some((sink, _)) = export {
            sink.end(tier).map_err(|why| DenseError::Sink { tier, why })?;
        }
        near.release();
        arenas.live.put(live);
        arenas.care.put(care);
        arenas.table.put(table);
        arenas.live_images.put(live_images);
        arenas.table_images.put(table_images);
        Ok(())
    }

    /// Makes the mirror images that neighbours of a slab read; returns their number.
    #[allow(clippy::too_many_arguments)]
    fn mirror(
        &self,
        monitor: &dyn Monitor,
        tier: usize,
        slab: usize,
        planes: usize,
        offsets: &[u32],
        from: &Arena,
        to: &Arena,
    ) -> Result<u64, DenseError> {
        let Some(mirror) = &self.context.geometry.mirror else { return Ok(0) };
        let slabs = &self.slabs[tier];
        let sources: Vec<usize> = slabs.sources(slab).collect();
        let lines = lines_of(self, tier) * planes as u64;
        let (from, to) = (SharedPtr(from.at(0)), SharedPtr(to.at(0)));
        let first = slabs.places(slab).start;
        let copy = |i: usize| {
            let shape = self.context.shapes.tiers[tier].stored[sources[i]];
            MirrorCopy {
                image: self.context.geometry.image(mirror, shape),
                from: SharedPtr(from.line((sources[i] - first) as u64 * lines)),
                to: SharedPtr(to.line(i as u64 * lines)),
            }
        };
        self.context.mirror(monitor, tier, planes, offsets, &copy, sources.len())?;
        Ok(sources.len() as u64)
    }

    /// Loads the planes of a small tier, all slabs in order.
    fn whole(&self, tier: usize) -> Result<Arena, DenseError> {
        let (slabs, planes, lines) = (&self.slabs[tier], self.context.planes(tier), lines_of(self, tier));
        let arena = Arena::new(lines * slabs.images.len() as u64 * planes as u64)?;
        let get = |part, slab| {
            self.store.get(SlabKey { part, tier, slab }).map_err(|why| DenseError::SlabStore { why })
        };
        for slab in (0..slabs.count).filter(|_| planes > 0) {
            let (reach, values) = (get(Part::Reach, slab)?, get(Part::Values, slab)?);
            let places = slabs.places(slab);
            let to = SharedPtr(arena.at(places.start as u64 * lines * planes as u64));
            self.codec.unpacked(
                &self.context,
                to,
                (&reach, Some(&values)),
                places.len() as u64 * lines,
                tier,
                planes,
            )?;
        }
        Ok(arena)
    }
}

/// Total number of blocks of all tiers, mirror images excluded.
fn work(solve: &SlabSolver) -> u64 {
    solve.plan.tiers.iter().map(|t| t.stored << solve.context.tight.high(t.tier)).sum()
}

/// Lines of one plane of a shape.
fn lines_of(solve: &SlabSolver, tier: usize) -> u64 {
    solve.context.tight.plane_lines(tier, solve.context.geometry.ones(tier))
}

/// Lines for the neighbour frames of any tier, at most.
fn most_frames(solve: &SlabSolver) -> u64 {
    let lines = |(tier, slabs): (usize, &Slabs)| {
        let planes = solve.context.planes(tier).max(1) * slabs.per * 2 * slabs.count;
        (lines_of(solve, tier) * planes as u64).min(solve.bytes / 64) + 1
    };
    solve.slabs.iter().enumerate().map(lines).max().unwrap_or(0)
}

/// Largest number of images of a slab of a tier.
fn most_images(solve: &SlabSolver, tier: usize) -> u64 {
    let slabs = &solve.slabs[tier];
    (0..slabs.count).map(|slab| slabs.sources(slab).count() as u64).max().unwrap_or(0)
}

/// Sums the censuses of a tier's slabs, over all ranks.
fn tally(solve: &SlabSolver, part: Part, tier: usize) -> Result<Vec<(u64, u64)>, DenseError> {
    let mut sum: Vec<(u64, u64)> = Vec::new();
    for slab in solve.mine(tier) {
        let bytes =
            solve.store.get(SlabKey { part, tier, slab }).map_err(|why| DenseError::SlabStore { why })?;
        add_census(&mut sum, &bytes);
    }
    let Some(distributed) = &solve.distributed else { return Ok(sum) };
    let gathered = solve.timed_wait(|| distributed.crew.all_gather(&census(&sum)));
    sum.clear();
    for bytes in gathered.map_err(|why| DenseError::SlabStore { why })? {
        add_census(&mut sum, &bytes);
    }
    Ok(sum)
}

fn count_reach(solve: &SlabSolver, tier: usize, ply: &mut PlyCounts) -> Result<(), DenseError> {
    let sum = tally(solve, Part::ReachCensus, tier)?;
    let of = |code: u64| sum.iter().find(|entry| entry.0 == code).map_or(0, |entry| entry.1);
    let distance = (solve.context.values == PlaneValues::Distance).then_some(0);
    let (legal, decided) = (of(0), of(1));
    ply.legal = legal;
    if tier > 0 {
        ply.add(solve.context.payoff_of_line(tier), distance, decided);
        (ply.finished, ply.decided) = (decided, decided);
    }
    if tier == solve.context.geometry.plies() {
        ply.add(0, None, legal - decided);
        ply.finished = legal;
    }
    Ok(())
}

fn count_values(solve: &SlabSolver, tier: usize, ply: &mut PlyCounts) -> Result<(), DenseError> {
    let mut sum = tally(solve, Part::ValueCensus, tier)?;
    sum.sort_unstable();
    for (code, positions) in sum {
        let (payoff, distance) = solve.context.decode(tier, code as usize);
        let distance = (solve.context.values == PlaneValues::Distance).then_some(distance);
        ply.add(payoff, distance, positions);
    }
    Ok(())
}

/// Whether the tiers can have slabs with these numbers of shapes.
fn is_valid_layout(solve: &SlabSolver, per: &[usize]) -> bool {
    let tiers = &solve.plan.tiers;
    per.len() == tiers.len()
        && per.iter().zip(tiers).all(|(&per, t)| per > 0 && per as u64 <= t.stored.max(1))
}
