//! A small board solved once and kept, so that every later question about its game is a look-up.

use crate::entry::Entry;
use crate::handle::QueryOptions;
use crate::oracle::Oracle;
use crate::{Trouble, boards};
use outplay_core::{Game, LineBoard, Notation, Value, Watch};
use outplay_dense::Dense;
use outplay_players::{Merit, Merits, PlayError, Truth};
use outplay_table::Values;
use std::sync::Arc;

/// Positions of the largest board that is kept: some tens of megabytes.
const KEPT: u128 = 50_000_000;

/// All values of a game of lines.
pub(crate) struct Whole {
    dense: Dense,
}

impl Whole {
    /// The value of a position that play reaches; `None` of any other.
    pub(crate) fn value(&self, board: &LineBoard, start: &LineBoard) -> Option<Value> {
        // The planes take the turn from the number of stones; a position may say otherwise.
        let placed = board.stones().checked_sub(start.stones())?;
        let turn = if placed.is_multiple_of(2) { start.turn } else { start.turn.other() };
        if board.turn != turn {
            return None;
        }
        self.dense.value(board)
    }
}

impl<G: Game + Notation> Entry<G> {
    /// The value of a position from the planes of the whole game, which are made at the first question if they have
    /// at most `most` positions.
    pub(crate) fn whole_value(
        &self,
        pos: &G::Position,
        options: &QueryOptions,
        most: u128,
        watch: &dyn Watch,
    ) -> Option<Value> {
        if let Some(payoff) = self.game.outcome(pos) {
            return Some(Value::new(self.game.turn(pos).sees(payoff), 0));
        }
        let to_board = self.board?;
        let start = to_board(&self.game, &self.game.start()?);
        let whole = self.whole(&start, options, most.min(KEPT), watch)?;
        whole.value(&to_board(&self.game, pos), &start)
    }

    fn whole(
        &self,
        start: &LineBoard,
        options: &QueryOptions,
        most: u128,
        watch: &dyn Watch,
    ) -> Option<Arc<Whole>> {
        // A thread that failed while making planes left none.
        let mut kept = self.whole.lock().unwrap_or_else(|poisoned| poisoned.into_inner());
        if let Some(whole) = &*kept {
            return Some(Arc::clone(whole));
        }
        let planes = boards::options(Values::Distance, options.threads, options.memory, None);
        let planes = outplay_dense::Options { counts: false, ..planes };
        let plan = outplay_dense::plan(start, &planes, false).ok()?;
        if plan.slots > most {
            return None;
        }
        // Too little memory, or a stop: the question is answered in another way, or not at all.
        let dense = Dense::new(start, &planes, watch).ok()?;
        Some(Arc::clone(kept.insert(Arc::new(Whole { dense }))))
    }

    /// Exact knowledge that looks into the planes of a small game before anything else.
    pub(crate) fn informed<'a>(&'a self, options: &'a QueryOptions) -> Result<Informed<'a, G>, Trouble> {
        Ok(Informed { entry: self, oracle: self.oracle(options)?, options })
    }
}

/// The planes of a small game, else whatever else knows.
pub(crate) struct Informed<'a, G: Game> {
    entry: &'a Entry<G>,
    oracle: Arc<Oracle<G>>,
    options: &'a QueryOptions,
}

impl<G: Game + Notation> Truth<G> for Informed<'_, G> {
    fn moves(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merits<G::Move>>, PlayError> {
        let whole = |pos: &G::Position| self.entry.whole_value(pos, self.options, KEPT, watch);
        if whole(pos).is_none() {
            return self.oracle.moves(pos, watch);
        }
        let game = &self.entry.game;
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let mut merits = Vec::with_capacity(moves.len());
        for mv in moves {
            let next = game.play(pos, mv);
            let Some(value) = whole(&next) else { return self.oracle.moves(pos, watch) };
            merits.push((mv, Merit::Value(value.before(game.turn(&next) == game.turn(pos)))));
        }
        Ok(Some(merits))
    }

    fn value(&self, pos: &G::Position, watch: &dyn Watch) -> Result<Option<Merit>, PlayError> {
        match self.entry.whole_value(pos, self.options, KEPT, watch) {
            Some(value) => Ok(Some(Merit::Value(value))),
            None => self.oracle.value(pos, watch),
        }
    }
}
