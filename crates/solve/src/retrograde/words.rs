//! State of each position while its tier is solved: sixteen bits per rank, updated by compare-and-swap.
//!
//! An exit is a move that leaves the tier:
//!
//! ```text
//! 1 L ..............   resolved; L set: lost; then the level (payoff and plies)
//! 0 S X .............  open; S set: an exit does not lose; X: such an exit leads to a draw that the opponent
//!                                cannot force to end
//!                            S clear: X: an exit loses
//!                            then the number of successors within the tier that are not yet known to lose
//! ```
//!
//! When all levels are processed, the open words are the draws, and their counts are those of moves to draws.
//!
//! Invariant: a resolved word never changes. Threads change open words by compare-and-swap only, so exactly one of
//! them observes a count that reaches zero.

use crate::SolveError;
use crate::blocks::list;
use outplay_runtime::Monitor;
use std::sync::atomic::{AtomicU16, Ordering};

const RESOLVED: u16 = 1 << 15;
const LOST: u16 = 1 << 14;
const SAFE: u16 = 1 << 14;
const LOSING_EXIT: u16 = 1 << 13;
const STUCK: u16 = LOSING_EXIT;
const COUNT: u16 = LOSING_EXIT - 1;

/// Number of levels that a resolved word can hold; the two highest codes stand for a hole and for a finished tie.
pub(super) const MOST_LEVELS: usize = LOST as usize - 2;
/// Maximum number of successors within a tier that an open word can count.
pub(super) const MOST_SUCCESSORS: u32 = COUNT as u32;

const HOLE: u16 = u16::MAX;
const TIE: u16 = u16::MAX - 1;

/// One word per number.
pub(super) struct Words(Vec<AtomicU16>);

/// A decoded word.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum WordState {
    Hole,
    Tie,
    Open,
    Win(u16),
    Loss(u16),
}

/// Summary of the exits.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Exit {
    /// There is none.
    None,
    /// All of them lose.
    Losing,
    /// One does not lose; `stuck` if one leads to a draw that the opponent cannot end.
    Safe { stuck: bool },
}

/// Effect of counting one more losing move.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum CountDown {
    /// None: moves are left, or the word was already resolved or can never be lost.
    On,
    /// Every move loses, and all of them stay in the tier.
    Lost,
    /// Every move loses, and some leave the tier.
    LostWithExits,
}

impl Words {
    /// Words of which all are holes.
    pub(super) fn new(len: u64, monitor: &dyn Monitor) -> Result<Words, SolveError> {
        Ok(Words(list(len, monitor, |_| AtomicU16::new(HOLE))?))
    }

    /// Appends holes.
    pub(super) fn grow(&mut self, more: u64) {
        self.0.extend((0..more).map(|_| AtomicU16::new(HOLE)));
    }

    fn set(&self, number: u64, word: u16) {
        self.0[number as usize].store(word, Ordering::Relaxed);
    }

    pub(super) fn open(&self, number: u64, count: u32, exit: Exit) {
        let flags = match exit {
            Exit::None => 0,
            Exit::Losing => LOSING_EXIT,
            Exit::Safe { stuck: false } => SAFE,
            Exit::Safe { stuck: true } => SAFE | STUCK,
        };
        self.set(number, count as u16 | flags);
    }

    pub(super) fn tie(&self, number: u64) {
        self.set(number, TIE);
    }

    pub(super) fn win(&self, number: u64, level: u16) {
        self.set(number, RESOLVED | level);
    }

    pub(super) fn lose(&self, number: u64, level: u16) {
        self.set(number, RESOLVED | LOST | level);
    }

    /// Resolves an open word as won; returns whether it was open.
    #[inline]
    pub(super) fn claim_win(&self, number: u64, level: u16) -> bool {
        let word = &self.0[number as usize];
        let mut now = word.load(Ordering::Relaxed);
        while now & RESOLVED == 0 {
            match word.compare_exchange_weak(now, RESOLVED | level, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return true,
                Err(other) => now = other,
            }
        }
        false
    }

    /// Counts one more losing move. With none left, resolves the word as lost at `level`, unless exits affect the
    /// distance.
    #[inline]
    pub(super) fn count_down(&self, number: u64, level: u16) -> CountDown {
        let word = &self.0[number as usize];
        let mut now = word.load(Ordering::Relaxed);
        while now & RESOLVED == 0 {
            let (next, counted) = match (now & COUNT, now & (SAFE | LOSING_EXIT)) {
                (1, 0) => (RESOLVED | LOST | level, CountDown::Lost),
                (1, LOSING_EXIT) => (now - 1, CountDown::LostWithExits),
                _ => (now - 1, CountDown::On),
            };
            match word.compare_exchange_weak(now, next, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return counted,
                Err(other) => now = other,
            }
        }
        CountDown::On
    }

    /// For a draw: counts one more move to a draw that the opponent can end; returns whether that now holds for every
    /// move. (Losing moves end the game as well.)
    #[inline]
    pub(super) fn count_end(&self, number: u64) -> bool {
        let word = &self.0[number as usize];
        let mut now = word.load(Ordering::Relaxed);
        while now & RESOLVED == 0 {
            match word.compare_exchange_weak(now, now - 1, Ordering::Relaxed, Ordering::Relaxed) {
                Ok(_) => return Words::all_end(now - 1),
                Err(other) => now = other,
            }
        }
        false
    }

    /// For a draw: whether the opponent can end the game after every move, as far as is known.
    pub(super) fn opponent_ends(&self, number: u64) -> bool {
        let word = self.0[number as usize].load(Ordering::Relaxed);
        word & RESOLVED == 0 && Words::all_end(word)
    }

    fn all_end(word: u16) -> bool {
        // Without a safe exit the other bit means losing exits, and those end the game as well.
        word & COUNT == 0 && word & (SAFE | STUCK) != SAFE | STUCK
    }

    #[inline]
    pub(super) fn at(&self, number: u64) -> WordState {
        match self.0[number as usize].load(Ordering::Relaxed) {
            HOLE => WordState::Hole,
            TIE => WordState::Tie,
            word if word & RESOLVED == 0 => WordState::Open,
            word if word & LOST == 0 => WordState::Win(word & !RESOLVED),
            word => WordState::Loss(word & !(RESOLVED | LOST)),
        }
    }

    pub(super) fn len(&self) -> u64 {
        self.0.len() as u64
    }
}
