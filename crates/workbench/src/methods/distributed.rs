//! Distributed solving on several ranks (processes): the choice of algorithm, and tables written by all ranks.
//!
//! ```text
//! k-in-a-row boards ─────────▶ slabs distributed over ranks           (`solve.rs`, as on one process)
//! chance, roll index ────────▶ decisions distributed, means replicated (`means.rs`, as on one process)
//! chance without an index ───▶ every rank explores and solves it ──▶ one table, written by all
//! a cyclic index ────────────▶ positions of the index distributed over ranks
//! any other game ────────────▶ explored together, sharded graph ──▶ one table, written by all
//! ```
//!
//! Every rank runs this code with the same request. Only rank 0 can read the table; it broadcasts the result.

use crate::kernels::Cycles;
use crate::means::solve_by_chance;
use crate::methods::bitplane::solve_board;
use crate::methods::retrograde::answer_from_loop_tables;
use crate::solve_answer::{finish, stored};
use crate::summary::Summary;
use crate::tables::loop_plan;
use crate::tier_tables::{TierLayout, recode, untimed, wdl_cell, wdl_code};
use crate::{
    Method, Numbering, ProvenValue, SolveAnswer, SolveJob, SolveOrigin, StoredTable, Trouble, filled,
};
use outplay_core::{AnyPosition, Code, Game, Tier, Value, WdlCode};
use outplay_runtime::{Communicator, Monitor};
use outplay_solve::{
    GlobalId, LoopCode, RankContext, RankValues, ShardedGraph, SolveError, Tally, TierTally, WideLoopCode,
    count_together,
};
use outplay_table::{Cell, CellKind, Identity, TableError, Values, Writer};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// Cells per message.
const STEP: usize = 1 << 20;
/// The ranges of a tier that ranks write begin at multiples of this.
const PIECE: u64 = 1 << 16;

/// The error of a rank that failed or disconnected.
pub(crate) fn gone(why: String) -> Trouble {
    Trouble::Solve(SolveError::Communicator(why))
}

/// Solves on all ranks.
pub(crate) fn solve_together(
    job: SolveJob<'_>,
    crew: &Arc<dyn Communicator>,
) -> Result<SolveAnswer, Trouble> {
    let SolveJob { handle, request, .. } = job;
    let fits = |methods: &[Method]| request.method == Method::Auto || methods.contains(&request.method);
    let refused = || {
        let why = format!("the method `{}` does not run on several ranks", request.method);
        Trouble::method(why, Method::Auto)
    };
    if handle.game().has_dice() {
        return if fits(&[Method::Chance]) { solve_by_chance(job) } else { Err(refused()) };
    }
    // Only rank 0 can see a complete table; it broadcasts the outcome.
    let at_hand = if crew.rank() == 0 { answer_at_hand(job) } else { Ok(None) };
    crew.all_ok(at_hand.as_ref().map(|_| ()).map_err(ToString::to_string)).map_err(gone)?;
    let at_hand = at_hand?;
    if crew.broadcast(&[u8::from(at_hand.is_some())]).map_err(gone)? == [1] {
        return at_hand.map_or_else(|| job.blank(SolveOrigin::Table, None, 0), Ok);
    }
    if handle.game().has_board() {
        return if fits(&[Method::Dense]) { solve_board(job) } else { Err(refused()) };
    }
    match handle.index() {
        Some(Numbering::Cycles(cycles)) if fits(&[Method::Retrograde]) => {
            solve_sharded_index(job, &*cycles, crew)
        }
        Some(Numbering::Cycles(_)) => Err(refused()),
        _ if fits(&[Method::Sweep, Method::Retrograde]) => solve_explored_graph(job, crew),
        _ => Err(refused()),
    }
}

