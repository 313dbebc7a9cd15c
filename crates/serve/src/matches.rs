//! A match or a league while it is played: the boards, the score and what it says so far.
//!
//! ```text
//!  arena's threads ── turn, ended ──▶ Match ◀── standing ── whoever looks
//!                                     games that count, boards, the course of the score
//! ```
//!
//! Invariant: stopping loses nothing but the games that were under way; going on plays those again, from the same seed.

use crate::background::{Tenure, Work, behind, lock};
use crate::named::registered;
use crate::refusal::Refusal;
use crate::reply::written;
use crate::router::Shared;
use crate::workers::Attention;
use outplay_answer::{Entry, Place, QueryOptions};
use outplay_arena::contest::{Bout, Spectator};
use outplay_arena::matches::{MatchRequest, compete_seen};
use outplay_arena::record::GameRecord;
use outplay_arena::standings::{SprtRow, Standings};
use outplay_arena::stats::{Pairs, score_of};
use outplay_core::{AnyMove, AnyPosition, Game, Notation, Scene, Turn, Watch};
use outplay_door::Visitor;
use serde::Serialize;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// The longest that a match may take at a stretch.
const LONGEST: Duration = Duration::from_secs(3600);
/// How long a game lets a visitor's question go first, before each of its moves.
const COURTESY: Duration = Duration::from_millis(100);
/// How often a pause is interrupted to see whether it is over.
const BLINK: Duration = Duration::from_millis(5);

/// A board on which a game is played, or was played last.
struct Board {
    bout: Bout,
    pos: AnyPosition,
    plies: usize,
    /// The last move, in the game's notation.
    last: Option<String>,
}

/// What is known of a match so far.
#[derive(Default)]
struct Course {
    games: Vec<GameRecord>,
    boards: Vec<Board>,
    /// Half points of the first of two players by number, for whole pairs in their order.
    halves: Vec<Option<usize>>,
    pairs: Pairs,
    /// Games, score, its 95 % bounds and the logarithm of the likelihood ratio, after each pair.
    points: Vec<[f64; 5]>,
    /// Standings, and after how many games they were made.
    standings: Option<(usize, Arc<Standings>)>,
    /// Seconds of play before the present stretch.
    seconds: f64,
    /// How the last stretch ended; nothing while the match is played.
    end: Option<Result<bool, Refusal>>,
}

/// A match or a league.
pub(crate) struct Match {
    entry: Entry,
    place: Place,
    request: MatchRequest,
    /// The least time between two moves on a board, for people who watch.
    pace: Duration,
    visitor: Visitor,
    tenure: Tenure,
    course: Mutex<Course>,
    /// Since when the present stretch is played, and who can stop it.
    stretch: Mutex<(Instant, Arc<Attention>)>,
}

/// What somebody has seen of a match already.
#[derive(Default)]
pub(crate) struct Seen {
    results: usize,
    points: usize,
    boards: Vec<(u64, usize)>,
}

/// What a match is about, in few words.
#[derive(Serialize)]
pub(crate) struct Summary<'a> {
    id: u64,
    game: String,
    players: &'a [String],
    state: &'static str,
    /// Whether whoever asks began it.
    mine: bool,
    games: usize,
    planned: u64,
}

/// How a match stands.
#[derive(Serialize)]
struct Standing<'a> {
    #[serde(flatten)]
    summary: Summary<'a>,
    /// Games of each two.
    each: u64,
    seed: u64,
    seconds: f64,
    standings: &'a Standings,
    sprt: Option<SprtRow>,
    points: &'a [[f64; 5]],
    /// Number, players and payoff of each game.
    results: Vec<(u64, usize, usize, i32)>,
    boards: Vec<Shown<'a>>,
    error: Option<&'a str>,
    cure: Option<&'a str>,
}

/// A board as it is shown.
#[derive(Serialize)]
struct Shown<'a> {
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

    fn visitor(&self) -> Visitor {
        self.visitor
    }

    fn runs(&self) -> bool {
        lock(&self.course).end.is_none()
    }

    fn stop(&self) {
        lock(&self.stretch).1.stop();
    }
}

impl Match {
    pub(crate) fn new(
        entry: Entry,
        place: Place,
        request: MatchRequest,
        pace: Duration,
        visitor: Visitor,
        stay: bool,
    ) -> Match {
        Match {
            entry,
            place,
            request,
            pace,
            visitor,
            tenure: Tenure::new(stay),
            course: Mutex::default(),
            stretch: Mutex::new((Instant::now(), Attention::new(Some(LONGEST)))),
        }
    }

