//! Type-erased solver kernels: each call runs a whole loop that is compiled for one game.
//!
//! ```text
//!  any game      ladder, solve, query, verify …  written for AnyGame, compiled once
//!  ──────────────────────────────────────────────────────────────────────────────────
//!  one game      Forward │ Cyclic │ Dice          monomorphised per game, split by kind of game,
//!                                                 so that inapplicable solvers are not compiled
//! ```
//!
//! | kind | kernels |
//! |---|---|
//! | `Forward` | minimax with and without memoisation, sweeps, alpha-beta; retrograde analysis if found cyclic |
//! | `Cyclic` | retrograde analysis over its index, alpha-beta that probes it |
//! | `Dice` | mean payoffs over an index or the explored positions, expectiminimax |

mod cycles;
mod dice;
mod sweeps;

pub(crate) use cycles::{Cycles, CyclicIndex, LoopValues};
pub(crate) use dice::{ExploredMeans, MeanFiles, Means, RollMeans};
pub(crate) use sweeps::{SweepIndex, Sweeps};

use crate::Trouble;
use outplay_core::index_laws::{Gaps, IndexLaws, may_stay};
use outplay_core::{
    AnyMove, AnyPosition, Breach, Chance, Game, Index, Native, Predecessors, Probe, ProbeError, Rolls, Tier,
    Value,
};
use outplay_runtime::Monitor;
use outplay_search::{
    DiceMethod, DiceReport, PlayoutOptions, Playouts, SearchEngine, SearchError, SearchLimits, SearchMethod,
    SearchOptions, SearchResult, Zero, expectimax, playouts,
};
use outplay_solve::{DepthFirstResult, ExploredGame, Memo, SolveError, Tally, looked_up, memo, plain};
use std::mem::size_of;
use std::ops::Range;
use std::sync::Arc;

/// Stored values by number.
pub(crate) type StoredValues<'a> = dyn Fn(Tier, u64) -> Result<Option<Value>, Trouble> + Sync + 'a;

