//! What the linear evaluation counts in a position, always as the player sees it who moved last ("mine"); the
//! opponent ("their") moves next.
//!
//! The paper's five are numbers of stones and windows. A *window* is k cells in a row, and it counts for a player
//! if the other has no stone in it. The extended ones add what decides games in which stones fall: an empty
//! cell that completes a line is a *threat*; some can be played now, and of the others the row matters, because
//! the players fill the board in turns and who has to play beneath a threat loses.

use super::field::Field;
use super::weights::FeatureSet;
use outplay_core::{Content, LineBoard, Turn};
use outplay_games::mnk::Bits;

/// Names of the extended features.
pub(super) const EXTENDED: [&str; 47] = [
    // Stones in the middle column, next to it, and further out: mine less theirs.
    "ring0",
    "ring1",
    "ring2",
    "ring3",
    // Windows by how many stones they hold.
    "ones",
    "twos",
    "threes",
    "their_ones",
    "their_twos",
    "their_threes",
    // Windows one short of a line that can never be completed.
    "dead",
    "their_dead",
    // Threats that can be played now.
    "now",
    "now_two",
    "now_stacked",
    "their_now",
    // Moves that would make two such threats at once, or one on top of another.
    "fork",
    "their_fork",
    // The lowest threat of each column that cannot be played yet, by row and by who moved first.
    "first_row2",
    "first_row3",
    "first_row4",
    "first_row5",
    "first_row6",
    "first_their_row2",
    "first_their_row3",
    "first_their_row4",
    "first_their_row5",
    "first_their_row6",
    "second_row2",
    "second_row3",
    "second_row4",
    "second_row5",
    "second_row6",
    "second_their_row2",
    "second_their_row3",
    "second_their_row4",
    "second_their_row5",
    "second_their_row6",
    // Two threats of one player on top of each other that cannot be played yet.
    "pair",
    "their_pair",
    // Cells that can be played without letting the opponent complete a line on top.
    "safe",
    "their_safe",
    "their_stuck",
    // Who wins if both only fill the board, threats as they are.
    "first_zugzwang",
    "first_their_zugzwang",
    "second_zugzwang",
    "second_their_zugzwang",
];

/// Weights of the extended features.
pub(super) const FITTED: [f32; EXTENDED.len()] = [0.0; EXTENDED.len()];

/// Counts the features of positions of one board.
#[derive(Clone, Debug)]
pub struct Features {
    set: FeatureSet,
    start: LineBoard,
    small: Option<Field<u64>>,
    large: Option<Field<u128>>,
}

impl Features {
    /// The features of a set on boards like this one; `None` for extended ones on boards of more than 128 bits.
    pub fn new(set: FeatureSet, board: &LineBoard) -> Option<Features> {
        let small = Field::new(board);
        let large = if small.is_none() { Field::new(board) } else { None };
        let known = set == FeatureSet::Paper || small.is_some() || large.is_some();
        known.then(|| Features { set, start: board.clone(), small, large })
    }

    /// The names of the features.
    pub fn names(&self) -> &'static [&'static str] {
        self.set.names()
    }

    /// The features of a position on such a board, seen by the player who moved last.
    ///
    /// The opinion of that player is their product with the weights.
    pub fn vector(&self, board: &LineBoard) -> Vec<f32> {
        debug_assert_eq!(
            (board.width, board.height, board.k),
            (self.start.width, self.start.height, self.start.k)
        );
        let mut out = vec![0.0; self.names().len()];
        let last_was_first = board.turn == Turn::Second;
        match (&self.small, &self.large) {
            (Some(field), _) => {
                let (mine, their) = field.stones(board);
                count(self.set, field, mine, their, last_was_first, &mut out);
            }
            (_, Some(field)) => {
                let (mine, their) = field.stones(board);
                count(self.set, field, mine, their, last_was_first, &mut out);
            }
            _ => return plain_features(board),
        }
        out
    }
}

/// Counts a set of features.
pub(super) fn count<B: Bits>(
    set: FeatureSet,
    field: &Field<B>,
    mine: B,
    their: B,
    last_was_first: bool,
    out: &mut [f32],
) {
    match set {
        FeatureSet::Paper => {
            let counts = paper(field, mine, their);
            for (out, count) in out.iter_mut().zip(counts) {
                *out = count as f32;
            }
        }
        FeatureSet::Extended => extended(field, mine, their, last_was_first, out),
    }
}

