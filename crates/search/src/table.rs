//! The transposition table: what is already known about positions met before.
//!
//! ```text
//! bucket = [ deepest of its time | most recent ]     the key chooses the bucket,
//!                                                    the whole position must match
//! ```
//!
//! Buckets are there only where something was stored: a small search in a large table takes little memory.
//!
//! An entry keeps its position, so two positions with one key can cost a hit but never give a wrong answer.
//! Threads share the table; each bucket has a lock of its own, and whoever finds it taken goes on without.
//!
//! Invariant: a stored score is the mover's, counted from its position as if that were the root, and is a
//! bound of the value of minimax to the stored depth; its proof bits hold whatever the depth.

use crate::Key;
use crate::score::Found;
use crate::zobrist::zobrist;
use outplay_core::{Game, Keyed};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock};

/// Where the keys of positions come from.
pub trait Keys<G: Game>: Send + Sync {
    /// A number that is equal for equal positions.
    fn key(game: &G, pos: &G::Position) -> u64;

    /// The key that the options ask for.
    #[inline]
    fn chosen(game: &G, pos: &G::Position, key: Key) -> u64 {
        match key {
            Key::Exact => Self::key(game, pos),
            Key::Zobrist(bits) => zobrist(pos, bits),
        }
    }
}

/// Keys by hashing the position: works for every game.
#[derive(Clone, Copy, Debug)]
pub struct Hashed;

/// Keys that the game itself keeps, [`Keyed::key`].
#[derive(Clone, Copy, Debug)]
pub struct Own;

impl<G: Game> Keys<G> for Hashed {
    #[inline]
    fn key(_game: &G, pos: &G::Position) -> u64 {
        let mut hasher = FxHasher::default();
        pos.hash(&mut hasher);
        hasher.finish()
    }
}

impl<G: Keyed> Keys<G> for Own {
    #[inline]
    fn key(game: &G, pos: &G::Position) -> u64 {
        game.key(pos)
    }
}

/// The value of minimax to the entry's depth is at least the score.
pub(crate) const AT_LEAST: u8 = 1;
/// The value of minimax to the entry's depth is at most the score.
pub(crate) const AT_MOST: u8 = 2;

/// What is known about a position.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Known<M> {
    /// The best move, or the last one known to be good.
    pub(crate) mv: Option<M>,
    /// How far the search looked ahead from here.
    pub(crate) depth: u32,
    pub(crate) found: Found,
    /// [`AT_LEAST`], [`AT_MOST`] or both.
    pub(crate) bound: u8,
}

struct Entry<G: Game> {
    pos: G::Position,
    age: u32,
    known: Known<G::Move>,
}

type Bucket<G> = Mutex<[Option<Entry<G>>; 2]>;

/// Buckets that come into being together.
const SHELF: usize = 16;
type Shelf<G> = OnceLock<Box<[Bucket<G>; SHELF]>>;

/// A table for one game.
pub(crate) struct Table<G: Game> {
    shelves: Vec<Shelf<G>>,
    shift: u32,
    age: u32,
}

impl<G: Game> Table<G> {
    /// What an entry takes, its share of the bucket's lock included.
    pub(crate) const ENTRY_BYTES: usize = size_of::<Bucket<G>>().div_ceil(2);

