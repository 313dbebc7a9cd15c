//! The bit-plane solver together with the table that it fills, and the slabs that it spills to disk.

use crate::{Session, Trouble};
use outplay_bitplane::{
    BitplaneOptions, Counts, DenseError, Part, Sink, SlabBytes, SlabKey, SlabStore, Slots, Solution,
};
use outplay_core::{LineBoard, Tier, Turn, Value};
use outplay_runtime::Monitor;
use outplay_solve::Tally;
use outplay_table::{SpillLog, TableError, TierWriter, Values, Writer};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, RwLock};
use std::thread::{Scope, ScopedJoinHandle};

/// Limit on slab repairs in one solve. A disk that damages files more often should not be used.
const MOST_REPAIRS: u32 = 16;

/// Solves a board densely; `writer` receives the tiers that its table lacks, and the slabs of a board larger than
/// memory.
pub(crate) fn dense(
    board: &LineBoard,
    options: &BitplaneOptions,
    writer: Option<&Writer>,
    watch: &dyn Monitor,
) -> Result<(Solution, Tally), Trouble> {
    let trouble = FirstError::default();
    let mut options = options.clone();
    let mut stashed = None;
    if let Some(writer) = writer.filter(|_| options.slabs) {
        let (stashes, trouble) = (writer.stashes()?, trouble.clone());
        let depot = Arc::new(SpilledSlabs { stashes, trouble, lost: AtomicBool::new(false) });
        options.depot = Some(depot.clone());
        // Ranks would have to restart together.
        stashed = Some(depot).filter(|_| writer.crew().is_none());
    }
    let solve = || {
        std::thread::scope(|scope| {
            let sink = writer.map(|writer| TierSink::new(writer, scope, trouble.clone()));
            let sink = sink.as_ref().map(|sink| sink as &dyn Sink);
            let result = outplay_bitplane::solve(board, &options, watch, sink);
            // A tier being coded waits for other ranks, which may wait for this process. Ranks that were cancelled
            // stop by themselves.
            let failed = result.as_ref().err().filter(|error| !matches!(error, DenseError::Stopped));
            if let (Some(error), Some(crew)) = (failed, writer.and_then(Writer::crew)) {
                crew.fail(&error.to_string());
            }
            result
        })
    };
    let mut repairs = 0;
    let result = loop {
        match (solve(), &stashed) {
            (Err(DenseError::SlabStore { why }), Some(stashed)) if stashed.lost.swap(false, Relaxed) => {
                trouble.take();
                if repairs == MOST_REPAIRS {
                    return Err(stashed.unusable(repairs).into());
                }
                repairs += 1;
                watch.note(&format!("{why}; it is computed again"));
                // All damaged slabs are repaired in one pass.
                watch.stage("checking slabs", 0);
                stashed.stashes.iter().for_each(|stash| _ = stash.check(watch));
            }
            (result, _) => break result,
        }
    };
    let solution = match (result, trouble.take()) {
        // The table's own error has the cure; the solver keeps only its text.
        (Err(DenseError::Sink { .. } | DenseError::SlabStore { .. }), Some(error)) => {
            return Err(error.into());
        }
        (result, _) => result?,
    };
    let tally = solution.counts.as_ref().map(|counts| tally(board, counts)).unwrap_or_default();
    Ok((solution, tally))
}

/// Solver options within a budget.
pub(crate) fn options(values: Values, session: &Session, counts: bool) -> BitplaneOptions {
    let planes = if values == Values::Wdl { BitplaneOptions::wdl() } else { BitplaneOptions::distance() };
    BitplaneOptions { threads: session.threads, memory: Some(session.memory), counts, ..planes }
}

/// Counts by ply and value, from the view of the player to move.
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

/// The first error of the table with its cure; the solver passes on only its text.
#[derive(Clone, Debug, Default)]
struct FirstError(Arc<Mutex<Option<TableError>>>);

impl FirstError {
    fn keep(&self, error: TableError) -> String {
        let sentence = error.to_string();
        // Later errors are consequences of the first.
        if let Ok(mut kept) = self.0.lock() {
            kept.get_or_insert(error);
        }
        sentence
    }

