//! Size estimates of a line board, tier by tier: the input to the time, memory and disk forecast of a dense solve.
//!
//! The number of slots (ranks of the index) is counted. The numbers of legal positions and of positions that a table
//! has to store are estimated by random sampling.

use crate::rates::GRANULE;
use crate::{GameHandle, Numbers};
use outplay_bitplane::Plan;
use outplay_core::{AnyPosition, Notation, Tier};
use outplay_runtime::Monitor;
use outplay_solve::settled;
use outplay_table::TRAINED;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;

/// Random slots sampled in each tier.
const SAMPLE: u64 = 3000;

/// Slots whose export takes the time of coding one stored position.
const SLOTS_PER_POSITION: f64 = 40.0;
/// Time to train the model on a position, relative to coding it.
const TRAINING: f64 = 2.0;

/// Sizes of one tier.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct TierExtent {
    /// Bytes of one plane of the computed shapes.
    pub(crate) plane: f64,
    /// Planes of values.
    pub(crate) planes: f64,
    /// Slots, mirror images included.
    pub(crate) slots: f64,
    /// Fraction of shapes that are computed.
    pub(crate) computed: f64,
    /// Neighbours of a shape with one stone less, and with one more.
    pub(crate) down: f64,
    pub(crate) up: f64,
    /// Legal positions.
    pub(crate) live: f64,
    /// Positions that a table has to store.
    pub(crate) stored: f64,
}

impl TierExtent {
    /// Coding time of the tier in units of one stored position: a slot that is skipped costs a little, and a position
    /// that trains the model costs more.
    pub(crate) fn coding(&self) -> f64 {
        self.stored
            + TRAINING * self.stored.min(TRAINED as f64)
            + self.slots * self.computed / SLOTS_PER_POSITION
    }

    /// Bytes that the runs of a tier take for granules, one each, whether or not their slots are stored.
    pub(crate) fn granules(&self) -> f64 {
        self.slots * self.computed / GRANULE
    }

    /// Live positions of computed shapes.
    pub(crate) fn live_computed(&self) -> f64 {
        self.live * self.computed
    }
}

/// Sizes of a board.
#[derive(Clone, Debug, Default)]
pub(crate) struct Extent {
    pub(crate) tiers: Vec<TierExtent>,
}

impl Extent {
    /// Computes all that follows from the plan; `live` and `stored` remain 0.
    pub(crate) fn new(plan: &Plan) -> Extent {
        let plies = plan.tiers.len() - 1;
        let tier = |t: &outplay_bitplane::TierPlan| TierExtent {
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

/// Estimates the numbers of legal and stored slots of each tier.
pub(crate) fn estimate(handle: &GameHandle, extent: &mut Extent, index: &dyn Numbers, watch: &dyn Monitor) {
    let sizes = index.sizes();
    watch.stage("estimating the number of positions", extent.tiers.len() as u64);
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
            let pos = index.position(Tier(tier as u32), number).filter(|pos| is_reached(handle, pos));
            if let Some(pos) = pos {
                live += 1;
                stored += u64::from(settled(handle.game(), &pos, &mut Vec::new()).is_none());
            }
        }
        let share = t.slots / tries.max(1) as f64;
        (t.live, t.stored) = (live as f64 * share, stored as f64 * share * t.computed);
        watch.advance(1);
    });
}

/// Whether play reaches the position: parsing refuses unreachable ones.
pub(crate) fn is_reached(handle: &GameHandle, pos: &AnyPosition) -> bool {
    handle.game().read_position(&handle.game().write_position(pos)).is_ok()
}
