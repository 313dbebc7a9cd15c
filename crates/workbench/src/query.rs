//! `query`: the value of a position and of each of its moves.
//!
//! ```text
//!  locate → evaluate the position → evaluate its moves → propagate bounds → principal variation → cache → answer
//!           the ladder              best first, one per                     free lookups           if slow
//!                                   symmetry class
//! ```
//!
//! `move_values.rs` evaluates the moves; this file is the path from a query to its answer.

use crate::means::bound_of_means;
use crate::move_values::{Detail, PositionValues, ValuedMove};
use crate::results::written_line;
use crate::sources::{falling, proof::ProofSource};
use crate::{
    Cost, Effort, GameHandle, Ladder, MoveAnswer, PATIENCE, PositionRef, ProvenValue, QueryAnswer, Session,
    Source, Trouble, ValueSource, check_stop,
};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Chance, Game, Notation, Turn};
use outplay_runtime::{Deadline, Monitor};
use rustc_hash::FxHashSet;

/// Limit on the moves that are listed without values.
pub(crate) const LISTED: usize = 1000;

/// Length limit in plies of a principal variation.
const LINE: usize = 400;

/// The value of a position and of each of its moves.
///
/// # Errors
///
/// Bad input or a stop. A position whose value is out of reach has the value "unknown", with bounds.
pub fn query(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
) -> Result<QueryAnswer, Trouble> {
    query_as(session, handle, Detail::Moves, place, watch, &mut |_| {})
}

/// The same; `found` receives each move as soon as its value is known.
///
/// # Errors
///
/// As [`query`].
pub fn query_each(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
    found: &mut dyn FnMut(&MoveAnswer),
) -> Result<QueryAnswer, Trouble> {
    query_as(session, handle, Detail::Moves, place, watch, found)
}

/// The value of a position and a best move, as soon as both are proved; other moves have bounds.
///
/// # Errors
///
/// As [`query`].
pub fn query_best(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
) -> Result<QueryAnswer, Trouble> {
    query_as(session, handle, Detail::Best, place, watch, &mut |_| {})
}

/// The same as [`query`] from cheap sources only: the rules, a table, a book, a tiny board. `None` if they do not
/// suffice.
///
/// # Errors
///
/// As [`query`].
pub fn known_answer(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
) -> Result<Option<QueryAnswer>, Trouble> {
    known_as(session, handle, place, watch, false)
}

/// The same as [`known_answer`] for wins, draws and losses, which a theorem knows where distances take longer.
///
/// # Errors
///
/// As [`query`].
pub fn known_verdicts(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
) -> Result<Option<QueryAnswer>, Trouble> {
    known_as(session, handle, place, watch, true)
}

fn known_as(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    watch: &dyn Monitor,
    verdict: bool,
) -> Result<Option<QueryAnswer>, Trouble> {
    let pos = handle.locate(place)?;
    let clock = Deadline::new(Some(session.time.unwrap_or(PATIENCE)), watch);
    let ladder = Ladder::new(session, handle, &clock, Effort::AtOnce);
    let asked = ladder.moves(&pos, Detail::Moves, verdict, &mut |_| {})?;
    // The distance of a lost position from a book gives its moves the verdict, but a search finds their distances.
    let timed = !verdict && asked.known.proven.exact().is_some_and(|value| value.distance().is_some());
    let enough = |proven: ProvenValue| if timed { proven.is_timed() } else { proven.is_settled() };
    let complete = enough(asked.known.proven) && asked.moves.iter().all(|valued| enough(valued.proven));
    if !complete {
        return Ok(None);
    }
    ladder.answered(&pos, asked).map(Some)
}

/// Whether [`query`] is expected to find exact values of a position within about a minute.
///
/// # Errors
///
/// Bad input.
pub fn is_tractable(session: &Session, handle: &GameHandle, place: &PositionRef) -> Result<bool, Trouble> {
    let pos = handle.locate(place)?;
    let clock = Deadline::new(Some(session.time.unwrap_or(PATIENCE)), &outplay_runtime::NoMonitor);
    Ok(Ladder::new(session, handle, &clock, Effort::AtOnce).is_likely(&pos))
}

/// Whether the proof search is expected to decide a position within about a minute. `false` for games that it does not
/// know.
///
/// # Errors
///
/// Bad input.
pub fn is_proof_expected(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
) -> Result<bool, Trouble> {
    let pos = handle.locate(place)?;
    if handle.game().outcome(&pos).is_some() {
        return Ok(false);
    }
    let clock = Deadline::new(Some(session.time.unwrap_or(PATIENCE)), &outplay_runtime::NoMonitor);
    let ladder = Ladder::new(session, handle, &clock, Effort::AtOnce);
    Ok(match ProofSource.cost(&ladder.question(&pos, true)) {
        Cost::Open { likely: true } => true,
        // A value that was proved before can be proved again.
        Cost::Open { likely: false } => ladder.ask(&pos, true, &mut |_| {})?.proven.is_settled(),
        _ => false,
    })
}

