//! Asking something that already knows: a table, a book, a cluster.

use crate::{Game, Value};
use thiserror::Error;

/// Why a probe could not answer although it should have been able to.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ProbeError(pub String);

/// A source of exact values.
pub trait Probe<G: Game>: Send + Sync {
    /// The value of a position, or `None` if this source does not hold it.
    ///
    /// # Errors
    ///
    /// A damaged source is an error, never an answer.
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError>;
}
