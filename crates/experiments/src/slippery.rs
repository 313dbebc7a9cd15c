//! `slippery`: k in a row with stones that slip at random, solved exactly by expectiminimax.
//!
//! A player chooses an empty cell. With probability p the stone slips to one of the empty orthogonally adjacent cells,
//! each equally likely; if there is none, it does not slip. Memoised expectiminimax evaluates all positions, in a table
//! with one entry for each arrangement of stones, so the values are exact up to rounding.

use crate::plot::{Lines, Point, Series};
use crate::{Bench, Findings, Grid};
use outplay_core::{Content, LineBoard};
use outplay_runtime::Pace;
use outplay_workbench::{PositionRef, Trouble};

/// A board with slipping stones.
struct SlipperyBoard<'a> {
    /// The cells of each line, as bits.
    lines: Vec<u32>,
    /// The orthogonal neighbours of each cell, as bits.
    next_to: Vec<u32>,
    /// Powers of three.
    powers: Vec<usize>,
    all: u32,
    slip: f64,
    /// The value of each arrangement for the player to move; NaN if it was not computed.
    values: Vec<f64>,
    pace: Pace<'a>,
}

impl<'a> SlipperyBoard<'a> {
    fn new(board: &LineBoard, slip: f64, pace: Pace<'a>) -> SlipperyBoard<'a> {
        let cells = board.cells.len();
        let bits = |cells: &[usize]| cells.iter().fold(0u32, |bits, cell| bits | 1 << cell);
        let place = |cell: usize| (cell / board.height, cell % board.height);
        let near = |a: usize, b: usize| {
            let ((ac, ar), (bc, br)) = (place(a), place(b));
            ac.abs_diff(bc) + ar.abs_diff(br) == 1
        };
        let open = |cell: usize| board.cells[cell] == Content::Empty;
        let next_to = (0..cells).map(|a| (0..cells).filter(|&b| near(a, b)).fold(0, |bits, b| bits | 1 << b));
        SlipperyBoard {
            lines: board.lines().iter().map(|line| bits(line)).collect(),
            next_to: next_to.collect(),
            powers: (0..cells).map(|cell| 3usize.pow(cell as u32)).collect(),
            all: bits(&(0..cells).filter(|&cell| open(cell)).collect::<Vec<_>>()),
            slip,
            values: vec![f64::NAN; 3usize.pow(cells as u32)],
            pace,
        }
    }

    /// The value for the player to move, whose stones are `own`; `code` numbers the arrangement in base 3 with own
    /// stones as ones and the opponent's as twos. `None` if cancelled.
    fn value(&mut self, own: u32, other: u32, code: usize) -> Option<f64> {
        let known = self.values[code];
        if !known.is_nan() {
            return Some(known);
        }
        if self.pace.step() {
            return None;
        }
        let empty = self.all & !(own | other);
        let mut best = if empty == 0 { 0.0 } else { f64::MIN };
        if self.lines.iter().any(|line| other & line == *line) {
            best = -1.0;
        } else {
            let mut cells = empty;
            // The value of a stone on each cell, looked up once.
            let mut landed = [0.0; 32];
            while cells != 0 {
                let cell = cells.trailing_zeros() as usize;
                cells &= cells - 1;
                // The opponent moves next: ones and twos are swapped.
                let code = self.swapped(other, own | 1 << cell);
                landed[cell] = -self.value(other, own | 1 << cell, code)?;
            }
            let mut cells = empty;
            while cells != 0 {
                let cell = cells.trailing_zeros() as usize;
                cells &= cells - 1;
                let aside = self.next_to[cell] & empty;
                let mean = match aside.count_ones() {
                    0 => landed[cell],
                    ways => {
                        let sum: f64 =
                            (0..32).filter(|way| aside >> way & 1 == 1).map(|way| landed[way]).sum();
                        (1.0 - self.slip) * landed[cell] + self.slip * sum / f64::from(ways)
                    }
                };
                best = best.max(mean);
            }
        }
        self.values[code] = best;
        Some(best)
    }

    fn swapped(&self, own: u32, other: u32) -> usize {
        let sum = |mut stones: u32| {
            let mut sum = 0;
            while stones != 0 {
                sum += self.powers[stones.trailing_zeros() as usize];
                stones &= stones - 1;
            }
            sum
        };
        sum(own) + 2 * sum(other)
    }
}

/// The value of an empty board for the first player.
fn start(bench: &Bench<'_>, board: &LineBoard, slip: f64) -> Result<f64, Trouble> {
    let value = SlipperyBoard::new(board, slip, Pace::new(bench.watch))
        .value(0, 0, 0)
        .ok_or_else(Trouble::stopped)?;
    // Turns −0 into 0.
    Ok(value + 0.0)
}

pub(crate) fn run(bench: &Bench<'_>) -> Result<Findings, Trouble> {
    let boards: &[&str] = match bench.full {
        true => &["tictactoe", "mnk:4x3,k=3", "mnk:4x4,k=3", "mnk:4x4,k=4"],
        false => &["tictactoe", "mnk:4x3,k=3"],
    };
    let steps = bench.games.unwrap_or(10).max(1);
    let mut findings = Findings::new(format!(
        "a stone slips to an empty neighbour with probability p, {} values of p; --full adds 4x4 boards",
        steps + 1
    ));
    let mut grid = Grid::new("what the first player can expect", &["p"]);
    grid.columns.extend(boards.iter().map(|board| (*board).to_string()));
    let mut series: Vec<Series> = boards.iter().map(|name| Series::new(*name)).collect();
    bench.watch.stage("values of p", u64::from(steps) + 1);
    for step in 0..=steps {
        let slip = f64::from(step) / f64::from(steps);
        let mut row = vec![format!("{slip:.2}")];
        for (name, series) in boards.iter().zip(&mut series) {
            bench.check_cancelled()?;
            let entry = bench.catalog.open(name)?;
            let value = start(bench, &outplay_workbench::board(&entry, &PositionRef::Start)?, slip)?;
            if step == 0 {
                // Without slips it is the deterministic game, whose value is known.
                let known = outplay_workbench::query_best(
                    &bench.session.impartial(),
                    &entry,
                    &PositionRef::Start,
                    bench.watch,
                )?;
                let known = known.answer.value().map(|value| f64::from(value.payoff()));
                findings.claim(
                    known == Some(value),
                    format!("{name} without slipping is worth {value}, not {known:?}."),
                );
            }
            series.points.push(Point::exact(slip, value));
            row.push(format!("{value:+.6}"));
        }
        grid.row(row);
        bench.watch.advance(1);
    }
    for series in &series {
        let ends = series.points.first().zip(series.points.last());
        let most = series.points.iter().max_by(|a, b| a.y.total_cmp(&b.y));
        if let (Some((first, last)), Some(most)) = (ends, most) {
            findings.remark(format!(
                "{}: {:+.3} when nothing slips, {:+.3} when everything does, most ({:+.3}) at p = {:.2}.",
                series.name, first.y, last.y, most.y, most.x
            ));
        }
    }
    findings.tables.push(grid);
    let axes = ["probability p that a stone slips", "expected payoff of the first player"];
    findings.plot(Lines::new("Slippery boards: what moving first is worth", axes, series));
    Ok(findings)
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_catalog::Catalog;
    use outplay_runtime::NoMonitor;

    /// The same by exhaustive recursion, for a board with few empty cells.
    fn plain(board: &LineBoard, slip: f64) -> f64 {
        let (own, other) = match board.turn {
            outplay_core::Turn::Second => (Content::Second, Content::First),
            _ => (Content::First, Content::Second),
        };
        if board.has_line(other) {
            return -1.0;
        }
        let open = board.open_cells();
        let land = |cell: usize| {
            let mut next = board.clone();
            next.cells[cell] = own;
            next.turn = board.turn.other();
            -plain(&next, slip)
        };
        let place = |cell: usize| (cell / board.height, cell % board.height);
        let worth = |&cell: &usize| {
            let near = |&&b: &&usize| {
                let ((ac, ar), (bc, br)) = (place(cell), place(b));
                ac.abs_diff(bc) + ar.abs_diff(br) == 1
            };
            let aside: Vec<f64> = open.iter().filter(near).map(|&cell| land(cell)).collect();
            match aside.len() {
                0 => land(cell),
                ways => (1.0 - slip) * land(cell) + slip * aside.iter().sum::<f64>() / ways as f64,
            }
        };
        open.iter().map(worth).reduce(f64::max).unwrap_or(0.0)
    }

    #[test]
    fn slipping_stones_by_hand() {
        let entry = Catalog::standard().open("tictactoe").unwrap();
        for (position, slip) in
            [("xo./.x./o..", 0.25), ("x.o/.../.x.", 0.5), ("xox/.o./...", 1.0), ("x../.o./...", 0.0)]
        {
            let board = outplay_workbench::board(&entry, &PositionRef::Position(position.into())).unwrap();
            let mut ice = SlipperyBoard::new(
                &outplay_workbench::board(&entry, &PositionRef::Start).unwrap(),
                slip,
                Pace::new(&NoMonitor),
            );
            let stones = |of: Content| {
                (0..9).filter(|&cell| board.cells[cell] == of).fold(0, |bits, cell| bits | 1 << cell)
            };
            let (first, second) = (stones(Content::First), stones(Content::Second));
            let (own, other) =
                if board.turn == outplay_core::Turn::Second { (second, first) } else { (first, second) };
            let code = ice.swapped(own, other);
            let found = ice.value(own, other, code).unwrap();
            assert!((found - plain(&board, slip)).abs() < 1e-12, "{position} {slip}");
        }
    }
}
