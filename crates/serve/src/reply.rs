//! Answers on their way out: made at once, or by those who work; written as text, each type in one way.

use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use std::future::{Future, ready};
use std::pin::Pin;

/// Something that is waited for. Behind a pointer, so that those who wait are compiled once.
pub(crate) type Soon<T> = Pin<Box<dyn Future<Output = Result<T, Refusal>> + Send>>;

/// An answer that is waited for.
pub(crate) type Reply = Soon<Response>;

/// An answer that is there already.
pub(crate) fn at_once(response: Response) -> Result<Reply, Refusal> {
    Ok(Box::pin(ready(Ok(response))))
}

/// An answer as JSON.
pub(crate) fn json(content: &impl Serialize) -> Response {
    as_json(written(content))
}

/// An answer that is written already.
pub(crate) fn as_json(text: String) -> Response {
    sent("application/json", text)
}

/// An answer of work that has only begun.
pub(crate) fn begun(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// The text of an answer: on the thread that found it, so that those who carry answers write none.
pub(crate) fn written(content: &impl Serialize) -> String {
    // Answers are maps with string keys, which always serialise.
    serde_json::to_string(content).unwrap_or_default()
}

/// An answer of some kind.
pub(crate) fn sent(kind: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
