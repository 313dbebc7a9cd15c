//! Help, examples, manual pages, completion and colours, as a shell runs them.

use crate::shell::{self, text};
use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};

/// Runs a command line by a shell in a directory, with `outplay` in the search path.
fn sh(dir: &Path, program: &str, script: &str) -> Output {
    let program_dir = Path::new(env!("CARGO_BIN_EXE_outplay")).parent().unwrap();
    let path = format!("{}:{}", program_dir.display(), std::env::var("PATH").unwrap_or_default());
    Command::new(program)
        .args(["-c", script])
        .env("PATH", path)
        .env("HOME", dir)
        .env("OUTPLAY_DATA", dir.join("data"))
        .env_remove("COLORTERM")
        .env_remove("NO_COLOR")
        .current_dir(dir)
        .stdin(Stdio::null())
        .output()
        .unwrap()
}

fn help(words: &[&str]) -> String {
    let dir = tempfile::tempdir().unwrap();
    let output =
        Command::new(env!("CARGO_BIN_EXE_outplay")).args(words).current_dir(dir.path()).output().unwrap();
    assert!(output.status.success(), "{words:?}: {}", text(&output.stderr));
    text(&output.stdout)
}

/// The commands that `outplay help` lists, by group.
fn listed() -> Vec<(String, String)> {
    let (mut group, mut found) = (String::new(), Vec::new());
    for line in help(&["help"]).lines() {
        if let Some(heading) = line.strip_suffix(':').filter(|heading| !heading.starts_with(' ')) {
            group = heading.to_string();
        } else if let Some(row) = line.strip_prefix("  ").filter(|row| !row.starts_with([' ', '-'])) {
            found.push((group.clone(), row.split_whitespace().next().unwrap().to_string()));
        }
    }
    found
}

#[test]
fn commands_are_listed_by_group() {
    let listed = listed();
    let groups = ["Ask", "Solve", "Play", "Research", "Service"];
    for group in groups {
        assert!(listed.iter().filter(|(known, _)| known == group).count() >= 4, "{group}: {listed:?}");
    }
    assert!(listed.iter().all(|(group, _)| groups.contains(&group.as_str())), "{listed:?}");
    let page = help(&["help"]);
    assert!(page.contains("Global options:") && !page.contains("\nOptions:"), "{page}");
    assert!(page.lines().count() <= 60 && page.lines().all(|line| line.chars().count() <= 100), "{page}");
    assert_eq!(help(&["help"]), help(&["--help"]));
}

/// A global option is accepted by every command, before and after it, and listed only where it acts.
#[test]
fn global_options_are_listed_where_they_act() {
    let options = |command: &str| help(&["help", command]);
    assert!(options("solve").contains("--memory") && options("solve").contains("Global options:"));
    for (command, option) in
        [("games", "--memory"), ("tables", "--threads"), ("man", "--json"), ("verify", "--no-save")]
    {
        assert!(!options(command).contains(option), "{command} {option}");
    }
    for line in [["--memory", "1G", "games"], ["games", "--memory", "1G"]] {
        assert!(help(&line).contains("tictactoe"));
    }
}

/// Examples that wait for input, start a server, need files of others, or take long.
const SHOWN: &[&str] = &[
    "outplay play",
    "outplay why chess",
    "outplay serve",
    "outplay engine",
    "outplay import",
    "outplay tune connect4 ",
    "outplay label connect4 ",
    "outplay plan connect4:7x6",
    "outplay plan connect4:6x6",
    "outplay move gomoku",
    "outplay man | man",
    "outplay man solve | man",
    "outplay bench strong",
    "outplay bench search",
    "outplay experiment alphabeta-savings --html",
];

/// Every example is run in the order of the list, so that tables and proofs of earlier ones exist.
#[test]
fn examples_run() {
    let dir = tempfile::tempdir().unwrap();
    for made in [".local/share/bash-completion/completions", ".zfunc", ".config/fish/completions"] {
        fs::create_dir_all(dir.path().join(made)).unwrap();
    }
    let solved = sh(dir.path(), "sh", "outplay solve connect4:5x4 --quiet");
    assert!(solved.status.success(), "{}", text(&solved.stderr));
    let mut script = String::from("set -e\n");
    for (_, command) in listed() {
        let page = help(&["help", &command]);
        let lines: Vec<&str> = page.lines().skip_while(|line| *line != "Examples:").skip(1).collect();
        let examples: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("  outplay ")).collect();
        assert_eq!(examples.len(), 3, "{page}");
        for example in examples {
            let line = format!("outplay {example}");
            let line = line.replace("connect4:5x5", "connect4:5x4");
            if !SHOWN.iter().any(|start| line.starts_with(start)) {
                script += &format!(
                    "{line} >> out.txt 2> err.txt || {{ echo \"$? {example}\"; cat err.txt; exit 1; }}\n"
                );
            }
        }
    }
    let output = sh(dir.path(), "sh", &script);
    assert!(output.status.success(), "{}{}", text(&output.stdout), text(&output.stderr));
}

#[test]
fn topics_are_printed() {
    for topic in ["specs", "positions", "players", "exit-codes", "json"] {
        assert!(help(&["help", topic]).lines().count() > 8, "{topic}");
    }
    assert!(help(&["help", "book", "build"]).contains("--plies"));
    assert!(help(&["book", "help", "build"]).contains("--plies"));
    let wrong = shell::outplay(Path::new("/nonexistent"), &["help", "posiitons"]);
    assert_eq!(wrong.status.code(), Some(2));
    assert!(text(&wrong.stderr).contains("did you mean `positions`?"), "{}", text(&wrong.stderr));
}

