//! `cargo xtask puzzles`: generates the puzzle sets of the page.
//!
//! ```text
//!   crates/serve/puzzles/sets.jsonl   one line per puzzle, as printed by `outplay puzzle GAME --seed N --json`
//! ```
//!
//! A test of `serve` checks every line with the solvers.

use std::fs;
use std::process::Command;
use std::time::Instant;

/// Game, size of its set, and whether the whole game is solved first.
const SETS: &[(&str, usize, bool)] = &[
    ("tictactoe", 8, false),
    ("connect4:5x4", 8, true),
    ("connect4:6x5", 8, false),
    ("connect4", 8, false),
    ("mnk:4x4,k=3", 6, true),
    ("mnk:5x4,k=4,obstacles=c2+d3", 6, true),
    ("mnk:5x5,k=4", 6, false),
    ("nim:3+4+5", 8, true),
    ("nim:1+3+5+7", 8, true),
    ("morris:three,lines=8", 8, true),
    ("morris:tapatan", 6, true),
    ("morris:six,men=4", 8, true),
    ("mnk:15x15,k=5", 10, false),
    ("chess:KRK", 8, true),
    ("chess:KPK", 14, true),
    ("chess:KQKR", 10, true),
    ("pig:100", 8, true),
    ("einstein:3x3", 8, true),
    ("einstein:4x4", 6, true),
    ("hypergammon", 8, true),
];

/// Seeds tried per puzzle.
const TRIES: usize = 2;
/// Time limit of a seed in seconds; a game without an index is explored before its table can be read.
const SECONDS: &str = "12";
const EXPLORING: &str = "60";
/// File of the sets.
const FILE: &str = "crates/serve/puzzles/sets.jsonl";

/// Generates all sets, or those of the named games.
pub(crate) fn run(named: &[&str]) -> Result<(), String> {
    if let Some(unknown) = named.iter().find(|name| !SETS.iter().any(|(game, ..)| game == *name)) {
        let games: Vec<&str> = SETS.iter().map(|(game, ..)| *game).collect();
        return Err(format!("there is no puzzle set of `{unknown}`; the games are {}", games.join(", ")));
    }
    // `OUTPLAY` names a program to use instead of building one.
    let program = match std::env::var("OUTPLAY") {
        Ok(program) => program,
        Err(_) => {
            let built = Command::new(env!("CARGO")).args(["build", "--release", "--bin", "outplay"]).status();
            if !built.is_ok_and(|status| status.success()) {
                return Err("the program does not build; see the output above".into());
            }
            format!("{}/release/outplay", super::experiments::target())
        }
    };
    let before = fs::read_to_string(FILE).unwrap_or_default();
    let data = std::env::temp_dir().join("outplay-puzzles");
    let mut lines = Vec::new();
    for &(game, wanted, table) in SETS {
        let start = Instant::now();
        let key = format!("{{\"game\":\"{game}\",");
        let kept: Vec<String> =
            before.lines().filter(|line| line.starts_with(&key)).map(str::to_string).collect();
        let made = if named.is_empty() || named.contains(&game) {
            make(&program, game, wanted, table, &data)?
        } else {
            kept
        };
        if named.is_empty() || named.contains(&game) {
            eprintln!("xtask: {} puzzles of {game}", made.len());
            super::took(game, start);
        }
        lines.extend(made);
    }
    fs::write(FILE, lines.join("\n") + "\n").map_err(|error| format!("{FILE}: {error}"))
}

fn make(
    program: &str,
    game: &str,
    wanted: usize,
    table: bool,
    data: &std::path::Path,
) -> Result<Vec<String>, String> {
    let ask = |words: &[&str]| {
        let run = Command::new(program).args(words).arg("--data").arg(data).output();
        run.map_err(|error| format!("cannot run {program}: {error}"))
    };
    if table {
        ask(&["solve", game, "--json"])?;
    }
    let mut found: Vec<(usize, String)> = Vec::new();
    let seconds = if game.starts_with("einstein") { EXPLORING } else { SECONDS };
    for seed in 1..=wanted * TRIES {
        let output = ask(&["puzzle", game, "--seed", &seed.to_string(), "--time", seconds, "--json"])?;
        let line = String::from_utf8_lossy(&output.stdout).trim().to_string();
        let position = between(&line, "\"position\":\"", "\"");
        let known = found.iter().any(|(_, other)| between(other, "\"position\":\"", "\"") == position);
        if !output.status.success() || line.contains("\"error\"") || known || line.contains('\n') {
            continue;
        }
        found.push((worth(&line), line));
    }
    // Half of the set are the highest-rated puzzles, half the lowest-rated, sorted from easy to hard.
    found.sort_by_key(|(worth, _)| std::cmp::Reverse(*worth));
    let short = found.split_off(found.len().min(wanted.div_ceil(2)));
    let room = wanted - found.len();
    found.extend(short.into_iter().rev().take(room));
    found.sort_by_key(|(_, line)| between(line, "\"level\":", ",").to_string());
    Ok(found.into_iter().map(|(_, line)| line).collect())
}

/// Rates a puzzle: by the number of moves to find and by rare themes.
fn worth(line: &str) -> usize {
    let steps = between(line, "\"steps\":[", "]").matches("\"move\"").count();
    let rare = ["fork", "zugzwang", "four-three"];
    4 * steps + 3 * rare.iter().filter(|theme| between(line, "\"themes\":[", "]").contains(*theme)).count()
}

/// Returns the text between two delimiters of a line; empty if the first is missing.
fn between<'a>(line: &'a str, from: &str, to: &str) -> &'a str {
    let rest = line.split_once(from).map_or("", |(_, rest)| rest);
    rest.split_once(to).map_or(rest, |(found, _)| found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longer_and_rarer_puzzles_are_worth_more() {
        let line = |steps: usize, theme: &str| {
            let steps = vec!["{\"move\":\"a\"}"; steps].join(",");
            format!("{{\"position\":\"x\",\"steps\":[{steps}],\"themes\":[\"{theme}\"]}}")
        };
        assert!(worth(&line(2, "win in 2")) > worth(&line(1, "win in 2")));
        assert!(worth(&line(1, "fork")) > worth(&line(1, "win in 2")));
        assert_eq!(between(&line(1, ""), "\"position\":\"", "\""), "x");
        assert_eq!(between("nothing", "a", "b"), "");
    }
}
