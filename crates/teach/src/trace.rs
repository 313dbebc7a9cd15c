//! Search trace for replay: every position in the order in which it was entered, with its window, value and cutoff.
//!
//! ```text
//!  nodes[0]  the root        parents before children, children in the order in which they were tried, so that the
//!  nodes[1]  its first move  search can be replayed step by step from the list alone
//! ```
//!
//! Invariant: values and windows are the first player's, and distances count from the root.

use crate::evaluation::leaves;
use outplay_core::{AnyGame, AnyPosition, Counters, Game, Notation, Turn, Verdict};
use outplay_players::PlayerContext;
use outplay_runtime::{Deadline, Monitor};
use outplay_search::{Bound, Cut, DiceMethod, Fate, Tree, TreeOptions, TreeOrder, Worth, dice_tree, tree};
use outplay_workbench::{GameHandle, PositionRef, Session, Trouble, kit};
use serde::Serialize;

/// Length limit of a position's text that is included, so that it can be drawn.
const SHORT: usize = 48;

/// Parameters of a search that is recorded for replay.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceRequest {
    /// Search depth in plies.
    pub depth: u32,
    /// Whether it prunes.
    pub prune: bool,
    /// The method for chance nodes; `None` for Star2, or expectiminimax without pruning.
    pub dice: Option<DiceMethod>,
    /// The evaluation at the horizon.
    pub eval: Option<String>,
    /// Move ordering; games with chance keep the order of the rules.
    pub order: TreeOrder,
    /// Whether a position is left as soon as the maximum payoff is found.
    pub best_payoff: bool,
    /// Whether a faster win is better.
    pub distance: bool,
    /// Limit on the recorded positions.
    pub most: usize,
}

impl Default for TraceRequest {
    fn default() -> TraceRequest {
        TraceRequest {
            depth: 2,
            prune: true,
            dice: None,
            eval: None,
            order: TreeOrder::Rules,
            best_payoff: true,
            distance: true,
            most: 400,
        }
    }
}

/// A search recorded for replay, position by position.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The canonical spec.
    pub game: String,
    /// The root.
    pub position: String,
    /// The method: minimax, alpha-beta, expectiminimax, star1 or star2.
    pub method: &'static str,
    /// The move ordering.
    pub order: &'static str,
    /// Search depth in plies.
    pub depth: u32,
    /// Counters of the whole search.
    pub counters: Counters,
    /// Number of plies that are recorded completely.
    pub recorded_plies: u32,
    /// Whether the root's value is that of the game; otherwise it is an estimate: it rests on positions at the horizon.
    pub exact: bool,
    /// A sentence about the missing part.
    pub note: Option<String>,
    /// The positions.
    pub nodes: Vec<TraceNode>,
}

/// A position of a recorded search.
#[derive(Clone, Debug, Serialize)]
pub struct TraceNode {
    /// The index of its parent in the list.
    pub parent: Option<usize>,
    /// The move that led here.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The position, if its text is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// The player to move here.
    pub turn: Turn,
    /// Plies from the root.
    pub ply: u32,
    /// The probability of the chance outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Star2 probed one reply here for a bound and did not enter the position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub glance: bool,
    /// Alpha and beta when it was entered.
    pub window: (Option<TraceValue>, Option<TraceValue>),
    /// The outcome of the visit: expanded, finished, horizon or cut.
    pub fate: &'static str,
    /// The kind of cutoff: alpha, beta, best or dice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<&'static str>,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// The kind of bound: exact, at least, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// Its value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<TraceValue>,
    /// Whether it is on the principal variation.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub principal: bool,
    /// An earlier sibling that is symmetric to it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub twin: Option<usize>,
    /// Positions entered below it that are not recorded.
    #[serde(skip_serializing_if = "is_nothing")]
    pub left_out: u64,
    /// Moves cut off here that are not recorded.
    #[serde(skip_serializing_if = "is_nothing")]
    pub cut_left_out: u64,
}

fn is_nothing(count: &u64) -> bool {
    *count == 0
}

/// Value of a recorded position: the result of the game, an evaluation, or a mean.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum TraceValue {
    /// The result for the first player, and its distance from the root.
    End {
        /// Win, draw or loss.
        value: Verdict,
        /// Plies from the root.
        distance: Option<u32>,
    },
    /// A static evaluation, on the scale of payoffs.
    Opinion {
        /// From −1 to 1.
        opinion: f64,
    },
    /// The mean payoff.
    Mean {
        /// The mean over chance outcomes.
        mean: f64,
    },
}

impl From<Worth> for TraceValue {
    fn from(worth: Worth) -> TraceValue {
        match worth {
            Worth::End(value) => TraceValue::End { value: value.verdict(), distance: value.distance() },
            Worth::Opinion(score) => TraceValue::Opinion { opinion: f64::from(score) / 100.0 },
            Worth::Mean(mean) => TraceValue::Mean { mean: mean + 0.0 },
        }
    }
}

