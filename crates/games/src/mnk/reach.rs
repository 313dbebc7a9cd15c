//! Reachability of m,n,k boards by retraction: whether the stones could have been placed one by one, in turn, with no
//! line before the last move.
//!
//! With gravity, the stone placed last is on top of a column and belongs to the player who just moved. A depth-first
//! search removes such stones until the start position is reached. The colours of the stones are fixed, so a state of
//! the search is a vector of column heights, and few vectors are visited.

use super::rules::floating_stone;
use outplay_core::{Content, LineBoard, Turn, cell_name};
use std::collections::HashSet;

/// The maximal number of height vectors visited before a board is accepted as reachable. Boards that need more are
/// far beyond any table; play from such a position is still well defined.
const MOST_HEIGHT_VECTORS: usize = 2_000_000;

/// Returns a one-sentence reason why no game from `start` has the stones of `board`, lines ignored. An index numbers
/// the boards that pass.
pub(super) fn arrangement(start: &LineBoard, board: &LineBoard) -> Result<(), String> {
    let preset = |cell: usize| matches!(start.cells[cell], Content::First | Content::Second);
    for cell in 0..start.cells.len() {
        if preset(cell) && board.cells[cell] != start.cells[cell] {
            let name = cell_name(cell / start.height, cell % start.height);
            return Err(format!("no game reaches it: the preset stone on {name} is missing"));
        }
    }
    let placed = |player: Content| {
        (0..start.cells.len()).filter(|&cell| !preset(cell) && board.cells[cell] == player).count()
    };
    let (x, o) = (placed(Content::First), placed(Content::Second));
    let lead = if start.turn == Turn::First { x.checked_sub(o) } else { o.checked_sub(x) };
    if !matches!(lead, Some(0 | 1)) {
        let starter = if start.turn == Turn::First { "x" } else { "o" };
        return Err(format!(
            "no game reaches it: x has {x} stones and o has {o}, but they alternate and {starter} starts"
        ));
    }
    if let Some(cell) = Some(board).filter(|board| board.gravity).and_then(floating_stone) {
        let name = cell_name(cell / board.height, cell % board.height);
        return Err(format!("no game reaches it: the stone on {name} has an empty cell below it"));
    }
    Ok(())
}

/// Returns a one-sentence reason why no game from `start` reaches `board`.
pub(super) fn check(start: &LineBoard, board: &LineBoard) -> Result<(), String> {
    arrangement(start, board)?;
    let preset = |cell: usize| matches!(start.cells[cell], Content::First | Content::Second);
    let (mover, last) = match board.turn {
        Turn::First => (Content::First, Content::Second),
        _ => (Content::Second, Content::First),
    };
    let lines = board.lines();
    let complete = |player: Content| {
        lines.iter().filter(move |line| line.iter().all(|&cell| board.cells[cell] == player))
    };
    if complete(mover).next().is_some() {
        return Err(if complete(last).next().is_some() {
            "no game reaches it: both players have a line".to_string()
        } else {
            "no game reaches it: the player to move already has a line".to_string()
        });
    }
    // The last move completed every line on the board.
    let mut final_moves: Option<Vec<usize>> = None;
    for line in complete(last) {
        let shared = match final_moves {
            None => line.clone(),
            Some(cells) => cells.into_iter().filter(|cell| line.contains(cell)).collect(),
        };
        final_moves = Some(shared);
    }
    if let Some(cells) = &mut final_moves {
        cells.retain(|&cell| !preset(cell) && (!board.gravity || is_top(board, cell)));
        if cells.is_empty() {
            return Err("no game reaches it: the game would have ended before, when the first of these lines was complete".to_string());
        }
    }
    if board.gravity && !retracts_to(start, board, last, final_moves.as_deref()) {
        return Err("no game reaches it: no order of moves puts the stones in these columns".to_string());
    }
    Ok(())
}

fn is_top(board: &LineBoard, cell: usize) -> bool {
    cell % board.height == board.height - 1 || board.cells[cell + 1] == Content::Empty
}

/// Whether stones can be taken back in turn until the start is left. The first one taken back must be one of
/// `final_moves` if the game ended with a line.
fn retracts_to(start: &LineBoard, board: &LineBoard, last: Content, final_moves: Option<&[usize]>) -> bool {
    let heights = |of: &LineBoard| -> Vec<u16> {
        (0..of.width)
            .map(|column| {
                let floor = of.floor(column);
                (floor..of.height).take_while(|&row| of.cells[of.cell(column, row)] != Content::Empty).count()
                    as u16
            })
            .collect()
    };
    let (goal, top) = (heights(start), heights(board));
    let stones = |h: &[u16]| h.iter().map(|&n| usize::from(n)).sum::<usize>();
    let total = stones(&top);
    let mut seen: HashSet<Vec<u16>> = HashSet::new();
    let mut open = vec![top];
    while let Some(now) = open.pop() {
        if now == goal {
            return true;
        }
        if seen.len() > MOST_HEIGHT_VECTORS {
            return true;
        }
        let depth = total - stones(&now);
        let owner = if depth.is_multiple_of(2) { last } else { other(last) };
        for column in 0..board.width {
            if now[column] == goal[column] {
                continue;
            }
            let cell = board.cell(column, board.floor(column) + usize::from(now[column]) - 1);
            let allowed = depth > 0 || final_moves.is_none_or(|cells| cells.contains(&cell));
            if board.cells[cell] == owner && allowed {
                let mut next = now.clone();
                next[column] -= 1;
                if seen.insert(next.clone()) {
                    open.push(next);
                }
            }
        }
    }
    false
}

fn other(player: Content) -> Content {
    if player == Content::First { Content::Second } else { Content::First }
}
