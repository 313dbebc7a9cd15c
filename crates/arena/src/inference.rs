//! Statistical inference for experiments: intervals of proportions, paired differences, sample sizes, correction for
//! several hypotheses, and conclusions.
//!
//! ```text
//!   plan       sample_size    positions needed to see an effect of a stated size      before the run
//!   measure    proportion     Wilson (1927); Clopper and Pearson (1934) at 0 and 1
//!              Difference     mean of paired differences, bootstrap interval (Efron 1979)
//!   decide     holm           p-values of several hypotheses (Holm 1979)
//!              Conclusion     supported, refuted, or not decided at this size
//! ```
//!
//! Elo differences and the scores of matches are in [`crate::stats`].

use crate::stats::normal;
use rand::RngExt;
use rand::rngs::SmallRng;
use serde::Serialize;
use std::fmt;

/// The probability of a false positive that is accepted: all intervals are 95 % intervals.
pub const LEVEL: f64 = 0.05;
/// The probability with which a planned experiment finds an effect of the planned size.
pub const POWER: f64 = 0.8;
/// Resamples of a bootstrap interval.
const RESAMPLES: usize = 2000;

/// The quantile of the standard normal distribution: the inverse of [`normal`].
pub fn quantile(p: f64) -> f64 {
    let (mut low, mut high) = (-40.0, 40.0);
    for _ in 0..100 {
        let middle = 0.5 * (low + high);
        if normal(middle) < p { low = middle } else { high = middle }
    }
    0.5 * (low + high)
}

/// The two-sided quantile that leaves `level` outside: 1.96 for 5 %.
fn two_sided(level: f64) -> f64 {
    quantile(1.0 - level / 2.0)
}

/// The proportion of successes with its 95 % confidence interval: Wilson's, and where no trial or every trial succeeds
/// the exact one of Clopper and Pearson, because no normal approximation holds there. Without trials the proportion is
/// 0 and the interval 0 to 1.
pub fn proportion(good: u64, all: u64) -> (f64, (f64, f64)) {
    if all == 0 {
        return (0.0, (0.0, 1.0));
    }
    let (n, p) = (all as f64, good as f64 / all as f64);
    // (1 - high)^n = 2.5 % is the largest probability of success with which n failures are not too surprising.
    let exact = 1.0 - (LEVEL / 2.0).powf(1.0 / n);
    if good == 0 {
        return (p, (0.0, exact));
    }
    if good == all {
        return (p, (1.0 - exact, 1.0));
    }
    let z = two_sided(LEVEL);
    let middle = (p + z * z / (2.0 * n)) / (1.0 + z * z / n);
    let half = z / (1.0 + z * z / n) * (p * (1.0 - p) / n + z * z / (4.0 * n * n)).sqrt();
    (p, ((middle - half).max(0.0), (middle + half).min(1.0)))
}

/// The number of paired observations with which a two-sided test at `level` finds a mean difference of `effect` with
/// probability [`POWER`], if the differences have the standard deviation `deviation`.
pub fn sample_size(effect: f64, deviation: f64, level: f64) -> u64 {
    ((two_sided(level) + quantile(POWER)) * deviation / effect).powi(2).ceil() as u64
}

/// The mean of paired differences, with its 95 % interval.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Difference {
    /// Number of pairs.
    pub count: usize,
    /// Mean difference.
    pub mean: f64,
    /// Lower end of the 95 % interval (percentile bootstrap).
    pub low: f64,
    /// Upper end of the interval.
    pub high: f64,
    /// Standard deviation of a single difference.
    pub deviation: f64,
}

impl Difference {
    /// The mean of differences, each measured on the same object under two conditions; `None` for fewer than two.
    pub fn of(differences: &[f64], rng: &mut SmallRng) -> Option<Difference> {
        let count = differences.len();
        if count < 2 {
            return None;
        }
        let n = count as f64;
        let mean = differences.iter().sum::<f64>() / n;
        let squares: f64 = differences.iter().map(|difference| (difference - mean).powi(2)).sum();
        let mut means: Vec<f64> = (0..RESAMPLES)
            .map(|_| (0..count).map(|_| differences[rng.random_range(0..count)]).sum::<f64>() / n)
            .collect();
        means.sort_by(f64::total_cmp);
        let at = |share: f64| means[(share * (RESAMPLES - 1) as f64).round() as usize];
        let (low, high) = (at(LEVEL / 2.0), at(1.0 - LEVEL / 2.0));
        Some(Difference { count, mean, low, high, deviation: (squares / (n - 1.0)).sqrt() })
    }

