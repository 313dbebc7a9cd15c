//! Forged proofs and walks: no falsehood is accepted, both checkers agree, and a walk follows only what was checked.

use super::Job;
use super::inputs::in_process;

const TARGETS: [(&str, usize); 2] = [("proofs", 8000), ("walks", 4000)];

pub(crate) fn jobs() -> Vec<Job> {
    in_process(&TARGETS, "forged steps, boards and claims")
}
