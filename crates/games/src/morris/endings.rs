//! Index of the moving phase of Nine Men's Morris up to symmetry, with colours merged: mover (player to move) against
//! opponent.
//!
//! ```text
//! tier      {a men, b men}; a capture leads to {a, b − 1} or {a − 1, b}
//! rank      (shape × halves + half) × C(a + b, a) + rank of the mover's men among those of the shape
//!
//! shape     the occupied points up to the sixteen symmetries of the board
//! half      0: the mover has a men, 1: the mover has b; one half only if a = b
//! ```
//!
//! The tiers are split by the numbers of men, like the databases of Gasser (1996); unlike in those, positions that play
//! cannot reach have ranks, too. Where a symmetry fixes a shape, the smaller rank of the two arrangements that it
//! exchanges is used, and the other is a hole. All positions in which the mover has two men left are lost; they share
//! one rank in a tier of its own.
//!
//! Invariant: a move without a capture leads to the same tier, a capture to a later one.

use super::rules::{LOST, Men, Morris, each};
use super::sets::EndingSets;
use super::shapes::{Images, Packer, Shapes};
use outplay_core::{Index, Notation, Predecessors, Sets, Tier};
use outplay_index::Subsets;
use std::sync::OnceLock;

/// Points of the board.
pub(super) const POINTS: u32 = 24;

/// Index of the moving phase of Nine Men's Morris, or of an ending and all endings that captures lead to.
pub struct EndingIndex {
    pub(super) game: Morris,
    /// Men of the tiers, the larger number first.
    men: Vec<(u8, u8)>,
    /// Tier by the mover's men and the opponent's.
    tiers: [[Option<u32>; 10]; 10],
    pub(super) images: Images,
    pub(super) packer: Packer,
    pub(super) subsets: Subsets,
    /// The number of shapes of each size.
    counts: Vec<u64>,
    /// The shapes of each size, listed on first use.
    shapes: Vec<OnceLock<Shapes>>,
}

/// An arrangement on a canonical shape.
#[derive(Clone, Copy)]
struct Arrangement {
    row: usize,
    /// The mover's men among those of the shape.
    mover: u32,
}

impl EndingIndex {
    /// Builds the index of a game's endings and all endings that captures lead to.
    pub fn new(game: &Morris) -> EndingIndex {
        let (most, least) = game.ending.unwrap_or((game.men, game.men));
        let mut men = Vec::new();
        for total in (6..=most + least).rev() {
            for less in 3..=total / 2 {
                let more = total - less;
                // Either side may have lost men, so the stronger side may have become the weaker one.
                if more <= most && less <= least {
                    men.push((more, less));
                }
            }
        }
        men.push(LOST);
        let mut tiers = [[None; 10]; 10];
        for (tier, &(a, b)) in men.iter().enumerate().take(men.len() - 1) {
            tiers[a as usize][b as usize] = Some(tier as u32);
            tiers[b as usize][a as usize] = Some(tier as u32);
        }
        // A mover with two men has lost, whatever the opponent has.
        (3..=most.max(3) as usize).for_each(|other| tiers[2][other] = Some(men.len() as u32 - 1));
        EndingIndex {
            images: Images::new(&game.board),
            packer: Packer::new(),
            subsets: Subsets::new(POINTS),
            counts: Images::shapes(&game.board),
            shapes: (0..=POINTS).map(|_| OnceLock::new()).collect(),
            game: game.clone(),
            men,
            tiers,
        }
    }

    /// The men of a tier, the larger number first.
    pub(super) fn men(&self, tier: Tier) -> (u8, u8) {
        self.men[tier.0 as usize]
    }

    /// The shapes of `men` men.
    #[inline]
    pub(super) fn shapes(&self, men: u32) -> &Shapes {
        self.shapes[men as usize].get_or_init(|| Shapes::new(&self.subsets, &self.images, POINTS, men))
    }

    /// The row of a shape, and the symmetry that maps the shape to it.
    #[inline]
    pub(super) fn row(&self, shapes: &Shapes, shape: u32) -> (usize, u8) {
        shapes.find(self.subsets.rank(shape.into()))
    }

    /// The number of numbers of a shape in a tier.
    pub(super) fn in_row(&self, (a, b): (u8, u8)) -> u64 {
        self.subsets.count(u32::from(a + b), a.into()) * if a == b { 1 } else { 2 }
    }

    /// The number of an arrangement of the tier's men within its row.
    pub(super) fn in_half(&self, (a, b): (u8, u8), mover: u32) -> u64 {
        let half = if mover.count_ones() == u32::from(a) {
            0
        } else {
            self.subsets.count(u32::from(a + b), a.into())
        };
        half + self.subsets.rank(mover.into())
    }

