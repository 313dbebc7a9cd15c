//! Bradley-Terry ratings (1952) for three and more players, in Elo points, and the cross table.
//!
//! A draw counts as half a win and half a loss. The maximum-likelihood ratings are found by Newton's method; the
//! log-likelihood is concave. A prior of half a win and half a loss for every pair of players who met keeps the rating
//! of a player with a perfect score finite. Confidence intervals come from the inverse of the observed information
//! matrix.

use crate::record::GameRecord;
use crate::stats::score_of;
use serde::Serialize;

/// A player's Bradley-Terry rating in Elo points, with its confidence interval.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Rating {
    /// The canonical spec.
    pub player: String,
    /// Elo points; the mean of all players is 0.
    pub elo: f64,
    /// The lower end of the 95 % interval.
    pub low: f64,
    /// The upper end.
    pub high: f64,
}

/// Cross table of a match: points and games of each player against each other player.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct CrossTable {
    /// `points[a][b]`: points that player `a` won against `b`.
    pub points: Vec<Vec<f64>>,
    /// `games[a][b]`: games between them.
    pub games: Vec<Vec<u64>>,
}

impl CrossTable {
    /// The cross table of games between `players` players.
    pub fn new(players: usize, games: &[GameRecord]) -> CrossTable {
        let mut table =
            CrossTable { points: vec![vec![0.0; players]; players], games: vec![vec![0; players]; players] };
        for game in games {
            for (one, other) in [(game.first, game.second), (game.second, game.first)] {
                table.points[one][other] += game.half_points(one) as f64 / 2.0;
                table.games[one][other] += 1;
            }
        }
        table
    }
}

/// Elo points per unit of the logistic scale.
const ELO_PER_LOGIT: f64 = 400.0 / std::f64::consts::LN_10;
/// Standard deviations of a two-sided 95 % interval.
const Z_95: f64 = 1.959_963_984_540_054;
/// Maximal iterations of Newton's method; it usually needs fewer than ten.
const STEPS: usize = 100;

/// The maximum-likelihood ratings, in the order of the players.
pub fn ratings(players: &[String], table: &CrossTable) -> Vec<Rating> {
    let count = players.len();
    let met = |a: usize, b: usize| table.games[a][b] > 0;
    // Half a point each way: the prior.
    let games = |a: usize, b: usize| if met(a, b) { table.games[a][b] as f64 + 1.0 } else { 0.0 };
    let points = |a: usize, b: usize| if met(a, b) { table.points[a][b] + 0.5 } else { 0.0 };
    let mut strength = vec![0.0f64; count];
    let mut inverse = Vec::new();
    for _ in 0..STEPS {
        let (mut slope, mut curve) = (vec![0.0; count], vec![vec![0.0; count]; count]);
        for a in 0..count {
            for b in 0..count {
                if a == b {
                    continue;
                }
                let chance = score_of(ELO_PER_LOGIT * (strength[a] - strength[b]));
                slope[a] += points(a, b) - games(a, b) * chance;
                let bend = games(a, b) * chance * (1.0 - chance);
                curve[a][a] += bend;
                curve[a][b] -= bend;
            }
        }
        // The likelihood is invariant under a shift of all ratings; a penalty on the sum makes the matrix invertible.
        for row in &mut curve {
            row.iter_mut().for_each(|entry| *entry += 1.0);
        }
        inverse = inverted(curve);
        let step: Vec<f64> =
            inverse.iter().map(|row| row.iter().zip(&slope).map(|(a, b)| a * b).sum::<f64>()).collect();
        // Damped Newton: far from the maximum a full step may overshoot.
        let largest = step.iter().fold(0.0f64, |most, step| most.max(step.abs()));
        let share = if largest > 1.0 { 1.0 / largest } else { 1.0 };
        strength.iter_mut().zip(&step).for_each(|(strength, step)| *strength += share * step);
        if largest < 1e-10 {
            break;
        }
    }
    let mean = strength.iter().sum::<f64>() / count.max(1) as f64;
    let shared = 1.0 / (count * count).max(1) as f64;
    (0..count)
        .map(|place| {
            let elo = ELO_PER_LOGIT * (strength[place] - mean);
            // The penalty on the sum adds this constant to every entry of the inverse.
            let variance = (inverse[place][place] - shared).max(0.0);
            let reach = Z_95 * ELO_PER_LOGIT * variance.sqrt();
            Rating { player: players[place].clone(), elo, low: elo - reach, high: elo + reach }
        })
        .collect()
}

