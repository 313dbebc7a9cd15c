//! One binary for all tests of the crate: each links everything below.

mod common;
mod crash;
mod damage;
mod disk;
mod format;
mod kill;
mod round_trip;
mod together;
