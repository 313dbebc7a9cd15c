//! Expectiminimax with Star1 and Star2 pruning (Ballard 1983) for games with chance.
//!
//! ```text
//!   MAX        The value of a chance node is the mean of its outcomes. Outcomes not yet searched
//!    |         are worth at least -P and at most +P, the game's largest payoff; the window of
//!  roll ( )    the chance node thus becomes a window for each outcome (Star1). Star2 first probes
//!  / | \       one reply to every outcome, which tightens those bounds.
//! MIN …
//! ```
//!
//! Values are the first player's mean payoffs. Bruce W. Ballard, "The *-minimax search procedure for trees containing
//! chance nodes", Artificial Intelligence 21, 1983. The reply that Star2 probes is the one with the best move-ordering
//! hint.
//!
//! Invariant: a value strictly inside its window is exact; at or outside it, a bound on that side.

use crate::clock::{Clock, NodeBudget, StopReason};
use crate::stack::{MOST_PLIES, with_room};
use crate::tree::Cut;
use crate::{Counters, Evaluate, Limit, SearchError, SearchLimits};
use outplay_core::{Chance, Game, Turn};
use outplay_runtime::Monitor;
use std::time::Instant;

/// Search method for games with chance: expectiminimax, Star1 or Star2.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum DiceMethod {
    /// No pruning anywhere.
    Expectiminimax,
    /// Prunes outcomes that cannot bring the mean back into the window; alpha-beta at the players' nodes.
    Star1,
    /// Star1 after a probing phase that searches one reply to each outcome.
    #[default]
    Star2,
}

impl DiceMethod {
    /// All methods, in order of increasing pruning.
    pub const ALL: [DiceMethod; 3] = [DiceMethod::Expectiminimax, DiceMethod::Star1, DiceMethod::Star2];

    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            DiceMethod::Expectiminimax => "expectimax",
            DiceMethod::Star1 => "star1",
            DiceMethod::Star2 => "star2",
        }
    }
}

/// Result of an expectiminimax search.
#[derive(Clone, PartialEq, Debug)]
pub struct DiceReport<M> {
    /// The first player's mean payoff; `None` if the search was stopped.
    pub value: Option<f64>,
    /// Whether the value is that of the game: the search visited all of it and used no evaluation.
    pub exact: bool,
    /// The best move; `None` if the game is over, the root is a chance node, or the search was stopped.
    pub best: Option<M>,
    /// The limit that ended the search before its value was exact.
    pub limit: Option<Limit>,
    /// Nodes entered.
    pub nodes: u64,
    /// Nodes among them that were finished or at the horizon.
    pub leaves: u64,
    /// Cutoffs at nodes of the second player: the first player has a better option elsewhere.
    pub alpha_cutoffs: u64,
    /// Cutoffs at nodes of the first player: the second player has a better option elsewhere.
    pub beta_cutoffs: u64,
    /// Cutoffs at chance nodes.
    pub dice_cutoffs: u64,
    /// Wall time.
    pub seconds: f64,
}

impl<M> DiceReport<M> {
    /// Converts the statistics into the counters that all searches use.
    pub fn counters(&self) -> Counters {
        Counters {
            nodes: self.nodes,
            static_evaluations: self.leaves,
            dynamic_evaluations: self.nodes - self.leaves,
            alpha_cutoffs: self.alpha_cutoffs,
            beta_cutoffs: self.beta_cutoffs,
            dice_cutoffs: self.dice_cutoffs,
            ..Counters::default()
        }
    }
}

/// Searches a position of a game with chance `limits.depth` plies deep, chance nodes included.
///
/// An evaluation of 100 counts as a payoff of 1, and is clamped to the game's best payoff.
///
/// # Errors
///
/// A fault of the rules.
pub fn expectimax<G: Chance, E: Evaluate<G>>(
    game: &G,
    pos: &G::Position,
    evaluate: &E,
    method: DiceMethod,
    limits: SearchLimits,
    monitor: &dyn Monitor,
) -> Result<DiceReport<G::Move>, SearchError> {
    observed(game, pos, evaluate, method, limits, &mut (), monitor)
}

