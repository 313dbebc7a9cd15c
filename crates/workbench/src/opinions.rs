//! Heuristic estimates of moves (opinions, written ≈) whose exact values are out of reach, by iterative deepening with
//! shrinking candidate lists.
//!
//! ```text
//!  round 1   all moves, searched from the position after each, one ply deep
//!  round 2   the best 40, two plies deep … until the monitor stops
//! ```
//!
//! An opinion is an estimated payoff of the player to move; at chance nodes it is the expectation over the outcomes.
//!
//! Invariant: a proof comes before an opinion. A move whose value is known without a long search has that value, and no
//! opinion lies outside proven bounds.

use crate::move_values::{Detail, PositionValues};
use crate::query::LISTED;
use crate::sources::{proof::ProofSource, theory::TheorySource};
use crate::{
    Answer, ChooseRequest, Effort, GameHandle, Ladder, MoveAnswer, PositionRef, ProvenValue, QueryAnswer,
    Session, Trouble, ValueSource, between,
};
use outplay_core::{AnyMove, AnyPosition, Chance, Game, Notation, Turn, Verdict};
use outplay_runtime::{Deadline, Monitor};
use rustc_hash::FxHashMap;
use serde::Serialize;
use std::time::Duration;

/// Depth in plies and number of candidates (symmetric moves count once) of each round. Opinions of an odd and of an
/// even depth differ by the value of a tempo, so that only the first round, which orders the moves, has an odd one.
const ROUNDS: [(u32, usize); 5] = [(1, usize::MAX), (2, 60), (4, 20), (6, 8), (8, 5)];
/// The same for games with chance, in which each depth costs more.
const DICE_ROUNDS: [(u32, usize); 6] = [(1, usize::MAX), (2, 40), (3, 20), (4, 12), (6, 8), (8, 5)];
/// Bytes of the transposition table of one search.
const HASH: u64 = 1 << 20;
/// Most moves of an answer that get an opinion.
const FEW: usize = 10;
/// Time limit of the opinions of an answer.
const TIME: Duration = Duration::from_secs(2);
/// Time limit of a proof before the first opinion.
const PROOF: Duration = Duration::from_millis(250);

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
    /// Win, draw or loss of the player who makes it, where that is proven; the opinion is then the payoff.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Verdict>,
}

impl Opinion {
    /// Whether the number is a value.
    fn is_exact(&self) -> bool {
        self.over || self.value.is_some()
    }
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
    /// Win, draw or loss of the player to move, where that is proven.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<Verdict>,
    /// Moves, best first.
    pub moves: Vec<Opinion>,
}

