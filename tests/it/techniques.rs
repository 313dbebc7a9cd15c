//! The techniques of the documents by name, and what every search counts, as a user meets them.

use crate::shell;

use outplay::catalog::Catalog;
use outplay::core::{Chance, Game, Turn};
use outplay::runtime::NoMonitor;
use outplay::workbench::{Method, Session, SolveRequest};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde_json::Value;
use shell::text;
use std::io::Write;
use std::process::{Output, Stdio};

fn outplay(words: &[&str]) -> Output {
    let data = tempfile::tempdir().unwrap();
    shell::command(data.path(), words).current_dir(data.path()).output().unwrap()
}

/// What a command prints when it reads this input.
fn with_input(words: &[&str], input: &str) -> String {
    let data = tempfile::tempdir().unwrap();
    let mut command = shell::command(data.path(), words);
    let mut child = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    child.stdin.take().unwrap().write_all(input.as_bytes()).unwrap();
    text(&child.wait_with_output().unwrap().stdout)
}

fn json(words: &[&str]) -> Value {
    let output = outplay(&[words, &["--json"]].concat());
    let out = text(&output.stdout);
    assert_eq!(out.lines().count(), 1, "{words:?}: {out} {}", text(&output.stderr));
    serde_json::from_str(&out).unwrap()
}

fn counters(answer: &Value, names: [&str; 4]) -> [u64; 4] {
    names.map(|name| answer["counters"][name].as_u64().unwrap_or_else(|| panic!("{name} in {answer}")))
}

/// 255,168 complete games, 5,478 positions of which 958 are finished: the figures of the literature, as counters.
#[test]
fn solvers_count() {
    let names = ["nodes", "static_evaluations", "dynamic_evaluations", "table_hits"];
    let plain = json(&["solve", "tictactoe", "--method", "plain"]);
    assert_eq!(counters(&plain, names), [549_946, 255_168, 294_778, 0]);
    let memo = json(&["solve", "tictactoe", "--method", "memo"]);
    // Every move leads to a position that is new or known: 16,167 moves, 5,477 new positions.
    assert_eq!(counters(&memo, names), [5_478, 958, 4_520, 16_167 - 5_477]);
    assert_eq!((&plain["depth"], &memo["depth"]), (&9.into(), &9.into()));
    let names = ["alpha_cutoffs", "beta_cutoffs", "table_hits", "table_cutoffs"];
    for game in ["connect4:4x4", "mnk:3x3,misere"] {
        let search = json(&["solve", game, "--method", "search"]);
        assert!(counters(&search, names).iter().all(|&count| count > 0), "{search}");
        assert_eq!(search["counters"]["nodes"], search["nodes"]);
    }
    let told = text(&outplay(&["solve", "tictactoe", "--method", "plain"]).stdout);
    assert!(told.contains("9 plies deep, 255,168 static evaluations, 294,778 dynamic"), "{told}");
}

/// Positions by ply as the literature has them, and as many visits as minimax makes in any order.
#[test]
fn breadth_first_grows_levels() {
    let breadth = json(&["solve", "tictactoe", "--method", "breadth"]);
    assert_eq!(breadth["levels"], serde_json::json!([1, 9, 72, 252, 756, 1260, 1520, 1140, 390, 78]));
    assert_eq!((&breadth["value"], &breadth["nodes"]), (&"draw".into(), &549_946.into()));
    assert_eq!((&breadth["depth"], &breadth["counters"]["distinct_keys"]), (&9.into(), &5_478.into()));
    for game in ["nim:3+4+5", "connect4:4x4", "mnk:4x3,k=3", "mnk:3x3,gravity,misere"] {
        let [breadth, auto] = ["breadth", "auto"].map(|method| json(&["solve", game, "--method", method]));
        assert_eq!((&breadth["value"], &breadth["distance"]), (&auto["value"], &auto["distance"]), "{game}");
    }
}

/// Games without loops need neither, but have both.
#[test]
fn retrograde_without_loops() {
    let catalog = Catalog::standard();
    for game in ["tictactoe", "nim:3+4+5", "connect4:4x4", "mnk:3x3,obstacles=b2"] {
        let entry = catalog.open(game).unwrap();
        let solve = |method| {
            let mut request = SolveRequest::default();
            request.method = method;
            outplay::workbench::solve(&Session::default(), &entry, &request, &NoMonitor).unwrap()
        };
        let sweep = solve(Method::Sweep);
        for method in [Method::Retrograde, Method::UntilStable] {
            let found = solve(method);
            assert_eq!((&found.answer, &found.best), (&sweep.answer, &sweep.best), "{game} {method}");
            assert_eq!((found.positions, found.by_turn), (sweep.positions, sweep.by_turn), "{game} {method}");
            let sweeps = found.sweeps.unwrap_or_default();
            assert_eq!(sweeps.last().copied(), (method == Method::UntilStable).then_some(0), "{sweeps:?}");
        }
    }
    let told = text(&outplay(&["solve", "morris:three", "--method", "sweep-until-stable"]).stdout);
    assert!(told.contains("sweeps    ") && told.contains("values changed by each sweep: "), "{told}");
}

