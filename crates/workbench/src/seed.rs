//! Derived random seeds: each game of a series has a seed of its own, which depends neither on threads nor on the
//! order.

/// Derives the seed of a numbered part from the seed of the whole.
///
/// The finaliser of SplitMix64 (Steele, Lea and Flood 2014) makes the streams of different parts look independent.
pub fn part(seed: u64, number: u64) -> u64 {
    let mut z = seed.wrapping_add(number.wrapping_add(1).wrapping_mul(0x9E37_79B9_7F4A_7C15));
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_hash::FxHashSet;

    #[test]
    fn seeds_of_different_parts_differ() {
        let seeds: FxHashSet<u64> =
            (0..100).flat_map(|a| (0..100).map(move |b| part(part(7, a), b))).collect();
        assert_eq!(seeds.len(), 10_000);
    }
}
