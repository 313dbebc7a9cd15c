//! Match statistics: Elo difference, confidence interval, likelihood of superiority, and SPRT (Wald 1945).
//!
//! ```text
//!   pair of games     0   ½   1   1½   2      points of the first player of the pairing
//!   number of pairs   n₀  n₁  n₂  n₃   n₄
//! ```
//!
//! The two games of a pair share an opening and are not independent, so the observation is the pair (the pentanomial
//! model of chess engine testing). All statistics derive from one function, the empirical likelihood (Owen 1988): the
//! greatest likelihood of the counts over all distributions with a given mean score. Twice the drop of the
//! log-likelihood from its maximum is approximately χ² with one degree of freedom, which gives intervals and the
//! likelihood of superiority. The difference of the log-likelihoods under two Elo hypotheses is the log-likelihood
//! ratio of the (generalised) SPRT. The ratio stays finite where the sample variance is 0: after twenty wins out of
//! twenty, or nothing but draws.

use serde::Serialize;

/// Drop of the log-likelihood at the ends of a two-sided 95 % interval: 1.96² / 2.
const LIKELIHOOD_DROP: f64 = 1.920_729_410_347_062;

/// Pseudo-count of a result that did not occur.
const PSEUDO_COUNT: f64 = 1e-3;

/// Converts a score between 0 and 1 to an Elo difference, infinite at the ends.
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// Converts an Elo difference to an expected score.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The standard normal cumulative distribution function.
pub fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Pentanomial counts: pairs of games by points 0, ½, 1, 1½ and 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pairs(pub [u64; 5]);

