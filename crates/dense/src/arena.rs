//! Big, zeroed, line-aligned memory that is allocated once and reused.
//!
//! Planes take gigabytes and are written from end to end, so pages must come cheaply: memory is mapped
//! directly and asked to be huge pages. When the memory is too small the mapping lies in a file that has
//! no name, and the system moves its pages to disk and back.
//!
//! Invariant: the mapping lives as long as the arena, and nobody else knows of the file.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::tight::Line;
use std::path::Path;

/// Bytes of a huge page.
pub(crate) const HUGE: u64 = 2 << 20;

/// Memory for a number of lines.
#[derive(Debug)]
pub(crate) struct Arena {
    start: *mut Line,
    lines: usize,
}

// SAFETY: the arena owns its mapping; kernels that share it write disjoint lines.
unsafe impl Send for Arena {}
// SAFETY: see above.
unsafe impl Sync for Arena {}

impl Arena {
    /// Zeroed memory, in a nameless file of `dir` if one is given.
    pub(crate) fn new(lines: u64, dir: Option<&Path>) -> Result<Arena, DenseError> {
        let bytes = lines * 64;
        let refused = |why| DenseError::Refused { bytes, why };
        let Ok(size) = usize::try_from(bytes) else {
            return Err(refused(std::io::ErrorKind::OutOfMemory.into()));
        };
        if size == 0 {
            return Ok(Arena { start: std::ptr::NonNull::<Line>::dangling().as_ptr(), lines: 0 });
        }
        let file = dir.map(|dir| nameless(dir, bytes)).transpose()?;
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let start = match &file {
            None => {
                let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
                // SAFETY: a fresh private mapping touches nothing that exists.
                unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) }
            }
            Some(file) => {
                let handle = std::os::fd::AsRawFd::as_raw_fd(file);
                // SAFETY: a fresh mapping of a file that only this arena knows.
                unsafe { libc::mmap(std::ptr::null_mut(), size, protection, libc::MAP_SHARED, handle, 0) }
            }
        };
        if start == libc::MAP_FAILED {
            return Err(refused(std::io::Error::last_os_error()));
        }
        #[cfg(target_os = "linux")]
        if file.is_none() {
            // SAFETY: advice about our own mapping; a refusal only costs speed.
            unsafe { libc::madvise(start, size, libc::MADV_HUGEPAGE) };
        }
        Ok(Arena { start: start.cast(), lines: lines as usize })
    }

    /// The word at which a line begins; kernels see that they stay inside.
    pub(crate) fn at(&self, line: u64) -> *mut u64 {
        assert!(line <= self.lines as u64, "line {line} of {}", self.lines);
        // SAFETY: the line lies in the mapping or just behind it.
        unsafe { self.start.add(line as usize).cast() }
    }

    /// Gives lines back to the system, as far as they fill pages; they read as zero from then on.
    pub(crate) fn give_back(&self, lines: std::ops::Range<u64>) {
        assert!(lines.end <= self.lines as u64, "line {} of {}", lines.end, self.lines);
        let address = self.start as u64;
        let first = (address + lines.start * 64).next_multiple_of(HUGE);
        let last = (address + lines.end * 64) / HUGE * HUGE;
        if first < last {
            // SAFETY: the pages are ours, and the caller no longer reads what is in them.
            unsafe {
                let start = self.start.cast::<u8>().add((first - address) as usize);
                libc::madvise(start.cast(), (last - first) as usize, libc::MADV_DONTNEED);
            }
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.lines > 0 {
            // SAFETY: the mapping is ours and nobody uses it any more.
            unsafe { libc::munmap(self.start.cast(), self.lines * 64) };
        }
    }
}

/// Bytes of memory that the system could give now, where it says so.
pub(crate) fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

/// A file of the given size that vanishes with its last user.
fn nameless(dir: &Path, bytes: u64) -> Result<std::fs::File, DenseError> {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let wrong = |why| DenseError::Spill { dir: dir.to_path_buf(), why };
    let name = format!(".planes-{}-{}", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed));
    let path = dir.join(name);
    let file =
        std::fs::OpenOptions::new().read(true).write(true).create_new(true).open(&path).map_err(wrong)?;
    std::fs::remove_file(&path).map_err(wrong)?;
    #[cfg(not(target_os = "linux"))]
    file.set_len(bytes).map_err(wrong)?;
    // Reserving the blocks now means a full disk is an error here and not a crash in the kernel.
    #[cfg(target_os = "linux")]
    {
        let handle = std::os::fd::AsRawFd::as_raw_fd(&file);
        // SAFETY: the descriptor is open for the whole call.
        let code = unsafe { libc::posix_fallocate(handle, 0, bytes as libc::off_t) };
        if code != 0 {
            return Err(wrong(std::io::Error::from_raw_os_error(code)));
        }
    }
    Ok(file)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_are_zeroed_and_hold_what_is_written() {
        let dir = tempfile::tempdir().expect("a directory");
        for dir in [None, Some(dir.path())] {
            let arena = Arena::new(1000, dir).expect("memory");
            // SAFETY: the arena has a thousand lines.
            unsafe {
                assert_eq!(*arena.at(999), 0);
                *arena.at(999) = 7;
                assert_eq!(*arena.at(999), 7);
            }
        }
        let arena = Arena::new(1 << 17, None).expect("memory");
        // SAFETY: the arena has all these lines; the middle of it fills whole pages.
        unsafe {
            *arena.at(1 << 16) = 7;
            *arena.at(1) = 8;
            arena.give_back(2..1 << 17);
            assert_eq!((*arena.at(1 << 16), *arena.at(1)), (0, 8));
        }
        let missing = Path::new("/nowhere/at/all");
        assert!(matches!(Arena::new(1, Some(missing)), Err(DenseError::Spill { .. })));
        assert!(Arena::new(0, None).is_ok());
    }
}