/// Answers from a table that is complete and undamaged.
fn answer_at_hand(job: SolveJob<'_>) -> Result<Option<SolveAnswer>, Trouble> {
    let session = &job.session.with(|session| session.crew = None);
    let alone = SolveJob { session, ..job };
    match job.handle.index() {
        Some(Numbering::Sweeps(sweeps)) => alone.answer_from_table(&*sweeps),
        Some(Numbering::Cycles(cycles)) => {
            let plan = loop_plan(job.handle, cycles.numbers(), job.request.values);
            answer_from_loop_tables(alone, cycles.numbers(), &plan)
        }
        _ => Ok(None),
    }
}

/// The requested position and its successors.
fn asked(job: SolveJob<'_>) -> Result<Vec<AnyPosition>, Trouble> {
    let Some(pos) = job.place_if_any()? else { return Ok(Vec::new()) };
    let game = job.handle.game();
    let next: Vec<AnyPosition> = game.list(&pos).map(|mv| game.play(&pos, mv)).collect();
    Ok([vec![pos], next].concat())
}

/// Builds the answer once the values are known; `known` are those of the requested positions.
fn answer_together(
    job: SolveJob<'_>,
    method: Method,
    tally: &Tally,
    asked: &[AnyPosition],
    known: &[Option<Value>],
) -> Result<SolveAnswer, Trouble> {
    let mut blank = job.blank(SolveOrigin::By(method), Some(tally), tally.first_view().total())?;
    let Some(pos) = asked.first() else { return Ok(blank) };
    if known.first().is_none_or(Option::is_none) {
        blank.notes.push(
            "the requested position has no number in the index; `outplay query` finds its value".into(),
        );
        return Ok(blank);
    }
    let value = |pos: &AnyPosition| {
        let place = asked.iter().position(|asked| asked == pos);
        let value = place.and_then(|place| known[place]);
        Ok(value.map(|value| ProvenValue::Exact(job.value(value))))
    };
    filled(job.handle, pos, &value, blank)
}

/// Solves an index whose numbers are sharded over the ranks.
fn solve_sharded_index(
    job: SolveJob<'_>,
    cycles: &dyn Cycles,
    crew: &Arc<dyn Communicator>,
) -> Result<SolveAnswer, Trouble> {
    let asked = asked(job)?;
    let numbers = cycles.numbers();
    let plan = loop_plan(job.handle, numbers, job.request.values);
    job.session.check_memory(cycles.bytes() * 3 / crew.size() as u128)?;
    let mut files = RankFiles::open(job.data(), plan, numbers.has_one_side(), crew, job.clock)?;
    let (tally, known) = cycles.together(&mut files, &asked, crew, job.clock)?;
    let tally = job.tally(&tally);
    let mut answer = answer_together(job, Method::Retrograde, &tally, &asked, &known)?;
    answer.table = files.finish(&tally)?;
    Ok(answer)
}

