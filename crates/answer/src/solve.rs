//! The methods of `solve`: which one, how much memory, and what becomes of the values.
//!
//! ```text
//!  auto ──┬─ dice ─────────────────────────────▶ chance
//!         ├─ a board whose planes fit ─────────▶ dense
//!         ├─ known at once (book, theory, …) ──▶ that
//!         ├─ any other board ──────────────────▶ search │ proof          with a sentence why not dense
//!         ├─ a theorem, and no end of positions ▶ theory
//!         └─ any other game ───────────────────▶ retrograde │ sweep │ memo
//! ```

use crate::answers::{Answer, Counts, How, LongestBySide, Proved, SolveAnswer, Source, Stored, TurnCounts};
use crate::entry::Entry;
use crate::kernels::{Numbering, Seek, Sweeps};
use crate::ladder::{Ladder, Reach, Worth, between};
use crate::loops::WorthOf;
use crate::notes::{Note, WORTH_KEEPING};
use crate::query::Ask;
use crate::request::{Method, Place, QueryOptions, SolveRequest};
use crate::sources::EQUAL;
use crate::summary::Summary;
use crate::{Trouble, books, planes};
use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{AnyMove, AnyPosition, Deadline, Game, Notation, ProbeError, Turn, Value, Watch};
use outplay_dense::DenseError;
use outplay_search::DiceMethod;
use outplay_solve::Tally;
use outplay_table::{Identity, Table, Values, Writer};
use std::path::Path;
use std::time::{Duration, Instant};

/// A solve that takes less memory than this needs no announcement.
const WORTH_SAYING: u64 = 100_000_000;
/// Slots of a board that is solved slab by slab without being told to: some minutes' work.
const MINUTES: u128 = 20_000_000_000;

/// Why the value of one position is told instead of all.
fn only_one(needed: u128, allowed: u64) -> String {
    format!(
        "the values of all positions need {:.1} GB of memory and {:.1} GB are allowed, so this is one position",
        needed as f64 / 1e9,
        allowed as f64 / 1e9
    )
}

impl Entry {
    /// The value of a position, and with strong methods of every other one too.
    ///
    /// # Errors
    ///
    /// Bad input, a game beyond the method or the memory, or a stop. Time that is up is no error: the answer has
    /// bounds.
    pub fn solve(&self, request: &SolveRequest, watch: &dyn Watch) -> Result<SolveAnswer, Trouble> {
        let began = Instant::now();
        let clock = Deadline::new(request.options.time, watch);
        let late = |trouble: &Trouble| trouble.is_stop() && clock.passed() && !watch.stopped();
        match self.solve_by(request, &clock) {
            Err(trouble) if late(&trouble) => {
                let mut answer = self.blank_answer(request, How::By(request.method), None, 0)?;
                answer.notes.push("time was up before the value was known".into());
                Ok(answer)
            }
            // A search that was interrupted has bounds, but nobody waits for them.
            Ok(answer) if watch.stopped() && matches!(answer.answer, Answer::Unknown { .. }) => {
                Err(Trouble::stopped())
            }
            Ok(answer) => {
                self.write_down(request, &answer, began.elapsed());
                Ok(answer)
            }
            failed => failed,
        }
    }

    /// Keeps what a search of one position took long to find; strong methods have their tables.
    fn write_down(&self, request: &SolveRequest, answer: &SolveAnswer, took: Duration) {
        let searched = matches!(answer.method, How::By(Method::Search | Method::Proof));
        if let Some(data) = request.options.data.as_ref().filter(|_| request.options.keep && searched)
            && took >= WORTH_KEEPING
            && let Some(value) = answer.answer.value()
            && let Ok(pos) = self.locate(&request.place)
        {
            let best = answer.best.iter().filter_map(|word| self.game().read_move(&pos, word).ok()).collect();
            self.notes(data).add(self.game(), &pos, &Note { value, best });
        }
    }

