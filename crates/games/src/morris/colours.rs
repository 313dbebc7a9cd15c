//! Sets of colourings as truth tables: for a fixed set of occupied points (a shape), which assignments of owners to the
//! men.
//!
//! Bit `m` of a table represents the colouring in which the mover (the player to move) owns exactly the men whose bits
//! are set in `m`. A man is therefore a *variable*, and a set of colourings is a Boolean function.
//!
//! ```text
//! n men     2ⁿ bits in 2ⁿ⁻⁶ words; variables 0 to 5 select bits of a word, the others select words
//! ```
//!
//! A move to another shape renumbers the men, which permutes variables (delta swaps), and passes the turn, which
//! negates all of them. Both are done for 64 colourings at a time.

/// Men of the largest shape with a truth table, which takes 32 kB.
pub(super) const MOST_MEN: usize = 18;

/// The bits of a word in which a variable is one.
const ONES: [u64; 6] = [
    0xaaaa_aaaa_aaaa_aaaa,
    0xcccc_cccc_cccc_cccc,
    0xf0f0_f0f0_f0f0_f0f0,
    0xff00_ff00_ff00_ff00,
    0xffff_0000_ffff_0000,
    0xffff_ffff_0000_0000,
];

/// The colourings of a word in which the mover owns a man.
#[inline]
pub(super) fn owned(man: usize, word: usize) -> u64 {
    match man {
        0..6 => ONES[man],
        _ => 0u64.wrapping_sub((word >> (man - 6) & 1) as u64),
    }
}

/// Swaps two variables.
#[inline]
fn swap(table: &mut [u64], a: usize, b: usize) {
    let (a, b) = (a.min(b), a.max(b));
    match (a < 6, b < 6) {
        (true, true) => {
            let (mask, shift) = (ONES[a] & !ONES[b], (1 << b) - (1 << a));
            for word in table {
                let moved = (*word >> shift ^ *word) & mask;
                *word ^= moved | moved << shift;
            }
        }
        (true, false) => {
            let (mask, shift, step) = (!ONES[a], 1 << a, 1 << (b - 6));
            for pair in table.chunks_exact_mut(2 * step) {
                let (zeros, ones) = pair.split_at_mut(step);
                for (zero, one) in zeros.iter_mut().zip(ones) {
                    let moved = (*zero >> shift ^ *one) & mask;
                    *one ^= moved;
                    *zero ^= moved << shift;
                }
            }
        }
        _ => {
            let (low, high) = (1 << (a - 6), 1 << (b - 6));
            for word in (0..table.len()).filter(|word| word & low != 0 && word & high == 0) {
                table.swap(word, word ^ low ^ high);
            }
        }
    }
}

/// The colourings before a move, given those after it: each man gets the index that `places` holds, and the turn
/// passes. Both tables have the same length.
#[inline]
pub(super) fn before(after: &[u64], places: &[u8], into: &mut [u64]) {
    /// Up to this number for each word of a small table, colourings are cheaper one by one.
    const SPARSE: u32 = 12;
    let last = (after.len() * 64 - 1) as u32;
    let few = SPARSE * (after.len() as u32).div_ceil(64);
    let count: u32 = after.iter().map(|word| word.count_ones()).sum();
    if count <= few {
        into.fill(0);
        for (word, &bits) in after.iter().enumerate() {
            let mut bits = bits;
            while bits != 0 {
                let turned = !(word as u32 * 64 + bits.trailing_zeros()) & last;
                let mover = places
                    .iter()
                    .enumerate()
                    .fold(0, |all, (man, &place)| all | (turned >> place & 1) << man);
                into[mover as usize / 64] |= 1 << (mover % 64);
                bits &= bits - 1;
            }
        }
        return;
    }
    // Negating all variables reverses the bits.
    into.iter_mut().zip(after.iter().rev()).for_each(|(to, from)| *to = from.reverse_bits());
    let mut now: [u8; MOST_MEN] = std::array::from_fn(|man| man as u8);
    for (man, &place) in places.iter().enumerate() {
        let mut from = man;
        while now[from] != place {
            from += 1;
        }
        if from != man {
            now.swap(man, from);
            swap(into, man, from);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One bit at a time.
    fn slowly(after: &[u64], places: &[u8]) -> Vec<u64> {
        let mut found = vec![0; after.len()];
        for mover in 0..after.len() * 64 {
            let moved =
                places.iter().enumerate().fold(0, |all, (man, &place)| all | (!mover >> man & 1) << place);
            found[mover / 64] |= (after[moved / 64] >> (moved % 64) & 1) << (mover % 64);
        }
        found
    }

    #[test]
    fn tables_are_permuted_bit_by_bit() {
        let mut state = 1u64;
        let mut random = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for men in 6..=MOST_MEN {
            for trial in 0..if men <= 12 { 60 } else { 6 } {
                let mut places: Vec<u8> = (0..men as u8).collect();
                (1..men).for_each(|i| places.swap(i, (random() % (i as u64 + 1)) as usize));
                let mut after: Vec<u64> = (0..1usize << (men - 6)).map(|_| random()).collect();
                if trial % 2 == 0 {
                    // Sparse sets take the other branch.
                    after.fill(0);
                    (0..trial / 8)
                        .for_each(|_| after[random() as usize % (1 << (men - 6))] |= 1 << (random() % 64));
                }
                let mut into = vec![u64::MAX; after.len()];
                before(&after, &places, &mut into);
                assert_eq!(into, slowly(&after, &places), "{men} {places:?}");
            }
        }
    }

    #[test]
    fn owned_men_are_ones() {
        for (man, mover) in
            (0..MOST_MEN).flat_map(|man| (0..1usize << MOST_MEN).step_by(61).map(move |mover| (man, mover)))
        {
            assert_eq!(owned(man, mover / 64) >> (mover % 64) & 1, (mover >> man & 1) as u64);
        }
    }
}