    /// Games that are going to be played.
    pub(crate) fn planned(&self) -> u64 {
        let players = self.request.players.len() as u64;
        players * (players - 1) / 2 * self.request.games
    }

    /// Plays what is left, behind everything else.
    pub(crate) fn play(self: &Arc<Self>, shared: &Arc<Shared>) -> Result<(), Refusal> {
        let watch = Attention::new(Some(LONGEST));
        *lock(&self.stretch) = (Instant::now(), Arc::clone(&watch));
        self.tenure.look();
        lock(&self.course).end = None;
        let mut options = shared.options(1);
        options.keep = false;
        let (this, desk) = (Arc::clone(self), Arc::clone(shared));
        let begun = behind("match", Box::new(move || this.run(&desk, &watch, &options)));
        if begun.is_err() {
            lock(&self.course).end = Some(Ok(false));
        }
        begun
    }

    fn run(&self, shared: &Shared, watch: &Attention, options: &QueryOptions) {
        let mut request = self.request.clone();
        request.played = lock(&self.course).games.clone();
        let onlooker = Onlooker { table: self, shared, watch };
        let guests = registered(&shared.settings.engines, &self.entry, options);
        // What panics in the arena would otherwise leave a match that never ends.
        let played = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            compete_seen(&self.entry, &self.place, &request, options, guests, &onlooker, &onlooker)
        }));
        let end = match played {
            Ok(Ok((report, games))) => {
                let mut course = lock(&self.course);
                course.games = games;
                course.standings = None;
                Ok(!report.stopped)
            }
            Ok(Err(trouble)) => Err(trouble.into()),
            Err(_) => {
                let error = "the match failed for a reason that should not exist";
                Err(Refusal::new(
                    axum::http::StatusCode::INTERNAL_SERVER_ERROR,
                    error,
                    "please report its players",
                ))
            }
        };
        let began = lock(&self.stretch).0;
        let mut course = lock(&self.course);
        course.seconds += began.elapsed().as_secs_f64();
        course.end = Some(end);
    }

    /// Somebody looks at it.
    pub(crate) fn look(&self) {
        self.tenure.look();
    }

    /// Whether there is anything left to play.
    pub(crate) fn is_whole(&self) -> bool {
        matches!(lock(&self.course).end, Some(Ok(true)))
    }

    /// What it is about, in few words.
    pub(crate) fn summary(&self, id: u64, visitor: Visitor) -> Summary<'_> {
        self.sum(id, visitor, &lock(&self.course))
    }

    fn sum(&self, id: u64, visitor: Visitor, course: &Course) -> Summary<'_> {
        Summary {
            id,
            game: self.entry.spec(),
            players: &self.request.players,
            state: self.state(course),
            mine: visitor == self.visitor,
            games: course.games.len(),
            planned: self.planned(),
        }
    }

    fn state(&self, course: &Course) -> &'static str {
        match &course.end {
            None if lock(&self.stretch).1.stopped() => "stopping",
            None => "running",
            Some(Ok(true)) => "done",
            Some(Ok(false)) => "stopped",
            Some(Err(_)) => "failed",
        }
    }

    /// Everything about it that was not seen yet, written.
    pub(crate) fn standing(&self, id: u64, visitor: Visitor, seen: &mut Seen) -> String {
        let standings = self.standings();
        let course = lock(&self.course);
        let boards: Vec<(u64, usize)> =
            course.boards.iter().map(|board| (board.bout.number, board.plies)).collect();
        let shown =
            course.boards.iter().enumerate().filter(|(slot, _)| seen.boards.get(*slot) != boards.get(*slot));
        let shown = shown.map(|(slot, board)| self.board(slot, board, &course)).collect();
        let result = |game: &GameRecord| (game.number, game.first, game.second, game.payoff);
        let results = course.games.iter().skip(seen.results).map(result).collect();
        let points = course.points.get(seen.points..).unwrap_or_default();
        *seen = Seen { results: course.games.len(), points: course.points.len(), boards };
        let now = if course.end.is_none() { lock(&self.stretch).0.elapsed().as_secs_f64() } else { 0.0 };
        let refusal = course.end.as_ref().and_then(|end| end.as_ref().err());
        written(&Standing {
            summary: self.sum(id, visitor, &course),
            each: self.request.games,
            seed: self.request.seed,
            seconds: course.seconds + now,
            standings: &standings,
            sprt: self.request.sprt.map(|sprt| SprtRow::new(sprt, &course.pairs)),
            points,
            results,
            boards: shown,
            error: refusal.map(|refusal| refusal.error.as_str()),
            cure: refusal.and_then(|refusal| refusal.cure.as_deref()),
        })
    }

    /// Standings after the games so far, made anew only if there are more.
    fn standings(&self) -> Arc<Standings> {
        {
            let course = lock(&self.course);
            if let Some((_, made)) =
                course.standings.as_ref().filter(|(count, _)| *count == course.games.len())
            {
                return Arc::clone(made);
            }
        }
        // Nobody who plays waits for this.
        let games = self.games();
        let made = Arc::new(Standings::new(&self.request.players, &games));
        lock(&self.course).standings = Some((games.len(), Arc::clone(&made)));
        made
    }

    fn board<'a>(&self, slot: usize, board: &'a Board, course: &Course) -> Shown<'a> {
        let Board { bout, pos, plies, last } = board;
        let game = self.entry.game();
        let mut scene = game.scene(pos);
        // Whoever watches plays no move.
        scene.moves.clear();
        let ended = course.games.iter().rev().find(|game| game.number == bout.number);
        Shown {
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

    /// The record of all games, as the command line writes and reads it: in the order of their numbers, in which pairs
    /// count.
    pub(crate) fn games(&self) -> Vec<GameRecord> {
        let mut games = lock(&self.course).games.clone();
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

/// Shows the games to the match, keeps their pace, and lets visitors go first.
struct Onlooker<'a> {
    table: &'a Match,
    shared: &'a Shared,
    watch: &'a Attention,
}

impl Watch for Onlooker<'_> {
    fn stage(&self, _name: &str, _total: u64) {}
    fn advance(&self, _units: u64) {}
    fn stopped(&self) -> bool {
        self.watch.stopped() || self.table.tenure.is_over()
    }
}

