//! Route table of the HTTP API: handler, parameters and description of each path.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::Reply;
#[cfg(feature = "experiments")]
use crate::runs;
use crate::{
    arena, games, history, jobs, knowledge, learn, openapi, opinions, position, proof, puzzles, sharing,
    stats, why,
};
use axum::routing::MethodFilter;

/// A handler: parses a request and returns a pending reply.
pub(crate) type Handler = fn(&ApiRequest) -> Result<Reply, Refusal>;

/// HTTP method of a route.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Method {
    Get,
    Post,
    Delete,
}

/// A route.
pub(crate) struct Address {
    pub(crate) method: Method,
    pub(crate) path: &'static str,
    pub(crate) handler: Handler,
    /// Names of the query parameters, separated by spaces.
    pub(crate) parameters: &'static str,
    /// Schema of the request body.
    pub(crate) body: Option<&'static str>,
    /// Schema of the response, or its media type.
    pub(crate) answer: &'static str,
    pub(crate) about: &'static str,
}

impl Address {
    pub(crate) fn filter(&self) -> MethodFilter {
        match self.method {
            Method::Get => MethodFilter::GET,
            Method::Post => MethodFilter::POST,
            Method::Delete => MethodFilter::DELETE,
        }
    }

    /// Whether the path has an `{id}`.
    pub(crate) fn has_id(&self) -> bool {
        self.path.contains("{id}")
    }

    /// Whether the method takes a body.
    pub(crate) fn reads_body(&self) -> bool {
        self.body.is_some_and(|body| body != NOTHING)
    }
}

/// A `GET` route; parameters are separated by spaces.
pub(crate) const fn get(
    path: &'static str,
    handler: Handler,
    parameters: &'static str,
    answer: &'static str,
    about: &'static str,
) -> Address {
    Address { method: Method::Get, path, handler, parameters, body: None, answer, about }
}

/// A `POST` route.
const fn post(
    path: &'static str,
    handler: Handler,
    body: &'static str,
    answer: &'static str,
    about: &'static str,
) -> Address {
    Address { method: Method::Post, path, handler, parameters: "", body: Some(body), answer, about }
}

/// A `DELETE` route.
const fn delete(path: &'static str, handler: Handler, answer: &'static str, about: &'static str) -> Address {
    Address { method: Method::Delete, path, handler, parameters: "", body: None, answer, about }
}

const GAME: &str = "game";
const AT: &str = "game position moves";
/// Schema of a body that is ignored.
const NOTHING: &str = "Nothing";

/// Lists the experiments; empty in a server built without them.
#[cfg(feature = "experiments")]
const EXPERIMENTS: Handler = runs::list;
#[cfg(not(feature = "experiments"))]
const EXPERIMENTS: Handler = games::no_experiments;

