//! Lesson data over HTTP: equal to the command line's, within limits.

use crate::serve::Server;
use serde_json::{Value, json};
use std::process::Command;

fn said(args: &[&str]) -> Value {
    let done = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(args)
        .args(["--json", "--no-save"])
        .output()
        .unwrap();
    serde_json::from_slice(&done.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}"))
}

fn told(server: &Server, method: &str, path: &str, body: Option<&str>) -> Value {
    let (status, _, text) = server.ask(method, path, body);
    assert_eq!(status, 200, "{path}: {text}");
    serde_json::from_str(&text).unwrap()
}

/// A recorded search counts what the command counts, whatever the search.
#[test]
fn trees_are_those_of_the_command() {
    let server = Server::start(&[]);
    let check = |asked: &str, args: &[&str]| {
        let tree = told(&server, "GET", &format!("/api/v1/tree?{asked}"), None);
        let command = said(&[&["show"], args, &["--tree"]].concat());
        assert_eq!(tree["counters"], command["counters"], "{asked}");
        let nodes = tree["nodes"].as_array().unwrap();
        // Parents stand before children, and what is not drawn is counted.
        for (at, node) in nodes.iter().enumerate().skip(1) {
            assert!(node["parent"].as_u64().unwrap() < at as u64);
        }
        let entered =
            nodes.iter().filter(|node| node["fate"] != "cut" && node["glance"] != true).count() as u64;
        let left_out: u64 = nodes.iter().filter_map(|node| node["left_out"].as_u64()).sum();
        assert_eq!(Value::from(entered + left_out), tree["counters"]["nodes"], "{asked}");
    };
    check("game=tictactoe&depth=4", &["tictactoe", "--depth", "4"]);
    check("game=tictactoe&depth=3&method=minimax", &["tictactoe", "--depth", "3", "--minimax"]);
    check("game=nim:3%2B4&depth=9", &["nim:3+4", "--depth", "9"]);
    check(
        "game=connect4:5x4&moves=33&depth=5&eval=lines&most=50",
        &["connect4:5x4", "--moves", "33", "--depth", "5", "--eval", "lines"],
    );
    for method in ["star1", "star2"] {
        check(
            &format!("game=piglet:2&depth=8&method={method}"),
            &["piglet:2", "--depth", "8", "--method", method],
        );
    }
    check("game=pig:10&depth=4&method=expectiminimax", &["pig:10", "--depth", "4", "--method", "expectimax"]);
    check("game=morris:tapatan&depth=4", &["morris:tapatan", "--depth", "4"]);

    // With the best move first alpha-beta looks at 7³ + 7³ − 1 leaves; the root's worth stays.
    let ordered = |order: &str| {
        let path = format!("/api/v1/tree?game=connect4&depth=6&eval=lines&most=1&order={order}");
        let tree = told(&server, "GET", &path, None);
        (tree["counters"]["static_evaluations"].as_u64().unwrap(), tree["nodes"][0]["worth"].clone())
    };
    let (best, worth) = ordered("best");
    assert_eq!(best, 685);
    for order in ["rules", "worst", "shuffled&seed=7"] {
        let (leaves, same) = ordered(order);
        assert!(leaves > best && same == worth, "{order}: {leaves} leaves");
    }
    // Four corners are one move, four sides another.
    let tree = told(&server, "GET", "/api/v1/tree?game=tictactoe&depth=1", None);
    let twins = tree["nodes"].as_array().unwrap().iter().filter(|node| !node["twin"].is_null()).count();
    assert_eq!(twins, 6);
}

#[test]
fn waves_numbers_and_rules() {
    let server = Server::start(&[]);
    let waves = told(&server, "GET", "/api/v1/waves?game=chess:KQK", None);
    let solved = said(&["solve", "chess:KQK"]);
    let decided: u64 = waves["waves"]
        .as_array()
        .unwrap()
        .iter()
        .map(|wave| wave["win"].as_u64().unwrap() + wave["loss"].as_u64().unwrap())
        .sum();
    assert_eq!(waves["positions"], solved["positions"]["legal"]);
    assert_eq!(Value::from(decided), solved["positions"]["win"], "White wins or Black loses");
    let list =
        ["8/8/8/8/8/2K5/1Q6/k7 b - - 0 1", "8/8/8/4k3/8/2K5/1Q6/8 w - - 0 1", "kK6/8/8/8/8/8/8/Q7 w - - 0 1"];
    let values = told(
        &server,
        "POST",
        "/api/v1/values",
        Some(&json!({ "game": "chess:KQK", "positions": list }).to_string()),
    );
    for (position, value) in list.iter().zip(values["values"].as_array().unwrap()).take(2) {
        let query = said(&["query", "chess:KQK", "--position", position]);
        assert_eq!(
            (&value["value"], &value["distance"]),
            (&query["value"], &query["distance"]),
            "{position}"
        );
    }
    assert_eq!(values["values"][2]["legal"], false, "kings do not touch");

    for (game, number) in [("tictactoe", "1000"), ("connect4", "12345678901234"), ("nim:3%2B4%2B5", "7")] {
        let there = told(&server, "GET", &format!("/api/v1/index?game={game}&number={number}"), None);
        let position = there["position"].as_str().unwrap().replace('+', "%2B").replace(' ', "%20");
        let back = told(&server, "GET", &format!("/api/v1/index?game={game}&position={position}"), None);
        assert_eq!(there["number"], back["number"], "{game}");
        assert_eq!(there["number"].to_string().trim_matches('"'), number, "{game}");
    }
    assert_eq!(told(&server, "GET", "/api/v1/index?game=tictactoe", None)["size"], 6046);

    let rules = told(&server, "GET", "/api/v1/rules?game=nim:2%2B2", None);
    assert_eq!(rules["rules"], said(&["games", "nim"])["rules"]);
    assert_eq!(rules["textbook"], said(&["show", "nim:2+2", "--all"]));
    assert!(told(&server, "GET", "/api/v1/rules?game=connect4", None)["textbook"].is_null());
}

