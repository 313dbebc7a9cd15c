//! Shell completion. The scripts for bash, zsh and fish call `outplay complete-words`, which proposes the games,
//! players and tables that exist at that moment; other shells get a generated script with the commands and options
//! only.
//!
//! ```text
//!  outplay complete-words -- solve conn    ──▶  connect4:6x5<TAB>description      one candidate per line
//!                                               :files   or   :directories        the shell completes paths
//! ```

use super::{command, topics};
use crate::commands::{Failure, KNOWN, Run, output_error};
use clap::{Arg, Command};
use clap_complete::Shell;
use outplay_catalog::Catalog;
use outplay_players::{PROGRAMS, ROSTER};
use outplay_workbench::{DiceMethod, Method, default_data_dir};
use std::io::Write;
use std::path::{Path, PathBuf};

/// A candidate and its description.
type Candidate = (String, String);

/// Candidates for the word under the cursor.
#[derive(Debug, PartialEq, Eq)]
enum CompletionWords {
    Words(Vec<Candidate>),
    Files,
    Directories,
}

/// Prints the completion script of a shell.
pub(crate) fn script(run: &mut Run<'_, impl Write>, shell: Shell) -> Result<u8, Failure> {
    let text = match shell {
        Shell::Bash => include_str!("outplay.bash"),
        Shell::Zsh => include_str!("outplay.zsh"),
        Shell::Fish => include_str!("outplay.fish"),
        other => {
            clap_complete::generate(other, &mut command(), "outplay", run.out);
            return Ok(KNOWN);
        }
    };
    run.out.write_all(text.as_bytes()).map_err(output_error)?;
    Ok(KNOWN)
}

/// Prints the candidates for the last of the words of a command line.
pub(crate) fn complete(run: &mut Run<'_, impl Write>, words: &[String]) -> Result<u8, Failure> {
    let (current, before) = words.split_last().map_or(("", &[] as &[String]), |(last, rest)| (last, rest));
    let mut root = command();
    root.build();
    let data = named_data(before).or_else(|| run.common.data.clone()).unwrap_or_else(default_data_dir);
    match candidates(&root, run.catalog, &data, before, current) {
        CompletionWords::Files => writeln!(run.out, ":files"),
        CompletionWords::Directories => writeln!(run.out, ":directories"),
        CompletionWords::Words(found) => found
            .iter()
            .filter(|(word, _)| word.starts_with(current))
            .try_for_each(|(word, about)| writeln!(run.out, "{word}\t{about}")),
    }
    .map_err(output_error)?;
    Ok(KNOWN)
}

/// The directory after `--data`.
fn named_data(words: &[String]) -> Option<PathBuf> {
    let at = words.iter().position(|word| word == "--data")?;
    words.get(at + 1).map(PathBuf::from)
}

/// Walks along the words before the cursor to the command, and to the option or argument that the cursor is at.
fn candidates(
    root: &Command,
    catalog: &Catalog,
    data: &Path,
    before: &[String],
    current: &str,
) -> CompletionWords {
    let mut command = root;
    let mut pending: Option<&Arg> = None;
    let mut positionals = 0;
    for word in before {
        if pending.take().is_some() {
            continue;
        }
        if let Some(option) = word.strip_prefix("--") {
            pending = long(command, option).filter(|arg| !option.contains('=') && needs_value(arg));
        } else if let Some(below) = command.find_subcommand(word).filter(|_| positionals == 0) {
            command = below;
        } else if !word.starts_with('-') {
            positionals += 1;
        }
    }
    let values = |arg: &Arg| values(command, arg, catalog, data, root);
    if let Some(arg) = pending {
        return values(arg);
    }
    if let Some((option, _)) = current.split_once('=').filter(|_| current.starts_with("--")) {
        let found = long(command, option.trim_start_matches('-')).map(values);
        return match found {
            Some(CompletionWords::Words(words)) => CompletionWords::Words(
                words.into_iter().map(|(word, about)| (format!("{option}={word}"), about)).collect(),
            ),
            other => other.unwrap_or(CompletionWords::Words(Vec::new())),
        };
    }
    if current.starts_with('-') {
        return CompletionWords::Words(options(command));
    }
    if positionals == 0 && command.has_subcommands() {
        let listed = command.get_subcommands().filter(|sub| !sub.is_hide_set());
        let named = |sub: &Command| (sub.get_name().to_string(), about(sub.get_about()));
        return CompletionWords::Words(listed.map(named).collect());
    }
    let all: Vec<&Arg> = command.get_positionals().collect();
    let repeated = all.last().filter(|last| last.get_num_args().is_some_and(|range| range.max_values() > 1));
    all.get(positionals).or(repeated).map_or(CompletionWords::Words(Vec::new()), |arg| values(arg))
}

