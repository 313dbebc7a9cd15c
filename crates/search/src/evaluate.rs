//! What a search may know about a game beyond its rules.

use outplay_core::Game;

/// An opinion about positions and moves. Only [`Evaluate::score`] is required.
///
/// | method | what it adds | without it |
/// |---|---|---|
/// | `score` | a guess where the search cannot look further | |
/// | `noisy` | moves that a guess must not ignore (captures, threats) | no quiescence: the horizon is sharp |
/// | `hint` | which moves to try first | the order of [`Game::moves`] |
/// | `slot` | a number for a move, which makes the history an array | a short list searched by comparing |
pub trait Evaluate<G: Game>: Send + Sync {
    /// Whether [`Evaluate::hint`] says anything; otherwise it is never called.
    const HINTS: bool = false;

    /// How good an unfinished position looks for the player to move, in hundredths of a payoff.
    ///
    /// It is cut to ±65535: an opinion never outranks a proven win. The opponent's view of the same
    /// position is taken to be the opposite.
    fn score(&self, game: &G, pos: &G::Position) -> i32;

    /// Appends the moves of an unfinished position that are too loud to be judged by `score`.
    ///
    /// Beyond the horizon the search follows only these, and the player to move may always decline them.
    fn noisy(&self, _game: &G, _pos: &G::Position, _out: &mut Vec<G::Move>) {}

    /// A larger number for a move that should be tried earlier.
    fn hint(&self, _game: &G, _pos: &G::Position, _mv: G::Move) -> i32 {
        0
    }

    /// A small number (below 4096) that tells moves apart, the same all game long.
    fn slot(&self, _game: &G, _mv: G::Move) -> Option<usize> {
        None
    }
}

/// No opinion: every unfinished position is worth 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Zero;

impl<G: Game> Evaluate<G> for Zero {
    #[inline]
    fn score(&self, _game: &G, _pos: &G::Position) -> i32 {
        0
    }
}

/// An evaluation may be borrowed.
impl<G: Game, E: Evaluate<G>> Evaluate<G> for &E {
    const HINTS: bool = E::HINTS;

    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        (**self).score(game, pos)
    }
    fn noisy(&self, game: &G, pos: &G::Position, out: &mut Vec<G::Move>) {
        (**self).noisy(game, pos, out);
    }
    fn hint(&self, game: &G, pos: &G::Position, mv: G::Move) -> i32 {
        (**self).hint(game, pos, mv)
    }
    fn slot(&self, game: &G, mv: G::Move) -> Option<usize> {
        (**self).slot(game, mv)
    }
}
