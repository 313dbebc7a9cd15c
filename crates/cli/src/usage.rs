//! What the process has used and what the machine has left.

use std::fs;

/// The most memory that the process ever had, in bytes; 0 where the system does not tell.
pub(crate) fn peak_bytes() -> u64 {
    kilobytes("/proc/self/status", "VmHWM:").map_or(0, |kb| kb * 1024)
}

/// Forgets the peak so far, where the system allows it.
pub(crate) fn reset_peak() {
    // Without the permission the figure includes what came before, which only makes it larger.
    let _ = fs::write("/proc/self/clear_refs", "5");
}

/// Memory that can still be had, in bytes.
pub(crate) fn available_bytes() -> u64 {
    /// Assumed where the system does not tell.
    const MODEST: u64 = 4 << 30;
    kilobytes("/proc/meminfo", "MemAvailable:").map_or(MODEST, |kb| kb * 1024)
}

/// All memory of the machine, in bytes.
pub(crate) fn total_bytes() -> u64 {
    kilobytes("/proc/meminfo", "MemTotal:").map_or(u64::MAX, |kb| kb * 1024)
}

fn kilobytes(file: &str, key: &str) -> Option<u64> {
    let text = fs::read_to_string(file).ok()?;
    let line = text.lines().find(|line| line.starts_with(key))?;
    line[key.len()..].trim().trim_end_matches("kB").trim().parse().ok()
}
