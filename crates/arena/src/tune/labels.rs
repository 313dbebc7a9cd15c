//! Positions with exact values: what an evaluation is fitted to, and measured by.
//!
//! ```text
//!   seed, number ──▶ random play ──▶ position ──▶ exact knowledge ──▶ "+ 0 - - 0 0 0"
//! ```
//!
//! Position number n follows from the seed and n alone, so a file of labels can be extended, and resumed
//! after a kill. Positions whose moves are all worth the same teach nothing and are passed over.

use crate::ArenaError;
use crate::scrutiny::quiet;
use crate::seed::part;
use outplay_core::{AnyGame, AnyPosition, Game, Notation, Watch};
use outplay_players::Kit;
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use std::fs::OpenOptions;
use std::io::{Read, Write};
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

/// How often each ply is sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum Spread {
    /// Each ply equally often: play that ends before its ply begins anew for the same one.
    #[default]
    Even,
    /// As random play has them: play that ends early begins anew for any ply, so later plies are rare.
    Natural,
}

impl Spread {
    /// The word on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Spread::Even => "even",
            Spread::Natural => "natural",
        }
    }
}

/// Which positions are sampled.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Sampling {
    /// Random play goes on for at least so many plies.
    pub from: u32,
    /// And for at most so many.
    pub to: u32,
    /// How often each ply comes up.
    pub spread: Spread,
    /// What chance follows from.
    pub seed: u64,
}

impl Default for Sampling {
    /// The middle of a game of 7x6 Connect-4.
    fn default() -> Sampling {
        Sampling { from: 8, to: 34, spread: Spread::Even, seed: 1 }
    }
}

impl Sampling {
    /// The first and the last ply of the same part of a game that fills so many cells.
    pub fn middle(cells: u32) -> (u32, u32) {
        let (usual, all) = (Sampling::default(), 42);
        (cells.saturating_mul(usual.from) / all, cells.saturating_mul(usual.to) / all)
    }
}

/// A position and the payoff that each of its moves brings with best play, in the game's order.
#[derive(Clone, Debug)]
pub struct Label {
    /// The position.
    pub pos: AnyPosition,
    /// What the moves bring the player to move.
    pub payoffs: Vec<i32>,
    /// Neither side could win with its next stone.
    pub quiet: bool,
}

impl Label {
    /// Whether the move in this place gives nothing away.
    pub fn keeps(&self, place: usize) -> bool {
        self.payoffs.get(place) == self.payoffs.iter().max()
    }
}

/// A position from random play, and its ply. Position `number` follows from the seed and its number alone.
pub fn sample(
    game: &AnyGame,
    start: &AnyPosition,
    sampling: &Sampling,
    number: u64,
) -> Option<(AnyPosition, u32)> {
    /// Play that never gets that far is nobody's position.
    const ATTEMPTS: u32 = 100_000;
    let mut rng = SmallRng::seed_from_u64(part(part(sampling.seed, 3), number));
    let mut moves = Vec::new();
    let mut plies = rng.random_range(sampling.from..=sampling.to);
    'attempts: for attempt in 0..ATTEMPTS {
        if attempt > 0 && sampling.spread == Spread::Natural {
            plies = rng.random_range(sampling.from..=sampling.to);
        }
        let mut pos = start.clone();
        for _ in 0..plies {
            moves.clear();
            game.moves(&pos, &mut moves);
            if moves.is_empty() {
                continue 'attempts;
            }
            pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
        }
        if game.outcome(&pos).is_none() {
            return Some((pos, plies));
        }
    }
    None
}

/// The first line of a file of labels.
fn heading(game: &AnyGame, sampling: &Sampling) -> String {
    let Sampling { from, to, spread, seed } = sampling;
    format!("outplay labels 2, {}, plies {from} to {to}, {} spread, seed {seed}", game.spec(), spread.word())
}

/// Lines of a file: the number of the sample, then a sign per move, or nothing if all moves are worth the same.
fn line(number: u64, payoffs: &[i32]) -> String {
    let sign = |payoff: &i32| match payoff.signum() {
        1 => '+',
        0 => '0',
        _ => '-',
    };
    let signs: String = payoffs.iter().map(sign).collect();
    format!("{number} {signs}\n")
}

fn read_line(text: &str) -> Option<(u64, Vec<i32>)> {
    let (number, signs) = text.split_once(' ')?;
    let sign = |c: char| match c {
        '+' => Some(1),
        '0' => Some(0),
        '-' => Some(-1),
        _ => None,
    };
    Some((number.parse().ok()?, signs.chars().map(sign).collect::<Option<Vec<i32>>>()?))
}

