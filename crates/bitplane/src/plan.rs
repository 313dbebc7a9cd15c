//! Memory plan of a solve, computed before it starts.
//!
//! ```text
//!  memory = planes of two neighbouring tiers + mirror images of one + reachability of all + small tables
//!           `values`                           `images`               `reach`
//! ```
//!
//! If that exceeds the limit, the planes of a shape are returned to the system as soon as all their readers are done,
//! which saves up to one of the two tiers. If that is not enough, the board is solved slab by slab: memory holds one
//! slab (a group of shapes) and the slabs that it reads, and the others are stored in compressed form.

use crate::DenseError;
use crate::arena::{self, HUGE};
use crate::back::PLANES;
use crate::error::Bytes;
use crate::export::{TASK, inner};
use crate::field::BoardGeometry;
use crate::shapes::{Shapes, census};
use crate::slabs::SlabLayout;
use crate::solve::{BitplaneOptions, PlaneValues};
use crate::tight::{TightLayout, binomials};
use outplay_core::LineBoard;
use outplay_runtime::{Monitor, NoMonitor};
use std::fmt;
use std::ops::Range;

/// Number of parts of a tier in a frugal solve, which returns memory after each.
pub(crate) const PARTS: usize = 64;

/// Cap on numbers of lines, beyond any machine, so that sums do not overflow.
const LINES_CAP: u64 = 1 << 50;

/// Size of one tier in a [`Plan`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TierPlan {
    /// Stones placed since the start.
    pub tier: usize,
    /// Shapes of the tier.
    pub shapes: u64,
    /// Shapes whose table is computed; the others are mirror images.
    pub stored: u64,
    /// Balanced colourings of each shape: its slots in the tight index.
    pub slots: u64,
    /// Bit-planes of values.
    pub planes: usize,
    /// Bytes of all planes of the computed shapes.
    pub bytes: u64,
    /// Lines of 512 bits of the reachability plane of the computed shapes.
    pub(crate) reach_lines: u64,
    /// Lines of all planes of the computed shapes, and of the copied ones.
    pub(crate) value_lines: u64,
    pub(crate) image_lines: u64,
}

impl TierPlan {
    /// Bytes of one plane of the computed shapes.
    pub fn plane_bytes(&self) -> u64 {
        self.reach_lines.saturating_mul(64)
    }
}

/// Memory and disk that a solve will use, tier by tier.
#[derive(Clone, Debug)]
pub struct Plan {
    /// By tier, from the start.
    pub tiers: Vec<TierPlan>,
    /// All shapes.
    pub shapes: u64,
    /// Σ 2ⁿ over shapes: the unit of quoted speeds.
    pub colourings: f64,
    /// Slots of the tight index, over all tiers.
    pub slots: u128,
    /// Number of stacks: columns with gravity, else free cells.
    pub stacks: usize,
    /// Whether mirror symmetry halves the work.
    pub mirror: bool,
    /// Whether tables are returned to the system as soon as they are no longer read.
    pub frugal: bool,
    /// Peak memory in bytes.
    pub peak_bytes: u64,
    /// Peak disk usage in bytes.
    pub disk_bytes: u64,
    /// Number of threads.
    pub threads: usize,
    pub(crate) values: [u64; 2],
    pub(crate) images: u64,
    pub(crate) reach: u64,
    /// Bytes of memory besides planes.
    pub(crate) small: u64,
    /// Layout of the slabs, for an out-of-core solve.
    pub(crate) cut: Option<SlabLayout>,
    /// Memory for planes, in bytes.
    pub(crate) plane_bytes: u64,
}

impl Plan {
    /// Memory that an out-of-core solve will use, in bytes: neighbours are cached while there is room, except for the
    /// third that is reserved for packed data in transit. `None` if all planes stay in memory.
    pub fn slab_bytes(&self) -> Option<u64> {
        self.cut.as_ref().map(|_| self.small + self.plane_bytes / 3 * 2)
    }
}

/// Computes the resources of `solve` with the same options. Cheap: shapes are counted, not enumerated.
///
/// # Errors
///
/// A board with too many shapes, or a solve that exceeds the memory limit even
/// with the planes on disk; the error has the figures.
pub fn plan(board: &LineBoard, options: &BitplaneOptions, export: bool) -> Result<Plan, DenseError> {
    let geometry = BoardGeometry::new(board, options.mirror, options.low)?;
    Plan::new(&geometry, options, export, false, &NoMonitor)
}

impl Plan {
    /// Whether the board is solved out of core, slab by slab.
    pub fn slabwise(&self) -> bool {
        self.cut.is_some()
    }

