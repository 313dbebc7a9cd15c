//! Connection limiter with eviction: protection against Slowloris (Hansen 2009) and slow-read attacks.
//!
//! Each connection occupies a slot. It is *active* while the server computes the response to its request, and *idle*
//! otherwise: it has sent no request yet, sends one slowly, or reads its response slowly. When all slots are taken, a
//! new connection evicts an idle connection of the client that holds the most slots: preferably one that has never
//! completed a request, otherwise the one idle longest. Slow clients can therefore fill the slots, but cannot lock
//! others out.
//!
//! Invariant: active connections are never evicted, and no client has more slots than its limit.

use axum::body::{Body, Bytes, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderMap, Method, header};
use axum::middleware::Next;
use axum::response::Response;
use std::cmp::Reverse;
use std::collections::HashMap;
use std::net::IpAddr;
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use tokio::sync::Notify;

/// A client as the server distinguishes them: an IPv4 address or an IPv6 /64 network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct ClientId(IpAddr);

impl ClientId {
    /// Returns the client of an address.
    pub(crate) fn at(address: IpAddr) -> ClientId {
        ClientId(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
            address => address,
        })
    }
}

/// Returns the client of a request. For a trusted proxy this is the last `X-Forwarded-For` entry: the proxy itself
/// appended that one, while earlier ones may be forged.
pub(crate) fn client_of(peer: IpAddr, proxies: &[IpAddr], headers: &HeaderMap) -> ClientId {
    let forwarded = || {
        let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        last.rsplit(',').next()?.trim().parse().ok()
    };
    let trusted = proxies.contains(&peer.to_canonical());
    ClientId::at(if trusted { forwarded().unwrap_or(peer) } else { peer })
}

/// One connection.
pub(crate) struct ConnectionSlot {
    visitor: ClientId,
    working: AtomicUsize,
    /// Requests completed.
    served: AtomicU64,
    /// Start of the idle period, as a logical timestamp of the limiter.
    since: AtomicU64,
    clock: Arc<AtomicU64>,
    leave: Notify,
    left: AtomicBool,
}

impl ConnectionSlot {
    /// Completes when the connection is evicted.
    pub(crate) async fn evicted(&self) {
        self.leave.notified().await;
    }

    /// Marks the connection as active until the guard is dropped.
    pub(crate) fn work(self: &Arc<Self>) -> ActiveRequest {
        self.working.fetch_add(1, Ordering::Relaxed);
        ActiveRequest(Arc::clone(self))
    }
}

/// Guard: the connection is active while it lives.
pub(crate) struct ActiveRequest(Arc<ConnectionSlot>);

