//! Resumable labelling: exact values of numbered positions in a checksummed log.
//!
//! ```text
//!  positions ──▶ threads ──▶ rows in any order ──▶ FILE.partial ──▶ all rows in order ──▶ FILE
//! ```
//!
//! Each row is logged as soon as it is found, as one checksummed line with the number of its position, so a repeated
//! request resumes a run that was killed. The run that writes `FILE.partial` locks it. Its first line records the game,
//! the versions of rules and program, and the request. A logged row is used only if it agrees with its position and
//! with the rules. FILE itself appears when it is complete.

use super::choose::{PositionWithPly, Positions};
use super::coded::row;
use super::label::{Labels, Scratch, each_on_threads};
use crate::plausible::is_plausible;
use crate::{GameHandle, PlainCount, Session, Trouble, check_stop};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Notation, Turn, Value};
use outplay_dataset::{Best, Form, Row, Rows};
use outplay_files::{Identity, Log, Strangers};
use outplay_runtime::Monitor;
use serde::{Deserialize, Serialize};
use std::path::{Path, PathBuf};
use std::time::Instant;

/// A request for rows of labelled positions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabelRequest {
    /// The positions.
    pub positions: Positions,
    /// Whether to find all best moves; multiplies the work by about the number of moves.
    pub moves: bool,
    /// The output file; its extension determines the format.
    pub out: PathBuf,
    /// Positions labelled in parallel.
    pub threads: usize,
}

impl LabelRequest {
    /// The values of these positions, on one thread.
    pub fn new(positions: Positions, out: PathBuf) -> LabelRequest {
        LabelRequest { positions, moves: false, out, threads: 1 }
    }
}

/// The result of [`label`].
#[derive(Clone, Debug, Serialize)]
pub struct LabelReport {
    /// The game's canonical spec.
    pub game: String,
    /// Rows in the file.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// Rows taken over from an earlier run.
    pub found_before: usize,
    /// Positions that the player to move wins.
    pub wins: usize,
    /// Those that are drawn.
    pub draws: usize,
    /// Those that the player to move loses.
    pub losses: usize,
    /// Those whose value was not found within the limits.
    pub unknown: usize,
    /// Whether the rows include best moves.
    pub moves: bool,
    /// Wall time in seconds.
    pub seconds: f64,
    /// Rows per second of this run.
    pub per_second: f64,
    /// The file.
    pub out: String,
}

/// A line of a partial file.
#[derive(Serialize, Deserialize)]
struct NumberedRow {
    number: usize,
    row: Row,
}

/// Labels the positions of a request and writes their rows in order; resumes an interrupted run.
///
/// # Errors
///
/// Bad positions, an unusable file, or a stop; rows found by then are kept for the next run.
pub fn label(
    session: &Session,
    entry: &GameHandle,
    request: &LabelRequest,
    watch: &dyn Monitor,
) -> Result<LabelReport, Trouble> {
    let began = Instant::now();
    let form = Form::of(&request.out)?;
    let partial = partial_name(&request.out);
    let taken = || {
        let why = "the file already exists; remove it, or give another path";
        Err(Trouble::unable(format!("{}: {why}", request.out.display())))
    };
    let exists = request.out.exists();
    if exists && !partial.exists() {
        return taken();
    }
    // Positions are solved in parallel, so each uses one thread.
    let mut session = session.on_threads(1);
    session.scattered = true;
    let game = entry.game();
    let places = request.positions.placed(entry, watch)?;
    // Rows take several times the memory of their text.
    let limit = session.memory / 4;
    let mut opened =
        Log::open(&partial, &identity(game, request), Strangers::KeepRequests, limit, &|| false)?;
    opened.remarks.iter().for_each(|remark| watch.note(remark));
    let (mut rows, wrong) = found_rows(game, &places, request.moves, &opened.records);
    if wrong > 0 {
        let name = partial.display();
        watch.note(&format!("{name}: {wrong} rows contradict the rules and are computed again"));
    }
    let found_before = rows.iter().flatten().count();
    watch.stage("labelling positions", places.len() as u64);
    watch.advance(found_before as u64);
    let left: Vec<usize> = (0..places.len()).filter(|&number| rows[number].is_none()).collect();
    if exists {
        // A run that was killed after its last step leaves the partial file next to the finished one.
        if left.is_empty() && is_newer(&request.out, &partial) {
            let _ = opened.log.remove();
        }
        return taken();
    }
    let labels = Labels::by_ladder(entry, &session, request.moves);
    let find = |number: usize| -> Result<Row, Trouble> {
        let (pos, ply) = &places[number];
        if let Some(row) = finished_row(game, pos, *ply) {
            return Ok(row);
        }
        let label = labels.of(pos.clone(), *ply, &mut Scratch::default(), watch)?;
        Ok(row(game, &label, request.moves && label.turn != Turn::Chance))
    };
    each_on_threads(&left, request.threads, watch, find, |number, row| {
        let found = NumberedRow { number, row };
        // Rows have string keys and finite numbers, which always serialise.
        let line = serde_json::to_string(&found).map_err(|error| Trouble::unable(error.to_string()))?;
        opened.log.append(&line)?;
        rows[number] = Some(found.row);
        watch.advance(1);
        Ok(())
    })?;
    check_stop(watch)?;
    let mut out = Rows::create(&request.out, form)?;
    for row in rows.iter().flatten() {
        out.push(row)?;
    }
    out.finish()?;
    // The rows are in the output file, so the partial file is obsolete.
    let _ = opened.log.remove();
    let seconds = began.elapsed().as_secs_f64();
    let count =
        |fits: fn(f64) -> bool| rows.iter().flatten().filter(|row| row.value.is_some_and(fits)).count();
    Ok(LabelReport {
        game: entry.spec(),
        positions: PlainCount(rows.len() as u64),
        found_before,
        wins: count(|value| value > 0.0),
        draws: count(|value| value == 0.0),
        losses: count(|value| value < 0.0),
        unknown: rows.iter().flatten().filter(|row| row.value.is_none()).count(),
        moves: request.moves,
        seconds,
        per_second: left.len() as f64 / seconds.max(1e-9),
        out: request.out.display().to_string(),
    })
}

