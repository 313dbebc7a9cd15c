//! Evaluation of all moves of a position, with bounds propagated between position and moves.
//!
//! ```text
//!  1  the position     the ladder, with half of the time; a table or a proof decides it
//!  2  its best moves   those that a source names, else move by move until one is as good as the position
//!  3  other moves      one of each symmetry class, each with its share of the remaining time
//!
//!  bounds flow both ways: no move is worth more than the position, and the position is worth its best move
//! ```
//!
//! Invariant: every move that is reported during the evaluation has the same value in the final answer, so an interface
//! that shows moves as they are found never has to correct one.

use crate::query::LISTED;
use crate::results::{CachedResult, WORTH_KEEPING};
use crate::sources::EQUAL;
use crate::{Effort, Ladder, ProvenValue, Source, SourceResult, Trouble, between};
use outplay_core::{AnyMove, AnyPosition, Game, Payoff, Turn, Value};
use outplay_runtime::Monitor;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// The extent of an evaluation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Detail {
    /// The value and one best move.
    Best,
    /// The value of every move.
    Moves,
}

/// A move with its proven value, for the player who makes it.
#[derive(Clone, Debug)]
pub(crate) struct ValuedMove {
    pub(crate) mv: AnyMove,
    pub(crate) proven: ProvenValue,
}

/// Proven values of a position and its moves.
pub(crate) struct PositionValues {
    pub(crate) known: SourceResult,
    pub(crate) moves: Vec<ValuedMove>,
    /// Moves that are proven best, in the game's order.
    pub(crate) best: Vec<AnyMove>,
    /// Whether these are all of the best moves.
    pub(crate) all: bool,
    /// Limits that kept a source from answering, in sentences.
    pub(crate) notes: Vec<String>,
    /// Time spent on the position itself.
    pub(crate) took: Duration,
}

/// Receives each move as soon as its value is exact.
pub(crate) type FoundMove<'a> = &'a mut dyn FnMut(&ValuedMove);

/// A symmetry class of moves: their positions are equal up to symmetry.
struct MoveClass {
    moves: Vec<AnyMove>,
    proven: ProvenValue,
    /// Whether a search with more time would find more: the value is not reported yet.
    unfinished: bool,
}

impl MoveClass {
    /// Sets the value, and reports the moves if it is exact.
    fn set(&mut self, proven: ProvenValue, found: FoundMove<'_>) {
        (self.proven, self.unfinished) = (proven, false);
        if proven.is_settled() {
            self.moves.iter().for_each(|&mv| found(&ValuedMove { mv, proven }));
        }
    }
}

/// The evaluation of a position in progress.
struct Evaluation<'a> {
    ladder: &'a Ladder<'a>,
    pos: &'a AnyPosition,
    /// Whether win, draw or loss is enough.
    verdict: bool,
    most: Payoff,
    known: SourceResult,
    /// Time spent on the position itself.
    took: Duration,
    classes: Vec<MoveClass>,
    notes: Vec<String>,
}

impl Ladder<'_> {
    /// Evaluates a position, its best moves, and with [`Detail::Moves`] all others.
    pub(crate) fn moves(
        &self,
        pos: &AnyPosition,
        detail: Detail,
        verdict: bool,
        found: FoundMove<'_>,
    ) -> Result<PositionValues, Trouble> {
        let mut work = Evaluation::of_position(self, pos, detail, verdict)?;
        let game = self.handle.game();
        if game.outcome(pos).is_some() {
            return Ok(work.without_moves(true));
        }
        let list: Vec<AnyMove> = game.list(pos).collect();
        // With this many moves, none is known if the position is not.
        if list.len() > LISTED && !work.known.proven.is_settled() {
            return Ok(work.without_moves(false));
        }
        work.list_moves(&list);
        work.settle_named(found);
        work.settle_lost(found);
        work.ask_moves(detail, found)?;
        if !game.has_dice() {
            work.propagate(found);
        }
        Ok(work.finish())
    }

    /// Queries one position within a share of the time.
    fn ask_within(
        &self,
        time: Duration,
        pos: &AnyPosition,
        verdict: bool,
        notes: &mut Vec<String>,
    ) -> Result<SourceResult, Trouble> {
        let clock = self.clock.within(time);
        let ladder = Ladder { clock: &clock, ..*self };
        ladder.ask(pos, verdict, &mut |sentence| {
            if !notes.contains(&sentence) {
                notes.push(sentence);
            }
        })
    }

    /// Caches a result that took long to find, with its principal variation if there is one.
    pub(crate) fn remember(&self, pos: &AnyPosition, known: &SourceResult, line: &[AnyMove], took: Duration) {
        if let ProvenValue::Exact(value) = known.proven
            && self.session.keep
            && known.source == Source::Search
            && !known.unfinished
            && took >= WORTH_KEEPING
            && let Some(results) = self.session.results(self.handle, self.clock)
        {
            let result = CachedResult { value, best: known.best.clone(), line: line.to_vec() };
            results.add(self.handle.game(), pos, &result, self.clock);
        }
    }
}

