//! How helpful every cell of a board is: over all windows of k cells through it, one and the stones in them.
//!
//! ```text
//!   S   stones of both players in the window that begins here, counted in one packed integer
//!   w   what such a window adds to each of its cells
//!   V   the sum of w over the k windows along one direction that hold the cell
//! ```
//!
//! All three slide: S and V of a cell follow from those of its neighbour along the direction by one step in and
//! one step out. So the work is the same for every k, whole columns at a time, and besides one integer per
//! cell it needs k columns of w.

use outplay_core::{Content, LineBoard, Turn};

/// Own stones are counted in the low bits, the opponent's above them, cells that nobody can fill on top.
const OTHER: i32 = 1 << 10;
const DEAD: i32 = 1 << 20;
/// The longest line that the packed counts can hold.
pub(crate) const MOST_K: usize = 1000;

/// Which windows help.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The paper's first idea: windows without a stone of the opponent.
    First,
    /// Its second: those, and the windows that would help the opponent.
    Revised,
}

/// The helpfulness of a board's cells, and what is urgent.
pub(crate) struct Helpfulness {
    /// One number for every cell, meaningful where it is empty.
    pub(crate) cells: Vec<i32>,
    /// Empty cells where the player to move completes a line.
    pub(crate) wins: Vec<usize>,
    /// Empty cells where the opponent would.
    pub(crate) blocks: Vec<usize>,
}

/// A look along one direction that moves from column to column.
struct Slide<'a> {
    board: &'a LineBoard,
    form: Form,
    rise: isize,
    /// S, w of the last k columns, and V; `next` is what they slide into.
    stones: Vec<i32>,
    next: Vec<i32>,
    worth: Vec<Vec<i32>>,
    sums: Vec<i32>,
}

/// The packed content of a column.
fn pack(board: &LineBoard, own: Content, column: usize, out: &mut [i32]) {
    let floor = board.floor(column);
    let cells = &board.cells[column * board.height..(column + 1) * board.height];
    for (row, (content, out)) in cells.iter().zip(out.iter_mut()).enumerate() {
        *out = match *content {
            _ if row < floor => DEAD,
            Content::Empty => 0,
            Content::Blocked => DEAD,
            stone if stone == own => 1,
            _ => OTHER,
        };
    }
}

/// What a window adds to its cells.
#[inline(always)]
fn worth(stones: i32, both: i32) -> i32 {
    let (own, other) = (stones & (OTHER - 1), (stones >> 10) & (OTHER - 1));
    let alive = i32::from(stones < DEAD);
    alive * (i32::from(other == 0) * (1 + own) + both * i32::from(own == 0) * (1 + other))
}

impl Helpfulness {
    /// Looks at a board as the player to move sees it.
    pub(crate) fn of(board: &LineBoard, form: Form) -> Helpfulness {
        let own = if board.turn == Turn::Second { Content::Second } else { Content::First };
        let mut found =
            Helpfulness { cells: vec![0; board.cells.len()], wins: Vec::new(), blocks: Vec::new() };
        if board.k <= board.height {
            found.rise(board, own, form);
        }
        if board.k > 1 && board.k <= board.width {
            found.slide(board, own, form, 0);
            if board.k <= board.height {
                found.slide(board, own, form, 1);
                found.slide(board, own, form, -1);
            }
        }
        for list in [&mut found.wins, &mut found.blocks] {
            list.sort_unstable();
            list.dedup();
        }
        found
    }

    /// Notes the gap of a window that is one stone short of a line.
    #[cold]
    fn note(&mut self, board: &LineBoard, stones: i32, cells: impl Iterator<Item = usize>) {
        let mut cells = cells;
        let Some(gap) = cells.find(|&cell| board.cells[cell] == Content::Empty) else { return };
        if stones == board.k as i32 - 1 {
            self.wins.push(gap);
        }
        if stones == (board.k as i32 - 1) * OTHER {
            self.blocks.push(gap);
        }
    }

