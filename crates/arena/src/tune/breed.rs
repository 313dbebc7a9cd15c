//! Operators of the genetic algorithms: selection, mutation and crossover of weight vectors.
//!
//! There are two algorithms: `ga` is the one of the Connect-4 report (truncation selection, clones with one mutated
//! weight); `sound` keeps an elite and uses tournament selection, uniform crossover and mutation.

use rand::RngExt;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

/// A weight vector of the population, with its results in games.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Candidate {
    /// Its weights.
    pub weights: Vec<f32>,
    /// Points in its counted games.
    pub points: f64,
    /// Its counted games.
    pub games: u64,
}

impl Candidate {
    /// A candidate that has not played.
    pub fn new(weights: Vec<f32>) -> Candidate {
        Candidate { weights, points: 0.0, games: 0 }
    }

    /// Points per game with a prior of two draws, so that luck in few games counts little.
    pub fn worth(&self) -> f64 {
        (self.points + 1.0) / (self.games as f64 + 2.0)
    }
}

/// The mutation steps of the paper's algorithm.
pub const STEPS: [i32; 6] = [-5, -2, -1, 1, 2, 5];

/// A random initial population of integer weights between 1 and `most`; `fixed` weights are the same for all.
pub fn first(
    count: usize,
    weights: usize,
    most: u32,
    fixed: &[(usize, f32)],
    rng: &mut SmallRng,
) -> Vec<Candidate> {
    (0..count)
        .map(|_| {
            let mut drawn: Vec<f32> =
                (0..weights).map(|_| rng.random_range(1..=most.max(1)) as f32).collect();
            fixed.iter().for_each(|&(place, weight)| drawn[place] = weight);
            Candidate::new(drawn)
        })
        .collect()
}

/// The paper's step: truncation selection, then clones of the survivors with one mutated weight each. `ranked` has the
/// best first; weights stay at least 1 if `positive`.
pub fn clones(ranked: &[Candidate], survive: usize, positive: bool, rng: &mut SmallRng) -> Vec<Candidate> {
    let survivors = &ranked[..survive.clamp(1, ranked.len())];
    let mut next: Vec<Candidate> = survivors.iter().map(|one| Candidate::new(one.weights.clone())).collect();
    while next.len() < ranked.len() {
        let mut weights = survivors[(next.len() - survivors.len()) % survivors.len()].weights.clone();
        let place = rng.random_range(0..weights.len());
        weights[place] += STEPS[rng.random_range(0..STEPS.len())] as f32;
        if positive {
            weights[place] = weights[place].max(1.0);
        }
        next.push(Candidate::new(weights));
    }
    next
}

/// The sounder step: elitism (the elite keeps its points), tournament selection of size 3, uniform crossover, and
/// mutation of a few weights in proportion to their size.
pub fn children(ranked: &[Candidate], elite: usize, positive: bool, rng: &mut SmallRng) -> Vec<Candidate> {
    let mut next: Vec<Candidate> = ranked[..elite.clamp(1, ranked.len())].to_vec();
    let pick = |rng: &mut SmallRng| {
        let draw = |rng: &mut SmallRng| rng.random_range(0..ranked.len());
        // The list is ranked: the lowest index wins the tournament.
        draw(rng).min(draw(rng)).min(draw(rng))
    };
    while next.len() < ranked.len() {
        let (a, b) = (&ranked[pick(rng)].weights, &ranked[pick(rng)].weights);
        let mut weights: Vec<f32> =
            a.iter().zip(b).map(|(a, b)| if rng.random::<bool>() { *a } else { *b }).collect();
        let size = weights.iter().map(|weight| weight.abs()).sum::<f32>() / weights.len() as f32;
        let share = (2.0 / weights.len() as f64).max(0.1);
        for weight in &mut weights {
            if rng.random::<f64>() < share {
                // A sum of four uniform numbers approximates a normal distribution.
                let bell: f32 = (0..4).map(|_| rng.random::<f32>() - 0.5).sum();
                *weight += bell * (weight.abs() + 0.2 * size);
                if positive {
                    *weight = weight.max(0.0);
                }
            }
        }
        next.push(Candidate::new(weights));
    }
    next
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn clones_differ_from_a_survivor_in_one_weight() {
        let mut rng = SmallRng::seed_from_u64(1);
        let ranked = first(32, 5, 50, &[(1, 100.0)], &mut rng);
        assert!(ranked.iter().all(|one| one.weights[1] == 100.0));
        let next = clones(&ranked, 16, true, &mut rng);
        assert_eq!(next.len(), 32);
        for (parent, clone) in ranked[..16].iter().zip(&next[16..]) {
            let changed: Vec<f32> = parent
                .weights
                .iter()
                .zip(&clone.weights)
                .map(|(a, b)| b - a)
                .filter(|step| *step != 0.0)
                .collect();
            assert!(changed.len() <= 1, "{changed:?}");
            assert!(changed.iter().all(|step| step.abs() <= 5.0));
            assert!(clone.weights.iter().all(|weight| *weight >= 1.0));
        }
    }

    #[test]
    fn elite_keeps_its_points() {
        let mut rng = SmallRng::seed_from_u64(1);
        let mut ranked = first(12, 5, 50, &[], &mut rng);
        ranked[0].points = 7.5;
        ranked[0].games = 10;
        let next = children(&ranked, 3, true, &mut rng);
        assert_eq!((next.len(), &next[..3]), (12, &ranked[..3]));
        assert!(next[3..].iter().all(|child| child.games == 0 && child.weights.iter().all(|w| *w >= 0.0)));
    }
}
