//! The laws of an index, checked position by position.
//!
//! 1. `rank` and `unrank` are inverse to each other, and `walk` visits what `unrank` returns.
//! 2. A move leads to a rank below `len`, either in a later tier that `child_tiers` lists or in the same tier. In the
//!    same tier, the rank is larger than that of the position, unless the tier is cyclic (`loops`).
//! 3. Two positions share a rank only if they are images of each other under a symmetry (or, in a merged index, under
//!    the exchange of the players).
//! 4. The successors that `links` and `walk_steps` list are those of the rules. Moves to positions without a rank are
//!    those that `detours` lists (en passant in chess).
//!
//! A solver relies on all of them: it reads values by rank and never sees the position. [`crate::laws`] panics with the
//! message of a [`Breach`], for tests; solvers return it as an error.

use crate::{Detour, Game, Index, Link, Tier, Turn};
use std::fmt;

/// A violated law of an index, as a sentence with the positions concerned.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Breach(String);

impl fmt::Display for Breach {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

impl std::error::Error for Breach {}

/// Positions that may lack a rank although play reaches them.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gaps {
    /// None: every successor has a number.
    None,
    /// The positions that [`Index::detours`] describes.
    Detours,
    /// The positions between two rolls, as in [`crate::Rolls`].
    Rolls,
}

/// Returns a [`Breach`] with a formatted message unless a condition holds.
macro_rules! ensure {
    ($holds:expr, $($sentence:tt)+) => {
        if !$holds {
            return Err(Breach(format!($($sentence)+)));
        }
    };
}

/// A tier and a number, for messages.
struct NumberInTier(Tier, u64);

impl fmt::Display for NumberInTier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "number {} of tier {}", self.1, self.0.0)
    }
}

/// Whether a move may stay in a tier: the tier is cyclic, or the index is not trusted to obey the law that forbids
/// it.
pub fn may_stay<G: Game>(index: &impl Index<G>, tier: Tier) -> bool {
    index.loops(tier) || !index.trusted()
}

/// Checker of the laws of an index, for one tier.
pub struct IndexLaws<'a, G: Game, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    gaps: Gaps,
    after: Vec<Tier>,
    moves: Vec<G::Move>,
    images: Vec<G::Position>,
    stays: bool,
}

impl<'a, G: Game, I: Index<G>> IndexLaws<'a, G, I> {
    /// Prepares the check of a tier.
    pub fn new(game: &'a G, index: &'a I, tier: Tier, gaps: Gaps) -> Self {
        let after = index.child_tiers(tier);
        IndexLaws { game, index, tier, gaps, after, moves: Vec::new(), images: Vec::new(), stays: false }
    }

    /// Whether a move of a position checked before stays in the tier.
    pub fn stays(&self) -> bool {
        self.stays
    }

    /// Checks that `after` lists later tiers only.
    ///
    /// # Errors
    ///
    /// It lists another one.
    pub fn check_after(&self) -> Result<(), Breach> {
        for &Tier(next) in &self.after {
            let later = next > self.tier.0 && next < self.index.tiers();
            ensure!(later, "after() names tier {next} behind tier {}, which is not a later one", self.tier.0);
        }
        Ok(())
    }

    /// Checks that a start position has its own number.
    ///
    /// # Errors
    ///
    /// It has none, or one of another position.
    pub fn check_start(game: &'a G, index: &'a I, start: &G::Position, gaps: Gaps) -> Result<(), Breach> {
        let Some((tier, number)) = index.find(start) else {
            ensure!(gaps != Gaps::None, "{start:?}, where play begins, has no number");
            return Ok(());
        };
        if gaps == Gaps::Rolls && game.turn(start) != Turn::Chance {
            return Ok(());
        }
        let inside = tier.0 < index.tiers() && number < index.len(tier);
        let there = NumberInTier(tier, number);
        ensure!(inside, "{start:?}, where play begins, has {there}, which is beyond the index");
        let found = index.unrank(tier, number);
        let mut laws = IndexLaws::new(game, index, tier, gaps);
        let same = found.as_ref().is_some_and(|found| laws.same(start, found));
        ensure!(same, "{start:?}, where play begins, has {there}, which is {found:?}");
        Ok(())
    }

