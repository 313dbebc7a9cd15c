//! Graphical description (scene) of chess positions: 64 spots in the order of the squares.
//!
//! A move is a click on a man and a click on its target square; a promotion also has a choice of the piece.

use super::material::LETTERS;
use super::notation::square_name;
use super::rules::{Chess, ChessMove};
use super::setup::Setup;
use outplay_core::{Game, Gesture, Holder, Layout, Notation, Remark, Scene, Sign, Spot};

/// The scene of a position.
pub(super) fn scene(game: &Chess, pos: &Setup) -> Scene {
    let spot = |square: u8| {
        let man = (0..pos.men as usize).find(|&man| pos.squares[man] == square);
        let holder = man.map(|man| if pos.is_black(man) { Holder::Second } else { Holder::First });
        let label = man.map(|man| LETTERS[pos.kind(man) as usize].to_string()).unwrap_or_default();
        let (column, row) = (square % 8, square / 8);
        Spot { name: square_name(square), x: column.into(), y: row.into(), holder, label }
    };
    let gesture = |mv: ChessMove| Gesture {
        mv: game.write_move(pos, mv),
        path: vec![mv.from.into(), mv.to.into()],
        choice: mv.promotion.map(|kind| LETTERS[kind as usize].to_string()).unwrap_or_default(),
        ..Gesture::default()
    };
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let mated = moves.is_empty() && pos.in_check(pos.black_to_move);
    Scene {
        layout: Layout::Chess,
        width: 8.0,
        height: 8.0,
        spots: (0..64).map(spot).collect(),
        moves: moves.into_iter().map(gesture).collect(),
        decisive: mated.then(|| pos.king(pos.black_to_move).into()).into_iter().collect(),
        ..Scene::default()
    }
}

/// Remarks on a check, and on moves that would stalemate the opponent.
pub(super) fn remarks(game: &Chess, pos: &Setup) -> Vec<Remark> {
    let (by, who, other) = match pos.black_to_move {
        false => (game.turn(pos), "White", "Black"),
        true => (game.turn(pos), "Black", "White"),
    };
    let mut remarks = Vec::new();
    if pos.in_check(pos.black_to_move) {
        let king = pos.king(pos.black_to_move).into();
        remarks.push(Remark { words: format!("{who} is in check"), spots: vec![(king, Sign::Block)], by });
    }
    let mut moves = Vec::new();
    game.moves(pos, &mut moves);
    let stale = |mv: &ChessMove| game.outcome(&game.play(pos, *mv)) == Some(0);
    let names: Vec<String> = moves.into_iter().filter(stale).map(|mv| game.write_move(pos, mv)).collect();
    if !names.is_empty() {
        let words = format!("{} would leave {other} without a move: stalemate", names.join(", "));
        remarks.push(Remark { words, spots: Vec::new(), by });
    }
    remarks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use outplay_core::laws;

    fn check(spec: &str, fen: &str, decisive: &[usize]) -> Scene {
        let game = Chess::from_spec(Spec::parse(spec).unwrap()).unwrap();
        let pos = game.read_position(fen).unwrap();
        laws::check_scene(&game, &pos);
        let scene = game.scene(&pos);
        assert_eq!(scene.decisive, decisive, "{fen}");
        scene
    }

    #[test]
    fn every_move_is_shown_once() {
        check("chess:KQKR", "8/8/4k3/8/8/8/r7/2K4Q w - - 0 1", &[]);
        check("chess:KQKR", "8/8/4k3/8/8/8/r7/2K4Q b - - 0 1", &[]);
        // A pawn that can step or capture onto the promotion rank has eight promotions.
        let scene = check("chess:KRKP", "8/8/8/8/8/k7/2p1K3/1R6 b - - 0 1", &[]);
        assert_eq!(scene.moves.iter().filter(|gesture| !gesture.choice.is_empty()).count(), 8);
    }

    #[test]
    fn check_and_stalemate_are_remarked() {
        let game = Chess::from_spec(Spec::parse("chess:KQK").unwrap()).unwrap();
        let words = |fen: &str| -> Vec<String> {
            remarks(&game, &game.read_position(fen).unwrap()).into_iter().map(|remark| remark.words).collect()
        };
        assert_eq!(words("k7/8/8/8/8/8/8/K6Q b - - 0 1"), ["Black is in check"]);
        assert_eq!(
            words("k7/8/1K6/8/8/8/8/2Q5 w - - 0 1"),
            ["c1f4, c1c7 would leave Black without a move: stalemate"]
        );
    }

    #[test]
    fn mate_shows_the_king_and_stalemate_nothing() {
        check("chess:KQK", "k7/1Q6/1K6/8/8/8/8/8 b - - 0 1", &[56]);
        check("chess:KQK", "k7/2Q5/8/1K6/8/8/8/8 b - - 0 1", &[]);
    }
}
