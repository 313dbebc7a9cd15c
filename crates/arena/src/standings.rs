//! Standings of a match: wins, draws and losses, Elo differences and move accuracy, by player and by pairing.

use crate::ratings::{CrossTable, Rating, ratings};
use crate::record::GameRecord;
use crate::referee::{End, ResourceUse};
use crate::scrutiny::Scrutiny;
use crate::stats::{Decision, Pairs, Sprt, Strength};
use outplay_core::Counters;
use rustc_hash::{FxHashMap, FxHashSet};
use serde::Serialize;

/// Counts of wins, draws and losses.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default, Serialize)]
pub struct Tally {
    /// Games won.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost.
    pub losses: u64,
}

impl Tally {
    fn add(&mut self, half_points: usize) {
        match half_points {
            0 => self.losses += 1,
            1 => self.draws += 1,
            _ => self.wins += 1,
        }
    }

    /// All games.
    pub fn games(&self) -> u64 {
        self.wins + self.draws + self.losses
    }

    /// Points per game; ½ without games.
    pub fn score(&self) -> f64 {
        if self.games() == 0 {
            0.5
        } else {
            (self.wins as f64 + 0.5 * self.draws as f64) / self.games() as f64
        }
    }
}

/// The accuracy of a player's moves in all games, by exact values.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
pub struct MoveAccuracy {
    /// Moves whose value is known.
    pub moves: u64,
    /// The share of them that preserved the value.
    pub kept: Option<f64>,
    /// Moves at positions where some move loses value.
    pub choices: u64,
    /// The share of them that preserved the value.
    pub kept_choices: Option<f64>,
    /// Those of them at quiet positions: neither side could win at once.
    pub quiet: u64,
    /// The share of them that preserved the value.
    pub kept_quiet: Option<f64>,
    /// Games with an error.
    pub games_with_error: u64,
    /// The mean ply of the first error, over those games.
    pub first_error: Option<f64>,
}

/// Results of one player in a match: a row of the standings.
#[derive(Clone, Debug, Serialize)]
pub struct PlayerRow {
    /// The canonical spec.
    pub player: String,
    /// All games.
    pub games: u64,
    /// By result.
    #[serde(flatten)]
    pub tally: Tally,
    /// Those in which it moved first.
    pub as_first: Tally,
    /// Those in which it moved second.
    pub as_second: Tally,
    /// Points per game.
    pub score: f64,
    /// Against all opponents together.
    pub strength: Strength,
    /// The probability of being stronger than the field.
    pub superiority: f64,
    /// Pairs by points 0, ½, 1, 1½, 2.
    pub pairs: Pairs,
    /// The mean time of a move in milliseconds.
    pub ms_per_move: f64,
    /// The longest time of a move in milliseconds.
    pub slowest_ms: f64,
    /// The mean number of positions searched for a move.
    pub nodes_per_move: f64,
    /// The mean search depth of a move in plies.
    pub depth_per_move: f64,
    /// Search counters, over all moves.
    pub counters: Counters,
    /// Peak memory in bytes.
    pub bytes: u64,
    /// Games lost by a panic.
    pub crashes: u64,
    /// Games lost by an illegal move.
    pub illegal: u64,
    /// Games lost on time.
    pub timeouts: u64,
    /// Games lost because the player returned no move.
    pub refusals: u64,
    /// Accuracy by exact values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub judged: Option<MoveAccuracy>,
}

/// Results of one pairing of players in a match: a row of the standings.
#[derive(Clone, Debug, Serialize)]
pub struct PairingRow {
    /// The first player of the pairing.
    pub player: String,
    /// The second player of the pairing.
    pub opponent: String,
    /// Results of the first player.
    #[serde(flatten)]
    pub tally: Tally,
    /// Points per game of the first player.
    pub score: f64,
    /// Elo difference of the first player to the second.
    pub strength: Strength,
    /// The probability that the first player is stronger.
    pub superiority: f64,
    /// Pairs by points 0, ½, 1, 1½, 2.
    pub pairs: Pairs,
}

/// A sequential probability ratio test (SPRT) and its current state.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct SprtRow {
    /// The test.
    #[serde(flatten)]
    pub sprt: Sprt,
    /// The log-likelihood ratio.
    pub ratio: f64,
    /// At or below this, H0 is accepted.
    pub low: f64,
    /// At or above this, H1 is accepted.
    pub high: f64,
    /// The decision.
    pub decision: Decision,
}

impl SprtRow {
    /// The test after these pairs.
    pub fn new(sprt: Sprt, pairs: &Pairs) -> SprtRow {
        let (low, high) = sprt.bounds();
        let ratio = pairs.likelihood_ratio(sprt.elo0, sprt.elo1);
        SprtRow { sprt, ratio, low, high, decision: sprt.decide(pairs) }
    }
}

/// Standings of a match: results by player and by pairing.
#[derive(Clone, Debug, Serialize)]
pub struct Standings {
    /// Every player, in the order given.
    pub players: Vec<PlayerRow>,
    /// Every pairing.
    pub pairings: Vec<PairingRow>,
    /// Bradley-Terry ratings of three and more players; empty for two.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub ratings: Vec<Rating>,
    /// The cross table of three and more players.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cross_table: Option<CrossTable>,
    /// Games played.
    pub games: u64,
    /// Games with different moves.
    pub distinct_games: u64,
}

