//! `outplay bench`: how fast things are.

mod budgets;
mod limits;
mod signature;
mod text;

use crate::args::Bench;
use crate::commands::{Failure, Run, read_file};
use crate::usage;
use outplay_answer::{Clock, Entry, Method, SolveRequest, Trouble, Values};
use std::io::Write;
use std::path::Path;
use std::time::Duration;

impl<W: Write> Run<'_, W> {
    pub(crate) fn bench(&mut self, bench: &Bench) -> Result<u8, Failure> {
        match bench {
            Bench::Classic { game, trials, patience } => self.classic(game, *trials, *patience),
            Bench::Strong { game, trials, no_sweep } => {
                self.strong(game, *trials, !no_sweep, !self.common.no_save)
            }
            Bench::Budgets { times } => self.budgets(times),
            Bench::Limits { trials, seed } => self.limits(*trials, *seed),
            Bench::Signature => self.signature(),
            Bench::Probe { game, values } => self.probe(game, *values),
            Bench::Positions { game, file, limit, entries } => self.positions(game, file, *limit, *entries),
            Bench::Search { game, depth } => self.search_speed(game, *depth),
            Bench::Engine { game, time } => self.engine_speed(game, *time),
            Bench::Chance { game, depth, positions } => self.chance(game.as_deref(), *depth, *positions),
            Bench::Serve(args) => {
                let report = crate::serving::bench(self.catalog, self.common, args, self.progress)?;
                self.print(&report, |out, report| report.print(out))?;
                Ok(u8::from(!report.holds()))
            }
        }
    }

    fn classic(&mut self, game: &str, trials: u32, patience: f64) -> Result<u8, Failure> {
        let report = self.open(game)?.classic(trials, patience, self.progress)?;
        self.print(&report, |out, report| text::classic(out, report))
    }

    fn strong(&mut self, game: &str, trials: u32, sweep: bool, save: bool) -> Result<u8, Failure> {
        let entry = self.open(game)?;
        let mut rows = Vec::new();
        for values in [Values::Wdl, Values::Distance] {
            for method in [Method::Sweep, Method::Dense] {
                let dense = method == Method::Dense;
                if !dense && (!sweep || values == Values::Wdl) {
                    continue; // a sweep finds distances anyway
                }
                let mut request = self.request(None);
                (request.method, request.values, request.counts) = (method, values, !dense);
                rows.push(self.strong_row(&entry, &request, if dense { trials } else { 1 }, save)?);
            }
        }
        let answer = serde_json::json!({ "game": entry.spec(), "threads": rayon::current_num_threads(), "rows": rows });
        self.print(&answer, |out, _| text::strong(out, &entry.spec(), &rows))
    }

    /// Times one method: solving alone, then once more with counts and the table.
    fn strong_row(
        &mut self,
        entry: &Entry,
        request: &SolveRequest,
        trials: u32,
        save: bool,
    ) -> Result<text::StrongRow, Failure> {
        let (mut walls, mut cpus) = (Vec::new(), Vec::new());
        let mut colourings = None;
        usage::reset_peak();
        for _ in 0..trials {
            let clock = Clock::start();
            let answer = entry.solve(request, self.progress)?;
            walls.push(clock.seconds());
            cpus.push(clock.cpu_seconds());
            colourings = answer.colourings;
        }
        let peak_bytes = usage::peak_bytes();
        let mut full = request.clone();
        full.counts = true;
        let clock = Clock::start();
        let (answer, table_bytes) = if save {
            let scratch = self.data().join("bench");
            full.options.data = Some(scratch.clone());
            full.store = true;
            let answer = entry.solve(&full, self.progress)?;
            let table = answer.table.clone();
            if let Some(table) = &table {
                outplay_answer::remove(&scratch, &table.name).map_err(Trouble::from)?;
            }
            (answer, table.map(|table| table.bytes))
        } else {
            (entry.solve(&full, self.progress)?, None)
        };
        let full_seconds = clock.seconds();
        walls.sort_by(f64::total_cmp);
        cpus.sort_by(f64::total_cmp);
        let legal = answer.positions.map_or(0, |counts| counts.legal);
        Ok(text::StrongRow {
            method: request.method.word(),
            values: request.values.to_string(),
            value: answer.answer.verdict(),
            seconds: walls[walls.len() / 2],
            cpu_seconds: cpus[cpus.len() / 2],
            colourings_per_second: colourings.map(|count| count / walls[walls.len() / 2]),
            legal,
            cpu_ns_per_position: cpus[cpus.len() / 2] * 1e9 / legal.max(1) as f64,
            peak_bytes,
            table_bytes,
            table_bytes_per_position: table_bytes.map(|bytes| bytes as f64 / legal.max(1) as f64),
            seconds_with_counts_and_table: full_seconds,
        })
    }

    fn probe(&mut self, game: &str, values: Option<Values>) -> Result<u8, Failure> {
        /// Time for choosing positions.
        const PATIENCE: f64 = 30.0;
        let report = self.open(game)?.probes(&self.data(), values, PATIENCE, self.progress)?;
        self.print(&report, |out, report| text::probe(out, report))
    }

    fn positions(&mut self, game: &str, file: &Path, limit: usize, entries: u64) -> Result<u8, Failure> {
        /// Bytes of an entry.
        const ENTRY: u64 = 8;
        let lines = read_file(file)?;
        let entry = self.open(game)?;
        let hash = entries.saturating_mul(ENTRY);
        let mut options = self.request(None).options;
        (options.hash, options.threads) = (hash, self.common.threads().unwrap_or(1));
        let report = entry.positions(&lines, &options, limit, self.progress)?;
        self.print(&report, |out, report| text::positions(out, report))?;
        Ok(u8::from(report.wrong > 0))
    }

    fn chance(&mut self, game: Option<&str>, depth: Option<u32>, positions: u32) -> Result<u8, Failure> {
        /// Games and depths at which the textbook method takes a second or so.
        const SET: [(&str, u32); 4] =
            [("einstein:3x3", 14), ("einstein:4x4", 10), ("einstein:5x5", 6), ("hypergammon", 4)];
        let set: Vec<(&str, u32)> = match game {
            Some(game) => vec![(game, depth.unwrap_or(6))],
            None => SET.to_vec(),
        };
        let mut reports = Vec::new();
        for (game, depth) in set {
            reports.push(self.open(game)?.chance_speed(depth, positions, self.progress)?);
        }
        let sum = |row: usize| reports.iter().map(|report| report.rows[row].leaves).sum::<u64>();
        let star2_leaves = sum(2) as f64 / sum(0).max(1) as f64;
        let json = serde_json::json!({ "games": reports, "star2_leaves": star2_leaves });
        self.print(&json, |out, _| text::chance(out, &reports, star2_leaves))
    }

    fn engine_speed(&mut self, game: &str, time: f64) -> Result<u8, Failure> {
        let mut options = self.request(None).options;
        options.threads = self.common.threads.map_or(1, usize::from);
        let report = self.open(game)?.engine_speed(Duration::from_secs_f64(time), &options, self.progress)?;
        self.print(&report, |out, report| text::engine(out, report))
    }

    fn search_speed(&mut self, game: &str, depth: u32) -> Result<u8, Failure> {
        let report = self.open(game)?.search_speed(depth, self.progress)?;
        self.print(&report, |out, report| text::search_speed(out, report))
    }
}
