//! Solves in the background: who keeps them going, and what ends them.

use crate::serve::{Server, ask};
use serde_json::{Value, json};

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

/// A solve that has had its time slice ends when another visitor waits, and that visitor's solve begins.
#[test]
fn a_solve_gives_its_place_to_a_visitor_who_waits() {
    let server = Server::start(&["--proxy", "127.0.0.1", "--solve-slice", "1"]);
    let solve = |visitor: &str, game: &str, save: bool| {
        let headers = format!("host: localhost\r\nx-forwarded-for: {visitor}");
        let body = json!({ "game": game, "method": "sweep", "save": save }).to_string();
        let (status, _, answer) = ask(server.addr, &headers, "POST", "/api/v1/solve", Some(&body)).unwrap();
        (status, serde_json::from_str::<Value>(&answer).unwrap())
    };
    // Far beyond what is solved in the time of this test.
    let (status, long) = solve("10.0.0.1", "connect4:5x5", false);
    assert_eq!(status, 202, "{long}");
    assert_eq!(solve("10.0.0.1", "tictactoe", false).0, 503, "one of an address");
    let (status, short) = solve("10.0.0.2", "tictactoe", false);
    assert_eq!((status, &short["state"]), (202, &json!("waiting")), "{short}");
    let done = server.job(&short["id"]);
    assert_eq!(done["state"], "done", "{done}");
    let ended = server.job(&long["id"]);
    assert_eq!(ended["state"], "cancelled", "{ended}");
    assert!(ended["error"].as_str().unwrap().contains("another visitor was waiting"), "{ended}");
    assert!(ended["cure"].as_str().unwrap().contains("ask for it again"), "{ended}");
}
