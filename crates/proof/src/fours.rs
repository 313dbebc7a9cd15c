//! VCF (victory by continuous fours): every move of the attacker threatens to complete a line at once.
//!
//! ```text
//!  . x x . .      x to move: c1 … d1 makes two cells that complete a line,
//!  a b c d e      and the defender can take only one of them
//! ```
//!
//! The threat-space search of Allis, van den Herik and Huntjens (1993), restricted to fours. The defender's
//! replies are forced, so a win is a plain sequence of moves. It can be replayed with further stones of the
//! defender on the board, which shows whether they refute it.

use crate::budget::NodeBudget;
use crate::cells::Cells;
use crate::field::BoardGeometry;
use rustc_hash::FxHashSet;

/// Position from the attacker's view.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct AttackPosition<const W: usize> {
    /// The attacker's stones.
    pub(crate) attacker: Cells<W>,
    /// The defender's stones.
    pub(crate) defender: Cells<W>,
    /// The empty cells.
    pub(crate) empty: Cells<W>,
}

impl<const W: usize> AttackPosition<W> {
    /// Places a stone of the attacker.
    #[inline]
    pub(crate) fn attack(self, cell: usize) -> Self {
        AttackPosition { attacker: self.attacker.with(cell), empty: self.empty.without(cell), ..self }
    }

    /// Places a stone of the defender.
    #[inline]
    pub(crate) fn defend(self, cell: usize) -> Self {
        AttackPosition { defender: self.defender.with(cell), empty: self.empty.without(cell), ..self }
    }

    /// Returns the position with the players exchanged.
    pub(crate) fn flipped(self) -> Self {
        AttackPosition { attacker: self.defender, defender: self.attacker, ..self }
    }
}

/// Returns the empty cells that complete a line of a player with these stones.
pub(crate) fn completions<const W: usize>(
    geometry: &BoardGeometry<W>,
    stones: Cells<W>,
    empty: Cells<W>,
) -> Cells<W> {
    let mut cells = Cells::NONE;
    for &line in &geometry.lines {
        let left = line.minus(stones);
        if left.within(empty) && left.count() == 1 {
            cells = cells | left;
        }
    }
    cells
}

/// VCF search, with a set of failed positions.
pub(crate) struct VcfSearch<'a, const W: usize> {
    geometry: &'a BoardGeometry<W>,
    failed: FxHashSet<(Cells<W>, Cells<W>)>,
    /// Nodes left.
    left: u32,
}

impl<'a, const W: usize> VcfSearch<'a, W> {
    pub(crate) fn new(geometry: &'a BoardGeometry<W>) -> Self {
        VcfSearch { geometry, failed: FxHashSet::default(), left: 0 }
    }

    /// Searches for a VCF: the attacker's moves, the last of which completes a line or leaves two cells that
    /// do. `None` if there is none within `most` nodes, or the work is stopped.
    pub(crate) fn find(
        &mut self,
        pos: AttackPosition<W>,
        most: u32,
        budget: &mut NodeBudget<'_>,
    ) -> Option<Vec<u16>> {
        self.failed.clear();
        self.left = most;
        let mut moves = Vec::new();
        self.win(pos, &mut moves, budget).then(|| {
            moves.reverse();
            moves
        })
    }

    fn win(&mut self, pos: AttackPosition<W>, moves: &mut Vec<u16>, budget: &mut NodeBudget<'_>) -> bool {
        if budget.part() {
            return false;
        }
        let (mut ours, mut theirs, mut twos) = (Cells::NONE, Cells::NONE, Cells::NONE);
        let (with_attacker, with_defender) = (pos.attacker | pos.empty, pos.defender | pos.empty);
        for &line in &self.geometry.lines {
            if line.within(with_attacker) {
                let left = line & pos.empty;
                match left.count() {
                    1 => ours = ours | left,
                    2 => twos = twos | left,
                    _ => {}
                }
            } else if line.within(with_defender) {
                let left = line & pos.empty;
                if left.count() == 1 {
                    theirs = theirs | left;
                }
            }
        }
        if !ours.is_none() {
            moves.push(ours.first() as u16);
            return true;
        }
        if !theirs.is_none() {
            twos = twos & theirs;
            if theirs.count() > 1 {
                return false;
            }
        }
        if twos.is_none() || self.left == 0 || self.failed.contains(&(pos.attacker, pos.defender)) {
            return false;
        }
        self.left -= 1;
        for mv in twos.iter() {
            let after = pos.attack(mv);
            let mut replies = Cells::NONE;
            for &number in &self.geometry.through[mv] {
                let left = self.geometry.lines[usize::from(number)].minus(after.attacker);
                if left.count() == 1 && left.within(after.empty) {
                    replies = replies | left;
                }
            }
            if replies.count() > 1 || self.win(after.defend(replies.first()), moves, budget) {
                moves.push(mv as u16);
                return true;
            }
        }
        self.failed.insert((pos.attacker, pos.defender));
        false
    }
}

