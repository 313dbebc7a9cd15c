//! Host and Origin checks: protection against DNS rebinding and cross-site requests (CSRF).
//!
//! ```text
//!  Host     a name of this server      stops DNS rebinding: a foreign page that resolves its own name to this address
//!  Origin   this server's own page     stops CSRF: a foreign page that starts searches in a visitor's browser
//!  token    the access token, if set   stops clients that merely reach the port (access.rs)
//! ```
//!
//! Invariant: no handler runs for a request that fails a check. Clients other than browsers send no `Origin` and pass.

use crate::net::LocalAddr;
use crate::refusal::Refusal;
use crate::router::ServerState;
use crate::settings::Settings;
use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use std::net::IpAddr;
use std::sync::Arc;

/// Middleware: passes a request on, or rejects it.
pub(crate) async fn pass(State(shared): State<Arc<ServerState>>, request: Request, next: Next) -> Response {
    let local = request.extensions().get::<LocalAddr>().map(|local| local.0);
    let judged =
        judge(&shared.settings, local, request.uri().host(), request.headers(), request.uri().path());
    if let Err(refusal) = judged {
        return refusal.into_response();
    }
    match shared.settings.token.as_ref().map_or(Ok(()), |token| token.admit(&request)) {
        Ok(()) => next.run(request).await,
        Err(response) => *response,
    }
}

fn judge(
    settings: &Settings,
    local: Option<IpAddr>,
    in_address: Option<&str>,
    headers: &HeaderMap,
    path: &str,
) -> Result<(), Refusal> {
    let hosts: Vec<&str> = headers.get_all(header::HOST).iter().filter_map(|h| h.to_str().ok()).collect();
    // The authority of an absolute request target outranks the Host header (RFC 9112).
    let host = match (in_address, hosts.as_slice()) {
        (Some(host), _) => host,
        (None, [host]) => host,
        _ => {
            let cure = "send exactly one Host header, such as `host: localhost`";
            return Err(Refusal::bad("the request has no Host header, or several", cure));
        }
    };
    if !known(settings, local, name(host)) {
        let shown: String = host.chars().filter(|c| c.is_ascii_graphic()).take(80).collect();
        let error = format!("`{shown}` is not a host name of this server");
        let cure = "use localhost or the server's address; the operator can add names with `--host`";
        return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, error, cure));
    }
    // The page and its files may be linked to from anywhere; API requests may change state or cost time.
    if path.starts_with("/api/") { own(settings, host, headers) } else { Ok(()) }
}

/// Returns the host without port, IPv6 brackets and the trailing dot of a fully qualified name.
fn name(host: &str) -> &str {
    let host = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or(rest),
        None => host.split(':').next().unwrap_or(host),
    };
    host.strip_suffix('.').unwrap_or(host)
}

/// Whether a name belongs to this server.
fn known(settings: &Settings, local: Option<IpAddr>, name: &str) -> bool {
    let address: Option<IpAddr> = name.parse().ok();
    let numbered = |address: IpAddr| {
        address.is_loopback() || address == settings.addr.ip() || local == Some(address.to_canonical())
    };
    name.eq_ignore_ascii_case("localhost")
        || address.is_some_and(numbered)
        || settings.hosts.iter().any(|host| host.eq_ignore_ascii_case(name))
}

