//! The ladder: the ordered chain of value sources (rules, tables, caches, solvers) that every command asks for a
//! position's value, cheapest first.
//!
//! ```text
//!  source            what it can answer                                      cost
//!  rules             a finished position                                     nothing
//!  table             values on disk                                          microseconds
//!  solved            a subgame that an earlier query left in memory          microseconds
//!  book              the built-in opening book, or a user's                  microseconds
//!  bitplane, early   all positions of a small board                          milliseconds
//!  cached            the persistent result cache                             microseconds
//!  theory            nim-sums, pairings, boards without open lines           microseconds
//!  connect           one position of a gravity board                         open
//!  bitplane, late    all positions of a larger board                         estimated
//!  proof             win, draw or loss of any other line board               open
//!  value_iteration   means of a game with chance                             open
//!  memo              any other game, with a hash map of positions            open
//!  retrograde        a game with cycles                                      estimated
//!  engine            alpha-beta that probes tables and subgames              open
//! ```
//!
//! Invariant: every value that a source returns is correct. A source that cannot answer within the limits returns
//! nothing, or bounds; the limit is reported in a sentence.

use crate::sources::SolvedSubgame;
use crate::{GameHandle, ProvenValue, Session, Source, Trouble, sources};
use outplay_core::{AnyMove, AnyPosition, Game};
use outplay_runtime::{Deadline, Monitor};
use std::sync::Arc;
use std::time::Duration;

/// Time limit of a cheap source: one display frame, so that a click seems to be answered instantly.
const AT_ONCE: Duration = Duration::from_millis(15);

/// The result of a source for a position.
#[derive(Clone, Debug)]
pub(crate) struct SourceResult {
    pub(crate) proven: ProvenValue,
    /// Moves that are certainly best; empty if the source named none.
    pub(crate) best: Vec<AnyMove>,
    /// The kind of source.
    pub(crate) source: Source,
    /// Positions searched.
    pub(crate) nodes: u64,
    /// Positions of a search that a table answered, if it could probe one.
    pub(crate) probe_hits: Option<u64>,
    /// Whether a search was stopped before it knew value and distance, and resumes where it stopped: with more time
    /// it finds both.
    pub(crate) unfinished: bool,
}

impl SourceResult {
    /// A value and nothing else.
    pub(crate) fn new(proven: ProvenValue, source: Source) -> SourceResult {
        SourceResult { proven, best: Vec::new(), source, nodes: 0, probe_hits: None, unfinished: false }
    }

    /// Adds the result of a further source.
    fn add(&mut self, found: SourceResult) {
        self.proven = self.proven.and(found.proven);
        if !found.best.is_empty() {
            self.best = found.best;
        }
        self.source = found.source;
        self.unfinished = found.unfinished;
        self.nodes += found.nodes;
        self.probe_hits = found.probe_hits.or(self.probe_hits);
    }
}

/// The estimated cost of a source.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Cost {
    /// Negligible.
    Free,
    /// This much time, known in advance.
    Estimated(Duration),
    /// Not known in advance; `likely` if an answer can be expected within a minute.
    Open { likely: bool },
    /// The source cannot answer.
    Never,
    /// The source could answer if a limit were higher; the sentence names the limit.
    Beyond(String),
}

impl Cost {
    /// Free where the source applies.
    pub(crate) fn free_if(applies: bool) -> Cost {
        if applies { Cost::Free } else { Cost::Never }
    }
}

/// A query to a source.
pub(crate) struct Question<'a> {
    pub(crate) session: &'a Session,
    pub(crate) handle: &'a GameHandle,
    pub(crate) pos: &'a AnyPosition,
    /// Whether win, draw or loss is enough.
    pub(crate) verdict: bool,
    /// Time limit and cancellation.
    pub(crate) clock: &'a Deadline<'a>,
}

