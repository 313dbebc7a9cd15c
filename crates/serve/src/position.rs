//! Handlers for one position: its graphical description, its value, and a computer player's move.

use crate::api_request::ApiRequest;
use crate::place::At;
use crate::question::{Budget, GRACE};
use crate::refusal::Refusal;
use crate::reply::{Reply, json, written};
use crate::router::ServerState;
use crate::stream::Live;
use crate::workers::JobProgress;
use axum::http::StatusCode;
use outplay_core::{Game, Notation, Turn};
use outplay_players::{Levels, PROTOCOLS, PlayerKind};
use outplay_teach::{Ply, VisitedPosition};
use outplay_workbench::{
    ChoiceAnswer, ChooseRequest, GameHandle, PlayerList, PositionRef, QueryAnswer, View,
};
use serde::{Deserialize, Serialize};
use std::future::ready;
use std::sync::Arc;

/// A view of a position, with the players and settings that the page offers for it.
#[derive(Serialize)]
struct PositionPage {
    #[serde(flatten)]
    view: View,
    /// A warning about the game, such as a k that no line can reach.
    warning: Option<String>,
    /// Kinds of players that can play it.
    players: Vec<PlayerKind>,
    /// Names of the engines that the operator of the server has registered.
    engines: Vec<String>,
    /// Its levels of strength.
    #[serde(flatten)]
    levels: Levels,
    /// Whether exact values can be expected within the time that an answer may take.
    exact: bool,
    /// The time in seconds that `/position/stream` may take.
    seconds: f64,
    /// Whether the game rolls dice.
    chance: bool,
    /// Whether the game has no start of its own.
    startless: bool,
    /// Whether `/proof` writes proofs of this game.
    provable: bool,
    /// Whether a proof of this position can be expected within the time that an answer may take.
    proof_expected: bool,
    /// Evaluations that `/tree` can use at its horizon.
    evals: &'static [&'static str],
    /// The player whose turn the moves begin with.
    begins: Turn,
    /// The player whose turn it is; at a roll, the player whose roll it is.
    turn_of: Turn,
    /// Moves made before the position.
    at: usize,
    /// All moves that were given, also those after the position.
    plies: Vec<Ply>,
}

/// `GET /api/v1/view`
pub(crate) fn view(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let shown = asked.text("at")?.map(shown_plies).transpose()?;
    Ok(asked.quick(move |desk, _| {
        let game = desk.shelf.open(&game)?;
        let (mut plies, mut begins, mut here) = (Vec::new(), Turn::First, None);
        outplay_teach::follow(&game, &place, &mut |VisitedPosition { pos, turn_of, made }| {
            match made {
                Some(made) => plies.push(made),
                None => begins = turn_of,
            }
            if shown.is_none_or(|shown| plies.len() <= shown) {
                here = Some((pos, turn_of, plies.len()));
            }
        })?;
        let (pos, turn_of, at) = here.ok_or_else(|| {
            Refusal::bad(
                "there is no position after that number of moves",
                "leave out `at` for the position after the last move",
            )
        })?;
        let place = PositionRef::At(pos.clone());
        let mut view = outplay_workbench::view(&game, &place)?;
        for (gesture, mv) in view.scene.moves.iter_mut().zip(game.game().list(&pos)) {
            gesture.said = game.game().said(&pos, mv);
        }
        let session = desk.steady_session();
        let PlayerList { mut players, levels, .. } = outplay_workbench::players(&session, &game);
        // Visitors do not start programs.
        players.retain(|about| !PROTOCOLS.contains(&about.name));
        let engines = desk
            .settings
            .engines
            .iter()
            .filter(|(_, spec)| outplay_workbench::check_player(&session, &game, spec).is_ok());
        let engines = engines.map(|(name, _)| name.clone()).collect();
        let exact = outplay_workbench::is_tractable(&session, &game, &place)?;
        let proof_expected = outplay_workbench::is_proof_expected(&session, &game, &place)?;
        let board = game.game().board(&pos);
        Ok(json(&PositionPage {
            view,
            warning: game.warning(),
            players,
            engines,
            levels,
            exact,
            seconds: (desk.settings.time * STREAM).as_secs_f64(),
            chance: game.game().has_dice(),
            startless: game.game().start().is_none(),
            provable: board.as_ref().is_some_and(|board| !board.gravity && !board.misere),
            proof_expected,
            evals: if board.is_some() { &["lines"] } else { &[] },
            begins,
            turn_of,
            at,
            plies,
        }))
    }))
}

