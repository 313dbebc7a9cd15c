//! The command line: text in, text out. It sees games by name, answers, explanations and the arena, and nothing below.
//!
//! ```no_run
//! // The whole command line for the games that come along, and those that one adds.
//! let catalog = outplay_catalog::Catalog::standard();
//! let code: std::process::ExitCode = outplay_cli::main(&catalog);
//! ```

#[cfg(not(all(feature = "play", feature = "serve")))]
mod absent;
mod arena;
mod args;
mod bench;
mod commands;
mod engine;
mod exporting;
mod output;
mod plan;
#[cfg(feature = "play")]
mod playing;
mod progress;
mod questions;
mod roster;
#[cfg(feature = "serve")]
mod serving;
mod tables;
mod usage;

#[cfg(not(feature = "play"))]
use absent::playing;
#[cfg(not(feature = "serve"))]
use absent::serving;
pub use commands::{main, main_together};
