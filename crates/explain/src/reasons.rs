//! Why a position is worth what it is: what can be seen on the board, what the moves have in common, and the line
//! of best play, for people.
//!
//! ```text
//!  the verdict · what the rules show (threats, pairs, nim-sums, mills) · what every move would give away
//!  └ marks on spots: win, block, threat, pair, key             └ line of best play, forced moves marked
//! ```

use crate::alternatives::{Eyes, compared, rolls};
use crate::threats::{board_reasons, fork};
use outplay_answer::{Answer, Entry, Oracle, Place, QueryOptions, Trouble};
use outplay_core::{
    AnyGame, AnyMove, AnyPosition, Chance, Deadline, Game, Holder, Layout, Notation, Scene, Sign, Turn,
    Verdict, Watch,
};
use outplay_players::{Merit, Merits, Truth};
use serde::Serialize;
use std::time::Duration;

/// What a marked spot is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum MarkKind {
    /// A move here wins.
    Win,
    /// A move here stops the opponent.
    Block,
    /// A line lacks this cell, which cannot be taken yet.
    Threat,
    /// Who loses one of the pair takes the other.
    Pair,
    /// What the reason is about.
    Key,
}

/// A spot that has to do with the reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ReasonMark {
    /// The spot's place in the scene.
    pub spot: usize,
    /// Its name.
    pub name: String,
    /// What it is.
    pub kind: MarkKind,
    /// Whose it is.
    pub by: Turn,
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
    /// Who makes it.
    pub by: Turn,
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
    /// Who moves.
    pub to_move: Turn,
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

impl From<Sign> for MarkKind {
    fn from(sign: Sign) -> MarkKind {
        match sign {
            Sign::Win => MarkKind::Win,
            Sign::Block => MarkKind::Block,
            Sign::Key => MarkKind::Key,
        }
    }
}

/// The reason behind a position's value: threats, pairs and best play.
///
/// # Errors
///
/// Bad input or a stop.
pub fn why(entry: &Entry, place: &Place, options: &QueryOptions, watch: &dyn Watch) -> Result<Why, Trouble> {
    let pos = entry.locate(place)?;
    let game = entry.game();
    let patience = match entry.exact(place, options)? {
        // Threats can be told without a value; a surprise may still be found in a moment.
        false => Some(options.time.unwrap_or(LINE_TIME).min(LINE_TIME)),
        true => options.time,
    };
    let mut limited = options.clone();
    limited.time = patience;
    let truth = Oracle::new(entry.clone(), limited);
    let deadline = Deadline::new(patience, watch).silent();
    let merit = truth.value(&pos, &deadline).or_else(|error| match deadline.passed() {
        true => Ok(None),
        false => Err(Trouble::from(error)),
    })?;
    let value = match merit {
        Some(Merit::Value(value)) => Some(value),
        _ => None,
    };
    let answer = value.map_or_else(|| entry.unknown(), |value| entry.answer(&pos, value));
    let scene = game.scene(&pos);
    let mut sentences = vec![verdict_sentence(game, &pos, called(&scene), &answer, merit)];
    let (mut marks, mut line) = (Vec::new(), Vec::new());
    if game.outcome(&pos).is_none() {
        let (seen, seen_marks) = seen(game, &pos, &scene, value.map(|value| value.payoff()));
        sentences.extend(seen);
        marks = seen_marks;
        // A value is the answer, moves and lines are only its illustration.
        let patience = Deadline::new(Some(LINE_TIME), &deadline);
        // Where the value is out of reach, those of its moves are too.
        let merits = merit.and_then(|_| truth.moves(&pos, &patience).ok().flatten()).unwrap_or_default();
        sentences.extend(alternatives(game, &pos, &merits, called(&scene)));
        sentences.extend(forking(game, &pos, &merits));
        if game.turn(&pos) != Turn::Chance && !merits.is_empty() {
            line = best_line(game, &pos, merits, &truth, &patience);
        }
    }
    if watch.stopped() {
        return Err(Trouble::stopped());
    }
    sentences.extend(point(&line, answer.verdict()));
    let replies: Vec<&ReasonMove> = line.iter().skip(1).step_by(2).collect();
    if replies.len() > 1 && replies.iter().all(|mv| mv.forced) && answer.verdict() == Some(Verdict::Win) {
        sentences.push("every reply in the line is forced".into());
    }
    Ok(Why {
        game: game.spec(),
        position: game.write_position(&pos),
        to_move: game.turn(&pos),
        answer,
        sentence: sentences.join("; ") + ".",
        marks,
        line,
    })
}

