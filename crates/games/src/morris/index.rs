//! Index of three and six men's morris, with colours merged: mover (player to move) against opponent.
//!
//! ```text
//! tier, placing phase   (men placed, mover's men, opponent's men); a move leads to one more man placed
//! tier, moving phase    {a men, b men} in two halves: the mover has a men, or b; a move swaps the halves
//! rank within a half    rank of the mover's set × C(points − a, b) + rank of the opponent's set among the points
//!                       that the mover leaves free
//! ```
//!
//! Invariant: captures lead to later tiers, since the number of men on the board never increases in the moving phase.

use super::rules::{Men, Morris, Variant, each};
use outplay_core::{Index, Predecessors, Tier};

/// The material of a tier.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct TierMaterial {
    placed: u8,
    /// Men of the mover and of the opponent; in the moving phase, the larger number first, and the tier has both
    /// orders.
    men: (u8, u8),
}

/// Index of every position of three or six men's morris.
pub struct MorrisIndex {
    game: Morris,
    groups: Vec<TierMaterial>,
    /// Tier by men placed, mover's men and opponent's men.
    tiers: Vec<Option<u32>>,
    choose: [[u32; 17]; 17],
}

impl MorrisIndex {
    /// An index of placing and moving phase, from the empty board on.
    pub fn new(game: &Morris) -> MorrisIndex {
        let mut groups = Vec::new();
        let three = game.kind != Variant::Six;
        for placed in 0..game.all_placed() {
            // The player to move has placed as many men as the opponent, or one fewer.
            let (own, other) = (placed / 2, placed.div_ceil(2));
            for mover in 0..=own {
                for opponent in 0..=other {
                    if !three || (mover, opponent) == (own, other) {
                        groups.push(TierMaterial { placed, men: (mover, opponent) });
                    }
                }
            }
        }
        MorrisIndex::with(game, groups)
    }

    /// An index of the moving phase only, the phase whose positions are counted for Six Men's Morris.
    pub fn moving(game: &Morris) -> MorrisIndex {
        MorrisIndex::with(game, Vec::new())
    }

    /// The index for retrograde analysis: both phases of the small games, and the moving phase of Six Men's Morris,
    /// whose placing phase is searched.
    pub fn to_solve(game: &Morris) -> MorrisIndex {
        if game.kind == Variant::Six { MorrisIndex::moving(game) } else { MorrisIndex::new(game) }
    }

    fn with(game: &Morris, mut groups: Vec<TierMaterial>) -> MorrisIndex {
        let placed = game.all_placed();
        let fewest = if game.kind == Variant::Six { 0 } else { game.men };
        for total in (2 * fewest..=2 * game.men).rev() {
            for less in fewest..=total / 2 {
                let more = total - less;
                if more <= game.men {
                    groups.push(TierMaterial { placed, men: (more, less) });
                }
            }
        }
        let mut choose = [[0u32; 17]; 17];
        for n in 0..17 {
            choose[n][0] = 1;
            for k in 1..=n {
                choose[n][k] = choose[n - 1][k - 1] + if k < n { choose[n - 1][k] } else { 0 };
            }
        }
        let mut index = MorrisIndex { game: game.clone(), groups, tiers: vec![None; 14 * 64], choose };
        for (tier, group) in index.groups.iter().enumerate() {
            let (a, b) = group.men;
            index.tiers[place(group.placed, a, b)] = Some(tier as u32);
            if group.placed == placed {
                index.tiers[place(group.placed, b, a)] = Some(tier as u32);
            }
        }
        index
    }

    /// The number of numbers of one half of a tier.
    fn half(&self, (a, b): (u8, u8)) -> u64 {
        let points = self.game.board.points.len();
        u64::from(self.choose[points][a as usize]) * u64::from(self.choose[points - a as usize][b as usize])
    }

    fn moving_group(&self, group: &TierMaterial) -> bool {
        group.placed == self.game.all_placed()
    }

    fn rank_set(&self, set: u32) -> u64 {
        each(set).enumerate().map(|(i, point)| u64::from(self.choose[point as usize][i + 1])).sum()
    }

