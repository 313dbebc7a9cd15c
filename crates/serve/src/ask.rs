//! What a request says, with refusals in the server's own words.

use crate::addresses::Address;
use crate::place::{At, spelled};
use crate::refusal::Refusal;
use crate::router::Shared;
use crate::settings::BODY_TIME;
use axum::Json;
use axum::body::Bytes;
use axum::extract::rejection::MissingJsonContentType;
use axum::extract::{FromRequest, FromRequestParts, Path, Query, Request};
use axum::http::{HeaderMap, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use mime::Mime;
use outplay_answer::Place;
use outplay_door::{Seat, Visitor, Working};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// A request, read as far as its address needs it.
pub(crate) struct Asked {
    pub(crate) shared: Arc<Shared>,
    pub(crate) visitor: Visitor,
    pub(crate) uri: Uri,
    pub(crate) headers: HeaderMap,
    /// What stands for `{id}` in the path.
    pub(crate) id: String,
    /// The part of the address after the question mark.
    query: Vec<(String, String)>,
    body: Bytes,
    /// From when the body is there, the client waits for the server.
    _working: Option<Working>,
}

impl Asked {
    /// Reads a request, or says what is wrong with it.
    pub(crate) async fn read(
        shared: Arc<Shared>,
        address: &Address,
        request: Request,
    ) -> Result<Asked, Box<Response>> {
        // Every connection says whose it is before its first request.
        let visitor = request.extensions().get().copied();
        let visitor = visitor.ok_or(StatusCode::SERVICE_UNAVAILABLE).map_err(instead)?;
        let seat = request.extensions().get::<Arc<Seat>>().cloned();
        let (mut parts, body) = request.into_parts();
        let mut id = String::new();
        if address.has_id() {
            Path(id) = Path::from_request_parts(&mut parts, &()).await.map_err(instead)?;
        }
        // Pairs of texts are in every address.
        let Query(query) = Query::try_from_uri(&parts.uri).unwrap_or_default();
        let (uri, headers) = (parts.uri.clone(), parts.headers.clone());
        let (mut bytes, mut working) = (Bytes::new(), None);
        if address.reads_body() {
            bytes = body_of(Request::from_parts(parts, body)).await.map_err(instead)?;
            working = seat.map(|seat| seat.work());
        }
        Ok(Asked { shared, visitor, uri, headers, id, query, body: bytes, _working: working })
    }

    /// A text of the address, if it is given.
    pub(crate) fn text(&self, name: &str) -> Result<Option<&str>, Refusal> {
        let mut given = self.query.iter().filter(|(known, _)| known == name);
        match (given.next(), given.next()) {
            (_, Some(_)) => Err(unread(format!("duplicate field `{name}`"))),
            (first, None) => Ok(first.map(|(_, text)| text.as_str())),
        }
    }

    /// A text of the address that has to be given.
    pub(crate) fn needed(&self, name: &str) -> Result<&str, Refusal> {
        self.text(name)?.ok_or_else(|| unread(format!("missing field `{name}`")))
    }

    /// The game and the position that the address names.
    pub(crate) fn place(&self) -> Result<(String, Place), Refusal> {
        let text = |name| self.text(name).map(|text| text.unwrap_or_default().to_string());
        let (position, moves) = (text("position")?, text("moves")?);
        let at = At { game: spelled(self.needed("game")?), position, moves };
        let place = at.place()?;
        Ok((at.game, place))
    }

    /// The body, which is JSON.
    pub(crate) fn told<T: DeserializeOwned>(&self) -> Result<T, Refusal> {
        match Json::from_bytes(&self.body) {
            Ok(Json(told)) => Ok(told),
            Err(why) => Err(untold(why.status(), why.body_text())),
        }
    }
}

/// What is said instead of an answer.
fn instead(why: impl IntoResponse) -> Box<Response> {
    Box::new(why.into_response())
}

/// The address does not say what it should.
fn unread(why: String) -> Refusal {
    let cure = "give `game` and what else docs/api.md lists, percent-encoded: `?game=tictactoe`";
    Refusal::bad(format!("Failed to deserialize query string: {why}"), cure)
}

/// The body does not say what it should.
fn untold(status: StatusCode, why: String) -> Refusal {
    let cure = "send a JSON object with `content-type: application/json`, as docs/api.md shows";
    Refusal::new(status, why, cure)
}

/// A body that says that it is JSON and arrives in time.
async fn body_of(request: Request) -> Result<Bytes, Refusal> {
    if !is_json(request.headers()) {
        let why = MissingJsonContentType::default();
        return Err(untold(why.status(), why.body_text()));
    }
    let read = tokio::time::timeout(BODY_TIME, Bytes::from_request(request, &())).await;
    let Ok(read) = read else {
        let error = "the body of the request did not arrive in time";
        return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, error, "send it at once"));
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
