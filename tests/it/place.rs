//! What stands beside the board, over HTTP: statistics with examples, matches, experiments, puzzle sets, sharing.

use crate::serve::Server;
use serde_json::{Value, json};
use std::time::{Duration, Instant};

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Waits until a match or a run is in one of the states.
fn settled(server: &Server, path: &str) -> Value {
    server.until(path, |server| {
        !["running", "stopping"].contains(&server.get(path)["state"].as_str().unwrap())
    });
    server.get(path)
}

#[test]
fn a_table_shows_positions_of_every_kind() {
    let server = Server::start(&[]);
    let game = "connect4:4x4";
    let (_, job) = server.post("/api/v1/solve", &json!({ "game": game }));
    server.job(&job["id"]);
    let stats = server.get(&format!("/api/v1/stats?game={game}"));
    let tiers = stats["tiers"].as_array().unwrap();

    let (status, head, csv) = server.ask("GET", &format!("/api/v1/stats.csv?game={game}"), None);
    assert!(status == 200 && head.to_lowercase().contains("text/csv"), "{head}");
    let rows: Vec<Vec<&str>> = csv.lines().map(|line| line.split(',').collect()).collect();
    assert_eq!(rows.len(), tiers.len() + 2);
    let column = |name: &str| rows[0].iter().position(|head| *head == name).unwrap();
    for name in ["positions", "win", "draw", "loss", "finished"] {
        let at = column(name);
        let sum: u64 = rows[1..rows.len() - 1].iter().map(|row| row[at].parse::<u64>().unwrap()).sum();
        assert_eq!(rows[rows.len() - 1][at], sum.to_string(), "{name}");
    }
    let (_, _, picture) = server.ask("GET", &format!("/api/v1/stats.svg?game={game}"), None);

    let of = |value: &str| {
        let with = tiers.iter().filter(|tier| tier[value].as_u64() > Some(20));
        with.map(|tier| tier["tier"].as_str().unwrap()).next().unwrap()
    };
    for (tier, value) in ["win", "draw", "loss"].map(|value| (of(value), value)) {
        assert!(picture.contains(&format!("data-tier=\"{tier}\" data-value=\"{value}\"")), "{tier} {value}");
        let found = server.get(&format!("/api/v1/stats/examples?game={game}&tier={tier}&value={value}"));
        let examples = found["examples"].as_array().unwrap();
        assert!(!examples.is_empty(), "{found}");
        for example in examples {
            let position = encoded(example["position"].as_str().unwrap());
            let query = server.get(&format!("/api/v1/position?game={game}&position={position}"));
            assert_eq!(query["value"], example["value"], "{example}");
            let first = query["to_move"] == "first";
            let seen = match query["value"].as_str().unwrap() {
                "win" if !first => "loss",
                "loss" if !first => "win",
                own => own,
            };
            assert_eq!(seen, value, "{example}");
            let keeping =
                query["moves"].as_array().unwrap().iter().filter(|mv| mv["value"] == query["value"]).count();
            assert_eq!(example["keeping"], keeping as u64, "{example}");
        }
    }
    let records = server.get(&format!("/api/v1/stats/records?game={game}"));
    let longest = |key: &str| {
        let plies = tiers.iter().flat_map(|tier| tier[key].as_object().unwrap().keys());
        plies.map(|plies| plies.parse::<u64>().unwrap()).max().unwrap_or(0)
    };
    let plies = longest("win_in").max(longest("loss_in"));
    assert_eq!(records["longest_plies"], plies);
    for example in records["longest"].as_array().unwrap() {
        assert_eq!(example["distance"], plies, "{example}");
    }
    let hardest = records["hardest"].as_array().unwrap();
    assert!(!records["longest"].as_array().unwrap().is_empty() && !hardest.is_empty());
    assert!(
        hardest.iter().all(|example| example["value"] == "win" && example["keeping"] == 1),
        "{hardest:?}"
    );

    for bad in ["tier=99", "value=maybe", "distance=far", "seed=x"] {
        let (status, _, body) = server.ask("GET", &format!("/api/v1/stats/examples?game={game}&{bad}"), None);
        assert_eq!(status, 400, "{bad}: {body}");
    }
    let (status, ..) = server.ask("GET", "/api/v1/stats/records?game=tictactoe", None);
    assert_eq!(status, 404, "no table");
}

