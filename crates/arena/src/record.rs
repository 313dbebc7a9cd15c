//! Game record: an append-only file of JSON lines, a header, then one game per line in the order in which games ended.
//!
//! The format is described in docs/game-record.md. Each line is written with one system call, so a killed run leaves at
//! most one incomplete line at the end, which the reader ignores. A record is locked while games are added to it.
//! Recorded games are replayed before they count, so the file needs no checksums.

use crate::ArenaError;
use crate::referee::{End, ResourceUse};
use crate::scrutiny::Scrutiny;
use outplay_files::{Links, Lock};
use serde::{Deserialize, Serialize};
use std::fs::OpenOptions;
use std::io::{self, Read, Write};
use std::path::Path;

/// The magic word of a record.
const KIND: &str = "outplay match";
/// The format version; it changes when an old reader would misread the lines.
const VERSION: u32 = 1;

/// The header of a game record: the settings of the match.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Header {
    /// Always `outplay match`.
    pub record: String,
    /// The format version.
    pub version: u32,
    /// The game's canonical spec.
    pub game: String,
    /// The position from which openings are played, if not the start of the game.
    pub position: Option<String>,
    /// The players' canonical specs.
    pub players: Vec<String>,
    /// Scheduled games per pairing.
    pub games: u64,
    /// Plies of the openings.
    pub openings: u32,
    /// The fingerprint of the list of openings, if they were listed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub opening_list: Option<String>,
    /// Random seed of openings, dice and players.
    pub seed: u64,
    /// A longer game is a draw.
    pub plies: u32,
    /// Time limit of a move in seconds.
    pub time: Option<f64>,
}

impl Header {
    /// A header with magic word and version.
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

/// A finished game in a game record.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct GameRecord {
    /// Its number in the match, from 0. The two games of a pair are neighbours.
    pub number: u64,
    /// The number of its opening.
    pub opening: u64,
    /// The player who moved first, as an index into the header's list.
    pub first: usize,
    /// The player who moved second.
    pub second: usize,
    /// All moves in the game's notation, dice rolls included, separated by spaces.
    pub moves: String,
    /// The number of opening moves among them.
    pub opening_moves: usize,
    /// The first player's payoff.
    pub payoff: i32,
    /// The reason why it ended.
    pub end: End,
    /// The description of a player's fault.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// Resources used by the first and by the second player.
    pub spent: [ResourceUse; 2],
    /// The accuracy of their moves by exact values.
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

/// A game record that is open for appending, under an exclusive lock.
pub struct Record {
    lock: Lock,
}

/// Default for the maximal size of a record in bytes.
pub const RECORD_BYTES: u64 = 1 << 30;

impl Record {
    /// Creates a record.
    ///
    /// # Errors
    ///
    /// A file that exists already or cannot be written.
    pub fn create(path: &Path, header: &Header) -> Result<Record, ArenaError> {
        let made = OpenOptions::new().write(true).create_new(true).open(path);
        made.map_err(|error| match error.kind() {
            io::ErrorKind::AlreadyExists => {
                ArenaError::file(path, "the file already exists; resume its match, or give another path")
            }
            _ => ArenaError::file(path, format!("cannot be written: {error}")),
        })?;
        let mut record = Record { lock: Lock::take_named(path, false, &|| false)? };
        record.line(header)?;
        Ok(record)
    }

    /// Resumes a record of the same match of at most `limit` bytes, and returns its games. Creates a missing file.
    ///
    /// # Errors
    ///
    /// A record of another match, one that another process writes, or a file that cannot be read or written.
    pub fn resume(path: &Path, header: &Header, limit: u64) -> Result<(Record, Vec<GameRecord>), ArenaError> {
        if !path.exists() {
            return Ok((Record::create(path, header)?, Vec::new()));
        }
        let mut record = Record { lock: Lock::take_named(path, false, &|| false)? };
        let unreadable = |error: io::Error| ArenaError::file(path, format!("cannot be read: {error}"));
        let unwritable = |error: io::Error| ArenaError::file(path, format!("cannot be written: {error}"));
        let mut bytes = Vec::new();
        let file = record.lock.file();
        if file.metadata().map_err(unreadable)?.len() > limit {
            return Err(outplay_files::FileError::TooLong { path: path.into(), limit }.into());
        }
        file.take(limit).read_to_end(&mut bytes).map_err(unreadable)?;
        if !bytes.contains(&b'\n') && is_partial_header(path, &bytes, header)? {
            // Only a part of the first line was written.
            record.lock.file().set_len(0).map_err(unwritable)?;
            record.line(header)?;
            return Ok((record, Vec::new()));
        }
        let (found, games, length) = parse(path, &whole_lines(path, bytes)?)?;
        if let Some(other) = difference(&found, header) {
            let why = format!(
                "is the record of another match ({other}); repeat the options of that match, or give another path"
            );
            return Err(ArenaError::file(path, why));
        }
        // Truncates a torn last line.
        record.lock.file().set_len(length as u64).map_err(unwritable)?;
        Ok((record, games))
    }

