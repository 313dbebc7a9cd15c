//! A game with everything that can be asked about it, its types hidden.
//!
//! ```text
//!  AnyGame   rules and notation, written for any game
//!  Kernels   whole loops made for this one                  Minds   what its players think with
//!  memory    tables that are open, games solved whole, solvers that have learned, notes
//! ```
//!
//! An entry is cheap to clone: clones share what they have learned.

use crate::kernels::{Cyclic, Dice, Forward, Kernels, Numbering, minds};
use crate::means::KnownMeans;
use crate::notes::Notes;
use crate::sources::Whole;
use crate::tables::Opened;
use crate::{Trouble, books};
use outplay_connect::{Book, Solver};
use outplay_core::{
    AnyGame, Chance, Content, Game, Index, LineBoard, Native, Notation, Predecessors, Rolls, Watch,
};
use outplay_players::{Minds, Outside};
use outplay_solve::SolveError;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

/// A game and its optional companions.
#[derive(Clone)]
pub struct Entry(Arc<Inner>);

struct Inner {
    game: AnyGame,
    kernels: Box<dyn Kernels>,
    minds: Arc<dyn Minds>,
    /// Sizes of the tight index's tiers: `Some(None)` if they exceed 128 bits.
    sizes: Option<Option<Vec<u128>>>,
    /// The index that came along, made when it is first needed; `Some(None)` if there is none.
    index: OnceLock<Option<Numbering>>,
    /// All positions that play reaches, once somebody needed them.
    explored: OnceLock<Numbering>,
    /// Minimax found that play can return to an earlier position.
    circles: AtomicBool,
    /// Whether the board has more cells than any solver takes.
    large: OnceLock<bool>,
    wholes: Mutex<Vec<Arc<Whole>>>,
    /// The table of the last query and the directory it is in: values of a complete table never change.
    table: Mutex<Option<(PathBuf, Arc<Opened>)>>,
    means: Mutex<Option<(PathBuf, Arc<KnownMeans>)>>,
    /// Connect-k solvers: what they learned serves the next question.
    solvers: Mutex<Vec<Solver>>,
    book: Mutex<Option<(PathBuf, Arc<Book>)>>,
    notes: Mutex<Option<(PathBuf, Arc<Notes>)>>,
    /// Who starts programs that play this game, where somebody may.
    outside: OnceLock<Arc<dyn Outside>>,
}

/// Games solved whole that are kept: the game itself, and what follows from the last positions that were asked.
const WHOLES: usize = 3;

/// Solvers kept for callers that ask at the same time.
const SOLVERS: usize = 8;

/// Cells of the largest board that any solver looks at.
const CELLS: usize = 4096;

