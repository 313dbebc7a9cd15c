//! Fixed-size bitset of board cells.

/// A set of cells by number; `W` words of 64 bits.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub(crate) struct CellSet<const W: usize>(pub(crate) [u64; W]);

impl<const W: usize> CellSet<W> {
    pub(crate) const EMPTY: Self = CellSet([0; W]);

    pub(crate) fn add(&mut self, cell: usize) {
        self.0[cell / 64] |= 1 << (cell % 64);
    }

    pub(crate) fn remove(&mut self, cell: usize) {
        self.0[cell / 64] &= !(1 << (cell % 64));
    }

    pub(crate) fn contains(&self, cell: usize) -> bool {
        self.0[cell / 64] >> (cell % 64) & 1 == 1
    }

    pub(crate) fn size(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.0.iter().all(|&word| word == 0)
    }

    pub(crate) fn common(&self, other: &Self) -> Self {
        CellSet(std::array::from_fn(|i| self.0[i] & other.0[i]))
    }

    pub(crate) fn union(&self, other: &Self) -> Self {
        CellSet(std::array::from_fn(|i| self.0[i] | other.0[i]))
    }

    pub(crate) fn is_part_of(&self, other: &Self) -> bool {
        (0..W).all(|i| self.0[i] & !other.0[i] == 0)
    }

    pub(crate) fn members(&self) -> Vec<usize> {
        let mut cells = Vec::new();
        for (i, &word) in self.0.iter().enumerate() {
            let mut rest = word;
            while rest != 0 {
                cells.push(i * 64 + rest.trailing_zeros() as usize);
                rest &= rest - 1;
            }
        }
        cells
    }

    pub(crate) fn of(cells: &[u16]) -> Self {
        let mut set = Self::EMPTY;
        cells.iter().for_each(|&cell| set.add(cell.into()));
        set
    }
}
