//! `outplay games`: lists the games, prints the rules of a game, or checks the properties that solvers need (two
//! players, zero sum, finite, deterministic, perfect information, acyclic).

use crate::args::parse_seconds;
use crate::commands::{Failure, Run};
use crate::output;
use clap::Args;
use outplay_workbench::PositionRef;
use serde::Serialize;
use std::io::Write;
use std::time::Duration;

/// Most positions that `games --check` explores.
const CHECKED: u64 = 1_000_000;

/// List the games, or print the rules and a board of one
#[derive(Args)]
pub(crate) struct GamesArgs {
    /// Game whose rules are printed, such as nim or connect4:5x4
    game: Option<String>,
    /// Check whether a game has two players and is zero-sum, finite, deterministic, acyclic and of perfect information
    #[arg(long, value_name = "GAME", conflicts_with = "game")]
    check: Option<String>,
    /// Time limit of the check
    #[arg(long, value_name = "SECONDS", value_parser = parse_seconds, requires = "check")]
    time: Option<f64>,
}

pub(crate) fn games(run: &mut Run<'_, impl Write>, args: &GamesArgs) -> Result<u8, Failure> {
    match (&args.check, &args.game) {
        (Some(game), _) => check(run, game, args.time),
        (None, Some(game)) => rules(run, game),
        (None, None) => list(run),
    }
}

fn list(run: &mut Run<'_, impl Write>) -> Result<u8, Failure> {
    #[derive(Serialize)]
    struct FamilyRow<'a> {
        name: &'a str,
        about: &'a str,
        parameters: &'a str,
        example: &'a str,
    }
    let families: Vec<FamilyRow<'_>> = run
        .catalog
        .families()
        .iter()
        .map(|family| FamilyRow {
            name: family.name(),
            about: family.about(),
            parameters: family.options(),
            example: family.example(),
        })
        .collect();
    run.print(&serde_json::json!({ "games": families }), |out, _| {
        let bold = anstyle::Style::new().bold();
        for family in &families {
            writeln!(out, "{bold}{}{bold:#}: {}", family.name, family.about)?;
            if !family.parameters.is_empty() {
                writeln!(out, "    parameters  {}", family.parameters)?;
            }
            writeln!(out, "    example     outplay show {}", family.example)?;
        }
        writeln!(
            out,
            "\nA spec is NAME[:ARGUMENT][,key=value][,flag]…; boards are columns x rows, and a1 is at the bottom left."
        )?;
        writeln!(out, "`outplay games NAME` prints the rules of a game.")
    })
}

/// Prints the rules of a game in a paragraph, with a picture.
fn rules(run: &mut Run<'_, impl Write>, game: &str) -> Result<u8, Failure> {
    let family = run.catalog.family(game)?;
    // A family name without the required parameters is shown by its example.
    let example = family.example().split_whitespace().next().unwrap_or(game);
    let entry = run.open(if game == family.name() { example } else { game })?;
    // A game without a start is shown at the position of its example, or at any position.
    let place = match outplay_workbench::view(&entry, &PositionRef::Start) {
        Ok(_) => PositionRef::Start,
        Err(_) => {
            let number = (1..64).find_map(|n| outplay_workbench::numbered_position(&entry, n * 9973));
            number.map_or(PositionRef::Start, |pos| {
                PositionRef::Position(outplay_core::Notation::write_position(entry.game(), &pos))
            })
        }
    };
    let picture = outplay_workbench::draw(&entry, &place, None)?;
    let answer = serde_json::json!({
        "game": entry.spec(), "name": family.name(), "about": family.about(), "rules": family.rules(),
        "parameters": family.options(), "example": family.example(), "picture": picture.plain(),
    });
    run.print(&answer, |out, _| {
        let bold = anstyle::Style::new().bold();
        writeln!(out, "{bold}{}{bold:#}: {}", family.name(), family.about())?;
        if !family.rules().is_empty() {
            writeln!(out, "\n{}", output::wrapped(family.rules(), 80))?;
        }
        writeln!(out)?;
        output::picture(out, &picture)?;
        if !family.options().is_empty() {
            writeln!(out, "\nparameters  {}", output::wrapped(family.options(), 80))?;
        }
        writeln!(out, "try         outplay show {}", family.example())
    })
}

fn check(run: &mut Run<'_, impl Write>, game: &str, time: Option<f64>) -> Result<u8, Failure> {
    let time = time.map(Duration::from_secs_f64);
    let report = outplay_workbench::check_conditions(&run.open(game)?, CHECKED, time, run.progress)?;
    run.print(&report, output::check)
}
