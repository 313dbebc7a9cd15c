//! MPI transport: the `Communicator` of a rank, with collectives and RPC multiplexed over one progress engine.
//!
//! ```text
//!  worker ────messages─▶ ProgressEngine ══MPI══ ProgressEngine ◀─messages──── worker
//!  prefetchers ─requests─▶  │  ▲
//!                  requests ▼  │ replies
//!                        RequestHandler
//! ```
//!
//! One thread at a time drives the progress engine, as `MPI_THREAD_SERIALIZED` requires. A worker that waits in a
//! collective drives it itself: its core is idle anyway, and waking another thread takes longer than most messages.
//! Otherwise the progress thread polls it. No call blocks inside MPI, because a blocking call would spin on a core.
//! Messages longer than MPI's `int` counts are sent in chunks.
//!
//! A rank that fails broadcasts its error, and all other ranks fail with it. If a rank is killed, `mpirun` ends the
//! job.
//!
//! Invariant: messages of one tag between two ranks are non-overtaking: they arrive in the order of sending.

use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::request::{Request, scope};
use mpi::topology::{Communicator as _, SimpleCommunicator};
use outplay_runtime::{Communicator, CpuLock, RequestHandler};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Bytes of a chunk of a message; the last chunk is shorter.
const CHUNK: usize = 1 << 28;
/// Polling back-off: the first and the longest sleep.
const BACKOFF: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(400)];
/// Time that `exchange` polls without sleeping after the last message, unless there are more ranks than cores.
const SPIN: Duration = Duration::from_millis(2);
/// Time that a failed rank waits for the others to notice.
const GRACE: Duration = Duration::from_secs(10);

/// Message tags.
const EXCHANGE: i32 = 1;
const REQUEST: i32 = 2;
const REPLY: i32 = 3;
const END: i32 = 4;
const FAILURE: i32 = 5;

type Received = Result<Vec<Vec<u8>>, String>;
type Reply = Result<Vec<u8>, String>;

/// Commands of the other threads to the engine.
enum EngineCommand {
    Exchange(Vec<Vec<u8>>, Sender<Received>),
    Ask(usize, Vec<u8>, Sender<Reply>),
    Reply(usize, u64, Reply),
    /// The work has failed for this reason and ends soon.
    Fail(String),
    /// The work has ended, with its error if it failed.
    End(Option<String>),
}

/// An RPC request: sender, request id and payload.
type RpcRequest = (usize, u64, Vec<u8>);

/// The communicator of a rank.
pub(crate) struct MpiTransport {
    rank: usize,
    size: usize,
    orders: Mutex<Sender<EngineCommand>>,
    engine: Arc<Mutex<ProgressEngine>>,
    /// Wakes the progress thread.
    waker: Mutex<Sender<()>>,
    handler: Arc<Mutex<Option<Arc<dyn RequestHandler>>>>,
    phase: Arc<Phase>,
    floor: CpuLock,
    spin: Duration,
}

