//! A crew by MPI: an office sends and receives for all threads of its process.
//!
//! ```text
//!  worker ──parcels──▶ office ══MPI══ office ◀──parcels── worker
//!  porters ─questions─▶ │  ▲
//!             questions ▼  │ answers
//!                       clerk
//! ```
//!
//! One thread at a time works in the office. Who waits for parcels does so itself, since its core has nothing else to do
//! and waking another thread takes longer than most messages; for all others the office's keeper looks in now and then.
//! Nothing here waits inside MPI, which would keep a core busy. Messages longer than MPI's counts go in pieces.
//!
//! A rank that fails says so to all others, whose work then ends with its sentence. A rank that is killed ends the job:
//! `mpirun` sees to that.
//!
//! Invariant: between two ranks, messages of one kind arrive in the order in which they were sent.

use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::request::{Request, scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use outplay_core::{Clerk, Crew, Floor};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, TryRecvError, channel};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, TryLockError};
use std::time::{Duration, Instant};

/// Bytes of a piece of a message; the last piece is shorter.
const PIECE: usize = 1 << 28;
/// How long who has nothing to do sleeps: at first, and at most.
const NAPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(400)];
/// How long who waits for parcels stays awake, unless other ranks want the core.
const ALERT: Duration = Duration::from_millis(2);
/// How long a rank that failed waits for the others to notice.
const PATIENCE: Duration = Duration::from_secs(10);

/// The kinds of messages, as MPI's tags.
const PARCEL: i32 = 1;
const QUESTION: i32 = 2;
const ANSWER: i32 = 3;
const END: i32 = 4;
const FAILURE: i32 = 5;

type Parcels = Result<Vec<Vec<u8>>, String>;
type Answer = Result<Vec<u8>, String>;

/// What the other threads want of the office.
enum Order {
    Exchange(Vec<Vec<u8>>, Sender<Parcels>),
    Ask(usize, Vec<u8>, Sender<Answer>),
    Answer(usize, u64, Answer),
    /// The work cannot go on, for this reason; it ends in a while.
    Fail(String),
    /// The work is done, or failed with a sentence.
    End(Option<String>),
}

/// What clerks are asked: by whom, under which number, and what.
type Question = (usize, u64, Vec<u8>);

/// The crew as the worker of a rank sees it.
pub(crate) struct Post {
    rank: usize,
    size: usize,
    orders: Mutex<Sender<Order>>,
    office: Arc<Mutex<Office>>,
    /// Wakes the keeper.
    bell: Mutex<Sender<()>>,
    clerk: Arc<Mutex<Option<Arc<dyn Clerk>>>>,
    phase: Arc<Phase>,
    floor: Floor,
    alert: Duration,
}