impl<'a> Evaluation<'a> {
    /// Step 1: the position itself. Half of the time is left for the moves, whose values may decide an unknown
    /// position.
    fn of_position(
        ladder: &'a Ladder<'a>,
        pos: &'a AnyPosition,
        detail: Detail,
        verdict: bool,
    ) -> Result<Evaluation<'a>, Trouble> {
        let game = ladder.handle.game();
        let began = Instant::now();
        let shares = detail == Detail::Moves && game.outcome(pos).is_none();
        let share = ladder.clock.rest().filter(|_| shares).map_or(Duration::MAX, |rest| rest / 2);
        let mut notes = Vec::new();
        let known = ladder.ask_within(share, pos, verdict, &mut notes)?;
        let (most, took) = (game.best_payoff(), began.elapsed());
        Ok(Evaluation { ladder, pos, verdict, most, known, took, classes: Vec::new(), notes })
    }

    /// Groups the moves by symmetry, each bounded by the value of the position.
    fn list_moves(&mut self, list: &[AnyMove]) {
        let game = self.ladder.handle.game();
        let (_, high) = self.known.proven.bounds(self.most);
        let high = if game.has_dice() { self.most } else { high };
        let proven = ProvenValue::Between(-self.most, high);
        let class = |mv: AnyMove| MoveClass { moves: vec![mv], proven, unfinished: false };
        // With very many moves, computing symmetric images costs more than it saves.
        if list.len() > LISTED || game.has_dice() {
            self.classes = list.iter().copied().map(class).collect();
            return;
        }
        let mut seen: FxHashMap<AnyPosition, usize> = FxHashMap::default();
        let mut images = Vec::new();
        for &mv in list {
            let next = game.play(self.pos, mv);
            if let Some(&known) = seen.get(&next) {
                self.classes[known].moves.push(mv);
                continue;
            }
            images.clear();
            game.symmetric(&next, &mut images);
            seen.insert(next, self.classes.len());
            for image in images.drain(..) {
                seen.insert(image, self.classes.len());
            }
            self.classes.push(class(mv));
        }
    }

    /// Step 2: moves that a source named as best get the value of the position.
    fn settle_named(&mut self, found: FoundMove<'_>) {
        let proven = self.known.proven;
        if !proven.is_settled() {
            return;
        }
        let named: FxHashSet<AnyMove> = self.known.best.iter().copied().collect();
        for class in &mut self.classes {
            if class.moves.iter().any(|mv| named.contains(mv)) {
                class.set(proven, found);
            }
        }
    }

    /// In a position that is lost without a distance, every move is lost without a distance, unless a search only
    /// lacked the time to find it.
    fn settle_lost(&mut self, found: FoundMove<'_>) {
        let lost = self.known.proven.exact().is_some_and(|value| value.payoff() == -self.most);
        let timed = self.known.proven.is_timed() || self.known.unfinished;
        if !lost || timed || self.ladder.handle.game().has_dice() {
            return;
        }
        let proven = self.known.proven;
        for class in self.classes.iter_mut().filter(|class| !class.proven.is_settled()) {
            class.set(proven, found);
        }
    }

    /// Step 3: the other moves, in the game's order, each with its share of the remaining time. Searches that used up
    /// their share resume with the time that quicker ones left.
    fn ask_moves(&mut self, detail: Detail, found: FoundMove<'_>) -> Result<(), Trouble> {
        // If cheap sources do not know the position, they know none of its moves.
        if self.ladder.effort == Effort::AtOnce && !self.known.proven.is_settled() {
            return Ok(());
        }
        let mut open: Vec<usize> =
            (0..self.classes.len()).filter(|&class| !self.classes[class].proven.is_settled()).collect();
        let clock = self.ladder.clock;
        'rounds: while !open.is_empty() {
            for (done, &class) in open.iter().enumerate() {
                let enough = detail == Detail::Best && self.has_best();
                if enough || clock.stopped() {
                    break 'rounds;
                }
                let left = (open.len() - done) as u32;
                let share = clock.rest().map_or(Duration::MAX, |rest| rest / left);
                self.ask_move(class, share, found)?;
            }
            open.retain(|&class| self.classes[class].unfinished);
        }
        // What is known when the time is up is reported now.
        for class in self.classes.iter_mut().filter(|class| class.unfinished) {
            class.set(class.proven, found);
        }
        Ok(())
    }

    fn ask_move(&mut self, class: usize, share: Duration, found: FoundMove<'_>) -> Result<(), Trouble> {
        let (ladder, game) = (self.ladder, self.ladder.handle.game());
        let next = game.play(self.pos, self.classes[class].moves[0]);
        let began = Instant::now();
        let child = ladder.ask_within(share, &next, self.verdict, &mut self.notes)?;
        ladder.remember(&next, &child, &[], began.elapsed());
        let known = &mut self.known;
        if child.source == Source::Search && !known.proven.is_settled() {
            known.source = Source::Search;
        }
        known.nodes += child.nodes;
        known.probe_hits = match (known.probe_hits, child.probe_hits) {
            (Some(a), Some(b)) => Some(a + b),
            (a, b) => a.or(b),
        };
        let same_player = game.turn(&next) == game.turn(self.pos);
        let class = &mut self.classes[class];
        let proven = child.proven.before(same_player).and(class.proven);
        match child.unfinished {
            true => (class.proven, class.unfinished) = (proven, true),
            false => class.set(proven, found),
        }
        Ok(())
    }

    /// Whether the value is exact and a move that keeps it is known.
    fn has_best(&self) -> bool {
        let timed = self.known.proven.is_timed();
        let best = |class: &&MoveClass| !timed || class.proven.is_timed();
        let Some(top) = self.classes.iter().filter(best).filter_map(|class| class.proven.exact()).max()
        else {
            return false;
        };
        match self.known.proven {
            ProvenValue::Exact(value) => {
                top >= value || top.payoff() == value.payoff() && value.distance().is_none()
            }
            ProvenValue::Between(..) => top.payoff() == self.most,
            ProvenValue::Mean(_) => false,
        }
    }

    /// Step 4: propagates bounds between the position and its moves, both ways.
    fn propagate(&mut self, found: FoundMove<'_>) {
        self.raise_position();
        let (low, high) = self.known.proven.bounds(self.most);
        // No move is worth more than the position.
        for class in &mut self.classes {
            if let ProvenValue::Between(a, b) = class.proven {
                class.proven = between(a.min(high), b.min(high));
            }
        }
        // If only one move can be worth as much as the position, it is.
        let able = |class: &&mut MoveClass| class.proven.bounds(self.most).1 >= low;
        let mut able = self.classes.iter_mut().filter(able);
        if let (Some(only), None) = (able.next(), able.next())
            && let ProvenValue::Between(a, b) = only.proven
        {
            let known = self.known.proven;
            only.set(if known.is_settled() { known } else { between(a.max(low), b) }, found);
        }
    }

    /// Raises the position to the value of its best move.
    fn raise_position(&mut self) {
        let exact: Option<Vec<_>> = self.classes.iter().map(|class| class.proven.exact()).collect();
        let top = self.classes.iter().filter_map(|class| class.proven.exact()).max();
        let known = &mut self.known.proven;
        match (exact, top) {
            // A position that is known without its distance gets the distance from its moves, if all that are as
            // good have one.
            (Some(exact), Some(top)) if !known.is_timed() => {
                let timed = |value: &Value| value.payoff() == 0 || value.distance().is_some();
                let all = exact.iter().filter(|value| value.payoff() == top.payoff()).all(timed);
                *known = if all { ProvenValue::Exact(top) } else { between(top.payoff(), top.payoff()) };
            }
            // The maximum payoff is the value, although another move may be faster.
            (None, Some(top)) if top.payoff() == self.most && !known.is_settled() => {
                *known = between(top.payoff(), top.payoff());
            }
            _ => {}
        }
        let bounds = self.classes.iter().map(|class| class.proven.bounds(self.most));
        let (low, high) =
            bounds.reduce(|a, b| (a.0.max(b.0), a.1.max(b.1))).unwrap_or((-self.most, self.most));
        *known = known.and(between(low.min(high), high));
        self.known.unfinished &= !self.known.proven.is_timed();
    }

    /// The values of a position whose moves are not evaluated.
    fn without_moves(self, all: bool) -> PositionValues {
        let Evaluation { known, notes, took, .. } = self;
        PositionValues { known, moves: Vec::new(), best: Vec::new(), all, notes, took }
    }

    /// Lists the moves in the game's order.
    fn finish(self) -> PositionValues {
        let Evaluation { ladder, pos, mut known, took, classes, notes, .. } = self;
        let mut moves: Vec<ValuedMove> = Vec::new();
        for class in &classes {
            moves.extend(class.moves.iter().map(|&mv| ValuedMove { mv, proven: class.proven }));
        }
        moves.sort_unstable_by_key(|valued| valued.mv);
        let game = ladder.handle.game();
        let turn = game.turn(pos);
        let (best, all) = match turn {
            Turn::Chance => (Vec::new(), true),
            _ if game.has_dice() => best_means(turn, &moves),
            _ => best_values(known.proven, &moves),
        };
        known.best = best.clone();
        PositionValues { known, moves, best, all, notes, took }
    }
}

