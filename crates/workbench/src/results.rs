//! Persistent result cache: values of positions that took long to find.
//!
//! ```text
//!  DATA/notes/mnk-6x6,k=4.notes       a sealed file (outplay-files): game, rules and program in its first line
//!    5f0c…  {"position":"6/6/…","payoff":1,"distance":null,"best":["c3"]}
//! ```
//!
//! A file is append-only; when it is too large, its older half is dropped. A file of another game, rules version or
//! program version is renamed, and a line that fails its checksum is skipped. The cache is best effort: a result that
//! cannot be written is dropped, and waiting for a file lock has a short timeout.
//!
//! If the search found a principal variation, it is stored with the result, as `"line":["c3",…]`.
//!
//! Invariant: a result is returned only if it is consistent with the rules at its position and at the finished
//! successors, and with the stored results of other successors.

use crate::plausible::is_plausible;
use crate::{GameHandle, PlainCount};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Notation, Value};
use outplay_files::{
    Contents, FileError, Identity, Links, Log, OpenLog, State, Strangers, own_directory, read, read_sealed,
    set_aside,
};
use outplay_runtime::Monitor;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// The directory of the result cache below the data directory.
const DIRECTORY: &str = "notes";

/// The kind of file, and the version of its format: version 1 had no identity.
const KIND: &str = "kept results";
const FORMAT: u32 = 2;

/// Size limits in bytes: of one game's results, of a file that is read at all, and of all files together.
const MOST_OF_A_GAME: u64 = 1 << 20;
const LONGEST: u64 = 2 * MOST_OF_A_GAME;
const MOST: u64 = 32 << 20;

/// Work that took less time than this is not cached.
pub(crate) const WORTH_KEEPING: Duration = Duration::from_millis(100);

/// Timeout for the lock of a file that another process is writing.
const PATIENCE: Duration = Duration::from_millis(200);

/// A cached value with best moves.
#[derive(Clone, Debug)]
pub(crate) struct CachedResult {
    pub(crate) value: Value,
    /// Moves that are certainly best; may be empty.
    pub(crate) best: Vec<AnyMove>,
    /// A principal variation; may be empty.
    pub(crate) line: Vec<AnyMove>,
}

/// A result as it is stored.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct ResultLine {
    position: String,
    payoff: i32,
    distance: Option<u32>,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    repetition: bool,
    best: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    line: Vec<String>,
}

impl ResultLine {
    /// The value; `None` if the fields contradict each other.
    fn value(&self) -> Option<Value> {
        match (self.repetition, self.payoff, self.distance) {
            (true, 0, None) => Some(Value::REPETITION),
            (false, 0, None) => Some(Value::TIE),
            (false, payoff, Some(plies)) if payoff != 0 => Some(Value::new(payoff, plies)),
            (false, payoff, None) => Some(Value::untimed(payoff)),
            _ => None,
        }
    }

    /// Returns the result, if it agrees with the rules. Best moves belong to the line's own position, so a symmetric
    /// position gets none.
    fn note(
        &self,
        game: &AnyGame,
        pos: &AnyPosition,
        loops: Option<bool>,
        symmetric: bool,
    ) -> Option<CachedResult> {
        let words = if symmetric { &[][..] } else { &self.best[..] };
        let best: Option<Vec<AnyMove>> = words.iter().map(|word| game.read_move(pos, word).ok()).collect();
        let (value, best) = (self.value()?, best?);
        let line = if symmetric { None } else { played(game, pos, value, &best, &self.line) };
        let note = CachedResult { value, best, line: line.unwrap_or_default() };
        is_plausible(game, loops, pos, note.value, &note.best).then_some(note)
    }
}

