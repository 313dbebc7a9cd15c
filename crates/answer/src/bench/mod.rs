//! How fast the solvers and searches are: the figures behind `bench`.

mod classic;
mod dice;
mod engine;
mod searches;

pub use classic::{ClassicReport, ClassicRow};
