//! `outplay plan`: estimates the memory, disk space, I/O volume and time that each method needs to solve a game.

use crate::args::{parse_bytes, parse_values};
use crate::commands::{Failure, Run};
use crate::output::{BOLD, FAINT, LOSS, WIN, large};
use clap::Args;
use outplay_core::figures::{bytes, duration, grouped, per_second};
use outplay_workbench::{PlanReport, PlanRequest, Values, Way};
use std::io::{self, Write};

/// Estimate the memory, disk and time that each method needs to solve a game
#[derive(Args)]
pub(crate) struct PlanArgs {
    /// Game spec, such as connect4:6x6
    game: String,
    /// Values to compute: wdl (win, draw or loss) or distance (wdl and distance to the end)
    #[arg(long, default_value = "distance", value_parser = parse_values)]
    values: Values,
    /// Disk limit, such as 50G
    #[arg(long, value_name = "BYTES", value_parser = parse_bytes)]
    disk: Option<u64>,
    /// Cores of the target machine, assumed to be as fast as those of this one (default: this machine)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=4096))]
    cores: Option<u32>,
    /// Number of MPI ranks, one per machine
    #[arg(long, value_name = "N", default_value_t = 1, value_parser = clap::value_parser!(u32).range(1..=65536))]
    pub(crate) ranks: u32,
    /// Network bandwidth between ranks in bits per second, such as 25G
    #[arg(long, value_name = "BITS", value_parser = parse_bytes, requires = "ranks")]
    network: Option<u64>,
}

pub(crate) fn plan(run: &mut Run<'_, impl Write>, args: &PlanArgs) -> Result<u8, Failure> {
    let mut request = PlanRequest::default();
    request.values = args.values;
    let mut session = run.session(None);
    // The described machine may have more memory than this one.
    session.memory = run.common.memory.unwrap_or(session.memory);
    (request.disk, request.network) = (args.disk, args.network);
    (request.threads, request.ranks) = (args.cores.map(|cores| cores as usize), args.ranks);
    let report = outplay_workbench::plan(&session, &run.open(&args.game)?, &request, run.progress)?;
    run.print(&report, print_plan)
}

fn print_plan(out: &mut impl Write, report: &PlanReport) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}: estimated cost of solving it (values: {})", report.game, report.values)?;
    if let Some(slots) = report.slots {
        write!(out, "  {} slots in the index", grouped(slots))?;
        match report.estimated_count {
            Some(positions) => writeln!(out, ", about {} legal positions", large(positions))?,
            None => writeln!(out)?,
        }
    }
    let disk = report.disk.map_or("unlimited".to_string(), bytes);
    write!(out, "  limits: {} memory, {disk} disk, {} threads", bytes(report.memory), report.threads)?;
    match (report.ranks, report.network) {
        (1, _) => writeln!(out)?,
        (ranks, None) => writeln!(out, " on each of {ranks} ranks")?,
        (ranks, Some(bits)) => {
            writeln!(out, " on each of {ranks} ranks, {:.0} Gbit/s network", bits as f64 / 1e9)?;
        }
    }
    let (way, memory, disk) = ("method", "memory", "disk");
    writeln!(out, "\n  {FAINT}{way:<22}{memory:>10}{disk:>11}{:>11}{:>13}{FAINT:#}", "I/O", "time")?;
    for way in &report.ways {
        print_way(out, way)?;
    }
    if let Some(rates) = &report.rates {
        writeln!(
            out,
            "\n  {FAINT}rates measured here on {} with {} threads: table writing {}, slab compression and decompression {}/s, disk {}/s{FAINT:#}",
            rates.measured_on,
            rates.threads,
            per_second(rates.write),
            bytes(rates.slabs as u64),
            bytes(rates.disk as u64),
        )?;
    }
    Ok(())
}

fn print_way(out: &mut impl Write, way: &Way) -> io::Result<()> {
    let known = |count: Option<u64>| count.map_or("?".to_string(), bytes);
    let name = format!("{} {}", way.method.word(), way.how);
    let time = way.seconds.map_or("?".to_string(), duration);
    let row = format!(
        "{:<22}{:>10}{:>11}{:>11}{:>13}",
        name.trim_end(),
        known(way.memory),
        known(way.disk),
        known(way.moved),
        time
    );
    let style = if way.fits { WIN } else { LOSS };
    writeln!(out, "  {row}  {style}{}{style:#}", if way.fits { "fits" } else { "does not fit" })?;
    way.notes.iter().try_for_each(|note| writeln!(out, "    {FAINT}{note}{FAINT:#}"))
}
