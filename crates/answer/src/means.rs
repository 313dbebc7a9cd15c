//! Mean payoffs of games with dice: solving, and tables of them.

use crate::Trouble;
use crate::answers::{How, Settled, SolveAnswer, Stored, VerifyReport};
use crate::entry::Entry;
use crate::kernels::{MeanFiles, Means, Numbering};
use crate::ladder::Worth;
use crate::request::{Method, SolveRequest};
use crate::shelves::Shelves;
use crate::solve::{open_writer, stored};
use crate::sources::Whole;
use crate::tables::QUERY_POSITIONS;
use outplay_core::{AnyPosition, Notation, Quiet, Tier, Watch};
use outplay_solve::{Expected, Settle};
use outplay_table::{Values, Writer};
use std::path::Path;
use std::sync::Arc;

/// How far a stored mean may be from what follows by the rules, beyond the tolerance it was settled with.
const ROUNDING: f64 = 1e-14;

/// By how much the bound that is shown may exceed the one that is told: the manifest has it in decimal digits.
const SLIGHTLY: f64 = 1.0 + 1e-9;

/// Where means come from.
enum Source {
    /// A table, and what its manifest says about how far means are from the exact ones.
    Table(Shelves, Option<f64>),
    Memory(Expected),
}

/// Means of all positions of a game, from a table or in memory.
pub(crate) struct KnownMeans {
    index: Arc<dyn Means>,
    source: Source,
}

impl KnownMeans {
    pub(crate) fn in_memory(index: Arc<dyn Means>, expected: Expected) -> KnownMeans {
        KnownMeans { index, source: Source::Memory(expected) }
    }

    /// The mean payoff of a position; `None` if it is not held.
    pub(crate) fn mean(&self, pos: &AnyPosition) -> Result<Option<f64>, Trouble> {
        let at = |tier: Tier, number: u64| match &self.source {
            Source::Memory(expected) => Ok(expected.value(tier, number)),
            Source::Table(shelves, _) => {
                // Tables of means have all tiers.
                let Some((table, tier)) = shelves.at(tier) else { return Ok(f64::NAN) };
                Ok(table.code::<f64>(tier, number)?.unwrap_or(f64::NAN))
            }
        };
        self.index.mean(pos, &at)
    }

    /// How far any of the means is from the exact one at most, where that is known.
    pub(crate) fn bound(&self) -> Option<f64> {
        match &self.source {
            Source::Memory(expected) => expected.bound(),
            Source::Table(_, bound) => *bound,
        }
    }
}

/// What a table's manifest says about how its means were settled.
fn told(shelves: &Shelves) -> Option<Settled> {
    serde_json::from_value(shelves.table().summary()?.get("settled")?.clone()).ok()
}

impl Entry {
    /// The numbering of a game with dice: the one that came along, or every position explored.
    fn dice_index(&self, most: u64, watch: &dyn Watch) -> Result<Arc<dyn Means>, Trouble> {
        match self.numbering(most, watch)? {
            Numbering::Means(means) => Ok(means),
            _ => Err(Trouble::method(format!("{} has no dice", self.spec()), Method::Auto)),
        }
    }

    /// The table of means, if there is a complete one.
    pub(crate) fn find_means(&self, data: &Path, watch: &dyn Watch) -> Result<Option<KnownMeans>, Trouble> {
        if !data.join(outplay_table::name(&self.spec(), Values::Expected)).is_dir() {
            return Ok(None);
        }
        let index = self.dice_index(QUERY_POSITIONS, watch)?;
        let shelves = self.plan(&Numbering::Means(index.clone()), Values::Expected).open(data)?;
        Ok(shelves.map(|shelves| {
            let bound = told(&shelves).and_then(|settled| settled.bound);
            KnownMeans { index, source: Source::Table(shelves, bound) }
        }))
    }

    /// How far the means that a source told are from the exact ones at most; nothing if it is not known.
    pub(crate) fn bound_of_means(
        &self,
        pos: &AnyPosition,
        data: Option<&Path>,
        source: crate::Source,
    ) -> Option<f64> {
        if source == crate::Source::Table {
            return self.kept_means(data?, &Quiet).ok()??.bound();
        }
        // The first that knows the position is the one that was asked.
        let knows = |whole: &Arc<Whole>| whole.worth(self.game(), pos).is_ok_and(|worth| worth.is_some());
        match &*self.wholes().into_iter().find(knows)? {
            Whole::Means(means) => means.bound(),
            _ => None,
        }
    }

