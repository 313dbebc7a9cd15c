//! Alpha-beta techniques as spec options: quiescence, move ordering, hash keys and caches.
//!
//! ```text
//!  quiescence=4   order=natural│centre│killer│history│best   key=exact│zobrist[:BITS]   cache=on│off   keep=on│off
//! ```
//!
//! All but `keep` are options of the generic search (`outplay_search`). A spec that names one of them selects that
//! search, even where a specialised one exists, so that two players whose specs differ in one technique differ in
//! nothing else. Techniques that are not named keep their defaults.

use crate::words::ParsedSpec;
use outplay_core::InputError;
use outplay_search::{SearchOptions, TableKey};

/// Maximal depth of quiescence search in plies.
const MAX_QUIESCENCE: u32 = 100;
/// Entries of the evaluation cache.
const CACHE: usize = 1 << 18;

/// Move ordering.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// The order of move generation.
    Natural,
    /// Cells with many lines through them first.
    Centre,
    /// Killer moves: moves that refuted a sibling.
    Killer,
    /// History heuristic.
    History,
    /// The hash move, then all of these.
    Best,
}

impl Order {
    const ALL: [(Order, &'static str); 5] = [
        (Order::Natural, "natural"),
        (Order::Centre, "centre"),
        (Order::Killer, "killer"),
        (Order::History, "history"),
        (Order::Best, "best"),
    ];
}

/// The techniques named in a spec.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Techniques {
    pub(crate) quiescence: Option<u32>,
    pub(crate) order: Option<Order>,
    pub(crate) key: Option<TableKey>,
    pub(crate) cache: Option<bool>,
    /// Whether the transposition table is kept between the moves of a game.
    pub(crate) keep: bool,
}

impl Default for Techniques {
    fn default() -> Techniques {
        Techniques { quiescence: None, order: None, key: None, cache: None, keep: true }
    }
}

/// The options that [`Techniques::read`] takes.
pub(crate) const NAMES: [&str; 5] = ["quiescence", "order", "key", "cache", "keep"];

impl Techniques {
    /// Parses the options of techniques.
    pub(crate) fn read(words: &mut ParsedSpec) -> Result<Techniques, InputError> {
        let quiescence = words.number("quiescence", 0, MAX_QUIESCENCE)?;
        let order = match words.take("order") {
            None => None,
            Some(text) => match Order::ALL.into_iter().find(|(_, name)| *name == text) {
                Some((order, _)) => Some(order),
                None => {
                    let names = Order::ALL.map(|(_, name)| name).join(", ");
                    return Err(words.error(format!("`order={text}`: write one of {names}")));
                }
            },
        };
        let key = words.take("key").map(|text| key(words, &text)).transpose()?;
        let (cache, keep) = (switch(words, "cache")?, switch(words, "keep")?.unwrap_or(true));
        Ok(Techniques { quiescence, order, key, cache, keep })
    }

    /// Whether a technique is named that only the generic search has.
    pub(crate) fn named(&self) -> bool {
        *self != Techniques { keep: self.keep, ..Techniques::default() }
    }

    /// Applies the techniques to search options.
    pub(crate) fn apply(&self, mut options: SearchOptions) -> SearchOptions {
        options.quiescence = self.quiescence.unwrap_or(0);
        // Off unless named, so that specs without `order=` keep their behaviour.
        options.hints = false;
        if let Some(order) = self.order {
            let by = |one: Order| order == one || order == Order::Best;
            options.hash_move = order == Order::Best;
            options.hints = by(Order::Centre);
            options.killers = by(Order::Killer);
            options.history = by(Order::History);
        }
        options.key = self.key.unwrap_or_default();
        options.cache = if self.cache == Some(true) { CACHE } else { 0 };
        options
    }

    /// Formats the options as [`Techniques::read`] parses them.
    pub(crate) fn to_options(self) -> Vec<(&'static str, String)> {
        let on = |on: bool| if on { "on" } else { "off" }.to_string();
        let mut options = Vec::new();
        options.extend(self.quiescence.map(|plies| ("quiescence", plies.to_string())));
        let name =
            |order: Order| Order::ALL.into_iter().find(|(known, _)| *known == order).map(|(_, name)| name);
        options.extend(self.order.and_then(name).map(|name| ("order", name.to_string())));
        options.extend(self.key.map(|key| match key {
            TableKey::Exact => ("key", "exact".to_string()),
            TableKey::Zobrist(64) => ("key", "zobrist".to_string()),
            TableKey::Zobrist(bits) => ("key", format!("zobrist:{bits}")),
        }));
        options.extend(self.cache.map(|cache| ("cache", on(cache))));
        if !self.keep {
            options.push(("keep", on(false)));
        }
        options
    }
}

/// Parses `on` or `off`.
fn switch(words: &mut ParsedSpec, key: &str) -> Result<Option<bool>, InputError> {
    match words.take(key).as_deref() {
        None => Ok(None),
        Some("on") => Ok(Some(true)),
        Some("off") => Ok(Some(false)),
        Some(other) => Err(words.error(format!("`{key}={other}`: write `{key}=on` or `{key}=off`"))),
    }
}

fn key(words: &ParsedSpec, text: &str) -> Result<TableKey, InputError> {
    if text == "exact" {
        return Ok(TableKey::Exact);
    }
    let bits = match text.strip_prefix("zobrist") {
        Some("") => Some(64),
        Some(rest) => rest.strip_prefix(':').and_then(|bits| bits.parse().ok()),
        None => None,
    };
    match bits.filter(|bits| (8..=64).contains(bits)) {
        Some(bits) => Ok(TableKey::Zobrist(bits)),
        None => Err(words.error(format!(
            "`key={text}`: write `key=exact`, `key=zobrist`, or `key=zobrist:16` for a key of 8 to 64 bits"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::format_spec;

    #[test]
    fn techniques_round_trip_through_their_spec() {
        for spec in [
            "alphabeta",
            "alphabeta:quiescence=0",
            "alphabeta:quiescence=4,order=killer",
            "alphabeta:order=best,key=exact,cache=off",
            "alphabeta:key=zobrist,cache=on,keep=off",
            "alphabeta:order=natural,key=zobrist:16",
        ] {
            let mut words = ParsedSpec::parse(spec).unwrap();
            let techniques = Techniques::read(&mut words).unwrap();
            words.finish(&[]).unwrap();
            assert_eq!(format_spec("alphabeta", &techniques.to_options()), spec);
            assert_eq!(techniques.named(), spec != "alphabeta");
        }
        let keep = Techniques::read(&mut ParsedSpec::parse("alphabeta:keep=off").unwrap()).unwrap();
        assert!(!keep.named() && !keep.keep);
        for (spec, cure) in [
            ("alphabeta:order=random", "natural, centre, killer, history, best"),
            ("alphabeta:key=md5", "key=zobrist:16"),
            ("alphabeta:key=zobrist:65", "8 to 64 bits"),
            ("alphabeta:cache=yes", "`cache=on` or `cache=off`"),
            ("alphabeta:quiescence=101", "from 0 to 100"),
        ] {
            let error = Techniques::read(&mut ParsedSpec::parse(spec).unwrap()).unwrap_err().to_string();
            assert!(error.contains(cure), "{error}");
        }
    }
}