#[test]
fn nonsense_is_refused_in_a_sentence() {
    let server = Server::start(&["--time", "1"]);
    let check = |method: &str, path: &str, body: Option<&str>, status: u16, word: &str| {
        let (found, _, text) = server.ask(method, path, body);
        assert_eq!(found, status, "{path}: {text}");
        let refusal: Value = serde_json::from_str(&text).unwrap();
        let sentence = refusal["error"].as_str().unwrap();
        assert!(sentence.contains(word), "{path}: {sentence}");
    };
    check("GET", "/api/v1/tree?game=tictactoe&depth=65", None, 400, "`depth`");
    check("GET", "/api/v1/tree?game=tictactoe&most=2001", None, 400, "`most`");
    check("GET", "/api/v1/tree?game=tictactoe&seed=-1", None, 400, "`seed`");
    check("GET", "/api/v1/tree?game=tictactoe&method=guess", None, 400, "`guess`");
    check("GET", "/api/v1/tree?game=tictactoe&order=none", None, 400, "`none`");
    check("GET", "/api/v1/tree?game=tictactoe&method=star1", None, 400, "dice");
    check("GET", "/api/v1/tree?game=tictactoe&eval=lines:weights=/etc/hostname", None, 400, "weights");
    check("GET", &format!("/api/v1/tree?game=tictactoe&eval={}", "x".repeat(600)), None, 400, "characters");
    // A search that has no end ends with the time that the server allows.
    check("GET", "/api/v1/tree?game=connect4&depth=40&method=minimax", None, 422, "reduce the depth");
    check("GET", "/api/v1/tree?game=connect4&depth=40&order=best", None, 422, "reduce the depth");
    check("GET", "/api/v1/index?game=tictactoe&number=6046", None, 400, "6046");
    check("GET", "/api/v1/index?game=tictactoe&number=many", None, 400, "`number`");
    check("GET", "/api/v1/waves?game=tictactoe", None, 400, "cycles");
    check("GET", "/api/v1/waves?game=chess:KQRKR", None, 400, "memory");
    let list = json!({ "game": "chess:KQK", "positions": vec!["8/8/8/8/8/8/8/8 w"; 513] }).to_string();
    check("POST", "/api/v1/values", Some(&list), 400, "512");
    check("GET", "/api/v1/proof?game=connect4", None, 400, "gravity");
    check("GET", "/api/v1/proof?game=nim:2%2B2", None, 400, "k in a row");
    let proof = told(&server, "GET", "/api/v1/proof?game=mnk:4x3,k=3", None)["proof"].clone();
    let walk = |player: &str, moves: &[&str]| {
        json!({ "proof": proof, "player": player, "moves": moves }).to_string()
    };
    check("POST", "/api/v1/walk", Some(&walk("second", &[])), 400, "no strategy for");
    check("POST", "/api/v1/walk", Some(&walk("first", &["b2"])), 400, "not empty");
    check("POST", "/api/v1/walk", Some(&walk("chance", &[])), 400, "`chance`");
    check("POST", "/api/v1/walk", Some(&walk("first", &["e9"])), 400, "not a cell");

    // A proof that is none is no mistake of the request: the checker says what is wrong with it.
    let checked =
        |text: &str| told(&server, "POST", "/api/v1/check", Some(&json!({ "proof": text }).to_string()));
    assert_eq!(checked("nonsense")["valid"], false);
    let proof = proof.as_str().unwrap();
    let whole = checked(proof);
    assert_eq!((&whole["valid"], &whole["value"]), (&json!(true), &json!("win")));
    assert_eq!(whole["seen"].as_array().unwrap().len() as u64, whole["followed"].as_u64().unwrap());
    let broken = checked(&proof.replace("c1>4 ", ""));
    assert_eq!((&broken["valid"], broken["error"].as_str().is_some()), (&json!(false), true));
}
