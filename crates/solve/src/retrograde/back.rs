//! Where positions come from: asked of the index, or from a graph of all moves stored backwards.

use super::tier::IN_TIER_LIMIT;
use crate::SolveError;
use crate::blocks::{BLOCK, for_blocks, list};
use outplay_core::{Game, Index, Link, Pace, Predecessors, Sets, Tier, Watch};
use std::sync::Mutex;

/// Marks a predecessor whose player moves again.
pub(super) const SAME_PLAYER: u64 = 1 << 63;

/// Steps forwards and backwards within one tier.
pub(super) trait Back<G: Game>: Sync {
    /// Counts the distinct positions of the tier that moves lead to and appends the other moves.
    fn ahead(&self, pos: &G::Position, exits: &mut Vec<Link>) -> u32;
    /// Appends the predecessors, marked with [`SAME_PLAYER`] where that holds.
    fn before(&self, number: u64, out: &mut Vec<u64>);
    /// The tier as sets, where the index has them.
    fn sets(&self) -> Option<Box<dyn Sets + '_>> {
        None
    }
}

/// The index knows.
pub(super) struct ByRule<'a, G, I> {
    pub(super) game: &'a G,
    pub(super) index: &'a I,
    pub(super) tier: Tier,
}

impl<G: Game, I: Predecessors<G>> Back<G> for ByRule<'_, G, I> {
    #[inline]
    fn ahead(&self, pos: &G::Position, exits: &mut Vec<Link>) -> u32 {
        self.index.ahead(self.game, self.tier, pos, exits)
    }

    #[inline]
    fn before(&self, number: u64, out: &mut Vec<u64>) {
        self.index.before(self.tier, number, out);
    }

    fn sets(&self) -> Option<Box<dyn Sets + '_>> {
        self.index.sets(self.tier)
    }
}

/// Every move of the tier was played once, and the graph is kept backwards: four bytes a move.
pub(super) struct ByGraph<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    /// The predecessors of `n` are `edges[first[n]..first[n + 1]]`, the lowest bit telling the same player.
    first: Vec<u32>,
    edges: Vec<u32>,
}

/// Distinct links, those that stay in the tier first.
fn distinct<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    pos: &G::Position,
    out: &mut Vec<Link>,
) -> usize {
    out.clear();
    index.links(game, pos, out);
    out.sort_unstable();
    out.dedup();
    // Moves never lead to an earlier tier, so those that stay are the first ones.
    out.iter().take_while(|link| link.tier == tier).count()
}

impl<'a, G: Game, I: Index<G>> ByGraph<'a, G, I> {
    pub(super) fn new(game: &'a G, index: &'a I, tier: Tier, watch: &dyn Watch) -> Result<Self, SolveError> {
        let mut graph = ByGraph { game, index, tier, first: Vec::new(), edges: Vec::new() };
        if !index.loops(tier) {
            return Ok(graph);
        }
        let len = index.len(tier);
        let blocks: Vec<Mutex<Vec<(u32, u32)>>> =
            (0..len.div_ceil(BLOCK)).map(|_| Mutex::new(Vec::new())).collect();
        for_blocks(len, watch, |block| {
            let place = (block.start / BLOCK) as usize;
            let (mut links, mut edges) = (Vec::new(), Vec::new());
            index.walk(tier, block, &mut |number, pos| {
                let inner = distinct(game, index, tier, pos, &mut links);
                for link in &links[..inner] {
                    edges.push((link.number as u32, (number as u32) << 1 | u32::from(link.same_player)));
                }
            });
            // A poisoned lock means that another block panicked, and that panic is on its way up.
            if let Ok(mut slot) = blocks[place].lock() {
                slot.append(&mut edges);
            }
        })?;
        let blocks: Vec<Vec<(u32, u32)>> =
            blocks.into_iter().map(|block| block.into_inner().unwrap_or_default()).collect();
        let total: usize = blocks.iter().map(Vec::len).sum();
        if total as u64 >= IN_TIER_LIMIT {
            return Err(SolveError::TooLarge(IN_TIER_LIMIT));
        }
        let mut pace = Pace::new(watch);
        let mut first = list(len + 2, watch, |_| 0u32)?;
        for &(to, _) in blocks.iter().flatten() {
            if pace.step() {
                return Err(SolveError::Stopped);
            }
            first[to as usize + 2] += 1;
        }
        for n in 2..first.len() {
            if pace.step() {
                return Err(SolveError::Stopped);
            }
            first[n] += first[n - 1];
        }
        graph.edges = list(total as u64, watch, |_| 0)?;
        for (to, from) in blocks.into_iter().flatten() {
            if pace.step() {
                return Err(SolveError::Stopped);
            }
            let place = &mut first[to as usize + 1];
            graph.edges[*place as usize] = from;
            *place += 1;
        }
        first.pop();
        graph.first = first;
        Ok(graph)
    }
}

impl<G: Game, I: Index<G>> Back<G> for ByGraph<'_, G, I> {
    fn ahead(&self, pos: &G::Position, exits: &mut Vec<Link>) -> u32 {
        let mut links = Vec::new();
        let inner = distinct(self.game, self.index, self.tier, pos, &mut links);
        exits.extend_from_slice(&links[inner..]);
        inner as u32
    }

    fn before(&self, number: u64, out: &mut Vec<u64>) {
        if self.first.is_empty() {
            return;
        }
        let n = number as usize;
        let edges = &self.edges[self.first[n] as usize..self.first[n + 1] as usize];
        out.extend(
            edges.iter().map(|&from| u64::from(from >> 1) | if from & 1 == 1 { SAME_PLAYER } else { 0 }),
        );
    }
}
