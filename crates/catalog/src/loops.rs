//! Games that can go round in circles: solving, tables that go on where they were, and queries.
//!
//! ```text
//! index with predecessors │ explored graph ──▶ retrograde ──▶ tables, one tier after the other
//!                                                  │
//! positions that the index does not hold ──▶ alpha-beta that asks those tables
//! ```

use crate::Trouble;
use crate::answers::{Answer, MoveAnswer, Phases, QueryAnswer, SolveAnswer, Stored};
use crate::cycles::{Cycles, LoopValues};
use crate::entry::{Entry, QUERY_POSITIONS};
use crate::handle::{QueryOptions, SolveRequest};
use crate::searching::{Asked, ValueOf};
use crate::shelves::{Kept, LoopFiles, Plan, untimed};
use crate::solved::AnyIndex;
use crate::tables::Opened;
use outplay_core::{Game, Notation, Tier, Value, Watch};
use outplay_search::{Engine, Limits};
use outplay_solve::{Explored, SolveError, Tally, Verified};
use outplay_table::Values;
use std::sync::Arc;
use std::time::Duration;

/// Numbers that a query solves in memory where there is no table.
const IN_MEMORY: u64 = 25_000_000;

/// Positions that a query explores where a game has forward moves only.
const EXPLORED: u64 = 2_000_000;

/// How long a query searches a position that no table holds unless told.
const PATIENCE: Duration = Duration::from_secs(60);

/// The values of a small game, kept in memory.
pub(crate) struct Remembered<G: Game> {
    cycles: Box<dyn Cycles<G>>,
    values: Box<dyn LoopValues>,
}

impl<G: Game> Remembered<G> {
    fn has(&self, pos: &G::Position) -> bool {
        self.cycles.any().has(pos)
    }

    fn value(&self, game: &G, pos: &G::Position) -> Option<Value> {
        let stored = |tier, number| Ok(self.values.value(tier, number));
        // Values in memory are always there to be read.
        self.cycles.any().look_up(game, pos, &stored).ok().flatten()
    }
}

impl<G: Game + Notation> Entry<G> {
    /// The index of a game with loops: the one that came along, or every position explored.
    fn cycles(&self, memory: u64, watch: &dyn Watch) -> Result<Box<dyn Cycles<G>>, Trouble> {
        if let Some(cycles) = self.loop_index() {
            return Ok(cycles);
        }
        self.listed(self.explored(Self::most_positions(memory), watch)?)
    }

    /// Explored positions as the index of a game with loops.
    fn listed(&self, explored: Arc<Explored<G>>) -> Result<Box<dyn Cycles<G>>, Trouble> {
        let why = || {
            Trouble::Unable(format!("{} never goes round in circles; try `--method auto`", self.game.spec()))
        };
        self.graph.map(|graph| graph(explored)).ok_or_else(why)
    }

