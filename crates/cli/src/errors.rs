//! Error messages and exit codes of the command line. A remedy that the workbench returns as data is phrased here as
//! options of the command.
//!
//! | code | meaning |
//! |---|---|
//! | 0 | success: the value is known |
//! | 1 | the answer is "no", or a check or the work failed |
//! | 2 | bad input |
//! | 3 | not known within the limits |
//! | 130 | interrupted |

use crate::commands::{BAD_INPUT, INTERRUPTED, KNOWN, NO, UNKNOWN};
use crate::terminal::harmless;
use clap::error::ErrorKind;
use outplay_workbench::{Cure, TableCure, Trouble, Values};
use std::io::{self, Write};
use std::path::Path;

/// Returns the exit code of an error.
pub(crate) fn code(trouble: &Trouble) -> u8 {
    if trouble.is_stop() {
        INTERRUPTED
    } else if trouble.is_limit() || matches!(trouble.cure(), Some(Cure::Table(TableCure::Wait))) {
        // A table that another process is writing is not known yet; no check failed.
        UNKNOWN
    } else if trouble.is_input() {
        BAD_INPUT
    } else {
        NO
    }
}

/// Phrases the cure of an error as a command; `data` is the directory that `--data` names, if any.
pub(crate) fn cure(trouble: &Trouble, data: Option<&Path>) -> Option<String> {
    Some(match trouble.cure()? {
        Cure::MoreMemory => {
            "raise --memory, or solve a single position with `--method search` or `--method proof`".into()
        }
        Cure::Use(method) => format!("try `--method {method}`"),
        Cure::Solve { spec, values } => {
            format!("run `outplay solve {spec} --values {values}{}` to create it", data_option(data))
        }
        Cure::SolveOrAsk => {
            "solve the game first with `outplay solve`, or use another player, such as `alphabeta:time=1s`"
                .into()
        }
        Cure::GivePosition => "add `--position POSITION`".into(),
        Cure::Table(cure) => table_cure(&cure, data),
    })
}

/// Returns ` --data DIR`, quoted for a shell; empty for the default directory.
fn data_option(data: Option<&Path>) -> String {
    let Some(data) = data.map(|data| data.display().to_string()) else { return String::new() };
    let plain = |c: char| c.is_ascii_alphanumeric() || "/._-+=,:@%".contains(c);
    match !data.is_empty() && data.chars().all(plain) {
        true => format!(" --data {data}"),
        false => format!(" --data '{}'", data.replace('\'', "'\\''")),
    }
}

fn table_cure(cure: &TableCure, data: Option<&Path>) -> String {
    let data = data_option(data);
    let solve = |spec: &str, values: &Option<Values>| {
        // Distances are the default.
        let values = if *values == Some(Values::Wdl) { " --values wdl" } else { "" };
        format!("run `outplay solve {spec}{values}{data}`")
    };
    match cure {
        TableCure::MakeRoom { spec, values } => {
            format!("free some disk space and {} again to resume", solve(spec, values))
        }
        TableCure::AllowMore { spec, values } => {
            format!("raise --disk and {} again to resume", solve(spec, values))
        }
        TableCure::Writable => "make the directory writable, or choose another one with `--data DIR`".into(),
        TableCure::Choose => format!("run `outplay tables{data}` to list the tables"),
        TableCure::Solve { spec, values, does } => {
            let (why, purpose) = does.words();
            format!("{why}{} {purpose}", solve(spec, values))
        }
        TableCure::Remove { table, spec, values } => {
            let then = spec.as_ref().map_or("solve the game again".into(), |spec| solve(spec, values));
            format!("remove it with `outplay tables --remove {table}{data}`, then {then}")
        }
        TableCure::TryAgain | TableCure::Wait | TableCure::Report => cure.to_string(),
    }
}

