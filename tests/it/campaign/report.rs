//! The table of a campaign: a row for each kind of file or input, with counts of tries and of each kind of failure.

use std::fmt::Write;

/// Failures of one row that are printed in full; further ones are only counted.
const PRINTED: usize = 5;

/// The ways in which a try can fail.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Failure {
    /// An answer that differs from the known one, damaged bytes that are believed, or an error without a sentence.
    Wrong,
    /// A panic, an abort or an exit code outside the contract.
    Panic,
    /// No end within the limit.
    Hang,
    /// A file that is missing, cut off or left behind afterwards, or a command that no longer works.
    Lost,
}

/// One row: what was tried on one kind of file or input.
#[derive(Debug)]
pub(crate) struct Row {
    kind: String,
    done: &'static str,
    tries: u64,
    counts: [u64; 4],
    failures: Vec<String>,
}

impl Row {
    pub(crate) fn new(kind: impl Into<String>, done: &'static str) -> Row {
        Row { kind: kind.into(), done, tries: 0, counts: [0; 4], failures: Vec::new() }
    }

    pub(crate) fn tried(&mut self, tries: usize) {
        self.tries += tries as u64;
    }

    /// Counts a failure; `how` has the input and the command that repeats it.
    pub(crate) fn fail(&mut self, failure: Failure, how: impl Into<String>) {
        self.counts[failure as usize] += 1;
        if self.failures.len() < PRINTED {
            self.failures.push(format!("{failure:?}: {}", how.into()));
        }
    }

    pub(crate) fn failed(&self) -> u64 {
        self.counts.iter().sum()
    }

    pub(crate) fn count(&self, failure: Failure) -> u64 {
        self.counts[failure as usize]
    }

    pub(crate) fn tries(&self) -> u64 {
        self.tries
    }
}

/// The table in Markdown, with the sum of each column below.
pub(crate) fn table(rows: &[Row], command: &str, seed: u64) -> String {
    let mut text = format!("`{command}`, seed {seed}:\n\n");
    text += "| kind | what was done | tries | wrong answers | panics | hangs | lost files |\n";
    text += "|---|---|---:|---:|---:|---:|---:|\n";
    let mut line = |kind: &str, done: &str, tries: u64, [wrong, panics, hangs, lost]: [u64; 4]| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "| {kind} | {done} | {tries} | {wrong} | {panics} | {hangs} | {lost} |");
    };
    let mut sums = [0; 4];
    for row in rows {
        line(&row.kind, row.done, row.tries, row.counts);
        sums.iter_mut().zip(row.counts).for_each(|(sum, count)| *sum += count);
    }
    line("**all**", "", rows.iter().map(Row::tries).sum(), sums);
    text
}

/// The failures of all rows, with how to repeat each.
pub(crate) fn failures(rows: &[Row]) -> String {
    let mut text = String::new();
    for row in rows.iter().filter(|row| row.failed() > 0) {
        let _ = writeln!(text, "{}, {}: {} failures", row.kind, row.done, row.failed());
        row.failures.iter().for_each(|failure| {
            let _ = writeln!(text, "  {failure}");
        });
    }
    text
}