#[test]
fn a_league_is_played_while_others_click() {
    let server = Server::start(&[]);
    let players = ["random", "alphabeta:depth=6", "mcts:playouts=1500"];
    let (status, begun) = server.post(
        "/api/v1/match",
        &json!({ "game": "connect4:5x4", "players": players, "games": 20, "pace": 5 }),
    );
    assert_eq!((status, &begun["planned"]), (202, &json!(60)), "{begun}");
    let path = format!("/api/v1/match/{}", begun["id"]);
    // Another visitor plays on while the league runs.
    let (mut took, mut during) = (Vec::new(), 0);
    for click in 0..40 {
        let moves = ["4", "44", "443", "4433", "44332"][click % 5];
        let began = Instant::now();
        server.get(&format!("/api/v1/view?game=connect4&moves={moves}"));
        server.get("/api/v1/position?game=connect4");
        took.push(began.elapsed());
        during += usize::from(server.get(&path)["state"] == "running");
    }
    took.sort_unstable();
    assert!(during > 20, "the league was over after {during} clicks");
    assert!(took[20] < Duration::from_millis(100), "clicks took {:?} in the median", took[20]);
    let done = settled(&server, &path);
    assert_eq!((&done["state"], &done["games"]), (&json!("done"), &json!(60)), "{}", done["error"]);
    let rows = done["standings"]["players"].as_array().unwrap();
    assert!(rows.iter().all(|row| row["games"] == 40));
    let points: f64 = rows.iter().map(|row| 40.0 * row["score"].as_f64().unwrap()).sum();
    assert!((points - 60.0).abs() < 1e-9);
    let ratings = done["standings"]["ratings"].as_array().unwrap();
    assert!(ratings.iter().all(|rating| rating["low"].as_f64() < rating["high"].as_f64()));
    assert_eq!(done["boards"].as_array().unwrap().len(), 4, "several boards at once");
    assert!(done["boards"][0]["scene"]["spots"].as_array().unwrap().len() == 20);
    assert_eq!(done["results"].as_array().unwrap().len(), 60);
    // The record is the one of the command line.
    let (_, head, record) = server.ask("GET", &format!("{path}/record"), None);
    assert!(head.contains("attachment") && record.lines().count() == 61, "{head}");
    let game: Value = serde_json::from_str(record.lines().nth(1).unwrap()).unwrap();
    assert!(game["moves"].as_str().unwrap().split(' ').count() > 6, "{game}");
    assert_eq!(server.get("/api/v1/match")["matches"][0]["games"], 60);
}

