//! Winning by threats alone: every move of the attacker threatens to complete a line at once.
//!
//! ```text
//!  . x x . .      x to move: c1 … d1 makes two cells that complete a line,
//!  a b c d e      and the defender can take only one of them
//! ```
//!
//! The defender's replies are forced, so a win is a plain list of moves. It can be replayed with further
//! stones of the defender on the board to see whether they make a difference.

use crate::budget::Budget;
use crate::cells::Cells;
use crate::field::Field;
use rustc_hash::FxHashSet;

/// Stones of both players and the empty cells.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Spot<const W: usize> {
    /// The attacker's stones.
    pub(crate) attacker: Cells<W>,
    /// The defender's stones.
    pub(crate) defender: Cells<W>,
    /// Cells nobody holds.
    pub(crate) empty: Cells<W>,
}

impl<const W: usize> Spot<W> {
    /// The attacker takes a cell.
    #[inline]
    pub(crate) fn attack(self, cell: usize) -> Self {
        Spot { attacker: self.attacker.with(cell), empty: self.empty.without(cell), ..self }
    }

    /// The defender takes a cell.
    #[inline]
    pub(crate) fn defend(self, cell: usize) -> Self {
        Spot { defender: self.defender.with(cell), empty: self.empty.without(cell), ..self }
    }

    /// The same with the players exchanged.
    pub(crate) fn flipped(self) -> Self {
        Spot { attacker: self.defender, defender: self.attacker, ..self }
    }
}

/// The empty cells that complete a line of a player with these stones.
pub(crate) fn completions<const W: usize>(field: &Field<W>, stones: Cells<W>, empty: Cells<W>) -> Cells<W> {
    let mut cells = Cells::NONE;
    for &line in &field.lines {
        let left = line.minus(stones);
        if left.within(empty) && left.count() == 1 {
            cells = cells | left;
        }
    }
    cells
}

/// A search for a win by threats, with the positions in which there is none.
pub(crate) struct Fours<'a, const W: usize> {
    field: &'a Field<W>,
    failed: FxHashSet<(Cells<W>, Cells<W>)>,
    /// Positions left to look at.
    left: u32,
}

impl<'a, const W: usize> Fours<'a, W> {
    pub(crate) fn new(field: &'a Field<W>) -> Self {
        Fours { field, failed: FxHashSet::default(), left: 0 }
    }

    /// The attacker's moves, the last of which completes a line or leaves two cells that do.
    /// `None` if there is no such win within `most` positions, or the work is stopped.
    pub(crate) fn find(&mut self, spot: Spot<W>, most: u32, budget: &mut Budget<'_>) -> Option<Vec<u16>> {
        self.failed.clear();
        self.left = most;
        let mut moves = Vec::new();
        self.win(spot, &mut moves, budget).then(|| {
            moves.reverse();
            moves
        })
    }

    fn win(&mut self, spot: Spot<W>, moves: &mut Vec<u16>, budget: &mut Budget<'_>) -> bool {
        if budget.part() {
            return false;
        }
        let (mut ours, mut theirs, mut twos) = (Cells::NONE, Cells::NONE, Cells::NONE);
        let (with_attacker, with_defender) = (spot.attacker | spot.empty, spot.defender | spot.empty);
        for &line in &self.field.lines {
            if line.within(with_attacker) {
                let left = line & spot.empty;
                match left.count() {
                    1 => ours = ours | left,
                    2 => twos = twos | left,
                    _ => {}
                }
            } else if line.within(with_defender) {
                let left = line & spot.empty;
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
        if twos.is_none() || self.left == 0 || self.failed.contains(&(spot.attacker, spot.defender)) {
            return false;
        }
        self.left -= 1;
        for mv in twos.iter() {
            let after = spot.attack(mv);
            let mut replies = Cells::NONE;
            for &number in &self.field.through[mv] {
                let left = self.field.lines[usize::from(number)].minus(after.attacker);
                if left.count() == 1 && left.within(after.empty) {
                    replies = replies | left;
                }
            }
            if replies.count() > 1 || self.win(after.defend(replies.first()), moves, budget) {
                moves.push(mv as u16);
                return true;
            }
        }
        self.failed.insert((spot.attacker, spot.defender));
        false
    }
}

impl<const W: usize> Fours<'_, W> {
    /// The cells where a stone of the defender leaves the attacker, who has this list of moves, without any win by
    /// threats, or perhaps does where the work is stopped.
    pub(crate) fn survivors(
        &mut self,
        spot: Spot<W>,
        moves: &[u16],
        most: u32,
        budget: &mut Budget<'_>,
    ) -> Cells<W> {
        let mut survivors = spoilers(self.field, spot, moves, budget);
        let mut unsure = survivors;
        while !unsure.is_none() {
            let cell = unsure.first();
            unsure = unsure.without(cell);
            if budget.stopped() {
                break;
            }
            let Some(other) = self.find(spot.defend(cell), most, budget) else { continue };
            survivors = survivors.without(cell);
            // The new list often answers other cells as well.
            for third in unsure.iter() {
                if budget.part() || !replay(self.field, spot.defend(third), &other) {
                    continue;
                }
                survivors = survivors.without(third);
                unsure = unsure.without(third);
            }
        }
        survivors
    }
}

/// Whether a list of moves that [`Fours::find`] gave wins from this position too.
fn replay<const W: usize>(field: &Field<W>, mut spot: Spot<W>, moves: &[u16]) -> bool {
    for &mv in moves {
        let mv = usize::from(mv);
        if !spot.empty.has(mv) {
            return false;
        }
        if completions(field, spot.attacker, spot.empty).has(mv) {
            return true;
        }
        let theirs = completions(field, spot.defender, spot.empty);
        if !theirs.without(mv).is_none() {
            return false;
        }
        spot = spot.attack(mv);
        let ours = completions(field, spot.attacker, spot.empty);
        match ours.count() {
            0 => return false,
            1 => spot = spot.defend(ours.first()),
            _ => return true,
        }
    }
    false
}

/// The cells where a stone of the defender spoils a list of moves that [`Fours::find`] gave, or perhaps does where the
/// work is stopped.
pub(crate) fn spoilers<const W: usize>(
    field: &Field<W>,
    spot: Spot<W>,
    moves: &[u16],
    budget: &mut Budget<'_>,
) -> Cells<W> {
    // The cells that the list uses, and all stones the defender has in the course of it.
    let (mut used, mut stones, mut after) = (Cells::NONE, spot.defender, spot);
    for &mv in moves {
        after = after.attack(mv.into());
        used = used.with(mv.into());
        let replies = completions(field, after.attacker, after.empty);
        used = used | replies;
        if replies.count() != 1 {
            break;
        }
        after = after.defend(replies.first());
        stones = stones | replies;
    }
    let with_defender = spot.defender | spot.empty;
    let mut spoilers = Cells::NONE;
    for cell in spot.empty.iter() {
        // A stone far from the list matters only if it brings a line within one cell of completion.
        let near = used.has(cell)
            || field.through[cell].iter().any(|&number| {
                let line = field.lines[usize::from(number)];
                line.within(with_defender) && line.minus(stones).without(cell).count() <= 1
            });
        if near && (budget.part() || !replay(field, spot.defend(cell), moves)) {
            spoilers = spoilers.with(cell);
        }
    }
    spoilers
}
