//! Run-time dispatch of the SIMD kernels.
//!
//! Invariant: a kernel runs only at a SIMD level that [`Level::available`] has listed for this processor.
#![allow(unsafe_code)]

use crate::back::{BackwardPass, BackwardWorker};
use crate::compress::{LivePacking, PlaneCompressor};
use crate::export::ShapeExport;
use crate::forth::{ForwardPass, ForwardWorker};
use crate::lane::{Level, Portable};
use crate::mirror::{MirrorPass, Permuter};
#[cfg(target_arch = "x86_64")]
use crate::x86::{Avx2, Avx512};
use std::ops::Range;

/// Defines a function that runs a kernel at any level, and its compiled versions.
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
    /// Runs [`BackwardPass::shape`].
    ///
    /// # Safety
    ///
    /// As there.
    backward, backward_avx2, backward_avx512, BackwardPass<'_>, shape,
    (worker: &mut BackwardWorker, shape: u32, blocks: Range<u32>, out: *mut u64, live: Option<*mut u64>)
}

levels! {
    /// Runs [`ForwardPass::shape`].
    ///
    /// # Safety
    ///
    /// As there.
    forward, forward_avx2, forward_avx512, ForwardPass<'_>, shape,
    (worker: &mut ForwardWorker, shape: u32, blocks: Range<u32>, out: *mut u64)
}

levels! {
    /// Runs [`MirrorPass::blocks`].
    ///
    /// # Safety
    ///
    /// As there.
    mirror, mirror_avx2, mirror_avx512, MirrorPass<'_>, blocks,
    (permuter: &mut Permuter, blocks: Range<u32>, from: *const u64, to: *mut u64)
}

levels! {
    /// Runs [`LivePacking::gather`].
    ///
    /// # Safety
    ///
    /// As there.
    gather, gather_avx2, gather_avx512, LivePacking, gather,
    (compressor: &mut PlaneCompressor, live: &[u64], table: *const u64)
}

levels! {
    /// Runs [`LivePacking::scatter`].
    ///
    /// # Safety
    ///
    /// As there.
    scatter, scatter_avx2, scatter_avx512, LivePacking, scatter,
    (compressor: &PlaneCompressor, live: &[u64], table: *mut u64, whole: &mut bool)
}

levels! {
    /// Runs [`ShapeExport::block`].
    ///
    /// # Safety
    ///
    /// As there.
    export, export_avx2, export_avx512, ShapeExport<'_>, block,
    (buffer: &mut [i8], h: u32, starts: &[u32])
}
