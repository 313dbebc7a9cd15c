//! Requests over HTTP: an answer to each, and no fault of the server's.

use super::{Reader, file, lines, text};
use outplay::catalog::Catalog;
use outplay::check::{CheckError, CheckLimits, check_within};
use outplay::runtime::NoMonitor;
use outplay_serve::{Server, Settings};
use serde_json::Value;
use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpStream};
use std::time::Duration;

/// The end of a request's head.
const END: &str = "\r\n\r\n";

pub(super) fn requests(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let addr = serve();
    let read = move |input: &[u8]| {
        let (request, whole) = match whole(input) {
            Some(request) => (request, true),
            None => (input.to_vec(), false),
        };
        if is_work(&request) {
            return false;
        }
        let status = answer(addr, &request, whole);
        assert!(status.is_none_or(|status| status < 500 || status == 503), "{status:?}");
        true
    };
    let short = lines("requests.txt").into_iter().map(|line| {
        let line = text(&line);
        let mut words = line.splitn(3, ' ');
        let [method, path, body] = [(); 3].map(|()| words.next().unwrap_or_default());
        let kind = "content-type: application/json";
        format!("{method} {path} HTTP/1.1\r\nhost: localhost\r\n{kind}{END}{body}").into_bytes()
    });
    (short.chain([file("get.http"), file("post.http")]).collect(), Box::new(read))
}

/// Walks through a proof: one that is not right is refused, and each ends within the limit.
pub(super) fn walks(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let addr = serve();
    let limits = CheckLimits { followed: 20_000, bytes: 1 << 20 };
    let read = move |input: &[u8]| {
        let input = text(input);
        let (first, proof) = input.split_once('\n').unwrap_or(("", &input));
        let (player, moves) = first.split_once(' ').unwrap_or((first, ""));
        let moves: Vec<&str> = moves.split_whitespace().collect();
        let body = serde_json::json!({ "proof": proof, "player": player, "moves": moves }).to_string();
        let head = "POST /api/v1/walk HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json";
        let length = body.len();
        let request = format!("{head}\r\nconnection: close\r\ncontent-length: {length}{END}{body}");
        let status = answer(addr, request.as_bytes(), true);
        assert!(status.is_some_and(|status| status < 500 || status == 503), "{status:?}");
        let refuted = matches!(check_within(proof, &limits), Err(CheckError::Step { .. }));
        assert!(!refuted || status != Some(200), "a walk follows a proof that is none");
        true
    };
    let seeds = ["proof.txt", "proof-draw.txt", "proof-win.txt", "proof-loss.txt", "proof-pairs.txt"];
    let seeds = seeds.map(|name| [b"first a1 b2\n".as_slice(), &file(name)].concat());
    (seeds.into_iter().chain([splits().into_bytes()]).collect(), Box::new(read))
}

/// A walk of a thousand bytes whose steps fall apart into two parts each, forty times.
fn splits() -> String {
    let steps: String = (1..40).map(|step| format!("{step} split | a1>{0} a1>{0}\n", step - 1)).collect();
    format!(
        "first\noutplay-proof 1\nboard ... k 3 turn x\nclaim win\nx wins by 39\nsteps 40\n0 replies\n{steps}end\n"
    )
}

/// A server within this process.
fn serve() -> SocketAddr {
    let data = tempfile::tempdir().unwrap();
    let mut settings = Settings::new(([127, 0, 0, 1], 0).into(), data.path().into());
    settings.time = Duration::from_millis(50);
    settings.memory = 256 << 20;
    settings.threads = 1;
    settings.read_only = true;
    let server = Server::bind(Catalog::standard(), settings).unwrap();
    let addr = server.addr().unwrap();
    std::thread::spawn(move || {
        let _data = data;
        server.run(&NoMonitor)
    });
    addr
}

/// A request with a head, as long as it says and the last one of its connection.
fn whole(input: &[u8]) -> Option<Vec<u8>> {
    let at = input.windows(END.len()).position(|window| window == END.as_bytes())?;
    let (head, body) = (&input[..at], &input[at + END.len()..]);
    let mut request = Vec::new();
    for line in head.split(|&byte| byte == b'\n') {
        let line = line.strip_suffix(b"\r").unwrap_or(line);
        let name = line.split(|&byte| byte == b':').next().unwrap_or_default().to_ascii_lowercase();
        if !matches!(&name[..], b"content-length" | b"connection" | b"transfer-encoding") {
            request.extend(line);
            request.extend(b"\r\n");
        }
    }
    request.extend(format!("content-length: {}\r\nconnection: close{END}", body.len()).bytes());
    request.extend(body);
    Some(request)
}

/// Whether a request would begin work that goes on when the answer is there: experiments, and matches between players
/// that think.
fn is_work(request: &[u8]) -> bool {
    let text = text(request);
    let (head, body) = text.split_once(END).unwrap_or((&text, ""));
    let Ok(body) = serde_json::from_str::<Value>(body) else { return false };
    let quick = |player: &Value| matches!(player.as_str(), Some("random" | "greedy"));
    let thinks = body["players"].as_array().is_some_and(|players| !players.iter().all(quick));
    head.contains("/experiments/run") || (head.contains("/match") && thinks)
}

/// The status of the answer, if there is one.
fn answer(addr: SocketAddr, request: &[u8], whole: bool) -> Option<u16> {
    let mut stream = TcpStream::connect(addr).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // The server may answer and close before it has read everything; a request that does not end is given up.
    let _ = stream.write_all(request);
    if !whole {
        let _ = stream.shutdown(Shutdown::Write);
    }
    let mut answer = Vec::new();
    if let Err(error) = stream.read_to_end(&mut answer) {
        let late = matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut);
        assert!(!late, "no answer within 30 s");
    }
    text(&answer).split_whitespace().nth(1).and_then(|word| word.parse().ok())
}
