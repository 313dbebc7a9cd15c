//! Counts of positions by tier, player to move and value.

use outplay_core::{Turn, Value, Verdict};
use rustc_hash::FxHashMap;

/// Counts of positions by tier, player to move and value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// One entry per tier.
    pub tiers: Vec<TierTally>,
    /// Positions are counted from the mover's point of view, all under the first player.
    pub merged: bool,
}

/// Counts of the positions of one tier, by player to move and value.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TierTally {
    /// Values with the first player to move, as that player sees them.
    pub first: FxHashMap<Value, u64>,
    /// Values with the second player to move, as that player sees them.
    pub second: FxHashMap<Value, u64>,
    /// Positions at which the game is over.
    pub finished: u64,
}

/// Counts of wins, draws and losses.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split {
    /// Positions won by the player whose point of view it is.
    pub win: u64,
    /// Ties and draws by repetition.
    pub draw: u64,
    /// Positions lost.
    pub loss: u64,
}

impl Split {
    fn of(values: &FxHashMap<Value, u64>) -> Split {
        let mut split = Split::default();
        for (value, count) in values {
            match value.verdict() {
                Verdict::Win => split.win += count,
                Verdict::Draw => split.draw += count,
                Verdict::Loss => split.loss += count,
            }
        }
        split
    }

    /// Adds two counts.
    pub fn plus(self, other: Split) -> Split {
        Split { win: self.win + other.win, draw: self.draw + other.draw, loss: self.loss + other.loss }
    }

    /// The counts from the opponent's point of view.
    pub fn flipped(self) -> Split {
        Split { win: self.loss, draw: self.draw, loss: self.win }
    }

    /// All positions.
    pub fn total(self) -> u64 {
        self.win + self.draw + self.loss
    }
}

impl TierTally {
    /// Counts `count` positions of one value, given from the mover's point of view.
    pub fn add(&mut self, turn: Turn, value: Value, count: u64, finished: bool) {
        let side = if turn == Turn::Second { &mut self.second } else { &mut self.first };
        *side.entry(value).or_default() += count;
        if finished {
            self.finished += count;
        }
    }

    /// Adds the counts of another part of the same tier.
    pub fn merge(&mut self, other: TierTally) {
        for (mine, theirs) in [(&mut self.first, other.first), (&mut self.second, other.second)] {
            for (value, count) in theirs {
                *mine.entry(value).or_default() += count;
            }
        }
        self.finished += other.finished;
    }

    /// Counts from the mover's point of view, for positions with this player to move.
    pub fn by_turn(&self, turn: Turn) -> Split {
        Split::of(if turn == Turn::Second { &self.second } else { &self.first })
    }

    /// Counts of all positions from the first player's point of view.
    pub fn first_view(&self) -> Split {
        self.by_turn(Turn::First).plus(self.by_turn(Turn::Second).flipped())
    }

    /// All positions.
    pub fn total(&self) -> u64 {
        self.first_view().total()
    }
}

impl Tally {
    /// An empty count.
    pub fn new(tiers: u32, merged: bool) -> Tally {
        Tally { tiers: vec![TierTally::default(); tiers as usize], merged }
    }

    /// Counts from the mover's point of view, for positions with this player to move.
    pub fn by_turn(&self, turn: Turn) -> Split {
        self.tiers.iter().fold(Split::default(), |sum, tier| sum.plus(tier.by_turn(turn)))
    }

    /// Counts from the first player's point of view.
    pub fn first_view(&self) -> Split {
        self.by_turn(Turn::First).plus(self.by_turn(Turn::Second).flipped())
    }

    /// Finished positions.
    pub fn finished(&self) -> u64 {
        self.tiers.iter().map(|tier| tier.finished).sum()
    }

    /// The longest win and the longest loss in plies for the player to move.
    pub fn longest(&self, turn: Turn) -> (Option<u32>, Option<u32>) {
        let values =
            self.tiers.iter().flat_map(|tier| if turn == Turn::Second { &tier.second } else { &tier.first });
        let (mut win, mut loss) = (None, None);
        for (value, _) in values {
            match value.verdict() {
                Verdict::Win => win = win.max(value.distance()),
                Verdict::Loss => loss = loss.max(value.distance()),
                Verdict::Draw => {}
            }
        }
        (win, loss)
    }
}
