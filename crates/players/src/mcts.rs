//! The player `mcts`: Monte Carlo tree search within a limit of playouts or time. The search itself is in `uct`.

use crate::look::Tactics;
use crate::punctual::Punctual;
use crate::searcher::MctsTree;
use crate::words::{format_duration, format_spec};
use crate::{Choice, PlayError, Player, PlayerContext};
use outplay_core::AnyPosition;
use outplay_runtime::Monitor;
use std::time::{Duration, Instant};

/// Limits of a Monte Carlo tree search.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MctsLimits {
    /// Number of playouts.
    pub playouts: Option<u64>,
    /// Maximal nodes of the tree; a full tree ends the search.
    pub nodes: Option<u64>,
    /// Wall-clock time.
    pub time: Option<Duration>,
}

/// The player `mcts`.
pub struct Mcts {
    kit: PlayerContext,
    limits: MctsLimits,
    /// The exploration constant C of UCB1.
    exploration: f64,
    tree: Box<dyn MctsTree>,
    punctual: Punctual,
}

impl Mcts {
    /// A player with limits, at least one of which must be set.
    pub fn new(kit: &PlayerContext, limits: MctsLimits, exploration: f64) -> Mcts {
        let tree = kit.minds.grow(exploration);
        Mcts { kit: kit.clone(), limits, exploration, tree, punctual: Punctual::default() }
    }
}

impl Player for Mcts {
    fn spec(&self) -> String {
        let mut options = Vec::new();
        options.extend(self.limits.time.map(|time| ("time", format_duration(time))));
        options.extend(self.limits.playouts.map(|playouts| ("playouts", playouts.to_string())));
        options.extend(self.limits.nodes.map(|nodes| ("nodes", nodes.to_string())));
        options.push(("c", self.exploration.to_string()));
        format_spec("mcts", &options)
    }

    fn begin(&mut self, seed: u64) {
        self.tree.begin(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let began = Instant::now();
        let moves = self.kit.legal(pos)?;
        if let Tactics::Win(mv) = self.kit.tactics(pos, &moves) {
            return Ok(Choice::won(mv));
        }
        if let [mv] = moves[..] {
            return Ok(Choice { line: vec![mv], depth: 1, ..Choice::plain(mv) });
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let choice = self.tree.grow(pos, self.limits, end, monitor);
        if let Some(end) = end {
            self.punctual.made(end);
        }
        choice
    }

    fn bytes(&self) -> usize {
        self.tree.bytes()
    }
}
