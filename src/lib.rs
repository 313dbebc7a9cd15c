//! **outplay**: solve it, prove it, play it. A workbench for two-player zero-sum games of perfect
//! information.
//!
//! This crate gathers the layers under one name; ARCHITECTURE.md draws the map. To solve a game of your own,
//! implement [`core::Game`] and [`core::Notation`], add it to a [`catalog::Catalog`] and hand that to
//! [`cli::main`]: the whole command line then works for it. `examples/countdown.rs` is such a game.

pub use outplay_catalog as catalog;
#[cfg(feature = "cli")]
pub use outplay_cli as cli;
pub use outplay_connect as connect;
pub use outplay_core as core;
pub use outplay_dense as dense;
pub use outplay_games as games;
pub use outplay_index as index;
pub use outplay_proof as proof;
pub use outplay_search as search;
pub use outplay_solve as solve;
pub use outplay_table as table;
