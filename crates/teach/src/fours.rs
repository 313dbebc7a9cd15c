//! VCF search (victory by continuous fours), the fours-only part of threat-space search (Allis, van den Herik and
//! Huntjens 1993), for boards too large for exact values.
//!
//! ```text
//!  move       a four      forced      a four and a three      forced      an open four
//!  replies    one cell                one cell                            two cells: too late
//! ```
//!
//! Every move of the attacker but the last threatens to complete a line, so the defender has one reply, or none. All
//! of the attacker's fours are tried at each depth, so a win that is found is proven, and so is the absence of a
//! shorter one.

use crate::puzzles::{Puzzle, PuzzleKind};
use crate::reasons::called;
use crate::themes::{Difficulty, PuzzleStep, four_three, stone};
use crate::threats::{named, threats_of};
use outplay_core::{AnyPosition, Content, Game, LineBoard, Notation, Turn, Value};
use outplay_runtime::Monitor;
use outplay_workbench::{GameHandle, Trouble, check_stop};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Limit on the random positions tried for a puzzle.
const TRIES: usize = 4000;
/// Side of the square that contains the stones of a puzzle.
const SPREAD: usize = 7;
/// Number of fours in a puzzle.
const FOURS: std::ops::RangeInclusive<usize> = 2..=4;

/// Whether puzzles of a board are VCF wins.
pub(crate) fn suits(board: &LineBoard) -> bool {
    board.k == 5 && !board.gravity && !board.misere && board.width.min(board.height) > SPREAD
}

/// A VCF search.
struct VcfSearch<'a> {
    watch: &'a dyn Monitor,
    /// Positions visited.
    nodes: u64,
}

impl VcfSearch<'_> {
    /// Cells that win by at most `fours` fours, each with its forced reply; none if it wins immediately. After a stop
    /// some cells may be missing, so the caller must check the monitor before it draws conclusions.
    fn wins(&mut self, board: &LineBoard, fours: usize) -> Vec<(usize, Option<usize>)> {
        let (me, other) = (board.turn, board.turn.other());
        self.nodes += 1;
        let done = threats_of(board, me);
        if !done.is_empty() || fours == 0 || self.watch.stopped() {
            return done.into_iter().map(|cell| (cell, None)).collect();
        }
        // A threatened attacker has to block, and can continue only if the block makes a four.
        let cells = match threats_of(board, other)[..] {
            [] => near(board),
            [cell] => vec![cell],
            _ => return Vec::new(),
        };
        cells.into_iter().filter_map(|cell| self.wins_with(board, cell, fours)).collect()
    }

    fn wins_with(&mut self, board: &LineBoard, cell: usize, fours: usize) -> Option<(usize, Option<usize>)> {
        let mut after = board.clone();
        after.cells[cell] = stone(board.turn);
        let threats = threats_of(&after, board.turn);
        if threats.is_empty() || !threats_of(&after, board.turn.other()).is_empty() {
            return None;
        }
        // Two threats cannot both be blocked.
        let [answer] = threats[..] else { return Some((cell, Some(threats[0]))) };
        after.cells[answer] = stone(board.turn.other());
        (!self.wins(&after, fours - 1).is_empty()).then_some((cell, Some(answer)))
    }
}

/// The moves that win by at most `fours` fours; empty if the game has no such board.
///
/// # Errors
///
/// A stop.
pub fn wins_by_fours(
    entry: &GameHandle,
    pos: &AnyPosition,
    fours: usize,
    watch: &dyn Monitor,
) -> Result<Vec<String>, Trouble> {
    let Some(board) = entry.game().board(pos).filter(suits) else { return Ok(Vec::new()) };
    let wins = VcfSearch { watch, nodes: 0 }.wins(&board, fours);
    check_stop(watch)?;
    Ok(wins.into_iter().map(|(cell, _)| named(&board, cell)).collect())
}

