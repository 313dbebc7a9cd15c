//! The game trait and the companions that concern moves.

use serde::{Deserialize, Serialize};
use std::fmt::{self, Debug};
use std::hash::Hash;

/// What the first player gets at the end; the second gets the opposite.
///
/// A win, a tie and a loss are `1`, `0` and `-1` unless a game pays more.
pub type Payoff = i32;

/// Who decides what happens next.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Turn {
    /// The player who starts the game, who wants a high payoff.
    First,
    /// The opponent, who wants a low payoff.
    Second,
    /// Nobody: a die is rolled.
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

    /// `payoff`, which is the first player's, as this player sees it.
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
/// A game is a *value*: it carries its parameters (width, height, piles…), and positions carry only what
/// changes during play.
///
/// # Examples
///
/// One pile of matches, take one or two, who takes the last one wins:
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
///         // The player to move found nothing left: the other one took the last match.
///         (pos.0 == 0).then(|| if pos.1 { -1 } else { 1 })
///     }
/// }
/// ```
pub trait Game: Clone + Send + Sync + 'static {
    /// Everything that changes during play, whose turn it is included.
    type Position: Clone + Eq + Hash + Debug + Send + Sync;
    /// One choice of the player to move, or one fall of the dice.
    type Move: Copy + Eq + Debug + Send + Sync;

    /// Where play begins; `None` for a collection of positions without a start, such as a chess ending.
    fn start(&self) -> Option<Self::Position>;

    /// Who moves. Of a finished position: who would.
    fn turn(&self, pos: &Self::Position) -> Turn;

    /// Appends the legal moves, in a fixed order; none if and only if the game is finished.
    fn moves(&self, pos: &Self::Position, out: &mut Vec<Self::Move>);

    /// The position after a legal move. An illegal one may panic or give nonsense.
    fn play(&self, pos: &Self::Position, mv: Self::Move) -> Self::Position;

    /// The payoff of a finished position, `None` while the game goes on.
    fn outcome(&self, pos: &Self::Position) -> Option<Payoff>;

    /// How many plies are left if the game ends in a tie, where every tying line is equally long.
    fn tie_plies(&self, _pos: &Self::Position) -> Option<u32> {
        None
    }

    /// The largest payoff any finished position has, in absolute value. Search stops at it.
    fn best_payoff(&self) -> Payoff {
        1
    }

    /// What best play brings the player to move, where a theorem tells it without any search (nim-sums). How soon is
    /// left open. The fallback knows no theorem.
    fn theory(&self, _pos: &Self::Position) -> Option<Payoff> {
        None
    }

    /// No more positions than this can be reached; `None` if nobody has counted, or there is no end of them.
    fn most_positions(&self) -> Option<f64> {
        None
    }

    /// Appends the positions that are the same as this one up to symmetry, itself included.
    ///
    /// Symmetric positions have the same value. The fallback knows no symmetry.
    fn symmetric(&self, pos: &Self::Position, out: &mut Vec<Self::Position>) {
        out.push(pos.clone());
    }

    /// Bytes that a position keeps outside of itself, in a `Vec` or a `Box`, so that solvers which remember positions
    /// can tell how many of them fit in memory.
    fn heap_bytes(&self, _pos: &Self::Position) -> usize {
        0
    }

    /// The version of the rules, for games whose positions are explored. Tables remember it, so that one made by other
    /// rules is told from one that can be believed: rules that come from elsewhere count by their contents.
    fn version(&self) -> u32 {
        1
    }

    /// Why the game stopped working, for games whose rules run elsewhere (in a script, say).
    ///
    /// Solvers poll this between tiers and give up with the sentence it returns. Rules written in Rust
    /// cannot fail and leave it alone.
    fn fault(&self) -> Option<String> {
        None
    }
}

/// A game in which dice are rolled.
pub trait Chance: Game {
    /// Appends what can happen at a position whose turn is [`Turn::Chance`], with probabilities that
    /// sum to one.
    fn outcomes(&self, pos: &Self::Position, out: &mut Vec<(Self::Move, f64)>);
}

/// A game that has hash keys of its own.
pub trait Keyed: Game {
    /// A hash of the position for transposition tables; equal positions have equal keys.
    fn key(&self, pos: &Self::Position) -> u64;
}
