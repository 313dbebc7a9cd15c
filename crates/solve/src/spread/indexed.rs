//! The positions of an index, dealt in blocks of numbers.
//!
//! ```text
//!  numbers   0 … 1023 │ 1024 … 2047 │ 2048 … 3071 │ 3072 …
//!  ranks         0    │      1      │      2      │    0
//! ```

use super::{Site, Spot};
use crate::SolveError;
use outplay_core::{Game, Index, Link, Payoff, Tier, Turn};

/// Numbers that follow each other on a rank.
const BLOCK: u64 = 1 << 10;

/// A rank's blocks of an index.
pub struct Blocks<'a, G, I> {
    game: &'a G,
    index: &'a I,
    rank: u64,
    ranks: u64,
}

impl<'a, G: Game, I: Index<G>> Blocks<'a, G, I> {
    /// The share of one of so many ranks.
    ///
    /// # Errors
    ///
    /// More numbers, tiers or ranks than spots can name.
    pub fn new(game: &'a G, index: &'a I, rank: usize, ranks: usize) -> Result<Self, SolveError> {
        let blocks = Blocks { game, index, rank: rank as u64, ranks: ranks as u64 };
        let most = u64::from(u32::MAX) * blocks.ranks / 2;
        let large = (0..index.tiers()).any(|t| index.len(Tier(t)) > most);
        if large || ranks >= Spot::RANKS || index.tiers() as usize >= Spot::TIERS {
            return Err(SolveError::TooLarge(most));
        }
        Ok(blocks)
    }

    /// Where a number is.
    pub fn spot(&self, tier: u32, number: u64, same_player: bool) -> Spot {
        let block = number / BLOCK;
        let slot = block / self.ranks * BLOCK + number % BLOCK;
        Spot::new((block % self.ranks) as usize, tier, slot as u32, same_player)
    }
}

impl<G: Game, I: Index<G>> Site for Blocks<'_, G, I> {
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
        let (turn, outcome) = (self.game.turn(&pos), self.game.outcome(&pos));
        if outcome.is_none() {
            let mut detours = Vec::new();
            self.index.detours(self.game, Tier(tier), &pos, &mut detours);
            if !detours.is_empty() {
                return Err(SolveError::Detours);
            }
            let mut links: Vec<Link> = Vec::new();
            self.index.links(self.game, &pos, &mut links);
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
