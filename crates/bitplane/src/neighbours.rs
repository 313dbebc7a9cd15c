//! Neighbour cache: the unpacked neighbours of a slab, with optimal eviction (Bélády's MIN, 1966).
//!
//! To compute a slab (a group of shapes), the solver reads the planes of every shape with one stone more or less. These
//! come in *bundles*: the shapes of one slab, or the mirror images of one slab.
//!
//! ```text
//!  store ──fetch──▶ packed bytes ──unpack──▶ frame 0 │ frame 1 │ frame 2 │ …
//!         on its own thread,                 each frame holds a bundle of the next tier
//!         one slab ahead
//! ```
//!
//! The access sequence is known in advance, so eviction is optimal: the frame whose next use is furthest away is
//! dropped.
//!
//! Invariant: while a slab is computed, every bundle that it reads is in a frame.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::arena::{Arena, ArenaSlot};
use crate::compress::{CHUNK, LivePacking, PlaneCompressor, unframe};
use crate::context::{Context, SharedPtr};
use crate::kernel;
use crate::slab_store::{Part, SlabBytes, SlabKey};
use crate::slabs::{Bundle, Slabs, TierDirection};
use crate::tight::WORDS;
use std::sync::Mutex;

/// Buffers that are reused from tier to tier.
pub(crate) struct NeighbourBuffers {
    /// By shape: the place of its table among those of the frames.
    places: Vec<u32>,
    frames: ArenaSlot,
    free: Mutex<Vec<PlaneCompressor>>,
}

impl NeighbourBuffers {
    /// Allocates for a board with `shapes` shapes and frames of at most `lines` lines in total.
    pub(crate) fn new(shapes: usize, lines: u64) -> NeighbourBuffers {
        NeighbourBuffers { places: vec![0; shapes], frames: ArenaSlot::new(lines), free: Mutex::default() }
    }
}

/// Neighbour cache of one tier.
pub(crate) struct NeighbourCache<'a> {
    context: &'a Context,
    slabs: &'a Slabs,
    tier: usize,
    /// Planes of values; 0 for a cache of live planes.
    planes: usize,
    /// Lines of one plane of a shape.
    lines: u64,
    /// By turn: the bundles that the slab reads.
    accesses: Vec<Vec<Bundle>>,
    /// By bundle: the turns that read it, the next one last.
    next_uses: Vec<Vec<u32>>,
    arena: Arena,
    resident: Vec<Option<Bundle>>,
    /// Reusable buffers, with the place of each shape's table.
    buffers: &'a mut NeighbourBuffers,
}

