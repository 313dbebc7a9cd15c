//! Export of bit-planes to a table, whose index has a slot (one byte) for every colouring of every shape.
//!
//! A *shape* is the set of occupied cells, a *colouring* the owners of its stones. Slots whose values are never read
//! are
//! *don't-cares*: the table writer may give them the values that compress best.
//!
//! ```text
//!  planes, in the kernel's order               codes by rank of the colouring (colex, cell by cell)
//!  read word by word, defined slots only  ──▶  a buffer preset to don't-care, which they are written to
//!
//!  a large shape is split into tasks that fix the colours of its last cells, so that a buffer fits in the cache
//! ```
//!
//! One slot in a dozen is defined, so scattering the planes' values to their slots is cheaper than looking up
//! the value of every slot. Of each mirror pair, the shape that comes first in shape order is exported; a
//! shape that is its own image is exported completely.
//!
//! Invariant: a slot is a don't-care exactly if its position is unreachable, finished, or won at once.
#![allow(unsafe_code)]

use crate::back::PLANES;
use crate::compress::by_planes;
use crate::context::Context;
use crate::lane::Lane;
use crate::mirror::RankPermutation;
use crate::shapes::walk;
use crate::solve::PlaneValues;
use crate::tight::WORDS;
use crate::{DenseError, kernel};
use outplay_core::{Code, Turn, Value};
use outplay_runtime::{Monitor, Pace};
use std::sync::Mutex;

/// Number of low cells of the export order whose ranks are looked up at once: few for the cache, more where the table
/// of the upper cells would be large.
pub(crate) fn inner(tier: usize) -> usize {
    tier.saturating_sub(20).clamp(12, MOST_INNER).min(tier)
}

/// Ranks of 18 cells fit in two bytes.
const MOST_INNER: usize = 18;
/// Slots of a task, at most: they stay in the cache until they are put.
pub(crate) const TASK: u64 = 1 << 18;

/// Values of consecutive slots (ranks of the tight index) of one shape.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    /// Stones placed since the start.
    pub tier: usize,
    /// Number of the shape within its tier, in shape order, all shapes counted.
    pub shape: u64,
    /// Stones placed in every stack since the start: by column with gravity, else by free cell.
    pub stones: &'a [u8],
    /// Colouring rank of the first code.
    pub rank: u64,
    /// Number of slots of the whole shape.
    pub of: u64,
    /// Codes from the mover's view as in [`outplay_core::Code`]; `i8::MIN` is a don't-care. Without distances
    /// a win is 1, a tie 0 and a loss -1.
    pub codes: &'a [i8],
}

impl Slots<'_> {
    /// Number of the first slot within the tier.
    pub fn first(&self) -> u64 {
        self.shape * self.of + self.rank
    }
}

/// Receiver of the values of a board, tier by tier from the last to the first.
///
/// Within a tier, slots are put in slices, in any order and from several threads at once. Slots that are not put are
/// don't-cares; full boards, whose values the rules give, are never put. A board on which the game is already over puts
/// nothing.
pub trait Sink: Sync {
    /// Whether the tier's slots are wanted; a tier that exists already need not be computed again.
    fn wants(&self, tier: usize) -> bool;

