//! Design of experiments: independent random streams by purpose. Intervals, sample sizes and conclusions are in
//! [`outplay_arena::inference`].
//!
//! ```text
//!   run's seed ── number of the game or position ── purpose ── seed of one stream
//! ```
//!
//! Invariant: every random choice of an experiment comes from the stream of its purpose, so that an opening and the
//! tie-breaks of the players after it, say, are independent. (Before, both began with the same seed, so that tie-breaks
//! repeated the opening's numbers: docs/experiments.md.)

use outplay_arena::seed::part;
use rand::SeedableRng;
use rand::rngs::SmallRng;

/// The use of a random stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// Choice of test positions.
    Positions,
    /// Moves of an opening.
    Opening,
    /// Choices of the first player.
    First,
    /// Choices of the second player.
    Second,
    /// Errors of evaluations.
    Noise,
    /// Permutations of leaves.
    Leaves,
    /// Cells of obstacles.
    Obstacles,
    /// Resamples of an interval.
    Bootstrap,
}

/// The key of purposes, which keeps them apart from numbers of parts: "purposes" in ASCII.
const KEY: u64 = 0x7075_7270_6f73_6573;

/// The random streams of a run, or of one numbered part of it, such as a game.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Streams(u64);

impl Streams {
    /// The streams of a run.
    pub(crate) fn new(seed: u64) -> Streams {
        Streams(seed)
    }

    /// The streams of a part.
    pub(crate) fn part(self, number: u64) -> Streams {
        Streams(part(self.0, number))
    }

    /// The seed of the stream of a purpose.
    pub(crate) fn seed(self, purpose: Purpose) -> u64 {
        // Hashed twice: the seeds of neighbouring runs and purposes would otherwise be sums of small numbers.
        part(part(self.0, KEY), KEY ^ purpose as u64)
    }

    /// The stream of a purpose.
    pub(crate) fn rng(self, purpose: Purpose) -> SmallRng {
        SmallRng::seed_from_u64(self.seed(purpose))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand::RngExt;
    use std::collections::HashSet;

    const PURPOSES: [Purpose; 8] = [
        Purpose::Positions,
        Purpose::Opening,
        Purpose::First,
        Purpose::Second,
        Purpose::Noise,
        Purpose::Leaves,
        Purpose::Obstacles,
        Purpose::Bootstrap,
    ];

    /// Draws of each stream.
    const DRAWS: usize = 4096;

    /// The streams of all purposes of two runs and of two games of each, and the run's own seed, which the players and
    /// openings of an earlier version used.
    fn streams() -> Vec<(String, SmallRng)> {
        let mut all = Vec::new();
        for seed in [1, 2] {
            all.push((format!("seed {seed}"), SmallRng::seed_from_u64(seed)));
            let run = Streams::new(seed);
            for (name, streams) in [("run", run), ("game 0", run.part(0)), ("game 1", run.part(1))] {
                let purposes = PURPOSES.into_iter();
                all.extend(
                    purposes.map(|purpose| {
                        (format!("{purpose:?} of {name} of seed {seed}"), streams.rng(purpose))
                    }),
                );
            }
        }
        all
    }

    #[test]
    fn no_two_purposes_share_a_run_of_draws() {
        let mut seen = HashSet::new();
        for (name, mut rng) in streams() {
            // Equal draws of 64 bits by chance: 200,000² / 2⁶⁵, one in a billion.
            assert!((0..DRAWS).all(|_| seen.insert(rng.random::<u64>())), "{name} repeats another stream");
        }
    }

    #[test]
    fn purposes_are_uncorrelated() {
        let drawn: Vec<(String, Vec<f64>)> = streams()
            .into_iter()
            .map(|(name, mut rng)| (name, (0..DRAWS).map(|_| rng.random::<f64>() - 0.5).collect()))
            .collect();
        for (number, (name, one)) in drawn.iter().enumerate() {
            for (other_name, other) in &drawn[..number] {
                // The variance of a uniform draw is 1/12.
                let sum: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
                let correlation = 12.0 * sum / DRAWS as f64;
                assert!(
                    correlation.abs() < 4.0 / (DRAWS as f64).sqrt(),
                    "{name} and {other_name} have a correlation of {correlation}"
                );
            }
        }
    }

    /// First draws of the streams of one game, over many games: the tie-breaks must not depend on the opening.
    #[test]
    fn first_draws_of_many_games_are_uncorrelated() {
        let run = Streams::new(1);
        let first = |purpose: Purpose| -> Vec<f64> {
            (0..DRAWS as u64).map(|game| run.part(game).rng(purpose).random::<f64>() - 0.5).collect()
        };
        let drawn = PURPOSES.map(first);
        for (number, one) in drawn.iter().enumerate() {
            for (other_number, other) in drawn[..number].iter().enumerate() {
                let sum: f64 = one.iter().zip(other).map(|(a, b)| a * b).sum();
                let correlation = 12.0 * sum / DRAWS as f64;
                let pair = (PURPOSES[number], PURPOSES[other_number]);
                assert!(correlation.abs() < 4.0 / (DRAWS as f64).sqrt(), "{pair:?}: {correlation}");
            }
        }
    }
}
