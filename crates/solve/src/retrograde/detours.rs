//! Moves to positions without a number: each is given one for the time of solving, behind those of its tier.
//!
//! ```text
//! numbers  0 … len−1 │ len, len+1, …        P ──move──▶ stopover ──no time──▶ Q      the number that it is like
//!          positions │ stopovers                              ╲──moves──▶ later tiers
//! ```
//!
//! A *stopover* is where a [`Detour`] leads. The same player moves there as in the position that it is like, and
//! has a choice: that position's moves, or those that leave the tier. So it is one successor of a stopover
//! that takes no ply, and the exits are exits like any other's. Levels and counts treat it as a position.
//!
//! A stopover that is like no position is settled at once, and the move to it is a move that leaves the tier.

use super::back::SAME_PLAYER;
use super::bits::Bits;
use super::tier::{Exits, Level};
use crate::SolveError;
use outplay_core::{Detour, Watch};
use std::ops::Range;

/// A position without a number of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stopover {
    /// The position that it is like.
    pub(super) like: u32,
    /// The position with the move to it.
    pub(super) from: u32,
    /// Whether the player who made that move moves again.
    pub(super) same_player: bool,
    /// What its own moves come to.
    pub(super) payoff: i32,
    pub(super) level: Level,
    pub(super) mover_ends: bool,
    pub(super) stuck: bool,
}

impl Stopover {
    /// The position with the move to it, as [`super::back`] marks predecessors.
    #[inline]
    pub(super) fn mark(&self) -> u64 {
        u64::from(self.from) | if self.same_player { SAME_PLAYER } else { 0 }
    }
}

/// The stopovers of a tier, by the position that they are like.
#[derive(Default)]
pub(super) struct Stopovers {
    first: u64,
    list: Vec<Stopover>,
    /// The positions that have one, for a quick no.
    liked: Bits,
}

impl Stopovers {
    /// Numbers them from `first` on.
    pub(super) fn new(
        first: u64,
        mut list: Vec<Stopover>,
        watch: &dyn Watch,
    ) -> Result<Stopovers, SolveError> {
        list.sort_unstable();
        let liked = Bits::new(if list.is_empty() { 0 } else { first }, watch)?;
        list.iter().for_each(|stopover| _ = liked.insert(stopover.like.into()));
        Ok(Stopovers { first, list, liked })
    }

    pub(super) fn len(&self) -> u64 {
        self.list.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All of them with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &Stopover)> {
        (self.first..).zip(&self.list)
    }

    /// The stopover with a number, unless the number is a position's.
    #[inline]
    pub(super) fn at(&self, number: u64) -> Option<&Stopover> {
        let place = number.checked_sub(self.first).filter(|_| !self.list.is_empty())?;
        self.list.get(place as usize)
    }

    /// The numbers of the stopovers that are like a position.
    #[inline]
    pub(super) fn like(&self, number: u64) -> Range<u64> {
        if !self.liked.has(number) {
            return 0..0;
        }
        let from = self.list.partition_point(|stopover| u64::from(stopover.like) < number) as u64;
        let alike =
            self.list[from as usize..].iter().take_while(|stopover| u64::from(stopover.like) == number);
        self.first + from..self.first + from + alike.count() as u64
    }
}

/// What a detour is to the position it starts from.
pub(super) enum Way {
    /// A successor within the tier, as far as counting goes.
    Stopover(Stopover),
    /// A move that leaves the tier.
    Exit,
}

impl Exits {
    /// Adds a detour from a position, given what its own moves come to.
    pub(super) fn add_detour(&mut self, from: u64, detour: &Detour, own: Exits, level: Level) -> Way {
        // A detour has moves of its own, and what they lead to is solved.
        let Some(best) = own.best else { return Way::Exit };
        if let Some(like) = detour.like {
            return Way::Stopover(Stopover {
                like: like as u32,
                from: from as u32,
                same_player: detour.same_player,
                payoff: best.payoff(),
                level,
                mover_ends: own.mover_ends,
                stuck: own.stuck,
            });
        }
        self.best = self.best.max(Some(best.before(detour.same_player)));
        if best.payoff() == 0 {
            let (mover, opponent) = (own.mover_ends, !own.stuck);
            let (mover, opponent) = if detour.same_player { (mover, opponent) } else { (opponent, mover) };
            self.mover_ends |= mover;
            self.stuck |= !opponent;
        }
        Way::Exit
    }
}