/// Empty cells within two cells of a stone: a four further away is impossible.
fn near(board: &LineBoard) -> Vec<usize> {
    let at = |column: usize, row: usize| board.cells[board.cell(column, row)];
    let close = |from: usize, most: usize| from.saturating_sub(2)..(from + 3).min(most);
    let mut cells = Vec::new();
    for column in 0..board.width {
        for row in 0..board.height {
            let stones = || {
                close(column, board.width).any(|c| {
                    close(row, board.height).any(|r| matches!(at(c, r), Content::First | Content::Second))
                })
            };
            if at(column, row) == Content::Empty && stones() {
                cells.push(board.cell(column, row));
            }
        }
    }
    cells
}

/// Random stones in a small square, equally many of both players.
fn scattered(empty: &LineBoard, rng: &mut SmallRng) -> LineBoard {
    let mut board = empty.clone();
    let (left, low) =
        (rng.random_range(1..=board.width - SPREAD - 1), rng.random_range(1..=board.height - SPREAD - 1));
    let pairs = rng.random_range(6..=10);
    for number in 0..2 * pairs {
        let (column, row) = (left + rng.random_range(0..SPREAD), low + rng.random_range(0..SPREAD));
        let cell = board.cell(column, row);
        if board.cells[cell] == Content::Empty {
            board.cells[cell] = if number % 2 == 0 { Content::First } else { Content::Second };
        }
    }
    let count = |content| board.cells.iter().filter(|cell| **cell == content).count();
    let (first, second) = (count(Content::First), count(Content::Second));
    board.turn = if first > second { Turn::Second } else { Turn::First };
    board
}

/// The solution line of a VCF win while the first move is unique, if it begins with such a move.
fn line(board: &LineBoard, fours: usize, attack: &mut VcfSearch<'_>) -> Option<Vec<(usize, Option<usize>)>> {
    let (mut board, mut line) = (board.clone(), Vec::new());
    for left in (1..=fours).rev() {
        let wins = attack.wins(&board, left);
        let [(cell, answer)] = wins[..] else { break };
        let me = board.turn;
        board.cells[cell] = stone(me);
        let several = threats_of(&board, me).len() > 1;
        line.push((cell, answer.filter(|_| !several)));
        let (Some(answer), false) = (answer, several) else { break };
        board.cells[answer] = stone(me.other());
    }
    // The last reply belongs to a move that is not unique any more.
    if let Some((_, answer)) = line.last_mut() {
        *answer = None;
    }
    (!line.is_empty()).then_some(line)
}

/// Generates a VCF puzzle; the seed selects it.
///
/// # Errors
///
/// A stop, or no such position.
pub(crate) fn puzzle(entry: &GameHandle, seed: u64, watch: &dyn Monitor) -> Result<Puzzle, Trouble> {
    let game = entry.game();
    let missing = || {
        Trouble::Limits(format!(
            "no puzzle with a win by fours was found on {}; try another seed",
            game.spec()
        ))
    };
    let empty = game.start().and_then(|start| game.board(&start)).ok_or_else(missing)?;
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut attack = VcfSearch { watch, nodes: 0 };
    watch.stage("looking for a puzzle", 0);
    for _ in 0..TRIES {
        check_stop(watch)?;
        let board = scattered(&empty, &mut rng);
        let count = |content| board.cells.iter().filter(|cell| **cell == content).count();
        let balance = count(Content::First) as i64 - count(Content::Second) as i64;
        let quiet = [Turn::First, Turn::Second].iter().all(|turn| threats_of(&board, *turn).is_empty());
        let Some(pos) = game.placed(&board).filter(|_| quiet && (0..=1).contains(&balance)) else { continue };
        if game.outcome(&pos).is_some() {
            continue;
        }
        attack.nodes = 0;
        let Some(fours) = FOURS.clone().find(|fours| !attack.wins(&board, *fours).is_empty()) else {
            continue;
        };
        // A win with one four is too easy, and two first moves are ambiguous.
        if !attack.wins(&board, 1).is_empty() {
            continue;
        }
        let nodes = attack.nodes;
        let Some(found) = line(&board, fours, &mut attack).filter(|line| line.len() > 1) else { continue };
        check_stop(watch)?;
        return Ok(build_puzzle(entry, &board, &found, fours, nodes));
    }
    Err(missing())
}

