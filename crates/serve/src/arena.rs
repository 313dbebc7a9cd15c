//! Matches and leagues: begun, watched, stopped and gone on with.
//!
//! ```text
//!  POST   /api/v1/match              {"game", "players": […], "games": 20}  →  {"id": 3, "state": "running", …}
//!  GET    /api/v1/match/3            score with bounds, test, boards
//!  GET    /api/v1/match/3/stream     the same as it changes
//!  GET    /api/v1/match/3/record     the games, as `outplay match --out` writes them
//!  DELETE /api/v1/match/3            stops it          POST /api/v1/match/3/resume   goes on
//! ```

use crate::ask::Told;
use crate::background::Work;
use crate::matches::{Match, Seen};
use crate::named::registered;
use crate::place::At;
use crate::refusal::Refusal;
use crate::router::Shared;
use axum::Json;
use axum::extract::{Path, State};
use axum::http::{StatusCode, header};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_core::Stream;
use outplay_arena::matches::MatchRequest;
use outplay_arena::record::Header;
use outplay_arena::stats::Sprt;
use outplay_core::Game;
use outplay_door::Visitor;
use serde::Deserialize;
use serde_json::{Value, json};
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

/// Players of a league.
const PLAYERS: usize = 8;
/// Games of a match or a league.
const GAMES: u64 = 4000;
/// Boards that are played on at a time.
const BOARDS: usize = 4;
/// The longest time between two moves, in milliseconds.
const PACE: u64 = 2000;
/// Characters of a player's spec.
const SPEC: usize = 500;
/// How often those who watch hear something new.
const PULSE: Duration = Duration::from_millis(200);

/// What to play.
#[derive(Deserialize)]
pub(crate) struct Wish {
    #[serde(flatten)]
    at: At,
    /// The players' specs, or names that the server was started with.
    players: Vec<String>,
    /// Games of each two.
    #[serde(default = "twenty")]
    games: u64,
    /// Plies of random openings.
    #[serde(default)]
    openings: Option<u32>,
    #[serde(default = "one")]
    seed: u64,
    /// The claims of a sequential test.
    #[serde(default)]
    sprt: Option<Claims>,
    /// Games at a time.
    #[serde(default)]
    boards: Option<usize>,
    /// The least milliseconds between two moves.
    #[serde(default)]
    pace: u64,
    /// Whether to play on when nobody looks.
    #[serde(default)]
    stay: bool,
}

#[derive(Deserialize)]
struct Claims {
    elo0: f64,
    elo1: f64,
}

fn twenty() -> u64 {
    20
}

fn one() -> u64 {
    1
}

impl Wish {
    /// The match that is meant, within what this server plays.
    fn request(self) -> Result<MatchRequest, Refusal> {
        let bad = |error: String, cure: &str| Err(Refusal::bad(error, cure));
        let count = self.players.len() as u64;
        if !(2..=PLAYERS as u64).contains(&count) {
            let cure = "name two for a match, more for a league";
            return bad(format!("{count} players, and this server plays with 2 to {PLAYERS}"), cure);
        }
        if self.players.iter().any(|spec| spec.len() > SPEC) {
            return bad(
                format!("a player's spec has more than {SPEC} characters"),
                "choose one of the game's levels",
            );
        }
        let all = (count * (count - 1) / 2).saturating_mul(self.games);
        if self.games == 0 || all > GAMES {
            let cure = "ask for fewer, or use the command line, which has no such limit: `outplay match`";
            return bad(format!("{all} games in all, and this server plays 1 to {GAMES}"), cure);
        }
        let sprt = match self.sprt {
            None => None,
            Some(Claims { elo0, elo1 })
                if elo0.is_finite() && elo1.is_finite() && elo0 < elo1 && elo1 - elo0 < 2000.0 =>
            {
                Some(Sprt::new(elo0, elo1))
            }
            Some(_) => {
                return bad(
                    "a test needs a modest and a bolder claim".into(),
                    "say `\"sprt\": {\"elo0\": 0, \"elo1\": 50}`",
                );
            }
        };
        let mut request = MatchRequest::default();
        request.players = self.players;
        request.games = self.games;
        request.openings = self.openings.map(|plies| plies.min(60));
        request.seed = self.seed;
        request.sprt = sprt;
        request.concurrency = self.boards.unwrap_or(BOARDS).clamp(1, BOARDS);
        Ok(request)
    }
}