/// The moves with the best mean for the player to move, and whether these are all; none unless every mean is known.
fn best_means(turn: Turn, moves: &[ValuedMove]) -> (Vec<AnyMove>, bool) {
    let sign = if turn == Turn::Second { -1.0 } else { 1.0 };
    let mean = |valued: &ValuedMove| {
        if let ProvenValue::Mean(mean) = valued.proven { Some(sign * mean) } else { None }
    };
    if !moves.iter().all(|valued| valued.proven.is_settled()) {
        return (Vec::new(), false);
    }
    let top = moves.iter().filter_map(mean).fold(f64::NEG_INFINITY, f64::max);
    let best = moves.iter().filter(|valued| mean(valued).is_some_and(|mean| mean >= top - EQUAL));
    (best.map(|valued| valued.mv).collect(), true)
}

/// The moves that are proven as good as the position, and whether these are all.
fn best_values(position: ProvenValue, moves: &[ValuedMove]) -> (Vec<AnyMove>, bool) {
    let Some(value) = position.exact() else { return (Vec::new(), false) };
    let (mut best, mut all) = (Vec::new(), true);
    for valued in moves {
        let Some(other) = valued.proven.exact() else {
            all = false;
            continue;
        };
        if position.is_timed() && valued.proven.is_timed() {
            if other.cmp(&value).is_eq() {
                best.push(valued.mv);
            }
        } else if !position.is_timed() && other.payoff() == value.payoff() {
            // Where the distance of the position is unknown, equal payoffs are equally good.
            best.push(valued.mv);
        } else {
            // The distance of this move to the same result is unknown.
            all &= other.payoff() != value.payoff();
        }
    }
    (best, all)
}
