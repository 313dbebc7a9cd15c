//! What was found by long work, written down for the next time.
//!
//! ```text
//!  DATA/notes/mnk-6x6,k=4.notes
//!    5f0c…  {"position":"6/6/…","payoff":1,"distance":null,"best":["c3"]}
//!    checksum of the line's rest (XXH3)
//! ```
//!
//! A file is a list of lines that only grows; when it is too large, its older half is dropped. A line that fails its
//! checksum is not believed. Notes are a convenience: what cannot be written is not.
//!
//! Invariant: a note is exact, and its moves are those of its own position.

use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Notation, Value};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;
use xxhash_rust::xxh3::xxh3_64;

/// Where notes are, below the data directory.
const DIRECTORY: &str = "notes";

/// Bytes of one game's notes, and of all together.
const MOST_OF_A_GAME: u64 = 1 << 20;
const MOST: u64 = 32 << 20;

/// Work that took less is not worth writing down.
pub(crate) const WORTH_KEEPING: Duration = Duration::from_millis(100);

/// What is known of a position.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    pub(crate) value: Value,
    /// Moves that are certainly best; may be empty.
    pub(crate) best: Vec<AnyMove>,
}

/// A note as it is written.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct Line {
    position: String,
    payoff: i32,
    distance: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    repetition: bool,
    best: Vec<String>,
}

impl Line {
    fn value(&self) -> Value {
        match (self.repetition, self.distance) {
            (true, _) => Value::REPETITION,
            (false, Some(plies)) => Value::new(self.payoff, plies),
            (false, None) => Value::untimed(self.payoff),
        }
    }
}

/// What was written down about one game.
pub(crate) struct Notes {
    file: PathBuf,
    lines: Mutex<FxHashMap<String, Line>>,
}

/// The lines of a file whose checksums hold.
fn read(text: &str) -> impl Iterator<Item = Line> + '_ {
    text.lines().filter_map(|line| {
        let (sum, rest) = line.split_once(' ')?;
        let sum = u64::from_str_radix(sum, 16).ok()?;
        (sum == xxh3_64(rest.as_bytes())).then(|| serde_json::from_str(rest).ok()).flatten()
    })
}

impl Notes {
    /// Reads what there is; nothing if there is nothing, or nothing that can be read.
    pub(crate) fn open(data: &Path, spec: &str) -> Notes {
        let name = outplay_table::name(spec, outplay_table::Values::Distance) + ".notes";
        let file = data.join(DIRECTORY).join(name);
        let text = match fs::metadata(&file) {
            Ok(found) if found.is_file() && found.len() <= 2 * MOST_OF_A_GAME => {
                fs::read(&file).unwrap_or_default()
            }
            _ => Vec::new(),
        };
        let text = String::from_utf8_lossy(&text);
        let lines = read(&text).map(|line| (line.position.clone(), line)).collect();
        Notes { file, lines: Mutex::new(lines) }
    }

    /// What is known of a position or of one that is symmetric to it; moves are told of the position itself only.
    pub(crate) fn find(&self, game: &AnyGame, pos: &AnyPosition) -> Option<Note> {
        let lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        if lines.is_empty() {
            return None;
        }
        if let Some(line) = lines.get(&game.write_position(pos)) {
            let best: Option<Vec<AnyMove>> =
                line.best.iter().map(|word| game.read_move(pos, word).ok()).collect();
            return Some(Note { value: line.value(), best: best.unwrap_or_default() });
        }
        let mut images = Vec::new();
        game.symmetric(pos, &mut images);
        let line = images.iter().find_map(|image| lines.get(&game.write_position(image)))?;
        Some(Note { value: line.value(), best: Vec::new() })
    }

    /// Writes down what is known of a position.
    pub(crate) fn add(&self, game: &AnyGame, pos: &AnyPosition, note: &Note) {
        let line = Line {
            position: game.write_position(pos),
            payoff: note.value.payoff(),
            distance: note.value.distance(),
            repetition: note.value.is_repetition(),
            best: note.best.iter().map(|&mv| game.write_move(pos, mv)).collect(),
        };
        let mut lines = self.lines.lock().unwrap_or_else(PoisonError::into_inner);
        let known = lines.get(&line.position).is_some_and(|known| known.best.len() >= line.best.len());
        if !known && self.append(&line).is_ok() {
            lines.insert(line.position.clone(), line);
        }
    }

    fn append(&self, line: &Line) -> io::Result<()> {
        let directory = self.file.parent().ok_or(io::ErrorKind::NotFound)?;
        fs::create_dir_all(directory)?;
        let rest = serde_json::to_string(line).map_err(io::Error::other)?;
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(&self.file)?;
        // Another process may be writing; whoever comes second waits for the length of a line.
        file.lock()?;
        if file.metadata()?.len() > MOST_OF_A_GAME {
            drop_older_half(&mut file)?;
        }
        file.write_all(format!("{:016x} {rest}\n", xxh3_64(rest.as_bytes())).as_bytes())?;
        drop(file);
        bound(directory, &self.file)
    }
}

