//! Cost estimates of `plan`: memory, disk and time that each method needs, before anything is solved.
//!
//! ```text
//!  extent   slots, planes (counted), legal and stored positions (sampled)     ┐
//!  rates    of this machine (measured), scaled to the machine described       ├─▶  memory, disk, bytes moved, time
//!  limits   memory, disk, threads, ranks and their network                    ┘    and limits that would make it fit
//! ```
//!
//! The disk usage of the out-of-core bit-plane solver is simulated tier by tier, in the solver's order: reachability
//! planes of all earlier tiers, values of two tiers, the finished files of the later tiers, and the temporary file of
//! the tier that is being written.

use crate::extent::{Extent, TierExtent, estimate};
use crate::rates::Sizes;
use crate::{GameHandle, Method, Numbering, Rates, Session, SolveOrigin, Trouble, check_stop, planes};
use outplay_bitplane::{BitplaneOptions, DenseError};
use outplay_core::figures::{bytes, duration};
use outplay_core::{Game, LineBoard};
use outplay_runtime::Monitor;
use outplay_table::Values;
use serde::Serialize;
use std::path::PathBuf;

/// Fraction of one process's time that ranks lose to load imbalance.
const IMBALANCE: f64 = 0.1;

/// A request for a cost estimate, with the machine that it is for.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanRequest {
    /// The values to find for each position.
    pub values: Values,
    /// Threads of each machine, if it is not this one.
    pub threads: Option<usize>,
    /// Bytes of disk that may be used.
    pub disk: Option<u64>,
    /// Number of ranks.
    pub ranks: u32,
    /// Network bandwidth between two ranks, in bits per second.
    pub network: Option<u64>,
}

impl Default for PlanRequest {
    fn default() -> PlanRequest {
        PlanRequest { values: Values::Distance, threads: None, disk: None, ranks: 1, network: None }
    }
}

/// Cost estimate of one method: memory, disk and time.
#[derive(Clone, Debug, Serialize)]
pub struct Way {
    /// The method, as `solve --method` takes it.
    pub method: SolveOrigin,
    /// A description of the execution.
    pub how: String,
    /// Bytes of memory per rank; the minimum if the preferred amount exceeds the limit.
    pub memory: Option<u64>,
    /// Peak bytes of disk, including the table.
    pub disk: Option<u64>,
    /// Bytes of the finished table.
    pub table: Option<u64>,
    /// Bytes written to and read from disk, or exchanged between ranks.
    pub moved: Option<u64>,
    /// Time in seconds.
    pub seconds: Option<f64>,
    /// Whether it fits in the limits.
    pub fits: bool,
    /// Limits that would make it fit, or gaps in the estimate.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

impl Way {
    /// A method that does not fit and whose figures are unknown.
    fn new(method: Method, how: impl Into<String>, notes: Vec<String>) -> Way {
        Way {
            method: SolveOrigin::By(method),
            how: how.into(),
            memory: None,
            disk: None,
            table: None,
            moved: None,
            seconds: None,
            fits: false,
            notes,
        }
    }
}

/// The answer of `plan`: cost estimates of all methods for a game.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport {
    /// The canonical spec.
    pub game: String,
    /// The values to find for each position.
    pub values: Values,
    /// Size of the index; none for a game that has to be explored.
    pub slots: Option<u128>,
    /// Legal positions, estimated by sampling the index.
    pub estimated_count: Option<f64>,
    /// The same under its old name, until 0.3.
    pub positions: Option<f64>,
    /// Bytes of memory allowed.
    pub memory: u64,
    /// Bytes of disk allowed.
    pub disk: Option<u64>,
    /// Threads of each machine.
    pub threads: usize,
    /// Number of ranks.
    pub ranks: u32,
    /// Network bandwidth between two ranks, in bits per second.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<u64>,
    /// The measured rates of this machine.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
    /// The methods; the first is the one that `solve` would choose.
    pub ways: Vec<Way>,
}

/// Forecast of time and disk of a dense solve.
struct DenseForecast {
    seconds: f64,
    slab_seconds: f64,
    table: f64,
    /// Peak bytes of disk, slab by slab.
    disk: f64,
    /// The same for all ranks, which synchronise and code a tier while the next is computed.
    shared_disk: f64,
    /// Bytes to the disk and back.
    moved: f64,
    /// Packed bytes of values.
    values: f64,
}

