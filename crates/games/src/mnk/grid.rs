//! Text notation of m,n,k boards: one line for scripts, a picture for people, and move names.
//!
//! ```text
//! .oox/xxoo/xoxo/.x..        rows from the top; x, o, # for an obstacle,
//! 1oox/xxoo/xoxo/1x2         and . or a number for empty cells
//! ```
//!
//! Boards in other forms, copied from elsewhere, are parsed by `pasted.rs`.

use super::pasted;
use outplay_core::{
    Content, InputError, LineBoard, Picture, Tone, Turn, cell_name, column_name, parse_cell, parse_column,
};

/// On boards wider than this, runs of empty cells are written as numbers.
const WIDE: usize = 40;

/// The one-line form. The player to move follows from the stones.
pub(super) fn write(board: &LineBoard) -> String {
    let mut text = String::new();
    for row in (0..board.height).rev() {
        let mut empty = 0;
        for column in 0..board.width {
            let content = board.cells[board.cell(column, row)];
            if content == Content::Empty && board.width > WIDE {
                empty += 1;
                continue;
            }
            flush(&mut text, &mut empty);
            text.push(letter(content));
        }
        flush(&mut text, &mut empty);
        if row > 0 {
            text.push('/');
        }
    }
    text
}

fn flush(text: &mut String, empty: &mut usize) {
    if *empty > 0 {
        *text += &empty.to_string();
        *empty = 0;
    }
}

fn letter(content: Content) -> char {
    match content {
        Content::Empty => '.',
        Content::Blocked => '#',
        Content::First => 'x',
        Content::Second => 'o',
    }
}

/// Parses a board and determines the player to move; the stones are not checked any further.
pub(super) fn read(start: &LineBoard, text: &str) -> Result<LineBoard, InputError> {
    reading(start, text).map(|(board, _)| board)
}

/// The sentence that explains a board whose colours were swapped.
pub(super) fn note(start: &LineBoard, text: &str) -> Option<String> {
    let (board, _) = reading(start, text).ok().filter(|(_, swapped)| *swapped)?;
    let count = |player| board.cells.iter().filter(|&&cell| cell == player).count();
    let (x, o) = (count(Content::Second), count(Content::First));
    let starter = if start.turn == Turn::First { "x" } else { "o" };
    Some(format!(
        "the board given has {x} x and {o} o, but in this game {starter} moves first, so the colours are swapped"
    ))
}

/// Parses a board; the flag says whether its colours were swapped.
fn reading(start: &LineBoard, text: &str) -> Result<(LineBoard, bool), InputError> {
    let bad = |why: String| InputError::position(text, why);
    let mut swapped = false;
    let (rows, turn) = match one_line(start, text) {
        Ok(read) => read,
        Err(why) if !pasted::is_loose(text) => return Err(bad(why)),
        Err(why) => {
            let other_form = pasted::has_signs(text) || (start.height > 1 && !text.contains('/'));
            let (mut rows, mut turn) =
                pasted::read(start, text).map_err(|other| bad(if other_form { other } else { why }))?;
            swapped = fits_swapped(start, &rows);
            if swapped {
                rows.iter_mut().flatten().for_each(|cell| *cell = opposite(*cell));
                turn = turn.map(Turn::other);
            }
            (rows, turn)
        }
    };
    let mut board = start.clone();
    for (i, contents) in rows.into_iter().enumerate() {
        let row = board.height - 1 - i;
        for (column, content) in contents.into_iter().enumerate() {
            let cell = board.cell(column, row);
            let blocked = start.cells[cell] == Content::Blocked;
            if blocked != (content == Content::Blocked) {
                let name = cell_name(column, row);
                return Err(bad(if blocked {
                    format!("cell {name} is an obstacle of this game; write `#` there")
                } else {
                    format!(
                        "cell {name} is not an obstacle of this game; add it to `obstacles=` in the game's spec"
                    )
                }));
            }
            board.cells[cell] = content;
        }
    }
    let placed = board.stones().saturating_sub(start.stones());
    board.turn = if placed.is_multiple_of(2) { start.turn } else { start.turn.other() };
    if turn.is_some_and(|turn| turn != board.turn) {
        let natural = if board.turn == Turn::First { "x" } else { "o" };
        return Err(bad(format!(
            "with these stones it is {natural}'s turn; to change the order of play, add `turn=` to the game's spec"
        )));
    }
    Ok((board, swapped))
}

/// Whether the stones alternate only if each colour is the other player's.
fn fits_swapped(start: &LineBoard, rows: &[Vec<Content>]) -> bool {
    let count = |player| rows.iter().flatten().filter(|&&cell| cell == player).count();
    let (first, second) = (count(Content::First), count(Content::Second));
    let (mover, other) = if start.turn == Turn::First { (first, second) } else { (second, first) };
    start.stones() == 0 && mover + 1 == other
}

/// The content with the stones' colours swapped.
fn opposite(content: Content) -> Content {
    match content {
        Content::First => Content::Second,
        Content::Second => Content::First,
        other => other,
    }
}

/// Parses the one-line form.
fn one_line(start: &LineBoard, text: &str) -> Result<pasted::Rows, String> {
    let (rows, turn) = match text.trim().split_once(char::is_whitespace) {
        None => (text.trim(), None),
        Some((rows, "x")) => (rows, Some(Turn::First)),
        Some((rows, "o")) => (rows, Some(Turn::Second)),
        Some((_, other)) => {
            return Err(format!(
                "`{other}` after the board is not a player; write `x` or `o` for the player to move"
            ));
        }
    };
    let lines: Vec<&str> = rows.split('/').collect();
    if lines.len() != start.height {
        return Err(format!(
            "{} rows are given, but the board has {}; write all rows from the top, joined by `/`",
            lines.len(),
            start.height
        ));
    }
    let mut read = Vec::new();
    for (i, line) in lines.iter().enumerate() {
        let contents = read_row(line, start.width)?;
        if contents.len() != start.width {
            return Err(format!(
                "row {} has {} cells, but the board has {} columns",
                start.height - i,
                contents.len(),
                start.width
            ));
        }
        read.push(contents);
    }
    Ok((read, turn))
}

