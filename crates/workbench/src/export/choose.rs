//! Selection of the positions of a data set: all positions of a table, samples of random play, or a list.

use super::Request;
use super::label::{Label, Labels, Scratch};
use super::random::{Sampling, TOO_LATE, sample};
use crate::{GameHandle, PositionRef, Reader, Session, TableError, Trouble, check_stop, table_name};
use outplay_core::{AnyGame, AnyPosition, Game, Notation, Tier};
use outplay_runtime::Monitor;
use outplay_solve::Reach;
use std::ops::Range;

/// Numbers of a table that a thread takes at a time.
const PIECE: u64 = 1 << 14;
/// Positions between two checks for cancellation.
const BREATH: u32 = 256;

/// The requested range of plies.
pub(crate) fn plies(request: &Request) -> Result<(u32, u32), Trouble> {
    let plies = request.plies.unwrap_or((0, u32::MAX));
    if plies.0 > plies.1 {
        return Err(Trouble::unable(format!("the range of plies from {} to {} is empty", plies.0, plies.1)));
    }
    Ok(plies)
}

/// Limit on the positions of one labelling run: all are held in memory, at 100 to 300 bytes each. The export of a
/// table has no such limit.
pub const MOST_POSITIONS: u64 = 5_000_000;

/// Selection of the positions to label: a list, or random samples.
#[derive(Clone, Debug, PartialEq)]
pub enum Positions {
    /// Samples of random play.
    Random {
        /// Number of positions.
        count: usize,
        /// Range of plies, distribution and seed.
        sampling: Sampling,
    },
    /// A list: each line is a position in the game's notation, or moves from the start.
    Listed(Vec<String>),
}

/// A position, and its ply where that is known.
pub(crate) type PositionWithPly = (AnyPosition, Option<u32>);

impl Positions {
    /// Resolves the selection to positions in order.
    pub(crate) fn placed(
        &self,
        entry: &GameHandle,
        watch: &dyn Monitor,
    ) -> Result<Vec<PositionWithPly>, Trouble> {
        let game = entry.game();
        match self {
            Positions::Random { count, .. } if *count as u64 > MOST_POSITIONS => {
                let why =
                    format!("at most {MOST_POSITIONS} positions can be labelled at once; reduce the number");
                Err(Trouble::unable(why))
            }
            Positions::Random { count, sampling } => {
                let start = entry.locate(&PositionRef::Start)?;
                let drawn = (0..*count as u64).map(|number| {
                    check_stop(watch)?;
                    let found = sample(game, &start, sampling, number);
                    found.map(|(pos, ply)| (pos, Some(ply))).ok_or_else(|| Trouble::unable(TOO_LATE))
                });
                drawn.collect()
            }
            Positions::Listed(lines) => {
                let before = start_stones(game);
                let read = |(number, line): (usize, &String)| {
                    let text = line.trim();
                    if let Ok(pos) = entry.locate(&PositionRef::Position(text.to_string())) {
                        let stones = game.board(&pos).map(|board| board.stones());
                        let made = stones.zip(before).map(|(now, before)| now.saturating_sub(before) as u32);
                        return Ok((pos, made));
                    }
                    let pos = entry.locate(&PositionRef::Moves(text.to_string())).map_err(|trouble| {
                        Trouble::unable(format!(
                            "line {}: neither a position nor moves: {trouble}",
                            number + 1
                        ))
                    })?;
                    Ok((pos, Some(game.split_moves(text).len() as u32)))
                };
                let lines = lines.iter().enumerate().filter(|(_, line)| !line.trim().is_empty());
                lines.map(read).collect()
            }
        }
    }

    /// The text that identifies the selection in a partial file.
    pub(crate) fn identity(&self) -> String {
        match self {
            // The name and the fields of `Sampling` are part of the file format.
            Positions::Random { count, sampling } => format!("random {count} {sampling:?}"),
            Positions::Listed(lines) => format!("listed {}", fingerprint(lines)),
        }
    }
}

