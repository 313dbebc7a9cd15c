//! Engine protocols in both roles: as a host, with external engines as players, and as an engine for other hosts.
//!
//! ```text
//!            as a host                                     as an engine
//!  engine_pool   idle engine processes           brain     chooses player and time for a move
//!  ugi_host, gomocup_host: one protocol each      ugi_engine, gomocup_engine: one command loop each
//!  child     engine process with line I/O: every wait has a timeout, every process is reaped
//! ```
//!
//! There are two protocols: UGI, the universal game interface (UCI for any game, with `query`), and the Gomocup
//! protocol, for five in a row. docs/engines.md lists the supported commands of each.
//!
//! Invariant: whatever an engine does (crash, silence, illegal moves, output floods), a host's call returns within its
//! timeout, reports the fault in a sentence, and leaves no process running.

mod brain;
mod child;
mod clock;
mod command;
mod engine_player;
mod engine_pool;
mod gomocup_engine;
mod gomocup_host;
mod history;
mod lines;
mod reader;
mod ugi_engine;
mod ugi_host;

pub use brain::{Brain, ChosenMove, Likely, MoveLimits};
pub use command::split;
pub use engine_pool::EnginePool;
pub use gomocup_engine::gomocup;
pub use reader::ReaderWatch;
pub use ugi_engine::ugi;
