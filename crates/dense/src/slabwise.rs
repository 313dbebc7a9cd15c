//! Solving slab by slab, for boards whose planes do not fit in memory.
//!
//! ```text
//!  a slab:   its neighbours are fetched and unpacked (one slab ahead, while the cores compute)
//!            it is computed, counted, exported, packed and kept, and so are the images that its neighbours ask for
//!  forth     tier 0 → N     live planes of all tiers are kept
//!  back      tier N-1 → 0   a tier's values are kept until those of the tier before are known
//! ```
//!
//! The passes are those of `engine`; only where the planes are differs. What was put into the depot is not computed
//! again, so that a run that was killed goes on with the slab it was at. A tier that is wanted by the sink is
//! computed whole: which of its positions are won at once is not kept.
//!
//! Where several processes solve a board together, each computes the slabs that are dealt to it and asks the others for
//! theirs (`dealt`).
//!
//! Invariant: a slab whose census is in the depot is whole, and cut as the depot's layout says.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::answer::Tables;
use crate::arena::{Arena, Room};
use crate::back::{Back, LEVELS, Worker};
use crate::census::{add_census, census};
use crate::counts::{Counts, PlyCounts};
use crate::dealt::Dealt;
use crate::depot::{Depot, Key, Part};
use crate::export::{Export, Sink, Source};
use crate::forth::{Forth, Walker};
use crate::kernel;
use crate::neighbours::{Neighbours, Spare, keys};
use crate::plan::Plan;
use crate::porter;
use crate::press::Press;
use crate::slabs::{Cut, Slabs, Way};
use crate::solve::{Balance, Options, Solution, Values};
use crate::squeeze::Effort;
use crate::tight::WORDS;
use crate::workshop::{Copy, Shared, Workshop};
use outplay_core::crew::{pack, unpack as numbers};
use outplay_core::{Held, Value, Verdict, Watch};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::Instant;

/// Where the planes of a slab and its images are while it is computed.
struct Rooms {
    live: Room,
    care: Room,
    table: Room,
    live_images: Room,
    table_images: Room,
}

impl Rooms {
    /// For the largest slabs of a board.
    fn new(slabwise: &Slabwise) -> Rooms {
        let most = |of: &dyn Fn(usize, u64) -> u64| {
            let lines = (0..slabwise.slabs.len()).map(|tier| of(tier, slabwise.lines(tier)));
            lines.max().unwrap_or(0)
        };
        let shapes = |tier: usize| slabwise.slabs[tier].per as u64;
        let planes = |tier: usize| slabwise.shop.planes(tier) as u64;
        // The forward kernel writes a line behind the last plane.
        Rooms {
            live: Room::new(most(&|tier, lines| shapes(tier) * lines + 1)),
            care: Room::new(most(&|tier, lines| shapes(tier) * lines)),
            table: Room::new(most(&|tier, lines| shapes(tier) * lines * planes(tier))),
            live_images: Room::new(most(&|tier, lines| slabwise.most_images(tier) * lines + 1)),
            table_images: Room::new(most(&|tier, lines| slabwise.most_images(tier) * lines * planes(tier))),
        }
    }
}

/// A solve under way.
pub(crate) struct Slabwise {
    shop: Workshop,
    plan: Plan,
    depot: Arc<dyn Depot>,
    /// The same depot where slabs are dealt over ranks.
    dealt: Option<Arc<Dealt>>,
    /// Microseconds for which this rank waited for slabs and for others.
    waited: AtomicU64,
    counting: bool,
    /// By tier.
    slabs: Vec<Slabs>,
    /// Bytes that may be used for planes.
    bytes: u64,
    press: Press,
}

