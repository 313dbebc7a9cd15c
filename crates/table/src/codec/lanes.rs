//! SIMD vectors of sixteen `u32` lanes: scalar, AVX2 and AVX-512.
#![allow(unsafe_code)]

/// Lanes of a vector.
pub(crate) const LANES: usize = 16;
/// The index of each lane.
pub(crate) const NUMBERS: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// Cost of an absent lane: more than any cost in use.
pub(crate) const NONE: u32 = 1 << 31;

/// A vector of sixteen numbers. The low four bits of each may hold a lane index.
///
/// # Safety
///
/// The processor must have the type's instructions.
pub(crate) trait Lanes: Copy {
    /// Loads consecutive numbers.
    unsafe fn load(from: &[u32; LANES]) -> Self;

    /// Gathers the numbers at these indices; the last index must be the largest.
    unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> Self;

    /// Broadcasts one number.
    unsafe fn fill(number: u32) -> Self;

    /// Adds lane by lane, wrapping.
    unsafe fn add(self, other: Self) -> Self;

    /// Takes the minimum lane by lane.
    unsafe fn min(self, other: Self) -> Self;

    /// Writes each lane's index to its low four bits; lanes from `count` on become [`NONE`].
    unsafe fn own(self, count: u32) -> Self;

    /// Returns the smallest lane.
    unsafe fn least(self) -> u32;

    /// Converts to an array.
    unsafe fn store(self) -> [u32; LANES];
}

/// Scalar, for any processor.
impl Lanes for [u32; LANES] {
    unsafe fn load(from: &[u32; LANES]) -> Self {
        *from
    }

    unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> Self {
        at.map(|at| from[at as usize])
    }

    unsafe fn fill(number: u32) -> Self {
        [number; LANES]
    }

    unsafe fn add(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].wrapping_add(other[lane]))
    }

    unsafe fn min(self, other: Self) -> Self {
        std::array::from_fn(|lane| self[lane].min(other[lane]))
    }

    unsafe fn own(self, count: u32) -> Self {
        NUMBERS.map(|lane| lane | if lane < count { self[lane as usize] & !15 } else { NONE })
    }

    unsafe fn least(self) -> u32 {
        self.into_iter().fold(u32::MAX, u32::min)
    }

    unsafe fn store(self) -> [u32; LANES] {
        self
    }
}

#[cfg(target_arch = "x86_64")]
pub(crate) mod x86 {
    use super::{LANES, Lanes, NONE, NUMBERS};
    use std::arch::x86_64::*;

    /// Two AVX2 registers.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx2(__m256i, __m256i);

    // SAFETY, for all blocks: the caller ensures the instructions; loads and stores stay within arrays of LANES
    // numbers.
    impl Lanes for Avx2 {
        #[inline(always)]
        unsafe fn load(from: &[u32; LANES]) -> Avx2 {
            // SAFETY: see above.
            unsafe {
                let at = from.as_ptr();
                Avx2(_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(8).cast()))
            }
        }

        #[inline(always)]
        unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> Avx2 {
            assert!((at[LANES - 1] as usize) < from.len(), "no such place");
            // SAFETY: see above; the largest index is in bounds.
            unsafe {
                let (Avx2(low, high), from) = (Avx2::load(at), from.as_ptr().cast());
                Avx2(_mm256_i32gather_epi32::<4>(from, low), _mm256_i32gather_epi32::<4>(from, high))
            }
        }

        #[inline(always)]
        unsafe fn fill(number: u32) -> Avx2 {
            // SAFETY: see above.
            unsafe { Avx2(_mm256_set1_epi32(number as i32), _mm256_set1_epi32(number as i32)) }
        }

        #[inline(always)]
        unsafe fn add(self, other: Avx2) -> Avx2 {
            // SAFETY: see above.
            unsafe { Avx2(_mm256_add_epi32(self.0, other.0), _mm256_add_epi32(self.1, other.1)) }
        }

        #[inline(always)]
        unsafe fn min(self, other: Avx2) -> Avx2 {
            // SAFETY: see above.
            unsafe { Avx2(_mm256_min_epu32(self.0, other.0), _mm256_min_epu32(self.1, other.1)) }
        }

        #[inline(always)]
        unsafe fn own(self, count: u32) -> Avx2 {
            // SAFETY: see above.
            unsafe {
                let Avx2(low, high) = Avx2::load(&NUMBERS);
                let (count, none) = (_mm256_set1_epi32(count as i32), _mm256_set1_epi32(NONE as i32));
                let own = |lanes, numbers| {
                    let costs = _mm256_andnot_si256(_mm256_set1_epi32(15), lanes);
                    let exists = _mm256_cmpgt_epi32(count, numbers);
                    _mm256_or_si256(_mm256_blendv_epi8(none, costs, exists), numbers)
                };
                Avx2(own(self.0, low), own(self.1, high))
            }
        }

