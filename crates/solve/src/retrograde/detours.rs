//! Moves to positions without a rank (detours): each such position gets a temporary rank after those of its tier.
//!
//! ```text
//! ranks  0 … len−1 │ len, len+1, …        P ──move──▶ stopover ──0 plies──▶ Q      the base position (`like`)
//!        positions │ stopovers                              ╲──moves──▶ later tiers
//! ```
//!
//! In chess, the position after a double pawn step has no rank while an en passant capture is legal. In general, such a
//! position, a *stopover*, is described by a [`Detour`]: it has the moves of a base position that has a rank, and
//! additional moves to later tiers, with the same player to move. The base position therefore acts as a successor at a
//! distance of 0 plies, and the additional moves as ordinary exits (moves that leave the tier). Levels and counts treat
//! a stopover as a position.
//!
//! A stopover without a base position is evaluated at once, and the move to it is an exit.

use super::back::SAME_PLAYER;
use super::bits::Bits;
use super::tier::{Exits, Level};
use crate::SolveError;
use outplay_core::Detour;
use outplay_runtime::Monitor;
use std::ops::Range;

/// A position without a number of its own.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) struct Stopover {
    /// The base position.
    pub(super) like: u32,
    /// The position with the move to it.
    pub(super) from: u32,
    /// Whether the player who made that move moves again.
    pub(super) same_player: bool,
    /// Payoff of its best exit.
    pub(super) payoff: i32,
    pub(super) level: Level,
    pub(super) mover_ends: bool,
    pub(super) stuck: bool,
}

impl Stopover {
    /// The position with the move to it, marked as in [`super::back`].
    #[inline]
    pub(super) fn mark(&self) -> u64 {
        u64::from(self.from) | if self.same_player { SAME_PLAYER } else { 0 }
    }
}

/// The stopovers of a tier, sorted by base position.
#[derive(Default)]
pub(super) struct Stopovers {
    first: u64,
    list: Vec<Stopover>,
    /// Base positions with a stopover, for a fast negative lookup.
    liked: Bits,
}

impl Stopovers {
    /// Numbers the stopovers from `first` on.
    pub(super) fn new(
        first: u64,
        mut list: Vec<Stopover>,
        monitor: &dyn Monitor,
    ) -> Result<Stopovers, SolveError> {
        list.sort_unstable();
        let liked = Bits::new(if list.is_empty() { 0 } else { first }, monitor)?;
        list.iter().for_each(|stopover| _ = liked.insert(stopover.like.into()));
        Ok(Stopovers { first, list, liked })
    }

    pub(super) fn len(&self) -> u64 {
        self.list.len() as u64
    }

    pub(super) fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// All stopovers with their numbers.
    pub(super) fn numbered(&self) -> impl Iterator<Item = (u64, &Stopover)> {
        (self.first..).zip(&self.list)
    }

    /// The stopover with a number; `None` if the number is a position's.
    #[inline]
    pub(super) fn at(&self, number: u64) -> Option<&Stopover> {
        let place = number.checked_sub(self.first).filter(|_| !self.list.is_empty())?;
        self.list.get(place as usize)
    }

    /// The numbers of the stopovers of a base position.
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

/// How the solver treats a detour.
pub(super) enum DetourKind {
    /// As a successor within the tier.
    Stopover(Stopover),
    /// As an exit.
    Exit,
}

impl Exits {
    /// Adds a detour from a position, given the summary of its exits.
    pub(super) fn add_detour(&mut self, from: u64, detour: &Detour, own: Exits, level: Level) -> DetourKind {
        // A detour has exits of its own, and their targets are solved.
        let Some(best) = own.best else { return DetourKind::Exit };
        if let Some(like) = detour.like {
            return DetourKind::Stopover(Stopover {
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
        DetourKind::Exit
    }
}
