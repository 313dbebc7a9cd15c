//! Nonsense of every kind: each request must be refused with a 4xx, and the server must not grow.

use super::client::raw;
use super::resident_bytes;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use serde::Serialize;
use std::collections::BTreeMap;
use std::net::SocketAddr;

/// What nonsense did to a server.
#[derive(Clone, Debug, Default, Serialize)]
pub struct MalformedReport {
    /// Requests sent.
    pub sent: u64,
    /// Answers by status; 0 counts connections that were closed without one.
    pub by_status: BTreeMap<u16, u64>,
    /// Answers of 500 and more.
    pub server_errors: u64,
    /// Answers below 400.
    pub accepted: u64,
    /// The first request with one of the two.
    pub first_wrong: Option<String>,
    /// Memory of the server before.
    pub bytes_before: u64,
    /// Memory of the server afterwards.
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

/// Specs that name no game, and some that name one too large for a server.
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

/// Sends so many malformed requests, a few at a time.
pub async fn malformed(addr: SocketAddr, pid: u32, requests: u64, seed: u64) -> MalformedReport {
    /// At a time; more would only wait for the processor.
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
                // Nothing came in time, which is worse than any answer.
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

/// Letters of many scripts, controls and marks that join or turn the text around.
fn words(rng: &mut SmallRng, most: usize) -> String {
    const LETTERS: [char; 16] = [
        'a', '1', 'x', ',', '=', '+', ':', '/', ' ', '\u{0}', 'é', '棋', '\u{202e}', '\u{301}', '🂡',
        '\u{fffd}',
    ];
    (0..rng.random_range(1..most)).map(|_| LETTERS[rng.random_range(0..LETTERS.len())]).collect()
}

/// One request that makes no sense.
fn request(rng: &mut SmallRng) -> Vec<u8> {
    let route = ROUTES[rng.random_range(0..9)];
    let spec = SPECS[rng.random_range(0..SPECS.len())];
    match rng.random_range(0..16) {
        // A path that leads nowhere.
        0 => get(&format!("/{}", encoded(&words(rng, 60)))),
        1 => {
            let climb = ["../", "..%2f", "%2e%2e/", "..\\", "%c0%ae%c0%ae/", "./"][rng.random_range(0..6)];
            let depth = rng.random_range(1..12);
            get(&format!("/{}etc/passwd", climb.repeat(depth)))
        }
        // A game, position or list of moves that makes no sense.
        2 => get(&format!("{route}?game={}", encoded(spec))),
        3 => get(&format!("{route}?game={}", encoded(&format!("!{}", words(rng, 200))))),
        4 => {
            // Statistics and puzzles do not look at positions.
            let route = ["/api/v1/view", "/api/v1/position", "/api/v1/history", "/api/v1/why"]
                [rng.random_range(0..4)];
            let key = ["position", "moves"][rng.random_range(0..2)];
            get(&format!("{route}?game=connect4&{key}={}", encoded(&format!("!{}", words(rng, 300)))))
        }
        // Text that is no text, a key without a value, the same key twice, no key at all.
        5 => {
            let query = ["game=%ff%fe", "game", "game=tictactoe&game=mnk:3x3", "", "%", "game[]=1", "=&=&="];
            get(&format!("{route}?{}", query[rng.random_range(0..query.len())]))
        }
        // Much too much of everything.
        6 => get(&format!("{route}?game=connect4&moves={}", "4".repeat(rng.random_range(17_000..30_000)))),
        7 => match rng.random_range(0..3) {
            0 => get(&format!("/{}", "a".repeat(70_000))),
            1 => format!(
                "GET / HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\nx: {}\r\n\r\n",
                "y".repeat(600_000)
            )
            .into_bytes(),
            _ => format!("GET / HTTP/1.1\r\nhost: localhost\r\n{}\r\n", "a: b\r\n".repeat(300)).into_bytes(),
        },
        // A method that the address does not take.
        8 => {
            let method =
                ["PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "FOO", "POST"][rng.random_range(0..7)];
            format!(
                "{method} {route}?game=tictactoe HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n"
            )
            .into_bytes()
        }
        // Bodies that are no JSON, or not the right one.
        9 | 10 => {
            let route = ROUTES[rng.random_range(9..11)];
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
            post(route, "application/json", bodies[rng.random_range(0..bodies.len())].as_bytes())
        }
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
        // A name of somebody else, a page of somebody else.
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
        // No HTTP at all.
        _ => {
            let mut bytes: Vec<u8> = (0..rng.random_range(1..400)).map(|_| rng.random()).collect();
            bytes.extend_from_slice(b"\r\n\r\n");
            bytes
        }
    }
}
