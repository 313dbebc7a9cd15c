//! Probing for exact values: the interface of searches to tables (tablebases), opening books and solved subgames.

use crate::{Game, Value};
use thiserror::Error;

/// Error of a source of values that should contain the position, such as a damaged table.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("{0}")]
pub struct ProbeError(pub String);

/// A source of exact values that a search can probe, such as a table.
pub trait Probe<G: Game>: Send + Sync {
    /// The value of a position; `None` if this source does not hold it.
    ///
    /// # Errors
    ///
    /// A damaged source is an error; it never returns a value.
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError>;
}
