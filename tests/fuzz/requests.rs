//! Requests over HTTP: an answer to each, and no fault of the server's.

use super::{Reader, file, lines, text};
use outplay::catalog::Catalog;
use outplay::core::Quiet;
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
        server.run(&Quiet)
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
