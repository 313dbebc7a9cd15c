//! Pictures (SVG) and CSV of the statistics of a table: fractions of won, drawn and lost positions by ply, and counts.
//!
//! ```text
//!  ┌──────────────────────┐   fractions: bars of full height, won at the bottom, lost on top
//!  │ ▓▓▓▓▓▓▒▒▒▒▒▒░░░░░░░░ │
//!  ├──────────────────────┤   counts: bars on a logarithmic scale
//!  │     ▂▃▄▅▆▇█▇▆▅▄▃▂    │
//!  └──────────────────────┘
//! ```

use crate::{Counts, Splits, StatsReport, StatsTier};
use outplay_core::figures::grouped;
use outplay_core::svg::{Element, document, element, line, rect, text};
use std::collections::BTreeMap;

const WIN: &str = "#009E73";
const DRAW: &str = "#E69F00";
const LOSS: &str = "#D55E00";
const INK: &str = "#222";
const FAINT: &str = "#777";

const WIDTH: f64 = 960.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 24.0;
const SHARES: (f64, f64) = (96.0, 300.0);
const COUNTS: (f64, f64) = (448.0, 160.0);
/// Limit on the tier names below the bars.
const NAMES: usize = 24;
const HEIGHT: f64 = 660.0;

/// The statistics of a table as a self-contained SVG.
pub fn stats_svg(report: &StatsReport) -> String {
    let tiers: Vec<&StatsTier> = report.tiers.iter().filter(|tier| tier.counts.legal > 0).collect();
    let columns = Columns { step: (WIDTH - LEFT - RIGHT) / tiers.len().max(1) as f64 };
    let mut svg = heading(report);
    draw_shares(&mut svg, &tiers, columns);
    draw_counts(&mut svg, &tiers, columns);
    format!("{svg}\n")
}

/// The statistics of a table as CSV, one line per tier and one for the total.
pub fn stats_csv(report: &StatsReport) -> String {
    let row = |name: &str, counts: &Counts, longest: [Option<u32>; 2]| {
        let Splits { win, draw, loss } = counts.splits;
        let [won, lost] = longest.map(|plies| plies.map_or(String::new(), |plies| plies.to_string()));
        // Tier names may contain commas.
        let name = if name.contains([',', '"']) {
            format!("\"{}\"", name.replace('"', "\"\""))
        } else {
            name.into()
        };
        format!("{name},{},{win},{draw},{loss},{},{won},{lost}\n", counts.legal, counts.finished)
    };
    let longest = |list: &BTreeMap<u32, u64>| list.last_key_value().map(|(plies, _)| *plies);
    let mut text = "tier,positions,win,draw,loss,finished,longest_win,longest_loss\n".to_string();
    for tier in &report.tiers {
        text += &row(&tier.tier, &tier.counts, [longest(&tier.win_in), longest(&tier.loss_in)]);
    }
    let most = |list: fn(&StatsTier) -> &BTreeMap<u32, u64>| {
        report.tiers.iter().filter_map(|tier| longest(list(tier))).max()
    };
    text + &row("all", &report.positions, [most(|tier| &tier.win_in), most(|tier| &tier.loss_in)])
}

/// Horizontal layout of the bars, one per tier.
#[derive(Clone, Copy)]
struct Columns {
    step: f64,
}

impl Columns {
    /// The width of a bar.
    fn bar(self) -> f64 {
        (self.step * 0.86).max(1.0)
    }

    /// The left end of a bar.
    fn left(self, number: usize) -> f64 {
        LEFT + self.step * number as f64 + (self.step - self.bar()) / 2.0
    }
}

/// The background, the name of the game and the totals.
fn heading(report: &StatsReport) -> Element {
    let view = if report.merged { "the mover" } else { "the first player" };
    let total = grouped(report.positions.legal);
    let Splits { win, draw, loss } = report.positions.splits;
    let part = |count: u64, word: &str, colour: &str| {
        element("tspan").fill(colour).attr("font-weight", 600).words(format!("{} {word}", grouped(count)))
    };
    let totals = text(LEFT, 58, format!("{total} positions; for {view}: "))
        .fill(FAINT)
        .with(part(win, "won", WIN))
        .words(", ")
        .with(part(draw, "drawn", DRAW))
        .words(", ")
        .with(part(loss, "lost", LOSS));
    document(WIDTH, HEIGHT)
        .attr("font-family", "system-ui, sans-serif")
        .attr("font-size", 13)
        .fill(INK)
        .attr("role", "img")
        .with(rect(0, 0, WIDTH, HEIGHT).fill("#fff"))
        .title(format!("{}: {total} positions", report.game))
        .with(text(LEFT, 36, &report.game).attr("font-size", 20).attr("font-weight", 600))
        .with(totals)
}

