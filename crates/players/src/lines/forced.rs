//! What follows by force: wins by threats that have to be answered, and the end of a board that is only filled.

use super::field::Field;
use outplay_index::Bits;

/// All cells above some cells of their columns.
pub(super) fn above<B: Bits>(field: &Field<B>, cells: B) -> B {
    let mut all = B::NONE;
    let mut next = cells;
    for _ in 1..field.height {
        next = (next << 1) & field.playable;
        all = all | next;
    }
    all
}

/// How many threats in a row are followed when looking for a forced win.
const CHAIN: u32 = 4;

/// Wins by threats alone.
pub(super) struct Force<'a, B> {
    pub(super) field: &'a Field<B>,
    /// Where the other player would complete a line.
    pub(super) other_threats: B,
}

impl<B: Bits> Force<'_, B> {
    /// The first moves by which `own`, to move, wins by threats that have to be answered one after the other.
    pub(super) fn first_moves(&self, own: B, other: B) -> u32 {
        let open = self.field.open(own | other);
        let averted = self.other_threats & open;
        self.tries(own, other, open, averted, CHAIN, true)
    }

    fn wins(&self, own: B, other: B, threats: B, left: u32) -> bool {
        let open = self.field.open(own | other);
        if threats & open != B::NONE {
            return true;
        }
        let averted = self.field.threats(other, own) & open;
        left > 0 && self.tries(own, other, open, averted, left, false) > 0
    }

    /// Counts the winning moves of a player who has to avert some threats first; all of them, or one is enough.
    fn tries(&self, own: B, other: B, open: B, averted: B, left: u32, all: bool) -> u32 {
        let field = self.field;
        let moves = match averted.count() {
            0 => open,
            1 => averted,
            _ => return 0,
        };
        let mut winning = 0;
        for cell in moves.cells() {
            let after = own | B::one(cell);
            let next = field.open(after | other);
            let threats = field.threats(after, other);
            let now = threats & next;
            if now == B::NONE || field.threats(other, after) & next != B::NONE {
                continue;
            }
            let won = now.count() >= 2 || {
                let blocked = other | now;
                self.wins(after, blocked, threats & !now, left - 1)
            };
            if won {
                winning += 1;
                if !all {
                    break;
                }
            }
        }
        winning
    }
}

/// Who wins if both players only fill the board and no new threats arise: 1 if it is the player who moved last,
/// −1 if it is the other, 0 if nobody.
///
/// Each takes a threat when it can, averts one when it must, else plays where nothing is given away, keeping
/// the cells beneath its own threats for last.
pub(super) fn fill<B: Bits>(field: &Field<B>, mut occupied: B, mine: B, their: B) -> i32 {
    if !field.gravity {
        return 0;
    }
    let mut sides = [their, mine];
    let mut sign = -1;
    loop {
        let open = field.open(occupied);
        if open == B::NONE {
            return 0;
        }
        let [own, other] = sides;
        if own & open != B::NONE {
            return sign;
        }
        let averted = other & open;
        let cell = if averted != B::NONE {
            averted
        } else {
            let safe = open & !(other >> 1);
            let kept = safe & !(own >> 1);
            [kept, safe, open].into_iter().find(|cells| *cells != B::NONE).unwrap_or(open)
        };
        occupied = occupied | B::one(cell.lowest());
        sides.swap(0, 1);
        sign = -sign;
    }
}
