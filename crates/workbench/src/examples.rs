//! Example positions of a table: positions of a given kind, the longest wins, and the wins that are hardest to find.
//!
//! ```text
//!  ranks of a tier      0 1 2 3 4 5 6 …
//!  visited in order     3 0 4 1 5 2 6 …      stride coprime to the tier's size; the seed determines the first rank
//! ```
//!
//! The search ends when enough positions are found, all are visited, or the time limit is reached.

use crate::extent::is_reached;
use crate::tables::{OpenTables, open_table, refuse_dice};
use crate::{Answer, GameHandle, Numbers, Session, Trouble, stats};
use outplay_core::{AnyPosition, Game, Notation, Tier, Turn, Value, Verdict};
use outplay_runtime::{Deadline, Monitor};
use serde::Serialize;
use std::cmp::Reverse;
use std::collections::HashSet;
use std::time::Duration;

/// Filter of example positions: tier, value and distance.
#[derive(Clone, Debug, Default)]
pub struct ExampleFilter {
    /// The name of a tier; none for any.
    pub tier: Option<String>,
    /// The verdict for the first player (for the mover, if the players are merged).
    pub verdict: Option<Verdict>,
    /// Plies to the end.
    pub distance: Option<u32>,
    /// Number of positions.
    pub most: usize,
    /// Random seed.
    pub seed: u64,
}

/// An example position of a table, with its value.
#[derive(Clone, Debug, Serialize)]
pub struct Example {
    /// The position.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// The tier that it belongs to.
    pub tier: String,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// Moves that keep its value; none where the game is over.
    pub keeping: usize,
    /// All of its moves.
    pub choices: usize,
}

/// The longest wins of a table, and the wins that are hardest to find.
#[derive(Clone, Debug, Serialize)]
pub struct Records {
    /// The canonical spec.
    pub game: String,
    /// Plies of the longest win of any side to move; none in tables without distances.
    pub longest_plies: Option<u32>,
    /// Number of positions with a win of that length.
    pub longest_count: u64,
    /// Some of them, as many as were found in time.
    pub longest: Vec<Example>,
    /// Long wins in which few moves win, the hardest first.
    pub hardest: Vec<Example>,
}

/// The longest wins and losses of the player to move.
#[derive(Clone, Debug, Serialize)]
pub struct LongestRecords {
    /// The longest wins.
    pub longest_wins: LongestRecord,
    /// The longest losses.
    pub longest_losses: LongestRecord,
}

/// The largest distance of wins (or losses) in a table, and positions that have it.
#[derive(Clone, Debug, Serialize)]
pub struct LongestRecord {
    /// Plies to the end; none without such positions, or in a table without distances.
    pub plies: Option<u32>,
    /// Number of positions.
    pub count: u64,
    /// Some of them, as many as were found in time.
    pub positions: Vec<Example>,
}

/// Examples per record.
const SHOWN: usize = 6;
/// Won positions from which the hardest are chosen.
const SAMPLE: usize = 3000;
/// Time limit of each search for examples.
const PATIENCE: Duration = Duration::from_millis(1500);
/// A win within this number of plies is not hard.
const NEAR: u32 = 3;

/// The numbers below `size`, each once, with a stride near the golden section and an offset from the seed.
fn scattered(size: u64, seed: u64) -> impl Iterator<Item = u64> {
    fn divisor(a: u64, b: u64) -> u64 {
        if b == 0 { a } else { divisor(b, a % b) }
    }
    // The golden section of the range spreads the first numbers evenly.
    let golden = (u128::from(size) * 6_180_339_887 / 10_000_000_000) as u64;
    let step = (golden.max(1)..).find(|step| divisor(*step, size.max(1)) == 1).unwrap_or(1);
    let from = u128::from(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) % size.max(1));
    (0..size).map(move |i| ((from + u128::from(i) * u128::from(step)) % u128::from(size.max(1))) as u64)
}

/// Positions of the game's table of the requested kind, as many as are found in time.
///
/// # Errors
///
/// No table, a damaged one, or an unknown tier.
pub fn examples(
    session: &Session,
    handle: &GameHandle,
    wanted: &ExampleFilter,
    watch: &dyn Monitor,
) -> Result<Vec<Example>, Trouble> {
    let data = session.directory()?;
    refuse_dice(handle, "statistics count wins, draws and losses")?;
    let opened = open_table(session, handle, data, None)?;
    find_examples(handle, &opened, wanted, &Deadline::new(Some(PATIENCE), watch))
}

