//! Rows on disk: columns for NumPy, lines for everybody else, train and test apart, and the data sheet.

use crate::label::Label;
use crate::{Report, Request, Written, trouble};
use outplay_answer::{Entry, Trouble};
use outplay_core::{AnyGame, Content, Game, LineBoard, Notation, Turn};
use outplay_data::{Best, Column, Form, Kind, Npz, Row, Rows};
use std::fmt::Write as _;
use std::io::Read;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

/// Characters of a position in a column of texts.
const CHARS: usize = 160;
/// Moves of a position that a mask has room for, of games without a board.
const MOVES: usize = 256;
/// What a mask says of a move that there is not.
const NO_MOVE: u8 = 255;

/// The files of a data set under way.
pub(crate) struct Files<'a> {
    game: &'a AnyGame,
    board: Option<LineBoard>,
    best: bool,
    test: f64,
    seed: u64,
    train: File,
    tested: Option<File>,
}

struct File {
    path: PathBuf,
    rows: u64,
    kind: Writer,
}

enum Writer {
    Rows(Box<Rows>),
    Npz(Box<Npz>),
}

/// A name with a word before its ending.
fn beside(path: &Path, word: &str) -> PathBuf {
    let stem = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or("rows");
    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or("");
    path.with_file_name(format!("{stem}{word}.{ending}"))
}

