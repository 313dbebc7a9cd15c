//! The neighbours of a slab, unpacked where the kernels find them.
//!
//! ```text
//!  depot ──fetch──▶ packed bytes ──unpack──▶ frame 0 │ frame 1 │ frame 2 │ …
//!         a thread of its own,                each holds a bundle of the neighbouring tier
//!         one slab ahead
//! ```
//!
//! Who asks for what is known beforehand, so the frame that gives way is the one that is asked for latest.
//!
//! Invariant: while a slab is computed, every neighbour of its shapes has a seat.
#![allow(unsafe_code)]

use crate::DenseError;
use crate::arena::{Arena, Room};
use crate::depot::{Key, Packed, Part};
use crate::kernel;
use crate::slabs::{Bundle, Slabs, Way};
use crate::squeeze::{CHUNK, Squeeze, Squeezer, unbind};
use crate::tight::WORDS;
use crate::workshop::{Shared, Workshop};
use std::sync::Mutex;

/// What the neighbours of one tier leave to those of the next.
pub(crate) struct Spare {
    /// By shape.
    seats: Vec<u32>,
    frames: Room,
    free: Mutex<Vec<Squeezer>>,
}

impl Spare {
    /// For a board with so many shapes, and frames of so many lines.
    pub(crate) fn new(shapes: usize, lines: u64) -> Spare {
        Spare { seats: vec![0; shapes], frames: Room::new(lines), free: Mutex::default() }
    }
}

/// The frames of one tier's neighbours.
pub(crate) struct Neighbours<'a> {
    shop: &'a Workshop,
    slabs: &'a Slabs,
    tier: usize,
    /// Planes of values; 0 where it is the live planes that are asked for.
    planes: usize,
    /// Lines of one plane of a shape.
    lines: u64,
    /// By turn: what the slab asks for whose turn it is.
    asked: Vec<Vec<Bundle>>,
    /// By bundle: the turns in which it is asked for, the next one last.
    askers: Vec<Vec<u32>>,
    arena: Arena,
    held: Vec<Option<Bundle>>,
    /// Where seats are, by shape: where its table lies, counted in tables.
    spare: &'a mut Spare,
}

impl<'a> Neighbours<'a> {
    /// Frames for the neighbours of the slabs to do, in the order of their turns, of the tier `of`, whose neighbours lie that
    /// way, in at most so many bytes, and always enough for any one slab.
    #[allow(clippy::too_many_arguments)]
    pub(crate) fn new(
        shop: &'a Workshop,
        (tier, slabs): (usize, &'a Slabs),
        of: (usize, &Slabs),
        todo: &[usize],
        way: Way,
        planes: usize,
        bytes: u64,
        spare: &'a mut Spare,
    ) -> Result<Neighbours<'a>, DenseError> {
        // Only what will be computed here asks.
        let mut asked = vec![Vec::new(); todo.len()];
        if way == Way::Down || planes > 0 {
            let mut all = slabs.asked(&shop.field, &shop.shapes, of, way);
            asked = todo.iter().map(|&slab| std::mem::take(&mut all[slab])).collect();
        }
        let mut askers = vec![Vec::new(); 2 * slabs.count];
        for (turn, bundles) in asked.iter().enumerate().rev() {
            bundles.iter().for_each(|&bundle| askers[bundle as usize].push(turn as u32));
        }
        let lines = shop.tight.plane_lines(tier, shop.field.ones(tier));
        let frame = lines * planes.max(1) as u64 * slabs.per as u64;
        let least = asked.iter().map(Vec::len).max().unwrap_or(0) as u64;
        let frames = most_alive(&askers, todo.len()).min(least.max(bytes / (frame * 64).max(1)));
        // The forward kernel reads a line behind the last table.
        let arena = spare.frames.take(frames * frame + 1)?;
        let held = vec![None; frames as usize];
        Ok(Neighbours { shop, slabs, tier, planes, lines, asked, askers, arena, held, spare })
    }

    /// Where the frames begin, and by shape its table among theirs.
    pub(crate) fn tables(&self) -> (*const u64, &[u32]) {
        (self.arena.at(0).cast_const(), &self.spare.seats)
    }

    /// Leaves what there is to the next tier.
    pub(crate) fn leave(self) {
        self.spare.frames.put(self.arena);
    }

    /// What the slab asks for whose turn it is, and is not there.
    pub(crate) fn missing(&self, turn: usize) -> Vec<Bundle> {
        self.asked[turn].iter().copied().filter(|&bundle| !self.held.contains(&Some(bundle))).collect()
    }

    /// The names under which bundles are kept.
    pub(crate) fn keys(&self, bundles: &[Bundle]) -> Vec<Key> {
        keys(bundles, self.tier, self.planes)
    }

