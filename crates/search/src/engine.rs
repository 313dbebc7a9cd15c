//! Iterative deepening with Lazy SMP (Homan 2013, Østensen 2016), for every game.
//!
//! ```text
//! SearchEngine ── options, evaluation, table, probe          kept between searches
//!   └─ search(pos, limits, monitor) ── depth 1, 2, 3 … ── SearchResult
//!        └─ Lazy SMP helpers: the same search, root moves rotated, one table
//! ```
//!
//! Depending on the options, the engine uses the plain search (`bare`) or the one with a table (`full`). It deepens
//! until the value is proven or a limit is reached, and extends a proven principal variation to the end of the game.
//! Helper threads differ in the order of the root moves and in the first depth; they communicate through the
//! transposition table only.
//!
//! Invariant: an answer is called exact only if the search carried the proof up to the root.

use crate::bare::BareSearch;
use crate::cache::EvaluationCache;
use crate::clock::{Clock, NodeBudget, StopReason};
use crate::full::{FullSearch, SearchContext};
use crate::report::{RatedMove, SearchResult, SearchValue, settled};
use crate::score::{HIGH, LOW, MOST_PAYOFF, Scale, SearchScore};
use crate::stack::{MOST_PLIES, SHALLOW, with_helpers};
use crate::table::{GameKeys, Keys, PositionHash, TranspositionTable};
use crate::{Counters, Evaluate, Limit, SearchError, SearchLimits, SearchMethod, SearchOptions, Zero};
use outplay_core::{Game, HashKeys, Probe, Turn, Value};
use outplay_runtime::Monitor;
use std::marker::PhantomData;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// Alpha-beta search engine for one game, with a transposition table that persists between searches.
///
/// # Examples
///
/// ```
/// use outplay_core::{Game, Value};
/// use outplay_runtime::NoMonitor;
/// use outplay_games::mnk::{Mnk, Rules};
/// use outplay_search::{SearchEngine, SearchLimits, SearchOptions, SearchValue};
///
/// let game: Mnk<u64> = Mnk::new(Rules::parse("mnk:4x3,k=3").unwrap()).unwrap();
/// let start = game.start().unwrap();
/// let mut engine = SearchEngine::new(&game, SearchOptions::default());
/// let report = engine.search(&start, SearchLimits::NONE, &NoMonitor).unwrap();
/// assert_eq!(report.answer, SearchValue::Exact(Value::win(7)));
/// assert_eq!(report.line.len(), 7);
/// ```
pub struct SearchEngine<'a, G: Game, E = Zero, K = PositionHash> {
    game: &'a G,
    evaluate: E,
    options: SearchOptions,
    // Both are allocated by the first search, so creating an engine is cheap.
    table: Option<TranspositionTable<G>>,
    cache: Option<EvaluationCache<G>>,
    probe: Option<&'a dyn Probe<G>>,
    keys: PhantomData<K>,
}

/// Memory of a [`SearchEngine`] (transposition table and evaluation cache), which outlives the engine's borrow of the
/// game.
pub struct EngineMemory<G: Game> {
    table: Option<TranspositionTable<G>>,
    cache: Option<EvaluationCache<G>>,
}

impl<G: Game> EngineMemory<G> {
    /// Allocates the table and the cache that an engine with these options would allocate at its first search.
    pub fn new(options: &SearchOptions) -> EngineMemory<G> {
        EngineMemory {
            table: (options.table > 0).then(|| TranspositionTable::new(options.table)),
            cache: (options.cache > 0).then(|| EvaluationCache::new(options.cache)),
        }
    }

    /// Removes all entries but keeps the memory.
    pub fn clear(&mut self) {
        if let Some(table) = &mut self.table {
            table.clear();
        }
        self.cache = None;
    }

    /// Upper bound of the table's bytes, without heap data of positions.
    pub fn bytes(&self) -> usize {
        self.table.as_ref().map_or(0, |table| table.entries() * TranspositionTable::<G>::ENTRY_BYTES)
    }
}

impl<'a, G: Game> SearchEngine<'a, G> {
    /// Creates an engine with the evaluation [`Zero`].
    pub fn new(game: &'a G, options: SearchOptions) -> SearchEngine<'a, G> {
        SearchEngine {
            game,
            evaluate: Zero,
            options,
            table: None,
            cache: None,
            probe: None,
            keys: PhantomData,
        }
    }

    /// Bytes per entry of the transposition table, without heap data of positions.
    pub fn entry_bytes() -> usize {
        TranspositionTable::<G>::ENTRY_BYTES
    }
}

impl<'a, G: Game, E: Evaluate<G>, K: Keys<G>> SearchEngine<'a, G, E, K> {
    /// Replaces the evaluation function; drops table and cache.
    pub fn evaluate<F: Evaluate<G>>(self, evaluate: F) -> SearchEngine<'a, G, F, K> {
        let SearchEngine { game, options, probe, .. } = self;
        SearchEngine { game, evaluate, options, table: None, cache: None, probe, keys: PhantomData }
    }