/// The number of moves to show, of those that are given.
fn shown_plies(text: &str) -> Result<usize, Refusal> {
    let why = || {
        Refusal::bad(
            format!("`at` must be the number of moves to replay, not `{text}`"),
            "write for example `at=3`, or leave it out for the position after the last move",
        )
    };
    text.parse().map_err(|_| why())
}

/// A position to begin with.
#[derive(Serialize)]
struct Start {
    game: String,
    position: String,
    /// Whether the game has no start of its own, so that the position was drawn by lot.
    startless: bool,
}

/// `GET /api/v1/start`
pub(crate) fn start(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let seed = asked.text("seed")?.unwrap_or("0");
    let seed = seed.parse().map_err(|_| {
        Refusal::bad(
            format!("`seed` must be a whole number of 0 or more, not `{seed}`"),
            "write for example `seed=7`, or leave it out",
        )
    })?;
    Ok(asked.quick(move |desk, _| {
        let game = desk.shelf.open(&game)?;
        let none = || {
            Refusal::bad(
                "this game has no start position, and the server found no example",
                "add a position to the request",
            )
        };
        let pos = outplay_teach::start(&game, seed).ok_or_else(none)?;
        let (position, startless) = (game.game().write_position(&pos), game.game().start().is_none());
        Ok(json(&Start { game: game.spec(), position, startless }))
    }))
}

/// `GET /api/v1/position`
pub(crate) fn position(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let (spec, wanted) = (game.clone(), place.clone());
    let known = move |desk: &Arc<ServerState>, budget: &Budget<'_>| {
        Ok(recall(desk, &desk.shelf.open(&spec)?, &wanted, budget)?.map(|answer| json(&answer)))
    };
    let desk = Arc::clone(&asked.shared);
    let search = asked.ask(game, move |game, budget| {
        let answer = Arc::new(outplay_workbench::query(&budget.session(), game, &place, budget.watch)?);
        desk.answers.keep(game, &answer);
        Ok(json(&answer))
    });
    Ok(asked.quick_or(known, search))
}

/// The answer if it needs no search.
fn recall(
    shared: &ServerState,
    game: &GameHandle,
    place: &PositionRef,
    budget: &Budget<'_>,
) -> Result<Option<Arc<QueryAnswer>>, Refusal> {
    let position = outplay_workbench::view(game, place)?.position;
    if let Some(answer) = shared.answers.find(&game.spec(), &position) {
        return Ok(Some(answer));
    }
    let answer = outplay_workbench::known_answer(&budget.session(), game, place, budget.watch)?.map(Arc::new);
    if let Some(answer) = &answer {
        shared.answers.keep(game, answer);
    }
    Ok(answer)
}

/// Who is asked for a move, and where.
#[derive(Deserialize)]
struct MoveRequest {
    #[serde(flatten)]
    at: At,
    /// The player's spec.
    #[serde(default)]
    player: String,
    /// A level instead of a player: its number or its name.
    level: Option<LevelWord>,
    /// Random seed of the player.
    #[serde(default)]
    seed: u64,
}

/// A level in a request.
#[derive(Deserialize)]
#[serde(untagged)]
enum LevelWord {
    Number(usize),
    Name(String),
}

/// Characters of a player's spec.
const PLAYER: usize = 500;

/// Refuses specs that would read a file: on the command line, weights may come from one.
fn no_files(player: &str) -> Result<(), Refusal> {
    let mut rest = player;
    while let Some(at) = rest.find("weights") {
        rest = rest[at + "weights".len()..].trim_start_matches([' ', '=']);
        let named = rest.split([',', ')', ' ']).next().unwrap_or_default();
        if !named.chars().all(|c| c.is_ascii_alphanumeric()) || std::path::Path::new(named).exists() {
            let error = "players of this server cannot read weights from a file";
            return Err(Refusal::bad(error, "use named weights, as in `lines:weights=paper`"));
        }
    }
    Ok(())
}

