//! Themes and difficulty of a puzzle: its solution line, the tactical themes in it, and the search effort to find it.
//!
//! ```text
//!  line      move  reply  move  reply  move      every move of the solver is the only right one
//!  themes    only move · mate in 3 · fork · four-three · zugzwang · defence
//!  effort    nodes of iterative deepening until the right move is found and remains best
//! ```

use crate::puzzles::PuzzleKind;
use crate::reasons::first_best;
use crate::threats::{fork, threats_of};
use outplay_core::{AnyMove, AnyPosition, Content, Game, LineBoard, Notation, Turn};
use outplay_players::{ExactOracle, MoveValue, MoveValues};
use outplay_runtime::{Deadline, Monitor};
use outplay_workbench::{ChooseRequest, GameHandle, PositionRef, Session};
use serde::Serialize;
use std::time::Duration;

/// Limit on the solver's moves in one puzzle.
const TURNS: usize = 6;
/// Limit on equally long replies that are tried to continue the puzzle.
const ANSWERS: usize = 6;
/// The deepest search of the effort measurement.
const DEEPEST: u32 = 9;
/// Node limit after which no deeper search is started: a later find is hard anyway.
const ENOUGH: u64 = 200_000;
/// Time limit per depth: a slower search counts as hard.
const EACH: Duration = Duration::from_millis(1500);

/// The context in which puzzles are made: a game, its exact values and a time limit.
#[derive(Clone, Copy)]
pub(crate) struct PuzzleContext<'a> {
    pub(crate) session: &'a Session,
    pub(crate) entry: &'a GameHandle,
    pub(crate) truth: &'a dyn ExactOracle,
    pub(crate) watch: &'a dyn Monitor,
}

/// A step of a puzzle's solution: one move of the solver and the reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct PuzzleStep {
    /// The only right move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The opponent's reply; none at the end of the line.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reply: Option<String>,
}

/// Difficulty of a puzzle, with the measurements that it is derived from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Difficulty {
    /// From 1, for beginners, to 5.
    pub level: u8,
    /// Nodes of iterative deepening until the move is found and stays best.
    pub nodes: u64,
    /// Wrong moves that no single reply refutes immediately.
    pub refutations: usize,
}

/// A solution line with the positions before each of the solver's moves, each of which is the only right one.
pub(crate) struct SolutionLine {
    pub(crate) steps: Vec<PuzzleStep>,
    /// After each of the solver's moves.
    after: Vec<AnyPosition>,
}

/// Returns the only move that continues a puzzle, if there is exactly one.
fn goes_on(merits: &MoveValues, kind: PuzzleKind) -> Option<AnyMove> {
    let &(mv, best) = first_best(merits)?;
    let count = |good: &dyn Fn(MoveValue) -> bool| merits.iter().filter(|(_, merit)| good(*merit)).count();
    let MoveValue::Value(value) = best else { return None };
    let only = merits.len() > 1 && count(&|merit| merit.preserves(best)) == 1;
    // The end of a win is included if there is one way to finish it.
    let ends = value.payoff() > 0
        && (value.distance() == Some(1) || kind == PuzzleKind::Soonest)
        && count(&|merit| merit.equals(best)) == 1;
    (value.payoff() >= 0 && (only || ends)).then_some(mv)
}

/// The solution line of a puzzle: continues while there is one right move, against the longest resistance.
pub(crate) fn whole_line(
    context: PuzzleContext<'_>,
    pos: &AnyPosition,
    merits: &MoveValues,
    kind: PuzzleKind,
) -> SolutionLine {
    let PuzzleContext { truth, watch, .. } = context;
    let game = context.entry.game();
    let mut line = SolutionLine { steps: Vec::new(), after: Vec::new() };
    let (solver, mut pos) = (game.turn(pos), pos.clone());
    let mut next = first_best(merits).map(|(mv, _)| *mv);
    while let Some(mv) = next.take() {
        line.steps.push(PuzzleStep { mv: game.write_move(&pos, mv), reply: None });
        pos = game.play(&pos, mv);
        line.after.push(pos.clone());
        let answers = game.outcome(&pos).is_none() && game.turn(&pos) == solver.other();
        if kind == PuzzleKind::Best || !answers || line.steps.len() >= TURNS {
            break;
        }
        let Ok(Some(replies)) = truth.moves(&pos, watch) else { break };
        let Some(&(_, best)) = first_best(&replies) else { break };
        let equal = replies.iter().filter(|(_, merit)| merit.equals(best)).take(ANSWERS);
        for &(reply, _) in equal {
            let then = game.play(&pos, reply);
            if game.outcome(&then).is_some() || game.turn(&then) != solver {
                continue;
            }
            let Ok(Some(moves)) = truth.moves(&then, watch) else { continue };
            if let Some(mv) = goes_on(&moves, kind) {
                if let Some(step) = line.steps.last_mut() {
                    step.reply = Some(game.write_move(&pos, reply));
                }
                (pos, next) = (then, Some(mv));
                break;
            }
        }
    }
    line
}

