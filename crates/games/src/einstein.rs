//! EinStein würfelt nicht! (Ingo Althöfer): numbered cubes race across a board, and a die selects the cube to move.
//!
//! ```text
//! 1 2 .        einstein:3x3, three cubes a side. The first player's cubes (digits) start at the top left and
//! 3 . c        move right, down or diagonally down and right; the second player's cubes (letters) start
//! . b a        at the bottom right and move left, up or diagonally up and left.
//! ```
//!
//! The die has a face for every cube. If the cube of the rolled face is gone, the player moves the next higher or the
//! next lower cube that is left. A cube captures any cube it lands on, own cubes included. A player wins by reaching
//! the opposite corner or by capturing the last opposing cube.
//!
//! Sizes 3 and 4 have three cubes a side, size 5 has six. A position is its rows from the top, joined by `/`, then
//! the player to move, `A` or `B`, then the rolled face, if any: `12./3.c/.ba A 2`.

use crate::Spec;
use outplay_core::{Chance, Game, Gesture, Holder, InputError, Layout, Notation, Payoff, Scene, Spot, Turn};

const MOST_CUBES: usize = 6;
/// The cell of a captured cube.
const GONE: u8 = u8::MAX;

/// EinStein würfelt nicht! on a board of a given size.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Einstein {
    size: u8,
    cubes: u8,
}

/// A position of EinStein: the cells of the cubes, the player to move, and the rolled face (0 before the roll).
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Cubes {
    cells: [[u8; MOST_CUBES]; 2],
    second: bool,
    rolled: u8,
}

/// A move of EinStein: a roll, or a cube's move to a cell.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum CubeMove {
    /// The face of the die, from 1.
    Roll(u8),
    /// The cube, from 0, and the cell.
    Go(u8, u8),
}

impl Einstein {
    /// Parses `einstein`, `einstein:3x3`, `einstein:4x4` or `einstein:5x5`.
    ///
    /// # Errors
    ///
    /// One sentence about the first invalid part.
    pub fn from_spec(spec: Spec) -> Result<Einstein, InputError> {
        let size = match spec.argument() {
            None | Some("5x5") => 5,
            Some("3x3") => 3,
            Some("4x4") => 4,
            Some(other) => {
                return Err(
                    spec.error(format!("there is no board of size `{other}`; choose 3x3, 4x4 or 5x5"))
                );
            }
        };
        spec.finish("no options")?;
        Ok(Einstein { size, cubes: if size == 5 { 6 } else { 3 } })
    }

    /// The goal of the second player is the first cell; that of the first player is the last.
    fn goal(&self, second: bool) -> u8 {
        if second { 0 } else { self.size * self.size - 1 }
    }

    /// The cells that a cube can move to; rows count from the top.
    fn steps(&self, cell: u8, second: bool) -> impl Iterator<Item = u8> + use<> {
        let (size, column, row) = (self.size as i8, (cell % self.size) as i8, (cell / self.size) as i8);
        let ahead = if second { -1 } else { 1 };
        [(ahead, 0), (0, ahead), (ahead, ahead)].into_iter().filter_map(move |(columns, rows)| {
            let (column, row) = (column + columns, row + rows);
            let inside = (0..size).contains(&column) && (0..size).contains(&row);
            inside.then_some((row * size + column) as u8)
        })
    }

    /// The cubes that may move after a roll.
    fn movable(&self, pos: &Cubes) -> impl Iterator<Item = u8> + use<> {
        let cells = pos.cells[usize::from(pos.second)];
        let (face, cubes) = (pos.rolled - 1, self.cubes);
        let here = move |cube: &u8| cells[*cube as usize] != GONE;
        let exact = Some(face).filter(here);
        let lower = (0..face).rev().find(here).filter(|_| exact.is_none());
        let higher = (face + 1..cubes).find(here).filter(|_| exact.is_none());
        exact.into_iter().chain(lower).chain(higher)
    }

    /// The number of steps of each of a player's cubes to the opposite corner; `None` for captured cubes.
    pub fn steps_left(&self, pos: &Cubes, turn: Turn) -> Vec<Option<u8>> {
        let second = turn == Turn::Second;
        let goal = self.goal(second);
        let left = |cell: u8| {
            let columns = (cell % self.size).abs_diff(goal % self.size);
            columns.max((cell / self.size).abs_diff(goal / self.size))
        };
        let cells = &pos.cells[usize::from(second)][..self.cubes.into()];
        cells.iter().map(|&cell| (cell != GONE).then(|| left(cell))).collect()
    }

    fn name(&self, cell: u8) -> String {
        outplay_core::cell_name((cell % self.size).into(), (self.size - 1 - cell / self.size).into())
    }
}

impl Cubes {
    /// The player who moves or rolls.
    pub fn owner(&self) -> Turn {
        if self.second { Turn::Second } else { Turn::First }
    }
}

impl Game for Einstein {
    type Position = Cubes;
    type Move = CubeMove;

