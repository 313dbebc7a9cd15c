//! Positions as numbers, asked one by one: the hash and the way back, and whether it is fit for dynamic programming.
//!
//! A position's number is its place in its tier behind all earlier tiers.

use crate::Trouble;
use crate::entry::Entry;
use crate::kernels::{Numbering, Numbers};
use outplay_core::{AnyPosition, Game, InputError, Notation, Pace, Tier, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;

/// Up to so many numbers are all checked; of larger indexes as many at random.
const CHECKED: u128 = 1_000_000;

/// A position and its number.
#[derive(Clone, Debug, Serialize)]
pub struct Ranked {
    /// The canonical spec.
    pub game: String,
    /// The number; JSON numbers end at 2^53, so it is a string beyond.
    #[serde(serialize_with = "crate::answers::number")]
    pub number: u128,
    /// The tier's name, and the place in it.
    pub tier: String,
    /// The number within the tier.
    pub place: u64,
    /// The position; `None` if the number is a hole.
    pub position: Option<String>,
    /// Why no game reaches it, if so.
    pub unreached: Option<String>,
}

/// What the 2020 report asks of a hash.
#[derive(Clone, Debug, Serialize)]
pub struct IndexCheck {
    /// The canonical spec.
    pub game: String,
    /// All numbers.
    #[serde(serialize_with = "crate::answers::number")]
    pub size: u128,
    /// Numbers that were looked at.
    pub checked: u64,
    /// Whether these are all.
    pub all: bool,
    /// Numbers that no position has.
    pub holes: u64,
    /// Numbers whose position has another number.
    pub twice: u64,
    /// Moves that were looked at.
    pub moves: u64,
    /// Moves to a position with a number that is not larger.
    pub back: u64,
    /// The first position with such a move, and the move.
    pub example: Option<(String, String)>,
}

impl IndexCheck {
    /// Whether sweeping from the last number to the first solves the game.
    pub fn holds(&self) -> bool {
        self.twice == 0 && self.back == 0
    }
}

/// An index whose numbers run through all tiers.
struct Line<'a> {
    numbers: &'a dyn Numbers,
    /// The first number of each tier, and the end of the last.
    begins: Vec<u128>,
}

impl Line<'_> {
    fn new(numbers: &dyn Numbers) -> Line<'_> {
        let mut begins = vec![0];
        for size in numbers.sizes() {
            begins.push(begins[begins.len() - 1] + u128::from(size));
        }
        Line { numbers, begins }
    }

    fn size(&self) -> u128 {
        self.begins[self.begins.len() - 1]
    }

    fn number(&self, (tier, place): (Tier, u64)) -> u128 {
        self.begins[tier.0 as usize] + u128::from(place)
    }

    /// The tier and place of a number below the size.
    fn split(&self, number: u128) -> (Tier, u64) {
        let tier = self.begins.partition_point(|&begin| begin <= number) - 1;
        (Tier(tier as u32), (number - self.begins[tier]) as u64)
    }
}

impl Entry {
    /// The number of a position.
    ///
    /// # Errors
    ///
    /// Bad input, a game too large to number, a position without a number, or a stop.
    pub fn rank(&self, position: &str, memory: u64, watch: &dyn Watch) -> Result<Ranked, Trouble> {
        let pos = self.game().read_arrangement(position)?;
        let index = self.numbered(memory, watch)?;
        let line = Line::new(index.numbers());
        if !line.numbers.has(&pos) {
            return Err(Trouble::unable(format!(
                "the index of {} has no number for this position",
                self.spec()
            )));
        }
        let (tier, place) = line.numbers.at(&pos);
        Ok(self.ranked(&line, line.number((tier, place)), Some(&pos)))
    }

    /// The position with a number.
    ///
    /// # Errors
    ///
    /// A number beyond the last, a game too large to number, or a stop.
    pub fn unrank(&self, number: u128, memory: u64, watch: &dyn Watch) -> Result<Ranked, Trouble> {
        let index = self.numbered(memory, watch)?;
        let line = Line::new(index.numbers());
        if number >= line.size() {
            let why = format!("the numbers of {} end before {}", self.spec(), line.size());
            return Err(InputError::Position { text: number.to_string(), why }.into());
        }
        let (tier, place) = line.split(number);
        let pos = line.numbers.position(tier, place);
        Ok(self.ranked(&line, number, pos.as_ref()))
    }

    /// Whether the index meets the 2020 report's requirements: one to one, without holes, every child later. Indexes
    /// of up to a million numbers are checked as a whole, of others a million numbers that the seed chooses.
    ///
    /// # Errors
    ///
    /// A game too large to number, or a stop.
    pub fn check_index(&self, memory: u64, seed: u64, watch: &dyn Watch) -> Result<IndexCheck, Trouble> {
        let index = self.numbered(memory, watch)?;
        let line = Line::new(index.numbers());
        let (game, size) = (self.game(), line.size());
        let all = size <= CHECKED;
        let checked = size.min(CHECKED) as u64;
        let mut check = IndexCheck {
            game: self.spec(),
            size,
            checked,
            all,
            holes: 0,
            twice: 0,
            moves: 0,
            back: 0,
            example: None,
        };
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut pace = Pace::new(watch);
        watch.stage("checking the index", checked);
        for i in 0..checked {
            if pace.step() {
                return Err(Trouble::stopped());
            }
            let number = if all { u128::from(i) } else { rng.random_range(0..size) };
            let (tier, place) = line.split(number);
            watch.advance(1);
            let Some(pos) = line.numbers.position(tier, place) else {
                check.holes += 1;
                continue;
            };
            check.twice += u64::from(!line.numbers.has(&pos) || line.numbers.at(&pos) != (tier, place));
            if game.outcome(&pos).is_some() {
                continue;
            }
            for mv in game.list(&pos) {
                let next = game.play(&pos, mv);
                check.moves += 1;
                // A position between two numbered ones is later than the one and before the other.
                if line.numbers.has(&next) && line.number(line.numbers.at(&next)) <= number {
                    check.back += 1;
                    check
                        .example
                        .get_or_insert_with(|| (game.write_position(&pos), game.write_move(&pos, mv)));
                }
            }
        }
        Ok(check)
    }

    fn numbered(&self, memory: u64, watch: &dyn Watch) -> Result<Numbering, Trouble> {
        Ok(self.numbering(self.most_explored(memory), watch)?)
    }

    fn ranked(&self, line: &Line<'_>, number: u128, pos: Option<&AnyPosition>) -> Ranked {
        let (tier, place) = line.split(number);
        let position = pos.map(|pos| self.game().write_position(pos));
        let unreached = position.as_ref().and_then(|text| match self.game().read_position(text) {
            Err(InputError::Position { why, .. }) => Some(why),
            _ => None,
        });
        Ranked {
            game: self.spec(),
            number,
            tier: line.numbers.tier_names().swap_remove(tier.0 as usize),
            place,
            position,
            unreached,
        }
    }
}
