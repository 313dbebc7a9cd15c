//! Textbook minimax and alpha-beta without table or move ordering.
//!
//! ```text
//!   MAX  ──  first player: raises alpha, stops at beta
//!   MIN  ──  second player: lowers beta, stops at alpha
//! ```
//!
//! Scores are the first player's throughout (no negamax), so a player may move twice in a row. The moves of all
//! positions on the path share one buffer. A position at the horizon is evaluated in its parent's loop and
//! costs no call. The only extra is mate-distance pruning, which stops where no better payoff is possible.
//!
//! Invariant: every node is either expanded (a dynamic evaluation) or evaluated (a static evaluation).

use crate::clock::{Clock, StopReason};
use crate::score::{HIGH, INFINITE, LOW, MOST_EVALUATION, Scale, Score, SearchScore};
use crate::stack::MOST_LINE;
use crate::{Counters, Evaluate, SearchError};
use outplay_core::{Game, Turn};

/// One thread's bare search.
pub(crate) struct BareSearch<'a, G: Game, E> {
    game: &'a G,
    evaluate: &'a E,
    scale: Scale,
    pub(crate) clock: Clock<'a>,
    moves: Vec<G::Move>,
    /// Triangular array of principal variations, one per ply of the path.
    lines: Vec<Vec<G::Move>>,
    expanded: u64,
    alpha_cutoffs: u64,
    beta_cutoffs: u64,
    best_cutoffs: u64,
}

impl<'a, G: Game, E: Evaluate<G>> BareSearch<'a, G, E> {
    pub(crate) fn new(game: &'a G, evaluate: &'a E, scale: Scale, clock: Clock<'a>) -> Self {
        BareSearch {
            game,
            evaluate,
            scale,
            clock,
            moves: Vec::new(),
            lines: vec![Vec::new()],
            expanded: 0,
            alpha_cutoffs: 0,
            beta_cutoffs: 0,
            best_cutoffs: 0,
        }
    }

    /// Returns the first player's score of a position, searching `depth` plies.
    pub(crate) fn root(&mut self, pos: &G::Position, depth: u32, prune: bool) -> SearchScore {
        if self.clock.must_stop() {
            return SearchScore::opinion(0);
        }
        self.lines[0].clear();
        if depth == 0 {
            return self.judge(pos, 0);
        }
        if prune {
            self.enter::<true>(pos, depth, 0, -INFINITE, INFINITE)
        } else {
            self.enter::<false>(pos, depth, 0, -INFINITE, INFINITE)
        }
    }

    /// Returns the principal variation, or the best so far if the search was stopped.
    pub(crate) fn line(&self) -> &[G::Move] {
        &self.lines[0]
    }

    pub(crate) fn counts(&self) -> Counters {
        Counters {
            nodes: self.clock.nodes(),
            dynamic_evaluations: self.expanded,
            static_evaluations: self.clock.nodes() - self.expanded,
            alpha_cutoffs: self.alpha_cutoffs,
            beta_cutoffs: self.beta_cutoffs,
            best_payoff_cutoffs: self.best_cutoffs,
            ..Counters::default()
        }
    }

    /// Evaluates a position that is finished or at the horizon.
    #[inline(always)]
    fn judge(&self, pos: &G::Position, ply: u32) -> SearchScore {
        match self.game.outcome(pos) {
            Some(payoff) => self.scale.finished(payoff, ply),
            None => {
                let score = self.evaluate.score(self.game, pos).clamp(-MOST_EVALUATION, MOST_EVALUATION);
                SearchScore::opinion(if self.game.turn(pos) == Turn::Second { -score } else { score })
            }
        }
    }

    #[inline(always)]
    fn enter<const PRUNE: bool>(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        alpha: Score,
        beta: Score,
    ) -> SearchScore {
        match self.game.turn(pos) {
            Turn::First if depth == 1 => self.expand::<PRUNE, true, true>(pos, 1, ply, alpha, beta),
            Turn::First => self.expand::<PRUNE, true, false>(pos, depth, ply, alpha, beta),
            Turn::Second if depth == 1 => self.expand::<PRUNE, false, true>(pos, 1, ply, alpha, beta),
            Turn::Second => self.expand::<PRUNE, false, false>(pos, depth, ply, alpha, beta),
            Turn::Chance => {
                self.clock.stop(StopReason::Error(SearchError::Chance));
                SearchScore::opinion(0)
            }
        }
    }

