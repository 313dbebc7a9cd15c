//! What players are made from: a spec string and what the game brings along.

use crate::{PlayError, Player, Random, Truth};
use outplay_core::{Game, InputError, LineBoard, Notation};
use std::sync::Arc;

/// A game with what players can make use of.
pub struct Kit<G: Game> {
    /// The game.
    pub game: G,
    /// The board of a position, for games of lines.
    pub board: Option<fn(&G, &G::Position) -> LineBoard>,
    /// Exact knowledge.
    pub truth: Option<Arc<dyn Truth<G>>>,
}

impl<G: Game> Clone for Kit<G> {
    fn clone(&self) -> Kit<G> {
        Kit { game: self.game.clone(), board: self.board, truth: self.truth.clone() }
    }
}

impl<G: Game + Notation> Kit<G> {
    /// The player that a spec string describes.
    ///
    /// # Errors
    ///
    /// An unknown name, options that make no sense, or a player that this game cannot have.
    pub fn player(&self, spec: &str) -> Result<Box<dyn Player<G>>, PlayError> {
        match spec {
            "random" => Ok(Box::new(Random::new(self.game.clone()))),
            _ => Err(InputError::spec(spec, "there is no such player; try `random`").into()),
        }
    }
}
