//! HTTP error responses: a message, a remedy and a status code.

use crate::reply::json;
use axum::http::{HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use outplay_core::InputError;
use outplay_workbench::{Cure, TableError, Trouble};
use serde::Serialize;

/// An error as the client sees it.
#[derive(Debug, Serialize)]
pub(crate) struct Refusal {
    #[serde(skip)]
    pub(crate) status: StatusCode,
    pub(crate) cure: Option<String>,
    pub(crate) error: String,
}

impl Refusal {
    pub(crate) fn new(status: StatusCode, error: impl Into<String>, cure: impl Into<String>) -> Refusal {
        Refusal { status, error: error.into(), cure: Some(cure.into()) }
    }

    /// 400: the request is malformed.
    pub(crate) fn bad(error: impl Into<String>, cure: impl Into<String>) -> Refusal {
        Refusal::new(StatusCode::BAD_REQUEST, error, cure)
    }

    /// 503: too many searches are running.
    pub(crate) fn busy() -> Refusal {
        let error = "busy: this server already runs its maximum number of searches";
        Refusal::new(StatusCode::SERVICE_UNAVAILABLE, error, "retry in a few seconds")
    }

    /// 422: the answer exceeds this server's limits.
    pub(crate) fn beyond(error: impl Into<String>) -> Refusal {
        let cure = "use the command line, which has no such limit: `outplay query GAME`";
        Refusal::new(StatusCode::UNPROCESSABLE_ENTITY, error, cure)
    }
}

impl IntoResponse for Refusal {
    fn into_response(self) -> Response {
        let mut response = json(&self);
        *response.status_mut() = self.status;
        if self.status == StatusCode::SERVICE_UNAVAILABLE {
            response.headers_mut().insert(header::RETRY_AFTER, HeaderValue::from_static("2"));
        }
        response
    }
}

/// Words a cure for clients that have no command line.
fn spelled(cure: Cure) -> String {
    match cure {
        Cure::MoreMemory => {
            "choose a smaller game, query a single position, or restart the server with more memory".into()
        }
        Cure::Use(method) => format!("use the method `{method}`"),
        Cure::Solve { spec, values } => {
            format!("solve {spec} first, with `values` {values}: POST /api/v1/solve starts a solve")
        }
        Cure::SolveOrAsk => {
            "solve the game first (POST /api/v1/solve starts a solve), or choose a player that needs no exact values".into()
        }
        Cure::GivePosition => "add the position to the request".into(),
        Cure::Table(cure) => cure.to_string(),
    }
}

impl From<Trouble> for Refusal {
    fn from(trouble: Trouble) -> Refusal {
        let cure = trouble.cure().map(spelled);
        let status = match &trouble {
            Trouble::Table(TableError::NoTable { .. }) => StatusCode::NOT_FOUND,
            _ if trouble.is_input() => StatusCode::BAD_REQUEST,
            Trouble::Search(_) if trouble.is_stop() => {
                return Refusal::beyond("the search reached the time limit of this server; reduce the depth");
            }
            _ if trouble.is_stop() => {
                return Refusal::beyond("the request reached the time limit of this server");
            }
            // A damaged or unreadable table is the server's fault; everything else exceeded its limits.
            Trouble::Table(_) | Trouble::Book(_) | Trouble::Probe(_) => StatusCode::INTERNAL_SERVER_ERROR,
            _ => StatusCode::UNPROCESSABLE_ENTITY,
        };
        Refusal { status, error: trouble.to_string(), cure }
    }
}

impl From<InputError> for Refusal {
    fn from(error: InputError) -> Refusal {
        Trouble::from(error).into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_workbench::{Method, Values};

    #[test]
    fn cures_name_no_flags() {
        let solve = Cure::Solve { spec: "chess:KQK".into(), values: Values::Distance };
        for cure in [Cure::MoreMemory, Cure::Use(Method::Search), solve, Cure::SolveOrAsk] {
            let words = spelled(cure);
            assert!(!words.contains("--"), "{words}");
        }
        let refusal = Refusal::from(Trouble::Memory { needed: 3 << 30, allowed: 1 << 30 });
        assert_eq!(refusal.status, StatusCode::BAD_REQUEST);
        assert!(refusal.cure.is_some_and(|cure| cure.contains("more memory")));
        assert_eq!(Refusal::from(Trouble::stopped()).status, StatusCode::UNPROCESSABLE_ENTITY);
    }
}
