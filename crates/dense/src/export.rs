//! From planes to the slots of the tight index: one byte per balanced colouring, for a table writer.
//!
//! ```text
//!  planes, kernel order                       codes in colouring-rank order (cell by cell, colex)
//!  row by row, only what matters is read ──▶  a buffer of don't-cares is filled in where something does
//!
//!  a large shape: the colours of its last cells are fixed, task by task, so that a buffer fits in the cache
//! ```
//!
//! One slot in a dozen matters, so reading the planes and writing to where each value belongs is cheaper than
//! asking for the value of every slot. Of each mirror pair the shape that comes first in shape order is exported; a
//! shape that is its own image is exported whole.
//!
//! Invariant: a slot is a don't-care exactly if its position is unreachable, finished, or won at once.
#![allow(unsafe_code)]

use crate::back::PLANES;
use crate::lane::Lane;
use crate::relay::Reorder;
use crate::shapes::walk;
use crate::solve::Values;
use crate::squeeze::by_planes;
use crate::tight::WORDS;
use crate::workshop::Workshop;
use crate::{DenseError, kernel};
use outplay_core::{Code, Pace, Turn, Value, Watch};
use std::sync::Mutex;

/// Low cells of the export order whose ranks are looked up at once: few for the cache, more where the table of all others
/// would be large.
pub(crate) fn inner(tier: usize) -> usize {
    tier.saturating_sub(20).clamp(12, MOST_INNER).min(tier)
}

/// Ranks of so many cells fit in two bytes.
const MOST_INNER: usize = 18;
/// Slots that a task should have at most: they stay in the cache until they are handed over.
pub(crate) const TASK: u64 = 1 << 18;

/// A slice of a shape's slots.
#[derive(Clone, Copy, Debug)]
pub struct Slots<'a> {
    /// Stones placed since the start.
    pub tier: usize,
    /// The number of the shape within its tier, in shape order, all shapes counted.
    pub shape: u64,
    /// Stones placed in every stack since the start: by column with gravity, else by free cell.
    pub stones: &'a [u8],
    /// The colouring rank of the first code.
    pub rank: u64,
    /// Slots of the whole shape.
    pub of: u64,
    /// Codes of the mover's view as in [`outplay_core::Code`]; `i8::MIN` is a don't-care. Without distances
    /// a win is 1, a tie 0 and a loss -1.
    pub codes: &'a [i8],
}

impl Slots<'_> {
    /// The number of the first slot within the tier.
    pub fn first(&self) -> u64 {
        self.shape * self.of + self.rank
    }
}

/// Takes the values of a board, tier by tier from the last to the first.
///
/// Within a tier, slots come in slices, in any order and from several threads at once. What is not put is a
/// don't-care: full boards, for which the rules answer, never are. A board on which the game is over already has
/// nothing to put.
pub trait Sink: Sync {
    /// Whether the tier's slots are wanted; one that is there already need not be made again.
    fn wants(&self, tier: usize) -> bool;

    /// Takes slots.
    ///
    /// # Errors
    ///
    /// A sentence that says why they could not be taken; the solve ends with it.
    fn put(&self, slots: Slots<'_>) -> Result<(), String>;

    /// All slots of the tier have been put. What becomes of them may take a while longer: the tier before is kept until then
    /// by who solves together with others.
    ///
    /// # Errors
    ///
    /// As for `put`, of this tier or of one before.
    fn end(&self, tier: usize) -> Result<(), String>;

    /// Waits until all that was put is where it belongs.
    ///
    /// # Errors
    ///
    /// As for `put`.
    fn settle(&self) -> Result<(), String> {
        Ok(())
    }
}

/// A shape on its way out.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Outgoing {
    /// The place, among the computed shapes, of the table that has its values: its own or its mirror image's.
    pub(crate) place: u32,
    shape: u32,
    /// Its number within the tier.
    number: u64,
}

/// The planes of one computed shape, and those of its slots that matter.
#[derive(Clone, Copy)]
pub(crate) struct Source {
    pub(crate) table: *const u64,
    pub(crate) care: *const u64,
}

// SAFETY: nobody writes the planes while they are exported.
unsafe impl Send for Source {}
// SAFETY: see above.
unsafe impl Sync for Source {}

/// A tier on its way out.
pub(crate) struct Export<'a> {
    shop: &'a Workshop,
    tier: usize,
    offsets: &'a [u32],
    /// By number in the planes.
    codes: [i8; 64],
    /// By the upper cells' colours: the rank of the first colouring that has them; the last entry is the end.
    uppers: Vec<u64>,
    /// The rank of the lower cells' colours among those with as many ones.
    lower: Vec<u16>,
    inner: usize,
    /// By place.
    pub(crate) shapes: Vec<Outgoing>,
    free: Mutex<Vec<Buffer>>,
}

