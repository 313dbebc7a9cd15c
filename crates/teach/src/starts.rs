//! Start positions for games without a start of their own, such as chess endings.

use outplay_core::{AnyPosition, Game, Turn};
use outplay_workbench::{GameHandle, numbered_position};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Numbers that are tried until one is a position to begin with.
const TRIES: usize = 1000;

/// The start of a game; where it has none, a random unfinished position with the first player to move, which is turned
/// or mirrored at random because an index numbers one of several symmetric positions. `None` if no such position was
/// found.
pub fn start(handle: &GameHandle, seed: u64) -> Option<AnyPosition> {
    let game = handle.game();
    let begins = |pos: &AnyPosition| game.outcome(pos).is_none() && game.turn(pos) == Turn::First;
    let mut rng = SmallRng::seed_from_u64(seed);
    game.start().or_else(|| {
        let pos = (0..TRIES).find_map(|_| numbered_position(handle, rng.random()).filter(begins))?;
        let mut images = vec![pos.clone()];
        game.symmetric(&pos, &mut images);
        Some(images.swap_remove(rng.random_range(0..images.len())))
    })
}
