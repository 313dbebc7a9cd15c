//! Slab I/O on background threads: one thread prefetches the slabs that will be read next, another writes behind.

use crate::DenseError;
use crate::slab_store::{Part, SlabBytes, SlabKey, SlabStore};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Slabs queued for writing before the solver blocks.
const WAITING: usize = 1;

/// Handle to a reader thread and a writer thread.
pub(crate) struct Prefetcher {
    wanted: Sender<Vec<SlabKey>>,
    fetched: Receiver<Result<Vec<SlabBytes>, String>>,
    writes: SyncSender<Vec<(SlabKey, Vec<u8>)>>,
    failed: Receiver<String>,
}

impl Prefetcher {
    /// Queues a read.
    pub(crate) fn fetch(&self, keys: Vec<SlabKey>) {
        // A failed reader thread is reported by `fetched`.
        let _ = self.wanted.send(keys);
    }

    /// Returns the result of the oldest read, waiting for it.
    pub(crate) fn fetched(&self) -> Result<Vec<SlabBytes>, DenseError> {
        let fetched = self.fetched.recv().unwrap_or_else(|_| Err("a thread that reads slabs failed".into()));
        fetched.map_err(|why| DenseError::SlabStore { why })
    }

    /// Queues the parts of a slab for writing, in this order.
    pub(crate) fn write(
        &self,
        tier: usize,
        slab: usize,
        parts: Vec<(Part, Vec<u8>)>,
    ) -> Result<(), DenseError> {
        let key = |(part, bytes)| (SlabKey { part, tier, slab }, bytes);
        let sent = self.writes.send(parts.into_iter().map(key).collect());
        match (sent, self.failed.try_recv()) {
            (_, Ok(why)) => Err(DenseError::SlabStore { why }),
            (Err(_), _) => Err(DenseError::SlabStore { why: "a thread that writes slabs failed".into() }),
            (Ok(()), Err(_)) => Ok(()),
        }
    }
}

/// Runs `work` with a prefetcher; all queued writes are done when this returns.
pub(crate) fn with<R>(
    store: &dyn SlabStore,
    work: impl FnOnce(&Prefetcher) -> Result<R, DenseError>,
) -> Result<R, DenseError> {
    let (wanted, requests) = channel::<Vec<SlabKey>>();
    let (deliver, fetched) = channel();
    let (writes, parts) = sync_channel::<Vec<(SlabKey, Vec<u8>)>>(WAITING);
    let (fail, failed) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for keys in requests {
                if deliver.send(store.get_all(&keys)).is_err() {
                    return;
                }
            }
        });
        let writer = scope.spawn(move || {
            for parts in parts {
                for (key, bytes) in parts {
                    if let Err(why) = store.put(key, bytes.into()) {
                        let _ = fail.send(why.clone());
                        return Err(DenseError::SlabStore { why });
                    }
                }
            }
            Ok(())
        });
        let done = work(&Prefetcher { wanted, fetched, writes, failed });
        // The queues are closed now, so both threads end.
        let written = writer.join().unwrap_or_else(|_| {
            Err(DenseError::SlabStore { why: "a thread that writes slabs failed".into() })
        });
        match (done, written) {
            (Err(DenseError::SlabStore { .. }), Err(error)) => Err(error),
            (done, written) => done.and_then(|done| written.map(|()| done)),
        }
    })
}