/// All routes.
pub(crate) static ADDRESSES: &[Address] = &[
    get("/api/v1/games", games::games, "", "Games", "The games and players that there are"),
    get(
        "/api/v1/view",
        position::view,
        "game position moves at",
        "View",
        "What a position looks like and which moves it has",
    ),
    get(
        "/api/v1/start",
        position::start,
        "game seed",
        "Start",
        "Where a game begins; a random position of a game without a start",
    ),
    get(
        "/api/v1/position",
        position::position,
        AT,
        "Query",
        "The value of a position and of each of its moves",
    ),
    get(
        "/api/v1/position/stream",
        position::position_stream,
        AT,
        "events",
        "The same as events: move, progress, done or error",
    ),
    get(
        "/api/v1/history",
        history::history,
        AT,
        "History",
        "The value of every position that the moves go through, with mistakes",
    ),
    get(
        "/api/v1/history/stream",
        history::history_stream,
        AT,
        "events",
        "The same as events: ply, progress, done or error",
    ),
    post("/api/v1/move", position::choose, "MoveRequest", "Choice", "The move that a player would make"),
    get(
        "/api/v1/why",
        why::why,
        AT,
        "Why",
        "The reason behind a value: a sentence, marks and the line of best play",
    ),
    get(
        "/api/v1/puzzle",
        why::puzzle,
        "game seed",
        "Puzzle",
        "A position with exactly one move that keeps its value",
    ),
    get(
        "/api/v1/evaluation",
        why::evaluation,
        "game position moves eval",
        "Evaluation",
        "What an evaluation sees in a position: its score, the parts of it, what every cell is worth, a picture",
    ),
    get(
        "/api/v1/rules",
        learn::rules,
        GAME,
        "Rules",
        "The rules of a game in words, and written out if it is small",
    ),
    get(
        "/api/v1/tree",
        learn::tree,
        "game position moves depth method eval_at order seed most stop distance",
        "Trace",
        "A search recorded step by step: every position entered, its window, its worth and what became of it",
    ),
    get(
        "/api/v1/index",
        learn::index,
        "game position number",
        "Index",
        "The size of a game's index, the number of a position, or the position of a number",
    ),
    get(
        "/api/v1/waves",
        learn::waves,
        GAME,
        "Waves",
        "How many positions each wave of retrograde analysis decides, for a game with loops",
    ),
    post(
        "/api/v1/values",
        learn::values,
        "ValuesRequest",
        "Values",
        "The values of a list of positions of a game with loops",
    ),
    get("/api/v1/proof", proof::prove, AT, "Proof", "The value of a board of lines with its written proof"),
    post(
        "/api/v1/check",
        proof::check,
        "CheckRequest",
        "Checked",
        "Checks a written proof and tells what was followed",
    ),
    post("/api/v1/walk", proof::walk, "WalkRequest", "Walk", "A proof's answers to moves of the opponent"),
    get(
        "/api/v1/experiments",
        EXPERIMENTS,
        "",
        "Experiments",
        "The experiments that there are: question, source and verdict of each",
    ),
    post(
        "/api/v1/solve",
        jobs::start,
        "SolveRequest",
        "Job",
        "Begins to solve a whole game in the background",
    ),
    get("/api/v1/solve/{id}", jobs::show, "", "Job", "How far a solve is, or its answer"),
    get(
        "/api/v1/solve/{id}/stream",
        jobs::listen,
        "",
        "events",
        "The same as events: progress, done or error",
    ),
    delete("/api/v1/solve/{id}", jobs::cancel, "Job", "Cancels a solve"),
    get(
        "/api/v1/knowledge",
        knowledge::knowledge,
        GAME,
        "Knowledge",
        "How large a game is, whether it can be solved here, and its statistics",
    ),
    get(
        "/api/v1/opinions/stream",
        opinions::opinions_stream,
        AT,
        "events",
        "What the program thinks of moves whose exact value is out of reach, as events: move, progress, done or error",
    ),
    get(
        "/api/v1/stats",
        stats::stats,
        GAME,
        "Stats",
        "Positions by ply, value and distance, from the game's table",
    ),
    get("/api/v1/stats.svg", stats::picture, GAME, "picture", "The same as a picture"),
    get("/api/v1/stats.csv", stats::lines, GAME, "lines", "The same as lines of comma-separated values"),
    get(
        "/api/v1/stats/examples",
        stats::examples,
        "game tier value seed",
        "Examples",
        "Positions of a table of one kind",
    ),
    get(
        "/api/v1/stats/records",
        stats::records,
        GAME,
        "Records",
        "The longest and the hardest wins of a table",
    ),
    get("/api/v1/match", arena::list, "", "Matches", "Matches and leagues of late"),
    post(
        "/api/v1/match",
        arena::start,
        "MatchRequest",
        "Match",
        "Begins a match or a league in the background",
    ),
    get(
        "/api/v1/match/{id}",
        arena::show,
        "",
        "Match",
        "How a match stands: score with bounds, test, boards",
    ),
    delete("/api/v1/match/{id}", arena::stop, "Match", "Stops a match; what was played counts"),
    post(
        "/api/v1/match/{id}/resume",
        arena::resume,
        NOTHING,
        "Match",
        "Goes on with a match that was stopped",
    ),
    get(
        "/api/v1/match/{id}/stream",
        arena::stream,
        "",
        "events",
        "What is new in a match as events: match, done",
    ),
    get("/api/v1/match/{id}/record", arena::record, "", "lines", "The games of a match, one per line"),
    #[cfg(feature = "experiments")]
    post(
        "/api/v1/experiments/run",
        runs::start,
        "RunRequest",
        "Run",
        "Runs an experiment again in the background",
    ),
    #[cfg(feature = "experiments")]
    get(
        "/api/v1/experiments/run/{id}",
        runs::show,
        "",
        "Run",
        "How far a run is, or what it found, with plots",
    ),
    #[cfg(feature = "experiments")]
    delete("/api/v1/experiments/run/{id}", runs::stop, "Run", "Stops a run"),
    get("/api/v1/puzzles", puzzles::sets, "", "PuzzleSets", "The sets of puzzles that were made beforehand"),
    get("/api/v1/puzzle/set", puzzles::one, "game number", "Puzzle", "A puzzle of a set"),
    get("/api/v1/puzzle/daily", puzzles::daily, "date", "Puzzle", "The puzzle of a day"),
    get("/api/v1/qr.svg", sharing::code, "text", "picture", "A QR code"),
    get("/embed", sharing::embed, AT, "page", "A board for other people's pages"),
    get("/shell.json", sharing::shell, "", "object", "The files of the page"),
    get("/api/openapi.json", openapi::describe, "", "object", "This description"),
    get("/healthz", games::health, "", "Health", "Whether the server answers, and how busy it is"),
    get("/", sharing::home, "", "page", "The page"),
];
