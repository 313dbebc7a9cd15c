//! Headers that keep browsers from doing more than the page needs, and the log.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

/// Everything comes from this server, and nothing is written into the page itself.
const POLICY: &str = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; \
                      font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; \
                      form-action 'none'; frame-ancestors 'none'";

const GUARDS: [(HeaderName, &str); 7] = [
    (header::CONTENT_SECURITY_POLICY, POLICY),
    (header::X_CONTENT_TYPE_OPTIONS, "nosniff"),
    (header::X_FRAME_OPTIONS, "DENY"),
    (header::REFERRER_POLICY, "no-referrer"),
    (HeaderName::from_static("cross-origin-opener-policy"), "same-origin"),
    (HeaderName::from_static("cross-origin-resource-policy"), "same-origin"),
    (HeaderName::from_static("permissions-policy"), "camera=(), geolocation=(), microphone=()"),
];

/// The board that other people's pages may frame; nothing on it can be changed but the board itself.
const FRAMED: &str = "/embed";

/// Adds the headers to every answer.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let framed = request.uri().path() == FRAMED;
    let mut response = next.run(request).await;
    for (name, value) in GUARDS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if framed {
        let policy = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *");
        // The policy is the other one but for a word, and that was plain text too.
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response.headers_mut().remove(header::X_FRAME_OPTIONS);
        response.headers_mut().insert(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        );
    }
    // What is known of a position may grow; files of the page say otherwise themselves.
    response.headers_mut().entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("no-store"));
    response
}

/// Writes a line per request to standard error: method, address, status, milliseconds.
pub(crate) async fn log(State(on): State<bool>, request: Request, next: Next) -> Response {
    if !on {
        return next.run(request).await;
    }
    let (method, uri) = (request.method().clone(), request.uri().clone());
    let began = Instant::now();
    let response = next.run(request).await;
    // A long address says no more than its beginning.
    let address: String = uri.to_string().chars().take(300).collect();
    eprintln!("{method} {address} {} {} ms", response.status().as_u16(), began.elapsed().as_millis());
    response
}
