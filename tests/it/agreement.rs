//! Agreement of all commands: `solve`, `query`, `show`, `perfect`, the judge and the HTTP API return the same value and
//! best moves as the oracle.
//!
//! The boards have obstacles, preset stones and misère play. The oracle is memoised minimax (value iteration where the
//! game has cycles or dice) and shares no code with the ladder's sources.

use crate::serve::Server;
use outplay::catalog::Catalog;
use outplay::core::{AnyPosition, Game, Index, Notation, Tone, Turn, Value};
use outplay::players::{ExactOracle, MoveValue};
use outplay::runtime::NoMonitor;
use outplay::solve::{ExploredGame, Settle, chance, memo, sweep_until_stable};
use outplay::workbench::{GameHandle, Method, Oracle, PositionRef, Session, SolveRequest};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};

/// Free cells of the boards in an everyday run, and in a slow one.
const CELLS: usize = 11;
const MANY_CELLS: usize = 16;

fn options() -> Session {
    let mut session = Session::default();
    session.data = None;
    session.threads = 1;
    session
}

/// A random board with at most so many free cells on which the game is not over.
fn random_board(catalog: &Catalog, most: usize, rng: &mut SmallRng) -> GameHandle {
    loop {
        let (w, h) = (rng.random_range(1..=5usize), rng.random_range(1..=5usize));
        let mut cells: Vec<String> = (0..w * h).map(|n| outplay::core::cell_name(n / h, n % h)).collect();
        let mut take = |n: usize, rng: &mut SmallRng| -> Vec<String> {
            (0..n.min(cells.len())).map(|_| cells.swap_remove(rng.random_range(0..cells.len()))).collect()
        };
        let mut spec = format!("mnk:{w}x{h},k={}", rng.random_range(2..=4));
        let blocked = take(rng.random_range(0..=w * h / 3), rng);
        let stones = rng.random_range(0..=w * h / 3);
        let (first, second) = (take(stones.div_ceil(2), rng), take(stones / 2, rng));
        for (key, list) in [("obstacles", blocked), ("x", first), ("o", second)] {
            if !list.is_empty() {
                spec += &format!(",{key}={}", list.join("+"));
            }
        }
        spec += if rng.random_bool(0.4) { ",gravity" } else { "" };
        spec += if rng.random_bool(0.3) { ",misere" } else { "" };
        // Stones may float or have decided the game already; such boards are refused or of no use.
        let Ok(entry) = catalog.open(&spec) else { continue };
        let Some(start) = entry.game().start() else { continue };
        let free = entry.game().board(&start).map_or(0, |board| board.playable_cells() - board.stones());
        if (1..=most).contains(&free) && entry.game().outcome(&start).is_none() {
            return entry;
        }
    }
}

/// A position of a random game, not a finished one.
fn random_position(entry: &GameHandle, plies: usize, rng: &mut SmallRng) -> AnyPosition {
    let game = entry.game();
    loop {
        let mut pos = game.start().unwrap();
        for _ in 0..rng.random_range(0..=plies) {
            let moves = game.list(&pos).count();
            if moves == 0 {
                break;
            }
            let mv = game.list(&pos).nth(rng.random_range(0..moves)).unwrap();
            pos = game.play(&pos, mv);
        }
        if game.outcome(&pos).is_none() {
            return pos;
        }
    }
}

/// What the oracle says of a position and its moves.
struct Truthful {
    value: Value,
    moves: Vec<(String, Value)>,
}

impl Truthful {
    fn of(entry: &GameHandle, pos: &AnyPosition, value: impl Fn(&AnyPosition) -> Value) -> Truthful {
        let game = entry.game();
        let one = |mv| {
            let next = game.play(pos, mv);
            (game.write_move(pos, mv), value(&next).before(game.turn(&next) == game.turn(pos)))
        };
        Truthful { value: value(pos), moves: game.list(pos).map(one).collect() }
    }

    fn best(&self) -> Vec<String> {
        let is_best = |value: &Value| value.cmp(&self.value).is_eq();
        self.moves.iter().filter(|(_, value)| is_best(value)).map(|(mv, _)| mv.clone()).collect()
    }
}

