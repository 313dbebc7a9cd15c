//! Laws of every player: whole games, specs that round-trip, reproducible seeds, and no missed win or loss in one.

mod stopped;

use outplay_core::{AnyMove, AnyPosition, Chance, Content, Game, LineBoard, Native, Notation, Turn, Value};
use outplay_games::mnk::{LargeMnk, Mnk, Rules};
use outplay_games::nim::Nim;
use outplay_games::{Spec, pig::Pig};
use outplay_players::{ExactOracle, FeatureSet, MoveValue, MoveValues, PlayError, PlayerContext, ROSTER};
use outplay_runtime::{Monitor, NoMonitor};
use outplay_solve::{Memo, memo};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Exact values of a small game.
struct Solved<G: Game> {
    native: Native<G>,
    memo: Memo<G>,
}

impl<G: Game> ExactOracle for Solved<G> {
    fn moves(&self, pos: &AnyPosition, _monitor: &dyn Monitor) -> Result<Option<MoveValues>, PlayError> {
        let (game, here) = (&self.native.game, self.native.pos(pos));
        let value = |(place, &mv): (usize, &G::Move)| -> Option<(AnyMove, MoveValue)> {
            let next = game.play(here, mv);
            let same = game.turn(&next) == game.turn(here);
            Some((AnyMove(place as u32), MoveValue::Value(self.memo.value(&next)?.before(same))))
        };
        Ok(self.native.list(pos).iter().enumerate().map(value).collect())
    }
}

fn native(spec: &str) -> Native<Mnk<u64>> {
    Native::new(Mnk::new(Rules::parse(spec).unwrap()).unwrap()).lines()
}

fn large(spec: &str) -> PlayerContext {
    PlayerContext::new(Native::new(LargeMnk::new(Rules::parse(spec).unwrap())).lines())
}

fn nim(spec: &str) -> Native<Nim> {
    Native::new(Nim::from_spec(Spec::parse(spec).unwrap()).unwrap())
}

fn board(spec: &str) -> PlayerContext {
    PlayerContext::new(native(spec))
}

fn solved<G: Game + Notation>(native: Native<G>) -> PlayerContext {
    let memo = memo(&native.game, &native.game.start().unwrap(), 2_000_000, &NoMonitor).unwrap();
    let truth = Arc::new(Solved { native: native.clone(), memo });
    PlayerContext { truth: Some(truth), ..PlayerContext::new(native) }
}

/// Plays one game and returns its moves.
fn game(kit: &PlayerContext, first: &str, second: &str, seed: u64) -> Vec<String> {
    let mut players = [kit.player(first).unwrap(), kit.player(second).unwrap()];
    players.iter_mut().for_each(|player| player.begin(seed));
    let mut rng = SmallRng::seed_from_u64(seed);
    let mut pos = kit.game.start().unwrap();
    let mut moves = Vec::new();
    while kit.game.outcome(&pos).is_none() {
        let mv = match kit.game.turn(&pos) {
            Turn::Chance => {
                let mut falls = Vec::new();
                kit.game.outcomes(&pos, &mut falls);
                falls[rng.random_range(0..falls.len())].0
            }
            turn => {
                let player = &mut players[usize::from(turn == Turn::Second)];
                let choice = player.choose(&pos, &NoMonitor).unwrap();
                let mut legal = Vec::new();
                kit.game.moves(&pos, &mut legal);
                assert!(legal.contains(&choice.mv), "{} played an illegal move", player.spec());
                assert!(choice.line.first().is_none_or(|&mv| mv == choice.mv));
                assert!(choice.opinion.is_none_or(|opinion| opinion.abs() <= 300.0));
                choice.mv
            }
        };
        moves.push(kit.game.write_move(&pos, mv));
        pos = kit.game.play(&pos, mv);
    }
    moves
}

/// Every player of a game plays the same whole game twice from one seed, and its spec round-trips.
fn everybody_plays(kit: &PlayerContext, expected: usize) {
    let roster = kit.roster();
    assert_eq!(roster.len(), expected, "{:?}", roster.iter().map(|about| about.name).collect::<Vec<_>>());
    for about in roster {
        let quick = about.example.replace("depth=7", "depth=4").replace("playouts=5000", "playouts=100");
        let spec = kit.player(&quick).unwrap().spec();
        assert_eq!(kit.player(&spec).unwrap().spec(), spec);
        assert_eq!(game(kit, &spec, "random", 3), game(kit, &spec, "random", 3), "{spec}");
    }
    for level in kit.levels().iter() {
        assert_eq!(kit.player(&level.player).unwrap().spec(), level.player);
    }
}

