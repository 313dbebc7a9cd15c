//! Graphical description (scene) of hypergammon positions, from the first player's point of view.
//!
//! ```text
//! 13 14 15 16 17 18  bar  19 20 21 22 23 24  off     the second player's bar and off
//! 12 11 10  9  8  7  bar   6  5  4  3  2  1  off     the first player's
//! ```
//!
//! Spots 1 to 24 are the first player's points, 0 is its off and 25 its bar; the second player's off is 26, its bar
//! 27. A play is a click on each checker that moves and on its target.

use super::plays::{BAR, OFF, Side, step_sequences};
use super::{Dice, Hypergammon, Race, RaceMove, left};
use outplay_core::{Game, Gesture, Holder, Layout, Notation, Scene, Spot};

/// The spot of a place counted by a player.
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
        Gesture { mv: game.write_move(pos, mv), path, choice, odds, ..Gesture::default() }
    };
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mut gestures: Vec<Gesture> = moves.iter().copied().map(gesture).collect();
    add_ways(pos, &moves, &mut gestures);
    Scene {
        layout: Layout::Points,
        width: 14.0,
        height: 2.0,
        spots: (0..28).map(spot).collect(),
        moves: gestures,
        facts: match pos.dice {
            Dice::Shown(a, b) => vec![("dice".into(), format!("{a}-{b}"))],
            _ => Vec::new(),
        },
        ..Scene::default()
    }
}

/// Adds the step sequences of each play. All plays of a roll use equally many dice.
fn add_ways(pos: &Race, moves: &[RaceMove], gestures: &mut [Gesture]) {
    let Dice::Shown(a, b) = pos.dice else { return };
    let all = step_sequences(*pos.mover(), *pos.opponent(), (a, b));
    let play = |mine: &Side, other: &Side| moves.iter().position(|mv| *mv == RaceMove::Play(*mine, *other));
    let found = || all.iter().filter_map(|(way, mine, other)| Some((way, play(mine, other)?)));
    let most = found().map(|(way, _)| way.len()).max().unwrap_or(0);
    for (way, at) in found().filter(|(way, _)| way.len() == most && most > 0) {
        let spots: Vec<usize> =
            way.iter().flat_map(|&(from, to)| [spot_of(from, pos.second), spot_of(to, pos.second)]).collect();
        if !gestures[at].ways.contains(&spots) {
            gestures[at].ways.push(spots);
        }
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

/// The checkers that a play hits; the same steps can hit on the way or not.
fn hits(pos: &Race, other: &Side) -> String {
    let hit: Vec<String> =
        left(pos.opponent(), other).into_iter().map(|place| (25 - place).to_string()).collect();
    if hit.is_empty() { String::new() } else { format!("hit {}", hit.join(" and ")) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ways_of(text: &str) -> Vec<(String, Vec<Vec<usize>>)> {
        let pos = Hypergammon.read_position(text).unwrap();
        scene(&Hypergammon, &pos).moves.into_iter().map(|gesture| (gesture.mv, gesture.ways)).collect()
    }

    #[test]
    fn a_play_is_shown_step_by_step() {
        let ways = ways_of("24+23+22 24+23+22 A 6-5");
        let of = |mv: &str| ways.iter().find(|(known, _)| known == mv).unwrap().1.clone();
        // One checker moves by either die first; two checkers move in either order.
        assert_eq!(of("24/13"), [[24, 18, 18, 13], [24, 19, 19, 13]]);
        assert_eq!(of("24/18+23/18"), [[24, 18, 23, 18], [23, 18, 24, 18]]);
        assert!(ways.iter().all(|(_, ways)| !ways.is_empty() && ways.iter().all(|way| way.len() == 4)));
    }

    #[test]
    fn an_intermediate_hit_is_a_separate_play() {
        let ways = ways_of("10+off+off 17+1+1 A 2-1");
        assert_eq!(ways.len(), 2);
        let hit = ways.iter().find(|(mv, _)| mv == "10/7*8").unwrap();
        assert_eq!(hit.1, [[10, 8, 8, 7]]);
        let quiet = ways.iter().find(|(mv, _)| mv == "10/7").unwrap();
        assert_eq!(quiet.1, [[10, 9, 9, 7]]);
    }

    #[test]
    fn a_player_without_moves_has_a_button() {
        let ways = ways_of("bar+6+5 6+6+1 A 6-6");
        assert_eq!(ways, [("pass".to_string(), Vec::new())]);
    }

    #[test]
    fn the_second_players_steps_lie_on_its_own_side() {
        let ways = ways_of("24+23+22 24+23+22 B 2-1");
        let one = ways.iter().find(|(mv, _)| mv == "24/21").unwrap();
        assert_eq!(one.1, [[1, 3, 3, 4], [2, 4, 1, 2], [1, 2, 2, 4], [3, 4, 1, 3]]);
    }
}
