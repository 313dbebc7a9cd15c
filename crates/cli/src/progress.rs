//! Progress reports on standard error (bar, lines or JSON), and cancellation by Ctrl-C.

use crate::args::ProgressFormat;
use crate::terminal::harmless;
use indicatif::{ProgressBar, ProgressState, ProgressStyle};
use outplay_core::figures::{grouped, rate_words, time_left};
use outplay_runtime::Monitor;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io::IsTerminal;
use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Interval of plain lines.
const PAUSE: Duration = Duration::from_secs(5);
/// Interval of JSON objects.
const JSON_PAUSE: Duration = Duration::from_secs(1);
/// Delay before a bar appears.
const PATIENCE: Duration = Duration::from_millis(300);

/// Monitor of the command line: reports progress and handles Ctrl-C.
pub(crate) struct Progress {
    stop: Arc<AtomicBool>,
    quiet: bool,
    json: bool,
    terminal: bool,
    done: AtomicU64,
    stage: Mutex<Stage>,
    /// The portion of the whole work that the next stage is.
    next: Mutex<Range<f64>>,
}

struct Stage {
    name: String,
    total: u64,
    began: Instant,
    /// The portion of the whole work that this stage is, and the start of the whole work.
    portion: Range<f64>,
    work_began: Instant,
    said: Instant,
    /// Latest status line.
    status: String,
    bar: Option<ProgressBar>,
}

impl Progress {
    /// Installs the Ctrl-C handlers: the first signal requests a stop, the second ends the process.
    pub(crate) fn new(quiet: bool, format: ProgressFormat) -> Progress {
        let stop = Arc::new(AtomicBool::new(false));
        // The order matters: the shutdown handler runs first and finds the flag clear at the first signal.
        let _ = flag::register_conditional_shutdown(SIGINT, 130, Arc::clone(&stop));
        let _ = flag::register(SIGINT, Arc::clone(&stop));
        let now = Instant::now();
        let stage = Stage::new("", 0, 0.0..1.0, now);
        let terminal = std::io::stderr().is_terminal();
        let json = format == ProgressFormat::Json;
        let (stage, next) = (Mutex::new(stage), Mutex::new(0.0..1.0));
        Progress { stop, quiet, json, terminal, done: AtomicU64::new(0), stage, next }
    }

    /// Removes the bar before the answer is printed.
    pub(crate) fn clear(&self) {
        let bar = self.stage.lock().ok().and_then(|mut stage| stage.bar.take());
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }
}

impl Stage {
    fn new(name: &str, total: u64, portion: Range<f64>, work_began: Instant) -> Stage {
        let now = Instant::now();
        let (name, status) = (name.to_string(), String::new());
        Stage { name, total, began: now, portion, work_began, said: now, status, bar: None }
    }

    /// Estimates the seconds left of the whole work, not only of this stage; `None` if the total is unknown.
    fn left(&self, done: u64) -> Option<f64> {
        let share = (self.total > 0).then(|| (done as f64 / self.total as f64).min(1.0))?;
        let whole = self.portion.start + share * (self.portion.end - self.portion.start);
        (whole > 0.0).then(|| self.work_began.elapsed().as_secs_f64() * (1.0 - whole) / whole)
    }

    /// The line of a log: `computing values: 45 %, 1.8 million per second, about 5 minutes left`.
    fn line(&self, done: u64) -> String {
        let rate = rate_words(done as f64 / self.began.elapsed().as_secs_f64().max(1e-9));
        let mut line = match self.total {
            0 => format!("{}: {}, {rate}", self.name, grouped(done)),
            total => format!("{}: {:.0} %, {rate}", self.name, 100.0 * done as f64 / total as f64),
        };
        if let Some(left) = self.left(done) {
            line += &format!(", {} left", time_left(left));
        }
        if !self.status.is_empty() {
            line += &format!("; {}", self.status);
        }
        line
    }
}

impl Monitor for Progress {
    fn portion(&self, portion: Range<f64>) {
        if let Ok(mut next) = self.next.lock() {
            *next = portion;
        }
    }