    /// Seats the bundles that were missing for a turn; `packed` are the bytes under their keys.
    pub(crate) fn seat(
        &mut self,
        turn: usize,
        missing: &[Bundle],
        packed: &[Packed],
    ) -> Result<(), DenseError> {
        let mut frames = Vec::with_capacity(missing.len());
        for &bundle in missing {
            let frame = self.free(turn)?;
            self.held[frame] = Some(bundle);
            self.take_seats(bundle, frame);
            frames.push(frame);
        }
        for &bundle in &self.asked[turn] {
            self.askers[bundle as usize].pop();
        }
        let step = if self.planes > 0 { 2 } else { 1 };
        let mut jobs = Vec::new();
        for ((i, &frame), &bundle) in frames.iter().enumerate().zip(missing) {
            let damaged = || DenseError::Depot {
                why: format!(
                    "slab {} of tier {} is damaged; remove the table and solve again",
                    bundle / 2,
                    self.tier
                ),
            };
            let live = unbind(&packed[i * step]).ok_or_else(damaged)?;
            let values =
                if self.planes > 0 { unbind(&packed[i * step + 1]).ok_or_else(damaged)? } else { Vec::new() };
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
        let base = Shared(self.arena.at(0));
        let free = &self.spare.free;
        self.shop.each(jobs.len(), &|i| {
            let mut squeezer = free.lock().ok().and_then(|mut free| free.pop()).unwrap_or_default();
            let (live, values, first, lines) = jobs[i];
            let planes = self.planes.max(1) as u64;
            // SAFETY: chunks of different bundles and within one are disjoint, and lie in their frames.
            let whole = unsafe {
                unpack(self.shop, &mut squeezer, live, values, base.line(first * planes), lines, self.planes)
            };
            if let Ok(mut free) = free.lock() {
                free.push(squeezer);
            }
            let why = || format!("a slab of tier {} is damaged; remove the table and solve again", self.tier);
            whole.ok_or_else(|| DenseError::Depot { why: why() })
        })
    }

    /// A frame that holds nothing that is asked for in this turn: an empty one, or that of whom is asked for latest.
    fn free(&self, turn: usize) -> Result<usize, DenseError> {
        let next = |&frame: &usize| match self.held[frame] {
            None => u32::MAX,
            Some(bundle) => self.askers[bundle as usize].last().copied().unwrap_or(u32::MAX - 1),
        };
        let latest = (0..self.held.len()).max_by_key(next);
        latest.filter(|frame| next(frame) > turn as u32).ok_or_else(|| DenseError::Depot {
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

    fn take_seats(&mut self, bundle: Bundle, frame: usize) {
        let (slab, first) = ((bundle / 2) as usize, (frame * self.slabs.per) as u32);
        let stored = &self.shop.shapes.tiers[self.tier].stored;
        if bundle.is_multiple_of(2) {
            for (seat, place) in (first..).zip(self.slabs.places(slab)) {
                self.spare.seats[stored[place] as usize] = seat;
            }
        } else if let Some(mirror) = &self.shop.field.mirror {
            for (seat, place) in (first..).zip(self.slabs.sources(slab)) {
                self.spare.seats[self.shop.field.image(mirror, stored[place]) as usize] = seat;
            }
        }
    }
}

/// The names under which bundles of a tier are kept: live planes, and behind each its values if those are asked for.
pub(crate) fn keys(bundles: &[Bundle], tier: usize, planes: usize) -> Vec<Key> {
    let mut keys = Vec::new();
    for &bundle in bundles {
        let (slab, image) = ((bundle / 2) as usize, bundle % 2 == 1);
        let key = |part| Key { part, tier, slab };
        keys.push(key(if image { Part::ReachImages } else { Part::Reach }));
        if planes > 0 {
            keys.push(key(if image { Part::ValueImages } else { Part::Values }));
        }
    }
    keys
}

/// How many bundles have been asked for and will be asked for again, where those are most: with as many frames none is
/// fetched twice.
fn most_alive(askers: &[Vec<u32>], turns: usize) -> u64 {
    let mut steps = vec![0i64; turns + 1];
    for (first, last) in askers.iter().filter_map(|askers| askers.last().zip(askers.first())) {
        steps[*first as usize] += 1;
        steps[*last as usize + 1] -= 1;
    }
    let alive = steps.iter().scan(0, |alive, step| {
        *alive += step;
        Some(*alive)
    });
    alive.max().unwrap_or(0) as u64
}

/// Unpacks a chunk: its live plane, or, with `values`, the planes of those; `None` if the bytes are damaged.
///
/// # Safety
///
/// `to` is valid for the planes of so many lines, and nobody else touches them.
pub(crate) unsafe fn unpack(
    shop: &Workshop,
    squeezer: &mut Squeezer,
    live: &[u8],
    values: Option<&[u8]>,
    to: *mut u64,
    lines: usize,
    planes: usize,
) -> Option<()> {
    let Some(values) = values else {
        // SAFETY: the caller's promise.
        return squeezer.unpack_live(live, unsafe { std::slice::from_raw_parts_mut(to, lines * WORDS) });
    };
    let mut mask = std::mem::take(&mut squeezer.live);
    mask.resize(lines * WORDS, 0);
    let mut whole = false;
    squeezer.unpack_live(live, &mut mask)?;
    squeezer.unsqueezed(values, lines * WORDS * planes)?;
    // SAFETY: the caller's promise, and the level is one that the machine has.
    unsafe { kernel::scatter(shop.level, &Squeeze { planes }, squeezer, &mask, to, &mut whole) };
    squeezer.live = mask;
    whole.then_some(())
}
