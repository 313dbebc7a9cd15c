//! Zobrist hashing (Zobrist 1970) over the bytes of a position.
//!
//! ```text
//!  position      x . o …          as a byte sequence, the way it is hashed
//!  key           r(0,x) ⊕ r(1,.) ⊕ r(2,o) ⊕ …      r(i, b): random number of byte b at offset i
//! ```
//!
//! The scheme works for any game: there is one pseudorandom number for each byte value and offset, where the classic
//! scheme has one for each piece and square. On a bitboard, a byte covers eight cells. Keys are computed from scratch,
//! not incrementally. Two positions collide with probability 2⁻ᵇ for keys of b bits.

use std::hash::{Hash, Hasher};

/// Seed of the pseudorandom numbers; any other value gives other collisions.
const SEED: u64 = 0x5851_f42d_4c95_7f2d;

/// Hasher that combines a number for every byte written.
struct Zobrist {
    place: u64,
    key: u64,
}

/// Pseudorandom number of a byte at an offset: the finaliser of SplitMix64, which needs no table.
#[inline]
fn number(place: u64, byte: u8) -> u64 {
    let mut x = SEED.wrapping_add((place << 8 | u64::from(byte)).wrapping_mul(0x9e37_79b9_7f4a_7c15));
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^ (x >> 31)
}

impl Hasher for Zobrist {
    fn write(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.key ^= number(self.place, byte);
            self.place += 1;
        }
    }

    fn finish(&self) -> u64 {
        self.key
    }
}

/// Returns the Zobrist key of a position, truncated to `bits` bits.
pub(crate) fn zobrist<P: Hash>(pos: &P, bits: u32) -> u64 {
    let mut zobrist = Zobrist { place: 0, key: 0 };
    pos.hash(&mut zobrist);
    if bits >= 64 { zobrist.key } else { zobrist.key & ((1 << bits) - 1) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Game;
    use outplay_games::mnk::{Mnk, Rules};
    use std::collections::{HashMap, HashSet};

    /// Changing a byte changes the key by the two numbers of that offset, independent of the others.
    #[test]
    fn a_byte_changes_the_key_by_its_own_numbers() {
        let changed = |rest: u8| zobrist(&[rest, 1, rest], 64) ^ zobrist(&[rest, 7, rest], 64);
        assert_eq!(changed(0), changed(200));
        assert_ne!(changed(0), 0);
        assert!(zobrist(&[1u8, 2, 3], 12) < 1 << 12);
    }

    /// All positions of tic-tac-toe have distinct 64-bit keys. 12-bit keys collide as often as expected: 5,478
    /// positions on 4,096 keys give 5478 · 5477 / 2 / 4096 = 3,662 pairs.
    #[test]
    fn collisions_match_the_key_length() {
        let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
        let (mut seen, mut open) = (HashSet::new(), vec![game.start().unwrap()]);
        while let Some(pos) = open.pop() {
            if seen.insert(pos) {
                let mut moves = Vec::new();
                game.moves(&pos, &mut moves);
                open.extend(moves.iter().map(|&mv| game.play(&pos, mv)));
            }
        }
        assert_eq!(seen.len(), 5478);
        let keys = |bits: u32| {
            let mut count: HashMap<u64, u64> = HashMap::new();
            seen.iter().for_each(|pos| *count.entry(zobrist(pos, bits)).or_default() += 1);
            count.values().map(|n| n * (n - 1) / 2).sum::<u64>()
        };
        assert_eq!(keys(64), 0);
        assert!((3_300..4_100).contains(&keys(12)), "{}", keys(12));
    }
}
