//! Games that can go round in circles: solving, tables that go on where they were, and their proof.
//!
//! ```text
//! index with predecessors │ explored graph ──▶ retrograde ──▶ tables, one tier after the other
//!                                                  │
//! positions that the index does not hold ──▶ alpha-beta that asks those tables
//! ```

use crate::Trouble;
use crate::answers::{How, Phases, SolveAnswer, Stored};
use crate::entry::Entry;
use crate::kernels::{Cycles, Numbering, Numbers, Seek};
use crate::ladder::Worth;
use crate::request::{Method, SolveRequest};
use crate::shelves::{Kept, LoopFiles, Plan, untimed};
use crate::tables::Opened;
use outplay_core::{AnyPosition, Game, ProbeError, Tier, Value, Watch};
use outplay_search::Limits;
use outplay_solve::{Tally, Verified};
use outplay_table::Values;
use std::sync::Arc;

/// A function that knows what positions are worth.
pub(crate) type WorthOf<'a> = dyn Fn(&AnyPosition) -> Result<Option<Worth>, Trouble> + Sync + 'a;

impl Entry {
    /// The index of a game with loops: the one that came along, or every position explored.
    fn cycles(&self, memory: u64, watch: &dyn Watch) -> Result<Arc<dyn Cycles>, Trouble> {
        match self.numbering(self.most_explored(memory), watch)? {
            Numbering::Cycles(cycles) => Ok(cycles),
            _ => Err(Trouble::method(format!("{} never goes round in circles", self.spec()), Method::Auto)),
        }
    }

    /// Whether it is known that the game has neither loops nor dice.
    fn runs_forward(&self, memory: u64, watch: &dyn Watch) -> Result<bool, Trouble> {
        if self.game().has_dice() {
            return Err(Trouble::method(format!("{} has dice", self.spec()), Method::Chance));
        }
        if let Some(loops) = self.kernels().loops() {
            return Ok(!loops);
        }
        Ok(matches!(self.numbering(self.most_explored(memory), watch)?, Numbering::Sweeps(_)))
    }

    /// Solves every game of a set, such as `chess:all4`, handing over each answer as it is found. A game that is no
    /// set has one answer.
    ///
    /// # Errors
    ///
    /// As [`Entry::solve`].
    pub fn solve_each(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
        each: &mut dyn FnMut(SolveAnswer),
    ) -> Result<(), Trouble> {
        let members = |index: Numbering| {
            let index = index.numbers();
            let homes = index.homes();
            let counted = |t: &usize| homes[*t].is_some() && index.counts(Tier(*t as u32));
            (0..homes.len()).filter(counted).count()
        };
        // A game that can be played from its start is one game, however many tables its tiers have.
        let cyclic = self.kernels().loops() == Some(true) && self.game().start().is_none();
        // Ranks solve a set as a whole.
        if !cyclic || request.crew().is_some() || self.index().map_or(0, members) < 2 {
            each(self.solve(request, watch)?);
            return Ok(());
        }
        self.solve_by_retrograde(request, watch, Some(each)).map(|_| ())
    }

