//! What a position looks like, what it is worth, and what a player would do.

use crate::ask::Asked;
use crate::place::At;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::reply::{Reply, json, written};
use crate::router::Shared;
use crate::stream::Live;
use crate::workers::Attention;
use axum::http::StatusCode;
use outplay_answer::{ChoiceAnswer, ChooseRequest, Entry, Place, PlayerList, QueryAnswer, View};
use outplay_players::{About, PROTOCOLS};
use serde::{Deserialize, Serialize};
use std::future::ready;
use std::sync::Arc;

/// A view with what the page wants to know beside it.
#[derive(Serialize)]
struct Looked {
    #[serde(flatten)]
    view: View,
    /// What is odd about the game.
    warning: Option<String>,
    /// Kinds of players that can play it.
    players: Vec<About>,
    /// Names of engines that whoever runs the server lets play.
    engines: Vec<String>,
    /// Specs of players, each stronger than the one before.
    levels: Vec<String>,
    /// Whether exact values can be expected within the time that an answer may take.
    exact: bool,
}

/// `GET /api/v1/view`
pub(crate) fn view(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    Ok(asked.quick(move |desk, _| {
        let game = desk.shelf.open(&game)?;
        let view = game.view(&place)?;
        let options = desk.steady_options();
        let PlayerList { mut players, levels, .. } = game.players(&options);
        // Visitors do not start programs.
        players.retain(|about| !PROTOCOLS.contains(&about.name));
        let engines =
            desk.settings.engines.iter().filter(|(_, spec)| game.check_player(spec, &options).is_ok());
        let engines = engines.map(|(name, _)| name.clone()).collect();
        let exact = game.exact(&place, &options)?;
        Ok(json(&Looked { view, warning: game.warning(), players, engines, levels, exact }))
    }))
}

/// `GET /api/v1/position`
pub(crate) fn position(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let (spec, wanted) = (game.clone(), place.clone());
    let known = asked.quick(move |desk, watch| {
        Ok(recall(desk, &desk.shelf.open(&spec)?, &wanted, watch)?.map(|answer| json(&answer)))
    });
    let desk = Arc::clone(&asked.shared);
    let search = asked.ask(game, move |game, threads, watch| {
        let answer = Arc::new(game.query(&place, &desk.options(threads), watch)?);
        desk.answers.keep(&answer);
        Ok(json(&answer))
    });
    // What needs no search does not queue for one.
    Ok(Box::pin(async move {
        match known.await? {
            Some(response) => Ok(response),
            None => search.await,
        }
    }))
}

/// The answer if it needs no search.
fn recall(
    shared: &Shared,
    game: &Entry,
    place: &Place,
    watch: &Attention,
) -> Result<Option<Arc<QueryAnswer>>, Refusal> {
    let position = game.view(place)?.position;
    if let Some(answer) = shared.answers.find(&game.spec(), &position) {
        return Ok(Some(answer));
    }
    let answer = game.known(place, &shared.options(1), watch)?.map(Arc::new);
    if let Some(answer) = &answer {
        shared.answers.keep(answer);
    }
    Ok(answer)
}

/// Who is asked for a move, and where.
#[derive(Deserialize)]
struct MoveRequest {
    #[serde(flatten)]
    at: At,
    /// The player's spec.
    player: String,
    /// What its chance decisions follow from.
    #[serde(default)]
    seed: u64,
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
            let error = "a player here cannot take its weights from a file";
            return Err(Refusal::bad(error, "name the weights, as in `lines:weights=paper`"));
        }
    }
    Ok(())
}

/// `POST /api/v1/move`
pub(crate) fn choose(asked: &Asked) -> Result<Reply, Refusal> {
    let MoveRequest { at, player, seed } = asked.told()?;
    let place = at.place()?;
    if player.len() > PLAYER {
        let error = format!("the player's spec has more than the {PLAYER} characters that this server reads");
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
    wish.options = asked.shared.steady_options();
    wish.files = ours;
    Ok(asked.ask(at.game, move |game, _, watch| match (game.choose(&wish, watch), name) {
        (Ok(answer), Some(name)) => Ok(json(&ChoiceAnswer { player: name, ..answer })),
        (Err(trouble), Some(name))
            if !trouble.is_stop() && game.check_player(&wish.player, &wish.options).is_ok() =>
        {
            Err(Refusal::new(
                StatusCode::BAD_GATEWAY,
                format!("the engine `{name}` has no move here"),
                "ask again, or choose another player",
            ))
        }
        (Err(trouble), Some(name)) if !trouble.is_stop() => {
            Err(Refusal::bad(format!("the engine `{name}` does not play this game"), "choose another player"))
        }
        (chosen, _) => Ok(json(&chosen?)),
    }))
}

/// `GET /api/v1/position/stream`
pub(crate) fn position_stream(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let (visitor, patience) = (asked.visitor, asked.shared.settings.time * STREAM);
    Ok(asked.quick(move |desk, watch| {
        // What makes no sense is refused before the stream begins, and what is known does not queue for a study.
        if let Some(answer) = recall(desk, &desk.shelf.open(&game)?, &place, watch)? {
            let (events, live) = Live::new();
            answer.moves.iter().for_each(|mv| events.send("move", mv));
            return Ok(live.until(Box::pin(ready(Ok(written(&answer)))), events, Attention::new(None), None));
        }
        Ok(desk.stream(visitor, game, patience + GRACE, move |study| {
            let mut options = study.desk.options(study.threads);
            options.time = Some(patience);
            let found = &mut |mv: &_| study.events.send("move", mv);
            let answer = Arc::new(study.game.query_each(&place, &options, study.watch, found)?);
            study.desk.answers.keep(&answer);
            Ok(written(&answer))
        }))
    }))
}

/// A stream may take so many times longer than an answer in one piece: whoever watches can leave.
const STREAM: u32 = 3;
