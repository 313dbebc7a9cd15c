//! Recorded search trees of small searches, drawn as text and SVG, so that pruning can be seen.

use crate::evaluation::leaves;
use outplay_core::{AnyGame, AnyPosition, Counters, Notation};
use outplay_runtime::Monitor;
use outplay_search::{DiceMethod, Fate, Tree, TreeOptions, Worth};
use outplay_workbench::{GameHandle, PlainCount, PositionRef, Session, Trouble, kit};
use serde::Serialize;

/// A recorded search tree for display.
#[derive(Clone, Debug, Serialize)]
pub struct TreeReport {
    /// The canonical spec.
    pub game: String,
    /// Positions that the search entered, recorded or not.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// Counters of the search.
    pub counters: Counters,
    /// The tree as data, from the root.
    pub tree: TreeNode,
    /// The tree as text.
    pub text: String,
    /// The tree as a self-contained SVG.
    pub svg: String,
}

/// A position of a [`TreeReport`].
#[derive(Clone, Debug, Serialize)]
pub struct TreeNode {
    /// The move that led here; none at the root.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub mv: Option<String>,
    /// Its value for the player to move here, within the search depth.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// The probability of the chance outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// Star2 probed one reply for a bound and did not enter the position.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub glance: bool,
    /// Whether it was cut off before it was entered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Its children.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<TreeNode>,
}

/// Records and draws a small search, so that pruning can be seen; `eval` names the evaluation at its leaves. Games
/// with chance are searched by Star2, or by expectiminimax without pruning.
///
/// # Errors
///
/// Bad input, or a stop.
pub fn tree(
    handle: &GameHandle,
    place: &PositionRef,
    depth: u32,
    prune: bool,
    eval: Option<&str>,
    watch: &dyn Monitor,
) -> Result<TreeReport, Trouble> {
    if handle.game().has_dice() {
        let method = if prune { DiceMethod::Star2 } else { DiceMethod::Expectiminimax };
        return dice_tree(handle, place, depth, method, eval, watch);
    }
    let game = handle.game();
    let pos = handle.locate(place)?;
    let leaves = leaves(&kit(&Session::default(), handle), &pos, eval)?;
    // Minimax visits every move, even after a win is found.
    let options = TreeOptions { prune, best_payoff: prune, ..TreeOptions::default() };
    Ok(drawn(game, &outplay_search::tree(game, &pos, &leaves, depth, options, watch)?))
}

/// The same for a game with chance, by a given method.
///
/// # Errors
///
/// Bad input, a game without chance, or a stop.
pub fn dice_tree(
    handle: &GameHandle,
    place: &PositionRef,
    depth: u32,
    method: DiceMethod,
    eval: Option<&str>,
    watch: &dyn Monitor,
) -> Result<TreeReport, Trouble> {
    let game = handle.game();
    let pos = handle.locate(place)?;
    if !game.has_dice() {
        let why = format!(
            "{} has no dice; its trees are those of alpha-beta or, with nothing cut off, of minimax",
            game.spec()
        );
        return Err(Trouble::unable(why));
    }
    let leaves = leaves(&kit(&Session::default(), handle), &pos, eval)?;
    let most = TreeOptions::default().most;
    Ok(drawn(game, &outplay_search::dice_tree(game, &pos, &leaves, depth, method, most, watch)?))
}

/// Converts a recorded search to data, text and a picture.
fn drawn(game: &AnyGame, found: &Tree<AnyGame>) -> TreeReport {
    TreeReport {
        game: game.spec(),
        positions: PlainCount(found.counts.nodes),
        counters: found.counts,
        tree: node(game, found, 0, None),
        text: found.text(game),
        svg: found.svg(game),
    }
}

/// Converts a recorded position and its subtree.
fn node(game: &AnyGame, found: &Tree<AnyGame>, at: usize, parent: Option<&AnyPosition>) -> TreeNode {
    let branch = &found.branches[at];
    TreeNode {
        mv: branch.mv.zip(parent).map(|(mv, parent)| game.write_move(parent, mv)),
        value: branch.worth.map(|(_, worth)| match worth {
            Worth::End(value) => value.to_string(),
            Worth::Opinion(score) => format!("{:+.2}", f64::from(score) / 100.0),
            Worth::Mean(mean) => format!("{:+.6}", mean + 0.0),
        }),
        probability: branch.probability,
        glance: branch.glance,
        cut: matches!(branch.fate, Fate::CutOff(_)),
        moves: branch.children.iter().map(|&child| node(game, found, child, Some(&branch.pos))).collect(),
    }
}
