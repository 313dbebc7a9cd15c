//! How fast the searches are: the figures behind `bench positions` and `bench search`.

use crate::Trouble;
use crate::answers::{PositionsReport, SearchReport};
use crate::entry::Entry;
use crate::handle::{Place, SolveRequest};
use crate::searching::ENTRY;
use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{Game, InputError, Notation, Watch};
use outplay_search::{Engine, Method, Options, PlayoutOptions, playouts};
use outplay_solve::SolveError;
use std::time::Instant;

impl<G: Game + Notation> Entry<G> {
    pub(crate) fn time_positions(
        &self,
        lines: &str,
        request: &SolveRequest,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<PositionsReport, Trouble> {
        let mut solver = Solver::new((request.hash / ENTRY) as usize);
        let lines: Vec<&str> =
            lines.lines().map(str::trim).filter(|line| !line.is_empty()).take(limit).collect();
        watch.stage("solving positions", lines.len() as u64);
        let (mut n, mut wrong, mut nodes, mut seconds) = (0u64, 0u64, 0u64, 0.0);
        for line in lines {
            let (moves, score) = line.rsplit_once(char::is_whitespace).unwrap_or((line, ""));
            let bad = || InputError::position(line, "each line is a list of moves, a space and a score");
            let score: i32 = score.parse().map_err(|_| bad())?;
            let pos = self.locate(&Place::Moves(moves.to_string()))?;
            let Some(to_board) = self.board else {
                return Err(Trouble::Unable(
                    "scores are for boards of falling stones, such as connect4".into(),
                ));
            };
            let board = to_board(&self.game, &pos);
            outplay_connect::check(&board)?;
            // An empty table for each position; emptying it is not counted.
            solver.prepare(&board)?;
            solver.clear();
            let began = Instant::now();
            let answer = solver.solve(&board, Depth::Score, Limits::default(), watch, request.threads)?;
            seconds += began.elapsed().as_secs_f64();
            if answer.stopped {
                return Err(SolveError::Stopped.into());
            }
            nodes += answer.nodes;
            n += 1;
            wrong += u64::from(answer.score() != Some(score));
            watch.advance(1);
        }
        let mean = |sum: f64| if n == 0 { 0.0 } else { sum / n as f64 };
        Ok(PositionsReport {
            game: self.game.spec(),
            n,
            wrong,
            mean_nodes: mean(nodes as f64),
            mean_ms: mean(seconds * 1e3),
            nodes_per_second: if seconds > 0.0 { nodes as f64 / seconds } else { 0.0 },
        })
    }

    pub(crate) fn time_search(&self, depth: u32, watch: &dyn Watch) -> Result<SearchReport, Trouble> {
        /// Runs of which the median counts.
        const RUNS: usize = 5;
        const GAMES: u64 = 300_000;
        let start = self.start()?;
        let median = |mut rates: Vec<f64>| {
            rates.sort_by(f64::total_cmp);
            rates[rates.len() / 2]
        };
        let mut nodes = 0;
        let mut rates = Vec::new();
        for _ in 0..RUNS {
            let mut engine = Engine::new(&self.game, Options::bare(Method::AlphaBeta));
            let began = Instant::now();
            let report = engine.search(&start, outplay_search::Limits::depth(depth), watch)?;
            nodes = report.counts.nodes;
            rates.push(nodes as f64 / began.elapsed().as_secs_f64());
        }
        let nodes_per_second = median(rates);
        let mut rates = Vec::new();
        for _ in 0..RUNS {
            let began = Instant::now();
            let played = playouts(&self.game, &start, PlayoutOptions::games(GAMES), watch)?;
            rates.push(played.games() as f64 / began.elapsed().as_secs_f64());
        }
        if watch.stopped() {
            return Err(SolveError::Stopped.into());
        }
        let playouts_per_second = median(rates);
        Ok(SearchReport { game: self.game.spec(), depth, nodes, nodes_per_second, playouts_per_second })
    }
}
