//! Exact knowledge for players, the judge and explanations: the ladder, once more.

use crate::Trouble;
use crate::entry::Entry;
use crate::ladder::{Ladder, Reach, Worth};
use crate::query::{Ask, Asked};
use crate::request::{PATIENCE, QueryOptions};
use outplay_core::{AnyPosition, Deadline, Game, Turn, Watch};
use outplay_players::{Best, Merit, Merits, Payoffs, PlayError, Truth};

/// Everything that may know exact values of one game, within limits for each question.
pub struct Oracle {
    entry: Entry,
    options: QueryOptions,
}

/// What players are told of a command's troubles.
fn told(trouble: Trouble) -> PlayError {
    match trouble {
        trouble if trouble.is_stop() => PlayError::Stopped,
        Trouble::Input(error) => PlayError::Input(error),
        Trouble::Search(error) => PlayError::Search(error),
        Trouble::Probe(error) => PlayError::Probe(error),
        other => PlayError::Source(other.to_string()),
    }
}

impl Oracle {
    /// Knowledge of a game within limits for each question.
    pub fn new(entry: Entry, options: QueryOptions) -> Oracle {
        Oracle { entry, options }
    }

    /// Goes up the ladder with the time that one question has.
    fn climb<T>(
        &self,
        watch: &dyn Watch,
        question: impl FnOnce(&Ladder<'_>) -> Result<T, Trouble>,
    ) -> Result<T, PlayError> {
        let clock = Deadline::new(Some(self.options.time.unwrap_or(PATIENCE)), watch).silent();
        let ladder = Ladder { entry: &self.entry, options: &self.options, clock: &clock, reach: Reach::Far };
        question(&ladder).map_err(told)
    }

    /// What a worth is to the player to move; `None` if it is not known.
    fn merit(&self, turn: Turn, worth: Worth) -> Option<Merit> {
        match worth {
            Worth::Exact(value) => Some(Merit::Value(value)),
            Worth::Mean(mean) => Some(Merit::Mean(if turn == Turn::Second { -mean } else { mean })),
            Worth::Between(..) => None,
        }
    }

    fn merits(
        &self,
        pos: &AnyPosition,
        verdict: bool,
        watch: &dyn Watch,
    ) -> Result<Option<Merits>, PlayError> {
        let turn = self.entry.game().turn(pos);
        let asked = self.climb(watch, |ladder| ladder.moves(pos, Ask::Moves, verdict, &mut |_| {}))?;
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        Ok(asked.moves.iter().map(|valued| Some((valued.mv, self.merit(turn, valued.worth)?))).collect())
    }
}

impl Truth for Oracle {
    fn moves(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Merits>, PlayError> {
        self.merits(pos, false, watch)
    }

    fn payoffs(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Payoffs>, PlayError> {
        let merits = self.merits(pos, true, watch)?;
        Ok(merits.map(|merits| merits.into_iter().map(|(mv, merit)| (mv, merit.payoff())).collect()))
    }

    fn best(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Best>, PlayError> {
        let turn = self.entry.game().turn(pos);
        // Where everything is at hand, all best moves are known at once.
        let near = self.climb(watch, |ladder| {
            let at_once = Ladder { reach: Reach::AtOnce, ..*ladder };
            at_once.moves(pos, Ask::Moves, false, &mut |_| {})
        })?;
        let complete = |asked: &Asked| asked.all && !asked.best.is_empty();
        let asked = match complete(&near) {
            true => near,
            false => self.climb(watch, |ladder| ladder.moves(pos, Ask::Best, false, &mut |_| {}))?,
        };
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        let merit = asked.moves.iter().find(|valued| asked.best.contains(&valued.mv));
        let merit = merit.and_then(|valued| self.merit(turn, valued.worth));
        Ok(merit.map(|merit| Best { merit, moves: asked.best, all: asked.all }))
    }

    fn value(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Option<Merit>, PlayError> {
        let known = self.climb(watch, |ladder| ladder.ask(pos, false, &mut |_| {}))?;
        if watch.stopped() {
            return Err(PlayError::Stopped);
        }
        Ok(self.merit(self.entry.game().turn(pos), known.worth))
    }
}
