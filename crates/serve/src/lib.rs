//! The web page of outplay and its HTTP interface: one process, everything embedded, nothing to install.
//!
//! ```text
//!  connection ─ limits ─ router ┬ page        files of crates/serve/page
//!                               ├ quick       views, tables, books: answered at once
//!                               ├ searches    a few at a time, a short queue, then "busy"
//!                               └ solve jobs  one at a time, written to the data directory only
//! ```
//!
//! Invariants: no request names a file; a request that nobody waits for any more stops its work; what the user
//! can cause is a 4xx with the command line's sentence.

mod ask;
pub mod bench;
mod cache;
mod games;
mod headers;
mod history;
mod jobs;
mod listen;
mod openapi;
mod page;
mod place;
mod position;
mod question;
mod refusal;
mod router;
mod settings;
mod stats;
mod stream;
mod why;
mod workers;

pub use listen::{ServeError, Server};
pub use settings::Settings;
