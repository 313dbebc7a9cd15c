//! `--method retrograde`: retrograde analysis (Ströhlein 1970; Thompson 1986) of games with cycles, with resumable
//! tables.
//!
//! ```text
//! index with predecessors │ explored graph ──▶ retrograde ──▶ tables, tier by tier
//!                                                  │
//! start positions outside the index ──▶ alpha-beta that probes those tables
//! ```

use crate::kernels::{Cycles, LoopValues};
use crate::methods::textbook::solve_acyclic_game;
use crate::solve::out_of_time;
use crate::sources::engine;
use crate::tables::{OpenTables, loop_plan};
use crate::tier_tables::{LoopFiles, TierLayout, TierReport};
use crate::{
    GameHandle, Method, Numbering, Numbers, Phases, ProvenValue, Question, Session, SolveAnswer, SolveJob,
    SolveOrigin, SolveRequest, StoredTable, Trouble, filled, solve,
};
use outplay_core::{AnyPosition, Game, Tier, Value};
use outplay_runtime::{Deadline, Monitor};
use outplay_solve::{Tally, Verification};
use std::sync::Arc;

/// A function that returns the proven value of a position.
pub(crate) type ValueOf<'a> = dyn Fn(&AnyPosition) -> Result<Option<ProvenValue>, Trouble> + Sync + 'a;

/// The index of a cyclic game: the one it was built with, or all explored positions.
fn cycles(job: SolveJob<'_>) -> Result<Arc<dyn Cycles>, Trouble> {
    match job.numbering()? {
        Numbering::Cycles(cycles) => Ok(cycles),
        _ => Err(Trouble::method(format!("{} has no cycles", job.handle.spec()), Method::Auto)),
    }
}

/// Whether the game is known to have neither cycles nor chance.
fn runs_forward(job: SolveJob<'_>) -> Result<bool, Trouble> {
    let handle = job.handle;
    if handle.game().has_dice() {
        return Err(Trouble::method(format!("{} has dice", handle.spec()), Method::Chance));
    }
    if let Some(loops) = handle.kernels().loops() {
        return Ok(!loops);
    }
    Ok(matches!(job.numbering()?, Numbering::Sweeps(_)))
}

/// Solves every game of a set, such as `chess:all4`, and passes each answer on as soon as it is found. A game that is
/// not a set has one answer.
///
/// # Errors
///
/// As [`solve`].
pub fn solve_each(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    watch: &dyn Monitor,
    each: &mut dyn FnMut(SolveAnswer),
) -> Result<(), Trouble> {
    let members = |index: Numbering| {
        let index = index.numbers();
        let homes = index.homes();
        let counted = |t: &usize| homes[*t].is_some() && index.counts(Tier(*t as u32));
        (0..homes.len()).filter(counted).count()
    };
    // A game with a start is one game, however many tables its tiers have.
    let cyclic = handle.kernels().loops() == Some(true) && handle.game().start().is_none();
    // Ranks solve a set as a whole.
    if !cyclic || session.crew().is_some() || handle.index().map_or(0, members) < 2 {
        each(solve(session, handle, request, watch)?);
        return Ok(());
    }
    let clock = &Deadline::new(session.time, watch);
    let job = SolveJob { session, handle, request, clock };
    match solve_by_retrograde(job, Some(each)) {
        Err(trouble) if trouble.is_stop() && clock.passed() && !watch.stopped() => {
            each(out_of_time(job, watch)?);
            Ok(())
        }
        solved => solved.map(|_| ()),
    }
}

