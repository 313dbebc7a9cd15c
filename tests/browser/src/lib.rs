//! A real Chromium, driven over its debugging port, for tests of the page and for its screenshots.
//!
//! ```text
//! Browser::launch() ── one process, a profile of its own that is thrown away
//!    └─ page()      ── a tab with a socket of its own: go, click, press, wait, look
//! ```
//!
//! Invariant: whatever a page complains of (an exception, a refused script, a failed request) is remembered, so that
//! a test can ask for silence.
//!
//! ```no_run
//! let browser = outplay_browser::Browser::launch()?;
//! # let _ = browser;
//! # Ok::<(), outplay_browser::BrowserError>(())
//! ```

mod browser;
mod error;
mod page;

pub use browser::Browser;
pub use error::BrowserError;
pub use page::Page;
