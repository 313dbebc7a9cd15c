//! What a link brings along: a code to photograph, tags for previews, a board for other people's pages, and the list of
//! files that make up the page, for whoever keeps them.

use crate::ask::Asked;
use crate::page;
use crate::refusal::Refusal;
use crate::router::Shared;
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, Uri, header};
use axum::response::{IntoResponse, Response};
use outplay_core::figures::escaped;
use qrcodegen::{QrCode, QrCodeEcc};
use serde::Deserialize;
use serde_json::{Value, json};
use std::fmt::Write;
use std::sync::Arc;

/// Characters that a code may hold: more would be too fine to photograph from a screen.
const CODE: usize = 1200;
/// Light modules around a code; readers want four.
const QUIET: i32 = 4;

/// What a code says.
#[derive(Deserialize)]
pub(crate) struct CodeRequest {
    text: String,
}

/// `GET /api/v1/qr.svg`
pub(crate) async fn code(Asked(request): Asked<CodeRequest>) -> Result<impl IntoResponse, Refusal> {
    let long = || {
        let error = format!("the text has {} characters and a code here holds {CODE}", request.text.len());
        Refusal::bad(error, "share the start position with fewer moves, or copy the link")
    };
    if request.text.is_empty() || request.text.len() > CODE {
        return Err(long());
    }
    let code = QrCode::encode_text(&request.text, QrCodeEcc::Medium).map_err(|_| long())?;
    Ok(([(header::CONTENT_TYPE, "image/svg+xml")], drawn(&code)))
}

/// A code as a picture: dark on light, whatever the page's colours are, because cameras expect that.
fn drawn(code: &QrCode) -> String {
    let (size, side) = (code.size(), code.size() + 2 * QUIET);
    let mut path = String::new();
    for y in 0..size {
        for x in (0..size).filter(|x| code.get_module(*x, y)) {
            // Writing to a string cannot fail.
            let _ = write!(path, "M{} {}h1v1h-1z", x + QUIET, y + QUIET);
        }
    }
    format!(
        r##"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" shape-rendering="crispEdges" role="img"><title>QR code</title><rect width="{side}" height="{side}" fill="#fff"/><path fill="#000" d="{path}"/></svg>"##
    )
}

/// `GET /embed`: a board for other people's pages. The headers that it gets let it be framed.
pub(crate) async fn embed(headers: HeaderMap) -> Response {
    page::answer("embed.html", &headers, None)
}

/// `GET /shell.json`: the files of the page, for the worker that keeps them.
pub(crate) async fn shell() -> Json<Value> {
    Json(json!({ "files": page::names().filter(|name| *name != "index.html").collect::<Vec<_>>() }))
}

/// `GET /`: the page, with tags that tell what the link shows.
pub(crate) async fn home(State(shared): State<Arc<Shared>>, uri: Uri, headers: HeaderMap) -> Response {
    let tags = tags(&shared, uri.query().unwrap_or_default(), &headers);
    page::answer("index.html", &headers, Some(&tags))
}

/// What of a link its preview tells.
#[derive(Deserialize, Default)]
struct Linked {
    #[serde(default)]
    game: String,
    #[serde(default)]
    moves: String,
    #[serde(default)]
    view: String,
}

/// Tags for previews of a link. Nothing is searched for them: they come with every page.
fn tags(shared: &Shared, query: &str, headers: &HeaderMap) -> String {
    let linked: Linked =
        axum::extract::Query::try_from_uri(&format!("/?{query}").parse().unwrap_or_default())
            .map(|axum::extract::Query(linked)| linked)
            .unwrap_or_default();
    let spec = linked.game.replace(' ', "+");
    let family = spec.split([':', ',']).next().unwrap_or_default();
    let families = shared.shelf.catalog().families();
    let about = families.iter().find(|known| known.name() == family);
    let (title, text) = match about {
        None => (
            "outplay".to_string(),
            "Solve it, prove it, play it: exact values of two-player games on a board.".to_string(),
        ),
        Some(about) => {
            let count = linked.moves.split([',', ' ', '+']).filter(|word| !word.is_empty()).count();
            let place = match (linked.view.as_str(), count) {
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
        let _ = writeln!(tags, "  <meta property=\"{name}\" content=\"{}\">", escaped(content));
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
        // The corner of a finder pattern is dark, its ring light.
        assert!(svg.contains("M4 4h1") && !svg.contains("M5 5h1") && svg.contains("M6 6h1"));
    }
}
