//! Referee: plays one game between two untrusted players.
//!
//! Invariant: a fault of a player (an illegal move, a panic, a time overrun) forfeits its game, and never ends the
//! match. Every move is checked against the rules.

use crate::opening::Opening;
use crate::seed::part;
use outplay_core::{AnyMove, AnyPosition, Chance, Counters, Game, Payoff, Turn};
use outplay_players::{Choice, Fault, PlayError, Player, PlayerContext};
use outplay_runtime::{Deadline, Monitor};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Limits of a game besides the rules: maximum length and time per move.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct House {
    /// A longer game is a draw.
    pub plies: u32,
    /// Time limit of a move; a player that exceeds it by more than 10 % plus 50 ms loses.
    pub time: Option<Duration>,
}

/// Default ply limit.
pub const MOST_PLIES: u32 = 2000;

impl Default for House {
    fn default() -> House {
        House { plies: MOST_PLIES, time: None }
    }
}

/// Why a game ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum End {
    /// By the rules of the game.
    Rules,
    /// A position occurred for the third time: a draw.
    Repetition,
    /// The ply limit, or a chance node without outcomes: a draw.
    Plies,
    /// The player to move panicked and loses.
    Crash,
    /// The player to move made an illegal move and loses.
    Illegal,
    /// The player to move exceeded its time limit and loses.
    Time,
    /// The player to move returned no move and loses.
    Refusal,
}

impl End {
    /// Whether the game was lost by a fault rather than by moves.
    pub fn is_fault(self) -> bool {
        matches!(self, End::Crash | End::Illegal | End::Time | End::Refusal)
    }
}

/// Time, memory and nodes that one player used for the moves of a game.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct ResourceUse {
    /// Moves made.
    pub moves: u64,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// Time of the slowest move in seconds.
    pub slowest: f64,
    /// Positions searched.
    pub nodes: u64,
    /// Peak memory of the player in bytes.
    pub bytes: u64,
    /// Search depth in plies, summed over the moves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plies: u64,
    /// Search counters.
    #[serde(default, skip_serializing_if = "Counters::is_bare")]
    pub counters: Counters,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl ResourceUse {
    /// Adds the resources of other moves.
    pub fn add(&mut self, other: &ResourceUse) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.slowest = self.slowest.max(other.slowest);
        self.nodes += other.nodes;
        self.bytes = self.bytes.max(other.bytes);
        self.plies += other.plies;
        self.counters += other.counters;
    }
}

/// A finished game, as the referee reports it.
#[derive(Clone, Debug)]
pub struct PlayedGame {
    /// All moves from the start, opening moves and dice rolls included.
    pub moves: Vec<AnyMove>,
    /// The first player's payoff.
    pub payoff: Payoff,
    /// The reason why it ended.
    pub end: End,
    /// The description of a player's fault.
    pub why: Option<String>,
    /// Resources used by the first and by the second player.
    pub spent: [ResourceUse; 2],
}

/// Samples a dice roll; `None` if the game has no dice.
pub(crate) fn roll(kit: &PlayerContext, pos: &AnyPosition, rng: &mut SmallRng) -> Option<AnyMove> {
    let mut falls = Vec::new();
    kit.game.outcomes(pos, &mut falls);
    let mut left: f64 = rng.random();
    // Rounded probabilities may add up to slightly less than 1; the last outcome takes the rest.
    let found = falls.iter().find(|(_, share)| {
        left -= share;
        left < 0.0
    });
    found.or(falls.last()).map(|(mv, _)| *mv)
}

/// Plays a game from an opening; `None` if it was stopped.
///
/// Players and dice have separate seeds, so that the two games of a pair can share the dice (common random numbers).
pub fn play(
    kit: &PlayerContext,
    opening: &Opening,
    players: [&mut dyn Player; 2],
    seeds: [u64; 2],
    house: &House,
    monitor: &dyn Monitor,
) -> Option<PlayedGame> {
    play_seen(kit, opening, players, seeds, house, &mut |_, _| {}, monitor)
}

