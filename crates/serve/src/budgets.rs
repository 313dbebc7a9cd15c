//! Tests that each route keeps its time and memory limits when a request asks for too much work.

use crate::addresses::{ADDRESSES, Address, HttpMethod};
use crate::{Server, Settings};
use outplay_catalog::Catalog;
use serde_json::json;
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream};
use std::time::{Duration, Instant};

/// Time limit of a request in this test.
const TIME: Duration = Duration::from_millis(200);
/// Overhead on a slow machine, shorter than [`GRACE`](crate::question::GRACE), after which the server cancels work
/// that ignores its deadline: such work fails the test.
const SLACK: Duration = Duration::from_millis(3_500);
/// Overhead of a stream, which may take a few time limits; opinions take four seconds.
const STREAM_SLACK: Duration = Duration::from_millis(8_000);
/// Memory of the server, and the allowed growth of the process: other tests run beside this one.
const MEMORY: u64 = 256 << 20;
const GROWTH: u64 = 3 * MEMORY;

/// A proof in which each step leads twice to the one before: 2^40 paths.
fn splits(board: &str, parts: &str) -> String {
    let steps = |i: usize| format!("{} split | {}\n", i + 1, parts.replace('N', &i.to_string()));
    let steps: String = (0..40).map(steps).collect();
    let head = format!("outplay-proof 1\nboard {board}\nclaim draw\nx holds by stealing\no holds by 40\n");
    format!("{head}steps 41\n0 pairs\n{steps}end\n")
}

/// Queries or bodies for a route, as expensive as a client can make them.
fn expensive(address: &Address) -> Option<Vec<String>> {
    let large = "game=mnk:15x15,k=5&moves=h8+h9+j9";
    let moves: Vec<String> = (1..=15).flat_map(|row| ["a", "c", "e"].map(|c| format!("{c}{row}"))).collect();
    let long = format!("game=mnk:15x15,k=6&moves={}", moves.join("+"));
    let at = |more: serde_json::Value| {
        let mut body = json!({ "game": "mnk:15x15,k=5", "moves": "h8 h9 j9" });
        body.as_object_mut()?.extend(more.as_object()?.clone());
        Some(body.to_string())
    };
    let texts = |list: &[&str]| Some(list.iter().map(|text| text.to_string()).collect());
    match (address.method, address.path.strip_prefix("/api/v1/").unwrap_or(address.path)) {
        (HttpMethod::Get, "view" | "embed") => texts(&["game=mnk:50x50,k=5", &long]),
        (HttpMethod::Get, "position" | "position/stream" | "why") => {
            texts(&[large, "game=connect:9x9,k=5", "game=hypergammon", "game=nim:999+999+999"])
        }
        (HttpMethod::Get, "start") => texts(&["game=chess:all4", "game=chess:KQRKR", "game=hypergammon"]),
        (HttpMethod::Get, "opinions/stream") => texts(&[large]),
        (HttpMethod::Get, "history" | "history/stream") => texts(&[&long]),
        (HttpMethod::Post, "move") => {
            ["alphabeta:depth=60", "mcts:playouts=1000000000", "perfect", "alphabeta:time=3600s"]
                .map(|player| at(json!({ "player": player })))
                .into_iter()
                .collect()
        }
        (HttpMethod::Get, "puzzle") => texts(&["game=mnk:15x15,k=5&seed=7", "game=nim:999+999+999"]),
        (HttpMethod::Get, "evaluation") => {
            texts(&["game=mnk:50x50,k=5&eval=lines", &format!("{large}&eval=patterns")])
        }
        (HttpMethod::Get, "rules") => texts(&["game=nim:999+999+999", "game=hypergammon"]),
        (HttpMethod::Get, "tree") => texts(&[
            &format!("{large}&depth=64&method=minimax&most=2000"),
            &format!("{large}&depth=64&method=minimax&most=2000&order=best"),
            "game=hypergammon&depth=64&method=star2&most=2000&order=worst",
        ]),
        (HttpMethod::Get, "index") => texts(&[
            "game=nim:999+999+999",
            "game=hypergammon",
            "game=chess:KRKR&number=123456",
            "game=mnk:8x8,k=5&position=8/8/8/8/8/8/8/8",
        ]),
        (HttpMethod::Get, "waves") => texts(&["game=chess:KRKR", "game=morris:six"]),
        (HttpMethod::Post, "values") => {
            let positions = vec!["8/8/8/8/8/2k5/8/K1R5 w - - 0 1"; 512];
            Some(vec![json!({ "game": "chess:KRKR", "positions": positions }).to_string()])
        }
        (HttpMethod::Get, "proof") => texts(&["game=mnk:8x8,k=5", "game=mnk:19x19,k=5"]),
        (HttpMethod::Post, "check") => Some(
            [("... k 3 turn x", "a1>N a1>N"), ("... k 4 turn x", "a1>N b1>N")]
                .map(|(board, parts)| json!({ "proof": splits(board, parts) }).to_string())
                .to_vec(),
        ),
        (HttpMethod::Post, "walk") => Some(
            [("... k 3 turn x", "a1>N a1>N"), ("... k 4 turn x", "a1>N b1>N")]
                .map(|(board, parts)| {
                    json!({ "proof": splits(board, parts), "player": "second" }).to_string()
                })
                .to_vec(),
        ),
        (HttpMethod::Post, "solve") => {
            Some(vec![json!({ "game": "connect4:7x6", "method": "sweep" }).to_string()])
        }
        (HttpMethod::Post, "match") => Some(vec![at(
            json!({ "players": ["alphabeta:depth=30", "mcts:playouts=1000000"], "games": 1000 }),
        )?]),
        (HttpMethod::Post, "experiments/run") => {
            Some(vec![json!({ "name": "dp", "sample": 10_000 }).to_string()])
        }
        (
            HttpMethod::Get,
            "knowledge" | "stats" | "stats.svg" | "stats.csv" | "stats/examples" | "stats/records",
        ) => texts(&["game=nim:999+999+999", "game=mnk:15x15,k=5", "game=chess:KRKR"]),
        (HttpMethod::Get, "puzzle/set") => texts(&["game=connect4&number=18446744073709551615"]),
        (HttpMethod::Get, "puzzle/daily") => texts(&["date=9999999-12-31"]),
        (HttpMethod::Get, "qr.svg") => texts(&[&format!("text={}", "x".repeat(1200))]),
        // Routes that only return data at hand.
        (
            HttpMethod::Get,
            "games" | "experiments" | "match" | "puzzles" | "/shell.json" | "/healthz" | "/",
        )
        | (HttpMethod::Get, "/api/openapi.json") => texts(&[""]),
        (_, path) if path.contains("{id}") => texts(&[""]),
        (HttpMethod::Get, "/embed") => texts(&[&long]),
        _ => None,
    }
}

