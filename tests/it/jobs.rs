//! Solves in the background: who keeps them going, and what ends them.

use crate::serve::Server;
use serde_json::json;

/// A job that does not stay goes on while anybody listens, and ends with the last who does.
#[test]
fn a_solve_ends_with_the_last_of_its_listeners() {
    let server = Server::start(&[]);
    let long = |stay: bool| {
        // Far beyond what is solved in the time of this test.
        let (status, job) = server.post(
            "/api/v1/solve",
            &json!({ "game": "connect4:5x5", "method": "sweep", "save": false, "stay": stay }),
        );
        assert_eq!(status, 202, "{job}");
        job["id"].clone()
    };
    let id = long(false);
    let path = format!("/api/v1/solve/{id}/stream");
    let (mut one, mut other) = (server.listen(&path), server.listen(&path));
    assert_eq!((one.next().as_deref(), other.next().as_deref()), (Some("progress"), Some("progress")));
    drop(one);
    for _ in 0..4 {
        assert_eq!(other.next().as_deref(), Some("progress"), "it ended with the first who left");
    }
    drop(other);
    assert_eq!(server.job(&id)["state"], "cancelled");

    let id = long(true);
    let path = format!("/api/v1/solve/{id}/stream");
    let mut one = server.listen(&path);
    assert_eq!(one.next().as_deref(), Some("progress"));
    drop(one);
    let mut other = server.listen(&path);
    for _ in 0..4 {
        assert_eq!(other.next().as_deref(), Some("progress"), "it was told to stay");
    }
    assert_eq!(server.ask("DELETE", &format!("/api/v1/solve/{id}"), None).0, 200);
    assert_eq!(server.job(&id)["state"], "cancelled");
}
