//! Solve jobs: the table that a solve reads or writes, and the assembly of its answer.

use crate::kernels::Sweeps;
use crate::sources::EQUAL;
use crate::summary::Summary;
use crate::tables::{identity, plan};
use crate::tier_tables::untimed;
use crate::{
    Answer, Counts, GameHandle, LongestBySide, Method, Numbering, PartialTable, ProvenValue, Session,
    SolveAnswer, SolveOrigin, SolveRequest, StoredTable, Trouble, TurnCounts,
};
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Turn, Value};
use outplay_runtime::Deadline;
use outplay_solve::Tally;
use outplay_table::{Identity, Table, Values, Writer};
use std::cmp::Ordering;
use std::path::Path;

/// A solve in progress: a request with the session, the game and the time limit that it runs under.
#[derive(Clone, Copy)]
pub(crate) struct SolveJob<'a> {
    pub(crate) session: &'a Session,
    pub(crate) handle: &'a GameHandle,
    pub(crate) request: &'a SolveRequest,
    /// Time limit and cancellation.
    pub(crate) clock: &'a Deadline<'a>,
}

impl<'a> SolveJob<'a> {
    /// The requested position; `None` for the start of a game without one.
    pub(crate) fn place_if_any(&self) -> Result<Option<AnyPosition>, Trouble> {
        self.handle.locate_if_any(&self.request.place)
    }

    /// The requested position.
    pub(crate) fn place(&self) -> Result<AnyPosition, Trouble> {
        self.handle.locate(&self.request.place)
    }

    /// The directory of the table, if it is stored.
    pub(crate) fn data(&self) -> Option<&'a Path> {
        self.session.directory_of(self.handle).filter(|_| self.request.store)
    }

    /// The index that the game was built with, or all explored positions, as many as fit in memory.
    pub(crate) fn numbering(&self) -> Result<Numbering, Trouble> {
        let most = self.handle.most_explored(self.session.memory);
        Ok(self.session.numbering(self.handle, most, self.clock)?)
    }

    /// Whether distances are requested.
    pub(crate) fn is_timed(&self) -> bool {
        self.request.values == Values::Distance
    }

    /// Removes the distance of a value if distances were not requested.
    pub(crate) fn value(&self, value: Value) -> Value {
        let decided = value.payoff() != 0;
        if decided && self.request.values == Values::Wdl { Value::untimed(value.payoff()) } else { value }
    }

    /// The same for a proven value.
    pub(crate) fn proven(&self, proven: ProvenValue) -> ProvenValue {
        proven.exact().map_or(proven, |value| ProvenValue::Exact(self.value(value)))
    }

    /// Counts without distances unless they are requested.
    pub(crate) fn tally(&self, tally: &Tally) -> Tally {
        if self.is_timed() { tally.clone() } else { untimed(tally) }
    }

    /// An answer with the request's fields and no value yet.
    pub(crate) fn blank(
        &self,
        how: SolveOrigin,
        tally: Option<&Tally>,
        nodes: u64,
    ) -> Result<SolveAnswer, Trouble> {
        let game = self.handle.game();
        let pos = self.place_if_any()?;
        Ok(SolveAnswer {
            game: game.spec(),
            method: how,
            position: pos.as_ref().map(|pos| game.write_position(pos)),
            to_move: pos.as_ref().map(|pos| game.turn(pos)),
            answer: if pos.is_some() { self.handle.unknown() } else { Answer::None },
            score: None,
            best: Vec::new(),
            positions: tally.map(Counts::of),
            by_turn: tally.map(TurnCounts::of),
            merged: tally.is_some_and(|tally| tally.merged),
            longest: tally.filter(|_| self.is_timed()).map(LongestBySide::of),
            nodes,
            counters: None,
            depth: None,
            levels: None,
            sweeps: None,
            colourings: None,
            table: None,
            partial: None,
            proof: None,
            probe_hits: None,
            settled: None,
            phases: None,
            notes: Vec::new(),
        })
    }

    /// Answers from a table that is complete and undamaged. Nothing is written, not even a lock file, so a table on a
    /// read-only disk works too.
    pub(crate) fn answer_from_table(&self, sweeps: &dyn Sweeps) -> Result<Option<SolveAnswer>, Trouble> {
        let Some(data) = self.data() else { return Ok(None) };
        let identity = identity(self.handle, &self.numbering()?, self.request.values);
        // The writer reports or repairs a damaged table.
        let Ok(table) = Table::open_as(data, &identity) else { return Ok(None) };
        if !table.complete() || table.check_if_changed(self.clock).is_err() {
            return Ok(None);
        }
        let Some(tally) = Summary::tally_of(&table) else { return Ok(None) };
        let value = |pos: &AnyPosition| Ok(sweeps.probe(&table, pos)?.map(ProvenValue::Exact));
        let blank = self.blank(SolveOrigin::Table, Some(&tally), 0)?;
        let mut answer = filled(self.handle, &self.place()?, &value, blank)?;
        answer.table = Some(StoredTable::new(table.name(), data, table.bytes(), true));
        Ok(Some(answer))
    }

    /// The tiers on disk of a table that is not complete, as `tables` lists them.
    pub(crate) fn partial_table(&self) -> Option<PartialTable> {
        let (data, spec) = (self.data()?, self.handle.spec());
        let values = if self.handle.game().has_dice() { Values::Expected } else { self.request.values };
        let names: Vec<String> = match self.handle.index() {
            Some(numbering) => {
                plan(self.handle, &numbering, values).identities.iter().map(Identity::name).collect()
            }
            None => vec![outplay_table::name(&spec, values)],
        };
        let listed = outplay_table::list(data).ok()?;
        let mut partial = PartialTable {
            name: if names.len() == 1 { names[0].clone() } else { spec },
            data: data.display().to_string(),
            bytes: 0,
            tiers_written: 0,
            tiers: if names.len() == 1 { 0 } else { names.len() },
        };
        let mut complete = 0;
        for entry in listed.iter().filter(|entry| names.contains(&entry.name)) {
            let Ok(table) = &entry.table else { continue };
            complete += usize::from(table.complete);
            partial.bytes += entry.bytes;
            partial.tiers_written += table.tiers_written;
            partial.tiers = partial.tiers.max(table.identity.slots.len());
        }
        Some(partial).filter(|partial| partial.bytes > 0 && complete < names.len())
    }

    /// Opens the game's table for writing, if values are to be stored.
    pub(crate) fn table_writer(&self) -> Result<Option<Writer>, Trouble> {
        let Some(data) = self.data() else { return Ok(None) };
        let identity = identity(self.handle, &self.numbering()?, self.request.values);
        self.open_writer(data, identity).map(Some)
    }

    /// Opens a table for writing, alone or with the ranks that solve together.
    pub(crate) fn open_writer(&self, data: &Path, identity: Identity) -> Result<Writer, Trouble> {
        Ok(match self.session.crew() {
            Some(crew) => Writer::open_together(data, identity, crew, self.clock)?,
            None => Writer::open_with(data, identity, self.clock)?,
        })
    }

    /// Completes a table with the counts of its values.
    pub(crate) fn finish(&self, writer: Writer, tally: &Tally) -> Result<StoredTable, Trouble> {
        finish(writer, self.data().unwrap_or_else(|| Path::new("")), Summary::of(tally).json()?)
    }
}

