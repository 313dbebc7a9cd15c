//! The commands on tables on disk: `verify`, `stats` and `tables`.

use crate::args::parse_values;
use crate::commands::{Failure, Run, write_file};
use crate::output::{BOLD, DRAW, FAINT, LOSS, WIN};
use crate::terminal::harmless;
use clap::Args;
use outplay_core::figures::{bytes, grouped};
use outplay_runtime::Monitor;
use outplay_workbench::{
    Example, GameHandle, ListedResults, LongestRecord, LongestRecords, Records, Session, SolveRequest,
    StatsReport, Sum, TableEntry, TableError, Trouble, Values, VerifyReport, clear_results, list_results,
};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Time limit of the search for the positions of a record.
const SEARCH: Duration = Duration::from_secs(20);

/// Verify a table: derive every value again from its successors
#[derive(Args)]
pub(crate) struct VerifyArgs {
    /// Game spec, such as connect4:5x4
    game: String,
    /// Table to use if there are two: wdl or distance
    #[arg(long, value_parser = parse_values)]
    values: Option<Values>,
    /// Verify a random sample of this size, for tables that do not fit in memory
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(crate) sample: Option<u64>,
    /// Random seed of the sample
    #[arg(long, default_value_t = 1, requires = "sample")]
    seed: u64,
}

/// Count the positions of a table by tier, value and distance
#[derive(Args)]
pub(crate) struct StatsArgs {
    /// Game spec, such as connect4:5x4
    game: String,
    /// Table to use if there are two: wdl or distance
    #[arg(long, value_parser = parse_values)]
    values: Option<Values>,
    /// Print the longest wins and losses and the hardest wins; a game without a table is solved first
    #[arg(long, conflicts_with = "svg")]
    records: bool,
    /// Write a chart to this SVG file
    #[arg(long, value_name = "FILE")]
    svg: Option<PathBuf>,
}

/// List or remove the stored tables and cached search results
#[derive(Args)]
pub(crate) struct TablesArgs {
    /// Remove the table with this name or game spec
    #[arg(long, value_name = "NAME")]
    remove: Option<String>,
    /// Delete the cached search results of one game, or of all games
    #[arg(long, value_name = "NAME", num_args = 0..=1, default_missing_value = "", conflicts_with = "remove")]
    forget: Option<String>,
    /// Print the SHA-256 checksums of all tables in the format of `sha256sum`, or compare the tables with FILE
    #[arg(long, value_name = "FILE", num_args = 0..=1, default_missing_value = "-", conflicts_with_all = ["remove", "forget"])]
    checksums: Option<PathBuf>,
}

pub(crate) fn verify(run: &mut Run<'_, impl Write>, args: &VerifyArgs) -> Result<u8, Failure> {
    let entry = run.open(&args.game)?;
    let (values, sample) = (args.values, args.sample.map(|sample| (sample, args.seed)));
    let session = &run.session(None);
    let report = match (sample, &run.crew) {
        (None, _) => outplay_workbench::verify(session, &entry, values, run.progress)?,
        (Some(sample), Some(crew)) => outplay_workbench::verify_sample_together(
            session,
            &entry,
            values,
            sample,
            &*crew.0,
            run.progress,
        )?,
        (Some(sample), None) => {
            outplay_workbench::verify_sample(session, &entry, values, sample, run.progress)?
        }
    };
    run.print(&report, print_verified)?;
    Ok(u8::from(report.wrong > 0))
}

pub(crate) fn stats(run: &mut Run<'_, impl Write>, args: &StatsArgs) -> Result<u8, Failure> {
    if args.records {
        return records(run, args);
    }
    let report = outplay_workbench::stats(&run.session(None), &run.open(&args.game)?, args.values)?;
    if let Some(file) = &args.svg {
        write_file(file, &outplay_workbench::stats_svg(&report))?;
    }
    run.print(&report, print_stats)
}

/// Solves a game that has no table yet and stores the table, unless nothing may be stored.
pub(crate) fn solve_first(
    run: &Run<'_, impl Write>,
    session: &Session,
    entry: &GameHandle,
) -> Result<(), Failure> {
    if run.common.no_save {
        return Ok(());
    }
    let mut request = SolveRequest::default();
    request.store = true;
    run.progress.note(&format!("there is no table of {} yet, so the game is solved first", entry.spec()));
    outplay_workbench::solve(session, entry, &request, run.progress)?;
    Ok(())
}

