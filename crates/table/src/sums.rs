//! SHA-256 sums of published tables, in the format of `sha256sum`.
//!
//! A table's own checksums detect accidental damage but not deliberate replacement. A published SHA-256 sum detects
//! both.

use crate::TableError;
use crate::disk::open_regular;
use crate::error::file_name;
use crate::list::list;
use crate::manifest::FILE;
use outplay_core::Tier;
use outplay_runtime::Monitor;
use sha2::{Digest, Sha256};
use std::fmt::Write;
use std::io::Read;
use std::path::Path;

/// SHA-256 sum of one file of a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sum {
    /// Path below the data directory, such as `connect4-5x4/tier-07.opt`.
    pub file: String,
    /// 64 hexadecimal digits.
    pub sum: String,
}

/// Computes the sums of all files of all complete tables in a data directory, by name; `None` if cancelled.
///
/// # Errors
///
/// A file that cannot be read.
pub fn sums(data: &Path, monitor: &dyn Monitor) -> Result<Option<Vec<Sum>>, TableError> {
    let mut sums = Vec::new();
    for listed in list(data)? {
        let Ok(table) = listed.table.as_ref().map_err(drop) else { continue };
        if !table.complete {
            continue;
        }
        let tiers = (0..table.identity.slots.len() as u32).map(|tier| file_name(Tier(tier)));
        for name in [FILE.to_string()].into_iter().chain(tiers) {
            let file = format!("{}/{name}", listed.name);
            let path = data.join(&listed.name).join(&name);
            let sum = sum(&path, monitor);
            match sum.map_err(|e| TableError::io("read it", &path, &table.identity.spec, e))? {
                Some(sum) => sums.push(Sum { file, sum }),
                None => return Ok(None),
            }
        }
    }
    Ok(Some(sums))
}

fn sum(path: &Path, monitor: &dyn Monitor) -> std::io::Result<Option<String>> {
    let (mut file, length) = open_regular(path)?;
    let mut sum = Sha256::new();
    let mut piece = vec![0; 1 << 20];
    let mut left = length;
    while left > 0 {
        if monitor.stopped() {
            return Ok(None);
        }
        let read = file.read(&mut piece)?;
        if read == 0 {
            break;
        }
        sum.update(&piece[..read]);
        left = left.saturating_sub(read as u64);
        monitor.advance(read as u64);
    }
    let mut text = String::new();
    for byte in sum.finalize() {
        // Writing to a string cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    Ok(Some(text))
}

/// Parses lines of the form `SUM  FILE`.
///
/// # Errors
///
/// The number of the first malformed line, from 1.
pub fn read_sums(text: &str) -> Result<Vec<Sum>, usize> {
    let line = |(number, line): (usize, &str)| {
        let (sum, file) = line.split_once("  ").or_else(|| line.split_once(" *")).ok_or(number + 1)?;
        let whole = sum.len() == 64 && sum.bytes().all(|byte| byte.is_ascii_hexdigit());
        let sum = Sum { file: file.trim_end().to_string(), sum: sum.to_ascii_lowercase() };
        if whole { Ok(sum) } else { Err(number + 1) }
    };
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    #[test]
    fn sums_match_the_standard() {
        let dir = tempfile::tempdir().expect("a directory");
        let file = dir.path().join("abc");
        std::fs::write(&file, "abc").expect("a file");
        // The example of the standard.
        let expected = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(sum(&file, &NoMonitor).expect("reads").as_deref(), Some(expected));
        let text = format!("{expected}  t/abc\n\n{expected} *t/d\n");
        let read = read_sums(&text).expect("sums");
        assert_eq!(read.iter().map(|sum| sum.file.as_str()).collect::<Vec<_>>(), ["t/abc", "t/d"]);
        assert_eq!(read_sums("nonsense"), Err(1));
        assert_eq!(read_sums(&format!("{text}{}  t/abc", &expected[1..])), Err(4));
    }
}
