//! One binary for all tests of the crate: each links everything below.

mod connect4;
mod crash;
mod matches;
mod tuning;
