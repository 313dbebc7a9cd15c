//! Games with dice: expectiminimax, and Star1 and Star2, which prune at chance nodes.
//!
//! ```text
//!   MAX        a roll is worth the mean of its outcomes. While some of them are unknown, they
//!    |         are worth at least -best and at most +best, so the mean is bounded, and the
//!  roll ( )    window of the roll becomes a window for each outcome (Star1). Star2 first looks
//!  / | \       at one reply to every outcome, which narrows those bounds.
//! MIN …
//! ```
//!
//! Values are the first player's mean payoffs. Ballard, "The *-minimax search procedure for trees containing
//! chance nodes", 1983.
//!
//! Invariant: a value strictly inside its window is exact; at or outside it, a bound on that side.

use crate::clock::{Clock, Purse, Stop};
use crate::stack::{MOST_PLIES, with_room};
use crate::{Evaluate, Limit, Limits, SearchError};
use outplay_core::{Chance, Game, Turn, Watch};
use std::time::Instant;

/// What is left out at chance nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiceMethod {
    /// Nothing anywhere: the textbook.
    Expectiminimax,
    /// Outcomes that cannot bring the mean back into the window; alpha-beta at the players' nodes.
    Star1,
    /// The same after a look at one reply to each outcome.
    #[default]
    Star2,
}

/// What a search of a game with dice found.
#[derive(Clone, PartialEq, Debug)]
pub struct DiceReport<M> {
    /// The first player's mean payoff; `None` if the search was stopped.
    pub value: Option<f64>,
    /// Whether the value is that of the game: the search saw all of it and needed no opinion.
    pub exact: bool,
    /// The best move; `None` if the game is over, dice are rolled first, or the search was stopped.
    pub best: Option<M>,
    /// What ended the search before its value was exact.
    pub limit: Option<Limit>,
    /// Positions entered.
    pub nodes: u64,
    /// Positions among them that were finished or at the horizon.
    pub leaves: u64,
    /// Players' positions left early.
    pub cutoffs: u64,
    /// Chance positions left early.
    pub dice_cutoffs: u64,
    /// Time on the wall.
    pub seconds: f64,
}

/// The value of a position of a game with dice, looking `limits.depth` plies ahead, rolls included.
///
/// An opinion of 100 counts as a payoff of 1, and is cut to the game's best payoff.
///
/// # Errors
///
/// A fault of the rules.
pub fn expectimax<G: Chance, E: Evaluate<G>>(
    game: &G,
    pos: &G::Position,
    evaluate: &E,
    method: DiceMethod,
    limits: Limits,
    watch: &dyn Watch,
) -> Result<DiceReport<G::Move>, SearchError> {
    let begin = Instant::now();
    let fault = || game.fault();
    let purse = Purse::new(&limits, watch, &fault);
    let plies = limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES);
    let best = f64::from(game.best_payoff());
    let mut report = with_room(plies, || {
        let mut dice = Dice {
            game,
            evaluate,
            method,
            best,
            clock: Clock::new(&purse),
            moves: Vec::new(),
            rolls: Vec::new(),
            choice: None,
            leaves: 0,
            opinions: 0,
            cutoffs: 0,
            dice_cutoffs: 0,
        };
        // Beyond the best payoffs, so that every real value lies strictly inside.
        let value = if dice.clock.must_stop() { 0.0 } else { dice.enter(pos, plies, 0, dice.open()) };
        let stopped = dice.clock.stopped;
        DiceReport {
            value: (!stopped).then_some(value),
            exact: !stopped && dice.opinions == 0,
            best: dice.choice.filter(|_| !stopped),
            limit: None,
            nodes: dice.clock.nodes(),
            leaves: dice.leaves,
            cutoffs: dice.cutoffs,
            dice_cutoffs: dice.dice_cutoffs,
            seconds: 0.0,
        }
    });
    report.limit = match purse.why() {
        Some(Stop::Error(error)) => return Err(error),
        Some(Stop::Limit(limit)) => Some(limit),
        _ => (!report.exact).then_some(Limit::Depth),
    };
    report.seconds = begin.elapsed().as_secs_f64();
    Ok(report)
}

/// Where a value matters.
#[derive(Clone, Copy)]
struct Window {
    alpha: f64,
    beta: f64,
}

