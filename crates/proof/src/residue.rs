//! What is left of the attacker's lines: the only thing that matters when the defender merely blocks.
//!
//! ```text
//!  line  x . x .   ->  {b, d}       the attacker needs these cells
//!  line  x o . .   ->  gone         the defender holds a stone in it
//! ```
//!
//! In the game of blocking a further stone never hurts the player who owns it, so the lines can be
//! reduced without changing who succeeds:
//!
//! * a line that contains another one is dropped: who blocks the smaller one blocks both;
//! * a line with two cells of its own is dropped and the cells become a pair: one of them suffices;
//! * cells without a line are dropped.
//!
//! Invariant: `lines` is an antichain; `stones` and `cells` are unions over the lines kept.

use crate::cells::Cells;
use crate::field::Field;
use crate::pairing::Pair;

/// The attacker's lines, reduced.
#[derive(Clone, Debug)]
pub(crate) struct Residue<const W: usize> {
    /// The empty cells of each line, small lines first.
    pub(crate) lines: Vec<Cells<W>>,
    /// Pairs that took care of lines dropped.
    pub(crate) pairs: Vec<Pair>,
    /// The attacker's stones in the lines.
    pub(crate) stones: Cells<W>,
    /// The empty cells of the lines.
    pub(crate) cells: Cells<W>,
}

impl<const W: usize> Residue<W> {
    /// The lines that the attacker can still fill with `stones` on the board and `empty` cells left.
    pub(crate) fn new(field: &Field<W>, stones: Cells<W>, empty: Cells<W>) -> Self {
        let mut whole: Vec<(usize, Cells<W>, Cells<W>)> = Vec::with_capacity(field.lines.len());
        for &line in &field.lines {
            if line.within(stones | empty) {
                let left = line & empty;
                whole.push((left.count(), left, line & stones));
            }
        }
        whole.sort_unstable_by_key(|line| line.0);
        let mut kept: Vec<(Cells<W>, Cells<W>)> = Vec::with_capacity(whole.len());
        for (_, left, held) in whole {
            if !kept.iter().any(|(smaller, _)| smaller.within(left)) {
                kept.push((left, held));
            }
        }
        let mut pairs = Vec::new();
        loop {
            let (mut once, mut twice) = (Cells::NONE, Cells::NONE);
            for &(left, _) in &kept {
                twice = twice | (once & left);
                once = once | left;
            }
            let own = once.minus(twice);
            let before = kept.len();
            kept.retain(|&(left, _)| {
                let mine = left & own;
                if mine.count() < 2 {
                    return true;
                }
                let one = mine.first();
                pairs.push((one as u16, mine.without(one).first() as u16));
                false
            });
            if kept.len() == before {
                let stones = kept.iter().fold(Cells::NONE, |all, &(_, held)| all | held);
                let lines = kept.into_iter().map(|(left, _)| left).collect();
                return Residue { lines, pairs, stones, cells: once };
            }
        }
    }

    /// The cells of the pairs.
    pub(crate) fn paired(&self) -> Cells<W> {
        self.pairs.iter().flat_map(|&(one, two)| [one.into(), two.into()]).collect()
    }

    /// The sum of 2^-size over the lines, in units of 2^-32. Below one half the defender holds as
    /// second player, below one as first (Erdős and Selfridge).
    pub(crate) fn potential(&self) -> u64 {
        self.lines.iter().map(|line| (1u64 << 32) >> line.count().min(32)).sum::<u64>()
            + self.lines.iter().filter(|line| line.count() > 32).count() as u64
    }

    /// The cells of each connected part of the lines.
    pub(crate) fn parts(&self) -> Vec<Cells<W>> {
        let mut parts: Vec<Cells<W>> = Vec::new();
        for &line in &self.lines {
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
