//! Heuristic move evaluations where exact values are out of reach: iterative deepening with shrinking candidate lists.
//!
//! ```text
//!  round 1   all moves, searched from the position after each, one ply deep
//!  round 2   the best 40, two plies deep … until the time limit
//! ```
//!
//! An opinion is an estimated payoff of the player to move; at chance nodes it is the expectation over the outcomes.

use crate::api_request::ApiRequest;
use crate::refusal::Refusal;
use crate::reply::{Reply, written};
use crate::workers::JobProgress;
use outplay_core::{Game, Turn};
use outplay_runtime::Monitor;
use outplay_workbench::{ChooseRequest, GameHandle, PositionRef, Session};
use serde::Serialize;
use std::time::Duration;

/// Time limit of all rounds.
const TIME: Duration = Duration::from_secs(4);
/// Depth in plies and number of candidates of each round.
const ROUNDS: [(u32, usize); 6] = [(1, usize::MAX), (2, 40), (3, 20), (4, 12), (6, 8), (8, 5)];
/// Bytes of the transposition table of one search.
const HASH: u64 = 1 << 20;

/// Estimate of a move.
#[derive(Clone, Debug, Serialize)]
struct Opinion {
    #[serde(rename = "move")]
    mv: String,
    /// Expected payoff of the player who makes it.
    opinion: f64,
    /// Search depth after the move, in plies.
    depth: u32,
    /// Whether the move ends the game, which makes the value exact.
    over: bool,
}

/// The final answer.
#[derive(Debug, Serialize)]
struct Opinions {
    game: String,
    position: String,
    to_move: Turn,
    /// Spec of the evaluation.
    eval: String,
    /// Highest payoff of the game.
    best_payoff: i32,
    /// Moves, best first.
    moves: Vec<Opinion>,
}

/// `GET /api/v1/opinions/stream`: `event: move` for each estimate as it improves.
pub(crate) fn opinions_stream(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let (game, place) = asked.place()?;
    let visitor = asked.visitor;
    Ok(asked.quick(move |desk, _| {
        let entry = desk.shelf.open(&game)?;
        outplay_workbench::view(&entry, &place)?;
        let levels = outplay_workbench::players(&desk.steady_session(), &entry).levels;
        let eval = levels.iter().find_map(|level| level.split_once("eval="));
        let Some(eval) = eval.map(|(_, eval)| eval.to_string()) else {
            return Err(Refusal::bad("this game has no evaluation", "ask /api/v1/position for exact values"));
        };
        Ok(desk.stream(visitor, game, TIME, move |study| {
            let mut session = study.desk.steady_session();
            session.hash = session.hash.min(HASH);
            let table = OpinionSearch { game: study.game, session, eval: &eval, watch: study.watch };
            Ok(written(&table.opinions(&place, &mut |opinion| study.events.send("move", opinion))?))
        }))
    }))
}

/// Context of the searches.
struct OpinionSearch<'a> {
    game: &'a GameHandle,
    session: Session,
    eval: &'a str,
    watch: &'a JobProgress,
}

impl OpinionSearch<'_> {
    fn opinions(&self, place: &PositionRef, report: &mut dyn FnMut(&Opinion)) -> Result<Opinions, Refusal> {
        let view = outplay_workbench::view(self.game, place)?;
        let mut moves: Vec<Opinion> = Vec::new();
        let legal = view.scene.moves.iter().filter(|_| view.to_move != Turn::Chance);
        let mut names: Vec<String> = legal.map(|gesture| gesture.mv.clone()).collect();
        for (depth, most) in ROUNDS {
            names.truncate(most);
            for mv in &names {
                let Some((opinion, over)) = self.worth(&view.position, mv, view.to_move, depth)? else {
                    break;
                };
                let found = Opinion { mv: mv.clone(), opinion, depth: if over { 0 } else { depth }, over };
                report(&found);
                match moves.iter_mut().find(|known| known.mv == *mv) {
                    Some(known) => *known = found,
                    None => moves.push(found),
                }
            }
            let deepest = moves.iter().map(|known| known.depth).max().unwrap_or(0);
            let rank = |known: &Opinion| rank(known, deepest);
            moves.sort_by(|a, b| rank(b).total_cmp(&rank(a)).then(b.opinion.total_cmp(&a.opinion)));
            if self.watch.stopped() || moves.is_empty() {
                break;
            }
            names = moves.iter().filter(|known| !known.over).map(|known| known.mv.clone()).collect();
        }
        Ok(Opinions {
            game: self.game.spec(),
            position: view.position,
            to_move: view.to_move,
            eval: self.eval.to_string(),
            best_payoff: self.game.game().best_payoff(),
            moves,
        })
    }

    /// Returns the payoff of a move to its player, and whether it ends the game; `None` at the time limit.
    fn worth(
        &self,
        position: &str,
        mv: &str,
        mover: Turn,
        depth: u32,
    ) -> Result<Option<(f64, bool)>, Refusal> {
        let place = PositionRef::MovesFrom { position: position.to_string(), moves: mv.to_string() };
        let view = outplay_workbench::view(self.game, &place)?;
        let own = |turn: Turn, payoff: f64| if turn == mover { payoff } else { -payoff };
        if let Some(outcome) = view.outcome {
            return Ok(Some((own(Turn::First, f64::from(outcome)), true)));
        }
        if self.watch.stopped() {
            return Ok(None);
        }
        if view.to_move == Turn::Chance {
            let (mut sum, mut weight) = (0.0, 0.0);
            for roll in &view.scene.moves {
                let Some((worth, _)) = self.worth(&view.position, &roll.mv, mover, depth)? else {
                    return Ok(None);
                };
                sum += worth * f64::from(roll.odds);
                weight += f64::from(roll.odds);
            }
            return Ok((weight > 0.0).then(|| (sum / weight, false)));
        }
        let mut asked = ChooseRequest::default();
        asked.place = PositionRef::Position(view.position);
        asked.player = format!("alphabeta:depth={depth},eval={}", self.eval);
        match outplay_workbench::choose(&self.session, self.game, &asked, self.watch) {
            Ok(choice) => Ok(choice.opinion.map(|opinion| (own(view.to_move, opinion / 100.0), false))),
            Err(trouble) if trouble.is_stop() => Ok(None),
            Err(trouble) => Err(trouble.into()),
        }
    }
}

/// The rank of a move among the others: exact wins first and exact losses last; among estimates the deeper search
/// first. A move that ends the game in a tie is as reliable as the deepest estimate.
fn rank(known: &Opinion, deepest: u32) -> f64 {
    match (known.over, known.opinion) {
        (true, opinion) if opinion > 0.0 => f64::MAX,
        (true, opinion) if opinion < 0.0 => -f64::MAX,
        (true, _) => deepest.into(),
        (false, _) => known.depth.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tie_ranks_between_wins_and_losses_for_both_players() {
        let opinion =
            |opinion: f64, depth: u32, over: bool| Opinion { mv: String::new(), opinion, depth, over };
        let ranked = |known: Opinion| rank(&known, 4);
        for tie in [0.0, -0.0] {
            assert_eq!(ranked(opinion(tie, 0, true)), 4.0);
        }
        assert!(ranked(opinion(1.0, 0, true)) > 4.0 && ranked(opinion(-1.0, 0, true)) < 0.0);
        assert_eq!(ranked(opinion(0.7, 3, false)), 3.0);
    }
}
