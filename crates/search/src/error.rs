//! Errors of a search. A limit that was reached is not an error; the search report states it.

use thiserror::Error;

/// Error of a search: a game that it does not support, or a failure.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SearchError {
    /// The game has chance nodes.
    #[error("this search does not support dice; use expectiminimax, Star1 or Star2")]
    Chance,
    /// A payoff exceeds the range of scores.
    #[error("a payoff of {0} is too large; scale the payoffs down to at most 8191")]
    Payoff(i32),
    /// Breadth-first search exceeded its limit of positions in memory.
    #[error("the search would store more than {0} positions; lower the depth or use a depth-first method")]
    TooLarge(usize),
    /// A table or book that was probed is damaged.
    #[error("a table could not be read: {0}")]
    Probe(String),
    /// The monitor stopped the work, and a partial result is of no use.
    #[error("the search was stopped before it was complete; allow more time or lower the depth")]
    Stopped,
    /// The rules themselves failed.
    #[error("the game's rules failed: {0}")]
    Fault(String),
}
