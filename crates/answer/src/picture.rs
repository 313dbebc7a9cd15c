//! Statistics as a picture: shares of won, drawn and lost positions per ply, and how many there are.
//!
//! ```text
//!  ┌──────────────────────┐   shares: bars of full height, won below, lost on top
//!  │ ▓▓▓▓▓▓▒▒▒▒▒▒░░░░░░░░ │
//!  ├──────────────────────┤   counts: bars on a logarithmic scale
//!  │     ▂▃▄▅▆▇█▇▆▅▄▃▂    │
//!  └──────────────────────┘
//! ```

use crate::answers::{Counts, Splits, StatsReport, StatsTier};
use outplay_core::figures::{escaped, grouped};
use std::collections::BTreeMap;
use std::fmt::Write;

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
const HEIGHT: f64 = 660.0;

/// The statistics of a table as a self-contained SVG.
pub fn stats_svg(report: &StatsReport) -> String {
    let mut svg = String::new();
    // Writing to a string cannot fail.
    let _ = write_stats(&mut svg, report);
    svg
}

/// The statistics of a table as lines of comma-separated values, a line for each tier and one for all.
pub fn stats_csv(report: &StatsReport) -> String {
    let row = |name: &str, counts: &Counts, longest: [Option<u32>; 2]| {
        let Splits { win, draw, loss } = counts.splits;
        let [won, lost] = longest.map(|plies| plies.map_or(String::new(), |plies| plies.to_string()));
        // Names of tiers may have commas in them.
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

fn write_stats(svg: &mut String, report: &StatsReport) -> std::fmt::Result {
    let tiers: Vec<&StatsTier> = report.tiers.iter().filter(|tier| tier.counts.legal > 0).collect();
    let step = (WIDTH - LEFT - RIGHT) / tiers.len().max(1) as f64;
    let bar = (step * 0.86).max(1.0);
    writeln!(
        svg,
        r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="system-ui, sans-serif" font-size="13" fill="{INK}" role="img">"#
    )?;
    let view = if report.merged { "the mover" } else { "the first player" };
    let total = grouped(report.positions.legal);
    writeln!(svg, r##"<rect width="{WIDTH}" height="{HEIGHT}" fill="#fff"/>"##)?;
    writeln!(svg, "<title>{}: {total} positions</title>", escaped(&report.game))?;
    writeln!(
        svg,
        r#"<text x="{LEFT}" y="36" font-size="20" font-weight="600">{}</text>"#,
        escaped(&report.game)
    )?;
    let splits = report.positions.splits;
    writeln!(
        svg,
        r#"<text x="{LEFT}" y="58" fill="{FAINT}">{total} positions; for {view}: <tspan fill="{WIN}" font-weight="600">{} won</tspan>, <tspan fill="{DRAW}" font-weight="600">{} drawn</tspan>, <tspan fill="{LOSS}" font-weight="600">{} lost</tspan></text>"#,
        grouped(splits.win),
        grouped(splits.draw),
        grouped(splits.loss)
    )?;

    let (top, height) = SHARES;
    for share in [0, 25, 50, 75, 100] {
        let y = top + height * (1.0 - f64::from(share) / 100.0);
        writeln!(
            svg,
            r##"<line x1="{LEFT}" x2="{}" y1="{y:.1}" y2="{y:.1}" stroke="#ddd"/>"##,
            WIDTH - RIGHT
        )?;
        writeln!(
            svg,
            r#"<text x="{}" y="{:.1}" text-anchor="end" fill="{FAINT}">{share} %</text>"#,
            LEFT - 8.0,
            y + 4.0
        )?;
    }
    for (i, tier) in tiers.iter().enumerate() {
        let x = LEFT + step * i as f64 + (step - bar) / 2.0;
        let legal = tier.counts.legal as f64;
        let parts = [
            (tier.counts.splits.win, WIN, "won", "win"),
            (tier.counts.splits.draw, DRAW, "drawn", "draw"),
            (tier.counts.splits.loss, LOSS, "lost", "loss"),
        ];
        let mut y = top + height;
        for (count, colour, word, value) in parts {
            let tall = height * count as f64 / legal;
            y -= tall;
            if count > 0 {
                writeln!(
                    svg,
                    r#"<rect x="{x:.1}" y="{y:.1}" width="{bar:.1}" height="{tall:.1}" fill="{colour}" data-tier="{}" data-value="{value}"><title>ply {}: {} {word}</title></rect>"#,
                    escaped(&tier.tier),
                    escaped(&tier.tier),
                    grouped(count)
                )?;
            }
        }
        // A hatched hint of how many of them are over: a thin dark bar from the bottom.
        let over = height * tier.counts.finished as f64 / legal;
        writeln!(
            svg,
            r#"<rect x="{:.1}" y="{:.1}" width="{:.1}" height="{over:.1}" fill="{INK}" opacity="0.45"><title>ply {}: {} finished</title></rect>"#,
            x + bar * 0.4,
            top + height - over,
            bar * 0.2,
            escaped(&tier.tier),
            grouped(tier.counts.finished)
        )?;
    }
    writeln!(
        svg,
        r#"<text x="{LEFT}" y="{}" fill="{FAINT}">share of positions by ply; the dark bar shows those at which the game is over</text>"#,
        top - 12.0
    )?;

    let (top, height) = COUNTS;
    let most = tiers.iter().map(|tier| tier.counts.legal).max().unwrap_or(1).max(10) as f64;
    let decades = most.log10().ceil();
    let level = |count: f64| top + height * (1.0 - (count.max(1.0)).log10() / decades);
    for decade in 0..=decades as u32 {
        let y = level(10f64.powi(decade as i32));
        writeln!(
            svg,
            r##"<line x1="{LEFT}" x2="{}" y1="{y:.1}" y2="{y:.1}" stroke="#ddd"/>"##,
            WIDTH - RIGHT
        )?;
        if decade % 2 == 0 || decades < 6.0 {
            writeln!(
                svg,
                r#"<text x="{}" y="{:.1}" text-anchor="end" fill="{FAINT}">10<tspan dy="-5" font-size="9">{decade}</tspan></text>"#,
                LEFT - 8.0,
                y + 4.0
            )?;
        }
    }
    for (i, tier) in tiers.iter().enumerate() {
        let x = LEFT + step * i as f64 + (step - bar) / 2.0;
        let y = level(tier.counts.legal as f64);
        // One position is 10⁰ and would be invisible.
        let y = y.min(top + height - 1.5);
        writeln!(
            svg,
            r#"<rect x="{x:.1}" y="{y:.1}" width="{bar:.1}" height="{:.1}" fill="{FAINT}"><title>ply {}: {} positions</title></rect>"#,
            top + height - y,
            escaped(&tier.tier),
            grouped(tier.counts.legal)
        )?;
        let every = (tiers.len() / 24 + 1).max(1);
        if i % every == 0 {
            let name = tier.tier.trim_start_matches('0');
            let name = if name.is_empty() { "0" } else { name };
            writeln!(
                svg,
                r#"<text x="{:.1}" y="{:.1}" text-anchor="middle" fill="{FAINT}">{}</text>"#,
                x + bar / 2.0,
                top + height + 18.0,
                escaped(name)
            )?;
        }
    }
    writeln!(svg, r#"<text x="{LEFT}" y="{}" fill="{FAINT}">number of positions by ply</text>"#, top - 12.0)?;
    writeln!(
        svg,
        r#"<text x="{}" y="{}" text-anchor="end" fill="{FAINT}">ply</text>"#,
        WIDTH - RIGHT,
        top + height + 36.0
    )?;
    writeln!(svg, "</svg>")
}
