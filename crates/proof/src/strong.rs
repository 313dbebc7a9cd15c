//! The real game: does the attacker complete a line before the defender does?
//!
//! ```text
//!              attacker to move                     defender to move
//!  wins        by threats alone, or                 two open cells at once, or
//!              some move wins                       every reply loses
//!  holds       it is enough to block, or            completes a line, or it is enough
//!              every move has an answer             to block, or some move holds
//! ```
//!
//! The defender may do more than block: its own threats force the attacker. Where blocking is enough
//! ([`crate::weak`]), the result has a zone outside of which the attacker's moves change nothing. Where
//! the attacker would win by threats if the defender passed, only replies that spoil that very list of
//! moves are tried.

use crate::budget::Budget;
use crate::cells::Cells;
use crate::field::{Field, Symmetry, inverse};
use crate::fours::{Fours, Spot, completions, spoilers};
use crate::weak::{self, NEVER, NO_MOVE, Weak};
use outplay_core::Ledger;

/// A normalised position with the player to move; its least image under the symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key<const W: usize> {
    pub(crate) spot: Spot<W>,
    /// Whether the attacker moves.
    pub(crate) attacker: bool,
}

/// Why a result holds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Why {
    /// Nothing is known yet.
    Open,
    /// The attacker wins by threats alone.
    Threats,
    /// It is enough to block.
    Blocking,
    /// The side to move has this move.
    Move(u16),
    /// Every move of the side to move fails.
    Moves,
    /// A line can be completed, or two cells at once cannot be blocked.
    Rules,
}

/// What is known about a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<const W: usize> {
    /// Effort left to prove that the defender holds; 0 is proved.
    pub(crate) hold: u32,
    /// Effort left to prove that the attacker wins; 0 is proved.
    pub(crate) win: u32,
    /// The reason for a proved result.
    pub(crate) why: Why,
    /// The cells the defender needs where it holds: it would even if the attacker owned all others.
    pub(crate) zone: Cells<W>,
}

/// One move from a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<const W: usize> {
    pub(crate) mv: u16,
    pub(crate) key: Key<W>,
    pub(crate) symmetry: Symmetry,
}

/// Positions looked at by one search for threats.
pub(crate) const THREATS: u32 = 2_000;

/// The search for the real game, with everything it has learnt.
pub(crate) struct Strong<'a, const W: usize> {
    pub(crate) field: &'a Field<W>,
    pub(crate) weak: Weak<'a, W>,
    pub(crate) fours: Fours<'a, W>,
    pub(crate) table: Ledger<Key<W>, Entry<W>>,
    /// With so many stones or more the attacker must leave a win by threats pending at every move, or
    /// counts as held; `None` for the whole game. A win is a win either way, a hold is not.
    pub(crate) pressing: Option<usize>,
}

impl<'a, const W: usize> Strong<'a, W> {
    pub(crate) fn new(field: &'a Field<W>) -> Self {
        let (weak, fours) = (Weak::new(field), Fours::new(field));
        Strong { field, weak, fours, table: Ledger::default(), pressing: None }
    }

    /// What a look costs in memory: each puts at most one entry into one of the tables.
    pub(crate) fn bytes_per_look() -> u64 {
        let weak = Ledger::<weak::Key<W>, weak::Entry<W>>::ENTRY_BYTES;
        weak.max(Ledger::<Key<W>, Entry<W>>::ENTRY_BYTES) as u64
    }

    /// Forgets everything, without standing still for it.
    pub(crate) fn discard(self) {
        self.table.discard();
        self.weak.table.discard();
    }

    /// Asks whether the attacker wins; `None` if the budget runs out or only a pressing attack fails.
    pub(crate) fn ask(&mut self, spot: Spot<W>, attacker: bool, budget: &mut Budget<'_>) -> Option<bool> {
        let child = self.child(NO_MOVE, spot, attacker);
        let mut entry = self.entry(&child.key, budget);
        if entry.hold != 0 && entry.win != 0 && !budget.spent() {
            entry = self.search(child.key, NEVER, NEVER, budget);
        }
        if entry.win == 0 {
            Some(true)
        } else if entry.hold == 0 && self.pressing.is_none() {
            Some(false)
        } else {
            None
        }
    }

