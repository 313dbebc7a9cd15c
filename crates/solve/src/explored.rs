//! State-space enumeration: an index for any game, built by playing every move from the start.
//!
//! ```text
//! positions ──moves──▶ graph ──strongly connected components (Tarjan 1972)──▶ tiers
//! ```
//!
//! A position's tier is the length of the longest path to its component in the condensed graph, so moves lead to
//! higher tiers or stay within a component. A tier with a cyclic component is cyclic.

use crate::SolveError;
use crate::error::{check_fault, check_stop};
use crate::memo::heap_bytes;
use outplay_core::{Game, Index, Tier, Turn};
use outplay_runtime::{Monitor, NoMemory, Pace, ShardedMap, discard};

/// An index of all positions that are reachable from the start, built by exploring the game.
pub struct ExploredGame<G: Game> {
    positions: Vec<G::Position>,
    /// Id of each position: its index in `positions`.
    ids: ShardedMap<G::Position, u32>,
    /// Tier and number of each position.
    places: Vec<(Tier, u32)>,
    /// Ids of the positions of each tier.
    tiers: Vec<Vec<u32>>,
    after: Vec<Vec<Tier>>,
    loops: Vec<bool>,
    chance: bool,
    moves: u64,
    version: u32,
}

/// Positions between two checks for a fault of the rules and two progress reports.
const POLL: usize = 1 << 12;
/// Memory estimate: moves per position, and bytes per move in a list that grows by half its size.
const MOVES: u64 = 8;
const BYTES_PER_MOVE: u64 = 6;

/// The graph of all moves, while it is explored.
struct MoveGraph<G: Game> {
    positions: Vec<G::Position>,
    ids: ShardedMap<G::Position, u32>,
    /// Successors of position i are `edges[first[i]..first[i + 1]]`.
    edges: Vec<u32>,
    first: Vec<usize>,
    chance: bool,
}

impl<G: Game> ExploredGame<G> {
    /// Bytes that exploring takes per position: the position twice (in the list and in the hash map), its tier and
    /// number, the arrays of Tarjan's algorithm, and eight moves. `pos` is a sample for the heap memory that
    /// positions of the game own.
    pub fn bytes_per_position(game: &G, pos: &G::Position) -> u64 {
        let listed = size_of::<G::Position>() + size_of::<usize>() + size_of::<(Tier, u32)>();
        let searching = 6 * size_of::<u32>();
        let bytes = ShardedMap::<G::Position, u32>::ENTRY_BYTES
            + listed * 3 / 2
            + searching
            + 2 * heap_bytes(game, pos);
        bytes as u64 + MOVES * BYTES_PER_MOVE
    }

    /// Plays every move from `start` and fails beyond `most` positions; each takes
    /// [`ExploredGame::bytes_per_position`]. Moves beyond eight per position count against `most` as well, by the bytes
    /// they take.
    ///
    /// # Errors
    ///
    /// Too many positions, a fault of the rules, or cancellation.
    pub fn new(
        game: &G,
        start: &G::Position,
        most: u64,
        monitor: &dyn Monitor,
    ) -> Result<ExploredGame<G>, SolveError> {
        let mut found = MoveGraph {
            positions: vec![start.clone()],
            ids: ShardedMap::default(),
            edges: Vec::new(),
            first: vec![0],
            chance: false,
        };
        let numbered = found.explore(game, most, monitor).and_then(|()| {
            let graph = Graph { edges: &found.edges, first: &found.first, monitor };
            graph.numbered()
        });
        match numbered {
            Ok(TierAssignment { places, tiers, after, loops }) => {
                let MoveGraph { positions, ids, edges, chance, .. } = found;
                let moves = edges.len() as u64;
                let version = game.version();
                Ok(ExploredGame { positions, ids, places, tiers, after, loops, chance, moves, version })
            }
            Err(error) => {
                discard(found);
                Err(error)
            }
        }
    }

    /// All reachable positions.
    pub fn positions(&self) -> &[G::Position] {
        &self.positions
    }

    /// Number of moves of all these positions.
    pub fn moves(&self) -> u64 {
        self.moves
    }

    /// Whether play can return to an earlier position.
    pub fn has_loops(&self) -> bool {
        self.loops.contains(&true)
    }