    /// Checks the number of a position that `walk` or `unrank` returned, and the numbers of its successors.
    ///
    /// # Errors
    ///
    /// The first violated law.
    pub fn check(&mut self, number: u64, pos: &G::Position) -> Result<(), Breach> {
        self.check_number(number, pos)?;
        if self.game.outcome(pos).is_some() {
            return Ok(());
        }
        let mut moves = std::mem::take(&mut self.moves);
        moves.clear();
        self.game.moves(pos, &mut moves);
        let mut between = false;
        for &mv in &moves {
            let next = self.game.play(pos, mv);
            match self.gaps {
                Gaps::Rolls => self.check_roll(number, pos, next)?,
                gaps => match self.index.find(&next) {
                    Some(place) => self.check_move(number, pos, &next, place)?,
                    None => {
                        ensure!(gaps == Gaps::Detours, "{pos:?} leads to {next:?}, which has no number");
                        between = true;
                    }
                },
            }
        }
        self.moves = moves;
        if between { check_detours(self.game, self.index, self.tier, pos) } else { Ok(()) }
    }

    /// Checks that a position of the tier has the number under which it was returned.
    fn check_number(&mut self, number: u64, pos: &G::Position) -> Result<(), Breach> {
        let (index, here) = (self.index, NumberInTier(self.tier, number));
        ensure!(index.holds(pos), "{here} is {pos:?}, which the index says it does not hold");
        for (tier, other) in [Some(index.rank(pos)), index.find(pos)].into_iter().flatten() {
            if (tier, other) != (self.tier, number) {
                let there = NumberInTier(tier, other);
                let other = self.at(tier, other);
                let other = other.map_or("no position".into(), |other| format!("{other:?}"));
                return Err(Breach(format!(
                    "unrank turns {here} into {pos:?}, but rank turns that position into {there}, which unranks to {other}"
                )));
            }
        }
        let back = index.unrank(self.tier, number);
        ensure!(back.as_ref() == Some(pos), "{here} is {pos:?} for walk, but {back:?} for unrank");
        if self.gaps == Gaps::None {
            self.images.clear();
            self.game.symmetric(pos, &mut self.images);
            for image in &self.images {
                let (tier, other) = index.rank(image);
                ensure!(
                    tier == self.tier && other < index.len(tier),
                    "{image:?}, an image of {pos:?} at {here}, has {}, which is not in that tier",
                    NumberInTier(tier, other)
                );
            }
        }
        Ok(())
    }

    /// The position with this number, if the number is in range.
    fn at(&self, tier: Tier, number: u64) -> Option<G::Position> {
        let inside = tier.0 < self.index.tiers() && number < self.index.len(tier);
        if inside { self.index.unrank(tier, number) } else { None }
    }

    /// Checks the successors after a roll and the decisions that follow it: the next roll or the end.
    fn check_roll(&mut self, number: u64, pos: &G::Position, next: G::Position) -> Result<(), Breach> {
        let mut open = vec![next];
        let mut moves = Vec::new();
        while let Some(next) = open.pop() {
            if self.game.outcome(&next).is_some() {
                continue;
            }
            if self.game.turn(&next) == Turn::Chance {
                self.check_move(number, pos, &next, self.index.rank(&next))?;
                continue;
            }
            moves.clear();
            self.game.moves(&next, &mut moves);
            open.extend(moves.iter().map(|&mv| self.game.play(&next, mv)));
        }
        Ok(())
    }

    /// Checks the number of a successor.
    fn check_move(
        &mut self,
        number: u64,
        pos: &G::Position,
        next: &G::Position,
        (tier, other): (Tier, u64),
    ) -> Result<(), Breach> {
        let (index, here, there) = (self.index, NumberInTier(self.tier, number), NumberInTier(tier, other));
        let moves = || format!("{pos:?} ({here}) leads to {next:?} ({there})");
        ensure!(tier.0 < index.tiers(), "{}, but there are {} tiers", moves(), index.tiers());
        ensure!(other < index.len(tier), "{}, but that tier has {} numbers", moves(), index.len(tier));
        let later = (tier, other) > (self.tier, number);
        ensure!(
            later || tier == self.tier && index.loops(tier),
            "{}; a move must lead to a later tier or, within a tier without loops, to a larger number",
            moves()
        );
        if tier == self.tier {
            self.stays = true;
        } else if self.gaps != Gaps::Rolls {
            // A roll and the decisions after it may pass through several tiers without a numbered position between
            // them.
            ensure!(self.after.contains(&tier), "{}, a tier that after() does not name", moves());
        }
        match index.unrank(tier, other) {
            None => Err(Breach(format!("{}, but unrank returns no position for that index", moves()))),
            Some(back) if self.same(next, &back) => Ok(()),
            Some(back) => Err(Breach(format!("{next:?} and {back:?} have the same index, {there}"))),
        }
    }

