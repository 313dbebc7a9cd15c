//! `outplay.Position`, its moves and the reason behind its value.

use crate::game::Game;
use crate::spell::spelled;
use crate::{errors, svg};
use numpy::{PyArray2, PyArrayMethods};
use outplay_answer::{ChooseRequest, MoveAnswer, Place, QueryAnswer};
use outplay_core::{AnyMove, AnyPosition, Chance, Content, Game as _, Native, Notation, Turn};
use pyo3::prelude::*;
use pyo3::types::{PyString, PyTuple};
use std::hash::{Hash, Hasher};
use std::sync::{Arc, OnceLock};

/// A position of a game. Values are found when they are asked for, once.
#[pyclass(frozen, module = "outplay", eq, hash)]
pub(crate) struct Position {
    pub(crate) game: Game,
    pub(crate) pos: AnyPosition,
    answer: OnceLock<Arc<QueryAnswer>>,
}

impl PartialEq for Position {
    fn eq(&self, other: &Position) -> bool {
        self.pos == other.pos
    }
}

impl Hash for Position {
    fn hash<H: Hasher>(&self, state: &mut H) {
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
        self.game.meet(py, None)?;
        let place = Place::At(self.pos.clone());
        let answer =
            Arc::new(self.game.run(py, move |entry, options, watch| entry.query(&place, options, watch))?);
        Ok(self.answer.get_or_init(|| answer).clone())
    }

    /// What the rules raised while they were asked for words.
    fn checked<T>(&self, said: T) -> PyResult<T> {
        self.game.faults().iter().find_map(crate::fault::Fault::take).map_or(Ok(said), Err)
    }

    /// The position after a move given as a word.
    pub(crate) fn after(&self, py: Python<'_>, word: &str) -> PyResult<Position> {
        let game = self.game.entry.game();
        let mv = game.read_move(&self.pos, word).map_err(|error| errors::input(py, &error))?;
        self.checked(self.game.at(game.play(&self.pos, mv)))
    }

    /// The number of the position in a game in Python.
    fn id(&self) -> Option<u32> {
        let rules = self.game.rules.as_ref()?;
        Some(*Native::new(rules.clone()).pos(&self.pos))
    }

    /// The place of a move that Python names: a word, or a move of the rules in Python.
    pub(crate) fn place_of(&self, mv: &Bound<'_, PyAny>) -> PyResult<AnyMove> {
        let py = mv.py();
        let game = self.game.entry.game();
        if let Ok(told) = mv.cast::<Move>() {
            return game
                .read_move(&self.pos, &told.get().answer.mv)
                .map_err(|error| errors::input(py, &error));
        }
        if let (Some(rules), Some(id)) = (&self.game.rules, self.id()) {
            for place in game.list(&self.pos) {
                if let Some(object) = rules.move_object(py, id, place.0 as usize)
                    && object.bind(py).eq(mv).unwrap_or(false)
                {
                    return Ok(place);
                }
            }
        }
        let word = mv.str()?.to_string();
        let read = game.read_move(&self.pos, &word);
        self.checked(())?;
        read.map_err(|error| errors::input(py, &error))
    }

    pub(crate) fn svg(&self, py: Python<'_>, values: bool) -> PyResult<String> {
        let game = self.game.entry.game();
        let scene = self.checked(game.scene(&self.pos))?;
        let mut caption = format!("{}: {} to move", game.spec(), game.turn(&self.pos));
        if let Some(payoff) = game.outcome(&self.pos) {
            caption = match payoff.signum() {
                0 => format!("{}: a tie", game.spec()),
                1 => format!("{}: first won", game.spec()),
                _ => format!("{}: second won", game.spec()),
            };
        }
        let answer = if values { Some(self.answer(py)?) } else { None };
        if let Some(value) = answer
            .as_ref()
            .filter(|_| game.outcome(&self.pos).is_none())
            .and_then(|answer| answer.answer.value())
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
    fn text(&self) -> PyResult<String> {
        self.checked(self.game.entry.game().write_position(&self.pos))
    }

    /// What the rules in Python call the position; None for other games.
    #[getter]
    fn object(&self, py: Python<'_>) -> Option<Py<PyAny>> {
        self.game.rules.as_ref()?.object(py, self.id()?)
    }

    /// Who moves: "first", "second" or "chance". Of a finished position: who would.
    #[getter]
    fn turn(&self) -> PyResult<&'static str> {
        self.checked(self.game.entry.game().turn(&self.pos).word())
    }

