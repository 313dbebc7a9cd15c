//! `outplay export`: datasets of positions with exact labels, for machine learning.

use crate::commands::{Failure, Run};
use clap::Args;
use outplay_core::figures::{duration, grouped};
use outplay_dataset::Form;
use outplay_workbench::export::{Request, export};
use std::io::Write;
use std::path::PathBuf;

/// Options of `export`.
#[derive(Args, Debug)]
pub(crate) struct ExportArgs {
    /// Game spec, such as connect4:5x4
    game: String,
    /// Number of positions sampled from random games, or all positions of the table
    #[arg(long, value_name = "all|N", default_value = "all", value_parser = parse_amount)]
    positions: PositionCount,
    /// First and last ply to export, such as 4..12
    #[arg(long, value_name = "A..B", value_parser = parse_plies)]
    plies: Option<(u32, u32)>,
    /// Sample equal numbers of won, drawn and lost positions (needs --positions N)
    #[arg(long)]
    balanced: bool,
    /// File format: npz, csv or jsonl (default: from the extension of --out)
    #[arg(long, value_parser = parse_form)]
    format: Option<Form>,
    /// Output file; a data sheet is written next to it
    #[arg(long, value_name = "FILE")]
    out: PathBuf,
    /// Fraction held out as a test set; symmetric positions stay together
    #[arg(long, value_name = "SHARE", default_value_t = 0.0)]
    test: f64,
    /// Omit the best moves
    #[arg(long)]
    no_best: bool,
    /// Random seed
    #[arg(long, default_value_t = 1)]
    seed: u64,
}

/// Number of positions; `None` for all.
#[derive(Clone, Copy, Debug)]
struct PositionCount(Option<u64>);

fn parse_amount(text: &str) -> Result<PositionCount, String> {
    match text {
        "all" => Ok(PositionCount(None)),
        _ => match text.replace('_', "").parse() {
            Ok(0) | Err(_) => Err("expected `all` or a number, such as `--positions 100000`".into()),
            Ok(count) => Ok(PositionCount(Some(count))),
        },
    }
}

fn parse_plies(text: &str) -> Result<(u32, u32), String> {
    let ends = text.split_once("..").and_then(|(low, high)| Some((low.parse().ok()?, high.parse().ok()?)));
    ends.ok_or_else(|| "expected the first and the last ply, such as `--plies 4..12`".into())
}

fn parse_form(text: &str) -> Result<Form, String> {
    match text {
        "npz" => Ok(Form::Npz),
        "csv" => Ok(Form::Csv),
        "jsonl" => Ok(Form::Lines),
        _ => Err("choose npz, csv or jsonl".into()),
    }
}

impl<W: Write> Run<'_, W> {
    pub(crate) fn export(&mut self, args: &ExportArgs) -> Result<u8, Failure> {
        let entry = self.open(&args.game)?;
        let mut request = Request::new(args.out.clone());
        request.positions = args.positions.0;
        request.plies = args.plies;
        request.balanced = args.balanced;
        request.form = args.format;
        request.test = args.test;
        request.best = !args.no_best;
        request.seed = args.seed;
        let session = self.session(None).impartial();
        let report = export(&session, &entry, &request, self.progress)?;
        self.print(&report, |out, report| {
            for file in &report.files {
                writeln!(out, "{}: {} rows, xxh3 {}", file.file, grouped(file.rows), file.checksum)?;
            }
            let values: Vec<String> =
                report.values.iter().map(|(value, count)| format!("{value} {}", grouped(*count))).collect();
            writeln!(out, "{}; {} in {}", values.join(", "), report.sheet, duration(report.seconds))?;
            report.notes.iter().try_for_each(|note| writeln!(out, "{note}"))
        })
    }
}
