//! Alpha-beta over the cells that matter.
//!
//! ```text
//!   1 who can complete a line does               2 two gaps of the other player lose, one must be filled
//!   3 who can make two gaps wins                 4 the table
//!   5 a win by fours alone                       6 the horizon: an opinion
//!   7 a threat of two gaps has few answers       8 else cells near stones, promising ones first
//! ```
//!
//! Steps 2, 3 and 7 leave out only moves that lose at once. Step 8 leaves out quiet moves far from all stones and those
//! that promise least, so a loss that is found there is *believed*, not proven. Where stones fall or lines lose, the
//! threats of steps 3, 5 and 7 mean something else, and are left out.

use crate::ground::{EMPTY, Ground, TIER_FIVE, TIER_FOUR, TIER_OPEN};
use crate::table::{Bound, Known, Table};
use outplay_core::{Counters, Watch};
use std::cmp::Reverse;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Instant;

/// The score of a win at the root itself; sooner wins are larger.
pub(crate) const WIN: i32 = 32_000;
/// Proven wins lie above.
pub(crate) const SURE: i32 = 31_000;
/// What a win would score that is only believed.
const BELIEF: i32 = 25_000;
/// Opinions lie below.
const MOST_OPINION: i32 = 20_000;
/// No line is followed further.
pub(crate) const MOST_PLIES: usize = 120;
/// Stones placed between two looks at the clock.
const HANDFUL: u64 = 128;
/// Fours in a row that are tried.
const MOST_FOURS: u32 = 10;
/// Failed attempts that are remembered.
const FAILED: usize = 1 << 14;

/// What threads share.
pub(crate) struct Shared<'a> {
    pub(crate) table: &'a Table,
    pub(crate) stop: &'a AtomicBool,
    pub(crate) watch: &'a dyn Watch,
    pub(crate) end: Option<Instant>,
    pub(crate) nodes: u64,
}

/// One thread's search.
pub(crate) struct Search<'a> {
    pub(crate) ground: Ground,
    shared: &'a Shared<'a>,
    /// Whether this thread looks at the clock.
    leads: bool,
    pub(crate) mover: usize,
    /// How much a cell has refuted, for either player.
    history: [Vec<i32>; 2],
    killers: [[u32; 2]; MOST_PLIES + 2],
    /// Moves of the positions on the line that is looked at.
    lists: Vec<Vec<(i32, u32)>>,
    gaps: Vec<u32>,
    failed: Vec<u64>,
    /// Stones placed.
    pub(crate) nodes: u64,
    /// What else was done.
    counters: Counters,
    pause: u64,
    pub(crate) stopped: bool,
    /// Stones that an attempt by fours may still place.
    patience: u32,
    /// Threats are followed to this ply beyond the horizon.
    pub(crate) horizon: usize,
}

/// A position whose moves are to be weighed.
struct Line {
    hash: u64,
    depth: i32,
    /// The depth of its moves.
    next: i32,
    ply: usize,
    /// Whether moves that are not listed lose at once.
    complete: bool,
    /// Whether late quiet moves are looked at less deeply.
    shallower: bool,
}

/// A score as if the position were the root.
fn at_root(score: i32, ply: i32) -> i32 {
    match score {
        s if s > MOST_OPINION => s + ply,
        s if s < -MOST_OPINION => s - ply,
        s => s,
    }
}

/// The inverse.
fn at_ply(score: i32, ply: i32) -> i32 {
    match score {
        s if s > MOST_OPINION => s - ply,
        s if s < -MOST_OPINION => s + ply,
        s => s,
    }
}

/// A loss among some of the moves only.
fn doubted(score: i32) -> i32 {
    if score < -SURE { score + WIN - BELIEF } else { score }
}

