//! Message passing between the processes that solve one game together: MPI-style collectives and requests to other
//! ranks.
//!
//! ```text
//!  all_to_all      each rank sends one message to every rank; ends a BSP superstep (Valiant 1990)
//!  all_gather      every rank receives the message of every rank
//!  broadcast       every rank receives the message of rank 0
//!  all_reduce_sum, all_reduce_min
//!  barrier
//!  all_ok          fails on all ranks if it failed on one
//!  ask             RPC: a request to one rank, whose handler replies while that rank computes
//! ```
//!
//! The transport is behind the trait: MPI, or threads of one process ([`LocalCommunicator`]).
//!
//! Invariant: every rank runs the same program with the same options and performs the same collectives in the same
//! order. A decision that affects this order is made from data that all ranks share.

use crate::CpuLock;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Handler that replies to the requests of other ranks.
pub trait RequestHandler: Send + Sync {
    /// Returns the reply to a request, or the reason why there is none, as a sentence.
    ///
    /// # Errors
    ///
    /// Any reason why the request cannot be answered.
    fn answer(&self, request: &[u8]) -> Result<Vec<u8>, String>;
}

/// A group of processes (ranks) that pass messages, as seen by one of them. Errors are sentences for the user.
pub trait Communicator: fmt::Debug + Send + Sync {
    /// The rank of this process (`MPI_Comm_rank`).
    fn rank(&self) -> usize;

    /// The number of processes (`MPI_Comm_size`).
    fn size(&self) -> usize;

    /// Sends one message to each rank, in rank order, and returns the messages received: `MPI_Alltoallv`.
    ///
    /// # Errors
    ///
    /// A process that disconnected.
    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String>;

    /// Sends a request to another rank's handler and waits for the reply; that rank need not take part otherwise.
    ///
    /// # Errors
    ///
    /// A process that disconnected, or the error of its handler.
    fn ask(&self, rank: usize, request: &[u8]) -> Result<Vec<u8>, String>;

    /// Installs the handler that replies to other ranks' requests from now on.
    fn serve(&self, handler: Option<Arc<dyn RequestHandler>>);

    /// The lock around this process's CPU-bound work.
    fn cpu_lock(&self) -> &CpuLock;

    /// Reports to all ranks that this process failed: ranks that wait in a collective return the reason (compare
    /// `MPI_Abort`).
    fn fail(&self, why: &str);

