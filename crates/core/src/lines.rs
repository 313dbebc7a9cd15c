//! Boards of line games (m,n,k-games, connect-k), the common input of every solver that exploits lines.
//!
//! ```text
//!  row 3  .  .  .  .      cell number = column * height + (row - 1)
//!  row 2  .  #  .  .      # is blocked: no stone is ever placed there,
//!  row 1  x  .  o  .      and no line runs through it
//!         a  b  c  d
//! ```
//!
//! Any position of such a game is again the start position of a board: its stones become preset stones. A solver for
//! start positions therefore solves every position.

use crate::{Game, Turn, cell_name};

/// Content of a cell of a board.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Content {
    /// No stone yet.
    Empty,
    /// An obstacle.
    Blocked,
    /// A stone of the first player.
    First,
    /// A stone of the second player.
    Second,
}

/// A board of `width` × `height` cells on which the players take turns to place stones.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LineBoard {
    /// Columns.
    pub width: usize,
    /// Rows.
    pub height: usize,
    /// Length of a line that decides the game; longer lines count too.
    pub k: usize,
    /// Stones fall to the lowest free cell of their column, above every obstacle in it.
    pub gravity: bool,
    /// Misère: the player who completes a line loses.
    pub misere: bool,
    /// Column by column, bottom up.
    pub cells: Vec<Content>,
    /// The player to move: first or second, never chance.
    pub turn: Turn,
}

impl LineBoard {
    /// An empty board.
    pub fn empty(width: usize, height: usize, k: usize) -> LineBoard {
        let cells = vec![Content::Empty; width * height];
        LineBoard { width, height, k, gravity: false, misere: false, cells, turn: Turn::First }
    }

    /// The number of the cell in a column and row, both counted from 0.
    pub fn cell(&self, column: usize, row: usize) -> usize {
        column * self.height + row
    }

    /// The lowest row of a column that can ever hold a stone: with gravity, the one above the top obstacle.
    pub fn floor(&self, column: usize) -> usize {
        if !self.gravity {
            return 0;
        }
        let top = (0..self.height).rev().find(|&row| self.cells[self.cell(column, row)] == Content::Blocked);
        top.map_or(0, |row| row + 1)
    }

    /// Whether a stone can ever lie in a cell: the cell is no obstacle and, with gravity, not buried beneath one.
    pub fn playable(&self, cell: usize) -> bool {
        self.cells[cell] != Content::Blocked && cell % self.height >= self.floor(cell / self.height)
    }

    /// The number of cells that can ever hold a stone.
    pub fn playable_cells(&self) -> usize {
        if self.gravity {
            return (0..self.width).map(|column| self.height - self.floor(column)).sum();
        }
        (0..self.cells.len()).filter(|&cell| self.playable(cell)).count()
    }

    /// The number of stones on the board.
    pub fn stones(&self) -> usize {
        self.cells.iter().filter(|&&c| matches!(c, Content::First | Content::Second)).count()
    }

    /// Every set of k cells in a row, column or diagonal that a player could fill, as ascending cell numbers. With k
    /// = 1, each cell is one line.
    pub fn lines(&self) -> Vec<Vec<usize>> {
        let mut lines = Vec::new();
        let directions: &[(isize, isize)] =
            if self.k == 1 { &[(1, 0)] } else { &[(0, 1), (1, 0), (1, 1), (1, -1)] };
        let reach = self.k as isize - 1;
        // Columns may be long: compute each floor once.
        let floors: Vec<usize> = (0..self.width).map(|column| self.floor(column)).collect();
        let playable = |cell: usize| {
            self.cells[cell] != Content::Blocked && cell % self.height >= floors[cell / self.height]
        };
        for column in 0..self.width as isize {
            for row in 0..self.height as isize {
                for &(dc, dr) in directions {
                    let (last_column, last_row) = (column + dc * reach, row + dr * reach);
                    if last_column >= self.width as isize || !(0..self.height as isize).contains(&last_row) {
                        continue;
                    }
                    let line: Vec<usize> = (0..=reach)
                        .map(|i| self.cell((column + dc * i) as usize, (row + dr * i) as usize))
                        .collect();
                    if line.iter().all(|&cell| playable(cell)) {
                        lines.push(line);
                    }
                }
            }
        }
        lines
    }

