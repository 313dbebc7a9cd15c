//! What Python code raised while Rust worked: kept until the work has stopped, then raised where it belongs.

use pyo3::PyErr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A place for one exception; clones share it.
#[derive(Clone, Default)]
pub(crate) struct Fault(Arc<(AtomicBool, Mutex<Option<PyErr>>)>);

impl Fault {
    /// Keeps the first exception.
    pub(crate) fn keep(&self, error: PyErr) {
        self.0.1.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.0.0.store(true, Ordering::Relaxed);
    }

    /// Whether there is one.
    pub(crate) fn is_set(&self) -> bool {
        self.0.0.load(Ordering::Relaxed)
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.0.store(false, Ordering::Relaxed);
        self.0.1.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
