//! Handlers for position statistics by ply, value and distance, as JSON, SVG and CSV, and for example positions.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, json, sent};
use axum::response::Response;
use outplay_core::Verdict;
use outplay_workbench::{Example, ExampleFilter, StatsReport};
use serde::Serialize;

/// `GET /api/v1/stats`
pub(crate) fn stats(asked: &ApiRequest) -> Result<Reply, Refusal> {
    report(asked, json)
}

/// `GET /api/v1/stats.svg`
pub(crate) fn picture(asked: &ApiRequest) -> Result<Reply, Refusal> {
    report(asked, |report| sent("image/svg+xml", outplay_workbench::stats_svg(report)))
}

/// `GET /api/v1/stats.csv`
pub(crate) fn lines(asked: &ApiRequest) -> Result<Reply, Refusal> {
    report(asked, |report| sent("text/csv; charset=utf-8", outplay_workbench::stats_csv(report)))
}

fn report(asked: &ApiRequest, shown: fn(&StatsReport) -> Response) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    // Counts come from the table's summary; an old table without one is scanned.
    Ok(asked
        .ask(game, move |game, budget| Ok(shown(&outplay_workbench::stats(&budget.session(), game, None)?))))
}

/// Example positions of one kind.
#[derive(Serialize)]
struct Examples {
    examples: Vec<Example>,
    game: String,
}

/// Most examples in a response.
const EXAMPLES: usize = 6;

/// `GET /api/v1/stats/examples`
pub(crate) fn examples(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    // The same values as in the statistics.
    let verdict = match asked.text("value")? {
        None | Some("") => None,
        Some("win") => Some(Verdict::Win),
        Some("draw") => Some(Verdict::Draw),
        Some("loss") => Some(Verdict::Loss),
        Some(_) => {
            return Err(Refusal::bad(
                "`value` must be win, draw or loss",
                "leave it out, or use one of these words",
            ));
        }
    };
    let number = |what: &str| -> Result<Option<u64>, Refusal> {
        let text = asked.text(what)?.filter(|text| !text.is_empty());
        let bad = || {
            Refusal::bad(
                format!("`{what}` is not a whole number"),
                "leave it out, or give a number such as 7",
            )
        };
        text.map(|text| text.parse().map_err(|_| bad())).transpose()
    };
    let distance = number("distance")?.map(|plies| u32::try_from(plies).unwrap_or(u32::MAX));
    let seed = number("seed")?.unwrap_or(0);
    let tier = asked.text("tier")?.map(String::from);
    let wanted = ExampleFilter { tier, verdict, distance, most: EXAMPLES, seed };
    Ok(asked.ask(game, move |game, budget| {
        let examples = outplay_workbench::examples(&budget.session(), game, &wanted, budget.watch)?;
        Ok(json(&Examples { examples, game: game.spec() }))
    }))
}

/// `GET /api/v1/stats/records`
pub(crate) fn records(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    Ok(asked.ask(game, move |game, budget| {
        Ok(json(&outplay_workbench::records(&budget.session(), game, budget.watch)?))
    }))
}
