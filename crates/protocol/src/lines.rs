//! Asynchronous line input of an engine: a separate thread reads commands, so that `stop` arrives while a search runs.

use outplay_runtime::Monitor;
use std::collections::VecDeque;
use std::io::BufRead;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::Duration;

/// The input lines of an engine.
pub(crate) struct Input {
    /// Lines as they arrive; it disconnects at the end of the input.
    pub(crate) lines: Receiver<String>,
    /// Lines that arrived during a search, to be handled first.
    pub(crate) queue: VecDeque<String>,
}

impl Input {
    /// Starts to read.
    ///
    /// A blocking read cannot be interrupted, so the thread ends with the input or with the process.
    pub(crate) fn new(mut input: impl BufRead + Send + 'static) -> Input {
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
        Input { lines, queue: VecDeque::new() }
    }

    /// Returns the next line; `None` at the end of the input, or when `monitor` stops.
    pub(crate) fn next(&mut self, monitor: &dyn Monitor) -> Option<String> {
        if let Some(line) = self.queue.pop_front() {
            return Some(line);
        }
        loop {
            match self.lines.recv_timeout(Duration::from_millis(100)) {
                Ok(line) => return Some(line),
                Err(RecvTimeoutError::Disconnected) => return None,
                Err(RecvTimeoutError::Timeout) if monitor.stopped() => return None,
                Err(RecvTimeoutError::Timeout) => {}
            }
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
