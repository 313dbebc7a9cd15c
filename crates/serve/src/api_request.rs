//! Request parsing: client, id in the path, query parameters and JSON body, with uniform error messages.

use crate::addresses::Address;
use crate::net::{ActiveRequest, ClientId, ConnectionSlot};
use crate::place::{At, spelled};
use crate::refusal::Refusal;
use crate::router::ServerState;
use crate::settings::BODY_TIME;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::MissingJsonContentType;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use mime::Mime;
use outplay_workbench::PositionRef;
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A parsed request.
pub(crate) struct ApiRequest {
    pub(crate) shared: Arc<ServerState>,
    pub(crate) visitor: ClientId,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// The path's `{id}`.
    pub(crate) id: String,
    /// The query parameters.
    query: Vec<(String, String)>,
    body: Bytes,
    /// The connection counts as active once the body has arrived.
    _working: Option<ActiveRequest>,
}

impl ApiRequest {
    /// Parses a request, or returns the error response.
    pub(crate) async fn read(
        shared: Arc<ServerState>,
        address: &Address,
        request: Request,
    ) -> Result<ApiRequest, Box<Response>> {
        // The accept loop adds the client to every request.
        let visitor = request.extensions().get().copied();
        let visitor = visitor.ok_or(StatusCode::SERVICE_UNAVAILABLE).map_err(instead)?;
        let slot = request.extensions().get::<Arc<ConnectionSlot>>().cloned();
        let (mut parts, body) = request.into_parts();
        let mut id = String::new();
        if address.has_id() {
            Path(id) = Path::from_request_parts(&mut parts, &()).await.map_err(instead)?;
        }
        // A query of string pairs always parses.
        let Query(query) = Query::try_from_uri(&parts.uri).unwrap_or_default();
        let (uri, headers) = (parts.uri.clone(), parts.headers.clone());
        let (mut bytes, mut working) = (Bytes::new(), None);
        if address.reads_body() {
            bytes = body_of(Request::from_parts(parts, body)).await.map_err(instead)?;
            working = slot.map(|slot| slot.work());
        }
        Ok(ApiRequest { shared, visitor, uri, headers, id, query, body: bytes, _working: working })
    }

    /// Returns an optional query parameter.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut given = self.query.iter().filter(|(known, _)| known == name);
        match (given.next(), given.next()) {
            (_, Some(_)) => Err(unread(format!("duplicate field `{name}`"))),
            (first, None) => Ok(first.map(|(_, text)| text.as_str())),
        }
    }

    /// Returns a required query parameter.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, Refusal> {
        self.text(name)?.ok_or_else(|| unread(format!("missing field `{name}`")))
    }

    /// Returns the game and the position that the query names.
    pub(crate) fn place(&self) -> Result<(String, PositionRef), Refusal> {
        let text = |name| self.text(name).map(|text| text.unwrap_or_default().to_string());
        let (position, moves) = (text("position")?, text("moves")?);
        let at = At { game: spelled(self.needed("game")?), position, moves };
        let place = at.place()?;
        Ok((at.game, place))
    }

    /// Parses the JSON body.
    pub(crate) fn told<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        match Json::from_bytes(&self.body) {
            Ok(Json(body)) => Ok(body),
            Err(why) => Err(untold(why.status(), why.body_text())),
        }
    }
}

/// Boxes an error response.
fn instead(why: impl IntoResponse) -> Box<Response> {
    Box::new(why.into_response())
}

/// The error of a malformed query.
fn unread(why: String) -> Refusal {
    let cure = "give `game` and what else docs/api.md lists, percent-encoded: `?game=tictactoe`";
    Refusal::bad(format!("Failed to deserialize query string: {why}"), cure)
}

/// The error of a malformed body.
fn untold(status: StatusCode, why: String) -> Refusal {
    let cure = "send a JSON object with `content-type: application/json`, as docs/api.md shows";
    Refusal::new(status, why, cure)
}

/// Reads a body of content type JSON within the time limit.
async fn body_of(request: Request) -> Result<Bytes, Refusal> {
    if !is_json(request.headers()) {
        let why = MissingJsonContentType::default();
        return Err(untold(why.status(), why.body_text()));
    }
    let read = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, &())).await;
    let Ok(read) = read else {
        let error = "the body of the request did not arrive in time";
        return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, error, "send the body without delay"));
    };
    read.map_err(|why| untold(why.status(), why.body_text()))
}

fn is_json(headers: &HeaderMap) -> bool {
    let kind = headers.get(header::CONTENT_TYPE).and_then(|kind| kind.to_str().ok());
    let kind: Option<Mime> = kind.and_then(|kind| kind.parse().ok());
    kind.is_some_and(|kind| {
        kind.type_() == mime::APPLICATION
            && (kind.subtype() == mime::JSON || kind.suffix() == Some(mime::JSON))
    })
}
