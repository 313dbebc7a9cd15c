//! The command line, built into the extension module: the wheel's program `outplay` calls it.

use outplay_catalog::Catalog;
use pyo3::prelude::*;
use std::ffi::OsString;
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Exit code of a program that panics, as Rust's runtime has it.
const PANICKED: u8 = 101;

/// Runs the command line `words`, which begins with the program's name, and returns its exit code.
#[pyfunction]
pub(crate) fn program(py: Python<'_>, words: Vec<OsString>) -> u8 {
    py.detach(|| {
        // The panic hook has already printed the reason.
        let code = catch_unwind(AssertUnwindSafe(|| outplay_cli::main_from(&Catalog::standard(), words)));
        // Rust flushes standard output when `main` returns, which does not happen here. A closed pipe is not an error.
        let _ = std::io::stdout().flush();
        code.unwrap_or(PANICKED)
    })
}