fn read_row(line: &str, width: usize) -> Result<Vec<Content>, String> {
    let mut contents = Vec::new();
    let mut run: Option<usize> = None;
    for c in line.chars() {
        if let Some(digit) = c.to_digit(10) {
            let number = run.unwrap_or(0).saturating_mul(10).saturating_add(digit as usize);
            run = Some(number.min(width + 1));
            continue;
        }
        contents.extend(std::iter::repeat_n(Content::Empty, run.take().unwrap_or(0)));
        contents.push(match c {
            '.' => Content::Empty,
            '#' => Content::Blocked,
            'x' | 'X' => Content::First,
            'o' | 'O' => Content::Second,
            other => {
                return Err(format!("`{other}` is not a cell; use x, o, #, . or a number of empty cells"));
            }
        });
        if contents.len() > width {
            break;
        }
    }
    contents.extend(std::iter::repeat_n(Content::Empty, run.unwrap_or(0)));
    Ok(contents)
}

/// A move's name: the column's number with gravity, the cell's name without.
pub(super) fn write_move(board: &LineBoard, column: usize, row: usize) -> String {
    if board.gravity { (column + 1).to_string() } else { cell_name(column, row) }
}

/// Parses a move as the cell where the stone comes to rest.
pub(super) fn read_move(board: &LineBoard, over: bool, text: &str) -> Result<(usize, usize), InputError> {
    let bad = |why: String| InputError::mv(text, why);
    if over {
        return Err(bad("the game is over, so no move is legal".into()));
    }
    let (w, h) = (board.width, board.height);
    if !board.gravity {
        let Some((column, row)) = parse_cell(text) else {
            return Err(bad("not a cell; write a column letter and a row number, as in `b2`".into()));
        };
        if column >= w || row >= h {
            return Err(bad(format!(
                "this cell is not on the board; its columns are a-{}, its rows 1-{h}",
                column_name(w - 1)
            )));
        }
        return match board.cells[board.cell(column, row)] {
            Content::Empty => Ok((column, row)),
            Content::Blocked => Err(bad("the cell is an obstacle; choose an empty one".into())),
            _ => Err(bad("the cell is taken; choose an empty one".into())),
        };
    }
    let number = text.parse::<usize>().ok().and_then(|n| n.checked_sub(1));
    let lettered = || parse_cell(text).map(|(column, _)| column).or_else(|| parse_column(text));
    let Some(column) = number.or_else(lettered) else {
        return Err(bad(format!("not a column; write a number from 1 to {w}")));
    };
    if column >= w {
        return Err(bad(format!("there is no such column; the columns are 1 to {w}")));
    }
    let landing =
        (board.floor(column)..h).find(|&row| board.cells[board.cell(column, row)] == Content::Empty);
    let Some(row) = landing else {
        return Err(bad(format!("column {} is full; choose another", column + 1)));
    };
    if parse_cell(text).is_some_and(|(_, wanted)| number.is_none() && wanted != row) {
        return Err(bad(format!("a stone in that column falls to {}", cell_name(column, row))));
    }
    Ok((column, row))
}

/// Splits at commas and spaces; with gravity and up to nine columns, a string of digits is a list of columns.
pub(super) fn split_moves(board: &LineBoard, text: &str) -> Vec<String> {
    let digits = board.gravity && board.width <= 9;
    let mut words = Vec::new();
    for word in text.split(|c: char| c == ',' || c.is_whitespace()).filter(|word| !word.is_empty()) {
        if digits && word.bytes().all(|b| b.is_ascii_digit()) {
            words.extend(word.chars().map(String::from));
        } else {
            words.push(word.to_string());
        }
    }
    words
}

/// The board with coordinates, and labels in the target cells of moves.
pub(super) fn draw(board: &LineBoard, marks: &[((usize, usize), &str, Tone)]) -> Picture {
    let label = |column, row| marks.iter().find(|(at, ..)| *at == (column, row));
    let name = |column: usize| if board.gravity { (column + 1).to_string() } else { column_name(column) };
    let widest = marks.iter().map(|(_, text, _)| text.chars().count());
    let names = (0..board.width).map(|column| name(column).len());
    let cell_width = widest.chain(names).max().unwrap_or(1) + 1;
    let margin = board.height.to_string().len();
    let mut picture = Picture::default();
    for row in (0..board.height).rev() {
        picture.newline();
        picture.put(format!("{:>margin$} ", row + 1), Tone::Faint);
        for column in 0..board.width {
            let content = board.cells[board.cell(column, row)];
            let (text, tone) = match (content, label(column, row)) {
                (Content::Empty, Some((_, text, tone))) => ((*text).to_string(), *tone),
                (Content::Empty, None) => (".".to_string(), Tone::Faint),
                (Content::Blocked, _) => ("#".to_string(), Tone::Faint),
                (Content::First, _) => ("x".to_string(), Tone::First),
                (Content::Second, _) => ("o".to_string(), Tone::Second),
            };
            picture.put(" ".repeat(cell_width - text.chars().count()), Tone::Plain);
            picture.put(text, tone);
        }
    }
    picture.newline();
    picture.put(" ".repeat(margin + 1), Tone::Plain);
    for column in 0..board.width {
        picture.put(format!("{:>cell_width$}", name(column)), Tone::Faint);
    }
    picture
}
