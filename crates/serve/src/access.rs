//! Access token: a secret that every request has to carry, if the operator sets one.
//!
//! ```text
//!  client     how the token is sent
//!  programs   Authorization: Bearer TOKEN
//!  browsers   /?token=TOKEN once, which sets a cookie (HttpOnly, SameSite=Strict) and opens the address without it
//!  without    401: a form for browsers, an error message for programs
//! ```
//!
//! Invariant: the comparison takes constant time, and the token appears in no log and no error message.

use crate::refusal::Refusal;
use axum::extract::Request;
use axum::http::{HeaderMap, HeaderValue, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use outplay_core::svg::escape;
use std::fmt;
use std::hint::black_box;

/// The name of the cookie.
const COOKIE: &str = "outplay_token";
/// Lifetime of the cookie in seconds (30 days).
const COOKIE_SECONDS: u32 = 30 * 24 * 3600;
/// Length of a token in characters. Sixteen random ones cannot be guessed over a network.
const LENGTH: std::ops::RangeInclusive<usize> = 16..=200;

/// Access token: a secret that clients must send.
#[derive(Clone, PartialEq, Eq)]
pub struct AccessToken(String);

impl fmt::Debug for AccessToken {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("AccessToken(…)")
    }
}

impl AccessToken {
    /// Creates a token of 16 to 200 letters, digits and `-._~`, which need no escapes in addresses and headers.
    ///
    /// # Errors
    ///
    /// Other characters, too few or too many, in a sentence that does not repeat the token.
    pub fn new(text: &str) -> Result<AccessToken, String> {
        let plain = text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte));
        if !plain || !LENGTH.contains(&text.len()) {
            let (least, most) = (LENGTH.start(), LENGTH.end());
            return Err(format!("an access token has {least} to {most} letters, digits or -._~"));
        }
        Ok(AccessToken(text.to_string()))
    }

    /// Compares in constant time; only the length of `given` can be observed.
    fn is(&self, given: &str) -> bool {
        let own = self.0.as_bytes();
        let differs = given.bytes().zip(own.iter().cycle()).fold(0, |all, (a, b)| black_box(all | (a ^ b)));
        black_box(differs) == 0 && given.len() == own.len()
    }

    /// Admits a request that carries the token; otherwise returns the response to send.
    pub(crate) fn admit(&self, request: &Request) -> Result<(), Box<Response>> {
        let (headers, uri) = (request.headers(), request.uri());
        let in_address = in_address(uri).filter(|_| request.method() == Method::GET);
        if in_address.is_some_and(|token| self.is(token)) {
            return Err(Box::new(self.enter(uri, headers)));
        }
        let given: Vec<&str> = bearer(headers).into_iter().chain(cookies(headers)).collect();
        match given.iter().any(|given| self.is(given)) {
            true => Ok(()),
            false => Err(Box::new(refuse(headers, in_address.is_some() || !given.is_empty()))),
        }
    }

    /// Sets the cookie and loads the address without the token. An HTTP redirect would not do: browsers omit a
    /// `SameSite=Strict` cookie on a redirect that began at another site's link.
    fn enter(&self, uri: &Uri, headers: &HeaderMap) -> Response {
        let secure = headers.get("x-forwarded-proto").is_some_and(|scheme| scheme.as_bytes() == b"https");
        let secure = if secure { "; Secure" } else { "" };
        let AccessToken(token) = self;
        let cookie =
            format!("{COOKIE}={token}; Path=/; Max-Age={COOKIE_SECONDS}; HttpOnly; SameSite=Strict{secure}");
        let rest: Vec<&str> =
            uri.query().unwrap_or_default().split('&').filter(|pair| !is_token(pair)).collect();
        let query = rest.join("&");
        // Two leading slashes would name another host.
        let path = format!("/{}", uri.path().trim_start_matches(['/', '\\']));
        let address = escape(&if query.is_empty() { path } else { format!("{path}?{query}") });
        let head = format!("<meta http-equiv=\"refresh\" content=\"0;url={address}\">");
        let mut response = page(&head, &format!("<p><a href=\"{address}\">Open outplay</a></p>"));
        // Token characters are valid in headers.
        if let Ok(cookie) = HeaderValue::from_str(&cookie) {
            response.headers_mut().insert(header::SET_COOKIE, cookie);
        }
        response
    }
}

/// The bearer token of the `Authorization` header.
fn bearer(headers: &HeaderMap) -> Option<&str> {
    let (scheme, token) = headers.get(header::AUTHORIZATION)?.to_str().ok()?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| token.trim())
}

