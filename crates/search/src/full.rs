//! Alpha-beta and PVS (Marsland and Campbell 1982) with transposition table, move ordering, probes and quiescence
//! search.
//!
//! ```text
//! enter ─ 1 horizon? ─ 2 probe ─ 3 table ─ 4 moves ─ 5 mate distance ─ 6 order ─ 7 search ─ 8 store
//! ```
//!
//! Negamax: scores are for the player to move, and a child's score is negated unless the same player moves
//! again. There is no selective pruning (no null move, no late move reductions): every option changes the work,
//! never the value.
//!
//! Invariant: nodes = static + dynamic evaluations + table cutoffs + probe hits, unless stopped.

use crate::cache::EvaluationCache;
use crate::clock::{Clock, StopReason};
use crate::order::{MoveContext, MoveOrdering};
use crate::score::{HIGH, INFINITE, LOW, MOST_EVALUATION, Scale, Score, SearchScore};
use crate::stack::MOST_LINE;
use crate::table::{AT_LEAST, AT_MOST, Keys, TranspositionEntry, TranspositionTable};
use crate::{Counters, Evaluate, SearchError, SearchMethod, SearchOptions, TableKey};
use outplay_core::{Game, Probe, Turn};
use std::marker::PhantomData;

/// Read-only context shared by all threads of a search.
pub(crate) struct SearchContext<'a, G: Game, E> {
    pub(crate) game: &'a G,
    pub(crate) evaluate: &'a E,
    pub(crate) options: SearchOptions,
    pub(crate) scale: Scale,
    pub(crate) table: Option<&'a TranspositionTable<G>>,
    pub(crate) cache: Option<&'a EvaluationCache<G>>,
    pub(crate) probe: Option<&'a dyn Probe<G>>,
}

/// One thread's full search.
pub(crate) struct FullSearch<'a, G: Game, E, K> {
    common: &'a SearchContext<'a, G, E>,
    pub(crate) clock: Clock<'a>,
    /// The moves of all positions on the path, and their ordering scores.
    moves: Vec<G::Move>,
    ranks: Vec<i64>,
    /// Triangular array of principal variations, one per ply of the path.
    pub(crate) lines: Vec<Vec<G::Move>>,
    order: MoveOrdering<G::Move>,
    pub(crate) counts: Counters,
    /// The best move of the previous iteration.
    pub(crate) first: Option<G::Move>,
    /// Rotation of the root moves, which makes Lazy SMP threads diverge.
    turned: usize,
    images: Vec<G::Position>,
    keys: PhantomData<K>,
}

/// Depth, ply and alpha-beta window of a node.
#[derive(Clone, Copy)]
struct Window {
    depth: u32,
    ply: u32,
    alpha: Score,
    beta: Score,
}

impl Window {
    /// Returns the window of a child, negated unless the same player moves.
    fn child(self, same: bool) -> Window {
        let Window { depth, ply, alpha, beta } = self;
        let (alpha, beta) = if same { (alpha, beta) } else { (-beta, -alpha) };
        Window { depth: depth.saturating_sub(1), ply: ply + 1, alpha, beta }
    }
}

impl<'a, G: Game, E: Evaluate<G>, K: Keys<G>> FullSearch<'a, G, E, K> {
    pub(crate) fn new(common: &'a SearchContext<'a, G, E>, clock: Clock<'a>, turned: usize) -> Self {
        FullSearch {
            common,
            clock,
            moves: Vec::new(),
            ranks: Vec::new(),
            lines: vec![Vec::new()],
            order: MoveOrdering::new(),
            counts: Counters::default(),
            first: None,
            turned,
            images: Vec::new(),
            keys: PhantomData,
        }
    }

    /// Returns the score of a position for the player to move, searching `depth` plies.
    pub(crate) fn root(&mut self, pos: &G::Position, depth: u32) -> SearchScore {
        self.lines[0].clear();
        if self.clock.must_stop() {
            return SearchScore::opinion(-INFINITE);
        }
        self.enter(pos, Window { depth, ply: 0, alpha: -INFINITE, beta: INFINITE })
    }

