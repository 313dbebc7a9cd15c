//! One binary for all tests of the crate: each links everything below.

mod agree;
mod bounds;
mod budget;
mod chance;
mod chess;
mod detours;
mod forged;
mod hypergammon;
mod literature;
mod loops;
mod morris;
mod spread;
