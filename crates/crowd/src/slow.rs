//! Clients that take their time: some dribble a head, some a body, some never read what they asked for.
//!
//! Whoever is sent away comes back a second later, so the server has no rest.

use super::load::{answered, bystander};
use super::{percentile, resident_bytes};
use crate::spawn;
use serde::Serialize;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// What slow clients did to a server.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SlowReport {
    /// Clients, a third of each kind.
    pub clients: usize,
    /// How long.
    pub seconds: f64,
    /// Connections that they made in all.
    pub connections: u64,
    /// How often one of them was sent away.
    pub sent_away: u64,
    /// Clicks of somebody else meanwhile.
    pub clicks: u64,
    /// Those without an answer.
    pub errors: u64,
    /// The first of them.
    pub first_error: Option<String>,
    /// How long half of the clicks took at most, in milliseconds.
    pub click_median_ms: f64,
    /// How long 95 of 100 of them took at most.
    pub click_p95_ms: f64,
    /// How long the slowest took.
    pub click_worst_ms: f64,
    /// Memory of the server before.
    pub bytes_before: u64,
    /// The most that was seen meanwhile.
    pub bytes_peak: u64,
}

/// Addresses of this machine that the clients come from, so that they are strangers to each other.
const ADDRESSES: usize = 16;

#[derive(Default)]
struct Counts {
    connections: AtomicU64,
    sent_away: AtomicU64,
}

/// Torments a server with slow clients while somebody else clicks.
pub async fn slow(addr: SocketAddr, pid: u32, clients: usize, time: Duration) -> SlowReport {
    let counts = Arc::new(Counts::default());
    let before = resident_bytes(pid);
    let end = Instant::now() + time;
    let crowd: Vec<_> = (0..clients).map(|number| spawn(client(addr, number, Arc::clone(&counts)))).collect();
    let (clicks, peak) = bystander(addr, pid, end).await;
    crowd.iter().for_each(|client| client.abort());
    let mut report = SlowReport { clients, seconds: time.as_secs_f64(), ..SlowReport::default() };
    report.connections = counts.connections.load(Ordering::Relaxed);
    report.sent_away = counts.sent_away.load(Ordering::Relaxed);
    report.clicks = clicks.len() as u64;
    let times = answered(clicks, &mut report.errors, &mut report.first_error);
    report.click_median_ms = percentile(&times, 0.5);
    report.click_p95_ms = percentile(&times, 0.95);
    report.click_worst_ms = percentile(&times, 1.0);
    (report.bytes_before, report.bytes_peak) = (before, peak);
    report
}

async fn client(addr: SocketAddr, number: usize, counts: Arc<Counts>) {
    loop {
        if let Ok(stream) = connect(addr, number).await {
            counts.connections.fetch_add(1, Ordering::Relaxed);
            let _ = match number % 3 {
                0 => dribble(stream, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n", b"x: y\r\n").await,
                1 => {
                    let head = b"POST /api/v1/move HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                                 content-length: 60000\r\n\r\n{";
                    dribble(stream, head, b" ").await
                }
                _ => swallow(stream).await,
            };
            counts.sent_away.fetch_add(1, Ordering::Relaxed);
        }
        sleep(Duration::from_secs(1)).await;
    }
}

async fn connect(addr: SocketAddr, number: usize) -> io::Result<TcpStream> {
    let socket = match addr {
        SocketAddr::V4(_) => TcpSocket::new_v4()?,
        SocketAddr::V6(_) => TcpSocket::new_v6()?,
    };
    // Systems that have one such address only let everybody come from there.
    if addr.is_ipv4() && addr.ip().is_loopback() {
        let last = u8::try_from(2 + number % ADDRESSES).unwrap_or(2);
        let _ = socket.bind((IpAddr::from([127, 0, 0, last]), 0).into());
    }
    socket.connect(addr).await
}

/// Sends a beginning and then a little of the rest every second, for as long as the server bears it.
async fn dribble(mut stream: TcpStream, beginning: &[u8], little: &[u8]) -> io::Result<()> {
    stream.write_all(beginning).await?;
    let mut buffer = [0; 256];
    loop {
        stream.write_all(little).await?;
        if let Ok(Ok(0) | Err(_)) = timeout(Duration::from_secs(1), stream.read(&mut buffer)).await {
            return Ok(());
        }
    }
}

/// Asks for the page again and again and reads nothing.
async fn swallow(mut stream: TcpStream) -> io::Result<()> {
    let asked = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(20);
    loop {
        stream.write_all(&asked).await?;
        sleep(Duration::from_millis(500)).await;
    }
}
