//! Recomputes checksums after a mutation, so that the code behind them is fuzzed.
//!
//! Their offsets are in docs/table-format.md and in the head of `crates/connect/src/book.rs`. Inputs too short for a
//! checksum are left unchanged.

use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

const BOOK: &[u8] = b"outplay book 1\n";
const MANIFEST: &[u8] = b"{\"checksum\":\"";

fn number(bytes: &[u8], at: usize, length: usize) -> Option<u64> {
    let mut number = [0; 8];
    number[..length].copy_from_slice(bytes.get(at..at.checked_add(length)?)?);
    Some(u64::from_le_bytes(number))
}

fn put(bytes: &mut [u8], at: usize, number: u64) -> Option<()> {
    bytes.get_mut(at..at.checked_add(8)?)?.copy_from_slice(&number.to_le_bytes());
    Some(())
}

/// A book whose header and layers have the checksums that they should have.
pub(crate) fn book(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let _ = mend_book(&mut bytes);
    bytes
}

fn mend_book(bytes: &mut [u8]) -> Option<()> {
    let header = BOOK.len();
    let mut at = header + 4 + usize::from(*bytes.get(header)?);
    let sum = xxh3_64(bytes.get(header..at)?);
    put(bytes, at, sum)?;
    at += 8;
    loop {
        let length = number(bytes, at, 4)? as usize;
        let sum = xxh3_64(bytes.get(at + 12..(at + 12).checked_add(length)?)?);
        put(bytes, at + 4, sum)?;
        at += 12 + length;
    }
}

/// A manifest with the checksum that it should have.
pub(crate) fn manifest(input: &[u8]) -> Vec<u8> {
    let begin = MANIFEST.len() + 18;
    if !input.starts_with(MANIFEST) || input.len() < begin {
        return input.to_vec();
    }
    let sum = format!("{:016x}\",", xxh3_64(&input[begin..]));
    [MANIFEST, sum.as_bytes(), &input[begin..]].concat()
}

/// A tier whose header, model, index and blocks have the checksums that they should have.
pub(crate) fn tier(input: &[u8]) -> Vec<u8> {
    let mut bytes = input.to_vec();
    let _ = mend_tier(&mut bytes);
    bytes
}

fn mend_tier(bytes: &mut [u8]) -> Option<()> {
    const HEADER: usize = 80;
    let (tier, identity) = (number(bytes, 12, 4)?, number(bytes, 16, 8)?);
    let blocks = HEADER.checked_add(number(bytes, 40, 4)? as usize)?;
    let index = blocks.checked_add(usize::try_from(number(bytes, 48, 8)?).ok()?)?;
    let end = index.checked_add(usize::try_from(number(bytes, 56, 8)?).ok()?)?;
    let held = [bytes.get(HEADER..blocks)?, bytes.get(index..end)?].concat();
    put(bytes, 64, xxh3_64(&held))?;
    let seal = xxh3_64(&bytes[..72]);
    put(bytes, 72, seal)?;
    let mut at = blocks;
    let mut sizes = held[blocks - HEADER..].iter();
    for block in 0u64.. {
        let size = varint(&mut sizes)?;
        if size == 0 {
            continue;
        }
        let coded = bytes.get(at.checked_add(4)?..at.checked_add(size)?)?;
        let sum = xxh3_64_with_seed(coded, identity ^ tier.rotate_left(40) ^ block) as u32;
        bytes[at..at + 4].copy_from_slice(&sum.to_le_bytes());
        at += size;
    }
    None
}

fn varint<'a>(bytes: &mut impl Iterator<Item = &'a u8>) -> Option<usize> {
    let (mut value, mut shift) = (0usize, 0);
    loop {
        let byte = *bytes.next()?;
        value |= usize::from(byte & 127).checked_shl(shift)?;
        if byte < 128 {
            return Some(value);
        }
        shift += 7;
    }
}

/// What a manifest has to say of a tier for it to be read: the size of its file and its seal.
pub(crate) fn manifest_of(manifest: &[u8], tier: u32, file: &[u8]) -> Option<Vec<u8>> {
    let mut said: serde_json::Value = serde_json::from_slice(manifest).ok()?;
    let entry = said.get_mut("tiers")?.get_mut(tier.to_string())?;
    entry["bytes"] = file.len().into();
    entry["seal"] = format!("{:016x}", number(file, 72, 8)?).into();
    said.as_object_mut()?.remove("checksum");
    let text = serde_json::to_vec(&said).ok()?;
    Some(self::manifest(&[MANIFEST, b"0000000000000000\",", &text[1..]].concat()))
}

/// A sealed file (`crates/files/src/sealed.rs`) whose lines have the checksums that they should have.
pub(crate) fn sealed(input: &[u8]) -> Vec<u8> {
    let mut mended = Vec::with_capacity(input.len());
    let mut seal = None;
    for line in input.split_inclusive(|&byte| byte == b'\n') {
        let whole = line.strip_suffix(b"\n").unwrap_or(line);
        let rest = whole.get(17..).unwrap_or_default();
        // The checksum of the first line seeds those of the others.
        let sum = seal.map_or_else(|| xxh3_64(rest), |seal| xxh3_64_with_seed(rest, seal));
        seal.get_or_insert(sum);
        mended.extend(format!("{sum:016x} ").into_bytes());
        mended.extend(rest);
        mended.extend(&line[whole.len()..]);
    }
    mended
}
