//! Graphical description (scene) of morris positions: points, and the lines along which men move.
//!
//! A move is a click on up to three points in this order: the man to move (except in the placing phase), the target,
//! and the man to capture.

use super::rules::{Men, Morris, Step, each};
use outplay_core::{Game, Gesture, Holder, Layout, Notation, Scene, Spot};

/// The scene of a position.
pub(super) fn scene(game: &Morris, pos: &Men) -> Scene {
    let points = &game.board.points;
    let side = points.iter().map(|&(column, _)| column + 1).max().unwrap_or(0) as f32;
    let spot = |(i, &(column, row)): (usize, &(usize, usize))| {
        let holder = match (pos.first >> i & 1, pos.second >> i & 1) {
            (1, _) => Some(Holder::First),
            (_, 1) => Some(Holder::Second),
            _ => None,
        };
        Spot { name: game.name(i as u8), x: column as f32, y: row as f32, holder, label: String::new() }
    };
    let links = |i: usize| {
        each(game.board.near[i]).map(usize::from).filter(move |&near| i < near).map(move |near| [i, near])
    };
    // Adjacent points of a line that are no neighbours: a diagonal that counts as a line but that men do not move
    // along.
    let lines = game.board.lines.iter().flat_map(|&line| {
        let on: Vec<usize> = each(line).map(usize::from).collect();
        let pairs: Vec<[usize; 2]> = on.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        pairs.into_iter().filter(|&[a, b]| game.board.near[a] >> b & 1 == 0)
    });
    let gesture = |mv: Step| {
        let path = [mv.from, Some(mv.to), mv.take].into_iter().flatten().map(usize::from).collect();
        Gesture { mv: game.write_move(pos, mv), path, ..Gesture::default() }
    };
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    // Where mills capture, play continues after one, so only a finished game has lines to show.
    let won = if moves.is_empty() { game.board.in_lines(pos.sides().1) } else { 0 };
    let in_hand = |placed: u8| (game.men - placed).to_string();
    let facts = vec![
        ("first has in hand".to_string(), in_hand(pos.placed.div_ceil(2))),
        ("second has in hand".to_string(), in_hand(pos.placed / 2)),
    ];
    Scene {
        layout: Layout::Points,
        width: side,
        height: side,
        spots: points.iter().enumerate().map(spot).collect(),
        links: (0..points.len()).flat_map(links).collect(),
        lines: if game.board.points.len() == 9 { lines.collect() } else { Vec::new() },
        moves: moves.into_iter().map(gesture).collect(),
        decisive: each(won).map(usize::from).collect(),
        facts: if game.placing(pos) { facts } else { Vec::new() },
        prompt: String::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;

    #[test]
    fn diagonals_without_moves_are_drawn_as_lines() {
        let scene = |spec: &str| {
            let game = Morris::from_spec(Spec::parse(spec).unwrap()).unwrap();
            game.scene(&game.start().unwrap())
        };
        assert_eq!(scene("morris:three,lines=8").lines.len(), 4);
        assert_eq!(scene("morris:three,lines=8").links.len(), 12);
        assert!(scene("morris:three,lines=6").lines.is_empty());
        // Here men move along the diagonals.
        assert!(scene("morris:tapatan").lines.is_empty());
        assert_eq!(scene("morris:tapatan").links.len(), 16);
        assert!(scene("morris:nine").lines.is_empty());
    }
}
