//! `helpful-memory`: time and memory of one move of the heuristic, up to a million cells.

use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::figures::{bytes, duration};
use outplay_core::{Game, Native};
use outplay_games::mnk::{LargeMnk, Rules};
use outplay_players::Kit;
use std::time::Instant;

/// Sides of the square boards.
const SIDES: [u32; 6] = [4, 10, 30, 100, 300, 1000];
/// What a move on the largest board may take.
const MOST_SECONDS: f64 = 0.020;
const MOST_BYTES: u64 = 16_000_000;

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let trials = bench.games.unwrap_or(15).max(1);
    let setting = format!(
        "the first move on an empty board, k=5 (4 on 4x4); the median and the fastest of {trials}; memory: one integer a cell, the list of moves, and the board that the player looks at"
    );
    let mut findings = Findings::new("helpful-memory", "Hayes and Loge, figure 10", setting);
    let mut grid = Grid::new(
        "one move of helpful",
        &["board", "their memory (n² bytes)", "our memory", "bytes a cell", "median time", "fastest"],
    );
    for side in SIDES {
        bench.go_on()?;
        let k = side.min(5).min(if side == 4 { 4 } else { 5 });
        let rules = Rules::parse(&format!("mnk:{side}x{side},k={k}"))?;
        let kit = Kit::new(Native::new(LargeMnk::new(rules)).lines());
        let mut player = kit.player("helpful")?;
        let mut times = Vec::new();
        for trial in 0..trials {
            player.begin(bench.seed + u64::from(trial));
            // A position remembers its moves, so every trial has a new one.
            let Some(start) = kit.game.start() else { continue };
            let began = Instant::now();
            player.choose(&start, bench.watch)?;
            times.push(began.elapsed().as_secs_f64());
        }
        times.sort_by(f64::total_cmp);
        let (median, fastest) = (times[times.len() / 2], times[0]);
        let cells = u64::from(side) * u64::from(side);
        let used = player.bytes() as u64;
        if side == 1000 {
            findings.claim(
                fastest < MOST_SECONDS,
                format!("The fastest move on {side}x{side} took {}, which is too long; this machine may be slow or busy.", duration(fastest)),
            );
            findings.claim(
                used < MOST_BYTES,
                format!("A move on {side}x{side} took {}, which is too much.", bytes(used)),
            );
        }
        grid.row(vec![
            format!("{side}x{side}"),
            bytes(cells),
            bytes(used),
            format!("{:.1}", used as f64 / cells as f64),
            duration(median),
            duration(fastest),
        ]);
    }
    findings.tables.push(grid);
    findings.remark("The paper states under 0.1 GB for 1000x1000 and gives no time; ours has to take under 20 ms and 16 MB.");
    Ok(findings)
}
