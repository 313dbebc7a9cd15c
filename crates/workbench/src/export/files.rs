//! Output files of a data set: training rows, test rows, and the data sheet that describes them.

use super::coded::{EncodedRows, EncodedSplit, RowCounts, RowEncoder};
use super::{ExportReport, ExportedFile, Request};
use crate::Trouble;
use outplay_dataset::{Form, Npz, Partial, Rows};
use outplay_runtime::Monitor;
use std::fmt::Write as _;
use std::io::{Read, Write as _};
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The files of a data set being written.
pub(crate) struct Files {
    train: File,
    tested: Option<File>,
}

struct File {
    path: PathBuf,
    rows: u64,
    kind: RowOutput,
}

enum RowOutput {
    Rows(Box<Rows>),
    Npz(Box<Npz>),
}

impl File {
    fn create(path: PathBuf, coder: &RowEncoder<'_>) -> Result<File, Trouble> {
        let kind = match coder.form {
            Form::Npz => RowOutput::Npz(Box::new(Npz::create(&path, coder.columns.clone())?)),
            form => RowOutput::Rows(Box::new(Rows::create(&path, form)?)),
        };
        Ok(File { path, rows: 0, kind })
    }

    fn append(&mut self, rows: u64, part: &EncodedRows) -> Result<(), Trouble> {
        self.rows += rows;
        match (&mut self.kind, part) {
            (RowOutput::Npz(npz), EncodedRows::Block(block)) => npz.append(block)?,
            (RowOutput::Rows(lines), EncodedRows::Lines(text)) => lines.append(text)?,
            // An encoder and its files have the same form.
            _ => {}
        }
        Ok(())
    }

    fn finish(self) -> Result<ExportedFile, Trouble> {
        match self.kind {
            RowOutput::Npz(npz) => npz.finish()?,
            RowOutput::Rows(rows) => rows.finish()?,
        }
        let (bytes, checksum) = checksum(&self.path)?;
        Ok(ExportedFile { file: self.path.display().to_string(), rows: self.rows, bytes, checksum })
    }
}

/// Inserts a word before the extension of a file name.
fn beside(path: &Path, word: &str) -> PathBuf {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("rows");
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    path.with_file_name(format!("{stem}{word}.{ending}"))
}

impl Files {
    pub(crate) fn create(coder: &RowEncoder<'_>, request: &Request) -> Result<Files, Trouble> {
        let train = File::create(request.out.clone(), coder)?;
        let tested =
            (request.test > 0.0).then(|| File::create(beside(&request.out, "-test"), coder)).transpose()?;
        Ok(Files { train, tested })
    }

    /// Appends rows to the files of their split, and counts them.
    pub(crate) fn append(
        &mut self,
        coded: EncodedSplit,
        tally: &mut RowCounts,
        watch: &dyn Monitor,
    ) -> Result<(), Trouble> {
        let rows = coded.tally.rows;
        self.train.append(rows - coded.test_rows, &coded.train)?;
        if let Some(tested) = &mut self.tested {
            tested.append(coded.test_rows, &coded.tested)?;
        }
        tally.add(coded.tally);
        watch.advance(rows);
        Ok(())
    }

    /// Renames the temporary files to their final names.
    pub(crate) fn finish(self) -> Result<Vec<ExportedFile>, Trouble> {
        [Some(self.train), self.tested].into_iter().flatten().map(File::finish).collect()
    }
}

