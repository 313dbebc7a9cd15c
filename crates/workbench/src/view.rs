//! Commands of interactive play: a position with its legal moves, the players of a game, and a player's move.

use crate::{
    Answer, ChoiceAnswer, ChooseRequest, GameHandle, Oracle, PositionRef, QueryAnswer, Session, Trouble,
    View, is_tractable,
};
use outplay_core::{
    AnyPosition, Chance, Counters, Game, LineBoard, Mark, Notation, Picture, Tone, Turn, Verdict,
};
use outplay_files::FileError;
use outplay_players::{Levels, PlayError, PlayerContext, PlayerKind};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::sync::Arc;
use std::time::Instant;

/// The players and levels that a game offers.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerList {
    /// The game's spec.
    pub game: String,
    /// The kinds of players that it can have.
    pub players: Vec<PlayerKind>,
    /// Its levels of strength.
    #[serde(flatten)]
    pub levels: Levels,
}

/// Size limit in bytes of a weights file, which holds a few dozen numbers.
const WEIGHTS: u64 = 1 << 20;

/// Reads a file that a player's spec names.
fn read_file(name: &str) -> Result<String, String> {
    outplay_files::read_text(std::path::Path::new(name), WEIGHTS).map_err(|error| {
        let why = match error {
            FileError::TooLong { limit, .. } => format!("it is longer than {limit} bytes"),
            FileError::Io { error, .. } => error.to_string(),
            FileError::NotText { .. } => "it is not a text file".into(),
            _ => "it is not a regular file".into(),
        };
        format!("`{name}` is neither a set of weights (paper, extended) nor a file that can be read ({why})")
    })
}

/// Describes a position and its legal moves.
///
/// # Errors
///
/// Bad input.
pub fn view(handle: &GameHandle, place: &PositionRef) -> Result<View, Trouble> {
    let game = handle.game();
    let pos = handle.locate(place)?;
    Ok(View {
        game: game.spec(),
        position: game.write_position(&pos),
        to_move: game.turn(&pos),
        outcome: game.outcome(&pos),
        scene: game.scene(&pos),
    })
}

/// Draws a position, with the values of its moves if they are given.
///
/// # Errors
///
/// Bad input.
pub fn draw(
    handle: &GameHandle,
    place: &PositionRef,
    values: Option<&QueryAnswer>,
) -> Result<Picture, Trouble> {
    let pos = handle.locate(place)?;
    let mut marks = Vec::new();
    for answer in values.map(|values| values.moves.as_slice()).unwrap_or_default() {
        let Some(verdict) = answer.answer.verdict() else { continue };
        let distance = answer.answer.distance().map(|plies| plies.to_string()).unwrap_or_default();
        let (text, tone) = match verdict {
            Verdict::Win => (format!("+{distance}"), Tone::Win),
            Verdict::Draw => ("=".to_string(), Tone::Draw),
            Verdict::Loss => (format!("-{distance}"), Tone::Loss),
        };
        marks.push(Mark { mv: handle.game().read_move(&pos, &answer.mv)?, text, tone });
    }
    Ok(handle.game().draw(&pos, &marks))
}

/// Returns the board of a position, for games of lines.
///
/// # Errors
///
/// Bad input, or a game of another kind.
pub fn board(handle: &GameHandle, place: &PositionRef) -> Result<LineBoard, Trouble> {
    let pos = handle.locate(place)?;
    let why = || Trouble::unable(format!("{} is not a game of k in a row on a board", handle.spec()));
    handle.game().board(&pos).ok_or_else(why)
}

/// Builds the context in which players of this game are created: an exact oracle, and permission to read files and
/// start programs.
///
/// Whatever its searchers learn stays in the session for the next caller.
pub fn kit(session: &Session, handle: &GameHandle) -> PlayerContext {
    let truth = Oracle::new(session.clone(), handle.clone());
    PlayerContext {
        game: handle.game().clone(),
        minds: handle.0.searchers.clone(),
        truth: Some(Arc::new(truth)),
        files: Some(read_file),
        threads: 1,
        outside: handle.0.programs.get().cloned(),
        guests: Vec::new(),
    }
}

