//! A recorded search as data that can be replayed: every position in the order in which it was entered, with its
//! window, its worth and what became of it.
//!
//! ```text
//!  nodes[0]  the root        parents before children, children in the order in which they were tried, so that the
//!  nodes[1]  its first move  search can be walked through step by step from the list alone
//! ```
//!
//! Invariant: worths and windows are the first player's, and distances count from the root.

use crate::Trouble;
use crate::entry::Entry;
use crate::request::{Place, QueryOptions};
use outplay_core::{AnyGame, AnyPosition, Counters, Deadline, Game, Notation, Turn, Verdict, Watch};
use outplay_players::Kit;
use outplay_search::{Bound, Cut, DiceMethod, Fate, Tree, TreeOptions, TreeOrder, Worth, dice_tree, tree};
use serde::Serialize;

/// Positions written this short are told, so that they can be drawn.
const SHORT: usize = 48;

/// Which search is recorded.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct TraceRequest {
    /// Plies that it looks ahead.
    pub depth: u32,
    /// Whether it leaves out what cannot matter.
    pub prune: bool,
    /// How it looks ahead through dice; `None` for Star2, or expectiminimax where nothing is pruned.
    pub dice: Option<DiceMethod>,
    /// The opinion at its horizon.
    pub eval: Option<String>,
    /// Which moves it tries first; games with dice keep the order of the rules.
    pub order: TreeOrder,
    /// Whether a position is left as soon as nothing better can be found there.
    pub best_payoff: bool,
    /// Whether a sooner win is better.
    pub distance: bool,
    /// Positions to record.
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

/// A recorded search.
#[derive(Clone, Debug, Serialize)]
pub struct Trace {
    /// The canonical spec.
    pub game: String,
    /// The root.
    pub position: String,
    /// How it searched: minimax, alpha-beta, expectiminimax, star1 or star2.
    pub method: &'static str,
    /// The order of moves.
    pub order: &'static str,
    /// Plies that it looked ahead.
    pub depth: u32,
    /// What it did, recorded or not.
    pub counters: Counters,
    /// Plies that are recorded as a whole.
    pub recorded_plies: u32,
    /// What is missing, in a sentence.
    pub note: Option<String>,
    /// The positions.
    pub nodes: Vec<TraceNode>,
}

/// A position of a recorded search.
#[derive(Clone, Debug, Serialize)]
pub struct TraceNode {
    /// Its parent's place in the list.
    pub parent: Option<usize>,
    /// The move that led here.
    #[serde(rename = "move")]
    pub mv: Option<String>,
    /// The position, where it is short.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub position: Option<String>,
    /// Who chooses here.
    pub turn: Turn,
    /// Plies from the root.
    pub ply: u32,
    /// How likely the dice lead here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Star2 looked at one reply here for a bound, and did not enter it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub glance: bool,
    /// Alpha and beta when it was entered.
    pub window: (Option<Said>, Option<Said>),
    /// What became of it: expanded, finished, horizon or cut.
    pub fate: &'static str,
    /// Why it was cut off: alpha, beta, best or dice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cut: Option<&'static str>,
    /// The same in a sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub reason: Option<&'static str>,
    /// How the worth is meant: exact, at least, at most.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<&'static str>,
    /// What it is worth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub worth: Option<Said>,
    /// Whether best play goes through it.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub principal: bool,
    /// A sibling before it that is the same but for a symmetry.
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

/// A worth: the end of the game, an opinion, or a mean.
#[derive(Clone, Copy, PartialEq, Debug, Serialize)]
#[serde(untagged)]
pub enum Said {
    /// The game ends so for the first player, so many plies from the root.
    End {
        /// Win, draw or loss.
        value: Verdict,
        /// Plies from the root.
        distance: Option<u32>,
    },
    /// What an evaluation thinks, on the scale of payoffs.
    Opinion {
        /// From −1 to 1.
        opinion: f64,
    },
    /// The mean payoff.
    Mean {
        /// As the dice fall.
        mean: f64,
    },
}

impl From<Worth> for Said {
    fn from(worth: Worth) -> Said {
        match worth {
            Worth::End(value) => Said::End { value: value.verdict(), distance: value.distance() },
            Worth::Opinion(score) => Said::Opinion { opinion: f64::from(score) / 100.0 },
            Worth::Mean(mean) => Said::Mean { mean: mean + 0.0 },
        }
    }
}

impl Entry {
    /// A search, recorded so that it can be replayed. It is for strangers: evaluations read no files.
    ///
    /// # Errors
    ///
    /// Bad input, time that ran out, or a stop.
    pub fn trace(
        &self,
        place: &Place,
        request: &TraceRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Trace, Trouble> {
        let game = self.game();
        let pos = self.locate(place)?;
        let kit = Kit { files: None, ..self.kit(options) };
        let leaves = self.leaves_by(&pos, request.eval.as_deref(), &kit)?;
        let clock = Deadline::new(options.time, watch);
        let TraceRequest { depth, prune, dice, order, best_payoff, distance, most, .. } = *request;
        if game.has_dice() {
            let plain = if prune { DiceMethod::Star2 } else { DiceMethod::Expectiminimax };
            let found = dice_tree(game, &pos, &leaves, depth, dice.unwrap_or(plain), most, &clock)?;
            return Ok(self.replayed(&found));
        }
        if dice.is_some() {
            let why = "this game has no dice; ask for the methods minimax or alphabeta";
            return Err(Trouble::unable(why));
        }
        // Minimax looks at everything, even where a win is found.
        let best_payoff = best_payoff && prune;
        let options = TreeOptions { prune, best_payoff, distance, most, order };
        Ok(self.replayed(&tree(game, &pos, &leaves, depth, options, &clock)?))
    }

    fn replayed(&self, found: &Tree<AnyGame>) -> Trace {
        let game = self.game();
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
                window: (branch.window.0.map(Said::from), branch.window.1.map(Said::from)),
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
            note: found.note(),
            nodes,
        }
    }
}

/// The first of the earlier siblings that is symmetric to a position.
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