impl<'a> NeighbourCache<'a> {
    /// Creates the cache for the slabs `todo` of tier `of`, in this order, whose neighbours lie in that direction.
    /// It uses at most `bytes` bytes, but always has enough frames for any one slab.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        context: &'a Context,
        (tier, slabs): (usize, &'a Slabs),
        of: (usize, &Slabs),
        todo: &[usize],
        direction: TierDirection,
        planes: usize,
        bytes: u64,
        buffers: &'a mut NeighbourBuffers,
    ) -> Result<NeighbourCache<'a>, DenseError> {
        // Only slabs that will be computed here read neighbours.
        let mut accesses = vec![Vec::new(); todo.len()];
        if direction == TierDirection::Down || planes > 0 {
            let mut all = slabs.reads(&context.geometry, &context.shapes, of, direction);
            accesses = todo.iter().map(|&slab| std::mem::take(&mut all[slab])).collect();
        }
        let mut next_uses = vec![Vec::new(); 2 * slabs.count];
        for (turn, bundles) in accesses.iter().enumerate().rev() {
            bundles.iter().for_each(|&bundle| next_uses[bundle as usize].push(turn as u32));
        }
        let lines = context.tight.plane_lines(tier, context.geometry.ones(tier));
        let frame = lines * planes.max(1) as u64 * slabs.per as u64;
        let least = accesses.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let frames = most_alive(&next_uses, todo.len()).min(least.max(bytes / (frame * 64).max(1)));
        // The forward kernel reads one line past the last table.
        let arena = buffers.frames.take(frames * frame + 1)?;
        let resident = vec![None; frames as usize];
        Ok(NeighbourCache {
            context,
            slabs,
            tier,
            planes,
            lines,
            accesses,
            next_uses,
            arena,
            resident,
            buffers,
        })
    }

    /// Returns the start of the frames, and by shape the place of its table.
    pub(crate) fn tables(&self) -> (*const u64, &[u32]) {
        (self.arena.at(0).cast_const(), &self.buffers.places)
    }

    /// Releases the arena for the next tier.
    pub(crate) fn release(self) {
        self.buffers.frames.put(self.arena);
    }

    /// Returns the bundles of a turn that are not in a frame.
    pub(crate) fn missing(&self, turn: usize) -> Vec<Bundle> {
        self.accesses[turn].iter().copied().filter(|&bundle| !self.resident.contains(&Some(bundle))).collect()
    }

    /// Returns the keys of bundles.
    pub(crate) fn keys(&self, bundles: &[Bundle]) -> Vec<SlabKey> {
        keys(bundles, self.tier, self.planes)
    }

    /// Unpacks the missing bundles of a turn into frames; `packed` holds the bytes of their keys.
    pub(crate) fn load(
        &mut self,
        turn: usize,
        missing: &[Bundle],
        packed: &[SlabBytes],
    ) -> Result<(), DenseError> {
        let mut frames = Vec::with_capacity(missing.len());
        for &bundle in missing {
            let frame = self.victim(turn)?;
            self.resident[frame] = Some(bundle);
            self.assign_places(bundle, frame);
            frames.push(frame);
        }
        for &bundle in &self.accesses[turn] {
            self.next_uses[bundle as usize].pop();
        }
        let step = if self.planes > 0 { 2 } else { 1 };
        let mut jobs = Vec::new();
        for ((i, &frame), &bundle) in frames.iter().enumerate().zip(missing) {
            let damaged = || DenseError::SlabStore {
                why: format!(
                    "slab {} of tier {} is damaged; remove the table and solve again",
                    bundle / 2,
                    self.tier
                ),
            };
            let live = unframe(&packed[i * step]).ok_or_else(damaged)?;
            let values = if self.planes > 0 {
                unframe(&packed[i * step + 1]).ok_or_else(damaged)?
            } else {
                Vec::new()
            };
            let lines = self.shapes_of(bundle) as u64 * self.lines;
            if live.len() as u64 != lines.div_ceil(CHUNK as u64)
                || (self.planes > 0 && values.len() != live.len())
            {
                return Err(damaged());
            }
            for (chunk, &bytes) in live.iter().enumerate() {
                let at = chunk as u64 * CHUNK as u64;
                let first = frame as u64 * self.slabs.per as u64 * self.lines + at;
                let length = (lines - at).min(CHUNK as u64) as usize;
                jobs.push((bytes, values.get(chunk).copied(), first, length));
            }
        }
        let base = SharedPtr(self.arena.at(0));
        let free = &self.buffers.free;
        self.context.each(jobs.len(), &|i| {
            let mut compressor = free.lock().ok().and_then(|mut free| free.pop()).unwrap_or_default();
            let (live, values, first, lines) = jobs[i];
            let planes = self.planes.max(1) as u64;
            // SAFETY: chunks of different bundles and within one are disjoint, and lie in their frames.
            let whole = unsafe {
                unpack(
                    self.context,
                    &mut compressor,
                    live,
                    values,
                    base.line(first * planes),
                    lines,
                    self.planes,
                )
            };
            if let Ok(mut free) = free.lock() {
                free.push(compressor);
            }
            let why = || format!("a slab of tier {} is damaged; remove the table and solve again", self.tier);
            whole.ok_or_else(|| DenseError::SlabStore { why: why() })
        })
    }

    /// Chooses the frame to evict: an empty one, or the one whose next use is furthest away (Bélády), never one that
    /// this turn uses.
    fn victim(&self, turn: usize) -> Result<usize, DenseError> {
        let next = |&frame: &usize| match self.resident[frame] {
            None => u32::MAX,
            Some(bundle) => self.next_uses[bundle as usize].last().copied().unwrap_or(u32::MAX - 1),
        };
        let latest = (0..self.resident.len()).max_by_key(next);
        latest.filter(|frame| next(frame) > turn as u32).ok_or_else(|| DenseError::SlabStore {
            why: "the slabs were planned for fewer neighbours than they have".into(),
        })
    }

    fn shapes_of(&self, bundle: Bundle) -> usize {
        let slab = (bundle / 2) as usize;
        if bundle.is_multiple_of(2) {
            self.slabs.places(slab).len()
        } else {
            self.slabs.sources(slab).count()
        }
    }

    fn assign_places(&mut self, bundle: Bundle, frame: usize) {
        let (slab, first) = ((bundle / 2) as usize, (frame * self.slabs.per) as u32);
        let stored = &self.context.shapes.tiers[self.tier].stored;
        if bundle.is_multiple_of(2) {
            for (load, place) in (first..).zip(self.slabs.places(slab)) {
                self.buffers.places[stored[place] as usize] = load;
            }
        } else if let Some(mirror) = &self.context.geometry.mirror {
            for (load, place) in (first..).zip(self.slabs.sources(slab)) {
                self.buffers.places[self.context.geometry.image(mirror, stored[place]) as usize] = load;
            }
        }
    }
}

