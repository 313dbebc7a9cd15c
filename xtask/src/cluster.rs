//! `cargo xtask cluster`: lints, builds and tests `crates/cluster` with MPI.

use crate::count::Count;
use crate::steps::run;

/// Cargo arguments that select `crates/cluster` with MPI.
const PACKAGE: [&str; 4] = ["--package", "outplay-cluster", "--features", "mpi"];

/// Lints, builds and tests `crates/cluster`.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    let package = PACKAGE;
    let lints = [&["clippy"][..], &package, &["--all-targets", "--", "-D", "warnings"]].concat();
    let examples = [&["build"][..], &package, &["--examples"]].concat();
    let tests = [&["test"][..], &package].concat();
    all(&[lints, examples, tests], count)
}

/// Runs `test` and the tests that take minutes: larger games on 1 to 4 ranks, and kills in every phase.
pub(crate) fn slow(count: &mut Count) -> Result<(), String> {
    test(count)?;
    let examples = [&["build", "--release"][..], &PACKAGE, &["--examples"]].concat();
    let tests = [&["test", "--release"][..], &PACKAGE, &["--test", "it", "--", "--ignored"]].concat();
    all(&[examples, tests], count)
}

fn all(steps: &[Vec<&str>], count: &mut Count) -> Result<(), String> {
    for words in steps {
        eprintln!("xtask: cluster: cargo {}", words.join(" "));
        match run(words, count) {
            Ok(true) => {}
            Ok(false) => return Err(format!("cargo {} failed; see the output above", words.join(" "))),
            Err(error) => return Err(format!("cannot run cargo: {error}")),
        }
    }
    Ok(())
}