    fn solve_by(&self, request: &SolveRequest, clock: &Deadline<'_>) -> Result<SolveAnswer, Trouble> {
        if let Some(crew) = request.crew() {
            return self.solve_together(request, crew, clock);
        }
        match request.method {
            Method::Auto => self.solve_somehow(request, clock),
            Method::Plain => {
                let pos = self.locate(&request.place)?;
                clock.stage("searching", 0);
                let refused =
                    || Trouble::method("plain minimax is for games without loops and dice", Method::Auto);
                let found = self.kernels().plain(&pos, clock).ok_or_else(refused)??;
                // The values of the moves cost as much again; plain minimax remembers nothing.
                let value = |next: &AnyPosition| {
                    let known =
                        if *next == pos { Some(Ok(found)) } else { self.kernels().plain(next, clock) };
                    Ok(known.transpose()?.map(|found| Worth::Exact(found.value)))
                };
                let mut blank = self.blank_answer(request, How::By(Method::Plain), None, found.nodes)?;
                (blank.counters, blank.depth) = (Some(found.counters()), Some(found.plies));
                self.filled(request, &pos, &value, blank)
            }
            Method::Memo => {
                let pos = self.locate(&request.place)?;
                clock.stage("searching", 0);
                let most = self.most_positions(request.options.memory);
                let refused =
                    || Trouble::method("remembering is for games without loops and dice", Method::Auto);
                let memo = self.kernels().memo(&pos, most, clock).ok_or_else(refused)??;
                let tally = memo.tally();
                let value = |pos: &AnyPosition| Ok(memo.value(pos).map(Worth::Exact));
                let how = How::By(Method::Memo);
                let mut blank = self.blank_answer(request, how, Some(&tally), memo.found().nodes)?;
                (blank.counters, blank.depth) = (Some(memo.found().counters()), Some(memo.found().plies));
                self.filled(request, &pos, &value, blank)
            }
            Method::Sweep => {
                let most = self.most_positions(request.options.memory);
                match self.numbering(most, clock)? {
                    Numbering::Sweeps(sweeps) => self.solve_by_sweep(&*sweeps, request, clock),
                    Numbering::Cycles(_) => Err(Trouble::method(
                        format!("{} can go round in circles", self.spec()),
                        Method::Retrograde,
                    )),
                    Numbering::Means(_) => {
                        Err(Trouble::method(format!("{} has dice", self.spec()), Method::Chance))
                    }
                }
            }
            Method::Retrograde => self.solve_by_retrograde(request, clock, None),
            Method::UntilStable => self.solve_until_stable(request, clock),
            Method::Chance => self.solve_by_chance(request, clock),
            Method::Dense => self.solve_densely(request, clock),
            Method::Search => self.solve_by_search(request, clock),
            Method::Proof => self.solve_by_proof(request, clock),
            Method::Breadth => self.solve_by_breadth(request, clock),
            Method::Expectimax => self.solve_through_dice(DiceMethod::Expectiminimax, request, clock),
            Method::Star1 => self.solve_through_dice(DiceMethod::Star1, request, clock),
            Method::Star2 => self.solve_through_dice(DiceMethod::Star2, request, clock),
        }
    }