#[test]
fn levels_have_numbers_and_names() {
    let check = |kit: &PlayerContext, word: &str, expected: &str| {
        let found = kit.levels().find(word).map(|level| format!("{} {}", level.number, level.player));
        assert_eq!(found.unwrap_or_else(|error| error.to_string()), expected, "{word}");
    };
    let small = solved(native("tictactoe"));
    check(&small, "1", "1 random");
    check(&small, "casual", "4 alphabeta:depth=2,eval=lines:weights=paper");
    check(&small, "CLUB", "5 alphabeta:depth=4,eval=lines:weights=paper");
    check(&small, " Perfect ", "9 perfect");
    let listed =
        "1 Random, 2 Careless, 3 Beginner, 4 Casual, 5 Club, 6 Strong, 7 Expert, 8 Master, 9 Perfect";
    check(&small, "10", &format!("`10`: this game has no such level; its levels are {listed}"));
    let near = "this game has no such level; did you mean `expert`? its levels are";
    check(&small, "expret", &format!("`expret`: {near} {listed}"));
    let gomoku = large("mnk:15x15,k=5");
    check(&gomoku, "novice", "4 helpful");
    check(&gomoku, "9", "9 alphabeta:time=1s,eval=patterns");
    let json = serde_json::to_value(gomoku.levels()).unwrap();
    assert_eq!(json["levels"][3], "helpful");
    let club =
        serde_json::json!({ "number": 6, "name": "Club", "player": "alphabeta:depth=4,eval=patterns" });
    assert_eq!(json["named_levels"][5], club);
}

#[test]
fn every_player_plays_tic_tac_toe() {
    everybody_plays(&solved(native("tictactoe")), ROSTER.len());
}

#[test]
fn every_player_plays_a_board_with_gravity_and_an_obstacle() {
    everybody_plays(&solved(native("connect4:4x4,obstacles=b1")), ROSTER.len());
}

#[test]
fn every_generic_player_plays_misere_nim_and_pig() {
    everybody_plays(&solved(native("tictactoe,misere")), ROSTER.len() - 3);
    everybody_plays(&solved(nim("nim:2+3")), 7);
    let pig = Pig::from_spec(Spec::parse("pig:10").unwrap()).unwrap();
    everybody_plays(&PlayerContext::with_dice(pig), 5);
}

#[test]
fn helpful_plays_large_boards() {
    let moves = game(&large("mnk:20x20,k=5"), "helpful", "greedy", 1);
    assert!(moves.len() >= 9, "{moves:?}");
}

#[test]
fn helpful_stays_near_its_stones_on_vast_boards() {
    let kit = large("mnk:60x60,k=5");
    for seed in 0..4 {
        let moves = game(&kit, "helpful", "random", seed);
        assert!(moves.len() < 40, "{moves:?}");
    }
}

/// CPU time of this thread, so that other load does not count; wall-clock time where it is not available.
fn processor_time() -> Duration {
    let known = std::fs::read_to_string("/proc/thread-self/schedstat").ok();
    let nanos = known.and_then(|text| text.split_whitespace().next()?.parse().ok());
    static BEGAN: std::sync::OnceLock<Instant> = std::sync::OnceLock::new();
    nanos.map_or_else(|| BEGAN.get_or_init(Instant::now).elapsed(), Duration::from_nanos)
}

#[test]
fn helpful_takes_milliseconds_and_little_memory_on_a_million_cells() {
    let kit = large("mnk:1000x1000,k=5");
    let mut player = kit.player("helpful").unwrap();
    let time = |_| {
        // A position caches its moves, so each repetition takes a new one.
        let start = kit.game.start().unwrap();
        let began = processor_time();
        player.choose(&start, &NoMonitor).unwrap();
        processor_time() - began
    };
    let fastest = (0..9).map(time).min().unwrap();
    assert!(fastest < Duration::from_millis(20), "{fastest:?}");
    assert!(player.bytes() < 16_000_000, "{}", player.bytes());
}

/// Random unfinished positions.
fn positions(kit: &PlayerContext, games: u64) -> Vec<AnyPosition> {
    let mut all = Vec::new();
    for seed in 0..games {
        let mut rng = SmallRng::seed_from_u64(seed);
        let mut pos = kit.game.start().unwrap();
        while kit.game.outcome(&pos).is_none() {
            all.push(pos.clone());
            let mut moves = Vec::new();
            kit.game.moves(&pos, &mut moves);
            pos = kit.game.play(&pos, moves[rng.random_range(0..moves.len())]);
        }
    }
    all
}