/// `man --dir` writes a page for every command, and `man` displays each of them.
#[test]
fn manual_pages_are_written() {
    let dir = tempfile::tempdir().unwrap();
    let written = sh(dir.path(), "sh", "umask 022; outplay man --dir man1");
    assert!(written.status.success(), "{}", text(&written.stderr));
    let names: Vec<_> =
        fs::read_dir(dir.path().join("man1")).unwrap().map(|file| file.unwrap().path()).collect();
    for (_, command) in listed() {
        assert!(names.contains(&dir.path().join(format!("man1/outplay-{command}.1"))), "{command}");
    }
    // Without `man`, the test ends here.
    if Command::new("man").arg("--version").output().is_err() {
        return;
    }
    let shown = sh(dir.path(), "sh", "for page in man1/*; do MANWIDTH=80 man -l $page 2>&1 || exit 1; done");
    let shown = text(&shown.stdout);
    assert!(shown.contains("EXAMPLES") && shown.contains("outplay-book-build(1)"), "{shown}");
    assert!(!shown.contains("warning:"), "{shown}");
}

/// bash loads the script and completes words as after the tabulator key.
#[test]
fn bash_completes() {
    let dir = tempfile::tempdir().unwrap();
    let complete = |line: &str| {
        // bash splits words at `:` and `=`, and passes the line and the cursor.
        let script = format!(
            "eval \"$(outplay completions bash)\"; COMP_LINE='{line}'; COMP_POINT=${{#COMP_LINE}}; \
             compopt() {{ :; }}; _outplay outplay; printf '%s\\n' \"${{COMPREPLY[@]}}\""
        );
        let output = sh(dir.path(), "bash", &script);
        assert!(output.stderr.is_empty(), "{line}: {}", text(&output.stderr));
        text(&output.stdout).lines().map(str::to_string).collect::<Vec<_>>()
    };
    if Command::new("bash").arg("--version").output().is_err() {
        return;
    }
    assert_eq!(complete("outplay sol"), ["solve"]);
    assert!(complete("outplay solve --method ").contains(&"retrograde".to_string()));
    assert!(complete("outplay match connect4 perf").contains(&"perfect".to_string()));
    // What follows the colon is all that bash replaces.
    assert_eq!(complete("outplay solve connect4:"), ["6x5"]);
    shell::json(&dir.path().join("data"), &["solve", "connect4:4x3"]);
    assert!(complete("outplay verify connect4:").contains(&"4x3".to_string()));
    assert_eq!(complete("outplay tables --remove "), ["connect4-4x3"]);
    assert_eq!(complete("outplay solve connect4 --method=ret"), ["retrograde"]);
    fs::write(dir.path().join("my.proof"), "").unwrap();
    assert_eq!(complete("outplay check my"), ["my.proof"]);
}

#[test]
fn colours_follow_the_option_and_the_terminal() {
    let dir = tempfile::tempdir().unwrap();
    let shown = |script: &str| text(&sh(dir.path(), "sh", script).stdout);
    let plain = shown("outplay query tictactoe --no-save");
    assert!(!plain.contains('\u{1b}'), "{plain:?}");
    let reduced = shown("outplay query tictactoe --no-save --color always");
    assert!(reduced.contains("\u{1b}[33m") && !reduced.contains("38;2;"), "{reduced:?}");
    let full = shown("COLORTERM=truecolor outplay --color=always query tictactoe --no-save");
    assert!(full.contains("38;2;230;159;0"), "{full:?}");
    assert!(!shown("outplay --color always --help | cat").is_empty());
    assert!(shown("outplay --color always --help").contains('\u{1b}'));
    assert!(!shown("NO_COLOR=1 outplay query tictactoe --no-save").contains('\u{1b}'));
}

/// Files that a command writes follow the umask, like those of other programs.
#[test]
#[cfg(unix)]
fn written_files_follow_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let dir = tempfile::tempdir().unwrap();
    let script = "outplay solve tictactoe && outplay stats tictactoe --svg a.svg \
         && outplay export tictactoe --out a.npz && outplay export tictactoe --out a.csv \
         && outplay label tictactoe --random 5 --out b.jsonl && outplay label tictactoe --random 5 --out b.npz \
         && outplay match tictactoe greedy random --games 2 --out m.jsonl --report m.html \
         && outplay solve mnk:3x3,k=3,x=a1 --method proof --proof p.proof \
         && outplay book build connect4:4x3 --plies 2 --out b.book && outplay man --dir man";
    for (umask, mode) in [("022", 0o644), ("027", 0o640)] {
        let below = dir.path().join(umask);
        fs::create_dir(&below).unwrap();
        let output = sh(&below, "sh", &format!("umask {umask}; {script}"));
        assert!(output.status.success(), "{}", text(&output.stderr));
        for name in ["a.svg", "a.npz", "a.csv", "b.jsonl", "b.npz", "m.jsonl", "m.html", "p.proof", "b.book"]
        {
            let found = fs::metadata(below.join(name)).unwrap().permissions().mode() & 0o777;
            assert_eq!(found, mode, "{name} has mode {found:o} under umask {umask}");
        }
    }
}

/// A usage error as JSON is a whole sentence with the way out.
#[test]
fn usage_errors_are_objects_with_a_cure() {
    let output = shell::outplay(Path::new("/nonexistent"), &["solve", "--json"]);
    assert_eq!(output.status.code(), Some(2));
    let error: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(error["error"], "the following required arguments were not provided: <GAME>");
    let cure = error["cure"].as_str().unwrap();
    assert!(cure.contains("`outplay solve") && cure.contains("<GAME>`"), "{cure}");
}
