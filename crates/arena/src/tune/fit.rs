//! Weights fitted to exact values: a softmax over the moves of each position.
//!
//! ```text
//!   move          score = weights · features        softmax        wanted
//!   keeps value        1.3                           0.46  ┐
//!   loses              0.2                           0.15  │       maximise 0.46 + 0.39
//!   keeps value        1.1                           0.39  ┘
//! ```
//!
//! Only quiet positions teach: elsewhere a move wins or averts a loss at once, and players see that without
//! weights. Moves after which the opponent wins at once are left out for the same reason.

use super::labels::Label;
use outplay_core::{AnyGame, AnyMove, AnyPosition, Game, Turn};
use outplay_players::{Features, Kit};

/// A position as numbers: a row of features for each move that comes into question, good moves marked.
struct Lesson {
    rows: Vec<f32>,
    good: Vec<bool>,
}

/// Positions as numbers.
pub struct Lessons {
    features: usize,
    lessons: Vec<Lesson>,
    /// What each feature is divided by, so that all are about as large.
    scale: Vec<f32>,
}

/// How to fit.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitOptions {
    /// Steps downhill.
    pub steps: u32,
    /// How much large weights are punished.
    pub shrink: f32,
}

impl Default for FitOptions {
    fn default() -> FitOptions {
        FitOptions { steps: 600, shrink: 1e-4 }
    }
}

/// How far a fit has come.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct FitStep {
    /// Steps done.
    pub step: u32,
    /// The mean of −log of the probability of a good move.
    pub loss: f64,
}

/// Whether the opponent can win at once.
fn falls(game: &AnyGame, pos: &AnyPosition, moves: &mut Vec<AnyMove>) -> bool {
    let turn = game.turn(pos);
    moves.clear();
    game.moves(pos, moves);
    moves.iter().any(|&mv| game.outcome(&game.play(pos, mv)).is_some_and(|payoff| turn.sees(payoff) > 0))
}

impl Lessons {
    /// The quiet ones among labelled positions, as numbers.
    pub fn new(kit: &Kit, features: &Features, labels: &[Label]) -> Lessons {
        let count = features.names().len();
        let mut lessons = Vec::new();
        let (mut moves, mut replies) = (Vec::new(), Vec::new());
        for label in labels.iter().filter(|label| label.quiet) {
            moves.clear();
            kit.game.moves(&label.pos, &mut moves);
            let mut lesson = Lesson { rows: Vec::new(), good: Vec::new() };
            for (place, &mv) in moves.iter().enumerate() {
                let next = kit.game.play(&label.pos, mv);
                if kit.game.outcome(&next).is_some() || falls(&kit.game, &next, &mut replies) {
                    continue;
                }
                debug_assert_ne!(kit.game.turn(&next), Turn::Chance);
                let Some(board) = kit.game.board(&next) else { continue };
                lesson.rows.extend(features.vector(&board));
                lesson.good.push(label.keeps(place));
            }
            // A choice without good moves, or without bad ones, teaches nothing.
            if lesson.good.iter().any(|good| *good) && lesson.good.iter().any(|good| !good) {
                lessons.push(lesson);
            }
        }
        let mut squares = vec![0f64; count];
        let mut rows = 0usize;
        for lesson in &lessons {
            for row in lesson.rows.chunks_exact(count) {
                rows += 1;
                row.iter().zip(&mut squares).for_each(|(x, sum)| *sum += f64::from(x * x));
            }
        }
        let scale = squares.iter().map(|sum| ((sum / rows.max(1) as f64).sqrt() as f32).max(1e-3)).collect();
        let mut found = Lessons { features: count, lessons, scale };
        for lesson in &mut found.lessons {
            for row in lesson.rows.chunks_exact_mut(count) {
                row.iter_mut().zip(&found.scale).for_each(|(x, scale)| *x /= scale);
            }
        }
        found
    }

    /// How many positions teach something.
    pub fn len(&self) -> usize {
        self.lessons.len()
    }

