//! Lines from whoever gives orders, heard while somebody thinks.

use outplay_core::Watch;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Lines as they come; the queue ends with the input.
///
/// Reading happens on a thread of its own, because it cannot be interrupted; it ends with the input or with the process.
pub(crate) fn read(mut input: impl BufRead + Send + 'static) -> Receiver<String> {
    let (said, lines) = channel();
    std::thread::spawn(move || {
        let mut line = Vec::new();
        loop {
            line.clear();
            match input.read_until(b'\n', &mut line) {
                Ok(0) | Err(_) => return,
                Ok(_) if said.send(String::from_utf8_lossy(&line).trim().to_string()).is_err() => return,
                Ok(_) => {}
            }
        }
    });
    lines
}

/// The next line; `None` at the end of the input, or when somebody wants to stop.
pub(crate) fn next(lines: &Receiver<String>, watch: &dyn Watch) -> Option<String> {
    loop {
        match lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if watch.stopped() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// Stops when told.
#[derive(Default)]
pub(crate) struct Halt(AtomicBool);

impl Halt {
    pub(crate) fn now(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Watch for Halt {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