/// The themes of a puzzle, as searchable keywords.
pub(crate) fn themes(
    context: PuzzleContext<'_>,
    solver: Turn,
    line: &SolutionLine,
    kind: PuzzleKind,
    best: MoveValue,
) -> Vec<String> {
    let game = context.entry.game();
    let mut themes = Vec::new();
    let chess = game.spec().starts_with("chess");
    match (kind, best) {
        (PuzzleKind::Best, _) | (_, MoveValue::Mean(_)) => themes.push("chance".into()),
        (_, MoveValue::Value(value)) if value.payoff() > 0 => {
            if let Some(turns) = value.distance().map(|plies| plies.div_ceil(2)).filter(|turns| *turns <= 9) {
                themes.push(format!("{} in {turns}", if chess { "mate" } else { "win" }));
            }
        }
        _ => themes.push("defence".into()),
    }
    if kind == PuzzleKind::Only {
        themes.push("only move".into());
    }
    let boards: Vec<LineBoard> = line.after.iter().filter_map(|pos| game.board(pos)).collect();
    if boards.iter().any(|board| fork(board, solver).is_some()) {
        themes.push("fork".into());
    }
    if line.after.iter().any(|pos| is_zugzwang(context, pos, solver)) {
        themes.push("zugzwang".into());
    }
    themes
}

/// Whether a stone made a four-three: a four and an open three at once. The four threatens five in a row at one cell;
/// after that is blocked, one more stone makes an open four through the same stone.
pub(crate) fn four_three(board: &LineBoard, player: Turn, made: usize) -> bool {
    if board.k != 5 || board.gravity {
        return false;
    }
    let now = threats_of(board, player);
    let [four] = now[..] else { return false };
    let place = |cell: usize| ((cell / board.height) as i64, (cell % board.height) as i64);
    // An open four is completed at both of its ends, five cells apart, and the stone lies between them.
    let ends = |a: usize, b: usize| {
        let ((ax, ay), (bx, by), (x, y)) = (place(a), place(b), place(made));
        let (dx, dy) = (bx - ax, by - ay);
        let straight = [dx, dy].iter().all(|step| step.abs() == 5 || *step == 0);
        straight && (1..=4).any(|step| (x, y) == (ax + step * dx.signum(), ay + step * dy.signum()))
    };
    let open = board.open_cells();
    open.iter().filter(|cell| **cell != four).any(|&cell| {
        let mut then = board.clone();
        (then.cells[four], then.cells[cell]) = (stone(player.other()), stone(player));
        let cells = threats_of(&then, player);
        cells.iter().any(|&a| cells.iter().any(|&b| a < b && ends(a, b)))
    })
}

pub(crate) fn stone(player: Turn) -> Content {
    if player == Turn::Second { Content::Second } else { Content::First }
}

/// Whether the opponent is in zugzwang: passing would be better than any move.
fn is_zugzwang(context: PuzzleContext<'_>, pos: &AnyPosition, solver: Turn) -> bool {
    let game = context.entry.game();
    if game.outcome(pos).is_some() || game.turn(pos) != solver.other() {
        return false;
    }
    if let Some(board) = game.board(pos) {
        // There is no threat, and yet every reply lets the solver complete a line.
        return threats_of(&board, solver).is_empty()
            && game.list(pos).all(|mv| {
                let then = game.play(pos, mv);
                game.outcome(&then).is_none()
                    && game.board(&then).is_some_and(|board| !threats_of(&board, solver).is_empty())
            });
    }
    let text = game.write_position(pos);
    let Some(passed) = passed(&text) else { return false };
    let Ok(passed) = game.read_position(&passed) else { return false };
    if game.turn(&passed) != solver || game.outcome(&passed).is_some() {
        return false;
    }
    let each = Deadline::new(Some(EACH), context.watch).silent();
    match (context.truth.value(pos, &each), context.truth.value(&passed, &each)) {
        (Ok(Some(MoveValue::Value(moved))), Ok(Some(MoveValue::Value(passed)))) => {
            // The opponent loses by the obligation to move, or would at least lose later.
            moved.payoff() < 0
                && (passed.payoff() <= 0 || passed.distance() > moved.distance().map(|plies| plies + 1))
        }
        _ => false,
    }
}

/// A chess position with the other side to move.
fn passed(text: &str) -> Option<String> {
    let (board, rest) = text.split_once(' ')?;
    let turned = match rest.split(' ').next()? {
        "w" => "b",
        "b" => "w",
        _ => return None,
    };
    board.contains('/').then(|| format!("{board} {turned} - - 0 1"))
}