    fn prunes(&self) -> bool {
        self.common.options.method != SearchMethod::Minimax
    }

    fn enter(&mut self, pos: &G::Position, window: Window) -> SearchScore {
        let SearchContext { game, probe, table, scale, .. } = *self.common;
        let Window { depth, ply, alpha, beta } = window;
        let turn = game.turn(pos);
        if turn == Turn::Chance {
            self.clock.stop(StopReason::Error(SearchError::Chance));
            return SearchScore::opinion(0);
        }

        // Step 1. Horizon.
        if depth == 0 {
            return self.judge(pos, turn, window, self.common.options.quiescence);
        }

        // Step 2. Probe (tablebase or other exact source). The root needs a move, so its successors are probed
        // instead.
        if let Some(probe) = probe
            && ply > 0
            && game.outcome(pos).is_none()
        {
            match probe.probe(pos) {
                Ok(Some(value)) => {
                    self.counts.probe_hits += 1;
                    return scale.known(value, ply);
                }
                Ok(None) => {}
                Err(error) => {
                    self.clock.stop(StopReason::Error(SearchError::Probe(error.0)));
                    return SearchScore::opinion(0);
                }
            }
        }

        // Step 3. Transposition table.
        let mut hash = if ply == 0 { self.first } else { None };
        let slot = table.map(|table| (table, self.slot(pos)));
        if let (Some((table, (key, image))), TableKey::Zobrist(bits)) = (&slot, self.common.options.key) {
            self.counts.collisions += u64::from(table.collides(*key, bits, image.as_ref().unwrap_or(pos)));
        }
        if let Some((table, (key, image))) = &slot
            && let Some(entry) = table.find(*key, image.as_ref().unwrap_or(pos))
        {
            self.counts.table_hits += 1;
            hash = hash.or(entry.mv);
            if ply > 0
                && let Some(found) = self.known(&entry, window)
            {
                self.counts.table_cutoffs += 1;
                return found;
            }
        }
        let hash = hash.filter(|_| self.common.options.hash_move);

        // Step 4. Move generation; there are no moves if and only if the game is over.
        let base = self.moves.len();
        game.moves(pos, &mut self.moves);
        if self.moves.len() == base {
            return self.judge(pos, turn, window, 0);
        }

        // Step 5. Mate-distance pruning: the best possible result is a win at the next ply, the worst a loss at
        // the next ply.
        let most = scale.most(ply);
        if self.prunes() && (alpha >= most || beta <= -most) {
            self.counts.best_payoff_cutoffs += 1;
            self.counts.dynamic_evaluations += 1;
            self.moves.truncate(base);
            return if alpha >= most {
                SearchScore { score: most, proof: HIGH }
            } else {
                SearchScore { score: -most, proof: LOW }
            };
        }
        self.counts.dynamic_evaluations += 1;
        if self.lines.len() < ply as usize + 2 {
            self.lines.push(Vec::new());
        }

        // Step 6. Move ordering.
        if ply == 0 && self.turned > 0 {
            let moves = &mut self.moves[base..];
            moves.rotate_left(self.turned % moves.len());
        }
        let place = MoveContext { game, evaluate: self.common.evaluate, pos, turn, ply, depth };
        let ordered = self.rank(&place, hash, base);

        // Step 7. Search the moves.
        let (found, best) = self.try_moves(&place, window, base, ordered);
        self.moves.truncate(base);
        self.ranks.truncate(base);

        // Step 8. Store the result.
        if !self.clock.stopped
            && let Some((table, (key, image))) = slot
        {
            let at_least = if found.score > alpha { AT_LEAST } else { 0 };
            let at_most = if found.score < beta || found.score >= most { AT_MOST } else { 0 };
            let score = scale.at_root(found.score, ply);
            let found = SearchScore { score, ..found };
            let known = TranspositionEntry { mv: best, depth, found, bound: at_least | at_most };
            table.store(key, image.as_ref().unwrap_or(pos), known);
        }
        found
    }

