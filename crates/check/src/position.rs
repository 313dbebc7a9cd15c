//! Positions as hypergraphs: the live lines of each side.
//!
//! A line is *live* for a side while it contains no stone of the other side and no obstacle. It is stored as the set of
//! its empty cells.
//!
//! ```text
//!  x . x o      stones: the row is live for neither side
//!  . . . .      empty:  {a1, b1, c1, d1} is live for both sides
//! ```
//!
//! A stone removes its cell from its owner's lines and removes every line of the other side through it. A side
//! whose line has no cell left has completed it. A line that contains another line of its side is redundant: it
//! is completed no earlier and blocked together with it.
//!
//! Invariant: the lines of a side are sorted, distinct, and an antichain.

use crate::set::CellSet;

/// The live lines of both sides, each as the empty cells it still needs.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position<const W: usize> {
    pub(crate) attacker: Vec<CellSet<W>>,
    pub(crate) defender: Vec<CellSet<W>>,
}

/// Sorts the lines and drops those that contain another one.
fn tidied<const W: usize>(mut lines: Vec<CellSet<W>>) -> Vec<CellSet<W>> {
    lines.sort_unstable_by_key(|line| (line.size(), *line));
    let mut kept: Vec<CellSet<W>> = Vec::with_capacity(lines.len());
    for line in lines {
        if !kept.iter().any(|smaller| smaller.is_part_of(&line)) {
            kept.push(line);
        }
    }
    kept
}

fn owner_plays<const W: usize>(lines: &[CellSet<W>], cell: usize) -> Vec<CellSet<W>> {
    let shorter = lines.iter().map(|line| {
        let mut line = *line;
        line.remove(cell);
        line
    });
    tidied(shorter.collect())
}

fn other_plays<const W: usize>(lines: &[CellSet<W>], cell: usize) -> Vec<CellSet<W>> {
    lines.iter().filter(|line| !line.contains(cell)).copied().collect()
}

impl<const W: usize> Position<W> {
    pub(crate) fn new(attacker: Vec<CellSet<W>>, defender: Vec<CellSet<W>>) -> Self {
        Position { attacker: tidied(attacker), defender: tidied(defender) }
    }

    pub(crate) fn attack(&self, cell: usize) -> Self {
        Position { attacker: owner_plays(&self.attacker, cell), defender: other_plays(&self.defender, cell) }
    }

    pub(crate) fn defend(&self, cell: usize) -> Self {
        Position { attacker: other_plays(&self.attacker, cell), defender: owner_plays(&self.defender, cell) }
    }

    /// Gives every cell outside the zone to the attacker; `None` if that completes a line.
    pub(crate) fn within(&self, zone: &CellSet<W>) -> Option<Self> {
        let attacker: Vec<CellSet<W>> = self.attacker.iter().map(|line| line.common(zone)).collect();
        if attacker.iter().any(CellSet::is_empty) {
            return None;
        }
        let defender = self.defender.iter().filter(|line| line.is_part_of(zone)).copied().collect();
        Some(Position { attacker: tidied(attacker), defender })
    }

    /// Returns the image under a permutation of the cells.
    pub(crate) fn renamed(&self, images: &[u16]) -> Self {
        let image = |line: &CellSet<W>| {
            let mut set = CellSet::EMPTY;
            line.members().into_iter().for_each(|cell| set.add(images[cell].into()));
            set
        };
        let map = |lines: &[CellSet<W>]| {
            let mut images: Vec<CellSet<W>> = lines.iter().map(image).collect();
            images.sort_unstable_by_key(|line| (line.size(), *line));
            images
        };
        Position { attacker: map(&self.attacker), defender: map(&self.defender) }
    }

    /// Bytes on the heap.
    pub(crate) fn bytes(&self) -> usize {
        (self.attacker.len() + self.defender.len()) * size_of::<CellSet<W>>()
    }

    /// Returns the cells in a live line of either side; all of them are empty.
    pub(crate) fn live(&self) -> CellSet<W> {
        self.attacker.iter().chain(&self.defender).fold(CellSet::EMPTY, |all, line| all.union(line))
    }
}

/// Whether a side has completed a line.
pub(crate) fn complete<const W: usize>(lines: &[CellSet<W>]) -> bool {
    lines.first().is_some_and(CellSet::is_empty)
}

/// Returns the cells that complete a line at once.
pub(crate) fn singles<const W: usize>(lines: &[CellSet<W>]) -> CellSet<W> {
    lines.iter().take_while(|line| line.size() <= 1).fold(CellSet::EMPTY, |all, line| all.union(line))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn set(cells: &[u16]) -> CellSet<1> {
        CellSet::of(cells)
    }

    #[test]
    fn stones_shorten_own_lines_and_kill_others() {
        let pos = Position::new(vec![set(&[0, 1]), set(&[1, 2, 3])], vec![set(&[0, 1]), set(&[4, 5])]);
        let after = pos.attack(1);
        assert_eq!(after.attacker, vec![set(&[0]), set(&[2, 3])]);
        assert_eq!(after.defender, vec![set(&[4, 5])]);
        assert_eq!(singles(&after.attacker), set(&[0]));
        assert!(complete(&after.attack(0).attacker));
        assert!(!complete(&after.defend(0).attacker));
    }

    #[test]
    fn cells_outside_a_zone_belong_to_the_attacker() {
        let pos = Position::new(vec![set(&[0, 1]), set(&[1, 2, 3])], vec![set(&[0, 1]), set(&[3, 4])]);
        let zone = pos.within(&set(&[1, 3])).expect("both lines meet the zone");
        assert_eq!(zone.attacker, vec![set(&[1])]);
        assert!(zone.defender.is_empty());
        assert!(pos.within(&set(&[2, 3])).is_none());
    }
}