/// The open cells where a player completes a line.
fn completing(board: &LineBoard, player: Content) -> Vec<usize> {
    board.open_cells().into_iter().filter(|&cell| board.completes(cell, player)).collect()
}

#[test]
fn no_weights_make_alphabeta_pass_up_a_win_or_leave_a_loss_in_one() {
    for spec in
        ["connect4", "tictactoe", "mnk:5x5,k=4,obstacles=c3", "connect4:5x4,obstacles=b2", "mnk:6x6,k=5"]
    {
        let kit = board(spec);
        let mut rng = SmallRng::seed_from_u64(7);
        let positions = positions(&kit, 30);
        for round in 0..10 {
            let eval = match round {
                8 => "patterns".to_string(),
                9 => "patterns:weights=plain".into(),
                0 => "zero".to_string(),
                1 => "polynomial:base=3".into(),
                2 => "helpful".into(),
                3 => "playout:games=1".into(),
                _ => {
                    let set = if round % 2 == 0 { FeatureSet::Paper } else { FeatureSet::Extended };
                    let absurd = |name: &&str| format!("{name}={}", rng.random_range(-1000..=1000));
                    let weights: Vec<String> = set.names().iter().map(absurd).collect();
                    format!("lines:weights={},{}", set.word(), weights.join(","))
                }
            };
            let limit =
                ["depth=1", "depth=2", "depth=3", "nodes=1", "nodes=30", "depth=4,nodes=100"][round % 6];
            let spec = format!("alphabeta:{limit},eval={eval}");
            let mut player = kit.player(&spec).unwrap();
            player.begin(1);
            for pos in &positions {
                let board = kit.game.board(pos).unwrap();
                let (me, other) = match board.turn {
                    Turn::Second => (Content::Second, Content::First),
                    _ => (Content::First, Content::Second),
                };
                let (wins, threats) = (completing(&board, me), completing(&board, other));
                if wins.is_empty() && threats.is_empty() {
                    continue;
                }
                let mv = player.choose(pos, &NoMonitor).unwrap().mv;
                let word = kit.game.write_move(pos, mv);
                let wanted = if wins.is_empty() { threats } else { wins };
                let wanted: Vec<String> = wanted.into_iter().map(|cell| board.move_name(cell)).collect();
                assert!(wanted.contains(&word), "{spec} at {}: {word}", kit.game.write_position(pos));
            }
        }
    }
}

#[test]
fn search_to_the_end_is_perfect() {
    for spec in [
        "tictactoe",
        "mnk:4x3,k=3",
        "connect4:4x4",
        "connect:4x3,k=3",
        "mnk:3x3,k=3,obstacles=a1",
        "tictactoe,misere",
    ] {
        let kit = solved(native(spec));
        let Some(truth) = kit.truth.clone() else { continue };
        let mut positions = positions(&kit, 60);
        positions.dedup();
        let mut deep = kit.player("alphabeta:depth=20").unwrap();
        let mut patterned = kit.player("alphabeta:depth=20,eval=patterns").unwrap();
        let mut perfect = kit.player("perfect").unwrap();
        for pos in &positions {
            let merits = truth.moves(pos, &NoMonitor).unwrap().unwrap();
            let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b)).unwrap();
            let of = |mv: AnyMove| merits.iter().find(|(known, _)| *known == mv).unwrap().1;
            for player in [&mut deep, &mut patterned] {
                let choice = player.choose(pos, &NoMonitor).unwrap();
                let name = player.spec();
                assert!(of(choice.mv).preserves(best), "{spec} {} {name}", kit.game.write_position(pos));
            }
            let mv = perfect.choose(pos, &NoMonitor).unwrap().mv;
            assert!(of(mv).equals(best));
        }
    }
}

#[test]
fn swindler_preserves_the_value_and_maximises_wrong_replies() {
    let kit = solved(native("tictactoe"));
    let mut swindler = kit.player("swindler").unwrap();
    swindler.begin(1);
    for pos in positions(&kit, 40) {
        let merits = kit.truth.as_ref().unwrap().moves(&pos, &NoMonitor).unwrap().unwrap();
        let best = merits.iter().map(|(_, merit)| *merit).max_by(|a, b| a.compare(*b)).unwrap();
        let mv = swindler.choose(&pos, &NoMonitor).unwrap().mv;
        let merit = merits.iter().find(|(known, _)| *known == mv).unwrap().1;
        assert!(merit.preserves(best));
        if best == MoveValue::Value(Value::win(1)) {
            assert_eq!(merit, best);
        }
    }
}

