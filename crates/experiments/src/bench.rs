//! What an experiment may use: games by name, with exact knowledge, and solvers by name.

use outplay_answer::{Method, Place, QueryOptions, SolveRequest, Trouble};
use outplay_catalog::Catalog;
use outplay_core::{InputError, Native, Value, Watch};
use outplay_games::mnk::Mnk;
use outplay_players::Kit;
use std::time::Instant;

/// What an experiment may use.
pub(crate) struct Bench<'a> {
    /// Games by name.
    pub(crate) catalog: &'a Catalog,
    /// What exact knowledge may use.
    pub(crate) options: &'a QueryOptions,
    /// Who watches.
    pub(crate) watch: &'a dyn Watch,
    /// What chance follows from.
    pub(crate) seed: u64,
    /// Take as long as the paper's setting needs, not only as long as somebody who is curious waits.
    pub(crate) full: bool,
    /// How many games, trials or positions, where the experiment's own number should not do.
    pub(crate) games: Option<u32>,
    /// How often what is timed or sampled is repeated, where the experiment's own number should not do.
    pub(crate) runs: Option<u32>,
}

/// Tables of all positions of a board, and what they took.
pub(crate) struct Tables {
    /// The value of the start for the player to move.
    pub(crate) value: Option<Value>,
    /// Time on the wall, in seconds.
    pub(crate) seconds: f64,
    /// Positions that were solved.
    pub(crate) positions: Option<u64>,
    /// The most memory that the tables took, in bytes.
    pub(crate) bytes: Option<u64>,
}

impl Bench<'_> {
    /// Gives up if somebody asked to.
    ///
    /// # Errors
    ///
    /// A stop.
    pub(crate) fn go_on(&self) -> Result<(), Trouble> {
        if self.watch.stopped() { Err(Trouble::stopped()) } else { Ok(()) }
    }

    /// Seeds of so many runs unless told otherwise, the first of them the one that was asked for.
    pub(crate) fn seeds(&self, runs: u32) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        (0..u64::from(self.runs.unwrap_or(runs).max(1))).map(move |run| first.wrapping_add(run))
    }

    /// How many runs there are, and from which seeds, as a sentence says it.
    pub(crate) fn told_seeds(&self, runs: u32) -> String {
        match self.runs.unwrap_or(runs).max(1) {
            1 => format!("seed {}", self.seed),
            runs => {
                format!("{runs} runs, seeds {} to {}", self.seed, self.seed.wrapping_add(u64::from(runs) - 1))
            }
        }
    }

    /// A game with all that players can use. Exact knowledge keeps to one thread and to what it finds in this run.
    ///
    /// # Errors
    ///
    /// Bad input.
    pub(crate) fn kit(&self, spec: &str) -> Result<Kit, Trouble> {
        Ok(self.catalog.open(spec)?.kit(&self.options.on_threads(1).impartial()))
    }

    /// The same for a board of up to 64 bits, and the board with its own types for who searches it directly.
    ///
    /// # Errors
    ///
    /// Bad input, or a larger board.
    pub(crate) fn board(&self, spec: &str) -> Result<(Native<Mnk<u64>>, Kit), Trouble> {
        let kit = self.kit(spec)?;
        let larger = || InputError::spec(spec, "this experiment is for boards of up to 64 cells");
        let game: &Mnk<u64> = kit.game.get().ok_or_else(larger)?;
        Ok((Native::new(game.clone()).lines(), kit))
    }

    /// Solves every position of a board over bit-planes and counts them.
    ///
    /// # Errors
    ///
    /// Bad input or a stop.
    pub(crate) fn tables(&self, spec: &str) -> Result<Tables, Trouble> {
        let entry = self.catalog.open(spec)?;
        let mut request = SolveRequest::default();
        request.method = Method::Dense;
        request.options = self.options.impartial();
        // What is timed is the solver: nothing is looked up, and nothing cuts it short.
        (request.options.data, request.options.time) = (None, None);
        let began = Instant::now();
        let answer = entry.solve(&request, self.watch)?;
        let seconds = began.elapsed().as_secs_f64();
        let options = outplay_dense::Options {
            threads: request.options.threads,
            memory: Some(request.options.memory),
            ..outplay_dense::Options::distance().with_counts()
        };
        let plan = outplay_dense::plan(&entry.board(&Place::Start)?, &options, false);
        Ok(Tables {
            value: answer.answer.value(),
            seconds,
            positions: answer.positions.map(|counts| counts.legal),
            bytes: plan.ok().map(|plan| plan.peak_bytes),
        })
    }
}
