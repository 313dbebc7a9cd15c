//! What is asked of a game's table: values, proof, statistics, speed.

use crate::Trouble;
use crate::answers::{Counts, MoveAnswer, ProbeReport, QueryAnswer, StatsReport, StatsTier, VerifyReport};
use crate::entry::{Entry, QUERY_POSITIONS};
use crate::shelves::{Plan, Shelves};
use crate::solved::AnyIndex;
use outplay_core::{Game, Notation, Quiet, Tier, Turn, Value, Verdict, Watch};
use outplay_solve::{Flaw, TierTally};
use outplay_table::{CellKind, Identity, TableError, Values};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::Instant;

/// A table, or several, with the index that finds positions in them.
pub(crate) struct Opened<G: Game> {
    pub(crate) index: Arc<dyn AnyIndex<G>>,
    pub(crate) shelves: Shelves,
    /// Play can go round in circles, and the tables hold every position.
    loops: bool,
}

impl<G: Game> Opened<G> {
    /// The stored value of a position; `None` if the table does not hold it.
    pub(crate) fn value(&self, game: &G, pos: &G::Position) -> Result<Option<Value>, Trouble> {
        if self.loops {
            let stored = |tier, number| Ok(self.shelves.loop_value(tier, number)?);
            return self.index.look_up(game, pos, &stored);
        }
        if !self.index.has(pos) {
            return Ok(None);
        }
        Ok(self.index.probe(game, self.shelves.table(), pos)?)
    }
}

/// Positions that `bench probe` asks for.
const PROBES: usize = 100_000;

impl<G: Game + Notation> Entry<G> {
    /// The index over which the game's table is written.
    fn table_index(&self) -> Result<Arc<dyn AnyIndex<G>>, Trouble> {
        match self.tight_index() {
            Some(index) => Ok(Arc::from(index)),
            // Exploring goes through the moves in a fixed order, so that the numbers come out the same.
            None => Ok(self.explored(QUERY_POSITIONS, &Quiet)?),
        }
    }

    /// Which tables hold the game's tiers.
    pub(crate) fn plan(&self, index: &dyn AnyIndex<G>, values: Values) -> Plan {
        let cell = match (index.has_loops(), values, self.game.best_payoff()) {
            (false, ..) => index.cell(&self.game, values),
            (true, Values::Wdl, _) => CellKind::I8,
            (true, _, ..=1) => CellKind::I16,
            (true, ..) => CellKind::I32,
        };
        Plan::new(self.game.spec(), index, values, cell)
    }

    pub(crate) fn identity(&self, index: &dyn AnyIndex<G>, values: Values) -> Identity {
        Identity {
            spec: self.game.spec(),
            version: index.rules(),
            values,
            cell: index.cell(&self.game, values),
            slots: index.sizes(),
        }
    }

    /// The game's table if there is a complete one; with distances rather than without unless told.
    pub(crate) fn find_table(
        &self,
        data: &Path,
        values: Option<Values>,
    ) -> Result<Option<Opened<G>>, Trouble> {
        let spec = self.game.spec();
        let kinds = values.map_or(vec![Values::Distance, Values::Wdl], |values| vec![values]);
        // A set of games has no directory of its own; its index says where to look and is quickly made.
        let set = self.tight_index().is_some_and(|index| index.homes().iter().any(Option::is_some));
        let present = |values: &Values| set || data.join(outplay_table::name(&spec, *values)).is_dir();
        for values in kinds.into_iter().filter(present) {
            let index = self.table_index()?;
            if let Some(shelves) = self.plan(&*index, values).open(data)? {
                let loops = index.has_loops();
                return Ok(Some(Opened { index, shelves, loops }));
            }
        }
        Ok(None)
    }

    /// The same for queries, which keep it open.
    pub(crate) fn kept_table(&self, data: &Path) -> Result<Option<Arc<Opened<G>>>, Trouble> {
        // What is guarded is replaced as a whole, so that a panic elsewhere leaves it sound.
        let mut kept = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((_, table)) = kept.as_ref().filter(|(of, _)| of == data) {
            return Ok(Some(table.clone()));
        }
        let found = self.find_table(data, None)?.map(Arc::new);
        // One without distances may be joined by a better one.
        if let Some(table) = found.as_ref().filter(|table| table.shelves.values() == Values::Distance) {
            *kept = Some((data.to_path_buf(), table.clone()));
        }
        Ok(found)
    }

    fn open_table(&self, data: &Path, values: Option<Values>) -> Result<Opened<G>, Trouble> {
        self.find_table(data, values)?.ok_or_else(|| self.no_table(data, values))
    }

    /// Says that a command is about values that a game with dice has not.
    fn refuse_dice(&self, what: &str) -> Result<(), Trouble> {
        let why = || format!("{what}, and {} has dice; `outplay query` tells its means", self.game.spec());
        if self.dice.is_some() { Err(Trouble::Unable(why())) } else { Ok(()) }
    }

