//! The files of the page, embedded in the program.

use crate::ask::Asked;
use crate::lean::lean;
use crate::refusal::Refusal;
use crate::reply::{Reply, at_once};
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use std::borrow::Cow;
use std::sync::LazyLock;
use xxhash_rust::xxh3::xxh3_64;

/// Names and contents of files in the page's folder.
macro_rules! files {
    ($($name:literal)*) => { &[$(($name, include_bytes!(concat!("../page/", $name)))),*] };
}

/// Everything that can be asked for by name: no request reaches the disk otherwise.
static FILES: &[(&str, &[u8])] = files! {
    "after.js"
    "api.js"
    "app.js"
    "arena.js"
    "board.js"
    "chart.js"
    "chess-setup.js"
    "dice.js"
    "dom.js"
    "embed.css"
    "embed.html"
    "embed.js"
    "experiments.js"
    "explore.js"
    "facts.js"
    "gallery.js"
    "glyphs.js"
    "ground.js"
    "hand.js"
    "history.js"
    "icon.svg"
    "index.html"
    "install.js"
    "keys.js"
    "knowledge.js"
    "learn.css"
    "learn.js"
    "lesson-alphabeta.js"
    "lesson-chance.js"
    "lesson-game.js"
    "lesson-horizon.js"
    "lesson-loops.js"
    "lesson-minimax.js"
    "lesson-order.js"
    "lesson-proof.js"
    "lesson-tables.js"
    "lesson.js"
    "levels.js"
    "link.js"
    "main.js"
    "marks.js"
    "match.js"
    "men.js"
    "mini.js"
    "motion.js"
    "names.js"
    "outplay.webmanifest"
    "paint.js"
    "picture.js"
    "piles.js"
    "place-api.js"
    "place.css"
    "players.js"
    "preview.png"
    "proof-tree.js"
    "puzzle-sets.js"
    "puzzle.css"
    "puzzle.js"
    "record.js"
    "refusal.js"
    "rules.js"
    "scene.js"
    "setup.js"
    "share-more.js"
    "share.js"
    "sheet.js"
    "sound.js"
    "start.js"
    "statistics.js"
    "status.js"
    "still.js"
    "style.css"
    "sw.js"
    "symbol.js"
    "thumbnails.js"
    "tree-picture.js"
    "tree.js"
    "turn.js"
    "turns.js"
    "values.js"
    "verdict.js"
    "views.js"
    "worth.js"
};

/// What is sent of every file: scripts and styles without what only people read.
static SENT: LazyLock<Vec<Vec<u8>>> =
    LazyLock::new(|| FILES.iter().map(|(name, written)| sent(name, written)).collect());

fn sent(name: &str, written: &[u8]) -> Vec<u8> {
    std::str::from_utf8(written).map_or_else(|_| written.to_vec(), |text| lean(name, text).into_bytes())
}

/// The content of a file as it is sent. A debug build reads it anew, so that a reload shows an edit.
fn content(name: &str) -> Option<Cow<'static, [u8]>> {
    let at = FILES.iter().position(|(known, _)| *known == name)?;
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/page/");
    let fresh = if cfg!(debug_assertions) { std::fs::read(format!("{folder}{name}")).ok() } else { None };
    Some(fresh.map_or_else(|| Cow::Borrowed(&SENT[at][..]), |written| Cow::Owned(sent(name, &written))))
}

/// What a browser takes the file for.
fn kind(name: &str) -> &'static str {
    match name.rsplit_once('.').map_or("", |(_, ending)| ending) {
        "html" => "text/html; charset=utf-8",
        "css" => "text/css; charset=utf-8",
        "js" => "text/javascript; charset=utf-8",
        "svg" => "image/svg+xml",
        "png" => "image/png",
        "webmanifest" => "application/manifest+json",
        _ => "application/octet-stream",
    }
}

/// Answers with a file of the page, or says that there is none.
pub(crate) fn file(asked: &Asked) -> Result<Reply, Refusal> {
    let path = match asked.uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    at_once(answer(path, &asked.headers, None))
}

/// The names of all files.
pub(crate) fn names() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(name, _)| *name)
}

/// Answers with a file by its name, with further tags at the end of its head.
pub(crate) fn answer(path: &str, headers: &HeaderMap, tags: Option<&str>) -> Response {
    let Some(content) = content(path) else {
        let error = "there is nothing at this address";
        return Refusal::new(StatusCode::NOT_FOUND, error, "the page is at /, the interface at /api/v1")
            .into_response();
    };
    let content = match (tags, std::str::from_utf8(&content)) {
        (Some(tags), Ok(text)) => {
            Cow::Owned(text.replacen("</head>", &format!("{tags}\n</head>"), 1).into_bytes())
        }
        _ => content,
    };
    let tag = format!("\"{:016x}\"", xxh3_64(&content));
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let base = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_string())];
    if known {
        return (StatusCode::NOT_MODIFIED, base).into_response();
    }
    (base, [(header::CONTENT_TYPE, kind(path))], Body::from(content)).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_file_of_the_folder_is_embedded_and_of_a_known_kind() {
        let folder = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/page")).unwrap();
        let mut names: Vec<String> =
            folder.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.retain(|name| !name.ends_with(".md"));
        names.sort_unstable();
        assert_eq!(names, FILES.iter().map(|(name, _)| *name).collect::<Vec<_>>());
        assert!(names.iter().all(|name| kind(name) != "application/octet-stream"));
    }

    /// Everything that is sent for the page, pictures apart.
    #[test]
    fn the_page_is_small() {
        let sizes = FILES.iter().zip(SENT.iter()).filter(|((name, _), _)| !kind(name).starts_with("image"));
        let bytes: usize = sizes.map(|(_, sent)| sent.len()).sum();
        assert!(bytes < 400_000, "{bytes} bytes");
    }
}
