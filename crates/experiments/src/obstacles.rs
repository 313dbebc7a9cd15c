//! `obstacles`: how far a search sees, and what that is worth, as obstacles fill the board.

use crate::duel::{Score, duel, opening};
use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::cell_name;
use outplay_core::figures::grouped;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Columns and rows of the board.
const SIDE: usize = 7;
/// Positions that the stronger player may look at for each move.
const NODES: u64 = 3000;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let games = bench.games.unwrap_or(if bench.full { 100 } else { 20 }).max(1);
    let player = format!("alphabeta:nodes={NODES},eval=polynomial");
    let rival = "alphabeta:depth=1,eval=polynomial";
    let setting = format!(
        "{SIDE}x{SIDE}, k=4, random obstacles, {games} games each way for each density, two random plies, seed {}; {player} against {rival}",
        bench.seed
    );
    let mut findings = Findings::new("obstacles", "Mishra 2014, m by n by k with s obstacles", setting);
    let mut grid = Grid::new(
        "depth and strength by density",
        &[
            "obstacles",
            "density",
            "moves a position",
            "mean depth",
            "positions a move",
            "wins/losses/draws",
            "score",
        ],
    );
    for percent in [0, 10, 20, 30, 40, 50] {
        let obstacles = SIDE * SIDE * percent / 100;
        bench.watch.stage(&format!("{percent} % obstacles"), u64::from(2 * games));
        let (mut score, mut depth, mut nodes, mut moves, mut choices) =
            (Score::default(), 0.0, 0.0, 0.0, 0.0);
        for number in 0..games {
            let seed = bench.seed.wrapping_mul(7919) + u64::from(number) + 1000 * percent as u64;
            let kit = bench.kit(&scattered(obstacles, seed))?;
            let Some(from) = opening(&kit.game, 2, seed) else { continue };
            let (mut strong, mut weak) = (kit.player(&player)?, kit.player(rival)?);
            score.add(duel(&kit.game, [&mut *strong, &mut *weak], &from, seed, bench.watch)?);
            score.add(-duel(&kit.game, [&mut *weak, &mut *strong], &from, seed, bench.watch)?);
            bench.watch.advance(2);
            // How deep it looks from random positions, wins and blocks in one left out.
            for plies in [2, 6, 10] {
                let Some(pos) = opening(&kit.game, plies, seed) else { continue };
                let choice = strong.choose(&pos, bench.watch)?;
                if choice.nodes <= 1 {
                    continue;
                }
                depth += f64::from(choice.depth);
                nodes += choice.nodes as f64;
                choices += kit.game.list(&pos).count() as f64;
                moves += 1.0;
            }
        }
        let mean = |sum: f64| if moves > 0.0 { sum / moves } else { 0.0 };
        let games = f64::from(score.won + score.lost + score.drawn).max(1.0);
        let share = (f64::from(score.won) + f64::from(score.drawn) / 2.0) / games;
        grid.row(vec![
            obstacles.to_string(),
            format!("{percent} %"),
            format!("{:.1}", mean(choices)),
            format!("{:.2}", mean(depth)),
            grouped(mean(nodes) as u64),
            score.text(),
            format!("{:.0} %", 100.0 * share),
        ]);
    }
    findings.tables.push(grid);
    findings.remark("Obstacles take moves away, so the same number of positions reaches deeper; they also take lines away, so that more games are drawn and depth is worth less.");
    Ok(findings)
}

/// A board with obstacles in random places.
fn scattered(obstacles: usize, seed: u64) -> String {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut cells: Vec<usize> = (0..SIDE * SIDE).collect();
    for i in 0..obstacles {
        let j = rng.random_range(i..cells.len());
        cells.swap(i, j);
    }
    let mut chosen = cells[..obstacles].to_vec();
    chosen.sort_unstable();
    let names: Vec<String> = chosen.iter().map(|cell| cell_name(cell / SIDE, cell % SIDE)).collect();
    let list = if names.is_empty() { String::new() } else { format!(",obstacles={}", names.join("+")) };
    format!("mnk:{SIDE}x{SIDE},k=4{list}")
}
