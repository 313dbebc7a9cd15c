//! How a server behaves under load and under nonsense: the figures behind `outplay bench serve`.
//!
//! The server runs in a process of its own, so that its memory can be told from that of its clients.

mod beside;
mod client;
mod columns;
mod load;
mod malformed;
mod slow;

pub use beside::{BesideReport, beside};
pub use columns::{ColumnsReport, columns, random_positions};
pub use load::{LoadReport, load};
pub use malformed::{MalformedReport, malformed};
pub use slow::{SlowReport, slow};

use std::future::Future;
use std::pin::Pin;
use std::time::Duration;
use tokio::task::JoinHandle;

/// One of the crowd. Behind a pointer, so that what a runtime does for a task is compiled once.
fn spawn(client: impl Future<Output = ()> + Send + 'static) -> JoinHandle<()> {
    let client: Pin<Box<dyn Future<Output = ()> + Send>> = Box::pin(client);
    tokio::spawn(client)
}

/// Memory that a process has now, in bytes; 0 where the system does not tell.
fn resident_bytes(pid: u32) -> u64 {
    let text = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kilobytes: Option<u64> = line.and_then(|line| line.trim().trim_end_matches("kB").trim().parse().ok());
    kilobytes.map_or(0, |kilobytes| kilobytes * 1024)
}

/// Processor time that a process has used so far; zero where the system does not tell.
fn cpu_time(pid: u32) -> Duration {
    /// Ticks of the system's clock per second, the same on every Linux.
    const TICKS: u64 = 100;
    let text = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    // The name of the program stands in parentheses and may contain anything.
    let fields = text.rsplit_once(')').map_or("", |(_, fields)| fields);
    let ticks: u64 =
        fields.split_whitespace().skip(11).take(2).filter_map(|field| field.parse::<u64>().ok()).sum();
    Duration::from_millis(ticks * 1000 / TICKS)
}

/// The value below which a share of the sorted times lies, in milliseconds.
fn percentile(sorted: &[Duration], share: f64) -> f64 {
    let at = ((sorted.len() as f64 * share).ceil() as usize).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(at).map_or(0.0, |time| time.as_secs_f64() * 1e3)
}
