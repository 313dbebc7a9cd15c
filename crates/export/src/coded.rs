//! Rows as they will stand on disk, made by any thread: columns for NumPy, lines for everybody else.

use crate::label::Label;
use crate::{Request, trouble};
use outplay_answer::{Entry, Trouble};
use outplay_core::{AnyGame, Content, Game, LineBoard, Notation, Turn, Verdict};
use outplay_data::{Best, Block, Column, Form, Kind, Row};
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// Characters of a position in a column of texts.
const CHARS: usize = 160;
/// Moves of a position that a mask has room for, of games without a board.
const MOVES: usize = 256;
/// What a mask says of a move that there is not.
const NO_MOVE: u8 = 255;

/// Whose turn it is, as columns say it.
const _: () = assert!(Turn::First as u8 == 0 && Turn::Second as u8 == 1 && Turn::Chance as u8 == 2);

/// Rows of one file.
pub(crate) enum Part {
    Block(Block),
    Lines(String),
}

/// Rows of both files, and how many of what.
pub(crate) struct Coded {
    pub(crate) train: Part,
    pub(crate) tested: Part,
    pub(crate) test_rows: u64,
    pub(crate) tally: Tally,
}

/// Rows by what they say.
#[derive(Default)]
pub(crate) struct Tally {
    pub(crate) rows: u64,
    pub(crate) plies: BTreeMap<u32, u64>,
    values: [u64; WORDS.len()],
}

const WORDS: [&str; 5] = ["win", "draw", "loss", "mean", "unknown"];

impl Tally {
    fn count(&mut self, label: &Label) {
        self.rows += 1;
        let word = match (label.value.map(|value| value.verdict()), label.mean) {
            (Some(Verdict::Win), _) => 0,
            (Some(Verdict::Draw), _) => 1,
            (Some(Verdict::Loss), _) => 2,
            (None, Some(_)) => 3,
            (None, None) => 4,
        };
        self.values[word] += 1;
        if let Some(ply) = label.ply {
            *self.plies.entry(ply).or_default() += 1;
        }
    }

    pub(crate) fn add(&mut self, other: Tally) {
        self.rows += other.rows;
        self.values.iter_mut().zip(other.values).for_each(|(sum, more)| *sum += more);
        other.plies.into_iter().for_each(|(ply, rows)| *self.plies.entry(ply).or_default() += rows);
    }

    /// Rows by value, those that there are.
    pub(crate) fn words(&self) -> BTreeMap<String, u64> {
        let some = WORDS.iter().zip(self.values).filter(|(_, rows)| *rows > 0);
        some.map(|(word, rows)| (word.to_string(), rows)).collect()
    }
}

/// How labels become rows.
pub(crate) struct Coder<'a> {
    pub(crate) form: Form,
    pub(crate) columns: Vec<Column>,
    game: &'a AnyGame,
    /// The board at the start, whose size all have.
    board: Option<LineBoard>,
    best: bool,
    test: f64,
    seed: u64,
}

impl<'a> Coder<'a> {
    pub(crate) fn new(entry: &'a Entry, request: &Request, form: Form) -> Coder<'a> {
        let game = entry.game();
        let board = game.start().and_then(|start| game.board(&start));
        let columns = columns(game, board.as_ref(), request.best);
        Coder { form, columns, game, board, best: request.best, test: request.test, seed: request.seed }
    }

    /// No rows yet.
    pub(crate) fn blank(&self) -> Coded {
        let part = || match self.form {
            Form::Npz => Part::Block(Block::new(&self.columns)),
            _ => Part::Lines(String::new()),
        };
        Coded { train: part(), tested: part(), test_rows: 0, tally: Tally::default() }
    }

    /// Adds a label's row.
    pub(crate) fn code(&self, label: &Label, coded: &mut Coded) -> Result<(), Trouble> {
        coded.tally.count(label);
        let part = match self.is_test(label) {
            true => {
                coded.test_rows += 1;
                &mut coded.tested
            }
            false => &mut coded.train,
        };
        match part {
            Part::Block(block) => push_columns(block, self.game, self.board.as_ref(), self.best, label),
            Part::Lines(text) => {
                *text += &self.form.lines(&[row(self.game, label)]).map_err(trouble)?;
                Ok(())
            }
        }
    }

    /// Whether a label is kept apart; symmetric positions go together.
    fn is_test(&self, label: &Label) -> bool {
        let draw = || xxh3_64(&[label.class.to_le_bytes(), self.seed.to_le_bytes()].concat());
        self.test > 0.0 && (draw() as f64 / u64::MAX as f64) < self.test
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
    block: &mut Block,
    game: &AnyGame,
    board: Option<&LineBoard>,
    best: bool,
    label: &Label,
) -> Result<(), Trouble> {
    let looked = if board.is_some() && label.board.is_none() { game.board(&label.pos) } else { None };
    match label.board.as_ref().or(looked.as_ref()) {
        Some(board) => push_planes(block.column(0), board),
        None => block.push_text(0, &game.write_position(&label.pos)).map_err(trouble)?,
    }
    let short =
        |number: Option<u32>| number.map_or(-1, |number| number.min(i16::MAX as u32) as i16).to_le_bytes();
    block.push(1, &[label.turn as u8]);
    block.push(2, &short(label.ply));
    match (game.has_dice(), label.value, label.mean) {
        (true, value, mean) => {
            let mean = mean.or_else(|| value.map(|value| f64::from(value.payoff()))).unwrap_or(f64::NAN);
            block.push(3, &mean.to_le_bytes());
        }
        (false, value, _) => {
            let payoff = value.map_or(i16::MIN, |value| value.payoff() as i16);
            block.push(3, &payoff.to_le_bytes());
        }
    }
    block.push(4, &short(distance(game, label)));
    block.push(5, &(label.class as i64).to_le_bytes());
    if best {
        block.push(6, &mask(game, board, label)?);
    }
    Ok(())
}

/// The first player's stones, then the second's, the top row first.
fn push_planes(column: &mut Vec<u8>, board: &LineBoard) {
    for content in [Content::First, Content::Second] {
        for row in (0..board.height).rev() {
            let cells = (0..board.width).map(|column| board.cells[board.cell(column, row)]);
            column.extend(cells.map(|cell| u8::from(cell == content)));
        }
    }
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