/// Sends a request, reads the whole response and returns its status.
fn ask(addr: SocketAddr, address: &Address, text: &str) -> u16 {
    let (method, body) = match address.method {
        HttpMethod::Get => ("GET", ""),
        HttpMethod::Post => ("POST", text),
        HttpMethod::Delete => ("DELETE", ""),
    };
    let query = if address.method == HttpMethod::Get { text } else { "" };
    let path = address.path.replace("{id}", "1");
    let head = format!("{method} {path}?{query} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n");
    let kind = "content-type: application/json";
    let request = format!("{head}{kind}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(4 * STREAM_SLACK)).unwrap();
    stream.write_all(request.as_bytes()).unwrap();
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer).unwrap();
    String::from_utf8_lossy(&answer).split(' ').nth(1).unwrap().parse().unwrap()
}

/// Peak resident memory of this process in bytes; 0 where the system does not report it.
fn peak_bytes() -> u64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = text.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap_or_default();
    line.trim().trim_end_matches("kB").trim().parse::<u64>().unwrap_or_default() * 1024
}

#[test]
fn every_address_keeps_its_time_and_memory() {
    let data = tempfile::tempdir().unwrap();
    let mut settings = Settings::new(([127, 0, 0, 1], 0).into(), data.path().into());
    (settings.time, settings.memory, settings.threads, settings.searches) = (TIME, MEMORY, 2, 2);
    let server = Server::bind(Catalog::standard(), settings).unwrap();
    let addr = server.addr().unwrap();
    let (end, ended) = tokio::sync::oneshot::channel::<()>();
    let running = std::thread::spawn(move || {
        let runtime =
            tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        runtime.block_on(server.until(async { drop(ended.await) })).unwrap();
        runtime.shutdown_timeout(TIME);
    });
    let before = peak_bytes();
    let mut late = Vec::new();
    for address in ADDRESSES {
        let texts =
            expensive(address).unwrap_or_else(|| panic!("nothing expensive is known for {}", address.path));
        for text in texts {
            if address.path.ends_with("/{id}/stream") {
                // A job's stream lasts as long as the job, and an earlier route may have resumed one.
                let path = address.path.trim_end_matches("/stream");
                let stop =
                    ADDRESSES.iter().find(|other| other.path == path && other.method == HttpMethod::Delete);
                ask(addr, stop.expect("every job can be stopped"), "");
            }
            let began = Instant::now();
            let status = ask(addr, address, &text);
            let (took, shown) = (began.elapsed(), text.chars().take(100).collect::<String>());
            assert!(status < 500 || status == 503, "{} {shown}: {status}", address.path);
            let slack = if address.answer == "events" { STREAM_SLACK } else { SLACK };
            if took > TIME + slack {
                late.push(format!("{} {shown}: {took:?}", address.path));
            }
        }
    }
    drop(end);
    running.join().unwrap();
    assert!(late.is_empty(), "{late:#?}");
    let grown = peak_bytes() - before;
    assert!(grown < GROWTH, "{} MB", grown >> 20);
}