/// What the rules show, in words and on spots.
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

/// What the moves have in common and what sets them apart.
fn alternatives(
    game: &AnyGame,
    pos: &AnyPosition,
    merits: &[(AnyMove, Merit)],
    names: [&'static str; 2],
) -> Option<String> {
    let name = |mv: AnyMove| game.write_move(pos, mv);
    let moves: Vec<(String, Merit)> = merits.iter().map(|&(mv, merit)| (name(mv), merit)).collect();
    let eyes = Eyes { simple: game.best_payoff() <= 1, names };
    if game.turn(pos) != Turn::Chance {
        return compared(&moves, eyes);
    }
    let mut odds = Vec::new();
    game.outcomes(pos, &mut odds);
    let odds: Vec<(String, f64)> = odds.into_iter().map(|(mv, odds)| (name(mv), odds)).collect();
    rolls(&moves, &odds, eyes)
}

/// The best move of a board of lines, if it makes two threats at once.
fn forking(game: &AnyGame, pos: &AnyPosition, merits: &[(AnyMove, Merit)]) -> Option<String> {
    let &(mv, merit) = first_best(merits)?;
    let next = game.play(pos, mv);
    if merit.payoff() <= 0.0 || game.outcome(&next).is_some() {
        return None;
    }
    let cells = fork(&game.board(&next)?, game.turn(pos))?;
    Some(format!("{} makes two threats at once: {cells}", game.write_move(pos, mv)))
}

/// Who gets what, in words.
fn verdict_sentence(
    game: &AnyGame,
    pos: &AnyPosition,
    names: [&'static str; 2],
    answer: &Answer,
    merit: Option<Merit>,
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
            "nobody can force an end: a draw by repetition".into()
        }
        (Some(Verdict::Draw), _) => "neither can force a win: a draw".into(),
        (None, Some(Merit::Mean(mean))) if game.best_payoff() <= 1 => {
            format!("with best play {mover} wins {:.1} % of the games", 50.0 * (1.0 + mean))
        }
        (None, Some(Merit::Mean(mean))) => format!("with best play {mover} gets {mean:+.4} in the mean"),
        _ => "the value is out of reach here".into(),
    }
}

/// One line of best play from a position whose moves have these merits.
pub(crate) fn best_line(
    game: &AnyGame,
    pos: &AnyPosition,
    merits: Merits,
    truth: &dyn Truth,
    watch: &dyn Watch,
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
        // A line that cannot be followed to its end is still worth its beginning.
        let Ok(Some(next)) = truth.moves(&pos, watch) else { break };
        merits = next;
    }
    line
}

/// Whether a move takes something of the opponent's off the board.
pub(crate) fn takes(game: &AnyGame, pos: &AnyPosition, mv: AnyMove) -> bool {
    let other = if game.turn(pos) == Turn::Second { Holder::First } else { Holder::Second };
    let men =
        |pos: &AnyPosition| game.scene(pos).spots.iter().filter(|spot| spot.holder == Some(other)).count();
    men(&game.play(pos, mv)) < men(pos)
}

/// The spots of a move in the scene that is shown: by name, because another position may number them otherwise.
fn path_in(game: &AnyGame, shown: &Scene, pos: &AnyPosition, mv: &str, now: bool) -> Vec<usize> {
    // Piles are sorted anew after every move, so that names do not stay with them.
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

/// The first of the best moves: `max_by` would take the last.
pub(crate) fn first_best<M>(merits: &[(M, Merit)]) -> Option<&(M, Merit)> {
    let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b))?;
    merits.iter().find(|(_, merit)| merit.compare(best).is_eq())
}

/// Where the winner's line gains something, unless it does so at once for everybody to see.
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
    fn the_point_of_a_line_is_what_the_winner_takes() {
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
        let told = |takes: &[bool], verdict| point(&line(takes), Some(verdict));
        assert_eq!(told(&[true, true], Verdict::Win).as_deref(), Some("m0 takes a man"));
        assert_eq!(
            told(&[false, true, true], Verdict::Win).as_deref(),
            Some("the line takes a man at ply 3: m2")
        );
        assert_eq!(told(&[true, true], Verdict::Loss).as_deref(), Some("the line takes a man at ply 2: m1"));
        assert_eq!(told(&[true, true], Verdict::Draw), None);
        assert_eq!(told(&[false, true, false], Verdict::Win), None);
    }
}