/// `solve --method retrograde`; a set returns one answer for each of its games.
pub(crate) fn solve_by_retrograde(
    job: SolveJob<'_>,
    mut each: Option<&mut dyn FnMut(SolveAnswer)>,
) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock } = job;
    // A bad position is refused before anything is solved.
    job.place_if_any()?;
    if runs_forward(job)? {
        return solve_acyclic_game(job);
    }
    let cycles = cycles(job)?;
    let any = cycles.numbers();
    let plan = loop_plan(handle, any, request.values);
    if each.is_none()
        && let Some(answer) = answer_from_loop_tables(job, any, &plan)?
    {
        return Ok(answer);
    }
    // Values of all tiers at once, or, with files, of a tier and those that its moves lead to.
    let releases = cycles.bytes() > session.memory.into() && job.data().is_some();
    session.check_memory(if releases { cycles.bytes_by_tier() } else { cycles.bytes() })?;
    let homes = any.homes();
    let (mut phases, mut tables, mut waiting) = (Phases::default(), Vec::new(), Phases::default());
    let mut trouble = None;
    let mut kept = |kept: TierReport| {
        add(&mut phases, &kept.phases);
        add(&mut waiting, &kept.phases);
        if !any.counts(kept.tier) {
            return;
        }
        if let (Some(each), Some(home)) = (&mut each, &homes[kept.tier.0 as usize]) {
            match member_answer(job, home, &kept, waiting, any.has_one_side()) {
                Ok(answer) => each(answer),
                Err(error) => trouble = Some(error),
            }
        }
        waiting = Phases::default();
        tables.extend(kept.stored);
    };
    let mut files =
        LoopFiles::open(job.data(), plan.clone(), any.has_one_side(), clock, &mut kept)?.releasing(releases);
    let solved = cycles.retrograde(job.is_timed(), &mut files, clock)?;
    let how = if files.solved == 0 { SolveOrigin::Table } else { SolveOrigin::By(Method::Retrograde) };
    let own = files.finish(&solved.tally)?;
    if let Some(error) = trouble {
        return Err(error);
    }
    let mut answer = match releases {
        true => {
            let lost = || Trouble::unable("the table was removed while its game was solved; solve it again");
            let nodes = job.tally(&solved.tally).first_view().total();
            SolveAnswer { method: how, nodes, ..answer_from_loop_tables(job, any, &plan)?.ok_or_else(lost)? }
        }
        false => answer_from_values(job, any, &solved, how)?,
    };
    answer.phases = Some(phases);
    answer.table = own.or_else(|| all_of(handle, tables));
    Ok(answer)
}

/// The answer from the values of all numbers.
fn answer_from_values(
    job: SolveJob<'_>,
    index: &dyn Numbers,
    solved: &LoopValues,
    how: SolveOrigin,
) -> Result<SolveAnswer, Trouble> {
    let tally = job.tally(&solved.tally);
    let stored = |tier, number| Ok(solved.value(tier, number).map(|value| job.value(value)));
    let value = |pos: &AnyPosition| Ok(index.look_up(pos, &stored)?.map(ProvenValue::Exact));
    let mut answer = answer_with_probe(job, index, &value, job.blank(how, Some(&tally), 0)?)?;
    answer.nodes += tally.first_view().total();
    Ok(answer)
}

/// `solve --method sweep-until-stable`: for demonstration, so nothing is stored.
pub(crate) fn solve_until_stable(job: SolveJob<'_>) -> Result<SolveAnswer, Trouble> {
    job.place_if_any()?;
    if runs_forward(job)? {
        return solve_acyclic_game(job);
    }
    let cycles = cycles(job)?;
    job.clock.stage("sweeping until nothing changes", 0);
    let solved = cycles.until_stable(job.clock)?;
    let mut answer =
        answer_from_values(job, cycles.numbers(), &solved, SolveOrigin::By(Method::UntilStable))?;
    answer.sweeps = solved.changes;
    Ok(answer)
}

/// The answer for one game of a set.
fn member_answer(
    job: SolveJob<'_>,
    home: &str,
    kept: &TierReport,
    phases: Phases,
    merged: bool,
) -> Result<SolveAnswer, Trouble> {
    let found = kept.stored.as_ref().is_some_and(|stored| stored.found);
    let tally = job.tally(&Tally { tiers: vec![kept.counts.clone()], merged });
    let (how, nodes) = match found {
        true => (SolveOrigin::Table, 0),
        false => (SolveOrigin::By(Method::Retrograde), tally.first_view().total()),
    };
    let mut answer = job.blank(how, Some(&tally), nodes)?;
    answer.game = home.to_string();
    answer.table = kept.stored.clone();
    answer.phases = Some(phases);
    Ok(answer)
}

