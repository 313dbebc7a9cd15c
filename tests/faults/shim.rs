//! Makes calls of the system fail, for tests: built by `tests/it/faults.rs` and put before the C library with LD_PRELOAD.
//!
//! ```text
//! FAULT_FILES=TEXT   counts calls about files whose path has TEXT in it      FAULT_BYTES=N   counts allocations of N bytes or more
//!                    or is relative
//! FAULT_AT=N         the Nth call fails                                     FAULT_SAY=FILE   made when one has failed
//! FAULT_FROM=N       all calls from the Nth on fail                         FAULT_ERRNO=E    the error (EIO); with ENOSPC only calls
//!                                                                                           that take space are counted and fail
//! ```
#![no_std]

use core::ffi::{c_char, c_int, c_long, c_uint, c_void};
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};

unsafe extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn strstr(text: *const c_char, part: *const c_char) -> *const c_char;
    fn atol(text: *const c_char) -> c_long;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn creat(path: *const c_char, mode: c_uint) -> c_int;
    fn __errno_location() -> *mut c_int;
    fn __libc_malloc(size: usize) -> *mut c_void;
    fn __libc_calloc(count: usize, size: usize) -> *mut c_void;
    fn __libc_realloc(old: *mut c_void, size: usize) -> *mut c_void;
    fn __libc_memalign(align: usize, size: usize) -> *mut c_void;
}

#[panic_handler]
fn panic(_info: &core::panic::PanicInfo<'_>) -> ! {
    loop {}
}

const IO_ERROR: c_int = 5;
const NO_MEMORY: c_int = 12;
const NO_SPACE: c_int = 28;
/// Flags of `open`: whether the file may be made.
const CREATE: c_int = 0o100;

static CALLS: AtomicUsize = AtomicUsize::new(0);
static WATCHED: [AtomicBool; 1024] = [const { AtomicBool::new(false) }; 1024];

unsafe fn number(name: &[u8]) -> usize {
    let text = unsafe { getenv(name.as_ptr().cast()) };
    if text.is_null() { 0 } else { unsafe { atol(text) as usize } }
}

/// Whether this call, which takes space on the disk or does not, is one to fail.
unsafe fn fails(errno: c_int, takes: bool) -> bool {
    let (at, from) = unsafe { (number(b"FAULT_AT\0"), number(b"FAULT_FROM\0")) };
    let wanted = unsafe { number(b"FAULT_ERRNO\0") } as c_int;
    if (at == 0 && from == 0) || (wanted == NO_SPACE && !takes) {
        return false;
    }
    let call = CALLS.fetch_add(1, Relaxed) + 1;
    if call != at && (from == 0 || call < from) {
        return false;
    }
    let errno = if wanted != 0 && errno == IO_ERROR { wanted } else { errno };
    unsafe {
        creat(getenv(c"FAULT_SAY".as_ptr()), 0o600);
        *__errno_location() = errno;
    }
    true
}

unsafe fn is_meant(path: *const c_char) -> bool {
    let part = unsafe { getenv(c"FAULT_FILES".as_ptr()) };
    !part.is_null()
        && !path.is_null()
        && unsafe { *path != b'/' as c_char || !strstr(path, part).is_null() }
}

fn is_watched(file: c_int) -> bool {
    usize::try_from(file).ok().and_then(|file| WATCHED.get(file)).is_some_and(|watched| watched.load(Relaxed))
}

/// The next function of this name.
macro_rules! next {
    ($name:literal, $type:ty) => {
        unsafe { core::mem::transmute::<*mut c_void, $type>(dlsym(-1isize as *mut c_void, $name.as_ptr())) }
    };
}

