//! Fuzzing with malformed requests: the server must reject each of them with a 4xx status, and its memory must not
//! grow.

use super::client::raw;
use super::resident_bytes;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// Results of the malformed requests.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MalformedReport {
    /// Requests sent.
    pub sent: u64,
    /// Responses by status; 0 counts connections closed without one.
    pub by_status: BTreeMap<u16, u64>,
    /// Responses of 500 and above.
    pub server_errors: u64,
    /// Responses below 400.
    pub accepted: u64,
    /// The first request with such a response.
    pub first_wrong: Option<String>,
    /// Memory of the server before, in bytes.
    pub bytes_before: u64,
    /// Memory of the server after, in bytes.
    pub bytes_after: u64,
}

const ROUTES: [&str; 11] = [
    "/api/v1/view",
    "/api/v1/position",
    "/api/v1/position/stream",
    "/api/v1/history",
    "/api/v1/history/stream",
    "/api/v1/why",
    "/api/v1/puzzle",
    "/api/v1/stats",
    "/api/v1/stats.svg",
    "/api/v1/move",
    "/api/v1/solve",
];

/// Specs of no game, and specs of games too large for a server.
const SPECS: [&str; 20] = [
    "",
    "go:19x19",
    "mnk:0x0",
    "mnk:3x",
    "mnk:x3",
    "mnk:3x3,k=0",
    "mnk:3x3,k=",
    "mnk:99999x99999",
    "mnk:18446744073709551616x1",
    "connect4:0x7",
    "connect4:7x6,obstacles=z99",
    "nim:",
    "nim:99999999999999999999",
    "nim:0+0+x",
    "chess:KXK",
    "tictactoe,x=a1,o=a1",
    "mnk:3x3,,",
    "::::",
    "../../etc/passwd",
    "\u{0}\u{1}\u{202e}🂡",
];

/// Sends malformed requests, a few concurrently.
pub(super) async fn malformed(addr: SocketAddr, pid: u32, requests: u64, seed: u64) -> MalformedReport {
    /// Concurrent requests; more would only wait for the processor.
    const TOGETHER: u64 = 8;
    let mut report = MalformedReport { bytes_before: resident_bytes(pid), ..MalformedReport::default() };
    let mut rng = SmallRng::seed_from_u64(seed);
    while report.sent < requests {
        let batch: Vec<Vec<u8>> =
            (0..TOGETHER.min(requests - report.sent)).map(|_| request(&mut rng)).collect();
        let mut answers = Vec::new();
        for bytes in &batch {
            let bytes = bytes.clone();
            answers.push(tokio::spawn(async move { raw(addr, &bytes).await }));
        }
        for (bytes, answer) in batch.iter().zip(answers) {
            report.sent += 1;
            let status = match answer.await {
                Ok(Ok(status)) => status.unwrap_or(0),
                // A timeout counts as the worst response.
                _ => 599,
            };
            *report.by_status.entry(status).or_default() += 1;
            let (fault, accepted) = (status >= 500, (1..400).contains(&status));
            report.server_errors += u64::from(fault);
            report.accepted += u64::from(accepted);
            if fault || accepted {
                let shown = String::from_utf8_lossy(&bytes[..bytes.len().min(300)]).to_string();
                report.first_wrong.get_or_insert_with(|| format!("{status}: {shown}"));
            }
        }
    }
    report.bytes_after = resident_bytes(pid);
    report
}

fn get(target: &str) -> Vec<u8> {
    format!("GET {target} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n").into_bytes()
}

fn post(route: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let length = body.len();
    let head = format!(
        "POST {route} HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\ncontent-type: {kind}\r\ncontent-length: {length}\r\n\r\n"
    );
    [head.as_bytes(), body].concat()
}

fn encoded(text: &str) -> String {
    text.bytes().map(|byte| format!("%{byte:02X}")).collect()
}

/// Random text: letters of many scripts, control characters, combining and bidirectional marks.
fn words(rng: &mut SmallRng, most: usize) -> String {
    const LETTERS: [char; 16] = [
        'a', '1', 'x', ',', '=', '+', ':', '/', ' ', '\u{0}', 'é', '棋', '\u{202e}', '\u{301}', '🂡',
        '\u{fffd}',
    ];
    (0..rng.random_range(1..most)).map(|_| LETTERS[rng.random_range(0..LETTERS.len())]).collect()
}