    /// Whether none does.
    pub fn is_empty(&self) -> bool {
        self.lessons.is_empty()
    }

    /// The loss of weights (in units of scaled features) and its gradient, over a part of the lessons.
    fn slope(&self, part: &[Lesson], weights: &[f32]) -> (f64, Vec<f32>) {
        let mut loss = 0.0;
        let mut gradient = vec![0f32; self.features];
        let mut scores = Vec::new();
        for lesson in part {
            scores.clear();
            let rows = lesson.rows.chunks_exact(self.features);
            scores.extend(rows.clone().map(|row| row.iter().zip(weights).map(|(x, w)| x * w).sum::<f32>()));
            let highest = scores.iter().copied().fold(f32::MIN, f32::max);
            let (mut all, mut good) = (0f32, 0f32);
            for (score, is_good) in scores.iter_mut().zip(&lesson.good) {
                *score = (*score - highest).exp();
                all += *score;
                good += if *is_good { *score } else { 0.0 };
            }
            let good = good.max(1e-20);
            loss -= f64::from((good / all).ln());
            for ((row, weight), is_good) in rows.zip(&scores).zip(&lesson.good) {
                let pull = weight / all - if *is_good { weight / good } else { 0.0 };
                row.iter().zip(&mut gradient).for_each(|(x, sum)| *sum += pull * x);
            }
        }
        (loss, gradient)
    }

    /// Fits weights from nothing by Adam on all lessons at once. The answer does not depend on `threads`: parts
    /// are always the same and added in the same order.
    pub fn fit(&self, options: &FitOptions, threads: usize, mut report: impl FnMut(FitStep)) -> Vec<f32> {
        const RATE: f32 = 0.05;
        const PARTS: usize = 16;
        let size = self.lessons.len().div_ceil(PARTS).max(1);
        let parts: Vec<&[Lesson]> = self.lessons.chunks(size).collect();
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
                            *slope = Some(self.slope(part, weights));
                        }
                    });
                }
            });
            let (mut loss, mut gradient) = (0.0, vec![0f32; self.features]);
            for (part, slope) in slopes.into_iter().flatten() {
                loss += part;
                gradient.iter_mut().zip(slope).for_each(|(sum, x)| *sum += x);
            }
            let count = self.lessons.len().max(1) as f32;
            // The rate falls to nothing, so that the last steps settle.
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

    /// Lessons in which the good move has more of feature 0, whatever feature 1 says.
    fn lessons() -> Lessons {
        let row = |a: f32, b: f32| vec![a, b];
        let lessons = (0..50)
            .map(|i| {
                let noise = (i % 7) as f32 - 3.0;
                Lesson {
                    rows: [row(1.0, noise), row(0.0, -noise), row(0.2, 1.0)].concat(),
                    good: vec![true, false, false],
                }
            })
            .collect();
        Lessons { features: 2, lessons, scale: vec![1.0, 1.0] }
    }

    #[test]
    fn the_gradient_is_the_slope() {
        let lessons = lessons();
        let at = [0.3f32, -0.2];
        let (_, gradient) = lessons.slope(&lessons.lessons, &at);
        for i in 0..2 {
            let shifted = |by: f32| {
                let mut weights = at;
                weights[i] += by;
                lessons.slope(&lessons.lessons, &weights).0
            };
            let measured = (shifted(1e-2) - shifted(-1e-2)) / 2e-2;
            assert!((measured - f64::from(gradient[i])).abs() < 0.05, "{measured} {}", gradient[i]);
        }
    }

    #[test]
    fn a_fit_finds_what_matters_on_any_number_of_threads() {
        let lessons = lessons();
        let fit = |threads| lessons.fit(&FitOptions::default(), threads, |_| {});
        let weights = fit(1);
        assert!(weights[0] > 3.0 && weights[1].abs() < weights[0] / 10.0, "{weights:?}");
        assert_eq!(weights, fit(3));
    }
}