/// A player's move and what it is called.
#[derive(Serialize)]
struct ChosenMove {
    #[serde(flatten)]
    answer: ChoiceAnswer,
    /// The words that follow the player's name in a report.
    #[serde(skip_serializing_if = "String::is_empty")]
    said: String,
}

impl ChosenMove {
    fn new(game: &GameHandle, place: &PositionRef, answer: ChoiceAnswer) -> Result<ChosenMove, Refusal> {
        let pos = game.locate(place)?;
        let mv = game.game().read_move(&pos, &answer.mv)?;
        Ok(ChosenMove { said: game.game().said(&pos, mv), answer })
    }
}

/// `POST /api/v1/move`
pub(crate) fn choose(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let MoveRequest { at, player, level, seed } = asked.told()?;
    let place = at.place()?;
    let level = level.map(|level| match level {
        LevelWord::Number(number) => number.to_string(),
        LevelWord::Name(name) => name,
    });
    if level.is_some() != player.is_empty() {
        return Err(Refusal::bad(
            "a request for a move needs either a `player` or a `level`",
            "add one of the two fields",
        ));
    }
    if player.len() > PLAYER {
        let error = format!("the player's spec is longer than {PLAYER} characters, the limit of this server");
        return Err(Refusal::bad(error, "choose one of the players that /api/v1/games lists"));
    }
    no_files(&player)?;
    // What stands behind a name is the server's own choice, and nobody else's business.
    let named = asked.shared.settings.engines.iter().find(|(name, _)| *name == player).cloned();
    let (name, player, ours) = match named {
        Some((name, spec)) => (Some(name), spec, true),
        None => (None, player, false),
    };
    let mut wish = ChooseRequest::default();
    wish.place = place;
    wish.player = player;
    wish.seed = seed;
    let session = asked.shared.steady_session();
    wish.files = ours;
    Ok(asked.ask(at.game, move |game, budget| {
        if let Some(level) = level {
            wish.player = outplay_workbench::players(&session, game).levels.find(&level)?.player.clone();
        }
        match (outplay_workbench::choose(&session, game, &wish, &budget.clock()), name) {
            (Ok(answer), Some(name)) => {
                Ok(json(&ChosenMove::new(game, &wish.place, ChoiceAnswer { player: name, ..answer })?))
            }
            (Err(trouble), Some(name))
                if !trouble.is_stop()
                    && outplay_workbench::check_player(&session, game, &wish.player).is_ok() =>
            {
                Err(Refusal::new(
                    StatusCode::BAD_GATEWAY,
                    format!("the engine `{name}` returned no move for this position"),
                    "repeat the request, or choose another player",
                ))
            }
            (Err(trouble), Some(name)) if !trouble.is_stop() => Err(Refusal::bad(
                format!("the engine `{name}` does not play this game"),
                "choose another player",
            )),
            (chosen, _) => Ok(json(&ChosenMove::new(game, &wish.place, chosen?)?)),
        }
    }))
}

/// `GET /api/v1/position/stream`
pub(crate) fn position_stream(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let (visitor, patience) = (asked.visitor, asked.shared.settings.time * STREAM);
    Ok(asked.quick(move |desk, budget| {
        // What makes no sense is refused before the stream begins, and what is known does not queue for a study.
        if let Some(answer) = recall(desk, &desk.shelf.open(&game)?, &place, budget)? {
            let (events, live) = Live::new();
            answer.moves.iter().for_each(|mv| events.send("move", mv));
            return Ok(live.until(
                Box::pin(ready(Ok(written(&answer)))),
                events,
                JobProgress::new(None),
                None,
            ));
        }
        Ok(desk.stream(visitor, game, patience + GRACE, move |study| {
            let mut session = study.desk.session(study.threads);
            session.time = Some(patience);
            let found = &mut |mv: &_| study.events.send("move", mv);
            let answer =
                Arc::new(outplay_workbench::query_each(&session, study.game, &place, study.watch, found)?);
            study.desk.answers.keep(study.game, &answer);
            Ok(written(&answer))
        }))
    }))
}

/// A stream may take so many times longer than an answer in one piece: whoever watches can leave.
const STREAM: u32 = 3;
