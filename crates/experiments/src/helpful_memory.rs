//! `helpful-memory`: time and memory of one move of the helpfulness heuristic (Hayes and Loge) on boards of up to a
//! million cells.

use crate::plot::{Lines, Point, Series};
use crate::sample::{Sample, seconds};
use crate::{Bench, Findings, Grid};
use outplay_core::figures::{bytes, duration};
use outplay_core::{Game, Native};
use outplay_games::mnk::{LargeMnk, Rules};
use outplay_players::PlayerContext;
use outplay_workbench::Trouble;
use std::time::Instant;

/// Side lengths of the square boards.
const SIDES: [u32; 6] = [4, 10, 30, 100, 300, 1000];
/// Time limit of a move on the largest board, in seconds.
const MOST_SECONDS: f64 = 0.020;
const MOST_BYTES: u64 = 16_000_000;
/// Label of the horizontal axis.
const SIDE: &str = "side n of an n by n board, cells";

/// A board with the cost of a move on it.
pub(crate) struct Cost {
    side: u32,
    /// Times in seconds.
    times: Sample,
    bytes: u64,
}

/// Times the first move on boards of all sizes.
pub(crate) fn costs(bench: &Bench<'_>, trials: u32) -> Result<Vec<Cost>, Trouble> {
    let mut costs = Vec::new();
    for side in SIDES {
        bench.check_cancelled()?;
        let kit = kit(side)?;
        let mut player = kit.player("helpful")?;
        let mut times = Sample::default();
        for trial in 0..trials {
            player.begin(bench.seed + u64::from(trial));
            // A position caches its moves, so every trial needs a new one.
            let Some(start) = kit.game.start() else { continue };
            let began = Instant::now();
            player.choose(&start, bench.watch)?.finished()?;
            times.add(began.elapsed().as_secs_f64());
        }
        costs.push(Cost { side, times, bytes: player.bytes() as u64 });
    }
    Ok(costs)
}

fn kit(side: u32) -> Result<PlayerContext, Trouble> {
    let rules = Rules::parse(&format!("mnk:{side}x{side},k={}", side.min(5)))?;
    Ok(PlayerContext::new(Native::new(LargeMnk::new(rules)).lines()))
}

/// The paper's figure 10: memory by side length; the paper's curve follows its formula.
pub(crate) fn figure_10(costs: &[Cost]) -> Lines {
    let line = |name: &str, bytes: &dyn Fn(&Cost) -> f64| Series {
        name: name.into(),
        points: costs.iter().map(|cost| Point::exact(f64::from(cost.side), bytes(cost))).collect(),
    };
    let series = [
        line("theirs, n² bytes by their formula", &|cost| f64::from(cost.side).powi(2)),
        line("ours, board, moves and one integer a cell", &|cost| cost.bytes as f64),
    ];
    Lines::new("Figure 10: memory of one move of the heuristic", [SIDE, "memory, bytes"], series).log_log()
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let trials = bench.runs.or(bench.games).unwrap_or(15).max(1);
    let mut findings = Findings::new(format!(
        "the first move on an empty board, k=5 (4 on 4x4); {trials} trials, means with 95 % bounds; memory: one integer a cell, the list of moves, and the board that the player looks at"
    ));
    let mut grid = Grid::new(
        "one move of helpful",
        &["board", "their memory (n² bytes)", "our memory", "bytes a cell", "time", "median", "fastest"],
    );
    let costs = costs(bench, trials)?;
    for Cost { side, times, bytes: used } in &costs {
        let (median, fastest) = (times.median().unwrap_or(0.0), times.least().unwrap_or(0.0));
        let cells = u64::from(*side) * u64::from(*side);
        if *side == 1000 {
            findings.claim(
                fastest < MOST_SECONDS,
                format!("The fastest move on {side}x{side} took {}, which is too long; this machine may be slow or busy.", duration(fastest)),
            );
            findings.claim(
                *used < MOST_BYTES,
                format!("A move on {side}x{side} took {}, which is too much.", bytes(*used)),
            );
        }
        grid.row(vec![
            format!("{side}x{side}"),
            bytes(cells),
            bytes(*used),
            format!("{:.1}", *used as f64 / cells as f64),
            times.text(seconds),
            duration(median),
            duration(fastest),
        ]);
    }
    findings.tables.push(grid);
    findings.plot(figure_10(&costs));
    let series = Series {
        name: "one move of helpful".into(),
        points: costs.iter().filter_map(|cost| cost.times.point(f64::from(cost.side))).collect(),
    };
    findings.plot(Lines::new("Time of one move of the heuristic", [SIDE, "time, s"], [series]).log_log());
    findings.remark("The paper states under 0.1 GB for 1000x1000 and gives no time; ours has to take under 20 ms and 16 MB.");
    Ok(findings)
}