/// `POST /api/v1/match`
pub(crate) async fn start(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Told(wish, _working): Told<Wish>,
) -> Result<(StatusCode, Json<Value>), Refusal> {
    let (at, place) = (wish.at.clone(), wish.at.place()?);
    let (pace, stay) = (Duration::from_millis(wish.pace.min(PACE)), wish.stay);
    let mut request = wish.request()?;
    request.house.time = Some(shared.settings.time);
    shared.matches.room(visitor)?;
    let desk = Arc::clone(&shared);
    let made = move || {
        let entry = desk.shelf.open(&at.game)?;
        let pos = entry.locate(&place)?;
        if entry.game().outcome(&pos).is_some() {
            return Err(Refusal::bad(
                "the game is over at that position",
                "choose another one to begin from",
            ));
        }
        let options = desk.options(1);
        let guests = registered(&desk.settings.engines, &entry, &options);
        let kit = outplay_players::Kit { files: None, outside: None, guests, ..entry.kit(&options) };
        for spec in &mut request.players {
            // What cannot play is told before anything is played, and everybody goes by one name.
            *spec = kit.player(spec).map_err(outplay_answer::Trouble::from)?.spec();
        }
        Ok(Arc::new(Match::new(entry, place, request, pace, visitor, stay)))
    };
    let made = shared.workers.quick(made).await?;
    let id = shared.matches.add(Arc::clone(&made))?;
    made.play(&shared)?;
    Ok((StatusCode::ACCEPTED, Json(made.standing(id, visitor, &mut Seen::default()))))
}

/// `GET /api/v1/match`
pub(crate) async fn list(State(shared): State<Arc<Shared>>, visitor: Visitor) -> Json<Value> {
    let all = shared.matches.all().into_iter().map(|(id, found)| found.summary(id, visitor));
    Json(json!({ "matches": all.collect::<Vec<Value>>() }))
}

/// `GET /api/v1/match/{id}`
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let (id, found) = shared.matches.find(&id)?;
    if found.visitor() == visitor {
        found.look();
    }
    shared.workers.quick(move || Ok(found.standing(id, visitor, &mut Seen::default()))).await.map(Json)
}

/// `DELETE /api/v1/match/{id}`
pub(crate) async fn stop(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let (id, found) = shared.matches.own(&id, visitor)?;
    found.stop();
    Ok(Json(found.summary(id, visitor)))
}

/// `POST /api/v1/match/{id}/resume`
pub(crate) async fn resume(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<Json<Value>, Refusal> {
    let (id, found) = shared.matches.own(&id, visitor)?;
    if found.is_whole() {
        return Err(Refusal::bad("all games of this match were played", "begin another one"));
    }
    shared.matches.room(visitor)?;
    found.play(&shared)?;
    Ok(Json(found.summary(id, visitor)))
}

/// `GET /api/v1/match/{id}/record`
pub(crate) async fn record(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Refusal> {
    let (id, found) = shared.matches.find(&id)?;
    let request = found.request();
    let header = Header {
        games: request.games,
        openings: request.openings.unwrap_or_default(),
        seed: request.seed,
        plies: request.house.plies,
        time: request.house.time.map(|time| time.as_secs_f64()),
        ..Header::new(found.spec(), request.players.clone())
    };
    // Numbers and texts always serialise.
    let mut text = serde_json::to_string(&header).unwrap_or_default() + "\n";
    for game in found.games() {
        text += &serde_json::to_string(&game).unwrap_or_default();
        text.push('\n');
    }
    let name = format!("attachment; filename=\"match-{id}.jsonl\"");
    Ok((
        [(header::CONTENT_TYPE, "application/x-ndjson".to_string()), (header::CONTENT_DISPOSITION, name)],
        text,
    ))
}

/// Events of a match.
struct Watched(UnboundedReceiver<Event>);

impl Stream for Watched {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.poll_recv(context).map(|event| event.map(Ok))
    }
}

/// `GET /api/v1/match/{id}/stream`: `event: match` with what is new, `event: done` when nothing more will come.
pub(crate) async fn stream(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Path(id): Path<String>,
) -> Result<impl IntoResponse, Refusal> {
    let (id, found) = shared.matches.find(&id)?;
    let (sender, events) = unbounded_channel();
    tokio::spawn(async move {
        let mut pulse = tokio::time::interval(PULSE);
        let mut seen = Seen::default();
        loop {
            tokio::select! {
                _ = pulse.tick() => {}
                () = sender.closed() => return,
            }
            if found.visitor() == visitor {
                found.look();
            }
            // Asked before the standing, so that the last one is whole.
            let over = !found.runs();
            let (table, mut known) = (Arc::clone(&found), std::mem::take(&mut seen));
            let told =
                shared.workers.quick(move || Ok((table.standing(id, visitor, &mut known), known))).await;
            // A server that is too busy to tell tells the next time; what was not sent is sent then.
            let Ok((standing, known)) = told else { continue };
            seen = known;
            let name = if over { "done" } else { "match" };
            let Ok(event) = Event::default().event(name).json_data(&standing) else { return };
            if sender.send(event).is_err() || over {
                return;
            }
        }
    });
    Ok(Sse::new(Watched(events)).keep_alive(KeepAlive::default()))
}