impl DenseForecast {
    fn new(extent: &Extent, rates: &Rates, threads: usize) -> DenseForecast {
        let scale = rates.threads as f64 / threads.max(1) as f64;
        let work = extent.sum(|t| t.plane * t.down) / rates.reach
            + extent.sum(|t| t.plane * t.planes * t.up) / rates.values;
        let written = extent.sum(TierExtent::coding);
        let tiers = extent.tiers.len() as f64;
        let seconds = (work + written / rates.write) * scale + rates.tier * tiers;
        let packing = extent.sum(TierExtent::live_computed) / rates.slabs * scale + rates.slab_tier * tiers;

        let last = extent.tiers.len() - 1;
        let each = |of: &dyn Fn(&TierExtent, Sizes) -> f64| -> Vec<f64> {
            extent.tiers.iter().enumerate().map(|(tier, t)| of(t, rates.sizes_at(tier, last))).collect()
        };
        let reach = each(&|t, sizes| t.live_computed() * sizes.reach);
        let values = each(&|t, sizes| t.live_computed() * t.planes * sizes.value);
        let tables = each(&|t, sizes| t.stored * sizes.table);
        let runs = |t: &TierExtent| t.stored * rates.runs + t.granules();
        // The disk holds the slabs of `kept` later tiers while a tier is computed, and the runs of `coded` tiers
        // including its own.
        let peak = |kept: usize, coded: usize| {
            let during = |tier: usize| {
                let live: f64 = reach.iter().take(tier + kept + 1).sum();
                let known: f64 = values[tier..].iter().take(kept + 1).sum();
                let behind: f64 = tables[tier..].iter().sum();
                live + known + behind + extent.tiers[tier..].iter().take(coded).map(runs).sum::<f64>()
            };
            (0..last).map(during).fold(reach.iter().sum::<f64>(), f64::max)
        };
        let (disk, shared_disk) = (peak(1, 1), peak(3, 2));
        let runs = extent.sum(runs);
        let packed = reach.iter().sum::<f64>() * 3.0 + values.iter().sum::<f64>() * 2.0;
        let table: f64 = tables.iter().sum();
        let moved = packed + 2.0 * runs + table;
        DenseForecast {
            seconds,
            // I/O overlaps with computation; only the excess of disk time over CPU time is waited for.
            slab_seconds: (seconds + packing).max(moved / rates.disk),
            table,
            disk,
            shared_disk,
            moved,
            values: values.iter().sum(),
        }
    }
}

/// The size of the game's index, which approximates its number of positions; none for a game that has to be explored.
pub fn slots(handle: &GameHandle) -> Option<u128> {
    handle.index().map(|index| index.numbers().total())
}

/// Estimates the cost of solving the game, method by method.
///
/// # Errors
///
/// A directory without write access for the measurements, or a stop.
pub fn plan(
    session: &Session,
    handle: &GameHandle,
    request: &PlanRequest,
    watch: &dyn Monitor,
) -> Result<PlanReport, Trouble> {
    let mut report = PlanReport {
        game: handle.spec(),
        values: request.values,
        slots: None,
        estimated_count: None,
        positions: None,
        memory: session.memory,
        disk: request.disk,
        threads: request.threads.unwrap_or(session.threads),
        ranks: request.ranks,
        network: request.network,
        rates: None,
        ways: Vec::new(),
    };
    let numbering = handle.index();
    report.slots = slots(handle);
    let board = handle.game().start().and_then(|start| handle.game().board(&start));
    if let (Some(board), Some(numbering), false) = (&board, &numbering, handle.is_large()) {
        forecast_dense(session, handle, request, board, numbering, &mut report, watch)?;
    }
    forecast_others(handle, numbering.as_ref(), &mut report);
    check_stop(watch)?;
    Ok(report)
}

fn forecast_dense(
    session: &Session,
    handle: &GameHandle,
    request: &PlanRequest,
    board: &LineBoard,
    numbering: &Numbering,
    report: &mut PlanReport,
    watch: &dyn Monitor,
) -> Result<(), Trouble> {
    let unlimited = BitplaneOptions { memory: None, ..planes::options(request.values, session, true) };
    let unlimited = BitplaneOptions { threads: report.threads, ..unlimited };
    let plan = match outplay_bitplane::plan(board, &unlimited, true) {
        Ok(plan) => plan,
        Err(error) => {
            report.ways.push(Way::new(Method::Dense, "", vec![error.to_string()]));
            return Ok(());
        }
    };
    let mut extent = Extent::new(&plan);
    estimate(handle, &mut extent, numbering.numbers(), watch);
    report.estimated_count = Some(extent.sum(|t| t.live));
    report.positions = report.estimated_count;
    let data = session.data.as_deref().filter(|data| data.is_dir());
    let place = data.map_or_else(std::env::temp_dir, PathBuf::from);
    let rates = Rates::measure(board, request.values, session.threads, &place, watch)?;
    let outlook = DenseForecast::new(&extent, &rates, report.threads);
    report.rates = Some(rates);

    let (memory, disk) = (session.memory, request.disk);
    let enough = |needs: f64| disk.is_none_or(|disk| needs <= disk as f64);
    let mut notes = Vec::new();
    let in_memory = BitplaneOptions { memory: Some(memory), ..unlimited.clone() };
    let fitting = outplay_bitplane::plan(board, &in_memory, true);
    if fitting.is_err() {
        notes.push(format!("fits in {} of memory", bytes(plan.peak_bytes)));
    }
    if !enough(outlook.table) {
        notes.push(format!("fits on {} of disk", bytes(outlook.table as u64)));
    }
    report.ways.push(Way {
        memory: Some(fitting.as_ref().map_or(plan.peak_bytes, |plan| plan.peak_bytes)),
        disk: Some(outlook.table as u64),
        table: Some(outlook.table as u64),
        moved: Some(0),
        seconds: Some(outlook.seconds),
        fits: notes.is_empty(),
        ..Way::new(Method::Dense, "in memory", notes)
    });

    let slabs = |memory: u64| {
        let options = BitplaneOptions { slabs: true, memory: Some(memory), ..unlimited.clone() };
        match outplay_bitplane::plan(board, &options, true) {
            Ok(plan) => Ok(plan.slab_bytes().unwrap_or(plan.peak_bytes)),
            Err(DenseError::Memory { needs, .. }) => Err(needs),
            Err(_) => Err(u64::MAX),
        }
    };
    let least = slabs(1).unwrap_or_else(|needs| needs);
    let peak = slabs(memory.max(least)).unwrap_or(least);
    let mut notes = Vec::new();
    if least > memory {
        notes.push(format!("fits in {} of memory", bytes(least)));
    }
    if !enough(outlook.disk) {
        notes.push(format!("fits on {} of disk", bytes(outlook.disk as u64)));
    }
    if request.values == Values::Distance && !notes.is_empty() {
        notes.push("win/draw/loss without distances needs less memory and disk".into());
    }
    report.ways.push(Way {
        memory: Some(peak),
        disk: Some(outlook.disk as u64),
        table: Some(outlook.table as u64),
        moved: Some(outlook.moved as u64),
        seconds: Some(outlook.slab_seconds),
        fits: notes.is_empty(),
        ..Way::new(Method::Dense, "slab by slab", notes)
    });
    if request.ranks > 1 {
        report.ways.push(on_ranks(request, &outlook, memory, (plan.peak_bytes, least)));
    }
    Ok(())
}

