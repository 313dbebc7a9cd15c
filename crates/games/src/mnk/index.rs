//! Tight index of m,n,k boards: every rank is a board, and tiers are numbers of stones.
//!
//! ```text
//! rank = rank of the shape × C(n, f) + rank of the colouring
//!
//! shape      with gravity: the heights of the columns, a bounded composition of n
//!            without:      the set of filled cells, a subset of size n
//! colouring  the set of the f stones that are the first player's, a subset of the n stones
//! ```
//!
//! n is the number of stones placed since the start; preset stones and obstacles do not count. Every rank below a
//! tier's size is a board with the right numbers of stones, so there are no holes. Boards that play cannot reach,
//! because a line ended the game earlier, have ranks too.

use super::{Board, Mnk, Rules};
use outplay_core::{Content, Index, Link, Tier, Turn};
use outplay_index::Bits;
use outplay_index::{Compositions, Subsets, binomial, next_subset};
use std::ops::Range;

enum ShapeRanks {
    Heights(Compositions),
    Sets(Subsets),
}

/// Tight index of a game on a bitboard with up to 64 free cells.
pub struct MnkIndex<B> {
    /// Cells that can receive a stone.
    free: B,
    /// The first free cell of each column, and the number of its free cells.
    columns: Vec<(u32, u32)>,
    presets: [B; 2],
    second_starts: bool,
    cells: u32,
    shapes: ShapeRanks,
    colourings: Subsets,
}

impl<B: Bits> MnkIndex<B> {
    /// Builds the index; `None` if the numbers of a tier exceed 64 bits.
    pub fn new(game: &Mnk<B>) -> Option<MnkIndex<B>> {
        let start = game.start_board();
        let free = game.playable() & !start.occupied();
        let cells = free.count();
        if cells > 64 || tier_sizes(game.rules())?.iter().any(|&size| size > u128::from(u64::MAX)) {
            return None;
        }
        let board = game.rules().start();
        let stride = board.height as u32 + 1;
        let columns = (0..board.width as u32)
            .map(|column| {
                let column_bits = (0..board.height as u32).map(|row| column * stride + row);
                let open: Vec<u32> = column_bits.filter(|&bit| free.has(bit)).collect();
                (open.first().copied().unwrap_or(column * stride), open.len() as u32)
            })
            .collect::<Vec<_>>();
        let shapes = if board.gravity {
            let caps: Vec<u32> = columns.iter().map(|&(_, cap)| cap).collect();
            ShapeRanks::Heights(Compositions::new(&caps)?)
        } else {
            ShapeRanks::Sets(Subsets::new(cells))
        };
        Some(MnkIndex {
            free,
            columns,
            presets: start.stones,
            second_starts: start.second_to_move,
            cells,
            shapes,
            colourings: Subsets::new(cells),
        })
    }

    /// The number of the first player's stones among n placed stones.
    fn firsts(&self, n: u32) -> u32 {
        if self.second_starts { n / 2 } else { n.div_ceil(2) }
    }

    /// The number of shapes with n stones.
    fn shapes(&self, n: u32) -> u64 {
        match &self.shapes {
            ShapeRanks::Heights(heights) => heights.count(n),
            ShapeRanks::Sets(sets) => sets.count(self.cells, n),
        }
    }

    /// The cells filled by the shape with a rank.
    fn shape(&self, n: u32, number: u64) -> B {
        match &self.shapes {
            ShapeRanks::Heights(heights) => {
                let mut filled = B::NONE;
                for (&(base, _), h) in self.columns.iter().zip(heights.unrank(n, number)) {
                    filled = filled | (0..h).fold(B::NONE, |bits, i| bits | B::one(base + i));
                }
                filled
            }
            ShapeRanks::Sets(sets) => B::scatter(sets.unrank(n, number), self.free),
        }
    }

    #[inline]
    fn shape_rank(&self, n: u32, filled: B) -> u64 {
        match &self.shapes {
            ShapeRanks::Heights(heights) => {
                // Below its lowest empty cell a column is full, so its height is the position of the first zero bit.
                let height = |&(base, _): &(u32, u32)| (!(filled >> base)).lowest();
                heights.rank(n, self.columns.iter().map(height))
            }
            ShapeRanks::Sets(sets) => sets.rank(filled.gather(self.free)),
        }
    }

    /// Visits the shapes of a range of numbers: the filled cells, the first colouring, and the numbers.
    fn walk_shapes(&self, n: u32, range: Range<u64>, mut visit: impl FnMut(B, u64, Range<u64>)) {
        if range.is_empty() {
            return;
        }
        let colourings = self.colourings.count(n, self.firsts(n));
        let mut shape = range.start / colourings;
        let mut first = self.colourings.unrank(self.firsts(n), range.start % colourings);
        let mut filled = self.shape(n, shape);
        let mut number = range.start;
        loop {
            let end = range.end.min((shape + 1) * colourings);
            visit(filled, first, number..end);
            if end == range.end {
                return;
            }
            (number, shape) = (end, shape + 1);
            // Every further shape begins with its first colouring: the lowest stones are the first player's.
            first = (1u64 << self.firsts(n)) - 1;
            filled = match &self.shapes {
                ShapeRanks::Sets(_) => B::scatter(next_subset(filled.gather(self.free)), self.free),
                ShapeRanks::Heights(_) => self.shape(n, shape),
            };
        }
    }

