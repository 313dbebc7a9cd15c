//! Proofs: two independent checkers return the same verdict, and every accepted claim is true.

use super::{Reader, file, text};
use outplay::check::{CheckLimits, check_within};
use outplay::core::{Content, LineBoard, Verdict};
use std::collections::HashMap;
use std::io::Write;
use std::process::{Command, Stdio};
use xxhash_rust::xxh3::xxh3_64;

/// Proofs that the second checker gets at once: starting it takes longer than most of them.
const AT_ONCE: usize = 100;
/// Of the proofs that are none, the second checker gets one in so many.
const REFUSED: u64 = 50;
/// Boards with so many empty cells are played out.
const PLAYED_OUT: usize = 9;

pub(super) fn proofs(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let limits = CheckLimits { followed: 20_000, bytes: 1 << 20 };
    let mut second = Second { waiting: Vec::new(), missing: false };
    let mut known = HashMap::new();
    let read = move |input: &[u8]| {
        let text = text(input);
        let found = check_within(&text, &limits);
        if let Ok(claim) = &found
            && claim.board.open_cells().len() <= PLAYED_OUT
            && ![Content::First, Content::Second].into_iter().any(|player| claim.board.has_line(player))
        {
            let worth = played_out(&claim.board, &mut known);
            assert_eq!(claim.verdict, worth, "a falsehood is proven: {text}");
        }
        let word = match &found {
            Ok(claim) => claim.verdict.word(),
            Err(error) if error.is_undecided() => return true,
            Err(_) => "no",
        };
        // Some thousand refusals a second would be too much for it.
        if blind || word != "no" || xxh3_64(input).is_multiple_of(REFUSED) {
            second.hear(text, word);
        }
        true
    };
    let seeds =
        ["proof.txt", "proof-draw.txt", "proof-win.txt", "proof-loss.txt", "proof-pairs.txt"].map(file);
    let mut seeds = seeds.to_vec();
    // What is white space to some languages is none to others.
    for (from, to) in
        [(" ", "\t"), (" ", "\u{1d}"), (" ", "\u{b}"), (" ", "\u{a0}"), ("\n", "\r\n"), ("\n", "\r")]
    {
        seeds.push(text(&file("proof-win.txt")).replace(from, to).into_bytes());
    }
    (seeds, Box::new(read))
}

/// The value for the player to move, by plain minimax.
fn played_out(board: &LineBoard, known: &mut HashMap<LineBoard, Verdict>) -> Verdict {
    if let Some(&verdict) = known.get(board) {
        return verdict;
    }
    // What was found about other boards is not worth much memory.
    if known.len() > 200_000 {
        known.clear();
    }
    let mover = board.mover();
    let wins = board.open_cells().into_iter().any(|cell| board.completes(cell, mover));
    let best = board.open_cells().into_iter().map(|cell| match played_out(&board.after(cell), known) {
        Verdict::Win => Verdict::Loss,
        Verdict::Draw => Verdict::Draw,
        Verdict::Loss => Verdict::Win,
    });
    let verdict = if wins { Verdict::Win } else { best.max().unwrap_or(Verdict::Draw) };
    known.insert(board.clone(), verdict);
    verdict
}

/// What waits for `tests/second/proof.py`, with what the first checker said.
struct Second {
    waiting: Vec<(String, &'static str)>,
    missing: bool,
}

impl Second {
    fn hear(&mut self, text: String, word: &'static str) {
        const BETWEEN: &str = "====\n";
        // One that ends without an end of line would become one with what follows.
        if text.is_empty() || text.contains(BETWEEN.trim_end()) {
            return;
        }
        self.waiting.push((text + "\n", word));
        if self.waiting.len() >= AT_ONCE {
            self.ask();
        }
    }

    fn ask(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        if self.missing || waiting.is_empty() {
            return;
        }
        let program = super::corpus().join("../second/proof.py");
        let mut command = Command::new("python3");
        command.arg("-B").arg(program).arg("-").stdin(Stdio::piped()).stdout(Stdio::piped());
        let Ok(mut child) = command.spawn() else {
            eprintln!("left out: there is no python3");
            self.missing = true;
            return;
        };
        let texts: Vec<&str> = waiting.iter().map(|(text, _)| text.as_str()).collect();
        // It reads everything before it answers.
        let given = child.stdin.take().unwrap().write_all(texts.join("====\n").as_bytes());
        let output = child.wait_with_output().unwrap();
        assert!(given.is_ok() && output.status.success(), "the second checker failed on one of {texts:?}");
        let answers = String::from_utf8(output.stdout).unwrap();
        assert_eq!(answers.lines().count(), waiting.len());
        for ((text, word), answer) in waiting.iter().zip(answers.lines()) {
            assert_eq!(*word, answer, "the checkers do not agree on {text:?}");
        }
    }
}

impl Drop for Second {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            self.ask();
        }
    }
}
