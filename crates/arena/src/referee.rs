//! One game between two players, whatever they do.
//!
//! Invariant: a player can lose a game here, but it can neither end the match nor play on after an illegal
//! move, a panic or a move that took too long. Nothing a player returns is trusted.

use crate::opening::Opening;
use crate::seed::part;
use outplay_core::{AnyMove, AnyPosition, Chance, Counters, Deadline, Game, Payoff, Turn, Watch};
use outplay_players::{Fault, Kit, PlayError, Player};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// The house rules: what ends a game besides its own rules.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct House {
    /// A game that lasts longer is a draw.
    pub plies: u32,
    /// A player who thinks longer about a move loses; a tenth and 50 ms are granted.
    pub time: Option<Duration>,
}

/// Long enough for every game that gets anywhere.
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
    /// The rules say so.
    Rules,
    /// A position occurred for the third time: a draw.
    Repetition,
    /// It lasted too long: a draw.
    Plies,
    /// The player to move panicked and loses.
    Crash,
    /// The player to move made an illegal move and loses.
    Illegal,
    /// The player to move thought too long and loses.
    Time,
    /// The player to move had no answer and loses.
    Refusal,
}

impl End {
    /// Whether the game was lost by a fault rather than by moves.
    pub fn is_fault(self) -> bool {
        matches!(self, End::Crash | End::Illegal | End::Time | End::Refusal)
    }
}