fn build_puzzle(
    entry: &GameHandle,
    board: &LineBoard,
    line: &[(usize, Option<usize>)],
    fours: usize,
    nodes: u64,
) -> Puzzle {
    let game = entry.game();
    let name = |cell: usize| named(board, cell);
    let step =
        |&(cell, answer): &(usize, Option<usize>)| PuzzleStep { mv: name(cell), reply: answer.map(name) };
    let steps: Vec<PuzzleStep> = line.iter().map(step).collect();
    let mut themes = vec![format!("fours in {fours}")];
    let mut then = board.clone();
    let mut both = false;
    for &(cell, answer) in line {
        then.cells[cell] = stone(board.turn);
        both |= four_three(&then, board.turn, cell);
        if let Some(answer) = answer {
            then.cells[answer] = stone(board.turn.other());
        }
    }
    if both {
        themes.push("four-three".into());
    }
    // A board that was set up can be set up again as a position.
    let pos = game.placed(board);
    let position = pos.as_ref().map(|pos| game.write_position(pos)).unwrap_or_default();
    let names = pos.as_ref().map_or(["First", "Second"], |pos| called(&game.scene(pos)));
    let player = names[usize::from(board.turn == Turn::Second)];
    let choices = board.cells.iter().filter(|cell| **cell == Content::Empty).count();
    let difficulty = Difficulty::of(nodes, near(board).len(), steps.len());
    let moves = steps.iter().flat_map(|step| [Some(step.mv.clone()), step.reply.clone()]).flatten().collect();
    Puzzle {
        game: game.spec(),
        position,
        to_move: board.turn,
        kind: PuzzleKind::Fours,
        task: format!("{player} to move: win by fours, at most {fours} of them."),
        answer: match &pos {
            Some(pos) => entry.answer(pos, Value::untimed(1)),
            None => entry.unknown(),
        },
        solution: steps.first().map(|step| step.mv.clone()).unwrap_or_default(),
        line: moves,
        choices,
        steps,
        themes,
        difficulty,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    fn board(rows: &[&str]) -> LineBoard {
        let mut board = LineBoard::empty(rows[0].len(), rows.len(), 5);
        for (i, row) in rows.iter().rev().enumerate() {
            for (column, sign) in row.chars().enumerate() {
                let cell = board.cell(column, i);
                board.cells[cell] = match sign {
                    'x' => Content::First,
                    'o' => Content::Second,
                    _ => Content::Empty,
                };
            }
        }
        board
    }

    #[test]
    fn four_three_wins_and_less_does_not() {
        // e5 makes a four in its row and a three in its column.
        let rows = [
            ".........",
            "....x....",
            "....x....",
            ".........",
            "oxxx.....",
            ".........",
            ".........",
            ".........",
            ".........",
        ];
        let both = board(&rows);
        let mut attack = VcfSearch { watch: &NoMonitor, nodes: 0 };
        assert!(attack.wins(&both, 1).is_empty(), "one four is stopped");
        let wins = attack.wins(&both, 2);
        assert!(!wins.is_empty());
        let alone = board(&[
            ".........",
            ".........",
            ".........",
            ".........",
            "oxxx.....",
            ".........",
            ".........",
            ".........",
            ".........",
        ]);
        assert!(attack.wins(&alone, 3).is_empty(), "a four alone is stopped");
        // A player who is about to lose has no time for fours that do not block.
        let mut late = both.clone();
        for row in 0..4 {
            let cell = late.cell(8, row);
            late.cells[cell] = Content::Second;
        }
        assert!(attack.wins(&late, 2).is_empty());
    }
}