/// Everybody is asked about a position.
fn everybody_agrees(entry: &GameHandle, pos: &AnyPosition, truth: &Truthful, server: Option<&Server>) {
    let game = entry.game();
    let (spec, text) = (game.spec(), game.write_position(pos));
    let place = PositionRef::Position(text.clone());
    let name = format!("{spec} at {text}");
    // A game that has learned nothing from the other questions.
    let fresh = || Catalog::standard().open(&spec).unwrap();

    let query = outplay::workbench::query(&options(), &fresh(), &place, &NoMonitor).unwrap();
    assert_eq!(query.answer.value(), Some(truth.value), "query {name}");
    assert_eq!(query.best, truth.best(), "query {name}");
    let moves: Vec<(String, Value)> =
        query.moves.iter().map(|mv| (mv.mv.clone(), mv.answer.value().unwrap())).collect();
    assert_eq!(moves, truth.moves, "query {name}");

    let best = outplay::workbench::query_best(&options(), &fresh(), &place, &NoMonitor).unwrap();
    assert_eq!(best.answer.verdict(), Some(truth.value.verdict()), "query --best {name}");
    assert!(!best.best.is_empty() && best.best.iter().all(|mv| truth.best().contains(mv)), "--best {name}");

    let mut request = SolveRequest::default();
    request.place = place.clone();
    let solved = outplay::workbench::solve(&options(), &fresh(), &request, &NoMonitor).unwrap();
    assert_eq!(solved.answer.value(), Some(truth.value), "solve {name}");
    assert_eq!(solved.best, truth.best(), "solve {name}");

    let tones = |tone: Tone| {
        let picture = outplay::workbench::draw(entry, &place, Some(&query)).unwrap();
        picture.lines.iter().flatten().filter(|span| span.tone == tone).count()
    };
    if game.has_board() {
        let count =
            |sign: i32| truth.moves.iter().filter(|(_, value)| value.payoff().signum() == sign).count();
        assert_eq!(
            [tones(Tone::Win), tones(Tone::Draw), tones(Tone::Loss)],
            [1, 0, -1].map(count),
            "show {name}"
        );
    }

    let asked = fresh();
    let mut perfect = outplay::workbench::kit(&options(), &asked).player("perfect").unwrap();
    let pos_there = asked.locate(&place).unwrap();
    let choice = perfect.choose(&pos_there, &NoMonitor).unwrap();
    assert!(truth.best().contains(&asked.game().write_move(&pos_there, choice.mv)), "perfect {name}");

    let judge = Oracle::new(options(), fresh());
    let merits = judge.moves(&judge_pos(&judge, &place, &spec), &NoMonitor).unwrap().unwrap();
    let merits: Vec<Value> = merits
        .iter()
        .map(|(_, merit)| if let MoveValue::Value(value) = merit { *value } else { panic!() })
        .collect();
    assert_eq!(merits, truth.moves.iter().map(|(_, value)| *value).collect::<Vec<_>>(), "the judge {name}");

    if let Some(server) = server {
        let quoted = |text: &str| text.replace('+', "%2B").replace(' ', "%20").replace('#', "%23");
        let path = format!("/api/v1/position?game={}&position={}", quoted(&spec), quoted(&text));
        let said = server.get(&path);
        assert_eq!(said["value"], truth.value.verdict().word(), "{path}");
        assert_eq!(said["best"], serde_json::json!(truth.best()), "{path}");
    }
}

/// The position as the judge's own game has it.
fn judge_pos(_judge: &Oracle, place: &PositionRef, spec: &str) -> AnyPosition {
    Catalog::standard().open(spec).unwrap().locate(place).unwrap()
}

fn boards_agree(most: usize, boards: usize, seed: u64, server: Option<&Server>) {
    let catalog = Catalog::standard();
    let mut rng = SmallRng::seed_from_u64(seed);
    for _ in 0..boards {
        let entry = random_board(&catalog, most, &mut rng);
        let pos = entry.game().start().unwrap();
        let memo = memo(entry.game(), &pos, u64::MAX, &NoMonitor).unwrap();
        let truth = Truthful::of(&entry, &pos, |pos| memo.value(pos).unwrap());
        everybody_agrees(&entry, &pos, &truth, server);
    }
}

#[test]
fn three_hundred_random_boards() {
    boards_agree(CELLS, 300, 1, Some(&Server::start(&[])));
}

#[test]
#[ignore = "memoised minimax of sixteen cells takes seconds each"]
fn a_hundred_larger_boards() {
    boards_agree(MANY_CELLS, 100, 2, Some(&Server::start(&[])));
}

