//! The [`Notation`] trait: positions and moves as text, and text pictures of positions.
//!
//! Every printed position and move can be parsed again.

use crate::{Game, Gesture, InputError, Remark, Scene, Turn};

/// Role of a piece of text in a picture; the interface maps it to a colour.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Tone {
    /// Ordinary text.
    Plain,
    /// Less important: coordinates, empty cells.
    Faint,
    /// A stone or man of the first player.
    First,
    /// A stone or man of the second player.
    Second,
    /// A move that wins for the player to move.
    Win,
    /// A move that holds the draw.
    Draw,
    /// A move that loses.
    Loss,
}

/// A piece of text of a picture, in one tone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The characters, without line breaks.
    pub text: String,
    /// The meaning of the text.
    pub tone: Tone,
}

/// A position drawn with characters, line by line.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Picture {
    /// The lines from the top.
    pub lines: Vec<Vec<Span>>,
}

impl Picture {
    /// Starts a new line.
    pub fn newline(&mut self) {
        self.lines.push(Vec::new());
    }

    /// Adds characters to the last line.
    pub fn put(&mut self, text: impl Into<String>, tone: Tone) {
        if self.lines.is_empty() {
            self.newline();
        }
        if let Some(line) = self.lines.last_mut() {
            line.push(Span { text: text.into(), tone });
        }
    }

    /// The picture without tones.
    pub fn plain(&self) -> String {
        let line = |spans: &Vec<Span>| {
            let text: String = spans.iter().map(|span| span.text.as_str()).collect();
            text.trim_end().to_string() + "\n"
        };
        self.lines.iter().map(line).collect()
    }
}

/// A short label for a move, drawn where the move would go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark<M> {
    /// The move.
    pub mv: M,
    /// At most four characters.
    pub text: String,
    /// The meaning of the label.
    pub tone: Tone,
}

/// Text notation of a game, for people and scripts. Every printed position and move can be parsed again.
pub trait Notation: Game {
    /// The game's canonical spec string; it parses to an equal game.
    fn spec(&self) -> String;

    /// A position as one line.
    fn write_position(&self, pos: &Self::Position) -> String;

    /// Parses the output of `write_position`, and hand-written forms of it.
    ///
    /// # Errors
    ///
    /// An explanation for text that is no position of this game or not reachable by play.
    fn read_position(&self, text: &str) -> Result<Self::Position, InputError>;

    /// A sentence about a position that was not taken as written, such as a board whose colours were swapped.
    fn reading_note(&self, _text: &str) -> Option<String> {
        None
    }

    /// Parses a position that an index may number although play does not reach it: the counts of stones are right,
    /// and lines are ignored. The fallback is `read_position`.
    ///
    /// # Errors
    ///
    /// An explanation for text that is no such position.
    fn read_arrangement(&self, text: &str) -> Result<Self::Position, InputError> {
        self.read_position(text)
    }

    /// A position in the form of a textbook; the fallback is the one-line form.
    fn textbook(&self, pos: &Self::Position) -> String {
        self.write_position(pos)
    }

    /// The set S as a textbook lists it, unreachable positions included; `None` means the reachable ones.
    fn textbook_positions(&self) -> Option<Vec<Self::Position>> {
        None
    }

    /// A legal move as a word without spaces or commas.
    fn write_move(&self, pos: &Self::Position, mv: Self::Move) -> String;

    /// A legal move in the field's own notation, where that differs from `write_move`: `Nxd5+` in chess. `read_move`
    /// parses it too.
    fn spoken(&self, _pos: &Self::Position, _mv: Self::Move) -> Option<String> {
        None
    }

    /// The words that follow a player's name when a move is reported: `plays b2`, `takes 2 of 5`, `rolls 6 and 5`.
    /// Verbs are in the third person, at the beginning or after `and`. Empty for a move that is not worth a report.
    fn said(&self, pos: &Self::Position, mv: Self::Move) -> String {
        let verb = if self.turn(pos) == Turn::Chance { "rolls" } else { "plays" };
        format!("{verb} {}", self.write_move(pos, mv))
    }

    /// The position as named numbers from the view of the player to move, for tables of a policy; empty if it has no
    /// such form.
    fn coordinates(&self, _pos: &Self::Position) -> Vec<(&'static str, i64)> {
        Vec::new()
    }

    /// Whether the players are White and Black, and a win is a mate counted in the winner's moves.
    fn mates(&self) -> bool {
        false
    }

