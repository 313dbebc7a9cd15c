//! Players that are programs of their own: `ugi:COMMAND` and `gomocup:COMMAND`.
//!
//! How to talk to one is nobody's business here; a [`Kit`](crate::Kit) that may start programs is given an [`Outside`].

use crate::{PlayError, Player};
use outplay_core::AnyGame;

/// The protocols by which programs play.
pub const PROTOCOLS: [&str; 2] = ["ugi", "gomocup"];

/// Somebody who starts programs and lets them play.
pub trait Outside: Send + Sync {
    /// Whether the protocol can speak about a game.
    fn speaks(&self, protocol: &str, game: &AnyGame) -> bool;

    /// The player that a spec describes; the program is started when it is needed.
    ///
    /// # Errors
    ///
    /// A command that makes no sense, or a game that the protocol cannot speak about.
    fn player(&self, spec: &str, game: &AnyGame) -> Result<Box<dyn Player>, PlayError>;
}

/// The protocol of a spec that names a program; all after its colon is a command. Before it may stand how long the program
/// thinks, as in `ugi@200ms:COMMAND`.
pub fn protocol(spec: &str) -> Option<&str> {
    let (head, _) = spec.trim().split_once(':').unwrap_or((spec.trim(), ""));
    let name = head.split('@').next().unwrap_or(head);
    PROTOCOLS.contains(&name).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn specs_of_programs_are_told_by_their_names() {
        assert_eq!(protocol("ugi:python3 a.py"), Some("ugi"));
        assert_eq!(protocol(" gomocup@2s:pbrain, with: commas"), Some("gomocup"));
        assert_eq!(protocol("ugi"), Some("ugi"));
        assert_eq!(protocol("alphabeta:depth=3"), None);
        assert_eq!(protocol("noisy:inner=ugi:x"), None);
    }
}
