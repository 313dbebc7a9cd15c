//! Board geometry: stacks of free cells, one variable per cell, lines as bit masks.
//!
//! ```text
//!  gravity: a stack is a column            free play: every cell is a stack of its own
//!    6 8 7        variables are numbered row by row from the bottom, mirror pairs adjacent,
//!    3 5 4        so that the late stones of a column have high numbers
//!    0 2 1
//! ```
//!
//! A *shape* is the number of stones in every stack, encoded in mixed radix as Σ count · step. Within a tier (a number
//! of stones) these codes ascend in the same order as the shape ranks of the tight index. A variable is true if the
//! first player owns the stone.
//!
//! Invariant: a variable belongs to exactly one stack, and preset stones and obstacles have none.

use crate::DenseError;
use outplay_core::{Content, LineBoard, Turn};

/// Shapes are numbered with 28 bits: more would not fit in memory.
const MOST_SHAPES: u64 = 1 << 28;

/// Free cells that are filled in order.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    /// Variables of its cells, in filling order.
    pub(crate) variables: Vec<u8>,
    /// Mask of its occupied variables when it holds 0, 1, 2, … stones.
    pub(crate) filled: Vec<u64>,
    /// Weight of one stone in the shape's number.
    pub(crate) step: u32,
    /// 1 on the left half of the board, -1 on the right half, 0 in the middle.
    pub(crate) side: i32,
}

/// Mirror symmetry of the board.
#[derive(Clone, Debug)]
pub(crate) struct Mirror {
    /// The variable of the mirrored cell.
    pub(crate) variable: Vec<u8>,
    /// The mirrored stack.
    pub(crate) stack: Vec<usize>,
}

/// A board in terms of variables and stacks.
#[derive(Clone, Debug)]
pub(crate) struct BoardGeometry {
    /// The original board.
    pub(crate) board: LineBoard,
    /// The cell of each variable.
    pub(crate) cells: Vec<usize>,
    /// The variable of each cell, `None` for obstacles and preset stones.
    pub(crate) variable_of: Vec<Option<u8>>,
    /// Stacks in board order.
    pub(crate) stacks: Vec<Stack>,
    /// Number of shapes of all tiers.
    pub(crate) shapes: u32,
    /// By colour (0 second player, 1 first) and variable: the other variables of each line through it; a stone
    /// there completes the line if all of them have the colour.
    pub(crate) through: [Vec<Vec<u64>>; 2],
    /// By colour: the variables of every line that the colour can complete.
    pub(crate) whole: [Vec<u64>; 2],
    /// Set if the board is symmetric and symmetry is enabled.
    pub(crate) mirror: Option<Mirror>,
    /// Payoff to the first player, if the start position is finished already.
    pub(crate) over: Option<i32>,
}

impl BoardGeometry {
    /// Analyses a board. `low`, the number of low variables, decides where the middle column goes.
    pub(crate) fn new(board: &LineBoard, symmetric: bool, low: usize) -> Result<BoardGeometry, DenseError> {
        let (width, height) = (board.width, board.height);
        let free: Vec<usize> = (0..board.cells.len())
            .filter(|&cell| board.cells[cell] == Content::Empty && board.playable(cell))
            .collect();
        if free.len() > 63 {
            return Err(DenseError::TooManyCells { cells: free.len() });
        }
        // The low variables should contain both or neither of a mirror pair. Where they contain an odd number of
        // cells of a row, numbering the middle cell first restores that.
        let middle_first = width % 2 == 1 && (low % width) % 2 == 1;
        let mut cells = free.clone();
        cells.sort_by_key(|&cell| {
            let (column, row) = (cell / height, cell % height);
            let pair = column.min(width - 1 - column);
            let late = 2 * pair + 1 == width && !middle_first;
            (row, late || (2 * pair + 1 != width && middle_first), pair, column)
        });
        let mut variable_of = vec![None; board.cells.len()];
        for (variable, &cell) in cells.iter().enumerate() {
            variable_of[cell] = Some(variable as u8);
        }

        let groups: Vec<Vec<usize>> = if board.gravity {
            let column_of = |c: usize| free.iter().copied().filter(move |&cell| cell / height == c).collect();
            (0..width).map(column_of).collect()
        } else {
            free.iter().map(|&cell| vec![cell]).collect()
        };
        let mut step = 1u64;
        let mut steps = vec![0u32; groups.len()];
        let order: Vec<usize> =
            if board.gravity { (0..groups.len()).rev().collect() } else { (0..groups.len()).collect() };
        for i in order {
            steps[i] = step as u32;
            step *= groups[i].len() as u64 + 1;
            if step > MOST_SHAPES {
                return Err(DenseError::TooManyShapes { most: MOST_SHAPES });
            }
        }
        let stack = |(i, group): (usize, &Vec<usize>)| {
            let variables: Vec<u8> = group.iter().filter_map(|&cell| variable_of[cell]).collect();
            let mut filled = vec![0u64];
            for &variable in &variables {
                filled.push(filled[filled.len() - 1] | 1 << variable);
            }
            // A column without free cells is irrelevant, so its side is arbitrary.
            let column = group.first().map_or(i, |&cell| cell / height);
            let side = (width - 1 - column).cmp(&column) as i32;
            Stack { variables, filled, step: steps[i], side }
        };
        let stacks: Vec<Stack> = groups.iter().enumerate().map(stack).collect();

        let lines = board.lines();
        let whole = [Content::Second, Content::First].map(|own| {
            let possible = lines
                .iter()
                .filter(|line| line.iter().all(|&c| board.cells[c] == own || variable_of[c].is_some()));
            let mask = |line: &Vec<usize>| {
                line.iter().filter_map(|&c| variable_of[c]).fold(0u64, |mask, v| mask | 1 << v)
            };
            let mut masks: Vec<u64> = possible.map(mask).collect();
            masks.sort_unstable();
            masks.dedup();
            masks
        });
        let through = [0, 1].map(|colour: usize| {
            let others = |v: usize| {
                whole[colour].iter().filter(|&&m| m >> v & 1 == 1).map(|&m| m & !(1 << v)).collect()
            };
            (0..cells.len()).map(others).collect()
        });
        let over = [(Content::First, 1), (Content::Second, -1)]
            .into_iter()
            .filter(|&(player, _)| board.has_line(player))
            .map(|(_, payoff)| if board.misere { -payoff } else { payoff })
            // Where both have a line, the player who moved last completed the later one.
            .max_by_key(|&payoff| (payoff == -board.turn.sees(1)) != board.misere);

        let mirror =
            symmetric.then(|| BoardGeometry::mirrored(board, &cells, &variable_of, &stacks)).flatten();
        let board = board.clone();
        Ok(BoardGeometry {
            board,
            cells,
            variable_of,
            stacks,
            shapes: step as u32,
            through,
            whole,
            mirror,
            over,
        })
    }

