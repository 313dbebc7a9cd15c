//! Parallel bit extract (`gather`, PEXT) and deposit (`scatter`, PDEP), with BMI2 instructions where available.
//!
//! ```text
//! gather( value 1 0 1 1,        scatter( value . . 1 0,
//!          mask 1 1 0 1 )                 mask 1 1 0 1 )
//!             = . 1 0 1                      = 0 1 . 0
//! ```

#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
use std::arch::x86_64::{_pdep_u64, _pext_u64};

/// Whether the CPU has BMI2. Detected once; later calls are a plain load.
#[cfg(target_arch = "x86_64")]
#[inline]
fn has_bmi2() -> bool {
    std::arch::is_x86_feature_detected!("bmi2")
}

/// Extracts the bits of `value` selected by `mask` into the low bits (PEXT).
#[inline]
pub fn gather(value: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if has_bmi2() {
        // SAFETY: the CPU has BMI2.
        return unsafe { gather_bmi2(value, mask) };
    }
    gather_portable(value, mask)
}

/// Deposits the low bits of `value` at the positions selected by `mask` (PDEP).
#[inline]
pub fn scatter(value: u64, mask: u64) -> u64 {
    #[cfg(target_arch = "x86_64")]
    if has_bmi2() {
        // SAFETY: the CPU has BMI2.
        return unsafe { scatter_bmi2(value, mask) };
    }
    scatter_portable(value, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
#[inline]
fn gather_bmi2(value: u64, mask: u64) -> u64 {
    _pext_u64(value, mask)
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "bmi2")]
#[inline]
fn scatter_bmi2(value: u64, mask: u64) -> u64 {
    _pdep_u64(value, mask)
}

/// [`gather`] without the instruction.
pub fn gather_portable(value: u64, mut mask: u64) -> u64 {
    let (mut result, mut bit) = (0, 1);
    while mask != 0 {
        if value & mask & mask.wrapping_neg() != 0 {
            result |= bit;
        }
        bit <<= 1;
        mask &= mask - 1;
    }
    result
}

/// [`scatter`] without the instruction.
pub fn scatter_portable(mut value: u64, mut mask: u64) -> u64 {
    let mut result = 0;
    while mask != 0 {
        if value & 1 != 0 {
            result |= mask & mask.wrapping_neg();
        }
        value >>= 1;
        mask &= mask - 1;
    }
    result
}

/// [`gather`] over 128 bits; the mask has at most 64 ones.
#[inline]
pub fn gather_wide(value: u128, mask: u128) -> u64 {
    let (low, high) = (mask as u64, (mask >> 64) as u64);
    let below = low.count_ones();
    let top = gather((value >> 64) as u64, high);
    gather(value as u64, low) | if below < 64 { top << below } else { 0 }
}

/// [`scatter`] over 128 bits; the mask has at most 64 ones.
#[inline]
pub fn scatter_wide(value: u64, mask: u128) -> u128 {
    let (low, high) = (mask as u64, (mask >> 64) as u64);
    let below = low.count_ones();
    let top = if below < 64 { value >> below } else { 0 };
    u128::from(scatter(value, low)) | u128::from(scatter(top, high)) << 64
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn instruction_and_loop_agree(value: u64, mask: u64) {
            prop_assert_eq!(gather(value, mask), gather_portable(value, mask));
            prop_assert_eq!(scatter(value, mask), scatter_portable(value, mask));
            prop_assert_eq!(scatter(gather(value, mask), mask), value & mask);
        }

        #[test]
        fn wide_scatter_inverts_gather(value: u128, mask: u128, thin: u128) {
            let mask = mask & thin & !(1 << 7); // about 32 ones
            prop_assume!(mask.count_ones() <= 64);
            prop_assert_eq!(scatter_wide(gather_wide(value, mask), mask), value & mask);
        }
    }
}
