//! Who is connected, and who has to go when there is no room.
//!
//! A connection is either *at work* (its request is being answered) or it keeps its seat waiting: it has not asked yet,
//! sends its request slowly, or reads its answer slowly. When all seats are taken, the newcomer gets the seat of whoever
//! has kept one waiting for longest; so clients that dribble or never read can fill the room, but not close it.
//!
//! Invariant: nobody at work is sent away, and nobody has more seats than one address may have.

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

/// Somebody as the server tells people apart: an address, of IPv6 the half that names a network.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Visitor(IpAddr);

impl Visitor {
    /// Whoever comes from an address.
    pub fn at(address: IpAddr) -> Visitor {
        Visitor(match address.to_canonical() {
            IpAddr::V6(address) => {
                let [a, b, c, d, ..] = address.segments();
                IpAddr::from([a, b, c, d, 0, 0, 0, 0])
            }
            address => address,
        })
    }
}

/// On whose behalf a request comes from an address: a proxy that is believed says it in the header's last entry, the one
/// that it wrote itself.
pub(crate) fn whose(peer: IpAddr, proxies: &[IpAddr], headers: &HeaderMap) -> Visitor {
    let told = || {
        let last = headers.get_all("x-forwarded-for").iter().next_back()?.to_str().ok()?;
        last.rsplit(',').next()?.trim().parse().ok()
    };
    let believed = proxies.contains(&peer.to_canonical());
    Visitor::at(if believed { told().unwrap_or(peer) } else { peer })
}

/// One connection.
pub struct Seat {
    visitor: Visitor,
    working: AtomicUsize,
    /// Answers that it got.
    served: AtomicU64,
    /// When it began to keep its seat waiting, by the room's own count of events.
    since: AtomicU64,
    clock: Arc<AtomicU64>,
    leave: Notify,
    left: AtomicBool,
}

impl Seat {
    /// Waits until somebody else needs the seat.
    pub(crate) async fn sent_away(&self) {
        self.leave.notified().await;
    }

    /// From now on the client waits for the server.
    pub fn work(self: &Arc<Self>) -> Working {
        self.working.fetch_add(1, Ordering::Relaxed);
        Working(Arc::clone(self))
    }
}

/// Somebody is answered while this lives.
pub struct Working(Arc<Seat>);

impl Drop for Working {
    fn drop(&mut self) {
        let Seat { working, served, since, clock, .. } = &*self.0;
        served.fetch_add(1, Ordering::Relaxed);
        since.store(clock.fetch_add(1, Ordering::Relaxed), Ordering::Relaxed);
        working.fetch_sub(1, Ordering::Relaxed);
    }
}

/// All connections.
pub(crate) struct Room {
    seats: Mutex<Vec<Arc<Seat>>>,
    clock: Arc<AtomicU64>,
    /// Seats in all.
    most: usize,
    /// Seats of one visitor.
    each: usize,
}

impl Room {
    pub(crate) fn new(most: usize, each: usize) -> Room {
        let most = most.max(1);
        Room { seats: Mutex::default(), clock: Arc::default(), most, each: each.clamp(1, most) }
    }

    fn seats(&self) -> MutexGuard<'_, Vec<Arc<Seat>>> {
        // Seats are taken and left in one step each.
        self.seats.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A seat for a newcomer; none if everybody who could make room is at work.
    pub(crate) fn enter(&self, visitor: Visitor) -> Option<Arc<Seat>> {
        self.admit(visitor, self.each)
    }

    /// The same for a proxy, which comes for many.
    pub(crate) fn enter_for_many(&self, proxy: Visitor) -> Option<Arc<Seat>> {
        self.admit(proxy, self.most)
    }

    fn admit(&self, visitor: Visitor, each: usize) -> Option<Arc<Seat>> {
        let mut seats = self.seats();
        let mut by_visitor: HashMap<Visitor, usize> = HashMap::new();
        seats.iter().for_each(|seat| *by_visitor.entry(seat.visitor).or_default() += 1);
        let count = |seat: &Arc<Seat>| by_visitor.get(&seat.visitor).copied().unwrap_or(0);
        let too_many = by_visitor.get(&visitor).copied().unwrap_or(0) >= each;
        if too_many || seats.len() >= self.most {
            let idle = |seat: &Arc<Seat>| seat.working.load(Ordering::Relaxed) == 0;
            // Whoever takes most of the room makes room first, of those who never asked for anything, the oldest.
            let rank = |seat: &Arc<Seat>| {
                let (served, since) = (&seat.served, &seat.since);
                (Reverse(count(seat)), served.load(Ordering::Relaxed) > 0, since.load(Ordering::Relaxed))
            };
            let places = (0..seats.len())
                .filter(|&at| idle(&seats[at]) && (!too_many || seats[at].visitor == visitor));
            let place = places.min_by_key(|&at| rank(&seats[at]))?;
            let seat = seats.swap_remove(place);
            seat.left.store(true, Ordering::Relaxed);
            seat.leave.notify_one();
        }
        let clock = Arc::clone(&self.clock);
        let seat = Arc::new(Seat {
            visitor,
            working: AtomicUsize::new(0),
            served: AtomicU64::new(0),
            since: AtomicU64::new(clock.fetch_add(1, Ordering::Relaxed)),
            clock,
            leave: Notify::new(),
            left: AtomicBool::new(false),
        });
        seats.push(Arc::clone(&seat));
        Some(seat)
    }

