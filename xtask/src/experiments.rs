//! `cargo xtask experiments`: runs the experiments of docs/experiments.md and records their figures and plots.
//!
//! ```text
//!   docs/experiments/NAME.txt   figures: the output of the command
//!   docs/experiments/NAME.svg   plots, if there are any
//! ```

use std::fs;
use std::process::Command;
use std::time::Instant;

/// Options of experiments that do not run with their defaults: more repetitions where the documentation draws
/// conclusions from them, and all boards where that takes a minute. The total must stay within 40 minutes on two cores.
const FLAGS: [(&str, &[&str]); 8] = [
    ("filtering", &["--full"]),
    ("league", &["--runs", "3"]),
    ("connect4-ga", &["--runs", "12"]),
    ("helpful-vs-minimax", &["--runs", "3"]),
    ("visibility", &["--runs", "3"]),
    ("obstacle-map", &["--full"]),
    ("slippery", &["--full"]),
    ("horizon", &["--runs", "5"]),
];

/// Directory of figures and plots.
const FOLDER: &str = "docs/experiments";

/// Runs all experiments, or the named ones.
pub(crate) fn run(named: &[&str]) -> Result<(), String> {
    let built = Command::new(env!("CARGO")).args(["build", "--release", "--bin", "outplay"]).status();
    if !built.is_ok_and(|status| status.success()) {
        return Err("the program does not build; see the output above".into());
    }
    let program = format!("{}/release/outplay", target());
    let listed = Command::new(&program).arg("experiment").output();
    let listed = listed.map_err(|error| format!("cannot run {program}: {error}"))?.stdout;
    let listed = String::from_utf8_lossy(&listed).into_owned();
    let names: Vec<&str> = names(&listed).collect();
    if let Some(unknown) = named.iter().find(|name| !names.contains(name)) {
        return Err(format!("unknown experiment `{unknown}`; the experiments are {}", names.join(", ")));
    }
    fs::create_dir_all(FOLDER).map_err(|error| format!("{FOLDER}: {error}"))?;
    let began = Instant::now();
    let mut failed = Vec::new();
    for name in names.into_iter().filter(|name| named.is_empty() || named.contains(name)) {
        let flags = FLAGS.iter().find(|(known, _)| *known == name).map_or(&[][..], |(_, flags)| flags);
        eprintln!("xtask: outplay experiment {name} {}", flags.join(" "));
        let start = Instant::now();
        let output = Command::new(&program)
            .args(["experiment", name, "--svg", &format!("{FOLDER}/{name}.svg")])
            .args(flags)
            .output()
            .map_err(|error| format!("cannot run {program}: {error}"))?;
        let text = String::from_utf8_lossy(&output.stdout);
        let file = format!("{FOLDER}/{name}.txt");
        let head = format!("$ {}\n\n", ["outplay experiment", name, &flags.join(" ")].join(" ").trim_end());
        fs::write(&file, head + &text).map_err(|error| format!("{file}: {error}"))?;
        super::took(name, start);
        if !output.status.success() {
            eprint!("{}", String::from_utf8_lossy(&output.stderr));
            failed.push(name.to_string());
        }
    }
    super::took("all experiments", began);
    match failed.is_empty() {
        true => Ok(()),
        false => Err(format!(
            "{} did not reproduce the expected result; see the last lines of the output in {FOLDER}",
            failed.join(" and ")
        )),
    }
}

/// The target directory of cargo.
pub(crate) fn target() -> String {
    std::env::var("CARGO_TARGET_DIR").unwrap_or_else(|_| "target".into())
}

/// The names in a list of experiments: the first word of each unindented line before the first empty line.
fn names(listed: &str) -> impl Iterator<Item = &str> {
    let heads = listed.lines().take_while(|line| !line.is_empty()).filter(|line| !line.starts_with(' '));
    heads.filter_map(|line| line.split(' ').next())
}

#[cfg(test)]
mod tests {
    #[test]
    fn names_are_found_in_the_list() {
        let listed = "dp  Is it faster?\n    yes\n    a report\nleague  Who wins?\n    both\n\nRun one.\n";
        assert_eq!(super::names(listed).collect::<Vec<_>>(), ["dp", "league"]);
    }
}
