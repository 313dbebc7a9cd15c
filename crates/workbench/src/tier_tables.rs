//! Mapping of an index's tiers to tables on disk: one table, or, where games share tiers, one table per tier.
//!
//! ```text
//! morris:tapatan ── tiers 0, 1, 2 … ──▶ morris-tapatan/tier-00, tier-01, …
//! chess:KQKR     ── KQKR, KQK, KRK, KK ──▶ chess-KQKR/tier-00, chess-KQK/tier-00, …
//! ```
//!
//! Tables of games with cycles store every position, including finished ones; only holes are don't-cares.

use crate::solve_answer::finish;
use crate::summary::Summary;
use crate::{Clock, Numbers, Phases, StoredTable, Trouble};
use outplay_core::{Code, Tier, Value};
use outplay_runtime::{Monitor, threads};
use outplay_solve::{Draws, Keep, LoopCode, RetrogradeValues, Tally, TierTally, WideLoopCode};
use outplay_table::{Cell, CellKind, Identity, Table, TableError, TierWriter, Values, Writer};
use std::path::{Path, PathBuf};

/// The identities of the tables that store an index's tiers, and the location of each tier.
#[derive(Clone, Debug)]
pub(crate) struct TierLayout {
    pub(crate) identities: Vec<Identity>,
    pub(crate) places: Vec<(usize, Tier)>,
}

impl TierLayout {
    pub(crate) fn new(spec: String, index: &dyn Numbers, values: Values, cell: CellKind) -> TierLayout {
        let (sizes, homes, version) = (index.sizes(), index.homes(), index.rules());
        if homes.iter().any(Option::is_none) || homes.is_empty() {
            let places = (0..sizes.len()).map(|t| (0, Tier(t as u32))).collect();
            return TierLayout {
                identities: vec![Identity { spec, version, values, cell, slots: sizes }],
                places,
            };
        }
        let identity = |(home, size): (Option<String>, u64)| {
            home.map(|spec| Identity { spec, version, values, cell, slots: vec![size] })
        };
        let identities: Vec<Identity> = homes.into_iter().zip(sizes).filter_map(identity).collect();
        let places = (0..identities.len()).map(|t| (t, Tier(0))).collect();
        TierLayout { identities, places }
    }

    /// Whether each tier has a table of its own.
    pub(crate) fn shared(&self) -> bool {
        self.identities.len() > 1 || self.identities[0].slots.len() < self.places.len()
    }

    /// Opens all tables, if all exist and are complete.
    pub(crate) fn open(&self, data: &Path) -> Result<Option<TierTables>, Trouble> {
        Ok(self.open_some(data)?.filter(TierTables::is_complete))
    }

    /// Opens the tables that exist and are complete, if there are any.
    pub(crate) fn open_some(&self, data: &Path) -> Result<Option<TierTables>, Trouble> {
        let (mut tables, mut opened) = (Vec::new(), Vec::new());
        for identity in &self.identities {
            opened.push(match Table::open_as(data, identity) {
                Ok(table) if table.complete() => {
                    tables.push(table);
                    Some(tables.len() - 1)
                }
                // An unfinished table cannot be probed yet.
                Ok(_) | Err(TableError::NoTable { .. }) => None,
                Err(error) => return Err(error.into()),
            });
        }
        let places = self.places.iter().map(|&(table, within)| Some((opened[table]?, within))).collect();
        Ok(if tables.is_empty() { None } else { Some(TierTables { tables, places }) })
    }
}

/// Complete tables that store all or some tiers of an index.
pub(crate) struct TierTables {
    tables: Vec<Table>,
    places: Vec<Option<(usize, Tier)>>,
}

impl TierTables {
    /// Whether no tier is missing.
    pub(crate) fn is_complete(&self) -> bool {
        self.places.iter().all(Option::is_some)
    }

    /// Returns the table that stores a tier, and its tier number there.
    pub(crate) fn at(&self, tier: Tier) -> Option<(&Table, Tier)> {
        let (table, within) = self.places[tier.0 as usize]?;
        Some((&self.tables[table], within))
    }

    /// The first table that exists, which is the only one unless tiers are shared.
    pub(crate) fn table(&self) -> &Table {
        &self.tables[0]
    }

    pub(crate) fn values(&self) -> Values {
        self.table().identity().values
    }

    /// Total bytes of the tables of the game's own tiers.
    pub(crate) fn bytes(&self, index: &dyn Numbers) -> u64 {
        let shared = self.tables.len() == self.places.len();
        let counts = |&(t, _): &(usize, &Table)| !shared || index.counts(Tier(t as u32));
        self.tables.iter().enumerate().filter(counts).map(|(_, table)| table.bytes()).sum()
    }