    /// `solve --method chance`.
    pub(crate) fn solve_by_chance(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
    ) -> Result<SolveAnswer, Trouble> {
        if !self.game().has_dice() {
            return Err(Trouble::method(format!("{} has no dice", self.spec()), Method::Auto));
        }
        let pos = self.locate_if_any(&request.place)?;
        let allowed = request.options.memory;
        let index = self.dice_index(self.most_explored(allowed), watch)?;
        let plan = self.plan(&Numbering::Means(index.clone()), Values::Expected);
        // Ranks that solve together read a table that is there tier by tier, since only one of them has it.
        if let Some(data) = request.data().filter(|_| request.crew().is_none())
            && let Ok(Some(shelves)) = plan.open(data)
            && shelves.check().is_ok()
            && let Some(settled) = told(&shelves)
        {
            let bytes = shelves.bytes(index.numbers());
            let (name, data) = (shelves.table().name().to_string(), data.display().to_string());
            let known = KnownMeans { index, source: Source::Table(shelves, settled.bound) };
            let mut answer = self.mean_answer(request, How::Table, &known, pos.as_ref())?;
            answer.settled = Some(settled);
            answer.table = Some(Stored { name, data, bytes, found: true });
            return Ok(answer);
        }
        // Exploring keeps to the limit by itself; an index that came along may be of any size.
        let needed = index.bytes();
        if needed > allowed.into() {
            return Err(Trouble::Memory { needed, allowed });
        }
        let writer = match request.data() {
            Some(data) => Some(open_writer(data, plan.identities[0].clone(), request)?),
            None => None,
        };
        // A damaged tier counts as not written from here on, and is solved again.
        writer.as_ref().map(Writer::check).transpose()?;
        let mut files = MeanFiles { writer: writer.as_ref(), crew: request.crew().cloned() };
        let expected = index.solve(&mut files, watch)?;
        let tolerance = if index.numbers().has_loops() { Settle::default().tolerance } else { 0.0 };
        let settled = Settled {
            tolerance,
            change: expected.change(),
            rounds: expected.rounds(),
            bound: expected.bound(),
        };
        let tiers = index.numbers().sizes().len() as u32;
        let values = (0..tiers).flat_map(|t| expected.values(Tier(t)));
        let positions = values.filter(|value| !value.is_nan()).count() as u64;
        let known = KnownMeans { index, source: Source::Memory(expected) };
        let mut answer = self.mean_answer(request, How::By(Method::Chance), &known, pos.as_ref())?;
        answer.nodes = positions;
        answer.settled = Some(settled);
        if let (Some(writer), Some(data)) = (writer, request.data()) {
            answer.table = Some(stored(&writer, data)?);
            writer.finish(serde_json::json!({ "settled": settled, "positions": positions }))?;
        }
        Ok(answer)
    }

    fn mean_answer(
        &self,
        request: &SolveRequest,
        how: How,
        known: &KnownMeans,
        pos: Option<&AnyPosition>,
    ) -> Result<SolveAnswer, Trouble> {
        let blank = self.blank_answer(request, how, None, 0)?;
        let Some(pos) = pos else { return Ok(blank) };
        let value = |pos: &AnyPosition| Ok(known.mean(pos)?.map(Worth::Mean));
        self.filled(request, pos, &value, blank)
    }

    /// `verify` for a table of means.
    pub(crate) fn verify_means(
        &self,
        data: &Path,
        watch: &dyn Watch,
    ) -> Result<Option<VerifyReport>, Trouble> {
        let Some(KnownMeans { index, source: Source::Table(shelves, told) }) =
            self.find_means(data, watch)?
        else {
            return Ok(None);
        };
        let tiers = index.numbers().sizes().len() as u32;
        watch.stage("deriving means again", index.numbers().sizes().iter().sum());
        let values: Result<Vec<Vec<f64>>, Trouble> = (0..tiers)
            .map(|t| {
                let table = shelves.at(Tier(t));
                Ok(table.map(|(table, tier)| table.read_tier(tier)).transpose()?.unwrap_or_default())
            })
            .collect();
        let values = values?;
        // Values within the bound of the exact ones are within twice the bound of what follows by the rules.
        let tolerance = told.map_or(Settle::default().tolerance, |bound| 2.0 * bound) + ROUNDING;
        let means = index.verify(&values, tolerance, watch)?;
        let first = means.first_wrong;
        let position = first.and_then(|(tier, number, ..)| index.numbers().position(tier, number));
        let mut report = VerifyReport {
            game: self.spec(),
            checked: means.checked,
            wrong: means.wrong,
            first_wrong: position.map(|pos| self.game().write_position(&pos)),
            flaw: first
                .map(|(_, _, stored, derived)| format!("the table says {stored}, its moves say {derived}")),
            bound: means.bound,
            unchecked: None,
        };
        match (means.bound, told) {
            // The manifest claims more than can be shown, and each mean by itself looks right.
            (shown, Some(told)) if report.wrong == 0 && shown.is_none_or(|shown| shown > told * SLIGHTLY) => {
                let shown = shown.map_or("none can be shown".to_string(), |shown| {
                    format!("{shown:.1e} is what can be shown")
                });
                report.wrong = means.checked;
                report.flaw = Some(format!(
                    "the table says that means are within {told:.1e} of the exact ones, and {shown}"
                ));
            }
            (None, None) => {
                report.unchecked = Some(format!(
                    "how far means are from the exact ones: each is within {tolerance:.1e} of what its moves say"
                ));
            }
            _ => {}
        }
        Ok(Some(report))
    }
}
