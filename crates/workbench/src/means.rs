//! `--method chance`: mean payoffs of games with chance by value iteration, with proven error bounds, and tables of
//! them.

use crate::kernels::{MeanFiles, Means};
use crate::solve_answer::finish;
use crate::sources::SolvedSubgame;
use crate::tables::{QUERY_POSITIONS, plan};
use crate::tier_tables::TierTables;
use crate::{
    Convergence, GameHandle, Method, Numbering, ProvenValue, Session, SolveAnswer, SolveJob, SolveOrigin,
    StoredTable, Trouble, VerifyReport, filled,
};
use outplay_core::{AnyPosition, Notation, Tier};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_solve::{ExpectedPayoffs, Settle};
use outplay_table::Values;
use std::path::Path;
use std::sync::Arc;

/// Allowed rounding error of a stored mean, beyond its convergence tolerance.
const ROUNDING: f64 = 1e-14;

/// Allowed excess of the recomputed bound over the recorded one: the manifest stores it in decimal digits.
const SLIGHTLY: f64 = 1.0 + 1e-9;

/// The storage of means.
enum MeanSource {
    /// A table, and the error bound in its manifest.
    Table(TierTables, Option<f64>),
    Memory(ExpectedPayoffs),
}

/// Means of all positions of a game, from a table or in memory.
pub(crate) struct KnownMeans {
    index: Arc<dyn Means>,
    source: MeanSource,
}

impl KnownMeans {
    pub(crate) fn in_memory(index: Arc<dyn Means>, expected: ExpectedPayoffs) -> KnownMeans {
        KnownMeans { index, source: MeanSource::Memory(expected) }
    }

    /// The mean payoff of a position; `None` if it is not stored.
    pub(crate) fn mean(&self, pos: &AnyPosition) -> Result<Option<f64>, Trouble> {
        let at = |tier: Tier, number: u64| match &self.source {
            MeanSource::Memory(expected) => Ok(expected.value(tier, number)),
            MeanSource::Table(tier_tables, _) => {
                // Tables of means have all tiers.
                let Some((table, tier)) = tier_tables.at(tier) else { return Ok(f64::NAN) };
                Ok(table.code::<f64>(tier, number)?.unwrap_or(f64::NAN))
            }
        };
        self.index.mean(pos, &at)
    }

    /// Bound on the error of any mean, if it is known.
    pub(crate) fn bound(&self) -> Option<f64> {
        match &self.source {
            MeanSource::Memory(expected) => expected.bound(),
            MeanSource::Table(_, bound) => *bound,
        }
    }
}

/// The convergence record in a table's manifest.
fn recorded(tier_tables: &TierTables) -> Option<Convergence> {
    serde_json::from_value(tier_tables.table().summary()?.get("settled")?.clone()).ok()
}

/// The numbering of a game with chance: the index it was built with, or every explored position.
fn dice_index(
    session: &Session,
    handle: &GameHandle,
    most: u64,
    watch: &dyn Monitor,
) -> Result<Arc<dyn Means>, Trouble> {
    match session.numbering(handle, most, watch)? {
        Numbering::Means(means) => Ok(means),
        _ => Err(Trouble::method(format!("{} has no dice", handle.spec()), Method::Auto)),
    }
}

/// Opens the table of means, if there is a complete one.
pub(crate) fn find_means(
    session: &Session,
    handle: &GameHandle,
    data: &Path,
    watch: &dyn Monitor,
) -> Result<Option<KnownMeans>, Trouble> {
    if !data.join(outplay_table::name(&handle.spec(), Values::Expected)).is_dir() {
        return Ok(None);
    }
    let index = dice_index(session, handle, QUERY_POSITIONS, watch)?;
    let tier_tables = plan(handle, &Numbering::Means(index.clone()), Values::Expected).open(data)?;
    Ok(tier_tables.map(|tier_tables| {
        let bound = recorded(&tier_tables).and_then(|settled| settled.bound);
        KnownMeans { index, source: MeanSource::Table(tier_tables, bound) }
    }))
}

/// Bound on the error of the means that a source returned; `None` if it is not known.
pub(crate) fn bound_of_means(
    session: &Session,
    handle: &GameHandle,
    pos: &AnyPosition,
    source: crate::Source,
) -> Option<f64> {
    if source == crate::Source::Table {
        return session.means(handle, &NoMonitor).ok()??.bound();
    }
    // The first source that holds the position is the one that answered.
    let knows =
        |whole: &Arc<SolvedSubgame>| whole.proven(handle.game(), pos).is_ok_and(|proven| proven.is_some());
    match &*session.subgames(handle).into_iter().find(knows)? {
        SolvedSubgame::Means(means) => means.bound(),
        _ => None,
    }
}