    /// A connection was closed.
    pub(crate) fn leave(&self, seat: &Arc<Seat>) {
        if !seat.left.swap(true, Ordering::Relaxed) {
            self.seats().retain(|other| !Arc::ptr_eq(other, seat));
        }
    }

    #[cfg(test)]
    fn taken(&self) -> usize {
        self.seats().len()
    }
}

/// Marks a connection as at work while its request is answered.
pub(crate) async fn attend(request: Request, next: Next) -> Response {
    let Some(seat) = request.extensions().get::<Arc<Seat>>().cloned() else { return next.run(request).await };
    // A request with a body is at work when its body is there: whoever reads it says so.
    let working = (request.method() != Method::POST).then(|| seat.work());
    let response = next.run(request).await;
    let kind = response.headers().get(header::CONTENT_TYPE);
    if kind.is_some_and(|kind| kind.as_bytes().starts_with(b"text/event-stream")) {
        // Events come while the work goes on.
        let working = working.unwrap_or_else(|| seat.work());
        return response.map(|body| Body::new(Held { body, _working: working }));
    }
    response
}

/// A body that holds on to something until it was sent or given up.
struct Held {
    body: Body,
    _working: Working,
}

impl HttpBody for Held {
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

    fn visitor(last: u8) -> Visitor {
        Visitor::at([10, 0, 0, last].into())
    }

    fn left(seat: &Arc<Seat>) -> bool {
        seat.left.load(Ordering::Relaxed)
    }

    #[test]
    fn who_waits_longest_makes_room() {
        let room = Room::new(3, 3);
        let [a, b, c] = [1, 2, 3].map(|last| room.enter(visitor(last)).unwrap());
        // One that was served before stays longer than one that never asked.
        drop(a.work());
        let d = room.enter(visitor(4)).unwrap();
        assert_eq!([&a, &b, &c, &d].map(left), [false, true, false, false]);
        let working = [c.work(), d.work()];
        let e = room.enter(visitor(5)).unwrap();
        assert_eq!([&a, &c, &d, &e].map(left), [true, false, false, false]);
        let _more = e.work();
        assert!(room.enter(visitor(6)).is_none(), "everybody is at work");
        drop(working);
        assert!(room.enter(visitor(6)).is_some());
        assert_eq!(room.taken(), 3);
        room.leave(&e);
        room.leave(&e);
        room.leave(&b);
        assert_eq!(room.taken(), 2);
    }

    #[test]
    fn nobody_takes_more_than_a_share() {
        let room = Room::new(10, 3);
        let mine: Vec<_> = (0..5).map(|_| room.enter(visitor(1)).unwrap()).collect();
        assert_eq!(mine.iter().map(left).collect::<Vec<_>>(), [true, true, false, false, false]);
        assert_eq!(room.taken(), 3);
        let _other = room.enter(visitor(2)).unwrap();
        assert_eq!(room.taken(), 4);
        // When the room is full, whoever has most of it gives a seat.
        let room = Room::new(4, 3);
        let quiet = room.enter(visitor(1)).unwrap();
        let many: Vec<_> = (0..3).map(|_| room.enter(visitor(2)).unwrap()).collect();
        let _new = room.enter(visitor(3)).unwrap();
        assert!(!left(&quiet) && left(&many[0]));
    }

    #[test]
    fn only_a_proxy_is_believed() {
        let (proxy, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let mut headers = HeaderMap::new();
        assert_eq!(whose(proxy, &[proxy], &headers), visitor(1));
        // The first entry is what the client claims, the last what the proxy saw.
        headers.append("x-forwarded-for", "10.0.0.9, 10.0.0.7".parse().unwrap());
        assert_eq!(whose(proxy, &[proxy], &headers), visitor(7));
        assert_eq!(whose(other, &[proxy], &headers), visitor(2));
        headers.append("x-forwarded-for", "nonsense".parse().unwrap());
        assert_eq!(whose(proxy, &[proxy], &headers), visitor(1));
    }

    #[test]
    fn a_network_is_one_visitor() {
        let at = |address: &str| Visitor::at(address.parse().unwrap());
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
        assert_ne!(at("10.0.0.1"), at("10.0.0.2"));
    }
}