/// The phase that a rank is in, for messages.
#[derive(Default)]
pub(crate) struct Phase(Mutex<&'static str>);

impl Phase {
    pub(crate) fn name(&self) -> &'static str {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for MpiTransport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

const CLOSED: &str = "the transport of this rank is closed";

impl MpiTransport {
    /// Opens the transport; it runs once its [`ProgressThread`] does. `crowded` means more ranks than cores.
    pub(crate) fn open(
        world: &SimpleCommunicator,
        crowded: bool,
        phase: Arc<Phase>,
    ) -> (Arc<MpiTransport>, ProgressThread) {
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let spin = if crowded { Duration::ZERO } else { SPIN };
        let (orders, waiting) = channel();
        let (questions, asked) = channel::<RpcRequest>();
        let (waker, woken) = channel();
        let handler: Arc<Mutex<Option<Arc<dyn RequestHandler>>>> = Arc::default();
        let (handlers, answers, wake_engine) = (handler.clone(), orders.clone(), waker.clone());
        std::thread::spawn(move || {
            for (from, number, question) in asked {
                let handler = handlers.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let answer = match handler {
                    Some(handler) => handler.answer(&question),
                    None => Err(format!("rank {rank} has no request handler")),
                };
                if answers.send(EngineCommand::Reply(from, number, answer)).is_err() {
                    return;
                }
                let _ = wake_engine.send(());
            }
        });
        let engine = ProgressEngine {
            rank,
            size,
            waiting,
            questions,
            outbox: Vec::new(),
            partial: HashMap::new(),
            messages: vec![VecDeque::new(); size],
            exchange: None,
            asked: HashMap::new(),
            count: 0,
            failed: None,
            ended: vec![false; size],
        };
        let engine = Arc::new(Mutex::new(engine));
        let progress_thread = ProgressThread { engine: engine.clone(), woken };
        let (orders, waker) = (Mutex::new(orders), Mutex::new(waker));
        let floor = CpuLock::default();
        (
            Arc::new(MpiTransport { rank, size, orders, engine, waker, handler, phase, floor, spin }),
            progress_thread,
        )
    }

    fn order(&self, order: EngineCommand) -> Result<(), String> {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.send(order).map_err(|_| CLOSED.to_string())
    }

    fn wake(&self) {
        // A progress thread that has returned has no work left.
        let _ = self.waker.lock().unwrap_or_else(PoisonError::into_inner).send(());
    }

    /// Reports that this rank's work has ended, with its error if it failed.
    pub(crate) fn end(&self, sentence: Option<String>) {
        // A closed engine has ended already.
        let _ = self.order(EngineCommand::End(sentence));
        self.wake();
    }
}

impl Communicator for MpiTransport {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn all_to_all(&self, messages: Vec<Vec<u8>>) -> Received {
        let (reply_to, reply) = channel();
        self.order(EngineCommand::Exchange(messages, reply_to))?;
        let (mut pause, mut busy) = (BACKOFF[0], Instant::now());
        loop {
            // A thread that holds the lock receives the messages for this one as well.
            let found = match self.engine.try_lock() {
                Ok(mut engine) => engine.work(self.spin),
                Err(TryLockError::Poisoned(engine)) => engine.into_inner().work(self.spin),
                Err(TryLockError::WouldBlock) => false,
            };
            match reply.try_recv() {
                Ok(messages) => return messages,
                Err(TryRecvError::Disconnected) => return Err(CLOSED.into()),
                Err(TryRecvError::Empty) => {}
            }
            if found {
                (pause, busy) = (BACKOFF[0], Instant::now());
            }
            if busy.elapsed() < self.spin {
                std::thread::yield_now();
                continue;
            }
            match reply.recv_timeout(pause) {
                Ok(messages) => return messages,
                Err(RecvTimeoutError::Disconnected) => return Err(CLOSED.into()),
                Err(RecvTimeoutError::Timeout) => pause = (pause * 2).min(BACKOFF[1]),
            }
        }
    }

    fn ask(&self, rank: usize, question: &[u8]) -> Reply {
        let (reply_to, reply) = channel();
        self.order(EngineCommand::Ask(rank, question.to_vec(), reply_to))?;
        self.wake();
        reply.recv().unwrap_or_else(|_| Err(CLOSED.into()))
    }

    fn serve(&self, handler: Option<Arc<dyn RequestHandler>>) {
        *self.handler.lock().unwrap_or_else(PoisonError::into_inner) = handler;
    }

    fn cpu_lock(&self) -> &CpuLock {
        &self.floor
    }

    fn fail(&self, why: &str) {
        // A closed engine has ended already.
        let _ = self.order(EngineCommand::Fail(why.into()));
        self.wake();
    }

    fn phase(&self, name: &'static str) {
        *self.phase.0.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }
}

/// Progress engine: sends and receives for all threads of the process.
pub(crate) struct ProgressEngine {
    rank: usize,
    size: usize,
    waiting: Receiver<EngineCommand>,
    questions: Sender<RpcRequest>,
    /// Destination, tag and payload.
    outbox: Vec<(usize, i32, Vec<u8>)>,
    /// Partly received messages by sender and tag.
    partial: HashMap<(usize, i32), Vec<u8>>,
    /// Received messages of `exchange`, by sender.
    messages: Vec<VecDeque<Vec<u8>>>,
    /// The thread that waits in `exchange`.
    exchange: Option<Sender<Received>>,
    asked: HashMap<u64, Sender<Reply>>,
    count: u64,
    /// The error that stops the work.
    failed: Option<String>,
    /// Whether each rank's work has ended.
    ended: Vec<bool>,
}

/// Polls the engine while no worker drives it.
pub(crate) struct ProgressThread {
    engine: Arc<Mutex<ProgressEngine>>,
    woken: Receiver<()>,
}

impl ProgressThread {
    /// Polls until all ranks have ended; `false` if some do not end in time.
    pub(crate) fn run(self) -> bool {
        let mut pause = BACKOFF[0];
        let mut deadline: Option<Instant> = None;
        loop {
            let mut engine = self.engine();
            // While the worker computes, the core is the worker's: no spinning.
            let found = engine.work(Duration::ZERO);
            if engine.outbox.is_empty() && engine.ended.iter().all(|&ended| ended) {
                return true;
            }
            if engine.ended[engine.rank] && engine.failed.is_some() {
                let until = *deadline.get_or_insert_with(|| Instant::now() + GRACE);
                if Instant::now() > until {
                    return false;
                }
            }
            drop(engine);
            if found {
                pause = BACKOFF[0];
                std::thread::yield_now();
                continue;
            }
            pause = (pause * 2).min(BACKOFF[1]);
            // The next poll is due, with or without a wake-up.
            if self.woken.recv_timeout(pause).is_ok() {
                pause = BACKOFF[0];
            }
        }
    }

    fn engine(&self) -> MutexGuard<'_, ProgressEngine> {
        self.engine.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProgressEngine {
    /// Makes one pass over commands, sends and receives, and returns whether there was any progress. While sends are
    /// pending it polls without sleeping for up to `spin`.
    fn work(&mut self, spin: Duration) -> bool {
        let world = SimpleCommunicator::world();
        let mut found = false;
        while let Ok(order) = self.waiting.try_recv() {
            self.take(order);
            found = true;
        }
        if !self.outbox.is_empty() {
            self.send(&world, spin);
        }
        found |= self.receive(&world);
        self.deliver();
        found
    }

    fn take(&mut self, order: EngineCommand) {
        match order {
            EngineCommand::Exchange(_, reply_to) if self.failed.is_some() => self.refuse(&reply_to),
            EngineCommand::Ask(_, _, reply_to) if self.failed.is_some() => self.refuse(&reply_to),
            EngineCommand::Exchange(messages, reply_to) => {
                self.exchange = Some(reply_to);
                for (rank, message) in messages.into_iter().enumerate() {
                    if rank == self.rank {
                        self.messages[rank].push_back(message);
                    } else {
                        self.post(rank, EXCHANGE, message, &[]);
                    }
                }
            }
            EngineCommand::Ask(rank, question, reply_to) => {
                self.count += 1;
                self.asked.insert(self.count, reply_to);
                self.post(rank, REQUEST, question, &self.count.to_le_bytes());
            }
            EngineCommand::Reply(rank, number, answer) => {
                let tail = |well: u8| [&[well], &number.to_le_bytes()[..]].concat();
                match answer {
                    Ok(bytes) => self.post(rank, REPLY, bytes, &tail(1)),
                    Err(why) => self.post(rank, REPLY, why.into_bytes(), &tail(0)),
                }
            }
            EngineCommand::Fail(sentence) => {
                self.post_all(FAILURE, sentence.as_bytes());
                self.failed.get_or_insert(sentence);
            }
            EngineCommand::End(sentence) => {
                self.post_all(END, sentence.as_deref().unwrap_or_default().as_bytes());
                self.ended[self.rank] = true;
                self.failed = self.failed.take().or(sentence);
            }
        }
    }

    fn refuse<T>(&self, reply_to: &Sender<Result<T, String>>) {
        // A receiver that is gone needs no error.
        let _ = reply_to.send(Err(self.failed.clone().unwrap_or_default()));
    }

    fn post(&mut self, rank: usize, kind: i32, mut message: Vec<u8>, tail: &[u8]) {
        message.extend_from_slice(tail);
        self.outbox.push((rank, kind, message));
    }

    fn post_all(&mut self, kind: i32, message: &[u8]) {
        for rank in (0..self.size).filter(|&rank| rank != self.rank).collect::<Vec<_>>() {
            self.post(rank, kind, message.to_vec(), &[]);
        }
    }

    /// Sends the outbox while receiving: ranks that only sent could deadlock waiting for each other to receive.
    fn send(&mut self, world: &SimpleCommunicator, spin: Duration) {
        let outbox = std::mem::take(&mut self.outbox);
        scope(|scope| {
            let mut pending: Vec<Request<'_, [u8], _>> = Vec::new();
            for (rank, kind, message) in &outbox {
                let to = world.process_at_rank(*rank as i32);
                // The last chunk is always shorter than `CHUNK`, possibly empty: this marks the end of the message.
                for chunk in 0..=message.len() / CHUNK {
                    let chunk = &message[chunk * CHUNK..((chunk + 1) * CHUNK).min(message.len())];
                    pending.push(to.immediate_send_with_tag(scope, chunk, *kind));
                }
            }
            let mut busy = Instant::now();
            while !pending.is_empty() {
                let before = pending.len();
                pending = pending.into_iter().filter_map(|request| request.test().err()).collect();
                let received = self.receive(world);
                if pending.len() < before || received {
                    busy = Instant::now();
                } else if busy.elapsed() < spin {
                    std::thread::yield_now();
                } else {
                    std::thread::sleep(BACKOFF[0]);
                }
            }
        });
    }

    /// Receives all that has arrived; returns whether there was anything.
    fn receive(&mut self, world: &SimpleCommunicator) -> bool {
        let mut any = false;
        while let Some(found) = world.any_process().immediate_matched_probe() {
            any = true;
            let (bytes, status) = found.matched_receive_vec::<u8>();
            let (from, kind) = (status.source_rank() as usize, status.tag());
            let (last, half) = (bytes.len() < CHUNK, self.partial.entry((from, kind)).or_default());
            if half.is_empty() {
                *half = bytes;
            } else {
                half.extend_from_slice(&bytes);
            }
            if last {
                let message = std::mem::take(half);
                self.sort(from, kind, message);
            }
        }
        any
    }

    fn sort(&mut self, from: usize, kind: i32, mut message: Vec<u8>) {
        match kind {
            EXCHANGE => self.messages[from].push_back(message),
            REQUEST | REPLY => {
                let Some((rest, tail)) = message.split_last_chunk() else { return };
                let (length, number) = (rest.len(), u64::from_le_bytes(*tail));
                message.truncate(length);
                if kind == REQUEST {
                    // The handler thread lives as long as the engine.
                    let _ = self.questions.send((from, number, message));
                } else if let Some(reply_to) = self.asked.remove(&number) {
                    let well = message.pop() == Some(1);
                    let why = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                    let _ = reply_to.send(if well { Ok(message) } else { Err(why(message)) });
                }
            }
            _ => {
                self.ended[from] |= kind == END;
                if !message.is_empty() {
                    let why = format!("rank {from}: {}", String::from_utf8_lossy(&message));
                    self.failed.get_or_insert(why);
                }
            }
        }
    }

    /// Completes the exchange that a thread waits for, if all ranks have sent, or fails the pending calls.
    fn deliver(&mut self) {
        // MPI delivers in order: the messages that a rank sent before it ended have arrived.
        let gone = |rank: &usize| self.ended[*rank] && *rank != self.rank && self.messages[*rank].is_empty();
        if let (true, Some(rank)) = (self.exchange.is_some(), (0..self.size).find(gone)) {
            self.failed.get_or_insert(format!("rank {rank} ended before the others"));
        }
        if self.failed.is_some() {
            if let Some(reply_to) = self.exchange.take() {
                self.refuse(&reply_to);
            }
            for (_, reply_to) in std::mem::take(&mut self.asked) {
                self.refuse(&reply_to);
            }
        }
        if self.exchange.is_some() && self.messages.iter().all(|messages| !messages.is_empty()) {
            let messages = self.messages.iter_mut().filter_map(VecDeque::pop_front).collect();
            if let Some(reply_to) = self.exchange.take() {
                let _ = reply_to.send(Ok(messages));
            }
        }
    }
}
