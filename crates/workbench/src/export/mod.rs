//! Labelled data sets: positions of a game with exact values, as NumPy columns, CSV or JSON lines.
//!
//! ```text
//!  command  positions                          label                      rows
//!  export   of a table, or of random games ─┐  value, distance,       ┌─ streamed as columns or lines; train/test
//!                                           ├▶ best moves           ─┤
//!  label    numbered samples, or a list    ─┘  (table, else ladder)   └─ logged as they are found; resumable
//! ```
//!
//! [`export`] streams a data set without holding it in memory, and splits it so that symmetric positions stay
//! together. [`label`] holds its rows in memory, resumes after a kill and refuses to replace a file.
//!
//! Invariant: the output is a function of the game, the request and its seed, independent of threads.
//!
//! ```
//! use outplay_games::mnk::{Mnk, Rules};
//! use outplay_workbench::export::{Request, export};
//! use outplay_workbench::{GameHandle, Session};
//!
//! let folder = tempfile::tempdir()?;
//! let mut request = Request::new(folder.path().join("rows.csv"));
//! request.positions = Some(30);
//! let game = GameHandle::new(Mnk::<u64>::new(Rules::parse("tictactoe")?).expect("a small board"));
//! let report = export(&Session::in_memory(), &game, &request, &outplay_runtime::NoMonitor)?;
//! assert_eq!(report.rows, 30);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod choose;
mod coded;
mod files;
mod label;
mod policy;
mod random;
mod resume;

use crate::{GameHandle, Session, Trouble};
use choose::TablePositions;
pub use choose::{MOST_POSITIONS, Positions, fingerprint};
use coded::{RowCounts, RowEncoder};
pub use files::checksum;
use files::{Files, Sheet};
pub use label::each_on_threads;
use label::{Label, Labels};
use outplay_core::Notation;
use outplay_dataset::Form;
use outplay_players::MoveValue;
use outplay_runtime::Monitor;
pub use policy::{PolicyReport, export_policy};
use random::RandomGames;
pub use random::{Sampling, Spread, TOO_LATE, sample};
use rayon::prelude::*;
pub use resume::{LabelReport, LabelRequest, count_partial, label};
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Instant;

/// A request for a data set of labelled positions.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Request {
    /// Number of positions from random games; none for all positions of the game's table.
    pub positions: Option<u64>,
    /// Minimum and maximum ply.
    pub plies: Option<(u32, u32)>,
    /// Whether to balance wins, draws and losses; random games only.
    pub balanced: bool,
    /// Whether to include best moves.
    pub best: bool,
    /// The fraction of positions in the test split.
    pub test: f64,
    /// Random seed.
    pub seed: u64,
    /// The format of the files; by default that of the file extension.
    pub form: Option<Form>,
    /// The output file. Test rows go to a file with `-test` in its name, the data sheet to one with `.md` appended.
    pub out: PathBuf,
}

impl Request {
    /// All positions of a game with their best moves, without a test split.
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

/// A file that [`export`] has written, with its size and number of rows.
#[derive(Clone, Debug, Serialize)]
pub struct ExportedFile {
    /// Its name.
    pub file: String,
    /// Its rows.
    pub rows: u64,
    /// Its size in bytes.
    pub bytes: u64,
    /// The xxh3 checksum of its bytes.
    pub checksum: String,
}

/// The result of [`export`].
#[derive(Clone, Debug, Serialize)]
pub struct ExportReport {
    /// The game's canonical spec.
    pub game: String,
    /// Rows of all files together.
    pub rows: u64,
    /// Rows by value for the player to move: `win`, `draw`, `loss`, `mean` for chance, `unknown`.
    pub values: BTreeMap<String, u64>,
    /// Rows by ply, if plies are counted.
    pub plies: BTreeMap<u32, u64>,
    /// The files.
    pub files: Vec<ExportedFile>,
    /// The data sheet.
    pub sheet: String,
    /// Parts of the request that could not be fulfilled, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Wall time in seconds.
    pub seconds: f64,
}

/// Writes a data set.
///
/// # Errors
///
/// A bad request, all positions of a game without a table, a full disk, or a stop.
pub fn export(
    session: &Session,
    entry: &GameHandle,
    request: &Request,
    watch: &dyn Monitor,
) -> Result<ExportReport, Trouble> {
    let began = Instant::now();
    if !(0.0..1.0).contains(&request.test) {
        return Err(Trouble::unable(
            "the share of test rows must be at least 0 and less than 1, for example 0.1",
        ));
    }
    if request.balanced && request.positions.is_none() {
        let why = "a balanced data set is a sample; give the number of positions to sample";
        return Err(Trouble::unable(why));
    }
    let form = request.form.map_or_else(|| Form::of(&request.out), Ok)?;
    let labels = Labels::new(entry, session, request.best, watch)?;
    let coder = RowEncoder::new(entry, request, form);
    let mut files = Files::create(&coder, request)?;
    let sheet = Sheet::create(request)?;
    let tally = match request.positions {
        Some(_) => {
            let mut games = RandomGames::new(entry, request)?;
            write_games(&mut games, &labels, &coder, (&mut files, request), watch)?
        }
        None => {
            let listed = TablePositions::new(entry, &labels, request, session, watch)?;
            write_listed(&listed, &labels, &coder, &mut files, watch)?
        }
    };
    let mut notes = Vec::new();
    if let Some(wanted) = request.positions.filter(|&wanted| tally.rows < wanted) {
        notes.push(format!(
            "{} of {wanted} positions were found; further random games reached no new ones",
            tally.rows
        ));
    }
    let written = files.finish()?;
    let mut report = ExportReport {
        game: entry.game().spec(),
        rows: tally.rows,
        values: tally.words(),
        plies: tally.plies,
        files: written,
        sheet: String::new(),
        notes,
        seconds: began.elapsed().as_secs_f64(),
    };
    report.sheet = sheet.finish(&files::described(request, form, &report))?;
    Ok(report)
}

/// Pieces of a table per thread between two writes.
const PIECES: usize = 4;

/// Writes all positions of a table: threads label and encode a batch of pieces while the previous batch is written.
fn write_listed(
    listed: &TablePositions<'_>,
    labels: &Labels<'_>,
    coder: &RowEncoder<'_>,
    files: &mut Files,
    watch: &dyn Monitor,
) -> Result<RowCounts, Trouble> {
    watch.stage("exporting positions", listed.expected());
    let mut tally = RowCounts::default();
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

/// Writes the requested number of positions from random games.
fn write_games(
    games: &mut RandomGames<'_>,
    labels: &Labels<'_>,
    coder: &RowEncoder<'_>,
    (files, request): (&mut Files, &Request),
    watch: &dyn Monitor,
) -> Result<RowCounts, Trouble> {
    let mut tally = RowCounts::default();
    let mut quota = Quota::new(request);
    watch.stage("sampling positions", request.positions.unwrap_or(0));
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

/// Number of positions of each kind that are still needed.
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
            let Some(MoveValue::Value(value)) = label.value else { return false };
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
