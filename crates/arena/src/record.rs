//! Games as lines of text: a header, then one game per line, in the order in which they ended.
//!
//! The format is described in docs/game-record.md. Lines are written whole and flushed, so a run that
//! is killed leaves at most one broken line at the end, which reading ignores.

use crate::ArenaError;
use crate::referee::{End, Spent};
use crate::scrutiny::Scrutiny;
use serde::{Deserialize, Serialize};
use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::path::{Path, PathBuf};

/// The word by which a record is known.
const KIND: &str = "outplay match";
/// The form of the lines; it changes when an old reader would misunderstand them.
const VERSION: u32 = 1;

/// What was going to be played.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Always `outplay match`.
    pub record: String,
    /// The form of the lines.
    pub version: u32,
    /// The game's canonical spec.
    pub game: String,
    /// Where openings begin, if not at the start of the game.
    pub position: Option<String>,
    /// The players' canonical specs.
    pub players: Vec<String>,
    /// Games that each two players were going to play.
    pub games: u64,
    /// Plies of the openings.
    pub openings: u32,
    /// What tells one list of openings from another, if they were listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_list: Option<String>,
    /// What openings, dice and players' chance decisions follow from.
    pub seed: u64,
    /// A longer game is a draw.
    pub plies: u32,
    /// Seconds after which a move loses.
    pub time: Option<f64>,
}

impl Header {
    /// A header with the word and the version filled in.
    pub fn new(game: String, players: Vec<String>) -> Header {
        Header {
            record: KIND.into(),
            version: VERSION,
            game,
            position: None,
            players,
            games: 0,
            openings: 0,
            opening_list: None,
            seed: 0,
            plies: 0,
            time: None,
        }
    }
}

/// One game.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the match, from 0. The two games of a pair are neighbours.
    pub number: u64,
    /// The number of its opening.
    pub opening: u64,
    /// Which player moved first, as a place in the header's list.
    pub first: usize,
    /// Which player moved second.
    pub second: usize,
    /// All moves in the game's notation, falls of dice included, separated by spaces.
    pub moves: String,
    /// How many of them are the opening.
    pub opening_moves: usize,
    /// What the first player got.
    pub payoff: i32,
    /// Why it ended.
    pub end: End,
    /// What a player did wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the moves of the first and of the second player took.
    pub spent: [Spent; 2],
    /// What exact knowledge says about their moves.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scrutiny: Option<[Scrutiny; 2]>,
}

impl GameRecord {
    /// Half points of a player: 2 for a win, 1 for a draw.
    pub fn half_points(&self, player: usize) -> usize {
        let sign = if player == self.first { self.payoff.signum() } else { -self.payoff.signum() };
        (sign + 1) as usize
    }
}

/// A record that games are added to.
pub struct Record {
    file: File,
    path: PathBuf,
}

impl Record {
    /// Begins a record.
    ///
    /// # Errors
    ///
    /// A file that exists already or cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Record, ArenaError> {
        let file = OpenOptions::new().write(true).create_new(true).open(path);
        let file = file.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                ArenaError::file(path, "there is such a file already; resume it, or choose another name")
            }
            _ => ArenaError::file(path, format!("cannot be written: {error}")),
        })?;
        let mut record = Record { file, path: path.into() };
        record.line(header)?;
        Ok(record)
    }

    /// Goes on with a record of the same match; gives the games it has. A file that is not there is begun.
    ///
    /// # Errors
    ///
    /// A record of another match, or a file that cannot be read or written.
    pub fn resume(path: &Path, header: &Header) -> Result<(Record, Vec<GameRecord>), ArenaError> {
        if !path.exists() {
            return Ok((Record::create(path, header)?, Vec::new()));
        }
        let text = whole_lines(path)?;
        if text.is_empty() && begun(path, header)? {
            // Nothing but a part of the first line was written.
            let unwritable = |error: io::Error| ArenaError::file(path, format!("cannot be written: {error}"));
            let file = OpenOptions::new().write(true).truncate(true).open(path).map_err(unwritable)?;
            let mut record = Record { file, path: path.into() };
            record.line(header)?;
            return Ok((record, Vec::new()));
        }
        let (found, games, length) = parse(path, &text)?;
        if let Some(other) = difference(&found, header) {
            let why = format!(
                "is the record of another match ({other}); give the same words as then, or choose another file"
            );
            return Err(ArenaError::file(path, why));
        }
        let unwritable = |error: io::Error| ArenaError::file(path, format!("cannot be written: {error}"));
        let file = OpenOptions::new().append(true).open(path).map_err(unwritable)?;
        // A broken last line makes room for the next game.
        file.set_len(length as u64).map_err(unwritable)?;
        Ok((Record { file, path: path.into() }, games))
    }

    /// Adds a game.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, a full disk say.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), ArenaError> {
        self.line(game)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), ArenaError> {
        let unwritable =
            |error: io::Error| ArenaError::file(&self.path, format!("cannot be written: {error}"));
        let mut text = serde_json::to_string(value).map_err(|error| unwritable(error.into()))?;
        text.push('\n');
        self.file.write_all(text.as_bytes()).map_err(unwritable)
    }
}

