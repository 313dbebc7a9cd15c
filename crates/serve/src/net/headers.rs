//! HTTP security headers (Content-Security-Policy and others), and the request log.

use axum::extract::{Request, State};
use axum::http::{HeaderName, HeaderValue, StatusCode, Uri, header};
use axum::middleware::Next;
use axum::response::Response;
use std::time::Instant;

/// Content-Security-Policy: same-origin resources only, no inline scripts or styles.
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

/// The only path that foreign pages may frame.
const FRAMED: &str = "/embed";

/// Adds the security headers to a response.
pub(crate) async fn guard(request: Request, next: Next) -> Response {
    let framed = request.uri().path() == FRAMED;
    let mut response = next.run(request).await;
    for (name, value) in GUARDS {
        response.headers_mut().insert(name, HeaderValue::from_static(value));
    }
    if framed {
        let policy = POLICY.replace("frame-ancestors 'none'", "frame-ancestors *");
        // Replacing one word keeps the policy ASCII, so this always succeeds.
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
        response.headers_mut().remove(header::X_FRAME_OPTIONS);
        response.headers_mut().insert(
            HeaderName::from_static("cross-origin-resource-policy"),
            HeaderValue::from_static("cross-origin"),
        );
    }
    if response.status() == StatusCode::UNAUTHORIZED {
        // The access-token form posts to this server.
        let policy = POLICY.replace("form-action 'none'", "form-action 'self'");
        if let Ok(policy) = HeaderValue::from_str(&policy) {
            response.headers_mut().insert(header::CONTENT_SECURITY_POLICY, policy);
        }
    }
    // Results may improve with time; the page's files set their own cache headers.
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
    // Long addresses are truncated.
    let address: String = without_token(&uri).chars().take(300).collect();
    eprintln!("{method} {address} {} {} ms", response.status().as_u16(), began.elapsed().as_millis());
    response
}

/// Returns the address with its access token redacted.
fn without_token(uri: &Uri) -> String {
    let shown = |pair: &str| match pair.split_once('=') {
        Some(("token", _)) => "token=…".to_string(),
        _ => pair.to_string(),
    };
    match uri.query() {
        Some(query) => {
            let query: Vec<String> = query.split('&').map(shown).collect();
            format!("{}?{}", uri.path(), query.join("&"))
        }
        None => uri.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_log_shows_no_token() {
        let shown = |text: &'static str| without_token(&Uri::from_static(text));
        assert_eq!(shown("/?a=1&token=secret&b=2"), "/?a=1&token=…&b=2");
        assert_eq!(shown("/api/v1/games"), "/api/v1/games");
    }
}
