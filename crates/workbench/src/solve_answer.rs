//! Assembly of a solve's answer, and the table it is read from or written to.

use crate::Trouble;
use crate::answers::{Answer, Counts, How, LongestBySide, SolveAnswer, Stored, TurnCounts};
use crate::handle::GameHandle;
use crate::kernels::Sweeps;
use crate::proven_value::ProvenValue;
use crate::request::{Method, SolveRequest};
use crate::session::Session;
use crate::sources::EQUAL;
use crate::summary::Summary;
use crate::tables::identity;
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Turn, Value};
use outplay_runtime::Monitor;
use outplay_solve::Tally;
use outplay_table::{Identity, Table, Values, Writer};
use std::cmp::Ordering;
use std::path::Path;

/// An answer with the request's fields and no value yet.
pub(crate) fn blank_answer(
    handle: &GameHandle,
    request: &SolveRequest,
    how: How,
    tally: Option<&Tally>,
    nodes: u64,
) -> Result<SolveAnswer, Trouble> {
    let game = handle.game();
    let pos = handle.locate_if_any(&request.place)?;
    let timed = request.values == Values::Distance;
    Ok(SolveAnswer {
        game: game.spec(),
        method: how,
        position: pos.as_ref().map(|pos| game.write_position(pos)),
        to_move: pos.as_ref().map(|pos| game.turn(pos)),
        answer: if pos.is_some() { handle.unknown() } else { Answer::None },
        score: None,
        best: Vec::new(),
        positions: tally.map(Counts::of),
        by_turn: tally.map(TurnCounts::of),
        merged: tally.is_some_and(|tally| tally.merged),
        longest: tally.filter(|_| timed).map(LongestBySide::of),
        nodes,
        counters: None,
        depth: None,
        levels: None,
        sweeps: None,
        colourings: None,
        table: None,
        proof: None,
        probe_hits: None,
        settled: None,
        phases: None,
        notes: Vec::new(),
    })
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
        let why =
            format!("play from the start never comes to `{pos}`, so its value is not among those found");
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
            Some(std::cmp::Ordering::Less) => {}
            Some(std::cmp::Ordering::Equal) => best.push((mv, found)),
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

/// Answers from a table that is complete and undamaged. Nothing is written, not even a lock file, so a table on a
/// read-only disk works too.
pub(crate) fn answer_from_table(
    session: &Session,
    handle: &GameHandle,
    sweeps: &dyn Sweeps,
    request: &SolveRequest,
    watch: &dyn Monitor,
) -> Result<Option<SolveAnswer>, Trouble> {
    let Some(data) = request.data(session, handle) else { return Ok(None) };
    let identity = identity(
        handle,
        &session.numbering(handle, handle.most_explored(session.memory), watch)?,
        request.values,
    );
    // The writer reports or repairs a damaged table.
    let Ok(table) = Table::open_as(data, &identity) else { return Ok(None) };
    if !table.complete() || table.check_with(watch).is_err() {
        return Ok(None);
    }
    let summary = table.summary().and_then(|json| serde_json::from_value::<Summary>(json.clone()).ok());
    let Some(summary) = summary else { return Ok(None) };
    let tally = summary.tally();
    let value = |pos: &AnyPosition| Ok(sweeps.probe(&table, pos)?.map(ProvenValue::Exact));
    let blank = blank_answer(handle, request, How::Table, Some(&tally), 0)?;
    let mut answer = filled(handle, &handle.locate(&request.place)?, &value, blank)?;
    let (name, data) = (table.name().to_string(), data.display().to_string());
    answer.table = Some(Stored { name, data, bytes: table.bytes(), found: true });
    Ok(Some(answer))
}

/// Opens the game's table for writing, if values are to be stored.
pub(crate) fn table_writer(
    session: &Session,
    handle: &GameHandle,
    request: &SolveRequest,
    watch: &dyn Monitor,
) -> Result<Option<Writer>, Trouble> {
    let Some(data) = request.data(session, handle) else { return Ok(None) };
    let numbering = session.numbering(handle, handle.most_explored(session.memory), watch)?;
    Ok(Some(open_writer(session, data, identity(handle, &numbering, request.values), watch)?))
}

/// Opens a table for writing, alone or with the ranks that solve together.
pub(crate) fn open_writer(
    session: &Session,
    data: &Path,
    identity: Identity,
    watch: &dyn Monitor,
) -> Result<Writer, Trouble> {
    Ok(match session.crew() {
        Some(crew) => Writer::open_together(data, identity, crew, watch)?,
        None => Writer::open_with(data, identity, watch)?,
    })
}

/// Describes a table that is about to be completed; only rank 0 can see its files.
pub(crate) fn stored(writer: &Writer, data: &Path) -> Result<Stored, Trouble> {
    let first = writer.crew().is_none_or(|crew| crew.rank() == 0);
    let bytes = if first { writer.table()?.bytes() } else { 0 };
    Ok(Stored { name: writer.name().to_string(), data: data.display().to_string(), bytes, found: false })
}

/// Completes a table with the counts of its values.
pub(crate) fn finish(
    session: &Session,
    handle: &GameHandle,
    writer: Writer,
    tally: &Tally,
    request: &SolveRequest,
) -> Result<Stored, Trouble> {
    let stored = stored(&writer, request.data(session, handle).unwrap_or_else(|| Path::new("")))?;
    writer.finish(Summary::of(tally).json()?)?;
    Ok(stored)
}

impl SolveRequest {
    /// The directory of the table, if it is stored.
    pub(crate) fn data<'a>(&self, session: &'a Session, handle: &GameHandle) -> Option<&'a Path> {
        session.directory_of(handle).filter(|_| self.store)
    }

    /// Removes the distance of a value if distances were not requested.
    pub(crate) fn requested_value(&self, value: Value) -> Value {
        let decided = value.payoff() != 0;
        if decided && self.values == Values::Wdl { Value::untimed(value.payoff()) } else { value }
    }

    pub(crate) fn requested_proven(&self, proven: ProvenValue) -> ProvenValue {
        if let ProvenValue::Exact(value) = proven {
            ProvenValue::Exact(self.requested_value(value))
        } else {
            proven
        }
    }
}
