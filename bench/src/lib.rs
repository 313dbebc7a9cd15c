//! Load, abuse and limit testers.
//!
//! Each tester starts the program under test, `outplay`, in processes of its own, so that its memory and processor time
//! can be measured apart from those of the tester. It knows that program only by its command line and its HTTP
//! interface; the library is used to choose random positions.
//!
//! ```text
//! module      what it does                                                          command
//! loadtest    HTTP: load, slow clients, malformed requests, response times          outplay-bench serve
//! limits      random commands: time and memory limits, interrupts, disconnects      outplay-bench limits
//! budgets     fixed commands on games too large for their time limit                outplay-bench budgets
//! ```

pub mod budgets;
pub mod limits;
pub mod loadtest;
mod process;
mod progress;

pub use progress::StageProgress;

use std::io;

/// The error of a tester that was interrupted.
fn interrupted() -> io::Error {
    io::Error::new(io::ErrorKind::Interrupted, "interrupted")
}
