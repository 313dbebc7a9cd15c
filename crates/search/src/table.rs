//! Transposition table with exact positions and two-tier buckets.
//!
//! ```text
//! bucket = [ depth-preferred | always replaced ]     the key selects the bucket,
//!                                                    the whole position must match
//! ```
//!
//! Buckets are allocated lazily in chunks, so a small search in a large table takes little memory. An entry
//! stores its position: a key collision can cost a hit but never returns wrong data. Entries of earlier
//! searches are aged and may be replaced. Threads share the table; each bucket has its own lock, and a thread
//! that finds it taken skips the access.
//!
//! Invariant: a stored score is for the player to move, with distances counted from its position, and bounds
//! the minimax value at the stored depth; its proof flags hold at any depth.

use crate::TableKey;
use crate::score::SearchScore;
use crate::zobrist::zobrist;
use outplay_core::{Game, HashKeys};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, OnceLock};

/// Source of hash keys for the transposition table.
pub trait Keys<G: Game>: Send + Sync {
    /// Returns a key that is equal for equal positions.
    fn key(game: &G, pos: &G::Position) -> u64;

    /// Returns the key that the options select.
    #[inline]
    fn chosen(game: &G, pos: &G::Position, key: TableKey) -> u64 {
        match key {
            TableKey::Exact => Self::key(game, pos),
            TableKey::Zobrist(bits) => zobrist(pos, bits),
        }
    }
}

/// Hash keys computed from the position by `Hash`, for any game.
#[derive(Clone, Copy, Debug)]
pub struct PositionHash;

/// Hash keys that the game itself computes ([`HashKeys::key`]).
#[derive(Clone, Copy, Debug)]
pub struct GameKeys;

impl<G: Game> Keys<G> for PositionHash {
    #[inline]
    fn key(_game: &G, pos: &G::Position) -> u64 {
        let mut hasher = FxHasher::default();
        pos.hash(&mut hasher);
        hasher.finish()
    }
}

impl<G: HashKeys> Keys<G> for GameKeys {
    #[inline]
    fn key(game: &G, pos: &G::Position) -> u64 {
        game.key(pos)
    }
}

/// The minimax value at the entry's depth is at least the score (fail high).
pub(crate) const AT_LEAST: u8 = 1;
/// The minimax value at the entry's depth is at most the score (fail low).
pub(crate) const AT_MOST: u8 = 2;

/// The data of a table entry.
#[derive(Clone, Copy, Debug)]
pub(crate) struct TranspositionEntry<M> {
    /// The hash move: the best move, or the last one that was.
    pub(crate) mv: Option<M>,
    /// Search depth.
    pub(crate) depth: u32,
    pub(crate) found: SearchScore,
    /// [`AT_LEAST`], [`AT_MOST`] or both.
    pub(crate) bound: u8,
}

struct TableSlot<G: Game> {
    pos: G::Position,
    age: u32,
    known: TranspositionEntry<G::Move>,
}

type Bucket<G> = Mutex<[Option<TableSlot<G>>; 2]>;

/// Number of buckets allocated together.
const CHUNK: usize = 16;
type Chunk<G> = OnceLock<Box<[Bucket<G>; CHUNK]>>;

/// Transposition table for one game.
pub(crate) struct TranspositionTable<G: Game> {
    chunks: Vec<Chunk<G>>,
    shift: u32,
    age: u32,
}

impl<G: Game> TranspositionTable<G> {
    /// Bytes per entry, its share of the bucket's lock included.
    pub(crate) const ENTRY_BYTES: usize = size_of::<Bucket<G>>().div_ceil(2);

    /// Creates a table of at least `entries` entries, fewer if memory does not suffice.
    pub(crate) fn new(entries: usize) -> TranspositionTable<G> {
        let mut count = entries.div_ceil(2).div_ceil(CHUNK).max(1).next_power_of_two();
        let mut chunks = Vec::new();
        while chunks.try_reserve_exact(count).is_err() && count > 1 {
            count /= 2;
        }
        chunks.resize_with(count, OnceLock::new);
        let buckets = entries.div_ceil(2).next_power_of_two().clamp(2, (count * CHUNK).max(2));
        TranspositionTable { shift: 64 - buckets.trailing_zeros(), chunks, age: 0 }
    }

    /// Number of entries.
    pub(crate) fn entries(&self) -> usize {
        2 << (64 - self.shift)
    }

    /// Removes all entries.
    pub(crate) fn clear(&mut self) {
        self.age = 0;
        self.chunks.fill_with(OnceLock::new);
    }

    /// Starts a new generation: entries of earlier searches may be replaced.
    pub(crate) fn grow_older(&mut self) {
        self.age += 1;
    }