/// What the moves of one player took.
#[derive(Clone, Copy, PartialEq, Debug, Default, Serialize, Deserialize)]
pub struct Spent {
    /// Moves made.
    pub moves: u64,
    /// Time on the wall, in seconds.
    pub seconds: f64,
    /// The longest a move took, in seconds.
    pub slowest: f64,
    /// Positions looked at.
    pub nodes: u64,
    /// Bytes that the player held on to at most.
    pub bytes: u64,
    /// Plies looked ahead, summed over the moves.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub plies: u64,
    /// What searches did.
    #[serde(default, skip_serializing_if = "Counters::is_bare")]
    pub counters: Counters,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl Spent {
    /// Adds what other moves took.
    pub fn add(&mut self, other: &Spent) {
        self.moves += other.moves;
        self.seconds += other.seconds;
        self.slowest = self.slowest.max(other.slowest);
        self.nodes += other.nodes;
        self.bytes = self.bytes.max(other.bytes);
        self.plies += other.plies;
        self.counters += other.counters;
    }
}

/// A game that was played.
#[derive(Clone, Debug)]
pub struct Played {
    /// All moves from the start, the opening's and the falls of dice included.
    pub moves: Vec<AnyMove>,
    /// What the first player gets.
    pub payoff: Payoff,
    /// Why it ended.
    pub end: End,
    /// What exactly a player did wrong.
    pub why: Option<String>,
    /// What the moves of the first and of the second player took.
    pub spent: [Spent; 2],
}

/// One fall of the dice; `None` if the game has none to roll.
pub(crate) fn roll(kit: &Kit, pos: &AnyPosition, rng: &mut SmallRng) -> Option<AnyMove> {
    let mut falls = Vec::new();
    kit.game.outcomes(pos, &mut falls);
    let mut left: f64 = rng.random();
    // Rounding may leave a crumb after the last fall.
    let found = falls.iter().find(|(_, share)| {
        left -= share;
        left < 0.0
    });
    found.or(falls.last()).map(|(mv, _)| *mv)
}

/// Plays a game from an opening; `None` if somebody asked to stop.
///
/// Each player's chance decisions follow from its own part of `seed`; the dice follow from `dice` alone, so that
/// two games can share them.
pub fn play(
    kit: &Kit,
    opening: &Opening,
    players: [&mut dyn Player; 2],
    seeds: [u64; 2],
    house: &House,
    watch: &dyn Watch,
) -> Option<Played> {
    play_seen(kit, opening, players, seeds, house, &mut |_, _| {}, watch)
}

/// The same, showing every position and the moves that led to it before anybody moves on from there, and the last one.
pub fn play_seen(
    kit: &Kit,
    opening: &Opening,
    mut players: [&mut dyn Player; 2],
    [seed, dice]: [u64; 2],
    house: &House,
    seen_by: &mut dyn FnMut(&AnyPosition, &[AnyMove]),
    watch: &dyn Watch,
) -> Option<Played> {
    let game = &kit.game;
    let mut pos = opening.pos.clone();
    let mut played = Played {
        moves: opening.moves.clone(),
        payoff: 0,
        end: End::Rules,
        why: None,
        spent: [Spent::default(); 2],
    };
    let mut rng = SmallRng::seed_from_u64(part(dice, 0));
    // Stones that are placed stay, and dice make every repetition the chance of a new start.
    let repeats = !kit.game.has_board() && !kit.game.has_dice();
    let mut seen: FxHashMap<AnyPosition, u8> = FxHashMap::default();
    let mut legal = Vec::new();
    for (seat, player) in players.iter_mut().enumerate() {
        let seed = part(seed, seat as u64);
        if let Err(why) = caught(|| player.begin(seed)) {
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
        if watch.stopped() {
            return None;
        }
        let seat = match game.turn(&pos) {
            Turn::Chance => {
                let Some(mv) = roll(kit, &pos, &mut rng) else {
                    let why = "nobody knows how the dice of this game fall".to_string();
                    return Some(lost(played, 0, End::Refusal, why));
                };
                played.moves.push(mv);
                pos = game.play(&pos, mv);
                continue;
            }
            Turn::First => 0,
            Turn::Second => 1,
        };
        let player = &mut players[seat];
        let began = Instant::now();
        // Players' own progress is nobody's concern.
        let patience = Deadline::until(house.time.map(|time| began + time + time / 10), watch).silent();
        let choice = caught(|| player.choose(&pos, &patience));
        let took = began.elapsed();
        let late = house.time.is_some_and(|time| took > time + time / 10 + Duration::from_millis(50));
        let choice = match choice {
            Err(why) => return Some(lost(played, seat, End::Crash, why)),
            Ok(_) if late => {
                let why = format!("thought {:.3} s about a move", took.as_secs_f64());
                return Some(lost(played, seat, End::Time, why));
            }
            Ok(Err(PlayError::Stopped)) if watch.stopped() => return None,
            Ok(Err(PlayError::Stopped)) if patience.stopped() => {
                return Some(lost(played, seat, End::Time, "had no move when time was up".into()));
            }
            Ok(Err(PlayError::Fault { fault, why })) => {
                let end = match fault {
                    Fault::Crash => End::Crash,
                    Fault::Illegal => End::Illegal,
                    Fault::Time => End::Time,
                    Fault::Garbage => End::Refusal,
                };
                return Some(lost(played, seat, end, why));
            }
            Ok(Err(error)) => return Some(lost(played, seat, End::Refusal, error.to_string())),
            Ok(Ok(choice)) => choice,
        };
        let spent = Spent {
            moves: 1,
            seconds: took.as_secs_f64(),
            slowest: took.as_secs_f64(),
            nodes: choice.nodes,
            bytes: player.bytes() as u64,
            plies: choice.depth.into(),
            counters: choice.counters,
        };
        played.spent[seat].add(&spent);
        legal.clear();
        game.moves(&pos, &mut legal);
        if !legal.contains(&choice.mv) {
            return Some(lost(played, seat, End::Illegal, "made an illegal move".into()));
        }
        played.moves.push(choice.mv);
        pos = game.play(&pos, choice.mv);
    }
}

/// The game as lost by the player in a seat.
fn lost(played: Played, seat: usize, end: End, why: String) -> Played {
    Played { payoff: if seat == 0 { -1 } else { 1 }, end, why: Some(why), ..played }
}

/// What a player answers, or what it said when it panicked.
fn caught<T>(ask: impl FnOnce() -> T) -> Result<T, String> {
    // A player that panicked is thrown away by whoever made it, so nobody sees what it left half done.
    catch_unwind(AssertUnwindSafe(ask)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|text| (*text).to_string());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "panicked".to_string())
    })
}