    /// What suits the game.
    fn solve_somehow(&self, request: &SolveRequest, clock: &Deadline<'_>) -> Result<SolveAnswer, Trouble> {
        let by = |method: Method| {
            let mut request = request.clone();
            request.method = method;
            self.solve_by(&request, clock)
        };
        if self.game().has_dice() {
            return by(Method::Chance);
        }
        if self.game().has_board() {
            let start = self.start()?;
            let board = self.game().board(&start).filter(|_| !self.is_large());
            let mut options = planes::options(request.values, &request.options, request.counts);
            options.slabs = request.data().is_some();
            let plan = board.as_ref().map(|board| outplay_dense::plan(board, &options, request.store));
            let why = match plan {
                Some(Ok(plan)) if plan.slabwise() && request.disk.is_none() && plan.slots > MINUTES => {
                    Some(format!(
                        "the values of all positions do not fit in memory, so this is one position; solved slab by slab they take {:.0} GB of disk and a while, if they may",
                        plan.disk_bytes as f64 / 1e9
                    ))
                }
                Some(Ok(_)) => return by(Method::Dense),
                Some(Err(DenseError::Memory { needs, allowed, .. })) => Some(only_one(needs.into(), allowed)),
                _ => None,
            };
            let known = self.solve_at_once(request, clock)?;
            let falls = board.as_ref().is_some_and(|board| outplay_connect::check(board).is_ok());
            let proves = board.is_some_and(|board| !board.gravity && !board.misere);
            let mut answer = match known {
                Some(answer) => answer,
                None if proves && !falls => by(Method::Proof)?,
                // Misère boards have no search of their own; the engine takes any game.
                None => by(Method::Search)?,
            };
            answer.notes.extend(why);
            return Ok(answer);
        }
        if let Some(answer) = self.solve_at_once(request, clock)? {
            return Ok(answer);
        }
        match self.numbering(self.most_explored(request.options.memory), clock)? {
            Numbering::Cycles(_) => match by(Method::Retrograde) {
                // Whoever asks for one position can have it without all others.
                Err(Trouble::Memory { needed, allowed }) if !matches!(request.place, Place::Start) => {
                    let mut answer = by(Method::Search)?;
                    answer.notes.push(only_one(needed, allowed));
                    Ok(answer)
                }
                done => done,
            },
            Numbering::Sweeps(sweeps) if sweeps.sweep_bytes() > u128::from(request.options.memory) => {
                by(Method::Memo)
            }
            _ => by(Method::Sweep),
        }
    }

    /// The answer of a book, a theorem or what was kept, where no table can be had or wanted.
    fn solve_at_once(
        &self,
        request: &SolveRequest,
        clock: &Deadline<'_>,
    ) -> Result<Option<SolveAnswer>, Trouble> {
        let Some(pos) = self.locate_if_any(&request.place)? else { return Ok(None) };
        let mut options = request.options.clone();
        // A table that is to be made does not count as known.
        options.data = options.data.filter(|_| options.recall);
        let ladder = Ladder { entry: self, options: &options, clock, reach: Reach::AtOnce };
        let asked = ladder.moves(&pos, Ask::Best, false, &mut |_| {})?;
        let how = match asked.known.source {
            Source::Book => How::Book,
            Source::Kept => How::Kept,
            Source::Theory => How::Theory,
            // A strong method finds its table by itself, and counts in it.
            Source::Table if self.game().has_board() => How::Table,
            Source::Table | Source::Rules | Source::Search => return Ok(None),
        };
        if !asked.known.worth.is_settled() || asked.best.is_empty() {
            return Ok(None);
        }
        // All best moves, where they are as easily known.
        let all = ladder.moves(&pos, Ask::Moves, false, &mut |_| {})?;
        let best = if all.best.is_empty() { asked.best } else { all.best };
        let mut answer = self.blank_answer(request, how, None, 0)?;
        answer.answer = self.told(&pos, asked.known.worth);
        answer.score = self.score(&pos, asked.known.worth);
        answer.best = self.names(&pos, &best);
        Ok(Some(answer))
    }

    fn solve_by_sweep(
        &self,
        sweeps: &dyn Sweeps,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let needed = sweeps.sweep_bytes();
        if needed > u128::from(request.options.memory) {
            return Err(Trouble::Memory { needed, allowed: request.options.memory });
        }
        if let Some(answer) = self.answer_from_table(sweeps, request, watch)? {
            return Ok(answer);
        }
        let writer = self.open_writer(request)?;
        let solved = sweeps.sweep(&self.start()?, watch)?;
        let tally = solved.tally();
        let value = |pos: &AnyPosition| Ok(solved.value(pos).map(|value| Worth::Exact(request.told(value))));
        let how = How::By(Method::Sweep);
        let blank = self.blank_answer(request, how, Some(tally), tally.first_view().total())?;
        let mut answer = self.filled_by(request, &self.locate(&request.place)?, &value, blank)?;
        if let Some(writer) = writer {
            solved.store(&writer, watch)?;
            answer.table = Some(self.finish(writer, tally, request)?);
        }
        Ok(answer)
    }

