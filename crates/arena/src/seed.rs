//! Seeds that follow from one another: every game has its own, whoever plays it and whenever.

/// A seed for a part of something that has a seed.
///
/// Parts are numbered; what follows from different parts looks independent (the finaliser of SplitMix64).
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
    fn parts_differ() {
        let seeds: FxHashSet<u64> =
            (0..100).flat_map(|a| (0..100).map(move |b| part(part(7, a), b))).collect();
        assert_eq!(seeds.len(), 10_000);
    }
}
