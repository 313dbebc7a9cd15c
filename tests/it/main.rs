//! The program as its users meet it: one test binary, because each links the whole workbench.

mod access;
mod agreement;
mod arena;
mod browser;
mod browser_learn;
mod browser_place;
mod browser_play;
mod browser_visit;
mod browser_ways;
#[cfg(target_os = "linux")]
mod campaign;
mod cli;
mod consistency;
mod documents;
mod engines;
mod entry;
mod export;
mod faults;
mod fixtures;
mod fuzz;
mod help;
mod jobs;
mod lessons;
#[cfg(unix)]
mod limits;
mod loops;
mod own_dice;
mod own_index;
mod place;
mod schemas;
mod screens;
mod searches;
mod second;
mod serve;
mod shell;
#[cfg(unix)]
mod soak;
mod stage;
mod tables;
mod techniques;
mod terminal;
mod trust;