#[test]
fn stopping_and_going_on_changes_no_game() {
    let server = Server::start(&[]);
    let wish = |pace: u32| json!({ "game": "tictactoe", "players": ["greedy", "noisy:p=0.3,inner=greedy"], "games": 12, "seed": 5, "pace": pace });
    let (_, begun) = server.post("/api/v1/match", &wish(15));
    let path = format!("/api/v1/match/{}", begun["id"]);
    let (status, busy) = server.post("/api/v1/match", &wish(0));
    assert_eq!(status, 503, "one at a time: {busy}");
    server.until("a game is over", |server| server.get(&path)["games"].as_u64() > Some(0));
    server.ask("DELETE", &path, None);
    let stopped = settled(&server, &path);
    assert_eq!(stopped["state"], "stopped");
    assert!(stopped["games"].as_u64() < Some(12), "{}", stopped["games"]);
    assert_eq!(server.post(&format!("{path}/resume"), &json!({})).0, 200);
    let done = settled(&server, &path);
    assert_eq!((&done["state"], &done["games"]), (&json!("done"), &json!(12)));
    assert_eq!(server.post(&format!("{path}/resume"), &json!({})).0, 400, "there is nothing left");
    let (_, other) = server.post("/api/v1/match", &wish(0));
    let other = settled(&server, &format!("/api/v1/match/{}", other["id"]));
    let sorted = |told: &Value| {
        let mut results = told["results"].as_array().unwrap().clone();
        results.sort_by_key(|result| result[0].as_u64());
        results
    };
    assert_eq!(sorted(&done), sorted(&other));
    assert_eq!(done["points"].as_array().unwrap().last(), other["points"].as_array().unwrap().last());

    // A test ends a match before all its games are played.
    let sprt = json!({ "game": "tictactoe", "players": ["perfect", "random"], "games": 400, "sprt": { "elo0": 0, "elo1": 60 } });
    let (_, begun) = server.post("/api/v1/match", &sprt);
    let tested = settled(&server, &format!("/api/v1/match/{}", begun["id"]));
    assert_eq!(
        (&tested["sprt"]["decision"], &tested["state"]),
        (&json!("accepted"), &json!("done")),
        "{tested}"
    );
    assert!(tested["games"].as_u64() < Some(400));
    let last = tested["points"].as_array().unwrap().last().unwrap();
    assert!(last[4].as_f64() >= tested["sprt"]["high"].as_f64(), "{last}");

    for (bad, why) in [
        (json!({ "game": "tictactoe", "players": ["random"] }), "players"),
        (json!({ "game": "tictactoe", "players": ["random", "greedy"], "games": 0 }), "games"),
        (json!({ "game": "tictactoe", "players": ["random", "greedy"], "games": 100_000 }), "games"),
        (json!({ "game": "tictactoe", "players": ["random", "nobody"] }), "nobody"),
        (json!({ "game": "tictactoe", "players": ["random", "ugi:cmd=sh"] }), "ugi"),
        (json!({ "game": "nonsense", "players": ["random", "greedy"] }), "nonsense"),
        (
            json!({ "game": "tictactoe", "players": ["random", "greedy"], "sprt": { "elo0": 5, "elo1": 5 } }),
            "two Elo differences",
        ),
    ] {
        let (status, answer) = server.post("/api/v1/match", &bad);
        assert!(status == 400 && answer["error"].as_str().unwrap().contains(why), "{bad}: {status} {answer}");
    }
    assert_eq!(server.ask("GET", "/api/v1/match/999", None).0, 404);
    assert_eq!(server.ask("DELETE", "/api/v1/match/x", None).0, 404);
}

#[test]
fn an_experiment_is_run_again() {
    let server = Server::start(&[]);
    let (status, begun) = server.post("/api/v1/experiments/run", &json!({ "name": "alphabeta-savings" }));
    assert_eq!(status, 202, "{begun}");
    let path = format!("/api/v1/experiments/run/{}", begun["id"]);
    let run = settled(&server, &path);
    assert_eq!(run["state"], "done", "{run}");
    assert!(run["pictures"][0].as_str().unwrap().starts_with("<svg"));
    assert_eq!(run["findings"]["holds"], true);
    assert_eq!(server.get("/api/v1/experiments")["latest"]["alphabeta-savings"], begun["id"]);
    // Theirs beside ours; a longer one is stopped.
    let (_, begun) = server.post("/api/v1/experiments/run", &json!({ "name": "dp", "sample": 2 }));
    let found = settled(&server, &format!("/api/v1/experiments/run/{}", begun["id"]));
    let columns = found["findings"]["tables"][0]["columns"].as_array().unwrap();
    assert!(columns.contains(&json!("theirs")) && columns.contains(&json!("ours")), "{columns:?}");
    let (_, begun) = server.post("/api/v1/experiments/run", &json!({ "name": "connect4-ga" }));
    let path = format!("/api/v1/experiments/run/{}", begun["id"]);
    server.ask("DELETE", &path, None);
    assert_eq!(settled(&server, &path)["state"], "stopped");
    assert_eq!(server.post("/api/v1/experiments/run", &json!({ "name": "nothing" })).0, 400);
    assert_eq!(server.post("/api/v1/experiments/run", &json!({ "name": "dp", "sample": 0 })).0, 400);
}