/// Parses a line whose first move is a best one; `None` if it does not lead to the value.
fn played(
    game: &AnyGame,
    pos: &AnyPosition,
    value: Value,
    best: &[AnyMove],
    words: &[String],
) -> Option<Vec<AnyMove>> {
    let (mut at, mut line) = (pos.clone(), Vec::new());
    for word in words {
        let mv = game.read_move(&at, word).ok()?;
        at = game.play(&at, mv);
        line.push(mv);
    }
    let right = |payoff: outplay_core::Payoff| {
        let payoff = if game.turn(pos) == outplay_core::Turn::Second { -payoff } else { payoff };
        payoff == value.payoff() && value.distance().is_none_or(|plies| plies as usize == line.len())
    };
    let begins = line.first().is_none_or(|mv| best.is_empty() || best.contains(mv));
    (begins && game.outcome(&at).is_none_or(right)).then_some(line)
}

/// The identity of a file of cached results.
fn identity(game: String, rules: u32) -> Identity {
    let program = crate::program_version();
    Identity { kind: KIND.into(), format: FORMAT, game, rules, program, about: String::new() }
}

/// The results in the records of a file, by position. Of two records about one position the later one wins.
fn results(records: &[String]) -> FxHashMap<String, ResultLine> {
    let lines = records.iter().filter_map(|record| serde_json::from_str::<ResultLine>(record).ok());
    lines.map(|line| (line.position.clone(), line)).collect()
}

/// Counts the results in the bytes of a cache file that would be used for this game.
pub fn count_kept(handle: &GameHandle, bytes: &[u8]) -> usize {
    count(handle.game(), handle.kernels().loops(), bytes)
}

fn count(game: &AnyGame, loops: Option<bool>, bytes: &[u8]) -> usize {
    let contents = outplay_files::parse(bytes, &identity(game.spec(), game.version()));
    let usable = |line: &ResultLine| {
        let pos = game.read_position(&line.position).ok()?;
        line.note(game, &pos, loops, false)
    };
    results(&contents.records).values().filter(|line| usable(line).is_some()).count()
}

/// The cached results of one game.
pub(crate) struct ResultCache {
    file: PathBuf,
    identity: Identity,
    /// Whether play can return to an earlier position, where that is known.
    loops: Option<bool>,
    lines: Mutex<FxHashMap<String, ResultLine>>,
}

impl ResultCache {
    /// Reads the cached results of a game; empty if there are none that can be used. A file that does not belong here
    /// is set aside if results are kept, and otherwise left alone.
    pub(crate) fn open(
        data: &Path,
        game: &AnyGame,
        loops: Option<bool>,
        keep: bool,
        watch: &dyn Monitor,
    ) -> ResultCache {
        let identity = identity(game.spec(), game.version());
        let name = outplay_table::name(&identity.game, outplay_table::Values::Distance) + ".notes";
        let file = data.join(DIRECTORY).join(name);
        let lines = Mutex::default();
        let notes = ResultCache { file, identity, loops, lines };
        let found = match directory(data) {
            Some(_) => read_sealed(&notes.file, Links::Refuse, LONGEST, &notes.identity),
            None => return notes,
        };
        let why = match found {
            Ok(Contents { state: State::Ours | State::Empty, records, .. }) => {
                *notes.lines() = results(&records);
                return notes;
            }
            Ok(Contents { state: State::Other(found), .. }) => {
                found.difference(&notes.identity).unwrap_or_default()
            }
            Ok(Contents { records, .. }) => {
                *notes.lines() = results(&records);
                format!("is damaged or not a file of the kind {KIND}")
            }
            Err(error) if error.is_missing() => return notes,
            Err(FileError::Io { .. }) => return notes,
            Err(FileError::TooLong { .. }) => format!("is longer than the limit of {LONGEST} bytes"),
            Err(_) => "is not a regular file".into(),
        };
        if !keep || notes.log(watch).is_err() {
            watch.note(&format!("{} {why}, so it is ignored", notes.file.display()));
        }
        notes
    }