/// The longest wins and losses of a table, and the hardest wins.
fn records(run: &mut Run<'_, impl Write>, args: &StatsArgs) -> Result<u8, Failure> {
    let (entry, session) = (run.open(&args.game)?, run.session(None));
    let missing = |trouble: &Trouble| matches!(trouble, Trouble::Table(TableError::NoTable { .. }));
    if outplay_workbench::stats(&session, &entry, args.values).is_err_and(|trouble| missing(&trouble)) {
        solve_first(run, &session, &entry)?;
    }
    let records = outplay_workbench::records(&session, &entry, run.progress)?;
    let longest = outplay_workbench::longest(&session, &entry, SEARCH, run.progress)?;
    #[derive(Serialize)]
    struct RecordsRow<'a> {
        #[serde(flatten)]
        records: &'a Records,
        #[serde(flatten)]
        longest: &'a LongestRecords,
    }
    let row = RecordsRow { records: &records, longest: &longest };
    run.print(&row, |out, row| {
        writeln!(out, "{BOLD}{}{BOLD:#}: records by the player to move", row.records.game)?;
        print_longest(out, "win", &row.longest.longest_wins)?;
        print_longest(out, "loss", &row.longest.longest_losses)?;
        let hardest = &row.records.hardest;
        if !hardest.is_empty() {
            writeln!(out, "  hardest wins, those with the fewest winning moves")?;
        }
        hardest.iter().try_for_each(|example| {
            let plies = example.answer.distance().map(|plies| format!("win in {plies}"));
            let (plies, Example { position, keeping, choices, .. }) = (plies.unwrap_or_default(), example);
            writeln!(out, "    {position}  {WIN}{plies}{WIN:#}, {keeping} of {choices} moves win")
        })
    })
}

fn print_longest(out: &mut impl Write, word: &str, record: &LongestRecord) -> io::Result<()> {
    let Some(plies) = record.plies else {
        return writeln!(out, "  longest {word:<4}  none");
    };
    let count = match record.count {
        1 => "1 position".to_string(),
        count => format!("{} positions", grouped(count)),
    };
    let shown = match record.positions.len() as u64 {
        shown if shown < record.count => format!(", {shown} of them:"),
        _ => ":".to_string(),
    };
    writeln!(out, "  longest {word:<4}  {plies} plies, {count}{shown}")?;
    record.positions.iter().try_for_each(|example| writeln!(out, "    {}", example.position))
}

pub(crate) fn tables(run: &mut Run<'_, impl Write>, args: &TablesArgs) -> Result<u8, Failure> {
    match (&args.remove, &args.forget, &args.checksums) {
        (Some(name), _, _) => remove(run, name),
        (_, Some(name), _) => forget(run, name),
        (_, _, Some(file)) if file.as_os_str() == "-" => sums(run),
        (_, _, Some(file)) => compare_sums(run, file),
        (None, None, None) => list(run),
    }
}

fn list(run: &mut Run<'_, impl Write>) -> Result<u8, Failure> {
    let data = run.data();
    let tables = outplay_workbench::list(&data).map_err(Trouble::from)?;
    let listed: Vec<serde_json::Value> = tables
        .iter()
        .map(|table| match &table.table {
            Ok(known) => serde_json::json!({
                "name": table.name, "bytes": table.bytes, "game": known.identity.spec,
                "values": known.identity.values.to_string(), "complete": known.complete,
                "tiers_written": known.tiers_written, "tiers": known.identity.slots.len(),
            }),
            Err(error) => {
                serde_json::json!({ "name": table.name, "bytes": table.bytes, "error": error.to_string() })
            }
        })
        .collect();
    let notes = list_results(&data);
    let answer = serde_json::json!({ "data": data.display().to_string(), "tables": listed, "kept": notes });
    run.print(&answer, |out, _| print_tables(out, &data, &tables, &notes))
}

/// Prints the checksums of all tables in the format of `sha256sum --check`.
fn sums(run: &mut Run<'_, impl Write>) -> Result<u8, Failure> {
    let sums = find_sums(run)?;
    let lines: Vec<serde_json::Value> =
        sums.iter().map(|sum| serde_json::json!({ "file": sum.file, "sha256": sum.sum })).collect();
    run.print(&serde_json::json!({ "sums": lines }), |out, _| {
        sums.iter().try_for_each(|sum| writeln!(out, "{}  {}", sum.sum, harmless(&sum.file)))
    })
}

