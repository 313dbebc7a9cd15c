//! A running match or league: results, live boards, score history and sequential test.
//!
//! ```text
//!  arena's threads ── turn, ended ──▶ Match ◀── standing ── handlers of clients that poll or stream
//!                                     finished games, boards, score history
//! ```
//!
//! Invariant: stopping discards only the games in progress; resuming replays them from the same seed.

use crate::background::{Lease, Work, behind, lock};
use crate::named::registered;
use crate::net::ClientId;
use crate::refusal::Refusal;
use crate::reply::written;
use crate::router::ServerState;
use crate::workers::JobProgress;
use outplay_arena::contest::{Bout, Spectator};
use outplay_arena::matches::{MatchRequest, compete_seen};
use outplay_arena::record::GameRecord;
use outplay_arena::standings::{SprtRow, Standings};
use outplay_arena::stats::{Pairs, score_of};
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Scene, Turn};
use outplay_runtime::Monitor;
use outplay_workbench::{GameHandle, PositionRef, Session};
use serde::Serialize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Time limit of one stretch (start or resume to stop).
const LONGEST: Duration = Duration::from_secs(3600);
/// Longest wait for running searches before each move of a game.
const COURTESY: Duration = Duration::from_millis(100);
/// Polling interval for a stop during a pause.
const POLL: Duration = Duration::from_millis(5);

/// A board with a game in progress, or the last game played on it.
struct MatchBoard {
    bout: Bout,
    pos: AnyPosition,
    plies: usize,
    /// The last move, in the game's notation.
    last: Option<String>,
}

/// Results and boards of a match so far.
#[derive(Default)]
struct MatchLog {
    games: Vec<GameRecord>,
    boards: Vec<MatchBoard>,
    /// Half points of player 0 by pair number, for complete pairs.
    halves: Vec<Option<usize>>,
    pairs: Pairs,
    /// Games, score, its 95 % confidence bounds and the log-likelihood ratio, after each pair.
    points: Vec<[f64; 5]>,
    /// Cached standings, with the number of games that they cover.
    standings: Option<(usize, Arc<Standings>)>,
    /// Seconds played in earlier stretches.
    seconds: f64,
    /// Result of the last stretch; `None` while the match runs.
    end: Option<Result<bool, Refusal>>,
}

/// A match or a league.
pub(crate) struct Match {
    entry: GameHandle,
    place: PositionRef,
    request: MatchRequest,
    /// Minimum time between two moves on a board, for spectators.
    pace: Duration,
    visitor: ClientId,
    lease: Lease,
    log: Mutex<MatchLog>,
    /// Start of the current stretch, and the handle that stops it.
    stretch: Mutex<(Instant, Arc<JobProgress>)>,
}

/// Cursor of a client: how much of the match it has received.
#[derive(Default)]
pub(crate) struct MatchCursor {
    results: usize,
    points: usize,
    boards: Vec<(u64, usize)>,
}

/// Summary of a match for lists.
#[derive(Serialize)]
pub(crate) struct Summary<'a> {
    id: u64,
    game: String,
    players: &'a [String],
    state: &'static str,
    /// Whether the requesting client started it.
    mine: bool,
    games: usize,
    planned: u64,
}

/// Incremental state of a match, as sent to clients.
#[derive(Serialize)]
struct MatchUpdate<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    /// Games of each pairing.
    each: u64,
    seed: u64,
    seconds: f64,
    standings: &'a Standings,
    sprt: Option<SprtRow>,
    points: &'a [[f64; 5]],
    /// Number, players and payoff of each game.
    results: Vec<(u64, usize, usize, i32)>,
    boards: Vec<BoardView<'a>>,
    error: Option<&'a str>,
    cure: Option<&'a str>,
}

