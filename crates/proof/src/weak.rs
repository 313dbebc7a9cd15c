//! Weak game (Maker–Breaker): df-pn search whether the defender can block every line.
//!
//! The defender *holds* if it can; otherwise the attacker *fills* a line.
//!
//! Lines of the defender do not count here, so an extra stone never hurts its owner, and every result comes
//! with a *relevance zone* (compare Wu and Lin 2010): the cells that the successful side needs. Stones of the
//! other side outside the zone change nothing.
//!
//! ```text
//!              attacker to move                     defender to move
//!  holds if    every move has an answer;            some move holds;
//!              zone: union over the answers         zone: the move and its zone
//!  fills if    some move fills;                     two cells complete a line each, or
//!              zone: the move and its zone          every move fails; zone: the union
//! ```
//!
//! A move outside the zone of a result already known for a sibling has the same answer, so only the
//! intersection of the zones, the must-play region, is searched. The search is depth-first proof-number search
//! (df-pn, Nagai 2002) with the 1 + ε threshold rule (Pawlewicz and Lew 2007) over normalised residues. Leaves
//! are pairings, the Erdős–Selfridge potential (1973) and single open cells.

use crate::budget::NodeBudget;
use crate::cells::Cells;
use crate::field::{BoardGeometry, Symmetry, inverse};
use crate::pairing;
use crate::residue::Residue;
use outplay_runtime::ShardedMap;

/// Infinite proof number.
pub(crate) const INFINITY: u32 = 1 << 30;

/// Normalised residue with the player to move: the smallest image under the symmetries.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Key<const W: usize> {
    /// Stones of the attacker in live lines.
    pub(crate) stones: Cells<W>,
    /// Empty cells in live lines.
    pub(crate) cells: Cells<W>,
    /// Whether the attacker moves.
    pub(crate) attacker: bool,
}

/// Table entry of a key.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Entry<const W: usize> {
    /// Proof number of "the defender holds"; 0 is proven.
    pub(crate) hold: u32,
    /// Proof number of "the attacker fills a line"; 0 is proven.
    pub(crate) fill: u32,
    /// Relevance zone of a proven result.
    pub(crate) zone: Cells<W>,
    /// The move that proves it for the side to move.
    pub(crate) mv: u16,
}

/// A child of a key: a move, or one of several independent components.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Child<const W: usize> {
    /// The move; `NO_MOVE` for a component.
    pub(crate) mv: u16,
    /// The resulting key.
    pub(crate) key: Key<W>,
    /// The symmetry that maps the position to the key.
    pub(crate) symmetry: Symmetry,
    /// Cells of pairs that the reduction split off.
    pub(crate) paired: Cells<W>,
}

/// Placeholder where there is no move.
pub(crate) const NO_MOVE: u16 = u16::MAX;

/// Placeholder for the move of a leaf: a pairing or the potential.
pub(crate) const LEAF: u16 = u16::MAX - 1;

/// Search of the weak game, with its table.
pub(crate) struct WeakSearch<'a, const W: usize> {
    pub(crate) geometry: &'a BoardGeometry<W>,
    pub(crate) table: ShardedMap<Key<W>, Entry<W>>,
    /// Budget of a pairing search at a leaf, in tried pairs.
    pub(crate) effort: u32,
}

impl<'a, const W: usize> WeakSearch<'a, W> {
    pub(crate) fn new(geometry: &'a BoardGeometry<W>) -> Self {
        WeakSearch { geometry, table: ShardedMap::default(), effort: 24 }
    }

    /// Returns the key of a position, and its entry, evaluated if it is new.
    pub(crate) fn child(
        &mut self,
        stones: Cells<W>,
        empty: Cells<W>,
        attacker: bool,
        budget: &mut NodeBudget<'_>,
    ) -> (Child<W>, Entry<W>) {
        let residue = Residue::new(self.geometry, stones, empty);
        let child = self.reach(NO_MOVE, &residue, attacker);
        (child, self.entry(&child, &residue, budget))
    }

    /// Returns the key of a residue.
    pub(crate) fn reach(&self, mv: u16, residue: &Residue<W>, attacker: bool) -> Child<W> {
        let ([stones, cells], symmetry) = self.geometry.canonical([residue.stones, residue.cells]);
        Child { mv, key: Key { stones, cells, attacker }, symmetry, paired: residue.paired() }
    }

