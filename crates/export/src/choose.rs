//! Which positions: all that a table holds, or those that random games come by.

use crate::Request;
use crate::label::{Labels, class};
use outplay_answer::{Entry, Place, QueryOptions, Reached, Reader, TableError, Trouble, table_name};
use outplay_core::{AnyGame, AnyPosition, Chance, Game, Turn, Watch};
use rand::rngs::SmallRng;
use rand::{RngExt, SeedableRng};
use rustc_hash::FxHashSet;

/// Positions that are labelled together.
const BATCH: usize = 1 << 14;
/// Random games that bring nothing new before the search for positions ends.
const VAIN: u64 = 100_000;
/// The longest random game.
const LONGEST: u32 = 1_000;

/// A position and the moves made before it, where they are counted.
pub(crate) type Batch = Vec<(AnyPosition, Option<u32>)>;

/// Where positions come from.
pub(crate) enum Chosen<'a> {
    /// The numbers of a table, in their order.
    All {
        game: &'a AnyGame,
        reader: Reader,
        reached: Option<Reached>,
        tiers: Vec<u64>,
        tier: usize,
        number: u64,
        plies: (u32, u32),
        stones: Option<usize>,
    },
    /// Random games.
    Games {
        game: &'a AnyGame,
        start: AnyPosition,
        rng: SmallRng,
        seen: FxHashSet<u64>,
        plies: (u32, u32),
        vain: u64,
    },
}

impl<'a> Chosen<'a> {
    pub(crate) fn new(
        entry: &'a Entry,
        labels: &Labels<'_>,
        request: &Request,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Chosen<'a>, Trouble> {
        let game = entry.game();
        let plies = request.plies.unwrap_or((0, u32::MAX));
        if plies.0 > plies.1 {
            return Err(Trouble::unable(format!("from ply {} to ply {} there is none", plies.0, plies.1)));
        }
        if request.positions.is_some() {
            let start = entry.locate(&Place::Start)?;
            let rng = SmallRng::seed_from_u64(request.seed);
            return Ok(Chosen::Games { game, start, rng, seen: FxHashSet::default(), plies, vain: 0 });
        }
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
        Ok(Chosen::All { game, reader, reached, tiers, tier: 0, number: 0, plies, stones })
    }

    /// About how many there are.
    pub(crate) fn expected(&self) -> u64 {
        match self {
            Chosen::All { reached: Some(reached), tiers, .. } => {
                (0..tiers.len()).map(|tier| reached.count(tier)).sum()
            }
            Chosen::All { tiers, .. } => tiers.iter().sum(),
            Chosen::Games { .. } => 0,
        }
    }

    /// The next positions; none at the end.
    pub(crate) fn next_batch(&mut self, watch: &dyn Watch) -> Result<Batch, Trouble> {
        let mut batch = Vec::with_capacity(BATCH);
        match self {
            Chosen::All { game, reader, reached, tiers, tier, number, plies, stones } => {
                while batch.len() < BATCH && *tier < tiers.len() {
                    if *number >= tiers[*tier] {
                        (*tier, *number) = (*tier + 1, 0);
                        continue;
                    }
                    let at = *number;
                    *number += 1;
                    if at % 4096 == 0 && watch.stopped() {
                        return Err(Trouble::stopped());
                    }
                    if reached.as_ref().is_some_and(|reached| !reached.has(*tier, at)) {
                        continue;
                    }
                    let Some(pos) = reader.position(*tier, at) else { continue };
                    let ply = stones.and_then(|stones| Some((game.board(&pos)?.stones() - stones) as u32));
                    if ply.is_none_or(|ply| (plies.0..=plies.1).contains(&ply)) {
                        batch.push((pos, ply));
                    }
                }
            }
            Chosen::Games { game, start, rng, seen, plies, vain } => {
                // Smaller batches: what a quota refuses was labelled in vain.
                while batch.len() < BATCH / 16 && *vain < VAIN {
                    if *vain % 64 == 0 && watch.stopped() {
                        return Err(Trouble::stopped());
                    }
                    *vain += 1;
                    let Some((pos, ply)) = wander(game, start, rng, *plies) else { continue };
                    if seen.insert(class(game, &pos)) {
                        *vain = 0;
                        batch.push((pos, Some(ply)));
                    }
                }
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