/// Estimates the methods without bit-planes: memory is known if there is an index, time is not.
fn forecast_others(handle: &GameHandle, numbering: Option<&Numbering>, report: &mut PlanReport) {
    let memory = report.memory;
    let mut push = |method: Method, needs: Option<u128>, note: &str| {
        let fits = needs.is_some_and(|needs| needs <= u128::from(memory));
        let mut notes = vec![note.to_string()];
        if let Some(needs) = needs.filter(|_| !fits) {
            notes.insert(0, format!("fits in {} of memory", bytes(u64::try_from(needs).unwrap_or(u64::MAX))));
        }
        let memory = needs.map(|needs| u64::try_from(needs).unwrap_or(u64::MAX));
        report.ways.push(Way { memory, fits, ..Way::new(method, "", notes) });
    };
    let unmeasured = "no time estimate";
    match numbering {
        Some(Numbering::Sweeps(sweeps)) => push(Method::Sweep, Some(sweeps.sweep_bytes()), unmeasured),
        Some(Numbering::Cycles(cycles)) => {
            let by_tier = cycles.bytes() > memory.into();
            let needs = if by_tier { cycles.bytes_by_tier() } else { cycles.bytes() };
            push(Method::Retrograde, Some(needs), unmeasured);
        }
        Some(Numbering::Means(means)) => {
            push(Method::Chance, Some(means.numbers().total() * 8), unmeasured);
        }
        None => push(
            if handle.game().has_dice() { Method::Chance } else { Method::Sweep },
            None,
            "the number of positions is unknown until they are explored",
        ),
    }
}

/// Slabs distributed over ranks: each rank holds its share, and packed values of children are sent on request.
fn on_ranks(request: &PlanRequest, outlook: &DenseForecast, allowed: u64, (peak, least): (u64, u64)) -> Way {
    let ranks = f64::from(request.ranks);
    let memory = (peak as f64 / ranks * (1.0 + IMBALANCE)).max(least as f64) as u64;
    // All but a rank's own share of the values that its slabs read comes from other ranks.
    let moved = outlook.values * 2.0 * (ranks - 1.0) / ranks;
    let wire = request.network.map_or(0.0, |bits| moved / ranks / (bits as f64 / 8.0));
    // Slabs are packed and unpacked, as in one process without the memory for the board.
    let seconds = (outlook.slab_seconds / ranks * (1.0 + IMBALANCE)).max(wire);
    let mut notes = vec![
        "estimated from one process slab by slab, with 10 % for load imbalance, one disk per rank and packed values over the network"
            .to_string(),
    ];
    let roomy = request.disk.is_none_or(|disk| outlook.shared_disk <= disk as f64);
    if !roomy {
        notes.insert(0, format!("fits on {} of disk, all ranks together", bytes(outlook.shared_disk as u64)));
    }
    let fits = memory <= allowed;
    if !fits {
        notes.insert(0, format!("fits in {} of memory for each rank", bytes(memory)));
    }
    if wire > outlook.slab_seconds / ranks {
        notes.push(format!("the network alone takes {}", duration(wire)));
    }
    Way {
        memory: Some(memory),
        disk: Some(outlook.shared_disk as u64),
        table: Some(outlook.table as u64),
        moved: Some(moved as u64),
        seconds: Some(seconds),
        fits: fits && roomy,
        ..Way::new(Method::Dense, format!("on {} ranks", request.ranks), notes)
    }
}
