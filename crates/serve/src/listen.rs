//! A server from its port to its end.

use crate::router::{Shared, router};
use crate::settings::{HEADERS, Settings, WRITE_TIME};
use outplay_catalog::Catalog;
use outplay_core::Watch;
use outplay_door::Open;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;

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
    pub async fn until(self, end: impl Future<Output = ()> + Send) -> Result<(), ServeError> {
        let listener = TcpListener::from_std(self.listener).map_err(ServeError::Run)?;
        let (shared, settings) = (&self.shared, &self.shared.settings);
        let open = Open {
            connections: settings.connections,
            connections_each: settings.connections_each,
            proxies: settings.proxies.clone(),
            head: HEADERS,
            patience: WRITE_TIME,
            round: SWEEP,
            farewell: FAREWELL,
        };
        let closing = || {
            shared.jobs.stop();
            shared.matches.stop();
            shared.runs.stop();
        };
        let end = pin!(end);
        open.until(listener, router(Arc::clone(shared)), end, &|| shared.sweep(), &closing).await;
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
