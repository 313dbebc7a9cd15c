//! Positions as numbers.
//!
//! An index splits the positions of a game into *tiers* and numbers each tier from zero. A move leads to a
//! tier with a higher number, or, where [`Index::loops`] says so, stays in its own. A sweep from the last
//! tier to the first therefore never looks at an unsolved position.

use crate::Game;
use std::ops::Range;

/// A set of positions that is solved as a whole. Moves lead to higher tiers or stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tier(pub u32);

/// A numbering of a game's positions.
///
/// An index is an object of its own, apart from the game: building one may take tables or an exploration,
/// and a game can have several.
pub trait Index<G: Game>: Send + Sync {
    /// How many tiers there are.
    fn tiers(&self) -> u32;

    /// What the tier is called in lists and file names.
    fn tier_name(&self, tier: Tier) -> String {
        format!("{:02}", tier.0)
    }

    /// The tiers that a move from this one can lead to, itself left out.
    fn after(&self, tier: Tier) -> Vec<Tier>;

    /// Whether a move can stay within the tier.
    fn loops(&self, _tier: Tier) -> bool {
        false
    }

    /// How many numbers the tier uses, holes included.
    fn len(&self, tier: Tier) -> u64;

    /// The number of a position.
    fn rank(&self, pos: &G::Position) -> (Tier, u64);

    /// The position with a number below `len`; `None` if the number is a hole.
    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position>;

    /// How many positions the numbered one stands for, where symmetric positions share a number.
    fn orbit(&self, _tier: Tier, _number: u64) -> u32 {
        1
    }

    /// Whether the two players share numbers: a position counts as "mover against opponent".
    fn merged(&self) -> bool {
        false
    }

    /// Visits the positions of a range in order. The fallback unranks each; a game that can step from
    /// one position to the next is several times faster.
    fn walk(&self, tier: Tier, range: Range<u64>, visit: &mut impl FnMut(u64, &G::Position))
    where
        Self: Sized,
    {
        for number in range {
            if let Some(pos) = self.unrank(tier, number) {
                visit(number, &pos);
            }
        }
    }

    /// The sum of all tiers' sizes, `None` if it exceeds 128 bits.
    fn total(&self) -> u128 {
        (0..self.tiers()).map(|t| u128::from(self.len(Tier(t)))).sum()
    }
}

/// An index that also knows where positions come from.
pub trait Predecessors<G: Game>: Index<G> {
    /// Appends the numbers of the positions of the same tier with a move to this one, each once.
    fn before(&self, tier: Tier, number: u64, out: &mut Vec<u64>);
}
