//! The kernels compiled for each kind of processor, chosen at run time.
//!
//! Invariant: a level is only ever called where [`Level::available`] lists it; the callers got theirs
//! from there.
#![allow(unsafe_code)]

use crate::back::{Back, Worker};
use crate::export::Job;
use crate::forth::{Forth, Walker};
use crate::lane::{Level, Portable};
use crate::relay::{Copier, Relay};
use crate::squeeze::{Squeeze, Squeezer};
#[cfg(target_arch = "x86_64")]
use crate::x86::{Avx2, Avx512};
use std::ops::Range;

/// Writes a function that runs a kernel at any level, and its copies for the special ones.
macro_rules! levels {
    ($(#[$doc:meta])* $name:ident, $avx2:ident, $avx512:ident, $pass:ty, $method:ident, ($($arg:ident: $kind:ty),*)) => {
        $(#[$doc])*
        pub(crate) unsafe fn $name(level: Level, pass: &$pass, $($arg: $kind),*) {
            // SAFETY: the caller keeps the kernel's contract, and the processor has the level.
            unsafe {
                match level {
                    Level::Portable => pass.$method::<Portable>($($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx2 => $avx2(pass, $($arg),*),
                    #[cfg(target_arch = "x86_64")]
                    Level::Avx512 => $avx512(pass, $($arg),*),
                    #[cfg(not(target_arch = "x86_64"))]
                    _ => pass.$method::<Portable>($($arg),*),
                }
            }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $avx2(pass: &$pass, $($arg: $kind),*) {
            // SAFETY: forwarded.
            unsafe { pass.$method::<Avx2>($($arg),*) }
        }

        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt,avx512f,avx512bw,avx512vl,avx512vbmi,avx512vpopcntdq")]
        unsafe fn $avx512(pass: &$pass, $($arg: $kind),*) {
            // SAFETY: forwarded.
            unsafe { pass.$method::<Avx512>($($arg),*) }
        }
    };
}

levels! {
    /// Runs [`Back::shape`].
    ///
    /// # Safety
    ///
    /// As there.
    back, back_avx2, back_avx512, Back<'_>, shape,
    (worker: &mut Worker, shape: u32, blocks: Range<u32>, out: *mut u64, live: Option<*mut u64>)
}

levels! {
    /// Runs [`Forth::shape`].
    ///
    /// # Safety
    ///
    /// As there.
    forth, forth_avx2, forth_avx512, Forth<'_>, shape,
    (walker: &mut Walker, shape: u32, blocks: Range<u32>, out: *mut u64)
}

levels! {
    /// Runs [`Relay::blocks`].
    ///
    /// # Safety
    ///
    /// As there.
    relay, relay_avx2, relay_avx512, Relay<'_>, blocks,
    (copier: &mut Copier, blocks: Range<u32>, from: *const u64, to: *mut u64)
}

levels! {
    /// Runs [`Squeeze::gather`].
    ///
    /// # Safety
    ///
    /// As there.
    gather, gather_avx2, gather_avx512, Squeeze, gather,
    (squeezer: &mut Squeezer, live: &[u64], table: *const u64)
}

levels! {
    /// Runs [`Squeeze::scatter`].
    ///
    /// # Safety
    ///
    /// As there.
    scatter, scatter_avx2, scatter_avx512, Squeeze, scatter,
    (squeezer: &Squeezer, live: &[u64], table: *mut u64, whole: &mut bool)
}

levels! {
    /// Runs [`Job::block`].
    ///
    /// # Safety
    ///
    /// As there.
    export, export_avx2, export_avx512, Job<'_>, block,
    (buffer: &mut [i8], h: u32, starts: &[u32])
}