    fn take(&self) -> Option<TableError> {
        self.0.lock().ok().and_then(|mut kept| kept.take())
    }
}

/// A slab store next to the table that is built from it.
#[derive(Debug)]
struct SpilledSlabs {
    /// The first receives new slabs; the others were left by ranks of an earlier run.
    stashes: Vec<SpillLog>,
    trouble: FirstError,
    /// Whether a slab was damaged or missing; it is dropped from the index and can be recomputed.
    lost: AtomicBool,
}

impl SpilledSlabs {
    fn name(part: Part, tier: usize) -> String {
        format!("{}-{tier:02}", part.name())
    }

    /// The error of a disk that damages files repeatedly.
    fn unusable(&self, repairs: u32) -> TableError {
        let why = format!("slabs written there were damaged {} times during this solve", repairs + 1);
        let path = self.stashes[0].dir().to_path_buf();
        TableError::Io { doing: "keep slabs", path, source: std::io::Error::other(why) }
    }
}

impl SlabStore for SpilledSlabs {
    fn has(&self, key: SlabKey) -> bool {
        let name = SpilledSlabs::name(key.part, key.tier);
        self.stashes.iter().any(|stash| stash.has(&name, key.slab as u32))
    }

    fn get(&self, key: SlabKey) -> Result<SlabBytes, String> {
        let name = SpilledSlabs::name(key.part, key.tier);
        let mut why = format!("slab {} of tier {} is gone", key.slab, key.tier);
        for stash in &self.stashes {
            match stash.get(&name, key.slab as u32) {
                Ok(Some(bytes)) => return Ok(bytes.into()),
                Ok(None) => {}
                Err(error) => why = self.trouble.keep(error),
            }
        }
        // A slab without its census counts as not computed.
        let census = key.finished();
        let name = SpilledSlabs::name(census.part, census.tier);
        self.stashes.iter().for_each(|stash| stash.discard(&name, census.slab as u32));
        self.lost.store(true, Relaxed);
        Err(why)
    }

    fn put(&self, key: SlabKey, bytes: SlabBytes) -> Result<(), String> {
        let put = self.stashes[0].put(&SpilledSlabs::name(key.part, key.tier), key.slab as u32, &bytes);
        put.map_err(|error| self.trouble.keep(error))
    }

    fn forget(&self, part: Part, tier: usize) -> Result<(), String> {
        let name = SpilledSlabs::name(part, tier);
        let mut stashes = self.stashes.iter();
        stashes.try_for_each(|stash| stash.forget(&name)).map_err(|error| self.trouble.keep(error))
    }

    fn keys(&self) -> Vec<SlabKey> {
        let key = |(name, number): (String, u32)| {
            let (part, tier) = name.rsplit_once('-')?;
            let part = Part::ALL.into_iter().find(|known| known.name() == part)?;
            Some(SlabKey { part, tier: tier.parse().ok()?, slab: number as usize })
        };
        self.stashes.iter().flat_map(SpillLog::names).filter_map(key).collect()
    }

    fn bytes(&self) -> (u64, u64) {
        let each = self.stashes.iter().map(SpillLog::bytes);
        each.fold((0, 0), |sum, (now, most)| (sum.0 + now, sum.1 + most))
    }
}

/// Feeds the shapes of a tier, which arrive in any order, to the tier's file.
///
/// Where ranks write a table together, each waits for the others while a tier is coded. A separate thread codes it
/// while the next tier is computed; the communicator's [`outplay_runtime::CpuLock`] decides which thread computes.
struct TierSink<'scope, 'a> {
    writer: &'a Writer,
    file: RwLock<Option<TierWriter<'a, i8>>>,
    scope: &'scope Scope<'scope, 'a>,
    coding: Mutex<Option<ScopedJoinHandle<'scope, Result<(), String>>>>,
    trouble: FirstError,
}

