//! Python bindings of matches with Python players, proof certificates, data sets, and the server.

use crate::fault::ExceptionSlot;
use crate::game::{Game, seconds};
use crate::number::{natural, natural_or_none, natural_pair};
use crate::position::Position;
use crate::rules::PythonRules;
use crate::spell::spelled;
use crate::{errors, work};
use outplay_arena::matches::{MatchRequest, play};
use outplay_catalog::{Catalog, Family};
use outplay_core::{AnyGame, AnyPosition, LineBoard, Notation};
use outplay_players::{Choice, Distribution, Guest, PlayError, Player};
use outplay_runtime::Monitor;
use outplay_serve::{Server as Http, Settings};
use outplay_workbench::{GameHandle, Method, PositionRef, SolveRequest, default_data_dir};
use pyo3::prelude::*;
use pyo3::types::PyString;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// A player implemented by a Python function from a position to a move.
struct PythonPlayer {
    name: String,
    call: Arc<Py<PyAny>>,
    game: Game,
    fault: ExceptionSlot,
}

impl Player for PythonPlayer {
    fn spec(&self) -> String {
        self.name.clone()
    }

    fn begin(&mut self, _seed: u64) {}

    fn choose(&mut self, pos: &AnyPosition, _monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let chosen = Python::attach(|py| {
            let position = Bound::new(py, self.game.at(pos.clone()))?;
            let mv = self.call.bind(py).call1((&position,))?;
            position.get().place_of(&mv)
        });
        chosen.map(Choice::plain).map_err(|error| {
            self.fault.keep(error);
            PlayError::Stopped
        })
    }
}

/// Plays a match and returns its report as a dictionary, with the fields that `outplay match --json` prints.
#[pyfunction]
#[pyo3(name = "match_", signature = (game, players, *, games=100, openings=None, seed=1, judged=false, time=None, plies=None, concurrency=1, records=false, moves="", progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn matched(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    players: Vec<Bound<'_, PyAny>>,
    #[pyo3(from_py_with = natural)] games: u64,
    #[pyo3(from_py_with = natural_or_none)] openings: Option<u32>,
    #[pyo3(from_py_with = natural)] seed: u64,
    judged: bool,
    time: Option<f64>,
    #[pyo3(from_py_with = natural_or_none)] plies: Option<u32>,
    #[pyo3(from_py_with = natural)] concurrency: usize,
    records: bool,
    moves: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let game = game.get().clone();
    let progress = work::listener(py, progress)?;
    game.explored(py, progress.as_ref())?;
    let fault = ExceptionSlot::default();
    let (mut guests, mut names) = (Vec::<Guest>::new(), Vec::new());
    for player in players {
        if let Ok(spec) = player.cast::<PyString>() {
            names.push(spec.to_string());
            continue;
        }
        if !player.is_callable() {
            let sentence = format!(
                "{} is not a player; pass a spec such as \"perfect\", or a function from a position to a move",
                player.repr()?
            );
            return Err(errors::typed(py, "InputError", &sentence, None));
        }
        let called = player.getattr_opt("__name__")?.map(|name| name.to_string());
        let called = called.unwrap_or(player.get_type().name()?.to_string()).replace(['<', '>'], "");
        let taken = |name: &String| guests.iter().any(|guest| guest.name == *name);
        let mut name = called.clone();
        for number in 2.. {
            if !taken(&name) {
                break;
            }
            name = format!("{called}-{number}");
        }
        let (call, with, at, spec) = (Arc::new(player.unbind()), fault.clone(), game.clone(), name.clone());
        let make = move || -> Box<dyn Player> {
            Box::new(PythonPlayer {
                name: spec.clone(),
                call: call.clone(),
                game: at.clone(),
                fault: with.clone(),
            })
        };
        guests.push(Guest { name: name.clone(), make: Arc::new(make) });
        names.push(name);
    }
    let mut request = MatchRequest::default();
    request.players = names;
    request.games = games;
    request.openings = openings;
    request.seed = seed;
    request.judged = judged;
    request.concurrency = concurrency.max(1);
    request.house.time = time.map(|time| seconds(py, time)).transpose()?;
    if let Some(plies) = plies {
        request.house.plies = plies;
    }
    let place = if moves.is_empty() { PositionRef::Start } else { PositionRef::Moves(moves.to_string()) };
    let faults = game.faults().into_iter().chain([fault]).collect();
    let (entry, session) = (game.entry.clone(), game.session.clone());
    let done = work::run(py, faults, progress.as_ref(), move |monitor| {
        let start = entry.locate(&place)?;
        let position = (place != PositionRef::Start).then(|| entry.game().write_position(&start));
        let mut kit = outplay_workbench::kit(&session.on_threads(1).impartial(), &entry);
        kit.guests = guests;
        Ok::<_, outplay_workbench::Trouble>(play(&kit, &start, position, &request, monitor)?)
    })?;
    let (report, played) = done.map_err(|trouble| errors::trouble(py, trouble))?;
    let report = spelled(py, &report)?;
    if records {
        report.bind(py).set_item("records", spelled(py, &played)?)?;
    }
    Ok(report)
}

