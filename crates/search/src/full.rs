//! The search with everything: table, ordering, probes, quiescence, principal variation.
//!
//! ```text
//! enter ─ 1 horizon? ─ 2 probe ─ 3 table ─ 4 moves ─ 5 best payoff ─ 6 order ─ 7 try ─ 8 remember
//! ```
//!
//! Scores are those of the player to move; a child is seen from the other side unless the same player moves
//! again. Nothing here guesses which moves are bad: every option changes the work, never the value.
//!
//! Invariant: positions entered = static + dynamic evaluations + table cut-offs + probe hits, unless stopped.

use crate::cache::Cache;
use crate::clock::{Clock, Stop};
use crate::order::{Order, Place};
use crate::score::{Found, HIGH, INFINITE, LOW, MOST_EVALUATION, Scale, Score};
use crate::stack::MOST_LINE;
use crate::table::{AT_LEAST, AT_MOST, Keys, Known, Table};
use crate::{Counters, Evaluate, Key, Method, Options, SearchError};
use outplay_core::{Game, Probe, Turn};
use std::marker::PhantomData;

/// What all threads of a search look at and none changes.
pub(crate) struct Common<'a, G: Game, E> {
    pub(crate) game: &'a G,
    pub(crate) evaluate: &'a E,
    pub(crate) options: Options,
    pub(crate) scale: Scale,
    pub(crate) table: Option<&'a Table<G>>,
    pub(crate) cache: Option<&'a Cache<G>>,
    pub(crate) probe: Option<&'a dyn Probe<G>>,
}

/// One thread's search.
pub(crate) struct Full<'a, G: Game, E, K> {
    common: &'a Common<'a, G, E>,
    pub(crate) clock: Clock<'a>,
    /// The moves of all positions on the path, and their ranks.
    moves: Vec<G::Move>,
    ranks: Vec<i64>,
    /// The best line from every ply of the path.
    pub(crate) lines: Vec<Vec<G::Move>>,
    order: Order<G::Move>,
    pub(crate) counts: Counters,
    /// The best move of the last, shallower search from the same root.
    pub(crate) first: Option<G::Move>,
    /// How far this thread turns the root's moves, so that threads look at different ones.
    turned: usize,
    images: Vec<G::Position>,
    keys: PhantomData<K>,
}

/// The part of the tree a position is searched in.
#[derive(Clone, Copy)]
struct Window {
    depth: u32,
    ply: u32,
    alpha: Score,
    beta: Score,
}

impl Window {
    /// One ply further, seen by the child's player.
    fn child(self, same: bool) -> Window {
        let Window { depth, ply, alpha, beta } = self;
        let (alpha, beta) = if same { (alpha, beta) } else { (-beta, -alpha) };
        Window { depth: depth.saturating_sub(1), ply: ply + 1, alpha, beta }
    }
}

impl<'a, G: Game, E: Evaluate<G>, K: Keys<G>> Full<'a, G, E, K> {
    pub(crate) fn new(common: &'a Common<'a, G, E>, clock: Clock<'a>, turned: usize) -> Self {
        Full {
            common,
            clock,
            moves: Vec::new(),
            ranks: Vec::new(),
            lines: vec![Vec::new()],
            order: Order::new(),
            counts: Counters::default(),
            first: None,
            turned,
            images: Vec::new(),
            keys: PhantomData,
        }
    }

    /// The score of a position for the player to move, looking `depth` plies ahead.
    pub(crate) fn root(&mut self, pos: &G::Position, depth: u32) -> Found {
        self.lines[0].clear();
        if self.clock.must_stop() {
            return Found::opinion(-INFINITE);
        }
        self.enter(pos, Window { depth, ply: 0, alpha: -INFINITE, beta: INFINITE })
    }

    fn prunes(&self) -> bool {
        self.common.options.method != Method::Minimax
    }