    /// Marks the beginning of a phase of the work, such as "exploring", for displays of progress.
    fn phase(&self, _name: &'static str) {}
}

impl dyn Communicator + '_ {
    /// Returns the bytes of every rank, in rank order: `MPI_Allgatherv`.
    ///
    /// # Errors
    ///
    /// A process that disconnected.
    pub fn all_gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        self.all_to_all(vec![mine.to_vec(); self.size()])
    }

    /// As [`Communicator::all_to_all`] if no rank passes an error. Otherwise a failing rank returns its own error, and
    /// every other rank the first one in rank order.
    ///
    /// # Errors
    ///
    /// A process that disconnected, or the first error.
    pub fn all_to_all_ok(&self, mine: Result<Vec<Vec<u8>>, String>) -> Result<Vec<Vec<u8>>, String> {
        let (mut messages, why) = match mine {
            Ok(messages) => (messages, None),
            Err(why) => (vec![why.as_bytes().to_vec(); self.size()], Some(why)),
        };
        for message in &mut messages {
            // Messages may be large: growing by exactly one byte avoids doubling them.
            message.reserve_exact(1);
            message.push(why.is_none().into());
        }
        let mut received = self.all_to_all(messages)?;
        why.map_or(Ok(()), Err)?;
        let failed = received.iter_mut().find_map(|message| (message.pop() != Some(1)).then_some(&*message));
        match failed {
            Some(sentence) => Err(String::from_utf8_lossy(sentence).into_owned()),
            None => Ok(received),
        }
    }

    /// Returns the bytes of rank 0; those of other ranks are ignored: `MPI_Bcast`.
    ///
    /// # Errors
    ///
    /// A process that disconnected.
    pub fn broadcast(&self, mine: &[u8]) -> Result<Vec<u8>, String> {
        let message = if self.rank() == 0 { mine } else { &[] };
        Ok(self.all_gather(message)?.swap_remove(0))
    }

    /// Element-wise sums of all ranks' lists, which have the same length: `MPI_Allreduce` with `MPI_SUM`.
    ///
    /// # Errors
    ///
    /// A process that disconnected.
    pub fn all_reduce_sum(&self, mine: &[u64]) -> Result<Vec<u64>, String> {
        let mut sums = vec![0; mine.len()];
        for bytes in self.all_gather(&pack(mine))? {
            sums.iter_mut().zip(unpack(&bytes)).for_each(|(sum, number)| *sum += number);
        }
        Ok(sums)
    }

    /// The smallest of all ranks' numbers: `MPI_Allreduce` with `MPI_MIN`.
    ///
    /// # Errors
    ///
    /// A process that disconnected.
    pub fn all_reduce_min(&self, mine: u64) -> Result<u64, String> {
        let all = self.all_gather(&mine.to_le_bytes())?;
        Ok(all.iter().flat_map(|bytes| unpack(bytes)).min().unwrap_or(mine))
    }

    /// Waits for all ranks: `MPI_Barrier`.
    ///
    /// # Errors
    ///
    /// A process that disconnected.
    pub fn barrier(&self) -> Result<(), String> {
        self.all_gather(&[]).map(|_| ())
    }

    /// Returns `mine` if no rank passes an error: an all-reduce with logical AND. Otherwise a failing rank returns its
    /// own error, and every other rank the first one in rank order.
    ///
    /// # Errors
    ///
    /// A process that disconnected, or the error.
    pub fn all_ok<T>(&self, mine: Result<T, String>) -> Result<T, String> {
        let received =
            self.all_to_all_ok(mine.as_ref().map(|_| vec![Vec::new(); self.size()]).map_err(Clone::clone));
        let mine = mine?;
        received.map(|_| mine)
    }
}

/// Numbers as little-endian bytes.
pub fn pack(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The numbers written by [`pack`].
pub fn unpack(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// Ranks as threads of one process, connected by channels: the reference implementation, for tests.
pub struct LocalCommunicator {
    rank: usize,
    to: Vec<Sender<Message>>,
    from: Vec<Mutex<Receiver<Message>>>,
    handlers: Arc<Vec<HandlerSlot>>,
    floor: CpuLock,
}

/// A message, or the reason why its sender failed.
type Message = Result<Vec<u8>, String>;
type HandlerSlot = Mutex<Option<Arc<dyn RequestHandler>>>;

impl LocalCommunicator {
    /// Creates a group of `size` ranks.
    pub fn of(size: usize) -> Vec<Arc<dyn Communicator>> {
        let handlers: Arc<Vec<HandlerSlot>> = Arc::new((0..size).map(|_| Mutex::new(None)).collect());
        let mut members: Vec<LocalCommunicator> = (0..size)
            .map(|rank| {
                let (to, from, handlers) = (Vec::new(), Vec::new(), handlers.clone());
                LocalCommunicator { rank, to, from, handlers, floor: CpuLock::default() }
            })
            .collect();
        for from in 0..size {
            for to in 0..size {
                let (sender, receiver) = channel();
                members[from].to.push(sender);
                members[to].from.push(Mutex::new(receiver));
            }
        }
        members.into_iter().map(|member| Arc::new(member) as Arc<dyn Communicator>).collect()
    }
}

impl fmt::Debug for LocalCommunicator {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.rank, self.to.len())
    }
}

