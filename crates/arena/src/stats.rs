//! What the result of a match says about two players.
//!
//! ```text
//!   pair of games     0   ½   1   1½   2      points of the first of the two players
//!   counted           n₀  n₁  n₂  n₃   n₄     one opening, both colours: one observation
//! ```
//!
//! The two games of a pair share an opening and are not independent, so the pair is what is counted. Every
//! figure comes from one function: how likely the counts can be made by a distribution whose mean is a given
//! score. Twice the logarithm by which that falls short of the best is about the square of a normal
//! deviate, which gives intervals, the likelihood of superiority and the sequential test. It stays
//! finite where the plain variance is 0: after twenty wins out of twenty, or nothing but draws.

use serde::Serialize;

/// Where the likelihood has fallen by this much, a two-sided 95 % interval ends (half the square of 1.96).
const FALL: f64 = 1.920_729_410_347_062;

/// Stands for "never seen": a result that did not occur is rare, not impossible.
const RARE: f64 = 1e-3;

/// Elo points of a score between 0 and 1, infinite at its ends.
pub fn elo(score: f64) -> f64 {
    400.0 * (score / (1.0 - score)).log10()
}

/// The score that a lead of so many Elo points brings.
pub fn score_of(elo: f64) -> f64 {
    1.0 / (1.0 + 10f64.powf(-elo / 400.0))
}

/// The probability that a standard normal variable is below `z`.
pub fn normal(z: f64) -> f64 {
    0.5 * libm::erfc(-z / std::f64::consts::SQRT_2)
}

/// Results of pairs of games by points: 0, ½, 1, 1½ or 2.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Pairs(pub [u64; 5]);

/// How much stronger one player is, in Elo points.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Strength {
    /// The estimate. A score of 0 or 1 counts as half a point short of it, so this is always finite.
    pub elo: f64,
    /// The lower end of the 95 % interval; `None` if the result sets no bound.
    pub low: Option<f64>,
    /// The upper end.
    pub high: Option<f64>,
}

impl Pairs {
    /// Counts a pair that brought `half_points` half points, 0 to 4.
    ///
    /// # Panics
    ///
    /// More than four half points.
    pub fn add(&mut self, half_points: usize) {
        self.0[half_points] += 1;
    }

    /// How many pairs were played.
    pub fn count(&self) -> u64 {
        self.0.iter().sum()
    }

    /// Points per game, between 0 and 1; one half if nothing was played.
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

    /// The same pairs seen by the other player.
    pub fn flipped(&self) -> Pairs {
        let [a, b, c, d, e] = self.0;
        Pairs([e, d, c, b, a])
    }

    fn counts(&self) -> [f64; 5] {
        self.0.map(|count| (count as f64).max(RARE))
    }

    /// The logarithm of the largest likelihood of any distribution of results.
    fn most_likely(&self) -> f64 {
        let counts = self.counts();
        let all: f64 = counts.iter().sum();
        counts.iter().map(|count| count * (count / all).ln()).sum()
    }

