//! The campaign: every kind of file and of input under kills, damage, failing disks, foreign identity and malformed words.
//!
//! ```text
//!  subjects   each kind of file: the command that makes it, the one that reads it, and what an undisturbed run gives
//!  kills · mutations · disk     disturb files of the real program, then repeat the command and compare
//!  inputs · proofs · requests   words, forged proofs and HTTP requests
//!  report     one table: tries, wrong answers, panics, hangs, lost files
//! ```
//!
//! `cargo xtask fuzz --campaign [--scale X]` runs all of it and prints the table; the tests here run a small slice. The seed
//! is fixed unless `OUTPLAY_FUZZ_SEED` is set.
//!
//! Invariant: after a disturbance the same command gives what an undisturbed run gives.

mod disk;
mod inputs;
mod kills;
mod mutations;
mod proofs;
mod report;
mod requests;
mod subjects;
mod trial;

use crate::fuzz::variable;
use rand::SeedableRng;
use rand::rngs::SmallRng;
use report::{Failure, Row};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;
use subjects::{Prepared, Subject, subjects};

/// The seed unless `OUTPLAY_FUZZ_SEED` says otherwise.
const SEED: u64 = 26;

/// The share of the campaign that runs with the everyday tests.
const SLICE: f64 = 0.005;

/// How much is tried.
#[derive(Clone, Copy)]
pub(crate) struct Amount {
    scale: f64,
    seed: u64,
}

impl Amount {
    fn new(scale: f64) -> Amount {
        Amount { scale, seed: variable("OUTPLAY_FUZZ_SEED").map_or(SEED, |seed| seed as u64) }
    }

    /// A number of tries at this scale.
    pub(crate) fn of(self, tries: usize) -> usize {
        ((tries as f64 * self.scale).round() as usize).max(1)
    }

    /// Random numbers of a job's own.
    pub(crate) fn rng(self, job: &str) -> SmallRng {
        SmallRng::seed_from_u64(self.seed ^ xxhash_rust::xxh3::xxh3_64(job.as_bytes()))
    }
}

/// A part of the campaign that stands alone.
type Job = Box<dyn FnOnce(Amount) -> Vec<Row> + Send>;

/// Everything that is done to one kind of file.
fn disturb(subject: Subject, amount: Amount) -> Vec<Row> {
    let mut rng = amount.rng(subject.kind);
    // Measuring takes seconds each time, and so do slabs on a disk.
    let slower = match subject.kind {
        kind if kind.starts_with("rates") => 8,
        "slabs" => 2,
        _ => 1,
    };
    let few = |tries: usize| amount.of(tries / slower);
    let prepared = Prepared::new(subject);
    let mut rows = vec![kills::kills(&prepared, few(88), &mut rng)];
    rows.extend(mutations::mutations(&prepared, few(60), &mut rng));
    rows.extend(mutations::foreign(&prepared));
    rows.extend(mutations::outdated(&prepared));
    rows.extend(disk::failing(&prepared, false, few(30), &mut rng));
    rows.extend(disk::failing(&prepared, true, few(30), &mut rng));
    rows.extend(disk::full(&prepared, few(24), &mut rng));
    rows
}

fn file_jobs() -> Vec<Job> {
    let job = |subject: Subject| Box::new(move |amount| disturb(subject, amount)) as Job;
    subjects().into_iter().map(job).collect()
}

/// Runs jobs on all cores; rows come in the order of jobs.
fn all(jobs: Vec<Job>, amount: Amount) -> Vec<Row> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let results: Vec<Mutex<Vec<Row>>> = jobs.iter().map(|_| Mutex::default()).collect();
    let jobs: Vec<_> = jobs.into_iter().map(|job| Mutex::new(Some(job))).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        loop {
            let number = next.fetch_add(1, Relaxed);
            let Some(job) = jobs.get(number) else { return };
            let job = job.lock().unwrap().take().expect("each job runs once");
            let start = Instant::now();
            // A job that fails itself must not take the others along.
            let rows = catch_unwind(AssertUnwindSafe(|| job(amount))).unwrap_or_else(|_| {
                let mut row = Row::new(format!("job {number}"), "the campaign itself failed; see above");
                row.fail(Failure::Wrong, "the job panicked");
                vec![row]
            });
            eprintln!("campaign: job {number} took {:.0} s", start.elapsed().as_secs_f64());
            *results[number].lock().unwrap() = rows;
        }
    };
    std::thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(work))));
    results.into_iter().flat_map(|rows| rows.into_inner().unwrap()).collect()
}

/// Prints the table; any failure fails the test.
fn conclude(rows: &[Row], amount: Amount) {
    let command = match amount.scale {
        1.0 => "cargo xtask fuzz --campaign".to_string(),
        scale => format!("cargo xtask fuzz --campaign --scale {scale}"),
    };
    println!("{}", report::table(rows, &command, amount.seed));
    let failures = report::failures(rows);
    assert!(failures.is_empty(), "failures of seed {}:\n{failures}", amount.seed);
}

/// The whole campaign.
#[test]
#[ignore = "some twenty minutes: `cargo xtask fuzz --campaign`"]
fn campaign() {
    let amount = Amount::new(variable("OUTPLAY_CAMPAIGN_SCALE").unwrap_or(1.0));
    let mut jobs = file_jobs();
    jobs.extend(mutations::jobs());
    jobs.extend(inputs::jobs());
    jobs.extend(proofs::jobs());
    jobs.extend(requests::jobs());
    conclude(&all(jobs, amount), amount);
}

fn slice(jobs: Vec<Job>) {
    let amount = Amount::new(SLICE);
    conclude(&all(jobs, amount), amount);
}

#[test]
fn a_slice_of_files() {
    let mut jobs = file_jobs();
    // The last one measures the machine, for seconds each time.
    jobs.pop();
    slice(jobs);
}

#[test]
fn a_slice_of_inputs() {
    slice(inputs::jobs());
}

#[test]
fn a_slice_of_proofs() {
    slice(proofs::jobs());
}

#[test]
fn a_slice_of_requests() {
    slice(requests::jobs());
}