/// The paper's features with their signs: centre, fours, threes, twos, and the other player's threes.
///
/// An unfinished position holds no fours: the search knows wins for what they are.
#[inline]
pub(super) fn paper<B: Bits>(field: &Field<B>, mine: B, their: B) -> [i32; 5] {
    let (mut threes, mut twos, mut block) = (0, 0, 0);
    field.windows(mine, their, |_, windows| {
        threes += windows.short.count() as i32;
        twos += windows.two.count() as i32;
    });
    field.windows(their, mine, |_, windows| block += windows.short.count() as i32);
    let centre = (mine & field.rings[0]).count() as i32;
    [centre, 0, threes, twos, -block]
}

/// The paper's features by looking at every window: the oracle of the fast ones, and for boards of any size.
pub fn plain_features(board: &LineBoard) -> Vec<f32> {
    let (mine, their) = match board.turn {
        Turn::Second => (Content::First, Content::Second),
        _ => (Content::Second, Content::First),
    };
    let middle = |cell: usize| (2 * (cell / board.height) + 1).abs_diff(board.width) <= 1;
    let centre = (0..board.cells.len()).filter(|&cell| middle(cell) && board.cells[cell] == mine).count();
    let mut counts = [0; 4];
    for line in board.lines() {
        let stones = |player: Content| line.iter().filter(|&&cell| board.cells[cell] == player).count();
        match (board.k - stones(mine).min(board.k), board.k - stones(their).min(board.k)) {
            (short, none) if none == board.k && short <= 2 => counts[short] += 1,
            (none, 1) if none == board.k => counts[3] += 1,
            _ => {}
        }
    }
    let [fours, threes, twos, block] = counts.map(|count| count as f32);
    vec![centre as f32, fours, threes, twos, -block]
}

/// What one player's stones make.
struct Side<B> {
    ones: u32,
    twos: u32,
    shorts: u32,
    threats: B,
}

fn side<B: Bits>(field: &Field<B>, own: B, other: B, empty: B) -> Side<B> {
    let mut side = Side { ones: 0, twos: 0, shorts: 0, threats: B::NONE };
    field.windows(own, other, |s, windows| {
        side.ones += windows.one.count();
        side.twos += windows.two.count();
        side.shorts += windows.short.count();
        side.threats = side.threats | field.gaps(windows.short, s, empty);
    });
    side
}

fn extended<B: Bits>(field: &Field<B>, mine: B, their: B, last_was_first: bool, out: &mut [f32]) {
    let occupied = mine | their;
    let empty = field.playable & !occupied;
    let open = field.open(occupied);
    let (me, they) = (side(field, mine, their, empty), side(field, their, mine, empty));
    let mut at = 0;
    let mut put = |value: f32| {
        out[at] = value;
        at += 1;
    };
    for ring in field.rings {
        put((mine & ring).count() as f32 - (their & ring).count() as f32);
    }
    for side in [&me, &they] {
        for count in [side.ones, side.twos, side.shorts] {
            put(count as f32);
        }
    }
    // Threats on top of the other player's are dead: that one gets there first.
    let buried = |own: B, other: B| (own & above(field, other & !open & !own)).count() as f32;
    put(buried(me.threats, they.threats));
    put(buried(they.threats, me.threats));

    let now = me.threats & open;
    let stacked = if field.gravity { (now << 1) & me.threats } else { B::NONE };
    put(flag(now != B::NONE));
    put(flag(now.count() >= 2));
    put(flag(stacked != B::NONE));
    put(flag(they.threats & open != B::NONE));
    put(forks(field, mine, their, open, they.threats));
    put(forks(field, their, mine, open, me.threats));

    let mut rows = [0.0; 20];
    let late = empty & !open;
    for (i, side) in [&me, &they].into_iter().enumerate() {
        let waiting = side.threats & late;
        // Only the lowest threat of a column is ever reached.
        let lowest = waiting & !above(field, waiting);
        for cell in lowest.cells() {
            let row = (cell % (field.height + 1)).clamp(1, 5) as usize - 1;
            rows[if last_was_first { 0 } else { 10 } + 5 * i + row] += 1.0;
        }
    }
    rows.into_iter().for_each(&mut put);
    for side in [&me, &they] {
        let waiting = side.threats & late;
        put((waiting & (waiting << 1)).count() as f32);
    }
    let safe = |other: B| open & !(if field.gravity { other >> 1 } else { B::NONE });
    let (my_safe, their_safe) = (safe(they.threats), safe(me.threats));
    put(my_safe.count() as f32);
    put(their_safe.count() as f32);
    put(flag(their_safe == B::NONE));
    let winner = fill(field, occupied, me.threats, they.threats);
    for first in [true, false] {
        put(flag(last_was_first == first && winner > 0));
        put(flag(last_was_first == first && winner < 0));
    }
}