    /// A table of at least `entries` entries, fewer if there is no memory for so many.
    pub(crate) fn new(entries: usize) -> Table<G> {
        let mut count = entries.div_ceil(2).div_ceil(SHELF).max(1).next_power_of_two();
        let mut shelves = Vec::new();
        while shelves.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
        }
        shelves.resize_with(count, OnceLock::new);
        let buckets = entries.div_ceil(2).next_power_of_two().clamp(2, (count * SHELF).max(2));
        Table { shift: 64 - buckets.trailing_zeros(), shelves, age: 0 }
    }

    /// How many entries there are.
    pub(crate) fn entries(&self) -> usize {
        2 << (64 - self.shift)
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.age = 0;
        self.shelves.fill_with(OnceLock::new);
    }

    /// A new search begins: what earlier ones left may be replaced.
    pub(crate) fn grow_older(&mut self) {
        self.age += 1;
    }

    /// The shelf of a key, and its place there.
    #[inline]
    fn place(&self, key: u64) -> (&Shelf<G>, usize) {
        // Keys may differ in a few bits only; the product spreads them over the high ones.
        let bucket = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        (&self.shelves[bucket / SHELF], bucket % SHELF)
    }

    pub(crate) fn find(&self, key: u64, pos: &G::Position) -> Option<Known<G::Move>> {
        let (shelf, place) = self.place(key);
        let bucket = shelf.get()?[place].try_lock().ok()?;
        bucket.iter().flatten().find(|entry| entry.pos == *pos).map(|entry| entry.known)
    }

    /// Whether another position than this one has its Zobrist key and stands where it would: a table that compares
    /// nothing but keys would take one for the other.
    pub(crate) fn collides(&self, key: u64, bits: u32, pos: &G::Position) -> bool {
        let (shelf, place) = self.place(key);
        let Some(bucket) = shelf.get().and_then(|shelf| shelf[place].try_lock().ok()) else { return false };
        let other = |entry: &Entry<G>| entry.pos != *pos && zobrist(&entry.pos, bits) == key;
        bucket.iter().flatten().any(other)
    }

    pub(crate) fn store(&self, key: u64, pos: &G::Position, mut known: Known<G::Move>) {
        let (shelf, place) = self.place(key);
        let shelf = shelf.get_or_init(|| Box::new(std::array::from_fn(|_| Mutex::new([None, None]))));
        let Ok(mut bucket) = shelf[place].try_lock() else { return };
        let [deep, recent] = &mut *bucket;
        let same = |slot: &Option<Entry<G>>| slot.as_ref().is_some_and(|entry| entry.pos == *pos);
        let slot = if same(deep) {
            deep
        } else if same(recent) {
            recent
        } else if deep.as_ref().is_none_or(|entry| entry.age != self.age || entry.known.depth <= known.depth)
        {
            // The deeper entry of this search moves over instead of being lost.
            *recent = deep.take();
            deep
        } else {
            recent
        };
        // A search that failed low has no best move; the one known before is still a good guess.
        let before = slot.as_ref().filter(|entry| entry.pos == *pos);
        known.mv = known.mv.or(before.and_then(|entry| entry.known.mv));
        *slot = Some(Entry { pos: pos.clone(), age: self.age, known });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use outplay_games::mnk::{Mnk, Rules};

    #[test]
    fn one_key_for_all_positions_never_mixes_them_up() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let table: Table<Mnk<u64>> = Table::new(2);
        let start = game.start().unwrap();
        let mut moves = Vec::new();
        game.moves(&start, &mut moves);
        for (i, &mv) in moves.iter().enumerate() {
            let pos = game.play(&start, mv);
            assert!(table.find(7, &pos).is_none());
            let found = Found::opinion(i as Score);
            table.store(7, &pos, Known { mv: None, depth: 3, found, bound: AT_LEAST });
            assert_eq!(table.find(7, &pos).unwrap().found, found);
        }
    }

    #[test]
    fn a_large_table_takes_memory_only_where_it_is_used() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let mut table: Table<Mnk<u64>> = Table::new(1 << 20);
        let start = game.start().unwrap();
        let used =
            |table: &Table<Mnk<u64>>| table.shelves.iter().filter(|shelf| shelf.get().is_some()).count();
        assert_eq!((table.entries(), used(&table)), (1 << 20, 0));
        let lesson = Known { mv: None, depth: 1, found: Found::opinion(0), bound: AT_LEAST };
        (0..100).for_each(|key| table.store(key, &start, lesson));
        assert!((50..=100).contains(&used(&table)));
        table.clear();
        assert_eq!(used(&table), 0);
        for entries in [0, 1, 2, 3, 31, 32, 33, 1000] {
            let table: Table<Mnk<u64>> = Table::new(entries);
            assert!(table.entries() >= entries && table.entries() <= (2 * entries).max(4));
            table.store(u64::MAX, &start, lesson);
            assert!(table.find(u64::MAX, &start).is_some());
        }
    }

    #[test]
    fn deep_entries_survive_shallow_ones() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let table: Table<Mnk<u64>> = Table::new(2);
        let start = game.start().unwrap();
        let lesson = |depth| Known { mv: None, depth, found: Found::opinion(0), bound: AT_LEAST };
        table.store(0, &start, lesson(9));
        for mv in 0..3 {
            table.store(0, &game.play(&start, mv), lesson(1));
        }
        assert_eq!(table.find(0, &start).unwrap().depth, 9);
        assert!(table.find(0, &game.play(&start, 2)).is_some());
        assert!(table.find(0, &game.play(&start, 1)).is_none());
    }
}
