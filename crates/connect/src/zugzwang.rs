//! What a player holds by answering every move in the same column.
//!
//! ```text
//!  o  .  o      The player to move (x) leads into some column and the opponent (o) follows right on top
//!  x  o  x      of it. Where every column has an even number of empty cells the follower always can, and
//!  o  x  o      it is settled now who will own which cell: the leader the lowest empty one of a column,
//!  x  .  x      the third, …, the follower the second, the fourth, ….
//! ```
//!
//! If the leader has no line among his stones and his cells, he cannot win. If the follower has a win
//! *waiting* on one of his cells, the leader runs out of other moves and must play below it. A column with
//! a waiting win may have an odd number of empty cells, since its top is never reached. An even number
//! of other columns may be odd too: their lowest empty cells are *singles*. Whenever the leader takes a
//! single, the follower takes the one it is paired with, and all is even again; above a single, the roles
//! are exchanged.

use crate::rules::Rules;
use outplay_index::Bits;

/// Who gets which of the empty cells.
struct Shares<B> {
    leader: B,
    follower: B,
    /// The cells that the game never gets to: waiting wins and what lies above them.
    beyond: B,
    /// Cells of which the leader gets half.
    singles: B,
}

impl<B: Bits, const W: u32, const H: u32, const K: u32> Rules<B, W, H, K> {
    /// Whether the player to move gets at most `aim`, as far as the opponent sees to it by following.
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
            let shares = Shares { leader, follower, beyond, singles: B::NONE };
            return self.holds(mine, theirs, empty, left, aim, &shares);
        }
        // Singles come in pairs; a column that need not be odd may help out.
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
        let shares = Shares { leader, follower, beyond, singles };
        self.holds(mine, theirs, empty, left, aim, &shares)
    }

    /// The waiting wins and everything above them.
    #[inline(always)]
    fn beyond(&self, empty: B, waiting: B) -> B {
        // The sum runs up the empty cells from the lowest waiting win of a column to its spare cell.
        (empty & !empty.plus(waiting)) | waiting
    }

    /// Whether these shares keep the leader at `aim` or below.
    #[inline(always)]
    fn holds(&self, mine: B, theirs: B, empty: B, left: i32, aim: i32, shares: &Shares<B>) -> bool {
        let &Shares { leader, follower, beyond, singles } = shares;
        let cells = mine | (leader & !beyond);
        if self.has_line(cells) && !self.paired_off(cells, singles) {
            return false;
        }
        if aim >= 0 {
            return true;
        }
        if beyond.any() {
            // Every other cell is filled first; then the leader must play below a waiting win.
            let columns = (beyond & !(beyond << 1)).count() as i32;
            let spare = (empty & !beyond).count() as i32 - columns;
            let stones = spare / 2 + 1;
            if -(left / 2 - stones + 1) <= aim {
                return true;
            }
        }
        // When fewer than `above` cells are empty, every cell with so many above it is filled.
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

    type Any = Rules<u64, 0, 0, 0>;

    /// The score by trying everything.
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
    fn what_following_holds_is_true() {
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
