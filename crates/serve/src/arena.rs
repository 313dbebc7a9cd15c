//! Handlers for matches and leagues: start, list, show, stream, stop, resume, record.
//!
//! ```text
//!  POST   /api/v1/match              {"game", "players": […], "games": 20}  →  {"id": 3, "state": "running", …}
//!  GET    /api/v1/match/3            score with confidence interval, sequential test, boards
//!  GET    /api/v1/match/3/stream     the same as server-sent events
//!  GET    /api/v1/match/3/record     the games, as `outplay match --out` writes them
//!  DELETE /api/v1/match/3            stops the match   POST /api/v1/match/3/resume   resumes the match
//! ```

use crate::api_request::ApiRequest;
use crate::background::{Work, lock, spawn};
use crate::matches::{Match, MatchCursor, Summary};
use crate::named::registered;
use crate::place::At;
use crate::refusal::Refusal;
use crate::reply::{Reply, as_json, at_once, begun, json, sent, written};
use crate::stream::Live;
use axum::http::{HeaderValue, header};
use outplay_arena::matches::MatchRequest;
use outplay_arena::record::Header;
use outplay_arena::stats::Sprt;
use outplay_core::Game;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// Most players of a league.
const PLAYERS: usize = 8;
/// Most games of a match or a league.
const GAMES: u64 = 4000;
/// Most games played concurrently.
const BOARDS: usize = 4;
/// Longest pause between two moves, in milliseconds.
const PACE: u64 = 2000;
/// Longest player spec, in characters.
const SPEC: usize = 500;
/// Interval of a stream's events.
const PULSE: Duration = Duration::from_millis(200);

/// The body of `POST /api/v1/match`.
#[derive(Deserialize)]
struct NewMatch {
    #[serde(flatten)]
    at: At,
    /// Player specs, or names of registered engines.
    players: Vec<String>,
    /// Games of each pairing.
    #[serde(default = "twenty")]
    games: u64,
    /// Random plies of each opening.
    #[serde(default)]
    openings: Option<u32>,
    #[serde(default = "one")]
    seed: u64,
    /// Hypotheses of the SPRT (Wald 1945).
    #[serde(default)]
    sprt: Option<SprtHypotheses>,
    /// Concurrent games.
    #[serde(default)]
    boards: Option<usize>,
    /// Minimum milliseconds between two moves.
    #[serde(default)]
    pace: u64,
    /// Whether to keep playing when no client polls.
    #[serde(default)]
    stay: bool,
}

#[derive(Deserialize)]
struct SprtHypotheses {
    elo0: f64,
    elo1: f64,
}

fn twenty() -> u64 {
    20
}

fn one() -> u64 {
    1
}