    /// Parses a legal move. The fallback compares with `write_move` of every legal move.
    ///
    /// # Errors
    ///
    /// An explanation for a move that is not legal here.
    fn read_move(&self, pos: &Self::Position, text: &str) -> Result<Self::Move, InputError> {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        if moves.is_empty() {
            return Err(InputError::mv(text, "the game is over, so no move is legal"));
        }
        let found = moves.iter().copied().find(|&mv| self.write_move(pos, mv) == text);
        found.ok_or_else(|| {
            let mut words: Vec<String> = moves.iter().take(12).map(|&mv| self.write_move(pos, mv)).collect();
            if moves.len() > words.len() {
                words.push("…".to_string());
            }
            InputError::mv(
                text,
                format!("not a legal move in this position; the legal moves are {}", words.join(" ")),
            )
        })
    }

    /// Splits a list of moves at commas and spaces. A game with one-character moves may also accept them without
    /// separators.
    fn split_moves(&self, text: &str) -> Vec<String> {
        text.split(|c: char| c == ',' || c.is_whitespace())
            .filter(|w| !w.is_empty())
            .map(str::to_string)
            .collect()
    }

    /// The position drawn over several lines, with labels at the moves' targets. The fallback is the one-line form.
    fn draw(&self, pos: &Self::Position, _marks: &[Mark<Self::Move>]) -> Picture {
        let mut picture = Picture::default();
        picture.put(self.write_position(pos), Tone::Plain);
        picture
    }

    /// The position as clickable spots. The fallback is the text of the position with a button for each move.
    fn scene(&self, pos: &Self::Position) -> Scene {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let button = |mv| Gesture { mv: self.write_move(pos, mv), ..Gesture::default() };
        Scene {
            facts: vec![("position".into(), self.write_position(pos))],
            moves: moves.into_iter().map(button).collect(),
            ..Scene::default()
        }
    }

    /// Observations on an unfinished position that explain its value to people. Spots are those of
    /// [`Notation::scene`]. The fallback has none.
    fn remarks(&self, _pos: &Self::Position) -> Vec<Remark> {
        Vec::new()
    }

    /// An oddity of the game that does not prevent play, such as a k that exceeds every line.
    fn warning(&self) -> Option<String> {
        None
    }
}

/// The name of a cell: column letters and row number, `a1` at the bottom left, `aa` after `z`.
pub fn cell_name(column: usize, row: usize) -> String {
    format!("{}{}", column_name(column), row + 1)
}

/// The letters of a column: a, b, …, z, aa, ab, …
pub fn column_name(column: usize) -> String {
    let mut letters = Vec::new();
    let mut rest = column + 1;
    while rest > 0 {
        rest -= 1;
        letters.push(b'a' + (rest % 26) as u8);
        rest /= 26;
    }
    letters.reverse();
    letters.into_iter().map(char::from).collect()
}

/// Parses a cell name as (column, row), both from 0. `None` if the text is no cell name or a number exceeds its
/// limit.
pub fn parse_cell(text: &str) -> Option<(usize, usize)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = text.split_at(digits);
    let row: usize = number.parse().ok().filter(|&row| (1..=1_000_000).contains(&row))?;
    if number.starts_with('0') || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((parse_column(letters)?, row - 1))
}

/// Parses column letters as a number from 0.
pub fn parse_column(letters: &str) -> Option<usize> {
    if letters.is_empty() || letters.len() > 4 {
        return None;
    }
    let mut column = 0;
    for byte in letters.bytes() {
        let lower = byte.to_ascii_lowercase();
        if !lower.is_ascii_lowercase() {
            return None;
        }
        column = column * 26 + usize::from(lower - b'a') + 1;
    }
    Some(column - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_have_spreadsheet_names() {
        let check = |column, row, name: &str| {
            assert_eq!(cell_name(column, row), name);
            assert_eq!(parse_cell(name), Some((column, row)));
        };
        check(0, 0, "a1");
        check(25, 9, "z10");
        check(26, 0, "aa1");
        check(701, 998, "zz999");
        check(702, 0, "aaa1");
    }

    #[test]
    fn nonsense_is_no_cell() {
        for text in ["", "a", "1", "a0", "a01", "1a", "a-1", "a1b", "é1", "abcde1", "a99999999999999999999"]
        {
            assert_eq!(parse_cell(text), None, "{text}");
        }
    }
}
