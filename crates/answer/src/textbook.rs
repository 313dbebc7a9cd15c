//! Methods that are there to be watched: as books on games have them, on any game of a modest size.
//!
//! ```text
//!  breadth                          minimax level by level
//!  retrograde, sweep-until-stable   for games without loops, too, which need neither
//!  expectimax, star1, star2         looking ahead through dice, deeper and deeper
//! ```
//!
//! They run on [`AnyGame`](outplay_core::AnyGame), so that they are compiled once: who wants speed has other methods.

use crate::Trouble;
use crate::answers::{How, SolveAnswer};
use crate::entry::Entry;
use crate::kernels::{Cycles, LoopValues, Loops};
use crate::ladder::Worth;
use crate::request::{Method, SolveRequest};
use crate::shelves::untimed;
use outplay_core::{AnyPosition, Deadline, Game, Index, Native, Watch};
use outplay_search::{DiceMethod, Limits, MOST_PLIES, SearchError, Zero, breadth_first};
use outplay_solve::{Explored, Options, SolveError, WideLoopCode, retrograde_by_graph};
use outplay_table::Values;
use std::sync::Arc;

/// Bytes that a position with its types hidden and its moves take on the heap, more or less.
const HELD: u64 = 200;

impl Entry {
    /// How many positions with their types hidden fit, at least a thousand.
    fn most_hidden(&self, pos: &AnyPosition, memory: u64) -> u64 {
        (memory / (Explored::bytes_per_position(self.game(), pos) + HELD)).max(1000)
    }

    /// `solve --method breadth`: all positions of a level, then all of the next.
    pub(crate) fn solve_by_breadth(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        if self.game().has_dice() {
            return Err(Trouble::method(format!("{} has dice", self.spec()), Method::Chance));
        }
        if self.kernels().loops() == Some(true) {
            let why = format!("{} can go round in circles, so that its levels never end", self.spec());
            return Err(Trouble::method(why, Method::Retrograde));
        }
        watch.stage("growing levels", 0);
        let most = self.most_hidden(&pos, request.options.memory);
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let found = match breadth_first(self.game(), &pos, &Zero, MOST_PLIES, most, watch) {
            Err(SearchError::TooLarge(_)) => return Err(SolveError::TooLarge(most as u64).into()),
            found => found?,
        };
        let report = found.report;
        if report.answer.exact().is_none() && watch.stopped() {
            return Err(Trouble::stopped());
        }
        let worth = request.told_worth(Worth::found(report.answer, self.game().best_payoff()));
        let how = How::By(Method::Breadth);
        let mut answer = self.blank_answer(request, how, None, report.counts.nodes)?;
        answer.answer = self.told(&pos, worth);
        let best: Vec<_> = report.best.filter(|_| worth.is_settled()).into_iter().collect();
        answer.best = self.names(&pos, &best);
        answer.depth = Some(found.levels.len().saturating_sub(1) as u32);
        answer.counters = Some(report.counts);
        answer.levels = Some(found.levels);
        Ok(answer)
    }

    /// `retrograde` and `sweep-until-stable` of a game without loops: all that follows from the position is explored, and
    /// solved as if it had some. Nothing is stored, because other methods do that.
    pub(crate) fn solve_without_need(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        let game = self.game();
        let pos = self.locate(&request.place)?;
        watch.stage("exploring", 0);
        let most = self.most_hidden(&pos, request.options.memory);
        let index = Arc::new(Explored::new(game, &pos, most, watch)?);
        watch.stage("solving", index.positions().len() as u64);
        let distance = request.values == Values::Distance;
        let solved: Box<dyn LoopValues> = if request.method == Method::UntilStable {
            Loops::listed(Native::new(game.clone()), index.clone()).until_stable(watch)?
        } else {
            let options = Options { distance, ..Options::default() };
            Box::new(retrograde_by_graph::<_, _, WideLoopCode>(game, &*index, options, watch)?)
        };
        let tally = if distance { solved.tally().clone() } else { untimed(solved.tally()) };
        let value = |pos: &AnyPosition| {
            let (tier, number) = index.rank(pos);
            Ok(solved.value(tier, number).map(|value| Worth::Exact(request.told(value))))
        };
        let nodes = tally.first_view().total();
        let blank = self.blank_answer(request, How::By(request.method), Some(&tally), nodes)?;
        let mut answer = self.filled(request, &pos, &value, blank)?;
        answer.sweeps = solved.changes().map(<[u64]>::to_vec);
        let why = "play never returns to an earlier position here, so that one sweep from the end would have been enough";
        answer.notes.push(why.into());
        Ok(answer)
    }

    /// Looks ahead through dice, deeper and deeper, until the mean is exact.
    pub(crate) fn solve_through_dice(
        &self,
        method: DiceMethod,
        request: &SolveRequest,
        clock: &Deadline<'_>,
    ) -> Result<SolveAnswer, Trouble> {
        let pos = self.locate(&request.place)?;
        if !self.game().has_dice() {
            return Err(Trouble::method(format!("{} has no dice", self.spec()), Method::Search));
        }
        clock.stage("searching", 0);
        let mut answer = self.blank_answer(request, How::By(request.method), None, 0)?;
        let mut counters = outplay_core::Counters::default();
        let mut opinion = None;
        for depth in 1..=MOST_PLIES {
            let limits = Limits { time: clock.rest(), ..Limits::depth(depth) };
            let Some(report) = self.kernels().expect(&pos, method, limits, clock) else { break };
            let report = report?;
            counters += report.counters();
            let Some(mean) = report.value else { break };
            answer.depth = Some(depth);
            if report.exact {
                answer.answer = self.told(&pos, Worth::Mean(mean));
                answer.best = self.names(&pos, &report.best.into_iter().collect::<Vec<_>>());
                opinion = None;
                break;
            }
            opinion = Some((depth, mean));
            if clock.stopped() {
                break;
            }
        }
        if let Some((depth, mean)) = opinion {
            answer.notes.push(format!(
                "{depth} plies ahead the mean is {mean:+.6}, games that are not over by then counted as 0"
            ));
        }
        answer.nodes = counters.nodes;
        answer.counters = Some(counters);
        Ok(answer)
    }
}
