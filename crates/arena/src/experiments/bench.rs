//! What an experiment may use.

use crate::ArenaError;
use outplay_core::{Value, Watch};
use outplay_games::mnk::Mnk;
use outplay_players::Kit;
use std::path::PathBuf;

/// A solver's answer and what it took.
#[derive(Clone, Debug)]
pub struct Timed {
    /// Which solver.
    pub solver: String,
    /// The value of the start for the first player.
    pub value: Option<Value>,
    /// Mean time of a run on the wall, in seconds; `None` if it took too long.
    pub seconds: Option<f64>,
    /// Positions that it entered or stored.
    pub positions: Option<u64>,
    /// The most memory that its tables took, in bytes.
    pub bytes: Option<u64>,
}

/// What only the layers above the arena can make: games by name with exact knowledge, and solvers by name.
pub trait Lab: Sync {
    /// A board of up to 64 bits with all that players can use, exact knowledge included.
    ///
    /// # Errors
    ///
    /// Bad input, or a larger board.
    fn board(&self, spec: &str) -> Result<Kit<Mnk<u64>>, ArenaError>;

    /// Times the classic solvers on one thread, `trials` times each, giving up on one that takes longer than
    /// `seconds`.
    ///
    /// # Errors
    ///
    /// Bad input or a stop.
    fn classic(
        &self,
        spec: &str,
        trials: u32,
        seconds: f64,
        watch: &dyn Watch,
    ) -> Result<Vec<Timed>, ArenaError>;

    /// Solves every position of a board over bit-planes and counts them.
    ///
    /// # Errors
    ///
    /// Bad input or a stop.
    fn table(&self, spec: &str, watch: &dyn Watch) -> Result<Timed, ArenaError>;
}

/// What an experiment may use.
pub struct Bench<'a> {
    /// Games and solvers.
    pub lab: &'a dyn Lab,
    /// Who watches.
    pub watch: &'a dyn Watch,
    /// What chance follows from.
    pub seed: u64,
    /// Threads that may be used.
    pub threads: usize,
    /// Take as long as the paper's setting needs, not only as long as somebody who is curious waits.
    pub full: bool,
    /// How many games, trials or positions, where the experiment's own number should not do.
    pub games: Option<u32>,
    /// Where files may be kept from run to run.
    pub data: Option<PathBuf>,
}

impl Bench<'_> {
    /// Gives up if somebody asked to.
    ///
    /// # Errors
    ///
    /// [`ArenaError::Stopped`].
    pub fn go_on(&self) -> Result<(), ArenaError> {
        if self.watch.stopped() { Err(ArenaError::Stopped) } else { Ok(()) }
    }
}
