//! `bench positions` and `bench search`: times of the connect-k solver and of plain alpha-beta.

use crate::books::entries;
use crate::{GameHandle, PositionRef, PositionsReport, SearchReport, Session, Trouble, check_stop};
use outplay_connect::{Depth, Solver, SolverLimits};
use outplay_core::InputError;
use outplay_runtime::{Deadline, Monitor};
use outplay_search::PlayoutOptions;
use outplay_solve::SolveError;
use std::time::Instant;

/// Solves the positions of a file ("moves score" in each line), each with an empty transposition table.
///
/// # Errors
///
/// A game that the connect-k solver does not support, a malformed line, or a stop.
pub fn position_speed(
    session: &Session,
    handle: &GameHandle,
    lines: &str,
    limit: usize,
    watch: &dyn Monitor,
) -> Result<PositionsReport, Trouble> {
    // Every line is parsed before the first is solved.
    let mut positions = Vec::new();
    let lines = lines.lines().map(str::trim).enumerate().filter(|(_, line)| !line.is_empty()).take(limit);
    for (i, line) in lines {
        let at = |why: String| InputError::position(line, format!("in line {}: {why}", i + 1));
        let (moves, score) = line.rsplit_once(char::is_whitespace).unwrap_or((line, ""));
        let score: Result<i32, _> = score.parse();
        let score = score.map_err(|_| at("write a list of moves, a space and a score".into()))?;
        let pos =
            handle.locate(&PositionRef::Moves(moves.to_string())).map_err(|error| at(error.to_string()))?;
        let Some(board) = handle.game().board(&pos) else {
            return Err(Trouble::unable("scores are defined only for boards with gravity, such as connect4"));
        };
        outplay_connect::check(&board)?;
        positions.push((board, score));
    }
    watch.stage("solving positions", positions.len() as u64);
    let silent = Deadline::new(None, watch).silent();
    let mut solver = positions.first().map(|(board, _)| Solver::new(entries(board, session.hash)));
    let (mut n, mut wrong, mut nodes, mut seconds) = (0u64, 0u64, 0u64, 0.0);
    for (board, score) in &positions {
        let Some(solver) = &mut solver else { break };
        // Each position gets an empty table; clearing it is not timed.
        solver.prepare(board)?;
        solver.clear();
        let began = Instant::now();
        let answer = solver.solve(board, Depth::Score, SolverLimits::default(), &silent, session.threads)?;
        seconds += began.elapsed().as_secs_f64();
        if answer.stopped {
            return Err(SolveError::Stopped.into());
        }
        nodes += answer.nodes;
        n += 1;
        wrong += u64::from(answer.score() != Some(*score));
        watch.advance(1);
    }
    let mean = |sum: f64| if n == 0 { 0.0 } else { sum / n as f64 };
    Ok(PositionsReport {
        game: handle.spec(),
        n,
        wrong,
        mean_nodes: mean(nodes as f64),
        mean_ms: mean(seconds * 1e3),
        nodes_per_second: if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 },
    })
}

/// Times alpha-beta without enhancements and random playouts, on one thread.
///
/// # Errors
///
/// A game with chance or cycles, or a stop.
pub fn search_speed(handle: &GameHandle, depth: u32, watch: &dyn Monitor) -> Result<SearchReport, Trouble> {
    /// Number of runs, of which the median counts.
    const RUNS: usize = 5;
    const GAMES: u64 = 300_000;
    let start = handle.start()?;
    let refused = || Trouble::unable("this benchmark needs a game without cycles and dice, such as connect4");
    let median = |mut rates: Vec<f64>| {
        rates.sort_by(f64::total_cmp);
        rates[rates.len() / 2]
    };
    let mut nodes = 0;
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        let report = handle.kernels().bare(&start, depth, watch).ok_or_else(refused)??;
        nodes = report.counts.nodes;
        rates.push(nodes as f64 / began.elapsed().as_secs_f64());
    }
    let nodes_per_second = median(rates);
    let mut rates = Vec::new();
    for _ in 0..RUNS {
        let began = Instant::now();
        let options = PlayoutOptions::games(GAMES);
        let played = handle.kernels().playouts(&start, options, watch).ok_or_else(refused)??;
        rates.push(played.games() as f64 / began.elapsed().as_secs_f64());
    }
    check_stop(watch)?;
    let playouts_per_second = median(rates);
    Ok(SearchReport { game: handle.spec(), depth, nodes, nodes_per_second, playouts_per_second })
}
