//! Mutated inputs of every kind that the program reads: no panic, and no damaged input is accepted.
//!
//! ```text
//! seeds (tests/corpus, and tables and books made on the spot) ──mutation──▶ reader ──▶ an answer or an error
//! ```
//!
//! Readers and seeds are those of `tests/fuzz`, which libFuzzer gets, too. As a test, each target gets its seeds and a fixed
//! number of mutations, the same every time. `cargo xtask fuzz --seconds N` gives each N seconds and a seed of its own;
//! `OUTPLAY_FUZZ_SEED` repeats a run. docs/trust.md lists the findings.

#[path = "../fuzz/mod.rs"]
pub(crate) mod targets;

use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};
use targets::{TARGETS, kept};

/// Mutations for each target in a test.
const TRIALS: u64 = 400;

pub(crate) fn variable(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Numbers and words that readers trip over.
pub(crate) const TOKENS: [&[u8]; 24] = [
    b"0",
    b"-1",
    b"1",
    b"65536",
    b"4294967296",
    b"18446744073709551615",
    b"18446744073709551616",
    b"1e308",
    b"nan",
    b"\0",
    b"\xff",
    b"\xf0\x9f\x82\xa1",
    b"\x1b[2J",
    b",",
    b":",
    b"=",
    b"+",
    b"/",
    b"x",
    b"\"",
    b"{",
    b"]",
    b"\r\n",
    b"  ",
];

/// Changes an input in a few places.
pub(crate) fn mutate(rng: &mut SmallRng, seed: &[u8], other: &[u8]) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..5) {
        let at = rng.random_range(0..=bytes.len());
        let end = (at + (1usize << rng.random_range(0..6))).min(bytes.len());
        match rng.random_range(0..8) {
            0 if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            1 if at < bytes.len() => bytes[at] = rng.random(),
            2 => drop(bytes.drain(at..end)),
            3 => {
                let again = bytes[at..end].to_vec();
                drop(bytes.splice(at..at, again));
            }
            4 => {
                let from = rng.random_range(0..=other.len());
                let to = (from + (1usize << rng.random_range(0..6))).min(other.len());
                drop(bytes.splice(at..end, other[from..to].iter().copied()));
            }
            5 => bytes.truncate(at),
            _ => drop(bytes.splice(at..at, TOKENS[rng.random_range(0..TOKENS.len())].iter().copied())),
        }
        bytes.truncate(1 << 16);
    }
    bytes
}

/// Gives a reader seeds and then mutations of them; says how many.
fn fuzz(target: &str, seeds: &[Vec<u8>], mut read: impl FnMut(&[u8])) {
    let seconds = variable("OUTPLAY_FUZZ_SECONDS");
    let mut rng = SmallRng::seed_from_u64(variable("OUTPLAY_FUZZ_SEED").unwrap_or(1.0) as u64);
    let end = seconds.map(|seconds| Instant::now() + Duration::from_secs_f64(seconds));
    let mut given = 0;
    let mut give = |input: &[u8]| {
        let read = catch_unwind(AssertUnwindSafe(|| read(input)));
        assert!(read.is_ok(), "{target}: {}", input.escape_ascii());
    };
    seeds.iter().for_each(|seed| give(seed));
    while end.map_or(given < TRIALS, |end| Instant::now() < end) {
        let [one, two] = [(); 2].map(|()| &seeds[rng.random_range(0..seeds.len())]);
        give(&mutate(&mut rng, one, two));
        given += 1;
    }
    eprintln!("{target}: {} seeds, {given} mutations", seeds.len());
}

/// Mutations for a target of `tests/fuzz`.
fn check(target: &str) {
    let (name, make) = TARGETS.iter().find(|(name, _)| *name == target).expect("a target");
    let (mut seeds, mut read) = make(true);
    seeds.extend(kept(name));
    fuzz(name, &seeds, |input| {
        read(input);
    });
}

/// A test for each target, and no target without one.
macro_rules! tests {
    ($($test:ident: $target:literal),* $(,)?) => {
        $(#[test]
        fn $test() {
            check($target);
        })*

        #[test]
        fn every_target_has_a_test() {
            let names: Vec<&str> = TARGETS.iter().map(|(name, _)| *name).collect();
            assert_eq!(names, [$($target),*]);
        }
    };
}

tests! {
    specs: "specs",
    positions: "positions",
    moves: "moves",
    players: "players",
    tiers: "tiers",
    manifests: "manifests",
    proofs: "proofs",
    books: "books",
    records: "records",
    psq: "psq",
    weights: "weights",
    requests: "requests",
    ugi: "ugi",
    gomocup: "gomocup",
    ugi_engines: "ugi-engines",
    gomocup_engines: "gomocup-engines",
    walks: "walks",
    kept_results: "kept",
    partials: "partials",
    labels: "labels",
    checkpoints: "checkpoints",
    slabs: "slabs",
    sums: "sums",
    openings: "openings",
}

/// The page's own reader of addresses, in the browser: it never throws, what it writes reads back as the same, and the
/// command that it offers is one that a shell takes apart into the words that were meant.
#[test]
fn links() {
    const CHECK: &str = r#"(async (search) => {
        const { read, write, command } = await import("/link.js");
        const state = read(search);
        const link = write(state);
        if (write(read(link)) !== link) return `${link} becomes ${write(read(link))}`;
        const words = [];
        let word = null;
        const text = command(state, state.moves);
        for (let i = 0; i < text.length; i++) {
            if (text[i] === " ") {
                if (word !== null) words.push(word);
                word = null;
            } else if (text[i] === "'") {
                const end = text.indexOf("'", i + 1);
                if (end < 0) return `a quote stays open: ${text}`;
                word = (word ?? "") + text.slice(i + 1, end);
                i = end;
            } else if (text[i] === "\\") {
                word = (word ?? "") + text[++i];
            } else if (/[\w:=,.+-]/.test(text[i])) {
                word = (word ?? "") + text[i];
            } else return `${text[i]} stands open: ${text}`;
        }
        if (word !== null) words.push(word);
        const meant = ["outplay", "query", state.game];
        if (state.position) meant.push("--position", state.position);
        if (state.moves.length) meant.push("--moves", state.moves.join(","));
        return JSON.stringify(words) === JSON.stringify(meant) ? "" : `${text} is not ${meant}`;
    })"#;
    let Some(stage) = crate::stage::Stage::set() else { return };
    let mut page = stage.open("?game=tictactoe");
    let seeds: Vec<Vec<u8>> =
        include_str!("../corpus/links.txt").lines().map(|line| line.as_bytes().to_vec()).collect();
    fuzz("links", &seeds, |input| {
        let search = serde_json::json!(String::from_utf8_lossy(input));
        let said = page.eval(&format!("{CHECK}({search})")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(said, "", "{search}");
    });
}
