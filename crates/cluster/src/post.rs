//! A crew by MPI: one thread sends and receives for all others of its process.
//!
//! ```text
//!  worker, porters ──orders──▶ office ══MPI══ office ◀──orders── worker, porters
//!                                 │  ▲
//!                       questions ▼  │ answers
//!                                 clerk
//! ```
//!
//! Nothing here waits inside MPI, which would keep a core busy: the office looks for messages now and then, more often
//! while somebody waits for one. Messages longer than MPI's counts go in pieces.
//!
//! A rank that fails says so to all others, whose work then ends with its sentence. A rank that is killed ends the job:
//! `mpirun` sees to that.
//!
//! Invariant: between two ranks, messages of one kind arrive in the order in which they were sent.

use mpi::point_to_point::{Destination, MatchedReceiveVec, Source};
use mpi::request::{Request, scope};
use mpi::topology::{Communicator, SimpleCommunicator};
use outplay_core::{Clerk, Crew};
use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Bytes of the longest piece that is sent at once.
const PIECE: usize = 1 << 28;
/// How long an office with nothing to do sleeps: at first, and at most.
const NAPS: [Duration; 2] = [Duration::from_micros(20), Duration::from_micros(400)];
/// How long an office stays awake while its worker waits for parcels: nobody else wants the core then.
const ALERT: Duration = Duration::from_millis(2);
/// How long a rank that failed waits for the others to notice.
const PATIENCE: Duration = Duration::from_secs(10);

/// The kinds of messages, as MPI's tags.
const PARCEL: i32 = 1;
const QUESTION: i32 = 2;
const ANSWER: i32 = 3;
const END: i32 = 4;

type Parcels = Result<Vec<Vec<u8>>, String>;
type Answer = Result<Vec<u8>, String>;

/// What the other threads want of the office.
enum Order {
    Exchange(Vec<Vec<u8>>, Sender<Parcels>),
    Ask(usize, Vec<u8>, Sender<Answer>),
    Answer(usize, u64, Answer),
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
    clerk: Arc<Mutex<Option<Arc<dyn Clerk>>>>,
}

impl fmt::Debug for Post {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rank {} of {}", self.rank, self.size)
    }
}

const CLOSED: &str = "the post office of this rank is closed";

impl Post {
    /// Opens a post office; it works once its [`Office`] runs.
    pub(crate) fn open(rank: usize, size: usize) -> (Arc<Post>, Office) {
        let (orders, waiting) = channel();
        let (questions, asked) = channel::<Question>();
        let clerk: Arc<Mutex<Option<Arc<dyn Clerk>>>> = Arc::default();
        let (desk, answers) = (clerk.clone(), orders.clone());
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
            }
        });
        let post = Arc::new(Post { rank, size, orders: Mutex::new(orders), clerk });
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
        (post, office)
    }

    fn order(&self, order: Order) -> Result<(), String> {
        let orders = self.orders.lock().unwrap_or_else(PoisonError::into_inner);
        orders.send(order).map_err(|_| CLOSED.to_string())
    }

    /// Says that this rank's work is done, or failed.
    pub(crate) fn end(&self, sentence: Option<String>) {
        // An office that is closed has ended already.
        let _ = self.order(Order::End(sentence));
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
        told.recv().unwrap_or_else(|_| Err(CLOSED.into()))
    }

    fn ask(&self, rank: usize, question: &[u8]) -> Answer {
        let (tell, told) = channel();
        self.order(Order::Ask(rank, question.to_vec(), tell))?;
        told.recv().unwrap_or_else(|_| Err(CLOSED.into()))
    }

    fn serve(&self, clerk: Option<Arc<dyn Clerk>>) {
        *self.clerk.lock().unwrap_or_else(PoisonError::into_inner) = clerk;
    }
}

