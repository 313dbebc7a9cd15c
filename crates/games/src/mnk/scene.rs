//! Graphical description (scene) of m,n,k boards: every cell is a spot, and a move is a click on the cell where its
//! stone comes to rest.

use super::grid;
use outplay_core::{Content, Gesture, Holder, Layout, LineBoard, Scene, Spot, cell_name};

/// The scene of a board; `cells` are the cells of the legal moves, in the game's order.
pub(super) fn scene(board: &LineBoard, cells: impl Iterator<Item = usize>) -> Scene {
    let at = |cell: usize| (cell / board.height, cell % board.height);
    let spot = |cell: usize| {
        let (column, row) = at(cell);
        let holder = match board.cells[cell] {
            Content::Empty => None,
            Content::Blocked => Some(Holder::Nobody),
            Content::First => Some(Holder::First),
            Content::Second => Some(Holder::Second),
        };
        Spot { name: cell_name(column, row), x: column as f32, y: row as f32, holder, label: String::new() }
    };
    let gesture = |cell: usize| {
        let (column, row) = at(cell);
        let mv = grid::write_move(board, column, row);
        Gesture { mv, path: vec![cell], ..Gesture::default() }
    };
    let moves: Vec<Gesture> = cells.map(gesture).collect();
    Scene {
        layout: if board.gravity { Layout::Drop } else { Layout::Grid },
        width: board.width as f32,
        height: board.height as f32,
        spots: (0..board.cells.len()).map(spot).collect(),
        // There is no complete line while the game is in progress.
        decisive: if moves.is_empty() { decisive(board) } else { Vec::new() },
        moves,
        ..Scene::default()
    }
}

/// The cells of all complete lines.
fn decisive(board: &LineBoard) -> Vec<usize> {
    let complete = |line: &Vec<usize>| {
        let first = board.cells[line[0]];
        matches!(first, Content::First | Content::Second)
            && line.iter().all(|&cell| board.cells[cell] == first)
    };
    let mut cells: Vec<usize> = board.lines().into_iter().filter(complete).flatten().collect();
    cells.sort_unstable();
    cells.dedup();
    cells
}
