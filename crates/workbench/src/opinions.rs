//! Heuristic estimates of moves (opinions, written ≈) whose exact values are out of reach, by iterative deepening with
//! shrinking candidate lists.
//!
//! ```text
//!  round 1   all moves, searched from the position after each, one ply deep
//!  round 2   the best 40, two plies deep … until the monitor stops
//! ```
//!
//! An opinion is an estimated payoff of the player to move; at chance nodes it is the expectation over the outcomes.

use crate::query::LISTED;
use crate::{Answer, ChooseRequest, GameHandle, MoveAnswer, PositionRef, QueryAnswer, Session, Trouble};
use outplay_core::{AnyMove, AnyPosition, Chance, Game, Notation, Turn};
use outplay_runtime::{Deadline, Monitor};
use serde::Serialize;
use std::time::Duration;

/// Depth in plies and number of candidates of each round.
const ROUNDS: [(u32, usize); 6] = [(1, usize::MAX), (2, 40), (3, 20), (4, 12), (6, 8), (8, 5)];
/// Bytes of the transposition table of one search.
const HASH: u64 = 1 << 20;
/// Most moves of an answer that get an opinion.
const FEW: usize = 10;
/// Time limit of the opinions of an answer.
const TIME: Duration = Duration::from_secs(2);

/// Heuristic estimate of a move.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Opinion {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Expected payoff of the player who makes it.
    pub opinion: f64,
    /// Search depth after the move, in plies.
    pub depth: u32,
    /// Whether the move ends the game, which makes the value exact.
    pub over: bool,
}

/// Heuristic estimates of the moves of a position.
#[derive(Clone, Debug, Serialize)]
pub struct Opinions {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// Spec of the evaluation.
    pub eval: String,
    /// Highest payoff of the game.
    pub best_payoff: i32,
    /// Moves, best first.
    pub moves: Vec<Opinion>,
}

/// Estimates the moves of a position until `watch` stops; `found` receives each estimate as it improves.
///
/// # Errors
///
/// Bad input.
pub fn opinions(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
    found: &mut dyn FnMut(&Opinion),
) -> Result<Opinions, Trouble> {
    let game = handle.game();
    let pos = handle.locate(place)?;
    let (to_move, eval) = (game.turn(&pos), evaluation(session, handle)?);
    let mut session = session.clone();
    session.hash = session.hash.min(HASH);
    let search = OpinionSearch { session, handle, eval: &eval, watch };
    let mut known: Vec<(AnyMove, Opinion)> = Vec::new();
    let mut candidates: Vec<AnyMove> = match to_move {
        Turn::Chance => Vec::new(),
        _ => game.list(&pos).collect(),
    };
    for (depth, most) in ROUNDS {
        candidates.truncate(most);
        for &mv in &candidates {
            let Some((opinion, over)) = search.worth(&game.play(&pos, mv), to_move, depth)? else { break };
            let depth = if over { 0 } else { depth };
            let estimate = Opinion { mv: game.write_move(&pos, mv), opinion, depth, over };
            found(&estimate);
            match known.iter_mut().find(|(known, _)| *known == mv) {
                Some((_, known)) => *known = estimate,
                None => known.push((mv, estimate)),
            }
        }
        let deepest = known.iter().map(|(_, known)| known.depth).max().unwrap_or(0);
        let rank = |known: &Opinion| rank(known, deepest);
        known.sort_by(|(_, a), (_, b)| rank(b).total_cmp(&rank(a)).then(b.opinion.total_cmp(&a.opinion)));
        if watch.stopped() || known.is_empty() {
            break;
        }
        candidates = known.iter().filter(|(_, known)| !known.over).map(|(mv, _)| *mv).collect();
    }
    Ok(Opinions {
        game: handle.spec(),
        position: game.write_position(&pos),
        to_move,
        eval: eval.clone(),
        best_payoff: game.best_payoff(),
        moves: known.into_iter().map(|(_, opinion)| opinion).collect(),
    })
}