    /// What the first player got; None while the game goes on.
    #[getter]
    fn outcome(&self) -> PyResult<Option<i32>> {
        self.checked(self.game.entry.game().outcome(&self.pos))
    }

    /// Whether the game is over.
    #[getter]
    fn over(&self) -> PyResult<bool> {
        Ok(self.outcome()?.is_some())
    }

    /// The legal moves as words, without their values.
    #[getter]
    fn legal(&self) -> PyResult<Vec<String>> {
        let game = self.game.entry.game();
        self.checked(game.list(&self.pos).map(|mv| game.write_move(&self.pos, mv)).collect())
    }

    /// The legal moves as the rules in Python call them; words for other games.
    #[getter]
    fn choices(&self, py: Python<'_>) -> PyResult<Vec<Py<PyAny>>> {
        if let (Some(rules), Some(id)) = (&self.game.rules, self.id()) {
            let places = self.game.entry.game().list(&self.pos);
            let found: Option<Vec<_>> = places.map(|mv| rules.move_object(py, id, mv.0 as usize)).collect();
            if let Some(found) = self.checked(found)? {
                return Ok(found);
            }
        }
        self.legal()?.into_iter().map(|word| Ok(word.into_pyobject(py)?.into_any().unbind())).collect()
    }

    /// What the dice can show, with probabilities; empty where a player moves.
    #[getter]
    fn rolls(&self) -> PyResult<Vec<(String, f64)>> {
        let game = self.game.entry.game();
        let mut odds = Vec::new();
        if game.turn(&self.pos) == Turn::Chance {
            game.outcomes(&self.pos, &mut odds);
        }
        self.checked(odds.into_iter().map(|(mv, odds)| (game.write_move(&self.pos, mv), odds)).collect())
    }

    /// "win", "draw" or "loss" for the player to move, "unknown" if it is out of reach; None in games with dice.
    #[getter]
    fn value(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let answer = self.answer(py)?;
        Ok(match &answer.answer {
            outplay_answer::Answer::Unknown { .. } => Some("unknown"),
            answer => answer.verdict().map(|verdict| verdict.word()),
        })
    }

    /// What the player to move gets; None if that is not known, or in games with dice.
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

    /// Whether nobody can force an end.
    #[getter]
    fn repetition(&self, py: Python<'_>) -> PyResult<bool> {
        Ok(self.answer(py)?.answer.is_repetition())
    }

    /// Games with dice: the probability that the first player wins or, where more than 1 is paid, the mean.
    #[getter]
    fn expected(&self, py: Python<'_>) -> PyResult<Option<f64>> {
        Ok(self.answer(py)?.answer.expected())
    }

    /// Games with dice: what the first player gets in the mean.
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

    /// Who knew the value: "rules", "theory", "table", "book", "kept" or "search".
    #[getter]
    fn source(&self, py: Python<'_>) -> PyResult<String> {
        Ok(format!("{:?}", self.answer(py)?.source).to_lowercase())
    }

    /// What a limit prevented, in sentences.
    #[getter]
    fn notes(&self, py: Python<'_>) -> PyResult<Vec<String>> {
        Ok(self.answer(py)?.notes.clone())
    }

    /// The position after these moves.
    #[pyo3(signature = (*moves))]
    fn play(&self, py: Python<'_>, moves: &Bound<'_, PyTuple>) -> PyResult<Position> {
        let mut pos = self.pos.clone();
        for mv in moves.iter() {
            let here = self.game.at(pos);
            let place = here.place_of(&mv)?;
            pos = self.game.entry.game().play(&here.pos, place);
        }
        let _ = py;
        self.checked(self.game.at(pos))
    }

    /// The move that a player such as "alphabeta:depth=4" makes here.
    #[pyo3(signature = (player, *, seed=1))]
    fn choose(&self, py: Python<'_>, player: String, seed: u64) -> PyResult<String> {
        let place = Place::At(self.pos.clone());
        let answer = self.game.run(py, move |entry, options, watch| {
            let mut request = ChooseRequest::default();
            request.place = place;
            request.player = player;
            request.seed = seed;
            request.options = options.clone();
            request.files = true;
            entry.choose(&request, watch)
        })?;
        Ok(answer.mv)
    }