impl<'a> Search<'a> {
    pub(crate) fn new(ground: Ground, mover: usize, shared: &'a Shared<'a>, leads: bool) -> Search<'a> {
        let places = ground.content.len();
        Search {
            ground,
            shared,
            leads,
            mover,
            history: [vec![0; places], vec![0; places]],
            killers: [[0; 2]; MOST_PLIES + 2],
            lists: vec![Vec::new(); MOST_PLIES + 2],
            gaps: Vec::new(),
            failed: vec![0; FAILED],
            nodes: 0,
            counters: Counters::default(),
            pause: 0,
            stopped: false,
            patience: 0,
            horizon: 0,
        }
    }

    /// What this thread did.
    pub(crate) fn counters(&self) -> Counters {
        Counters { nodes: self.nodes, ..self.counters }
    }

    /// A score that no move was looked at for.
    #[inline]
    fn at_sight(&mut self, score: i32) -> i32 {
        self.counters.static_evaluations += 1;
        score
    }

    /// The position's hash, the player to move included.
    pub(crate) fn hash(&self) -> u64 {
        self.ground.hash ^ if self.mover == 1 { 0xd1b5_4a32_d192_ed03 } else { 0 }
    }

    /// The player to move places a stone.
    #[inline]
    pub(crate) fn put(&mut self, place: u32) {
        self.nodes += 1;
        self.ground.put(place as usize, self.mover);
        self.mover = 1 - self.mover;
    }

    #[inline]
    pub(crate) fn take(&mut self) {
        self.ground.take();
        self.mover = 1 - self.mover;
    }

    fn must_stop(&mut self) -> bool {
        if self.nodes < self.pause {
            return self.stopped;
        }
        self.pause = (self.nodes + HANDFUL).min(self.shared.nodes.max(self.nodes + 1));
        if self.leads {
            let late = self.shared.end.is_some_and(|end| Instant::now() >= end);
            if late || self.nodes >= self.shared.nodes || self.shared.watch.stopped() {
                self.shared.stop.store(true, Relaxed);
            }
        }
        self.stopped = self.shared.stop.load(Relaxed);
        self.stopped
    }

    pub(crate) fn table(&self) -> &Table {
        self.shared.table
    }

    fn plain(&self) -> bool {
        !(self.ground.gravity || self.ground.misere)
    }

    fn opinion(&self) -> i32 {
        let opinion = self.ground.opinion(self.mover);
        let opinion = if self.ground.misere { -opinion } else { opinion };
        opinion.clamp(1 - MOST_OPINION, MOST_OPINION - 1)
    }

    /// The score of a position for the player to move.
    pub(crate) fn enter(&mut self, depth: i32, ply: usize, alpha: i32, beta: i32) -> i32 {
        if self.must_stop() {
            return 0;
        }
        if self.ground.empty == 0 {
            return self.at_sight(0);
        }
        let (me, other, plies) = (self.mover, 1 - self.mover, ply as i32);
        if !self.plain() {
            return self.enter_otherwise(depth, ply, alpha, beta);
        }
        // 1. Who can complete a line does.
        if !self.ground.list(me, TIER_FIVE).is_empty() {
            return self.at_sight(WIN - plies - 1);
        }
        // 2. Two gaps are one too many, one leaves no choice.
        match *self.ground.list(other, TIER_FIVE) {
            [] => {}
            [gap] => {
                if ply >= MOST_PLIES {
                    let opinion = self.opinion();
                    return self.at_sight(opinion);
                }
                self.counters.dynamic_evaluations += 1;
                self.put(gap);
                let score = -self.enter(depth, ply + 1, -beta, -alpha);
                self.take();
                return score;
            }
            _ => return self.at_sight(plies + 2 - WIN),
        }
        // 3. Two gaps of one's own.
        if !self.ground.list(me, TIER_OPEN).is_empty() {
            return self.at_sight(WIN - plies - 3);
        }
        let threatened = !self.ground.list(other, TIER_OPEN).is_empty();
        let horizon = ply >= MOST_PLIES || (depth <= 0 && !(threatened && ply < self.horizon));
        let fours = !self.ground.list(me, TIER_FOUR).is_empty();
        // Where nothing happens an opinion is sooner made than remembered.
        if horizon && !fours {
            let opinion = self.opinion();
            return self.at_sight(opinion);
        }
        // 4. The table.
        let hash = self.hash();
        let best_known = match self.probe(hash, depth, plies, alpha, beta) {
            Ok(place) => place,
            Err(score) => return score,
        };
        // 5. Fours.
        if fours {
            self.patience = if depth > 2 { 300 } else { 60 };
            if let Some(needed) = self.fours(MOST_FOURS) {
                let score = WIN - plies - needed;
                self.keep(hash, score, depth, Bound::Exact, 0, plies);
                self.counters.dynamic_evaluations += 1;
                return score;
            }
        }
        // 6. The horizon.
        if horizon {
            let score = self.opinion();
            self.keep(hash, score, 0, Bound::Exact, 0, plies);
            return self.at_sight(score);
        }
        // 7 and 8. The moves.
        let mut moves = std::mem::take(&mut self.lists[ply]);
        let complete = self.moves(&mut moves, ply, depth, best_known);
        if moves.is_empty() && threatened {
            self.lists[ply] = moves;
            return self.at_sight(plies + 4 - WIN);
        }
        let line = Line { hash, depth, next: depth - 1, ply, complete, shallower: !threatened };
        self.weigh(line, moves, alpha, beta)
    }

    /// What the table knows: a score that decides, or else the best move, 0 for none.
    fn probe(&mut self, hash: u64, depth: i32, ply: i32, alpha: i32, beta: i32) -> Result<u32, i32> {
        let Some(known) = self.shared.table.find(hash) else { return Ok(0) };
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

    /// The score of a position by its moves, of which there is one at least.
    fn weigh(&mut self, line: Line, moves: Vec<(i32, u32)>, mut alpha: i32, beta: i32) -> i32 {
        let Line { hash, depth, next, ply, complete, shallower } = line;
        self.counters.dynamic_evaluations += 1;
        let before = alpha;
        let (mut best, mut best_place) = (-WIN, 0);
        for (tried, &(_, place)) in moves.iter().enumerate() {
            let quiet = shallower && depth >= 3 && self.ground.calm(place as usize);
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
            best = doubted(best);
        }
        let bound = match best {
            best if best >= beta => Bound::AtLeast,
            best if best > before => Bound::Exact,
            _ => Bound::AtMost,
        };
        self.keep(hash, best, depth, bound, best_place, ply as i32);
        best
    }

    fn keep(&self, hash: u64, score: i32, depth: i32, bound: Bound, place: u32, ply: i32) {
        let score = at_root(score, ply).clamp(-WIN, WIN) as i16;
        self.shared.table.keep(hash, Known { score, depth: depth.clamp(0, 250) as u8, bound, place });
    }

    /// Lists the moves worth a try, best first; whether the others all lose at once.
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
        if self.plain() && !self.ground.list(other, TIER_OPEN).is_empty() {
            let (mut gaps, mut answers) = (std::mem::take(&mut self.gaps), Vec::new());
            self.ground.answers(other, &mut gaps, &mut answers);
            self.gaps = gaps;
            answers.extend_from_slice(self.ground.list(me, TIER_FOUR));
            moves.extend(answers.iter().map(|&place| (self.ground.rank(place as usize), place)));
        } else {
            self.ground.nearby();
            let (ground, history) = (&self.ground, &self.history[me]);
            let killers = self.killers[ply];
            let rank = |place: u32| {
                let killer = if killers.contains(&place) { 12 } else { 0 };
                ground.rank(place as usize) + (history[place as usize] >> 6) + killer
            };
            let open = |place: &u32| ground.content[*place as usize] == EMPTY;
            moves.extend(ground.near_stones().iter().copied().filter(open).map(|place| (rank(place), place)));
            complete = moves.len() == ground.empty;
            if moves.is_empty() {
                // Nobody has a stone anywhere near: any cell of the board.
                let cells = (0..ground.content.len() as u32).filter(open);
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

    /// Remembers that a cell made the rest of the moves unnecessary.
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

    /// Plies to a win of the player to move by fours alone, within so many.
    fn fours(&mut self, left: u32) -> Option<i32> {
        let me = self.mover;
        if !self.ground.list(me, TIER_FIVE).is_empty() {
            return Some(1);
        }
        let forced = match *self.ground.list(1 - me, TIER_FIVE) {
            [] => None,
            [gap] => Some(gap),
            _ => return None,
        };
        let open = self.ground.list(me, TIER_OPEN);
        if !open.is_empty() && forced.is_none_or(|gap| open.contains(&gap)) {
            return Some(3);
        }
        if left == 0 {
            return None;
        }
        let hash = self.hash();
        let (mark, slot) = (hash & !15, hash as usize >> 8 & (FAILED - 1));
        if self.failed[slot] & !15 == mark && self.failed[slot] & 15 >= u64::from(left) {
            return None;
        }
        let mut fours = [0; 16];
        let mut count = 0;
        for &place in self.ground.list(me, TIER_FOUR) {
            if forced.is_none_or(|gap| gap == place) && count < fours.len() {
                fours[count] = place;
                count += 1;
            }
        }
        for &four in &fours[..count] {
            if self.patience < 2 {
                return None;
            }
            self.patience -= 2;
            self.put(four);
            let gap = self.ground.list(me, TIER_FIVE)[0];
            self.put(gap);
            let found = self.fours(left - 1);
            self.take();
            self.take();
            if let Some(plies) = found {
                return Some(plies + 2);
            }
        }
        if self.patience >= 2 {
            self.failed[slot] = mark | u64::from(left);
        }
        None
    }

    /// The same where stones fall or lines lose: only lines that can be completed now count.
    fn enter_otherwise(&mut self, depth: i32, ply: usize, alpha: i32, beta: i32) -> i32 {
        let (me, other, plies) = (self.mover, 1 - self.mover, ply as i32);
        let misere = self.ground.misere;
        let mut forced = None;
        if !misere {
            let now = |place: &&u32| self.ground.playable(**place as usize);
            if self.ground.list(me, TIER_FIVE).iter().any(|place| now(&place)) {
                return self.at_sight(WIN - plies - 1);
            }
            let mut gaps = self.ground.list(other, TIER_FIVE).iter().filter(now);
            forced = gaps.next().copied();
            if gaps.next().is_some() {
                return self.at_sight(plies + 2 - WIN);
            }
        }
        if ply >= MOST_PLIES || (depth <= 0 && forced.is_none()) {
            let opinion = self.opinion();
            return self.at_sight(opinion);
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
            None => self.moves_otherwise(&mut moves, ply, depth, best_known),
        };
        if moves.is_empty() {
            // Nothing is left but to complete a line of one's own.
            self.lists[ply] = moves;
            return self.at_sight(plies + 1 - WIN);
        }
        let next = if forced.is_some() { depth } else { depth - 1 };
        let line = Line { hash, depth, next, ply, complete, shallower: false };
        self.weigh(line, moves, alpha, beta)
    }

    /// The moves where stones fall or lines lose, without those that lose at once in misère.
    pub(crate) fn moves_otherwise(
        &mut self,
        moves: &mut Vec<(i32, u32)>,
        ply: usize,
        depth: i32,
        best_known: u32,
    ) -> bool {
        let mut complete = true;
        if self.ground.gravity {
            moves.clear();
            let ground = &self.ground;
            let history = &self.history[self.mover];
            let open = ground.columns().map(|place| {
                let first = if place == best_known { i32::MAX / 2 } else { 0 };
                (first + ground.rank(place as usize) + (history[place as usize] >> 6), place)
            });
            moves.extend(open);
            moves.sort_unstable_by_key(|&(rank, place)| (Reverse(rank), place));
        } else {
            complete = self.moves(moves, ply, depth, best_known);
        }
        if self.ground.misere {
            let (ground, me) = (&self.ground, self.mover);
            moves.retain(|&(_, place)| ground.tier(place as usize, me) != Some(TIER_FIVE));
            if moves.is_empty() && !complete {
                // Quiet cells far from everything are the best there is.
                let quiet = |&place: &u32| {
                    ground.content[place as usize] == EMPTY
                        && ground.tier(place as usize, me) != Some(TIER_FIVE)
                };
                let cells = (0..ground.content.len() as u32).filter(quiet);
                moves.extend(cells.map(|place| (0, place)).take(60));
                complete = moves.is_empty();
            }
        }
        complete
    }
}

/// How many quiet moves are tried.
fn width(depth: i32) -> usize {
    match depth {
        ..=1 => 12,
        2 => 16,
        3 => 20,
        4..=5 => 24,
        _ => 32,
    }
}

/// By how much later moves are looked at less deeply.
fn reduction(depth: i32, tried: usize) -> i32 {
    match tried {
        0..=2 => 0,
        3..=7 => 1,
        8..=15 => 1 + i32::from(depth > 5),
        _ => 2 + i32::from(depth > 6),
    }
}
