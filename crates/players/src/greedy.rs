//! One ply: win, else block, else the move that looks best right after it.

use crate::judge::squeezed;
use crate::look::Look;
use crate::words::spelled;
use crate::{Choice, Judge, Kit, PlayError, Player};
use outplay_core::{AnyMove, AnyPosition, Game, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use std::time::Instant;

/// The players `greedy`, `lines` and `polynomial`: they differ in who judges.
pub struct Greedy {
    kit: Kit,
    /// Without a judge all moves that the look leaves are alike.
    judge: Option<Arc<dyn Judge>>,
    /// A player that is named after its judge.
    named: bool,
    rng: SmallRng,
}

impl Greedy {
    /// A player that takes any move when there is nothing to win or to block.
    pub fn new(kit: &Kit, judge: Option<Arc<dyn Judge>>) -> Greedy {
        Greedy { kit: kit.clone(), judge, named: false, rng: SmallRng::seed_from_u64(0) }
    }

    /// A player that is named after its judge.
    pub fn named(kit: &Kit, judge: Arc<dyn Judge>) -> Greedy {
        Greedy { named: true, ..Greedy::new(kit, Some(judge)) }
    }
}

/// The moves that `me` likes best one ply ahead, and how much; those that are not looked at in time do not count.
pub(crate) fn liked(
    kit: &Kit,
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
        // A tie at once is worth nothing; wins and losses at once were looked for before.
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

impl Player for Greedy {
    fn spec(&self) -> String {
        match &self.judge {
            None => "greedy".into(),
            Some(judge) if self.named => judge.spec(),
            Some(judge) => spelled("greedy", &[("eval", judge.spec())]),
        }
    }

    fn begin(&mut self, seed: u64) {
        self.rng = SmallRng::seed_from_u64(seed);
    }

    fn choose(&mut self, pos: &AnyPosition, _watch: &dyn Watch) -> Result<Choice, PlayError> {
        let moves = self.kit.legal(pos)?;
        let among = match self.kit.look(pos, &moves) {
            Look::Win(mv) => return Ok(Choice::won(mv)),
            Look::Among(among) => among,
        };
        let (best, opinion) = match &self.judge {
            None => (among, None),
            Some(judge) => {
                let (best, score) = liked(&self.kit, &**judge, pos, &among, self.kit.game.turn(pos), None);
                (best, Some(squeezed(score, judge.unit())))
            }
        };
        let mv = best[self.rng.random_range(0..best.len())];
        Ok(Choice { depth: 1, opinion, line: vec![mv], ..Choice::plain(mv) }.after_sight(moves.len() as u64))
    }
}
