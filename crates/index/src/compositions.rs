//! Bounded compositions: vectors of column heights with sum n, each height bounded, ranked lexicographically.
//!
//! ```text
//! bounds 2 2, n = 2:   0 2   1 1   2 0        ranks 0, 1, 2
//! ```

/// Ranking of bounded compositions: the heights of columns with a given number of stones.
#[derive(Clone, Debug)]
pub struct Compositions {
    caps: Vec<u32>,
    /// `ways[c][n]`: the number of ways to distribute n stones over columns c, c+1, …
    ways: Vec<Vec<u64>>,
    /// `skipped[c][n * (cap + 1) + h]`: vectors that precede those in which column c holds h of the n stones left.
    skipped: Vec<Vec<u64>>,
}

impl Compositions {
    /// Columns that hold at most `caps` stones each. `None` if the number of vectors exceeds 64 bits.
    pub fn new(caps: &[u32]) -> Option<Compositions> {
        let cells: usize = caps.iter().sum::<u32>() as usize;
        let mut ways = vec![vec![0u64; cells + 1]; caps.len() + 1];
        ways[caps.len()][0] = 1;
        for c in (0..caps.len()).rev() {
            for n in 0..=cells {
                for h in 0..=(caps[c] as usize).min(n) {
                    ways[c][n] = ways[c][n].checked_add(ways[c + 1][n - h])?;
                }
            }
        }
        let skipped = (0..caps.len())
            .map(|c| {
                let cap = caps[c] as usize;
                let mut row = vec![0; (cells + 1) * (cap + 1)];
                for n in 0..=cells {
                    let mut sum = 0u64;
                    for h in 0..=cap.min(n) {
                        row[n * (cap + 1) + h] = sum;
                        sum = sum.wrapping_add(ways[c + 1][n - h]);
                    }
                }
                row
            })
            .collect();
        Some(Compositions { caps: caps.to_vec(), ways, skipped })
    }

    /// The number of height vectors with `n` stones.
    pub fn count(&self, n: u32) -> u64 {
        self.ways[0].get(n as usize).copied().unwrap_or(0)
    }

    /// The lexicographic rank of a height vector, given column by column, among those with sum `n`.
    #[inline]
    pub fn rank(&self, n: u32, heights: impl IntoIterator<Item = u32>) -> u64 {
        let (mut left, mut rank) = (n as usize, 0);
        for ((h, cap), row) in heights.into_iter().zip(&self.caps).zip(&self.skipped) {
            rank += row[left * (*cap as usize + 1) + h as usize];
            left -= h as usize;
        }
        rank
    }

    /// The height vector with a rank below `count(n)`.
    pub fn unrank(&self, n: u32, mut number: u64) -> Vec<u32> {
        let mut left = n as usize;
        let mut heights = Vec::with_capacity(self.caps.len());
        for (c, &cap) in self.caps.iter().enumerate() {
            let mut h = 0;
            while h < cap as usize && h < left && number >= self.ways[c + 1][left - h] {
                number -= self.ways[c + 1][left - h];
                h += 1;
            }
            heights.push(h as u32);
            left -= h;
        }
        heights
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranks_are_one_to_one_and_ordered() {
        for caps in [vec![], vec![3], vec![2, 0, 2], vec![1, 1, 1, 1], vec![4, 3, 2], vec![4; 5]] {
            let all = Compositions::new(&caps).unwrap();
            for n in 0..=caps.iter().sum() {
                let mut last: Option<Vec<u32>> = None;
                for number in 0..all.count(n) {
                    let heights = all.unrank(n, number);
                    assert_eq!(heights.iter().sum::<u32>(), n);
                    assert!(heights.iter().zip(&caps).all(|(h, cap)| h <= cap));
                    assert_eq!(all.rank(n, heights.iter().copied()), number);
                    assert!(last.is_none_or(|before| before < heights));
                    last = Some(heights);
                }
            }
            let vectors: u64 = (0..=caps.iter().sum()).map(|n| all.count(n)).sum();
            assert_eq!(vectors, caps.iter().map(|&cap| u64::from(cap) + 1).product::<u64>());
        }
    }
}
