//! The command line: text in, text out. It sees games by name, answers, explanations and the arena, and nothing below.

mod arena;
mod args;
mod bench;
mod commands;
mod output;
mod playing;
mod progress;
mod questions;
mod roster;
mod serving;
mod tables;
mod usage;

pub use commands::main;
