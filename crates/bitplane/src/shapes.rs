//! Enumeration of shapes (sets of occupied cells) by tier, and which of each mirror pair is computed.
//!
//! Of a shape and its mirror image, only the one with more stones on the left is computed:
//!
//! ```text
//!  lean = stones on the left half - stones on the right half
//!  lean > 0   computed; represents its mirror image too
//!  lean = 0   computed, and so is its image
//!  lean = -1  copied from its image, because shapes with lean 0 read it
//!  lean < -1  never read
//! ```
//!
//! Invariant: every shape with one stone more or less than a computed shape is computed or copied.

use crate::DenseError;
use crate::back::MIRRORED;
use crate::field::BoardGeometry;
use outplay_runtime::{Monitor, Pace};

/// Place of a shape without a table.
const NOWHERE: u32 = u32::MAX;

/// The shapes of one tier.
#[derive(Clone, Debug, Default)]
pub(crate) struct TierShapes {
    /// Computed shapes, ascending.
    pub(crate) stored: Vec<u32>,
    /// Shapes copied from their mirror images, ascending.
    pub(crate) mirrored: Vec<u32>,
}

/// The shapes of all tiers.
#[derive(Clone, Debug)]
pub(crate) struct Shapes {
    pub(crate) tiers: Vec<TierShapes>,
    /// By shape: its place among the tier's computed shapes, or, with [`MIRRORED`], among the copied ones.
    pub(crate) place: Vec<u32>,
}

impl Shapes {
    /// Lists the shapes of a board.
    ///
    /// # Errors
    ///
    /// Out of memory, or a cancellation.
    pub(crate) fn new(geometry: &BoardGeometry, monitor: &dyn Monitor) -> Result<Shapes, DenseError> {
        let mut tiers = vec![TierShapes::default(); geometry.plies() + 1];
        let mut place: Vec<u32> = Vec::new();
        place.try_reserve_exact(geometry.shapes as usize).map_err(|_| {
            let why = std::io::ErrorKind::OutOfMemory.into();
            DenseError::Refused { bytes: 4 * u64::from(geometry.shapes), why }
        })?;
        walk(geometry, monitor, |_, tier, lean| {
            let tier = &mut tiers[tier];
            let shape = place.len() as u32;
            if geometry.mirror.is_none() || lean >= 0 {
                place.push(tier.stored.len() as u32);
                tier.stored.push(shape);
            } else if lean == -1 {
                place.push(tier.mirrored.len() as u32 | MIRRORED);
                tier.mirrored.push(shape);
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
/// A cancellation.
pub(crate) fn walk(
    geometry: &BoardGeometry,
    monitor: &dyn Monitor,
    mut visit: impl FnMut(u32, usize, i32),
) -> Result<(), DenseError> {
    let mut pace = Pace::new(monitor);
    // Stacks by ascending step, as the digits of a mixed-radix number.
    let mut digits: Vec<(usize, i32)> = Vec::new();
    let mut stacks: Vec<_> = geometry.stacks.iter().collect();
    stacks.sort_by_key(|stack| (stack.step, stack.variables.len()));
    for stack in &stacks {
        if !stack.variables.is_empty() {
            digits.push((stack.variables.len(), stack.side));
        }
    }
    let mut counts = vec![0usize; digits.len()];
    let (mut tier, mut lean) = (0usize, 0i32);
    for shape in 0..geometry.shapes {
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

/// Counts the shapes of each tier (all, computed, copied) without enumerating them.
pub(crate) fn census(geometry: &BoardGeometry) -> Vec<[u64; 3]> {
    let plies = geometry.plies();
    let middle = plies;
    let mut ways = vec![vec![0u64; 2 * plies + 1]; plies + 1];
    ways[0][middle] = 1;
    for stack in &geometry.stacks {
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
        if geometry.mirror.is_none() {
            return [all, all, 0];
        }
        [all, row[middle..].iter().sum(), if middle > 0 { row[middle - 1] } else { 0 }]
    };
    ways.iter().map(tier).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::LineBoard;
    use outplay_runtime::NoMonitor;

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
            let geometry = BoardGeometry::new(&board, symmetric, 12).expect("a small board");
            let shapes = Shapes::new(&geometry, &NoMonitor).expect("a small board");
            let census = census(&geometry);
            for (tier, shapes) in shapes.tiers.iter().enumerate() {
                assert_eq!(shapes.stored.len() as u64, census[tier][1]);
                assert_eq!(shapes.mirrored.len() as u64, census[tier][2]);
            }
            let walked = walk(&geometry, &NoMonitor, |shape, tier, lean| {
                assert_eq!(geometry.filled(shape).count_ones() as usize, tier);
                assert_eq!(geometry.lean(shape), lean);
                if let Some(mirror) = &geometry.mirror {
                    assert_eq!(geometry.lean(geometry.image(mirror, shape)), -lean);
                }
            });
            assert!(walked.is_ok());
        }
    }
}
