//! Linear evaluation: the weighted sum of features, on bitboards and on boards of any size.
//!
//! Weights are scaled to integers (fixed point), so that small weights still distinguish positions. The features of the
//! Connect-4 report are computed from the point of view of the player who chooses the move, whichever player is to
//! move. The extended features depend on the player to move, so they are always those of the player who moved last.

use super::features::{count, paper};
use super::field::BoardGeometry;
use super::{FeatureSet, Weights, plain_features};
use crate::Judge;
use crate::insight::{Insight, Part};
use outplay_core::{AnyGame, AnyPosition, Native, Turn};
use outplay_games::mnk::Mnk;
use outplay_index::Bits;
use std::sync::Arc;

/// The scaled value of the largest weight.
const LARGEST: f32 = 2000.0;

/// The factor that scales weights to integers. Fours never occur in unfinished positions and do not count.
fn scale(weights: &Weights) -> f32 {
    let fours = weights.set().names().iter().position(|name| *name == "fours");
    let counted = weights.values().iter().enumerate().filter(|(at, _)| Some(*at) != fours);
    let largest = counted.map(|(_, weight)| weight.abs()).fold(0.0, f32::max);
    if largest > 0.0 { LARGEST / largest } else { 1.0 }
}

/// The linear evaluation on bitboards.
pub(crate) struct BitLines<B: Bits> {
    native: Native<Mnk<B>>,
    field: BoardGeometry<B>,
    weights: Weights,
    scaled: Vec<f32>,
    whole: [i32; 5],
}

impl<B: Bits> BitLines<B> {
    pub(crate) fn new(game: &Mnk<B>, weights: Weights) -> Option<BitLines<B>> {
        let field = BoardGeometry::new(game.rules().start())?;
        let factor = scale(&weights);
        let scaled: Vec<f32> = weights.values().iter().map(|weight| weight * factor).collect();
        let whole = std::array::from_fn(|at| scaled.get(at).map_or(0, |weight| weight.round() as i32));
        Some(BitLines { native: Native::new(game.clone()), field, weights, scaled, whole })
    }

    /// The terms that [`BitLines::opinion`] adds up, by name.
    fn parts(&self, own: B, other: B, last: bool, first: bool) -> Vec<Part> {
        let names = self.weights.set().names();
        if self.weights.set() == FeatureSet::Paper {
            let counts = paper(&self.field, own, other);
            let parts = names.iter().zip(counts).zip(&self.whole);
            return parts
                .map(|((name, count), weight)| Part::new(*name, count.into(), (*weight).into()))
                .collect();
        }
        let mut features = vec![0.0; self.scaled.len()];
        let (mine, their) = if last { (own, other) } else { (other, own) };
        count(FeatureSet::Extended, &self.field, mine, their, last == first, &mut features);
        let sign = if last { 1.0 } else { -1.0 };
        let parts = names.iter().zip(&features).zip(&self.scaled);
        parts
            .map(|((name, count), weight)| Part::new(*name, (*count).into(), sign * f64::from(*weight)))
            .collect()
    }

    /// The stones of `me`, the opponent's, whether `me` moved last, and whether `me` is the first player.
    fn seen(&self, pos: &AnyPosition, me: Turn) -> (B, B, bool, bool) {
        let pos = self.native.pos(pos);
        let [first, second] = pos.stones;
        let (own, other) = if me == Turn::Second { (second, first) } else { (first, second) };
        let to_move = if pos.second_to_move { Turn::Second } else { Turn::First };
        (own, other, me != to_move, me != Turn::Second)
    }

    /// Evaluates a position for the player with the stones `own`, who moved last if `last` and is the first player if
    /// `first`.
    #[inline]
    pub(crate) fn opinion(&self, own: B, other: B, last: bool, first: bool) -> i32 {
        if self.weights.set() == FeatureSet::Paper {
            let counts = paper(&self.field, own, other);
            return counts.iter().zip(&self.whole).map(|(count, weight)| count * weight).sum();
        }
        let mut features = [0.0; 60];
        let features = &mut features[..self.scaled.len()];
        let (mine, their) = if last { (own, other) } else { (other, own) };
        count(FeatureSet::Extended, &self.field, mine, their, last == first, features);
        let sum: f32 = features.iter().zip(&self.scaled).map(|(count, weight)| count * weight).sum();
        let sum = sum.round() as i32;
        if last { sum } else { -sum }
    }
}

impl<B: Bits> Judge for BitLines<B> {
    fn spec(&self) -> String {
        self.weights.spec()
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let (own, other, last, first) = self.seen(pos, me);
        self.opinion(own, other, last, first)
    }

    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        let (own, other, last, first) = self.seen(pos, me);
        let parts = self.parts(own, other, last, first);
        Insight { score: self.score(pos, me), scale: 1.0, parts, cells: Vec::new() }
    }

    fn unit(&self) -> i32 {
        2 * LARGEST as i32
    }
}

/// The linear evaluation by a scan of every window, for boards of any size.
struct PlainLines {
    game: AnyGame,
    weights: Weights,
    scaled: Vec<f32>,
}

impl Judge for PlainLines {
    fn spec(&self) -> String {
        self.weights.spec()
    }

    fn score(&self, pos: &AnyPosition, me: Turn) -> i32 {
        let Some(mut board) = self.game.board(pos) else { return 0 };
        // The features are those of the player who moved last.
        board.turn = me.other();
        let sum: f32 =
            plain_features(&board).iter().zip(&self.scaled).map(|(count, weight)| count * weight).sum();
        sum.round() as i32
    }

    fn insight(&self, pos: &AnyPosition, me: Turn) -> Insight {
        let Some(mut board) = self.game.board(pos) else { return Insight::of(0) };
        board.turn = me.other();
        let counts = plain_features(&board);
        let parts = self.weights.set().names().iter().zip(counts).zip(&self.scaled);
        let parts = parts.map(|((name, count), weight)| Part::new(*name, count.into(), (*weight).into()));
        Insight { score: self.score(pos, me), scale: 1.0, parts: parts.collect(), cells: Vec::new() }
    }

    fn unit(&self) -> i32 {
        2 * LARGEST as i32
    }
}

/// The fastest implementation that the game allows; `None` for extended features on large boards.
pub(crate) fn judge(game: &AnyGame, weights: Weights) -> Option<Arc<dyn Judge>> {
    if let Some(bits) = game.get::<Mnk<u64>>() {
        return Some(Arc::new(BitLines::<u64>::new(bits, weights)?));
    }
    if let Some(bits) = game.get::<Mnk<u128>>() {
        return Some(Arc::new(BitLines::<u128>::new(bits, weights)?));
    }
    if weights.set() != FeatureSet::Paper {
        return None;
    }
    let factor = scale(&weights);
    let scaled = weights.values().iter().map(|weight| weight * factor).collect();
    Some(Arc::new(PlainLines { game: game.clone(), weights, scaled }))
}
