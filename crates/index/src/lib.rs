//! Combinatorial ranking and unranking, and bitboard primitives; no module here depends on a game.
//!
//! A board position is a *shape* (the occupied cells) and a *colouring* (the owners of their stones). Shapes with
//! gravity are [`Compositions`] (the number of stones in each column), shapes without are [`Subsets`] of the cells,
//! and colourings are [`Subsets`] of the stones. Shape rank times number of colourings plus colouring rank is the
//! tight index.
//!
//! ```
//! use outplay_index::{Compositions, Subsets};
//!
//! // Rank and unrank four of nine cells.
//! let subsets = Subsets::new(9);
//! let number = subsets.rank(0b1_0010_0101);
//! assert!(number < subsets.count(9, 4) && subsets.unrank(4, number) == 0b1_0010_0101);
//! // Three stones in columns of height two and three.
//! assert_eq!(Compositions::new(&[2, 3]).map(|heights| heights.count(3)), Some(3));
//! ```

mod bitboard;
pub mod bits;
mod columns;
mod compositions;
mod rearranger;
mod subsets;

pub use bitboard::{Bits, Cells};
pub use columns::Columns;
pub use compositions::Compositions;
pub use rearranger::{Mark, rearranger_rank, rearranger_unrank};
pub use subsets::{Subsets, next_subset};

/// The binomial coefficient C(n, k); `None` beyond 128 bits.
pub fn binomial(n: u32, k: u32) -> Option<u128> {
    if k > n {
        return Some(0);
    }
    let k = k.min(n - k);
    let mut result: u128 = 1;
    for i in 0..k {
        // The product of i+1 consecutive numbers is divisible by (i+1)!, so the division is exact. Cancelling the
        // common factor first keeps the intermediate product small.
        let (numerator, denominator) = (u128::from(n - i), u128::from(i + 1));
        let common = gcd(result, denominator);
        result = (result / common).checked_mul(numerator / (denominator / common))?;
    }
    Some(result)
}

/// The number of arrangements of `x` and `o` stones on `cells` cells: S! / (X! O! (S−X−O)!).
pub fn rearrangements(x: u32, o: u32, cells: u32) -> Option<u128> {
    if x + o > cells {
        return Some(0);
    }
    binomial(cells, x + o)?.checked_mul(binomial(x + o, x)?)
}

fn gcd(mut a: u128, mut b: u128) -> u128 {
    while b != 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binomials() {
        assert_eq!(binomial(0, 0), Some(1));
        assert_eq!(binomial(5, 2), Some(10));
        assert_eq!(binomial(3, 4), Some(0));
        assert_eq!(binomial(42, 21), Some(538_257_874_440));
        assert_eq!(binomial(128, 64), Some(23_951_146_041_928_082_866_135_587_776_380_551_750));
        assert_eq!(binomial(200, 100), None);
        for n in 1..100 {
            for k in 1..=n {
                let (above, left) = (binomial(n - 1, k), binomial(n - 1, k - 1));
                assert_eq!(binomial(n, k), above.zip(left).map(|(a, b)| a + b), "{n} over {k}");
            }
        }
    }

    #[test]
    fn tic_tac_toe_has_6046_slots() {
        let slots: u128 = (0..=9).map(|n: u32| rearrangements(n.div_ceil(2), n / 2, 9).unwrap()).sum();
        assert_eq!(slots, 6046);
    }
}
