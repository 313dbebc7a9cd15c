//! Slowloris and slow-read clients: a third of the clients sends headers slowly, a third sends bodies slowly, and a
//! third never reads its responses.
//!
//! A client that the server disconnects reconnects a second later. Meanwhile a well-behaved client measures its
//! response times.

use super::load::{bystander, response_times};
use super::{percentile, resident_bytes, spawn};
use serde::Serialize;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};
use tokio::time::{sleep, timeout};

/// Results of the slow clients.
#[derive(Clone, Debug, Default, Serialize)]
pub struct SlowReport {
    /// Clients, a third of each kind.
    pub clients: usize,
    /// Duration in seconds.
    pub seconds: f64,
    /// Connections made in total.
    pub connections: u64,
    /// Number of evictions.
    pub sent_away: u64,
    /// Clicks of the bystander meanwhile.
    pub clicks: u64,
    /// Clicks without an answer.
    pub errors: u64,
    /// The first error.
    pub first_error: Option<String>,
    /// Median response time of clicks, in milliseconds.
    pub click_median_ms: f64,
    /// 95th percentile of clicks, in milliseconds.
    pub click_p95_ms: f64,
    /// Slowest click, in milliseconds.
    pub click_worst_ms: f64,
    /// Memory of the server before, in bytes.
    pub bytes_before: u64,
    /// Peak memory meanwhile, in bytes.
    pub bytes_peak: u64,
}

/// Loopback addresses that the clients connect from, so that the server sees distinct clients.
const ADDRESSES: usize = 16;

#[derive(Default)]
struct SlowCounters {
    connections: AtomicU64,
    sent_away: AtomicU64,
}

/// Runs slow clients against a server while a bystander clicks.
pub(super) async fn slow(addr: SocketAddr, pid: u32, clients: usize, time: Duration) -> SlowReport {
    let counts = Arc::new(SlowCounters::default());
    let before = resident_bytes(pid);
    let end = Instant::now() + time;
    let clients_running: Vec<_> =
        (0..clients).map(|number| spawn(client(addr, number, Arc::clone(&counts)))).collect();
    let (clicks, peak) = bystander(addr, pid, end).await;
    clients_running.iter().for_each(|client| client.abort());
    let mut report = SlowReport { clients, seconds: time.as_secs_f64(), ..SlowReport::default() };
    report.connections = counts.connections.load(Ordering::Relaxed);
    report.sent_away = counts.sent_away.load(Ordering::Relaxed);
    report.clicks = clicks.len() as u64;
    let times = response_times(clicks, &mut report.errors, &mut report.first_error);
    report.click_median_ms = percentile(&times, 0.5);
    report.click_p95_ms = percentile(&times, 0.95);
    report.click_worst_ms = percentile(&times, 1.0);
    (report.bytes_before, report.bytes_peak) = (before, peak);
    report
}

async fn client(addr: SocketAddr, number: usize, counts: Arc<SlowCounters>) {
    loop {
        if let Ok(stream) = connect(addr, number).await {
            counts.connections.fetch_add(1, Ordering::Relaxed);
            let _ = match number % 3 {
                0 => send_slowly(stream, b"GET /healthz HTTP/1.1\r\nhost: localhost\r\n", b"x: y\r\n").await,
                1 => {
                    let head = b"POST /api/v1/move HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n\
                                 content-length: 60000\r\n\r\n{";
                    send_slowly(stream, head, b" ").await
                }
                _ => never_read(stream).await,
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
    // Systems with a single loopback address let all clients connect from there.
    if addr.is_ipv4() && addr.ip().is_loopback() {
        let last = u8::try_from(2 + number % ADDRESSES).unwrap_or(2);
        let _ = socket.bind((IpAddr::from([127, 0, 0, last]), 0).into());
    }
    socket.connect(addr).await
}

/// Sends a beginning and then a few bytes every second, until the server disconnects.
async fn send_slowly(mut stream: TcpStream, beginning: &[u8], little: &[u8]) -> io::Result<()> {
    stream.write_all(beginning).await?;
    let mut buffer = [0; 256];
    loop {
        stream.write_all(little).await?;
        if let Ok(Ok(0) | Err(_)) = timeout(Duration::from_secs(1), stream.read(&mut buffer)).await {
            return Ok(());
        }
    }
}

/// Requests the page repeatedly and reads nothing.
async fn never_read(mut stream: TcpStream) -> io::Result<()> {
    let asked = b"GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(20);
    loop {
        stream.write_all(&asked).await?;
        sleep(Duration::from_millis(500)).await;
    }
}