/// Finds the longest and the hardest wins of the game's table.
///
/// # Errors
///
/// No table, or a damaged one.
pub fn records(session: &Session, handle: &GameHandle, watch: &dyn Monitor) -> Result<Records, Trouble> {
    let data = session.directory()?;
    let report = stats(session, handle, None)?;
    let opened = open_table(session, handle, data, None)?;
    let longest = report.tiers.iter().flat_map(|tier| {
        let of = |verdict, lists: &std::collections::BTreeMap<u32, u64>| {
            lists.last_key_value().map(|(plies, count)| (*plies, verdict, tier.tier.clone(), *count))
        };
        [of(Verdict::Win, &tier.win_in), of(Verdict::Loss, &tier.loss_in)]
    });
    let longest: Vec<_> = longest.flatten().collect();
    // If players alternate, a win of the side to move takes an odd number of plies; a merged table has the mover's
    // verdict.
    let movers = |verdict: Verdict, plies: u32| !report.merged || verdict == Verdict::Win || plies == 0;
    let longest_plies =
        longest.iter().filter(|(plies, verdict, ..)| movers(*verdict, *plies)).map(|l| l.0).max();
    let mut records = Records {
        game: handle.spec(),
        longest_plies,
        longest_count: 0,
        longest: Vec::new(),
        hardest: Vec::new(),
    };
    let deadline = Deadline::new(Some(PATIENCE), watch);
    for (plies, verdict, tier, count) in longest {
        if Some(plies) != longest_plies || !movers(verdict, plies) {
            continue;
        }
        records.longest_count += count;
        let most = SHOWN.saturating_sub(records.longest.len());
        let wanted =
            ExampleFilter { tier: Some(tier), verdict: Some(verdict), distance: Some(plies), most, seed: 1 };
        records.longest.extend(find_examples(handle, &opened, &wanted, &deadline)?);
    }
    records.hardest = hardest(handle, &opened, &Deadline::new(Some(PATIENCE), watch))?;
    Ok(records)
}

/// Finds the longest wins and losses of the player to move in the game's table; looking for positions stops after
/// `patience`.
///
/// # Errors
///
/// No table, or a damaged one.
pub fn longest(
    session: &Session,
    handle: &GameHandle,
    patience: Duration,
    watch: &dyn Monitor,
) -> Result<LongestRecords, Trouble> {
    let opened = open_table(session, handle, session.directory()?, None)?;
    let deadline = Deadline::new(Some(patience), watch);
    let find = |verdict| longest_of(handle, &opened, verdict, &deadline);
    Ok(LongestRecords { longest_wins: find(Verdict::Win)?, longest_losses: find(Verdict::Loss)? })
}

fn longest_of(
    handle: &GameHandle,
    opened: &OpenTables,
    verdict: Verdict,
    watch: &Deadline<'_>,
) -> Result<LongestRecord, Trouble> {
    let index = opened.numbering.numbers();
    let mut record = LongestRecord { plies: None, count: 0, positions: Vec::new() };
    let Some(tally) = opened.tier_tables.tally(index) else { return Ok(record) };
    // The table's counts name the tiers with values of the largest distance.
    let tiers = own_tiers(index);
    let counted = tiers.iter().flat_map(|(tier, ..)| {
        let tally = &tally.tiers[tier.0 as usize];
        tally.first.iter().chain(&tally.second).map(|(value, count)| (*tier, *value, *count))
    });
    let counted: Vec<_> = counted.filter(|(_, value, _)| value.verdict() == verdict).collect();
    let plies = counted.iter().filter_map(|(_, value, _)| value.distance()).max();
    record.plies = plies;
    for (tier, name, size) in &tiers {
        let mut left: u64 = counted
            .iter()
            .filter(|(of, value, _)| of == tier && plies.is_some() && value.distance() == plies)
            .map(|(.., count)| count)
            .sum();
        record.count += left;
        for number in scattered(*size, 1) {
            if left == 0 || record.positions.len() >= SHOWN || watch.stopped() {
                break;
            }
            let Some(pos) = index.position(*tier, number) else { continue };
            let Some(value) = opened.value(&pos)? else { continue };
            if value.verdict() == verdict && value.distance() == plies && is_reached(handle, &pos) {
                record.positions.push(example(handle, opened, &pos, value, name)?);
                left -= 1;
            }
        }
    }
    Ok(record)
}