/// An Elo difference with its confidence interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// The estimate. A score of 0 or 1 is moved inwards by half a point, so this is always finite.
    pub elo: f64,
    /// The lower end of the 95 % interval; `None` if the result sets no bound.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Pairs {
    /// Counts a pair with `half_points` half points, 0 to 4.
    ///
    /// # Panics
    ///
    /// More than four half points.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// The number of pairs.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Points per game, between 0 and 1; ½ without games.
    pub fn score(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        let points: f64 = (0..5).map(|i| self.0[i] as f64 * i as f64 / 4.0).sum();
        points / self.count() as f64
    }

    /// The variance of a pair's points per game.
    pub fn variance(&self) -> f64 {
        if self.count() == 0 {
            return 0.0;
        }
        let mean = self.score();
        let squares: f64 = (0..5).map(|i| self.0[i] as f64 * (i as f64 / 4.0 - mean).powi(2)).sum();
        squares / self.count() as f64
    }

    /// The same pairs from the opponent's point of view.
    pub fn flipped(&self) -> Pairs {
        let [a, b, c, d, e] = self.0;
        Pairs([e, d, c, b, a])
    }

    fn counts(&self) -> [f64; 5] {
        self.0.map(|count| (count as f64).max(PSEUDO_COUNT))
    }

    /// The maximal log-likelihood over all distributions of results.
    fn max_log_likelihood(&self) -> f64 {
        let counts = self.counts();
        let all: f64 = counts.iter().sum();
        counts.iter().map(|count| count * (count / all).ln()).sum()
    }

    /// The maximal log-likelihood over the distributions with this mean, which is between 0 and 1.
    ///
    /// The maximum is at pᵢ = nᵢ / (N (1 + λ (xᵢ − mean))), where the Lagrange multiplier λ is the root of a decreasing
    /// function, found by bisection.
    fn log_likelihood_at(&self, mean: f64) -> f64 {
        let counts = self.counts();
        let all: f64 = counts.iter().sum();
        let away = |i: usize| i as f64 / 4.0 - mean;
        let excess =
            |lambda: f64| -> f64 { (0..5).map(|i| counts[i] * away(i) / (1.0 + lambda * away(i))).sum() };
        let (mut low, mut high) = (-1.0 / (1.0 - mean), 1.0 / mean);
        for _ in 0..200 {
            let middle = 0.5 * (low + high);
            if excess(middle) > 0.0 { low = middle } else { high = middle }
        }
        let lambda = 0.5 * (low + high);
        (0..5).map(|i| counts[i] * (counts[i] / (all * (1.0 + lambda * away(i)).max(1e-300))).ln()).sum()
    }

    /// The 95 % confidence interval of the score, between 0 and 1.
    pub fn score_bounds(&self) -> (f64, f64) {
        if self.count() == 0 {
            return (0.0, 1.0);
        }
        let score = self.score();
        let best = self.max_log_likelihood();
        let holds = |mean: f64| best - self.log_likelihood_at(mean) <= LIKELIHOOD_DROP;
        // Bisection between the estimate, which is inside the interval, and an end of the scale, which is outside.
        let border = |end: f64| {
            let (mut inside, mut outside) = (score, end);
            for _ in 0..60 {
                let middle = 0.5 * (inside + outside);
                if holds(middle) { inside = middle } else { outside = middle }
            }
            inside
        };
        let low = if score > 0.0 { border(0.0) } else { 0.0 };
        let high = if score < 1.0 { border(1.0) } else { 1.0 };
        (low, high)
    }

    /// The Elo difference with its 95 % confidence interval.
    pub fn strength(&self) -> Strength {
        if self.count() == 0 {
            return Strength { elo: 0.0, low: None, high: None };
        }
        let score = self.score();
        let short = 0.25 / (self.count() as f64 + 0.5);
        let (low, high) = self.score_bounds();
        Strength {
            elo: elo(score.clamp(short, 1.0 - short)),
            low: (score > 0.0).then(|| elo(low)),
            high: (score < 1.0).then(|| elo(high)),
        }
    }

    /// Likelihood of superiority (LOS): the probability that the player is the stronger one.
    pub fn superiority(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        let deviate = (2.0 * (self.max_log_likelihood() - self.log_likelihood_at(0.5)).max(0.0)).sqrt();
        normal(if self.score() < 0.5 { -deviate } else { deviate })
    }

    /// The log-likelihood ratio (LLR) of `elo1` against `elo0`.
    pub fn likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        if self.count() == 0 {
            return 0.0;
        }
        self.log_likelihood_at(score_of(elo1)) - self.log_likelihood_at(score_of(elo0))
    }
}

/// A sequential probability ratio test (SPRT) of H1, an Elo difference of `elo1`, against H0, a difference of `elo0`.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// Elo difference under H0.
    pub elo0: f64,
    /// Elo difference under H1.
    pub elo1: f64,
    /// Probability of accepting H1 although H0 holds (type I error).
    pub alpha: f64,
    /// Probability of accepting H0 although H1 holds (type II error).
    pub beta: f64,
}

/// The decision of a sequential test so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// H1 is accepted.
    Accepted,
    /// H0 is accepted.
    Rejected,
    /// More games are needed.
    Open,
}

impl Decision {
    /// One word for reports.
    pub fn word(self) -> &'static str {
        match self {
            Decision::Accepted => "accepted",
            Decision::Rejected => "rejected",
            Decision::Open => "open",
        }
    }
}

