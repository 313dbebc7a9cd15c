//! Shapes: the threat a stone would make along one direction, from the 2(k − 1) cells beside it.
//!
//! ```text
//!   offset   −4 −3 −2 −1  .  1  2  3  4        k = 5: eight neighbours, two bits each
//!             .  .  x  x  ?  .  .  #  #        00 empty, 01 first, 10 second, 11 wall
//!                                              x on ? makes an open three
//! ```
//!
//! Every line through the cell lies within these neighbours. The shape is therefore a function of their contents alone
//! (the key), and is memoised in a lookup table. Names are those of Gomoku (k = 5), by the number of stones missing: a
//! four lacks one, a three two.

use rustc_hash::FxHashMap;

/// No line through the cell can be completed.
pub(crate) const DEAD: u8 = 0;
/// Five or more stones short of a line.
pub(crate) const FAR: u8 = 1;
/// Four short of a line.
pub(crate) const ONE: u8 = 2;
/// Four short of a line, and a further stone makes an open two.
pub(crate) const OPEN_ONE: u8 = 3;
/// Three short of a line.
pub(crate) const TWO: u8 = 4;
/// Three short of a line, and a further stone makes an open three.
pub(crate) const OPEN_TWO: u8 = 5;
/// Two short of a line.
pub(crate) const THREE: u8 = 6;
/// Two short of a line, and a further stone makes an open four: a reply is needed. Shapes from here on are
/// *hot*, bit 3.
pub(crate) const OPEN_THREE: u8 = 8;
/// One stone short of a line in one cell: the reply is forced.
pub(crate) const FOUR: u8 = 9;
/// One stone short in at least two cells: there is no defence.
pub(crate) const OPEN_FOUR: u8 = 10;
/// A completed line.
pub(crate) const FIVE: u8 = 11;
/// Bit of hot shapes.
pub(crate) const HOT: u8 = 8;
/// Number of codes of four bits.
pub(crate) const SHAPES: usize = 16;

/// Largest k: two bits for each of 2(k − 1) neighbours fill 64.
pub const MOST_K: usize = 17;
/// Longest key, in bits, that has an array; longer ones use a hash map.
const TABLE_BITS: usize = 20;
/// Marks an empty array entry; no pair of shapes has this code.
const UNKNOWN: u8 = u8::MAX;

/// Index of a neighbour in a key; offsets are from −(k − 1) to k − 1 without 0.
#[inline(always)]
pub(crate) fn slot(k: usize, offset: isize) -> usize {
    let reach = k as isize - 1;
    (if offset < 0 { offset + reach } else { offset + reach - 1 }) as usize
}

/// A line of 2k − 1 cells from one player's view, centred on the cell in question.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PatternLine {
    k: usize,
    /// Cells with stones of the player, the centre included.
    pub(crate) own: u64,
    /// Own and empty cells.
    pub(crate) free: u64,
}

impl PatternLine {
    /// Decodes a key for player 0 or 1, with a stone of the player in the centre.
    pub(crate) fn read(k: usize, key: u64, player: usize) -> PatternLine {
        let middle = 1u64 << (k - 1);
        let (mut own, mut free) = (middle, middle);
        for slot in 0..2 * (k - 1) {
            let content = key >> (2 * slot) & 3;
            let bit = 1u64 << if slot < k - 1 { slot } else { slot + 1 };
            if content == 1 << player {
                own |= bit;
            }
            if content == 0 || content == 1 << player {
                free |= bit;
            }
        }
        PatternLine { k, own, free }
    }

    /// Yields the windows of k cells through the centre that the player could fill.
    fn windows(self) -> impl Iterator<Item = u64> {
        let window = (1u64 << self.k) - 1;
        (0..self.k).map(move |first| window << first).filter(move |window| window & !self.free == 0)
    }

    /// Returns the cells that complete a line through the centre.
    pub(crate) fn gaps(self) -> u64 {
        let short = self.windows().map(|window| window & !self.own).filter(|gaps| gaps.count_ones() == 1);
        short.fold(0, |all, gap| all | gap)
    }

    fn most(self) -> Option<usize> {
        self.windows().map(|window| (window & self.own).count_ones() as usize).max()
    }

    /// Classifies the stone in the centre.
    pub(crate) fn shape(self) -> u8 {
        let Some(most) = self.most() else { return DEAD };
        let (closed, open, better) = match self.k - most {
            0 => return FIVE,
            1 => return if self.gaps().count_ones() > 1 { OPEN_FOUR } else { FOUR },
            2 => (THREE, OPEN_THREE, OPEN_FOUR),
            3 => (TWO, OPEN_TWO, OPEN_THREE),
            4 => (ONE, OPEN_ONE, OPEN_TWO),
            _ => return FAR,
        };
        // A further stone matters only in the fullest windows.
        let fullest = self.windows().filter(|window| (window & self.own).count_ones() as usize == most);
        let mut cells = fullest.fold(0, |all, window| all | window) & !self.own;
        while cells != 0 {
            let cell = cells & cells.wrapping_neg();
            cells ^= cell;
            if (PatternLine { own: self.own | cell, ..self }).shape() >= better {
                return open;
            }
        }
        closed
    }
}

