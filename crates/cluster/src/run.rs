//! Main function of `outplay-mpi`: runs the command line on a worker thread, and the MPI progress loop on the main
//! thread.

use crate::post::{MpiTransport, Phase};
use mpi::Threading;
use mpi::traits::Communicator as _;
use outplay_catalog::Catalog;
use outplay_runtime::Communicator;
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Delay before a failed rank exits: `mpirun` ends the job with the first failing rank, and any output of it, such as
/// the error itself, that `mpirun` has not read by then is lost.
const OUTPUT_DELAY: Duration = Duration::from_millis(500);

/// Runs the command line for the games of a catalog, on all ranks together.
pub fn main(catalog: &Catalog) -> ExitCode {
    main_in(catalog, |crew| crew)
}

/// Runs the command line on a communicator that wraps the one by MPI, for instrumentation.
pub fn main_in(
    catalog: &Catalog,
    crew: impl FnOnce(Arc<dyn Communicator>) -> Arc<dyn Communicator> + Send + 'static,
) -> ExitCode {
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        eprintln!(
            "error: MPI is already initialised in this process\n  start one outplay-mpi process per rank with mpirun"
        );
        return ExitCode::FAILURE;
    };
    if threading < Threading::Serialized {
        eprintln!(
            "error: this MPI library does not support MPI_THREAD_SERIALIZED\n  install Open MPI with thread support"
        );
        return ExitCode::FAILURE;
    }
    let world = universe.world();
    let reports = Arc::new(AtomicBool::new(world.rank() == 0));
    let phase = Arc::new(Phase::default());
    exit_on_sigterm(Arc::clone(&reports), Arc::clone(&phase));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let crowded = world.split_shared(0).size() as usize > cores;
    let (transport, progress_thread) = MpiTransport::open(&world, crowded, phase);
    let catalog = catalog.clone();
    let worker = std::thread::spawn(move || {
        let _report = PanicReport(transport.clone());
        let crew = crew(transport.clone());
        let (code, sentence) = outplay_cli::main_together(&catalog, &crew);
        transport.end(sentence);
        code
    });
    if !progress_thread.run() {
        // Some ranks no longer respond.
        world.abort(1);
    }
    let code = worker.join().unwrap_or(1);
    // The result or the error has been printed, so a later SIGTERM is not reported.
    reports.store(false, Ordering::Relaxed);
    if code != 0 {
        std::thread::sleep(OUTPUT_DELAY);
    }
    ExitCode::from(code)
}

/// Reports a panic of the worker to the other ranks when dropped.
struct PanicReport(Arc<MpiTransport>);

impl Drop for PanicReport {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(Some("the process panicked; please report the panic message".into()));
        }
    }
}

/// Handles SIGTERM, which `mpirun` sends when another rank was killed or crashed: reports it on rank 0 and exits.
fn exit_on_sigterm(reports: Arc<AtomicBool>, phase: Arc<Phase>) {
    let Ok(mut signals) = Signals::new([SIGTERM]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            if reports.load(Ordering::Relaxed) {
                let during = match phase.name() {
                    "" => String::new(),
                    phase => format!(" in phase `{phase}`"),
                };
                eprintln!(
                    "error: another rank failed, or the job was terminated{during}\n  finished work is stored; run the same command to resume, with any number of ranks"
                );
            }
            std::process::exit(143);
        }
    });
}
