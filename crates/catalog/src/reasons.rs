//! Why a position is worth what it is: what can be seen on the board, what the moves have in common, and the line
//! of best play, for people.
//!
//! ```text
//!  the verdict · what the rules show (threats, pairs, nim-sums, mills) · what every move would give away
//!  └ marks on spots: win, block, threat, pair, key             └ line of best play, forced moves marked
//! ```

use crate::Trouble;
use crate::alternatives::{Eyes, compared, rolls};
use crate::answers::Answer;
use crate::deadline::Deadline;
use crate::entry::Entry;
use crate::handle::{Place, QueryOptions};
use crate::threats::{board_reasons, fork};
use outplay_core::{Game, Layout, Notation, Scene, Sign, Turn, Watch};
use outplay_players::{Merit, Merits, Truth};
use serde::Serialize;
use std::time::Duration;

/// A spot that has to do with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonMark {
    /// The spot's place in the scene.
    pub spot: usize,
    /// Its name.
    pub name: String,
    /// `win`, `block`, `threat`, `pair` or `key`.
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
    /// The spots it points at, as in the scene of the position asked for; none where the board has changed.
    pub path: Vec<usize>,
    /// `first`, `second` or `chance`.
    pub by: &'static str,
    /// Every other move gives something away.
    pub forced: bool,
    /// It takes something of the opponent's off the board.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub takes: bool,
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
/// Time for the values of the moves and the line of best play.
const LINE_TIME: Duration = Duration::from_secs(3);

/// What the players are called where a scene is drawn.
pub(crate) fn called(scene: &Scene) -> [&'static str; 2] {
    if scene.layout == Layout::Chess { ["White", "Black"] } else { ["First", "Second"] }
}

