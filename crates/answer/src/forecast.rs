//! What solving a game would take, method by method, before anything is begun.
//!
//! ```text
//!  extent   slots, planes (counted), legal and stored positions (estimated)  ┐
//!  rates    of this machine (measured), scaled to the one described          ├─▶  memory, disk, bytes moved, time
//!  limits   memory, disk, threads, ranks and their network                   ┘    and what would make it fit
//! ```
//!
//! The disk of a solve slab by slab is followed tier by tier, as the solver does it: live planes of all tiers before,
//! values of two tiers, the finished files of the tiers behind, and the runs that the next one is coded from.

use crate::Trouble;
use crate::answers::How;
use crate::entry::Entry;
use crate::extent::{Extent, TierExtent};
use crate::kernels::Numbering;
use crate::planes;
use crate::rates::{Rates, Sizes};
use crate::request::{Method, QueryOptions};
use outplay_core::figures::{bytes, duration};
use outplay_core::{Game, LineBoard, Watch};
use outplay_dense::{DenseError, Options};
use outplay_table::Values;
use serde::Serialize;
use std::path::PathBuf;

/// Of the time of one process, what ranks lose by waiting for each other.
const IMBALANCE: f64 = 0.1;

/// What is to be planned, and on which machine.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PlanRequest {
    /// What to find of each position.
    pub values: Values,
    /// Memory of each machine, threads, and where the data directory is.
    pub options: QueryOptions,
    /// Threads of each machine, if it is not this one.
    pub threads: Option<usize>,
    /// Bytes of disk that may be used.
    pub disk: Option<u64>,
    /// How many processes share the work.
    pub ranks: u32,
    /// Bits per second between two of them.
    pub network: Option<u64>,
}

impl Default for PlanRequest {
    fn default() -> PlanRequest {
        PlanRequest {
            values: Values::Distance,
            options: QueryOptions::default(),
            threads: None,
            disk: None,
            ranks: 1,
            network: None,
        }
    }
}

/// One way to solve.
#[derive(Clone, Debug, Serialize)]
pub struct Way {
    /// The method, as `solve --method` takes it.
    pub method: How,
    /// How it is done.
    pub how: String,
    /// Bytes of memory, of each rank; the least it can do with if that is more than is allowed.
    pub memory: Option<u64>,
    /// Bytes of disk at the peak, the table included.
    pub disk: Option<u64>,
    /// Bytes of the table that is left.
    pub table: Option<u64>,
    /// Bytes that go to the disk, or between ranks, and back.
    pub moved: Option<u64>,
    /// How long it takes.
    pub seconds: Option<f64>,
    /// Whether it fits.
    pub fits: bool,
    /// What would make it fit, or what is not known.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// The answer of `plan`.
#[derive(Clone, Debug, Serialize)]
pub struct PlanReport {
    /// The canonical spec.
    pub game: String,
    /// What would be found of each position.
    pub values: Values,
    /// Numbers of the index; none of a game that has to be explored.
    pub slots: Option<u128>,
    /// Legal positions, estimated from random numbers of the index.
    pub positions: Option<f64>,
    /// Bytes of memory allowed.
    pub memory: u64,
    /// Bytes of disk allowed.
    pub disk: Option<u64>,
    /// Threads of each machine.
    pub threads: usize,
    /// Processes that share the work.
    pub ranks: u32,
    /// Bits per second between them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub network: Option<u64>,
    /// What was measured.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub rates: Option<Rates>,
    /// Method by method, what `solve` would choose first.
    pub ways: Vec<Way>,
}

/// What the time and the disk of a dense solve come to.
struct Outlook {
    seconds: f64,
    slab_seconds: f64,
    table: f64,
    /// At the peak, slab by slab.
    disk: f64,
    /// The same of all ranks together, which wait for each other and code a tier while the next is computed.
    shared_disk: f64,
    /// To the disk and back.
    moved: f64,
    /// Of values, packed.
    values: f64,
}

impl Outlook {
    fn new(extent: &Extent, rates: &Rates, threads: usize) -> Outlook {
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
        // Slabs of so many tiers behind one are there while it is computed, and the runs of so many tiers, itself included.
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
        Outlook {
            seconds,
            // Reading and writing go on while the cores compute; only what the disk cannot keep up with is waited for.
            slab_seconds: (seconds + packing).max(moved / rates.disk),
            table,
            disk,
            shared_disk,
            moved,
            values: values.iter().sum(),
        }
    }
}

impl Entry {
    /// How many numbers the game's index uses, which is about how many positions it has; none of a game that has to be
    /// explored.
    pub fn slots(&self) -> Option<u128> {
        self.index().map(|index| index.numbers().total())
    }

