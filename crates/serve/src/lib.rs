//! HTTP server: the web page and the JSON API of outplay in one process, with all files embedded.
//!
//! ```text
//!  connection ─ limits ─ router ┬ page        files of crates/serve/page
//!                               ├ quick       views, tables, books: milliseconds
//!                               ├ searches    bounded concurrency, a short queue, then 503
//!                               └ solve jobs  one at a time, written to the data directory only
//! ```
//!
//! Invariants:
//!
//! - No request names a file.
//! - A request for a foreign host or from a foreign origin is rejected before routing (`origin_check`).
//! - Work is cancelled when its client disconnects.
//! - Errors that a client can cause are 4xx responses with the message of the command line.
//!
//! ```
//! use outplay_catalog::Catalog;
//! use outplay_serve::{Server, Settings};
//!
//! // Port 0 lets the system choose; `server.run(…)` would serve until its monitor reports a stop.
//! let settings = Settings::new(([127, 0, 0, 1], 0).into(), std::env::temp_dir());
//! let server = Server::bind(Catalog::standard(), settings)?;
//! assert_ne!(server.addr()?.port(), 0);
//! # Ok::<(), outplay_serve::ServeError>(())
//! ```

mod access;
mod addresses;
#[cfg(test)]
mod answers_tests;
mod api_request;
mod arena;
mod background;
#[cfg(test)]
mod budgets;
mod cache;
mod games;
mod history;
mod jobs;
mod knowledge;
mod learn;
mod listen;
mod matches;
mod named;
mod net;
mod openapi;
mod opinions;
mod origin_check;
mod page;
mod place;
mod position;
mod proof;
mod puzzles;
mod question;
mod quota;
mod refusal;
mod reply;
mod router;
#[cfg(feature = "experiments")]
mod runs;
mod schemas;
mod settings;
mod sharing;
mod stats;
mod stream;
mod why;
mod workers;

pub use access::AccessToken;
pub use listen::{ServeError, Server};
pub use quota::Quota;
pub use settings::Settings;
