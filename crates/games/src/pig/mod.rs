//! Pig and Piglet: push-your-luck games of rolling for points or holding (Neller and Presser 2004).
//!
//! `pig:100` rolls a die: a 1 loses the points of the turn and passes the turn, and other faces add to the points.
//! `piglet:10` tosses a coin: heads adds one point, tails loses the points of the turn and passes the turn. Holding
//! banks the points and passes the turn; a player with no points to bank must roll. The player who reaches the goal,
//! points of the turn included, wins.
//!
//! ```text
//! 12-30 A 7         A (the first player) has 12, B has 30, and A's turn is worth 7 so far
//! 12-30 A 7 roll    A has decided to roll
//! ```

mod index;

pub use index::PigIndex;

use crate::Spec;
use outplay_core::{Chance, Game, Gesture, InputError, Notation, Payoff, Remark, Scene, Turn};

const MOST_POINTS: usize = 1000;

/// Pig or Piglet with a given goal.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Pig {
    goal: u16,
    coin: bool,
}

/// A position of Pig: banked points, points of the turn, the player whose turn it is, and whether a roll is due.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Points {
    kept: [u16; 2],
    turn: u16,
    second: bool,
    rolling: bool,
}

/// A move of Pig: a decision of the player, or the outcome of a roll.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PigMove {
    /// Roll the die or toss the coin.
    Roll,
    /// Bank the points of the turn.
    Hold,
    /// A roll's points; 0 ends the turn and loses its points.
    Add(u8),
}

impl Pig {
    /// Parses `pig:GOAL` or `piglet:GOAL`.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
    pub fn from_spec(spec: Spec) -> Result<Pig, InputError> {
        let coin = spec.name() == "piglet";
        let goal = match spec.argument() {
            None => {
                if coin {
                    10
                } else {
                    100
                }
            }
            Some(text) => match text.parse::<usize>() {
                Ok(goal @ 1..=MOST_POINTS) => goal,
                _ => {
                    return Err(spec.error(format!(
                        "the goal must be a number from 1 to {MOST_POINTS}, as in `{}:50`",
                        spec.name()
                    )));
                }
            },
        };
        spec.finish("no options")?;
        Ok(Pig { goal: goal as u16, coin })
    }

    /// The number of points that wins.
    pub fn goal(&self) -> u16 {
        self.goal
    }

    /// The points that a roll can add; 0 ends the turn.
    pub fn faces(&self) -> &'static [u8] {
        if self.coin { &[0, 1] } else { &[0, 2, 3, 4, 5, 6] }
    }
}

impl Points {
    /// The banked points of a player.
    pub fn kept(&self, turn: Turn) -> u16 {
        self.kept[usize::from(turn == Turn::Second)]
    }

    /// The points of the turn so far.
    pub fn at_stake(&self) -> u16 {
        self.turn
    }

    /// The player who decides or rolls.
    pub fn owner(&self) -> Turn {
        if self.second { Turn::Second } else { Turn::First }
    }
}

impl Game for Pig {
    type Position = Points;
    type Move = PigMove;

    fn start(&self) -> Option<Points> {
        Some(Points { kept: [0; 2], turn: 0, second: false, rolling: false })
    }

    fn turn(&self, pos: &Points) -> Turn {
        match (pos.rolling, pos.second) {
            (true, _) => Turn::Chance,
            (_, false) => Turn::First,
            (_, true) => Turn::Second,
        }
    }

    fn moves(&self, pos: &Points, out: &mut Vec<PigMove>) {
        if self.outcome(pos).is_some() {
            return;
        }
        if pos.rolling {
            out.extend(self.faces().iter().map(|&points| PigMove::Add(points)));
            return;
        }
        out.push(PigMove::Roll);
        if pos.turn > 0 {
            out.push(PigMove::Hold);
        }
    }

    fn play(&self, pos: &Points, mv: PigMove) -> Points {
        let mut next = *pos;
        match mv {
            PigMove::Roll => next.rolling = true,
            PigMove::Hold => {
                next.kept[usize::from(pos.second)] += pos.turn;
                next = Points { turn: 0, second: !pos.second, ..next };
            }
            PigMove::Add(0) => next = Points { turn: 0, second: !pos.second, rolling: false, ..next },
            PigMove::Add(points) => {
                next = Points { turn: pos.turn + u16::from(points), rolling: false, ..next }
            }
        }
        next
    }

    fn outcome(&self, pos: &Points) -> Option<Payoff> {
        let mine = pos.kept[usize::from(pos.second)] + pos.turn;
        (mine >= self.goal && !pos.rolling).then_some(if pos.second { -1 } else { 1 })
    }
}

impl Chance for Pig {
    fn outcomes(&self, _pos: &Points, out: &mut Vec<(PigMove, f64)>) {
        let faces = self.faces();
        out.extend(faces.iter().map(|&points| (PigMove::Add(points), 1.0 / faces.len() as f64)));
    }

    /// A roll may end the turn, so the next player to move does not determine the roller.
    fn roller(&self, pos: &Points) -> Option<Turn> {
        Some(pos.owner())
    }
}

impl Notation for Pig {
    fn spec(&self) -> String {
        format!("{}:{}", if self.coin { "piglet" } else { "pig" }, self.goal)
    }

