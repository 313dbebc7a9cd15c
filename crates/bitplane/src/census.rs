//! Census of a slab: how many of its positions have each value code, as bytes that are stored with the slab.

/// Serialises pairs of a code and its number of positions.
pub(crate) fn census(tally: &[(u64, u64)]) -> Vec<u8> {
    tally
        .iter()
        .flat_map(|&(code, positions)| [code.to_le_bytes(), positions.to_le_bytes()])
        .flatten()
        .collect()
}

/// Adds another census.
pub(crate) fn add_census(sum: &mut Vec<(u64, u64)>, bytes: &[u8]) {
    for (code, positions) in read_census(bytes) {
        match sum.iter_mut().find(|entry| entry.0 == code) {
            Some(entry) => entry.1 += positions,
            None => sum.push((code, positions)),
        }
    }
}

fn read_census(bytes: &[u8]) -> Vec<(u64, u64)> {
    let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
    bytes.chunks_exact(16).map(|pair| (number(&pair[..8]), number(&pair[8..]))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_add_up() {
        let mut sum = Vec::new();
        add_census(&mut sum, &census(&[(3, 5), (1, u64::MAX / 2)]));
        add_census(&mut sum, &census(&[(7, 1), (3, 2)]));
        assert_eq!(sum, [(3, 7), (1, u64::MAX / 2), (7, 1)]);
        assert_eq!(read_census(&census(&sum)), sum);
    }
}
