//! Where slabs wait until they are needed again: what the solver asks of a disk, or of other machines.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// What a slab holds of its shapes.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Which positions are live.
    Reach,
    /// The same for the mirror images that neighbours ask for.
    ReachImages,
    /// The values of live positions.
    Values,
    /// The same for the mirror images that neighbours ask for.
    ValueImages,
    /// How many positions there are; written last, so that a slab with its census is whole.
    ReachCensus,
    /// How many positions have each value; written last.
    ValueCensus,
    /// How the board is cut into slabs; one for the whole board.
    Layout,
}

impl Part {
    /// All parts.
    pub const ALL: [Part; 7] = [
        Part::Reach,
        Part::ReachImages,
        Part::Values,
        Part::ValueImages,
        Part::ReachCensus,
        Part::ValueCensus,
        Part::Layout,
    ];

    /// What slabs have.
    pub(crate) const OF_SLABS: [Part; 6] = [
        Part::Reach,
        Part::ReachImages,
        Part::Values,
        Part::ValueImages,
        Part::ReachCensus,
        Part::ValueCensus,
    ];

    /// A word for it, of lower-case letters and hyphens.
    pub fn name(self) -> &'static str {
        match self {
            Part::Reach => "reach",
            Part::ReachImages => "reach-images",
            Part::Values => "values",
            Part::ValueImages => "value-images",
            Part::ReachCensus => "reach-census",
            Part::ValueCensus => "value-census",
            Part::Layout => "layout",
        }
    }
}

/// The name of a slab's part.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Key {
    /// What it holds.
    pub part: Part,
    /// Stones placed since the start.
    pub tier: usize,
    /// Its number within the tier.
    pub slab: usize,
}

impl Key {
    /// What is written last of the slab: who has it has this part, too.
    pub(crate) fn finished(self) -> Key {
        let part = match self.part {
            Part::Reach | Part::ReachImages | Part::ReachCensus => Part::ReachCensus,
            Part::Values | Part::ValueImages | Part::ValueCensus => Part::ValueCensus,
            Part::Layout => Part::Layout,
        };
        Key { part, ..self }
    }
}

/// The bytes of a part, shared by all who have them: handing them on copies nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Packed {
    all: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl Packed {
    /// Some of the bytes; `None` if there are not as many.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<Packed> {
        self.get(range.clone())?;
        let start = self.range.start;
        Some(Packed { all: self.all.clone(), range: start + range.start..start + range.end })
    }
}

impl From<Vec<u8>> for Packed {
    fn from(bytes: Vec<u8>) -> Packed {
        let range = 0..bytes.len();
        Packed { all: Arc::new(bytes), range }
    }
}

impl Deref for Packed {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.all[self.range.clone()]
    }
}

/// Keeps slabs.
///
/// What was put is there after a kill, whole or not at all. Errors are sentences that a user can read.
pub trait Depot: fmt::Debug + Send + Sync {
    /// Whether a slab's part is there.
    fn has(&self, key: Key) -> bool;

    /// The bytes that were put.
    ///
    /// # Errors
    ///
    /// A disk that cannot be read, or bytes that are not those that were put.
    fn get(&self, key: Key) -> Result<Packed, String>;

    /// The bytes of several parts, in their order; where they lie elsewhere, it is one journey.
    ///
    /// # Errors
    ///
    /// Those of [`Depot::get`].
    fn get_all(&self, keys: &[Key]) -> Result<Vec<Packed>, String> {
        keys.iter().map(|&key| self.get(key)).collect()
    }

    /// Keeps bytes.
    ///
    /// # Errors
    ///
    /// A full disk, or more bytes than are allowed.
    fn put(&self, key: Key, bytes: Packed) -> Result<(), String>;

    /// Nobody will ask for this part of the tier's slabs again.
    ///
    /// # Errors
    ///
    /// A disk that cannot be written.
    fn forget(&self, part: Part, tier: usize) -> Result<(), String>;

    /// All that is there, for ranks that tell each other; a depot that no crew uses need not know.
    fn keys(&self) -> Vec<Key> {
        Vec::new()
    }

    /// Bytes kept at the moment, and the most there ever were.
    fn bytes(&self) -> (u64, u64);
}
