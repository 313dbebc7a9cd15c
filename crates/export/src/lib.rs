//! Data sets: positions of a game with exact labels, split so that symmetric positions stay together.
//!
//! ```text
//!  Request ──▶ which positions ──▶ Label ──────────▶ Coded ────────────▶ files and sheet
//!              all of a table,     value, distance,  columns or lines,   one after the other,
//!              or random games     best moves, class train, test apart   nothing kept in memory
//!              └───────────── on all threads, piece by piece ────────┘
//! ```
//!
//! Invariant: what is written follows from the game, the request and its seed alone, never from threads.
//!
//! ```
//! use outplay_answer::QueryOptions;
//! use outplay_catalog::Catalog;
//! use outplay_export::{Request, export};
//!
//! let folder = tempfile::tempdir()?;
//! let mut request = Request::new(folder.path().join("rows.csv"));
//! request.positions = Some(30);
//! let entry = Catalog::standard().open("tictactoe")?;
//! let report = export(&entry, &request, &QueryOptions::default(), &outplay_core::Quiet)?;
//! assert_eq!(report.rows, 30);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod coded;
mod files;
mod label;

use choose::{Games, Listed};
use coded::{Coder, Tally};
use files::Files;
use label::{Label, Labels};
use outplay_answer::{Entry, QueryOptions, Trouble};
use outplay_core::{Notation, Watch};
use outplay_data::{DataError, Form};
use rayon::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// What to write.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// How many positions, of random games; none for all of the game's table.
    pub positions: Option<u64>,
    /// Moves made before a position, at least and at most.
    pub plies: Option<(u32, u32)>,
    /// Whether won, drawn and lost positions are equally many; of random games only.
    pub balanced: bool,
    /// Whether best moves are told.
    pub best: bool,
    /// The share of positions that are kept apart for testing.
    pub test: f64,
    /// What chance follows from.
    pub seed: u64,
    /// The form of the files; what the name ends with, if not said.
    pub form: Option<Form>,
    /// Where the rows go. Those for testing have `-test` in the name, and the data sheet is called the same with `.md` behind.
    pub out: PathBuf,
}

impl Request {
    /// All positions of a game with their best moves, none kept apart.
    pub fn new(out: PathBuf) -> Request {
        Request {
            positions: None,
            plies: None,
            balanced: false,
            best: true,
            test: 0.0,
            seed: 1,
            form: None,
            out,
        }
    }
}

/// A file that was written.
#[derive(Clone, Debug, Serialize)]
pub struct Written {
    /// Its name.
    pub file: String,
    /// Its rows.
    pub rows: u64,
    /// Its size.
    pub bytes: u64,
    /// The xxh3 checksum of its bytes.
    pub checksum: String,
}

/// What was written.
#[derive(Clone, Debug, Serialize)]
pub struct Report {
    /// The game's canonical spec.
    pub game: String,
    /// Rows of all files together.
    pub rows: u64,
    /// Rows by what the player to move gets: `win`, `draw`, `loss`, `mean` with dice, `unknown`.
    pub values: BTreeMap<String, u64>,
    /// Rows by ply, where plies are counted.
    pub plies: BTreeMap<u32, u64>,
    /// The files.
    pub files: Vec<Written>,
    /// The data sheet.
    pub sheet: String,
    /// What was asked for and could not be had, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Time on the wall.
    pub seconds: f64,
}

/// What a file's troubles are to whoever asked.
fn trouble(error: DataError) -> Trouble {
    Trouble::unable(error.to_string())
}

