//! What a request says, with refusals in the server's own words.

use crate::refusal::Refusal;
use crate::settings::BODY_TIME;
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::StatusCode;
use axum::http::request::Parts;
use outplay_door::{Seat, Working};
use serde::de::DeserializeOwned;
use std::sync::Arc;

/// The part of the address after the question mark.
pub(crate) struct Asked<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequestParts<S> for Asked<T> {
    type Rejection = Refusal;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Asked<T>, Refusal> {
        let cure = "give `game` and what else docs/api.md lists, percent-encoded: `?game=tictactoe`";
        match Query::<T>::from_request_parts(parts, state).await {
            Ok(Query(asked)) => Ok(Asked(asked)),
            Err(why) => Err(Refusal::new(why.status(), why.body_text(), cure)),
        }
    }
}

/// A JSON body that arrived in time; from then on the client waits for the server.
pub(crate) struct Told<T>(pub(crate) T, pub(crate) Option<Working>);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Told<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Told<T>, Refusal> {
        let cure = "send a JSON object with `content-type: application/json`, as docs/api.md shows";
        let seat = request.extensions().get::<Arc<Seat>>().cloned();
        let read = tokio::time::timeout(BODY_TIME, Json::<T>::from_request(request, state)).await;
        let Ok(read) = read else {
            let error = "the body of the request did not arrive in time";
            return Err(Refusal::new(StatusCode::REQUEST_TIMEOUT, error, "send it at once"));
        };
        match read {
            Ok(Json(told)) => Ok(Told(told, seat.map(|seat| seat.work()))),
            Err(why) => Err(Refusal::new(why.status(), why.body_text(), cure)),
        }
    }
}