/// Builds one malformed request.
fn request(rng: &mut SmallRng) -> Vec<u8> {
    let route = ROUTES[rng.random_range(0..9)];
    let spec = SPECS[rng.random_range(0..SPECS.len())];
    match rng.random_range(0..16) {
        // A path without a route.
        0 => get(&format!("/{}", encoded(&words(rng, 60)))),
        1 => {
            let climb = ["../", "..%2f", "%2e%2e/", "..\\", "%c0%ae%c0%ae/", "./"][rng.random_range(0..6)];
            let depth = rng.random_range(1..12);
            get(&format!("/{}etc/passwd", climb.repeat(depth)))
        }
        // An invalid game, position or list of moves.
        2 => get(&format!("{route}?game={}", encoded(spec))),
        3 => get(&format!("{route}?game={}", encoded(&format!("!{}", words(rng, 200))))),
        4 => {
            // Statistics and puzzles ignore positions.
            let route = ["/api/v1/view", "/api/v1/position", "/api/v1/history", "/api/v1/why"]
                [rng.random_range(0..4)];
            let key = ["position", "moves"][rng.random_range(0..2)];
            get(&format!("{route}?game=connect4&{key}={}", encoded(&format!("!{}", words(rng, 300)))))
        }
        // Invalid UTF-8, a key without a value, a repeated key, no key at all.
        5 => {
            let query = ["game=%ff%fe", "game", "game=tictactoe&game=mnk:3x3", "", "%", "game[]=1", "=&=&="];
            get(&format!("{route}?{}", query[rng.random_range(0..query.len())]))
        }
        // Larger than every limit.
        6 => get(&format!("{route}?game=connect4&moves={}", "4".repeat(rng.random_range(17_000..30_000)))),
        7 => oversized(rng),
        // A method that the route does not allow.
        8 => {
            let method =
                ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO", "POST"][rng.random_range(0..7)];
            format!(
                "{method} {route}?game=tictactoe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
            )
            .into_bytes()
        }
        9 | 10 => post(ROUTES[rng.random_range(9..11)], "application/json", body(rng).as_bytes()),
        11 => {
            let kind = ["text/plain", "application/xml", "", "application/x-www-form-urlencoded"]
                [rng.random_range(0..4)];
            post(ROUTES[rng.random_range(9..11)], kind, br#"{"game":"tictactoe","player":"random"}"#)
        }
        // A body larger than allowed.
        12 => {
            let body = format!(r#"{{"game":"{}"}}"#, "x".repeat(rng.random_range(66_000..200_000)));
            post(ROUTES[rng.random_range(9..11)], "application/json", body.as_bytes())
        }
        // A foreign host, or a foreign origin.
        13 => {
            let host =
                ["evil.example", "localhost.evil.example", "", "10.9.8.7", "x:8080"][rng.random_range(0..5)];
            format!("GET {route}?game=tictactoe HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n\r\n")
                .into_bytes()
        }
        14 => {
            let from = [
                "origin: https://evil.example",
                "origin: null",
                "origin: http://localhost:1",
                "sec-fetch-site: cross-site",
            ][rng.random_range(0..4)];
            format!("GET {route}?game=tictactoe HTTP/1.1\r\nhost: localhost\r\n{from}\r\nconnection: close\r\n\r\n")
                .into_bytes()
        }
        // Bytes that are not HTTP.
        _ => {
            let mut bytes: Vec<u8> = (0..rng.random_range(1..400)).map(|_| rng.random()).collect();
            bytes.extend_from_slice(b"\r\n\r\n");
            bytes
        }
    }
}

/// A body that is not JSON, or not of the expected form.
fn body(rng: &mut SmallRng) -> String {
    let noise = words(rng, 50);
    let deep = "[".repeat(rng.random_range(100..20_000));
    let bodies = [
        String::new(),
        "{".into(),
        "null".into(),
        "[]".into(),
        deep,
        format!("{{\"game\":{noise:?}}}"),
        r#"{"game":1,"player":2}"#.into(),
        r#"{"game":"tictactoe","player":"random","seed":-1}"#.replace("tictactoe", "tictactoee"),
        format!(r#"{{"game":"tictactoe!","player":"{}"}}"#, "x".repeat(600)),
        r#"{"game":"tictactoe","player":"lines:weights=/etc/passwd","method":"magic"}"#.into(),
        r#"{"player":"random"}"#.into(),
        r#"{"game":"tictactoe","moves":"a1 a1","player":"random","values":"all"}"#.into(),
    ];
    bodies[rng.random_range(0..bodies.len())].clone()
}

/// Builds a request whose request line, header or number of headers exceeds every limit.
fn oversized(rng: &mut SmallRng) -> Vec<u8> {
    match rng.random_range(0..3) {
        0 => get(&format!("/{}", "a".repeat(70_000))),
        1 => format!(
            "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: {}\r\n\r\n",
            "y".repeat(600_000)
        )
        .into_bytes(),
        _ => format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(300)).into_bytes(),
    }
}
