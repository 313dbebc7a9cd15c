//! Every command block of README.md, CONTRIBUTING.md, python/README.md and docs/*.md, run as a reader would paste it.
//!
//! ```text
//!  ```console                  `$ command` lines are run in order; the lines below one are its output, if any are shown
//!  ```sh                       every line is a command
//!  ```console slow: reason     takes more than 10 s on two cores: run by `--ignored` (`cargo xtask test --slow`)
//!  ```console shown: reason    cannot run here; the options of each `outplay` command are checked
//! ```
//!
//! The blocks of a document share a data directory and a working directory, which has the examples of the tree. Commands
//! of cargo run in the tree. Times, sizes and rates are masked on both sides.

use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// A command that takes longer hangs; the ten seconds of the rule above hold on an idle machine, with an optimised build.
const HANG: Duration = Duration::from_secs(120);
const SLOW_HANG: Duration = Duration::from_secs(1800);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Mark {
    Run,
    Slow,
    Shown,
}

struct Block {
    line: usize,
    mark: Mark,
    commands: Vec<DocumentedCommand>,
}

struct DocumentedCommand {
    text: String,
    output: Vec<String>,
}

/// Parses the command blocks of a Markdown text.
fn blocks(text: &str) -> Result<Vec<Block>, String> {
    let mut found = Vec::new();
    let mut lines = text.lines().enumerate();
    while let Some((number, line)) = lines.next() {
        let Some(info) = line.trim_start().strip_prefix("```") else { continue };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, line)| line).take_while(|line| line.trim_start() != "```").collect();
        let (language, mark) = info.split_once(' ').unwrap_or((info, ""));
        let console = language == "console";
        if !console && language != "sh" {
            continue;
        }
        let (mark, reason) = mark.split_once(": ").unwrap_or((mark, ""));
        let mark = match mark {
            "" => Mark::Run,
            "slow" => Mark::Slow,
            "shown" => Mark::Shown,
            _ => return Err(format!("line {}: unknown mark `{mark}`", number + 1)),
        };
        if mark != Mark::Run && reason.is_empty() {
            return Err(format!("line {}: the mark has no reason", number + 1));
        }
        found.push(Block { line: number + 1, mark, commands: commands(&body, console) });
    }
    Ok(found)
}

fn commands(body: &[&str], console: bool) -> Vec<DocumentedCommand> {
    let mut commands: Vec<DocumentedCommand> = Vec::new();
    let mut continued = false;
    for line in body {
        let command = if console { line.strip_prefix("$ ") } else { Some(*line) };
        match (command, commands.last_mut()) {
            (_, Some(last)) if continued => write!(last.text, "\n{line}").unwrap(),
            (Some(command), _) if console || !(command.is_empty() || command.starts_with('#')) => {
                commands.push(DocumentedCommand { text: command.to_string(), output: Vec::new() });
            }
            (None, Some(last)) => last.output.push(line.to_string()),
            _ => continue,
        }
        continued = line.ends_with('\\');
    }
    commands
}

/// Replaces numbers with a unit of time, size or rate, which differ between machines and runs.
fn masked(text: &str) -> String {
    const UNITS: [&str; 18] = [
        "ns", "µs", "ms", "s", "min", "h", "B", "kB", "MB", "GB", "TB", "%", "/s", "M/s", "k/s", "G/s",
        "KiB", "MiB",
    ];
    let words: Vec<&str> = text.split(' ').collect();
    let is_number = |word: &str| word.chars().next().is_some_and(|first| first.is_ascii_digit());
    let bare = |word: &str| word.trim_end_matches([',', ';', '.', ')', ':']).to_string();
    let mut masked = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let unit = words.get(at + 1).map(|next| bare(next));
        let measured = unit.is_some_and(|unit| UNITS.contains(&unit.as_str()));
        let inside = word.trim_start_matches('(');
        masked.push(if is_number(inside) && measured { "~" } else { word });
    }
    masked.join(" ").trim_end().to_string()
}

/// A home directory of its own with `outplay` on the path.
struct Home {
    folder: TempDir,
}

impl Home {
    fn new() -> Home {
        let folder = tempfile::tempdir().unwrap();
        for name in ["bin", "work", "data"] {
            std::fs::create_dir(folder.path().join(name)).unwrap();
        }
        #[cfg(unix)]
        for (from, to) in [
            (PathBuf::from(env!("CARGO_BIN_EXE_outplay")), "bin/outplay"),
            (Path::new(env!("CARGO_MANIFEST_DIR")).join("examples"), "work/examples"),
        ] {
            std::os::unix::fs::symlink(from, folder.path().join(to)).unwrap();
        }
        Home { folder }
    }