    /// Maps the zone of a child's result to the frame of its parent.
    pub(crate) fn zone_here(&self, child: &Child<W>, entry: &Entry<W>) -> Cells<W> {
        let zone = self.geometry.map(inverse(child.symmetry), entry.zone);
        if entry.hold == 0 { zone | child.paired } else { zone }
    }

    /// Returns the entry of a child with this residue, evaluated if it is new.
    fn entry(&mut self, child: &Child<W>, residue: &Residue<W>, budget: &mut NodeBudget<'_>) -> Entry<W> {
        if let Some(entry) = self.table.get(&child.key) {
            return *entry;
        }
        budget.spend();
        let mut entry = self.static_entry(residue, child.key.attacker);
        entry.zone = self.geometry.map(child.symmetry, entry.zone);
        self.store(child.key, entry, budget)
    }

    /// Evaluates a residue statically: decides it if possible, else initialises its proof numbers.
    fn static_entry(&self, residue: &Residue<W>, attacker: bool) -> Entry<W> {
        let held = |zone| Entry { hold: 0, fill: INFINITY, zone, mv: LEAF };
        let singles = residue.singles();
        if singles.count() >= if attacker { 1 } else { 2 } {
            return Entry { hold: INFINITY, fill: 0, zone: singles, mv: LEAF };
        }
        if residue.is_empty() {
            return held(Cells::NONE);
        }
        if attacker {
            let lines: Vec<Cells<W>> = residue.lines().collect();
            if let Some(pairs) = pairing::find(&lines, self.effort, &mut || false) {
                return held(pairs.iter().flat_map(|&(one, two)| [one.into(), two.into()]).collect());
            }
        }
        let potential = residue.potential();
        if potential < if attacker { 1 << 31 } else { 1 << 32 } {
            return held(residue.cells);
        }
        let size = (potential >> 30) as u32;
        Entry { hold: 1 + size, fill: 2 + 16 / (1 + size), zone: Cells::NONE, mv: NO_MOVE }
    }

    /// Generates the children of a key with their residues, best first; `None` if the work is stopped.
    pub(crate) fn children(
        &self,
        key: &Key<W>,
        budget: &mut NodeBudget<'_>,
    ) -> Option<Vec<(Child<W>, Residue<W>)>> {
        let residue = Residue::new(self.geometry, key.stones, key.cells);
        if key.attacker {
            let parts = residue.parts();
            if parts.len() > 1 {
                let part = |cells| {
                    let part = residue.part(cells);
                    (self.reach(NO_MOVE, &part, true), part)
                };
                return Some(parts.into_iter().map(part).collect());
            }
        }
        let mut weights = vec![0u64; Cells::<W>::ROOM];
        for line in residue.lines() {
            let weight = 1 << (40 - line.count().min(40));
            line.iter().for_each(|cell| weights[cell] += weight);
        }
        let singles = residue.singles();
        // A single open cell is a forced reply.
        let moves = if key.attacker || singles.is_none() { residue.cells } else { singles };
        let mut moves: Vec<usize> = moves.iter().collect();
        if !key.attacker {
            drop_dominated(&residue, &mut moves);
        }
        moves.sort_by_key(|&cell| std::cmp::Reverse(weights[cell]));
        moves
            .into_iter()
            .map(|cell| {
                if budget.part() {
                    return None;
                }
                let after = if key.attacker { residue.attack(cell) } else { residue.defend(cell) };
                Some((self.reach(cell as u16, &after, !key.attacker), after))
            })
            .collect()
    }