    /// Verifies the checksum of every block, unless a table is large and unchanged.
    pub(crate) fn check_if_changed(&self, watch: &dyn Monitor) -> Result<(), TableError> {
        self.tables.iter().try_for_each(|table| table.check_if_changed(watch))
    }

    /// Sums the counts of the game's own tiers, if the tables have them.
    pub(crate) fn tally(&self, index: &dyn Numbers) -> Option<Tally> {
        if self.tables.len() < self.places.len() || self.places.len() == 1 {
            return Summary::tally_of(self.table());
        }
        let mut tally = Tally::new(self.places.len() as u32, index.has_one_side());
        for (t, table) in self.tables.iter().enumerate().filter(|(t, _)| index.counts(Tier(*t as u32))) {
            tally.tiers[t] = Summary::tally_of(table)?.tiers.pop()?;
        }
        Some(tally)
    }

    /// Reads a slot of a table of a game with cycles.
    pub(crate) fn loop_value(&self, tier: Tier, number: u64) -> Result<Option<Value>, TableError> {
        let Some((table, tier)) = self.at(tier) else { return Ok(None) };
        Ok(match table.identity().cell {
            CellKind::I8 => table.code::<i8>(tier, number)?.and_then(wdl_value),
            CellKind::I16 => table.code::<i16>(tier, number)?.and_then(loop_code::<LoopCode, i16>),
            CellKind::I32 => table.code::<i32>(tier, number)?.and_then(loop_code::<WideLoopCode, i32>),
            CellKind::F64 => None,
        })
    }

    /// Reads a whole tier of a game with cycles.
    pub(crate) fn loop_cells(&self, tier: Tier) -> Result<LoopCells, TableError> {
        let Some((table, tier)) = self.at(tier) else { return Ok(LoopCells::Wdl(Vec::new())) };
        Ok(match table.identity().cell {
            CellKind::I8 => LoopCells::Wdl(table.read_tier(tier)?),
            CellKind::I16 => LoopCells::Exact(table.read_tier(tier)?),
            _ => LoopCells::Wide(table.read_tier(tier)?),
        })
    }
}

/// The cells of a tier of a game with cycles.
pub(crate) enum LoopCells {
    Wdl(Vec<i8>),
    Exact(Vec<i16>),
    Wide(Vec<i32>),
}

impl LoopCells {
    pub(crate) fn value(&self, number: u64) -> Option<Value> {
        let n = number as usize;
        match self {
            LoopCells::Wdl(cells) => cells.get(n).copied().and_then(wdl_value),
            LoopCells::Exact(cells) => cells.get(n).copied().and_then(loop_code::<LoopCode, i16>),
            LoopCells::Wide(cells) => cells.get(n).copied().and_then(loop_code::<WideLoopCode, i32>),
        }
    }
}

/// A code with the cell type in which tables store it.
pub(crate) trait StorableCode: Draws {
    type Cell: Cell;
    fn cell(self) -> Self::Cell;
    fn of(cell: Self::Cell) -> Self;
}

impl StorableCode for LoopCode {
    type Cell = i16;
    fn cell(self) -> i16 {
        self.0
    }
    fn of(cell: i16) -> LoopCode {
        LoopCode(cell)
    }
}

impl StorableCode for WideLoopCode {
    type Cell = i32;
    fn cell(self) -> i32 {
        self.0
    }
    fn of(cell: i32) -> WideLoopCode {
        WideLoopCode(cell)
    }
}

fn loop_code<C: StorableCode<Cell = D>, D: Cell>(cell: D) -> Option<Value> {
    C::of(cell).unpack()
}

/// Encodes a win as 1 and a loss as −1. Draws are 0 if both players can force an end, 2 if neither can, 3 if only the
/// mover can, 4 if only the opponent can.
pub(crate) fn wdl_cell<C: Draws>(code: C) -> i8 {
    match code.unpack().map(Value::payoff) {
        None => i8::MIN,
        Some(0) => match code.ends() {
            (true, true) => 0,
            (false, false) => 2,
            (true, false) => 3,
            (false, true) => 4,
        },
        Some(payoff) => payoff.signum() as i8,
    }
}

fn wdl_value(cell: i8) -> Option<Value> {
    match cell {
        1 | -1 => Some(Value::untimed(cell.into())),
        0 | 3 | 4 => Some(Value::TIE),
        2 => Some(Value::REPETITION),
        _ => None,
    }
}