#[test]
fn bad_specs_are_one_sentence_with_the_nearest_word() {
    let kit = board("connect4");
    let check = |spec: &str, expected: &str| {
        let error = kit.player(spec).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(expected) && !error.contains('\n'), "{spec}: {error}");
    };
    check("alfabeta", "did you mean `alphabeta`?");
    check("alphabeta:depht=3", "did you mean `depth`?");
    check("alphabeta:depth=0", "not a number from 1 to 1000");
    check("alphabeta:depth=3,eval=line", "did you mean `lines`?");
    check("lines:tows=1", "did you mean `twos`?");
    check("lines:weights=there/is/none", "weights cannot be read from files here");
    check("noisy:p=2,inner=random", "not a number from 0 to 1");
    check("noisy:p=0.5", "`inner=PLAYER` is missing");
    check("noisy:inner=noisy:inner=noisy:inner=noisy:inner=noisy:inner=random", "at most four deep");
    check("perfect", "are not available here");
    check("helpful:form=new", "write `form=revised` or `form=first`");
    check("", "the player's name is missing");
    let error = PlayerContext::new(nim("nim:2+2")).player("helpful").err().unwrap().to_string();
    assert!(error.contains("for games of k in a row, which nim:2+2 is not"), "{error}");
}

#[test]
fn players_keep_their_time_when_the_machine_is_busy() {
    let stop = Arc::new(std::sync::atomic::AtomicBool::new(false));
    let busy: Vec<_> = (0..4)
        .map(|_| {
            let stop = stop.clone();
            std::thread::spawn(move || while !stop.load(std::sync::atomic::Ordering::Relaxed) {})
        })
        .collect();
    let limit = Duration::from_millis(100);
    for (spec, game) in [
        ("alphabeta:time=100ms,eval=lines", "connect4"),
        ("alphabeta:time=100ms,eval=playout:games=2000", "mnk:7x7,k=4"),
        ("mcts:time=100ms", "connect4"),
    ] {
        let kit = board(game);
        let mut player = kit.player(spec).unwrap();
        player.begin(1);
        let mut times = Vec::new();
        for pos in positions(&kit, 1).iter().take(9) {
            let began = Instant::now();
            player.choose(pos, &NoMonitor).unwrap();
            times.push(began.elapsed());
        }
        times.sort();
        // The median: other load may delay any single move.
        assert!(times[times.len() / 2] <= limit + limit / 5, "{spec}: {times:?}");
    }
    stop.store(true, std::sync::atomic::Ordering::Relaxed);
    busy.into_iter().for_each(|thread| thread.join().unwrap());
}

#[test]
fn noise_is_as_frequent_as_asked() {
    let kit = solved(native("tictactoe"));
    let start = kit.game.read_position("xx1/oo1/3").unwrap();
    let mut slips = 0;
    let mut player = kit.player("noisy:p=0.5,inner=perfect").unwrap();
    for seed in 0..400 {
        player.begin(seed);
        let mv = player.choose(&start, &NoMonitor).unwrap().mv;
        slips += u32::from(kit.game.write_move(&start, mv) != "c3");
    }
    // A random move is one of five, one of which is the inner player's.
    assert!((120..200).contains(&slips), "{slips}");
}

