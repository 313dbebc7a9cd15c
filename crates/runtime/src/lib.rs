//! Runtime support for long computations, independent of games: progress and cancellation ([`Monitor`], [`Pace`]),
//! parallel loops ([`threads`]), a priority lock ([`CpuLock`]), message passing ([`communicator`]), varints and a
//! sharded hash map ([`ShardedMap`]).
//!
//! ```
//! use outplay_runtime::{NoMonitor, Pace};
//!
//! // A kernel polls every few milliseconds, however long a step takes.
//! let mut pace = Pace::new(&NoMonitor);
//! assert_eq!((0..100).take_while(|_| !pace.step()).count(), 100);
//! ```

pub mod communicator;
mod cpu_lock;
mod meter;
mod monitor;
mod sharded_map;
mod terminal;
pub mod threads;
pub mod varint;

pub use communicator::{Communicator, LocalCommunicator, RequestHandler};
pub use cpu_lock::{CpuGuard, CpuLock};
pub use meter::Meter;
pub use monitor::{Deadline, Monitor, NoMonitor, Pace};
pub use sharded_map::{NoMemory, ShardedMap, discard};
pub use terminal::true_color;
