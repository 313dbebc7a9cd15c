//! The text of `outplay --version`: version, commit and features.
//!
//! The commit comes from the variable `OUTPLAY_COMMIT`, else from the file that `cargo package` puts into an archive,
//! else from git. Debug builds do not name it, so that a commit never rebuilds the program between two test runs.

use std::env;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// Cargo features that `--version` lists.
const FEATURES: [(&str, &str); 3] = [
    ("CARGO_FEATURE_EXPERIMENTS", "experiments"),
    ("CARGO_FEATURE_PLAY", "play"),
    ("CARGO_FEATURE_SERVE", "serve"),
];

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-env-changed=OUTPLAY_COMMIT");
    let set = |name: &str| env::var(name).ok().filter(|value| !value.is_empty());
    let folder = PathBuf::from(set("CARGO_MANIFEST_DIR").unwrap_or_default());
    let release = set("PROFILE").is_some_and(|profile| profile == "release");
    let commit = set("OUTPLAY_COMMIT")
        .or_else(|| packaged_commit(&folder))
        .or_else(|| release.then(|| git_commit(&folder)).flatten());
    let unknown = if release { "unknown commit" } else { "debug build" };
    let commit = commit.map_or(unknown.to_string(), |commit| commit.chars().take(10).collect());
    let features: Vec<&str> =
        FEATURES.iter().filter(|(variable, _)| set(variable).is_some()).map(|(_, name)| *name).collect();
    let features = if features.is_empty() { "no features".to_string() } else { features.join(", ") };
    println!("cargo::rustc-env=OUTPLAY_VERSION={} ({commit}; {features})", env!("CARGO_PKG_VERSION"));
}

/// The commit in `.cargo_vcs_info.json`: `{"git":{"sha1":"…"},…}`.
fn packaged_commit(folder: &Path) -> Option<String> {
    let text = fs::read_to_string(folder.join(".cargo_vcs_info.json")).ok()?;
    let (_, rest) = text.split_once("\"sha1\"")?;
    rest.split('"').nth(1).map(str::to_string)
}

/// The commit that is checked out, if this crate lies in its own repository and not in another project's.
fn git_commit(folder: &Path) -> Option<String> {
    let git = |words: &[&str]| {
        let output = Command::new("git").args(words).current_dir(folder).output().ok()?;
        let text = String::from_utf8(output.stdout).ok()?;
        output.status.success().then(|| text.trim().to_string())
    };
    if git(&["rev-parse", "--show-prefix"])? != "crates/cli/" {
        return None;
    }
    // The reflog changes with every commit and every checkout.
    println!(
        "cargo::rerun-if-changed={}",
        folder.join(git(&["rev-parse", "--git-path", "logs/HEAD"])?).display()
    );
    git(&["rev-parse", "HEAD"])
}
