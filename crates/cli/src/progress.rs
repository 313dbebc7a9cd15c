//! Progress on standard error (bar, lines or JSON), and Ctrl-C.

use crate::args::ProgressFormat;
use crate::terminal::harmless;
use indicatif::{HumanCount, ProgressBar, ProgressState, ProgressStyle};
use outplay_core::figures::{duration, per_second};
use outplay_runtime::Monitor;
use signal_hook::consts::SIGINT;
use signal_hook::flag;
use std::io::IsTerminal;
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
}

struct Stage {
    name: String,
    total: u64,
    began: Instant,
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
        let stage =
            Stage { name: String::new(), total: 0, began: now, said: now, status: String::new(), bar: None };
        let terminal = std::io::stderr().is_terminal();
        let json = format == ProgressFormat::Json;
        Progress { stop, quiet, json, terminal, done: AtomicU64::new(0), stage: Mutex::new(stage) }
    }

    /// Removes the bar before the answer is printed.
    pub(crate) fn clear(&self) {
        let bar = self.stage.lock().ok().and_then(|mut stage| stage.bar.take());
        if let Some(bar) = bar {
            bar.finish_and_clear();
        }
    }
}

impl Monitor for Progress {
    fn stage(&self, name: &str, total: u64) {
        self.clear();
        self.done.store(0, Ordering::Relaxed);
        if let Ok(mut stage) = self.stage.lock() {
            let now = Instant::now();
            *stage = Stage {
                name: name.to_string(),
                total,
                began: now,
                said: now,
                status: String::new(),
                bar: None,
            };
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
                    "status": stage.status,
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
                if !stage.status.is_empty() {
                    bar.set_message(format!("{} {}", stage.name, stage.status));
                }
            }
        } else if stage.said.elapsed() > PAUSE {
            stage.said = Instant::now();
            let rate = done as f64 / elapsed.as_secs_f64();
            let mut line = format!("{}: {}", stage.name, HumanCount(done));
            if stage.total > 0 {
                let share = 100.0 * done as f64 / stage.total as f64;
                let left = stage.total.saturating_sub(done) as f64 / rate;
                let left = duration(left);
                line += &format!(
                    " of {} ({share:.0} %), {}, about {left} left",
                    HumanCount(stage.total),
                    per_second(rate)
                );
            } else {
                line += &format!(", {}", per_second(rate));
            }
            if !stage.status.is_empty() {
                line += &format!("; {}", stage.status);
            }
            say(line);
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
        "{msg} {wide_bar} {human_pos}/{human_len} {rate} {eta} left"
    } else {
        "{spinner} {msg} {human_pos} {rate} {elapsed}"
    };
    let bar = if total > 0 { ProgressBar::new(total) } else { ProgressBar::new_spinner() };
    // The templates are constants that parse.
    if let Ok(style) = ProgressStyle::with_template(template) {
        let rate = |state: &ProgressState, out: &mut dyn std::fmt::Write| {
            // A failing write only affects the bar.
            let _ = write!(out, "{}", per_second(state.per_sec()));
        };
        bar.set_style(style.with_key("rate", rate));
    }
    bar.set_message(name.to_string());
    bar.enable_steady_tick(Duration::from_millis(100));
    bar
}