    /// Computes ordering scores for the moves from `base` on; returns false if no ordering heuristic applies.
    fn rank(&mut self, place: &MoveContext<'_, G, E>, hash: Option<G::Move>, base: usize) -> bool {
        let options = &self.common.options;
        self.ranks.resize(base, 0);
        let ordered = hash.is_some() || options.killers || options.history || (options.hints && E::HINTS);
        if ordered {
            let FullSearch { order, moves, ranks, clock, .. } = self;
            // A position can have very many moves, and a hint can be slow.
            ranks.extend(moves[base..].iter().map(|&mv| match clock.must_pause() {
                true => 0,
                false => order.rank(place, options, hash, mv),
            }));
        }
        ordered
    }

    /// Selection sort step: moves the best of the remaining moves to the front, stably.
    fn pick(&mut self, at: usize) {
        let end = self.moves.len();
        let mut best = at;
        for i in at + 1..end {
            if self.ranks[i] > self.ranks[best] {
                best = i;
            }
        }
        self.moves[at..=best].rotate_right(1);
        self.ranks[at..=best].rotate_right(1);
    }

    fn try_moves(
        &mut self,
        place: &MoveContext<'_, G, E>,
        window: Window,
        base: usize,
        ordered: bool,
    ) -> (SearchScore, Option<G::Move>) {
        let Window { ply, mut alpha, beta, .. } = window;
        let (prunes, most) = (self.prunes(), self.common.scale.most(ply));
        let end = self.moves.len();
        let mut best = SearchScore { score: -INFINITE, proof: 0 };
        let mut best_move = None;
        // An upper bound needs proofs for all moves.
        let mut all = HIGH;
        for at in base..end {
            if ordered {
                self.pick(at);
            }
            let mv = self.moves[at];
            let next = place.game.play(place.pos, mv);
            let same = place.game.turn(&next) == place.turn;
            let found = if !prunes {
                self.child(&next, Window { alpha: -INFINITE, beta: INFINITE, ..window }, same)
            } else if at > base && self.common.options.method == SearchMethod::Pvs && beta - alpha > 1 {
                // PVS: search later moves with a null window first, and again with the full window only if they
                // fail high.
                let narrow = self.child(&next, Window { alpha, beta: alpha + 1, ..window }, same);
                if narrow.score > alpha && narrow.score < beta && !self.clock.stopped {
                    self.child(&next, Window { alpha, ..window }, same)
                } else {
                    narrow
                }
            } else {
                self.child(&next, Window { alpha, ..window }, same)
            };
            if self.clock.stopped {
                all = 0;
                break;
            }
            all &= found.proof;
            if found.score > best.score {
                best = SearchScore { score: found.score, proof: found.proof & LOW };
                if best.score > alpha {
                    alpha = best.score;
                    best_move = Some(mv);
                    let cut = prunes && alpha >= beta;
                    if !cut {
                        self.remember(mv, ply);
                    }
                    if cut || best.score >= most {
                        // The unsearched moves leave the upper bound unproven, unless the best possible payoff
                        // was reached.
                        all = if best.score >= most { HIGH } else { 0 };
                        self.count_cutoff(cut, place.turn);
                        self.order.refuted(place, &self.common.options, mv);
                        break;
                    }
                }
            } else if found.score == best.score && found.proof & LOW & !best.proof != 0 {
                // Equal score, but proven: prefer it. The line after the move is valid only if the window was
                // open.
                best.proof |= LOW;
                best_move = Some(mv);
                if prunes {
                    self.lines[ply as usize + 1].clear();
                }
                self.remember(mv, ply);
            }
        }
        (SearchScore { score: best.score, proof: best.proof | all }, best_move)
    }

    /// Counts and searches a successor.
    fn child(&mut self, next: &G::Position, window: Window, same: bool) -> SearchScore {
        if self.clock.must_stop() {
            return SearchScore::opinion(0);
        }
        let window = window.child(same);
        self.lines[window.ply as usize].clear();
        self.enter(next, window).seen(same)
    }

    fn count_cutoff(&mut self, cut: bool, turn: Turn) {
        match (cut, turn) {
            (false, _) => self.counts.best_payoff_cutoffs += 1,
            (true, Turn::Second) => self.counts.alpha_cutoffs += 1,
            (true, _) => self.counts.beta_cutoffs += 1,
        }
    }