    /// Standard error of the mean.
    pub fn error(&self) -> f64 {
        self.deviation / (self.count as f64).sqrt()
    }

    /// The two-sided p-value of no difference, by the normal approximation.
    pub fn p_value(&self) -> f64 {
        match self.error() {
            error if error > 0.0 => 2.0 * normal(-(self.mean / error).abs()),
            _ if self.mean == 0.0 => 1.0,
            _ => 0.0,
        }
    }

    /// Decides about the claim that the difference is above 0, one of `hypotheses` tested together, whose adjusted
    /// p-value is `adjusted`. The claim is refuted, too, if a difference as large as the planned `effect` is excluded.
    pub fn conclude(&self, adjusted: f64, hypotheses: usize, effect: f64) -> Conclusion {
        let level = LEVEL / hypotheses.max(1) as f64;
        if adjusted < LEVEL {
            return if self.mean > 0.0 { Conclusion::Supported } else { Conclusion::Refuted };
        }
        if self.mean + two_sided(level) * self.error() < effect {
            return Conclusion::Refuted;
        }
        Conclusion::NotDecided { needs: sample_size(effect, self.deviation, level) }
    }
}

/// Adjusts the p-values of several hypotheses (Holm 1979): each adjusted value below a level is significant at this
/// level, whatever the dependence between the tests.
pub fn holm(values: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..values.len()).collect();
    order.sort_by(|&a, &b| values[a].total_cmp(&values[b]));
    let mut adjusted = vec![1.0; values.len()];
    let mut least = 0.0f64;
    for (place, &number) in order.iter().enumerate() {
        least = least.max(values[number] * (values.len() - place) as f64).min(1.0);
        adjusted[number] = least;
    }
    adjusted
}

/// The conclusion of a planned experiment about a claim.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Conclusion {
    /// The data support the claim.
    Supported,
    /// The data contradict the claim, or exclude an effect of the planned size.
    Refuted,
    /// The sample is too small for the planned effect.
    NotDecided {
        /// Sample size that finds the planned effect.
        needs: u64,
    },
}

