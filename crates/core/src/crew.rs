//! Several processes that solve one game together, whatever carries their messages.
//!
//! ```text
//!  exchange   everybody hands a parcel to everybody: the end of a superstep
//!  ask        one process asks another, whose clerk answers while it works
//! ```
//!
//! Every process runs the same program with the same options, so all of them come to the same exchanges in the same
//! order. What they decide on, they decide from what all of them know.

use crate::Floor;
use std::fmt;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};

/// Who answers the questions of other processes.
pub trait Clerk: Send + Sync {
    /// The answer to a question, or a sentence that says why there is none.
    ///
    /// # Errors
    ///
    /// Whatever keeps it from answering.
    fn answer(&self, question: &[u8]) -> Result<Vec<u8>, String>;
}

/// Processes that work together, as one of them sees it. Errors are sentences that a user can read.
pub trait Crew: fmt::Debug + Send + Sync {
    /// The number of this process.
    fn rank(&self) -> usize;

    /// How many there are.
    fn size(&self) -> usize;

    /// Hands a parcel to each process, in the order of their numbers, and returns what they handed to this one.
    ///
    /// # Errors
    ///
    /// A process that is gone.
    fn exchange(&self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String>;

    /// Asks a process something, whatever it is doing.
    ///
    /// # Errors
    ///
    /// A process that is gone, or what its clerk says.
    fn ask(&self, rank: usize, question: &[u8]) -> Result<Vec<u8>, String>;

    /// Has a clerk answer the questions of others from now on.
    fn serve(&self, clerk: Option<Arc<dyn Clerk>>);

    /// Who of this process's threads computes.
    fn floor(&self) -> &Floor;

    /// Says to all that this process cannot go on: whoever waits for others, here or elsewhere, is told.
    fn fail(&self, why: &str);

    /// Says which part of the work begins now, such as "exploring": who looks on may tell it.
    fn phase(&self, _name: &'static str) {}
}

impl dyn Crew + '_ {
    /// What everybody has, in the order of their numbers.
    ///
    /// # Errors
    ///
    /// A process that is gone.
    pub fn gather(&self, mine: &[u8]) -> Result<Vec<Vec<u8>>, String> {
        self.exchange(vec![mine.to_vec(); self.size()])
    }

    /// As [`Crew::exchange`], if all went well everywhere; the first sentence that says otherwise is everybody's.
    ///
    /// # Errors
    ///
    /// A process that is gone, or the sentence.
    pub fn exchange_well(&self, mine: Result<Vec<Vec<u8>>, String>) -> Result<Vec<Vec<u8>>, String> {
        let (mut parcels, why) = match mine {
            Ok(parcels) => (parcels, None),
            Err(why) => (vec![why.as_bytes().to_vec(); self.size()], Some(why)),
        };
        for parcel in &mut parcels {
            // Parcels may be large, and are sent at once.
            parcel.reserve_exact(1);
            parcel.push(why.is_none().into());
        }
        let mut told = self.exchange(parcels)?;
        why.map_or(Ok(()), Err)?;
        let failed = told.iter_mut().find_map(|parcel| (parcel.pop() != Some(1)).then_some(&*parcel));
        match failed {
            Some(sentence) => Err(String::from_utf8_lossy(sentence).into_owned()),
            None => Ok(told),
        }
    }

    /// What the first process has; the others' bytes do not matter.
    ///
    /// # Errors
    ///
    /// A process that is gone.
    pub fn from_first(&self, mine: &[u8]) -> Result<Vec<u8>, String> {
        let parcel = if self.rank() == 0 { mine } else { &[] };
        Ok(self.gather(parcel)?.swap_remove(0))
    }

    /// The sums of what everybody has; all lists are of one length.
    ///
    /// # Errors
    ///
    /// A process that is gone.
    pub fn sum(&self, mine: &[u64]) -> Result<Vec<u64>, String> {
        let mut sums = vec![0; mine.len()];
        for bytes in self.gather(&pack(mine))? {
            sums.iter_mut().zip(unpack(&bytes)).for_each(|(sum, number)| *sum += number);
        }
        Ok(sums)
    }

    /// The smallest of what everybody has.
    ///
    /// # Errors
    ///
    /// A process that is gone.
    pub fn least(&self, mine: u64) -> Result<u64, String> {
        let all = self.gather(&mine.to_le_bytes())?;
        Ok(all.iter().flat_map(|bytes| unpack(bytes)).min().unwrap_or(mine))
    }

    /// Waits until everybody is here.
    ///
    /// # Errors
    ///
    /// A process that is gone.
    pub fn meet(&self) -> Result<(), String> {
        self.gather(&[]).map(|_| ())
    }

    /// Whether what happened here happened well everywhere; the first sentence that says otherwise is everybody's.
    ///
    /// # Errors
    ///
    /// A process that is gone, or the sentence.
    pub fn agree<T>(&self, mine: Result<T, String>) -> Result<T, String> {
        let told =
            self.exchange_well(mine.as_ref().map(|_| vec![Vec::new(); self.size()]).map_err(Clone::clone));
        let mine = mine?;
        told.map(|_| mine)
    }
}

/// Numbers as bytes.
pub fn pack(numbers: &[u64]) -> Vec<u8> {
    numbers.iter().flat_map(|number| number.to_le_bytes()).collect()
}

/// The numbers that [`pack`] packed.
pub fn unpack(bytes: &[u8]) -> impl Iterator<Item = u64> + '_ {
    bytes.chunks_exact(8).map(|word| word.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte)))
}

/// A crew of threads in one process: what tests run, and how a crew behaves.
pub struct Team {
    rank: usize,
    to: Vec<Sender<Parcel>>,
    from: Vec<Mutex<Receiver<Parcel>>>,
    clerks: Arc<Vec<Desk>>,
    floor: Floor,
}

