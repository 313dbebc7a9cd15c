//! What games of lines on a board can do beyond other games: the dense solver and its table.

use crate::Trouble;
use outplay_core::{LineBoard, Tier, Turn, Value, Watch};
use outplay_dense::{Counts, DenseError, Options, Sink, Slots, Solution};
use outplay_solve::Tally;
use outplay_table::{TableError, Values, Writer};
use std::sync::Mutex;

/// Solves a board densely; `writer` takes the tiers that its table does not have yet.
pub(crate) fn dense(
    board: &LineBoard,
    options: &Options,
    writer: Option<&Writer>,
    watch: &dyn Watch,
) -> Result<(Solution, Tally), Trouble> {
    let sink =
        writer.map(|writer| TierBuffer { writer, codes: Mutex::new(Vec::new()), trouble: Mutex::new(None) });
    let options = Options {
        memory: options.memory.map(|memory| memory.saturating_sub(buffer_bytes(writer))),
        ..options.clone()
    };
    let result = outplay_dense::solve(board, &options, watch, sink.as_ref().map(|sink| sink as &dyn Sink));
    let solution = match (result, sink.and_then(|sink| sink.trouble.into_inner().ok().flatten())) {
        // The table's own error has the cure; the solver only passes its text on.
        (Err(DenseError::Sink { .. }), Some(error)) => return Err(error.into()),
        (result, _) => result?,
    };
    let tally = solution.counts.as_ref().map(|counts| tally(board, counts)).unwrap_or_default();
    Ok((solution, tally))
}

/// The largest tier is held in memory while it is written.
fn buffer_bytes(writer: Option<&Writer>) -> u64 {
    writer.and_then(|writer| writer.identity().slots.iter().copied().max()).unwrap_or(0)
}

/// Options for a request.
pub(crate) fn options(values: Values, threads: usize, memory: u64) -> Options {
    let options = if values == Values::Wdl { Options::wdl() } else { Options::distance() };
    Options { threads, memory: Some(memory), ..options.with_counts() }
}

/// The counts by ply and value, seen by the player to move.
fn tally(board: &LineBoard, counts: &Counts) -> Tally {
    let mut tally = Tally::new(counts.plies.len() as u32, false);
    for (ply, (tier, counts)) in tally.tiers.iter_mut().zip(&counts.plies).enumerate() {
        let turn = if ply % 2 == 0 { board.turn } else { board.turn.other() };
        let sides = [(1, &counts.win_in, counts.win), (-1, &counts.loss_in, counts.loss)];
        for (payoff, by_distance, total) in sides {
            let seen = if turn == Turn::Second { -payoff } else { payoff };
            if by_distance.is_empty() && total > 0 {
                tier.add(turn, Value::untimed(seen), total, false);
            }
            for (plies, &count) in by_distance.iter().enumerate().filter(|(_, count)| **count > 0) {
                tier.add(turn, Value::new(seen, plies as u32), count, false);
            }
        }
        if counts.draw > 0 {
            tier.add(turn, Value::TIE, counts.draw, false);
        }
        tier.finished = counts.finished;
    }
    tally
}

/// Collects the shapes of a tier, which come in any order, and writes the tier when it is complete.
struct TierBuffer<'a> {
    writer: &'a Writer,
    codes: Mutex<Vec<i8>>,
    trouble: Mutex<Option<TableError>>,
}

impl TierBuffer<'_> {
    fn keep(&self, error: TableError) -> String {
        let sentence = error.to_string();
        if let Ok(mut trouble) = self.trouble.lock() {
            *trouble = Some(error);
        }
        sentence
    }
}

impl Sink for TierBuffer<'_> {
    fn wants(&self, tier: usize) -> bool {
        !self.writer.has(Tier(tier as u32))
    }

    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        let mut codes = self.codes.lock().map_err(|_| "another thread failed".to_string())?;
        if codes.is_empty() {
            let len = self.writer.identity().slots.get(slots.tier).copied().unwrap_or(0);
            codes.resize(len as usize, i8::MIN);
        }
        let first = slots.first() as usize;
        let target = codes.get_mut(first..first + slots.codes.len());
        target.ok_or("a shape lies outside its tier")?.copy_from_slice(slots.codes);
        Ok(())
    }

    fn end(&self, tier: usize) -> Result<(), String> {
        let mut codes =
            std::mem::take(&mut *self.codes.lock().map_err(|_| "another thread failed".to_string())?);
        let len = self.writer.identity().slots.get(tier).copied().unwrap_or(0);
        codes.resize(len as usize, i8::MIN);
        let write = || {
            let file = self.writer.tier::<i8>(Tier(tier as u32))?;
            file.put_all(&codes)?;
            file.finish()
        };
        write().map_err(|error| self.keep(error))
    }
}