/// Adds opinions on the best moves of unknown value to an answer whose value is unknown, within two seconds or the
/// time limit of the session. `best` and the values stay as they are.
///
/// # Errors
///
/// Bad input, or a stop.
pub fn add_opinions(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    answer: &mut QueryAnswer,
    watch: &dyn Monitor,
) -> Result<(), Trouble> {
    let pos = handle.locate(place)?;
    let moves = handle.game().list(&pos).count();
    if !matches!(answer.answer, Answer::Unknown { .. }) || answer.to_move == Turn::Chance || moves == 0 {
        return Ok(());
    }
    let time = session.time.map_or(TIME, |time| time.min(TIME));
    let eval = evaluation(session, handle)?;
    let estimates = if moves > LISTED {
        // One search of the position: a search after each of so many moves would not come far.
        let player = format!("alphabeta:time={}ms,eval={eval}", time.as_millis().max(1));
        let request = ChooseRequest { place: place.clone(), player, ..ChooseRequest::default() };
        let choice = crate::choose(session, handle, &request, watch)?;
        let estimate = |opinion| Opinion { mv: choice.mv.clone(), opinion, depth: choice.depth, over: false };
        choice.opinion.map(|opinion| estimate(opinion / 100.0)).into_iter().collect()
    } else {
        let clock = Deadline::new(Some(time), watch);
        opinions(session, handle, place, &clock, &mut |_| {})?.moves
    };
    crate::check_stop(watch)?;
    for estimate in estimates.iter().filter(|estimate| !estimate.over).take(FEW) {
        match answer.moves.iter_mut().find(|known| known.mv == estimate.mv) {
            Some(known) if !matches!(known.answer, Answer::Unknown { .. }) => continue,
            Some(known) => known.opinion = Some(estimate.opinion),
            None => answer.moves.push(MoveAnswer {
                mv: estimate.mv.clone(),
                san: None,
                answer: answer.answer,
                score: None,
                probability: None,
                opinion: Some(estimate.opinion),
            }),
        }
    }
    if answer.moves.iter().any(|known| known.opinion.is_some()) {
        answer
            .notes
            .push(format!("≈ is an opinion of a search with `eval={eval}`, from -1 to 1, not a value"));
    }
    Ok(())
}

/// The evaluation of the levels that search.
fn evaluation(session: &Session, handle: &GameHandle) -> Result<String, Trouble> {
    let levels = crate::kit(session, handle).levels();
    let eval = levels.iter().find_map(|level| Some(level.player.split_once("eval=")?.1.to_string()));
    eval.ok_or_else(|| Trouble::unable("this game has no evaluation"))
}

/// Context of the searches.
struct OpinionSearch<'a> {
    session: Session,
    handle: &'a GameHandle,
    eval: &'a str,
    watch: &'a dyn Monitor,
}

impl OpinionSearch<'_> {
    /// Returns the payoff of a position to `mover`, and whether the game is over; `None` if the monitor stopped.
    fn worth(&self, pos: &AnyPosition, mover: Turn, depth: u32) -> Result<Option<(f64, bool)>, Trouble> {
        let game = self.handle.game();
        let own = |turn: Turn, payoff: f64| if turn == mover { payoff } else { -payoff };
        if let Some(outcome) = game.outcome(pos) {
            return Ok(Some((own(Turn::First, f64::from(outcome)), true)));
        }
        if self.watch.stopped() {
            return Ok(None);
        }
        if game.turn(pos) == Turn::Chance {
            let (mut outcomes, mut mean) = (Vec::new(), 0.0);
            game.outcomes(pos, &mut outcomes);
            for (roll, probability) in outcomes {
                let Some((worth, _)) = self.worth(&game.play(pos, roll), mover, depth)? else {
                    return Ok(None);
                };
                mean += worth * probability;
            }
            return Ok(Some((mean, false)));
        }
        let player = format!("alphabeta:depth={depth},eval={}", self.eval);
        let place = PositionRef::At(pos.clone());
        let request = ChooseRequest { place, player, ..ChooseRequest::default() };
        match crate::choose(&self.session, self.handle, &request, self.watch) {
            Ok(choice) => Ok(choice.opinion.map(|opinion| (own(game.turn(pos), opinion / 100.0), false))),
            Err(trouble) if trouble.is_stop() => Ok(None),
            Err(trouble) => Err(trouble),
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