/// Rejects requests that a browser sends on behalf of a foreign page.
fn own(settings: &Settings, host: &str, headers: &HeaderMap) -> Result<(), Refusal> {
    let text = |header: &str| headers.get(header).map(|value| value.to_str().unwrap_or("null"));
    let foreign = |whose: &str| {
        let shown: String = whose.chars().filter(|c| c.is_ascii_graphic()).take(80).collect();
        let error = format!(
            "this request came from another page ({shown}); only this server's own page may send requests"
        );
        Refusal::new(
            StatusCode::FORBIDDEN,
            error,
            "open this server's own page, or send the request without a browser",
        )
    };
    if let Some(origin) = text("origin") {
        let asked = origin.split_once("://");
        let fits = asked.is_some_and(|(scheme, from)| {
            let port = if scheme.eq_ignore_ascii_case("https") { ":443" } else { ":80" };
            let bare = |host: &str| host.strip_suffix(port).unwrap_or(host).to_ascii_lowercase();
            // A proxy may forward under another name than the public one, which `--host` gives.
            bare(from) == bare(host)
                || settings.hosts.iter().any(|host| host.eq_ignore_ascii_case(&bare(from)))
        });
        return if fits { Ok(()) } else { Err(foreign(origin)) };
    }
    // Images, scripts and links of foreign pages have no Origin, but browsers send Sec-Fetch-Site.
    match text("sec-fetch-site") {
        Some(site @ ("cross-site" | "same-site")) => Err(foreign(site)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::http::HeaderValue;

    /// Returns the status for a request with these headers; 200 if it passes.
    fn status(hosts: &[&str], path: &str, headers: &[(&'static str, &str)]) -> u16 {
        let mut settings = Settings::new(([0, 0, 0, 0], 8080).into(), "data".into());
        settings.hosts = hosts.iter().map(|host| host.to_string()).collect();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_str(value).unwrap());
        }
        let local = Some([192, 168, 1, 5].into());
        judge(&settings, local, None, &map, path).map_or_else(|refusal| refusal.status.as_u16(), |()| 200)
    }

    #[test]
    fn only_names_of_this_server_are_answered() {
        let check = |host: &str, expected: u16| {
            assert_eq!(status(&["play.school.org"], "/", &[("host", host)]), expected, "{host}");
        };
        for host in [
            "localhost",
            "LOCALHOST:8080",
            "localhost.",
            "127.0.0.1:8080",
            "127.8.9.1",
            "[::1]:8080",
            "192.168.1.5:8080",
            "play.school.org",
            "Play.School.org:443",
        ] {
            check(host, 200);
        }
        for host in [
            "evil.example",
            "localhost.evil.example",
            "127.0.0.1.evil.example",
            "192.168.1.6",
            "school.org",
            "a.play.school.org",
            "x",
            "",
            "[::2]",
            "play.school.org@evil.example",
        ] {
            check(host, 421);
        }
        assert_eq!(status(&[], "/", &[]), 400, "no host");
        assert_eq!(status(&[], "/", &[("host", "localhost"), ("host", "evil.example")]), 400, "two hosts");
    }

    #[test]
    fn only_the_servers_own_page_may_ask() {
        let api = "/api/v1/solve";
        let check = |origin: &str, expected: u16| {
            let headers = [("host", "localhost:8080"), ("origin", origin)];
            assert_eq!(status(&["play.school.org"], api, &headers), expected, "{origin}");
        };
        for origin in ["http://localhost:8080", "HTTP://LOCALHOST:8080", "https://play.school.org"] {
            check(origin, 200);
        }
        for origin in [
            "http://localhost:3000",
            "http://localhost",
            "http://127.0.0.1:8080",
            "https://evil.example",
            "https://play.school.org.evil.example",
            "null",
            "",
            "file://",
        ] {
            check(origin, 403);
        }
        let site =
            |path: &str, site: &str| status(&[], path, &[("host", "localhost"), ("sec-fetch-site", site)]);
        assert_eq!(site(api, "cross-site"), 403);
        assert_eq!(site(api, "same-site"), 403);
        assert_eq!(site(api, "same-origin"), 200);
        assert_eq!(site(api, "none"), 200, "typed into the browser's address line");
        assert_eq!(site("/", "cross-site"), 200, "a link to the page");
        assert_eq!(status(&[], api, &[("host", "localhost")]), 200, "no browser");
        // A proxy that forwards the name may leave the default port in one header only.
        let proxied = [("host", "play.school.org"), ("origin", "https://play.school.org:443")];
        assert_eq!(status(&["play.school.org"], api, &proxied), 200);
    }
}
