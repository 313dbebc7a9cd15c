//! Protocol lines, on the engine side and on the host side.

use super::{Reader, file, options, text};
use outplay::catalog::Catalog;
use outplay::core::Game;
use outplay::runtime::NoMonitor;
use outplay::workbench::GameHandle;
use outplay_protocol::{Brain, EnginePool};
use std::fs;
use std::io::Cursor;
use std::sync::Arc;

/// Whoever thinks does so for no time: it is about words.
const PLAYER: &str = "greedy";
/// The largest boards, for the same reason.
const CELLS: usize = 400;

/// A mind for a game that is small enough.
fn open(catalog: &Catalog, spec: &str) -> Result<Brain, String> {
    let entry = catalog.open(spec).map_err(|error| error.to_string())?;
    let game = entry.game();
    let board = game.start().and_then(|start| game.board(&start));
    if board.is_some_and(|board| board.cells.len() > CELLS) {
        return Err("too large to be quick".into());
    }
    Ok(Brain::new(outplay::workbench::kit(&options(), &entry), Box::new(|_| false)))
}

/// What is said to an engine, without what would make somebody think for longer.
fn orders(input: &[u8]) -> Cursor<String> {
    let lines = text(input);
    let quick = |line: &&str| !line.to_ascii_lowercase().contains("player");
    Cursor::new(lines.split_inclusive('\n').filter(quick).collect())
}

pub(super) fn ugi(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let catalog = Catalog::standard();
    let read = move |input: &[u8]| {
        let open = |spec: &str| open(&catalog, spec);
        let mut out = Vec::new();
        outplay_protocol::ugi(&open, "tictactoe", Some(PLAYER), orders(input), &mut out, &NoMonitor).unwrap();
        true
    };
    (vec![file("ugi.txt"), file("ugi-games.txt")], Box::new(read))
}

pub(super) fn gomocup(_: bool) -> (Vec<Vec<u8>>, Reader) {
    let catalog = Catalog::standard();
    let read = move |input: &[u8]| {
        let open = |spec: &str, _: Option<u64>| open(&catalog, spec);
        let mut out = Vec::new();
        outplay_protocol::gomocup(&open, Some(PLAYER), orders(input), &mut out, &NoMonitor).unwrap();
        true
    };
    (vec![file("gomocup.txt"), file("gomocup-swap2.txt")], Box::new(read))
}

/// An engine that says a file's lines, whatever it hears, and ends.
fn engine(protocol: &str, game: &'static str) -> Reader {
    let catalog = Catalog::standard().with_programs(Arc::new(EnginePool::default()));
    let entry: GameHandle = catalog.open(game).unwrap();
    let kit = outplay::workbench::kit(&options(), &entry);
    let file = tempfile::NamedTempFile::new().unwrap();
    let spec = format!("{protocol}@100ms:cat {}", file.path().display());
    Box::new(move |input: &[u8]| {
        fs::write(file.path(), input).unwrap();
        let mut player = kit.player(&spec).unwrap();
        player.begin(1);
        let start = kit.game.start().unwrap();
        if let Ok(choice) = player.choose(&start, &NoMonitor) {
            let mut moves = Vec::new();
            kit.game.moves(&start, &mut moves);
            assert!(moves.contains(&choice.mv), "an illegal move is believed");
        }
        true
    })
}

pub(super) fn ugi_engines(_: bool) -> (Vec<Vec<u8>>, Reader) {
    (vec![file("ugi-engine.txt")], engine("ugi", "tictactoe"))
}

pub(super) fn gomocup_engines(_: bool) -> (Vec<Vec<u8>>, Reader) {
    (vec![file("gomocup-engine.txt")], engine("gomocup", "mnk:5x5,k=5"))
}
