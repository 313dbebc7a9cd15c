//! The transposition table: what is already known about positions met before.
//!
//! ```text
//! bucket = [ deepest of its time | most recent ]     the key chooses the bucket,
//!                                                    the whole position must match
//! ```
//!
//! An entry keeps its position, so two positions with one key can cost a hit but never give a wrong answer.
//! Threads share the table; each bucket has a lock of its own, and whoever finds it taken goes on without.
//!
//! Invariant: a stored score is the mover's, counted from its position as if that were the root, and is a
//! bound of the value of minimax to the stored depth; its proof bits hold whatever the depth.

use crate::score::Found;
use outplay_core::{Game, InPlace};
use rustc_hash::FxHasher;
use std::hash::{Hash, Hasher};
use std::sync::Mutex;

/// Where the keys of positions come from.
pub trait Keys<G: Game>: Send + Sync {
    /// A number that is equal for equal positions.
    fn key(game: &G, pos: &G::Position) -> u64;
}

/// Keys by hashing the position: works for every game.
#[derive(Clone, Copy, Debug)]
pub struct Hashed;

/// Keys that the game itself keeps, [`InPlace::key`].
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

impl<G: InPlace> Keys<G> for Own {
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

/// A table for one game.
pub(crate) struct Table<G: Game> {
    buckets: Vec<Bucket<G>>,
    shift: u32,
    age: u32,
}

impl<G: Game> Table<G> {
    /// What an entry takes, its share of the bucket's lock included.
    pub(crate) const ENTRY_BYTES: usize = size_of::<Bucket<G>>().div_ceil(2);

    /// A table of at least `entries` entries.
    pub(crate) fn new(entries: usize) -> Table<G> {
        let buckets = entries.div_ceil(2).next_power_of_two().max(2);
        let buckets: Vec<Bucket<G>> = (0..buckets).map(|_| Mutex::new([None, None])).collect();
        Table { shift: 64 - buckets.len().trailing_zeros(), buckets, age: 0 }
    }

    /// How many entries there are.
    pub(crate) fn entries(&self) -> usize {
        2 * self.buckets.len()
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        self.age = 0;
        for bucket in &mut self.buckets {
            // A poisoned lock only means that a thread panicked; what it left is thrown away here.
            *bucket.get_mut().unwrap_or_else(|poisoned| poisoned.into_inner()) = [None, None];
        }
    }

    /// A new search begins: what earlier ones left may be replaced.
    pub(crate) fn grow_older(&mut self) {
        self.age += 1;
    }

    #[inline]
    fn bucket(&self, key: u64) -> &Bucket<G> {
        // Keys may differ in a few bits only; the product spreads them over the high ones.
        &self.buckets[(key.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> self.shift) as usize]
    }

    pub(crate) fn find(&self, key: u64, pos: &G::Position) -> Option<Known<G::Move>> {
        let bucket = self.bucket(key).try_lock().ok()?;
        bucket.iter().flatten().find(|entry| entry.pos == *pos).map(|entry| entry.known)
    }

    pub(crate) fn store(&self, key: u64, pos: &G::Position, mut known: Known<G::Move>) {
        let Ok(mut bucket) = self.bucket(key).try_lock() else { return };
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
