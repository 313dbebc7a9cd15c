//! Values of single positions: the connect-k solver, the proof search and the generic engine.

use crate::answers::{Answer, MoveAnswer, QueryAnswer, SolveAnswer};
use crate::deadline::Deadline;
use crate::entry::Entry;
use crate::handle::{QueryOptions, SolveRequest};
use crate::{Trouble, boards, openings};
use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{Content, Game, LineBoard, Notation, Probe, ProbeError, Turn, Value, Verdict, Watch};
use outplay_search::{Engine, Options, Report};
use outplay_table::Values;
use std::time::{Duration, Instant};

/// Entries of the connect-k solver's table that fit in so many bytes: wide boards need twice as many.
pub(crate) fn entries(board: &LineBoard, bytes: u64) -> usize {
    let each = if board.width * (board.height + 1) > 64 { 16 } else { 8 };
    (bytes / each) as usize
}

/// Cells of the largest board that the proof search takes.
pub(crate) const PROVABLE: usize = 384;

/// Positions of the largest board whose moves are valued by solving each of them whole.
pub(crate) const WHOLE: u128 = 200_000_000;

/// The same where a whole line of best play is wanted too.
const WHOLE_LINE: u128 = 3_000_000;

/// Moves that are listed although nothing is known about them.
const LISTED: usize = 1000;

/// A function that knows values of positions.
pub(crate) type ValueOf<'a, G> = dyn Fn(&<G as Game>::Position) -> Result<Option<Value>, Trouble> + Sync + 'a;

/// A function that knows values, as a source that the engine can ask.
pub(crate) struct Asked<'a, G: Game>(pub(crate) &'a ValueOf<'a, G>);

impl<G: Game> Probe<G> for Asked<'_, G> {
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
        (self.0)(pos).map_err(|error| ProbeError(error.to_string()))
    }
}

/// A time limit that several searches share.
struct Budget {
    began: Instant,
    time: Option<Duration>,
}

impl Budget {
    fn new(time: Option<Duration>) -> Budget {
        Budget { began: Instant::now(), time }
    }

    fn is_used_up(&self) -> bool {
        self.rest().is_some_and(|rest| rest.is_zero())
    }

    fn rest(&self) -> Option<Duration> {
        self.time.map(|time| time.saturating_sub(self.began.elapsed()))
    }
}

/// The score's sign, as bounds of a payoff.
fn bounded(low: i32, high: i32) -> Answer {
    Answer::unknown(low.signum(), high.signum())
}

/// A board after a stone in a column; `None` if the column is full.
fn after(board: &LineBoard, column: usize) -> Option<LineBoard> {
    let mut rows = board.floor(column)..board.height;
    let row = rows.find(|&row| board.cells[board.cell(column, row)] == Content::Empty)?;
    let mut next = board.clone();
    let cell = next.cell(column, row);
    next.cells[cell] = if board.turn == Turn::First { Content::First } else { Content::Second };
    next.turn = board.turn.other();
    Some(next)
}

/// Columns that can take a stone, those in the middle first: they are best most often.
fn columns(board: &LineBoard) -> Vec<usize> {
    let mut columns: Vec<usize> = (0..board.width).filter(|&column| after(board, column).is_some()).collect();
    columns.sort_by_key(|&column| (2 * column + 1).abs_diff(board.width));
    columns
}

/// Columns as moves are written.
fn columns_text(columns: &[usize]) -> Vec<String> {
    columns.iter().map(|column| (column + 1).to_string()).collect()
}

impl<G: Game + Notation> Entry<G> {
    /// The board of a position, if the game is one of falling stones that the connect-k solver knows.
    pub(crate) fn connect_board(&self, pos: &G::Position) -> Option<LineBoard> {
        let board = self.board.map(|board| board(&self.game, pos))?;
        outplay_connect::check(&board).is_ok().then_some(board)
    }

    /// The board of a position, if the proof search knows its kind.
    pub(crate) fn proof_board(&self, pos: &G::Position) -> Option<LineBoard> {
        let board = self.board.map(|board| board(&self.game, pos))?;
        let fits = board.cells.len() <= PROVABLE;
        (!board.gravity && !board.misere && fits).then_some(board)
    }

