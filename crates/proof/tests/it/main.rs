//! One binary for all tests of the crate: each links everything below.

mod guided;
mod known_values;
mod mutations;
mod plain;
mod random_boards;
mod second;