/// Equally likely moves, and the chance events on which they depend: probabilities, and whether each event occurred.
type DistributionTerm = (Vec<(f64, bool)>, Vec<String>);

/// Flattens a distribution, so that Python can multiply its probabilities as exact fractions.
fn parts(
    game: &AnyGame,
    pos: &AnyPosition,
    said: &Distribution,
    given: &[(f64, bool)],
    out: &mut Vec<DistributionTerm>,
) {
    match said {
        Distribution::Equal(moves) => {
            out.push((given.to_vec(), moves.iter().map(|&mv| game.write_move(pos, mv)).collect()));
        }
        Distribution::Mixed { p, with, without } => {
            parts(game, pos, with, &[given, &[(*p, true)]].concat(), out);
            parts(game, pos, without, &[given, &[(*p, false)]].concat(), out);
        }
    }
}

/// The distributions of a player's moves at positions of one game; None where the player cannot report one. With
/// `solve`, a game without enough exact values is solved in memory first.
#[pyfunction]
#[pyo3(name = "distributions_", signature = (player, positions, *, solve=false))]
pub(crate) fn distributions(
    py: Python<'_>,
    player: String,
    positions: Vec<Bound<'_, Position>>,
    solve: bool,
) -> PyResult<Vec<Option<Vec<DistributionTerm>>>> {
    let Some(game) = positions.first().map(|position| position.get().game.clone()) else {
        return Ok(Vec::new());
    };
    let game = game.explored(py, None)?;
    let positions = positions.iter().map(|position| game.find(position)).collect::<PyResult<Vec<_>>>()?;
    game.run(py, move |entry, session, monitor| {
        let mut kit = outplay_workbench::kit(session, entry);
        kit.threads = session.threads;
        let mut player = kit.player(&player)?;
        player.begin(1);
        let mut found = Vec::with_capacity(positions.len());
        let mut solve = solve;
        for pos in &positions {
            let said = match player.distribution(pos, monitor) {
                Err(PlayError::Unknown) if solve => {
                    solve = false;
                    let request = SolveRequest::default();
                    outplay_workbench::solve(session, entry, &request, monitor)?;
                    player.distribution(pos, monitor)?
                }
                said => said?,
            };
            found.push(said.map(|said| {
                let mut list = Vec::new();
                parts(entry.game(), pos, &said, &[], &mut list);
                list
            }));
        }
        Ok(found)
    })
}

/// Returns the spec of the game that starts at a board.
fn spec_of(board: &LineBoard) -> String {
    use outplay_core::{Content, cell_name};
    let mut spec = format!("mnk:{}x{},k={}", board.width, board.height, board.k);
    for (key, content) in [("obstacles", Content::Blocked), ("x", Content::First), ("o", Content::Second)] {
        let cells: Vec<String> = (0..board.cells.len())
            .filter(|&cell| board.cells[cell] == content)
            .map(|cell| cell_name(cell / board.height, cell % board.height))
            .collect();
        if !cells.is_empty() {
            spec += &format!(",{key}={}", cells.join("+"));
        }
    }
    if board.turn == outplay_core::Turn::Second {
        spec += ",turn=o";
    }
    spec
}