/// Records a search for replay. Safe for untrusted requests: evaluations read no files.
///
/// # Errors
///
/// Bad input, a timeout, or a stop.
pub fn trace(
    session: &Session,
    handle: &GameHandle,
    place: &PositionRef,
    request: &TraceRequest,
    watch: &dyn Monitor,
) -> Result<Trace, Trouble> {
    let game = handle.game();
    let pos = handle.locate(place)?;
    let kit = PlayerContext { files: None, ..kit(session, handle) };
    let leaves = leaves(&kit, &pos, request.eval.as_deref())?;
    let clock = Deadline::new(session.time, watch);
    let TraceRequest { depth, prune, dice, order, best_payoff, distance, most, .. } = *request;
    if game.has_dice() {
        let plain = if prune { DiceMethod::Star2 } else { DiceMethod::Expectiminimax };
        let found = dice_tree(game, &pos, &leaves, depth, dice.unwrap_or(plain), most, &clock)?;
        return Ok(replayed(handle, &found));
    }
    if dice.is_some() {
        let why = "this game has no dice; use the method minimax or alphabeta";
        return Err(Trouble::unable(why));
    }
    // Minimax visits every move, even after a win is found.
    let best_payoff = best_payoff && prune;
    let session = TreeOptions { prune, best_payoff, distance, most, order };
    Ok(replayed(handle, &tree(game, &pos, &leaves, depth, session, &clock)?))
}

fn replayed(handle: &GameHandle, found: &Tree<AnyGame>) -> Trace {
    let game = handle.game();
    let mut parents = vec![None; found.branches.len()];
    for (at, branch) in found.branches.iter().enumerate() {
        branch.children.iter().for_each(|&child| parents[child] = Some(at));
    }
    let nodes = found.branches.iter().enumerate().map(|(at, branch)| {
        let parent = parents[at];
        let above = parent.map(|parent| &found.branches[parent]);
        let position = game.write_position(&branch.pos);
        let cut = if let Fate::CutOff(cut) = branch.fate { Some(cut) } else { None };
        TraceNode {
            parent,
            mv: branch.mv.zip(above).map(|(mv, above)| game.write_move(&above.pos, mv)),
            position: (position.len() <= SHORT).then_some(position),
            turn: branch.turn,
            ply: branch.ply,
            probability: branch.probability,
            glance: branch.glance,
            window: (branch.window.0.map(TraceValue::from), branch.window.1.map(TraceValue::from)),
            fate: match branch.fate {
                Fate::Expanded => "expanded",
                Fate::Finished => "finished",
                Fate::Horizon => "horizon",
                Fate::CutOff(_) => "cut",
            },
            cut: cut.map(|cut| match cut {
                Cut::Alpha => "alpha",
                Cut::Beta => "beta",
                Cut::BestPayoff => "best",
                Cut::Dice => "dice",
            }),
            reason: cut.map(Cut::reason),
            bound: branch.worth.map(|(bound, _)| match bound {
                Bound::Exact => "exact",
                Bound::AtLeast => "at least",
                Bound::AtMost => "at most",
            }),
            worth: branch.worth.map(|(_, worth)| worth.into()),
            principal: branch.principal,
            twin: above.and_then(|above| {
                let earlier = above.children.iter().copied().take_while(|&child| child < at);
                let earlier: Vec<usize> = earlier.collect();
                twin(game, found, &branch.pos, &earlier)
            }),
            left_out: branch.left_out,
            cut_left_out: branch.cut_left_out as u64,
        }
    });
    let nodes = nodes.collect();
    Trace {
        game: game.spec(),
        position: found.branches.first().map(|root| game.write_position(&root.pos)).unwrap_or_default(),
        method: match found.dice {
            Some(dice) => dice.word(),
            None if found.options.prune => "alpha-beta",
            None => "minimax",
        },
        order: found.options.order.word(),
        depth: found.depth,
        counters: found.counts,
        recorded_plies: found.recorded_plies,
        exact: found.exact,
        note: found.note(),
        nodes,
    }
}

/// The first earlier sibling that is symmetric to a position.
fn twin(game: &AnyGame, found: &Tree<AnyGame>, pos: &AnyPosition, earlier: &[usize]) -> Option<usize> {
    if earlier.is_empty() || game.turn(pos) == Turn::Chance {
        return None;
    }
    let mut images = Vec::new();
    game.symmetric(pos, &mut images);
    earlier.iter().copied().find(|&sibling| {
        let other = &found.branches[sibling].pos;
        other == pos || images.contains(other)
    })
}