/// Solves a game whose graph is explored by all ranks.
fn solve_explored_graph(job: SolveJob<'_>, crew: &Arc<dyn Communicator>) -> Result<SolveAnswer, Trouble> {
    let SolveJob { session, handle, request, clock: watch } = job;
    let asked = asked(job)?;
    watch.stage("exploring the positions", 0);
    let start = handle.start()?;
    let most = handle.most_explored(session.memory);
    let site = ShardedGraph::explore(handle.game(), &start, most, &**crew, watch)?;
    let spots = site.find(handle.game(), &asked, &**crew)?;
    let sizes: Vec<u64> = (0..site.tiers()).map(|tier| site.len(tier)).collect();
    let best = handle.game().best_payoff();
    let loops = site.has_loops();
    let cell = match (loops, request.values) {
        (_, Values::Wdl) => CellKind::I8,
        (true, _) if best <= 1 => CellKind::I16,
        (false, _) if sizes.len() <= 126 && best <= 1 => CellKind::I8,
        _ => CellKind::I32,
    };
    let (spec, version, values) = (handle.spec(), handle.game().version(), request.values);
    let identity = Identity { spec, version, values, cell, slots: sizes };
    let places = (0..site.tiers()).map(|tier| (0, Tier(tier))).collect();
    let plan = TierLayout { identities: vec![identity], places };
    let mut files = RankFiles::open(job.data(), plan, false, crew, watch)?;
    let together = RankContext { crew: &**crew, watch };
    let values = if loops {
        let files = std::cell::RefCell::new(&mut files);
        outplay_solve::solve_together(
            &site,
            together,
            |tier| files.borrow_mut().known(&site, tier),
            |values, tier| files.borrow_mut().keep(&site, values, tier),
        )?
    } else {
        let nothing = |_| Ok::<_, Trouble>(None);
        outplay_solve::solve_together(&site, together, nothing, |_, _| Ok(()))?
    };
    if !loops && job.data().is_some() {
        let kept = site.canonical(handle.game(), &**crew, watch)?;
        files.store(&site, &values, &kept, best)?;
    }
    let known: Vec<Option<Value>> =
        values.at(&**crew, &spots)?.into_iter().map(|code| code.unpack()).collect();
    let tally = if loops { job.tally(values.tally()) } else { values.tally().clone() };
    let method = if loops { Method::Retrograde } else { Method::Sweep };
    let mut answer = answer_together(job, method, &tally, &asked, &known)?;
    answer.table = files.finish(&tally)?;
    Ok(answer)
}

/// Tables that all ranks write together.
pub(crate) struct RankFiles<'a> {
    data: Option<PathBuf>,
    plan: TierLayout,
    merged: bool,
    crew: &'a Arc<dyn Communicator>,
    watch: &'a dyn Monitor,
    writer: Option<Writer>,
    stored: Vec<StoredTable>,
}