impl Communicator for LocalCommunicator {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
        let gone = |rank: usize| format!("rank {rank} has exited");
        for (rank, (to, message)) in self.to.iter().zip(messages).enumerate() {
            to.send(Ok(message)).map_err(|_| gone(rank))?;
        }
        let receive = |(rank, from): (usize, &Mutex<Receiver<Message>>)| {
            from.lock().unwrap_or_else(PoisonError::into_inner).recv().unwrap_or_else(|_| Err(gone(rank)))
        };
        self.from.iter().enumerate().map(receive).collect()
    }

    fn ask(&self, rank: usize, request: &[u8]) -> Result<Vec<u8>, String> {
        let handler = self.handlers[rank].lock().unwrap_or_else(PoisonError::into_inner).clone();
        handler.ok_or_else(|| format!("rank {rank} has no request handler"))?.answer(request)
    }

    fn serve(&self, handler: Option<Arc<dyn RequestHandler>>) {
        *self.handlers[self.rank].lock().unwrap_or_else(PoisonError::into_inner) = handler;
    }

    fn cpu_lock(&self) -> &CpuLock {
        &self.floor
    }

    fn fail(&self, why: &str) {
        // A rank that disconnected does not need the message.
        self.to.iter().for_each(|to| _ = to.send(Err(format!("rank {}: {why}", self.rank))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo(usize);

    impl RequestHandler for Echo {
        fn answer(&self, request: &[u8]) -> Result<Vec<u8>, String> {
            if request.is_empty() {
                Err("nothing was asked".into())
            } else {
                Ok(vec![self.0 as u8, request[0]])
            }
        }
    }

    fn together(size: usize, work: impl Fn(Arc<dyn Communicator>) + Sync) {
        std::thread::scope(|scope| {
            for comm in LocalCommunicator::of(size) {
                let work = &work;
                scope.spawn(move || work(comm));
            }
        });
    }

    #[test]
    fn collectives_deliver_to_the_right_ranks() {
        together(3, |comm| {
            let rank = comm.rank();
            for round in 0..5u8 {
                let messages = (0..3).map(|to| vec![round, rank as u8, to]).collect();
                let got = comm.all_to_all(messages).expect("all ranks are connected");
                let expected: Vec<Vec<u8>> = (0..3).map(|from| vec![round, from, rank as u8]).collect();
                assert_eq!(got, expected);
            }
            assert_eq!(comm.all_reduce_sum(&[rank as u64, 1]), Ok(vec![3, 3]));
            assert_eq!(comm.all_reduce_min(5 + rank as u64), Ok(5));
            assert_eq!(comm.broadcast(&[rank as u8]), Ok(vec![0]));
            let mine = if rank == 1 { Err("a full disk".to_string()) } else { Ok(()) };
            assert_eq!(comm.all_ok(mine), Err("a full disk".into()));
            assert_eq!(comm.all_ok(Ok(7)), Ok(7));
            let messages = |well: bool| if well { Ok(vec![vec![rank as u8]; 3]) } else { Err("no".into()) };
            assert_eq!(comm.all_to_all_ok(messages(true)), Ok(vec![vec![0], vec![1], vec![2]]));
            assert_eq!(comm.all_to_all_ok(messages(rank != 2)), Err("no".into()));
        });
    }

    #[test]
    fn handlers_reply_to_requests() {
        together(2, |comm| {
            comm.serve(Some(Arc::new(Echo(comm.rank()))));
            comm.barrier().expect("all ranks are connected");
            let other = 1 - comm.rank();
            assert_eq!(comm.ask(other, &[9]), Ok(vec![other as u8, 9]));
            assert_eq!(comm.ask(other, &[]), Err("nothing was asked".into()));
            comm.barrier().expect("all ranks are connected");
            comm.serve(None);
        });
    }

    #[test]
    fn failure_of_a_rank_reaches_all() {
        let all_met = std::sync::Barrier::new(3);
        together(3, |comm| {
            if comm.rank() == 1 {
                comm.fail("a full disk");
            }
            let met = comm.barrier();
            // Leaving earlier would disconnect this rank, which the others would report instead.
            all_met.wait();
            assert_eq!(met, Err("rank 1: a full disk".into()));
        });
    }

    #[test]
    fn disconnected_rank_is_reported() {
        let mut ranks = LocalCommunicator::of(2);
        let last = ranks.pop();
        drop(last);
        assert_eq!(ranks[0].barrier(), Err("rank 1 has exited".into()));
    }
}