    /// Searches on whether blocking is enough for the whole board; the next question profits from it.
    pub(crate) fn ponder(&mut self, spot: Spot<W>, attacker: bool, budget: &mut Budget<'_>) {
        let normal = self.child(NO_MOVE, spot, attacker).key.spot;
        let (blocking, entry) = self.weak.child(normal.attacker, normal.empty, attacker, budget);
        if entry.hold != 0 && entry.fill != 0 {
            self.weak.search(blocking.key, NEVER, NEVER, budget);
        }
    }

    /// Normalises a position: what is in no line that its owner can still fill does not count.
    pub(crate) fn child(&self, mv: u16, spot: Spot<W>, attacker: bool) -> Child<W> {
        let (with_attacker, with_defender) = (spot.attacker | spot.empty, spot.defender | spot.empty);
        let (mut ours, mut theirs) = (Cells::NONE, Cells::NONE);
        for &line in &self.field.lines {
            if line.within(with_attacker) {
                ours = ours | line;
            }
            if line.within(with_defender) {
                theirs = theirs | line;
            }
        }
        let sets = [spot.attacker & ours, spot.defender & theirs, spot.empty & (ours | theirs)];
        let ([attacker_stones, defender, empty], symmetry) = self.field.canonical(sets);
        let spot = Spot { attacker: attacker_stones, defender, empty };
        Child { mv, key: Key { spot, attacker }, symmetry }
    }

    pub(crate) fn entry(&mut self, key: &Key<W>, budget: &mut Budget<'_>) -> Entry<W> {
        if let Some(entry) = self.table.get(key) {
            return *entry;
        }
        budget.spend();
        let entry = self.first_look(key, budget);
        self.store(*key, entry, budget)
    }

    fn first_look(&mut self, key: &Key<W>, budget: &mut Budget<'_>) -> Entry<W> {
        let spot = key.spot;
        let held = |why, zone| Entry { hold: 0, win: NEVER, why, zone };
        let won = |why| Entry { hold: NEVER, win: 0, why, zone: Cells::NONE };
        // 1. What the rules decide at once.
        let ours = completions(self.field, spot.attacker, spot.empty);
        let theirs = completions(self.field, spot.defender, spot.empty);
        if key.attacker {
            if !ours.is_none() {
                return won(Why::Threats);
            }
            if theirs.count() > 1 {
                return held(Why::Rules, self.widened(theirs, spot, 2));
            }
        } else {
            if !theirs.is_none() {
                let cell = Cells::one(theirs.first());
                return held(Why::Rules, self.widened(cell, spot, 1));
            }
            if ours.count() > 1 {
                return won(Why::Rules);
            }
        }
        // 2. A win by threats.
        if key.attacker && self.fours.find(spot, THREATS, budget).is_some() {
            return won(Why::Threats);
        }
        if let Some(stones) = self.pressing {
            return self.pressing_look(key, !ours.is_none(), stones, budget);
        }
        // 3. Blocking may be enough.
        let (child, weak) = self.weak.child(spot.attacker, spot.empty, key.attacker, budget);
        if weak.hold == 0 {
            return held(Why::Blocking, self.weak.zone_here(&child, &weak));
        }
        // 4. A guess: replies that are not lost at once are work for the attacker.
        let win = if key.attacker {
            2
        } else if !ours.is_none() {
            1
        } else {
            let replies = self.replies(key, budget).count() as u32;
            if replies == 0 {
                return won(Why::Moves);
            }
            replies
        };
        let hold = if weak.fill == 0 { 32 } else { weak.hold };
        Entry { hold, win, why: Why::Open, zone: Cells::NONE }
    }