    /// Why the position is worth what it is: an object with `sentence`, `marks` and `line`.
    fn why(&self, py: Python<'_>) -> PyResult<Why> {
        self.game.meet(py, None)?;
        let place = Place::At(self.pos.clone());
        let why = self
            .game
            .run(py, move |entry, options, watch| outplay_explain::why(entry, &place, options, watch))?;
        Ok(Why {
            told: spelled(py, &why)?,
            sentence: why.sentence,
            line: why.line.into_iter().map(|mv| mv.mv).collect(),
        })
    }

    /// The positions that are the same up to symmetry, itself included.
    fn symmetric(&self) -> Vec<Position> {
        let mut images = Vec::new();
        self.game.entry.game().symmetric(&self.pos, &mut images);
        images.into_iter().map(|pos| self.game.at(pos)).collect()
    }

    /// The board as an array of int8, top row first: 0 empty, 1 first player, 2 second player, 3 obstacle. None for
    /// games other than k in a row.
    #[getter]
    fn board<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<i8>>>> {
        let Some(board) = self.game.entry.game().board(&self.pos) else { return Ok(None) };
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

    /// The whole answer as a dictionary, with the fields that `outplay query --json` prints.
    fn query(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        spelled(py, &*self.answer(py)?)
    }

    /// A picture, with the values of the moves if they are asked for.
    #[pyo3(name = "svg", signature = (*, values=true))]
    fn svg_of(&self, py: Python<'_>, values: bool) -> PyResult<String> {
        self.svg(py, values)
    }

    fn _repr_svg_(&self, py: Python<'_>) -> PyResult<String> {
        // A picture should not take long: values are drawn where they are known or quickly found.
        let exact = self.game.entry.exact(&Place::At(self.pos.clone()), &self.game.options).unwrap_or(false);
        let known = self.answer.get().is_some()
            || (exact && self.game.rules.as_ref().is_none_or(|rules| rules.graph().is_some()));
        self.svg(py, known)
    }

    fn __str__(&self) -> PyResult<String> {
        self.checked(self.game.entry.game().draw(&self.pos, &[]).plain())
    }

    fn __repr__(&self) -> PyResult<String> {
        Ok(format!("outplay.game({:?}).position(at={:?})", self.game.entry.spec(), self.text()?))
    }
}

/// A move with what it is worth to the player who makes it.
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

    /// The move as people of the field write it, where that differs.
    #[getter]
    fn san(&self) -> Option<&str> {
        self.answer.san.as_deref()
    }

    /// "win", "draw", "loss" or "unknown"; None in games with dice.
    #[getter]
    fn value(&self) -> Option<&'static str> {
        match &self.answer.answer {
            outplay_answer::Answer::Unknown { .. } => Some("unknown"),
            answer => answer.verdict().map(|verdict| verdict.word()),
        }
    }

    /// What the player who makes it gets.
    #[getter]
    fn payoff(&self) -> Option<i32> {
        self.answer.answer.value().map(|value| value.payoff())
    }

    /// Plies to the end, counted from the asked position.
    #[getter]
    fn distance(&self) -> Option<u32> {
        self.answer.answer.distance()
    }

    /// Games with dice: what the first player gets in the mean.
    #[getter]
    fn mean(&self) -> Option<f64> {
        self.answer.answer.mean()
    }

    /// Its connect-k score.
    #[getter]
    fn score(&self) -> Option<i32> {
        self.answer.score
    }

    /// How likely the dice show it.
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

    fn __hash__(&self, py: Python<'_>) -> PyResult<isize> {
        // Equal to its word, so it has the word's hash.
        PyString::new(py, &self.answer.mv).hash()
    }
}

/// Why a position is worth what it is.
#[pyclass(frozen, module = "outplay")]
pub(crate) struct Why {
    told: Py<PyAny>,
    sentence: String,
    line: Vec<String>,
}

#[pymethods]
impl Why {
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

    /// The spots that the reason is about, as dictionaries.
    #[getter]
    fn marks(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        Ok(self.told.bind(py).get_item("marks")?.unbind())
    }

    /// Everything as a dictionary, with the fields that `outplay why --json` prints.
    fn as_dict(&self, py: Python<'_>) -> Py<PyAny> {
        self.told.clone_ref(py)
    }

    fn __str__(&self) -> &str {
        &self.sentence
    }

    fn __repr__(&self) -> String {
        format!("<why: {}>", self.sentence)
    }
}