/// The option `--name` or `--name=value` of a command.
fn long<'a>(command: &'a Command, option: &str) -> Option<&'a Arg> {
    let name = option.split('=').next()?;
    command.get_arguments().find(|arg| arg.get_long() == Some(name))
}

/// Whether the next word is the value of an option.
fn needs_value(arg: &Arg) -> bool {
    arg.get_action().takes_values()
        && !arg.is_require_equals_set()
        && arg.get_num_args().is_none_or(|range| range.min_values() > 0)
}

fn about(text: Option<&clap::builder::StyledStr>) -> String {
    text.map(ToString::to_string).unwrap_or_default().lines().next().unwrap_or_default().to_string()
}

/// The options of a command.
fn options(command: &Command) -> Vec<Candidate> {
    let listed = command.get_arguments().filter(|arg| !arg.is_hide_set());
    listed.filter_map(|arg| Some((format!("--{}", arg.get_long()?), about(arg.get_help())))).collect()
}

/// The values of an option or argument, by its value parser, its name and the command.
fn values(command: &Command, arg: &Arg, catalog: &Catalog, data: &Path, root: &Command) -> CompletionWords {
    let possible = arg.get_possible_values();
    if !possible.is_empty() {
        let named =
            |value: &clap::builder::PossibleValue| (value.get_name().to_string(), about(value.get_help()));
        return CompletionWords::Words(
            possible.iter().filter(|value| !value.is_hide_set()).map(named).collect(),
        );
    }
    let plain = |words: &[&str]| words.iter().map(|word| (word.to_string(), String::new())).collect();
    let value_name = arg.get_value_names().and_then(|names| names.first()).map_or("", |name| name.as_str());
    let at_help = command.get_name() == "help";
    CompletionWords::Words(match (arg.get_id().as_str(), value_name) {
        ("words", _) if at_help => {
            let topics = topics::TOPICS.iter().map(|topic| (topic.name.to_string(), topic.about.to_string()));
            pages(root).into_iter().chain(topics).collect()
        }
        ("page", _) => pages(root),
        ("game" | "check", _) => games(catalog, data),
        ("player" | "players" | "first" | "second" | "engines", _) | (_, "PLAYER") => players(command),
        ("method", _) if command.get_name() == "show" => plain(&DiceMethod::ALL.map(DiceMethod::word)),
        ("method", _) => plain(&Method::NAMES.map(|(_, word)| word)),
        ("values", _) => plain(&["wdl", "distance"]),
        ("format", _) => plain(&["npz", "csv", "jsonl"]),
        ("eval", _) => plain(&["helpful", "polynomial", "lines"]),
        ("name", _) => experiments(),
        ("remove" | "forget", _) => tables(data),
        ("data" | "dir", _) => return CompletionWords::Directories,
        (_, "FILE") | ("file" | "files", _) => return CompletionWords::Files,
        _ => Vec::new(),
    })
}

/// The commands that have a manual page of their own.
fn pages(root: &Command) -> Vec<Candidate> {
    let listed = root.get_subcommands().filter(|sub| !sub.is_hide_set());
    listed.map(|sub| (sub.get_name().to_string(), about(sub.get_about()))).collect()
}

