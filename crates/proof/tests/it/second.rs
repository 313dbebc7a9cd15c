//! A second opinion: `tests/second/proof.py`, written from docs/proof-format.md alone, reads the same proofs, right and
//! damaged ones, and must say the same of each.

use crate::mutations::{change, proof_of};
use crate::plain::random_board;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::io::Write;
use std::process::{Command, Stdio};

/// What the second checker says of each text; none where there is no Python.
fn second(texts: &[String]) -> Option<Vec<String>> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second/proof.py");
    let child =
        Command::new("python3").args([program, "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("left out: there is no python3");
        return None;
    };
    // It reads everything before it answers.
    child.stdin.take()?.write_all(texts.join("====\n").as_bytes()).expect("Python reads");
    let output = child.wait_with_output().expect("Python answers");
    assert!(output.status.success());
    Some(String::from_utf8(output.stdout).expect("words").lines().map(str::to_string).collect())
}

fn first(text: &str) -> String {
    outplay_check::check(text).map_or("no".to_string(), |claim| claim.verdict.word().to_string())
}

#[test]
fn two_checkers_agree() {
    let trials: usize =
        std::env::var("OUTPLAY_TRIALS").ok().and_then(|text| text.parse().ok()).unwrap_or(1_500);
    let mut rng = StdRng::seed_from_u64(77);
    let mut texts = Vec::new();
    while texts.len() < trials {
        let (_, proof) = proof_of(&random_board(&mut rng, 8));
        for _ in 0..9 {
            let mut damaged = change(&mut rng, &proof);
            if rng.random_bool(0.3) {
                damaged = change(&mut rng, &damaged);
            }
            texts.push(damaged);
        }
        texts.push(proof);
    }
    let Some(answers) = second(&texts) else { return };
    assert_eq!(answers.len(), texts.len());
    let mut held = 0;
    for (text, answer) in texts.iter().zip(&answers) {
        assert_eq!(&first(text), answer, "{text}");
        held += usize::from(answer != "no");
    }
    assert!(held > trials / 12 && held < trials / 2, "{held} of {trials}");
}
