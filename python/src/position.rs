//! `outplay.Position`, `outplay.Move` and `outplay.Explanation`: a position, its moves, and the reasons for its value.

use crate::game::{Game, seconds};
use crate::number::natural;
use crate::pickle::{self, PickleParts};
use crate::spell::spelled;
use crate::{actions, errors, svg, work};
use numpy::{PyArray2, PyArrayMethods};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Chance, Content, Game as _, Native, Notation, Turn};
use outplay_runtime::{Deadline, NoMonitor};
use outplay_workbench::{Answer, ChooseRequest, MoveAnswer, PositionRef, QueryAnswer, Source, Trouble};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use rustc_hash::FxHashSet;
use std::hash::{Hash, Hasher};
use std::sync::atomic::Ordering;
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Time limit of a lookup on the calling thread, which Ctrl-C cannot interrupt.
const LOOKUP: Duration = Duration::from_millis(20);

/// A position of a game. Values are computed on first use and cached.
#[pyclass(frozen, module = "outplay", eq, hash)]
pub(crate) struct Position {
    pub(crate) game: Game,
    pub(crate) pos: AnyPosition,
    answer: OnceLock<Arc<QueryAnswer>>,
}

/// Positions are equal if they are the same position of the same game.
impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.pos == other.pos && self.game == other.game
    }
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.game.hash(state);
        self.pos.hash(state);
    }
}

impl Position {
    pub(crate) fn new(game: Game, pos: AnyPosition) -> Position {
        Position { game, pos, answer: OnceLock::new() }
    }

    /// Value, best moves and the value of every move.
    fn answer(&self, py: Python<'_>) -> PyResult<Arc<QueryAnswer>> {
        if let Some(answer) = self.answer.get() {
            return Ok(answer.clone());
        }
        if let Some(answer) = self.answer_from_table(py)? {
            return Ok(self.answer.get_or_init(|| Arc::new(answer)).clone());
        }
        let game = self.game.explored(py, None)?;
        let place = PositionRef::At(self.pos.clone());
        let answer = Arc::new(game.run(py, move |entry, session, monitor| {
            outplay_workbench::query(session, entry, &place, monitor)
        })?);
        self.note_source(&answer);
        Ok(self.answer.get_or_init(|| answer).clone())
    }

    /// The answer from an open table, on the calling thread: starting a thread takes longer than some lookups. `None`
    /// if the table does not suffice.
    fn answer_from_table(&self, py: Python<'_>) -> PyResult<Option<QueryAnswer>> {
        if !self.game.has_open_table.load(Ordering::Relaxed) {
            return Ok(None);
        }
        work::check(py)?;
        let (entry, session) = (&self.game.entry, &self.game.session);
        let place = PositionRef::At(self.pos.clone());
        let found = work::guarded(py, || {
            py.detach(|| {
                let clock = Deadline::new(Some(LOOKUP), &NoMonitor);
                outplay_workbench::known_answer(session, entry, &place, &clock)
            })
        })?;
        // An error is raised by the query that follows.
        Ok(found.ok().flatten().filter(|answer| matches!(answer.source, Source::Table | Source::Rules)))
    }

    /// Records that a table is open.
    fn note_source(&self, answer: &QueryAnswer) {
        if answer.source == Source::Table {
            self.game.has_open_table.store(true, Ordering::Relaxed);
        }
    }

