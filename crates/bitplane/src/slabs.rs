//! Partition of a tier into slabs: groups of consecutive shapes that are computed, stored, fetched and packed together.
//!
//! ```text
//!  places     0 1 2 3 │ 4 5 6 7 │ 8 9 …           4 shapes in a slab
//!  images       1   2 │   1     │                 mirror images of some of them, numbered within the slab
//! ```
//!
//! Shapes with one stone more or less are read to compute a slab. Since the shapes of a slab are consecutive, the
//! shapes that they read lie in few slabs. Images form a *bundle* of their own, so that they can be fetched separately.
//!
//! Invariant: a mirror image is stored with the slab of the shape that it was made from.

use crate::back::MIRRORED;
use crate::field::BoardGeometry;
use crate::plan::TierPlan;
use crate::shapes::Shapes;
use std::ops::Range;

/// Target size of a slab's planes in bytes: enough to keep threads busy.
const TARGET_BYTES: u64 = 32 << 20;
/// Smallest target size in bytes, before slabs of one shape.
const MIN_TARGET_BYTES: u64 = 1 << 16;

/// Slabs of a tier for each rank: enough to fetch some while computing others.
const SLABS_PER_RANK: usize = 16;

/// Slabs smaller than this are not split further: requesting neighbours would take longer than computing.
const MIN_SPLIT_BYTES: u64 = 1 << 20;

/// Number of a slab of shapes (even) or of images (odd) of a tier.
pub(crate) type Bundle = u32;

/// Partition of a tier's shapes into slabs.
pub(crate) struct Slabs {
    /// Shapes in a slab.
    pub(crate) per: usize,
    /// Number of slabs.
    pub(crate) count: usize,
    /// By place: the index of the shape's image among those of its slab; `u32::MAX` if the image is not read.
    pub(crate) images: Vec<u32>,
}

/// Direction of neighbours.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum TierDirection {
    /// One stone less.
    Down,
    /// One stone more.
    Up,
}

impl Slabs {
    pub(crate) fn new(geometry: &BoardGeometry, shapes: &Shapes, tier: usize, per: usize) -> Slabs {
        let stored = &shapes.tiers[tier].stored;
        let mut images = vec![u32::MAX; stored.len()];
        for slab in images.chunks_mut(per).zip(stored.chunks(per)) {
            let mut count = 0;
            for (image, &shape) in slab.0.iter_mut().zip(slab.1) {
                if geometry.mirror.is_some() && geometry.lean(shape) == 1 {
                    *image = count;
                    count += 1;
                }
            }
        }
        Slabs { per, count: stored.len().div_ceil(per), images }
    }

    /// Returns the places of a slab's shapes.
    pub(crate) fn places(&self, slab: usize) -> Range<usize> {
        slab * self.per..((slab + 1) * self.per).min(self.images.len())
    }

    /// Returns the places of a slab's shapes whose images are read.
    pub(crate) fn sources(&self, slab: usize) -> impl Iterator<Item = usize> + '_ {
        self.places(slab).filter(|&place| self.images[place] != u32::MAX)
    }

    /// Work of each slab. An image is made, packed and requested, which takes about as long as computing a shape.
    pub(crate) fn work(&self) -> Vec<u64> {
        (0..self.count).map(|slab| (self.places(slab).len() + self.sources(slab).count()) as u64).collect()
    }

    /// Returns the bundle of a shape of this tier.
    fn bundle(&self, geometry: &BoardGeometry, shapes: &Shapes, shape: u32) -> Bundle {
        let place = shapes.place[shape as usize];
        match &geometry.mirror {
            Some(mirror) if place & MIRRORED != 0 => {
                let source = shapes.place[geometry.image(mirror, shape) as usize] as usize;
                (source / self.per * 2 + 1) as Bundle
            }
            _ => (place as usize / self.per * 2) as Bundle,
        }
    }

    /// By slab of `tier`: the bundles of this tier, the next one that way, that its shapes read.
    pub(crate) fn reads(
        &self,
        geometry: &BoardGeometry,
        shapes: &Shapes,
        (tier, own): (usize, &Slabs),
        direction: TierDirection,
    ) -> Vec<Vec<Bundle>> {
        (0..own.count).map(|slab| self.reads_of(geometry, shapes, (tier, own), slab, direction)).collect()
    }

    /// Does the same for one slab.
    pub(crate) fn reads_of(
        &self,
        geometry: &BoardGeometry,
        shapes: &Shapes,
        (tier, own): (usize, &Slabs),
        slab: usize,
        direction: TierDirection,
    ) -> Vec<Bundle> {
        let mut bundles = Vec::new();
        for &shape in &shapes.tiers[tier].stored[own.places(slab)] {
            for (i, stack) in geometry.stacks.iter().enumerate() {
                let count = geometry.count(shape, i);
                let neighbour = match direction {
                    TierDirection::Up if count < stack.variables.len() => shape + stack.step,
                    TierDirection::Down if count > 0 => shape - stack.step,
                    _ => continue,
                };
                let bundle = self.bundle(geometry, shapes, neighbour);
                if !bundles.contains(&bundle) {
                    bundles.push(bundle);
                }
            }
        }
        bundles.sort_unstable();
        bundles
    }
}