fn find_sums(run: &Run<'_, impl Write>) -> Result<Vec<Sum>, Failure> {
    let data = run.data();
    run.progress.stage("computing checksums", 0);
    let found = outplay_workbench::sums(&data, run.progress).map_err(Trouble::from)?;
    Ok(found.ok_or_else(Trouble::stopped)?)
}

/// Compares the tables with published checksums.
fn compare_sums(run: &mut Run<'_, impl Write>, file: &Path) -> Result<u8, Failure> {
    let published = outplay_workbench::read_sums(&run.read_file(file)?).map_err(|line| {
        let name = file.display();
        Trouble::unable(format!(
            "{name}: line {line} is not a checksum; `outplay tables --checksums` prints the expected format"
        ))
    })?;
    let found = find_sums(run)?;
    let state = |sum: &Sum| match found.iter().find(|own| own.file == sum.file) {
        None => "missing",
        Some(own) if own.sum == sum.sum => "same",
        Some(_) => "different",
    };
    let states: Vec<(&Sum, &str)> = published.iter().map(|sum| (sum, state(sum))).collect();
    let wrong = states.iter().filter(|(_, state)| *state != "same").count();
    let lines: Vec<serde_json::Value> =
        states.iter().map(|(sum, state)| serde_json::json!({ "file": sum.file, "state": state })).collect();
    let answer = serde_json::json!({ "compared": states.len(), "wrong": wrong, "files": lines });
    run.print(&answer, |out, _| {
        for (sum, state) in states.iter().filter(|(_, state)| *state != "same") {
            writeln!(out, "{LOSS}{}: {state}{LOSS:#}", harmless(&sum.file))?;
        }
        match wrong {
            0 => writeln!(out, "all {} files match their checksums", states.len()),
            _ => writeln!(out, "{wrong} of {} files do not match their checksums", states.len()),
        }
    })?;
    Ok(u8::from(wrong > 0))
}

/// Deletes cached search results, of one game or of all.
fn forget(run: &mut Run<'_, impl Write>, name: &str) -> Result<u8, Failure> {
    let data = run.data();
    // A spec is accepted in place of the name in the list.
    let spec = run.catalog.open(name).map(|entry| outplay_workbench::table_name(&entry.spec()));
    let name = spec.unwrap_or_else(|_| name.to_string());
    let only = (!name.is_empty()).then_some(name.as_str());
    let why =
        |error| Trouble::unable(format!("cannot delete the cached results in {}: {error}", data.display()));
    let removed = clear_results(&data, only).map_err(why)?;
    if let (Some(name), 0) = (only, removed) {
        return Err(Trouble::unable(format!(
            "there are no cached results of `{name}`; `outplay tables` lists them"
        ))
        .into());
    }
    run.print(&serde_json::json!({ "forgotten": removed }), |out, _| {
        writeln!(out, "deleted the cached results of {removed} games")
    })
}

fn remove(run: &mut Run<'_, impl Write>, name: &str) -> Result<u8, Failure> {
    let data = run.data();
    let tables = outplay_workbench::list(&data).map_err(Trouble::from)?;
    // A spec is accepted in place of the table's name if it has only one table.
    let spec = run.catalog.open(name).map(|handle| handle.spec()).unwrap_or_default();
    let of_game = |table: &&TableEntry| table.table.as_ref().is_ok_and(|known| known.identity.spec == spec);
    let named = tables.iter().find(|table| table.name == name).or_else(|| tables.iter().find(of_game));
    let name = named.map_or(name, |table| &table.name).to_string();
    outplay_workbench::remove(&data, &name).map_err(Trouble::from)?;
    run.print(&serde_json::json!({ "removed": name }), |out, _| writeln!(out, "removed {name}"))
}