/// Whether a file was modified after another one.
fn is_newer(file: &Path, than: &Path) -> bool {
    let written = |path: &Path| path.metadata().and_then(|about| about.modified()).ok();
    written(file).zip(written(than)).is_some_and(|(file, than)| file >= than)
}

/// The identity of a partial file.
fn identity(game: &AnyGame, request: &LabelRequest) -> Identity {
    let moves = if request.moves { ", with moves" } else { "" };
    Identity {
        kind: "label rows".into(),
        format: 2,
        game: game.spec(),
        rules: game.version(),
        program: crate::program_version(),
        about: format!("{}{moves}", request.positions.identity()),
    }
}

fn partial_name(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(".partial");
    out.with_file_name(name)
}

/// Counts the rows in the bytes of a partial file that a request would take over.
///
/// # Errors
///
/// Bad positions.
pub fn count_partial(entry: &GameHandle, request: &LabelRequest, bytes: &[u8]) -> Result<usize, Trouble> {
    let places = request.positions.placed(entry, &outplay_runtime::NoMonitor)?;
    let records = outplay_files::parse(bytes, &identity(entry.game(), request)).records;
    let (rows, _) = found_rows(entry.game(), &places, request.moves, &records);
    Ok(rows.iter().flatten().count())
}

/// The rows in the records of a partial file by number, and the number of rows that contradict the rules.
fn found_rows(
    game: &AnyGame,
    places: &[PositionWithPly],
    moves: bool,
    records: &[String],
) -> (Vec<Option<Row>>, usize) {
    let mut rows: Vec<Option<Row>> = vec![None; places.len()];
    let mut wrong = 0;
    for record in records {
        match serde_json::from_str::<NumberedRow>(record) {
            Ok(NumberedRow { number, row })
                if places.get(number).is_some_and(|place| is_right(game, place, moves, &row)) =>
            {
                rows[number] = Some(row);
            }
            _ => wrong += 1,
        }
    }
    (rows, wrong)
}

/// The row of a finished position: its payoff, and no moves.
fn finished_row(game: &AnyGame, pos: &AnyPosition, ply: Option<u32>) -> Option<Row> {
    let (turn, payoff) = (game.turn(pos), game.outcome(pos)?);
    Some(Row::new(game.write_position(pos), turn, ply).valued(Value::new(turn.sees(payoff), 0)))
}

/// Whether a row is about a position and agrees with the rules.
fn is_right(game: &AnyGame, (pos, ply): &PositionWithPly, moves: bool, row: &Row) -> bool {
    let turn = game.turn(pos);
    let blank = Row::new(game.write_position(pos), turn, *ply);
    if (&row.position, row.to_move, row.ply) != (&blank.position, blank.to_move, blank.ply) {
        return false;
    }
    if let Some(finished) = finished_row(game, pos, *ply) {
        return *row == finished;
    }
    let Some(best) = best_moves(game, pos, row.best.as_ref()) else { return false };
    let Some(value) = row.value else { return row.distance.is_none() && row.best.is_none() };
    let most = f64::from(game.best_payoff());
    let in_range = value.is_finite() && value.abs() <= most;
    let asked = row.best.is_none() || moves && turn != Turn::Chance;
    if !in_range || !asked {
        return false;
    }
    if game.has_dice() {
        return row.distance.is_none();
    }
    let payoff = value as i32;
    let exact = match (payoff, row.distance) {
        // The rules give the distance of a tie if every tying line is equally long.
        (0, plies) if plies.is_none() || plies == game.tie_plies(pos) => Value::TIE,
        (0, _) => return false,
        (_, Some(plies)) => Value::new(payoff, plies),
        (_, None) => Value::untimed(payoff),
    };
    // Ties and draws by repetition are stored alike.
    let plausible = |value| is_plausible(game, None, pos, value, &best);
    f64::from(payoff) == value && (plausible(exact) || payoff == 0 && plausible(Value::REPETITION))
}

/// The moves that a row lists as best; `None` if its names and its mask contradict each other or the rules.
fn best_moves(game: &AnyGame, pos: &AnyPosition, best: Option<&Best>) -> Option<Vec<AnyMove>> {
    let Some(best) = best else { return Some(Vec::new()) };
    let moves: Vec<AnyMove> = game.list(pos).collect();
    let plain = best.mask.bytes().all(|digit| matches!(digit, b'0' | b'1'));
    if !plain || best.mask.len() != moves.len() {
        return None;
    }
    let chosen: Vec<AnyMove> =
        moves.iter().zip(best.mask.bytes()).filter(|(_, digit)| *digit == b'1').map(|(mv, _)| *mv).collect();
    let named = chosen.iter().map(|&mv| game.write_move(pos, mv)).eq(best.names.iter().cloned());
    (named && !chosen.is_empty()).then_some(chosen)
}
