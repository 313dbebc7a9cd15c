//! Escaping of control characters in text that is printed to a terminal, since messages may quote untrusted files.

use outplay_core::escape_controls;

/// Escapes all control characters: messages may quote files, which may contain terminal escape sequences.
pub(crate) fn harmless(text: &str) -> String {
    let lines: Vec<String> = text.split('\n').map(escape_controls).collect();
    lines.join("\n")
}

/// Output for a terminal: colours (SGR sequences) stay, and every other control character is escaped.
pub(crate) fn styled(text: &str) -> String {
    let mut shown = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if let Some(length) = sgr_length(rest) {
            shown.push_str(&rest[..length]);
            length
        } else {
            // The text before the next escape character; the first character may be an escape that starts no style.
            let second = first.len_utf8();
            let end = rest[second..].find('\u{1b}').map_or(rest.len(), |at| second + at);
            shown.push_str(&harmless(&rest[..end]));
            end
        };
        rest = &rest[length..];
    }
    shown
}

/// Returns the length of the SGR sequence (`ESC [ … m`) at the start of a text.
fn sgr_length(text: &str) -> Option<usize> {
    let parameters = text.strip_prefix("\u{1b}[")?;
    let end = parameters.find(|c: char| !(c.is_ascii_digit() || c == ';'))?;
    parameters[end..].starts_with('m').then_some(end + 3)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped() {
        assert_eq!(harmless("a `\u{1b}[31mfile`\n  its cure"), "a `\\u{1b}[31mfile`\n  its cure");
        assert_eq!(harmless("\r\u{7}\u{9b}2J\u{202e}"), "\\r\\u{7}\\u{9b}2J\\u{202e}");
        assert_eq!(harmless("Erdős, 棋, a1"), "Erdős, 棋, a1");
        assert_eq!(styled("\u{1b}[1;31mred\u{1b}[0m\n"), "\u{1b}[1;31mred\u{1b}[0m\n");
        assert_eq!(styled("\u{1b}]0;t\u{7}\u{1b}[2J\u{1b}[1"), "\\u{1b}]0;t\\u{7}\\u{1b}[2J\\u{1b}[1");
    }
}
