//! `manifest.json`: a table's identity, its complete tiers, and the result of the solve.
//!
//! ```text
//! {"checksum":"0123456789abcdef",
//!  "format":1,"game":"connect4:5x4",…
//! ```
//!
//! The checksum covers every byte after the first line, so the file is readable text, and yet any change is detected.

use crate::cell::CellKind;
use crate::identity::{Identity, Values};
use crate::{TableError, VERSION, disk};
use outplay_core::Tier;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::io::{self, Read};
use std::path::Path;
use xxhash_rust::xxh3::xxh3_64;

pub(crate) const FILE: &str = "manifest.json";
/// Size limit; a larger file is not read at all.
const LARGEST: u64 = 64 << 20;
const PREFIX: &str = "{\"checksum\":\"";

/// Manifest entry of a complete tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub(crate) struct TierEntry {
    /// Size of the tier's file.
    pub(crate) bytes: u64,
    /// Checksum at the end of the file's header.
    #[serde(with = "hex")]
    pub(crate) seal: u64,
}

/// JSON content after the checksum.
#[derive(Serialize, Deserialize)]
struct Body {
    format: u64,
    game: String,
    /// Manifests of version 1 may lack it.
    #[serde(default = "first")]
    version: u32,
    values: Values,
    cell: CellKind,
    slots: Vec<u64>,
    tiers: BTreeMap<u32, TierEntry>,
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    notes: BTreeMap<u32, serde_json::Value>,
    summary: Option<serde_json::Value>,
}

/// Version of rules that never changed.
fn first() -> u32 {
    1
}

#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Manifest {
    pub(crate) identity: Identity,
    pub(crate) tiers: BTreeMap<u32, TierEntry>,
    /// By tier: data that the solver stored to resume from.
    pub(crate) notes: BTreeMap<u32, serde_json::Value>,
    /// Set when the table is finished.
    pub(crate) summary: Option<serde_json::Value>,
}

impl Manifest {
    pub(crate) fn new(identity: Identity) -> Manifest {
        Manifest { identity, tiers: BTreeMap::new(), notes: BTreeMap::new(), summary: None }
    }

    /// Whether all tiers are written and the table was finished.
    pub(crate) fn complete(&self) -> bool {
        self.summary.is_some() && self.tiers.len() == self.identity.slots.len()
    }

    pub(crate) fn has(&self, tier: Tier) -> bool {
        self.tiers.contains_key(&tier.0)
    }

    /// Replaces the stored manifest atomically.
    pub(crate) fn write(&self, dir: &Path) -> Result<(), TableError> {
        let spec = &self.identity.spec;
        let path = dir.join(FILE);
        let text = self.text().map_err(|e| TableError::io("write it", &path, spec, e.into()))?;
        disk::write_whole(&path, text.as_bytes(), spec)
    }

    pub(crate) fn text(&self) -> Result<String, serde_json::Error> {
        let body = Body {
            format: VERSION.into(),
            game: self.identity.spec.clone(),
            version: self.identity.version,
            values: self.identity.values,
            cell: self.identity.cell,
            slots: self.identity.slots.clone(),
            tiers: self.tiers.clone(),
            // Notes of tiers that are not written are dropped.
            notes: self.notes.clone().into_iter().filter(|(tier, _)| self.tiers.contains_key(tier)).collect(),
            summary: self.summary.clone(),
        };
        let body = serde_json::to_string_pretty(&body)?;
        // The checksum line opens the object, so the body's own brace is dropped.
        let rest = format!("{}\n", body.strip_prefix('{').unwrap_or(&body));
        Ok(format!("{PREFIX}{:016x}\",{rest}", xxh3_64(rest.as_bytes())))
    }

    /// Reads the manifest of the table in a directory; `None` if there is none.
    pub(crate) fn read(dir: &Path, table: &str, spec: &str) -> Result<Option<Manifest>, TableError> {
        let path = dir.join(FILE);
        let fail = |e| TableError::io("read it", &path, spec, e);
        let file = match disk::open_regular(&path) {
            Ok((_, length)) if length > LARGEST => return Err(damaged(table, spec)),
            Ok((file, _)) => file,
            Err(e) if e.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(e) => return Err(fail(e)),
        };
        let mut bytes = Vec::new();
        // The file may have grown since it was measured.
        file.take(LARGEST).read_to_end(&mut bytes).map_err(fail)?;
        Manifest::parse(&bytes, table, spec).map(Some)
    }

    pub(crate) fn parse(bytes: &[u8], table: &str, spec: &str) -> Result<Manifest, TableError> {
        let text = std::str::from_utf8(bytes).map_err(|_| damaged(table, spec))?;
        let Some(body) = verified(text) else {
            // A manifest of another format may have another checksum, so its format number is accepted, unless it
            // is damage to a manifest of this format.
            #[derive(Deserialize)]
            struct Format {
                format: u64,
            }
            return Err(match serde_json::from_str::<Format>(text) {
                Ok(Format { format })
                    if format != u64::from(VERSION) && !differs_in_format_only(text, format) =>
                {
                    version(table, format, spec)
                }
                _ => damaged(table, spec),
            });
        };
        if body.format != u64::from(VERSION) {
            return Err(version(table, body.format, spec));
        }
        let Body { game, version, values, cell, slots, tiers, notes, summary, .. } = body;
        if tiers.keys().any(|&tier| tier as usize >= slots.len()) {
            return Err(damaged(table, spec));
        }
        Ok(Manifest {
            identity: Identity { spec: game, version, values, cell, slots },
            tiers,
            notes,
            summary,
        })
    }
}

