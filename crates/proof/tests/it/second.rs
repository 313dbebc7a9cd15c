//! A second checker, `tests/second/proof.py`, written from docs/proof-format.md alone, reads the same proofs,
//! valid and mutated ones, and must return the same verdicts.

use crate::mutations::{change, proof_of};
use crate::plain::random_board;
use rand::rngs::StdRng;
use rand::{RngExt, SeedableRng};
use std::io::Write;
use std::process::{Command, Stdio};

/// Verdicts of the second checker for each text; `None` without Python.
fn second(texts: &[String]) -> Option<Vec<String>> {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second/proof.py");
    let child =
        Command::new("python3").args([program, "-"]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let Ok(mut child) = child else {
        eprintln!("left out: there is no python3");
        return None;
    };
    // It reads all input before it answers.
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

/// A number in the text allocates nothing: k cells are listed only where the board has them.
#[test]
#[cfg(unix)]
fn a_huge_k_takes_no_memory() {
    let program = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/second/proof.py");
    // 500 MB of address space, 1 % of what a list of that length would take.
    let limited = format!("ulimit -v 500000; exec python3 '{program}' -");
    let child =
        Command::new("sh").args(["-c", &limited]).stdin(Stdio::piped()).stdout(Stdio::piped()).spawn();
    let mut child = child.expect("a shell");
    let claim = "claim draw\nx holds by stealing\no holds by 0\nsteps 1\n0 pairs\nend\n";
    let text = format!("outplay-proof 1\nboard .../... k 999999999 turn x\n{claim}");
    child.stdin.take().expect("a pipe").write_all(text.as_bytes()).expect("Python reads");
    let output = child.wait_with_output().expect("Python answers");
    if output.status.code() == Some(127) {
        eprintln!("left out: there is no python3");
        return;
    }
    assert_eq!(String::from_utf8_lossy(&output.stdout).trim(), first(&text), "{output:?}");
    assert_eq!(first(&text), "draw");
}