    /// Uses the game's own keys, [`HashKeys::key`], instead of hashing positions; drops table and cache.
    pub fn own_keys(self) -> SearchEngine<'a, G, E, GameKeys>
    where
        G: HashKeys,
    {
        let SearchEngine { game, evaluate, options, probe, .. } = self;
        SearchEngine { game, evaluate, options, table: None, cache: None, probe, keys: PhantomData }
    }

    /// Probes `probe` for every position but the root.
    pub fn probe(mut self, probe: &'a dyn Probe<G>) -> Self {
        self.probe = Some(probe);
        self
    }

    /// Restores the memory of an engine with the same options and evaluation.
    pub fn resume(mut self, kept: EngineMemory<G>) -> Self {
        (self.table, self.cache) = (kept.table, kept.cache);
        self
    }

    /// Ends the engine and returns its memory.
    pub fn keep(self) -> EngineMemory<G> {
        EngineMemory { table: self.table, cache: self.cache }
    }

    /// Returns the search options.
    pub fn options(&self) -> &SearchOptions {
        &self.options
    }

    /// Searches a position until its value is proven or a limit is hit.
    ///
    /// # Errors
    ///
    /// Games with chance, payoffs that are too large, a damaged table behind the probe, a fault of the rules.
    /// Hitting a limit or being stopped is not an error.
    pub fn search(
        &mut self,
        pos: &G::Position,
        limits: SearchLimits,
        monitor: &dyn Monitor,
    ) -> Result<SearchResult<G::Move>, SearchError> {
        let begin = Instant::now();
        let best = self.game.best_payoff();
        if !(0..=MOST_PAYOFF).contains(&best) {
            return Err(SearchError::Payoff(best));
        }
        if self.game.turn(pos) == Turn::Chance {
            return Err(SearchError::Chance);
        }
        if let Some(payoff) = self.game.outcome(pos) {
            let value = Value::new(self.game.turn(pos).sees(payoff), 0);
            let counts = Counters { nodes: 1, static_evaluations: 1, ..Counters::default() };
            return Ok(SearchResult {
                answer: SearchValue::Exact(value),
                best: None,
                line: Vec::new(),
                depth: 0,
                limit: None,
                counts,
                seconds: begin.elapsed().as_secs_f64(),
            });
        }
        if self.options.table > 0 {
            self.table.get_or_insert_with(|| TranspositionTable::new(self.options.table)).grow_older();
        }
        if self.options.cache > 0 {
            self.cache.get_or_insert_with(|| EvaluationCache::new(self.options.cache));
        }
        let fault = || self.game.fault();
        let budget = NodeBudget::new(&limits, monitor, &fault);
        let common = SearchContext {
            game: self.game,
            evaluate: &self.evaluate,
            options: self.options,
            scale: Scale::new(self.options.distance, self.options.best_payoff.then_some(best)),
            table: self.table.as_ref(),
            cache: self.cache.as_ref(),
            probe: self.probe,
        };
        let plies = limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES);
        let (reached, mut counts) = run::<G, E, K>(&common, &budget, pos, plies);
        counts.distinct_keys = self.cache.as_ref().map_or(0, EvaluationCache::keys);
        let stop = budget.why();
        if let Some(StopReason::Error(error)) = stop {
            return Err(error);
        }
        let answer = SearchValue::new(reached.found, reached.depth, best, self.options.distance);
        let limit = match (answer, stop) {
            (SearchValue::Exact(_) | SearchValue::Payoff(_), _) => None,
            (_, Some(StopReason::Limit(limit))) => Some(limit),
            _ => Some(Limit::Depth),
        };
        Ok(SearchResult {
            answer,
            best: reached.line.first().copied(),
            line: reached.line,
            depth: reached.depth,
            limit,
            counts,
            seconds: begin.elapsed().as_secs_f64(),
        })
    }
}