/// The games of the catalog and their examples, and the games with a table.
fn games(catalog: &Catalog, data: &Path) -> Vec<Candidate> {
    let stored = outplay_workbench::list(data).unwrap_or_default();
    let stored =
        stored.into_iter().filter_map(|table| Some((table.table.ok()?.identity.spec, "table".into())));
    let families = catalog.families().iter().flat_map(|family| {
        let example = family.example().split_whitespace().next().unwrap_or_default();
        [family.name(), example].map(|word| (word.to_string(), family.about().to_string()))
    });
    unique(stored.chain(families).collect())
}

fn players(command: &Command) -> Vec<Candidate> {
    let human = (command.get_name() == "play").then(|| ("human".to_string(), "you".to_string()));
    let known = ROSTER.iter().chain(&PROGRAMS).flat_map(|player| {
        [player.name, player.example].map(|word| (word.to_string(), player.about.to_string()))
    });
    unique(human.into_iter().chain(known).collect())
}

/// The stored tables and the names of cached results.
fn tables(data: &Path) -> Vec<Candidate> {
    let tables = outplay_workbench::list(data).unwrap_or_default();
    let tables = tables.into_iter().map(|table| (table.name, "table".to_string()));
    let kept = outplay_workbench::list_results(data);
    unique(tables.chain(kept.into_iter().map(|kept| (kept.name, "cached results".to_string()))).collect())
}

#[cfg(feature = "experiments")]
fn experiments() -> Vec<Candidate> {
    let all = outplay_experiments::experiments();
    all.iter().map(|about| (about.name.to_string(), about.question.to_string())).collect()
}

#[cfg(not(feature = "experiments"))]
fn experiments() -> Vec<Candidate> {
    Vec::new()
}

/// Drops repeated words, and keeps the order.
fn unique(words: Vec<Candidate>) -> Vec<Candidate> {
    let mut found: Vec<Candidate> = Vec::new();
    for word in words {
        if !found.iter().any(|known| known.0 == word.0) {
            found.push(word);
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The candidates that start with the last word of a line.
    fn found(line: &str) -> Vec<String> {
        let words: Vec<String> = line.split(' ').map(str::to_string).collect();
        let (current, before) = words.split_last().unwrap();
        let mut root = command();
        root.build();
        match candidates(&root, &Catalog::standard(), Path::new("/nonexistent"), before, current) {
            CompletionWords::Words(words) => {
                words.into_iter().map(|(word, _)| word).filter(|word| word.starts_with(current)).collect()
            }
            other => vec![format!("{other:?}")],
        }
    }

    #[test]
    fn words_are_completed_where_they_belong() {
        let check = |line: &str, expected: &[&str]| {
            let found = found(line);
            for word in expected {
                assert!(found.iter().any(|known| known == word), "{line}: no {word} in {found:?}");
            }
        };
        check("", &["solve", "query", "help"]);
        check("so", &["solve"]);
        check("solve conn", &["connect4", "connect4:6x5", "connect"]);
        check("solve connect4 --method s", &["sweep", "search", "star2"]);
        check("solve connect4 --method=s", &["--method=sweep"]);
        check("solve --values ", &["wdl", "distance"]);
        check("solve connect4 --proof ", &["Files"]);
        check("--data /tmp tables --data ", &["Directories"]);
        check("match connect4 perfect alph", &["alphabeta", "alphabeta:depth=7,eval=lines"]);
        check("play tictactoe --first hu", &["human"]);
        check("experiment alpha", &["alphabeta-savings"]);
        check("show einstein --method st", &["star1", "star2"]);
        check("book ", &["build", "info", "check"]);
        check("book build conn", &["connect4"]);
        check("check ", &["Files"]);
        check("tune connect4 --by ", &["games", "labels"]);
        check("solve connect4 --th", &["--threads"]);
        check("--color ", &["auto", "always", "never"]);
        check("help ex", &["exit-codes", "experiment", "export"]);
        check("man so", &["solve"]);
        assert!(!found("games --").contains(&"--memory".to_string()), "--memory does not act on `games`");
    }
}
