//! The command tree as users see it: groups, global options, examples, topics, manual pages and completion.
//!
//! `Cli` defines the arguments; `command` adds what clap's derive macro cannot express. A global option is accepted by
//! every command, so that scripts can always add it, and is listed only in the help of commands that it affects.

pub(crate) mod commands;
pub(crate) mod completion;
pub(crate) mod manual;
pub(crate) mod topics;

use crate::args::Cli;
use clap::builder::{StyledStr, Styles};
use clap::{Arg, ArgAction, ArgMatches, Command, CommandFactory, Parser};
use commands::{COMMANDS, Group, command_line, entry};
use std::fmt::Write;

/// Heading of the options that every command accepts.
const GLOBAL: &str = "Global options";
const HELP: &str = "help";

/// Help of `--time` in commands where it is not the limit of one exact value.
const TIMES: [(&str, &str); 4] = [
    ("solve", "Time limit; a value that is not known by then is reported as unknown (default: none)"),
    ("move", "Time limit for the move (default: 5)"),
    ("play", "Time limit for each move of a computer player and each search for values (default: 10)"),
    (
        "history",
        "Time limit for all positions together, the last one first; the others are unknown (default: none)",
    ),
];

/// Returns the command tree with groups, examples and `help`.
pub(crate) fn command() -> Command {
    let help = Arg::new("help").short('h').long("help").action(ArgAction::Help).global(true);
    let version = Arg::new("version").short('V').long("version").action(ArgAction::Version);
    // Read by `color::requested`, before the command line is parsed.
    let color = Arg::new("color").long("color").global(true).value_name("WHEN").default_value("auto");
    let color = color.value_parser(["auto", "always", "never"]);
    let mut root = Cli::command()
        .disable_help_subcommand(true)
        .disable_help_flag(true)
        .disable_version_flag(true)
        .arg(color.help("Print colours; auto: on a terminal, unless NO_COLOR is set"))
        .arg(help.help("Print help"))
        .arg(version.help("Print the version"))
        .mut_args(|arg| arg.help_heading(GLOBAL))
        .subcommand(help_command("Print the help of a command or a topic"));
    let globals: Vec<Arg> = root.get_arguments().filter(|arg| arg.is_global_set()).cloned().collect();
    let names: Vec<String> = root.get_subcommands().map(|sub| sub.get_name().to_string()).collect();
    for name in &names {
        let acting = entry(name).map_or(&[] as &[&str], |entry| entry.globals);
        let examples: Vec<&str> = entry(name).map_or(Vec::new(), |entry| entry.examples.to_vec());
        root = root.mut_subcommand(name, |sub| with_details(sub, &globals, acting, &examples));
    }
    for (name, help) in TIMES {
        root = root.mut_subcommand(name, |sub| sub.mut_arg("time", |arg| arg.help(help)));
    }
    let template = root_template(&root);
    root.help_template(template)
}

/// The command `help`: of the root, and hidden in commands that have commands of their own.
#[derive(Parser)]
#[command(name = HELP)]
struct HelpArgs {
    /// A command, or a topic: specs, positions, players, exit-codes or json
    #[arg(value_name = "COMMAND or TOPIC")]
    words: Vec<String>,
}

fn help_command(about: &'static str) -> Command {
    HelpArgs::command().about(about)
}

/// Adds examples, and hides the global options that do not act, in a command and in the commands below it.
fn with_details(mut sub: Command, globals: &[Arg], acting: &[&str], examples: &[&str]) -> Command {
    for arg in globals {
        let id = arg.get_id().as_str();
        if !acting.contains(&id) && !["color", "help"].contains(&id) {
            sub = sub.arg(arg.clone().hide(true));
        }
    }
    let more = sub.get_after_help().map_or(String::new(), |more| format!("\n\n{}", more.ansi()));
    sub = sub.after_help(shown_examples(examples) + &more);
    let names: Vec<String> = sub.get_subcommands().map(|below| below.get_name().to_string()).collect();
    for name in &names {
        let words = format!(" {name} ");
        let own: Vec<&str> =
            examples.iter().filter(|line| command_line(line).0.contains(words.trim_end())).copied().collect();
        sub = sub.mut_subcommand(name, |below| with_details(below, globals, acting, &own));
    }
    match names.is_empty() {
        true => sub,
        false => sub.subcommand(help_command("Print the help of a command").hide(true)),
    }
}

/// Formats examples: a command line, and what it does below.
fn shown_examples(examples: &[&str]) -> String {
    let mut text = String::new();
    if !examples.is_empty() {
        let heading = *Styles::styled().get_header();
        let _ = write!(text, "{heading}Examples:{heading:#}");
    }
    for example in examples {
        let (line, does) = command_line(example);
        let _ = write!(text, "\n  {line}\n      {does}");
    }
    text
}

