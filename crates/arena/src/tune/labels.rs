//! Labelled positions: random samples with the exact value of each move, for fitting and measuring evaluations.
//!
//! ```text
//!    seed, n ──▶ random play ──▶ position ──▶ exact oracle ──▶ "+ 0 - - 0 0 0", a payoff per move
//! ```
//!
//! The n-th position is a function of the seed and n alone, so a label file can be extended later, and an interrupted
//! run resumes. Positions whose moves all have the same value carry no information and are skipped.
//!
//! The file has checksums and records the game, the versions of rules and program, and the sampling parameters. A label
//! that fails its checksum or contradicts the rules is recomputed.

use crate::ArenaError;
use crate::scrutiny::quiet;
use outplay_core::{AnyGame, AnyPosition, Game, Notation};
use outplay_files::{Identity, Log, Strangers};
use outplay_players::PlayerContext;
use outplay_runtime::Monitor;
pub use outplay_workbench::export::{Sampling, Spread, sample};
use outplay_workbench::export::{TOO_LATE, each_on_threads};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::path::PathBuf;

/// A labelled position: the payoff of each move under best play, in the game's order of moves.
#[derive(Clone, Debug)]
pub struct Label {
    /// The position.
    pub pos: AnyPosition,
    /// The sign of the payoff of each move for the player to move.
    pub payoffs: Vec<i32>,
    /// Whether neither side could win with its next stone.
    pub quiet: bool,
}

impl Label {
    /// Whether the move with this index preserves the value.
    pub fn keeps(&self, place: usize) -> bool {
        self.payoffs.get(place) == self.payoffs.iter().max()
    }
}

/// A file that stores labelled positions, with its limit in size.
#[derive(Clone, Debug)]
pub struct LabelFile {
    /// The path.
    pub path: PathBuf,
    /// Whether it is in the data directory; otherwise a user named it.
    pub own: bool,
    /// Maximal size in bytes.
    pub limit: u64,
}

/// The identity of a label file.
fn identity(game: &AnyGame, sampling: &Sampling) -> Identity {
    let Sampling { from, to, spread, seed } = sampling;
    Identity {
        kind: "tune labels".into(),
        format: 3,
        game: game.spec(),
        rules: game.version(),
        program: outplay_workbench::program_version(),
        about: format!("plies {from} to {to}, {} spread, seed {seed}", spread.word()),
    }
}

/// Formats a line: the number of the sample, then a sign per move, or nothing if all moves have the same value.
fn line(number: u64, payoffs: &[i32]) -> String {
    let sign = |payoff: &i32| match payoff.signum() {
        1 => '+',
        0 => '0',
        _ => '-',
    };
    let signs: String = payoffs.iter().map(sign).collect();
    format!("{number} {signs}")
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

/// Labels by number.
type LabelMap = BTreeMap<u64, Vec<i32>>;

/// Parses the labels in the bytes of a file that are of this sampling and consistent with the rules.
pub fn parse_labels(game: &AnyGame, sampling: &Sampling, bytes: &[u8]) -> BTreeMap<u64, Vec<i32>> {
    let records = outplay_files::parse(bytes, &identity(game, sampling)).records;
    game.start().map(|start| known_labels(game, &start, sampling, &records).0).unwrap_or_default()
}

/// Parses the labels in the records of a file, and counts those that contradict the rules.
fn known_labels(
    game: &AnyGame,
    start: &AnyPosition,
    sampling: &Sampling,
    records: &[String],
) -> (LabelMap, usize) {
    let (mut known, mut wrong) = (LabelMap::new(), 0);
    for record in records {
        match read_line(record) {
            Some((number, payoffs)) if is_right(game, start, sampling, number, &payoffs) => {
                known.insert(number, payoffs);
            }
            _ => wrong += 1,
        }
    }
    (known, wrong)
}

/// Whether a label is consistent with the rules: a sign for each move, correct where a move ends the game.
fn is_right(game: &AnyGame, start: &AnyPosition, sampling: &Sampling, number: u64, payoffs: &[i32]) -> bool {
    if payoffs.is_empty() {
        return true;
    }
    let Some((pos, _)) = sample(game, start, sampling, number) else { return false };
    let (turn, moves) = (game.turn(&pos), game.list(&pos).collect::<Vec<_>>());
    let agrees = |(mv, payoff): (&_, &i32)| {
        let outcome = game.outcome(&game.play(&pos, *mv));
        outcome.is_none_or(|outcome| turn.sees(outcome).signum() == *payoff)
    };
    let matters = payoffs.iter().any(|payoff| *payoff != payoffs[0]);
    matters && moves.len() == payoffs.len() && moves.iter().zip(payoffs).all(agrees)
}

/// Opens a label file and reads it; waits while another process has it locked.
fn open_file(
    file: &LabelFile,
    game: &AnyGame,
    start: &AnyPosition,
    sampling: &Sampling,
    monitor: &dyn Monitor,
) -> Result<(Log, LabelMap), ArenaError> {
    let path = &file.path;
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        std::fs::create_dir_all(folder)
            .map_err(|error| ArenaError::file(folder, format!("cannot be created: {error}")))?;
    }
    let strangers = if file.own { Strangers::SetAside } else { Strangers::Refuse };
    let noted = Cell::new(false);
    let wait = || {
        if !noted.replace(true) {
            monitor.note(&format!("waiting until another process has finished writing {}", path.display()));
        }
        !monitor.stopped()
    };
    let opened = Log::open(path, &identity(game, sampling), strangers, file.limit, &wait);
    let opened = opened.map_err(|error| match error.is_busy() && monitor.stopped() {
        true => ArenaError::Stopped,
        false => error.into(),
    })?;
    opened.remarks.iter().for_each(|remark| monitor.note(remark));
    let (known, wrong) = known_labels(game, start, sampling, &opened.records);
    if wrong > 0 {
        monitor.note(&format!("{}: {wrong} labels contradict the rules and are recomputed", path.display()));
    }
    Ok((opened.log, known))
}

