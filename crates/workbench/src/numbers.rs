//! Rank and unrank of single positions, and the check of an index.
//!
//! The rank of a position is its rank within its tier plus the sizes of all earlier tiers.

use crate::{GameHandle, IndexReport, IndexTier, Numbering, Numbers, Session, TierSizes, Trouble};
use outplay_core::{AnyPosition, Game, InputError, Notation, Tier};
use outplay_runtime::{Monitor, Pace};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;

/// Indexes of up to this size are checked completely; of larger ones a random sample of this size is checked.
const CHECKED: u128 = 1_000_000;

/// A position and its rank.
#[derive(Clone, Debug, Serialize)]
pub struct NumberedPosition {
    /// The canonical spec.
    pub game: String,
    /// The number; a string beyond 2^53, where JSON numbers lose digits.
    #[serde(serialize_with = "crate::answers::number")]
    pub number: u128,
    /// The tier's name.
    pub tier: String,
    /// The rank within the tier.
    pub place: u64,
    /// The position; `None` if the number is a hole.
    pub position: Option<String>,
    /// The reason why no game reaches it, if so.
    pub unreached: Option<String>,
}

/// The answer of `index --check`: whether an index is a perfect hash that supports dynamic programming (Zagaynov and
/// Zhao 2020).
#[derive(Clone, Debug, Serialize)]
pub struct IndexCheck {
    /// The canonical spec.
    pub game: String,
    /// All numbers.
    #[serde(serialize_with = "crate::answers::number")]
    pub size: u128,
    /// Numbers checked.
    pub checked: u64,
    /// Whether these are all.
    pub all: bool,
    /// Holes: numbers that unrank to no position.
    pub holes: u64,
    /// Numbers whose position ranks to another number.
    pub twice: u64,
    /// Moves checked.
    pub moves: u64,
    /// Moves to a position whose number is not larger.
    pub back: u64,
    /// The first position with such a move, and the move.
    pub example: Option<(String, String)>,
    /// Numbers at which an index law is broken that solvers rely on. If there are none, `solve` can use the index.
    pub broken: u64,
    /// The first broken law, as a sentence with its positions.
    pub law: Option<String>,
}

impl IndexCheck {
    /// Whether one sweep from the last number to the first solves the game.
    pub fn holds(&self) -> bool {
        self.twice == 0 && self.back == 0 && self.broken == 0
    }
}

/// An index with one number range across all tiers.
struct GlobalNumbering<'a> {
    numbers: &'a dyn Numbers,
    /// The first number of each tier, and the end of the last.
    begins: Vec<u128>,
}

impl GlobalNumbering<'_> {
    fn new(numbers: &dyn Numbers) -> GlobalNumbering<'_> {
        let mut begins = vec![0];
        for size in numbers.sizes() {
            begins.push(begins[begins.len() - 1] + u128::from(size));
        }
        GlobalNumbering { numbers, begins }
    }

    fn size(&self) -> u128 {
        self.begins[self.begins.len() - 1]
    }

    /// Returns the number of a rank within a tier; `None` if it is beyond the index.
    fn number(&self, (tier, place): (Tier, u64)) -> Option<u128> {
        let begin = self.begins.get(tier.0 as usize)?;
        let number = begin + u128::from(place);
        (number < *self.begins.get(tier.0 as usize + 1)?).then_some(number)
    }

    /// Splits a number below the size into tier and rank.
    fn split(&self, number: u128) -> (Tier, u64) {
        let tier = self.begins.partition_point(|&begin| begin <= number) - 1;
        (Tier(tier as u32), (number - self.begins[tier]) as u64)
    }
}

/// Ranks a position.
///
/// # Errors
///
/// Bad input, a game too large to number, a position without a number, or a stop.
pub fn rank(
    session: &Session,
    handle: &GameHandle,
    position: &str,
    memory: u64,
    watch: &dyn Monitor,
) -> Result<NumberedPosition, Trouble> {
    let pos = handle.game().read_arrangement(position)?;
    let index = session.numbering(handle, handle.most_explored(memory), watch)?;
    let line = GlobalNumbering::new(index.numbers());
    if !line.numbers.has(&pos) {
        return Err(Trouble::unable(format!(
            "the index of {} does not contain this position",
            handle.spec()
        )));
    }
    let (tier, place) = line.numbers.at(&pos);
    let number = line.number((tier, place)).ok_or_else(|| {
        Trouble::unable(format!(
            "the index of {} returns {place} in tier {} for this position, which is beyond the end of that tier",
            handle.spec(),
            tier.0
        ))
    })?;
    Ok(ranked(handle, &line, number, Some(&pos)))
}

/// Unranks a number.
///
/// # Errors
///
/// A number beyond the last, a game too large to number, or a stop.
pub fn unrank(
    session: &Session,
    handle: &GameHandle,
    number: u128,
    memory: u64,
    watch: &dyn Monitor,
) -> Result<NumberedPosition, Trouble> {
    let index = session.numbering(handle, handle.most_explored(memory), watch)?;
    let line = GlobalNumbering::new(index.numbers());
    if number >= line.size() {
        let why = format!("the numbers of {} end before {}", handle.spec(), line.size());
        return Err(InputError::Position { text: number.to_string(), why }.into());
    }
    let (tier, place) = line.split(number);
    let pos = line.numbers.position(tier, place);
    Ok(ranked(handle, &line, number, pos.as_ref()))
}

