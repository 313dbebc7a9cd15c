//! Check of the properties that solvers need (`outplay games --check GAME`): two players, zero sum, finite,
//! deterministic, perfect information, acyclic.

use crate::{GameHandle, PlainCount, Trouble};
use outplay_core::{AnyPosition, Game, Notation, Tier, Turn};
use outplay_runtime::{Deadline, Monitor};
use outplay_solve::{ExploredGame, SolveError};
use serde::Serialize;
use std::time::Duration;

/// Length limit in plies of the random games that show which players move in a game too large to explore.
const LONGEST: usize = 200;

/// The answer of `games --check`: the properties of a game. `None` means that exploration did not decide a property.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The canonical spec.
    pub game: String,
    /// Each player has a move in some position, and there are no others.
    pub two_players: Option<bool>,
    /// One payoff serves both players: true by construction.
    pub zero_sum: bool,
    /// The exploration came to an end.
    pub finite: Option<bool>,
    /// No chance nodes.
    pub deterministic: Option<bool>,
    /// Both players see the position: true by construction.
    pub perfect_information: bool,
    /// The game is acyclic.
    pub acyclic: Option<bool>,
    /// Positions visited.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// Moves visited.
    pub moves: u64,
    /// Whether every position was visited.
    pub complete: bool,
}

/// Checks the lecture's conditions, from the rules and by exploring at most `most` positions.
///
/// # Errors
///
/// A game without a start, or a stop.
pub fn check_conditions(
    handle: &GameHandle,
    most: u64,
    time: Option<Duration>,
    watch: &dyn Monitor,
) -> Result<CheckReport, Trouble> {
    let game = handle.game();
    let start = match game.start() {
        Some(start) => start,
        None => some_position(handle).ok_or(SolveError::NoStart)?,
    };
    // Facts that need no exploration: chance nodes, and whether the game was built with an index.
    let known = CheckReport {
        game: game.spec(),
        two_players: has_two_players(handle, &start),
        zero_sum: true,
        finite: (handle.index().is_some() || game.most_positions().is_some() || game.has_board())
            .then_some(true),
        deterministic: Some(!game.has_dice()),
        perfect_information: true,
        acyclic: handle.kernels().loops().map(|loops| !loops),
        positions: PlainCount(0),
        moves: 0,
        complete: false,
    };
    // If exploring would add nothing, it is limited to a cheap size.
    let settled = known.two_players == Some(true) && known.finite.is_some() && known.acyclic.is_some();
    let large = game.most_positions().is_none_or(|positions| positions > most as f64);
    if (settled && large && !game.has_dice()) || game.start().is_none() {
        return Ok(known);
    }
    watch.stage("exploring the positions", 0);
    let clock = Deadline::new(time, watch);
    let explored = match ExploredGame::new(game, &start, most, &clock) {
        Ok(explored) => explored,
        Err(SolveError::Stopped) if clock.passed() && !watch.stopped() => return Ok(known),
        Err(SolveError::TooLarge(seen)) => return Ok(CheckReport { positions: PlainCount(seen), ..known }),
        Err(error) => return Err(error.into()),
    };
    Ok(CheckReport {
        finite: Some(true),
        deterministic: Some(!explored.has_chance()),
        acyclic: Some(!explored.has_loops()),
        positions: PlainCount(explored.positions().len() as u64),
        moves: explored.moves(),
        complete: true,
        ..known
    })
}

/// A position of a game without a start.
fn some_position(handle: &GameHandle) -> Option<AnyPosition> {
    let index = handle.index()?;
    let numbers = index.numbers();
    let sizes = numbers.sizes();
    // The last tiers have the fewest men; the first tier is the game itself.
    (0..sizes.len() as u32).find_map(|t| {
        (0..sizes[t as usize].min(1000)).find_map(|number| {
            numbers.position(Tier(t), number).filter(|pos| handle.game().outcome(pos).is_none())
        })
    })
}

/// Whether both players come to move in a game that always takes the first legal move; `None` if only one does.
fn has_two_players(handle: &GameHandle, start: &AnyPosition) -> Option<bool> {
    let game = handle.game();
    let (mut pos, mut seen) = (start.clone(), [false; 2]);
    for _ in 0..LONGEST {
        match game.turn(&pos) {
            _ if game.outcome(&pos).is_some() => break,
            Turn::First => seen[0] = true,
            Turn::Second => seen[1] = true,
            Turn::Chance => {}
        }
        let Some(mv) = game.list(&pos).next() else { break };
        pos = game.play(&pos, mv);
    }
    (seen == [true, true]).then_some(true)
}
