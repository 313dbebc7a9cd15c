//! The project's chores: `cargo xtask test`, `cargo xtask cluster`, `cargo xtask python`, `cargo xtask page`,
//! `cargo xtask book`, `cargo xtask fuzz`, `cargo xtask screens`, `cargo xtask experiments`, `cargo xtask metrics` and
//! `cargo xtask puzzles`.

#[cfg(test)]
mod architecture;
mod book;
mod cluster;
mod experiments;
mod fuzz;
mod licences;
#[cfg(test)]
mod links;
mod metrics;
mod page;
mod puzzles;
mod python;

use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
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
    // Guided fuzzing is a workspace of its own; nobody builds it every day.
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

/// Failed tests that are retried alone; more than this are a defect, not a loaded machine.
const RETRIES: usize = 3;

/// What the library alone must not bring along.
const FOREIGN: [&str; 4] = ["axum", "clap", "ratatui-core", "tokio"];

/// What `cargo xtask screens` runs: the pictures of the page under docs/screens.
const SCREENS: &[Step] =
    &[("screenshots", &["test", "--package", "outplay", "--test", "it", "--", "--ignored", "screens::"])];

/// Names under which distributions install the browser that the page is tested in.
const BROWSERS: [&str; 4] = ["chromium", "chromium-browser", "google-chrome", "google-chrome-stable"];

