//! Openings: a few random moves from the start, so that not every game is the same one.

use crate::ArenaError;
use crate::referee::roll;
use crate::seed::part;
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Turn};
use outplay_players::Kit;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashSet;

/// Where a game begins: moves that are made for the players.
#[derive(Clone, Debug)]
pub struct Opening {
    /// Where the moves lead.
    pub pos: AnyPosition,
    /// The moves from the start, falls of dice included.
    pub moves: Vec<AnyMove>,
}

/// Attempts to find an opening that no earlier one equals.
const ATTEMPTS: u64 = 40;

/// Plies that nobody asks for more than.
const MOST_PLIES: u32 = 8;

/// How many plies openings need so that there are enough of them for `pairs` pairs of games: games with dice
/// need none.
pub fn plies_for(kit: &Kit, start: &AnyPosition, pairs: u64) -> u32 {
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

/// `count` openings of so many moves by players. They differ as far as the game allows, and the first of
/// them do not depend on how many follow.
///
/// # Errors
///
/// A game that is always over after so many moves.
pub fn openings(
    kit: &Kit,
    start: &AnyPosition,
    plies: u32,
    count: usize,
    seed: u64,
) -> Result<Vec<Opening>, ArenaError> {
    let mut seen = FxHashSet::default();
    let mut found = Vec::with_capacity(count);
    // Once new ones become rare, looking for them is a waste.
    let mut exhausted = plies == 0;
    for number in 0..count as u64 {
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
                "games of {} are over after {plies} random moves; ask for shorter openings",
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

/// `count` openings that somebody listed, a line of moves each, from the first again when they are used up.
///
/// # Errors
///
/// A line whose moves are not legal or end the game, or no line at all.
pub fn listed(
    kit: &Kit,
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
                return Err(bad(format!("the game is over before `{word}`; leave the rest out")));
            }
            let mv = kit.game.read_move(&opening.pos, &word).map_err(|error| bad(error.to_string()))?;
            opening.moves.push(mv);
            opening.pos = kit.game.play(&opening.pos, mv);
        }
        if kit.game.outcome(&opening.pos).is_some() {
            return Err(bad("the game is over after it; leave the last move out".into()));
        }
        found.push(opening);
    }
    if found.is_empty() {
        return Err(ArenaError::Unable(
            "the list of openings is empty; write a line of moves for each".into(),
        ));
    }
    Ok(found.into_iter().cycle().take(count).collect())
}

/// One opening; `None` if the game ends within it.
fn random(kit: &Kit, start: &AnyPosition, plies: u32, seed: u64) -> Option<Opening> {
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
