//! Random games in batches: every game has a seed of its own, so the results do not depend on the number of threads.

use crate::game::Game;
use crate::laws::SplitMix;
use crate::number::{natural, natural_or_none};
use crate::table::UNKNOWN;
use crate::work;
use outplay_core::{AnyGame, AnyPosition, Chance, Game as _, Payoff, Turn};
use outplay_runtime::Monitor;
use outplay_workbench::{PositionRef, Trouble, seed};
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// Games that a thread plays at a time.
const BATCH: usize = 64;
/// Moves between two checks for cancellation.
const POLL: u32 = 256;

/// Payoff of the first player, and number of moves that the players made.
type Playout = (Payoff, u32);

/// Plays one random game; after `most` moves without an end its payoff is unknown.
fn playout(
    game: &AnyGame,
    start: &AnyPosition,
    seed: u64,
    most: u32,
    monitor: &dyn Monitor,
) -> Result<Playout, Trouble> {
    let (mut pos, mut plies, mut rolls) = (start.clone(), 0, Vec::new());
    let mut random = SplitMix(seed);
    for step in 1u32.. {
        if let Some(payoff) = game.outcome(&pos) {
            return Ok((payoff, plies));
        }
        if plies >= most || step == u32::MAX {
            break;
        }
        if step.is_multiple_of(POLL) && monitor.stopped() {
            return Err(Trouble::stopped());
        }
        let mv = if game.turn(&pos) == Turn::Chance {
            rolls.clear();
            game.outcomes(&pos, &mut rolls);
            let mut left = random.unit();
            let chosen = rolls.iter().find(|(_, odds)| {
                left -= odds;
                left < 0.0
            });
            // The sum of the odds may be a little below 1.
            chosen.or(rolls.last()).map(|(mv, _)| *mv)
        } else {
            plies += 1;
            let count = game.list(&pos).count();
            game.list(&pos).nth(random.below(count.max(1)))
        };
        // Rules that raised an exception have no moves; the job's monitor ends it.
        let Some(mv) = mv else { return Err(Trouble::stopped()) };
        pos = game.play(&pos, mv);
    }
    Ok((UNKNOWN.into(), plies))
}

/// Plays random games on several threads.
fn play_all(
    game: &AnyGame,
    start: &AnyPosition,
    results: &mut [Playout],
    (seed, most, threads): (u64, u32, usize),
    monitor: &dyn Monitor,
) -> Result<(), Trouble> {
    monitor.stage("playing", results.len() as u64);
    let pieces: Vec<Mutex<&mut [Playout]>> = results.chunks_mut(BATCH).map(Mutex::new).collect();
    let (next, failed) = (AtomicUsize::new(0), AtomicBool::new(false));
    let trouble = Mutex::new(None);
    let worker = || {
        while !failed.load(Ordering::Relaxed) {
            let number = next.fetch_add(1, Ordering::Relaxed);
            let Some(piece) = pieces.get(number) else { return };
            let mut piece = piece.lock().unwrap_or_else(PoisonError::into_inner);
            for (place, result) in piece.iter_mut().enumerate() {
                let seed = seed::part(seed, (number * BATCH + place) as u64);
                let played = match monitor.stopped() {
                    true => Err(Trouble::stopped()),
                    false => playout(game, start, seed, most, monitor),
                };
                match played {
                    Ok(played) => *result = played,
                    Err(error) => {
                        failed.store(true, Ordering::Relaxed);
                        *trouble.lock().unwrap_or_else(PoisonError::into_inner) = Some(error);
                        return;
                    }
                }
            }
            monitor.advance(piece.len() as u64);
        }
    };
    std::thread::scope(|scope| {
        for _ in 1..threads.min(pieces.len()) {
            scope.spawn(worker);
        }
        worker();
    });
    trouble.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
}

/// Plays random games; returns payoffs and numbers of moves as bytes, four of the machine's order each.
#[pyfunction]
#[pyo3(name = "playouts_", signature = (game, count, seed, *, at=None, plies=10_000, threads=None, progress=None))]
#[allow(clippy::too_many_arguments)]
pub(crate) fn playouts<'py>(
    py: Python<'py>,
    game: &Bound<'py, Game>,
    #[pyo3(from_py_with = natural)] count: usize,
    #[pyo3(from_py_with = natural)] seed: u64,
    at: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = natural)] plies: u32,
    #[pyo3(from_py_with = natural_or_none)] threads: Option<usize>,
    progress: Option<Py<PyAny>>,
) -> PyResult<(Bound<'py, PyBytes>, Bound<'py, PyBytes>)> {
    let game = game.get();
    let progress = work::listener(py, progress)?;
    game.explored(py, progress.as_ref())?;
    let place = match at {
        Some(at) => PositionRef::At(game.find(at)?),
        None => PositionRef::Start,
    };
    // Rules that are called in Python run on one thread at a time.
    let alone = game.rules.as_ref().is_some_and(|rules| rules.graph().is_none());
    let threads = if alone { 1 } else { threads.unwrap_or(game.session.threads).max(1) };
    let results = game.run_with_progress(py, progress.as_ref(), move |entry, _, monitor| {
        let start = entry.locate(&place)?;
        let mut results = vec![(0, 0); count];
        play_all(entry.game(), &start, &mut results, (seed, plies, threads), monitor)?;
        Ok(results)
    })?;
    let payoffs: Vec<u8> = results.iter().flat_map(|(payoff, _)| payoff.to_ne_bytes()).collect();
    let plies: Vec<u8> = results.iter().flat_map(|(_, plies)| (*plies as i32).to_ne_bytes()).collect();
    Ok((PyBytes::new(py, &payoffs), PyBytes::new(py, &plies)))
}
