//! Distributed solving over MPI: an implementation of `outplay_runtime::Communicator`, and the program `outplay-mpi`.
//!
//! Everything is behind the feature `mpi`, so that the workspace builds where no MPI is installed.

#[cfg(feature = "mpi")]
mod post;
#[cfg(feature = "mpi")]
mod run;

#[cfg(feature = "mpi")]
pub use run::{main, main_in};