    /// The same with other limits and with progress reports. An answer with unknown values is not cached.
    fn answer_within(
        &self,
        py: Python<'_>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Arc<QueryAnswer>> {
        let game = self.game.within(py, time)?;
        if let Some(answer) = self.answer.get().filter(|answer| time.is_none() || is_settled(answer)) {
            return Ok(answer.clone());
        }
        let progress = work::listener(py, progress)?;
        if let Some(answer) = self.answer_from_table(py)? {
            return Ok(self.answer.get_or_init(|| Arc::new(answer)).clone());
        }
        let game = game.explored(py, progress.as_ref())?;
        let place = PositionRef::At(self.pos.clone());
        let answer =
            Arc::new(game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
                outplay_workbench::query(session, entry, &place, monitor)
            })?);
        self.note_source(&answer);
        match is_settled(&answer) {
            true => Ok(self.answer.get_or_init(|| answer).clone()),
            false => Ok(answer),
        }
    }

    /// Calls the rules for the position, see [`Game::ask`].
    pub(crate) fn ask<T>(
        &self,
        py: Python<'_>,
        read: impl FnOnce(&AnyGame, &AnyPosition) -> T,
    ) -> PyResult<T> {
        self.game.ask(py, |game| read(game, &self.pos))
    }

    /// The position after a move in the game's notation.
    pub(crate) fn after(&self, py: Python<'_>, word: &str) -> PyResult<Position> {
        let next = self.ask(py, |game, pos| game.read_move(pos, word).map(|mv| game.play(pos, mv)))?;
        next.map(|pos| self.game.at(pos)).map_err(|error| errors::input(py, &error))
    }

    /// The position after a move given by Python, see [`Position::place_of`].
    pub(crate) fn after_move(&self, mv: &Bound<'_, PyAny>) -> PyResult<Position> {
        let place = self.place_of(mv)?;
        let pos = self.ask(mv.py(), |game, pos| game.play(pos, place))?;
        Ok(self.game.at(pos))
    }

    /// The number of the position in a game in Python.
    fn id(&self) -> Option<u32> {
        let rules = self.game.rules.as_ref()?;
        Some(*Native::new(rules.clone()).pos(&self.pos))
    }

    /// Parses a move given by Python: a word, or a move object of the rules.
    pub(crate) fn place_of(&self, mv: &Bound<'_, PyAny>) -> PyResult<AnyMove> {
        let py = mv.py();
        let read = |word: &str| {
            let read = self.ask(py, |game, pos| game.read_move(pos, word))?;
            read.map_err(|error| errors::input(py, &error))
        };
        if let Ok(given) = mv.cast::<Move>() {
            return read(&given.get().answer.mv);
        }
        if let (Some(rules), Some(id)) = (&self.game.rules, self.id()) {
            for place in self.ask(py, |game, pos| game.list(pos).collect::<Vec<_>>())? {
                if let Some(object) = rules.move_object(py, id, place.0 as usize)
                    && object.bind(py).eq(mv).unwrap_or(false)
                {
                    return Ok(place);
                }
            }
        }
        read(&mv.str()?.to_string())
    }

    pub(crate) fn svg(&self, py: Python<'_>, values: bool) -> PyResult<String> {
        let (scene, turn, outcome) =
            self.ask(py, |game, pos| (game.scene(pos), game.turn(pos), game.outcome(pos)))?;
        let spec = self.game.entry.spec();
        let mut caption = match outcome.map(i32::signum) {
            None => format!("{spec}: {turn} to move"),
            Some(0) => format!("{spec}: a tie"),
            Some(1) => format!("{spec}: first won"),
            Some(_) => format!("{spec}: second won"),
        };
        let answer = if values { Some(self.answer(py)?) } else { None };
        if let Some(value) =
            answer.as_ref().filter(|_| outcome.is_none()).and_then(|answer| answer.answer.value())
        {
            caption += &format!(", {value}");
        }
        let moves = answer.as_ref().map(|answer| answer.moves.as_slice()).unwrap_or_default();
        Ok(svg::draw(&scene, moves, &caption))
    }
}

#[pymethods]
impl Position {
    /// The game.
    #[getter]
    fn game(&self) -> Game {
        self.game.clone()
    }

