//! Residue of the weak game (Maker–Breaker): the attacker's live lines as a reduced hypergraph.
//!
//! ```text
//!  line  x . x .   ->  {b, d}       the attacker needs these cells
//!  line  x o . .   ->  dead         the defender has a stone in it
//! ```
//!
//! In the weak game an extra stone never hurts its owner, so the lines can be reduced without changing the
//! result:
//!
//! * a line that contains another one is dropped: blocking the smaller one blocks both;
//! * a line with two cells that are in no other line is dropped, and these cells become a pair: when the attacker takes
//!   one of them, the defender blocks with the other;
//! * cells without a line are dropped.
//!
//! Invariant: `lines` is an antichain; `stones` and `cells` are unions over the lines kept.

use crate::cells::Cells;
use crate::field::BoardGeometry;
use crate::pairing::Pair;

/// A live line: its empty cells, and the attacker's stones in it.
#[derive(Clone, Copy, Debug)]
struct ResidueLine<const W: usize> {
    left: Cells<W>,
    held: Cells<W>,
}

/// The attacker's live lines, reduced.
#[derive(Clone, Debug)]
pub(crate) struct Residue<const W: usize> {
    lines: Vec<ResidueLine<W>>,
    /// Pairs that cover dropped lines.
    pub(crate) pairs: Vec<Pair>,
    /// The attacker's stones in the lines.
    pub(crate) stones: Cells<W>,
    /// The empty cells of the lines.
    pub(crate) cells: Cells<W>,
}

impl<const W: usize> Residue<W> {
    /// Builds the residue of a position with the attacker's `stones` and `empty` cells.
    pub(crate) fn new(geometry: &BoardGeometry<W>, stones: Cells<W>, empty: Cells<W>) -> Self {
        let open = stones | empty;
        let mut whole: Vec<(usize, ResidueLine<W>)> = Vec::with_capacity(geometry.lines.len());
        let (mut least, mut most) = (usize::MAX, 0);
        for &line in &geometry.lines {
            if line.within(open) {
                let left = line & empty;
                let size = left.count();
                (least, most) = (least.min(size), most.max(size));
                whole.push((size, ResidueLine { left, held: line & stones }));
            }
        }
        let mut kept: Vec<ResidueLine<W>> = Vec::with_capacity(whole.len());
        for size in least..=most {
            // Lines without stones are all different, so they need no comparison among themselves.
            let smaller = kept.len();
            for &(_, line) in whole.iter().filter(|line| line.0 == size) {
                let compared = if line.held.is_none() { smaller } else { kept.len() };
                if !kept[..compared].iter().any(|known| known.left.within(line.left)) {
                    kept.push(line);
                }
            }
        }
        Self::paired_off(kept)
    }

    /// Returns the residue after a move of the attacker.
    pub(crate) fn attack(&self, cell: usize) -> Self {
        let stone = Cells::one(cell);
        let mut kept: Vec<ResidueLine<W>> = Vec::with_capacity(self.lines.len());
        kept.extend(
            self.lines
                .iter()
                .filter(|line| line.left.has(cell))
                .map(|line| ResidueLine { left: line.left.minus(stone), held: line.held | stone }),
        );
        // Only lines that became smaller can lie within others, and not within each other.
        let smaller = kept.len();
        for &line in self.lines.iter().filter(|line| !line.left.has(cell)) {
            if !kept[..smaller].iter().any(|known| known.left.within(line.left)) {
                kept.push(line);
            }
        }
        Self::paired_off(kept)
    }

    /// Returns the residue after a move of the defender.
    pub(crate) fn defend(&self, cell: usize) -> Self {
        Self::paired_off(self.lines.iter().filter(|line| !line.left.has(cell)).copied().collect())
    }

    /// Returns the residue of the lines within some of the cells.
    pub(crate) fn part(&self, cells: Cells<W>) -> Self {
        Self::paired_off(self.lines.iter().filter(|line| line.left.within(cells)).copied().collect())
    }