/// A type-erased index of a game: its cheap operations.
pub(crate) trait Numbers: Send + Sync {
    fn tier_names(&self) -> Vec<String>;
    fn sizes(&self) -> Vec<u64>;
    fn position(&self, tier: Tier, number: u64) -> Option<AnyPosition>;
    /// Visits the positions of a range in order, without holes and unwanted numbers; faster than one by one.
    fn positions(
        &self,
        tier: Tier,
        range: Range<u64>,
        wanted: &dyn Fn(u64) -> bool,
        visit: &mut dyn FnMut(AnyPosition),
    );
    /// The version of the rules and of the numbering.
    fn rules(&self) -> u32;
    /// Whether the position has a number.
    fn has(&self, pos: &AnyPosition) -> bool;
    /// The number of a position that has one.
    fn at(&self, pos: &AnyPosition) -> (Tier, u64);
    /// The value of a position that has a number or whose successors have, given the values of numbered positions.
    fn look_up(&self, pos: &AnyPosition, stored: &StoredValues<'_>) -> Result<Option<Value>, Trouble>;
    /// The games whose tables store the tiers, where games share tiers.
    fn homes(&self) -> Vec<Option<String>>;
    /// Whether a tier belongs to the game's own counts.
    fn counts(&self, tier: Tier) -> bool;
    /// Whether the players share numbers: positions are stored as mover against opponent.
    fn has_one_side(&self) -> bool;
    /// Whether play can stay within a tier.
    fn has_loops(&self) -> bool;
    /// The index law that is broken at the start of the game, if any.
    fn start_breach(&self, gaps: Gaps) -> Option<Breach>;
    /// The index law that is broken at a number, if any.
    fn breach(&self, tier: Tier, number: u64, gaps: Gaps) -> Option<Breach>;
    /// The largest payoff of the game.
    fn best_payoff(&self) -> i32;

    /// All numbers together.
    fn total(&self) -> u128 {
        self.sizes().iter().map(|&size| u128::from(size)).sum()
    }
}

/// A game and an index of it.
pub(crate) struct IndexedGame<G: Game, I> {
    pub(crate) native: Native<G>,
    pub(crate) index: Arc<I>,
}

impl<G: Game, I: Index<G>> Numbers for IndexedGame<G, I> {
    fn tier_names(&self) -> Vec<String> {
        (0..self.index.tiers()).map(|t| self.index.tier_name(Tier(t))).collect()
    }
    fn sizes(&self) -> Vec<u64> {
        (0..self.index.tiers()).map(|t| self.index.len(Tier(t))).collect()
    }
    fn position(&self, tier: Tier, number: u64) -> Option<AnyPosition> {
        self.index.unrank(tier, number).map(|pos| self.native.any(pos))
    }
    fn positions(
        &self,
        tier: Tier,
        range: Range<u64>,
        wanted: &dyn Fn(u64) -> bool,
        visit: &mut dyn FnMut(AnyPosition),
    ) {
        self.index.walk(tier, range, &mut |number, pos| {
            if wanted(number) {
                visit(self.native.any(pos.clone()));
            }
        });
    }
    fn has(&self, pos: &AnyPosition) -> bool {
        self.index.holds(self.native.pos(pos))
    }
    fn at(&self, pos: &AnyPosition) -> (Tier, u64) {
        self.index.rank(self.native.pos(pos))
    }
    fn rules(&self) -> u32 {
        self.index.version()
    }
    fn look_up(&self, pos: &AnyPosition, stored: &StoredValues<'_>) -> Result<Option<Value>, Trouble> {
        looked_up(&self.native.game, &*self.index, self.native.pos(pos), &stored)
    }
    fn homes(&self) -> Vec<Option<String>> {
        (0..self.index.tiers()).map(|t| self.index.owner(Tier(t))).collect()
    }
    fn counts(&self, tier: Tier) -> bool {
        self.index.counted(tier)
    }
    fn has_one_side(&self) -> bool {
        self.index.merged()
    }
    fn has_loops(&self) -> bool {
        (0..self.index.tiers()).any(|t| may_stay(&*self.index, Tier(t)))
    }
    fn start_breach(&self, gaps: Gaps) -> Option<Breach> {
        let start = self.native.game.start()?;
        IndexLaws::check_start(&self.native.game, &*self.index, &start, gaps).err()
    }
    fn breach(&self, tier: Tier, number: u64, gaps: Gaps) -> Option<Breach> {
        let pos = self.index.unrank(tier, number)?;
        let mut laws = IndexLaws::new(&self.native.game, &*self.index, tier, gaps);
        laws.check_after().and_then(|()| laws.check(number, &pos)).err()
    }
    fn best_payoff(&self) -> i32 {
        self.native.game.best_payoff()
    }
}

/// An index with the solver that suits it.
#[derive(Clone)]
pub(crate) enum Numbering {
    /// Backward induction, tier by tier.
    Sweeps(Arc<dyn Sweeps>),
    /// Retrograde analysis from the finished positions.
    Cycles(Arc<dyn Cycles>),
    /// Mean payoffs.
    Means(Arc<dyn Means>),
}

impl Numbering {
    pub(crate) fn numbers(&self) -> &dyn Numbers {
        match self {
            Numbering::Sweeps(sweeps) => sweeps.numbers(),
            Numbering::Cycles(cycles) => cycles.numbers(),
            Numbering::Means(means) => means.numbers(),
        }
    }

    /// Which positions may have no number.
    pub(crate) fn gaps(&self) -> Gaps {
        match self {
            Numbering::Sweeps(_) => Gaps::None,
            Numbering::Cycles(_) => Gaps::Detours,
            Numbering::Means(means) => means.gaps(),
        }
    }
}

/// A memo table: every position that minimax has visited, with its value.
pub(crate) trait MemoTable: Send + Sync {
    fn found(&self) -> DepthFirstResult;
    fn value(&self, pos: &AnyPosition) -> Option<Value>;
    fn tally(&self) -> Tally;
}

struct TypedMemo<G: Game> {
    native: Native<G>,
    memo: Memo<G>,
}

impl<G: Game> MemoTable for TypedMemo<G> {
    fn found(&self) -> DepthFirstResult {
        self.memo.found()
    }
    fn value(&self, pos: &AnyPosition) -> Option<Value> {
        self.memo.value(self.native.pos(pos))
    }
    fn tally(&self) -> Tally {
        self.memo.tally(&self.native.game)
    }
}

/// A function that returns known values of positions.
pub(crate) type ValueOf<'a> = dyn Fn(&AnyPosition) -> Result<Option<Value>, ProbeError> + Sync + 'a;

/// Resources of a search by the generic engine.
#[derive(Clone, Copy)]
pub(crate) struct EngineRequest<'a> {
    /// Bytes of its transposition table.
    pub(crate) hash: u64,
    pub(crate) threads: usize,
    pub(crate) limits: SearchLimits,
    /// Known values that the search may probe.
    pub(crate) known: Option<&'a ValueOf<'a>>,
}

