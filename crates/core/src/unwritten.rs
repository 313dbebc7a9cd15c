//! Adapter that gives a game without notation one that is based on `Debug`: moves can be parsed, positions only
//! printed.

use crate::{Chance, Game, InputError, Notation, Payoff, Turn};

/// Adapter that prints positions and moves of a game by `Debug`. A move is parsed by comparison with the legal moves; a
/// position cannot be parsed, only reached by moves.
#[derive(Clone, Debug)]
pub struct DebugNotation<G>(pub G);

impl<G: Game> Game for DebugNotation<G> {
    type Position = G::Position;
    type Move = G::Move;
    fn start(&self) -> Option<G::Position> {
        self.0.start()
    }
    #[inline]
    fn turn(&self, pos: &G::Position) -> Turn {
        self.0.turn(pos)
    }
    #[inline]
    fn moves(&self, pos: &G::Position, out: &mut Vec<G::Move>) {
        self.0.moves(pos, out);
    }
    #[inline]
    fn play(&self, pos: &G::Position, mv: G::Move) -> G::Position {
        self.0.play(pos, mv)
    }
    #[inline]
    fn outcome(&self, pos: &G::Position) -> Option<Payoff> {
        self.0.outcome(pos)
    }
    fn tie_plies(&self, pos: &G::Position) -> Option<u32> {
        self.0.tie_plies(pos)
    }
    fn best_payoff(&self) -> Payoff {
        self.0.best_payoff()
    }
    fn theory(&self, pos: &G::Position) -> Option<Payoff> {
        self.0.theory(pos)
    }
    fn most_positions(&self) -> Option<f64> {
        self.0.most_positions()
    }
    fn symmetric(&self, pos: &G::Position, out: &mut Vec<G::Position>) {
        self.0.symmetric(pos, out);
    }
    fn heap_bytes(&self, pos: &G::Position) -> usize {
        self.0.heap_bytes(pos)
    }
    fn version(&self) -> u32 {
        self.0.version()
    }
    fn fault(&self) -> Option<String> {
        self.0.fault()
    }
}

impl<G: Chance> Chance for DebugNotation<G> {
    fn outcomes(&self, pos: &G::Position, out: &mut Vec<(G::Move, f64)>) {
        self.0.outcomes(pos, out);
    }
    fn roller(&self, pos: &G::Position) -> Option<Turn> {
        self.0.roller(pos)
    }
}

impl<G: Game> Notation for DebugNotation<G> {
    /// The name of the type in lower case, without its path.
    fn spec(&self) -> String {
        let name = std::any::type_name::<G>();
        let name = name.split('<').next().unwrap_or(name);
        name.rsplit("::").next().unwrap_or(name).to_lowercase()
    }

    fn write_position(&self, pos: &G::Position) -> String {
        format!("{pos:?}")
    }

    fn read_position(&self, text: &str) -> Result<G::Position, InputError> {
        Err(InputError::position(
            text,
            "the rules of this game do not define a notation for positions; describe the position by the moves that lead to it",
        ))
    }

    /// Commas become slashes and spaces are removed, because both separate moves in a list.
    fn write_move(&self, _: &G::Position, mv: G::Move) -> String {
        format!("{mv:?}").replace(", ", "/").replace(',', "/").split_whitespace().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Clone)]
    struct Pile(u8);

    impl Game for Pile {
        type Position = (u8, bool);
        type Move = (u8, u8);
        fn start(&self) -> Option<(u8, bool)> {
            Some((self.0, true))
        }
        fn turn(&self, pos: &(u8, bool)) -> Turn {
            if pos.1 { Turn::First } else { Turn::Second }
        }
        fn moves(&self, pos: &(u8, bool), out: &mut Vec<(u8, u8)>) {
            out.extend((1..=pos.0.min(2)).map(|take| (take, pos.0)));
        }
        fn play(&self, pos: &(u8, bool), mv: (u8, u8)) -> (u8, bool) {
            (pos.0 - mv.0, !pos.1)
        }
        fn outcome(&self, pos: &(u8, bool)) -> Option<Payoff> {
            (pos.0 == 0).then_some(if pos.1 { -1 } else { 1 })
        }
    }

    #[test]
    fn moves_are_words_that_are_read_back() {
        let game = DebugNotation(Pile(3));
        let start = game.start().unwrap();
        assert_eq!((game.spec(), game.write_position(&start)), ("pile".into(), "(3, true)".into()));
        assert_eq!(game.write_move(&start, (2, 3)), "(2/3)");
        assert_eq!(game.read_move(&start, "(2/3)"), Ok((2, 3)));
        assert!(game.read_position("(3, true)").is_err());
    }
}