    /// `solve --method search`: the exact value of one position.
    pub(crate) fn solve_by_search(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        if let Some(dice) = self.dice.as_deref() {
            return self.solve_by_star2(dice, request, watch);
        }
        let pos = self.locate(&request.place)?;
        watch.stage("searching", 0);
        let Some(board) = self.connect_board(&pos) else { return self.solve_by_engine(&pos, request, watch) };
        let budget = Budget::new(request.time);
        let mut solver = Solver::new(entries(&board, request.hash));
        let limits = || Limits { nodes: None, time: budget.rest() };
        let found = solver.solve(&board, Depth::Score, limits(), watch, request.threads)?;
        let mut nodes = found.nodes;
        let mut answer = self.blank_answer(request, "search", None, 0)?;
        let mut best = Vec::new();
        match found.score() {
            None => answer.answer = bounded(found.low, found.high),
            Some(score) => {
                answer.answer = self.answer(&pos, outplay_connect::value(score, found.left));
                answer.score = Some(score);
                // A best move is one after which the opponent cannot do better than -score.
                for column in columns(&board) {
                    let Some(next) = after(&board, column) else { continue };
                    let reply =
                        solver.solve(&next, Depth::AtLeast(1 - score), limits(), watch, request.threads)?;
                    nodes += reply.nodes;
                    if !reply.stopped && reply.high <= -score {
                        best.push(column);
                    }
                }
            }
        }
        best.sort_unstable();
        answer.best = columns_text(&best);
        answer.nodes = nodes;
        Ok(answer)
    }

    /// The generic engine, for games that no special search knows. It asks the game's table, if there is one.
    fn solve_by_engine(
        &self,
        pos: &G::Position,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let table = request.data.as_ref().map(|data| self.find_table(data, None)).transpose()?.flatten();
        let value = |pos: &G::Position| table.as_ref().map_or(Ok(None), |table| self.probe(table, pos));
        let asked = Asked(&value);
        let probe = table.is_some().then_some(&asked);
        let report = self.report(pos, probe, request, watch)?;
        let mut answer = self.blank_answer(request, "search", None, report.counts.nodes)?;
        self.judge(pos, &report, &mut answer);
        answer.probe_hits = table.is_some().then_some(report.counts.probe_hits);
        Ok(answer)
    }

    pub(crate) fn engine_options(&self, hash: u64, threads: usize) -> Options {
        let each = (2 * std::mem::size_of::<G::Position>() + 32) as u64;
        let table = (hash / each).clamp(1 << 10, 1 << 30) as usize;
        // Games with loops have cheap symmetries and positions that come back in many ways.
        let symmetry = self.loop_index().is_some();
        Options { table: table.next_power_of_two() / 2, threads, symmetry, ..Options::default() }
    }

    /// What the engine finds about a position, asking `probe` about all others.
    pub(crate) fn report(
        &self,
        pos: &G::Position,
        probe: Option<&Asked<'_, G>>,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<Report<G::Move>, Trouble> {
        let limits = outplay_search::Limits { time: request.time, ..outplay_search::Limits::NONE };
        let mut engine = Engine::new(&self.game, self.engine_options(request.hash, request.threads));
        if let Some(probe) = probe {
            engine = engine.probe(probe);
        }
        Ok(engine.search(pos, limits, watch)?)
    }

    pub(crate) fn search_answer(&self, pos: &G::Position, answer: outplay_search::Answer) -> Answer {
        match answer {
            outplay_search::Answer::Exact(value) => self.answer(pos, value),
            outplay_search::Answer::Payoff(payoff) => Answer::exact(Value::untimed(payoff), None),
            outplay_search::Answer::Unknown { low, high, .. } => Answer::unknown(low.payoff(), high.payoff()),
        }
    }

    /// Fills in what a search found.
    pub(crate) fn judge(&self, pos: &G::Position, report: &Report<G::Move>, answer: &mut SolveAnswer) {
        answer.answer = self.search_answer(pos, report.answer);
        // A move that was not proved best is no advice.
        let proved = !matches!(report.answer, outplay_search::Answer::Unknown { .. });
        answer.best =
            report.best.filter(|_| proved).map(|mv| self.game.write_move(pos, mv)).into_iter().collect();
    }

