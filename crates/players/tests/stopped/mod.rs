//! Interrupted searches return the move of the last finished iteration, for every player of every game family.

use super::{board, large, native, nim, solved};
use outplay_core::{AnyPosition, Chance, Game, Notation, Turn};
use outplay_games::einstein::Einstein;
use outplay_games::{Spec, pig::Pig};
use outplay_players::{Choice, PlayError, PlayerContext};
use outplay_runtime::{Monitor, NoMonitor};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

/// A monitor that stops after a number of polls, or at a moment.
struct StopAfter {
    polls: AtomicU64,
    most: u64,
    end: Option<Instant>,
}

impl StopAfter {
    fn polls(most: u64) -> StopAfter {
        StopAfter { polls: AtomicU64::new(0), most, end: None }
    }

    fn time(time: Duration) -> StopAfter {
        StopAfter { end: Some(Instant::now() + time), ..StopAfter::polls(u64::MAX) }
    }
}

impl Monitor for StopAfter {
    fn stage(&self, _: &str, _: u64) {}
    fn advance(&self, _: u64) {}
    fn stopped(&self) -> bool {
        let polls = self.polls.fetch_add(1, Ordering::Relaxed);
        polls >= self.most || self.end.is_some_and(|end| Instant::now() >= end)
    }
}

/// A position after some random moves at which a player has a choice.
fn somewhere(kit: &PlayerContext, rng: &mut SmallRng, most: u32) -> AnyPosition {
    loop {
        let mut pos = kit.game.start().unwrap();
        for _ in 0..rng.random_range(1..=most) {
            let moves: Vec<_> = match kit.game.turn(&pos) {
                Turn::Chance => {
                    let mut falls = Vec::new();
                    kit.game.outcomes(&pos, &mut falls);
                    falls.into_iter().map(|(mv, _)| mv).collect()
                }
                _ => kit.game.list(&pos).collect(),
            };
            let next = kit.game.play(&pos, moves[rng.random_range(0..moves.len())]);
            if kit.game.outcome(&next).is_none() {
                pos = next;
            }
        }
        if kit.game.turn(&pos) != Turn::Chance && kit.game.list(&pos).count() > 1 {
            return pos;
        }
    }
}

fn ask(
    kit: &PlayerContext,
    spec: &str,
    pos: &AnyPosition,
    monitor: &dyn Monitor,
) -> Result<Choice, PlayError> {
    let mut player = kit.player(spec).unwrap();
    player.begin(7);
    player.choose(pos, monitor)
}

/// Stops that returned a move, and stops that returned none.
#[derive(Default)]
struct Count {
    stopped: u32,
    empty: u32,
    deep: u32,
}

/// Stops a player, and compares its move with the same search limited to the reported depth or playouts.
fn check(
    kit: &PlayerContext,
    [head, limit, tail]: [&str; 3],
    monitor: &StopAfter,
    pos: &AnyPosition,
    count: &mut Count,
) {
    let spec = |limit: &str| format!("{head}:{limit}{tail}");
    let at = || format!("{} {} {}", kit.game.write_position(pos), spec(limit), monitor.most);
    let choice = match ask(kit, &spec(limit), pos, monitor) {
        Err(PlayError::Stopped) => return count.empty += 1,
        choice => choice.unwrap(),
    };
    if !choice.stopped {
        return;
    }
    count.stopped += 1;
    count.deep += u32::from(choice.depth > 1);
    let reached = match head {
        "mcts" => format!("playouts={}", choice.nodes),
        _ => format!("depth={}", choice.depth),
    };
    assert_ne!(reached, "depth=0", "{}", at());
    let same = ask(kit, &spec(&reached), pos, &NoMonitor).unwrap();
    assert_eq!((same.mv, same.opinion, same.depth), (choice.mv, choice.opinion, choice.depth), "{}", at());
    assert!(!same.stopped && choice.line.first() == Some(&choice.mv), "{}", at());
    assert!(choice.finished().is_err());
}

