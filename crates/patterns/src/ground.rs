//! Board of the pattern engine with incrementally updated shapes, by make and unmake with an undo log.
//!
//! The *key* of an empty cell encodes the cells around it along a direction, and its shape is the threat that a stone
//! there would make (see `shape`).
//!
//! ```text
//!  # # # # # # #      one array with a border of walls as wide as a line reaches, so that
//!  # . . . x . #      walking along a direction needs no bounds checks
//!  # . x . . . #
//!  # # # # # # #      index = (column + rim) * stride + row + rim
//! ```
//!
//! A stone changes the keys of at most 8(k − 1) empty cells. Occupied cells keep the key they had when they were
//! occupied, which is valid again when the stone is removed, because stones are removed in reverse order. Cells on
//! which a stone would be a threat are also kept in lists, by player and strength of the threat. The Zobrist hash
//! (1970) takes its numbers from SplitMix64.
//!
//! Invariant: shapes, sums, lists and hash equal those of [`PatternBoard::new`] with the same stones; a test compares
//! them on thousands of positions.

use crate::shape::{FOUR, HOT, OPEN_FOUR, PatternLine, SHAPES, ShapeTable, slot};
use crate::weights::{RANKS, Weights, packed, unpacked};
use outplay_core::{Content, LineBoard, Turn};

pub(crate) const EMPTY: u8 = 2;
const WALL: u8 = 3;

/// A stone makes an open three.
pub(crate) const TIER_THREE: usize = 0;
/// A stone makes a four in one direction.
pub(crate) const TIER_FOUR: usize = 1;
/// A stone makes an open or double four: at least two cells that complete a line.
pub(crate) const TIER_OPEN: usize = 2;
/// A stone completes a line.
pub(crate) const TIER_FIVE: usize = 3;
const TIERS: usize = 4;

/// Cells by player and tier.
type ThreatLists = [[Vec<u32>; TIERS]; 2];

/// Mask of the hot bit of all shapes of both players.
const ANY_HOT: u32 = 0x8888_8888;
/// Radius of the square around a stone whose cells are candidate moves.
const RADIUS: usize = 2;

/// Returns the tier of one player's four shapes, all four at once: hot shapes are 8 to 11, so their two low
/// bits distinguish them.
#[inline(always)]
fn tier(word: u32) -> Option<usize> {
    let hot = word >> 3 & 0x1111;
    if hot == 0 {
        return None;
    }
    let (low, high) = (word & hot, word >> 1 & hot);
    let fours = low & !high;
    Some(if low & high != 0 {
        TIER_FIVE
    } else if high != 0 || fours & fours.wrapping_sub(1) != 0 {
        TIER_OPEN
    } else if fours != 0 {
        TIER_FOUR
    } else {
        TIER_THREE
    })
}

/// Moves a cell to the threat list it belongs to.
#[inline(always)]
fn retier(lists: &mut ThreatLists, spots: &mut [[u32; 2]], place: usize, before: u32, after: u32) {
    // Only hot shapes matter.
    let hot = |word: u32| word & ((word >> 3 & 0x1111_1111) * 15);
    if hot(before) != hot(after) {
        relist(lists, spots, place, before, after);
    }
}

fn relist(lists: &mut ThreatLists, spots: &mut [[u32; 2]], place: usize, before: u32, after: u32) {
    for player in 0..2 {
        let (was, is) = (tier(before >> (16 * player)), tier(after >> (16 * player)));
        if was == is {
            continue;
        }
        if let Some(was) = was {
            let list = &mut lists[player][was];
            let spot = spots[place][player] as usize;
            list.swap_remove(spot);
            if let Some(&moved) = list.get(spot) {
                spots[moved as usize][player] = spot as u32;
            }
        }
        if let Some(is) = is {
            let list = &mut lists[player][is];
            spots[place][player] = list.len() as u32;
            list.push(place as u32);
        }
    }
}

/// Visits the empty cells that see a stone along a line, with the direction and the stone's slot in their keys.
#[inline(always)]
fn walk(
    content: &[u8],
    steps: [usize; 4],
    k: usize,
    place: usize,
    mut visit: impl FnMut(usize, usize, usize),
) {
    for (direction, step) in steps.into_iter().enumerate() {
        for ahead in [true, false] {
            let (mut there, mut seen) = (place, 0);
            for distance in 1..k {
                there = if ahead { there + step } else { there - step };
                match content[there] {
                    // Seen from there the stone lies behind.
                    EMPTY if ahead => visit(there, direction, k - 1 - distance),
                    EMPTY => visit(there, direction, k - 2 + distance),
                    WALL => break,
                    stone => {
                        // Beyond stones of both players the stone affects no line of either.
                        seen |= 1 << stone;
                        if seen == 3 {
                            break;
                        }
                    }
                }
            }
        }
    }
}

