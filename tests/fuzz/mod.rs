//! Fuzz targets: for each kind of input its reader, its seeds, and the property that must hold for any bytes.
//!
//! ```text
//!  tests/it/fuzz.rs   mutations at random, in every run of the tests and by `cargo xtask fuzz`
//!  fuzz/              libFuzzer, which looks for inputs that reach new code: `cargo xtask fuzz --guided`
//! ```
//!
//! Seeds are in tests/corpus: one seed per file, or one per line, depending on the target. `tests/corpus/guided` has
//! inputs that libFuzzer found to reach new code and inputs that once failed, one per line, escaped.

mod files;
pub(crate) mod mend;
mod proofs;
mod protocols;
mod requests;

use outplay::catalog::Catalog;
use outplay::core::{LineBoard, Tier};
use outplay::players::{FeatureSet, Weights};
use outplay::runtime::NoMonitor;
use outplay::table::{Table, Values};
use outplay::workbench::{GameHandle, PositionRef, Session, SolveRequest};
use std::fs;
use std::path::PathBuf;

/// Reads an input, and says whether it was about anything.
pub(crate) type Reader = Box<dyn FnMut(&[u8]) -> bool>;

/// Makes seeds and a reader. Whether mutations are blind: then none can have the right checksum, so nothing that was
/// damaged may be believed; a search that sees what is compared could forge one.
pub(crate) type Make = fn(blind: bool) -> (Vec<Vec<u8>>, Reader);

/// All targets.
pub(crate) const TARGETS: &[(&str, Make)] = &[
    ("specs", specs),
    ("positions", positions),
    ("moves", moves),
    ("players", players),
    ("tiers", tiers),
    ("manifests", manifests),
    ("proofs", proofs::proofs),
    ("books", books),
    ("records", records),
    ("psq", psq),
    ("weights", weights),
    ("requests", requests::requests),
    ("ugi", protocols::ugi),
    ("gomocup", protocols::gomocup),
    ("ugi-engines", protocols::ugi_engines),
    ("gomocup-engines", protocols::gomocup_engines),
    ("walks", requests::walks),
    ("kept", files::kept_results),
    ("partials", files::partials),
    ("labels", files::tune_labels),
    ("checkpoints", files::checkpoints),
    ("slabs", files::slabs),
    ("sums", files::sums),
    ("openings", files::openings),
];

/// Where seeds are.
fn corpus() -> PathBuf {
    let here = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    let root = if here.ends_with("fuzz") { here.join("..") } else { here };
    root.join("tests/corpus")
}

/// A seed that is a whole file.
fn file(name: &str) -> Vec<u8> {
    fs::read(corpus().join(name)).unwrap_or_else(|error| panic!("tests/corpus/{name}: {error}"))
}

/// Seeds that are lines.
fn lines(name: &str) -> Vec<Vec<u8>> {
    file(name).split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(<[u8]>::to_vec).collect()
}

/// What libFuzzer found worth keeping for a target.
pub(crate) fn kept(target: &str) -> Vec<Vec<u8>> {
    let text = fs::read(corpus().join("guided").join(format!("{target}.txt"))).unwrap_or_default();
    text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).map(plain).collect()
}

/// An input that `escape_ascii` wrote.
fn plain(text: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut letters = text.iter().copied();
    while let Some(letter) = letters.next() {
        let hex = |letter: Option<u8>| letter.and_then(|letter| char::from(letter).to_digit(16)).unwrap_or(0);
        bytes.push(match letter {
            b'\\' => match letters.next() {
                Some(b'n') => b'\n',
                Some(b'r') => b'\r',
                Some(b't') => b'\t',
                Some(b'x') => (hex(letters.next()) * 16 + hex(letters.next())) as u8,
                other => other.unwrap_or(b'\\'),
            },
            letter => letter,
        });
    }
    bytes
}

