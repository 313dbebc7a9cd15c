//! The server as its users see it: the page's questions, nonsense, load, and what leaving a page does.

use outplay_bench::StageProgress;
use outplay_bench::loadtest::{self, LoadTest};
use serde_json::{Value, json};
use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// A server in a process of its own, with a data directory of its own.
pub(crate) struct Server {
    child: Child,
    pub(crate) addr: SocketAddr,
    _data: Arc<tempfile::TempDir>,
}

/// Status, head and body of an answer.
pub(crate) type Answer = (u16, String, String);

/// Sends a request and reads the whole answer.
pub(crate) fn ask(
    addr: SocketAddr,
    headers: &str,
    method: &str,
    path: &str,
    body: Option<&str>,
) -> io::Result<Answer> {
    let mut stream = TcpStream::connect(addr)?;
    stream.set_read_timeout(Some(Duration::from_secs(60)))?;
    let body = body.unwrap_or_default();
    let kind = if body.is_empty() { "" } else { "content-type: application/json\r\n" };
    let length = body.len();
    let request = format!(
        "{method} {path} HTTP/1.1\r\n{headers}\r\nconnection: close\r\n{kind}content-length: {length}\r\n\r\n{body}"
    );
    stream.write_all(request.as_bytes())?;
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes)?;
    let text = String::from_utf8_lossy(&bytes).to_string();
    let (head, body) = text.split_once("\r\n\r\n").ok_or(io::ErrorKind::UnexpectedEof)?;
    let status = head.split_whitespace().nth(1).and_then(|status| status.parse().ok());
    Ok((status.ok_or(io::ErrorKind::InvalidData)?, head.to_string(), body.to_string()))
}

impl Server {
    pub(crate) fn start(more: &[&str]) -> Server {
        Server::start_in(&Arc::new(tempfile::tempdir().unwrap()), more)
    }

    /// The same with a data directory that others used before.
    pub(crate) fn start_in(data: &Arc<tempfile::TempDir>, more: &[&str]) -> Server {
        let mut child = Command::new(env!("CARGO_BIN_EXE_outplay"))
            .args(["serve", "--addr", "127.0.0.1:0", "--json", "--data"])
            .arg(data.path())
            .args(more)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
        let said: Value = serde_json::from_str(&line).unwrap();
        let addr = said["address"].as_str().unwrap().strip_prefix("http://").unwrap().parse().unwrap();
        Server { child, addr, _data: Arc::clone(data) }
    }

    pub(crate) fn ask(&self, method: &str, path: &str, body: Option<&str>) -> Answer {
        self.ask_as("host: localhost", method, path, body)
    }

    /// The same with headers of one's own.
    fn ask_as(&self, headers: &str, method: &str, path: &str, body: Option<&str>) -> Answer {
        ask(self.addr, headers, method, path, body).unwrap()
    }

    pub(crate) fn get(&self, path: &str) -> Value {
        let (status, _, body) = self.ask("GET", path, None);
        assert_eq!(status, 200, "{path}: {body}");
        serde_json::from_str(&body).unwrap_or_else(|error| panic!("{path}: {error}: {body}"))
    }

    /// Waits until something holds.
    pub(crate) fn until(&self, what: &str, holds: impl Fn(&Server) -> bool) {
        let patience = Instant::now() + Duration::from_secs(60);
        while !holds(self) {
            assert!(Instant::now() < patience, "{what}");
            std::thread::sleep(Duration::from_millis(10));
        }
    }

    /// Waits until a solve job ends, and tells how.
    pub(crate) fn job(&self, id: &Value) -> Value {
        let path = format!("/api/v1/solve/{id}");
        self.until("the job goes on and on", |server| {
            !["waiting", "running", "stopping"].contains(&server.get(&path)["state"].as_str().unwrap())
        });
        self.get(&path)
    }

