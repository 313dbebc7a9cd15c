//! Opinions about positions, and how the search asks for them.

use crate::dice::Rolled;
use outplay_core::{Game, Turn};
use outplay_search::Evaluate;
use std::sync::Arc;

/// An opinion about unfinished positions, in hundredths of a payoff or any other unit.
pub trait Judge<G: Game>: Send + Sync {
    /// The canonical spec.
    fn spec(&self) -> String;

    /// How good a position looks to `me`, whoever moves there. Cut to ±65535 by the search.
    fn score(&self, pos: &G::Position, me: Turn) -> i32;

    /// A score that is a clear advantage, though no win: the scale of an opinion.
    fn unit(&self) -> i32 {
        100
    }

    /// A larger number for a move that should be tried earlier.
    fn hint(&self, _pos: &G::Position, _mv: G::Move) -> i32 {
        0
    }

    /// A small number (below 4096) that tells moves apart, the same all game long.
    fn slot(&self, _mv: G::Move) -> Option<usize> {
        None
    }
}

/// No opinion.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoOpinion;

impl<G: Game> Judge<G> for NoOpinion {
    fn spec(&self) -> String {
        "zero".into()
    }
    fn score(&self, _pos: &G::Position, _me: Turn) -> i32 {
        0
    }
}

/// A judge as the player that searches sees it: all opinions are that player's, also where the other one moves.
pub(crate) struct Seen<G: Game> {
    pub(crate) judge: Arc<dyn Judge<G>>,
    pub(crate) me: Turn,
}

impl<G: Game> Evaluate<G> for Seen<G> {
    const HINTS: bool = true;

    #[inline]
    fn score(&self, game: &G, pos: &G::Position) -> i32 {
        let score = self.judge.score(pos, self.me);
        if game.turn(pos) == self.me.other() { -score } else { score }
    }

    #[inline]
    fn hint(&self, _game: &G, pos: &G::Position, mv: G::Move) -> i32 {
        self.judge.hint(pos, mv)
    }

    #[inline]
    fn slot(&self, _game: &G, mv: G::Move) -> Option<usize> {
        self.judge.slot(mv)
    }
}

impl<G: Game> Evaluate<Rolled<G>> for Seen<G> {
    fn score(&self, game: &Rolled<G>, pos: &G::Position) -> i32 {
        // A search with dice reads opinions as the second player's where that one moves, else as the first's.
        let score = self.judge.score(pos, self.me);
        let first = if self.me == Turn::Second { -score } else { score };
        if game.turn(pos) == Turn::Second { -first } else { first }
    }
}

/// An opinion on the scale of payoffs, from −99 to 99: what is not proven is never quite a win.
pub(crate) fn squeezed(score: i32, unit: i32) -> f64 {
    let score = f64::from(score);
    99.0 * score / (score.abs() + f64::from(unit))
}
