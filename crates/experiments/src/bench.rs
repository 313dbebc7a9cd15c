//! Context of an experiment: the catalog of games, limits, seed and numbers of trials, and access to players, solvers
//! and exact values.

use crate::design::Streams;
use outplay_arena::matches::{self, MatchReport, MatchRequest};
use outplay_arena::record::GameRecord;
use outplay_catalog::Catalog;
use outplay_core::{Game, InputError, Native, Value};
use outplay_games::mnk::Mnk;
use outplay_players::PlayerContext;
use outplay_runtime::Monitor;
use outplay_workbench::{Method, PositionRef, Session, SolveRequest, Trouble};
use std::time::Instant;

/// The context of an experiment.
pub(crate) struct Bench<'a> {
    /// Games by name.
    pub(crate) catalog: &'a Catalog,
    /// Limits and caches of exact values.
    pub(crate) session: &'a Session,
    /// Progress and cancellation.
    pub(crate) watch: &'a dyn Monitor,
    /// Random seed.
    pub(crate) seed: u64,
    /// Run the paper's full setting instead of a quick one.
    pub(crate) full: bool,
    /// Number of games, trials or positions, instead of the experiment's default.
    pub(crate) games: Option<u32>,
    /// Number of repetitions of timed or sampled figures, instead of the experiment's default.
    pub(crate) runs: Option<u32>,
}

/// A full solve of a board, and its cost.
pub(crate) struct Tables {
    /// The value of the start for the player to move.
    pub(crate) value: Option<Value>,
    /// Wall time in seconds.
    pub(crate) seconds: f64,
    /// Positions solved.
    pub(crate) positions: Option<u64>,
    /// Peak memory of the tables, in bytes.
    pub(crate) bytes: Option<u64>,
}

impl Bench<'_> {
    /// Checks for cancellation.
    ///
    /// # Errors
    ///
    /// A stop.
    pub(crate) fn check_cancelled(&self) -> Result<(), Trouble> {
        if self.watch.stopped() { Err(Trouble::stopped()) } else { Ok(()) }
    }

    /// The seeds of `runs` runs (or of the requested number), starting with the requested seed.
    pub(crate) fn seeds(&self, runs: u32) -> impl Iterator<Item = u64> + use<> {
        let first = self.seed;
        (0..u64::from(self.runs.unwrap_or(runs).max(1))).map(move |run| first.wrapping_add(run))
    }

    /// The random streams of numbered parts, such as games, of all runs.
    pub(crate) fn streams(&self, runs: u32, parts: u32) -> impl Iterator<Item = Streams> + use<> {
        let part = |run: u64, number: u32| Streams::new(run).part(number.into());
        self.seeds(runs).flat_map(move |run| (0..parts).map(move |number| part(run, number)))
    }

    /// The number of runs and their seeds, as a phrase.
    pub(crate) fn seeds_phrase(&self, runs: u32) -> String {
        match self.runs.unwrap_or(runs).max(1) {
            1 => format!("seed {}", self.seed),
            runs => {
                format!("{runs} runs, seeds {} to {}", self.seed, self.seed.wrapping_add(u64::from(runs) - 1))
            }
        }
    }

    /// A game with the context of its players. The exact oracle uses one thread and no stored results.
    ///
    /// # Errors
    ///
    /// Bad input.
    pub(crate) fn kit(&self, spec: &str) -> Result<PlayerContext, Trouble> {
        Ok(outplay_workbench::kit(&self.session.on_threads(1).impartial(), &self.catalog.open(spec)?))
    }

    /// The same for a board of up to 64 bits, with the typed board for direct searches.
    ///
    /// # Errors
    ///
    /// Bad input, or a larger board.
    pub(crate) fn board(&self, spec: &str) -> Result<(Native<Mnk<u64>>, PlayerContext), Trouble> {
        let kit = self.kit(spec)?;
        let larger = || InputError::spec(spec, "this experiment is for boards of up to 64 cells");
        let game: &Mnk<u64> = kit.game.get().ok_or_else(larger)?;
        Ok((Native::new(game.clone()).lines(), kit))
    }

    /// Plays a match between two players from the start of a game; returns its report and its games.
    ///
    /// # Errors
    ///
    /// Bad input or a stop.
    pub(crate) fn contest(
        &self,
        kit: &PlayerContext,
        players: [&str; 2],
        games: u64,
        openings: Option<u32>,
        seed: u64,
    ) -> Result<(MatchReport, Vec<GameRecord>), Trouble> {
        let mut request = MatchRequest::default();
        request.players = players.map(String::from).to_vec();
        (request.games, request.openings) = (games, openings);
        (request.seed, request.concurrency) = (seed, self.session.threads);
        let start = kit.game.start().ok_or_else(Trouble::stopped)?;
        let played = matches::play(kit, &start, None, &request, self.watch)?;
        self.check_cancelled()?;
        Ok(played)
    }

    /// Solves every position of a board by bit-planes and counts them.
    ///
    /// # Errors
    ///
    /// Bad input or a stop.
    pub(crate) fn tables(&self, spec: &str) -> Result<Tables, Trouble> {
        let entry = self.catalog.open(spec)?;
        let mut request = SolveRequest::default();
        request.method = Method::Dense;
        // The solver is timed: no stored results, and no time limit.
        let session = self.session.off_disk().impartial().with(|session| session.time = None);
        let began = Instant::now();
        let answer = outplay_workbench::solve(&session, &entry, &request, self.watch)?;
        let seconds = began.elapsed().as_secs_f64();
        let options = outplay_bitplane::BitplaneOptions {
            threads: session.threads,
            memory: Some(session.memory),
            ..outplay_bitplane::BitplaneOptions::distance().with_counts()
        };
        let plan =
            outplay_bitplane::plan(&outplay_workbench::board(&entry, &PositionRef::Start)?, &options, false);
        Ok(Tables {
            value: answer.answer.value(),
            seconds,
            positions: answer.positions.map(|counts| counts.legal),
            bytes: plan.ok().map(|plan| plan.peak_bytes),
        })
    }
}