/// Checks the 2020 report's requirements on an index (bijective, no holes, every child has a larger number) and the
/// laws that solvers rely on ([`outplay_core::index_laws`]). Indexes of up to a million numbers are checked
/// completely, others on a million numbers drawn from the seed.
///
/// # Errors
///
/// A game too large to number, or a stop.
pub fn check_index(
    session: &Session,
    handle: &GameHandle,
    memory: u64,
    seed: u64,
    watch: &dyn Monitor,
) -> Result<IndexCheck, Trouble> {
    let index = session.numbering(handle, handle.most_explored(memory), watch)?;
    let line = GlobalNumbering::new(index.numbers());
    let (game, size) = (handle.game(), line.size());
    let all = size <= CHECKED;
    let checked = size.min(CHECKED) as u64;
    let mut check = IndexCheck {
        game: handle.spec(),
        size,
        checked,
        all,
        holes: 0,
        twice: 0,
        moves: 0,
        back: 0,
        example: None,
        broken: 0,
        law: None,
    };
    if let Some(breach) = line.numbers.start_breach(index.gaps()) {
        (check.broken, check.law) = (1, Some(breach.to_string()));
    }
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
        if let Some(breach) = line.numbers.breach(tier, place, index.gaps()) {
            check.broken += 1;
            check.law.get_or_insert_with(|| breach.to_string());
        }
        check.twice += u64::from(!line.numbers.has(&pos) || line.numbers.at(&pos) != (tier, place));
        if game.outcome(&pos).is_some() {
            continue;
        }
        for mv in game.list(&pos) {
            let next = game.play(&pos, mv);
            check.moves += 1;
            // A position without a number, between two numbered ones, is later than the one and before the other.
            if line.numbers.has(&next)
                && line.number(line.numbers.at(&next)).is_none_or(|next| next <= number)
            {
                check.back += 1;
                check.example.get_or_insert_with(|| (game.write_position(&pos), game.write_move(&pos, mv)));
            }
        }
    }
    Ok(check)
}

fn ranked(
    handle: &GameHandle,
    line: &GlobalNumbering<'_>,
    number: u128,
    pos: Option<&AnyPosition>,
) -> NumberedPosition {
    let (tier, place) = line.split(number);
    let position = pos.map(|pos| handle.game().write_position(pos));
    let unreached = position.as_ref().and_then(|text| match handle.game().read_position(text) {
        Err(InputError::Position { why, .. }) => Some(why),
        _ => None,
    });
    NumberedPosition {
        game: handle.spec(),
        number,
        tier: line.numbers.tier_names().swap_remove(tier.0 as usize),
        place,
        position,
        unreached,
    }
}

/// Reports the size of the index tier by tier; counts reachable positions if `memory` allows.
///
/// # Errors
///
/// A game too large to explore that has no index of its own, or a stop.
pub fn index_report(
    session: &Session,
    handle: &GameHandle,
    memory: u64,
    count: bool,
    watch: &dyn Monitor,
) -> Result<IndexReport, Trouble> {
    let game = handle.spec();
    let sizes = match &handle.0.sizes {
        TierSizes::Unknown => None,
        TierSizes::Known(sizes) => Some(Some(sizes)),
        TierSizes::Beyond => Some(None),
    };
    if let Some(sizes) = sizes {
        let size = sizes.map(|sizes| sizes.iter().sum());
        let fits = |size: u128| size / 8 <= u128::from(memory);
        let counted = match (handle.index(), size) {
            (Some(Numbering::Sweeps(sweeps)), Some(size)) if count && fits(size) => {
                Some(sweeps.reach(&handle.start()?, watch)?)
            }
            _ => None,
        };
        let reachable = |t: usize| counted.as_ref().map(|reach| reach.count(Tier(t as u32)));
        let tiers: Vec<IndexTier> = sizes
            .into_iter()
            .flatten()
            .enumerate()
            .map(|(t, &size)| IndexTier { tier: format!("{t:02}"), size, reachable: reachable(t) })
            .collect();
        let total = counted.is_some().then(|| tiers.iter().filter_map(|tier| tier.reachable).sum::<u64>());
        let ratio = total.zip(size).map(|(reached, size): (u64, u128)| reached as f64 / size as f64);
        return Ok(IndexReport { game, index: "tight", tiers, size, reachable: total, ratio });
    }
    let (index, explored) = match handle.index() {
        Some(index) => (index, false),
        None => (session.numbering(handle, handle.most_explored(memory), watch)?, true),
    };
    let tier = |(tier, size): (String, u64)| IndexTier {
        tier,
        size: size.into(),
        reachable: explored.then_some(size),
    };
    let numbers = index.numbers();
    let tiers: Vec<IndexTier> = numbers.tier_names().into_iter().zip(numbers.sizes()).map(tier).collect();
    let size: u128 = tiers.iter().map(|tier| tier.size).sum();
    let reachable = explored.then(|| u64::try_from(size).unwrap_or(u64::MAX));
    let (kind, ratio) = if explored { ("explored", Some(1.0)) } else { ("tight", None) };
    Ok(IndexReport { game, index: kind, tiers, size: Some(size), reachable, ratio })
}

/// Returns a position for any number, for games whose positions have numbers: one with all men on the board.
pub fn numbered_position(handle: &GameHandle, number: u64) -> Option<AnyPosition> {
    let index = handle.index()?;
    let sizes = index.numbers().sizes();
    let (tier, &size) = sizes.iter().enumerate().max_by_key(|(_, size)| **size)?;
    index.numbers().position(Tier(tier as u32), number % size.max(1))
}