    /// `solve --method proof`: win, draw or loss, with a written proof on request.
    pub(crate) fn solve_by_proof(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        let Some(to_board) = self.board else {
            let why = "the proof search is for games of lines on a board; try `--method search`";
            return Err(Trouble::Unable(why.into()));
        };
        watch.stage("proving", 0);
        let limits = outplay_proof::Limits {
            time: request.time,
            bytes: request.memory / 2,
            proof: request.proof.is_some(),
            ..outplay_proof::Limits::default()
        };
        let found = outplay_proof::prove(&to_board(&self.game, &pos), &limits, watch)?;
        let mut answer = self.blank_answer(request, "proof", None, found.positions)?;
        let payoff = |verdict: Verdict| verdict as i32 - 1;
        match found.verdict() {
            None => answer.answer = Answer::unknown(payoff(found.low), payoff(found.high)),
            Some(verdict) => answer.answer = self.answer(&pos, Value::untimed(payoff(verdict))),
        }
        let height = to_board(&self.game, &pos).height;
        let name = |cell: usize| outplay_core::cell_name(cell / height, cell % height);
        answer.best = found.best.map(name).into_iter().collect();
        if let (Some(file), Some(proof)) = (&request.proof, &found.proof) {
            let why = |error| Trouble::Unable(format!("cannot write {}: {error}", file.display()));
            std::fs::write(file, proof.to_string()).map_err(why)?;
            answer.proof = Some(file.display().to_string());
        }
        Ok(answer)
    }

