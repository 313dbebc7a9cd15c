//! `dp`: the solvers of the 2020 report on tic-tac-toe.

use super::{Bench, Findings, Grid};
use crate::ArenaError;
use outplay_core::figures::duration;

/// What the report measured, in the order of our solvers.
const THEIRS: [(&str, f64); 4] =
    [("top-down", 4.978), ("memoized", 0.074), ("bottom-up", 0.218), ("bottom-up, hashes remembered", 0.067)];

pub(super) fn run(bench: &Bench<'_>) -> Result<Findings, ArenaError> {
    /// A first trial that takes longer than this is given up.
    const PATIENCE: f64 = 60.0;
    let trials = bench.games.unwrap_or(100);
    let rows = bench.lab.classic("tictactoe", trials, PATIENCE, bench.watch)?;
    let mut findings = Findings::new(
        "dp",
        "Zagaynov and Zhao, Using Dynamic Programming To Create More Efficient Solvers for Games (2020)",
        format!("tictactoe, mean of {trials} trials, one thread"),
    );
    let mut grid = Grid::new("time to solve tic-tac-toe", &["solver", "theirs", "ours", "times faster"]);
    let memo = |rows: &[f64]| rows[1] / rows[3];
    let mut means = Vec::new();
    for ((name, theirs), ours) in THEIRS.iter().zip(&rows) {
        let seconds = ours.seconds;
        means.push(seconds.unwrap_or(f64::NAN));
        grid.row(vec![
            (*name).to_string(),
            duration(*theirs),
            seconds.map_or("too long".into(), duration),
            seconds.map_or(String::new(), |seconds| format!("{:.0}", theirs / seconds)),
        ]);
    }
    findings.tables.push(grid);
    if means.len() == THEIRS.len() && means.iter().all(|mean| mean.is_finite()) {
        let ours = memo(&means);
        findings.remark(format!(
            "Bottom-up with remembered hashes is {ours:.1} times as fast as memoizing (theirs: {:.1} times).",
            memo(&THEIRS.map(|(_, seconds)| seconds))
        ));
        findings.holds = Some(ours > 1.0);
    }
    Ok(findings)
}