pub(crate) fn wdl_code<C: Draws>(cell: i8) -> C {
    let code = match cell {
        0 => Some(C::draw(true, true)),
        2 => Some(C::draw(false, false)),
        3 => Some(C::draw(true, false)),
        4 => Some(C::draw(false, true)),
        _ => wdl_value(cell).and_then(|value| C::pack(Value::new(value.payoff(), 0))),
    };
    code.unwrap_or(C::UNKNOWN)
}

/// Converts a code to one of another width.
pub(crate) fn recode<A: Draws, B: Draws>(code: A) -> B {
    match code.unpack() {
        None => B::UNKNOWN,
        Some(value) if value.payoff() == 0 => {
            let (mover, opponent) = code.ends();
            B::draw(mover, opponent)
        }
        Some(value) => B::pack(value).unwrap_or(B::UNKNOWN),
    }
}

/// The summary of a tier that was solved or read.
pub(crate) struct TierReport {
    pub(crate) tier: Tier,
    pub(crate) counts: TierTally,
    pub(crate) stored: Option<StoredTable>,
    pub(crate) phases: Phases,
}

/// Reads the stored tiers of a game with cycles from its tables and writes the others; without a data directory it
/// only measures time.
pub(crate) struct LoopFiles<'a> {
    data: Option<PathBuf>,
    plan: TierLayout,
    merged: bool,
    /// The table being written.
    writer: Option<Writer>,
    counts: Option<TierTally>,
    clock: Clock,
    watch: &'a dyn Monitor,
    each: &'a mut dyn FnMut(TierReport),
    pub(crate) solved: u32,
    /// Whether stored tiers leave the memory while they are not needed.
    releases: bool,
}

impl<'a> LoopFiles<'a> {
    pub(crate) fn open(
        data: Option<&Path>,
        plan: TierLayout,
        merged: bool,
        watch: &'a dyn Monitor,
        each: &'a mut dyn FnMut(TierReport),
    ) -> Result<LoopFiles<'a>, Trouble> {
        let writer = match (data, plan.shared()) {
            (Some(data), false) => Some(Writer::open_with(data, plan.identities[0].clone(), watch)?),
            _ => None,
        };
        let data = data.map(Path::to_path_buf);
        let clock = Clock::start();
        Ok(LoopFiles {
            data,
            plan,
            merged,
            writer,
            counts: None,
            clock,
            watch,
            each,
            solved: 0,
            releases: false,
        })
    }

    /// Keeps in memory only those stored tiers that are needed; there is a data directory.
    pub(crate) fn releasing(self, releases: bool) -> LoopFiles<'a> {
        LoopFiles { releases, ..self }
    }

    /// Completes the table of a game that has one of its own.
    pub(crate) fn finish(mut self, tally: &Tally) -> Result<Option<StoredTable>, Trouble> {
        if self.plan.shared() {
            return Ok(None);
        }
        self.complete(tally)
    }

    fn complete(&mut self, tally: &Tally) -> Result<Option<StoredTable>, Trouble> {
        let (Some(writer), Some(data)) = (self.writer.take(), &self.data) else { return Ok(None) };
        let summary = Summary::of(&self.timed(tally)).json()?;
        finish(writer, data, summary).map(Some)
    }

    /// Removes distances if they were not computed: the solver's zeros are not distances.
    fn timed(&self, tally: &Tally) -> Tally {
        if self.plan.identities[0].values == Values::Wdl { untimed(tally) } else { tally.clone() }
    }

    fn write<C: StorableCode>(
        &self,
        writer: &Writer,
        solved: &RetrogradeValues<C>,
        from: Tier,
        to: Tier,
    ) -> Result<(), Trouble> {
        let name = writer.name();
        match writer.identity().values {
            Values::Wdl => {
                let file = writer.tier::<i8>(to)?;
                self.watch.stage(&format!("writing the table {name}"), file.slots());
                put(file, |number| solved.code::<C>(from, number).map_or(i8::MIN, wdl_cell), self.watch)
            }
            _ => {
                let file = writer.tier::<C::Cell>(to)?;
                self.watch.stage(&format!("writing the table {name}"), file.slots());
                let cell = |number| solved.code::<C>(from, number).unwrap_or(C::UNKNOWN).cell();
                put(file, cell, self.watch)
            }
        }
    }
}

/// Win, draw and loss counts without distances.
pub(crate) fn untimed(tally: &Tally) -> Tally {
    let mut plain = Tally::new(tally.tiers.len() as u32, tally.merged);
    for (into, from) in plain.tiers.iter_mut().zip(&tally.tiers) {
        for (side, values) in [(&mut into.first, &from.first), (&mut into.second, &from.second)] {
            for (value, count) in values {
                let value = if value.payoff() == 0 { *value } else { Value::untimed(value.payoff()) };
                *side.entry(value).or_default() += count;
            }
        }
        into.finished = from.finished;
    }
    plain
}

