//! Strong game (Maker–Maker): df-pn search whether the attacker completes a line before the defender does.
//!
//! The attacker *wins* if it does; otherwise the defender *holds*.
//!
//! ```text
//!              attacker to move                     defender to move
//!  wins if     by VCF, or                           two cells to block at once, or
//!              some move wins                       every reply loses
//!  holds if    blocking suffices, or                completes a line, or blocking suffices,
//!              every move has an answer             or some move holds
//! ```
//!
//! The defender may do more than block: its own threats force the attacker. Where blocking suffices
//! ([`crate::weak`]), the result has a relevance zone, outside of which the attacker's moves change nothing.
//! Where the attacker would win by VCF if the defender passed (a null move), only replies that refute that very
//! sequence are searched.
//!
//! Depth-first proof-number search (Nagai 2002) with the 1 + ε threshold rule (Pawlewicz and Lew 2007); `hold`
//! and `win` are the proof and disproof numbers.

use crate::budget::NodeBudget;
use crate::cells::Cells;
use crate::field::{BoardGeometry, Symmetry, inverse};
use crate::fours::{AttackPosition, VcfSearch, completions, spoilers};
use crate::weak::{self, INFINITY, NO_MOVE, WeakSearch};
use outplay_runtime::ShardedMap;

/// Normalised position with the player to move: the smallest image under the symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key<const W: usize> {
    pub(crate) pos: AttackPosition<W>,
    /// Whether the attacker moves.
    pub(crate) attacker: bool,
}

/// Reason of a result.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum ProofReason {
    /// Not decided yet.
    Open,
    /// The attacker wins by VCF.
    Threats,
    /// Blocking suffices.
    Blocking,
    /// This move of the side to move decides.
    Move(u16),
    /// Every move of the side to move fails.
    Moves,
    /// A line can be completed, or two open cells cannot both be blocked.
    Rules,
}

/// Table entry of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<const W: usize> {
    /// Proof number of "the defender holds"; 0 is proven.
    pub(crate) hold: u32,
    /// Proof number of "the attacker wins"; 0 is proven.
    pub(crate) win: u32,
    /// Reason of a proven result.
    pub(crate) reason: ProofReason,
    /// Relevance zone of a hold: the defender would hold even if the attacker owned all other cells.
    pub(crate) zone: Cells<W>,
}

/// A move from a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<const W: usize> {
    pub(crate) mv: u16,
    pub(crate) key: Key<W>,
    pub(crate) symmetry: Symmetry,
}

/// Node limit of one VCF search.
pub(crate) const THREATS: u32 = 2_000;

/// Search of the strong game, with its tables.
pub(crate) struct StrongSearch<'a, const W: usize> {
    pub(crate) geometry: &'a BoardGeometry<W>,
    pub(crate) weak: WeakSearch<'a, W>,
    pub(crate) fours: VcfSearch<'a, W>,
    pub(crate) table: ShardedMap<Key<W>, Entry<W>>,
    /// Number of stones from which on the attacker must keep a VCF pending at every move, or counts as held;
    /// `None` for the whole game. A win under this restriction is a win, a hold is not a hold.
    pub(crate) pressing: Option<usize>,
}

impl<'a, const W: usize> StrongSearch<'a, W> {
    pub(crate) fn new(geometry: &'a BoardGeometry<W>) -> Self {
        let (weak, fours) = (WeakSearch::new(geometry), VcfSearch::new(geometry));
        StrongSearch { geometry, weak, fours, table: ShardedMap::default(), pressing: None }
    }

    /// Memory per node: each adds at most one entry to one of the tables.
    pub(crate) fn bytes_per_node() -> u64 {
        let weak = ShardedMap::<weak::Key<W>, weak::Entry<W>>::ENTRY_BYTES;
        weak.max(ShardedMap::<Key<W>, Entry<W>>::ENTRY_BYTES) as u64
    }

    /// Frees the tables in the background.
    pub(crate) fn discard(self) {
        self.table.discard();
        self.weak.table.discard();
    }

    /// Whether the attacker wins; `None` if the budget runs out or only a pressing attack fails.
    pub(crate) fn solve(
        &mut self,
        pos: AttackPosition<W>,
        attacker: bool,
        budget: &mut NodeBudget<'_>,
    ) -> Option<bool> {
        let child = self.child(NO_MOVE, pos, attacker);
        let mut entry = self.entry(&child.key, budget);
        if entry.hold != 0 && entry.win != 0 && !budget.spent() {
            entry = self.search(child.key, INFINITY, INFINITY, budget);
        }
        if entry.win == 0 {
            Some(true)
        } else if entry.hold == 0 && self.pressing.is_none() {
            Some(false)
        } else {
            None
        }
    }

