//! Minimal HTTP/1.1 client that can send arbitrary bytes, valid or not.

use std::io;
use std::net::SocketAddr;
use std::time::Duration;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::timeout;

/// Time limit of a complete response.
pub(super) const PATIENCE: Duration = Duration::from_secs(60);

/// A response.
pub(super) struct Reply {
    pub(super) status: u16,
    pub(super) body: Vec<u8>,
}

/// A keep-alive connection.
pub(super) struct Client {
    addr: SocketAddr,
    stream: Option<TcpStream>,
}

fn bad(why: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, why.to_string())
}

impl Client {
    pub(super) fn new(addr: SocketAddr) -> Client {
        Client { addr, stream: None }
    }

    /// Sends a `GET` request.
    pub(super) async fn get(&mut self, path: &str) -> io::Result<Reply> {
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\n\r\n");
        self.ask(request.as_bytes()).await
    }

    /// Sends a JSON body.
    pub(super) async fn post(&mut self, path: &str, body: &str) -> io::Result<Reply> {
        let head = format!("POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n");
        let request = format!("{head}content-length: {}\r\n\r\n{body}", body.len());
        self.ask(request.as_bytes()).await
    }

    async fn ask(&mut self, request: &[u8]) -> io::Result<Reply> {
        let kept = self.stream.is_some();
        match timeout(PATIENCE, self.try_ask(request))
            .await
            .map_err(|_| bad("no response within the time limit"))?
        {
            // The server may close an idle connection at the moment it is reused.
            Err(_) if kept => timeout(PATIENCE, self.try_ask(request))
                .await
                .map_err(|_| bad("no response within the time limit"))?,
            result => result,
        }
    }

    async fn try_ask(&mut self, request: &[u8]) -> io::Result<Reply> {
        let mut stream = match self.stream.take() {
            Some(stream) => stream,
            None => TcpStream::connect(self.addr).await?,
        };
        stream.write_all(request).await?;
        let reply = read_reply(&mut stream).await?;
        self.stream = Some(stream);
        Ok(reply)
    }
}

/// Reads a response with a Content-Length.
async fn read_reply(stream: &mut TcpStream) -> io::Result<Reply> {
    let mut bytes = Vec::new();
    let mut buffer = [0; 8192];
    let end = loop {
        if let Some(end) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break end + 4;
        }
        match stream.read(&mut buffer).await? {
            0 => return Err(bad("the connection was closed before the response")),
            read => bytes.extend_from_slice(&buffer[..read]),
        }
    };
    let head = String::from_utf8_lossy(&bytes[..end]).to_ascii_lowercase();
    let status = status(&head).ok_or_else(|| bad("the response has no status"))?;
    let length = head.lines().find_map(|line| line.strip_prefix("content-length:"));
    let length: usize = length
        .and_then(|length| length.trim().parse().ok())
        .ok_or_else(|| bad("the response has no Content-Length"))?;
    let mut body = bytes.split_off(end);
    while body.len() < length {
        match stream.read(&mut buffer).await? {
            0 => return Err(bad("the connection was closed in the middle of the response")),
            read => body.extend_from_slice(&buffer[..read]),
        }
    }
    Ok(Reply { status, body })
}

fn status(head: &str) -> Option<u16> {
    head.split_whitespace().nth(1)?.parse().ok()
}

/// Sends bytes on a new connection and reads until it closes; returns the status, if there was one.
pub(super) async fn raw(addr: SocketAddr, request: &[u8]) -> io::Result<Option<u16>> {
    let talk = async {
        let mut stream = TcpStream::connect(addr).await?;
        // The server may respond and close before it has read everything.
        let _ = stream.write_all(request).await;
        let mut bytes = Vec::new();
        let mut buffer = [0; 8192];
        while let Ok(read @ 1..) = stream.read(&mut buffer).await {
            if bytes.len() < 1 << 16 {
                bytes.extend_from_slice(&buffer[..read]);
            }
        }
        let head = String::from_utf8_lossy(&bytes[..bytes.len().min(64)]).to_string();
        Ok(head.starts_with("HTTP/").then(|| status(&head)).flatten())
    };
    timeout(PATIENCE, talk).await.map_err(|_| bad("no response within the time limit"))?
}

/// Opens an event stream and reads it line by line until `heard` returns true.
pub(super) async fn events(
    addr: SocketAddr,
    path: &str,
    mut heard: impl FnMut(&str) -> bool,
) -> io::Result<u16> {
    let talk = async {
        let mut stream = TcpStream::connect(addr).await?;
        let request = format!("GET {path} HTTP/1.1\r\nhost: localhost\r\naccept: text/event-stream\r\n\r\n");
        stream.write_all(request.as_bytes()).await?;
        let mut text = String::new();
        let mut buffer = [0; 8192];
        let mut seen = None;
        loop {
            while let Some(end) = text.find('\n') {
                let line = text[..end].trim_end().to_string();
                text.drain(..=end);
                match seen {
                    None => seen = Some(status(&line).ok_or_else(|| bad("the response has no status"))?),
                    Some(status) if heard(&line) => return Ok(status),
                    Some(_) => {}
                }
            }
            match stream.read(&mut buffer).await? {
                0 => return seen.ok_or_else(|| bad("the connection was closed before the response")),
                read => text.push_str(&String::from_utf8_lossy(&buffer[..read])),
            }
        }
    };
    timeout(2 * PATIENCE, talk).await.map_err(|_| bad("no response within the time limit"))?
}
