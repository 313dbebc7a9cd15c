//! The program for clusters: MPI is installed where it is missing, then everything is linted, built and tested with it.

use crate::{Count, asked, run, silently};

/// The packages of Debian and its like.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// All that concerns `crates/cluster`.
const PACKAGE: [&str; 4] = ["--package", "outplay-cluster", "--features", "mpi"];

/// Installs what is missing, and runs all that concerns `crates/cluster`.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    let package = PACKAGE;
    let lints = [&["clippy"][..], &package, &["--all-targets", "--", "-D", "warnings"]].concat();
    let examples = [&["build"][..], &package, &["--examples"]].concat();
    let tests = [&["test"][..], &package].concat();
    all(&[lints, examples, tests], count)
}

/// The same and the tests that take minutes: larger games on 1 to 4 ranks, and kills in every phase.
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
            Ok(false) => return Err(format!("cargo {} failed; the lines above say where", words.join(" "))),
            Err(error) => return Err(format!("cannot run cargo: {error}")),
        }
    }
    Ok(())
}

/// Installs MPI where it is missing.
pub(crate) fn install() -> Result<(), String> {
    let works = |words: &[&str]| words.split_first().is_some_and(silently);
    let clang = || {
        std::env::var_os("LIBCLANG_PATH").is_some()
            || works(&["sh", "-c", "ldconfig -p | grep -q libclang || ls /usr/lib/llvm-*/lib/libclang*.so*"])
    };
    if works(&["mpicc", "--version"]) && works(&["mpirun", "--version"]) && clang() {
        return Ok(());
    }
    eprintln!("xtask: installing Open MPI and libclang, which the cluster's program is built with");
    let install = [&["apt-get", "install", "-y", "--no-install-recommends"][..], &PACKAGES].concat();
    // Package lists may be missing or old, so a second attempt follows after fetching them.
    if asked(&install) || (asked(&["apt-get", "update"]) && asked(&install)) {
        return Ok(());
    }
    Err(format!(
        "MPI is missing and `apt-get install {}` does not work here; install them and try again",
        PACKAGES.join(" ")
    ))
}
