//! Parallel compression of slabs: the planes of a slab are split into chunks, which threads pack and unpack
//! independently.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::arena::Arena;
use crate::compress::{CHUNK, Effort, LivePacking, PlaneCompressor, frame, unframe};
use crate::context::{Context, SharedPtr};
use crate::kernel;
use crate::neighbours::unpack;
use crate::tight::WORDS;
use std::sync::Mutex;

/// Packs and unpacks slabs with reusable buffers.
pub(crate) struct PlaneCodec {
    effort: Effort,
    free: Mutex<Vec<PlaneCompressor>>,
}

/// Packs a chunk, given by its first line and its number of lines.
type ChunkPacker<'a> = dyn Fn(&mut PlaneCompressor, u64, usize) -> std::io::Result<Vec<u8>> + Sync + 'a;

impl PlaneCodec {
    pub(crate) fn new(effort: Effort) -> PlaneCodec {
        PlaneCodec { effort, free: Mutex::default() }
    }

    /// Takes a free compressor, or creates one.
    fn compressor(&self) -> PlaneCompressor {
        let free = self.free.lock().ok().and_then(|mut free| free.pop());
        free.unwrap_or_else(|| PlaneCompressor::new(self.effort))
    }

    /// Packs `lines` lines in chunks, on all threads.
    fn packed(&self, context: &Context, lines: u64, pack: &ChunkPacker<'_>) -> Result<Vec<u8>, DenseError> {
        let chunks: Vec<Mutex<Vec<u8>>> =
            (0..lines.div_ceil(CHUNK as u64)).map(|_| Mutex::default()).collect();
        context.each(chunks.len(), &|i| {
            let mut compressor = self.compressor();
            let first = (i * CHUNK) as u64;
            let bytes = pack(&mut compressor, first, (lines - first).min(CHUNK as u64) as usize);
            if let Ok(mut free) = self.free.lock() {
                free.push(compressor);
            }
            let bytes = bytes.map_err(|why| DenseError::SlabStore {
                why: format!("a slab cannot be compressed: {why}"),
            })?;
            if let Ok(mut chunk) = chunks[i].lock() {
                *chunk = bytes;
            }
            Ok(())
        })?;
        let chunks: Vec<Vec<u8>> =
            chunks.into_iter().map(|chunk| chunk.into_inner().unwrap_or_default()).collect();
        Ok(frame(&chunks))
    }

    /// Packs the live planes of a slab.
    pub(crate) fn packed_live(
        &self,
        context: &Context,
        live: &Arena,
        lines: u64,
    ) -> Result<Vec<u8>, DenseError> {
        let live = SharedPtr(live.at(0));
        self.packed(context, lines, &|compressor, first, lines| {
            // SAFETY: the chunk lies in the arena and is not written meanwhile.
            compressor.pack_live(unsafe { std::slice::from_raw_parts(live.line(first), lines * WORDS) })
        })
    }

    /// Packs the values of a slab.
    pub(crate) fn packed_values(
        &self,
        context: &Context,
        live: &Arena,
        table: &Arena,
        lines: u64,
        planes: usize,
    ) -> Result<Vec<u8>, DenseError> {
        let (live, table) = (SharedPtr(live.at(0)), SharedPtr(table.at(0)));
        self.packed(context, lines, &|compressor, first, lines| {
            // SAFETY: the chunk lies in both arenas and is not written meanwhile.
            unsafe {
                let live = std::slice::from_raw_parts(live.line(first), lines * WORDS);
                let table = table.line(first * planes as u64);
                kernel::gather(context.level, &LivePacking { planes }, compressor, live, table);
            }
            compressor.compress_words()
        })
    }

    /// Unpacks a slab's live plane.
    pub(crate) fn unpacked_live(
        &self,
        context: &Context,
        live: &Arena,
        bytes: &[u8],
        lines: u64,
        tier: usize,
    ) -> Result<(), DenseError> {
        self.unpacked(context, SharedPtr(live.at(0)), (bytes, None), lines, tier, 0)
    }

    /// Unpacks a slab: its live plane, or its values.
    pub(crate) fn unpacked(
        &self,
        context: &Context,
        to: SharedPtr,
        (reach, values): (&[u8], Option<&[u8]>),
        lines: u64,
        tier: usize,
        planes: usize,
    ) -> Result<(), DenseError> {
        let damaged = || DenseError::SlabStore {
            why: format!("a slab of tier {tier} is damaged; remove the table and solve again"),
        };
        let reach = unframe(reach).ok_or_else(damaged)?;
        let values = values.map(|values| unframe(values).ok_or_else(damaged)).transpose()?;
        let whole = |chunks: usize| chunks as u64 == lines.div_ceil(CHUNK as u64);
        if !whole(reach.len()) || values.as_ref().is_some_and(|values| !whole(values.len())) {
            return Err(damaged());
        }
        context.each(reach.len(), &|i| {
            let mut compressor = self.compressor();
            let first = (i * CHUNK) as u64;
            let length = (lines - first).min(CHUNK as u64) as usize;
            let values = values.as_ref().map(|values| values[i]);
            let to = to.line(first * planes.max(1) as u64);
            // SAFETY: the chunk lies in the arena, and belongs to one task.
            let done = unsafe { unpack(context, &mut compressor, reach[i], values, to, length, planes) };
            if let Ok(mut free) = self.free.lock() {
                free.push(compressor);
            }
            done.ok_or_else(damaged)
        })
    }
}
