//! Positions by ply, value and distance: as numbers, as a picture, as lines, and positions that show what they mean.

use crate::ask::Asked;
use crate::place::At;
use crate::refusal::Refusal;
use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use outplay_answer::{Records, StatsReport, Wanted};
use outplay_core::Verdict;
use outplay_door::Visitor;
use serde::Deserialize;
use serde_json::{Value, json};
use std::sync::Arc;

/// `GET /api/v1/stats`
pub(crate) async fn stats(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<StatsReport>, Refusal> {
    report(&shared, visitor, at).await.map(Json)
}

/// `GET /api/v1/stats.svg`
pub(crate) async fn picture(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<impl IntoResponse, Refusal> {
    let report = report(&shared, visitor, at).await?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], outplay_answer::stats_svg(&report)))
}

/// `GET /api/v1/stats.csv`
pub(crate) async fn lines(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<impl IntoResponse, Refusal> {
    let report = report(&shared, visitor, at).await?;
    Ok(([(header::CONTENT_TYPE, "text/csv; charset=utf-8")], outplay_answer::stats_csv(&report)))
}

async fn report(shared: &Arc<Shared>, visitor: Visitor, at: At) -> Result<StatsReport, Refusal> {
    at.place()?;
    let desk = Arc::clone(shared);
    // The table's counts are read from a summary, except where an old table has none.
    shared
        .workers
        .search(visitor, move |_| Ok(desk.shelf.open(&at.game)?.stats(&desk.settings.data, None)?))
        .await
}

/// Which positions of a table.
#[derive(Deserialize)]
pub(crate) struct ExamplesRequest {
    #[serde(flatten)]
    at: At,
    /// A tier's name.
    #[serde(default)]
    tier: Option<String>,
    /// `win`, `draw` or `loss`, as the statistics count.
    #[serde(default)]
    value: Option<String>,
    /// Plies to the end.
    #[serde(default)]
    distance: Option<String>,
    /// Decides which ones.
    #[serde(default)]
    seed: Option<String>,
}

/// Positions of one kind that are shown.
const EXAMPLES: usize = 6;

/// `GET /api/v1/stats/examples`
pub(crate) async fn examples(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(request): Asked<ExamplesRequest>,
) -> Result<Json<Value>, Refusal> {
    request.at.place()?;
    let verdict = match request.value.as_deref() {
        None | Some("") => None,
        Some("win") => Some(Verdict::Win),
        Some("draw") => Some(Verdict::Draw),
        Some("loss") => Some(Verdict::Loss),
        Some(_) => {
            return Err(Refusal::bad(
                "`value` is neither win, draw nor loss",
                "leave it out, or give one of them",
            ));
        }
    };
    let number = |text: &Option<String>, what: &str| -> Result<Option<u64>, Refusal> {
        let text = text.as_deref().filter(|text| !text.is_empty());
        let bad =
            || Refusal::bad(format!("`{what}` is not a whole number"), "leave it out, or give one such as 7");
        text.map(|text| text.parse().map_err(|_| bad())).transpose()
    };
    let distance =
        number(&request.distance, "distance")?.map(|plies| u32::try_from(plies).unwrap_or(u32::MAX));
    let seed = number(&request.seed, "seed")?.unwrap_or(0);
    let wanted = Wanted { tier: request.tier, verdict, distance, most: EXAMPLES, seed };
    let desk = Arc::clone(&shared);
    let found = shared.ask(visitor, request.at.game, move |game, _, watch| {
        Ok((game.spec(), game.examples(&desk.settings.data, &wanted, watch)?))
    });
    found.await.map(|(game, examples)| Json(json!({ "game": game, "examples": examples })))
}

/// `GET /api/v1/stats/records`
pub(crate) async fn records(
    State(shared): State<Arc<Shared>>,
    visitor: Visitor,
    Asked(at): Asked<At>,
) -> Result<Json<Records>, Refusal> {
    at.place()?;
    let desk = Arc::clone(&shared);
    shared
        .ask(visitor, at.game, move |game, _, watch| Ok(game.records(&desk.settings.data, watch)?))
        .await
        .map(Json)
}
