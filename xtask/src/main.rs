//! The program `cargo xtask`: chores of the project, such as tests, packages and checks. `cargo xtask` without
//! arguments lists them.

#[cfg(test)]
mod architecture;
mod book;
mod cluster;
mod count;
mod dist;
mod experiments;
mod fuzz;
mod help;
mod install;
mod licences;
#[cfg(test)]
mod links;
mod metrics;
mod msrv;
mod page;
mod puzzles;
mod python;
mod steps;

use count::Count;
use std::io::{BufRead, BufReader};
use std::process::{Command, ExitCode, Stdio};
use std::time::Instant;

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let mut words: Vec<&str> = args.iter().map(String::as_str).collect();
    // Only chores that install something accept it.
    let installs =
        matches!(words.first(), Some(&("test" | "screens" | "cluster" | "python" | "page" | "dist")));
    let install = !(installs && words.contains(&"--no-install"));
    words.retain(|word| install || *word != "--no-install");
    let mut count = Count::default();
    let Some(done) = run(&words, install, &mut count) else {
        eprint!("{}", help::text());
        return ExitCode::from(2);
    };
    if done.is_ok() && words[0] == "test" {
        eprintln!("xtask: all is well");
    }
    count.print();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(sentence) => {
            eprintln!("xtask: {sentence}");
            ExitCode::FAILURE
        }
    }
}

/// Runs a chore; none if there is no such chore. Missing tools are installed if `install` allows it.
fn run(words: &[&str], install: bool, count: &mut Count) -> Option<Result<(), String>> {
    Some(match words {
        ["test"] => steps::test(false, install, count),
        ["test", "--slow"] => steps::test(true, install, count),
        ["test", "--quick"] => steps::quick(install, count),
        ["test", "--msrv"] => install::ensure(&[install::OLDEST_RUST], install).and_then(|()| msrv::test()),
        ["dist"] => dist::build(install),
        ["dist", "--test"] => dist::test(install),
        ["screens"] => steps::screens(install, count),
        ["cluster"] => {
            install::ensure(&[install::CLIPPY, install::MPI], install).and_then(|()| cluster::test(count))
        }
        ["cluster", "--slow"] => {
            install::ensure(&[install::CLIPPY, install::MPI], install).and_then(|()| cluster::slow(count))
        }
        ["python"] => install::ensure(&[install::PYTHON, install::PYTHON_PACKAGES], install)
            .and_then(|()| python::test(count)),
        ["page"] => {
            install::ensure(&[install::NODE, install::NPM_PACKAGES], install).and_then(|()| page::test(count))
        }
        ["book"] => book::build(),
        ["metrics"] => metrics::run(false),
        ["metrics", "--json"] => metrics::run(true),
        ["fuzz", rest @ ..] => return run_fuzz(rest),
        ["puzzles", names @ ..] if are_names(names) => puzzles::run(names),
        ["experiments", names @ ..] if are_names(names) => experiments::run(names),
        _ => return None,
    })
}

/// Runs `cargo xtask fuzz` with these options; none if they are wrong.
fn run_fuzz(words: &[&str]) -> Option<Result<(), String>> {
    let is_positive = |word: &str| word.parse::<f64>().is_ok_and(|number| number > 0.0);
    Some(match words {
        [] => fuzz::blind("10"),
        ["--seconds", seconds] if is_positive(seconds) => fuzz::blind(seconds),
        ["--campaign"] => fuzz::campaign("1"),
        ["--campaign", "--scale", scale] if is_positive(scale) => fuzz::campaign(scale),
        ["--keep"] => fuzz::keep(),
        ["--guided", "--seconds", seconds, names @ ..] if are_names(names) => {
            fuzz::guided(seconds.parse().ok().filter(|seconds| *seconds > 0)?, names)
        }
        ["--guided", names @ ..] if are_names(names) => fuzz::guided(10, names),
        _ => return None,
    })
}

/// Whether these are names and no options.
fn are_names(words: &[&str]) -> bool {
    !words.iter().any(|word| word.starts_with('-'))
}

/// Prints how long a step took.
fn took(name: &str, start: Instant) {
    let seconds = start.elapsed().as_secs();
    eprintln!("xtask: {name} took {}:{:02}", seconds / 60, seconds % 60);
}

/// Runs a tool that must succeed.
pub(crate) fn run_tool(what: &str, command: &mut Command) -> Result<(), String> {
    eprintln!("xtask: {what}: {command:?}");
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(_) => Err(format!("{what} failed; the lines above say where")),
        Err(error) => Err(format!("cannot run {what}: {error}")),
    }
}

/// Runs a test runner that must succeed, and counts its tests line by line.
pub(crate) fn run_tests(
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