/// The tokens in the cookie headers.
fn cookies(headers: &HeaderMap) -> impl Iterator<Item = &str> {
    let lists = headers.get_all(header::COOKIE).iter().filter_map(|list| list.to_str().ok());
    let cookies = lists.flat_map(|list| list.split(';')).filter_map(|cookie| cookie.trim().split_once('='));
    cookies.filter(|(name, _)| *name == COOKIE).map(|(_, token)| token)
}

fn is_token(pair: &str) -> bool {
    pair.split('=').next() == Some("token")
}

/// The token in the query string.
fn in_address(uri: &Uri) -> Option<&str> {
    uri.query()?.split('&').find(|pair| is_token(pair))?.split_once('=').map(|(_, token)| token)
}

/// Returns the 401 response: a form for browsers, an error for programs.
fn refuse(headers: &HeaderMap, wrong: bool) -> Response {
    let error = match wrong {
        true => "the access token is wrong",
        false => "this server requires an access token",
    };
    let accepts = headers.get(header::ACCEPT).and_then(|kinds| kinds.to_str().ok()).unwrap_or_default();
    let mut response = if accepts.contains("text/html") {
        let form = "<form method=\"get\" action=\"/\"><label>Access token \
                    <input name=\"token\" type=\"password\" autofocus required></label> <button>Open</button></form>";
        let mut response = page("", &format!("<p>{}.</p>{form}", error.replacen('t', "T", 1)));
        *response.status_mut() = StatusCode::UNAUTHORIZED;
        response
    } else {
        let cure = "send it as `Authorization: Bearer TOKEN`, or open `/?token=TOKEN` in a browser; the server's operator knows the token";
        Refusal::new(StatusCode::UNAUTHORIZED, error, cure).into_response()
    };
    response
        .headers_mut()
        .insert(header::WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"outplay\""));
    response
}

/// A page without scripts and styles.
fn page(head: &str, body: &str) -> Response {
    let html = format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>outplay</title>\
         <meta name=\"viewport\" content=\"width=device-width\">{head}<h1>outplay</h1>{body}</html>"
    );
    crate::reply::sent("text/html; charset=utf-8", html)
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::body::Body;

    const TOKEN: &str = "0123456789-abcdef";

    /// Returns the rejection of a request; `None` if it passes.
    fn answer(path: &str, headers: &[(&'static str, &str)]) -> Option<Response> {
        let mut request = Request::builder().uri(path);
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let request = request.body(Body::empty()).unwrap();
        AccessToken::new(TOKEN).unwrap().admit(&request).err().map(|response| *response)
    }

    #[test]
    fn only_the_token_itself_passes() {
        let token = AccessToken::new(TOKEN).unwrap();
        assert!(token.is(TOKEN));
        let twice = format!("{TOKEN}{TOKEN}");
        for wrong in ["", "0", "0123456789-abcdeF", "0123456789-abcde", "0123456789-abcdef0", &twice] {
            assert!(!token.is(wrong), "{wrong}");
        }
        for bad in
            ["", "short", "0123456789 abcdef", "0123456789;abcdef", "0123456789&abcdef", &"x".repeat(201)]
        {
            let why = AccessToken::new(bad).unwrap_err();
            assert!(bad.is_empty() || !why.contains(bad), "{why}");
        }
        assert!(!format!("{token:?}").contains("0123"));
    }

    #[test]
    fn bearer_header_and_cookie_are_accepted() {
        assert!(answer("/api/v1/games", &[("authorization", &format!("bearer {TOKEN}"))]).is_none());
        assert!(answer("/", &[("cookie", &format!("a=b; outplay_token={TOKEN}"))]).is_none());
        for headers in [
            &[][..],
            &[("authorization", TOKEN)],
            &[("authorization", "Bearer x")],
            &[("cookie", "outplay_token=")],
            &[("cookie", TOKEN)],
        ] {
            let refused = answer("/api/v1/games", headers).unwrap();
            assert_eq!(refused.status(), StatusCode::UNAUTHORIZED);
            assert_eq!(refused.headers()["www-authenticate"], "Bearer realm=\"outplay\"");
        }
        assert_eq!(answer("/?token=0123456789-abcdeX", &[]).unwrap().status(), StatusCode::UNAUTHORIZED);
        let entered = answer(&format!("//x.org/?a=1&token={TOKEN}&b=2"), &[]).unwrap();
        assert_eq!(entered.status(), StatusCode::OK);
        let cookie = entered.headers()["set-cookie"].to_str().unwrap();
        assert!(cookie.starts_with(&format!("outplay_token={TOKEN};")), "{cookie}");
        assert!(cookie.contains("HttpOnly") && cookie.contains("SameSite=Strict"), "{cookie}");
        assert!(!cookie.contains("Secure"));
    }
}