/// The result of a kernel; `None` if this kind of game does not have it.
pub(crate) type Refusable<T, E = SolveError> = Option<Result<T, E>>;

/// The result of an alpha-beta search.
type Searched = Refusable<SearchResult<AnyMove>, SearchError>;

/// Operations that need code monomorphised for one game. A kernel that a kind of game does not have refuses.
pub(crate) trait Kernels: Send + Sync {
    /// Whether the game is cyclic, where that is known beforehand.
    fn loops(&self) -> Option<bool>;

    /// Bytes that a position takes in a hash map with its value.
    fn position_bytes(&self) -> u64;

    /// Bytes per position that exploring takes.
    fn explored_bytes(&self) -> u64 {
        self.position_bytes()
    }

    /// The index that the game was built with.
    fn index(&self) -> Option<Numbering> {
        None
    }

    /// Builds an index of all positions reachable from a position.
    fn explore(&self, from: &AnyPosition, most: u64, watch: &dyn Monitor) -> Result<Numbering, SolveError>;

    /// Minimax without memory.
    fn plain(&self, _pos: &AnyPosition, _watch: &dyn Monitor) -> Refusable<DepthFirstResult> {
        None
    }

    /// Minimax with memoisation.
    fn memo(&self, _pos: &AnyPosition, _most: u64, _watch: &dyn Monitor) -> Refusable<Box<dyn MemoTable>> {
        None
    }

    /// Alpha-beta to the end of the game, or as far as limits allow.
    fn search(&self, _pos: &AnyPosition, _seek: EngineRequest<'_>, _watch: &dyn Monitor) -> Searched {
        None
    }

    /// Expectiminimax, Star1 or Star2.
    fn expect(
        &self,
        _pos: &AnyPosition,
        _method: DiceMethod,
        _limits: SearchLimits,
        _watch: &dyn Monitor,
    ) -> Refusable<DiceReport<AnyMove>, SearchError> {
        None
    }

    /// Alpha-beta without transposition table or move ordering, to measure nodes per second.
    fn bare(&self, _pos: &AnyPosition, _depth: u32, _watch: &dyn Monitor) -> Searched {
        None
    }

    /// Random playouts.
    fn playouts(
        &self,
        _pos: &AnyPosition,
        _options: PlayoutOptions,
        _watch: &dyn Monitor,
    ) -> Refusable<Playouts, SearchError> {
        None
    }
}

/// Bytes of a position and its value in a hash map at load factor one half.
fn position_bytes<G: Game>() -> u64 {
    2 * (size_of::<G::Position>() + size_of::<Value>() + 8) as u64
}

/// Bytes per position that exploring a game takes; for a game that cannot be explored, those of a hash map.
fn explored_bytes<G: Game>(game: &G) -> u64 {
    game.start().map_or_else(position_bytes::<G>, |start| ExploredGame::bytes_per_position(game, &start))
}

/// Builds the index of one game; `None` if the game is too large for one.
pub(crate) type MakeIndex<G> = Arc<dyn Fn(&Native<G>) -> Option<Numbering> + Send + Sync>;

/// Kernels of an acyclic game, or of a user-defined game that may turn out to be cyclic.
pub(crate) struct Forward<G: Game> {
    native: Native<G>,
    make: Option<MakeIndex<G>>,
    loops: Option<bool>,
    /// The solver of the explored positions. A function pointer, so that retrograde analysis is compiled only for
    /// games that may be cyclic.
    solver: fn(&Native<G>, ExploredGame<G>) -> Numbering,
}

fn forwards<G: Game>(native: &Native<G>, explored: ExploredGame<G>) -> Numbering {
    let (native, index) = (native.clone(), Arc::new(explored));
    Numbering::Sweeps(Arc::new(SweepIndex(IndexedGame { native, index })))
}

fn either_way<G: Game>(native: &Native<G>, explored: ExploredGame<G>) -> Numbering {
    match explored.has_loops() {
        true => Numbering::Cycles(Arc::new(CyclicIndex::listed(native.clone(), Arc::new(explored)))),
        false => forwards(native, explored),
    }
}

