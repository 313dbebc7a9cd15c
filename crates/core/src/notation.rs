//! Positions and moves as text, and pictures of positions.

use crate::{Game, Gesture, InputError, Remark, Scene};

/// How a piece of a picture is meant; the interface chooses a colour or none.
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

/// A few characters in one tone.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Span {
    /// The characters, without line breaks.
    pub text: String,
    /// What they mean.
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

/// A short label to draw where a move would go.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Mark<M> {
    /// The move.
    pub mv: M,
    /// At most four characters.
    pub text: String,
    /// What the label means.
    pub tone: Tone,
}

/// Text for people and scripts: every position and move printed can be read back.
pub trait Notation: Game {
    /// The game's canonical spec string; it reads back as an equal game.
    fn spec(&self) -> String;

    /// A position as one line.
    fn write_position(&self, pos: &Self::Position) -> String;

    /// Reads what `write_position` wrote, and what people write by hand.
    ///
    /// # Errors
    ///
    /// One sentence for text that is no position of this game or that no play can reach.
    fn read_position(&self, text: &str) -> Result<Self::Position, InputError>;

    /// Reads a position that an index may number although no play reaches it: counts of stones are right, and lines do
    /// not matter. The fallback knows none but those of `read_position`.
    ///
    /// # Errors
    ///
    /// One sentence for text that is no such position.
    fn read_arrangement(&self, text: &str) -> Result<Self::Position, InputError> {
        self.read_position(text)
    }

    /// A position the way a textbook lists it; the fallback is the one-line form.
    fn textbook(&self, pos: &Self::Position) -> String {
        self.write_position(pos)
    }

    /// S as a textbook lists it, positions that play does not reach included; `None` means "the reached ones".
    fn textbook_positions(&self) -> Option<Vec<Self::Position>> {
        None
    }

    /// A legal move as a word without spaces or commas.
    fn write_move(&self, pos: &Self::Position, mv: Self::Move) -> String;

    /// A legal move as people of the field write it, where that differs from `write_move`: `Nxd5+` in chess.
    /// `read_move` reads it back.
    fn spoken(&self, _pos: &Self::Position, _mv: Self::Move) -> Option<String> {
        None
    }

    /// Whether the players are White and Black, and a win is a mate that counts the winner's moves.
    fn mates(&self) -> bool {
        false
    }

    /// Reads a legal move. The fallback compares with `write_move` of every legal one.
    ///
    /// # Errors
    ///
    /// One sentence for a move that is not legal here.
    fn read_move(&self, pos: &Self::Position, text: &str) -> Result<Self::Move, InputError> {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        if moves.is_empty() {
            return Err(InputError::mv(text, "the game is over, there is no move to make"));
        }
        let found = moves.iter().copied().find(|&mv| self.write_move(pos, mv) == text);
        found.ok_or_else(|| {
            let mut words: Vec<String> = moves.iter().take(12).map(|&mv| self.write_move(pos, mv)).collect();
            if moves.len() > words.len() {
                words.push("…".to_string());
            }
            InputError::mv(text, format!("not a legal move here; the legal ones are {}", words.join(" ")))
        })
    }

    /// Splits a list of moves into words; commas and spaces separate. A game with one-character moves
    /// may also accept them run together.
    fn split_moves(&self, text: &str) -> Vec<String> {
        text.split(|c: char| c == ',' || c.is_whitespace())
            .filter(|w| !w.is_empty())
            .map(str::to_string)
            .collect()
    }

    /// The position drawn over several lines, with labels where moves would go. The fallback is the
    /// position's one line.
    fn draw(&self, pos: &Self::Position, _marks: &[Mark<Self::Move>]) -> Picture {
        let mut picture = Picture::default();
        picture.put(self.write_position(pos), Tone::Plain);
        picture
    }

    /// The position as spots to point at. The fallback is the text of the position with a button for each move.
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

    /// What a player sees in an unfinished position and what explains its value to people; spots are those of
    /// [`Notation::scene`]. The fallback sees nothing.
    fn remarks(&self, _pos: &Self::Position) -> Vec<Remark> {
        Vec::new()
    }

    /// What is odd about the game although it can be played, such as a k that no line can hold.
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

/// Reads a cell name as (column, row), both from 0. `None` if it is not one or absurdly large.
pub fn parse_cell(text: &str) -> Option<(usize, usize)> {
    let digits = text.find(|c: char| c.is_ascii_digit())?;
    let (letters, number) = text.split_at(digits);
    let row: usize = number.parse().ok().filter(|&row| (1..=1_000_000).contains(&row))?;
    if number.starts_with('0') || !number.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some((parse_column(letters)?, row - 1))
}

/// Reads column letters as a number from 0.
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