/// What somebody hands over, or why it cannot.
type Parcel = Result<Vec<u8>, String>;
type Desk = Mutex<Option<Arc<dyn Clerk>>>;

impl Team {
    /// A team of so many members.
    pub fn of(size: usize) -> Vec<Arc<dyn Crew>> {
        let clerks: Arc<Vec<Desk>> = Arc::new((0..size).map(|_| Mutex::new(None)).collect());
        let mut members: Vec<Team> = (0..size)
            .map(|rank| {
                let (to, from, clerks) = (Vec::new(), Vec::new(), clerks.clone());
                Team { rank, to, from, clerks, floor: Floor::default() }
            })
            .collect();
        for from in 0..size {
            for to in 0..size {
                let (sender, receiver) = channel();
                members[from].to.push(sender);
                members[to].from.push(Mutex::new(receiver));
            }
        }
        members.into_iter().map(|member| Arc::new(member) as Arc<dyn Crew>).collect()
    }
}

impl fmt::Debug for Team {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} of {}", self.rank, self.to.len())
    }
}

impl Crew for Team {
    fn rank(&self) -> usize {
        self.rank
    }

    fn size(&self) -> usize {
        self.to.len()
    }

    fn exchange(&self, parcels: Vec<Vec<u8>>) -> Result<Vec<Vec<u8>>, String> {
        let gone = |rank: usize| format!("rank {rank} is gone");
        for (rank, (to, parcel)) in self.to.iter().zip(parcels).enumerate() {
            to.send(Ok(parcel)).map_err(|_| gone(rank))?;
        }
        let receive = |(rank, from): (usize, &Mutex<Receiver<Parcel>>)| {
            from.lock().unwrap_or_else(PoisonError::into_inner).recv().unwrap_or_else(|_| Err(gone(rank)))
        };
        self.from.iter().enumerate().map(receive).collect()
    }

    fn ask(&self, rank: usize, question: &[u8]) -> Result<Vec<u8>, String> {
        let clerk = self.clerks[rank].lock().unwrap_or_else(PoisonError::into_inner).clone();
        clerk.ok_or_else(|| format!("rank {rank} has no clerk"))?.answer(question)
    }

    fn serve(&self, clerk: Option<Arc<dyn Clerk>>) {
        *self.clerks[self.rank].lock().unwrap_or_else(PoisonError::into_inner) = clerk;
    }

    fn floor(&self) -> &Floor {
        &self.floor
    }

    fn fail(&self, why: &str) {
        // Who is gone need not be told.
        self.to.iter().for_each(|to| _ = to.send(Err(format!("rank {}: {why}", self.rank))));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Echo(usize);

    impl Clerk for Echo {
        fn answer(&self, question: &[u8]) -> Result<Vec<u8>, String> {
            if question.is_empty() {
                Err("nothing was asked".into())
            } else {
                Ok(vec![self.0 as u8, question[0]])
            }
        }
    }

    fn together(size: usize, work: impl Fn(Arc<dyn Crew>) + Sync) {
        std::thread::scope(|scope| {
            for crew in Team::of(size) {
                let work = &work;
                scope.spawn(move || work(crew));
            }
        });
    }

    #[test]
    fn parcels_reach_whom_they_are_for() {
        together(3, |crew| {
            let rank = crew.rank();
            for round in 0..5u8 {
                let parcels = (0..3).map(|to| vec![round, rank as u8, to]).collect();
                let got = crew.exchange(parcels).expect("everybody is here");
                let expected: Vec<Vec<u8>> = (0..3).map(|from| vec![round, from, rank as u8]).collect();
                assert_eq!(got, expected);
            }
            assert_eq!(crew.sum(&[rank as u64, 1]), Ok(vec![3, 3]));
            assert_eq!(crew.least(5 + rank as u64), Ok(5));
            assert_eq!(crew.from_first(&[rank as u8]), Ok(vec![0]));
            let mine = if rank == 1 { Err("a full disk".to_string()) } else { Ok(()) };
            assert_eq!(crew.agree(mine), Err("a full disk".into()));
            assert_eq!(crew.agree(Ok(7)), Ok(7));
            let parcels = |well: bool| if well { Ok(vec![vec![rank as u8]; 3]) } else { Err("no".into()) };
            assert_eq!(crew.exchange_well(parcels(true)), Ok(vec![vec![0], vec![1], vec![2]]));
            assert_eq!(crew.exchange_well(parcels(rank != 2)), Err("no".into()));
        });
    }

    #[test]
    fn clerks_answer() {
        together(2, |crew| {
            crew.serve(Some(Arc::new(Echo(crew.rank()))));
            crew.meet().expect("everybody is here");
            let other = 1 - crew.rank();
            assert_eq!(crew.ask(other, &[9]), Ok(vec![other as u8, 9]));
            assert_eq!(crew.ask(other, &[]), Err("nothing was asked".into()));
            crew.meet().expect("everybody is here");
            crew.serve(None);
        });
    }

    #[test]
    fn who_fails_says_so() {
        let told = std::sync::Barrier::new(3);
        together(3, |crew| {
            if crew.rank() == 1 {
                crew.fail("a full disk");
            }
            let met = crew.meet();
            // Who leaves at once would be missed instead.
            told.wait();
            assert_eq!(met, Err("rank 1: a full disk".into()));
        });
    }

    #[test]
    fn who_is_gone_is_noticed() {
        let mut team = Team::of(2);
        let last = team.pop();
        drop(last);
        assert_eq!(team[0].meet(), Err("rank 1 is gone".into()));
    }
}