/// Measures the difficulty of a puzzle's first move.
pub(crate) fn difficulty(
    context: PuzzleContext<'_>,
    pos: &AnyPosition,
    merits: &MoveValues,
    steps: &[PuzzleStep],
) -> Difficulty {
    let best = first_best(merits).map(|(_, best)| *best);
    let late = |merit: MoveValue| match merit {
        MoveValue::Value(value) if value.payoff() < 0 => value.distance().is_none_or(|plies| plies > 2),
        _ => true,
    };
    let wrong = merits.iter().filter(|(_, merit)| best.is_some_and(|best| !merit.equals(best)));
    let refutations = wrong.filter(|(_, merit)| late(*merit)).count();
    let solution = steps.first().map(|step| step.mv.as_str()).unwrap_or_default();
    let nodes = effort(context, pos, solution);
    Difficulty::of(nodes, refutations, steps.len())
}

impl Difficulty {
    /// The difficulty of a line of `moves` moves, from search effort and number of wrong moves.
    pub(crate) fn of(nodes: u64, refutations: usize, moves: usize) -> Difficulty {
        let hardness = 0.8 * (nodes.max(1) as f64).log10()
            + 0.4 * (1.0 + refutations as f64).log2()
            + 0.35 * (moves as f64 - 1.0);
        let level = [1.4, 2.6, 3.8, 5.2].iter().filter(|bound| hardness >= **bound).count() as u8 + 1;
        Difficulty { level, nodes, refutations }
    }
}

/// Nodes of iterative deepening until the move is found and no deeper search changes it.
fn effort(context: PuzzleContext<'_>, pos: &AnyPosition, solution: &str) -> u64 {
    let (mut spent, mut needed) = (0u64, 1);
    for depth in 1..=DEEPEST {
        let mut request = ChooseRequest::default();
        request.place = PositionRef::At(pos.clone());
        request.player = format!("alphabeta:depth={depth}");
        request.seed = 1;
        let each = Deadline::new(Some(EACH), context.watch).silent();
        let Ok(choice) = outplay_workbench::choose(context.session, context.entry, &request, &each) else {
            break;
        };
        spent += choice.nodes;
        if choice.mv != solution {
            needed = spent;
        }
        // The next depth would take several times the time.
        if spent > ENOUGH {
            break;
        }
    }
    needed
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Value;

    fn merits(values: &[i32]) -> MoveValues {
        let merit = |n: i32| MoveValue::Value(Value::new(n.signum(), n.unsigned_abs()));
        values.iter().enumerate().map(|(i, &n)| (AnyMove(i as u32), merit(n))).collect()
    }

    #[test]
    fn solution_line_continues_while_one_move_is_right() {
        let check = |values: &[i32], kind, expected: Option<u32>| {
            assert_eq!(goes_on(&merits(values), kind), expected.map(AnyMove), "{values:?}");
        };
        check(&[0, 5, -2], PuzzleKind::Only, Some(1));
        check(&[7, 5, 0], PuzzleKind::Only, None);
        check(&[7, 5, 0], PuzzleKind::Soonest, Some(1));
        check(&[7, 1, 3], PuzzleKind::Only, Some(1));
        check(&[1, 1, 3], PuzzleKind::Only, None);
        check(&[0, -2], PuzzleKind::Only, Some(0));
        check(&[-2, -4], PuzzleKind::Only, None);
        check(&[3], PuzzleKind::Only, None);
    }

    #[test]
    fn four_three_is_recognised() {
        let board = |stones: &[(usize, usize)]| {
            let mut board = LineBoard::empty(9, 9, 5);
            board.turn = Turn::Second;
            for &(column, row) in stones {
                let cell = board.cell(column, row);
                board.cells[cell] = Content::First;
            }
            // The four is blocked at its other end.
            let end = board.cell(0, 4);
            board.cells[end] = Content::Second;
            board
        };
        let four = [(1, 4), (2, 4), (3, 4), (4, 4)];
        let three = [(4, 5), (4, 6)];
        let made = |column: usize, row: usize| board(&four).cell(column, row);
        let both = board(&[&four[..], &three[..]].concat());
        assert!(four_three(&both, Turn::First, made(4, 4)));
        assert!(!four_three(&both, Turn::First, made(1, 4)), "this stone is not in the three");
        assert!(!four_three(&board(&four), Turn::First, made(4, 4)), "a four alone");
        assert!(!four_three(&board(&three), Turn::First, made(4, 5)), "a three alone");
    }

    #[test]
    fn passing_swaps_the_side_to_move_in_chess_only() {
        assert_eq!(passed("8/8/3k4/8/8/8/8/K6Q w - - 0 1").as_deref(), Some("8/8/3k4/8/8/8/8/K6Q b - - 0 1"));
        assert_eq!(passed("1+2 A"), None);
        assert_eq!(passed("x../.../... x"), None);
    }
}