/// Partition of a board's tiers into slabs.
#[derive(Clone, Debug)]
pub(crate) struct SlabLayout {
    /// By tier: shapes in a slab.
    pub(crate) per: Vec<usize>,
    /// Peak memory of a slab in bytes, including its neighbours and data in transit.
    pub(crate) bytes: u64,
}

impl SlabLayout {
    /// Chooses the largest slabs that fit in `allowed` bytes, or the smallest there are.
    pub(crate) fn new(
        geometry: &BoardGeometry,
        shapes: &Shapes,
        tiers: &[TierPlan],
        allowed: u64,
    ) -> SlabLayout {
        let mut target = TARGET_BYTES;
        loop {
            let cut = SlabLayout::of(geometry, shapes, tiers, target);
            if cut.bytes <= allowed || target == 0 {
                return cut;
            }
            target = if target > MIN_TARGET_BYTES { target / 2 } else { 0 };
        }
    }

    /// Cuts slabs of about `target` bytes, and at least of one shape.
    pub(crate) fn of(
        geometry: &BoardGeometry,
        shapes: &Shapes,
        tiers: &[TierPlan],
        target: u64,
    ) -> SlabLayout {
        let per = |t: &TierPlan| (target / table(t, t.planes + 2).max(1)).clamp(1, t.stored.max(1)) as usize;
        SlabLayout::with(geometry, shapes, tiers, tiers.iter().map(per).collect())
    }

    /// Chooses the largest slabs that fit in `allowed` bytes and give each of `ranks` ranks enough of them.
    pub(crate) fn distributed(
        geometry: &BoardGeometry,
        shapes: &Shapes,
        tiers: &[TierPlan],
        allowed: u64,
        target: Option<u64>,
        ranks: usize,
    ) -> SlabLayout {
        let most = |t: &TierPlan| {
            let worth = MIN_SPLIT_BYTES / table(t, t.planes + 2).max(1);
            (t.stored.div_ceil((ranks * SLABS_PER_RANK) as u64)).max(worth).clamp(1, t.stored.max(1)) as usize
        };
        let mut target = target.unwrap_or(TARGET_BYTES);
        loop {
            let cut = SlabLayout::of(geometry, shapes, tiers, target);
            let per = cut.per.iter().zip(tiers).map(|(&per, t)| per.min(most(t))).collect();
            let cut = SlabLayout::with(geometry, shapes, tiers, per);
            if cut.bytes <= allowed || target == 0 {
                return cut;
            }
            target = if target > MIN_TARGET_BYTES { target / 2 } else { 0 };
        }
    }

    /// Cuts slabs with `per` shapes, by tier.
    pub(crate) fn with(
        geometry: &BoardGeometry,
        shapes: &Shapes,
        tiers: &[TierPlan],
        per: Vec<usize>,
    ) -> SlabLayout {
        let slabs: Vec<Slabs> =
            per.iter().enumerate().map(|(tier, &per)| Slabs::new(geometry, shapes, tier, per)).collect();
        let most = |tier: usize, next: usize, direction: TierDirection| {
            let reads = slabs[next].reads(geometry, shapes, (tier, &slabs[tier]), direction);
            reads.iter().map(Vec::len).max().unwrap_or(0) as u64
        };
        let mut bytes = 0;
        for t in tiers {
            let shapes = per[t.tier] as u64;
            if t.tier > 0 {
                let frame = table(&tiers[t.tier - 1], 1) * per[t.tier - 1] as u64;
                bytes = bytes.max(in_use(
                    shapes * table(t, 2),
                    frame,
                    most(t.tier, t.tier - 1, TierDirection::Down),
                ));
            }
            if t.tier + 1 < tiers.len() {
                let next = &tiers[t.tier + 1];
                let frame = table(next, next.planes) * per[next.tier] as u64;
                let frames = if next.planes > 0 { most(t.tier, next.tier, TierDirection::Up) } else { 0 };
                bytes = bytes.max(in_use(shapes * table(t, 2 * t.planes + 3), frame, frames));
            }
        }
        SlabLayout { per, bytes }
    }
}

/// Bytes of `planes` planes of one shape.
fn table(t: &TierPlan, planes: usize) -> u64 {
    t.reach_lines.checked_div(t.stored).unwrap_or(0) * 64 * planes as u64
}

/// Memory of a slab and its neighbour frames in bytes; half as much again is packed data in transit.
pub(crate) fn in_use(own: u64, frame: u64, frames: u64) -> u64 {
    own + own / 2 + frames * frame + frames * frame / 2
}
