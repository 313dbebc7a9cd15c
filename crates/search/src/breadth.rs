//! Breadth-first minimax with transposition merging, for comparison.
//!
//! ```text
//!  level 0   root            equal positions of a level are merged, so a position is expanded
//!  level 1   a  b  c         once per level, however many paths lead to it. In exchange,
//!  level 2   d  e  f  g      whole levels are kept in memory.
//! ```
//!
//! All levels are expanded first, then values are backed up from the last level to the root. Pruning is
//! impossible, since no value is known before the last level is complete.
//!
//! Invariant: a level's edges point into the next level only.

use crate::clock::{Clock, NodeBudget, StopReason};
use crate::report::{SearchResult, SearchValue, settled};
use crate::score::{HIGH, INFINITE, LOW, MOST_EVALUATION, MOST_PAYOFF, Scale, SearchScore};
use crate::{Counters, Evaluate, Limit, SearchError, SearchLimits};
use outplay_core::{Game, Turn};
use outplay_runtime::{Monitor, ShardedMap, discard};
use std::time::Instant;

/// Result of a breadth-first minimax search, with the size of every level.
#[derive(Clone, PartialEq, Debug)]
pub struct Breadth<M> {
    /// The report. Nodes are counted as a depth-first minimax would count them; `distinct_keys` is the number
    /// of positions kept.
    pub report: SearchResult<M>,
    /// Distinct positions on each level, starting at the root.
    pub levels: Vec<usize>,
}

/// The positions at one distance from the root.
struct PlyLevel<G: Game> {
    positions: Vec<G::Position>,
    /// Number of paths to each position, saturating: the node count of a depth-first search.
    ways: Vec<u64>,
    /// The moves of all positions in one array, with the index of the successor in the next level.
    edges: Vec<(G::Move, u32)>,
    /// End of each position's edges.
    ends: Vec<usize>,
}

impl<G: Game> PlyLevel<G> {
    fn edges(&self, i: usize) -> &[(G::Move, u32)] {
        let begin = if i == 0 { 0 } else { self.ends[i - 1] };
        &self.edges[begin..self.ends[i]]
    }
}

/// Computes the minimax value to `depth` plies, keeping at most `most` positions.
///
/// # Errors
///
/// Games with chance, payoffs that are too large, more than `most` positions, or a fault of the rules. A stop
/// by the monitor yields a report without a value.
pub fn breadth_first<G: Game, E: Evaluate<G>>(
    game: &G,
    pos: &G::Position,
    evaluate: &E,
    depth: u32,
    most: usize,
    monitor: &dyn Monitor,
) -> Result<Breadth<G::Move>, SearchError> {
    let begin = Instant::now();
    let best = game.best_payoff();
    if !(0..=MOST_PAYOFF).contains(&best) {
        return Err(SearchError::Payoff(best));
    }
    let fault = || game.fault();
    let budget = NodeBudget::new(&SearchLimits::NONE, monitor, &fault);
    let mut clock = Clock::new(&budget);
    let mut counts = Counters::default();
    let levels = grow(game, pos, depth, most, &mut clock)?;
    if let Some(StopReason::Error(error)) = budget.why() {
        return Err(error);
    }
    let sizes: Vec<usize> = levels.iter().map(|level| level.positions.len()).collect();
    counts.distinct_keys = sizes.iter().sum::<usize>() as u64;
    for level in &levels {
        for i in 0..level.positions.len() {
            let ways = level.ways[i];
            counts.nodes = counts.nodes.saturating_add(ways);
            let kind = if level.edges(i).is_empty() {
                &mut counts.static_evaluations
            } else {
                &mut counts.dynamic_evaluations
            };
            *kind = kind.saturating_add(ways);
        }
    }
    let backed_up = if clock.stopped { None } else { back_up(game, evaluate, &levels, &mut clock) };
    discard(levels);
    let (found, line) = match backed_up {
        None => (None, Vec::new()),
        Some((found, line)) => (Some(settled(found, depth, best, true)), line),
    };
    let depth = if clock.stopped { 0 } else { depth };
    let answer = SearchValue::new(found, depth, best, true);
    let limit = match (answer.exact(), clock.stopped) {
        (Some(_), _) => None,
        (None, true) => Some(Limit::Monitor),
        (None, false) => Some(Limit::Depth),
    };
    let seconds = begin.elapsed().as_secs_f64();
    let report = SearchResult { answer, best: line.first().copied(), line, depth, limit, counts, seconds };
    Ok(Breadth { report, levels: sizes })
}

