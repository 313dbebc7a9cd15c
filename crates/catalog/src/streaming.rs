//! Queries whose answer arrives move by move, and queries that may not search.
//!
//! ```text
//!  rules → table → planes of a small game → book | connect-k | proof | memory → unknown
//!  └──────────── known at once ───────────────────┘
//! ```
//!
//! Invariant: every move that is reported stands in the final answer with the same value, so that what a
//! reader was shown never changes.

use crate::answers::{Answer, MoveAnswer, QueryAnswer};
use crate::deadline::Deadline;
use crate::entry::{Entry, QUERY_POSITIONS};
use crate::handle::{Place, QueryOptions};
use crate::searching::WHOLE;
use crate::{Trouble, boards, openings};
use outplay_core::{Game, Notation, Quiet, Value, Watch};
use outplay_solve::{SolveError, memo};
use outplay_table::Values;

/// Positions of the largest board that is solved whole without having to queue: a few milliseconds each.
const AT_ONCE: u128 = 2_000_000;

/// Empty cells with which the connect-k solver mostly finds an answer in seconds.
const SEARCHABLE: usize = 36;

/// Empty cells with which the proof search mostly finds an answer in seconds.
const PROVED: usize = 30;

impl<G: Game + Notation> Entry<G> {
    /// The value of a position and of each of its moves; `found` hears of moves as their values are found.
    pub(crate) fn query_moves(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble> {
        let pos = self.locate(place)?;
        if let Some(answer) = self.recorded(&pos, options)? {
            answer.moves.iter().for_each(found);
            return Ok(answer);
        }
        if self.dice.is_some() {
            let answer = self.query_dice(&pos, self.blank_query(&pos), options, watch)?;
            answer.moves.iter().for_each(found);
            return Ok(answer);
        }
        watch.stage("searching", 0);
        let mut unknown = QueryAnswer { source: "search", ..self.blank_query(&pos) };
        let whole = |pos: &G::Position| Ok(self.whole_value(pos, options, WHOLE, watch));
        if whole(&pos)?.is_some() {
            let answer = self.query_from(&pos, whole, unknown)?;
            answer.moves.iter().for_each(found);
            return Ok(answer);
        }
        if let Some(answer) = self.query_by_planes(&pos, &unknown, options, watch, found)? {
            return Ok(answer);
        }
        if let Some(board) = self.connect_board(&pos) {
            return self.query_by_connect(&pos, &board, unknown, options, watch, found);
        }
        if self.proof_board(&pos).is_some() {
            return self.query_by_proof(&pos, unknown, options, watch, found);
        }
        if self.loop_index().is_some() {
            let answer = self.query_loops(&pos, unknown, options, watch)?;
            answer.moves.iter().for_each(found);
            return Ok(answer);
        }
        let deadline = Deadline::new(options.time, watch);
        let most = Self::most_positions(options.memory).min(QUERY_POSITIONS);
        let remembered = match self.board {
            // A board that was too large for planes is too large to remember.
            Some(_) => Err(SolveError::TooLarge(0)),
            None => memo(&self.game, &pos, most, &deadline),
        };
        match remembered {
            Ok(memo) => {
                let answer = self.query_from(&pos, |pos| Ok(memo.value(pos)), unknown)?;
                answer.moves.iter().for_each(found);
                return Ok(answer);
            }
            Err(SolveError::Loops(_)) => {
                let answer = self.query_loops(&pos, unknown, options, watch)?;
                answer.moves.iter().for_each(found);
                return Ok(answer);
            }
            Err(SolveError::TooLarge(_)) => {}
            Err(SolveError::Stopped) if deadline.passed() => {}
            Err(error) => return Err(error.into()),
        }
        unknown.moves = self.unknown_moves(&pos);
        Ok(unknown)
    }

    /// The same from what needs no search: the rules, a table, what was solved whole before, the book, or the planes
    /// of a tiny board.
    pub(crate) fn known_moves(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Option<QueryAnswer>, Trouble> {
        let pos = self.locate(place)?;
        if let Some(answer) = self.recorded(&pos, options)? {
            return Ok(Some(answer));
        }
        let blank = QueryAnswer { source: "search", ..self.blank_query(&pos) };
        let whole = |pos: &G::Position| Ok(self.whole_value(pos, options, AT_ONCE, watch));
        if whole(&pos)?.is_some() {
            return self.query_from(&pos, whole, blank).map(Some);
        }
        if let Some(answer) = self.solved_once(&pos, &blank)? {
            return Ok(Some(answer));
        }
        if self.plane_slots(&pos, options).is_some_and(|slots| slots <= AT_ONCE) {
            return self.query_by_planes(&pos, &blank, options, watch, &mut |_| {});
        }
        match self.connect_board(&pos) {
            Some(board) => Ok(self.query_by_book(&pos, &board, &blank)),
            None => Ok(None),
        }
    }

    /// Whether a query can be expected to find exact values.
    pub(crate) fn is_exact(&self, place: &Place, options: &QueryOptions) -> Result<bool, Trouble> {
        let pos = self.locate(place)?;
        if self.plane_slots(&pos, options).is_some_and(|slots| slots <= WHOLE) {
            return Ok(true);
        }
        if let Some(board) = self.board.map(|board| board(&self.game, &pos)) {
            let empty = board.playable_cells() - board.stones();
            let within = |most: usize| empty <= most || openings::book(&board).is_some();
            return Ok(match (self.connect_board(&pos), self.proof_board(&pos)) {
                (Some(_), _) => within(SEARCHABLE),
                (_, Some(_)) => empty <= PROVED,
                _ => false,
            });
        }
        let table = options.data.as_ref().map(|data| self.kept_table(data)).transpose()?.flatten();
        if let Some(dice) = self.dice.as_deref() {
            // A game with an index of its own is too large to be solved on the way.
            return Ok(dice.explores()
                || self.known_means(&pos, &self.blank_query(&pos), options, &Quiet)?.is_some());
        }
        // Whether a game of another kind is small enough to remember shows only when it is tried.
        Ok(table.is_some() || self.game.start().is_some())
    }

    /// Positions of the board that the plane solver would go through, if it takes the board at all.
    pub(crate) fn plane_slots(&self, pos: &G::Position, options: &QueryOptions) -> Option<u128> {
        let to_board = self.board?;
        let planes = boards::options(Values::Distance, options.threads, options.memory, None);
        let planes = outplay_dense::Options { counts: false, ..planes };
        outplay_dense::plan(&to_board(&self.game, pos), &planes, false).ok().map(|plan| plan.slots)
    }

    /// What the rules or a table tell.
    fn recorded(&self, pos: &G::Position, options: &QueryOptions) -> Result<Option<QueryAnswer>, Trouble> {
        let blank = self.blank_query(pos);
        if let Some(payoff) = self.game.outcome(pos) {
            if self.dice.is_some() {
                let answer = Answer::mean(payoff.into(), self.game.best_payoff());
                return Ok(Some(QueryAnswer { answer, ..blank }));
            }
            let value = Value::new(self.game.turn(pos).sees(payoff), 0);
            let (answer, score) = (self.answer(pos, value), self.score(pos, value));
            return Ok(Some(QueryAnswer { answer, score, ..blank }));
        }
        if self.dice.is_some() {
            return self.known_means(pos, &blank, options, &Quiet);
        }
        let table = options.data.as_ref().map(|data| self.kept_table(data)).transpose()?.flatten();
        let Some(table) = table.filter(|table| table.index.has(pos)) else { return Ok(None) };
        let value = |pos: &G::Position| self.probe(&table, pos);
        self.query_from(pos, value, QueryAnswer { source: "table", ..blank }).map(Some)
    }

    pub(crate) fn blank_query(&self, pos: &G::Position) -> QueryAnswer {
        let most = self.game.best_payoff();
        QueryAnswer {
            game: self.game.spec(),
            position: self.game.write_position(pos),
            to_move: self.to_move(pos),
            answer: Answer::unknown(-most, most),
            score: None,
            best: Vec::new(),
            moves: Vec::new(),
            line: Vec::new(),
            source: "rules",
            probe_hits: None,
        }
    }
}
