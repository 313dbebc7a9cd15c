//! Text output of the commands of `outplay bench`.

use crate::output::{BOLD, FAINT, LOSS, WIN};
use outplay_core::Verdict;
use outplay_core::figures::{bytes, duration, grouped, per_second};
use outplay_workbench::{
    ChanceReport, ClassicReport, EngineReport, PositionsReport, ProbeReport, SearchReport,
};
use serde::Serialize;
use std::io::{self, Write};

pub(crate) fn classic(out: &mut impl Write, report: &ClassicReport) -> io::Result<()> {
    let value = report.value.map_or("unknown", Verdict::word);
    writeln!(out, "{BOLD}{}{BOLD:#}: every solver returns {value}; one thread", report.game)?;
    writeln!(
        out,
        "{FAINT}solver                    trials       mean        min        vs memo   2020 report{FAINT:#}"
    )?;
    for row in &report.rows {
        let time = |seconds: Option<f64>| seconds.map_or("-".to_string(), duration);
        let ratio = row.speedup_over_memo.map_or("-".to_string(), |ratio| {
            if ratio >= 1.0 { format!("{ratio:.1}x faster") } else { format!("{:.1}x slower", 1.0 / ratio) }
        });
        let report = row.report.map_or("-".to_string(), duration);
        let trials = if row.trials == 0 { "skipped".to_string() } else { row.trials.to_string() };
        writeln!(
            out,
            "{:<24}{trials:>8} {:>10} {:>10} {ratio:>14} {report:>13}",
            row.solver,
            time(row.mean),
            time(row.min)
        )?;
    }
    Ok(())
}

/// One row of `bench strong`.
#[derive(Serialize)]
pub(crate) struct StrongRow {
    pub(crate) method: &'static str,
    pub(crate) values: String,
    pub(crate) value: Option<Verdict>,
    pub(crate) seconds: f64,
    pub(crate) cpu_seconds: f64,
    pub(crate) colourings_per_second: Option<f64>,
    pub(crate) legal: u64,
    pub(crate) cpu_ns_per_position: f64,
    pub(crate) peak_bytes: u64,
    pub(crate) table_bytes: Option<u64>,
    pub(crate) table_bytes_per_position: Option<f64>,
    pub(crate) seconds_with_counts_and_table: f64,
}

pub(crate) fn strong(out: &mut impl Write, game: &str, rows: &[StrongRow]) -> io::Result<()> {
    let legal = rows.first().map_or(0, |row| row.legal);
    writeln!(
        out,
        "{BOLD}{game}{BOLD:#}: {} legal positions, {}",
        grouped(legal),
        rows.first().and_then(|row| row.value).map_or("", Verdict::word)
    )?;
    writeln!(
        out,
        "{FAINT}method values         solve        CPU    colourings  CPU ns/pos      peak      table  bytes/pos  with counts and table{FAINT:#}"
    )?;
    for row in rows {
        let dash = || "-".to_string();
        writeln!(
            out,
            "{:<6} {:<9} {:>10} {:>10} {:>13} {:>11.2} {:>9} {:>10} {:>10} {:>16}",
            row.method,
            row.values,
            duration(row.seconds),
            duration(row.cpu_seconds),
            row.colourings_per_second.map_or_else(dash, per_second),
            row.cpu_ns_per_position,
            bytes(row.peak_bytes),
            row.table_bytes.map_or_else(dash, bytes),
            row.table_bytes_per_position.map_or_else(dash, |each| format!("{each:.4}")),
            duration(row.seconds_with_counts_and_table),
        )?;
    }
    Ok(())
}

pub(crate) fn probe(out: &mut impl Write, report: &ProbeReport) -> io::Result<()> {
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {} random legal positions, one thread",
        report.game,
        grouped(report.positions.0)
    )?;
    writeln!(out, "  cold {:>12} probes/s", grouped(report.cold_per_second as u128))?;
    writeln!(out, "  warm {:>12} probes/s", grouped(report.warm_per_second as u128))?;
    writeln!(out, "  {FAINT}table size {}{FAINT:#}", bytes(report.table_bytes))
}

pub(crate) fn positions(out: &mut impl Write, report: &PositionsReport) -> io::Result<()> {
    let style = if report.wrong == 0 { WIN } else { LOSS };
    writeln!(
        out,
        "{BOLD}{}{BOLD:#}: {} positions, {style}{} wrong{style:#}, {:.1} nodes and {} per position, {:.1} million nodes/s",
        report.game,
        grouped(report.n),
        report.wrong,
        report.mean_nodes,
        duration(report.mean_ms / 1e3),
        report.nodes_per_second / 1e6
    )
}

pub(crate) fn search_speed(out: &mut impl Write, report: &SearchReport) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}: one thread, median of 5 runs", report.game)?;
    let nodes = grouped(report.nodes);
    writeln!(
        out,
        "  alpha-beta to depth {}, no table  {nodes} nodes, {:.1} million/s",
        report.depth,
        report.nodes_per_second / 1e6
    )?;
    writeln!(out, "  random games  {:.2} million/s", report.playouts_per_second / 1e6)
}

pub(crate) fn engine(out: &mut impl Write, report: &EngineReport) -> io::Result<()> {
    let EngineReport { game, player, positions, threads, depth, .. } = report;
    let threads = if *threads == 1 { "one thread".to_string() } else { format!("{threads} threads") };
    writeln!(out, "{BOLD}{game}{BOLD:#}: {player} at {} positions, {threads}", positions.0)?;
    let (nodes, wall, cpu) = (grouped(report.nodes), report.nodes_per_second, report.nodes_per_cpu_second);
    writeln!(
        out,
        "  {nodes} nodes, {:.2} million nodes/s, {:.2} million nodes per CPU second, mean depth {depth:.1} plies",
        wall / 1e6,
        cpu / 1e6
    )
}

pub(crate) fn chance(out: &mut impl Write, reports: &[ChanceReport], star2: f64) -> io::Result<()> {
    for report in reports {
        let plies: Vec<String> = report.plies.iter().map(u32::to_string).collect();
        writeln!(
            out,
            "{BOLD}{}{BOLD:#}: depth {} from positions after {} random plies; the values differ by at most {:.1e}",
            report.game,
            report.depth,
            plies.join(", "),
            report.difference
        )?;
        for row in &report.rows {
            writeln!(
                out,
                "  {:<15} {:>13} nodes {:>13} leaves {:>11} chance cut-offs  {}",
                row.method,
                grouped(row.nodes),
                grouped(row.leaves),
                grouped(row.dice_cutoffs),
                duration(row.seconds)
            )?;
        }
        writeln!(out, "  Star2 visits {:.1} % of the leaves", 100.0 * report.star2_leaves)?;
    }
    writeln!(out, "{BOLD}total: Star2 visits {:.1} % of the leaves of expectiminimax{BOLD:#}", 100.0 * star2)
}
