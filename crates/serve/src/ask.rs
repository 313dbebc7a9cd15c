//! What a request says, with refusals in the server's own words.

use crate::refusal::Refusal;
use axum::Json;
use axum::extract::{FromRequest, FromRequestParts, Query, Request};
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

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

/// A JSON body.
pub(crate) struct Told<T>(pub(crate) T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Told<T> {
    type Rejection = Refusal;

    async fn from_request(request: Request, state: &S) -> Result<Told<T>, Refusal> {
        let cure = "send a JSON object with `content-type: application/json`, as docs/api.md shows";
        match Json::<T>::from_request(request, state).await {
            Ok(Json(told)) => Ok(Told(told)),
            Err(why) => Err(Refusal::new(why.status(), why.body_text(), cure)),
        }
    }
}
