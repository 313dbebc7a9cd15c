//! Asynchronous line input of an engine, read by a thread of its own while a search runs.

use outplay_runtime::Monitor;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// Returns a queue of input lines; it disconnects at the end of the input.
///
/// A blocking read cannot be interrupted, so the thread ends with the input or with the process.
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

/// Returns the next line; `None` at the end of the input, or when `monitor` stops.
pub(crate) fn next(lines: &Receiver<String>, monitor: &dyn Monitor) -> Option<String> {
    loop {
        match lines.recv_timeout(Duration::from_millis(100)) {
            Ok(line) => return Some(line),
            Err(RecvTimeoutError::Disconnected) => return None,
            Err(RecvTimeoutError::Timeout) if monitor.stopped() => return None,
            Err(RecvTimeoutError::Timeout) => {}
        }
    }
}

/// A monitor that stops once its flag is set.
#[derive(Default)]
pub(crate) struct StopFlag(AtomicBool);

impl StopFlag {
    pub(crate) fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

impl Monitor for StopFlag {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}