impl<G: Game, E: Evaluate<G>, K: Keys<G>> SearchEngine<'_, G, E, K> {
    /// Evaluates every legal move, in the order of the rules; returns none if the game is over.
    ///
    /// The remaining nodes and time are divided evenly among the remaining moves; the depth is one ply less.
    ///
    /// # Errors
    ///
    /// As for [`SearchEngine::search`].
    pub fn each_move(
        &mut self,
        pos: &G::Position,
        limits: SearchLimits,
        monitor: &dyn Monitor,
    ) -> Result<Vec<RatedMove<G::Move>>, SearchError> {
        let turn = self.game.turn(pos);
        if turn == Turn::Chance {
            return Err(SearchError::Chance);
        }
        let begin = Instant::now();
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut judged: Vec<RatedMove<G::Move>> = Vec::new();
        let mut nodes = 0;
        for (i, &mv) in moves.iter().enumerate() {
            let share = (moves.len() - i) as u32;
            let limits = SearchLimits {
                depth: limits.depth.map(|plies| plies.saturating_sub(1)),
                nodes: limits.nodes.map(|most| most.saturating_sub(nodes) / u64::from(share)),
                time: limits.time.map(|time| time.saturating_sub(begin.elapsed()) / share),
            };
            // Out of time: the remaining moves, which can be many, are not searched.
            if monitor.stopped() || limits.time.is_some_and(|time| time.is_zero()) {
                judged.push(self.unjudged(mv));
                continue;
            }
            let next = self.game.play(pos, mv);
            let report = self.search(&next, limits, monitor)?;
            nodes += report.counts.nodes;
            let answer = report.answer.before(self.game.turn(&next) == turn);
            judged.push(RatedMove { mv, answer, report });
        }
        Ok(judged)
    }

    /// The result for a move that was not searched.
    fn unjudged(&self, mv: G::Move) -> RatedMove<G::Move> {
        let answer = SearchValue::new(None, 0, self.game.best_payoff(), self.options.distance);
        let report = SearchResult {
            answer,
            best: None,
            line: Vec::new(),
            depth: 0,
            limit: Some(Limit::Time),
            counts: Counters::default(),
            seconds: 0.0,
        };
        RatedMove { mv, answer: answer.before(false), report }
    }
}

/// The result of iterative deepening on one thread.
struct DeepeningResult<G: Game> {
    found: Option<SearchScore>,
    depth: u32,
    line: Vec<G::Move>,
}

impl<G: Game> DeepeningResult<G> {
    fn is_exact(&self) -> bool {
        self.found.is_some_and(|found| found.proof == LOW | HIGH)
    }
}

/// One thread's search, bare or full.
trait Worker<G: Game> {
    /// Returns the score for the player to move; once stopped, that of the moves searched so far.
    fn root(&mut self, pos: &G::Position, depth: u32) -> SearchScore;
    fn line(&self) -> &[G::Move];
    fn clock(&self) -> &Clock<'_>;
    fn counts(&self) -> Counters;
    /// Sets the move to try first at the root.
    fn prefer(&mut self, mv: Option<G::Move>);
}

/// Adapter that runs a bare search as a worker.
struct BareWorker<'a, G: Game, E> {
    bare: BareSearch<'a, G, E>,
    game: &'a G,
    prune: bool,
}

impl<G: Game, E: Evaluate<G>> Worker<G> for BareWorker<'_, G, E> {
    fn root(&mut self, pos: &G::Position, depth: u32) -> SearchScore {
        let first = self.bare.root(pos, depth, self.prune);
        first.seen(self.game.turn(pos) == Turn::First)
    }
    fn line(&self) -> &[G::Move] {
        self.bare.line()
    }
    fn clock(&self) -> &Clock<'_> {
        &self.bare.clock
    }
    fn counts(&self) -> Counters {
        self.bare.counts()
    }
    fn prefer(&mut self, _mv: Option<G::Move>) {}
}

impl<G: Game, E: Evaluate<G>, K: Keys<G>> Worker<G> for FullSearch<'_, G, E, K> {
    fn root(&mut self, pos: &G::Position, depth: u32) -> SearchScore {
        FullSearch::root(self, pos, depth)
    }
    fn line(&self) -> &[G::Move] {
        &self.lines[0]
    }
    fn clock(&self) -> &Clock<'_> {
        &self.clock
    }
    fn counts(&self) -> Counters {
        Counters { nodes: self.clock.nodes(), ..self.counts }
    }
    fn prefer(&mut self, mv: Option<G::Move>) {
        self.first = mv;
    }
}

