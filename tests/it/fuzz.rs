//! Mutated inputs of every kind that the program reads: no panic, and nothing that was damaged is ever believed.
//!
//! ```text
//! seeds (tests/corpus, and tables and books made on the spot) ──mutation──▶ reader ──▶ an answer or an error
//! ```
//!
//! As a test, each target gets a fixed number of inputs, the same every time. `cargo xtask fuzz --seconds N` gives each
//! that long, with a seed of its own; `OUTPLAY_FUZZ_SEED` repeats a run. docs/trust.md tells what was found.

use crate::serve::Server;

use outplay::answer::{Entry, Place, QueryOptions, SolveRequest};
use outplay::catalog::Catalog;
use outplay::core::{Quiet, Tier};
use outplay::players::Weights;
use outplay_table::{Table, Values};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::fs;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::{Duration, Instant};

/// Inputs of each target in a test.
const TRIALS: u64 = 400;

fn variable(name: &str) -> Option<f64> {
    std::env::var(name).ok()?.parse().ok()
}

/// Numbers and words that readers trip over.
const TOKENS: [&[u8]; 24] = [
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
fn mutate(rng: &mut SmallRng, seed: &[u8], other: &[u8]) -> Vec<u8> {
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
        assert!(read.is_ok(), "{target}: {:?}", input.escape_ascii().to_string());
    };
    for seed in seeds {
        give(seed);
        given += 1;
    }
    while end.map_or(given < TRIALS, |end| Instant::now() < end) {
        let [one, two] = [(); 2].map(|()| &seeds[rng.random_range(0..seeds.len())]);
        give(&mutate(&mut rng, one, two));
        given += 1;
    }
    eprintln!("{target}: {given} inputs");
}

fn lines(text: &str) -> Vec<Vec<u8>> {
    text.lines().map(|line| line.as_bytes().to_vec()).collect()
}

#[test]
fn specs() {
    let catalog = Catalog::standard();
    fuzz("specs", &lines(include_str!("../corpus/specs.txt")), |input| {
        if let Ok(entry) = catalog.open(&String::from_utf8_lossy(input)) {
            // The canonical form is one that opens, and is its own canonical form.
            let again =
                catalog.open(&entry.spec()).unwrap_or_else(|error| panic!("{}: {error}", entry.spec()));
            assert_eq!(again.spec(), entry.spec());
        }
    });
}

/// A game and a text about it, separated by a tab.
fn split(input: &[u8], known: &[(String, Entry)]) -> Option<(Entry, String)> {
    let text = String::from_utf8_lossy(input);
    let (game, rest) = text.split_once('\t')?;
    // Games stay what they are: specs have a target of their own, and some are slow to draw.
    Some((known.iter().find(|(name, _)| name == game)?.1.clone(), rest.to_string()))
}

fn games(seeds: &[Vec<u8>]) -> Vec<(String, Entry)> {
    let catalog = Catalog::standard();
    let names = seeds.iter().filter_map(|seed| Some(std::str::from_utf8(seed).ok()?.split_once('\t')?.0));
    names.map(|name| (name.to_string(), catalog.open(name).unwrap())).collect()
}

#[test]
fn positions() {
    let seeds = lines(include_str!("../corpus/positions.txt"));
    let games = games(&seeds);
    fuzz("positions", &seeds, |input| {
        let Some((entry, text)) = split(input, &games) else { return };
        if let Ok(view) = entry.view(&Place::Position(text)) {
            // What is printed can be pasted back.
            let again = entry.view(&Place::Position(view.position.clone()));
            assert_eq!(again.map(|again| again.position).ok().as_ref(), Some(&view.position));
        }
    });
}

#[test]
fn moves() {
    let seeds = lines(include_str!("../corpus/moves.txt"));
    let games = games(&seeds);
    fuzz("moves", &seeds, |input| {
        let Some((entry, text)) = split(input, &games) else { return };
        let _ = entry.view(&Place::Moves(text));
    });
}

#[test]
fn players() {
    let entry = Catalog::standard().open("connect4:5x4").unwrap();
    let mut options = QueryOptions::default();
    options.memory = 64 << 20;
    let kit = entry.kit(&options);
    fuzz("players", &lines(include_str!("../corpus/players.txt")), |input| {
        let _ = kit.player(&String::from_utf8_lossy(input)).map(|player| player.spec());
    });
}

