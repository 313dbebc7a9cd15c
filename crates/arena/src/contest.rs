//! Game scheduler: plays the games of a match on several threads, reproducibly.
//!
//! A *bout* is a scheduled game: two players, their colours, an opening and a seed. Each opening is played twice with
//! colours swapped, which makes a *pair* of games.
//!
//! ```text
//!   bouts    0  1 | 2  3 | 4  5 | …
//!            └──┬─┘
//!          a thread takes a pair, plays its games, and reports each game as it ends
//! ```
//!
//! Invariant: the moves of a game depend on its bout alone, not on the thread that plays it or on earlier games.

use crate::ArenaError;
use crate::opening::Opening;
use crate::record::GameRecord;
use crate::referee::{House, PlayedGame, play_seen};
use crate::scrutiny::scrutinise;
use crate::seed::part;
use outplay_core::{AnyMove, AnyPosition, Game, Notation};
use outplay_players::{Player, PlayerContext};
use outplay_runtime::Monitor;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;

/// A scheduled game: its players, opening and seed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Bout {
    /// Its number in the match.
    pub number: u64,
    /// Index of its opening.
    pub opening: usize,
    /// Index of the player who moves first.
    pub first: usize,
    /// Index of the player who moves second.
    pub second: usize,
}

/// A round-robin schedule: each pairing plays `games` games, each opening twice with colours swapped. If `games` is
/// odd, the last opening is played once.
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

/// An observer of games. Its methods are called by the playing threads, which block until they return.
pub trait Spectator: Sync {
    /// Called for each position of a game before its next move, with the moves that led to it.
    fn turn(&self, _bout: &Bout, _pos: &AnyPosition, _moves: &[AnyMove]) {}
    /// Called at the end of each counted game.
    fn ended(&self, _game: &GameRecord) {}
}

/// A spectator that ignores all calls.
pub struct NoSpectator;

impl Spectator for NoSpectator {}

/// Runner of games between the given players, from the given openings, with the given settings.
pub struct GameRunner<'a> {
    /// The game with its player factory.
    pub kit: &'a PlayerContext,
    /// The position from which openings are played.
    pub start: &'a AnyPosition,
    /// The openings.
    pub openings: &'a [Opening],
    /// The players by spec.
    pub players: &'a [String],
    /// Ply limit and time limit of a game.
    pub house: House,
    /// Random seed of dice and players.
    pub seed: u64,
    /// Whether moves are compared with exact values.
    pub judged: bool,
    /// Games played concurrently.
    pub threads: usize,
    /// The observer.
    pub spectator: &'a dyn Spectator,
}

/// Reply of the receiver of finished games: whether further games are needed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Flow {
    /// Continue.
    On,
    /// Stop: the result is decided.
    Enough,
}

impl GameRunner<'_> {
    /// Plays the bouts and reports each game as it ends, in any order, on the caller's thread.
    ///
    /// Ends early if `report` or the monitor stops it; unfinished games are then dropped.
    ///
    /// # Errors
    ///
    /// A player that cannot be constructed, or an error of `report`.
    pub fn play(
        &self,
        bouts: &[Bout],
        monitor: &dyn Monitor,
        mut report: impl FnMut(GameRecord) -> Result<Flow, ArenaError>,
    ) -> Result<(), ArenaError> {
        // An invalid player is an input error, reported before any game is played.
        for spec in self.players {
            self.kit.player(spec)?;
        }
        let groups: Vec<&[Bout]> =
            bouts.chunk_by(|a, b| a.opening == b.opening && a.first == b.second).collect();
        let (next, enough) = (AtomicUsize::new(0), AtomicBool::new(false));
        let stop = EarlyStop { monitor, enough: &enough };
        // A short queue gives back-pressure: games do not run ahead of the record.
        let (sender, receiver) = mpsc::sync_channel(1);
        let mut outcome = Ok(());
        std::thread::scope(|scope| {
            for _ in 0..self.threads.clamp(1, groups.len().max(1)) {
                let (sender, next, stop, groups) = (sender.clone(), &next, &stop, &groups);
                scope.spawn(move || {
                    let mut pool = PlayerPool { runner: self, idle: Vec::new() };
                    while let Some(group) = groups.get(next.fetch_add(1, Ordering::Relaxed)) {
                        for bout in *group {
                            let Some(game) = pool.game(bout, stop).transpose() else { return };
                            // Once the result is decided, further games are discarded.
                            if sender.send(game).is_err() || stop.stopped() {
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

/// A monitor that also stops when the result is decided.
struct EarlyStop<'a> {
    monitor: &'a dyn Monitor,
    enough: &'a AtomicBool,
}

impl Monitor for EarlyStop<'_> {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.enough.load(Ordering::Relaxed) || self.monitor.stopped()
    }
}

/// Idle players that a thread keeps for later games: constructing one may cost more than a game.
const MAX_IDLE: usize = 8;

/// An LRU pool of a thread's idle players.
struct PlayerPool<'a, 'b> {
    runner: &'a GameRunner<'b>,
    /// In order of last use, most recent last.
    idle: Vec<(usize, Box<dyn Player>)>,
}

impl PlayerPool<'_, '_> {
    fn take(&mut self, player: usize) -> Result<Box<dyn Player>, ArenaError> {
        if let Some(at) = self.idle.iter().position(|(idle, _)| *idle == player) {
            return Ok(self.idle.remove(at).1);
        }
        Ok(self.runner.kit.player(&self.runner.players[player])?)
    }

    fn put_back(&mut self, player: usize, made: Box<dyn Player>) {
        if self.idle.len() >= MAX_IDLE {
            self.idle.remove(0);
        }
        self.idle.push((player, made));
    }

    /// Plays one game; `None` if it was stopped.
    fn game(&mut self, bout: &Bout, monitor: &dyn Monitor) -> Result<Option<GameRecord>, ArenaError> {
        let runner = self.runner;
        let (mut first, mut second) = (self.take(bout.first)?, self.take(bout.second)?);
        let opening = &runner.openings[bout.opening];
        let seeds =
            [part(part(runner.seed, 1), bout.number), part(part(runner.seed, 2), bout.opening as u64)];
        let seats: [&mut dyn Player; 2] = [&mut *first, &mut *second];
        let seen = &mut |pos: &AnyPosition, moves: &[AnyMove]| runner.spectator.turn(bout, pos, moves);
        let played = play_seen(runner.kit, opening, seats, seeds, &runner.house, seen, monitor);
        let Some(played) = played else { return Ok(None) };
        if played.end.is_fault() {
            // A fault may leave a player inconsistent, so it is dropped; a panic in its destructor is ignored.
            let _ = catch_unwind(AssertUnwindSafe(|| drop((first, second))));
        } else {
            self.put_back(bout.first, first);
            self.put_back(bout.second, second);
        }
        let PlayedGame { moves, payoff, end, why, spent } = played;
        let scrutiny = if runner.judged {
            let found = scrutinise(runner.kit, runner.start, &moves, opening.moves.len(), monitor);
            match found {
                Err(ArenaError::Stopped) => return Ok(None),
                found => found?,
            }
        } else {
            None
        };
        let mut words = Vec::with_capacity(moves.len());
        let mut pos = runner.start.clone();
        for &mv in &moves {
            words.push(runner.kit.game.write_move(&pos, mv));
            pos = runner.kit.game.play(&pos, mv);
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