impl<G: Game> Forward<G> {
    /// An acyclic game.
    pub(crate) fn acyclic(native: Native<G>) -> Forward<G> {
        Forward { native, make: None, loops: Some(false), solver: forwards }
    }

    /// A user-defined game: exploring it shows whether it is cyclic.
    pub(crate) fn own(native: Native<G>) -> Forward<G> {
        Forward { native, make: None, loops: None, solver: either_way }
    }

    pub(crate) fn indexed<I: Index<G> + 'static>(native: Native<G>, make: fn(&G) -> Option<I>) -> Forward<G> {
        let make = move |native: &Native<G>| {
            let index = Arc::new(make(&native.game)?);
            Some(Numbering::Sweeps(Arc::new(SweepIndex(IndexedGame { native: native.clone(), index }))))
        };
        Forward { make: Some(Arc::new(make)), ..Forward::acyclic(native) }
    }
}

impl<G: Game> Kernels for Forward<G> {
    fn loops(&self) -> Option<bool> {
        self.loops
    }
    fn position_bytes(&self) -> u64 {
        position_bytes::<G>()
    }
    fn explored_bytes(&self) -> u64 {
        explored_bytes(&self.native.game)
    }
    fn index(&self) -> Option<Numbering> {
        self.make.as_ref().and_then(|make| make(&self.native))
    }
    fn explore(&self, from: &AnyPosition, most: u64, watch: &dyn Monitor) -> Result<Numbering, SolveError> {
        let explored = ExploredGame::new(&self.native.game, self.native.pos(from), most, watch)?;
        Ok((self.solver)(&self.native, explored))
    }
    fn plain(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Refusable<DepthFirstResult> {
        Some(plain(&self.native.game, self.native.pos(pos), watch))
    }
    fn memo(&self, pos: &AnyPosition, most: u64, watch: &dyn Monitor) -> Refusable<Box<dyn MemoTable>> {
        let native = self.native.clone();
        let memo = memo(&native.game, native.pos(pos), most, watch);
        Some(memo.map(|memo| Box::new(TypedMemo { native, memo }) as _))
    }
    fn search(&self, pos: &AnyPosition, seek: EngineRequest<'_>, watch: &dyn Monitor) -> Searched {
        Some(search(&self.native, false, pos, seek, watch))
    }
    fn bare(&self, pos: &AnyPosition, depth: u32, watch: &dyn Monitor) -> Searched {
        let mut engine = SearchEngine::new(&self.native.game, SearchOptions::bare(SearchMethod::AlphaBeta));
        let report = engine.search(self.native.pos(pos), SearchLimits::depth(depth), watch);
        Some(report.map(|report| hidden(&self.native, pos, report)))
    }
    fn playouts(
        &self,
        pos: &AnyPosition,
        options: PlayoutOptions,
        watch: &dyn Monitor,
    ) -> Refusable<Playouts, SearchError> {
        Some(playouts(&self.native.game, self.native.pos(pos), options, watch))
    }
}

/// Kernels of a cyclic game whose index can enumerate predecessors.
pub(crate) struct Cyclic<G: Game, I> {
    pub(crate) native: Native<G>,
    pub(crate) make: fn(&G) -> I,
}

impl<G: Game, I: Predecessors<G> + 'static> Cyclic<G, I> {
    fn numbering(&self) -> Numbering {
        let index = Arc::new((self.make)(&self.native.game));
        Numbering::Cycles(Arc::new(CyclicIndex::indexed(self.native.clone(), index)))
    }
}

impl<G: Game, I: Predecessors<G> + 'static> Kernels for Cyclic<G, I> {
    fn loops(&self) -> Option<bool> {
        Some(true)
    }
    fn position_bytes(&self) -> u64 {
        position_bytes::<G>()
    }
    fn index(&self) -> Option<Numbering> {
        Some(self.numbering())
    }
    fn explore(&self, _: &AnyPosition, _: u64, _: &dyn Monitor) -> Result<Numbering, SolveError> {
        Ok(self.numbering())
    }
    fn search(&self, pos: &AnyPosition, seek: EngineRequest<'_>, watch: &dyn Monitor) -> Searched {
        // Cyclic games have cheap symmetries and many transpositions.
        Some(search(&self.native, true, pos, seek, watch))
    }
}