/// Counts the complete pairs of games by the points of player `a` against `b`.
pub fn pairs_of<'a>(games: impl IntoIterator<Item = &'a GameRecord>, a: usize, b: usize) -> Pairs {
    let mut open: FxHashMap<u64, usize> = FxHashMap::default();
    let mut pairs = Pairs::default();
    for game in games {
        if (game.first, game.second) != (a, b) && (game.first, game.second) != (b, a) {
            continue;
        }
        let points = game.half_points(a);
        match open.remove(&game.opening) {
            Some(other) => pairs.add(points + other),
            None => {
                open.insert(game.opening, points);
            }
        }
    }
    pairs
}

impl Standings {
    /// The standings after these games.
    pub fn new(players: &[String], games: &[GameRecord]) -> Standings {
        let mut pairings = Vec::new();
        let mut fields = vec![Pairs::default(); players.len()];
        for a in 0..players.len() {
            for b in a + 1..players.len() {
                let pairs = pairs_of(games, a, b);
                let flipped = pairs.flipped();
                for i in 0..5 {
                    fields[a].0[i] += pairs.0[i];
                    fields[b].0[i] += flipped.0[i];
                }
                let mut tally = Tally::default();
                let met = |game: &&GameRecord| {
                    (game.first, game.second) == (a, b) || (game.first, game.second) == (b, a)
                };
                games.iter().filter(met).for_each(|game| tally.add(game.half_points(a)));
                pairings.push(PairingRow {
                    player: players[a].clone(),
                    opponent: players[b].clone(),
                    tally,
                    score: tally.score(),
                    strength: pairs.strength(),
                    superiority: pairs.superiority(),
                    pairs,
                });
            }
        }
        let row = |(place, spec): (usize, &String)| player_row(place, spec, games, &fields[place]);
        let distinct: FxHashSet<&str> = games.iter().map(|game| game.moves.as_str()).collect();
        let cross_table = (players.len() > 2).then(|| CrossTable::new(players.len(), games));
        Standings {
            ratings: cross_table.as_ref().map(|table| ratings(players, table)).unwrap_or_default(),
            cross_table,
            players: players.iter().enumerate().map(row).collect(),
            pairings,
            games: games.len() as u64,
            distinct_games: distinct.len() as u64,
        }
    }
}

fn player_row(place: usize, spec: &str, games: &[GameRecord], pairs: &Pairs) -> PlayerRow {
    let (mut tally, mut sides, mut spent) = (Tally::default(), [Tally::default(); 2], ResourceUse::default());
    let mut faults: FxHashMap<&'static str, u64> = FxHashMap::default();
    let mut scrutiny = Scrutiny::default();
    let (mut judged, mut errors, mut error_plies) = (false, 0u64, 0u64);
    for game in games.iter().filter(|game| game.first == place || game.second == place) {
        let seat = usize::from(game.second == place);
        let points = game.half_points(place);
        tally.add(points);
        sides[seat].add(points);
        spent.add(&game.spent[seat]);
        if points == 0 {
            let name = match game.end {
                End::Crash => "crash",
                End::Illegal => "illegal",
                End::Time => "time",
                End::Refusal => "refusal",
                _ => "",
            };
            *faults.entry(name).or_default() += 1;
        }
        if let Some(found) = game.scrutiny.as_ref().map(|found| &found[seat]) {
            judged = true;
            scrutiny.all.join(&found.all);
            scrutiny.choices.join(&found.choices);
            scrutiny.quiet.join(&found.quiet);
            if let Some(ply) = found.first_error {
                errors += 1;
                error_plies += u64::from(ply);
            }
        }
    }
    let fault = |name: &str| faults.get(name).copied().unwrap_or(0);
    let per_move = |sum: f64| if spent.moves == 0 { 0.0 } else { sum / spent.moves as f64 };
    PlayerRow {
        player: spec.to_string(),
        games: tally.games(),
        tally,
        as_first: sides[0],
        as_second: sides[1],
        score: tally.score(),
        strength: pairs.strength(),
        superiority: pairs.superiority(),
        pairs: *pairs,
        ms_per_move: per_move(spent.seconds * 1e3),
        slowest_ms: spent.slowest * 1e3,
        nodes_per_move: per_move(spent.nodes as f64),
        depth_per_move: per_move(spent.plies as f64),
        counters: spent.counters,
        bytes: spent.bytes,
        crashes: fault("crash"),
        illegal: fault("illegal"),
        timeouts: fault("time"),
        refusals: fault("refusal"),
        judged: judged.then(|| MoveAccuracy {
            moves: scrutiny.all.moves,
            kept: scrutiny.all.share(),
            choices: scrutiny.choices.moves,
            kept_choices: scrutiny.choices.share(),
            quiet: scrutiny.quiet.moves,
            kept_quiet: scrutiny.quiet.share(),
            games_with_error: errors,
            first_error: (errors > 0).then(|| error_plies as f64 / errors as f64),
        }),
    }
}
