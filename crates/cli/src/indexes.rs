//! `outplay index`: prints the size of a game's index by tier, ranks and unranks positions, and checks the laws of an
//! index.

use crate::commands::{Failure, KNOWN, NO, Run};
use crate::{output, usage};
use clap::Args;
use outplay_core::figures::bytes;
use std::io::Write;

/// Largest index whose reachable positions are counted without `--count`.
const COUNTED: u128 = 20_000_000;

/// Print the size of a game's index, tier by tier
#[derive(Args)]
pub(crate) struct IndexArgs {
    /// Game spec, such as connect4
    game: String,
    /// Count the reachable positions even if it takes minutes
    #[arg(long)]
    count: bool,
    /// Print the rank of this position
    #[arg(long, value_name = "POSITION", conflicts_with = "count")]
    rank: Option<String>,
    /// Print the position with this rank
    #[arg(long, value_name = "NUMBER", conflicts_with_all = ["count", "rank"])]
    unrank: Option<u128>,
    /// Check the conditions of dynamic programming: injective, no holes, every child has a larger number
    #[arg(long, conflicts_with_all = ["count", "rank", "unrank"])]
    check: bool,
    /// Random seed of the sample that is checked in a large index
    #[arg(long, default_value_t = 1, requires = "check")]
    seed: u64,
}

pub(crate) fn index(run: &mut Run<'_, impl Write>, args: &IndexArgs) -> Result<u8, Failure> {
    let (session, memory) = (run.session(None), run.memory());
    if let Some(position) = &args.rank {
        let game = run.open(&args.game)?;
        let ranked = outplay_workbench::rank(&session, &game, position, memory, run.progress)?;
        return run.print(&ranked, output::ranked);
    }
    if let Some(number) = args.unrank {
        let game = run.open(&args.game)?;
        let ranked = outplay_workbench::unrank(&session, &game, number, memory, run.progress)?;
        return run.print(&ranked, output::ranked);
    }
    if args.check {
        let game = run.open(&args.game)?;
        let check = outplay_workbench::check_index(&session, &game, memory, args.seed, run.progress)?;
        run.print(&check, output::index_check)?;
        return Ok(if check.holds() { KNOWN } else { NO });
    }
    sizes(run, &args.game, args.count)
}

/// Prints the size of the index, tier by tier.
fn sizes(run: &mut Run<'_, impl Write>, game: &str, count: bool) -> Result<u8, Failure> {
    let (session, entry) = (&run.session(None), &run.open(game)?);
    // The first report does not count: it is instant and shows whether counting is cheap.
    let mut report = outplay_workbench::index_report(session, entry, run.memory(), false, run.progress)?;
    let cheap = report.size.is_some_and(|size| size <= COUNTED);
    if report.reachable.is_none() && (count || cheap) {
        report = outplay_workbench::index_report(session, entry, run.memory(), true, run.progress)?;
    }
    run.print(&report, |out, report| {
        output::index(out, report)?;
        match (report.reachable, report.size) {
            (None, Some(_)) if !count => {
                writeln!(out, "reachable positions were not counted; add --count to count them if memory allows")
            }
            (None, Some(size)) => writeln!(
                out,
                "reachable positions were not counted: one bit per number takes {}, and the memory limit is {}",
                bytes((size / 8).min(u64::MAX.into()) as u64),
                bytes(run.common.memory.unwrap_or_else(usage::available_bytes))
            ),
            _ => Ok(()),
        }
    })
}
