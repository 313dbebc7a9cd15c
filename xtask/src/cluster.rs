//! `cargo xtask cluster`: installs MPI if it is missing, then lints, builds and tests `crates/cluster` with it.

use crate::{Count, asked, run, silently};

/// Packages of Debian-based systems.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Cargo arguments that select `crates/cluster` with MPI.
const PACKAGE: [&str; 4] = ["--package", "outplay-cluster", "--features", "mpi"];

/// Installs MPI if it is missing, and lints, builds and tests `crates/cluster`.
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
    install()?;
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

/// Installs MPI if it is missing.
pub(crate) fn install() -> Result<(), String> {
    let works = |words: &[&str]| words.split_first().is_some_and(silently);
    let clang = || {
        std::env::var_os("LIBCLANG_PATH").is_some()
            || works(&["sh", "-c", "ldconfig -p | grep -q libclang || ls /usr/lib/llvm-*/lib/libclang*.so*"])
    };
    if works(&["mpicc", "--version"]) && works(&["mpirun", "--version"]) && clang() {
        return Ok(());
    }
    eprintln!("xtask: installing Open MPI and libclang to build outplay-mpi");
    let install = [&["apt-get", "install", "-y", "--no-install-recommends"][..], &PACKAGES].concat();
    // Package lists may be missing or old: retry after `apt-get update`.
    if asked(&install) || (asked(&["apt-get", "update"]) && asked(&install)) {
        return Ok(());
    }
    Err(format!(
        "MPI is missing and `apt-get install {}` does not work here; install them and try again",
        PACKAGES.join(" ")
    ))
}
