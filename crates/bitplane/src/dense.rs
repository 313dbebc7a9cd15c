//! In-memory oracle: solves a small board completely and keeps the value of every position.

use crate::DenseError;
use crate::engine::MemorySolver;
use crate::field::BoardGeometry;
use crate::plan::Plan;
use crate::solve::{BitplaneOptions, Solution};
use outplay_core::{Content, LineBoard, Value};
use outplay_runtime::Monitor;

/// In-memory oracle: the values of all positions of a board.
///
/// # Examples
///
/// ```
/// use outplay_core::{Content, LineBoard, Turn, Value};
/// use outplay_runtime::NoMonitor;
/// use outplay_bitplane::{BitplaneOptions, Dense};
///
/// let mut board = LineBoard::empty(3, 3, 3);
/// let dense = Dense::new(&board, &BitplaneOptions::distance(), &NoMonitor)?;
/// board.cells[4] = Content::First;
/// board.cells[1] = Content::Second;
/// assert_eq!(dense.value(&board), Some(Value::win(5)));
/// # Ok::<(), outplay_bitplane::DenseError>(())
/// ```
pub struct Dense {
    engine: MemorySolver,
    solution: Solution,
    offsets: Vec<Vec<u32>>,
}

impl Dense {
    /// Solves a board and keeps the values of all its positions.
    ///
    /// # Errors
    ///
    /// As for [`crate::solve`]; all tiers together must fit in the memory allowed.
    pub fn new(
        board: &LineBoard,
        options: &BitplaneOptions,
        monitor: &dyn Monitor,
    ) -> Result<Dense, DenseError> {
        let geometry = BoardGeometry::new(board, options.mirror, options.low)?;
        let plan = Plan::fitting(&geometry, options, false, true, monitor)?;
        let mut engine = MemorySolver::new(geometry, options, plan, true, monitor)?;
        let solution = engine.run(monitor, None)?;
        let offsets: Result<_, DenseError> =
            (0..=engine.context.geometry.plies()).map(|tier| engine.context.offsets(tier, monitor)).collect();
        Ok(Dense { engine, solution, offsets: offsets? })
    }

    /// Returns the solution of the start position.
    pub fn solution(&self) -> &Solution {
        &self.solution
    }

    /// Returns the value of a position for the player to move; without distances a win or loss has distance 0.
    ///
    /// `None` if the position cannot follow from the board: other obstacles or presets, floating stones, or
    /// a wrong number of stones of each colour. The player to move follows from the number of stones. Reachability
    /// is not checked: a position with a line is simply over.
    pub fn value(&self, pos: &LineBoard) -> Option<Value> {
        let geometry = &self.engine.context.geometry;
        let start = &geometry.board;
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
            let variable = geometry.variable_of[cell]?;
            match now {
                Content::First => colours |= 1 << variable,
                Content::Second => {}
                _ => return None,
            }
            filled |= 1 << variable;
        }
        let mut shape = 0;
        for stack in &geometry.stacks {
            let all = stack.filled[stack.filled.len() - 1];
            let count = stack.filled.iter().position(|&mask| mask == filled & all)?;
            shape += count as u32 * stack.step;
        }
        let tier = filled.count_ones() as usize;
        if colours.count_ones() as usize != geometry.ones(tier) {
            return None;
        }
        let mover = if tier.is_multiple_of(2) { start.turn } else { start.turn.other() };
        let over = [(Content::First, 1), (Content::Second, -1)].into_iter().find(|&(p, _)| pos.has_line(p));
        if let Some((_, payoff)) = over {
            let payoff = geometry.over.unwrap_or(if start.misere { -payoff } else { payoff });
            return Some(Value::new(mover.sees(payoff), 0));
        }
        if tier == geometry.plies() {
            return Some(Value::TIE);
        }
        let colouring = crate::tight::compress(colours, filled);
        Some(self.engine.context.value(&self.engine.tables(tier, &self.offsets[tier]), shape, colouring))
    }
}
