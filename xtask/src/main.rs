//! The project's chores: `cargo xtask test`.

use std::process::{Command, ExitCode};

/// What `cargo xtask test` runs, in order: cheap checks first.
const STEPS: &[(&str, &[&str])] = &[
    ("formatting", &["fmt", "--all", "--check"]),
    ("lints", &["clippy", "--workspace", "--all-targets", "--", "-D", "warnings"]),
    ("documentation", &["doc", "--workspace", "--no-deps"]),
    ("tests", &["test", "--workspace"]),
];

/// What `--slow` adds: heavy tests that are ignored otherwise, in an optimised build.
const SLOW: (&str, &[&str]) = ("slow tests", &["test", "--workspace", "--release", "--", "--ignored"]);

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let words: Vec<&str> = args.iter().map(String::as_str).collect();
    let steps = match words[..] {
        ["test"] => STEPS.to_vec(),
        ["test", "--slow"] => [STEPS, &[SLOW]].concat(),
        _ => {
            eprintln!(
                "usage: cargo xtask test [--slow]\n\n  test    formats, lints, docs and all tests\n  --slow  and the heavy tests (minutes to an hour)"
            );
            return ExitCode::from(2);
        }
    };
    for (name, arguments) in steps {
        eprintln!("xtask: {name}: cargo {}", arguments.join(" "));
        let status = Command::new(env!("CARGO")).args(arguments).env("RUSTDOCFLAGS", "-D warnings").status();
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
