//! Spot check of a table: random stored positions, each re-derived from its successors.
//!
//! `verify` proves all values of a table, with one tier in memory at a time. If a tier is larger than memory, a random
//! sample is checked instead: with s of n positions in the sample, a single wrong position is found with probability
//! s/n.
//!
//! Invariant: the sample is a function of the seed, independent of threads.

use crate::extent::is_reached;
use crate::methods::distributed::gone;
use crate::tables::{OpenTables, numbered_among, open_table};
use crate::{GameHandle, Numbering, Session, Trouble, VerifyReport, check_stop};
use outplay_core::{AnyPosition, Game, Notation, Value};
use outplay_runtime::{Communicator, Monitor};
use outplay_solve::settled;
use outplay_table::Values;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};

/// Positions per task.
const TASK: u64 = 1024;
/// Numbers drawn per position before the table counts as empty.
const TRIES: u64 = 100_000;

/// The size of a sample and its random seed.
type Sample = (u64, u64);

/// The result of a task: number of mismatches, and the first one with its description.
#[derive(Default, Serialize, Deserialize)]
struct SampleResult {
    task: u64,
    wrong: u64,
    first: Option<(String, String)>,
}

/// Re-derives the values of `count` random stored positions from their successors.
///
/// # Errors
///
/// No table, a damaged one, a game with dice, or a stop.
pub fn verify_sample(
    session: &Session,
    handle: &GameHandle,
    values: Option<Values>,
    sample: Sample,
    watch: &dyn Monitor,
) -> Result<VerifyReport, Trouble> {
    let found = sampled(session, handle, values, sample, (0, 1), watch)?;
    Ok(sample_report(handle, sample, found))
}

/// The same on ranks that all can read the table: each checks a share of the sample, and all return the same result.
///
/// # Errors
///
/// As [`verify_sample`], or a rank that disconnected.
pub fn verify_sample_together(
    session: &Session,
    handle: &GameHandle,
    values: Option<Values>,
    sample: Sample,
    crew: &dyn Communicator,
    watch: &dyn Monitor,
) -> Result<VerifyReport, Trouble> {
    session.directory()?;
    let rank = (crew.rank() as u64, crew.size() as u64);
    let found = sampled(session, handle, values, sample, rank, watch);
    crew.all_ok(found.as_ref().map(|_| ()).map_err(ToString::to_string)).map_err(gone)?;
    let mine = serde_json::to_vec(&found?).map_err(|error| gone(error.to_string()))?;
    let mut all: Vec<SampleResult> = Vec::new();
    for bytes in crew.all_gather(&mine).map_err(gone)? {
        let received: Vec<SampleResult> =
            serde_json::from_slice(&bytes).map_err(|error| gone(error.to_string()))?;
        all.extend(received);
    }
    all.sort_by_key(|sampled| sampled.task);
    Ok(sample_report(handle, sample, all))
}

fn sample_report(handle: &GameHandle, (sample, seed): Sample, found: Vec<SampleResult>) -> VerifyReport {
    let wrong = found.iter().map(|sampled| sampled.wrong).sum();
    let (first_wrong, flaw) = found.into_iter().find_map(|sampled| sampled.first).unzip();
    let unchecked = Some(format!("all positions outside this random sample (seed {seed})"));
    VerifyReport { game: handle.spec(), checked: sample, wrong, first_wrong, flaw, unchecked, bound: None }
}

/// Checks one rank's share of a sample, in the order of the tasks.
fn sampled(
    session: &Session,
    handle: &GameHandle,
    values: Option<Values>,
    (sample, seed): Sample,
    (rank, ranks): (u64, u64),
    watch: &dyn Monitor,
) -> Result<Vec<SampleResult>, Trouble> {
    let data = session.directory()?;
    if handle.game().has_dice() {
        let spec = handle.spec();
        let why = "a sample checks wins, draws and losses";
        return Err(Trouble::unable(format!(
            "{why}, but {spec} has dice; `outplay verify {spec}` checks the mean payoff of every position"
        )));
    }
    let opened = open_table(session, handle, data, values)?;
    watch.stage("verifying a sample", sample / ranks);
    let sizes = opened.numbering.numbers().sizes();
    (0..sample.div_ceil(TASK))
        .into_par_iter()
        .filter(|task| task % ranks == rank)
        .map(|task| {
            let rng = SmallRng::seed_from_u64(seed ^ task.wrapping_mul(0x9e37_79b9_7f4a_7c15));
            let count = TASK.min(sample - task * TASK);
            let found = check_some(handle, &opened, &sizes, count, rng, watch)?;
            Ok(SampleResult { task, ..found })
        })
        .collect()
}

