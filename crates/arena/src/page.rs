//! HTML report of a match: standings, score over time, game lengths, and the moves that lost value, by ply.

use crate::chart::{bar_chart, document, plot};
use crate::matches::MatchReport;
use crate::record::GameRecord;
use crate::stats::{Decision, Strength};
use outplay_core::svg::escape;
use std::collections::BTreeMap;

/// Maximal lines of a plot that are still distinguishable.
const LINES: usize = 6;
/// Maximal points of a line.
const POINTS: usize = 400;
/// Maximal bars of a histogram.
const BARS: u32 = 24;

/// Renders the report of a match and its games, in their order.
pub fn page(report: &MatchReport, games: &[GameRecord]) -> String {
    let standings = &report.standings;
    let names: Vec<String> = standings.players.iter().map(|row| row.player.clone()).collect();
    let title = format!("{}: {}", report.game, names.join(" : "));
    let mut body = format!("<h1>{}</h1>", escape(&title));
    if let Some(row) = &report.sprt {
        let verdict = match row.decision {
            Decision::Accepted => format!("accepted: {} Elo rather than {}", row.sprt.elo1, row.sprt.elo0),
            Decision::Rejected => format!("rejected: {} Elo rather than {}", row.sprt.elo0, row.sprt.elo1),
            Decision::Open => "not decided".into(),
        };
        body += &format!(
            "<p class=\"verdict\">SPRT {verdict} (ratio {:.2}, bounds {:.2} and {:.2}; alpha {}, beta {})</p>",
            row.ratio, row.low, row.high, row.sprt.alpha, row.sprt.beta
        );
    }
    body += &format!(
        "<p>{} games, {} of them different; openings of {} plies, seed {}, {:.1} s.</p>",
        standings.games, standings.distinct_games, report.openings, report.seed, report.seconds
    );
    body += &players_table(report);
    if names.len() > 2 {
        body += &cross_table(report);
    }
    body += "<h2>Score over time</h2>";
    body += &plot(&score_lines(&names, games), "games");
    body += "<h2>Game lengths</h2><p>Number of games by length in plies, including the opening.</p>";
    body += &bar_chart(&distribution(games.iter().map(|game| game.moves.split_whitespace().count() as u32)));
    body += &blunders(&names, games);
    if !report.faults.is_empty() {
        let listed: String =
            report.faults.iter().map(|fault| format!("<li>{}</li>", escape(fault))).collect();
        body += &format!("<h2>Faults</h2><ul>{listed}</ul>");
    }
    document(&title, &body)
}

fn interval(strength: &Strength) -> String {
    match (strength.low, strength.high) {
        (Some(low), Some(high)) => format!("{:+.0} ({low:+.0} to {high:+.0})", strength.elo),
        (Some(low), None) => format!("at least {low:+.0}"),
        (None, Some(high)) => format!("at most {high:+.0}"),
        (None, None) => "unknown".into(),
    }
}

fn players_table(report: &MatchReport) -> String {
    let rows = report.standings.players.iter().enumerate().map(|(place, row)| {
        let rating = report.standings.ratings.get(place);
        let elo = rating.map_or_else(
            || interval(&row.strength),
            |rating| format!("{:+.0} ({:+.0} to {:+.0})", rating.elo, rating.low, rating.high),
        );
        let faults = row.crashes + row.illegal + row.timeouts + row.refusals;
        format!(
            "<tr><td>{}</td><td>{}</td><td>{}/{}/{}</td><td>{:.1} %</td><td>{elo}</td><td>{:.1} ms</td><td>{faults}</td></tr>",
            escape(&row.player),
            row.games,
            row.tally.wins,
            row.tally.draws,
            row.tally.losses,
            100.0 * row.score,
            row.ms_per_move
        )
    });
    let rows: String = rows.collect();
    format!(
        "<div class=\"wide\"><table><tr><th>player</th><th>games</th><th>W/D/L</th><th>score</th><th>Elo, 95 %</th><th>time per move</th><th>faults</th></tr>{rows}</table></div>"
    )
}

