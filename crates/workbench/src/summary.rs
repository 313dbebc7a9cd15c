//! Summary of a solved game that the manifest of its table stores: the value of the start, and the count of every
//! value.

use crate::Trouble;
use outplay_core::{Turn, Value};
use outplay_solve::{Tally, TierTally};
use outplay_table::Table;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

/// The counts of a solved game in the form in which a manifest stores them.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Summary {
    merged: bool,
    tiers: Vec<Tier>,
}

#[derive(Clone, Debug, Serialize, Deserialize)]
struct Tier {
    finished: u64,
    first: Vec<SummaryRow>,
    second: Vec<SummaryRow>,
}

/// A payoff, a distance (none for ties, or if it was not computed), a number of positions, and whether the draw is by
/// repetition.
#[derive(Clone, Debug, Serialize, Deserialize)]
struct SummaryRow(i32, Option<u32>, u64, #[serde(default, skip_serializing_if = "std::ops::Not::not")] bool);

impl Summary {
    pub(crate) fn of(tally: &Tally) -> Summary {
        let rows = |values: &FxHashMap<Value, u64>| {
            let row = |(value, count): (&Value, &u64)| {
                SummaryRow(value.payoff(), value.distance(), *count, value.is_repetition())
            };
            let mut rows: Vec<SummaryRow> = values.iter().map(row).collect();
            // A hash map is unordered, and equal tables must have equal manifests.
            rows.sort_by_key(|row| (row.0, row.1, row.3));
            rows
        };
        let tier = |tier: &TierTally| Tier {
            finished: tier.finished,
            first: rows(&tier.first),
            second: rows(&tier.second),
        };
        Summary { merged: tally.merged, tiers: tally.tiers.iter().map(tier).collect() }
    }

    pub(crate) fn json(&self) -> Result<serde_json::Value, Trouble> {
        let why = |error| Trouble::unable(format!("the table's summary cannot be written: {error}"));
        serde_json::to_value(self).map_err(why)
    }

    /// The counts in the manifest of a table, if it has them.
    pub(crate) fn tally_of(table: &Table) -> Option<Tally> {
        let summary: Summary = serde_json::from_value(table.summary()?.clone()).ok()?;
        Some(summary.tally())
    }

    fn tally(&self) -> Tally {
        let mut tally = Tally::new(self.tiers.len() as u32, self.merged);
        for (into, from) in tally.tiers.iter_mut().zip(&self.tiers) {
            for (turn, rows) in [(Turn::First, &from.first), (Turn::Second, &from.second)] {
                for SummaryRow(payoff, distance, count, repetition) in rows {
                    let value = match (repetition, distance) {
                        (true, _) => Value::REPETITION,
                        (false, Some(plies)) => Value::new(*payoff, *plies),
                        (false, None) => Value::untimed(*payoff),
                    };
                    into.add(turn, value, *count, false);
                }
            }
            into.finished = from.finished;
        }
        tally
    }
}
