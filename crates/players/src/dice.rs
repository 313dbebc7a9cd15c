//! A game together with its dice, for searches that ask for both in one type.

use outplay_core::{Chance, Game, Payoff, Turn};

/// How a game lists the falls of its dice: [`Chance::outcomes`] as a plain function.
pub type Falls<G> = fn(&G, &<G as Game>::Position, &mut Vec<(<G as Game>::Move, f64)>);

/// A game that rolls dice, whether or not its type says so.
#[derive(Clone)]
pub(crate) struct Rolled<G: Game> {
    pub(crate) game: G,
    pub(crate) falls: Falls<G>,
}

impl<G: Game> Game for Rolled<G> {
    type Position = G::Position;
    type Move = G::Move;

    fn start(&self) -> Option<G::Position> {
        self.game.start()
    }
    fn turn(&self, pos: &G::Position) -> Turn {
        self.game.turn(pos)
    }
    fn moves(&self, pos: &G::Position, out: &mut Vec<G::Move>) {
        self.game.moves(pos, out);
    }
    fn play(&self, pos: &G::Position, mv: G::Move) -> G::Position {
        self.game.play(pos, mv)
    }
    fn outcome(&self, pos: &G::Position) -> Option<Payoff> {
        self.game.outcome(pos)
    }
    fn best_payoff(&self) -> Payoff {
        self.game.best_payoff()
    }
    fn fault(&self) -> Option<String> {
        self.game.fault()
    }
}

impl<G: Game> Chance for Rolled<G> {
    fn outcomes(&self, pos: &G::Position, out: &mut Vec<(G::Move, f64)>) {
        (self.falls)(&self.game, pos, out);
    }
}