/// Proves the value of a board without gravity: the verdict and the text of the proof; None at the time limit.
#[pyfunction]
#[pyo3(name = "prove_", signature = (game, *, moves="", progress=None))]
pub(crate) fn prove(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    moves: &str,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Option<String>, Vec<String>, Option<String>)> {
    let game = game.get().clone();
    let progress = work::listener(py, progress)?;
    let place = if moves.is_empty() { PositionRef::Start } else { PositionRef::Moves(moves.to_string()) };
    let (verdict, best, text) =
        game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
            static NUMBER: std::sync::atomic::AtomicU64 = std::sync::atomic::AtomicU64::new(0);
            let number = NUMBER.fetch_add(1, Ordering::Relaxed);
            let file = std::env::temp_dir().join(format!("outplay-{}-{number}.proof", std::process::id()));
            let mut request = SolveRequest::default();
            request.place = place;
            request.method = Method::Proof;
            request.proof = Some(file.clone());
            let answer = outplay_workbench::solve(session, entry, &request, monitor);
            let text = std::fs::read_to_string(&file).ok();
            // The temporary file is removed whether or not the proof was written.
            let _ = std::fs::remove_file(&file);
            let answer = answer?;
            Ok((answer.answer.verdict(), answer.best, text))
        })?;
    Ok((verdict.map(|verdict| verdict.word().to_string()), best, text))
}

/// Checks a proof; returns the spec of its board, the verdict, the number of steps, and the number of verified pairs
/// of a step and a position.
#[pyfunction]
#[pyo3(name = "check_")]
pub(crate) fn check(py: Python<'_>, text: String) -> PyResult<(String, String, usize, u64)> {
    let checked = work::run(py, Vec::new(), None, move |_| outplay_check::check(&text))?;
    let claim = checked.map_err(|error| errors::typed(py, "ProofError", &error.to_string(), None))?;
    Ok((spec_of(&claim.board), claim.verdict.word().to_string(), claim.steps, claim.followed))
}

/// Writes a data set and returns its report as a dictionary.
#[pyfunction]
#[pyo3(name = "export_", signature = (game, out, *, positions=None, plies=None, balanced=false, best=true, test=0.0, seed=1, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn exported(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    out: PathBuf,
    #[pyo3(from_py_with = natural_or_none)] positions: Option<u64>,
    #[pyo3(from_py_with = natural_pair)] plies: Option<(u32, u32)>,
    balanced: bool,
    best: bool,
    test: f64,
    #[pyo3(from_py_with = natural)] seed: u64,
    progress: Option<Py<PyAny>>,
) -> PyResult<Py<PyAny>> {
    let game = game.get().clone();
    let progress = work::listener(py, progress)?;
    game.explored(py, progress.as_ref())?;
    let mut request = outplay_workbench::export::Request::new(out);
    request.positions = positions;
    request.plies = plies;
    request.balanced = balanced;
    request.best = best;
    request.test = test;
    request.seed = seed;
    let report = game.run_with_progress(py, progress.as_ref(), move |entry, session, monitor| {
        outplay_workbench::export::export(session, entry, &request, monitor)
    })?;
    spelled(py, &report)
}

/// Returns the size of a file in bytes and the xxh3 checksum that data sheets list.
#[pyfunction]
#[pyo3(name = "checksum_")]
pub(crate) fn checksummed(py: Python<'_>, file: PathBuf) -> PyResult<(u64, String)> {
    py.detach(|| outplay_workbench::export::checksum(&file)).map_err(|trouble| errors::trouble(py, trouble))
}

