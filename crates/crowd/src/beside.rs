//! Whoever waits comes first: replies of a computer while the same visitor's Explore studies position after position.

use super::client::{Client, events};
use super::percentile;
use crate::spawn;
use outplay_answer::Entry;
use serde::Serialize;
use std::net::SocketAddr;
use std::time::{Duration, Instant};
use tokio::time::sleep;

/// How long a level may think about a move.
const LEVEL: Duration = Duration::from_secs(1);
/// What Explore listens to.
const STREAMS: [&str; 3] = ["position", "history", "opinions"];
/// How long Explore has been open when the computer is asked.
const HEAD_START: Duration = Duration::from_millis(500);
/// Moves of an opening at most, so that there is much to study.
const OPENING: usize = 8;

/// Replies that had to share the machine with Explore.
#[derive(Clone, Debug, Serialize)]
pub struct BesideReport {
    /// The game.
    pub game: String,
    /// How long the level may think, in milliseconds.
    pub level_ms: f64,
    /// Replies asked for.
    pub replies: usize,
    /// How long half of them took at most, in milliseconds.
    pub median_ms: f64,
    /// How long the slowest took.
    pub worst_ms: f64,
    /// Those that took half a second more than the level may.
    pub late: usize,
    /// Those without an answer.
    pub errors: usize,
}

/// Asks for replies in random openings, one after the other, each with Explore open on the same position.
pub async fn beside(
    addr: SocketAddr,
    game: &Entry,
    replies: usize,
    seed: u64,
    mut said: impl FnMut() -> bool,
) -> BesideReport {
    let spec = game.spec();
    let mut client = Client::new(addr);
    let (mut times, mut errors) = (Vec::new(), 0);
    for (number, moves) in super::random_positions(game, replies, seed).into_iter().enumerate() {
        if said() {
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
        // Which closes their connections, as leaving a position does on the page.
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
