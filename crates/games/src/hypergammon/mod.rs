//! Hypergammon: backgammon with three checkers a side, without the cube.
//!
//! ```text
//! 24+23+22 24+23+22 A opening   both sides' checkers, each counted from its owner's home, before A's first roll
//! bar+6+off 12+5+1 B 3-1        B rolled 3-1
//! 24/21+23/22*22                two checkers move, and the checker on the mover's 22-point is hit
//! ```
//!
//! A checker's place is its pip count to bearing off: 24 is furthest, 0 is off, 25 the bar. Both dice are used if
//! possible; if only one can be used, the larger one if possible; a double is played four times. A win pays 1; 2 if the
//! loser has borne off no checker (gammon); 3 if, in addition, a checker of the loser is on the bar or in the winner's
//! home (backgammon). The player who won the opening roll is the first player, and that roll is one of the fifteen
//! non-doubles.

mod index;
mod plays;
mod scene;

pub use index::HyperIndex;

use crate::Spec;
use outplay_core::{Chance, Game, InputError, Notation, Payoff, Scene, Turn};
use plays::{BAR, OFF, Side, plays};

/// Hypergammon; it has no parameters.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Hypergammon;

/// A position of hypergammon: the checkers, the player to move, and the dice if they were rolled.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Race {
    sides: [Side; 2],
    second: bool,
    dice: Dice,
}

/// The state of the dice.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
enum Dice {
    /// The first roll of the game, which is no double.
    Opening,
    Unrolled,
    Shown(u8, u8),
}

/// A move of hypergammon: a roll, or a play, given by the checkers after it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum RaceMove {
    /// The dice, the larger first.
    Roll(u8, u8),
    /// The mover's checkers and the opponent's.
    Play(Side, Side),
}

impl Hypergammon {
    /// Parses `hypergammon`.
    ///
    /// # Errors
    ///
    /// An argument or an option.
    pub fn from_spec(spec: Spec) -> Result<Hypergammon, InputError> {
        if spec.argument().is_some() {
            return Err(spec.error("`hypergammon` takes no argument"));
        }
        spec.finish("no options")?;
        Ok(Hypergammon)
    }
}

impl Race {
    fn mover(&self) -> &Side {
        &self.sides[usize::from(self.second)]
    }

    fn opponent(&self) -> &Side {
        &self.sides[usize::from(!self.second)]
    }

    /// The pip count of each checker of a player; 0 is off, 25 the bar.
    pub fn checkers(&self, turn: Turn) -> [u8; 3] {
        self.sides[usize::from(turn == Turn::Second)]
    }

    /// The player who plays or rolls.
    pub fn owner(&self) -> Turn {
        if self.second { Turn::Second } else { Turn::First }
    }
}

/// The payoff of the winner, given the loser's checkers.
fn stake(loser: &Side) -> Payoff {
    match loser.contains(&OFF) {
        true => 1,
        false if loser.iter().any(|&place| place > 18) => 3,
        false => 2,
    }
}

impl Game for Hypergammon {
    type Position = Race;
    type Move = RaceMove;

    fn start(&self) -> Option<Race> {
        Some(Race { sides: [[24, 23, 22]; 2], second: false, dice: Dice::Opening })
    }

    fn turn(&self, pos: &Race) -> Turn {
        match (pos.dice, pos.second) {
            (Dice::Opening | Dice::Unrolled, _) => Turn::Chance,
            (_, false) => Turn::First,
            (_, true) => Turn::Second,
        }
    }

    fn moves(&self, pos: &Race, out: &mut Vec<RaceMove>) {
        match pos.dice {
            Dice::Shown(a, b) => {
                plays(*pos.mover(), *pos.opponent(), (a, b), |mine, other| {
                    out.push(RaceMove::Play(mine, other))
                });
            }
            _ if self.outcome(pos).is_some() => {}
            dice => {
                let lowest_double = if dice == Dice::Opening { 7 } else { 1 };
                for a in 1..=6 {
                    out.extend((1..a).map(|b| RaceMove::Roll(a, b)));
                    if a >= lowest_double {
                        out.push(RaceMove::Roll(a, a));
                    }
                }
            }
        }
    }

    fn play(&self, pos: &Race, mv: RaceMove) -> Race {
        match mv {
            RaceMove::Roll(a, b) => Race { dice: Dice::Shown(a, b), ..*pos },
            RaceMove::Play(mine, other) => {
                let sides = if pos.second { [other, mine] } else { [mine, other] };
                Race { sides, second: !pos.second, dice: Dice::Unrolled }
            }
        }
    }