#[test]
fn proofs() {
    let seeds =
        [include_bytes!("../corpus/proof.txt").to_vec(), include_bytes!("../corpus/proof-draw.txt").to_vec()];
    let limits = outplay::check::Limits { followed: 20_000, bytes: 1 << 20 };
    fuzz("proofs", &seeds, |input| {
        let _ = outplay::check::check_within(&String::from_utf8_lossy(input), &limits);
    });
}

#[test]
fn records() {
    let seeds = [include_bytes!("../corpus/record.jsonl").to_vec()];
    let file = tempfile::NamedTempFile::new().unwrap();
    fuzz("records", &seeds, |input| {
        fs::write(file.path(), input).unwrap();
        let _ = outplay::arena::record::read(file.path());
    });
}

#[test]
fn weights() {
    let full = outplay::players::FeatureSet::named("paper").unwrap().preset().to_file("connect4");
    let seeds = [include_bytes!("../corpus/weights.json").to_vec(), full.into_bytes()];
    fuzz("weights", &seeds, |input| {
        let _ = Weights::from_file("w.json", &String::from_utf8_lossy(input), "connect4");
    });
}

#[test]
fn books() {
    let board = outplay::core::LineBoard { gravity: true, ..outplay::core::LineBoard::empty(4, 4, 4) };
    let book = crate::fuzz::small_book(&board);
    let name = "book";
    let whole = outplay::connect::Book::from_bytes(&book, name).unwrap();
    let known = whole.probe(&board);
    fuzz("books", std::slice::from_ref(&book), |input| {
        if let Ok(found) = outplay::connect::Book::from_bytes(input, name)
            && found.verify().is_ok()
        {
            assert_eq!(found.probe(&board), known, "a damaged book is believed");
        }
    });
}

/// The bytes of a book of the first plies of a small board, made by the command.
fn small_book(board: &outplay::core::LineBoard) -> Vec<u8> {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("b.book");
    let game = format!("connect4:{}x{}", board.width, board.height);
    let words = ["book", "build", &game, "--plies", "3", "--out", file.to_str().unwrap()];
    let output = crate::shell::outplay(dir.path(), &words);
    assert!(output.status.success(), "{}", crate::shell::text(&output.stderr));
    fs::read(file).unwrap()
}

/// A table with one of its files damaged: it is refused, or says what it said before.
fn damaged(target: &str, file: &str) {
    let data = tempfile::tempdir().unwrap();
    let mut request = SolveRequest::default();
    request.store = true;
    request.options.data = Some(data.path().to_path_buf());
    Catalog::standard().open("tictactoe").unwrap().solve(&request, &Quiet).unwrap();
    let read = || -> Option<Vec<Vec<i8>>> {
        let table = Table::open(data.path(), "tictactoe", Values::Distance).ok()?;
        (0..table.identity().slots.len() as u32).map(|tier| table.read_tier(Tier(tier)).ok()).collect()
    };
    let whole = read().expect("reads");
    let path = data.path().join("tictactoe").join(file);
    let seed = fs::read(&path).unwrap();
    fuzz(target, &[seed], |input| {
        fs::write(&path, input).unwrap();
        assert!(read().is_none_or(|found| found == whole), "a damaged table is believed");
    });
}

#[test]
fn tiers() {
    damaged("tiers", "tier-05.opt");
}

#[test]
fn manifests() {
    damaged("manifests", "manifest.json");
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
    fuzz("links", &lines(include_str!("../corpus/links.txt")), |input| {
        let search = serde_json::json!(String::from_utf8_lossy(input));
        let said = page.eval(&format!("{CHECK}({search})")).unwrap_or_else(|error| panic!("{error}"));
        assert_eq!(said, "", "{search}");
    });
}

#[test]
fn requests() {
    let server = Server::start(&["--time", "1"]);
    let seeds =
        [include_bytes!("../corpus/get.http").to_vec(), include_bytes!("../corpus/post.http").to_vec()];
    fuzz("requests", &seeds, |input| {
        let mut stream = TcpStream::connect(server.addr).unwrap();
        stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
        // The server may answer and close before it has read everything; a request that does not end is given up.
        let _ = stream.write_all(input);
        let _ = stream.shutdown(std::net::Shutdown::Write);
        let mut answer = Vec::new();
        let _ = stream.read_to_end(&mut answer);
        let status =
            String::from_utf8_lossy(&answer).split_whitespace().nth(1).and_then(|word| word.parse().ok());
        assert!(status.is_none_or(|status: u16| status < 500 || status == 503), "{status:?}");
    });
    assert_eq!(server.get("/healthz")["status"], "ok");
}