/// Parts of the toolchain that a minimal installation lacks.
const COMPONENTS: &[(&str, &str)] = &[("fmt", "rustfmt"), ("clippy", "clippy")];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let steps = match words[..] {
        ["test"] => STEPS.to_vec(),
        ["test", "--slow"] => [STEPS, SLOW].concat(),
        ["screens"] => SCREENS.to_vec(),
        ["cluster"] => return only(cluster::test),
        ["cluster", "--slow"] => return only(cluster::slow),
        ["python"] => return only(python::test),
        ["metrics"] => return said(metrics::run(false)),
        ["metrics", "--json"] => return said(metrics::run(true)),
        ["page"] => return only(page::test),
        ["book"] => return said(book::build()),
        ["fuzz"] => return said(fuzz::blind("10")),
        ["fuzz", "--campaign"] => return said(fuzz::campaign("1")),
        ["fuzz", "--campaign", "--scale", scale] if scale.parse::<f64>().is_ok_and(|scale| scale > 0.0) => {
            return said(fuzz::campaign(scale));
        }
        ["fuzz", "--keep"] => return said(fuzz::keep()),
        ["fuzz", "--guided", ref names @ ..] if are_names(names) => return said(fuzz::guided(10, names)),
        ["fuzz", "--guided", "--seconds", seconds, ref names @ ..]
            if seconds.parse::<u64>().is_ok_and(|seconds| seconds > 0) && are_names(names) =>
        {
            return said(fuzz::guided(seconds.parse().unwrap_or(10), names));
        }
        ["fuzz", "--seconds", seconds] if seconds.parse::<f64>().is_ok_and(|seconds| seconds > 0.0) => {
            return said(fuzz::blind(seconds));
        }
        ["puzzles", ref names @ ..] if are_names(names) => return said(puzzles::run(names)),
        ["experiments", ref names @ ..] if are_names(names) => return said(experiments::run(names)),
        _ => {
            eprintln!(
                "usage: cargo xtask test [--slow] | cluster [--slow] | python | page | book | metrics [--json] | fuzz [--seconds N] | fuzz --campaign [--scale X] | fuzz --guided [--seconds N] [NAME]... | fuzz --keep | screens | experiments [NAME]... | puzzles [GAME]..."
            );
            eprintln!(
                "\n  test    formatting, lints, documentation and all tests, those of Python and of the page's\n          scripts too; Chromium and node are installed where missing"
            );
            eprintln!("  --slow  and the heavy tests (minutes to an hour)");
            eprintln!(
                "  cluster the tests of the program for clusters alone; MPI is installed where missing"
            );
            eprintln!("  python  the tests of the Python package alone");
            eprintln!("  metrics counts of the source tree, held against their limits");
            eprintln!(
                "  page    the page's scripts alone: formatting, lints, types and unit tests, under node"
            );
            eprintln!("  book    the documentation site in target/book; mdBook is installed where missing");
            eprintln!("  fuzz    mutated inputs of every kind, 10 seconds for each unless told");
            eprintln!(
                "  --campaign  files of every kind under kills, damage and failing disks, malformed inputs, forged\n              proofs and HTTP requests: prints one table (twenty minutes; --scale 0.1 for a tenth)"
            );
            eprintln!("  --guided  the same under libFuzzer, which looks for inputs that reach new code");
            eprintln!("  --keep    puts a small part of what that found into tests/corpus/guided");
            eprintln!("  screens the pictures of the page under docs/screens");
            eprintln!(
                "  experiments  the figures and pictures under docs/experiments, all or those named (half an hour)"
            );
            eprintln!(
                "  puzzles the sets of puzzles that the page has ready, all or those of the games named (minutes)"
            );
            return ExitCode::from(2);
        }
    };
    if words[0] == "test"
        && let Err(sentence) = metrics::run(false)
    {
        return said(Err(sentence));
    }
    let installed = install_components().and_then(|()| install_browser());
    let installed = if words[0] == "test" { installed.and_then(|()| cluster::install()) } else { installed };
    if let Err(sentence) = installed {
        eprintln!("xtask: {sentence}");
        return ExitCode::FAILURE;
    }
    let mut count = Count::default();
    for (name, words) in steps {
        eprintln!("xtask: {name}: cargo {}", words.join(" "));
        let start = Instant::now();
        let done = run(words, &mut count).and_then(|ok| Ok(ok || retry(words, &mut count)?));
        match done {
            Ok(true) => took(name, start),
            Ok(false) => {
                eprintln!("xtask: {name} failed; the lines above say where");
                count.print();
                return ExitCode::FAILURE;
            }
            Err(error) => {
                eprintln!("xtask: cannot run cargo: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    let start = Instant::now();
    if words[0] == "test"
        && let Err(sentence) = check_tree()
            .and_then(|()| licences::check())
            .and_then(|()| page::test(&mut count))
            .and_then(|()| python::test(&mut count))
    {
        eprintln!("xtask: {sentence}");
        count.print();
        return ExitCode::FAILURE;
    }
    if words[0] == "test" {
        took("the page and Python", start);
    }
    eprintln!("xtask: all is well");
    count.print();
    ExitCode::SUCCESS
}

/// Whether these are names and no options.
fn are_names(words: &[&str]) -> bool {
    !words.iter().any(|word| word.starts_with('-'))
}

/// How a chore went, in a sentence if not well.
fn said(done: Result<(), String>) -> ExitCode {
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("xtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// A part of the tests alone.
fn only(test: fn(&mut Count) -> Result<(), String>) -> ExitCode {
    let mut count = Count::default();
    let done = test(&mut count);
    count.print();
    said(done)
}

/// Says how long a step took, so that whoever looks for time finds it.
fn took(name: &str, start: Instant) {
    let seconds = start.elapsed().as_secs();
    eprintln!("xtask: {name} took {}:{:02}", seconds / 60, seconds % 60);
}

/// Tests of all programs together.
#[derive(Default)]
struct Count {
    passed: u64,
    failed: u64,
    ignored: u64,
    /// Names of the tests that failed in the step under way.
    names: Vec<String>,
    /// How many held only at the second try.
    late: u64,
}

impl Count {
    /// Adds what a line such as `test result: ok. 3 passed; 0 failed; 1 ignored; …` says, and the name in one such as
    /// `test serve::pages ... FAILED`.
    fn add(&mut self, line: &str) {
        if let Some(name) = line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... FAILED")) {
            self.names.push(name.to_string());
        }
        let Some((_, figures)) = line.strip_prefix("test result: ").and_then(|rest| rest.split_once(". "))
        else {
            return;
        };
        for figure in figures.split("; ") {
            match figure.split_once(' ') {
                Some((number, "passed")) => self.passed += number.parse().unwrap_or(0),
                Some((number, "failed")) => self.failed += number.parse().unwrap_or(0),
                Some((number, "ignored")) => self.ignored += number.parse().unwrap_or(0),
                _ => {}
            }
        }
    }

    /// Adds what pytest's last line says, such as `3 failed, 97 passed, 1 skipped in 45.12s`.
    fn add_pytest(&mut self, line: &str) {
        let Some((figures, _)) = line.trim_matches(['=', ' ']).rsplit_once(" in ") else { return };
        let figures: Vec<_> = figures.split(", ").filter_map(|figure| figure.split_once(' ')).collect();
        for (number, word) in figures {
            let Ok(number) = number.parse::<u64>() else { return };
            match word {
                "passed" => self.passed += number,
                "failed" | "error" | "errors" => self.failed += number,
                "skipped" => self.ignored += number,
                _ => {}
            }
        }
    }

    /// Adds what one of the last lines of node's tests says, such as `ℹ pass 54`.
    fn add_node(&mut self, line: &str) {
        let figure = line.strip_prefix("ℹ ").and_then(|rest| rest.split_once(' '));
        let Some((word, Ok(number))) = figure.map(|(word, number)| (word, number.parse::<u64>())) else {
            return;
        };
        match word {
            "pass" => self.passed += number,
            "fail" | "cancelled" => self.failed += number,
            "skipped" | "todo" => self.ignored += number,
            _ => {}
        }
    }

    /// The closing line.
    fn print(&self) {
        if self.passed + self.failed > 0 {
            let late =
                if self.late > 0 { format!(", {} at the second try", self.late) } else { String::new() };
            println!("{} passed, {} failed, {} ignored{late}", self.passed, self.failed, self.ignored);
        }
    }
}

/// Runs a tool that must succeed.
fn run_tool(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("xtask: {what}: {command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{what} failed; the lines above say where")),
        Err(error) => Err(format!("cannot run {what}: {error}")),
    }
}

/// Runs a test runner that must succeed, and counts its tests line by line.
fn run_tests(
    what: &str,
    command: &mut Command,
    count: &mut Count,
    add: fn(&mut Count, &str),
) -> Result<(), String> {
    eprintln!("xtask: {what}: {command:?}");
    let child = command.stdout(Stdio::piped()).spawn();
    let mut child = child.map_err(|error| format!("cannot run {what}: {error}"))?;
    if let Some(stdout) = child.stdout.take() {
        for line in BufReader::new(stdout).lines().map_while(Result::ok) {
            println!("{line}");
            add(count, &line);
        }
    }
    match child.wait() {
        Ok(status) if status.success() => Ok(()),
        _ => Err(format!("{what} failed; the lines above say where")),
    }
}

/// Runs cargo, shows what it prints, and counts tests. Whether it succeeded.
fn run(words: &[&str], count: &mut Count) -> std::io::Result<bool> {
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

/// Adds the parts of the toolchain that are missing.
fn install_components() -> Result<(), String> {
    let works = |command: &mut Command| {
        command.stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok_and(|status| status.success())
    };
    for (command, component) in COMPONENTS {
        if works(Command::new(env!("CARGO")).args([command, "--version"])) {
            continue;
        }
        eprintln!("xtask: adding {component} to the toolchain");
        if !works(Command::new("rustup").args(["component", "add", component])) {
            return Err(format!(
                "`cargo {command}` is missing and rustup cannot add it; install {component} and try again"
            ));
        }
    }
    Ok(())
}

/// Whether a command works, as an administrator or as whoever runs this. Nothing is shown.
fn asked(words: &[&str]) -> bool {
    [&["sudo", "-n"], words].concat().split_first().is_some_and(silently)
        || words.split_first().is_some_and(silently)
}

fn silently((program, words): (&&str, &[&str])) -> bool {
    let mut command = Command::new(program);
    command.args(words).stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    command.status().is_ok_and(|status| status.success())
}

/// Installs the browser in which the page is tested, where it is missing: Debian and its like only.
fn install_browser() -> Result<(), String> {
    let works = |words: &[&str]| words.split_first().is_some_and(silently);
    let installed = || BROWSERS.iter().any(|name| works(&[name, "--version"]));
    if std::env::var_os("OUTPLAY_CHROMIUM").is_some() || installed() {
        return Ok(());
    }
    eprintln!("xtask: installing chromium, in which the page is tested");
    let install = ["apt-get", "install", "-y", "--no-install-recommends", "chromium"];
    // Package lists may be missing or old, so a second attempt follows after fetching them.
    if asked(&install) || (asked(&["apt-get", "update"]) && asked(&install)) {
        return Ok(());
    }
    Err("Chromium is missing and `apt-get install chromium` does not work here; install it, or name a \
         browser of that kind in OUTPLAY_CHROMIUM, and try again"
        .into())
}
