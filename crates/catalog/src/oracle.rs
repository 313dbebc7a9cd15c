//! Exact knowledge for players: whatever knows first is asked first.
//!
//! ```text
//! the rules → the table → the whole game, if it is small → book and connect-k solver (stones that fall)
//!           → bit-planes (boards of lines) → proof search (verdicts) → positions remembered
//! ```
//!
//! Invariant: what it says is exact; what it cannot find within its limits it does not say.

use crate::deadline::Deadline;
use crate::entry::{Entry, QUERY_POSITIONS, ToBoard};
use crate::handle::QueryOptions;
use crate::searching::{PROVABLE, WHOLE, entries};
use crate::tables::Opened;
use crate::{Trouble, boards, openings};
use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{Game, LineBoard, Notation, Value, Watch};
use outplay_players::{Merit, Merits, PlayError, Truth};
use outplay_solve::{Memo, SolveError, memo};
use outplay_table::Values;
use std::sync::{Arc, Mutex, MutexGuard, OnceLock};

/// Games of up to this many positions are solved whole once and remembered.
const SMALL: u64 = 300_000;

/// Solvers kept for callers that ask at the same time.
const MOST_SOLVERS: usize = 8;

/// Everything that may know exact values of one game.
pub(crate) struct Oracle<G: Game> {
    game: G,
    board: Option<ToBoard<G>>,
    table: Option<Opened<G>>,
    options: QueryOptions,
    /// The whole game, if it is small.
    small: OnceLock<Option<Memo<G>>>,
    /// The last position that was remembered with all that follows from it.
    recent: Mutex<Option<Arc<Memo<G>>>>,
    solvers: Mutex<Vec<Solver>>,
}

/// A poisoned lock only means that a search panicked elsewhere; what it guards is replaced as a whole.
fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(|poisoned| poisoned.into_inner())
}

fn same(a: &QueryOptions, b: &QueryOptions) -> bool {
    (a.memory, a.hash, a.threads, a.time, &a.data) == (b.memory, b.hash, b.threads, b.time, &b.data)
}

impl<G: Game + Notation> Entry<G> {
    /// Exact knowledge of this game; what an earlier caller's learned is used again.
    pub(crate) fn oracle(&self, options: &QueryOptions) -> Result<Arc<Oracle<G>>, Trouble> {
        let mut kept = lock(&self.oracle);
        if let Some(oracle) =
            kept.as_ref().filter(|oracle| same(&oracle.options, options) && oracle.table.is_some())
        {
            return Ok(oracle.clone());
        }
        let table = options.data.as_ref().map(|data| self.find_table(data, None)).transpose()?.flatten();
        if let Some(oracle) = kept.as_ref().filter(|oracle| table.is_none() && same(&oracle.options, options))
        {
            return Ok(oracle.clone());
        }
        let oracle = Arc::new(Oracle {
            game: self.game.clone(),
            board: self.board,
            table,
            options: options.clone(),
            small: OnceLock::new(),
            recent: Mutex::new(None),
            solvers: Mutex::new(Vec::new()),
        });
        Ok(kept.insert(oracle).clone())
    }
}

