//! Positions by ply, value and distance: as numbers, as a picture, as lines, and positions that show what they mean.

use crate::ask::Asked;
use crate::refusal::Refusal;
use crate::reply::{Reply, json, sent};
use axum::response::Response;
use outplay_answer::{Example, StatsReport, Wanted};
use outplay_core::Verdict;
use serde::Serialize;
use std::sync::Arc;

/// `GET /api/v1/stats`
pub(crate) fn stats(asked: &Asked) -> Result<Reply, Refusal> {
    report(asked, json)
}

/// `GET /api/v1/stats.svg`
pub(crate) fn picture(asked: &Asked) -> Result<Reply, Refusal> {
    report(asked, |report| sent("image/svg+xml", outplay_answer::stats_svg(report)))
}

/// `GET /api/v1/stats.csv`
pub(crate) fn lines(asked: &Asked) -> Result<Reply, Refusal> {
    report(asked, |report| sent("text/csv; charset=utf-8", outplay_answer::stats_csv(report)))
}

fn report(asked: &Asked, shown: fn(&StatsReport) -> Response) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let desk = Arc::clone(&asked.shared);
    // The table's counts are read from a summary, except where an old table has none.
    Ok(asked.ask(game, move |game, _, _| Ok(shown(&game.stats(&desk.settings.data, None)?))))
}

/// Positions of one kind.
#[derive(Serialize)]
struct Examples {
    examples: Vec<Example>,
    game: String,
}

/// Positions of one kind that are shown.
const EXAMPLES: usize = 6;

/// `GET /api/v1/stats/examples`
pub(crate) fn examples(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    // As the statistics count.
    let verdict = match asked.text("value")? {
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
    let number = |what: &str| -> Result<Option<u64>, Refusal> {
        let text = asked.text(what)?.filter(|text| !text.is_empty());
        let bad =
            || Refusal::bad(format!("`{what}` is not a whole number"), "leave it out, or give one such as 7");
        text.map(|text| text.parse().map_err(|_| bad())).transpose()
    };
    let distance = number("distance")?.map(|plies| u32::try_from(plies).unwrap_or(u32::MAX));
    let seed = number("seed")?.unwrap_or(0);
    let tier = asked.text("tier")?.map(String::from);
    let wanted = Wanted { tier, verdict, distance, most: EXAMPLES, seed };
    let desk = Arc::clone(&asked.shared);
    Ok(asked.ask(game, move |game, _, watch| {
        let examples = game.examples(&desk.settings.data, &wanted, watch)?;
        Ok(json(&Examples { examples, game: game.spec() }))
    }))
}

/// `GET /api/v1/stats/records`
pub(crate) fn records(asked: &Asked) -> Result<Reply, Refusal> {
    let (game, _) = asked.place()?;
    let desk = Arc::clone(&asked.shared);
    Ok(asked.ask(game, move |game, _, watch| Ok(json(&game.records(&desk.settings.data, watch)?))))
}