impl Slabwise {
    /// `cut` says how a board is cut that nothing is known of yet, and `bytes` what planes may take. One of which the
    /// depot has slabs is cut as those are, unless that takes more memory.
    pub(crate) fn new(
        shop: Workshop,
        plan: Plan,
        mut depot: Arc<dyn Depot>,
        options: &Options,
        cut: &Cut,
        bytes: u64,
    ) -> Result<Slabwise, DenseError> {
        let mut dealt = None;
        if let Some(crew) = &options.crew {
            let shared = Arc::new(Dealt::new(depot, crew.clone())?);
            depot = shared.clone();
            dealt = Some(shared);
        }
        let mut slabwise = Slabwise {
            shop,
            plan,
            depot,
            dealt,
            waited: AtomicU64::new(0),
            counting: options.counts,
            slabs: Vec::new(),
            bytes,
            press: Press::new(if options.depot.is_none() { Effort::Swift } else { Effort::Small }),
        };
        let per = slabwise.layout(cut, options)?;
        let slabs = |(tier, &per): (usize, &usize)| {
            Slabs::new(&slabwise.shop.field, &slabwise.shop.shapes, tier, per)
        };
        slabwise.slabs = per.iter().enumerate().map(slabs).collect();
        if let Some(dealt) = &slabwise.dealt {
            dealt.deal(&slabwise.slabs.iter().map(Slabs::work).collect::<Vec<_>>());
        }
        Ok(slabwise)
    }

    /// The slabs of a tier that this process computes, in the order in which it does.
    fn mine(&self, tier: usize) -> Vec<usize> {
        match &self.dealt {
            Some(dealt) => dealt.mine(tier),
            None => (0..self.slabs[tier].count).collect(),
        }
    }

    /// Tells the crew what is done now.
    fn phase(&self, name: &'static str) {
        if let Some(dealt) = &self.dealt {
            dealt.crew.phase(name);
        }
    }

    /// Waits until all ranks are here.
    fn meet(&self) -> Result<(), DenseError> {
        let Some(dealt) = &self.dealt else { return Ok(()) };
        self.waiting(|| dealt.crew.meet().map_err(|why| DenseError::Depot { why }))
    }

    /// Says that one more tier has its values; how many tiers other ranks may be behind.
    fn behind(&self) -> Result<usize, DenseError> {
        let Some(dealt) = &self.dealt else { return Ok(0) };
        self.waiting(|| dealt.tier_done().map(|()| 1).map_err(|why| DenseError::Depot { why }))
    }

    /// Gives up the slabs of a tier that nobody will ask for.
    fn forget_tier(&self, tier: usize) -> Result<(), DenseError> {
        // The values of the second ply are asked for once more, for the best moves of the start.
        if tier <= 1 || tier > self.shop.field.plies() {
            return Ok(());
        }
        for part in [Part::Reach, Part::ReachImages, Part::Values, Part::ValueImages] {
            self.depot.forget(part, tier).map_err(|why| DenseError::Depot { why })?;
        }
        Ok(())
    }

