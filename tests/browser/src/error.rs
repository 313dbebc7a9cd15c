//! What can go wrong with a browser.

use std::io;
use thiserror::Error;

/// Why a browser did not do as it was told.
#[derive(Debug, Error)]
pub enum BrowserError {
    /// No browser is installed.
    #[error(
        "no Chromium was found; install it with `apt-get install chromium`, or name it in OUTPLAY_CHROMIUM"
    )]
    Missing,
    /// It did not start.
    #[error("Chromium did not start; run `{0} --headless=new --version` to see why")]
    NotStarted(String),
    /// The operating system refused something.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// The connection broke.
    #[error("the connection to Chromium broke: {0}")]
    Socket(#[from] Box<tungstenite::Error>),
    /// The browser refused a command.
    #[error("Chromium refuses {method}: {why}")]
    Refused {
        /// The command.
        method: String,
        /// Its answer.
        why: String,
    },
    /// A script threw.
    #[error("the script `{script}` failed: {why}")]
    Script {
        /// The beginning of the script.
        script: String,
        /// What it threw.
        why: String,
    },
    /// Something did not happen in time.
    #[error("waited in vain for {what}; the page shows: {shows}")]
    Waited {
        /// What was waited for.
        what: String,
        /// The text of the page.
        shows: String,
    },
}
