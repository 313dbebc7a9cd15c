//! CMA-ES: covariance matrix adaptation evolution strategy (Hansen and Ostermeier 2001).
//!
//! The search distribution is a normal distribution of weight vectors, from which each generation is sampled:
//!
//! ```text
//!     ·  · ·             mean      mean of the search distribution
//!   · ( ×  ) ·           step      step size σ
//!     ·  ·  ·            shape     covariance matrix C
//! ```
//!
//! The standard (μ/μ_w, λ) strategy with weighted recombination, cumulative step-size adaptation, and rank-one and
//! rank-μ updates of the covariance, behind an ask-and-tell interface. The state is serialisable, for checkpoints.

use rand::RngExt;
use rand::rngs::SmallRng;
use serde::{Deserialize, Serialize};

/// State of CMA-ES: mean, step size, covariance matrix and evolution paths.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Cma {
    mean: Vec<f64>,
    step: f64,
    shape: Vec<Vec<f64>>,
    path_shape: Vec<f64>,
    path_step: Vec<f64>,
    generation: u32,
    population: usize,
}

impl Cma {
    /// An isotropic search distribution. `population` is at least 4.
    pub fn new(mean: Vec<f64>, step: f64, population: usize) -> Cma {
        let n = mean.len();
        let shape = (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
        Cma {
            path_shape: vec![0.0; n],
            path_step: vec![0.0; n],
            mean,
            step,
            shape,
            generation: 0,
            population: population.max(4),
        }
    }

    /// Whether a deserialised state has these dimensions and finite numbers.
    pub(super) fn fits(&self, weights: usize, population: usize) -> bool {
        let sound = |list: &Vec<f64>| list.len() == weights && list.iter().all(|number| number.is_finite());
        let lists = [&self.mean, &self.path_shape, &self.path_step];
        let square = self.shape.len() == weights && self.shape.iter().all(sound);
        lists.into_iter().all(sound)
            && square
            && self.step.is_finite()
            && self.population == population.max(4)
    }

    /// The mean of the search distribution: the current best estimate.
    pub fn mean(&self) -> &[f64] {
        &self.mean
    }

    /// Samples candidates.
    pub fn ask(&self, rng: &mut SmallRng) -> Vec<Vec<f64>> {
        let (values, vectors) = eigen(&self.shape);
        (0..self.population)
            .map(|_| {
                let z: Vec<f64> = values.iter().map(|value| value.max(0.0).sqrt() * normal(rng)).collect();
                let y = times(&vectors, &z);
                self.mean.iter().zip(y).map(|(mean, y)| mean + self.step * y).collect()
            })
            .collect()
    }

    /// Updates the distribution from ranked candidates, the best first.
    pub fn tell(&mut self, ranked: &[Vec<f64>]) {
        let n = self.mean.len() as f64;
        let parents = self.population / 2;
        let weight = |i: usize| ((parents as f64 + 0.5).ln() - (i as f64 + 1.0).ln()).max(0.0);
        let total: f64 = (0..parents).map(weight).sum();
        let weights: Vec<f64> = (0..parents).map(|i| weight(i) / total).collect();
        let effective = 1.0 / weights.iter().map(|w| w * w).sum::<f64>();

        let step_rate = (effective + 2.0) / (n + effective + 5.0);
        let damping = 1.0 + 2.0 * (((effective - 1.0) / (n + 1.0)).sqrt() - 1.0).max(0.0) + step_rate;
        let path_rate = (4.0 + effective / n) / (n + 4.0 + 2.0 * effective / n);
        let one_rate = 2.0 / ((n + 1.3).powi(2) + effective);
        let many_rate =
            (2.0 * (effective - 2.0 + 1.0 / effective) / ((n + 2.0).powi(2) + effective)).min(1.0 - one_rate);
        // The expected norm of a standard normal vector.
        let length = n.sqrt() * (1.0 - 1.0 / (4.0 * n) + 1.0 / (21.0 * n * n));

        let steps: Vec<Vec<f64>> = ranked
            .iter()
            .take(parents)
            .map(|x| x.iter().zip(&self.mean).map(|(x, mean)| (x - mean) / self.step).collect())
            .collect();
        let mut move_by = vec![0.0; self.mean.len()];
        for (step, w) in steps.iter().zip(&weights) {
            move_by.iter_mut().zip(step).for_each(|(sum, y)| *sum += w * y);
        }
        self.mean.iter_mut().zip(&move_by).for_each(|(mean, y)| *mean += self.step * y);

        // The evolution path of the step size is in isotropic coordinates: C^(-1/2) times the step.
        let (values, vectors) = eigen(&self.shape);
        let turned = times_transposed(&vectors, &move_by);
        let shrunk: Vec<f64> =
            turned.iter().zip(&values).map(|(y, value)| y / value.max(1e-20).sqrt()).collect();
        let round = times(&vectors, &shrunk);
        let push = (step_rate * (2.0 - step_rate) * effective).sqrt();
        self.path_step.iter_mut().zip(round).for_each(|(p, y)| *p = (1.0 - step_rate) * *p + push * y);
        let norm = self.path_step.iter().map(|p| p * p).sum::<f64>().sqrt();
        self.generation += 1;
        let settled = (1.0 - (1.0 - step_rate).powi(2 * self.generation as i32)).sqrt();
        let calm = f64::from(u8::from(norm / settled < (1.4 + 2.0 / (n + 1.0)) * length));
        let push = calm * (path_rate * (2.0 - path_rate) * effective).sqrt();
        self.path_shape.iter_mut().zip(&move_by).for_each(|(p, y)| *p = (1.0 - path_rate) * *p + push * y);

        let keep = 1.0 - one_rate - many_rate + (1.0 - calm) * one_rate * path_rate * (2.0 - path_rate);
        for i in 0..self.mean.len() {
            for j in 0..self.mean.len() {
                let many: f64 = steps.iter().zip(&weights).map(|(y, w)| w * y[i] * y[j]).sum();
                let one = self.path_shape[i] * self.path_shape[j];
                self.shape[i][j] = keep * self.shape[i][j] + one_rate * one + many_rate * many;
            }
        }
        self.step *= ((step_rate / damping) * (norm / length - 1.0)).exp().clamp(0.2, 5.0);
    }
}

/// A standard normal sample by the Box-Muller transform.
fn normal(rng: &mut SmallRng) -> f64 {
    let (a, b): (f64, f64) = (rng.random(), rng.random());
    (-2.0 * (1.0 - a).ln()).sqrt() * (std::f64::consts::TAU * b).cos()
}

fn times(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    matrix.iter().map(|row| row.iter().zip(vector).map(|(a, b)| a * b).sum()).collect()
}

fn times_transposed(matrix: &[Vec<f64>], vector: &[f64]) -> Vec<f64> {
    (0..matrix.len()).map(|j| matrix.iter().zip(vector).map(|(row, x)| row[j] * x).sum()).collect()
}

/// Eigenvalues and eigenvectors (as columns) of a symmetric matrix, by cyclic Jacobi rotations.
fn eigen(matrix: &[Vec<f64>]) -> (Vec<f64>, Vec<Vec<f64>>) {
    const SWEEPS: usize = 60;
    let n = matrix.len();
    let mut a = matrix.to_vec();
    let mut vectors: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..SWEEPS {
        let off: f64 = (0..n).flat_map(|i| (0..i).map(move |j| (i, j))).map(|(i, j)| a[i][j] * a[i][j]).sum();
        if off < 1e-22 {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q].abs() < 1e-300 {
                    continue;
                }
                let theta = (a[q][q] - a[p][p]) / (2.0 * a[p][q]);
                let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
                let c = 1.0 / (t * t + 1.0).sqrt();
                let s = t * c;
                for row in a.iter_mut() {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
                let (above, below) = a.split_at_mut(q);
                for (x, y) in above[p].iter_mut().zip(&mut below[0]) {
                    (*x, *y) = (c * *x - s * *y, s * *x + c * *y);
                }
                for row in vectors.iter_mut() {
                    let (x, y) = (row[p], row[q]);
                    (row[p], row[q]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), vectors)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    #[test]
    fn eigenvectors_of_a_known_matrix() {
        let matrix = vec![vec![2.0, 1.0, 0.0], vec![1.0, 2.0, 0.0], vec![0.0, 0.0, 5.0]];
        let (mut values, vectors) = eigen(&matrix);
        for (column, &value) in values.iter().enumerate() {
            let vector: Vec<f64> = vectors.iter().map(|row| row[column]).collect();
            for (x, y) in times(&matrix, &vector).iter().zip(&vector) {
                assert!((x - value * y).abs() < 1e-9);
            }
        }
        values.sort_by(f64::total_cmp);
        assert!(values.iter().zip([1.0, 3.0, 5.0]).all(|(x, known)| (x - known).abs() < 1e-9));
    }

    #[test]
    fn cma_es_minimises_an_ill_conditioned_quadratic() {
        let valley = |x: &[f64]| -> f64 {
            let ellipse: f64 =
                x.iter().enumerate().map(|(i, x)| 10f64.powi(i as i32) * (x - 1.0).powi(2)).sum();
            ellipse + (x[0] - x[1]).powi(2) * 100.0
        };
        let mut cma = Cma::new(vec![5.0; 5], 1.0, 10);
        let mut rng = SmallRng::seed_from_u64(3);
        for _ in 0..250 {
            let mut ranked = cma.ask(&mut rng);
            ranked.sort_by(|a, b| valley(a).total_cmp(&valley(b)));
            cma.tell(&ranked);
        }
        assert!(valley(cma.mean()) < 1e-6, "{:?}", cma.mean());
    }
}
