//! Mutated proofs: a proof that still passes claims the true value.

use crate::plain;

use outplay_core::{Content, LineBoard, Turn, Verdict};
use outplay_proof::{ProofLimits, prove};
use outplay_runtime::NoMonitor;
use plain::{minimax, random_board};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{RngExt, SeedableRng};

pub(crate) fn proof_of(board: &LineBoard) -> (Verdict, String) {
    let limits = ProofLimits { proof: true, ..ProofLimits::default() };
    let answer = prove(board, &limits, &NoMonitor).expect("an ordinary board");
    (answer.verdict().expect("no limit"), answer.proof.expect("a proof was asked for").to_string())
}

/// Mutates a word of a proof: a cell, a step or a claim.
pub(crate) fn change(rng: &mut StdRng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_string).collect();
    let at = rng.random_range(1..lines.len() - 1);
    let mut words: Vec<String> = lines[at].split(' ').map(str::to_string).collect();
    let word = rng.random_range(0..words.len());
    match rng.random_range(0..5) {
        // A word deleted: a reply, a pair, a move.
        0 => {
            words.remove(word);
        }
        // A word of another line.
        1 => {
            let other: Vec<&str> =
                text.lines().nth(rng.random_range(1..lines.len())).expect("a line").split(' ').collect();
            words[word] = other.choose(rng).expect("a word").to_string();
        }
        // Another letter or digit: another cell, step, symmetry or player.
        _ => {
            let mut bytes = words[word].clone().into_bytes();
            if bytes.is_empty() {
                return text.to_string();
            }
            let place = rng.random_range(0..bytes.len());
            bytes[place] = *b"abcdef123456789xo.#,>~-".choose(rng).expect("a letter");
            words[word] = String::from_utf8(bytes).expect("ascii");
        }
    }
    lines[at] = words.join(" ");
    lines.join("\n") + "\n"
}

#[test]
fn a_mutated_proof_never_proves_a_wrong_value() {
    let mut rng = StdRng::seed_from_u64(11);
    let (mut passed, mut failed, mut other_board) = (0, 0, 0);
    for _ in 0..150 {
        let board = random_board(&mut rng, 7);
        let (_, proof) = proof_of(&board);
        for _ in 0..40 {
            let mut damaged = change(&mut rng, &proof);
            if rng.random_bool(0.5) {
                damaged = change(&mut rng, &damaged);
            }
            match outplay_check::check(&damaged) {
                Err(_) => failed += 1,
                Ok(claim) => {
                    passed += 1;
                    other_board += usize::from(claim.board != board);
                    assert_eq!(claim.verdict, minimax(&claim.board), "{proof}\n{damaged}");
                }
            }
        }
    }
    // The test is meaningful only if both happen, and if proofs of other boards passed.
    assert!(passed > 50 && failed > 1000 && other_board > 5, "{passed} {failed} {other_board}");
}

#[test]
fn a_losing_move_in_place_of_a_winning_one_fails() {
    let mut rng = StdRng::seed_from_u64(12);
    let mut tried = 0;
    while tried < 100 {
        // A few stones on a board that is a win when empty: wins that need a quiet move are common.
        let mut board = LineBoard::empty(4, 3, 3);
        for i in 0..rng.random_range(2..5) {
            let cell = rng.random_range(0..board.cells.len());
            board.cells[cell] = if i % 2 == 0 { Content::First } else { Content::Second };
        }
        let (verdict, proof) = proof_of(&board);
        // The last step of a win is the first move of the winner.
        let Some(last) = proof.lines().rev().nth(1).filter(|line| line.contains(" plays ")) else {
            continue;
        };
        if verdict != Verdict::Win {
            continue;
        }
        let (head, link) = last.split_once('>').expect("a link");
        let head = head.rsplit_once(' ').expect("a cell").0;
        for cell in board.open_cells() {
            let mut after = board.clone();
            after.cells[cell] = Content::First;
            after.turn = Turn::Second;
            if minimax(&after) == Verdict::Loss {
                continue;
            }
            let name = outplay_core::cell_name(cell / board.height, cell % board.height);
            let wrong = proof.replace(last, &format!("{head} {name}>{link}"));
            assert!(outplay_check::check(&wrong).is_err(), "{wrong}");
            tried += 1;
        }
    }
}

#[test]
fn a_reply_left_out_fails() {
    let (verdict, proof) = proof_of(&LineBoard::empty(4, 3, 3));
    assert_eq!(verdict, Verdict::Win);
    let replies =
        proof.lines().find(|line| line.contains(" replies ") && line.contains("else>")).expect("replies");
    // Without `else` the replies it stands for are not covered.
    let (head, _) = replies.rsplit_once(' ').expect("several words");
    let error = outplay_check::check(&proof.replace(replies, head)).expect_err("a reply is missing");
    assert!(error.to_string().contains("there is no reply to"), "{error}");

    for (width, height, k) in [(3, 3, 3), (5, 4, 4), (6, 6, 5)] {
        let (_, proof) = proof_of(&LineBoard::empty(width, height, k));
        let mut tried = 0;
        for (number, line) in proof.lines().enumerate().filter(|(_, line)| line.contains(" blocks ")) {
            // The cells of one arm stay in the zone but lose their answer.
            let words: Vec<&str> = line.split(' ').collect();
            let (cells, _) = words[2].split_once('>').expect("an arm");
            let arm = format!("+{cells}");
            let wrong: Vec<String> = proof
                .lines()
                .enumerate()
                .map(|(at, line)| if at == number { line.replace(words[2], &arm) } else { line.to_string() })
                .collect();
            let error = outplay_check::check(&(wrong.join("\n") + "\n")).expect_err("a move is missing");
            assert!(error.to_string().contains("there is no continuation"), "{error}");
            tried += 1;
        }
        assert!(tried > 0);
    }
}
