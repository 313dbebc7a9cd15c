//! Route table of the HTTP API: the method, path, handler, parameters and description of each route.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::Reply;
#[cfg(feature = "experiments")]
use crate::runs;
use crate::{
    arena, games, history, jobs, knowledge, learn, openapi, opinions, page, position, proof, puzzles, router,
    sharing, stats, why,
};
use axum::routing::MethodFilter;

/// A handler: parses a request and returns a pending reply.
pub(crate) type Handler = fn(&ApiRequest) -> Result<Reply, Refusal>;

/// HTTP method of a route.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum HttpMethod {
    Get,
    Post,
    Delete,
}

/// A route.
pub(crate) struct Address {
    pub(crate) method: HttpMethod,
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
            HttpMethod::Get => MethodFilter::GET,
            HttpMethod::Post => MethodFilter::POST,
            HttpMethod::Delete => MethodFilter::DELETE,
        }
    }

    /// Whether the path has an `{id}`.
    pub(crate) fn has_id(&self) -> bool {
        self.path.contains("{id}")
    }

    /// Whether the method takes a body. The schema `Nothing` is that of a body that is ignored.
    pub(crate) fn reads_body(&self) -> bool {
        self.body.is_some_and(|body| body != "Nothing")
    }
}

/// Builds routes from lines of `HttpMethod "path" => handler(query parameters) -> response: "summary";`, where the
/// parentheses hold `body` and a schema if the request has a body.
macro_rules! routes {
    ($($(#[$only:meta])* $method:ident $path:literal => $module:ident::$handler:ident($($input:tt)*)
        -> $answer:ident: $about:literal;)*) => {
        &[$($(#[$only])* Address {
            method: HttpMethod::$method,
            path: $path,
            handler: $module::$handler,
            parameters: routes!(@parameters $($input)*),
            body: routes!(@body $($input)*),
            answer: stringify!($answer),
            about: $about,
        }),*]
    };
    (@parameters body $schema:ident) => { "" };
    (@parameters $($name:ident)*) => { concat!($(stringify!($name), " "),*) };
    (@body body $schema:ident) => { Some(stringify!($schema)) };
    (@body $($name:ident)*) => { None };
}

/// All routes.
pub(crate) static ADDRESSES: &[Address] = routes! {
    Get "/api/v1/games" => games::games() -> Games: "The available games and players";
    Get "/api/v1/view" => position::view(game position moves at) -> View:
        "The picture of a position and its moves";
    Get "/api/v1/start" => position::start(game seed) -> Start:
        "The start of a game; a random position if the game has none";
    Get "/api/v1/position" => position::position(game position moves) -> Query:
        "The value of a position and of each of its moves";
    Get "/api/v1/position/stream" => position::position_stream(game position moves) -> events:
        "The same as events: move, progress, done or error";
    Get "/api/v1/history" => history::history(game position moves) -> History:
        "The value of every position along the moves, with mistakes";
    Get "/api/v1/history/stream" => history::history_stream(game position moves) -> events:
        "The same as events: ply, progress, done or error";
    Post "/api/v1/move" => position::choose(body MoveRequest) -> Choice: "The move that a player chooses";
    Get "/api/v1/why" => why::why(game position moves) -> Why:
        "The reason behind a value: a sentence, marks and the line of best play";
    Get "/api/v1/puzzle" => why::puzzle(game seed) -> Puzzle:
        "A position with exactly one move that keeps its value";
    Get "/api/v1/evaluation" => why::evaluation(game position moves eval) -> Evaluation:
        "The evaluation of a position: its score, its terms, the value of every cell, a picture";
    Get "/api/v1/rules" => learn::rules(game) -> Rules:
        "The rules of a game in words, and written out if it is small";
    Get "/api/v1/tree" => learn::tree(game position moves depth method eval_at order seed most stop distance) -> Trace:
        "A search recorded step by step: every position entered, its window, its value and its fate";
    Get "/api/v1/index" => learn::index(game position number) -> Index:
        "The size of a game's index, the number of a position, or the position of a number";
    Get "/api/v1/waves" => learn::waves(game) -> Waves:
        "The number of positions that each wave of retrograde analysis decides, for a game with cycles";
    Post "/api/v1/values" => learn::values(body ValuesRequest) -> Values:
        "The values of a list of positions of a game with cycles";
    Get "/api/v1/proof" => proof::prove(game position moves) -> Proof:
        "The value of a board of k in a row, with its proof certificate";
    Post "/api/v1/check" => proof::check(body CheckRequest) -> Checked:
        "Checks a proof certificate and returns the steps that were followed";
    Post "/api/v1/walk" => proof::walk(body WalkRequest) -> Walk:
        "The replies of a proof to the opponent's moves";
    #[cfg(feature = "experiments")]
    Get "/api/v1/experiments" => runs::list() -> Experiments:
        "The experiments: question, source and verdict of each";
    #[cfg(not(feature = "experiments"))]
    Get "/api/v1/experiments" => games::no_experiments() -> Experiments:
        "The experiments: question, source and verdict of each";
    Post "/api/v1/solve" => jobs::start(body SolveRequest) -> Job:
        "Starts to solve a whole game in the background";
    Get "/api/v1/solve/{id}" => jobs::show() -> Job: "The progress of a solve, or its answer";
    Get "/api/v1/solve/{id}/stream" => jobs::listen() -> events:
        "The same as events: progress, done or error";
    Delete "/api/v1/solve/{id}" => jobs::cancel() -> Job: "Cancels a solve";
    Get "/api/v1/knowledge" => knowledge::knowledge(game) -> Knowledge:
        "The size of a game, whether it can be solved here, and its statistics";
    Get "/api/v1/opinions/stream" => opinions::opinions_stream(game position moves) -> events:
        "Estimates of moves whose exact value is out of reach, as events: move, progress, done or error";
    Get "/api/v1/stats" => stats::stats(game) -> Stats:
        "Positions by ply, value and distance, from the game's table";
    Get "/api/v1/stats.svg" => stats::picture(game) -> picture: "The same as a picture";
    Get "/api/v1/stats.csv" => stats::lines(game) -> lines: "The same as comma-separated values";
    Get "/api/v1/stats/examples" => stats::examples(game tier value seed) -> Examples:
        "Example positions of one kind from a table";
    Get "/api/v1/stats/records" => stats::records(game) -> Records:
        "The longest and the hardest wins of a table";
    Get "/api/v1/match" => arena::list() -> Matches: "Recent matches and leagues";
    Post "/api/v1/match" => arena::start(body MatchRequest) -> Match:
        "Starts a match or a league in the background";
    Get "/api/v1/match/{id}" => arena::show() -> Match:
        "The state of a match: score with bounds, test, boards";
    Delete "/api/v1/match/{id}" => arena::stop() -> Match: "Stops a match; the games played count";
    Post "/api/v1/match/{id}/resume" => arena::resume(body Nothing) -> Match: "Resumes a stopped match";
    Get "/api/v1/match/{id}/stream" => arena::stream() -> events:
        "The changes of a match as events: match, done";
    Get "/api/v1/match/{id}/record" => arena::record() -> lines: "The games of a match, one per line";
    #[cfg(feature = "experiments")]
    Post "/api/v1/experiments/run" => runs::start(body RunRequest) -> Run:
        "Runs an experiment again in the background";
    #[cfg(feature = "experiments")]
    Get "/api/v1/experiments/run/{id}" => runs::show() -> Run:
        "The progress of a run, or its findings with plots";
    #[cfg(feature = "experiments")]
    Delete "/api/v1/experiments/run/{id}" => runs::stop() -> Run: "Stops a run";
    Get "/api/v1/puzzles" => puzzles::sets() -> PuzzleSets: "The precomputed sets of puzzles";
    Get "/api/v1/puzzle/set" => puzzles::one(game number) -> Puzzle: "A puzzle of a set";
    Get "/api/v1/puzzle/daily" => puzzles::daily(date) -> Puzzle: "The puzzle of a day";
    Get "/api/v1/qr.svg" => sharing::code(text) -> picture: "A QR code";
    Get "/embed" => sharing::embed(game position moves) -> page: "A board to embed in other pages";
    Get "/shell.json" => sharing::shell() -> object: "The files of the page";
    Get "/api/openapi.json" => openapi::describe() -> object: "This description";
    Get "/healthz" => games::health() -> Health: "The status and load of the server";
    Get "/" => sharing::home() -> page: "The page";
};

/// The fallback routes of the API and of the page.
pub(crate) static FALLBACKS: &[Address; 2] = routes! {
    Get "/api/{*rest}" => router::nowhere() -> Error: "An address that does not exist";
    Get "/{file}" => page::file() -> page: "A file of the page";
};
