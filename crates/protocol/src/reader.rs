//! Detection of a closed output pipe, so that an engine stops its search when its host has exited.

use outplay_runtime::Monitor;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use std::os::fd::BorrowedFd;
use std::time::Duration;

/// A monitor that stops when the reading end of an output is closed, or when the wrapped monitor stops.
///
/// An engine prints nothing while it searches, so an exited host shows neither by a failed write nor, if another
/// process inherited the input, by EOF. `poll` reports the closed end of a pipe, a socket or a terminal; regular files
/// are never closed.
pub struct ReaderWatch<'a> {
    out: BorrowedFd<'a>,
    monitor: &'a dyn Monitor,
}

impl<'a> ReaderWatch<'a> {
    /// Wraps `monitor` and also watches an output.
    pub fn new(out: BorrowedFd<'a>, monitor: &'a dyn Monitor) -> ReaderWatch<'a> {
        ReaderWatch { out, monitor }
    }

    /// Whether a write would fail because the other end is closed.
    fn is_closed(&self) -> bool {
        // `POLLERR` and `POLLHUP` are always reported, without being requested.
        let mut fds = [PollFd::from_borrowed_fd(self.out, PollFlags::empty())];
        let at_once = Timespec { tv_sec: 0, tv_nsec: 0 };
        poll(&mut fds, Some(&at_once)).is_ok() && fds[0].revents().intersects(PollFlags::ERR | PollFlags::HUP)
    }
}

impl Monitor for ReaderWatch<'_> {
    fn stage(&self, name: &str, total: u64) {
        self.monitor.stage(name, total);
    }
    fn advance(&self, units: u64) {
        self.monitor.advance(units);
    }
    fn stopped(&self) -> bool {
        self.monitor.stopped() || self.is_closed()
    }
    fn time_left(&self) -> Option<Duration> {
        self.monitor.time_left()
    }
    fn status(&self, words: &str) {
        self.monitor.status(words);
    }
    fn note(&self, sentence: &str) {
        self.monitor.note(sentence);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;
    use std::io::Write;
    use std::os::fd::AsFd;

    #[test]
    fn closed_pipe_stops_and_other_outputs_do_not() {
        let (input, mut output) = std::io::pipe().unwrap();
        assert!(!ReaderWatch::new(output.as_fd(), &NoMonitor).stopped());
        // A slow reader is not a closed one.
        output.write_all(&[b'x'; 1000]).unwrap();
        assert!(!ReaderWatch::new(output.as_fd(), &NoMonitor).stopped());
        drop(input);
        assert!(ReaderWatch::new(output.as_fd(), &NoMonitor).stopped());
        let null = std::fs::OpenOptions::new().write(true).open("/dev/null").unwrap();
        assert!(!ReaderWatch::new(null.as_fd(), &NoMonitor).stopped());
    }
}