fn put<D: Cell>(
    file: TierWriter<'_, D>,
    cell: impl Fn(u64) -> D + Sync,
    watch: &dyn Monitor,
) -> Result<(), Trouble> {
    /// Slots that one thread prepares at a time.
    const PIECE: u64 = 1 << 16;
    let store: &(dyn Fn(u64) -> Result<(), TableError> + Sync) = &|piece| {
        let range = piece * PIECE..((piece + 1) * PIECE).min(file.slots());
        let cells: Vec<D> = range.clone().map(&cell).collect();
        watch.advance(range.end - range.start);
        file.put(range.start, &cells)
    };
    threads::try_each(file.slots().div_ceil(PIECE) as usize, &|piece| store(piece as u64))?;
    Ok(file.finish()?)
}

/// Reads a tier of a table as codes.
fn read_codes<C: StorableCode>(table: &Table, tier: Tier) -> Result<Vec<C>, TableError> {
    Ok(match table.identity().values {
        Values::Wdl => each_code(&table.read_tier::<i8>(tier)?, &wdl_code),
        _ => each_code(&table.read_tier::<C::Cell>(tier)?, &C::of),
    })
}

/// Maps cells to codes.
fn each_code<D: Cell, C: Code>(cells: &[D], code: &(dyn Fn(D) -> C + Sync)) -> Vec<C> {
    let mut codes = vec![C::UNKNOWN; cells.len()];
    threads::parts(&mut codes, 1 << 16, &|i, codes| {
        codes.iter_mut().zip(&cells[i << 16..]).for_each(|(to, &cell)| *to = code(cell));
    });
    codes
}

impl<C: StorableCode> Keep<C> for LoopFiles<'_> {
    type Error = Trouble;

    fn known(&mut self, tier: Tier) -> Result<Option<Vec<C>>, Trouble> {
        let (table, within) = self.plan.places[tier.0 as usize];
        let mut found = self.data.is_some();
        if let (Some(data), true) = (&self.data, self.plan.shared()) {
            let writer = Writer::open_with(data, self.plan.identities[table].clone(), self.watch)?;
            found = writer.complete();
            self.writer = Some(writer);
        }
        let Some(writer) = self.writer.as_ref().filter(|writer| found && writer.has(within)) else {
            self.clock = Clock::start();
            return Ok(None);
        };
        self.watch.stage(&format!("reading the table {}", writer.name()), 0);
        let read = writer.table()?;
        let codes = read_codes(&read, within)?;
        if self.plan.shared() {
            self.counts = Summary::tally_of(&read).and_then(|mut tally| tally.tiers.pop());
            if let (Some(counts), Some(data)) = (&self.counts, &self.data) {
                let stored = Some(StoredTable::new(read.name(), data, read.bytes(), true));
                (self.each)(TierReport { tier, counts: counts.clone(), stored, phases: Phases::default() });
            }
            self.writer = None;
        }
        Ok(Some(codes))
    }

    fn counts(&mut self, _tier: Tier) -> Option<TierTally> {
        self.counts.take()
    }

    fn keep(&mut self, solved: &RetrogradeValues<C>, tier: Tier) -> Result<(), Trouble> {
        self.solved += 1;
        let (solve_seconds, solve_cpu_seconds) = self.clock.lap();
        let (_, within) = self.plan.places[tier.0 as usize];
        if let Some(writer) = &self.writer {
            self.write(writer, solved, tier, within)?;
        }
        let counts = solved.tier_tally(tier).clone();
        let mut stored = None;
        if self.plan.shared() {
            let tally = Tally { tiers: vec![counts.clone()], merged: self.merged };
            stored = self.complete(&tally)?;
        }
        let (write_seconds, write_cpu_seconds) = self.clock.lap();
        let phases = Phases { solve_seconds, solve_cpu_seconds, write_seconds, write_cpu_seconds };
        (self.each)(TierReport { tier, counts, stored, phases });
        Ok(())
    }

    fn releases(&self) -> bool {
        self.releases
    }

    fn again(&mut self, tier: Tier) -> Result<Option<Vec<C>>, Trouble> {
        let (table, within) = self.plan.places[tier.0 as usize];
        let codes = match (&self.writer, &self.data) {
            (_, Some(data)) if self.plan.shared() => {
                read_codes(&Table::open_as(data, &self.plan.identities[table])?, within)?
            }
            (Some(writer), _) => read_codes(&writer.table()?, within)?,
            _ => return Ok(None),
        };
        Ok(Some(codes))
    }
}
