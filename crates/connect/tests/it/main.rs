//! One binary for all tests of the crate: each links everything below.

mod book;
mod crash;
mod minimax;
mod oracles;
