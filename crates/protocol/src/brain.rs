//! Move selection when this program is an engine.
//!
//! Unless the host selects a player, the move is exact if exact values are expected within the given time; otherwise
//! alpha-beta with the game's default evaluation chooses it.

use crate::lines::{Input, StopFlag};
use outplay_core::{AnyPosition, escape_controls};
use outplay_players::{Choice, MoveValue, PlayError, Player, PlayerContext, Punctual};
use outplay_runtime::{Deadline, Monitor};
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};

/// Limits of a search that the host requests: time, depth and nodes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct MoveLimits {
    /// Time, including communication overhead.
    pub time: Option<Duration>,
    /// Depth in plies.
    pub depth: Option<u32>,
    /// Nodes.
    pub nodes: Option<u64>,
    /// Search until `stop`.
    pub infinite: bool,
}

/// Default time of a move.
const DEFAULT_TIME: Duration = Duration::from_secs(1);
/// The nominal limit of a search that the deadline or a stop ends sooner. It is constant, so that one player with its
/// transposition table serves all moves of a game.
const OPEN_LIMIT: &str = "time=86400s";
/// The limit of the fallback search that runs before exact sources are queried.
const QUICK_LIMIT: &str = "depth=4";
/// Maximal duration of a timed search after the end of the input: its answer may still be read.
const TIMED_LINGER: Duration = Duration::from_secs(10);
/// The same for a search that is limited by depth, nodes or the player's own limits.
const LINGER: Duration = Duration::from_secs(2);

/// Predicts whether the exact value of a position is available soon.
pub type Likely = Box<dyn Fn(&AnyPosition) -> bool + Send + Sync>;

/// The move that the engine plays, with an optional note for the host.
pub struct ChosenMove {
    /// The move.
    pub choice: Choice,
    /// One line for the host: the reason why a fallback player moved.
    pub note: Option<String>,
}

/// The engine's state in a game: the player that chooses its moves, and its time management.
pub struct Brain {
    kit: PlayerContext,
    likely: Likely,
    /// The spec of the named player.
    named: Option<String>,
    /// The last player and its spec, kept with its transposition table for the next move.
    player: Option<(String, Box<dyn Player>)>,
    punctual: Punctual,
}

impl Brain {
    /// An engine for a game.
    pub fn new(kit: PlayerContext, likely: Likely) -> Brain {
        Brain { kit, likely, named: None, player: None, punctual: Punctual::default() }
    }

    /// The game.
    pub fn game(&self) -> &outplay_core::AnyGame {
        &self.kit.game
    }

    /// Sets the player; `None` for the strongest available one.
    ///
    /// # Errors
    ///
    /// A player that the game does not support.
    pub fn name(&mut self, spec: Option<&str>) -> Result<(), PlayError> {
        if let Some(spec) = spec {
            self.kit.player(spec)?;
        }
        self.named = spec.map(str::to_string);
        self.player = None;
        Ok(())
    }

    /// Starts a new game.
    pub fn begin(&mut self) {
        if let Some((_, player)) = &mut self.player {
            player.begin(0);
        }
    }