#[test]
fn puzzles_are_there_at_once() {
    let server = Server::start(&[]);
    let sets = server.get("/api/v1/puzzles");
    let sets = sets["sets"].as_array().unwrap();
    assert!(sets.len() >= 10);
    for set in sets {
        let game = set["game"].as_str().unwrap();
        let count = set["puzzles"].as_array().unwrap().len();
        let began = Instant::now();
        let puzzle = server.get(&format!("/api/v1/puzzle/set?game={}&number={}", encoded(game), count - 1));
        assert!(began.elapsed() < Duration::from_secs(1), "{game}");
        assert_eq!((&puzzle["of"], &puzzle["game"]), (&json!(count), &json!(game)));
        assert!(
            puzzle["steps"][0]["move"] == puzzle["solution"] && !puzzle["task"].as_str().unwrap().is_empty()
        );
        let (status, ..) =
            server.ask("GET", &format!("/api/v1/puzzle/set?game={}&number={count}", encoded(game)), None);
        assert_eq!(status, 404, "{game}");
    }
    let daily = |date: &str| server.get(&format!("/api/v1/puzzle/daily?date={date}"));
    assert_eq!(daily("2026-11-17"), daily("2026-11-17"));
    assert_ne!(daily("2026-11-17")["position"], daily("2026-11-18")["position"]);
    assert_eq!(daily("2026-11-17")["date"], "2026-11-17");
    assert_eq!(server.ask("GET", "/api/v1/puzzle/daily?date=tomorrow", None).0, 400);
    assert_eq!(server.ask("GET", "/api/v1/puzzle/set?game=mnk:9x9", None).0, 404);
}

#[test]
fn what_is_shared_is_safe_to_share() {
    let server = Server::start(&[]);
    let (status, head, code) = server.ask("GET", "/api/v1/qr.svg?text=http%3A%2F%2Flocalhost%2F", None);
    assert!(status == 200 && head.contains("image/svg+xml") && code.contains("<path"), "{head}");
    assert_eq!(server.ask("GET", &format!("/api/v1/qr.svg?text={}", "a".repeat(3000)), None).0, 400);
    assert_eq!(server.ask("GET", "/api/v1/qr.svg?text=", None).0, 400);

    // The board for other pages may be framed by anybody, nothing else by anyone.
    let (status, head, body) = server.ask("GET", "/embed?game=connect4&moves=4", None);
    let head = head.to_lowercase();
    assert!(status == 200 && body.contains("embed.js"));
    assert!(head.contains("frame-ancestors *") && !head.contains("x-frame-options"), "{head}");
    assert!(head.contains("default-src 'none'") && !head.contains("unsafe-inline"), "{head}");
    for path in ["/", "/index.html", "/embed.js", "/api/v1/games"] {
        let (_, head, _) = server.ask("GET", path, None);
        let head = head.to_lowercase();
        assert!(
            head.contains("frame-ancestors 'none'") && head.contains("x-frame-options: deny"),
            "{path}: {head}"
        );
    }

    let (_, _, page) = server.ask("GET", "/?game=connect4&moves=4,4,3", None);
    assert!(
        page.contains("property=\"og:title\" content=\"A position after 3 moves of connect4\""),
        "{page}"
    );
    assert!(page.contains("og:image") && page.contains("/preview.png\""), "{page}");
    let evil = "/?game=connect4%22%3E%3Cscript%3Ealert(1)%3C/script%3E&view=%22%3E%3Cb%3E";
    let (_, _, page) = server.ask("GET", evil, None);
    assert!(!page.contains("<script>") && !page.contains("<b>"), "{page}");
    let (status, head, _) = server.ask("GET", "/preview.png", None);
    assert!(status == 200 && head.contains("image/png"), "{head}");
    let (status, head, manifest) = server.ask("GET", "/outplay.webmanifest", None);
    assert!(status == 200 && head.contains("application/manifest+json"), "{head}");
    let manifest: Value = serde_json::from_str(&manifest).unwrap();
    assert_eq!(manifest["start_url"], "./");
    let shell = server.get("/shell.json");
    for file in shell["files"].as_array().unwrap() {
        assert_eq!(server.ask("GET", &format!("/{}", file.as_str().unwrap()), None).0, 200, "{file}");
    }
}