fn print_verified(out: &mut impl Write, report: &VerifyReport) -> io::Result<()> {
    let checked = grouped(report.checked);
    if report.wrong == 0 {
        writeln!(out, "{BOLD}{}{BOLD:#}: {WIN}all {checked} positions are correct{WIN:#}", report.game)?;
        if let Some(bound) = report.bound {
            writeln!(out, "  every mean is within {bound:.1e} of the exact value")?;
        }
        return match &report.unchecked {
            Some(unchecked) => writeln!(out, "  {FAINT}not checked: {unchecked}{FAINT:#}"),
            None => Ok(()),
        };
    }
    let wrong = grouped(report.wrong);
    writeln!(out, "{BOLD}{}{BOLD:#}: {LOSS}{wrong} of {checked} positions are wrong{LOSS:#}", report.game)?;
    if let Some(position) = &report.first_wrong {
        writeln!(out, "  first wrong position: {position}")?;
    }
    if let Some(flaw) = &report.flaw {
        writeln!(out, "  {flaw}")?;
    }
    writeln!(
        out,
        "  do not use this table; remove it with `outplay tables --remove {0}` and run `outplay solve {0}`",
        report.game
    )
}

fn print_stats(out: &mut impl Write, report: &StatsReport) -> io::Result<()> {
    let view = if report.merged { "the player to move" } else { "the first player" };
    writeln!(out, "{BOLD}{}{BOLD:#}: positions per tier, by value for {view}", report.game)?;
    let number = |n: u64| grouped(n);
    let wide = number(report.positions.legal).len().max(8);
    let longest = |map: &std::collections::BTreeMap<u32, u64>| {
        map.keys().last().map_or("-".to_string(), u32::to_string)
    };
    let name = report.tiers.iter().map(|tier| tier.tier.len()).max().unwrap_or(0).max(4);
    writeln!(
        out,
        "{FAINT}{:<name$} {:>wide$}  {:>wide$}  {:>wide$}  {:>wide$}  {:>wide$}  longest win/loss{FAINT:#}",
        "tier", "all", "won", "drawn", "lost", "finished"
    )?;
    for tier in &report.tiers {
        let (all, splits) = (number(tier.counts.legal), tier.counts.splits);
        writeln!(
            out,
            "{:<name$} {all:>wide$}  {WIN}{:>wide$}{WIN:#}  {DRAW}{:>wide$}{DRAW:#}  {LOSS}{:>wide$}{LOSS:#}  {:>wide$}  {} / {}",
            tier.tier,
            number(splits.win),
            number(splits.draw),
            number(splits.loss),
            number(tier.counts.finished),
            longest(&tier.win_in),
            longest(&tier.loss_in),
        )?;
    }
    let (all, splits) = (number(report.positions.legal), report.positions.splits);
    writeln!(
        out,
        "{BOLD}{:<name$} {all:>wide$}  {:>wide$}  {:>wide$}  {:>wide$}  {:>wide$}{BOLD:#}",
        "all",
        number(splits.win),
        number(splits.draw),
        number(splits.loss),
        number(report.positions.finished)
    )?;
    let each = report.table_bytes as f64 / report.positions.legal.max(1) as f64;
    writeln!(out, "{FAINT}table size {}, {each:.3} bytes per position{FAINT:#}", bytes(report.table_bytes))
}

fn print_tables(
    out: &mut impl Write,
    data: &Path,
    tables: &[TableEntry],
    notes: &[ListedResults],
) -> io::Result<()> {
    if tables.is_empty() && notes.is_empty() {
        return writeln!(
            out,
            "no tables in {}; create one with `outplay solve connect4:5x4`",
            data.display()
        );
    }
    let names = tables.iter().map(|table| table.name.len()).chain(notes.iter().map(|kept| kept.name.len()));
    let wide = names.max().unwrap_or(0);
    for table in tables {
        let what = match &table.table {
            Ok(known) if known.complete => {
                format!("{}, {}", harmless(&known.identity.spec), known.identity.values)
            }
            Ok(known) => {
                let spec = harmless(&known.identity.spec);
                format!(
                    "{spec}, {}: incomplete, {} of {} tiers; `outplay solve {spec}` resumes",
                    known.identity.values,
                    known.tiers_written,
                    known.identity.slots.len(),
                )
            }
            Err(error) => format!("{LOSS}{}{LOSS:#}", harmless(&error.to_string())),
        };
        writeln!(out, "{:<wide$}  {:>9}  {what}", harmless(&table.name), bytes(table.bytes))?;
    }
    for kept in notes {
        writeln!(
            out,
            "{:<wide$}  {:>9}  {} cached search results",
            harmless(&kept.name),
            bytes(kept.bytes),
            grouped(kept.positions.0)
        )?;
    }
    writeln!(out, "{FAINT}data directory {}{FAINT:#}", data.display())
}