    fn lines(&self) -> MutexGuard<'_, FxHashMap<String, ResultLine>> {
        self.lines.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Looks a position up, or one symmetric to it; best moves are returned for the position itself only.
    pub(crate) fn find(
        &self,
        game: &AnyGame,
        pos: &AnyPosition,
        watch: &dyn Monitor,
    ) -> Option<CachedResult> {
        let mut lines = self.lines();
        if lines.is_empty() {
            return None;
        }
        let mut name = game.write_position(pos);
        let symmetric = !lines.contains_key(&name);
        if symmetric {
            let mut images = Vec::new();
            game.symmetric(pos, &mut images);
            name = images
                .iter()
                .map(|image| game.write_position(image))
                .find(|name| lines.contains_key(name))?;
        }
        let note = lines.get(&name)?.note(game, pos, self.loops, symmetric);
        let note = note.filter(|note| agrees(game, pos, note, &lines));
        if note.is_none() {
            watch.note(&format!(
                "the result kept for {name} in {} contradicts the rules or other results, so it is ignored",
                self.file.display()
            ));
            lines.remove(&name);
        }
        note
    }

    /// Stores the result of a position.
    pub(crate) fn add(&self, game: &AnyGame, pos: &AnyPosition, note: &CachedResult, watch: &dyn Monitor) {
        if !is_plausible(game, self.loops, pos, note.value, &note.best) {
            return;
        }
        let line = ResultLine {
            position: game.write_position(pos),
            payoff: note.value.payoff(),
            distance: note.value.distance(),
            repetition: note.value.is_repetition(),
            best: note.best.iter().map(|&mv| game.write_move(pos, mv)).collect(),
            line: written_line(game, pos, &note.line),
        };
        let mut lines = self.lines();
        let size = |line: &ResultLine| (line.best.len(), line.line.len());
        let known = lines.get(&line.position).is_some_and(|known| size(known) >= size(&line));
        // A result that cannot be written is dropped.
        if !known && self.append(&line, watch).is_ok() {
            lines.insert(line.position.clone(), line);
        }
    }

    /// Opens the file for appending, and reports what was set aside.
    fn log(&self, watch: &dyn Monitor) -> Result<OpenLog, FileError> {
        let directory = self.file.parent().unwrap_or(Path::new("."));
        own_directory(directory)?;
        let end = Instant::now() + PATIENCE;
        let wait = || Instant::now() < end && !watch.stopped();
        let open = || Log::open(&self.file, &self.identity, Strangers::SetAside, LONGEST, &wait);
        let opened = match open() {
            Err(FileError::TooLong { .. }) => {
                if let Ok(to) = set_aside(&self.file, "damaged") {
                    watch.note(&format!(
                        "{} is too long; it was renamed to {}",
                        self.file.display(),
                        to.display()
                    ));
                }
                open()?
            }
            opened => opened?,
        };
        opened.remarks.iter().for_each(|remark| watch.note(remark));
        Ok(opened)
    }

    fn append(&self, line: &ResultLine, watch: &dyn Monitor) -> Result<(), FileError> {
        let error = |error: io::Error| FileError::Io { path: self.file.clone(), action: "write", error };
        let record = serde_json::to_string(line).map_err(|json| error(json.into()))?;
        let OpenLog { mut log, records, .. } = self.log(watch)?;
        let bytes: usize = records.iter().map(|record| record.len() + 18).sum();
        if bytes as u64 > MOST_OF_A_GAME {
            log = log.rewrite(&self.identity, newer_half(&records, bytes / 2))?;
        }
        log.append(&record)?;
        bound(&self.file).map_err(error)
    }
}

/// The moves of a line, as words.
pub(crate) fn written_line(game: &AnyGame, pos: &AnyPosition, line: &[AnyMove]) -> Vec<String> {
    let mut at = pos.clone();
    let word = |&mv: &AnyMove| {
        let word = game.write_move(&at, mv);
        at = game.play(&at, mv);
        word
    };
    line.iter().map(word).collect()
}

