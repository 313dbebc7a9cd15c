//! One binary for all tests of the crate, because every binary links all dependencies.

mod agree;
mod bounds;
mod budget;
mod chance;
mod chess;
mod detours;
mod forged;
mod hypergammon;
mod index_laws;
mod literature;
mod loops;
mod morris;
mod spread;
