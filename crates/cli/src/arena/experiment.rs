//! `outplay experiment`: reruns an experiment of a published paper and prints its figures beside ours.

use super::grid::write_grid;
use crate::args::ExperimentArgs;
use crate::commands::{Failure, Run, write_file};
use outplay_experiments::{ExperimentRequest, Findings, experiments};
use outplay_workbench::Trouble;
use std::io::{self, Write};

pub(crate) fn experiment(run: &mut Run<'_, impl Write>, args: &ExperimentArgs) -> Result<u8, Failure> {
    let Some(name) = &args.name else { return list_experiments(run) };
    let mut request = ExperimentRequest::default();
    request.name = name.clone();
    request.seed = args.seed;
    request.full = args.full;
    (request.games, request.runs) = (args.games, args.runs);
    request.session = run.query_session(&args.effort);
    let findings = outplay_experiments::run(run.catalog, &request, run.progress)?;
    // Printed first: if the file cannot be written, the result is not lost.
    run.print(&findings, write_findings)?;
    if let Some(file) = &args.svg {
        let none = || {
            Trouble::unable(format!(
                "the experiment `{name}` has no plots; leave out --svg, or write its tables with --html FILE"
            ))
        };
        write_file(file, &outplay_experiments::stacked(&findings.plots).ok_or_else(none)?)?;
    }
    if let Some(file) = &args.html {
        write_file(file, &findings.html())?;
    }
    Ok(u8::from(findings.holds == Some(false)))
}

fn list_experiments(run: &mut Run<'_, impl Write>) -> Result<u8, Failure> {
    let listed = serde_json::json!({ "experiments": experiments() });
    run.print(&listed, |out, _| {
        let (bold, faint) = (anstyle::Style::new().bold(), anstyle::Style::new().dimmed());
        for about in experiments() {
            writeln!(out, "{bold}{}{bold:#}  {}", about.name, about.question)?;
            writeln!(out, "    {}", about.verdict)?;
            writeln!(out, "    {faint}{}{faint:#}", about.source)?;
        }
        writeln!(out, "\nRun one with `outplay experiment NAME`; docs/experiments.md discusses the results.")
    })
}

fn write_findings(out: &mut impl Write, findings: &Findings) -> io::Result<()> {
    let bold = anstyle::Style::new().bold();
    writeln!(out, "{bold}{}{bold:#}: {}", findings.experiment, findings.setting)?;
    writeln!(out, "{}", findings.question)?;
    writeln!(out, "source: {}", findings.source)?;
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