    /// Every game of a set; a game that is no set is solved as ever.
    pub(crate) fn solve_set(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
        each: &mut dyn FnMut(SolveAnswer),
    ) -> Result<(), Trouble> {
        let members = |cycles: Box<dyn Cycles<G>>| {
            let homes = cycles.any().homes();
            let counted = |t: &usize| homes[*t].is_some() && cycles.any().counts(Tier(*t as u32));
            (0..homes.len()).filter(counted).count()
        };
        if self.loop_index().map_or(0, members) < 2 {
            each(self.solve_game(request, watch)?);
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
        let cycles = self.cycles(request.memory, watch)?;
        let any = cycles.any();
        let plan = self.plan(any, request.values);
        if each.is_none()
            && let Some(answer) = self.answer_from_loop_tables(any, &plan, request, watch)?
        {
            return Ok(answer);
        }
        let needed = cycles.bytes();
        if needed > u128::from(request.memory) {
            let gigabytes = |bytes: f64| bytes / 1e9;
            return Err(Trouble::Unable(format!(
                "this needs {:.1} GB and --memory allows {:.1} GB; raise --memory, or solve a smaller game",
                gigabytes(needed as f64),
                gigabytes(request.memory as f64),
            )));
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
        let mut files = LoopFiles::open(request.data.as_deref(), plan, merged, watch, &mut kept)?;
        let solved = cycles.retrograde(&self.game, distance, &mut files, watch)?;
        let method = if files.solved == 0 { "table" } else { "retrograde" };
        let own = files.finish(solved.tally())?;
        if let Some(error) = trouble {
            return Err(error);
        }
        let tally = if distance { solved.tally().clone() } else { untimed(solved.tally()) };
        let stored = |tier, number| Ok(solved.value(tier, number).map(|value| request.keep(value)));
        let value = |pos: &G::Position| any.look_up(&self.game, pos, &stored);
        let mut answer = self.answer_with_probe(request, method, &tally, any, &value, watch)?;
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
        let cycles = self.cycles(request.memory, watch)?;
        watch.stage("sweeping until nothing changes", 0);
        let solved = cycles.until_stable(&self.game, watch)?;
        let stored = |tier, number| Ok(solved.value(tier, number).map(|value| request.keep(value)));
        let value = |pos: &G::Position| cycles.any().look_up(&self.game, pos, &stored);
        let timed = request.values == Values::Distance;
        let tally = if timed { solved.tally().clone() } else { untimed(solved.tally()) };
        let method = "sweep-until-stable";
        let mut answer = self.answer_with_probe(request, method, &tally, cycles.any(), &value, watch)?;
        answer.nodes += tally.first_view().total();
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
        let (method, nodes) = if found { ("table", 0) } else { ("retrograde", tally.first_view().total()) };
        let mut answer = self.blank_answer(request, method, Some(&tally), nodes)?;
        answer.game = home.to_string();
        answer.table = kept.stored.clone();
        answer.phases = Some(phases);
        Ok(answer)
    }

    /// Several tables as one.
    fn all_of(&self, tables: Vec<Stored>) -> Option<Stored> {
        let mut all = tables.first()?.clone();
        if tables.len() > 1 {
            all.name = self.game.spec();
            all.bytes = tables.iter().map(|table| table.bytes).sum();
            all.found = tables.iter().all(|table| table.found);
        }
        Some(all)
    }

    fn answer_from_loop_tables(
        &self,
        index: &dyn AnyIndex<G>,
        plan: &Plan,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<Option<SolveAnswer>, Trouble> {
        let Some(data) = &request.data else { return Ok(None) };
        let Ok(Some(shelves)) = plan.open(data) else { return Ok(None) };
        watch.stage("checking the table", 0);
        if shelves.check().is_err() {
            return Ok(None);
        }
        let Some(tally) = shelves.tally(index) else { return Ok(None) };
        let stored = |tier, number| Ok(shelves.loop_value(tier, number)?);
        let value = |pos: &G::Position| index.look_up(&self.game, pos, &stored);
        let mut answer = self.answer_with_probe(request, "table", &tally, index, &value, watch)?;
        let names = plan.identities.iter().enumerate();
        let own = names.filter(|(t, _)| !plan.shared() || index.counts(Tier(*t as u32)));
        let names: Vec<String> = own.map(|(_, identity)| identity.name()).collect();
        answer.table = Some(Stored {
            name: if names.len() == 1 { names[0].clone() } else { self.game.spec() },
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
        method: &'static str,
        tally: &Tally,
        index: &dyn AnyIndex<G>,
        known: &(impl Fn(&G::Position) -> Result<Option<Value>, Trouble> + Sync),
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let mut answer = self.blank_answer(request, method, Some(tally), 0)?;
        let Some(pos) = self.locate_if_any(&request.place)? else { return Ok(answer) };
        if !index.has(&pos) {
            watch.stage("searching", 0);
            let value = |pos: &G::Position| if index.has(pos) { known(pos) } else { Ok(None) };
            let report = self.report(&pos, Some(&Asked(&value)), request, watch)?;
            self.judge(&pos, &report, &mut answer);
            answer.answer = self.untimed_answer(request, answer.answer);
            answer.probe_hits = Some(report.counts.probe_hits);
            answer.nodes = report.counts.nodes;
            return Ok(answer);
        }
        let found = known(&pos)?.ok_or(SolveError::Overflow)?;
        let values = self.move_values(&pos, known)?;
        answer.answer = self.answer(&pos, found);
        answer.best = self.best(&pos, &values);
        Ok(answer)
    }

    fn untimed_answer(&self, request: &SolveRequest, answer: Answer) -> Answer {
        if request.values == Values::Wdl { Answer { distance: None, ..answer } } else { answer }
    }

    pub(crate) fn verify_loop_table(
        &self,
        opened: &Opened<G>,
        watch: &dyn Watch,
    ) -> Result<Verified, Trouble> {
        let tiers = opened.index.sizes().len() as u32;
        watch.stage("reading the table", 0);
        let cells: Result<Vec<_>, _> = (0..tiers).map(|t| opened.shelves.loop_cells(Tier(t))).collect();
        let cells = cells?;
        let stored = |tier: Tier, number| cells[tier.0 as usize].value(number);
        let exact = opened.shelves.values() == Values::Distance;
        let cycles = match self.loop_index() {
            Some(cycles) => cycles,
            None => self.listed(self.explored(QUERY_POSITIONS, watch)?)?,
        };
        watch.stage("deriving values again", cycles.any().sizes().iter().sum());
        Ok(cycles.verify(&self.game, exact, &stored, watch)?)
    }

    /// A query about a game with loops whose table does not hold the position, or that has no table.
    pub(crate) fn query_loops(
        &self,
        pos: &G::Position,
        blank: QueryAnswer,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<QueryAnswer, Trouble> {
        let table = options.data.as_ref().map(|data| self.kept_table(data)).transpose()?.flatten();
        if let Some(table) = &table {
            // The engine looks ahead itself where a position has no number.
            let value =
                |pos: &G::Position| if table.index.has(pos) { self.probe(table, pos) } else { Ok(None) };
            return self.query_by_engine(pos, blank, Some(&value), options, watch);
        }
        let Some(remembered) = self.remember(pos, options, watch)? else {
            return self.query_by_engine(pos, blank, None, options, watch);
        };
        if !remembered.has(pos) {
            let value = |pos: &G::Position| match remembered.has(pos) {
                true => Ok(remembered.value(&self.game, pos)),
                false => Ok(None),
            };
            return self.query_by_engine(pos, blank, Some(&value), options, watch);
        }
        self.query_from(pos, |pos| Ok(remembered.value(&self.game, pos)), blank)
    }

    /// Whether a game with loops and an index of its own can be solved in memory on the way to an answer.
    pub(crate) fn fits_in_memory(&self, options: &QueryOptions) -> bool {
        let fits = |cycles: Box<dyn Cycles<G>>| {
            let total: u64 = cycles.any().sizes().iter().sum();
            total <= IN_MEMORY && cycles.bytes() <= u128::from(options.memory)
        };
        *self.fits.get_or_init(|| self.loop_index().is_some_and(fits))
    }

    /// The answer from values of the whole game that an earlier question left in memory.
    pub(crate) fn solved_once(
        &self,
        pos: &G::Position,
        blank: &QueryAnswer,
    ) -> Result<Option<QueryAnswer>, Trouble> {
        if let Some(remembered) = self.remembered.get().filter(|remembered| remembered.has(pos)) {
            return self
                .query_from(pos, |pos| Ok(remembered.value(&self.game, pos)), blank.clone())
                .map(Some);
        }
        // The lock is let go before the answer is made.
        let oracle = self.oracle.lock().ok().and_then(|oracle| oracle.clone());
        match oracle.filter(|oracle| oracle.small(pos).is_some()) {
            Some(oracle) => self.query_from(pos, |pos| Ok(oracle.small(pos)), blank.clone()).map(Some),
            None => Ok(None),
        }
    }

    /// Values of all positions in memory, if the game is small enough.
    fn remember(
        &self,
        pos: &G::Position,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Option<&Remembered<G>>, Trouble> {
        if let Some(remembered) = self.remembered.get() {
            // Explored from another position, it may lack this one; then a search has to do.
            return Ok(Some(remembered));
        }
        let cycles = match self.loop_index() {
            Some(cycles) => {
                let total: u64 = cycles.any().sizes().iter().sum();
                if total > IN_MEMORY || cycles.bytes() > u128::from(options.memory) {
                    return Ok(None);
                }
                cycles
            }
            None => {
                let most = Self::most_positions(options.memory).min(EXPLORED);
                let from = self.game.start().unwrap_or_else(|| pos.clone());
                match Explored::new(&self.game, &from, most, watch) {
                    Ok(explored) => self.listed(Arc::new(explored))?,
                    Err(SolveError::TooLarge(_)) => return Ok(None),
                    Err(error) => return Err(error.into()),
                }
            }
        };
        let mut ignore = |_| {};
        let plan = self.plan(cycles.any(), Values::Distance);
        let mut files = LoopFiles::open(None, plan, false, watch, &mut ignore)?;
        let values = cycles.retrograde(&self.game, true, &mut files, watch)?;
        Ok(Some(self.remembered.get_or_init(|| Remembered { cycles, values })))
    }

    /// The values of all moves by the generic engine, which asks `known` about every position it meets.
    pub(crate) fn query_by_engine(
        &self,
        pos: &G::Position,
        blank: QueryAnswer,
        known: Option<&ValueOf<'_, G>>,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<QueryAnswer, Trouble> {
        let asked = known.map(Asked);
        let mut engine = Engine::new(&self.game, self.engine_options(options.hash, options.threads));
        if let Some(asked) = &asked {
            engine = engine.probe(asked);
        }
        let time = options.time.unwrap_or(PATIENCE);
        let judged = engine.each_move(pos, Limits::time(time), watch)?;
        let mut hits = 0;
        let mut exact: Vec<(G::Move, Value)> = Vec::new();
        let mut moves = Vec::new();
        for judged in &judged {
            hits += judged.report.counts.probe_hits;
            let answer = self.search_answer(pos, judged.answer);
            if let outplay_search::Answer::Exact(value) = judged.answer {
                exact.push((judged.mv, value));
            }
            moves.push(MoveAnswer { mv: self.game.write_move(pos, judged.mv), answer, score: None });
        }
        let probe_hits = known.map(|_| hits);
        let best = exact.iter().map(|(_, value)| *value).max();
        let best_payoff = self.game.best_payoff();
        let settled = exact.len() == judged.len() || best.is_some_and(|best| best.payoff() == best_payoff);
        let Some(best) = best.filter(|_| settled) else {
            return Ok(QueryAnswer { moves, probe_hits, ..blank });
        };
        let names = self.best(pos, &exact);
        Ok(QueryAnswer { answer: self.answer(pos, best), best: names, moves, probe_hits, ..blank })
    }
}

fn add(sum: &mut Phases, more: &Phases) {
    sum.solve_seconds += more.solve_seconds;
    sum.solve_cpu_seconds += more.solve_cpu_seconds;
    sum.write_seconds += more.write_seconds;
    sum.write_cpu_seconds += more.write_cpu_seconds;
}
