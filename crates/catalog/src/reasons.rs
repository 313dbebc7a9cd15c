//! Why a position is worth what it is: threats, pairs and the line of best play, for people.
//!
//! ```text
//!  x x .      win     a stone here completes a line at once
//!  . o o      block   the opponent's next stone would
//!  . . .      threat  a line of which one cell is missing that cannot be taken yet
//!             pair    who loses one of the two cells takes the other
//! ```

use crate::Trouble;
use crate::answers::Answer;
use crate::deadline::Deadline;
use crate::entry::Entry;
use crate::handle::{Place, QueryOptions};
use outplay_core::{Content, Game, LineBoard, Notation, Turn, Watch, cell_name};
use outplay_players::{Merit, Truth};
use serde::Serialize;
use std::time::Duration;

/// A spot that has to do with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonMark {
    /// The spot's place in the scene.
    pub spot: usize,
    /// Its name.
    pub name: String,
    /// `win`, `block`, `threat` or `pair`.
    pub kind: &'static str,
    /// Whose it is: `first` or `second`.
    pub by: &'static str,
    /// Marks of one pair share a number.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<usize>,
}

/// A move of the line of best play.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The spots it points at, as in a scene.
    pub path: Vec<usize>,
    /// `first`, `second` or `chance`.
    pub by: &'static str,
    /// Every other move gives something away.
    pub forced: bool,
}

/// The answer of `why`.
#[derive(Clone, Debug, Serialize)]
pub struct Why {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// `first`, `second` or `chance`.
    pub to_move: &'static str,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The reason in words.
    pub sentence: String,
    /// The spots it is about.
    pub marks: Vec<ReasonMark>,
    /// Best play from here.
    pub line: Vec<ReasonMove>,
}

/// Plies of a line that anybody reads.
const LINE: usize = 60;
/// Time for a line.
const LINE_TIME: Duration = Duration::from_secs(3);
/// Pairs that are tried before no pairing is told.
const PAIRS: u32 = 20_000;