    fn stage(&self, name: &str, total: u64) {
        self.clear();
        self.done.store(0, Ordering::Relaxed);
        let portion = self.next.lock().map_or(0.0..1.0, |mut next| std::mem::replace(&mut *next, 0.0..1.0));
        if let Ok(mut stage) = self.stage.lock() {
            let work_began = if portion.start > 0.0 { stage.work_began } else { Instant::now() };
            *stage = Stage::new(name, total, portion, work_began);
        }
    }

    fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        if self.quiet {
            return;
        }
        // If the lock is taken, another thread is drawing.
        let Ok(mut stage) = self.stage.try_lock() else { return };
        let elapsed = stage.began.elapsed();
        if self.json {
            if stage.said.elapsed() > JSON_PAUSE {
                stage.said = Instant::now();
                let total = (stage.total > 0).then_some(stage.total);
                let line = serde_json::json!({
                    "stage": stage.name, "done": done, "total": total, "seconds": elapsed.as_secs_f64(),
                    "seconds_left": stage.left(done), "status": stage.status,
                });
                say(line.to_string());
            }
            return;
        }
        if self.terminal {
            if stage.bar.is_none() && elapsed > PATIENCE {
                stage.bar = Some(bar(&stage.name, stage.total));
            }
            if let Some(bar) = &stage.bar {
                bar.set_position(done);
                if let Some(left) = stage.left(done) {
                    bar.set_prefix(format!("{} left", time_left(left)));
                }
                if !stage.status.is_empty() {
                    bar.set_message(format!("{} {}", stage.name, stage.status));
                }
            }
        } else if stage.said.elapsed() > PAUSE {
            stage.said = Instant::now();
            say(stage.line(done));
        }
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed)
    }

    fn status(&self, words: &str) {
        // If the lock is taken, another thread is drawing; the next status comes soon.
        if let Ok(mut stage) = self.stage.try_lock() {
            stage.status = harmless(words);
        }
    }

    fn note(&self, sentence: &str) {
        if self.quiet {
            return;
        }
        let line =
            if self.json { serde_json::json!({ "note": sentence }).to_string() } else { harmless(sentence) };
        // Printed through the bar, which would otherwise overwrite it.
        match self.stage.lock().ok().and_then(|stage| stage.bar.clone()) {
            Some(bar) => bar.suspend(|| say(line)),
            None => say(line),
        }
    }
}

/// Prints a line in one write, because the ranks of a cluster share standard error.
fn say(mut line: String) {
    line.push('\n');
    eprint!("{line}");
}

fn bar(name: &str, total: u64) -> ProgressBar {
    let template = if total > 0 {
        "{msg} {wide_bar} {percent} %  {prefix}"
    } else {
        "{spinner} {msg}: {human_pos}, {rate}, {elapsed}"
    };
    let bar = if total > 0 { ProgressBar::new(total) } else { ProgressBar::new_spinner() };
    // The templates are constants that parse.
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A failing write only affects the bar.
            let _ = write!(out, "{}", rate_words(state.per_sec()));
        };
        bar.set_style(style.with_key("rate", rate));
    }
    bar.set_message(name.to_string());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_time_left_is_that_of_the_whole_work() {
        let minute = Duration::from_secs(60);
        let began = Instant::now().checked_sub(minute).unwrap();
        let check = |portion: Range<f64>, done: u64, expected: f64| {
            let mut stage = Stage::new("computing", 100, portion, began);
            stage.began = began;
            let left = stage.left(done).unwrap();
            assert!((left - expected).abs() < 1.0, "{left} instead of {expected}");
            stage.line(done)
        };
        let line = check(0.0..1.0, 50, 60.0);
        assert_eq!(line, "computing: 50 %, 0.8 per second, about 60 seconds left");
        // Half of the first 40 % took a minute.
        check(0.0..0.4, 50, 240.0);
        check(0.4..1.0, 50, 60.0 * 0.3 / 0.7);
        assert_eq!(Stage::new("searching", 0, 0.0..1.0, began).left(7), None);
        let progress = Progress::new(true, ProgressFormat::Bar);
        progress.portion(0.4..1.0);
        progress.stage("second", 10);
        assert_eq!(progress.stage.lock().unwrap().portion, 0.4..1.0);
        progress.stage("another", 10);
        assert_eq!(progress.stage.lock().unwrap().portion, 0.0..1.0);
    }
}
