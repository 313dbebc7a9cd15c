//! Type-erased game with its solver kernels and searchers.
//!
//! ```text
//!  GameHandle   immutable, cheap to clone
//!    ├ AnyGame    type-erased rules and notation
//!    ├ Kernels    solver loops monomorphised for this game
//!    └ Searchers  search loops of its computer players
//! ```
//!
//! Everything computed about a game (opened tables, solved subgames, results) belongs to the
//! [`Session`](crate::Session).

use crate::kernels::{Cyclic, Dice, Forward, Kernels};
use crate::{Answer, Numbering, PositionRef, ProvenValue, Trouble, sources};
use outplay_core::{
    AnyGame, AnyMove, AnyPosition, Chance, Content, DebugNotation, Game, Index, InputError, LineBoard,
    LineGame, Native, Notation, Predecessors, Rolls, Value,
};
use outplay_players::{EngineLauncher, NativeChance, SearcherFactory};
use outplay_solve::SolveError;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Cells of the largest board that any solver accepts.
const CELLS: usize = 4096;

/// Sizes of the tiers of a tight index, for games whose index may be too large to be built.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum TierSizes {
    /// The index itself has them, or there is none.
    #[default]
    Unknown,
    /// The sizes, tier by tier.
    Known(Vec<u128>),
    /// At least one size exceeds 128 bits.
    Beyond,
}

/// A game with the kernels and searchers that fit it.
#[derive(Clone)]
pub struct GameHandle(pub(crate) Arc<Inner>);

pub(crate) struct Inner {
    /// Unique for every handle that was built; clones share it.
    pub(crate) id: u64,
    /// Whether the spec identifies the rules, so that files may be named after it.
    pub(crate) named: bool,
    game: AnyGame,
    kernels: Box<dyn Kernels>,
    pub(crate) searchers: Arc<dyn SearcherFactory>,
    pub(crate) sizes: TierSizes,
    /// The index that the game was built with, built on first use.
    index: OnceLock<Option<Numbering>>,
    /// Whether the board has more cells than any solver accepts.
    large: OnceLock<bool>,
    /// Launches external engines that play this game, if allowed.
    pub(crate) programs: OnceLock<Arc<dyn EngineLauncher>>,
}

/// Builder of a [`GameHandle`]: the rules, and optionally notation, an index, chance.
///
/// By default, the reachable positions are explored, and exploring finds out whether the game is cyclic.
pub struct GameBuilder<G: Game> {
    native: Native<G>,
    kernels: Box<dyn Kernels>,
    searchers: Arc<dyn SearcherFactory>,
    sizes: TierSizes,
    named: bool,
}

impl<G: Game + Notation> GameBuilder<G> {
    /// A game with its rules and notation only.
    pub fn new(game: G) -> GameBuilder<G> {
        GameBuilder::of(Native::new(game))
    }

    /// A game with its known types.
    fn of(native: Native<G>) -> GameBuilder<G> {
        let searchers = Arc::new(native.clone());
        let kernels = Box::new(Forward::own(native.clone()));
        GameBuilder { native, kernels, searchers, sizes: TierSizes::Unknown, named: true }
    }

    /// Declares a line board, for the solvers specialised in those. Call this first.
    #[must_use]
    pub fn lines(self) -> GameBuilder<G>
    where
        G: LineGame,
    {
        GameBuilder::of(self.native.lines())
    }

    /// Declares that the game is acyclic.
    #[must_use]
    pub fn acyclic(self) -> GameBuilder<G> {
        GameBuilder { kernels: Box::new(Forward::acyclic(self.native.clone())), ..self }
    }

    /// Adds a tight index of an acyclic game, built on first use; `make` returns `None` if the game is too large for
    /// one.
    #[must_use]
    pub fn index<I: Index<G> + 'static>(self, make: fn(&G) -> Option<I>) -> GameBuilder<G> {
        GameBuilder { kernels: Box::new(Forward::indexed(self.native.clone(), make)), ..self }
    }

    /// Adds an index with predecessors of a game with cycles, built on first use.
    #[must_use]
    pub fn cyclic_index<I: Predecessors<G> + 'static>(self, make: fn(&G) -> I) -> GameBuilder<G> {
        GameBuilder { kernels: Box::new(Cyclic { native: self.native.clone(), make }), ..self }
    }

    /// Adds the sizes of the index's tiers, for games that may be too large to build one.
    #[must_use]
    pub fn tier_sizes(self, sizes: TierSizes) -> GameBuilder<G> {
        GameBuilder { sizes, ..self }
    }

    /// Builds the handle.
    pub fn build(self) -> GameHandle {
        static NEXT: AtomicU64 = AtomicU64::new(0);
        GameHandle(Arc::new(Inner {
            id: NEXT.fetch_add(1, Ordering::Relaxed),
            named: self.named,
            game: AnyGame::of(self.native),
            kernels: self.kernels,
            searchers: self.searchers,
            sizes: self.sizes,
            index: OnceLock::new(),
            large: OnceLock::new(),
            programs: OnceLock::new(),
        }))
    }
}

impl<G: Chance + Notation> GameBuilder<G> {
    /// Declares chance nodes; positions are explored.
    #[must_use]
    pub fn chance(self) -> GameBuilder<G> {
        let native = self.native.dice();
        let searchers = Arc::new(NativeChance(native.clone()));
        GameBuilder {
            kernels: Box::new(Dice { native: native.clone(), make: None }),
            native,
            searchers,
            ..self
        }
    }

    /// The same with an index of the positions before a roll.
    #[must_use]
    pub fn rolls_index<I: Rolls<G> + 'static>(self, make: fn(&G) -> I) -> GameBuilder<G> {
        let built = self.chance();
        GameBuilder { kernels: Box::new(Dice::before_rolls(built.native.clone(), make)), ..built }
    }
}