    /// The same of distributions with this mean, which is between 0 and 1.
    ///
    /// The best of them gives the result i the probability nᵢ / (N (1 + λ (xᵢ − mean))), where λ makes the
    /// mean come out right; the sum that λ has to make zero falls with it, so halving finds it.
    fn likely_at(&self, mean: f64) -> f64 {
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

    /// How much stronger the player is, with its 95 % interval.
    pub fn strength(&self) -> Strength {
        if self.count() == 0 {
            return Strength { elo: 0.0, low: None, high: None };
        }
        let score = self.score();
        let short = 0.25 / (self.count() as f64 + 0.5);
        let best = self.most_likely();
        let holds = |mean: f64| best - self.likely_at(mean) <= FALL;
        // From the estimate, where it holds, to an end, where it does not: halving finds where it stops.
        let border = |end: f64| {
            let (mut inside, mut outside) = (score, end);
            for _ in 0..60 {
                let middle = 0.5 * (inside + outside);
                if holds(middle) { inside = middle } else { outside = middle }
            }
            elo(inside)
        };
        Strength {
            elo: elo(score.clamp(short, 1.0 - short)),
            low: (score > 0.0).then(|| border(0.0)),
            high: (score < 1.0).then(|| border(1.0)),
        }
    }

    /// The probability that the player is the stronger one, given the result.
    pub fn superiority(&self) -> f64 {
        if self.count() == 0 {
            return 0.5;
        }
        let deviate = (2.0 * (self.most_likely() - self.likely_at(0.5)).max(0.0)).sqrt();
        normal(if self.score() < 0.5 { -deviate } else { deviate })
    }

    /// The logarithm of how much likelier `elo1` makes the result than `elo0`.
    pub fn likelihood_ratio(&self, elo0: f64, elo1: f64) -> f64 {
        if self.count() == 0 {
            return 0.0;
        }
        self.likely_at(score_of(elo1)) - self.likely_at(score_of(elo0))
    }
}

/// A sequential test of "`elo1` stronger" against "`elo0` stronger".
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Sprt {
    /// The modest claim.
    pub elo0: f64,
    /// The bold claim.
    pub elo1: f64,
    /// How often the bold claim may be accepted though the modest one holds.
    pub alpha: f64,
    /// How often the modest claim may be accepted though the bold one holds.
    pub beta: f64,
}

/// What a sequential test says so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Decision {
    /// The bold claim holds.
    Accepted,
    /// The modest claim holds.
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
    /// The usual test, wrong in at most one of twenty cases either way.
    pub fn new(elo0: f64, elo1: f64) -> Sprt {
        Sprt { elo0, elo1, alpha: 0.05, beta: 0.05 }
    }

    /// The bounds between which the logarithm of the likelihood ratio decides nothing.
    pub fn bounds(&self) -> (f64, f64) {
        ((self.beta / (1.0 - self.alpha)).ln(), ((1.0 - self.beta) / self.alpha).ln())
    }

    /// What the pairs played so far decide.
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
        // Games that are independent of each other have half the variance in pairs: 100 wins and 100 losses
        // at random fall into a quarter, a half and a quarter.
        near(Pairs([25, 0, 50, 0, 25]).variance(), 0.25 / 2.0, 1e-12);
    }

    #[test]
    fn intervals_of_many_pairs_are_the_normal_ones() {
        let pairs = Pairs([200, 500, 1100, 700, 500]);
        let strength = pairs.strength();
        let error = (pairs.variance() / pairs.count() as f64).sqrt();
        near(strength.elo, elo(pairs.score()), 1e-9);
        near(strength.low.unwrap(), elo(pairs.score() - 1.959_964 * error), 0.2);
        near(strength.high.unwrap(), elo(pairs.score() + 1.959_964 * error), 0.2);
        let flipped = pairs.flipped().strength();
        near(flipped.high.unwrap(), -strength.low.unwrap(), 1e-6);
    }

    #[test]
    fn the_interval_covers_the_truth_about_nineteen_times_in_twenty() {
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
        near(whitewash.low.unwrap(), elo((-FALL / 10.0f64).exp()), 2.0);
        assert_eq!(whitewash.high, None);
        assert!(whitewash.elo.is_finite() && whitewash.elo > whitewash.low.unwrap());
        let lost = Pairs([10, 0, 0, 0, 0]).strength();
        near(lost.high.unwrap(), -whitewash.low.unwrap(), 1e-6);
        assert_eq!(lost.low, None);
        // Nothing but draws: the interval is symmetric and not empty.
        let even = Pairs([0, 0, 10, 0, 0]).strength();
        near(even.elo, 0.0, 1e-9);
        near(even.high.unwrap(), elo(1.0 - (-FALL / 10.0f64).exp() / 2.0), 2.0);
        near(even.low.unwrap(), -even.high.unwrap(), 1e-6);
        let nothing = Pairs::default();
        assert_eq!(nothing.strength(), Strength { elo: 0.0, low: None, high: None });
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
    fn the_ratio_is_the_normal_one_for_small_claims() {
        // (s₁ − s₀)(2 mean − s₀ − s₁) N / (2 variance), the approximation that engine testers use.
        let pairs = Pairs([150, 480, 1240, 620, 210]);
        let (s0, s1) = (score_of(0.0), score_of(5.0));
        let usual =
            (s1 - s0) * (2.0 * pairs.score() - s0 - s1) * pairs.count() as f64 / (2.0 * pairs.variance());
        near(pairs.likelihood_ratio(0.0, 5.0), usual, 0.05 * usual.abs());
    }

    #[test]
    fn the_test_is_wrong_about_as_seldom_as_it_says() {
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