/// Memory that tasks use one after the other.
#[derive(Default)]
struct Buffer {
    codes: Vec<i8>,
    /// By the upper cells' colours, as far as the task has them: the place of the first colouring that has them.
    starts: Vec<u32>,
}

impl<'a> Export<'a> {
    pub(crate) fn new(
        shop: &'a Workshop,
        watch: &dyn Watch,
        tier: usize,
        offsets: &'a [u32],
    ) -> Result<Export<'a>, DenseError> {
        let field = &shop.field;
        let mut shapes = Vec::new();
        let mut number = 0u64;
        walk(field, watch, |shape, stones, lean| {
            if stones != tier {
                return;
            }
            let image = field.mirror.as_ref().map_or(shape, |mirror| field.image(mirror, shape));
            if shape <= image {
                let source = if lean < 0 && field.mirror.is_some() { image } else { shape };
                shapes.push(Outgoing { place: shop.shapes.place[source as usize], shape, number });
            }
            number += 1;
        })?;
        shapes.sort_unstable_by_key(|outgoing| outgoing.place);
        let inner = inner(tier);
        let (uppers, lower) = ranks(tier, field.ones(tier), inner, &shop.tight.choose[inner], watch)?;
        let codes = codes(shop, tier);
        Ok(Export { shop, tier, offsets, codes, uppers, lower, inner, shapes, free: Mutex::default() })
    }

    /// Hands shapes over, on all threads; `source` says where the planes of a place are.
    pub(crate) fn put(
        &self,
        watch: &dyn Watch,
        sink: &dyn Sink,
        shapes: &[Outgoing],
        source: &(dyn Fn(u32) -> Source + Sync),
    ) -> Result<(), DenseError> {
        self.shop.each(shapes.len(), &|i| self.shape(watch, sink, &shapes[i], source(shapes[i].place)))
    }

    fn shape(
        &self,
        watch: &dyn Watch,
        sink: &dyn Sink,
        outgoing: &Outgoing,
        source: Source,
    ) -> Result<(), DenseError> {
        let (field, tight) = (&self.shop.field, &self.shop.tight);
        let shape = outgoing.shape;
        // The table may be that of the mirror image.
        let image = field.mirror.as_ref().filter(|_| field.lean(shape) < 0);
        let held = field.filled(image.map_or(shape, |mirror| field.image(mirror, shape)));
        let filled = field.filled(shape);
        let mut cells: Vec<(usize, u8)> = (0..field.plies())
            .filter(|v| filled >> v & 1 == 1)
            .map(|v| (field.cells[v], image.map_or(v as u8, |mirror| mirror.variable[v])))
            .collect();
        cells.sort_unstable();
        // By rank in the planes: the rank among the cells.
        let mut ranks = vec![0u8; self.tier];
        for (rank, &(_, v)) in cells.iter().enumerate() {
            ranks[(held & ((1 << v) - 1)).count_ones() as usize] = rank as u8;
        }
        let reorder = Reorder::new(&ranks);
        let apply = |&colouring: &u16| reorder.apply(u64::from(colouring));
        let low = tight.low.min(self.tier);
        let lists: Vec<Vec<u64>> = (0..=low)
            .map(|ones| {
                tight.colourings[ones][..tight.choose[low][ones] as usize].iter().map(apply).collect()
            })
            .collect();

        // Fix the last cells until what is left is small; those with high variables select blocks.
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
        let stones: Vec<u8> = (0..field.stacks.len()).map(|i| field.count(shape, i) as u8).collect();
        let job = Job { export: self, sink, outgoing, source, stones, reorder, lists, fixed, high };
        self.shop.each(1 << high.count_ones(), &|task| {
            let mut buffer = self.free.lock().ok().and_then(|mut free| free.pop()).unwrap_or_default();
            let done = job.task(&mut buffer, crate::tight::spread(task as u64, high.into()) as u32, watch);
            if let Ok(mut free) = self.free.lock() {
                free.push(buffer);
            }
            done
        })
    }
}

