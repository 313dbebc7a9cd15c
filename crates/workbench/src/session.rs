//! Solver session: limits, data directory and caches.
//!
//! ```text
//!  Session   limits (time, memory, threads) · data directory, if any
//!    └ caches, shared by all clones: for each game its explored positions, opened tables and books,
//!      cached results, solved subgames and searchers with filled transposition tables
//! ```
//!
//! `Session::default()` touches no disk.

use crate::cache::Cache;
use crate::handle::Inner;
use crate::means::{KnownMeans, find_means};
use crate::results::ResultCache;
use crate::sources::SolvedSubgame;
use crate::tables::{OpenTables, find_table};
use crate::{GameHandle, Numbering, Trouble, books};
use outplay_connect::{Book, Solver};
use outplay_core::LineBoard;
use outplay_runtime::{Communicator, Monitor};
use outplay_solve::SolveError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError, Weak};
use std::time::Duration;

/// Default time limit of a query.
pub const PATIENCE: Duration = Duration::from_secs(60);

/// Limit on the games with caches.
const GAMES: usize = 16;

/// Limit on the solved subgames of a game: the game itself, and subgames of the last positions queried.
const SUBGAMES: usize = 3;

/// Limit on the connect-k solvers kept for concurrent callers.
const SOLVERS: usize = 8;

/// The communicator of the processes that solve a game together.
#[derive(Clone, Debug)]
pub struct Ranks(pub Arc<dyn Communicator>);

/// Context of all commands: limits, an optional data directory, and caches that all clones share.
#[derive(Clone)]
#[non_exhaustive]
pub struct Session {
    /// Memory limit in bytes.
    pub memory: u64,
    /// Bytes of a search's transposition table.
    pub hash: u64,
    /// Thread limit.
    pub threads: usize,
    /// Other ranks that solve the same game with the same limits; memory and threads are per rank.
    pub crew: Option<Ranks>,
    /// Time limit of one answer; by default [`PATIENCE`] for a query and none for a solve.
    pub time: Option<Duration>,
    /// The directory of tables and cached results; `None` reads and stores nothing.
    pub data: Option<PathBuf>,
    /// Whether cached results in the data directory are used.
    pub recall: bool,
    /// Whether slow results are stored there.
    pub keep: bool,
    /// An opening book in addition to the built-in one.
    pub book: Option<PathBuf>,
    /// Whether queries are unrelated to each other: then a quick search for one value is preferred to solving the
    /// whole subgame of a position.
    pub scattered: bool,
    caches: Arc<Caches>,
}

/// The caches of a session.
struct Caches {
    games: Cache<u64, GameCache>,
    books: Cache<PathBuf, Book>,
}

/// The caches of one game.
struct GameCache {
    game: Weak<Inner>,
    /// All reachable positions.
    explored: OnceLock<Numbering>,
    /// Whether minimax has found a cycle.
    cyclic: AtomicBool,
    subgames: Cache<u64, SolvedSubgame>,
    next_subgame: AtomicU64,
    /// Opened tables by their directory: values of a complete table never change.
    tables: Cache<PathBuf, OpenTables>,
    means: Cache<PathBuf, KnownMeans>,
    results: Cache<PathBuf, ResultCache>,
    /// Connect-k solvers with warm transposition tables.
    solvers: Mutex<Vec<Solver>>,
}

impl std::fmt::Debug for Session {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut shown = f.debug_struct("Session");
        shown.field("memory", &self.memory).field("hash", &self.hash).field("threads", &self.threads);
        shown.field("time", &self.time).field("data", &self.data).finish_non_exhaustive()
    }
}

impl GameCache {
    fn new(game: Weak<Inner>) -> GameCache {
        GameCache {
            game,
            explored: OnceLock::new(),
            cyclic: AtomicBool::new(false),
            subgames: Cache::new(SUBGAMES),
            next_subgame: AtomicU64::new(0),
            tables: Cache::new(1),
            means: Cache::new(1),
            results: Cache::new(1),
            solvers: Mutex::default(),
        }
    }
}

impl Default for Session {
    /// 1 GB of memory and all processors, without access to the disk.
    fn default() -> Session {
        Session {
            memory: 1 << 30,
            hash: 256 << 20,
            threads: std::thread::available_parallelism().map_or(1, usize::from),
            crew: None,
            time: None,
            data: None,
            recall: false,
            keep: false,
            book: None,
            scattered: false,
            caches: Arc::new(Caches { games: Cache::new(GAMES), books: Cache::new(1) }),
        }
    }
}

impl Session {
    /// A session that touches no disk.
    pub fn in_memory() -> Session {
        Session::default()
    }

    /// A session with a data directory.
    pub fn at(data: impl Into<PathBuf>) -> Session {
        Session { data: Some(data.into()), ..Session::default() }
    }

    /// A session with the same caches and other limits.
    #[must_use]
    pub fn with(&self, change: impl FnOnce(&mut Session)) -> Session {
        let mut session = self.clone();
        change(&mut session);
        session
    }

    /// The same session with `threads` threads.
    #[must_use]
    pub fn on_threads(&self, threads: usize) -> Session {
        Session { threads, ..self.clone() }
    }

    /// The same session without access to the disk.
    #[must_use]
    pub fn off_disk(&self) -> Session {
        Session { data: None, ..self.clone() }
    }

    /// The same session without the result cache: for matches, benchmarks and tests.
    #[must_use]
    pub fn impartial(&self) -> Session {
        Session { recall: false, keep: false, ..self.clone() }
    }

