//! An index for any game, made by playing every move from the start.
//!
//! ```text
//! positions ──moves──▶ graph ──strongly connected components──▶ tiers
//! ```
//!
//! Positions that can return to each other share a tier that loops; a tier's number is the longest way to it
//! through the components, so moves lead to higher tiers or stay.

use crate::SolveError;
use outplay_core::{Game, Index, Tier, Turn, Watch};
use rustc_hash::FxHashMap;

/// All positions that play can reach, numbered.
pub struct Explored<G: Game> {
    positions: Vec<G::Position>,
    /// Where each position is: tier and number.
    places: FxHashMap<G::Position, (Tier, u32)>,
    /// The positions of each tier.
    tiers: Vec<Vec<u32>>,
    after: Vec<Vec<Tier>>,
    loops: Vec<bool>,
    chance: bool,
    moves: u64,
}

/// How often the watch is asked, in positions.
const POLL: usize = 1 << 12;

impl<G: Game> Explored<G> {
    /// Plays every move from `start`, giving up beyond `most` positions.
    ///
    /// # Errors
    ///
    /// Too many positions, a fault of the rules, or a stop.
    pub fn new(
        game: &G,
        start: &G::Position,
        most: u64,
        watch: &dyn Watch,
    ) -> Result<Explored<G>, SolveError> {
        let most = most.min(u64::from(u32::MAX) - 1);
        let mut ids: FxHashMap<G::Position, u32> = FxHashMap::default();
        let mut positions = vec![start.clone()];
        ids.insert(start.clone(), 0);
        // Successors of position i are edges[first[i]..first[i + 1]].
        let (mut edges, mut first) = (Vec::<u32>::new(), vec![0usize]);
        let mut moves = Vec::new();
        let mut chance = false;
        let mut i = 0;
        while i < positions.len() {
            if i % POLL == 0 {
                watch.advance(POLL as u64);
                if watch.stopped() {
                    return Err(SolveError::Stopped);
                }
                if let Some(why) = game.fault() {
                    return Err(SolveError::Fault(why));
                }
            }
            moves.clear();
            game.moves(&positions[i], &mut moves);
            chance |= game.turn(&positions[i]) == Turn::Chance;
            for &mv in &moves {
                let next = game.play(&positions[i], mv);
                let id = *ids.entry(next).or_insert_with_key(|next| {
                    positions.push(next.clone());
                    positions.len() as u32 - 1
                });
                edges.push(id);
            }
            if positions.len() as u64 > most {
                return Err(SolveError::TooLarge(most));
            }
            first.push(edges.len());
            i += 1;
        }
        let graph = Graph { edges: &edges, first: &first };
        let (tier_of, loops) = graph.tiers();
        let mut tiers: Vec<Vec<u32>> = vec![Vec::new(); loops.len()];
        let mut places = FxHashMap::default();
        for (pos, id) in ids {
            places.insert(pos, (Tier(tier_of[id as usize]), id));
        }
        let mut numbers = vec![0u32; positions.len()];
        for (id, &tier) in tier_of.iter().enumerate() {
            numbers[id] = tiers[tier as usize].len() as u32;
            tiers[tier as usize].push(id as u32);
        }
        for (_, id) in places.values_mut() {
            *id = numbers[*id as usize];
        }
        let mut after: Vec<Vec<Tier>> = vec![Vec::new(); loops.len()];
        for id in 0..positions.len() {
            let from = tier_of[id];
            for &next in graph.next(id) {
                let to = Tier(tier_of[next as usize]);
                if to.0 != from && !after[from as usize].contains(&to) {
                    after[from as usize].push(to);
                }
            }
        }
        for list in &mut after {
            list.sort_unstable();
        }
        Ok(Explored { positions, places, tiers, after, loops, chance, moves: edges.len() as u64 })
    }

    /// How many positions play can reach.
    pub fn positions(&self) -> &[G::Position] {
        &self.positions
    }

    /// How many moves these positions have in all.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Whether play can return to an earlier position.
    pub fn has_loops(&self) -> bool {
        self.loops.contains(&true)
    }