impl<G: Game> Oracle<G> {
    /// The value of a position for the player to move.
    fn exact(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Value>, Trouble> {
        if let Some(payoff) = self.game.outcome(pos) {
            return Ok(Some(Value::new(self.game.turn(pos).sees(payoff), 0)));
        }
        if let Some(table) = &self.table {
            return table.value(&self.game, pos);
        }
        if let Some(value) = self.whole(watch).and_then(|memo| memo.value(pos)) {
            return Ok(Some(value));
        }
        let board = self.board.map(|board| board(&self.game, pos));
        match board {
            Some(board) if outplay_connect::check(&board).is_ok() => self.by_connect(&board, watch),
            Some(board) => self.by_board(&board, watch),
            None => self.by_memory(pos, watch),
        }
    }

    /// The whole game from its start, solved at the first question if it is small.
    fn whole(&self, watch: &dyn Watch) -> Option<&Memo<G>> {
        if let Some(known) = self.small.get() {
            return known.as_ref();
        }
        let quiet = Deadline::new(None, watch).silent();
        let found = self.game.start().map(|start| memo(&self.game, &start, SMALL, &quiet));
        // A stop says nothing about the game, so nothing is kept of it.
        if matches!(found, Some(Err(SolveError::Stopped))) {
            return None;
        }
        self.small.get_or_init(|| found.and_then(Result::ok)).as_ref()
    }

    fn by_connect(&self, board: &LineBoard, watch: &dyn Watch) -> Result<Option<Value>, Trouble> {
        let left = (board.playable_cells() - board.stones()) as u32;
        if let Some(score) = openings::book(board).and_then(|book| book.probe(board)) {
            return Ok(Some(outplay_connect::value(score, left)));
        }
        let kept = lock(&self.solvers).pop();
        let mut solver = kept.unwrap_or_else(|| Solver::new(entries(board, self.options.hash)));
        let limits = Limits { nodes: None, time: self.options.time };
        let quiet = Deadline::new(None, watch).silent();
        let answer = solver.solve(board, Depth::Score, limits, &quiet, self.options.threads);
        let mut solvers = lock(&self.solvers);
        if solvers.len() < MOST_SOLVERS {
            solvers.push(solver);
        }
        Ok(answer?.value())
    }

    /// Boards on which stones stay where they are put, and misère.
    fn by_board(&self, board: &LineBoard, watch: &dyn Watch) -> Result<Option<Value>, Trouble> {
        let deadline = Deadline::new(self.options.time, watch).silent();
        let planes = boards::options(Values::Distance, self.options.threads, self.options.memory, None);
        let planes = outplay_dense::Options { counts: false, ..planes };
        if outplay_dense::plan(board, &planes, false).is_ok_and(|plan| plan.slots <= WHOLE) {
            return match boards::dense(board, &planes, None, &deadline) {
                Ok((solution, _)) => Ok(solution.value),
                Err(trouble) if trouble.is_stop() && deadline.passed() => Ok(None),
                Err(trouble) => Err(trouble),
            };
        }
        if board.gravity || board.misere || board.cells.len() > PROVABLE {
            return Ok(None);
        }
        let limits = outplay_proof::Limits {
            time: self.options.time,
            bytes: self.options.memory / 2,
            ..outplay_proof::Limits::default()
        };
        let found = outplay_proof::prove(board, &limits, &deadline)?;
        Ok(found.verdict().map(|verdict| Value::untimed(verdict as i32 - 1)))
    }

    fn by_memory(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Value>, Trouble> {
        let known = lock(&self.recent).clone();
        if let Some(value) = known.and_then(|memo| memo.value(pos)) {
            return Ok(Some(value));
        }
        let deadline = Deadline::new(self.options.time, watch).silent();
        let each = (2 * (size_of::<G::Position>() + size_of::<Value>() + 8)) as u64;
        let most = (self.options.memory / each).clamp(1000, QUERY_POSITIONS);
        match memo(&self.game, pos, most, &deadline) {
            Ok(found) => {
                let value = found.found().value;
                *lock(&self.recent) = Some(Arc::new(found));
                Ok(Some(value))
            }
            Err(SolveError::TooLarge(_) | SolveError::Loops(_)) => Ok(None),
            Err(SolveError::Stopped) if deadline.passed() => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// What players are told of a command's troubles.
fn told(trouble: Trouble) -> PlayError {
    match trouble {
        trouble if trouble.is_stop() => PlayError::Stopped,
        Trouble::Input(error) => PlayError::Input(error),
        Trouble::Search(error) => PlayError::Search(error),
        Trouble::Probe(error) => PlayError::Probe(error),
        other => PlayError::Unknown(match other.cure() {
            Some(cure) => format!("{other}; {cure}"),
            None => other.to_string(),
        }),
    }
}

impl<G: Game> Truth<G> for Oracle<G> {
    fn moves(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merits<G::Move>>, PlayError> {
        // Solving the position first leaves in the memory what its moves need.
        if self.board.is_none() && self.exact(pos, watch).map_err(told)?.is_none() {
            return Ok(None);
        }
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let turn = self.game.turn(pos);
        let mut merits = Vec::with_capacity(moves.len());
        for mv in moves {
            let next = self.game.play(pos, mv);
            let Some(value) = self.exact(&next, watch).map_err(told)? else { return Ok(None) };
            merits.push((mv, Merit::Value(value.before(self.game.turn(&next) == turn))));
        }
        Ok(Some(merits))
    }

    fn value(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merit>, PlayError> {
        Ok(self.exact(pos, watch).map_err(told)?.map(Merit::Value))
    }
}
