//! Swindling: the moves of a lost position, ranked against a model of a fallible opponent.
//!
//! # The model
//!
//! The opponent is to move in a position that is won for the opponent. `good` is the number of moves that keep the
//! payoff, `bad` the number of those that do not, and the quickest win takes `d` plies. The shorter the win and the
//! larger the share of good moves, the less likely is an error:
//!
//! ```text
//! seen     = exp(−(d − 1) / horizon)              a win in one is always seen, far ones hardly
//! slip     = (1 − seen) × bad / (good + bad)      the probability of an error
//! chance   = slip × mean gain of the bad moves + (1 − slip) × mean over the good moves of our chance after them
//! ```
//!
//! The gain of an error is the share of the payoff that it gives away, from 0 to 1: with payoffs −1, 0 and 1 a draw
//! is worth one half and a win one. Our chance after a good move is that of our best reply, searched to a fixed depth
//! and 0 beyond. Moves of equal chance are ordered by distance, the longest defence first.

use outplay_core::{Game, Probe, ProbeError, Value};
use outplay_runtime::{Monitor, NoMonitor, Pace};
use std::cell::RefCell;

/// Model of a fallible opponent: its horizon and search depth.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Fallible {
    /// Plies at which a win is found with probability 1/e; larger means a stronger opponent.
    pub horizon: f64,
    /// Search depth: further moves of the opponent to consider after the next one.
    pub ahead: u32,
}

impl Default for Fallible {
    fn default() -> Fallible {
        Fallible { horizon: 8.0, ahead: 1 }
    }
}

/// A move of a lost position, ranked by the expected gain from the opponent's errors.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Hope<M> {
    /// The move.
    pub mv: M,
    /// Expected gain from errors after this move, from 0 to 1.
    pub chance: f64,
    /// Its value against perfect play.
    pub value: Value,
}

/// Ranks the moves of a lost position, the most difficult for the opponent first. `None` if the position is not lost
/// or is finished, or if a value is missing from the source.
///
/// # Errors
///
/// The source is damaged.
pub fn hardest<G: Game>(
    game: &G,
    probe: &dyn Probe<G>,
    pos: &G::Position,
    model: Fallible,
) -> Result<Option<Vec<Hope<G::Move>>>, ProbeError> {
    hardest_watched(game, probe, pos, model, &NoMonitor)
}

/// Like [`hardest`], with cancellation; returns `None` when cancelled.
///
/// # Errors
///
/// The source is damaged.
pub fn hardest_watched<G: Game>(
    game: &G,
    probe: &dyn Probe<G>,
    pos: &G::Position,
    model: Fallible,
    monitor: &dyn Monitor,
) -> Result<Option<Vec<Hope<G::Move>>>, ProbeError> {
    let Some(value) = probe.probe(pos)? else { return Ok(None) };
    if value.payoff() >= 0 || game.outcome(pos).is_some() {
        return Ok(None);
    }
    let swindler = Swindler { game, probe, model, pace: RefCell::new(Pace::new(monitor)) };
    let Some(mut hopes) = swindler.hopes(pos, model.ahead)? else { return Ok(None) };
    hopes.sort_by(|a, b| b.chance.total_cmp(&a.chance).then(b.value.cmp(&a.value)));
    Ok(Some(hopes))
}

struct Swindler<'a, G: Game> {
    game: &'a G,
    probe: &'a dyn Probe<G>,
    model: Fallible,
    pace: RefCell<Pace<'a>>,
}

impl<G: Game> Swindler<'_, G> {
    /// The value of a position; `None` if it is missing or the work was cancelled.
    fn ask(&self, pos: &G::Position) -> Result<Option<Value>, ProbeError> {
        if self.pace.borrow_mut().step() { Ok(None) } else { self.probe.probe(pos) }
    }

    /// Rates the moves of a lost position of ours; `None` if a value is missing.
    fn hopes(&self, pos: &G::Position, ahead: u32) -> Result<Option<Vec<Hope<G::Move>>>, ProbeError> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        let mut hopes = Vec::with_capacity(moves.len());
        for mv in moves {
            let next = self.game.play(pos, mv);
            let same_player = self.game.turn(&next) == self.game.turn(pos);
            let Some(value) = self.ask(&next)? else { return Ok(None) };
            let chance = match same_player {
                // We move again: our best continuation counts.
                true => self.best(&next, ahead)?,
                false => self.after(&next, value, ahead)?,
            };
            let Some(chance) = chance else { return Ok(None) };
            hopes.push(Hope { mv, chance, value: value.before(same_player) });
        }
        Ok(Some(hopes))
    }

    fn best(&self, pos: &G::Position, ahead: u32) -> Result<Option<f64>, ProbeError> {
        let hopes = self.hopes(pos, ahead)?;
        Ok(hopes.map(|hopes| hopes.iter().map(|hope| hope.chance).fold(0.0, f64::max)))
    }

    /// Our chance when the opponent is to move in a won position.
    fn after(&self, pos: &G::Position, won: Value, ahead: u32) -> Result<Option<f64>, ProbeError> {
        let mut moves = Vec::new();
        self.game.moves(pos, &mut moves);
        if moves.is_empty() {
            return Ok(Some(0.0));
        }
        let (mut gains, mut good) = (Vec::new(), Vec::new());
        for mv in moves {
            let next = self.game.play(pos, mv);
            let same_player = self.game.turn(&next) == self.game.turn(pos);
            let Some(value) = self.ask(&next)? else { return Ok(None) };
            let kept = value.before(same_player).payoff();
            if kept < won.payoff() {
                let given = f64::from(won.payoff() - kept) / f64::from(2 * won.payoff().max(1));
                gains.push(given.min(1.0));
            } else {
                good.push((next, same_player, value));
            }
        }
        let plies = f64::from(won.distance().unwrap_or(1).max(1));
        let seen = (-(plies - 1.0) / self.model.horizon).exp();
        let slip = (1.0 - seen) * gains.len() as f64 / (gains.len() + good.len()) as f64;
        let mean = |sum: f64, count: usize| if count == 0 { 0.0 } else { sum / count as f64 };
        let mut later = 0.0;
        if ahead > 0 {
            for (next, same_player, value) in &good {
                let chance = match same_player {
                    true => self.after(next, *value, ahead - 1)?,
                    false => self.best(next, ahead - 1)?,
                };
                let Some(chance) = chance else { return Ok(None) };
                later += chance;
            }
        }
        let gained = mean(gains.iter().sum(), gains.len());
        Ok(Some(slip * gained + (1.0 - slip) * mean(later, good.len())))
    }
}