/// Whether a result agrees with the cached results of its successors.
fn agrees(
    game: &AnyGame,
    pos: &AnyPosition,
    note: &CachedResult,
    lines: &FxHashMap<String, ResultLine>,
) -> bool {
    // Looking up more successors than this would cost more than it is worth.
    const LOOKED_AT: usize = 1000;
    let turn = game.turn(pos);
    lines.len() < 2
        || game.list(pos).take(LOOKED_AT).all(|mv| {
            let next = game.play(pos, mv);
            let Some(line) = lines.get(&game.write_position(&next)) else { return true };
            let payoff = if game.turn(&next) == turn { Some(line.payoff) } else { line.payoff.checked_neg() };
            let best = note.best.contains(&mv);
            payoff.is_some_and(|payoff| {
                payoff <= note.value.payoff() && (!best || payoff == note.value.payoff())
            })
        })
}

/// The most recent records, about `bytes` bytes of them.
fn newer_half(records: &[String], bytes: usize) -> &[String] {
    let mut left = bytes;
    let older = records.iter().rposition(|record| {
        let fits = record.len() + 18 <= left;
        left = left.saturating_sub(record.len() + 18);
        !fits
    });
    &records[older.map_or(0, |place| place + 1)..]
}

/// The directory of the result cache, if it exists; a symbolic link does not count.
fn directory(data: &Path) -> Option<PathBuf> {
    let directory = data.join(DIRECTORY);
    fs::symlink_metadata(&directory).is_ok_and(|found| found.is_dir()).then_some(directory)
}

/// The game in a file name, and whether the file was set aside.
fn named(path: &Path) -> Option<(&str, bool)> {
    let name = path.file_name()?.to_str()?;
    match name.strip_suffix(".notes") {
        Some(game) => Some((game, false)),
        None => {
            let (game, rest) = name.rsplit_once(".notes.")?;
            let aside = rest.starts_with("stale") || rest.starts_with("damaged");
            aside.then_some((game, true))
        }
    }
}

/// Regular cache files in a directory, with their sizes.
fn files(directory: &Path) -> io::Result<Vec<(PathBuf, fs::Metadata)>> {
    let mut files = Vec::new();
    for entry in fs::read_dir(directory)? {
        let path = entry?.path();
        // Another process may have removed the file by now.
        let Ok(found) = fs::symlink_metadata(&path) else { continue };
        if found.is_file() && named(&path).is_some() {
            files.push((path, found));
        }
    }
    Ok(files)
}

/// Evicts results beyond the size limit: files that were set aside first, then the least recently written games.
fn bound(newest: &Path) -> io::Result<()> {
    let files = files(newest.parent().unwrap_or(Path::new(".")))?;
    let mut total: u64 = files.iter().map(|(_, found)| found.len()).sum();
    let mut order = Vec::new();
    for (path, found) in files.into_iter().filter(|(path, _)| path != newest) {
        let aside = named(&path).is_some_and(|(_, aside)| aside);
        order.push((!aside, found.modified()?, found.len(), path));
    }
    order.sort();
    for (_, _, bytes, path) in order {
        if total <= MOST {
            break;
        }
        fs::remove_file(path)?;
        total = total.saturating_sub(bytes);
    }
    Ok(())
}

/// The cached results of one game, as a list shows them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ListedResults {
    /// The name of the file without its ending.
    pub name: String,
    /// Positions with results; 0 if the file is damaged or belongs to another game or version.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// The size of the file.
    pub bytes: u64,
}

/// The number of results in a file that this program would use.
fn positions(path: &Path, name: &str) -> Option<usize> {
    let bytes = read(path, Links::Refuse, LONGEST).ok()?;
    let nothing = identity(String::new(), 0);
    let State::Other(found) = outplay_files::parse(&bytes, &nothing).state else { return None };
    let same = found == Identity { game: found.game.clone(), rules: found.rules, ..nothing };
    let named = outplay_table::name(&found.game, outplay_table::Values::Distance) == name;
    (same && named).then(|| results(&outplay_files::parse(&bytes, &found).records).len())
}

/// Lists the cached results, game by game.
pub fn list_results(data: &Path) -> Vec<ListedResults> {
    let Some(files) = directory(data).and_then(|directory| files(&directory).ok()) else { return Vec::new() };
    let mut listed: Vec<ListedResults> = files
        .into_iter()
        .filter_map(|(path, found)| {
            let (name, aside) = named(&path)?;
            let positions = PlainCount(positions(&path, name).unwrap_or(0) as u64);
            (!aside).then(|| ListedResults { name: name.into(), positions, bytes: found.len() })
        })
        .collect();
    listed.sort_by(|a, b| a.name.cmp(&b.name));
    listed
}

