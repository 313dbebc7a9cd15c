//! Tests of what answers say: a value is what was proven, an opinion is marked as one, and what is unknown stays so.

use crate::{Server, Settings};
use outplay_catalog::Catalog;
use serde_json::Value;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Timeout of a test that repeats a request.
const PATIENCE: Duration = Duration::from_secs(300);

/// Runs a test against a server whose answers may take `time`.
fn served(time: Duration, test: impl FnOnce(SocketAddr)) {
    let data = tempfile::tempdir().unwrap();
    let mut settings = Settings::new(([127, 0, 0, 1], 0).into(), data.path().into());
    (settings.time, settings.threads, settings.searches) = (time, 2, 2);
    let server = Server::bind(Catalog::standard(), settings).unwrap();
    let addr = server.addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(server.until(async { drop(ended.await) })).unwrap();
        runtime.shutdown_timeout(Duration::from_secs(1));
    });
    test(addr);
    drop(end);
    running.join().unwrap();
}

/// The body of the answer to a GET request.
fn get(addr: SocketAddr, path: &str) -> String {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(PATIENCE)).unwrap();
    let head = format!("GET /api/v1/{path} HTTP/1.0\r\nhost: localhost\r\n\r\n");
    stream.write_all(head.as_bytes()).unwrap();
    let mut bytes = Vec::new();
    stream.read_to_end(&mut bytes).unwrap();
    let text = String::from_utf8(bytes).unwrap();
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.contains(" 200 "), "{path}: {text}");
    body.to_string()
}

/// The answer to a GET request, as JSON.
fn json(addr: SocketAddr, path: &str) -> Value {
    serde_json::from_str(&get(addr, path)).unwrap()
}

/// The last event of a stream.
fn last_event(addr: SocketAddr, path: &str) -> Value {
    let text = get(addr, path);
    let data = text.lines().rev().find_map(|line| line.strip_prefix("data: "));
    serde_json::from_str(data.unwrap()).unwrap()
}

fn list<'a>(answer: &'a Value, field: &str) -> &'a [Value] {
    answer[field].as_array().unwrap_or_else(|| panic!("{field}: {answer}"))
}

/// A lost position whose search is stopped after its value and before its distance: the answer is not final.
#[test]
fn interrupted_answers_become_complete() {
    served(Duration::from_millis(40), |addr| {
        let path = "position?game=connect4&moves=44444226613";
        let complete = |answer: &Value| {
            let scored = |mv: &Value| mv["score"].is_i64() && mv["distance"].is_u64();
            answer["score"].is_i64() && list(answer, "moves").iter().all(scored)
        };
        let began = Instant::now();
        let first = json(addr, path);
        assert!(!complete(&first), "the time limit is too long for this test");
        let mut answer = first;
        while !complete(&answer) {
            assert!(began.elapsed() < PATIENCE, "{answer}");
            answer = json(addr, path);
        }
        assert_eq!(answer["value"], "loss");
        let best = list(&answer, "moves").iter().filter(|mv| mv["score"] == answer["score"]);
        let best: Vec<Value> = best.map(|mv| mv["move"].clone()).collect();
        assert_eq!(list(&answer, "best"), best);
        assert_eq!(json(addr, path), answer, "a complete answer is kept");
    });
}

/// The book has the distance of the position, which is lost, and not of its moves: they are searched.
#[test]
fn moves_of_a_lost_position_of_the_book_have_scores() {
    served(Duration::from_secs(100), |addr| {
        for path in ["position", "position/stream"] {
            let path = format!("{path}?game=connect4&moves=4444422");
            let answer = if path.contains("stream") { last_event(addr, &path) } else { json(addr, &path) };
            assert_eq!((&answer["value"], &answer["distance"]), (&"loss".into(), &34.into()));
            let timed = |mv: &Value| mv["score"].is_i64() && mv["distance"].is_u64();
            assert!(list(&answer, "moves").iter().all(timed), "{answer}");
            let best = |mv: &&Value| mv["distance"] == 34;
            let best: Vec<Value> =
                list(&answer, "moves").iter().filter(best).map(|mv| mv["move"].clone()).collect();
            assert!(!best.is_empty());
            assert_eq!(list(&answer, "best"), best);
        }
    });
}

#[test]
fn only_what_is_expected_is_promised() {
    served(Duration::from_secs(5), |addr| {
        let exact = |game: &str| json(addr, &format!("view?game={game}"))["exact"].clone();
        assert_eq!(exact("einstein:3x3"), true);
        assert_eq!(exact("einstein:4x4"), false);
        assert_eq!(exact("einstein:5x5"), false);
        let proof = |game: &str| {
            let view = json(addr, &format!("view?game={game}"));
            (view["provable"].clone(), view["proof_expected"].clone())
        };
        assert_eq!(proof("mnk:5x5,k=4"), (true.into(), true.into()));
        assert_eq!(proof("mnk:15x15,k=5"), (true.into(), false.into()));
        assert_eq!(proof("connect4"), (false.into(), false.into()));
        let view = json(addr, "view?game=tictactoe&moves=b2");
        assert_eq!(view["seconds"], 15.0, "a stream may take three times as long as an answer");
    });
}