    /// Evaluates a position that is finished or at the horizon, with quiescence search; `noise` is the number
    /// of noisy plies left.
    fn judge(&mut self, pos: &G::Position, turn: Turn, window: Window, noise: u32) -> SearchScore {
        let SearchContext { game, evaluate, scale, cache, .. } = *self.common;
        let Window { ply, mut alpha, beta, .. } = window;
        self.counts.static_evaluations += 1;
        if let Some(payoff) = game.outcome(pos) {
            return scale.finished(turn.sees(payoff), ply);
        }
        let score = || evaluate.score(game, pos).clamp(-MOST_EVALUATION, MOST_EVALUATION);
        let quiet = match cache {
            None => score(),
            Some(cache) => {
                let (score, known) = cache.score(K::key(game, pos), pos, score);
                self.counts.cache_hits += u64::from(known);
                score
            }
        };
        let mut best = SearchScore::opinion(quiet);
        if noise == 0 || (self.prunes() && quiet >= beta) {
            return best;
        }
        // Stand pat: the player may decline all noisy moves, so the static score is a lower bound.
        alpha = alpha.max(quiet);
        let base = self.moves.len();
        evaluate.noisy(game, pos, &mut self.moves);
        for at in base..self.moves.len() {
            let next = game.play(pos, self.moves[at]);
            if self.clock.must_stop() {
                break;
            }
            let next_turn = game.turn(&next);
            if next_turn == Turn::Chance {
                self.clock.stop(StopReason::Error(SearchError::Chance));
                break;
            }
            self.counts.quiescence_nodes += 1;
            let same = next_turn == turn;
            let open = if self.prunes() { alpha } else { -INFINITE };
            let window = Window { alpha: open, beta, ..window }.child(same);
            let found = self.judge(&next, next_turn, window, noise - 1).seen(same);
            if self.clock.stopped {
                break;
            }
            if found.score > best.score {
                best = SearchScore { score: found.score, proof: found.proof & LOW };
                alpha = alpha.max(best.score);
                if self.prunes() && alpha >= beta {
                    self.count_cutoff(true, turn);
                    break;
                }
            }
        }
        self.moves.truncate(base);
        best
    }

    /// Returns the key of a position and, with symmetry, the image with the smallest key, which is stored
    /// instead.
    fn slot(&mut self, pos: &G::Position) -> (u64, Option<G::Position>) {
        let (game, key) = (self.common.game, self.common.options.key);
        let own = K::chosen(game, pos, key);
        if !self.common.options.symmetry {
            return (own, None);
        }
        self.images.clear();
        game.symmetric(pos, &mut self.images);
        let keyed = self.images.drain(..).map(|image| (K::chosen(game, &image, key), image));
        match keyed.min_by_key(|(key, _)| *key) {
            Some((key, image)) => (key, Some(image)),
            None => (own, None),
        }
    }

    /// Returns the score of a table entry if it causes a cutoff.
    fn known(&self, entry: &TranspositionEntry<G::Move>, window: Window) -> Option<SearchScore> {
        let Window { depth, ply, alpha, beta } = window;
        let options = &self.common.options;
        // No cutoffs in PV nodes: they would truncate the principal variation.
        if options.method == SearchMethod::Pvs && beta - alpha > 1 {
            return None;
        }
        let deep = entry.depth == depth || (options.deeper && entry.depth >= depth);
        let proof = if options.deeper { entry.found.proof } else { 0 };
        let bound = if deep { entry.bound | proof } else { proof };
        let score = self.common.scale.at_ply(entry.found.score, ply);
        let answers = match bound {
            AT_LEAST => score >= beta,
            AT_MOST => score <= alpha,
            bound => bound == AT_LEAST | AT_MOST,
        };
        answers.then_some(SearchScore { score, proof: entry.found.proof })
    }

    /// Sets the principal variation to a move and the line after it.
    fn remember(&mut self, mv: G::Move, ply: u32) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(mv);
        line.extend(below[0].iter().take(MOST_LINE - 1));
    }
}
