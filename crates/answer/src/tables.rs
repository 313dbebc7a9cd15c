//! What is asked of a game's table: values, proof, statistics, speed.

use crate::Trouble;
use crate::answers::{Counts, ProbeReport, StatsReport, StatsTier, VerifyReport};
use crate::entry::Entry;
use crate::kernels::{Numbering, Numbers};
use crate::shelves::{Plan, Shelves};
use outplay_core::{AnyPosition, Notation, Quiet, Tier, Turn, Value, Verdict, Watch};
use outplay_solve::{Flaw, TierTally, Verified};
use outplay_table::{CellKind, Identity, TableError, Values};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Up to this many positions are explored to find those of a table of a game without an index.
pub(crate) const QUERY_POSITIONS: u64 = 20_000_000;

/// A table, or several, with the index that finds positions in them.
pub(crate) struct Opened {
    pub(crate) numbering: Numbering,
    pub(crate) shelves: Shelves,
}

impl Opened {
    /// The stored value of a position; `None` if the table does not hold it.
    pub(crate) fn value(&self, pos: &AnyPosition) -> Result<Option<Value>, Trouble> {
        match &self.numbering {
            Numbering::Sweeps(sweeps) if sweeps.numbers().has(pos) => {
                Ok(sweeps.probe(self.shelves.table(), pos)?)
            }
            Numbering::Cycles(cycles) => {
                let stored = |tier, number| Ok(self.shelves.loop_value(tier, number)?);
                cycles.numbers().look_up(pos, &stored)
            }
            _ => Ok(None),
        }
    }

    pub(crate) fn has_distances(&self) -> bool {
        self.shelves.values() == Values::Distance
    }
}

/// Positions that `bench probe` asks for.
const PROBES: usize = 100_000;

impl Entry {
    /// Which tables hold the tiers of a game with loops.
    pub(crate) fn loop_plan(&self, index: &dyn Numbers, values: Values) -> Plan {
        let cell = match (values, index.best_payoff()) {
            (Values::Wdl, _) => CellKind::I8,
            (_, ..=1) => CellKind::I16,
            _ => CellKind::I32,
        };
        Plan::new(self.spec(), index, values, cell)
    }

    /// Which tables hold the game's tiers.
    pub(crate) fn plan(&self, numbering: &Numbering, values: Values) -> Plan {
        match numbering {
            Numbering::Sweeps(sweeps) => {
                Plan::new(self.spec(), sweeps.numbers(), values, sweeps.cell(values))
            }
            Numbering::Cycles(cycles) => self.loop_plan(cycles.numbers(), values),
            Numbering::Means(means) => {
                Plan::new(self.spec(), means.numbers(), Values::Expected, CellKind::F64)
            }
        }
    }

    pub(crate) fn identity(&self, numbering: &Numbering, values: Values) -> Identity {
        self.plan(numbering, values).identities[0].clone()
    }

    /// The game's table if there is a complete one; with distances rather than without unless told. Where games share
    /// tiers, those that are there answer what they can, unless all are wanted.
    pub(crate) fn find_table(
        &self,
        data: &Path,
        values: Option<Values>,
        all: bool,
        watch: &dyn Watch,
    ) -> Result<Option<Opened>, Trouble> {
        if self.game().has_dice() {
            return Ok(None);
        }
        let spec = self.spec();
        let kinds = values.map_or(vec![Values::Distance, Values::Wdl], |values| vec![values]);
        // A set of games has no directory of its own; its index says where to look and is quickly made.
        let set = matches!(self.kernels().loops(), Some(true))
            && self.index().is_some_and(|index| index.numbers().homes().iter().any(Option::is_some));
        let present = |values: &Values| set || data.join(outplay_table::name(&spec, *values)).is_dir();
        for values in kinds.into_iter().filter(present) {
            // Exploring goes through the moves in a fixed order, so that the numbers come out the same.
            let numbering = self.numbering(QUERY_POSITIONS, watch)?;
            let plan = self.plan(&numbering, values);
            if let Some(shelves) = if all { plan.open(data)? } else { plan.open_some(data)? } {
                return Ok(Some(Opened { numbering, shelves }));
            }
        }
        Ok(None)
    }

    pub(crate) fn open_table(&self, data: &Path, values: Option<Values>) -> Result<Opened, Trouble> {
        self.find_table(data, values, true, &Quiet)?.ok_or_else(|| self.no_table(data, values))
    }

    /// Says that a command is about values that a game with dice has not.
    pub(crate) fn refuse_dice(&self, what: &str) -> Result<(), Trouble> {
        let why = || format!("{what}, and {} has dice; `outplay query` tells its means", self.spec());
        if self.game().has_dice() { Err(Trouble::unable(why())) } else { Ok(()) }
    }

    fn no_table(&self, data: &Path, values: Option<Values>) -> Trouble {
        let spec = self.spec();
        let table = outplay_table::name(&spec, values.unwrap_or(Values::Distance));
        TableError::NoTable { table, spec, values, data: data.to_path_buf() }.into()
    }

