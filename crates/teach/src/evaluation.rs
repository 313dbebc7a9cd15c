//! Static evaluation of a position, explained on the board: the terms of the score, and the value of every cell.

use outplay_core::svg::{Element, circle, document, path, rect, style, text};
use outplay_core::{AnyGame, AnyPosition, Content, Game, LineBoard, Mark, Notation, Picture, Tone, Turn};
use outplay_players::{Insight, Judge, Part, PlayerContext, squeezed};
use outplay_search::Evaluate;
use outplay_workbench::{GameHandle, PositionRef, Session, Trouble, kit};
use serde::Serialize;
use std::sync::Arc;

/// Static evaluation of a position, with its terms and the value of every cell.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// The player to move; all figures are from this player's view.
    pub to_move: Turn,
    /// The evaluation's canonical spec.
    pub eval: String,
    /// The score, in the evaluation's own unit.
    pub score: i32,
    /// The same on the scale of payoffs, from −99 to 99.
    pub opinion: f64,
    /// The factor of the sum of the features.
    pub scale: f64,
    /// The features of the score.
    pub parts: Vec<Part>,
    /// The value of every cell, for evaluations by cell.
    pub cells: Vec<CellValue>,
    /// The best moves by cell value.
    pub best: Vec<String>,
    /// A self-contained SVG of the position with all figures.
    pub svg: String,
}

/// Value of an empty cell for the player to move, by a static evaluation.
#[derive(Clone, Debug, Serialize)]
pub struct CellValue {
    /// The move there.
    #[serde(rename = "move")]
    pub mv: String,
    /// The sum.
    pub total: i32,
    /// Own windows: column, row, rising and falling diagonal.
    pub own: [i32; 4],
    /// The opponent's windows.
    pub other: [i32; 4],
    /// A stone here wins immediately.
    pub wins: bool,
    /// A stone here prevents an immediate loss.
    pub blocks: bool,
}

/// Evaluates a position, by an evaluation such as `helpful` or `lines:weights=paper`.
///
/// # Errors
///
/// Bad input, an evaluation that this game does not support, or a finished game.
pub fn evaluate(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    eval: &str,
) -> Result<Evaluation, Trouble> {
    evaluated(handle, place, eval, kit(session, handle))
}

/// The same for untrusted requests: weights are not read from files.
///
/// # Errors
///
/// As [`evaluate`].
pub fn evaluate_unread(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    eval: &str,
) -> Result<Evaluation, Trouble> {
    evaluated(handle, place, eval, PlayerContext { files: None, ..kit(session, handle) })
}

fn evaluated(
    handle: &GameHandle,
    place: &PositionRef,
    eval: &str,
    kit: PlayerContext,
) -> Result<Evaluation, Trouble> {
    let game = handle.game();
    let pos = handle.locate(place)?;
    if game.outcome(&pos).is_some() || game.turn(&pos) == Turn::Chance {
        let why = "only a position in which a player is to move can be evaluated; here the game is over or dice are to be rolled";
        return Err(Trouble::unable(why));
    }
    let judge = kit.judge(eval)?;
    let turn = game.turn(&pos);
    let Insight { score, scale, parts, cells } = judge.insight(&pos, turn);
    let board = game.board(&pos);
    let cells: Vec<CellValue> = cells
        .into_iter()
        .filter_map(|help| {
            let mv = board.as_ref()?.move_name(help.cell);
            let (total, own, other) = (help.total, help.own, help.other);
            Some(CellValue { mv, total, own, other, wins: help.wins, blocks: help.blocks })
        })
        .collect();
    let rank = |cell: &CellValue| (cell.wins, cell.blocks, cell.total);
    let top = cells.iter().map(rank).max();
    let best = cells.iter().filter(|cell| Some(rank(cell)) == top).map(|cell| cell.mv.clone()).collect();
    let mut evaluation = Evaluation {
        game: handle.spec(),
        position: game.write_position(&pos),
        to_move: turn,
        eval: judge.spec(),
        score,
        opinion: squeezed(score, judge.unit()),
        scale,
        parts,
        cells,
        best,
        svg: String::new(),
    };
    evaluation.svg = svg(&evaluation, board.as_ref());
    Ok(evaluation)
}

/// Draws the position with the value of every cell.
///
/// # Errors
///
/// Bad input.
pub fn draw_evaluation(
    handle: &GameHandle,
    place: &PositionRef,
    evaluation: &Evaluation,
) -> Result<Picture, Trouble> {
    let pos = handle.locate(place)?;
    let mut marks = Vec::new();
    for cell in &evaluation.cells {
        let tone = if evaluation.best.contains(&cell.mv) { Tone::Win } else { Tone::Draw };
        let mv = handle.game().read_move(&pos, &cell.mv)?;
        marks.push(Mark { mv, text: cell.total.to_string(), tone });
    }
    Ok(handle.game().draw(&pos, &marks))
}

/// The evaluation at the leaves of a tree from a position; without a name, none.
pub(crate) fn leaves(kit: &PlayerContext, root: &AnyPosition, eval: Option<&str>) -> Result<Leaves, Trouble> {
    let judge = eval.map(|eval| kit.judge(eval)).transpose()?;
    let me = if kit.game.turn(root) == Turn::Second { Turn::Second } else { Turn::First };
    Ok(Leaves { judge, me })
}

/// Static evaluation at the leaves of a search. Every leaf is judged from the view of the player who moves at the
/// root, as searchers of players do: an evaluation that counts own stones only differs between the players.
pub(crate) struct Leaves {
    judge: Option<Arc<dyn Judge>>,
    me: Turn,
}

