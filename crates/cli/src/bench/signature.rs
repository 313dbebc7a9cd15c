//! `outplay bench signature`: the number of nodes of fixed searches, a bench signature as in Stockfish.
//!
//! The signature depends neither on the machine nor on its load and changes only when a search changes. After an
//! intended change, update the number in the test that compares it.

use crate::commands::{Failure, Run};
use crate::output::BOLD;
use outplay_core::figures::grouped;
use outplay_workbench::{Method, PositionRef, SolveRequest};
use std::io::Write;

/// Game, method and moves to a position that is searched quickly.
const SEARCHES: [(&str, Method, &str); 9] = [
    ("connect4", Method::Search, "44444432"),
    ("connect4", Method::Search, "4432157"),
    ("connect4:6x5", Method::Search, "34"),
    ("connect:6x5,k=5", Method::Search, "3344"),
    ("mnk:6x6,k=4", Method::Proof, ""),
    ("mnk:7x7,k=5", Method::Proof, "d4,c3"),
    ("mnk:5x5,k=4", Method::Proof, "c3"),
    ("nim:5+6+7", Method::Memo, ""),
    ("mnk:4x4,k=4,misere", Method::Search, "a1,b2,c4,d3"),
];

pub(crate) fn signature(run: &mut Run<'_, impl Write>) -> Result<u8, Failure> {
    let mut rows = Vec::new();
    for (game, method, moves) in SEARCHES {
        let entry = run.open(game)?;
        let mut request = SolveRequest::default();
        let session = run.session(None).on_threads(1).off_disk().impartial();
        let session = session.with(|session| session.hash = 64 << 20);
        (request.method, request.place) = (method, PositionRef::Moves(moves.into()));
        let answer = outplay_workbench::solve(&session, &entry, &request, run.progress)?;
        let value = answer.answer.verdict();
        rows.push(serde_json::json!({
            "game": entry.spec(), "method": method.word(), "moves": moves, "value": value, "nodes": answer.nodes,
        }));
    }
    let signature: u64 = rows.iter().filter_map(|row| row["nodes"].as_u64()).sum();
    let report = serde_json::json!({ "signature": signature, "rows": rows });
    run.print(&report, |out, _| {
        for row in &rows {
            let word = |name: &str| row[name].as_str().unwrap_or_default().to_string();
            let nodes = grouped(row["nodes"].as_u64().unwrap_or(0));
            writeln!(
                out,
                "{:<20} {:<7} {:<12} {:<8} {nodes:>12}",
                word("game"),
                word("method"),
                word("moves"),
                word("value")
            )?;
        }
        writeln!(out, "{BOLD}signature {signature}{BOLD:#}")
    })
}
