//! Wins by threats: every move of the attacker is a four or an open three, and the defender can only answer.
//!
//! ```text
//!   attacker    completes a line · makes two gaps · a four, which has one answer · an open three, which has a few
//!   defender    the answers that all threats have in common, and fours of its own, which the attacker must fill
//! ```
//!
//! The defender's list leaves out only moves that lose at once, so a win that is found is a win. Depth counts the
//! attacker's moves; it grows until something is found, and positions that failed are remembered.

use crate::ground::{Ground, TIER_FIVE, TIER_FOUR, TIER_OPEN, TIER_THREE};
use outplay_core::{Attack, Pace};
use rustc_hash::FxHashMap;

/// Attacks with more of one's own moves than this are left to the search.
const DEEPEST: u32 = 14;
/// Failures that are remembered.
const MOST_FAILED: usize = 1 << 20;

/// A search for attacks.
pub(crate) struct Attacks<'a, 'b> {
    ground: &'a mut Ground,
    attacker: usize,
    failed: FxHashMap<u64, u32>,
    pace: &'a mut Pace<'b>,
    /// Stones placed so far, and how many may be.
    pub(crate) nodes: u64,
    most: u64,
    /// Whether depth, not failure, ended a line of thought.
    cut: bool,
}

impl<'a, 'b> Attacks<'a, 'b> {
    pub(crate) fn new(ground: &'a mut Ground, attacker: usize, pace: &'a mut Pace<'b>) -> Self {
        Attacks { ground, attacker, failed: FxHashMap::default(), pace, nodes: 0, most: 0, cut: false }
    }

    /// The shortest attack, in moves of the attacker, who is to move, within so many stones placed.
    pub(crate) fn find(&mut self, most: u64) -> Option<Attack> {
        self.most = most;
        for depth in 1..=DEEPEST {
            self.cut = false;
            let found = self.attack(depth);
            if found.is_some() || !self.cut || self.over() {
                return found;
            }
        }
        None
    }

    fn over(&self) -> bool {
        self.nodes >= self.most || self.pace.stopped()
    }

    fn put(&mut self, place: u32, player: usize) {
        self.nodes += 1;
        self.pace.step();
        self.ground.put(place as usize, player);
    }

    fn cell(&self, place: u32) -> usize {
        self.ground.cell(place as usize)
    }

    fn attack(&mut self, depth: u32) -> Option<Attack> {
        let me = self.attacker;
        if let Some(&place) = self.ground.list(me, TIER_FIVE).first() {
            return Some(Attack::Fours(vec![self.cell(place)]));
        }
        let forced = match *self.ground.list(1 - me, TIER_FIVE) {
            [] => None,
            [place] => Some(place),
            _ => return None,
        };
        if let Some(&place) = self.ground.list(me, TIER_OPEN).first()
            && forced.is_none_or(|forced| self.ground.list(me, TIER_OPEN).contains(&forced))
        {
            return Some(Attack::Fours(vec![self.cell(forced.unwrap_or(place))]));
        }
        if depth <= 1 || self.over() {
            self.cut = true;
            return None;
        }
        let hash = self.ground.hash;
        if self.failed.get(&hash).is_some_and(|&failed| failed >= depth) {
            // Whether that failure was for lack of depth is not remembered.
            self.cut = true;
            return None;
        }
        // An open three is too slow while the defender has one.
        let calm = self.ground.list(1 - me, TIER_OPEN).is_empty();
        let mut moves: Vec<(i32, u32, bool)> = Vec::new();
        for (tier, four) in [(TIER_FOUR, true), (TIER_THREE, false)] {
            if four || calm {
                let rank = |place: u32| self.ground.rank_for(place as usize, me);
                moves.extend(self.ground.list(me, tier).iter().map(|&place| (rank(place), place, four)));
            }
        }
        if let Some(forced) = forced {
            moves.retain(|&(_, place, _)| place == forced);
        }
        moves.sort_unstable_by_key(|&(rank, place, _)| (std::cmp::Reverse(rank), place));
        for (_, place, four) in moves {
            self.put(place, me);
            let found = if four { self.fill(place, depth) } else { self.defend(place, depth) };
            self.ground.take();
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

    /// The defender fills the one gap that a four has left.
    fn fill(&mut self, place: u32, depth: u32) -> Option<Attack> {
        let gap = *self.ground.list(self.attacker, TIER_FIVE).first()?;
        self.put(gap, 1 - self.attacker);
        let rest = self.attack(depth - 1);
        self.ground.take();
        Some(rest?.after(self.cell(place), self.cell(gap)))
    }

    /// The defender answers an open three.
    fn defend(&mut self, place: u32, depth: u32) -> Option<Attack> {
        let (me, other) = (self.attacker, 1 - self.attacker);
        // A line, or two gaps, come before anything the attacker threatens.
        if !(self.ground.list(other, TIER_FIVE).is_empty() && self.ground.list(other, TIER_OPEN).is_empty()) {
            return None;
        }
        let (mut gaps, mut answers) = (Vec::new(), Vec::new());
        self.ground.answers(me, &mut gaps, &mut answers);
        let threats = self.ground.list(me, TIER_OPEN).to_vec();
        let &first = threats.first()?;
        answers.extend(self.ground.list(other, TIER_FOUR));
        answers.sort_unstable_by_key(|&place| (std::cmp::Reverse(self.ground.rank(place as usize)), place));
        answers.dedup();
        let mut replies = Vec::new();
        for &answer in &answers {
            self.put(answer, other);
            let rest = self.attack(depth - 1);
            self.ground.take();
            replies.push((self.cell(answer), rest?));
        }
        // What meets the first threat, but not another, is answered by that one.
        self.ground.gaps(first as usize, me, &mut gaps);
        gaps.push(first);
        for gap in gaps {
            if answers.contains(&gap) {
                continue;
            }
            let spared = |threat: u32| {
                let mut gaps = Vec::new();
                self.ground.gaps(threat as usize, me, &mut gaps);
                threat != gap && (gaps.len() != 2 || !gaps.contains(&gap))
            };
            let threat = threats.iter().copied().find(|&threat| spared(threat))?;
            replies.push((self.cell(gap), Attack::Fours(vec![self.cell(threat)])));
        }
        let other = Some(Box::new(Attack::Fours(vec![self.cell(first)])));
        Some(Attack::Plays { cell: self.cell(place), replies, other })
    }
}
