//! Exact values of many positions: what engine authors measure by and learn from.
//!
//! ```text
//!  positions ──▶ threads ──▶ rows, as they are found ──▶ FILE.partial ──▶ all of them, in order ──▶ FILE
//! ```
//!
//! What is found is written down at once, a line each with its number, so that a run that was killed goes on where it was:
//! the same request finds its `FILE.partial`. The file itself appears when it is whole.

use crate::ArenaError;
use crate::record::fingerprint;
use crate::tune::labels::{Sampling, sample};
use outplay_answer::{Entry, Place, QueryOptions, Trouble};
use outplay_core::{AnyPosition, Content, Game, Notation, Turn, Watch};
use outplay_data::{Best, DataError, Form, Row, Rows};
use outplay_players::{Kit, Merit, Truth};
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use std::time::Instant;

/// Which positions.
#[derive(Clone, Debug, PartialEq)]
pub enum Positions {
    /// So many from random play.
    Random {
        /// How many.
        count: usize,
        /// Which plies, and what chance follows from.
        sampling: Sampling,
    },
    /// Those that somebody listed: a position in the game's notation or moves from the start, each.
    Listed(Vec<String>),
}

/// What to label.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct LabelRequest {
    /// Which positions.
    pub positions: Positions,
    /// Whether to find all best moves, too: about as many times the work as there are moves.
    pub moves: bool,
    /// Where the rows go; the ending says in which form.
    pub out: PathBuf,
    /// Positions at the same time.
    pub threads: usize,
}

impl LabelRequest {
    /// The values of these positions, on one thread.
    pub fn new(positions: Positions, out: PathBuf) -> LabelRequest {
        LabelRequest { positions, moves: false, out, threads: 1 }
    }
}

/// What was labelled.
#[derive(Clone, Debug, Serialize)]
pub struct LabelReport {
    /// The game's canonical spec.
    pub game: String,
    /// Rows in the file.
    pub positions: usize,
    /// Rows that an earlier run had found.
    pub found_before: usize,
    /// Positions that the player to move wins.
    pub wins: usize,
    /// Those that are drawn.
    pub draws: usize,
    /// Those that the player to move loses.
    pub losses: usize,
    /// Those whose value was not found within the limits.
    pub unknown: usize,
    /// Whether the best moves are among them.
    pub moves: bool,
    /// Time on the wall, in seconds.
    pub seconds: f64,
    /// Rows that this run found, per second.
    pub per_second: f64,
    /// The file.
    pub out: String,
}

/// The first line of a partial file: what was asked.
#[derive(Serialize, Deserialize, PartialEq)]
struct Header {
    labels: String,
    game: String,
    positions: String,
    moves: bool,
}

/// A line of a partial file.
#[derive(Serialize, Deserialize)]
struct Found {
    number: usize,
    row: Row,
}

fn data_error(error: DataError) -> ArenaError {
    ArenaError::Unable(error.to_string())
}