/// A running web server. It ends with `stop()` or at the end of its `with` block.
#[pyclass(frozen, module = "outplay")]
pub(crate) struct Server {
    address: SocketAddr,
    path: String,
    stop: Arc<AtomicBool>,
    thread: Mutex<Option<std::thread::JoinHandle<Result<(), String>>>>,
}

struct Flag(Arc<AtomicBool>);

impl Monitor for Flag {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

/// Starts the web server with the games of the catalog, and `game` if it is given.
#[pyfunction]
#[pyo3(signature = (game=None, *, host="127.0.0.1", port=0, data=None))]
pub(crate) fn serve(
    py: Python<'_>,
    game: Option<&Bound<'_, PyAny>>,
    host: &str,
    port: u16,
    data: Option<PathBuf>,
) -> PyResult<Server> {
    let wrong = |sentence: String| errors::typed(py, "InputError", &sentence, None);
    let mut catalog = Catalog::standard();
    let mut path = String::new();
    if let Some(game) = game {
        let game = crate::game::game(py, game, None, None, None, None, false)?;
        if let Some(rules) = &game.rules {
            game.explored(py, None)?;
            catalog.add(family(&game.entry, rules));
        }
        path = format!("#game={}", game.entry.spec());
    }
    let ip = host
        .parse()
        .map_err(|_| wrong(format!("`{host}` is not an IP address; use one such as 127.0.0.1")))?;
    let settings = Settings::new(SocketAddr::new(ip, port), data.unwrap_or_else(default_data_dir));
    let server = Http::bind(catalog, settings).map_err(|error| wrong(error.to_string()))?;
    let address = server.addr().map_err(|error| wrong(error.to_string()))?;
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Flag(stop.clone());
    let thread = std::thread::spawn(move || server.run(&flag).map_err(|error| error.to_string()));
    Ok(Server { address, path, stop, thread: Mutex::new(Some(thread)) })
}

/// Makes a family with one member: the game that is served.
fn family(entry: &GameHandle, rules: &PythonRules) -> Family {
    let (entry, spec) = (entry.clone(), rules.spec());
    let name = spec.split(':').next().unwrap_or("python").to_string();
    let argument = spec.split(':').nth(1).map(str::to_string);
    Family::new(&name, "a game in Python", move |asked| {
        if asked.argument() != argument.as_deref() {
            return Err(asked.error(format!("this server offers only `{}` of this family", entry.spec())));
        }
        asked.finish("no options")?;
        Ok(entry.clone())
    })
    .parameters("", &spec)
}

#[pymethods]
impl Server {
    /// The URL of the page.
    #[getter]
    fn url(&self) -> String {
        format!("http://{}/{}", self.address, self.path)
    }

    /// Stops the server and waits for it to end.
    fn stop(&self, py: Python<'_>) -> PyResult<()> {
        self.stop.store(true, Ordering::Relaxed);
        let thread = self.thread.lock().unwrap_or_else(PoisonError::into_inner).take();
        let ended = py.detach(|| thread.map(std::thread::JoinHandle::join));
        match ended {
            Some(Ok(Err(sentence))) => Err(errors::typed(py, "OutplayError", &sentence, None)),
            _ => Ok(()),
        }
    }

    /// Serves until Ctrl-C.
    fn wait(&self, py: Python<'_>) -> PyResult<()> {
        while !self.stop.load(Ordering::Relaxed) {
            py.detach(|| std::thread::sleep(Duration::from_millis(50)));
            if let Err(error) = py.check_signals() {
                self.stop(py)?;
                return Err(error);
            }
        }
        Ok(())
    }

    fn __enter__(this: Py<Self>) -> Py<Self> {
        this
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        _kind: Py<PyAny>,
        _value: Py<PyAny>,
        _trace: Py<PyAny>,
    ) -> PyResult<()> {
        self.stop(py)
    }

    fn __repr__(&self) -> String {
        format!("<outplay at {}>", self.url())
    }

    fn _repr_html_(&self) -> String {
        format!("<a href=\"{0}\">{0}</a>", self.url())
    }
}