/// Players in matches and at the keyboard count, too.
#[test]
fn players_count() {
    let report =
        json(&["match", "connect4:5x4", "alphabeta:depth=4,order=best,cache=on", "random", "--games", "4"]);
    let row = &report["players"][0];
    let names = ["alpha_cutoffs", "beta_cutoffs", "table_hits", "cache_hits"];
    assert!(counters(row, names).iter().all(|&count| count > 0), "{row}");
    assert!(row["depth_per_move"].as_f64().unwrap() > 1.0);
    let words = ["match", "connect4:5x4", "alphabeta:depth=4", "random", "--games", "2"];
    let told = text(&outplay(&words).stdout);
    assert!(
        told.contains("all moves") && told.contains("alpha cut-offs") && told.contains("depth"),
        "{told}"
    );
    let words =
        ["play", "tictactoe", "--first", "alphabeta:depth=4,order=natural", "--second", "random", "--plain"];
    let told = text(&outplay(&words).stdout);
    assert!(told.contains(" plays ") && told.contains("(≈ ") && !told.contains("evaluations"), "{told}");
    // Statistics are printed on request.
    let asking = ["play", "tictactoe", "--first", "alphabeta:depth=4", "--second", "human", "--plain"];
    let asked = with_input(&asking, "info\nquit\n");
    assert!(asked.contains("depth 4") && asked.contains("evaluations"), "{asked}");
    let played = json(&words);
    assert!(played["counters"][0]["dynamic_evaluations"].as_u64().unwrap() > 0, "{played}");
    let refused = outplay(&["match", "mnk:9x9,k=5", "alphabeta:order=killer", "random", "--games", "2"]);
    assert!(text(&refused.stderr).contains("accepts is `keep=`") && refused.status.code() == Some(2));
}

/// The mean of a tree of Piglet by hand: two plies to a toss, four to two of them.
#[test]
fn trees_have_dice() {
    let roots: Vec<String> = ["expectimax", "star1", "star2"]
        .into_iter()
        .map(|method| {
            let words = ["show", "piglet:2", "--tree", "--depth", "7", "--method", method];
            let tree = json(&words);
            assert!(tree["counters"]["nodes"].as_u64().unwrap() > 10, "{tree}");
            let told = text(&outplay(&words).stdout);
            assert!(
                told.contains(method) && told.contains("heads (1/2)") && told.contains("the dice roll"),
                "{told}"
            );
            tree["tree"]["value"].as_str().unwrap().to_string()
        })
        .collect();
    assert_eq!((&roots[1], &roots[2]), (&roots[0], &roots[0]));
    // To the end of the game, exactly.
    let solve = |method: &str| {
        json(&["solve", "einstein:3x3", "--method", method, "--position", "1.2/..c/.b. A", "--no-save"])
    };
    let solved = ["expectimax", "star1", "star2", "search"].map(solve);
    for answer in &solved {
        assert!((answer["expected"].as_f64().unwrap() - 20.0 / 27.0).abs() < 1e-9, "{answer}");
    }
    let nodes = solved.each_ref().map(|answer| answer["nodes"].as_u64().unwrap());
    assert!(nodes[1] < nodes[0] && nodes[2] < nodes[0] && nodes[2] == nodes[3], "{nodes:?}");
    assert!(solved[1]["counters"]["dice_cutoffs"].as_u64().unwrap() > 0);
    let refused = outplay(&["show", "tictactoe", "--tree", "--method", "star1"]);
    assert!(text(&refused.stderr).contains("no dice") && refused.status.code() == Some(2));
}

/// Written out, and in every game that rolls, probabilities sum to one wherever dice are rolled.
#[test]
fn probabilities_sum_to_one() {
    let rules = json(&["show", "piglet:2", "--all"]);
    let rolls = rules["probabilities"].as_array().unwrap();
    assert!(!rolls.is_empty());
    for roll in rolls {
        let sum: f64 = roll[1].as_array().unwrap().iter().map(|next| next[1].as_f64().unwrap()).sum();
        assert!((sum - 1.0).abs() < 1e-12, "{roll}");
    }
    let told = text(&outplay(&["show", "piglet:2", "--all"]).stdout);
    assert!(told.contains("with 0.5000"), "{told}");
    let mut rng = SmallRng::seed_from_u64(3);
    for spec in ["piglet:5", "pig:20", "einstein:4x4", "einstein:5x5", "hypergammon"] {
        let entry = Catalog::standard().open(spec).unwrap();
        let game = entry.game();
        let mut rolled = 0;
        for _ in 0..30 {
            let mut pos = game.start().unwrap();
            for _ in 0..200 {
                if game.outcome(&pos).is_some() {
                    break;
                }
                let mut moves: Vec<_> = game.list(&pos).collect();
                if game.turn(&pos) == Turn::Chance {
                    let mut falls = Vec::new();
                    game.outcomes(&pos, &mut falls);
                    let sum: f64 = falls.iter().map(|(_, odds)| odds).sum();
                    assert!((sum - 1.0).abs() < 1e-12, "{spec}: {sum}");
                    moves = falls.into_iter().filter(|(_, odds)| *odds > 0.0).map(|(mv, _)| mv).collect();
                    rolled += 1;
                }
                pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
            }
        }
        assert!(rolled > 100, "{spec}");
    }
}
