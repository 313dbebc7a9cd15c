//! Parser of pasted boards: pictures that this program has printed, grids with pipes or spaces, plain rows, and other
//! letters for the stones.
//!
//! ```text
//!  3  x  .  +3        x | o |          X O _       Y R .
//!  2  .  o   =       ---+---+---       _ X _       . Y .
//!  1  .  .  -4          | x |          O _ _       R . .
//!     a  b   c
//! ```

use crate::pasted::{PictureLines, is_number, strip_labels};
use outplay_core::{Content, LineBoard, Turn, column_name};

/// The contents of a board row by row from the top, and the player to move if the text names one.
pub(super) type Rows = (Vec<Vec<Content>>, Option<Turn>);

/// Whether a text may be a board of another form than one line of rows.
pub(super) fn is_loose(text: &str) -> bool {
    has_signs(text) || text.trim().contains(char::is_whitespace) || !text.contains('/')
}

/// Whether a text has characters of pictures that the one-line form has not.
pub(super) fn has_signs(text: &str) -> bool {
    let cell = |c: char| !"xXoO#.".contains(c) && content(c).is_some();
    text.trim().contains(|c| "\n,;|\\".contains(c) || cell(c))
}

/// Parses a pasted board of the size of `start`.
pub(super) fn read(start: &LineBoard, text: &str) -> Result<Rows, String> {
    let (width, height) = (start.width, start.height);
    let PictureLines { lines, turn } = PictureLines::new(text);
    let rows = match lines.as_slice() {
        [line] if line.contains('/') => {
            let rows: Vec<&str> = line.split('/').collect();
            whole(rows.iter().map(|row| row.trim()), width, height)?
        }
        [line] => sequence(line, width, height)?,
        _ => picture(start, &lines)?,
    };
    Ok((rows, turn))
}

/// The content that a character stands for.
fn content(c: char) -> Option<Content> {
    Some(match c {
        '.' | '_' | '-' | '+' | '·' => Content::Empty,
        '#' | '*' => Content::Blocked,
        'x' | 'X' | 'y' | 'Y' | '●' => Content::First,
        'o' | 'O' | '0' | 'r' | 'R' | '○' => Content::Second,
        _ => return None,
    })
}

/// The content of a cell with space around it; `=`, `+3` and `-12` are values of moves to empty cells.
fn cell(word: &str) -> Option<Content> {
    let mut chars = word.chars();
    match (chars.next(), chars.next()) {
        (Some('='), None) => Some(Content::Empty),
        (Some(c), None) => content(c),
        _ => is_number(word.strip_prefix(['+', '-'])?).then_some(Content::Empty),
    }
}

/// A row without spaces; numbers are runs of empty cells, but a 0 that ends no number is a stone.
fn compact(word: &str, width: usize) -> Option<Vec<Content>> {
    let mut cells = Vec::new();
    let mut run = 0;
    for c in word.chars() {
        match c.to_digit(10) {
            Some(digit) if digit > 0 || run > 0 => {
                run = usize::min(run * 10 + digit as usize, width + 1);
                continue;
            }
            _ => cells.extend(std::iter::repeat_n(Content::Empty, std::mem::take(&mut run))),
        }
        cells.push(content(c)?);
        if cells.len() > width {
            return None;
        }
    }
    cells.extend(std::iter::repeat_n(Content::Empty, run));
    (cells.len() == width).then_some(cells)
}

/// A row of any form but blanks for empty cells.
fn row(line: &str, width: usize) -> Option<Vec<Content>> {
    if line.contains('|') {
        return piped(line, width);
    }
    let mut words: Vec<&str> = line.split_whitespace().collect();
    if let Some(cells) = cells(&words).filter(|cells| cells.len() == width) {
        return Some(cells);
    }
    let cells_or_word = if words.len() > width { width } else { 1 };
    strip_labels(&mut words, cells_or_word);
    match words.as_slice() {
        [word] if width > 1 => compact(word, width),
        _ => cells(&words).filter(|cells| cells.len() == width),
    }
}

fn cells(words: &[&str]) -> Option<Vec<Content>> {
    words.iter().map(|word| cell(word)).collect()
}

/// A row of cells between pipes, where nothing is an empty cell.
fn piped(line: &str, width: usize) -> Option<Vec<Content>> {
    let inside = line.trim().strip_prefix('|').and_then(|line| line.strip_suffix('|'));
    if let Some(inside) = inside.filter(|inside| !inside.contains('|') && inside.chars().count() == width) {
        // Two borders, and a character for each cell.
        return inside.chars().map(|c| if c == ' ' { Some(Content::Empty) } else { content(c) }).collect();
    }
    let mut parts: Vec<&str> = line.split('|').map(str::trim).collect();
    let border = |part: &str| part.is_empty() || is_number(part);
    if parts.len() > width && border(parts[0]) {
        parts.remove(0);
    }
    if parts.len() > width && parts.last().is_some_and(|part| border(part)) {
        parts.pop();
    }
    if parts.len() != width {
        return None;
    }
    let last = width - 1;
    let filled = parts.iter().enumerate().map(|(column, part)| {
        let mut words: Vec<&str> = part.split_whitespace().collect();
        if column == 0 || column == last {
            strip_labels(&mut words, 0);
        }
        match words.as_slice() {
            [] => Some(Content::Empty),
            [word] => cell(word),
            _ => None,
        }
    });
    filled.collect()
}

