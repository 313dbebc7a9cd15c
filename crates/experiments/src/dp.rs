//! `dp`: the solvers of the 2020 report on tic-tac-toe.
//!
//! The solvers take turns, one trial each, so that whatever else the machine does meets all of them alike; what counts
//! is the median of each.

use crate::{Bench, Findings, Grid};
use outplay_answer::Trouble;
use outplay_core::Deadline;
use outplay_core::figures::duration;

/// What the report measured, in the order of our solvers.
const THEIRS: [(&str, f64); 4] =
    [("top-down", 4.978), ("memoized", 0.074), ("bottom-up", 0.218), ("bottom-up, hashes remembered", 0.067)];

/// A trial that takes longer than so many seconds is given up.
const PATIENCE: f64 = 60.0;

/// Fewer trials than this do not tell which of two solvers is faster.
const ENOUGH: u32 = 9;

/// The middle one; `None` if there is none.
fn median(mut times: Vec<f64>) -> Option<f64> {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 2).copied()
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let trials = bench.games.unwrap_or(100).max(1);
    let mut findings = Findings::new(
        "dp",
        "Zagaynov and Zhao, Using Dynamic Programming To Create More Efficient Solvers for Games (2020)",
        format!("tictactoe, median of {trials} trials, the solvers in turn, one thread"),
    );
    let entry = bench.catalog.open("tictactoe")?;
    let mut times: [Vec<f64>; THEIRS.len()] = Default::default();
    bench.watch.stage("trials", u64::from(trials));
    for _ in 0..trials {
        bench.go_on()?;
        let rows = entry.classic(1, PATIENCE, &Deadline::new(None, bench.watch).silent())?.rows;
        times.iter_mut().zip(&rows).for_each(|(times, row)| times.extend(row.mean));
        bench.watch.advance(1);
        // What takes too long once does so every time.
        if rows.iter().any(|row| row.mean.is_none()) {
            break;
        }
    }
    let medians = times.map(median);
    let mut grid = Grid::new("time to solve tic-tac-toe", &["solver", "theirs", "ours", "times faster"]);
    for ((name, theirs), ours) in THEIRS.iter().zip(medians) {
        grid.row(vec![
            (*name).to_string(),
            duration(*theirs),
            ours.map_or("too long".into(), duration),
            ours.map_or(String::new(), |seconds| format!("{:.0}", theirs / seconds)),
        ]);
    }
    findings.tables.push(grid);
    let [_, Some(memoized), _, Some(remembered)] = medians else {
        findings.claim(false, "A solver took so long that nothing can be compared.");
        return Ok(findings);
    };
    let (ours, theirs) = (memoized / remembered, THEIRS[1].1 / THEIRS[3].1);
    findings.remark(format!(
        "Bottom-up with remembered hashes is {ours:.1} times as fast as memoizing (theirs: {theirs:.1} times)."
    ));
    if trials < ENOUGH {
        findings.remark(format!("So few trials decide nothing; it takes {ENOUGH} to tell which is faster."));
    } else {
        findings.claim(
            ours > 1.0,
            format!("It should be faster than memoizing, as it is in the report, and was not: {ours:.2} times as fast in the median."),
        );
    }
    Ok(findings)
}