/// Kernels of a game with chance.
pub(crate) struct Dice<G: Chance> {
    pub(crate) native: Native<G>,
    /// Builds an index of the positions before a roll; without one, every position is explored and numbered.
    pub(crate) make: Option<MakeIndex<G>>,
}

impl<G: Chance> Dice<G> {
    /// Only positions before a roll are numbered, by the index that `make` builds.
    pub(crate) fn before_rolls<I: Rolls<G> + 'static>(native: Native<G>, make: fn(&G) -> I) -> Dice<G> {
        let make = move |native: &Native<G>| {
            let index = Arc::new(make(&native.game));
            Some(Numbering::Means(Arc::new(RollMeans(IndexedGame { native: native.clone(), index }))))
        };
        Dice { native, make: Some(Arc::new(make)) }
    }
}

impl<G: Chance> Kernels for Dice<G> {
    fn loops(&self) -> Option<bool> {
        None
    }
    fn position_bytes(&self) -> u64 {
        position_bytes::<G>()
    }
    fn explored_bytes(&self) -> u64 {
        explored_bytes(&self.native.game)
    }
    fn index(&self) -> Option<Numbering> {
        self.make.as_ref().and_then(|make| make(&self.native))
    }
    fn explore(&self, from: &AnyPosition, most: u64, watch: &dyn Monitor) -> Result<Numbering, SolveError> {
        let explored = ExploredGame::new(&self.native.game, self.native.pos(from), most, watch)?;
        let (native, index) = (self.native.clone(), Arc::new(explored));
        Ok(Numbering::Means(Arc::new(ExploredMeans(IndexedGame { native, index }))))
    }
    fn expect(
        &self,
        pos: &AnyPosition,
        method: DiceMethod,
        limits: SearchLimits,
        watch: &dyn Monitor,
    ) -> Refusable<DiceReport<AnyMove>, SearchError> {
        let native = &self.native;
        let found = expectimax(&native.game, native.pos(pos), &Zero, method, limits, watch);
        Some(found.map(|report| DiceReport {
            value: report.value,
            exact: report.exact,
            best: report.best.and_then(|mv| native.any_move(pos, mv)),
            limit: report.limit,
            nodes: report.nodes,
            leaves: report.leaves,
            alpha_cutoffs: report.alpha_cutoffs,
            beta_cutoffs: report.beta_cutoffs,
            dice_cutoffs: report.dice_cutoffs,
            seconds: report.seconds,
        }))
    }
}

/// Adapts a function of known values to the engine's probe interface.
struct ValueProbe<'a, G: Game> {
    native: &'a Native<G>,
    known: &'a ValueOf<'a>,
}

impl<G: Game> Probe<G> for ValueProbe<'_, G> {
    fn probe(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
        (self.known)(&self.native.any(pos.clone()))
    }
}

/// Engine options within a budget of bytes.
fn engine_options<G: Game>(symmetry: bool, seek: &EngineRequest<'_>) -> SearchOptions {
    let each = (2 * size_of::<G::Position>() + 32) as u64;
    let table = (seek.hash / each).clamp(1 << 10, 1 << 30) as usize;
    SearchOptions {
        table: table.next_power_of_two() / 2,
        threads: seek.threads,
        symmetry,
        ..SearchOptions::default()
    }
}

fn search<G: Game>(
    native: &Native<G>,
    symmetry: bool,
    pos: &AnyPosition,
    seek: EngineRequest<'_>,
    watch: &dyn Monitor,
) -> Result<SearchResult<AnyMove>, SearchError> {
    let asked = seek.known.map(|known| ValueProbe { native, known });
    let mut engine = SearchEngine::new(&native.game, engine_options::<G>(symmetry, &seek));
    if let Some(asked) = &asked {
        engine = engine.probe(asked);
    }
    let report = engine.search(native.pos(pos), seek.limits, watch)?;
    Ok(hidden(native, pos, report))
}

/// Type-erases the moves of a report.
fn hidden<G: Game>(
    native: &Native<G>,
    pos: &AnyPosition,
    report: SearchResult<G::Move>,
) -> SearchResult<AnyMove> {
    SearchResult {
        answer: report.answer,
        best: report.best.and_then(|mv| native.any_move(pos, mv)),
        line: native.any_line(pos, &report.line),
        depth: report.depth,
        limit: report.limit,
        counts: report.counts,
        seconds: report.seconds,
    }
}