/// Zobrist number of a stone: the finaliser of SplitMix64.
#[inline]
fn scatter(place: usize, player: usize) -> u64 {
    let mut x = (2 * place + player + 1) as u64;
    x = x.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

/// Undo record: a cell before a stone changed its shapes.
#[derive(Clone, Copy)]
struct UndoRecord {
    place: u32,
    word: u32,
    rank: i32,
}

/// Undo frame: the state before a stone.
#[derive(Clone, Copy)]
struct UndoFrame {
    place: u32,
    player: u8,
    changes: u32,
    sums: [i64; 2],
}

/// The board.
#[derive(Clone)]
pub(crate) struct PatternBoard {
    pub(crate) k: usize,
    pub(crate) gravity: bool,
    pub(crate) misere: bool,
    height: usize,
    rim: usize,
    stride: usize,
    steps: [usize; 4],
    pub(crate) content: Vec<u8>,
    keys: Vec<[u64; 4]>,
    /// Shapes of a cell: four bits for each direction, the first player's in the low half.
    words: Vec<u32>,
    ranks: Vec<i32>,
    near: Vec<u8>,
    /// Packed sums of weights.
    sums: [i64; 2],
    pub(crate) hash: u64,
    /// Empty cells.
    pub(crate) empty: usize,
    lists: ThreatLists,
    /// Index of a cell in its threat list, for either player.
    spots: Vec<[u32; 2]>,
    /// Candidate cells near stones, possibly occupied by now; and for each stone accounted for, the length of
    /// that list before it.
    nearby: Vec<u32>,
    noted: Vec<u32>,
    changes: Vec<UndoRecord>,
    frames: Vec<UndoFrame>,
    shapes: ShapeTable,
    worth: [i64; SHAPES],
    /// Change of sum and rank from one shape to another, indexed by 16 × old + new.
    deltas: Vec<ShapeDelta>,
    tempo: i32,
}

/// Change of a packed sum and of a rank.
#[derive(Clone, Copy)]
struct ShapeDelta {
    worth: i64,
    rank: i32,
}

fn deltas(worth: &[i64; SHAPES]) -> Vec<ShapeDelta> {
    let pairs = (0..SHAPES).flat_map(|was| (0..SHAPES).map(move |is| (was, is)));
    pairs
        .map(|(was, is)| ShapeDelta { worth: worth[is] - worth[was], rank: RANKS[is] - RANKS[was] })
        .collect()
}

impl PatternBoard {
    /// Builds the board with its stones.
    pub(crate) fn new(board: &LineBoard, shapes: ShapeTable, weights: &Weights) -> PatternBoard {
        let k = board.k;
        let rim = (k - 1).max(RADIUS);
        let stride = board.height + 2 * rim;
        let places = stride * (board.width + 2 * rim);
        let mut grid = PatternBoard {
            k,
            gravity: board.gravity,
            misere: board.misere,
            height: board.height,
            rim,
            stride,
            steps: [1, stride, stride + 1, stride - 1],
            content: vec![WALL; places],
            keys: vec![[0; 4]; places],
            words: Vec::new(),
            ranks: Vec::new(),
            near: vec![0; places],
            sums: [0; 2],
            hash: 0,
            empty: 0,
            lists: Default::default(),
            spots: vec![[0; 2]; places],
            nearby: Vec::new(),
            noted: Vec::new(),
            changes: Vec::new(),
            frames: Vec::new(),
            shapes,
            worth: packed(weights),
            deltas: deltas(&packed(weights)),
            tempo: i32::from(weights.tempo),
        };
        for column in 0..board.width {
            let floor = board.floor(column);
            for row in floor..board.height {
                let cell = board.cell(column, row);
                if board.cells[cell] != Content::Blocked {
                    let place = grid.place(cell);
                    grid.content[place] = EMPTY;
                    grid.empty += 1;
                }
            }
        }
        grid.survey(board);
        for (cell, content) in board.cells.iter().enumerate() {
            let place = grid.place(cell);
            if grid.content[place] == WALL {
                continue;
            }
            match content {
                Content::First => grid.put(place, 0),
                Content::Second => grid.put(place, 1),
                Content::Empty | Content::Blocked => {}
            }
        }
        // Initial stones are never removed.
        grid.nearby();
        grid.noted.clear();
        grid.frames.clear();
        grid.changes.clear();
        grid
    }

    /// Computes the shapes of the board without stones: most cells of a large board see no wall and are all
    /// alike.
    fn survey(&mut self, board: &LineBoard) {
        let bare = spread(self.shapes.of(0)) * 0x1111;
        self.words = vec![bare; self.content.len()];
        self.ranks = vec![self.rank_of(bare); self.content.len()];
        let mut walled = Vec::new();
        let along = |from: usize, by: isize| (from as isize + by) as usize;
        let rim = self.rim;
        // Walls around the board, and obstacles on it.
        for column in rim - 1..=board.width + rim {
            let outside = column < rim || column >= board.width + rim;
            let rows = rim - 1..=board.height + rim;
            for row in rows {
                let place = column * self.stride + row;
                let edge = outside || row < rim || row >= board.height + rim;
                if !(edge || self.content[place] == WALL) {
                    continue;
                }
                for direction in 0..4 {
                    let step = self.steps[direction] as isize;
                    for sign in [1, -1] {
                        for distance in 1..self.k as isize {
                            let there = along(place, sign * distance * step);
                            if self.content[there] != EMPTY {
                                break;
                            }
                            // Everything behind a wall is wall.
                            for behind in distance..self.k as isize {
                                self.keys[there][direction] |= 3 << (2 * slot(self.k, -sign * behind));
                            }
                            walled.push(there);
                        }
                    }
                }
            }
        }
        walled.sort_unstable();
        walled.dedup();
        let plain = self.empty - walled.len();
        self.sums = [0, 1].map(|player| self.worth_of(bare, player) * plain as i64);
        // If every cell is a threat (k is 3 or less), all cells are listed.
        if bare & ANY_HOT != 0 {
            let hot: Vec<usize> = (0..self.content.len())
                .filter(|&place| self.content[place] == EMPTY && walled.binary_search(&place).is_err())
                .collect();
            for place in hot {
                retier(&mut self.lists, &mut self.spots, place, 0, bare);
            }
        }
        for place in walled {
            let mut word = 0;
            for direction in 0..4 {
                word |= spread(self.shapes.of(self.keys[place][direction])) << (4 * direction);
            }
            self.words[place] = word;
            self.ranks[place] = self.rank_of(word);
            for player in 0..2 {
                self.sums[player] += self.worth_of(word, player);
            }
            retier(&mut self.lists, &mut self.spots, place, 0, word);
        }
    }

    fn rank_of(&self, word: u32) -> i32 {
        (0..8).map(|nibble| RANKS[(word >> (4 * nibble) & 15) as usize]).sum()
    }

    fn worth_of(&self, word: u32, player: usize) -> i64 {
        (0..4).map(|direction| self.worth[(word >> (16 * player + 4 * direction) & 15) as usize]).sum()
    }

    /// Converts a cell of the board into a place.
    pub(crate) fn place(&self, cell: usize) -> usize {
        (cell / self.height + self.rim) * self.stride + cell % self.height + self.rim
    }

    /// Converts a place into a cell of the board.
    pub(crate) fn cell(&self, place: usize) -> usize {
        (place / self.stride - self.rim) * self.height + place % self.stride - self.rim
    }

    /// Returns the cells where a stone of a player would be a threat of a tier.
    #[inline]
    pub(crate) fn list(&self, player: usize, tier: usize) -> &[u32] {
        &self.lists[player][tier]
    }

    /// Returns the tier of a stone of a player.
    pub(crate) fn tier(&self, place: usize, player: usize) -> Option<usize> {
        tier(self.words[place] >> (16 * player))
    }

    /// Whether a stone on a cell is a threat for neither player.
    #[inline]
    pub(crate) fn calm(&self, place: usize) -> bool {
        self.words[place] & ANY_HOT == 0
    }

    /// Move-ordering score of a cell.
    #[inline]
    pub(crate) fn rank(&self, place: usize) -> i32 {
        self.ranks[place]
    }

    /// Move-ordering score of a cell by the shapes of one player.
    pub(crate) fn rank_for(&self, place: usize, player: usize) -> i32 {
        let word = self.words[place] >> (16 * player);
        (0..4).map(|direction| RANKS[(word >> (4 * direction) & 15) as usize]).sum()
    }

    /// Whether a stone can be placed there now.
    #[inline]
    pub(crate) fn playable(&self, place: usize) -> bool {
        self.content[place] == EMPTY && !(self.gravity && self.content[place - 1] == EMPTY)
    }

    /// Lists the lowest empty cell of each column that is not full.
    pub(crate) fn columns(&self) -> impl Iterator<Item = u32> {
        let width = self.content.len() / self.stride - 2 * self.rim;
        (self.rim..self.rim + width).filter_map(move |column| {
            let first = column * self.stride + self.rim;
            (first..first + self.height).find(|&place| self.content[place] == EMPTY).map(|place| place as u32)
        })
    }

    /// Static evaluation for the player to move.
    #[inline]
    pub(crate) fn opinion(&self, mover: usize) -> i32 {
        let (own, other) = (unpacked(self.sums[mover]).0, unpacked(self.sums[1 - mover]).1);
        own - other + self.tempo
    }

    /// Counts the shapes on the empty cells, for either player.
    pub(crate) fn census(&self) -> [[u32; SHAPES]; 2] {
        let mut counts = [[0; SHAPES]; 2];
        for place in (0..self.content.len()).filter(|&place| self.content[place] == EMPTY) {
            for nibble in 0..8 {
                counts[nibble / 4][(self.words[place] >> (4 * nibble) & 15) as usize] += 1;
            }
        }
        counts
    }

    /// Places a stone of a player on an empty cell.
    pub(crate) fn put(&mut self, place: usize, player: usize) {
        debug_assert_eq!(self.content[place], EMPTY);
        self.frames.push(UndoFrame {
            place: place as u32,
            player: player as u8,
            changes: self.changes.len() as u32,
            sums: self.sums,
        });
        self.hash ^= scatter(place, player);
        self.empty -= 1;
        let own = self.words[place];
        for side in 0..2 {
            self.sums[side] -= self.worth_of(own, side);
        }
        retier(&mut self.lists, &mut self.spots, place, own, 0);
        self.content[place] = player as u8;
        match self.k {
            5 => self.spread_out::<5>(place, player),
            _ => self.spread_out::<0>(place, player),
        }
    }

    /// Updates the empty cells along all lines through a new stone. `K` is k where it should be a compile-time
    /// constant, else 0.
    fn spread_out<const K: usize>(&mut self, place: usize, player: usize) {
        let k = if K > 0 { K } else { self.k };
        // Local slices need not be reloaded after every store.
        let content = self.content.as_slice();
        let keys = self.keys.as_mut_slice();
        let words = self.words.as_mut_slice();
        let ranks = self.ranks.as_mut_slice();
        let shapes = &mut self.shapes;
        // An array as large as the index range needs no bounds check.
        let Some(deltas) = self.deltas.first_chunk::<256>() else { return };
        let (lists, spots) = (&mut self.lists, self.spots.as_mut_slice());
        let [mut first, mut second] = self.sums;
        let changes = &mut self.changes;
        walk(content, self.steps, k, place, |there, direction, slot| {
            let key = &mut keys[there][direction];
            *key ^= 1 << (2 * slot + player);
            let fresh = spread(shapes.of(*key)) << (4 * direction);
            let before = words[there];
            let mask = 0x000f_000f << (4 * direction);
            if before & mask == fresh {
                return;
            }
            let after = before & !mask | fresh;
            let rank = &mut ranks[there];
            changes.push(UndoRecord { place: there as u32, word: before, rank: *rank });
            words[there] = after;
            let (was, is) = (before >> (4 * direction), after >> (4 * direction));
            let own = deltas[((was & 15) << 4 | is & 15) as usize];
            let other = deltas[((was >> 12 & 0xf0) | (is >> 16 & 15)) as usize];
            first += own.worth;
            second += other.worth;
            *rank += own.rank + other.rank;
            retier(lists, spots, there, before, after);
        });
        self.sums = [first, second];
    }

    /// Returns the cells near stones, some of them occupied. Updated lazily, because most positions never need
    /// them.
    pub(crate) fn nearby(&mut self) -> &[u32] {
        for at in self.noted.len()..self.frames.len() {
            let place = self.frames[at].place as usize;
            self.noted.push(self.nearby.len() as u32);
            self.approach(place);
        }
        &self.nearby
    }

    /// Returns the same list, after a call of [`PatternBoard::nearby`].
    pub(crate) fn near_stones(&self) -> &[u32] {
        &self.nearby
    }

    fn approach(&mut self, place: usize) {
        for column in 0..=2 * RADIUS {
            let first = place + column * self.stride - RADIUS * self.stride - RADIUS;
            for there in first..=first + 2 * RADIUS {
                // An occupied cell may be free again before this stone is removed.
                if self.near[there] == 0 && self.content[there] != WALL {
                    self.nearby.push(there as u32);
                }
                self.near[there] = self.near[there].wrapping_add(1);
            }
        }
    }

    /// Removes the last stone.
    pub(crate) fn take(&mut self) {
        let Some(frame) = self.frames.pop() else { return };
        let (place, player) = (frame.place as usize, usize::from(frame.player));
        let (words, ranks) = (self.words.as_mut_slice(), self.ranks.as_mut_slice());
        let (lists, spots) = (&mut self.lists, self.spots.as_mut_slice());
        for change in self.changes.drain(frame.changes as usize..).rev() {
            let there = change.place as usize;
            retier(lists, spots, there, words[there], change.word);
            words[there] = change.word;
            ranks[there] = change.rank;
        }
        match self.k {
            5 => self.draw_back::<5>(place, player),
            _ => self.draw_back::<0>(place, player),
        }
        self.content[place] = EMPTY;
        retier(&mut self.lists, &mut self.spots, place, 0, self.words[place]);
        self.sums = frame.sums;
        self.hash ^= scatter(place, player);
        self.empty += 1;
        if self.noted.len() > self.frames.len()
            && let Some(before) = self.noted.pop()
        {
            self.nearby.truncate(before as usize);
            for column in 0..=2 * RADIUS {
                let first = place + column * self.stride - RADIUS * self.stride - RADIUS;
                self.near[first..=first + 2 * RADIUS]
                    .iter_mut()
                    .for_each(|near| *near = near.wrapping_sub(1));
            }
        }
    }

    /// Removes a stone from the keys.
    fn draw_back<const K: usize>(&mut self, place: usize, player: usize) {
        let k = if K > 0 { K } else { self.k };
        let (content, keys) = (self.content.as_slice(), self.keys.as_mut_slice());
        walk(content, self.steps, k, place, |there, direction, slot| {
            keys[there][direction] ^= 1 << (2 * slot + player);
        });
    }

    /// Lists the cells that complete a line of a player once it has a stone on an empty cell.
    pub(crate) fn gaps(&self, place: usize, player: usize, out: &mut Vec<u32>) {
        out.clear();
        for direction in 0..4 {
            let shape = (self.words[place] >> (16 * player + 4 * direction) & 15) as u8;
            if shape != FOUR && shape != OPEN_FOUR {
                continue;
            }
            let mut gaps = PatternLine::read(self.k, self.keys[place][direction], player).gaps();
            while gaps != 0 {
                let offset = gaps.trailing_zeros() as isize - (self.k as isize - 1);
                gaps &= gaps - 1;
                out.push((place as isize + offset * self.steps[direction] as isize) as u32);
            }
        }
    }

    /// Lists the replies common to all open-four threats of `attacker`; the other player must play one of them,
    /// or a four of its own.
    ///
    /// A threat that leaves two gaps is met in its cell or in a gap, since every other cell of its lines is
    /// occupied; one that leaves more gaps is met in its cell only.
    pub(crate) fn answers(&self, attacker: usize, gaps: &mut Vec<u32>, out: &mut Vec<u32>) {
        out.clear();
        for (at, &threat) in self.lists[attacker][TIER_OPEN].iter().enumerate() {
            self.gaps(threat as usize, attacker, gaps);
            if gaps.len() != 2 {
                gaps.clear();
            }
            if at == 0 {
                out.push(threat);
                out.extend_from_slice(gaps);
            } else {
                out.retain(|cell| *cell == threat || gaps.contains(cell));
            }
        }
    }

    /// Returns the shape table, for the next board.
    pub(crate) fn into_shapes(self) -> ShapeTable {
        self.shapes
    }
}

/// Spreads the shapes of both players to direction 0 of a word.
#[inline(always)]
fn spread(both: u8) -> u32 {
    u32::from(both & 15) | u32::from(both >> 4) << 16
}

/// Player index: 0 or 1.
pub(crate) fn number(turn: Turn) -> usize {
    usize::from(turn == Turn::Second)
}

const _: () = assert!(HOT == 8);

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Computes the shape of a stone along one direction from the board's own cells.
    fn plain_shape(board: &LineBoard, cell: usize, (dx, dy): (isize, isize), player: Content) -> u8 {
        let (x, y) = ((cell / board.height) as isize, (cell % board.height) as isize);
        let mut key = 0;
        let reach = board.k as isize - 1;
        for offset in (-reach..=reach).filter(|&offset| offset != 0) {
            let (x, y) = (x + offset * dx, y + offset * dy);
            let on_board = (0..board.width as isize).contains(&x) && (0..board.height as isize).contains(&y);
            let there = on_board.then(|| board.cell(x as usize, y as usize));
            let bits = match there.filter(|&there| board.playable(there)).map(|there| board.cells[there]) {
                Some(Content::Empty) => 0,
                Some(content) if content == player => 1,
                _ => 3,
            };
            key |= bits << (2 * slot(board.k, offset));
        }
        PatternLine::read(board.k, key, 0).shape()
    }

    /// Compares all incremental data with the board.
    fn agrees(grid: &mut PatternBoard, board: &LineBoard, weights: &Weights) {
        let directions = [(0, 1), (1, 0), (1, 1), (1, -1)];
        let worth = packed(weights);
        let mut sums = [0; 2];
        let mut lists: [[Vec<u32>; TIERS]; 2] = Default::default();
        let mut empty = 0;
        for cell in (0..board.cells.len()).filter(|&cell| board.playable(cell)) {
            if board.cells[cell] != Content::Empty {
                continue;
            }
            empty += 1;
            let place = grid.place(cell);
            assert_eq!(grid.cell(place), cell);
            for (player, content) in [(0, Content::First), (1, Content::Second)] {
                let mut word = 0;
                for (at, &direction) in directions.iter().enumerate() {
                    let shape = plain_shape(board, cell, direction, content);
                    word |= u32::from(shape) << (4 * at);
                    sums[player] += worth[shape as usize];
                }
                assert_eq!(grid.words[place] >> (16 * player) & 0xffff, word, "{cell} {player}");
                assert_eq!(tier(word) == Some(TIER_FIVE), board.completes(cell, content));
                if let Some(tier) = tier(word) {
                    lists[player][tier].push(place as u32);
                }
            }
            assert_eq!(grid.rank(place), grid.rank_of(grid.words[place]));
            let (x, y) = (cell / board.height, cell % board.height);
            let near = (0..board.cells.len()).any(|other| {
                let stone = matches!(board.cells[other], Content::First | Content::Second);
                stone
                    && x.abs_diff(other / board.height) <= RADIUS
                    && y.abs_diff(other % board.height) <= RADIUS
            });
            assert_eq!(
                grid.nearby().iter().filter(|&&known| known == place as u32).count(),
                usize::from(near)
            );
        }
        assert_eq!((grid.sums, grid.empty), (sums, empty));
        for (known, plain) in grid.lists.iter().flatten().zip(lists.iter().flatten()) {
            let mut known = known.clone();
            known.sort_unstable();
            assert_eq!(known, *plain);
        }
    }

    fn random_board(rng: &mut SmallRng) -> LineBoard {
        let k = rng.random_range(1..8);
        let mut board = LineBoard::empty(rng.random_range(1..12), rng.random_range(1..12), k);
        board.gravity = rng.random_bool(0.2);
        for _ in 0..rng.random_range(0..6) {
            let cell = rng.random_range(0..board.cells.len());
            board.cells[cell] = Content::Blocked;
        }
        board
    }

    #[test]
    fn incremental_data_equals_recomputed_data() {
        let mut rng = SmallRng::seed_from_u64(7);
        let weights = Weights::PLAIN;
        let mut positions = 0;
        for _ in 0..250 {
            let mut board = random_board(&mut rng);
            let mut grid = PatternBoard::new(&board, ShapeTable::new(board.k), &weights);
            let mut played = Vec::new();
            for _ in 0..40 {
                let open = board.open_cells();
                if open.is_empty() || rng.random_bool(0.3) {
                    let Some(cell) = played.pop() else { continue };
                    board.cells[cell] = Content::Empty;
                    grid.take();
                } else {
                    let cell = open[rng.random_range(0..open.len())];
                    let player = rng.random_range(0..2);
                    board.cells[cell] = [Content::First, Content::Second][player];
                    grid.put(grid.place(cell), player);
                    played.push(cell);
                }
                agrees(&mut grid, &board, &weights);
                let fresh = PatternBoard::new(&board, ShapeTable::new(board.k), &weights);
                assert_eq!((fresh.hash, fresh.words.len()), (grid.hash, grid.words.len()));
                positions += 1;
            }
        }
        assert!(positions > 5000);
    }
}