    fn enter(&mut self, pos: &G::Position, window: Window) -> Found {
        let Common { game, probe, table, scale, .. } = *self.common;
        let Window { depth, ply, alpha, beta } = window;
        let turn = game.turn(pos);
        if turn == Turn::Chance {
            self.clock.stop(Stop::Error(SearchError::Chance));
            return Found::opinion(0);
        }

        // 1. The horizon.
        if depth == 0 {
            return self.judge(pos, turn, window, self.common.options.quiescence);
        }

        // 2. A source that knows; the root itself needs a move, so its successors are asked instead.
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
                    self.clock.stop(Stop::Error(SearchError::Probe(error.0)));
                    return Found::opinion(0);
                }
            }
        }

        // 3. The table.
        let mut hash = if ply == 0 { self.first } else { None };
        let slot = table.map(|table| (table, self.slot(pos)));
        if let (Some((table, (key, image))), Key::Zobrist(bits)) = (&slot, self.common.options.key) {
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

        // 4. The moves; there are none if and only if the game is over.
        let base = self.moves.len();
        game.moves(pos, &mut self.moves);
        if self.moves.len() == base {
            return self.judge(pos, turn, window, 0);
        }

        // 5. Nothing here can be better than to win at once, nor worse than to lose at once.
        let most = scale.most(ply);
        if self.prunes() && (alpha >= most || beta <= -most) {
            self.counts.best_payoff_cutoffs += 1;
            self.counts.dynamic_evaluations += 1;
            self.moves.truncate(base);
            return if alpha >= most {
                Found { score: most, proof: HIGH }
            } else {
                Found { score: -most, proof: LOW }
            };
        }
        self.counts.dynamic_evaluations += 1;
        if self.lines.len() < ply as usize + 2 {
            self.lines.push(Vec::new());
        }

        // 6. Their order.
        if ply == 0 && self.turned > 0 {
            let moves = &mut self.moves[base..];
            moves.rotate_left(self.turned % moves.len());
        }
        let place = Place { game, evaluate: self.common.evaluate, pos, turn, ply, depth };
        let ordered = self.rank(&place, hash, base);

        // 7. Try them.
        let (found, best) = self.try_moves(&place, window, base, ordered);
        self.moves.truncate(base);
        self.ranks.truncate(base);

        // 8. Remember.
        if !self.clock.stopped
            && let Some((table, (key, image))) = slot
        {
            let at_least = if found.score > alpha { AT_LEAST } else { 0 };
            let at_most = if found.score < beta || found.score >= most { AT_MOST } else { 0 };
            let score = scale.at_root(found.score, ply);
            let found = Found { score, ..found };
            let known = Known { mv: best, depth, found, bound: at_least | at_most };
            table.store(key, image.as_ref().unwrap_or(pos), known);
        }
        found
    }

    /// Ranks the moves from `base` on, if there is anything to rank them by.
    fn rank(&mut self, place: &Place<'_, G, E>, hash: Option<G::Move>, base: usize) -> bool {
        let options = &self.common.options;
        self.ranks.resize(base, 0);
        let ordered = hash.is_some() || options.killers || options.history || (options.hints && E::HINTS);
        if ordered {
            let Full { order, moves, ranks, clock, .. } = self;
            // A position can have very many moves, and a hint can be slow.
            ranks.extend(moves[base..].iter().map(|&mv| match clock.must_pause() {
                true => 0,
                false => order.rank(place, options, hash, mv),
            }));
        }
        ordered
    }

    /// Brings the best of the moves from `at` on to the front, the others keeping their order.
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
        place: &Place<'_, G, E>,
        window: Window,
        base: usize,
        ordered: bool,
    ) -> (Found, Option<G::Move>) {
        let Window { ply, mut alpha, beta, .. } = window;
        let (prunes, most) = (self.prunes(), self.common.scale.most(ply));
        let end = self.moves.len();
        let mut best = Found { score: -INFINITE, proof: 0 };
        let mut best_move = None;
        // The proof that nothing is better needs all moves.
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
            } else if at > base && self.common.options.method == Method::Pvs && beta - alpha > 1 {
                // Is it better at all? Most moves are not, and a narrow question is cheap.
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
                best = Found { score: found.score, proof: found.proof & LOW };
                if best.score > alpha {
                    alpha = best.score;
                    best_move = Some(mv);
                    let cut = prunes && alpha >= beta;
                    if !cut {
                        self.remember(mv, ply);
                    }
                    if cut || best.score >= most {
                        // What was not looked at could only be better if anything could.
                        all = if best.score >= most { HIGH } else { 0 };
                        self.count_cutoff(cut, place.turn);
                        self.order.refuted(place, &self.common.options, mv);
                        break;
                    }
                }
            } else if found.score == best.score && found.proof & LOW & !best.proof != 0 {
                // As good, and proven: a tie is better than the opinion that it might be one. The line after
                // it is known only if it was looked at with an open window.
                best.proof |= LOW;
                best_move = Some(mv);
                if prunes {
                    self.lines[ply as usize + 1].clear();
                }
                self.remember(mv, ply);
            }
        }
        (Found { score: best.score, proof: best.proof | all }, best_move)
    }

    /// Enters a successor, counting it.
    fn child(&mut self, next: &G::Position, window: Window, same: bool) -> Found {
        if self.clock.must_stop() {
            return Found::opinion(0);
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

    /// A position that is finished or at the horizon; `noise` is how many noisy plies may still be followed.
    fn judge(&mut self, pos: &G::Position, turn: Turn, window: Window, noise: u32) -> Found {
        let Common { game, evaluate, scale, cache, .. } = *self.common;
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
        let mut best = Found::opinion(quiet);
        if noise == 0 || (self.prunes() && quiet >= beta) {
            return best;
        }
        // The player may decline all noise, so the quiet score is a floor.
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
                self.clock.stop(Stop::Error(SearchError::Chance));
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
                best = Found { score: found.score, proof: found.proof & LOW };
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

    /// The key of a position and, with symmetry, the image that stands for it in the table.
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

    /// What the table knows, if it answers the question of the window.
    fn known(&self, entry: &Known<G::Move>, window: Window) -> Option<Found> {
        let Window { depth, ply, alpha, beta } = window;
        let options = &self.common.options;
        // An exact score would end the principal variation here: its few positions are searched again.
        if options.method == Method::Pvs && beta - alpha > 1 {
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
        answers.then_some(Found { score, proof: entry.found.proof })
    }

    /// A move and the best line after it are the best line here.
    fn remember(&mut self, mv: G::Move, ply: u32) {
        let (above, below) = self.lines.split_at_mut(ply as usize + 1);
        let line = &mut above[ply as usize];
        line.clear();
        line.push(mv);
        line.extend(below[0].iter().take(MOST_LINE - 1));
    }
}
