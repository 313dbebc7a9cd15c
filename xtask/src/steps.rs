//! `cargo xtask test` and `cargo xtask screens`: their steps, first those of cargo, then the page's scripts and the
//! Python package.

use crate::count::Count;
use crate::install::{self, Need};
use crate::{licences, metrics, page, python, took};
use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};
use std::time::Instant;

/// A step's name and the words that cargo gets.
type Step = (&'static str, &'static [&'static str]);

/// What `cargo xtask test` runs, in order: cheap checks first. Lints have compiled the examples, so tests need not, but for
/// the one that the tests of the cluster run. What is for clusters is built along with everything else: alone, it would have
/// other features of what both use, and nearly all would be built twice.
const STEPS: &[Step] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--features", MPI, "--all-targets", "--", "-D", "warnings"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
    ("the library alone", &["check", "--no-default-features", "--lib"]),
    ("the command line alone", &["check", "--no-default-features", "--features", "cli"]),
    // Guided fuzzing is a workspace of its own that other steps do not build.
    (
        "the fuzzer's dependencies",
        &["tree", "--locked", "--depth", "0", "--manifest-path", "fuzz/Cargo.toml"],
    ),
    (
        "a game of one's own on a cluster",
        &["build", "--workspace", "--features", MPI, "--example", "hare-mpi"],
    ),
    ("tests", &["test", "--workspace", "--features", MPI, "--no-fail-fast", "--lib", "--bins", "--tests"]),
    ("examples in the documentation", &["test", "--workspace", "--no-fail-fast", "--doc"]),
];

/// The feature that needs MPI.
const MPI: &str = "outplay-cluster/mpi";

/// What `--slow` adds: heavy tests that are ignored otherwise, in an optimised build.
const SLOW: &[Step] = &[
    (
        "examples on a cluster",
        &[
            "build",
            "--workspace",
            "--features",
            MPI,
            "--release",
            "--example",
            "hare-mpi",
            "--example",
            "mortal",
        ],
    ),
    (
        "slow tests",
        &[
            "test",
            "--workspace",
            "--features",
            MPI,
            "--no-fail-fast",
            "--release",
            "--tests",
            "--",
            "--ignored",
        ],
    ),
];

/// What `cargo xtask test --quick` runs: what fails most often, in a minute when little has changed. Without MPI, because
/// a contributor's machine may lack it.
const QUICK: &[Step] = &[
    STEPS[0],
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("unit tests", &["test", "--workspace", "--no-fail-fast", "--lib", "--bins"]),
];

/// Failed tests that are retried alone; more than this are a defect, not a loaded machine.
const RETRIES: usize = 3;

/// What the library alone must not bring along.
const FOREIGN: [&str; 4] = ["axum", "clap", "ratatui-core", "tokio"];

/// What `cargo xtask screens` runs: the pictures of the page under docs/screens.
const SCREENS: &[Step] =
    &[("screenshots", &["test", "--package", "outplay", "--test", "it", "--", "--ignored", "screens::"])];

/// Everything.
pub(crate) fn test(slow: bool, install: bool, count: &mut Count) -> Result<(), String> {
    const NEEDS: &[Need] = &[
        install::RUSTFMT,
        install::CLIPPY,
        install::BROWSER,
        install::MPI,
        install::NODE,
        install::NPM_PACKAGES,
        install::PYTHON,
        install::PYTHON_PACKAGES,
    ];
    metrics::run(false)?;
    install::ensure(NEEDS, install)?;
    run_all(STEPS, count)?;
    if slow {
        run_all(SLOW, count)?;
    }
    let start = Instant::now();
    check_tree()?;
    licences::check()?;
    page::test(count)?;
    python::test(count)?;
    took("the page and Python", start);
    Ok(())
}

/// Formatting, lints and unit tests.
pub(crate) fn quick(install: bool, count: &mut Count) -> Result<(), String> {
    metrics::run(false)?;
    install::ensure(&[install::RUSTFMT, install::CLIPPY], install)?;
    run_all(QUICK, count)
}

/// The pictures of the page.
pub(crate) fn screens(install: bool, count: &mut Count) -> Result<(), String> {
    install::ensure(&[install::BROWSER], install)?;
    run_all(SCREENS, count)
}

fn run_all(steps: &[Step], count: &mut Count) -> Result<(), String> {
    for (name, words) in steps {
        eprintln!("xtask: {name}: cargo {}", words.join(" "));
        let start = Instant::now();
        let done = run(words, count).and_then(|ok| Ok(ok || retry(words, count)?));
        match done {
            Ok(true) => took(name, start),
            Ok(false) => return Err(format!("{name} failed; see the output above")),
            Err(error) => return Err(format!("cannot run cargo: {error}")),
        }
    }
    Ok(())
}

/// Runs cargo, shows what it prints, and counts tests. Whether it succeeded.
pub(crate) fn run(words: &[&str], count: &mut Count) -> std::io::Result<bool> {
    let mut child = Command::new(env!("CARGO"))
        .args(words)
        .env("RUSTDOCFLAGS", "-D warnings")
        .env("OUTPLAY_BROWSER", "required")
        .stdout(Stdio::piped())
        .spawn()?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).split(b'\n') {
            let line = line?;
            let line = String::from_utf8_lossy(&line);
            println!("{line}");
            count.add(&line);
        }
    }
    Ok(child.wait()?.success())
}

/// Retries up to [`RETRIES`] failed tests, each alone: many tests measure time, and a busy machine delays them. The
/// output lists them and the closing line counts them.
fn retry(words: &[&str], count: &mut Count) -> std::io::Result<bool> {
    let names = std::mem::take(&mut count.names);
    if names.is_empty() || names.len() > RETRIES || words.contains(&"--") {
        return Ok(false);
    }
    eprintln!("xtask: retrying alone: {}", names.join(", "));
    let mut alone = Count::default();
    let mut order = [words, &["--", "--exact", "--test-threads", "1"]].concat();
    order.extend(names.iter().map(String::as_str));
    let tests = names.len() as u64;
    // Two packages may have a test of one name.
    let holds = run(&order, &mut alone)? && alone.passed >= tests;
    if holds {
        count.failed -= tests;
        count.passed += tests;
        count.late += tests;
        eprintln!(
            "xtask: flaky: {} failed beside other tests and passed alone; fix the race",
            names.join(", ")
        );
    }
    Ok(holds)
}

/// Whether the library alone is free of what only the program needs.
fn check_tree() -> Result<(), String> {
    let words =
        ["tree", "--no-default-features", "--edges", "normal", "--prefix", "none", "--format", "{lib}"];
    let output = Command::new(env!("CARGO")).args(words).output();
    let output = output.map_err(|error| format!("cannot run cargo: {error}"))?;
    let tree = String::from_utf8_lossy(&output.stdout);
    if !output.status.success() || !tree.lines().any(|name| name == "outplay") {
        return Err(format!("cargo {} failed: {}", words.join(" "), String::from_utf8_lossy(&output.stderr)));
    }
    match FOREIGN.iter().find(|foreign| tree.lines().any(|name| name == **foreign)) {
        Some(foreign) => Err(format!(
            "the library alone depends on {foreign}; `cargo tree --no-default-features -i {foreign}` says why"
        )),
        None => Ok(()),
    }
}
