//! Long work beside the interpreter: it runs on a thread of its own while the caller waits detached, looks for Ctrl-C
//! every few milliseconds and tells the progress.
//!
//! A process that was forked has lost the threads of the common pool, so that a child gets a pool of its own.

use crate::errors;
use crate::fault::Fault;
use outplay_core::Watch;
use pyo3::prelude::*;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the caller looks for Ctrl-C.
const TICK: Duration = Duration::from_millis(20);
/// How often progress is told.
const TOLD: Duration = Duration::from_millis(100);

/// What the worker and the caller share.
struct Shared {
    stop: AtomicBool,
    stage: Mutex<(String, u64)>,
    done: AtomicU64,
    faults: Vec<Fault>,
}

impl Watch for Shared {
    fn stage(&self, name: &str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_string(), total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.faults.iter().any(Fault::is_set)
    }
}

/// The process in which the package was loaded.
static HOME: AtomicU32 = AtomicU32::new(0);

/// Remembers the process, so that a forked one is told apart.
pub(crate) fn settle() {
    HOME.store(std::process::id(), Ordering::Relaxed);
}

/// The pool of a forked process.
fn own_pool() -> Option<Arc<rayon::ThreadPool>> {
    static POOL: Mutex<Option<(u32, Arc<rayon::ThreadPool>)>> = Mutex::new(None);
    let here = std::process::id();
    if HOME.load(Ordering::Relaxed) == here {
        return None;
    }
    let mut pool = POOL.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some((_, pool)) = pool.as_ref().filter(|(of, _)| *of == here) {
        return Some(pool.clone());
    }
    let made = Arc::new(rayon::ThreadPoolBuilder::new().build().ok()?);
    // The parent's threads are not here, so that nobody may wait for them.
    if let Some((_, lost)) = pool.replace((here, made.clone())) {
        std::mem::forget(lost);
    }
    Some(made)
}

/// What hears of progress: a callable, or what suits the terminal.
pub(crate) fn listener(py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    let made = py.import("outplay._progress")?.call_method1("listener", (progress,))?;
    Ok(Some(made).filter(|made| !made.is_none()).map(Bound::unbind))
}

/// Runs a job beside the interpreter. What Python code raised meanwhile is raised here.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    faults: Vec<Fault>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&dyn Watch) -> T + Send + 'static,
) -> PyResult<T> {
    let shared = Arc::new(Shared {
        stop: AtomicBool::new(false),
        stage: Mutex::default(),
        done: AtomicU64::new(0),
        faults,
    });
    let (sender, receiver) = channel();
    let watch = shared.clone();
    let spawned = std::thread::Builder::new().name("outplay".into()).stack_size(16 << 20).spawn(move || {
        let work = || catch_unwind(AssertUnwindSafe(|| job(&*watch)));
        let done = match own_pool() {
            Some(pool) => pool.install(work),
            None => work(),
        };
        // A caller that is gone needs no answer.
        let _ = sender.send(done);
    });
    if let Err(error) = spawned {
        let sentence = format!("no thread can be started for this ({error})");
        return Err(errors::typed(py, "LimitError", &sentence, Some("end other threads first")));
    }
    let mut raised = None;
    let mut told = Instant::now();
    // The receiver is only looked at by this thread; the mutex tells the compiler so.
    let receiver = Mutex::new(receiver);
    let done = loop {
        let heard = py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match heard {
            Ok(done) => break Some(done),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                let mut checked = py.check_signals();
                if let Some(progress) = progress.filter(|_| checked.is_ok() && told.elapsed() >= TOLD) {
                    told = Instant::now();
                    let (stage, total) = shared.stage.lock().unwrap_or_else(PoisonError::into_inner).clone();
                    let done = shared.done.load(Ordering::Relaxed);
                    checked = progress.call1(py, (stage, done, total)).map(drop);
                }
                if let Err(error) = checked {
                    shared.stop.store(true, Ordering::Relaxed);
                    raised = Some(error);
                }
            }
        }
    };
    if let Some(progress) = progress {
        // A bar takes itself away.
        let _ = progress.call_method0(py, "close");
    }
    if let Some(error) = raised.or_else(|| shared.faults.iter().find_map(Fault::take)) {
        return Err(error);
    }
    match done {
        Some(Ok(done)) => Ok(done),
        _ => {
            let sentence = "outplay ran into a mistake of its own; what it was is on the error stream";
            Err(errors::typed(py, "OutplayError", sentence, Some("please report it with the lines above")))
        }
    }
}