/// Rows that are each complete.
fn whole<'a>(
    rows: impl ExactSizeIterator<Item = &'a str>,
    width: usize,
    height: usize,
) -> Result<Vec<Vec<Content>>, String> {
    if rows.len() != height {
        return Err(wrong_height(rows.len(), height));
    }
    let read =
        rows.enumerate().map(|(i, line)| row(line, width).ok_or_else(|| bad_row(line, height - i, width)));
    read.collect()
}

fn wrong_height(rows: usize, height: usize) -> String {
    format!(
        "{rows} rows are given, but the board has {height}; write all rows from the top, one per line or joined by `/`"
    )
}

fn bad_row(line: &str, number: usize, width: usize) -> String {
    let shown: String = line.trim().chars().take(40).collect();
    format!(
        "row {number}, `{shown}`, is not a row of {width} cells; write x, o, # for an obstacle and . for an empty cell"
    )
}

/// One line without `/`: rows or cells separated by spaces, commas or pipes, or all cells in a row from the top left.
fn sequence(line: &str, width: usize, height: usize) -> Result<Vec<Vec<Content>>, String> {
    if height == 1 {
        return whole(std::iter::once(line), width, 1);
    }
    let mut parts: Vec<&str> = if line.contains('|') {
        line.split('|').map(str::trim).collect()
    } else {
        line.split(|c: char| c.is_whitespace() || ",;".contains(c)).filter(|part| !part.is_empty()).collect()
    };
    let all = width * height;
    if parts.len() == height {
        return whole(parts.into_iter(), width, height);
    }
    if let [board] = parts.as_slice() {
        let board = compact(board, all).ok_or_else(|| wrong_height(1, height))?;
        return Ok(board.chunks(width).map(<[Content]>::to_vec).collect());
    }
    for end in [0, parts.len().saturating_sub(1)] {
        if parts.len() > all && parts.get(end).is_some_and(|part| part.is_empty()) {
            parts.remove(end);
        }
    }
    let cells: Option<Vec<Content>> =
        parts.iter().map(|part| if part.is_empty() { Some(Content::Empty) } else { cell(part) }).collect();
    match cells.filter(|cells| cells.len() == all) {
        Some(cells) => Ok(cells.chunks(width).map(<[Content]>::to_vec).collect()),
        None => Err(wrong_height(parts.len(), height)),
    }
}

/// A board over several lines.
fn picture(start: &LineBoard, lines: &[String]) -> Result<Vec<Vec<Content>>, String> {
    let (width, height) = (start.width, start.height);
    let pipes = lines.iter().any(|line| line.contains('|'));
    let mut lines: Vec<&str> =
        lines.iter().map(String::as_str).filter(|line| !is_frame(line, pipes)).collect();
    let filled = |lines: &[&str]| lines.iter().filter(|line| !line.trim().is_empty()).count();
    // Labels of the columns: below, above, or both.
    for _ in 0..2 {
        let labels = lines.iter().rposition(|line| is_columns(line, width));
        if let Some(at) = labels.filter(|_| filled(&lines) > height) {
            // What stands below the labels is not the board.
            match lines[..at].iter().all(|line| line.trim().is_empty()) {
                true => drop(lines.drain(..=at)),
                false => lines.truncate(at),
            }
        }
    }
    if filled(&lines) != height && lines.len() != height {
        return Err(wrong_height(filled(&lines), height));
    }
    let blank = filled(&lines) != height;
    let rows: Vec<&str> = lines.iter().copied().filter(|line| blank || !line.trim().is_empty()).collect();
    if pipes || rows.iter().all(|line| row(line, width).is_some()) {
        return whole(rows.into_iter(), width, height);
    }
    match (spaced(&rows, width, 1), spaced(&rows, width, 2)) {
        (Some(_), Some(_)) => {
            Err("its spaces could be empty cells or gaps between cells; write `.` for an empty cell".into())
        }
        (Some(rows), None) | (None, Some(rows)) => Ok(rows),
        (None, None) => whole(rows.into_iter(), width, height),
    }
}

/// Rows in which spaces are empty cells; a cell takes `step` characters.
fn spaced(rows: &[&str], width: usize, step: usize) -> Option<Vec<Vec<Content>>> {
    let read = |line: &&str| {
        let mut cells = vec![Content::Empty; width];
        for (at, c) in line.trim_end().chars().enumerate().filter(|(_, c)| *c != ' ') {
            let stone = content(c).filter(|content| *content != Content::Empty);
            *cells.get_mut(at / step).filter(|_| at % step == 0)? = stone?;
        }
        Some(cells)
    };
    rows.iter().map(read).collect()
}

/// Whether a line is a part of the frame or of the grid, such as `---+---+---`.
fn is_frame(line: &str, pipes: bool) -> bool {
    let drawn = !line.trim().is_empty() && line.chars().all(|c| "+-=| ".contains(c));
    let floor = line.contains("===");
    drawn && (floor || (line.contains("--") && (pipes || line.contains('+'))))
}

/// Whether a line has the letters or the numbers of the columns.
fn is_columns(line: &str, width: usize) -> bool {
    let words: Vec<&str> =
        line.split(|c: char| c == '|' || c.is_whitespace()).filter(|word| !word.is_empty()).collect();
    let named = |words: &mut dyn Iterator<Item = String>, letters: bool| {
        (0..width).all(|column| {
            let name = if letters { column_name(column) } else { (column + 1).to_string() };
            words.next().is_some_and(|word| word.eq_ignore_ascii_case(&name))
        }) && words.next().is_none()
    };
    let joined = words.len() == 1 && width > 1;
    [true, false].into_iter().any(|letters| match joined {
        true => named(&mut words[0].chars().map(String::from), letters),
        false => named(&mut words.iter().map(|word| (*word).to_string()), letters),
    })
}
