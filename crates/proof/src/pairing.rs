//! Pairing strategies (Hales and Jewett 1963): disjoint pairs of cells, one inside every line.
//!
//! ```text
//!  a b . .     whenever the attacker takes one cell of a pair, the defender takes the other,
//!  b . a .     so every line that contains a whole pair gets a stone of the defender
//! ```
//!
//! One pair may serve many lines. The search is complete apart from its budget: it backtracks on the line with
//! the fewest free cells first and prefers pairs that serve many lines and spoil few.

use crate::MOST_CELLS;
use crate::cells::Cells;
use outplay_core::{Content, LineBoard, Turn};

/// Searches for a pairing strategy: whenever the attacker takes one cell of a pair, the defender takes the
/// other.
///
/// `None` if there is no such pairing, if `budget` tried pairs did not find one, or if the attacker is about to
/// complete a line. Only for boards without gravity.
pub fn pairing(board: &LineBoard, attacker: Turn, budget: u32) -> Option<Vec<(usize, usize)>> {
    match board.cells.len() {
        _ if board.gravity || board.k == 0 => None,
        0..=64 => pairing_of::<1>(board, attacker, budget),
        65..=128 => pairing_of::<2>(board, attacker, budget),
        129..=MOST_CELLS => pairing_of::<6>(board, attacker, budget),
        _ => None,
    }
}

fn pairing_of<const W: usize>(board: &LineBoard, attacker: Turn, budget: u32) -> Option<Vec<(usize, usize)>> {
    let defends = if attacker == Turn::First { Content::Second } else { Content::First };
    let alive = |line: &Vec<usize>| line.iter().all(|&cell| board.cells[cell] != defends);
    let empty = |&cell: &usize| board.cells[cell] == Content::Empty;
    let lines: Vec<Cells<W>> = board
        .lines()
        .into_iter()
        .filter(alive)
        .map(|line| line.into_iter().filter(empty).collect())
        .collect();
    if lines.len() > usize::from(u16::MAX) || lines.iter().any(|line| line.count() < 2) {
        return None;
    }
    let pairs = find(&lines, budget, &mut || false)?;
    Some(pairs.into_iter().map(|(one, two)| (one.into(), two.into())).collect())
}

/// Two cells of which the defender gets one.
pub(crate) type Pair = (u16, u16);

struct PairingSearch<'a, const W: usize> {
    lines: &'a [Cells<W>],
    pairs: Vec<Pair>,
    budget: u32,
    stop: &'a mut dyn FnMut() -> bool,
}

/// Searches for a pairing of lines that all have at least two cells; `None` if there is none or the budget, in
/// tried pairs, ran out. `stop` is polled once per pair and ends the search.
pub(crate) fn find<const W: usize>(
    lines: &[Cells<W>],
    budget: u32,
    stop: &mut dyn FnMut() -> bool,
) -> Option<Vec<Pair>> {
    // Counting lines that pairwise share at most one cell would give an upper bound, but the first branch fails
    // fast anyway.
    let mut finder = PairingSearch { lines, pairs: Vec::new(), budget, stop };
    let open: Vec<u16> = (0..lines.len() as u16).collect();
    finder.cover(&open, Cells::NONE).then_some(finder.pairs)
}

impl<const W: usize> PairingSearch<'_, W> {
    fn cover(&mut self, open: &[u16], used: Cells<W>) -> bool {
        let free = |&line: &u16| self.lines[usize::from(line)].minus(used).count();
        let Some(tightest) = open.iter().min_by_key(|line| free(line)) else { return true };
        let cells: Vec<usize> = self.lines[usize::from(*tightest)].minus(used).iter().collect();
        if cells.len() < 2 {
            return false;
        }
        let mut choices = Vec::new();
        for (i, &one) in cells.iter().enumerate() {
            for &two in &cells[i + 1..] {
                let pair = Cells::one(one).with(two);
                let mut score = 0i32;
                let mut fatal = false;
                for line in open {
                    let line = self.lines[usize::from(*line)];
                    let touched = line & pair;
                    if touched == pair {
                        score += 64;
                    } else if !touched.is_none() {
                        let left = line.minus(used).count();
                        fatal |= left <= 2;
                        score -= 128 >> left.min(7);
                    }
                }
                if !fatal {
                    choices.push((-score, one, two));
                }
            }
        }
        choices.sort_unstable();
        for (_, one, two) in choices {
            if self.budget == 0 || (self.stop)() {
                self.budget = 0;
                return false;
            }
            self.budget -= 1;
            let pair = Cells::one(one).with(two);
            let rest: Vec<u16> =
                open.iter().copied().filter(|&line| !pair.within(self.lines[usize::from(line)])).collect();
            self.pairs.push((one as u16, two as u16));
            if self.cover(&rest, used | pair) {
                return true;
            }
            self.pairs.pop();
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::LineBoard;

    fn check(width: usize, height: usize, k: usize, expected: bool) {
        let lines: Vec<Cells<2>> = LineBoard::empty(width, height, k)
            .lines()
            .into_iter()
            .map(|line| line.into_iter().collect())
            .collect();
        let found = find(&lines, 100_000, &mut || false);
        assert_eq!(found.is_some(), expected, "{width}x{height},k={k}");
        let Some(pairs) = found else { return };
        let mut seen = Cells::<2>::NONE;
        for &(one, two) in &pairs {
            let pair = Cells::one(one.into()).with(two.into());
            assert!(one != two && !seen.meets(pair));
            seen = seen | pair;
        }
        let covered =
            |line: &Cells<2>| pairs.iter().any(|&(one, two)| line.has(one.into()) && line.has(two.into()));
        assert!(lines.iter().all(covered));
    }

    #[test]
    fn familiar_pairings() {
        check(5, 5, 5, true);
        check(2, 2, 2, false);
        check(3, 3, 3, false);
        check(4, 4, 4, false);
        check(5, 2, 3, true);
        check(6, 6, 6, true);
    }
}
