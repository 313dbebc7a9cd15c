//! Requests with proof certificates, valid and hostile: the server checks a proof, or walks through it move by move.

use rand::RngExt;
use rand::rngs::SmallRng;
use serde_json::json;

/// A valid proof: o holds 3x2 by a pairing strategy.
const RIGHT: &str = "outplay-proof 1\nboard .../... k 3 turn x\nclaim draw\nx holds by stealing\no holds by 0\n\
                     steps 1\n0 pairs a1-b1 a2-b2\nend\n";
/// Steps of a hostile proof with 2^40 paths.
const STEPS: usize = 40;

/// A request with its expected status.
pub(super) struct ProofRequest {
    pub(super) path: &'static str,
    pub(super) body: String,
    pub(super) status: u16,
}

/// A proof in which each split leads twice to the one before.
fn splits(board: &str, parts: &str) -> String {
    let step = |i: usize| format!("{} split | {}\n", i + 1, parts.replace('N', &i.to_string()));
    let steps: String = (0..STEPS).map(step).collect();
    let grounds = format!("claim draw\nx holds by stealing\no holds by {STEPS}\nsteps {}", STEPS + 1);
    format!("outplay-proof 1\nboard {board}\n{grounds}\n0 pairs\n{steps}end\n")
}

/// Returns a proof and the status of a walk through it. One in four is hostile; `found` is one that the server wrote.
fn proof(rng: &mut SmallRng, found: &str) -> (String, u16) {
    match rng.random_range(0..16) {
        // Invalid: two parts with the same cell.
        0 => (splits("... k 3 turn x", "a1>N a1>N"), 400),
        // Valid: parts without lines.
        1 => (splits("... k 4 turn x", "a1>N b1>N"), 200),
        // As many cells as a request body holds.
        2 => (
            RIGHT.replace("pairs a1-b1 a2-b2", &format!("sum {}b2", "a1,a2,b1,b2,c1,c2,".repeat(2_000))),
            200,
        ),
        3 => {
            (splits(&format!("{} k 3 turn x", vec!["...................."; 19].join("/")), "a1>N b1>N"), 400)
        }
        4..8 if !found.is_empty() => (found.to_string(), 200),
        _ => (RIGHT.to_string(), 200),
    }
}

/// A check request; an invalid proof is a regular answer.
pub(super) fn check(rng: &mut SmallRng, found: &str) -> ProofRequest {
    let (proof, _) = proof(rng, found);
    ProofRequest { path: "/api/v1/check", body: json!({ "proof": proof }).to_string(), status: 200 }
}

/// A walk request.
pub(super) fn walk(rng: &mut SmallRng, found: &str) -> ProofRequest {
    let (proof, status) = proof(rng, found);
    let player = if proof.contains("x wins") { "first" } else { "second" };
    let body = json!({ "proof": proof, "player": player, "moves": [] }).to_string();
    ProofRequest { path: "/api/v1/walk", body, status }
}