/// Reads a record.
///
/// # Errors
///
/// A file that cannot be read or is no record.
pub fn read(path: &Path) -> Result<(Header, Vec<GameRecord>), ArenaError> {
    let text = whole_lines(path)?;
    let (header, games, _) = parse(path, &text)?;
    Ok((header, games))
}

/// The bytes of a record; a pipe or a device is none.
fn bytes(path: &Path) -> Result<Vec<u8>, ArenaError> {
    let unreadable = |error: io::Error| ArenaError::file(path, format!("cannot be read: {error}"));
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(ArenaError::file(path, "is not a regular file; choose another one"));
    }
    std::fs::read(path).map_err(unreadable)
}

/// The text up to the end of the last whole line: a kill may cut a line off anywhere, in the middle of a letter, too.
fn whole_lines(path: &Path) -> Result<String, ArenaError> {
    let mut bytes = bytes(path)?;
    bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
    String::from_utf8(bytes)
        .map_err(|_| ArenaError::file(path, "is no record of a match; choose another file"))
}

/// Whether a file without a whole line is the beginning of a record with this header, cut off or filled with zeros.
fn begun(path: &Path, header: &Header) -> Result<bool, ArenaError> {
    let line = serde_json::to_string(header)
        .map_err(|error| ArenaError::file(path, format!("cannot be written: {error}")))?;
    let mut bytes = bytes(path)?;
    bytes.truncate(bytes.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1));
    Ok(line.as_bytes().starts_with(&bytes))
}

/// The header, the games in order, and the bytes up to the end of the last whole line.
fn parse(path: &Path, text: &str) -> Result<(Header, Vec<GameRecord>, usize), ArenaError> {
    let no_record = || ArenaError::file(path, "is no record of a match; choose another file");
    let length = text.rfind('\n').map_or(0, |at| at + 1);
    let mut lines = text[..length].lines();
    let header: Header =
        lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(no_record)?;
    if header.record != KIND {
        return Err(no_record());
    }
    if header.version != VERSION {
        let why = format!(
            "is of version {}, this program reads version {VERSION}; choose another file",
            header.version
        );
        return Err(ArenaError::file(path, why));
    }
    let mut games = Vec::new();
    for (i, line) in lines.enumerate() {
        let game: Result<GameRecord, _> = serde_json::from_str(line);
        let game = game.map_err(|error| {
            ArenaError::file(path, format!("line {} is damaged ({error}); remove it to go on", i + 2))
        })?;
        if game.first.max(game.second) >= header.players.len() || game.first == game.second {
            return Err(ArenaError::file(
                path,
                format!("line {} names a player who is not there; remove it to go on", i + 2),
            ));
        }
        games.push(game);
    }
    games.sort_by_key(|game| game.number);
    games.dedup_by_key(|game| game.number);
    Ok((header, games, length))
}

/// A short word for a list of lines: another list has another one.
pub fn fingerprint(lines: &[String]) -> String {
    let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let bytes = lines.iter().flat_map(|line| line.bytes().chain([b'\n']));
    format!("{} lines, {:016x}", lines.len(), bytes.fold(0xcbf2_9ce4_8422_2325, step))
}

/// In what two matches differ; more games of the same match are no difference.
fn difference(found: &Header, wanted: &Header) -> Option<String> {
    let same_but = |word: &str, same: bool| (!same).then(|| word.to_string());
    same_but("another game", found.game == wanted.game)
        .or(same_but("other players", found.players == wanted.players))
        .or(same_but("another start", found.position == wanted.position))
        .or(same_but(
            "other openings",
            (found.openings, &found.opening_list) == (wanted.openings, &wanted.opening_list),
        ))
        .or(same_but("another seed", found.seed == wanted.seed))
        .or(same_but(
            "another number of games among several players",
            found.players.len() == 2 || found.games == wanted.games,
        ))
        .or(same_but("another limit", (found.plies, found.time) == (wanted.plies, wanted.time)))
}