/// Techniques change the work, never the value.
#[test]
fn techniques_agree() {
    let kit = board("connect4:5x4");
    let mut rng = SmallRng::seed_from_u64(5);
    let (mut natural, mut best, mut hits, mut shared) = (0, 0, 0, 0);
    for _ in 0..12 {
        let mut pos = kit.game.start().unwrap();
        for _ in 0..rng.random_range(0..8) {
            let next: Vec<_> = kit.game.list(&pos).map(|mv| kit.game.play(&pos, mv)).collect();
            let next = next[rng.random_range(0..next.len())].clone();
            if kit.game.outcome(&next).is_none() {
                pos = next;
            }
        }
        for eval in ["zero", "lines"] {
            let ask = |words: &str| {
                let spec = format!("alphabeta:depth=5,{words},eval={eval}");
                let mut player = kit.player(&spec).unwrap();
                assert_eq!(player.spec(), kit.player(&player.spec()).unwrap().spec());
                player.begin(1);
                player.choose(&pos, &NoMonitor).unwrap()
            };
            let plain = ask("order=natural");
            for words in ["order=centre", "order=killer", "order=history", "order=best", "key=exact"] {
                assert_eq!(ask(words).opinion, plain.opinion, "{words}, {eval}");
            }
            let cached = ask("order=natural,cache=on");
            assert_eq!((cached.opinion, cached.nodes), (plain.opinion, plain.nodes));
            hits += cached.counters.cache_hits;
            let (long, short) = (ask("order=natural,key=zobrist"), ask("order=natural,key=zobrist:8"));
            assert_eq!((long.opinion, long.counters.collisions), (plain.opinion, 0));
            assert_eq!(short.opinion, plain.opinion);
            shared += short.counters.collisions;
            natural += plain.nodes;
            best += ask("order=best").nodes;
        }
    }
    assert!(best < natural && hits > 0 && shared > 0, "{best} {natural} {hits} {shared}");
}

/// The transposition table is kept between moves, or cleared with `keep=off`.
#[test]
fn a_table_is_kept_or_not() {
    for (spec, evals) in [("connect4:6x5", ["zero", "mobility"]), ("mnk:6x6,k=4", ["patterns", "lines"])] {
        let kit = board(spec);
        for eval in evals {
            let play = |keep: &str| {
                let mut player = kit.player(&format!("alphabeta:depth=5,keep={keep},eval={eval}")).unwrap();
                assert_eq!(player.spec().contains("keep"), keep == "off");
                player.begin(1);
                let mut pos = kit.game.start().unwrap();
                let mut fresh = Vec::new();
                for _ in 0..3 {
                    let mut other = kit.player(&player.spec()).unwrap();
                    other.begin(1);
                    let (mine, anew) =
                        (player.choose(&pos, &NoMonitor).unwrap(), other.choose(&pos, &NoMonitor).unwrap());
                    fresh.push(mine.counters == anew.counters);
                    pos = kit.game.play(&pos, mine.mv);
                    pos = kit.game.play(&pos, other.choose(&pos, &NoMonitor).unwrap().mv);
                }
                fresh
            };
            assert_eq!(play("off"), [true; 3], "{spec} {eval}");
            assert!(play("on").contains(&false), "{spec} {eval}");
        }
    }
}

/// Quiescence searches noisy moves beyond the horizon: at depth two it sees the win in three plies.
#[test]
fn quiescence_searches_noisy_moves_beyond_the_horizon() {
    let kit = board("connect4");
    // Three in the bottom row with both ends open cannot be stopped.
    let pos = kit.game.read_position("7/7/7/7/2oo3/2xx3").unwrap();
    let ask = |words: &str| {
        let mut player = kit.player(&format!("alphabeta:depth=2,{words},eval=lines")).unwrap();
        player.begin(1);
        player.choose(&pos, &NoMonitor).unwrap()
    };
    let (quiet, loud) = (ask("quiescence=0"), ask("quiescence=1"));
    assert_eq!((quiet.counters.quiescence_nodes, quiet.depth, loud.depth), (0, 2, 2));
    assert!(loud.counters.quiescence_nodes > 0, "{loud:?}");
    assert!(quiet.opinion.unwrap() < 99.0, "{quiet:?}");
    assert_eq!((loud.opinion, [1, 4].contains(&loud.mv.0)), (Some(100.0), true), "{loud:?}");
}

/// Invalid combinations are refused with a sentence that says what to do.
#[test]
fn unsupported_techniques_are_refused() {
    let dice = PlayerContext::with_dice(Pig::from_spec(Spec::parse("piglet:3").unwrap()).unwrap());
    let check = |kit: &PlayerContext, spec: &str, cure: &str| {
        let error = kit.player(spec).map(|player| player.spec()).unwrap_err().to_string();
        assert!(error.contains(cure), "{spec}: {error}");
    };
    check(&board("mnk:7x7,k=5"), "alphabeta:order=natural", "accepts is `keep=`");
    check(&board("mnk:7x7,k=5"), "alphabeta:quiescence=4,eval=patterns", "eval=lines");
    check(&PlayerContext::new(nim("nim:3+4")), "alphabeta:quiescence=4", "k in a row");
    check(&PlayerContext::new(nim("nim:3+4")), "alphabeta:order=centre", "order=best");
    check(&board("mnk:3x3,misere"), "alphabeta:quiescence=4", "does not win");
    check(&dice, "alphabeta:order=killer", "without dice");
    check(&dice, "alphabeta:keep=off", "without dice");
    check(&board("tictactoe"), "alphabeta:orders=best", "did you mean `order`");
    assert!(
        PlayerContext::new(nim("nim:3+4"))
            .player("alphabeta:order=best,key=zobrist,cache=on,keep=off")
            .is_ok()
    );
}

