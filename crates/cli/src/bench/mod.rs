//! `outplay bench`: measures the speed of solvers, table lookups and searches.

mod signature;
mod text;

use crate::args::{parse_seconds, parse_values};
use crate::commands::{Failure, Run};
use crate::usage;
use clap::Subcommand;
use outplay_workbench::{Clock, GameHandle, Method, SolveRequest, Trouble, Values};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[derive(Subcommand)]
pub(crate) enum Bench {
    /// Compare the textbook solvers with each other and with the figures of a 2020 report
    Classic {
        /// Game spec
        #[arg(default_value = "tictactoe")]
        game: String,
        /// Number of runs of each solver
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1_000_000))]
        trials: u32,
        /// Skip a solver whose first run takes longer
        #[arg(long, default_value_t = 10.0, value_name = "SECONDS", value_parser = parse_seconds)]
        patience: f64,
    },
    /// Compare sweep and dense on one board: speed, memory and table size
    Strong {
        /// Game spec
        #[arg(default_value = "connect4:5x5")]
        game: String,
        /// Number of runs of the dense solver; the median is reported
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u32).range(1..=1000))]
        trials: u32,
        /// Skip the sweep
        #[arg(long)]
        no_sweep: bool,
    },
    /// Time the connect-k solver on a file of positions, with an empty transposition table for each
    Positions {
        /// Game spec
        game: String,
        /// File with lines of the form "moves score"
        file: PathBuf,
        /// Maximum number of positions
        #[arg(long, default_value_t = usize::MAX, hide_default_value = true)]
        limit: usize,
        /// Entries of the transposition table
        #[arg(long, default_value_t = 1 << 24)]
        entries: u64,
    },
    /// Time the generic engine: nodes/s of alpha-beta without a table, and random games/s
    Search {
        /// Game spec
        #[arg(default_value = "connect4")]
        game: String,
        /// Search depth in plies
        #[arg(long, default_value_t = 11, value_parser = clap::value_parser!(u32).range(1..=64))]
        depth: u32,
    },
    /// Time the strongest timed player: nodes/s and depth
    Engine {
        /// Game spec
        #[arg(default_value = "mnk:15x15,k=5")]
        game: String,
        /// Time for each of five positions
        #[arg(long, default_value_t = 1.0, value_name = "SECONDS", value_parser = parse_seconds)]
        time: f64,
    },
    /// Compare the node counts of expectiminimax, Star1 and Star2
    Chance {
        /// Game with dice (default: EinStein on 3x3, 4x4 and 5x5 and hypergammon, each with its own depth)
        game: Option<String>,
        /// Search depth in plies, rolls included
        #[arg(long, requires = "game", value_parser = clap::value_parser!(u32).range(1..=64))]
        depth: Option<u32>,
        /// Number of positions; position n is reached after 2n random plies
        #[arg(long, default_value_t = 6, value_parser = clap::value_parser!(u32).range(1..=1000))]
        positions: u32,
    },
    /// Print the bench signature: the node count of fixed searches
    Signature,
    /// Time random probes of a table, with a cold and a warm cache
    Probe {
        /// Game spec
        #[arg(default_value = "connect4:5x5")]
        game: String,
        /// Table to use if there are two: wdl or distance
        #[arg(long, value_parser = parse_values)]
        values: Option<Values>,
    },
}

pub(crate) fn bench(run: &mut Run<'_, impl Write>, bench: &Bench) -> Result<u8, Failure> {
    match bench {
        Bench::Classic { game, trials, patience } => classic(run, game, *trials, *patience),
        Bench::Strong { game, trials, no_sweep } => {
            strong(run, game, *trials, !no_sweep, !run.common.no_save)
        }
        Bench::Signature => signature::signature(run),
        Bench::Probe { game, values } => probe(run, game, *values),
        Bench::Positions { game, file, limit, entries } => positions(run, game, file, *limit, *entries),
        Bench::Search { game, depth } => search_speed(run, game, *depth),
        Bench::Engine { game, time } => engine_speed(run, game, *time),
        Bench::Chance { game, depth, positions } => chance(run, game.as_deref(), *depth, *positions),
    }
}

fn classic(run: &mut Run<'_, impl Write>, game: &str, trials: u32, patience: f64) -> Result<u8, Failure> {
    let report = outplay_workbench::classic_speed(
        &run.session(None),
        &run.open(game)?,
        trials,
        patience,
        run.progress,
    )?;
    run.print(&report, text::classic)
}

fn strong(
    run: &mut Run<'_, impl Write>,
    game: &str,
    trials: u32,
    sweep: bool,
    save: bool,
) -> Result<u8, Failure> {
    let entry = run.open(game)?;
    let mut rows = Vec::new();
    for values in [Values::Wdl, Values::Distance] {
        for method in [Method::Sweep, Method::Dense] {
            let dense = method == Method::Dense;
            if !dense && (!sweep || values == Values::Wdl) {
                continue; // a sweep finds distances anyway
            }
            let mut request = SolveRequest::default();
            (request.method, request.values, request.counts) = (method, values, !dense);
            rows.push(strong_row(run, &entry, &request, if dense { trials } else { 1 }, save)?);
        }
    }
    let answer =
        serde_json::json!({ "game": entry.spec(), "threads": rayon::current_num_threads(), "rows": rows });
    run.print(&answer, |out, _| text::strong(out, &entry.spec(), &rows))
}