    /// Whether a player's stones fill a line.
    pub fn has_line(&self, player: Content) -> bool {
        self.lines().iter().any(|line| line.iter().all(|&cell| self.cells[cell] == player))
    }

    /// Whether a stone of `player` in a cell is, or would be, part of k in a row.
    pub fn completes(&self, cell: usize, player: Content) -> bool {
        let (w, h) = (self.width as isize, self.height as isize);
        let (column, row) = ((cell / self.height) as isize, (cell % self.height) as isize);
        let run = |dc: isize, dr: isize| {
            let (mut c, mut r, mut length) = (column + dc, row + dr, 0);
            while (0..w).contains(&c) && (0..h).contains(&r) && self.cells[(c * h + r) as usize] == player {
                (c, r, length) = (c + dc, r + dr, length + 1);
            }
            length
        };
        [(0, 1), (1, 0), (1, 1), (1, -1)].iter().any(|&(dc, dr)| 1 + run(dc, dr) + run(-dc, -dr) >= self.k)
    }

    /// Whether a player could still fill a line: one without obstacles and without stones of the opponent.
    pub fn can_make_line(&self, player: Content) -> bool {
        let free = |cell: &usize| self.cells[*cell] == Content::Empty || self.cells[*cell] == player;
        self.lines().iter().any(|line| line.iter().all(free))
    }

    /// The stone of the player to move.
    pub fn mover(&self) -> Content {
        if self.turn == Turn::Second { Content::Second } else { Content::First }
    }

    /// The board after the player to move has put a stone on one of [`LineBoard::open_cells`].
    pub fn after(&self, cell: usize) -> LineBoard {
        debug_assert!(self.cells[cell] == Content::Empty && self.playable(cell));
        let mut next = self.clone();
        next.cells[cell] = self.mover();
        next.turn = self.turn.other();
        next
    }

    /// The name of the move onto a cell: with gravity its column, counted from 1; otherwise the cell's name.
    pub fn move_name(&self, cell: usize) -> String {
        let (column, row) = (cell / self.height, cell % self.height);
        if self.gravity { (column + 1).to_string() } else { cell_name(column, row) }
    }

    /// The cells where a stone can be placed now, in the order of the game's moves. Lines on the board are ignored.
    pub fn open_cells(&self) -> Vec<usize> {
        let empty = |cell: usize| self.cells[cell] == Content::Empty;
        if !self.gravity {
            return (0..self.cells.len()).filter(|&cell| empty(cell)).collect();
        }
        (0..self.width)
            .filter_map(|column| {
                (self.floor(column)..self.height).map(|row| self.cell(column, row)).find(|&c| empty(c))
            })
            .collect()
    }
}

/// A forced win of the player to move, as a tree of threats (as VCF and VCT searches find it). Cells are those of the
/// board.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Attack {
    /// A sequence of fours: each move completes a line or leaves one gap, which the opponent must fill; the last one
    /// leaves two gaps.
    Fours(Vec<usize>),
    /// A move and the attack's reply to every defence.
    Plays {
        /// The move.
        cell: usize,
        /// The attack after each relevant defence.
        replies: Vec<(usize, Attack)>,
        /// The attack after any other move; `None` if filling the gap that the move left then wins.
        other: Option<Box<Attack>>,
    },
}

impl Attack {
    /// The first move.
    pub fn cell(&self) -> usize {
        match self {
            Attack::Fours(cells) => cells[0],
            Attack::Plays { cell, .. } => *cell,
        }
    }

