//! Forced wins: threat-space search, and zugzwang by filling the board.
//!
//! [`ThreatSearch`] finds wins by a sequence of threats each of which forces the reply, as threat-space search (VCF;
//! Allis, van den Herik and Huntjens 1993), but with the defender's replies played out and at most [`CHAIN`] threats.
//! [`fill`] estimates by zugzwang control (Allis 1988) which player profits from the threats on the board once all
//! other cells are filled; it simulates a single line of play.

use super::field::BoardGeometry;
use outplay_index::Bits;

/// All cells above the given cells in their columns.
pub(super) fn above<B: Bits>(field: &BoardGeometry<B>, cells: B) -> B {
    let mut all = B::NONE;
    let mut next = cells;
    for _ in 1..field.height {
        next = (next << 1) & field.playable;
        all = all | next;
    }
    all
}

/// Maximal number of consecutive threats.
const CHAIN: u32 = 4;

/// A search for wins by consecutive threats.
pub(super) struct ThreatSearch<'a, B> {
    pub(super) field: &'a BoardGeometry<B>,
    /// The opponent's threats at the root.
    pub(super) other_threats: B,
}

impl<B: Bits> ThreatSearch<'_, B> {
    /// Counts the first moves with which `own`, to move, wins by consecutive threats.
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

    /// Counts the winning moves of a player who must first block the threats `averted`; without `all`, stops at one.
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

/// Returns the winner if both players only fill the board and no new threats arise: 1 for the player who moved last,
/// −1 for the opponent, 0 for a draw.
///
/// Each player completes a line if possible, else blocks one, else plays a safe cell, and only then a cell beneath its
/// own threats.
pub(super) fn fill<B: Bits>(field: &BoardGeometry<B>, mut occupied: B, mine: B, their: B) -> i32 {
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
