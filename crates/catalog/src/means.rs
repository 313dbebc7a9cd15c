//! Mean payoffs of games with dice: solving, tables of them, and queries.

use crate::Trouble;
use crate::answers::{Answer, MoveAnswer, QueryAnswer, Settled, SolveAnswer, Stored, VerifyReport};
use crate::deadline::Deadline;
use crate::dice::{Dice, DiceIndex, MeanFiles};
use crate::entry::{Entry, QUERY_POSITIONS};
use crate::handle::{QueryOptions, SolveRequest};
use crate::shelves::{Plan, Shelves};
use outplay_core::{Game, Notation, Tier, Turn, Watch};
use outplay_search::{DiceMethod, Limits};
use outplay_solve::{Expected, Explored, Settle, SolveError};
use outplay_table::{CellKind, Values, Writer};
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::{Duration, Instant};

/// Means closer than this are equally good: they were settled to fewer digits than they have.
const EQUAL: f64 = 1e-11;

/// How far a stored mean may be from what follows by the rules, beyond the tolerance it was settled with.
const ROUNDING: f64 = 1e-12;

/// Longer than anybody waits, and no overflow.
const AGES: Duration = Duration::from_secs(1 << 30);

/// How long a query searches a game that is too large to explore, unless told.
const PATIENCE: Duration = Duration::from_secs(5);

/// Positions that a query explores where there is no table.
const EXPLORED: u64 = 3_000_000;

/// Asks for the mean payoff of a position.
type MeanOf<'a, G> = &'a dyn Fn(&<G as Game>::Position) -> Result<Option<f64>, Trouble>;

/// Where means come from.
enum Source {
    Table(Shelves),
    Memory(Expected),
}

/// Means of all positions of a game, from a table or in memory.
pub(crate) struct Known<G: Game> {
    index: Box<dyn DiceIndex<G>>,
    source: Source,
}

