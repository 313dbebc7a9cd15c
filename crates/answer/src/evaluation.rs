//! An evaluation seen on the board: what it counts, and what it thinks of every cell.

use crate::Trouble;
use crate::entry::Entry;
use crate::request::{Place, QueryOptions};
use outplay_core::figures::escaped;
use outplay_core::{AnyGame, AnyPosition, Content, Game, LineBoard, Mark, Notation, Picture, Tone, Turn};
use outplay_players::{Insight, Judge, Kit, Part, squeezed};
use outplay_search::Evaluate;
use serde::Serialize;
use std::fmt::Write;
use std::sync::Arc;

/// A position as an evaluation sees it.
#[derive(Clone, Debug, Serialize)]
pub struct Evaluation {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// Who is to move; all figures are this player's.
    pub to_move: Turn,
    /// The evaluation's canonical spec.
    pub eval: String,
    /// How good the position looks, in the evaluation's own unit.
    pub score: i32,
    /// The same on the scale of payoffs, from −99 to 99.
    pub opinion: f64,
    /// What the sum of the parts is multiplied with.
    pub scale: f64,
    /// What the score is made of.
    pub parts: Vec<Part>,
    /// What every cell is worth, for evaluations of cells.
    pub cells: Vec<CellValue>,
    /// The moves that the evaluation of cells would choose between.
    pub best: Vec<String>,
    /// The position with all of it, as a picture that stands alone.
    pub svg: String,
}

/// What a cell is worth to the player to move.
#[derive(Clone, Debug, Serialize)]
pub struct CellValue {
    /// The move there.
    #[serde(rename = "move")]
    pub mv: String,
    /// All of it.
    pub total: i32,
    /// Own windows: column, row, rising and falling diagonal.
    pub own: [i32; 4],
    /// The opponent's windows.
    pub other: [i32; 4],
    /// A stone here wins at once.
    pub wins: bool,
    /// A stone here prevents a loss at once.
    pub blocks: bool,
}

impl Entry {
    /// What an evaluation, such as `helpful` or `lines:weights=paper`, sees in a position.
    ///
    /// # Errors
    ///
    /// Bad input, an evaluation that makes no sense here, or a game that is over.
    pub fn evaluate(&self, place: &Place, eval: &str, options: &QueryOptions) -> Result<Evaluation, Trouble> {
        self.evaluated(place, eval, self.kit(options))
    }

    /// The same for strangers: weights are not read from files.
    ///
    /// # Errors
    ///
    /// As [`Entry::evaluate`].
    pub fn evaluate_unread(
        &self,
        place: &Place,
        eval: &str,
        options: &QueryOptions,
    ) -> Result<Evaluation, Trouble> {
        self.evaluated(place, eval, Kit { files: None, ..self.kit(options) })
    }

