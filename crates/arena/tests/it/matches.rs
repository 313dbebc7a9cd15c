//! Whole matches: schedules, records, faults and resumption.

use outplay_arena::contest::round_robin;
use outplay_arena::matches::{MatchReport, MatchRequest, play, run};
use outplay_arena::opening::{Opening, openings, plies_for};
use outplay_arena::record::{GameRecord, read};
use outplay_arena::referee::{self, End, House};
use outplay_arena::stats::{Decision, Sprt};
use outplay_arena::{ArenaError, compete};
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, InputError, Native, Notation, Payoff, Turn};
use outplay_games::Spec;
use outplay_games::mnk::{Mnk, Rules};
use outplay_games::nim::Nim;
use outplay_games::pig::Pig;
use outplay_players::{Choice, ExactOracle, MoveValue, MoveValues, PlayError, Player, PlayerContext, Random};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_solve::{Memo, memo};
use outplay_workbench::{GameBuilder, PositionRef, Session};
use std::collections::HashSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

type Board = Mnk<u64>;

fn native(spec: &str) -> Native<Board> {
    Native::new(Mnk::new(Rules::parse(spec).unwrap()).unwrap()).lines()
}

fn kit(spec: &str) -> PlayerContext {
    PlayerContext::new(native(spec))
}

/// An exact oracle from a solved small game.
struct MemoOracle(Native<Board>, Memo<Board>);

impl ExactOracle for MemoOracle {
    fn moves(&self, pos: &AnyPosition, _: &dyn Monitor) -> Result<Option<MoveValues>, PlayError> {
        let merit = |(place, &mv): (usize, &u8)| {
            let next = self.0.game.play(self.0.pos(pos), mv);
            Some((AnyMove(place as u32), MoveValue::Value(self.1.value(&next)?.before(false))))
        };
        Ok(self.0.list(pos).iter().enumerate().map(merit).collect())
    }
}

fn wise(spec: &str) -> PlayerContext {
    let native = native(spec);
    let known = memo(&native.game, &native.game.start().unwrap(), u64::MAX, &NoMonitor).unwrap();
    PlayerContext { truth: Some(Arc::new(MemoOracle(native.clone(), known))), ..PlayerContext::new(native) }
}

fn request(players: &[&str], games: u64) -> MatchRequest {
    let mut request = MatchRequest::default();
    request.players = players.iter().map(|spec| (*spec).to_string()).collect();
    request.games = games;
    request.concurrency = 2;
    request
}

/// The same request with a change.
fn with(mut request: MatchRequest, change: impl FnOnce(&mut MatchRequest)) -> MatchRequest {
    change(&mut request);
    request
}

fn go(kit: &PlayerContext, request: &MatchRequest) -> Result<MatchReport, ArenaError> {
    run(kit, &kit.game.start().unwrap(), None, request, &NoMonitor)
}

#[test]
fn every_opening_is_played_twice_with_colours_swapped() {
    let bouts = round_robin(3, 10);
    assert_eq!(bouts.len(), 30);
    for pair in bouts.chunks(2) {
        assert_eq!(pair[0].opening, pair[1].opening);
        assert_eq!((pair[0].first, pair[0].second), (pair[1].second, pair[1].first));
    }
    let met: HashSet<(usize, usize)> = bouts.iter().map(|bout| (bout.first, bout.second)).collect();
    assert_eq!(met.len(), 6);
    assert!(bouts.iter().enumerate().all(|(i, bout)| bout.number == i as u64));
    // With an odd number of games the last opening is played once.
    let odd = round_robin(3, 3);
    let openings: Vec<usize> = odd.iter().map(|bout| bout.opening).collect();
    assert_eq!(openings, [0, 0, 1, 0, 0, 1, 0, 0, 1]);
}

#[test]
fn openings_differ_and_follow_from_the_seed() {
    let kit = kit("connect4");
    let start = kit.game.start().unwrap();
    assert_eq!(plies_for(&kit, &start, 100), 3);
    let made = |count, seed| openings(&kit, &start, 4, count, seed, &NoMonitor).unwrap();
    let positions: HashSet<String> =
        made(200, 7).iter().map(|opening| format!("{:?}", opening.pos)).collect();
    assert_eq!(positions.len(), 200);
    let moves = |list: Vec<Opening>| list.into_iter().map(|opening| opening.moves).collect::<Vec<_>>();
    assert_eq!(moves(made(50, 7)), moves(made(200, 7))[..50]);
    assert_ne!(moves(made(50, 7)), moves(made(50, 8)));
    // Two plies of tic-tac-toe have 72 positions: further openings repeat, and the search for new ones stops.
    let small = self::kit("tictactoe");
    let many = openings(&small, &small.game.start().unwrap(), 2, 200, 1, &NoMonitor).unwrap();
    let different: HashSet<String> = many.iter().map(|opening| format!("{:?}", opening.pos)).collect();
    assert!(many.len() == 200 && different.len() > 60, "{}", different.len());
    let short = self::kit("mnk:2x1,k=2");
    assert!(openings(&short, &short.game.start().unwrap(), 2, 1, 1, &NoMonitor).is_err());
}

