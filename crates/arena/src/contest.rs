//! Many games on several threads.
//!
//! ```text
//!   bouts    0  1 | 2  3 | 4  5 | …      each opening twice, colours swapped: a pair
//!            └──┬─┘
//!          one thread takes a pair, plays it, and reports each game as it ends
//! ```
//!
//! Invariant: a game depends on its bout alone, not on the thread that plays it or on what was played before.

use crate::ArenaError;
use crate::opening::Opening;
use crate::record::GameRecord;
use crate::referee::{House, Played, play_seen};
use crate::scrutiny::scrutinise;
use crate::seed::part;
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Watch};
use outplay_players::{Kit, Player};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// One game to be played.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bout {
    /// Its number in the match.
    pub number: u64,
    /// Which opening.
    pub opening: usize,
    /// Who moves first.
    pub first: usize,
    /// Who moves second.
    pub second: usize,
}

/// A round robin: each two players meet in so many games, twice in each opening, colours swapped. Of an odd number the
/// last opening is played once.
pub fn round_robin(players: usize, games: usize) -> Vec<Bout> {
    let mut bouts = Vec::new();
    for a in 0..players {
        for b in a + 1..players {
            for game in 0..games {
                let (first, second) = if game % 2 == 0 { (a, b) } else { (b, a) };
                bouts.push(Bout { number: bouts.len() as u64, opening: game / 2, first, second });
            }
        }
    }
    bouts
}

/// Somebody who looks on while games are played. Calls come from the threads that play, which wait for them.
pub trait Spectator: Sync {
    /// A position of a game, and the moves that led to it, before anybody moves on from there.
    fn turn(&self, _bout: &Bout, _pos: &AnyPosition, _moves: &[AnyMove]) {}
    /// A game that counts is over.
    fn ended(&self, _game: &GameRecord) {}
}

/// Nobody looks on.
pub struct Nobody;

impl Spectator for Nobody {}

/// What games are played with.
pub struct Hall<'a> {
    /// The game and what it brings along.
    pub kit: &'a Kit,
    /// Where openings begin.
    pub start: &'a AnyPosition,
    /// Where games begin.
    pub openings: &'a [Opening],
    /// The players by spec.
    pub players: &'a [String],
    /// What ends a game besides its own rules.
    pub house: House,
    /// What dice and chance decisions follow from.
    pub seed: u64,
    /// Whether moves are held against exact knowledge.
    pub judged: bool,
    /// Games at the same time.
    pub threads: usize,
    /// Who looks on.
    pub spectator: &'a dyn Spectator,
}

/// Whether to go on.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// There may be more.
    On,
    /// What was asked is answered.
    Enough,
}

impl Hall<'_> {
    /// Plays the bouts and reports each game as it ends, in any order, on the caller's thread.
    ///
    /// Ends early if a report says so or somebody asks to stop; games that are under way then are dropped.
    ///
    /// # Errors
    ///
    /// A player that cannot be made, or what a report failed with.
    pub fn play(
        &self,
        bouts: &[Bout],
        watch: &dyn Watch,
        mut report: impl FnMut(GameRecord) -> Result<Flow, ArenaError>,
    ) -> Result<(), ArenaError> {
        // A player that cannot be made is the user's mistake, and is told before anything is played.
        for spec in self.players {
            self.kit.player(spec)?;
        }
        let groups: Vec<&[Bout]> =
            bouts.chunk_by(|a, b| a.opening == b.opening && a.first == b.second).collect();
        let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
        let hurry = Hurry { watch, enough: &enough };
        // A short queue: players do not run ahead of whoever writes the games down.
        let (sender, receiver) = mpsc::sync_channel(1);
        let mut outcome = Ok(());
        std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, groups.len().max(1)) {
                let (sender, next, hurry, groups) = (sender.clone(), &next, &hurry, &groups);
                scope.spawn(move || {
                    let mut bench = Bench { hall: self, seated: Vec::new() };
                    while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                        for bout in *group {
                            let Some(game) = bench.game(bout, hurry).transpose() else { return };
                            // Nobody listens any more once enough is known.
                            if sender.send(game).is_err() || hurry.stopped() {
                                return;
                            }
                        }
                    }
                });
            }
            drop(sender);
            for game in receiver {
                if outcome.is_err() || enough.load(Ordering::Relaxed) {
                    continue;
                }
                match game.and_then(&mut report) {
                    Ok(Flow::On) => {}
                    Ok(Flow::Enough) => enough.store(true, Ordering::Relaxed),
                    Err(error) => {
                        outcome = Err(error);
                        enough.store(true, Ordering::Relaxed);
                    }
                }
            }
        });
        outcome
    }
}

