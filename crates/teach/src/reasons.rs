//! Explanation of a position's value: threats on the board, a comparison of the moves, and the principal variation.
//!
//! ```text
//!  sentence: the verdict · remarks from the rules (threats, pairs, nim-sums, mills) · a comparison of the moves
//!  marks on spots: win, block, threat, pair, key        line: principal variation, forced moves marked
//! ```

use crate::alternatives::{ValueWords, compared, rolls};
use crate::threats::{board_reasons, fork};
use outplay_core::{
    AnyGame, AnyMove, AnyPosition, Chance, Game, Holder, Layout, Notation, Scene, Sign, Turn, Verdict,
};
use outplay_players::{ExactOracle, MoveValue, MoveValues};
use outplay_runtime::{Deadline, Monitor};
use outplay_workbench::{Answer, GameHandle, Oracle, PositionRef, Session, Trouble, check_stop};
use serde::Serialize;
use std::time::Duration;

/// Meaning of a marked spot in an explanation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// A move here wins.
    Win,
    /// A move here blocks the opponent.
    Block,
    /// A line lacks this cell, which cannot be played yet.
    Threat,
    /// One of a pair: if the opponent takes one, the player takes the other.
    Pair,
    /// The subject of the explanation.
    Key,
}

/// A marked spot of the board in an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonMark {
    /// The index of the spot in the scene.
    pub spot: usize,
    /// Its name.
    pub name: String,
    /// Its meaning.
    pub kind: MarkKind,
    /// The player it belongs to.
    pub by: Turn,
    /// Number of the pair; both of its marks have the same.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub pair: Option<usize>,
}

/// A move of the principal variation in an explanation.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonMove {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The spots of the move in the scene of the queried position; none if the board has changed.
    pub path: Vec<usize>,
    /// The player who makes it.
    pub by: Turn,
    /// Every other move is worse.
    pub forced: bool,
    /// It captures.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub takes: bool,
}

/// The answer of `why`: sentences, marked spots and the principal variation.
#[derive(Clone, Debug, Serialize)]
pub struct Explanation {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The explanation in words.
    pub sentence: String,
    /// The spots of the explanation.
    pub marks: Vec<ReasonMark>,
    /// The principal variation.
    pub line: Vec<ReasonMove>,
}

/// Length limit in plies of a displayed line.
const LINE: usize = 60;
/// Time limit for the values of the moves and the principal variation.
const LINE_TIME: Duration = Duration::from_secs(3);

/// The names of the players in a scene.
pub(crate) fn called(scene: &Scene) -> [&'static str; 2] {
    if scene.layout == Layout::Chess { ["White", "Black"] } else { ["First", "Second"] }
}

impl From<Sign> for MarkKind {
    fn from(sign: Sign) -> MarkKind {
        match sign {
            Sign::Win => MarkKind::Win,
            Sign::Block => MarkKind::Block,
            Sign::Key => MarkKind::Key,
        }
    }
}

/// Explains the value of a position by threats, pairs and best play.
///
/// # Errors
///
/// Bad input or a stop.
pub fn why(
    session: &Session,
    entry: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
) -> Result<Explanation, Trouble> {
    let pos = entry.locate(place)?;
    let game = entry.game();
    let patience = match outplay_workbench::is_tractable(session, entry, place)? {
        // Threats need no value; cheap sources may still find one.
        false => Some(session.time.unwrap_or(LINE_TIME).min(LINE_TIME)),
        true => session.time,
    };
    let mut limited = session.clone();
    limited.time = patience;
    let truth = Oracle::new(limited, entry.clone());
    let deadline = Deadline::new(patience, watch).silent();
    let merit = truth.value(&pos, &deadline).or_else(|error| match deadline.passed() {
        true => Ok(None),
        false => Err(Trouble::from(error)),
    })?;
    let value = match merit {
        Some(MoveValue::Value(value)) => Some(value),
        _ => None,
    };
    let answer = match merit {
        Some(MoveValue::Value(value)) => entry.answer(&pos, value),
        Some(MoveValue::Mean(mean)) => {
            let sign = if game.turn(&pos) == Turn::Second { -1.0 } else { 1.0 };
            Answer::Mean { mean: mean * sign, most: game.best_payoff() }
        }
        None => entry.unknown(),
    };
    let scene = game.scene(&pos);
    let mut sentences = vec![verdict_sentence(game, &pos, called(&scene), &answer, merit)];
    let (mut marks, mut line) = (Vec::new(), Vec::new());
    if game.outcome(&pos).is_none() {
        let (seen, seen_marks) = seen(game, &pos, &scene, value.map(|value| value.payoff()));
        sentences.extend(seen);
        marks = seen_marks;
        // The value is the answer; moves and lines only illustrate it.
        let patience = Deadline::new(Some(LINE_TIME), &deadline);
        // If the position is out of reach, so are its moves.
        let merits = merit.and_then(|_| truth.moves(&pos, &patience).ok().flatten()).unwrap_or_default();
        sentences.extend(alternatives(game, &pos, &merits, called(&scene)));
        sentences.extend(forking(game, &pos, &merits));
        if game.turn(&pos) != Turn::Chance && !merits.is_empty() {
            line = best_line(game, &pos, merits, &truth, &patience);
        }
    }
    check_stop(watch)?;
    sentences.extend(point(&line, answer.verdict()));
    let replies: Vec<&ReasonMove> = line.iter().skip(1).step_by(2).collect();
    if replies.len() > 1 && replies.iter().all(|mv| mv.forced) && answer.verdict() == Some(Verdict::Win) {
        sentences.push("every reply in the line is forced".into());
    }
    Ok(Explanation {
        game: game.spec(),
        position: game.write_position(&pos),
        to_move: game.turn(&pos),
        answer,
        sentence: sentences.join("; ") + ".",
        marks,
        line,
    })
}

