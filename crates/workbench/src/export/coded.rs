//! Encoding of rows for a data set, on any thread: as NumPy columns, or as lines of CSV or JSON.

use super::Request;
use super::label::Label;
use crate::{GameHandle, Trouble};
use outplay_core::{AnyGame, AnyPosition, Content, Game, LineBoard, Notation, Turn, Verdict};
use outplay_dataset::{Best, Block, Column, ColumnType, Form, Row};
use outplay_players::MoveValue;
use std::collections::BTreeMap;
use xxhash_rust::xxh3::xxh3_64;

/// Width in characters of a position in a column of strings.
const CHARS: usize = 160;
/// Width of the move mask for games without a board.
const MOVES: usize = 256;
/// Value in the mask of a move that does not exist.
const NO_MOVE: u8 = 255;

/// The numbering of turns is part of the column format.
const _: () = assert!(Turn::First as u8 == 0 && Turn::Second as u8 == 1 && Turn::Chance as u8 == 2);

/// Encoded rows of one file.
pub(crate) enum EncodedRows {
    Block(Block),
    Lines(String),
}

/// Encoded rows of the train and test files, with counts.
pub(crate) struct EncodedSplit {
    pub(crate) train: EncodedRows,
    pub(crate) tested: EncodedRows,
    pub(crate) test_rows: u64,
    pub(crate) tally: RowCounts,
}

/// Counts of rows by ply and value.
#[derive(Default)]
pub(crate) struct RowCounts {
    pub(crate) rows: u64,
    pub(crate) plies: BTreeMap<u32, u64>,
    values: [u64; WORDS.len()],
}

const WORDS: [&str; 5] = ["win", "draw", "loss", "mean", "unknown"];

impl RowCounts {
    fn count(&mut self, label: &Label) {
        self.rows += 1;
        let word = match label.value {
            Some(MoveValue::Value(value)) => match value.verdict() {
                Verdict::Win => 0,
                Verdict::Draw => 1,
                Verdict::Loss => 2,
            },
            Some(MoveValue::Mean(_)) => 3,
            None => 4,
        };
        self.values[word] += 1;
        if let Some(ply) = label.ply {
            *self.plies.entry(ply).or_default() += 1;
        }
    }

    pub(crate) fn add(&mut self, other: RowCounts) {
        self.rows += other.rows;
        self.values.iter_mut().zip(other.values).for_each(|(sum, more)| *sum += more);
        other.plies.into_iter().for_each(|(ply, rows)| *self.plies.entry(ply).or_default() += rows);
    }

    /// Number of rows by value, without zeros.
    pub(crate) fn words(&self) -> BTreeMap<String, u64> {
        let some = WORDS.iter().zip(self.values).filter(|(_, rows)| *rows > 0);
        some.map(|(word, rows)| (word.to_string(), rows)).collect()
    }
}

/// Encoder from labels to rows.
pub(crate) struct RowEncoder<'a> {
    pub(crate) form: Form,
    pub(crate) columns: Vec<Column>,
    game: &'a AnyGame,
    /// The board at the start; all boards of the game have its size.
    board: Option<LineBoard>,
    /// Names of the moves on a board, by action number.
    names: Vec<Option<String>>,
    best: bool,
    test: f64,
    seed: u64,
}