    /// `solve --method retrograde`; a set hands over one answer for each of its games.
    pub(crate) fn solve_by_retrograde(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
        mut each: Option<&mut dyn FnMut(SolveAnswer)>,
    ) -> Result<SolveAnswer, Trouble> {
        // What makes no sense is said before anything is solved.
        self.locate_if_any(&request.place)?;
        if self.runs_forward(request.options.memory, watch)? {
            return self.solve_without_need(request, watch);
        }
        let cycles = self.cycles(request.options.memory, watch)?;
        let any = cycles.numbers();
        let plan = self.loop_plan(any, request.values);
        if each.is_none()
            && let Some(answer) = self.answer_from_loop_tables(any, &plan, request, watch)?
        {
            return Ok(answer);
        }
        let needed = cycles.bytes();
        if needed > u128::from(request.options.memory) {
            return Err(Trouble::Memory { needed, allowed: request.options.memory });
        }
        let homes = any.homes();
        let (mut phases, mut tables, mut waiting) = (Phases::default(), Vec::new(), Phases::default());
        let mut trouble = None;
        let mut kept = |kept: Kept| {
            add(&mut phases, &kept.phases);
            add(&mut waiting, &kept.phases);
            if !any.counts(kept.tier) {
                return;
            }
            if let (Some(each), Some(home)) = (&mut each, &homes[kept.tier.0 as usize]) {
                match self.member_answer(request, home, &kept, waiting, any.has_one_side()) {
                    Ok(answer) => each(answer),
                    Err(error) => trouble = Some(error),
                }
            }
            waiting = Phases::default();
            tables.extend(kept.stored);
        };
        let distance = request.values == Values::Distance;
        let merged = any.has_one_side();
        let mut files = LoopFiles::open(request.data(), plan, merged, watch, &mut kept)?;
        let solved = cycles.retrograde(distance, &mut files, watch)?;
        let how = if files.solved == 0 { How::Table } else { How::By(Method::Retrograde) };
        let own = files.finish(solved.tally())?;
        if let Some(error) = trouble {
            return Err(error);
        }
        let tally = if distance { solved.tally().clone() } else { untimed(solved.tally()) };
        let stored = |tier, number| Ok(solved.value(tier, number).map(|value| request.told(value)));
        let value = |pos: &AnyPosition| Ok(any.look_up(pos, &stored)?.map(Worth::Exact));
        let mut answer = self.answer_with_probe(request, how, &tally, any, &value, watch)?;
        answer.nodes += tally.first_view().total();
        answer.phases = Some(phases);
        answer.table = own.or_else(|| self.all_of(tables));
        Ok(answer)
    }

    /// `solve --method sweep-until-stable`: nothing is stored, because it is there to be watched.
    pub(crate) fn solve_until_stable(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        self.locate_if_any(&request.place)?;
        if self.runs_forward(request.options.memory, watch)? {
            return self.solve_without_need(request, watch);
        }
        let cycles = self.cycles(request.options.memory, watch)?;
        watch.stage("sweeping until nothing changes", 0);
        let solved = cycles.until_stable(watch)?;
        let stored = |tier, number| Ok(solved.value(tier, number).map(|value| request.told(value)));
        let value = |pos: &AnyPosition| Ok(cycles.numbers().look_up(pos, &stored)?.map(Worth::Exact));
        let timed = request.values == Values::Distance;
        let tally = if timed { solved.tally().clone() } else { untimed(solved.tally()) };
        let how = How::By(Method::UntilStable);
        let mut answer = self.answer_with_probe(request, how, &tally, cycles.numbers(), &value, watch)?;
        answer.nodes += tally.first_view().total();
        answer.sweeps = solved.changes().map(<[u64]>::to_vec);
        Ok(answer)
    }

    /// The answer about one game of a set.
    fn member_answer(
        &self,
        request: &SolveRequest,
        home: &str,
        kept: &Kept,
        phases: Phases,
        merged: bool,
    ) -> Result<SolveAnswer, Trouble> {
        let found = kept.stored.as_ref().is_some_and(|stored| stored.found);
        let tally = Tally { tiers: vec![kept.counts.clone()], merged };
        let tally = if request.values == Values::Distance { tally } else { untimed(&tally) };
        let (how, nodes) = match found {
            true => (How::Table, 0),
            false => (How::By(Method::Retrograde), tally.first_view().total()),
        };
        let mut answer = self.blank_answer(request, how, Some(&tally), nodes)?;
        answer.game = home.to_string();
        answer.table = kept.stored.clone();
        answer.phases = Some(phases);
        Ok(answer)
    }

    /// Several tables as one.
    fn all_of(&self, tables: Vec<Stored>) -> Option<Stored> {
        let mut all = tables.first()?.clone();
        if tables.len() > 1 {
            all.name = self.spec();
            all.bytes = tables.iter().map(|table| table.bytes).sum();
            all.found = tables.iter().all(|table| table.found);
        }
        Some(all)
    }

