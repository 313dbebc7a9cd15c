//! `bench classic`: the tic-tac-toe solvers of Zagaynov and Zhao (2020), timed against each other in one process.

use crate::tables::QUERY_POSITIONS;
use crate::{GameHandle, Numbering, Session, Trouble};
use outplay_core::{Value, Verdict};
use outplay_runtime::{Deadline, Monitor};
use outplay_solve::SolveError;
use serde::Serialize;
use std::time::{Duration, Instant};

/// Timings of one solver in `bench classic`.
#[derive(Clone, Debug, Serialize)]
pub struct ClassicRow {
    /// The solver.
    pub solver: &'static str,
    /// Completed trials; 0 if the first one took too long.
    pub trials: u32,
    /// Mean time of a trial in seconds.
    pub mean: Option<f64>,
    /// Fastest trial in seconds.
    pub min: Option<f64>,
    /// Speedup of its mean over that of memo.
    pub speedup_over_memo: Option<f64>,
    /// The 2020 report's time for tic-tac-toe, in seconds.
    pub report: Option<f64>,
}

/// The answer of `bench classic`: timings of all solvers.
#[derive(Clone, Debug, Serialize)]
pub struct ClassicReport {
    /// The canonical spec.
    pub game: String,
    /// The value that every solver found; none if none finished.
    pub value: Option<Verdict>,
    /// One row per solver.
    pub rows: Vec<ClassicRow>,
}

/// Times the classic solvers against each other on one thread, `trials` times each; a solver that takes longer than
/// `seconds` is abandoned.
///
/// # Errors
///
/// A game that some of them cannot solve, or a stop.
pub fn classic_speed(
    session: &Session,
    handle: &GameHandle,
    trials: u32,
    seconds: f64,
    watch: &dyn Monitor,
) -> Result<ClassicReport, Trouble> {
    let start = handle.start()?;
    let Numbering::Sweeps(sweeps) = session.numbering(handle, QUERY_POSITIONS, watch)? else {
        return Err(Trouble::unable(
            "the classic solvers support only games without cycles and dice; choose another game",
        ));
    };
    let kernels = handle.kernels();
    let none = || SolveError::Overflow;
    let solvers: Vec<Timed<'_>> = vec![
        ("plain", Some(4.978), Box::new(|watch| Ok(kernels.plain(&start, watch).ok_or_else(none)??.value))),
        (
            "memo",
            Some(0.074),
            Box::new(|watch| Ok(kernels.memo(&start, u64::MAX, watch).ok_or_else(none)??.found().value)),
        ),
        ("sweep", Some(0.218), Box::new(|watch| sweeps.classic_sweep(&start, watch))),
        ("sweep, remembered hashes", Some(0.067), Box::new(|watch| sweeps.remembered_sweep(&start, watch))),
    ];
    run(&handle.spec(), &solvers, trials, seconds, watch)
}

/// A solver by name, with the time in the report.
type Timed<'a> =
    (&'static str, Option<f64>, Box<dyn Fn(&dyn Monitor) -> Result<Value, SolveError> + Send + Sync + 'a>);

/// Times every solver on one thread.
fn run(
    spec: &str,
    solvers: &[Timed<'_>],
    trials: u32,
    seconds: f64,
    watch: &dyn Monitor,
) -> Result<ClassicReport, Trouble> {
    // The solvers compete on equal terms: one thread each.
    let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build();
    let pool = pool.map_err(|error| Trouble::unable(format!("no thread could be started: {error}")))?;
    let tic_tac_toe = spec == "tictactoe";
    let mut value: Option<Value> = None;
    let mut rows = Vec::new();
    for (solver, report, solve) in solvers {
        watch.stage(solver, u64::from(trials));
        // The whole series runs on the pool's thread, so that no trial pays for waking it. A warm-up trial with cold
        // caches is not counted.
        let series = || -> Result<Vec<(f64, Value)>, SolveError> {
            let mut times = Vec::new();
            for trial in 0..=trials {
                let limit = Deadline::new(Some(Duration::from_secs_f64(seconds)), watch).silent();
                let began = Instant::now();
                match solve(&limit) {
                    Ok(found) if trial > 0 => times.push((began.elapsed().as_secs_f64(), found)),
                    Ok(_) => continue,
                    Err(SolveError::Stopped) if !watch.stopped() => break,
                    Err(error) => return Err(error),
                }
                watch.advance(1);
            }
            Ok(times)
        };
        let results = pool.install(series)?;
        for (_, found) in &results {
            // A benchmark of wrong answers would be worthless.
            if value.replace(*found).is_some_and(|known| known.cmp(found).is_ne()) {
                let why = format!("{solver} found a different value than the solver before it");
                return Err(Trouble::unable(why));
            }
        }
        let times: Vec<f64> = results.iter().map(|(seconds, _)| *seconds).collect();
        let mean = (!times.is_empty()).then(|| times.iter().sum::<f64>() / times.len() as f64);
        let min = times.iter().copied().reduce(f64::min);
        let report = report.filter(|_| tic_tac_toe);
        rows.push(ClassicRow {
            solver,
            trials: times.len() as u32,
            mean,
            min,
            speedup_over_memo: None,
            report,
        });
    }
    let memo_mean = rows.iter().find(|row| row.solver == "memo").and_then(|row| row.mean);
    for row in &mut rows {
        row.speedup_over_memo = memo_mean.zip(row.mean).map(|(memo, mine)| memo / mine);
    }
    let value = value.map(Value::verdict);
    Ok(ClassicReport { game: spec.to_string(), value, rows })
}