    /// The names of a stream's events as they come; dropping it closes the connection.
    pub(crate) fn listen(&self, path: &str) -> impl Iterator<Item = String> {
        let mut stream = TcpStream::connect(self.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        let lines = BufReader::new(stream).lines().map_while(Result::ok);
        lines.filter_map(|line| line.strip_prefix("event: ").map(str::to_string))
    }

    /// Sends a signal and waits for the end.
    #[cfg(unix)]
    pub(crate) fn end(&mut self, signal: &str) -> std::process::ExitStatus {
        let status = Command::new("kill").args([signal, &self.child.id().to_string()]).status().unwrap();
        assert!(status.success());
        let patience = Instant::now() + Duration::from_secs(60);
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status;
            }
            assert!(Instant::now() < patience, "the server does not end");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    pub(crate) fn post(&self, path: &str, body: &Value) -> (u16, Value) {
        let (status, _, answer) = self.ask("POST", path, Some(&body.to_string()));
        (status, serde_json::from_str(&answer).unwrap())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[test]
fn the_page_and_what_it_asks() {
    let server = Server::start(&[]);
    let (status, head, body) = server.ask("GET", "/", None);
    assert_eq!(status, 200);
    assert!(body.contains("outplay"));
    let head = head.to_lowercase();
    for guard in ["content-security-policy: default-src 'none'", "x-content-type-options: nosniff"] {
        assert!(head.contains(guard), "{guard} in {head}");
    }
    assert!(!head.contains("unsafe-inline"));

    let games = server.get("/api/v1/games");
    assert!(games["games"].as_array().unwrap().iter().any(|game| game["name"] == "tictactoe"));
    assert!(games["players"].as_array().unwrap().iter().any(|player| player["name"] == "perfect"));

    let experiments = server.get("/api/v1/experiments");
    for about in experiments["experiments"].as_array().unwrap() {
        for key in ["name", "question", "source", "verdict"] {
            assert!(about[key].as_str().is_some_and(|text| !text.is_empty()), "{key} of {about}");
        }
    }

    let view = server.get("/api/v1/view?game=tictactoe&moves=a1,b2");
    assert_eq!(view["to_move"], "first");
    assert_eq!(view["scene"]["moves"].as_array().unwrap().len(), 7);
    assert_eq!(view["exact"], true);
    assert!(view["levels"].as_array().unwrap().contains(&json!("perfect")));

    let query = server.get("/api/v1/position?game=connect4");
    let scores: Vec<i64> =
        query["moves"].as_array().unwrap().iter().map(|mv| mv["score"].as_i64().unwrap()).collect();
    assert_eq!(scores, [-2, -1, 0, 1, 0, -1, -2]);
    assert_eq!(query["source"], "book");
}

#[test]
fn a_small_board_answers_at_once() {
    let server = Server::start(&[]);
    // The first question solves the board, the others look it up.
    server.get("/api/v1/position?game=connect4:4x4");
    let mut worst = Duration::ZERO;
    for moves in ["1", "12", "123", "1234", "4", "44", "2", "21"] {
        let began = Instant::now();
        let query = server.get(&format!("/api/v1/position?game=connect4:4x4&moves={moves}"));
        worst = worst.max(began.elapsed());
        assert_ne!(query["value"], "unknown");
    }
    // Fifty milliseconds are claimed for a machine that is not compiling on the side.
    assert!(worst < Duration::from_millis(500), "{worst:?}");
}

#[test]
fn players_histories_reasons_and_puzzles() {
    let server = Server::start(&[]);
    let (status, choice) = server.post(
        "/api/v1/move",
        &json!({"game": "tictactoe", "moves": "a1 b1 a2", "player": "perfect", "seed": 1}),
    );
    assert_eq!((status, &choice["move"]), (200, &json!("a3")), "{choice}");

    let history = server.get("/api/v1/history?game=tictactoe&moves=a1,a2,b2,c3");
    let plies = history["plies"].as_array().unwrap();
    assert_eq!(plies.len(), 5);
    assert_eq!(plies[0]["value"], "draw");
    // The centre is the only answer to a corner.
    assert_eq!(plies[2]["mistake"]["by"], "second");
    assert_eq!(plies[2]["mistake"]["from"], "draw");
    assert_eq!(plies[2]["mistake"]["to"], "loss");
    assert_eq!(plies[1]["mistake"], Value::Null);

    let why = server.get("/api/v1/why?game=tictactoe&moves=a1,b1,a2");
    assert!(why["sentence"].as_str().unwrap().contains("stop First at a3"), "{why}");
    assert!(
        why["marks"].as_array().unwrap().iter().any(|mark| mark["name"] == "a3" && mark["kind"] == "block")
    );
    assert_eq!(why["line"][0]["move"], "a3");
    let why = server.get("/api/v1/why?game=tictactoe&moves=a1,b2,a2");
    assert_eq!(why["line"][0]["move"], "a3");
    assert_eq!(why["line"][0]["forced"], true);

    let puzzle = server.get("/api/v1/puzzle?game=mnk:4x4,k=3&seed=5");
    let position = puzzle["position"].as_str().unwrap().replace(' ', "%20");
    let query = server.get(&format!("/api/v1/position?game=mnk:4x4,k=3&position={position}"));
    let sooner = puzzle["kind"] == "soonest";
    let good =
        |mv: &&Value| mv["value"] == query["value"] && (!sooner || mv["distance"] == query["distance"]);
    let good: Vec<&Value> = query["moves"].as_array().unwrap().iter().filter(good).collect();
    assert_eq!(good.len(), 1, "{puzzle} {query}");
    assert_eq!(good[0]["move"], puzzle["solution"]);
    // A position that takes too long on a busy machine is passed over, which can make another puzzle once.
    let again = || server.get("/api/v1/puzzle?game=mnk:4x4,k=3&seed=5");
    assert!((0..5).any(|_| again() == puzzle), "a seed means a puzzle: {puzzle}");
}

#[test]
fn a_solve_job_runs_writes_a_table_and_can_be_cancelled() {
    let server = Server::start(&[]);
    let (status, _, body) = server.ask("GET", "/api/v1/stats?game=connect4:4x4", None);
    assert_eq!(status, 404, "{body}");
    let (status, job) = server.post("/api/v1/solve", &json!({"game": "connect4:4x4"}));
    assert_eq!(status, 202, "{job}");
    let path = format!("/api/v1/solve/{}", job["id"]);
    let deadline = Instant::now() + Duration::from_secs(60);
    let done = loop {
        let job = server.get(&path);
        if job["state"] != "running" {
            break job;
        }
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(20));
    };
    assert_eq!(done["state"], "done", "{done}");
    assert_eq!(done["answer"]["positions"]["legal"], 161_029);
    assert_eq!(server.get("/api/v1/stats?game=connect4:4x4")["positions"]["legal"], 161_029);
    let (status, head, svg) = server.ask("GET", "/api/v1/stats.svg?game=connect4:4x4", None);
    assert_eq!(status, 200);
    assert!(head.contains("image/svg+xml") && svg.contains("<svg"));
    assert_eq!(server.get("/api/v1/position?game=connect4:4x4")["source"], "table");

    let (status, job) = server.post("/api/v1/solve", &json!({"game": "connect4:6x5", "save": false}));
    assert_eq!(status, 202, "{job}");
    let (status, _) = server.post("/api/v1/solve", &json!({"game": "tictactoe"}));
    assert_eq!(status, 503, "one at a time");
    let path = format!("/api/v1/solve/{}", job["id"]);
    assert_eq!(server.ask("DELETE", &path, None).0, 200);
    let deadline = Instant::now() + Duration::from_secs(60);
    while server.get(&path)["state"] == "stopping" {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(20));
    }
    // A machine that cannot hold the board refuses it before it can be cancelled.
    let state = server.get(&path)["state"].clone();
    assert!(state == "cancelled" || state == "failed", "{state}");
    assert_eq!(server.ask("GET", "/api/v1/solve/999", None).0, 404);
}

#[test]
fn values_arrive_as_they_are_found_and_leaving_stops_the_work() {
    let server = Server::start(&["--searches", "1"]);
    let open = |path: &str| {
        let mut stream = TcpStream::connect(server.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(60))).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        BufReader::new(stream)
    };
    let mut lines = open("/api/v1/position/stream?game=tictactoe&moves=a1").lines();
    let mut moves = 0;
    loop {
        let line = lines.next().unwrap().unwrap();
        moves += usize::from(line == "event: move");
        if line == "event: done" {
            break;
        }
    }
    assert_eq!(moves, 8);
    // A board that nobody solves in a minute; the search is under way when the first progress arrives.
    let mut hard = open("/api/v1/position/stream?game=connect4:9x9&moves=55").lines();
    while hard.next().unwrap().unwrap() != "event: progress" {}
    assert_eq!(server.get("/healthz")["searches"], 1);
    // Somebody else's click is answered meanwhile.
    assert_eq!(server.get("/api/v1/position?game=connect4")["value"], "win");
    drop(hard);
    let deadline = Instant::now() + Duration::from_secs(20);
    while server.get("/healthz")["searches"] != 0 {
        assert!(Instant::now() < deadline, "the search goes on although nobody listens");
        std::thread::sleep(Duration::from_millis(50));
    }
}

