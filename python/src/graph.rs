//! Game graph in compressed sparse row (CSR) form: all positions with their moves, solvable without the interpreter.
//!
//! ```text
//!  first   0  2  5  5 …          moves of position i are edges[first[i]..first[i + 1]]
//!  edges   1  2  3  3  4 …       target of each move
//!  odds    0  0 .5 .3 .2 …       probability of each move at chance nodes; empty in a game without chance
//! ```
//!
//! Invariant: position 0 is the start, a position has moves if and only if it has no payoff, and the odds at a chance
//! node sum to one.

use outplay_core::{Payoff, Turn};
use xxhash_rust::xxh3::Xxh3;

/// Largest payoff of a game without chance, whose values are stored in tables.
const MOST_STORED: u32 = 1 << 14;
/// Largest payoff of a game with chance, so that sums and differences of payoffs cannot overflow.
const MOST_AVERAGED: u32 = 1 << 20;

/// The largest payoff of a game with or without chance.
pub(crate) fn most_paid(dice: bool) -> u32 {
    if dice { MOST_AVERAGED } else { MOST_STORED }
}

/// The reason why a payoff is refused.
pub(crate) fn excessive(id: usize, payoff: i64, most: u32) -> String {
    format!("position {id} has the payoff {payoff}; payoffs are whole numbers from -{most} to {most}")
}

/// The reason why moves are refused.
pub(crate) fn astray(id: usize, next: &[i64], count: usize) -> String {
    let out = next.iter().find(|&&next| usize::try_from(next).map_or(true, |next| next >= count));
    let last = count.saturating_sub(1);
    format!(
        "position {id} has a move to {}, but the last position is {last}",
        out.copied().unwrap_or_default()
    )
}

/// All positions of a game and their moves.
#[derive(Clone, Default, PartialEq)]
pub(crate) struct Graph {
    pub(crate) first: Vec<usize>,
    pub(crate) edges: Vec<u32>,
    pub(crate) odds: Vec<f64>,
    pub(crate) turns: Vec<Turn>,
    pub(crate) payoffs: Vec<Option<Payoff>>,
    /// The largest payoff.
    pub(crate) most: Payoff,
    /// A checksum of the rules.
    pub(crate) version: u32,
}

impl Graph {
    pub(crate) fn new() -> Graph {
        Graph { first: vec![0], most: 1, ..Graph::default() }
    }

    /// Appends a position; a game with chance gives the odds of every move, 0 where a player decides.
    pub(crate) fn push(&mut self, turn: Turn, payoff: Option<Payoff>, next: &[u32], odds: &[f64]) {
        self.turns.push(turn);
        self.payoffs.push(payoff);
        self.edges.extend_from_slice(next);
        self.odds.extend_from_slice(odds);
        self.first.push(self.edges.len());
    }

    /// Computes the derived fields.
    pub(crate) fn finished(mut self) -> Graph {
        self.most = self.payoffs.iter().flatten().map(|payoff| payoff.abs()).max().unwrap_or(1).max(1);
        let mut hash = Xxh3::new();
        for id in 0..self.len() {
            hash.update(&(self.first[id] as u64).to_le_bytes());
            hash.update(&[self.turns[id] as u8, u8::from(self.payoffs[id].is_some())]);
            hash.update(&self.payoffs[id].unwrap_or(0).to_le_bytes());
        }
        self.edges.iter().for_each(|next| hash.update(&next.to_le_bytes()));
        self.odds.iter().for_each(|odds| hash.update(&odds.to_le_bytes()));
        // Version 1 is reserved for rules without a checksum.
        self.version = (hash.digest() as u32).max(2);
        self
    }

    pub(crate) fn len(&self) -> usize {
        self.turns.len()
    }

    pub(crate) fn next(&self, id: u32) -> &[u32] {
        &self.edges[self.first[id as usize]..self.first[id as usize + 1]]
    }