/// A horizontal grid line with its label.
fn draw_level(svg: &mut Element, y: f64, name: Option<Element>) {
    svg.push(line((LEFT, y), (WIDTH - RIGHT, y)).stroke("#ddd"));
    svg.extend(name.map(|name| name.at(LEFT - 8.0, y + 4.0).anchor("end").fill(FAINT)));
}

/// The fractions of won, drawn and lost positions.
fn draw_shares(svg: &mut Element, tiers: &[&StatsTier], columns: Columns) {
    let (top, height) = SHARES;
    for share in [0, 25, 50, 75, 100] {
        let y = top + height * (1.0 - f64::from(share) / 100.0);
        draw_level(svg, y, Some(element("text").words(format!("{share} %"))));
    }
    for (i, tier) in tiers.iter().enumerate() {
        let (x, bar, legal) = (columns.left(i), columns.bar(), tier.counts.legal as f64);
        let Splits { win, draw, loss } = tier.counts.splits;
        let parts = [(win, WIN, "won", "win"), (draw, DRAW, "drawn", "draw"), (loss, LOSS, "lost", "loss")];
        let mut y = top + height;
        for (count, colour, word, value) in parts {
            let tall = height * count as f64 / legal;
            y -= tall;
            if count > 0 {
                let part = rect(x, y, bar, tall).fill(colour).attr("data-tier", &tier.tier);
                let title = format!("ply {}: {} {word}", tier.tier, grouped(count));
                svg.push(part.attr("data-value", value).title(title));
            }
        }
        // A thin dark bar from the bottom shows the fraction of finished positions.
        let over = height * tier.counts.finished as f64 / legal;
        let part = rect(x + bar * 0.4, top + height - over, bar * 0.2, over).fill(INK).attr("opacity", 0.45);
        svg.push(part.title(format!("ply {}: {} finished", tier.tier, grouped(tier.counts.finished))));
    }
    let about = "share of positions by ply; the dark bar shows those at which the game is over";
    svg.push(text(LEFT, top - 12.0, about).fill(FAINT));
}

/// The counts of positions on a logarithmic scale.
fn draw_counts(svg: &mut Element, tiers: &[&StatsTier], columns: Columns) {
    let (top, height) = COUNTS;
    let most = tiers.iter().map(|tier| tier.counts.legal).max().unwrap_or(1).max(10) as f64;
    let decades = most.log10().ceil();
    let level = |count: f64| top + height * (1.0 - (count.max(1.0)).log10() / decades);
    for decade in 0..=decades as u32 {
        let power = element("tspan").attr("dy", -5).attr("font-size", 9).words(decade);
        let named = decade % 2 == 0 || decades < 6.0;
        let name = named.then(|| element("text").words(10).with(power));
        draw_level(svg, level(10f64.powi(decade as i32)), name);
    }
    for (i, tier) in tiers.iter().enumerate() {
        let (x, bar) = (columns.left(i), columns.bar());
        // A single position is 10⁰ and would be invisible.
        let y = level(tier.counts.legal as f64).min(top + height - 1.5);
        let title = format!("ply {}: {} positions", tier.tier, grouped(tier.counts.legal));
        svg.push(rect(x, y, bar, top + height - y).fill(FAINT).title(title));
        if i % (tiers.len() / NAMES + 1) == 0 {
            let name = tier.tier.trim_start_matches('0');
            let name = if name.is_empty() { "0" } else { name };
            svg.push(text(x + bar / 2.0, top + height + 18.0, name).anchor("middle").fill(FAINT));
        }
    }
    svg.push(text(LEFT, top - 12.0, "number of positions by ply").fill(FAINT));
    svg.push(text(WIDTH - RIGHT, top + height + 36.0, "ply").anchor("end").fill(FAINT));
}
