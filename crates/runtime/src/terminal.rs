//! Colour depth of the terminal.

/// Whether the terminal announces 24-bit colours (`COLORTERM` is `truecolor` or `24bit`); without it, 16 are used.
pub fn true_color() -> bool {
    std::env::var("COLORTERM").is_ok_and(|word| announces(&word))
}

fn announces(word: &str) -> bool {
    ["truecolor", "24bit"].contains(&word.to_ascii_lowercase().as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_two_words_announce_true_colour() {
        assert!(announces("truecolor") && announces("24bit") && announces("TrueColor"));
        assert!(!announces("") && !announces("256color") && !announces("yes"));
    }
}