/// Inverts a matrix by Gauss-Jordan elimination with partial pivoting.
fn inverted(mut matrix: Vec<Vec<f64>>) -> Vec<Vec<f64>> {
    let size = matrix.len();
    for (i, row) in matrix.iter_mut().enumerate() {
        row.extend((0..size).map(|j| f64::from(i == j)));
    }
    for column in 0..size {
        let pivot =
            (column..size).max_by(|&a, &b| matrix[a][column].abs().total_cmp(&matrix[b][column].abs()));
        matrix.swap(column, pivot.unwrap_or(column));
        // A player without games leaves a zero column; its rating stays at its start value.
        let by = matrix[column][column];
        if by.abs() < 1e-12 {
            continue;
        }
        matrix[column].iter_mut().for_each(|entry| *entry /= by);
        let top = matrix[column].clone();
        for (i, row) in matrix.iter_mut().enumerate() {
            let times = row[column];
            if i != column && times != 0.0 {
                row.iter_mut().zip(&top).for_each(|(entry, above)| *entry -= times * above);
            }
        }
    }
    matrix.into_iter().map(|row| row[size..].to_vec()).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(results: &[(usize, usize, f64, u64)], players: usize) -> CrossTable {
        let mut table =
            CrossTable { points: vec![vec![0.0; players]; players], games: vec![vec![0; players]; players] };
        for &(a, b, points, games) in results {
            (table.points[a][b], table.points[b][a]) = (points, games as f64 - points);
            (table.games[a][b], table.games[b][a]) = (games, games);
        }
        table
    }

    fn names(count: usize) -> Vec<String> {
        (0..count).map(|place| place.to_string()).collect()
    }

    #[test]
    fn two_players_have_the_difference_of_their_score() {
        // 75 % of very many games are 190.8 points.
        let found = ratings(&names(2), &table(&[(0, 1, 750_000.0, 1_000_000)], 2));
        assert!((found[0].elo - found[1].elo - 190.848).abs() < 0.01, "{found:?}");
        assert!((found[0].elo + found[1].elo).abs() < 1e-6);
        assert!(found[0].high - found[0].low < 2.0);
    }

    #[test]
    fn consistent_results_recover_their_ratings() {
        // 100 points between neighbours: all three pairings agree.
        let chance = |elo: f64| 1e6 * score_of(elo);
        let results = [
            (0, 1, chance(100.0), 1_000_000),
            (1, 2, chance(100.0), 1_000_000),
            (0, 2, chance(200.0), 1_000_000),
        ];
        let found = ratings(&names(3), &table(&results, 3));
        for (rating, elo) in found.iter().zip([100.0, 0.0, -100.0]) {
            assert!((rating.elo - elo).abs() < 0.01 && rating.low < elo && elo < rating.high, "{found:?}");
        }
    }

    #[test]
    fn perfect_scores_and_unplayed_players_have_finite_bounds() {
        let found = ratings(&names(4), &table(&[(0, 1, 10.0, 10), (0, 2, 10.0, 10), (1, 2, 5.0, 10)], 4));
        assert!(
            found
                .iter()
                .all(|rating| rating.elo.is_finite() && rating.low.is_finite() && rating.high.is_finite())
        );
        assert!(found[0].low > found[1].elo, "{found:?}");
        assert!((found[1].elo - found[2].elo).abs() < 1e-6, "{found:?}");
    }

    /// More games narrow the interval, by about the square root.
    #[test]
    fn bounds_shrink_with_games() {
        let width = |games: u64| {
            let share = |points: f64| points * games as f64;
            let results = [(0, 1, share(0.6), games), (1, 2, share(0.5), games), (0, 2, share(0.6), games)];
            let found = ratings(&names(3), &table(&results, 3));
            found[0].high - found[0].low
        };
        let ratio = width(1000) / width(4000);
        assert!((ratio - 2.0).abs() < 0.05, "{ratio}");
    }
}
