//! Response times of a computer player's replies while the same client also has the Explore page open, which analyses
//! the same position in the background.

use super::client::{Client, events};
use super::{percentile, spawn};
use outplay_workbench::GameHandle;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// Time limit of the level per move.
const LEVEL: Duration = Duration::from_secs(1);
/// Event streams that Explore opens.
const STREAMS: [&str; 3] = ["position", "history", "opinions"];
/// Time that Explore is open before the computer's move is requested.
const HEAD_START: Duration = Duration::from_millis(500);
/// Longest opening in plies: short ones leave much to analyse.
const OPENING: usize = 8;

/// Response times of replies that share the machine with Explore.
#[derive(Clone, Debug, Serialize)]
pub struct BesideReport {
    /// The game.
    pub game: String,
    /// Time limit of the level, in milliseconds.
    pub level_ms: f64,
    /// Replies requested.
    pub replies: usize,
    /// Median response time, in milliseconds.
    pub median_ms: f64,
    /// Longest response time, in milliseconds.
    pub worst_ms: f64,
    /// Replies later than the time limit plus half a second.
    pub late: usize,
    /// Requests without an answer.
    pub errors: usize,
}

/// Requests replies in random openings one after the other, each with Explore open on the same position.
pub(super) async fn beside(
    addr: SocketAddr,
    game: &GameHandle,
    replies: usize,
    seed: u64,
    stopped: impl Fn() -> bool,
) -> BesideReport {
    let spec = game.spec();
    let mut client = Client::new(addr);
    let (mut times, mut errors) = (Vec::new(), 0);
    for (number, moves) in super::columns::random_positions(game, replies, seed).into_iter().enumerate() {
        if stopped() {
            break;
        }
        let moves: Vec<&str> = moves.split(',').take(OPENING).collect();
        let moves = moves.join(",");
        let mut explore = Vec::new();
        for stream in STREAMS {
            let path = format!("/api/v1/{stream}/stream?game={spec}&moves={moves}");
            explore.push(spawn(async move {
                let _ = events(addr, &path, |_| false).await;
            }));
        }
        sleep(HEAD_START).await;
        let player = format!("alphabeta:time={}ms", LEVEL.as_millis());
        let body = format!(r#"{{"game":"{spec}","moves":"{moves}","player":"{player}","seed":{number}}}"#);
        let began = Instant::now();
        let reply = client.post("/api/v1/move", &body).await;
        times.push(began.elapsed());
        // This closes their connections, as leaving a position does on the page.
        explore.iter().for_each(|stream| stream.abort());
        errors += usize::from(!reply.is_ok_and(|reply| reply.status == 200));
    }
    times.sort_unstable();
    BesideReport {
        game: spec,
        level_ms: LEVEL.as_secs_f64() * 1e3,
        replies: times.len(),
        median_ms: percentile(&times, 0.5),
        worst_ms: percentile(&times, 1.0),
        late: times.iter().filter(|time| **time > LEVEL + Duration::from_millis(500)).count(),
        errors,
    }
}
