//! The methods of `solve`: which one, how much memory, and what becomes of the values.

use crate::answers::{Answer, Counts, LongestBySide, SolveAnswer, Stored, TurnCounts};
use crate::entry::Entry;
use crate::handle::{Method, Place, SolveRequest};
use crate::solved::AnyIndex;
use crate::summary::Summary;
use crate::{Trouble, boards};
use outplay_core::{Game, Notation, Value, Watch};
use outplay_solve::{SolveError, Tally, memo, plain};
use outplay_table::{Values, Writer};

/// A solve that takes less memory than this needs no announcement.
const WORTH_SAYING: u64 = 100_000_000;

/// A method's findings: the values that the answer needs and what is known of all positions.
struct Findings<'a, F> {
    method: &'static str,
    value: F,
    tally: Option<&'a Tally>,
    nodes: u64,
}

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn solve_game(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let most = Self::most_positions(request.memory);
        match request.method {
            Method::Auto => {
                let method = self.best_method(request, watch)?;
                self.solve_game(&SolveRequest { method, ..request.clone() }, watch)
            }
            Method::Plain => {
                let pos = self.locate(&request.place)?;
                watch.stage("searching", 0);
                let found = plain(&self.game, &pos, watch)?;
                // The values of the moves cost as much again; plain minimax remembers nothing.
                let value = |next: &G::Position| {
                    let same = *next == pos;
                    Ok(Some(if same { found.value } else { plain(&self.game, next, watch)?.value }))
                };
                self.solved(request, Findings { method: "plain", value, tally: None, nodes: found.nodes })
            }
            Method::Memo => {
                let pos = self.locate(&request.place)?;
                watch.stage("searching", 0);
                let memo = memo(&self.game, &pos, most, watch)?;
                let tally = memo.tally(&self.game);
                let value = |pos: &G::Position| Ok(memo.value(pos));
                let nodes = memo.found().nodes;
                self.solved(request, Findings { method: "memo", value, tally: Some(&tally), nodes })
            }
            Method::Sweep => match self.tight_index() {
                Some(index) => self.solve_by_sweep(&*index, request, watch),
                None => self.solve_by_sweep(&*self.explored(most, watch)?, request, watch),
            },
            Method::Retrograde => self.solve_by_retrograde(request, watch, None),
            Method::UntilStable => self.solve_until_stable(request, watch),
            Method::Chance => self.solve_by_chance(request, watch),
            Method::Dense => self.solve_densely(request, watch),
            Method::Search => self.solve_by_search(request, watch),
            Method::Proof => self.solve_by_proof(request, watch),
        }
    }

    /// What suits the game: bit-planes for boards of lines, a search where they do not fit, a sweep over a
    /// tight index, or a hash map.
    fn best_method(&self, request: &SolveRequest, watch: &dyn Watch) -> Result<Method, Trouble> {
        if self.dice.is_some() {
            return Ok(Method::Chance);
        }
        if let (Some(to_board), Ok(start)) = (self.board, self.start()) {
            let options = boards::options(request.values, request.threads, request.memory, None);
            if outplay_dense::plan(&to_board(&self.game, &start), &options, request.data.is_some()).is_ok() {
                return Ok(Method::Dense);
            }
            if self.connect_board(&start).is_some() {
                return Ok(Method::Search);
            }
            if self.proof_board(&start).is_some() {
                return Ok(Method::Proof);
            }
            // Misère boards have no search of their own; the engine takes any game.
            return Ok(Method::Search);
        }
        let fits = |index: &dyn AnyIndex<G>| index.sweep_bytes(&self.game) <= u128::from(request.memory);
        Ok(match self.tight_index() {
            Some(index) if index.has_loops() => Method::Retrograde,
            Some(index) if !fits(&*index) => Method::Memo,
            Some(_) => Method::Sweep,
            // Without an index of its own the game is explored, which finds out about circles and its size.
            None => match self.explored(Self::most_positions(request.memory), watch)?.has_loops() {
                true => Method::Retrograde,
                false => Method::Sweep,
            },
        })
    }

    fn solve_by_sweep(
        &self,
        index: &dyn AnyIndex<G>,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let needed = index.sweep_bytes(&self.game);
        if needed > u128::from(request.memory) {
            let gigabytes = |bytes: f64| bytes / 1e9;
            return Err(Trouble::Unable(format!(
                "this sweep needs {:.1} GB and --memory allows {:.1} GB; raise --memory, or solve a smaller game",
                gigabytes(needed as f64),
                gigabytes(request.memory as f64),
            )));
        }
        let writer = self.open_writer(index, request)?;
        if let Some(answer) = self.answer_from_table(index, request, writer.as_ref(), watch)? {
            return Ok(answer);
        }
        let start = self.start()?;
        let solved = index.sweep(&self.game, &start, watch)?;
        let tally = solved.tally();
        let value = |pos: &G::Position| Ok(solved.value(pos).map(|value| request.keep(value)));
        let findings =
            Findings { method: "sweep", value, tally: Some(tally), nodes: tally.first_view().total() };
        let mut answer = self.solved(request, findings)?;
        if let Some(writer) = writer {
            solved.store(&self.game, &writer, watch)?;
            answer.table = Some(self.finish(writer, tally, request)?);
        }
        Ok(answer)
    }

    fn solve_densely(&self, request: &SolveRequest, watch: &dyn Watch) -> Result<SolveAnswer, Trouble> {
        let start = self.start()?;
        let Some(to_board) = self.board else {
            let why = "the dense solver is for games of lines on a board; try `--method sweep`";
            return Err(Trouble::Unable(why.into()));
        };
        let board = to_board(&self.game, &start);
        let options =
            boards::options(request.values, request.threads, request.memory, request.data.as_deref());
        let options = outplay_dense::Options { counts: request.counts, ..options };
        // Refuse before anything is written.
        let plan = outplay_dense::plan(&board, &options, request.data.is_some())?;
        let index = self.tight_index();
        let writer = match &index {
            Some(index) => self.open_writer(&**index, request)?,
            None => None,
        };
        let index = index.as_deref();
        let known = index.map(|index| self.answer_from_table(index, request, writer.as_ref(), watch));
        if let Some(answer) = known.transpose()?.flatten() {
            return Ok(answer);
        }
        if plan.peak_bytes >= WORTH_SAYING {
            let disk = match plan.disk_bytes {
                0 => String::new(),
                bytes => format!(" and {:.1} GB of disk", bytes as f64 / 1e9),
            };
            let memory = plan.peak_bytes as f64 / 1e9;
            watch.note(&format!("plan: {:.1e} positions, {memory:.1} GB of memory{disk}", plan.slots as f64));
        }
        let slots: u128 = plan.slots;
        watch.stage("solving", u64::try_from(slots).unwrap_or(0));
        let (solution, tally) = boards::dense(&board, &options, writer.as_ref(), watch)?;
        let nodes = u64::try_from(slots).unwrap_or(u64::MAX);
        let counted = request.counts.then_some(&tally);
        let mut answer = if request.place == Place::Start {
            let value = solution.value.unwrap_or_else(|| Value::untimed(solution.verdict as i32 - 1));
            let name = |&cell: &usize| {
                let (column, row) = (cell / board.height, cell % board.height);
                if board.gravity { (column + 1).to_string() } else { outplay_core::cell_name(column, row) }
            };
            let mut answer = self.blank_answer(request, "dense", counted, nodes)?;
            answer.answer = self.answer(&start, request.keep(value));
            answer.score = self.score(&start, request.keep(value));
            answer.best = solution.best.iter().map(name).collect();
            answer
        } else {
            // Another position is a board of its own; solving it finds its value and moves.
            self.solve_elsewhere(request, counted, nodes, watch)?
        };
        answer.colourings = Some(plan.colourings);
        if let Some(writer) = writer {
            answer.table = Some(self.finish(writer, &tally, request)?);
        }
        Ok(answer)
    }

    /// The value of a position other than the start: each of its moves is a board for the dense solver.
    fn solve_elsewhere(
        &self,
        request: &SolveRequest,
        tally: Option<&Tally>,
        nodes: u64,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let options =
            boards::options(request.values, request.threads, request.memory, request.data.as_deref());
        let options = outplay_dense::Options { counts: false, ..options };
        let value = |pos: &G::Position| {
            let Some(to_board) = self.board else { return Ok(None) };
            if let Some(payoff) = self.game.outcome(pos) {
                return Ok(Some(request.keep(Value::new(self.game.turn(pos).sees(payoff), 0))));
            }
            let (solution, _) = boards::dense(&to_board(&self.game, pos), &options, None, watch)?;
            Ok(Some(solution.value.unwrap_or_else(|| Value::untimed(solution.verdict as i32 - 1))))
        };
        self.solved(request, Findings { method: "dense", value, tally, nodes })
    }

    /// Opens the game's table for writing, if values are to be stored.
    fn open_writer(
        &self,
        index: &dyn AnyIndex<G>,
        request: &SolveRequest,
    ) -> Result<Option<Writer>, Trouble> {
        let Some(data) = &request.data else { return Ok(None) };
        Ok(Some(Writer::open(data, self.identity(index, request.values))?))
    }

    /// Answers from a table that is complete and undamaged.
    fn answer_from_table(
        &self,
        index: &dyn AnyIndex<G>,
        request: &SolveRequest,
        writer: Option<&Writer>,
        watch: &dyn Watch,
    ) -> Result<Option<SolveAnswer>, Trouble> {
        let (Some(writer), Some(data)) = (writer, &request.data) else { return Ok(None) };
        watch.stage("checking the table", 0);
        let complete = writer.complete();
        if !writer.check()?.is_empty() || !complete {
            return Ok(None);
        }
        let table = writer.table()?;
        let summary = table.summary().and_then(|json| serde_json::from_value::<Summary>(json.clone()).ok());
        let Some(summary) = summary else { return Ok(None) };
        let tally = summary.tally();
        let value = |pos: &G::Position| Ok(index.probe(&self.game, &table, pos)?);
        let mut answer =
            self.solved(request, Findings { method: "table", value, tally: Some(&tally), nodes: 0 })?;
        let (name, data) = (table.name().to_string(), data.display().to_string());
        answer.table = Some(Stored { name, data, bytes: table.bytes(), found: true });
        Ok(Some(answer))
    }

    fn finish(&self, writer: Writer, tally: &Tally, request: &SolveRequest) -> Result<Stored, Trouble> {
        let table = writer.table()?;
        let (name, bytes) = (table.name().to_string(), table.bytes());
        writer.finish(Summary::of(tally).json()?)?;
        let data = request.data.as_ref().map(|data| data.display().to_string()).unwrap_or_default();
        Ok(Stored { name, data, bytes, found: false })
    }

    pub(crate) fn blank_answer(
        &self,
        request: &SolveRequest,
        method: &'static str,
        tally: Option<&Tally>,
        nodes: u64,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate_if_any(&request.place)?;
        let timed = request.values == Values::Distance;
        let unknown = Answer::unknown(-self.game.best_payoff(), self.game.best_payoff());
        Ok(SolveAnswer {
            game: self.game.spec(),
            method,
            position: pos.as_ref().map(|pos| self.game.write_position(pos)),
            to_move: pos.as_ref().map(|pos| self.to_move(pos)),
            answer: if pos.is_some() { unknown } else { Answer::none() },
            score: None,
            best: Vec::new(),
            positions: tally.map(Counts::of),
            by_turn: tally.map(TurnCounts::of),
            merged: tally.is_some_and(|tally| tally.merged),
            longest: tally.filter(|_| timed).map(LongestBySide::of),
            nodes,
            colourings: None,
            table: None,
            proof: None,
            probe_hits: None,
            settled: None,
            phases: None,
        })
    }

    fn solved<F: Fn(&G::Position) -> Result<Option<Value>, Trouble>>(
        &self,
        request: &SolveRequest,
        findings: Findings<'_, F>,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let values = self.move_values(&pos, &findings.value)?;
        let found = (findings.value)(&pos)?.ok_or(SolveError::Overflow)?;
        let blank = self.blank_answer(request, findings.method, findings.tally, findings.nodes)?;
        let score = self.score(&pos, found);
        Ok(SolveAnswer { answer: self.answer(&pos, found), score, best: self.best(&pos, &values), ..blank })
    }
}

impl SolveRequest {
    /// A value without its distance, where distances were not asked for.
    pub(crate) fn keep(&self, value: Value) -> Value {
        let decided = value.payoff() != 0;
        if decided && self.values == Values::Wdl { Value::untimed(value.payoff()) } else { value }
    }
}