    fn write_position(&self, pos: &Points) -> String {
        let player = if pos.second { 'B' } else { 'A' };
        let roll = if pos.rolling { " roll" } else { "" };
        format!("{}-{} {player} {}{roll}", pos.kept[0], pos.kept[1], pos.turn)
    }

    fn read_position(&self, text: &str) -> Result<Points, InputError> {
        let bad = |why: &str| InputError::position(text, why);
        let shape =
            "write points, player and points of the turn, as in `12-30 A 7`, with ` roll` before a roll";
        let words: Vec<&str> = text.split_whitespace().collect();
        let (rolling, words) = match words.as_slice() {
            [rest @ .., "roll"] => (true, rest),
            all => (false, all),
        };
        let &[kept, player, turn] = words else { return Err(bad(shape)) };
        let number = |text: &str| text.parse::<u16>().ok().filter(|&n| usize::from(n) <= MOST_POINTS + 10);
        let (Some((Some(a), Some(b))), Some(turn)) =
            (kept.split_once('-').map(|(a, b)| (number(a), number(b))), number(turn))
        else {
            return Err(bad(shape));
        };
        let second = match player {
            "A" => false,
            "B" => true,
            _ => return Err(bad("the player to move must be written as A or B")),
        };
        if a >= self.goal || b >= self.goal {
            return Err(bad(
                "kept points must be below the goal; a player who reaches it has won and the game is over",
            ));
        }
        if rolling && [a, b][usize::from(second)] + turn >= self.goal {
            return Err(bad(
                "the points kept and those of the turn reach the goal, so the game is over; leave out `roll`",
            ));
        }
        Ok(Points { kept: [a, b], turn, second, rolling })
    }

    fn write_move(&self, _pos: &Points, mv: PigMove) -> String {
        match mv {
            PigMove::Roll => "roll".to_string(),
            PigMove::Hold => "hold".to_string(),
            PigMove::Add(points) if self.coin => if points == 0 { "tails" } else { "heads" }.to_string(),
            PigMove::Add(points) => points.max(1).to_string(),
        }
    }

    fn coordinates(&self, pos: &Points) -> Vec<(&'static str, i64)> {
        let (own, other) = (pos.kept[usize::from(pos.second)], pos.kept[usize::from(!pos.second)]);
        vec![("own", own.into()), ("other", other.into()), ("turn", pos.turn.into())]
    }

    fn said(&self, pos: &Points, mv: PigMove) -> String {
        let word = self.write_move(pos, mv);
        match mv {
            // Only the outcome of the roll is reported.
            PigMove::Roll => String::new(),
            PigMove::Hold => "holds".to_string(),
            PigMove::Add(0) if pos.turn > 0 => format!("rolls {word} and loses {}", pos.turn),
            PigMove::Add(0) => format!("rolls {word}: the turn is over"),
            PigMove::Add(_) => format!("rolls {word}"),
        }
    }

    /// Buttons, and the points as facts; there are no spots.
    fn scene(&self, pos: &Points) -> Scene {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let button = |mv| Gesture {
            mv: self.write_move(pos, mv),
            odds: u32::from(matches!(mv, PigMove::Add(_))),
            ..Gesture::default()
        };
        let points = |side: usize| format!("{} of {}", pos.kept[side], self.goal);
        Scene {
            facts: vec![
                ("first".into(), points(0)),
                ("second".into(), points(1)),
                ("this turn".into(), pos.turn.to_string()),
            ],
            prompt: match (moves.contains(&PigMove::Roll), pos.turn) {
                (false, _) => String::new(),
                (true, 0) => "Roll for points.".to_string(),
                (true, turn) => {
                    let bad = if self.coin { "Tails" } else { "A 1" };
                    format!("Roll again, or hold and keep {turn}? {bad} loses them.")
                }
            },
            moves: moves.into_iter().map(button).collect(),
            ..Scene::default()
        }
    }

    /// The risk of a roll.
    fn remarks(&self, pos: &Points) -> Vec<Remark> {
        let (bad, odds) = if self.coin { ("tails", 2) } else { ("a 1", 6) };
        let need = self.goal - pos.kept[usize::from(pos.second)] - pos.turn;
        let points = |n: u16| if n == 1 { "1 point".to_string() } else { format!("{n} points") };
        let words = match pos.turn {
            0 => format!("no points are at risk yet; {} to go", points(need)),
            turn => format!(
                "{bad} (1 in {odds}) loses the {} of this turn; after holding, {} to go",
                points(turn),
                points(need)
            ),
        };
        vec![Remark { words, spots: Vec::new(), by: self.turn(pos) }]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::laws;

    #[test]
    fn pigs_obey_the_laws() {
        for text in ["pig:100", "pig:10", "piglet:10", "piglet:2"] {
            let game = Pig::from_spec(Spec::parse(text).unwrap()).unwrap();
            assert_eq!(game.spec(), text);
            laws::check(&game);
        }
    }

    #[test]
    fn invalid_input_is_rejected() {
        for text in ["pig:0", "pig:x", "pig:1001", "piglet:-1", "pig:10,fast"] {
            assert!(Pig::from_spec(Spec::parse(text).unwrap()).is_err(), "{text}");
        }
        let game = Pig::from_spec(Spec::parse("pig:20").unwrap()).unwrap();
        for text in ["", "1-2", "1-2 C 3", "20-1 A 0", "1-2 A 19 roll", "1-2 A x", "1 2 A 3"] {
            assert!(game.read_position(text).is_err(), "{text}");
        }
    }
}