impl<G: Game> GameBuilder<DebugNotation<G>> {
    /// A game with its rules only: positions and moves are printed in their `Debug` form, and cannot be parsed.
    /// Nothing about such a game is stored on disk, because no name identifies it.
    pub fn unwritten(game: G) -> GameBuilder<DebugNotation<G>> {
        GameBuilder { named: false, ..GameBuilder::new(DebugNotation(game)) }
    }
}

impl GameHandle {
    /// A game with its rules only. [`GameBuilder`] adds notation, an index, chance.
    pub fn new<G: Game>(game: G) -> GameHandle {
        GameBuilder::unwritten(game).build()
    }

    /// The game.
    pub fn game(&self) -> &AnyGame {
        &self.0.game
    }

    /// The canonical spec string.
    pub fn spec(&self) -> String {
        self.0.game.spec()
    }

    /// A warning about a playable but odd game.
    pub fn warning(&self) -> Option<String> {
        self.0.game.warning()
    }

    /// Allows `programs` to launch external engines as players of this game. Only the first call has an effect.
    #[must_use]
    pub fn with_programs(self, programs: Arc<dyn EngineLauncher>) -> GameHandle {
        let _ = self.0.programs.set(programs);
        self
    }

    /// Empty cells at the start, for games of lines.
    pub fn open_cells(&self) -> Option<usize> {
        let board = self.start_board()?;
        Some(board.cells.iter().filter(|content| **content == Content::Empty).count())
    }

    /// Resolves a request's position.
    ///
    /// # Errors
    ///
    /// Malformed input, or a game without a start.
    pub fn locate(&self, place: &PositionRef) -> Result<AnyPosition, Trouble> {
        let game = self.game();
        let (mut pos, moves) = match place {
            PositionRef::Position(text) => return Ok(game.read_position(text)?),
            PositionRef::At(pos) => return Ok(pos.clone()),
            PositionRef::Start => return Ok(self.start()?),
            PositionRef::Moves(moves) => (self.start()?, moves),
            PositionRef::MovesFrom { position, moves } => (game.read_position(position)?, moves),
        };
        for (i, word) in game.split_moves(moves).iter().enumerate() {
            let mv = game.read_move(&pos, word).map_err(|error| match error {
                InputError::Move { text, why } => {
                    InputError::Move { text, why: format!("{why} (move {} of the list)", i + 1) }
                }
                other => other,
            })?;
            pos = game.play(&pos, mv);
        }
        Ok(pos)
    }

    /// The same; `None` for the start of a game without one.
    pub(crate) fn locate_if_any(&self, place: &PositionRef) -> Result<Option<AnyPosition>, Trouble> {
        if *place == PositionRef::Start && self.game().start().is_none() {
            return Ok(None);
        }
        self.locate(place).map(Some)
    }

    pub(crate) fn start(&self) -> Result<AnyPosition, SolveError> {
        self.game().start().ok_or(SolveError::NoStart)
    }

    /// The board at the start, for games of lines.
    pub(crate) fn start_board(&self) -> Option<LineBoard> {
        self.game().board(&self.game().start()?)
    }

    /// Converts an exact value to an answer.
    pub fn answer(&self, pos: &AnyPosition, value: Value) -> Answer {
        Answer::Exact { value, tie_plies: self.game().tie_plies(pos) }
    }

    /// Converts a proven value to an answer.
    pub(crate) fn proven_answer(&self, pos: &AnyPosition, proven: ProvenValue) -> Answer {
        match proven {
            ProvenValue::Exact(value) => self.answer(pos, value),
            ProvenValue::Mean(mean) => Answer::Mean { mean, most: self.game().best_payoff() },
            ProvenValue::Between(low, high) => Answer::Unknown { low, high },
        }
    }

    /// The answer for an unknown value.
    pub fn unknown(&self) -> Answer {
        let most = self.game().best_payoff();
        Answer::Unknown { low: -most, high: most }
    }

    /// Whether every value of an unfinished position has a connect-k score, which the connect-k solver finds.
    pub(crate) fn has_scores(&self) -> bool {
        self.start_board().is_some_and(|board| !self.is_large() && outplay_connect::check(&board).is_ok())
    }

    /// The connect-k score of a value that counts from `pos`.
    pub(crate) fn score(&self, pos: &AnyPosition, proven: ProvenValue) -> Option<i32> {
        let ProvenValue::Exact(value) = proven else { return None };
        if self.is_large() {
            return None;
        }
        sources::score_of(&self.game().board(pos)?, value)
    }

    pub(crate) fn names(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Vec<String> {
        moves.iter().map(|&mv| self.game().write_move(pos, mv)).collect()
    }

    pub(crate) fn kernels(&self) -> &dyn Kernels {
        &*self.0.kernels
    }

    /// The index that the game was built with, if any.
    pub(crate) fn index(&self) -> Option<Numbering> {
        self.0.index.get_or_init(|| self.kernels().index()).clone()
    }

    /// Number of positions that can be explored within `memory` bytes.
    pub(crate) fn most_explored(&self, memory: u64) -> u64 {
        (memory / self.kernels().explored_bytes()).max(1000)
    }

    /// Number of positions that a hash map can hold within `memory` bytes.
    pub(crate) fn most_positions(&self, memory: u64) -> u64 {
        (memory / self.kernels().position_bytes()).max(1000)
    }

    /// Whether the board has more cells than any solver accepts.
    pub(crate) fn is_large(&self) -> bool {
        let large = |board: LineBoard| board.cells.len() > CELLS;
        *self.0.large.get_or_init(|| self.start_board().is_some_and(large))
    }
}
