//! Parser of player specs: `name[:key=value,…]`.
//!
//! The parser splits a spec into a name and options; each player then takes its own options and checks their values.
//!
//! ```text
//! noisy:p=0.1,inner=alphabeta:depth=5,eval=lines      the value of `inner` and `eval` is the rest of the spec …
//! noisy:inner=(alphabeta:depth=5,eval=lines),p=0.1    … or the text in parentheses
//! ```

use outplay_core::{InputError, nearest};
use std::fmt::Display;
use std::str::FromStr;
use std::time::Duration;

/// Options whose value is a nested spec.
const WHOLE: [&str; 2] = ["inner", "eval"];
/// Maximal length of a spec, since specs also arrive over the network.
const MAX_CHARS: usize = 4000;

/// A spec split into name and options. Players take the options they know; [`ParsedSpec::finish`] refuses the rest.
#[derive(Clone, Debug)]
pub(crate) struct ParsedSpec {
    text: String,
    name: String,
    options: Vec<(String, String)>,
}

impl ParsedSpec {
    pub(crate) fn parse(text: &str) -> Result<ParsedSpec, InputError> {
        let bad = |why: String| InputError::spec(text, why);
        if text.len() > MAX_CHARS {
            return Err(bad(format!("a player's spec has at most {MAX_CHARS} characters; shorten it")));
        }
        let clean = text.trim();
        let (name, mut rest) = clean.split_once(':').unwrap_or((clean, ""));
        if name.is_empty() {
            return Err(bad("the player's name is missing; `outplay players` lists them".into()));
        }
        let mut options: Vec<(String, String)> = Vec::new();
        while !rest.is_empty() {
            let word = rest.split([',', '=']).next().unwrap_or_default();
            let Some(after) = rest[word.len()..].strip_prefix('=') else {
                let shown = if word.is_empty() { "," } else { word };
                return Err(bad(format!("`{shown}` is not an option; write options as key=value")));
            };
            let (value, left) = if let Some(inside) = after.strip_prefix('(') {
                let Some(end) = closing(inside) else {
                    return Err(bad(format!("the parenthesis after `{word}=` is not closed; add `)`")));
                };
                (&inside[..end], &inside[end + 1..])
            } else if WHOLE.contains(&word) {
                (after, "")
            } else {
                let end = after.find(',').unwrap_or(after.len());
                after.split_at(end)
            };
            if value.is_empty() {
                return Err(bad(format!("`{word}=` needs a value")));
            }
            if options.iter().any(|(known, _)| known == word) {
                return Err(bad(format!("the option `{word}` is given twice; give it once")));
            }
            options.push((word.to_string(), value.to_string()));
            rest = match (left, left.strip_prefix(',')) {
                ("", _) => "",
                (_, Some(next)) if !next.is_empty() => next,
                _ => {
                    return Err(bad(format!(
                        "expected `,key=value` or the end of the spec after `{word}=…`"
                    )));
                }
            };
        }
        Ok(ParsedSpec { text: clean.to_string(), name: name.to_string(), options })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn take(&mut self, key: &str) -> Option<String> {
        let place = self.options.iter().position(|(known, _)| known == key)?;
        Some(self.options.remove(place).1)
    }

    /// Takes all remaining options.
    pub(crate) fn rest(&mut self) -> Vec<(String, String)> {
        std::mem::take(&mut self.options)
    }

    /// Takes a number between `low` and `high`.
    pub(crate) fn number<T: FromStr + PartialOrd + Display + Copy>(
        &mut self,
        key: &str,
        low: T,
        high: T,
    ) -> Result<Option<T>, InputError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        match value.parse::<T>() {
            Ok(number) if number >= low && number <= high => Ok(Some(number)),
            _ => Err(self.error(format!("`{key}={value}` is not a number from {low} to {high}"))),
        }
    }

    /// Takes a count, with `k` and `M` for thousands and millions.
    pub(crate) fn count(&mut self, key: &str) -> Result<Option<u64>, InputError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let (digits, factor) = match value.strip_suffix(['k', 'K']) {
            Some(digits) => (digits, 1_000),
            None => value.strip_suffix('M').map_or((value.as_str(), 1), |digits| (digits, 1_000_000)),
        };
        match digits.parse::<u64>().ok().and_then(|number| number.checked_mul(factor)) {
            Some(number) if number > 0 => Ok(Some(number)),
            _ => Err(self.error(format!(
                "`{key}={value}` is not a count; write it as in `{key}=50000` or `{key}=50k`"
            ))),
        }
    }

    /// Takes a duration: `200ms`, `1.5s`, or seconds without a unit.
    pub(crate) fn time(&mut self, key: &str) -> Result<Option<Duration>, InputError> {
        let Some(value) = self.take(key) else { return Ok(None) };
        let (digits, unit) = match value.strip_suffix("ms") {
            Some(digits) => (digits, 1e-3),
            None => (value.strip_suffix('s').unwrap_or(&value), 1.0),
        };
        let seconds = digits.parse::<f64>().ok().map(|number| number * unit);
        match seconds.filter(|seconds| (1e-3..=86_400.0).contains(seconds)) {
            Some(seconds) => Ok(Some(Duration::from_secs_f64(seconds))),
            None => Err(self.error(format!(
                "`{key}={value}` is not a time between 1ms and 1 day; write it as in `{key}=200ms` or `{key}=2s`"
            ))),
        }
    }

    /// Returns an error if options are left.
    pub(crate) fn finish(&self, known: &[&str]) -> Result<(), InputError> {
        let Some((key, _)) = self.options.first() else { return Ok(()) };
        let name = &self.name;
        Err(match (known, nearest(key, known.iter().copied())) {
            ([], _) => self.error(format!("`{name}` has no option `{key}`; it takes none")),
            (_, Some(near)) => self.error(format!("`{name}` has no option `{key}`; did you mean `{near}`?")),
            _ => self.error(format!("`{name}` has no option `{key}`; it has {}", known.join(", "))),
        })
    }

    pub(crate) fn error(&self, why: impl Into<String>) -> InputError {
        InputError::spec(&self.text, why)
    }
}

