//! Index of the positions of Pig before a roll, with colours merged: roller against opponent.
//!
//! ```text
//! level     contents, in the order of ranks
//! tier      sum of both players' banked points; the last tier is "the roller has reached the goal"
//! row       number of points that the roller has banked, fewest first
//! place     points that the roller still lacks, those of the turn counted as won, fewest first
//! ```
//!
//! A roll leads to a smaller rank in its row or, if it loses the turn, to the row with the players exchanged; holding
//! leads to a later tier. One in-order sweep of value iteration over a tier therefore propagates values from the goal
//! back to the beginning of a turn, and only values after a lost turn need further sweeps.
//!
//! The position in which the player chooses to roll or to hold has the same rank as the position before the roll.
//! Points of a turn that no rolls add up to (1 with a die) have ranks nonetheless.

use super::{Pig, Points};
use outplay_core::{Index, Rolls, Tier, Turn};

/// Index of all positions of Pig before a roll, with colours merged.
pub struct PigIndex {
    goal: u64,
}

impl PigIndex {
    /// The index of a game.
    pub fn new(game: &Pig) -> PigIndex {
        PigIndex { goal: game.goal.into() }
    }

    /// The tier of finished positions.
    fn finished(&self) -> Tier {
        Tier(2 * self.goal as u32 - 1)
    }

    /// The minimum and the maximum of the roller's banked points, given the sum.
    fn share(&self, sum: u64) -> (u64, u64) {
        (sum.saturating_sub(self.goal - 1), sum.min(self.goal - 1))
    }

    /// The first number of the row of a roller who has banked `kept` points, at least `fewest`. The size of a row is
    /// the number of points missing at the beginning of the turn.
    fn row(&self, fewest: u64, kept: u64) -> u64 {
        let rows = kept - fewest;
        let (longest, beyond) = (self.goal - fewest, self.goal - kept);
        rows * (longest + beyond + 1) / 2
    }
}

impl Index<Pig> for PigIndex {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.finished().0 + 1
    }

    fn tier_name(&self, tier: Tier) -> String {
        if tier == self.finished() { "finished".to_string() } else { format!("kept{}", tier.0) }
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        if tier == self.finished() {
            return Vec::new();
        }
        let sum = tier.0.into();
        // A player with the fewest points can add the most without reaching the goal.
        let gain = self.goal - 1 - self.share(sum).0;
        (sum + 1..=sum + gain).map(|sum| Tier(sum as u32)).chain([self.finished()]).collect()
    }

    fn loops(&self, tier: Tier) -> bool {
        tier != self.finished()
    }

    fn len(&self, tier: Tier) -> u64 {
        if tier == self.finished() {
            return 1;
        }
        let (fewest, most) = self.share(tier.0.into());
        self.row(fewest, most + 1)
    }

    fn rank(&self, pos: &Points) -> (Tier, u64) {
        let (mine, other) =
            (u64::from(pos.kept[usize::from(pos.second)]), pos.kept[usize::from(!pos.second)]);
        let sum = mine + u64::from(other);
        match self.goal.checked_sub(mine + u64::from(pos.turn) + 1) {
            Some(missing) => (Tier(sum as u32), self.row(self.share(sum).0, mine) + missing),
            None => (self.finished(), 0),
        }
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<Points> {
        let goal = self.goal as u16;
        if tier == self.finished() {
            return Some(Points { kept: [0; 2], turn: goal, second: false, rolling: false });
        }
        let sum = tier.0.into();
        let (fewest, most) = self.share(sum);
        // Binary search for the last row that begins at or before the number.
        let (mut mine, mut beyond) = (fewest, most + 1);
        while beyond - mine > 1 {
            let middle = mine.midpoint(beyond);
            if self.row(fewest, middle) <= number {
                mine = middle;
            } else {
                beyond = middle;
            }
        }
        let missing = number - self.row(fewest, mine) + 1;
        let turn = self.goal - mine - missing;
        Some(Points {
            kept: [mine as u16, (sum - mine) as u16],
            turn: turn as u16,
            second: false,
            rolling: true,
        })
    }

    fn merged(&self) -> bool {
        true
    }

    /// Version 1 numbered the reachable positions in the order of an exploration.
    fn version(&self) -> u32 {
        2
    }
}

impl Rolls<Pig> for PigIndex {
    fn roller(&self, pos: &Points) -> Turn {
        if pos.second { Turn::Second } else { Turn::First }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use outplay_core::{Game, Notation, laws};

    fn game(text: &str) -> Pig {
        Pig::from_spec(Spec::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn the_index_obeys_the_laws() {
        for text in ["pig:1", "pig:2", "pig:3", "pig:10", "pig:25", "piglet:1", "piglet:2", "piglet:10"] {
            let game = game(text);
            laws::check_rolls(&game, &PigIndex::new(&game));
        }
    }

    #[test]
    fn rank_inverts_unrank() {
        for text in ["pig:1", "pig:7", "piglet:12", "pig:40"] {
            let game = game(text);
            let index = PigIndex::new(&game);
            let goal = index.goal;
            assert_eq!(index.total(), u128::from(goal * goal * (goal + 1) / 2 + 1), "{text}");
            for tier in (0..index.tiers()).map(Tier) {
                for number in 0..index.len(tier) {
                    let pos = index.unrank(tier, number).unwrap();
                    assert_eq!(index.rank(&pos), (tier, number), "{text}: {pos:?}");
                    assert_eq!(game.read_position(&game.write_position(&pos)).unwrap(), pos);
                    assert_eq!(pos.rolling, game.outcome(&pos).is_none(), "{text}: {pos:?}");
                    let flipped = Points { kept: [pos.kept[1], pos.kept[0]], second: true, ..pos };
                    assert_eq!(index.rank(&flipped), (tier, number), "colours are merged");
                }
            }
        }
    }

    #[test]
    fn the_largest_goal_is_indexed_quickly() {
        let game = game("pig:1000");
        let index = PigIndex::new(&game);
        assert_eq!(index.total(), 500_500_001);
        for tier in (0..index.tiers()).step_by(37).map(Tier) {
            for number in [0, index.len(tier) / 3, index.len(tier) - 1] {
                assert_eq!(index.rank(&index.unrank(tier, number).unwrap()), (tier, number));
            }
        }
    }
}