fn cross_table(report: &MatchReport) -> String {
    let Some(table) = &report.standings.cross_table else { return String::new() };
    let players = &report.standings.players;
    let head: String = (1..=players.len()).map(|place| format!("<th>{place}</th>")).collect();
    let mut rows = String::new();
    for (a, row) in players.iter().enumerate() {
        rows += &format!("<tr><td>{}. {}</td>", a + 1, escape(&row.player));
        for b in 0..players.len() {
            rows += &match table.games[a][b] {
                0 => "<td>·</td>".to_string(),
                games => format!("<td>{} of {games}</td>", table.points[a][b]),
            };
        }
        rows += "</tr>";
    }
    format!(
        "<h2>Cross table</h2><div class=\"wide\"><table><tr><th>points</th>{head}</tr>{rows}</table></div>"
    )
}

/// The share of points of each player after each of its games.
fn score_lines<'a>(names: &'a [String], games: &[GameRecord]) -> Vec<(&'a str, Vec<(f64, f64)>)> {
    // With two players one line shows both scores.
    let shown = if names.len() == 2 { 1 } else { names.len().min(LINES) };
    let line = |place: usize| {
        let (mut points, mut line) = (0usize, Vec::new());
        let own = games.iter().filter(|game| game.first == place || game.second == place);
        for (number, game) in own.enumerate() {
            points += game.half_points(place);
            line.push((number as f64 + 1.0, points as f64 / (2.0 * (number as f64 + 1.0))));
        }
        let stride = line.len().div_ceil(POINTS).max(1);
        let last = line.len().saturating_sub(1);
        let kept = line.into_iter().enumerate().filter(|(i, _)| i % stride == 0 || *i == last);
        kept.map(|(_, point)| point).collect()
    };
    names[..shown].iter().enumerate().map(|(place, name)| (name.as_str(), line(place))).collect()
}

/// A histogram with at most [`BARS`] bins of equal width.
fn distribution(numbers: impl Iterator<Item = u32> + Clone) -> Vec<(String, f64, String)> {
    let (low, high) =
        numbers.clone().fold((u32::MAX, 0), |(low, high), number| (low.min(number), high.max(number)));
    if low > high {
        return Vec::new();
    }
    let step = (high - low + 1).div_ceil(BARS).max(1);
    let mut counts: BTreeMap<u32, u64> = (0..=(high - low) / step).map(|bar| (bar, 0)).collect();
    numbers.for_each(|number| *counts.entry((number - low) / step).or_default() += 1);
    let name = |bar: u32| match step {
        1 => (low + bar).to_string(),
        _ => format!("{} to {}", low + bar * step, low + (bar + 1) * step - 1),
    };
    counts.into_iter().map(|(bar, count)| (name(bar), count as f64, count.to_string())).collect()
}

/// Errors of each player by ply, if moves were compared with exact values.
fn blunders(names: &[String], games: &[GameRecord]) -> String {
    if games.iter().all(|game| game.scrutiny.is_none()) {
        return String::new();
    }
    let mut text =
        "<h2>Errors</h2><p>Moves that lost value, by ply, where exact values are known.</p>".to_string();
    for (place, name) in names.iter().enumerate() {
        let plies: Vec<u32> = games
            .iter()
            .filter_map(|game| {
                let seat = [game.first, game.second].iter().position(|seated| *seated == place)?;
                Some(game.scrutiny.as_ref()?[seat].errors.clone())
            })
            .flatten()
            .collect();
        text += &format!(
            "<h3>{}: {}</h3>{}",
            escape(name),
            plies.len(),
            bar_chart(&distribution(plies.iter().copied()))
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distributions_count_everything() {
        let bars = distribution([3, 3, 5, 90].into_iter());
        assert_eq!(bars.iter().map(|(_, count, _)| *count).sum::<f64>(), 4.0);
        assert!(bars.len() <= BARS as usize && bars[0].0 == "3 to 6", "{bars:?}");
        assert_eq!(distribution([7, 8, 8].into_iter()).len(), 2);
        assert!(distribution(std::iter::empty()).is_empty());
    }
}