    fn mirrored(
        board: &LineBoard,
        cells: &[usize],
        variable_of: &[Option<u8>],
        stacks: &[Stack],
    ) -> Option<Mirror> {
        let other = |cell: usize| board.cell(board.width - 1 - cell / board.height, cell % board.height);
        let alike = |cell: usize| {
            board.cells[cell] == board.cells[other(cell)]
                && board.playable(cell) == board.playable(other(cell))
        };
        // A board one column wide is its own mirror image, so symmetry gains nothing.
        if board.width < 2 || !(0..board.cells.len()).all(alike) {
            return None;
        }
        let variable: Vec<u8> = cells.iter().map(|&cell| variable_of[other(cell)]).collect::<Option<_>>()?;
        let stack = stacks
            .iter()
            .enumerate()
            .map(|(i, stack)| match stack.variables.first() {
                None => Some(i),
                Some(&v) => {
                    let image = variable[usize::from(v)];
                    stacks.iter().position(|s| s.variables.first() == Some(&image))
                }
            })
            .collect::<Option<_>>()?;
        Some(Mirror { variable, stack })
    }

    /// Number of stones that can be placed, which is the last tier.
    pub(crate) fn plies(&self) -> usize {
        self.cells.len()
    }

    /// Colour (1 first player, 0 second) to move at a tier.
    pub(crate) fn mover(&self, tier: usize) -> usize {
        usize::from((self.board.turn == Turn::First) == tier.is_multiple_of(2))
    }

    /// Number of the first player's stones among the first `tier` stones.
    pub(crate) fn ones(&self, tier: usize) -> usize {
        if self.board.turn == Turn::First { tier.div_ceil(2) } else { tier / 2 }
    }

    /// Number of stones of a shape in a stack.
    pub(crate) fn count(&self, shape: u32, stack: usize) -> usize {
        let stack = &self.stacks[stack];
        (shape / stack.step) as usize % stack.filled.len()
    }

    /// Mask of the variables of a shape's stones.
    pub(crate) fn filled(&self, shape: u32) -> u64 {
        let stack = |(i, stack): (usize, &Stack)| stack.filled[self.count(shape, i)];
        self.stacks.iter().enumerate().map(stack).fold(0, |all, mask| all | mask)
    }

    /// Returns the mirrored shape.
    pub(crate) fn image(&self, mirror: &Mirror, shape: u32) -> u32 {
        let stack = |i: usize| self.count(shape, i) as u32 * self.stacks[mirror.stack[i]].step;
        (0..self.stacks.len()).map(stack).sum()
    }

    /// Stones on the left half minus stones on the right half.
    pub(crate) fn lean(&self, shape: u32) -> i32 {
        self.stacks.iter().enumerate().map(|(i, s)| s.side * self.count(shape, i) as i32).sum()
    }
}
