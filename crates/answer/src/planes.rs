//! What games of lines on a board can do beyond other games: the dense solver and its table.

use crate::Trouble;
use crate::request::QueryOptions;
use outplay_core::{LineBoard, Tier, Turn, Value, Watch};
use outplay_dense::{Counts, DenseError, Depot, Key, Options, Packed, Part, Sink, Slots, Solution};
use outplay_solve::Tally;
use outplay_table::{Stash, TableError, TierWriter, Values, Writer};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{Scope, ScopedJoinHandle};

/// Solves a board densely; `writer` takes the tiers that its table does not have yet, and the slabs of a board beyond
/// memory.
pub(crate) fn dense(
    board: &LineBoard,
    options: &Options,
    writer: Option<&Writer>,
    watch: &dyn Watch,
) -> Result<(Solution, Tally), Trouble> {
    let trouble = Kept::default();
    let mut options = options.clone();
    if let Some(writer) = writer.filter(|_| options.slabs) {
        options.depot = Some(Arc::new(Stashed { stashes: writer.stashes()?, trouble: trouble.clone() }));
    }
    let result = std::thread::scope(|scope| {
        let sink = writer.map(|writer| TierSink::new(writer, scope, trouble.clone()));
        let sink = sink.as_ref().map(|sink| sink as &dyn Sink);
        let result = outplay_dense::solve(board, &options, watch, sink);
        // A tier that is still being coded waits for others, who might wait for this process. All stop by themselves.
        let failed = result.as_ref().err().filter(|error| !matches!(error, DenseError::Stopped));
        if let (Some(error), Some(crew)) = (failed, writer.and_then(Writer::crew)) {
            crew.fail(&error.to_string());
        }
        result
    });
    let solution = match (result, trouble.take()) {
        // The table's own error has the cure; the solver only passes its text on.
        (Err(DenseError::Sink { .. } | DenseError::Depot { .. }), Some(error)) => return Err(error.into()),
        (result, _) => result?,
    };
    let tally = solution.counts.as_ref().map(|counts| tally(board, counts)).unwrap_or_default();
    Ok((solution, tally))
}

/// Options for a solve within a budget.
pub(crate) fn options(values: Values, options: &QueryOptions, counts: bool) -> Options {
    let planes = if values == Values::Wdl { Options::wdl() } else { Options::distance() };
    Options { threads: options.threads, memory: Some(options.memory), counts, ..planes }
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

/// An error of the table's with its cure; the solver only passes the sentence on.
#[derive(Clone, Debug, Default)]
struct Kept(Arc<Mutex<Option<TableError>>>);

impl Kept {
    fn keep(&self, error: TableError) -> String {
        let sentence = error.to_string();
        // What comes second is what the first led to.
        if let Ok(mut kept) = self.0.lock() {
            kept.get_or_insert(error);
        }
        sentence
    }

    fn take(&self) -> Option<TableError> {
        self.0.lock().ok().and_then(|mut kept| kept.take())
    }
}

/// Slabs beside the table that is made of them.
#[derive(Debug)]
struct Stashed {
    /// The first takes what is put; the others were left by ranks of an earlier run.
    stashes: Vec<Stash>,
    trouble: Kept,
}

impl Stashed {
    fn name(part: Part, tier: usize) -> String {
        format!("{}-{tier:02}", part.name())
    }
}

impl Depot for Stashed {
    fn has(&self, key: Key) -> bool {
        let name = Stashed::name(key.part, key.tier);
        self.stashes.iter().any(|stash| stash.has(&name, key.slab as u32))
    }

    fn get(&self, key: Key) -> Result<Packed, String> {
        let name = Stashed::name(key.part, key.tier);
        for stash in &self.stashes {
            let found = stash.get(&name, key.slab as u32).map_err(|error| self.trouble.keep(error))?;
            if let Some(bytes) = found {
                return Ok(bytes.into());
            }
        }
        Err(format!("slab {} of tier {} is gone; remove the table and solve again", key.slab, key.tier))
    }

    fn put(&self, key: Key, bytes: Packed) -> Result<(), String> {
        let put = self.stashes[0].put(&Stashed::name(key.part, key.tier), key.slab as u32, &bytes);
        put.map_err(|error| self.trouble.keep(error))
    }

    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        let name = Stashed::name(part, tier);
        let mut stashes = self.stashes.iter();
        stashes.try_for_each(|stash| stash.forget(&name)).map_err(|error| self.trouble.keep(error))
    }

    fn keys(&self) -> Vec<Key> {
        let key = |(name, number): (String, u32)| {
            let (part, tier) = name.rsplit_once('-')?;
            let part = Part::ALL.into_iter().find(|known| known.name() == part)?;
            Some(Key { part, tier: tier.parse().ok()?, slab: number as usize })
        };
        self.stashes.iter().flat_map(Stash::names).filter_map(key).collect()
    }

    fn bytes(&self) -> (u64, u64) {
        let each = self.stashes.iter().map(Stash::bytes);
        each.fold((0, 0), |sum, (now, most)| (sum.0 + now, sum.1 + most))
    }
}