#[test]
fn fifty_positions_of_nim() {
    let server = Server::start(&[]);
    let catalog = Catalog::standard();
    let mut rng = SmallRng::seed_from_u64(3);
    for _ in 0..50 {
        let piles: Vec<String> =
            (0..rng.random_range(1..=3)).map(|_| rng.random_range(1..=6u32).to_string()).collect();
        let normal = if rng.random_bool(0.5) { ",normal" } else { "" };
        let entry = catalog.open(&format!("nim:{}{normal}", piles.join("+"))).unwrap();
        let pos = random_position(&entry, 3, &mut rng);
        let memo = memo(entry.game(), &pos, u64::MAX, &NoMonitor).unwrap();
        let truth = Truthful::of(&entry, &pos, |pos| memo.value(pos).unwrap());
        everybody_agrees(&entry, &pos, &truth, Some(&server));
    }
}

/// Theory tells of large piles what sweeps tell of small ones.
#[test]
fn nim_sums_are_what_sweeps_find() {
    let catalog = Catalog::standard();
    for spec in ["nim:5+6+7", "nim:4+9,normal", "nim:1+1+2+3", "nim:7+7"] {
        let entry = catalog.open(spec).unwrap();
        let start = entry.game().start().unwrap();
        let memo = memo(entry.game(), &start, u64::MAX, &NoMonitor).unwrap();
        let explored = ExploredGame::new(entry.game(), &start, u64::MAX, &NoMonitor).unwrap();
        for pos in explored.positions().iter().filter(|pos| entry.game().outcome(pos).is_none()) {
            let theory = entry.game().theory(pos);
            assert_eq!(
                theory,
                memo.value(pos).map(Value::payoff),
                "{spec} at {}",
                entry.game().write_position(pos)
            );
        }
    }
    let large = outplay::workbench::query(
        &options(),
        &catalog.open("nim:1000+1000").unwrap(),
        &PositionRef::Start,
        &NoMonitor,
    )
    .unwrap();
    assert_eq!(large.answer.value(), Some(Value::untimed(-1)));
    let large = outplay::workbench::query(
        &options(),
        &catalog.open("nim:1000+999").unwrap(),
        &PositionRef::Start,
        &NoMonitor,
    )
    .unwrap();
    assert_eq!(large.best, ["1000-1"]);
}

#[test]
fn thirty_positions_of_morris() {
    let server = Server::start(&[]);
    let catalog = Catalog::standard();
    let mut rng = SmallRng::seed_from_u64(4);
    for spec in ["morris:three,lines=6", "morris:three,lines=8", "morris:tapatan"] {
        let entry = catalog.open(spec).unwrap();
        let start = entry.game().start().unwrap();
        let explored = ExploredGame::new(entry.game(), &start, u64::MAX, &NoMonitor).unwrap();
        let stable = sweep_until_stable(entry.game(), &explored, &NoMonitor).unwrap();
        for _ in 0..10 {
            let pos = random_position(&entry, 12, &mut rng);
            let value = |pos: &AnyPosition| {
                let (tier, number) = explored.rank(pos);
                stable.value(tier, number).unwrap()
            };
            let truth = Truthful::of(&entry, &pos, value);
            let place = PositionRef::Position(entry.game().write_position(&pos));
            let name = format!("{spec} at {place:?}");
            let query = outplay::workbench::query(&options(), &entry, &place, &NoMonitor).unwrap();
            assert_eq!(query.answer.value(), Some(truth.value), "query {name}");
            assert_eq!(query.best, truth.best(), "query {name}");
            for method in [Method::Auto, Method::UntilStable] {
                let mut request = SolveRequest::default();
                (request.place, request.method) = (place.clone(), method);
                let solved = outplay::workbench::solve(&options(), &entry, &request, &NoMonitor).unwrap();
                assert_eq!(solved.answer.value(), Some(truth.value), "solve {method} {name}");
                assert_eq!(solved.best, truth.best(), "solve {method} {name}");
            }
            let mut perfect = outplay::workbench::kit(&options(), &entry).player("perfect").unwrap();
            let choice = perfect.choose(&pos, &NoMonitor).unwrap();
            assert!(truth.best().contains(&entry.game().write_move(&pos, choice.mv)), "perfect {name}");
            let text = entry.game().write_position(&pos).replace(' ', "%20");
            let said = server.get(&format!("/api/v1/position?game={spec}&position={text}"));
            assert_eq!(said["value"], truth.value.verdict().word(), "{name}");
            assert_eq!(said["best"], serde_json::json!(truth.best()), "{name}");
        }
    }
}