/// Times one method: solving alone, then once more with counts and the table.
fn strong_row(
    run: &mut Run<'_, impl Write>,
    entry: &GameHandle,
    request: &SolveRequest,
    trials: u32,
    save: bool,
) -> Result<text::StrongRow, Failure> {
    let (mut walls, mut cpus) = (Vec::new(), Vec::new());
    let mut colourings = None;
    let session = run.session(None);
    usage::reset_peak();
    for _ in 0..trials {
        let clock = Clock::start();
        let answer = outplay_workbench::solve(&session, entry, request, run.progress)?;
        walls.push(clock.seconds());
        cpus.push(clock.cpu_seconds());
        colourings = answer.colourings;
    }
    let peak_bytes = usage::peak_bytes();
    let mut full = request.clone();
    full.counts = true;
    let clock = Clock::start();
    let (answer, table_bytes) = if save {
        let scratch = run.data().join("bench");
        let session = session.with(|session| session.data = Some(scratch.clone()));
        full.store = true;
        let answer = outplay_workbench::solve(&session, entry, &full, run.progress)?;
        let table = answer.table.clone();
        if let Some(table) = &table {
            outplay_workbench::remove(&scratch, &table.name).map_err(Trouble::from)?;
        }
        (answer, table.map(|table| table.bytes))
    } else {
        (outplay_workbench::solve(&session, entry, &full, run.progress)?, None)
    };
    let full_seconds = clock.seconds();
    walls.sort_by(f64::total_cmp);
    cpus.sort_by(f64::total_cmp);
    let legal = answer.positions.map_or(0, |counts| counts.legal);
    Ok(text::StrongRow {
        method: request.method.word(),
        values: request.values.to_string(),
        value: answer.answer.verdict(),
        seconds: walls[walls.len() / 2],
        cpu_seconds: cpus[cpus.len() / 2],
        colourings_per_second: colourings.map(|count| count / walls[walls.len() / 2]),
        legal,
        cpu_ns_per_position: cpus[cpus.len() / 2] * 1e9 / legal.max(1) as f64,
        peak_bytes,
        table_bytes,
        table_bytes_per_position: table_bytes.map(|bytes| bytes as f64 / legal.max(1) as f64),
        seconds_with_counts_and_table: full_seconds,
    })
}

fn probe(run: &mut Run<'_, impl Write>, game: &str, values: Option<Values>) -> Result<u8, Failure> {
    /// Time limit for choosing positions, in seconds.
    const PATIENCE: f64 = 30.0;
    let report =
        outplay_workbench::probe_speed(&run.session(None), &run.open(game)?, values, PATIENCE, run.progress)?;
    run.print(&report, text::probe)
}

fn positions(
    run: &mut Run<'_, impl Write>,
    game: &str,
    file: &Path,
    limit: usize,
    entries: u64,
) -> Result<u8, Failure> {
    /// Bytes of a transposition-table entry.
    const ENTRY: u64 = 8;
    let lines = run.read_file(file)?;
    let entry = run.open(game)?;
    let hash = entries.saturating_mul(ENTRY);
    let mut session = run.session(None);
    (session.hash, session.threads) = (hash, run.common.threads().unwrap_or(1));
    let report = outplay_workbench::position_speed(&session, &entry, &lines, limit, run.progress)?;
    run.print(&report, text::positions)?;
    Ok(u8::from(report.wrong > 0))
}

fn chance(
    run: &mut Run<'_, impl Write>,
    game: Option<&str>,
    depth: Option<u32>,
    positions: u32,
) -> Result<u8, Failure> {
    /// Games and depths at which plain expectiminimax takes about a second.
    const SET: [(&str, u32); 4] =
        [("einstein:3x3", 14), ("einstein:4x4", 10), ("einstein:5x5", 6), ("hypergammon", 4)];
    let set: Vec<(&str, u32)> = match game {
        Some(game) => vec![(game, depth.unwrap_or(6))],
        None => SET.to_vec(),
    };
    let mut reports = Vec::new();
    for (game, depth) in set {
        reports.push(outplay_workbench::chance_speed(&run.open(game)?, depth, positions, run.progress)?);
    }
    let sum = |row: usize| reports.iter().map(|report| report.rows[row].leaves).sum::<u64>();
    let star2_leaves = sum(2) as f64 / sum(0).max(1) as f64;
    let json = serde_json::json!({ "games": reports, "star2_leaves": star2_leaves });
    run.print(&json, |out, _| text::chance(out, &reports, star2_leaves))
}

fn engine_speed(run: &mut Run<'_, impl Write>, game: &str, time: f64) -> Result<u8, Failure> {
    let mut session = run.session(None);
    session.threads = run.common.threads.map_or(1, usize::from);
    let report = outplay_workbench::engine_speed(
        &session,
        &run.open(game)?,
        Duration::from_secs_f64(time),
        run.progress,
    )?;
    run.print(&report, text::engine)
}

fn search_speed(run: &mut Run<'_, impl Write>, game: &str, depth: u32) -> Result<u8, Failure> {
    let report = outplay_workbench::search_speed(&run.open(game)?, depth, run.progress)?;
    run.print(&report, text::search_speed)
}