/// Checks the frequencies of a player's choices against its distribution.
fn distribution_matches_choices(kit: &PlayerContext, spec: &str, positions: &[AnyPosition]) {
    const TRIES: u32 = 600;
    let mut player = kit.player(spec).unwrap();
    player.begin(7);
    for pos in positions.iter().filter(|pos| kit.game.outcome(pos).is_none()) {
        if kit.game.turn(pos) == Turn::Chance {
            continue;
        }
        let said = player.distribution(pos, &NoMonitor).unwrap();
        let chances = said.unwrap_or_else(|| panic!("{spec} reports no distribution")).chances();
        let total: f64 = chances.iter().map(|(_, chance)| chance).sum();
        assert!((total - 1.0).abs() < 1e-12, "{spec}: {total}");
        let tries = if chances.len() == 1 { 5 } else { TRIES };
        let mut counts = vec![0u32; chances.len()];
        for _ in 0..tries {
            let mv = player.choose(pos, &NoMonitor).unwrap().mv;
            let place = chances.iter().position(|(known, _)| *known == mv);
            counts[place.unwrap_or_else(|| panic!("{spec} chose a move of probability 0"))] += 1;
        }
        for ((_, chance), count) in chances.iter().zip(counts) {
            let (mean, deviation) =
                (chance * f64::from(tries), (chance * (1.0 - chance) * f64::from(tries)).sqrt());
            // Six standard deviations: one test in 500 million fails by chance.
            let distance = (f64::from(count) - mean).abs();
            assert!(distance <= 6.0 * deviation + 1e-9, "{spec}: {count} of {tries} for {chance}");
        }
    }
}

#[test]
fn distributions_match_the_frequencies_of_choices() {
    let specs = [
        "random",
        "greedy",
        "perfect",
        "swindler",
        "alphabeta:depth=3,keep=off",
        "alphabeta:nodes=50,keep=off,order=best",
        "alphabeta:depth=2,keep=off,eval=mobility",
        "noisy:p=0.3,inner=perfect",
        "noisy:p=0.5,inner=noisy:p=0.2,inner=greedy",
        "noisy:p=0,inner=swindler",
        "noisy:p=1,inner=mcts",
    ];
    let lines = [
        "helpful",
        "helpful:form=first",
        "polynomial",
        "lines",
        "greedy:eval=playout",
        "greedy:eval=patterns",
    ];
    for kit in [solved(native("tictactoe")), solved(native("connect:4x4,k=3"))] {
        let positions = positions(&kit, 4);
        specs.iter().chain(&lines).for_each(|spec| distribution_matches_choices(&kit, spec, &positions));
    }
    let kit = solved(nim("nim:3+4+1"));
    specs.iter().for_each(|spec| distribution_matches_choices(&kit, spec, &positions(&kit, 6)));
    let pig = PlayerContext::with_dice(Pig::from_spec(Spec::parse("pig:10").unwrap()).unwrap());
    let start = pig.game.start().unwrap();
    for spec in ["random", "greedy:eval=race", "alphabeta:depth=2", "noisy:p=0.25,inner=greedy:eval=race"] {
        distribution_matches_choices(&pig, spec, std::slice::from_ref(&start));
    }
}

#[test]
fn players_that_depend_on_more_than_the_position_report_no_distribution() {
    let kit = solved(native("connect4:4x4"));
    let start = kit.game.start().unwrap();
    for spec in [
        "mcts:playouts=50",
        "alphabeta:depth=3",
        "alphabeta:depth=3,keep=on,order=best",
        "alphabeta:time=10ms,keep=off",
        "alphabeta:depth=3,eval=patterns",
        "alphabeta:depth=3,eval=mobility",
        "noisy:p=0.5,inner=mcts:playouts=50",
    ] {
        let mut player = kit.player(spec).unwrap();
        player.begin(1);
        assert_eq!(player.distribution(&start, &NoMonitor).unwrap(), None, "{spec}");
    }
}
