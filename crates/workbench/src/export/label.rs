//! Labels of positions: the exact value and the best moves, from the game's table or else by the ladder of sources.

use crate::sources::EQUAL;
use crate::{GameHandle, Oracle, Read, Reader, Session, Trouble, check_stop};
use outplay_core::{AnyGame, AnyPosition, Game, LineBoard, Turn};
use outplay_players::{ExactOracle, MoveValue};
use outplay_runtime::Monitor;
use rayon::prelude::*;
use std::hash::{Hash, Hasher};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc;
use xxhash_rust::xxh3::xxh3_64;

/// A position with its exact value and best moves, as far as they are known.
pub(crate) struct Label {
    pub(crate) pos: AnyPosition,
    pub(crate) ply: Option<u32>,
    pub(crate) turn: Turn,
    /// The value for the player to move; a mean at a chance node is the first player's.
    pub(crate) value: Option<MoveValue>,
    /// For each legal move whether it is best; `None` if that was not requested or is not known.
    pub(crate) best: Option<Vec<bool>>,
    /// Hash of the symmetry class of the position.
    pub(crate) class: u64,
    /// Its board, if the caller computed it already.
    pub(crate) board: Option<LineBoard>,
}

/// The source of labels.
pub(crate) struct Labels<'a> {
    game: &'a AnyGame,
    pub(crate) reader: Option<Reader>,
    oracle: Oracle,
    best: bool,
}

/// Buffers that are reused for every position.
#[derive(Default)]
pub(crate) struct Scratch {
    images: Vec<AnyPosition>,
    bytes: Bytes,
}

/// Collects the bytes that a position hashes.
#[derive(Default)]
struct Bytes(Vec<u8>);

impl Hasher for Bytes {
    fn write(&mut self, bytes: &[u8]) {
        self.0.extend_from_slice(bytes);
    }

    fn finish(&self) -> u64 {
        xxh3_64(&self.0)
    }
}

/// Hash of a position's symmetry class.
pub(crate) fn class(game: &AnyGame, pos: &AnyPosition, scratch: &mut Scratch) -> u64 {
    let Scratch { images, bytes } = scratch;
    let mut number = |pos: &AnyPosition| {
        bytes.0.clear();
        pos.hash(bytes);
        bytes.finish()
    };
    images.clear();
    game.symmetric(pos, images);
    images.iter().map(&mut number).min().unwrap_or_else(|| number(pos))
}

impl<'a> Labels<'a> {
    /// Labels by the ladder alone, whose first source is the table. Best moves are those of a query, even if the
    /// table has no distances.
    pub(crate) fn by_ladder(entry: &'a GameHandle, session: &Session, best: bool) -> Labels<'a> {
        let oracle = Oracle::new(session.clone(), entry.clone());
        Labels { game: entry.game(), reader: None, oracle, best }
    }

    /// Labels by the game's table if there is one, else by the ladder.
    pub(crate) fn new(
        entry: &'a GameHandle,
        session: &Session,
        best: bool,
        watch: &dyn Monitor,
    ) -> Result<Labels<'a>, Trouble> {
        let reader = crate::open_reader(session, entry, watch)?;
        Ok(Labels { reader, ..Labels::by_ladder(entry, session, best) })
    }

    /// Labels many positions, each with its ply, in order.
    pub(crate) fn of_all(
        &self,
        positions: Vec<(AnyPosition, u32)>,
        watch: &dyn Monitor,
    ) -> Result<Vec<Label>, Trouble> {
        let label = |scratch: &mut Scratch, (pos, ply)| {
            check_stop(watch)?;
            self.of(pos, Some(ply), scratch, watch)
        };
        match self.reader {
            // Lookups in a table run in parallel; a search has threads of its own.
            Some(_) => positions.into_par_iter().map_init(Scratch::default, label).collect(),
            None => {
                let mut scratch = Scratch::default();
                positions.into_iter().map(|position| label(&mut scratch, position)).collect()
            }
        }
    }

