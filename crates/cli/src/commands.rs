//! State of one run of the program: the catalog, the global options, the output, and helper functions of all commands.

use crate::args::{At, Common, SearchArgs};
use crate::output::in_16_colours;
use crate::progress::Progress;
use crate::terminal::styled;
use crate::usage;
use outplay_catalog::Catalog;
use outplay_core::Notation;
use outplay_workbench::{GameHandle, PositionRef, Ranks, Session, Trouble, default_data_dir};
use serde::Serialize;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Exit codes; `errors.rs` has the table.
pub(crate) const KNOWN: u8 = 0;
pub(crate) const NO: u8 = 1;
pub(crate) const BAD_INPUT: u8 = 2;
pub(crate) const UNKNOWN: u8 = 3;
pub(crate) const INTERRUPTED: u8 = 130;

/// Errors of a command.
pub(crate) enum Failure {
    Trouble(Trouble),
    Output(io::Error),
}

impl<T: Into<Trouble>> From<T> for Failure {
    fn from(trouble: T) -> Failure {
        Failure::Trouble(trouble.into())
    }
}

pub(crate) fn output_error(error: io::Error) -> Failure {
    Failure::Output(error)
}

/// Writes a file atomically.
pub(crate) fn write_file(file: &Path, text: &str) -> Result<(), Trouble> {
    Ok(outplay_files::write_output(file, text.as_bytes())?)
}

/// One run of the program: its games, its options and its output.
pub(crate) struct Run<'a, W: Write> {
    pub(crate) catalog: &'a Catalog,
    pub(crate) common: &'a Common,
    pub(crate) progress: &'a Progress,
    /// Caches shared by the commands of a run.
    pub(crate) caches: Session,
    /// The communicator, in a distributed run.
    pub(crate) crew: Option<Ranks>,
    pub(crate) out: &'a mut W,
}

impl<W: Write> Run<'_, W> {
    /// Opens a game by its spec and prints its warning, if it has one.
    pub(crate) fn open(&self, game: &str) -> Result<GameHandle, Failure> {
        let entry = self.catalog.open(game)?;
        if let Some(warning) = entry.warning() {
            let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Yellow.into()));
            let _ = writeln!(anstream::stderr(), "{style}warning{style:#}: {warning}");
        }
        if let Some(note) = self.catalog.note(game) {
            self.note(&note);
        }
        Ok(entry)
    }

    /// Opens a game whose spec may be completed by a position.
    pub(crate) fn open_at(&self, game: &str, at: &At) -> Result<GameHandle, Failure> {
        let Some(position) = &at.position else { return self.open(game) };
        let entry = self.open(&self.catalog.complete(game, position)?)?;
        if let Some(note) = entry.game().reading_note(position) {
            self.note(&note);
        }
        Ok(entry)
    }

    /// Sets and announces the time limit of a search that is likely to reach it, unless the user has set one.
    pub(crate) fn limit_search(
        &self,
        session: &mut Session,
        entry: &GameHandle,
        place: &PositionRef,
        limit: Duration,
    ) -> Result<(), Failure> {
        if session.time.is_none() && !outplay_workbench::is_tractable(session, entry, place)? {
            session.time = Some(limit);
            let seconds = limit.as_secs();
            self.note(&format!(
                "exact values may be out of reach; the search stops after {seconds} s (--time)"
            ));
        }
        Ok(())
    }

    /// Prints a remark on standard error, unless the run is quiet.
    pub(crate) fn note(&self, note: &str) {
        if !self.common.quiet {
            let _ = writeln!(anstream::stderr(), "note: {note}");
        }
    }

    /// Memory limit of a command in bytes.
    pub(crate) fn memory(&self) -> u64 {
        // The operating system would overcommit more than the machine has.
        self.common.memory.unwrap_or_else(|| usage::available_bytes() / 5 * 4).min(usage::total_bytes())
    }

    /// Reads a text file within the memory limit; parsing it takes several times its size.
    pub(crate) fn read_file(&self, file: &Path) -> Result<String, Trouble> {
        Ok(outplay_files::read_text(file, self.memory() / 16)?)
    }

    /// The data directory.
    pub(crate) fn data(&self) -> PathBuf {
        self.common.data.clone().unwrap_or_else(default_data_dir)
    }

    /// Builds the session of a command: memory, threads, time and the data directory.
    pub(crate) fn session(&self, effort: Option<&SearchArgs>) -> Session {
        let mut session = self.caches.clone();
        session.memory = self.memory();
        session.hash = self.hash(effort.and_then(|effort| effort.hash));
        session.threads = rayon::current_num_threads();
        session.time = effort.and_then(|effort| effort.time).map(Duration::from_secs_f64);
        session.data = Some(self.data());
        session.recall = true;
        session.keep = !self.common.no_save;
        session.book = effort.and_then(|effort| effort.book.clone());
        session
    }

    /// Bytes of a search's transposition table, within the memory limit.
    pub(crate) fn hash(&self, asked: Option<u64>) -> u64 {
        asked.unwrap_or(1 << 30).min(self.memory() / 2)
    }

    /// Builds the session of a query about one position, with a smaller table than a solve.
    pub(crate) fn query_session(&self, effort: &SearchArgs) -> Session {
        /// Small enough to be allocated without delay.
        const MODEST: u64 = 256 << 20;
        let mut session = self.session(Some(effort));
        if effort.hash.is_none() {
            session.hash = session.hash.min(MODEST);
        }
        session
    }

    /// Prints a JSON object on one line.
    pub(crate) fn json(&mut self, value: &impl Serialize) -> Result<(), Failure> {
        // Answers have string keys and finite numbers, so serialisation cannot fail.
        let text = serde_json::to_string(value).map_err(|error| Failure::Output(error.into()))?;
        writeln!(self.out, "{text}").map_err(output_error)
    }

    /// Prints an answer as text or JSON, as requested.
    pub(crate) fn print<T: Serialize>(
        &mut self,
        answer: &T,
        text: impl FnOnce(&mut Vec<u8>, &T) -> io::Result<()>,
    ) -> Result<u8, Failure> {
        self.progress.clear();
        if self.common.json {
            self.json(answer)?;
        } else {
            let mut written = Vec::new();
            text(&mut written, answer).map_err(output_error)?;
            let mut text = styled(&String::from_utf8_lossy(&written));
            if !outplay_runtime::true_color() {
                text = in_16_colours(&text);
            }
            self.out.write_all(text.as_bytes()).map_err(output_error)?;
        }
        Ok(KNOWN)
    }
}
