//! The program for clusters: MPI is installed where it is missing, then everything is linted, built and tested with it.

use crate::{Count, asked, run, silently};

/// The packages of Debian and its like.
const PACKAGES: [&str; 3] = ["libopenmpi-dev", "openmpi-bin", "libclang-dev"];

/// Installs what is missing, and runs all that concerns `crates/cluster`.
pub(crate) fn test(count: &mut Count) -> Result<(), String> {
    install()?;
    let package = ["--package", "outplay-cluster", "--features", "mpi"];
    let lints = [&["clippy"][..], &package, &["--all-targets", "--", "-D", "warnings"]].concat();
    let example = [&["build"][..], &package, &["--example", "chase-mpi"]].concat();
    let tests = [&["test"][..], &package].concat();
    for words in [lints, example, tests] {
        eprintln!("xtask: cluster: cargo {}", words.join(" "));
        match run(&words, count) {
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
