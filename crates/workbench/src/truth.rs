//! Exact oracle (game-theoretic values) for players, the referee and explanations, on top of the ladder of sources.

use crate::move_values::{Detail, PositionValues};
use crate::{Effort, GameHandle, Ladder, PATIENCE, ProvenValue, Session, Trouble};
use outplay_core::{AnyPosition, Game, Turn};
use outplay_players::{Best, ExactOracle, MoveValue, MoveValues, Payoffs, PlayError};
use outplay_runtime::{Deadline, Monitor};

/// Exact values of one game from all sources of the ladder, within limits for each query.
pub struct Oracle {
    session: Session,
    handle: GameHandle,
}

/// Converts a command's error to a player's error.
fn play_error(trouble: Trouble) -> PlayError {
    match trouble {
        trouble if trouble.is_stop() => PlayError::Stopped,
        Trouble::Input(error) => PlayError::Input(error),
        Trouble::Search(error) => PlayError::Search(error),
        Trouble::Probe(error) => PlayError::Probe(error),
        other => PlayError::Source(other.to_string()),
    }
}

impl Oracle {
    /// Creates an oracle within limits for each query.
    pub fn new(session: Session, handle: GameHandle) -> Oracle {
        Oracle { session, handle }
    }

    /// Asks the ladder within the time limit of one query.
    fn climb<T>(
        &self,
        watch: &dyn Monitor,
        question: impl FnOnce(&Ladder<'_>) -> Result<T, Trouble>,
    ) -> Result<T, PlayError> {
        let clock = Deadline::new(Some(self.session.time.unwrap_or(PATIENCE)), watch).silent();
        let ladder = Ladder::new(&self.session, &self.handle, &clock, Effort::Full);
        question(&ladder).map_err(play_error)
    }

    /// Converts a proven value to a move value for the player to move; `None` if it is not exact.
    fn merit(&self, turn: Turn, proven: ProvenValue) -> Option<MoveValue> {
        match proven {
            ProvenValue::Exact(value) => Some(MoveValue::Value(value)),
            ProvenValue::Mean(mean) => Some(MoveValue::Mean(if turn == Turn::Second { -mean } else { mean })),
            ProvenValue::Between(..) => None,
        }
    }

    /// Returns the values of a position and of all of its moves for the player to move; `None` if the limits do not
    /// suffice. With `verdict`, win, draw or loss is enough.
    pub(crate) fn known(
        &self,
        pos: &AnyPosition,
        verdict: bool,
        watch: &dyn Monitor,
    ) -> Result<(Option<MoveValue>, Option<MoveValues>), PlayError> {
        let turn = self.handle.game().turn(pos);
        let asked = self.climb(watch, |ladder| {
            let asked = ladder.moves(pos, Detail::Moves, verdict, &mut |_| {})?;
            ladder.remember(pos, &asked.known, &[], asked.took);
            Ok(asked)
        })?;
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        let moves = asked.moves.iter().map(|valued| Some((valued.mv, self.merit(turn, valued.proven)?)));
        Ok((self.merit(turn, asked.known.proven), moves.collect()))
    }
}

impl ExactOracle for Oracle {
    fn moves(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Option<MoveValues>, PlayError> {
        Ok(self.known(pos, false, watch)?.1)
    }

    fn payoffs(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Option<Payoffs>, PlayError> {
        let (_, merits) = self.known(pos, true, watch)?;
        Ok(merits.map(|merits| merits.into_iter().map(|(mv, merit)| (mv, merit.payoff())).collect()))
    }

    fn best(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Option<Best>, PlayError> {
        let turn = self.handle.game().turn(pos);
        // If every value is free to look up, all best moves are known without a search.
        let near = self.climb(watch, |ladder| {
            let at_once = Ladder { effort: Effort::AtOnce, ..*ladder };
            at_once.moves(pos, Detail::Moves, false, &mut |_| {})
        })?;
        let complete = |asked: &PositionValues| asked.all && !asked.best.is_empty();
        let asked = match complete(&near) {
            true => near,
            false => self.climb(watch, |ladder| {
                let asked = ladder.moves(pos, Detail::Best, false, &mut |_| {})?;
                ladder.remember(pos, &asked.known, &[], asked.took);
                Ok(asked)
            })?,
        };
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        let merit = asked.moves.iter().find(|valued| asked.best.contains(&valued.mv));
        let merit = merit.and_then(|valued| self.merit(turn, valued.proven));
        Ok(merit.map(|merit| Best { merit, moves: asked.best, all: asked.all }))
    }

    fn value(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Option<MoveValue>, PlayError> {
        let known = self.climb(watch, |ladder| ladder.ask(pos, false, &mut |_| {}))?;
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        Ok(self.merit(self.handle.game().turn(pos), known.proven))
    }
}