impl Spectator for Onlooker<'_> {
    fn turn(&self, bout: &Bout, pos: &AnyPosition, moves: &[AnyMove]) {
        let began = Instant::now();
        let Match { course, entry, pace, .. } = self.table;
        {
            let mut course = lock(course);
            let over =
                |number: u64, course: &Course| course.games.iter().rev().any(|game| game.number == number);
            let own = course.boards.iter().position(|board| board.bout.number == bout.number);
            let free = || course.boards.iter().position(|board| over(board.bout.number, &course));
            let room = course.boards.len() < self.table.request.concurrency;
            let slot = own.or_else(|| if room { None } else { free() });
            let last = last_word(entry, &course, slot.filter(|_| own.is_some()), moves);
            let board = Board { bout: *bout, pos: pos.clone(), plies: moves.len(), last };
            match slot {
                Some(slot) => course.boards[slot] = board,
                // A game that was just over may not be counted yet: its board goes first.
                None if !room => course.boards[0] = board,
                None => course.boards.push(board),
            }
        }
        let asked = || self.shared.workers.load().0 > 0 && began.elapsed() < COURTESY;
        while !self.stopped() && (began.elapsed() < *pace || asked()) {
            std::thread::sleep(BLINK);
        }
    }

    fn ended(&self, game: &GameRecord) {
        let mut course = lock(&self.table.course);
        course.games.push(game.clone());
        if self.table.request.players.len() == 2 {
            course.count(game, &self.table.request);
        }
    }
}

/// What the last move was, told from the position before it, if the board still shows that one: a game that was stopped
/// and begun again does not.
fn last_word(entry: &Entry, course: &Course, slot: Option<usize>, moves: &[AnyMove]) -> Option<String> {
    let board = course.boards.get(slot?).filter(|board| board.plies + 1 == moves.len())?;
    Some(entry.game().write_move(&board.pos, *moves.last()?))
}

impl Course {
    /// Counts whole pairs in the order of their numbers, so that the course does not depend on who was faster.
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
    use outplay_arena::referee::{End, Spent};

    #[test]
    fn pairs_count_in_their_order_whoever_was_faster() {
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
            spent: [Spent::default(); 2],
            scrutiny: None,
        };
        let (mut course, request) = (Course::default(), MatchRequest::default());
        for (number, points) in [(2, 0), (3, 0), (1, 0), (0, 2), (5, 2), (4, 3)] {
            // The first player wins every game that it begins, and every one that it does not.
            course.count(&game(number, if number % 2 == 0 { 1 } else { -1 }), &request);
            assert_eq!(course.points.len(), points, "after game {number}");
        }
        let [games, score, low, high, _] = course.points[2];
        assert!(games == 6.0 && score == 1.0 && low > 0.4 && high == 1.0, "{:?}", course.points);
    }
}