    /// Continues the search of the weak game for the whole board; its entries help the next search.
    pub(crate) fn search_weak_game(
        &mut self,
        pos: AttackPosition<W>,
        attacker: bool,
        budget: &mut NodeBudget<'_>,
    ) {
        let normal = self.child(NO_MOVE, pos, attacker).key.pos;
        let (blocking, entry) = self.weak.child(normal.attacker, normal.empty, attacker, budget);
        if entry.hold != 0 && entry.fill != 0 {
            self.weak.search(blocking.key, INFINITY, INFINITY, budget);
        }
    }

    /// Normalises a position: stones and cells that lie in no line their owner can still fill are dropped.
    pub(crate) fn child(&self, mv: u16, pos: AttackPosition<W>, attacker: bool) -> Child<W> {
        let (with_attacker, with_defender) = (pos.attacker | pos.empty, pos.defender | pos.empty);
        let (mut ours, mut theirs) = (Cells::NONE, Cells::NONE);
        for &line in &self.geometry.lines {
            if line.within(with_attacker) {
                ours = ours | line;
            }
            if line.within(with_defender) {
                theirs = theirs | line;
            }
        }
        let sets = [pos.attacker & ours, pos.defender & theirs, pos.empty & (ours | theirs)];
        let ([attacker_stones, defender, empty], symmetry) = self.geometry.canonical(sets);
        let pos = AttackPosition { attacker: attacker_stones, defender, empty };
        Child { mv, key: Key { pos, attacker }, symmetry }
    }

    pub(crate) fn entry(&mut self, key: &Key<W>, budget: &mut NodeBudget<'_>) -> Entry<W> {
        if let Some(entry) = self.table.get(key) {
            return *entry;
        }
        budget.spend();
        let entry = self.static_entry(key, budget);
        self.store(*key, entry, budget)
    }

    fn static_entry(&mut self, key: &Key<W>, budget: &mut NodeBudget<'_>) -> Entry<W> {
        let pos = key.pos;
        let held = |reason, zone| Entry { hold: 0, win: INFINITY, reason, zone };
        let won = |reason| Entry { hold: INFINITY, win: 0, reason, zone: Cells::NONE };
        // 1. Immediate results.
        let ours = completions(self.geometry, pos.attacker, pos.empty);
        let theirs = completions(self.geometry, pos.defender, pos.empty);
        if key.attacker {
            if !ours.is_none() {
                return won(ProofReason::Threats);
            }
            if theirs.count() > 1 {
                return held(ProofReason::Rules, self.widened(theirs, pos, 2));
            }
        } else {
            if !theirs.is_none() {
                let cell = Cells::one(theirs.first());
                return held(ProofReason::Rules, self.widened(cell, pos, 1));
            }
            if ours.count() > 1 {
                return won(ProofReason::Rules);
            }
        }
        // 2. VCF.
        if key.attacker && self.fours.find(pos, THREATS, budget).is_some() {
            return won(ProofReason::Threats);
        }
        if let Some(stones) = self.pressing {
            return self.pressing_entry(key, !ours.is_none(), stones, budget);
        }
        // 3. Blocking may suffice.
        let (child, weak) = self.weak.child(pos.attacker, pos.empty, key.attacker, budget);
        if weak.hold == 0 {
            return held(ProofReason::Blocking, self.weak.zone_here(&child, &weak));
        }
        // 4. Initial proof numbers: replies that do not lose at once are work for the attacker.
        let win = if key.attacker {
            2
        } else if !ours.is_none() {
            1
        } else {
            let replies = self.replies(key, budget).count() as u32;
            if replies == 0 {
                return won(ProofReason::Moves);
            }
            replies
        };
        let hold = if weak.fill == 0 { 32 } else { weak.hold };
        Entry { hold, win, reason: ProofReason::Open, zone: Cells::NONE }
    }

    /// Initial entry for a pressing attack, which must keep a VCF pending.
    fn pressing_entry(
        &mut self,
        key: &Key<W>,
        forced: bool,
        stones: usize,
        budget: &mut NodeBudget<'_>,
    ) -> Entry<W> {
        let open = |hold, win| Entry { hold, win, reason: ProofReason::Open, zone: Cells::NONE };
        if key.attacker || forced {
            return open(1, 1);
        }
        let replies = match self.fours.find(key.pos, THREATS, budget) {
            // More expensive than necessary, but the number of real replies guides the search.
            Some(moves) => self.fours.survivors(key.pos, &moves, THREATS, budget),
            // Without empty cells the attack is over.
            None if key.pos.attacker.count() < stones && !key.pos.empty.is_none() => key.pos.empty,
            None => return open(0, INFINITY),
        };
        if replies.is_none() {
            return Entry { hold: INFINITY, win: 0, reason: ProofReason::Moves, zone: Cells::NONE };
        }
        open(1, replies.count() as u32)
    }

