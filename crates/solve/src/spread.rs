//! One game on several machines: every position belongs to a rank, and the ranks work in supersteps.
//!
//! ```text
//!  explore    a position belongs to the rank that the hash of its text names; level by level from the start
//!  layers     tiers as one process would find them: longest ways through the components
//!  tier       one tier after the other, from the last: values of later tiers are asked for, values within it spread
//! ```
//!
//! A superstep is work on one's own positions and an exchange, in which everybody hands everybody a parcel. Numbers and
//! values come out as in one process ([`crate::Explored`], [`crate::sweep()`], [`crate::retrograde`]), so tables are the
//! same to the byte.
//!
//! Invariant: all ranks come to the same exchanges; whatever decides about one is agreed on.

mod explore;
mod indexed;
mod layers;
mod tier;

pub use explore::Scattered;
pub use indexed::Blocks;
pub use tier::{Together, Values, count_together, solve_together};

use crate::SolveError;
use outplay_core::{Crew, Payoff, Turn};

/// Where a position is: a rank, a tier, and a place among that rank's positions of the tier; and whether who moves to it
/// moves again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot(u64);

impl Spot {
    /// Ranks and tiers that a spot can name.
    const RANKS: usize = 1 << 11;
    const TIERS: usize = 1 << 20;

    pub(crate) fn new(rank: usize, tier: u32, slot: u32, same_player: bool) -> Spot {
        let (rank, tier) = (rank as u64, u64::from(tier));
        Spot(u64::from(same_player) << 63 | rank << 52 | tier << 32 | u64::from(slot))
    }

    pub(crate) fn rank(self) -> usize {
        (self.0 >> 52) as usize % Spot::RANKS
    }

    pub(crate) fn tier(self) -> u32 {
        ((self.0 >> 32) as usize % Spot::TIERS) as u32
    }

    pub(crate) fn slot(self) -> u32 {
        self.0 as u32
    }

    pub(crate) fn same_player(self) -> bool {
        self.0 >> 63 == 1
    }
}

/// What a rank knows of its positions.
pub trait Site: Sync {
    /// How many tiers there are.
    fn tiers(&self) -> u32;
    /// How many numbers a tier has, on all ranks together.
    fn len(&self, tier: u32) -> u64;
    /// How many places this rank has in a tier.
    fn slots(&self, tier: u32) -> u32;
    /// The number of a place, which may be none.
    fn number(&self, tier: u32, slot: u32) -> u64;
    /// Who moves there, what is paid if the game is over, and where the moves lead, in order; `None` for a hole.
    ///
    /// # Errors
    ///
    /// Rules that cannot be solved like this.
    fn look(
        &self,
        tier: u32,
        slot: u32,
        out: &mut Vec<Spot>,
    ) -> Result<Option<(Turn, Option<Payoff>)>, SolveError>;
    /// How many positions a place stands for.
    fn orbit(&self, _tier: u32, _slot: u32) -> u32 {
        1
    }
    /// Whether positions count as "mover against opponent".
    fn merged(&self) -> bool {
        false
    }
    /// Whether a tier belongs to the game's own counts.
    fn counted(&self, _tier: u32) -> bool {
        true
    }
    /// The largest payoff of the game.
    fn best_payoff(&self) -> Payoff;
}

/// A rank that failed or is gone.
pub(crate) fn gone(why: String) -> SolveError {
    SolveError::Crew(why)
}

/// Parcels of fixed-size records for all ranks.
pub(crate) struct Parcels(Vec<Vec<u8>>);

impl Parcels {
    pub(crate) fn new(crew: &dyn Crew) -> Parcels {
        Parcels(vec![Vec::new(); crew.size()])
    }

    pub(crate) fn put32(&mut self, rank: usize, number: u32) {
        self.0[rank].extend(number.to_le_bytes());
    }

    pub(crate) fn put64(&mut self, rank: usize, number: u64) {
        self.0[rank].extend(number.to_le_bytes());
    }

    pub(crate) fn put_bytes(&mut self, rank: usize, bytes: &[u8]) {
        self.0[rank].extend_from_slice(bytes);
    }

    /// The parcel of a rank.
    pub(crate) fn of(&mut self, rank: usize) -> &mut Vec<u8> {
        &mut self.0[rank]
    }

    /// Bytes for all ranks together.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub(crate) fn exchange(self, crew: &dyn Crew) -> Result<Vec<Vec<u8>>, SolveError> {
        crew.exchange(self.0).map_err(gone)
    }
}

/// How a parcel of [`hand_over`] ends.
const LAST: u8 = 0;
const MORE: u8 = 1;
const FAILED: u8 = 2;

/// Exchanges what was made, and says whether any rank has more to come; what fails on one rank fails on all. All this is
/// one exchange: where there are many of them, each costs.
pub(crate) fn hand_over(
    crew: &dyn Crew,
    made: Result<(Parcels, bool), SolveError>,
) -> Result<(Vec<Vec<u8>>, bool), SolveError> {
    let (mut parcels, end, mine) = match made {
        Ok((parcels, more)) => (parcels.0, if more { MORE } else { LAST }, Ok(())),
        Err(error) => (vec![error.to_string().into_bytes(); crew.size()], FAILED, Err(error)),
    };
    parcels.iter_mut().for_each(|parcel| parcel.push(end));
    let told = crew.exchange(parcels);
    mine?;
    let (mut told, mut more) = (told.map_err(gone)?, false);
    for parcel in &mut told {
        match parcel.pop() {
            Some(LAST) => {}
            Some(MORE) => more = true,
            _ => return Err(gone(String::from_utf8_lossy(parcel).into_owned())),
        }
    }
    Ok((told, more))
}

/// The numbers of a parcel of words.
pub(crate) fn words(parcel: &[u8]) -> impl Iterator<Item = u32> + '_ {
    parcel
        .chunks_exact(4)
        .map(|word| word.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}

/// How many rounds all ranks make together, so that the busiest comes through with steps of a size.
pub(crate) fn rounds(crew: &dyn Crew, mine: usize, step: usize) -> Result<usize, SolveError> {
    let most = crew.least(u64::MAX - mine.div_ceil(step) as u64).map_err(gone)?;
    Ok((u64::MAX - most) as usize)
}

/// The sum of what all ranks have.
pub(crate) fn total(crew: &dyn Crew, mine: u64) -> Result<u64, SolveError> {
    Ok(crew.sum(&[mine]).map_err(gone)?[0])
}

/// An error of any rank is an error of all.
pub(crate) fn agree<T>(crew: &dyn Crew, mine: Result<T, SolveError>) -> Result<T, SolveError> {
    let told = crew.agree(mine.as_ref().map(|_| ()).map_err(ToString::to_string));
    let mine = mine?;
    told.map_err(gone)?;
    Ok(mine)
}