    pub(crate) fn solve_densely(
        &self,
        request: &SolveRequest,
        clock: &Deadline<'_>,
    ) -> Result<SolveAnswer, Trouble> {
        let start = self.start()?;
        let Some(board) = self.game().board(&start) else {
            let why = "the dense solver is for games of lines on a board";
            return Err(Trouble::method(why, Method::Sweep));
        };
        let mut options = planes::options(request.values, &request.options, request.counts);
        options.slabs = request.data().is_some();
        options.crew = request.crew().cloned();
        // Refuse before anything is written.
        let plan = outplay_dense::plan(&board, &options, request.store)?;
        let mut writer = None;
        if let Some(Numbering::Sweeps(sweeps)) = self.index() {
            if request.crew().is_none()
                && let Some(answer) = self.answer_from_table(&*sweeps, request, clock)?
            {
                return Ok(answer);
            }
            writer = self.open_writer(request)?;
        }
        if let Some(writer) = &mut writer {
            writer.allow(request.disk);
        }
        if plan.peak_bytes >= WORTH_SAYING {
            let disk = match plan.disk_bytes {
                0 => String::new(),
                bytes => format!(" and about {:.1} GB of disk, slab by slab", bytes as f64 / 1e9),
            };
            let memory = plan.peak_bytes as f64 / 1e9;
            clock.note(&format!("plan: {:.1e} positions, {memory:.1} GB of memory{disk}", plan.slots as f64));
        }
        let slots: u128 = plan.slots;
        clock.stage("solving", u64::try_from(slots).unwrap_or(0));
        let (solution, tally) = planes::dense(&board, &options, writer.as_ref(), clock)?;
        let nodes = u64::try_from(slots).unwrap_or(u64::MAX);
        let counted = request.counts.then_some(&tally);
        let blank = self.blank_answer(request, How::By(Method::Dense), counted, nodes)?;
        let mut answer = if request.place == Place::Start {
            let value = solution.value.unwrap_or_else(|| Value::untimed(solution.verdict as i32 - 1));
            let worth = Worth::Exact(request.told(value));
            SolveAnswer {
                answer: self.told(&start, worth),
                score: self.score(&start, worth),
                best: solution.best.iter().map(|&cell| board.move_name(cell)).collect(),
                ..blank
            }
        } else {
            // Another position is a board of its own, which the ladder solves.
            let pos = self.locate(&request.place)?;
            let mut options = request.options.clone();
            options.data = None;
            let ladder = Ladder { entry: self, options: &options, clock, reach: Reach::Far };
            let value = |pos: &AnyPosition| {
                let worth = ladder.ask(pos, request.values == Values::Wdl, &mut |_| {})?.worth;
                Ok(Some(worth).filter(|worth| worth.is_settled()).map(|worth| request.told_worth(worth)))
            };
            self.filled_by(request, &pos, &value, blank)?
        };
        answer.colourings = Some(plan.colourings);
        if let Some(balance) = &solution.balance {
            clock.note(&format!(
                "{} ranks: the busiest computed {:.1} s, {:.0} % longer than the average; {} of slabs went from rank to rank",
                balance.busy.len(),
                balance.busy.iter().copied().fold(0.0, f64::max),
                100.0 * balance.imbalance(),
                outplay_core::figures::bytes(balance.moved)
            ));
        }
        if let Some(writer) = writer {
            answer.table = Some(self.finish(writer, &tally, request)?);
        }
        Ok(answer)
    }