#[test]
fn standings_add_up_and_do_not_depend_on_threads() {
    let kit = wise("tictactoe");
    let mut wanted = request(&["greedy", "random", "perfect"], 40);
    wanted.judged = true;
    let report = go(&kit, &wanted).unwrap();
    let standings = &report.standings;
    assert_eq!((standings.games, report.planned, report.stopped), (120, 120, false));
    for row in &standings.players {
        assert_eq!((row.games, row.as_first.games(), row.as_second.games()), (80, 40, 40));
        assert_eq!(row.pairs.count(), 40);
        assert!((row.pairs.score() - row.score).abs() < 1e-12);
        assert!(row.strength.elo.is_finite());
    }
    let points: f64 = standings.players.iter().map(|row| row.score * row.games as f64).sum();
    assert!((points - 120.0).abs() < 1e-9);
    let perfect = standings.players[2].judged.unwrap();
    assert_eq!((perfect.kept, perfect.first_error), (Some(1.0), None));
    let random = standings.players[1].judged.unwrap();
    assert!(random.kept.unwrap() < 0.9 && random.first_error.unwrap() >= 3.0);
    assert!(random.kept_choices.unwrap() < random.kept.unwrap() && random.quiet > 0);
    let alone = go(&kit, &with(wanted.clone(), |wanted| wanted.concurrency = 1)).unwrap();
    let results =
        |report: &MatchReport| report.standings.players.iter().map(|row| row.pairs).collect::<Vec<_>>();
    assert_eq!(results(&alone), results(&report));
    assert_eq!(alone.standings.distinct_games, standings.distinct_games);
    let other = go(&kit, &with(wanted, |wanted| wanted.seed = 2)).unwrap();
    assert_ne!(results(&other), results(&report));
}

#[test]
fn a_game_that_is_always_the_same_counts_once() {
    let kit = kit("connect4");
    let mut wanted = request(&["alphabeta:depth=2,eval=lines", "alphabeta:depth=1,eval=lines"], 20);
    wanted.openings = Some(0);
    let report = go(&kit, &wanted).unwrap();
    assert_eq!((report.standings.games, report.standings.distinct_games), (20, 2));
}

#[test]
fn invalid_requests_are_refused() {
    let kit = kit("tictactoe");
    let fails = |wanted: &MatchRequest, word: &str| {
        let error = go(&kit, wanted).unwrap_err().to_string();
        assert!(error.contains(word) && !error.contains('\n'), "{error}");
    };
    fails(&request(&["random"], 10), "at least two players");
    fails(&request(&["random", "greedy"], 0), "at least one game");
    fails(&request(&["random", "nobody"], 10), "nobody");
    fails(&request(&["random", "lines:tree=3"], 10), "tree");
    let sprt = Some(Sprt::new(0.0, 10.0));
    fails(&with(request(&["random", "greedy", "random"], 10), |wanted| wanted.sprt = sprt), "two players");
    fails(&with(request(&["random", "greedy"], 10), |wanted| wanted.resume = true), "record file");
    let long = with(request(&["random", "greedy"], 10), |wanted| wanted.openings = Some(9));
    fails(&long, "shorter openings");
}

#[test]
fn a_sequential_test_ends_early_and_at_the_same_game_on_any_number_of_threads() {
    let kit = kit("connect4");
    let mut wanted = request(&["greedy", "random"], 2000);
    wanted.sprt = Some(Sprt::new(0.0, 50.0));
    let report = go(&kit, &wanted).unwrap();
    let test = report.sprt.unwrap();
    assert_eq!(test.decision, Decision::Accepted);
    assert!(report.standings.games < 400 && !report.stopped && test.ratio >= test.high);
    for concurrency in [1, 3] {
        let again = go(&kit, &with(wanted.clone(), |wanted| wanted.concurrency = concurrency)).unwrap();
        assert_eq!(again.standings.games, report.standings.games);
        assert_eq!(again.standings.players[0].pairs, report.standings.players[0].pairs);
    }
    let reversed = request(&["random", "greedy"], 2000);
    let report = go(&kit, &with(reversed, |reversed| reversed.sprt = wanted.sprt)).unwrap();
    assert_eq!(report.sprt.unwrap().decision, Decision::Rejected);
}