/// Combines several tables into one entry of the answer.
fn all_of(handle: &GameHandle, tables: Vec<StoredTable>) -> Option<StoredTable> {
    let mut all = tables.first()?.clone();
    if tables.len() > 1 {
        all.name = handle.spec();
        all.bytes = tables.iter().map(|table| table.bytes).sum();
        all.found = tables.iter().all(|table| table.found);
    }
    Some(all)
}

/// Answers from tables that are complete and undamaged.
pub(crate) fn answer_from_loop_tables(
    job: SolveJob<'_>,
    index: &dyn Numbers,
    plan: &TierLayout,
) -> Result<Option<SolveAnswer>, Trouble> {
    let Some(data) = job.data() else { return Ok(None) };
    let Ok(Some(tier_tables)) = plan.open(data) else { return Ok(None) };
    if tier_tables.check_if_changed(job.clock).is_err() {
        return Ok(None);
    }
    let Some(tally) = tier_tables.tally(index) else { return Ok(None) };
    let stored = |tier, number| Ok(tier_tables.loop_value(tier, number)?);
    let value = |pos: &AnyPosition| Ok(index.look_up(pos, &stored)?.map(ProvenValue::Exact));
    let mut answer = answer_with_probe(job, index, &value, job.blank(SolveOrigin::Table, Some(&tally), 0)?)?;
    let names = plan.identities.iter().enumerate();
    let own = names.filter(|(t, _)| !plan.shared() || index.counts(Tier(*t as u32)));
    let names: Vec<String> = own.map(|(_, identity)| identity.name()).collect();
    let name = if names.len() == 1 { names[0].clone() } else { job.handle.spec() };
    answer.table = Some(StoredTable::new(&name, data, tier_tables.bytes(index), true));
    Ok(Some(answer))
}

/// The value of the requested position: from the solution, or by a search that probes it.
fn answer_with_probe(
    job: SolveJob<'_>,
    index: &dyn Numbers,
    known: &ValueOf<'_>,
    mut answer: SolveAnswer,
) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, .. } = job;
    let Some(pos) = job.place_if_any()? else { return Ok(answer) };
    if index.has(&pos) {
        return filled(handle, &pos, known, answer);
    }
    let value = |pos: &AnyPosition| -> Result<Option<Value>, Trouble> {
        Ok(if index.has(pos) { known(pos)?.and_then(ProvenValue::exact) } else { None })
    };
    let clock = Deadline::new(session.time, job.clock);
    let ask = Question { session, handle, pos: &pos, verdict: false, clock: &clock };
    let Some(found) = engine::search(&ask, Some(&value))? else { return Ok(answer) };
    answer.answer = handle.proven_answer(&pos, job.proven(found.proven));
    answer.best = handle.names(&pos, &found.best);
    answer.probe_hits = found.probe_hits();
    let counts = found.report.counts;
    (answer.nodes, answer.counters, answer.depth) = (counts.nodes, Some(counts), Some(found.report.depth));
    Ok(answer)
}

/// Re-derives every value of a table.
pub(crate) fn verify_loops(opened: &OpenTables, watch: &dyn Monitor) -> Result<Verification, Trouble> {
    let Numbering::Cycles(cycles) = &opened.numbering else { return Ok(Verification::default()) };
    let sizes = cycles.numbers().sizes();
    watch.stage("reading the table", 0);
    let cells: Result<Vec<_>, _> =
        (0..sizes.len() as u32).map(|t| opened.tier_tables.loop_cells(Tier(t))).collect();
    let cells = cells?;
    let stored = |tier: Tier, number| cells[tier.0 as usize].value(number);
    watch.stage("deriving values again", sizes.iter().sum());
    let verified = cycles.verify(opened.has_distances(), &stored, watch)?;
    Ok(Verification { tally: cycles.recount(&stored), ..verified })
}

fn add(sum: &mut Phases, more: &Phases) {
    sum.solve_seconds += more.solve_seconds;
    sum.solve_cpu_seconds += more.solve_cpu_seconds;
    sum.write_seconds += more.write_seconds;
    sum.write_cpu_seconds += more.write_cpu_seconds;
}
