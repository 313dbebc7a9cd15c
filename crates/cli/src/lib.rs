//! The command line: text in, text out. It sees the catalog only.

mod arena;
mod args;
mod bench;
mod commands;
mod output;
mod playing;
mod progress;
mod roster;
mod serving;
mod tables;
mod usage;

pub use commands::main;