/// Stops after a number of games.
struct After(AtomicU64);

impl Monitor for After {
    fn stage(&self, _: &str, _: u64) {}
    fn advance(&self, units: u64) {
        let left = self.0.load(Ordering::Relaxed);
        self.0.store(left.saturating_sub(units), Ordering::Relaxed);
    }
    fn stopped(&self) -> bool {
        self.0.load(Ordering::Relaxed) == 0
    }
}

#[test]
fn resumed_match_equals_an_uninterrupted_one() {
    let folder = tempfile::tempdir().unwrap();
    let kit = kit("connect4:5x4");
    let file = folder.path().join("games.jsonl");
    let wanted = with(request(&["greedy", "random"], 60), |wanted| wanted.out = Some(file.clone()));
    let stop = After(AtomicU64::new(20));
    let first = run(&kit, &kit.game.start().unwrap(), None, &wanted, &stop).unwrap();
    assert!(first.stopped && (20..60).contains(&first.standings.games), "{}", first.standings.games);
    assert_eq!(read(&file).unwrap().1.len() as u64, first.standings.games);
    // A kill in the middle of a write leaves half a line.
    let mut text = std::fs::read_to_string(&file).unwrap();
    text.push_str("{\"number\":59,\"ope");
    std::fs::write(&file, text).unwrap();

    let again = go(&kit, &wanted).unwrap_err().to_string();
    assert!(again.contains("resume it"), "{again}");
    let resumed = with(wanted.clone(), |wanted| wanted.resume = true);
    let whole = go(&kit, &resumed).unwrap();
    let fresh = go(&kit, &with(wanted, |wanted| wanted.out = None)).unwrap();
    assert_eq!((whole.standings.games, whole.stopped), (60, false));
    assert_eq!(whole.standings.players[0].pairs, fresh.standings.players[0].pairs);
    assert_eq!(whole.standings.distinct_games, fresh.standings.distinct_games);
    let (header, games) = read(&file).unwrap();
    assert_eq!((header.game, header.players.len(), games.len()), (kit.game.spec(), 2, 60));
    games.iter().for_each(|game| replay(&kit, game));

    let fails = |kit: &PlayerContext, wanted: &MatchRequest, word: &str| {
        let error = go(kit, wanted).unwrap_err().to_string();
        assert!(error.contains(word), "{error}");
    };
    fails(&kit, &with(resumed.clone(), |resumed| resumed.seed = 9), "another seed");
    fails(&self::kit("connect4:5x5"), &resumed, "another game");
    std::fs::write(&file, "hello\n").unwrap();
    fails(&kit, &resumed, "not the record of a match");
    assert!(read(Path::new("/no/such/file")).is_err());
}

/// A recorded game follows the rules and has the recorded end.
fn replay(kit: &PlayerContext, game: &GameRecord) {
    let mut pos = kit.game.start().unwrap();
    for word in game.moves.split(' ') {
        let mv = kit.game.read_move(&pos, word).unwrap();
        pos = kit.game.play(&pos, mv);
    }
    assert_eq!((kit.game.outcome(&pos), game.end), (Some(game.payoff), End::Rules));
}

/// A player that commits a fault at its second move.
struct Bad(&'static str, u32, AnyGame);

impl Player for Bad {
    fn spec(&self) -> String {
        self.0.into()
    }
    fn begin(&mut self, _: u64) {
        self.1 = 0;
    }
    fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
        self.1 += 1;
        let mut moves = Vec::new();
        self.2.moves(pos, &mut moves);
        match self.0 {
            _ if self.1 < 2 => Ok(Choice::plain(moves[0])),
            "panics" => panic!("ouch"),
            "cheats" => Ok(Choice::plain(AnyMove(200))),
            "gives up" => Err(PlayError::Source("no idea".into())),
            "dawdles" => {
                while !monitor.stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Err(PlayError::Stopped)
            }
            "stops late" => {
                while !monitor.stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                std::thread::sleep(Duration::from_millis(400));
                Err(PlayError::Stopped)
            }
            "is stopped" => {
                while !monitor.stopped() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                Ok(Choice { stopped: true, ..Choice::plain(moves[0]) })
            }
            "sleeps" => {
                std::thread::sleep(Duration::from_millis(600));
                Ok(Choice::plain(moves[0]))
            }
            _ => Ok(Choice::plain(moves[0])),
        }
    }
}

