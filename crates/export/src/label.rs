//! What is known of a position: the row to be.

use outplay_answer::{Entry, Oracle, QueryOptions, Read, Reader, Trouble};
use outplay_core::{AnyGame, AnyPosition, Game, LineBoard, Turn, Value, Watch};
use outplay_players::{Merit, Truth};
use rayon::prelude::*;
use std::hash::{Hash, Hasher};
use xxhash_rust::xxh3::xxh3_64;

/// A position with what is known of it.
pub(crate) struct Label {
    pub(crate) pos: AnyPosition,
    pub(crate) ply: Option<u32>,
    pub(crate) turn: Turn,
    /// For the player to move.
    pub(crate) value: Option<Value>,
    /// With dice: for the player to move, the first player before a roll.
    pub(crate) mean: Option<f64>,
    /// For each legal move whether it is best; nothing if nobody asked.
    pub(crate) best: Option<Vec<bool>>,
    /// Symmetric positions have the same number.
    pub(crate) class: u64,
    /// What stands on its board, if somebody has looked already.
    pub(crate) board: Option<LineBoard>,
}

/// Whoever knows values.
pub(crate) struct Labels<'a> {
    game: &'a AnyGame,
    pub(crate) reader: Option<Reader>,
    oracle: Oracle,
    best: bool,
}

/// Means closer than this are equally good.
const EQUAL: f64 = 1e-11;

/// What a position is worth to the player to move, or before a roll to the first.
#[derive(Clone, Copy)]
enum Worth {
    Exact(Value),
    Mean(f64),
    Unknown,
}

/// Room that is used again for every position.
#[derive(Default)]
pub(crate) struct Scratch {
    images: Vec<AnyPosition>,
    bytes: Bytes,
}

/// What a position's hash is made of.
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

/// The number that symmetric positions share.
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
    pub(crate) fn new(
        entry: &'a Entry,
        options: &QueryOptions,
        best: bool,
        watch: &dyn Watch,
    ) -> Result<Labels<'a>, Trouble> {
        let reader = options.data.as_ref().map(|data| entry.reader(data, watch)).transpose()?.flatten();
        Ok(Labels { game: entry.game(), reader, oracle: Oracle::new(entry.clone(), options.clone()), best })
    }

    /// Labels of many positions, each with its ply, in their order.
    pub(crate) fn of_all(
        &self,
        positions: Vec<(AnyPosition, u32)>,
        watch: &dyn Watch,
    ) -> Result<Vec<Label>, Trouble> {
        let label = |scratch: &mut Scratch, (pos, ply)| {
            if watch.stopped() {
                return Err(Trouble::stopped());
            }
            self.of(pos, Some(ply), scratch, watch)
        };
        match self.reader {
            // Threads share a table; whoever has to search for a value has threads of its own.
            Some(_) => positions.into_par_iter().map_init(Scratch::default, label).collect(),
            None => {
                let mut scratch = Scratch::default();
                positions.into_iter().map(|position| label(&mut scratch, position)).collect()
            }
        }
    }

    /// The label of a position.
    pub(crate) fn of(
        &self,
        pos: AnyPosition,
        ply: Option<u32>,
        scratch: &mut Scratch,
        watch: &dyn Watch,
    ) -> Result<Label, Trouble> {
        let worth = self.worth(&pos, watch)?;
        let turn = self.game.turn(&pos);
        let best = match self.best && turn != Turn::Chance {
            true => self.best_moves(&pos, turn, watch)?,
            false => None,
        };
        let (value, mean) = match worth {
            Worth::Exact(value) => (Some(value), None),
            Worth::Mean(mean) => (None, Some(mean)),
            Worth::Unknown => (None, None),
        };
        Ok(Label { class: class(self.game, &pos, scratch), ply, turn, value, mean, best, pos, board: None })
    }

    fn worth(&self, pos: &AnyPosition, watch: &dyn Watch) -> Result<Worth, Trouble> {
        if let Some(reader) = &self.reader {
            match reader.read(pos)? {
                Some(Read::Value(value)) => return Ok(Worth::Exact(value)),
                Some(Read::Mean(mean)) => {
                    return Ok(Worth::Mean(if self.game.turn(pos) == Turn::Second { -mean } else { mean }));
                }
                None => {}
            }
        }
        Ok(match self.oracle.value(pos, watch)? {
            Some(Merit::Value(value)) => Worth::Exact(value),
            Some(Merit::Mean(mean)) => Worth::Mean(mean),
            None => Worth::Unknown,
        })
    }

    /// Which moves are best; nothing if one of them is not known.
    fn best_moves(
        &self,
        pos: &AnyPosition,
        turn: Turn,
        watch: &dyn Watch,
    ) -> Result<Option<Vec<bool>>, Trouble> {
        let mut values = Vec::new();
        let mut means = Vec::new();
        for mv in self.game.list(pos) {
            let next = self.game.play(pos, mv);
            let after = self.game.turn(&next);
            match self.worth(&next, watch)? {
                Worth::Exact(value) => values.push(value.before(after == turn)),
                // Before a roll a mean is the first player's.
                Worth::Mean(mean) => means.push(match after {
                    Turn::Chance if turn == Turn::Second => -mean,
                    Turn::Chance => mean,
                    after if after == turn => mean,
                    _ => -mean,
                }),
                Worth::Unknown => return Ok(None),
            }
        }
        Ok(match (values.iter().max(), means.is_empty()) {
            (Some(top), true) => Some(values.iter().map(|value| value >= top).collect()),
            (None, false) => {
                let top = means.iter().copied().fold(f64::MIN, f64::max);
                Some(means.iter().map(|mean| top - mean <= EQUAL).collect())
            }
            (None, true) => Some(Vec::new()),
            // A game whose values are of two kinds has no order among them.
            (Some(_), false) => None,
        })
    }
}