/// Lookup table of shapes by key, filled on demand.
#[derive(Clone)]
pub(crate) struct ShapeTable {
    k: usize,
    table: Vec<u8>,
    map: FxHashMap<u64, u8>,
}

impl ShapeTable {
    pub(crate) fn new(k: usize) -> ShapeTable {
        let bits = 4 * (k - 1);
        let table = if bits <= TABLE_BITS { vec![UNKNOWN; 1 << bits] } else { Vec::new() };
        ShapeTable { k, table, map: FxHashMap::default() }
    }

    /// Returns the shapes of the first player (low four bits) and the second.
    #[inline(always)]
    pub(crate) fn of(&mut self, key: u64) -> u8 {
        match self.table.get(key as usize) {
            Some(&known) if known != UNKNOWN => known,
            _ => self.look(key),
        }
    }

    #[cold]
    #[inline(never)]
    fn look(&mut self, key: u64) -> u8 {
        if let Some(&known) = self.map.get(&key) {
            return known;
        }
        let [first, second] = [0, 1].map(|player| PatternLine::read(self.k, key, player).shape());
        let both = first | second << 4;
        match self.table.get_mut(key as usize) {
            Some(entry) => *entry = both,
            None => {
                self.map.insert(key, both);
            }
        }
        both
    }

    /// Bytes allocated.
    pub(crate) fn bytes(&self) -> usize {
        self.table.len() + self.map.capacity() * 2 * size_of::<u64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Builds the key of a row; `?` is the cell in question, and missing cells are walls.
    fn key(k: usize, row: &str) -> u64 {
        let middle = row.find('?').unwrap() as isize;
        let reach = k as isize - 1;
        let mut key = 0;
        for offset in (-reach..=reach).filter(|&offset| offset != 0) {
            let at = middle + offset;
            let content = usize::try_from(at).ok().and_then(|at| row.as_bytes().get(at));
            let bits = match content {
                Some(b'.') => 0,
                Some(b'x') => 1,
                Some(b'o') => 2,
                _ => 3,
            };
            key |= bits << (2 * slot(k, offset));
        }
        key
    }

    #[test]
    fn shapes_of_the_textbook() {
        let check = |k, row: &str, first, second| {
            let both = ShapeTable::new(k).of(key(k, row));
            assert_eq!((both & 15, both >> 4), (first, second), "{row} k={k}");
        };
        check(5, "..xx?..", OPEN_THREE, DEAD);
        check(5, ".xx?x.", OPEN_FOUR, DEAD);
        check(5, "oxx?x.", FOUR, DEAD);
        check(5, "oxx?xo", DEAD, DEAD);
        check(5, "x.xx?.x", OPEN_FOUR, DEAD);
        check(5, "xx?xx", FIVE, DEAD);
        check(5, "....?....", OPEN_ONE, OPEN_ONE);
        check(5, "...x?...", OPEN_TWO, DEAD);
        check(5, "..x?....", OPEN_TWO, ONE);
        check(5, ".xx?.", THREE, DEAD);
        check(5, "#.xx?.#", THREE, DEAD);
        check(5, "#.xx?..#", OPEN_THREE, DEAD);
        check(3, ".?.", THREE, THREE);
        check(3, "..?.", OPEN_THREE, OPEN_THREE);
        check(3, ".x?.", OPEN_FOUR, DEAD);
        check(2, ".?.", OPEN_FOUR, OPEN_FOUR);
        check(1, "?", FIVE, FIVE);
        check(7, "......?......", FAR, FAR);
        check(17, "xxxxxxxxxxxxxxxx?", FIVE, DEAD);
        check(17, ".xxxxxxxxxxxxxxx?.", OPEN_FOUR, DEAD);
    }

    /// Shapes agree with their definition by playing on.
    #[test]
    fn open_fours_and_threes_match_their_definition() {
        let k = 4;
        for key in 0..1u64 << (4 * (k - 1)) {
            for player in 0..2 {
                let row = PatternLine::read(k, key, player);
                let shape = row.shape();
                let completing = |row: PatternLine| {
                    (0..2 * k - 1).filter(move |&cell| {
                        let cell = 1 << cell;
                        let stone = PatternLine { own: row.own | cell, ..row };
                        row.free & cell != 0 && row.own & cell == 0 && stone.most() == Some(k)
                    })
                };
                let line = row.most() == Some(k);
                assert_eq!(shape == FIVE, line);
                if !line {
                    assert_eq!(shape == OPEN_FOUR, completing(row).count() >= 2);
                    assert_eq!(shape == FOUR, completing(row).count() == 1);
                    let opens = (0..2 * k - 1).any(|cell| {
                        let stone = PatternLine { own: row.own | 1 << cell, ..row };
                        row.free >> cell & 1 == 1
                            && row.own >> cell & 1 == 0
                            && completing(stone).count() >= 2
                    });
                    assert_eq!(shape == OPEN_THREE, shape < FOUR && opens);
                }
            }
        }
    }
}