/// Runs [`expectimax`] with an observer of every node.
pub(crate) fn observed<G: Chance, E: Evaluate<G>, W: SearchObserver<G>>(
    game: &G,
    pos: &G::Position,
    evaluate: &E,
    method: DiceMethod,
    limits: SearchLimits,
    observer: &mut W,
    monitor: &dyn Monitor,
) -> Result<DiceReport<G::Move>, SearchError> {
    let begin = Instant::now();
    let fault = || game.fault();
    let budget = NodeBudget::new(&limits, monitor, &fault);
    let plies = limits.depth.unwrap_or(MOST_PLIES).min(MOST_PLIES);
    let best = f64::from(game.best_payoff());
    let mut report = with_room(plies, || {
        let mut dice = ExpectimaxSearch {
            game,
            evaluate,
            observer,
            method,
            best,
            clock: Clock::new(&budget),
            moves: Vec::new(),
            rolls: Vec::new(),
            spare: Vec::new(),
            choice: None,
            leaves: 0,
            opinions: 0,
            cutoffs: Counters::default(),
            dice_cutoffs: 0,
        };
        // Wider than the best payoffs, so that every real value lies strictly inside.
        let value = if dice.clock.must_stop() {
            0.0
        } else {
            dice.observer.enters(pos, None, None, 0, dice.open());
            let value = dice.enter(pos, plies, 0, dice.open());
            dice.observer.leaves(value);
            value
        };
        let stopped = dice.clock.stopped;
        DiceReport {
            value: (!stopped).then_some(value),
            exact: !stopped && dice.opinions == 0,
            best: dice.choice.filter(|_| !stopped),
            limit: None,
            nodes: dice.clock.nodes(),
            leaves: dice.leaves,
            alpha_cutoffs: dice.cutoffs.alpha_cutoffs,
            beta_cutoffs: dice.cutoffs.beta_cutoffs,
            dice_cutoffs: dice.dice_cutoffs,
            seconds: 0.0,
        }
    });
    report.limit = match budget.why() {
        Some(StopReason::Error(error)) => return Err(error),
        Some(StopReason::Limit(limit)) => Some(limit),
        _ => (!report.exact).then_some(Limit::Depth),
    };
    report.seconds = begin.elapsed().as_secs_f64();
    Ok(report)
}

/// Alpha-beta window.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    pub(crate) alpha: f64,
    pub(crate) beta: f64,
}

/// Observer of a search. The unit type observes nothing and costs nothing.
pub(crate) trait SearchObserver<G: Game>: Send {
    /// Whether the observer needs to see pruned moves.
    const ENABLED: bool = true;

    /// Called when a node is entered; `odds` is the probability of a chance move.
    fn enters(&mut self, pos: &G::Position, mv: Option<G::Move>, odds: Option<f64>, ply: u32, window: Window);

    /// Called when Star2 probes one reply in a position that it does not enter yet.
    fn glances(&mut self, pos: &G::Position, mv: G::Move, odds: f64, ply: u32, window: Window);

    /// Called with the value of the node entered, or probed, last.
    fn leaves(&mut self, value: f64);

    /// Called for a pruned position.
    fn skips(&mut self, pos: &G::Position, mv: G::Move, odds: Option<f64>, ply: u32, cut: Cut);
}

impl<G: Game> SearchObserver<G> for () {
    const ENABLED: bool = false;
    fn enters(&mut self, _: &G::Position, _: Option<G::Move>, _: Option<f64>, _: u32, _: Window) {}
    fn glances(&mut self, _: &G::Position, _: G::Move, _: f64, _: u32, _: Window) {}
    fn leaves(&mut self, _: f64) {}
    fn skips(&mut self, _: &G::Position, _: G::Move, _: Option<f64>, _: u32, _: Cut) {}
}

/// One outcome of a chance node with bounds on its value.
struct ChanceOutcome<M> {
    mv: M,
    probability: f64,
    low: f64,
    high: f64,
    /// The reply that Star2 probed, and its value.
    glanced: Option<(M, f64)>,
}

