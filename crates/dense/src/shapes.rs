//! All shapes of a board, tier by tier, and where each one's table lies.
//!
//! ```text
//!  lean = stones on the left half - stones on the right half
//!  lean > 0   computed; stands for its mirror image too
//!  lean = 0   computed, and so is its image
//!  lean = -1  copied from its image: neighbours with lean 0 read it
//!  lean < -1  nobody asks for it
//! ```
//!
//! Invariant: every child and every parent of a computed shape is computed or copied.

use crate::DenseError;
use crate::back::RELAID;
use crate::field::Field;
use outplay_core::{Pace, Watch};

/// No table.
const NOWHERE: u32 = u32::MAX;

/// The shapes of one tier.
#[derive(Clone, Debug, Default)]
pub(crate) struct TierShapes {
    /// Those that are computed, ascending.
    pub(crate) stored: Vec<u32>,
    /// Those that are copied from their mirror images, ascending.
    pub(crate) relaid: Vec<u32>,
}

/// The shapes of all tiers.
#[derive(Clone, Debug)]
pub(crate) struct Shapes {
    pub(crate) tiers: Vec<TierShapes>,
    /// By shape: its place among the tier's computed shapes, or, with [`RELAID`], among the copied ones.
    pub(crate) place: Vec<u32>,
}

impl Shapes {
    /// Lists the shapes of a board.
    ///
    /// # Errors
    ///
    /// No memory, or a stop.
    pub(crate) fn new(field: &Field, watch: &dyn Watch) -> Result<Shapes, DenseError> {
        let mut tiers = vec![TierShapes::default(); field.plies() + 1];
        let mut place: Vec<u32> = Vec::new();
        place.try_reserve_exact(field.shapes as usize).map_err(|_| {
            let why = std::io::ErrorKind::OutOfMemory.into();
            DenseError::Refused { bytes: 4 * u64::from(field.shapes), why }
        })?;
        walk(field, watch, |_, tier, lean| {
            let tier = &mut tiers[tier];
            let shape = place.len() as u32;
            if field.mirror.is_none() || lean >= 0 {
                place.push(tier.stored.len() as u32);
                tier.stored.push(shape);
            } else if lean == -1 {
                place.push(tier.relaid.len() as u32 | RELAID);
                tier.relaid.push(shape);
            } else {
                place.push(NOWHERE);
            }
        })?;
        Ok(Shapes { tiers, place })
    }
}

/// Visits every shape in ascending order with its tier and lean.
///
/// # Errors
///
/// A stop.
pub(crate) fn walk(
    field: &Field,
    watch: &dyn Watch,
    mut visit: impl FnMut(u32, usize, i32),
) -> Result<(), DenseError> {
    let mut pace = Pace::new(watch);
    // Stacks from the smallest step to the largest, as the digits of a number.
    let mut digits: Vec<(usize, i32)> = Vec::new();
    let mut stacks: Vec<_> = field.stacks.iter().collect();
    stacks.sort_by_key(|stack| (stack.step, stack.variables.len()));
    for stack in &stacks {
        if !stack.variables.is_empty() {
            digits.push((stack.variables.len(), stack.side));
        }
    }
    let mut counts = vec![0usize; digits.len()];
    let (mut tier, mut lean) = (0usize, 0i32);
    for shape in 0..field.shapes {
        if pace.step() {
            return Err(DenseError::Stopped);
        }
        visit(shape, tier, lean);
        for (count, &(most, side)) in counts.iter_mut().zip(&digits) {
            if *count < most {
                *count += 1;
                tier += 1;
                lean += side;
                break;
            }
            tier -= *count;
            lean -= side * *count as i32;
            *count = 0;
        }
    }
    Ok(())
}

/// How many shapes of each tier there are: all, computed, copied. Needs no list of shapes.
pub(crate) fn census(field: &Field) -> Vec<[u64; 3]> {
    let plies = field.plies();
    let middle = plies;
    let mut ways = vec![vec![0u64; 2 * plies + 1]; plies + 1];
    ways[0][middle] = 1;
    for stack in &field.stacks {
        let mut more = vec![vec![0u64; 2 * plies + 1]; plies + 1];
        for (tier, row) in ways.iter().enumerate() {
            for (lean, &count) in row.iter().enumerate().filter(|&(_, &count)| count > 0) {
                for stones in 0..=stack.variables.len() {
                    let lean = (lean as i32 + stack.side * stones as i32) as usize;
                    more[tier + stones][lean] += count;
                }
            }
        }
        ways = more;
    }
    let tier = |row: &Vec<u64>| {
        let all = row.iter().sum();
        if field.mirror.is_none() {
            return [all, all, 0];
        }
        [all, row[middle..].iter().sum(), if middle > 0 { row[middle - 1] } else { 0 }]
    };
    ways.iter().map(tier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{LineBoard, Quiet};

    #[test]
    fn the_census_agrees_with_the_list() {
        for (width, height, gravity, symmetric) in [
            (4, 3, true, true),
            (5, 2, true, true),
            (3, 3, false, true),
            (3, 2, false, false),
            (1, 4, true, true),
        ] {
            let mut board = LineBoard::empty(width, height, 3);
            board.gravity = gravity;
            let field = Field::new(&board, symmetric, 12).expect("a small board");
            let shapes = Shapes::new(&field, &Quiet).expect("a small board");
            let census = census(&field);
            for (tier, shapes) in shapes.tiers.iter().enumerate() {
                assert_eq!(shapes.stored.len() as u64, census[tier][1]);
                assert_eq!(shapes.relaid.len() as u64, census[tier][2]);
            }
            let walked = walk(&field, &Quiet, |shape, tier, lean| {
                assert_eq!(field.filled(shape).count_ones() as usize, tier);
                assert_eq!(field.lean(shape), lean);
                if let Some(mirror) = &field.mirror {
                    assert_eq!(field.lean(field.image(mirror, shape)), -lean);
                }
            });
            assert!(walked.is_ok());
        }
    }
}
