//! Parsing of the game and the position that a request names, with limits on their size.

use crate::refusal::Refusal;
use crate::settings::{CELLS, MOVES, NUMBERS, POSITION, SPEC};
use outplay_workbench::PositionRef;
use serde::{Deserialize, Deserializer};

/// A game and one of its positions, as a request names them.
#[derive(Clone, Debug, Default, Deserialize)]
pub(crate) struct At {
    /// The game's spec.
    #[serde(deserialize_with = "spec")]
    pub(crate) game: String,
    /// A position in the game's notation.
    #[serde(default)]
    pub(crate) position: String,
    /// Moves from that position, or from the start.
    #[serde(default)]
    pub(crate) moves: String,
}

impl At {
    /// Returns the position if it is within the limits.
    pub(crate) fn place(&self) -> Result<PositionRef, Refusal> {
        within("spec", &self.game, SPEC)?;
        within("position", &self.position, POSITION)?;
        within("list of moves", &self.moves, MOVES)?;
        modest(&self.game)?;
        let (position, moves) = (self.position.trim().to_string(), self.moves.trim().to_string());
        Ok(match (position.is_empty(), moves.is_empty()) {
            (true, true) => PositionRef::Start,
            (true, false) => PositionRef::Moves(moves),
            (false, true) => PositionRef::Position(position),
            (false, false) => PositionRef::MovesFrom { position, moves },
        })
    }
}

/// Restores plus signs: a query decodes them to spaces, and specs contain plus signs but never spaces.
pub(crate) fn spelled(spec: &str) -> String {
    spec.trim().replace(' ', "+")
}

fn spec<'de, D: Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    String::deserialize(deserializer).map(|spec| spelled(&spec))
}

fn within(what: &str, text: &str, most: usize) -> Result<(), Refusal> {
    match text.len() <= most {
        true => Ok(()),
        false => {
            let error =
                format!("the {what} has {} characters, but this server accepts at most {most}", text.len());
            Err(Refusal::bad(error, "shorten it, or use the command line, which has no such limit"))
        }
    }
}

/// Rejects games whose boards and move lists would be too large to send, before they are constructed.
fn modest(spec: &str) -> Result<(), Refusal> {
    let cure = "choose a smaller game, or use the command line, which has no such limit";
    let bytes = spec.as_bytes();
    let (mut at, mut sum) = (0, 0u64);
    let mut columns: Option<u64> = None;
    while at < bytes.len() {
        if !bytes[at].is_ascii_digit() {
            at += 1;
            continue;
        }
        let end = bytes[at..].iter().position(|byte| !byte.is_ascii_digit()).map_or(bytes.len(), |n| at + n);
        // A number that overflows is too large as well.
        let number: u64 = spec[at..end].parse().unwrap_or(u64::MAX);
        let before = at.checked_sub(1).map(|before| bytes[before]);
        match (before, columns.take()) {
            (Some(b'x' | b'X'), Some(columns)) => {
                let cells = columns.saturating_mul(number);
                if cells > CELLS {
                    let error = format!(
                        "a board of {columns}x{number} has more than {CELLS} cells, the limit of this server"
                    );
                    return Err(Refusal::bad(error, cure));
                }
            }
            // The row of a cell, or a digit in a name such as connect4.
            (Some(letter), _) if letter.is_ascii_alphabetic() => {}
            _ => sum = sum.saturating_add(number),
        }
        // The number before an `x` is a board's width.
        if bytes.get(end).is_some_and(|byte| matches!(byte, b'x' | b'X')) {
            columns = Some(number);
        }
        at = end;
    }
    if sum > NUMBERS {
        let error =
            format!("the numbers in the spec add up to more than {NUMBERS}, the limit of this server");
        return Err(Refusal::bad(error, cure));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn large_games_are_refused_before_they_are_made() {
        let fits = |spec: &str| modest(spec).is_ok();
        for spec in [
            "tictactoe",
            "connect4",
            "connect4:7x6",
            "mnk:50x50,k=5",
            "mnk:19x19,k=5,obstacles=a1+s19",
            "nim:3+4+5",
            "pig:100",
            "chess:KQKR",
            "morris:six,men=4",
        ] {
            assert!(fits(spec), "{spec}");
        }
        for spec in [
            "mnk:51x50",
            "mnk:1x99999999999999999999999",
            "mnk:99999999999x9",
            "nim:3001",
            "nim:1000+1000+1001",
            "mnk:5X1000",
            "pig:18446744073709551616",
        ] {
            assert!(!fits(spec), "{spec}");
        }
    }

    #[test]
    fn place_is_parsed_as_given() {
        let at = |position: &str, moves: &str| {
            At { game: "tictactoe".into(), position: position.into(), moves: moves.into() }.place().ok()
        };
        assert_eq!(at("", " "), Some(PositionRef::Start));
        assert_eq!(at("", "a1"), Some(PositionRef::Moves("a1".into())));
        assert_eq!(at("x../.../...", ""), Some(PositionRef::Position("x../.../...".into())));
        assert!(matches!(at("x../.../...", "b2"), Some(PositionRef::MovesFrom { .. })));
        assert_eq!(at("", &"a1 ".repeat(10_000)), None);
    }
}