macro_rules! open {
    ($name:ident, $text:literal) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, flags: c_int, mode: c_uint) -> c_int {
            let meant = unsafe { is_meant(path) };
            if meant && unsafe { fails(IO_ERROR, flags & CREATE != 0) } {
                return -1;
            }
            let file = next!($text, unsafe extern "C" fn(*const c_char, c_int, c_uint) -> c_int);
            let file = unsafe { file(path, flags, mode) };
            if let Some(watched) = usize::try_from(file).ok().and_then(|file| WATCHED.get(file)) {
                watched.store(meant, Relaxed);
            }
            file
        }
    };
}
open!(open, c"open");
open!(open64, c"open64");

/// Calls about a file that was opened.
macro_rules! on_file {
    ($name:ident, $text:literal, $takes:literal, ($($arg:ident: $type:ty),*) -> $result:ty) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(file: c_int, $($arg: $type),*) -> $result {
            if is_watched(file) && unsafe { fails(IO_ERROR, $takes) } {
                return -1;
            }
            let next = next!($text, unsafe extern "C" fn(c_int, $($type),*) -> $result);
            unsafe { next(file, $($arg),*) }
        }
    };
}
on_file!(read, c"read", false, (to: *mut c_void, bytes: usize) -> isize);
on_file!(write, c"write", true, (from: *const c_void, bytes: usize) -> isize);
on_file!(pread64, c"pread64", false, (to: *mut c_void, bytes: usize, at: i64) -> isize);
on_file!(pwrite64, c"pwrite64", true, (from: *const c_void, bytes: usize, at: i64) -> isize);
on_file!(writev, c"writev", true, (from: *const c_void, count: c_int) -> isize);
on_file!(fallocate64, c"fallocate64", true, (mode: c_int, at: i64, length: i64) -> c_int);
on_file!(fsync, c"fsync", true, () -> c_int);
on_file!(fdatasync, c"fdatasync", true, () -> c_int);
on_file!(ftruncate64, c"ftruncate64", true, (length: i64) -> c_int);
on_file!(flock, c"flock", false, (what: c_int) -> c_int);

/// Calls about a path.
macro_rules! on_path {
    ($name:ident, $text:literal, $takes:literal, ($($arg:ident: $type:ty),*)) => {
        #[unsafe(no_mangle)]
        unsafe extern "C" fn $name(path: *const c_char, $($arg: $type),*) -> c_int {
            if unsafe { is_meant(path) && fails(IO_ERROR, $takes) } {
                return -1;
            }
            let next = next!($text, unsafe extern "C" fn(*const c_char, $($type),*) -> c_int);
            unsafe { next(path, $($arg),*) }
        }
    };
}
on_path!(rename, c"rename", true, (to: *const c_char));
on_path!(unlink, c"unlink", false, ());
on_path!(link, c"link", true, (to: *const c_char));
on_path!(mkdir, c"mkdir", true, (mode: c_uint));

unsafe fn refused(bytes: usize) -> bool {
    // Before the environment is there, and for little, nothing fails.
    bytes >= 1 << 16 && {
        let least = unsafe { number(b"FAULT_BYTES\0") };
        least > 0 && bytes >= least && unsafe { fails(NO_MEMORY, true) }
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn malloc(bytes: usize) -> *mut c_void {
    if unsafe { refused(bytes) } { core::ptr::null_mut() } else { unsafe { __libc_malloc(bytes) } }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn calloc(count: usize, bytes: usize) -> *mut c_void {
    match count.checked_mul(bytes) {
        Some(all) if !unsafe { refused(all) } => unsafe { __libc_calloc(count, bytes) },
        _ => core::ptr::null_mut(),
    }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn realloc(old: *mut c_void, bytes: usize) -> *mut c_void {
    if unsafe { refused(bytes) } { core::ptr::null_mut() } else { unsafe { __libc_realloc(old, bytes) } }
}

#[unsafe(no_mangle)]
unsafe extern "C" fn posix_memalign(to: *mut *mut c_void, align: usize, bytes: usize) -> c_int {
    if unsafe { refused(bytes) } {
        return NO_MEMORY;
    }
    unsafe { *to = __libc_memalign(align, bytes) };
    if unsafe { *to }.is_null() { NO_MEMORY } else { 0 }
}