    /// A first look for an attacker that has to keep up the pressure.
    fn pressing_look(
        &mut self,
        key: &Key<W>,
        forced: bool,
        stones: usize,
        budget: &mut Budget<'_>,
    ) -> Entry<W> {
        let open = |hold, win| Entry { hold, win, why: Why::Open, zone: Cells::NONE };
        if key.attacker || forced {
            return open(1, 1);
        }
        let replies = match self.fours.find(key.spot, THREATS, budget) {
            // A look that costs more than it has to: the number of true replies is what guides the search.
            Some(moves) => self.fours.survivors(key.spot, &moves, THREATS, budget),
            // Without cells left there is nothing to press on with.
            None if key.spot.attacker.count() < stones && !key.spot.empty.is_none() => key.spot.empty,
            None => return open(0, NEVER),
        };
        if replies.is_none() {
            return Entry { hold: NEVER, win: 0, why: Why::Moves, zone: Cells::NONE };
        }
        open(1, replies.count() as u32)
    }

    /// The defender's moves that the attacker's threats do not refute as if the defender had passed.
    pub(crate) fn replies(&mut self, key: &Key<W>, budget: &mut Budget<'_>) -> Cells<W> {
        let spot = key.spot;
        match self.fours.find(spot, THREATS, budget) {
            Some(moves) if self.pressing.is_some() => self.fours.survivors(spot, &moves, THREATS, budget),
            Some(moves) => spoilers(self.field, spot, &moves, budget),
            None => spot.empty,
        }
    }