fn word(sign: Sign) -> &'static str {
    match sign {
        Sign::Win => "win",
        Sign::Block => "block",
        Sign::Key => "key",
    }
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
        let patience = match self.is_exact_board(&pos, options) {
            // Threats can be told without a value; a surprise may still be found in a moment.
            Some(false) => Some(options.time.unwrap_or(LINE_TIME).min(LINE_TIME)),
            _ => options.time,
        };
        let deadline = Deadline::new(patience, watch).silent();
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
        let scene = self.game.scene(&pos);
        let mut sentences = vec![self.verdict_sentence(&pos, called(&scene), &answer, merit)];
        let (mut marks, mut line) = (Vec::new(), Vec::new());
        if self.game.outcome(&pos).is_none() {
            let (seen, seen_marks) = self.seen(&pos, &scene, value.map(|value| value.payoff()));
            sentences.extend(seen);
            marks = seen_marks;
            // A value is the answer, moves and lines are only its illustration.
            let patience = Deadline::new(Some(LINE_TIME), &deadline);
            // Where the value is out of reach, those of its moves are too.
            let merits = merit.and_then(|_| truth.moves(&pos, &patience).ok().flatten()).unwrap_or_default();
            sentences.extend(self.alternatives(&pos, &merits, called(&scene)));
            sentences.extend(self.forking(&pos, &merits));
            if self.game.turn(&pos) != Turn::Chance && !merits.is_empty() {
                line = self.best_line(&pos, merits, &truth, &patience);
            }
        }
        if watch.stopped() {
            return Err(outplay_solve::SolveError::Stopped.into());
        }
        sentences.extend(point(&line, answer.value));
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

    /// What the rules show, in words and on spots.
    fn seen(&self, pos: &G::Position, scene: &Scene, payoff: Option<i32>) -> (Vec<String>, Vec<ReasonMark>) {
        let (mut words, mut marks) = match self.board {
            Some(to_board) => board_reasons(&to_board(&self.game, pos), payoff),
            None => Default::default(),
        };
        for remark in self.game.remarks(pos) {
            words.push(remark.words);
            let by = if remark.by == Turn::Second { "second" } else { "first" };
            marks.extend(remark.spots.into_iter().filter_map(|(spot, sign)| {
                let name = scene.spots.get(spot)?.name.clone();
                Some(ReasonMark { spot, name, kind: word(sign), by, pair: None })
            }));
        }
        (words, marks)
    }

    /// What the moves have in common and what sets them apart.
    fn alternatives(
        &self,
        pos: &G::Position,
        merits: &[(G::Move, Merit)],
        names: [&'static str; 2],
    ) -> Option<String> {
        let turn = self.game.turn(pos);
        let name = |mv: G::Move| self.game.write_move(pos, mv);
        let moves: Vec<(String, Merit)> = merits.iter().map(|&(mv, merit)| (name(mv), merit)).collect();
        let eyes = Eyes { simple: self.game.best_payoff() <= 1, names };
        match (turn, self.falls) {
            (Turn::Chance, Some(falls)) => {
                let mut odds = Vec::new();
                falls(&self.game, pos, &mut odds);
                let odds: Vec<(String, f64)> = odds.into_iter().map(|(mv, odds)| (name(mv), odds)).collect();
                rolls(&moves, &odds, eyes)
            }
            _ => compared(&moves, eyes),
        }
    }

    /// The best move of a board of lines, if it makes two threats at once.
    fn forking(&self, pos: &G::Position, merits: &[(G::Move, Merit)]) -> Option<String> {
        let to_board = self.board?;
        let &(mv, merit) = first_best(merits)?;
        let next = self.game.play(pos, mv);
        if merit.payoff() <= 0.0 || self.game.outcome(&next).is_some() {
            return None;
        }
        let cells = fork(&to_board(&self.game, &next), self.game.turn(pos))?;
        Some(format!("{} makes two threats at once: {cells}", self.game.write_move(pos, mv)))
    }

    /// Who gets what, in words.
    fn verdict_sentence(
        &self,
        pos: &G::Position,
        names: [&'static str; 2],
        answer: &Answer,
        merit: Option<Merit>,
    ) -> String {
        let turn = self.game.turn(pos);
        let name = |turn: Turn| names[usize::from(turn == Turn::Second)];
        let (mover, other) = (name(turn), name(turn.other()));
        let plies = answer.distance.map(|plies| match plies {
            1 => " in 1 ply".to_string(),
            plies if names[0] == "White" => {
                format!(" in {plies} plies: mate in {}", plies.div_ceil(2))
            }
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
            (Some(Merit::Mean(mean)), _) if self.game.best_payoff() <= 1 => {
                format!("with best play {mover} wins {:.1} % of the games", 50.0 * (1.0 + mean))
            }
            (Some(Merit::Mean(mean)), _) => format!("with best play {mover} gets {mean:+.4} in the mean"),
            _ => "the value is out of reach here".into(),
        }
    }

    /// One line of best play from a position whose moves have these merits.
    pub(crate) fn best_line(
        &self,
        pos: &G::Position,
        merits: Merits<G::Move>,
        truth: &dyn Truth<G>,
        watch: &dyn Watch,
    ) -> Vec<ReasonMove> {
        let shown = self.game.scene(pos);
        let (mut pos, mut merits) = (pos.clone(), merits);
        let mut line = Vec::new();
        let mut seen = vec![pos.clone()];
        while let Some(&(mv, best)) = first_best(&merits) {
            let keeping = merits.iter().filter(|(_, merit)| merit.preserves(best)).count();
            let text = self.game.write_move(&pos, mv);
            let path = self.path_in(&shown, &pos, &text, line.is_empty());
            let (by, takes) = (self.whose_turn(&pos), self.takes(&pos, mv));
            line.push(ReasonMove { mv: text, path, by, forced: keeping == 1, takes });
            pos = self.game.play(&pos, mv);
            let ends = self.game.outcome(&pos).is_some() || self.game.turn(&pos) == Turn::Chance;
            if ends || line.len() >= LINE || seen.contains(&pos) {
                break;
            }
            seen.push(pos.clone());
            // A line that cannot be followed to its end is still worth its beginning.
            let Ok(Some(next)) = truth.moves(&pos, watch) else { break };
            merits = next;
        }
        line
    }

    /// The spots of a move in the scene that is shown: by name, because another position may number them otherwise.
    fn path_in(&self, shown: &Scene, pos: &G::Position, mv: &str, now: bool) -> Vec<usize> {
        // Piles are sorted anew after every move, so that names do not stay with them.
        if shown.layout == Layout::Piles && !now {
            return Vec::new();
        }
        let scene = self.game.scene(pos);
        let path = scene.moves.iter().find(|gesture| gesture.mv == mv).map(|gesture| &gesture.path);
        let place = |&spot: &usize| {
            let name = &scene.spots.get(spot)?.name;
            shown.spots.iter().position(|known| known.name == *name)
        };
        path.and_then(|path| path.iter().map(place).collect()).unwrap_or_default()
    }
}

/// The first of the best moves: `max_by` would take the last.
pub(crate) fn first_best<M>(merits: &[(M, Merit)]) -> Option<&(M, Merit)> {
    let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    merits.iter().find(|(_, merit)| merit.compare(best).is_eq())
}

/// Where the winner's line gains something, unless it does so at once for everybody to see.
fn point(line: &[ReasonMove], value: &str) -> Option<String> {
    let offset = match value {
        "win" => 0,
        "loss" => 1,
        _ => return None,
    };
    let (ply, mv) = line.iter().enumerate().skip(offset).step_by(2).find(|(_, mv)| mv.takes)?;
    Some(match ply {
        0 => format!("{} takes a man", mv.mv),
        _ => format!("the line takes a man at ply {}: {}", ply + 1, mv.mv),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_point_of_a_line_is_what_the_winner_takes() {
        let line = |takes: &[bool]| -> Vec<ReasonMove> {
            let step = |(i, &takes): (usize, &bool)| ReasonMove {
                mv: format!("m{i}"),
                path: Vec::new(),
                by: if i % 2 == 0 { "first" } else { "second" },
                forced: false,
                takes,
            };
            takes.iter().enumerate().map(step).collect()
        };
        let told = |takes: &[bool], value: &str| point(&line(takes), value);
        assert_eq!(told(&[true, true], "win").as_deref(), Some("m0 takes a man"));
        assert_eq!(told(&[false, true, true], "win").as_deref(), Some("the line takes a man at ply 3: m2"));
        assert_eq!(told(&[true, true], "loss").as_deref(), Some("the line takes a man at ply 2: m1"));
        assert_eq!(told(&[true, true], "draw"), None);
        assert_eq!(told(&[false, true, false], "win"), None);
    }
}
