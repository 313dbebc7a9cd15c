//! Which positions: all that a table holds, or those that random games come by.

use crate::Request;
use crate::label::{Label, Labels, Scratch, class};
use outplay_answer::{Entry, Place, QueryOptions, Reached, Reader, TableError, Trouble, table_name};
use outplay_core::{AnyGame, AnyPosition, Chance, Game, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashSet;
use std::ops::Range;

/// Numbers of a table that a thread takes at a time.
const PIECE: u64 = 1 << 14;
/// Positions between two questions whether to stop.
const BREATH: u32 = 256;
/// Positions of random games that are labelled together: few, as what a quota refuses was labelled in vain.
const BATCH: usize = 1 << 10;
/// Random games that bring nothing new before the search for positions ends.
const VAIN: u64 = 100_000;
/// The longest random game.
const LONGEST: u32 = 1_000;

/// The plies that are wanted.
fn plies(request: &Request) -> Result<(u32, u32), Trouble> {
    let plies = request.plies.unwrap_or((0, u32::MAX));
    if plies.0 > plies.1 {
        return Err(Trouble::unable(format!("from ply {} to ply {} there is none", plies.0, plies.1)));
    }
    Ok(plies)
}

/// The numbers of a table, in their order.
pub(crate) struct Listed<'a> {
    game: &'a AnyGame,
    reader: Reader,
    reached: Option<Reached>,
    tiers: Vec<u64>,
    plies: (u32, u32),
    /// Stones at the start, on boards.
    stones: Option<usize>,
}

/// Some numbers of a tier.
pub(crate) type Piece = (usize, Range<u64>);

impl<'a> Listed<'a> {
    pub(crate) fn new(
        entry: &'a Entry,
        labels: &Labels<'_>,
        request: &Request,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Listed<'a>, Trouble> {
        let game = entry.game();
        let plies = plies(request)?;
        let reader = labels.reader.clone().filter(|reader| !reader.tiers().is_empty());
        let Some(reader) = reader else {
            let data = options.data.clone().unwrap_or_default();
            let (spec, table) = (entry.spec(), table_name(&entry.spec()));
            if game.has_dice() {
                let why =
                    format!("the positions of {spec} cannot be listed, because it has dice; say how many");
                return Err(Trouble::unable(why));
            }
            return Err(TableError::NoTable { table, spec, values: None, data }.into());
        };
        let start = game.start();
        let stones = start.as_ref().and_then(|start| game.board(start)).map(|board| board.stones());
        if stones.is_none() && request.plies.is_some() {
            let why = "plies are counted on boards and in random games; say how many positions, or leave out the plies";
            return Err(Trouble::unable(why));
        }
        let reached = match &start {
            Some(start) => reader.reached(start, watch)?,
            None => None,
        };
        let tiers = reader.tiers();
        Ok(Listed { game, reader, reached, tiers, plies, stones })
    }

    /// About how many there are.
    pub(crate) fn expected(&self) -> u64 {
        match &self.reached {
            Some(reached) => (0..self.tiers.len()).map(|tier| reached.count(tier)).sum(),
            None => self.tiers.iter().sum(),
        }
    }

    /// All numbers, piece by piece.
    pub(crate) fn pieces(&self) -> impl Iterator<Item = Piece> {
        self.tiers.iter().enumerate().flat_map(|(tier, &size)| {
            let piece = move |start: u64| (tier, start..size.min(start + PIECE));
            (0..size).step_by(PIECE as usize).map(piece)
        })
    }

    /// Tells what is known of each of a piece's positions.
    pub(crate) fn each_label(
        &self,
        (tier, numbers): &Piece,
        labels: &Labels<'_>,
        watch: &dyn Watch,
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
        let wanted = |number| self.reached.as_ref().is_none_or(|reached| reached.has(*tier, number));
        self.reader.positions(*tier, numbers.clone(), &wanted, &mut |pos| {
            if result.is_ok() {
                result = visit(pos);
            }
        });
        result
    }
}

/// Positions that random games come by.
pub(crate) struct Games<'a> {
    game: &'a AnyGame,
    start: AnyPosition,
    rng: SmallRng,
    seen: FxHashSet<u64>,
    plies: (u32, u32),
    vain: u64,
}

impl<'a> Games<'a> {
    pub(crate) fn new(entry: &'a Entry, request: &Request) -> Result<Games<'a>, Trouble> {
        let plies = plies(request)?;
        let start = entry.locate(&Place::Start)?;
        let rng = SmallRng::seed_from_u64(request.seed);
        Ok(Games { game: entry.game(), start, rng, seen: FxHashSet::default(), plies, vain: 0 })
    }

    /// The next positions, each with the moves made before it; none at the end.
    pub(crate) fn next_batch(&mut self, watch: &dyn Watch) -> Result<Vec<(AnyPosition, u32)>, Trouble> {
        let mut batch = Vec::with_capacity(BATCH);
        let mut scratch = Scratch::default();
        while batch.len() < BATCH && self.vain < VAIN {
            if self.vain.is_multiple_of(64) && watch.stopped() {
                return Err(Trouble::stopped());
            }
            self.vain += 1;
            let Some((pos, ply)) = wander(self.game, &self.start, &mut self.rng, self.plies) else {
                continue;
            };
            if self.seen.insert(class(self.game, &pos, &mut scratch)) {
                self.vain = 0;
                batch.push((pos, ply));
            }
        }
        Ok(batch)
    }
}

/// A position of a random game within the plies, each of its plies equally likely; `None` if it ended before.
fn wander(
    game: &AnyGame,
    start: &AnyPosition,
    rng: &mut SmallRng,
    plies: (u32, u32),
) -> Option<(AnyPosition, u32)> {
    let (mut pos, mut ply) = (start.clone(), 0);
    let (mut kept, mut met) = (None, 0u32);
    while ply <= plies.1.min(LONGEST) {
        if ply >= plies.0 {
            met += 1;
            if rng.random_range(0..met) == 0 {
                kept = Some((pos.clone(), ply));
            }
        }
        if game.outcome(&pos).is_some() {
            break;
        }
        let count = game.list(&pos).count();
        let mut place = rng.random_range(0..count);
        if game.turn(&pos) == Turn::Chance {
            let mut rolls = Vec::new();
            game.outcomes(&pos, &mut rolls);
            let mut left: f64 = rng.random();
            place = rolls
                .iter()
                .position(|(_, odds)| {
                    left -= odds;
                    left < 0.0
                })
                .unwrap_or(rolls.len() - 1);
        }
        let mv = game.list(&pos).nth(place)?;
        pos = game.play(&pos, mv);
        ply += 1;
    }
    kept
}