/// Removes the cached results of one game (by the name in the list) or of all, including files that were set aside;
/// returns the number of games.
///
/// # Errors
///
/// A file that cannot be removed.
pub fn clear_results(data: &Path, name: Option<&str>) -> io::Result<usize> {
    let Some(directory) = directory(data) else { return Ok(0) };
    let mut games = std::collections::BTreeSet::new();
    for (path, _) in files(&directory)? {
        if let Some((game, _)) = named(&path).filter(|(game, _)| name.is_none_or(|name| name == *game)) {
            games.insert(game.to_string());
            fs::remove_file(&path)?;
        }
    }
    Ok(games.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Native;
    use outplay_files::encode;
    use outplay_games::mnk::{Mnk, Rules};
    use outplay_runtime::NoMonitor;

    fn board(spec: &str) -> AnyGame {
        let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
        AnyGame::of(Native::new(game).lines())
    }

    fn open(data: &Path, game: &AnyGame) -> ResultCache {
        ResultCache::open(data, game, Some(false), true, &NoMonitor)
    }

    /// Writes records with right checksums into the file of a game.
    fn forge(data: &Path, game: &AnyGame, records: &[&str]) -> ResultCache {
        let notes = open(data, game);
        fs::create_dir_all(data.join(DIRECTORY)).unwrap();
        fs::write(&notes.file, encode(&notes.identity, records.iter().copied())).unwrap();
        open(data, game)
    }

    const DRAWN: CachedResult = CachedResult { value: Value::TIE, best: Vec::new(), line: Vec::new() };

    #[test]
    fn stored_result_is_found_for_symmetric_positions() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:4x4,k=4");
        let corner = game.read_position("x3/4/4/4").unwrap();
        let note = CachedResult { value: Value::untimed(-1), best: vec![AnyMove(2)], line: Vec::new() };
        open(data.path(), &game).add(&game, &corner, &note, &NoMonitor);
        let notes = open(data.path(), &game);
        let found = notes.find(&game, &corner, &NoMonitor).unwrap();
        assert_eq!((found.value, found.best), (note.value, note.best));
        let other = game.read_position("4/4/4/3x").unwrap();
        assert_eq!(
            notes.find(&game, &other, &NoMonitor).map(|note| (note.value, note.best.len())),
            Some((note.value, 0))
        );
        assert!(notes.find(&game, &game.start().unwrap(), &NoMonitor).is_none());
        assert_eq!(list_results(data.path())[0].positions.0, 1);
        assert_eq!(clear_results(data.path(), None).unwrap(), 1);
        assert!(list_results(data.path()).is_empty());
    }

    #[test]
    fn tampered_line_is_ignored() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:3x3,k=3");
        let start = game.start().unwrap();
        let notes = open(data.path(), &game);
        notes.add(&game, &start, &DRAWN, &NoMonitor);
        let text = fs::read_to_string(&notes.file).unwrap();
        fs::write(&notes.file, text.replace("\"payoff\":0", "\"payoff\":1")).unwrap();
        assert!(open(data.path(), &game).find(&game, &start, &NoMonitor).is_none());
    }

    #[test]
    fn results_of_another_game_or_version_are_set_aside() {
        let data = tempfile::tempdir().unwrap();
        let (four, three) = (board("mnk:5x5,k=4"), board("mnk:5x5,k=3"));
        let start = four.start().unwrap();
        let of_four = open(data.path(), &four);
        of_four.add(&four, &start, &DRAWN, &NoMonitor);
        let of_three = open(data.path(), &three).file;
        fs::rename(&of_four.file, &of_three).unwrap();
        assert_eq!(list_results(data.path())[0].positions.0, 0, "renamed results count for nothing");
        let left_alone = ResultCache::open(data.path(), &three, Some(false), false, &NoMonitor);
        assert!(left_alone.find(&three, &three.start().unwrap(), &NoMonitor).is_none() && of_three.exists());
        assert!(open(data.path(), &three).find(&three, &three.start().unwrap(), &NoMonitor).is_none());
        assert!(of_three.with_extension("notes.stale").exists());
        // Another version of the rules, of the program or of the format; and the format without identity.
        let ours = identity(four.spec(), four.version());
        let record = r#"{"position":"...../...../...../...../.....","payoff":0,"distance":null,"best":[]}"#;
        let others = [
            Identity { rules: 2, ..ours.clone() },
            Identity { program: "0.0.9 r7".into(), ..ours.clone() },
            Identity { format: 3, ..ours.clone() },
        ];
        let old = format!("{:016x} {record}\n", xxhash_rust::xxh3::xxh3_64(record.as_bytes())).into_bytes();
        for bytes in others.iter().map(|other| encode(other, [record])).chain([old]) {
            fs::write(&of_four.file, bytes).unwrap();
            assert!(open(data.path(), &four).find(&four, &start, &NoMonitor).is_none());
        }
        assert!(forge(data.path(), &four, &[record]).find(&four, &start, &NoMonitor).is_some());
        assert!(clear_results(data.path(), Some("mnk-5x5,k=4")).unwrap() == 1);
        assert!(
            clear_results(data.path(), None).unwrap() == 1
                && fs::read_dir(data.path().join(DIRECTORY)).unwrap().count() == 0
        );
    }

    #[test]
    fn results_that_contradict_the_rules_are_not_believed() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:3x3,k=3");
        let check = |position: &str, fields: &str, believed: bool| {
            let pos = game.read_position(position).unwrap();
            let record = format!(r#"{{"position":"{}",{fields}}}"#, game.write_position(&pos));
            let notes = forge(data.path(), &game, &[&record]);
            assert_eq!(notes.find(&game, &pos, &NoMonitor).is_some(), believed, "{record}");
            let bytes = fs::read(&notes.file).unwrap();
            assert_eq!(count(&game, Some(false), &bytes), usize::from(believed));
        };
        check("3/3/3", r#""payoff":0,"distance":null,"best":["b2"]"#, true);
        check("3/3/3", r#""payoff":7,"distance":null,"best":[]"#, false);
        check("3/3/3", r#""payoff":-2147483648,"distance":null,"best":[]"#, false);
        check("3/3/3", r#""payoff":1,"distance":4294967295,"best":[]"#, false);
        check("3/3/3", r#""payoff":1,"distance":11,"best":[]"#, false);
        check("3/3/3", r#""payoff":1,"distance":4,"best":[]"#, false);
        check("3/3/3", r#""payoff":0,"distance":9,"best":[]"#, false);
        check("3/3/3", r#""payoff":0,"distance":null,"repetition":true,"best":[]"#, false);
        check("3/3/3", r#""payoff":0,"distance":null,"best":["d9"]"#, false);
        // The player to move wins with the next move.
        check("xx1/oo1/3", r#""payoff":1,"distance":1,"best":["c3"]"#, true);
        check("xx1/oo1/3", r#""payoff":1,"distance":3,"best":["c3"]"#, false);
        check("xx1/oo1/3", r#""payoff":0,"distance":null,"best":[]"#, false);
        check("xx1/oo1/3", r#""payoff":-1,"distance":null,"best":[]"#, false);
        check("xxx/oo1/3", r#""payoff":-1,"distance":null,"best":[]"#, false);
    }

    #[test]
    fn results_that_contradict_each_other_are_ignored() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:4x4,k=4");
        let start = game.start().unwrap();
        let next = game.write_position(&game.play(&start, AnyMove(0)));
        let parent = r#"{"position":"..../..../..../....","payoff":0,"distance":null,"best":[]}"#;
        for (payoff, believed) in [(0, true), (1, true), (-1, false)] {
            let child = format!(r#"{{"position":"{next}","payoff":{payoff},"distance":null,"best":[]}}"#);
            let notes = forge(data.path(), &game, &[parent, &child]);
            assert_eq!(notes.find(&game, &start, &NoMonitor).is_some(), believed, "{child}");
        }
    }

    #[test]
    fn a_file_stays_bounded() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:5x5,k=4");
        let start = game.start().unwrap();
        let record = r#"{"position":"...../...../...../...../.....","payoff":0,"distance":null,"best":[]}"#;
        let many = vec![record; 3 * MOST_OF_A_GAME as usize / 2 / (record.len() + 18)];
        let notes = forge(data.path(), &game, &many);
        let next = game.play(&start, AnyMove(0));
        notes.add(&game, &next, &DRAWN, &NoMonitor);
        assert!(fs::metadata(&notes.file).unwrap().len() <= MOST_OF_A_GAME + 1000);
        assert!(open(data.path(), &game).find(&game, &next, &NoMonitor).is_some());
        // An oversized file is neither read nor fatal.
        fs::File::options().write(true).open(&notes.file).unwrap().set_len(1 << 40).unwrap();
        assert_eq!(list_results(data.path())[0].positions.0, 0);
        let notes = open(data.path(), &game);
        notes.add(&game, &next, &DRAWN, &NoMonitor);
        assert!(fs::metadata(&notes.file).unwrap().len() < 1000);
        assert_eq!(fs::read_dir(data.path().join(DIRECTORY)).unwrap().count(), 1, "the long file is gone");
    }

    #[test]
    fn torn_and_garbled_lines_cost_only_themselves() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:4x4,k=4");
        let start = game.start().unwrap();
        let notes = open(data.path(), &game);
        notes.add(&game, &start, &DRAWN, &NoMonitor);
        let mut bytes = fs::read(&notes.file).unwrap();
        bytes.extend("0123 {\"position\":\"é".as_bytes());
        // The cut is inside a UTF-8 character.
        bytes.pop();
        fs::write(&notes.file, &bytes).unwrap();
        let next = game.play(&start, AnyMove(0));
        open(data.path(), &game).add(&game, &next, &DRAWN, &NoMonitor);
        let notes = open(data.path(), &game);
        assert!(
            notes.find(&game, &start, &NoMonitor).is_some() && notes.find(&game, &next, &NoMonitor).is_some()
        );
    }

    #[test]
    fn a_lock_that_another_process_holds_is_not_waited_for() {
        let data = tempfile::tempdir().unwrap();
        let game = board("mnk:4x4,k=4");
        let start = game.start().unwrap();
        let notes = open(data.path(), &game);
        notes.add(&game, &start, &DRAWN, &NoMonitor);
        let held = outplay_files::Lock::take(&notes.file, false, &|| false).unwrap();
        let began = Instant::now();
        notes.add(&game, &game.play(&start, AnyMove(0)), &DRAWN, &NoMonitor);
        assert!(began.elapsed() < Duration::from_secs(5));
        drop(held);
        assert_eq!(list_results(data.path())[0].positions.0, 1);
    }

    #[test]
    #[cfg(unix)]
    fn links_do_not_lead_out_of_the_data_directory() {
        use std::os::unix::fs::symlink;
        let (data, outside) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
        let game = board("mnk:4x4,k=4");
        let start = game.start().unwrap();
        let letter = outside.path().join("letter");
        fs::write(&letter, "dear all").unwrap();
        fs::create_dir(data.path().join(DIRECTORY)).unwrap();
        let notes = open(data.path(), &game);
        symlink(&letter, &notes.file).unwrap();
        notes.add(&game, &start, &DRAWN, &NoMonitor);
        assert_eq!(fs::read_to_string(&letter).unwrap(), "dear all");
        assert!(open(data.path(), &game).find(&game, &start, &NoMonitor).is_some());
        let other = tempfile::tempdir().unwrap();
        symlink(outside.path(), other.path().join(DIRECTORY)).unwrap();
        open(other.path(), &game).add(&game, &start, &DRAWN, &NoMonitor);
        assert_eq!(fs::read_dir(outside.path()).unwrap().count(), 1);
    }
}