    /// Searches until a proof number reaches its threshold, and returns the entry (df-pn).
    pub(crate) fn search(
        &mut self,
        key: Key<W>,
        most_hold: u32,
        most_fill: u32,
        budget: &mut NodeBudget<'_>,
    ) -> Entry<W> {
        // A result is final once stored: zones of other results depend on it.
        if let Some(entry) = self.table.get(&key).filter(|entry| entry.hold == 0 || entry.fill == 0) {
            return *entry;
        }
        budget.spend();
        let Some(fresh) = self.children(&key, budget) else { return self.unfinished(&key) };
        let mut children: Vec<Child<W>> = Vec::with_capacity(fresh.len());
        // Components are like attacker's moves: the defender must hold all of them.
        let parts = fresh[0].0.mv == NO_MOVE;
        let mut tried: Vec<Entry<W>> = Vec::with_capacity(fresh.len());
        let forced = !key.attacker && fresh.len() == 1;
        for (child, residue) in fresh {
            if budget.stopped() {
                return self.unfinished(&key);
            }
            let entry = self.entry(&child, &residue, budget);
            children.push(child);
            tried.push(entry);
            // One child that is decided for the side to move suffices.
            if if key.attacker { entry.fill == 0 } else { entry.hold == 0 } {
                break;
            }
        }
        loop {
            // 1. A child that is decided for the side to move decides the node; the zone is its zone and the
            // move.
            let done = |entry: &Entry<W>| if key.attacker { entry.fill == 0 } else { entry.hold == 0 };
            if let Some(i) = tried.iter().position(done) {
                let mv = children[i].mv;
                let mut zone = self.zone_here(&children[i], &tried[i]);
                if mv != NO_MOVE {
                    zone = zone.with(mv.into());
                }
                let (hold, fill) = if key.attacker { (INFINITY, 0) } else { (0, INFINITY) };
                return self.store(key, Entry { hold, fill, zone, mv }, budget);
            }
            // 2. Must-play region: only moves inside the zones of all failed children can still succeed.
            let mut must = key.cells;
            // A single open cell that the defender was forced to take belongs to the attacker's zone.
            let mut zone = if forced { Cells::one(children[0].mv.into()) } else { Cells::NONE };
            for (child, entry) in children.iter().zip(&tried) {
                if if key.attacker { entry.hold == 0 } else { entry.fill == 0 } {
                    let here = self.zone_here(child, entry);
                    zone = zone | here;
                    if !parts {
                        must = must & here.without(child.mv.into());
                    }
                }
            }
            // 3. Proof and disproof number: sum and minimum over the remaining children.
            let (mut sum, mut least, mut second, mut best) = (0u32, INFINITY, INFINITY, usize::MAX);
            let mut best_other = 0;
            for (i, (child, entry)) in children.iter().zip(&tried).enumerate() {
                let (mine, other) =
                    if key.attacker { (entry.fill, entry.hold) } else { (entry.hold, entry.fill) };
                if other == 0 || !parts && !must.has(child.mv.into()) {
                    continue;
                }
                sum = (sum + other).min(INFINITY - 1);
                if mine < least {
                    (second, least, best, best_other) = (least, mine, i, other);
                } else if mine < second {
                    second = mine;
                }
            }
            if best == usize::MAX {
                let (hold, fill) = if key.attacker { (0, INFINITY) } else { (INFINITY, 0) };
                return self.store(key, Entry { hold, fill, zone, mv: NO_MOVE }, budget);
            }
            let (hold, fill) = if key.attacker { (sum, least) } else { (least, sum) };
            if hold >= most_hold || fill >= most_fill || budget.spent() {
                return self.store(key, Entry { hold, fill, zone: Cells::NONE, mv: NO_MOVE }, budget);
            }
            // 4. Descend into the most proving child, with df-pn thresholds.
            let (most_mine, most_other) =
                if key.attacker { (most_fill, most_hold) } else { (most_hold, most_fill) };
            let child_mine = most_mine.min(second.saturating_add(second / 4 + 1));
            let child_other = (most_other - sum).saturating_add(best_other).min(INFINITY);
            let (child_hold, child_fill) =
                if key.attacker { (child_other, child_mine) } else { (child_mine, child_other) };
            tried[best] = self.search(children[best].key, child_hold, child_fill, budget);
        }
    }

    fn store(&mut self, key: Key<W>, entry: Entry<W>, budget: &mut NodeBudget<'_>) -> Entry<W> {
        if self.table.insert(key, entry).is_err() {
            budget.fill();
        }
        entry
    }

    /// Returns the entry of a key when the work was stopped before it improved.
    fn unfinished(&self, key: &Key<W>) -> Entry<W> {
        let nothing = Entry { hold: 1, fill: 1, zone: Cells::NONE, mv: NO_MOVE };
        self.table.get(key).copied().unwrap_or(nothing)
    }
}

/// Drops dominated replies: those that block no line beyond the lines another reply blocks.
fn drop_dominated<const W: usize>(residue: &Residue<W>, moves: &mut Vec<usize>) {
    let mut blocked = vec![0u128; Cells::<W>::ROOM];
    for (number, line) in residue.lines().enumerate() {
        // Boards with more lines than bits keep all their moves.
        let Some(bit) = 1u128.checked_shl(number as u32) else { return };
        line.iter().for_each(|cell| blocked[cell] |= bit);
    }
    let all = moves.clone();
    moves.retain(|&cell| {
        !all.iter().any(|&other| {
            let covers = blocked[cell] & !blocked[other] == 0;
            covers && (blocked[cell] != blocked[other] || other < cell)
        })
    });
}