impl<'a> RankFiles<'a> {
    pub(crate) fn open(
        data: Option<&Path>,
        plan: TierLayout,
        merged: bool,
        crew: &'a Arc<dyn Communicator>,
        watch: &'a dyn Monitor,
    ) -> Result<RankFiles<'a>, Trouble> {
        let writer = match (data, plan.shared()) {
            (Some(data), false) => {
                Some(Writer::open_together(data, plan.identities[0].clone(), crew, watch)?)
            }
            _ => None,
        };
        let data = data.map(Path::to_path_buf);
        Ok(RankFiles { data, plan, merged, crew, watch, writer, stored: Vec::new() })
    }

    /// Reads a tier that is already written: this rank's codes, and the counts of all ranks.
    pub(crate) fn known(
        &mut self,
        site: &dyn GlobalId,
        tier: u32,
    ) -> Result<Option<(Vec<WideLoopCode>, TierTally)>, Trouble> {
        let (table, within) = self.plan.places[tier as usize];
        if let (Some(data), true) = (&self.data, self.plan.shared()) {
            let writer =
                Writer::open_together(data, self.plan.identities[table].clone(), self.crew, self.watch)?;
            let whole = writer.complete();
            self.writer = Some(writer);
            if !whole {
                return Ok(None);
            }
        }
        let Some(writer) = self.writer.as_ref().filter(|writer| writer.has(within)) else { return Ok(None) };
        self.watch.stage(&format!("reading the table {}", writer.name()), 0);
        let first = self.crew.rank() == 0;
        let read = if first { read_codes(writer, within).map_err(Trouble::from) } else { Ok(Vec::new()) };
        self.crew.all_ok(read.as_ref().map(|_| ()).map_err(ToString::to_string)).map_err(gone)?;
        let cells = read?;
        let mut codes = vec![WideLoopCode::UNKNOWN; site.slots(tier) as usize];
        let mut slot = 0;
        for from in (0..site.len(tier)).step_by(STEP) {
            let part = cells.iter().skip(from as usize).take(STEP).flat_map(|code| code.0.to_le_bytes());
            let part = self.crew.broadcast(&part.collect::<Vec<u8>>()).map_err(gone)?;
            // A rank's slots are in the order of their numbers.
            while slot < codes.len() && site.number(tier, slot as u32) < from + STEP as u64 {
                let at = 4 * site.number(tier, slot as u32).saturating_sub(from) as usize;
                if let Some(bytes) = part.get(at..at + 4).and_then(|bytes| bytes.try_into().ok()) {
                    codes[slot] = WideLoopCode(i32::from_le_bytes(bytes));
                }
                slot += 1;
            }
        }
        let together = RankContext { crew: &**self.crew, watch: self.watch };
        let counts = count_together(site, together, tier, &codes)?;
        if self.plan.shared() {
            self.record_found()?;
            self.writer = None;
        }
        Ok(Some((codes, counts)))
    }

    /// Writes a tier of a cyclic game.
    pub(crate) fn keep(
        &mut self,
        site: &dyn GlobalId,
        values: &RankValues,
        tier: u32,
    ) -> Result<(), Trouble> {
        let (_, within) = self.plan.places[tier as usize];
        if let Some(writer) = &self.writer {
            self.watch.stage(&format!("writing the table {}", writer.name()), site.len(tier));
            let codes = values.codes(tier);
            match writer.identity().cell {
                CellKind::I8 => self.put(writer, within, site, tier, |slot| wdl_cell(codes[slot]))?,
                CellKind::I16 => {
                    self.put(writer, within, site, tier, |slot| recode::<_, LoopCode>(codes[slot]).0)?;
                }
                _ => self.put(writer, within, site, tier, |slot| codes[slot].0)?,
            }
        }
        if self.plan.shared() {
            let tally = Tally { tiers: vec![values.tier_tally(tier).clone()], merged: self.merged };
            let timed = self.plan.identities[0].values != Values::Wdl;
            self.complete(&if timed { tally } else { untimed(&tally) })?;
        }
        Ok(())
    }

    /// Writes all tiers of an acyclic game. Positions that the rules decide and all but one of symmetric positions
    /// are don't-cares.
    fn store(
        &self,
        site: &ShardedGraph,
        values: &RankValues,
        kept: &[Vec<bool>],
        best: i32,
    ) -> Result<(), Trouble> {
        let Some(writer) = &self.writer else { return Ok(()) };
        let win_at_once = Value::new(best, 1);
        self.watch.stage("writing the table", (0..site.tiers()).map(|tier| site.len(tier)).sum());
        let mut spots = Vec::new();
        for tier in (0..site.tiers()).rev().filter(|&tier| !writer.has(Tier(tier))) {
            let codes = values.codes(tier);
            let mut stored: Vec<Option<Value>> = vec![None; codes.len()];
            for (slot, code) in codes.iter().enumerate() {
                spots.clear();
                let over =
                    site.look(tier, slot as u32, &mut spots)?.is_some_and(|(_, outcome)| outcome.is_some());
                let value = code.unpack().filter(|&value| value != win_at_once && !over);
                stored[slot] = value.filter(|_| kept[tier as usize][slot]);
            }
            let identity = writer.identity();
            let tier = (Tier(tier), tier);
            match (identity.values, identity.cell) {
                (Values::Wdl, _) => {
                    let cell = |value: Value| WdlCode::pack(value).map_or(i8::MIN, |code| code.0);
                    self.put(writer, tier.0, site, tier.1, |slot| stored[slot].map_or(i8::MIN, cell))?;
                }
                (_, CellKind::I8) => {
                    let cell = |value: Value| i8::pack(value).unwrap_or(<i8 as Code>::UNKNOWN);
                    self.put(writer, tier.0, site, tier.1, |slot| stored[slot].map_or(i8::MIN, cell))?;
                }
                _ => {
                    let cell = |value: Value| i32::pack(value).unwrap_or(<i32 as Code>::UNKNOWN);
                    self.put(writer, tier.0, site, tier.1, |slot| stored[slot].map_or(i32::MIN, cell))?;
                }
            }
        }
        Ok(())
    }

    /// Sends cells to the ranks that write their numbers, and writes a tier.
    fn put<C: Cell>(
        &self,
        writer: &Writer,
        within: Tier,
        site: &dyn GlobalId,
        tier: u32,
        cell: impl Fn(usize) -> C,
    ) -> Result<(), Trouble> {
        let (crew, slots, length) = (&**self.crew, site.slots(tier) as usize, site.len(tier));
        let share = length.div_ceil(crew.size() as u64).next_multiple_of(PIECE).max(PIECE);
        let from = (share * crew.rank() as u64).min(length);
        let mut cells = vec![C::UNKNOWN; ((from + share).min(length) - from) as usize];
        let rounds = u64::MAX - crew.all_reduce_min(u64::MAX - slots.div_ceil(STEP) as u64).map_err(gone)?;
        let bytes = C::KIND.bytes();
        for round in 0..rounds as usize {
            let mut parcels = vec![Vec::new(); crew.size()];
            for slot in (round * STEP).min(slots)..((round + 1) * STEP).min(slots) {
                let (number, cell) = (site.number(tier, slot as u32), cell(slot));
                if number < length && !cell.is_unknown() {
                    let parcel: &mut Vec<u8> = &mut parcels[(number / share) as usize];
                    parcel.extend((number % share).to_le_bytes());
                    parcel.extend_from_slice(&cell.to_bits().to_le_bytes()[..bytes]);
                }
            }
            for parcel in crew.all_to_all(parcels).map_err(gone)? {
                for record in parcel.chunks_exact(8 + bytes) {
                    let number =
                        |bytes: &[u8]| bytes.iter().rev().fold(0, |n, &byte| n << 8 | u64::from(byte));
                    cells[number(&record[..8]) as usize] = C::from_bits(number(&record[8..]));
                }
            }
        }
        let file = writer.tier::<C>(within)?;
        for (i, part) in cells.chunks(PIECE as usize).enumerate() {
            file.put(from + i as u64 * PIECE, part)?;
        }
        Ok(file.finish_watched(self.watch)?)
    }

    /// Completes the table of a game that has one of its own, and lists the tables.
    pub(crate) fn finish(mut self, tally: &Tally) -> Result<Option<StoredTable>, Trouble> {
        if !self.plan.shared() {
            self.complete(tally)?;
        }
        let mut all = self.stored.into_iter();
        let Some(mut sum) = all.next() else { return Ok(None) };
        all.for_each(|stored| {
            sum.bytes += stored.bytes;
            sum.found &= stored.found;
            sum.name = stored.name;
        });
        Ok(Some(sum))
    }

    fn complete(&mut self, tally: &Tally) -> Result<(), Trouble> {
        if let (Some(writer), Some(data)) = (self.writer.take(), &self.data) {
            self.stored.push(finish(writer, data, Summary::of(tally).json()?)?);
        }
        Ok(())
    }

    /// Records a table that was complete.
    fn record_found(&mut self) -> Result<(), Trouble> {
        if let (Some(writer), Some(data)) = (&self.writer, &self.data) {
            self.stored.push(StoredTable { found: true, ..stored(writer, data)? });
        }
        Ok(())
    }
}

/// Reads all codes of a stored tier.
fn read_codes(writer: &Writer, tier: Tier) -> Result<Vec<WideLoopCode>, TableError> {
    let table = writer.table()?;
    Ok(match writer.identity().cell {
        CellKind::I8 => table.read_tier::<i8>(tier)?.into_iter().map(wdl_code).collect(),
        CellKind::I16 => {
            table.read_tier::<i16>(tier)?.into_iter().map(|cell| recode(LoopCode(cell))).collect()
        }
        _ => table.read_tier::<i32>(tier)?.into_iter().map(WideLoopCode).collect(),
    })
}
