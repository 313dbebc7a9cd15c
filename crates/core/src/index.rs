//! Positions as numbers.
//!
//! An index splits the positions of a game into *tiers* and numbers each tier from zero. A move leads to a
//! tier with a higher number, or, where [`Index::loops`] says so, stays in its own. A sweep from the last
//! tier to the first therefore never looks at an unsolved position.

use crate::{Chance, Game, Sets, Turn};
use std::ops::Range;

/// A set of positions that is solved as a whole. Moves lead to higher tiers or stay.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Tier(pub u32);

/// Where a move leads, as a number.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Link {
    /// The tier of the position that the move leads to.
    pub tier: Tier,
    /// Its number there.
    pub number: u64,
    /// Whether the player who made the move moves again.
    pub same_player: bool,
}

/// A move to a position that has no number of its own but is nearly one that has: the same player moves there,
/// with the same moves and some more. (Chess: a pawn that has just gone two squares may be taken as if it had
/// gone one; the position without that right has a number.)
///
/// Its value is the best of the value at `like` and of what `instead` leads to.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Detour {
    /// The number, in the same tier, of the position with the other moves; `None` if there is no other move. (The
    /// position without the additional moves is finished then, and its value is none of this one's.)
    pub like: Option<u64>,
    /// Where the additional moves lead, one at least, each to a later tier. `same_player` speaks of the player who
    /// makes them.
    pub instead: Vec<Link>,
    /// Whether the player who made the move moves again.
    pub same_player: bool,
}

/// A numbering of a game's positions.
///
/// An index is an object of its own, apart from the game: building one may take tables or an exploration,
/// and a game can have several.
pub trait Index<G: Game>: Send + Sync {
    /// How many tiers there are.
    fn tiers(&self) -> u32;

    /// What the tier is called in lists and file names.
    fn tier_name(&self, tier: Tier) -> String {
        format!("{:02}", tier.0)
    }

    /// The tiers that a move from this one can lead to, itself left out.
    fn after(&self, tier: Tier) -> Vec<Tier>;

    /// Whether a move can stay within the tier.
    fn loops(&self, _tier: Tier) -> bool {
        false
    }

    /// How many numbers the tier uses, holes included.
    fn len(&self, tier: Tier) -> u64;

    /// The number of a position.
    fn rank(&self, pos: &G::Position) -> (Tier, u64);

    /// The position with a number below `len`; `None` if the number is a hole.
    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position>;

    /// How many positions the numbered one stands for, where symmetric positions share a number.
    fn orbit(&self, _tier: Tier, _number: u64) -> u32 {
        1
    }

    /// Whether the two players share numbers: a position counts as "mover against opponent".
    fn merged(&self) -> bool {
        false
    }

    /// Whether the tier's positions belong to the game's own counts. Tiers that are there only because play
    /// leaves the game through them (the smaller endings of a chess ending) do not.
    fn counted(&self, _tier: Tier) -> bool {
        true
    }

    /// The version of the rules and of the numbering. Tables remember it, so that one made by other rules is told
    /// from one that can be believed: an index whose positions change their values or their numbers counts up.
    fn version(&self) -> u32 {
        1
    }

    /// Whether the position has a number here. An index of one phase of a game does not hold the others; a position
    /// between two numbered ones, see [`Index::detours`], is not held either, but its moves lead to ones that are.
    fn holds(&self, _pos: &G::Position) -> bool {
        true
    }

    /// The number of a position, `None` if it has none. The fallback asks [`Index::holds`] first; an index that finds
    /// out both at once is faster.
    #[inline]
    fn find(&self, pos: &G::Position) -> Option<(Tier, u64)> {
        self.holds(pos).then(|| self.rank(pos))
    }

    /// The spec of the game whose table keeps this tier, and nothing but it, where several games share tiers:
    /// a chess ending's table serves every ending that leads to it. Without one, a game's table has all tiers.
    fn home(&self, _tier: Tier) -> Option<String> {
        None
    }

    /// Appends where the moves of a position lead, those of [`Index::detours`] left out. The fallback plays each
    /// move and ranks the result.
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

    /// Appends the moves of a numbered position that lead to positions without a number. The fallback knows none.
    fn detours(&self, _game: &G, _tier: Tier, _pos: &G::Position, _out: &mut Vec<Detour>) {}

    /// Visits the positions of a range in order. The fallback unranks each; a game that can step from
    /// one position to the next is several times faster.
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

    /// Visits the positions of a range whose numbers are `wanted`, with where their moves lead: nowhere if
    /// the game is over there. The fallback plays and ranks every move; an index that knows what a move
    /// does to a number is several times faster.
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

    /// The sum of all tiers' sizes.
    fn total(&self) -> u128 {
        (0..self.tiers()).map(|t| u128::from(self.len(Tier(t)))).sum()
    }
}

/// An index that also knows where positions come from. Within a tier the players alternate.
pub trait Predecessors<G: Game>: Index<G> {
    /// Appends the numbers of the positions of the same tier with a move to this one, each once. Holes may
    /// be among them: callers know which numbers those are. A detour leads elsewhere, so it is no such move.
    fn before(&self, tier: Tier, number: u64, out: &mut Vec<u64>);

    /// Counts the distinct positions of the same tier that the moves of a position lead to, and appends
    /// where the other moves lead, detours left out. The fallback looks at all links.
    fn ahead(&self, game: &G, tier: Tier, pos: &G::Position, exits: &mut Vec<Link>) -> u32
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

    /// The tier as sets of positions, where moves can be made for many of them at once. Without them, positions
    /// are looked at one by one.
    fn sets(&self, _tier: Tier) -> Option<Box<dyn Sets + '_>> {
        None
    }
}

/// An index of the positions *before a roll* of a game with dice; the decisions between two rolls have no
/// number. A finished position has one as well.
pub trait Rolls<G: Chance>: Index<G> {
    /// Who rolls. Where [`Index::merged`] holds, values are kept as this player sees them.
    fn roller(&self, pos: &G::Position) -> Turn;
}