/// What a rank is doing.
#[derive(Default)]
pub(crate) struct Phase(Mutex<&'static str>);

impl Phase {
    pub(crate) fn name(&self) -> &'static str {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

const CLOSED: &str = "the post office of this rank is closed";

impl Post {
    /// Opens a post office; it works once its [`Keeper`] does. `crowded` says that there are more ranks than cores.
    pub(crate) fn open(world: &SimpleCommunicator, crowded: bool, phase: Arc<Phase>) -> (Arc<Post>, Keeper) {
        let (rank, size) = (world.rank() as usize, world.size() as usize);
        let alert = if crowded { Duration::ZERO } else { ALERT };
        let (orders, waiting) = channel();
        let (questions, asked) = channel::<Question>();
        let (bell, rung) = channel();
        let clerk: Arc<Mutex<Option<Arc<dyn Clerk>>>> = Arc::default();
        let (desk, answers, waken) = (clerk.clone(), orders.clone(), bell.clone());
        std::thread::spawn(move || {
            for (from, number, question) in asked {
                let clerk = desk.lock().unwrap_or_else(PoisonError::into_inner).clone();
                let answer = match clerk {
                    Some(clerk) => clerk.answer(&question),
                    None => Err(format!("rank {rank} has nothing to tell")),
                };
                if answers.send(Order::Answer(from, number, answer)).is_err() {
                    return;
                }
                let _ = waken.send(());
            }
        });
        let office = Office {
            rank,
            size,
            waiting,
            questions,
            outbox: Vec::new(),
            halves: HashMap::new(),
            parcels: vec![VecDeque::new(); size],
            exchange: None,
            asked: HashMap::new(),
            count: 0,
            failed: None,
            ended: vec![false; size],
        };
        let office = Arc::new(Mutex::new(office));
        let keeper = Keeper { office: office.clone(), rung };
        let (orders, bell) = (Mutex::new(orders), Mutex::new(bell));
        let floor = Floor::default();
        (Arc::new(Post { rank, size, orders, office, bell, clerk, phase, floor, alert }), keeper)
    }

    fn order(&self, order: Order) -> Result<(), String> {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.send(order).map_err(|_| CLOSED.to_string())
    }

    fn ring(&self) {
        // A keeper who is gone has nothing left to do.
        let _ = self.bell.lock().unwrap_or_else(PoisonError::into_inner).send(());
    }

    /// Says that this rank's work is done, or failed.
    pub(crate) fn end(&self, sentence: Option<String>) {
        // An office that is closed has ended already.
        let _ = self.order(Order::End(sentence));
        self.ring();
    }
}

impl Crew for Post {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(&self, parcels: Vec<Vec<u8>>) -> Parcels {
        let (tell, told) = channel();
        self.order(Order::Exchange(parcels, tell))?;
        let (mut nap, mut busy) = (NAPS[0], Instant::now());
        loop {
            // If somebody else is in the office, what is for this thread is taken in as well.
            let found = match self.office.try_lock() {
                Ok(mut office) => office.work(self.alert),
                Err(TryLockError::Poisoned(office)) => office.into_inner().work(self.alert),
                Err(TryLockError::WouldBlock) => false,
            };
            match told.try_recv() {
                Ok(parcels) => return parcels,
                Err(TryRecvError::Disconnected) => return Err(CLOSED.into()),
                Err(TryRecvError::Empty) => {}
            }
            if found {
                (nap, busy) = (NAPS[0], Instant::now());
            }
            if busy.elapsed() < self.alert {
                std::thread::yield_now();
                continue;
            }
            match told.recv_timeout(nap) {
                Ok(parcels) => return parcels,
                Err(RecvTimeoutError::Disconnected) => return Err(CLOSED.into()),
                Err(RecvTimeoutError::Timeout) => nap = (nap * 2).min(NAPS[1]),
            }
        }
    }

    fn ask(&self, rank: usize, question: &[u8]) -> Answer {
        let (tell, told) = channel();
        self.order(Order::Ask(rank, question.to_vec(), tell))?;
        self.ring();
        told.recv().unwrap_or_else(|_| Err(CLOSED.into()))
    }

    fn serve(&self, clerk: Option<Arc<dyn Clerk>>) {
        *self.clerk.lock().unwrap_or_else(PoisonError::into_inner) = clerk;
    }

    fn floor(&self) -> &Floor {
        &self.floor
    }

    fn fail(&self, why: &str) {
        // An office that is closed has ended already.
        let _ = self.order(Order::Fail(why.into()));
        self.ring();
    }

    fn phase(&self, name: &'static str) {
        *self.phase.0.lock().unwrap_or_else(PoisonError::into_inner) = name;
    }
}

/// Sends and receives.
pub(crate) struct Office {
    rank: usize,
    size: usize,
    waiting: Receiver<Order>,
    questions: Sender<Question>,
    /// To whom, of which kind, and what.
    outbox: Vec<(usize, i32, Vec<u8>)>,
    /// By sender and kind: what has arrived of a message.
    halves: HashMap<(usize, i32), Vec<u8>>,
    /// By sender.
    parcels: Vec<VecDeque<Vec<u8>>>,
    /// Who waits for parcels.
    exchange: Option<Sender<Parcels>>,
    asked: HashMap<u64, Sender<Answer>>,
    count: u64,
    /// Why the work cannot go on.
    failed: Option<String>,
    /// By rank: whether its work is done.
    ended: Vec<bool>,
}

/// Looks after an office.
pub(crate) struct Keeper {
    office: Arc<Mutex<Office>>,
    rung: Receiver<()>,
}

impl Keeper {
    /// Works until all ranks are done; `false` if some do not come to an end.
    pub(crate) fn run(self) -> bool {
        let mut nap = NAPS[0];
        let mut patience: Option<Instant> = None;
        loop {
            let mut office = self.office();
            // While the worker computes, the core is the worker's.
            let found = office.work(Duration::ZERO);
            if office.outbox.is_empty() && office.ended.iter().all(|&ended| ended) {
                return true;
            }
            if office.ended[office.rank] && office.failed.is_some() {
                let until = *patience.get_or_insert_with(|| Instant::now() + PATIENCE);
                if Instant::now() > until {
                    return false;
                }
            }
            drop(office);
            if found {
                nap = NAPS[0];
                std::thread::yield_now();
                continue;
            }
            nap = (nap * 2).min(NAPS[1]);
            // Whether the bell rang or not, the next look is due.
            if self.rung.recv_timeout(nap).is_ok() {
                nap = NAPS[0];
            }
        }
    }

    fn office(&self) -> MutexGuard<'_, Office> {
        self.office.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Office {
    /// Does what there is to do, staying awake for so long while messages are on their way out; whether there was anything.
    fn work(&mut self, alert: Duration) -> bool {
        let world = SimpleCommunicator::world();
        let mut found = false;
        while let Ok(order) = self.waiting.try_recv() {
            self.take(order);
            found = true;
        }
        if !self.outbox.is_empty() {
            self.send(&world, alert);
        }
        found |= self.receive(&world);
        self.deliver();
        found
    }

    fn take(&mut self, order: Order) {
        match order {
            Order::Exchange(_, tell) if self.failed.is_some() => self.refuse(&tell),
            Order::Ask(_, _, tell) if self.failed.is_some() => self.refuse(&tell),
            Order::Exchange(parcels, tell) => {
                self.exchange = Some(tell);
                for (rank, parcel) in parcels.into_iter().enumerate() {
                    if rank == self.rank {
                        self.parcels[rank].push_back(parcel);
                    } else {
                        self.post(rank, PARCEL, parcel, &[]);
                    }
                }
            }
            Order::Ask(rank, question, tell) => {
                self.count += 1;
                self.asked.insert(self.count, tell);
                self.post(rank, QUESTION, question, &self.count.to_le_bytes());
            }
            Order::Answer(rank, number, answer) => {
                let tail = |well: u8| [&[well], &number.to_le_bytes()[..]].concat();
                match answer {
                    Ok(bytes) => self.post(rank, ANSWER, bytes, &tail(1)),
                    Err(why) => self.post(rank, ANSWER, why.into_bytes(), &tail(0)),
                }
            }
            Order::Fail(sentence) => {
                self.post_all(FAILURE, sentence.as_bytes());
                self.failed.get_or_insert(sentence);
            }
            Order::End(sentence) => {
                self.post_all(END, sentence.as_deref().unwrap_or_default().as_bytes());
                self.ended[self.rank] = true;
                self.failed = self.failed.take().or(sentence);
            }
        }
    }

    fn refuse<T>(&self, tell: &Sender<Result<T, String>>) {
        // Nobody is left to hear about it if that fails.
        let _ = tell.send(Err(self.failed.clone().unwrap_or_default()));
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

    /// Sends all that is in the outbox, receiving meanwhile: who only sent would wait for others who only send.
    fn send(&mut self, world: &SimpleCommunicator, alert: Duration) {
        let outbox = std::mem::take(&mut self.outbox);
        scope(|scope| {
            let mut pending: Vec<Request<'_, [u8], _>> = Vec::new();
            for (rank, kind, message) in &outbox {
                let to = world.process_at_rank(*rank as i32);
                // One piece more than are full, so that the last is shorter.
                for piece in 0..=message.len() / PIECE {
                    let piece = &message[piece * PIECE..((piece + 1) * PIECE).min(message.len())];
                    pending.push(to.immediate_send_with_tag(scope, piece, *kind));
                }
            }
            let mut busy = Instant::now();
            while !pending.is_empty() {
                let before = pending.len();
                pending = pending.into_iter().filter_map(|request| request.test().err()).collect();
                let received = self.receive(world);
                if pending.len() < before || received {
                    busy = Instant::now();
                } else if busy.elapsed() < alert {
                    std::thread::yield_now();
                } else {
                    std::thread::sleep(NAPS[0]);
                }
            }
        });
    }

    /// Takes in what has arrived; whether there was anything.
    fn receive(&mut self, world: &SimpleCommunicator) -> bool {
        let mut any = false;
        while let Some(found) = world.any_process().immediate_matched_probe() {
            any = true;
            let (bytes, status) = found.matched_receive_vec::<u8>();
            let (from, kind) = (status.source_rank() as usize, status.tag());
            let (last, half) = (bytes.len() < PIECE, self.halves.entry((from, kind)).or_default());
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
            PARCEL => self.parcels[from].push_back(message),
            QUESTION | ANSWER => {
                let Some((rest, tail)) = message.split_last_chunk() else { return };
                let (length, number) = (rest.len(), u64::from_le_bytes(*tail));
                message.truncate(length);
                if kind == QUESTION {
                    // The clerk is there as long as the office is.
                    let _ = self.questions.send((from, number, message));
                } else if let Some(tell) = self.asked.remove(&number) {
                    let well = message.pop() == Some(1);
                    let why = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                    let _ = tell.send(if well { Ok(message) } else { Err(why(message)) });
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

    /// Hands over what somebody waits for.
    fn deliver(&mut self) {
        // What a rank sent before it ended has arrived.
        let gone = |rank: &usize| self.ended[*rank] && *rank != self.rank && self.parcels[*rank].is_empty();
        if let (true, Some(rank)) = (self.exchange.is_some(), (0..self.size).find(gone)) {
            self.failed.get_or_insert(format!("rank {rank} ended before the others"));
        }
        if self.failed.is_some() {
            if let Some(tell) = self.exchange.take() {
                self.refuse(&tell);
            }
            for (_, tell) in std::mem::take(&mut self.asked) {
                self.refuse(&tell);
            }
        }
        if self.exchange.is_some() && self.parcels.iter().all(|parcels| !parcels.is_empty()) {
            let parcels = self.parcels.iter_mut().filter_map(VecDeque::pop_front).collect();
            if let Some(tell) = self.exchange.take() {
                let _ = tell.send(Ok(parcels));
            }
        }
    }
}