fn flag(yes: bool) -> f32 {
    if yes { 1.0 } else { 0.0 }
}

/// All cells above some cells of their columns.
fn above<B: Bits>(field: &Field<B>, cells: B) -> B {
    let mut all = B::NONE;
    let mut next = cells;
    for _ in 1..field.height {
        next = (next << 1) & field.playable;
        all = all | next;
    }
    all
}

/// Moves of a player that make two threats that can be played at once, or one with another on top; moves that
/// let the other player complete a line are left out.
fn forks<B: Bits>(field: &Field<B>, own: B, other: B, open: B, other_threats: B) -> f32 {
    let feeds = if field.gravity { other_threats >> 1 } else { B::NONE };
    let mut forks = 0.0;
    for cell in (open & !feeds).cells() {
        let stone = B::one(cell);
        let after = own | stone;
        let threats = field.threats(after, other);
        let now = threats & field.open(after | other);
        let stacked = if field.gravity { (now << 1) & threats } else { B::NONE };
        if now.count() >= 2 || stacked != B::NONE {
            forks += 1.0;
        }
    }
    forks
}

/// Who wins if both players only fill the board and no new threats arise: 1 if it is the player who moved last,
/// −1 if it is the other, 0 if nobody.
///
/// Each takes a threat when it can, averts one when it must, else plays where nothing is given away, keeping
/// the cells beneath its own threats for last.
fn fill<B: Bits>(field: &Field<B>, mut occupied: B, mine: B, their: B) -> i32 {
    if !field.gravity {
        return 0;
    }
    let mut sides = [their, mine];
    let mut sign = -1;
    loop {
        let open = field.open(occupied);
        if open == B::NONE {
            return 0;
        }
        let [own, other] = sides;
        if own & open != B::NONE {
            return sign;
        }
        let averted = other & open;
        let cell = if averted != B::NONE {
            averted
        } else {
            let safe = open & !(other >> 1);
            let kept = safe & !(own >> 1);
            [kept, safe, open].into_iter().find(|cells| *cells != B::NONE).unwrap_or(open)
        };
        occupied = occupied | B::one(cell.lowest());
        sides.swap(0, 1);
        sign = -sign;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::{Game, LineGame};
    use outplay_games::mnk::{Mnk, Rules};
    use rand::rngs::SmallRng;
    use rand::{RngExt, SeedableRng};

    /// Random unfinished positions of a game.
    fn boards(spec: &str, games: u64) -> Vec<LineBoard> {
        let game: Mnk<u128> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
        let mut boards = Vec::new();
        for seed in 0..games {
            let mut rng = SmallRng::seed_from_u64(seed);
            let mut pos = game.start().unwrap();
            loop {
                let mut moves = Vec::new();
                game.moves(&pos, &mut moves);
                if moves.is_empty() {
                    break;
                }
                boards.push(game.board(&pos));
                pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
            }
        }
        boards
    }

    #[test]
    fn bit_tricks_count_what_looking_at_every_window_counts() {
        for spec in [
            "connect4",
            "connect4:6x5,obstacles=c1+d3",
            "tictactoe",
            "mnk:6x6,k=5,obstacles=b2",
            "mnk:5x4,k=2",
            "connect:9x7,k=6",
            "mnk:10x10,k=5",
        ] {
            let boards = boards(spec, 60);
            let fast = Features::new(FeatureSet::Paper, &boards[0]).unwrap();
            for board in &boards {
                let (got, mut wanted) = (fast.vector(board), plain_features(board));
                wanted[1] = 0.0;
                assert_eq!(got, wanted, "{spec} {board:?}");
            }
        }
    }
}