impl Question<'_> {
    /// Whether the time limit allows work of this duration.
    pub(crate) fn has_time_for(&self, time: Duration) -> bool {
        self.clock.rest().is_none_or(|rest| time <= rest)
    }

    /// The time limit without progress reports, for work inside a stage.
    pub(crate) fn quiet(&self) -> Deadline<'_> {
        self.clock.within(Duration::MAX).silent()
    }

    /// Keeps a solved subgame for later queries, and looks the position up in it.
    pub(crate) fn keep(&self, subgame: SolvedSubgame) -> Result<Option<SourceResult>, Trouble> {
        let subgame = Arc::new(subgame);
        self.session.keep_subgame(self.handle, subgame.clone());
        let proven = subgame.proven(self.handle.game(), self.pos)?;
        Ok(proven.map(|proven| SourceResult::new(proven, Source::Search)))
    }

    /// The result of work, or `None` if it timed out. A cancellation stays an error.
    pub(crate) fn unless_late<T>(&self, result: Result<T, Trouble>) -> Result<Option<T>, Trouble> {
        match result {
            Ok(found) => Ok(Some(found)),
            Err(trouble) if trouble.is_stop() && self.clock.passed() => Ok(None),
            Err(trouble) => Err(trouble),
        }
    }
}

/// A source of values of positions.
pub(crate) trait ValueSource: Sync {
    /// Estimates the cost of a query.
    fn cost(&self, ask: &Question<'_>) -> Cost;

    /// Returns the value or bounds; `None` if the source cannot answer after all.
    ///
    /// # Errors
    ///
    /// A damaged source, or a cancellation. A timeout is no error.
    fn value(&self, ask: &Question<'_>) -> Result<Option<SourceResult>, Trouble>;
}

/// The sources that a query may use.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Effort {
    /// Those that are free or take at most [`AT_ONCE`].
    AtOnce,
    /// All of them.
    Full,
}

/// The sources in their order, for one game and one budget.
pub(crate) struct Ladder<'a> {
    pub(crate) session: &'a Session,
    pub(crate) handle: &'a GameHandle,
    pub(crate) clock: &'a Deadline<'a>,
    pub(crate) effort: Effort,
    pub(crate) sources: &'a [&'a dyn ValueSource],
}

impl<'a> Ladder<'a> {
    /// All sources.
    pub(crate) fn new(
        session: &'a Session,
        handle: &'a GameHandle,
        clock: &'a Deadline<'a>,
        effort: Effort,
    ) -> Ladder<'a> {
        Ladder { session, handle, clock, effort, sources: &sources::LADDER }
    }

    /// Builds a query about a position.
    pub(crate) fn question<'b>(&'b self, pos: &'b AnyPosition, verdict: bool) -> Question<'b> {
        Question { session: self.session, handle: self.handle, pos, verdict, clock: self.clock }
    }

    /// Whether a source of this cost may be used.
    fn allows(&self, cost: &Cost) -> bool {
        match cost {
            Cost::Free => true,
            Cost::Estimated(time) => self.effort == Effort::Full || *time <= AT_ONCE,
            Cost::Open { .. } => self.effort == Effort::Full && !self.clock.stopped(),
            Cost::Never | Cost::Beyond(_) => false,
        }
    }

    /// Asks one source after the other until the value is exact. With `verdict`, win, draw or loss is enough;
    /// `report` receives a sentence about each limit that kept a source from answering.
    pub(crate) fn ask(
        &self,
        pos: &AnyPosition,
        verdict: bool,
        report: &mut dyn FnMut(String),
    ) -> Result<SourceResult, Trouble> {
        let most = self.handle.game().best_payoff();
        let mut known = SourceResult::new(ProvenValue::Between(-most, most), Source::Search);
        let ask = self.question(pos, verdict);
        for source in self.sources {
            let cost = source.cost(&ask);
            if self.allows(&cost)
                && let Some(found) = source.value(&ask)?
            {
                known.add(found);
            }
            if let (Cost::Beyond(why), Effort::Full) = (cost, self.effort) {
                report(why);
            }
            if known.proven.is_settled() {
                break;
            }
        }
        Ok(known)
    }

    /// Whether an exact answer can be expected: one that is free, that fits in the limits, or that a search usually
    /// finds.
    pub(crate) fn is_likely(&self, pos: &AnyPosition) -> bool {
        let ask = self.question(pos, false);
        self.sources.iter().any(|source| match source.cost(&ask) {
            // A free source may not know the value; asking it costs nothing.
            Cost::Free => matches!(source.value(&ask), Ok(Some(known)) if known.proven.is_settled()),
            Cost::Estimated(_) => true,
            Cost::Open { likely } => likely,
            Cost::Never | Cost::Beyond(_) => false,
        })
    }
}