/// Keeps the newer half of a file's lines.
fn drop_older_half(file: &mut File) -> io::Result<()> {
    let mut text = String::new();
    file.seek(SeekFrom::Start(0))?;
    file.read_to_string(&mut text)?;
    let half = text[text.len() / 2..].find('\n').map_or(text.len(), |at| text.len() / 2 + at + 1);
    file.set_len(0)?;
    file.write_all(&text.as_bytes()[half..])
}

/// Removes the notes of games that nobody has asked about for longest, if there are too many.
fn bound(directory: &Path, newest: &Path) -> io::Result<()> {
    let mut files: Vec<(std::time::SystemTime, u64, PathBuf)> = Vec::new();
    for entry in fs::read_dir(directory)? {
        let entry = entry?;
        let found = entry.metadata()?;
        files.push((found.modified()?, found.len(), entry.path()));
    }
    files.sort();
    let mut total: u64 = files.iter().map(|(_, bytes, _)| bytes).sum();
    for (_, bytes, path) in files {
        if total <= MOST {
            break;
        }
        if path != newest {
            fs::remove_file(path)?;
            total -= bytes;
        }
    }
    Ok(())
}

/// The notes of one game, for a list.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedNotes {
    /// The name of the file without its ending.
    pub name: String,
    /// Positions that were written down.
    pub positions: usize,
    /// The size of the file.
    pub bytes: u64,
}

/// What was written down, game by game.
pub fn list_notes(data: &Path) -> Vec<ListedNotes> {
    let Ok(entries) = fs::read_dir(data.join(DIRECTORY)) else { return Vec::new() };
    let mut listed: Vec<ListedNotes> = entries
        .filter_map(|entry| {
            let path = entry.ok()?.path();
            let found = fs::symlink_metadata(&path).ok().filter(|found| found.is_file())?;
            let text = fs::read(&path).ok()?;
            let name = path.file_name()?.to_str()?.strip_suffix(".notes")?.to_string();
            let positions = read(&String::from_utf8_lossy(&text)).count();
            Some(ListedNotes { name, positions, bytes: found.len() })
        })
        .collect();
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    listed
}

/// Forgets what was written down, of one game (by the name in the list) or of all; how many files that were.
///
/// # Errors
///
/// A file that cannot be removed.
pub fn clear_notes(data: &Path, name: Option<&str>) -> io::Result<usize> {
    let mut removed = 0;
    for notes in list_notes(data).iter().filter(|notes| name.is_none_or(|name| notes.name == name)) {
        fs::remove_file(data.join(DIRECTORY).join(format!("{}.notes", notes.name)))?;
        removed += 1;
    }
    Ok(removed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Native;
    use outplay_games::mnk::{Mnk, Rules};

    fn board(spec: &str) -> AnyGame {
        let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
        AnyGame::of(Native::new(game).lines())
    }

    #[test]
    fn what_was_written_is_found_again_also_of_symmetric_positions() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:4x4,k=4");
        let corner = game.read_position("x3/4/4/4").unwrap();
        let note = Note { value: Value::untimed(-1), best: vec![AnyMove(2)] };
        Notes::open(data.path(), "mnk:4x4,k=4").add(&game, &corner, &note);
        let notes = Notes::open(data.path(), "mnk:4x4,k=4");
        let found = notes.find(&game, &corner).unwrap();
        assert_eq!((found.value, found.best), (note.value, note.best));
        let other = game.read_position("4/4/4/3x").unwrap();
        assert_eq!(
            notes.find(&game, &other).map(|note| (note.value, note.best.len())),
            Some((note.value, 0))
        );
        assert!(notes.find(&game, &game.start().unwrap()).is_none());
        assert_eq!(list_notes(data.path()).len(), 1);
        assert_eq!(clear_notes(data.path(), None).unwrap(), 1);
        assert!(list_notes(data.path()).is_empty());
    }

    #[test]
    fn a_line_that_was_changed_is_not_believed() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:3x3,k=3");
        let start = game.start().unwrap();
        let notes = Notes::open(data.path(), "tictactoe");
        notes.add(&game, &start, &Note { value: Value::TIE, best: Vec::new() });
        let text = fs::read_to_string(&notes.file).unwrap();
        fs::write(&notes.file, text.replace("\"payoff\":0", "\"payoff\":1")).unwrap();
        assert!(Notes::open(data.path(), "tictactoe").find(&game, &start).is_none());
    }

    #[test]
    fn a_file_stays_bounded() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:5x5,k=4");
        let start = game.start().unwrap();
        let notes = Notes::open(data.path(), "mnk:5x5,k=4");
        notes.add(&game, &start, &Note { value: Value::TIE, best: Vec::new() });
        let line = fs::read_to_string(&notes.file).unwrap();
        fs::write(&notes.file, line.repeat(2 * MOST_OF_A_GAME as usize / line.len())).unwrap();
        let next = game.play(&start, AnyMove(0));
        notes.add(&game, &next, &Note { value: Value::TIE, best: Vec::new() });
        assert!(fs::metadata(&notes.file).unwrap().len() <= MOST_OF_A_GAME + 1000);
        assert!(Notes::open(data.path(), "mnk:5x5,k=4").find(&game, &next).is_some());
    }
}