    /// `solve --method search`: the exact value of one position.
    fn solve_by_search(&self, request: &SolveRequest, clock: &Deadline<'_>) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        clock.stage("searching", 0);
        if self.game().has_dice() {
            return self.solve_through_dice(DiceMethod::Star2, request, clock);
        }
        let board = self.game().board(&pos).filter(|board| outplay_connect::check(board).is_ok());
        let Some(board) = board else { return self.solve_by_engine(&pos, request, clock) };
        let threads = request.options.threads;
        let mut solver = Solver::new(books::entries(&board, request.options.hash));
        let limits = || Limits { nodes: None, time: clock.rest() };
        let found = solver.solve(&board, Depth::Score, limits(), clock, threads)?;
        let mut answer = self.blank_answer(request, How::By(Method::Search), None, found.nodes)?;
        (answer.counters, answer.depth) = (Some(found.counters), Some(found.left));
        let Some(score) = found.score() else {
            answer.answer = self.told(&pos, between(found.low.signum(), found.high.signum()));
            return Ok(answer);
        };
        answer.answer = self.answer(&pos, outplay_connect::value(score, found.left));
        answer.score = Some(score);
        // A best move is one after which the opponent cannot do better than -score; those in the middle are best most
        // often.
        let mut cells = board.open_cells();
        cells.sort_by_key(|cell| (2 * (cell / board.height) + 1).abs_diff(board.width));
        let mut best = Vec::new();
        for cell in cells {
            let next = board.after(cell);
            let reply = solver.solve(&next, Depth::AtLeast(1 - score), limits(), clock, threads)?;
            answer.nodes += reply.nodes;
            answer.counters.iter_mut().for_each(|counters| *counters += reply.counters);
            if !reply.stopped && reply.high <= -score {
                best.push(cell);
            }
        }
        best.sort_unstable();
        answer.best = best.iter().map(|&cell| board.move_name(cell)).collect();
        Ok(answer)
    }

    /// The generic engine, for games that no special search knows. It asks the game's table, if there is one.
    fn solve_by_engine(
        &self,
        pos: &AnyPosition,
        request: &SolveRequest,
        clock: &Deadline<'_>,
    ) -> Result<SolveAnswer, Trouble> {
        let data = request.options.data.as_ref();
        let table = data.map(|data| self.kept_table(data, clock)).transpose()?.flatten();
        let known = |pos: &AnyPosition| -> Result<Option<Value>, ProbeError> {
            let value = table.as_ref().map(|table| table.value(pos)).transpose();
            Ok(value.map_err(|trouble| ProbeError(trouble.to_string()))?.flatten())
        };
        let seek = Seek {
            hash: request.options.hash,
            threads: request.options.threads,
            limits: outplay_search::Limits { time: clock.rest(), ..outplay_search::Limits::NONE },
            known: table.is_some().then_some(&known),
        };
        let refused = || Trouble::method("a search is for games without dice", Method::Chance);
        let report = self.kernels().search(pos, seek, clock).ok_or_else(refused)??;
        let worth = Worth::found(report.answer, self.game().best_payoff());
        let mut answer = self.blank_answer(request, How::By(Method::Search), None, report.counts.nodes)?;
        (answer.counters, answer.depth) = (Some(report.counts), Some(report.depth));
        answer.answer = self.told(pos, worth);
        // A move that was not proved best is no advice.
        let best: Vec<AnyMove> = report.best.filter(|_| worth.is_settled()).into_iter().collect();
        answer.best = self.names(pos, &best);
        answer.probe_hits = table.is_some().then_some(report.counts.probe_hits);
        Ok(answer)
    }

