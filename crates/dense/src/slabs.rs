//! Slabs: computed shapes of a tier that are kept, fetched and packed together.
//!
//! ```text
//!  places     0 1 2 3 │ 4 5 6 7 │ 8 9 …           per = 4 shapes in a slab
//!  images       1   2 │   1     │                 mirror images that neighbours ask for, slab by slab
//! ```
//!
//! Neighbours lie one stone up or down, so the shapes of a slab, whose numbers follow each other, have their
//! neighbours in few slabs.
//!
//! Invariant: an image lies in the slab of images that has the number of its source's slab.

use crate::back::RELAID;
use crate::field::Field;
use crate::plan::TierPlan;
use crate::shapes::Shapes;
use std::ops::Range;

/// Bytes of planes that a slab should have: enough to keep threads busy.
const LARGE: u64 = 32 << 20;
/// Bytes below which slabs are not made smaller, except down to one shape.
const SMALL: u64 = 1 << 16;

/// Slabs that each rank of a crew should have of a tier: enough to fetch some while computing others.
const HANDS: usize = 16;

/// Bytes below which a slab is not dealt in parts: it would take longer to ask for neighbours than to compute.
const WORTH: u64 = 1 << 20;

/// A slab of shapes or of images of a tier, as one number.
pub(crate) type Bundle = u32;

/// The shapes of a tier in slabs.
pub(crate) struct Slabs {
    /// Shapes in a slab.
    pub(crate) per: usize,
    /// How many slabs there are.
    pub(crate) count: usize,
    /// By place: how many images come before that of the shape in its slab; `u32::MAX` if nobody asks for it.
    pub(crate) images: Vec<u32>,
}

/// Which way neighbours lie.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Way {
    /// One stone less.
    Down,
    /// One stone more.
    Up,
}

impl Slabs {
    pub(crate) fn new(field: &Field, shapes: &Shapes, tier: usize, per: usize) -> Slabs {
        let stored = &shapes.tiers[tier].stored;
        let mut images = vec![u32::MAX; stored.len()];
        for slab in images.chunks_mut(per).zip(stored.chunks(per)) {
            let mut count = 0;
            for (image, &shape) in slab.0.iter_mut().zip(slab.1) {
                if field.mirror.is_some() && field.lean(shape) == 1 {
                    *image = count;
                    count += 1;
                }
            }
        }
        Slabs { per, count: stored.len().div_ceil(per), images }
    }

    /// The places of a slab's shapes.
    pub(crate) fn places(&self, slab: usize) -> Range<usize> {
        slab * self.per..((slab + 1) * self.per).min(self.images.len())
    }

    /// The places of a slab's shapes whose images are asked for.
    pub(crate) fn sources(&self, slab: usize) -> impl Iterator<Item = usize> + '_ {
        self.places(slab).filter(|&place| self.images[place] != u32::MAX)
    }

    /// By slab: how much work it is. An image is made, packed and asked for, which takes about as long as a shape does.
    pub(crate) fn work(&self) -> Vec<u64> {
        (0..self.count).map(|slab| (self.places(slab).len() + self.sources(slab).count()) as u64).collect()
    }

    /// The bundle in which a shape of this tier lies.
    fn bundle(&self, field: &Field, shapes: &Shapes, shape: u32) -> Bundle {
        let place = shapes.place[shape as usize];
        match &field.mirror {
            Some(mirror) if place & RELAID != 0 => {
                let source = shapes.place[field.image(mirror, shape) as usize] as usize;
                (source / self.per * 2 + 1) as Bundle
            }
            _ => (place as usize / self.per * 2) as Bundle,
        }
    }

    /// By slab of `tier`: the bundles of this tier, which is the next one that way, that its shapes ask for.
    pub(crate) fn asked(
        &self,
        field: &Field,
        shapes: &Shapes,
        (tier, own): (usize, &Slabs),
        way: Way,
    ) -> Vec<Vec<Bundle>> {
        (0..own.count).map(|slab| self.asked_by(field, shapes, (tier, own), slab, way)).collect()
    }

    /// The same for one slab.
    pub(crate) fn asked_by(
        &self,
        field: &Field,
        shapes: &Shapes,
        (tier, own): (usize, &Slabs),
        slab: usize,
        way: Way,
    ) -> Vec<Bundle> {
        let mut bundles = Vec::new();
        for &shape in &shapes.tiers[tier].stored[own.places(slab)] {
            for (i, stack) in field.stacks.iter().enumerate() {
                let count = field.count(shape, i);
                let neighbour = match way {
                    Way::Up if count < stack.variables.len() => shape + stack.step,
                    Way::Down if count > 0 => shape - stack.step,
                    _ => continue,
                };
                let bundle = self.bundle(field, shapes, neighbour);
                if !bundles.contains(&bundle) {
                    bundles.push(bundle);
                }
            }
        }
        bundles.sort_unstable();
        bundles
    }
}

