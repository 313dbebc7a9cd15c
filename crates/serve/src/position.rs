//! What a position looks like, what it is worth, and what a player would do.

use crate::ask::{Asked, Told};
use crate::place::At;
use crate::question::GRACE;
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::stream::live;
use crate::workers::{Attention, Leash};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::IntoResponse;
use outplay_answer::{ChoiceAnswer, ChooseRequest, Entry, Place, PlayerList, QueryAnswer, View};
use outplay_door::Visitor;
use outplay_players::{About, PROTOCOLS};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A view with what the page wants to know beside it.
#[derive(Serialize)]
pub(crate) struct Looked {
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
pub(crate) async fn view(
    State(shared): State<Arc<Shared>>,
    Asked(at): Asked<At>,
) -> Result<Json<Looked>, Refusal> {
    let place = at.place()?;
    let desk = Arc::clone(&shared);
    let look = move || {
        let game = desk.shelf.open(&at.game)?;
        let view = game.view(&place)?;
        let options = desk.steady_options();
        let PlayerList { mut players, levels, .. } = game.players(&options);
        // Visitors do not start programs.
        players.retain(|about| !PROTOCOLS.contains(&about.name));
        let engines =
            desk.settings.engines.iter().filter(|(_, spec)| game.check_player(spec, &options).is_ok());
        let engines = engines.map(|(name, _)| name.clone()).collect();
        let exact = game.exact(&place, &options)?;
        Ok(Looked { view, warning: game.warning(), players, engines, levels, exact })
    };
    shared.workers.quick(look).await.map(Json)
}

/// `GET /api/v1/position`
pub(crate) async fn position(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<Arc<QueryAnswer>>, Refusal> {
    let place = at.place()?;
    if let Some(answer) = known(&shared, &at.game, &place).await? {
        return Ok(Json(answer));
    }
    let desk = Arc::clone(&shared);
    let look = move |game: &Entry, threads, watch: &Attention| {
        let answer = Arc::new(game.query(&place, &desk.options(threads), watch)?);
        desk.answers.keep(&answer);
        Ok(answer)
    };
    shared.ask(visitor, at.game, look).await.map(Json)
}

/// The answer if it needs no search.
pub(crate) async fn known(
    shared: &Arc<Shared>,
    game: &str,
    place: &Place,
) -> Result<Option<Arc<QueryAnswer>>, Refusal> {
    let desk = Arc::clone(shared);
    let (game, place) = (game.to_string(), place.clone());
    let watch = Attention::new(Some(GRACE));
    let _leash = Leash(Arc::clone(&watch));
    let look = move || {
        let game = desk.shelf.open(&game)?;
        recall(&desk, &game, &place, &watch)
    };
    shared.workers.quick(look).await
}

/// The same on this thread.
pub(crate) fn recall(
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
pub(crate) struct MoveRequest {
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
pub(crate) async fn choose(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Told(request, _working): Told<MoveRequest>,
) -> Result<Json<ChoiceAnswer>, Refusal> {
    let place = request.at.place()?;
    if request.player.len() > PLAYER {
        let error = format!("the player's spec has more than the {PLAYER} characters that this server reads");
        return Err(Refusal::bad(error, "choose one of the players that /api/v1/games lists"));
    }
    no_files(&request.player)?;
    let MoveRequest { at, player, seed } = request;
    // What stands behind a name is the server's own choice, and nobody else's business.
    let named = shared.settings.engines.iter().find(|(name, _)| *name == player).cloned();
    let (name, player, ours) = match named {
        Some((name, spec)) => (Some(name), spec, true),
        None => (None, player, false),
    };
    let mut asked = ChooseRequest::default();
    asked.place = place;
    asked.player = player;
    asked.seed = seed;
    asked.options = shared.steady_options();
    asked.files = ours;
    let chosen =
        shared.ask(visitor, at.game, move |game, _, watch| match (game.choose(&asked, watch), name) {
            (Ok(answer), Some(name)) => Ok(ChoiceAnswer { player: name, ..answer }),
            (Err(trouble), Some(name))
                if !trouble.is_stop() && game.check_player(&asked.player, &asked.options).is_ok() =>
            {
                Err(Refusal::new(
                    StatusCode::BAD_GATEWAY,
                    format!("the engine `{name}` has no move here"),
                    "ask again, or choose another player",
                ))
            }
            (Err(trouble), Some(name)) if !trouble.is_stop() => Err(Refusal::bad(
                format!("the engine `{name}` does not play this game"),
                "choose another player",
            )),
            (chosen, _) => Ok(chosen?),
        });
    chosen.await.map(Json)
}

/// `GET /api/v1/position/stream`
pub(crate) async fn position_stream(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<impl IntoResponse, Refusal> {
    let place = at.place()?;
    // What makes no sense is refused before the stream begins.
    let answer = known(&shared, &at.game, &place).await?;
    let patience = shared.settings.time * STREAM;
    let watch = Attention::patient(Some(patience + GRACE), &shared.workers);
    Ok(live(watch, move |watch, events| async move {
        if let Some(answer) = answer {
            answer.moves.iter().for_each(|mv| events.send("move", mv));
            return Ok(answer);
        }
        let desk = Arc::clone(&shared);
        let search = move |threads| {
            let game = desk.shelf.open(&at.game)?;
            let mut options = desk.options(threads);
            options.time = Some(patience);
            let answer = game.query_each(&place, &options, &*watch, &mut |mv| events.send("move", mv))?;
            let answer = Arc::new(answer);
            desk.answers.keep(&answer);
            Ok(answer)
        };
        shared.workers.study(visitor, search).await
    }))
}

/// A stream may take so many times longer than an answer in one piece: whoever watches can leave.
const STREAM: u32 = 3;
