//! Stopwatch for wall-clock and processor time.

use std::time::Instant;

/// Stopwatch for wall-clock and processor time.
pub struct Clock {
    wall: Instant,
    cpu: f64,
}

impl Clock {
    /// Starts a stopwatch.
    pub fn start() -> Clock {
        Clock { wall: Instant::now(), cpu: cpu_seconds() }
    }

    /// Wall time since the start, in seconds.
    pub fn seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// CPU time of all threads since the start, in seconds.
    pub fn cpu_seconds(&self) -> f64 {
        cpu_seconds() - self.cpu
    }

    /// Wall and CPU time since the start or the last call.
    pub(crate) fn lap(&mut self) -> (f64, f64) {
        let (wall, cpu) = (self.seconds(), self.cpu_seconds());
        *self = Clock::start();
        (wall, cpu)
    }
}

/// CPU time of all threads of this process.
fn cpu_seconds() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}
