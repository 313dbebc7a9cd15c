//! Helpfulness of all cells by sliding-window sums: 1 plus the stones of each open window of k cells through a cell.
//!
//! ```text
//!   S   numbers of both players' stones in the window that starts at a cell, packed into one integer
//!   w   the weight that this window adds to each of its cells
//!   V   the sum of w over the k windows along one direction that contain the cell
//! ```
//!
//! S and V of a cell follow from those of its neighbour along the direction by one addition and one subtraction. So the
//! time does not depend on k, loops run over whole columns, and the memory is one integer per cell plus k columns of w.
//! The sums cannot overflow; `wrapping_add` avoids overflow checks, which would cost several times as much as the sums.

use outplay_core::{Content, LineBoard, Turn};

// Packed counts: own stones in bits 0-9, the opponent's in bits 10-19, unplayable cells from bit 20.
const OTHER: i32 = 1 << 10;
const DEAD: i32 = 1 << 20;
/// The greatest k that the packed counts can hold.
pub(crate) const MOST_K: usize = 1000;

/// Variant of the helpfulness heuristic: which windows are counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The paper's first form: windows without a stone of the opponent.
    First,
    /// Its revised form: also windows without an own stone.
    Revised,
}

/// The helpfulness of a board's cells, and the cells that complete a line.
pub(crate) struct Helpfulness {
    /// The helpfulness of every cell, meaningful where it is empty. On large boards the low [`TIE_BITS`] bits hold the
    /// helpfulness from own windows, as a tie-break.
    pub(crate) cells: Vec<i32>,
    /// Empty cells where the player to move completes a line.
    pub(crate) wins: Vec<usize>,
    /// Empty cells where the opponent would complete a line.
    pub(crate) blocks: Vec<usize>,
}

/// Sliding-window sums along one direction, from column to column.
struct SlidingWindows {
    /// Rows by which a window rises with each column.
    rise: isize,
    /// S of the windows that start in the last column, w of the last k columns, and V of the last column.
    stones: Vec<i32>,
    worth: Vec<Vec<i32>>,
    sums: Vec<i32>,
    /// Scratch column for the next S or V.
    next: Vec<i32>,
}

/// Ring buffer of the packed columns that windows starting in one column cover.
struct ColumnRing {
    columns: Vec<Vec<i32>>,
}

impl ColumnRing {
    fn at(&self, column: usize) -> &[i32] {
        &self.columns[column % self.columns.len()]
    }
}

/// Packs the content of a column.
fn pack(board: &LineBoard, own: Content, column: usize, out: &mut [i32]) {
    let cells = &board.cells[column * board.height..(column + 1) * board.height];
    for (content, out) in cells.iter().zip(out.iter_mut()) {
        let stone = if *content == own { 1 } else { OTHER };
        let taken = if *content == Content::Blocked { DEAD } else { stone };
        *out = if *content == Content::Empty { 0 } else { taken };
    }
    // With gravity, cells beneath an obstacle are unplayable.
    out[..board.floor(column)].fill(DEAD);
}

/// Low bits of the helpfulness that hold the tie-break.
const TIE_BITS: u32 = 15;

/// The scoring of windows.
#[derive(Clone, Copy)]
struct WindowScoring {
    /// All bits set if the opponent's windows count.
    both: i32,
    /// Width of the tie-break in bits, and its mask.
    ties: u32,
    tied: i32,
}

impl WindowScoring {
    fn of(board: &LineBoard, form: Form) -> WindowScoring {
        // In the revised form an empty window counts 1 for each player, and one with a single stone counts 2 for its
        // owner: the same sum. On a board much larger than k this would scatter stones over the board, so own windows
        // break ties there.
        let vast = board.width.min(board.height) >= 2 * board.k && board.k <= 90;
        let ties = if vast && form == Form::Revised { TIE_BITS } else { 0 };
        WindowScoring { both: -i32::from(form == Form::Revised), ties, tied: -i32::from(ties > 0) }
    }
}

/// The weight that a window adds to each of its cells.
#[inline(always)]
fn worth(stones: i32, WindowScoring { both, ties, tied }: WindowScoring) -> i32 {
    let (own, other) = (stones & (OTHER - 1), (stones >> 10) & (OTHER - 1));
    let mine = if other == 0 { 1i32.wrapping_add(own) } else { 0 };
    let theirs = if own == 0 { 1i32.wrapping_add(other) } else { 0 };
    let sum = mine.wrapping_add(theirs & both) << ties;
    if stones < DEAD { sum.wrapping_add(mine & tied) } else { 0 }
}