/// Hands the shapes of a tier, which come in any order, to the tier's file.
///
/// Where processes write a table together, each waits for the others while a tier is coded. So a thread of its own does it,
/// while the next tier is computed; who computes when is the crew's [`outplay_core::Floor`] to say.
struct TierSink<'scope, 'a> {
    writer: &'a Writer,
    file: RwLock<Option<TierWriter<'a, i8>>>,
    scope: &'scope Scope<'scope, 'a>,
    coding: Mutex<Option<ScopedJoinHandle<'scope, Result<(), String>>>>,
    trouble: Kept,
}

impl<'scope, 'a> TierSink<'scope, 'a> {
    fn new(writer: &'a Writer, scope: &'scope Scope<'scope, 'a>, trouble: Kept) -> TierSink<'scope, 'a> {
        TierSink { writer, file: RwLock::default(), scope, coding: Mutex::default(), trouble }
    }

    /// Begins the tier's file if nobody has yet.
    fn begin(&self, tier: usize) -> Result<(), String> {
        let mut file = self.file.write().map_err(|_| FAILED)?;
        if file.is_none() {
            *file = Some(self.writer.tier(Tier(tier as u32)).map_err(|error| self.trouble.keep(error))?);
        }
        Ok(())
    }
}

const FAILED: &str = "another thread failed";

impl Sink for TierSink<'_, '_> {
    fn wants(&self, tier: usize) -> bool {
        !self.writer.has(Tier(tier as u32))
    }

    fn put(&self, slots: Slots<'_>) -> Result<(), String> {
        loop {
            let file = self.file.read().map_err(|_| FAILED)?;
            if let Some(file) = &*file {
                return file.put(slots.first(), slots.codes).map_err(|error| self.trouble.keep(error));
            }
            drop(file);
            self.begin(slots.tier)?;
        }
    }

    fn end(&self, tier: usize) -> Result<(), String> {
        // A tier in which the rules answer everything has no slots to put, but it has a file.
        self.begin(tier)?;
        let Some(file) = self.file.write().map_err(|_| FAILED)?.take() else { return Ok(()) };
        self.settle()?;
        let trouble = self.trouble.clone();
        let finish = move || file.finish().map_err(|error| trouble.keep(error));
        if self.writer.crew().is_none() {
            return finish();
        }
        *self.coding.lock().map_err(|_| FAILED)? = Some(self.scope.spawn(finish));
        Ok(())
    }

    fn settle(&self) -> Result<(), String> {
        let coding = self.coding.lock().map_err(|_| FAILED)?.take();
        coding.map_or(Ok(()), |coding| coding.join().unwrap_or_else(|_| Err(FAILED.into())))
    }
}
