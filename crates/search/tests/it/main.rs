//! One binary for all tests of the crate: each links everything below.

mod agree;
mod budget;
mod common;
mod counts;
mod dice;
mod playout;
mod tree;
