//! Match runner: two players, or a round robin of more, play games from generated openings.
//!
//! The result has standings and statistics. A match that writes a game record can be interrupted and resumed, and games
//! that are already in the record count.

use crate::ArenaError;
use crate::contest::{Bout, Flow, GameRunner, NoSpectator, Spectator, round_robin};
use crate::opening::{Opening, listed, openings, plies_for};
use crate::record::{GameRecord, Header, RECORD_BYTES, Record};
use crate::referee::House;
use crate::replay::replay;
use crate::seed::part;
use crate::standings::{SprtRow, Standings, pairs_of};
use crate::stats::{Decision, Pairs, Sprt};
use outplay_core::{AnyPosition, Game, Notation};
use outplay_players::{Guest, PlayerContext};
use outplay_runtime::Monitor;
use outplay_workbench::export::fingerprint;
use outplay_workbench::{GameHandle, PositionRef, Session, Trouble};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// The settings of a match.
///
/// # Examples
///
/// ```
/// use outplay_arena::matches::MatchRequest;
///
/// let mut request = MatchRequest::default();
/// request.players = vec!["random".into(), "greedy".into()];
/// request.games = 20;
/// ```
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct MatchRequest {
    /// The players' specs, two or more.
    pub players: Vec<String>,
    /// Games per pairing; each opening is played twice, the last of an odd number once.
    pub games: u64,
    /// Plies of random openings; by default, enough for sufficiently many different openings.
    pub openings: Option<u32>,
    /// Opening book: a line of moves each, instead of random openings.
    pub opening_lines: Option<Vec<String>>,
    /// Random seed of openings, dice and players.
    pub seed: u64,
    /// Games played concurrently.
    pub concurrency: usize,
    /// A sequential test that ends the match once it is decided.
    pub sprt: Option<Sprt>,
    /// Ply limit and time limit of a game.
    pub house: House,
    /// Whether moves are compared with exact values.
    pub judged: bool,
    /// The file to which games are written.
    pub out: Option<PathBuf>,
    /// Whether to resume the match in that file.
    pub resume: bool,
    /// Earlier games of this match that count, if it has no file.
    pub played: Vec<GameRecord>,
    /// Maximal size in bytes of a record to resume.
    pub record_bytes: u64,
}

impl Default for MatchRequest {
    /// 100 games, one at a time, without players; moves are not compared with exact values, and no file is written.
    fn default() -> MatchRequest {
        MatchRequest {
            players: Vec::new(),
            games: 100,
            openings: None,
            opening_lines: None,
            seed: 1,
            concurrency: 1,
            sprt: None,
            house: House::default(),
            judged: false,
            out: None,
            resume: false,
            played: Vec::new(),
            record_bytes: RECORD_BYTES,
        }
    }
}