    /// Receives slots.
    ///
    /// # Errors
    ///
    /// A sentence with the reason; the solve fails with it.
    fn put(&self, slots: Slots<'_>) -> Result<(), String>;

    /// Marks the end of a tier: all its slots have been put. Writing them may continue in the background; a
    /// distributed solve keeps the inputs of the tier until then.
    ///
    /// # Errors
    ///
    /// As for `put`, of this tier or of an earlier one.
    fn end(&self, tier: usize) -> Result<(), String>;

    /// Waits until all background writes are done.
    ///
    /// # Errors
    ///
    /// As for `put`.
    fn settle(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A shape to export.
#[derive(Clone, Copy, Debug)]
pub(crate) struct OutgoingShape {
    /// Place of the table with its values among the computed shapes: its own table or its mirror image's.
    pub(crate) place: u32,
    shape: u32,
    /// Its number within the tier.
    number: u64,
}

/// Value planes of one computed shape, and the mask of its defined slots.
#[derive(Clone, Copy)]
pub(crate) struct ShapePlanes {
    pub(crate) table: *const u64,
    pub(crate) care: *const u64,
}

// SAFETY: the planes are not written while they are exported.
unsafe impl Send for ShapePlanes {}
// SAFETY: see above.
unsafe impl Sync for ShapePlanes {}

/// Export of a tier.
pub(crate) struct Export<'a> {
    context: &'a Context,
    tier: usize,
    offsets: &'a [u32],
    /// Code of each number in the planes.
    codes: [i8; 64],
    /// By the upper cells' colours: the rank of the first colouring that has them; the last entry is the end.
    uppers: Vec<u64>,
    /// Rank of the lower cells' colours among those with as many ones.
    lower: Vec<u16>,
    inner: usize,
    /// Sorted by place.
    pub(crate) shapes: Vec<OutgoingShape>,
    free: Mutex<Vec<ExportBuffer>>,
}

/// Reusable buffers of a task.
#[derive(Default)]
struct ExportBuffer {
    codes: Vec<i8>,
    /// By the upper cells' colours, within the task: the buffer index of the first colouring that has them.
    starts: Vec<u32>,
}

impl<'a> Export<'a> {
    pub(crate) fn new(
        context: &'a Context,
        monitor: &dyn Monitor,
        tier: usize,
        offsets: &'a [u32],
    ) -> Result<Export<'a>, DenseError> {
        let geometry = &context.geometry;
        let mut shapes = Vec::new();
        let mut number = 0u64;
        walk(geometry, monitor, |shape, stones, lean| {
            if stones != tier {
                return;
            }
            let image = geometry.mirror.as_ref().map_or(shape, |mirror| geometry.image(mirror, shape));
            if shape <= image {
                let source = if lean < 0 && geometry.mirror.is_some() { image } else { shape };
                shapes.push(OutgoingShape { place: context.shapes.place[source as usize], shape, number });
            }
            number += 1;
        })?;
        shapes.sort_unstable_by_key(|outgoing| outgoing.place);
        let inner = inner(tier);
        let (uppers, lower) = ranks(tier, geometry.ones(tier), inner, &context.tight.choose[inner], monitor)?;
        let codes = codes(context, tier);
        Ok(Export { context, tier, offsets, codes, uppers, lower, inner, shapes, free: Mutex::default() })
    }

    /// Exports shapes, on all threads; `source` returns the planes of a place.
    pub(crate) fn put(
        &self,
        monitor: &dyn Monitor,
        sink: &dyn Sink,
        shapes: &[OutgoingShape],
        source: &(dyn Fn(u32) -> ShapePlanes + Sync),
    ) -> Result<(), DenseError> {
        self.context.each(shapes.len(), &|i| self.shape(monitor, sink, &shapes[i], source(shapes[i].place)))
    }

    fn shape(
        &self,
        monitor: &dyn Monitor,
        sink: &dyn Sink,
        outgoing: &OutgoingShape,
        source: ShapePlanes,
    ) -> Result<(), DenseError> {
        let (geometry, tight) = (&self.context.geometry, &self.context.tight);
        let shape = outgoing.shape;
        // The table may be that of the mirror image.
        let image = geometry.mirror.as_ref().filter(|_| geometry.lean(shape) < 0);
        let held = geometry.filled(image.map_or(shape, |mirror| geometry.image(mirror, shape)));
        let filled = geometry.filled(shape);
        let mut cells: Vec<(usize, u8)> = (0..geometry.plies())
            .filter(|v| filled >> v & 1 == 1)
            .map(|v| (geometry.cells[v], image.map_or(v as u8, |mirror| mirror.variable[v])))
            .collect();
        cells.sort_unstable();
        // By rank in the planes: the rank among the cells.
        let mut ranks = vec![0u8; self.tier];
        for (rank, &(_, v)) in cells.iter().enumerate() {
            ranks[(held & ((1 << v) - 1)).count_ones() as usize] = rank as u8;
        }
        let permutation = RankPermutation::new(&ranks);
        let apply = |&colouring: &u16| permutation.apply(u64::from(colouring));
        let low = tight.low.min(self.tier);
        let lists: Vec<Vec<u64>> = (0..=low)
            .map(|ones| {
                tight.colourings[ones][..tight.choose[low][ones] as usize].iter().map(apply).collect()
            })
            .collect();

        // Fix the last cells until the rest is small; those with high variables select blocks.
        let slots = self.uppers[self.uppers.len() - 1];
        let (mut fixed, mut high) = (0, 0u32);
        while slots >> high.count_ones() > TASK && self.tier - fixed > self.inner {
            fixed += 1;
            let Some(rank) = ranks.iter().position(|&rank| usize::from(rank) == self.tier - fixed) else {
                break;
            };
            if rank >= tight.low {
                high |= 1 << (rank - tight.low);
            }
        }
        let stones: Vec<u8> = (0..geometry.stacks.len()).map(|i| geometry.count(shape, i) as u8).collect();
        let job =
            ShapeExport { export: self, sink, outgoing, source, stones, permutation, lists, fixed, high };
        self.context.each(1 << high.count_ones(), &|task| {
            let mut buffer = self.free.lock().ok().and_then(|mut free| free.pop()).unwrap_or_default();
            let done = job.task(&mut buffer, crate::tight::spread(task as u64, high.into()) as u32, monitor);
            if let Ok(mut free) = self.free.lock() {
                free.push(buffer);
            }
            done
        })
    }
}

/// Returns two tables whose sum is the colex rank of a colouring of `cells` cells with `ones` ones: by the upper cells'
/// colours the rank of the first colouring that has them, followed by the end, and by the lower cells' colours.
fn ranks(
    cells: usize,
    ones: usize,
    inner: usize,
    choose: &[u64; 64],
    monitor: &dyn Monitor,
) -> Result<(Vec<u64>, Vec<u16>), DenseError> {
    let mut uppers = Vec::with_capacity((1 << (cells - inner)) + 1);
    let mut at = 0;
    let mut pace = Pace::new(monitor);
    for upper in 0..1u32 << (cells - inner) {
        if pace.step() {
            return Err(DenseError::Stopped);
        }
        uppers.push(at);
        at += ones.checked_sub(upper.count_ones() as usize).map_or(0, |left| choose[left]);
    }
    uppers.push(at);
    let mut seen = [0u16; MOST_INNER + 1];
    let rank = |colours: u32| {
        let seen = &mut seen[colours.count_ones() as usize];
        *seen += 1;
        *seen - 1
    };
    Ok((uppers, (0..1u32 << inner).map(rank).collect()))
}

/// Returns the code of each number in the planes of a tier.
fn codes(context: &Context, tier: usize) -> [i8; 64] {
    let mut codes = [i8::UNKNOWN; 64];
    let turn = if context.geometry.mover(tier) == 1 { Turn::First } else { Turn::Second };
    for (number, code) in codes.iter_mut().enumerate().take(1 << context.planes(tier)) {
        let (payoff, distance) = context.decode(tier, number);
        *code = match context.values {
            PlaneValues::Wdl => turn.sees(payoff) as i8,
            // Boards have fewer than 64 cells, so every distance fits.
            PlaneValues::Distance => {
                i8::pack(Value::new(turn.sees(payoff), distance as u32)).unwrap_or(i8::UNKNOWN)
            }
        };
    }
    codes
}

/// Export of one shape, with one task per colouring of its last cells with high variables.
pub(crate) struct ShapeExport<'a> {
    export: &'a Export<'a>,
    sink: &'a dyn Sink,
    outgoing: &'a OutgoingShape,
    source: ShapePlanes,
    stones: Vec<u8>,
    /// From ranks in the planes to ranks among the cells.
    permutation: RankPermutation,
    /// By number of ones: the low colourings of a block, as colours of cells.
    lists: Vec<Vec<u64>>,
    /// Number of the last cells that are fixed, and the mask of the fixed high variables.
    fixed: usize,
    high: u32,
}

