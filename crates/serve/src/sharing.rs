//! What a link brings along: a code to photograph, tags for previews, a board for other people's pages, and the list of
//! files that make up the page, for whoever keeps them.

use crate::ask::Asked;
use crate::page;
use crate::refusal::Refusal;
use crate::reply::{self, Reply, at_once, sent};
use axum::http::header;
use outplay_core::figures::escaped;
use qrcodegen::{QrCode, QrCodeEcc};
use serde_json::json;
use std::fmt::Write;

/// Characters that a code may hold: more would be too fine to photograph from a screen.
const CODE: usize = 1200;
/// Light modules around a code; readers want four.
const QUIET: i32 = 4;

/// `GET /api/v1/qr.svg`
pub(crate) fn code(asked: &Asked) -> Result<Reply, Refusal> {
    let text = asked.needed("text")?;
    let long = || {
        let error = format!("the text has {} characters and a code here holds {CODE}", text.len());
        Refusal::bad(error, "share the start position with fewer moves, or copy the link")
    };
    if text.is_empty() || text.len() > CODE {
        return Err(long());
    }
    let code = QrCode::encode_text(text, QrCodeEcc::Medium).map_err(|_| long())?;
    at_once(sent("image/svg+xml", drawn(&code)))
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
pub(crate) fn embed(asked: &Asked) -> Result<Reply, Refusal> {
    at_once(page::answer("embed.html", &asked.headers, None))
}

/// `GET /shell.json`: the files of the page, for the worker that keeps them.
pub(crate) fn shell(_: &Asked) -> Result<Reply, Refusal> {
    let files: Vec<&str> = page::names().filter(|name| *name != "index.html").collect();
    at_once(reply::json(&json!({ "files": files })))
}

/// `GET /`: the page, with tags that tell what the link shows.
pub(crate) fn home(asked: &Asked) -> Result<Reply, Refusal> {
    at_once(page::answer("index.html", &asked.headers, Some(&tags(asked))))
}

/// Tags for previews of a link. Nothing is searched for them: they come with every page.
fn tags(asked: &Asked) -> String {
    let text = |name| asked.text(name).map(|text| text.unwrap_or_default());
    // A link that says something twice is told nothing of.
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
