//! Zugzwang control: score bounds from follow-up play (claimeven, Allis 1988).
//!
//! ```text
//!  o  .  o      The player to move (x), the leader, plays into some column and the opponent (o), the
//!  x  o  x      follower, replies directly above. Where every column has an even number of empty cells
//!  o  x  o      the reply is always possible, and the owner of every cell is known in advance: the leader
//!  x  .  x      gets the lowest empty cell of a column, the third, …, the follower the second, fourth, …
//! ```
//!
//! If no line consists of the leader's stones and cells, the leader cannot win. If the follower has a *waiting* win (a
//! threat on one of the follower's cells), the leader runs out of other moves and must play below it.
//!
//! Two extensions relax the parity condition:
//!
//! - A column with a waiting win may have an odd number of empty cells, since its top is never reached.
//! - An even number of other columns may be odd. Their lowest empty cells are *singles*, grouped in pairs: when
//!   the leader takes one single of a pair, the follower takes the other, and all columns are even again. Above
//!   a single the roles are exchanged.
//!
//! Allis combines nine rules in a search for a covering set; this module evaluates claimeven for the whole
//! board at once, with bit operations, as a static bound.

use crate::rules::BoardRules;
use outplay_index::Bits;

/// Owners of the empty cells under follow-up play.
struct CellOwners<B> {
    leader: B,
    follower: B,
    /// Cells that the game never reaches: waiting wins and all cells above them.
    beyond: B,
    /// Cells of which the leader gets half.
    singles: B,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> BoardRules<B, W, H, K> {
    /// Whether follow-up play by the opponent limits the player to move to a score of at most `aim`.
    ///
    /// `mine` and `theirs` are the stones, `wins` the cells that complete a line of theirs, `left` the
    /// number of empty cells.
    #[inline(always)]
    pub(crate) fn follow_up(&self, mine: B, theirs: B, wins: B, left: i32, aim: i32) -> bool {
        let filled = mine | theirs | self.blocked;
        let empty = self.board & !filled;
        let open = self.open(filled);
        let from_odd = empty & !empty.plus(open & self.odd_rows);
        let leader = (from_odd & self.odd_rows) | (empty & !from_odd & !self.odd_rows);
        let follower = empty & !leader;
        let beyond = self.beyond(empty, wins & follower);
        let odd_tops = leader & self.top & !beyond;
        if odd_tops.none() {
            let shares = CellOwners { leader, follower, beyond, singles: B::NONE };
            return self.holds(mine, theirs, empty, left, aim, &shares);
        }
        // Singles come in pairs; a column with a waiting win may supply the missing one.
        let mut tops = odd_tops;
        if odd_tops.count() % 2 == 1 {
            let spare = leader & self.top & beyond;
            if spare.none() {
                return false;
            }
            tops = tops | spare.first();
        }
        let columns = empty & !empty.plus(self.feet(open, empty, tops));
        let singles = open & columns;
        let leader = (leader & !columns) | (follower & columns) | singles;
        let follower = empty & !leader;
        let beyond = self.beyond(empty, wins & follower);
        let shares = CellOwners { leader, follower, beyond, singles };
        self.holds(mine, theirs, empty, left, aim, &shares)
    }

    /// Returns the waiting wins and all cells above them.
    #[inline(always)]
    fn beyond(&self, empty: B, waiting: B) -> B {
        // The addition carries from the lowest waiting win of a column through the empty cells above it.
        (empty & !empty.plus(waiting)) | waiting
    }

    /// Whether this assignment of cells limits the leader to `aim`.
    #[inline(always)]
    fn holds(&self, mine: B, theirs: B, empty: B, left: i32, aim: i32, shares: &CellOwners<B>) -> bool {
        let &CellOwners { leader, follower, beyond, singles } = shares;
        let cells = mine | (leader & !beyond);
        if self.has_line(cells) && !self.paired_off(cells, singles) {
            return false;
        }
        if aim >= 0 {
            return true;
        }
        if beyond.any() {
            // All other cells are filled first; then the leader must play below a waiting win.
            let columns = (beyond & !(beyond << 1)).count() as i32;
            let spare = (empty & !beyond).count() as i32 - columns;
            let stones = spare / 2 + 1;
            if -(left / 2 - stones + 1) <= aim {
                return true;
            }
        }
        // When fewer than `above` cells are empty, every cell with at least `above` cells above it is filled.
        let above = -2 * aim - 2;
        let rows = self.height() as i32 - above;
        if rows <= 0 {
            return false;
        }
        let low_rows = (self.bottom << rows as u32).minus(self.bottom);
        self.has_line(theirs | (follower & low_rows))
    }

    /// Whether the follower can pair the singles so that every line of the leader needs both of a pair.
    #[inline(always)]
    fn paired_off(&self, cells: B, singles: B) -> bool {
        let one = singles.first();
        match singles.count() {
            2 => !self.has_line(cells & !one) && !self.has_line(cells & !(singles ^ one)),
            4 => {
                let (two, rest) = (singles.rest().first(), singles.rest().rest());
                let (three, four) = (rest.first(), rest.rest());
                !self.has_line(cells & !singles)
                    && [(two, three, four), (three, two, four), (four, two, three)].iter().any(
                        |&(partner, third, fourth)| {
                            [one | third, one | fourth, partner | third, partner | fourth]
                                .iter()
                                .all(|&taken| !self.has_line(cells & !taken))
                        },
                    )
            }
            _ => false,
        }
    }

    /// The lowest empty cells of the columns whose top cell is in `tops`.
    #[inline(always)]
    fn feet(&self, open: B, empty: B, tops: B) -> B {
        let (mut feet, mut rest) = (B::NONE, open);
        while rest.any() {
            let foot = rest.first();
            if (empty & !empty.plus(foot) & tops).any() {
                feet = feet | foot;
            }
            rest = rest.rest();
        }
        feet
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rules::Stones;
    use outplay_core::{Content, LineBoard};
    use rand::rngs::StdRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::HashMap;

    type Any = BoardRules<u64, 0, 0, 0>;

    /// Plain minimax with memoisation.
    fn score(rules: &Any, stones: Stones<u64>, known: &mut HashMap<(u64, u64), i32>) -> i32 {
        let Stones { mine, theirs } = stones;
        if let Some(&score) = known.get(&(mine, theirs)) {
            return score;
        }
        let filled = rules.filled(stones);
        let left = (rules.board & !filled).count_ones() as i32;
        let mut best = if left == 0 { 0 } else { -1000 };
        if rules.has_line(theirs) {
            best = -(left / 2 + 1);
        } else {
            let mut open = rules.open(filled);
            while open != 0 {
                let next = Stones { mine: theirs, theirs: mine | open.first() };
                best = best.max(-score(rules, next, known));
                open = open.rest();
            }
        }
        known.insert((mine, theirs), best);
        best
    }

    #[test]
    fn follow_up_bounds_hold() {
        let mut random = StdRng::seed_from_u64(11);
        let mut fired = [0; 5];
        for _ in 0..6000 {
            let (width, height) = (random.random_range(2..=7), random.random_range(3..=6));
            let mut board = LineBoard::empty(width, height, random.random_range(3..=4));
            board.gravity = true;
            for cell in 0..board.cells.len() {
                if random.random_bool(0.03) {
                    board.cells[cell] = Content::Blocked;
                }
            }
            let (rules, mut stones) = Any::new(&board);
            let most = random.random_range(4..=12);
            while (rules.board & !rules.filled(stones)).count_ones() > most {
                let mut open = rules.open(rules.filled(stones));
                for _ in 0..random.random_range(0..open.count_ones()) {
                    open = open.rest();
                }
                stones = Stones { mine: stones.theirs, theirs: stones.mine | open.first() };
            }
            let filled = rules.filled(stones);
            let wins = rules.wins(stones.theirs, filled);
            let left = (rules.board & !filled).count_ones() as i32;
            let over = rules.has_line(stones.mine) || rules.has_line(stones.theirs);
            if over || left == 0 || wins & rules.open(filled) != 0 {
                continue;
            }
            let exact = score(&rules, stones, &mut HashMap::new());
            for aim in -4..=0 {
                if rules.follow_up(stones.mine, stones.theirs, wins, left, aim) {
                    assert!(exact <= aim, "{exact} > {aim}: {stones:?} on {board:?}");
                    fired[(aim + 4) as usize] += 1;
                }
            }
        }
        assert!(fired[2] > 10 && fired[3] > 50 && fired[4] > 500, "{fired:?}");
    }
}
