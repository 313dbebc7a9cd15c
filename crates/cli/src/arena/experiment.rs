//! `outplay experiment`: a paper's table, theirs beside ours.

use super::grid::write_grid;
use crate::args::Effort;
use crate::commands::{Failure, Run, write_file};
use clap::Args;
use outplay_answer::Trouble;
use outplay_experiments::{ExperimentRequest, Findings, experiments};
use std::io::{self, Write};
use std::path::PathBuf;

/// Run a paper's experiment again.
#[derive(Args)]
pub(crate) struct ExperimentArgs {
    /// Which one; without a name, all are listed
    name: Option<String>,
    /// Take as long as the paper's setting needs
    #[arg(long)]
    full: bool,
    /// How many games, trials or positions instead of the experiment's own number
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    games: Option<u32>,
    /// How often what is timed or sampled is repeated, from seeds that follow each other
    #[arg(long, value_name = "N", requires = "name", value_parser = clap::value_parser!(u32).range(1..=10_000))]
    runs: Option<u32>,
    /// What chance follows from
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Draw what was found into this file
    #[arg(long, value_name = "FILE", requires = "name")]
    svg: Option<PathBuf>,
    /// Write a page with tables and pictures into this file
    #[arg(long, value_name = "FILE", requires = "name")]
    html: Option<PathBuf>,
    #[command(flatten)]
    effort: Effort,
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn experiment(&mut self, args: &ExperimentArgs) -> Result<u8, Failure> {
        let Some(name) = &args.name else { return self.list_experiments() };
        let mut request = ExperimentRequest::default();
        request.name = name.clone();
        request.seed = args.seed;
        request.full = args.full;
        (request.games, request.runs) = (args.games, args.runs);
        request.options = self.query_options(&args.effort);
        let findings = outplay_experiments::run(self.catalog, &request, self.progress)?;
        // First what was found: a file that cannot be written loses nothing.
        self.print(&findings, |out, findings| write_findings(out, findings))?;
        if let Some(file) = &args.svg {
            let none = || {
                Trouble::unable(format!("`{name}` has no pictures; leave --svg out, or write --html FILE"))
            };
            write_file(file, &outplay_experiments::stacked(&findings.plots).ok_or_else(none)?)?;
        }
        if let Some(file) = &args.html {
            write_file(file, &findings.html())?;
        }
        Ok(u8::from(findings.holds == Some(false)))
    }

    fn list_experiments(&mut self) -> Result<u8, Failure> {
        let listed = serde_json::json!({ "experiments": experiments() });
        self.print(&listed, |out, _| {
            let (bold, faint) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
            for about in experiments() {
                writeln!(out, "{bold}{}{bold:#}  {}", about.name, about.question)?;
                writeln!(out, "    {}", about.verdict)?;
                writeln!(out, "    {faint}{}{faint:#}", about.source)?;
            }
            writeln!(out, "\nRun one with `outplay experiment NAME`; docs/experiments.md has the figures.")
        })
    }
}

fn write_findings(out: &mut impl Write, findings: &Findings) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}: {}", findings.experiment, findings.setting)?;
    writeln!(out, "{}", findings.question)?;
    writeln!(out, "theirs: {}", findings.source)?;
    for grid in &findings.tables {
        writeln!(out)?;
        write_grid(out, grid)?;
    }
    if !findings.remarks.is_empty() {
        writeln!(out)?;
    }
    for remark in &findings.remarks {
        writeln!(out, "{remark}")?;
    }
    Ok(())
}