/// Prints a usage error or the help.
pub(crate) fn misused(error: &clap::Error) -> u8 {
    let json = std::env::args_os().any(|word| word == "--json");
    if !json || !error.use_stderr() {
        // A failing write has no other channel to be reported on.
        let _ = error.print();
        return if error.use_stderr() { BAD_INPUT } else { KNOWN };
    }
    let (sentence, cure) = usage_error(error);
    complain(&mut io::stdout(), true, &sentence, Some(&cure));
    BAD_INPUT
}

/// Splits the text of a usage error into a sentence and its cure.
///
/// ```text
///  error: the following required arguments were not provided:      the sentence, up to a blank line
///    <GAME>
///
///    tip: …                                                        hints, if there are any
///
///  Usage: outplay solve --json <GAME>                              the usage, if there is one
/// ```
fn usage_error(error: &clap::Error) -> (String, String) {
    let text = error.render().to_string();
    let joined = |part: &str| part.split_whitespace().collect::<Vec<_>>().join(" ");
    let parts: Vec<String> = text.split("\n\n").map(joined).collect();
    let usage = parts.iter().find_map(|part| part.strip_prefix("Usage: "));
    let command = usage.map_or_else(Vec::new, |usage| {
        usage.split(' ').skip(1).take_while(|word| !word.starts_with(['<', '[', '-'])).collect()
    });
    let help = [&["outplay", "help"], &command[..]].concat().join(" ");
    let mut cures: Vec<String> =
        parts.iter().filter_map(|part| part.strip_prefix("tip: ")).map(str::to_string).collect();
    if let Some(usage) = usage.filter(|_| !command.is_empty()) {
        cures.push(format!("the usage is `{usage}`"));
    }
    let lists = if command.is_empty() { "the commands and options" } else { "the options" };
    cures.push(format!("run `{help}` for {lists}"));
    let sentence = match (error.kind(), parts.first().and_then(|part| part.strip_prefix("error: "))) {
        // The text would list all commands, or be the help itself.
        (ErrorKind::MissingSubcommand, _) | (_, None) => "no command was given".to_string(),
        (_, Some(sentence)) => sentence.to_string(),
    };
    (sentence, cures.join("; "))
}

/// Reports an error: as JSON on standard output, or as text on standard error.
pub(crate) fn complain(out: &mut impl Write, json: bool, sentence: &str, cure: Option<&str>) {
    // A failing write has no other channel to be reported on.
    if json {
        let _ = writeln!(out, "{}", serde_json::json!({ "error": sentence, "cure": cure }));
        let _ = out.flush();
        return;
    }
    let style = anstyle::Style::new().bold().fg_color(Some(anstyle::AnsiColor::Red.into()));
    let (sentence, cure) = (harmless(sentence), cure.map(harmless));
    let cure = cure.map(|cure| format!("\n  {cure}")).unwrap_or_default();
    let _ = writeln!(anstream::stderr(), "{style}error{style:#}: {sentence}{cure}");
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn usage_errors_are_whole_sentences() {
        let check = |line: &str, sentence: &str, cure: &str| {
            let error = crate::help::command().try_get_matches_from(line.split(' ')).unwrap_err();
            let (found, found_cure) = usage_error(&error);
            assert_eq!((found.as_str(), found_cure.as_str()), (sentence, cure), "{line}");
        };
        check(
            "outplay solve --json",
            "the following required arguments were not provided: <GAME>",
            "the usage is `outplay solve --json <GAME>`; run `outplay help solve` for the options",
        );
        check("outplay --json", "no command was given", "run `outplay help` for the commands and options");
        let error = crate::help::command().try_get_matches_from(["outplay", "solve", "x", "--metod", "y"]);
        let (sentence, cure) = usage_error(&error.unwrap_err());
        assert_eq!(sentence, "unexpected argument '--metod' found");
        assert!(
            cure.starts_with("a similar argument exists: '--method'; the usage is `outplay solve"),
            "{cure}"
        );
    }
}