fn find_examples(
    handle: &GameHandle,
    opened: &OpenTables,
    wanted: &ExampleFilter,
    watch: &dyn Monitor,
) -> Result<Vec<Example>, Trouble> {
    let index = opened.numbering.numbers();
    let tiers = own_tiers(index);
    let chosen: Vec<_> =
        tiers.iter().filter(|(_, name, _)| wanted.tier.as_ref().is_none_or(|tier| tier == name)).collect();
    if chosen.is_empty() {
        let names: Vec<&str> = tiers.iter().map(|(_, name, _)| name.as_str()).take(8).collect();
        let tier = wanted.tier.as_deref().unwrap_or_default();
        return Err(Trouble::unable(format!(
            "the table has no tier `{tier}`; its tiers are {} …",
            names.join(", ")
        )));
    }
    let (mut found, mut finished) = (Vec::new(), Vec::new());
    for &&(tier, ref name, size) in &chosen {
        for number in scattered(size, wanted.seed) {
            if found.len() >= wanted.most || watch.stopped() {
                break;
            }
            let Some(pos) = index.position(tier, number).filter(|pos| is_reached(handle, pos)) else {
                continue;
            };
            let Some(value) = opened.value(&pos)? else { continue };
            if !is_wanted(handle, &pos, value, wanted, index.has_one_side()) {
                continue;
            }
            // Finished positions are less instructive than others.
            let list = if handle.game().outcome(&pos).is_some() { &mut finished } else { &mut found };
            if list.len() < wanted.most {
                list.push(example(handle, opened, &pos, value, name)?);
            }
        }
    }
    let room = wanted.most.saturating_sub(found.len());
    found.extend(finished.into_iter().take(room));
    Ok(found)
}

fn is_wanted(
    handle: &GameHandle,
    pos: &AnyPosition,
    value: Value,
    wanted: &ExampleFilter,
    merged: bool,
) -> bool {
    let second = !merged && handle.game().turn(pos) == Turn::Second;
    let verdict = if second { value.verdict().flipped() } else { value.verdict() };
    wanted.verdict.is_none_or(|wanted| wanted == verdict)
        && wanted.distance.is_none_or(|plies| value.distance() == Some(plies))
}

/// Won positions in which few of the moves win, and the win is not near.
fn hardest(handle: &GameHandle, opened: &OpenTables, watch: &dyn Monitor) -> Result<Vec<Example>, Trouble> {
    let index = opened.numbering.numbers();
    let tiers = own_tiers(index);
    let mut found = Vec::new();
    let each = SAMPLE.div_ceil(tiers.len().max(1));
    for (tier, name, size) in &tiers {
        for number in scattered(*size, 7).take(4 * each) {
            if watch.stopped() {
                break;
            }
            let Some(pos) = index.position(*tier, number).filter(|pos| is_reached(handle, pos)) else {
                continue;
            };
            let Some(value) = opened.value(&pos)? else { continue };
            let long = value.distance().is_none_or(|plies| plies > NEAR);
            if value.verdict() != Verdict::Win || !long || handle.game().outcome(&pos).is_some() {
                continue;
            }
            let example = example(handle, opened, &pos, value, name)?;
            if example.choices > 1 && example.keeping < example.choices {
                found.push((value.distance().unwrap_or(0), example));
            }
        }
    }
    // The fraction of moves that keep the win, lowest first; ties are broken by the length of the win.
    let rank = |(plies, example): &(u32, Example)| {
        let share = example.keeping as u64 * 1000 / example.choices as u64;
        (share, Reverse(*plies), example.position.clone())
    };
    found.sort_by_cached_key(rank);
    let mut seen = HashSet::new();
    found.retain(|(plies, example)| seen.insert((*plies, example.keeping, example.choices)));
    Ok(found.into_iter().take(SHOWN).map(|(_, example)| example).collect())
}

fn example(
    handle: &GameHandle,
    opened: &OpenTables,
    pos: &AnyPosition,
    value: Value,
    tier: &str,
) -> Result<Example, Trouble> {
    let game = handle.game();
    let (mut keeping, mut choices) = (0, 0);
    if game.outcome(pos).is_none() {
        for mv in game.list(pos) {
            let next = game.play(pos, mv);
            let same = game.turn(&next) == game.turn(pos) && game.outcome(&next).is_none();
            choices += 1;
            let proven = opened.value(&next)?.map(|child| child.before(same));
            keeping += usize::from(proven.is_some_and(|proven| proven.payoff() == value.payoff()));
        }
    }
    Ok(Example {
        position: game.write_position(pos),
        to_move: game.turn(pos),
        tier: tier.to_string(),
        answer: handle.answer(pos, value),
        keeping,
        choices,
    })
}

/// The tiers of the game itself, with their names and sizes.
fn own_tiers(index: &dyn Numbers) -> Vec<(Tier, String, u64)> {
    let names = index.tier_names().into_iter().zip(index.sizes()).enumerate();
    let tiers = names.map(|(t, (name, size))| (Tier(t as u32), name, size));
    tiers.filter(|(tier, _, size)| index.counts(*tier) && *size > 0).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stride_visits_every_number_once() {
        for size in [1, 2, 3, 7, 8, 100, 1001] {
            for seed in 0..3 {
                let mut met: Vec<u64> = scattered(size, seed).collect();
                met.sort_unstable();
                assert!(met.into_iter().eq(0..size), "{size} {seed}");
            }
        }
        assert_eq!(scattered(0, 1).count(), 0);
        assert!(scattered(u64::MAX, 5).take(1000).collect::<HashSet<_>>().len() == 1000);
    }
}