    /// The odds of a position's moves; empty in a game without chance.
    pub(crate) fn odds(&self, id: u32) -> &[f64] {
        match self.odds.is_empty() {
            true => &[],
            false => &self.odds[self.first[id as usize]..self.first[id as usize + 1]],
        }
    }

    pub(crate) fn has_dice(&self) -> bool {
        self.turns.contains(&Turn::Chance)
    }

    /// Returns the graph with an added root, from which the first player may move to any position.
    pub(crate) fn rooted(&self) -> Graph {
        let mut graph = Graph::new();
        let count = self.len() as u32;
        let dice = usize::from(!self.odds.is_empty());
        graph.push(Turn::First, None, &(1..=count).collect::<Vec<_>>(), &vec![0.0; dice * self.len()]);
        for id in 0..count {
            let next: Vec<u32> = self.next(id).iter().map(|next| next + 1).collect();
            graph.push(self.turns[id as usize], self.payoffs[id as usize], &next, self.odds(id));
        }
        graph.finished()
    }

    /// Returns the first broken law: its name, and a message with the position.
    pub(crate) fn flaw(&self) -> Option<(&'static str, String)> {
        if self.len() == 0 {
            return Some(("start", "a graph needs at least one position: number 0 is the start".into()));
        }
        let most = most_paid(self.has_dice());
        for id in 0..self.len() as u32 {
            let (next, payoff) = (self.next(id), self.payoffs[id as usize]);
            if next.iter().any(|&next| next as usize >= self.len()) {
                let next: Vec<i64> = next.iter().copied().map(i64::from).collect();
                return Some(("moves", astray(id as usize, &next, self.len())));
            }
            if let Some(payoff) = payoff.filter(|payoff| payoff.unsigned_abs() > most) {
                return Some(("payoff", excessive(id as usize, payoff.into(), most)));
            }
            if payoff.is_some() && !next.is_empty() {
                let why = format!("position {id} has both a payoff and moves; leave out one of them");
                return Some(("finished", why));
            }
            if payoff.is_none() && next.is_empty() {
                let why = format!("position {id} has neither a move nor a payoff; give it one of them");
                return Some(("unfinished", why));
            }
            if self.turns[id as usize] == Turn::Chance && payoff.is_none() {
                let odds = self.odds(id);
                let sum: f64 = odds.iter().sum();
                let sound = odds.len() == next.len() && odds.iter().all(|&odds| odds > 0.0);
                if !sound || (sum - 1.0).abs() > 1e-9 {
                    return Some((
                        "chance",
                        format!(
                            "the odds at position {id} must be positive and sum to 1, but their sum is {sum}"
                        ),
                    ));
                }
            }
        }
        None
    }

    /// Returns a reverse topological order (every move leads to an earlier position); `None` if the graph is cyclic.
    pub(crate) fn backwards(&self) -> Option<Vec<u32>> {
        let mut left: Vec<u32> = (0..self.len() as u32).map(|id| self.next(id).len() as u32).collect();
        let mut before_first = vec![0usize; self.len() + 1];
        self.edges.iter().for_each(|&next| before_first[next as usize + 1] += 1);
        for id in 0..self.len() {
            before_first[id + 1] += before_first[id];
        }
        let mut place = before_first.clone();
        let mut before = vec![0u32; self.edges.len()];
        for id in 0..self.len() as u32 {
            for &next in self.next(id) {
                before[place[next as usize]] = id;
                place[next as usize] += 1;
            }
        }
        let mut order: Vec<u32> = (0..self.len() as u32).filter(|&id| left[id as usize] == 0).collect();
        let mut done = 0;
        while done < order.len() {
            let id = order[done] as usize;
            done += 1;
            for &from in &before[before_first[id]..before_first[id + 1]] {
                left[from as usize] -= 1;
                if left[from as usize] == 0 {
                    order.push(from);
                }
            }
        }
        (order.len() == self.len()).then_some(order)
    }
}