    /// The position in the game's notation, one line.
    #[getter]
    fn text(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |game, pos| game.write_position(pos))
    }

    /// The position object of rules in Python; None for other games.
    #[getter]
    fn object(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.game.rules.as_ref()?.object(py, self.id()?)
    }

    /// The side to move: "first", "second" or "chance". Of a finished position: the side whose turn it would be.
    #[getter]
    fn turn(&self, py: Python<'_>) -> PyResult<&'static str> {
        self.ask(py, |game, pos| game.turn(pos).word())
    }

    /// The first player's payoff; None while the game is in progress.
    #[getter]
    fn outcome(&self, py: Python<'_>) -> PyResult<Option<i32>> {
        self.ask(py, |game, pos| game.outcome(pos))
    }

    /// Whether the game is over.
    #[getter]
    fn over(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.outcome(py)?.is_some())
    }

    /// The legal moves as words, without their values.
    #[getter]
    fn legal(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.ask(py, |game, pos| game.list(pos).map(|mv| game.write_move(pos, mv)).collect())
    }

    /// The same as `legal`, by the name that python-chess uses.
    #[getter]
    fn legal_moves(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        self.legal(py)
    }

    /// The action numbers of the legal moves, in the order of `legal`: the column on boards with gravity, the cell (row
    /// by row from the top) on other boards, and the move's place in `legal` in other games.
    fn legal_actions(&self, py: Python<'_>) -> PyResult<Vec<u32>> {
        Ok(actions::numbered(py, self)?.into_iter().map(|(number, _)| number).collect())
    }

    /// The action number of a move.
    fn action(&self, r#move: &Bound<'_, PyAny>) -> PyResult<u32> {
        let py = r#move.py();
        let wanted = self.place_of(r#move)?;
        let found = actions::numbered(py, self)?.into_iter().find(|(_, mv)| *mv == wanted);
        found.map(|(number, _)| number).ok_or_else(|| {
            errors::typed(py, "InputError", &format!("the move {} is not legal", r#move), None)
        })
    }

    /// The move with an action number, as a word.
    fn action_to_string(&self, py: Python<'_>, action: i64) -> PyResult<String> {
        let mv = actions::move_of(py, self, action)?;
        self.ask(py, |game, pos| game.write_move(pos, mv))
    }

    /// The position after the move with an action number.
    fn child(&self, py: Python<'_>, action: i64) -> PyResult<Position> {
        let mv = actions::move_of(py, self, action)?;
        Ok(self.game.at(self.ask(py, |game, pos| game.play(pos, mv))?))
    }

    /// The same as `over`, as a method.
    fn is_terminal(&self, py: Python<'_>) -> PyResult<bool> {
        self.over(py)
    }

    /// The same as `over`, as a method.
    fn is_over(&self, py: Python<'_>) -> PyResult<bool> {
        self.over(py)
    }

    /// Whether chance is to move.
    fn is_chance_node(&self, py: Python<'_>) -> PyResult<bool> {
        self.ask(py, |game, pos| game.turn(pos) == Turn::Chance && game.outcome(pos).is_none())
    }

    /// The outcomes at a chance node as pairs of an action number and a probability; empty where a player moves.
    fn chance_outcomes(&self, py: Python<'_>) -> PyResult<Vec<(u32, f64)>> {
        let numbers = actions::numbered(py, self)?;
        let mut odds = Vec::new();
        self.ask(py, |game, pos| {
            if game.turn(pos) == Turn::Chance && game.outcome(pos).is_none() {
                game.outcomes(pos, &mut odds);
            }
        })?;
        let number = |mv| numbers.iter().find(|(_, known)| *known == mv).map(|(number, _)| *number);
        Ok(odds.into_iter().filter_map(|(mv, odds)| Some((number(mv)?, odds))).collect())
    }

    /// The player to move: 0, 1, -1 for chance, or -4 if the game is over, as in OpenSpiel.
    fn current_player(&self, py: Python<'_>) -> PyResult<i32> {
        self.ask(py, |game, pos| match (game.outcome(pos), game.turn(pos)) {
            (Some(_), _) => -4,
            (None, Turn::First) => 0,
            (None, Turn::Second) => 1,
            (None, Turn::Chance) => -1,
        })
    }

    /// The payoffs of both players; zeros while the game is in progress.
    fn returns(&self, py: Python<'_>) -> PyResult<[f64; 2]> {
        let payoff = f64::from(self.outcome(py)?.unwrap_or(0));
        // Not -0.0.
        Ok([payoff, 0.0 - payoff])
    }

    /// The position as a float32 array for a player (0 or 1; by default the player to move). For games of k in a row:
    /// planes of shape (rows, columns, 2) with the player's own stones first. For other games: 1 if it is the player's
    /// turn, followed by the first 160 bytes of the position's text, divided by 255.
    #[pyo3(signature = (player=None))]
    fn observation_tensor<'py>(
        slf: &Bound<'py, Self>,
        player: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        slf.py().import("outplay._encoding")?.call_method1("tensor", (slf, player))
    }

    /// The legal moves as objects of the rules in Python; words for other games.
    #[getter]
    fn choices(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        if let (Some(rules), Some(id)) = (&self.game.rules, self.id()) {
            let found: Option<Vec<_>> = self.ask(py, |game, pos| {
                game.list(pos).map(|mv| rules.move_object(py, id, mv.0 as usize)).collect()
            })?;
            if let Some(found) = found {
                return Ok(found);
            }
        }
        self.legal(py)?.into_iter().map(|word| Ok(word.into_pyobject(py)?.into_any().unbind())).collect()
    }

    /// The outcomes at a chance node, with probabilities; empty where a player moves.
    #[getter]
    fn rolls(&self, py: Python<'_>) -> PyResult<Vec<(String, f64)>> {
        self.ask(py, |game, pos| {
            let mut odds = Vec::new();
            if game.turn(pos) == Turn::Chance {
                game.outcomes(pos, &mut odds);
            }
            odds.into_iter().map(|(mv, odds)| (game.write_move(pos, mv), odds)).collect()
        })
    }

    /// Computes the value of the position and of its moves, and returns an `outplay.Evaluation`. Values that were found
    /// are cached: the attributes of the position then cost nothing.
    ///
    /// - `time`: time limit in seconds; by default that of the game, 60 s.
    /// - `progress`: True, False, None (a bar on a terminal) or a function of (stage, done, total).
    #[pyo3(signature = (*, time=None, progress=None))]
    fn evaluate<'py>(
        &self,
        py: Python<'py>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let answer = self.answer_within(py, time, progress)?;
        let evaluated = self.game.at(self.pos.clone());
        let _ = evaluated.answer.set(answer);
        py.import("outplay._evaluation")?.call_method1("evaluation", (evaluated,))
    }

    /// "win", "draw" or "loss" for the player to move, "unknown" if it was not found within the limits; None in games
    /// with chance.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let answer = self.answer(py)?;
        Ok(match &answer.answer {
            outplay_workbench::Answer::Unknown { .. } => Some("unknown"),
            answer => answer.verdict().map(|verdict| verdict.word()),
        })
    }

    /// The payoff of the player to move; None if it is unknown, or in games with chance.
    #[getter]
    fn payoff(&self, py: Python<'_>) -> PyResult<Option<i32>> {
        Ok(self.answer(py)?.answer.value().map(|value| value.payoff()))
    }

    /// Plies to the end under best play, where they are known.
    #[getter]
    fn distance(&self, py: Python<'_>) -> PyResult<Option<u32>> {
        Ok(self.answer(py)?.answer.distance())
    }

    /// The lowest and highest payoff that is still possible, if the value is unknown.
    #[getter]
    fn bounds(&self, py: Python<'_>) -> PyResult<Option<(i32, i32)>> {
        Ok(self.answer(py)?.answer.bounds().map(|[low, high]| (low, high)))
    }

    /// Whether the value is a draw by repetition: neither player can force an end.
    #[getter]
    fn repetition(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.answer(py)?.answer.is_repetition())
    }

    /// Games with chance: the probability that the first player wins or, where payoffs exceed 1, the mean payoff.
    #[getter]
    fn expected(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.answer(py)?.answer.expected())
    }

    /// Games with chance: the first player's mean payoff.
    #[getter]
    fn mean(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.answer(py)?.answer.mean())
    }

    /// The connect-k score, where the game has one.
    #[getter]
    fn score(&self, py: Python<'_>) -> PyResult<Option<i32>> {
        Ok(self.answer(py)?.score)
    }

    /// The best moves as words.
    #[getter]
    fn best(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.answer(py)?.best.clone())
    }

    /// Every move with its value.
    #[getter]
    fn moves(&self, py: Python<'_>) -> PyResult<Vec<Move>> {
        Ok(self.answer(py)?.moves.iter().map(|answer| Move { answer: answer.clone() }).collect())
    }

    /// One line of best play.
    #[getter]
    fn line(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.answer(py)?.line.clone())
    }

    /// The source of the value: "rules", "theory", "table", "book", "kept" or "search".
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("{:?}", self.answer(py)?.source).to_lowercase())
    }

    /// Notes on limits that prevented an answer.
    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.answer(py)?.notes.clone())
    }

    /// Plays moves, given as words or as objects of the rules, and returns the position after them.
    #[pyo3(signature = (*moves))]
    fn play(&self, moves: &Bound<'_, PyTuple>) -> PyResult<Position> {
        moves.iter().try_fold(self.game.at(self.pos.clone()), |pos, mv| pos.after_move(&mv))
    }

    /// Returns the move that a player such as "alphabeta:depth=4" chooses at this position.
    ///
    /// - `seed`: random seed; a fresh one by default.
    /// - `rng`: a generator that draws the seed, `random.Random` or `numpy.random.Generator`.
    /// - `time`: time limit in seconds, after which `LimitError` is raised; none by default.
    /// - `progress`: as in `evaluate`.
    #[pyo3(signature = (player, *, seed=None, rng=None, time=None, progress=None))]
    fn choose(
        &self,
        py: Python<'_>,
        player: String,
        seed: Option<&Bound<'_, PyAny>>,
        rng: Option<&Bound<'_, PyAny>>,
        time: Option<f64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<String> {
        let seed: u64 = natural(&py.import("outplay._random")?.call_method1("drawn", (seed, rng))?)?;
        let place = PositionRef::At(self.pos.clone());
        let progress = work::listener(py, progress)?;
        let time = time.map(|time| seconds(py, time)).transpose()?;
        let answer = self.game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
            let mut request = ChooseRequest::default();
            request.place = place;
            request.player = player;
            request.seed = seed;
            request.files = true;
            let clock = Deadline::new(time, monitor);
            outplay_workbench::choose(session, entry, &request, &clock).map_err(|trouble| match time {
                Some(time) if trouble.is_stop() && clock.passed() && !monitor.stopped() => {
                    let (player, time) = (request.player, time.as_secs_f64());
                    let why = format!(
                        "`{player}` did not choose a move within {time} s; allow more with `time=seconds`"
                    );
                    Trouble::Limits(why)
                }
                _ => trouble,
            })
        })?;
        Ok(answer.mv)
    }

    /// Explains the value: an object with `sentence`, `marks` and `line`. `time` and `progress` are as in `evaluate`.
    #[pyo3(signature = (*, time=None, progress=None))]
    fn why(&self, py: Python<'_>, time: Option<f64>, progress: Option<Py<PyAny>>) -> PyResult<Explanation> {
        let progress = work::listener(py, progress)?;
        let game = self.game.within(py, time)?.explored(py, progress.as_ref())?;
        let place = PositionRef::At(self.pos.clone());
        let why = game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
            outplay_teach::why(session, entry, &place, monitor)
        })?;
        Ok(Explanation {
            dict: spelled(py, &why)?,
            sentence: why.sentence,
            line: why.line.into_iter().map(|mv| mv.mv).collect(),
        })
    }

    /// Returns the orbit of the position: all positions equal up to symmetry, itself included, each once.
    fn symmetric(&self, py: Python<'_>) -> PyResult<Vec<Position>> {
        let mut images = Vec::new();
        self.ask(py, |game, pos| game.symmetric(pos, &mut images))?;
        let mut met = FxHashSet::default();
        images.retain(|image| met.insert(image.clone()));
        Ok(images.into_iter().map(|pos| self.game.at(pos)).collect())
    }

    /// The board as an array of int8, top row first: 0 empty, 1 first player, 2 second player, 3 obstacle. None for
    /// games other than k in a row.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i8>>>> {
        let Some(board) = self.ask(py, |game, pos| game.board(pos))? else { return Ok(None) };
        let cells = (0..board.height).rev().flat_map(|row| (0..board.width).map(move |column| (column, row)));
        let code = |(column, row): (usize, usize)| match board.cells[board.cell(column, row)] {
            Content::Empty => 0i8,
            Content::First => 1,
            Content::Second => 2,
            Content::Blocked => 3,
        };
        let flat = numpy::PyArray1::from_vec(py, cells.map(code).collect());
        flat.reshape([board.height, board.width]).map(Some)
    }

    /// Returns the complete answer as a dictionary, with the fields that `outplay query --json` prints. `time` and
    /// `progress` are as in `evaluate`.
    #[pyo3(signature = (*, time=None, progress=None))]
    fn query(&self, py: Python<'_>, time: Option<f64>, progress: Option<Py<PyAny>>) -> PyResult<Py<PyAny>> {
        spelled(py, &*self.answer_within(py, time, progress)?)
    }

    /// Draws the position as SVG, with the values of the moves if requested.
    #[pyo3(name = "svg", signature = (*, values=true))]
    fn svg_of(&self, py: Python<'_>, values: bool) -> PyResult<String> {
        self.svg(py, values)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        // Drawing should be quick: values are shown where they are known or quickly found.
        let place = PositionRef::At(self.pos.clone());
        let exact = self
            .ask(py, |_, _| outplay_workbench::is_tractable(&self.game.session, &self.game.entry, &place))?
            .unwrap_or(false);
        let known = self.answer.get().is_some()
            || (exact && self.game.rules.as_ref().is_none_or(|rules| rules.graph().is_some()));
        self.svg(py, known)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py>> {
        let shown = match self.object(py) {
            Some(object) => object,
            None => self.text(py)?.into_pyobject(py)?.into_any().unbind(),
        };
        pickle::reduced(py, "position", (self.game.clone(), shown))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __str__(&self, py: Python<'_>) -> PyResult<String> {
        self.ask(py, |game, pos| game.draw(pos, &[]).plain())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("outplay.game({:?}).position(at={:?})", self.game.entry.spec(), self.text(py)?))
    }
}

