//! m,n,k-games on boards of any size, with a byte per cell: for computer players, not for solvers.

use super::{Rules, grid, reach, scene};
use outplay_core::{
    Content, Game, InputError, LineBoard, LineGame, Mark, Notation, Payoff, Picture, Scene, Turn,
};
use std::sync::Arc;

/// An m,n,k-game too large for bitboards.
#[derive(Clone)]
pub struct LargeMnk {
    rules: Arc<Rules>,
    playable: usize,
}

/// A position on a large board: the cells column by column, the player to move, and whether a line is complete.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LargeBoard {
    /// The content of each cell.
    pub cells: Vec<Content>,
    /// The player to move.
    pub turn: Turn,
    stones: usize,
    line: bool,
}

impl LargeMnk {
    /// Builds the game.
    pub fn new(rules: Rules) -> LargeMnk {
        LargeMnk { playable: rules.start().playable_cells(), rules: Arc::new(rules) }
    }

    /// The description of the game.
    pub fn rules(&self) -> &Rules {
        &self.rules
    }

    /// Whether a stone of `player` in `cell` is part of k in a row.
    pub fn completes(&self, cells: &[Content], cell: usize, player: Content) -> bool {
        let start = self.rules.start();
        let (w, h) = (start.width as isize, start.height as isize);
        let (column, row) = ((cell / start.height) as isize, (cell % start.height) as isize);
        let run = |dc: isize, dr: isize| {
            let (mut c, mut r, mut length) = (column + dc, row + dr, 0);
            while (0..w).contains(&c) && (0..h).contains(&r) && cells[(c * h + r) as usize] == player {
                (c, r, length) = (c + dc, r + dr, length + 1);
            }
            length
        };
        [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|&(dc, dr)| 1 + run(dc, dr) + run(-dc, -dr) >= start.k)
    }

    fn board_of(&self, pos: &LargeBoard) -> LineBoard {
        LineBoard { cells: pos.cells.clone(), turn: pos.turn, ..self.rules.start().clone() }
    }
}

fn stone_of(turn: Turn) -> Content {
    if turn == Turn::First { Content::First } else { Content::Second }
}

impl Game for LargeMnk {
    type Position = LargeBoard;
    /// The cell where the stone comes to rest.
    type Move = u32;

    fn start(&self) -> Option<LargeBoard> {
        let start = self.rules.start();
        Some(LargeBoard { cells: start.cells.clone(), turn: start.turn, stones: start.stones(), line: false })
    }

    fn turn(&self, pos: &LargeBoard) -> Turn {
        pos.turn
    }

    fn heap_bytes(&self, pos: &LargeBoard) -> usize {
        size_of_val(pos.cells.as_slice())
    }

    fn moves(&self, pos: &LargeBoard, out: &mut Vec<u32>) {
        if pos.line {
            return;
        }
        let start = self.rules.start();
        let empty = |cell: usize| pos.cells[cell] == Content::Empty;
        if start.gravity {
            for column in 0..start.width {
                let mut cells = (start.floor(column)..start.height).map(|row| start.cell(column, row));
                out.extend(cells.find(|&cell| empty(cell)).map(|cell| cell as u32));
            }
        } else {
            out.reserve(pos.cells.len() - pos.stones);
            out.extend((0..pos.cells.len()).filter(|&cell| empty(cell)).map(|cell| cell as u32));
        }
    }

    fn play(&self, pos: &LargeBoard, mv: u32) -> LargeBoard {
        let mut next = pos.clone();
        let stone = stone_of(pos.turn);
        next.cells[mv as usize] = stone;
        next.turn = pos.turn.other();
        next.stones += 1;
        next.line = self.completes(&next.cells, mv as usize, stone);
        next
    }

    fn outcome(&self, pos: &LargeBoard) -> Option<Payoff> {
        if pos.line {
            let payoff = if pos.turn == Turn::Second { 1 } else { -1 };
            return Some(if self.rules.start().misere { -payoff } else { payoff });
        }
        (pos.stones == self.playable).then_some(0)
    }

    fn tie_plies(&self, pos: &LargeBoard) -> Option<u32> {
        Some((self.playable - pos.stones) as u32)
    }
}

impl LineGame for LargeMnk {
    fn board(&self, pos: &LargeBoard) -> LineBoard {
        self.board_of(pos)
    }

    fn placed(&self, board: &LineBoard) -> LargeBoard {
        let last = stone_of(board.turn.other());
        let line = (0..board.cells.len())
            .any(|cell| board.cells[cell] == last && self.completes(&board.cells, cell, last));
        LargeBoard { stones: board.stones(), line, turn: board.turn, cells: board.cells.clone() }
    }

    fn cell(&self, mv: u32) -> usize {
        mv as usize
    }
}

impl Notation for LargeMnk {
    fn spec(&self) -> String {
        self.rules.spec()
    }

    fn write_position(&self, pos: &LargeBoard) -> String {
        grid::write(&self.board_of(pos))
    }

    fn read_position(&self, text: &str) -> Result<LargeBoard, InputError> {
        let board = grid::read(self.rules.start(), text)?;
        reach::check(self.rules.start(), &board).map_err(|why| InputError::position(text, why))?;
        Ok(self.placed(&board))
    }

    fn reading_note(&self, text: &str) -> Option<String> {
        grid::note(self.rules.start(), text)
    }

    fn write_move(&self, _pos: &LargeBoard, mv: u32) -> String {
        let start = self.rules.start();
        grid::write_move(start, mv as usize / start.height, mv as usize % start.height)
    }

    fn read_move(&self, pos: &LargeBoard, text: &str) -> Result<u32, InputError> {
        let over = self.outcome(pos).is_some();
        let (column, row) = grid::read_move(&self.board_of(pos), over, text)?;
        Ok(self.rules.start().cell(column, row) as u32)
    }

    fn split_moves(&self, text: &str) -> Vec<String> {
        grid::split_moves(self.rules.start(), text)
    }

    fn draw(&self, pos: &LargeBoard, marks: &[Mark<u32>]) -> Picture {
        let height = self.rules.start().height;
        let at: Vec<_> = marks
            .iter()
            .map(|mark| {
                ((mark.mv as usize / height, mark.mv as usize % height), mark.text.as_str(), mark.tone)
            })
            .collect();
        grid::draw(&self.board_of(pos), &at)
    }

    fn scene(&self, pos: &LargeBoard) -> Scene {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        scene::scene(&self.board_of(pos), moves.into_iter().map(|cell| cell as usize))
    }

    fn warning(&self) -> Option<String> {
        self.rules.warning()
    }
}