    fn unrank_set(&self, points: usize, men: u8, mut number: u64) -> u32 {
        let (mut set, mut n) = (0, points);
        for k in (1..=men as usize).rev() {
            n -= 1;
            while u64::from(self.choose[n][k]) > number {
                n -= 1;
            }
            number -= u64::from(self.choose[n][k]);
            set |= 1 << n;
        }
        set
    }

    /// The rank of a set among the subsets of the points that `taken` leaves free.
    fn rank_beside(&self, taken: u32, set: u32) -> u64 {
        let below = |point: u8| (taken & ((1 << point) - 1)).count_ones() as usize;
        let rank = |(i, point): (usize, u8)| u64::from(self.choose[point as usize - below(point)][i + 1]);
        each(set).enumerate().map(rank).sum()
    }

    fn sides(&self, tier: Tier, number: u64) -> (u32, u32) {
        let group = &self.groups[tier.0 as usize];
        let (mut a, mut b) = group.men;
        let half = self.half((a, b));
        let number = if number >= half {
            std::mem::swap(&mut a, &mut b);
            number - half
        } else {
            number
        };
        let points = self.game.board.points.len();
        let inner = u64::from(self.choose[points - a as usize][b as usize]);
        let mover = self.unrank_set(points, a, number / inner);
        let packed = self.unrank_set(points - a as usize, b, number % inner);
        let free: Vec<u8> = each(self.game.board.all() & !mover).collect();
        let opponent = each(packed).fold(0, |set, i| set | 1 << free[i as usize]);
        (mover, opponent)
    }

    fn number(&self, group: &TierMaterial, mover: u32, opponent: u32) -> u64 {
        let (a, b) = (mover.count_ones() as u8, opponent.count_ones() as u8);
        let points = self.game.board.points.len();
        let inner = u64::from(self.choose[points - a as usize][b as usize]);
        // Both halves have the same size.
        let half = if (a, b) == group.men { 0 } else { self.half(group.men) };
        half + self.rank_set(mover) * inner + self.rank_beside(mover, opponent)
    }
}

fn place(placed: u8, mover: u8, opponent: u8) -> usize {
    placed as usize * 64 + mover as usize * 8 + opponent as usize
}

impl Index<Morris> for MorrisIndex {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.groups.len() as u32
    }

    fn tier_name(&self, tier: Tier) -> String {
        let group = &self.groups[tier.0 as usize];
        match self.moving_group(group) {
            true => format!("{}-{}", group.men.0, group.men.1),
            false => format!("placed{:02}-{}-{}", group.placed, group.men.0, group.men.1),
        }
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        let group = &self.groups[tier.0 as usize];
        let (a, b) = (group.men.0, group.men.1);
        let mut next: Vec<(u8, u8, u8)> = Vec::new();
        if self.moving_group(group) {
            // A mill of either player costs the other one a man.
            next.extend([(group.placed, a, b.wrapping_sub(1)), (group.placed, a.wrapping_sub(1), b)]);
        } else {
            next.extend([(group.placed + 1, b, a + 1), (group.placed + 1, b.wrapping_sub(1), a + 1)]);
        }
        let known =
            |&(placed, a, b): &(u8, u8, u8)| (a < 8 && b < 8).then(|| self.tiers[place(placed, a, b)]);
        let mut tiers: Vec<Tier> = next.iter().filter_map(known).flatten().map(Tier).collect();
        tiers.sort_unstable();
        tiers.dedup();
        tiers
    }

    fn loops(&self, tier: Tier) -> bool {
        let group = &self.groups[tier.0 as usize];
        self.moving_group(group) && group.men.1 >= 3
    }

    fn len(&self, tier: Tier) -> u64 {
        let group = &self.groups[tier.0 as usize];
        let halves = if self.moving_group(group) && group.men.0 != group.men.1 { 2 } else { 1 };
        halves * self.half(group.men)
    }

    fn holds(&self, pos: &Men) -> bool {
        let (mover, opponent) = pos.sides();
        self.tiers[place(pos.placed, mover.count_ones() as u8, opponent.count_ones() as u8)].is_some()
    }

    fn rank(&self, pos: &Men) -> (Tier, u64) {
        let (mover, opponent) = pos.sides();
        let at = place(pos.placed, mover.count_ones() as u8, opponent.count_ones() as u8);
        // The tiers cover all material that play can reach.
        let tier = self.tiers[at].expect("the index has the men of every position of its game");
        (Tier(tier), self.number(&self.groups[tier as usize], mover, opponent))
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<Men> {
        let group = &self.groups[tier.0 as usize];
        let (mover, opponent) = self.sides(tier, number);
        if self.game.kind != Variant::Six && self.game.board.has_line(mover) {
            // The game ended when that line was completed.
            return None;
        }
        // Colours are merged: in the placing phase they follow from the number of men placed; in the moving phase x
        // is to move.
        let second_to_move = !self.moving_group(group) && group.placed % 2 == 1;
        Some(Men::from_sides(mover, opponent, group.placed, second_to_move))
    }

    fn merged(&self) -> bool {
        true
    }

    fn counted(&self, tier: Tier) -> bool {
        let group = &self.groups[tier.0 as usize];
        self.game.kind != Variant::Six || self.moving_group(group) && group.men.1 >= 3
    }
}