    /// Whether the game has chance nodes.
    pub fn has_chance(&self) -> bool {
        self.chance
    }
}

impl<G: Game> Index<G> for ExploredGame<G> {
    fn trusted(&self) -> bool {
        true
    }

    fn tiers(&self) -> u32 {
        self.tiers.len() as u32
    }

    fn child_tiers(&self, tier: Tier) -> Vec<Tier> {
        self.after[tier.0 as usize].clone()
    }

    fn loops(&self, tier: Tier) -> bool {
        self.loops[tier.0 as usize]
    }

    fn len(&self, tier: Tier) -> u64 {
        self.tiers[tier.0 as usize].len() as u64
    }

    fn version(&self) -> u32 {
        self.version
    }

    fn holds(&self, pos: &G::Position) -> bool {
        self.ids.contains_key(pos)
    }

    fn find(&self, pos: &G::Position) -> Option<(Tier, u64)> {
        let (tier, number) = self.places[*self.ids.get(pos)? as usize];
        Some((tier, u64::from(number)))
    }

    fn rank(&self, pos: &G::Position) -> (Tier, u64) {
        // Callers rank reachable positions only, and all of those were explored.
        self.find(pos).expect("only positions that play reaches are ranked")
    }

    fn unrank(&self, tier: Tier, number: u64) -> Option<G::Position> {
        let id = *self.tiers[tier.0 as usize].get(number as usize)?;
        Some(self.positions[id as usize].clone())
    }
}

impl<G: Game> MoveGraph<G> {
    fn explore(&mut self, game: &G, most: u64, monitor: &dyn Monitor) -> Result<(), SolveError> {
        let most = most.min(u64::from(u32::MAX) - 1);
        let bytes = ExploredGame::bytes_per_position(game, &self.positions[0]);
        let full = |NoMemory| SolveError::NoMemory(bytes);
        self.ids.insert(self.positions[0].clone(), 0).map_err(full)?;
        let mut pace = Pace::new(monitor);
        let mut moves = Vec::new();
        let mut i = 0;
        while i < self.positions.len() {
            if i % POLL == 0 {
                monitor.advance(POLL as u64);
                check_fault(game)?;
            }
            let pos = self.positions[i].clone();
            moves.clear();
            game.moves(&pos, &mut moves);
            self.chance |= game.turn(&pos) == Turn::Chance;
            for &mv in &moves {
                check_stop(pace.step())?;
                let next = game.play(&pos, mv);
                let id = match self.ids.get(&next) {
                    Some(&id) => id,
                    None => {
                        let known = self.positions.len() as u64;
                        let further = (self.edges.len() as u64).saturating_sub(MOVES * known);
                        if known + further * BYTES_PER_MOVE / bytes >= most {
                            return Err(SolveError::TooLarge(most));
                        }
                        let id = known as u32;
                        self.ids.insert(next.clone(), id).map_err(full)?;
                        push(&mut self.positions, next)?;
                        id
                    }
                };
                push(&mut self.edges, id)?;
            }
            check_stop(pace.step())?;
            push(&mut self.first, self.edges.len())?;
            i += 1;
        }
        Ok(())
    }
}

/// Appends to a list, reporting allocation failure as an error instead of aborting.
#[inline]
fn push<T>(list: &mut Vec<T>, item: T) -> Result<(), SolveError> {
    if list.len() == list.capacity() {
        // A long list grows by half: doubling would exceed the memory estimate.
        let more = if list.len() < 1 << 16 { list.len().max(16) } else { list.len() / 2 };
        let bytes = (more * size_of::<T>()) as u64;
        list.try_reserve_exact(more).map_err(|_| SolveError::NoMemory(bytes))?;
    }
    list.push(item);
    Ok(())
}

/// The strongly connected components of a graph, numbered from 1 in reverse topological order, and their count.
pub(crate) fn components(
    edges: &[u32],
    first: &[usize],
    monitor: &dyn Monitor,
) -> Result<(Vec<u32>, usize), SolveError> {
    Graph { edges, first, monitor }.components()
}

/// A graph with its positions assigned to tiers.
struct TierAssignment {
    places: Vec<(Tier, u32)>,
    tiers: Vec<Vec<u32>>,
    after: Vec<Vec<Tier>>,
    loops: Vec<bool>,
}

