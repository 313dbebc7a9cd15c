//! Anonymous memory mappings with huge pages: zeroed, line-aligned, reusable.
//!
//! Bit-planes take gigabytes and are written from end to end, so page faults must be cheap: memory is mapped directly,
//! with transparent huge pages requested.
//!
//! Invariant: the mapping lives as long as the arena.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::tight::CacheLine;

/// Bytes of a huge page.
pub(crate) const HUGE: u64 = 2 << 20;

/// Mapping of a number of lines.
#[derive(Debug)]
pub(crate) struct Arena {
    start: *mut CacheLine,
    lines: usize,
}

// SAFETY: the arena owns its mapping; kernels that share it write disjoint lines.
unsafe impl Send for Arena {}
// SAFETY: see above.
unsafe impl Sync for Arena {}

impl Arena {
    /// Maps zeroed memory.
    pub(crate) fn new(lines: u64) -> Result<Arena, DenseError> {
        let bytes = lines * 64;
        let refused = |why| DenseError::Refused { bytes, why };
        let Ok(size) = usize::try_from(bytes) else {
            return Err(refused(std::io::ErrorKind::OutOfMemory.into()));
        };
        if size == 0 {
            return Ok(Arena { start: std::ptr::NonNull::<CacheLine>::dangling().as_ptr(), lines: 0 });
        }
        let protection = libc::PROT_READ | libc::PROT_WRITE;
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
        // SAFETY: a fresh private mapping touches nothing that exists.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), size, protection, flags, -1, 0) };
        if start == libc::MAP_FAILED {
            return Err(refused(std::io::Error::last_os_error()));
        }
        #[cfg(target_os = "linux")]
        // SAFETY: advice about this mapping; a refusal only costs speed.
        unsafe {
            libc::madvise(start, size, libc::MADV_HUGEPAGE);
        }
        Ok(Arena { start: start.cast(), lines: lines as usize })
    }

    /// Returns the address of a line; kernels must stay inside.
    pub(crate) fn at(&self, line: u64) -> *mut u64 {
        assert!(line <= self.lines as u64, "line {line} of {}", self.lines);
        // SAFETY: the line lies in the mapping or directly after it.
        unsafe { self.start.add(line as usize).cast() }
    }

    /// Returns whole huge pages within these lines to the system; they read as zero from then on.
    pub(crate) fn give_back(&self, lines: std::ops::Range<u64>) {
        assert!(lines.end <= self.lines as u64, "line {} of {}", lines.end, self.lines);
        let address = self.start as u64;
        let first = (address + lines.start * 64).next_multiple_of(HUGE);
        let last = (address + lines.end * 64) / HUGE * HUGE;
        if first < last {
            // SAFETY: the pages belong to this mapping, and the caller no longer reads them.
            unsafe {
                let start = self.start.cast::<u8>().add((first - address) as usize);
                libc::madvise(start.cast(), (last - first) as usize, libc::MADV_DONTNEED);
            }
        }
    }
}

/// Slot for an arena that is reused from tier to tier, so that its pages need not be zeroed again.
#[derive(Default, Debug)]
pub(crate) struct ArenaSlot {
    /// Capacity of a new arena, in lines.
    most: u64,
    arena: Option<Arena>,
}

impl ArenaSlot {
    /// Creates an empty slot for arenas of `most` lines. Untouched pages cost nothing.
    pub(crate) fn new(most: u64) -> ArenaSlot {
        ArenaSlot { most, arena: None }
    }

    /// Takes an arena of at least `lines` lines, with arbitrary contents. Pages beyond are returned to the system.
    pub(crate) fn take(&mut self, lines: u64) -> Result<Arena, DenseError> {
        if let Some(arena) = self.arena.take_if(|arena| arena.lines as u64 >= lines) {
            arena.give_back(lines..arena.lines as u64);
            return Ok(arena);
        }
        // Unmap the old arena before a larger one is mapped.
        self.arena = None;
        Arena::new(lines.max(self.most))
    }

    /// Puts an arena back for reuse.
    pub(crate) fn put(&mut self, arena: Arena) {
        self.arena = Some(arena);
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        if self.lines > 0 {
            // SAFETY: the arena owns the mapping, which is no longer in use.
            unsafe { libc::munmap(self.start.cast(), self.lines * 64) };
        }
    }
}

/// Bytes of memory available to new processes, on Linux.
pub(crate) fn available() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/meminfo").ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    Some(line.split_whitespace().next()?.parse::<u64>().ok()? * 1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arenas_are_zeroed_and_keep_writes() {
        let arena = Arena::new(1000).expect("memory");
        // SAFETY: the arena has a thousand lines.
        unsafe {
            assert_eq!(*arena.at(999), 0);
            *arena.at(999) = 7;
            assert_eq!(*arena.at(999), 7);
        }
        let arena = Arena::new(1 << 17).expect("memory");
        // SAFETY: the arena has all these lines; the middle of it fills whole pages.
        unsafe {
            *arena.at(1 << 16) = 7;
            *arena.at(1) = 8;
            arena.give_back(2..1 << 17);
            assert_eq!((*arena.at(1 << 16), *arena.at(1)), (0, 8));
        }
        assert!(Arena::new(0).is_ok());
    }

    #[test]
    fn reused_arenas_return_surplus_pages() {
        let lines = HUGE / 64;
        let mut room = ArenaSlot::new(5 * lines);
        for wanted in [4 * lines, 2 * lines, 0, 3 * lines, 100 * lines] {
            let arena = room.take(wanted).expect("memory");
            assert!(arena.lines as u64 >= wanted);
            for line in (0..arena.lines as u64).step_by(lines as usize) {
                // SAFETY: the arena has the line.
                unsafe {
                    // The first page may be there in part.
                    assert!(*arena.at(line) == 0 || line < wanted + lines);
                    *arena.at(line) = 1;
                }
            }
            room.put(arena);
        }
    }
}
