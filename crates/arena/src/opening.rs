//! Opening generator: random lines of play, or lines from a file, from which the games of a match start, so that
//! deterministic players play different games.

use crate::ArenaError;
use crate::referee::roll;
use crate::seed::part;
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Turn};
use outplay_players::PlayerContext;
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashSet;

/// An opening: moves that are played before the players choose moves.
#[derive(Clone, Debug)]
pub struct Opening {
    /// The position after the moves.
    pub pos: AnyPosition,
    /// The moves from the start, dice rolls included.
    pub moves: Vec<AnyMove>,
}

/// Attempts to find an opening with a new position.
const ATTEMPTS: u64 = 40;

/// Maximal default length of openings in plies.
const MOST_PLIES: u32 = 8;

/// Returns the length in plies from which there are at least `2 * pairs` openings by the branching factor at the start;
/// 0 for games with dice.
pub fn plies_for(kit: &PlayerContext, start: &AnyPosition, pairs: u64) -> u32 {
    if kit.game.has_dice() {
        return 0;
    }
    let mut moves = Vec::new();
    kit.game.moves(start, &mut moves);
    let (mut plies, mut openings) = (0, 1u64);
    while openings < pairs.saturating_mul(2) && plies < MOST_PLIES && moves.len() > 1 {
        openings = openings.saturating_mul(moves.len() as u64);
        plies += 1;
    }
    plies
}

/// Generates `count` random openings of `plies` player moves. They differ as far as the game allows. Opening n does
/// not depend on `count`.
///
/// # Errors
///
/// A game that is always over before the opening ends, or an interrupt.
pub fn openings(
    kit: &PlayerContext,
    start: &AnyPosition,
    plies: u32,
    count: usize,
    seed: u64,
    monitor: &dyn Monitor,
) -> Result<Vec<Opening>, ArenaError> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::with_capacity(count);
    // Once a search for a new opening fails, later ones accept duplicates.
    let mut exhausted = plies == 0;
    for number in 0..count as u64 {
        if monitor.stopped() {
            return Err(ArenaError::Stopped);
        }
        let mut kept = None;
        for attempt in 0..ATTEMPTS {
            let Some(opening) = random(kit, start, plies, part(part(seed, number), attempt)) else {
                continue;
            };
            let fresh = exhausted || !seen.contains(&opening.pos);
            kept = Some(opening);
            if fresh {
                break;
            }
            exhausted |= attempt + 1 == ATTEMPTS;
        }
        let Some(opening) = kept else {
            let why = format!(
                "every sampled game of {} is over within {plies} random moves; choose shorter openings",
                kit.game.spec()
            );
            return Err(ArenaError::Unable(why));
        };
        if !exhausted {
            seen.insert(opening.pos.clone());
        }
        found.push(opening);
    }
    Ok(found)
}

/// Reads openings from lines of moves, and repeats them cyclically up to `count`.
///
/// # Errors
///
/// A line whose moves are not legal or end the game, or no line at all.
pub fn listed(
    kit: &PlayerContext,
    start: &AnyPosition,
    lines: &[String],
    count: usize,
) -> Result<Vec<Opening>, ArenaError> {
    let mut found = Vec::new();
    for (number, line) in lines.iter().enumerate() {
        let text = line.trim();
        if text.is_empty() || text.starts_with('#') {
            continue;
        }
        let bad = |why: String| ArenaError::Unable(format!("line {} of the openings: {why}", number + 1));
        let mut opening = Opening { pos: start.clone(), moves: Vec::new() };
        for word in kit.game.split_moves(text) {
            if kit.game.outcome(&opening.pos).is_some() {
                return Err(bad(format!(
                    "the game is over before `{word}`; remove this move and those after it"
                )));
            }
            let mv = kit.game.read_move(&opening.pos, &word).map_err(|error| bad(error.to_string()))?;
            opening.moves.push(mv);
            opening.pos = kit.game.play(&opening.pos, mv);
        }
        if kit.game.outcome(&opening.pos).is_some() {
            return Err(bad(
                "the game is over after the last move, so it is not an opening; remove that move".into(),
            ));
        }
        found.push(opening);
    }
    if found.is_empty() {
        return Err(ArenaError::Unable(
            "the list of openings is empty; write one line of moves per opening".into(),
        ));
    }
    Ok(found.into_iter().cycle().take(count).collect())
}

/// Generates one opening; `None` if the game ends within it.
fn random(kit: &PlayerContext, start: &AnyPosition, plies: u32, seed: u64) -> Option<Opening> {
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut opening = Opening { pos: start.clone(), moves: Vec::new() };
    let mut made = 0;
    let mut moves = Vec::new();
    while made < plies {
        if kit.game.outcome(&opening.pos).is_some() {
            return None;
        }
        let mv = if kit.game.turn(&opening.pos) == Turn::Chance {
            roll(kit, &opening.pos, &mut rng)?
        } else {
            moves.clear();
            kit.game.moves(&opening.pos, &mut moves);
            made += 1;
            moves[rng.random_range(0..moves.len())]
        };
        opening.moves.push(mv);
        opening.pos = kit.game.play(&opening.pos, mv);
    }
    kit.game.outcome(&opening.pos).is_none().then_some(opening)
}