/// Completes a table and describes it; only rank 0 can see its files.
pub(crate) fn finish(
    writer: Writer,
    data: &Path,
    summary: serde_json::Value,
) -> Result<StoredTable, Trouble> {
    let first = writer.crew().is_none_or(|crew| crew.rank() == 0);
    let identity = writer.identity().clone();
    writer.finish(summary)?;
    let bytes = if first { Table::open_as(data, &identity)?.bytes() } else { 0 };
    Ok(StoredTable::new(&identity.name(), data, bytes, false))
}

/// Describes a table that is open for writing.
pub(crate) fn stored(writer: &Writer, data: &Path) -> Result<StoredTable, Trouble> {
    let first = writer.crew().is_none_or(|crew| crew.rank() == 0);
    let bytes = if first { writer.table()?.bytes() } else { 0 };
    Ok(StoredTable::new(writer.name(), data, bytes, false))
}

/// Fills in the value of a position and its best moves from a function of all values.
pub(crate) fn filled(
    handle: &GameHandle,
    pos: &AnyPosition,
    value: &dyn Fn(&AnyPosition) -> Result<Option<ProvenValue>, Trouble>,
    blank: SolveAnswer,
) -> Result<SolveAnswer, Trouble> {
    let game = handle.game();
    let apart = || {
        let pos = game.write_position(pos);
        let why = format!("`{pos}` cannot be reached from the start, so its value was not computed");
        Trouble::method(why, Method::Search)
    };
    let proven = value(pos)?.ok_or_else(apart)?;
    let turn = game.turn(pos);
    let mut best: Vec<(AnyMove, ProvenValue)> = Vec::new();
    for mv in game.list(pos).filter(|_| turn != Turn::Chance) {
        let next = game.play(pos, mv);
        let Some(found) = value(&next)? else { continue };
        let found = found.before(game.turn(&next) == turn);
        match best.first().map(|(_, top)| compare(found, *top, turn)) {
            Some(Ordering::Less) => {}
            Some(Ordering::Equal) => best.push((mv, found)),
            _ => best = vec![(mv, found)],
        }
    }
    let best: Vec<AnyMove> = best.into_iter().map(|(mv, _)| mv).collect();
    Ok(SolveAnswer {
        answer: handle.proven_answer(pos, proven),
        score: handle.score(pos, proven),
        best: handle.names(pos, &best),
        ..blank
    })
}

/// Compares two moves for the player who makes them.
fn compare(a: ProvenValue, b: ProvenValue, turn: Turn) -> Ordering {
    match (a, b) {
        (ProvenValue::Exact(a), ProvenValue::Exact(b)) => a.cmp(&b),
        (ProvenValue::Mean(a), ProvenValue::Mean(b)) => {
            let (a, b) = if turn == Turn::Second { (-a, -b) } else { (a, b) };
            if (a - b).abs() <= EQUAL { Ordering::Equal } else { a.total_cmp(&b) }
        }
        _ => Ordering::Equal,
    }
}
