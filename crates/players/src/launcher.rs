//! External engines as players: `ugi:COMMAND` and `gomocup:COMMAND`.
//!
//! The protocols live in another crate; a [`PlayerContext`](crate::PlayerContext) that may start engines holds an
//! [`EngineLauncher`].

use crate::{PlayError, Player};
use outplay_core::AnyGame;

/// The engine protocols.
pub const PROTOCOLS: [&str; 2] = ["ugi", "gomocup"];

/// Starts external engines as players.
pub trait EngineLauncher: Send + Sync {
    /// Whether the protocol supports a game.
    fn speaks(&self, protocol: &str, game: &AnyGame) -> bool;

    /// Constructs the player that a spec describes; its process starts with its first game.
    ///
    /// # Errors
    ///
    /// An invalid command, or a game that the protocol does not support.
    fn player(&self, spec: &str, game: &AnyGame) -> Result<Box<dyn Player>, PlayError>;
}

/// Returns the protocol of an engine spec. All after the colon is a command; a thinking time may precede the colon,
/// as in `ugi@200ms:COMMAND`.
pub fn protocol(spec: &str) -> Option<&str> {
    let (head, _) = spec.trim().split_once(':').unwrap_or((spec.trim(), ""));
    let name = head.split('@').next().unwrap_or(head);
    PROTOCOLS.contains(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn protocol_is_the_name_before_the_colon() {
        assert_eq!(protocol("ugi:python3 a.py"), Some("ugi"));
        assert_eq!(protocol(" gomocup@2s:pbrain, with: commas"), Some("gomocup"));
        assert_eq!(protocol("ugi"), Some("ugi"));
        assert_eq!(protocol("alphabeta:depth=3"), None);
        assert_eq!(protocol("noisy:inner=ugi:x"), None);
    }
}