impl Helpfulness {
    /// Computes the helpfulness for the player to move.
    pub(crate) fn of(board: &LineBoard, form: Form) -> Helpfulness {
        let own = if board.turn == Turn::Second { Content::Second } else { Content::First };
        let mut found =
            Helpfulness { cells: vec![0; board.cells.len()], wins: Vec::new(), blocks: Vec::new() };
        if board.k <= board.height {
            found.add_vertical(board, own, form);
        }
        if board.k > 1 && board.k <= board.width {
            found.add_sloped(board, own, form);
        }
        for list in [&mut found.wins, &mut found.blocks] {
            list.sort_unstable();
            list.dedup();
        }
        found
    }

    /// Records the gap of a window that is one stone short of a line.
    #[cold]
    fn record_gap(&mut self, board: &LineBoard, stones: i32, cells: impl Iterator<Item = usize>) {
        let mut cells = cells;
        let Some(gap) = cells.find(|&cell| board.cells[cell] == Content::Empty) else { return };
        if stones == board.k as i32 - 1 {
            self.wins.push(gap);
        }
        if stones == (board.k as i32 - 1) * OTHER {
            self.blocks.push(gap);
        }
    }

    /// Adds the vertical windows.
    fn add_vertical(&mut self, board: &LineBoard, own: Content, form: Form) {
        let (h, k) = (board.height, board.k);
        let count = WindowScoring::of(board, form);
        let mut packed = vec![0; h];
        let mut worths = vec![0; h - k + 1];
        let mut empty: Option<Vec<i32>> = None;
        for column in 0..board.width {
            pack(board, own, column, &mut packed);
            let cells = column * h..(column + 1) * h;
            let bare = packed.iter().all(|&content| content == 0) && k > 1;
            // Most columns of a large board are empty, and all empty columns have the same sums.
            if let Some(sums) = empty.as_ref().filter(|_| bare) {
                self.cells[cells]
                    .iter_mut()
                    .zip(sums)
                    .for_each(|(cell, sum)| *cell = cell.wrapping_add(*sum));
                continue;
            }
            let mut stones: i32 = packed[..k - 1].iter().sum();
            for row in 0..=h - k {
                stones += packed[row + k - 1];
                worths[row] = worth(stones, count);
                if stones == k as i32 - 1 || stones == (k as i32 - 1) * OTHER {
                    self.record_gap(board, stones, column * h + row..column * h + row + k);
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
            self.cells[cells].iter_mut().zip(&sums).for_each(|(cell, sum)| *cell = cell.wrapping_add(*sum));
            if bare {
                empty = Some(sums);
            }
        }
    }

    /// Adds the horizontal and diagonal windows.
    fn add_sloped(&mut self, board: &LineBoard, own: Content, form: Form) {
        let (h, k) = (board.height, board.k);
        let rises: &[isize] = if k <= h { &[0, 1, -1] } else { &[0] };
        let column = || vec![0; h];
        let mut slides: Vec<SlidingWindows> = rises
            .iter()
            .map(|&rise| SlidingWindows {
                rise,
                stones: column(),
                worth: vec![column(); k],
                sums: column(),
                next: column(),
            })
            .collect();
        let mut ring = ColumnRing { columns: vec![column(); k + 1] };
        for at in 0..k - 1 {
            pack(board, own, at, &mut ring.columns[at]);
        }
        for at in 0..board.width {
            if at + k <= board.width {
                let last = at + k - 1;
                pack(board, own, last, &mut ring.columns[last % (k + 1)]);
            }
            for slide in &mut slides {
                slide.step(board, form, at, &ring, self);
                let cells = &mut self.cells[at * h..(at + 1) * h];
                cells.iter_mut().zip(&slide.sums).for_each(|(cell, sum)| *cell = cell.wrapping_add(*sum));
            }
        }
    }
}

/// The overlapping parts of two columns when the second is shifted by some rows.
#[inline]
fn aligned<'a>(target: &'a mut [i32], source: &'a [i32], shift: isize) -> (&'a mut [i32], &'a [i32]) {
    let h = target.len();
    let by = shift.unsigned_abs().min(h);
    if shift >= 0 { (&mut target[by..], &source[..h - by]) } else { (&mut target[..h - by], &source[by..]) }
}

impl SlidingWindows {
    /// Advances to the windows that start in a column, and updates the sums of its cells.
    fn step(
        &mut self,
        board: &LineBoard,
        form: Form,
        column: usize,
        ring: &ColumnRing,
        found: &mut Helpfulness,
    ) {
        let (h, k, rise) = (board.height, board.k, self.rise);
        let starts = column + k <= board.width;
        // The oldest column of weights leaves the sums.
        let slot = column % k;
        let mut worths = std::mem::take(&mut self.worth[slot]);
        let (next, sums) = aligned(&mut self.next, &self.sums, rise);
        next.copy_from_slice(sums);
        match rise {
            1 => self.next[0] = 0,
            -1 => self.next[h - 1] = 0,
            _ => {}
        }
        if column >= k {
            let (next, worths) = aligned(&mut self.next, &worths, k as isize * rise);
            next.iter_mut().zip(worths).for_each(|(sum, worth)| *sum = sum.wrapping_sub(*worth));
        }
        std::mem::swap(&mut self.sums, &mut self.next);
        if starts {
            self.slide_stones(k, column, ring);
            // Rows where windows can start.
            let rows = match rise {
                1 => 0..h - (k - 1),
                -1 => k - 1..h,
                _ => 0..h,
            };
            let count = WindowScoring::of(board, form);
            let (short, shorter) = (k as i32 - 1, (k as i32 - 1) * OTHER);
            let mut hot = false;
            let stones = &self.stones[rows.clone()];
            for (out, &stones) in worths[rows.clone()].iter_mut().zip(stones) {
                *out = worth(stones, count);
                hot |= (stones == short) | (stones == shorter);
            }
            if hot {
                for row in rows {
                    let stones = self.stones[row];
                    if stones == short || stones == shorter {
                        let cell = |i: usize| (column + i) * h + (row as isize + i as isize * rise) as usize;
                        found.record_gap(board, stones, (0..k).map(cell));
                    }
                }
            }
            self.sums.iter_mut().zip(&worths).for_each(|(sum, worth)| *sum = sum.wrapping_add(*worth));
        } else {
            worths.fill(0);
        }
        self.worth[slot] = worths;
    }