impl<'a> RowEncoder<'a> {
    pub(crate) fn new(entry: &'a GameHandle, request: &Request, form: Form) -> RowEncoder<'a> {
        let game = entry.game();
        let board = game.start().and_then(|start| game.board(&start));
        let columns = columns(game, board.as_ref(), request.best);
        let (best, test, seed) = (request.best, request.test, request.seed);
        let mut coder = RowEncoder { form, columns, game, board, names: Vec::new(), best, test, seed };
        coder.names = coder.action_names();
        coder
    }

    /// Names of the moves on a board, by action number: every move of any position is legal at the start.
    fn action_names(&self) -> Vec<Option<String>> {
        let (Some(board), Some(start)) = (&self.board, self.game.start()) else { return Vec::new() };
        let mut names = vec![None; mask_width(Some(board))];
        for (mv, cell) in self.game.list(&start).zip(self.cells(&start, board)) {
            names[action(board, cell)] = Some(self.game.write_move(&start, mv));
        }
        names
    }

    /// The target cells of the legal moves of a position, in their order.
    fn cells(&self, pos: &AnyPosition, board: &LineBoard) -> Vec<usize> {
        let game = self.game;
        let (count, cells) = (game.list(pos).count(), board.open_cells());
        if count == 0 || count == cells.len() {
            return cells.into_iter().take(count).collect();
        }
        let changed = |mv| {
            let after = game.board(&game.play(pos, mv));
            let differs =
                |after: LineBoard| (0..board.cells.len()).find(|&at| board.cells[at] != after.cells[at]);
            after.and_then(differs).unwrap_or(0)
        };
        game.list(pos).map(changed).collect()
    }

    /// Creates an empty block of rows.
    pub(crate) fn blank(&self) -> EncodedSplit {
        let part = || match self.form {
            Form::Npz => EncodedRows::Block(Block::new(&self.columns)),
            _ => EncodedRows::Lines(String::new()),
        };
        EncodedSplit { train: part(), tested: part(), test_rows: 0, tally: RowCounts::default() }
    }

    /// Appends the row of a label.
    pub(crate) fn code(&self, label: &Label, coded: &mut EncodedSplit) -> Result<(), Trouble> {
        coded.tally.count(label);
        let part = match self.is_test(label) {
            true => {
                coded.test_rows += 1;
                &mut coded.tested
            }
            false => &mut coded.train,
        };
        match part {
            EncodedRows::Block(block) => self.push_columns(block, label),
            EncodedRows::Lines(text) => {
                *text += &self.form.lines(&[row(self.game, label, self.best)])?;
                Ok(())
            }
        }
    }

    /// Appends the row of a label to columns.
    fn push_columns(&self, block: &mut Block, label: &Label) -> Result<(), Trouble> {
        let game = self.game;
        let looked =
            if self.board.is_some() && label.board.is_none() { game.board(&label.pos) } else { None };
        let board = label.board.as_ref().or(looked.as_ref());
        match board {
            Some(board) => push_planes(block.column(0), board),
            None => block.push_text(0, &game.write_position(&label.pos))?,
        }
        let short = |number: Option<u32>| {
            number.map_or(-1, |number| number.min(i16::MAX as u32) as i16).to_le_bytes()
        };
        block.push(1, &[label.turn as u8]);
        block.push(2, &short(label.ply));
        match (game.has_dice(), label.value) {
            (true, value) => block.push(3, &value.map_or(f64::NAN, MoveValue::payoff).to_le_bytes()),
            (false, Some(MoveValue::Value(value))) => block.push(3, &(value.payoff() as i16).to_le_bytes()),
            (false, _) => block.push(3, &i16::MIN.to_le_bytes()),
        }
        block.push(4, &short(distance(game, label)));
        block.push(5, &(label.class as i64).to_le_bytes());
        if self.best {
            self.push_moves(block, label, board)?;
        }
        Ok(())
    }

    /// Appends the move columns: the mask, the names and, on a board, the mask by action.
    fn push_moves(&self, block: &mut Block, label: &Label, board: Option<&LineBoard>) -> Result<(), Trouble> {
        let width = mask_width(self.board.as_ref());
        let (mut mask, mut actions) = (vec![NO_MOVE; width], vec![NO_MOVE; width]);
        let known = label.best.as_deref().unwrap_or_default();
        let Some(entries) = mask.get_mut(..known.len()) else {
            let why = format!(
                "a position has more than {MOVES} moves, the largest number that a mask of moves can hold; export without the best moves"
            );
            return Err(Trouble::unable(why));
        };
        entries.iter_mut().zip(known).for_each(|(entry, best)| *entry = u8::from(*best));
        block.push(6, &mask);
        let Some(board) = board else {
            return Ok(block.push_text(7, &legal(self.game, label).join(" "))?);
        };
        let cells = self.cells(&label.pos, board);
        for (&cell, best) in cells.iter().zip(known) {
            actions[action(board, cell)] = u8::from(*best);
        }
        let mut names = String::new();
        for (mv, cell) in self.game.list(&label.pos).zip(cells) {
            if !names.is_empty() {
                names.push(' ');
            }
            match &self.names[action(board, cell)] {
                Some(name) => names += name,
                None => names += &self.game.write_move(&label.pos, mv),
            }
        }
        block.push_text(7, &names)?;
        block.push(8, &actions);
        Ok(())
    }

    /// Whether a label belongs to the test split; symmetric positions stay in one split.
    fn is_test(&self, label: &Label) -> bool {
        let draw = || xxh3_64(&[label.class.to_le_bytes(), self.seed.to_le_bytes()].concat());
        self.test > 0.0 && (draw() as f64 / u64::MAX as f64) < self.test
    }
}

/// The names of the legal moves; none at a chance node.
fn legal(game: &AnyGame, label: &Label) -> Vec<String> {
    if label.turn == Turn::Chance {
        return Vec::new();
    }
    game.list(&label.pos).map(|mv| game.write_move(&label.pos, mv)).collect()
}

/// Converts a label to a row, with best moves if `best` is set.
pub(crate) fn row(game: &AnyGame, label: &Label, best: bool) -> Row {
    let mut row = Row::new(game.write_position(&label.pos), label.turn, label.ply);
    row.value = label.value.map(MoveValue::payoff);
    row.distance = distance(game, label);
    if !best {
        return row;
    }
    let legal = legal(game, label);
    row.best = label.best.as_ref().map(|best| Best {
        names: legal.iter().zip(best).filter(|(_, best)| **best).map(|(name, _)| name.clone()).collect(),
        mask: best.iter().map(|best| if *best { '1' } else { '0' }).collect(),
    });
    row.legal = Some(legal);
    row
}

/// The maximum number of legal moves of a position: on a board, the number of actions.
fn mask_width(board: Option<&LineBoard>) -> usize {
    match board {
        Some(board) if board.gravity => board.width,
        Some(board) => board.cells.len(),
        None => MOVES,
    }
}

fn columns(game: &AnyGame, board: Option<&LineBoard>, best: bool) -> Vec<Column> {
    let shown = match board {
        Some(board) => Column::new("planes", ColumnType::Uint8).shaped(&[2, board.height, board.width]),
        None => Column::new("position", ColumnType::Text(CHARS)),
    };
    let value = if game.has_dice() { ColumnType::Float64 } else { ColumnType::Int16 };
    let mut columns = vec![
        shown,
        Column::new("to_move", ColumnType::Int8),
        Column::new("ply", ColumnType::Int16),
        Column::new("value", value),
        Column::new("distance", ColumnType::Int16),
        Column::new("class", ColumnType::Int64),
    ];
    if best {
        columns.push(Column::new("mask", ColumnType::Uint8).shaped(&[mask_width(board)]));
        columns.push(Column::new("legal", ColumnType::Words));
        if board.is_some() {
            columns.push(Column::new("actions", ColumnType::Uint8).shaped(&[mask_width(board)]));
        }
    }
    columns
}

/// Appends the bit-planes of both players, first player first, top row first.
fn push_planes(column: &mut Vec<u8>, board: &LineBoard) {
    for content in [Content::First, Content::Second] {
        for row in (0..board.height).rev() {
            let cells = (0..board.width).map(|column| board.cells[board.cell(column, row)]);
            column.extend(cells.map(|cell| u8::from(cell == content)));
        }
    }
}

/// Plies to the end, including those of a tie if all ties are equally long.
fn distance(game: &AnyGame, label: &Label) -> Option<u32> {
    let MoveValue::Value(value) = label.value? else { return None };
    let tie = value.payoff() == 0 && !value.is_repetition();
    value.distance().or_else(|| if tie { game.tie_plies(&label.pos) } else { None })
}

/// The action number of a move: its column on gravity boards, else its cell, row by row from the top.
fn action(board: &LineBoard, cell: usize) -> usize {
    let (column, row) = (cell / board.height, cell % board.height);
    if board.gravity { column } else { (board.height - 1 - row) * board.width + column }
}