fn side(turn: Turn) -> (&'static str, &'static str, Content) {
    match turn {
        Turn::Second => ("second", "Second", Content::Second),
        _ => ("first", "First", Content::First),
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

fn names(board: &LineBoard, cells: &[usize]) -> String {
    let name = |&cell: &usize| cell_name(cell / board.height, cell % board.height);
    cells.iter().map(name).collect::<Vec<_>>().join(", ")
}

/// What can be seen on a board: sentences and marks.
fn board_reasons(board: &LineBoard, payoff: Option<i32>) -> (Vec<String>, Vec<ReasonMark>) {
    let (mover, mover_name, mine) = side(board.turn);
    let (other, other_name, theirs) = side(board.turn.other());
    let open = board.open_cells();
    let mut sentences = Vec::new();
    let mut marks = Vec::new();
    let mut put = |cells: &[usize], kind, by| {
        let mark = |&spot: &usize| {
            let name = cell_name(spot / board.height, spot % board.height);
            ReasonMark { spot, name, kind, by, pair: None }
        };
        marks.extend(cells.iter().map(mark));
    };
    if board.misere {
        return (sentences, marks);
    }
    let split = |player| completing(board, player).into_iter().partition(|cell| open.contains(cell));
    let (wins, later): (Vec<usize>, Vec<usize>) = split(mine);
    let (blocks, theirs_later): (Vec<usize>, Vec<usize>) = split(theirs);
    if !wins.is_empty() {
        put(&wins, "win", mover);
        sentences.push(format!("{mover_name} completes a line at {}", names(board, &wins)));
        return (sentences, marks);
    }
    put(&blocks, "block", other);
    match blocks.len() {
        0 => {}
        1 => sentences.push(format!("{mover_name} has to stop {other_name} at {}", names(board, &blocks))),
        _ => {
            let cells = names(board, &blocks);
            sentences.push(format!("{other_name} threatens {cells}, and only one of them can be stopped"));
        }
    }
    for (cells, by, name) in [(&later, mover, mover_name), (&theirs_later, other, other_name)] {
        put(cells, "threat", by);
        if !cells.is_empty() {
            sentences.push(format!("{name} waits for {}", names(board, cells)));
        }
    }
    if payoff == Some(0) && !board.gravity {
        for (attacker, holder, holder_name) in
            [(board.turn.other(), mover, mover_name), (board.turn, other, other_name)]
        {
            let Some(pairs) =
                outplay_proof::pairing(board, attacker, PAIRS).filter(|pairs| !pairs.is_empty())
            else {
                continue;
            };
            sentences.push(format!(
                "{holder_name} holds the draw by pairs: whoever loses one cell of a pair takes the other"
            ));
            for (pair, (one, two)) in pairs.into_iter().enumerate() {
                for spot in [one, two] {
                    let name = cell_name(spot / board.height, spot % board.height);
                    marks.push(ReasonMark { spot, name, kind: "pair", by: holder, pair: Some(pair) });
                }
            }
            break;
        }
    }
    (sentences, marks)
}

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn reason(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Why, Trouble> {
        let pos = self.locate(place)?;
        let truth = self.informed(options)?;
        let deadline = Deadline::new(options.time, watch).silent();
        let merit = truth.value(&pos, &deadline).or_else(|error| match deadline.passed() {
            true => Ok(None),
            false => Err(Trouble::from(error)),
        })?;
        let best = self.game.best_payoff();
        let value = match merit {
            Some(Merit::Value(value)) => Some(value),
            _ => None,
        };
        let answer = value.map_or(Answer::unknown(-best, best), |value| self.answer(&pos, value));
        let (mut sentences, marks) = match self.board {
            Some(to_board) if self.game.outcome(&pos).is_none() => {
                board_reasons(&to_board(&self.game, &pos), value.map(|value| value.payoff()))
            }
            _ => Default::default(),
        };
        let line = match self.game.outcome(&pos) {
            // A value is the answer, a line only its illustration.
            None => self.best_line(&pos, &truth, &Deadline::new(Some(LINE_TIME), &deadline)),
            Some(_) => Vec::new(),
        };
        if watch.stopped() {
            return Err(outplay_solve::SolveError::Stopped.into());
        }
        let line: Vec<ReasonMove> =
            line.into_iter().map(|(mv, path, by, forced)| ReasonMove { mv, path, by, forced }).collect();
        sentences.insert(0, self.verdict_sentence(&pos, &answer, merit));
        let replies: Vec<&ReasonMove> = line.iter().skip(1).step_by(2).collect();
        if replies.len() > 1 && replies.iter().all(|mv| mv.forced) && answer.value == "win" {
            sentences.push("every reply in the line is forced".into());
        }
        Ok(Why {
            game: self.game.spec(),
            position: self.game.write_position(&pos),
            to_move: self.whose_turn(&pos),
            answer,
            sentence: sentences.join("; ") + ".",
            marks,
            line,
        })
    }

    /// Who gets what, in words.
    fn verdict_sentence(&self, pos: &G::Position, answer: &Answer, merit: Option<Merit>) -> String {
        let turn = self.game.turn(pos);
        let (mover, other) = (side(turn).1, side(turn.other()).1);
        let plies = answer.distance.map(|plies| match plies {
            1 => " in 1 ply".to_string(),
            plies => format!(" in {plies} plies"),
        });
        let plies = plies.unwrap_or_default();
        match (merit, answer.value) {
            (_, "win") if answer.distance == Some(0) => format!("the game is over: {mover} has won"),
            (_, "loss") if answer.distance == Some(0) => format!("the game is over: {other} has won"),
            (_, "win") => format!("{mover} wins{plies}"),
            (_, "loss") => format!("{other} wins{plies}"),
            (_, "draw") if self.game.outcome(pos).is_some() => "the game is over: a draw".into(),
            (_, "draw") if answer.repetition => "nobody can force an end: a draw by repetition".into(),
            (_, "draw") => "neither can force a win: a draw".into(),
            (Some(Merit::Mean(mean)), _) => format!("{mover} gets {mean:.4} in the mean"),
            _ => "the value is out of reach here".into(),
        }
    }

    /// One line of best play with the spots that its moves point at, who makes them and whether they are forced.
    pub(crate) fn best_line(
        &self,
        pos: &G::Position,
        truth: &dyn Truth<G>,
        watch: &dyn Watch,
    ) -> Vec<(String, Vec<usize>, &'static str, bool)> {
        let mut pos = pos.clone();
        let mut line = Vec::new();
        let mut seen = vec![pos.clone()];
        while line.len() < LINE && self.game.outcome(&pos).is_none() && self.game.turn(&pos) != Turn::Chance {
            // A line that cannot be followed to its end is still worth its beginning.
            let Ok(Some(merits)) = truth.moves(&pos, watch) else { break };
            let Some(best) = merits.iter().map(|(_, merit)| *merit).reduce(|a, b| match a.compare(b) {
                std::cmp::Ordering::Less => b,
                _ => a,
            }) else {
                break;
            };
            let Some((mv, _)) = merits.iter().find(|(_, merit)| merit.compare(best).is_eq()) else { break };
            let forced =
                merits.len() == 1 || merits.iter().filter(|(_, merit)| merit.preserves(best)).count() == 1;
            let text = self.game.write_move(&pos, *mv);
            let scene = self.game.scene(&pos);
            let path = scene.moves.into_iter().find(|gesture| gesture.mv == text).map(|gesture| gesture.path);
            line.push((text, path.unwrap_or_default(), self.whose_turn(&pos), forced));
            pos = self.game.play(&pos, *mv);
            if seen.contains(&pos) {
                break;
            }
            seen.push(pos.clone());
        }
        line
    }
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
    fn a_threat_in_the_air_waits() {
        let (sentences, marks) =
            board_reasons(&board("...../...../xxx../oox..", Turn::Second, true, 4), None);
        assert_eq!(sentences.join("; "), "First waits for d2");
        assert_eq!(marks.len(), 1);
        assert_eq!((marks[0].kind, marks[0].name.as_str()), ("threat", "d2"));
    }
}
