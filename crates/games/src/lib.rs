//! The rules of the games, one module per rule set. Rules know nothing of solvers, tables or interfaces.

pub mod chess;
pub mod einstein;
pub mod hypergammon;
pub mod mnk;
pub mod morris;
pub mod nim;
pub mod pig;
mod spec;

pub use spec::Spec;