/// The result of a match: standings, statistics and settings.
#[derive(Clone, Debug, Serialize)]
pub struct MatchReport {
    /// The game's canonical spec.
    pub game: String,
    /// The position from which openings are played, if not the start of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Plies of the openings.
    pub openings: u32,
    /// Random seed.
    pub seed: u64,
    /// Scheduled games.
    pub planned: u64,
    /// Results by player and by pairing.
    #[serde(flatten)]
    pub standings: Standings,
    /// The sequential test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtRow>,
    /// Whether the match was stopped before its end.
    pub stopped: bool,
    /// The first few faults of players, a sentence each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Wall-clock time in seconds.
    pub seconds: f64,
    /// The file to which the games were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// Maximal games of a match: schedule and openings are held in memory, about 200 bytes a game.
pub(crate) const MOST_GAMES: u64 = 1_000_000;

/// Maximal number of faults in a report.
const FAULTS: usize = 5;

/// Plays a match of a game of the catalog from a position, with the exact values that the session provides.
///
/// # Errors
///
/// An invalid position, and as [`run`].
pub fn compete(
    session: &Session,
    entry: &GameHandle,
    place: &PositionRef,
    request: &MatchRequest,
    monitor: &dyn Monitor,
) -> Result<MatchReport, Trouble> {
    compete_games(session, entry, place, request, monitor).map(|(report, _)| report)
}

/// The same, and also returns the counted games in order.
///
/// # Errors
///
/// As [`compete`].
pub fn compete_games(
    session: &Session,
    entry: &GameHandle,
    place: &PositionRef,
    request: &MatchRequest,
    monitor: &dyn Monitor,
) -> Result<(MatchReport, Vec<GameRecord>), Trouble> {
    let start = entry.locate(place)?;
    let position = (*place != PositionRef::Start).then(|| entry.game().write_position(&start));
    Ok(play(&match_kit(session, entry), &start, position, request, monitor)?)
}

/// Plays a match with a spectator, between players without access to files and external engines; `guests` play under
/// their names.
///
/// # Errors
///
/// As [`compete`].
pub fn compete_seen(
    session: &Session,
    entry: &GameHandle,
    place: &PositionRef,
    request: &MatchRequest,
    guests: Vec<Guest>,
    spectator: &dyn Spectator,
    monitor: &dyn Monitor,
) -> Result<(MatchReport, Vec<GameRecord>), Trouble> {
    let start = entry.locate(place)?;
    let position = (*place != PositionRef::Start).then(|| entry.game().write_position(&start));
    let kit = PlayerContext { files: None, outside: None, guests, ..match_kit(session, entry) };
    Ok(play_seen(&kit, &start, position, request, spectator, monitor)?)
}

fn match_kit(session: &Session, entry: &GameHandle) -> PlayerContext {
    // Games run concurrently, so each uses one thread for exact values.
    outplay_workbench::kit(&session.on_threads(1).impartial(), entry)
}

/// Plays a match from `start` (`position` is its notation if it is not the start of the game).
///
/// # Errors
///
/// Fewer than two players, no games, an invalid player, or an unusable file. A stop is not an error: the games
/// played so far count.
pub fn run(
    kit: &PlayerContext,
    start: &AnyPosition,
    position: Option<String>,
    request: &MatchRequest,
    monitor: &dyn Monitor,
) -> Result<MatchReport, ArenaError> {
    play(kit, start, position, request, monitor).map(|(report, _)| report)
}

/// The same, and also returns the counted games in order.
///
/// # Errors
///
/// As [`run`].
pub fn play(
    kit: &PlayerContext,
    start: &AnyPosition,
    position: Option<String>,
    request: &MatchRequest,
    monitor: &dyn Monitor,
) -> Result<(MatchReport, Vec<GameRecord>), ArenaError> {
    play_seen(kit, start, position, request, &NoSpectator, monitor)
}

/// The same with a spectator.
///
/// # Errors
///
/// As [`run`].
pub fn play_seen(
    kit: &PlayerContext,
    start: &AnyPosition,
    position: Option<String>,
    request: &MatchRequest,
    spectator: &dyn Spectator,
    monitor: &dyn Monitor,
) -> Result<(MatchReport, Vec<GameRecord>), ArenaError> {
    let began = Instant::now();
    check(kit, start, request)?;
    let names: Result<Vec<String>, _> =
        request.players.iter().map(|spec| Ok(kit.player(spec)?.spec())).collect();
    let players: Vec<String> = names.map_err(|error: outplay_players::PlayError| ArenaError::from(error))?;
    let (plies, found) = chosen_openings(kit, start, request, monitor)?;
    let header = Header {
        position: position.clone(),
        games: request.games,
        opening_list: request.opening_lines.as_ref().map(|lines| fingerprint(lines)),
        openings: plies,
        seed: request.seed,
        plies: request.house.plies,
        time: request.house.time.map(|time| time.as_secs_f64()),
        ..Header::new(kit.game.spec(), players.clone())
    };
    let (mut record, mut games) = recorded(request, &header)?;
    let bouts = round_robin(players.len(), request.games as usize);
    games.retain(|game| (game.number as usize) < bouts.len());
    check_replays(kit, start, &found, &bouts, request, &games)?;
    let mut table = Scoreboard::new(&players, bouts.len(), request.sprt);
    for game in &games {
        table.add(game);
    }
    let left: Vec<_> = bouts.iter().filter(|bout| !table.has(bout.number)).copied().collect();
    monitor.stage("playing games", bouts.len() as u64);
    monitor.advance(games.len() as u64);
    if table.decision() == Decision::Open && !left.is_empty() {
        let runner = GameRunner {
            kit,
            start,
            openings: &found,
            players: &players,
            house: request.house,
            seed: request.seed,
            judged: request.judged,
            threads: request.concurrency,
            spectator,
        };
        runner.play(&left, monitor, |game| {
            if let Some(record) = &mut record {
                record.add(&game)?;
            }
            table.add(&game);
            spectator.ended(&game);
            games.push(game);
            monitor.status(&table.line());
            monitor.advance(1);
            Ok(if table.decision() == Decision::Open { Flow::On } else { Flow::Enough })
        })?;
    }
    games.sort_by_key(|game| game.number);
    // Games after the one that decided the test depend on the number of threads, and do not count.
    if let Some(count) = table.decided {
        games.retain(|game| game.number < count);
    }
    let sprt = request.sprt.map(|sprt| SprtRow::new(sprt, &pairs_of(&games, 0, 1)));
    let whole = sprt.is_some_and(|row| row.decision != Decision::Open) || games.len() == bouts.len();
    let report = MatchReport {
        game: kit.game.spec(),
        position,
        openings: plies,
        seed: request.seed,
        planned: bouts.len() as u64,
        standings: Standings::new(&players, &games),
        sprt,
        stopped: !whole,
        faults: games.iter().filter_map(|game| fault(game, &players)).take(FAULTS).collect(),
        seconds: began.elapsed().as_secs_f64(),
        out: request.out.as_ref().map(|path| path.display().to_string()),
    };
    Ok((report, games))
}

/// Validates the settings of a match.
fn check(kit: &PlayerContext, start: &AnyPosition, request: &MatchRequest) -> Result<(), ArenaError> {
    let unable = |why: &str| Err(ArenaError::Unable(why.into()));
    let players = request.players.len();
    if players < 2 {
        return unable("a match needs at least two players; add another player");
    }
    if request.games == 0 {
        return unable("a match needs at least one game; ask for 2 or more");
    }
    let pairings = (players * (players - 1) / 2) as u64;
    ArenaError::unless_at_most("games in a match", pairings.saturating_mul(request.games), MOST_GAMES)?;
    if request.sprt.is_some() && players > 2 {
        return unable("a sequential test (SPRT) compares two players; leave the others out");
    }
    if kit.game.outcome(start).is_some() {
        return unable("the game is over in that position; choose another start position");
    }
    Ok(())
}

/// Returns an opening for each pair of games, and the plies of the longest.
fn chosen_openings(
    kit: &PlayerContext,
    start: &AnyPosition,
    request: &MatchRequest,
    monitor: &dyn Monitor,
) -> Result<(u32, Vec<Opening>), ArenaError> {
    let pairs = request.games.div_ceil(2);
    if let Some(lines) = &request.opening_lines {
        let found = listed(kit, start, lines, pairs as usize)?;
        return Ok((found.iter().map(|opening| opening.moves.len() as u32).max().unwrap_or(0), found));
    }
    let plies = request.openings.unwrap_or_else(|| plies_for(kit, start, pairs));
    Ok((plies, openings(kit, start, plies, pairs as usize, part(request.seed, 0), monitor)?))
}

/// Opens the record, if there is one, and returns the earlier games.
fn recorded(
    request: &MatchRequest,
    header: &Header,
) -> Result<(Option<Record>, Vec<GameRecord>), ArenaError> {
    Ok(match &request.out {
        None if request.resume => {
            return Err(ArenaError::Unable(
                "no record file is given, so there is no match to resume; give the file that the match was recorded in".into(),
            ));
        }
        None => (None, request.played.clone()),
        Some(path) if request.resume => {
            let (record, games) = Record::resume(path, header, request.record_bytes)?;
            (Some(record), games)
        }
        Some(path) => (Some(Record::create(path, header)?), Vec::new()),
    })
}

/// Replays earlier games by the rules and the openings of this match.
fn check_replays(
    kit: &PlayerContext,
    start: &AnyPosition,
    openings: &[Opening],
    bouts: &[Bout],
    request: &MatchRequest,
    games: &[GameRecord],
) -> Result<(), ArenaError> {
    for game in games {
        let bout = &bouts[game.number as usize];
        if let Err(why) = replay(kit, start, &openings[bout.opening], bout, &request.house, game) {
            let why = format!("the record of game {} is inconsistent ({why})", game.number + 1);
            return Err(match &request.out {
                Some(path) => ArenaError::file(path, why + "; remove its line to resume"),
                None => ArenaError::Unable(why + "; start the match again"),
            });
        }
    }
    Ok(())
}

/// The fault that decided a game, as a sentence.
fn fault(game: &GameRecord, players: &[String]) -> Option<String> {
    let loser = if game.payoff < 0 { game.first } else { game.second };
    game.why.as_ref().map(|why| format!("game {}: {} {why}", game.number + 1, players[loser]))
}

/// The running score, and the sequential test over the complete prefix of pairs.
struct Scoreboard {
    sprt: Option<Sprt>,
    names: Vec<String>,
    half_points: Vec<usize>,
    /// Half points of the first of the two players by game number; games end in any order.
    known: Vec<Option<usize>>,
    games: u64,
    /// Games that count in the test so far.
    counted: usize,
    pairs: Pairs,
    verdict: Decision,
    /// The number of games after which the test was decided.
    decided: Option<u64>,
}

impl Scoreboard {
    fn new(players: &[String], bouts: usize, sprt: Option<Sprt>) -> Scoreboard {
        Scoreboard {
            sprt,
            names: players.to_vec(),
            half_points: vec![0; players.len()],
            known: vec![None; bouts],
            games: 0,
            counted: 0,
            pairs: Pairs::default(),
            verdict: Decision::Open,
            decided: None,
        }
    }

