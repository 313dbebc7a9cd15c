//! The [`Evaluate`] trait: heuristic knowledge about a game beyond its rules (evaluation, move ordering, quiescence).

use outplay_core::Game;

/// Evaluation function and move-ordering hints. Only [`Evaluate::score`] is required.
///
/// | method | purpose | fallback |
/// |---|---|---|
/// | `score` | static evaluation at the horizon | |
/// | `noisy` | moves for quiescence search (captures, threats) | no quiescence search |
/// | `hint` | move ordering | the order of [`Game::moves`] |
/// | `slot` | index of a move in the history table | a short list with linear search |
pub trait Evaluate<G: Game>: Send + Sync {
    /// Whether [`Evaluate::hint`] is implemented; otherwise it is never called.
    const HINTS: bool = false;

    /// Returns the static evaluation of an unfinished position for the player to move, in hundredths of a
    /// payoff.
    ///
    /// Scores are clamped to ±65535, below every proven win. The evaluation must be zero-sum: the opponent's
    /// score is the negation.
    fn score(&self, game: &G, pos: &G::Position) -> i32;

    /// Appends the noisy moves of an unfinished position, which `score` cannot judge statically.
    ///
    /// Beyond the horizon only these are searched, and the player to move may always decline them (stand pat).
    fn noisy(&self, _game: &G, _pos: &G::Position, _out: &mut Vec<G::Move>) {}

    /// Returns a larger number for a move that should be tried earlier.
    fn hint(&self, _game: &G, _pos: &G::Position, _mv: G::Move) -> i32 {
        0
    }

    /// Returns a small number (below 4096) that identifies a move throughout the game.
    fn slot(&self, _game: &G, _mv: G::Move) -> Option<usize> {
        None
    }
}

/// The zero evaluation: every unfinished position is worth 0.
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
