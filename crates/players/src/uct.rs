//! Monte Carlo tree search: UCT (Kocsis and Szepesvári 2006) with proven values (MCTS-Solver, Winands, Björnsson and
//! Saito 2008).
//!
//! ```text
//!   1 selection         from the root down, the child with the greatest upper confidence bound (UCB1)
//!   2 expansion         all moves of the leaf become children
//!   3 playout           uniformly random moves to the end of the game
//!   4 backpropagation   payoffs and visits up to the root, and proven wins, draws and losses
//! ```
//!
//! At chance nodes, selection samples an outcome of the dice. Unlike MCTS-Solver, this search also proves draws; a
//! chance node is proven if all its outcomes have the same payoff. Each move starts a new tree.

use crate::mcts::MctsLimits;
use crate::searcher::MctsTree;
use crate::{Choice, PlayError};
use outplay_core::{AnyPosition, Counters, Game, Native, Payoff, Turn};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::time::Instant;

/// Plies after which a playout is scored as a draw.
const MAX_PLAYOUT_PLIES: u32 = 1000;
/// Maximal number of nodes in the tree.
const MAX_NODES: usize = 2_000_000;
/// Playouts between two polls of the clock and the monitor.
const POLL: u64 = 8;
/// Playouts before the time limit applies, so that each move of most games is tried a few times.
const MIN_PLAYOUTS: u64 = 64;

/// A node of the tree.
struct Node<M> {
    mv: M,
    visits: u32,
    /// Sum of the first player's payoffs over all playouts through this node.
    sum: f64,
    /// Index of the first child and number of children; `None` until the node is expanded.
    children: Option<(u32, u32)>,
    /// The first player's payoff, if proven.
    proven: Option<Payoff>,
}

/// A UCT search of one game.
pub(crate) struct Uct<G: Game> {
    native: Native<G>,
    /// The exploration constant C of UCB1.
    exploration: f64,
    rng: SmallRng,
    nodes: Vec<Node<G::Move>>,
    moves: Vec<G::Move>,
    falls: Vec<(G::Move, f64)>,
}

impl<G: Game> Uct<G> {
    pub(crate) fn new(native: Native<G>, exploration: f64) -> Uct<G> {
        Uct {
            native,
            exploration,
            rng: SmallRng::seed_from_u64(0),
            nodes: Vec::new(),
            moves: Vec::new(),
            falls: Vec::new(),
        }
    }

    /// Runs one iteration: selection, expansion, playout and backpropagation.
    fn iterate(&mut self, root: &G::Position, path: &mut Vec<u32>) {
        path.clear();
        path.push(0);
        let mut pos = root.clone();
        let mut at = 0;
        while let Some(children) = self.nodes[at as usize].children {
            if self.nodes[at as usize].proven.is_some() {
                break;
            }
            at = self.select(&pos, at, children);
            pos = self.native.game.play(&pos, self.nodes[at as usize].mv);
            path.push(at);
        }
        let payoff = if let Some(payoff) = self.nodes[at as usize].proven {
            f64::from(payoff)
        } else if let Some(payoff) = self.native.game.outcome(&pos) {
            self.nodes[at as usize].proven = Some(payoff);
            f64::from(payoff)
        } else {
            self.expand(&pos, at);
            self.playout(pos)
        };
        for &node in path.iter() {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += payoff;
        }
        self.backpropagate_proof(root, path);
    }

    /// Selects a child: by UCB1, or at a chance node by its probability.
    fn select(&mut self, pos: &G::Position, at: u32, (first, count): (u32, u32)) -> u32 {
        let turn = self.native.game.turn(pos);
        if turn == Turn::Chance {
            return first + self.roll(pos, count);
        }
        let parent = &self.nodes[at as usize];
        let log = f64::from(parent.visits.max(1)).ln();
        let best = f64::from(self.native.game.best_payoff().max(1));
        let (mut chosen, mut top) = (first, f64::NEG_INFINITY);
        for child in first..first + count {
            let node = &self.nodes[child as usize];
            let sign = if turn == Turn::Second { -1.0 } else { 1.0 };
            let rank = match node.proven {
                // A proven node is selected only if all its siblings are proven, too.
                Some(payoff) => sign * f64::from(payoff) / best - 10.0,
                None if node.visits == 0 => 1e6 + self.rng.random::<f64>(),
                None => {
                    let visits = f64::from(node.visits);
                    sign * node.sum / visits / best + self.exploration * (log / visits).sqrt()
                }
            };
            if rank > top {
                (chosen, top) = (child, rank);
            }
        }
        chosen
    }

    /// Samples an outcome of the dice and returns its index among the children.
    fn roll(&mut self, pos: &G::Position, count: u32) -> u32 {
        self.falls.clear();
        let Some(falls) = self.native.falls() else { return self.rng.random_range(0..count) };
        falls(&self.native.game, pos, &mut self.falls);
        let fallen = sample(&mut self.rng, &self.falls);
        (fallen as u32).min(count - 1)
    }

    fn expand(&mut self, pos: &G::Position, at: u32) {
        if self.nodes.len() >= MAX_NODES {
            return;
        }
        self.moves.clear();
        match self.native.falls().filter(|_| self.native.game.turn(pos) == Turn::Chance) {
            Some(falls) => {
                self.falls.clear();
                falls(&self.native.game, pos, &mut self.falls);
                self.moves.extend(self.falls.iter().map(|(mv, _)| *mv));
            }
            None => self.native.game.moves(pos, &mut self.moves),
        }
        let first = self.nodes.len() as u32;
        self.nodes[at as usize].children = Some((first, self.moves.len() as u32));
        let fresh = |&mv: &G::Move| Node { mv, visits: 0, sum: 0.0, children: None, proven: None };
        self.nodes.extend(self.moves.iter().map(fresh));
    }

