//! A match: openings, players, games, statistics, and a record that can be gone on with.

use crate::ArenaError;
use crate::contest::{Flow, Hall, Nobody, Spectator, round_robin};
use crate::opening::{listed, openings, plies_for};
use crate::record::{GameRecord, Header, Record, fingerprint};
use crate::referee::House;
use crate::replay::replay;
use crate::seed::part;
use crate::standings::{SprtRow, Standings, pairs_of};
use crate::stats::{Decision, Pairs, Sprt};
use outplay_answer::{Entry, Place, QueryOptions, Trouble};
use outplay_core::{AnyPosition, Game, Notation, Watch};
use outplay_players::{Guest, Kit};
use serde::Serialize;
use std::path::PathBuf;
use std::time::Instant;

/// What to play.
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
    /// Games of each two players; openings are played twice, the last of an odd number once.
    pub games: u64,
    /// Plies of random openings; as many as it takes for enough different ones, if not said.
    pub openings: Option<u32>,
    /// Openings that somebody listed, a line of moves each, instead of random ones.
    pub opening_lines: Option<Vec<String>>,
    /// What openings, dice and players' chance decisions follow from.
    pub seed: u64,
    /// Games at the same time.
    pub concurrency: usize,
    /// A test that ends the match when it is decided.
    pub sprt: Option<Sprt>,
    /// What ends a game besides its own rules.
    pub house: House,
    /// Whether moves are held against exact knowledge.
    pub judged: bool,
    /// Where the games are written.
    pub out: Option<PathBuf>,
    /// Go on with what is in that file.
    pub resume: bool,
    /// Games of this very match that were played before and count, where nobody wrote them into a file.
    pub played: Vec<GameRecord>,
}

impl Default for MatchRequest {
    /// A hundred games, one at a time, between players who are yet to be named; nothing is judged or written.
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
        }
    }
}

/// A match that was played.
#[derive(Clone, Debug, Serialize)]
pub struct MatchReport {
    /// The game's canonical spec.
    pub game: String,
    /// Where openings begin, if not at the start of the game.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Plies of the openings.
    pub openings: u32,
    /// What chance followed from.
    pub seed: u64,
    /// Games that were going to be played.
    pub planned: u64,
    /// Who did how well.
    #[serde(flatten)]
    pub standings: Standings,
    /// The sequential test.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sprt: Option<SprtRow>,
    /// Somebody asked to stop before the end.
    pub stopped: bool,
    /// What players did wrong, a sentence each, the first few.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub faults: Vec<String>,
    /// Time on the wall, in seconds.
    pub seconds: f64,
    /// Where the games were written.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub out: Option<String>,
}

/// Faults that are told in full.
const FAULTS: usize = 5;

/// Plays a match of a game that somebody asked for, from a place in it, with what is exactly known about it.
///
/// # Errors
///
/// A place that is none, and as [`run`].
pub fn compete(
    entry: &Entry,
    place: &Place,
    request: &MatchRequest,
    options: &QueryOptions,
    watch: &dyn Watch,
) -> Result<MatchReport, Trouble> {
    compete_games(entry, place, request, options, watch).map(|(report, _)| report)
}

/// The same, and the games that count, in order.
///
/// # Errors
///
/// As [`compete`].
pub fn compete_games(
    entry: &Entry,
    place: &Place,
    request: &MatchRequest,
    options: &QueryOptions,
    watch: &dyn Watch,
) -> Result<(MatchReport, Vec<GameRecord>), Trouble> {
    let start = entry.locate(place)?;
    let position = (*place != Place::Start).then(|| entry.game().write_position(&start));
    Ok(play(&match_kit(entry, options), &start, position, request, watch)?)
}

/// A match that somebody looks on at, between players who read no files and are no programs of others; `guests` play
/// under their names.
///
/// # Errors
///
/// As [`compete`].
pub fn compete_seen(
    entry: &Entry,
    place: &Place,
    request: &MatchRequest,
    options: &QueryOptions,
    guests: Vec<Guest>,
    spectator: &dyn Spectator,
    watch: &dyn Watch,
) -> Result<(MatchReport, Vec<GameRecord>), Trouble> {
    let start = entry.locate(place)?;
    let position = (*place != Place::Start).then(|| entry.game().write_position(&start));
    let kit = Kit { files: None, outside: None, guests, ..match_kit(entry, options) };
    Ok(play_seen(&kit, &start, position, request, spectator, watch)?)
}

fn match_kit(entry: &Entry, options: &QueryOptions) -> Kit {
    // Games run side by side already, so exact knowledge keeps to one thread in each.
    entry.kit(&options.on_threads(1).impartial())
}

/// Plays a match from `start` (`position` is its notation if it is not the start of the game).
///
/// # Errors
///
/// Fewer than two players or no games, a player or file that is of no use. A stop is no error: what was played
/// counts.
pub fn run(
    kit: &Kit,
    start: &AnyPosition,
    position: Option<String>,
    request: &MatchRequest,
    watch: &dyn Watch,
) -> Result<MatchReport, ArenaError> {
    play(kit, start, position, request, watch).map(|(report, _)| report)
}

