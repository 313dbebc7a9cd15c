//! The board as the first player sees it.
//!
//! ```text
//! 13 14 15 16 17 18  bar  19 20 21 22 23 24  off     the second player's bar and off
//! 12 11 10  9  8  7  bar   6  5  4  3  2  1  off     the first player's
//! ```
//!
//! Spots 1 to 24 are the first player's points, 0 is its off and 25 its bar; the second player's off is 26, its
//! bar 27. A play points at each checker that moves and at where it ends.

use super::plays::{BAR, OFF, Side};
use super::{Dice, Hypergammon, Race, RaceMove, left};
use outplay_core::{Game, Gesture, Holder, Layout, Notation, Scene, Spot};

/// The spot of a place as a player counts it.
fn spot_of(place: u8, second: bool) -> usize {
    match (place, second) {
        (OFF, true) => 26,
        (BAR, true) => 27,
        (point, true) => 25 - usize::from(point),
        (place, false) => usize::from(place),
    }
}

/// The column and row of a spot.
fn at(spot: usize) -> (f32, f32) {
    let beyond_bar = |column: usize| (column + usize::from(column > 5)) as f32;
    match spot {
        0 => (13.0, 0.0),
        25 => (6.0, 0.0),
        26 => (13.0, 1.0),
        27 => (6.0, 1.0),
        1..=12 => (beyond_bar(12 - spot), 0.0),
        _ => (beyond_bar(spot - 13), 1.0),
    }
}

/// The scene of a position.
pub(super) fn scene(game: &Hypergammon, pos: &Race) -> Scene {
    let count = |spot: usize, second: bool| {
        pos.sides[usize::from(second)].iter().filter(|&&place| spot_of(place, second) == spot).count()
    };
    let spot = |spot: usize| {
        let name = match spot {
            0 => "first off".to_string(),
            25 => "first bar".to_string(),
            26 => "second off".to_string(),
            27 => "second bar".to_string(),
            point => format!("point {point}"),
        };
        let (checkers, holder) = match (count(spot, false), count(spot, true)) {
            (0, 0) => (0, None),
            (0, theirs) => (theirs, Some(Holder::Second)),
            (mine, _) => (mine, Some(Holder::First)),
        };
        let (x, y) = at(spot);
        Spot { name, x, y, holder, label: if checkers > 1 { checkers.to_string() } else { String::new() } }
    };
    let gesture = |mv| {
        let (path, choice, odds) = match mv {
            RaceMove::Roll(a, b) => (Vec::new(), String::new(), if a == b { 1 } else { 2 }),
            RaceMove::Play(mine, other) => (path(pos, &mine), hits(pos, &other), 0),
        };
        Gesture { mv: game.write_move(pos, mv), path, choice, odds }
    };
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    Scene {
        layout: Layout::Points,
        width: 14.0,
        height: 2.0,
        spots: (0..28).map(spot).collect(),
        moves: moves.into_iter().map(gesture).collect(),
        facts: match pos.dice {
            Dice::Shown(a, b) => vec![("dice".into(), format!("{a}-{b}"))],
            _ => Vec::new(),
        },
        ..Scene::default()
    }
}

/// From and to of each checker that moves.
fn path(pos: &Race, mine: &Side) -> Vec<usize> {
    let (from, to) = (left(pos.mover(), mine), left(mine, pos.mover()));
    from.iter()
        .zip(&to)
        .flat_map(|(&from, &to)| [spot_of(from, pos.second), spot_of(to, pos.second)])
        .collect()
}

/// Which checkers a play hits; the same steps can hit on the way or not.
fn hits(pos: &Race, other: &Side) -> String {
    let hit: Vec<String> =
        left(pos.opponent(), other).into_iter().map(|place| (25 - place).to_string()).collect();
    if hit.is_empty() { String::new() } else { format!("hit {}", hit.join(" and ")) }
}