    /// `solve --method proof`: win, draw or loss, with a written proof on request.
    fn solve_by_proof(&self, request: &SolveRequest, clock: &Deadline<'_>) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let Some(board) = self.game().board(&pos) else {
            let why = "the proof search is for games of lines on a board";
            return Err(Trouble::method(why, Method::Search));
        };
        clock.stage("proving", 0);
        let limits = outplay_proof::Limits {
            time: clock.rest(),
            bytes: request.options.memory / 2,
            proof: request.proof.is_some(),
            ..outplay_proof::Limits::default()
        };
        let found = outplay_proof::prove(&board, &limits, clock)?;
        let mut answer = self.blank_answer(request, How::By(Method::Proof), None, found.positions)?;
        answer.answer = self.told(&pos, between(found.low as i32 - 1, found.high as i32 - 1));
        answer.best = found.best.map(|cell| board.move_name(cell)).into_iter().collect();
        if let (Some(file), Some(proof)) = (&request.proof, &found.proof) {
            let why = |error| Trouble::unable(format!("cannot write {}: {error}", file.display()));
            std::fs::write(file, proof.to_string()).map_err(why)?;
            answer.proof = Some(file.display().to_string());
        }
        Ok(answer)
    }

    /// The proof of a position's value, written out as docs/proof-format.md has it.
    ///
    /// # Errors
    ///
    /// Bad input, a game of another kind, or a stop.
    pub fn prove(&self, place: &Place, options: &QueryOptions, watch: &dyn Watch) -> Result<Proved, Trouble> {
        let pos = self.locate(place)?;
        let Some(board) = self.game().board(&pos) else {
            return Err(Trouble::unable("the proof search is for games of lines on a board"));
        };
        let clock = Deadline::new(options.time, watch);
        let limits = outplay_proof::Limits {
            time: clock.rest(),
            bytes: options.memory / 2,
            proof: true,
            ..outplay_proof::Limits::default()
        };
        let found = outplay_proof::prove(&board, &limits, &clock)?;
        if watch.stopped() {
            return Err(Trouble::stopped());
        }
        Ok(Proved {
            game: self.spec(),
            position: self.game().write_position(&pos),
            answer: self.told(&pos, between(found.low as i32 - 1, found.high as i32 - 1)),
            nodes: found.positions,
            steps: found.proof.as_ref().map_or(0, |proof| proof.len()),
            proof: found.proof.map(|proof| proof.to_string()),
        })
    }

    /// Opens the game's table for writing, if values are to be stored.
    fn open_writer(&self, request: &SolveRequest) -> Result<Option<Writer>, Trouble> {
        let Some(data) = request.data() else { return Ok(None) };
        let numbering = self.numbering(self.most_explored(request.options.memory), &outplay_core::Quiet)?;
        Ok(Some(open_writer(data, self.identity(&numbering, request.values), request)?))
    }

    /// Answers from a table that is complete and undamaged. Nothing is written for it, not even a lock, so that a table
    /// on a disk that cannot be written is as good as any.
    pub(crate) fn answer_from_table(
        &self,
        sweeps: &dyn Sweeps,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<Option<SolveAnswer>, Trouble> {
        let Some(data) = request.data() else { return Ok(None) };
        let identity = self
            .identity(&self.numbering(self.most_explored(request.options.memory), watch)?, request.values);
        // Whoever writes the table will say what is wrong with it, or mend it.
        let Ok(table) = Table::open_as(data, &identity) else { return Ok(None) };
        watch.stage("checking the table", 0);
        if !table.complete() || table.check().is_err() {
            return Ok(None);
        }
        let summary = table.summary().and_then(|json| serde_json::from_value::<Summary>(json.clone()).ok());
        let Some(summary) = summary else { return Ok(None) };
        let tally = summary.tally();
        let value = |pos: &AnyPosition| Ok(sweeps.probe(&table, pos)?.map(Worth::Exact));
        let blank = self.blank_answer(request, How::Table, Some(&tally), 0)?;
        let mut answer = self.filled_by(request, &self.locate(&request.place)?, &value, blank)?;
        let (name, data) = (table.name().to_string(), data.display().to_string());
        answer.table = Some(Stored { name, data, bytes: table.bytes(), found: true });
        Ok(Some(answer))
    }

    fn finish(&self, writer: Writer, tally: &Tally, request: &SolveRequest) -> Result<Stored, Trouble> {
        let stored = stored(&writer, request.data().unwrap_or_else(|| Path::new("")))?;
        writer.finish(Summary::of(tally).json()?)?;
        Ok(stored)
    }

    pub(crate) fn blank_answer(
        &self,
        request: &SolveRequest,
        how: How,
        tally: Option<&Tally>,
        nodes: u64,
    ) -> Result<SolveAnswer, Trouble> {
        let game = self.game();
        let pos = self.locate_if_any(&request.place)?;
        let timed = request.values == Values::Distance;
        Ok(SolveAnswer {
            game: game.spec(),
            method: how,
            position: pos.as_ref().map(|pos| game.write_position(pos)),
            to_move: pos.as_ref().map(|pos| game.turn(pos)),
            answer: if pos.is_some() { self.unknown() } else { Answer::None },
            score: None,
            best: Vec::new(),
            positions: tally.map(Counts::of),
            by_turn: tally.map(TurnCounts::of),
            merged: tally.is_some_and(|tally| tally.merged),
            longest: tally.filter(|_| timed).map(LongestBySide::of),
            nodes,
            counters: None,
            depth: None,
            levels: None,
            sweeps: None,
            colourings: None,
            table: None,
            proof: None,
            probe_hits: None,
            settled: None,
            phases: None,
            notes: Vec::new(),
        })
    }

    /// An answer with the value of a position and its best moves, from somebody who knows all values.
    pub(crate) fn filled(
        &self,
        request: &SolveRequest,
        pos: &AnyPosition,
        value: &WorthOf<'_>,
        blank: SolveAnswer,
    ) -> Result<SolveAnswer, Trouble> {
        self.filled_by(request, pos, &|pos| value(pos), blank)
    }

    /// The same from somebody whom only one thread may ask.
    fn filled_by(
        &self,
        _request: &SolveRequest,
        pos: &AnyPosition,
        value: &dyn Fn(&AnyPosition) -> Result<Option<Worth>, Trouble>,
        blank: SolveAnswer,
    ) -> Result<SolveAnswer, Trouble> {
        let game = self.game();
        let apart = || {
            let pos = game.write_position(pos);
            let why =
                format!("play from the start never comes to `{pos}`, so its value is not among those found");
            Trouble::method(why, Method::Search)
        };
        let worth = value(pos)?.ok_or_else(apart)?;
        let turn = game.turn(pos);
        let mut best: Vec<(AnyMove, Worth)> = Vec::new();
        for mv in game.list(pos).filter(|_| turn != Turn::Chance) {
            let next = game.play(pos, mv);
            let Some(found) = value(&next)? else { continue };
            let found = found.before(game.turn(&next) == turn);
            match best.first().map(|(_, top)| compare(found, *top, turn)) {
                Some(std::cmp::Ordering::Less) => {}
                Some(std::cmp::Ordering::Equal) => best.push((mv, found)),
                _ => best = vec![(mv, found)],
            }
        }
        let best: Vec<AnyMove> = best.into_iter().map(|(mv, _)| mv).collect();
        Ok(SolveAnswer {
            answer: self.told(pos, worth),
            score: self.score(pos, worth),
            best: self.names(pos, &best),
            ..blank
        })
    }
}