/// Returns the size of a file in bytes and the xxh3 checksum that data sheets list.
///
/// # Errors
///
/// A file that cannot be read.
pub fn checksum(path: &Path) -> Result<(u64, String), Trouble> {
    let wrong = |error| Trouble::unable(format!("cannot read {} again: {error}", path.display()));
    let mut file = std::fs::File::open(path).map_err(wrong)?;
    let (mut hasher, mut buffer, mut bytes) = (Xxh3::new(), vec![0; 1 << 20], 0);
    loop {
        match file.read(&mut buffer).map_err(wrong)? {
            0 => return Ok((bytes, format!("{:016x}", hasher.digest()))),
            count => {
                hasher.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}

/// The data sheet of a data set; its name is reserved before anything is computed.
pub(crate) struct Sheet {
    path: PathBuf,
    file: Partial,
}

impl Sheet {
    pub(crate) fn create(request: &Request) -> Result<Sheet, Trouble> {
        // Appended to the whole name: other forms have sheets of their own, and no README is overwritten.
        let mut path = request.out.clone().into_os_string();
        path.push(".md");
        let path = PathBuf::from(path);
        let file = Partial::create(&path)?;
        Ok(Sheet { path, file })
    }

    /// Writes the data sheet and returns its name.
    pub(crate) fn finish(mut self, text: &str) -> Result<String, Trouble> {
        let written = self.file.write_all(text.as_bytes()).and_then(|()| self.file.finish());
        written.map_err(|error| Trouble::unable(format!("cannot write {}: {error}", self.path.display())))?;
        Ok(self.path.display().to_string())
    }
}

/// The text of the data sheet.
pub(crate) fn described(request: &Request, form: Form, report: &ExportReport) -> String {
    let mut text = format!("# Positions of {} with exact values\n\n", report.game);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Made by outplay {}.", env!("CARGO_PKG_VERSION"));
    let _ = match request.positions {
        Some(wanted) => writeln!(
            text,
            "Positions of random games from the start, seed {}, {wanted} asked for, symmetric ones taken once.",
            request.seed
        ),
        None => {
            writeln!(text, "All positions of the game's table that play reaches, symmetric ones included.")
        }
    };
    if let Some((low, high)) = request.plies {
        let _ = writeln!(text, "Only positions after {low} to {high} moves.");
    }
    if request.balanced {
        let _ = writeln!(text, "Won, drawn and lost positions are equally many.");
    }
    let _ = writeln!(text, "\n| rows | |\n|---|---|\n| all | {} |", report.rows);
    for (value, count) in &report.values {
        let _ = writeln!(text, "| {value} for the player to move | {count} |");
    }
    for (ply, count) in &report.plies {
        let _ = writeln!(text, "| ply {ply} | {count} |");
    }
    let _ = writeln!(text, "\n| file | rows | bytes | xxh3 |\n|---|---|---|---|");
    for file in &report.files {
        let _ = writeln!(text, "| {} | {} | {} | {} |", file.file, file.rows, file.bytes, file.checksum);
    }
    if request.test > 0.0 {
        let _ = writeln!(
            text,
            "\nThe file for testing has a share of {} of the symmetry classes: symmetric positions are in one file.",
            request.test
        );
    }
    text += match form {
        Form::Npz => {
            "\nColumns: `planes` (first player's stones, second player's stones, top row first) or `position`; `to_move` (0 first, \
             1 second, 2 chance); `ply` (-1 if not counted); `value` (what the player to move gets under best play; -32768 or no \
             number if unknown; with dice the mean, before a roll the first player's); `distance` (plies to the end, -1 if \
             there is none); `class` (the same for symmetric positions); `legal` (the legal moves, separated by blanks); `mask` (an entry \
             for each of them in that order, 1 for the best and 0 for others, then 255); on boards `actions` (the same by \
             column where stones fall, else by cell, row by row from the top: 255 where there is no legal move).\n"
        }
        _ => {
            "\nColumns: `position` in the game's notation, `to_move`, `ply`, `value` (what the player to move gets under best \
             play), `distance` (plies to the end), `best` (the best moves), `legal` (the legal moves) and `mask` (a digit for each of `legal` in its order, 1 for the best and \
             0 for others; in csv a JSON list such as [0,1,0], which readers do not take for a number).\n"
        }
    };
    text += "\nValues are facts about the game; the files are free of any licence (CC0).\n";
    text
}
