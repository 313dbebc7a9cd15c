//! The command line: text in, text out. It sees the catalog only.

#[cfg(not(all(feature = "play", feature = "serve")))]
mod absent;
mod arena;
mod args;
mod bench;
mod commands;
mod output;
#[cfg(feature = "play")]
mod playing;
mod progress;
mod roster;
#[cfg(feature = "serve")]
mod serving;
mod tables;
mod usage;

#[cfg(not(feature = "play"))]
use absent::playing;
#[cfg(not(feature = "serve"))]
use absent::serving;
pub use commands::main;
