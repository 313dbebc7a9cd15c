//! Why a solver gave up.

use thiserror::Error;

/// A game that this solver cannot solve, or a wish to stop.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum SolveError {
    /// Play can return to an earlier position.
    #[error("the game can go round in circles, which {0} cannot solve; try `--method retrograde`")]
    Loops(&'static str),
    /// Dice are rolled.
    #[error("the game rolls dice, which {0} cannot solve; try `--method chance`")]
    Chance(&'static str),
    /// There are too many positions.
    #[error(
        "the game has more than {0} positions, too many to list in memory; raise --memory or solve a smaller one"
    )]
    TooLarge(u64),
    /// A distance or payoff does not fit the solver's numbers.
    #[error("a distance of more than 65535 plies or a payoff above 16384 does not fit")]
    Overflow,
    /// The rules themselves failed.
    #[error("the game's rules failed: {0}")]
    Fault(String),
    /// The game has no position to solve from.
    #[error("the game has no start position; give one with --position")]
    NoStart,
    /// Somebody asked to stop.
    #[error("stopped before the end")]
    Stopped,
}