    fn has(&self, number: u64) -> bool {
        self.known[number as usize].is_some()
    }

    fn add(&mut self, game: &GameRecord) {
        self.games += 1;
        self.half_points[game.first] += game.half_points(game.first);
        self.half_points[game.second] += game.half_points(game.second);
        self.known[game.number as usize] = Some(game.half_points(0));
        let Some(sprt) = self.sprt else { return };
        // The test counts pairs in schedule order, so that its decision does not depend on thread timing.
        while self.decided.is_none()
            && let Some([Some(a), Some(b)]) = self.known.get(self.counted..self.counted + 2)
        {
            self.pairs.add(a + b);
            self.counted += 2;
            self.verdict = sprt.decide(&self.pairs);
            if self.verdict != Decision::Open {
                self.decided = Some(self.counted as u64);
            }
        }
    }

    fn decision(&self) -> Decision {
        self.verdict
    }

    /// The running score as status text.
    fn line(&self) -> String {
        let points = |place: usize| self.half_points[place] as f64 / 2.0;
        let mut text = match self.names.len() {
            2 => format!("{} : {}", points(0), points(1)),
            count => {
                let leader = (0..count).max_by(|&a, &b| points(a).total_cmp(&points(b))).unwrap_or(0);
                format!("{} leads with {}", self.names[leader], points(leader))
            }
        };
        if let Some(sprt) = self.sprt {
            let (low, high) = sprt.bounds();
            let ratio = self.pairs.likelihood_ratio(sprt.elo0, sprt.elo1);
            text += &format!(", SPRT {ratio:.2} in [{low:.2}, {high:.2}]");
        }
        text
    }
}