    /// The moves to try from a key, promising ones first; `None` if the work is stopped.
    pub(crate) fn children(&mut self, key: &Key<W>, budget: &mut Budget<'_>) -> Option<Vec<Child<W>>> {
        let spot = key.spot;
        let forcing = if key.attacker { (spot.defender, spot.empty) } else { (spot.attacker, spot.empty) };
        let forced = completions(self.field, forcing.0, forcing.1);
        let moves = if !forced.is_none() {
            forced
        } else if key.attacker {
            spot.empty
        } else {
            self.replies(key, budget)
        };
        let mut weights = vec![0u64; Cells::<W>::ROOM];
        let (with_attacker, with_defender) = (spot.attacker | spot.empty, spot.defender | spot.empty);
        for &line in &self.field.lines {
            let left = line & spot.empty;
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
                let after = if key.attacker { spot.attack(cell) } else { spot.defend(cell) };
                Some(self.child(cell as u16, after, !key.attacker))
            })
            .collect()
    }

    fn search(&mut self, key: Key<W>, most_hold: u32, most_win: u32, budget: &mut Budget<'_>) -> Entry<W> {
        // A result never changes once it is there: zones of other results rest on it.
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
            whole.then(|| self.weak.child(key.spot.attacker, key.spot.empty, key.attacker, budget));
        loop {
            // 0. Where blocking is enough, nothing else matters.
            if let Some((child, weak)) = blocking.filter(|(_, weak)| weak.hold == 0) {
                let zone = self.weak.zone_here(&child, &weak);
                return self.store(key, Entry { hold: 0, win: NEVER, why: Why::Blocking, zone }, budget);
            }
            // 1. A child that is right for the side to move decides.
            let done = |entry: &Entry<W>| if key.attacker { entry.win == 0 } else { entry.hold == 0 };
            if let Some(i) = tried.iter().position(done) {
                let why = Why::Move(children[i].mv);
                let entry = if key.attacker {
                    Entry { hold: NEVER, win: 0, why, zone: Cells::NONE }
                } else {
                    let zone = self.zone_here(&children[i], &tried[i]).with(children[i].mv.into());
                    Entry { hold: 0, win: NEVER, why, zone }
                };
                return self.store(key, entry, budget);
            }
            // 2. Moves outside the zone of an answer that holds fail too.
            let mut must = key.spot.empty;
            let mut zone = Cells::NONE;
            if key.attacker && whole {
                for (child, entry) in children.iter().zip(&tried).filter(|(_, entry)| entry.hold == 0) {
                    let here = self.zone_here(child, entry);
                    must = must & here;
                    zone = zone | here;
                }
            }
            // 3. Sum and minimum over the children that are left.
            let (mut sum, mut least, mut second, mut best) = (0u32, NEVER, NEVER, usize::MAX);
            let mut best_other = 0;
            let (mut hardest, mut left) = (0, 0);
            for (i, (child, entry)) in children.iter().zip(&tried).enumerate() {
                let (mine, other) =
                    if key.attacker { (entry.win, entry.hold) } else { (entry.hold, entry.win) };
                if other == 0 || !must.has(child.mv.into()) {
                    continue;
                }
                sum = (sum + other).min(NEVER - 1);
                (hardest, left) = (other.max(hardest), left + 1);
                if mine < least {
                    (second, least, best, best_other) = (least, mine, i, other);
                } else if mine < second {
                    second = mine;
                }
            }
            if best == usize::MAX {
                let (hold, win) = if key.attacker { (0, NEVER) } else { (NEVER, 0) };
                if key.attacker && forced {
                    // The attacker had to answer a threat: it must not be able to complete a line instead.
                    zone = self.widened(zone.with(children[0].mv.into()), key.spot, 2);
                }
                return self.store(key, Entry { hold, win, why: Why::Moves, zone }, budget);
            }
            // Replies to an attack mostly lead into the same few lines of play, and a sum would count them again
            // and again: the hardest reply and one for each other is closer to the truth.
            if !whole && !key.attacker {
                (sum, best_other) = ((hardest + left - 1).min(NEVER - 1), hardest);
            }
            let (hold, win) = if key.attacker { (sum, least) } else { (least, sum) };
            let least_hold = blocking.map_or(hold, |(_, weak)| hold.min(weak.hold));
            if least_hold >= most_hold || win >= most_win || budget.spent() {
                let hold = least_hold;
                return self.store(key, Entry { hold, win, why: Why::Open, zone: Cells::NONE }, budget);
            }
            // 4. Blocking is tried first where it looks easier than the moves here.
            let most = most_hold.min(hold + 1);
            if let Some((child, weak)) = &mut blocking
                && weak.fill != 0
                && weak.hold < most
            {
                *weak = self.weak.search(child.key, most, NEVER, budget);
                continue;
            }
            // 5. Go on with the child that looks easiest for the side to move.
            let (most_mine, most_other) =
                if key.attacker { (most_win, most_hold) } else { (most_hold, most_win) };
            let child_mine = most_mine.min(second.saturating_add(second / 4 + 1));
            let child_other = (most_other - sum).saturating_add(best_other).min(NEVER);
            let (child_hold, child_win) =
                if key.attacker { (child_other, child_mine) } else { (child_mine, child_other) };
            tried[best] = self.search(children[best].key, child_hold, child_win, budget);
        }
    }

    /// The zone of a child's result in the frame of its parent.
    pub(crate) fn zone_here(&self, child: &Child<W>, entry: &Entry<W>) -> Cells<W> {
        self.field.map(inverse(child.symmetry), entry.zone)
    }

    /// A zone with cells added until every line the attacker can still fill has so many of them in it.
    fn widened(&self, mut zone: Cells<W>, spot: Spot<W>, least: usize) -> Cells<W> {
        for line in self.field.lines.iter().filter(|line| line.within(spot.attacker | spot.empty)) {
            let inside = (*line & zone).count();
            for cell in (*line & spot.empty).minus(zone).iter().take(least.saturating_sub(inside)) {
                zone = zone.with(cell);
            }
        }
        zone
    }

    fn store(&mut self, key: Key<W>, entry: Entry<W>, budget: &mut Budget<'_>) -> Entry<W> {
        if self.table.insert(key, entry).is_err() {
            budget.fill();
        }
        entry
    }

    /// What is known of a key when the work is stopped before anything new is.
    fn unfinished(&self, key: &Key<W>) -> Entry<W> {
        let nothing = Entry { hold: 1, win: 1, why: Why::Open, zone: Cells::NONE };
        self.table.get(key).copied().unwrap_or(nothing)
    }
}