/// Two tables whose sum is the rank of a colouring among those of so many cells with so many ones: by the upper cells' colours
/// the rank of the first colouring that has them, with the end behind, and by the lower cells' colours.
fn ranks(
    cells: usize,
    ones: usize,
    inner: usize,
    choose: &[u64; 64],
    watch: &dyn Watch,
) -> Result<(Vec<u64>, Vec<u16>), DenseError> {
    let mut uppers = Vec::with_capacity((1 << (cells - inner)) + 1);
    let mut at = 0;
    let mut pace = Pace::new(watch);
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

/// By number in the planes of a tier: the code.
fn codes(shop: &Workshop, tier: usize) -> [i8; 64] {
    let mut codes = [i8::UNKNOWN; 64];
    let turn = if shop.field.mover(tier) == 1 { Turn::First } else { Turn::Second };
    for (number, code) in codes.iter_mut().enumerate().take(1 << shop.planes(tier)) {
        let (payoff, distance) = shop.decode(tier, number);
        *code = match shop.values {
            Values::Wdl => turn.sees(payoff) as i8,
            // Boards have fewer than 64 cells, so every distance fits.
            Values::Distance => {
                i8::pack(Value::new(turn.sees(payoff), distance as u32)).unwrap_or(i8::UNKNOWN)
            }
        };
    }
    codes
}

/// One shape, in as many tasks as its last cells with high variables have colourings.
pub(crate) struct Job<'a> {
    export: &'a Export<'a>,
    sink: &'a dyn Sink,
    outgoing: &'a Outgoing,
    source: Source,
    stones: Vec<u8>,
    /// From ranks in the planes to ranks among the cells.
    reorder: Reorder,
    /// By number of ones: the low colourings of a block, as colours of cells.
    lists: Vec<Vec<u64>>,
    /// How many of the last cells are fixed, and which high variables are.
    fixed: usize,
    high: u32,
}

impl Job<'_> {
    /// The slots whose fixed high variables have these values.
    fn task(&self, buffer: &mut Buffer, values: u32, watch: &dyn Watch) -> Result<(), DenseError> {
        let Export { shop, tier, uppers, inner, .. } = self.export;
        let (tight, tier) = (&shop.tight, *tier);
        let mut pace = Pace::new(watch);
        // What the fixed cells show of these values, and all that the others among them can show.
        let shift = tier - self.fixed;
        let shown = |h: u32| (self.reorder.apply(u64::from(h) << tight.low) >> shift) as usize;
        let (fixed, choice) = (shown(values), (1usize << self.fixed) - 1 - shown(self.high));
        let Buffer { codes: buffer, starts } = buffer;
        starts.resize(uppers.len(), 0);
        let mut slices = Vec::new();
        let (mut length, mut free) = (0u64, 0usize);
        loop {
            // All colours of the upper cells with these of the fixed ones.
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
            // Memory that is written to for the first time takes its time.
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
            // SAFETY: the workshop's level is one that the processor has.
            unsafe { kernel::export(shop.level, self, buffer, h | values, starts) };
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

    /// Puts what matters of a block where it belongs.
    ///
    /// # Safety
    ///
    /// The processor has the lane's instructions.
    #[inline(always)]
    pub(crate) unsafe fn block<L: Lane>(&self, buffer: &mut [i8], h: u32, starts: &[u32]) {
        // SAFETY: the caller's promise.
        unsafe {
            match self.export.shop.planes(self.export.tier) {
                0 => self.block_planes::<L, 0>(buffer, h, starts),
                planes => by_planes!(planes, self.block_planes::<L>(buffer, h, starts)),
            }
        }
    }

    #[inline(always)]
    unsafe fn block_planes<L: Lane, const N: usize>(&self, buffer: &mut [i8], h: u32, starts: &[u32]) {
        let Export { shop, tier, offsets, codes, lower, inner, .. } = self.export;
        let tight = &shop.tight;
        let ones = shop.field.ones(*tier) as i32 - h.count_ones() as i32;
        let lines = tight.block_lines(ones);
        if lines == 0 {
            return;
        }
        let list = self.lists[ones as usize].as_slice();
        let at = offsets[h as usize] as usize;
        let upper = self.reorder.apply(u64::from(h) << tight.low);
        let mask = (1u64 << inner) - 1;
        for (word, list) in list.chunks(64).enumerate() {
            let (line, within) = (at + word / WORDS, word % WORDS);
            // SAFETY: the block lies in the shape's planes.
            let mut care = unsafe { *self.source.care.add(line * WORDS + within) };
            if care == 0 {
                continue;
            }
            // SAFETY: see above; the caller's promise.
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
    use outplay_core::Quiet;

    #[test]
    fn ranks_count_colourings_however_they_are_looked_up() {
        let choose = crate::tight::binomials();
        for (cells, inner) in [(0usize, 0usize), (5, 5), (12, 12), (15, 12), (17, 3), (20, 18), (20, 16)] {
            for ones in [0, cells / 2, cells.div_ceil(2), cells] {
                let (uppers, lower) = ranks(cells, ones, inner, &choose[inner], &Quiet).expect("not stopped");
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