/// Finds the parenthesis that closes the one opened before `text`.
fn closing(text: &str) -> Option<usize> {
    let mut open = 1;
    for (at, c) in text.char_indices() {
        match c {
            '(' => open += 1,
            ')' => open -= 1,
            _ => {}
        }
        if open == 0 {
            return Some(at);
        }
    }
    None
}

/// Formats a spec; nested specs come last, so that they need no parentheses.
pub(crate) fn format_spec(name: &str, options: &[(&str, String)]) -> String {
    let mut text = name.to_string();
    let last = |key: &str| WHOLE.contains(&key);
    let ordered =
        options.iter().filter(|(key, _)| !last(key)).chain(options.iter().filter(|(key, _)| last(key)));
    for (i, (key, value)) in ordered.enumerate() {
        text += if i == 0 { ":" } else { "," };
        text += &format!("{key}={value}");
    }
    text
}

/// Formats a duration as [`ParsedSpec::time`] parses it.
pub(crate) fn format_duration(time: Duration) -> String {
    let ms = time.as_secs_f64() * 1e3;
    if ms >= 1000.0 {
        format!("{}s", (ms / 10.0).round() / 100.0)
    } else {
        format!("{}ms", (ms * 1e3).round() / 1e3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_options_take_the_rest_or_a_parenthesis() {
        let mut words = ParsedSpec::parse("noisy:p=0.1,inner=alphabeta:depth=5,eval=lines").unwrap();
        assert_eq!(words.take("inner").as_deref(), Some("alphabeta:depth=5,eval=lines"));
        assert_eq!(words.number("p", 0.0, 1.0).unwrap(), Some(0.1));
        let mut words =
            ParsedSpec::parse("noisy:inner=(alphabeta:eval=(lines:twos=1),depth=5),p=0.1").unwrap();
        assert_eq!(words.take("inner").as_deref(), Some("alphabeta:eval=(lines:twos=1),depth=5"));
        assert_eq!(words.take("p").as_deref(), Some("0.1"));
        words.finish(&["p"]).unwrap();
    }

    #[test]
    fn invalid_specs_are_refused() {
        let check = |text: &str, expected: &str| {
            let error = ParsedSpec::parse(text).map(|_| ()).unwrap_err().to_string();
            assert!(error.contains(expected), "{text}: {error}");
        };
        check("", "the player's name is missing");
        check("noisy:p", "`p` is not an option");
        check("noisy:p=1,", "expected `,key=value`");
        check("noisy:,p=1", "`,` is not an option");
        check("noisy:inner=(random", "is not closed");
        check("noisy:inner=(random)p=1", "expected `,key=value`");
        check("noisy:p=", "needs a value");
        check("noisy:p=1,p=2", "given twice");
        let mut words = ParsedSpec::parse("alphabeta:deph=3").unwrap();
        assert!(words.finish(&["depth", "time"]).unwrap_err().to_string().contains("did you mean `depth`?"));
        assert_eq!(words.rest().len(), 1);
    }

    #[test]
    fn durations_and_counts_round_trip() {
        for (text, written_as) in [("200ms", "200ms"), ("1.5s", "1.5s"), ("2", "2s"), ("0.25s", "250ms")] {
            let mut words = ParsedSpec::parse(&format!("x:time={text}")).unwrap();
            assert_eq!(format_duration(words.time("time").unwrap().unwrap()), written_as);
        }
        for text in ["-1s", "0", "nan", "inf", "1e300s", "abc"] {
            assert!(ParsedSpec::parse(&format!("x:time={text}")).unwrap().time("time").is_err(), "{text}");
        }
        let count = |text: &str| ParsedSpec::parse(&format!("x:nodes={text}")).unwrap().count("nodes");
        assert_eq!(count("50k").unwrap(), Some(50_000));
        assert_eq!(count("2M").unwrap(), Some(2_000_000));
        assert!(count("0").is_err() && count("99999999999999999999").is_err());
    }
}