    /// The smallest arrangement among the images under the symmetries that fix the shape.
    #[inline]
    pub(super) fn smallest(&self, shapes: &Shapes, row: usize, mover: u32) -> u32 {
        let still = shapes.still[row];
        if still == 1 {
            return mover;
        }
        let shape = shapes.rows[row];
        let points = Packer::unpack(mover, shape);
        let images =
            each(u32::from(still)).map(|image| self.packer.pack(self.images.of(image, points), shape));
        images.min().unwrap_or(mover)
    }

    #[inline]
    fn rank_arrangement(&self, mover: u32, opponent: u32) -> Arrangement {
        let shape = mover | opponent;
        let shapes = self.shapes(shape.count_ones());
        let (row, image) = self.row(shapes, shape);
        let packed = self.packer.pack(self.images.of(image, mover), shapes.rows[row]);
        Arrangement { row, mover: self.smallest(shapes, row, packed) }
    }

    /// The tier and the number of a position; the mover has at least two men.
    #[inline]
    pub(super) fn number(&self, mover: u32, opponent: u32) -> Option<(Tier, u64)> {
        let (a, b) = (mover.count_ones() as usize, opponent.count_ones() as usize);
        let tier = Tier((*self.tiers.get(a)?.get(b)?)?);
        let men = self.men(tier);
        if men == LOST {
            return Some((tier, 0));
        }
        let Arrangement { row, mover } = self.rank_arrangement(mover, opponent);
        Some((tier, row as u64 * self.in_row(men) + self.in_half(men, mover)))
    }

    /// Unranks a number to an arrangement.
    fn unrank_arrangement(&self, (a, b): (u8, u8), number: u64) -> Arrangement {
        let (row, rest) = (number / self.in_row((a, b)), number % self.in_row((a, b)));
        let half = self.subsets.count(u32::from(a + b), a.into());
        let (men, rank) = if rest < half { (a, rest) } else { (b, rest - half) };
        Arrangement { row: row as usize, mover: self.subsets.unrank(men.into(), rank) as u32 }
    }

    /// Unranks a number to the men of the mover and of the opponent.
    fn sides(&self, tier: Tier, number: u64) -> (u32, u32) {
        let men = self.men(tier);
        if men == LOST {
            return (0b11, 0b11100);
        }
        let Arrangement { row, mover } = self.unrank_arrangement(men, number);
        let shape = self.shapes(u32::from(men.0 + men.1)).rows[row];
        let mover = Packer::unpack(mover, shape);
        (mover, shape & !mover)
    }
}

impl Index<Morris> for EndingIndex {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.men.len() as u32
    }

    fn tier_name(&self, tier: Tier) -> String {
        let (a, b) = self.men(tier);
        format!("{a}-{b}")
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        let (a, b) = self.men(tier);
        if (a, b) == LOST {
            return Vec::new();
        }
        let next = [(a, b - 1), (a - 1, b)].map(|(a, b)| self.tiers[a.min(b) as usize][a.max(b) as usize]);
        let mut tiers: Vec<Tier> = next.into_iter().flatten().map(Tier).collect();
        tiers.sort_unstable();
        tiers.dedup();
        tiers
    }

    fn loops(&self, tier: Tier) -> bool {
        self.men(tier) != LOST
    }

    fn len(&self, tier: Tier) -> u64 {
        match self.men(tier) {
            LOST => 1,
            men => self.counts[(men.0 + men.1) as usize] * self.in_row(men),
        }
    }

    fn holds(&self, pos: &Men) -> bool {
        let (mover, opponent) = pos.sides();
        let (a, b) = (mover.count_ones() as usize, opponent.count_ones() as usize);
        pos.placed == self.game.all_placed() && a < 10 && b < 10 && self.tiers[a][b].is_some()
    }

    fn rank(&self, pos: &Men) -> (Tier, u64) {
        let (mover, opponent) = pos.sides();
        // The tiers cover all material that play can reach.
        self.number(mover, opponent).expect("the index has the men of every position of its game")
    }

    fn find(&self, pos: &Men) -> Option<(Tier, u64)> {
        let (mover, opponent) = pos.sides();
        if pos.placed == self.game.all_placed() { self.number(mover, opponent) } else { None }
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<Men> {
        let men = self.men(tier);
        if men != LOST {
            let Arrangement { row, mover } = self.unrank_arrangement(men, number);
            let shapes = self.shapes(u32::from(men.0 + men.1));
            if self.smallest(shapes, row, mover) != mover {
                return None;
            }
        }
        let (mover, opponent) = self.sides(tier, number);
        Some(Men::from_sides(mover, opponent, self.game.all_placed(), false))
    }

    fn orbit(&self, tier: Tier, number: u64) -> u32 {
        let (mover, opponent) = self.sides(tier, number);
        let alone = |image: &u8| {
            self.images.of(*image, mover) == mover && self.images.of(*image, opponent) == opponent
        };
        let count = self.images.count() as u32;
        count / (0..count as u8).filter(alone).count() as u32
    }

    fn merged(&self) -> bool {
        true
    }

    fn counted(&self, tier: Tier) -> bool {
        let men = self.men(tier);
        self.game.ending.map_or(men != LOST, |own| own == men)
    }

    fn owner(&self, tier: Tier) -> Option<String> {
        Some(Morris { ending: Some(self.men(tier)), ..self.game.clone() }.spec())
    }
}