impl<'a> Files<'a> {
    pub(crate) fn create(entry: &'a Entry, request: &Request, form: Form) -> Result<Files<'a>, Trouble> {
        let game = entry.game();
        let board = game.start().and_then(|start| game.board(&start));
        let open = |path: PathBuf| -> Result<File, Trouble> {
            let kind = match form {
                Form::Npz => {
                    let columns = columns(game, board.as_ref(), request.best);
                    Writer::Npz(Box::new(Npz::create(&path, columns).map_err(trouble)?))
                }
                form => Writer::Rows(Box::new(Rows::create(&path, form).map_err(trouble)?)),
            };
            Ok(File { path, rows: 0, kind })
        };
        let train = open(request.out.clone())?;
        let tested = (request.test > 0.0).then(|| open(beside(&request.out, "-test"))).transpose()?;
        Ok(Files { game, best: request.best, test: request.test, seed: request.seed, train, tested, board })
    }

    /// Writes a row to the file that its class belongs to.
    pub(crate) fn push(&mut self, label: &Label) -> Result<(), Trouble> {
        let draw = xxh3_64(&[label.class.to_le_bytes(), self.seed.to_le_bytes()].concat());
        let is_test = (draw as f64 / u64::MAX as f64) < self.test;
        let file = match &mut self.tested {
            Some(tested) if is_test => tested,
            _ => &mut self.train,
        };
        file.rows += 1;
        match &mut file.kind {
            Writer::Npz(npz) => push_columns(npz, self.game, self.board.as_ref(), self.best, label),
            Writer::Rows(rows) => rows.push(&row(self.game, label)).map_err(trouble),
        }
    }

    /// Gives the files their names.
    pub(crate) fn finish(self) -> Result<Vec<Written>, Trouble> {
        let mut written = Vec::new();
        for file in [Some(self.train), self.tested].into_iter().flatten() {
            match file.kind {
                Writer::Npz(npz) => npz.finish(file.rows),
                Writer::Rows(rows) => rows.finish(),
            }
            .map_err(trouble)?;
            let (bytes, checksum) = checksum(&file.path)?;
            written.push(Written { file: file.path.display().to_string(), rows: file.rows, bytes, checksum });
        }
        Ok(written)
    }
}

/// The size and checksum of a file.
fn checksum(path: &Path) -> Result<(u64, String), Trouble> {
    let wrong = |error| Trouble::unable(format!("cannot read {} again: {error}", path.display()));
    let mut file = std::fs::File::open(path).map_err(wrong)?;
    let (mut hasher, mut buffer, mut bytes) = (Xxh3::new(), vec![0; 1 << 20], 0);
    loop {
        match file.read(&mut buffer).map_err(wrong)? {
            0 => return Ok((bytes, format!("{:016x}", hasher.digest()))),
            count => {
                hasher.update(&buffer[..count]);
                bytes += count as u64;
            }
        }
    }
}

/// Places of a mask: columns where stones fall, cells from the top of other boards, else places in the list of moves.
fn mask_width(board: Option<&LineBoard>) -> usize {
    match board {
        Some(board) if board.gravity => board.width,
        Some(board) => board.cells.len(),
        None => MOVES,
    }
}

fn columns(game: &AnyGame, board: Option<&LineBoard>, best: bool) -> Vec<Column> {
    let shown = match board {
        Some(board) => Column::new("planes", Kind::Uint8).shaped(&[2, board.height, board.width]),
        None => Column::new("position", Kind::Text(CHARS)),
    };
    let value = if game.has_dice() { Kind::Float64 } else { Kind::Int16 };
    let mut columns = vec![
        shown,
        Column::new("to_move", Kind::Int8),
        Column::new("ply", Kind::Int16),
        Column::new("value", value),
        Column::new("distance", Kind::Int16),
        Column::new("class", Kind::Int64),
    ];
    if best {
        columns.push(Column::new("mask", Kind::Uint8).shaped(&[mask_width(board)]));
    }
    columns
}

fn push_columns(
    npz: &mut Npz,
    game: &AnyGame,
    board: Option<&LineBoard>,
    best: bool,
    label: &Label,
) -> Result<(), Trouble> {
    match board.and_then(|_| game.board(&label.pos)) {
        Some(board) => {
            let cells =
                (0..board.height).rev().flat_map(|row| (0..board.width).map(move |column| (column, row)));
            let cells: Vec<Content> =
                cells.map(|(column, row)| board.cells[board.cell(column, row)]).collect();
            let plane = |content: Content| cells.iter().map(move |cell| u8::from(*cell == content));
            let bytes: Vec<u8> = plane(Content::First).chain(plane(Content::Second)).collect();
            npz.push(0, &bytes)
        }
        None => npz.push_text(0, &game.write_position(&label.pos)),
    }
    .map_err(trouble)?;
    let short =
        |number: Option<u32>| number.map_or(-1, |number| number.min(i16::MAX as u32) as i16).to_le_bytes();
    npz.push(1, &[label.turn as u8]).map_err(trouble)?;
    npz.push(2, &short(label.ply)).map_err(trouble)?;
    match (game.has_dice(), label.value, label.mean) {
        (true, value, mean) => {
            let mean = mean.or_else(|| value.map(|value| f64::from(value.payoff()))).unwrap_or(f64::NAN);
            npz.push(3, &mean.to_le_bytes())
        }
        (false, value, _) => {
            let payoff = value.map_or(i16::MIN, |value| value.payoff() as i16);
            npz.push(3, &payoff.to_le_bytes())
        }
    }
    .map_err(trouble)?;
    npz.push(4, &short(distance(game, label))).map_err(trouble)?;
    npz.push(5, &(label.class as i64).to_le_bytes()).map_err(trouble)?;
    if best {
        npz.push(6, &mask(game, board, label)?).map_err(trouble)?;
    }
    Ok(())
}

/// Plies to the end, those of a tie where all ties are equally long.
fn distance(game: &AnyGame, label: &Label) -> Option<u32> {
    let value = label.value?;
    let tie = value.payoff() == 0 && !value.is_repetition();
    value.distance().or_else(|| if tie { game.tie_plies(&label.pos) } else { None })
}

/// 1 for best moves, 0 for others, 255 where there is none.
fn mask(game: &AnyGame, board: Option<&LineBoard>, label: &Label) -> Result<Vec<u8>, Trouble> {
    let mut mask = vec![NO_MOVE; mask_width(board)];
    let known = label.best.as_deref().unwrap_or_default();
    for (mv, best) in game.list(&label.pos).zip(known) {
        let place = match board {
            None => mv.0 as usize,
            Some(board) => {
                let before = game.board(&label.pos);
                let after = game.board(&game.play(&label.pos, mv));
                let cell = before.zip(after).and_then(|(before, after)| {
                    (0..before.cells.len()).find(|&cell| before.cells[cell] != after.cells[cell])
                });
                let Some(cell) = cell else { continue };
                let (column, row) = (cell / board.height, cell % board.height);
                if board.gravity { column } else { (board.height - 1 - row) * board.width + column }
            }
        };
        let Some(entry) = mask.get_mut(place) else {
            let why = format!(
                "a position has more than {MOVES} moves, which no mask holds; leave out the best moves"
            );
            return Err(Trouble::unable(why));
        };
        *entry = u8::from(*best);
    }
    Ok(mask)
}

/// A label as a line.
fn row(game: &AnyGame, label: &Label) -> Row {
    let blank = Row::new(game.write_position(&label.pos), label.turn, label.ply);
    let mut row = match (label.value, label.mean) {
        (Some(value), _) => blank.valued(value),
        (None, Some(mean)) => blank.mean(mean),
        (None, None) => blank,
    };
    row.distance = distance(game, label);
    row.best = label.best.as_ref().map(|best| Best {
        names: game
            .list(&label.pos)
            .zip(best)
            .filter(|(_, best)| **best)
            .map(|(mv, _)| game.write_move(&label.pos, mv))
            .collect(),
        mask: best.iter().map(|best| if *best { '1' } else { '0' }).collect(),
    });
    row
}

/// Writes the data sheet and returns its name.
pub(crate) fn sheet(request: &Request, form: Form, report: &Report) -> Result<String, Trouble> {
    // Behind the whole name: rows of other forms have sheets of their own, and nobody's README is overwritten.
    let mut path = request.out.clone().into_os_string();
    path.push(".md");
    let path = PathBuf::from(path);
    let mut text = format!("# Positions of {} with exact values\n\n", report.game);
    // Writing to a string cannot fail.
    let _ = writeln!(text, "Made by outplay {}.", env!("CARGO_PKG_VERSION"));
    let _ = match request.positions {
        Some(wanted) => writeln!(
            text,
            "Positions of random games from the start, seed {}, {wanted} asked for, symmetric ones taken once.",
            request.seed
        ),
        None => {
            writeln!(text, "All positions of the game's table that play reaches, symmetric ones included.")
        }
    };
    if let Some((low, high)) = request.plies {
        let _ = writeln!(text, "Only positions after {low} to {high} moves.");
    }
    if request.balanced {
        let _ = writeln!(text, "Won, drawn and lost positions are equally many.");
    }
    let _ = writeln!(text, "\n| rows | |\n|---|---|\n| all | {} |", report.rows);
    for (value, count) in &report.values {
        let _ = writeln!(text, "| {value} for the player to move | {count} |");
    }
    for (ply, count) in &report.plies {
        let _ = writeln!(text, "| ply {ply} | {count} |");
    }
    let _ = writeln!(text, "\n| file | rows | bytes | xxh3 |\n|---|---|---|---|");
    for file in &report.files {
        let _ = writeln!(text, "| {} | {} | {} | {} |", file.file, file.rows, file.bytes, file.checksum);
    }
    if request.test > 0.0 {
        let _ = writeln!(
            text,
            "\nThe file for testing has a share of {} of the symmetry classes: symmetric positions are in one file.",
            request.test
        );
    }
    text += match form {
        Form::Npz => {
            "\nColumns: `planes` (first player's stones, second player's stones, top row first) or `position`; `to_move` (0 first, \
             1 second, 2 chance); `ply` (-1 if not counted); `value` (what the player to move gets under best play; -32768 or no \
             number if unknown; with dice the mean, before a roll the first player's); `distance` (plies to the end, -1 if \
             there is none); `class` (the same for symmetric positions); `mask` (1 for best moves, 0 for others, 255 for none: \
             by column where stones fall, by cell from the top on other boards, else by place in the list of moves).\n"
        }
        _ => {
            "\nColumns: `position` in the game's notation, `to_move`, `ply`, `value` (what the player to move gets under best \
             play), `distance` (plies to the end), `best` (the best moves) and `mask` (a digit for each legal move).\n"
        }
    };
    text += "\nValues are facts about the game; the files are free of any licence (CC0).\n";
    let why = |error| Trouble::unable(format!("cannot write {}: {error}", path.display()));
    std::fs::write(&path, text).map_err(why)?;
    Ok(path.display().to_string())
}

/// Whose turn it is, as columns say it.
const _: () = assert!(Turn::First as u8 == 0 && Turn::Second as u8 == 1 && Turn::Chance as u8 == 2);
