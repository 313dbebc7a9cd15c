//! Game-theoretic values: payoff and distance to the end, for the player to move.
//!
//! ```text
//! worse                                                             better
//!  loss in 0  <  loss in 2  <  …  <  tie = draw  <  …  <  win in 3  <  win in 1
//! ```
//!
//! The distance is the number of plies to the end (DTM in chess, remoteness in Gamesman); the winner minimises it and
//! the loser maximises it. A *tie* is an end of the game with payoff 0. A *draw by repetition* is a game without an
//! end: neither player can force a win, nor any end but their own loss. Both have payoff 0, so they compare equal.

use crate::Payoff;
use serde::Serialize;
use std::cmp::Ordering;
use std::fmt;

/// Plies of a draw by repetition: the game never ends.
const NEVER: u32 = u32::MAX;

/// Plies of a win or loss whose distance was not stored.
const UNTIMED: u32 = u32::MAX - 1;

/// The exact value of a position for the player to move: a payoff, and the plies to the end of the game.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Value {
    payoff: Payoff,
    plies: u32,
}

/// A value without its distance: win, draw or loss.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Verdict {
    /// The player to move loses against best play.
    Loss,
    /// Neither player can force a win.
    Draw,
    /// The player to move wins.
    Win,
}

impl Value {
    /// The game ends with payoff 0.
    pub const TIE: Value = Value { payoff: 0, plies: 0 };
    /// Neither player can force the game to end.
    pub const REPETITION: Value = Value { payoff: 0, plies: NEVER };

    /// A payoff for the player to move, paid after `plies` more plies. The plies of a tie are not stored.
    pub fn new(payoff: Payoff, plies: u32) -> Value {
        if payoff == 0 { Value::TIE } else { Value { payoff, plies } }
    }

    /// A payoff for the player to move at an unknown distance.
    ///
    /// It compares as further away than any known distance: worse than a timed win, better than a timed loss.
    pub fn untimed(payoff: Payoff) -> Value {
        Value::new(payoff, UNTIMED)
    }

    /// The player to move wins after `plies` plies.
    pub fn win(plies: u32) -> Value {
        Value::new(1, plies)
    }

    /// The player to move loses after `plies` plies.
    pub fn loss(plies: u32) -> Value {
        Value::new(-1, plies)
    }

    /// The payoff of the player to move.
    pub fn payoff(self) -> Payoff {
        self.payoff
    }

    /// Plies to the end when the winner minimises and the loser maximises them; `None` for ties, draws and untimed
    /// values.
    ///
    /// Where every tying line is equally long, [`crate::Game::tie_plies`] returns the distance of a tie.
    pub fn distance(self) -> Option<u32> {
        (self.payoff != 0 && self.plies != UNTIMED).then_some(self.plies)
    }

    /// Whether neither player can force an end.
    pub fn is_repetition(self) -> bool {
        self.payoff == 0 && self.plies == NEVER
    }

    /// The value of a move that leads here, for the player who makes it (the negamax step): one ply further from the
    /// end, and negated unless the same player moves again.
    pub fn before(self, same_player: bool) -> Value {
        let payoff = if same_player { self.payoff } else { -self.payoff };
        let plies = if self.payoff == 0 || self.plies == UNTIMED { self.plies } else { self.plies + 1 };
        Value { payoff, plies }
    }

    /// The same value from the opponent's point of view.
    pub fn flipped(self) -> Value {
        Value { payoff: -self.payoff, ..self }
    }

    /// Win, draw or loss.
    pub fn verdict(self) -> Verdict {
        match self.payoff.signum() {
            1 => Verdict::Win,
            0 => Verdict::Draw,
            _ => Verdict::Loss,
        }
    }

    /// A sort key that is larger when the value is better for the player to move.
    fn key(self) -> (Payoff, i64) {
        let hurry = self.payoff.signum() as i64;
        (self.payoff, -hurry * self.plies as i64)
    }
}

impl Ord for Value {
    fn cmp(&self, other: &Value) -> Ordering {
        self.key().cmp(&other.key())
    }
}

impl PartialOrd for Value {
    fn partial_cmp(&self, other: &Value) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_repetition() {
            return f.write_str("draw by repetition");
        }
        write!(f, "{}", self.verdict())?;
        if self.payoff.abs() > 1 {
            write!(f, " of {}", self.payoff.abs())?;
        }
        match self.distance() {
            Some(plies) => write!(f, " in {plies}"),
            None => Ok(()),
        }
    }
}

impl fmt::Debug for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Verdict {
    /// `win`, `draw` or `loss`.
    pub fn word(self) -> &'static str {
        match self {
            Verdict::Win => "win",
            Verdict::Draw => "draw",
            Verdict::Loss => "loss",
        }
    }

    /// The same verdict from the opponent's point of view.
    pub fn flipped(self) -> Verdict {
        match self {
            Verdict::Win => Verdict::Loss,
            Verdict::Draw => Verdict::Draw,
            Verdict::Loss => Verdict::Win,
        }
    }
}

impl fmt::Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn better_values_are_larger() {
        let scale = [
            Value::new(-3, 1),
            Value::loss(0),
            Value::loss(2),
            Value::loss(40),
            Value::TIE,
            Value::win(41),
            Value::win(1),
            Value::new(2, 9),
        ];
        assert!(scale.windows(2).all(|pair| pair[0] < pair[1]), "{scale:?}");
        assert_eq!(Value::TIE.cmp(&Value::REPETITION), Ordering::Equal);
        assert_ne!(Value::TIE, Value::REPETITION);
    }

    #[test]
    fn a_move_is_one_ply_further_and_seen_from_the_other_side() {
        assert_eq!(Value::loss(0).before(false), Value::win(1));
        assert_eq!(Value::win(3).before(false), Value::loss(4));
        assert_eq!(Value::win(3).before(true), Value::win(4));
        assert_eq!(Value::TIE.before(false), Value::TIE);
        assert_eq!(Value::REPETITION.before(false), Value::REPETITION);
    }

    #[test]
    fn untimed_values_stay_untimed() {
        let win = Value::untimed(1);
        assert_eq!((win.distance(), win.before(false)), (None, Value::untimed(-1)));
        assert!(Value::TIE < win && win < Value::win(1000));
        assert_eq!(Value::untimed(0), Value::TIE);
        assert_eq!(win.to_string(), "win");
    }

    #[test]
    fn values_print_verdict_and_distance() {
        assert_eq!(Value::win(5).to_string(), "win in 5");
        assert_eq!(Value::new(-2, 4).to_string(), "loss of 2 in 4");
        assert_eq!(Value::TIE.to_string(), "draw");
        assert_eq!(Value::REPETITION.to_string(), "draw by repetition");
    }
}
