//! Positions by ply, value and distance, as numbers and as a picture.

use crate::ask::Asked;
use crate::guests::Visitor;
use crate::place::At;
use crate::refusal::Refusal;
use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::IntoResponse;
use outplay_answer::StatsReport;
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

async fn report(shared: &Arc<Shared>, visitor: Visitor, at: At) -> Result<StatsReport, Refusal> {
    at.place()?;
    let desk = Arc::clone(shared);
    // The table's counts are read from a summary, except where an old table has none.
    shared
        .workers
        .search(visitor, move |_| Ok(desk.shelf.open(&at.game)?.stats(&desk.settings.data, None)?))
        .await
}
