//! Sixteen numbers that are added and compared side by side, in whatever registers the processor has.
#![allow(unsafe_code)]

/// How many there are.
pub(crate) const LANES: usize = 16;
/// The number of each lane.
pub(crate) const NUMBERS: [u32; LANES] = [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15];
/// More than any number that counts.
pub(crate) const NONE: u32 = 1 << 31;

/// Sixteen numbers. The low four bits of each may say where it comes from.
///
/// # Safety
///
/// All methods ask that the processor has the type's instructions.
pub(crate) trait Lanes: Copy {
    /// Numbers that lie side by side.
    unsafe fn load(from: &[u32; LANES]) -> Self;

    /// Numbers that lie apart, at these places; the last place must not lie below any other.
    unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> Self;

    /// One number in all lanes.
    unsafe fn fill(number: u32) -> Self;

    /// Sums.
    unsafe fn add(self, other: Self) -> Self;

    /// The smaller ones.
    unsafe fn min(self, other: Self) -> Self;

    /// The numbers, each with its own lane in the low four bits; those from a lane on count for nothing.
    unsafe fn own(self, count: u32) -> Self;

    /// The smallest.
    unsafe fn least(self) -> u32;

    /// As an array.
    unsafe fn store(self) -> [u32; LANES];
}

/// In memory, for any processor.
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

    /// With AVX2.
    #[derive(Clone, Copy)]
    pub(crate) struct Two(__m256i, __m256i);

    // SAFETY, for all blocks: the caller's promise, and what is read and written is in arrays and slices of that size.
    impl Lanes for Two {
        #[inline(always)]
        unsafe fn load(from: &[u32; LANES]) -> Two {
            // SAFETY: see above.
            unsafe {
                let at = from.as_ptr();
                Two(_mm256_loadu_si256(at.cast()), _mm256_loadu_si256(at.add(8).cast()))
            }
        }

        #[inline(always)]
        unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> Two {
            assert!((at[LANES - 1] as usize) < from.len(), "no such place");
            // SAFETY: see above; the last place is there.
            unsafe {
                let (Two(low, high), from) = (Two::load(at), from.as_ptr().cast());
                Two(_mm256_i32gather_epi32::<4>(from, low), _mm256_i32gather_epi32::<4>(from, high))
            }
        }

        #[inline(always)]
        unsafe fn fill(number: u32) -> Two {
            // SAFETY: see above.
            unsafe { Two(_mm256_set1_epi32(number as i32), _mm256_set1_epi32(number as i32)) }
        }

        #[inline(always)]
        unsafe fn add(self, other: Two) -> Two {
            // SAFETY: see above.
            unsafe { Two(_mm256_add_epi32(self.0, other.0), _mm256_add_epi32(self.1, other.1)) }
        }

        #[inline(always)]
        unsafe fn min(self, other: Two) -> Two {
            // SAFETY: see above.
            unsafe { Two(_mm256_min_epu32(self.0, other.0), _mm256_min_epu32(self.1, other.1)) }
        }

        #[inline(always)]
        unsafe fn own(self, count: u32) -> Two {
            // SAFETY: see above.
            unsafe {
                let Two(low, high) = Two::load(&NUMBERS);
                let (count, none) = (_mm256_set1_epi32(count as i32), _mm256_set1_epi32(NONE as i32));
                let own = |lanes, numbers| {
                    let costs = _mm256_andnot_si256(_mm256_set1_epi32(15), lanes);
                    let exists = _mm256_cmpgt_epi32(count, numbers);
                    _mm256_or_si256(_mm256_blendv_epi8(none, costs, exists), numbers)
                };
                Two(own(self.0, low), own(self.1, high))
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

    /// With AVX-512.
    #[derive(Clone, Copy)]
    pub(crate) struct One(__m512i);

    // SAFETY, for all blocks: the caller's promise, and what is read and written is in arrays and slices of that size.
    impl Lanes for One {
        #[inline(always)]
        unsafe fn load(from: &[u32; LANES]) -> One {
            // SAFETY: see above.
            unsafe { One(_mm512_loadu_si512(from.as_ptr().cast())) }
        }

        #[inline(always)]
        unsafe fn gather(from: &[u32], at: &[u32; LANES]) -> One {
            assert!((at[LANES - 1] as usize) < from.len(), "no such place");
            // SAFETY: see above; the last place is there.
            unsafe { One(_mm512_i32gather_epi32::<4>(One::load(at).0, from.as_ptr().cast())) }
        }

        #[inline(always)]
        unsafe fn fill(number: u32) -> One {
            // SAFETY: see above.
            unsafe { One(_mm512_set1_epi32(number as i32)) }
        }

        #[inline(always)]
        unsafe fn add(self, other: One) -> One {
            // SAFETY: see above.
            unsafe { One(_mm512_add_epi32(self.0, other.0)) }
        }

        #[inline(always)]
        unsafe fn min(self, other: One) -> One {
            // SAFETY: see above.
            unsafe { One(_mm512_min_epu32(self.0, other.0)) }
        }

        #[inline(always)]
        unsafe fn own(self, count: u32) -> One {
            // SAFETY: see above.
            unsafe {
                let numbers = One::load(&NUMBERS).0;
                let costs = _mm512_andnot_si512(_mm512_set1_epi32(15), self.0);
                let exists = ((1u32 << count) - 1) as __mmask16;
                let none = _mm512_set1_epi32(NONE as i32);
                One(_mm512_or_si512(_mm512_mask_mov_epi32(none, exists, costs), numbers))
            }
        }

        #[inline(always)]
        unsafe fn least(self) -> u32 {
            // SAFETY: see above.
            unsafe { Two(_mm512_castsi512_si256(self.0), _mm512_extracti64x4_epi64::<1>(self.0)).least() }
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

    /// Does everything once, and tells what came of it.
    unsafe fn all<L: Lanes>(a: &[u32; LANES], b: &[u32], at: &[u32; LANES], count: u32) -> Vec<u32> {
        // SAFETY: the caller's promise.
        unsafe {
            let (a, b) = (L::load(a), L::gather(b, at));
            let lanes = [a, b, a.add(b), a.min(b), a.own(count), L::fill(count)];
            let mut told: Vec<u32> = lanes.iter().flat_map(|lanes| lanes.store()).collect();
            told.extend(lanes.map(|lanes| lanes.least()));
            told
        }
    }

    #[test]
    fn all_instructions_do_the_same() {
        let mut rng = SmallRng::seed_from_u64(12);
        for _ in 0..200 {
            let a = std::array::from_fn(|_| rng.random());
            let b: Vec<u32> = (0..100).map(|_| rng.random()).collect();
            let mut at: [u32; LANES] = std::array::from_fn(|_| rng.random_range(0..100));
            at.sort_unstable();
            let count = rng.random_range(0..=16);
            // SAFETY: every processor has these instructions.
            let plain = unsafe { all::<[u32; LANES]>(&a, &b, &at, count) };
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx2") {
                // SAFETY: the processor has the instructions.
                assert_eq!(unsafe { all::<x86::Two>(&a, &b, &at, count) }, plain);
            }
            #[cfg(target_arch = "x86_64")]
            if std::arch::is_x86_feature_detected!("avx512f") {
                // SAFETY: the processor has the instructions.
                assert_eq!(unsafe { all::<x86::One>(&a, &b, &at, count) }, plain);
            }
        }
    }
}
