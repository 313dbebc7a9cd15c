//! Report of a load test, as JSON and as text.

use super::{BesideReport, ColumnsReport, LoadReport, MalformedReport, SlowReport};
use outplay_core::figures::grouped;
use serde::Serialize;
use std::io::{self, Write};

/// Results of all parts of a load test.
#[derive(Clone, Debug, Serialize)]
pub struct LoadTestReport {
    /// Mixed load.
    pub load: LoadReport,
    /// Slow clients.
    pub slow: SlowReport,
    /// Malformed requests.
    pub malformed: MalformedReport,
    /// Latency of the last column of random positions.
    pub columns: ColumnsReport,
    /// Replies of a computer player while Explore is open.
    pub beside: BesideReport,
}

impl LoadTestReport {
    /// Whether each request was answered or rejected as expected.
    pub fn holds(&self) -> bool {
        self.load.errors == 0
            && self.slow.errors == 0
            && self.malformed.server_errors == 0
            && self.malformed.accepted == 0
            && self.columns.errors == 0
            && self.beside.errors == 0
    }

    /// Prints the figures as text.
    pub fn print(&self, out: &mut impl Write) -> io::Result<()> {
        print_load(out, &self.load)?;
        print_slow(out, &self.slow)?;
        print_malformed(out, &self.malformed)?;
        print_columns(out, &self.columns)?;
        print_beside(out, &self.beside)
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn print_load(out: &mut impl Write, load: &LoadReport) -> io::Result<()> {
    writeln!(
        out,
        "load: {} connections for {:.0} s: {} requests, {} answered, {} rejected as busy, {} other errors",
        load.connections,
        load.seconds,
        grouped(load.requests),
        grouped(load.ok),
        grouped(load.busy),
        load.errors
    )?;
    if let Some(error) = &load.first_error {
        writeln!(out, "  first error: {error}")?;
    }
    writeln!(
        out,
        "  including {} recorded trees, {} proof checks and {} proof walks, a quarter of the proofs hostile",
        grouped(load.trees),
        grouped(load.checks),
        grouped(load.walks)
    )?;
    writeln!(
        out,
        "  {} clicks of another user in the meantime: median {:.1} ms, 99 % within {:.0} ms, worst {:.0} ms",
        load.clicks, load.click_median_ms, load.click_p99_ms, load.click_worst_ms
    )?;
    writeln!(
        out,
        "  server memory: {} before, {} after a third of the time, {} peak, {} afterwards",
        megabytes(load.bytes_before),
        megabytes(load.bytes_warm),
        megabytes(load.bytes_peak),
        megabytes(load.bytes_after)
    )
}

fn print_slow(out: &mut impl Write, slow: &SlowReport) -> io::Result<()> {
    writeln!(
        out,
        "slow: {} clients that send slowly or never read, for {:.0} s: {} connections, {} closed by the server",
        grouped(slow.clients as u64),
        slow.seconds,
        grouped(slow.connections),
        grouped(slow.sent_away)
    )?;
    writeln!(
        out,
        "  {} clicks of another user in the meantime, {} without a response: median {:.1} ms, 95 % within {:.0} ms, worst {:.0} ms; memory {} before, {} peak",
        slow.clicks,
        slow.errors,
        slow.click_median_ms,
        slow.click_p95_ms,
        slow.click_worst_ms,
        megabytes(slow.bytes_before),
        megabytes(slow.bytes_peak)
    )?;
    slow.first_error.iter().try_for_each(|error| writeln!(out, "  first error: {error}"))
}

fn print_malformed(out: &mut impl Write, malformed: &MalformedReport) -> io::Result<()> {
    let by_status: Vec<String> = malformed
        .by_status
        .iter()
        .map(|(status, count)| match status {
            0 => format!("{count} closed"),
            status => format!("{count} × {status}"),
        })
        .collect();
    writeln!(out, "malformed: {} requests: {}", grouped(malformed.sent), by_status.join(", "))?;
    writeln!(
        out,
        "  {} server errors, {} accepted; memory {} before, {} afterwards",
        malformed.server_errors,
        malformed.accepted,
        megabytes(malformed.bytes_before),
        megabytes(malformed.bytes_after)
    )?;
    let wrong = &malformed.first_wrong;
    wrong.iter().try_for_each(|wrong| writeln!(out, "  the first request that was not rejected: {wrong:?}"))
}

fn print_columns(out: &mut impl Write, columns: &ColumnsReport) -> io::Result<()> {
    writeln!(
        out,
        "columns of {}: {} positions: last column within 2 s for {:.1} %, median {:.0} ms, 95 % {:.0} ms, 99 % {:.0} ms, worst {:.0} ms ({})",
        columns.game,
        columns.positions,
        columns.within_2s_percent,
        columns.median_ms,
        columns.p95_ms,
        columns.p99_ms,
        columns.worst_ms,
        columns.worst
    )?;
    writeln!(
        out,
        "  processor time: 95 % within {:.0} ms, worst {:.0} ms; {:.1} % within the 4 s that two cores give in 2 s",
        columns.cpu_p95_ms, columns.cpu_worst_ms, columns.cpu_within_4s_percent
    )?;
    match columns.unknown + columns.errors {
        0 => Ok(()),
        _ => writeln!(
            out,
            "  {} with moves of unknown value, {} without a response",
            columns.unknown, columns.errors
        ),
    }
}

fn print_beside(out: &mut impl Write, beside: &BesideReport) -> io::Result<()> {
    writeln!(
        out,
        "replies on {} with Explore open: {} of a player with {:.0} ms per move: median {:.0} ms, worst {:.0} ms, {} late by more than half a second, {} without a response",
        beside.game,
        beside.replies,
        beside.level_ms,
        beside.median_ms,
        beside.worst_ms,
        beside.late,
        beside.errors
    )
}
