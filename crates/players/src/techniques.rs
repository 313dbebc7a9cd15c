//! The techniques of alpha-beta by name: what a spec can say about how the search works, not about how far.
//!
//! ```text
//!  quiescence=4     order=natural│centre│killer│history│best     key=exact│zobrist[:BITS]     cache=on│off     keep=on│off
//! ```
//!
//! All but `keep` are options of the one search that serves every game (`outplay_search`): naming one of them asks for that
//! search, also where a faster one would have been chosen, so that two players that differ in a technique differ in nothing
//! else. What is not named is as it always was.

use crate::words::Words;
use outplay_core::InputError;
use outplay_search::{Key, Options};

/// Plies of quiescence beyond which nothing is quiet.
const MOST_NOISE: u32 = 100;
/// Static evaluations that a cache keeps.
const CACHE: usize = 1 << 18;

/// Which move is tried first.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Order {
    /// The order of the rules.
    Natural,
    /// Cells that many lines run through.
    Centre,
    /// Moves that refuted a sibling.
    Killer,
    /// Moves that refuted much elsewhere.
    History,
    /// The table's move, then all of these.
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

/// What a spec says about techniques.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Techniques {
    pub(crate) quiescence: Option<u32>,
    pub(crate) order: Option<Order>,
    pub(crate) key: Option<Key>,
    pub(crate) cache: Option<bool>,
    /// The table is kept between the turns of a game.
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
    /// Takes the options that are about techniques.
    pub(crate) fn read(words: &mut Words) -> Result<Techniques, InputError> {
        let quiescence = words.number("quiescence", 0, MOST_NOISE)?;
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

    /// Whether anything is named that only the search of every game has.
    pub(crate) fn named(&self) -> bool {
        *self != Techniques { keep: self.keep, ..Techniques::default() }
    }

    /// How the search works.
    pub(crate) fn apply(&self, mut options: Options) -> Options {
        options.quiescence = self.quiescence.unwrap_or(0);
        // Hints were nobody's before there was a word for them.
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

    /// Writes what [`Techniques::read`] reads.
    pub(crate) fn spelled(&self) -> Vec<(&'static str, String)> {
        let on = |on: bool| if on { "on" } else { "off" }.to_string();
        let mut options = Vec::new();
        options.extend(self.quiescence.map(|plies| ("quiescence", plies.to_string())));
        let name =
            |order: Order| Order::ALL.into_iter().find(|(known, _)| *known == order).map(|(_, name)| name);
        options.extend(self.order.and_then(name).map(|name| ("order", name.to_string())));
        options.extend(self.key.map(|key| match key {
            Key::Exact => ("key", "exact".to_string()),
            Key::Zobrist(64) => ("key", "zobrist".to_string()),
            Key::Zobrist(bits) => ("key", format!("zobrist:{bits}")),
        }));
        options.extend(self.cache.map(|cache| ("cache", on(cache))));
        if !self.keep {
            options.push(("keep", on(false)));
        }
        options
    }
}

/// `on` or `off`.
fn switch(words: &mut Words, key: &str) -> Result<Option<bool>, InputError> {
    match words.take(key).as_deref() {
        None => Ok(None),
        Some("on") => Ok(Some(true)),
        Some("off") => Ok(Some(false)),
        Some(other) => Err(words.error(format!("`{key}={other}`: write `{key}=on` or `{key}=off`"))),
    }
}

fn key(words: &Words, text: &str) -> Result<Key, InputError> {
    if text == "exact" {
        return Ok(Key::Exact);
    }
    let bits = match text.strip_prefix("zobrist") {
        Some("") => Some(64),
        Some(rest) => rest.strip_prefix(':').and_then(|bits| bits.parse().ok()),
        None => None,
    };
    match bits.filter(|bits| (8..=64).contains(bits)) {
        Some(bits) => Ok(Key::Zobrist(bits)),
        None => Err(words.error(format!(
            "`key={text}`: write `key=exact`, `key=zobrist`, or `key=zobrist:16` for a key of 8 to 64 bits"
        ))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::words::spelled;

    #[test]
    fn what_is_written_is_read_back() {
        for spec in [
            "alphabeta",
            "alphabeta:quiescence=0",
            "alphabeta:quiescence=4,order=killer",
            "alphabeta:order=best,key=exact,cache=off",
            "alphabeta:key=zobrist,cache=on,keep=off",
            "alphabeta:order=natural,key=zobrist:16",
        ] {
            let mut words = Words::parse(spec).unwrap();
            let techniques = Techniques::read(&mut words).unwrap();
            words.finish(&[]).unwrap();
            assert_eq!(spelled("alphabeta", &techniques.spelled()), spec);
            assert_eq!(techniques.named(), spec != "alphabeta");
        }
        let keep = Techniques::read(&mut Words::parse("alphabeta:keep=off").unwrap()).unwrap();
        assert!(!keep.named() && !keep.keep);
        for (spec, cure) in [
            ("alphabeta:order=random", "natural, centre, killer, history, best"),
            ("alphabeta:key=md5", "key=zobrist:16"),
            ("alphabeta:key=zobrist:65", "8 to 64 bits"),
            ("alphabeta:cache=yes", "`cache=on` or `cache=off`"),
            ("alphabeta:quiescence=101", "from 0 to 100"),
        ] {
            let error = Techniques::read(&mut Words::parse(spec).unwrap()).unwrap_err().to_string();
            assert!(error.contains(cure), "{error}");
        }
    }
}
