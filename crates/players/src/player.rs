//! The [`Player`] trait: a strategy that returns a move for a position, with search statistics.

use crate::Distribution;
use outplay_core::{AnyMove, AnyPosition, Counters, InputError, ProbeError};
use outplay_runtime::Monitor;
use outplay_search::SearchError;
use thiserror::Error;

/// Reason why a player returns no move.
#[derive(Debug, Error)]
pub enum PlayError {
    /// The game is over, or the position is a chance node.
    #[error("in this position no player is to move: the game is over or dice are to be rolled")]
    NoMove,
    /// The oracle cannot find the exact value within its limits.
    #[error("the exact value of this position is not available")]
    Unknown,
    /// The source of exact values failed.
    #[error("{0}")]
    Source(String),
    /// An external engine committed a fault that forfeits the game.
    #[error("{why}")]
    Fault {
        /// The kind of fault.
        fault: Fault,
        /// The description of the fault.
        why: String,
    },
    /// The monitor requested a stop.
    #[error("stopped")]
    Stopped,
    /// The search failed.
    #[error(transparent)]
    Search(#[from] SearchError),
    /// A table or book could not be read.
    #[error(transparent)]
    Probe(#[from] ProbeError),
    /// The spec is invalid for the game.
    #[error(transparent)]
    Input(#[from] InputError),
}

/// Fault of an external engine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// The process exited, or could not be started.
    Crash,
    /// It played an illegal move.
    Illegal,
    /// It exceeded its time limit.
    Time,
    /// It sent malformed output, or too much output.
    Garbage,
}

/// A move with the statistics of the search that chose it.
#[derive(Clone, Debug, PartialEq)]
pub struct Choice<M = AnyMove> {
    /// The move.
    pub mv: M,
    /// Positions searched.
    pub nodes: u64,
    /// Search depth in plies; 0 for players that do not search.
    pub depth: u32,
    /// The evaluation of the position, in hundredths of a payoff for the player itself; `None` without an evaluation.
    pub opinion: Option<f64>,
    /// The principal variation, the move included; may be empty.
    pub line: Vec<M>,
    /// Counters of the search; players that do not search count positions at most.
    pub counters: Counters,
    /// Whether the [`Monitor`] ended the search before a limit of the player did. The move is then that of the last
    /// finished iteration; in Monte Carlo tree search, that of the playouts so far.
    pub stopped: bool,
}

impl<M> Choice<M> {
    /// A move without statistics.
    pub fn plain(mv: M) -> Choice<M> {
        Choice {
            mv,
            nodes: 0,
            depth: 0,
            opinion: None,
            line: Vec::new(),
            counters: Counters::default(),
            stopped: false,
        }
    }

    /// The same move after `nodes` static evaluations and no search.
    #[must_use]
    pub fn after_sight(self, nodes: u64) -> Choice<M> {
        let counters = Counters { nodes, static_evaluations: nodes, ..Counters::default() };
        Choice { nodes, counters, ..self }
    }

    /// The same move with the counters of a search.
    #[must_use]
    pub fn after(self, counters: Counters) -> Choice<M> {
        Choice { nodes: counters.nodes, counters, ..self }
    }

    /// Returns the choice unless it was stopped.
    ///
    /// # Errors
    ///
    /// [`PlayError::Stopped`] if the monitor interrupted the search: for callers that treat an interrupt as an error
    /// rather than as a move.
    pub fn finished(self) -> Result<Choice<M>, PlayError> {
        if self.stopped { Err(PlayError::Stopped) } else { Ok(self) }
    }

    /// A move that wins immediately.
    pub fn won(mv: M) -> Choice<M>
    where
        M: Copy,
    {
        Choice { depth: 1, opinion: Some(100.0), line: vec![mv], ..Choice::plain(mv) }.after_sight(1)
    }
}

/// A player of one game. It may keep state, such as a transposition table, from move to move.
pub trait Player: Send {
    /// The canonical spec, from which an equal player can be made.
    fn spec(&self) -> String;

    /// Starts what the player needs for its games, such as an external engine.
    ///
    /// # Errors
    ///
    /// It does not start.
    fn ready(&mut self) -> Result<(), PlayError> {
        Ok(())
    }

    /// Starts a new game: seeds the random generator with `seed` and clears all state of the last game that could
    /// change a decision.
    fn begin(&mut self, seed: u64);

    /// Returns a move at an unfinished position where a player, not chance, is to move.
    ///
    /// A player that `monitor` stops returns the best move of its last finished iteration (Monte Carlo tree search: the
    /// most visited move), marked [`Choice::stopped`]. The same search limited to the reported depth, or to the
    /// reported number of playouts, returns the same move.
    ///
    /// # Errors
    ///
    /// The player has no move, or was stopped before it finished one ply.
    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError>;

    /// Returns the exact probability of each move at an unfinished position where a player is to move.
    ///
    /// `None` if the player cannot compute it, or if its move depends on more than the position: on a clock, on a
    /// table kept from earlier moves, on an external engine. The random generator does not advance.
    ///
    /// # Errors
    ///
    /// As [`Player::choose`].
    fn distribution(
        &mut self,
        pos: &AnyPosition,
        monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        let _ = (pos, monitor);
        Ok(None)
    }

    /// Returns the memory of the player in bytes, its tables included.
    fn bytes(&self) -> usize {
        0
    }
}