    fn no_table(&self, data: &Path, values: Option<Values>) -> Trouble {
        let spec = self.game.spec();
        let table = outplay_table::name(&spec, values.unwrap_or(Values::Distance));
        // The cure names the command that makes just this table.
        let spec = if values == Some(Values::Wdl) { format!("{spec} --values wdl") } else { spec };
        TableError::NoTable { table, spec, data: data.to_path_buf() }.into()
    }

    pub(crate) fn probe(&self, opened: &Opened<G>, pos: &G::Position) -> Result<Option<Value>, Trouble> {
        opened.value(&self.game, pos)
    }

    /// Fills in an answer from the values of a position and what follows from it.
    pub(crate) fn query_from(
        &self,
        pos: &G::Position,
        value: impl Fn(&G::Position) -> Result<Option<Value>, Trouble>,
        blank: QueryAnswer,
    ) -> Result<QueryAnswer, Trouble> {
        let Some(found) = value(pos)? else { return Ok(blank) };
        let values = self.move_values(pos, &value)?;
        let moves = values.iter().map(|&(mv, value)| MoveAnswer {
            mv: self.game.write_move(pos, mv),
            answer: self.answer(pos, value),
            score: self.score(pos, value),
        });
        Ok(QueryAnswer {
            answer: self.answer(pos, found),
            score: self.score(pos, found),
            best: self.best(pos, &values),
            moves: moves.collect(),
            line: self.line(pos, &value)?,
            ..blank
        })
    }

    pub(crate) fn verify_table(
        &self,
        data: &Path,
        values: Option<Values>,
        watch: &dyn Watch,
    ) -> Result<VerifyReport, Trouble> {
        if self.dice.is_some() {
            let no_table = || self.no_table(data, Some(Values::Expected));
            return self.verify_means(data, watch)?.ok_or_else(no_table);
        }
        let opened = self.open_table(data, values)?;
        let verified = match opened.loops {
            true => self.verify_loop_table(&opened, watch)?,
            false => opened.index.verify(&self.game, &self.start()?, opened.shelves.table(), watch)?,
        };
        let position = |(tier, number, _): (Tier, u64, Flaw)| opened.index.position(tier, number);
        let first_wrong = verified.first_wrong.and_then(position).map(|pos| self.game.write_position(&pos));
        let flaw = verified.first_wrong.map(|(_, _, flaw)| match flaw {
            Flaw::Missing => "it has no value".to_string(),
            Flaw::Wrong { stored, expected } => format!("the table says {stored}, its moves say {expected}"),
            Flaw::Groundless => "its value rests on nothing but itself".to_string(),
        });
        Ok(VerifyReport {
            game: self.game.spec(),
            checked: verified.checked,
            wrong: verified.wrong,
            first_wrong,
            flaw,
        })
    }

    pub(crate) fn table_stats(&self, data: &Path, values: Option<Values>) -> Result<StatsReport, Trouble> {
        self.refuse_dice("statistics count wins, draws and losses")?;
        let opened = self.open_table(data, values)?;
        let Some(tally) = opened.shelves.tally(&*opened.index) else {
            let why = format!(
                "the table of {} has no statistics; remove it and solve the game again",
                self.game.spec()
            );
            return Err(Trouble::Unable(why));
        };
        let names = opened.index.tier_names().into_iter().enumerate();
        let tiers = names.zip(&tally.tiers).filter(|((t, _), _)| opened.index.counts(Tier(*t as u32)));
        let tiers = tiers.map(|((_, name), tier)| stats_tier(name, tier));
        Ok(StatsReport {
            game: self.game.spec(),
            merged: tally.merged,
            tiers: tiers.collect(),
            positions: Counts::of(&tally),
            table_bytes: opened.shelves.bytes(&*opened.index),
        })
    }

    pub(crate) fn time_probes(
        &self,
        data: &Path,
        values: Option<Values>,
        seconds: f64,
        watch: &dyn Watch,
    ) -> Result<ProbeReport, Trouble> {
        self.refuse_dice("this asks for wins, draws and losses")?;
        let opened = self.open_table(data, values)?;
        watch.stage("choosing positions", PROBES as u64);
        let positions = self.random_positions(&*opened.index, seconds, watch);
        if positions.is_empty() {
            return Err(Trouble::Unable("no legal position was found to ask for".into()));
        }
        let pass = || -> Result<f64, Trouble> {
            let began = Instant::now();
            for pos in &positions {
                self.probe(&opened, pos)?;
            }
            Ok(positions.len() as f64 / began.elapsed().as_secs_f64())
        };
        // Nothing was decoded before the first pass; the second finds what the cache could keep.
        let cold_per_second = pass()?;
        let warm_per_second = pass()?;
        let (game, table_bytes) = (self.game.spec(), opened.shelves.bytes(&*opened.index));
        Ok(ProbeReport {
            game,
            positions: positions.len() as u64,
            cold_per_second,
            warm_per_second,
            table_bytes,
        })
    }

    /// Legal positions, each number of the index equally likely.
    fn random_positions(&self, index: &dyn AnyIndex<G>, seconds: f64, watch: &dyn Watch) -> Vec<G::Position> {
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
            // Reading a position refuses what no game reaches.
            if self.game.read_position(&self.game.write_position(&pos)).is_ok() {
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
