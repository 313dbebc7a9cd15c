//! Distributed retrograde analysis (Bal and Allis 1995): one game on several machines, in BSP supersteps.
//!
//! ```text
//!  phase      work
//!  explore    breadth-first; the hash of a position's text determines the process that owns it
//!  layers     tiers as in one process, by longest paths through the condensed graph
//!  tier       one tier after the other, from the last: values of later tiers are fetched, values within it propagate
//! ```
//!
//! A superstep (bulk-synchronous parallel, Valiant 1990) is computation on a process's own positions followed by an
//! all-to-all exchange of messages. The index and the value of every position equal those of a single process
//! ([`crate::ExploredGame`], [`crate::sweep()`], [`crate::retrograde`]), so tables are identical byte for byte.
//!
//! Invariant: all processes perform the same sequence of exchanges; every decision that affects the sequence is made
//! collectively.

mod explore;
mod indexed;
mod layers;
mod tier;

pub use explore::ShardedGraph;
pub use indexed::Blocks;
pub use tier::{RankContext, RankValues, count_together, solve_together};

use crate::SolveError;
use outplay_core::{Payoff, Turn};
use outplay_runtime::Communicator;

/// Global address of a position: process, tier, and slot among that process's positions of the tier. As the target of a
/// move it also says whether the same player moves again.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Spot(u64);

impl Spot {
    /// Ranks and tiers that the bit fields can hold.
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

/// The position graph as one process sees it: its own positions, and global addresses of all others.
pub trait GlobalId: Sync {
    /// Number of tiers.
    fn tiers(&self) -> u32;
    /// Number of positions of a tier, holes included, on all ranks together.
    fn len(&self, tier: u32) -> u64;
    /// Number of slots that this rank has in a tier.
    fn slots(&self, tier: u32) -> u32;
    /// The number of the position in a slot; a slot may be a hole.
    fn number(&self, tier: u32, slot: u32) -> u64;
    /// Returns the player to move and, if the game is over, the payoff, and appends the targets of the moves in
    /// order. `None` for a hole.
    ///
    /// # Errors
    ///
    /// Rules that the distributed solver does not support.
    fn look(
        &self,
        tier: u32,
        slot: u32,
        out: &mut Vec<Spot>,
    ) -> Result<Option<(Turn, Option<Payoff>)>, SolveError>;
    /// Number of positions that a slot represents.
    fn orbit(&self, _tier: u32, _slot: u32) -> u32 {
        1
    }
    /// Whether positions are stored from the mover's point of view, for both players at once.
    fn merged(&self) -> bool {
        false
    }
    /// Whether a tier is included in the game's own counts.
    fn counted(&self, _tier: u32) -> bool {
        true
    }
    /// The largest payoff of the game.
    fn best_payoff(&self) -> Payoff;
}

/// Error for a rank that failed or disconnected.
pub(crate) fn gone(why: String) -> SolveError {
    SolveError::Communicator(why)
}

/// Outgoing messages of fixed-size records, one per rank.
pub(crate) struct Messages(Vec<Vec<u8>>);

impl Messages {
    pub(crate) fn new(comm: &dyn Communicator) -> Messages {
        Messages(vec![Vec::new(); comm.size()])
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

    /// The message to a rank.
    pub(crate) fn of(&mut self, rank: usize) -> &mut Vec<u8> {
        &mut self.0[rank]
    }

    /// Bytes of all messages together.
    pub(crate) fn bytes(&self) -> usize {
        self.0.iter().map(Vec::len).sum()
    }

    pub(crate) fn exchange(self, comm: &dyn Communicator) -> Result<Vec<Vec<u8>>, SolveError> {
        comm.all_to_all(self.0).map_err(gone)
    }
}

/// Last byte of a message of [`exchange_or_fail`].
const LAST: u8 = 0;
const MORE: u8 = 1;
const FAILED: u8 = 2;

/// All-to-all exchange that also reports whether any rank has more to send, and fails on all ranks if one failed. It
/// is a single exchange, because each costs a round trip.
pub(crate) fn exchange_or_fail(
    comm: &dyn Communicator,
    made: Result<(Messages, bool), SolveError>,
) -> Result<(Vec<Vec<u8>>, bool), SolveError> {
    let (mut messages, end, mine) = match made {
        Ok((messages, more)) => (messages.0, if more { MORE } else { LAST }, Ok(())),
        Err(error) => (vec![error.to_string().into_bytes(); comm.size()], FAILED, Err(error)),
    };
    messages.iter_mut().for_each(|message| message.push(end));
    let received = comm.all_to_all(messages);
    mine?;
    let (mut received, mut more) = (received.map_err(gone)?, false);
    for message in &mut received {
        match message.pop() {
            Some(LAST) => {}
            Some(MORE) => more = true,
            _ => return Err(gone(String::from_utf8_lossy(message).into_owned())),
        }
    }
    Ok((received, more))
}

/// The 32-bit numbers of a message.
pub(crate) fn words(message: &[u8]) -> impl Iterator<Item = u32> + '_ {
    message
        .chunks_exact(4)
        .map(|word| word.iter().rev().fold(0, |number, &byte| number << 8 | u32::from(byte)))
}

/// Number of supersteps of `step` items that the rank with the most items needs: an all-reduce of the maximum.
pub(crate) fn rounds(comm: &dyn Communicator, mine: usize, step: usize) -> Result<usize, SolveError> {
    let most = comm.all_reduce_min(u64::MAX - mine.div_ceil(step) as u64).map_err(gone)?;
    Ok((u64::MAX - most) as usize)
}

/// Sum over all ranks: an all-reduce.
pub(crate) fn total(comm: &dyn Communicator, mine: u64) -> Result<u64, SolveError> {
    Ok(comm.all_reduce_sum(&[mine]).map_err(gone)?[0])
}

/// Fails on all ranks if it failed on one.
pub(crate) fn agree<T>(comm: &dyn Communicator, mine: Result<T, SolveError>) -> Result<T, SolveError> {
    let received = comm.all_ok(mine.as_ref().map(|_| ()).map_err(ToString::to_string));
    let mine = mine?;
    received.map_err(gone)?;
    Ok(mine)
}