/// Whether an answer has the value of the position and of every move.
fn is_settled(answer: &QueryAnswer) -> bool {
    let unknown = |answer: &Answer| matches!(answer, Answer::Unknown { .. });
    !unknown(&answer.answer) && !answer.moves.iter().any(|mv| unknown(&mv.answer))
}

/// A move with its value for the player who makes it.
#[pyclass(frozen, module = "outplay")]
pub(crate) struct Move {
    pub(crate) answer: MoveAnswer,
}

#[pymethods]
impl Move {
    /// The move as a word.
    #[getter(r#move)]
    fn mv(&self) -> &str {
        &self.answer.mv
    }

    /// The move in standard notation, such as SAN, where that differs.
    #[getter]
    fn san(&self) -> Option<&str> {
        self.answer.san.as_deref()
    }

    /// "win", "draw", "loss" or "unknown"; None in games with chance.
    #[getter]
    fn value(&self) -> Option<&'static str> {
        match &self.answer.answer {
            outplay_workbench::Answer::Unknown { .. } => Some("unknown"),
            answer => answer.verdict().map(|verdict| verdict.word()),
        }
    }

    /// The payoff of the player who makes the move.
    #[getter]
    fn payoff(&self) -> Option<i32> {
        self.answer.answer.value().map(|value| value.payoff())
    }

    /// Plies to the end, counted from the queried position.
    #[getter]
    fn distance(&self) -> Option<u32> {
        self.answer.answer.distance()
    }

    /// Games with chance: the first player's mean payoff.
    #[getter]
    fn mean(&self) -> Option<f64> {
        self.answer.answer.mean()
    }

    /// The connect-k score of the move, where the game has one.
    #[getter]
    fn score(&self) -> Option<i32> {
        self.answer.score
    }

    /// The probability of this outcome at a chance node.
    #[getter]
    fn probability(&self) -> Option<f64> {
        self.answer.probability
    }

    fn __str__(&self) -> &str {
        &self.answer.mv
    }

    fn __repr__(&self) -> String {
        let worth = match (self.answer.answer.value(), self.answer.answer.expected()) {
            (Some(value), _) => value.to_string(),
            (_, Some(expected)) => format!("{expected:.4}"),
            _ => "unknown".into(),
        };
        format!("<{}: {worth}>", self.answer.mv)
    }

    fn __eq__(&self, other: &Bound<'_, PyAny>) -> bool {
        match other.cast::<Move>() {
            Ok(other) => other.get().answer.mv == self.answer.mv,
            Err(_) => other.extract::<String>().is_ok_and(|word| word == self.answer.mv),
        }
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py>> {
        pickle::of_move(py, &self.answer)
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // A move equals its word, so it has the hash of the word.
        PyString::new(py, &self.answer.mv).hash()
    }
}