/// Runs the main thread and its helpers (Lazy SMP), with enough stack for the depth.
fn run<G: Game, E: Evaluate<G>, K: Keys<G>>(
    common: &SearchContext<'_, G, E>,
    budget: &NodeBudget<'_>,
    pos: &G::Position,
    plies: u32,
) -> (DeepeningResult<G>, Counters) {
    let options = &common.options;
    let helpers = if options.table > 0 { options.threads.saturating_sub(1) } else { 0 };
    let lead = || -> (DeepeningResult<G>, Counters) {
        if options.is_bare() && common.probe.is_none() {
            let prune = options.method != SearchMethod::Minimax;
            let bare = BareSearch::new(common.game, common.evaluate, common.scale, Clock::new(budget));
            let mut worker = BareWorker { bare, game: common.game, prune };
            (prove(&mut worker, common.game, options, pos, plies, 1), worker.counts())
        } else {
            let mut worker: FullSearch<'_, G, E, K> = FullSearch::new(common, Clock::new(budget), 0);
            (prove(&mut worker, common.game, options, pos, plies, 1), worker.counts())
        }
    };
    if helpers == 0 && plies <= SHALLOW {
        return lead();
    }
    // A helper that proves the value first ends the search on all threads.
    let proven: Mutex<Option<DeepeningResult<G>>> = Mutex::new(None);
    let helped = Mutex::new(Counters::default());
    let help = |number: usize| {
        let mut worker: FullSearch<'_, G, E, K> = FullSearch::new(common, Clock::new(budget), number);
        let reached = prove(&mut worker, common.game, options, pos, plies, 1 + number as u32 % 2);
        if reached.is_exact() {
            budget.close(StopReason::Done);
            // A poisoned lock only means that another helper panicked while it held a plain value.
            *proven.lock().unwrap_or_else(PoisonError::into_inner) = Some(reached);
        }
        *helped.lock().unwrap_or_else(PoisonError::into_inner) += worker.counts();
    };
    let mut found = None;
    with_helpers(helpers, &mut || found = Some(lead()), &|| budget.close(StopReason::Done), &help);
    let Some((mut reached, mut counts)) = found else { unreachable!("the lead ended or has panicked") };
    counts += helped.into_inner().unwrap_or_else(PoisonError::into_inner);
    if let Some(other) = proven.into_inner().unwrap_or_else(PoisonError::into_inner)
        && !reached.is_exact()
    {
        reached = other;
    }
    counts.distinct_keys = 0;
    (reached, counts)
}

/// Iterative deepening until the value is proven or a limit is hit.
fn deepen<G: Game, W: Worker<G>>(
    worker: &mut W,
    game: &G,
    options: &SearchOptions,
    pos: &G::Position,
    plies: u32,
    from: u32,
) -> DeepeningResult<G> {
    let mut reached = DeepeningResult { found: None, depth: 0, line: Vec::new() };
    let from = if options.deepening { from.min(plies) } else { plies };
    worker.prefer(None);
    for depth in from..=plies {
        worker.clock().budget.stage(&format!("searching to depth {depth}"));
        let found = worker.root(pos, depth);
        if worker.clock().stopped {
            // A partial result is better than none.
            if reached.found.is_none() && !worker.line().is_empty() {
                reached = DeepeningResult { found: Some(found), depth: 0, line: worker.line().to_vec() };
            }
            break;
        }
        let found = settled(found, depth, game.best_payoff(), options.distance);
        reached = DeepeningResult { found: Some(found), depth, line: worker.line().to_vec() };
        if reached.is_exact() {
            break;
        }
        worker.prefer(reached.line.first().copied());
    }
    reached
}

/// Runs iterative deepening, then extends a proven principal variation to the end of the game.
///
/// Table hits truncate the line, and so does a move that ties with the best one but is proven. Each step
/// searches the last position of the line again, which the filled table makes cheap; where it does not, the
/// line stays short.
fn prove<G: Game, W: Worker<G>>(
    worker: &mut W,
    game: &G,
    options: &SearchOptions,
    pos: &G::Position,
    plies: u32,
    from: u32,
) -> DeepeningResult<G> {
    let mut reached = deepen(worker, game, options, pos, plies, from);
    let most = 2 * worker.clock().nodes() + 10_000;
    let mut end = pos.clone();
    let mut walked = 0;
    while reached.is_exact() {
        for &mv in &reached.line[walked..] {
            end = game.play(&end, mv);
        }
        walked = reached.line.len();
        let left = plies.saturating_sub(walked as u32);
        if left == 0 || worker.clock().nodes() > most || game.outcome(&end).is_some() {
            break;
        }
        let further = deepen(worker, game, options, &end, left, 1);
        if !further.is_exact() || further.line.is_empty() {
            break;
        }
        reached.line.extend(further.line);
    }
    reached
}
