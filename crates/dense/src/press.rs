//! Slabs made small and large again, chunk by chunk on all threads.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::arena::Arena;
use crate::kernel;
use crate::neighbours::unpack;
use crate::squeeze::{CHUNK, Effort, Squeeze, Squeezer, bind, unbind};
use crate::tight::WORDS;
use crate::workshop::{Shared, Workshop};
use std::sync::Mutex;

/// Packs and unpacks slabs, using buffers again.
pub(crate) struct Press {
    effort: Effort,
    free: Mutex<Vec<Squeezer>>,
}

/// Packs a chunk: the number of its first line, and how many lines it has.
type Pack<'a> = dyn Fn(&mut Squeezer, u64, usize) -> std::io::Result<Vec<u8>> + Sync + 'a;

impl Press {
    pub(crate) fn new(effort: Effort) -> Press {
        Press { effort, free: Mutex::default() }
    }

    /// Buffers that nobody uses.
    fn squeezer(&self) -> Squeezer {
        let free = self.free.lock().ok().and_then(|mut free| free.pop());
        free.unwrap_or_else(|| Squeezer::new(self.effort))
    }

    /// Packs chunks of so many lines on all threads.
    fn packed(&self, shop: &Workshop, lines: u64, pack: &Pack<'_>) -> Result<Vec<u8>, DenseError> {
        let chunks: Vec<Mutex<Vec<u8>>> =
            (0..lines.div_ceil(CHUNK as u64)).map(|_| Mutex::default()).collect();
        shop.each(chunks.len(), &|i| {
            let mut squeezer = self.squeezer();
            let first = (i * CHUNK) as u64;
            let bytes = pack(&mut squeezer, first, (lines - first).min(CHUNK as u64) as usize);
            if let Ok(mut free) = self.free.lock() {
                free.push(squeezer);
            }
            let bytes =
                bytes.map_err(|why| DenseError::Depot { why: format!("a slab cannot be packed: {why}") })?;
            if let Ok(mut chunk) = chunks[i].lock() {
                *chunk = bytes;
            }
            Ok(())
        })?;
        let chunks: Vec<Vec<u8>> =
            chunks.into_iter().map(|chunk| chunk.into_inner().unwrap_or_default()).collect();
        Ok(bind(&chunks))
    }

    /// Packs the live planes of a slab.
    pub(crate) fn packed_live(
        &self,
        shop: &Workshop,
        live: &Arena,
        lines: u64,
    ) -> Result<Vec<u8>, DenseError> {
        let live = Shared(live.at(0));
        self.packed(shop, lines, &|squeezer, first, lines| {
            // SAFETY: the chunk lies in the arena, and nobody writes it.
            squeezer.pack_live(unsafe { std::slice::from_raw_parts(live.line(first), lines * WORDS) })
        })
    }

    /// Packs the values of a slab.
    pub(crate) fn packed_values(
        &self,
        shop: &Workshop,
        live: &Arena,
        table: &Arena,
        lines: u64,
        planes: usize,
    ) -> Result<Vec<u8>, DenseError> {
        let (live, table) = (Shared(live.at(0)), Shared(table.at(0)));
        self.packed(shop, lines, &|squeezer, first, lines| {
            // SAFETY: the chunk lies in both arenas, and nobody writes it.
            unsafe {
                let live = std::slice::from_raw_parts(live.line(first), lines * WORDS);
                let table = table.line(first * planes as u64);
                kernel::gather(shop.level, &Squeeze { planes }, squeezer, live, table);
            }
            squeezer.squeezed()
        })
    }

    /// Unpacks a slab's live plane.
    pub(crate) fn unpacked_live(
        &self,
        shop: &Workshop,
        live: &Arena,
        bytes: &[u8],
        lines: u64,
        tier: usize,
    ) -> Result<(), DenseError> {
        self.unpacked(shop, Shared(live.at(0)), (bytes, None), lines, tier, 0)
    }

    /// Unpacks a slab: its live plane, or its values.
    pub(crate) fn unpacked(
        &self,
        shop: &Workshop,
        to: Shared,
        (reach, values): (&[u8], Option<&[u8]>),
        lines: u64,
        tier: usize,
        planes: usize,
    ) -> Result<(), DenseError> {
        let damaged = || DenseError::Depot {
            why: format!("a slab of tier {tier} is damaged; remove the table and solve again"),
        };
        let reach = unbind(reach).ok_or_else(damaged)?;
        let values = values.map(|values| unbind(values).ok_or_else(damaged)).transpose()?;
        let whole = |chunks: usize| chunks as u64 == lines.div_ceil(CHUNK as u64);
        if !whole(reach.len()) || values.as_ref().is_some_and(|values| !whole(values.len())) {
            return Err(damaged());
        }
        shop.each(reach.len(), &|i| {
            let mut squeezer = self.squeezer();
            let first = (i * CHUNK) as u64;
            let length = (lines - first).min(CHUNK as u64) as usize;
            let values = values.as_ref().map(|values| values[i]);
            let to = to.line(first * planes.max(1) as u64);
            // SAFETY: the chunk lies in the arena, and belongs to one task.
            let done = unsafe { unpack(shop, &mut squeezer, reach[i], values, to, length, planes) };
            if let Ok(mut free) = self.free.lock() {
                free.push(squeezer);
            }
            done.ok_or_else(damaged)
        })
    }
}