/// `count` labelled positions in which the choice matters. What `file` has is not found out again, and what is found is
/// added to it.
///
/// # Errors
///
/// No exact knowledge, a file of other labels, or a stop.
pub fn labels(
    kit: &Kit,
    sampling: &Sampling,
    count: usize,
    file: Option<&Path>,
    threads: usize,
    watch: &dyn Watch,
) -> Result<Vec<Label>, ArenaError> {
    let game = &kit.game;
    let spec = game.spec();
    let Some(truth) = kit.truth.as_ref().filter(|_| !kit.game.has_dice()) else {
        return Err(ArenaError::Unable(format!(
            "there are no exact values of {spec} to fit to; tune by games"
        )));
    };
    let start =
        game.start().ok_or_else(|| ArenaError::Unable(format!("{spec} has no start to play from")))?;
    let mut store = file.map(|file| Store::open(file, &heading(game, sampling))).transpose()?;
    let mut known = store.as_mut().map(|store| std::mem::take(&mut store.known)).unwrap_or_default();
    watch.stage("labels", count as u64);
    let mut useful = known.iter().filter(|payoffs| !payoffs.is_empty()).count();
    watch.advance(useful.min(count) as u64);
    // Rounds of samples, until enough of them matter.
    while useful < count {
        let first = known.len() as u64;
        let round = (2 * (count - useful)).clamp(64, 4096) as u64;
        let (next, found, trouble) = (AtomicU64::new(first), Mutex::new(Vec::new()), Mutex::new(None));
        std::thread::scope(|scope| {
            for _ in 0..threads.max(1) {
                scope.spawn(|| {
                    loop {
                        let number = next.fetch_add(1, Ordering::Relaxed);
                        if number >= first + round || watch.stopped() || is_some(&trouble) {
                            return;
                        }
                        match payoffs(kit, &**truth, &start, sampling, number, watch) {
                            Ok(payoffs) => {
                                watch.advance(u64::from(!payoffs.is_empty()));
                                push(&found, (number, payoffs));
                            }
                            Err(error) => put(&trouble, error),
                        }
                    }
                });
            }
        });
        let mut found = found.into_inner().unwrap_or_default();
        found.sort_by_key(|(number, _)| *number);
        // Only what follows without a gap is kept, so that a stop leaves the file whole.
        for (number, payoffs) in found {
            if number != known.len() as u64 {
                break;
            }
            if let Some(store) = &mut store {
                store.add(&line(number, &payoffs))?;
            }
            useful += usize::from(!payoffs.is_empty());
            known.push(payoffs);
        }
        if let Some(error) = trouble.into_inner().ok().flatten() {
            return Err(error);
        }
        if watch.stopped() {
            return Err(ArenaError::Stopped);
        }
    }
    let chosen = known.into_iter().enumerate().filter_map(|(number, payoffs)| {
        if payoffs.is_empty() {
            return None;
        }
        let (pos, _) = sample(game, &start, sampling, number as u64)?;
        let quiet = quiet(kit, &pos).unwrap_or(false);
        Some(Label { pos, payoffs, quiet })
    });
    Ok(chosen.take(count).collect())
}

fn is_some<T>(slot: &Mutex<Option<T>>) -> bool {
    slot.lock().is_ok_and(|slot| slot.is_some())
}

fn put<T>(slot: &Mutex<Option<T>>, value: T) {
    if let Ok(mut slot) = slot.lock() {
        slot.get_or_insert(value);
    }
}

fn push<T>(list: &Mutex<Vec<T>>, value: T) {
    if let Ok(mut list) = list.lock() {
        list.push(value);
    }
}

/// What the moves of a sampled position bring; empty if they are all worth the same or nobody knows.
fn payoffs(
    kit: &Kit,
    truth: &dyn outplay_players::Truth,
    start: &AnyPosition,
    sampling: &Sampling,
    number: u64,
    watch: &dyn Watch,
) -> Result<Vec<i32>, ArenaError> {
    let Some((pos, _)) = sample(&kit.game, start, sampling, number) else {
        return Err(ArenaError::Unable("random play never lasts that long; sample earlier plies".into()));
    };
    let Some(payoffs) = truth.payoffs(&pos, watch)? else {
        // Whoever was stopped does not know either, but may find out later.
        return if watch.stopped() { Err(ArenaError::Stopped) } else { Ok(Vec::new()) };
    };
    let sign = |payoff: f64| i32::from(payoff > 0.0) - i32::from(payoff < 0.0);
    let payoffs: Vec<i32> = payoffs.into_iter().map(|(_, payoff)| sign(payoff)).collect();
    Ok(if payoffs.windows(2).all(|two| two[0] == two[1]) { Vec::new() } else { payoffs })
}

/// A file of labels.
struct Store {
    file: std::fs::File,
    path: std::path::PathBuf,
    known: Vec<Vec<i32>>,
}

impl Store {
    fn open(path: &Path, heading: &str) -> Result<Store, ArenaError> {
        let trouble = |error: std::io::Error| ArenaError::file(path, format!("cannot be used: {error}"));
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(trouble)?;
        }
        let mut file = OpenOptions::new().read(true).append(true).create(true).open(path).map_err(trouble)?;
        let mut text = String::new();
        file.read_to_string(&mut text).map_err(trouble)?;
        if text.is_empty() {
            file.write_all(format!("{heading}\n").as_bytes()).map_err(trouble)?;
            return Ok(Store { file, path: path.into(), known: Vec::new() });
        }
        let whole = text.rfind('\n').map_or(0, |at| at + 1);
        let mut lines = text[..whole].lines();
        if lines.next() != Some(heading) {
            let why = format!("holds other labels than \"{heading}\"; choose another file or remove it");
            return Err(ArenaError::file(path, why));
        }
        let mut known = Vec::new();
        for line in lines {
            match read_line(line) {
                Some((number, payoffs)) if number == known.len() as u64 => known.push(payoffs),
                _ => {
                    let why = format!("line {} is damaged; remove the file", known.len() + 2);
                    return Err(ArenaError::file(path, why));
                }
            }
        }
        file.set_len(whole as u64).map_err(trouble)?;
        Ok(Store { file, path: path.into(), known })
    }

    fn add(&mut self, line: &str) -> Result<(), ArenaError> {
        let path = &self.path;
        self.file
            .write_all(line.as_bytes())
            .map_err(|error| ArenaError::file(path, format!("cannot be written: {error}")))
    }
}
