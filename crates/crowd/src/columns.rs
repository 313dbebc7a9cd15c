//! How long the last column takes: exact scores of random positions through the stream of events.

use super::client::events;
use super::{cpu_time, percentile};
use outplay_answer::{Entry, Place};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Times until the last column of random positions.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnsReport {
    /// The game.
    pub game: String,
    /// Positions asked for, one after the other.
    pub positions: usize,
    /// Those whose last column arrived within two seconds, in per cent.
    pub within_2s_percent: f64,
    /// Half of them took at most so long, in milliseconds.
    pub median_ms: f64,
    /// 95 of 100 took at most so long.
    pub p95_ms: f64,
    /// 99 of 100 took at most so long.
    pub p99_ms: f64,
    /// The slowest.
    pub worst_ms: f64,
    /// Its moves.
    pub worst: String,
    /// Processor time of the server for 95 of 100 at most, which tells more on a machine that does other things too.
    pub cpu_p95_ms: f64,
    /// Processor time for the dearest.
    pub cpu_worst_ms: f64,
    /// Those that took at most four seconds of processor time, which two cores give in two, in per cent.
    pub cpu_within_4s_percent: f64,
    /// Positions with a move whose value was not found in the time that the server allows.
    pub unknown: usize,
    /// Requests without a whole answer.
    pub errors: usize,
}

/// Asks for random positions of a game, one at a time; `said` hears how many are done.
pub async fn columns(
    addr: SocketAddr,
    pid: u32,
    game: &Entry,
    positions: usize,
    seed: u64,
    mut said: impl FnMut(usize) -> bool,
) -> ColumnsReport {
    let mut rng = SmallRng::seed_from_u64(seed);
    let spec = game.spec();
    let (mut times, mut costs) = (Vec::new(), Vec::new());
    let (mut unknown, mut errors) = (0, 0);
    let mut worst = (Duration::ZERO, String::new());
    for number in 0..positions {
        if said(number) {
            break;
        }
        let moves = random_moves(game, &mut rng);
        let path = format!("/api/v1/position/stream?game={spec}&moves={}", moves.join(","));
        let before = cpu_time(pid);
        let began = Instant::now();
        let (mut last, mut done, mut open) = (Duration::ZERO, false, false);
        let result = events(addr, &path, |line| {
            if let Some(data) = line.strip_prefix("data: ") {
                if !done && data.starts_with(r#"{"move""#) {
                    last = began.elapsed();
                }
                // Only the whole answer lists moves that were not found.
                open |= done && data.contains(r#""value":"unknown""#);
                return done;
            }
            done |= line == "event: done" || line == "event: error";
            false
        })
        .await;
        errors += usize::from(result.is_err() || !done);
        unknown += usize::from(open);
        if last >= worst.0 {
            worst = (last, moves.join(""));
        }
        times.push(last);
        costs.push(cpu_time(pid).saturating_sub(before));
    }
    times.sort_unstable();
    costs.sort_unstable();
    let share = |within: usize| 100.0 * within as f64 / times.len().max(1) as f64;
    let cheap = costs.iter().filter(|time| time.as_secs_f64() <= 4.0).count();
    let soon = times.iter().filter(|time| time.as_secs_f64() <= 2.0).count();
    ColumnsReport {
        game: spec,
        positions: times.len(),
        within_2s_percent: share(soon),
        median_ms: percentile(&times, 0.5),
        p95_ms: percentile(&times, 0.95),
        p99_ms: percentile(&times, 0.99),
        worst_ms: percentile(&times, 1.0),
        worst: worst.1,
        cpu_p95_ms: percentile(&costs, 0.95),
        cpu_worst_ms: percentile(&costs, 1.0),
        cpu_within_4s_percent: share(cheap),
        unknown,
        errors,
    }
}

/// Random unfinished positions of a game, as moves.
pub fn random_positions(game: &Entry, count: usize, seed: u64) -> Vec<String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..count).map(|_| random_moves(game, &mut rng).join(",")).collect()
}

/// The moves to a position that was chosen at random among the unfinished ones of a random game.
fn random_moves(game: &Entry, rng: &mut SmallRng) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    loop {
        let place = if moves.is_empty() { Place::Start } else { Place::Moves(moves.join(" ")) };
        let Ok(view) = game.view(&place) else { break };
        if view.outcome.is_some() || view.scene.moves.is_empty() {
            break;
        }
        let choice = rng.random_range(0..view.scene.moves.len());
        moves.push(view.scene.moves[choice].mv.clone());
    }
    // The last position is finished.
    moves.truncate(rng.random_range(0..moves.len().max(1)));
    moves
}