impl Predecessors<Morris> for MorrisIndex {
    fn predecessors(&self, tier: Tier, number: u64, out: &mut Vec<u64>) {
        let group = &self.groups[tier.0 as usize];
        let (mover, opponent) = self.sides(tier, number);
        let board = &self.game.board;
        let three = self.game.kind != Variant::Six;
        if !self.moving_group(group) || (three && board.has_line(mover)) {
            return;
        }
        // The opponent has just moved without closing a mill, because a mill would have captured a man.
        let quiet = if three { opponent } else { opponent & !board.in_lines(opponent) };
        let empty = board.all() & !(mover | opponent);
        for to in each(quiet) {
            for from in each(self.game.targets(to, opponent, empty)) {
                let earlier = opponent & !(1 << to) | 1 << from;
                out.push(self.number(group, earlier, mover));
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use outplay_core::{Game, laws};
    use std::collections::HashSet;

    fn morris(text: &str) -> Morris {
        Morris::from_spec(Spec::parse(text).unwrap()).unwrap()
    }

    #[test]
    fn the_index_obeys_the_laws() {
        for text in ["morris:three,lines=6", "morris:tapatan", "morris:six,men=3", "morris:six,men=3,flying"]
        {
            let game = morris(text);
            laws::check_index(&game, &MorrisIndex::new(&game));
        }
    }

    /// Predecessors are exactly the moves within a tier, reversed.
    #[test]
    fn predecessors_are_the_moves_reversed() {
        for (text, step) in [
            ("morris:three,lines=6", 1),
            ("morris:tapatan", 1),
            ("morris:six,men=3", 37),
            ("morris:six,men=4,flying", 999),
        ] {
            let game = morris(text);
            let index = MorrisIndex::new(&game);
            let links = |tier: Tier, n: u64| {
                let mut links = Vec::new();
                if let Some(pos) = index.unrank(tier, n) {
                    index.links(&game, &pos, &mut links);
                }
                links
                    .into_iter()
                    .filter(|link| link.tier == tier)
                    .map(|link| link.number)
                    .collect::<HashSet<u64>>()
            };
            let before = |tier: Tier, n: u64| {
                let mut before = Vec::new();
                index.predecessors(tier, n, &mut before);
                let set: HashSet<u64> = before.iter().copied().collect();
                assert_eq!(set.len(), before.len(), "{text}: a predecessor is listed twice");
                set
            };
            for tier in (0..index.tiers()).map(Tier).filter(|&tier| index.loops(tier)) {
                for n in (0..index.len(tier)).step_by(step) {
                    for next in links(tier, n) {
                        assert!(before(tier, next).contains(&n), "{text}: {n} leads to {next}");
                    }
                    if index.unrank(tier, n).is_none() {
                        continue;
                    }
                    for earlier in before(tier, n) {
                        // Finished positions have no moves even where a man could step.
                        let open =
                            index.unrank(tier, earlier).is_some_and(|pos| game.outcome(&pos).is_none());
                        assert_eq!(links(tier, earlier).contains(&n), open, "{text}: {earlier} before {n}");
                    }
                }
            }
        }
    }
}
