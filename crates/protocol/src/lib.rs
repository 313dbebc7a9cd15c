//! Engines by protocol: programs that play here, and this program playing elsewhere.
//!
//! ```text
//!            as a host                                     as an engine
//!  stable    programs that run, between games    brain     who thinks, for how long
//!  ugi_host, gomocup_host: a Player each         ugi_engine, gomocup_engine: a loop over lines each
//!  child     a program and its lines: never waited for without an end, never left behind
//! ```
//!
//! Two protocols: UGI, the universal game interface (UCI without chess, with `query`), for every game; and that of Gomocup,
//! for five in a row. docs/engines.md says what is understood of each.
//!
//! Invariant: whatever a program does (crash, silence, lies, floods), a host's call returns, says in a sentence what was
//! wrong, and leaves no process behind.

mod brain;
mod child;
mod clock;
mod command;
mod gomocup_engine;
mod gomocup_host;
mod history;
mod lines;
mod stable;
mod ugi_engine;
mod ugi_host;

pub use brain::{Brain, Budget, Likely};
pub use command::split;
pub use gomocup_engine::gomocup;
pub use stable::Stable;
pub use ugi_engine::ugi;
