//! Softmax regression of weights on exact values, by Adam (Kingma and Ba 2015).
//!
//! A linear evaluation scores the position after each move. A move *keeps the value* if it is optimal by exact values:
//!
//! ```text
//!   move          score = weights · features        softmax        objective
//!   keeps value        1.3                           0.46  ┐
//!   loses value        0.2                           0.15  │       maximise 0.46 + 0.39
//!   keeps value        1.1                           0.39  ┘
//! ```
//!
//! The loss is −log of the total probability of the value-preserving moves. Only quiet positions are used: elsewhere a
//! move wins or blocks at once, which players find without weights. Moves after which the opponent wins at once are
//! excluded for the same reason.

use super::labels::Label;
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Turn};
use outplay_players::{Features, PlayerContext};

/// A training example: a row of features for each candidate move, with value-preserving moves marked.
struct TrainingPosition {
    rows: Vec<f32>,
    good: Vec<bool>,
}

/// Training examples of a softmax regression, with scaled features.
pub struct TrainingSet {
    features: usize,
    examples: Vec<TrainingPosition>,
    /// The root mean square of each feature, by which it is divided.
    scale: Vec<f32>,
}

/// Parameters of a softmax regression by Adam.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitOptions {
    /// Gradient steps.
    pub steps: u32,
    /// Coefficient of the L2 penalty.
    pub shrink: f32,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions { steps: 600, shrink: 1e-4 }
    }
}

/// Progress of a softmax regression: the step and its loss.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitStep {
    /// Finished steps.
    pub step: u32,
    /// The mean of −log of the probability of a value-preserving move.
    pub loss: f64,
}

/// Whether the player to move can win at once.
fn loses_at_once(game: &AnyGame, pos: &AnyPosition, moves: &mut Vec<AnyMove>) -> bool {
    let turn = game.turn(pos);
    moves.clear();
    game.moves(pos, moves);
    moves.iter().any(|&mv| game.outcome(&game.play(pos, mv)).is_some_and(|payoff| turn.sees(payoff) > 0))
}

impl TrainingSet {
    /// Extracts the features of the quiet positions among labelled ones.
    pub fn new(kit: &PlayerContext, features: &Features, labels: &[Label]) -> TrainingSet {
        let count = features.names().len();
        let mut examples = Vec::new();
        let (mut moves, mut replies) = (Vec::new(), Vec::new());
        for label in labels.iter().filter(|label| label.quiet) {
            moves.clear();
            kit.game.moves(&label.pos, &mut moves);
            let mut example = TrainingPosition { rows: Vec::new(), good: Vec::new() };
            for (place, &mv) in moves.iter().enumerate() {
                let next = kit.game.play(&label.pos, mv);
                if kit.game.outcome(&next).is_some() || loses_at_once(&kit.game, &next, &mut replies) {
                    continue;
                }
                debug_assert_ne!(kit.game.turn(&next), Turn::Chance);
                let Some(board) = kit.game.board(&next) else { continue };
                example.rows.extend(features.vector(&board));
                example.good.push(label.keeps(place));
            }
            // Examples with only good or only bad moves have no gradient.
            if example.good.iter().any(|good| *good) && example.good.iter().any(|good| !good) {
                examples.push(example);
            }
        }
        let mut squares = vec![0f64; count];
        let mut rows = 0usize;
        for example in &examples {
            for row in example.rows.chunks_exact(count) {
                rows += 1;
                row.iter().zip(&mut squares).for_each(|(x, sum)| *sum += f64::from(x * x));
            }
        }
        let scale = squares.iter().map(|sum| ((sum / rows.max(1) as f64).sqrt() as f32).max(1e-3)).collect();
        let mut found = TrainingSet { features: count, examples, scale };
        for example in &mut found.examples {
            for row in example.rows.chunks_exact_mut(count) {
                row.iter_mut().zip(&found.scale).for_each(|(x, scale)| *x /= scale);
            }
        }
        found
    }

    /// The number of examples.
    pub fn len(&self) -> usize {
        self.examples.len()
    }

    /// Whether there are no examples.
    pub fn is_empty(&self) -> bool {
        self.examples.is_empty()
    }