struct ExpectimaxSearch<'a, G: Game, E, W> {
    game: &'a G,
    evaluate: &'a E,
    observer: &'a mut W,
    method: DiceMethod,
    best: f64,
    clock: Clock<'a>,
    moves: Vec<G::Move>,
    rolls: Vec<(G::Move, f64)>,
    /// Lists of outcomes that no chance node uses at the moment, so that a search allocates one a level.
    spare: Vec<Vec<ChanceOutcome<G::Move>>>,
    /// The best move at the root.
    choice: Option<G::Move>,
    leaves: u64,
    opinions: u64,
    /// Cutoffs at players' nodes.
    cutoffs: Counters,
    dice_cutoffs: u64,
}

impl<G: Chance, E: Evaluate<G>, W: SearchObserver<G>> ExpectimaxSearch<'_, G, E, W> {
    fn open(&self) -> Window {
        Window { alpha: -self.best - 1.0, beta: self.best + 1.0 }
    }

    fn prunes(&self) -> bool {
        self.method != DiceMethod::Expectiminimax
    }

    /// Counts and searches a successor; `odds` is the probability of a chance move.
    fn child(
        &mut self,
        pos: &G::Position,
        (mv, odds): (G::Move, Option<f64>),
        depth: u32,
        ply: u32,
        window: Window,
    ) -> f64 {
        if self.clock.must_stop() {
            return 0.0;
        }
        let next = self.game.play(pos, mv);
        self.observer.enters(&next, Some(mv), odds, ply + 1, window);
        let value = self.enter(&next, depth - 1, ply + 1, window);
        self.observer.leaves(value);
        value
    }

    /// Reports a pruned move to the observer.
    fn skip(&mut self, pos: &G::Position, mv: G::Move, odds: Option<f64>, ply: u32, cut: Cut) {
        if W::ENABLED {
            let next = self.game.play(pos, mv);
            self.observer.skips(&next, mv, odds, ply + 1, cut);
        }
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

    /// Searches a player's node by alpha-beta; `known` is a reply whose value the probing phase has found.
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
                _ => {
                    let window = if self.prunes() { inner } else { self.open() };
                    self.child(pos, (mv, None), depth, ply, window)
                }
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
                self.cutoffs.cut_off(!max);
                for skipped in at + 1..self.moves.len() {
                    let cut = if max { Cut::Beta } else { Cut::Alpha };
                    self.skip(pos, self.moves[skipped], None, ply, cut);
                }
                break;
            }
        }
        self.moves.truncate(base);
        best
    }

    /// Searches a chance node: returns the mean of its outcomes, or a bound of it outside the window.
    fn roll(&mut self, pos: &G::Position, depth: u32, ply: u32, window: Window) -> f64 {
        let base = self.rolls.len();
        self.game.outcomes(pos, &mut self.rolls);
        let (low, high) = (-self.best, self.best);
        let possible = self.rolls.drain(base..).filter(|&(_, probability)| probability > 0.0);
        let mut rolls = self.spare.pop().unwrap_or_default();
        rolls.extend(possible.map(|(mv, probability)| ChanceOutcome {
            mv,
            probability,
            low,
            high,
            glanced: None,
        }));
        let value = self.mean(pos, depth, ply, window, &mut rolls);
        rolls.clear();
        self.spare.push(rolls);
        value
    }

    /// The mean of a chance node's outcomes, or a bound of it outside the window.
    fn mean(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        window: Window,
        rolls: &mut [ChanceOutcome<G::Move>],
    ) -> f64 {
        if self.method == DiceMethod::Star2
            && depth > 1
            && let Some(bound) = self.glance(pos, depth, ply, window, rolls)
        {
            return bound;
        }
        let mut low: f64 = rolls.iter().map(|roll| roll.probability * roll.low).sum();
        let mut high: f64 = rolls.iter().map(|roll| roll.probability * roll.high).sum();
        let mut mean = 0.0;
        for i in 0..rolls.len() {
            let ChanceOutcome { mv, probability, low: least, high: most, glanced } = rolls[i];
            // Minimum and maximum contribution of the other outcomes.
            let others = (low - probability * least, high - probability * most);
            let needed = Window {
                alpha: (window.alpha - others.1) / probability,
                beta: (window.beta - others.0) / probability,
            };
            let value = match glanced {
                None => self.child(pos, (mv, Some(probability)), depth, ply, self.narrowed(needed)),
                Some(_) if self.clock.must_stop() => 0.0,
                Some(_) => {
                    let next = self.game.play(pos, mv);
                    let (player, window) = (self.game.turn(&next), self.narrowed(needed));
                    self.observer.enters(&next, Some(mv), Some(probability), ply + 1, window);
                    let value = self.choose(&next, player, depth - 1, ply + 1, window, glanced);
                    self.observer.leaves(value);
                    value
                }
            };
            if self.clock.stopped {
                return 0.0;
            }
            mean += probability * value;
            (low, high) = (others.0 + probability * value, others.1 + probability * value);
            let last = i + 1 == rolls.len();
            if self.prunes() && !last && (value <= needed.alpha || value >= needed.beta) {
                self.dice_cutoffs += 1;
                self.skip_rolls(pos, ply, &rolls[i + 1..]);
                return if value <= needed.alpha { high } else { low };
            }
        }
        mean
    }

    /// Reports the pruned outcomes of a chance node to the observer.
    fn skip_rolls(&mut self, pos: &G::Position, ply: u32, rolls: &[ChanceOutcome<G::Move>]) {
        for roll in rolls {
            self.skip(pos, roll.mv, Some(roll.probability), ply, Cut::Dice);
        }
    }

    /// Clips a window to the range of values.
    fn narrowed(&self, window: Window) -> Window {
        let open = self.open();
        if !self.prunes() {
            return open;
        }
        Window { alpha: window.alpha.max(open.alpha), beta: window.beta.min(open.beta) }
    }

    /// Probing phase of Star2: searches one reply to each outcome. A reply of the first player gives a lower
    /// bound of the outcome, a reply of the second an upper bound. Returns a bound of the chance node if that
    /// already leaves the window; otherwise the probed values lie inside their windows, are exact, and are
    /// reused.
    fn glance(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        window: Window,
        rolls: &mut [ChanceOutcome<G::Move>],
    ) -> Option<f64> {
        for i in 0..rolls.len() {
            let ChanceOutcome { mv, probability, low: least, high: most, .. } = rolls[i];
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
                let inner = self.narrowed(Window { beta, ..open });
                self.observer.glances(&next, mv, probability, ply + 1, inner);
                let value = self.child(&next, (reply, None), depth - 1, ply + 1, inner);
                self.observer.leaves(value);
                if self.clock.stopped {
                    return Some(0.0);
                }
                rolls[i].low = value.max(least);
                rolls[i].glanced = Some((reply, value));
                if value >= beta {
                    self.dice_cutoffs += 1;
                    self.skip_rolls(pos, ply, &rolls[i + 1..]);
                    return Some(others.0 + probability * value);
                }
            } else {
                let alpha = (window.alpha - others.1) / probability;
                let inner = self.narrowed(Window { alpha, ..open });
                self.observer.glances(&next, mv, probability, ply + 1, inner);
                let value = self.child(&next, (reply, None), depth - 1, ply + 1, inner);
                self.observer.leaves(value);
                if self.clock.stopped {
                    return Some(0.0);
                }
                rolls[i].high = value.min(most);
                rolls[i].glanced = Some((reply, value));
                if value <= alpha {
                    self.dice_cutoffs += 1;
                    self.skip_rolls(pos, ply, &rolls[i + 1..]);
                    return Some(others.1 + probability * value);
                }
            }
        }
        None
    }

    /// Returns the move to probe: the one with the best hint, else the first of the rules.
    fn likely_reply(&mut self, pos: &G::Position) -> Option<G::Move> {
        let base = self.moves.len();
        self.game.moves(pos, &mut self.moves);
        let moves = &self.moves[base..];
        let (game, evaluate) = (self.game, self.evaluate);
        let reply = if E::HINTS {
            // Ties go to the first move, as everywhere.
            moves.iter().rev().copied().max_by_key(|&mv| evaluate.hint(game, pos, mv))
        } else {
            moves.first().copied()
        };
        self.moves.truncate(base);
        reply
    }
}