/// Estimates the moves of a position until `watch` stops; `found` receives each estimate as it improves. Moves whose
/// value is proven come first.
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
    let classes = match to_move {
        Turn::Chance => Vec::new(),
        _ => symmetry_classes(handle, &pos),
    };
    let proofs = search.proofs(&pos, &classes)?;
    let mut candidates = Vec::new();
    for (place, class) in classes.iter().enumerate() {
        let ProvenValue::Exact(value) = proofs.moves[place] else {
            candidates.push(place);
            continue;
        };
        for &mv in class {
            let over = game.outcome(&game.play(&pos, mv)).is_some();
            let (opinion, value) = (f64::from(value.payoff()), Some(value.verdict()));
            let exact = Opinion { mv: game.write_move(&pos, mv), opinion, depth: 0, over, value };
            found(&exact);
            known.push((mv, exact));
        }
    }
    for &(depth, most) in if game.has_dice() { &DICE_ROUNDS[..] } else { &ROUNDS[..] } {
        candidates.truncate(most);
        for &class in &candidates {
            let after = game.play(&pos, classes[class][0]);
            let Some((opinion, over)) = search.worth(&after, to_move, depth)? else { break };
            let (low, high) = proofs.moves[class].bounds(game.best_payoff());
            let opinion = opinion.clamp(f64::from(low), f64::from(high));
            let depth = if over { 0 } else { depth };
            for &mv in &classes[class] {
                let estimate = Opinion { mv: game.write_move(&pos, mv), opinion, depth, over, value: None };
                found(&estimate);
                match known.iter_mut().find(|(known, _)| *known == mv) {
                    Some((_, known)) => *known = estimate,
                    None => known.push((mv, estimate)),
                }
            }
        }
        let deepest = known.iter().map(|(_, known)| known.depth).max().unwrap_or(0);
        let rank = |known: &Opinion| rank(known, deepest);
        known.sort_by(|(_, a), (_, b)| rank(b).total_cmp(&rank(a)).then(b.opinion.total_cmp(&a.opinion)));
        if watch.stopped() || known.is_empty() {
            break;
        }
        let open = known.iter().filter(|(_, known)| !known.is_exact());
        candidates = open.filter_map(|(mv, _)| classes.iter().position(|class| class[0] == *mv)).collect();
    }
    Ok(Opinions {
        game: handle.spec(),
        position: game.write_position(&pos),
        to_move,
        eval: eval.clone(),
        best_payoff: game.best_payoff(),
        value: proofs.position.exact().map(|value| value.verdict()),
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
        let estimate = |opinion| Opinion {
            mv: choice.mv.clone(),
            opinion,
            depth: choice.depth,
            over: false,
            value: None,
        };
        choice.opinion.map(|opinion| estimate(opinion / 100.0)).into_iter().collect()
    } else {
        let clock = Deadline::new(Some(time), watch);
        opinions(session, handle, place, &clock, &mut |_| {})?.moves
    };
    crate::check_stop(watch)?;
    for estimate in estimates.iter().filter(|estimate| !estimate.is_exact()).take(FEW) {
        match answer.moves.iter_mut().find(|known| known.mv == estimate.mv) {
            Some(known) => {
                let Answer::Unknown { low, high } = known.answer else { continue };
                known.opinion = Some(estimate.opinion.clamp(f64::from(low), f64::from(high)));
            }
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

/// Groups the moves of a position by symmetry: the positions after moves of a class are equal up to symmetry.
fn symmetry_classes(handle: &GameHandle, pos: &AnyPosition) -> Vec<Vec<AnyMove>> {
    let game = handle.game();
    let list: Vec<AnyMove> = game.list(pos).collect();
    if list.len() > LISTED || game.has_dice() {
        return list.into_iter().map(|mv| vec![mv]).collect();
    }
    let (mut classes, mut seen): (Vec<Vec<AnyMove>>, FxHashMap<AnyPosition, usize>) = Default::default();
    let mut images = Vec::new();
    for mv in list {
        let after = game.play(pos, mv);
        match seen.get(&after) {
            Some(&class) => classes[class].push(mv),
            None => {
                images.clear();
                game.symmetric(&after, &mut images);
                seen.extend(images.drain(..).map(|image| (image, classes.len())));
                classes.push(vec![mv]);
            }
        }
    }
    classes
}

/// Proven values and bounds of a position and of its classes of moves, for the player to move.
struct Proofs {
    position: ProvenValue,
    moves: Vec<ProvenValue>,
}

impl OpinionSearch<'_> {
    /// Looks for proofs in what is known at once and, on boards that the proof search knows, for a moment.
    fn proofs(&self, pos: &AnyPosition, classes: &[Vec<AnyMove>]) -> Result<Proofs, Trouble> {
        let (game, most) = (self.handle.game(), self.handle.game().best_payoff());
        let unknown = ProvenValue::Between(-most, most);
        if game.has_dice() || classes.len() > LISTED || self.watch.stopped() {
            return Ok(Proofs { position: unknown, moves: vec![unknown; classes.len()] });
        }
        let clock = Deadline::new(Some(PROOF), self.watch).silent();
        let at_once = Ladder::new(&self.session, self.handle, &clock, Effort::AtOnce);
        let PositionValues { known: mut here, moves, .. } =
            at_once.moves(pos, Detail::Moves, true, &mut |_| {})?;
        if !here.proven.is_settled() {
            let sources: [&dyn ValueSource; 2] = [&TheorySource, &ProofSource];
            let provers = Ladder { sources: &sources, effort: Effort::Full, ..at_once };
            here = provers.ask(pos, true, &mut |_| {})?;
        }
        let (_, high) = here.proven.bounds(most);
        let of_class = |class: &Vec<AnyMove>| {
            let known = moves.iter().filter(|valued| class.contains(&valued.mv));
            let known = known.fold(unknown, |known, valued| known.and(valued.proven));
            let best = here.proven.is_settled() && class.iter().any(|mv| here.best.contains(mv));
            known.and(if best { here.proven } else { between(-most, high) })
        };
        Ok(Proofs { position: here.proven, moves: classes.iter().map(of_class).collect() })
    }

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
/// first. A move that is known to tie is as reliable as the deepest estimate.
fn rank(known: &Opinion, deepest: u32) -> f64 {
    match (known.is_exact(), known.opinion) {
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
        let opinion = |opinion: f64, depth: u32, over: bool| Opinion {
            mv: String::new(),
            opinion,
            depth,
            over,
            value: None,
        };
        let ranked = |known: Opinion| rank(&known, 4);
        for tie in [0.0, -0.0] {
            assert_eq!(ranked(opinion(tie, 0, true)), 4.0);
        }
        assert!(ranked(opinion(1.0, 0, true)) > 4.0 && ranked(opinion(-1.0, 0, true)) < 0.0);
        assert_eq!(ranked(opinion(0.7, 3, false)), 3.0);
    }
}
