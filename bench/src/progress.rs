//! Progress messages on standard error, and cancellation by Ctrl-C.

use crate::interrupted;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Prints the stages of a test and reports whether it should stop.
#[derive(Default)]
pub struct StageProgress {
    quiet: bool,
    stop: Arc<AtomicBool>,
}

impl StageProgress {
    /// Prints nothing.
    pub fn quiet() -> StageProgress {
        StageProgress { quiet: true, ..StageProgress::default() }
    }

    /// Installs the Ctrl-C handlers: the first signal requests a stop, the second ends the process.
    pub fn listen(self) -> StageProgress {
        // The order matters: the shutdown handler runs first and finds the flag clear at the first signal.
        let _ = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&self.stop));
        let _ = flag::register(SIGINT, Arc::clone(&self.stop));
        self
    }

    /// Whether the test should stop.
    pub fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    /// Starts a stage; an error if the test should stop.
    pub(crate) fn stage(&self, name: &str) -> io::Result<()> {
        if self.stopped() {
            return Err(interrupted());
        }
        if !self.quiet {
            eprintln!("{name}");
        }
        Ok(())
    }
}
