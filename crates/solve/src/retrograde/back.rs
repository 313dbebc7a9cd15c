//! Predecessors of a position within a tier: computed by the index, or read from a stored reverse graph of all moves.

use super::tier::IN_TIER_LIMIT;
use crate::SolveError;
use crate::blocks::{BLOCK, for_blocks, list};
use crate::error::check_stop;
use outplay_core::index_laws::may_stay;
use outplay_core::{Game, Index, Link, Predecessors, Sets, Tier};
use outplay_runtime::{Monitor, Pace};
use std::sync::Mutex;

/// Marks a predecessor whose player moves again.
pub(super) const SAME_PLAYER: u64 = 1 << 63;

/// Forward and backward moves within one tier.
pub(super) trait Back<G: Game>: Sync {
    /// Counts the distinct successors within the tier and appends the exits.
    fn ahead(&self, pos: &G::Position, exits: &mut Vec<Link>) -> u32;
    /// Appends the predecessors, marked with [`SAME_PLAYER`] where the same player moves again.
    fn before(&self, number: u64, out: &mut Vec<u64>);
    /// The tier as bit sets, if the index provides them.
    fn sets(&self) -> Option<Box<dyn Sets + '_>> {
        None
    }
}

/// Checks that the predecessors are exactly the reversed moves within a tier. Skips a trusted index.
///
/// # Errors
///
/// A broken law, or cancellation.
pub(super) fn check<G: Game, I: Index<G>>(
    game: &G,
    index: &I,
    tier: Tier,
    back: &impl Back<G>,
    monitor: &dyn Monitor,
) -> Result<(), SolveError> {
    if index.trusted() {
        return Ok(());
    }
    let first: Mutex<Option<SolveError>> = Mutex::default();
    for_blocks(index.len(tier), monitor, |block| {
        let (mut links, mut others, mut before) = (Vec::new(), Vec::new(), Vec::new());
        index.walk(tier, block, &mut |number, pos| {
            let mut trouble = None;
            let mut broken = |what: &str, other: u64| {
                let there = index.unrank(tier, other);
                let sentence = format!("{pos:?} (number {number} of tier {}) {what} {there:?}", tier.0);
                trouble = Some(SolveError::Law(sentence));
            };
            let inner = distinct(game, index, tier, pos, &mut links);
            let mark = |number: u64, same: bool| if same { number | SAME_PLAYER } else { number };
            let mut exits = Vec::new();
            let count = back.ahead(pos, &mut exits) as usize;
            if (count, exits.len()) != (inner, links.len() - inner) {
                broken(
                    "has other moves by ahead() than by the rules; one leads to",
                    links.first().map_or(number, |link| link.number),
                );
            }
            for link in &links[..inner] {
                before.clear();
                back.before(link.number, &mut before);
                if !before.contains(&mark(number, link.same_player)) {
                    broken("is not among the predecessors, or with another player to move, of", link.number);
                }
            }
            before.clear();
            back.before(number, &mut before);
            for &from in &before {
                let (from, same) = (from & !SAME_PLAYER, from & SAME_PLAYER != 0);
                if from >= index.len(tier) {
                    broken("has a predecessor beyond the tier, not", number);
                    continue;
                }
                let Some(earlier) = index.unrank(tier, from) else { continue };
                let inner = distinct(game, index, tier, &earlier, &mut others);
                let leads = |link: &Link| link.number == number && link.same_player == same;
                if !others[..inner].iter().any(leads) {
                    broken("has a predecessor without a move to it:", from);
                }
            }
            // A poisoned lock means that another block panicked, and that panic is already propagating.
            if let (Some(trouble), Ok(mut first)) = (trouble, first.lock()) {
                first.get_or_insert(trouble);
            }
        });
    })?;
    match first.into_inner() {
        Ok(Some(error)) => Err(error),
        _ => Ok(()),
    }
}

/// Predecessors computed by the index.
pub(super) struct ByRule<'a, G, I> {
    pub(super) game: &'a G,
    pub(super) index: &'a I,
    pub(super) tier: Tier,
}

impl<G: Game, I: Predecessors<G>> Back<G> for ByRule<'_, G, I> {
    #[inline]
    fn ahead(&self, pos: &G::Position, exits: &mut Vec<Link>) -> u32 {
        self.index.successors_in_tier(self.game, self.tier, pos, exits)
    }

    #[inline]
    fn before(&self, number: u64, out: &mut Vec<u64>) {
        self.index.predecessors(self.tier, number, out);
    }

    fn sets(&self) -> Option<Box<dyn Sets + '_>> {
        self.index.sets(self.tier)
    }
}

/// Predecessors stored as a reverse graph, built by playing every move of the tier once: four bytes per move.
pub(super) struct ByGraph<'a, G, I> {
    game: &'a G,
    index: &'a I,
    tier: Tier,
    /// The predecessors of `n` are `edges[first[n]..first[n + 1]]`; the lowest bit marks the same player.
    first: Vec<u32>,
    edges: Vec<u32>,
}

/// Lists distinct links, those within the tier first, and returns the number of the latter.
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
    // Moves never lead to an earlier tier, so those that stay sort first.
    out.iter().take_while(|link| link.tier == tier).count()
}

impl<'a, G: Game, I: Index<G>> ByGraph<'a, G, I> {
    pub(super) fn new(
        game: &'a G,
        index: &'a I,
        tier: Tier,
        monitor: &dyn Monitor,
    ) -> Result<Self, SolveError> {
        let mut graph = ByGraph { game, index, tier, first: Vec::new(), edges: Vec::new() };
        if !may_stay(index, tier) {
            return Ok(graph);
        }
        let len = index.len(tier);
        let blocks: Vec<Mutex<Vec<(u32, u32)>>> =
            (0..len.div_ceil(BLOCK)).map(|_| Mutex::new(Vec::new())).collect();
        for_blocks(len, monitor, |block| {
            let place = (block.start / BLOCK) as usize;
            let (mut links, mut edges) = (Vec::new(), Vec::new());
            index.walk(tier, block, &mut |number, pos| {
                let inner = distinct(game, index, tier, pos, &mut links);
                for link in &links[..inner] {
                    edges.push((link.number as u32, (number as u32) << 1 | u32::from(link.same_player)));
                }
            });
            // A poisoned lock means that another block panicked, and that panic is already propagating.
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
        let mut pace = Pace::new(monitor);
        let mut first = list(len + 2, monitor, |_| 0u32)?;
        for &(to, _) in blocks.iter().flatten() {
            check_stop(pace.step())?;
            first[to as usize + 2] += 1;
        }
        for n in 2..first.len() {
            check_stop(pace.step())?;
            first[n] += first[n - 1];
        }
        graph.edges = list(total as u64, monitor, |_| 0)?;
        for (to, from) in blocks.into_iter().flatten() {
            check_stop(pace.step())?;
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
