//! Latency of a full analysis: the time from a request for the values of all moves of a random position until the exact
//! value of its last column has arrived in the event stream.

use super::client::events;
use super::{cpu_time, percentile};
use outplay_workbench::{GameHandle, PositionRef};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};

/// Latencies of the last column of random positions.
#[derive(Clone, Debug, Serialize)]
pub struct ColumnsReport {
    /// The game.
    pub game: String,
    /// Positions requested, one after the other.
    pub positions: usize,
    /// Share of positions whose last column arrived within two seconds, in per cent.
    pub within_2s_percent: f64,
    /// Median latency, in milliseconds.
    pub median_ms: f64,
    /// 95th percentile of the latency, in milliseconds.
    pub p95_ms: f64,
    /// 99th percentile of the latency, in milliseconds.
    pub p99_ms: f64,
    /// Longest latency, in milliseconds.
    pub worst_ms: f64,
    /// Moves of the slowest position.
    pub worst: String,
    /// 95th percentile of the server's processor time, in milliseconds: less sensitive to other load on the machine.
    pub cpu_p95_ms: f64,
    /// Highest processor time, in milliseconds.
    pub cpu_worst_ms: f64,
    /// Share of positions within four seconds of processor time (two cores for two seconds), in per cent.
    pub cpu_within_4s_percent: f64,
    /// Positions with a move whose value was not found within the server's time limit.
    pub unknown: usize,
    /// Requests without a complete answer.
    pub errors: usize,
}

/// Requests random positions of a game, one at a time, until `stopped`.
pub(super) async fn columns(
    addr: SocketAddr,
    pid: u32,
    game: &GameHandle,
    positions: usize,
    seed: u64,
    stopped: impl Fn() -> bool,
) -> ColumnsReport {
    let mut rng = SmallRng::seed_from_u64(seed);
    let spec = game.spec();
    let (mut times, mut costs) = (Vec::new(), Vec::new());
    let (mut unknown, mut errors) = (0, 0);
    let mut worst = (Duration::ZERO, String::new());
    for _ in 0..positions {
        if stopped() {
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
                // Only the final answer lists moves of unknown value.
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

/// Returns random unfinished positions of a game, as moves.
pub(super) fn random_positions(game: &GameHandle, count: usize, seed: u64) -> Vec<String> {
    let mut rng = SmallRng::seed_from_u64(seed);
    (0..count).map(|_| random_moves(game, &mut rng).join(",")).collect()
}

/// Returns the moves to a random unfinished position of a random game.
fn random_moves(game: &GameHandle, rng: &mut SmallRng) -> Vec<String> {
    let mut moves: Vec<String> = Vec::new();
    loop {
        let place = if moves.is_empty() { PositionRef::Start } else { PositionRef::Moves(moves.join(" ")) };
        let Ok(view) = outplay_workbench::view(game, &place) else { break };
        if view.outcome.is_some() || view.scene.moves.is_empty() {
            break;
        }
        let choice = rng.random_range(0..view.scene.moves.len());
        moves.push(view.scene.moves[choice].mv.clone());
    }
    // The last position is finished, so at least one move is dropped.
    moves.truncate(rng.random_range(0..moves.len().max(1)));
    moves
}