#[test]
fn thirty_positions_with_dice() {
    let server = Server::start(&[]);
    let catalog = Catalog::standard();
    let mut rng = SmallRng::seed_from_u64(5);
    for spec in ["pig:12", "piglet:6", "einstein:3x3"] {
        let entry = catalog.open(spec).unwrap();
        let game = entry.game();
        let start = game.start().unwrap();
        let explored = ExploredGame::new(game, &start, u64::MAX, &NoMonitor).unwrap();
        let means = chance(game, &explored, Settle::default(), &NoMonitor).unwrap();
        let mean = |pos: &AnyPosition| {
            let (tier, number) = explored.rank(pos);
            means.value(tier, number)
        };
        for _ in 0..10 {
            let pos = random_position(&entry, 8, &mut rng);
            let turn = game.turn(&pos);
            let sign = if turn == Turn::Second { -1.0 } else { 1.0 };
            let text = game.write_position(&pos);
            let place = PositionRef::Position(text.clone());
            let moves: Vec<(String, f64)> =
                game.list(&pos).map(|mv| (game.write_move(&pos, mv), mean(&game.play(&pos, mv)))).collect();
            let top = moves.iter().map(|(_, mean)| sign * mean).fold(f64::MIN, f64::max);
            let best: Vec<&String> = match turn {
                Turn::Chance => Vec::new(),
                _ => moves.iter().filter(|(_, mean)| sign * mean > top - 1e-9).map(|(mv, _)| mv).collect(),
            };
            let query = outplay::workbench::query(&options(), &entry, &place, &NoMonitor).unwrap();
            let close = |found: Option<f64>, true_mean: f64| {
                found.is_some_and(|mean| (mean - true_mean).abs() < 1e-9)
            };
            assert!(close(query.answer.mean(), mean(&pos)), "query {spec} at {text}");
            assert_eq!(query.best.iter().collect::<Vec<_>>(), best, "query {spec} at {text}");
            for (found, (mv, mean)) in query.moves.iter().zip(&moves) {
                assert!(found.mv == *mv && close(found.answer.mean(), *mean), "query {spec} at {text}: {mv}");
            }
            let mut request = SolveRequest::default();
            request.place = place.clone();
            let solved = outplay::workbench::solve(&options(), &entry, &request, &NoMonitor).unwrap();
            assert!(close(solved.answer.mean(), mean(&pos)), "solve {spec} at {text}");
            assert_eq!(solved.best.iter().collect::<Vec<_>>(), best, "solve {spec} at {text}");
            let judge = Oracle::new(options(), entry.clone());
            let merit = judge.value(&pos, &NoMonitor).unwrap().unwrap();
            assert!((merit.payoff() * sign - mean(&pos)).abs() < 1e-9, "the judge {spec} at {text}");
            if turn != Turn::Chance {
                let mut perfect = outplay::workbench::kit(&options(), &entry).player("perfect").unwrap();
                let choice = perfect.choose(&pos, &NoMonitor).unwrap();
                assert!(best.contains(&&game.write_move(&pos, choice.mv)), "perfect {spec} at {text}");
            }
            let path = text.replace(' ', "%20").replace('+', "%2B");
            let said = server.get(&format!("/api/v1/position?game={spec}&position={path}"));
            assert!(close(said["mean"].as_f64(), mean(&pos)), "{spec} at {text}: {said}");
        }
    }
}

/// Symmetric moves share an answer, and no move is worth more than its position.
#[test]
fn bounds_agree_with_the_position() {
    let mut options = options();
    options.time = Some(std::time::Duration::from_millis(1500));
    for spec in ["mnk:7x7,k=5", "mnk:6x6,k=4", "mnk:7x7,k=4", "mnk:9x9,k=4"] {
        let entry = Catalog::standard().open(spec).unwrap();
        let answer = outplay::workbench::query(&options, &entry, &PositionRef::Start, &NoMonitor).unwrap();
        let of = |mv: &str| answer.moves.iter().find(|known| known.mv == mv).unwrap().answer;
        for (one, other) in [("a1", "g7"), ("a1", "a7"), ("b1", "a2")] {
            if answer.moves.iter().any(|mv| mv.mv == other) && !spec.contains("9x9") && !spec.contains("6x6")
            {
                assert_eq!(of(one), of(other), "{spec}: {one} and {other}");
            }
        }
        if let Some(value) = answer.answer.value() {
            let highest = |mv: &outplay::workbench::MoveAnswer| match (mv.answer.value(), mv.answer.bounds())
            {
                (Some(value), _) => value.payoff(),
                (None, Some([_, high])) => high,
                _ => 1,
            };
            assert!(answer.moves.iter().all(|mv| highest(mv) <= value.payoff()), "{spec}");
        }
    }
}