impl<G: Game> Known<G> {
    fn mean(&self, game: &G, pos: &G::Position) -> Result<Option<f64>, Trouble> {
        let at = |tier: Tier, number: u64| match &self.source {
            Source::Memory(expected) => Ok(expected.value(tier, number)),
            Source::Table(shelves) => {
                let (table, tier) = shelves.at(tier);
                Ok(table.code::<f64>(tier, number)?.unwrap_or(f64::NAN))
            }
        };
        self.index.mean(game, pos, &at)
    }
}

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn dice_or_complain(&self) -> Result<&Dice<G>, Trouble> {
        let why = || Trouble::Unable(format!("{} has no dice; try `--method auto`", self.game.spec()));
        self.dice.as_deref().ok_or_else(why)
    }

    fn mean_plan(&self, index: &dyn DiceIndex<G>) -> Plan {
        Plan::new(self.game.spec(), index.any(), Values::Expected, CellKind::F64)
    }

    /// The table of means, if there is a complete one.
    fn find_means(&self, data: &Path, watch: &dyn Watch) -> Result<Option<Known<G>>, Trouble> {
        let Some(dice) = self.dice.as_deref() else { return Ok(None) };
        if !data.join(outplay_table::name(&self.game.spec(), Values::Expected)).is_dir() {
            return Ok(None);
        }
        let index = dice.index(&self.game, || self.explored(QUERY_POSITIONS, watch))?;
        let shelves = self.mean_plan(&*index).open(data)?;
        Ok(shelves.map(|shelves| Known { index, source: Source::Table(shelves) }))
    }

    /// The same for queries, which keep it open.
    fn kept_means(&self, data: &Path, watch: &dyn Watch) -> Result<Option<Arc<Known<G>>>, Trouble> {
        // What is guarded is replaced as a whole, so that a panic elsewhere leaves it sound.
        let mut kept = self.mean_table.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, known)) = kept.as_ref().filter(|(of, _)| of == data) {
            return Ok(Some(known.clone()));
        }
        let found = self.find_means(data, watch)?.map(Arc::new);
        if let Some(known) = &found {
            *kept = Some((data.to_path_buf(), known.clone()));
        }
        Ok(found)
    }

    /// `solve --method chance`.
    pub(crate) fn solve_by_chance(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let dice = self.dice_or_complain()?;
        let pos = self.locate_if_any(&request.place)?;
        let most = Self::most_positions(request.memory);
        let index = dice.index(&self.game, || self.explored(most, watch))?;
        let plan = self.mean_plan(&*index);
        let settled = |shelves: &Shelves| -> Option<Settled> {
            serde_json::from_value(shelves.table().summary()?.get("settled")?.clone()).ok()
        };
        if let Some(data) = &request.data
            && let Ok(Some(shelves)) = plan.open(data)
            && shelves.check().is_ok()
            && let Some(settled) = settled(&shelves)
        {
            let bytes = shelves.bytes(index.any());
            let (name, data) = (shelves.table().name().to_string(), data.display().to_string());
            let known = Known { index, source: Source::Table(shelves) };
            let mut answer = self.mean_answer(request, "table", &known, pos.as_ref())?;
            answer.settled = Some(settled);
            answer.table = Some(Stored { name, data, bytes, found: true });
            return Ok(answer);
        }
        let writer = match &request.data {
            Some(data) => Some(Writer::open(data, plan.identities[0].clone())?),
            None => None,
        };
        // A damaged tier counts as not written from here on, and is solved again.
        writer.as_ref().map(Writer::check).transpose()?;
        let mut files = MeanFiles { writer: writer.as_ref() };
        let expected = index.solve(&self.game, &mut files, watch)?;
        let tolerance = if index.any().has_loops() { Settle::default().tolerance } else { 0.0 };
        let settled = Settled { tolerance, change: expected.change(), rounds: expected.rounds() };
        let tiers = index.any().sizes().len() as u32;
        let values = (0..tiers).flat_map(|t| expected.values(Tier(t)));
        let positions = values.filter(|value| !value.is_nan()).count() as u64;
        let known = Known { index, source: Source::Memory(expected) };
        let mut answer = self.mean_answer(request, "chance", &known, pos.as_ref())?;
        answer.nodes = positions;
        answer.settled = Some(settled);
        if let (Some(writer), Some(data)) = (writer, &request.data) {
            let table = writer.table()?;
            let (name, bytes) = (table.name().to_string(), table.bytes());
            writer.finish(serde_json::json!({ "settled": settled, "positions": positions }))?;
            answer.table = Some(Stored { name, data: data.display().to_string(), bytes, found: false });
        }
        Ok(answer)
    }

    fn mean_answer(
        &self,
        request: &SolveRequest,
        method: &'static str,
        known: &Known<G>,
        pos: Option<&G::Position>,
    ) -> Result<SolveAnswer, Trouble> {
        let mut answer = self.blank_answer(request, method, None, 0)?;
        let Some(pos) = pos else { return Ok(answer) };
        let query = self.query_means(pos, self.blank_query(pos), &|pos| known.mean(&self.game, pos))?;
        answer.answer = query.answer;
        answer.best = query.best;
        Ok(answer)
    }

    /// Fills in a query from the means of a position and what follows from it.
    fn query_means(
        &self,
        pos: &G::Position,
        blank: QueryAnswer,
        mean: MeanOf<'_, G>,
    ) -> Result<QueryAnswer, Trouble> {
        let best_payoff = self.game.best_payoff();
        let Some(here) = mean(pos)? else {
            return Ok(QueryAnswer { moves: self.unknown_moves(pos), ..blank });
        };
        let turn = self.game.turn(pos);
        let rolls = match (turn, self.dice.as_deref()) {
            (Turn::Chance, Some(dice)) => (dice.outcomes)(&self.game, pos),
            _ => Vec::new(),
        };
        let mut list = Vec::new();
        self.game.moves(pos, &mut list);
        let (mut moves, mut means) = (Vec::new(), Vec::new());
        for mv in list {
            let value = mean(&self.game.play(pos, mv))?;
            let mut answer = value.map_or_else(
                || Answer::unknown(-best_payoff, best_payoff),
                |mean| Answer::mean(mean, best_payoff),
            );
            answer.probability = rolls.iter().find(|(roll, _)| *roll == mv).map(|(_, weight)| *weight);
            means.push(value);
            moves.push(MoveAnswer { mv: self.game.write_move(pos, mv), answer, score: None });
        }
        let wish = if turn == Turn::Second { -1.0 } else { 1.0 };
        let best = means.iter().flatten().map(|mean| wish * mean).fold(f64::NEG_INFINITY, f64::max);
        let is_best = |mean: &Option<f64>| mean.is_some_and(|mean| wish * mean >= best - EQUAL);
        let best = match turn {
            Turn::Chance => Vec::new(),
            _ => moves
                .iter()
                .zip(&means)
                .filter(|(_, mean)| is_best(mean))
                .map(|(mv, _)| mv.mv.clone())
                .collect(),
        };
        Ok(QueryAnswer { answer: Answer::mean(here, best_payoff), best, moves, ..blank })
    }

    /// A query about a game with dice from what is there already: a table, or means in memory.
    pub(crate) fn known_means(
        &self,
        pos: &G::Position,
        blank: &QueryAnswer,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Option<QueryAnswer>, Trouble> {
        let table = options.data.as_ref().map(|data| self.kept_means(data, watch)).transpose()?.flatten();
        let sources =
            [table.as_deref().map(|table| ("table", table)), self.means.get().map(|means| ("search", means))];
        for (source, known) in sources.into_iter().flatten() {
            if known.mean(&self.game, pos)?.is_some() {
                let blank = QueryAnswer { source, ..blank.clone() };
                return self.query_means(pos, blank, &|pos| known.mean(&self.game, pos)).map(Some);
            }
        }
        Ok(None)
    }

    /// The same, solving or searching where nothing is there.
    pub(crate) fn query_dice(
        &self,
        pos: &G::Position,
        blank: QueryAnswer,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<QueryAnswer, Trouble> {
        if let Some(answer) = self.known_means(pos, &blank, options, watch)? {
            return Ok(answer);
        }
        let dice = self.dice_or_complain()?;
        let blank = QueryAnswer { source: "search", ..blank };
        let deadline = Deadline::new(options.time, watch);
        // A game with an index of its own is large, and only its endings are worth exploring.
        let most =
            Self::most_positions(options.memory).min(if dice.explores() { EXPLORED } else { EXPLORED / 10 });
        if self.means.get().is_none() && dice.explores() {
            match self.solve_in_memory(dice, None, most, &deadline) {
                Ok(known) => {
                    let known = self.means.get_or_init(|| known);
                    if known.mean(&self.game, pos)?.is_some() {
                        return self.query_means(pos, blank, &|pos| known.mean(&self.game, pos));
                    }
                }
                Err(Trouble::Solve(SolveError::TooLarge(_))) => {}
                Err(error) if error.is_stop() && deadline.passed() => {}
                Err(error) => return Err(error),
            }
        }
        match self.solve_in_memory(dice, Some(pos), most, &deadline) {
            Ok(known) => return self.query_means(pos, blank, &|pos| known.mean(&self.game, pos)),
            Err(Trouble::Solve(SolveError::TooLarge(_))) => {}
            Err(error) if error.is_stop() && deadline.passed() => {}
            Err(error) => return Err(error),
        }
        let time = options.time.unwrap_or(PATIENCE);
        let end = Instant::now() + time;
        let mean = |pos: &G::Position| self.deepen(dice, pos, end, watch);
        self.query_means(pos, blank, &mean)
    }

    fn solve_in_memory(
        &self,
        dice: &Dice<G>,
        pos: Option<&G::Position>,
        most: u64,
        watch: &dyn Watch,
    ) -> Result<Known<G>, Trouble> {
        let index = match pos {
            None => dice.index(&self.game, || self.explored(most, watch))?,
            Some(pos) => (dice.onwards)(Arc::new(Explored::new(&self.game, pos, most, watch)?)),
        };
        let expected = index.solve(&self.game, &mut MeanFiles { writer: None }, watch)?;
        Ok(Known { index, source: Source::Memory(expected) })
    }

    /// `solve --method search`: Star2, exact or unknown.
    pub(crate) fn solve_by_star2(
        &self,
        dice: &Dice<G>,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        watch.stage("searching", 0);
        let end = Instant::now() + request.time.unwrap_or(AGES);
        let mut answer = self.blank_answer(request, "search", None, 0)?;
        if let Some(mean) = self.deepen(dice, &pos, end, watch)? {
            answer.answer = Answer::mean(mean, self.game.best_payoff());
        }
        Ok(answer)
    }

    /// Looks further and further ahead until the mean is exact or time is up.
    fn deepen(
        &self,
        dice: &Dice<G>,
        pos: &G::Position,
        end: Instant,
        watch: &dyn Watch,
    ) -> Result<Option<f64>, Trouble> {
        for depth in 1..=outplay_search::MOST_PLIES {
            let time = end.saturating_duration_since(Instant::now());
            let limits = Limits { time: Some(time), ..Limits::depth(depth) };
            let report = (dice.search)(&self.game, pos, DiceMethod::Star2, limits, watch)?;
            if report.exact {
                return Ok(report.value);
            }
            if time.is_zero() || watch.stopped() {
                break;
            }
        }
        Ok(None)
    }

    /// `verify` for a table of means.
    pub(crate) fn verify_means(
        &self,
        data: &Path,
        watch: &dyn Watch,
    ) -> Result<Option<VerifyReport>, Trouble> {
        let Some(Known { index, source: Source::Table(shelves) }) = self.find_means(data, watch)? else {
            return Ok(None);
        };
        let tiers = index.any().sizes().len() as u32;
        watch.stage("deriving means again", index.any().sizes().iter().sum());
        let values: Result<Vec<Vec<f64>>, Trouble> = (0..tiers)
            .map(|t| {
                let (table, tier) = shelves.at(Tier(t));
                Ok(table.read_tier(tier)?)
            })
            .collect();
        let values = values?;
        let stored = |tier: Tier, number: u64| values[tier.0 as usize][number as usize];
        let tolerance = Settle::default().tolerance + ROUNDING;
        let means = index.verify(&self.game, &stored, tolerance, watch)?;
        let first = means.first_wrong;
        let position = first.and_then(|(tier, number, ..)| index.any().position(tier, number));
        Ok(Some(VerifyReport {
            game: self.game.spec(),
            checked: means.checked,
            wrong: means.wrong,
            first_wrong: position.map(|pos| self.game.write_position(&pos)),
            flaw: first
                .map(|(_, _, stored, derived)| format!("the table says {stored}, its moves say {derived}")),
        }))
    }
}
