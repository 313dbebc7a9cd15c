//! Threats on line boards as explanations: immediate wins, blocks, threats, forks and pairing strategies.
//!
//! ```text
//!  x x .      win     the player's stone here completes a line
//!  . o o      block   the opponent's next stone here would complete a line
//!  . . .      threat  a line lacks only this cell, which cannot be played yet
//!             pair    if the opponent takes one of the two cells, the player takes the other
//! ```

use crate::reasons::{MarkKind, ReasonMark};
use outplay_core::{Content, LineBoard, Turn, cell_name};

/// Limit on the pairs tried by the pairing search.
const PAIRS: u32 = 20_000;

fn side(turn: Turn) -> (&'static str, Content) {
    match turn {
        Turn::Second => ("Second", Content::Second),
        _ => ("First", Content::First),
    }
}

/// Cells that complete a line of one player, each once, in order.
fn completing(board: &LineBoard, player: Content) -> Vec<usize> {
    let mut cells = Vec::new();
    for line in board.lines() {
        let mine = line.iter().filter(|&&cell| board.cells[cell] == player).count();
        let empty = line.iter().find(|&&cell| board.cells[cell] == Content::Empty);
        if let (true, Some(&cell)) = (mine + 1 == line.len(), empty) {
            cells.push(cell);
        }
    }
    cells.sort_unstable();
    cells.dedup();
    cells
}

/// The name of a cell.
pub(crate) fn named(board: &LineBoard, cell: usize) -> String {
    cell_name(cell / board.height, cell % board.height)
}

fn names(board: &LineBoard, cells: &[usize]) -> String {
    cells.iter().map(|&cell| named(board, cell)).collect::<Vec<_>>().join(", ")
}

/// The explanations of a board: sentences and marks.
pub(crate) fn board_reasons(board: &LineBoard, payoff: Option<i32>) -> (Vec<String>, Vec<ReasonMark>) {
    let (mover, other) = (board.turn, board.turn.other());
    let ((mover_name, mine), (other_name, theirs)) = (side(mover), side(other));
    let open = board.open_cells();
    let mut sentences = Vec::new();
    let mut marks = Vec::new();
    let mut put = |cells: &[usize], kind, by| {
        let mark = |&spot: &usize| ReasonMark { spot, name: named(board, spot), kind, by, pair: None };
        marks.extend(cells.iter().map(mark));
    };
    if board.misere {
        return (sentences, marks);
    }
    let split = |player| completing(board, player).into_iter().partition(|cell| open.contains(cell));
    let (wins, later): (Vec<usize>, Vec<usize>) = split(mine);
    let (blocks, theirs_later): (Vec<usize>, Vec<usize>) = split(theirs);
    if !wins.is_empty() {
        put(&wins, MarkKind::Win, mover);
        sentences.push(format!("{mover_name} completes a line at {}", names(board, &wins)));
        return (sentences, marks);
    }
    put(&blocks, MarkKind::Block, other);
    match blocks.len() {
        0 => {}
        1 => sentences.push(format!("{mover_name} has to stop {other_name} at {}", names(board, &blocks))),
        _ => {
            let cells = names(board, &blocks);
            sentences.push(format!("{other_name} threatens {cells}, and only one of them can be stopped"));
        }
    }
    for (cells, by, name) in [(&later, mover, mover_name), (&theirs_later, other, other_name)] {
        put(cells, MarkKind::Threat, by);
        if !cells.is_empty() {
            sentences.push(format!("{name} waits for {}", names(board, cells)));
        }
    }
    if payoff == Some(0) && !board.gravity {
        let sides = [(other, other_name, mover, mover_name), (mover, mover_name, other, other_name)];
        for (attacker, attacker_name, holder, holder_name) in sides {
            let Some(pairs) =
                outplay_workbench::pairing(board, attacker, PAIRS).filter(|pairs| !pairs.is_empty())
            else {
                continue;
            };
            sentences.push(format!(
                "{holder_name} holds the draw by a pairing strategy: when {attacker_name} takes one cell of a pair, {holder_name} takes the other"
            ));
            for (pair, (one, two)) in pairs.into_iter().enumerate() {
                for spot in [one, two] {
                    let name = named(board, spot);
                    marks.push(ReasonMark { spot, name, kind: MarkKind::Pair, by: holder, pair: Some(pair) });
                }
            }
            break;
        }
    }
    (sentences, marks)
}

/// The cells at which a player could complete a line with the next stone.
pub(crate) fn threats_of(board: &LineBoard, player: Turn) -> Vec<usize> {
    let open = board.open_cells();
    let mut cells = completing(board, side(player).1);
    cells.retain(|cell| !board.misere && open.contains(cell));
    cells
}

/// The cells at which a player threatens to complete a line with the next stone, if there are several: a fork.
pub(crate) fn fork(board: &LineBoard, player: Turn) -> Option<String> {
    let cells = threats_of(board, player);
    (cells.len() > 1).then(|| names(board, &cells))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn board(rows: &str, turn: Turn, gravity: bool, k: usize) -> LineBoard {
        let rows: Vec<Vec<char>> = rows.split('/').map(|row| row.chars().collect()).collect();
        let mut board = LineBoard::empty(rows[0].len(), rows.len(), k);
        (board.turn, board.gravity) = (turn, gravity);
        for (i, row) in rows.iter().rev().enumerate() {
            for (column, c) in row.iter().enumerate() {
                let cell = board.cell(column, i);
                board.cells[cell] = match c {
                    'x' => Content::First,
                    'o' => Content::Second,
                    _ => Content::Empty,
                };
            }
        }
        board
    }

    #[test]
    fn threats_are_named() {
        let check = |board: &LineBoard, expected: &str| {
            let (sentences, _) = board_reasons(board, None);
            assert_eq!(sentences.join("; "), expected);
        };
        check(&board("oo./.../xx.", Turn::First, false, 3), "First completes a line at c1");
        check(&board("oo./.../x.x", Turn::Second, false, 3), "Second completes a line at c3");
        check(&board(".../.o./xx.", Turn::Second, false, 3), "Second has to stop First at c1");
        check(
            &board("x.x/.o./x.o", Turn::Second, false, 3),
            "First threatens a2, b3, and only one of them can be stopped",
        );
    }

    #[test]
    fn two_threats_at_once_are_a_fork() {
        let check = |rows: &str, expected: Option<&str>| {
            assert_eq!(fork(&board(rows, Turn::Second, false, 3), Turn::First).as_deref(), expected);
        };
        check("x.x/.o./x.o", Some("a2, b3"));
        check("x../.o./x.o", None);
    }

    #[test]
    fn unplayable_threat_is_not_immediate() {
        let (sentences, marks) =
            board_reasons(&board("...../...../xxx../oox..", Turn::Second, true, 4), None);
        assert_eq!(sentences.join("; "), "First waits for d2");
        assert_eq!(marks.len(), 1);
        assert_eq!((marks[0].kind, marks[0].name.as_str()), (MarkKind::Threat, "d2"));
    }
}