/// Returns the keys of a tier's bundles: each live plane, followed by its values if `planes` is not 0.
pub(crate) fn keys(bundles: &[Bundle], tier: usize, planes: usize) -> Vec<SlabKey> {
    let mut keys = Vec::new();
    for &bundle in bundles {
        let (slab, image) = ((bundle / 2) as usize, bundle % 2 == 1);
        let key = |part| SlabKey { part, tier, slab };
        keys.push(key(if image { Part::ReachImages } else { Part::Reach }));
        if planes > 0 {
            keys.push(key(if image { Part::ValueImages } else { Part::Values }));
        }
    }
    keys
}

/// Largest number of bundles that are live at once, between their first and last use: with as many frames, no bundle
/// is fetched twice.
fn most_alive(next_uses: &[Vec<u32>], turns: usize) -> u64 {
    let mut steps = vec![0i64; turns + 1];
    for (first, last) in next_uses.iter().filter_map(|next_uses| next_uses.last().zip(next_uses.first())) {
        steps[*first as usize] += 1;
        steps[*last as usize + 1] -= 1;
    }
    let alive = steps.iter().scan(0, |alive, step| {
        *alive += step;
        Some(*alive)
    });
    alive.max().unwrap_or(0) as u64
}

/// Unpacks a chunk: its live plane, or, with `values`, its value planes; `None` if the bytes are damaged.
///
/// # Safety
///
/// `to` is valid for the planes of `lines` lines, and no other thread accesses them.
pub(crate) unsafe fn unpack(
    context: &Context,
    compressor: &mut PlaneCompressor,
    live: &[u8],
    values: Option<&[u8]>,
    to: *mut u64,
    lines: usize,
    planes: usize,
) -> Option<()> {
    let Some(values) = values else {
        // SAFETY: as for this function.
        return compressor.unpack_live(live, unsafe { std::slice::from_raw_parts_mut(to, lines * WORDS) });
    };
    let mut mask = std::mem::take(&mut compressor.live);
    mask.resize(lines * WORDS, 0);
    let mut whole = false;
    compressor.unpack_live(live, &mut mask)?;
    compressor.decompress_words(values, lines * WORDS * planes)?;
    // SAFETY: as for this function, and the level is one that the machine has.
    unsafe { kernel::scatter(context.level, &LivePacking { planes }, compressor, &mask, to, &mut whole) };
    compressor.live = mask;
    whole.then_some(())
}