impl Evaluate<AnyGame> for Leaves {
    fn score(&self, game: &AnyGame, pos: &AnyPosition) -> i32 {
        let Some(judge) = &self.judge else { return 0 };
        // On the scale of payoffs, in hundredths: 99 is nearly a win.
        let score = squeezed(judge.score(pos, self.me), judge.unit()).round() as i32;
        // With chance, evaluations are the first player's.
        let first = if self.me == Turn::Second { -score } else { score };
        if game.turn(pos) == Turn::Second { -first } else { first }
    }
}

/// Dimensions of the picture.
const CELL: f64 = 64.0;
const EDGE: f64 = 28.0;
const PANEL: f64 = 380.0;
const ROW: f64 = 22.0;

/// The board with the values of its cells, and the features of the score beside it.
fn svg(evaluation: &Evaluation, board: Option<&LineBoard>) -> String {
    // Large boards are shown as a list of features.
    let board = board.filter(|board| board.cells.len() <= 400);
    let side = |cells: usize| cells as f64 * CELL + 2.0 * EDGE;
    let (left, high) = board.map_or((0.0, 0.0), |board| (side(board.width), side(board.height)));
    let list = 2.0 * EDGE + ROW * (evaluation.parts.len().min(MOST_PARTS) + 4) as f64;
    let (width, height) = (left + PANEL, high.max(list));
    let mut out = document(width, height)
        .length("width", width)
        .attr("font-family", "system-ui, sans-serif")
        .attr("font-size", 14)
        .attr("role", "img")
        .title(format!("{} by {}: {}", evaluation.game, evaluation.eval, evaluation.score))
        .with(style(STYLE))
        .with(rect(0, 0, width, height).class("paper"));
    if let Some(board) = board {
        draw_board(&mut out, board, evaluation);
    }
    let mut y = EDGE + 6.0;
    let mut row = |class: &str, name: &str, amount: &str| {
        out.push(text(left + EDGE, y, name).class(class));
        out.push(text(width - EDGE, y, amount).class(format!("{class} right")));
        y += ROW;
    };
    row("ink bold", &evaluation.eval, &format!("{:+}", evaluation.score));
    row("faint", "seen by the player to move", &format!("{:+.0} of 100", evaluation.opinion));
    for part in evaluation.parts.iter().take(MOST_PARTS) {
        row("ink", &part.name, &format!("{} × {} = {:+.1}", part.count, short(part.weight), part.amount));
    }
    if evaluation.parts.len() > MOST_PARTS {
        row("faint", &format!("and {} more", evaluation.parts.len() - MOST_PARTS), "");
    }
    out.to_string()
}

/// Limit on the features listed in a picture.
const MOST_PARTS: usize = 60;

/// Light and dark style.
const STYLE: &str = ".paper{fill:#fbfaf7}.line{stroke:#c9c4b8}.ink{fill:#22262b}.faint{fill:#767b83}.bold{font-weight:600}.right{text-anchor:end}.mid{text-anchor:middle}.x{stroke:#22262b;fill:none}.o{stroke:#b3541e;fill:none}.wall{fill:#c9c4b8}.best{fill:#1e7f4f;font-weight:700}@media (prefers-color-scheme:dark){.paper{fill:#16191d}.line{stroke:#3b4048}.ink{fill:#e8e6e1}.faint{fill:#9aa0a8}.x{stroke:#e8e6e1}.o{stroke:#f0a35e}.wall{fill:#3b4048}.best{fill:#5fd39a}}";

fn short(weight: f64) -> String {
    if weight.fract() == 0.0 { format!("{weight}") } else { format!("{weight:.2}") }
}

fn draw_board(out: &mut Element, board: &LineBoard, evaluation: &Evaluation) {
    let open = board.open_cells();
    let line = |cells: usize| EDGE + cells as f64 * CELL;
    let (right, bottom) = (line(board.width), line(board.height));
    out.extend((0..=board.width).map(|x| path(format!("M{} {EDGE}V{bottom}", line(x))).class("line")));
    out.extend((0..=board.height).map(|y| path(format!("M{EDGE} {}H{right}", line(y))).class("line")));
    for (cell, content) in board.cells.iter().enumerate() {
        let (column, row) = (cell / board.height, cell % board.height);
        let (x, y) = (line(column) + CELL / 2.0, line(board.height - 1 - row) + CELL / 2.0);
        out.extend(match content {
            Content::First => {
                let cross = format!("M{} {}l32 32M{0} {}l32 -32", x - 16.0, y - 16.0, y + 16.0);
                Some(path(cross).class("x").attr("stroke-width", 5))
            }
            Content::Second => Some(circle(x, y, 17).class("o").attr("stroke-width", 5)),
            Content::Blocked => Some(rect(x - CELL / 2.0, y - CELL / 2.0, CELL, CELL).class("wall")),
            Content::Empty => None,
        });
        let name = board.move_name(cell);
        // A move on a gravity board names a column, which has one open cell.
        let seen = evaluation.cells.iter().find(|value| open.contains(&cell) && value.mv == name);
        let Some(CellValue { total, own, other, .. }) = seen else { continue };
        let class = if evaluation.best.contains(&name) { "best mid" } else { "ink mid" };
        let sums = format!("{} + {}", own.iter().sum::<i32>(), other.iter().sum::<i32>());
        out.push(text(x, y + 4.0, total).class(class).attr("font-size", 20));
        out.push(text(x, y + 22.0, sums).class("faint mid").attr("font-size", 10));
    }
}
