//! Sealed lines: text records with checksums that are seeded by the identity of their file (game, rules and program).
//!
//! ```text
//!  5f0c…  {"kind":"kept results","format":2,"game":"mnk:6x6,k=4","rules":1,"program":"0.2.0 r1","about":""}
//!  91ab…  {"position":"6/6/…","payoff":1,…}
//!  the first line identifies the file; every line is a checksum, a space, and the record
//! ```
//!
//! The checksum of the first line is XXH3 of the rest of that line, and seeds the checksums of all others: a record
//! copied from the file of another game, rules or program does not verify. A line that fails is skipped and does not
//! affect the next one.

use crate::{FileError, Links, open};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// Maximum number of files set aside under one name; after that the last one is replaced.
const ASIDE: usize = 9;

/// Identity of a sealed file: game, rules and program. Records are read only if all fields match.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Identity {
    /// The kind of file.
    pub kind: String,
    /// The version of its format.
    pub format: u32,
    /// The game's canonical spec.
    pub game: String,
    /// The version of the game's rules.
    pub rules: u32,
    /// The version of the program and of its solvers.
    pub program: String,
    /// Anything else that the records depend on, such as the request.
    pub about: String,
}

impl Identity {
    fn header(&self) -> String {
        // Strings and numbers always serialize.
        serde_json::to_string(self).unwrap_or_default()
    }

    pub(crate) fn seal(&self) -> u64 {
        xxh3_64(self.header().as_bytes())
    }

    /// Whether this program could use the file for the request it was made for: not if the file was written by
    /// another version of the program or, as far as the wanted identity shows, of the rules.
    pub fn is_usable(&self, wanted: &Identity) -> bool {
        (&self.kind, self.format, &self.program) == (&wanted.kind, wanted.format, &wanted.program)
            && (self.game != wanted.game || self.rules == wanted.rules)
    }

    /// The difference between this identity and the wanted one, in a few words.
    pub fn difference(&self, wanted: &Identity) -> Option<String> {
        let differs = |words: String, same: bool| (!same).then_some(words);
        differs(format!("holds {}, not {}", self.kind, wanted.kind), self.kind == wanted.kind)
            .or_else(|| differs(format!("belongs to {}", self.game), self.game == wanted.game))
            .or_else(|| {
                let words = format!(
                    "was made with version {} of the game's rules; this program has version {}",
                    self.rules, wanted.rules
                );
                differs(words, self.rules == wanted.rules)
            })
            .or_else(|| {
                let words = format!(
                    "was made by version {} of the solvers; this program has version {}",
                    self.program, wanted.program
                );
                differs(words, self.program == wanted.program)
            })
            .or_else(|| {
                let words =
                    format!("has file format {}; this program reads format {}", self.format, wanted.format);
                differs(words, self.format == wanted.format)
            })
            .or_else(|| {
                differs(format!("belongs to another request ({})", self.about), self.about == wanted.about)
            })
    }
}

/// State of a sealed file, by its first line.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum State {
    /// No bytes, or only zeros (after a system crash).
    Empty,
    /// The wanted identity.
    Ours,
    /// A valid first line with another identity.
    Other(Identity),
    /// Sealed lines, but the first one fails its checksum.
    Damaged,
    /// Not a sealed file.
    Stranger,
}

/// Contents of a sealed file: its state and its valid records.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Contents {
    /// Classification by the first line.
    pub state: State,
    /// The records whose checksums match the wanted identity, in order. A file with a damaged first line can have
    /// some, because their checksums depend only on the identity.
    pub records: Vec<String>,
    /// Whole lines after the first that fail their checksum.
    pub damaged: usize,
    /// Whether the last line is incomplete: the trace of a killed writer.
    pub torn: bool,
}

