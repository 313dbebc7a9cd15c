//! `outplay bench signature`: positions that fixed searches enter.
//!
//! The number changes only when a search behaves differently, on any machine and however busy it is. Whoever changes one
//! on purpose writes the new number into the test that compares it.

use crate::commands::{Failure, Run};
use crate::output::BOLD;
use outplay_answer::{Method, Place};
use outplay_core::figures::grouped;
use std::io::Write;

/// A game, a method, and moves that lead to a position that is searched in a moment.
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

impl<W: Write> Run<'_, W> {
    pub(crate) fn signature(&mut self) -> Result<u8, Failure> {
        let mut rows = Vec::new();
        for (game, method, moves) in SEARCHES {
            let entry = self.open(game)?;
            let mut request = self.request(None);
            request.options = request.options.on_threads(1).impartial();
            (request.options.hash, request.options.data) = (64 << 20, None);
            (request.method, request.place) = (method, Place::Moves(moves.into()));
            let answer = entry.solve(&request, self.progress)?;
            let value = answer.answer.verdict();
            rows.push(serde_json::json!({
                "game": entry.spec(), "method": method.word(), "moves": moves, "value": value, "nodes": answer.nodes,
            }));
        }
        let signature: u64 = rows.iter().filter_map(|row| row["nodes"].as_u64()).sum();
        let report = serde_json::json!({ "signature": signature, "rows": rows });
        self.print(&report, |out, _| {
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
}
