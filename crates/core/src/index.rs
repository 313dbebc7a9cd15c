//! Indexes of positions: the positions numbered by integers (rank and unrank), for tables and retrograde
//! analysis.
//!
//! An index splits the positions of a game into *tiers* and ranks the positions of each tier from zero. A move leads to
//! a later tier or stays in its tier. Tiers are therefore solved from the last to the first, and every successor
//! outside the tier has been solved before. Within an acyclic tier a move leads to a larger rank; within a cyclic tier
//! ([`Index::loops`]) it may lead to any rank. The simplest index is a single acyclic tier, solved one rank after the
//! other. Where no move stays in its tier, the positions of a tier can be solved in parallel.
//!
//! Positions that a symmetry exchanges may share a rank, and a rank may be a *hole*: no position has it.
//!
//! Invariant: an index obeys the laws that [`crate::index_laws`] lists and checks.

use crate::{Chance, Game, Sets, Turn};
use std::ops::Range;

/// A tier of an index: a set of positions that is solved as a unit. Moves lead to later tiers or stay in the tier.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tier(pub u32);

/// The successor of a position by its tier and rank: an edge of the game graph.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    /// The tier of the successor.
    pub tier: Tier,
    /// The successor's number within that tier.
    pub number: u64,
    /// Whether the player who made the move moves again.
    pub same_player: bool,
}

/// A move to a position that has no rank of its own, but differs from a position with a rank only by additional moves;
/// the same player is to move. In chess this is a double pawn step that allows an en passant capture: the position
/// without the en passant right has a rank.
///
/// Its value is the better of the value at `like` and the values of the moves in `instead`.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Detour {
    /// The number, in the same tier, of the position without the additional moves; `None` if it has no moves. (That
    /// position is then finished, and its value does not count.)
    pub like: Option<u64>,
    /// Successors by the additional moves, at least one, each in a later tier. `same_player` refers to the player who
    /// makes them.
    pub instead: Vec<Link>,
    /// Whether the player who made the move moves again.
    pub same_player: bool,
}

/// A bijection between the positions of a game and ranks within tiers.
///
/// An index is separate from its game: building one may take tables or an exploration, and a game can have several.
pub trait Index<G: Game>: Send + Sync {
    /// The number of tiers.
    fn tiers(&self) -> u32;

    /// The name of the tier in lists and file names.
    fn tier_name(&self, tier: Tier) -> String {
        format!("{:02}", tier.0)
    }

    /// The tiers that a move from this tier can lead to, the tier itself excluded.
    fn child_tiers(&self, tier: Tier) -> Vec<Tier>;

    /// Whether the tier is cyclic: play can return to a position without leaving the tier. In an acyclic tier, a move
    /// that stays in the tier leads to a larger number.
    fn loops(&self, _tier: Tier) -> bool {
        false
    }

    /// The number of numbers the tier uses, holes included.
    fn len(&self, tier: Tier) -> u64;

    /// The number of a position.
    fn rank(&self, pos: &G::Position) -> (Tier, u64);

    /// The position with a number below `len`; `None` if the number is a hole.
    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position>;

    /// The number of positions that share this number by symmetry (the size of the orbit).
    fn orbit(&self, _tier: Tier, _number: u64) -> u32 {
        1
    }

    /// Whether the two players share numbers: a position is stored as "player to move against opponent".
    fn merged(&self) -> bool {
        false
    }

    /// Whether the tier's positions belong to the game's own statistics. Tiers that exist only because play leaves
    /// the game through them (the smaller endings of a chess ending) do not.
    fn counted(&self, _tier: Tier) -> bool {
        true
    }

    /// The version of the rules and of the numbering. Tables store it, so that a table made with other rules is
    /// recognised and rejected. An index whose positions change their values or their numbers increments it.
    fn version(&self) -> u32 {
        1
    }

    /// Whether the index is known to obey the laws of [`crate::index_laws`], because tests check it with
    /// [`crate::laws::check_index`]. Solvers check any other index while they solve, which about doubles the time.
    fn trusted(&self) -> bool {
        false
    }

    /// Whether the position has a number here. An index of one phase of a game excludes the other phases. A position
    /// between two numbered ones, see [`Index::detours`], is excluded too, but its moves lead to numbered positions.
    fn holds(&self, _pos: &G::Position) -> bool {
        true
    }

