//! Fault injection for the tests: kills a rank at a given message.
//!
//! `FALL=1,back,3 mpirun -n 3 target/debug/examples/mortal solve connect4:5x4` ends rank 1, as by `kill -9`, at its
//! third message in the phase "back". `FALLEN=FILE` records that it did. With `PHASES=FILE` rank 0 writes the number of
//! messages of each phase, in order of their start.

#[path = "hare.rs"]
#[allow(dead_code)]
mod hare;
#[path = "heaps.rs"]
#[allow(dead_code)]
mod heaps;

use outplay_runtime::{Communicator, CpuLock, RequestHandler};
use std::collections::HashMap;
use std::fmt;
use std::process::{Command, ExitCode};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::ThreadId;

/// The point at which a rank is killed.
struct KillPoint {
    rank: usize,
    phase: String,
    message: u64,
}

impl KillPoint {
    fn from_env() -> Option<KillPoint> {
        let text = std::env::var("FALL").ok()?;
        let [rank, phase, message] = text.split(',').collect::<Vec<_>>()[..] else { return None };
        Some(KillPoint { rank: rank.parse().ok()?, phase: phase.into(), message: message.parse().ok()? })
    }
}

/// A communicator with fault injection.
struct FaultyCommunicator {
    crew: Arc<dyn Communicator>,
    fall: Option<KillPoint>,
    /// The phases so far, and the number of messages of each.
    phases: Mutex<Vec<(&'static str, u64)>>,
    /// The current phase of each thread: a tier is encoded while the next one is solved. A thread without an entry
    /// works for the worker.
    now: Mutex<HashMap<ThreadId, &'static str>>,
    worker: ThreadId,
}

impl FaultyCommunicator {
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
        let matches = |fall: &KillPoint| {
            (fall.rank, fall.phase.as_str(), fall.message) == (self.crew.rank(), now, count)
        };
        if self.fall.as_ref().is_some_and(matches) {
            if let Ok(path) = std::env::var("FALLEN") {
                std::fs::write(path, "").expect("a file can be written");
            }
            let _ = Command::new("kill").args(["-9", &std::process::id().to_string()]).status();
            // The signal is asynchronous.
            std::thread::park();
        }
    }
}

impl fmt::Debug for FaultyCommunicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.crew.fmt(f)
    }
}

impl Communicator for FaultyCommunicator {
    fn rank(&self) -> usize {
        self.crew.rank()
    }

    fn size(&self) -> usize {
        self.crew.size()
    }

    fn all_to_all(&self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
        self.message();
        self.crew.all_to_all(parcels)
    }

    fn ask(&self, rank: usize, question: &[u8]) -> Result<Vec<u8>, String> {
        self.message();
        self.crew.ask(rank, question)
    }

    fn serve(&self, clerk: Option<Arc<dyn RequestHandler>>) {
        self.crew.serve(clerk);
    }

    fn cpu_lock(&self) -> &CpuLock {
        self.crew.cpu_lock()
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
    let mut catalog = hare::catalog();
    catalog.add(heaps::family());
    outplay_cluster::main_in(&catalog, |crew| {
        let (phases, now) = (Mutex::default(), Mutex::default());
        let worker = std::thread::current().id();
        Arc::new(FaultyCommunicator { crew, fall: KillPoint::from_env(), phases, now, worker })
    })
}