/// A board as sent to clients.
#[derive(Serialize)]
struct BoardView<'a> {
    slot: usize,
    number: u64,
    first: usize,
    second: usize,
    plies: usize,
    last: Option<&'a str>,
    payoff: Option<i32>,
    to_move: Turn,
    position: String,
    scene: Scene,
}

impl Work for Match {
    const NAME: &'static str = "a match";

    fn visitor(&self) -> ClientId {
        self.visitor
    }

    fn runs(&self) -> bool {
        lock(&self.log).end.is_none()
    }

    fn stop(&self) {
        lock(&self.stretch).1.stop();
    }
}

impl Match {
    pub(crate) fn new(
        entry: GameHandle,
        place: PositionRef,
        request: MatchRequest,
        pace: Duration,
        visitor: ClientId,
        stay: bool,
    ) -> Match {
        Match {
            entry,
            place,
            request,
            pace,
            visitor,
            lease: Lease::new(stay),
            log: Mutex::default(),
            stretch: Mutex::new((Instant::now(), JobProgress::new(Some(LONGEST)))),
        }
    }

    /// Number of games in the schedule.
    pub(crate) fn planned(&self) -> u64 {
        let players = self.request.players.len() as u64;
        players * (players - 1) / 2 * self.request.games
    }

    /// Plays the remaining games on a background thread.
    pub(crate) fn play(self: &Arc<Self>, shared: &Arc<ServerState>) -> Result<(), Refusal> {
        let watch = JobProgress::new(Some(LONGEST));
        *lock(&self.stretch) = (Instant::now(), Arc::clone(&watch));
        self.lease.renew();
        lock(&self.log).end = None;
        let mut session = shared.session(1);
        session.keep = false;
        let (this, desk) = (Arc::clone(self), Arc::clone(shared));
        let begun = behind("match", Box::new(move || this.run(&desk, &watch, &session)));
        if begun.is_err() {
            lock(&self.log).end = Some(Ok(false));
        }
        begun
    }

