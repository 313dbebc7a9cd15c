//! Parser of pasted board pictures of any game: lines with frames and labels, and the explanations that the program
//! prints below its own pictures.

use outplay_core::{InputError, Turn};

/// The lines of a pasted board, with frames drawn in ASCII, and the player to move if a line names one.
pub(crate) struct PictureLines {
    pub(crate) lines: Vec<String>,
    pub(crate) turn: Option<Turn>,
}

/// Whether a text has the form of a picture: several lines, also with `\n` written out.
pub(crate) fn is_picture(text: &str) -> bool {
    text.trim().contains('\n') || text.contains("\\n")
}

impl PictureLines {
    /// Splits a text into lines; a line such as `a win in 3 plies (x to move)` and all below it are not the board.
    pub(crate) fn new(text: &str) -> PictureLines {
        let text: String = text.replace("\\n", "\n").chars().filter(|&c| c != '\r').map(ascii).collect();
        let mut lines: Vec<String> = text.split('\n').map(str::to_string).collect();
        if lines.last().is_some_and(String::is_empty) {
            lines.pop();
        }
        let mut turn = None;
        if let Some(at) = lines.iter().position(|line| line.contains(" to move")) {
            turn = lines[at]
                .split(" to move")
                .next()
                .and_then(|before| before.split_whitespace().last())
                .and_then(side);
            lines.truncate(at);
            if lines.last().is_some_and(|line| line.trim().is_empty()) {
                lines.pop();
            }
        }
        PictureLines { lines, turn }
    }

    /// The words of each line that is not blank, without row labels: `words` are left in a row of the board.
    pub(crate) fn rows(&self, words: impl Fn(usize) -> usize) -> Vec<Vec<&str>> {
        let filled = self.lines.iter().filter(|line| !line.trim().is_empty());
        let split = filled.enumerate().map(|(row, line)| {
            let mut cells: Vec<&str> = line.split_whitespace().collect();
            strip_labels(&mut cells, words(row));
            cells
        });
        split.collect()
    }
}

/// Removes the number at the beginning or the end of a row that has more words than cells.
pub(crate) fn strip_labels(cells: &mut Vec<&str>, width: usize) {
    if cells.len() > width && cells.first().is_some_and(|word| is_number(word)) {
        cells.remove(0);
    }
    if cells.len() > width && cells.last().is_some_and(|word| is_number(word)) {
        cells.pop();
    }
}

/// Whether a word is a number from 1, such as a row's.
pub(crate) fn is_number(word: &str) -> bool {
    !word.is_empty() && !word.starts_with('0') && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The one position that some of the candidate texts describe; `ambiguous` is the error if there are several.
pub(crate) fn only<P: PartialEq>(
    candidates: impl Iterator<Item = Result<P, InputError>>,
    ambiguous: impl FnOnce() -> InputError,
) -> Result<P, InputError> {
    let (mut found, mut first_error) = (None, None);
    for candidate in candidates {
        match candidate {
            Ok(pos) if found.as_ref().is_some_and(|known| *known != pos) => return Err(ambiguous()),
            Ok(pos) => found = Some(pos),
            Err(error) => first_error = first_error.or(Some(error)),
        }
    }
    found.ok_or_else(|| first_error.unwrap_or_else(ambiguous))
}

/// Box-drawing characters as ASCII.
fn ascii(c: char) -> char {
    match c {
        '│' | '┃' | '║' | '¦' => '|',
        '─' | '━' | '═' => '-',
        '┼' | '┌' | '┐' | '└' | '┘' | '├' | '┤' | '┬' | '┴' | '╔' | '╗' | '╚' | '╝' | '╠' | '╣' | '╦'
        | '╩' | '╬' => '+',
        '\t' | '\u{a0}' => ' ',
        other => other,
    }
}

/// The player that a word names.
fn side(word: &str) -> Option<Turn> {
    match word.trim_matches(|c: char| !c.is_alphanumeric()).to_lowercase().as_str() {
        "x" | "first" | "white" | "w" | "a" => Some(Turn::First),
        "o" | "second" | "black" | "b" => Some(Turn::Second),
        _ => None,
    }
}
