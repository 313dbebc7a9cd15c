//! The Python package outplay: exact values of games, from Python.
//!
//! ```text
//!  outplay/__init__.py      what users import: this module, and what is easier said in Python
//!  game · position · table  what can be asked                    arena   matches, proofs, the page
//!  rules · graph            a game that Python describes, compiled into numbers
//!  work · fault · errors    beside the interpreter: Ctrl-C, progress, exceptions
//! ```
//!
//! It sees `catalog`, `answer`, `explain`, `arena` and `serve`, as every interface does. The interpreter is released while
//! Rust works, and taken again only where rules or players are Python's own.

mod arena;
mod compiled;
mod errors;
mod fault;
mod game;
mod graph;
mod position;
mod rules;
mod spell;
mod svg;
mod table;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _outplay {
    #[pymodule_export]
    use crate::arena::{Server, check, exported, matched, prove, serve};
    #[pymodule_export]
    use crate::compiled::{Compiled, compile};
    #[pymodule_export]
    use crate::game::{Game, game, games};
    #[pymodule_export]
    use crate::position::{Move, Position, Why};
    #[pymodule_export]
    use crate::table::Table;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::work::settle();
        module.add("UNKNOWN", crate::table::UNKNOWN)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