impl<const W: usize> VcfSearch<'_, W> {
    /// Returns the replies after which the attacker, who has this VCF, has no VCF at all. If the work is
    /// stopped, some may be wrong.
    pub(crate) fn survivors(
        &mut self,
        pos: AttackPosition<W>,
        moves: &[u16],
        most: u32,
        budget: &mut NodeBudget<'_>,
    ) -> Cells<W> {
        let mut survivors = spoilers(self.geometry, pos, moves, budget);
        let mut unsure = survivors;
        while !unsure.is_none() {
            let cell = unsure.first();
            unsure = unsure.without(cell);
            if budget.stopped() {
                break;
            }
            let Some(other) = self.find(pos.defend(cell), most, budget) else { continue };
            survivors = survivors.without(cell);
            // The new sequence often refutes other replies as well.
            for third in unsure.iter() {
                if budget.part() || !replay(self.geometry, pos.defend(third), &other) {
                    continue;
                }
                survivors = survivors.without(third);
                unsure = unsure.without(third);
            }
        }
        survivors
    }
}

/// Whether a sequence found by [`VcfSearch::find`] wins from this position too.
fn replay<const W: usize>(geometry: &BoardGeometry<W>, mut pos: AttackPosition<W>, moves: &[u16]) -> bool {
    for &mv in moves {
        let mv = usize::from(mv);
        if !pos.empty.has(mv) {
            return false;
        }
        if completions(geometry, pos.attacker, pos.empty).has(mv) {
            return true;
        }
        let theirs = completions(geometry, pos.defender, pos.empty);
        if !theirs.without(mv).is_none() {
            return false;
        }
        pos = pos.attack(mv);
        let ours = completions(geometry, pos.attacker, pos.empty);
        match ours.count() {
            0 => return false,
            1 => pos = pos.defend(ours.first()),
            _ => return true,
        }
    }
    false
}

/// Returns the replies that refute a sequence found by [`VcfSearch::find`]. If the work is stopped, some may not.
pub(crate) fn spoilers<const W: usize>(
    geometry: &BoardGeometry<W>,
    pos: AttackPosition<W>,
    moves: &[u16],
    budget: &mut NodeBudget<'_>,
) -> Cells<W> {
    // The cells that the sequence uses, and all stones of the defender in the course of it.
    let (mut used, mut stones, mut after) = (Cells::NONE, pos.defender, pos);
    for &mv in moves {
        after = after.attack(mv.into());
        used = used.with(mv.into());
        let replies = completions(geometry, after.attacker, after.empty);
        used = used | replies;
        if replies.count() != 1 {
            break;
        }
        after = after.defend(replies.first());
        stones = stones | replies;
    }
    let with_defender = pos.defender | pos.empty;
    let mut spoilers = Cells::NONE;
    for cell in pos.empty.iter() {
        // A stone away from the sequence matters only if it brings a line within one cell of completion.
        let near = used.has(cell)
            || geometry.through[cell].iter().any(|&number| {
                let line = geometry.lines[usize::from(number)];
                line.within(with_defender) && line.minus(stones).without(cell).count() <= 1
            });
        if near && (budget.part() || !replay(geometry, pos.defend(cell), moves)) {
            spoilers = spoilers.with(cell);
        }
    }
    spoilers
}
