//! Where slabs wait until they are needed again: what the solver asks of a disk, or of other machines.

use std::fmt;

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
    fn get(&self, key: Key) -> Result<Vec<u8>, String>;

    /// Keeps bytes.
    ///
    /// # Errors
    ///
    /// A full disk, or more bytes than are allowed.
    fn put(&self, key: Key, bytes: &[u8]) -> Result<(), String>;

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