    /// Runs a command in a shell and returns its exit code and standard output, or nothing if it hangs.
    fn run(&self, command: &str, patience: Duration) -> Option<(i32, String, String)> {
        let root = self.folder.path();
        let path = format!("{}:{}", root.join("bin").display(), std::env::var("PATH").unwrap_or_default());
        let out = std::fs::File::create(root.join("out")).unwrap();
        let err = std::fs::File::create(root.join("err")).unwrap();
        let mut child = Command::new("sh")
            .args(["-c", command])
            .current_dir(root.join("work"))
            .env("PATH", path)
            .env("XDG_DATA_HOME", root.join("data"))
            .env_remove("OUTPLAY_DATA")
            .env("COLUMNS", "110")
            .stdin(Stdio::null())
            .stdout(out)
            .stderr(err)
            .spawn()
            .unwrap();
        let begin = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if begin.elapsed() > patience {
                child.kill().unwrap();
                child.wait().unwrap();
                return None;
            }
            std::thread::sleep(Duration::from_millis(5));
        };
        let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
        let data = root.join("data").display().to_string();
        let text = read("out").replace(&data, "/home/you/.local/share");
        Some((status.code().unwrap_or(-1), text, read("err")))
    }
}

/// Checks one command and returns what is wrong with it.
fn check(home: &Home, mark: Mark, command: &DocumentedCommand) -> Result<(), String> {
    let mut text = command.text.replace("cargo run --release -- ", "outplay ");
    if text.starts_with("cargo ") {
        text = format!("cd '{}' && {text}", env!("CARGO_MANIFEST_DIR"));
    }
    if mark == Mark::Shown {
        if !text.starts_with("outplay ") {
            return Ok(());
        }
        // Clap reads the words in order, so an unknown option fails before the help is printed.
        let words = text.split(" # ").next().unwrap_or(&text).replace(['[', ']'], "");
        let (code, _, error) = home.run(&format!("{} --help", words.trim()), HANG).ok_or("hangs")?;
        return if code == 0 { Ok(()) } else { Err(error) };
    }
    let patience = if mark == Mark::Slow { SLOW_HANG } else { HANG };
    let (code, printed, error) = home.run(&text, patience).ok_or("hangs")?;
    if code != 0 {
        return Err(format!("exits with {code}: {error}"));
    }
    let mut wanted: Vec<String> = command.output.iter().map(|line| masked(line)).collect();
    let mut printed: Vec<String> = printed.lines().map(masked).collect();
    if wanted.is_empty() {
        return Ok(());
    }
    while printed.last().is_some_and(String::is_empty) {
        printed.pop();
    }
    // An ellipsis on a line of its own stands for the rest.
    if wanted.last().is_some_and(|last| last == "…") {
        wanted.pop();
        printed.truncate(wanted.len());
    }
    if wanted == printed {
        return Ok(());
    }
    Err(format!("prints\n{}\ninstead of\n{}", printed.join("\n"), wanted.join("\n")))
}

fn documents() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut paths: Vec<PathBuf> = std::fs::read_dir(root.join("docs"))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "md"))
        .collect();
    paths.extend(["README.md", "CONTRIBUTING.md", "python/README.md"].map(|name| root.join(name)));
    paths.sort();
    paths
}

/// Runs the blocks of every document for which a mark is wanted; returns how many commands were run.
fn run_documents(slow: bool) -> usize {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for path in documents() {
        let name = path.strip_prefix(env!("CARGO_MANIFEST_DIR")).unwrap_or(&path).display().to_string();
        let blocks = blocks(&std::fs::read_to_string(&path).unwrap())
            .unwrap_or_else(|error| panic!("{name}: {error}"));
        if slow && !blocks.iter().any(|block| block.mark == Mark::Slow) {
            continue;
        }
        let home = Home::new();
        for block in &blocks {
            // A slow block may need what the quick ones before it wrote.
            if block.mark == Mark::Slow && !slow {
                continue;
            }
            for command in &block.commands {
                count += 1;
                if let Err(reason) = check(&home, block.mark, command) {
                    wrong.push(format!("{name}:{}: {}\n{reason}", block.line, command.text));
                }
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
    count
}

#[test]
#[cfg(unix)]
fn documented_commands_work() {
    assert!(run_documents(false) > 40, "the documents have few commands");
}

#[test]
#[cfg(unix)]
#[ignore = "minutes: the documented commands that take longer than 10 s"]
fn slow_documented_commands_work() {
    run_documents(true);
}

#[test]
fn blocks_are_read_with_their_marks() {
    let text = "# A\n```console\n$ outplay games\none\ntwo\n$ outplay show \\\n  tictactoe\n```\n```sh slow: an hour\n# no command\na\n\nb\n```\n```rust\nx\n```\n";
    let read = blocks(text).unwrap();
    assert_eq!(
        read.iter().map(|block| (block.line, block.mark)).collect::<Vec<_>>(),
        [(2, Mark::Run), (9, Mark::Slow)]
    );
    assert_eq!(read[0].commands[0].output, ["one", "two"]);
    assert_eq!(read[0].commands[1].text, "outplay show \\\n  tictactoe");
    assert_eq!(read[1].commands.len(), 2);
    assert!(blocks("```sh slow\n```\n").is_err(), "no reason");
    assert!(blocks("```sh quick: yes\n```\n").is_err(), "no such mark");
}

#[test]
fn only_measurements_are_masked() {
    assert_eq!(
        masked("3,945,711 positions by sweep in 8.57 s, 209.3 MB of memory"),
        "3,945,711 positions by sweep in ~ s, ~ MB of memory"
    );
    assert_eq!(masked("stored in x (256.8 kB)"), "stored in x ~ kB)");
    assert_eq!(masked("win in 5 plies"), "win in 5 plies");
}
