//! Exact knowledge, as players and the arena see it: a table, a book or a solver.

use crate::PlayError;
use outplay_core::{AnyMove, AnyPosition, Value, Watch};
use std::cmp::Ordering;

/// What a move is really worth to the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Merit {
    /// Exactly this.
    Value(Value),
    /// So much in the mean: games with dice.
    Mean(f64),
}

/// Means closer than this are the same: solved values of games with dice end after so many digits.
const SAME: f64 = 1e-9;

impl Merit {
    /// The payoff that best play brings, in the mean.
    pub fn payoff(self) -> f64 {
        match self {
            Merit::Value(value) => f64::from(value.payoff()),
            Merit::Mean(mean) => mean,
        }
    }

    /// Whether a player with a move of merit `best` gives nothing away by this one: the same payoff, whether
    /// sooner or later.
    pub fn preserves(self, best: Merit) -> bool {
        self.payoff() >= best.payoff() - SAME
    }

    /// Whether nothing tells the two apart: payoff and distance, or means up to the digits that are solved.
    pub fn equals(self, other: Merit) -> bool {
        match (self, other) {
            (Merit::Value(a), Merit::Value(b)) => a.cmp(&b).is_eq(),
            (a, b) => a.preserves(b) && b.preserves(a),
        }
    }

    /// Larger is better; among wins the sooner and among losses the later one.
    pub fn compare(self, other: Merit) -> Ordering {
        match (self, other) {
            (Merit::Value(a), Merit::Value(b)) => a.cmp(&b),
            (a, b) => a.payoff().total_cmp(&b.payoff()),
        }
    }
}

/// The moves of a position with their merits.
pub type Merits = Vec<(AnyMove, Merit)>;

/// The moves of a position with the payoffs that they bring.
pub type Payoffs = Vec<(AnyMove, f64)>;

/// What a position is worth, and moves that are certainly best there; the others may be as good.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// What the moves are worth to the player who makes them.
    pub merit: Merit,
    /// Some of the best moves, in the game's order; at least one.
    pub moves: Vec<AnyMove>,
    /// Whether these are all of the best moves.
    pub all: bool,
}

/// A source of exact knowledge about one game.
pub trait Truth: Send + Sync {
    /// Every legal move with its merit, in the game's order; `None` if the source cannot tell within its limits.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn moves(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Merits>, PlayError>;

    /// Every legal move with the payoff that it brings, in the game's order. How soon is left open, which may be
    /// far cheaper; the fallback asks for the merits.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn payoffs(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Payoffs>, PlayError> {
        let merits = self.moves(pos, watch)?;
        Ok(merits.map(|merits| merits.into_iter().map(|(mv, merit)| (mv, merit.payoff())).collect()))
    }

    /// Moves that are certainly best, which may be known long before every other move is. The fallback compares all
    /// of them.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn best(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Best>, PlayError> {
        let Some(merits) = self.moves(pos, watch)? else { return Ok(None) };
        let Some(merit) = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b)) else {
            return Ok(None);
        };
        let moves = merits.iter().filter(|(_, other)| other.equals(merit)).map(|(mv, _)| *mv).collect();
        Ok(Some(Best { merit, moves, all: true }))
    }

    /// What an unfinished position is worth to the player to move. The fallback takes the best move.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn value(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Merit>, PlayError> {
        let merits = self.moves(pos, watch)?;
        Ok(merits.and_then(|merits| merits.into_iter().map(|(_, merit)| merit).max_by(|a, b| a.compare(*b))))
    }
}