    /// Whether dice are rolled anywhere.
    pub fn has_chance(&self) -> bool {
        self.chance
    }
}

impl<G: Game> Index<G> for Explored<G> {
    fn tiers(&self) -> u32 {
        self.tiers.len() as u32
    }

    fn after(&self, tier: Tier) -> Vec<Tier> {
        self.after[tier.0 as usize].clone()
    }

    fn loops(&self, tier: Tier) -> bool {
        self.loops[tier.0 as usize]
    }

    fn len(&self, tier: Tier) -> u64 {
        self.tiers[tier.0 as usize].len() as u64
    }

    fn holds(&self, pos: &G::Position) -> bool {
        self.places.contains_key(pos)
    }

    fn find(&self, pos: &G::Position) -> Option<(Tier, u64)> {
        self.places.get(pos).map(|&(tier, number)| (tier, number.into()))
    }

    fn rank(&self, pos: &G::Position) -> (Tier, u64) {
        // Callers rank positions that play reaches, and all of those were explored.
        let (tier, number) = self.places[pos];
        (tier, u64::from(number))
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position> {
        let id = *self.tiers[tier.0 as usize].get(number as usize)?;
        Some(self.positions[id as usize].clone())
    }
}

struct Graph<'a> {
    edges: &'a [u32],
    first: &'a [usize],
}

impl Graph<'_> {
    fn next(&self, id: usize) -> &[u32] {
        &self.edges[self.first[id]..self.first[id + 1]]
    }

    /// The tier of every position and which tiers loop.
    fn tiers(&self) -> (Vec<u32>, Vec<bool>) {
        let (component, components) = self.components();
        // A component is numbered after all that it leads to: going down visits sources first.
        let mut members: Vec<Vec<u32>> = vec![Vec::new(); components];
        for (id, &c) in component.iter().enumerate() {
            members[c as usize].push(id as u32);
        }
        let mut layer = vec![0u32; components];
        let mut looping = vec![false; components];
        for c in (0..components).rev() {
            for &id in &members[c] {
                for &next in self.next(id as usize) {
                    let to = component[next as usize] as usize;
                    if to == c {
                        looping[c] = true;
                    } else {
                        layer[to] = layer[to].max(layer[c] + 1);
                    }
                }
            }
        }
        let tiers = layer.iter().max().map_or(0, |&last| last as usize + 1);
        let mut loops = vec![false; tiers];
        for c in (0..components).filter(|&c| looping[c]) {
            loops[layer[c] as usize] = true;
        }
        (component.iter().map(|&c| layer[c as usize]).collect(), loops)
    }

    /// Tarjan's strongly connected components, on a stack of its own; sinks are numbered first.
    fn components(&self) -> (Vec<u32>, usize) {
        const NEW: u32 = u32::MAX;
        let n = self.first.len() - 1;
        let mut order = vec![NEW; n];
        let mut low = vec![0u32; n];
        let mut component = vec![NEW; n];
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, usize)> = Vec::new();
        let (mut clock, mut components) = (0u32, 0usize);
        for root in 0..n as u32 {
            if order[root as usize] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (id, ref mut step)) = path.last_mut() {
                let v = id as usize;
                if *step == 0 {
                    order[v] = clock;
                    low[v] = clock;
                    clock += 1;
                    open.push(id);
                }
                let edges = self.next(v);
                if let Some(&next) = edges.get(*step) {
                    *step += 1;
                    let w = next as usize;
                    if order[w] == NEW {
                        path.push((next, 0));
                    } else if component[w] == NEW {
                        low[v] = low[v].min(order[w]);
                    }
                    continue;
                }
                path.pop();
                if let Some(&(parent, _)) = path.last() {
                    low[parent as usize] = low[parent as usize].min(low[v]);
                }
                if low[v] == order[v] {
                    while let Some(member) = open.pop() {
                        component[member as usize] = components as u32;
                        if member == id {
                            break;
                        }
                    }
                    components += 1;
                }
            }
        }
        (component, components)
    }
}
