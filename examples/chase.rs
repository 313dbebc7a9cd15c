//! A custom game with cycles: `cargo run --release --example chase -- solve chase:4x3`
//!
//! A guard and a thief walk through a town of crossings, the guard first. The guard wins by stepping on the thief,
//! the thief by reaching the harbour, the crossing in the top right corner, which the guard may not enter. If neither
//! side can force a win, the walk never ends: a draw by repetition.
//!
//! The file implements forward moves only. Exploration finds the cycles and retrograde analysis the values, and
//! `solve`, `query`, `verify`, `stats` and all other commands work.

use outplay::catalog::{Catalog, Family};
use outplay::core::{Game, InputError, Notation, Payoff, Turn, cell_name, parse_cell};
use outplay::workbench::GameBuilder;
use std::process::ExitCode;

/// The size of the town.
#[derive(Clone)]
struct Chase {
    columns: usize,
    rows: usize,
}

/// The places of both players, and the side to move.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
struct Streets {
    guard: (usize, usize),
    thief: (usize, usize),
    thief_to_move: bool,
}

impl Chase {
    fn harbour(&self) -> (usize, usize) {
        (self.columns - 1, self.rows - 1)
    }
}

impl Game for Chase {
    type Position = Streets;
    type Move = (usize, usize);

    fn start(&self) -> Option<Streets> {
        let (columns, rows) = (self.columns, self.rows);
        Some(Streets { guard: (columns / 2, rows / 2), thief: (0, 0), thief_to_move: false })
    }

    fn turn(&self, pos: &Streets) -> Turn {
        if pos.thief_to_move { Turn::Second } else { Turn::First }
    }

    fn moves(&self, pos: &Streets, out: &mut Vec<(usize, usize)>) {
        if self.outcome(pos).is_some() {
            return;
        }
        let (column, row) = if pos.thief_to_move { pos.thief } else { pos.guard };
        let ways = [
            (column.checked_sub(1), Some(row)),
            (Some(column + 1).filter(|&column| column < self.columns), Some(row)),
            (Some(column), row.checked_sub(1)),
            (Some(column), Some(row + 1).filter(|&row| row < self.rows)),
        ];
        let allowed = |cell: &(usize, usize)| pos.thief_to_move || *cell != self.harbour();
        out.extend(ways.into_iter().filter_map(|(column, row)| Some((column?, row?))).filter(allowed));
    }

    fn play(&self, pos: &Streets, to: (usize, usize)) -> Streets {
        let mut next = Streets { thief_to_move: !pos.thief_to_move, ..pos.clone() };
        if pos.thief_to_move {
            next.thief = to;
        } else {
            next.guard = to;
        }
        next
    }

    fn outcome(&self, pos: &Streets) -> Option<Payoff> {
        if pos.thief == self.harbour() {
            return Some(-1);
        }
        (pos.guard == pos.thief).then_some(1)
    }
}

impl Notation for Chase {
    fn spec(&self) -> String {
        format!("chase:{}x{}", self.columns, self.rows)
    }

    fn write_position(&self, pos: &Streets) -> String {
        let name = |(column, row)| cell_name(column, row);
        let turn = if pos.thief_to_move { "thief" } else { "guard" };
        format!("{} {} {turn}", name(pos.guard), name(pos.thief))
    }

    fn read_position(&self, text: &str) -> Result<Streets, InputError> {
        let bad = |why: &str| InputError::position(text, why);
        let shape = "write the cells of the guard and the thief and the side to move, as in `b2 a1 guard`";
        let inside = |cell: &(usize, usize)| cell.0 < self.columns && cell.1 < self.rows;
        let &[guard, thief, turn] = text.split_whitespace().collect::<Vec<_>>().as_slice() else {
            return Err(bad(shape));
        };
        let cell = |word: &str| parse_cell(word).filter(inside);
        let (Some(guard), Some(thief)) = (cell(guard), cell(thief)) else {
            return Err(bad(shape));
        };
        let thief_to_move = match turn {
            "thief" => true,
            "guard" => false,
            _ => return Err(bad(shape)),
        };
        if guard == self.harbour() {
            return Err(bad("the guard may not enter the harbour"));
        }
        Ok(Streets { guard, thief, thief_to_move })
    }

    fn write_move(&self, _pos: &Streets, (column, row): (usize, usize)) -> String {
        cell_name(column, row)
    }
}

/// The family of this game, to be added to a catalog.
pub(crate) fn family() -> Family {
    Family::new("chase", "a guard chases a thief through a town", |spec| {
        let size = spec.argument().and_then(|text| text.split_once('x'));
        let size = size.and_then(|(columns, rows)| Some((columns.parse().ok()?, rows.parse().ok()?)));
        let size =
            size.filter(|size: &(usize, usize)| (3..=20).contains(&size.0) && (3..=20).contains(&size.1));
        let why = "give columns and rows from 3 to 20, as in `chase:4x3`";
        let (columns, rows) = size.ok_or_else(|| spec.error(why))?;
        spec.finish("no options")?;
        Ok(GameBuilder::new(Chase { columns, rows }).build())
    })
    .parameters("COLUMNSxROWS", "chase:4x3")
}

#[allow(dead_code)]
fn main() -> ExitCode {
    let mut catalog = Catalog::standard();
    catalog.add(family());
    outplay::cli::main(&catalog)
}