/// The same, calling `seen_by` with every position before its next move, and with the final one, and with the moves
/// that led to it.
pub fn play_seen(
    kit: &PlayerContext,
    opening: &Opening,
    mut players: [&mut dyn Player; 2],
    [seed, dice]: [u64; 2],
    house: &House,
    seen_by: &mut dyn FnMut(&AnyPosition, &[AnyMove]),
    monitor: &dyn Monitor,
) -> Option<PlayedGame> {
    let game = &kit.game;
    let mut pos = opening.pos.clone();
    let mut played = PlayedGame {
        moves: opening.moves.clone(),
        payoff: 0,
        end: End::Rules,
        why: None,
        spent: [ResourceUse::default(); 2],
    };
    let mut rng = SmallRng::seed_from_u64(part(dice, 0));
    // Positions cannot repeat on boards where stones stay, and with dice a repetition is not forced.
    let repeats = !kit.game.has_board() && !kit.game.has_dice();
    let mut seen: FxHashMap<AnyPosition, u8> = FxHashMap::default();
    let mut legal = Vec::new();
    for (seat, player) in players.iter_mut().enumerate() {
        let seed = part(seed, seat as u64);
        if let Err(why) = catch_panic(|| player.begin(seed)) {
            return Some(lost(played, seat, End::Crash, why));
        }
    }
    loop {
        seen_by(&pos, &played.moves);
        if let Some(payoff) = game.outcome(&pos) {
            played.payoff = payoff;
            return Some(played);
        }
        if repeats {
            let times = seen.entry(pos.clone()).or_insert(0);
            *times += 1;
            if *times == 3 {
                played.end = End::Repetition;
                return Some(played);
            }
        }
        if played.moves.len() >= house.plies as usize {
            played.end = End::Plies;
            return Some(played);
        }
        if monitor.stopped() {
            return None;
        }
        let seat = match game.turn(&pos) {
            Turn::Chance => {
                let Some(mv) = roll(kit, &pos, &mut rng) else {
                    // The rules are at fault, not a player: the game is broken off as a draw.
                    played.end = End::Plies;
                    played.why = Some("the game lists no outcomes for its dice, so it cannot go on".into());
                    return Some(played);
                };
                played.moves.push(mv);
                pos = game.play(&pos, mv);
                continue;
            }
            Turn::First => 0,
            Turn::Second => 1,
        };
        let (mv, spent) = match ask(&mut *players[seat], &pos, house, monitor) {
            Ok(answer) => answer,
            Err(MoveFailure::Interrupt) => return None,
            Err(MoveFailure::Fault(end, why)) => return Some(lost(played, seat, end, why)),
        };
        played.spent[seat].add(&spent);
        legal.clear();
        game.moves(&pos, &mut legal);
        if !legal.contains(&mv) {
            return Some(lost(played, seat, End::Illegal, "made an illegal move".into()));
        }
        played.moves.push(mv);
        pos = game.play(&pos, mv);
    }
}

/// The reason for a missing move.
enum MoveFailure {
    /// The monitor stopped the game.
    Interrupt,
    /// A fault: the player loses.
    Fault(End, String),
}

/// Asks a player for its move, and measures time and memory.
fn ask(
    player: &mut dyn Player,
    pos: &AnyPosition,
    house: &House,
    monitor: &dyn Monitor,
) -> Result<(AnyMove, ResourceUse), MoveFailure> {
    let began = Instant::now();
    // The progress of a single move is not reported.
    let patience = Deadline::until(house.time.map(|time| began + time + time / 10), monitor).silent();
    let choice = catch_panic(|| player.choose(pos, &patience));
    let took = began.elapsed();
    let late = house.time.is_some_and(|time| took > time + time / 10 + Duration::from_millis(50));
    let fault = |end: End, why: &str| Err(MoveFailure::Fault(end, why.to_string()));
    let choice = match choice {
        Err(why) => return fault(End::Crash, &why),
        // The move of a stopped search does not count: an interrupt ends the game without a result, however long an
        // engine took to stop, and a player that the deadline had to stop has exceeded its time.
        Ok(Err(PlayError::Stopped) | Ok(Choice { stopped: true, .. })) if monitor.stopped() => {
            return Err(MoveFailure::Interrupt);
        }
        Ok(_) if late => {
            return fault(End::Time, &format!("took {:.3} s for a move", took.as_secs_f64()));
        }
        Ok(Err(PlayError::Stopped)) if patience.stopped() => {
            return fault(End::Time, "had found no move when its time was up");
        }
        Ok(Ok(choice)) if choice.stopped => {
            return fault(End::Time, "was still searching when its time was up");
        }
        Ok(Err(PlayError::Fault { fault: kind, why })) => {
            let end = match kind {
                Fault::Crash => End::Crash,
                Fault::Illegal => End::Illegal,
                Fault::Time => End::Time,
                Fault::Garbage => End::Refusal,
            };
            return fault(end, &why);
        }
        Ok(Err(error)) => return fault(End::Refusal, &error.to_string()),
        Ok(Ok(choice)) => choice,
    };
    let spent = ResourceUse {
        moves: 1,
        seconds: took.as_secs_f64(),
        slowest: took.as_secs_f64(),
        nodes: choice.nodes,
        bytes: player.bytes() as u64,
        plies: choice.depth.into(),
        counters: choice.counters,
    };
    Ok((choice.mv, spent))
}

/// The game as a loss of one player.
fn lost(played: PlayedGame, seat: usize, end: End, why: String) -> PlayedGame {
    PlayedGame { payoff: if seat == 0 { -1 } else { 1 }, end, why: Some(why), ..played }
}

/// Calls a player and converts a panic into its message.
fn catch_panic<T>(ask: impl FnOnce() -> T) -> Result<T, String> {
    // Unwind safety: the caller drops a player that panicked, so its inconsistent state is never observed.
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked".to_string())
    })
}