impl fmt::Display for Conclusion {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Conclusion::Supported => out.write_str("supported"),
            Conclusion::Refuted => out.write_str("refuted"),
            Conclusion::NotDecided { needs } => write!(out, "not decided at this size (needs about {needs})"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::SeedableRng;

    fn near(found: f64, known: f64, within: f64) {
        assert!((found - known).abs() <= within, "{found} is not {known} within {within}");
    }

    /// A standard normal deviate by the sum of twelve uniform ones.
    fn deviate(rng: &mut SmallRng) -> f64 {
        (0..12).map(|_| rng.random::<f64>()).sum::<f64>() - 6.0
    }

    #[test]
    fn quantiles_of_the_normal_distribution() {
        near(quantile(0.975), 1.959_963_984_540_054, 1e-9);
        near(quantile(0.8), 0.841_621_233_572_914, 1e-9);
        near(quantile(0.5), 0.0, 1e-9);
    }

    #[test]
    fn proportions_have_the_textbook_intervals() {
        let (p, (low, high)) = proportion(50, 100);
        near(p, 0.5, 0.0);
        // Wilson: (0.5 + 1.92073 / 100 ± 1.95996 √(0.25 / 100 + 0.0096036 / 100)) / 1.0384146.
        near(low, 0.403_832, 1e-5);
        near(high, 0.596_168, 1e-5);
        // Clopper and Pearson for no success in ten: 1 − 0.025^(1/10).
        let (p, (low, high)) = proportion(0, 10);
        assert_eq!((p, low), (0.0, 0.0));
        near(high, 0.308_497, 1e-5);
        let (p, (low, high)) = proportion(10, 10);
        assert_eq!((p, high), (1.0, 1.0));
        near(low, 0.691_503, 1e-5);
        assert_eq!(proportion(0, 0), (0.0, (0.0, 1.0)));
    }

    /// Counts how often the interval of a rare event contains its probability, also where no event occurs.
    #[test]
    fn intervals_of_rare_events_cover_their_probability() {
        let mut rng = SmallRng::seed_from_u64(1);
        let covered = (0..2000)
            .filter(|_| {
                let good = (0..50).filter(|_| rng.random::<f64>() < 0.04).count() as u64;
                let (_, (low, high)) = proportion(good, 50);
                low <= 0.04 && 0.04 <= high
            })
            .count();
        assert!(covered >= 1860, "{covered} of 2000 intervals cover the probability");
    }

    #[test]
    fn sample_size_has_the_planned_power() {
        // (1.95996 + 0.84162)² · 100 = 784.9.
        assert_eq!(sample_size(0.1, 1.0, LEVEL), 785);
        // The planned size finds the effect in 80 % of experiments, and a false effect in 5 %.
        let mut rng = SmallRng::seed_from_u64(2);
        let size = sample_size(0.5, 1.0, LEVEL) as usize;
        let mut significant = |effect: f64| {
            (0..1000)
                .filter(|_| {
                    let sample: Vec<f64> = (0..size).map(|_| effect + deviate(&mut rng)).collect();
                    let mean = sample.iter().sum::<f64>() / size as f64;
                    (mean * (size as f64).sqrt()).abs() > two_sided(LEVEL)
                })
                .count()
        };
        let (found, false_alarms) = (significant(0.5), significant(0.0));
        assert!((760..=840).contains(&found), "{found} of 1000");
        assert!((30..=70).contains(&false_alarms), "{false_alarms} of 1000");
    }

    #[test]
    fn paired_interval_covers_the_true_difference() {
        let mut rng = SmallRng::seed_from_u64(3);
        let mut covered = 0;
        for _ in 0..200 {
            let sample: Vec<f64> = (0..60).map(|_| 2.0 + deviate(&mut rng)).collect();
            let found = Difference::of(&sample, &mut rng).unwrap();
            covered += u32::from(found.low <= 2.0 && 2.0 <= found.high);
            // The bootstrap interval of a normal sample is near the normal one.
            near(found.high - found.low, 2.0 * 1.96 * found.error(), 0.12);
        }
        assert!((178..=198).contains(&covered), "{covered} of 200");
        assert_eq!(Difference::of(&[1.0], &mut rng), None);
    }

    /// Pairing removes the spread between objects: the same means are told apart by differences and not by samples.
    #[test]
    fn pairs_find_what_separate_samples_miss() {
        let mut rng = SmallRng::seed_from_u64(4);
        let objects: Vec<f64> = (0..100).map(|_| 20.0 * deviate(&mut rng)).collect();
        let pairs: Vec<(f64, f64)> =
            objects.iter().map(|base| (base + deviate(&mut rng), base + 1.0 + deviate(&mut rng))).collect();
        let differences: Vec<f64> = pairs.iter().map(|(one, other)| other - one).collect();
        let paired = Difference::of(&differences, &mut rng).unwrap();
        assert!(paired.low > 0.0 && paired.p_value() < 1e-4, "{paired:?}");
        // The unpaired standard error is about 20 √2 / √100 = 2.8, three times the difference.
        let spread = |of: fn(&(f64, f64)) -> f64| {
            let values: Vec<f64> = pairs.iter().map(of).collect();
            Difference::of(&values, &mut rng.clone()).unwrap().error()
        };
        assert!(spread(|pair| pair.0).hypot(spread(|pair| pair.1)) > 2.0);
    }

    #[test]
    fn holm_adjusts_in_order() {
        // 0.01 · 4, 0.02 · 3, 0.03 · 2, and 0.04 · 1, none below its predecessor.
        let adjusted = holm(&[0.04, 0.01, 0.03, 0.02]);
        for (found, known) in adjusted.into_iter().zip([0.06, 0.04, 0.06, 0.06]) {
            near(found, known, 1e-12);
        }
        assert_eq!(holm(&[0.9, 0.8]), [1.0, 1.0]);
        assert!(holm(&[]).is_empty());
    }

    #[test]
    fn conclusions() {
        let difference = |mean: f64, deviation: f64| Difference {
            count: 100,
            mean,
            low: mean - 0.196 * deviation,
            high: mean + 0.196 * deviation,
            deviation,
        };
        let conclude = |found: Difference| found.conclude(found.p_value(), 1, 0.5);
        // Standard errors of 0.1.
        assert_eq!(conclude(difference(0.4, 1.0)), Conclusion::Supported);
        assert_eq!(conclude(difference(-0.4, 1.0)), Conclusion::Refuted);
        // Not different from 0, and an effect of 0.5 is excluded.
        assert_eq!(conclude(difference(0.1, 1.0)), Conclusion::Refuted);
        // A standard error of 1 excludes nothing: (2.80158 · 10 / 0.5)² = 3139.6.
        assert_eq!(conclude(difference(0.1, 10.0)), Conclusion::NotDecided { needs: 3140 });
        let words = conclude(difference(0.1, 10.0)).to_string();
        assert_eq!(words, "not decided at this size (needs about 3140)");
        assert_eq!(conclude(difference(0.0, 0.0)), Conclusion::Refuted);
    }
}