/// The checksum and the rest of a line.
fn split(line: &[u8]) -> Option<(u64, &str)> {
    let (sum, rest) = std::str::from_utf8(line).ok()?.split_at_checked(17)?;
    let digits = sum.strip_suffix(' ')?;
    let plain = digits.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
    Some((u64::from_str_radix(digits, 16).ok().filter(|_| plain)?, rest))
}

/// Parses the bytes of a sealed file; never fails, and returns only records that verify.
pub fn parse(bytes: &[u8], wanted: &Identity) -> Contents {
    let mut contents =
        Contents { state: State::Empty, records: Vec::new(), damaged: 0, torn: bytes.last() != Some(&b'\n') };
    if bytes.iter().all(|byte| *byte == 0) {
        return contents;
    }
    let seal = wanted.seal();
    let mut lines = bytes.strip_suffix(b"\n").unwrap_or(bytes).split(|byte| *byte == b'\n').peekable();
    let first = lines.next().unwrap_or_default();
    contents.state = match split(first) {
        Some((sum, rest)) if sum == xxh3_64(rest.as_bytes()) => match serde_json::from_str(rest) {
            Ok(found) if found == *wanted => State::Ours,
            Ok(found) => State::Other(found),
            Err(_) => State::Damaged,
        },
        Some(_) => State::Damaged,
        None => State::Stranger,
    };
    if matches!(contents.state, State::Other(_)) {
        return contents;
    }
    while let Some(line) = lines.next() {
        match split(line) {
            Some((sum, rest)) if sum == xxh3_64_with_seed(rest.as_bytes(), seal) => {
                contents.records.push(rest.to_string());
                // A complete record without its newline is accepted.
            }
            _ if contents.torn && lines.peek().is_none() => {}
            _ if line.is_empty() => {}
            _ => contents.damaged += 1,
        }
    }
    // A damaged first line may not look like a sealed line any more, but the others do.
    let sealed = || bytes.split(|byte| *byte == b'\n').any(|line| split(line).is_some());
    if contents.state == State::Stranger
        && (sealed() || bytes.starts_with(&wanted_start(wanted, first.len())))
    {
        contents.state = State::Damaged;
    }
    contents
}

/// The beginning of the wanted first line, which may be all that a killed writer left.
fn wanted_start(wanted: &Identity, length: usize) -> Vec<u8> {
    let mut line = first_line(wanted).into_bytes();
    line.truncate(length.max(1));
    line
}

fn first_line(identity: &Identity) -> String {
    format!("{:016x} {}\n", identity.seal(), identity.header())
}

/// One record as a line; line breaks within it are a caller's error and become spaces.
pub(crate) fn line(seal: u64, record: &str) -> String {
    let record = record.replace(['\n', '\r'], " ");
    format!("{:016x} {record}\n", xxh3_64_with_seed(record.as_bytes(), seal))
}

/// The bytes of a sealed file with these records.
pub fn encode<'a>(identity: &Identity, records: impl IntoIterator<Item = &'a str>) -> Vec<u8> {
    let seal = identity.seal();
    let mut text = first_line(identity);
    records.into_iter().for_each(|record| text += &line(seal, record));
    text.into_bytes()
}

/// Reads a sealed file of at most `limit` bytes.
///
/// # Errors
///
/// A file that cannot be read; see [`crate::read`].
pub fn read_sealed(path: &Path, links: Links, limit: u64, wanted: &Identity) -> Result<Contents, FileError> {
    Ok(parse(&open::read(path, links, limit)?, wanted))
}

