//! How large a board is, tier by tier: what the time, the memory and the disk of a dense solve follow from.
//!
//! Slots are counted; how many of them are legal, and how many a table has to store, is estimated from random ones.

use crate::entry::Entry;
use crate::kernels::Numbers;
use crate::rates::GRANULE;
use outplay_core::{AnyPosition, Notation, Tier, Watch};
use outplay_dense::Plan;
use outplay_solve::settled;
use outplay_table::TRAINED;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// Random slots that are looked at in every tier.
const SAMPLE: u64 = 3000;

/// Slots whose export takes as long as coding one stored position.
const SLOTS_PER_POSITION: f64 = 40.0;
/// How many times longer than coding a position training the model on it takes.
const TRAINING: f64 = 2.0;

/// One tier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TierExtent {
    /// Bytes of one plane of the computed shapes.
    pub(crate) plane: f64,
    /// Planes of values.
    pub(crate) planes: f64,
    /// Slots, mirror images counted.
    pub(crate) slots: f64,
    /// Computed shapes among all.
    pub(crate) computed: f64,
    /// Neighbours of a shape with a stone less, and with one more.
    pub(crate) down: f64,
    pub(crate) up: f64,
    /// Legal positions.
    pub(crate) live: f64,
    /// Positions that a table has to store.
    pub(crate) stored: f64,
}

impl TierExtent {
    /// What coding the tier takes, in stored positions: a slot that is looked at takes a little, and positions that the
    /// model is trained on take longer.
    pub(crate) fn coding(&self) -> f64 {
        self.stored
            + TRAINING * self.stored.min(TRAINED as f64)
            + self.slots * self.computed / SLOTS_PER_POSITION
    }

    /// Bytes that the runs of a tier have for slots that nobody asks for.
    pub(crate) fn granules(&self) -> f64 {
        self.slots * self.computed / GRANULE
    }

    /// Live positions of computed shapes.
    pub(crate) fn live_computed(&self) -> f64 {
        self.live * self.computed
    }
}

/// A board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extent {
    pub(crate) tiers: Vec<TierExtent>,
}

impl Extent {
    /// What follows from the plan alone; `live` and `stored` are left at 0.
    pub(crate) fn new(plan: &Plan) -> Extent {
        let plies = plan.tiers.len() - 1;
        let tier = |t: &outplay_dense::TierPlan| TierExtent {
            plane: t.plane_bytes() as f64,
            planes: t.planes as f64,
            slots: t.shapes as f64 * t.slots as f64,
            computed: t.stored as f64 / t.shapes.max(1) as f64,
            down: plan.stacks.min(t.tier) as f64,
            up: plan.stacks.min(plies - t.tier) as f64,
            ..TierExtent::default()
        };
        Extent { tiers: plan.tiers.iter().map(tier).collect() }
    }

    pub(crate) fn sum(&self, of: impl Fn(&TierExtent) -> f64) -> f64 {
        self.tiers.iter().map(of).sum()
    }
}

impl Entry {
    /// Estimates how many slots of each tier are legal and how many are stored.
    pub(crate) fn estimate(&self, extent: &mut Extent, index: &dyn Numbers, watch: &dyn Watch) {
        let sizes = index.sizes();
        watch.stage("estimating", extent.tiers.len() as u64);
        extent.tiers.par_iter_mut().zip(&sizes).enumerate().for_each(|(tier, (t, &size))| {
            let mut rng = SmallRng::seed_from_u64(tier as u64 + 1);
            let (mut live, mut stored) = (0u64, 0u64);
            // A small tier is counted rather than sampled.
            let all = size <= SAMPLE;
            let tries = size.min(SAMPLE);
            for i in 0..tries {
                if watch.stopped() {
                    return;
                }
                let number = if all { i } else { rng.random_range(0..size) };
                let pos = index.position(Tier(tier as u32), number).filter(|pos| self.is_reached(pos));
                if let Some(pos) = pos {
                    live += 1;
                    stored += u64::from(settled(self.game(), &pos, &mut Vec::new()).is_none());
                }
            }
            let share = t.slots / tries.max(1) as f64;
            (t.live, t.stored) = (live as f64 * share, stored as f64 * share * t.computed);
            watch.advance(1);
        });
    }

    /// Whether a game reaches the position: reading refuses what none does.
    pub(crate) fn is_reached(&self, pos: &AnyPosition) -> bool {
        self.game().read_position(&self.game().write_position(pos)).is_ok()
    }
}