    /// The windows that stand upright.
    fn rise(&mut self, board: &LineBoard, own: Content, form: Form) {
        let (h, k) = (board.height, board.k);
        let both = i32::from(form == Form::Revised);
        let mut packed = vec![0; h];
        let mut worths = vec![0; h - k + 1];
        let mut empty: Option<Vec<i32>> = None;
        for column in 0..board.width {
            pack(board, own, column, &mut packed);
            let cells = column * h..(column + 1) * h;
            let bare = packed.iter().all(|&content| content == 0) && k > 1;
            // Most columns of a large board are empty, and all empty columns are alike.
            if let Some(sums) = empty.as_ref().filter(|_| bare) {
                self.cells[cells].iter_mut().zip(sums).for_each(|(cell, sum)| *cell += sum);
                continue;
            }
            let mut stones: i32 = packed[..k - 1].iter().sum();
            for row in 0..=h - k {
                stones += packed[row + k - 1];
                worths[row] = worth(stones, both);
                if stones == k as i32 - 1 || stones == (k as i32 - 1) * OTHER {
                    self.note(board, stones, column * h + row..column * h + row + k);
                }
                stones -= packed[row];
            }
            let mut sums = vec![0; h];
            let mut sum = 0;
            for row in 0..h {
                sum += worths.get(row).copied().unwrap_or(0);
                if row >= k {
                    sum -= worths[row - k];
                }
                sums[row] = sum;
            }
            self.cells[cells].iter_mut().zip(&sums).for_each(|(cell, sum)| *cell += sum);
            if bare {
                empty = Some(sums);
            }
        }
    }

    /// The windows that run from column to column, rising by `rise` rows at each step.
    fn slide(&mut self, board: &LineBoard, own: Content, form: Form, rise: isize) {
        let (h, k) = (board.height, board.k);
        let mut slide = Slide {
            board,
            form,
            rise,
            stones: vec![0; h],
            next: vec![0; h],
            worth: vec![vec![0; h]; k],
            sums: vec![0; h],
        };
        let mut packed = vec![0; h];
        for column in 0..board.width {
            slide.step(self, own, column, &mut packed);
            let cells = &mut self.cells[column * h..(column + 1) * h];
            cells.iter_mut().zip(&slide.sums).for_each(|(cell, sum)| *cell += sum);
        }
    }
}

/// Adds or subtracts a column that is shifted by some rows; what has no partner is left alone.
#[inline]
fn shifted(target: &mut [i32], source: &[i32], shift: isize, change: impl Fn(i32, i32) -> i32) {
    let h = target.len();
    let by = shift.unsigned_abs().min(h);
    let (target, source) = if shift >= 0 {
        (&mut target[by..], &source[..h - by])
    } else {
        (&mut target[..h - by], &source[by..])
    };
    target.iter_mut().zip(source).for_each(|(target, &source)| *target = change(*target, source));
}

impl Slide<'_> {
    /// Goes on to the windows that begin in a column, and to the sums of its cells.
    fn step(&mut self, found: &mut Helpfulness, own: Content, column: usize, packed: &mut [i32]) {
        let (board, rise) = (self.board, self.rise);
        let (h, k) = (board.height, board.k);
        let starts = column + k <= board.width;
        // Rows where windows can begin, and the row that has no neighbour to slide from.
        let reach = (k as isize - 1) * rise;
        let rows = if rise > 0 {
            0..h - (k - 1)
        } else if rise < 0 {
            k - 1..h
        } else {
            0..h
        };
        if starts {
            if column == 0 {
                self.stones.fill(0);
                for i in 0..k {
                    pack(board, own, i, packed);
                    shifted(&mut self.stones, packed, -(i as isize) * rise, |sum, content| sum + content);
                }
            } else {
                // One column leaves, everything moves along, one column enters.
                pack(board, own, column - 1, packed);
                self.stones.iter_mut().zip(packed.iter()).for_each(|(sum, content)| *sum -= content);
                self.next.fill(0);
                shifted(&mut self.next, &self.stones, rise, |_, sum| sum);
                pack(board, own, column + k - 1, packed);
                shifted(&mut self.next, packed, -reach, |sum, content| sum + content);
                std::mem::swap(&mut self.stones, &mut self.next);
                let fresh = if rise > 0 {
                    Some(0)
                } else if rise < 0 {
                    Some(h - 1)
                } else {
                    None
                };
                if let Some(row) = fresh {
                    self.stones[row] = (0..k)
                        .map(|i| content(board, own, column + i, (row as isize + i as isize * rise) as usize))
                        .sum();
                }
            }
        }
        // The oldest column of worths leaves the sums and makes room for the new one.
        let slot = column % k;
        let mut oldest = std::mem::take(&mut self.worth[slot]);
        self.next.fill(0);
        shifted(&mut self.next, &self.sums, rise, |_, sum| sum);
        if column >= k {
            shifted(&mut self.next, &oldest, k as isize * rise, |sum, worth| sum - worth);
        }
        std::mem::swap(&mut self.sums, &mut self.next);
        oldest.fill(0);
        if starts {
            let both = i32::from(self.form == Form::Revised);
            let (short, shorter) = (k as i32 - 1, (k as i32 - 1) * OTHER);
            let mut hot = false;
            for (out, &stones) in oldest[rows.clone()].iter_mut().zip(&self.stones[rows.clone()]) {
                *out = worth(stones, both);
                hot |= (stones == short) | (stones == shorter);
            }
            if hot {
                for row in rows {
                    let stones = self.stones[row];
                    if stones == short || stones == shorter {
                        let cell = |i: usize| (column + i) * h + (row as isize + i as isize * rise) as usize;
                        found.note(board, stones, (0..k).map(cell));
                    }
                }
            }
            self.sums.iter_mut().zip(&oldest).for_each(|(sum, worth)| *sum += worth);
        }
        self.worth[slot] = oldest;
    }
}