#[test]
fn every_fault_forfeits_the_game() {
    let kit = kit("mnk:4x4,k=4");
    let opening = Opening { pos: kit.game.start().unwrap(), moves: Vec::new() };
    let house = House { plies: 100, time: Some(Duration::from_millis(300)) };
    let check = |what: &'static str, end: End, word: &str| {
        for seat in 0..2 {
            let mut bad = Bad(what, 0, kit.game.clone());
            let mut good = Bad("plays", 0, kit.game.clone());
            let players: [&mut dyn Player; 2] =
                if seat == 0 { [&mut bad, &mut good] } else { [&mut good, &mut bad] };
            let played = referee::play(&kit, &opening, players, [1, 1], &house, &NoMonitor).unwrap();
            assert_eq!((played.end, played.payoff), (end, if seat == 0 { -1 } else { 1 }), "{what}");
            let why = played.why.unwrap();
            assert!(why.contains(word), "{what}: {why}");
        }
    };
    check("panics", End::Crash, "ouch");
    check("cheats", End::Illegal, "illegal");
    check("gives up", End::Refusal, "no idea");
    check("dawdles", End::Time, "");
    check("is stopped", End::Time, "still searching");
    check("sleeps", End::Time, "took 0.6");
}

/// An interrupted game has no result, even if the stopped player returns a move.
#[test]
fn an_interrupted_game_has_no_result() {
    struct Interrupt(std::time::Instant);
    impl Monitor for Interrupt {
        fn stage(&self, _: &str, _: u64) {}
        fn advance(&self, _: u64) {}
        fn stopped(&self) -> bool {
            self.0.elapsed() > Duration::from_millis(50)
        }
    }
    // The last move of a game: were it played, the game would be over and counted.
    let kit = kit("mnk:4x4,k=4");
    let pos = kit.game.read_position("oxox/oxox/xoxo/xox1").unwrap();
    let opening = Opening { pos, moves: Vec::new() };
    // A player that takes longer to stop than a move may take does not lose on time either.
    let timed = House { time: Some(Duration::from_millis(200)), ..House::default() };
    for (what, house) in
        [("dawdles", House::default()), ("is stopped", House::default()), ("stops late", timed)]
    {
        let (mut one, mut other) = (Bad(what, 1, kit.game.clone()), Bad(what, 1, kit.game.clone()));
        struct Begun<'a>(&'a mut Bad);
        impl Player for Begun<'_> {
            fn spec(&self) -> String {
                self.0.spec()
            }
            fn begin(&mut self, _: u64) {}
            fn choose(&mut self, pos: &AnyPosition, monitor: &dyn Monitor) -> Result<Choice, PlayError> {
                self.0.choose(pos, monitor)
            }
        }
        let players: [&mut dyn Player; 2] = [&mut Begun(&mut one), &mut Begun(&mut other)];
        let monitor = Interrupt(std::time::Instant::now());
        let played = referee::play(&kit, &opening, players, [1, 1], &house, &monitor);
        assert!(played.is_none(), "{what}: {played:?}");
    }
}

/// A cyclic game: a walk on a ring that need not end.
#[derive(Clone)]
struct Circle;

impl Game for Circle {
    type Position = (u8, bool);
    type Move = u8;
    fn start(&self) -> Option<(u8, bool)> {
        Some((0, true))
    }
    fn turn(&self, pos: &(u8, bool)) -> Turn {
        if pos.1 { Turn::First } else { Turn::Second }
    }
    fn moves(&self, _: &(u8, bool), out: &mut Vec<u8>) {
        out.push(1);
    }
    fn play(&self, pos: &(u8, bool), mv: u8) -> (u8, bool) {
        ((pos.0 + mv) % 4, !pos.1)
    }
    fn outcome(&self, _: &(u8, bool)) -> Option<Payoff> {
        None
    }
}

impl Notation for Circle {
    fn spec(&self) -> String {
        "circle".into()
    }
    fn write_position(&self, pos: &(u8, bool)) -> String {
        format!("{pos:?}")
    }
    fn read_position(&self, text: &str) -> Result<(u8, bool), InputError> {
        Err(InputError::position(text, "not read here"))
    }
    fn write_move(&self, _: &(u8, bool), mv: u8) -> String {
        mv.to_string()
    }
}