/// `solve --method chance`.
pub(crate) fn solve_by_chance(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, clock, .. } = job;
    if !handle.game().has_dice() {
        return Err(Trouble::method(format!("{} has no dice", handle.spec()), Method::Auto));
    }
    let pos = job.place_if_any()?;
    let index = dice_index(session, handle, handle.most_explored(session.memory), clock)?;
    let plan = plan(handle, &Numbering::Means(index.clone()), Values::Expected);
    // Ranks read an existing table tier by tier, because only rank 0 can see it.
    if let Some(data) = job.data().filter(|_| session.crew().is_none())
        && let Ok(Some(tier_tables)) = plan.open(data)
        && tier_tables.check_if_changed(clock).is_ok()
        && let Some(settled) = recorded(&tier_tables)
    {
        let stored =
            StoredTable::new(tier_tables.table().name(), data, tier_tables.bytes(index.numbers()), true);
        let known = KnownMeans { index, source: MeanSource::Table(tier_tables, settled.bound) };
        let mut answer = mean_answer(job, SolveOrigin::Table, &known, pos.as_ref())?;
        answer.settled = Some(settled);
        answer.table = Some(stored);
        return Ok(answer);
    }
    // Exploring enforces the limit itself; an index of the game may have any size.
    session.check_memory(index.bytes())?;
    let writer = job.data().map(|data| job.open_writer(data, plan.identities[0].clone())).transpose()?;
    let mut files = MeanFiles { writer: writer.as_ref(), crew: session.crew().cloned() };
    let expected = index.solve(&mut files, clock)?;
    let tolerance = if index.numbers().has_loops() { Settle::default().tolerance } else { 0.0 };
    let settled = Convergence {
        tolerance,
        change: expected.change(),
        rounds: expected.rounds(),
        bound: expected.bound(),
    };
    let tiers = index.numbers().sizes().len() as u32;
    let values = (0..tiers).flat_map(|t| expected.values(Tier(t)));
    let positions = values.filter(|value| !value.is_nan()).count() as u64;
    let known = KnownMeans { index, source: MeanSource::Memory(expected) };
    let mut answer = mean_answer(job, SolveOrigin::By(Method::Chance), &known, pos.as_ref())?;
    answer.nodes = positions;
    answer.settled = Some(settled);
    if let (Some(writer), Some(data)) = (writer, job.data()) {
        let summary = serde_json::json!({ "settled": settled, "positions": positions });
        answer.table = Some(finish(writer, data, summary)?);
    }
    Ok(answer)
}

fn mean_answer(
    job: SolveJob<'_>,
    how: SolveOrigin,
    known: &KnownMeans,
    pos: Option<&AnyPosition>,
) -> Result<SolveAnswer, Trouble> {
    let blank = job.blank(how, None, 0)?;
    let Some(pos) = pos else { return Ok(blank) };
    let value = |pos: &AnyPosition| Ok(known.mean(pos)?.map(ProvenValue::Mean));
    filled(job.handle, pos, &value, blank)
}

/// `verify` for a table of means.
pub(crate) fn verify_means(
    session: &Session,
    handle: &GameHandle,
    data: &Path,
    watch: &dyn Monitor,
) -> Result<Option<VerifyReport>, Trouble> {
    let Some(KnownMeans { index, source: MeanSource::Table(tier_tables, recorded) }) =
        find_means(session, handle, data, watch)?
    else {
        return Ok(None);
    };
    let tiers = index.numbers().sizes().len() as u32;
    watch.stage("deriving the means again", index.numbers().sizes().iter().sum());
    let values: Result<Vec<Vec<f64>>, Trouble> = (0..tiers)
        .map(|t| {
            let table = tier_tables.at(Tier(t));
            Ok(table.map(|(table, tier)| table.read_tier(tier)).transpose()?.unwrap_or_default())
        })
        .collect();
    let values = values?;
    // If values are within the bound of the exact ones, they are within twice the bound of their re-derived values.
    let tolerance = recorded.map_or(Settle::default().tolerance, |bound| 2.0 * bound) + ROUNDING;
    let means = index.verify(&values, tolerance, watch)?;
    let first = means.first_wrong;
    let position = first.and_then(|(tier, number, ..)| index.numbers().position(tier, number));
    let mut report = VerifyReport {
        game: handle.spec(),
        checked: means.checked,
        wrong: means.wrong,
        first_wrong: position.map(|pos| handle.game().write_position(&pos)),
        flaw: first
            .map(|(_, _, stored, derived)| format!("the table stores {stored}, its moves give {derived}")),
        bound: means.bound,
        unchecked: None,
    };
    match (means.bound, recorded) {
        // Each mean by itself is right, but the recorded bound is smaller than the one that can be proven.
        (shown, Some(recorded))
            if report.wrong == 0 && shown.is_none_or(|shown| shown > recorded * SLIGHTLY) =>
        {
            let shown = shown.map_or("no bound can be proved".to_string(), |shown| {
                format!("the bound that can be proved is {shown:.1e}")
            });
            report.wrong = means.checked;
            report.flaw = Some(format!(
                "the table records that means are within {recorded:.1e} of the exact ones, but {shown}"
            ));
        }
        (None, None) => {
            report.unchecked = Some(format!(
                "the error of the means; each is within {tolerance:.1e} of the value that its moves give"
            ));
        }
        _ => {}
    }
    Ok(Some(report))
}