/// A text as any reader gets it.
fn text(input: &[u8]) -> String {
    String::from_utf8_lossy(input).into_owned()
}

/// Limits that keep a reader quick.
fn options() -> Session {
    let mut session = Session::default();
    session.memory = 64 << 20;
    session.hash = 1 << 20;
    session.threads = 1;
    session
}

fn specs(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let catalog = Catalog::standard();
    let read = move |input: &[u8]| {
        let opened = catalog.open(&text(input));
        if let Ok(entry) = &opened {
            // The canonical form is one that opens, and is its own canonical form.
            let again =
                catalog.open(&entry.spec()).unwrap_or_else(|error| panic!("{}: {error}", entry.spec()));
            assert_eq!(again.spec(), entry.spec());
        }
        true
    };
    (lines("specs.txt"), Box::new(read))
}

/// Seeds that are a game and a text about it, separated by a tab; a reader gets both. Games stay what they are: specs have
/// a target of their own, and some are slow to draw.
fn about_games(name: &str, mut read: impl FnMut(&GameHandle, String) + 'static) -> (Vec<Vec<u8>>, Reader) {
    let catalog = Catalog::standard();
    let seeds = lines(name);
    let names = seeds.iter().filter_map(|seed| Some(std::str::from_utf8(seed).ok()?.split_once('\t')?.0));
    let games: Vec<(String, GameHandle)> =
        names.map(|name| (name.to_string(), catalog.open(name).unwrap())).collect();
    let read = move |input: &[u8]| {
        let text = text(input);
        let Some((game, rest)) = text.split_once('\t') else { return false };
        let Some((_, entry)) = games.iter().find(|(name, _)| name == game) else { return false };
        read(entry, rest.to_string());
        true
    };
    (seeds, Box::new(read))
}

/// What is printed of a position can be pasted back, and so can its moves.
fn is_consistent(entry: &GameHandle, place: &PositionRef) {
    let Ok(view) = outplay::workbench::view(entry, place) else { return };
    let again = outplay::workbench::view(entry, &PositionRef::Position(view.position.clone()));
    let again = again.map(|again| again.position);
    assert_eq!(again.as_ref().ok(), Some(&view.position), "{}: {again:?}", entry.spec());
}

fn positions(_: bool) -> (Vec<Vec<u8>>, Reader) {
    about_games("positions.txt", |entry, text| is_consistent(entry, &PositionRef::Position(text)))
}

fn moves(_: bool) -> (Vec<Vec<u8>>, Reader) {
    about_games("moves.txt", |entry, text| is_consistent(entry, &PositionRef::Moves(text)))
}

fn players(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let catalog = Catalog::standard();
    let kits: Vec<_> = ["connect4:5x4", "mnk:15x15,k=5", "pig:20", "chess:KQK"]
        .map(|game| {
            let mut kit = outplay::workbench::kit(&options(), &catalog.open(game).unwrap());
            // Files have targets of their own.
            kit.files = None;
            kit
        })
        .into();
    let read = move |input: &[u8]| {
        let spec = text(input);
        for kit in &kits {
            let Ok(player) = kit.player(&spec) else { continue };
            let said = player.spec();
            assert!(kit.player(&said).is_ok(), "{spec} says that it is {said}");
        }
        true
    };
    (lines("players.txt"), Box::new(read))
}

fn records(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let file = tempfile::NamedTempFile::new().unwrap();
    let read = move |input: &[u8]| {
        fs::write(file.path(), input).unwrap();
        let _ = outplay::arena::record::read(file.path());
        true
    };
    (vec![self::file("record.jsonl")], Box::new(read))
}

fn psq(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let catalog = Catalog::standard();
    let small = |text: &str| outplay::arena::psq::parse(text).is_ok_and(|psq| psq.width * psq.height <= 400);
    let read = move |input: &[u8]| {
        let text = text(input);
        if small(&text) {
            let open = |spec: &str| Ok(catalog.open(spec).unwrap().game().clone());
            let _ = outplay::arena::psq::import(&[("game.psq".into(), text)], &open, None);
        }
        true
    };
    (vec![file("game.psq")], Box::new(read))
}