    /// The number of a position; `None` if it has none. The fallback calls [`Index::holds`] first; an index that
    /// computes both at once is faster.
    #[inline]
    fn find(&self, pos: &G::Position) -> Option<(Tier, u64)> {
        self.holds(pos).then(|| self.rank(pos))
    }

    /// The spec of the game whose table owns this tier, where several games share tiers: a chess ending's table
    /// serves every ending that leads to it. `None` means that the game's own table has all tiers.
    fn owner(&self, _tier: Tier) -> Option<String> {
        None
    }

    /// Appends the successors of a position, except those of [`Index::detours`]. The fallback plays each move and
    /// ranks the result.
    fn links(&self, game: &G, pos: &G::Position, out: &mut Vec<Link>)
    where
        Self: Sized,
    {
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let turn = game.turn(pos);
        out.extend(moves.iter().filter_map(|&mv| {
            let next = game.play(pos, mv);
            let (tier, number) = self.find(&next)?;
            Some(Link { tier, number, same_player: game.turn(&next) == turn })
        }));
    }

    /// Appends the moves of a numbered position that lead to positions without a number. The fallback has none.
    fn detours(&self, _game: &G, _tier: Tier, _pos: &G::Position, _out: &mut Vec<Detour>) {}

    /// Visits the positions of a range in order. The fallback unranks each number; an index that steps from one
    /// position to the next is several times faster.
    fn walk(&self, tier: Tier, range: Range<u64>, visit: &mut impl FnMut(u64, &G::Position))
    where
        Self: Sized,
    {
        for number in range {
            if let Some(pos) = self.unrank(tier, number) {
                visit(number, &pos);
            }
        }
    }

    /// Visits the positions of a range whose numbers are `wanted`, with their successors: none if the game is over
    /// there. The fallback plays and ranks every move; an index that updates ranks incrementally is several times
    /// faster.
    fn walk_steps(
        &self,
        game: &G,
        tier: Tier,
        range: Range<u64>,
        wanted: &impl Fn(u64) -> bool,
        visit: &mut impl FnMut(u64, &G::Position, &[Link]),
    ) where
        Self: Sized,
    {
        let (mut moves, mut steps) = (Vec::new(), Vec::new());
        self.walk(tier, range, &mut |number, pos| {
            if !wanted(number) {
                return;
            }
            moves.clear();
            steps.clear();
            game.moves(pos, &mut moves);
            for &mv in &moves {
                let next = game.play(pos, mv);
                let (tier, number) = self.rank(&next);
                steps.push(Link { tier, number, same_player: game.turn(&next) == game.turn(pos) });
            }
            visit(number, pos, &steps);
        });
    }

    /// The sum of all tiers' sizes, holes included.
    fn total(&self) -> u128 {
        (0..self.tiers()).map(|t| u128::from(self.len(Tier(t)))).sum()
    }
}

/// An index with unmove generation, for retrograde analysis. Within a tier the players alternate.
pub trait Predecessors<G: Game>: Index<G> {
    /// Appends the numbers of the positions of the same tier with a move to this one, each once. Holes may be among
    /// them; callers filter them. Detours are not included, because they lead to other positions.
    fn predecessors(&self, tier: Tier, number: u64, out: &mut Vec<u64>);

    /// Counts the distinct successors of a position within the tier, and appends the successors in other tiers,
    /// detours excluded. The fallback filters all links.
    fn successors_in_tier(&self, game: &G, tier: Tier, pos: &G::Position, exits: &mut Vec<Link>) -> u32
    where
        Self: Sized,
    {
        let mut links = Vec::new();
        self.links(game, pos, &mut links);
        links.sort_unstable();
        links.dedup();
        exits.extend(links.iter().filter(|link| link.tier != tier));
        links.iter().filter(|link| link.tier == tier).count() as u32
    }

    /// The tier as sets of positions, where moves are generated for many positions at once. With the fallback,
    /// `None`, positions are processed one by one.
    fn sets(&self, _tier: Tier) -> Option<Box<dyn Sets + '_>> {
        None
    }
}

/// An index of the positions *before a roll* of a game with dice. Positions between a roll and the decision have no
/// rank; finished positions have one.
pub trait Rolls<G: Chance>: Index<G> {
    /// The player who rolls. Where [`Index::merged`] holds, values are stored from this player's point of view.
    fn roller(&self, pos: &G::Position) -> Turn;
}
