//! Dependency schedule of an out-of-core solve: the slabs to compute, given the contents of the store.
//!
//! A run may resume from a store that is incomplete or damaged. Live planes mark the legal positions of a slab in which
//! the game goes on.
//!
//! ```text
//!  live planes of a slab, tier t    depend on the live planes of tier t-1
//!  values of a slab, tier t         depend on its live planes, and on the values and live planes of tier t+1
//! ```
//!
//! Planes of finished tiers are discarded, so a damaged or lost slab may depend on slabs that no longer exist. The
//! schedule is closed under these dependencies: it includes every slab that has to be recomputed, back to planes that
//! still exist or to the first tier. Inputs are tracked tier by tier, results slab by slab.
//!
//! Invariant: every input of a scheduled slab is in the store or is scheduled before it.

use crate::slab_store::{Part, SlabKey};

/// Inventory of the store and of the tables to write.
pub(crate) struct SlabInventory<'a> {
    /// By tier: the number of slabs.
    pub(crate) slabs: &'a [usize],
    /// By tier: number of value planes, 0 for the last tier.
    pub(crate) planes: &'a dyn Fn(usize) -> usize,
    /// Whether neighbours read mirror images of a slab's shapes.
    pub(crate) has_images: &'a dyn Fn(usize, usize) -> bool,
    /// Whether the store holds a part of a finished slab.
    pub(crate) holds: &'a dyn Fn(SlabKey) -> bool,
    /// Whether all values of a tier are computed because its file has to be written.
    pub(crate) wants: &'a dyn Fn(usize) -> bool,
}

impl SlabInventory<'_> {
    fn last(&self) -> usize {
        self.slabs.len().saturating_sub(1)
    }

    /// Whether the live planes of a slab exist. Those of the last tier are never stored.
    fn has_reach(&self, tier: usize, slab: usize) -> bool {
        let holds = |part| (self.holds)(SlabKey { part, tier, slab });
        tier == self.last()
            || holds(Part::Reach) && (!(self.has_images)(tier, slab) || holds(Part::ReachImages))
    }

    /// Whether the values of a slab exist.
    pub(crate) fn has_values(&self, tier: usize, slab: usize) -> bool {
        let holds = |part| (self.holds)(SlabKey { part, tier, slab });
        holds(Part::Values) && (!(self.has_images)(tier, slab) || holds(Part::ValueImages))
    }
}

/// Slabs to compute.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Schedule {
    /// By tier: slabs whose live planes are computed, in ascending order.
    pub(crate) forward: Vec<Vec<usize>>,
    /// By tier: slabs whose values are computed, in ascending order.
    pub(crate) backward: Vec<Vec<usize>>,
    /// Number of slabs among them that were finished before.
    pub(crate) recomputed: usize,
}

