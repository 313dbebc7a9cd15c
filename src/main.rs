//! The program `outplay`.

use outplay::catalog::Catalog;
use std::process::ExitCode;

fn main() -> ExitCode {
    outplay::cli::main(&Catalog::standard())
}
