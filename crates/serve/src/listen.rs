//! From a port to answers: accepting connections, bounding them, and closing them in good order.

use crate::router::{Shared, router};
use crate::settings::{HEADERS, Settings};
use axum::body::Body;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use outplay_catalog::Catalog;
use outplay_core::Watch;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;
use tokio::sync::Semaphore;
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
        let room = Arc::new(Semaphore::new(self.shared.settings.connections));
        let router = router(Arc::clone(&self.shared));
        let open = GracefulShutdown::new();
        tokio::pin!(end);
        loop {
            // A connection is accepted only when there is room for it; the others wait in the system's queue.
            let permit = tokio::select! {
                permit = Arc::clone(&room).acquire_owned() => permit,
                () = &mut end => break,
            };
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                () = &mut end => break,
            };
            let Ok((stream, _)) = accepted else {
                // Too many open files, most likely: some will be closed soon.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            // Answers are small and somebody waits for each.
            let _ = stream.set_nodelay(true);
            let service = router.clone().map_request(|request: hyper::Request<_>| request.map(Body::new));
            let connection = hyper::server::conn::http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEADERS)
                .max_buf_size(64 << 10)
                .half_close(false)
                .serve_connection(TokioIo::new(stream), TowerToHyperService::new(service));
            let connection = open.watch(connection);
            tokio::spawn(async move {
                let _permit = permit;
                // What goes wrong with a connection concerns its client only.
                let _ = connection.await;
            });
        }
        drop(listener);
        self.shared.jobs.stop();
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
