//! What tuning found as one HTML file: plots are inline SVG, and nothing is loaded from elsewhere.

use super::{Generation, TuneReport};
use std::fmt::Write;

const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 240.0;
const MARGIN: f64 = 44.0;

/// The page.
pub fn page(report: &TuneReport) -> String {
    let mut body = String::new();
    let title = format!("{}: `lines` tuned by {} ({})", report.game, report.by, report.method);
    let verdict = match report.accepted {
        Some(true) => "accepted: it beats the incumbent",
        Some(false) => "not accepted: the test does not say that it beats the incumbent",
        None => "not tested",
    };
    // Writing into a string cannot fail.
    let _ = write!(
        body,
        "<h1>{}</h1><p class=\"verdict\">{verdict}</p><p>{} weights of the {} features, seed {}, {:.1} s. Incumbent: <code>{}</code></p>",
        escaped(&title),
        report.weights.len(),
        report.features,
        report.seed,
        report.seconds,
        escaped(&report.incumbent)
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
            "<h2>Accuracy at one ply</h2><p>Share of {} held-out positions ({} of them quiet) in which the move gave nothing away.</p>{}",
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
    let _ = write!(body, "<h2>To play with it</h2><pre>{}</pre>", escaped(&report.evaluation));
    format!(
        "<!doctype html><html lang=\"en\"><head><meta charset=\"utf-8\"><title>{}</title><style>{STYLE}</style></head><body>{body}</body></html>\n",
        escaped(&title)
    )
}

const STYLE: &str = "body{font:16px/1.5 system-ui,sans-serif;max-width:720px;margin:2em auto;padding:0 1em;color:#222;background:#fff}\
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em}.verdict{font-weight:600}\
table{border-collapse:collapse}td,th{padding:.2em .8em;text-align:right;white-space:nowrap;border-bottom:1px solid #ddd}\
td:first-child,th:first-child{text-align:left}pre,code{white-space:pre-wrap;overflow-wrap:anywhere;background:#f4f4f4;padding:.1em .3em}\
svg{width:100%;height:auto}svg text{font:11px system-ui,sans-serif;fill:#555}";

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&quot;")
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
        report.names.iter().for_each(|name| text += &format!("<th>{}</th>", escaped(name)));
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

/// Lines over a common scale.
fn plot(lines: &[(&str, Vec<(f64, f64)>)], below: &str) -> String {
    const COLOURS: [&str; 3] = ["#1f6feb", "#d9822b", "#2da44e"];
    let points = || lines.iter().flat_map(|(_, points)| points.iter().copied());
    let ends = |values: &mut dyn Iterator<Item = f64>| {
        values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)))
    };
    let (left, right) = ends(&mut points().map(|(x, _)| x));
    let (bottom, top) = ends(&mut points().map(|(_, y)| y));
    if left > right {
        return String::new();
    }
    let (wide, tall) = ((right - left).max(1e-9), (top - bottom).max(1e-9));
    let x = |value: f64| MARGIN + (value - left) / wide * (WIDTH - 2.0 * MARGIN);
    let y = |value: f64| HEIGHT - MARGIN - (value - bottom) / tall * (HEIGHT - 2.0 * MARGIN);
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\">");
    svg += &format!(
        "<path d=\"M{MARGIN} {MARGIN}V{}H{}\" fill=\"none\" stroke=\"#999\"/>",
        HEIGHT - MARGIN,
        WIDTH - MARGIN
    );
    for value in [bottom, top] {
        svg += &format!(
            "<text x=\"{}\" y=\"{:.1}\" text-anchor=\"end\">{value:.3}</text>",
            MARGIN - 4.0,
            y(value) + 4.0
        );
    }
    for value in [left, right] {
        let (at, under) = (x(value), HEIGHT - MARGIN + 16.0);
        svg += &format!("<text x=\"{at:.1}\" y=\"{under}\" text-anchor=\"middle\">{value}</text>");
    }
    let (middle, under) = (WIDTH / 2.0, HEIGHT - 8.0);
    svg += &format!("<text x=\"{middle}\" y=\"{under}\" text-anchor=\"middle\">{}</text>", escaped(below));
    for (i, (name, points)) in lines.iter().enumerate() {
        let colour = COLOURS[i % COLOURS.len()];
        let path: Vec<String> =
            points.iter().map(|(px, py)| format!("{:.1},{:.1}", x(*px), y(*py))).collect();
        svg += &format!(
            "<polyline points=\"{}\" fill=\"none\" stroke=\"{colour}\" stroke-width=\"2\"/>",
            path.join(" ")
        );
        for (px, py) in points.iter().filter(|_| points.len() <= 40) {
            svg += &format!("<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"3\" fill=\"{colour}\"/>", x(*px), y(*py));
        }
        let at = MARGIN + 8.0 + 90.0 * i as f64;
        svg += &format!(
            "<text x=\"{at}\" y=\"{}\" style=\"fill:{colour}\">{}</text>",
            MARGIN - 12.0,
            escaped(name)
        );
    }
    svg + "</svg>"
}

/// Bars to the right for positive values and to the left for negative ones.
fn bar_chart(bars: &[(String, f64, String)]) -> String {
    const ROW: f64 = 18.0;
    const NAMES: f64 = 170.0;
    let largest = bars.iter().map(|(_, value, _)| value.abs()).fold(1e-9, f64::max);
    let negative = bars.iter().any(|(_, value, _)| *value < 0.0);
    let room = WIDTH - NAMES - 80.0;
    let zero = if negative { NAMES + room / 2.0 } else { NAMES };
    let unit = if negative { room / 2.0 } else { room } / largest;
    let mut svg = format!("<svg viewBox=\"0 0 {WIDTH} {}\" role=\"img\">", ROW * bars.len() as f64 + 8.0);
    for (i, (name, value, text)) in bars.iter().enumerate() {
        let top = ROW * i as f64 + 4.0;
        let (left, wide) = (zero + (value * unit).min(0.0), (value * unit).abs());
        let colour = if *value < 0.0 { "#d9822b" } else { "#1f6feb" };
        let base = top + 12.0;
        svg +=
            &format!("<text x=\"{}\" y=\"{base}\" text-anchor=\"end\">{}</text>", NAMES - 8.0, escaped(name));
        svg += &format!(
            "<rect x=\"{left:.1}\" y=\"{top}\" width=\"{wide:.1}\" height=\"13\" fill=\"{colour}\"/>"
        );
        svg += &format!(
            "<text x=\"{:.1}\" y=\"{base}\">{}</text>",
            (left + wide).max(zero) + 6.0,
            escaped(text)
        );
    }
    svg + "</svg>"
}