    /// Returns the chunk of a key, and the index of the bucket in it.
    #[inline]
    fn place(&self, key: u64) -> (&Chunk<G>, usize) {
        // Keys may differ in a few bits only; multiplication spreads them over the high bits (Fibonacci
        // hashing).
        let bucket = (key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize;
        (&self.chunks[bucket / CHUNK], bucket % CHUNK)
    }

    pub(crate) fn find(&self, key: u64, pos: &G::Position) -> Option<TranspositionEntry<G::Move>> {
        let (chunk, place) = self.place(key);
        let bucket = chunk.get()?[place].try_lock().ok()?;
        bucket.iter().flatten().find(|entry| entry.pos == *pos).map(|entry| entry.known)
    }

    /// Whether an entry of another position with the same Zobrist key occupies the bucket: a table that
    /// compares only keys would return wrong data (a type-1 error).
    pub(crate) fn collides(&self, key: u64, bits: u32, pos: &G::Position) -> bool {
        let (chunk, place) = self.place(key);
        let Some(bucket) = chunk.get().and_then(|chunk| chunk[place].try_lock().ok()) else { return false };
        let other = |entry: &TableSlot<G>| entry.pos != *pos && zobrist(&entry.pos, bits) == key;
        bucket.iter().flatten().any(other)
    }

    pub(crate) fn store(&self, key: u64, pos: &G::Position, mut known: TranspositionEntry<G::Move>) {
        let (chunk, place) = self.place(key);
        let chunk = chunk.get_or_init(|| Box::new(std::array::from_fn(|_| Mutex::new([None, None]))));
        let Ok(mut bucket) = chunk[place].try_lock() else { return };
        let [deep, recent] = &mut *bucket;
        let same = |slot: &Option<TableSlot<G>>| slot.as_ref().is_some_and(|entry| entry.pos == *pos);
        let slot = if same(deep) {
            deep
        } else if same(recent) {
            recent
        } else if deep.as_ref().is_none_or(|entry| entry.age != self.age || entry.known.depth <= known.depth)
        {
            // The deeper entry of this search is demoted instead of dropped.
            *recent = deep.take();
            deep
        } else {
            recent
        };
        // A node that failed low has no best move; keep the previous hash move.
        let before = slot.as_ref().filter(|entry| entry.pos == *pos);
        known.mv = known.mv.or(before.and_then(|entry| entry.known.mv));
        *slot = Some(TableSlot { pos: pos.clone(), age: self.age, known });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::score::Score;
    use outplay_games::mnk::{Mnk, Rules};

    #[test]
    fn key_collisions_never_return_another_position() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let table: TranspositionTable<Mnk<u64>> = TranspositionTable::new(2);
        let start = game.start().unwrap();
        let mut moves = Vec::new();
        game.moves(&start, &mut moves);
        for (i, &mv) in moves.iter().enumerate() {
            let pos = game.play(&start, mv);
            assert!(table.find(7, &pos).is_none());
            let found = SearchScore::opinion(i as Score);
            table.store(7, &pos, TranspositionEntry { mv: None, depth: 3, found, bound: AT_LEAST });
            assert_eq!(table.find(7, &pos).unwrap().found, found);
        }
    }

    #[test]
    fn chunks_are_allocated_on_first_store() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let mut table: TranspositionTable<Mnk<u64>> = TranspositionTable::new(1 << 20);
        let start = game.start().unwrap();
        let used = |table: &TranspositionTable<Mnk<u64>>| {
            table.chunks.iter().filter(|chunk| chunk.get().is_some()).count()
        };
        assert_eq!((table.entries(), used(&table)), (1 << 20, 0));
        let entry =
            TranspositionEntry { mv: None, depth: 1, found: SearchScore::opinion(0), bound: AT_LEAST };
        (0..100).for_each(|key| table.store(key, &start, entry));
        assert!((50..=100).contains(&used(&table)));
        table.clear();
        assert_eq!(used(&table), 0);
        for entries in [0, 1, 2, 3, 31, 32, 33, 1000] {
            let table: TranspositionTable<Mnk<u64>> = TranspositionTable::new(entries);
            assert!(table.entries() >= entries && table.entries() <= (2 * entries).max(4));
            table.store(u64::MAX, &start, entry);
            assert!(table.find(u64::MAX, &start).is_some());
        }
    }

    #[test]
    fn deep_entries_survive_shallow_ones() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let table: TranspositionTable<Mnk<u64>> = TranspositionTable::new(2);
        let start = game.start().unwrap();
        let entry =
            |depth| TranspositionEntry { mv: None, depth, found: SearchScore::opinion(0), bound: AT_LEAST };
        table.store(0, &start, entry(9));
        for mv in 0..3 {
            table.store(0, &game.play(&start, mv), entry(1));
        }
        assert_eq!(table.find(0, &start).unwrap().depth, 9);
        assert!(table.find(0, &game.play(&start, 2)).is_some());
        assert!(table.find(0, &game.play(&start, 1)).is_none());
    }
}
