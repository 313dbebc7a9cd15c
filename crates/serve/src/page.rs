//! The files of the page, embedded in the program.

use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use rust_embed::RustEmbed;

#[derive(RustEmbed)]
#[folder = "page/"]
#[exclude = "*.md"]
struct Files;

/// Answers with a file of the page, or says that there is none.
pub(crate) async fn file(uri: Uri, headers: HeaderMap) -> Response {
    let path = match uri.path().trim_start_matches('/') {
        "" => "index.html",
        path => path,
    };
    let Some(file) = Files::get(path) else {
        let error = "there is nothing at this address";
        return Refusal::new(StatusCode::NOT_FOUND, error, "the page is at /, the interface at /api/v1")
            .into_response();
    };
    let tag: String = file.metadata.sha256_hash()[..12].iter().map(|byte| format!("{byte:02x}")).collect();
    let tag = format!("\"{tag}\"");
    let known = headers.get(header::IF_NONE_MATCH).is_some_and(|value| value.as_bytes() == tag.as_bytes());
    let base = [(header::ETAG, tag), (header::CACHE_CONTROL, "no-cache".to_string())];
    if known {
        return (StatusCode::NOT_MODIFIED, base).into_response();
    }
    let mime = file.metadata.mimetype();
    let kind = match mime.starts_with("text/") {
        true => format!("{mime}; charset=utf-8"),
        false => mime.to_string(),
    };
    (base, [(header::CONTENT_TYPE, kind)], Body::from(file.data)).into_response()
}