    fn run(&self, shared: &ServerState, watch: &JobProgress, session: &Session) {
        let mut request = self.request.clone();
        request.played = lock(&self.log).games.clone();
        let observer = MatchObserver { table: self, shared, watch };
        let guests = registered(&shared.settings.engines, &self.entry, session);
        // Without this, a panic in the arena would leave a match that never ends.
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            compete_seen(session, &self.entry, &self.place, &request, guests, &observer, &observer)
        }));
        let end = match played {
            Ok(Ok((report, games))) => {
                let mut log = lock(&self.log);
                log.games = games;
                log.standings = None;
                Ok(!report.stopped)
            }
            Ok(Err(trouble)) => Err(trouble.into()),
            Err(_) => {
                let error = "internal error: the match crashed";
                Err(Refusal::new(
                    axum::http::StatusCode::INTERNAL_SERVER_ERROR,
                    error,
                    "please report this bug with the specs of the players",
                ))
            }
        };
        let began = lock(&self.stretch).0;
        let mut log = lock(&self.log);
        log.seconds += began.elapsed().as_secs_f64();
        log.end = Some(end);
    }

    /// Renews the lease.
    pub(crate) fn look(&self) {
        self.lease.renew();
    }

    /// Whether all games have been played.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(lock(&self.log).end, Some(Ok(true)))
    }

    /// Summarises the match for a list.
    pub(crate) fn summary(&self, id: u64, visitor: ClientId) -> Summary<'_> {
        self.sum(id, visitor, &lock(&self.log))
    }

    fn sum(&self, id: u64, visitor: ClientId, log: &MatchLog) -> Summary<'_> {
        Summary {
            id,
            game: self.entry.spec(),
            players: &self.request.players,
            state: self.state(log),
            mine: visitor == self.visitor,
            games: log.games.len(),
            planned: self.planned(),
        }
    }

    fn state(&self, log: &MatchLog) -> &'static str {
        match &log.end {
            None if lock(&self.stretch).1.stopped() => "stopping",
            None => "running",
            Some(Ok(true)) => "done",
            Some(Ok(false)) => "stopped",
            Some(Err(_)) => "failed",
        }
    }

    /// Serialises everything newer than the cursor `seen`, and advances the cursor.
    pub(crate) fn standing(&self, id: u64, visitor: ClientId, seen: &mut MatchCursor) -> String {
        let standings = self.standings();
        let log = lock(&self.log);
        let boards: Vec<(u64, usize)> =
            log.boards.iter().map(|board| (board.bout.number, board.plies)).collect();
        let shown =
            log.boards.iter().enumerate().filter(|(slot, _)| seen.boards.get(*slot) != boards.get(*slot));
        let shown = shown.map(|(slot, board)| self.board(slot, board, &log)).collect();
        let result = |game: &GameRecord| (game.number, game.first, game.second, game.payoff);
        let results = log.games.iter().skip(seen.results).map(result).collect();
        let points = log.points.get(seen.points..).unwrap_or_default();
        *seen = MatchCursor { results: log.games.len(), points: log.points.len(), boards };
        let now = if log.end.is_none() { lock(&self.stretch).0.elapsed().as_secs_f64() } else { 0.0 };
        let refusal = log.end.as_ref().and_then(|end| end.as_ref().err());
        written(&MatchUpdate {
            summary: self.sum(id, visitor, &log),
            each: self.request.games,
            seed: self.request.seed,
            seconds: log.seconds + now,
            standings: &standings,
            sprt: self.request.sprt.map(|sprt| SprtRow::new(sprt, &log.pairs)),
            points,
            results,
            boards: shown,
            error: refusal.map(|refusal| refusal.error.as_str()),
            cure: refusal.and_then(|refusal| refusal.cure.as_deref()),
        })
    }

    /// Returns the standings, recomputed only after further games.
    fn standings(&self) -> Arc<Standings> {
        {
            let log = lock(&self.log);
            if let Some((_, made)) = log.standings.as_ref().filter(|(count, _)| *count == log.games.len()) {
                return Arc::clone(made);
            }
        }
        // The lock is not held here, so playing threads do not wait.
        let games = self.games();
        let made = Arc::new(Standings::new(&self.request.players, &games));
        lock(&self.log).standings = Some((games.len(), Arc::clone(&made)));
        made
    }

    fn board<'a>(&self, slot: usize, board: &'a MatchBoard, log: &MatchLog) -> BoardView<'a> {
        let MatchBoard { bout, pos, plies, last } = board;
        let game = self.entry.game();
        let mut scene = game.scene(pos);
        // Spectators make no moves.
        scene.moves.clear();
        let ended = log.games.iter().rev().find(|game| game.number == bout.number);
        BoardView {
            slot,
            number: bout.number,
            first: bout.first,
            second: bout.second,
            plies: *plies,
            last: last.as_deref(),
            payoff: ended.map(|game| game.payoff),
            to_move: game.turn(pos),
            position: game.write_position(pos),
            scene,
        }
    }

    /// Returns the records of all games by number, in the format of the command line. Pairs are counted in this order.
    pub(crate) fn games(&self) -> Vec<GameRecord> {
        let mut games = lock(&self.log).games.clone();
        games.sort_by_key(|game| game.number);
        games
    }

    pub(crate) fn request(&self) -> &MatchRequest {
        &self.request
    }

    pub(crate) fn spec(&self) -> String {
        self.entry.spec()
    }
}

/// Arena observer: publishes moves, keeps the pace and yields to running searches.
struct MatchObserver<'a> {
    table: &'a Match,
    shared: &'a ServerState,
    watch: &'a JobProgress,
}

impl Monitor for MatchObserver<'_> {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.watch.stopped() || self.table.lease.is_over()
    }
}