    /// Returns the defender's moves that do not lose to the same VCF as a pass.
    pub(crate) fn replies(&mut self, key: &Key<W>, budget: &mut NodeBudget<'_>) -> Cells<W> {
        let pos = key.pos;
        match self.fours.find(pos, THREATS, budget) {
            Some(moves) if self.pressing.is_some() => self.fours.survivors(pos, &moves, THREATS, budget),
            Some(moves) => spoilers(self.geometry, pos, &moves, budget),
            None => pos.empty,
        }
    }

    /// Generates the moves from a key, best first; `None` if the work is stopped.
    pub(crate) fn children(&mut self, key: &Key<W>, budget: &mut NodeBudget<'_>) -> Option<Vec<Child<W>>> {
        let pos = key.pos;
        let forcing = if key.attacker { (pos.defender, pos.empty) } else { (pos.attacker, pos.empty) };
        let forced = completions(self.geometry, forcing.0, forcing.1);
        let moves = if !forced.is_none() {
            forced
        } else if key.attacker {
            pos.empty
        } else {
            self.replies(key, budget)
        };
        let mut weights = vec![0u64; Cells::<W>::ROOM];
        let (with_attacker, with_defender) = (pos.attacker | pos.empty, pos.defender | pos.empty);
        for &line in &self.geometry.lines {
            let left = line & pos.empty;
            if line.within(with_attacker) {
                for cell in left.iter() {
                    weights[cell] += 2 << (40 - left.count().min(40));
                }
            }
            if line.within(with_defender) {
                for cell in left.iter() {
                    weights[cell] += 1 << (40 - left.count().min(40));
                }
            }
        }
        let mut moves: Vec<usize> = moves.iter().collect();
        moves.sort_by_key(|&cell| std::cmp::Reverse(weights[cell]));
        moves
            .into_iter()
            .map(|cell| {
                if budget.part() {
                    return None;
                }
                let after = if key.attacker { pos.attack(cell) } else { pos.defend(cell) };
                Some(self.child(cell as u16, after, !key.attacker))
            })
            .collect()
    }

