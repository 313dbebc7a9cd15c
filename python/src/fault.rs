//! Deferred Python exceptions: stored while Rust code runs, and raised when it has returned.

use pyo3::PyErr;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

/// A slot for one exception; clones share it.
#[derive(Clone, Default)]
pub(crate) struct ExceptionSlot(Arc<(AtomicBool, Mutex<Option<PyErr>>)>);

impl ExceptionSlot {
    /// Stores the exception, unless there is one already.
    pub(crate) fn keep(&self, error: PyErr) {
        self.0.1.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(error);
        self.0.0.store(true, Ordering::Relaxed);
    }

    /// Whether an exception is stored.
    pub(crate) fn is_set(&self) -> bool {
        self.0.0.load(Ordering::Relaxed)
    }

    pub(crate) fn take(&self) -> Option<PyErr> {
        self.0.0.store(false, Ordering::Relaxed);
        self.0.1.lock().unwrap_or_else(PoisonError::into_inner).take()
    }
}
