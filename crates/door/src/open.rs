//! Accepting connections, bounding them, and closing them in good order.

use crate::Visitor;
use crate::guests::{Room, attend, whose};
use crate::headers;
use crate::wire::Wire;
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

/// How the door is kept.
#[derive(Clone, Debug)]
pub struct Open {
    /// Connections in all.
    pub connections: usize,
    /// Connections of one visitor.
    pub connections_each: usize,
    /// Machines that come for others and are believed when they say for whom.
    pub proxies: Vec<IpAddr>,
    /// How long a client may take for the head of its request.
    pub head: Duration,
    /// How long a client may take nothing of its answer.
    pub patience: Duration,
    /// How often the house is looked after meanwhile.
    pub round: Duration,
    /// How long open answers may take in the end.
    pub farewell: Duration,
}

/// The address of this machine at which a connection arrived.
#[derive(Clone, Copy, Debug)]
pub struct Local(pub IpAddr);

/// What somebody hears for whom there is no seat.
const FULL: &[u8] =
    b"HTTP/1.1 503 Service Unavailable\r\nretry-after: 2\r\nconnection: close\r\ncontent-length: 0\r\n\r\n";

/// Handlers whose panics end one answer, as `fault` has it, and whose answers are packed.
pub fn inner(router: Router, fault: fn() -> Response) -> Router {
    router.layer(CompressionLayer::new()).layer(CatchPanicLayer::custom(move |_| fault()))
}

/// Handlers whose answers have the headers that keep browsers in bounds, with a line for each if there is a `log`.
pub fn outer(router: Router, log: bool) -> Router {
    router
        .layer(middleware::from_fn(headers::guard))
        .layer(middleware::from_fn_with_state(log, headers::log))
        .layer(middleware::from_fn(attend))
}

impl Open {
    /// Lets people in until `end`; `round` is called now and then, `closing` once before open answers come to their end.
    ///
    /// What is waited for stands behind a pointer: an `async fn` would be compiled by whoever calls it, with all of HTTP.
    pub fn until<'a>(
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
        let room = Arc::new(Room::new(self.connections, self.connections_each));
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
                .header_read_timeout(self.head)
                .max_buf_size(64 << 10)
                .half_close(false)
                .serve_connection(
                    TokioIo::new(Wire::new(stream, self.patience)),
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
        closing();
        let _ = tokio::time::timeout(self.farewell, open.shutdown()).await;
    }
}