    /// Derives every value of the game's table again from its successors.
    ///
    /// # Errors
    ///
    /// No table, a damaged one, or a stop.
    pub fn verify(
        &self,
        data: &Path,
        values: Option<Values>,
        watch: &dyn Watch,
    ) -> Result<VerifyReport, Trouble> {
        if self.game().has_dice() {
            let no_table = || self.no_table(data, Some(Values::Expected));
            return self.verify_means(data, watch)?.ok_or_else(no_table);
        }
        let opened = self.open_table(data, values)?;
        let verified = match &opened.numbering {
            Numbering::Cycles(_) => self.verify_loops(&opened, watch)?,
            Numbering::Sweeps(sweeps) => sweeps.verify(&self.start()?, opened.shelves.table(), watch)?,
            Numbering::Means(_) => Verified::default(),
        };
        let position =
            |(tier, number, _): (Tier, u64, Flaw)| opened.numbering.numbers().position(tier, number);
        let first_wrong = verified.first_wrong.and_then(position).map(|pos| self.game().write_position(&pos));
        let flaw = verified.first_wrong.map(|(_, _, flaw)| match flaw {
            Flaw::Missing => "it has no value".to_string(),
            Flaw::Wrong { stored, expected } => format!("the table says {stored}, its moves say {expected}"),
            Flaw::Groundless => "its value rests on nothing but itself".to_string(),
        });
        Ok(VerifyReport {
            game: self.spec(),
            checked: verified.checked,
            wrong: verified.wrong,
            first_wrong,
            flaw,
            unchecked: None,
            bound: None,
        })
    }

    /// Positions by ply, value and distance, from the game's table.
    ///
    /// # Errors
    ///
    /// No table, or a damaged one.
    pub fn stats(&self, data: &Path, values: Option<Values>) -> Result<StatsReport, Trouble> {
        self.refuse_dice("statistics count wins, draws and losses")?;
        let opened = self.open_table(data, values)?;
        let index = opened.numbering.numbers();
        let Some(tally) = opened.shelves.tally(index) else {
            let why =
                format!("the table of {} has no statistics; remove it and solve the game again", self.spec());
            return Err(Trouble::unable(why));
        };
        let names = index.tier_names().into_iter().enumerate();
        let tiers = names.zip(&tally.tiers).filter(|((t, _), _)| index.counts(Tier(*t as u32)));
        let tiers = tiers.map(|((_, name), tier)| stats_tier(name, tier));
        Ok(StatsReport {
            game: self.spec(),
            merged: tally.merged,
            tiers: tiers.collect(),
            positions: Counts::of(&tally),
            table_bytes: opened.shelves.bytes(index),
        })
    }

    /// Times random questions to the game's table.
    ///
    /// # Errors
    ///
    /// No table, or a damaged one.
    pub fn probes(
        &self,
        data: &Path,
        values: Option<Values>,
        seconds: f64,
        watch: &dyn Watch,
    ) -> Result<ProbeReport, Trouble> {
        self.refuse_dice("this asks for wins, draws and losses")?;
        let opened = self.open_table(data, values)?;
        let index = opened.numbering.numbers();
        watch.stage("choosing positions", PROBES as u64);
        let positions = self.random_positions(index, seconds, watch);
        if positions.is_empty() {
            return Err(Trouble::unable("no legal position was found to ask for"));
        }
        let pass = || -> Result<f64, Trouble> {
            let began = Instant::now();
            for pos in &positions {
                opened.value(pos)?;
            }
            Ok(positions.len() as f64 / began.elapsed().as_secs_f64())
        };
        // Nothing was decoded before the first pass; the second finds what the cache could keep.
        let cold_per_second = pass()?;
        let warm_per_second = pass()?;
        let (game, table_bytes) = (self.spec(), opened.shelves.bytes(index));
        Ok(ProbeReport {
            game,
            positions: positions.len() as u64,
            cold_per_second,
            warm_per_second,
            table_bytes,
        })
    }

    /// Legal positions, each number of the index equally likely.
    fn random_positions(&self, index: &dyn Numbers, seconds: f64, watch: &dyn Watch) -> Vec<AnyPosition> {
        let sizes = index.sizes();
        let total: u64 = sizes.iter().sum();
        let mut rng = SmallRng::seed_from_u64(7);
        let mut positions = Vec::new();
        let began = Instant::now();
        while positions.len() < PROBES && began.elapsed().as_secs_f64() < seconds && !watch.stopped() {
            let mut number = rng.random_range(0..total);
            let mut tier = 0;
            while number >= sizes[tier] {
                number -= sizes[tier];
                tier += 1;
            }
            let Some(pos) = index.position(Tier(tier as u32), number) else { continue };
            if self.is_reached(&pos) {
                positions.push(pos);
                watch.advance(1);
            }
        }
        positions
    }
}

fn stats_tier(name: String, tier: &TierTally) -> StatsTier {
    let (mut win_in, mut loss_in) = (BTreeMap::new(), BTreeMap::new());
    for (turn, values) in [(Turn::First, &tier.first), (Turn::Second, &tier.second)] {
        for (value, &count) in values {
            let verdict = if turn == Turn::Second { value.verdict().flipped() } else { value.verdict() };
            let (Some(plies), Some(list)) = (
                value.distance(),
                match verdict {
                    Verdict::Win => Some(&mut win_in),
                    Verdict::Loss => Some(&mut loss_in),
                    Verdict::Draw => None,
                },
            ) else {
                continue;
            };
            *list.entry(plies).or_insert(0) += count;
        }
    }
    StatsTier { tier: name, counts: Counts::of_tier(tier), win_in, loss_in }
}
