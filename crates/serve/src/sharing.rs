//! Handlers for sharing positions: QR codes, link previews (Open Graph tags), a board to embed in other pages, and the
//! list of files for the service worker.

use crate::api_request::ApiRequest;
use crate::page;
use crate::refusal::Refusal;
use crate::reply::{self, Reply, at_once, sent};
use axum::http::header;
use outplay_core::svg::{self, escape};
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;
use std::fmt::Write;

/// Most characters of a QR code; denser codes do not scan from a screen.
const CODE: usize = 1200;
/// Quiet zone in modules; the QR standard requires four.
const QUIET: i32 = 4;

/// `GET /api/v1/qr.svg`
pub(crate) fn code(asked: &ApiRequest) -> Result<Reply, Refusal> {
    let text = asked.needed("text")?;
    let long = || {
        let error =
            format!("the text has {} characters, but a QR code here holds at most {CODE}", text.len());
        Refusal::bad(error, "share the start position with fewer moves, or copy the link")
    };
    if text.is_empty() || text.len() > CODE {
        return Err(long());
    }
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).map_err(|_| long())?;
    at_once(sent("image/svg+xml", drawn(&code)))
}

/// Draws a code as SVG, always dark on light because scanners expect that.
fn drawn(code: &QrCode) -> String {
    let (size, side) = (code.size(), code.size() + 2 * QUIET);
    let mut modules = String::new();
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            // Writing to a string cannot fail.
            let _ = write!(modules, "M{} {}h1v1h-1z", x + QUIET, y + QUIET);
        }
    }
    let picture = svg::document(side, side).attr("shape-rendering", "crispEdges").attr("role", "img");
    let paper = svg::rect(0, 0, side, side).fill("#fff");
    picture.title("QR code").with(paper).with(svg::path(modules).fill("#000")).to_string()
}

/// `GET /embed`: a board for foreign pages; its headers allow framing.
pub(crate) fn embed(asked: &ApiRequest) -> Result<Reply, Refusal> {
    at_once(page::answer("embed.html", &asked.headers, None))
}

/// `GET /shell.json`: the files of the page, for the service worker's cache.
pub(crate) fn shell(_: &ApiRequest) -> Result<Reply, Refusal> {
    let files: Vec<&str> = page::names().filter(|name| *name != "index.html").collect();
    at_once(reply::json(&json!({ "files": files })))
}

/// `GET /`: the page, with preview tags for the link.
pub(crate) fn home(asked: &ApiRequest) -> Result<Reply, Refusal> {
    at_once(page::answer("index.html", &asked.headers, Some(&tags(asked))))
}

/// Preview tags of a link. They come with every page load, so nothing is searched for them.
fn tags(asked: &ApiRequest) -> String {
    let text = |name| asked.text(name).map(|text| text.unwrap_or_default());
    // A link with a repeated parameter gets no preview.
    let linked = || Ok::<_, Refusal>((text("game")?, text("moves")?, text("view")?));
    let (game, moves, view) = linked().unwrap_or_default();
    let (query, headers) = (asked.uri.query().unwrap_or_default(), &asked.headers);
    let spec = game.replace(' ', "+");
    let family = spec.split([':', ',']).next().unwrap_or_default();
    let families = asked.shared.shelf.catalog().families();
    let about = families.iter().find(|known| known.name() == family);
    let (title, text) = match about {
        None => (
            "outplay".to_string(),
            "Solve it, prove it, play it: exact values of two-player games on a board.".to_string(),
        ),
        Some(about) => {
            let count = moves.split([',', ' ', '+']).filter(|word| !word.is_empty()).count();
            let place = match (view, count) {
                ("puzzle", _) => "A puzzle".to_string(),
                ("arena", _) => "A match".to_string(),
                (_, 0) => "A game".to_string(),
                (_, 1) => "A position after one move".to_string(),
                (_, count) => format!("A position after {count} moves"),
            };
            let spec: String = spec.chars().take(80).collect();
            (
                format!("{place} of {spec}"),
                format!("{}. See what every move is worth, play it, share it.", about.about()),
            )
        }
    };
    let host = headers.get(header::HOST).and_then(|host| host.to_str().ok()).unwrap_or("localhost");
    let scheme =
        headers.get("x-forwarded-proto").and_then(|scheme| scheme.to_str().ok()).filter(|s| *s == "https");
    let base = format!("{}://{host}", scheme.unwrap_or("http"));
    let address = if query.is_empty() { format!("{base}/") } else { format!("{base}/?{query}") };
    let mut tags = String::new();
    for (name, content) in [
        ("og:type", "website"),
        ("og:site_name", "outplay"),
        ("og:title", &title),
        ("og:description", &text),
        ("og:url", &address),
        ("og:image", &format!("{base}/preview.png")),
    ] {
        let _ = writeln!(tags, "  <meta property=\"{name}\" content=\"{}\">", escape(content));
    }
    tags + "  <meta name=\"twitter:card\" content=\"summary_large_image\">"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_code_has_its_corners_and_a_margin() {
        let code = QrCode::encode_text("http://localhost:8080/?game=connect4", QrCodeEcc::Medium).unwrap();
        let svg = drawn(&code);
        let side = code.size() + 2 * QUIET;
        assert!(svg.contains(&format!("viewBox=\"0 0 {side} {side}\"")));
        // A finder pattern has a dark corner and a light ring.
        assert!(svg.contains("M4 4h1") && !svg.contains("M5 5h1") && svg.contains("M6 6h1"));
    }
}
