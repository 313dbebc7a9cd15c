//! Monte Carlo tree search as a player: the tree is grown in `uct`.

use crate::look::Look;
use crate::mind::Grove;
use crate::punctual::Punctual;
use crate::words::{spelled, written};
use crate::{Choice, Kit, PlayError, Player};
use outplay_core::{AnyPosition, Watch};
use std::time::{Duration, Instant};

/// When to stop.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct MctsLimits {
    /// Random games to play.
    pub playouts: Option<u64>,
    /// Positions to keep in the tree; when it is full, the search ends.
    pub nodes: Option<u64>,
    /// Time on the wall.
    pub time: Option<Duration>,
}

/// The player `mcts`.
pub struct Mcts {
    kit: Kit,
    limits: MctsLimits,
    /// How much the little known is preferred.
    curiosity: f64,
    grove: Box<dyn Grove>,
    punctual: Punctual,
}

impl Mcts {
    /// A player with limits of which at least one has to be set.
    pub fn new(kit: &Kit, limits: MctsLimits, curiosity: f64) -> Mcts {
        let grove = kit.minds.grow(curiosity);
        Mcts { kit: kit.clone(), limits, curiosity, grove, punctual: Punctual::default() }
    }
}

impl Player for Mcts {
    fn spec(&self) -> String {
        let mut options = Vec::new();
        options.extend(self.limits.time.map(|time| ("time", written(time))));
        options.extend(self.limits.playouts.map(|playouts| ("playouts", playouts.to_string())));
        options.extend(self.limits.nodes.map(|nodes| ("nodes", nodes.to_string())));
        options.push(("c", self.curiosity.to_string()));
        spelled("mcts", &options)
    }

    fn begin(&mut self, seed: u64) {
        self.grove.begin(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let began = Instant::now();
        let moves = self.kit.legal(pos)?;
        if let Look::Win(mv) = self.kit.look(pos, &moves) {
            return Ok(Choice::won(mv));
        }
        if let [mv] = moves[..] {
            return Ok(Choice { line: vec![mv], depth: 1, ..Choice::plain(mv) });
        }
        let end = self.limits.time.map(|time| self.punctual.end(began, time));
        let choice = self.grove.grow(pos, self.limits, end, watch)?;
        if let Some(end) = end {
            self.punctual.made(end);
        }
        Ok(choice)
    }

    fn bytes(&self) -> usize {
        self.grove.bytes()
    }
}
