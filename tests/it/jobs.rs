//! Lifetime of background solve jobs: clients that keep them alive, and events that end them.

use crate::serve::{Server, ask};
use serde_json::{Value, json};

/// Plain minimax visits every one of some 10^25 games of this board, so no machine finishes it during a test.
const ENDLESS: &str = "mnk:5x5,k=5";

/// A job without `stay` runs while at least one stream is open and is cancelled when the last one closes.
#[test]
fn a_solve_ends_with_the_last_of_its_listeners() {
    let server = Server::start(&[]);
    let long = |stay: bool| {
        let body = json!({ "game": ENDLESS, "method": "plain", "save": false, "stay": stay });
        let (status, job) = server.post("/api/v1/solve", &body);
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
    let solve = |visitor: &str, game: &str| {
        let headers = format!("host: localhost\r\nx-forwarded-for: {visitor}");
        let body = json!({ "game": game, "method": "plain", "save": false }).to_string();
        let (status, _, answer) = ask(server.addr, &headers, "POST", "/api/v1/solve", Some(&body)).unwrap();
        (status, serde_json::from_str::<Value>(&answer).unwrap())
    };
    let (status, long) = solve("10.0.0.1", ENDLESS);
    assert_eq!(status, 202, "{long}");
    assert_eq!(solve("10.0.0.1", "tictactoe").0, 503, "one of an address");
    let (status, short) = solve("10.0.0.2", "tictactoe");
    assert_eq!((status, &short["state"]), (202, &json!("waiting")), "{short}");
    let done = server.job(&short["id"]);
    assert_eq!(done["state"], "done", "{done}");
    let ended = server.job(&long["id"]);
    assert_eq!(ended["state"], "cancelled", "{ended}");
    assert!(ended["error"].as_str().unwrap().contains("another visitor was waiting"), "{ended}");
    assert!(ended["cure"].as_str().unwrap().contains("repeat the request"), "{ended}");
}