/// One outcome of a roll and what is known about its value.
struct Roll<M> {
    mv: M,
    probability: f64,
    low: f64,
    high: f64,
    /// A reply that Star2 looked at and what it is worth.
    glanced: Option<(M, f64)>,
}

struct Dice<'a, G: Game, E> {
    game: &'a G,
    evaluate: &'a E,
    method: DiceMethod,
    best: f64,
    clock: Clock<'a>,
    moves: Vec<G::Move>,
    rolls: Vec<(G::Move, f64)>,
    /// The best move at the root.
    choice: Option<G::Move>,
    leaves: u64,
    opinions: u64,
    cutoffs: u64,
    dice_cutoffs: u64,
}

impl<G: Chance, E: Evaluate<G>> Dice<'_, G, E> {
    fn open(&self) -> Window {
        Window { alpha: -self.best - 1.0, beta: self.best + 1.0 }
    }

    fn prunes(&self) -> bool {
        self.method != DiceMethod::Expectiminimax
    }

    /// Enters a successor, counting it.
    fn child(&mut self, pos: &G::Position, mv: G::Move, depth: u32, ply: u32, window: Window) -> f64 {
        if self.clock.must_stop() {
            return 0.0;
        }
        let next = self.game.play(pos, mv);
        self.enter(&next, depth - 1, ply + 1, window)
    }

    fn enter(&mut self, pos: &G::Position, depth: u32, ply: u32, window: Window) -> f64 {
        if let Some(payoff) = self.game.outcome(pos) {
            self.leaves += 1;
            return f64::from(payoff);
        }
        let turn = self.game.turn(pos);
        if depth == 0 {
            self.leaves += 1;
            self.opinions += 1;
            let score = f64::from(self.evaluate.score(self.game, pos)) / 100.0;
            let first = if turn == Turn::Second { -score } else { score };
            return first.clamp(-self.best, self.best);
        }
        match turn {
            Turn::Chance => self.roll(pos, depth, ply, window),
            player => self.choose(pos, player, depth, ply, window, None),
        }
    }

    /// A player's position: alpha-beta. What one reply is worth may be known already.
    fn choose(
        &mut self,
        pos: &G::Position,
        player: Turn,
        depth: u32,
        ply: u32,
        window: Window,
        known: Option<(G::Move, f64)>,
    ) -> f64 {
        let max = player == Turn::First;
        let base = self.moves.len();
        self.game.moves(pos, &mut self.moves);
        if let Some((reply, _)) = known
            && let Some(at) = self.moves[base..].iter().position(|&mv| mv == reply)
        {
            self.moves.swap(base, base + at);
        }
        let mut inner = window;
        let mut best = if max { f64::NEG_INFINITY } else { f64::INFINITY };
        for at in base..self.moves.len() {
            let mv = self.moves[at];
            let value = match known {
                Some((reply, value)) if reply == mv => value,
                _ => self.child(pos, mv, depth, ply, if self.prunes() { inner } else { self.open() }),
            };
            if self.clock.stopped {
                break;
            }
            if if max { value > best } else { value < best } {
                best = value;
                if ply == 0 {
                    self.choice = Some(mv);
                }
            }
            if max {
                inner.alpha = inner.alpha.max(best);
            } else {
                inner.beta = inner.beta.min(best);
            }
            if self.prunes() && inner.alpha >= inner.beta {
                self.cutoffs += 1;
                break;
            }
        }
        self.moves.truncate(base);
        best
    }

    /// A chance position: the mean of its outcomes, or a bound of it outside the window.
    fn roll(&mut self, pos: &G::Position, depth: u32, ply: u32, window: Window) -> f64 {
        let base = self.rolls.len();
        self.game.outcomes(pos, &mut self.rolls);
        let (low, high) = (-self.best, self.best);
        let possible = self.rolls.drain(base..).filter(|&(_, probability)| probability > 0.0);
        let mut rolls: Vec<Roll<G::Move>> =
            possible.map(|(mv, probability)| Roll { mv, probability, low, high, glanced: None }).collect();
        if self.method == DiceMethod::Star2
            && depth > 1
            && let Some(bound) = self.glance(pos, depth, ply, window, &mut rolls)
        {
            return bound;
        }
        let mut low: f64 = rolls.iter().map(|roll| roll.probability * roll.low).sum();
        let mut high: f64 = rolls.iter().map(|roll| roll.probability * roll.high).sum();
        let mut mean = 0.0;
        for i in 0..rolls.len() {
            let Roll { mv, probability, low: least, high: most, glanced } = rolls[i];
            // What the others contribute at least and at most.
            let others = (low - probability * least, high - probability * most);
            let needed = Window {
                alpha: (window.alpha - others.1) / probability,
                beta: (window.beta - others.0) / probability,
            };
            let value = match glanced {
                None => self.child(pos, mv, depth, ply, self.narrowed(needed)),
                Some(_) if self.clock.must_stop() => 0.0,
                Some(_) => {
                    let next = self.game.play(pos, mv);
                    let player = self.game.turn(&next);
                    self.choose(&next, player, depth - 1, ply + 1, self.narrowed(needed), glanced)
                }
            };
            if self.clock.stopped {
                return 0.0;
            }
            mean += probability * value;
            (low, high) = (others.0 + probability * value, others.1 + probability * value);
            let last = i + 1 == rolls.len();
            if self.prunes() && !last {
                if value <= needed.alpha {
                    self.dice_cutoffs += 1;
                    return high;
                }
                if value >= needed.beta {
                    self.dice_cutoffs += 1;
                    return low;
                }
            }
        }
        mean
    }

    /// A window no wider than values can be.
    fn narrowed(&self, window: Window) -> Window {
        let open = self.open();
        if !self.prunes() {
            return open;
        }
        Window { alpha: window.alpha.max(open.alpha), beta: window.beta.min(open.beta) }
    }

    /// Star2's look at one reply to each outcome. A reply of the first player's shows what the outcome is
    /// worth at least, one of the second's at most. Returns a bound if that already leaves the window; otherwise
    /// the values seen lie inside their windows, are exact, and need not be found again.
    fn glance(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        window: Window,
        rolls: &mut [Roll<G::Move>],
    ) -> Option<f64> {
        for i in 0..rolls.len() {
            let Roll { mv, probability, low: least, high: most, .. } = rolls[i];
            let next = self.game.play(pos, mv);
            let turn = self.game.turn(&next);
            if turn == Turn::Chance || self.game.outcome(&next).is_some() {
                continue;
            }
            let reply = self.likely_reply(&next)?;
            let low: f64 = rolls.iter().map(|roll| roll.probability * roll.low).sum();
            let high: f64 = rolls.iter().map(|roll| roll.probability * roll.high).sum();
            let others = (low - probability * least, high - probability * most);
            let open = self.open();
            if turn == Turn::First {
                let beta = (window.beta - others.0) / probability;
                let value =
                    self.child(&next, reply, depth - 1, ply + 1, self.narrowed(Window { beta, ..open }));
                if self.clock.stopped {
                    return Some(0.0);
                }
                rolls[i].low = value.max(least);
                rolls[i].glanced = Some((reply, value));
                if value >= beta {
                    self.dice_cutoffs += 1;
                    return Some(others.0 + probability * value);
                }
            } else {
                let alpha = (window.alpha - others.1) / probability;
                let value =
                    self.child(&next, reply, depth - 1, ply + 1, self.narrowed(Window { alpha, ..open }));
                if self.clock.stopped {
                    return Some(0.0);
                }
                rolls[i].high = value.min(most);
                rolls[i].glanced = Some((reply, value));
                if value <= alpha {
                    self.dice_cutoffs += 1;
                    return Some(others.1 + probability * value);
                }
            }
        }
        None
    }

    /// The move to look at first: the best hint, else the first of the rules.
    fn likely_reply(&mut self, pos: &G::Position) -> Option<G::Move> {
        let base = self.moves.len();
        self.game.moves(pos, &mut self.moves);
        let moves = &self.moves[base..];
        let (game, evaluate) = (self.game, self.evaluate);
        let reply = if E::HINTS {
            // Of equal hints the first counts, as everywhere.
            moves.iter().rev().copied().max_by_key(|&mv| evaluate.hint(game, pos, mv))
        } else {
            moves.first().copied()
        };
        self.moves.truncate(base);
        reply
    }
}
