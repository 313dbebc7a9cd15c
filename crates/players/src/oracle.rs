//! Exact oracle: the interface through which players obtain game-theoretic values from a table, a book or a solver.

use crate::PlayError;
use outplay_core::{AnyMove, AnyPosition, Value};
use outplay_runtime::Monitor;
use std::cmp::Ordering;

/// The game-theoretic value of a move for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum MoveValue {
    /// Payoff and distance: games without chance.
    Value(Value),
    /// Expected payoff: games with dice.
    Mean(f64),
}

/// Tolerance for comparing expected payoffs: the precision to which games with dice are solved.
const SAME: f64 = 1e-9;

impl MoveValue {
    /// The (expected) payoff under best play.
    pub fn payoff(self) -> f64 {
        match self {
            MoveValue::Value(value) => f64::from(value.payoff()),
            MoveValue::Mean(mean) => mean,
        }
    }

    /// Whether this move preserves the payoff of a move of value `best`, at any distance.
    pub fn preserves(self, best: MoveValue) -> bool {
        self.payoff() >= best.payoff() - SAME
    }

    /// Whether both are equal in payoff and distance, or in expected payoff up to the tolerance.
    pub fn equals(self, other: MoveValue) -> bool {
        match (self, other) {
            (MoveValue::Value(a), MoveValue::Value(b)) => a.cmp(&b).is_eq(),
            (a, b) => a.preserves(b) && b.preserves(a),
        }
    }

    /// Orders values: greater is better; a sooner win and a later loss are greater.
    pub fn compare(self, other: MoveValue) -> Ordering {
        match (self, other) {
            (MoveValue::Value(a), MoveValue::Value(b)) => a.cmp(&b),
            (a, b) => a.payoff().total_cmp(&b.payoff()),
        }
    }
}

/// The moves of a position with their values.
pub type MoveValues = Vec<(AnyMove, MoveValue)>;

/// The moves of a position with their payoffs.
pub type Payoffs = Vec<(AnyMove, f64)>;

/// The value of the optimal moves of a position, and some of these moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The value of the optimal moves for the player who makes them.
    pub merit: MoveValue,
    /// Some of the optimal moves, in the game's order; at least one.
    pub moves: Vec<AnyMove>,
    /// Whether these are all optimal moves.
    pub all: bool,
}

/// A source of exact values of one game.
pub trait ExactOracle: Send + Sync {
    /// Returns every legal move with its value, in the game's order; `None` if the source's limits do not suffice.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn moves(&self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Option<MoveValues>, PlayError>;

    /// Returns every legal move with its payoff, in the game's order. Without distances this may be far cheaper; the
    /// default implementation calls [`ExactOracle::moves`].
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn payoffs(&self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Option<Payoffs>, PlayError> {
        let merits = self.moves(pos, monitor)?;
        Ok(merits.map(|merits| merits.into_iter().map(|(mv, merit)| (mv, merit.payoff())).collect()))
    }

    /// Returns optimal moves, which may be known long before the value of every other move is. The default
    /// implementation compares all moves.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn best(&self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Option<Best>, PlayError> {
        let Some(merits) = self.moves(pos, monitor)? else { return Ok(None) };
        let Some(merit) = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b)) else {
            return Ok(None);
        };
        let moves = merits.iter().filter(|(_, other)| other.equals(merit)).map(|(mv, _)| *mv).collect();
        Ok(Some(Best { merit, moves, all: true }))
    }

    /// Returns the value of an unfinished position for the player to move. The default implementation takes the best
    /// move.
    ///
    /// # Errors
    ///
    /// A damaged source, or a stop.
    fn value(&self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Option<MoveValue>, PlayError> {
        let merits = self.moves(pos, monitor)?;
        Ok(merits.and_then(|merits| merits.into_iter().map(|(_, merit)| merit).max_by(|a, b| a.compare(*b))))
    }
}
