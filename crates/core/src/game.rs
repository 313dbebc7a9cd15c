//! The [`Game`] trait: a two-player zero-sum game of perfect information, with optional chance nodes.
//!
//! The required methods are the start position, the player to move, the legal moves, the successor by a move, and the
//! payoff of a finished position. Positions are values and are never modified in place.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Debug};
use std::hash::Hash;

/// Payoff of the first player at the end; the second player gets the opposite.
///
/// A win, a tie and a loss are `1`, `0` and `-1` unless a game pays more.
pub type Payoff = i32;

/// The decision maker at a position: a player, or chance.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// The player who starts the game and maximises the payoff.
    First,
    /// The opponent, who minimises the payoff.
    Second,
    /// A chance node: the next move is drawn at random, a roll of dice, say.
    Chance,
}

impl Turn {
    /// The opponent; chance stays chance.
    pub fn other(self) -> Turn {
        match self {
            Turn::First => Turn::Second,
            Turn::Second => Turn::First,
            Turn::Chance => Turn::Chance,
        }
    }

    /// `first`, `second` or `chance`.
    pub fn word(self) -> &'static str {
        match self {
            Turn::First => "first",
            Turn::Second => "second",
            Turn::Chance => "chance",
        }
    }

    /// `payoff`, which is the first player's, from the point of view of this player.
    pub fn sees(self, payoff: Payoff) -> Payoff {
        if self == Turn::Second { -payoff } else { payoff }
    }
}

impl fmt::Display for Turn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

