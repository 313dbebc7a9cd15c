//! A custom game on a cluster: `mpirun -n 2 target/release/examples/hare-mpi solve hare`
//!
//! A hunter and a hare take turns on a ring of 30 places. The hunter steps one or two places either way and wins by
//! stepping on the hare; the hare steps one place and wins by reaching its burrow at 0 first. The game has cycles.

use outplay_catalog::{Catalog, Family};
use outplay_core::{Game, InputError, Notation, Payoff, Turn};
use std::process::ExitCode;

const LENGTH: u8 = 30;

#[derive(Clone)]
struct Hare;

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Places {
    hunter: u8,
    hare: u8,
    hare_moves: bool,
}

impl Game for Hare {
    type Position = Places;
    type Move = u8;

    fn start(&self) -> Option<Places> {
        Some(Places { hunter: 3, hare: LENGTH / 2, hare_moves: false })
    }

    fn turn(&self, pos: &Places) -> Turn {
        if pos.hare_moves { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &Places, out: &mut Vec<u8>) {
        if self.outcome(pos).is_none() {
            let step = |from: u8, by: u8| (from + by) % LENGTH;
            match pos.hare_moves {
                true => out.extend([1, LENGTH - 1].map(|by| step(pos.hare, by))),
                false => out.extend([1, 2, LENGTH - 1, LENGTH - 2].map(|by| step(pos.hunter, by))),
            }
        }
    }

    fn play(&self, pos: &Places, to: u8) -> Places {
        let (hunter, hare) = if pos.hare_moves { (pos.hunter, to) } else { (to, pos.hare) };
        Places { hunter, hare, hare_moves: !pos.hare_moves }
    }

    fn outcome(&self, pos: &Places) -> Option<Payoff> {
        match (pos.hunter == pos.hare, pos.hare == 0) {
            (true, _) => Some(1),
            (false, true) => Some(-1),
            (false, false) => None,
        }
    }
}

impl Notation for Hare {
    fn spec(&self) -> String {
        "hare".into()
    }

    fn write_position(&self, pos: &Places) -> String {
        format!("{} {} {}", pos.hunter, pos.hare, if pos.hare_moves { "hare" } else { "hunter" })
    }

    fn read_position(&self, text: &str) -> Result<Places, InputError> {
        let words: Vec<&str> = text.split(' ').collect();
        let place = |word: &str| word.parse().ok().filter(|place: &u8| *place < LENGTH);
        match words[..] {
            [hunter, hare, turn @ ("hare" | "hunter")] => place(hunter)
                .zip(place(hare))
                .map(|(hunter, hare)| Places { hunter, hare, hare_moves: turn == "hare" }),
            _ => None,
        }
        .ok_or_else(|| {
            InputError::position(
                text,
                "expected two places below 30 and the side to move, such as `3 15 hunter`",
            )
        })
    }

    fn write_move(&self, _pos: &Places, to: u8) -> String {
        to.to_string()
    }

    fn read_move(&self, pos: &Places, text: &str) -> Result<u8, InputError> {
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let found = moves.into_iter().find(|to| to.to_string() == text);
        found.ok_or_else(|| {
            InputError::mv(text, "expected a place one step away, or up to two for the hunter")
        })
    }
}

/// The built-in games and this one.
pub(crate) fn catalog() -> Catalog {
    let mut catalog = Catalog::standard();
    catalog.add(Family::single("hare", "a hunter and a hare on a ring", Hare));
    catalog
}

fn main() -> ExitCode {
    outplay_cluster::main(&catalog())
}