#[test]
fn errors_are_the_command_lines_sentences() {
    let server = Server::start(&[]);
    let check = |method: &str, path: &str, body: Option<&str>, status: u16, says: &str| {
        let (found, head, answer) = server.ask(method, path, body);
        assert_eq!(found, status, "{path}: {answer}");
        assert!(head.contains("application/json"), "{path}: {head}");
        let answer: Value = serde_json::from_str(&answer).unwrap();
        assert!(answer["error"].as_str().unwrap().contains(says), "{path}: {answer}");
        assert!(answer.get("cure").is_some());
    };
    check("GET", "/api/v1/position?game=tictacto", None, 400, "did you mean `tictactoe`?");
    check("GET", "/api/v1/position?game=tictactoe&moves=a1,a1", None, 400, "a1");
    check("GET", "/api/v1/view?game=mnk:100x100", None, 400, "more than 2500 cells");
    check("GET", "/api/v1/position", None, 400, "game");
    check("GET", "/api/v1/nothing", None, 404, "does not exist");
    check("GET", "/nothing", None, 404, "does not exist");
    check("GET", "/../Cargo.toml", None, 404, "does not exist");
    check("DELETE", "/api/v1/games", None, 405, "method");
    check("POST", "/api/v1/move", Some("{"), 400, "JSON");
    let weights = r#"{"game":"connect4","player":"lines:weights=/etc/passwd"}"#;
    check("POST", "/api/v1/move", Some(weights), 400, "file");
    check("POST", "/api/v1/move", Some(r#"{"game":"connect4","player":"nobody"}"#), 400, "nobody");
}

#[test]
fn the_description_describes_what_there_is() {
    let server = Server::start(&[]);
    let document = server.get("/api/openapi.json");
    for (path, methods) in document["paths"].as_object().unwrap() {
        for method in methods.as_object().unwrap().keys() {
            let method = method.to_uppercase();
            let (status, _, body) = server.ask(&method, &path.replace("{id}", "1"), Some("{}"));
            assert_ne!(status, 405, "{method} {path}");
            // A job, a match or a run that is not there is said to be none.
            assert!(status != 404 || body.contains("there is no"), "{method} {path}: {body}");
        }
    }
}

/// Every curl line of docs/api.md, as somebody would paste it.
#[test]
fn the_documented_lines_work() {
    if Command::new("curl").arg("--version").stdout(Stdio::null()).status().is_err() {
        eprintln!("left out: there is no curl");
        return;
    }
    let server = Server::start(&[]);
    let page = include_str!("../../docs/api.md");
    let script = page.split("```sh ").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    let script = script.replace("\\\n", " ");
    let lines: Vec<&str> = script.lines().filter(|line| line.starts_with("curl ")).collect();
    assert!(lines.len() > 12, "{lines:?}");
    for line in lines {
        let command = format!("B=http://{}; {line}", server.addr);
        let told =
            Command::new("sh").args(["-c", &command]).current_dir(server._data.path()).output().unwrap();
        let text = String::from_utf8_lossy(&told.stdout);
        assert!(told.status.success(), "{line}");
        if let Some((_, file)) = line.rsplit_once(" -o ") {
            let kept = std::fs::read(server._data.path().join(file)).unwrap();
            assert!(
                !kept.is_empty() && !kept.starts_with(b"{\"cure"),
                "{line}: {}",
                String::from_utf8_lossy(&kept)
            );
            assert!(!file.ends_with(".svg") || kept.starts_with(b"<svg"), "{line}");
        } else if line.contains("/stream") {
            assert!(text.contains("event: done"), "{line}: {text}");
        } else {
            // A match that was watched to its end has nothing left to go on with.
            let played =
                line.contains("/resume") && text.contains("all games of this match have been played");
            // Records are a line for each game.
            for answer in text.lines() {
                let answer: Value =
                    serde_json::from_str(answer).unwrap_or_else(|_| panic!("{line}: {answer}"));
                assert!(played || answer.get("error").is_none_or(Value::is_null), "{line}: {answer}");
            }
        }
        if line.contains("/api/v1/solve ") {
            // The lines that follow ask what became of it.
            let patience = Instant::now() + Duration::from_secs(60);
            while server.get("/api/v1/solve/1")["state"] == "running" {
                assert!(Instant::now() < patience, "the job goes on and on");
                std::thread::sleep(Duration::from_millis(20));
            }
        }
    }
}

/// Whether exact values can be expected is said before anybody waits for them.
#[test]
fn what_is_too_large_is_told_at_once() {
    let server = Server::start(&[]);
    let exact = |address: &str| server.get(&format!("/api/v1/view?game={address}"));
    for address in
        ["chess:KQK&position=8/8/8/3k4/8/8/8/KQ6%20w%20-%20-%200%201", "morris:six,men=4", "pig:50"]
    {
        let view = exact(address);
        assert_eq!(view["exact"], true, "{address}");
        assert!(view["levels"].as_array().unwrap().contains(&json!("perfect")), "{address}");
    }
    for address in ["hypergammon", "mnk:19x19,k=5"] {
        let view = exact(address);
        assert_eq!(view["exact"], false, "{address}");
        assert!(!view["levels"].as_array().unwrap().contains(&json!("perfect")), "{address}");
    }
}

/// What was solved once is known: later questions about a game with loops or dice take no place in the queue.
#[test]
fn what_was_solved_once_is_answered_at_once() {
    // One search at a time and nobody may wait: a question that had to search would be refused.
    let server = Server::start(&["--searches", "1", "--time", "30"]);
    for (game, positions) in [
        ("morris:tapatan", ["x../.../..._o_1", "x../.o./..._x_2"]),
        ("pig:20", ["5-5_A_6", "12-3_B_2_roll"]),
        ("nim:3%2B4%2B5", ["1%2B4%2B5_B", "0%2B4%2B5_A"]),
    ] {
        // A reason makes the game known as a whole.
        server.get(&format!("/api/v1/why?game={game}"));
        // Somebody else keeps the only search busy for as long as this takes.
        let busy = TcpStream::connect(server.addr).unwrap();
        let mut asking = busy.try_clone().unwrap();
        asking
            .write_all(b"GET /api/v1/position/stream?game=connect4:9x8 HTTP/1.1\r\nhost: localhost\r\n\r\n")
            .unwrap();
        let patience = Instant::now() + Duration::from_secs(20);
        while server.get("/healthz")["searches"] != 1 {
            assert!(Instant::now() < patience, "the other search does not begin");
            std::thread::sleep(Duration::from_millis(10));
        }
        for position in positions {
            let began = Instant::now();
            let position = position.replace('_', "%20");
            let answer = server.get(&format!("/api/v1/position?game={game}&position={position}"));
            assert!(!answer["moves"].as_array().unwrap().is_empty(), "{answer}");
            assert!(began.elapsed() < Duration::from_secs(2), "{game} {position}: {:?}", began.elapsed());
        }
        assert_eq!(server.get("/healthz")["searches"], 1, "the other search is still under way");
        busy.shutdown(std::net::Shutdown::Both).unwrap();
        let patience = Instant::now() + Duration::from_secs(20);
        while server.get("/healthz")["searches"] != 0 {
            assert!(Instant::now() < patience, "the other search does not end");
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

#[test]
fn a_taken_port_is_one_sentence() {
    let server = Server::start(&[]);
    let output = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(["serve", "--addr", &server.addr.to_string()])
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr).to_string();
    assert!(said.contains("is taken by another program; choose another port"), "{said}");
}

#[test]
#[cfg(unix)]
fn an_interrupt_ends_the_server_in_good_order() {
    let mut server = Server::start(&[]);
    assert_eq!(server.end("-INT").code(), Some(0));
}

/// The short form of `outplay-bench serve`.
#[test]
fn load_and_nonsense() {
    let mut test = LoadTest::default();
    (test.connections, test.time) = (40, Duration::from_secs(3));
    (test.slow, test.malformed, test.columns, test.replies) = (300, 400, 3, 2);
    let program = Path::new(env!("CARGO_BIN_EXE_outplay"));
    let report = loadtest::run(program, &test, &StageProgress::quiet()).unwrap();
    assert!(report.holds(), "{report:?}");
    assert!(report.load.clicks > 0, "{report:?}");
    assert!(report.slow.clicks > 0, "{report:?}");
    assert_eq!(report.beside.replies, 2, "{report:?}");
}

/// A page elsewhere can neither read answers under a name of its own nor start anything in a visitor's browser.
#[test]
fn foreign_hosts_and_pages_are_refused() {
    let server = Server::start(&["--host", "play.school.org"]);
    let check = |headers: &str, method: &str, path: &str, expected: u16| {
        let body = (method == "POST").then_some(r#"{"game":"connect4:6x5"}"#);
        let (status, _, answer) = server.ask_as(headers, method, path, body);
        assert_eq!(status, expected, "{headers} {path}: {answer}");
    };
    let (view, solve) = ("/api/v1/view?game=tictactoe", "/api/v1/solve");
    for path in ["/", view, "/healthz"] {
        check("host: evil.example", "GET", path, 421);
        check("x: y", "GET", path, 400);
        check("host: play.school.org", "GET", path, 200);
        check(&format!("host: {}", server.addr), "GET", path, 200);
    }
    check("host: evil.example", "POST", solve, 421);
    for foreign in ["origin: https://evil.example", "origin: null", "sec-fetch-site: cross-site"] {
        check(&format!("host: localhost\r\n{foreign}"), "POST", solve, 403);
        check(&format!("host: localhost\r\n{foreign}"), "DELETE", "/api/v1/solve/1", 403);
        check(&format!("host: localhost\r\n{foreign}"), "GET", view, 403);
        // A link to the page itself is welcome from anywhere.
        check(&format!("host: localhost\r\n{foreign}"), "GET", "/", 200);
    }
    check("host: play.school.org\r\norigin: https://play.school.org", "GET", view, 200);
    assert_eq!(server.ask("GET", "/api/v1/solve/1", None).0, 404, "nothing was begun");
}

/// More slow clients than there are seats: a head that never ends, a body that never ends, answers that nobody reads.
#[test]
fn slow_clients_make_room_for_others() {
    let server = Server::start(&["--connections", "12"]);
    let begin = |number: usize| {
        let mut stream = TcpStream::connect(server.addr).unwrap();
        let said: &[u8] = match number % 3 {
            0 => b"GET /healthz HTTP/1.1\r\nhost: localhost\r\nx: ",
            1 => b"POST /api/v1/move HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{",
            _ => b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n",
        };
        // The server may have sent somebody away already.
        let _ = stream.write_all(said);
        stream
    };
    let crowd: Vec<TcpStream> = (0..60).map(begin).collect();
    for moves in ["a1", "a1,b2", "a1,b2,c3"] {
        assert_ne!(server.get(&format!("/api/v1/position?game=tictactoe&moves={moves}"))["value"], "unknown");
    }
    drop(crowd);
}

/// One visitor's searches leave room for another's.
#[test]
#[cfg(target_os = "linux")]
fn an_address_has_its_share_of_the_searches() {
    let server = Server::start(&["--searches", "4", "--searches-each", "2", "--time", "60"]);
    let search = |moves: &str| {
        let mut stream = TcpStream::connect(server.addr).unwrap();
        let path = format!("/api/v1/position/stream?game=connect4:9x9&moves={moves}");
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        stream
    };
    let busy = [search("5"), search("4")];
    server.until("the searches do not begin", |server| server.get("/healthz")["searches"] == 2);
    let (status, head, answer) = server.ask("GET", "/api/v1/position?game=connect4:9x8", None);
    assert_eq!(status, 503, "{answer}");
    assert!(answer.contains("your address") && head.contains("retry-after"), "{head} {answer}");
    // Clicks that need no search are answered, and a search that is left makes room.
    assert_eq!(server.get("/api/v1/position?game=connect4")["value"], "win");
    drop(busy);
    server.until("the searches do not end", |server| server.get("/healthz")["searches"] == 0);
    assert_ne!(server.get("/api/v1/position?game=mnk:4x3,k=3")["value"], "unknown");
}

/// A request in one piece is watched like a stream: when its client is gone, so is its search.
#[test]
fn a_client_that_leaves_stops_its_search() {
    let server = Server::start(&["--searches", "2", "--time", "600"]);
    for path in ["/api/v1/position?game=mnk:19x20,k=5", "/api/v1/why?game=connect4:9x9"] {
        let mut stream = TcpStream::connect(server.addr).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n").unwrap();
        server.until("the search does not begin", |server| server.get("/healthz")["searches"] == 1);
        drop(stream);
        // Ten minutes are allowed, and `until` waits for one.
        server.until("the search goes on although nobody listens", |server| {
            server.get("/healthz")["searches"] == 0
        });
    }
}

#[test]
fn a_server_that_may_not_write_does_not() {
    let server = Server::start(&["--read-only"]);
    let (status, answer) = server.post("/api/v1/solve", &json!({"game": "tictactoe"}));
    assert_eq!(status, 403, "{answer}");
    assert!(answer["error"].as_str().unwrap().contains("read-only"), "{answer}");
    assert_ne!(server.get("/api/v1/position?game=tictactoe")["value"], "unknown");
    assert_eq!(std::fs::read_dir(server._data.path()).unwrap().count(), 0);
}

/// Visitors have so much of the disk, and what they made can be told from what was there.
#[test]
fn tables_of_visitors_have_a_quota() {
    let server = Server::start(&["--quota", "20k"]);
    let solve = |game: &str| server.post("/api/v1/solve", &json!({ "game": game }));
    let (status, job) = solve("mnk:3x3,k=3");
    assert_eq!(status, 202, "{job}");
    assert_eq!(server.job(&job["id"])["state"], "done");
    let made = server._data.path().join("tictactoe");
    assert!(made.join("visitor").is_file());
    assert_eq!(server.get("/api/v1/position?game=tictactoe")["source"], "table");
    // What is there is read, not made again.
    let (_, job) = solve("tictactoe");
    assert_eq!(server.job(&job["id"])["state"], "done");
    // A table beyond the quota is not kept, and leaves nothing behind.
    let (status, job) = solve("connect4:4x4");
    assert_eq!(status, 202, "{job}");
    let ended = server.job(&job["id"]);
    assert_eq!(ended["state"], "failed", "{ended}");
    assert!(ended["error"].as_str().unwrap().contains("the quota of 20.0 kB"), "{ended}");
    let left: Vec<_> = std::fs::read_dir(server._data.path().join("visitors")).unwrap().collect();
    assert!(left.is_empty(), "{left:?}");
    let (status, _) = server.post("/api/v1/solve", &json!({"game": "connect4:4x4", "save": false}));
    assert_eq!(status, 202);
}

/// The system's way to end a server: whoever solves is told to stop, and what was solved so far stays.
#[test]
#[cfg(unix)]
fn a_server_that_is_told_to_end_stops_its_work() {
    let mut server = Server::start(&["--threads", "1"]);
    let (status, job) = server.post("/api/v1/solve", &json!({"game": "connect4:5x5", "method": "sweep"}));
    assert_eq!(status, 202, "{job}");
    let mut stream = TcpStream::connect(server.addr).unwrap();
    write!(stream, "GET /api/v1/position/stream?game=connect4:9x9 HTTP/1.1\r\nhost: localhost\r\n\r\n")
        .unwrap();
    server.until("the search does not begin", |server| server.get("/healthz")["searches"] == 1);
    assert_eq!(server.end("-TERM").code(), Some(0));
    let tables = Command::new(env!("CARGO_BIN_EXE_outplay"))
        .args(["tables", "--json", "--data"])
        .arg(server._data.path())
        .output()
        .unwrap();
    assert!(tables.status.success(), "{tables:?}");
}

/// The resident memory of a process in bytes.
#[cfg(target_os = "linux")]
fn resident_bytes(pid: u32) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:")).unwrap();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap() * 1024
}

/// A proof of forty steps that lead to the one before them twice is refused, not followed 2^40 times.
#[test]
#[cfg(target_os = "linux")]
fn a_hostile_walk_costs_nothing() {
    let server = Server::start(&["--read-only"]);
    let steps: String = (1..=40).map(|i| format!("{i} split | a1>{0} a1>{0}\n", i - 1)).collect();
    let grounds = "claim draw\nx holds by 40\no holds by 40\nsteps 41\n0 pairs\n";
    let proof = format!("outplay-proof 1\nboard ... k 3 turn x\n{grounds}{steps}end\n");
    assert!(proof.len() < 1_500);
    let before = resident_bytes(server.child.id());
    let began = Instant::now();
    for player in ["first", "second"] {
        let (status, answer) = server.post("/api/v1/walk", &json!({ "proof": proof, "player": player }));
        assert_eq!(status, 400, "{answer}");
        assert!(answer["error"].as_str().unwrap().starts_with("step 40 is wrong"), "{answer}");
    }
    let (status, checked) = server.post("/api/v1/check", &json!({ "proof": proof }));
    assert_eq!((status, &checked["valid"]), (200, &json!(false)), "{checked}");
    assert!(began.elapsed() < Duration::from_secs(5), "{:?}", began.elapsed());
    let grown = resident_bytes(server.child.id()).saturating_sub(before);
    assert!(grown < 50 << 20, "{grown} bytes");
}

/// With an access token, no address answers without it, and a browser shows it once.
#[test]
fn every_address_asks_for_the_access_token() {
    const TOKEN: &str = "correct-horse-battery";
    let file = tempfile::NamedTempFile::new().unwrap();
    std::fs::write(file.path(), format!("{TOKEN}\n")).unwrap();
    let server = Server::start(&["--token-file", file.path().to_str().unwrap()]);
    let with = format!("host: localhost\r\nauthorization: Bearer {TOKEN}");
    let (status, _, described) = server.ask_as(&with, "GET", "/api/openapi.json", None);
    assert_eq!(status, 200, "{described}");
    let described: Value = serde_json::from_str(&described).unwrap();
    let paths = described["paths"].as_object().unwrap();
    assert!(paths.len() > 40);
    for (path, methods) in paths {
        for method in methods.as_object().unwrap().keys() {
            let path = path.replace("{id}", "1");
            let (status, head, body) = server.ask("GET", &path, None);
            assert_eq!(status, 401, "{method} {path}: {body}");
            assert!(head.contains("www-authenticate: Bearer"), "{head}");
            assert!(body.contains("access token") && !body.contains(TOKEN), "{body}");
            let (status, ..) = server.ask(&method.to_uppercase(), &path, Some("{}"));
            assert_eq!(status, 401, "{method} {path}");
        }
    }
    for path in ["/main.js", "/sw.js", "/nothing", "/api/nothing"] {
        assert_eq!(server.ask("GET", path, None).0, 401, "{path}");
    }
    // A browser gets a form that it may send, then a cookie.
    let browser = "host: localhost\r\naccept: text/html,*/*";
    let (status, head, body) = server.ask_as(browser, "GET", "/", None);
    assert_eq!(status, 401);
    assert!(body.contains("<form") && head.contains("form-action 'self'"), "{head} {body}");
    let (status, head, body) = server.ask_as(browser, "GET", &format!("/?game=connect4&token={TOKEN}"), None);
    assert_eq!(status, 200);
    assert!(
        head.contains("HttpOnly; SameSite=Strict") && body.contains("url=/?game=connect4\""),
        "{head} {body}"
    );
    let cookie = format!("{browser}\r\ncookie: outplay_token={TOKEN}");
    let (status, _, page) = server.ask_as(&cookie, "GET", "/?game=connect4", None);
    assert!(status == 200 && page.contains("<script"), "{page}");
    assert_eq!(server.ask_as(&cookie, "GET", "/api/v1/position?game=tictactoe", None).0, 200);
    let wrong = "host: localhost\r\ncookie: outplay_token=correct-horse-batterX";
    assert_eq!(server.ask_as(wrong, "GET", "/healthz", None).0, 401);
}

/// A server that others can reach says what it exposes to whom, and how to restrict it.
#[test]
fn an_open_server_says_what_it_exposes() {
    let data = tempfile::tempdir().unwrap();
    let notice = |more: &[&str]| {
        let mut child = Command::new(env!("CARGO_BIN_EXE_outplay"))
            .args(["serve", "--json", "--data"])
            .arg(data.path())
            .args(more)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut stdout = BufReader::new(child.stdout.take().unwrap());
        stdout.read_line(&mut line).unwrap();
        // What is said is said at once; the server ends long after.
        std::thread::sleep(Duration::from_millis(300));
        let _ = child.kill();
        let mut said = String::new();
        child.stderr.take().unwrap().read_to_string(&mut said).unwrap();
        (child.wait().unwrap().code(), line, said)
    };
    assert_eq!(notice(&["--addr", "127.0.0.1:0"]).2, "");
    let (_, _, said) = notice(&["--addr", "0.0.0.0:0"]);
    for words in
        ["every computer that reaches this machine", "1.00 GB", "--token-file", "--read-only", "127.0.0.1"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    let (_, _, said) = notice(&["--addr", "0.0.0.0:0", "--read-only", "--token", "0123456789abcdef"]);
    assert!(said.contains("has the access token") && !said.contains("0123456789abcdef"), "{said}");
    assert!(!said.contains("--token-file") && !said.contains("solve games"), "{said}");
    let (code, said, _) = notice(&["--addr", "127.0.0.1:0", "--token", "short"]);
    assert!(code == Some(2) && said.contains("16 to 200") && !said.contains("short"), "{code:?} {said}");
}

#[test]
fn games_without_a_start_begin_at_a_random_position() {
    let server = Server::start(&[]);
    let games = server.get("/api/v1/games");
    let startless = games["games"].as_array().unwrap().iter().filter(|family| family["startless"] == true);
    assert_eq!(startless.map(|family| family["name"].as_str().unwrap()).collect::<Vec<_>>(), ["chess"]);
    for game in ["chess:KQKR", "chess:KPK", "chess:KBNK", "chess:all3", "chess:all4"] {
        let mut positions = std::collections::BTreeSet::new();
        for seed in 0..8 {
            let start = server.get(&format!("/api/v1/start?game={game}&seed={seed}"));
            assert_eq!(start["startless"], true);
            let position = start["position"].as_str().unwrap().to_string();
            let view =
                server.get(&format!("/api/v1/view?game={game}&position={}", position.replace(' ', "%20")));
            assert_eq!((&view["to_move"], &view["outcome"]), (&json!("first"), &Value::Null), "{position}");
            positions.insert(position);
        }
        assert!(positions.len() > 6, "{game}: {positions:?}");
    }
    let start = server.get("/api/v1/start?game=tictactoe");
    assert_eq!((&start["position"], &start["startless"]), (&json!(".../.../..."), &json!(false)));
}
