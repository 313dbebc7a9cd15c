//! Accuracy of a player on labelled positions: the share of positions in which its move preserves the exact value.

use super::labels::Label;
use crate::ArenaError;
use crate::scrutiny::PreservedMoves;
use crate::seed::part;
use outplay_core::Game;
use outplay_players::PlayerContext;
use outplay_runtime::Monitor;
use serde::{Deserialize, Serialize};
use std::sync::atomic::{AtomicUsize, Ordering};

/// Counts of labelled positions, and of those in which the player's move preserved the value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
pub struct Accuracy {
    /// All positions.
    pub all: PreservedMoves,
    /// Quiet positions: neither side could win with its next stone.
    pub quiet: PreservedMoves,
}

/// Positions that a thread takes at a time.
const BLOCK: usize = 64;

/// Asks a player for a move in every labelled position.
///
/// # Errors
///
/// A player that cannot be constructed or returns no move, or a stop.
pub fn accuracy(
    kit: &PlayerContext,
    player: &str,
    labels: &[Label],
    threads: usize,
    monitor: &dyn Monitor,
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
                let choice = player.choose(&label.pos, monitor)?.finished()?;
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
