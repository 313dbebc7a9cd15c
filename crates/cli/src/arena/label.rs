//! `outplay label`: computes the exact values of many positions and writes them as rows of a dataset.

use crate::args::SearchArgs;
use crate::commands::{Failure, KNOWN, Run, UNKNOWN};
use clap::Args;
use outplay_core::figures::{duration, grouped, rate_words};
use outplay_workbench::Trouble;
use outplay_workbench::export::{LabelReport, LabelRequest, Positions, Sampling, Spread, label};
use std::io::{self, Write};
use std::path::PathBuf;

/// Label many positions with exact values (jsonl, csv or npz).
#[derive(Args)]
pub(crate) struct LabelArgs {
    /// Game spec, such as connect4
    game: String,
    /// File of positions, or of moves from the start, one per line
    #[arg(required_unless_present = "random", conflicts_with = "random")]
    file: Option<PathBuf>,
    /// Number of random positions to label instead of a file
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=100_000_000))]
    random: Option<u32>,
    /// First and last ply of random positions, sampled uniformly (default: the middle of a game)
    #[arg(long, value_name = "FROM..TO", requires = "random", value_parser = parse_plies)]
    plies: Option<(u32, u32)>,
    /// Random seed of the positions
    #[arg(long, default_value_t = 1)]
    seed: u64,
    /// Find all best moves, which multiplies the work by about the number of moves
    #[arg(long)]
    moves: bool,
    /// Output file, ending with .jsonl, .csv or .npz; the same command resumes an interrupted run
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    #[command(flatten)]
    effort: SearchArgs,
}

fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let pair = text
        .split_once("..")
        .and_then(|(from, to)| from.trim().parse().ok().zip(to.trim().trim_start_matches('=').parse().ok()));
    let fits = |(from, to): &(u32, u32)| from <= to && *to <= 10_000;
    pair.filter(fits).ok_or_else(|| "expected the first and the last ply, such as `12..30`".to_string())
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn label(&mut self, args: &LabelArgs) -> Result<u8, Failure> {
        let entry = self.open(&args.game)?;
        let positions = match (&args.file, args.random) {
            (Some(file), _) => Positions::Listed(self.read_file(file)?.lines().map(str::to_string).collect()),
            (None, Some(count)) => {
                let middle = || Sampling::middle(entry.open_cells().unwrap_or(20) as u32);
                let (from, to) = args.plies.unwrap_or_else(middle);
                let sampling = Sampling { from, to, spread: Spread::Even, seed: args.seed };
                Positions::Random { count: count as usize, sampling }
            }
            (None, None) => {
                return Err(Trouble::unable(
                    "no positions are given; add a file of positions, or --random N",
                )
                .into());
            }
        };
        let mut request = LabelRequest::new(positions, args.out.clone());
        request.moves = args.moves;
        request.threads = rayon::current_num_threads();
        let session = self.query_session(&args.effort);
        let report = label(&session, &entry, &request, self.progress)?;
        self.print(&report, write_report)?;
        Ok(if report.unknown > 0 { UNKNOWN } else { KNOWN })
    }
}

fn write_report(out: &mut impl Write, report: &LabelReport) -> io::Result<()> {
    let count = |number: usize| grouped(number as u128);
    writeln!(
        out,
        "{}: {} positions written to {}: {} won, {} drawn, {} lost for the player to move, {} unknown",
        report.game,
        grouped(report.positions.0),
        report.out,
        count(report.wins),
        count(report.draws),
        count(report.losses),
        count(report.unknown)
    )?;
    if report.found_before > 0 {
        writeln!(out, "{} of them were labelled by an earlier run", count(report.found_before))?;
    }
    writeln!(out, "{}, {}", duration(report.seconds), rate_words(report.per_second))
}
