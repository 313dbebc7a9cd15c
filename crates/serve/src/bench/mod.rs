//! How a server behaves under load and under nonsense: the figures behind `outplay bench serve`.
//!
//! The server runs in a process of its own, so that its memory can be told from that of its clients.

mod client;
mod columns;
mod load;
mod malformed;

pub use columns::{ColumnsReport, columns};
pub use load::{LoadReport, load};
pub use malformed::{MalformedReport, malformed};

use std::time::Duration;

/// Memory that a process has now, in bytes; 0 where the system does not tell.
fn resident_bytes(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes * 1024)
}

/// The value below which a share of the sorted times lies, in milliseconds.
fn percentile(sorted: &[Duration], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
