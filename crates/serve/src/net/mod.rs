//! Network layer: accept loop, connection limiter, timeouts, security headers.
//!
//! ```text
//!  port ─ ConnectionLimiter: one slot per connection ─ WriteTimeout: closes clients that stop reading
//!                     │
//!        active guard, log, headers │ the server's own layers │ panic handler, compression │ handlers
//! ```
//!
//! This layer knows nothing about games, and handlers know nothing about sockets.
//!
//! Invariants: active connections are never evicted; no client has more slots than its limit.

mod headers;
mod limiter;
mod listener;
mod write_timeout;

pub(crate) use limiter::{ActiveRequest, ClientId, ConnectionSlot};
pub(crate) use listener::{ListenerConfig, LocalAddr, inner, outer};
