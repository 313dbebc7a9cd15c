//! `plan`: what solving a game would take.

use crate::commands::{Failure, Run};
use crate::output::{BOLD, FAINT, LOSS, WIN};
use outplay_answer::{PlanReport, PlanRequest, Way};
use outplay_core::figures::{bytes, duration, grouped, per_second};
use std::io::{self, Write};

impl<W: Write> Run<'_, W> {
    pub(crate) fn plan(&mut self, game: &str, request: &PlanRequest) -> Result<u8, Failure> {
        let report = self.open(game)?.forecast(request, self.progress)?;
        self.print(&report, |out, report| print_plan(out, report))
    }
}

fn print_plan(out: &mut impl Write, report: &PlanReport) -> io::Result<()> {
    writeln!(out, "{BOLD}{}{BOLD:#}: what solving it would take, {}", report.game, report.values)?;
    if let Some(slots) = report.slots {
        write!(out, "  {} numbers", grouped(slots))?;
        match report.positions {
            Some(positions) => writeln!(out, ", about {positions:.2e} of them legal positions")?,
            None => writeln!(out)?,
        }
    }
    let disk = report.disk.map_or("any".to_string(), bytes);
    write!(out, "  allowed: {} of memory, {disk} disk, {} threads", bytes(report.memory), report.threads)?;
    match (report.ranks, report.network) {
        (1, _) => writeln!(out)?,
        (ranks, None) => writeln!(out, " on each of {ranks} machines")?,
        (ranks, Some(bits)) => {
            writeln!(out, " on each of {ranks} machines, {:.0} Gbit/s between them", bits as f64 / 1e9)?;
        }
    }
    let (way, memory, disk) = ("method", "memory", "disk");
    writeln!(out, "\n  {FAINT}{way:<22}{memory:>10}{disk:>11}{:>11}{:>13}{FAINT:#}", "moved", "time")?;
    for way in &report.ways {
        print_way(out, way)?;
    }
    if let Some(rates) = &report.rates {
        writeln!(
            out,
            "\n  {FAINT}measured here on {} with {} threads: {} stored positions written, {}/s packed and unpacked, {}/s to the disk{FAINT:#}",
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
