//! Commands on tables: verification, statistics and probe speed.

use crate::extent::is_reached;
use crate::means::verify_means;
use crate::methods::retrograde::verify_loops;
use crate::tier_tables::{TierLayout, TierTables, untimed};
use crate::{
    Counts, GameHandle, Numbering, Numbers, PlainCount, ProbeReport, Session, StatsReport, StatsTier,
    Trouble, VerifyReport,
};
use outplay_core::{AnyPosition, Notation, Tier, Turn, Value, Verdict};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_solve::{Flaw, Tally, TierTally, Verification};
use outplay_table::{CellKind, Identity, TableError, Values};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Limit on explored positions to rebuild the numbering of a table of a game without an index.
pub(crate) const QUERY_POSITIONS: u64 = 20_000_000;

/// One or several open tables with the index of their positions.
pub(crate) struct OpenTables {
    pub(crate) numbering: Numbering,
    pub(crate) tier_tables: TierTables,
}

impl OpenTables {
    /// Looks a position up; `None` if the table does not hold it.
    pub(crate) fn value(&self, pos: &AnyPosition) -> Result<Option<Value>, Trouble> {
        match &self.numbering {
            Numbering::Sweeps(sweeps) if sweeps.numbers().has(pos) => {
                Ok(sweeps.probe(self.tier_tables.table(), pos)?)
            }
            Numbering::Cycles(cycles) => {
                let stored = |tier, number| Ok(self.tier_tables.loop_value(tier, number)?);
                cycles.numbers().look_up(pos, &stored)
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn has_distances(&self) -> bool {
        self.tier_tables.values() == Values::Distance
    }
}

/// Probes of `bench probe`.
const PROBES: usize = 100_000;

/// The tables that store the tiers of a game with cycles.
pub(crate) fn loop_plan(handle: &GameHandle, index: &dyn Numbers, values: Values) -> TierLayout {
    let cell = match (values, index.best_payoff()) {
        (Values::Wdl, _) => CellKind::I8,
        (_, ..=1) => CellKind::I16,
        _ => CellKind::I32,
    };
    TierLayout::new(handle.spec(), index, values, cell)
}

/// The tables that store the game's tiers.
pub(crate) fn plan(handle: &GameHandle, numbering: &Numbering, values: Values) -> TierLayout {
    match numbering {
        Numbering::Sweeps(sweeps) => {
            TierLayout::new(handle.spec(), sweeps.numbers(), values, sweeps.cell(values))
        }
        Numbering::Cycles(cycles) => loop_plan(handle, cycles.numbers(), values),
        Numbering::Means(means) => {
            TierLayout::new(handle.spec(), means.numbers(), Values::Expected, CellKind::F64)
        }
    }
}

pub(crate) fn identity(handle: &GameHandle, numbering: &Numbering, values: Values) -> Identity {
    plan(handle, numbering, values).identities[0].clone()
}

/// Finds the game's complete table, preferring one with distances unless `values` is given. Where games share tiers,
/// an incomplete set of tables is returned too, unless `all` is set.
pub(crate) fn find_table(
    session: &Session,
    handle: &GameHandle,
    data: &Path,
    values: Option<Values>,
    all: bool,
    watch: &dyn Monitor,
) -> Result<Option<OpenTables>, Trouble> {
    if handle.game().has_dice() {
        return Ok(None);
    }
    let spec = handle.spec();
    let kinds = values.map_or(vec![Values::Distance, Values::Wdl], |values| vec![values]);
    // A set of games has no directory of its own; its index gives the locations and is quick to build.
    let set = matches!(handle.kernels().loops(), Some(true))
        && handle.index().is_some_and(|index| index.numbers().homes().iter().any(Option::is_some));
    let present = |values: &Values| set || data.join(outplay_table::name(&spec, *values)).is_dir();
    for values in kinds.into_iter().filter(present) {
        // Exploration visits moves in a fixed order, so the numbering is reproducible.
        let numbering = session.numbering(handle, QUERY_POSITIONS, watch)?;
        let plan = plan(handle, &numbering, values);
        if let Some(tier_tables) = if all { plan.open(data)? } else { plan.open_some(data)? } {
            return Ok(Some(OpenTables { numbering, tier_tables }));
        }
    }
    Ok(None)
}

pub(crate) fn open_table(
    session: &Session,
    handle: &GameHandle,
    data: &Path,
    values: Option<Values>,
) -> Result<OpenTables, Trouble> {
    find_table(session, handle, data, values, true, &NoMonitor)?.ok_or_else(|| no_table(handle, data, values))
}

/// Refuses a command about values that games with chance lack.
pub(crate) fn refuse_dice(handle: &GameHandle, what: &str) -> Result<(), Trouble> {
    let why = || format!("{what}, and {} has dice; `outplay query` prints its means", handle.spec());
    if handle.game().has_dice() { Err(Trouble::unable(why())) } else { Ok(()) }
}

fn no_table(handle: &GameHandle, data: &Path, values: Option<Values>) -> Trouble {
    let spec = handle.spec();
    let table = outplay_table::name(&spec, values.unwrap_or(Values::Distance));
    TableError::NoTable { table, spec, values, data: data.to_path_buf() }.into()
}

/// Re-derives every value of the game's table from its successors.
///
/// # Errors
///
/// No table, a damaged one, or a stop.
pub fn verify(
    session: &Session,
    handle: &GameHandle,
    values: Option<Values>,
    watch: &dyn Monitor,
) -> Result<VerifyReport, Trouble> {
    let data = session.directory()?;
    if handle.game().has_dice() {
        let no_table = || no_table(handle, data, Some(Values::Expected));
        return verify_means(session, handle, data, watch)?.ok_or_else(no_table);
    }
    let opened = open_table(session, handle, data, values)?;
    let verified = match &opened.numbering {
        Numbering::Cycles(_) => verify_loops(&opened, watch)?,
        Numbering::Sweeps(sweeps) => sweeps.verify(&handle.start()?, opened.tier_tables.table(), watch)?,
        Numbering::Means(_) => Verification::default(),
    };
    let position = |(tier, number, _): (Tier, u64, Flaw)| opened.numbering.numbers().position(tier, number);
    let first_wrong = verified.first_wrong.and_then(position).map(|pos| handle.game().write_position(&pos));
    let flaw = verified.first_wrong.map(|(_, _, flaw)| match flaw {
        Flaw::Missing => "it has no value".to_string(),
        Flaw::Wrong { stored, expected } => format!("the table stores {stored}, its moves give {expected}"),
        Flaw::Groundless => "its value depends only on itself".to_string(),
    });
    let Verification { checked, wrong, .. } = verified;
    let mut report =
        VerifyReport { game: handle.spec(), checked, wrong, first_wrong, flaw, unchecked: None, bound: None };
    if report.wrong == 0
        && let Some(flaw) = wrong_summary(&opened, &verified.tally)
    {
        (report.wrong, report.flaw) = (1, Some(flaw));
    }
    Ok(report)
}

/// Counts positions by ply, value and distance, from the game's table.
///
/// # Errors
///
/// No table, or a damaged one.
pub fn stats(session: &Session, handle: &GameHandle, values: Option<Values>) -> Result<StatsReport, Trouble> {
    let data = session.directory()?;
    refuse_dice(handle, "statistics count wins, draws and losses")?;
    let opened = open_table(session, handle, data, values)?;
    let index = opened.numbering.numbers();
    let Some(tally) = opened.tier_tables.tally(index) else {
        let why =
            format!("the table of {} has no statistics; remove it and solve the game again", handle.spec());
        return Err(Trouble::unable(why));
    };
    let names = index.tier_names().into_iter().enumerate();
    let tiers = names.zip(&tally.tiers).filter(|((t, _), _)| index.counts(Tier(*t as u32)));
    let tiers = tiers.map(|((_, name), tier)| stats_tier(name, tier));
    Ok(StatsReport {
        game: handle.spec(),
        merged: tally.merged,
        tiers: tiers.collect(),
        positions: Counts::of(&tally),
        table_bytes: opened.tier_tables.bytes(index),
    })
}

/// Times random probes of the game's table.
///
/// # Errors
///
/// No table, or a damaged one.
pub fn probe_speed(
    session: &Session,
    handle: &GameHandle,
    values: Option<Values>,
    seconds: f64,
    watch: &dyn Monitor,
) -> Result<ProbeReport, Trouble> {
    let data = session.directory()?;
    refuse_dice(handle, "this asks for wins, draws and losses")?;
    let opened = open_table(session, handle, data, values)?;
    let index = opened.numbering.numbers();
    watch.stage("choosing positions", PROBES as u64);
    let positions = random_positions(handle, index, seconds, watch);
    if positions.is_empty() {
        return Err(Trouble::unable("the sample contains no legal position to probe"));
    }
    let pass = || -> Result<f64, Trouble> {
        let began = Instant::now();
        for pos in &positions {
            opened.value(pos)?;
        }
        Ok(positions.len() as f64 / began.elapsed().as_secs_f64())
    };
    // The first pass runs on a cold cache, the second on a warm one.
    let cold_per_second = pass()?;
    let warm_per_second = pass()?;
    let (game, table_bytes) = (handle.spec(), opened.tier_tables.bytes(index));
    Ok(ProbeReport {
        game,
        positions: PlainCount(positions.len() as u64),
        cold_per_second,
        warm_per_second,
        table_bytes,
    })
}

/// Random legal positions, drawn uniformly from the numbers of the index.
fn random_positions(
    handle: &GameHandle,
    index: &dyn Numbers,
    seconds: f64,
    watch: &dyn Monitor,
) -> Vec<AnyPosition> {
    let sizes = index.sizes();
    let total: u64 = sizes.iter().sum();
    let mut rng = SmallRng::seed_from_u64(7);
    let mut positions = Vec::new();
    let began = Instant::now();
    while positions.len() < PROBES && began.elapsed().as_secs_f64() < seconds && !watch.stopped() {
        let Some(pos) = numbered_among(index, &sizes, rng.random_range(0..total)) else { continue };
        if is_reached(handle, &pos) {
            positions.push(pos);
            watch.advance(1);
        }
    }
    positions
}

/// The position with a number that counts across tiers of these sizes.
pub(crate) fn numbered_among(index: &dyn Numbers, sizes: &[u64], mut number: u64) -> Option<AnyPosition> {
    for (tier, &size) in sizes.iter().enumerate() {
        if number < size {
            return index.position(Tier(tier as u32), number);
        }
        number -= size;
    }
    None
}

/// Describes a mismatch between the counts in the table's manifest and those of its values.
fn wrong_summary(opened: &OpenTables, counted: &Tally) -> Option<String> {
    let index = opened.numbering.numbers();
    let Some(stored) = opened.tier_tables.tally(index) else {
        return Some("the table has no counts of its values; solve the game again".into());
    };
    let timed = |tally: &Tally| if opened.has_distances() { tally.clone() } else { untimed(tally) };
    let (stored, counted) = (timed(&stored), timed(counted));
    if stored == counted {
        return None;
    }
    let differs = |t: &usize| stored.tiers.get(*t) != counted.tiers.get(*t);
    let tiers = stored.tiers.len().max(counted.tiers.len());
    let names = index.tier_names();
    let tier = (0..tiers).find(differs).and_then(|t| names.get(t).cloned()).unwrap_or_default();
    let name = opened.tier_tables.table().name();
    Some(format!(
        "the counts of tier {tier} in {name}/manifest.json differ from those of its values; remove that file and solve the game again"
    ))
}

fn stats_tier(name: String, tier: &TierTally) -> StatsTier {
    let (mut win_in, mut loss_in) = (BTreeMap::new(), BTreeMap::new());
    for (turn, values) in [(Turn::First, &tier.first), (Turn::Second, &tier.second)] {
        for (value, &count) in values {
            let verdict = if turn == Turn::Second { value.verdict().flipped() } else { value.verdict() };
            let list = if verdict == Verdict::Win { &mut win_in } else { &mut loss_in };
            if let Some(plies) = value.distance().filter(|_| verdict != Verdict::Draw) {
                *list.entry(plies).or_insert(0) += count;
            }
        }
    }
    StatsTier { tier: name, counts: Counts::of_tier(tier), win_in, loss_in }
}
