//! Ranks that die where they are told to, for the tests: `FALL=1,back,3 mpirun -n 3 target/debug/examples/mortal solve connect4:5x4`
//!
//! Rank 1 ends, as by `kill -9`, at the third message that it has to send after the work on "back" began. `FALLEN=FILE` says that it did. With `PHASES=FILE` the
//! first rank writes how many messages each phase had, in the order in which they began.

#[path = "chase.rs"]
#[allow(dead_code)]
mod chase;
#[path = "heaps.rs"]
#[allow(dead_code)]
mod heaps;

use outplay_core::{Clerk, Crew, Floor};
use std::collections::HashMap;
use std::fmt;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;

/// Where a rank dies.
struct Fall {
    rank: usize,
    phase: String,
    message: u64,
}

impl Fall {
    fn told() -> Option<Fall> {
        let text = std::env::var("FALL").ok()?;
        let [rank, phase, message] = text.split(',').collect::<Vec<_>>()[..] else { return None };
        Some(Fall { rank: rank.parse().ok()?, phase: phase.into(), message: message.parse().ok()? })
    }
}

/// A crew one of which is mortal.
struct Mortal {
    crew: Arc<dyn Crew>,
    fall: Option<Fall>,
    /// The phases so far, and how many messages each had.
    phases: Mutex<Vec<(&'static str, u64)>>,
    /// The phase that it is now, by thread: a tier is coded while the next is worked on. Who has none of its own works for
    /// the worker.
    now: Mutex<HashMap<ThreadId, &'static str>>,
    worker: ThreadId,
}

impl Mortal {
    fn message(&self) {
        let now = {
            let now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
            let own = now.get(&std::thread::current().id()).or(now.get(&self.worker));
            own.copied().unwrap_or("beginning")
        };
        let mut phases = self.phases.lock().unwrap_or_else(PoisonError::into_inner);
        let count = match phases.iter_mut().find(|phase| phase.0 == now) {
            Some(phase) => {
                phase.1 += 1;
                phase.1
            }
            None => {
                phases.push((now, 1));
                1
            }
        };
        if self.crew.rank() == 0
            && let Ok(path) = std::env::var("PHASES")
        {
            let lines: Vec<String> =
                phases.iter().map(|(name, count)| format!("{name}: {count}\n")).collect();
            std::fs::write(path, lines.concat()).expect("a file can be written");
        }
        let falls =
            |fall: &Fall| (fall.rank, fall.phase.as_str(), fall.message) == (self.crew.rank(), now, count);
        if self.fall.as_ref().is_some_and(falls) {
            if let Ok(path) = std::env::var("FALLEN") {
                std::fs::write(path, "").expect("a file can be written");
            }
            let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
            // Until the signal arrives.
            std::thread::park();
        }
    }
}

impl fmt::Debug for Mortal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.crew.fmt(f)
    }
}

impl Crew for Mortal {
    fn rank(&self) -> usize {
        self.crew.rank()
    }

    fn size(&self) -> usize {
        self.crew.size()
    }

    fn exchange(&self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
        self.message();
        self.crew.exchange(parcels)
    }

    fn ask(&self, rank: usize, question: &[u8]) -> Result<Vec<u8>, String> {
        self.message();
        self.crew.ask(rank, question)
    }

    fn serve(&self, clerk: Option<Arc<dyn Clerk>>) {
        self.crew.serve(clerk);
    }

    fn floor(&self) -> &Floor {
        self.crew.floor()
    }

    fn fail(&self, why: &str) {
        self.crew.fail(why);
    }

    fn phase(&self, name: &'static str) {
        let mut now = self.now.lock().unwrap_or_else(PoisonError::into_inner);
        now.insert(std::thread::current().id(), name);
        self.crew.phase(name);
    }
}

fn main() -> ExitCode {
    let mut catalog = chase::catalog();
    catalog.add(heaps::family());
    outplay_cluster::main_in(&catalog, |crew| {
        let (phases, now) = (Mutex::default(), Mutex::default());
        let worker = std::thread::current().id();
        Arc::new(Mortal { crew, fall: Fall::told(), phases, now, worker })
    })
}
