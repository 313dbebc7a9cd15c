//! VCT search (victory by continuous threats): wins by fours and open threes.
//!
//! ```text
//!   side        moves that are tried
//!   attacker    complete a line · make an open or double four · make a four, which has one reply ·
//!               make an open three, which has a few replies
//!   defender    the replies that stop all threats, and fours of its own, which the attacker must answer
//! ```
//!
//! An AND/OR search in the spirit of threat-space search (Allis, van den Herik and Huntjens 1993); unlike
//! theirs, it tries the defender's replies one by one instead of granting all of them at once. Depth counts the
//! attacker's moves and is increased iteratively; failed positions are stored with their depth.
//!
//! Invariant: the reply list omits only moves that lose at once, so every win found is proven.

use crate::ground::{PatternBoard, TIER_FIVE, TIER_FOUR, TIER_OPEN, TIER_THREE};
use outplay_core::Attack;
use outplay_runtime::Pace;
use rustc_hash::FxHashMap;

/// Maximum depth, in moves of the attacker; longer attacks are left to the main search.
const DEEPEST: u32 = 14;
/// Capacity of the table of failed positions.
const MOST_FAILED: usize = 1 << 20;

/// Resumable VCT search of one position.
#[derive(Default)]
pub(crate) struct VctSearch {
    failed: FxHashMap<u64, u32>,
    /// Depths searched completely.
    depth: u32,
    /// Nodes (stones placed) so far.
    pub(crate) nodes: u64,
    /// Whether a deeper search cannot find more.
    pub(crate) exhausted: bool,
}

impl VctSearch {
    /// Resumes until `most` nodes were searched in total; returns the shortest attack, in moves of the
    /// attacker, who is to move.
    pub(crate) fn search(
        &mut self,
        grid: &mut PatternBoard,
        attacker: usize,
        most: u64,
        pace: &mut Pace<'_>,
    ) -> Option<Attack> {
        let (failed, nodes) = (std::mem::take(&mut self.failed), self.nodes);
        let mut attacks = VctWorker { grid, attacker, failed, pace, nodes, most, cut: false };
        let mut found = None;
        while found.is_none() && !self.exhausted && !attacks.over() {
            attacks.cut = false;
            found = attacks.attack(self.depth + 1);
            if !attacks.over() {
                self.depth += 1;
                self.exhausted = !attacks.cut || self.depth >= DEEPEST;
            }
        }
        (self.failed, self.nodes) = (attacks.failed, attacks.nodes);
        found
    }
}

/// One call of [`VctSearch::search`].
struct VctWorker<'a, 'b> {
    grid: &'a mut PatternBoard,
    attacker: usize,
    failed: FxHashMap<u64, u32>,
    pace: &'a mut Pace<'b>,
    /// Nodes so far, and their limit.
    nodes: u64,
    most: u64,
    /// Whether the depth limit, not a refutation, ended some line.
    cut: bool,
}

impl VctWorker<'_, '_> {
    fn over(&self) -> bool {
        self.nodes >= self.most || self.pace.stopped()
    }

    fn put(&mut self, place: u32, player: usize) {
        self.nodes += 1;
        self.pace.step();
        self.grid.put(place as usize, player);
    }

    fn cell(&self, place: u32) -> usize {
        self.grid.cell(place as usize)
    }

    fn attack(&mut self, depth: u32) -> Option<Attack> {
        let me = self.attacker;
        if let Some(&place) = self.grid.list(me, TIER_FIVE).first() {
            return Some(Attack::Fours(vec![self.cell(place)]));
        }
        let forced = match *self.grid.list(1 - me, TIER_FIVE) {
            [] => None,
            [place] => Some(place),
            _ => return None,
        };
        if let Some(&place) = self.grid.list(me, TIER_OPEN).first()
            && forced.is_none_or(|forced| self.grid.list(me, TIER_OPEN).contains(&forced))
        {
            return Some(Attack::Fours(vec![self.cell(forced.unwrap_or(place))]));
        }
        if depth <= 1 || self.over() {
            self.cut = true;
            return None;
        }
        let hash = self.grid.hash;
        if self.failed.get(&hash).is_some_and(|&failed| failed >= depth) {
            // The entry does not record whether the failure was for lack of depth, so assume it was.
            self.cut = true;
            return None;
        }
        // An open three is too slow while the defender has one.
        let calm = self.grid.list(1 - me, TIER_OPEN).is_empty();
        let mut moves: Vec<(i32, u32, bool)> = Vec::new();
        for (tier, four) in [(TIER_FOUR, true), (TIER_THREE, false)] {
            if four || calm {
                let rank = |place: u32| self.grid.rank_for(place as usize, me);
                moves.extend(self.grid.list(me, tier).iter().map(|&place| (rank(place), place, four)));
            }
        }
        if let Some(forced) = forced {
            moves.retain(|&(_, place, _)| place == forced);
        }
        moves.sort_unstable_by_key(|&(rank, place, _)| (std::cmp::Reverse(rank), place));
        for (_, place, four) in moves {
            self.put(place, me);
            let found = if four { self.fill(place, depth) } else { self.defend(place, depth) };
            self.grid.take();
            if found.is_some() {
                return found;
            }
            if self.over() {
                self.cut = true;
                return None;
            }
        }
        if self.failed.len() < MOST_FAILED {
            self.failed.insert(hash, depth);
        }
        None
    }

    /// The defender fills the one gap of a four.
    fn fill(&mut self, place: u32, depth: u32) -> Option<Attack> {
        let gap = *self.grid.list(self.attacker, TIER_FIVE).first()?;
        self.put(gap, 1 - self.attacker);
        let rest = self.attack(depth - 1);
        self.grid.take();
        Some(rest?.after(self.cell(place), self.cell(gap)))
    }

    /// The defender replies to an open three.
    fn defend(&mut self, place: u32, depth: u32) -> Option<Attack> {
        let (me, other) = (self.attacker, 1 - self.attacker);
        // The defender's own five or open four comes first.
        if !(self.grid.list(other, TIER_FIVE).is_empty() && self.grid.list(other, TIER_OPEN).is_empty()) {
            return None;
        }
        let (mut gaps, mut answers) = (Vec::new(), Vec::new());
        self.grid.answers(me, &mut gaps, &mut answers);
        let threats = self.grid.list(me, TIER_OPEN).to_vec();
        let &first = threats.first()?;
        answers.extend(self.grid.list(other, TIER_FOUR));
        answers.sort_unstable_by_key(|&place| (std::cmp::Reverse(self.grid.rank(place as usize)), place));
        answers.dedup();
        let mut replies = Vec::new();
        for &answer in &answers {
            self.put(answer, other);
            let rest = self.attack(depth - 1);
            self.grid.take();
            replies.push((self.cell(answer), rest?));
        }
        // A reply that meets the first threat but not another loses to that other one.
        self.grid.gaps(first as usize, me, &mut gaps);
        gaps.push(first);
        for gap in gaps {
            if answers.contains(&gap) {
                continue;
            }
            let spared = |threat: u32| {
                let mut gaps = Vec::new();
                self.grid.gaps(threat as usize, me, &mut gaps);
                threat != gap && (gaps.len() != 2 || !gaps.contains(&gap))
            };
            let threat = threats.iter().copied().find(|&threat| spared(threat))?;
            replies.push((self.cell(gap), Attack::Fours(vec![self.cell(threat)])));
        }
        let other = Some(Box::new(Attack::Fours(vec![self.cell(first)])));
        Some(Attack::Plays { cell: self.cell(place), replies, other })
    }
}
