//! What a player is: something that is shown a position and answers with a move.

use outplay_core::{AnyMove, AnyPosition, Counters, InputError, ProbeError, Watch};
use outplay_search::SearchError;
use thiserror::Error;

/// Why a player has no move to offer.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The game is over, or the dice have to be rolled first.
    #[error("there is no move for a player to make here")]
    NoMove,
    /// The exact value is out of reach.
    #[error("the exact value of this position is out of reach")]
    Unknown,
    /// Whoever knows cannot answer.
    #[error("{0}")]
    Source(String),
    /// A program outside did something that loses the game.
    #[error("{why}")]
    Fault {
        /// What kind of thing.
        fault: Fault,
        /// What exactly.
        why: String,
    },
    /// Somebody asked to stop.
    #[error("stopped")]
    Stopped,
    /// The search gave up.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A table or book could not answer.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The spec makes no sense for the game.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// What a program outside can do wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// It ended, or cannot be started.
    Crash,
    /// It made a move that is none.
    Illegal,
    /// It did not answer in time.
    Time,
    /// It said what makes no sense, or too much of it.
    Garbage,
}

/// A move and what went into it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M = AnyMove> {
    /// The move.
    pub mv: M,
    /// Positions that were looked at.
    pub nodes: u64,
    /// Plies that were looked ahead; 0 for players that do not search.
    pub depth: u32,
    /// What the player thinks of the position, in hundredths of a payoff for itself; `None` if it has no opinion.
    pub opinion: Option<f64>,
    /// The line it expects, the move included; may be empty.
    pub line: Vec<M>,
    /// What the search for it did; players that do not search count positions at most.
    pub counters: Counters,
}

impl<M> Choice<M> {
    /// A move without further ado.
    pub fn plain(mv: M) -> Choice<M> {
        Choice { mv, nodes: 0, depth: 0, opinion: None, line: Vec::new(), counters: Counters::default() }
    }

    /// The same after so many positions were looked at, none of them further than at first sight.
    #[must_use]
    pub fn after_sight(self, nodes: u64) -> Choice<M> {
        let counters = Counters { nodes, static_evaluations: nodes, ..Counters::default() };
        Choice { nodes, counters, ..self }
    }

    /// The same after a search.
    #[must_use]
    pub fn after(self, counters: Counters) -> Choice<M> {
        Choice { nodes: counters.nodes, counters, ..self }
    }

    /// A move that wins at once.
    pub fn won(mv: M) -> Choice<M>
    where
        M: Copy,
    {
        Choice { depth: 1, opinion: Some(100.0), line: vec![mv], ..Choice::plain(mv) }.after_sight(1)
    }
}

/// Somebody who plays one game. It may remember what it learned from move to move.
pub trait Player: Send {
    /// The canonical spec, from which an equal player can be made.
    fn spec(&self) -> String;

    /// A new game begins: chance decisions follow from `seed` from here on, and nothing that could change a
    /// decision is left of the last game.
    fn begin(&mut self, seed: u64);

    /// A move at an unfinished position where a player, not chance, is to move.
    ///
    /// # Errors
    ///
    /// The player cannot say, or was asked to stop.
    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError>;

    /// Bytes that the player holds on to, its tables included.
    fn bytes(&self) -> usize {
        0
    }
}