/// The first number without a label, and the number of informative labels before it.
fn progress(known: &LabelMap) -> (u64, usize) {
    let whole = || known.iter().zip(0..).take_while(|((number, _), place)| **number == *place);
    let next = whole().count() as u64;
    (next, whole().filter(|((_, payoffs), _)| !payoffs.is_empty()).count())
}

/// Returns `count` labelled positions in which the moves differ in value. Labels in `file` are reused, and new ones are
/// appended to it.
///
/// # Errors
///
/// No exact values, an unusable file, or a stop.
pub fn labels(
    kit: &PlayerContext,
    sampling: &Sampling,
    count: usize,
    file: Option<&LabelFile>,
    threads: usize,
    monitor: &dyn Monitor,
) -> Result<Vec<Label>, ArenaError> {
    let game = &kit.game;
    let spec = game.spec();
    let Some(truth) = kit.truth.as_ref().filter(|_| !kit.game.has_dice()) else {
        return Err(ArenaError::Unable(format!(
            "exact values of {spec} are not available, so weights cannot be fitted to them; tune by playing games instead"
        )));
    };
    let start = game.start().ok_or_else(|| {
        ArenaError::Unable(format!("{spec} has no start position, so it cannot be tuned by labels"))
    })?;
    let opened = file.map(|file| open_file(file, game, &start, sampling, monitor)).transpose()?;
    let (mut log, mut known) = opened.map_or((None, LabelMap::new()), |(log, known)| (Some(log), known));
    monitor.stage("labelling positions", count as u64);
    let (mut first, mut useful) = progress(&known);
    monitor.advance(useful.min(count) as u64);
    // Rounds of samples, until enough of them are informative.
    while useful < count {
        let round = 2usize.saturating_mul(count - useful).clamp(64, 4096);
        // Gaps left by damaged records come first.
        let end = known.last_key_value().map_or(0, |(number, _)| number + 1);
        let gaps = (first..end).filter(|number| !known.contains_key(number));
        let mut missing: Vec<u64> = gaps.take(round).collect();
        if missing.is_empty() {
            missing = (end..).take(round).collect();
        }
        let mut found = Vec::new();
        let find = |number| payoffs(kit, &**truth, &start, sampling, number, monitor);
        let ended = each_on_threads(&missing, threads, monitor, find, |number, payoffs| {
            monitor.advance(u64::from(!payoffs.is_empty()));
            found.push((number, payoffs));
            Ok(())
        });
        found.sort_by_key(|(number, _)| *number);
        for (number, payoffs) in found {
            if let Some(log) = &mut log {
                log.append(&line(number, &payoffs))?;
            }
            known.insert(number, payoffs);
        }
        (first, useful) = progress(&known);
        ended?;
        if monitor.stopped() {
            return Err(ArenaError::Stopped);
        }
    }
    let chosen = known.into_iter().take(first as usize).filter_map(|(number, payoffs)| {
        if payoffs.is_empty() {
            return None;
        }
        let (pos, _) = sample(game, &start, sampling, number)?;
        let quiet = quiet(kit, &pos).unwrap_or(false);
        Some(Label { pos, payoffs, quiet })
    });
    Ok(chosen.take(count).collect())
}

/// The payoffs of the moves of a sampled position; empty if they are all equal or unknown.
fn payoffs(
    kit: &PlayerContext,
    truth: &dyn outplay_players::ExactOracle,
    start: &AnyPosition,
    sampling: &Sampling,
    number: u64,
    monitor: &dyn Monitor,
) -> Result<Vec<i32>, ArenaError> {
    let Some((pos, _)) = sample(&kit.game, start, sampling, number) else {
        return Err(ArenaError::Unable(TOO_LATE.into()));
    };
    let Some(payoffs) = truth.payoffs(&pos, monitor)? else {
        // After a stop the payoffs are unknown for now, so no empty label is stored.
        return if monitor.stopped() { Err(ArenaError::Stopped) } else { Ok(Vec::new()) };
    };
    let sign = |payoff: f64| i32::from(payoff > 0.0) - i32::from(payoff < 0.0);
    let payoffs: Vec<i32> = payoffs.into_iter().map(|(_, payoff)| sign(payoff)).collect();
    Ok(if payoffs.windows(2).all(|two| two[0] == two[1]) { Vec::new() } else { payoffs })
}