fn weights(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let full = FeatureSet::named("paper").unwrap().preset().to_file("connect4");
    let read = |input: &[u8]| {
        let _ = Weights::from_file("w.json", &text(input), "connect4");
        true
    };
    (vec![file("weights.json"), full.into_bytes()], Box::new(read))
}

fn books(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    use outplay::connect::{Author, Book};
    let board = LineBoard { gravity: true, ..LineBoard::empty(4, 4, 4) };
    let folder = tempfile::tempdir().unwrap();
    let whole = Author::new(&board, 3, &folder.path().join("b.book"))
        .and_then(|author| author.build(1 << 16, &NoMonitor, 1))
        .unwrap();
    let (seed, known) = (whole.to_bytes(), whole.probe(&board));
    let read = move |input: &[u8]| {
        if let Ok(found) = Book::from_bytes(input, "book")
            && found.verify().is_ok()
        {
            assert!(!blind || found.probe(&board) == known, "a damaged book is believed");
        }
        if let Ok(found) = Book::from_bytes(&mend::book(input), "book") {
            let _ = found.verify();
            let _ = found.probe(&board);
            let _ = found.probe(found.board());
        }
        true
    };
    (vec![seed], Box::new(read))
}

/// A table of tic-tac-toe.
struct Solved {
    data: tempfile::TempDir,
    whole: Option<Vec<Vec<i8>>>,
}

impl Solved {
    fn new() -> Solved {
        let data = tempfile::tempdir().unwrap();
        let mut request = SolveRequest::default();
        request.store = true;
        let session = Session::at(data.path());
        outplay::workbench::solve(
            &session,
            &Catalog::standard().open("tictactoe").unwrap(),
            &request,
            &NoMonitor,
        )
        .unwrap();
        let mut solved = Solved { data, whole: None };
        solved.whole = Some(solved.read().expect("reads"));
        solved
    }

    fn path(&self, file: &str) -> PathBuf {
        self.data.path().join("tictactoe").join(file)
    }

    fn read(&self) -> Option<Vec<Vec<i8>>> {
        let table = Table::open(self.data.path(), "tictactoe", Values::Distance).ok()?;
        (0..table.identity().slots.len() as u32).map(|tier| table.read_tier(Tier(tier)).ok()).collect()
    }

    /// Whether what is read is what was written, or nothing is.
    fn holds(&self) -> bool {
        let found = self.read();
        found.is_none() || found == self.whole
    }
}

fn tiers(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let solved = Solved::new();
    let (tier, manifest) = (solved.path("tier-05.opt"), solved.path("manifest.json"));
    let (seed, said) = (fs::read(&tier).unwrap(), fs::read(&manifest).unwrap());
    let read = move |input: &[u8]| {
        fs::write(&tier, input).unwrap();
        assert!(solved.holds() || !blind, "a damaged table is believed");
        let mended = mend::tier(input);
        if let Some(other) = mend::manifest_of(&said, 5, &mended) {
            fs::write(&tier, &mended).unwrap();
            fs::write(&manifest, other).unwrap();
            let _ = solved.read();
            fs::write(&manifest, &said).unwrap();
        }
        true
    };
    (vec![seed], Box::new(read))
}

fn manifests(blind: bool) -> (Vec<Vec<u8>>, Reader) {
    let solved = Solved::new();
    let path = solved.path("manifest.json");
    let seed = fs::read(&path).unwrap();
    let read = move |input: &[u8]| {
        fs::write(&path, input).unwrap();
        assert!(solved.holds() || !blind, "a damaged table is believed");
        fs::write(&path, mend::manifest(input)).unwrap();
        let _ = solved.read();
        true
    };
    (vec![seed], Box::new(read))
}
