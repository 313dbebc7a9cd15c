//! Why a solver gave up.

use thiserror::Error;

/// A game that this solver cannot solve, or a wish to stop.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// Play can return to an earlier position.
    #[error("the game can go round in circles, which {0} cannot solve")]
    Loops(&'static str),
    /// Dice are rolled.
    #[error("the game rolls dice, which {0} cannot solve")]
    Chance(&'static str),
    /// The chances of a roll are not chances.
    #[error("the probabilities at {0} sum to {1} instead of 1; correct the game's outcomes")]
    Probabilities(String, String),
    /// Play with dice can go on for ever.
    #[error("from {0} no roll and no move ever ends the game, so it has no mean payoff; give it an end")]
    Endless(String),
    /// A fixpoint was not reached.
    #[error(
        "after {0} rounds values still change by {1}; the game can go round for too long, allow a larger tolerance"
    )]
    Unsettled(u64, String),
    /// There are too many positions.
    #[error("the game has more than {0} positions, too many to list in the memory allowed")]
    TooLarge(u64),
    /// The system has no memory for this.
    #[error("there is no memory for {0} bytes more; solve a smaller game or close other programs")]
    NoMemory(u64),
    /// A distance or payoff does not fit the solver's numbers.
    #[error("a distance of more than 65535 plies or a payoff above 16384 does not fit")]
    Overflow,
    /// The rules themselves failed.
    #[error("the game's rules failed: {0}")]
    Fault(String),
    /// The game has no position to solve from.
    #[error("the game has no start position")]
    NoStart,
    /// A position leads to one without a number, which only one process can go about.
    #[error(
        "some moves lead to positions without a number, which several ranks cannot follow yet; solve the game in one process"
    )]
    Detours,
    /// A process that works on the same game failed or is gone.
    #[error("{0}")]
    Crew(String),
    /// Somebody asked to stop.
    #[error("stopped before the end")]
    Stopped,
}