impl Spectator for MatchObserver<'_> {
    fn turn(&self, bout: &Bout, pos: &AnyPosition, moves: &[AnyMove]) {
        let began = Instant::now();
        let Match { log, entry, pace, .. } = self.table;
        {
            let mut log = lock(log);
            let over = |number: u64, log: &MatchLog| log.games.iter().rev().any(|game| game.number == number);
            let own = log.boards.iter().position(|board| board.bout.number == bout.number);
            let free = || log.boards.iter().position(|board| over(board.bout.number, &log));
            let room = log.boards.len() < self.table.request.concurrency;
            let slot = own.or_else(|| if room { None } else { free() });
            let last = last_move_notation(entry, &log, slot.filter(|_| own.is_some()), moves);
            let board = MatchBoard { bout: *bout, pos: pos.clone(), plies: moves.len(), last };
            match slot {
                Some(slot) => log.boards[slot] = board,
                // A finished game may not be counted yet; its board is reused first.
                None if !room => log.boards[0] = board,
                None => log.boards.push(board),
            }
        }
        let asked = || self.shared.workers.load().0 > 0 && began.elapsed() < COURTESY;
        while !self.stopped() && (began.elapsed() < *pace || asked()) {
            std::thread::sleep(POLL);
        }
    }

    fn ended(&self, game: &GameRecord) {
        let mut log = lock(&self.table.log);
        log.games.push(game.clone());
        if self.table.request.players.len() == 2 {
            log.count(game, &self.table.request);
        }
    }
}

/// Returns the notation of the last move if the board shows the position before it. After a restart of the game it
/// does not.
fn last_move_notation(
    entry: &GameHandle,
    log: &MatchLog,
    slot: Option<usize>,
    moves: &[AnyMove],
) -> Option<String> {
    let board = log.boards.get(slot?).filter(|board| board.plies + 1 == moves.len())?;
    Some(entry.game().write_move(&board.pos, *moves.last()?))
}

impl MatchLog {
    /// Counts complete pairs in order of their numbers, so the score history does not depend on thread timing.
    fn count(&mut self, game: &GameRecord, request: &MatchRequest) {
        let number = game.number as usize;
        if self.halves.len() <= number {
            self.halves.resize(number + 1, None);
        }
        self.halves[number] = Some(game.half_points(0));
        while let Some([Some(a), Some(b)]) =
            self.halves.get(2 * self.pairs.count() as usize..).and_then(|rest| rest.get(..2))
        {
            self.pairs.add(a + b);
            let strength = self.pairs.strength();
            let share = |elo: Option<f64>, end: f64| elo.map_or(end, score_of);
            let ratio = request.sprt.map_or(0.0, |sprt| self.pairs.likelihood_ratio(sprt.elo0, sprt.elo1));
            let games = 2.0 * self.pairs.count() as f64;
            self.points.push([
                games,
                self.pairs.score(),
                share(strength.low, 0.0),
                share(strength.high, 1.0),
                ratio,
            ]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_arena::referee::{End, ResourceUse};

    #[test]
    fn pairs_are_counted_in_order() {
        let game = |number: u64, payoff: i32| GameRecord {
            number,
            opening: number / 2,
            first: (number % 2) as usize,
            second: (1 - number % 2) as usize,
            moves: String::new(),
            opening_moves: 0,
            payoff,
            end: End::Rules,
            why: None,
            spent: [ResourceUse::default(); 2],
            scrutiny: None,
        };
        let (mut log, request) = (MatchLog::default(), MatchRequest::default());
        for (number, points) in [(2, 0), (3, 0), (1, 0), (0, 2), (5, 2), (4, 3)] {
            // Player 0 wins all games, whether it moves first or second.
            log.count(&game(number, if number % 2 == 0 { 1 } else { -1 }), &request);
            assert_eq!(log.points.len(), points, "after game {number}");
        }
        let [games, score, low, high, _] = log.points[2];
        assert!(games == 6.0 && score == 1.0 && low > 0.4 && high == 1.0, "{:?}", log.points);
    }
}
