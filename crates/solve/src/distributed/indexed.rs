//! Block-cyclic distribution of the positions of an index over the processes of a communicator.
//!
//! ```text
//!  positions 0 … 1023 │ 1024 … 2047 │ 2048 … 3071 │ 3072 …
//!  processes     0    │      1      │      2      │    0
//! ```

use super::{GlobalId, Spot};
use crate::SolveError;
use crate::lawful::{check_start, no_value};
use outplay_core::index_laws::{Gaps, IndexLaws};
use outplay_core::{Game, Index, Link, Payoff, Tier, Turn};

/// Consecutive numbers on one rank.
const BLOCK: u64 = 1 << 10;

/// One process's blocks of the positions of an index.
pub struct Blocks<'a, G, I> {
    game: &'a G,
    index: &'a I,
    rank: u64,
    ranks: u64,
}

impl<'a, G: Game, I: Index<G>> Blocks<'a, G, I> {
    /// The share of rank `rank` of `ranks`.
    ///
    /// # Errors
    ///
    /// More numbers, tiers or ranks than a [`Spot`] can address.
    pub fn new(game: &'a G, index: &'a I, rank: usize, ranks: usize) -> Result<Self, SolveError> {
        check_start(game, index, Gaps::Detours)?;
        if !index.trusted() {
            let tiers = (0..index.tiers()).map(Tier);
            tiers
                .map(|tier| IndexLaws::new(game, index, tier, Gaps::Detours))
                .try_for_each(|laws| laws.check_after())?;
        }
        let blocks = Blocks { game, index, rank: rank as u64, ranks: ranks as u64 };
        let most = u64::from(u32::MAX) * blocks.ranks / 2;
        let large = (0..index.tiers()).any(|t| index.len(Tier(t)) > most);
        if large || ranks >= Spot::RANKS || index.tiers() as usize >= Spot::TIERS {
            return Err(SolveError::TooLarge(most));
        }
        Ok(blocks)
    }

    /// The spot of a number.
    pub fn spot(&self, tier: u32, number: u64, same_player: bool) -> Spot {
        let block = number / BLOCK;
        let slot = block / self.ranks * BLOCK + number % BLOCK;
        Spot::new((block % self.ranks) as usize, tier, slot as u32, same_player)
    }
}

impl<G: Game, I: Index<G>> GlobalId for Blocks<'_, G, I> {
    fn tiers(&self) -> u32 {
        self.index.tiers()
    }

    fn len(&self, tier: u32) -> u64 {
        self.index.len(Tier(tier))
    }

    fn slots(&self, tier: u32) -> u32 {
        let blocks = self.len(tier).div_ceil(BLOCK);
        let mine = (blocks + self.ranks - 1 - self.rank) / self.ranks;
        (mine * BLOCK) as u32
    }

    fn number(&self, _tier: u32, slot: u32) -> u64 {
        let slot = u64::from(slot);
        (slot / BLOCK * self.ranks + self.rank) * BLOCK + slot % BLOCK
    }

    fn look(
        &self,
        tier: u32,
        slot: u32,
        out: &mut Vec<Spot>,
    ) -> Result<Option<(Turn, Option<Payoff>)>, SolveError> {
        let number = self.number(tier, slot);
        if number >= self.len(tier) {
            return Ok(None);
        }
        let Some(pos) = self.index.unrank(Tier(tier), number) else { return Ok(None) };
        if !self.index.trusted() {
            IndexLaws::new(self.game, self.index, Tier(tier), Gaps::Detours).check(number, &pos)?;
        }
        let (turn, outcome) = (self.game.turn(&pos), self.game.outcome(&pos));
        if outcome.is_none() {
            let mut detours = Vec::new();
            self.index.detours(self.game, Tier(tier), &pos, &mut detours);
            if !detours.is_empty() {
                return Err(SolveError::Detours);
            }
            let mut links: Vec<Link> = Vec::new();
            self.index.links(self.game, &pos, &mut links);
            for link in &links {
                let inside = link.tier.0 < self.index.tiers() && link.number < self.index.len(link.tier);
                if !inside || link.tier.0 < tier {
                    return Err(no_value(&pos, link.tier, link.number));
                }
            }
            out.extend(links.iter().map(|link| self.spot(link.tier.0, link.number, link.same_player)));
        }
        Ok(Some((turn, outcome)))
    }

    fn orbit(&self, tier: u32, slot: u32) -> u32 {
        self.index.orbit(Tier(tier), self.number(tier, slot))
    }

    fn merged(&self) -> bool {
        self.index.merged()
    }

    fn counted(&self, tier: u32) -> bool {
        self.index.counted(Tier(tier))
    }

    fn best_payoff(&self) -> Payoff {
        self.game.best_payoff()
    }
}
