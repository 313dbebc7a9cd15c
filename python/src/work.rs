//! Worker threads: a job runs with the interpreter released, while the caller polls for Ctrl-C and reports progress.
//!
//! A forked process loses the threads of the global rayon pool, so a child process gets a pool of its own.

use crate::errors;
use crate::fault::ExceptionSlot;
use outplay_runtime::Monitor;
use pyo3::prelude::*;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Polling interval for Ctrl-C.
const TICK: Duration = Duration::from_millis(20);
/// Interval of progress reports.
const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// State shared by the worker and the caller.
struct JobMonitor {
    stop: AtomicBool,
    stage: Mutex<(String, u64)>,
    done: AtomicU64,
    faults: Vec<ExceptionSlot>,
}

impl Monitor for JobMonitor {
    fn stage(&self, name: &str, total: u64) {
        *self.stage.lock().unwrap_or_else(PoisonError::into_inner) = (name.to_string(), total);
        self.done.store(0, Ordering::Relaxed);
    }

    fn advance(&self, units: u64) {
        self.done.fetch_add(units, Ordering::Relaxed);
    }

    fn stopped(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.faults.iter().any(ExceptionSlot::is_set)
    }
}

thread_local! {
    /// The flag that cancels the work of this thread.
    static CANCEL: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// A flag that cancels the work of the threads that have entered it.
#[pyclass(frozen, module = "outplay", name = "CancelFlag_")]
#[derive(Default)]
pub(crate) struct CancelFlag(Arc<AtomicBool>);

#[pymethods]
impl CancelFlag {
    #[new]
    fn new() -> CancelFlag {
        CancelFlag::default()
    }

    /// Cancels the work.
    fn set(&self) {
        self.0.store(true, Ordering::Relaxed);
    }

    /// Whether the work is cancelled.
    fn is_set(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }

    /// Makes this flag the one of the calling thread.
    fn enter(&self) {
        CANCEL.set(Some(self.0.clone()));
    }
}

/// Checks for Ctrl-C on the main thread, and for the cancel flag of any thread.
pub(crate) fn check(py: Python<'_>) -> PyResult<()> {
    py.check_signals()?;
    match CANCEL.with_borrow(|flag| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed))) {
        true => Err(errors::typed(py, "CancelledError", "the work was cancelled", None)),
        false => Ok(()),
    }
}

/// The process in which the package was loaded.
static HOME: AtomicU32 = AtomicU32::new(0);

/// Records the process id, so that a forked child is recognised.
pub(crate) fn settle() {
    HOME.store(std::process::id(), Ordering::Relaxed);
}

/// Returns the pool of a forked process.
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
    // The threads of the parent's pool do not exist here: dropping it would wait for them forever.
    if let Some((_, lost)) = pool.replace((here, made.clone())) {
        std::mem::forget(lost);
    }
    Some(made)
}

/// Returns the progress callback: the given callable, or a progress bar if the terminal supports one.
pub(crate) fn listener(py: Python<'_>, progress: Option<Py<PyAny>>) -> PyResult<Option<Py<PyAny>>> {
    let made = py.import("outplay._progress")?.call_method1("listener", (progress,))?;
    Ok(Some(made).filter(|made| !made.is_none()).map(Bound::unbind))
}

/// The error for a panic, which must not reach Python as a `PanicException`.
fn internal_error(py: Python<'_>) -> PyErr {
    let sentence = "internal error in outplay; the details are on standard error";
    errors::typed(
        py,
        "OutplayError",
        sentence,
        Some("please report it together with the lines printed there"),
    )
}

/// Runs a short job on this thread; a panic becomes an error of the package.
pub(crate) fn guarded<T>(py: Python<'_>, job: impl FnOnce() -> T) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(job)).map_err(|_| internal_error(py))
}

/// Runs a job on a worker thread. Exceptions raised by Python code meanwhile are raised here.
pub(crate) fn run<T: Send + 'static>(
    py: Python<'_>,
    faults: Vec<ExceptionSlot>,
    progress: Option<&Py<PyAny>>,
    job: impl FnOnce(&dyn Monitor) -> T + Send + 'static,
) -> PyResult<T> {
    check(py)?;
    let shared = Arc::new(JobMonitor {
        stop: AtomicBool::new(false),
        stage: Mutex::default(),
        done: AtomicU64::new(0),
        faults,
    });
    let (sender, receiver) = channel();
    let monitor = shared.clone();
    let spawned = std::thread::Builder::new().name("outplay".into()).stack_size(16 << 20).spawn(move || {
        let work = || catch_unwind(AssertUnwindSafe(|| job(&*monitor)));
        let done = match own_pool() {
            Some(pool) => pool.install(work),
            None => work(),
        };
        // The receiver is gone if the caller has returned.
        let _ = sender.send(done);
    });
    if let Err(error) = spawned {
        let sentence = format!("cannot start a worker thread ({error})");
        return Err(errors::typed(py, "LimitError", &sentence, Some("end other threads or processes first")));
    }
    let mut raised = None;
    let mut reported = Instant::now();
    // Only this thread uses the receiver; the mutex makes it `Sync` for `detach`.
    let receiver = Mutex::new(receiver);
    let done = loop {
        let received =
            py.detach(|| receiver.lock().unwrap_or_else(PoisonError::into_inner).recv_timeout(TICK));
        match received {
            Ok(done) => break Some(done),
            Err(RecvTimeoutError::Disconnected) => break None,
            Err(RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(RecvTimeoutError::Timeout) => {
                let mut checked = check(py);
                if let Some(progress) =
                    progress.filter(|_| checked.is_ok() && reported.elapsed() >= PROGRESS_INTERVAL)
                {
                    reported = Instant::now();
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
        // The bar removes itself.
        let _ = progress.call_method0(py, "close");
    }
    if let Some(error) = raised.or_else(|| shared.faults.iter().find_map(ExceptionSlot::take)) {
        return Err(error);
    }
    match done {
        Some(Ok(done)) => Ok(done),
        _ => Err(internal_error(py)),
    }
}