    fn evaluated(&self, place: &Place, eval: &str, kit: Kit) -> Result<Evaluation, Trouble> {
        let game = self.game();
        let pos = self.locate(place)?;
        if game.outcome(&pos).is_some() || game.turn(&pos) == Turn::Chance {
            let why =
                "evaluations are opinions about positions in which a player is to move, and this is none";
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
            game: self.spec(),
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

    /// The position drawn with what every cell is worth.
    ///
    /// # Errors
    ///
    /// Bad input.
    pub fn draw_evaluation(&self, place: &Place, evaluation: &Evaluation) -> Result<Picture, Trouble> {
        let pos = self.locate(place)?;
        let mut marks = Vec::new();
        for cell in &evaluation.cells {
            let tone = if evaluation.best.contains(&cell.mv) { Tone::Win } else { Tone::Draw };
            let mv = self.game().read_move(&pos, &cell.mv)?;
            marks.push(Mark { mv, text: cell.total.to_string(), tone });
        }
        Ok(self.game().draw(&pos, &marks))
    }

    /// The opinion that a tree from a position has at its leaves; none for no name.
    pub(crate) fn leaves(&self, root: &AnyPosition, eval: Option<&str>) -> Result<Leaves, Trouble> {
        self.leaves_by(root, eval, &self.kit(&QueryOptions::default()))
    }

    /// The same with what a kit may use.
    pub(crate) fn leaves_by(
        &self,
        root: &AnyPosition,
        eval: Option<&str>,
        kit: &Kit,
    ) -> Result<Leaves, Trouble> {
        let judge = eval.map(|eval| kit.judge(eval)).transpose()?;
        let me = if self.game().turn(root) == Turn::Second { Turn::Second } else { Turn::First };
        Ok(Leaves { judge, me })
    }
}

/// A judge of any game at the leaves of a search. Players judge every position as whoever chooses the move at the
/// root sees it, so this does, too: what counts own stones only is another opinion for the other player.
pub(crate) struct Leaves {
    judge: Option<Arc<dyn Judge>>,
    me: Turn,
}

impl Evaluate<AnyGame> for Leaves {
    fn score(&self, game: &AnyGame, pos: &AnyPosition) -> i32 {
        let Some(judge) = &self.judge else { return 0 };
        // On the scale of payoffs, in hundredths: 99 is nearly a win.
        let score = squeezed(judge.score(pos, self.me), judge.unit()).round() as i32;
        // Where dice are rolled opinions are the first player's.
        let first = if self.me == Turn::Second { -score } else { score };
        if game.turn(pos) == Turn::Second { -first } else { first }
    }
}

/// Sizes of the picture.
const CELL: usize = 64;
const EDGE: usize = 28;
const PANEL: usize = 380;
const ROW: usize = 22;

/// The board with the worth of its cells, and the parts of the score beside it.
fn svg(evaluation: &Evaluation, board: Option<&LineBoard>) -> String {
    let (columns, rows) = board.map_or((0, 0), |board| (board.width, board.height));
    // Vast boards are lists of parts.
    let drawn = board.filter(|board| board.cells.len() <= 400);
    let (wide, high) =
        if drawn.is_some() { (columns * CELL + 2 * EDGE, rows * CELL + 2 * EDGE) } else { (0, 0) };
    let list = 2 * EDGE + ROW * (evaluation.parts.len().min(MOST_PARTS) + 4);
    let (width, height) = (wide + PANEL, high.max(list));
    let mut out = format!(
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" font-family="system-ui, sans-serif" font-size="14" role="img"><title>{} by {}: {}</title>{STYLE}<rect class="paper" width="{width}" height="{height}"/>"#,
        escaped(&evaluation.game),
        escaped(&evaluation.eval),
        evaluation.score
    );
    if let Some(board) = drawn {
        draw_board(&mut out, board, evaluation);
    }
    let mut y = EDGE + 6;
    let mut line = |out: &mut String, class: &str, left: &str, right: &str| {
        // Writing to a string cannot fail.
        let _ = write!(
            out,
            r#"<text class="{class}" x="{}" y="{y}">{}</text><text class="{class} right" x="{}" y="{y}">{}</text>"#,
            wide + EDGE,
            escaped(left),
            width - EDGE,
            escaped(right)
        );
        y += ROW;
    };
    line(&mut out, "ink bold", &evaluation.eval, &format!("{:+}", evaluation.score));
    line(&mut out, "faint", "seen by the player to move", &format!("{:+.0} of 100", evaluation.opinion));
    for part in evaluation.parts.iter().take(MOST_PARTS) {
        let right = format!("{} × {} = {:+.1}", part.count, short(part.weight), part.amount);
        line(&mut out, "ink", &part.name, &right);
    }
    if evaluation.parts.len() > MOST_PARTS {
        line(&mut out, "faint", &format!("and {} more", evaluation.parts.len() - MOST_PARTS), "");
    }
    out + "</svg>"
}

/// Parts that are listed in a picture.
const MOST_PARTS: usize = 60;

/// Light and dark.
const STYLE: &str = "<style>.paper{fill:#fbfaf7}.line{stroke:#c9c4b8}.ink{fill:#22262b}.faint{fill:#767b83}.bold{font-weight:600}.right{text-anchor:end}.mid{text-anchor:middle}.x{stroke:#22262b;fill:none}.o{stroke:#b3541e;fill:none}.wall{fill:#c9c4b8}.best{fill:#1e7f4f;font-weight:700}@media (prefers-color-scheme:dark){.paper{fill:#16191d}.line{stroke:#3b4048}.ink{fill:#e8e6e1}.faint{fill:#9aa0a8}.x{stroke:#e8e6e1}.o{stroke:#f0a35e}.wall{fill:#3b4048}.best{fill:#5fd39a}}</style>";

fn short(weight: f64) -> String {
    if weight.fract() == 0.0 { format!("{weight}") } else { format!("{weight:.2}") }
}

fn draw_board(out: &mut String, board: &LineBoard, evaluation: &Evaluation) {
    let open = board.open_cells();
    for column in 0..=board.width {
        let (x, end) = (EDGE + column * CELL, EDGE + board.height * CELL);
        let _ = write!(out, r#"<path class="line" d="M{x} {EDGE}V{end}"/>"#);
    }
    for row in 0..=board.height {
        let (y, end) = (EDGE + row * CELL, EDGE + board.width * CELL);
        let _ = write!(out, r#"<path class="line" d="M{EDGE} {y}H{end}"/>"#);
    }
    for (cell, content) in board.cells.iter().enumerate() {
        let (column, row) = (cell / board.height, cell % board.height);
        let (x, y) = (EDGE + column * CELL + CELL / 2, EDGE + (board.height - 1 - row) * CELL + CELL / 2);
        let _ = match content {
            Content::First => write!(
                out,
                r#"<path class="x" stroke-width="5" d="M{} {}L{} {}M{} {}L{} {}"/>"#,
                x - 16,
                y - 16,
                x + 16,
                y + 16,
                x - 16,
                y + 16,
                x + 16,
                y - 16
            ),
            Content::Second => {
                write!(out, r#"<circle class="o" stroke-width="5" cx="{x}" cy="{y}" r="17"/>"#)
            }
            Content::Blocked => write!(
                out,
                r#"<rect class="wall" x="{}" y="{}" width="{CELL}" height="{CELL}"/>"#,
                x - CELL / 2,
                y - CELL / 2
            ),
            Content::Empty => Ok(()),
        };
        let name = board.move_name(cell);
        let seen = evaluation.cells.iter().filter(|_| open.contains(&cell));
        // A move of a board with gravity names a column, of which one cell is open.
        let Some(value) = seen.into_iter().find(|value| value.mv == name) else { continue };
        let class = if evaluation.best.contains(&value.mv) { "best" } else { "ink" };
        let _ = write!(
            out,
            r#"<text class="{class} mid" x="{x}" y="{}" font-size="20">{}</text><text class="faint mid" x="{x}" y="{}" font-size="10">{} + {}</text>"#,
            y + 4,
            value.total,
            y + 22,
            value.own.iter().sum::<i32>(),
            value.other.iter().sum::<i32>()
        );
    }
}