/// What a lock guards is replaced as a whole, so that a panic elsewhere leaves it sound.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Entry {
    fn made(
        game: AnyGame,
        kernels: Box<dyn Kernels>,
        minds: Arc<dyn Minds>,
        sizes: Option<Option<Vec<u128>>>,
    ) -> Entry {
        Entry(Arc::new(Inner {
            game,
            kernels,
            minds,
            sizes,
            index: OnceLock::new(),
            explored: OnceLock::new(),
            circles: AtomicBool::new(false),
            large: OnceLock::new(),
            wholes: Mutex::default(),
            table: Mutex::default(),
            means: Mutex::default(),
            solvers: Mutex::default(),
            book: Mutex::default(),
            notes: Mutex::default(),
            outside: OnceLock::new(),
        }))
    }

    /// A game of one's own with nothing but its rules and notation. Whether it can go round in circles is found out.
    ///
    /// For a game with dice see [`Entry::dice`].
    pub fn new<G: Game + Notation>(game: G) -> Entry {
        let native = Native::new(game);
        let minds = minds::plain(&native);
        Entry::made(AnyGame::of(native.clone()), Box::new(Forward::own(native)), minds, None)
    }

    /// A game in which play never returns to an earlier position; its positions are explored.
    pub fn acyclic<G: Game + Notation>(native: Native<G>, sizes: Option<Option<Vec<u128>>>) -> Entry {
        let minds = minds::plain(&native);
        Entry::made(AnyGame::of(native.clone()), Box::new(Forward::acyclic(native)), minds, sizes)
    }

    /// The same with a tight index, built when it is first needed; `None` from `make` means that the game is too
    /// large for one. `sizes` are those of its tiers, for games that may be too large to number: `Some(None)` if they
    /// exceed 128 bits.
    pub fn indexed<G: Game + Notation, I: Index<G> + 'static>(
        native: Native<G>,
        make: fn(&G) -> Option<I>,
        sizes: Option<Option<Vec<u128>>>,
    ) -> Entry {
        let minds = minds::plain(&native);
        let kernels = Forward::indexed(native.clone(), make);
        Entry::made(AnyGame::of(native), Box::new(kernels), minds, sizes)
    }

    /// A game that can go round in circles, with an index that knows predecessors, built when it is first needed.
    pub fn cyclic<G: Game + Notation, I: Predecessors<G> + 'static>(game: G, make: fn(&G) -> I) -> Entry {
        let native = Native::new(game);
        let minds = minds::plain(&native);
        let kernels = Cyclic::new(native.clone(), make);
        Entry::made(AnyGame::of(native), Box::new(kernels), minds, None)
    }

    /// A game with dice. Its positions are explored.
    pub fn dice<G: Chance + Notation>(game: G) -> Entry {
        let native = Native::new(game).dice();
        let minds = minds::rolling(&native);
        Entry::made(AnyGame::of(native.clone()), Box::new(Dice::explored(native)), minds, None)
    }

    /// A game with dice and an index of the positions before a roll.
    pub fn rolls<G: Chance + Notation, I: Rolls<G> + 'static>(game: G, make: fn(&G) -> I) -> Entry {
        let native = Native::new(game).dice();
        let minds = minds::rolling(&native);
        let kernels = Dice::before_rolls(native.clone(), make);
        Entry::made(AnyGame::of(native), Box::new(kernels), minds, None)
    }

    /// The game.
    pub fn game(&self) -> &AnyGame {
        &self.0.game
    }

    /// The canonical spec string.
    pub fn spec(&self) -> String {
        self.0.game.spec()
    }

    /// What is odd about the game although it can be played.
    pub fn warning(&self) -> Option<String> {
        self.0.game.warning()
    }

    pub(crate) fn kernels(&self) -> &dyn Kernels {
        &*self.0.kernels
    }

    pub(crate) fn minds(&self) -> Arc<dyn Minds> {
        self.0.minds.clone()
    }

    /// Lets programs play this game that `outside` starts: players by protocol.
    #[must_use]
    pub fn with_programs(self, outside: Arc<dyn Outside>) -> Entry {
        // Whoever was named first stays.
        let _ = self.0.outside.set(outside);
        self
    }

    pub(crate) fn outside(&self) -> Option<Arc<dyn Outside>> {
        self.0.outside.get().cloned()
    }

    pub(crate) fn sizes(&self) -> Option<&Option<Vec<u128>>> {
        self.0.sizes.as_ref()
    }

    /// The index that came along, if the game has one.
    pub(crate) fn index(&self) -> Option<Numbering> {
        self.0.index.get_or_init(|| self.kernels().index()).clone()
    }

    /// The index that came along, or all positions that play reaches, explored at most once.
    pub(crate) fn numbering(&self, most: u64, watch: &dyn Watch) -> Result<Numbering, SolveError> {
        if let Some(index) = self.index() {
            return Ok(index);
        }
        if let Some(explored) = self.0.explored.get() {
            return Ok(explored.clone());
        }
        watch.stage("exploring", 0);
        let start = self.game().start().ok_or(SolveError::NoStart)?;
        let explored = self.kernels().explore(&start, most, watch)?;
        Ok(self.0.explored.get_or_init(|| explored).clone())
    }

    /// How many positions may be explored within so many bytes.
    pub(crate) fn most_explored(&self, memory: u64) -> u64 {
        (memory / self.kernels().explored_bytes()).max(1000)
    }

    /// How many positions a hash map may hold within so many bytes.
    pub(crate) fn most_positions(&self, memory: u64) -> u64 {
        (memory / self.kernels().position_bytes()).max(1000)
    }

    /// Whether the board has so many cells that no solver looks at it.
    pub(crate) fn is_large(&self) -> bool {
        let large = |board: LineBoard| board.cells.len() > CELLS;
        *self.0.large.get_or_init(|| {
            let board = self.game().start().and_then(|start| self.game().board(&start));
            board.is_some_and(large)
        })
    }

    /// Whether minimax has found that play can return to an earlier position.
    pub(crate) fn goes_in_circles(&self) -> bool {
        self.0.circles.load(Ordering::Relaxed)
    }

    pub(crate) fn found_circles(&self) {
        self.0.circles.store(true, Ordering::Relaxed);
    }

    /// What was solved whole and is still in memory, the latest first.
    pub(crate) fn wholes(&self) -> Vec<Arc<Whole>> {
        lock(&self.0.wholes).clone()
    }

    /// Keeps what was solved whole for the next question.
    pub(crate) fn keep_whole(&self, whole: Arc<Whole>) {
        let mut wholes = lock(&self.0.wholes);
        wholes.insert(0, whole);
        wholes.truncate(WHOLES);
    }

    /// Whether the planes of a board are in memory.
    pub(crate) fn has_planes(&self, board: &LineBoard) -> bool {
        let is_it = |whole: &Arc<Whole>| matches!(&**whole, Whole::Planes { start, .. } if start == board);
        lock(&self.0.wholes).iter().any(is_it)
    }

    /// Lends the connect-k solver that has learned most, or a new one with so many bytes.
    pub(crate) fn with_solver<T>(
        &self,
        board: &LineBoard,
        hash: u64,
        work: impl FnOnce(&mut Solver) -> T,
    ) -> T {
        let kept = lock(&self.0.solvers).pop();
        let mut solver = kept.unwrap_or_else(|| Solver::new(books::entries(board, hash)));
        let done = work(&mut solver);
        let mut solvers = lock(&self.0.solvers);
        if solvers.len() < SOLVERS {
            solvers.push(solver);
        }
        done
    }

    /// The game's table in a directory, kept open.
    pub(crate) fn kept_table(&self, data: &Path, watch: &dyn Watch) -> Result<Option<Arc<Opened>>, Trouble> {
        let mut kept = lock(&self.0.table);
        if let Some((_, table)) = kept.as_ref().filter(|(of, _)| of == data) {
            return Ok(Some(table.clone()));
        }
        let found = self.find_table(data, None, false, watch)?.map(Arc::new);
        // One without distances may be joined by a better one, and some tiers by others.
        let settled = |table: &&Arc<Opened>| table.has_distances() && table.shelves.is_complete();
        if let Some(table) = found.as_ref().filter(settled) {
            *kept = Some((data.to_path_buf(), table.clone()));
        }
        Ok(found)
    }

    /// The game's table of means in a directory, kept open.
    pub(crate) fn kept_means(
        &self,
        data: &Path,
        watch: &dyn Watch,
    ) -> Result<Option<Arc<KnownMeans>>, Trouble> {
        let mut kept = lock(&self.0.means);
        if let Some((_, means)) = kept.as_ref().filter(|(of, _)| of == data) {
            return Ok(Some(means.clone()));
        }
        let found = self.find_means(data, watch)?.map(Arc::new);
        if let Some(means) = &found {
            *kept = Some((data.to_path_buf(), means.clone()));
        }
        Ok(found)
    }

    /// The book that a user named, kept open.
    pub(crate) fn own_book(&self, file: Option<&Path>) -> Result<Option<Arc<Book>>, Trouble> {
        let Some(file) = file else { return Ok(None) };
        let mut kept = lock(&self.0.book);
        if let Some((_, book)) = kept.as_ref().filter(|(of, _)| of == file) {
            return Ok(Some(book.clone()));
        }
        let book = Arc::new(Book::open(file)?);
        *kept = Some((file.to_path_buf(), book.clone()));
        Ok(Some(book))
    }

    /// What was written down about this game in a directory.
    pub(crate) fn notes(&self, data: &Path) -> Arc<Notes> {
        let mut kept = lock(&self.0.notes);
        if let Some((_, notes)) = kept.as_ref().filter(|(of, _)| of == data) {
            return notes.clone();
        }
        let notes = Arc::new(Notes::open(data, &self.spec()));
        *kept = Some((data.to_path_buf(), notes.clone()));
        notes
    }

    /// Empty cells at the start, for games of lines.
    pub fn open_cells(&self) -> Option<usize> {
        let board = self.game().start().and_then(|start| self.game().board(&start))?;
        Some(board.cells.iter().filter(|content| **content == Content::Empty).count())
    }
}
