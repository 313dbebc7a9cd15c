//! The value of a position and of each of its moves: a fold over the ladder.
//!
//! ```text
//!  1  the position     what decides it comes first: a table's value, a proof's winning move
//!  2  its best moves   those that somebody named, else move by move until one is as good as the position
//!  3  the others       one of each set of symmetric moves, each with its share of the time that is left
//!
//!  bounds flow both ways:  no move is worth more than the position, and the position is worth what its best move is
//! ```
//!
//! Invariant: every move that is reported stands in the final answer with the same value, so that what a reader was
//! shown never changes.

use crate::Trouble;
use crate::answers::{MoveAnswer, QueryAnswer, Source};
use crate::entry::Entry;
use crate::ladder::{Known, Ladder, Reach, Worth, between};
use crate::notes::{Note, WORTH_KEEPING};
use crate::request::{PATIENCE, Place, QueryOptions};
use crate::sources::EQUAL;
use outplay_core::{AnyMove, AnyPosition, Chance, Deadline, Game, Notation, Turn, Value, Watch};
use outplay_solve::SolveError;
use rustc_hash::{FxHashMap, FxHashSet};
use std::time::{Duration, Instant};

/// Moves that are listed although nothing is known about them.
const LISTED: usize = 1000;

/// Plies of a line of best play.
const LINE: usize = 400;

/// How much is asked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Ask {
    /// The value and one best move.
    Best,
    /// The value of every move.
    Moves,
}

/// A move with what is known of it, for the player who makes it.
#[derive(Clone, Debug)]
pub(crate) struct Valued {
    pub(crate) mv: AnyMove,
    pub(crate) worth: Worth,
}

/// What is known of a position and its moves.
pub(crate) struct Asked {
    pub(crate) known: Known,
    pub(crate) moves: Vec<Valued>,
    /// Moves that are certainly best, in the game's order.
    pub(crate) best: Vec<AnyMove>,
    /// Whether these are all of the best moves.
    pub(crate) all: bool,
    /// What limits prevented.
    pub(crate) notes: Vec<String>,
}