    /// Appends a game.
    ///
    /// # Errors
    ///
    /// A file that cannot be written, for example on a full disk.
    pub fn add(&mut self, game: &GameRecord) -> Result<(), ArenaError> {
        self.line(game)
    }

    fn line(&mut self, value: &impl Serialize) -> Result<(), ArenaError> {
        let path = self.lock.path().to_path_buf();
        let unwritable = |error: io::Error| ArenaError::file(&path, format!("cannot be written: {error}"));
        let mut text = serde_json::to_string(value).map_err(|error| unwritable(error.into()))?;
        text.push('\n');
        self.lock.file().write_all(text.as_bytes()).map_err(unwritable)
    }
}

/// Reads a record.
///
/// # Errors
///
/// A file that cannot be read or is not a record.
pub fn read(path: &Path) -> Result<(Header, Vec<GameRecord>), ArenaError> {
    read_bytes(path, outplay_files::read(path, Links::Follow, RECORD_BYTES)?)
}

/// Parses the bytes of a record; `path` is for error messages.
///
/// # Errors
///
/// Bytes that are not a record.
pub fn read_bytes(path: &Path, bytes: Vec<u8>) -> Result<(Header, Vec<GameRecord>), ArenaError> {
    let (header, games, _) = parse(path, &whole_lines(path, bytes)?)?;
    Ok((header, games))
}

/// The text up to the end of the last complete line: a kill may cut a line anywhere, even within a UTF-8 sequence.
fn whole_lines(path: &Path, mut bytes: Vec<u8>) -> Result<String, ArenaError> {
    bytes.truncate(bytes.iter().rposition(|&byte| byte == b'\n').map_or(0, |at| at + 1));
    String::from_utf8(bytes)
        .map_err(|_| ArenaError::file(path, "is not the record of a match; give another path"))
}

/// Whether bytes without a complete line are a prefix of this header, cut off or padded with zeros.
fn is_partial_header(path: &Path, bytes: &[u8], header: &Header) -> Result<bool, ArenaError> {
    let line = serde_json::to_string(header)
        .map_err(|error| ArenaError::file(path, format!("cannot be written: {error}")))?;
    let length = bytes.iter().rposition(|&byte| byte != 0).map_or(0, |at| at + 1);
    Ok(line.as_bytes().starts_with(&bytes[..length]))
}

/// Parses the header, the games in order, and the length in bytes up to the end of the last complete line.
fn parse(path: &Path, text: &str) -> Result<(Header, Vec<GameRecord>, usize), ArenaError> {
    let no_record = || ArenaError::file(path, "is not the record of a match; give another path");
    let length = text.rfind('\n').map_or(0, |at| at + 1);
    let mut lines = text[..length].lines();
    let header: Header =
        lines.next().and_then(|line| serde_json::from_str(line).ok()).ok_or_else(no_record)?;
    if header.record != KIND {
        return Err(no_record());
    }
    if header.version != VERSION {
        let why = format!(
            "has format version {}, but this program reads version {VERSION}; give another path",
            header.version
        );
        return Err(ArenaError::file(path, why));
    }
    let mut games = Vec::new();
    for (i, line) in lines.enumerate() {
        let game: Result<GameRecord, _> = serde_json::from_str(line);
        let game = game.map_err(|error| {
            ArenaError::file(path, format!("line {} is damaged ({error}); remove the line to resume", i + 2))
        })?;
        if game.first.max(game.second) >= header.players.len() || game.first == game.second {
            return Err(ArenaError::file(
                path,
                format!("line {} names an unknown player; remove the line to resume", i + 2),
            ));
        }
        games.push(game);
    }
    games.sort_by_key(|game| game.number);
    games.dedup_by_key(|game| game.number);
    Ok((header, games, length))
}

/// Describes in what two matches differ; more games of the same match are not a difference.
fn difference(found: &Header, wanted: &Header) -> Option<String> {
    let same_but = |word: &str, same: bool| (!same).then(|| word.to_string());
    same_but("another game", found.game == wanted.game)
        .or(same_but("other players", found.players == wanted.players))
        .or(same_but("another start position", found.position == wanted.position))
        .or(same_but(
            "other openings",
            (found.openings, &found.opening_list) == (wanted.openings, &wanted.opening_list),
        ))
        .or(same_but("another seed", found.seed == wanted.seed))
        .or(same_but(
            "another number of games, with more than two players",
            found.players.len() == 2 || found.games == wanted.games,
        ))
        .or(same_but(
            "another limit on plies or time",
            (found.plies, found.time) == (wanted.plies, wanted.time),
        ))
}