impl Predecessors<Morris> for EndingIndex {
    fn predecessors(&self, tier: Tier, number: u64, out: &mut Vec<u64>) {
        if !self.loops(tier) {
            return;
        }
        let (mover, opponent) = self.sides(tier, number);
        let empty = self.game.board.all() & !(mover | opponent);
        let from = out.len();
        // The opponent has just moved without closing a mill, because a mill would have captured a man.
        for to in each(opponent).filter(|&to| !self.game.board.closes(opponent, to)) {
            for origin in each(self.game.targets(to, opponent, empty)) {
                let earlier = opponent & !(1 << to) | 1 << origin;
                // The predecessor has the same material, so it is in the same tier.
                out.extend(self.number(earlier, mover).map(|(_, number)| number));
            }
        }
        // Two predecessors may be symmetric.
        out[from..].sort_unstable();
        let mut kept = from;
        for i in from..out.len() {
            if i == from || out[i] != out[kept - 1] {
                out[kept] = out[i];
                kept += 1;
            }
        }
        out.truncate(kept);
    }

    fn sets(&self, tier: Tier) -> Option<Box<dyn Sets + '_>> {
        Some(Box::new(EndingSets::new(self, tier)?))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Spec;
    use outplay_core::{Game, laws};

    fn index(text: &str) -> EndingIndex {
        EndingIndex::new(&Morris::from_spec(Spec::parse(text).unwrap()).unwrap())
    }

    #[test]
    fn the_index_obeys_the_laws() {
        for text in ["morris:nine,men=3+3", "morris:nine,men=3+3,flying=off"] {
            let index = index(text);
            laws::check_index(&index.game, &index);
        }
    }

    #[test]
    fn numbers_stand_for_all_placements() {
        let placements = [(3, 3, 2_691_920u64), (4, 3, 2 * 12_113_640), (4, 4, 51_482_970)];
        let index = index("morris:nine,men=4+4");
        for (a, b, placed) in placements {
            let tier = Tier((0..index.tiers()).find(|&t| index.men(Tier(t)) == (a, b)).unwrap());
            let mut sum = 0;
            for n in 0..index.len(tier) {
                sum += if index.unrank(tier, n).is_some() { u64::from(index.orbit(tier, n)) } else { 0 };
            }
            assert_eq!(sum, placed, "{a} against {b}");
        }
    }

    /// Sixteen symmetries leave a sixteenth of all placements; about 2 % of the numbers are holes.
    #[test]
    fn the_whole_game_has_a_sixteenth_of_its_placements() {
        let index = index("morris:nine");
        let choose = |n: u32, k: u32| outplay_index::binomial(n, k).unwrap();
        let sides = (3..=9).flat_map(|a| (3..=9).map(move |b| (a, b)));
        let placements: u128 = sides.map(|(a, b)| choose(24, a) * choose(24 - a, b)).sum();
        assert_eq!(placements, 142_430_121_724);
        assert!((placements / 16..placements / 16 * 102 / 100).contains(&index.total()), "{}", index.total());
    }

    /// Predecessors are exactly the moves within a tier, reversed.
    #[test]
    fn predecessors_are_the_moves_reversed() {
        for text in ["morris:nine,men=5+5", "morris:nine,men=4+3", "morris:nine,men=4+3,flying=off"] {
            let index = index(text);
            let tier = Tier(0);
            let links = |n: u64| {
                let mut links = Vec::new();
                let pos = index.unrank(tier, n).unwrap();
                index.links(&index.game, &pos, &mut links);
                let inside = links.into_iter().filter(|link| link.tier == tier).map(|link| link.number);
                inside.collect::<Vec<u64>>()
            };
            for n in (0..index.len(tier)).step_by((index.len(tier) / 400) as usize) {
                if index.unrank(tier, n).is_none() {
                    continue;
                }
                let mut before = Vec::new();
                index.predecessors(tier, n, &mut before);
                assert!(before.is_sorted_by(|a, b| a < b), "{text}: a predecessor is listed twice");
                assert!(before.iter().all(|&earlier| links(earlier).contains(&n)), "{text}: {n}");
                for next in links(n) {
                    let mut back = Vec::new();
                    index.predecessors(tier, next, &mut back);
                    assert!(back.contains(&n), "{text}: {n} leads to {next}");
                }
            }
            let start = index.unrank(tier, 0).unwrap();
            assert_eq!(index.game.outcome(&start), None);
        }
    }
}
