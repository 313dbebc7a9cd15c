//! Exact knowledge for players: whatever knows first is asked first.
//!
//! ```text
//! the rules → the table → the whole game, if it is small → book and connect-k solver (stones that fall)
//!           → bit-planes (boards of lines) → proof search (verdicts) → what a query would say (loops, dice)
//! ```
//!
//! Invariant: what it says is exact; what it cannot find within its limits it does not say.

use crate::answers::Answer;
use crate::deadline::Deadline;
use crate::entry::{Entry, ToBoard};
use crate::handle::{Place, QueryOptions};
use crate::searching::{PROVABLE, WHOLE, entries};
use crate::tables::Opened;
use crate::{Trouble, boards, openings};
use outplay_connect::{Depth, Limits, Solver};
use outplay_core::{Game, LineBoard, Notation, Turn, Value, Watch};
use outplay_players::{Merit, Merits, Payoffs, PlayError, Truth};
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
    /// An entry of its own to ask what a query would say.
    twin: Entry<G>,
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
        // Means of games with dice are asked for through queries.
        let data = options.data.as_ref().filter(|_| self.dice.is_none());
        let table = data.map(|data| self.find_table(data, None)).transpose()?.flatten();
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
            twin: self.twin(),
            solvers: Mutex::new(Vec::new()),
        });
        Ok(kept.insert(oracle).clone())
    }
}

impl<G: Game + Notation> Oracle<G> {
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
            None => {
                let merits = self.by_query(pos, watch)?.unwrap_or_default();
                let best = merits.into_iter().map(|(_, merit)| merit).max_by(|a, b| a.compare(*b));
                Ok(best.and_then(|best| if let Merit::Value(value) = best { Some(value) } else { None }))
            }
        }
    }

    /// What is known already of a game that is small.
    pub(crate) fn small(&self, pos: &G::Position) -> Option<Value> {
        self.small.get()?.as_ref()?.value(pos)
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
        Ok(self.solved(board, Depth::Score, watch)?.value())
    }

    /// What the connect-k solver finds, with what it learned from earlier questions.
    fn solved(
        &self,
        board: &LineBoard,
        depth: Depth,
        watch: &dyn Watch,
    ) -> Result<outplay_connect::Answer, Trouble> {
        let kept = lock(&self.solvers).pop();
        let mut solver = kept.unwrap_or_else(|| Solver::new(entries(board, self.options.hash)));
        let limits = Limits { nodes: None, time: self.options.time };
        let quiet = Deadline::new(None, watch).silent();
        let answer = solver.solve(board, depth, limits, &quiet, self.options.threads);
        let mut solvers = lock(&self.solvers);
        if solvers.len() < MOST_SOLVERS {
            solvers.push(solver);
        }
        Ok(answer?)
    }

    /// The payoffs of the moves of a board of falling stones, each found as win, draw or loss only.
    fn by_verdicts(
        &self,
        pos: &G::Position,
        board: ToBoard<G>,
        watch: &dyn Watch,
    ) -> Result<Option<Payoffs<G::Move>>, Trouble> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut payoffs = Vec::with_capacity(moves.len());
        for mv in moves {
            let next = board(&self.game, &self.game.play(pos, mv));
            let Some(verdict) = self.solved(&next, Depth::Verdict, watch)?.verdict() else { return Ok(None) };
            payoffs.push((mv, f64::from(-verdict)));
        }
        Ok(Some(payoffs))
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

    /// What a query says about a position of a game with dice, before or after a roll.
    fn mean(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merit>, Trouble> {
        let quiet = Deadline::new(None, watch).silent();
        let place = Place::Position(self.game.write_position(pos));
        let answer = self.twin.query_moves(&place, &self.options, &quiet, &mut |_| {})?;
        Ok(merit(&answer.answer, self.game.turn(pos)))
    }

    /// What a query says about all moves of a position.
    fn by_query(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merits<G::Move>>, Trouble> {
        let quiet = Deadline::new(None, watch).silent();
        let place = Place::Position(self.game.write_position(pos));
        let answer = self.twin.query_moves(&place, &self.options, &quiet, &mut |_| {})?;
        let turn = self.game.turn(pos);
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut merits = Vec::with_capacity(moves.len());
        for mv in moves {
            let word = self.game.write_move(pos, mv);
            let Some(found) = answer.moves.iter().find(|found| found.mv == word) else { return Ok(None) };
            let Some(merit) = merit(&found.answer, turn) else { return Ok(None) };
            merits.push((mv, merit));
        }
        Ok(Some(merits))
    }
}

/// What an answer about a move says, to the player who makes it; `None` if it does not know.
fn merit(answer: &Answer, turn: Turn) -> Option<Merit> {
    if let Some(mean) = answer.mean {
        return Some(Merit::Mean(if turn == Turn::Second { -mean } else { mean }));
    }
    let sign = match answer.value {
        "win" => 1,
        "draw" if answer.repetition => return Some(Merit::Value(Value::REPETITION)),
        "draw" => 0,
        "loss" => -1,
        _ => return None,
    };
    let payoff = answer.payoff.map_or(sign, |payoff| sign * payoff.abs());
    Some(Merit::Value(answer.distance.map_or(Value::untimed(payoff), |plies| Value::new(payoff, plies))))
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

impl<G: Game + Notation> Truth<G> for Oracle<G> {
    fn moves(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merits<G::Move>>, PlayError> {
        let small = || self.whole(watch).is_some_and(|memo| memo.value(pos).is_some());
        if self.board.is_none() && !small() && self.table.is_none() {
            return self.by_query(pos, watch).map_err(told);
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

    fn payoffs(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Payoffs<G::Move>>, PlayError> {
        if let Some(board) = self.board.filter(|_| self.table.is_none())
            && outplay_connect::check(&board(&self.game, pos)).is_ok()
            && self.whole(watch).is_none()
        {
            return self.by_verdicts(pos, board, watch).map_err(told);
        }
        let merits = self.moves(pos, watch)?;
        Ok(merits.map(|merits| merits.into_iter().map(|(mv, merit)| (mv, merit.payoff())).collect()))
    }

    fn value(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merit>, PlayError> {
        if self.twin.dice.is_some() {
            return self.mean(pos, watch).map_err(told);
        }
        Ok(self.exact(pos, watch).map_err(told)?.map(Merit::Value))
    }
}
