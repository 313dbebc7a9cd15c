//! The project's chores: `cargo xtask test`.

use std::process::{Command, ExitCode, Stdio};

/// A step's name and the words that cargo gets.
type Step = (&'static str, &'static [&'static str]);

/// What `cargo xtask test` runs, in order: cheap checks first.
const STEPS: &[Step] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
    ("tests", &["test", "--workspace"]),
];

/// What `--slow` adds: heavy tests that are ignored otherwise, in an optimised build.
const SLOW: Step = ("slow tests", &["test", "--workspace", "--release", "--", "--ignored"]);

/// Parts of the toolchain that a minimal installation lacks.
const COMPONENTS: &[(&str, &str)] = &[("fmt", "rustfmt"), ("clippy", "clippy")];

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let steps = match words[..] {
        ["test"] => STEPS.to_vec(),
        ["test", "--slow"] => [STEPS, &[SLOW]].concat(),
        _ => {
            eprintln!("usage: cargo xtask test [--slow]");
            eprintln!("\n  test    formatting, lints, documentation and all tests");
            eprintln!("  --slow  and the heavy tests (minutes to an hour)");
            return ExitCode::from(2);
        }
    };
    if let Err(sentence) = install_components() {
        eprintln!("xtask: {sentence}");
        return ExitCode::FAILURE;
    }
    for (name, words) in steps {
        eprintln!("xtask: {name}: cargo {}", words.join(" "));
        let status = Command::new(env!("CARGO")).args(words).env("RUSTDOCFLAGS", "-D warnings").status();
        match status {
            Ok(status) if status.success() => {}
            Ok(_) => {
                eprintln!("xtask: {name} failed; the lines above say where");
                return ExitCode::FAILURE;
            }
            Err(error) => {
                eprintln!("xtask: cannot run cargo: {error}");
                return ExitCode::FAILURE;
            }
        }
    }
    eprintln!("xtask: all is well");
    ExitCode::SUCCESS
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