    fn start(&self) -> Option<Cubes> {
        let mut cells = [[GONE; MOST_CUBES]; 2];
        // The corner is filled row by row: 1 2 3 / 4 5 / 6, or 1 2 / 3.
        let side = if self.cubes == 6 { 3 } else { 2 };
        let mut cube = 0;
        for row in 0..side {
            for column in 0..side - row {
                cells[0][cube] = row * self.size + column;
                cells[1][cube] = self.goal(false) - (row * self.size + column);
                cube += 1;
            }
        }
        Some(Cubes { cells, second: false, rolled: 0 })
    }

    fn turn(&self, pos: &Cubes) -> Turn {
        match (pos.rolled, pos.second) {
            (0, _) => Turn::Chance,
            (_, false) => Turn::First,
            (_, true) => Turn::Second,
        }
    }

    fn moves(&self, pos: &Cubes, out: &mut Vec<CubeMove>) {
        if self.outcome(pos).is_some() {
            return;
        }
        if pos.rolled == 0 {
            out.extend((1..=self.cubes).map(CubeMove::Roll));
            return;
        }
        let cells = pos.cells[usize::from(pos.second)];
        for cube in self.movable(pos) {
            out.extend(self.steps(cells[cube as usize], pos.second).map(|cell| CubeMove::Go(cube, cell)));
        }
    }

    fn play(&self, pos: &Cubes, mv: CubeMove) -> Cubes {
        let mut next = *pos;
        match mv {
            CubeMove::Roll(face) => next.rolled = face,
            CubeMove::Go(cube, cell) => {
                next.cells
                    .iter_mut()
                    .flatten()
                    .filter(|other| **other == cell)
                    .for_each(|other| *other = GONE);
                next.cells[usize::from(pos.second)][cube as usize] = cell;
                next = Cubes { second: !pos.second, rolled: 0, ..next };
            }
        }
        next
    }

    fn most_positions(&self) -> Option<f64> {
        // Each cube is captured or on a cell of its own: C(cubes, k) · cells · (cells − 1) · … for k cubes left.
        let (cells, cubes) = (u32::from(self.size).pow(2), 2 * u32::from(self.cubes));
        let (mut ways, mut placed) = (1.0, 1.0);
        for left in 0..cubes {
            ways = ways * f64::from((cubes - left) * (cells - left)) / f64::from(left + 1);
            placed += ways;
        }
        // Either player rolls, or has rolled one of the faces.
        Some(placed * 2.0 * (f64::from(self.cubes) + 1.0))
    }

    fn outcome(&self, pos: &Cubes) -> Option<Payoff> {
        if pos.rolled != 0 {
            return None;
        }
        let [first, second] = &pos.cells;
        let gone = |cells: &[u8; MOST_CUBES]| cells.iter().all(|&cell| cell == GONE);
        if first.contains(&self.goal(false)) || gone(second) {
            return Some(1);
        }
        (second.contains(&self.goal(true)) || gone(first)).then_some(-1)
    }
}

impl Chance for Einstein {
    fn outcomes(&self, _pos: &Cubes, out: &mut Vec<(CubeMove, f64)>) {
        out.extend((1..=self.cubes).map(|face| (CubeMove::Roll(face), 1.0 / f64::from(self.cubes))));
    }
}

impl Notation for Einstein {
    fn spec(&self) -> String {
        format!("einstein:{0}x{0}", self.size)
    }

    fn write_position(&self, pos: &Cubes) -> String {
        let letter = |cell: u8| {
            let cube =
                |side: usize| pos.cells[side].iter().position(|&other| other == cell).map(|cube| cube as u8);
            match (cube(0), cube(1)) {
                (Some(cube), _) => char::from(b'1' + cube),
                (_, Some(cube)) => char::from(b'a' + cube),
                _ => '.',
            }
        };
        let row = |row| (0..self.size).map(|column| letter(row * self.size + column)).collect::<String>();
        let rows: Vec<String> = (0..self.size).map(row).collect();
        let rolled = if pos.rolled == 0 { String::new() } else { format!(" {}", pos.rolled) };
        format!("{} {}{rolled}", rows.join("/"), if pos.second { 'B' } else { 'A' })
    }

