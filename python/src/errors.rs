//! Conversion of errors to typed Python exceptions with a message and a remedy; the classes are in `outplay/errors.py`.

use outplay_core::InputError;
use outplay_workbench::{Cure, TableError, Trouble, Values};
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;

static ERRORS: PyOnceLock<Py<PyModule>> = PyOnceLock::new();

/// Creates an exception of a class of `outplay.errors`.
fn raise(py: Python<'_>, class: &str, words: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<Py<PyAny>>) -> PyErr {
    let made = || -> PyResult<PyErr> {
        let module = ERRORS.get_or_try_init(py, || py.import("outplay.errors").map(Bound::unbind))?;
        let class = module.bind(py).getattr(class)?;
        Ok(PyErr::from_value(words(&class)?.into_bound(py)))
    };
    made().unwrap_or_else(|error| error)
}

/// Creates a typed exception with a message and an optional cure.
pub(crate) fn typed(py: Python<'_>, class: &str, sentence: &str, cure: Option<&str>) -> PyErr {
    raise(py, class, |class| Ok(class.call1((sentence, cure))?.unbind()))
}

/// Creates the exception for a broken law: its name, the reason, and the position, with the equal one it contradicts.
pub(crate) fn law(
    py: Python<'_>,
    law: &str,
    sentence: &str,
    position: Option<&Bound<'_, PyAny>>,
    other: Option<&Bound<'_, PyAny>>,
) -> PyErr {
    raise(py, "LawError", |class| Ok(class.call1((law, sentence, position, other))?.unbind()))
}

/// Phrases a cure for Python users.
fn cured(cure: &Cure) -> String {
    match cure {
        Cure::MoreMemory => "allow more with `op.game(…, memory=…)`, or query a single position".into(),
        Cure::Use(method) => format!("use `solve(method=\"{}\")`", method.word()),
        Cure::Solve { values: Values::Wdl, .. } => {
            "solve the game first: `game.solve(values=\"wdl\")`".into()
        }
        Cure::Solve { .. } => "solve the game first: `game.solve()`".into(),
        Cure::SolveOrAsk => "solve the game first with `game.solve()`, or choose another player".into(),
        Cure::GivePosition => "specify a position: `game.position(at=…)`".into(),
        Cure::Table(cure) => cure.to_string(),
    }
}

pub(crate) fn trouble(py: Python<'_>, trouble: Trouble) -> PyErr {
    if trouble.is_stop() {
        return pyo3::exceptions::PyKeyboardInterrupt::new_err("stopped");
    }
    let class = match &trouble {
        Trouble::Table(TableError::NoTable { .. }) => "NoTableError",
        Trouble::Table(_) | Trouble::Probe(_) | Trouble::Book(_) => "TableError",
        trouble if trouble.is_limit() => "LimitError",
        trouble if matches!(trouble.cure(), Some(Cure::MoreMemory)) => "LimitError",
        trouble if trouble.is_input() => "InputError",
        _ => "OutplayError",
    };
    let cure = match &trouble {
        Trouble::Table(TableError::NoTable { .. }) => {
            Some("solve the game first: `game.solve()`".to_string())
        }
        other => other.cure().as_ref().map(cured),
    };
    typed(py, class, &trouble.to_string(), cure.as_deref())
}

pub(crate) fn input(py: Python<'_>, error: &InputError) -> PyErr {
    typed(py, "InputError", &error.to_string(), None)
}
