//! `bench engine`: depth and nodes per second of the searching players under a time limit.

use crate::{Clock, EngineReport, GameHandle, PlainCount, Session, Trouble, check_stop, kit};
use outplay_core::{AnyPosition, Game, Turn};
use outplay_players::PlayerContext;
use outplay_runtime::Monitor;
use std::time::Duration;

/// Plies after which the search is timed: the game is not won yet, and stones are adjacent.
const PLIES: [usize; 5] = [4, 6, 8, 10, 12];

/// Times the searching player under a time limit, at positions of a game that it plays against itself at depth two.
///
/// # Errors
///
/// A game without a start or one that ends too early, or a stop.
pub fn engine_speed(
    session: &Session,
    handle: &GameHandle,
    time: Duration,
    watch: &dyn Monitor,
) -> Result<EngineReport, Trouble> {
    let mut kit = kit(session, handle);
    kit.threads = session.threads;
    let positions = opening(&kit, handle.start()?, watch)?;
    let mut player = kit.player(&kit.looking(&format!("time={}ms", time.as_millis().max(1))))?;
    let (mut seconds, mut cpu_seconds, mut nodes, mut depth) = (0.0, 0.0, 0, 0);
    for pos in &positions {
        player.begin(0);
        let clock = Clock::start();
        let choice = player.choose(pos, watch)?.finished()?;
        seconds += clock.seconds();
        cpu_seconds += clock.cpu_seconds();
        nodes += choice.nodes;
        depth += choice.depth;
    }
    if positions.is_empty() {
        return Err(Trouble::unable("this game ends too early to time a search"));
    }
    Ok(EngineReport {
        game: handle.spec(),
        player: player.spec(),
        positions: PlainCount(positions.len() as u64),
        threads: kit.threads,
        depth: f64::from(depth) / positions.len() as f64,
        nodes,
        seconds,
        cpu_seconds,
        nodes_per_second: nodes as f64 / seconds.max(1e-9),
        nodes_per_cpu_second: nodes as f64 / cpu_seconds.max(1e-9),
    })
}

/// The positions at which the search is timed.
fn opening(
    kit: &PlayerContext,
    start: AnyPosition,
    watch: &dyn Monitor,
) -> Result<Vec<AnyPosition>, Trouble> {
    let mut player = kit.player(&kit.looking("depth=2"))?;
    player.begin(0);
    let (mut pos, mut positions, mut plies) = (start, Vec::new(), 0);
    while kit.game.outcome(&pos).is_none() && plies <= PLIES[PLIES.len() - 1] {
        check_stop(watch)?;
        if kit.game.turn(&pos) == Turn::Chance {
            let Some(roll) = kit.game.list(&pos).next() else { break };
            pos = kit.game.play(&pos, roll);
            continue;
        }
        if PLIES.contains(&plies) {
            positions.push(pos.clone());
        }
        let choice = player.choose(&pos, watch)?.finished()?;
        pos = kit.game.play(&pos, choice.mv);
        plies += 1;
    }
    Ok(positions)
}