impl Drop for ActiveRequest {
    fn drop(&mut self) {
        let ConnectionSlot { working, served, since, clock, .. } = &*self.0;
        served.fetch_add(1, Ordering::Relaxed);
        since.store(clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        working.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All open connections.
pub(crate) struct ConnectionLimiter {
    slots: Mutex<Vec<Arc<ConnectionSlot>>>,
    clock: Arc<AtomicU64>,
    /// Slots in total.
    most: usize,
    /// Slots per client.
    each: usize,
}

impl ConnectionLimiter {
    pub(crate) fn new(most: usize, each: usize) -> ConnectionLimiter {
        let most = most.max(1);
        ConnectionLimiter { slots: Mutex::default(), clock: Arc::default(), most, each: each.clamp(1, most) }
    }

    fn slots(&self) -> MutexGuard<'_, Vec<Arc<ConnectionSlot>>> {
        // The list is updated in single steps, so a poisoned lock is still consistent.
        self.slots.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a slot for a new connection; `None` if every candidate for eviction is active.
    pub(crate) fn enter(&self, visitor: ClientId) -> Option<Arc<ConnectionSlot>> {
        self.admit(visitor, self.each)
    }

    /// Takes a slot for a trusted proxy, which is exempt from the limit per client.
    pub(crate) fn enter_proxy(&self, proxy: ClientId) -> Option<Arc<ConnectionSlot>> {
        self.admit(proxy, self.most)
    }

    fn admit(&self, visitor: ClientId, each: usize) -> Option<Arc<ConnectionSlot>> {
        let mut slots = self.slots();
        let mut by_visitor: HashMap<ClientId, usize> = HashMap::new();
        slots.iter().for_each(|slot| *by_visitor.entry(slot.visitor).or_default() += 1);
        let count = |slot: &Arc<ConnectionSlot>| by_visitor.get(&slot.visitor).copied().unwrap_or(0);
        let too_many = by_visitor.get(&visitor).copied().unwrap_or(0) >= each;
        if too_many || slots.len() >= self.most {
            let idle = |slot: &Arc<ConnectionSlot>| slot.working.load(Ordering::Relaxed) == 0;
            // Eviction order: clients with the most slots, connections without a completed request, oldest idle time.
            let rank = |slot: &Arc<ConnectionSlot>| {
                let (served, since) = (&slot.served, &slot.since);
                (Reverse(count(slot)), served.load(Ordering::Relaxed) > 0, since.load(Ordering::Relaxed))
            };
            let places = (0..slots.len())
                .filter(|&at| idle(&slots[at]) && (!too_many || slots[at].visitor == visitor));
            let place = places.min_by_key(|&at| rank(&slots[at]))?;
            let slot = slots.swap_remove(place);
            slot.left.store(true, Ordering::Relaxed);
            slot.leave.notify_one();
        }
        let clock = Arc::clone(&self.clock);
        let slot = Arc::new(ConnectionSlot {
            visitor,
            working: AtomicUsize::new(0),
            served: AtomicU64::new(0),
            since: AtomicU64::new(clock.fetch_add(1, Ordering::Relaxed)),
            clock,
            leave: Notify::new(),
            left: AtomicBool::new(false),
        });
        slots.push(Arc::clone(&slot));
        Some(slot)
    }

    /// Releases the slot of a closed connection.
    pub(crate) fn leave(&self, slot: &Arc<ConnectionSlot>) {
        if !slot.left.swap(true, Ordering::Relaxed) {
            self.slots().retain(|other| !Arc::ptr_eq(other, slot));
        }
    }

    #[cfg(test)]
    fn taken(&self) -> usize {
        self.slots().len()
    }
}

/// Middleware: marks a connection as active while its request is answered.
pub(crate) async fn attend(request: Request, next: Next) -> Response {
    let Some(slot) = request.extensions().get::<Arc<ConnectionSlot>>().cloned() else {
        return next.run(request).await;
    };
    // A request with a body becomes active when the body has arrived; `ApiRequest::read` marks it.
    let working = (request.method() != Method::POST).then(|| slot.work());
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        // An event stream stays active until its body ends.
        let working = working.unwrap_or_else(|| slot.work());
        return response.map(|body| Body::new(ActiveBody { body, _working: working }));
    }
    response
}

/// A response body that keeps its connection active until it is sent or dropped.
struct ActiveBody {
    body: Body,
    _working: ActiveRequest,
}

impl HttpBody for ActiveBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<hyper::body::Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(context)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> hyper::body::SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn visitor(last: u8) -> ClientId {
        ClientId::at([10, 0, 0, last].into())
    }

    fn left(slot: &Arc<ConnectionSlot>) -> bool {
        slot.left.load(Ordering::Relaxed)
    }

    #[test]
    fn longest_idle_connection_is_evicted() {
        let limiter = ConnectionLimiter::new(3, 3);
        let [a, b, c] = [1, 2, 3].map(|last| limiter.enter(visitor(last)).unwrap());
        // A connection with a completed request outlives one without.
        drop(a.work());
        let d = limiter.enter(visitor(4)).unwrap();
        assert_eq!([&a, &b, &c, &d].map(left), [false, true, false, false]);
        let working = [c.work(), d.work()];
        let e = limiter.enter(visitor(5)).unwrap();
        assert_eq!([&a, &c, &d, &e].map(left), [true, false, false, false]);
        let _more = e.work();
        assert!(limiter.enter(visitor(6)).is_none(), "everybody is at work");
        drop(working);
        assert!(limiter.enter(visitor(6)).is_some());
        assert_eq!(limiter.taken(), 3);
        limiter.leave(&e);
        limiter.leave(&e);
        limiter.leave(&b);
        assert_eq!(limiter.taken(), 2);
    }

    #[test]
    fn client_slots_are_limited() {
        let limiter = ConnectionLimiter::new(10, 3);
        let mine: Vec<_> = (0..5).map(|_| limiter.enter(visitor(1)).unwrap()).collect();
        assert_eq!(mine.iter().map(left).collect::<Vec<_>>(), [true, true, false, false, false]);
        assert_eq!(limiter.taken(), 3);
        let _other = limiter.enter(visitor(2)).unwrap();
        assert_eq!(limiter.taken(), 4);
        // When all slots are taken, the client with the most slots loses one.
        let limiter = ConnectionLimiter::new(4, 3);
        let quiet = limiter.enter(visitor(1)).unwrap();
        let many: Vec<_> = (0..3).map(|_| limiter.enter(visitor(2)).unwrap()).collect();
        let _new = limiter.enter(visitor(3)).unwrap();
        assert!(!left(&quiet) && left(&many[0]));
    }

    #[test]
    fn only_trusted_proxies_name_the_client() {
        let (proxy, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let mut headers = HeaderMap::new();
        assert_eq!(client_of(proxy, &[proxy], &headers), visitor(1));
        // The client can forge the first entry; the proxy appended the last.
        headers.append("x-forwarded-for", "10.0.0.9, 10.0.0.7".parse().unwrap());
        assert_eq!(client_of(proxy, &[proxy], &headers), visitor(7));
        assert_eq!(client_of(other, &[proxy], &headers), visitor(2));
        headers.append("x-forwarded-for", "nonsense".parse().unwrap());
        assert_eq!(client_of(proxy, &[proxy], &headers), visitor(1));
    }

    #[test]
    fn ipv6_network_is_one_client() {
        let at = |address: &str| ClientId::at(address.parse().unwrap());
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
        assert_ne!(at("10.0.0.1"), at("10.0.0.2"));
    }
}