/// Lists the players that this game offers, and levels in order of strength.
pub fn players(session: &Session, handle: &GameHandle) -> PlayerList {
    let kit = kit(session, handle);
    // A level that cannot choose its first move is not offered.
    let beyond = is_tractable(session, handle, &PositionRef::Start).is_ok_and(|exact| !exact);
    let levels = kit.levels().retain(|level| !(beyond && level.player == "perfect"));
    PlayerList { game: handle.spec(), players: kit.roster(), levels }
}

/// Whether this game offers a player.
///
/// # Errors
///
/// A malformed spec, or a player that this game does not offer.
pub fn check_player(session: &Session, handle: &GameHandle, spec: &str) -> Result<(), Trouble> {
    kit(session, handle).player(spec)?;
    Ok(())
}

/// The same, and starts what the player needs: an external engine is running afterwards and ready for a game.
///
/// # Errors
///
/// As [`check_player`], or an engine that does not start.
pub fn start_player(session: &Session, handle: &GameHandle, spec: &str) -> Result<(), Trouble> {
    kit(session, handle).player(spec)?.ready().map_err(|error| match error {
        PlayError::Fault { fault, why } => Trouble::from(PlayError::Fault {
            fault,
            why: format!("the engine `{spec}` does not start: {why}"),
        }),
        other => other.into(),
    })
}

/// Returns the move that a player chooses. At a chance node the dice are rolled, whichever player the request names.
///
/// # Errors
///
/// Bad input, a player that this game cannot have, or a stop.
pub fn choose(
    session: &Session,
    handle: &GameHandle,
    request: &ChooseRequest,
    watch: &dyn Monitor,
) -> Result<ChoiceAnswer, Trouble> {
    let game = handle.game();
    let pos = handle.locate(&request.place)?;
    if let Some(roll) = roll(handle, &pos, request.seed) {
        return Ok(roll);
    }
    let mut kit = kit(session, handle);
    kit.files = kit.files.filter(|_| request.files);
    kit.threads = session.threads;
    kit.outside = kit.outside.filter(|_| request.files);
    let mut player = kit.player(&request.player)?;
    player.begin(request.seed);
    let began = Instant::now();
    // A stop is an interrupt here: a move of an unfinished search must not pass for this player's choice.
    let choice = player.choose(&pos, watch)?.finished()?;
    let mut line = Vec::new();
    let mut at = pos.clone();
    for &mv in &choice.line {
        line.push(game.write_move(&at, mv));
        at = game.play(&at, mv);
    }
    Ok(ChoiceAnswer {
        game: game.spec(),
        position: game.write_position(&pos),
        player: player.spec(),
        mv: game.write_move(&pos, choice.mv),
        nodes: choice.nodes,
        depth: choice.depth,
        opinion: choice.opinion,
        line,
        seconds: began.elapsed().as_secs_f64(),
        counters: choice.counters,
    })
}

/// Draws an outcome of a chance node with the probabilities of the rules; `None` if it is a player's turn.
fn roll(handle: &GameHandle, pos: &AnyPosition, seed: u64) -> Option<ChoiceAnswer> {
    let game = handle.game();
    if game.turn(pos) != Turn::Chance || game.outcome(pos).is_some() {
        return None;
    }
    let mut outcomes = Vec::new();
    game.outcomes(pos, &mut outcomes);
    let mut left: f64 = SmallRng::seed_from_u64(seed).random();
    let mut rolled = outcomes.last()?.0;
    for &(mv, probability) in &outcomes {
        left -= probability;
        if left < 0.0 {
            rolled = mv;
            break;
        }
    }
    let mv = game.write_move(pos, rolled);
    Some(ChoiceAnswer {
        game: game.spec(),
        position: game.write_position(pos),
        player: "dice".into(),
        line: vec![mv.clone()],
        mv,
        nodes: 0,
        depth: 0,
        opinion: None,
        seconds: 0.0,
        counters: Counters::default(),
    })
}

/// Whether the position and all of its moves have exact values, with scores where the connect-k solver finds them: a
/// win or loss without a score is the result of a search that was stopped.
pub fn is_complete(handle: &GameHandle, answer: &QueryAnswer) -> bool {
    let known = answer.answer.is_known()
        && answer.moves.iter().all(|mv| !matches!(mv.answer, Answer::Unknown { .. }));
    let scored = || answer.score.is_some() && answer.moves.iter().all(|mv| mv.score.is_some());
    known && (!handle.has_scores() || scored())
}
