//! The program: the command line on a thread of its own, the keeper of the post office on the first.

use crate::post::{Phase, Post};
use mpi::Threading;
use mpi::traits::Communicator;
use outplay_catalog::Catalog;
use outplay_core::Crew;
use signal_hook::consts::SIGTERM;
use signal_hook::iterator::Signals;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a rank that failed stays: `mpirun` ends the job with the first that fails, and what it has not read from it by
/// then, the reason of all things, is lost.
const LAST_WORDS: Duration = Duration::from_millis(500);

/// Runs the command line for the games of a catalog, on all ranks together.
pub fn main(catalog: &Catalog) -> ExitCode {
    main_in(catalog, |crew| crew)
}

/// The same in a crew that is made of the one by MPI, for who wants to look on.
pub fn main_in(
    catalog: &Catalog,
    crew: impl FnOnce(Arc<dyn Crew>) -> Arc<dyn Crew> + Send + 'static,
) -> ExitCode {
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Serialized) else {
        eprintln!("error: MPI is in use already\n  start one outplay-mpi for each rank, as mpirun does");
        return ExitCode::FAILURE;
    };
    if threading < Threading::Serialized {
        eprintln!("error: this MPI knows no threads\n  install Open MPI with support for threads");
        return ExitCode::FAILURE;
    }
    let world = universe.world();
    let speaks = Arc::new(AtomicBool::new(world.rank() == 0));
    let phase = Arc::new(Phase::default());
    heed_the_end(Arc::clone(&speaks), Arc::clone(&phase));
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let crowded = world.split_shared(0).size() as usize > cores;
    let (post, keeper) = Post::open(&world, crowded, phase);
    let catalog = catalog.clone();
    let worker = std::thread::spawn(move || {
        let _ends = Ends(post.clone());
        let crew = crew(post.clone());
        let (code, sentence) = outplay_cli::main_together(&catalog, &crew);
        post.end(sentence);
        code
    });
    if !keeper.run() {
        // Who does not answer any more cannot be waited for.
        world.abort(1);
    }
    let code = worker.join().unwrap_or(1);
    // Everything is said: that the job ends now is no news.
    speaks.store(false, Ordering::Relaxed);
    if code != 0 {
        std::thread::sleep(LAST_WORDS);
    }
    ExitCode::from(code)
}

/// Tells the others of a worker that panics.
struct Ends(Arc<Post>);

impl Drop for Ends {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.0.end(Some("it crashed; please report what it said".into()));
        }
    }
}

/// Says why this rank ends when it is told to: `mpirun` does so when another rank was killed or crashed.
fn heed_the_end(speaks: Arc<AtomicBool>, phase: Arc<Phase>) {
    let Ok(mut signals) = Signals::new([SIGTERM]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            if speaks.load(Ordering::Relaxed) {
                let during = match phase.name() {
                    "" => String::new(),
                    phase => format!(", during {phase}"),
                };
                eprintln!(
                    "error: another rank ended, or the job was ended from outside{during}\n  what is finished is kept: the same command goes on from there, with any number of ranks"
                );
            }
            std::process::exit(143);
        }
    });
}
