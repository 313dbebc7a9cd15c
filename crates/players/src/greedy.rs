//! One-ply players (`greedy`, `lines`, `polynomial`): they win or block at once if they can, else choose the move with
//! the best static evaluation.

use crate::judge::squeezed;
use crate::look::Tactics;
use crate::words::format_spec;
use crate::{Choice, Distribution, Judge, PlayError, Player, PlayerContext};
use outplay_core::{AnyMove, AnyPosition, Game, Turn};
use outplay_runtime::Monitor;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use std::time::Instant;

/// The players `greedy`, `lines` and `polynomial`, which differ in their evaluation.
pub struct Greedy {
    kit: PlayerContext,
    /// Without an evaluation, all candidates of the tactics filter are equal.
    judge: Option<Arc<dyn Judge>>,
    /// A player whose spec is that of its evaluation.
    named: bool,
    rng: SmallRng,
}

impl Greedy {
    /// A player that wins or blocks if possible, else plays the best move by `judge`, or a random one without it.
    pub fn new(kit: &PlayerContext, judge: Option<Arc<dyn Judge>>) -> Greedy {
        Greedy { kit: kit.clone(), judge, named: false, rng: SmallRng::seed_from_u64(0) }
    }

    /// A player whose spec is that of its evaluation.
    pub fn named(kit: &PlayerContext, judge: Arc<dyn Judge>) -> Greedy {
        Greedy { named: true, ..Greedy::new(kit, Some(judge)) }
    }
}

/// The moves with the best static evaluation for `me`, and their score; moves not evaluated before `end` are skipped.
pub(crate) fn liked(
    kit: &PlayerContext,
    judge: &dyn Judge,
    pos: &AnyPosition,
    among: &[AnyMove],
    me: Turn,
    end: Option<Instant>,
) -> (Vec<AnyMove>, i32) {
    let (mut best, mut top) = (Vec::new(), i32::MIN);
    for &mv in among {
        if !best.is_empty() && end.is_some_and(|end| Instant::now() >= end) {
            break;
        }
        let next = kit.game.play(pos, mv);
        // Only draws end the game here: the tactics filter has handled immediate wins and losses.
        let score = if kit.game.outcome(&next).is_some() { 0 } else { judge.score(&next, me) };
        if score > top {
            (best, top) = (Vec::new(), score);
        }
        if score == top {
            best.push(mv);
        }
    }
    (best, top)
}

/// The moves between which `greedy` chooses at random.
enum Candidates {
    /// A move that wins immediately.
    Win(AnyMove),
    /// The moves with the best evaluation, and their score if there is an evaluation.
    Best(Vec<AnyMove>, Option<f64>),
}

impl Greedy {
    fn candidates(&self, pos: &AnyPosition, moves: &[AnyMove]) -> Candidates {
        let among = match self.kit.tactics(pos, moves) {
            Tactics::Win(mv) => return Candidates::Win(mv),
            Tactics::Candidates(among) => among,
        };
        match &self.judge {
            None => Candidates::Best(among, None),
            Some(judge) => {
                let (best, score) = liked(&self.kit, &**judge, pos, &among, self.kit.game.turn(pos), None);
                Candidates::Best(best, Some(squeezed(score, judge.unit())))
            }
        }
    }
}

impl Player for Greedy {
    fn spec(&self) -> String {
        match &self.judge {
            None => "greedy".into(),
            Some(judge) if self.named => judge.spec(),
            Some(judge) => format_spec("greedy", &[("eval", judge.spec())]),
        }
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, _monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let moves = self.kit.legal(pos)?;
        let (best, opinion) = match self.candidates(pos, &moves) {
            Candidates::Win(mv) => return Ok(Choice::won(mv)),
            Candidates::Best(best, opinion) => (best, opinion),
        };
        let mv = best[self.rng.random_range(0..best.len())];
        Ok(Choice { depth: 1, opinion, line: vec![mv], ..Choice::plain(mv) }.after_sight(moves.len() as u64))
    }

    fn distribution(
        &mut self,
        pos: &AnyPosition,
        _monitor: &dyn Monitor,
    ) -> Result<Option<Distribution>, PlayError> {
        let moves = self.kit.legal(pos)?;
        Ok(Some(match self.candidates(pos, &moves) {
            Candidates::Win(mv) => Distribution::certain(mv),
            Candidates::Best(best, _) => Distribution::Equal(best),
        }))
    }
}