    /// Returns a move at an unfinished position where a player is to move. At the deadline, or when `monitor` stops, it
    /// is the best move of the last finished iteration. If the player returns no move, `greedy` moves, and a note
    /// reports it.
    ///
    /// # Errors
    ///
    /// A position without moves.
    pub fn think(
        &mut self,
        pos: &AnyPosition,
        budget: &MoveLimits,
        monitor: &dyn Monitor,
    ) -> Result<ChosenMove, PlayError> {
        let began = Instant::now();
        let limited = budget.depth.is_some() || budget.nodes.is_some();
        let usual = (self.named.is_none() && !limited && !budget.infinite).then_some(DEFAULT_TIME);
        let end = budget.time.or(usual).map(|time| self.punctual.end(began, time));
        let clock = Deadline::until(end, monitor).silent();
        let thought = match self.named.clone() {
            Some(spec) => self.ask(&spec, pos, &clock),
            None => self.strongest(pos, budget, &clock),
        };
        if let Some(end) = end {
            self.punctual.made(end);
        }
        let thought = match thought {
            Err(PlayError::NoMove) => return Err(PlayError::NoMove),
            Err(error) => {
                let stopped = clock.stopped();
                let choice = self.kit.player("greedy")?.choose(pos, &outplay_runtime::NoMonitor)?;
                ChosenMove { choice: Choice { stopped, ..choice }, note: Some(self.fallback_note(&error)) }
            }
            Ok(choice) => ChosenMove { choice, note: None },
        };
        // An infinite search is answered only after `stop`, even if it has finished (as in UCI).
        while budget.infinite && !clock.stopped() {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(thought)
    }

    /// The note that `greedy` moves because the player has no move.
    fn fallback_note(&self, error: &PlayError) -> String {
        let player = self.named.as_deref().unwrap_or("auto");
        let why = match error {
            PlayError::Stopped => "it was stopped before its first iteration was finished".to_string(),
            other => other.to_string(),
        };
        escape_controls(&format!("player `{player}` returned no move ({why}); `greedy` moves instead"))
    }

    fn strongest(
        &mut self,
        pos: &AnyPosition,
        budget: &MoveLimits,
        clock: &Deadline<'_>,
    ) -> Result<Choice, PlayError> {
        let mut limits = Vec::new();
        limits.extend(budget.depth.map(|depth| format!("depth={depth}")));
        limits.extend(budget.nodes.map(|nodes| format!("nodes={nodes}")));
        if !limits.is_empty() {
            return self.ask(&self.kit.looking(&limits.join(",")), pos, clock);
        }
        let mut quick = None;
        if let Some(truth) = self.kit.truth.clone().filter(|_| (self.likely)(pos)) {
            let looking = self.kit.player(&self.kit.looking(QUICK_LIMIT));
            let share = clock.within(clock.rest().unwrap_or(DEFAULT_TIME) / 20);
            quick = looking.and_then(|mut player| player.choose(pos, &share)).ok();
            let share = clock.within(clock.rest().map_or(Duration::MAX, |rest| rest * 2 / 5)).silent();
            if let Ok(Some(best)) = truth.best(pos, &share)
                && let Some(&mv) = best.moves.first()
            {
                let opinion = match best.merit {
                    MoveValue::Value(value) => f64::from(value.payoff().signum()) * 100.0,
                    MoveValue::Mean(mean) => 100.0 * mean,
                };
                let choice = Choice { opinion: Some(opinion), line: vec![mv], depth: 1, ..Choice::plain(mv) };
                return Ok(choice.after_sight(1));
            }
        }
        let looked = self.ask(&self.kit.looking(OPEN_LIMIT), pos, clock);
        looked.or_else(|error| quick.map(|choice| Choice { stopped: true, ..choice }).ok_or(error))
    }

    fn ask(&mut self, spec: &str, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        let mut player = match self.player.take() {
            Some((known, player)) if known == spec => player,
            _ => {
                let mut player = self.kit.player(spec)?;
                player.begin(0);
                player
            }
        };
        let choice = player.choose(pos, monitor);
        self.player = Some((spec.to_string(), player));
        choice
    }

    /// Searches on a second thread while reading input. `react` decides for each line whether to stop the search; other
    /// lines are queued, and a line that ends the session comes last. After the end of the input the search runs for a
    /// limited time only, and an infinite search is stopped at once.
    pub(crate) fn think_while_reading(
        &mut self,
        pos: &AnyPosition,
        budget: &MoveLimits,
        input: &mut Input,
        monitor: &dyn Monitor,
        react: &mut dyn FnMut(&str) -> InputAction,
    ) -> Result<ChosenMove, PlayError> {
        let stop = StopFlag::default();
        let linger = match budget {
            MoveLimits { infinite: true, .. } => Duration::ZERO,
            MoveLimits { time: Some(_), .. } => TIMED_LINGER,
            _ => LINGER,
        };
        std::thread::scope(|scope| {
            let thought = scope.spawn(|| self.think(pos, budget, &stop));
            let (mut until, mut last): (Option<Instant>, Option<String>) = (None, None);
            while !thought.is_finished() {
                if monitor.stopped() || until.is_some_and(|until| Instant::now() >= until) {
                    stop.set();
                }
                let heard = match input.lines.recv_timeout(POLL_INTERVAL) {
                    Ok(line) => match react(&line) {
                        InputAction::Later => {
                            input.queue.push_back(line);
                            InputAction::Done
                        }
                        InputAction::End => {
                            last = Some(line);
                            InputAction::End
                        }
                        heard => heard,
                    },
                    Err(RecvTimeoutError::Timeout) => InputAction::Done,
                    Err(RecvTimeoutError::Disconnected) => {
                        std::thread::sleep(POLL_INTERVAL);
                        InputAction::End
                    }
                };
                match heard {
                    InputAction::Stop => stop.set(),
                    InputAction::End => until = until.or_else(|| Some(Instant::now() + linger)),
                    InputAction::Done | InputAction::Later => {}
                }
            }
            input.queue.extend(last);
            thought.join().unwrap_or(Err(PlayError::Stopped))
        })
    }
}

/// Interval at which input and monitor are polled during a search.
const POLL_INTERVAL: Duration = Duration::from_millis(1);

/// The effect of an input line on a running search.
pub(crate) enum InputAction {
    /// Stop the search.
    Stop,
    /// End of the session: the search continues for a limited time.
    End,
    /// No effect; the line is handled.
    Done,
    /// No effect; the line is queued.
    Later,
}

/// Subtracts the communication overhead from the time of a move.
pub(crate) fn minus_overhead(time: Duration) -> Duration {
    time.saturating_sub((time / 10).min(Duration::from_millis(15))).max(Duration::from_millis(1))
}

/// Elapsed time in milliseconds.
pub(crate) fn milliseconds(since: Instant) -> u128 {
    since.elapsed().as_millis()
}

/// An exact oracle without values, for tests.
#[cfg(test)]
pub(crate) struct EmptyOracle;

#[cfg(test)]
impl outplay_players::ExactOracle for EmptyOracle {
    fn moves(
        &self,
        _pos: &AnyPosition,
        _monitor: &dyn Monitor,
    ) -> Result<Option<outplay_players::MoveValues>, PlayError> {
        Ok(None)
    }
}
