//! A sample of a table: random stored positions, each derived again from its successors.
//!
//! Whole tables are proved by `verify`, which holds a tier in memory at a time. A table beyond memory is asked position by
//! position instead: what a flaw in one position of `n` would be found with is the size of the sample over `n`.
//!
//! Invariant: which positions are drawn depends on the seed alone, not on threads.

use crate::Trouble;
use crate::answers::VerifyReport;
use crate::entry::Entry;
use crate::kernels::Numbering;
use crate::tables::Opened;
use crate::together::gone;
use outplay_core::{AnyPosition, Crew, Game, Notation, Tier, Value, Watch};
use outplay_solve::{SolveError, settled};
use outplay_table::Values;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// Positions that one task draws.
const TASK: u64 = 1024;
/// Numbers that are drawn for each position before there is said to be none.
const TRIES: u64 = 100_000;

/// What a task found: how many are wrong, and the first of them with what is wrong about it.
#[derive(Serialize, Deserialize)]
struct Sampled {
    task: u64,
    wrong: u64,
    first: Option<(String, String)>,
}

/// A position whose value is not what its moves say.
struct Wrong {
    pos: AnyPosition,
    why: String,
}

impl Entry {
    /// Derives the values of so many random stored positions again from their successors.
    ///
    /// # Errors
    ///
    /// No table, a damaged one, a game with dice, or a stop.
    pub fn verify_sample(
        &self,
        data: &Path,
        values: Option<Values>,
        (sample, seed): (u64, u64),
        watch: &dyn Watch,
    ) -> Result<VerifyReport, Trouble> {
        let found = self.sampled(data, values, (sample, seed), (0, 1), watch)?;
        Ok(self.sample_report((sample, seed), found))
    }

    /// The same by processes that all see the table: each derives a share of the sample, and all say the same.
    ///
    /// # Errors
    ///
    /// As [`Entry::verify_sample`], or a process that is gone.
    pub fn verify_sample_together(
        &self,
        data: &Path,
        values: Option<Values>,
        sample: (u64, u64),
        crew: &dyn Crew,
        watch: &dyn Watch,
    ) -> Result<VerifyReport, Trouble> {
        let found = self.sampled(data, values, sample, (crew.rank() as u64, crew.size() as u64), watch);
        crew.agree(found.as_ref().map(|_| ()).map_err(ToString::to_string)).map_err(gone)?;
        let mine = serde_json::to_vec(&found?).map_err(|error| gone(error.to_string()))?;
        let mut all: Vec<Sampled> = Vec::new();
        for bytes in crew.gather(&mine).map_err(gone)? {
            let told: Vec<Sampled> =
                serde_json::from_slice(&bytes).map_err(|error| gone(error.to_string()))?;
            all.extend(told);
        }
        all.sort_by_key(|sampled| sampled.task);
        Ok(self.sample_report(sample, all))
    }

    fn sample_report(&self, (sample, seed): (u64, u64), found: Vec<Sampled>) -> VerifyReport {
        let wrong = found.iter().map(|sampled| sampled.wrong).sum();
        let (first_wrong, flaw) = found.into_iter().find_map(|sampled| sampled.first).unzip();
        VerifyReport {
            game: self.spec(),
            checked: sample,
            wrong,
            first_wrong,
            flaw,
            unchecked: Some(format!("any position but these, which were drawn at random with seed {seed}")),
            bound: None,
        }
    }

    /// The share of a sample that one of so many processes derives, in the order of the tasks.
    fn sampled(
        &self,
        data: &Path,
        values: Option<Values>,
        (sample, seed): (u64, u64),
        (rank, ranks): (u64, u64),
        watch: &dyn Watch,
    ) -> Result<Vec<Sampled>, Trouble> {
        if self.game().has_dice() {
            let spec = self.spec();
            let why = "a sample is of wins, draws and losses";
            return Err(Trouble::unable(format!(
                "{why}, and {spec} has dice; `outplay verify {spec}` checks all of its means"
            )));
        }
        let opened = self.open_table(data, values)?;
        watch.stage("verifying", sample / ranks);
        let sizes = opened.numbering.numbers().sizes();
        (0..sample.div_ceil(TASK))
            .into_par_iter()
            .filter(|task| task % ranks == rank)
            .map(|task| {
                let rng = SmallRng::seed_from_u64(seed ^ task.wrapping_mul(0x9e37_79b9_7f4a_7c15));
                let count = TASK.min(sample - task * TASK);
                let (wrong, first) = self.check_some(&opened, &sizes, count, rng, watch)?;
                let first = first.map(|wrong| (self.game().write_position(&wrong.pos), wrong.why));
                Ok(Sampled { task, wrong, first })
            })
            .collect()
    }

