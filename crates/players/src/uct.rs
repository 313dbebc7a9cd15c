//! Monte Carlo tree search: random games, guided by what earlier ones taught (UCT).
//!
//! ```text
//!   1 select   from the root down, the child with the best mean and a bonus for being little known
//!   2 expand   one position's moves
//!   3 play     a random game to its end
//!   4 learn    payoff and visits up to the root; wins, ties and losses that are proven, too
//! ```
//!
//! At a roll of the dice the way down follows chance. Kocsis and Szepesvári 2006; proven values as in Winands,
//! Björnsson and Saito 2008.

use crate::mcts::MctsLimits;
use crate::mind::Grove;
use crate::{Choice, PlayError};
use outplay_core::{AnyPosition, Counters, Game, Native, Payoff, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{Rng, RngExt, SeedableRng};
use std::time::Instant;

/// Plies after which a random game is given up as a tie.
const LONG: u32 = 1000;
/// Positions that the tree holds at most.
const MOST_NODES: usize = 2_000_000;
/// Random games between two looks at the clock and the watch.
const POLL: u64 = 8;

/// A position of the tree.
struct Node<M> {
    mv: M,
    visits: u32,
    /// What the first player got in all games through here.
    sum: f64,
    /// The first child and how many there are; `None` until it is expanded.
    children: Option<(u32, u32)>,
    /// The first player's payoff, if it is proven.
    proven: Option<Payoff>,
}

/// A tree of random games.
pub(crate) struct Uct<G: Game> {
    native: Native<G>,
    /// How much the little known is preferred.
    curiosity: f64,
    rng: SmallRng,
    nodes: Vec<Node<G::Move>>,
    moves: Vec<G::Move>,
    falls: Vec<(G::Move, f64)>,
}

impl<G: Game> Uct<G> {
    pub(crate) fn new(native: Native<G>, curiosity: f64) -> Uct<G> {
        Uct {
            native,
            curiosity,
            rng: SmallRng::seed_from_u64(0),
            nodes: Vec::new(),
            moves: Vec::new(),
            falls: Vec::new(),
        }
    }

    /// One random game through the tree.
    fn play_once(&mut self, root: &G::Position, path: &mut Vec<u32>) {
        path.clear();
        path.push(0);
        let mut pos = root.clone();
        let mut at = 0;
        while let Some(children) = self.nodes[at as usize].children {
            if self.nodes[at as usize].proven.is_some() {
                break;
            }
            at = self.descend(&pos, at, children);
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
            self.finish(pos)
        };
        for &node in path.iter() {
            let node = &mut self.nodes[node as usize];
            node.visits += 1;
            node.sum += payoff;
        }
        self.prove(root, path);
    }

    /// The child to go on with.
    fn descend(&mut self, pos: &G::Position, at: u32, (first, count): (u32, u32)) -> u32 {
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
                // A proven loss is visited only if there is nothing else.
                Some(payoff) => sign * f64::from(payoff) / best - 10.0,
                None if node.visits == 0 => 1e6 + self.rng.random::<f64>(),
                None => {
                    let visits = f64::from(node.visits);
                    sign * node.sum / visits / best + self.curiosity * (log / visits).sqrt()
                }
            };
            if rank > top {
                (chosen, top) = (child, rank);
            }
        }
        chosen
    }

    /// The place of a fall of the dice among the children.
    fn roll(&mut self, pos: &G::Position, count: u32) -> u32 {
        self.falls.clear();
        let Some(falls) = self.native.falls() else { return self.rng.random_range(0..count) };
        falls(&self.native.game, pos, &mut self.falls);
        let fallen = fall(&mut self.rng, &self.falls);
        (fallen as u32).min(count - 1)
    }

    fn expand(&mut self, pos: &G::Position, at: u32) {
        if self.nodes.len() >= MOST_NODES {
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

    /// The first player's payoff of a random game.
    fn finish(&mut self, mut pos: G::Position) -> f64 {
        for _ in 0..LONG {
            if let Some(payoff) = self.native.game.outcome(&pos) {
                return f64::from(payoff);
            }
            let mv = match self.native.falls().filter(|_| self.native.game.turn(&pos) == Turn::Chance) {
                Some(falls) => {
                    self.falls.clear();
                    falls(&self.native.game, &pos, &mut self.falls);
                    self.falls[fall(&mut self.rng, &self.falls)].0
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

    /// Carries what is proven at the end of a path towards the root.
    fn prove(&mut self, root: &G::Position, path: &[u32]) {
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
                // A roll is proven if all its falls come to the same.
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

/// The place of a random fall of the dice.
fn fall<M>(rng: &mut SmallRng, falls: &[(M, f64)]) -> usize {
    let mut left = rng.next_u64() as f64 / 2f64.powi(64);
    let fallen = falls.iter().position(|(_, probability)| {
        left -= probability;
        left < 0.0
    });
    // Probabilities that add up to a little less than one leave the last fall for the rest.
    fallen.unwrap_or(falls.len() - 1)
}

impl<G: Game> Grove for Uct<G> {
    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
        self.nodes.clear();
    }

    fn grow(
        &mut self,
        any: &AnyPosition,
        limits: MctsLimits,
        end: Option<Instant>,
        watch: &dyn Watch,
    ) -> Result<Choice, PlayError> {
        let native = self.native.clone();
        let pos = native.pos(any);
        let &anything = native.list(any).first().ok_or(PlayError::NoMove)?;
        let most = limits.nodes.map_or(MOST_NODES, |nodes| nodes as usize).min(MOST_NODES);
        self.nodes.clear();
        self.nodes.push(Node { mv: anything, visits: 0, sum: 0.0, children: None, proven: None });
        self.expand(pos, 0);
        let (mut played, mut path) = (0, Vec::new());
        while self.nodes[0].proven.is_none() && limits.playouts.is_none_or(|games| played < games) {
            if played % POLL == 0 {
                if watch.stopped() {
                    return Err(PlayError::Stopped);
                }
                let late = end.is_some_and(|end| Instant::now() >= end);
                // Without any other limit a full tree ends the search.
                let full = self.nodes.len() >= most && limits.playouts.is_none() && end.is_none();
                if late || full || (limits.nodes.is_some() && self.nodes.len() >= most) {
                    break;
                }
            }
            self.play_once(pos, &mut path);
            played += 1;
        }
        let turn = self.native.game.turn(pos);
        let sign = if turn == Turn::Second { -1.0 } else { 1.0 };
        // The most visited move, but proven ones count for what they are.
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
        let choice = Choice { opinion: Some(100.0 * sign * mean), line: vec![mv], ..Choice::plain(mv) };
        Ok(choice.after(Counters { nodes: played, ..Counters::default() }))
    }

    fn bytes(&self) -> usize {
        self.nodes.capacity() * size_of::<Node<G::Move>>()
    }
}