    fn outcome(&self, pos: &Race) -> Option<Payoff> {
        // Only the player who has just moved can have borne off all checkers.
        let winner = pos.opponent();
        if pos.dice != Dice::Unrolled || *winner != [OFF; 3] {
            return None;
        }
        let stake = stake(pos.mover());
        Some(if pos.second { stake } else { -stake })
    }

    fn best_payoff(&self) -> Payoff {
        3
    }
}

impl Chance for Hypergammon {
    fn outcomes(&self, pos: &Race, out: &mut Vec<(RaceMove, f64)>) {
        for a in 1..=6u8 {
            for b in 1..=a {
                let probability = match (pos.dice, a == b) {
                    (Dice::Opening, true) => continue,
                    (Dice::Opening, false) => 1.0 / 15.0,
                    (_, true) => 1.0 / 36.0,
                    (_, false) => 1.0 / 18.0,
                };
                out.push((RaceMove::Roll(a, b), probability));
            }
        }
    }
}

fn place_name(place: u8) -> String {
    match place {
        BAR => "bar".to_string(),
        OFF => "off".to_string(),
        point => point.to_string(),
    }
}

/// The places of `from` that are not in `to`. A place that is occupied before and after counts as unmoved, because
/// checkers are indistinguishable.
fn left(from: &Side, to: &Side) -> Vec<u8> {
    let mut rest = to.to_vec();
    let stays = |place: &u8| match rest.iter().position(|other| other == place) {
        Some(i) => {
            rest.remove(i);
            false
        }
        None => true,
    };
    from.iter().copied().filter(stays).collect()
}

fn read_side(text: &str) -> Option<Side> {
    let mut side = [0; 3];
    let places: Vec<&str> = text.split('+').collect();
    if places.len() != 3 {
        return None;
    }
    for (place, word) in side.iter_mut().zip(places) {
        *place = match word {
            "bar" => BAR,
            "off" => OFF,
            number => number.parse().ok().filter(|place| (1..=24).contains(place))?,
        };
    }
    side.sort_unstable_by(|a, b| b.cmp(a));
    Some(side)
}

impl Notation for Hypergammon {
    fn spec(&self) -> String {
        "hypergammon".to_string()
    }

    fn write_position(&self, pos: &Race) -> String {
        let side = |side: &Side| side.map(place_name).join("+");
        let dice = match pos.dice {
            Dice::Opening => " opening".to_string(),
            Dice::Unrolled => String::new(),
            Dice::Shown(a, b) => format!(" {a}-{b}"),
        };
        let player = if pos.second { 'B' } else { 'A' };
        format!("{} {} {player}{dice}", side(&pos.sides[0]), side(&pos.sides[1]))
    }

    fn read_position(&self, text: &str) -> Result<Race, InputError> {
        let bad = |why: &str| InputError::position(text, why);
        let shape = "write both sides' checkers and the player to move, as in `24+23+22 bar+6+off A`, and the dice if rolled, as in `3-1`";
        let words: Vec<&str> = text.split_whitespace().collect();
        let (first, second, player, dice) = match *words.as_slice() {
            [first, second, player] => (first, second, player, None),
            [first, second, player, dice] => (first, second, player, Some(dice)),
            _ => return Err(bad(shape)),
        };
        let (Some(first), Some(second)) = (read_side(first), read_side(second)) else {
            return Err(bad(shape));
        };
        let to_move = match player {
            "A" => false,
            "B" => true,
            _ => return Err(bad("the player to move must be written as A or B")),
        };
        let die = |text: &str| text.parse::<u8>().ok().filter(|die| (1..=6).contains(die));
        let dice = match dice {
            None => Dice::Unrolled,
            Some("opening") => Dice::Opening,
            Some(dice) => match dice.split_once('-').map(|(a, b)| (die(a), die(b))) {
                Some((Some(a), Some(b))) => Dice::Shown(a.max(b), a.min(b)),
                _ => return Err(bad("write the dice as in `3-1`, two numbers from 1 to 6")),
            },
        };
        if first.iter().any(|&place| (1..=24).contains(&place) && second.contains(&(25 - place))) {
            return Err(bad(
                "both players have a checker on the same point; each player counts the points from the end of his own bearing off, so A's point n is B's point 25 - n",
            ));
        }
        let pos = Race { sides: [first, second], second: to_move, dice };
        if *pos.mover() == [OFF; 3] {
            return Err(bad(
                "the player to move has already borne off all checkers and has won; no game reaches this position",
            ));
        }
        if *pos.opponent() == [OFF; 3] && dice != Dice::Unrolled {
            return Err(bad("the game is over; leave out the dice at the end of the position"));
        }
        if dice == Dice::Opening && Some(pos) != self.start() {
            return Err(bad("`opening` is only possible in the start position with A to move"));
        }
        Ok(pos)
    }