    /// Plays a random game and returns the first player's payoff.
    fn playout(&mut self, mut pos: G::Position) -> f64 {
        for _ in 0..MAX_PLAYOUT_PLIES {
            if let Some(payoff) = self.native.game.outcome(&pos) {
                return f64::from(payoff);
            }
            let mv = match self.native.falls().filter(|_| self.native.game.turn(&pos) == Turn::Chance) {
                Some(falls) => {
                    self.falls.clear();
                    falls(&self.native.game, &pos, &mut self.falls);
                    self.falls[sample(&mut self.rng, &self.falls)].0
                }
                None => {
                    self.moves.clear();
                    self.native.game.moves(&pos, &mut self.moves);
                    self.moves[self.rng.random_range(0..self.moves.len())]
                }
            };
            pos = self.native.game.play(&pos, mv);
        }
        0.0
    }

    /// Backpropagates a proven payoff from the end of a path towards the root.
    fn backpropagate_proof(&mut self, root: &G::Position, path: &[u32]) {
        let best = self.native.game.best_payoff();
        for depth in (0..path.len() - 1).rev() {
            if self.nodes[path[depth + 1] as usize].proven.is_none() {
                return;
            }
            let Some((first, count)) = self.nodes[path[depth] as usize].children else { return };
            let mut pos = root.clone();
            for &node in &path[1..=depth] {
                pos = self.native.game.play(&pos, self.nodes[node as usize].mv);
            }
            let turn = self.native.game.turn(&pos);
            let payoffs = (first..first + count).map(|child| self.nodes[child as usize].proven);
            let proven = match turn {
                // A chance node is proven if all its outcomes have the same payoff.
                Turn::Chance => {
                    let mut all = payoffs;
                    let one = all.next().flatten();
                    one.filter(|_| all.all(|payoff| payoff == one))
                }
                player => {
                    let seen: Option<Vec<Payoff>> =
                        payoffs.clone().map(|payoff| payoff.map(|p| player.sees(p))).collect();
                    let won = payoffs.flatten().any(|payoff| player.sees(payoff) == best);
                    let top = if won { Some(best) } else { seen.and_then(|seen| seen.into_iter().max()) };
                    top.map(|payoff| player.sees(payoff))
                }
            };
            if proven.is_none() {
                return;
            }
            self.nodes[path[depth] as usize].proven = proven;
        }
    }
}

/// Samples an index by its probability.
fn sample<M>(rng: &mut SmallRng, falls: &[(M, f64)]) -> usize {
    let mut left = rng.next_u64() as f64 / 2f64.powi(64);
    let fallen = falls.iter().position(|(_, probability)| {
        left -= probability;
        left < 0.0
    });
    // Rounded probabilities may add up to slightly less than 1; the last outcome takes the rest.
    fallen.unwrap_or(falls.len() - 1)
}

impl<G: Game> MctsTree for Uct<G> {
    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
        self.nodes.clear();
    }

    fn grow(
        &mut self,
        any: &AnyPosition,
        limits: MctsLimits,
        end: Option<Instant>,
        monitor: &dyn Monitor,
    ) -> Result<Choice, PlayError> {
        let native = self.native.clone();
        let pos = native.pos(any);
        let &anything = native.list(any).first().ok_or(PlayError::NoMove)?;
        let most = limits.nodes.map_or(MAX_NODES, |nodes| nodes as usize).min(MAX_NODES);
        self.nodes.clear();
        self.nodes.push(Node { mv: anything, visits: 0, sum: 0.0, children: None, proven: None });
        self.expand(pos, 0);
        let (mut played, mut path, mut stopped) = (0, Vec::new(), false);
        while self.nodes[0].proven.is_none() && limits.playouts.is_none_or(|games| played < games) {
            if played % POLL == 0 {
                stopped = monitor.poll();
                if stopped {
                    break;
                }
                let late = played >= MIN_PLAYOUTS && end.is_some_and(|end| Instant::now() >= end);
                // Without another limit, a full tree ends the search.
                let full = self.nodes.len() >= most && limits.playouts.is_none() && end.is_none();
                if late || full || (limits.nodes.is_some() && self.nodes.len() >= most) {
                    break;
                }
            }
            self.iterate(pos, &mut path);
            played += 1;
        }
        if stopped && played == 0 {
            return Err(PlayError::Stopped);
        }
        let turn = self.native.game.turn(pos);
        let sign = if turn == Turn::Second { -1.0 } else { 1.0 };
        // The most visited move, except that a proven win comes first and a proven loss last.
        let rank = |node: &Node<G::Move>| match node.proven.map(|payoff| turn.sees(payoff)) {
            Some(1..) => f64::INFINITY,
            Some(0) => f64::from(node.visits).min(0.5 * played as f64),
            Some(_) => -1.0,
            None => f64::from(node.visits),
        };
        let (first, count) = self.nodes[0].children.unwrap_or((0, 1));
        let mut chosen = first as usize;
        for child in first as usize..(first + count) as usize {
            if rank(&self.nodes[child]) > rank(&self.nodes[chosen]) {
                chosen = child;
            }
        }
        let node = &self.nodes[chosen];
        let mean = match node.proven {
            Some(payoff) => f64::from(payoff),
            None => node.sum / f64::from(node.visits.max(1)),
        };
        let mv = native.any_move(any, node.mv).ok_or(PlayError::NoMove)?;
        let opinion = Some(100.0 * sign * mean);
        let choice = Choice { opinion, line: vec![mv], stopped, ..Choice::plain(mv) };
        Ok(choice.after(Counters { nodes: played, ..Counters::default() }))
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<G::Move>>()
    }
}
