//! The program: the command line on a thread of its own, the post office on the one that MPI knows.

use crate::post::Post;
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
    let Some((universe, threading)) = mpi::initialize_with_threading(Threading::Funneled) else {
        eprintln!("error: MPI is in use already\n  start one outplay-mpi for each rank, as mpirun does");
        return ExitCode::FAILURE;
    };
    if threading < Threading::Funneled {
        eprintln!("error: this MPI knows no threads\n  install Open MPI with support for threads");
        return ExitCode::FAILURE;
    }
    let world = universe.world();
    let speaks = Arc::new(AtomicBool::new(world.rank() == 0));
    heed_the_end(Arc::clone(&speaks));
    let (post, office) = Post::open(world.rank() as usize, world.size() as usize);
    let catalog = catalog.clone();
    let worker = std::thread::spawn(move || {
        let crew: Arc<dyn Crew> = post.clone();
        let (code, sentence) = outplay_cli::main_together(&catalog, &crew);
        post.end(sentence);
        code
    });
    if !office.run(&world) {
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

/// Says why this rank ends when it is told to: `mpirun` does so when another rank was killed or crashed.
fn heed_the_end(speaks: Arc<AtomicBool>) {
    let Ok(mut signals) = Signals::new([SIGTERM]) else { return };
    std::thread::spawn(move || {
        if signals.forever().next().is_some() {
            if speaks.load(Ordering::Relaxed) {
                eprintln!(
                    "error: another rank ended, or the job was ended from outside\n  what is finished is kept: the same command goes on from there, with any number of ranks"
                );
            }
            std::process::exit(143);
        }
    });
}