/// Expands all levels down to the depth or to the end of the game; returns early if the clock stops the search.
fn grow<G: Game>(
    game: &G,
    pos: &G::Position,
    depth: u32,
    most: usize,
    clock: &mut Clock<'_>,
) -> Result<Vec<PlyLevel<G>>, SearchError> {
    let mut levels: Vec<PlyLevel<G>> = Vec::new();
    let mut kept = 1;
    let mut open = (vec![pos.clone()], vec![1u64]);
    let mut moves = Vec::new();
    for ply in 0..=depth {
        let (positions, ways) = std::mem::take(&mut open);
        let mut level = PlyLevel { positions, ways, edges: Vec::new(), ends: Vec::new() };
        let mut numbers: ShardedMap<G::Position, u32> = ShardedMap::default();
        for (pos, &ways) in level.positions.iter().zip(&level.ways) {
            if clock.must_stop() {
                return Ok(levels);
            }
            if game.turn(pos) == Turn::Chance && game.outcome(pos).is_none() {
                return Err(SearchError::Chance);
            }
            moves.clear();
            if ply < depth {
                game.moves(pos, &mut moves);
            }
            for &mv in &moves {
                if clock.must_pause() {
                    discard((open, numbers, level));
                    return Ok(levels);
                }
                let next = game.play(pos, mv);
                let new = numbers.len() as u32;
                let number = numbers.get(&next).copied().unwrap_or(new);
                if number == new {
                    kept += 1;
                    if kept > most || new == u32::MAX || numbers.insert(next.clone(), new).is_err() {
                        return Err(SearchError::TooLarge(most));
                    }
                    open.0.push(next);
                    open.1.push(0);
                }
                let reached = &mut open.1[number as usize];
                *reached = reached.saturating_add(ways);
                level.edges.push((mv, number));
            }
            level.ends.push(level.edges.len());
        }
        levels.push(level);
        if open.0.is_empty() {
            break;
        }
    }
    Ok(levels)
}

/// Backs up values from the last level to the root, for the player to move there, and extracts the principal
/// variation; `None` if stopped.
fn back_up<G: Game, E: Evaluate<G>>(
    game: &G,
    evaluate: &E,
    levels: &[PlyLevel<G>],
    clock: &mut Clock<'_>,
) -> Option<(SearchScore, Vec<G::Move>)> {
    let scale = Scale::new(true, None);
    // Scores are the first player's. The best edges are kept for the principal variation.
    let mut below: Vec<SearchScore> = Vec::new();
    let mut choices: Vec<Vec<usize>> = Vec::new();
    for (ply, level) in levels.iter().enumerate().rev() {
        let mut here = Vec::with_capacity(level.positions.len());
        let mut chosen = vec![0; level.positions.len()];
        for (i, pos) in level.positions.iter().enumerate() {
            if clock.must_pause() {
                return None;
            }
            let max = game.turn(pos) != Turn::Second;
            let found = match game.outcome(pos) {
                Some(payoff) => scale.finished(payoff, ply as u32),
                None if level.edges(i).is_empty() => {
                    let score = evaluate.score(game, pos).clamp(-MOST_EVALUATION, MOST_EVALUATION);
                    SearchScore::opinion(if max { score } else { -score })
                }
                None => {
                    let (reached, unbeaten) = if max { (LOW, HIGH) } else { (HIGH, LOW) };
                    let mut best = SearchScore { score: if max { -INFINITE } else { INFINITE }, proof: 0 };
                    let mut all = unbeaten;
                    for (at, &(_, number)) in level.edges(i).iter().enumerate() {
                        let found = below[number as usize];
                        all &= found.proof;
                        let better = if max { found.score > best.score } else { found.score < best.score };
                        if better {
                            best = SearchScore { score: found.score, proof: found.proof & reached };
                            chosen[i] = at;
                        } else if found.score == best.score && found.proof & reached & !best.proof != 0 {
                            // Equal score, but proven.
                            best.proof |= reached;
                            chosen[i] = at;
                        }
                    }
                    SearchScore { score: best.score, proof: best.proof | all }
                }
            };
            here.push(found);
        }
        below = here;
        choices.push(chosen);
    }
    choices.reverse();
    let mut line = Vec::new();
    let mut number = 0;
    for (level, chosen) in levels.iter().zip(&choices) {
        let Some(&(mv, next)) = level.edges(number).get(chosen[number]) else { break };
        line.push(mv);
        number = next as usize;
    }
    let root = &levels[0].positions[0];
    Some((below[0].seen(game.turn(root) != Turn::Second), line))
}