#[test]
fn repetitions_are_draws() {
    let kit = PlayerContext::new(Native::new(Circle));
    let opening = Opening { pos: kit.game.start().unwrap(), moves: Vec::new() };
    let ends = |house: &House| {
        let (mut a, mut b) = (Random::new(kit.game.clone()), Random::new(kit.game.clone()));
        let played = referee::play(&kit, &opening, [&mut a, &mut b], [1, 1], house, &NoMonitor).unwrap();
        (played.end, played.payoff, played.moves.len())
    };
    assert_eq!(ends(&House::default()), (End::Repetition, 0, 8));
    assert_eq!(ends(&House { plies: 5, time: None }), (End::Plies, 0, 5));
}

/// Dice without outcomes: a fault of the rules.
#[derive(Clone)]
struct Stuck;

impl Game for Stuck {
    type Position = u8;
    type Move = u8;
    fn start(&self) -> Option<u8> {
        Some(0)
    }
    fn turn(&self, _: &u8) -> Turn {
        Turn::Chance
    }
    fn moves(&self, _: &u8, _: &mut Vec<u8>) {}
    fn play(&self, pos: &u8, _: u8) -> u8 {
        *pos
    }
    fn outcome(&self, _: &u8) -> Option<Payoff> {
        None
    }
}

impl Notation for Stuck {
    fn spec(&self) -> String {
        "stuck".into()
    }
    fn write_position(&self, pos: &u8) -> String {
        pos.to_string()
    }
    fn read_position(&self, text: &str) -> Result<u8, InputError> {
        Err(InputError::position(text, "not read here"))
    }
    fn write_move(&self, _: &u8, mv: u8) -> String {
        mv.to_string()
    }
}

#[test]
fn dice_without_outcomes_are_nobodys_loss() {
    let kit = PlayerContext::new(Native::new(Stuck));
    let opening = Opening { pos: kit.game.start().unwrap(), moves: Vec::new() };
    let (mut a, mut b) = (Random::new(kit.game.clone()), Random::new(kit.game.clone()));
    let house = House::default();
    let played = referee::play(&kit, &opening, [&mut a, &mut b], [1, 1], &house, &NoMonitor).unwrap();
    assert_eq!((played.end, played.payoff), (End::Plies, 0));
    assert!(played.why.unwrap().contains("no outcomes"));
}

#[test]
fn games_with_dice_are_the_same_for_the_same_seed() {
    let kit = PlayerContext::with_dice(Pig::from_spec(Spec::parse("pig:20").unwrap()).unwrap());
    let start = kit.game.start().unwrap();
    let games = |seed| {
        let wanted = with(request(&["random", "greedy"], 20), |wanted| wanted.seed = seed);
        let (report, games) = play(&kit, &start, None, &wanted, &NoMonitor).unwrap();
        assert_eq!((report.standings.games, report.openings), (20, 0));
        assert!(games.iter().all(|game| game.end == End::Rules && game.payoff != 0));
        games.into_iter().map(|game| game.moves).collect::<Vec<_>>()
    };
    assert_eq!(games(1), games(1));
    assert_ne!(games(1), games(2));
}

#[test]
fn games_without_a_board_play_too() {
    let kit = PlayerContext::new(Native::new(Nim::from_spec(Spec::parse("nim:3+4+5").unwrap()).unwrap()));
    let start = kit.game.start().unwrap();
    let wanted = with(request(&["random", "alphabeta:depth=9"], 40), |wanted| wanted.openings = Some(0));
    let report = run(&kit, &start, None, &wanted, &NoMonitor).unwrap();
    assert!(report.standings.players[1].score > 0.9, "{:?}", report.standings.players[1]);
}

#[test]
fn compete_plays_from_any_position_with_exact_values() {
    let entry =
        GameBuilder::new(native("tictactoe").game).lines().index(outplay_games::mnk::MnkIndex::new).build();
    let mut session = Session::default();
    session.data = None;
    let wanted = with(request(&["perfect", "random"], 20), |wanted| wanted.judged = true);
    let report = compete(&session, &entry, &PositionRef::Start, &wanted, &NoMonitor).unwrap();
    assert_eq!((report.position, report.standings.games), (None, 20));
    let judged = report.standings.players[0].judged.unwrap();
    assert!(judged.kept == Some(1.0) && judged.moves > 0);
    let place = PositionRef::Moves("b2 a1".into());
    let report = compete(&session, &entry, &place, &wanted, &NoMonitor).unwrap();
    assert_eq!(report.position.as_deref(), Some(".../.x./o.."));
    let nowhere = compete(&session, &entry, &PositionRef::Moves("z9".into()), &wanted, &NoMonitor);
    assert!(nowhere.unwrap_err().is_input());
    let nobody = compete(&session, &entry, &PositionRef::Start, &request(&["random"], 20), &NoMonitor);
    assert!(nobody.unwrap_err().is_input());
}