    /// Labels a position.
    pub(crate) fn of(
        &self,
        pos: AnyPosition,
        ply: Option<u32>,
        scratch: &mut Scratch,
        watch: &dyn Monitor,
    ) -> Result<Label, Trouble> {
        let turn = self.game.turn(&pos);
        let (value, moves) = match (self.best && turn != Turn::Chance, &self.reader) {
            (false, _) => (self.value(&pos, watch)?, None),
            (true, Some(_)) => (self.value(&pos, watch)?, self.moves(&pos, turn, watch)?),
            (true, None) => {
                let (value, moves) = self.oracle.known(&pos, false, watch)?;
                (value, moves.map(|moves| moves.into_iter().map(|(_, merit)| merit).collect()))
            }
        };
        // The ladder does not list the moves of a position with very many.
        let moves = moves.filter(|moves| moves.len() == self.game.list(&pos).count());
        let top = moves.iter().flatten().copied().max_by(|a, b| a.compare(*b));
        let best = moves.map(|moves| moves.iter().map(|merit| is_best(*merit, top)).collect());
        let class = class(self.game, &pos, scratch);
        Ok(Label { class, ply, turn, value: value.or(top), best, pos, board: None })
    }

    /// The value of a position for the player to move.
    fn value(&self, pos: &AnyPosition, watch: &dyn Monitor) -> Result<Option<MoveValue>, Trouble> {
        let read = self.reader.as_ref().map(|reader| reader.read(pos)).transpose()?.flatten();
        Ok(match read {
            Some(Read::Value(value)) => Some(MoveValue::Value(value)),
            Some(Read::Mean(mean)) if self.game.turn(pos) == Turn::Second => Some(MoveValue::Mean(-mean)),
            Some(Read::Mean(mean)) => Some(MoveValue::Mean(mean)),
            None => self.oracle.value(pos, watch)?,
        })
    }

    /// The values of all moves, each looked up separately; `None` if one of them is not known.
    fn moves(
        &self,
        pos: &AnyPosition,
        turn: Turn,
        watch: &dyn Monitor,
    ) -> Result<Option<Vec<MoveValue>>, Trouble> {
        let merit = |mv| {
            let next = self.game.play(pos, mv);
            let after = self.game.turn(&next);
            // At a chance node a mean is the first player's.
            let same = after == turn || after == Turn::Chance && turn == Turn::First;
            Ok(self.value(&next, watch)?.map(|merit| match merit {
                MoveValue::Value(value) => MoveValue::Value(value.before(same)),
                MoveValue::Mean(mean) => MoveValue::Mean(if same { mean } else { -mean }),
            }))
        };
        self.game.list(pos).map(merit).collect()
    }
}

/// Whether a move is as good as the best one.
fn is_best(merit: MoveValue, top: Option<MoveValue>) -> bool {
    match (merit, top) {
        (MoveValue::Value(value), Some(MoveValue::Value(top))) => value.cmp(&top).is_eq(),
        (merit, Some(top)) => top.payoff() - merit.payoff() <= EQUAL,
        (_, None) => false,
    }
}

/// Processes numbered positions on several threads; `found` receives each result on the caller's thread, in any
/// order.
///
/// # Errors
///
/// The first error of either function. Unfinished work is dropped without an error when the monitor stops.
pub fn each_on_threads<N: Copy + Send + Sync, T: Send, E: Send>(
    numbers: &[N],
    threads: usize,
    watch: &dyn Monitor,
    find: impl Fn(N) -> Result<T, E> + Sync,
    mut found: impl FnMut(N, T) -> Result<(), E>,
) -> Result<(), E> {
    let next = AtomicUsize::new(0);
    let (sender, receiver) = mpsc::sync_channel(64);
    std::thread::scope(|scope| {
        for _ in 0..threads.clamp(1, numbers.len().max(1)) {
            let (sender, next, find) = (sender.clone(), &next, &find);
            scope.spawn(move || {
                while let Some(&number) = numbers.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let result = find(number);
                    // After a failure the receiver is gone.
                    if watch.stopped() || sender.send((number, result)).is_err() {
                        return;
                    }
                }
            });
        }
        drop(sender);
        receiver.into_iter().try_for_each(|(number, result)| found(number, result?))
    })
}