impl ShapeExport<'_> {
    /// Exports the slots whose fixed high variables have these values.
    fn task(&self, buffer: &mut ExportBuffer, values: u32, monitor: &dyn Monitor) -> Result<(), DenseError> {
        let Export { context, tier, uppers, inner, .. } = self.export;
        let (tight, tier) = (&context.tight, *tier);
        let mut pace = Pace::new(monitor);
        // Colours of the fixed cells given by these values, and the mask of the fixed cells that remain free.
        let shift = tier - self.fixed;
        let shown = |h: u32| (self.permutation.apply(u64::from(h) << tight.low) >> shift) as usize;
        let (fixed, choice) = (shown(values), (1usize << self.fixed) - 1 - shown(self.high));
        let ExportBuffer { codes: buffer, starts } = buffer;
        starts.resize(uppers.len(), 0);
        let mut slices = Vec::new();
        let (mut length, mut free) = (0u64, 0usize);
        loop {
            // All colours of the upper cells, given those of the fixed cells.
            let colours = fixed | free;
            let (first, end) = (colours << (shift - inner), (colours + 1) << (shift - inner));
            let rank = uppers[first];
            for (start, upper) in starts[first..end].iter_mut().zip(&uppers[first..end]) {
                *start = (length + upper - rank) as u32;
            }
            let slots = uppers[end] - rank;
            slices.push((rank, length as usize..(length + slots) as usize));
            length += slots;
            free = free.wrapping_sub(choice) & choice;
            if free == 0 {
                break;
            }
        }
        buffer.clear();
        while buffer.len() < length as usize {
            // First-touch page faults take time, so the monitor is polled in between.
            if pace.steps(256) {
                return Err(DenseError::Stopped);
            }
            buffer.resize((length as usize).min(buffer.len() + (1 << 18)), i8::UNKNOWN);
        }
        let blocks = ((1u32 << tight.high(tier)) - 1) & !self.high;
        let mut h = 0u32;
        loop {
            if pace.step() {
                return Err(DenseError::Stopped);
            }
            // SAFETY: the context's level is one that the processor has.
            unsafe { kernel::export(context.level, self, buffer, h | values, starts) };
            h = h.wrapping_sub(blocks) & blocks;
            if h == 0 {
                break;
            }
        }
        let of = uppers[uppers.len() - 1];
        for (rank, slice) in slices.into_iter().filter(|(_, slice)| !slice.is_empty()) {
            let shape = self.outgoing.number;
            let slots = Slots { tier, shape, stones: &self.stones, rank, of, codes: &buffer[slice] };
            self.sink.put(slots).map_err(|why| DenseError::Sink { tier, why })?;
        }
        Ok(())
    }

    /// Writes the defined slots of a block to their places in the buffer.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions.
    #[inline(always)]
    pub(crate) unsafe fn block<L: Lane>(&self, buffer: &mut [i8], h: u32, starts: &[u32]) {
        // SAFETY: as for this function.
        unsafe {
            match self.export.context.planes(self.export.tier) {
                0 => self.block_planes::<L, 0>(buffer, h, starts),
                planes => by_planes!(planes, self.block_planes::<L>(buffer, h, starts)),
            }
        }
    }

    #[inline(always)]
    unsafe fn block_planes<L: Lane, const N: usize>(&self, buffer: &mut [i8], h: u32, starts: &[u32]) {
        let Export { context, tier, offsets, codes, lower, inner, .. } = self.export;
        let tight = &context.tight;
        let ones = context.geometry.ones(*tier) as i32 - h.count_ones() as i32;
        let lines = tight.block_lines(ones);
        if lines == 0 {
            return;
        }
        let list = self.lists[ones as usize].as_slice();
        let at = offsets[h as usize] as usize;
        let upper = self.permutation.apply(u64::from(h) << tight.low);
        let mask = (1u64 << inner) - 1;
        for (word, list) in list.chunks(64).enumerate() {
            let (line, within) = (at + word / WORDS, word % WORDS);
            // SAFETY: the block lies in the shape's planes.
            let mut care = unsafe { *self.source.care.add(line * WORDS + within) };
            if care == 0 {
                continue;
            }
            // SAFETY: see above, and as for this function.
            let codes = unsafe {
                let mut planes = [0; N];
                for (plane, word) in planes.iter_mut().enumerate() {
                    *word = *self.source.table.add((line * N + plane) * WORDS + within);
                }
                L::look_up(&planes, codes)
            };
            while care != 0 {
                let bit = care.trailing_zeros() as usize;
                care &= care - 1;
                let colours = upper | list[bit];
                let slot = starts[(colours >> inner) as usize] + u32::from(lower[(colours & mask) as usize]);
                buffer[slot as usize] = codes[bit];
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    #[test]
    fn rank_tables_match_counting_for_every_split() {
        let choose = crate::tight::binomials();
        for (cells, inner) in [(0usize, 0usize), (5, 5), (12, 12), (15, 12), (17, 3), (20, 18), (20, 16)] {
            for ones in [0, cells / 2, cells.div_ceil(2), cells] {
                let (uppers, lower) =
                    ranks(cells, ones, inner, &choose[inner], &NoMonitor).expect("not stopped");
                let mask = (1 << inner) - 1;
                let colourings = (0..1u32 << cells).filter(|colours| colours.count_ones() == ones as u32);
                for (rank, colours) in (0..).zip(colourings.clone()) {
                    assert_eq!(
                        uppers[colours as usize >> inner] + u64::from(lower[colours as usize & mask]),
                        rank
                    );
                }
                assert_eq!(uppers.last(), Some(&(colourings.count() as u64)));
            }
        }
        assert_eq!([0, 7, 25, 32, 36, 42].map(inner), [0, 7, 12, 12, 16, 18]);
    }
}
