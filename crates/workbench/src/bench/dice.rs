//! `bench chance`: time and nodes of expectiminimax, Star1 and Star2 (Ballard 1983).

use crate::{ChanceReport, ChanceRow, GameHandle, Trouble};
use outplay_core::{AnyPosition, Game};
use outplay_runtime::Monitor;
use outplay_search::{DiceMethod, SearchLimits};
use outplay_solve::SolveError;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Counts the nodes of expectiminimax, Star1 and Star2 at positions after random moves.
///
/// # Errors
///
/// A game without chance, or a stop.
pub fn chance_speed(
    handle: &GameHandle,
    depth: u32,
    positions: u32,
    watch: &dyn Monitor,
) -> Result<ChanceReport, Trouble> {
    let refused = || Trouble::unable(format!("{} has no dice", handle.spec()));
    let methods = [
        ("expectiminimax", DiceMethod::Expectiminimax),
        ("star1", DiceMethod::Star1),
        ("star2", DiceMethod::Star2),
    ];
    let blank = |method| ChanceRow { method, nodes: 0, leaves: 0, dice_cutoffs: 0, seconds: 0.0 };
    let mut rows = methods.map(|(method, _)| blank(method));
    let (mut difference, mut exact, mut plies) = (0.0f64, 0, Vec::new());
    watch.stage("searching", positions.into());
    for i in 0..positions {
        let (pos, played) = position_after_plies(handle, i)?;
        plies.push(played);
        let mut values = [0.0; 3];
        for (((_, method), row), value) in methods.iter().zip(&mut rows).zip(&mut values) {
            let report = handle.kernels().expect(&pos, *method, SearchLimits::depth(depth), watch);
            let report = report.ok_or_else(refused)??;
            *value = report.value.ok_or(SolveError::Stopped)?;
            row.nodes += report.nodes;
            row.leaves += report.leaves;
            row.dice_cutoffs += report.dice_cutoffs;
            row.seconds += report.seconds;
            exact += u64::from(report.exact && *method == DiceMethod::Star2);
        }
        difference = values.iter().fold(difference, |most, value| most.max((value - values[0]).abs()));
        watch.advance(1);
    }
    let star2_leaves = rows[2].leaves as f64 / rows[0].leaves.max(1) as f64;
    let rows = rows.to_vec();
    Ok(ChanceReport { game: handle.spec(), depth, plies, exact, rows, difference, star2_leaves })
}

/// The position after `2 × number` random plies, or the last unfinished one before.
fn position_after_plies(handle: &GameHandle, number: u32) -> Result<(AnyPosition, u32), Trouble> {
    let mut rng = SmallRng::seed_from_u64(number.into());
    let mut pos = handle.start()?;
    let mut moves = Vec::new();
    for ply in 0..2 * number {
        moves.clear();
        handle.game().moves(&pos, &mut moves);
        let next = handle.game().play(&pos, moves[rng.random_range(0..moves.len())]);
        if handle.game().outcome(&next).is_some() {
            return Ok((pos, ply));
        }
        pos = next;
    }
    Ok((pos, 2 * number))
}