    /// The values of all moves of a board of falling stones, from the book or by search.
    pub(crate) fn query_by_connect(
        &self,
        pos: &G::Position,
        board: &LineBoard,
        blank: QueryAnswer,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble> {
        let budget = Budget::new(options.time);
        let limits = || Limits { nodes: None, time: budget.rest() };
        // Another thread has the solver only if somebody asks two questions at once; then each has its own.
        let mut kept = self.solver.try_lock().ok();
        let mut own = None;
        let slot = kept.as_deref_mut().unwrap_or(&mut own);
        let solver = slot.get_or_insert_with(|| Solver::new(entries(board, options.hash)));
        let book = openings::book(board);
        let mut from_book = true;
        let mut moves = Vec::new();
        for column in columns(board) {
            let Some(next) = after(board, column) else { continue };
            let bounds = match book.and_then(|book| book.probe(&next)) {
                Some(score) => (-score, -score),
                None => {
                    from_book = false;
                    let reply = solver.solve(&next, Depth::Score, limits(), watch, options.threads)?;
                    (-reply.high, -reply.low)
                }
            };
            found(&self.column_answer(pos, board, column, bounds));
            moves.push((column, bounds));
        }
        let known =
            moves.iter().map(|(_, (low, _))| low).max() == moves.iter().map(|(_, (_, high))| high).max();
        let line = match known && !from_book {
            true => solver.principal_variation(board, limits(), watch, options.threads)?,
            false => Vec::new(),
        };
        let source = if from_book { "book" } else { "search" };
        Ok(self.column_answers(pos, board, moves, QueryAnswer { source, line: columns_text(&line), ..blank }))
    }

    /// The values of all moves of a board of falling stones, if the book knows them.
    pub(crate) fn query_by_book(
        &self,
        pos: &G::Position,
        board: &LineBoard,
        blank: &QueryAnswer,
    ) -> Option<QueryAnswer> {
        let book = openings::book(board)?;
        let mut moves = Vec::new();
        for column in columns(board) {
            let score = -book.probe(&after(board, column)?)?;
            moves.push((column, (score, score)));
        }
        Some(self.column_answers(pos, board, moves, QueryAnswer { source: "book", ..blank.clone() }))
    }

    /// One column whose score lies within bounds.
    fn column_answer(
        &self,
        pos: &G::Position,
        board: &LineBoard,
        column: usize,
        (low, high): (i32, i32),
    ) -> MoveAnswer {
        let left = (board.playable_cells() - board.stones()) as u32;
        let (answer, score) = match low == high {
            true => (self.answer(pos, outplay_connect::value(low, left)), Some(low)),
            false => (bounded(low, high), None),
        };
        MoveAnswer { mv: (column + 1).to_string(), answer, score }
    }

    /// The answer that follows from bounds of each column.
    fn column_answers(
        &self,
        pos: &G::Position,
        board: &LineBoard,
        mut columns: Vec<(usize, (i32, i32))>,
        blank: QueryAnswer,
    ) -> QueryAnswer {
        columns.sort_unstable();
        let low = columns.iter().map(|(_, (low, _))| *low).max().unwrap_or(0);
        let high = columns.iter().map(|(_, (_, high))| *high).max().unwrap_or(0);
        let moves: Vec<MoveAnswer> =
            columns.iter().map(|&(column, bounds)| self.column_answer(pos, board, column, bounds)).collect();
        let best = moves.iter().filter(|mv| low == high && mv.score == Some(low));
        let best = best.map(|mv| mv.mv.clone()).collect();
        // The position is worth what its best column is.
        let MoveAnswer { answer, score, .. } = self.column_answer(pos, board, 0, (low, high));
        QueryAnswer { answer, score, best, moves, ..blank }
    }

    /// The verdicts of all moves of a board without gravity, proved one by one.
    pub(crate) fn query_by_proof(
        &self,
        pos: &G::Position,
        blank: QueryAnswer,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble> {
        /// Longer than this nobody waits for a query unless they said so.
        const PATIENCE: Duration = Duration::from_secs(60);
        let budget = Budget::new(Some(options.time.unwrap_or(PATIENCE)));
        let prove = |pos: &G::Position| -> Result<(i32, i32), Trouble> {
            let Some(board) = self.proof_board(pos).filter(|_| !budget.is_used_up() && !watch.stopped())
            else {
                return Ok((-1, 1));
            };
            let time = budget.rest();
            let limits =
                outplay_proof::Limits { time, bytes: options.memory / 2, ..outplay_proof::Limits::default() };
            let found = outplay_proof::prove(&board, &limits, watch)?;
            Ok((found.low as i32 - 1, found.high as i32 - 1))
        };
        let verdict = |(low, high): (i32, i32)| match low == high {
            true => Answer::exact(Value::untimed(low), self.game.tie_plies(pos)),
            false => Answer::unknown(low, high),
        };
        let (low, high) = prove(pos)?;
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut answers = Vec::new();
        for mv in moves {
            let (least, most) = prove(&self.game.play(pos, mv))?;
            let answer = verdict((-most, -least));
            let answer = MoveAnswer { mv: self.game.write_move(pos, mv), answer, score: None };
            found(&answer);
            answers.push(answer);
        }
        let position = verdict((low, high));
        let best = answers.iter().filter(|mv| low == high && mv.answer.value == position.value);
        let best = best.map(|mv| mv.mv.clone()).collect();
        Ok(QueryAnswer { answer: position, best, moves: answers, source: "search", ..blank })
    }

    /// Legal moves of which nothing is known.
    pub(crate) fn unknown_moves(&self, pos: &G::Position) -> Vec<MoveAnswer> {
        let best = self.game.best_payoff();
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let unknown = |mv: G::Move| {
            let answer = Answer::unknown(-best, best);
            MoveAnswer { mv: self.game.write_move(pos, mv), answer, score: None }
        };
        if moves.len() > LISTED { Vec::new() } else { moves.into_iter().map(unknown).collect() }
    }

    /// The values of all moves of a small board of lines: each is solved whole, which takes milliseconds.
    pub(crate) fn query_by_planes(
        &self,
        pos: &G::Position,
        blank: &QueryAnswer,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<Option<QueryAnswer>, Trouble> {
        let Some(to_board) = self.board else { return Ok(None) };
        let Some(slots) = self.plane_slots(pos, options).filter(|&slots| slots <= WHOLE) else {
            return Ok(None);
        };
        let planes = boards::options(Values::Distance, options.threads, options.memory, None);
        let planes = outplay_dense::Options { counts: false, ..planes };
        let quiet = Deadline::new(None, watch).silent();
        let value = |pos: &G::Position| -> Result<Option<Value>, Trouble> {
            if let Some(payoff) = self.game.outcome(pos) {
                return Ok(Some(Value::new(self.game.turn(pos).sees(payoff), 0)));
            }
            Ok(boards::dense(&to_board(&self.game, pos), &planes, None, &quiet)?.0.value)
        };
        let turn = self.game.turn(pos);
        let (mut moves, mut values, mut answers) = (Vec::new(), Vec::new(), Vec::new());
        self.game.moves(pos, &mut moves);
        for mv in moves {
            let next = self.game.play(pos, mv);
            let Some(value) = value(&next)? else { return Ok(None) };
            let value = value.before(self.game.turn(&next) == turn);
            let answer = MoveAnswer {
                mv: self.game.write_move(pos, mv),
                answer: self.answer(pos, value),
                score: self.score(pos, value),
            };
            found(&answer);
            values.push((mv, value));
            answers.push(answer);
        }
        let Some(best) = values.iter().map(|(_, value)| *value).max() else { return Ok(None) };
        Ok(Some(QueryAnswer {
            answer: self.answer(pos, best),
            score: self.score(pos, best),
            best: self.best(pos, &values),
            moves: answers,
            line: if slots <= WHOLE_LINE { self.line(pos, &value)? } else { Vec::new() },
            ..blank.clone()
        }))
    }
}
