//! A small board solved and kept: the value of any of its positions without a table on disk.

use crate::DenseError;
use crate::engine::Engine;
use crate::field::Field;
use crate::plan::Plan;
use crate::solve::{Options, Solution};
use outplay_core::{Content, LineBoard, Value, Watch};

/// All values of a board, in memory.
///
/// # Examples
///
/// ```
/// use outplay_core::{Content, LineBoard, Quiet, Turn, Value};
/// use outplay_dense::{Dense, Options};
///
/// let mut board = LineBoard::empty(3, 3, 3);
/// let dense = Dense::new(&board, &Options::distance(), &Quiet)?;
/// board.cells[4] = Content::First;
/// board.cells[1] = Content::Second;
/// assert_eq!(dense.value(&board), Some(Value::win(5)));
/// # Ok::<(), outplay_dense::DenseError>(())
/// ```
pub struct Dense {
    engine: Engine,
    solution: Solution,
    offsets: Vec<Vec<u32>>,
}

impl Dense {
    /// Solves a board and keeps the values of all its positions.
    ///
    /// # Errors
    ///
    /// As for [`crate::solve`]; all tiers together must fit in the memory allowed.
    pub fn new(board: &LineBoard, options: &Options, watch: &dyn Watch) -> Result<Dense, DenseError> {
        let field = Field::new(board, options.mirror, options.low)?;
        let plan = Plan::fitting(&field, options, false, true, watch)?;
        let mut engine = Engine::new(field, options, plan, true, watch)?;
        let solution = engine.run(watch, None)?;
        let offsets: Result<_, DenseError> =
            (0..=engine.shop.field.plies()).map(|tier| engine.shop.offsets(tier, watch)).collect();
        Ok(Dense { engine, solution, offsets: offsets? })
    }

    /// What is known of the start position.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// The value of a position for the player to move; without distances a win or loss has distance 0.
    ///
    /// `None` if the position cannot follow from the board: other obstacles or presets, floating stones, or
    /// a wrong number of stones of each colour. Whose turn it is follows from the number of stones. Whether
    /// the position can be *reached* is not checked: with a line on the board the game is simply over.
    pub fn value(&self, pos: &LineBoard) -> Option<Value> {
        let field = &self.engine.shop.field;
        let start = &field.board;
        let same_board =
            pos.width == start.width && pos.height == start.height && pos.cells.len() == start.cells.len();
        if !same_board {
            return None;
        }
        let (mut filled, mut colours) = (0u64, 0u64);
        for (cell, (&now, &before)) in pos.cells.iter().zip(&start.cells).enumerate() {
            if now == before {
                continue;
            }
            let variable = field.variable_of[cell]?;
            match now {
                Content::First => colours |= 1 << variable,
                Content::Second => {}
                _ => return None,
            }
            filled |= 1 << variable;
        }
        let mut shape = 0;
        for stack in &field.stacks {
            let all = stack.filled[stack.filled.len() - 1];
            let count = stack.filled.iter().position(|&mask| mask == filled & all)?;
            shape += count as u32 * stack.step;
        }
        let tier = filled.count_ones() as usize;
        if colours.count_ones() as usize != field.ones(tier) {
            return None;
        }
        let mover = if tier.is_multiple_of(2) { start.turn } else { start.turn.other() };
        let over = [(Content::First, 1), (Content::Second, -1)].into_iter().find(|&(p, _)| pos.has_line(p));
        if let Some((_, payoff)) = over {
            let payoff = field.over.unwrap_or(if start.misere { -payoff } else { payoff });
            return Some(Value::new(mover.sees(payoff), 0));
        }
        if tier == field.plies() {
            return Some(Value::TIE);
        }
        let colouring = crate::tight::compress(colours, filled);
        Some(self.engine.shop.value(&self.engine.tables(tier, &self.offsets[tier]), shape, colouring))
    }
}