/// Checks `count` positions.
fn check_some(
    handle: &GameHandle,
    opened: &OpenTables,
    sizes: &[u64],
    count: u64,
    mut rng: SmallRng,
    watch: &dyn Monitor,
) -> Result<SampleResult, Trouble> {
    let total: u64 = sizes.iter().sum();
    let mut found = SampleResult::default();
    for _ in 0..count {
        let mut tries = 0;
        let pos = loop {
            check_stop(watch)?;
            if let Some(pos) = drawn(handle, opened, sizes, rng.random_range(0..total.max(1))) {
                break pos;
            }
            tries += 1;
            if tries == TRIES {
                return Err(Trouble::unable(
                    "the random sample found no stored position; verify the table without a sample",
                ));
            }
        };
        if let Some(why) = flaw(handle, opened, &pos)? {
            found.wrong += 1;
            found.first.get_or_insert_with(|| (handle.game().write_position(&pos), why));
        }
        watch.advance(1);
    }
    Ok(found)
}

/// Unranks a number across all tiers, if the position is legal and the table has to store it.
fn drawn(handle: &GameHandle, opened: &OpenTables, sizes: &[u64], number: u64) -> Option<AnyPosition> {
    let pos = numbered_among(opened.numbering.numbers(), sizes, number)?;
    let by_rules = match &opened.numbering {
        Numbering::Sweeps(_) => settled(handle.game(), &pos, &mut Vec::new()).is_some(),
        _ => handle.game().outcome(&pos).is_some(),
    };
    if by_rules {
        return None;
    }
    is_reached(handle, &pos).then_some(pos)
}

/// Describes the mismatch of the stored value of a position.
fn flaw(handle: &GameHandle, opened: &OpenTables, pos: &AnyPosition) -> Result<Option<String>, Trouble> {
    let Some(stored) = opened.value(pos)? else { return Ok(Some("it has no value".into())) };
    let (game, turn) = (handle.game(), handle.game().turn(pos));
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut best: Option<Value> = None;
    for mv in moves {
        let next = game.play(pos, mv);
        let value = match game.outcome(&next) {
            Some(payoff) => Some(Value::new(game.turn(&next).sees(payoff), 0)),
            None => opened.value(&next)?,
        };
        let Some(value) = value else {
            return Ok(Some(format!("{}, one of its successors, has no value", game.write_position(&next))));
        };
        best = best.max(Some(value.before(game.turn(&next) == turn)));
    }
    // Draws are equal: whether one is by repetition is not stored.
    let same = |a: Value, b: Value| match opened.has_distances() && stored.payoff() != 0 {
        true => a == b,
        false => a.verdict() == b.verdict(),
    };
    let expected = best.filter(|&best| !same(stored, best));
    Ok(expected.map(|expected| format!("the table stores {stored}, its moves give {expected}")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::GameBuilder;
    use crate::request::{Method, SolveRequest};
    use crate::solve;
    use crate::tables::identity;
    use outplay_core::Code;
    use outplay_games::Spec;
    use outplay_games::mnk::{Mnk, MnkIndex, Rules};
    use outplay_runtime::NoMonitor;
    use outplay_table::Writer;

    fn board(spec: &str) -> GameHandle {
        let rules = Spec::parse(spec).and_then(Rules::from_spec).expect("a board");
        let game = Mnk::<u64>::new(rules).expect("a small board");
        GameBuilder::new(game).lines().index(MnkIndex::new).build()
    }

    #[test]
    fn spot_check_accepts_correct_and_rejects_wrong_tables() {
        let dir = tempfile::tempdir().expect("a directory");
        for values in [Values::Distance, Values::Wdl] {
            let game = board("connect:4x4,k=3");
            let mut request = SolveRequest::default();
            (request.method, request.values, request.store) = (Method::Dense, values, true);
            let session = Session::at(dir.path());
            solve(&session, &game, &request, &NoMonitor).expect("a small board");
            let sample = |seed| {
                verify_sample(&session, &game, Some(values), (3000, seed), &NoMonitor).expect("a table")
            };
            let right = sample(1);
            assert_eq!((right.checked, right.wrong, right.first_wrong), (3000, 0, None));

            let numbering = game.index().expect("an index");
            let identity = identity(&game, &numbering, values);
            let (name, slots) = (identity.name(), identity.slots.clone());
            outplay_table::remove(dir.path(), &name).expect("a table");
            let writer = Writer::open(dir.path(), identity).expect("a directory");
            let win = if values == Values::Wdl { 1 } else { i8::pack(Value::win(5)).expect("a code") };
            for (tier, &slots) in slots.iter().enumerate() {
                let tier = writer.tier::<i8>(outplay_core::Tier(tier as u32)).expect("a tier");
                tier.put_all(&vec![win; slots as usize]).and_then(|()| tier.finish()).expect("room");
            }
            writer.finish(serde_json::json!({})).expect("room");
            let wrong = sample(1);
            assert!(wrong.wrong > 1000 && wrong.first_wrong.is_some(), "{}", wrong.wrong);
            assert_eq!(wrong.first_wrong, sample(1).first_wrong, "the seed decides");
        }
    }
}
