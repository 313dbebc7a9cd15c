//! Counts of legal positions by ply, value and distance.
//!
//! Values are from the first player's point of view. Finished positions are included, with distance 0.

/// Counts of the legal positions of one ply, by value and distance.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PlyCounts {
    /// All legal positions.
    pub legal: u64,
    /// Positions in which the game is over.
    pub finished: u64,
    /// Finished positions with a line; the others are full boards.
    pub decided: u64,
    /// Won by the first player under best play.
    pub win: u64,
    /// Drawn.
    pub draw: u64,
    /// Won by the second player.
    pub loss: u64,
    /// Won positions by distance in plies; empty when distances were not computed.
    pub win_in: Vec<u64>,
    /// Lost positions by distance in plies.
    pub loss_in: Vec<u64>,
}

/// Counts of the legal positions of a board, ply by ply.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Ply by ply, counted from the start position.
    pub plies: Vec<PlyCounts>,
}

impl Counts {
    /// Sums all plies, distances included.
    pub fn total(&self) -> PlyCounts {
        let mut total = PlyCounts::default();
        let add = |into: &mut Vec<u64>, from: &[u64]| {
            into.resize(into.len().max(from.len()), 0);
            into.iter_mut().zip(from).for_each(|(into, from)| *into += from);
        };
        for ply in &self.plies {
            total.legal += ply.legal;
            total.finished += ply.finished;
            total.decided += ply.decided;
            total.win += ply.win;
            total.draw += ply.draw;
            total.loss += ply.loss;
            add(&mut total.win_in, &ply.win_in);
            add(&mut total.loss_in, &ply.loss_in);
        }
        total
    }
}

impl PlyCounts {
    /// Adds positions that are worth `payoff` to the first player and end after `distance` plies.
    pub(crate) fn add(&mut self, payoff: i32, distance: Option<usize>, positions: u64) {
        let (total, list) = match payoff {
            1.. => (&mut self.win, Some(&mut self.win_in)),
            0 => (&mut self.draw, None),
            _ => (&mut self.loss, Some(&mut self.loss_in)),
        };
        *total += positions;
        if let (Some(list), Some(distance), true) = (list, distance, positions > 0) {
            list.resize(list.len().max(distance + 1), 0);
            list[distance] += positions;
        }
    }
}
