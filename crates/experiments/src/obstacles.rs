//! `obstacles`: search depth and playing strength at a fixed node limit, as more and more cells are blocked by
//! obstacles (Mishra 2014).

use crate::design::{Purpose, Streams};
use crate::duel::{Score, duel, opening};
use crate::plot::{Lines, Series};
use crate::sample::Sample;
use crate::{Bench, Findings, Grid};
use outplay_core::cell_name;
use outplay_core::figures::grouped;
use outplay_workbench::Trouble;
use rand::RngExt;

/// Side length of the board.
const SIDE: usize = 7;
/// Node limit of the stronger player per move.
const NODES: u64 = 3000;
/// Runs with different seeds, pooled.
const RUNS: u32 = 3;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let games = bench.games.unwrap_or(if bench.full { 100 } else { 20 }).max(1);
    let player = format!("alphabeta:nodes={NODES},eval=polynomial");
    let rival = "alphabeta:depth=1,eval=polynomial";
    let mut findings = Findings::new(format!(
        "{SIDE}x{SIDE}, k=4, random obstacles, {games} games each way for each density and run, two random plies, {}; {player} against {rival}; 95 % bounds",
        bench.seeds_phrase(RUNS)
    ));
    let mut strength = Series::new("score of the deeper search");
    let mut depths = Series::new(format!("depth that {NODES} positions reach"));
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
            (Score::default(), Sample::default(), 0.0, 0.0, 0.0);
        for streams in bench.streams(RUNS, games).map(|streams| streams.part(percent as u64)) {
            let kit = bench.kit(&scattered(obstacles, streams))?;
            let Some(from) = opening(&kit.game, 2, streams.seed(Purpose::Opening)) else { continue };
            let (mut strong, mut weak) = (kit.player(&player)?, kit.player(rival)?);
            score.add_pair([
                duel(&kit.game, [&mut *strong, &mut *weak], &from, streams, bench.watch)?,
                -duel(&kit.game, [&mut *weak, &mut *strong], &from, streams, bench.watch)?,
            ]);
            bench.watch.advance(2);
            // The depth from random positions, without wins and blocks in one.
            for plies in [2, 6, 10] {
                let seed = streams.part(plies.into()).seed(Purpose::Positions);
                let Some(pos) = opening(&kit.game, plies, seed) else { continue };
                let choice = strong.choose(&pos, bench.watch)?.finished()?;
                if choice.nodes <= 1 {
                    continue;
                }
                depth.add(f64::from(choice.depth));
                nodes += choice.nodes as f64;
                choices += kit.game.list(&pos).count() as f64;
                moves += 1.0;
            }
        }
        let mean = |sum: f64| if moves > 0.0 { sum / moves } else { 0.0 };
        strength.points.push(score.point(percent as f64));
        depths.points.extend(depth.point(percent as f64));
        grid.row(vec![
            obstacles.to_string(),
            format!("{percent} %"),
            format!("{:.1}", mean(choices)),
            depth.text(|plies| format!("{plies:.2}")),
            grouped(mean(nodes) as u64),
            score.text(),
            score.percent(),
        ]);
    }
    findings.tables.push(grid);
    findings.remark("Obstacles take moves away, so the same number of positions reaches deeper; they also take lines away, so that more games are drawn and depth is worth less.");
    let x = "cells that are obstacles, %";
    let axes = [x, "score of the deeper search, %"];
    findings.plot(Lines::new("What depth is worth among obstacles", axes, [strength]));
    findings.plot(Lines::new("How deep a search sees among obstacles", [x, "depth, plies"], [depths]));
    Ok(findings)
}

/// A board with obstacles in random cells.
fn scattered(obstacles: usize, streams: Streams) -> String {
    let mut rng = streams.rng(Purpose::Obstacles);
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