/// Player contexts of every game family with their searches; table sizes are equal up to eight plies.
fn families() -> Vec<(PlayerContext, Vec<[&'static str; 3]>, u32)> {
    let pig = Pig::from_spec(Spec::parse("pig:40").unwrap()).unwrap();
    let einstein = Einstein::from_spec(Spec::parse("einstein").unwrap()).unwrap();
    let mcts = ["mcts", "playouts=100000", ""];
    vec![
        (
            board("connect4"),
            vec![
                ["alphabeta", "depth=8", ",eval=lines"],
                ["alphabeta", "depth=8", ""],
                ["alphabeta", "depth=8", ",order=best,eval=lines"],
                ["alphabeta", "depth=8", ",key=zobrist,eval=polynomial"],
                ["alphabeta", "depth=8", ",eval=patterns"],
                mcts,
            ],
            16,
        ),
        (
            board("mnk:6x6,k=4"),
            vec![["alphabeta", "depth=8", ",eval=lines"], ["alphabeta", "depth=8", ",eval=helpful"], mcts],
            10,
        ),
        (board("mnk:5x5,k=4,misere"), vec![["alphabeta", "depth=8", ",eval=mobility"], mcts], 10),
        (large("mnk:15x15,k=5"), vec![["alphabeta", "depth=8", ",eval=patterns"], mcts], 24),
        (PlayerContext::new(nim("nim:7+8+9+10")), vec![["alphabeta", "depth=8", ",eval=mobility"], mcts], 5),
        (PlayerContext::with_dice(pig), vec![["alphabeta", "depth=8", ",eval=race"], mcts], 20),
        (PlayerContext::with_dice(einstein), vec![["alphabeta", "depth=6", ",eval=race"], mcts], 20),
    ]
}

#[test]
fn stopped_search_keeps_its_best_move() {
    let mut rng = SmallRng::seed_from_u64(11);
    for (kit, specs, plies) in families() {
        for spec in specs {
            let mut count = Count::default();
            // Many positions are decided without a search, so no stop applies.
            for _ in 0..200 {
                let pos = somewhere(&kit, &mut rng, plies);
                // The number of polls is log-uniform.
                let polls = 2f64.powf(rng.random_range(0.0..8.0)) as u64 - 1;
                check(&kit, spec, &StopAfter::polls(polls), &pos, &mut count);
                if count.stopped >= 12 && (count.deep >= 4 || spec[0] == "mcts") {
                    break;
                }
            }
            let Count { stopped, empty, deep } = count;
            assert!(stopped >= 12, "{} {spec:?}: {stopped} stopped, {empty} empty", kit.game.spec());
            assert!(deep >= 4 || spec[0] == "mcts", "{} {spec:?}: {deep} deep", kit.game.spec());
        }
    }
}

#[test]
fn search_stopped_by_the_clock_keeps_its_best_move() {
    let mut rng = SmallRng::seed_from_u64(12);
    let mut count = Count::default();
    for (kit, specs, plies) in families() {
        for spec in specs {
            for _ in 0..3 {
                let pos = somewhere(&kit, &mut rng, plies);
                let time = Duration::from_micros(rng.random_range(200..15_000));
                check(&kit, spec, &StopAfter::time(time), &pos, &mut count);
            }
        }
    }
    assert!(count.stopped >= 10, "{} stopped", count.stopped);
}

/// Players without iterative deepening return a move, or report that they were stopped.
#[test]
fn every_stopped_player_moves_or_reports_the_stop() {
    let pig = Pig::from_spec(Spec::parse("pig:10").unwrap()).unwrap();
    let kits = [
        solved(native("tictactoe")),
        solved(native("connect4:4x4,obstacles=b1")),
        solved(nim("nim:2+3")),
        PlayerContext::with_dice(pig),
    ];
    let mut rng = SmallRng::seed_from_u64(13);
    for kit in kits {
        for about in kit.roster() {
            for polls in [0, 1, 2, 5, 20] {
                let pos = somewhere(&kit, &mut rng, 3);
                match ask(&kit, about.example, &pos, &StopAfter::polls(polls)) {
                    Ok(choice) => assert!(kit.game.list(&pos).any(|mv| mv == choice.mv), "{}", about.example),
                    Err(error) => assert!(matches!(error, PlayError::Stopped), "{}: {error}", about.example),
                }
            }
        }
    }
}