    fn search(
        &mut self,
        key: Key<W>,
        most_hold: u32,
        most_win: u32,
        budget: &mut NodeBudget<'_>,
    ) -> Entry<W> {
        // A result is final once stored: zones of other results depend on it.
        if let Some(entry) = self.table.get(&key).filter(|entry| entry.hold == 0 || entry.win == 0) {
            return *entry;
        }
        budget.spend();
        let Some(children) = self.children(&key, budget) else { return self.unfinished(&key) };
        let mut tried: Vec<Entry<W>> = Vec::with_capacity(children.len());
        for child in &children {
            if budget.stopped() {
                return self.unfinished(&key);
            }
            let entry = self.entry(&child.key, budget);
            tried.push(entry);
            if if key.attacker { entry.win == 0 } else { entry.hold == 0 } {
                break;
            }
        }
        let forced = children.len() == 1;
        let whole = self.pressing.is_none();
        let mut blocking =
            whole.then(|| self.weak.child(key.pos.attacker, key.pos.empty, key.attacker, budget));
        loop {
            // 0. If blocking suffices, the position is held.
            if let Some((child, weak)) = blocking.filter(|(_, weak)| weak.hold == 0) {
                let zone = self.weak.zone_here(&child, &weak);
                return self.store(
                    key,
                    Entry { hold: 0, win: INFINITY, reason: ProofReason::Blocking, zone },
                    budget,
                );
            }
            // 1. A child that is decided for the side to move decides the node.
            let done = |entry: &Entry<W>| if key.attacker { entry.win == 0 } else { entry.hold == 0 };
            if let Some(i) = tried.iter().position(done) {
                let reason = ProofReason::Move(children[i].mv);
                let entry = if key.attacker {
                    Entry { hold: INFINITY, win: 0, reason, zone: Cells::NONE }
                } else {
                    let zone = self.zone_here(&children[i], &tried[i]).with(children[i].mv.into());
                    Entry { hold: 0, win: INFINITY, reason, zone }
                };
                return self.store(key, entry, budget);
            }
            // 2. Must-play region: moves outside the zone of a holding answer fail too.
            let mut must = key.pos.empty;
            let mut zone = Cells::NONE;
            if key.attacker && whole {
                for (child, entry) in children.iter().zip(&tried).filter(|(_, entry)| entry.hold == 0) {
                    let here = self.zone_here(child, entry);
                    must = must & here;
                    zone = zone | here;
                }
            }
            // 3. Proof and disproof number: sum and minimum over the remaining children.
            let (mut sum, mut least, mut second, mut best) = (0u32, INFINITY, INFINITY, usize::MAX);
            let mut best_other = 0;
            let (mut hardest, mut left) = (0, 0);
            for (i, (child, entry)) in children.iter().zip(&tried).enumerate() {
                let (mine, other) =
                    if key.attacker { (entry.win, entry.hold) } else { (entry.hold, entry.win) };
                if other == 0 || !must.has(child.mv.into()) {
                    continue;
                }
                sum = (sum + other).min(INFINITY - 1);
                (hardest, left) = (other.max(hardest), left + 1);
                if mine < least {
                    (second, least, best, best_other) = (least, mine, i, other);
                } else if mine < second {
                    second = mine;
                }
            }
            if best == usize::MAX {
                let (hold, win) = if key.attacker { (0, INFINITY) } else { (INFINITY, 0) };
                if key.attacker && forced {
                    // The attacker had to answer a threat: the zone must not let it complete a line instead.
                    zone = self.widened(zone.with(children[0].mv.into()), key.pos, 2);
                }
                return self.store(key, Entry { hold, win, reason: ProofReason::Moves, zone }, budget);
            }
            // Replies to an attack mostly transpose into the same few lines, and a sum would count them
            // repeatedly: the hardest reply plus one for each other is the better estimate (compare weak
            // proof-number search).
            if !whole && !key.attacker {
                (sum, best_other) = ((hardest + left - 1).min(INFINITY - 1), hardest);
            }
            let (hold, win) = if key.attacker { (sum, least) } else { (least, sum) };
            let least_hold = blocking.map_or(hold, |(_, weak)| hold.min(weak.hold));
            if least_hold >= most_hold || win >= most_win || budget.spent() {
                let hold = least_hold;
                return self.store(
                    key,
                    Entry { hold, win, reason: ProofReason::Open, zone: Cells::NONE },
                    budget,
                );
            }
            // 4. The weak game is searched first where its proof number is smaller.
            let most = most_hold.min(hold + 1);
            if let Some((child, weak)) = &mut blocking
                && weak.fill != 0
                && weak.hold < most
            {
                *weak = self.weak.search(child.key, most, INFINITY, budget);
                continue;
            }
            // 5. Descend into the most proving child, with df-pn thresholds.
            let (most_mine, most_other) =
                if key.attacker { (most_win, most_hold) } else { (most_hold, most_win) };
            let child_mine = most_mine.min(second.saturating_add(second / 4 + 1));
            let child_other = (most_other - sum).saturating_add(best_other).min(INFINITY);
            let (child_hold, child_win) =
                if key.attacker { (child_other, child_mine) } else { (child_mine, child_other) };
            tried[best] = self.search(children[best].key, child_hold, child_win, budget);
        }
    }

    /// Maps the zone of a child's result to the frame of its parent.
    pub(crate) fn zone_here(&self, child: &Child<W>, entry: &Entry<W>) -> Cells<W> {
        self.geometry.map(inverse(child.symmetry), entry.zone)
    }

    /// Extends a zone until every line the attacker can still fill has at least `least` cells in it.
    fn widened(&self, mut zone: Cells<W>, pos: AttackPosition<W>, least: usize) -> Cells<W> {
        for line in self.geometry.lines.iter().filter(|line| line.within(pos.attacker | pos.empty)) {
            let inside = (*line & zone).count();
            for cell in (*line & pos.empty).minus(zone).iter().take(least.saturating_sub(inside)) {
                zone = zone.with(cell);
            }
        }
        zone
    }

    fn store(&mut self, key: Key<W>, entry: Entry<W>, budget: &mut NodeBudget<'_>) -> Entry<W> {
        if self.table.insert(key, entry).is_err() {
            budget.fill();
        }
        entry
    }

    /// Returns the entry of a key when the work was stopped before it improved.
    fn unfinished(&self, key: &Key<W>) -> Entry<W> {
        let nothing = Entry { hold: 1, win: 1, reason: ProofReason::Open, zone: Cells::NONE };
        self.table.get(key).copied().unwrap_or(nothing)
    }
}
