//! Who thinks when this program is an engine.
//!
//! Unless a player is named, the strongest thing at hand: what is exactly known where that can be expected, else
//! alpha-beta with the evaluation that suits the game, for the time that is given.

use crate::lines::Halt;
use outplay_core::{AnyPosition, Deadline, Watch};
use outplay_players::{Choice, Kit, Merit, PlayError, Player};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::time::{Duration, Instant};

/// How much thinking is asked for.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Budget {
    /// Time, overhead not yet taken off.
    pub time: Option<Duration>,
    /// Plies.
    pub depth: Option<u32>,
    /// Positions.
    pub nodes: Option<u64>,
    /// Until somebody says stop.
    pub infinite: bool,
}

/// How long to think if nothing is said.
const USUAL: Duration = Duration::from_secs(1);
/// The first of the rounds of thinking without an end; each takes twice as long as the one before.
const ROUND: Duration = Duration::from_millis(200);

/// Thoughts that take longer begin with a short one.
const LONG: Duration = Duration::from_millis(100);

/// Says whether the exact value of a position can be expected soon.
pub type Likely = Box<dyn Fn(&AnyPosition) -> bool + Send + Sync>;

/// A game and who thinks about it.
pub struct Brain {
    kit: Kit,
    likely: Likely,
    /// The player that somebody named.
    named: Option<String>,
    /// The last player and its spec: what it learned serves the next move.
    player: Option<(String, Box<dyn Player>)>,
}

impl Brain {
    /// A mind for a game.
    pub fn new(kit: Kit, likely: Likely) -> Brain {
        Brain { kit, likely, named: None, player: None }
    }

    /// The game.
    pub fn game(&self) -> &outplay_core::AnyGame {
        &self.kit.game
    }

    /// Lets a player think instead, or nobody in particular.
    ///
    /// # Errors
    ///
    /// A player that the game cannot have.
    pub fn name(&mut self, spec: Option<&str>) -> Result<(), PlayError> {
        if let Some(spec) = spec {
            self.kit.player(spec)?;
        }
        self.named = spec.map(str::to_string);
        self.player = None;
        Ok(())
    }

    /// A new game begins.
    pub fn begin(&mut self) {
        if let Some((_, player)) = &mut self.player {
            player.begin(0);
        }
    }

    /// A move at an unfinished position where a player is to move.
    ///
    /// # Errors
    ///
    /// A position without moves.
    pub fn think(
        &mut self,
        pos: &AnyPosition,
        budget: &Budget,
        watch: &dyn Watch,
    ) -> Result<Choice, PlayError> {
        let clock = Deadline::new(budget.time, watch).silent();
        let thought = match self.named.clone() {
            Some(spec) => self.ask(&spec, pos, &clock),
            None => self.own(pos, budget, &clock),
        };
        match thought {
            Ok(choice) => Ok(choice),
            Err(PlayError::NoMove) => Err(PlayError::NoMove),
            // Whoever has no answer, or no time for one, still has to move: by the first look.
            Err(_) => self.kit.player("greedy")?.choose(pos, &outplay_core::Quiet),
        }
    }

    fn own(&mut self, pos: &AnyPosition, budget: &Budget, clock: &Deadline<'_>) -> Result<Choice, PlayError> {
        let limited = budget.depth.is_some() || budget.nodes.is_some();
        if !limited && (self.likely)(pos) {
            let share = budget.time.map_or(Duration::MAX, |time| time * 2 / 5);
            let known = clock.within(share).silent();
            if let Some(truth) = &self.kit.truth
                && let Ok(Some(best)) = truth.best(pos, &known)
                && let Some(&mv) = best.moves.first()
            {
                let opinion = match best.merit {
                    Merit::Value(value) => f64::from(value.payoff().signum()) * 100.0,
                    Merit::Mean(mean) => 100.0 * mean,
                };
                let choice = Choice { opinion: Some(opinion), line: vec![mv], depth: 1, ..Choice::plain(mv) };
                return Ok(choice.after_sight(1));
            }
        }
        if budget.infinite {
            return self.rounds(pos, clock);
        }
        let mut limits = Vec::new();
        limits.extend(budget.depth.map(|depth| format!("depth={depth}")));
        limits.extend(budget.nodes.map(|nodes| format!("nodes={nodes}")));
        let mut quick = None;
        if let Some(rest) = clock.rest().filter(|rest| !limited && *rest >= LONG) {
            // Whoever says stop gets at least this.
            quick = self.ask(&self.kit.looking(&spelled(rest / 20)), pos, clock).ok();
        }
        let rest = clock.rest().or((!limited).then_some(USUAL));
        limits.extend(rest.map(spelled));
        self.ask(&self.kit.looking(&limits.join(",")), pos, clock).or_else(|error| quick.ok_or(error))
    }

    /// Thinks longer and longer, and gives the last answer when somebody says stop.
    fn rounds(&mut self, pos: &AnyPosition, clock: &Deadline<'_>) -> Result<Choice, PlayError> {
        let (mut time, mut last) = (ROUND, None);
        loop {
            match self.ask(&self.kit.looking(&spelled(time)), pos, clock) {
                Ok(choice) => last = Some(choice),
                Err(error) => return last.ok_or(error),
            }
            time *= 2;
        }
    }

    fn ask(&mut self, spec: &str, pos: &AnyPosition, watch: &dyn Watch) -> Result<Choice, PlayError> {
        let mut player = match self.player.take() {
            Some((known, player)) if known == spec => player,
            _ => {
                let mut player = self.kit.player(spec)?;
                player.begin(0);
                player
            }
        };
        let choice = player.choose(pos, watch);
        self.player = Some((spec.to_string(), player));
        choice
    }

    /// Thinks while lines are heard. `heed` says of each line whether to stop thinking; lines that are not about that are
    /// kept for later in `queue`.
    pub(crate) fn think_aloud(
        &mut self,
        pos: &AnyPosition,
        budget: &Budget,
        lines: &Receiver<String>,
        queue: &mut Vec<String>,
        heed: &mut dyn FnMut(&str) -> Heed,
    ) -> Result<Choice, PlayError> {
        let halt = Halt::default();
        std::thread::scope(|scope| {
            let thought = scope.spawn(|| self.think(pos, budget, &halt));
            while !thought.is_finished() {
                match lines.recv_timeout(Duration::from_millis(1)) {
                    Ok(line) => match heed(&line) {
                        Heed::Stop => halt.now(),
                        Heed::Done => {}
                        Heed::Later => queue.push(line),
                    },
                    // Nobody is left who could say stop.
                    Err(RecvTimeoutError::Disconnected) => {
                        if budget.infinite {
                            halt.now();
                        }
                        break;
                    }
                    Err(RecvTimeoutError::Timeout) => {}
                }
            }
            thought.join().unwrap_or(Err(PlayError::Stopped))
        })
    }
}

/// What a line means to somebody who thinks.
pub(crate) enum Heed {
    /// Come to an end.
    Stop,
    /// Nothing: it is dealt with.
    Done,
    /// Nothing yet.
    Later,
}

/// A limit of time as specs have it.
fn spelled(time: Duration) -> String {
    format!("time={:.1}ms", time.as_secs_f64().mul_add(1e3, 0.0).clamp(1.0, 8.64e7))
}

/// What is left of a time for thinking, after what it takes to say so.
pub(crate) fn less_overhead(time: Duration) -> Duration {
    time.saturating_sub((time / 10).min(Duration::from_millis(15))).max(Duration::from_millis(1))
}

/// How long a thought took, in milliseconds.
pub(crate) fn milliseconds(since: Instant) -> u128 {
    since.elapsed().as_millis()
}
