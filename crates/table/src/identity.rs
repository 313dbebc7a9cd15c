//! Identity of a table: game, rules version, kind of values, cell type and slots per tier. It determines the table's
//! name.

use crate::cell::CellKind;
use crate::{TableError, VERSION};
use serde::{Deserialize, Serialize};
use std::fmt;
use xxhash_rust::xxh3::xxh3_64;

/// Kind of values that a table stores: win/draw/loss, distance, or expected payoffs.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Values {
    /// Win, draw or loss: the codes 1, 0 and −1.
    Wdl,
    /// Value and distance, as [`outplay_core::Code`] packs them.
    Distance,
    /// The mean payoff of a game with chance.
    Expected,
}

impl fmt::Display for Values {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Values::Wdl => "wdl",
            Values::Distance => "distance",
            Values::Expected => "expected",
        })
    }
}

/// Identity of a table: game, rules version and layout. Two tables with equal identities have the same slots.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Identity {
    /// The game's canonical spec.
    pub spec: String,
    /// The version of the game's rules and of its index ([`outplay_core::Index::version`]): 1 unless they changed.
    pub version: u32,
    /// The kind of value stored for each position.
    pub values: Values,
    /// The cell type.
    pub cell: CellKind,
    /// The number of slots of each tier.
    pub slots: Vec<u64>,
}

impl Identity {
    /// The table's name, which is the name of its directory.
    pub fn name(&self) -> String {
        name(&self.spec, self.values)
    }

    /// Hash of the identity, stored in every tier file.
    pub(crate) fn number(&self) -> u64 {
        let slots: Vec<String> = self.slots.iter().map(u64::to_string).collect();
        let Identity { spec, version, values, cell, .. } = self;
        let mut text = format!("{VERSION}\n{spec}\n{values}\n{}\n{}", cell.bytes(), slots.join(" "));
        // Version 1 predates the version field and is left out, so that old tables keep their hash.
        if *version != 1 {
            text += &format!("\n{version}");
        }
        xxh3_64(text.as_bytes())
    }

    /// Returns an error if the table under this one's name has another identity.
    pub(crate) fn expect(&self, found: &Identity) -> Result<(), TableError> {
        if self == found {
            return Ok(());
        }
        let (table, spec) = (self.name(), self.spec.clone());
        if (&self.spec, self.values) == (&found.spec, found.values) && self.version != found.version {
            return Err(TableError::OtherRules { table, found: found.version, now: self.version, spec });
        }
        let mut texts = [self, found].map(|table| format!("`{}` with values `{}`", table.spec, table.values));
        if texts[0] == texts[1] {
            texts = [self, found].map(|table| {
                let total: u128 = table.slots.iter().map(|&slots| u128::from(slots)).sum();
                format!("{} tiers with {total} slots of {} bytes", table.slots.len(), table.cell.bytes())
            });
        }
        let [wanted, found] = texts;
        Err(TableError::OtherGame { table, wanted, found, spec })
    }
}

/// Longest spec that becomes a name without hashing.
const LONGEST: usize = 100;

/// Returns the directory name of a table: the spec with `-` for the colon, and the suffix `.wdl` or `.expected`
/// for values other than distances. A spec with characters other than letters, digits, comma, equals and plus keeps
/// its plain characters and gets a hash, so that names are unique and stay within their directory.
pub fn name(spec: &str, values: Values) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || ",=+".contains(c);
    let mut name: String = match spec.split_once(':') {
        Some((game, argument)) => format!("{game}-{argument}"),
        None => spec.to_string(),
    };
    let body = spec.replacen(':', "", 1);
    let starts_well = spec.starts_with(|c: char| c.is_ascii_alphanumeric());
    if !starts_well || !body.chars().all(plain) || spec.len() > LONGEST {
        let kept: String = body.chars().filter(|&c| plain(c)).take(LONGEST - 20).collect();
        name = format!("game-{kept}.{:016x}", xxh3_64(spec.as_bytes()));
    }
    match values {
        Values::Distance => name,
        values => format!("{name}.{values}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_plain_and_unique() {
        let check = |spec: &str, expected: &str| assert_eq!(name(spec, Values::Distance), expected);
        check("connect4:5x4", "connect4-5x4");
        check("tictactoe", "tictactoe");
        check("mnk:5x4,k=4,obstacles=c2+d3,misere", "mnk-5x4,k=4,obstacles=c2+d3,misere");
        assert_eq!(name("connect4:5x4", Values::Wdl), "connect4-5x4.wdl");
        let strange = [
            "",
            ".",
            "..",
            "/",
            "../../etc/passwd",
            "a/b",
            "a\\b",
            "a-b",
            "a:b:c",
            ",x",
            "=",
            "a\0b",
            "é",
            "a b",
            "lock",
            "a.wdl",
            "\u{202e}",
        ];
        let long = ["x".repeat(5000), "x".repeat(5001)];
        let mut names = std::collections::HashSet::new();
        for spec in strange.iter().copied().chain(long.iter().map(String::as_str)).chain(["a:b", "ab"]) {
            for values in [Values::Wdl, Values::Distance, Values::Expected] {
                let name = name(spec, values);
                assert!(name.len() < 150, "{name}");
                assert!(name.starts_with(|c: char| c.is_ascii_alphanumeric()), "{name}");
                assert!(name.chars().all(|c| c.is_ascii_alphanumeric() || ",=+-.".contains(c)), "{name}");
                assert!(!name.contains(".."), "{name}");
                assert!(names.insert(name), "{spec}");
            }
        }
    }

    #[test]
    fn other_identities_are_errors() {
        let one = Identity {
            spec: "nim:2+2".into(),
            version: 1,
            values: Values::Distance,
            cell: CellKind::I8,
            slots: vec![1, 2],
        };
        assert!(one.expect(&one.clone()).is_ok());
        for other in [
            Identity { spec: "nim:2+3".into(), ..one.clone() },
            Identity { values: Values::Wdl, ..one.clone() },
            Identity { cell: CellKind::I32, ..one.clone() },
            Identity { slots: vec![1, 3], ..one.clone() },
        ] {
            assert_ne!(one.number(), other.number());
            let error = one.expect(&other).expect_err("another table");
            assert!(matches!(error, TableError::OtherGame { .. }), "{error}");
        }
        let other = Identity { version: 2, ..one.clone() };
        assert_ne!(one.number(), other.number());
        let error = other.expect(&one).expect_err("other rules");
        assert_eq!(error.to_string(), "nim-2+2: this table was made by other rules (version 1, now 2)");
        assert_eq!(error.cure().to_string(), "solve nim:2+2 to rebuild it");
    }
}