impl<'scope, 'a> TierSink<'scope, 'a> {
    fn new(
        writer: &'a Writer,
        scope: &'scope Scope<'scope, 'a>,
        trouble: FirstError,
    ) -> TierSink<'scope, 'a> {
        TierSink { writer, file: RwLock::default(), scope, coding: Mutex::default(), trouble }
    }

    /// Creates the tier's file on the first call.
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
        // A tier that the rules decide completely has no slots to write, but it has a file.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::handle::GameBuilder;
    use crate::tables::identity;
    use outplay_core::Game;
    use outplay_games::Spec;
    use outplay_games::mnk::{Mnk, MnkIndex, Rules};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};
    use std::collections::BTreeMap;
    use std::fs;
    use std::os::unix::fs::FileExt;
    use std::path::{Path, PathBuf};

    /// Damages random files of a spill log; returns whether there were any.
    fn damage(data: &Path, rng: &mut SmallRng) -> bool {
        let inside = |dir: &Path| -> Vec<PathBuf> {
            let entries = fs::read_dir(dir).into_iter().flatten().flatten();
            entries.map(|entry| entry.path()).collect()
        };
        let stashes = inside(data).into_iter().map(|table| table.join("stash"));
        let mut files: Vec<PathBuf> = stashes.flat_map(|stash| inside(&stash)).collect();
        files.sort();
        // A damaged layout file, which loses all slabs, is among the random choices.
        for _ in 0..rng.random_range(1..=3usize).min(files.len()) {
            let path = &files[rng.random_range(0..files.len())];
            let Ok(file) = fs::OpenOptions::new().read(true).write(true).open(path) else { continue };
            let length = file.metadata().expect("a file").len();
            let place = rng.random_range(0..length.max(1));
            match rng.random_range(0..6) {
                0 => file.set_len(place).expect("shorter"),
                1 => _ = fs::remove_file(path),
                2 => (0..length).for_each(|at| file.write_all_at(&[rng.random()], at).expect("room")),
                _ => {
                    let mut byte = [0];
                    if file.read_exact_at(&mut byte, place).is_ok() {
                        byte[0] ^= 1 << rng.random_range(0..8);
                        file.write_all_at(&byte, place).expect("room");
                    }
                }
            }
        }
        !files.is_empty()
    }

    /// Damages slabs at some calls of a solve and cancels it at another.
    struct Vandal {
        data: PathBuf,
        rng: Mutex<SmallRng>,
        /// Calls before each damage.
        moments: Mutex<Vec<u64>>,
        /// Calls before the solve is cancelled.
        stop: Option<u64>,
        calls: std::sync::atomic::AtomicU64,
        notes: Mutex<Vec<String>>,
    }

    impl Vandal {
        fn new(data: &Path, seed: u64, moments: Vec<u64>, stop: Option<u64>) -> Vandal {
            let rng = Mutex::new(SmallRng::seed_from_u64(seed));
            let (calls, notes) = (Default::default(), Mutex::default());
            Vandal { data: data.into(), rng, moments: Mutex::new(moments), stop, calls, notes }
        }
    }

    impl Monitor for Vandal {
        fn stage(&self, _name: &str, _total: u64) {}

        fn advance(&self, _units: u64) {
            let calls = self.calls.fetch_add(1, Relaxed);
            let mut moments = self.moments.lock().expect("no panic");
            let before = moments.len();
            moments.retain(|&moment| moment > calls);
            if moments.len() < before {
                damage(&self.data, &mut self.rng.lock().expect("no panic"));
            }
        }

        fn stopped(&self) -> bool {
            self.stop.is_some_and(|stop| self.calls.load(Relaxed) >= stop)
        }

        fn note(&self, text: &str) {
            self.notes.lock().expect("no panic").push(text.into());
        }
    }

    /// Solves a small board in many slabs.
    fn solve(data: &Path, values: Values, watch: &dyn Monitor) -> Result<Tally, Trouble> {
        let rules = Spec::parse("connect:4x4,k=4").and_then(Rules::from_spec).expect("a board");
        let game = Mnk::<u64>::new(rules).expect("a small board");
        let entry = GameBuilder::new(game).lines().index(MnkIndex::new).build();
        let numbering = entry.index().expect("an index");
        let writer = Writer::open(data, identity(&entry, &numbering, values))?;
        let board = entry.game().start().and_then(|start| entry.game().board(&start)).expect("a board");
        let mut session = options(values, &Session::default(), true);
        (session.slabs, session.slab_bytes, session.threads) = (true, Some(1 << 12), 1);
        let (_, tally) = dense(&board, &session, Some(&writer), watch)?;
        writer.finish(serde_json::json!({}))?;
        Ok(tally)
    }

    /// All files of the only table, its lock left out.
    fn files(data: &Path) -> BTreeMap<String, Vec<u8>> {
        let table = fs::read_dir(data).expect("a directory").flatten().next().expect("a table").path();
        let files = fs::read_dir(table).expect("a directory").flatten().map(|entry| entry.path());
        let named =
            files.map(|path| (path.file_name().expect("a name").to_string_lossy().into_owned(), path));
        let kept = named.filter(|(name, _)| name != "lock");
        kept.map(|(name, path)| (name, fs::read(path).expect("a file"))).collect()
    }

    #[test]
    fn damaged_slabs_are_computed_again() {
        for values in [Values::Distance, Values::Wdl] {
            let whole = tempfile::tempdir().expect("a directory");
            let counting = Vandal::new(whole.path(), 0, Vec::new(), None);
            let tally = solve(whole.path(), values, &counting).expect("a small board");
            let (expected, calls) = (files(whole.path()), counting.calls.into_inner());
            assert!(expected.len() > 16 && calls > 100, "{} {calls}", expected.len());
            let mut mended = 0;
            for seed in 0..40 {
                let data = tempfile::tempdir().expect("a directory");
                let rng = &mut SmallRng::seed_from_u64(seed);
                let moments = (0..rng.random_range(1..=3)).map(|_| rng.random_range(1..calls)).collect();
                let vandal = Vandal::new(data.path(), seed, moments, None);
                let found = solve(data.path(), values, &vandal);
                assert_eq!(found.unwrap_or_else(|error| panic!("{seed}: {error}")), tally, "{seed}");
                assert!(files(data.path()) == expected, "{seed}");
                mended += u32::from(!vandal.notes.into_inner().expect("no panic").is_empty());
            }
            assert!(mended >= 10, "{mended} of 40 solves met damage");
        }
    }

    #[test]
    fn slabs_damaged_between_two_runs_are_computed_again() {
        for values in [Values::Distance, Values::Wdl] {
            let whole = tempfile::tempdir().expect("a directory");
            let counting = Vandal::new(whole.path(), 0, Vec::new(), None);
            let tally = solve(whole.path(), values, &counting).expect("a small board");
            let (expected, calls) = (files(whole.path()), counting.calls.into_inner());
            for seed in 0..25 {
                let data = tempfile::tempdir().expect("a directory");
                let rng = &mut SmallRng::seed_from_u64(seed);
                let mut stops = 0;
                let found = loop {
                    let stop = (stops < 3).then(|| rng.random_range(1..calls));
                    match solve(data.path(), values, &Vandal::new(data.path(), seed, Vec::new(), stop)) {
                        Ok(found) => break found,
                        Err(error) if error.is_stop() => stops += 1,
                        Err(error) => panic!("{seed}: {error}"),
                    }
                    damage(data.path(), rng);
                };
                assert_eq!(found, tally, "{seed}");
                assert!(files(data.path()) == expected, "{seed}");
            }
        }
    }

    #[test]
    fn repeated_damage_aborts_the_solve() {
        let data = tempfile::tempdir().expect("a directory");
        let vandal = Vandal::new(data.path(), 1, (1..100_000).collect(), None);
        let error = solve(data.path(), Values::Wdl, &vandal).expect_err("no slab stays whole");
        let sentence = error.to_string();
        assert!(sentence.contains("stash") && sentence.contains("damaged 17 times"), "{sentence}");
        assert!(error.cure().is_some());
    }
}