/// The packed content of one cell.
fn content(board: &LineBoard, own: Content, column: usize, row: usize) -> i32 {
    let cell = board.cell(column, row);
    match board.cells[cell] {
        _ if !board.playable(cell) => DEAD,
        Content::Empty => 0,
        stone if stone == own => 1,
        _ => OTHER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{Game, LineGame, Notation};
    use outplay_games::mnk::{LargeMnk, Rules};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// The same by looking at every window.
    fn plain(board: &LineBoard, form: Form) -> Vec<i32> {
        let own = if board.turn == Turn::Second { Content::Second } else { Content::First };
        let mut cells = vec![0; board.cells.len()];
        for line in board.lines() {
            let count = |wanted: &dyn Fn(Content) -> bool| {
                line.iter().filter(|&&c| wanted(board.cells[c])).count() as i32
            };
            let mine = count(&|content| content == own);
            let theirs = count(&|content| content != own && content != Content::Empty);
            let mut worth = if theirs == 0 { 1 + mine } else { 0 };
            if mine == 0 && form == Form::Revised {
                worth += 1 + theirs;
            }
            line.iter().for_each(|&cell| cells[cell] += worth);
        }
        cells
    }

    #[test]
    fn figure_8() {
        let game = LargeMnk::new(Rules::parse("mnk:4x4,k=4").unwrap());
        let pos = game.read_position(".oox/xxoo/xoxo/.x..").unwrap();
        let found = Helpfulness::of(&game.board(&pos), Form::Revised);
        let at = |name: &str| {
            let (column, row) = outplay_core::parse_cell(name).unwrap();
            found.cells[column * 4 + row]
        };
        assert_eq!(["a4", "a1", "c1", "d1"].map(at), [6, 5, 2, 5]);
    }

    #[test]
    fn sliding_counts_what_looking_at_every_window_counts() {
        for spec in [
            "mnk:4x4,k=4",
            "mnk:7x5,k=3,obstacles=b2+d4",
            "connect4",
            "connect4:6x7,obstacles=c2+f4",
            "mnk:9x9,k=5",
            "mnk:6x3,k=4",
            "mnk:3x6,k=4",
            "mnk:5x5,k=2",
            "mnk:8x8,k=8",
        ] {
            let game = LargeMnk::new(Rules::parse(spec).unwrap());
            for seed in 0..40 {
                let mut rng = SmallRng::seed_from_u64(seed);
                let mut pos = game.start().unwrap();
                loop {
                    let mut moves = Vec::new();
                    game.moves(&pos, &mut moves);
                    if moves.is_empty() {
                        break;
                    }
                    let board = game.board(&pos);
                    let own = if board.turn == Turn::Second { Content::Second } else { Content::First };
                    for form in [Form::First, Form::Revised] {
                        let found = Helpfulness::of(&board, form);
                        let wanted = plain(&board, form);
                        let empty =
                            |cell: &usize| board.cells[*cell] == Content::Empty && board.playable(*cell);
                        for cell in (0..wanted.len()).filter(empty) {
                            assert_eq!(
                                found.cells[cell],
                                wanted[cell],
                                "{spec} {} {cell}",
                                game.write_position(&pos)
                            );
                            assert_eq!(found.wins.contains(&cell), board.completes(cell, own));
                        }
                    }
                    pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
                }
            }
        }
    }
}