fn query_as(
    session: &Session,
    handle: &GameHandle,
    ask: Detail,
    place: &PositionRef,
    watch: &dyn Monitor,
    found: &mut dyn FnMut(&MoveAnswer),
) -> Result<QueryAnswer, Trouble> {
    let pos = handle.locate(place)?;
    let clock = Deadline::new(Some(session.time.unwrap_or(PATIENCE)), watch);
    let ladder = Ladder::new(session, handle, &clock, Effort::Full);
    let asked = ladder.moves(&pos, ask, false, &mut |valued| {
        found(&handle.move_answer(&pos, valued, None));
    })?;
    // A timeout still returns bounds; an interrupt is an error.
    check_stop(watch)?;
    ladder.answered(&pos, asked)
}

impl GameHandle {
    fn move_answer(&self, pos: &AnyPosition, valued: &ValuedMove, probability: Option<f64>) -> MoveAnswer {
        MoveAnswer {
            mv: self.game().write_move(pos, valued.mv),
            san: self.game().spoken(pos, valued.mv),
            answer: self.proven_answer(pos, valued.proven),
            score: self.score(pos, valued.proven),
            probability,
            opinion: None,
        }
    }
}

impl Ladder<'_> {
    /// Converts the results to an answer.
    fn answered(&self, pos: &AnyPosition, asked: PositionValues) -> Result<QueryAnswer, Trouble> {
        let (handle, game) = (self.handle, self.handle.game());
        let mut odds = Vec::new();
        if game.turn(pos) == Turn::Chance {
            game.outcomes(pos, &mut odds);
        }
        let probability = |mv: AnyMove| odds.iter().find(|(roll, _)| *roll == mv).map(|(_, odds)| *odds);
        let listed =
            asked.moves.len() <= LISTED || asked.moves.iter().any(|valued| valued.proven.is_settled());
        let moves = asked.moves.iter().filter(|_| listed);
        let moves = moves.map(|valued| handle.move_answer(pos, valued, probability(valued.mv))).collect();
        let bound = match asked.known.proven {
            ProvenValue::Mean(_) => bound_of_means(self.session, handle, pos, asked.known.source),
            _ => None,
        };
        let line = self.line(pos, &asked)?;
        if self.effort == Effort::Full {
            self.remember(pos, &asked.known, &line, asked.took);
        }
        Ok(QueryAnswer {
            game: handle.spec(),
            position: game.write_position(pos),
            to_move: game.turn(pos),
            answer: handle.proven_answer(pos, asked.known.proven),
            score: handle.score(pos, asked.known.proven),
            best: handle.names(pos, &asked.best),
            moves,
            line_complete: is_finished(game, pos, &line),
            line: written_line(game, pos, &line),
            source: asked.known.source,
            notes: asked.notes,
            probe_hits: asked.known.probe_hits,
            bound,
        })
    }

    /// The principal variation, as far as it is known without further work; ends at a repeated position.
    fn line(&self, pos: &AnyPosition, asked: &PositionValues) -> Result<Vec<AnyMove>, Trouble> {
        let game = self.handle.game();
        // Without distances, following best moves might never reach the end.
        if !asked.known.proven.is_timed() {
            return Ok(Vec::new());
        }
        if let Some(line) = self.principal_variation(pos, asked)? {
            return Ok(line);
        }
        if asked.known.source == Source::Kept
            && let Some(results) = self.session.results(self.handle, self.clock)
            && let Some(kept) = results.find(game, pos, self.clock).filter(|kept| !kept.line.is_empty())
        {
            return Ok(kept.line);
        }
        let at_once = Ladder { effort: Effort::AtOnce, ..*self };
        let (mut pos, mut seen, mut line) = (pos.clone(), FxHashSet::default(), Vec::new());
        let mut best = asked.all.then(|| asked.best.first().copied()).flatten();
        while let Some(mv) = best.filter(|_| line.len() < LINE && seen.insert(pos.clone())) {
            line.push(mv);
            pos = game.play(&pos, mv);
            let here = at_once.moves(&pos, Detail::Moves, false, &mut |_| {})?;
            best = if here.all { here.best.first().copied() } else { None };
        }
        Ok(line)
    }

    /// The principal variation of the connect-k solver's search, if it searched.
    fn principal_variation(
        &self,
        pos: &AnyPosition,
        asked: &PositionValues,
    ) -> Result<Option<Vec<AnyMove>>, Trouble> {
        let searched = asked.known.source == Source::Search && self.effort == Effort::Full;
        let apart = searched && self.session.subgames(self.handle).is_empty();
        let Some(board) = falling(self.handle, pos).filter(|_| apart) else { return Ok(None) };
        let limits = outplay_connect::SolverLimits { nodes: None, time: self.clock.rest() };
        let columns = self.session.with_solver(self.handle, &board, |solver| {
            solver.principal_variation(&board, limits, self.clock, self.session.threads)
        })?;
        let (game, mut at, mut line) = (self.handle.game(), pos.clone(), Vec::new());
        for column in columns {
            let mv = game.read_move(&at, &(column + 1).to_string())?;
            at = game.play(&at, mv);
            line.push(mv);
        }
        Ok(Some(line))
    }
}

/// Whether a line reaches the end of the game, or a position that it has met before; an empty line is not cut.
fn is_finished(game: &AnyGame, pos: &AnyPosition, line: &[AnyMove]) -> bool {
    let (mut at, mut seen) = (pos.clone(), FxHashSet::default());
    let again = line.iter().any(|&mv| {
        let next = game.play(&at, mv);
        !seen.insert(std::mem::replace(&mut at, next))
    });
    line.is_empty() || again || seen.contains(&at) || game.outcome(&at).is_some()
}