/// Stops games that are no longer wanted.
struct Hurry<'a> {
    watch: &'a dyn Watch,
    enough: &'a AtomicBool,
}

impl Watch for Hurry<'_> {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.enough.load(Ordering::Relaxed) || self.watch.stopped()
    }
}

/// Players that one thread keeps from game to game: making one may cost more than a game.
const SEATS: usize = 8;

/// A thread with its players.
struct Bench<'a, 'b> {
    hall: &'a Hall<'b>,
    /// Most recently used last.
    seated: Vec<(usize, Box<dyn Player>)>,
}

impl Bench<'_, '_> {
    fn take(&mut self, player: usize) -> Result<Box<dyn Player>, ArenaError> {
        if let Some(at) = self.seated.iter().position(|(seated, _)| *seated == player) {
            return Ok(self.seated.remove(at).1);
        }
        Ok(self.hall.kit.player(&self.hall.players[player])?)
    }

    fn put_back(&mut self, player: usize, made: Box<dyn Player>) {
        if self.seated.len() >= SEATS {
            self.seated.remove(0);
        }
        self.seated.push((player, made));
    }

    /// One game; `None` if somebody asked to stop.
    fn game(&mut self, bout: &Bout, watch: &dyn Watch) -> Result<Option<GameRecord>, ArenaError> {
        let hall = self.hall;
        let (mut first, mut second) = (self.take(bout.first)?, self.take(bout.second)?);
        let opening = &hall.openings[bout.opening];
        let seeds = [part(part(hall.seed, 1), bout.number), part(part(hall.seed, 2), bout.opening as u64)];
        let seats: [&mut dyn Player; 2] = [&mut *first, &mut *second];
        let seen = &mut |pos: &AnyPosition, moves: &[AnyMove]| hall.spectator.turn(bout, pos, moves);
        let played = play_seen(hall.kit, opening, seats, seeds, &hall.house, seen, watch);
        let Some(played) = played else { return Ok(None) };
        if played.end.is_fault() {
            // Whatever went wrong may have left a player in pieces; a panic while dropping it is its last.
            let _ = catch_unwind(AssertUnwindSafe(|| drop((first, second))));
        } else {
            self.put_back(bout.first, first);
            self.put_back(bout.second, second);
        }
        let Played { moves, payoff, end, why, spent } = played;
        let scrutiny = if hall.judged {
            let found = scrutinise(hall.kit, hall.start, &moves, opening.moves.len(), watch);
            match found {
                Err(ArenaError::Stopped) => return Ok(None),
                found => found?,
            }
        } else {
            None
        };
        let mut words = Vec::with_capacity(moves.len());
        let mut pos = hall.start.clone();
        for &mv in &moves {
            words.push(hall.kit.game.write_move(&pos, mv));
            pos = hall.kit.game.play(&pos, mv);
        }
        Ok(Some(GameRecord {
            number: bout.number,
            opening: bout.opening as u64,
            first: bout.first,
            second: bout.second,
            moves: words.join(" "),
            opening_moves: opening.moves.len(),
            payoff,
            end,
            why,
            spent,
            scrutiny,
        }))
    }
}
