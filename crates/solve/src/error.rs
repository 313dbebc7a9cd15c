//! Errors of the solvers: games that they do not support, limits, broken laws and cancellation.

use outplay_core::{Breach, Game};
use thiserror::Error;

/// Error of a solver: an unsupported game, a limit, a broken law, or cancellation.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// The game has cycles: play can return to an earlier position.
    #[error("the game has cycles, which {0} cannot solve")]
    Loops(&'static str),
    /// The game has chance nodes.
    #[error("the game rolls dice, which {0} cannot solve")]
    Chance(&'static str),
    /// The probabilities of a chance node do not sum to one.
    #[error("the probabilities at {0} sum to {1} instead of 1; correct the game's outcomes")]
    Probabilities(String, String),
    /// From some position play with chance never ends.
    #[error("from {0} no roll and no move ever ends the game, so it has no mean payoff; give it an end")]
    Endless(String),
    /// Value iteration did not reach its fixed point.
    #[error(
        "after {0} rounds of value iteration the values still change by {1}: games can last too long for this tolerance; allow a larger one"
    )]
    Unsettled(u64, String),
    /// The game has too many positions.
    #[error("the game has more than {0} positions, too many to list within the memory limit")]
    TooLarge(u64),
    /// The system is out of memory.
    #[error(
        "the system could not allocate {0} more bytes of memory; close other programs or solve a smaller game"
    )]
    NoMemory(u64),
    /// A distance or payoff does not fit the solver's codes.
    #[error("a value cannot be stored: distances are at most 65535 plies, payoffs at most 16384")]
    Overflow,
    /// The rules themselves failed.
    #[error("the game's rules failed: {0}")]
    Fault(String),
    /// The index of the game breaks a law.
    #[error("the index breaks a law: {0}; `index GAME --check` lists what an index must keep")]
    Law(String),
    /// The game has no position to solve from.
    #[error("the game has no start position")]
    NoStart,
    /// A move leads to a position without a number, which only a single process can solve.
    #[error(
        "some moves lead to positions that have no index, which a solve on several ranks does not support; solve the game in one process"
    )]
    Detours,
    /// Another rank failed or disconnected.
    #[error("{0}")]
    Communicator(String),
    /// The caller cancelled the work.
    #[error("the solve was stopped before it was finished")]
    Stopped,
}

impl From<Breach> for SolveError {
    fn from(breach: Breach) -> SolveError {
        SolveError::Law(breach.to_string())
    }
}

/// Fails if a poll reported a stop.
#[inline]
pub(crate) fn check_stop(stopped: bool) -> Result<(), SolveError> {
    if stopped { Err(SolveError::Stopped) } else { Ok(()) }
}

/// Fails if the rules reported a fault.
pub(crate) fn check_fault<G: Game>(game: &G) -> Result<(), SolveError> {
    game.fault().map_or(Ok(()), |why| Err(SolveError::Fault(why)))
}
