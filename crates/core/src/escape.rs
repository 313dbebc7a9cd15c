//! Escaping of control characters in untrusted text for terminal output.

/// Marks, embeddings, overrides and isolates of the Unicode bidirectional algorithm: they reorder the text around them.
const BIDIRECTIONAL: [char; 12] = [
    '\u{200e}', '\u{200f}', '\u{061c}', '\u{202a}', '\u{202b}', '\u{202c}', '\u{202d}', '\u{202e}',
    '\u{2066}', '\u{2067}', '\u{2068}', '\u{2069}',
];

/// Returns the text on one line with control characters (line breaks included) and bidirectional formatting characters
/// as Rust escapes.
///
/// File names, file contents and the output of other programs could otherwise move the cursor, hide text or set the
/// title of the window. A text that is escaped already stays as it is.
///
/// # Examples
///
/// ```
/// assert_eq!(outplay_core::escape_controls("a\u{1b}[2J\nb"), "a\\u{1b}[2J\\nb");
/// ```
pub fn escape_controls(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    for c in text.chars() {
        if c.is_control() || BIDIRECTIONAL.contains(&c) {
            shown.extend(c.escape_default());
        } else {
            shown.push(c);
        }
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_characters_that_steer_a_terminal_are_escaped() {
        let check = |text: &str, shown: &str| {
            assert_eq!(escape_controls(text), shown);
            assert_eq!(escape_controls(shown), shown);
        };
        check("Erdős, 棋, a1, \\n", "Erdős, 棋, a1, \\n");
        check("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}");
        check("\r\n\t\u{9b}2J\u{202e}\u{2066}\0", "\\r\\n\\t\\u{9b}2J\\u{202e}\\u{2066}\\u{0}");
    }
}
