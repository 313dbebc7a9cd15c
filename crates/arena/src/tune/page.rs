//! HTML report of a tuning run: a self-contained file with inline SVG charts.

use super::{Generation, TuneReport};
use crate::chart::{bar_chart, document, plot};
use outplay_core::svg::escape;
use std::fmt::Write;

/// Renders the report of a tuning run.
pub fn page(report: &TuneReport) -> String {
    let mut body = String::new();
    let title = format!("{}: `lines` tuned by {} ({})", report.game, report.by, report.method);
    let verdict = match report.accepted {
        Some(true) => "accepted: it beats the incumbent",
        Some(false) => "not accepted: the test does not show that it beats the incumbent",
        None => "not tested",
    };
    // Writing into a string cannot fail.
    let _ = write!(
        body,
        "<h1>{}</h1><p class=\"verdict\">{verdict}</p><p>{} weights of the {} features, seed {}, {:.1} s. Incumbent: <code>{}</code></p>",
        escape(&title),
        report.weights.len(),
        report.features,
        report.seed,
        report.seconds,
        escape(&report.incumbent)
    );
    if !report.generations.is_empty() {
        let _ = write!(body, "<h2>Fitness per generation</h2>{}", fitness(&report.generations));
        body += &generation_table(report);
    }
    if let Some(measured) = &report.measured {
        let losses: Vec<(f64, f64)> =
            measured.losses.iter().map(|(step, loss)| (f64::from(*step), *loss)).collect();
        let _ = write!(body, "<h2>Loss of the fit</h2>{}", plot(&[("loss", losses)], "step"));
        let bars = [
            ("tuned, all", measured.shares.all),
            ("incumbent, all", measured.shares.incumbent_all),
            ("tuned, quiet", measured.shares.quiet),
            ("incumbent, quiet", measured.shares.incumbent_quiet),
        ];
        let _ = write!(
            body,
            "<h2>Accuracy at one ply</h2><p>Share of {} held-out positions ({} of them quiet) in which the chosen move keeps the exact value.</p>{}",
            measured.held_out.all.moves,
            measured.held_out.quiet.moves,
            bar_chart(&bars.map(|(name, share)| (
                name.to_string(),
                100.0 * share,
                format!("{:.1} %", 100.0 * share)
            )))
        );
    }
    let bars: Vec<(String, f64, String)> = report
        .names
        .iter()
        .zip(&report.weights)
        .map(|(name, weight)| ((*name).to_string(), f64::from(*weight), format!("{weight}")))
        .collect();
    let _ = write!(body, "<h2>Weights</h2>{}", bar_chart(&bars));
    if let Some(trial) = &report.trial {
        body += &trial_table(trial);
    }
    let _ = write!(body, "<h2>Spec of this evaluation</h2><pre>{}</pre>", escape(&report.evaluation));
    document(&title, &body)
}

fn fitness(generations: &[Generation]) -> String {
    let x = |generation: &Generation| f64::from(generation.generation);
    let best = generations.iter().map(|one| (x(one), one.points / one.out_of.max(1.0))).collect();
    let mean = generations.iter().map(|one| (x(one), one.mean)).collect();
    plot(&[("best", best), ("mean", mean)], "generation")
}

fn generation_table(report: &TuneReport) -> String {
    let mut text = String::from("<table><tr><th>generation</th>");
    let few = report.names.len() <= 8;
    if few {
        report.names.iter().for_each(|name| text += &format!("<th>{}</th>", escape(name)));
    }
    text += "<th>points</th><th>mean</th><th>games</th></tr>";
    for one in &report.generations {
        text += &format!("<tr><td>{}</td>", one.generation);
        if few {
            one.best.iter().for_each(|weight| text += &format!("<td>{weight}</td>"));
        }
        text += &format!(
            "<td>{} of {}</td><td>{:.3}</td><td>{}</td></tr>",
            one.points, one.out_of, one.mean, one.games
        );
    }
    text + "</table>"
}

fn trial_table(trial: &crate::matches::MatchReport) -> String {
    let mut text = String::from("<h2>Match against the incumbent</h2>");
    if let Some(row) = trial.standings.players.first() {
        let bars = [("won", row.tally.wins), ("drawn", row.tally.draws), ("lost", row.tally.losses)];
        text += &bar_chart(&bars.map(|(name, count)| (name.to_string(), count as f64, count.to_string())));
        let ends = match (row.strength.low, row.strength.high) {
            (Some(low), Some(high)) => format!("{low:+.0} to {high:+.0}"),
            (Some(low), None) => format!("at least {low:+.0}"),
            (None, Some(high)) => format!("at most {high:+.0}"),
            (None, None) => "unknown".into(),
        };
        text += &format!(
            "<p>{} games ({} different), score {:.1} %, Elo {:+.0} (95 %: {ends}), likelihood of superiority {:.1} %.",
            row.games,
            trial.standings.distinct_games,
            100.0 * row.score,
            row.strength.elo,
            100.0 * row.superiority
        );
        if let Some(sprt) = &trial.sprt {
            text += &format!(
                " SPRT of {} against {} Elo: {} (ratio {:.2}, bounds {:.2} and {:.2}).",
                sprt.sprt.elo1,
                sprt.sprt.elo0,
                sprt.decision.word(),
                sprt.ratio,
                sprt.low,
                sprt.high
            );
        }
        text += "</p>";
    }
    text
}