/// A hash of a list of lines (FNV-1a).
pub fn fingerprint(lines: &[String]) -> String {
    let step = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
    let bytes = lines.iter().flat_map(|line| line.bytes().chain([b'\n']));
    format!("{} lines, {:016x}", lines.len(), bytes.fold(0xcbf2_9ce4_8422_2325, step))
}

/// Stones at the start; `None` for games without a line board.
fn start_stones(game: &AnyGame) -> Option<usize> {
    game.board(&game.start()?).map(|board| board.stones())
}

/// The positions of a table in the order of their numbers.
pub(crate) struct TablePositions<'a> {
    game: &'a AnyGame,
    reader: Reader,
    reached: Option<Reach>,
    tiers: Vec<u64>,
    plies: (u32, u32),
    /// Stones at the start, for games with a board.
    stones: Option<usize>,
}

/// A range of numbers of a tier.
pub(crate) type Piece = (usize, Range<u64>);

impl<'a> TablePositions<'a> {
    pub(crate) fn new(
        entry: &'a GameHandle,
        labels: &Labels<'_>,
        request: &Request,
        session: &Session,
        watch: &dyn Monitor,
    ) -> Result<TablePositions<'a>, Trouble> {
        let game = entry.game();
        let plies = plies(request)?;
        let reader = labels.reader.clone().filter(|reader| !reader.tiers().is_empty());
        let Some(reader) = reader else {
            let data = session.data.clone().unwrap_or_default();
            let (spec, table) = (entry.spec(), table_name(&entry.spec()));
            if game.has_dice() {
                let why = format!(
                    "the positions of {spec} cannot be listed, because it has dice; give the number of positions"
                );
                return Err(Trouble::unable(why));
            }
            return Err(TableError::NoTable { table, spec, values: None, data }.into());
        };
        let start = game.start();
        let stones = start_stones(game);
        if stones.is_none() && request.plies.is_some() {
            let why = "a range of plies needs a board game or positions of random games; give a number of positions, or leave out the plies";
            return Err(Trouble::unable(why));
        }
        let reached = match &start {
            Some(start) => reader.reached(start, watch)?,
            None => None,
        };
        let tiers = reader.tiers();
        Ok(TablePositions { game, reader, reached, tiers, plies, stones })
    }

    /// Expected number of positions.
    pub(crate) fn expected(&self) -> u64 {
        match &self.reached {
            Some(reached) => (0..self.tiers.len()).map(|tier| reached.count(Tier(tier as u32))).sum(),
            None => self.tiers.iter().sum(),
        }
    }

    /// Splits all numbers into pieces.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.tiers.iter().enumerate().flat_map(|(tier, &size)| {
            let piece = move |start: u64| (tier, start..size.min(start + PIECE));
            (0..size).step_by(PIECE as usize).map(piece)
        })
    }

    /// Passes the label of each position of a piece to `found`.
    pub(crate) fn each_label(
        &self,
        (tier, numbers): &Piece,
        labels: &Labels<'_>,
        watch: &dyn Monitor,
        mut tell: impl FnMut(&Label) -> Result<(), Trouble>,
    ) -> Result<(), Trouble> {
        let (mut scratch, mut breaths, mut result) = (Scratch::default(), 0u32, Ok(()));
        let mut visit = |pos: AnyPosition| {
            breaths += 1;
            if breaths.is_multiple_of(BREATH) && watch.stopped() {
                return Err(Trouble::stopped());
            }
            let board = self.stones.and_then(|_| self.game.board(&pos));
            let made = |stones: usize| Some((board.as_ref()?.stones() - stones) as u32);
            let ply = self.stones.and_then(made);
            if ply.is_some_and(|ply| !(self.plies.0..=self.plies.1).contains(&ply)) {
                return Ok(());
            }
            let mut label = labels.of(pos, ply, &mut scratch, watch)?;
            label.board = board;
            tell(&label)
        };
        let wanted =
            |number| self.reached.as_ref().is_none_or(|reached| reached.has(Tier(*tier as u32), number));
        self.reader.positions(*tier, numbers.clone(), &wanted, &mut |pos| {
            if result.is_ok() {
                result = visit(pos);
            }
        });
        result
    }
}
