//! The arena as commands see it: matches, tuning, and experiments by name.

use crate::classic::ClassicReport;
use crate::entry::Entry;
use crate::handle::{Method, Place, SolveRequest};
use crate::{Catalog, QueryOptions, Trouble, boards};
use outplay_arena::ArenaError;
use outplay_arena::experiments::{self, Bench, Findings, Lab, Timed};
use outplay_arena::matches::{self, MatchReport, MatchRequest};
use outplay_arena::tune::{self, TuneReport, TuneRequest};
use outplay_core::{Game, InputError, Notation, Value, Watch};
use outplay_games::Spec;
use outplay_games::mnk::{Mnk, MnkIndex, Rules};
use outplay_players::Kit;
use outplay_table::Values;
use std::time::Instant;

/// What an experiment may use.
#[derive(Clone, Debug)]
pub struct ExperimentRequest {
    /// Which one.
    pub name: String,
    /// What chance follows from.
    pub seed: u64,
    /// Take as long as the paper's setting needs.
    pub full: bool,
    /// How many games, trials or positions, where the experiment's own number should not do.
    pub games: Option<u32>,
    /// What exact knowledge may use.
    pub options: QueryOptions,
}

/// The experiments with a line about each.
pub fn experiments() -> Vec<(&'static str, &'static str)> {
    experiments::ALL.iter().map(|experiment| (experiment.name, experiment.about)).collect()
}

impl Catalog {
    /// Runs an experiment of a paper again.
    ///
    /// # Errors
    ///
    /// An unknown name, or a stop.
    pub fn experiment(&self, request: &ExperimentRequest, watch: &dyn Watch) -> Result<Findings, Trouble> {
        let experiment = experiments::find(&request.name)?;
        let workshop = Workshop { catalog: self, options: &request.options };
        let bench = Bench {
            lab: &workshop,
            watch,
            seed: request.seed,
            threads: request.options.threads,
            full: request.full,
            games: request.games,
            data: request.options.data.clone(),
        };
        Ok((experiment.run)(&bench)?)
    }
}

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn play_match(
        &self,
        place: &Place,
        request: &MatchRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<MatchReport, Trouble> {
        let start = self.locate(place)?;
        let position = (*place != Place::Start).then(|| self.game.write_position(&start));
        // Games run side by side already, so exact knowledge keeps to one thread in each.
        let options = QueryOptions { threads: 1, ..options.clone() };
        let kit = self.kit_with(&options)?;
        Ok(matches::run(&kit, &start, position, request, watch)?)
    }

    pub(crate) fn tune_weights(
        &self,
        request: &TuneRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<TuneReport, Trouble> {
        let options = QueryOptions { threads: 1, ..options.clone() };
        Ok(tune::run(&self.kit_with(&options)?, request, watch)?)
    }
}

/// Games and solvers for experiments.
struct Workshop<'a> {
    catalog: &'a Catalog,
    options: &'a QueryOptions,
}

/// A trouble as the arena passes it on, and gets it back in [`Trouble::from`].
fn passed_on(trouble: Trouble) -> ArenaError {
    match trouble {
        trouble if trouble.is_stop() => ArenaError::Stopped,
        Trouble::Input(error) => ArenaError::Input(error),
        Trouble::Solve(error) => ArenaError::Solve(error),
        other => ArenaError::Unable(other.to_string()),
    }
}

impl Lab for Workshop<'_> {
    fn board(&self, spec: &str) -> Result<Kit<Mnk<u64>>, ArenaError> {
        let rules = Rules::from_spec(Spec::parse(spec)?)?;
        let game = Mnk::<u64>::new(rules)
            .ok_or_else(|| InputError::spec(spec, "experiments are for boards of up to 64 cells"))?;
        let entry = Entry::new(game).lines().indexed(MnkIndex::new);
        let options = QueryOptions { threads: 1, ..self.options.clone() };
        entry.kit_with(&options).map_err(passed_on)
    }

    fn classic(
        &self,
        spec: &str,
        trials: u32,
        seconds: f64,
        watch: &dyn Watch,
    ) -> Result<Vec<Timed>, ArenaError> {
        let handle = self.catalog.open(spec)?;
        let ClassicReport { rows, .. } = handle.classic(trials, seconds, watch).map_err(passed_on)?;
        let timed = |row: crate::ClassicRow| Timed {
            solver: row.solver.to_string(),
            value: None,
            seconds: row.mean,
            positions: None,
            bytes: None,
        };
        Ok(rows.into_iter().map(timed).collect())
    }

    fn table(&self, spec: &str, watch: &dyn Watch) -> Result<Timed, ArenaError> {
        let request = SolveRequest {
            place: Place::Start,
            method: Method::Dense,
            values: Values::Distance,
            counts: true,
            memory: self.options.memory,
            threads: self.options.threads,
            hash: self.options.hash,
            time: None,
            data: None,
            proof: None,
        };
        let handle = self.catalog.open(spec)?;
        let began = Instant::now();
        let answer = handle.solve(&request, watch).map_err(passed_on)?;
        let seconds = began.elapsed().as_secs_f64();
        let value = match answer.answer.value {
            "win" => Some(Value::untimed(1)),
            "loss" => Some(Value::untimed(-1)),
            "draw" => Some(Value::TIE),
            _ => None,
        };
        let positions = answer.positions.map(|counts| counts.legal);
        let board = handle.board(&Place::Start).map_err(passed_on)?;
        let options = boards::options(request.values, request.threads, request.memory, None);
        let bytes = outplay_dense::plan(&board, &options, false).ok().map(|plan| plan.peak_bytes);
        Ok(Timed { solver: "tables".into(), value, seconds: Some(seconds), positions, bytes })
    }
}
