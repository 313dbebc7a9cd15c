//! Python bindings: the package `outplay`.
//!
//! ```text
//!  outplay/__init__.py      public API: this module, and the parts written in Python
//!  game · position · table  queries                              arena   matches, proofs, the server
//!  entries · actions        a table's positions; moves by number         playouts  random games
//!  rules · graph            a game with rules in Python, compiled into a graph
//!  script · laws            calls to the Python object, and the laws that it must obey
//!  program                  the command line, the wheel's program (feature `program`)
//!  work · fault · errors    worker threads: Ctrl-C, progress, exceptions
//!  number · pickle          numbers given from Python; pickling and copying of all of these
//! ```
//!
//! This crate depends on `catalog`, `workbench`, `teach`, `arena` and `serve`, and for the program on `cli`. The
//! interpreter (GIL) is released while Rust works, and attached again only where rules or players are written in
//! Python.

mod actions;
mod arena;
mod compiled;
mod entries;
mod errors;
mod fault;
mod game;
mod graph;
mod laws;
mod memory;
mod number;
mod pickle;
mod playouts;
mod position;
#[cfg(feature = "program")]
mod program;
mod rules;
mod script;
mod spell;
mod svg;
mod table;
mod work;

use pyo3::prelude::*;

#[pymodule]
mod _outplay {
    #[pymodule_export]
    use crate::arena::{Server, check, checksummed, distributions, exported, matched, prove, serve};
    #[pymodule_export]
    use crate::compiled::{CompiledGame, compile};
    #[pymodule_export]
    use crate::game::{Game, game, games};
    #[pymodule_export]
    use crate::pickle::{
        restored_compiled, restored_explanation, restored_graph_game, restored_move, restored_rules,
        restored_table,
    };
    #[pymodule_export]
    use crate::playouts::playouts;
    #[pymodule_export]
    use crate::position::{Explanation, Move, Position};
    #[cfg(feature = "program")]
    #[pymodule_export]
    use crate::program::program;
    #[pymodule_export]
    use crate::table::Table;
    #[pymodule_export]
    use crate::work::CancelFlag;
    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        crate::work::settle();
        #[cfg(debug_assertions)]
        module.add_function(wrap_pyfunction!(crate::game::panicked, module)?)?;
        module.add("UNKNOWN", crate::table::UNKNOWN)?;
        module.add("__version__", env!("CARGO_PKG_VERSION"))
    }
}