impl Schedule {
    pub(crate) fn new(inventory: &SlabInventory<'_>) -> Schedule {
        let tiers = inventory.slabs.len();
        let mut schedule =
            Schedule { forward: vec![Vec::new(); tiers], backward: vec![Vec::new(); tiers], recomputed: 0 };
        let mut needs_reach = vec![false; tiers];
        let mut needs_values = vec![false; tiers];
        // The values of the first two tiers give the value of the start and of its moves.
        for tier in (0..tiers.min(2)).filter(|&tier| (inventory.planes)(tier) > 0) {
            (needs_reach[tier], needs_values[tier]) = (true, true);
        }
        for tier in 0..inventory.last() {
            let wanted = (inventory.wants)(tier);
            for slab in 0..inventory.slabs[tier] {
                let counted = (inventory.holds)(SlabKey { part: Part::ValueCensus, tier, slab });
                let lost = needs_values[tier] && !inventory.has_values(tier, slab);
                schedule.recomputed += usize::from(counted && lost);
                if wanted || !counted || lost {
                    schedule.backward[tier].push(slab);
                }
            }
            if !schedule.backward[tier].is_empty() {
                needs_reach[tier] = true;
                if (inventory.planes)(tier + 1) > 0 {
                    (needs_reach[tier + 1], needs_values[tier + 1]) = (true, true);
                }
            }
        }
        for tier in (0..tiers).rev() {
            for slab in 0..inventory.slabs[tier] {
                let counted = (inventory.holds)(SlabKey { part: Part::ReachCensus, tier, slab });
                let lost = needs_reach[tier] && !inventory.has_reach(tier, slab);
                schedule.recomputed += usize::from(counted && lost);
                if !counted || lost {
                    schedule.forward[tier].push(slab);
                }
            }
            if tier > 0 && !schedule.forward[tier].is_empty() {
                needs_reach[tier - 1] = true;
            }
        }
        schedule
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    const SLABS: [usize; 5] = [1, 2, 3, 2, 1];

    fn schedule(held: &BTreeSet<SlabKey>, wants: &dyn Fn(usize) -> bool) -> Schedule {
        Schedule::new(&SlabInventory {
            slabs: &SLABS,
            planes: &|tier| SLABS.len() - 1 - tier,
            has_images: &|_, slab| slab == 1,
            holds: &|key| held.contains(&key),
            wants,
        })
    }

    /// All parts of the tiers' slabs, with planes only where `planes` returns true.
    fn held(planes: &dyn Fn(usize) -> bool) -> BTreeSet<SlabKey> {
        let mut held = BTreeSet::new();
        for (tier, &slabs) in SLABS.iter().enumerate() {
            for slab in 0..slabs {
                for part in Part::OF_SLABS {
                    let census = matches!(part, Part::ReachCensus | Part::ValueCensus);
                    if census || planes(tier) {
                        held.insert(SlabKey { part, tier, slab });
                    }
                }
            }
        }
        held
    }

    fn all(tier: usize) -> Vec<usize> {
        (0..SLABS[tier]).collect()
    }

    #[test]
    fn complete_store_needs_no_work() {
        let schedule = schedule(&held(&|tier| tier <= 1), &|_| false);
        assert!(schedule.forward.iter().chain(&schedule.backward).all(Vec::is_empty));
        assert_eq!(schedule.recomputed, 0);
    }

    #[test]
    fn empty_store_computes_every_slab() {
        let schedule = schedule(&BTreeSet::new(), &|_| true);
        assert_eq!(schedule.forward, [0, 1, 2, 3, 4].map(all));
        assert_eq!(schedule.backward[..4], [0, 1, 2, 3].map(all));
        assert_eq!(schedule.recomputed, 0);
    }

    #[test]
    fn lost_slab_is_recomputed_from_existing_inputs() {
        let mut some = held(&|_| true);
        some.remove(&SlabKey { part: Part::ReachImages, tier: 2, slab: 1 });
        // Only the values of tier 1 depend on the live planes of tier 2.
        some.remove(&SlabKey { part: Part::ValueCensus, tier: 1, slab: 0 });
        let schedule = schedule(&some, &|_| false);
        assert_eq!(schedule.forward, [vec![], vec![], vec![1], vec![], vec![]]);
        assert_eq!(schedule.backward, [vec![], vec![0], vec![], vec![], vec![]]);
        assert_eq!(schedule.recomputed, 1);
    }

    #[test]
    fn discarded_inputs_are_recomputed() {
        // Tiers after the second are done and discarded when a census of tier 3 is lost.
        let mut some = held(&|tier| tier <= 1);
        some.remove(&SlabKey { part: Part::ReachCensus, tier: 3, slab: 1 });
        let reach = schedule(&some, &|_| false);
        assert_eq!(reach.forward, [vec![], vec![], all(2), vec![1], vec![]]);
        assert!(reach.backward.iter().all(Vec::is_empty));
        let mut some = held(&|tier| tier <= 1);
        some.remove(&SlabKey { part: Part::Values, tier: 1, slab: 0 });
        let values = schedule(&some, &|_| false);
        assert_eq!(values.backward, [vec![], vec![0], all(2), all(3), vec![]]);
        assert_eq!(values.forward, [vec![], vec![], all(2), all(3), vec![]]);
        assert_eq!(values.recomputed, 1 + 2 * (SLABS[2] + SLABS[3]));
    }

    #[test]
    fn wanted_tier_is_computed_completely() {
        let schedule = schedule(&held(&|_| true), &|tier| tier == 2);
        assert_eq!(schedule.backward, [vec![], vec![], all(2), vec![], vec![]]);
        assert_eq!(schedule.recomputed, 0);
    }
}
