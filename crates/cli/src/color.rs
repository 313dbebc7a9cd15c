//! The option `--color`.
//!
//! The choice applies to all output of the process, by way of `anstream`. With `auto`, colours are dropped in pipes and
//! if `NO_COLOR` is set.

use clap::ColorChoice;
use std::ffi::OsString;

/// Returns the value of `--color` before the command line is parsed, because usage errors have colours, too.
pub(crate) fn requested(words: impl Iterator<Item = OsString>) -> ColorChoice {
    let words: Vec<String> = words.map(|word| word.to_string_lossy().into_owned()).collect();
    let value = words.iter().enumerate().find_map(|(at, word)| match word.strip_prefix("--color") {
        Some("") => words.get(at + 1).map(String::as_str),
        Some(value) => value.strip_prefix('='),
        None => None,
    });
    match value {
        Some("always") => ColorChoice::Always,
        Some("never") => ColorChoice::Never,
        _ => ColorChoice::Auto,
    }
}

/// Applies the choice to all output of the process.
pub(crate) fn set(choice: ColorChoice) {
    let choice = match choice {
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
        ColorChoice::Auto => anstream::ColorChoice::Auto,
    };
    choice.write_global();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_option_is_found_in_both_forms() {
        let found = |line: &str| requested(line.split(' ').map(OsString::from));
        assert_eq!(found("outplay solve --color never x"), ColorChoice::Never);
        assert_eq!(found("outplay --color=always solve"), ColorChoice::Always);
        assert_eq!(found("outplay solve"), ColorChoice::Auto);
        assert_eq!(found("outplay solve --color"), ColorChoice::Auto);
    }
}