    /// What solving the game would take.
    ///
    /// # Errors
    ///
    /// A directory in which nothing can be measured, or a stop.
    pub fn forecast(&self, request: &PlanRequest, watch: &dyn Watch) -> Result<PlanReport, Trouble> {
        let mut report = PlanReport {
            game: self.spec(),
            values: request.values,
            slots: None,
            positions: None,
            memory: request.options.memory,
            disk: request.disk,
            threads: request.threads.unwrap_or(request.options.threads),
            ranks: request.ranks,
            network: request.network,
            rates: None,
            ways: Vec::new(),
        };
        let numbering = self.index();
        report.slots = self.slots();
        let board = self.game().start().and_then(|start| self.game().board(&start));
        if let (Some(board), Some(numbering), false) = (&board, &numbering, self.is_large()) {
            self.forecast_dense(request, board, numbering, &mut report, watch)?;
        }
        self.forecast_others(numbering.as_ref(), &mut report);
        if watch.stopped() { Err(Trouble::stopped()) } else { Ok(report) }
    }

    fn forecast_dense(
        &self,
        request: &PlanRequest,
        board: &LineBoard,
        numbering: &Numbering,
        report: &mut PlanReport,
        watch: &dyn Watch,
    ) -> Result<(), Trouble> {
        let unlimited = Options { memory: None, ..planes::options(request.values, &request.options, true) };
        let unlimited = Options { threads: report.threads, ..unlimited };
        let plan = match outplay_dense::plan(board, &unlimited, true) {
            Ok(plan) => plan,
            Err(error) => {
                report.ways.push(refused(error.to_string()));
                return Ok(());
            }
        };
        let mut extent = Extent::new(&plan);
        self.estimate(&mut extent, numbering.numbers(), watch);
        report.positions = Some(extent.sum(|t| t.live));
        let data = request.options.data.as_deref().filter(|data| data.is_dir());
        let place = data.map_or_else(std::env::temp_dir, PathBuf::from);
        let rates = Rates::measure(board, request.values, request.options.threads, &place, watch)?;
        let outlook = Outlook::new(&extent, &rates, report.threads);
        report.rates = Some(rates);

        let (memory, disk) = (request.options.memory, request.disk);
        let enough = |needs: f64| disk.is_none_or(|disk| needs <= disk as f64);
        let mut notes = Vec::new();
        let in_memory = Options { memory: Some(memory), ..unlimited.clone() };
        let fitting = outplay_dense::plan(board, &in_memory, true);
        if fitting.is_err() {
            notes.push(format!("fits in {} of memory", bytes(plan.peak_bytes)));
        }
        if !enough(outlook.table) {
            notes.push(format!("fits on {} of disk", bytes(outlook.table as u64)));
        }
        report.ways.push(Way {
            method: How::By(Method::Dense),
            how: "in memory".into(),
            memory: Some(fitting.as_ref().map_or(plan.peak_bytes, |plan| plan.peak_bytes)),
            disk: Some(outlook.table as u64),
            table: Some(outlook.table as u64),
            moved: Some(0),
            seconds: Some(outlook.seconds),
            fits: notes.is_empty(),
            notes,
        });

        let slabs = |memory: u64| {
            let options = Options { slabs: true, memory: Some(memory), ..unlimited.clone() };
            match outplay_dense::plan(board, &options, true) {
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
            notes.push("win/draw/loss alone takes less of both".into());
        }
        report.ways.push(Way {
            method: How::By(Method::Dense),
            how: "slab by slab".into(),
            memory: Some(peak),
            disk: Some(outlook.disk as u64),
            table: Some(outlook.table as u64),
            moved: Some(outlook.moved as u64),
            seconds: Some(outlook.slab_seconds),
            fits: notes.is_empty(),
            notes,
        });
        if request.ranks > 1 {
            report.ways.push(on_ranks(request, &outlook, plan.peak_bytes, least));
        }
        Ok(())
    }

    /// What is not a matter of planes: memory is known where there is an index, time is not.
    fn forecast_others(&self, numbering: Option<&Numbering>, report: &mut PlanReport) {
        let memory = report.memory;
        let mut push = |method: Method, needs: Option<u128>, note: &str| {
            let fits = needs.is_some_and(|needs| needs <= u128::from(memory));
            let mut notes = vec![note.to_string()];
            if let Some(needs) = needs.filter(|_| !fits) {
                notes.insert(
                    0,
                    format!("fits in {} of memory", bytes(u64::try_from(needs).unwrap_or(u64::MAX))),
                );
            }
            report.ways.push(Way {
                method: How::By(method),
                how: String::new(),
                memory: needs.map(|needs| u64::try_from(needs).unwrap_or(u64::MAX)),
                disk: None,
                table: None,
                moved: None,
                seconds: None,
                fits,
                notes,
            });
        };
        let unmeasured = "its time is not forecast";
        match numbering {
            Some(Numbering::Sweeps(sweeps)) => push(Method::Sweep, Some(sweeps.sweep_bytes()), unmeasured),
            Some(Numbering::Cycles(cycles)) => {
                // A value of two bytes and a counter of one, all tiers of the largest component at once.
                let most = cycles.numbers().sizes().into_iter().max().unwrap_or(0);
                push(Method::Retrograde, Some(u128::from(most) * 3), unmeasured);
            }
            Some(Numbering::Means(means)) => {
                push(Method::Chance, Some(means.numbers().total() * 8), unmeasured);
            }
            None => push(
                if self.game().has_dice() { Method::Chance } else { Method::Sweep },
                None,
                "how many positions there are is not known before they are explored",
            ),
        }
    }
}

fn refused(why: String) -> Way {
    Way {
        method: How::By(Method::Dense),
        how: String::new(),
        memory: None,
        disk: None,
        table: None,
        moved: None,
        seconds: None,
        fits: false,
        notes: vec![why],
    }
}

/// Slabs dealt over ranks: each holds its share, and children's values travel packed to whoever asks for them.
fn on_ranks(request: &PlanRequest, outlook: &Outlook, peak: u64, least: u64) -> Way {
    let ranks = f64::from(request.ranks);
    let memory = (peak as f64 / ranks * (1.0 + IMBALANCE)).max(least as f64) as u64;
    // All but a rank's own share of what its slabs ask for comes from others.
    let moved = outlook.values * 2.0 * (ranks - 1.0) / ranks;
    let wire = request.network.map_or(0.0, |bits| moved / ranks / (bits as f64 / 8.0));
    // Slabs are packed and unpacked, as by one process that has not the memory for the board.
    let seconds = (outlook.slab_seconds / ranks * (1.0 + IMBALANCE)).max(wire);
    let mut notes = vec![
        "calculated from one process slab by slab: a tenth for waiting, a disk for each, children's values sent packed"
            .to_string(),
    ];
    let roomy = request.disk.is_none_or(|disk| outlook.shared_disk <= disk as f64);
    if !roomy {
        notes.insert(0, format!("fits on {} of disk, all ranks together", bytes(outlook.shared_disk as u64)));
    }
    let fits = memory <= request.options.memory;
    if !fits {
        notes.insert(0, format!("fits in {} of memory for each rank", bytes(memory)));
    }
    if wire > outlook.slab_seconds / ranks {
        notes.push(format!("the network alone takes {}", duration(wire)));
    }
    Way {
        method: How::By(Method::Dense),
        how: format!("on {} ranks", request.ranks),
        memory: Some(memory),
        disk: Some(outlook.shared_disk as u64),
        table: Some(outlook.table as u64),
        moved: Some(moved as u64),
        seconds: Some(seconds),
        fits: fits && roomy,
        notes,
    }
}