/// The same, and the games that count, in order.
///
/// # Errors
///
/// As [`run`].
pub fn play(
    kit: &Kit,
    start: &AnyPosition,
    position: Option<String>,
    request: &MatchRequest,
    watch: &dyn Watch,
) -> Result<(MatchReport, Vec<GameRecord>), ArenaError> {
    play_seen(kit, start, position, request, &Nobody, watch)
}

/// The same while somebody looks on.
///
/// # Errors
///
/// As [`run`].
pub fn play_seen(
    kit: &Kit,
    start: &AnyPosition,
    position: Option<String>,
    request: &MatchRequest,
    spectator: &dyn Spectator,
    watch: &dyn Watch,
) -> Result<(MatchReport, Vec<GameRecord>), ArenaError> {
    let began = Instant::now();
    if request.players.len() < 2 {
        return Err(ArenaError::Unable("a match needs at least two players; name another one".into()));
    }
    if request.games == 0 {
        return Err(ArenaError::Unable("a match of no games has no result; ask for 2 or more".into()));
    }
    if request.sprt.is_some() && request.players.len() > 2 {
        return Err(ArenaError::Unable(
            "a sequential test is between two players; leave the others out".into(),
        ));
    }
    if kit.game.outcome(start).is_some() {
        return Err(ArenaError::Unable(
            "the game is over at that position; choose another one to begin from".into(),
        ));
    }
    let names: Result<Vec<String>, _> =
        request.players.iter().map(|spec| Ok(kit.player(spec)?.spec())).collect();
    let players: Vec<String> = names.map_err(|error: outplay_players::PlayError| ArenaError::from(error))?;
    let pairs = request.games.div_ceil(2);
    let (plies, found) = match &request.opening_lines {
        Some(lines) => {
            let found = listed(kit, start, lines, pairs as usize)?;
            (found.iter().map(|opening| opening.moves.len() as u32).max().unwrap_or(0), found)
        }
        None => {
            let plies = request.openings.unwrap_or_else(|| plies_for(kit, start, pairs));
            (plies, openings(kit, start, plies, pairs as usize, part(request.seed, 0))?)
        }
    };
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
    let (mut record, mut games) = match &request.out {
        None if request.resume => {
            return Err(ArenaError::Unable(
                "there is nothing to go on with; name the file with the record of the match".into(),
            ));
        }
        None => (None, request.played.clone()),
        Some(path) if request.resume => {
            let (record, games) = Record::resume(path, &header)?;
            (Some(record), games)
        }
        Some(path) => (Some(Record::create(path, &header)?), Vec::new()),
    };
    let bouts = round_robin(players.len(), request.games as usize);
    games.retain(|game| (game.number as usize) < bouts.len());
    for game in &games {
        let bout = &bouts[game.number as usize];
        let replayed = replay(kit, start, &found[bout.opening], bout, &request.house, game);
        if let Err(why) = replayed {
            let why = format!("game {} is not as it was played ({why})", game.number + 1);
            return Err(match &request.out {
                Some(path) => ArenaError::file(path, why + "; remove its line to go on"),
                None => ArenaError::Unable(why + "; begin the match anew"),
            });
        }
    }
    let mut table = Scoreboard::new(&players, bouts.len(), request.sprt);
    for game in &games {
        table.add(game);
    }
    let left: Vec<_> = bouts.iter().filter(|bout| !table.has(bout.number)).copied().collect();
    watch.stage("games", bouts.len() as u64);
    watch.advance(games.len() as u64);
    if table.decision() == Decision::Open && !left.is_empty() {
        let hall = Hall {
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
        hall.play(&left, watch, |game| {
            if let Some(record) = &mut record {
                record.add(&game)?;
            }
            table.add(&game);
            spectator.ended(&game);
            games.push(game);
            watch.status(&table.line());
            watch.advance(1);
            Ok(if table.decision() == Decision::Open { Flow::On } else { Flow::Enough })
        })?;
    }
    games.sort_by_key(|game| game.number);
    // Games beyond the one that decided the test depend on the number of threads, and do not count.
    if let Some(count) = table.decided {
        games.retain(|game| game.number < count);
    }
    let fault = |game: &GameRecord| {
        let loser = if game.payoff < 0 { game.first } else { game.second };
        game.why.as_ref().map(|why| format!("game {}: {} {why}", game.number + 1, players[loser]))
    };
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
        faults: games.iter().filter_map(fault).take(FAULTS).collect(),
        seconds: began.elapsed().as_secs_f64(),
        out: request.out.as_ref().map(|path| path.display().to_string()),
    };
    Ok((report, games))
}

/// The running score, and the test after the games that are complete up to a point.
struct Scoreboard {
    sprt: Option<Sprt>,
    names: Vec<String>,
    half_points: Vec<usize>,
    /// Half points of the first of the two players, by number; games end in any order.
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
        // The test looks at pairs in their order, so that its end does not depend on who was faster.
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

    /// The running score in a few words.
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