    /// Expands a position whose depth is at least one ply.
    fn expand<const PRUNE: bool, const MAX: bool, const LAST: bool>(
        &mut self,
        pos: &G::Position,
        depth: u32,
        ply: u32,
        mut alpha: Score,
        mut beta: Score,
    ) -> SearchScore {
        let base = self.moves.len();
        self.game.moves(pos, &mut self.moves);
        let end = self.moves.len();
        if base == end {
            return self.judge(pos, ply);
        }
        self.expanded += 1;
        if self.lines.len() < ply as usize + 2 {
            self.lines.push(Vec::new());
        }
        // Mate-distance pruning: the best possible result is a win at the next ply, the worst a loss at the
        // next ply.
        let most = self.scale.most(ply);
        if PRUNE && (alpha >= most || beta <= -most) {
            self.best_cutoffs += 1;
            self.moves.truncate(base);
            return if alpha >= most {
                SearchScore { score: most, proof: HIGH }
            } else {
                SearchScore { score: -most, proof: LOW }
            };
        }
        let most = if MAX { most } else { -most };
        let better = |a: Score, b: Score| if MAX { a > b } else { a < b };
        // An upper bound needs proofs for all moves, a lower bound only one for the best move.
        let (reached, unbeaten) = if MAX { (LOW, HIGH) } else { (HIGH, LOW) };
        let mut best = SearchScore { score: if MAX { -INFINITE } else { INFINITE }, proof: 0 };
        let mut all = unbeaten;
        let mut at = base;
        while at < end {
            let mv = self.moves[at];
            at += 1;
            if self.clock.must_stop() {
                all = 0;
                break;
            }
            let next = self.game.play(pos, mv);
            let found = if LAST {
                self.judge(&next, ply + 1)
            } else {
                self.lines[ply as usize + 1].clear();
                let (alpha, beta) = if PRUNE { (alpha, beta) } else { (-INFINITE, INFINITE) };
                self.enter::<PRUNE>(&next, depth - 1, ply + 1, alpha, beta)
            };
            if !LAST && self.clock.stopped {
                all = 0;
                break;
            }
            all &= found.proof;
            if better(found.score, best.score) {
                best = SearchScore { score: found.score, proof: found.proof & reached };
                let bound = if MAX { &mut alpha } else { &mut beta };
                if better(best.score, *bound) {
                    *bound = best.score;
                    let cut = PRUNE && alpha >= beta;
                    if cut || !better(most, best.score) {
                        // The unsearched moves leave the upper bound unproven, unless the best possible payoff
                        // was reached.
                        all = if better(most, best.score) { 0 } else { unbeaten };
                        match (cut, MAX) {
                            (false, _) => self.best_cutoffs += 1,
                            (_, true) => self.beta_cutoffs += 1,
                            (_, false) => self.alpha_cutoffs += 1,
                        }
                        if !cut {
                            self.remember(mv, ply, depth);
                        }
                        break;
                    }
                    self.remember(mv, ply, depth);
                }
            } else if found.score == best.score && found.proof & reached & !best.proof != 0 {
                // Equal score, but proven: prefer it. The line after the move is valid only if the window was
                // open.
                best.proof |= reached;
                self.remember(mv, ply, if PRUNE { 1 } else { depth });
            }
        }
        self.moves.truncate(base);
        SearchScore { score: best.score, proof: best.proof | all }
    }

    /// Sets the principal variation to a move and the line after it, which is omitted if `depth` is 1.
    fn remember(&mut self, mv: G::Move, ply: u32, depth: u32) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(mv);
        if depth > 1 {
            line.extend(below[0].iter().take(MOST_LINE - 1));
        }
    }
}