struct Graph<'a> {
    edges: &'a [u32],
    first: &'a [usize],
    monitor: &'a dyn Monitor,
}

impl Graph<'_> {
    fn next(&self, id: usize) -> &[u32] {
        &self.edges[self.first[id]..self.first[id + 1]]
    }

    fn len(&self) -> usize {
        self.first.len() - 1
    }

    /// Assigns every position to its tier.
    fn numbered(&self) -> Result<TierAssignment, SolveError> {
        let (tier_of, loops) = self.tiers()?;
        let mut pace = Pace::new(self.monitor);
        let mut tiers: Vec<Vec<u32>> = vec![Vec::new(); loops.len()];
        let mut after: Vec<Vec<Tier>> = vec![Vec::new(); loops.len()];
        let mut places = Vec::new();
        for (id, &tier) in tier_of.iter().enumerate() {
            check_stop(pace.steps(1 + self.next(id).len()))?;
            let (list, after) = (&mut tiers[tier as usize], &mut after[tier as usize]);
            push(&mut places, (Tier(tier), list.len() as u32))?;
            push(list, id as u32)?;
            for &next in self.next(id) {
                let to = Tier(tier_of[next as usize]);
                // The list is sorted, so that lookups in a long one are fast.
                if to.0 != tier
                    && let Err(place) = after.binary_search(&to)
                {
                    after.insert(place, to);
                }
            }
        }
        Ok(TierAssignment { places, tiers, after, loops })
    }

    /// Computes the tier of every position and which tiers are cyclic.
    fn tiers(&self) -> Result<(Vec<u32>, Vec<bool>), SolveError> {
        let (mut component, components) = self.components()?;
        let mut pace = Pace::new(self.monitor);
        // Components are numbered in reverse topological order, so descending numbers visit sources first. The
        // members of component c are members[ends[c - 1]..ends[c]].
        let mut ends = vec![0u32; components + 1];
        for &c in &component {
            check_stop(pace.step())?;
            ends[c as usize] += 1;
        }
        for c in 1..=components {
            check_stop(pace.step())?;
            ends[c] += ends[c - 1];
        }
        let mut members = vec![0u32; component.len()];
        let mut place = ends.clone();
        for (id, &c) in component.iter().enumerate() {
            check_stop(pace.step())?;
            // Counting sort from the end of each bucket backwards: afterwards `place` holds the beginnings.
            place[c as usize] -= 1;
            members[place[c as usize] as usize] = id as u32;
        }
        drop(place);
        let mut layer = vec![0u32; components + 1];
        let mut looping = vec![false; components + 1];
        for c in (1..=components).rev() {
            for &id in &members[ends[c - 1] as usize..ends[c] as usize] {
                let next = self.next(id as usize);
                check_stop(pace.steps(1 + next.len()))?;
                for &next in next {
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
        for c in (1..=components).filter(|&c| looping[c]) {
            loops[layer[c] as usize] = true;
        }
        for c in &mut component {
            check_stop(pace.step())?;
            *c = layer[*c as usize];
        }
        Ok((component, loops))
    }

    /// Tarjan's algorithm with an explicit stack; components are numbered from 1, sinks first.
    fn components(&self) -> Result<(Vec<u32>, usize), SolveError> {
        // Zeroed memory is allocated lazily, so unused parts of these lists cost nothing.
        const NEW: u32 = 0;
        let n = self.len();
        let mut order = vec![NEW; n];
        let mut low = vec![0u32; n];
        let mut component = vec![NEW; n];
        let mut open: Vec<u32> = Vec::new();
        let mut path: Vec<(u32, usize)> = Vec::new();
        let mut pace = Pace::new(self.monitor);
        let (mut clock, mut components) = (1u32, 0usize);
        for root in 0..n as u32 {
            if order[root as usize] != NEW {
                continue;
            }
            path.push((root, 0));
            while let Some(&mut (id, ref mut step)) = path.last_mut() {
                check_stop(pace.step())?;
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
                    components += 1;
                    while let Some(member) = open.pop() {
                        component[member as usize] = components as u32;
                        if member == id {
                            break;
                        }
                        check_stop(pace.step())?;
                    }
                }
            }
        }
        Ok((component, components))
    }
}
