//! Principal variation search (Marsland and Campbell 1982) of the pattern engine, over cells near stones, with VCF
//! (wins by continuous fours; Allis, van den Herik and Huntjens 1993), late move reductions and forward pruning.
//!
//! A *five* completes a line, a *four* threatens to, and an *open four* threatens to on two cells. The steps at a node:
//!
//! ```text
//!   1 a five: win                                 2 fives of the opponent: one forces the reply, two lose
//!   3 an open four: win                           4 transposition table
//!   5 VCF                                         6 horizon: static evaluation
//!   7 opponent could make an open four: replies   8 otherwise: candidate cells near stones, best first
//! ```
//!
//! Steps 2, 3 and 7 omit only moves that lose at once. Step 8 prunes quiet moves far from all stones and those
//! ranked lowest, so a loss found there is *believed*, not proven. With gravity or misère the threats of steps
//! 3, 5 and 7 do not apply and are skipped. Moves are ordered by shapes, killer moves and history heuristic.

use crate::ground::{EMPTY, PatternBoard, TIER_FIVE, TIER_FOUR, TIER_OPEN};
use crate::table::{Bound, TranspositionEntry, TranspositionTable};
use outplay_core::Counters;
use outplay_runtime::{Deadline, Monitor};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// Score of a win at the root; sooner wins score higher.
pub(crate) const WIN: i32 = 32_000;
/// Proven wins lie above.
pub(crate) const SURE: i32 = 31_000;
/// Score of a win that is believed but not proven.
const UNPROVEN: i32 = 25_000;
/// Evaluations lie below.
const MOST_OPINION: i32 = 20_000;
/// Maximum ply of a line.
pub(crate) const MOST_PLIES: usize = 120;
/// Nodes between two polls of the clock.
const POLL_INTERVAL: u64 = 128;
/// Nodes that are searched even after the deadline: about 1 ms, which lets a thread that was descheduled
/// complete a few plies.
const LEAST_NODES: u64 = 1024;
/// Maximum number of fours in a VCF.
const MOST_VCF: u32 = 10;
/// Slots of the table of failed VCF searches.
const VCF_SLOTS: usize = 1 << 14;

/// State shared by all threads of a search.
pub(crate) struct SearchContext<'a> {
    pub(crate) table: &'a TranspositionTable,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) monitor: &'a dyn Monitor,
    pub(crate) end: Option<Instant>,
    pub(crate) nodes: u64,
}

/// One thread's search.
pub(crate) struct Search<'a> {
    pub(crate) grid: PatternBoard,
    shared: &'a SearchContext<'a>,
    /// Whether this thread polls the clock.
    is_main: bool,
    pub(crate) mover: usize,
    /// History heuristic by cell, for either player.
    history: [Vec<i32>; 2],
    killers: [[u32; 2]; MOST_PLIES + 2],
    /// Move lists of the positions on the current line.
    lists: Vec<Vec<(i32, u32)>>,
    gaps: Vec<u32>,
    failed: Vec<u64>,
    /// Nodes (stones placed).
    pub(crate) nodes: u64,
    /// Further statistics.
    counters: Counters,
    pause: u64,
    pub(crate) stopped: bool,
    /// Whether the monitor stopped the search, not a limit.
    pub(crate) interrupted: bool,
    /// Nodes that a VCF search may still use.
    vcf_budget: u32,
    /// Ply up to which threats are followed beyond the horizon.
    pub(crate) horizon: usize,
}

/// A node whose moves are to be searched.
struct SearchNode {
    hash: u64,
    depth: i32,
    /// Depth of the children.
    next: i32,
    ply: usize,
    /// Whether moves that are not listed lose at once.
    complete: bool,
    /// Whether late move reductions apply to quiet moves.
    shallower: bool,
}

/// Converts a score for storage in the table: distances count from the position.
fn at_root(score: i32, ply: i32) -> i32 {
    match score {
        s if s > MOST_OPINION => s + ply,
        s if s < -MOST_OPINION => s - ply,
        s => s,
    }
}

/// The inverse of [`at_root`].
fn at_ply(score: i32, ply: i32) -> i32 {
    match score {
        s if s > MOST_OPINION => s - ply,
        s if s < -MOST_OPINION => s + ply,
        s => s,
    }
}

