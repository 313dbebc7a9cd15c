//! A complete custom game in one file: `cargo run --release --example countdown -- solve countdown:21`
//!
//! Two players count down from a number by one, two or three; the player who says zero wins. The file has the rules
//! (`Game`), the notation of positions and moves (`Notation`), and a line that adds the game to the catalog. Every
//! command then works for it: `show`, `solve`, `query`, `index`, `games --check`, …

use outplay::catalog::{Catalog, Family};
use outplay::core::{Game, InputError, Notation, Payoff, Turn};
use outplay::workbench::GameBuilder;
use std::process::ExitCode;

#[derive(Clone)]
struct Countdown {
    from: u32,
}

/// The last number, and the side to move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Said {
    number: u32,
    second_to_move: bool,
}

impl Game for Countdown {
    type Position = Said;
    type Move = u32;

    fn start(&self) -> Option<Said> {
        Some(Said { number: self.from, second_to_move: false })
    }

    fn turn(&self, pos: &Said) -> Turn {
        if pos.second_to_move { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &Said, out: &mut Vec<u32>) {
        out.extend((1..=3).take_while(|step| *step <= pos.number));
    }

    fn play(&self, pos: &Said, step: u32) -> Said {
        Said { number: pos.number - step, second_to_move: !pos.second_to_move }
    }

    fn outcome(&self, pos: &Said) -> Option<Payoff> {
        // At zero, the player who is not to move has just said it.
        (pos.number == 0).then_some(if pos.second_to_move { 1 } else { -1 })
    }
}

impl Notation for Countdown {
    fn spec(&self) -> String {
        format!("countdown:{}", self.from)
    }

    fn write_position(&self, pos: &Said) -> String {
        format!("{} {}", pos.number, if pos.second_to_move { "B" } else { "A" })
    }

    fn read_position(&self, text: &str) -> Result<Said, InputError> {
        let parts = text.split_once(' ').and_then(|(number, who)| Some((number.parse().ok()?, who)));
        match parts {
            Some((number, "A")) if number <= self.from => Ok(Said { number, second_to_move: false }),
            Some((number, "B")) if number < self.from => Ok(Said { number, second_to_move: true }),
            _ => Err(InputError::position(text, "write the number and the side to move, as in `7 A`")),
        }
    }

    fn write_move(&self, _pos: &Said, step: u32) -> String {
        step.to_string()
    }
}

fn main() -> ExitCode {
    let mut catalog = Catalog::standard();
    catalog.add(
        Family::new("countdown", "count down by 1, 2 or 3; the player who says zero wins", |spec| {
            let from =
                spec.argument().and_then(|text| text.parse().ok()).filter(|from| (1..=10_000).contains(from));
            let from =
                from.ok_or_else(|| spec.error("give a number from 1 to 10000, as in `countdown:21`"))?;
            spec.finish("no options")?;
            Ok(GameBuilder::new(Countdown { from }).build())
        })
        .parameters("NUMBER", "countdown:21"),
    );
    outplay::cli::main(&catalog)
}