/// Sends and receives.
pub(crate) struct Office {
    rank: usize,
    size: usize,
    waiting: Receiver<Order>,
    questions: Sender<Question>,
    /// To whom, of which kind, and what; each begins with its length.
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

impl Office {
    /// Works until all ranks are done; `false` if some do not come to an end.
    pub(crate) fn run(mut self, world: &SimpleCommunicator) -> bool {
        let mut nap = NAPS[0];
        let mut patience: Option<Instant> = None;
        let mut busy = Instant::now();
        loop {
            let mut idle = true;
            while let Ok(order) = self.waiting.try_recv() {
                self.take(order);
                idle = false;
            }
            if !self.outbox.is_empty() {
                self.send(world);
            }
            idle &= !self.receive(world);
            self.deliver();
            if self.outbox.is_empty() && self.ended.iter().all(|&ended| ended) {
                return true;
            }
            if self.ended[self.rank] && self.failed.is_some() {
                let until = *patience.get_or_insert_with(|| Instant::now() + PATIENCE);
                if Instant::now() > until {
                    return false;
                }
            }
            if !idle {
                (nap, busy) = (NAPS[0], Instant::now());
            }
            if !idle || (self.exchange.is_some() && busy.elapsed() < ALERT) {
                std::thread::yield_now();
                continue;
            }
            nap = (nap * 2).min(NAPS[1]);
            match self.waiting.recv_timeout(nap) {
                Ok(order) => self.take(order),
                Err(RecvTimeoutError::Timeout) => {}
                // The worker went without a word: it panicked.
                Err(RecvTimeoutError::Disconnected) => return false,
            }
        }
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
                        self.post(rank, PARCEL, &[], &parcel);
                    }
                }
            }
            Order::Ask(rank, question, tell) => {
                self.count += 1;
                self.asked.insert(self.count, tell);
                self.post(rank, QUESTION, &self.count.to_le_bytes(), &question);
            }
            Order::Answer(rank, number, answer) => {
                let head = |well: u8| [&number.to_le_bytes()[..], &[well]].concat();
                match answer {
                    Ok(bytes) => self.post(rank, ANSWER, &head(1), &bytes),
                    Err(why) => self.post(rank, ANSWER, &head(0), why.as_bytes()),
                }
            }
            Order::End(sentence) => {
                let own = self.rank;
                for rank in (0..self.size).filter(|&rank| rank != own) {
                    self.post(rank, END, &[], sentence.as_deref().unwrap_or_default().as_bytes());
                }
                self.ended[self.rank] = true;
                self.failed = self.failed.take().or(sentence);
            }
        }
    }

    fn refuse<T>(&self, tell: &Sender<Result<T, String>>) {
        // Nobody is left to hear about it if that fails.
        let _ = tell.send(Err(self.failed.clone().unwrap_or_default()));
    }

    fn post(&mut self, rank: usize, kind: i32, head: &[u8], bytes: &[u8]) {
        let length = (head.len() + bytes.len()) as u64;
        let mut message = Vec::with_capacity(8 + length as usize);
        message.extend(length.to_le_bytes());
        message.extend_from_slice(head);
        message.extend_from_slice(bytes);
        self.outbox.push((rank, kind, message));
    }

    /// Sends all that is in the outbox, receiving meanwhile: who only sent would wait for others who only send.
    fn send(&mut self, world: &SimpleCommunicator) {
        let outbox = std::mem::take(&mut self.outbox);
        scope(|scope| {
            let mut pending: Vec<Request<'_, [u8], _>> = Vec::new();
            for (rank, kind, message) in &outbox {
                let to = world.process_at_rank(*rank as i32);
                for piece in message.chunks(PIECE) {
                    pending.push(to.immediate_send_with_tag(scope, piece, *kind));
                }
            }
            while !pending.is_empty() {
                let before = pending.len();
                pending = pending.into_iter().filter_map(|request| request.test().err()).collect();
                let received = self.receive(world);
                if pending.len() == before && !received {
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
            let half = self.halves.entry((from, kind)).or_default();
            if half.is_empty() {
                *half = bytes;
            } else {
                half.extend_from_slice(&bytes);
            }
            let length = half.first_chunk().map_or(u64::MAX, |head| u64::from_le_bytes(*head));
            if half.len() as u64 == length.saturating_add(8) {
                let mut message = std::mem::take(half);
                message.drain(..8);
                self.sort(from, kind, message);
            }
        }
        any
    }

    fn sort(&mut self, from: usize, kind: i32, mut message: Vec<u8>) {
        match kind {
            PARCEL => self.parcels[from].push_back(message),
            QUESTION | ANSWER => {
                let Some(head) = message.first_chunk() else { return };
                let number = u64::from_le_bytes(*head);
                if kind == QUESTION {
                    message.drain(..8);
                    // The clerk is there as long as the office is.
                    let _ = self.questions.send((from, number, message));
                } else if let Some(tell) = self.asked.remove(&number) {
                    let well = message.get(8) == Some(&1);
                    message.drain(..message.len().min(9));
                    let why = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
                    let _ = tell.send(if well { Ok(message) } else { Err(why(message)) });
                }
            }
            _ => {
                self.ended[from] = true;
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
