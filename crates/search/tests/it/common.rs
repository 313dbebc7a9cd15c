//! Random games, a random evaluation, and plain minimax as an oracle.

use outplay_core::{Game, Payoff, Turn, Value};
use outplay_search::{Evaluate, SearchValue};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;

/// A random graph: the player to move at each position, the successors, and the payoff at the leaves.
#[derive(Clone, Debug)]
pub(crate) struct Graph {
    pub(crate) turns: Arc<Vec<Turn>>,
    pub(crate) next: Arc<Vec<Vec<u16>>>,
    pub(crate) paid: Arc<Vec<Payoff>>,
    pub(crate) best: Payoff,
}

impl Graph {
    /// Moves lead to higher numbers only unless `loops`; the player to move is random.
    pub(crate) fn new(seed: u64, positions: u16, most_moves: usize, best: Payoff, loops: bool) -> Graph {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut next = Vec::new();
        for pos in 0..positions {
            let low = if loops { 0 } else { pos + 1 };
            // Near successors are preferred, so that games last a while.
            let high = if loops { positions } else { positions.min(pos + 9) };
            let count = if rng.random_range(0..8) == 0 { 0 } else { rng.random_range(1..=most_moves) };
            let moves = if low < high { count } else { 0 };
            let moves = if pos == 0 && low < high { moves.max(1) } else { moves };
            next.push((0..moves).map(|_| rng.random_range(low..high)).collect());
        }
        let pick = |second| if second { Turn::Second } else { Turn::First };
        let turns = (0..positions).map(|_| pick(rng.random())).collect();
        let paid = (0..positions).map(|_| rng.random_range(-best..=best)).collect();
        Graph { turns: Arc::new(turns), next: Arc::new(next), paid: Arc::new(paid), best }
    }
}

impl Game for Graph {
    type Position = u16;
    type Move = u8;
    fn start(&self) -> Option<u16> {
        Some(0)
    }
    fn turn(&self, pos: &u16) -> Turn {
        self.turns[*pos as usize]
    }
    fn moves(&self, pos: &u16, out: &mut Vec<u8>) {
        out.extend(0..self.next[*pos as usize].len() as u8);
    }
    fn play(&self, pos: &u16, mv: u8) -> u16 {
        self.next[*pos as usize][mv as usize]
    }
    fn outcome(&self, pos: &u16) -> Option<Payoff> {
        self.next[*pos as usize].is_empty().then(|| self.paid[*pos as usize])
    }
    fn best_payoff(&self) -> Payoff {
        self.best
    }
}

/// A random evaluation by hashing: deterministic and otherwise meaningless.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Opinion {
    pub(crate) seed: u64,
    pub(crate) spread: i32,
    pub(crate) slots: bool,
}

fn mix(seed: u64, text: &str) -> u64 {
    let mut x = seed ^ 0x9e37_79b9_7f4a_7c15;
    for byte in text.bytes() {
        x = (x ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        x ^= x >> 29;
    }
    x
}

impl<G: Game> Evaluate<G> for Opinion {
    const HINTS: bool = true;
    fn score(&self, _game: &G, pos: &G::Position) -> i32 {
        (mix(self.seed, &format!("{pos:?}")) % (2 * self.spread as u64 + 1)) as i32 - self.spread
    }
    fn noisy(&self, game: &G, pos: &G::Position, out: &mut Vec<G::Move>) {
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        out.extend(moves.iter().filter(|mv| mix(self.seed, &format!("{pos:?}{mv:?}")).is_multiple_of(3)));
    }
    fn hint(&self, _game: &G, pos: &G::Position, mv: G::Move) -> i32 {
        (mix(self.seed ^ 5, &format!("{pos:?}{mv:?}")) % 7) as i32
    }
    fn slot(&self, _game: &G, mv: G::Move) -> Option<usize> {
        self.slots.then(|| (mix(0, &format!("{mv:?}")) % 4096) as usize)
    }
}

/// Result of a line for the player to move: a game result, or an evaluation at the horizon.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Leaf {
    End(Value),
    Opinion(i32),
}

impl Leaf {
    fn rank(self) -> (i32, Value, i32) {
        match self {
            Leaf::End(value) if value.payoff() != 0 => (value.payoff().signum(), value, 0),
            Leaf::End(_) => (0, Value::TIE, 0),
            Leaf::Opinion(score) => (0, Value::TIE, score),
        }
    }

    fn before(self, same: bool) -> Leaf {
        match self {
            Leaf::End(value) => Leaf::End(value.before(same)),
            Leaf::Opinion(score) => Leaf::Opinion(if same { score } else { -score }),
        }
    }

    fn max(self, other: Leaf) -> Leaf {
        if other.rank() > self.rank() { other } else { self }
    }

    /// Whether an answer agrees.
    pub(crate) fn matches(self, answer: SearchValue) -> bool {
        match (self, answer) {
            (Leaf::End(value), SearchValue::Exact(exact)) => value == exact,
            (Leaf::End(value), SearchValue::Payoff(payoff)) => value.payoff() == payoff,
            (Leaf::End(value), SearchValue::Unknown { score, .. }) => score == Some(100 * value.payoff()),
            (Leaf::Opinion(score), SearchValue::Unknown { score: said, .. }) => said == Some(score),
            // An evaluation of 0 may be a proven tie elsewhere; both have the same value.
            (Leaf::Opinion(score), SearchValue::Exact(value)) => score == 0 && value == Value::TIE,
            (Leaf::Opinion(score), SearchValue::Payoff(payoff)) => score == 0 && payoff == 0,
        }
    }
}

/// Minimax to a depth, then noisy moves.
pub(crate) fn minimax<G: Game, E: Evaluate<G>>(
    game: &G,
    eval: &E,
    pos: &G::Position,
    depth: u32,
    noise: u32,
) -> Leaf {
    let turn = game.turn(pos);
    if let Some(payoff) = game.outcome(pos) {
        return Leaf::End(Value::new(turn.sees(payoff), 0));
    }
    let mut moves = Vec::new();
    let mut best = None;
    if depth > 0 {
        game.moves(pos, &mut moves);
    } else {
        best = Some(Leaf::Opinion(eval.score(game, pos)));
        if noise > 0 {
            eval.noisy(game, pos, &mut moves);
        }
    }
    for mv in moves {
        let next = game.play(pos, mv);
        let noise = if depth > 0 { noise } else { noise - 1 };
        let leaf =
            minimax(game, eval, &next, depth.saturating_sub(1), noise).before(game.turn(&next) == turn);
        best = Some(best.map_or(leaf, |best: Leaf| best.max(leaf)));
    }
    best.expect("a position that goes on has moves")
}

/// Plays a line and returns the result, if the game is over, for the player to move at its start.
pub(crate) fn end_of_line<G: Game>(game: &G, pos: &G::Position, line: &[G::Move]) -> Option<Value> {
    let mut end = pos.clone();
    let mut moves = Vec::new();
    for &mv in line {
        moves.clear();
        game.moves(&end, &mut moves);
        assert!(moves.contains(&mv), "{mv:?} is not legal at {end:?}");
        end = game.play(&end, mv);
    }
    let payoff = game.outcome(&end)?;
    Some(Value::new(game.turn(pos).sees(payoff), line.len() as u32))
}