impl NewMatch {
    /// Validates the request against this server's limits.
    fn request(self) -> Result<MatchRequest, Refusal> {
        let bad = |error: String, cure: &str| Err(Refusal::bad(error, cure));
        let count = self.players.len() as u64;
        if !(2..=PLAYERS as u64).contains(&count) {
            let cure = "give two players for a match, or more for a league";
            return bad(
                format!("{count} players are given, but a match on this server has 2 to {PLAYERS}"),
                cure,
            );
        }
        if self.players.iter().any(|spec| spec.len() > SPEC) {
            return bad(
                format!("a player's spec has more than {SPEC} characters"),
                "choose one of the game's levels",
            );
        }
        let all = (count * (count - 1) / 2).saturating_mul(self.games);
        if self.games == 0 || all > GAMES {
            let cure = "reduce the number, or use the command line, which has no such limit: `outplay match`";
            return bad(
                format!("the match would have {all} games, but this server plays 1 to {GAMES}"),
                cure,
            );
        }
        let sprt = match self.sprt {
            None => None,
            Some(SprtHypotheses { elo0, elo1 })
                if elo0.is_finite() && elo1.is_finite() && elo0 < elo1 && elo1 - elo0 < 2000.0 =>
            {
                Some(Sprt::new(elo0, elo1))
            }
            Some(_) => {
                return bad(
                    "the sequential test needs two Elo differences, the smaller one first".into(),
                    "send for example `\"sprt\": {\"elo0\": 0, \"elo1\": 50}`",
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
pub(crate) fn start(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let body: NewMatch = asked.told()?;
    let (at, place) = (body.at.clone(), body.at.place()?);
    let (pace, stay) = (Duration::from_millis(body.pace.min(PACE)), body.stay);
    let mut request = body.request()?;
    let visitor = asked.visitor;
    request.house.time = Some(asked.shared.settings.time);
    asked.shared.matches.room(visitor)?;
    Ok(asked.quick(move |desk, _| {
        let entry = desk.shelf.open(&at.game)?;
        let pos = entry.locate(&place)?;
        if entry.game().outcome(&pos).is_some() {
            return Err(Refusal::bad("the game is over at that position", "choose another start position"));
        }
        let session = desk.session(1);
        let guests = registered(&desk.settings.engines, &entry, &session);
        let kit = outplay_players::PlayerContext {
            files: None,
            outside: None,
            guests,
            ..outplay_workbench::kit(&session, &entry)
        };
        for spec in &mut request.players {
            // Specs are checked before the first game, and written in canonical form so that a player has one name.
            *spec = kit.player(spec).map_err(outplay_workbench::Trouble::from)?.spec();
        }
        let made = Arc::new(Match::new(entry, place, request, pace, visitor, stay));
        let id = desk.matches.add(Arc::clone(&made))?;
        made.play(desk)?;
        Ok(begun(as_json(made.standing(id, visitor, &mut MatchCursor::default()))))
    }))
}

/// The answer of `GET /api/v1/match`.
#[derive(Serialize)]
struct MatchList<'a> {
    matches: Vec<Summary<'a>>,
}

/// `GET /api/v1/match`
pub(crate) fn list(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let all = asked.shared.matches.all();
    let matches = all.iter().map(|(id, found)| found.summary(*id, asked.visitor)).collect();
    at_once(json(&MatchList { matches }))
}

/// `GET /api/v1/match/{id}`
pub(crate) fn show(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.matches.find(&asked.id)?;
    let visitor = asked.visitor;
    if found.visitor() == visitor {
        found.look();
    }
    Ok(asked.quick(move |_, _| Ok(as_json(found.standing(id, visitor, &mut MatchCursor::default())))))
}

/// `DELETE /api/v1/match/{id}`
pub(crate) fn stop(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.matches.own(&asked.id, asked.visitor)?;
    found.stop();
    at_once(json(&found.summary(id, asked.visitor)))
}

/// `POST /api/v1/match/{id}/resume`
pub(crate) fn resume(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.matches.own(&asked.id, asked.visitor)?;
    if found.is_whole() {
        return Err(Refusal::bad("all games of this match have been played", "start another match"));
    }
    asked.shared.matches.room(asked.visitor)?;
    found.play(&asked.shared)?;
    at_once(json(&found.summary(id, asked.visitor)))
}

/// `GET /api/v1/match/{id}/record`
pub(crate) fn record(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.matches.find(&asked.id)?;
    let request = found.request();
    let head = Header {
        games: request.games,
        openings: request.openings.unwrap_or_default(),
        seed: request.seed,
        plies: request.house.plies,
        time: request.house.time.map(|time| time.as_secs_f64()),
        ..Header::new(found.spec(), request.players.clone())
    };
    let mut text = written(&head) + "\n";
    for game in found.games() {
        text += &written(&game);
        text.push('\n');
    }
    let mut response = sent("application/x-ndjson", text);
    let name = format!("attachment; filename=\"match-{id}.jsonl\"");
    if let Ok(name) = HeaderValue::from_str(&name) {
        response.headers_mut().insert(header::CONTENT_DISPOSITION, name);
    }
    at_once(response)
}

/// `GET /api/v1/match/{id}/stream`: `event: match` with each change, `event: done` at the end.
pub(crate) fn stream(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (id, found) = asked.shared.matches.find(&asked.id)?;
    let (shared, visitor) = (Arc::clone(&asked.shared), asked.visitor);
    let (events, live) = Live::new();
    spawn(async move {
        let mut pulse = tokio::time::interval(PULSE);
        let seen = Arc::new(Mutex::new(MatchCursor::default()));
        loop {
            tokio::select! {
                _ = pulse.tick() => {}
                () = events.closed() => return,
            }
            if found.visitor() == visitor {
                found.look();
            }
            // Read before the standing, so that the final event is complete.
            let over = !found.runs();
            let (table, seen) = (Arc::clone(&found), Arc::clone(&seen));
            let standing = Box::new(move || Ok(table.standing(id, visitor, &mut lock(&seen))));
            // A busy server skips this event; the next one includes what was not sent.
            let Ok(standing) = shared.workers.quick(standing).await else { continue };
            events.say(if over { "done" } else { "match" }, standing);
            if over {
                return;
            }
        }
    });
    at_once(live.response())
}