/// How a board is cut into slabs.
#[derive(Clone, Debug)]
pub(crate) struct Cut {
    /// By tier: shapes in a slab.
    pub(crate) per: Vec<usize>,
    /// Bytes of memory that the hungriest slab takes, its neighbours and what is on its way included.
    pub(crate) bytes: u64,
}

impl Cut {
    /// The largest slabs that fit in so many bytes, or the smallest there are.
    pub(crate) fn new(field: &Field, shapes: &Shapes, tiers: &[TierPlan], allowed: u64) -> Cut {
        let mut target = LARGE;
        loop {
            let cut = Cut::of(field, shapes, tiers, target);
            if cut.bytes <= allowed || target == 0 {
                return cut;
            }
            target = if target > SMALL { target / 2 } else { 0 };
        }
    }

    /// Slabs of about so many bytes, and at least of one shape.
    pub(crate) fn of(field: &Field, shapes: &Shapes, tiers: &[TierPlan], target: u64) -> Cut {
        let per = |t: &TierPlan| (target / table(t, t.planes + 2).max(1)).clamp(1, t.stored.max(1)) as usize;
        Cut::with(field, shapes, tiers, tiers.iter().map(per).collect())
    }

    /// The largest slabs that fit in so many bytes and can be dealt over so many ranks.
    pub(crate) fn dealt(
        field: &Field,
        shapes: &Shapes,
        tiers: &[TierPlan],
        allowed: u64,
        target: Option<u64>,
        ranks: usize,
    ) -> Cut {
        let most = |t: &TierPlan| {
            let worth = WORTH / table(t, t.planes + 2).max(1);
            (t.stored.div_ceil((ranks * HANDS) as u64)).max(worth).clamp(1, t.stored.max(1)) as usize
        };
        let mut target = target.unwrap_or(LARGE);
        loop {
            let cut = Cut::of(field, shapes, tiers, target);
            let per = cut.per.iter().zip(tiers).map(|(&per, t)| per.min(most(t))).collect();
            let cut = Cut::with(field, shapes, tiers, per);
            if cut.bytes <= allowed || target == 0 {
                return cut;
            }
            target = if target > SMALL { target / 2 } else { 0 };
        }
    }

    /// Slabs of so many shapes, tier by tier.
    pub(crate) fn with(field: &Field, shapes: &Shapes, tiers: &[TierPlan], per: Vec<usize>) -> Cut {
        let slabs: Vec<Slabs> =
            per.iter().enumerate().map(|(tier, &per)| Slabs::new(field, shapes, tier, per)).collect();
        let most = |tier: usize, next: usize, way: Way| {
            let asked = slabs[next].asked(field, shapes, (tier, &slabs[tier]), way);
            asked.iter().map(Vec::len).max().unwrap_or(0) as u64
        };
        let mut bytes = 0;
        for t in tiers {
            let shapes = per[t.tier] as u64;
            if t.tier > 0 {
                let frame = table(&tiers[t.tier - 1], 1) * per[t.tier - 1] as u64;
                bytes = bytes.max(in_use(shapes * table(t, 2), frame, most(t.tier, t.tier - 1, Way::Down)));
            }
            if t.tier + 1 < tiers.len() {
                let next = &tiers[t.tier + 1];
                let frame = table(next, next.planes) * per[next.tier] as u64;
                let frames = if next.planes > 0 { most(t.tier, next.tier, Way::Up) } else { 0 };
                bytes = bytes.max(in_use(shapes * table(t, 2 * t.planes + 3), frame, frames));
            }
        }
        Cut { per, bytes }
    }
}

/// Bytes of so many planes of one shape.
fn table(t: &TierPlan, planes: usize) -> u64 {
    t.reach_lines.checked_div(t.stored).unwrap_or(0) * 64 * planes as u64
}

/// Bytes that a slab takes together with so many frames: half as much again is packed and on its way.
pub(crate) fn in_use(own: u64, frame: u64, frames: u64) -> u64 {
    own + own / 2 + frames * frame + frames * frame / 2
}