/// Builds the template of `outplay help`: a list of commands for each group.
fn root_template(root: &Command) -> String {
    let heading = *root.get_styles().get_header();
    let literal = *root.get_styles().get_literal();
    let mut text = "{about-with-newline}\n{usage-heading} {usage}\n".to_string();
    for group in Group::ALL {
        let _ = write!(text, "\n{heading}{}:{heading:#}\n", group.heading());
        for command in COMMANDS.iter().filter(|command| command.group == group) {
            if let Some(sub) = root.find_subcommand(command.name) {
                let about = sub.get_about().map(ToString::to_string).unwrap_or_default();
                let _ = writeln!(text, "  {literal}{:<13}{literal:#}{about}", command.name);
            }
        }
    }
    let _ = write!(text, "\n{heading}{GLOBAL}:{heading:#}\n{{options}}{{after-help}}");
    text
}

/// Returns the text of `outplay help WORDS`, if that is the command line.
///
/// # Errors
///
/// A word that is neither a command nor a topic.
pub(crate) fn requested(
    matches: &ArgMatches,
    catalog: &outplay_catalog::Catalog,
) -> Option<Result<StyledStr, clap::Error>> {
    let mut path = Vec::new();
    let mut below = matches;
    while let Some((name, matches)) = below.subcommand() {
        if name == HELP {
            path.extend(matches.get_many::<String>("words").unwrap_or_default().cloned());
            return Some(text(&path, catalog));
        }
        path.push(name.to_string());
        below = matches;
    }
    None
}

/// The help of a command path, or of a topic.
fn text(path: &[String], catalog: &outplay_catalog::Catalog) -> Result<StyledStr, clap::Error> {
    if let [word] = path
        && let Some(topic) = topics::topic(word, catalog)
    {
        let mut root = command();
        root.build();
        // `players` is a command, too.
        return Ok(match root.find_subcommand(word).cloned() {
            Some(mut found) => format!("{topic}\n{}", found.render_help().ansi()).into(),
            None => topic.into(),
        });
    }
    let mut found = command();
    found.build();
    for word in path {
        match found.find_subcommand(word).cloned() {
            Some(below) => found = below,
            None => return Err(unknown(found, word)),
        }
    }
    Ok(found.render_help())
}

/// The error for a word that is neither a command nor a topic.
fn unknown(mut parent: Command, word: &str) -> clap::Error {
    let known = parent.get_subcommands().map(|sub| sub.get_name().to_string());
    let known: Vec<String> = known.chain(topics::names().into_iter().map(String::from)).collect();
    let near = outplay_core::nearest(word, known.iter().map(String::as_str));
    let near = near.map(|near| format!("; did you mean `{near}`?")).unwrap_or_default();
    let topics = topics::names().join(", ");
    let why = format!(
        "there is no command or topic `{word}`{near}\n\n  `outplay help` lists the commands; the topics are {topics}"
    );
    parent.error(clap::error::ErrorKind::InvalidSubcommand, why)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tree_is_consistent() {
        command().debug_assert();
    }

    /// The words of a command line up to a pipe or a redirection; single quotes hold words together.
    fn words(line: &str) -> Vec<String> {
        let ends = [" > ", " | "].into_iter().filter_map(|end| line.find(end));
        let line = &line[..ends.min().unwrap_or(line.len())];
        let parts = line.split('\'').enumerate();
        let words = parts.flat_map(|(number, part)| match number % 2 {
            0 => part.split_whitespace().map(str::to_string).collect(),
            _ => vec![part.to_string()],
        });
        words.collect()
    }

    /// Every command has one group and three examples whose options parse.
    #[test]
    fn every_command_has_a_group_and_three_examples() {
        let root = command();
        for sub in root.get_subcommands().filter(|sub| !sub.is_hide_set()) {
            let name = sub.get_name();
            let found = COMMANDS.iter().filter(|command| command.name == name).count();
            assert_eq!(found, 1, "crates/cli/src/help/commands.rs lists `{name}` {found} times");
        }
        for help in COMMANDS.iter().filter(|help| root.find_subcommand(help.name).is_some()) {
            for example in help.examples {
                let (line, does) = command_line(example);
                assert!(!does.is_empty() && line.starts_with(&format!("outplay {}", help.name)), "{example}");
                let parsed = command().try_get_matches_from(words(line));
                assert!(parsed.is_ok(), "{line}: {}", parsed.unwrap_err());
            }
        }
    }
}