/// Explanations from the rules, in words and on spots.
fn seen(
    game: &AnyGame,
    pos: &AnyPosition,
    scene: &Scene,
    payoff: Option<i32>,
) -> (Vec<String>, Vec<ReasonMark>) {
    let (mut words, mut marks) = match game.board(pos) {
        Some(board) => board_reasons(&board, payoff),
        None => Default::default(),
    };
    for remark in game.remarks(pos) {
        words.push(remark.words);
        marks.extend(remark.spots.into_iter().filter_map(|(spot, sign)| {
            let name = scene.spots.get(spot)?.name.clone();
            Some(ReasonMark { spot, name, kind: sign.into(), by: remark.by, pair: None })
        }));
    }
    (words, marks)
}

/// Compares the moves.
fn alternatives(
    game: &AnyGame,
    pos: &AnyPosition,
    merits: &[(AnyMove, MoveValue)],
    names: [&'static str; 2],
) -> Option<String> {
    let name = |mv: AnyMove| game.write_move(pos, mv);
    let moves: Vec<(String, MoveValue)> = merits.iter().map(|&(mv, merit)| (name(mv), merit)).collect();
    let eyes = ValueWords { simple: game.best_payoff() <= 1, names };
    if game.turn(pos) != Turn::Chance {
        return compared(&moves, eyes);
    }
    let mut odds = Vec::new();
    game.outcomes(pos, &mut odds);
    let odds: Vec<(String, f64)> = odds.into_iter().map(|(mv, odds)| (name(mv), odds)).collect();
    rolls(&moves, &odds, eyes)
}

/// The best move of a line board, if it makes two threats at once.
fn forking(game: &AnyGame, pos: &AnyPosition, merits: &[(AnyMove, MoveValue)]) -> Option<String> {
    let &(mv, merit) = first_best(merits)?;
    let next = game.play(pos, mv);
    if merit.payoff() <= 0.0 || game.outcome(&next).is_some() {
        return None;
    }
    let cells = fork(&game.board(&next)?, game.turn(pos))?;
    Some(format!("{} makes two threats at once: {cells}", game.write_move(pos, mv)))
}

/// The verdict in words.
fn verdict_sentence(
    game: &AnyGame,
    pos: &AnyPosition,
    names: [&'static str; 2],
    answer: &Answer,
    merit: Option<MoveValue>,
) -> String {
    let turn = game.turn(pos);
    let name = |turn: Turn| names[usize::from(turn == Turn::Second)];
    let (mover, other) = (name(turn), name(turn.other()));
    let plies = answer.distance().map(|plies| match plies {
        1 => " in 1 ply".to_string(),
        plies if names[0] == "White" => {
            format!(" in {plies} plies: mate in {}", plies.div_ceil(2))
        }
        plies => format!(" in {plies} plies"),
    });
    let plies = plies.unwrap_or_default();
    let over = game.outcome(pos).is_some();
    match (answer.verdict(), merit) {
        (Some(Verdict::Win), _) if over => format!("the game is over: {mover} has won"),
        (Some(Verdict::Loss), _) if over => format!("the game is over: {other} has won"),
        (Some(Verdict::Draw), _) if over => "the game is over: a draw".into(),
        (Some(Verdict::Win), _) => format!("{mover} wins{plies}"),
        (Some(Verdict::Loss), _) => format!("{other} wins{plies}"),
        (Some(Verdict::Draw), _) if answer.is_repetition() => {
            "neither player can force an end: a draw by repetition".into()
        }
        (Some(Verdict::Draw), _) => "neither player can force a win: a draw".into(),
        (None, Some(MoveValue::Mean(mean))) if game.best_payoff() <= 1 => {
            format!("with best play {mover} wins {:.1} % of the games", 50.0 * (1.0 + mean))
        }
        (None, Some(MoveValue::Mean(mean))) => format!("with best play {mover} gets {mean:+.4} in the mean"),
        _ => "the exact value is not known here".into(),
    }
}

/// The principal variation from a position whose moves have these values.
pub(crate) fn best_line(
    game: &AnyGame,
    pos: &AnyPosition,
    merits: MoveValues,
    truth: &dyn ExactOracle,
    watch: &dyn Monitor,
) -> Vec<ReasonMove> {
    let shown = game.scene(pos);
    let (mut pos, mut merits) = (pos.clone(), merits);
    let mut line = Vec::new();
    let mut seen = vec![pos.clone()];
    while let Some(&(mv, best)) = first_best(&merits) {
        let keeping = merits.iter().filter(|(_, merit)| merit.preserves(best)).count();
        let text = game.write_move(&pos, mv);
        let path = path_in(game, &shown, &pos, &text, line.is_empty());
        let (by, takes) = (game.turn(&pos), takes(game, &pos, mv));
        line.push(ReasonMove { mv: text, path, by, forced: keeping == 1, takes });
        pos = game.play(&pos, mv);
        let ends = game.outcome(&pos).is_some() || game.turn(&pos) == Turn::Chance;
        if ends || line.len() >= LINE || seen.contains(&pos) {
            break;
        }
        seen.push(pos.clone());
        // A line that cannot be followed to its end is still worth showing.
        let Ok(Some(next)) = truth.moves(&pos, watch) else { break };
        merits = next;
    }
    line
}

/// Whether a move captures.
pub(crate) fn takes(game: &AnyGame, pos: &AnyPosition, mv: AnyMove) -> bool {
    let other = if game.turn(pos) == Turn::Second { Holder::First } else { Holder::Second };
    let men =
        |pos: &AnyPosition| game.scene(pos).spots.iter().filter(|spot| spot.holder == Some(other)).count();
    men(&game.play(pos, mv)) < men(pos)
}

/// The spots of a move in the displayed scene: matched by name, because another position may number them differently.
fn path_in(game: &AnyGame, shown: &Scene, pos: &AnyPosition, mv: &str, now: bool) -> Vec<usize> {
    // Piles are sorted after every move, so that names do not stay with them.
    if shown.layout == Layout::Piles && !now {
        return Vec::new();
    }
    let scene = game.scene(pos);
    let path = scene.moves.iter().find(|gesture| gesture.mv == mv).map(|gesture| &gesture.path);
    let place = |&spot: &usize| {
        let name = &scene.spots.get(spot)?.name;
        shown.spots.iter().position(|known| known.name == *name)
    };
    path.and_then(|path| path.iter().map(place).collect()).unwrap_or_default()
}

/// The first of the best moves: `max_by` would return the last.
pub(crate) fn first_best<M>(merits: &[(M, MoveValue)]) -> Option<&(M, MoveValue)> {
    let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    merits.iter().find(|(_, merit)| merit.compare(best).is_eq())
}

/// The first gain in the winner's line, unless it is immediate and obvious.
fn point(line: &[ReasonMove], verdict: Option<Verdict>) -> Option<String> {
    let offset = match verdict {
        Some(Verdict::Win) => 0,
        Some(Verdict::Loss) => 1,
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
    fn point_of_a_line_is_the_winners_capture() {
        let line = |takes: &[bool]| -> Vec<ReasonMove> {
            let step = |(i, &takes): (usize, &bool)| ReasonMove {
                mv: format!("m{i}"),
                path: Vec::new(),
                by: if i % 2 == 0 { Turn::First } else { Turn::Second },
                forced: false,
                takes,
            };
            takes.iter().enumerate().map(step).collect()
        };
        let turning_point = |takes: &[bool], verdict| point(&line(takes), Some(verdict));
        assert_eq!(turning_point(&[true, true], Verdict::Win).as_deref(), Some("m0 takes a man"));
        assert_eq!(
            turning_point(&[false, true, true], Verdict::Win).as_deref(),
            Some("the line takes a man at ply 3: m2")
        );
        assert_eq!(
            turning_point(&[true, true], Verdict::Loss).as_deref(),
            Some("the line takes a man at ply 2: m1")
        );
        assert_eq!(turning_point(&[true, true], Verdict::Draw), None);
        assert_eq!(turning_point(&[false, true, false], Verdict::Win), None);
    }
}