impl Sprt {
    /// The usual test, with error probabilities of 5 %.
    pub fn new(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// The bounds of the log-likelihood ratio between which the test continues.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// The state of the test after these pairs.
    pub fn decide(&self, pairs: &Pairs) -> Decision {
        let (low, high) = self.bounds();
        let ratio = pairs.likelihood_ratio(self.elo0, self.elo1);
        if ratio >= high {
            Decision::Accepted
        } else if ratio <= low {
            Decision::Rejected
        } else {
            Decision::Open
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    fn near(found: f64, known: f64, within: f64) {
        assert!((found - known).abs() <= within, "{found} is not {known} within {within}");
    }

    #[test]
    fn elo_of_known_scores() {
        near(elo(0.5), 0.0, 1e-12);
        near(elo(0.75), 190.848_501_887_865, 1e-9); // 400 log10 3
        near(elo(0.25), -190.848_501_887_865, 1e-9);
        near(elo(10.0 / 11.0), 400.0, 1e-9);
        near(score_of(190.848_501_887_865), 0.75, 1e-12);
    }

    #[test]
    fn normal_distribution_of_known_deviates() {
        near(normal(0.0), 0.5, 1e-15);
        near(normal(1.959_963_984_540_054), 0.975, 1e-12);
        near(normal(-3.0), 0.001_349_898_031_630, 1e-12);
    }

    #[test]
    fn mean_and_variance_of_pairs() {
        let pairs = Pairs([1, 2, 3, 2, 2]);
        near(pairs.score(), 0.55, 1e-12);
        // Σ n (x − 0.55)² / 10 over x = 0, ¼, ½, ¾, 1.
        let by_hand = (0.3025 + 2.0 * 0.09 + 3.0 * 0.0025 + 2.0 * 0.04 + 2.0 * 0.2025) / 10.0;
        near(pairs.variance(), by_hand, 1e-12);
        assert_eq!(pairs.flipped(), Pairs([2, 2, 3, 2, 1]));
        // Independent games have half the variance in pairs: 100 wins and 100 losses at random give a quarter, a half
        // and a quarter.
        near(Pairs([25, 0, 50, 0, 25]).variance(), 0.25 / 2.0, 1e-12);
    }

    #[test]
    fn intervals_of_many_pairs_are_near_normal() {
        let pairs = Pairs([200, 500, 1100, 700, 500]);
        let strength = pairs.strength();
        let error = (pairs.variance() / pairs.count() as f64).sqrt();
        near(strength.elo, elo(pairs.score()), 1e-9);
        near(strength.low.unwrap(), elo(pairs.score() - 1.959_964 * error), 0.2);
        near(strength.high.unwrap(), elo(pairs.score() + 1.959_964 * error), 0.2);
        let (low, high) = pairs.score_bounds();
        near(low, pairs.score() - 1.959_964 * error, 3e-4);
        near(high, pairs.score() + 1.959_964 * error, 3e-4);
        let flipped = pairs.flipped().strength();
        near(flipped.high.unwrap(), -strength.low.unwrap(), 1e-6);
    }

    #[test]
    fn interval_covers_the_true_elo_in_95_percent() {
        let shares = [0.1, 0.2, 0.3, 0.2, 0.2];
        let truth = elo(0.25 * 0.2 + 0.5 * 0.3 + 0.75 * 0.2 + 0.2);
        let mut rng = SmallRng::seed_from_u64(1);
        let mut covered = 0;
        for _ in 0..1000 {
            let mut pairs = Pairs::default();
            for _ in 0..60 {
                let mut left: f64 = rng.random();
                let drawn = shares.iter().position(|share| {
                    left -= share;
                    left < 0.0
                });
                pairs.add(drawn.unwrap_or(4));
            }
            let Strength { low, high, .. } = pairs.strength();
            covered += u32::from(low.unwrap() <= truth && truth <= high.unwrap());
        }
        assert!((925..=970).contains(&covered), "{covered} of 1000 intervals cover the truth");
    }

    #[test]
    fn one_sided_results_have_sensible_bounds() {
        // Twenty wins: the true score m makes ten perfect pairs with probability m¹⁰ at best.
        let whitewash = Pairs([0, 0, 0, 0, 10]).strength();
        near(whitewash.low.unwrap(), elo((-LIKELIHOOD_DROP / 10.0f64).exp()), 2.0);
        assert_eq!(whitewash.high, None);
        assert!(whitewash.elo.is_finite() && whitewash.elo > whitewash.low.unwrap());
        let lost = Pairs([10, 0, 0, 0, 0]).strength();
        near(lost.high.unwrap(), -whitewash.low.unwrap(), 1e-6);
        assert_eq!(lost.low, None);
        // Nothing but draws: the interval is symmetric and not empty.
        let even = Pairs([0, 0, 10, 0, 0]).strength();
        near(even.elo, 0.0, 1e-9);
        near(even.high.unwrap(), elo(1.0 - (-LIKELIHOOD_DROP / 10.0f64).exp() / 2.0), 2.0);
        near(even.low.unwrap(), -even.high.unwrap(), 1e-6);
        let nothing = Pairs::default();
        assert_eq!(nothing.strength(), Strength { elo: 0.0, low: None, high: None });
        assert_eq!(nothing.score_bounds(), (0.0, 1.0));
        assert_eq!((nothing.superiority(), nothing.likelihood_ratio(0.0, 5.0)), (0.5, 0.0));
    }

    #[test]
    fn likelihood_of_superiority() {
        near(Pairs([0, 0, 10, 0, 0]).superiority(), 0.5, 1e-6);
        near(Pairs([30, 0, 40, 0, 30]).superiority(), 0.5, 1e-6);
        // The usual formula for independent games, Φ((wins − losses) / √(wins + losses)), on 230 : 170.
        near(Pairs([36, 0, 98, 0, 66]).superiority(), normal(60.0 / 400f64.sqrt()), 2e-3);
        assert!(Pairs([0, 0, 0, 0, 10]).superiority() > 0.9999);
        let pairs = Pairs([4, 5, 9, 8, 7]);
        near(pairs.superiority() + pairs.flipped().superiority(), 1.0, 1e-9);
    }

    #[test]
    fn sequential_test_has_the_known_bounds() {
        let (low, high) = Sprt::new(0.0, 5.0).bounds();
        near(high, 2.944_438_979_166_44, 1e-9);
        near(low, -2.944_438_979_166_44, 1e-9);
        let sprt = Sprt::new(0.0, 50.0);
        assert_eq!(sprt.decide(&Pairs::default()), Decision::Open);
        assert_eq!(sprt.decide(&Pairs([0, 0, 0, 0, 40])), Decision::Accepted);
        assert_eq!(sprt.decide(&Pairs([40, 0, 0, 0, 0])), Decision::Rejected);
        assert_eq!(sprt.decide(&Pairs([1, 1, 1, 1, 1])), Decision::Open);
    }

    #[test]
    fn likelihood_ratio_is_near_the_normal_approximation() {
        // (s₁ − s₀)(2 mean − s₀ − s₁) N / (2 variance), the approximation that engine testers use.
        let pairs = Pairs([150, 480, 1240, 620, 210]);
        let (s0, s1) = (score_of(0.0), score_of(5.0));
        let usual =
            (s1 - s0) * (2.0 * pairs.score() - s0 - s1) * pairs.count() as f64 / (2.0 * pairs.variance());
        near(pairs.likelihood_ratio(0.0, 5.0), usual, 0.05 * usual.abs());
    }

    #[test]
    fn sprt_error_rates_are_as_configured() {
        let sprt = Sprt::new(0.0, 80.0);
        let run = |truth: f64, rng: &mut SmallRng| {
            let mut pairs = Pairs::default();
            let score = score_of(truth);
            loop {
                let points = (0..2).map(|_| 2 * usize::from(rng.random::<f64>() < score)).sum();
                pairs.add(points);
                match sprt.decide(&pairs) {
                    Decision::Open => {}
                    decided => return decided,
                }
            }
        };
        let mut rng = SmallRng::seed_from_u64(2);
        let wrong = (0..400).filter(|_| run(0.0, &mut rng) == Decision::Accepted).count();
        assert!(wrong <= 32, "{wrong} of 400 equal opponents were called stronger");
        let missed = (0..400).filter(|_| run(80.0, &mut rng) == Decision::Rejected).count();
        assert!(missed <= 32, "{missed} of 400 stronger opponents were missed");
    }
}
