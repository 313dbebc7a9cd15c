//! Rows on disk, train and test apart, and the data sheet.

use crate::coded::{Coded, Coder, Part, Tally};
use crate::{Report, Request, Written, trouble};
use outplay_answer::Trouble;
use outplay_core::Watch;
use outplay_data::{Form, Npz, Rows};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::Xxh3;

/// The files of a data set under way.
pub(crate) struct Files {
    train: File,
    tested: Option<File>,
}

struct File {
    path: PathBuf,
    rows: u64,
    kind: Writer,
}

enum Writer {
    Rows(Box<Rows>),
    Npz(Box<Npz>),
}

impl File {
    fn create(path: PathBuf, coder: &Coder<'_>) -> Result<File, Trouble> {
        let kind = match coder.form {
            Form::Npz => Writer::Npz(Box::new(Npz::create(&path, coder.columns.clone()).map_err(trouble)?)),
            form => Writer::Rows(Box::new(Rows::create(&path, form).map_err(trouble)?)),
        };
        Ok(File { path, rows: 0, kind })
    }

    fn append(&mut self, rows: u64, part: &Part) -> Result<(), Trouble> {
        self.rows += rows;
        match (&mut self.kind, part) {
            (Writer::Npz(npz), Part::Block(block)) => npz.append(block),
            (Writer::Rows(lines), Part::Lines(text)) => lines.append(text),
            // A coder and its files have one form.
            _ => Ok(()),
        }
        .map_err(trouble)
    }

    fn finish(self) -> Result<Written, Trouble> {
        match self.kind {
            Writer::Npz(npz) => npz.finish(),
            Writer::Rows(rows) => rows.finish(),
        }
        .map_err(trouble)?;
        let (bytes, checksum) = checksum(&self.path)?;
        Ok(Written { file: self.path.display().to_string(), rows: self.rows, bytes, checksum })
    }
}

/// A name with a word before its ending.
fn beside(path: &Path, word: &str) -> PathBuf {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("rows");
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    path.with_file_name(format!("{stem}{word}.{ending}"))
}

impl Files {
    pub(crate) fn create(coder: &Coder<'_>, request: &Request) -> Result<Files, Trouble> {
        let train = File::create(request.out.clone(), coder)?;
        let tested =
            (request.test > 0.0).then(|| File::create(beside(&request.out, "-test"), coder)).transpose()?;
        Ok(Files { train, tested })
    }

    /// Writes rows to the files that they belong to, and counts them.
    pub(crate) fn append(
        &mut self,
        coded: Coded,
        tally: &mut Tally,
        watch: &dyn Watch,
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

    /// Gives the files their names.
    pub(crate) fn finish(self) -> Result<Vec<Written>, Trouble> {
        [Some(self.train), self.tested].into_iter().flatten().map(File::finish).collect()
    }
}

/// The size and checksum of a file.
fn checksum(path: &Path) -> Result<(u64, String), Trouble> {
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

/// Writes the data sheet and returns its name.
pub(crate) fn sheet(request: &Request, form: Form, report: &Report) -> Result<String, Trouble> {
    // Behind the whole name: rows of other forms have sheets of their own, and nobody's README is overwritten.
    let mut path = request.out.clone().into_os_string();
    path.push(".md");
    let path = PathBuf::from(path);
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
             there is none); `class` (the same for symmetric positions); `mask` (1 for best moves, 0 for others, 255 for none: \
             by column where stones fall, by cell from the top on other boards, else by place in the list of moves).\n"
        }
        _ => {
            "\nColumns: `position` in the game's notation, `to_move`, `ply`, `value` (what the player to move gets under best \
             play), `distance` (plies to the end), `best` (the best moves) and `mask` (a digit for each legal move).\n"
        }
    };
    text += "\nValues are facts about the game; the files are free of any licence (CC0).\n";
    let why = |error| Trouble::unable(format!("cannot write {}: {error}", path.display()));
    std::fs::write(&path, text).map_err(why)?;
    Ok(path.display().to_string())
}