    /// Drops the caches of a game, so that the next query looks for its table again.
    pub fn forget(&self, handle: &GameHandle) {
        self.caches.games.remove(&handle.0.id);
    }

    /// The data directory.
    ///
    /// # Errors
    ///
    /// A session without one.
    pub fn directory(&self) -> Result<&Path, Trouble> {
        let none = || Trouble::unable("tables are needed, but this session has no data directory; give one");
        self.data.as_deref().ok_or_else(none)
    }

    /// The data directory, unless nothing about this game may be stored on disk.
    pub(crate) fn directory_of(&self, handle: &GameHandle) -> Option<&Path> {
        self.data.as_deref().filter(|_| handle.0.named)
    }

    /// Refuses work that needs more memory than the limit.
    pub(crate) fn check_memory(&self, needed: u128) -> Result<(), Trouble> {
        let allowed = self.memory;
        if needed > allowed.into() { Err(Trouble::Memory { needed, allowed }) } else { Ok(()) }
    }

    /// The ranks that solve the game together.
    pub(crate) fn crew(&self) -> Option<&Arc<dyn Communicator>> {
        self.crew.as_ref().map(|together| &together.0)
    }

    fn cache(&self, handle: &GameHandle) -> Arc<GameCache> {
        let games = &self.caches.games;
        games.get(&handle.0.id).unwrap_or_else(|| {
            // A game without handles is never queried again.
            games.retain(|cache| cache.game.strong_count() > 0);
            games.get_or_insert(handle.0.id, || GameCache::new(Arc::downgrade(&handle.0)))
        })
    }

    /// The index that a game was built with, or all reachable positions, explored at most once.
    pub(crate) fn numbering(
        &self,
        handle: &GameHandle,
        most: u64,
        watch: &dyn Monitor,
    ) -> Result<Numbering, SolveError> {
        if let Some(index) = handle.index() {
            return Ok(index);
        }
        let cache = self.cache(handle);
        if let Some(explored) = cache.explored.get() {
            return Ok(explored.clone());
        }
        watch.stage("exploring the positions", 0);
        let explored = handle.kernels().explore(&handle.start()?, most, watch)?;
        Ok(cache.explored.get_or_init(|| explored).clone())
    }

    /// Whether minimax has found a cycle in the game.
    pub(crate) fn is_cyclic(&self, handle: &GameHandle) -> bool {
        self.cache(handle).cyclic.load(Ordering::Relaxed)
    }

    /// Records that minimax has found a cycle.
    pub(crate) fn mark_cyclic(&self, handle: &GameHandle) {
        self.cache(handle).cyclic.store(true, Ordering::Relaxed);
    }

    /// Solved subgames in memory, most recently used first.
    pub(crate) fn subgames(&self, handle: &GameHandle) -> Vec<Arc<SolvedSubgame>> {
        self.cache(handle).subgames.values()
    }

    /// Caches a solved subgame for later queries.
    pub(crate) fn keep_subgame(&self, handle: &GameHandle, whole: Arc<SolvedSubgame>) {
        let cache = self.cache(handle);
        cache.subgames.insert(cache.next_subgame.fetch_add(1, Ordering::Relaxed), whole);
    }

    /// Runs a closure with the connect-k solver that was used last, or a new one.
    pub(crate) fn with_solver<T>(
        &self,
        handle: &GameHandle,
        board: &LineBoard,
        work: impl FnOnce(&mut Solver) -> T,
    ) -> T {
        let cache = self.cache(handle);
        let solvers = || cache.solvers.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = solvers().pop();
        let mut solver = kept.unwrap_or_else(|| Solver::new(books::entries(board, self.hash)));
        let done = work(&mut solver);
        let mut solvers = solvers();
        if solvers.len() < SOLVERS {
            solvers.push(solver);
        }
        done
    }

    /// The game's table in the data directory; it stays open.
    pub(crate) fn table(
        &self,
        handle: &GameHandle,
        watch: &dyn Monitor,
    ) -> Result<Option<Arc<OpenTables>>, Trouble> {
        let Some(data) = self.directory_of(handle) else { return Ok(None) };
        // A table without distances may later be superseded, and missing tiers may be added.
        let settled = |table: &OpenTables| table.has_distances() && table.tier_tables.is_complete();
        let find = || find_table(self, handle, data, None, false, watch);
        self.cache(handle).tables.get_or_find(data.to_path_buf(), find, settled)
    }

    /// The game's table of means in the data directory; it stays open.
    pub(crate) fn means(
        &self,
        handle: &GameHandle,
        watch: &dyn Monitor,
    ) -> Result<Option<Arc<KnownMeans>>, Trouble> {
        let Some(data) = self.directory_of(handle) else { return Ok(None) };
        let find = || find_means(self, handle, data, watch);
        self.cache(handle).means.get_or_find(data.to_path_buf(), find, |_| true)
    }

    /// The session's book; it stays open.
    pub(crate) fn own_book(&self) -> Result<Option<Arc<Book>>, Trouble> {
        let Some(file) = &self.book else { return Ok(None) };
        let open = || Ok::<Book, Trouble>(Book::open(file)?);
        self.caches.books.get_or_try_insert(file.clone(), open).map(Some)
    }

    /// The cached results of a game. A file that does not belong there is set aside if results are stored.
    pub(crate) fn results(&self, handle: &GameHandle, watch: &dyn Monitor) -> Option<Arc<ResultCache>> {
        let data = self.directory_of(handle)?;
        let open = || ResultCache::open(data, handle.game(), handle.kernels().loops(), self.keep, watch);
        Some(self.cache(handle).results.get_or_insert(data.to_path_buf(), open))
    }
}