    /// The loss of weights (for scaled features) and its gradient, over a part of the examples.
    fn loss_and_gradient(&self, part: &[TrainingPosition], weights: &[f32]) -> (f64, Vec<f32>) {
        let mut loss = 0.0;
        let mut gradient = vec![0f32; self.features];
        let mut scores = Vec::new();
        for example in part {
            scores.clear();
            let rows = example.rows.chunks_exact(self.features);
            scores.extend(rows.clone().map(|row| row.iter().zip(weights).map(|(x, w)| x * w).sum::<f32>()));
            let highest = scores.iter().copied().fold(f32::MIN, f32::max);
            let (mut all, mut good) = (0f32, 0f32);
            for (score, is_good) in scores.iter_mut().zip(&example.good) {
                *score = (*score - highest).exp();
                all += *score;
                good += if *is_good { *score } else { 0.0 };
            }
            let good = good.max(1e-20);
            loss -= f64::from((good / all).ln());
            for ((row, weight), is_good) in rows.zip(&scores).zip(&example.good) {
                let pull = weight / all - if *is_good { weight / good } else { 0.0 };
                row.iter().zip(&mut gradient).for_each(|(x, sum)| *sum += pull * x);
            }
        }
        (loss, gradient)
    }

    /// Fits weights from zero by full-batch Adam. The result does not depend on `threads`: the parts are always the
    /// same and are summed in the same order.
    pub fn fit(&self, options: &FitOptions, threads: usize, mut report: impl FnMut(FitStep)) -> Vec<f32> {
        const RATE: f32 = 0.05;
        const PARTS: usize = 16;
        let size = self.examples.len().div_ceil(PARTS).max(1);
        let parts: Vec<&[TrainingPosition]> = self.examples.chunks(size).collect();
        let mut weights = vec![0f32; self.features];
        let (mut mean, mut square) = (vec![0f32; self.features], vec![0f32; self.features]);
        for step in 1..=options.steps {
            let mut slopes: Vec<Option<(f64, Vec<f32>)>> = vec![None; parts.len()];
            let share = parts.len().div_ceil(threads.max(1)).max(1);
            std::thread::scope(|scope| {
                for (parts, slopes) in parts.chunks(share).zip(slopes.chunks_mut(share)) {
                    let weights = &weights;
                    scope.spawn(move || {
                        for (part, slope) in parts.iter().zip(slopes) {
                            *slope = Some(self.loss_and_gradient(part, weights));
                        }
                    });
                }
            });
            let (mut loss, mut gradient) = (0.0, vec![0f32; self.features]);
            for (part, slope) in slopes.into_iter().flatten() {
                loss += part;
                gradient.iter_mut().zip(slope).for_each(|(sum, x)| *sum += x);
            }
            let count = self.examples.len().max(1) as f32;
            // Linear decay of the learning rate to 0.
            let rate = RATE * (1.0 - (step - 1) as f32 / options.steps as f32);
            for i in 0..self.features {
                let pull = gradient[i] / count + options.shrink * weights[i];
                mean[i] = 0.9 * mean[i] + 0.1 * pull;
                square[i] = 0.999 * square[i] + 0.001 * pull * pull;
                let (m, s) = (
                    mean[i] / (1.0 - 0.9f32.powi(step as i32)),
                    square[i] / (1.0 - 0.999f32.powi(step as i32)),
                );
                weights[i] -= rate * m / (s.sqrt() + 1e-8);
            }
            report(FitStep { step, loss: loss / f64::from(count) });
        }
        weights.iter().zip(&self.scale).map(|(weight, scale)| weight / scale).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Examples in which the good move has more of feature 0, and feature 1 is noise.
    fn examples() -> TrainingSet {
        let row = |a: f32, b: f32| vec![a, b];
        let examples = (0..50)
            .map(|i| {
                let noise = (i % 7) as f32 - 3.0;
                TrainingPosition {
                    rows: [row(1.0, noise), row(0.0, -noise), row(0.2, 1.0)].concat(),
                    good: vec![true, false, false],
                }
            })
            .collect();
        TrainingSet { features: 2, examples, scale: vec![1.0, 1.0] }
    }

    #[test]
    fn gradient_equals_finite_differences() {
        let examples = examples();
        let at = [0.3f32, -0.2];
        let (_, gradient) = examples.loss_and_gradient(&examples.examples, &at);
        for i in 0..2 {
            let shifted = |by: f32| {
                let mut weights = at;
                weights[i] += by;
                examples.loss_and_gradient(&examples.examples, &weights).0
            };
            let measured = (shifted(1e-2) - shifted(-1e-2)) / 2e-2;
            assert!((measured - f64::from(gradient[i])).abs() < 0.05, "{measured} {}", gradient[i]);
        }
    }

    #[test]
    fn fit_is_independent_of_the_number_of_threads() {
        let examples = examples();
        let fit = |threads| examples.fit(&FitOptions::default(), threads, |_| {});
        let weights = fit(1);
        assert!(weights[0] > 3.0 && weights[1].abs() < weights[0] / 10.0, "{weights:?}");
        assert_eq!(weights, fit(3));
    }
}
