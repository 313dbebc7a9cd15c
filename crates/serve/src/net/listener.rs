//! Accept loop of the server, with connection limits and graceful shutdown.

use super::ClientId;
use super::headers;
use super::limiter::{ConnectionLimiter, attend, client_of};
use super::write_timeout::WriteTimeout;
use axum::Router;
use axum::body::Body;
use axum::middleware;
use axum::response::Response;
use hyper_util::rt::{TokioIo, TokioTimer};
use hyper_util::server::graceful::GracefulShutdown;
use hyper_util::service::TowerToHyperService;
use std::future::Future;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;
use tokio::net::TcpListener;
use tower::ServiceExt;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;

/// Limits of the accept loop.
#[derive(Clone, Debug)]
pub(crate) struct ListenerConfig {
    /// Connections in total.
    pub(crate) connections: usize,
    /// Connections per client.
    pub(crate) connections_each: usize,
    /// Trusted proxies, whose `X-Forwarded-For` header names the client.
    pub(crate) proxies: Vec<IpAddr>,
    /// Time limit for a request's headers.
    pub(crate) head: Duration,
    /// Write timeout: the longest time without progress while sending a response.
    pub(crate) patience: Duration,
    /// Interval of the maintenance callback.
    pub(crate) round: Duration,
    /// Time limit for open responses at shutdown.
    pub(crate) farewell: Duration,
}

/// The local address at which a connection arrived.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LocalAddr(pub IpAddr);

/// The response to a connection that gets no slot.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Adds the inner layers: panics become `fault` responses, and responses are compressed.
pub(crate) fn inner(router: Router, fault: fn() -> Response) -> Router {
    router.layer(CompressionLayer::new()).layer(CatchPanicLayer::custom(move |_| fault()))
}

/// Adds the outer layers: security headers, and a log line per request if `log` is set.
pub(crate) fn outer(router: Router, log: bool) -> Router {
    router
        .layer(middleware::from_fn(headers::guard))
        .layer(middleware::from_fn_with_state(log, headers::log))
        .layer(middleware::from_fn(attend))
}

impl ListenerConfig {
    /// Serves until `end` completes. Calls `round` at every interval, and `closing` once before draining open
    /// responses.
    ///
    /// Returns a boxed future: an `async fn` would be compiled again in each calling crate, with all of hyper.
    pub(crate) fn until<'a>(
        self,
        listener: TcpListener,
        router: Router,
        end: Pin<&'a mut (dyn Future<Output = ()> + Send)>,
        round: &'a (dyn Fn() + Sync),
        closing: &'a (dyn Fn() + Sync),
    ) -> Pin<Box<dyn Future<Output = ()> + Send + 'a>> {
        Box::pin(self.keep(listener, router, end, round, closing))
    }

    async fn keep(
        self,
        listener: TcpListener,
        router: Router,
        mut end: Pin<&mut (dyn Future<Output = ()> + Send)>,
        round: &(dyn Fn() + Sync),
        closing: &(dyn Fn() + Sync),
    ) {
        let limiter = Arc::new(ConnectionLimiter::new(self.connections, self.connections_each));
        let proxies: Arc<[IpAddr]> = self.proxies.into();
        let open = GracefulShutdown::new();
        let mut rounds = tokio::time::interval(self.round);
        loop {
            let accepted = tokio::select! {
                accepted = listener.accept() => accepted,
                _ = rounds.tick() => {
                    round();
                    continue;
                }
                () = &mut end => break,
            };
            let Ok((stream, peer)) = accepted else {
                // Most likely the limit of open files (EMFILE): wait until some are closed.
                tokio::time::sleep(Duration::from_millis(50)).await;
                continue;
            };
            let peer = peer.ip().to_canonical();
            let entered = match proxies.contains(&peer) {
                true => limiter.enter_proxy(ClientId::at(peer)),
                false => limiter.enter(ClientId::at(peer)),
            };
            let Some(slot) = entered else {
                // The message fits any socket buffer, so the write never blocks.
                let _ = stream.try_write(FULL);
                continue;
            };
            // Responses are small and interactive.
            let _ = stream.set_nodelay(true);
            let local = stream.local_addr().ok().map(|local| LocalAddr(local.ip().to_canonical()));
            let (proxies, guest) = (Arc::clone(&proxies), Arc::clone(&slot));
            let service = router.clone().map_request(move |request: hyper::Request<_>| {
                let visitor = client_of(peer, &proxies, request.headers());
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
                .header_read_timeout(self.head)
                .max_buf_size(64 << 10)
                .half_close(false)
                .serve_connection(
                    TokioIo::new(WriteTimeout::new(stream, self.patience)),
                    TowerToHyperService::new(service),
                );
            let connection = open.watch(connection);
            let limiter = Arc::clone(&limiter);
            tokio::spawn(async move {
                // Errors of a connection concern only its client.
                tokio::select! {
                    _ = connection => {}
                    () = slot.evicted() => {}
                }
                limiter.leave(&slot);
            });
        }
        drop(listener);
        closing();
        let _ = tokio::time::timeout(self.farewell, open.shutdown()).await;
    }
}
