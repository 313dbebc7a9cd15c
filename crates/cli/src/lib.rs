//! The command line: argument parsing, dispatch and printing. The catalog opens games by name; the results come from
//! the crates `workbench`, `teach` and `arena`.
//!
//! ```no_run
//! // The whole command line for the standard games and any added to the catalog.
//! let catalog = outplay_catalog::Catalog::standard();
//! let code: std::process::ExitCode = outplay_cli::main(&catalog);
//! ```

#[cfg(not(all(feature = "experiments", feature = "play", feature = "serve")))]
mod absent;
mod arena;
mod args;
mod bench;
mod books;
mod color;
mod commands;
mod dispatch;
mod engine;
mod entry;
mod errors;
mod exporting;
mod games;
mod help;
mod indexes;
mod moving;
mod output;
mod plan;
#[cfg(feature = "play")]
mod playing;
mod progress;
mod proofs;
mod questions;
mod roster;
#[cfg(feature = "serve")]
mod serving;
mod show;
mod solving;
mod tables;
mod terminal;
mod usage;

#[cfg(not(feature = "play"))]
use absent::playing;
#[cfg(not(feature = "serve"))]
use absent::serving;
pub use entry::{main, main_from, main_together};