    /// Whether two positions may share a number.
    fn same(&mut self, pos: &G::Position, other: &G::Position) -> bool {
        if pos == other {
            return true;
        }
        self.images.clear();
        self.game.symmetric(pos, &mut self.images);
        if self.images.contains(other) {
            return true;
        }
        // Games do not list the exchange of the players as a symmetry, so only its consequences are compared.
        let seen = |pos: &G::Position| {
            let mut moves = Vec::new();
            self.game.moves(pos, &mut moves);
            (self.game.outcome(pos).map(|payoff| self.game.turn(pos).sees(payoff)), moves.len())
        };
        self.index.merged() && seen(pos) == seen(other)
    }

    /// Checks that `links` or `walk_steps` lists the numbered successors of a position.
    ///
    /// # Errors
    ///
    /// The lists differ.
    pub fn check_links(&mut self, number: u64, pos: &G::Position, links: &[Link]) -> Result<(), Breach> {
        self.moves.clear();
        self.game.moves(pos, &mut self.moves);
        let turn = self.game.turn(pos);
        let link = |next: G::Position| {
            let (tier, number) = self.index.find(&next)?;
            Some(Link { tier, number, same_player: self.game.turn(&next) == turn })
        };
        let mut played: Vec<Link> =
            self.moves.iter().filter_map(|&mv| link(self.game.play(pos, mv))).collect();
        let mut listed = links.to_vec();
        played.sort_unstable();
        listed.sort_unstable();
        let here = NumberInTier(self.tier, number);
        ensure!(
            played == listed,
            "the moves of {pos:?} ({here}) lead to {played:?}, but links are {listed:?}"
        );
        Ok(())
    }
}

/// Checks that the detours of a numbered position are its moves to positions without a number, and that each has the
/// right successors.
///
/// # Errors
///
/// The violated law.
pub fn check_detours<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    pos: &G::Position,
) -> Result<(), Breach> {
    let links = |pos: &G::Position| -> Vec<Link> {
        let mut links = Vec::new();
        index.links(game, pos, &mut links);
        links
    };
    let (mut moves, mut detours) = (Vec::new(), Vec::new());
    game.moves(pos, &mut moves);
    index.detours(game, tier, pos, &mut detours);
    let described = |detour: Detour| -> Result<(bool, Vec<Link>), Breach> {
        let like = detour.like.filter(|&number| number < index.len(tier));
        let like = like.and_then(|number| index.unrank(tier, number));
        ensure!(like.is_some() == detour.like.is_some(), "{pos:?}: a detour is like a hole");
        let mut ahead = like.as_ref().map(links).unwrap_or_default();
        ensure!(ahead.is_empty() == like.is_none(), "{pos:?}: a detour is like a finished position");
        ensure!(!detour.instead.is_empty(), "{pos:?}: a detour without moves of its own");
        for link in &detour.instead {
            ensure!(link.tier > tier, "{pos:?}: a detour does not leave the tier");
            let inside = link.tier.0 < index.tiers() && link.number < index.len(link.tier);
            ensure!(
                inside,
                "{pos:?}: a detour leads beyond its tier, to {}",
                NumberInTier(link.tier, link.number)
            );
        }
        ahead.extend(detour.instead);
        ahead.sort_unstable();
        Ok((detour.same_player, ahead))
    };
    let mut listed = detours.into_iter().map(described).collect::<Result<Vec<_>, _>>()?;
    let mut played = Vec::new();
    for next in moves.iter().map(|&mv| game.play(pos, mv)).filter(|next| !index.holds(next)) {
        let mut further = Vec::new();
        game.moves(&next, &mut further);
        let mut ahead = links(&next);
        ensure!(
            ahead.len() == further.len(),
            "{pos:?} leads to {next:?}, which has no number, nor has what follows"
        );
        ahead.sort_unstable();
        played.push((game.turn(&next) == game.turn(pos), ahead));
    }
    listed.sort_unstable();
    played.sort_unstable();
    ensure!(listed == played, "{pos:?}: detours are not the moves to positions without a number");
    Ok(())
}
