//! How often a player keeps the value of labelled positions.

use super::labels::Label;
use crate::ArenaError;
use crate::scrutiny::Kept;
use crate::seed::part;
use outplay_core::{Game, Watch};
use outplay_players::Kit;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many labelled positions there were, and in how many the player gave nothing away.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Accuracy {
    /// All positions.
    pub all: Kept,
    /// Those in which neither side could win with its next stone.
    pub quiet: Kept,
}

/// Positions that a thread takes at a time.
const BLOCK: usize = 64;

/// Asks a player for a move in every labelled position.
///
/// # Errors
///
/// A player that cannot be made or gives no answer, or a stop.
pub fn accuracy(
    kit: &Kit,
    player: &str,
    labels: &[Label],
    threads: usize,
    watch: &dyn Watch,
) -> Result<Accuracy, ArenaError> {
    let blocks: Vec<&[Label]> = labels.chunks(BLOCK).collect();
    let next = AtomicUsize::new(0);
    let work = || -> Result<Accuracy, ArenaError> {
        let mut player = kit.player(player)?;
        let mut found = Accuracy::default();
        let mut moves = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(block) = blocks.get(number) else { return Ok(found) };
            for (i, label) in block.iter().enumerate() {
                player.begin(part(5, (number * BLOCK + i) as u64));
                let choice = player.choose(&label.pos, watch)?;
                moves.clear();
                kit.game.moves(&label.pos, &mut moves);
                let place = moves.iter().position(|mv| *mv == choice.mv);
                let kept = place.is_some_and(|place| label.keeps(place));
                found.all.add(kept);
                if label.quiet {
                    found.quiet.add(kept);
                }
            }
        }
    };
    let parts: Vec<Result<Accuracy, ArenaError>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..threads.max(1)).map(|_| scope.spawn(work)).collect();
        let broken = || Err(ArenaError::Unable(format!("`{player}` panicked on a labelled position")));
        threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| broken())).collect()
    });
    let mut all = Accuracy::default();
    for part in parts {
        let part = part?;
        all.all.join(&part.all);
        all.quiet.join(&part.quiet);
    }
    Ok(all)
}