    /// Plans within the available memory if no limit was set.
    pub(crate) fn fitting(
        geometry: &BoardGeometry,
        options: &BitplaneOptions,
        export: bool,
        keep: bool,
        monitor: &dyn Monitor,
    ) -> Result<Plan, DenseError> {
        let plan = Plan::new(geometry, options, export, keep, monitor)?;
        match (options.memory, arena::available()) {
            // All ranks must make the same plan, and available memory differs between them.
            (None, Some(available)) if options.crew.is_none() && plan.peak_bytes > available => {
                let options = BitplaneOptions { memory: Some(available), ..options.clone() };
                Plan::new(geometry, &options, export, keep, monitor)
            }
            _ => Ok(plan),
        }
    }

    /// Plans a solve; `keep` keeps all tiers in memory.
    pub(crate) fn new(
        geometry: &BoardGeometry,
        options: &BitplaneOptions,
        export: bool,
        keep: bool,
        monitor: &dyn Monitor,
    ) -> Result<Plan, DenseError> {
        let choose = binomials();
        let tight = TightLayout::new(options.low, 1);
        let plies = geometry.plies();
        let high = tight.high(plies);
        let tier = |(n, counts): (usize, [u64; 3])| {
            let ones = geometry.ones(n);
            let lines = tight.plane_lines(n, ones);
            let planes = planes(options.values, plies - n);
            TierPlan {
                tier: n,
                shapes: counts[0],
                stored: counts[1],
                slots: choose[n][ones],
                planes,
                bytes: counts[1].saturating_mul(lines).saturating_mul(planes as u64 * 64),
                reach_lines: counts[1].saturating_mul(lines),
                value_lines: counts[1].saturating_mul(lines).saturating_mul(planes as u64),
                image_lines: counts[2].saturating_mul(lines).saturating_mul(planes.max(1) as u64),
            }
        };
        let tiers: Vec<TierPlan> = census(geometry).into_iter().enumerate().map(tier).collect();
        let wants_reach = options.counts || export;
        let threads = options.threads();

        let sum = |lines: fn(&TierPlan) -> u64| tiers.iter().map(lines).fold(0, u64::saturating_add);
        let most = |parity: usize| tiers.iter().skip(parity).step_by(2).map(|t| t.value_lines).max();
        let values: [u64; 2] =
            if keep { [sum(|t| t.value_lines), 0] } else { [most(0).unwrap_or(0), most(1).unwrap_or(0)] }
                .map(|lines| lines.min(LINES_CAP));
        let images = tiers.iter().map(|t| t.image_lines).max().unwrap_or(0).min(LINES_CAP) + 1;
        let reach = if wants_reach { sum(|t| t.reach_lines).min(LINES_CAP) + 1 } else { 0 };
        // Each thread fills a buffer with the help of a table of its own, derived from a shared one.
        let buffer = |t: &TierPlan| {
            let tables = (8 + 4 * threads as u64).saturating_mul(1 << (t.tier - inner(t.tier)).min(40));
            (t.slots.min(2 * TASK) * threads as u64).saturating_add(tables).min(LINES_CAP)
        };
        let last = tiers.len().saturating_sub(1);
        let buffers = if export { tiers[..last].iter().map(buffer).max().unwrap_or(0) } else { 0 };
        let masks = 2 * (1u64 << options.low) * 16 * 64;
        let offsets = 12u64 << high.min(50);
        let listed = u64::from(geometry.shapes) * if export { 16 } else { 12 };
        let scratch = threads as u64 * (1 << 21) + (PLANES as u64) * 4096;
        let small = masks + offsets + listed + scratch + buffers + (12 << 20);

        let image_bytes = images * 64;
        let plane_bytes = (values[0] + values[1]) * 64 + image_bytes;
        let reach_bytes = reach * 64;
        let tight_fit = small + plane_bytes / 2;
        // Returning tables early saves at most half; the exact figure requires enumerating the shapes.
        let frugal_bytes = match options.memory {
            Some(allowed) if !keep && small + plane_bytes > allowed && tight_fit <= allowed => {
                frugal_lines(geometry, &tiers, monitor)? * 64 + image_bytes
            }
            _ => plane_bytes,
        };
        let allowed = options.memory.unwrap_or(u64::MAX);
        let choices =
            [(false, small + plane_bytes + reach_bytes), (true, small + frugal_bytes + reach_bytes)];
        let fitting = choices.into_iter().find(|&(_, memory)| memory <= allowed);
        let room = allowed.saturating_sub(small);
        let slabs = (options.slabs || options.crew.is_some()) && !keep;
        let ranks = options.crew.as_ref().filter(|_| !keep).map(|crew| crew.size());
        let cut = match (fitting, options.slab_bytes) {
            (_, target) if ranks.is_some() => {
                let shapes = Shapes::new(geometry, monitor)?;
                Some(SlabLayout::distributed(geometry, &shapes, &tiers, room, target, ranks.unwrap_or(1)))
            }
            (_, Some(target)) if slabs => {
                Some(SlabLayout::of(geometry, &Shapes::new(geometry, monitor)?, &tiers, target))
            }
            (None, _) if slabs => {
                Some(SlabLayout::new(geometry, &Shapes::new(geometry, monitor)?, &tiers, room))
            }
            _ => None,
        };
        let (frugal, peak_bytes) = match (fitting, &cut) {
            (Some(fitting), _) => fitting,
            (None, Some(cut)) if cut.bytes <= room => (false, allowed),
            _ => {
                let needs = cut.map_or(choices[1].1, |cut| small + cut.bytes);
                let mut cures = Vec::new();
                if options.values == PlaneValues::Distance {
                    let cheaper =
                        BitplaneOptions { values: PlaneValues::Wdl, memory: None, ..options.clone() };
                    let wdl = Plan::new(geometry, &cheaper, export, keep, monitor)?.peak_bytes;
                    if wdl < needs {
                        cures.push(format!("ask for win/draw/loss only ({})", Bytes(wdl)));
                    }
                }
                if !options.slabs && !keep {
                    cures.push("write a table, so that slabs can be stored on disk".to_string());
                }
                let cure =
                    if cures.is_empty() { String::new() } else { format!("; {}", cures.join(", or ")) };
                return Err(DenseError::Memory { needs, allowed, cure });
            }
        };
        Ok(Plan {
            shapes: u64::from(geometry.shapes),
            colourings: tiers.iter().map(|t| t.shapes as f64 * 2f64.powi(t.tier as i32)).sum(),
            slots: tiers.iter().map(|t| u128::from(t.shapes) * u128::from(t.slots)).sum(),
            stacks: geometry.stacks.len(),
            mirror: geometry.mirror.is_some(),
            frugal,
            peak_bytes,
            disk_bytes: if cut.is_some() { packed_bytes(&tiers) } else { 0 },
            cut,
            small,
            plane_bytes: room,
            threads,
            values,
            images,
            reach,
            tiers,
        })
    }
}