impl Entry {
    /// The value of a position and of each of its moves.
    ///
    /// # Errors
    ///
    /// Bad input or a stop. A position whose value is out of reach has the value "unknown", with bounds.
    pub fn query(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<QueryAnswer, Trouble> {
        self.query_each(place, options, watch, &mut |_| {})
    }

    /// The same; `found` hears of each move as soon as its value is known.
    ///
    /// # Errors
    ///
    /// As for [`Entry::query`].
    pub fn query_each(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble> {
        self.query_as(Ask::Moves, place, options, watch, found)
    }

    /// The value of a position and a best move, as soon as both are proved; other moves have bounds.
    ///
    /// # Errors
    ///
    /// As for [`Entry::query`].
    pub fn query_best(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<QueryAnswer, Trouble> {
        self.query_as(Ask::Best, place, options, watch, &mut |_| {})
    }

    /// The same as [`Entry::query`] from what needs no work worth the name: the rules, a table, a book, a tiny board.
    /// `None` if that does not tell.
    ///
    /// # Errors
    ///
    /// As for [`Entry::query`].
    pub fn known(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Option<QueryAnswer>, Trouble> {
        let pos = self.locate(place)?;
        let clock = Deadline::new(Some(options.time.unwrap_or(PATIENCE)), watch);
        let ladder = Ladder { entry: self, options, clock: &clock, reach: Reach::AtOnce };
        let asked = ladder.moves(&pos, Ask::Moves, false, &mut |_| {})?;
        let complete =
            asked.known.worth.is_settled() && asked.moves.iter().all(|valued| valued.worth.is_settled());
        if !complete {
            return Ok(None);
        }
        self.answered(&pos, asked, &ladder).map(Some)
    }

    /// Whether [`Entry::query`] can be expected to find exact values of a position within a minute or so.
    ///
    /// # Errors
    ///
    /// Bad input.
    pub fn exact(&self, place: &Place, options: &QueryOptions) -> Result<bool, Trouble> {
        let pos = self.locate(place)?;
        let clock = Deadline::new(Some(options.time.unwrap_or(PATIENCE)), &outplay_core::Quiet);
        Ok(Ladder { entry: self, options, clock: &clock, reach: Reach::AtOnce }.is_likely(&pos))
    }

    fn query_as(
        &self,
        ask: Ask,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble> {
        let pos = self.locate(place)?;
        let clock = Deadline::new(Some(options.time.unwrap_or(PATIENCE)), watch);
        let ladder = Ladder { entry: self, options, clock: &clock, reach: Reach::Far };
        let asked = ladder.moves(&pos, ask, false, &mut |valued| {
            found(&self.move_answer(&pos, valued, None));
        })?;
        // Time that is up is an answer, too; a wish to stop is none.
        if watch.stopped() {
            return Err(SolveError::Stopped.into());
        }
        self.answered(&pos, asked, &ladder)
    }

    fn move_answer(&self, pos: &AnyPosition, valued: &Valued, probability: Option<f64>) -> MoveAnswer {
        MoveAnswer {
            mv: self.game().write_move(pos, valued.mv),
            san: self.game().spoken(pos, valued.mv),
            answer: self.told(pos, valued.worth),
            score: self.score(pos, valued.worth),
            probability,
        }
    }

    /// What was found, in words.
    fn answered(&self, pos: &AnyPosition, asked: Asked, ladder: &Ladder<'_>) -> Result<QueryAnswer, Trouble> {
        let game = self.game();
        let mut odds = Vec::new();
        if game.turn(pos) == Turn::Chance {
            game.outcomes(pos, &mut odds);
        }
        let probability = |mv: AnyMove| odds.iter().find(|(roll, _)| *roll == mv).map(|(_, odds)| *odds);
        let listed =
            asked.moves.len() <= LISTED || asked.moves.iter().any(|valued| valued.worth.is_settled());
        let moves = asked.moves.iter().filter(|_| listed);
        let moves = moves.map(|valued| self.move_answer(pos, valued, probability(valued.mv))).collect();
        let bound = match asked.known.worth {
            Worth::Mean(_) => self.bound_of_means(pos, ladder.options.data.as_deref(), asked.known.source),
            _ => None,
        };
        Ok(QueryAnswer {
            game: self.spec(),
            position: game.write_position(pos),
            to_move: game.turn(pos),
            answer: self.told(pos, asked.known.worth),
            score: self.score(pos, asked.known.worth),
            best: self.names(pos, &asked.best),
            moves,
            line: ladder.line(pos, &asked)?,
            source: asked.known.source,
            notes: asked.notes,
            probe_hits: asked.known.probe_hits,
            bound,
        })
    }
}

impl Ladder<'_> {
    /// The position, its best moves, and all others if they are asked for; `found` hears of each move that is
    /// settled.
    pub(crate) fn moves(
        &self,
        pos: &AnyPosition,
        ask: Ask,
        verdict: bool,
        found: &mut dyn FnMut(&Valued),
    ) -> Result<Asked, Trouble> {
        let game = self.entry.game();
        let mut notes: Vec<String> = Vec::new();
        let most = game.best_payoff();
        let began = Instant::now();
        let over = game.outcome(pos).is_some();
        // Moves need time, too, and if the position is not known by then, they may tell.
        let share = self.clock.rest().filter(|_| ask == Ask::Moves && !over).map(|rest| rest / 2);
        let mut known = {
            let clock = self.clock.within(share.unwrap_or(Duration::MAX));
            let ladder = Ladder { clock: &clock, ..*self };
            ladder.ask(pos, verdict, &mut |sentence| {
                if !notes.contains(&sentence) {
                    notes.push(sentence);
                }
            })?
        };
        let took = began.elapsed();
        if over {
            return Ok(Asked { known, moves: Vec::new(), best: Vec::new(), all: true, notes });
        }
        let list: Vec<AnyMove> = game.list(pos).collect();
        // Where moves are without number, a position that nobody knows has none that anybody does.
        let countless = list.len() > LISTED;
        if countless && !known.worth.is_settled() {
            return Ok(Asked { known, moves: Vec::new(), best: Vec::new(), all: false, notes });
        }
        let classes = self.classes(pos, &list);
        // What is certain about the moves before any of them is looked at.
        let (_, high) = known.worth.bounds(most);
        let high = if game.has_dice() { most } else { high };
        let mut worths = vec![Worth::Between(-most, high); classes.len()];
        let named: FxHashSet<AnyMove> = known.best.iter().copied().collect();
        for (class, worth) in classes.iter().zip(&mut worths) {
            if class.moves.iter().any(|mv| named.contains(mv)) && known.worth.is_settled() {
                *worth = known.worth;
                class.moves.iter().for_each(|&mv| found(&Valued { mv, worth: *worth }));
            }
        }
        // Named moves first, then in the game's order; a lost position has only lost moves.
        let lost = matches!(known.worth, Worth::Exact(value) if value.payoff() == -most) && !game.has_dice();
        let mut order: Vec<usize> = (0..classes.len()).filter(|&class| !worths[class].is_settled()).collect();
        if lost && matches!(known.worth, Worth::Exact(value) if value.distance().is_none()) {
            // How long each takes is not known either way, so there is nothing to find out.
            for &class in &order {
                worths[class] = known.worth;
                classes[class].moves.iter().for_each(|&mv| found(&Valued { mv, worth: known.worth }));
            }
            order.clear();
        }
        // Of a position that is not known at once, no move is.
        if self.reach == Reach::AtOnce && !known.worth.is_settled() {
            order.clear();
        }
        let turn = game.turn(pos);
        let mut left = order.len();
        for class in order {
            let enough = ask == Ask::Best && self.has_best(&known, &worths, most);
            if enough || self.clock.stopped() {
                break;
            }
            let next = game.play(pos, classes[class].moves[0]);
            let share = self.clock.rest().map_or(Duration::MAX, |rest| rest / left.max(1) as u32);
            left -= 1;
            let clock = self.clock.within(share);
            let ladder = Ladder { clock: &clock, ..*self };
            let began = Instant::now();
            let child = ladder.ask(&next, verdict, &mut |sentence| {
                if !notes.contains(&sentence) {
                    notes.push(sentence);
                }
            })?;
            self.write_down(&next, &child, began.elapsed());
            if child.source == Source::Search && known.source != Source::Search && !known.worth.is_settled() {
                known.source = Source::Search;
            }
            known.nodes += child.nodes;
            known.probe_hits = match (known.probe_hits, child.probe_hits) {
                (Some(a), Some(b)) => Some(a + b),
                (a, b) => a.or(b),
            };
            let worth = child.worth.before(game.turn(&next) == turn).and(worths[class]);
            worths[class] = worth;
            if worth.is_settled() {
                classes[class].moves.iter().for_each(|&mv| found(&Valued { mv, worth }));
            }
        }
        if !game.has_dice() {
            self.flow(&mut known, &mut worths, &classes, most, found);
        }
        let mut moves: Vec<Valued> = Vec::with_capacity(list.len());
        for (class, worth) in classes.iter().zip(&worths) {
            moves.extend(class.moves.iter().map(|&mv| Valued { mv, worth: *worth }));
        }
        moves.sort_unstable_by_key(|valued| valued.mv);
        let (best, all) = self.best(turn, &known, &moves);
        known.best = best.clone();
        self.write_down(pos, &known, took);
        Ok(Asked { known, moves, best, all, notes })
    }

    /// Bounds between a position and its moves, both ways.
    fn flow(
        &self,
        known: &mut Known,
        worths: &mut [Worth],
        classes: &[Class],
        most: i32,
        found: &mut dyn FnMut(&Valued),
    ) {
        // The position is worth what its best move is.
        let settled: Option<Vec<Value>> = worths
            .iter()
            .map(|worth| if let Worth::Exact(value) = worth { Some(*value) } else { None })
            .collect();
        let top = worths
            .iter()
            .filter_map(|worth| if let Worth::Exact(value) = worth { Some(*value) } else { None });
        let top = top.max();
        if let Some(values) = settled.filter(|values| !values.is_empty()) {
            let best = values.into_iter().max().map(Worth::Exact);
            // A position that is known without its distance learns it from its moves.
            let timed = |worth: Worth| matches!(worth, Worth::Exact(value) if value.payoff() == 0 || value.distance().is_some());
            if !timed(known.worth) || !known.worth.is_settled() {
                known.worth = best.unwrap_or(known.worth);
            }
        } else if let Some(top) = top.filter(|top| top.payoff() == most) {
            // Nothing pays more, though another move may be sooner.
            if !known.worth.is_settled() {
                known.worth = Worth::Exact(Value::untimed(top.payoff()));
            }
        }
        let low = worths.iter().map(|worth| worth.bounds(most).0).max().unwrap_or(-most);
        let high = worths.iter().map(|worth| worth.bounds(most).1).max().unwrap_or(most);
        known.worth = known.worth.and(between(low.min(high), high));
        // No move is worth more than the position, and if one alone can be worth as much, it is.
        let (low, high) = known.worth.bounds(most);
        for worth in worths.iter_mut() {
            if let Worth::Between(a, b) = *worth {
                *worth = between(a.min(high), b.min(high));
            }
        }
        let able: Vec<usize> =
            (0..worths.len()).filter(|&class| worths[class].bounds(most).1 >= low).collect();
        if let [only] = able[..]
            && let Worth::Between(a, b) = worths[only]
        {
            let worth = if known.worth.is_settled() { known.worth } else { between(a.max(low), b) };
            worths[only] = worth;
            if worth.is_settled() {
                classes[only].moves.iter().for_each(|&mv| found(&Valued { mv, worth }));
            }
        }
    }

    /// Whether the value is known and so is a move that keeps it.
    fn has_best(&self, known: &Known, worths: &[Worth], most: i32) -> bool {
        let top = worths
            .iter()
            .filter_map(|worth| if let Worth::Exact(value) = worth { Some(*value) } else { None });
        match (known.worth, top.max()) {
            (Worth::Exact(value), Some(top)) => {
                top >= value || top.payoff() == value.payoff() && value.distance().is_none()
            }
            (Worth::Between(..), Some(top)) => top.payoff() == most,
            _ => false,
        }
    }

    /// The moves that are certainly best, and whether these are all.
    fn best(&self, turn: Turn, known: &Known, moves: &[Valued]) -> (Vec<AnyMove>, bool) {
        if turn == Turn::Chance {
            return (Vec::new(), true);
        }
        if self.entry.game().has_dice() {
            let wish = if turn == Turn::Second { -1.0 } else { 1.0 };
            let mean =
                |valued: &Valued| if let Worth::Mean(mean) = valued.worth { Some(wish * mean) } else { None };
            let best = moves.iter().filter_map(mean).fold(f64::NEG_INFINITY, f64::max);
            let all = moves.iter().all(|valued| valued.worth.is_settled());
            let good = moves.iter().filter(|valued| mean(valued).is_some_and(|mean| mean >= best - EQUAL));
            return if all { (good.map(|valued| valued.mv).collect(), true) } else { (Vec::new(), false) };
        }
        let Worth::Exact(value) = known.worth else { return (Vec::new(), false) };
        let timed = |value: Value| value.payoff() == 0 || value.distance().is_some();
        let (mut best, mut all) = (Vec::new(), true);
        for valued in moves {
            match valued.worth {
                Worth::Exact(other) if timed(value) && timed(other) => {
                    if other.cmp(&value).is_eq() {
                        best.push(valued.mv);
                    }
                }
                // Where nobody knows how soon the position is decided, equal payoffs are equally good.
                Worth::Exact(other) if !timed(value) && other.payoff() == value.payoff() => {
                    best.push(valued.mv)
                }
                // How soon this one comes to the same end is not known.
                Worth::Exact(other) => all &= other.payoff() != value.payoff(),
                _ => all = false,
            }
        }
        (best, all)
    }

    /// Moves that lead to symmetric positions share one answer.
    fn classes(&self, pos: &AnyPosition, list: &[AnyMove]) -> Vec<Class> {
        let game = self.entry.game();
        // Where there are very many, looking at their images takes longer than it spares.
        if list.len() > LISTED || game.has_dice() {
            return list.iter().map(|&mv| Class { moves: vec![mv] }).collect();
        }
        let mut classes: Vec<Class> = Vec::new();
        let mut seen: FxHashMap<AnyPosition, usize> = FxHashMap::default();
        let mut images = Vec::new();
        for &mv in list {
            let next = game.play(pos, mv);
            if let Some(&class) = seen.get(&next) {
                classes[class].moves.push(mv);
                continue;
            }
            images.clear();
            game.symmetric(&next, &mut images);
            seen.insert(next, classes.len());
            for image in images.drain(..) {
                seen.insert(image, classes.len());
            }
            classes.push(Class { moves: vec![mv] });
        }
        classes
    }

    /// Keeps what took long to find.
    fn write_down(&self, pos: &AnyPosition, known: &Known, took: Duration) {
        let Worth::Exact(value) = known.worth else { return };
        if let Some(data) = self.options.data.as_ref().filter(|_| self.options.keep)
            && known.source == Source::Search
            && took >= WORTH_KEEPING
        {
            let note = Note { value, best: known.best.clone() };
            self.entry.notes(data).add(self.entry.game(), pos, &note);
        }
    }

    /// One line of best play, as far as it is known without further work; stops when a position comes back.
    fn line(&self, pos: &AnyPosition, asked: &Asked) -> Result<Vec<String>, Trouble> {
        let game = self.entry.game();
        // Without distances there is no telling which of the best moves comes to an end.
        let timed = |worth: Worth| matches!(worth, Worth::Exact(value) if value.payoff() == 0 || value.distance().is_some());
        if !timed(asked.known.worth) {
            return Ok(Vec::new());
        }
        if let Some(line) = self.principal_variation(pos, asked)? {
            return Ok(line);
        }
        let at_once = Ladder { reach: Reach::AtOnce, ..*self };
        let (mut pos, mut seen, mut line) = (pos.clone(), FxHashSet::default(), Vec::new());
        let mut best = asked.all.then(|| asked.best.first().copied()).flatten();
        while let Some(mv) = best.filter(|_| line.len() < LINE && seen.insert(pos.clone())) {
            line.push(game.write_move(&pos, mv));
            pos = game.play(&pos, mv);
            let here = at_once.moves(&pos, Ask::Moves, false, &mut |_| {})?;
            best = if here.all { here.best.first().copied() } else { None };
        }
        Ok(line)
    }

    /// The line that the connect-k solver knows from its search, where it searched.
    fn principal_variation(&self, pos: &AnyPosition, asked: &Asked) -> Result<Option<Vec<String>>, Trouble> {
        let searched = asked.known.source == Source::Search && self.reach == Reach::Far;
        let board = self.entry.game().board(pos).filter(|board| {
            searched && self.entry.wholes().is_empty() && outplay_connect::check(board).is_ok()
        });
        let Some(board) = board else { return Ok(None) };
        let limits = outplay_connect::Limits { nodes: None, time: self.clock.rest() };
        let line = self.entry.with_solver(&board, self.options.hash, |solver| {
            solver.principal_variation(&board, limits, self.clock, self.options.threads)
        })?;
        Ok(Some(line.iter().map(|column| (column + 1).to_string()).collect()))
    }
}

/// Moves whose positions are the same up to symmetry.
struct Class {
    moves: Vec<AnyMove>,
}