    /// Checks so many positions; returns how many are wrong, and the first of them.
    fn check_some(
        &self,
        opened: &Opened,
        sizes: &[u64],
        count: u64,
        mut rng: SmallRng,
        watch: &dyn Watch,
    ) -> Result<(u64, Option<Wrong>), Trouble> {
        let total: u64 = sizes.iter().sum();
        let (mut wrong, mut first) = (0, None);
        for _ in 0..count {
            let mut tries = 0;
            let pos = loop {
                if watch.stopped() {
                    return Err(SolveError::Stopped.into());
                }
                if let Some(pos) = self.drawn(opened, sizes, rng.random_range(0..total.max(1))) {
                    break pos;
                }
                tries += 1;
                if tries == TRIES {
                    return Err(Trouble::unable(
                        "no stored position was found; verify the table without a sample",
                    ));
                }
            };
            if let Some(why) = self.flaw(opened, &pos)? {
                wrong += 1;
                first.get_or_insert(Wrong { pos, why });
            }
            watch.advance(1);
        }
        Ok((wrong, first))
    }

    /// The position with a number among those of all tiers, if it is legal and the table has to hold it.
    fn drawn(&self, opened: &Opened, sizes: &[u64], mut number: u64) -> Option<AnyPosition> {
        let tier = sizes.iter().position(|&size| match number.checked_sub(size) {
            Some(left) => {
                number = left;
                false
            }
            None => true,
        })?;
        let pos = opened.numbering.numbers().position(Tier(tier as u32), number)?;
        let by_rules = match &opened.numbering {
            Numbering::Sweeps(_) => settled(self.game(), &pos, &mut Vec::new()).is_some(),
            _ => self.game().outcome(&pos).is_some(),
        };
        if by_rules {
            return None;
        }
        self.is_reached(&pos).then_some(pos)
    }

    /// What is wrong with the stored value of a position.
    fn flaw(&self, opened: &Opened, pos: &AnyPosition) -> Result<Option<String>, Trouble> {
        let Some(stored) = opened.value(pos)? else { return Ok(Some("it has no value".into())) };
        let (game, turn) = (self.game(), self.game().turn(pos));
        let mut moves = Vec::new();
        game.moves(pos, &mut moves);
        let mut best: Option<Value> = None;
        for mv in moves {
            let next = game.play(pos, mv);
            let value = match game.outcome(&next) {
                Some(payoff) => Some(Value::new(game.turn(&next).sees(payoff), 0)),
                None => opened.value(&next)?,
            };
            let Some(value) = value else {
                return Ok(Some(format!(
                    "{}, one of its successors, has no value",
                    game.write_position(&next)
                )));
            };
            best = best.max(Some(value.before(game.turn(&next) == turn)));
        }
        // A draw is a draw: whether it is by repetition is not stored.
        let same = |a: Value, b: Value| match opened.has_distances() && stored.payoff() != 0 {
            true => a == b,
            false => a.verdict() == b.verdict(),
        };
        let expected = best.filter(|&best| !same(stored, best));
        Ok(expected.map(|expected| format!("the table says {stored}, its moves say {expected}")))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Method, SolveRequest};
    use outplay_core::{Code, Native, Quiet};
    use outplay_games::Spec;
    use outplay_games::mnk::{Mnk, MnkIndex, Rules};
    use outplay_table::Writer;

    fn board(spec: &str) -> Entry {
        let rules = Spec::parse(spec).and_then(Rules::from_spec).expect("a board");
        let game = Mnk::<u64>::new(rules).expect("a small board");
        Entry::indexed(Native::new(game).lines(), MnkIndex::new, None)
    }

    #[test]
    fn right_tables_pass_and_wrong_ones_do_not() {
        let dir = tempfile::tempdir().expect("a directory");
        for values in [Values::Distance, Values::Wdl] {
            let game = board("connect:4x4,k=3");
            let mut request = SolveRequest::default();
            (request.method, request.values, request.store) = (Method::Dense, values, true);
            request.options.data = Some(dir.path().to_path_buf());
            game.solve(&request, &Quiet).expect("a small board");
            let sample =
                |seed| game.verify_sample(dir.path(), Some(values), (3000, seed), &Quiet).expect("a table");
            let right = sample(1);
            assert_eq!((right.checked, right.wrong, right.first_wrong), (3000, 0, None));

            let numbering = game.numbering(1, &Quiet).expect("an index");
            let identity = game.identity(&numbering, values);
            let (name, slots) = (identity.name(), identity.slots.clone());
            outplay_table::remove(dir.path(), &name).expect("a table");
            let writer = Writer::open(dir.path(), identity).expect("a directory");
            let win = if values == Values::Wdl { 1 } else { i8::pack(Value::win(5)).expect("a code") };
            for (tier, &slots) in slots.iter().enumerate() {
                let tier = writer.tier::<i8>(Tier(tier as u32)).expect("a tier");
                tier.put_all(&vec![win; slots as usize]).and_then(|()| tier.finish()).expect("room");
            }
            writer.finish(serde_json::json!({})).expect("room");
            let wrong = sample(1);
            assert!(wrong.wrong > 1000 && wrong.first_wrong.is_some(), "{}", wrong.wrong);
            assert_eq!(wrong.first_wrong, sample(1).first_wrong, "the seed decides");
        }
    }
}
