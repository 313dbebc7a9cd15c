//! The web page of outplay and its HTTP interface: one process, everything embedded, nothing to install.
//!
//! ```text
//!  connection ─ limits ─ router ┬ page        files of crates/serve/page
//!                               ├ quick       views, tables, books: answered at once
//!                               ├ searches    a few at a time, a short queue, then "busy"
//!                               └ solve jobs  one at a time, written to the data directory only
//! ```
//!
//! Invariants: no request names a file; a request for another host or from another page goes no further than the gate; a request that nobody waits for any more stops its work; what the user
//! can cause is a 4xx with the command line's sentence.
//!
//! ```
//! use outplay_catalog::Catalog;
//! use outplay_serve::{Server, Settings};
//!
//! // Port 0 lets the system choose; `server.run(…)` would answer until it is told to stop.
//! let settings = Settings::new(([127, 0, 0, 1], 0).into(), std::env::temp_dir());
//! let server = Server::bind(Catalog::standard(), settings)?;
//! assert_ne!(server.addr()?.port(), 0);
//! # Ok::<(), outplay_serve::ServeError>(())
//! ```

mod addresses;
mod arena;
mod ask;
mod background;
mod cache;
mod games;
mod gate;
mod history;
mod jobs;
mod knowledge;
mod lean;
mod learn;
mod lent;
mod listen;
mod matches;
mod named;
mod openapi;
mod opinions;
mod page;
mod place;
mod position;
mod proof;
mod puzzles;
mod question;
mod refusal;
mod reply;
mod router;
mod runs;
mod schemas;
mod settings;
mod sharing;
mod stats;
mod stream;
mod why;
mod workers;

pub use lent::Lent;
pub use listen::{ServeError, Server};
pub use settings::Settings;
