//! `cargo xtask test --msrv`: builds the workspace with the toolchain that `rust-version` names.

use crate::install::{root, target};
use std::process::Command;

/// The toolchain's version: `rust-version` with a patch number, as rustup names it.
pub(crate) fn version() -> Result<String, String> {
    let manifest = root()?.join("Cargo.toml");
    let text =
        std::fs::read_to_string(&manifest).map_err(|error| format!("{}: {error}", manifest.display()))?;
    named(&text).ok_or_else(|| format!("{} has no rust-version", manifest.display()))
}

fn named(manifest: &str) -> Option<String> {
    let line = manifest.lines().find_map(|line| line.strip_prefix("rust-version = "))?;
    let version = line.trim_matches('"');
    Some(if version.matches('.').count() < 2 { format!("{version}.0") } else { version.to_string() })
}

/// Checks all targets and builds the program, in a target directory of their own.
pub(crate) fn test() -> Result<(), String> {
    let version = version()?;
    for (name, words) in [
        ("all targets", &["check", "--locked", "--workspace", "--all-targets"][..]),
        ("the program", &["build", "--locked", "--bin", "outplay"]),
    ] {
        let mut cargo = Command::new("rustup");
        cargo.args(["run", &version, "cargo"]).args(words).arg("--target-dir").arg(target()?.join("msrv"));
        // Cargo sets these for the toolchain that runs this program.
        for variable in ["CARGO", "RUSTC", "RUSTDOC", "RUSTUP_TOOLCHAIN"] {
            cargo.env_remove(variable);
        }
        crate::run_tool(&format!("{name} with Rust {version}"), cargo.env("CARGO_INCREMENTAL", "0"))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_oldest_toolchain_is_named_as_rustup_names_it() {
        assert_eq!(super::named("a = 1\nrust-version = \"1.90\"\n").as_deref(), Some("1.90.0"));
        assert_eq!(super::named("rust-version = \"1.90.1\"").as_deref(), Some("1.90.1"));
        assert_eq!(super::named("rust-version.workspace = true"), None);
        super::version().expect("this workspace has one");
    }
}