/// Renames a file that cannot be used to `NAME.WORD` (or `NAME.WORD.2` and so on); returns the new name.
///
/// # Errors
///
/// The system refused.
pub fn set_aside(path: &Path, word: &str) -> io::Result<PathBuf> {
    let name = path.file_name().ok_or(io::ErrorKind::InvalidInput)?;
    let numbered = |number: usize| {
        let mut name = name.to_os_string();
        name.push(if number == 1 { format!(".{word}") } else { format!(".{word}.{number}") });
        path.with_file_name(name)
    };
    let free = (1..=ASIDE).map(numbered).find(|to| fs::symlink_metadata(to).is_err());
    let to = free.unwrap_or_else(|| numbered(ASIDE));
    fs::rename(path, &to)?;
    Ok(to)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(crate) fn identity(game: &str) -> Identity {
        let (kind, program) = ("test records".to_string(), "1".to_string());
        Identity { kind, format: 1, game: game.into(), rules: 1, program, about: String::new() }
    }

    #[test]
    fn records_come_back_and_those_of_other_files_do_not() {
        let (nim, chess) = (identity("nim:2"), identity("chess:KQK"));
        let bytes = encode(&nim, ["a", "b b", ""]);
        let contents = parse(&bytes, &nim);
        assert_eq!(
            (contents.state, contents.records),
            (State::Ours, vec!["a".into(), "b b".into(), "".into()])
        );
        assert!(!contents.torn && contents.damaged == 0);
        // A file that was renamed.
        let renamed = parse(&bytes, &chess);
        assert_eq!((renamed.state, renamed.records.len()), (State::Other(nim.clone()), 0));
        assert_eq!(nim.difference(&chess).unwrap(), "belongs to nim:2");
        // A line that was copied below the right header.
        let foreign = String::from_utf8(encode(&chess, ["x"])).unwrap();
        let mixed = [&bytes[..], foreign.lines().nth(1).unwrap().as_bytes(), b"\n"].concat();
        assert_eq!((parse(&mixed, &nim).records.len(), parse(&mixed, &nim).damaged), (3, 1));
        for other in [
            Identity { rules: 2, ..nim.clone() },
            Identity { program: "2".into(), ..nim.clone() },
            Identity { format: 2, ..nim.clone() },
            Identity { about: "more".into(), ..nim.clone() },
            Identity { kind: "other".into(), ..nim.clone() },
        ] {
            assert!(matches!(parse(&bytes, &other).state, State::Other(_)));
            assert!(nim.difference(&other).is_some());
        }
        assert_eq!(nim.difference(&nim), None);
    }

    #[test]
    fn unsealed_file_is_a_stranger() {
        let nim = identity("nim:2");
        assert_eq!(parse(b"", &nim).state, State::Empty);
        assert_eq!(parse(&[0; 99], &nim).state, State::Empty);
        for text in ["{\"position\":1}\n", "dear all,\n", "\u{1f600}\n", "deadbeef x\n"] {
            assert_eq!(parse(text.as_bytes(), &nim).state, State::Stranger, "{text}");
        }
    }

    #[test]
    fn files_that_are_set_aside_do_not_replace_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.notes");
        for number in 1..=ASIDE + 3 {
            fs::write(&path, number.to_string()).unwrap();
            set_aside(&path, "stale").unwrap();
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), ASIDE);
        assert_eq!(fs::read_to_string(folder.path().join("a.notes.stale")).unwrap(), "1");
    }

    proptest! {
        #[test]
        fn damage_costs_only_the_lines_it_hits(
            at in 0usize..1000, bit in 0u8..8, cut in 0usize..1000, count in 1usize..8,
        ) {
            let nim = identity("nim:2");
            let records: Vec<String> = (0..count).map(|number| format!("record {number}")).collect();
            let whole = encode(&nim, records.iter().map(String::as_str));
            let mut bytes = whole.clone();
            let at = at % bytes.len();
            bytes[at] ^= 1 << bit;
            let found = parse(&bytes, &nim).records;
            prop_assert!(found.iter().all(|record| records.contains(record)));
            // A flipped bit damages one line, or two if it adds or removes a line break.
            prop_assert!(found.len() + 2 >= count);
            let found = parse(&whole[..cut % whole.len()], &nim).records;
            prop_assert!(records.starts_with(&found));
        }

        #[test]
        fn any_bytes_are_read_without_a_panic(bytes in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(parse(&bytes, &identity("nim:2")).records.is_empty());
        }
    }
}
