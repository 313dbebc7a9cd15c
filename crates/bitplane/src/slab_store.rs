//! Slab store: the storage interface of the out-of-core solver.
//!
//! A *slab* is a group of shapes of one tier. Its packed planes and its census (positions per value) are stored under a
//! key; implementations keep them in memory, in files, or on several machines.

use std::fmt;
use std::ops::{Deref, Range};
use std::sync::Arc;

/// Part of the stored data of a slab.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Part {
    /// Bitmap of the live positions.
    Reach,
    /// Live positions of the mirror images that neighbours read.
    ReachImages,
    /// Values of the live positions.
    Values,
    /// Values of the mirror images that neighbours read.
    ValueImages,
    /// Number of positions; written last, so a slab with its census is complete.
    ReachCensus,
    /// Number of positions by value; written last.
    ValueCensus,
    /// Layout of the slabs; one for the whole board.
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

    /// Parts that belong to a slab.
    pub(crate) const OF_SLABS: [Part; 6] = [
        Part::Reach,
        Part::ReachImages,
        Part::Values,
        Part::ValueImages,
        Part::ReachCensus,
        Part::ValueCensus,
    ];

    /// Name of the part, of lower-case letters and hyphens.
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

/// Key under which a part of a slab is stored.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SlabKey {
    /// The part.
    pub part: Part,
    /// Stones placed since the start.
    pub tier: usize,
    /// Number of the slab within the tier.
    pub slab: usize,
}

impl SlabKey {
    /// Returns the key of the part that is written last: its presence implies this part.
    pub fn finished(self) -> SlabKey {
        let part = match self.part {
            Part::Reach | Part::ReachImages | Part::ReachCensus => Part::ReachCensus,
            Part::Values | Part::ValueImages | Part::ValueCensus => Part::ValueCensus,
            Part::Layout => Part::Layout,
        };
        SlabKey { part, ..self }
    }
}

/// Reference-counted bytes of a part of a slab: clones and slices copy nothing.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SlabBytes {
    all: Arc<Vec<u8>>,
    range: Range<usize>,
}

impl SlabBytes {
    /// Returns a slice; `None` if it is out of range.
    pub(crate) fn part(&self, range: Range<usize>) -> Option<SlabBytes> {
        self.get(range.clone())?;
        let start = self.range.start;
        Some(SlabBytes { all: self.all.clone(), range: start + range.start..start + range.end })
    }
}

impl From<Vec<u8>> for SlabBytes {
    fn from(bytes: Vec<u8>) -> SlabBytes {
        let range = 0..bytes.len();
        SlabBytes { all: Arc::new(bytes), range }
    }
}

impl Deref for SlabBytes {
    type Target = [u8];
    fn deref(&self) -> &[u8] {
        &self.all[self.range.clone()]
    }
}

/// Store of packed slabs.
///
/// A put is atomic and survives a kill. Errors are sentences for the user.
pub trait SlabStore: fmt::Debug + Send + Sync {
    /// Whether a part exists.
    fn has(&self, key: SlabKey) -> bool;

    /// Reads a part.
    ///
    /// # Errors
    ///
    /// A read error, or a checksum mismatch.
    fn get(&self, key: SlabKey) -> Result<SlabBytes, String>;

    /// Reads several parts, in order; a remote store needs one request for all.
    ///
    /// # Errors
    ///
    /// Those of [`SlabStore::get`].
    fn get_all(&self, keys: &[SlabKey]) -> Result<Vec<SlabBytes>, String> {
        keys.iter().map(|&key| self.get(key)).collect()
    }

    /// Stores a part.
    ///
    /// # Errors
    ///
    /// A full disk, or the disk limit.
    fn put(&self, key: SlabKey, bytes: SlabBytes) -> Result<(), String>;

    /// Removes this part of all slabs of a tier.
    ///
    /// # Errors
    ///
    /// A write error.
    fn forget(&self, part: Part, tier: usize) -> Result<(), String>;

    /// Returns all keys; only distributed solving needs them.
    fn keys(&self) -> Vec<SlabKey> {
        Vec::new()
    }

    /// Current size in bytes, and the peak.
    fn bytes(&self) -> (u64, u64);
}
