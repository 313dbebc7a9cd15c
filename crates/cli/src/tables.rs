//! Tables on disk: `verify`, `stats` and `tables`.

use crate::commands::{Failure, Run, harmless, read_file, write_file};
use crate::output::{BOLD, DRAW, FAINT, LOSS, WIN};
use outplay_answer::{
    Listed, ListedNotes, StatsReport, Sum, Trouble, Values, VerifyReport, clear_notes, list_notes,
};
use outplay_core::Watch;
use outplay_core::figures::{bytes, grouped};
use std::io::{self, Write};
use std::path::Path;

impl<W: Write> Run<'_, W> {
    pub(crate) fn verify(
        &mut self,
        game: &str,
        values: Option<Values>,
        sample: Option<(u64, u64)>,
    ) -> Result<u8, Failure> {
        let entry = self.open(game)?;
        let report = match (sample, &self.crew) {
            (None, _) => entry.verify(&self.data(), values, self.progress)?,
            (Some(sample), Some(crew)) => {
                entry.verify_sample_together(&self.data(), values, sample, &*crew.0, self.progress)?
            }
            (Some(sample), None) => entry.verify_sample(&self.data(), values, sample, self.progress)?,
        };
        self.print(&report, |out, report| print_verified(out, report))?;
        Ok(u8::from(report.wrong > 0))
    }

    pub(crate) fn stats(
        &mut self,
        game: &str,
        values: Option<Values>,
        svg: Option<&Path>,
    ) -> Result<u8, Failure> {
        let report = self.open(game)?.stats(&self.data(), values)?;
        if let Some(file) = svg {
            write_file(file, &outplay_answer::stats_svg(&report))?;
        }
        self.print(&report, |out, report| print_stats(out, report))
    }

    pub(crate) fn tables(&mut self) -> Result<u8, Failure> {
        let data = self.data();
        let tables = outplay_answer::list(&data).map_err(Trouble::from)?;
        let listed: Vec<serde_json::Value> = tables
            .iter()
            .map(|table| match &table.table {
                Ok(known) => serde_json::json!({
                    "name": table.name, "bytes": table.bytes, "game": known.identity.spec,
                    "values": known.identity.values.to_string(), "complete": known.complete,
                    "tiers_written": known.tiers_written, "tiers": known.identity.slots.len(),
                }),
                Err(error) => serde_json::json!({ "name": table.name, "bytes": table.bytes, "error": error.to_string() }),
            })
            .collect();
        let notes = list_notes(&data);
        let answer =
            serde_json::json!({ "data": data.display().to_string(), "tables": listed, "kept": notes });
        self.print(&answer, |out, _| print_tables(out, &data, &tables, &notes))
    }

    /// The sums of all tables, in the form that `sha256sum --check` reads.
    pub(crate) fn sums(&mut self) -> Result<u8, Failure> {
        let sums = self.find_sums()?;
        let lines: Vec<serde_json::Value> =
            sums.iter().map(|sum| serde_json::json!({ "file": sum.file, "sha256": sum.sum })).collect();
        self.print(&serde_json::json!({ "sums": lines }), |out, _| {
            sums.iter().try_for_each(|sum| writeln!(out, "{}  {}", sum.sum, harmless(&sum.file)))
        })
    }

    fn find_sums(&self) -> Result<Vec<Sum>, Failure> {
        let data = self.data();
        self.progress.stage("summing", 0);
        let found = outplay_answer::sums(&data, self.progress).map_err(Trouble::from)?;
        Ok(found.ok_or_else(Trouble::stopped)?)
    }

    /// Holds the tables against published sums.
    pub(crate) fn compare_sums(&mut self, file: &Path) -> Result<u8, Failure> {
        let published = outplay_answer::read_sums(&read_file(file)?).map_err(|line| {
            let name = file.display();
            Trouble::unable(format!(
                "{name}: line {line} is no sum; `outplay tables --checksums` prints such a file"
            ))
        })?;
        let found = self.find_sums()?;
        let state = |sum: &Sum| match found.iter().find(|own| own.file == sum.file) {
            None => "missing",
            Some(own) if own.sum == sum.sum => "same",
            Some(_) => "different",
        };
        let states: Vec<(&Sum, &str)> = published.iter().map(|sum| (sum, state(sum))).collect();
        let wrong = states.iter().filter(|(_, state)| *state != "same").count();
        let lines: Vec<serde_json::Value> = states
            .iter()
            .map(|(sum, state)| serde_json::json!({ "file": sum.file, "state": state }))
            .collect();
        let answer = serde_json::json!({ "compared": states.len(), "wrong": wrong, "files": lines });
        self.print(&answer, |out, _| {
            for (sum, state) in states.iter().filter(|(_, state)| *state != "same") {
                writeln!(out, "{LOSS}{}: {state}{LOSS:#}", harmless(&sum.file))?;
            }
            match wrong {
                0 => writeln!(out, "all {} files are as published", states.len()),
                _ => writeln!(out, "{wrong} of {} files are not as published", states.len()),
            }
        })?;
        Ok(u8::from(wrong > 0))
    }

    /// Forgets what searches found and kept, of one game or of all.
    pub(crate) fn forget(&mut self, name: &str) -> Result<u8, Failure> {
        let data = self.data();
        // A game's spec is as good as its name in the list.
        let spec = self.catalog.open(name).map(|entry| outplay_answer::table_name(&entry.spec()));
        let name = spec.unwrap_or_else(|_| name.to_string());
        let only = (!name.is_empty()).then_some(name.as_str());
        let why = |error| Trouble::unable(format!("cannot forget what is in {}: {error}", data.display()));
        let removed = clear_notes(&data, only).map_err(why)?;
        if let (Some(name), 0) = (only, removed) {
            return Err(Trouble::unable(format!(
                "nothing was kept about `{name}`; `outplay tables` lists what was"
            ))
            .into());
        }
        self.print(&serde_json::json!({ "forgotten": removed }), |out, _| {
            writeln!(out, "forgot what was kept about {removed} games")
        })
    }

    pub(crate) fn remove_table(&mut self, name: &str) -> Result<u8, Failure> {
        let data = self.data();
        let tables = outplay_answer::list(&data).map_err(Trouble::from)?;
        // A game's spec is as good as its table's name, if there is just one.
        let spec = self.catalog.open(name).map(|handle| handle.spec()).unwrap_or_default();
        let of_game = |table: &&Listed| table.table.as_ref().is_ok_and(|known| known.identity.spec == spec);
        let named = tables.iter().find(|table| table.name == name).or_else(|| tables.iter().find(of_game));
        let name = named.map_or(name, |table| &table.name).to_string();
        outplay_answer::remove(&data, &name).map_err(Trouble::from)?;
        self.print(&serde_json::json!({ "removed": name }), |out, _| writeln!(out, "removed {name}"))
    }
}

