//! How fast the players that look ahead are: the figures behind `bench engine`.

use crate::Trouble;
use crate::answers::EngineReport;
use crate::clock::Clock;
use crate::entry::Entry;
use crate::request::QueryOptions;
use outplay_core::{AnyPosition, Game, Turn, Watch};
use outplay_players::Kit;
use outplay_solve::SolveError;
use std::time::Duration;

/// Plies after which the search is timed: nobody has won yet, and stones lie beside each other.
const PLIES: [usize; 5] = [4, 6, 8, 10, 12];

impl Entry {
    /// Times the level that thinks by the clock, with its evaluation, at positions of a game that it plays against itself
    /// two plies ahead.
    ///
    /// # Errors
    ///
    /// A game without a start or too short for it, or a stop.
    pub fn engine_speed(
        &self,
        time: Duration,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<EngineReport, Trouble> {
        let mut kit = self.kit(options);
        kit.threads = options.threads;
        let positions = opening(&kit, self.start()?, watch)?;
        let mut player = kit.player(&kit.looking(&format!("time={}ms", time.as_millis().max(1))))?;
        let (mut seconds, mut cpu_seconds, mut nodes, mut depth) = (0.0, 0.0, 0, 0);
        for pos in &positions {
            player.begin(0);
            let clock = Clock::start();
            let choice = player.choose(pos, watch)?;
            seconds += clock.seconds();
            cpu_seconds += clock.cpu_seconds();
            nodes += choice.nodes;
            depth += choice.depth;
        }
        if positions.is_empty() {
            return Err(Trouble::unable("this game is over before there is much to think about"));
        }
        Ok(EngineReport {
            game: self.spec(),
            player: player.spec(),
            positions: positions.len(),
            threads: kit.threads,
            depth: f64::from(depth) / positions.len() as f64,
            nodes,
            seconds,
            cpu_seconds,
            nodes_per_second: nodes as f64 / seconds.max(1e-9),
            nodes_per_cpu_second: nodes as f64 / cpu_seconds.max(1e-9),
        })
    }
}

/// The positions that are timed.
fn opening(kit: &Kit, start: AnyPosition, watch: &dyn Watch) -> Result<Vec<AnyPosition>, Trouble> {
    let mut player = kit.player(&kit.looking("depth=2"))?;
    player.begin(0);
    let (mut pos, mut positions, mut plies) = (start, Vec::new(), 0);
    while kit.game.outcome(&pos).is_none() && plies <= PLIES[PLIES.len() - 1] {
        if watch.stopped() {
            return Err(SolveError::Stopped.into());
        }
        if kit.game.turn(&pos) == Turn::Chance {
            let Some(roll) = kit.game.list(&pos).next() else { break };
            pos = kit.game.play(&pos, roll);
            continue;
        }
        if PLIES.contains(&plies) {
            positions.push(pos.clone());
        }
        let choice = player.choose(&pos, watch)?;
        pos = kit.game.play(&pos, choice.mv);
        plies += 1;
    }
    Ok(positions)
}