/// The proof search decides 6x6 with four in a row at once; its moves have values before opinions.
#[test]
fn proofs_come_before_opinions() {
    served(Duration::from_secs(5), |addr| {
        let opinions = last_event(addr, "opinions/stream?game=mnk:6x6,k=4");
        assert_eq!(opinions["value"], "win");
        let (first, rest) = list(&opinions, "moves").split_first().unwrap();
        assert_eq!((&first["value"], &first["opinion"]), (&"win".into(), &1.0.into()));
        assert!(rest.iter().any(|mv| mv["value"].is_null()), "{opinions}");
        // A block is forced: without it the opponent wins, whatever an evaluation says.
        let forced = last_event(addr, "opinions/stream?game=mnk:6x6,k=4&moves=c3,a1,c4,a6,c5");
        assert_eq!(forced["value"], "loss");
        assert!(list(&forced, "moves").iter().all(|mv| mv["value"] == "loss"), "{forced}");
    });
}

/// Opinions of odd and of even depth differ by a tempo: those that lead the list have even depths only.
#[test]
fn opinions_of_different_moves_differ() {
    served(Duration::from_secs(5), |addr| {
        let opinions = last_event(addr, "opinions/stream?game=mnk:15x15,k=5&moves=h8,h9,i9");
        let listed = &list(&opinions, "moves")[..30];
        assert!(listed.iter().all(|mv| mv["depth"].as_u64().unwrap() % 2 == 0), "{listed:?}");
        let mut hundredths: Vec<i64> =
            listed.iter().map(|mv| (mv["opinion"].as_f64().unwrap() * 100.0).round() as i64).collect();
        hundredths.sort_unstable();
        hundredths.dedup();
        assert!(hundredths.len() >= 10, "{listed:?}");
        // Symmetric moves have the same one.
        let start = last_event(addr, "opinions/stream?game=mnk:15x15,k=5&moves=h8");
        let opinion = |name: &str| {
            let known = list(&start, "moves").iter().find(|mv| mv["move"] == name);
            known.map(|mv| (mv["opinion"].clone(), mv["depth"].clone()))
        };
        assert!(opinion("g7").is_some());
        assert_eq!((opinion("g7"), opinion("g7")), (opinion("i9"), opinion("g9")));
    });
}

/// After a game of gomoku most values are unknown: they make no move accurate and no start lost.
#[test]
fn reviews_judge_known_moves_only() {
    served(Duration::from_secs(10), |addr| {
        let moves = "h8,a1,h9,c1,h10,e1,h11,g1,h12";
        let history = json(addr, &format!("history?game=mnk:15x15,k=5&moves={moves}"));
        let review = &history["review"];
        assert_eq!(review["outcome"], 1);
        let unknown = list(&history, "plies").iter().filter(|ply| ply["first"].is_null()).count();
        assert!(unknown > 0, "the first position is unsolved");
        assert_eq!(review["unknown"], unknown);
        for side in ["first", "second"] {
            let judged = &review["accuracy"][side];
            let count = |field: &str| judged[field].as_u64().unwrap();
            assert_eq!(count("judged") + count("unjudged"), count("moves"));
            assert!(count("unjudged") > 0 && count("kept") <= count("judged"), "{judged}");
        }
        let nothing = json(addr, "history?game=mnk:15x15,k=5&moves=h8");
        assert!(nothing["review"]["accuracy"]["first"]["accuracy"].is_null(), "{nothing}");
        let known = json(addr, "history?game=tictactoe&moves=b2,a1");
        assert_eq!(known["review"]["accuracy"]["second"]["accuracy"], 1.0);
    });
}

/// A search that stops at its horizon does not know the value of Piglet, which is 1/7.
#[test]
fn estimates_of_trees_are_marked() {
    served(Duration::from_secs(10), |addr| {
        for method in ["expectiminimax", "star1", "star2"] {
            let tree = json(addr, &format!("tree?game=piglet:2&depth=7&method={method}"));
            assert_eq!((&tree["exact"], &tree["nodes"][0]["worth"]["mean"]), (&false.into(), &0.125.into()));
        }
        let mean = json(addr, "position?game=piglet:2")["mean"].as_f64().unwrap();
        assert!((mean - 1.0 / 7.0).abs() < 1e-9);
        let exact = |path: &str| json(addr, &format!("tree?{path}"))["exact"].clone();
        assert_eq!(exact("game=tictactoe&depth=9&most=2000"), true);
        assert_eq!(exact("game=tictactoe&depth=2"), false);
        assert_eq!(exact("game=tictactoe&depth=3&moves=a1,b1,a2,b2"), true, "a win that was found");
    });
}
