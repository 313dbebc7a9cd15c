//! `outplay export`: writes datasets of positions with exact labels, for machine learning.

use crate::commands::{Failure, Run};
use crate::tables::solve_first;
use clap::Args;
use outplay_core::figures::{duration, grouped};
use outplay_dataset::Form;
use outplay_workbench::export::{Request, export, export_policy};
use outplay_workbench::{GameHandle, open_reader};
use std::io::Write;
use std::path::{Path, PathBuf};

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
    #[arg(long, value_name = "FILE", required_unless_present = "policy")]
    out: Option<PathBuf>,
    /// Write the best moves of every position in which a player decides to this file (csv or jsonl); a game without a
    /// table is solved first
    #[arg(long, value_name = "FILE", conflicts_with_all = ["out", "positions", "plies", "balanced", "test", "no_best", "seed"])]
    policy: Option<PathBuf>,
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
        if let Some(file) = &args.policy {
            return self.export_policy(&entry, file, args.format);
        }
        let mut request = Request::new(args.out.clone().unwrap_or_default());
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

    fn export_policy(&mut self, entry: &GameHandle, file: &Path, form: Option<Form>) -> Result<u8, Failure> {
        let mut request = Request::new(file.to_path_buf());
        request.form = form;
        let session = self.session(None).impartial();
        if open_reader(&session, entry, self.progress)?.is_none() {
            solve_first(self, &session, entry)?;
        }
        let report = export_policy(&session, entry, &request, self.progress)?;
        self.print(&report, |out, report| {
            let (rows, seconds) = (grouped(report.rows), report.seconds);
            writeln!(out, "{}: best moves of {rows} positions in {seconds:.1} s", report.file)
        })
    }
}