    /// Replaces lines with two private cells by pairs until there is none.
    fn paired_off(mut kept: Vec<ResidueLine<W>>) -> Self {
        let mut pairs = Vec::new();
        loop {
            let (mut once, mut twice) = (Cells::NONE, Cells::NONE);
            for line in &kept {
                twice = twice | (once & line.left);
                once = once | line.left;
            }
            let own = once.minus(twice);
            let before = kept.len();
            if own.count() >= 2 {
                kept.retain(|line| {
                    let mine = line.left & own;
                    if mine.count() < 2 {
                        return true;
                    }
                    let one = mine.first();
                    pairs.push((one as u16, mine.without(one).first() as u16));
                    false
                });
            }
            if kept.len() == before {
                let stones = kept.iter().fold(Cells::NONE, |all, line| all | line.held);
                return Residue { lines: kept, pairs, stones, cells: once };
            }
        }
    }

    /// Iterates over the empty cells of each line.
    pub(crate) fn lines(&self) -> impl Iterator<Item = Cells<W>> + '_ {
        self.lines.iter().map(|line| line.left)
    }

    /// Whether no live line is left.
    pub(crate) fn is_empty(&self) -> bool {
        self.lines.is_empty()
    }

    /// Returns the cells that complete a line at once.
    pub(crate) fn singles(&self) -> Cells<W> {
        self.lines().filter(|line| line.count() == 1).fold(Cells::NONE, |all, line| all | line)
    }

    /// Returns the cells of the pairs.
    pub(crate) fn paired(&self) -> Cells<W> {
        self.pairs.iter().flat_map(|&(one, two)| [one.into(), two.into()]).collect()
    }

    /// Erdős–Selfridge potential (1973): the sum of 2^-size over the lines, in units of 2^-32 and rounded up.
    /// Below 1/2 the defender holds as second player, below 1 as first.
    pub(crate) fn potential(&self) -> u64 {
        self.lines().map(|line| (1u64 << 32) >> line.count().min(32)).sum()
    }

    /// Returns the cells of each connected component of the lines.
    pub(crate) fn parts(&self) -> Vec<Cells<W>> {
        let mut parts: Vec<Cells<W>> = Vec::new();
        for line in self.lines() {
            let mut joined = line;
            parts.retain(|&part| {
                let apart = !part.meets(line);
                if !apart {
                    joined = joined | part;
                }
                apart
            });
            parts.push(joined);
        }
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::LineBoard;
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};

    fn sorted<const W: usize>(residue: &Residue<W>) -> Vec<Cells<W>> {
        let mut lines: Vec<Cells<W>> = residue.lines().collect();
        lines.sort_unstable();
        lines
    }

    /// Moves on a residue give the residue of the board after the same moves.
    #[test]
    fn moves_on_residues_equal_moves_on_boards() {
        let mut rng = StdRng::seed_from_u64(5);
        for _ in 0..2000 {
            let (width, height, k) = (rng.random_range(3..8), rng.random_range(3..7), rng.random_range(2..6));
            let geometry: BoardGeometry<1> = BoardGeometry::new(&LineBoard::empty(width, height, k));
            let mut stones = Cells::NONE;
            let mut empty: Cells<1> = (0..width * height).collect();
            let mut residue = Residue::new(&geometry, stones, empty);
            while !residue.is_empty() && residue.singles().is_none() {
                let cells: Vec<usize> = residue.cells.iter().collect();
                let cell = cells[rng.random_range(0..cells.len())];
                // Cells of pairs are out of the game: both are given away.
                empty = empty & residue.cells.without(cell);
                if rng.random_bool(0.5) {
                    stones = stones.with(cell);
                    residue = residue.attack(cell);
                } else {
                    residue = residue.defend(cell);
                }
                let fresh = Residue::new(&geometry, stones, empty);
                assert_eq!(sorted(&fresh), sorted(&residue));
                assert_eq!(fresh.cells, residue.cells);
            }
        }
    }
}