/// Returns the body if the checksum matches.
fn verified(text: &str) -> Option<Body> {
    let (checksum, rest) = text.strip_prefix(PREFIX)?.split_once("\",")?;
    if checksum != format!("{:016x}", xxh3_64(rest.as_bytes())) {
        return None;
    }
    serde_json::from_str(&format!("{{{rest}")).ok()
}

/// Whether the text is a valid manifest of this format but for the format number.
fn differs_in_format_only(text: &str, format: u64) -> bool {
    let ours = text.replacen(&format!("\"format\": {format}"), &format!("\"format\": {VERSION}"), 1);
    verified(&ours).is_some()
}

fn damaged(table: &str, spec: &str) -> TableError {
    TableError::Damaged {
        file: format!("{table}/{FILE}"),
        what: "the manifest".into(),
        spec: spec.into(),
        tier: None,
    }
}

fn version(table: &str, found: u64, spec: &str) -> TableError {
    TableError::Version { file: format!("{table}/{FILE}"), found, spec: spec.into() }
}

/// 64-bit checksums as hexadecimal text: JSON numbers lose bits in some parsers.
mod hex {
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(super) fn serialize<S: Serializer>(number: &u64, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_str(&format!("{number:016x}"))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<u64, D::Error> {
        u64::from_str_radix(&String::deserialize(from)?, 16).map_err(D::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Manifest {
        let identity = Identity {
            spec: "connect4:5x4".into(),
            version: 1,
            values: Values::Distance,
            cell: CellKind::I8,
            slots: vec![1, 5, u64::MAX],
        };
        let mut manifest = Manifest::new(identity);
        manifest.tiers.insert(2, TierEntry { bytes: 123, seal: u64::MAX - 5 });
        manifest.summary = Some(serde_json::json!({"value": "draw", "mean": 0.1 + 0.2}));
        manifest
    }

    #[test]
    fn manifests_round_trip_and_every_flipped_byte_is_detected() {
        let text = sample().text().expect("is JSON");
        assert_eq!(Manifest::parse(text.as_bytes(), "t", "s").expect("reads"), sample());
        let value: serde_json::Value = serde_json::from_str(&text).expect("the whole file is JSON");
        assert_eq!(value["game"], "connect4:5x4");
        for place in 0..text.len() {
            for flip in [1, 2, 4, 8, 16, 32, 64, 128, 255] {
                let mut bad = text.clone().into_bytes();
                bad[place] ^= flip;
                let error = Manifest::parse(&bad, "t", "s").expect_err("damaged");
                assert!(matches!(error, TableError::Damaged { tier: None, .. }), "{place} {flip}: {error}");
            }
        }
        for cut in 0..text.len() {
            assert!(Manifest::parse(&text.as_bytes()[..cut], "t", "s").is_err());
        }
    }

    #[test]
    fn a_manifest_without_a_version_is_of_the_first() {
        let mut text = sample().text().expect("is JSON");
        assert!(text.contains("\"version\": 1,"), "{text}");
        text = text.replace("  \"version\": 1,\n", "");
        let rest = text.split_once("\",").expect("has a checksum").1.to_string();
        let sealed = format!("{PREFIX}{:016x}\",{rest}", xxh3_64(rest.as_bytes()));
        assert_eq!(Manifest::parse(sealed.as_bytes(), "t", "s").expect("reads"), sample());
    }

    #[test]
    fn another_format_is_named() {
        for text in ["{\"format\": 2}", "{\"format\": 3, \"tables\": [1e99]}"] {
            let error = Manifest::parse(text.as_bytes(), "t", "s").expect_err("another version");
            assert!(matches!(error, TableError::Version { .. }), "{error}");
        }
    }

    #[test]
    fn huge_numbers_are_refused_or_harmless() {
        let sealed = |rest: &str| format!("{PREFIX}{:016x}\",{rest}", xxh3_64(rest.as_bytes()));
        let rest = "\"format\":1,\"game\":\"g\",\"values\":\"wdl\",\"cell\":\"i8\",";
        for tail in [
            "\"slots\":[18446744073709551616],\"tiers\":{},\"summary\":null}",
            "\"slots\":[-1],\"tiers\":{},\"summary\":null}",
            "\"slots\":[1],\"tiers\":{\"4294967295\":{\"bytes\":1,\"seal\":\"0\"}},\"summary\":null}",
            "\"slots\":[1],\"tiers\":{\"0\":{\"bytes\":1,\"seal\":\"11112222333344445\"}},\"summary\":null}",
        ] {
            let text = sealed(&format!("{rest}{tail}"));
            assert!(Manifest::parse(text.as_bytes(), "t", "s").is_err(), "{tail}");
        }
        let deep = format!("{rest}\"slots\":[],\"tiers\":{{}},\"summary\":{}}}", "[".repeat(100_000));
        assert!(Manifest::parse(sealed(&deep).as_bytes(), "t", "s").is_err());
    }
}
