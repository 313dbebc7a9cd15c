//! External engine as a player: the part of the host that does not depend on the protocol (UGI or Gomocup).

use crate::child::EngineProcess;
use crate::engine_pool::{EnginePool, EngineSpec};
use crate::history::History;
use outplay_core::{AnyGame, AnyPosition, Game, Notation, Turn};
use outplay_players::{Choice, PlayError, Player};
use outplay_runtime::Monitor;

/// The host's side of a protocol.
pub(crate) trait Protocol: Send {
    /// The name before the colon of a spec.
    const NAME: &'static str;

    /// Returns an engine that is ready for a new game: an idle one that still answers, or a new one.
    fn ready(&mut self, seat: &Seat, idle: Option<EngineProcess>) -> Result<EngineProcess, PlayError>;

    /// Searches a position; `by_turn` if it is one move of the opponent after the last one. An engine is kept in
    /// [`Seat::child`] for the next turn unless it failed to answer: its late answer would be taken for the next one.
    fn ask(
        &mut self,
        seat: &mut Seat,
        child: EngineProcess,
        pos: &AnyPosition,
        by_turn: bool,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError>;
}

/// A game, the engine that plays it, and the moves so far.
pub(crate) struct Seat {
    pub(crate) game: AnyGame,
    pub(crate) parts: EngineSpec,
    pub(crate) child: Option<EngineProcess>,
    pub(crate) history: History,
}

/// An engine as a player.
pub(crate) struct EnginePlayer<P: Protocol> {
    pool: EnginePool,
    /// The key of an idle engine: protocol, command and game.
    pool_key: String,
    seat: Seat,
    trouble: Option<PlayError>,
    protocol: P,
}

impl<P: Protocol> EnginePlayer<P> {
    pub(crate) fn new(pool: EnginePool, game: AnyGame, parts: EngineSpec, protocol: P) -> EnginePlayer<P> {
        let pool_key = format!("{}\0{}\0{}", P::NAME, parts.words.join("\0"), game.spec());
        let seat = Seat { game, parts, child: None, history: History::default() };
        EnginePlayer { pool, pool_key, seat, trouble: None, protocol }
    }
}

impl<P: Protocol> Player for EnginePlayer<P> {
    fn spec(&self) -> String {
        self.seat.parts.spec.clone()
    }

    fn ready(&mut self) -> Result<(), PlayError> {
        self.begin(0);
        self.trouble.take().map_or(Ok(()), Err)
    }

    fn begin(&mut self, _seed: u64) {
        self.seat.history.clear();
        self.trouble = None;
        let idle = self.seat.child.take().or_else(|| self.pool.take(&self.pool_key));
        match self.protocol.ready(&self.seat, idle) {
            Ok(child) => self.seat.child = Some(child),
            Err(error) => self.trouble = Some(error),
        }
    }

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        if self.seat.game.turn(pos) == Turn::Chance || self.seat.game.outcome(pos).is_some() {
            return Err(PlayError::NoMove);
        }
        if monitor.stopped() {
            return Err(PlayError::Stopped);
        }
        if self.seat.child.is_none() && self.trouble.is_none() {
            self.begin(0);
        }
        if let Some(trouble) = self.trouble.take() {
            return Err(trouble);
        }
        let Some(child) = self.seat.child.take() else { return Err(PlayError::NoMove) };
        let by_turn = self.seat.history.reach(&self.seat.game, pos);
        let choice = self.protocol.ask(&mut self.seat, child, pos, by_turn, monitor)?;
        self.seat.history.made(&self.seat.game, pos, choice.mv);
        Ok(choice)
    }
}

impl<P: Protocol> Drop for EnginePlayer<P> {
    fn drop(&mut self) {
        if let Some(child) = self.seat.child.take() {
            self.pool.keep(&self.pool_key, child);
        }
    }
}
