//! Statistics of repeated measurements: mean, median, and confidence intervals of means (Student) and proportions
//! ([`outplay_arena::inference`]).

use crate::plot::Point;
use outplay_arena::inference::proportion;

/// Two-sided 95 % quantiles of Student's t-distribution, by degrees of freedom from 1.
const STUDENT: [f64; 30] = [
    12.706, 4.303, 3.182, 2.776, 2.571, 2.447, 2.365, 2.306, 2.262, 2.228, 2.201, 2.179, 2.160, 2.145, 2.131,
    2.120, 2.110, 2.101, 2.093, 2.086, 2.080, 2.074, 2.069, 2.064, 2.060, 2.056, 2.052, 2.048, 2.045, 2.042,
];

/// The same for the normal distribution.
const NORMAL: f64 = 1.96;

/// Repeated measurements of one quantity.
#[derive(Clone, Debug, Default)]
pub(crate) struct Sample(Vec<f64>);

impl Sample {
    /// Adds a measurement.
    pub(crate) fn add(&mut self, value: f64) {
        self.0.push(value);
    }

    /// Number of measurements.
    pub(crate) fn len(&self) -> usize {
        self.0.len()
    }

    /// All of them together.
    pub(crate) fn sum(&self) -> f64 {
        self.0.iter().sum()
    }

    /// The mean; `None` if nothing was measured.
    pub(crate) fn mean(&self) -> Option<f64> {
        (!self.0.is_empty()).then(|| self.sum() / self.0.len() as f64)
    }

    /// The median; `None` if nothing was measured.
    pub(crate) fn median(&self) -> Option<f64> {
        let mut sorted = self.0.clone();
        sorted.sort_by(f64::total_cmp);
        sorted.get(sorted.len() / 2).copied()
    }

    /// The minimum; `None` if nothing was measured.
    pub(crate) fn least(&self) -> Option<f64> {
        self.0.iter().copied().min_by(f64::total_cmp)
    }

    /// The 95 % confidence interval of the mean (Student); `None` for fewer than two measurements.
    pub(crate) fn bounds(&self) -> Option<(f64, f64)> {
        let (n, mean) = (self.0.len(), self.mean()?);
        let quantile = *STUDENT.get(n.checked_sub(2)?).unwrap_or(&NORMAL);
        let squares: f64 = self.0.iter().map(|value| (value - mean).powi(2)).sum();
        let half = quantile * (squares / (n - 1) as f64 / n as f64).sqrt();
        Some((mean - half, mean + half))
    }

    /// The mean with its interval, each formatted by `figure`.
    pub(crate) fn text(&self, figure: impl Fn(f64) -> String) -> String {
        match (self.mean(), self.bounds()) {
            (Some(mean), Some((low, high))) => {
                format!("{} ({} to {})", figure(mean), figure(low), figure(high))
            }
            (Some(mean), None) => figure(mean),
            (None, _) => "-".into(),
        }
    }

    /// The mean as a point of a plot.
    pub(crate) fn point(&self, x: f64) -> Option<Point> {
        Some(Point { x, y: self.mean()?, bounds: self.bounds() })
    }
}

/// A proportion in percent, clamped to 0 to 100.
pub(crate) fn percent(share: f64) -> String {
    format!("{:.1} %", share.clamp(0.0, 100.0))
}

/// The mean of proportions in percent as a point of a plot, with its interval clamped to 0 to 100.
pub(crate) fn percent_point(sample: &Sample, x: f64) -> Option<Point> {
    let point = sample.point(x)?;
    let bounds = point.bounds.map(|(low, high)| (low.max(0.0), high.min(100.0)));
    Some(Point { bounds, ..point })
}

/// Formats seconds; a negative bound is clamped to 0.
pub(crate) fn seconds(value: f64) -> String {
    outplay_core::figures::duration(value.max(0.0))
}

/// The proportion of successes in a sample with its 95 % confidence interval, in percent.
pub(crate) fn share_text(good: u64, all: u64) -> String {
    let (p, (low, high)) = proportion(good, all);
    format!("{:.1} % ({:.1} to {:.1})", 100.0 * p, 100.0 * low, 100.0 * high)
}

/// The same as a point of a plot.
pub(crate) fn share_point(x: f64, good: u64, all: u64) -> Point {
    let (p, (low, high)) = proportion(good, all);
    Point { x, y: 100.0 * p, bounds: Some((100.0 * low, 100.0 * high)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn means_have_confidence_intervals() {
        let mut sample = Sample::default();
        assert_eq!(
            (sample.mean(), sample.bounds(), sample.text(|x| x.to_string())),
            (None, None, "-".into())
        );
        sample.add(1.0);
        assert_eq!((sample.mean(), sample.bounds()), (Some(1.0), None));
        sample.add(3.0);
        // A standard error of 1, times 12.706.
        let (low, high) = sample.bounds().unwrap();
        assert!((low + 10.706).abs() < 1e-9 && (high - 14.706).abs() < 1e-9);
        sample.add(2.0);
        assert_eq!((sample.median(), sample.least(), sample.len()), (Some(2.0), Some(1.0), 3));
        assert_eq!(share_text(50, 100), "50.0 % (40.4 to 59.6)");
        assert_eq!(share_text(0, 10), "0.0 % (0.0 to 30.8)");
    }
}
