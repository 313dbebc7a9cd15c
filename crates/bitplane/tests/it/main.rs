//! One binary for all tests of the crate: each links everything below.

mod budget;
mod minimax;
mod oracles;
mod slabs;
mod together;