/// Opens a table to write it, alone or with the ranks that solve together.
pub(crate) fn open_writer(
    data: &Path,
    identity: Identity,
    request: &SolveRequest,
) -> Result<Writer, Trouble> {
    Ok(match request.crew() {
        Some(crew) => Writer::open_together(data, identity, crew)?,
        None => Writer::open(data, identity)?,
    })
}

/// What is said about a table that is about to be completed; of ranks only the first can see its files.
pub(crate) fn stored(writer: &Writer, data: &Path) -> Result<Stored, Trouble> {
    let first = writer.crew().is_none_or(|crew| crew.rank() == 0);
    let bytes = if first { writer.table()?.bytes() } else { 0 };
    Ok(Stored { name: writer.name().to_string(), data: data.display().to_string(), bytes, found: false })
}

/// Which of two moves is better for the player who makes them.
fn compare(a: Worth, b: Worth, turn: Turn) -> std::cmp::Ordering {
    match (a, b) {
        (Worth::Exact(a), Worth::Exact(b)) => a.cmp(&b),
        (Worth::Mean(a), Worth::Mean(b)) => {
            let (a, b) = if turn == Turn::Second { (-a, -b) } else { (a, b) };
            if (a - b).abs() <= EQUAL { std::cmp::Ordering::Equal } else { a.total_cmp(&b) }
        }
        _ => std::cmp::Ordering::Equal,
    }
}

impl SolveRequest {
    /// A value without its distance, where distances were not asked for.
    pub(crate) fn told(&self, value: Value) -> Value {
        let decided = value.payoff() != 0;
        if decided && self.values == Values::Wdl { Value::untimed(value.payoff()) } else { value }
    }

    pub(crate) fn told_worth(&self, worth: Worth) -> Worth {
        if let Worth::Exact(value) = worth { Worth::Exact(self.told(value)) } else { worth }
    }
}