/// Peak disk usage of packed slabs, an empirical estimate: a quarter of the live planes.
fn packed_bytes(tiers: &[TierPlan]) -> u64 {
    tiers.iter().map(|t| t.reach_lines.saturating_mul(64)).fold(0, u64::saturating_add) / 4
}

/// Returns the parts of a tier in a frugal solve.
pub(crate) fn parts(shapes: usize) -> impl Iterator<Item = Range<usize>> {
    (0..PARTS).map(move |i| shapes * i / PARTS..shapes * (i + 1) / PARTS).filter(|part| !part.is_empty())
}

/// Peak number of lines of a frugal solve: the rest of the next tier plus the finished part of this one.
fn frugal_lines(
    geometry: &BoardGeometry,
    tiers: &[TierPlan],
    monitor: &dyn Monitor,
) -> Result<u64, DenseError> {
    let shapes = Shapes::new(geometry, monitor)?;
    let mut most = 0;
    for tier in 0..geometry.plies() {
        let size = |n: usize| tiers[n].value_lines.checked_div(tiers[n].stored).unwrap_or(0);
        let (this, next) = (&shapes.tiers[tier].stored, &shapes.tiers[tier + 1].stored);
        let mut gone = 0;
        for part in parts(this.len()) {
            most = most.max((next.len() - gone) as u64 * size(tier + 1) + part.end as u64 * size(tier));
            gone = next.partition_point(|&child| child <= this[part.end - 1]);
        }
    }
    // Memory is returned in huge pages.
    Ok(most + 4 * HUGE / 64)
}

/// Number of planes of a tier with `plies_left` plies left. The last tier is all ties and has none.
pub(crate) fn planes(values: PlaneValues, plies_left: usize) -> usize {
    match (values, plies_left) {
        (_, 0) => 0,
        (PlaneValues::Wdl, _) => 2,
        (PlaneValues::Distance, left) => (usize::BITS - left.leading_zeros()) as usize,
    }
}

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{} shapes, {:.3e} colourings, {} slots, {} of memory",
            self.shapes,
            self.colourings,
            self.slots,
            Bytes(self.peak_bytes)
        )?;
        if self.disk_bytes > 0 {
            write!(f, ", {} of disk", Bytes(self.disk_bytes))?;
        }
        Ok(())
    }
}