    /// The right to compute, for a slab: what waits to be coded comes first.
    fn floor(&self) -> Option<Held<'_>> {
        self.dealt.as_ref().map(|dealt| dealt.crew.floor().take())
    }

    /// Waits for something, and remembers how long.
    fn waiting<T>(&self, wait: impl FnOnce() -> T) -> T {
        let began = Instant::now();
        let done = wait();
        self.waited.fetch_add(began.elapsed().as_micros() as u64, Relaxed);
        done
    }

    /// How the work was shared.
    fn balance(&self, began: Instant) -> Result<Option<Balance>, DenseError> {
        let Some(dealt) = &self.dealt else { return Ok(None) };
        let busy = (began.elapsed().as_micros() as u64).saturating_sub(self.waited.load(Relaxed));
        let told = dealt.crew.gather(&pack(&[busy, dealt.moved()]));
        let told = told.map_err(|why| DenseError::Depot { why })?;
        let mut balance = Balance::default();
        for bytes in told {
            let mut numbers = numbers(&bytes);
            balance.busy.push(numbers.next().unwrap_or(0) as f64 / 1e6);
            balance.moved += numbers.next().unwrap_or(0);
        }
        Ok(Some(balance))
    }

    /// By tier: shapes in a slab. Slabs that were cut otherwise are given up.
    fn layout(&self, cut: &Cut, options: &Options) -> Result<Vec<usize>, DenseError> {
        let key = Key { part: Part::Layout, tier: 0, slab: 0 };
        let lost = |why| DenseError::Depot { why };
        let text = |per: &[usize]| {
            let per: Vec<String> = per.iter().map(usize::to_string).collect();
            format!("{:?} {} {}", options.values, options.low, per.join(","))
        };
        if self.depot.has(key) {
            let found = String::from_utf8_lossy(&self.depot.get(key).map_err(lost)?).into_owned();
            let per: Option<Vec<usize>> = found
                .rsplit(' ')
                .next()
                .map(|list| list.split(',').filter_map(|shapes| shapes.parse().ok()).collect());
            let per = per.filter(|per| text(per) == found && self.may_be(per));
            let (field, shapes, tiers) = (&self.shop.field, &self.shop.shapes, &self.plan.tiers);
            if let Some(per) = per {
                let same = per == cut.per;
                if same
                    || options.slab_bytes.is_none()
                        && Cut::with(field, shapes, tiers, per.clone()).bytes <= self.bytes
                {
                    return Ok(per);
                }
            }
        }
        // Somebody may still be reading the layout.
        self.meet()?;
        self.forget_slabs()?;
        self.depot.forget(Part::Layout, 0).map_err(lost)?;
        if self.dealt.as_ref().is_none_or(|dealt| dealt.crew.rank() == 0) {
            self.depot.put(key, text(&cut.per).into_bytes().into()).map_err(lost)?;
        }
        Ok(cut.per.clone())
    }

    /// Whether the tiers can have slabs of so many shapes.
    fn may_be(&self, per: &[usize]) -> bool {
        let tiers = &self.plan.tiers;
        per.len() == tiers.len()
            && per.iter().zip(tiers).all(|(&per, t)| per > 0 && per as u64 <= t.stored.max(1))
    }

    /// Gives up all slabs. Planes go before the census that says that they are there.
    fn forget_slabs(&self) -> Result<(), DenseError> {
        for part in Part::OF_SLABS {
            for tier in 0..=self.shop.field.plies() {
                self.depot.forget(part, tier).map_err(|why| DenseError::Depot { why })?;
            }
        }
        Ok(())
    }

    /// Solves.
    pub(crate) fn run(&self, watch: &dyn Watch, sink: Option<&dyn Sink>) -> Result<Solution, DenseError> {
        let plies = self.shop.field.plies();
        let began = Instant::now();
        if let Some(payoff) = self.shop.field.over {
            return Ok(self.shop.finished(payoff, self.counting, &self.plan));
        }
        if !self.goes_on(sink) {
            self.forget_slabs()?;
        }
        self.meet()?;
        let mut counts = Counts { plies: vec![PlyCounts::default(); plies + 1] };
        let mut spare = Spare::new(self.shop.field.shapes as usize, self.most_frames());
        let mut rooms = Rooms::new(self);
        watch.stage("reach", self.work());
        for tier in 0..=plies {
            self.forth(watch, tier, &mut spare, &mut rooms)?;
        }
        watch.stage("values", self.work());
        if let Some(sink) = sink.filter(|sink| sink.wants(plies)) {
            // A full board is finished: the rules answer for all of it.
            sink.end(plies).map_err(|why| DenseError::Sink { tier: plies, why })?;
        }
        // What a tier is made of anew after a kill is kept until its file is there, which takes a tier longer where the file is
        // made meanwhile.
        let kept = usize::from(sink.is_some() && self.dealt.is_some());
        for tier in (0..plies).rev() {
            self.back(watch, sink, tier, &mut spare, &mut rooms)?;
            // A tier that was there before did not wait for the one behind it.
            if let Some(sink) = sink.filter(|sink| !sink.wants(tier)) {
                sink.settle().map_err(|why| DenseError::Sink { tier, why })?;
            }
            self.forget_tier(tier + 1 + self.behind()? + kept)?;
        }
        if let Some(sink) = sink {
            sink.settle().map_err(|why| DenseError::Sink { tier: 0, why })?;
        }
        for (tier, ply) in counts.plies.iter_mut().enumerate() {
            self.count_reach(tier, ply)?;
            if tier < plies {
                self.count_values(tier, ply)?;
            }
        }
        let (value, best) = match plies {
            0 => (Value::TIE, Vec::new()),
            _ => {
                let offsets = [self.shop.offsets(0, watch)?, self.shop.offsets(1, watch)?];
                let arenas = [self.whole(0)?, self.whole(1)?];
                let tables = |tier: usize| Tables { tier, offsets: &offsets[tier], at: arenas[tier].at(0) };
                self.shop.start(&tables(0), &tables(1))
            }
        };
        let exact = self.shop.values == Values::Distance || value.verdict() == Verdict::Draw;
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

    /// All blocks of all tiers, mirror images left out.
    fn work(&self) -> u64 {
        self.plan.tiers.iter().map(|t| t.stored << self.shop.tight.high(t.tier)).sum()
    }

    /// Lines of one plane of a shape.
    fn lines(&self, tier: usize) -> u64 {
        self.shop.tight.plane_lines(tier, self.shop.field.ones(tier))
    }

    /// Whether a slab is done.
    fn has(&self, part: Part, tier: usize, slab: usize) -> bool {
        self.depot.has(Key { part, tier, slab })
    }

    /// Whether what the depot has is all that the tiers still to be done ask for: a tier whose table was damaged
    /// afterwards asks for slabs that nobody needed any more.
    fn goes_on(&self, sink: Option<&dyn Sink>) -> bool {
        let all =
            |part: Part, tier: usize| (0..self.slabs[tier].count).all(|slab| self.has(part, tier, slab));
        let gone = |census: Part, part: Part, tier: usize| all(census, tier) && !all(part, tier);
        (0..self.shop.field.plies()).all(|tier| {
            let wanted = sink.is_some_and(|sink| sink.wants(tier)) || !all(Part::ValueCensus, tier);
            let next = tier + 1;
            let values = self.shop.planes(next) > 0;
            !wanted
                || !(gone(Part::ReachCensus, Part::Reach, tier)
                    || values && gone(Part::ValueCensus, Part::Values, next)
                    || values && gone(Part::ReachCensus, Part::Reach, next))
        })
    }

    /// Begins to fetch what the first slab of the tier that comes next asks other ranks for.
    fn look_ahead(&self, tier: usize, neighbours: usize, way: Way) {
        let (Some(dealt), Some(&slab)) = (&self.dealt, self.mine(tier).first()) else { return };
        let planes = if way == Way::Up { self.shop.planes(neighbours) } else { 0 };
        if way == Way::Down || planes > 0 {
            let (field, shapes) = (&self.shop.field, &self.shop.shapes);
            let of = (tier, &self.slabs[tier]);
            let bundles = self.slabs[neighbours].asked_by(field, shapes, of, slab, way);
            dealt.fetch_ahead(keys(&bundles, neighbours, planes));
        }
    }

    /// Finds the live positions of a tier.
    fn forth(
        &self,
        watch: &dyn Watch,
        tier: usize,
        spare: &mut Spare,
        rooms: &mut Rooms,
    ) -> Result<(), DenseError> {
        self.phase("forth");
        let (shop, slabs) = (&self.shop, &self.slabs[tier]);
        let mut todo = self.mine(tier);
        todo.retain(|&slab| !self.has(Part::ReachCensus, tier, slab));
        let done = (slabs.count - todo.len()) * slabs.per;
        watch.advance((done as u64) << shop.tight.high(tier));
        if todo.is_empty() {
            return Ok(());
        }
        let offsets = shop.offsets(tier, watch)?;
        let lines = self.lines(tier);
        if tier == 0 {
            let live = Arena::new(lines)?;
            // SAFETY: the first tier has one shape with one colouring, the lowest bit of its only block.
            unsafe { *live.at(0) = 1 };
            let reach = self.press.packed_live(&self.shop, &live, lines)?;
            let key = |part| Key { part, tier, slab: 0 };
            let census = census(&[(0, 1)]);
            for (part, bytes) in [(Part::Reach, reach), (Part::ReachCensus, census)] {
                self.depot.put(key(part), bytes.into()).map_err(|why| DenseError::Depot { why })?;
            }
            return Ok(());
        }
        let live = rooms.live.take(lines * slabs.per as u64 + 1)?;
        let images = rooms.live_images.take(lines * self.most_images(tier) + 1)?;
        let last_offsets = shop.offsets(tier - 1, watch)?;
        let own = lines * 64 * (slabs.per as u64 + self.most_images(tier)) * 3 / 2;
        let mut near = Neighbours::new(
            shop,
            (tier - 1, &self.slabs[tier - 1]),
            (tier, slabs),
            &todo,
            Way::Down,
            0,
            self.bytes.saturating_sub(own) / 3 * 2,
            spare,
        )?;
        porter::with(&*self.depot, |porter| {
            porter.fetch(near.keys(&near.missing(0)));
            for (turn, &slab) in todo.iter().enumerate() {
                let missing = near.missing(turn);
                near.seat(turn, &missing, &self.waiting(|| porter.fetched())?)?;
                if turn + 1 < todo.len() {
                    porter.fetch(near.keys(&near.missing(turn + 1)));
                } else if tier < shop.field.plies() {
                    self.look_ahead(tier + 1, tier, Way::Down);
                }
                let (last, place) = near.tables();
                let pass = Forth {
                    field: &shop.field,
                    tight: &shop.tight,
                    tier,
                    offsets: &offsets,
                    last_offsets: &last_offsets,
                    place,
                    last,
                    last_relaid: last,
                };
                let stored = &shop.shapes.tiers[tier].stored[slabs.places(slab)];
                let out = Shared(live.at(0));
                let walkers = shop.deal(
                    watch,
                    tier,
                    stored.len(),
                    Vec::new(),
                    Walker::default,
                    |walker, i, blocks| {
                        walker.group = shop.group(stored[i]);
                        watch.advance(blocks.len() as u64);
                        // SAFETY: the shape's plane lies in the arena, which ends with a spare line.
                        unsafe {
                            let out = out.line(i as u64 * lines);
                            kernel::forth(shop.level, &pass, walker, stored[i], blocks, out);
                        }
                    },
                )?;
                let mut kept = Vec::new();
                // Nobody moves on from a full board.
                if tier < shop.field.plies() {
                    kept.push((
                        Part::Reach,
                        self.press.packed_live(&self.shop, &live, stored.len() as u64 * lines)?,
                    ));
                    let count = self.mirror(watch, tier, slab, 1, &offsets, &live, &images)?;
                    if count > 0 {
                        kept.push((
                            Part::ReachImages,
                            self.press.packed_live(&self.shop, &images, count * lines)?,
                        ));
                    }
                }
                let sum = |of: fn(&Walker) -> &[[u64; WORDS]; 2]| {
                    let groups = walkers.iter().map(|walker| {
                        let [once, twice] = of(walker);
                        once.iter().sum::<u64>() + 2 * twice.iter().sum::<u64>()
                    });
                    groups.sum::<u64>()
                };
                kept.push((Part::ReachCensus, census(&[(0, sum(|w| &w.legal)), (1, sum(|w| &w.finished))])));
                porter.keep(tier, slab, kept)?;
            }
            Ok(())
        })?;
        near.leave();
        rooms.live.put(live);
        rooms.live_images.put(images);
        Ok(())
    }

    /// Finds the values of a tier.
    fn back(
        &self,
        watch: &dyn Watch,
        sink: Option<&dyn Sink>,
        tier: usize,
        spare: &mut Spare,
        rooms: &mut Rooms,
    ) -> Result<(), DenseError> {
        self.phase("back");
        let (shop, slabs) = (&self.shop, &self.slabs[tier]);
        let sink = sink.filter(|sink| sink.wants(tier));
        let mut todo = self.mine(tier);
        todo.retain(|&slab| sink.is_some() || !self.has(Part::ValueCensus, tier, slab));
        let done = (slabs.count - todo.len()) * slabs.per;
        watch.advance((done as u64) << shop.tight.high(tier));
        if todo.is_empty() {
            // What other ranks put is to be finished together.
            if let Some(sink) = sink {
                sink.end(tier).map_err(|why| DenseError::Sink { tier, why })?;
            }
            return Ok(());
        }
        let (offsets, next_offsets) = (shop.offsets(tier, watch)?, shop.offsets(tier + 1, watch)?);
        let (planes, next_planes) = (shop.planes(tier), shop.planes(tier + 1));
        let lines = self.lines(tier);
        let shapes = slabs.per as u64;
        let images = self.most_images(tier);
        let live = rooms.live.take(lines * shapes)?;
        let care = rooms.care.take(lines * shapes)?;
        let table = rooms.table.take(lines * shapes * planes as u64)?;
        let live_images = rooms.live_images.take(lines * images)?;
        let table_images = rooms.table_images.take(lines * images * planes as u64)?;
        let own = lines * 64 * (shapes * (planes as u64 + 2) + images * (planes as u64 + 1)) * 3 / 2;
        let mut near = Neighbours::new(
            shop,
            (tier + 1, &self.slabs[tier + 1]),
            (tier, slabs),
            &todo,
            Way::Up,
            next_planes,
            self.bytes.saturating_sub(own) / 3 * 2,
            spare,
        )?;
        let export = sink.map(|sink| Ok((sink, Export::new(shop, watch, tier, &offsets)?))).transpose()?;
        porter::with(&*self.depot, |porter| {
            let reach = |slab| Key { part: Part::Reach, tier, slab };
            let wanted = |near: &Neighbours<'_>, turn: usize| {
                let mut keys = vec![reach(todo[turn])];
                keys.extend(near.keys(&near.missing(turn)));
                keys
            };
            porter.fetch(wanted(&near, 0));
            for (turn, &slab) in todo.iter().enumerate() {
                let missing = near.missing(turn);
                let packed = self.waiting(|| porter.fetched())?;
                let mut floor = self.floor();
                let mut give_way = || floor = floor.take().map(Held::give_way);
                let stored = &shop.shapes.tiers[tier].stored[slabs.places(slab)];
                self.press.unpacked_live(&self.shop, &live, &packed[0], stored.len() as u64 * lines, tier)?;
                give_way();
                near.seat(turn, &missing, &packed[1..])?;
                drop(packed);
                give_way();
                if turn + 1 < todo.len() {
                    porter.fetch(wanted(&near, turn + 1));
                } else if tier > 0 {
                    self.look_ahead(tier - 1, tier, Way::Up);
                }
                // SAFETY: both arenas have the lines of the slab's live planes.
                unsafe {
                    let words = stored.len() * lines as usize * WORDS;
                    std::ptr::copy_nonoverlapping(live.at(0), care.at(0), words);
                }
                let (next, place) = near.tables();
                let pass = Back {
                    field: &shop.field,
                    tight: &shop.tight,
                    tier,
                    offsets: &offsets,
                    next_offsets: &next_offsets,
                    planes,
                    next_planes,
                    wdl: shop.values == Values::Wdl,
                    place,
                    next,
                    next_relaid: next,
                };
                let (out, matters) = (Shared(table.at(0)), Shared(care.at(0)));
                let make = || Worker::new(shop.field.stacks.len());
                let workers =
                    shop.deal(watch, tier, stored.len(), Vec::new(), make, |worker, i, blocks| {
                        worker.group = shop.group(stored[i]) * LEVELS;
                        watch.advance(blocks.len() as u64);
                        // SAFETY: the shape's planes lie in the arenas, and blocks belong to one task each.
                        unsafe {
                            let (out, live) =
                                (out.line(i as u64 * lines * planes as u64), matters.line(i as u64 * lines));
                            kernel::back(shop.level, &pass, worker, stored[i], blocks, out, Some(live));
                        }
                    })?;
                if let Some((sink, export)) = &export {
                    let places = slabs.places(slab);
                    let place = |place: usize| export.shapes.partition_point(|o| (o.place as usize) < place);
                    let first = places.start;
                    let source = |place: u32| {
                        let i = u64::from(place) - first as u64;
                        Source { table: out.line(i * lines * planes as u64), care: matters.line(i * lines) }
                    };
                    let outgoing = &export.shapes[place(places.start)..place(places.end)];
                    for outgoing in outgoing.chunks(outgoing.len().div_ceil(4).max(1)) {
                        give_way();
                        export.put(watch, *sink, outgoing, &source)?;
                    }
                }
                if self.has(Part::ValueCensus, tier, slab) {
                    continue;
                }
                give_way();
                let mut kept = vec![(
                    Part::Values,
                    self.press.packed_values(
                        &self.shop,
                        &live,
                        &table,
                        stored.len() as u64 * lines,
                        planes,
                    )?,
                )];
                give_way();
                let count = self.mirror(watch, tier, slab, 1, &offsets, &live, &live_images)?;
                if count > 0 {
                    self.mirror(watch, tier, slab, planes, &offsets, &table, &table_images)?;
                    let packed = self.press.packed_values(
                        &self.shop,
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
                porter.keep(tier, slab, kept)?;
            }
            Ok(())
        })?;
        if let Some((sink, _)) = export {
            sink.end(tier).map_err(|why| DenseError::Sink { tier, why })?;
        }
        near.leave();
        rooms.live.put(live);
        rooms.care.put(care);
        rooms.table.put(table);
        rooms.live_images.put(live_images);
        rooms.table_images.put(table_images);
        Ok(())
    }

    /// Lines that the frames of any tier's neighbours take at most.
    fn most_frames(&self) -> u64 {
        let lines = |(tier, slabs): (usize, &Slabs)| {
            let planes = self.shop.planes(tier).max(1) * slabs.per * 2 * slabs.count;
            (self.lines(tier) * planes as u64).min(self.bytes / 64) + 1
        };
        self.slabs.iter().enumerate().map(lines).max().unwrap_or(0)
    }

    /// How many images a slab of a tier has at most.
    fn most_images(&self, tier: usize) -> u64 {
        let slabs = &self.slabs[tier];
        (0..slabs.count).map(|slab| slabs.sources(slab).count() as u64).max().unwrap_or(0)
    }

    /// Makes the images that neighbours of a slab ask for, and says how many there are.
    #[allow(clippy::too_many_arguments)]
    fn mirror(
        &self,
        watch: &dyn Watch,
        tier: usize,
        slab: usize,
        planes: usize,
        offsets: &[u32],
        from: &Arena,
        to: &Arena,
    ) -> Result<u64, DenseError> {
        let Some(mirror) = &self.shop.field.mirror else { return Ok(0) };
        let slabs = &self.slabs[tier];
        let sources: Vec<usize> = slabs.sources(slab).collect();
        let lines = self.lines(tier) * planes as u64;
        let (from, to) = (Shared(from.at(0)), Shared(to.at(0)));
        let first = slabs.places(slab).start;
        let copy = |i: usize| {
            let shape = self.shop.shapes.tiers[tier].stored[sources[i]];
            Copy {
                image: self.shop.field.image(mirror, shape),
                from: Shared(from.line((sources[i] - first) as u64 * lines)),
                to: Shared(to.line(i as u64 * lines)),
            }
        };
        self.shop.mirror(watch, tier, planes, offsets, &copy, sources.len())?;
        Ok(sources.len() as u64)
    }

    /// The planes of a small tier, all slabs one after the other.
    fn whole(&self, tier: usize) -> Result<Arena, DenseError> {
        let (slabs, planes, lines) = (&self.slabs[tier], self.shop.planes(tier), self.lines(tier));
        let arena = Arena::new(lines * slabs.images.len() as u64 * planes as u64)?;
        let get =
            |part, slab| self.depot.get(Key { part, tier, slab }).map_err(|why| DenseError::Depot { why });
        for slab in (0..slabs.count).filter(|_| planes > 0) {
            let (reach, values) = (get(Part::Reach, slab)?, get(Part::Values, slab)?);
            let places = slabs.places(slab);
            let to = Shared(arena.at(places.start as u64 * lines * planes as u64));
            self.press.unpacked(
                &self.shop,
                to,
                (&reach, Some(&values)),
                places.len() as u64 * lines,
                tier,
                planes,
            )?;
        }
        Ok(arena)
    }

    /// Adds up what the slabs of a tier counted.
    fn tally(&self, part: Part, tier: usize) -> Result<Vec<(u64, u64)>, DenseError> {
        let mut sum: Vec<(u64, u64)> = Vec::new();
        for slab in self.mine(tier) {
            let bytes = self.depot.get(Key { part, tier, slab }).map_err(|why| DenseError::Depot { why })?;
            add_census(&mut sum, &bytes);
        }
        let Some(dealt) = &self.dealt else { return Ok(sum) };
        let told = self.waiting(|| dealt.crew.gather(&census(&sum)));
        sum.clear();
        for bytes in told.map_err(|why| DenseError::Depot { why })? {
            add_census(&mut sum, &bytes);
        }
        Ok(sum)
    }

    fn count_reach(&self, tier: usize, ply: &mut PlyCounts) -> Result<(), DenseError> {
        let sum = self.tally(Part::ReachCensus, tier)?;
        let of = |code: u64| sum.iter().find(|entry| entry.0 == code).map_or(0, |entry| entry.1);
        let distance = (self.shop.values == Values::Distance).then_some(0);
        let (legal, decided) = (of(0), of(1));
        ply.legal = legal;
        if tier > 0 {
            ply.add(self.shop.payoff_of_line(tier), distance, decided);
            (ply.finished, ply.decided) = (decided, decided);
        }
        if tier == self.shop.field.plies() {
            ply.add(0, None, legal - decided);
            ply.finished = legal;
        }
        Ok(())
    }

    fn count_values(&self, tier: usize, ply: &mut PlyCounts) -> Result<(), DenseError> {
        let mut sum = self.tally(Part::ValueCensus, tier)?;
        sum.sort_unstable();
        for (code, positions) in sum {
            let (payoff, distance) = self.shop.decode(tier, code as usize);
            let distance = (self.shop.values == Values::Distance).then_some(distance);
            ply.add(payoff, distance, positions);
        }
        Ok(())
    }
}