/// A two-player zero-sum game of perfect information.
///
/// A game is a *value*: it carries its parameters (width, height, piles…), and a position carries only the state that
/// changes during play.
///
/// # Examples
///
/// One pile of matches: a player takes one or two, and the player who takes the last match wins.
///
/// ```
/// use outplay_core::{Game, Payoff, Turn};
///
/// #[derive(Clone)]
/// struct Pile(u8);
///
/// impl Game for Pile {
///     type Position = (u8, bool); // matches left, first player to move
///     type Move = u8;
///     fn start(&self) -> Option<(u8, bool)> {
///         Some((self.0, true))
///     }
///     fn turn(&self, pos: &(u8, bool)) -> Turn {
///         if pos.1 { Turn::First } else { Turn::Second }
///     }
///     fn moves(&self, pos: &(u8, bool), out: &mut Vec<u8>) {
///         out.extend(1..=pos.0.min(2));
///     }
///     fn play(&self, pos: &(u8, bool), mv: u8) -> (u8, bool) {
///         (pos.0 - mv, !pos.1)
///     }
///     fn outcome(&self, pos: &(u8, bool)) -> Option<Payoff> {
///         // No match is left for the player to move: the opponent took the last one.
///         (pos.0 == 0).then(|| if pos.1 { -1 } else { 1 })
///     }
/// }
/// ```
pub trait Game: Clone + Send + Sync + 'static {
    /// The state that changes during play, the player to move included.
    type Position: Clone + Eq + Hash + Debug + Send + Sync;
    /// A choice of the player to move, or an outcome of a chance node.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// The start position; `None` for a set of positions without a start, such as a chess ending.
    fn start(&self) -> Option<Self::Position>;

    /// The player to move; at a finished position, the player who would move.
    fn turn(&self, pos: &Self::Position) -> Turn;

    /// Appends the legal moves in a fixed order. There are none if and only if the game is finished.
    fn moves(&self, pos: &Self::Position, out: &mut Vec<Self::Move>);

    /// The position after a legal move. An illegal move may panic or return nonsense.
    fn play(&self, pos: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The payoff of a finished position; `None` while the game is in progress.
    fn outcome(&self, pos: &Self::Position) -> Option<Payoff>;

    /// The number of plies left if the game ends in a tie, where every tying line is equally long.
    fn tie_plies(&self, _pos: &Self::Position) -> Option<u32> {
        None
    }

    /// The largest absolute payoff of any finished position. A search that reaches it stops.
    fn best_payoff(&self) -> Payoff {
        1
    }

    /// The value for the player to move where a theorem gives it without search (nim-sums). The distance is left
    /// open. The fallback is `None`.
    fn theory(&self, _pos: &Self::Position) -> Option<Payoff> {
        None
    }

    /// An upper bound on the number of reachable positions; `None` if it is unknown or infinite.
    fn most_positions(&self) -> Option<f64> {
        None
    }

    /// Appends the positions that are equivalent to this one by symmetry, itself included.
    ///
    /// Symmetric positions have the same value. The fallback assumes no symmetry.
    fn symmetric(&self, pos: &Self::Position, out: &mut Vec<Self::Position>) {
        out.push(pos.clone());
    }

    /// Heap bytes of a position (in a `Vec` or a `Box`), so that solvers that store positions can predict how many
    /// fit in memory.
    fn heap_bytes(&self, _pos: &Self::Position) -> usize {
        0
    }

    /// The version of the rules, for games whose positions are explored. Tables store it, so that a table made with
    /// other rules is recognised and rejected. Rules loaded as data derive it from their contents.
    fn version(&self) -> u32 {
        1
    }

    /// The reason why the rules failed, for games whose rules run outside this process (in a script, say).
    ///
    /// Solvers poll this between tiers and return the message as an error. Rules written in Rust cannot fail and keep
    /// the fallback.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// A game with chance nodes.
pub trait Chance: Game {
    /// Appends the outcomes of a position whose turn is [`Turn::Chance`], with probabilities that sum to one.
    fn outcomes(&self, pos: &Self::Position, out: &mut Vec<(Self::Move, f64)>);

    /// The player whose roll a chance node belongs to; `None` where the position alone does not determine it.
    ///
    /// The fallback is the player who moves next, if that player is the same after every outcome. Outcomes that end
    /// the game are ignored. Consecutive rolls are followed along the first outcome of each that leads to another
    /// roll.
    fn roller(&self, pos: &Self::Position) -> Option<Turn> {
        let (mut pos, mut outcomes) = (pos.clone(), Vec::new());
        for _ in 0..ROLLS_IN_A_ROW {
            outcomes.clear();
            self.outcomes(&pos, &mut outcomes);
            let (mut next_mover, mut next_roll) = (None, None);
            for &(mv, _) in &outcomes {
                let next = self.play(&pos, mv);
                if self.outcome(&next).is_some() {
                    continue;
                }
                match (self.turn(&next), next_mover) {
                    (Turn::Chance, _) => next_roll = next_roll.or(Some(next)),
                    (side, Some(other)) if side != other => return None,
                    (side, _) => next_mover = Some(side),
                }
            }
            if next_mover.is_some() {
                return next_mover;
            }
            pos = next_roll?;
        }
        None
    }
}

/// Consecutive rolls that [`Chance::roller`] follows, for dice that are rolled one by one.
const ROLLS_IN_A_ROW: usize = 8;

/// A game that computes its own hash keys.
pub trait HashKeys: Game {
    /// A hash of the position for transposition tables; equal positions have equal keys.
    fn key(&self, pos: &Self::Position) -> u64;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A game graph with consecutive rolls: each position has a player to move and a list of successors.
    #[derive(Clone)]
    struct ConsecutiveRolls(&'static [(Turn, &'static [usize])]);

    impl Game for ConsecutiveRolls {
        type Position = usize;
        type Move = usize;
        fn start(&self) -> Option<usize> {
            Some(0)
        }
        fn turn(&self, pos: &usize) -> Turn {
            self.0[*pos].0
        }
        fn moves(&self, pos: &usize, out: &mut Vec<usize>) {
            out.extend(self.0[*pos].1);
        }
        fn play(&self, _pos: &usize, mv: usize) -> usize {
            mv
        }
        fn outcome(&self, pos: &usize) -> Option<Payoff> {
            self.0[*pos].1.is_empty().then_some(1)
        }
    }

    impl Chance for ConsecutiveRolls {
        fn outcomes(&self, pos: &usize, out: &mut Vec<(usize, f64)>) {
            let next = self.0[*pos].1;
            out.extend(next.iter().map(|&mv| (mv, 1.0 / next.len() as f64)));
        }
    }

    #[test]
    fn a_roll_belongs_to_the_next_player_to_move() {
        use Turn::{Chance, First, Second};
        let roller = |graph| ConsecutiveRolls(graph).roller(&0);
        assert_eq!(roller(&[(Chance, &[1, 2]), (Second, &[0]), (Second, &[0])]), Some(Second));
        assert_eq!(roller(&[(Chance, &[1, 2]), (First, &[0]), (Second, &[0])]), None, "either may be next");
        assert_eq!(
            roller(&[(Chance, &[1, 2]), (First, &[]), (Second, &[0])]),
            Some(Second),
            "one ends the game"
        );
        assert_eq!(
            roller(&[(Chance, &[1]), (Chance, &[2]), (Second, &[0])]),
            Some(Second),
            "two rolls in a row"
        );
        assert_eq!(roller(&[(Chance, &[1]), (Chance, &[0])]), None, "rolls without an end");
        assert_eq!(roller(&[(Chance, &[1]), (First, &[])]), None, "the game is over");
    }
}
