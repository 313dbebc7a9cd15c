//! Construction of HTTP responses with JSON or text bodies.

use crate::refusal::Refusal;
use axum::body::Body;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::Response;
use serde::Serialize;
use std::future::Future;
use std::pin::Pin;

pub(crate) use crate::question::{Reply, at_once};

/// A boxed future, so that the functions that await it are compiled once.
pub(crate) type Soon<T> = Pin<Box<dyn Future<Output = Result<T, Refusal>> + Send>>;

/// A JSON response.
pub(crate) fn json(content: &impl Serialize) -> Response {
    as_json(written(content))
}

/// A JSON response of serialised text.
pub(crate) fn as_json(text: String) -> Response {
    sent("application/json", text)
}

/// Sets the status of a response to 202 Accepted.
pub(crate) fn begun(mut response: Response) -> Response {
    *response.status_mut() = StatusCode::ACCEPTED;
    response
}

/// Serialises on the calling worker thread, so that the network threads do not.
pub(crate) fn written(content: &impl Serialize) -> String {
    // Answers have string keys, so serialisation cannot fail.
    serde_json::to_string(content).unwrap_or_default()
}

/// A response of the given content type.
pub(crate) fn sent(kind: &'static str, text: String) -> Response {
    let mut response = Response::new(Body::from(text));
    response.headers_mut().insert(header::CONTENT_TYPE, HeaderValue::from_static(kind));
    response
}