    fn write_move(&self, pos: &Race, mv: RaceMove) -> String {
        let (mine, other) = match mv {
            RaceMove::Roll(a, b) => return format!("{a}-{b}"),
            RaceMove::Play(mine, other) => (mine, other),
        };
        let (from, to) = (left(pos.mover(), &mine), left(&mine, pos.mover()));
        let steps =
            from.iter().zip(&to).map(|(&from, &to)| format!("{}/{}", place_name(from), place_name(to)));
        let hits = left(pos.opponent(), &other).into_iter().map(|place| format!("*{}", 25 - place));
        let words = steps.collect::<Vec<String>>().join("+") + &hits.collect::<String>();
        if words.is_empty() { "pass".to_string() } else { words }
    }

    fn said(&self, pos: &Race, mv: RaceMove) -> String {
        match (mv, self.write_move(pos, mv)) {
            (RaceMove::Roll(a, b), _) => format!("rolls {a} and {b}"),
            (_, words) if words == "pass" => "cannot move".to_string(),
            (_, words) => format!("plays {words}"),
        }
    }

    fn scene(&self, pos: &Race) -> Scene {
        scene::scene(self, pos)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::laws;

    #[test]
    fn hypergammon_obeys_the_laws() {
        laws::check(&Hypergammon);
    }

    fn moves(text: &str) -> Vec<String> {
        let pos = Hypergammon.read_position(text).unwrap();
        let mut moves = Vec::new();
        Hypergammon.moves(&pos, &mut moves);
        let mut words: Vec<String> = moves.iter().map(|&mv| Hypergammon.write_move(&pos, mv)).collect();
        words.sort_unstable();
        words
    }

    #[test]
    fn plays_follow_the_rules() {
        // A checker on the bar enters first, and a made point keeps it out.
        assert_eq!(moves("bar+6+5 6+6+1 A 6-6"), ["pass"]);
        assert_eq!(moves("bar+6+5 6+6+1 A 6-5"), ["bar/14"]);
        // Either die bears the last checker off.
        assert_eq!(moves("2+off+off 3+3+3 A 6-1"), ["2/off"]);
        // Bearing off with a larger die than needed is legal from the highest point only.
        assert_eq!(moves("5+3+off 3+3+3 A 4-4"), ["5/off+3/off"]);
        // A hit by an intermediate step counts.
        assert_eq!(moves("10+off+off 17+1+1 A 2-1"), ["10/7", "10/7*8"]);
        assert_eq!(moves("24+24+24 24+5+4 A 1-1").len(), 4);
    }

    #[test]
    fn winning_pays_more_for_gammons() {
        let pays = |text: &str| Hypergammon.outcome(&Hypergammon.read_position(text).unwrap());
        assert_eq!(pays("off+off+off 3+off+off B"), Some(1));
        assert_eq!(pays("off+off+off 18+3+3 B"), Some(2));
        assert_eq!(pays("off+off+off 19+3+3 B"), Some(3));
        assert_eq!(pays("bar+1+1 off+off+off A"), Some(-3));
        assert_eq!(pays("5+1+1 1+off+off A"), None);
    }

    #[test]
    fn invalid_input_is_rejected() {
        for text in [
            "",
            "24+23+22",
            "24+23 1+1+1 A",
            "24+1+1 1+2+3 A",
            "26+1+1 1+1+1 A",
            "1+1+1 1+1+1 C",
            "1+1+1 1+1+1 A 7-1",
            "off+off+off 1+1+1 A",
            "1+1+1 2+2+2 A opening",
        ] {
            assert!(Hypergammon.read_position(text).is_err(), "{text}");
        }
        assert!(Hypergammon::from_spec(Spec::parse("hypergammon:3").unwrap()).is_err());
    }
}