        #[inline(always)]
        unsafe fn least(self) -> u32 {
            // SAFETY: see above.
            unsafe {
                let eight = _mm256_min_epu32(self.0, self.1);
                let four = _mm_min_epu32(_mm256_castsi256_si128(eight), _mm256_extracti128_si256::<1>(eight));
                let two = _mm_min_epu32(four, _mm_shuffle_epi32::<0b01_00_11_10>(four));
                _mm_cvtsi128_si32(_mm_min_epu32(two, _mm_shuffle_epi32::<0b10_11_00_01>(two))) as u32
            }
        }

        #[inline(always)]
        unsafe fn store(self) -> [u32; LANES] {
            let mut lanes = [0u32; LANES];
            // SAFETY: see above.
            unsafe {
                _mm256_storeu_si256(lanes.as_mut_ptr().cast(), self.0);
                _mm256_storeu_si256(lanes.as_mut_ptr().add(8).cast(), self.1);
            }
            lanes
        }
    }

    /// One AVX-512 register.
    #[derive(Clone, Copy)]
    pub(crate) struct Avx512(__m512i);

    // SAFETY, for all blocks: the caller ensures the instructions; loads and stores stay within arrays of LANES
    // numbers.
    impl Lanes for Avx512 {
        #[inline(always)]
        unsafe fn load(from: &[u32; LANES]) -> Avx512 {
            // SAFETY: see above.
            unsafe { Avx512(_mm512_loadu_si512(from.as_ptr().cast())) }
        }

        #[inline(always)]
        unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> Avx512 {
            assert!((at[LANES - 1] as usize) < from.len(), "no such place");
            // SAFETY: see above; the largest index is in bounds.
            unsafe { Avx512(_mm512_i32gather_epi32::<4>(Avx512::load(at).0, from.as_ptr().cast())) }
        }

        #[inline(always)]
        unsafe fn fill(number: u32) -> Avx512 {
            // SAFETY: see above.
            unsafe { Avx512(_mm512_set1_epi32(number as i32)) }
        }

        #[inline(always)]
        unsafe fn add(self, other: Avx512) -> Avx512 {
            // SAFETY: see above.
            unsafe { Avx512(_mm512_add_epi32(self.0, other.0)) }
        }

        #[inline(always)]
        unsafe fn min(self, other: Avx512) -> Avx512 {
            // SAFETY: see above.
            unsafe { Avx512(_mm512_min_epu32(self.0, other.0)) }
        }

        #[inline(always)]
        unsafe fn own(self, count: u32) -> Avx512 {
            // SAFETY: see above.
            unsafe {
                let numbers = Avx512::load(&NUMBERS).0;
                let costs = _mm512_andnot_si512(_mm512_set1_epi32(15), self.0);
                let exists = ((1u32 << count) - 1) as __mmask16;
                let none = _mm512_set1_epi32(NONE as i32);
                Avx512(_mm512_or_si512(_mm512_mask_mov_epi32(none, exists, costs), numbers))
            }
        }

        #[inline(always)]
        unsafe fn least(self) -> u32 {
            // SAFETY: see above.
            unsafe { Avx2(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0)).least() }
        }

        #[inline(always)]
        unsafe fn store(self) -> [u32; LANES] {
            let mut lanes = [0u32; LANES];
            // SAFETY: see above.
            unsafe { _mm512_storeu_si512(lanes.as_mut_ptr().cast(), self.0) };
            lanes
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Calls every operation once and returns all results.
    unsafe fn all<L: Lanes>(a: &[u32; LANES], b: &[u32], at: &[u32; LANES], count: u32) -> Vec<u32> {
        // SAFETY: as for this function.
        unsafe {
            let (a, b) = (L::load(a), L::gather(b, at));
            let lanes = [a, b, a.add(b), a.min(b), a.own(count), L::fill(count)];
            let mut results: Vec<u32> = lanes.iter().flat_map(|lanes| lanes.store()).collect();
            results.extend(lanes.map(|lanes| lanes.least()));
            results
        }
    }

    #[test]
    fn all_instruction_sets_agree() {
        let mut rng = SmallRng::seed_from_u64(12);
        for _ in 0..200 {
            let a = std::array::from_fn(|_| rng.random());
            let b: Vec<u32> = (0..100).map(|_| rng.random()).collect();
            let mut at: [u32; LANES] = std::array::from_fn(|_| rng.random_range(0..100));
            at.sort_unstable();
            let count = rng.random_range(0..=16);
            // SAFETY: the scalar version needs no special instructions.
            let plain = unsafe { all::<[u32; LANES]>(&a, &b, &at, count) };
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                assert_eq!(unsafe { all::<x86::Avx2>(&a, &b, &at, count) }, plain);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the instructions.
                assert_eq!(unsafe { all::<x86::Avx512>(&a, &b, &at, count) }, plain);
            }
        }
    }
}
