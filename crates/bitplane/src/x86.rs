//! Implementations of the 512-bit SIMD abstraction ([`crate::lane`]) with AVX2 and AVX-512 instructions.
//!
//! Invariant: an implementation is used only after [`crate::Level::available`] has detected its instructions.
#![allow(unsafe_code)]

use crate::lane::{BitPermutation, Lane};
use std::arch::x86_64::*;
use std::ops::Range;

/// Two 256-bit registers.
pub(crate) struct Avx2;

// SAFETY (whole impl): the trait's contract is that the processor has AVX2 and BMI2 and that
// pointers are valid and aligned for what is read or written; each method forwards to instructions.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lane for Avx2 {
    type Line = (__m256i, __m256i);

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self::Line {
        unsafe { (_mm256_load_si256(from.cast()), _mm256_load_si256(from.add(4).cast())) }
    }
    #[inline(always)]
    unsafe fn store(to: *mut u64, line: Self::Line) {
        unsafe {
            _mm256_store_si256(to.cast(), line.0);
            _mm256_store_si256(to.add(4).cast(), line.1);
        }
    }
    #[inline(always)]
    unsafe fn fill(word: u64) -> Self::Line {
        unsafe { (_mm256_set1_epi64x(word as i64), _mm256_set1_epi64x(word as i64)) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Line, b: Self::Line) -> Self::Line {
        unsafe { (_mm256_and_si256(a.0, b.0), _mm256_and_si256(a.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn or(a: Self::Line, b: Self::Line) -> Self::Line {
        unsafe { (_mm256_or_si256(a.0, b.0), _mm256_or_si256(a.1, b.1)) }
    }
    #[inline(always)]
    unsafe fn without(a: Self::Line, b: Self::Line) -> Self::Line {
        unsafe { (_mm256_andnot_si256(b.0, a.0), _mm256_andnot_si256(b.1, a.1)) }
    }
    #[inline(always)]
    unsafe fn greater(b: Self::Line, a: Self::Line, so_far: Self::Line) -> Self::Line {
        unsafe {
            let differ = (_mm256_xor_si256(a.0, b.0), _mm256_xor_si256(a.1, b.1));
            Self::pick(differ, b, so_far)
        }
    }
    #[inline(always)]
    unsafe fn pick(mask: Self::Line, b: Self::Line, a: Self::Line) -> Self::Line {
        unsafe {
            let low = _mm256_and_si256(mask.0, _mm256_xor_si256(a.0, b.0));
            let high = _mm256_and_si256(mask.1, _mm256_xor_si256(a.1, b.1));
            (_mm256_xor_si256(a.0, low), _mm256_xor_si256(a.1, high))
        }
    }
    #[inline(always)]
    unsafe fn is_empty(line: Self::Line) -> bool {
        unsafe {
            let any = _mm256_or_si256(line.0, line.1);
            _mm256_testz_si256(any, any) == 1
        }
    }
    #[inline(always)]
    unsafe fn tally(counters: *mut u64, line: Self::Line) {
        unsafe {
            let words: [u64; 8] = std::mem::transmute(line);
            for (i, word) in words.iter().enumerate() {
                *counters.add(i) += _popcnt64(*word as i64) as u64;
            }
        }
    }
    #[inline(always)]
    unsafe fn alive(masks: *const u32, missing: u32) -> u32 {
        unsafe {
            let missing = _mm256_set1_epi32(missing as i32);
            let zero = _mm256_setzero_si256();
            let low = _mm256_and_si256(_mm256_loadu_si256(masks.cast()), missing);
            let high = _mm256_and_si256(_mm256_loadu_si256(masks.add(8).cast()), missing);
            let low = _mm256_castsi256_ps(_mm256_cmpeq_epi32(low, zero));
            let high = _mm256_castsi256_ps(_mm256_cmpeq_epi32(high, zero));
            (_mm256_movemask_ps(low) | _mm256_movemask_ps(high) << 8) as u32
        }
    }
    #[inline(always)]
    unsafe fn compress(value: u64, mask: u64) -> u64 {
        unsafe { _pext_u64(value, mask) }
    }
    #[inline(always)]
    unsafe fn spread(value: u64, mask: u64) -> u64 {
        unsafe { _pdep_u64(value, mask) }
    }
    #[inline(always)]
    unsafe fn look_up<const N: usize>(planes: &[u64; N], codes: &[i8; 64]) -> [i8; 64] {
        unsafe {
            // Broadcast every byte of a plane to eight bytes, each of which tests another bit of it.
            let places =
                _mm256_setr_epi64x(0, 0x0101_0101_0101_0101, 0x0202_0202_0202_0202, 0x0303_0303_0303_0303);
            let bits = _mm256_set1_epi64x(0x8040_2010_0804_0201_u64 as i64);
            let mut numbers = [0i8; 64];
            for half in 0..2 {
                let mut sum = _mm256_setzero_si256();
                for (plane, &word) in planes.iter().enumerate() {
                    let bytes = _mm256_shuffle_epi8(_mm256_set1_epi32((word >> (32 * half)) as i32), places);
                    let set = _mm256_cmpeq_epi8(_mm256_and_si256(bytes, bits), bits);
                    sum = _mm256_or_si256(sum, _mm256_and_si256(set, _mm256_set1_epi8(1 << plane)));
                }
                _mm256_storeu_si256(numbers.as_mut_ptr().add(32 * half).cast(), sum);
            }
            numbers.iter_mut().for_each(|number| *number = codes[*number as usize & 63]);
            numbers
        }
    }
    #[inline(always)]
    unsafe fn permute(program: &BitPermutation, words: Range<usize>, from: *const u64, to: *mut u64) {
        unsafe {
            // A table lookup of 128 bytes by eight shuffles of sixteen: an index outside a shuffle's range has its
            // top bit set by the saturating addition, and yields zero.
            let mut tables = [_mm256_setzero_si256(); 8];
            for (i, table) in tables.iter_mut().enumerate() {
                *table = _mm256_broadcastsi128_si256(_mm_loadu_si128(from.add(2 * i).cast()));
            }
            let (zero, reach) = (_mm256_setzero_si256(), _mm256_set1_epi8(0x70));
            for word in words {
                let mut out = 0u64;
                for half in 0..2 {
                    let at = word * 64 + half * 32;
                    let bytes = _mm256_loadu_si256(program.bytes.as_ptr().add(at).cast());
                    let masks = _mm256_loadu_si256(program.masks.as_ptr().add(at).cast());
                    let mut found = zero;
                    for (i, &table) in tables.iter().enumerate() {
                        let place = _mm256_sub_epi8(bytes, _mm256_set1_epi8(16 * i as i8));
                        let place = _mm256_adds_epu8(place, reach);
                        found = _mm256_or_si256(found, _mm256_shuffle_epi8(table, place));
                    }
                    let unset = _mm256_cmpeq_epi8(_mm256_and_si256(found, masks), zero);
                    out |= u64::from(!_mm256_movemask_epi8(unset) as u32) << (half * 32);
                }
                *to.add(word) |= out;
            }
        }
    }
}

/// One 512-bit register.
pub(crate) struct Avx512;

// SAFETY (whole impl): as for `Avx2`, with AVX-512.
#[allow(clippy::undocumented_unsafe_blocks)]
impl Lane for Avx512 {
    type Line = __m512i;

    #[inline(always)]
    unsafe fn load(from: *const u64) -> Self::Line {
        unsafe { _mm512_load_si512(from.cast()) }
    }
    #[inline(always)]
    unsafe fn store(to: *mut u64, line: Self::Line) {
        unsafe { _mm512_store_si512(to.cast(), line) }
    }
    #[inline(always)]
    unsafe fn fill(word: u64) -> Self::Line {
        unsafe { _mm512_set1_epi64(word as i64) }
    }
    #[inline(always)]
    unsafe fn and(a: Self::Line, b: Self::Line) -> Self::Line {
        unsafe { _mm512_and_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn or(a: Self::Line, b: Self::Line) -> Self::Line {
        unsafe { _mm512_or_si512(a, b) }
    }
    #[inline(always)]
    unsafe fn without(a: Self::Line, b: Self::Line) -> Self::Line {
        unsafe { _mm512_andnot_si512(b, a) }
    }
    #[inline(always)]
    unsafe fn greater(b: Self::Line, a: Self::Line, so_far: Self::Line) -> Self::Line {
        // The majority of b, !a and so_far: the truth table over (b, a, so_far) as bits 7…0.
        unsafe { _mm512_ternarylogic_epi64::<0b1011_0010>(b, a, so_far) }
    }
    #[inline(always)]
    unsafe fn pick(mask: Self::Line, b: Self::Line, a: Self::Line) -> Self::Line {
        unsafe { _mm512_ternarylogic_epi64::<0b1100_1010>(mask, b, a) }
    }
    #[inline(always)]
    unsafe fn is_empty(line: Self::Line) -> bool {
        unsafe { _mm512_test_epi64_mask(line, line) == 0 }
    }
    #[inline(always)]
    unsafe fn tally(counters: *mut u64, line: Self::Line) {
        unsafe {
            let sum = _mm512_add_epi64(_mm512_loadu_si512(counters.cast()), _mm512_popcnt_epi64(line));
            _mm512_storeu_si512(counters.cast(), sum);
        }
    }
    #[inline(always)]
    unsafe fn alive(masks: *const u32, missing: u32) -> u32 {
        unsafe {
            let masks = _mm512_loadu_si512(masks.cast());
            u32::from(_mm512_testn_epi32_mask(masks, _mm512_set1_epi32(missing as i32)))
        }
    }
    #[inline(always)]
    unsafe fn compress(value: u64, mask: u64) -> u64 {
        unsafe { _pext_u64(value, mask) }
    }
    #[inline(always)]
    unsafe fn spread(value: u64, mask: u64) -> u64 {
        unsafe { _pdep_u64(value, mask) }
    }
    #[inline(always)]
    unsafe fn look_up<const N: usize>(planes: &[u64; N], codes: &[i8; 64]) -> [i8; 64] {
        unsafe {
            let mut sum = _mm512_setzero_si512();
            for (plane, &word) in planes.iter().enumerate() {
                sum = _mm512_or_si512(sum, _mm512_maskz_set1_epi8(word, 1 << plane));
            }
            let codes = _mm512_loadu_si512(codes.as_ptr().cast());
            std::mem::transmute(_mm512_permutexvar_epi8(sum, codes))
        }
    }
    #[inline(always)]
    unsafe fn permute(program: &BitPermutation, words: Range<usize>, from: *const u64, to: *mut u64) {
        unsafe {
            let low = _mm512_loadu_si512(from.cast());
            let high = _mm512_loadu_si512(from.add(8).cast());
            for word in words {
                let bytes = _mm512_loadu_si512(program.bytes.as_ptr().add(word * 64).cast());
                let masks = _mm512_loadu_si512(program.masks.as_ptr().add(word * 64).cast());
                let found = _mm512_permutex2var_epi8(low, bytes, high);
                *to.add(word) |= _mm512_test_epi8_mask(found, masks);
            }
        }
    }
}