fn print_verified(out: &mut impl Write, report: &VerifyReport) -> io::Result<()> {
    let checked = grouped(report.checked);
    if report.wrong == 0 {
        writeln!(out, "{BOLD}{}{BOLD:#}: {WIN}all {checked} positions are right{WIN:#}", report.game)?;
        if let Some(bound) = report.bound {
            writeln!(out, "  no mean is further than {bound:.1e} from the exact one")?;
        }
        return match &report.unchecked {
            Some(unchecked) => writeln!(out, "  {FAINT}not checked: {unchecked}{FAINT:#}"),
            None => Ok(()),
        };
    }
    let wrong = grouped(report.wrong);
    writeln!(out, "{BOLD}{}{BOLD:#}: {LOSS}{wrong} of {checked} positions are wrong{LOSS:#}", report.game)?;
    if let Some(position) = &report.first_wrong {
        writeln!(out, "  the first is {position}")?;
    }
    if let Some(flaw) = &report.flaw {
        writeln!(out, "  {flaw}")?;
    }
    writeln!(
        out,
        "  the table cannot be trusted; remove it with `outplay tables --remove {0}` and run `outplay solve {0}`",
        report.game
    )
}

fn print_stats(out: &mut impl Write, report: &StatsReport) -> io::Result<()> {
    let view = if report.merged { "the mover" } else { "the first player" };
    writeln!(out, "{BOLD}{}{BOLD:#}: positions per tier, as {view} sees them", report.game)?;
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
    writeln!(
        out,
        "{FAINT}the table takes {}, {each:.3} bytes per position{FAINT:#}",
        bytes(report.table_bytes)
    )
}

fn print_tables(
    out: &mut impl Write,
    data: &Path,
    tables: &[Listed],
    notes: &[ListedNotes],
) -> io::Result<()> {
    if tables.is_empty() && notes.is_empty() {
        return writeln!(out, "no tables in {}; `outplay solve connect4:5x4` makes one", data.display());
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
                    "{spec}, {}: {} of {} tiers, `outplay solve {spec}` goes on",
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
            "{:<wide$}  {:>9}  {} positions found by search and kept",
            harmless(&kept.name),
            bytes(kept.bytes),
            grouped(kept.positions as u64)
        )?;
    }
    writeln!(out, "{FAINT}in {}{FAINT:#}", data.display())
}
