//! Life cycle of the server: bind the port, serve requests, shut down gracefully.

use crate::net::ListenerConfig;
use crate::router::{ServerState, router};
use crate::settings::{HEADERS, Settings, WRITE_TIME};
use outplay_catalog::Catalog;
use outplay_runtime::Monitor;
use std::future::Future;
use std::io;
use std::net::{SocketAddr, TcpListener as StdListener};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;
use thiserror::Error;
use tokio::net::TcpListener;

/// Error of starting or running the server.
#[derive(Debug, Error)]
pub enum ServeError {
    /// The port is in use.
    #[error("{0} is taken by another program; choose another port, such as 127.0.0.1:8081")]
    Taken(SocketAddr),
    /// The system does not allow the address.
    #[error("cannot listen at {0}: {1}; choose another address")]
    Listen(SocketAddr, io::Error),
    /// No threads or no sockets.
    #[error("cannot run the server: {0}")]
    Run(io::Error),
}

/// An HTTP server that is bound to its port.
pub struct Server {
    listener: StdListener,
    shared: Arc<ServerState>,
}

/// Time limit for open responses at shutdown.
const FAREWELL: Duration = Duration::from_secs(5);

/// Interval at which expired guest tables are removed.
const SWEEP: Duration = Duration::from_secs(60);

/// Polling interval for a stop request.
const POLL: Duration = Duration::from_millis(100);

impl Server {
    /// Binds the port.
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
        Ok(Server { listener, shared: ServerState::new(catalog, settings) })
    }

    /// Returns the bound address, with the actual port if port 0 was requested.
    ///
    /// # Errors
    ///
    /// The system does not report the address.
    pub fn addr(&self) -> Result<SocketAddr, ServeError> {
        self.listener.local_addr().map_err(ServeError::Run)
    }

    /// Serves until the monitor or the system (SIGTERM) requests a stop.
    ///
    /// # Errors
    ///
    /// No threads or no sockets.
    pub fn run(self, watch: &dyn Monitor) -> Result<(), ServeError> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(2)
            .enable_all()
            .build()
            .map_err(ServeError::Run)?;
        let result = runtime.block_on(self.until(ended(watch)));
        // Searches without a client were cancelled already; the runtime does not wait for them to return.
        runtime.shutdown_timeout(FAREWELL);
        result
    }

    /// Serves until `end` completes, then drains open responses for a few seconds.
    ///
    /// # Errors
    ///
    /// No sockets.
    pub async fn until(self, end: impl Future<Output = ()> + Send) -> Result<(), ServeError> {
        let listener = TcpListener::from_std(self.listener).map_err(ServeError::Run)?;
        let (shared, settings) = (&self.shared, &self.shared.settings);
        let open = ListenerConfig {
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
            #[cfg(feature = "experiments")]
            shared.runs.stop();
        };
        let end = pin!(end);
        open.until(listener, router(Arc::clone(shared)), end, &|| shared.sweep(), &closing).await;
        Ok(())
    }
}

/// Completes when the monitor or the system requests a stop.
///
/// The monitor is polled instead of catching the signal here: an interrupt that arrives before the server runs reaches
/// only the monitor.
async fn ended(watch: &dyn Monitor) {
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