    /// Computes S of the windows that start in a column from the previous column: one cell leaves, one enters.
    fn slide_stones(&mut self, k: usize, column: usize, ring: &ColumnRing) {
        let (h, rise) = (self.stones.len(), self.rise);
        let enters = (k as isize - 1) * rise;
        if column == 0 {
            self.stones.fill(0);
            for i in 0..k {
                let (stones, content) = aligned(&mut self.stones, ring.at(i), -(i as isize) * rise);
                stones.iter_mut().zip(content).for_each(|(sum, content)| *sum = sum.wrapping_add(*content));
            }
            return;
        }
        self.stones
            .iter_mut()
            .zip(ring.at(column - 1))
            .for_each(|(sum, content)| *sum = sum.wrapping_sub(*content));
        let (next, stones) = aligned(&mut self.next, &self.stones, rise);
        next.copy_from_slice(stones);
        let (next, content) = aligned(&mut self.next, ring.at(column + k - 1), -enters);
        next.iter_mut().zip(content).for_each(|(sum, content)| *sum = sum.wrapping_add(*content));
        std::mem::swap(&mut self.stones, &mut self.next);
        // The window at the edge has no predecessor.
        let edge = match rise {
            1 => 0,
            -1 => h - 1,
            _ => return,
        };
        let cell = |i: usize| (edge as isize + i as isize * rise) as usize;
        self.stones[edge] = (0..k).map(|i| ring.at(column + i)[cell(i)]).sum();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{Game, LineGame, Notation};
    use outplay_games::mnk::{LargeMnk, Rules};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// The reference: a scan of every window.
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
    fn sliding_sums_equal_plain_sums() {
        for spec in [
            "mnk:4x4,k=4",
            "mnk:7x5,k=3,obstacles=b2+d4",
            "connect4",
            "connect4:6x7,obstacles=c2+f4",
            "mnk:9x9,k=5",
            "mnk:6x3,k=4",
            "mnk:3x6,k=4",
            "mnk:5x5,k=2",
            "mnk:11x10,k=5,obstacles=e5",
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
                        let mut wanted = plain(&board, form);
                        if WindowScoring::of(&board, form).ties > 0 {
                            let own = plain(&board, Form::First);
                            wanted.iter_mut().zip(own).for_each(|(sum, own)| *sum = (*sum << 15) + own);
                        }
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
