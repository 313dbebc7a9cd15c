//! Runs one target of `tests/fuzz` under libFuzzer, for `cargo xtask fuzz --guided`.
//!
//! `OUTPLAY_FUZZ_TARGET` selects the target; without it, the names of all targets are printed. `OUTPLAY_FUZZ_SEEDS`
//! is a directory into which the seeds of the target are written.

#![no_main]

#[path = "../../tests/fuzz/mod.rs"]
mod targets;

use libfuzzer_sys::{Corpus, fuzz_target};
use std::cell::RefCell;
use std::path::PathBuf;
use targets::{Reader, TARGETS, kept};

thread_local! {
    static READER: RefCell<Option<Reader>> = const { RefCell::new(None) };
}

/// Creates the reader, and writes its seeds if they are requested.
fn begin() {
    let Ok(wanted) = std::env::var("OUTPLAY_FUZZ_TARGET") else {
        TARGETS.iter().for_each(|(name, _)| println!("{name}"));
        std::process::exit(0);
    };
    let Some((name, make)) = TARGETS.iter().find(|(name, _)| *name == wanted) else {
        eprintln!("there is no target `{wanted}`; to list all targets, unset OUTPLAY_FUZZ_TARGET");
        std::process::exit(2);
    };
    ignore_closed_pipes();
    let (seeds, reader) = make(false);
    if let Some(folder) = std::env::var_os("OUTPLAY_FUZZ_SEEDS").map(PathBuf::from) {
        for (number, seed) in seeds.into_iter().chain(kept(name)).enumerate() {
            std::fs::write(folder.join(format!("seed-{number}")), seed).expect("seeds can be written");
        }
    }
    READER.with(|place| *place.borrow_mut() = Some(reader));
}

/// Ignores SIGPIPE, so that a child process that exits early does not end this one. The Rust runtime does this for
/// programs with a Rust `main`; this program has libFuzzer's.
fn ignore_closed_pipes() {
    unsafe extern "C" {
        fn signal(number: i32, handler: usize) -> usize;
    }
    const PIPE: i32 = 13;
    const IGNORE: usize = 1;
    // SAFETY: no handler is installed, and no other thread is running yet.
    unsafe { signal(PIPE, IGNORE) };
}

fuzz_target!(init: begin(), |input: &[u8]| -> Corpus {
    let worth = READER.with(|place| place.borrow_mut().as_mut().is_some_and(|read| read(input)));
    if worth { Corpus::Keep } else { Corpus::Reject }
});