/// Writes a data set.
///
/// # Errors
///
/// A request that makes no sense, all positions of a game without a table, a disk that is full, or a stop.
pub fn export(
    entry: &Entry,
    request: &Request,
    options: &QueryOptions,
    watch: &dyn Watch,
) -> Result<Report, Trouble> {
    let began = Instant::now();
    if !(0.0..1.0).contains(&request.test) {
        return Err(Trouble::unable("the share for testing lies between 0 and 1, as in 0.1"));
    }
    if request.balanced && request.positions.is_none() {
        let why = "a balanced set is a choice among positions; say how many";
        return Err(Trouble::unable(why));
    }
    let form = request.form.map_or_else(|| Form::of(&request.out), Ok).map_err(trouble)?;
    let labels = Labels::new(entry, options, request.best, watch)?;
    let coder = Coder::new(entry, request, form);
    let mut files = Files::create(&coder, request)?;
    let tally = match request.positions {
        Some(_) => {
            let mut games = Games::new(entry, request)?;
            write_games(&mut games, &labels, &coder, (&mut files, request), watch)?
        }
        None => {
            let listed = Listed::new(entry, &labels, request, options, watch)?;
            write_listed(&listed, &labels, &coder, &mut files, watch)?
        }
    };
    let mut notes = Vec::new();
    if let Some(wanted) = request.positions.filter(|&wanted| tally.rows < wanted) {
        notes.push(format!(
            "{} of {wanted} positions were found; random games brought no further ones",
            tally.rows
        ));
    }
    let written = files.finish()?;
    let mut report = Report {
        game: entry.game().spec(),
        rows: tally.rows,
        values: tally.words(),
        plies: tally.plies,
        files: written,
        sheet: String::new(),
        notes,
        seconds: began.elapsed().as_secs_f64(),
    };
    report.sheet = files::sheet(request, form, &report)?;
    Ok(report)
}

/// Pieces of a table that a thread works off between two times of writing.
const PIECES: usize = 4;

/// Writes all positions of a table: while threads label and code some pieces, those before are written.
fn write_listed(
    listed: &Listed<'_>,
    labels: &Labels<'_>,
    coder: &Coder<'_>,
    files: &mut Files,
    watch: &dyn Watch,
) -> Result<Tally, Trouble> {
    watch.stage("positions", listed.expected());
    let mut tally = Tally::default();
    let mut pieces = listed.pieces();
    let mut coded = Vec::new();
    loop {
        let wave: Vec<_> = pieces.by_ref().take(PIECES * rayon::current_num_threads()).collect();
        let code = |piece| {
            let mut coded = coder.blank();
            listed.each_label(piece, labels, watch, |label| coder.code(label, &mut coded))?;
            Ok(coded)
        };
        let (next, written) = rayon::join(
            || wave.par_iter().map(code).collect::<Result<Vec<_>, Trouble>>(),
            || coded.drain(..).try_for_each(|part| files.append(part, &mut tally, watch)),
        );
        written?;
        coded = next?;
        if wave.is_empty() {
            return Ok(tally);
        }
    }
}

/// Writes as many positions of random games as are wanted.
fn write_games(
    games: &mut Games<'_>,
    labels: &Labels<'_>,
    coder: &Coder<'_>,
    (files, request): (&mut Files, &Request),
    watch: &dyn Watch,
) -> Result<Tally, Trouble> {
    let mut tally = Tally::default();
    let mut quota = Quota::new(request);
    watch.stage("positions", request.positions.unwrap_or(0));
    while !quota.is_full() {
        let batch = games.next_batch(watch)?;
        if batch.is_empty() {
            break;
        }
        let mut coded = coder.blank();
        for label in labels.of_all(batch, watch)?.iter().filter(|label| quota.takes(label)) {
            coder.code(label, &mut coded)?;
        }
        files.append(coded, &mut tally, watch)?;
    }
    Ok(tally)
}

/// How many positions of each kind are still wanted.
struct Quota {
    left: Option<u64>,
    /// Losses, draws and wins.
    by_verdict: Option<[u64; 3]>,
}

impl Quota {
    fn new(request: &Request) -> Quota {
        let thirds = |n: u64| [n.div_ceil(3), (n + 1) / 3, n / 3];
        Quota {
            left: request.positions,
            by_verdict: request.positions.filter(|_| request.balanced).map(thirds),
        }
    }

    fn is_full(&self) -> bool {
        self.left == Some(0)
    }

    fn takes(&mut self, label: &Label) -> bool {
        if self.is_full() {
            return false;
        }
        if let Some(by_verdict) = &mut self.by_verdict {
            let Some(value) = label.value else { return false };
            let left = &mut by_verdict[value.verdict() as usize];
            if *left == 0 {
                return false;
            }
            *left -= 1;
        }
        self.left = self.left.map(|left| left - 1);
        true
    }
}
