//! Who carries slabs to the depot and back while the cores compute.

use crate::DenseError;
use crate::depot::{Depot, Key, Packed, Part};
use std::sync::mpsc::{Receiver, Sender, SyncSender, channel, sync_channel};

/// Slabs that may wait to be carried away.
const WAITING: usize = 1;

/// Carries slabs on two threads of its own, one each way.
pub(crate) struct Porter {
    wanted: Sender<Vec<Key>>,
    fetched: Receiver<Result<Vec<Packed>, String>>,
    kept: SyncSender<Vec<(Key, Vec<u8>)>>,
    failed: Receiver<String>,
}

impl Porter {
    /// Begins to fetch slabs.
    pub(crate) fn fetch(&self, keys: Vec<Key>) {
        // A porter that is gone is noticed when its load is asked for.
        let _ = self.wanted.send(keys);
    }

    /// What was asked for the longest time ago, as soon as it is there.
    pub(crate) fn fetched(&self) -> Result<Vec<Packed>, DenseError> {
        let fetched = self.fetched.recv().unwrap_or_else(|_| Err("a thread that reads slabs failed".into()));
        fetched.map_err(|why| DenseError::Depot { why })
    }

    /// Hands parts of a slab over; they are kept in this order.
    pub(crate) fn keep(
        &self,
        tier: usize,
        slab: usize,
        parts: Vec<(Part, Vec<u8>)>,
    ) -> Result<(), DenseError> {
        let key = |(part, bytes)| (Key { part, tier, slab }, bytes);
        let sent = self.kept.send(parts.into_iter().map(key).collect());
        match (sent, self.failed.try_recv()) {
            (_, Ok(why)) => Err(DenseError::Depot { why }),
            (Err(_), _) => Err(DenseError::Depot { why: "a thread that writes slabs failed".into() }),
            (Ok(()), Err(_)) => Ok(()),
        }
    }
}

/// Works with a porter; what was handed over is kept when this returns.
pub(crate) fn with<R>(
    depot: &dyn Depot,
    work: impl FnOnce(&Porter) -> Result<R, DenseError>,
) -> Result<R, DenseError> {
    let (wanted, errands) = channel::<Vec<Key>>();
    let (carry, fetched) = channel();
    let (kept, parts) = sync_channel::<Vec<(Key, Vec<u8>)>>(WAITING);
    let (fail, failed) = channel();
    std::thread::scope(|scope| {
        scope.spawn(move || {
            for keys in errands {
                if carry.send(depot.get_all(&keys)).is_err() {
                    return;
                }
            }
        });
        let keeper = scope.spawn(move || {
            for parts in parts {
                for (key, bytes) in parts {
                    if let Err(why) = depot.put(key, bytes.into()) {
                        let _ = fail.send(why.clone());
                        return Err(DenseError::Depot { why });
                    }
                }
            }
            Ok(())
        });
        let done = work(&Porter { wanted, fetched, kept, failed });
        // The porter is gone now, so both threads come to an end.
        let carried = keeper
            .join()
            .unwrap_or_else(|_| Err(DenseError::Depot { why: "a thread that writes slabs failed".into() }));
        match (done, carried) {
            (Err(DenseError::Depot { .. }), Err(error)) => Err(error),
            (done, carried) => done.and_then(|done| carried.map(|()| done)),
        }
    })
}