    fn position(&self, n: u32, filled: B, first: B) -> Board<B> {
        Board {
            stones: [self.presets[0] | first, self.presets[1] | (filled & !first)],
            second_to_move: (n % 2 == 1) != self.second_starts,
        }
    }
}

impl<B: Bits> Index<Mnk<B>> for MnkIndex<B> {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.cells + 1
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        if tier.0 < self.cells { vec![Tier(tier.0 + 1)] } else { Vec::new() }
    }

    fn len(&self, Tier(n): Tier) -> u64 {
        self.shapes(n) * self.colourings.count(n, self.firsts(n))
    }

    #[inline]
    fn rank(&self, pos: &Board<B>) -> (Tier, u64) {
        let filled = pos.occupied() & self.free;
        let n = filled.count();
        let colouring = self.colourings.rank(pos.stones[0].gather(filled));
        let number = self.shape_rank(n, filled) * self.colourings.count(n, self.firsts(n)) + colouring;
        (Tier(n), number)
    }

    fn unrank(&self, Tier(n): Tier, number: u64) -> Option<Board<B>> {
        let colourings = self.colourings.count(n, self.firsts(n));
        let filled = self.shape(n, number / colourings);
        let first = self.colourings.unrank(self.firsts(n), number % colourings);
        Some(self.position(n, filled, B::scatter(first, filled)))
    }

    fn walk(&self, Tier(n): Tier, range: Range<u64>, visit: &mut impl FnMut(u64, &Board<B>)) {
        self.walk_shapes(n, range, |filled, first, numbers| {
            let mut first = first;
            for number in numbers {
                visit(number, &self.position(n, filled, B::scatter(first, filled)));
                first = next_subset(first);
            }
        });
    }

    fn walk_steps(
        &self,
        game: &Mnk<B>,
        Tier(n): Tier,
        range: Range<u64>,
        wanted: &impl Fn(u64) -> bool,
        visit: &mut impl FnMut(u64, &Board<B>, &[Link]),
    ) {
        let (mut inserts, mut steps) = (Vec::new(), Vec::new());
        let second_to_move = (n % 2 == 1) != self.second_starts;
        let last = usize::from(!second_to_move);
        self.walk_shapes(n, range, |filled, first, numbers| {
            self.inserts(game, n, filled, &mut inserts);
            let mut first = first;
            for number in numbers {
                let colouring = first;
                first = next_subset(first);
                if !wanted(number) {
                    continue;
                }
                let pos = self.position(n, filled, B::scatter(colouring, filled));
                steps.clear();
                if !game.has_line(pos.stones[last]) {
                    steps.extend(inserts.iter().map(|insert| {
                        // The stones above the new one shift up by one bit, and the new bit is set if the stone is
                        // the first player's.
                        let stone = if second_to_move { 0 } else { insert.low + 1 };
                        let next = (colouring & insert.low) | stone | (colouring & !insert.low) << 1;
                        let number = insert.base + self.colourings.rank(next);
                        Link { tier: Tier(n + 1), number, same_player: false }
                    }));
                }
                visit(number, &pos, &steps);
            }
        });
    }
}

impl<B: Bits> MnkIndex<B> {
    /// The effect of each move from a shape on the number, for any colouring.
    fn inserts(&self, game: &Mnk<B>, n: u32, filled: B, out: &mut Vec<Insert>) {
        out.clear();
        if n == self.cells {
            return;
        }
        let colourings = self.colourings.count(n + 1, self.firsts(n + 1));
        let open = game.open(&self.position(n, filled, B::NONE));
        out.extend(open.cells().map(|cell| {
            let next = filled | B::one(cell);
            let below = (filled & (B::one(cell) - B::one(0))).count();
            Insert { base: self.shape_rank(n + 1, next) * colourings, low: (1 << below) - 1 }
        }));
    }
}

/// A move as an update of the number: the first number of the next shape, and the bits of the colouring below the new
/// stone.
struct Insert {
    base: u64,
    low: u64,
}

/// The size of every tier of the tight index, for boards of any size; `None` beyond 128 bits.
pub fn tier_sizes(rules: &Rules) -> Option<Vec<u128>> {
    let board = rules.start();
    let free = |cell: usize| board.cells[cell] == Content::Empty;
    // No free cell is buried above the floor, and each column is scanned only once, however long it is.
    let caps: Vec<usize> = (0..board.width)
        .map(|column| {
            (board.floor(column)..board.height).filter(|&row| free(board.cell(column, row))).count()
        })
        .collect();
    let cells: usize = caps.iter().sum();
    if cells > 1000 {
        return None; // far beyond 128 bits, and the sums below would take long
    }
    let mut shapes = vec![0u128; cells + 1];
    if board.gravity {
        // Counts height vectors by their sum, adding one column at a time.
        shapes[0] = 1;
        for &cap in &caps {
            let before = shapes.clone();
            for (n, sum) in shapes.iter_mut().enumerate() {
                *sum = 0;
                for h in 0..=cap.min(n) {
                    *sum = sum.checked_add(before[n - h])?;
                }
            }
        }
    } else {
        for (n, count) in shapes.iter_mut().enumerate() {
            *count = binomial(cells as u32, n as u32)?;
        }
    }
    let second_starts = board.turn == Turn::Second;
    let size = |(n, count): (usize, &u128)| {
        let firsts = if second_starts { n / 2 } else { n.div_ceil(2) };
        count.checked_mul(binomial(n as u32, firsts as u32)?)
    };
    shapes.iter().enumerate().map(size).collect()
}