/// Marks a loss as unproven, because some moves were pruned.
fn unproven(score: i32) -> i32 {
    if score < -SURE { score + WIN - UNPROVEN } else { score }
}

impl<'a> Search<'a> {
    pub(crate) fn new(
        grid: PatternBoard,
        mover: usize,
        shared: &'a SearchContext<'a>,
        is_main: bool,
    ) -> Search<'a> {
        let places = grid.content.len();
        Search {
            grid,
            shared,
            is_main,
            mover,
            history: [vec![0; places], vec![0; places]],
            killers: [[0; 2]; MOST_PLIES + 2],
            lists: vec![Vec::new(); MOST_PLIES + 2],
            gaps: Vec::new(),
            failed: vec![0; VCF_SLOTS],
            nodes: 0,
            counters: Counters::default(),
            pause: 0,
            stopped: false,
            interrupted: false,
            vcf_budget: 0,
            horizon: 0,
        }
    }

    /// Returns the statistics of this thread.
    pub(crate) fn counters(&self) -> Counters {
        Counters { nodes: self.nodes, ..self.counters }
    }

    /// Counts a static evaluation and returns its score.
    #[inline]
    fn static_score(&mut self, score: i32) -> i32 {
        self.counters.static_evaluations += 1;
        score
    }

    /// Returns the hash, the player to move included.
    pub(crate) fn hash(&self) -> u64 {
        self.grid.hash ^ if self.mover == 1 { 0xd1b5_4a32_d192_ed03 } else { 0 }
    }

    /// Places a stone of the player to move.
    #[inline]
    pub(crate) fn put(&mut self, place: u32) {
        self.nodes += 1;
        self.grid.put(place as usize, self.mover);
        self.mover = 1 - self.mover;
    }

    #[inline]
    pub(crate) fn take(&mut self) {
        self.grid.take();
        self.mover = 1 - self.mover;
    }

    fn must_stop(&mut self) -> bool {
        if self.nodes < self.pause {
            return self.stopped;
        }
        self.pause = (self.nodes + POLL_INTERVAL).min(self.shared.nodes.max(self.nodes + 1));
        if self.is_main && !self.stopped {
            let limited = self.nodes >= self.shared.nodes || self.deadline().passed();
            self.interrupted = !limited && self.shared.monitor.poll();
            if limited || self.interrupted {
                self.shared.stop.store(true, Relaxed);
            }
        }
        self.stopped = self.shared.stop.load(Relaxed);
        self.stopped
    }

    /// Returns the deadline and monitor that apply now.
    pub(crate) fn deadline(&self) -> Deadline<'a> {
        Deadline::until(self.shared.end.filter(|_| self.nodes >= LEAST_NODES), self.shared.monitor)
    }

    /// Node limit.
    pub(crate) fn node_limit(&self) -> u64 {
        self.shared.nodes
    }

    /// Stops the main thread after its deadline or its monitor fired.
    pub(crate) fn halt(&mut self) {
        (self.stopped, self.interrupted) = (true, !self.deadline().passed());
    }

    pub(crate) fn table(&self) -> &TranspositionTable {
        self.shared.table
    }

    fn plain(&self) -> bool {
        !(self.grid.gravity || self.grid.misere)
    }

    fn opinion(&self) -> i32 {
        let opinion = self.grid.opinion(self.mover);
        let opinion = if self.grid.misere { -opinion } else { opinion };
        opinion.clamp(1 - MOST_OPINION, MOST_OPINION - 1)
    }

    /// Returns the score of a position for the player to move.
    pub(crate) fn enter(&mut self, depth: i32, ply: usize, alpha: i32, beta: i32) -> i32 {
        if self.must_stop() {
            return 0;
        }
        if self.grid.empty == 0 {
            return self.static_score(0);
        }
        let (me, other, plies) = (self.mover, 1 - self.mover, ply as i32);
        if !self.plain() {
            return self.enter_other_rules(depth, ply, alpha, beta);
        }
        // 1. Own five.
        if !self.grid.list(me, TIER_FIVE).is_empty() {
            return self.static_score(WIN - plies - 1);
        }
        // 2. Opponent's fives: two lose, one is a forced reply.
        match *self.grid.list(other, TIER_FIVE) {
            [] => {}
            [gap] => {
                if ply >= MOST_PLIES {
                    let opinion = self.opinion();
                    return self.static_score(opinion);
                }
                self.counters.dynamic_evaluations += 1;
                self.put(gap);
                let score = -self.enter(depth, ply + 1, -beta, -alpha);
                self.take();
                return score;
            }
            _ => return self.static_score(plies + 2 - WIN),
        }
        // 3. Own open four.
        if !self.grid.list(me, TIER_OPEN).is_empty() {
            return self.static_score(WIN - plies - 3);
        }
        let threatened = !self.grid.list(other, TIER_OPEN).is_empty();
        let horizon = ply >= MOST_PLIES || (depth <= 0 && !(threatened && ply < self.horizon));
        let fours = !self.grid.list(me, TIER_FOUR).is_empty();
        // In a quiet position evaluating is cheaper than probing.
        if horizon && !fours {
            let opinion = self.opinion();
            return self.static_score(opinion);
        }
        // 4. Transposition table.
        let hash = self.hash();
        let best_known = match self.probe(hash, depth, plies, alpha, beta) {
            Ok(place) => place,
            Err(score) => return score,
        };
        // 5. VCF.
        if fours {
            self.vcf_budget = if depth > 2 { 300 } else { 60 };
            if let Some(needed) = self.vcf(MOST_VCF) {
                let score = WIN - plies - needed;
                self.store(hash, score, depth, Bound::Exact, 0, plies);
                self.counters.dynamic_evaluations += 1;
                return score;
            }
        }
        // 6. Horizon.
        if horizon {
            let score = self.opinion();
            self.store(hash, score, 0, Bound::Exact, 0, plies);
            return self.static_score(score);
        }
        // 7 and 8. Moves.
        let mut moves = std::mem::take(&mut self.lists[ply]);
        let complete = self.moves(&mut moves, ply, depth, best_known);
        if moves.is_empty() && threatened {
            self.lists[ply] = moves;
            return self.static_score(plies + 4 - WIN);
        }
        let line = SearchNode { hash, depth, next: depth - 1, ply, complete, shallower: !threatened };
        self.search_moves(line, moves, alpha, beta)
    }

    /// Probes the table: `Err` with a score that causes a cutoff, else the hash move, 0 for none.
    fn probe(&mut self, hash: u64, depth: i32, ply: i32, alpha: i32, beta: i32) -> Result<u32, i32> {
        let Some(known) = self.shared.table.probe(hash) else { return Ok(0) };
        self.counters.table_hits += 1;
        let score = at_ply(i32::from(known.score), ply);
        // Proven scores hold at any depth.
        let deep = i32::from(known.depth) >= depth || score.abs() > SURE;
        let decides = match known.bound {
            Bound::Exact => true,
            Bound::AtLeast => score >= beta,
            Bound::AtMost => score <= alpha,
        };
        if deep && decides {
            self.counters.table_cutoffs += 1;
            return Err(score);
        }
        Ok(known.place)
    }

    /// Searches the moves of a node (PVS with late move reductions); there is at least one.
    fn search_moves(&mut self, line: SearchNode, moves: Vec<(i32, u32)>, mut alpha: i32, beta: i32) -> i32 {
        let SearchNode { hash, depth, next, ply, complete, shallower } = line;
        self.counters.dynamic_evaluations += 1;
        let before = alpha;
        let (mut best, mut best_place) = (-WIN, 0);
        for (tried, &(_, place)) in moves.iter().enumerate() {
            let quiet = shallower && depth >= 3 && self.grid.calm(place as usize);
            let less = if quiet { reduction(depth, tried) } else { 0 };
            self.put(place);
            let mut score = if tried == 0 {
                -self.enter(next, ply + 1, -beta, -alpha)
            } else {
                -self.enter(next - less, ply + 1, -alpha - 1, -alpha)
            };
            if less > 0 && score > alpha && !self.stopped {
                score = -self.enter(next, ply + 1, -alpha - 1, -alpha);
            }
            if tried > 0 && score > alpha && score < beta && !self.stopped {
                score = -self.enter(next, ply + 1, -beta, -alpha);
            }
            self.take();
            if self.stopped {
                self.lists[ply] = moves;
                return 0;
            }
            if score > best {
                (best, best_place) = (score, place);
                alpha = alpha.max(score);
                if alpha >= beta {
                    self.counters.cut_off(self.mover == 1);
                    self.refuted(place, depth, ply);
                    break;
                }
            }
        }
        self.lists[ply] = moves;
        if best < beta && !complete {
            best = unproven(best);
        }
        let bound = match best {
            best if best >= beta => Bound::AtLeast,
            best if best > before => Bound::Exact,
            _ => Bound::AtMost,
        };
        self.store(hash, best, depth, bound, best_place, ply as i32);
        best
    }

    fn store(&self, hash: u64, score: i32, depth: i32, bound: Bound, place: u32, ply: i32) {
        let score = at_root(score, ply).clamp(-WIN, WIN) as i16;
        self.shared
            .table
            .store(hash, TranspositionEntry { score, depth: depth.clamp(0, 250) as u8, bound, place });
    }

    /// Generates candidate moves, best first; returns whether all others lose at once.
    pub(crate) fn moves(
        &mut self,
        moves: &mut Vec<(i32, u32)>,
        ply: usize,
        depth: i32,
        best_known: u32,
    ) -> bool {
        moves.clear();
        let (me, other) = (self.mover, 1 - self.mover);
        let mut complete = true;
        if self.plain() && !self.grid.list(other, TIER_OPEN).is_empty() {
            let (mut gaps, mut answers) = (std::mem::take(&mut self.gaps), Vec::new());
            self.grid.answers(other, &mut gaps, &mut answers);
            self.gaps = gaps;
            answers.extend_from_slice(self.grid.list(me, TIER_FOUR));
            moves.extend(answers.iter().map(|&place| (self.grid.rank(place as usize), place)));
        } else {
            self.grid.nearby();
            let (grid, history) = (&self.grid, &self.history[me]);
            let killers = self.killers[ply];
            let rank = |place: u32| {
                let killer = if killers.contains(&place) { 12 } else { 0 };
                grid.rank(place as usize) + (history[place as usize] >> 6) + killer
            };
            let open = |place: &u32| grid.content[*place as usize] == EMPTY;
            moves.extend(grid.near_stones().iter().copied().filter(open).map(|place| (rank(place), place)));
            complete = moves.len() == grid.empty;
            if moves.is_empty() {
                // No stone nearby: any cell of the board.
                let cells = (0..grid.content.len() as u32).filter(open);
                moves.extend(cells.map(|place| (rank(place), place)));
                complete = true;
            }
            let width = if ply == 0 { 60 } else { width(depth) };
            if moves.len() > width {
                moves.select_nth_unstable_by_key(width, |&(rank, place)| (Reverse(rank), place));
                moves.truncate(width);
                complete = false;
            }
        }
        if best_known != 0
            && let Some(known) = moves.iter_mut().find(|(_, place)| *place == best_known)
        {
            known.0 = i32::MAX;
        }
        moves.sort_unstable_by_key(|&(rank, place)| (Reverse(rank), place));
        moves.dedup_by_key(|&mut (_, place)| place);
        complete
    }

    /// Updates killers and history after a cutoff.
    fn refuted(&mut self, place: u32, depth: i32, ply: usize) {
        if self.killers[ply][0] != place {
            self.killers[ply] = [place, self.killers[ply][0]];
        }
        let history = &mut self.history[self.mover];
        let sum = &mut history[place as usize];
        *sum += depth * depth;
        if *sum > 1 << 12 {
            history.iter_mut().for_each(|sum| *sum /= 2);
        }
    }

    /// VCF: returns the plies to a win of the player to move by continuous fours, at most `left` of them.
    fn vcf(&mut self, left: u32) -> Option<i32> {
        let me = self.mover;
        if !self.grid.list(me, TIER_FIVE).is_empty() {
            return Some(1);
        }
        let forced = match *self.grid.list(1 - me, TIER_FIVE) {
            [] => None,
            [gap] => Some(gap),
            _ => return None,
        };
        let open = self.grid.list(me, TIER_OPEN);
        if !open.is_empty() && forced.is_none_or(|gap| open.contains(&gap)) {
            return Some(3);
        }
        if left == 0 {
            return None;
        }
        let hash = self.hash();
        let (mark, slot) = (hash & !15, hash as usize >> 8 & (VCF_SLOTS - 1));
        if self.failed[slot] & !15 == mark && self.failed[slot] & 15 >= u64::from(left) {
            return None;
        }
        let mut fours = [0; 16];
        let mut count = 0;
        for &place in self.grid.list(me, TIER_FOUR) {
            if forced.is_none_or(|gap| gap == place) && count < fours.len() {
                fours[count] = place;
                count += 1;
            }
        }
        for &four in &fours[..count] {
            if self.vcf_budget < 2 {
                return None;
            }
            self.vcf_budget -= 2;
            self.put(four);
            let gap = self.grid.list(me, TIER_FIVE)[0];
            self.put(gap);
            let found = self.vcf(left - 1);
            self.take();
            self.take();
            if let Some(plies) = found {
                return Some(plies + 2);
            }
        }
        if self.vcf_budget >= 2 {
            self.failed[slot] = mark | u64::from(left);
        }
        None
    }

    /// The search with gravity or misère: only lines that can be completed now count.
    fn enter_other_rules(&mut self, depth: i32, ply: usize, alpha: i32, beta: i32) -> i32 {
        let (me, other, plies) = (self.mover, 1 - self.mover, ply as i32);
        let misere = self.grid.misere;
        let mut forced = None;
        if !misere {
            let now = |place: &&u32| self.grid.playable(**place as usize);
            if self.grid.list(me, TIER_FIVE).iter().any(|place| now(&place)) {
                return self.static_score(WIN - plies - 1);
            }
            let mut gaps = self.grid.list(other, TIER_FIVE).iter().filter(now);
            forced = gaps.next().copied();
            if gaps.next().is_some() {
                return self.static_score(plies + 2 - WIN);
            }
        }
        if ply >= MOST_PLIES || (depth <= 0 && forced.is_none()) {
            let opinion = self.opinion();
            return self.static_score(opinion);
        }
        let hash = self.hash();
        let best_known = match self.probe(hash, depth, plies, alpha, beta) {
            Ok(place) => place,
            Err(score) => return score,
        };
        let mut moves = std::mem::take(&mut self.lists[ply]);
        let complete = match forced {
            Some(gap) => {
                moves.clear();
                moves.push((0, gap));
                true
            }
            None => self.moves_other_rules(&mut moves, ply, depth, best_known),
        };
        if moves.is_empty() {
            // Every move completes a line of one's own.
            self.lists[ply] = moves;
            return self.static_score(plies + 1 - WIN);
        }
        let next = if forced.is_some() { depth } else { depth - 1 };
        let line = SearchNode { hash, depth, next, ply, complete, shallower: false };
        self.search_moves(line, moves, alpha, beta)
    }

    /// Generates moves with gravity or misère, without those that lose at once in misère.
    pub(crate) fn moves_other_rules(
        &mut self,
        moves: &mut Vec<(i32, u32)>,
        ply: usize,
        depth: i32,
        best_known: u32,
    ) -> bool {
        let mut complete = true;
        if self.grid.gravity {
            moves.clear();
            let grid = &self.grid;
            let history = &self.history[self.mover];
            let open = grid.columns().map(|place| {
                let first = if place == best_known { i32::MAX / 2 } else { 0 };
                (first + grid.rank(place as usize) + (history[place as usize] >> 6), place)
            });
            moves.extend(open);
            moves.sort_unstable_by_key(|&(rank, place)| (Reverse(rank), place));
        } else {
            complete = self.moves(moves, ply, depth, best_known);
        }
        if self.grid.misere {
            let (grid, me) = (&self.grid, self.mover);
            moves.retain(|&(_, place)| grid.tier(place as usize, me) != Some(TIER_FIVE));
            if moves.is_empty() && !complete {
                // Quiet cells far from all stones are the best moves left.
                let quiet = |&place: &u32| {
                    grid.content[place as usize] == EMPTY && grid.tier(place as usize, me) != Some(TIER_FIVE)
                };
                let cells = (0..grid.content.len() as u32).filter(quiet);
                moves.extend(cells.map(|place| (0, place)).take(60));
                complete = moves.is_empty();
            }
        }
        complete
    }
}

/// Beam width: the number of quiet moves searched.
fn width(depth: i32) -> usize {
    match depth {
        ..=1 => 12,
        2 => 16,
        3 => 20,
        4..=5 => 24,
        _ => 32,
    }
}

/// Late move reduction in plies.
fn reduction(depth: i32, tried: usize) -> i32 {
    match tried {
        0..=2 => 0,
        3..=7 => 1,
        8..=15 => 1 + i32::from(depth > 5),
        _ => 2 + i32::from(depth > 6),
    }
}
