//! `dp`: dynamic-programming solvers of the 2020 report (Zagaynov and Zhao), timed on tic-tac-toe and on Connect-4.
//!
//! Trials of the solvers are interleaved, so that load on the machine affects all of them alike. Means have
//! confidence intervals; the faster of two solvers is decided by medians, which are robust against outliers.

use crate::plot::{Lines, Series};
use crate::sample::{Sample, seconds};
use crate::{Bench, Findings, Grid};
use outplay_core::Value;
use outplay_core::figures::{duration, grouped};
use outplay_runtime::Deadline;
use outplay_workbench::{Method, SolveRequest, Trouble};
use std::time::Instant;

/// The report's timings, in the order of our solvers.
const THEIRS: [(&str, f64); 4] =
    [("top-down", 4.978), ("memoized", 0.074), ("bottom-up", 0.218), ("bottom-up, hashes remembered", 0.067)];

/// Time limit of a trial, in seconds.
const PATIENCE: f64 = 60.0;

/// Minimum number of trials to decide which of two solvers is faster.
const ENOUGH: u32 = 9;

/// Trials on Connect-4, where memoisation takes seconds.
const CONNECT_TRIALS: u32 = 5;

/// Boards of Connect-4; the second is skipped if too few trials are requested for a decision.
const BOARDS: [&str; 2] = ["connect4:4x4", "connect4:5x4"];

/// Solvers of Connect-4: memoised minimax, backward induction over the index, and over bit-planes.
const METHODS: [(Method, &str); 3] =
    [(Method::Memo, "memoized"), (Method::Sweep, "bottom-up"), (Method::Dense, "bottom-up, bit-planes")];

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let trials = bench.runs.or(bench.games).unwrap_or(100).max(1);
    let connect_trials = trials.min(CONNECT_TRIALS);
    let mut findings = Findings::new(format!(
        "tictactoe {trials} times and Connect-4 {connect_trials} times, the solvers in turn, one thread; means with 95 % bounds"
    ));
    let entry = bench.catalog.open("tictactoe")?;
    let mut times: [Sample; THEIRS.len()] = Default::default();
    bench.watch.stage("trials", u64::from(trials));
    for _ in 0..trials {
        bench.check_cancelled()?;
        let rows = outplay_workbench::classic_speed(
            bench.session,
            &entry,
            1,
            PATIENCE,
            &Deadline::new(None, bench.watch).silent(),
        )?
        .rows;
        for (times, row) in times.iter_mut().zip(&rows) {
            row.mean.into_iter().for_each(|time| times.add(time));
        }
        bench.watch.advance(1);
        // A solver that timed out once is not run again.
        if rows.iter().any(|row| row.mean.is_none()) {
            break;
        }
    }
    let mut grid =
        Grid::new("time to solve tic-tac-toe", &["solver", "theirs", "ours", "median", "times faster"]);
    for ((name, theirs), ours) in THEIRS.iter().zip(&times) {
        grid.row(vec![
            (*name).to_string(),
            duration(*theirs),
            ours.text(seconds),
            ours.median().map_or("too long".into(), duration),
            ours.median().map_or(String::new(), |seconds| format!("{:.0}", theirs / seconds)),
        ]);
    }
    findings.tables.push(grid);
    let [_, Some(memoized), _, Some(remembered)] = times.each_ref().map(Sample::median) else {
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
    connect4(bench, connect_trials, trials >= ENOUGH, &mut findings)?;
    Ok(findings)
}

/// The report's open question: does dynamic programming pay on Connect-4?
fn connect4(bench: &Bench<'_>, trials: u32, large: bool, findings: &mut Findings) -> Result<(), Trouble> {
    let mut grid = Grid::new(
        "time to solve Connect-4, every position",
        &["board", "solver", "positions", "value", "ours", "times as fast as memoizing"],
    );
    let mut series: Vec<Series> = METHODS.iter().map(|(_, name)| Series::new(*name)).collect();
    for board in &BOARDS[..if large { 2 } else { 1 }] {
        bench.watch.stage(board, u64::from(trials));
        let mut times: [Sample; METHODS.len()] = Default::default();
        let mut found: [Option<(u64, Option<Value>)>; METHODS.len()] = [None; METHODS.len()];
        for _ in 0..trials {
            for (number, (method, _)) in METHODS.into_iter().enumerate() {
                bench.check_cancelled()?;
                // A new handle for each trial, so that no cache survives.
                let entry = bench.catalog.open(board)?;
                let mut request = SolveRequest::default();
                request.method = method;
                let session = bench.session.off_disk().impartial().on_threads(1);
                let session = session.with(|session| session.time = None);
                let quiet = Deadline::new(None, bench.watch).silent();
                let began = Instant::now();
                let report = outplay_workbench::solve(&session, &entry, &request, &quiet)?;
                times[number].add(began.elapsed().as_secs_f64());
                let positions = report.positions.map_or(report.nodes, |counts| counts.legal);
                found[number] = Some((positions, report.answer.value()));
            }
            bench.watch.advance(1);
        }
        let payoff = |number: usize| found[number].and_then(|(_, value)| value).map(|value| value.payoff());
        findings.claim(
            (1..METHODS.len()).all(|number| payoff(number) == payoff(0) && payoff(0).is_some()),
            format!("The solvers do not agree on {board}: this is an error of the program."),
        );
        let memoized = times[0].median().unwrap_or(0.0);
        for (number, (_, name)) in METHODS.iter().enumerate() {
            let (positions, value) = found[number].unwrap_or((0, None));
            let median = times[number].median().unwrap_or(0.0);
            grid.row(vec![
                (*board).into(),
                (*name).into(),
                grouped(positions),
                value.map_or("-".into(), |value| value.verdict().word().to_string()),
                times[number].text(seconds),
                format!("{:.1}", memoized / median.max(1e-9)),
            ]);
            series[number].points.extend(times[number].point(positions as f64));
        }
        let fastest = memoized / times[1].median().unwrap_or(f64::MAX);
        findings.remark(format!(
            "{board}: bottom-up over the index is {fastest:.1} times as fast as memoizing, over bit-planes {:.0} times: dynamic programming pays.",
            memoized / times[2].median().unwrap_or(f64::MAX)
        ));
        if trials >= CONNECT_TRIALS {
            findings.claim(
                fastest > 1.0,
                format!("On {board} bottom-up should be faster than memoizing, and was not."),
            );
        }
    }
    findings.tables.push(grid);
    let axes = ["positions entered (4x4, then 5x4)", "time to solve all of them, s"];
    findings.plot(Lines::new("Does dynamic programming pay on Connect-4?", axes, series).log_log());
    Ok(())
}