/// Labels positions of a game that somebody asked for.
///
/// # Errors
///
/// Positions that make no sense, a file of no use, or a stop; what was found by then is kept for the next run.
pub fn label(
    entry: &Entry,
    request: &LabelRequest,
    options: &QueryOptions,
    watch: &dyn Watch,
) -> Result<LabelReport, Trouble> {
    let began = Instant::now();
    let form = Form::of(&request.out).map_err(data_error)?;
    if request.out.exists() {
        let why = "there is such a file already; choose another name or remove it";
        return Err(ArenaError::file(&request.out, why).into());
    }
    // Positions are solved side by side, so each keeps to one thread.
    let mut options = options.on_threads(1);
    options.scattered = true;
    let kit = entry.kit(&options);
    let places = places(entry, &kit, &request.positions)?;
    let header = Header {
        labels: "outplay 1".into(),
        game: entry.spec(),
        positions: identity(&request.positions),
        moves: request.moves,
    };
    let partial = partial_name(&request.out);
    let (mut file, mut rows) = open_partial(&partial, &header, places.len())?;
    let found_before = rows.iter().flatten().count();
    watch.stage("positions", places.len() as u64);
    watch.advance(found_before as u64);
    let left: Vec<usize> = (0..places.len()).filter(|&number| rows[number].is_none()).collect();
    solve(&kit, &places, &left, request, watch, |number, row| {
        let found = Found { number, row };
        // Rows have string keys and finite numbers, which always serialise.
        let line = serde_json::to_string(&found).map_err(|error| ArenaError::Unable(error.to_string()))?;
        writeln!(file, "{line}")
            .map_err(|error| ArenaError::file(&partial, format!("cannot be written: {error}")))?;
        rows[number] = Some(found.row);
        watch.advance(1);
        Ok(())
    })?;
    if watch.stopped() {
        return Err(Trouble::stopped());
    }
    let mut out = Rows::create(&request.out, form).map_err(data_error)?;
    for row in rows.iter().flatten() {
        out.push(row).map_err(data_error)?;
    }
    out.finish().map_err(data_error)?;
    drop(file);
    // The rows stand in the file; what is left of the way there is of no more use.
    let _ = std::fs::remove_file(&partial);
    let seconds = began.elapsed().as_secs_f64();
    let count =
        |fits: fn(f64) -> bool| rows.iter().flatten().filter(|row| row.value.is_some_and(fits)).count();
    Ok(LabelReport {
        game: entry.spec(),
        positions: rows.len(),
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

/// A position, and its ply where that is known.
type Placed = (AnyPosition, Option<u32>);

fn places(entry: &Entry, kit: &Kit, positions: &Positions) -> Result<Vec<Placed>, Trouble> {
    let game = &kit.game;
    // On boards of lines the stones tell.
    let ply = |pos: &AnyPosition| {
        let stones = |pos: &AnyPosition| {
            let board = game.board(pos)?;
            Some(board.cells.iter().filter(|cell| matches!(cell, Content::First | Content::Second)).count()
                as u32)
        };
        Some(stones(pos)?.saturating_sub(stones(&game.start()?)?))
    };
    match positions {
        Positions::Random { count, sampling } => {
            let start = entry.locate(&Place::Start)?;
            let drawn = (0..*count as u64).map(|number| {
                let found = sample(game, &start, sampling, number);
                found.map(|(pos, ply)| (pos, Some(ply))).ok_or_else(|| {
                    ArenaError::Unable("random play never lasts that long; sample earlier plies".into())
                        .into()
                })
            });
            drawn.collect()
        }
        Positions::Listed(lines) => {
            let read = |(number, line): (usize, &String)| {
                let text = line.trim();
                if let Ok(pos) = entry.locate(&Place::Position(text.to_string())) {
                    let ply = ply(&pos);
                    return Ok((pos, ply));
                }
                let pos = entry.locate(&Place::Moves(text.to_string())).map_err(|trouble| {
                    Trouble::unable(format!("line {}: neither a position nor moves: {trouble}", number + 1))
                })?;
                Ok((pos, Some(game.split_moves(text).len() as u32)))
            };
            let lines = lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
            lines.map(read).collect()
        }
    }
}

/// What positions were asked for, in a word or two.
fn identity(positions: &Positions) -> String {
    match positions {
        Positions::Random { count, sampling } => format!("random {count} {sampling:?}"),
        Positions::Listed(lines) => format!("listed {}", fingerprint(lines)),
    }
}

fn partial_name(out: &Path) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_os_string();
    name.push(".partial");
    out.with_file_name(name)
}

/// The rows that an earlier run of the same request found.
fn open_partial(path: &Path, header: &Header, count: usize) -> Result<(File, Vec<Option<Row>>), ArenaError> {
    let trouble = |error: std::io::Error| ArenaError::file(path, format!("cannot be used: {error}"));
    let mut rows: Vec<Option<Row>> = vec![None; count];
    let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(trouble)?;
    let mut text = String::new();
    file.read_to_string(&mut text).map_err(trouble)?;
    // A run that was killed leaves at most one broken line.
    let whole = text.rfind('\n').map_or(0, |at| at + 1);
    file.set_len(whole as u64).map_err(trouble)?;
    let mut lines = text[..whole].lines();
    match lines.next() {
        None => {
            let line = serde_json::to_string(header).map_err(|error| trouble(error.into()))?;
            writeln!(file, "{line}").map_err(trouble)?;
        }
        Some(line) if serde_json::from_str::<Header>(line).ok().as_ref() == Some(header) => {}
        Some(_) => {
            let why = "is left of another request; repeat that one, remove the file, or choose another name";
            return Err(ArenaError::file(path, why));
        }
    }
    for line in lines {
        if let Ok(Found { number, row }) = serde_json::from_str(line)
            && number < count
        {
            rows[number] = Some(row);
        }
    }
    Ok((file, rows))
}

/// Finds the rows of some of the positions on several threads; `found` hears of each on the caller's.
fn solve(
    kit: &Kit,
    places: &[Placed],
    left: &[usize],
    request: &LabelRequest,
    watch: &dyn Watch,
    mut found: impl FnMut(usize, Row) -> Result<(), ArenaError>,
) -> Result<(), ArenaError> {
    let Some(truth) = &kit.truth else {
        return Err(ArenaError::Unable("nobody knows exact values here; ask for another game".into()));
    };
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(64);
    let mut outcome = Ok(());
    std::thread::scope(|scope| {
        for _ in 0..request.threads.clamp(1, left.len().max(1)) {
            let (sender, next) = (sender.clone(), &next);
            scope.spawn(move || {
                while let Some(&number) = left.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let row = row(kit, &**truth, &places[number], request.moves, watch);
                    // Nobody listens any more after a failure.
                    if watch.stopped() || sender.send((number, row)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        for (number, row) in receiver {
            if let Err(error) = row.and_then(|row| found(number, row)) {
                outcome = Err(error);
                break;
            }
        }
    });
    outcome
}

/// One position with what is known of it.
fn row(
    kit: &Kit,
    truth: &dyn Truth,
    (pos, ply): &Placed,
    moves: bool,
    watch: &dyn Watch,
) -> Result<Row, ArenaError> {
    let game = &kit.game;
    let turn = game.turn(pos);
    let row = Row::new(game.write_position(pos), turn, *ply);
    if let Some(payoff) = game.outcome(pos) {
        let own = if turn == Turn::Second { -payoff } else { payoff };
        return Ok(row.valued(outplay_core::Value::new(own, 0)));
    }
    let (merit, best) = if moves && turn != Turn::Chance {
        let merits = truth.moves(pos, watch)?;
        let top = merits.iter().flatten().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b));
        let best = merits.zip(top).map(|(merits, top)| {
            let is_best = |merit: &Merit| merit.equals(top);
            let names = merits.iter().filter(|(_, merit)| is_best(merit));
            Best {
                names: names.map(|(mv, _)| game.write_move(pos, *mv)).collect(),
                mask: merits.iter().map(|(_, merit)| if is_best(merit) { '1' } else { '0' }).collect(),
            }
        });
        (top, best)
    } else {
        (truth.value(pos, watch)?, None)
    };
    let mut row = match merit {
        Some(Merit::Value(value)) => {
            let mut row = row.valued(value);
            // Where every tying line is equally long, the rules know how long.
            if value.payoff() == 0 && !value.is_repetition() {
                row.distance = game.tie_plies(pos);
            }
            row
        }
        Some(Merit::Mean(mean)) => row.mean(mean),
        None => row,
    };
    row.best = best;
    Ok(row)
}