    fn read_position(&self, text: &str) -> Result<Cubes, InputError> {
        let bad = |why: String| InputError::position(text, why);
        let example = || {
            format!(
                "write it as `{} 2`",
                self.start().map(|pos| self.write_position(&pos)).unwrap_or_default()
            )
        };
        let words: Vec<&str> = text.split_whitespace().collect();
        let (rows, player, rolled) = match *words.as_slice() {
            [rows, player] => (rows, player, 0),
            [rows, player, face] => {
                let face = face.parse().ok().filter(|face| (1..=self.cubes).contains(face));
                (
                    rows,
                    player,
                    face.ok_or_else(|| {
                        bad(format!("the die shows 1 to {}; write one of these numbers", self.cubes))
                    })?,
                )
            }
            _ => return Err(bad(example())),
        };
        let second = match player {
            "A" => false,
            "B" => true,
            _ => return Err(bad("the player to move must be written as A or B".into())),
        };
        let rows: Vec<&str> = rows.split('/').collect();
        if rows.len() != self.size as usize
            || rows.iter().any(|row| row.chars().count() != self.size as usize)
        {
            return Err(bad(format!("the board has {0} rows of {0} cells; {1}", self.size, example())));
        }
        let mut cells = [[GONE; MOST_CUBES]; 2];
        for (cell, letter) in rows.iter().flat_map(|row| row.chars()).enumerate() {
            let (side, cube) = match letter {
                '.' => continue,
                '1'..='6' => (0, letter as u8 - b'1'),
                'a'..='f' => (1, letter as u8 - b'a'),
                _ => {
                    return Err(bad(format!(
                        "`{letter}` is not a cube; the players' cubes are 1 2 3… and a b c…"
                    )));
                }
            };
            if cube >= self.cubes {
                return Err(bad(format!(
                    "`{letter}` is not a cube of this game, which has {} cubes a side",
                    self.cubes
                )));
            }
            if cells[side][cube as usize] != GONE {
                return Err(bad(format!("cube {letter} is on the board twice")));
            }
            cells[side][cube as usize] = cell as u8;
        }
        let pos = Cubes { cells, second, rolled };
        let before = Cubes { rolled: 0, ..pos };
        match self.outcome(&before) {
            Some(_) if rolled != 0 => {
                Err(bad("the game is over; leave out the roll at the end of the position".into()))
            }
            // The player who moved last made the winning move, and only that player can have captured all rivals.
            Some(payoff) if (payoff > 0) != second => {
                Err(bad("no game reaches it: the game would have ended before the last move".into()))
            }
            _ => Ok(pos),
        }
    }

    fn write_move(&self, _pos: &Cubes, mv: CubeMove) -> String {
        match mv {
            CubeMove::Roll(face) => face.to_string(),
            CubeMove::Go(cube, cell) => format!("{}-{}", cube + 1, self.name(cell)),
        }
    }
    /// A spot for each cell, with rows from the top as in the rules.
    fn scene(&self, pos: &Cubes) -> Scene {
        let spot = |cell: u8| {
            let cube = |side: usize| pos.cells[side].iter().position(|&other| other == cell);
            let (holder, label) = match (cube(0), cube(1)) {
                (Some(cube), _) => (Some(Holder::First), (cube + 1).to_string()),
                (_, Some(cube)) => (Some(Holder::Second), (cube + 1).to_string()),
                _ => (None, String::new()),
            };
            let (column, row) = (cell % self.size, self.size - 1 - cell / self.size);
            Spot { name: self.name(cell), x: column.into(), y: row.into(), holder, label }
        };
        let cells = &pos.cells[usize::from(pos.second)];
        let gesture = |mv| {
            let (path, odds) = match mv {
                CubeMove::Roll(_) => (Vec::new(), 1),
                CubeMove::Go(cube, cell) => (vec![cells[cube as usize].into(), cell.into()], 0),
            };
            Gesture { mv: self.write_move(pos, mv), path, odds, ..Gesture::default() }
        };
        let mut moves = Vec::new();
        self.moves(pos, &mut moves);
        let goals = [self.goal(false), self.goal(true)];
        let reached = goals.iter().zip(&pos.cells).filter(|(goal, cells)| cells.contains(goal));
        Scene {
            layout: Layout::Grid,
            width: self.size.into(),
            height: self.size.into(),
            spots: (0..self.size * self.size).map(spot).collect(),
            moves: moves.into_iter().map(gesture).collect(),
            decisive: reached.map(|(&goal, _)| goal.into()).collect(),
            facts: if pos.rolled == 0 { Vec::new() } else { vec![("die".into(), pos.rolled.to_string())] },
            ..Scene::default()
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::laws;

    #[test]
    fn einstein_obeys_the_laws() {
        for text in ["einstein:3x3", "einstein:4x4", "einstein:5x5"] {
            let game = Einstein::from_spec(Spec::parse(text).unwrap()).unwrap();
            assert_eq!(game.spec(), text);
            laws::check(&game);
        }
    }

    #[test]
    fn positions_are_counted_from_above() {
        let most = |text: &str| Einstein::from_spec(Spec::parse(text).unwrap()).unwrap().most_positions();
        // 1 + 54 + 1,080 + 10,080 + 45,360 + 90,720 + 60,480 ways to place up to six cubes on nine cells.
        assert_eq!(most("einstein:3x3"), Some(207_775.0 * 8.0));
        assert!(most("einstein:4x4") > Some(7e7));
    }

    #[test]
    fn the_nearest_cube_moves_if_the_rolled_one_is_gone() {
        let game = Einstein::from_spec(Spec::parse("einstein:5x5").unwrap()).unwrap();
        let cubes = |text: &str| -> Vec<u8> { game.movable(&game.read_position(text).unwrap()).collect() };
        assert_eq!(cubes("1...4/...../...../...../a.... A 1"), [0]);
        assert_eq!(cubes("1...4/...../...../...../a.... A 3"), [0, 3]);
        assert_eq!(cubes("1...4/...../...../...../a.... A 6"), [3]);
    }
}
