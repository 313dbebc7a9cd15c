//! What a player holds by answering every move in the same column.
//!
//! ```text
//!  o  .  o      The player to move (x) plays into some column and the opponent (o), the follower, right
//!  x  o  x      on top of it. Where every column has an even number of empty cells the follower always
//!  o  x  o      can, and it is settled now who will own which cell.
//!  x  .  x
//! ```
//!
//! If the leader has no line among his stones and his cells, he cannot win. If the follower has a win
//! waiting on one of his cells, the leader runs out of other moves and must play below it. A column with
//! such a win may have an odd number of empty cells, since its top is never reached. Of the other columns
//! an even number may be odd if their lowest empty cells count for the leader: whenever he takes one,
//! the follower takes another, and all is even again.

use crate::bits::Bits;
use crate::rules::Rules;

impl<B: Bits, const W: u32, const H: u32, const K: u32> Rules<B, W, H, K> {
    /// An upper bound of the score for the player to move, `most` if nothing better is seen.
    ///
    /// `mine` and `theirs` are the stones, `wins` the cells that complete a line of theirs, `left` the
    /// number of empty cells.
    #[inline(always)]
    pub(crate) fn follow_up(&self, mine: B, theirs: B, wins: B, left: i32, most: i32) -> i32 {
        let filled = mine | theirs | self.blocked;
        let empty = self.board & !filled;
        let open = self.open(filled);
        // Whose cells are whose: the leader gets the lowest empty cell of a column, the third, …
        let from_odd = empty & !empty.plus(open & self.odd_rows);
        let leader = (from_odd & self.odd_rows) | (empty & !from_odd & !self.odd_rows);
        let follower = empty & !leader;
        let waiting = wins & follower;
        let beyond = (empty & !empty.plus(waiting)) | waiting;
        let odd_tops = leader & self.top & !beyond;
        if odd_tops.none() {
            if self.has_line(mine | (leader & !beyond)) {
                return most;
            }
            if waiting.any() {
                // Every other cell is filled first; then the leader must play below a waiting win.
                let columns = (beyond & !(beyond << 1)).count() as i32;
                let spare = (empty & !beyond).count() as i32 - columns;
                let stones = spare / 2 + 1;
                return most.min(-(left / 2 - stones + 1));
            }
            return most.min(if self.has_line(theirs | follower) { -1 } else { 0 });
        }
        if odd_tops.count() % 2 == 1 {
            return most;
        }
        // The odd columns begin with a single cell; above it the roles are exchanged.
        let odd_columns = empty & !empty.plus(self.foot(open, empty, odd_tops));
        let singles = open & odd_columns;
        let leader = (leader & !odd_columns) | (follower & odd_columns) | singles;
        let follower = empty & !leader;
        let waiting = wins & follower;
        let beyond = (empty & !empty.plus(waiting)) | waiting;
        let cells = mine | (leader & !beyond);
        if self.has_line(cells) {
            // With one pair of single cells the leader cannot have both.
            if singles.count() != 2 {
                return most;
            }
            let one = singles.first();
            if self.has_line(cells & !one) || self.has_line(cells & !(singles ^ one)) {
                return most;
            }
        }
        most.min(if waiting.any() || self.has_line(theirs | follower) { -1 } else { 0 })
    }

    /// The lowest empty cells of the columns whose top cell is in `tops`.
    #[inline(always)]
    fn foot(&self, open: B, empty: B, tops: B) -> B {
        // Adding the open cell to a column's run of empty cells carries into its spare cell.
        let mut feet = B::ZERO;
        let mut rest = open;
        while rest.any() {
            let foot = rest.first();
            let run = empty & !empty.plus(foot);
            if (run & tops).any() {
                feet = feet | foot;
            }
            rest = rest.rest();
        }
        feet
    }
}