    /// An upper bound on the plies until the line is complete.
    pub fn plies(&self) -> u32 {
        match self {
            // The last move of the list leaves two gaps, unless it completes a line itself.
            Attack::Fours(cells) => 2 * cells.len() as u32 + 1,
            Attack::Plays { replies, other, .. } => {
                let other = other.as_ref().map_or(1, |other| other.plies());
                2 + replies.iter().map(|(_, attack)| attack.plies()).max().unwrap_or(0).max(other)
            }
        }
    }

    /// Prepends a move that has a single defence.
    #[must_use]
    pub fn after(self, cell: usize, answer: usize) -> Attack {
        match self {
            Attack::Fours(mut cells) => {
                cells.insert(0, cell);
                Attack::Fours(cells)
            }
            rest => Attack::Plays { cell, replies: vec![(answer, rest)], other: None },
        }
    }
}

/// A game decided by k in a row.
pub trait LineGame: Game {
    /// A position as a board with preset stones.
    fn board(&self, pos: &Self::Position) -> LineBoard;

    /// The position that a board of this game shows, reachable or not: the inverse of [`LineGame::board`]. Callers
    /// that generate boards by the million use it to avoid a round trip through text.
    fn placed(&self, board: &LineBoard) -> Self::Position;

    /// The cell of the board onto which a move puts a stone.
    fn cell(&self, mv: Self::Move) -> usize;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_of_familiar_boards() {
        let check =
            |w, h, k, lines| assert_eq!(LineBoard::empty(w, h, k).lines().len(), lines, "{w}x{h},k={k}");
        check(3, 3, 3, 8);
        check(7, 6, 4, 69);
        check(4, 1, 2, 3);
        check(2, 2, 1, 4);
        check(3, 3, 4, 0);
    }

    #[test]
    fn columns_may_be_long() {
        // Scanning a column once for each of its cells would take a minute.
        let mut board = LineBoard::empty(2, 300_000, 4);
        board.gravity = true;
        board.cells[100] = Content::Blocked;
        assert_eq!(board.lines().len(), 2 * (300_000 - 3) - 101);
    }

    #[test]
    fn obstacles_bury_the_cells_below_them() {
        let mut board = LineBoard::empty(3, 3, 3);
        board.cells[1] = Content::Blocked; // a2
        assert_eq!(board.playable_cells(), 8);
        assert_eq!(board.lines().len(), 6);
        board.gravity = true;
        assert_eq!(board.playable_cells(), 7);
        assert_eq!(board.open_cells(), vec![2, 3, 6]);
    }

    #[test]
    fn moves_change_stones_and_turn() {
        let mut board = LineBoard::empty(3, 2, 2);
        let next = board.after(3);
        assert_eq!((next.cells[3], next.turn), (Content::First, Turn::Second));
        let last = next.after(0);
        assert_eq!((last.cells[0], last.turn, last.stones()), (Content::Second, Turn::First, 2));
        assert_eq!(last.open_cells(), vec![1, 2, 4, 5]);
        assert_eq!((board.move_name(3), board.move_name(4)), ("b2".into(), "c1".into()));
        board.gravity = true;
        assert_eq!((board.move_name(3), board.move_name(4)), ("2".into(), "3".into()));
        assert_eq!(board.after(2).open_cells(), vec![0, 3, 4]);
    }

    #[test]
    fn a_line_is_possible_until_the_opponent_or_an_obstacle_is_in_all() {
        let mut board = LineBoard::empty(3, 1, 2);
        assert!(board.can_make_line(Content::First) && board.can_make_line(Content::Second));
        board.cells[1] = Content::First;
        assert!(board.can_make_line(Content::First) && !board.can_make_line(Content::Second));
        board.cells[0] = Content::Second;
        board.cells[2] = Content::Blocked;
        assert!(!board.can_make_line(Content::First) && !board.can_make_line(Content::Second));
        // A line that is already complete counts.
        board.cells[0] = Content::First;
        assert!(board.can_make_line(Content::First));
    }
}
