//! Index of hypergammon positions before a roll, with colours merged: a position is stored as roller against opponent.
//!
//! ```text
//! tier 0         the position before the opening roll
//! other tiers    by the numbers of checkers that the sides have borne off, {a, b}
//!  two halves    the roller has borne off a, or b
//!  rank in half  rank of the roller's arrangement × arrangements of the opponent + rank of the opponent's arrangement
//! ```
//!
//! An arrangement is the points of a side's checkers; there are 2925, 325, 25 and 1 arrangements with no, one, two and
//! three checkers borne off. Ranks at which both sides occupy one point, or the roller has no checker left, are holes.

use super::plays::{BAR, OFF, Side};
use super::{Dice, Hypergammon, Race};
use outplay_core::{Index, Rolls, Tier, Turn};

/// Index of all hypergammon positions before a roll, with colours merged.
pub struct HyperIndex {
    /// Arrangements by checkers off.
    sides: [Vec<Side>; 4],
    /// The rank of each arrangement in its list, by its three places as digits.
    numbers: Vec<u16>,
    /// Checkers off, the larger first.
    tiers: Vec<(usize, usize)>,
    /// The tier of each pair of checkers off.
    places: [[u32; 4]; 4],
}

fn digits(side: &Side) -> usize {
    (side[0] as usize * 26 + side[1] as usize) * 26 + side[2] as usize
}

fn off(side: &Side) -> usize {
    side.iter().filter(|&&place| place == OFF).count()
}

impl Default for HyperIndex {
    fn default() -> Self {
        HyperIndex::new()
    }
}

impl HyperIndex {
    /// The index; there is only one.
    pub fn new() -> HyperIndex {
        let mut sides: [Vec<Side>; 4] = Default::default();
        let mut numbers = vec![0; 26 * 26 * 26];
        for a in 0..=BAR {
            for b in 0..=a {
                for c in 0..=b {
                    let side = [a, b, c];
                    let list = &mut sides[off(&side)];
                    numbers[digits(&side)] = list.len() as u16;
                    list.push(side);
                }
            }
        }
        let mut tiers: Vec<(usize, usize)> = (0..4).flat_map(|a| (0..=a).map(move |b| (a, b))).collect();
        tiers.retain(|&tier| tier != (3, 3));
        tiers.sort_by_key(|&(a, b)| (a + b, a));
        let mut places = [[0; 4]; 4];
        for (t, &(a, b)) in tiers.iter().enumerate() {
            (places[a][b], places[b][a]) = (t as u32 + 1, t as u32 + 1);
        }
        HyperIndex { sides, numbers, tiers, places }
    }

    fn half(&self, (a, b): (usize, usize)) -> u64 {
        self.sides[a].len() as u64 * self.sides[b].len() as u64
    }

    fn place(&self, side: &Side) -> u64 {
        self.numbers[digits(side)].into()
    }
}

impl Index<Hypergammon> for HyperIndex {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.tiers.len() as u32 + 1
    }

    fn tier_name(&self, tier: Tier) -> String {
        match tier.0 {
            0 => "opening".to_string(),
            t => format!("off{}-{}", self.tiers[t as usize - 1].0, self.tiers[t as usize - 1].1),
        }
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        let all = (0..self.tiers.len()).map(|t| (Tier(t as u32 + 1), self.tiers[t]));
        if tier.0 == 0 {
            return all.filter(|&(_, off)| off == (0, 0)).map(|(tier, _)| tier).collect();
        }
        let (a, b) = self.tiers[tier.0 as usize - 1];
        // One side bears off, the other stays as it is.
        let leads = |&(_, (c, d)): &(Tier, (usize, usize))| {
            (c, d) != (a, b) && ((c >= a && d == b) || (c == a && d >= b) || (d == a && c >= b))
        };
        if a == 3 { Vec::new() } else { all.filter(leads).map(|(tier, _)| tier).collect() }
    }

    fn loops(&self, tier: Tier) -> bool {
        tier.0 > 0 && self.tiers[tier.0 as usize - 1].0 < 3
    }

    fn len(&self, tier: Tier) -> u64 {
        match tier.0 {
            0 => 1,
            t => {
                let (a, b) = self.tiers[t as usize - 1];
                self.half((a, b)) * if a == b { 1 } else { 2 }
            }
        }
    }

    fn rank(&self, pos: &Race) -> (Tier, u64) {
        if pos.dice == Dice::Opening {
            return (Tier(0), 0);
        }
        let (mine, other) = (pos.mover(), pos.opponent());
        let (a, b) = (off(mine), off(other));
        let tier = (a.max(b), a.min(b));
        let number = self.place(mine) * self.sides[b].len() as u64 + self.place(other);
        (Tier(self.places[a][b]), if a >= b { number } else { self.half(tier) + number })
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<Race> {
        if tier.0 == 0 {
            return outplay_core::Game::start(&Hypergammon);
        }
        let (mut a, mut b) = self.tiers[tier.0 as usize - 1];
        let mut number = number;
        if number >= self.half((a, b)) {
            number -= self.half((a, b));
            std::mem::swap(&mut a, &mut b);
        }
        let width = self.sides[b].len() as u64;
        let (mine, other) =
            (self.sides[a][(number / width) as usize], self.sides[b][(number % width) as usize]);
        let clash = mine.iter().any(|&place| (1..=24).contains(&place) && other.contains(&(25 - place)));
        (a < 3 && !clash).then_some(Race { sides: [mine, other], second: false, dice: Dice::Unrolled })
    }

    fn merged(&self) -> bool {
        true
    }
}

impl Rolls<Hypergammon> for HyperIndex {
    fn roller(&self, pos: &Race) -> Turn {
        if pos.second { Turn::Second } else { Turn::First }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rank_inverts_unrank() {
        let index = HyperIndex::new();
        let mut used = 0;
        for tier in (0..index.tiers()).map(Tier) {
            index.walk(tier, 0..index.len(tier), &mut |number, pos| {
                used += 1;
                if number % 17 == 0 {
                    assert_eq!(index.rank(pos), (tier, number));
                    let flipped = Race { sides: [pos.sides[1], pos.sides[0]], second: true, ..*pos };
                    if pos.dice != Dice::Opening {
                        assert_eq!(index.rank(&flipped), (tier, number), "colours are merged");
                    }
                }
            });
        }
        // 7,959,904 arrangements of both sides without a shared point; in 3276 of them the roller has no checkers
        // left.
        assert_eq!(used, 7_959_904 - 3276 + 1);
    }
}