    pub(crate) fn answer_from_loop_tables(
        &self,
        index: &dyn Numbers,
        plan: &Plan,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<Option<SolveAnswer>, Trouble> {
        let Some(data) = request.data() else { return Ok(None) };
        let Ok(Some(shelves)) = plan.open(data) else { return Ok(None) };
        watch.stage("checking the table", 0);
        if shelves.check().is_err() {
            return Ok(None);
        }
        let Some(tally) = shelves.tally(index) else { return Ok(None) };
        let stored = |tier, number| Ok(shelves.loop_value(tier, number)?);
        let value = |pos: &AnyPosition| Ok(index.look_up(pos, &stored)?.map(Worth::Exact));
        let mut answer = self.answer_with_probe(request, How::Table, &tally, index, &value, watch)?;
        let names = plan.identities.iter().enumerate();
        let own = names.filter(|(t, _)| !plan.shared() || index.counts(Tier(*t as u32)));
        let names: Vec<String> = own.map(|(_, identity)| identity.name()).collect();
        answer.table = Some(Stored {
            name: if names.len() == 1 { names[0].clone() } else { self.spec() },
            data: data.display().to_string(),
            bytes: shelves.bytes(index),
            found: true,
        });
        Ok(Some(answer))
    }

    /// The value of the position asked for: known, or found by a search that asks what is known.
    fn answer_with_probe(
        &self,
        request: &SolveRequest,
        how: How,
        tally: &Tally,
        index: &dyn Numbers,
        known: &WorthOf<'_>,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let mut answer = self.blank_answer(request, how, Some(tally), 0)?;
        let Some(pos) = self.locate_if_any(&request.place)? else { return Ok(answer) };
        if index.has(&pos) {
            return self.filled(request, &pos, known, answer);
        }
        watch.stage("searching", 0);
        let value = |pos: &AnyPosition| -> Result<Option<Value>, ProbeError> {
            let told = |trouble: Trouble| ProbeError(trouble.to_string());
            let worth = if index.has(pos) { known(pos).map_err(told)? } else { None };
            Ok(worth.and_then(|worth| if let Worth::Exact(value) = worth { Some(value) } else { None }))
        };
        let seek = Seek {
            hash: request.options.hash,
            threads: request.options.threads,
            limits: Limits { time: request.options.time, ..Limits::NONE },
            known: Some(&value),
        };
        let Some(report) = self.kernels().search(&pos, seek, watch) else { return Ok(answer) };
        let report = report?;
        let worth = request.told_worth(Worth::found(report.answer, self.game().best_payoff()));
        answer.answer = self.told(&pos, worth);
        // A move that was not proved best is no advice.
        let best: Vec<_> = report.best.filter(|_| worth.is_settled()).into_iter().collect();
        answer.best = self.names(&pos, &best);
        answer.probe_hits = Some(report.counts.probe_hits);
        answer.nodes = report.counts.nodes;
        (answer.counters, answer.depth) = (Some(report.counts), Some(report.depth));
        Ok(answer)
    }

    /// Derives every value of a table again.
    pub(crate) fn verify_loops(&self, opened: &Opened, watch: &dyn Watch) -> Result<Verified, Trouble> {
        let Numbering::Cycles(cycles) = &opened.numbering else { return Ok(Verified::default()) };
        let sizes = cycles.numbers().sizes();
        watch.stage("reading the table", 0);
        let cells: Result<Vec<_>, _> =
            (0..sizes.len() as u32).map(|t| opened.shelves.loop_cells(Tier(t))).collect();
        let cells = cells?;
        let stored = |tier: Tier, number| cells[tier.0 as usize].value(number);
        watch.stage("deriving values again", sizes.iter().sum());
        Ok(cycles.verify(opened.has_distances(), &stored, watch)?)
    }
}

fn add(sum: &mut Phases, more: &Phases) {
    sum.solve_seconds += more.solve_seconds;
    sum.solve_cpu_seconds += more.solve_cpu_seconds;
    sum.write_seconds += more.write_seconds;
    sum.write_cpu_seconds += more.write_cpu_seconds;
}