/// Explanation of a position's value.
#[pyclass(frozen, module = "outplay", name = "Why")]
pub(crate) struct Explanation {
    pub(crate) dict: Py<PyAny>,
    pub(crate) sentence: String,
    pub(crate) line: Vec<String>,
}

#[pymethods]
impl Explanation {
    /// The reason in words.
    #[getter]
    fn sentence(&self) -> &str {
        &self.sentence
    }

    /// Best play from here.
    #[getter]
    fn line(&self) -> Vec<String> {
        self.line.clone()
    }

    /// The spots that the explanation refers to, as dictionaries.
    #[getter]
    fn marks(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.dict.bind(py).get_item("marks")?.unbind())
    }

    /// The complete explanation as a dictionary, with the fields that `outplay why --json` prints.
    fn as_dict(&self, py: Python<'_>) -> Py<PyAny> {
        self.dict.clone_ref(py)
    }

    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<PickleParts<'py>> {
        pickle::reduced(py, "why", (self.dict.clone_ref(py), &self.sentence, self.line.clone()))
    }

    fn __copy__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __deepcopy__(slf: Py<Self>, _memo: &Bound<'_, PyAny>) -> Py<Self> {
        slf
    }

    fn __str__(&self) -> &str {
        &self.sentence
    }

    fn __repr__(&self) -> String {
        format!("<why: {}>", self.sentence)
    }
}
