//! From a port to answers: accepting connections, bounding them, and closing them in good order.

use crate::gate::Local;
use crate::guests::{Room, Visitor, whose};
use crate::router::{Shared, router};
use crate::settings::{HEADERS, Settings, WRITE_TIME};
use crate::wire::Wire;
use axum::body::Body;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use outplay_catalog::Catalog;
use outplay_core::Watch;
use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;
use tower::ServiceExt;

/// Why there is no server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// Somebody else has the port.
    #[error("{0} is taken by another program; choose another port, such as 127.0.0.1:8081")]
    Taken(SocketAddr),
    /// The system does not allow the address.
    #[error("cannot listen at {0}: {1}; choose another address")]
    Listen(SocketAddr, io::Error),
    /// No threads or no sockets.
    #[error("cannot run the server: {0}")]
    Run(io::Error),
}

/// A server that has its port.
pub struct Server {
    listener: StdListener,
    shared: Arc<Shared>,
}

/// How long open answers may take after the server was asked to end.
const FAREWELL: Duration = Duration::from_secs(5);

/// How often tables of visitors are looked at whose time may be over.
const SWEEP: Duration = Duration::from_secs(60);

/// What somebody hears for whom there is no seat.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// How often the server asks whether it is to end.
const POLL: Duration = Duration::from_millis(100);

impl Server {
    /// Takes the port.
    ///
    /// # Errors
    ///
    /// The port is taken or not allowed.
    pub fn bind(catalog: Catalog, settings: Settings) -> Result<Server, ServeError> {
        let addr = settings.addr;
        let listener = StdListener::bind(addr).map_err(|error| match error.kind() {
            io::ErrorKind::AddrInUse => ServeError::Taken(addr),
            _ => ServeError::Listen(addr, error),
        })?;
        listener.set_nonblocking(true).map_err(ServeError::Run)?;
        Ok(Server { listener, shared: Shared::new(catalog, settings) })
    }

    /// Where it listens: the port that the system chose if it was asked for any.
    ///
    /// # Errors
    ///
    /// The system does not tell.
    pub fn addr(&self) -> Result<SocketAddr, ServeError> {
        self.listener.local_addr().map_err(ServeError::Run)
    }

    /// Answers until `watch` says stop, or the system.
    ///
    /// # Errors
    ///
    /// No threads or no sockets.
    pub fn run(self, watch: &dyn Watch) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(ServeError::Run)?;
        let result = runtime.block_on(self.until(ended(watch)));
        // Searches whose requests are gone were told to stop; nobody waits for them.
        runtime.shutdown_timeout(FAREWELL);
        result
    }

    /// Answers until `end`, then lets open answers come to their end for a few seconds.
    ///
    /// # Errors
    ///
    /// No sockets.
    pub async fn until(self, end: impl Future<Output = ()>) -> Result<(), ServeError> {
        let listener = TcpListener::from_std(self.listener).map_err(ServeError::Run)?;
        let settings = &self.shared.settings;
        let room = Arc::new(Room::new(settings.connections, settings.connections_each));
        let proxies: Arc<[IpAddr]> = settings.proxies.clone().into();
        let router = router(Arc::clone(&self.shared));
        let open = GracefulShutdown::new();
        tokio::pin!(end);
        let mut sweep = tokio::time::interval(SWEEP);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = sweep.tick() => {
                    self.shared.sweep();
                    continue;
                }
                () = &mut end => break,
            };
            let Ok((stream, peer)) = accepted else {
                // Too many open files, most likely: some will be closed soon.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let peer = peer.ip().to_canonical();
            let entered = match proxies.contains(&peer) {
                true => room.enter_for_many(Visitor::at(peer)),
                false => room.enter(Visitor::at(peer)),
            };
            let Some(seat) = entered else {
                // The message fits into any buffer, so nobody waits for it to be read.
                let _ = stream.try_write(FULL);
                continue;
            };
            // Answers are small and somebody waits for each.
            let _ = stream.set_nodelay(true);
            let local = stream.local_addr().ok().map(|local| Local(local.ip().to_canonical()));
            let (proxies, guest) = (Arc::clone(&proxies), Arc::clone(&seat));
            let service = router.clone().map_request(move |request: hyper::Request<_>| {
                let visitor = whose(peer, &proxies, request.headers());
                let mut request = request.map(Body::new);
                request.extensions_mut().insert(visitor);
                request.extensions_mut().insert(Arc::clone(&guest));
                if let Some(local) = local {
                    request.extensions_mut().insert(local);
                }
                request
            });
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS)
                .max_buf_size(64 << 10)
                .half_close(false)
                .serve_connection(
                    TokioIo::new(Wire::new(stream, WRITE_TIME)),
                    TowerToHyperService::new(service),
                );
            let connection = open.watch(connection);
            let room = Arc::clone(&room);
            tokio::spawn(async move {
                // What goes wrong with a connection concerns its client only.
                tokio::select! {
                    _ = connection => {}
                    () = seat.sent_away() => {}
                }
                room.leave(&seat);
            });
        }
        drop(listener);
        self.shared.jobs.stop();
        self.shared.matches.stop();
        self.shared.runs.stop();
        let _ = tokio::time::timeout(FAREWELL, open.shutdown()).await;
        Ok(())
    }
}

/// Somebody or the system wishes the server to end.
///
/// The watch is asked again and again rather than the signal caught here: an interrupt that comes before the server runs
/// reaches the watch alone.
async fn ended(watch: &dyn Watch) {
    let stopped = async {
        while !watch.stopped() {
            tokio::time::sleep(POLL).await;
        }
    };
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                () = stopped => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    stopped.await;
}
