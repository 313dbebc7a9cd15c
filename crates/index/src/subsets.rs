//! The combinatorial number system: ranks of k-subsets in colexicographic order.
//!
//! The rank of {p₁ < p₂ < …} is C(p₁,1) + C(p₂,2) + …, which orders subsets like their bit strings read as integers.
//! A table lookup ranks thirteen bits at a time: their contribution depends on the bits, their position and the
//! number of elements below them.

use crate::binomial;

/// Bits per table lookup: enough for a small board in one lookup, and small enough for the cache.
const CHUNK: usize = 13;
const PATTERNS: usize = 1 << CHUNK;

/// Ranking of subsets of up to 64 elements in colexicographic order.
#[derive(Clone)]
pub struct Subsets {
    elements: u32,
    /// C(n, k) at `n * 65 + k`; `u64::MAX`, which no rank reaches, where 64 bits do not suffice.
    choose: Vec<u64>,
    /// Contribution of the lowest chunk of bits to the rank.
    low: Vec<u64>,
    /// Contributions of the chunks above.
    high: Vec<ChunkRanks>,
}

/// Contribution of a chunk of bits to the rank, by the number of elements below it and by its bits.
#[derive(Clone)]
struct ChunkRanks {
    /// log₂ of the row length; the last chunk may be short.
    bits: u32,
    rows: Vec<u64>,
}

impl Subsets {
    /// Subsets of `elements` elements.
    ///
    /// # Panics
    ///
    /// If there are more than 64.
    pub fn new(elements: u32) -> Subsets {
        assert!(elements <= 64, "subsets of more than 64 elements have no 64-bit rank");
        let mut choose = vec![0; 66 * 65];
        for n in 0..66 {
            for k in 0..65 {
                choose[n * 65 + k] =
                    binomial(n as u32, k as u32).and_then(|c| u64::try_from(c).ok()).unwrap_or(u64::MAX);
            }
        }
        let mut chunks = Vec::new();
        for start in (0..elements as usize).step_by(CHUNK) {
            let bits = CHUNK.min(elements as usize - start);
            let mut rows = Vec::with_capacity((start + 1) << bits);
            for below in 0..=start {
                let row = rows.len();
                rows.push(0u64);
                for pattern in 1..1usize << bits {
                    // The topmost element adds its binomial to the rank of the rest.
                    let top = pattern.ilog2() as usize;
                    let count = below + ONES[pattern] as usize;
                    let rest: u64 = rows[row + (pattern ^ 1 << top)];
                    rows.push(rest.wrapping_add(choose[(start + top) * 65 + count]));
                }
            }
            chunks.push(ChunkRanks { bits: bits as u32, rows });
        }
        // No element lies below the lowest chunk: it has a single row, padded so that the lookup needs no bounds
        // check.
        let mut low = if chunks.is_empty() { Vec::new() } else { chunks.remove(0).rows };
        low.resize(PATTERNS, 0);
        Subsets { elements, choose, low, high: chunks }
    }

    /// The number of subsets of size `k` of the first `n` elements; `u64::MAX` if it exceeds 64 bits.
    #[inline]
    pub fn count(&self, n: u32, k: u32) -> u64 {
        self.choose[n as usize * 65 + k as usize]
    }

    /// The rank of a subset among those of its size.
    #[inline]
    pub fn rank(&self, subset: u64) -> u64 {
        let pattern = subset as usize & (PATTERNS - 1);
        let mut rank = self.low[pattern];
        let mut rest = subset >> CHUNK;
        if rest == 0 {
            return rank;
        }
        let mut below = ONES[pattern] as usize;
        for chunk in &self.high {
            let pattern = rest as usize & (PATTERNS - 1);
            rank += chunk.rows[(below << chunk.bits) + pattern];
            rest >>= CHUNK;
            below += ONES[pattern] as usize;
        }
        rank
    }

    /// The subset of size `k` with a rank below `count(elements, k)`.
    pub fn unrank(&self, k: u32, mut number: u64) -> u64 {
        let mut subset = 0;
        let mut n = self.elements;
        for k in (1..=k).rev() {
            // The largest n with C(n, k) <= number is the top element.
            n -= 1;
            while self.count(n, k) > number {
                n -= 1;
            }
            number -= self.count(n, k);
            subset |= 1 << n;
        }
        subset
    }
}

/// Population counts of chunks: a load, where counting takes a dozen instructions on a CPU without POPCNT.
static ONES: [u8; PATTERNS] = {
    let mut ones = [0; PATTERNS];
    let mut i = 1;
    while i < PATTERNS {
        ones[i] = ones[i / 2] + (i % 2) as u8;
        i += 1;
    }
    ones
};

/// The next larger bit string with as many ones (Gosper's hack, HAKMEM item 175, 1972). The empty set and the last
/// subset have no successor: the result is then meaningless, so callers count subsets instead.
#[inline]
pub fn next_subset(subset: u64) -> u64 {
    if subset == 0 {
        return 0;
    }
    let lowest = subset & subset.wrapping_neg();
    let ripple = subset.wrapping_add(lowest);
    // Dividing by the lowest bit is a shift; the ones that the carry cleared move to the bottom.
    let swept = ((subset ^ ripple) >> 2).checked_shr(lowest.trailing_zeros()).unwrap_or(0);
    ripple | swept
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_count_up_in_the_order_of_integers() {
        for elements in [0u32, 1, 5, 8, 9, 17, 20] {
            let subsets = Subsets::new(elements);
            for k in 0..=elements {
                let mut subset = if k == 0 { 0 } else { (1u64 << k) - 1 };
                for number in 0..subsets.count(elements, k) {
                    assert_eq!(subsets.rank(subset), number, "{elements} {subset:b}");
                    assert_eq!(subsets.unrank(k, number), subset, "{elements} {k} {number}");
                    subset = next_subset(subset);
                }
            }
        }
    }

    #[test]
    fn the_last_subset_of_64_has_the_last_number() {
        let subsets = Subsets::new(64);
        for k in [0, 1, 31, 32, 33, 63, 64] {
            let last = subsets.count(64, k) - 1;
            let subset = if k == 0 { 0 } else { u64::MAX << (64 - k) };
            assert_eq!(subsets.rank(subset), last);
            assert_eq!(subsets.unrank(k, last), subset);
        }
    }
}
