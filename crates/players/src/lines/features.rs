//! Features of the linear evaluation of k-in-a-row boards, from the point of view of the player who moved last
//! ("mine"); the opponent ("their") is to move.
//!
//! The paper's five features are numbers of stones and windows. A *window* is k cells in a row; it counts for a player
//! if the opponent has no stone in it. The extended features add zugzwang control (Allis 1988), which decides games
//! with gravity. An empty cell that completes a line is a *threat*. For a threat that cannot be played yet, the parity
//! of its row matters: the players fill the board in turns, and the player who has to play directly beneath an
//! opponent's threat loses.

use super::field::BoardGeometry;
use super::forced::{ThreatSearch, above, fill};
use super::weights::FeatureSet;
use outplay_core::{Content, LineBoard, Turn};
use outplay_index::Bits;

/// Names of the extended features.
pub(super) const EXTENDED: [&str; 54] = [
    // Stones in the middle column, next to it, and further out: mine minus theirs.
    "ring0",
    "ring1",
    "ring2",
    "ring3",
    // Windows by number of stones.
    "ones",
    "twos",
    "threes",
    "their_ones",
    "their_twos",
    "their_threes",
    // Dead threats: above a threat of the opponent, so that they are never played.
    "dead",
    "their_dead",
    // Threats that can be played now.
    "now",
    "now_two",
    "now_stacked",
    "their_now",
    // Forced wins by a sequence of threats: whether there is one, and its number of first moves.
    "force",
    "force_moves",
    "their_force",
    // The lowest threat of each column that cannot be played yet, by row: the first player's, then the second's.
    "first_row2",
    "first_row3",
    "first_row4",
    "first_row5",
    "first_row6",
    "second_row2",
    "second_row3",
    "second_row4",
    "second_row5",
    "second_row6",
    // Two vertically adjacent threats of one player that cannot be played yet.
    "pair",
    "their_pair",
    // Cells that can be played without enabling a line of the opponent in the cell above.
    "safe",
    "their_safe",
    "their_stuck",
    // The winner if both players only fill the board and the threats stay as they are.
    "first_zugzwang",
    "first_their_zugzwang",
    "second_zugzwang",
    "second_their_zugzwang",
    // Empty cells of windows with one and with two stones, on odd and on even rows, by which player moved last.
    "first_ones_odd",
    "first_ones_even",
    "first_twos_odd",
    "first_twos_even",
    "first_their_ones_odd",
    "first_their_ones_even",
    "first_their_twos_odd",
    "first_their_twos_even",
    "second_ones_odd",
    "second_ones_even",
    "second_twos_odd",
    "second_twos_even",
    "second_their_ones_odd",
    "second_their_ones_even",
    "second_their_twos_odd",
    "second_their_twos_even",
];

/// Weights of the extended features, fitted to exact values of quiet positions of 7x6 Connect-4.
#[rustfmt::skip]
pub(super) const FITTED: [f32; EXTENDED.len()] = [
    0.13, -0.14, 0.14, -0.11, 0.36, 0.57, 1.14, -0.39,
    -0.57, 0.00, -0.17, 6.82, 2.76, 6.25, 1.67, -14.22,
    -0.52, 0.53, -6.41, -2.27, -4.24, 0.00, -3.67, -5.72,
    4.59, 0.94, 2.66, 1.71, 7.40, -1.80, 0.00, 1.53,
    -1.15, 0.00, 7.64, 5.14, 0.24, -2.02, 0.04, 0.06,
    0.32, 0.09, 0.03, -0.10, 0.13, -0.68, 0.11, 0.03,
    0.20, 0.45, -0.20, -0.04, -0.84, 0.07,
];

/// Feature extractor for the positions of one board.
#[derive(Clone, Debug)]
pub struct Features {
    set: FeatureSet,
    start: LineBoard,
    small: Option<BoardGeometry<u64>>,
    large: Option<BoardGeometry<u128>>,
}

impl Features {
    /// The feature extractor of a set for one board; `None` for the extended set on boards of more than 128 bits.
    pub fn new(set: FeatureSet, board: &LineBoard) -> Option<Features> {
        let small = BoardGeometry::new(board);
        let large = if small.is_none() { BoardGeometry::new(board) } else { None };
        let known = set == FeatureSet::Paper || small.is_some() || large.is_some();
        known.then(|| Features { set, start: board.clone(), small, large })
    }

    /// The names of the features.
    pub fn names(&self) -> &'static [&'static str] {
        self.set.names()
    }

    /// Returns the feature vector of a position, from the point of view of the player who moved last.
    ///
    /// The evaluation is its dot product with the weights.
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
    field: &BoardGeometry<B>,
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

/// The paper's features with their signs: centre, fours, threes, twos, and the opponent's threes.
///
/// An unfinished position holds no fours: the search scores wins itself.
#[inline]
pub(super) fn paper<B: Bits>(field: &BoardGeometry<B>, mine: B, their: B) -> [i32; 5] {
    let (mut threes, mut twos, mut block) = (0, 0, 0);
    field.windows(mine, their, |_, windows| {
        threes += windows.short.count() as i32;
        twos += windows.two.count() as i32;
    });
    field.windows(their, mine, |_, windows| block += windows.short.count() as i32);
    let centre = (mine & field.rings[0]).count() as i32;
    [centre, 0, threes, twos, -block]
}

/// The paper's features by a scan of every window: for boards of any size, and the reference for the bitboard version.
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

/// Windows and threats of one player.
struct SideFeatures<B> {
    ones: u32,
    twos: u32,
    shorts: u32,
    threats: B,
    /// Empty cells of windows with one stone on odd and even rows, then of windows with two stones.
    gaps: [u32; 4],
}

fn side<B: Bits>(field: &BoardGeometry<B>, own: B, other: B, empty: B) -> SideFeatures<B> {
    let mut side = SideFeatures { ones: 0, twos: 0, shorts: 0, threats: B::NONE, gaps: [0; 4] };
    let (odd, even) = (empty & field.odd, empty & !field.odd);
    field.windows(own, other, |s, windows| {
        side.ones += windows.one.count();
        side.twos += windows.two.count();
        side.shorts += windows.short.count();
        side.threats = side.threats | field.gaps(windows.short, s, empty);
        for i in 0..field.k {
            let (ones, twos) = (windows.one << (i * s), windows.two << (i * s));
            side.gaps[0] += (ones & odd).count();
            side.gaps[1] += (ones & even).count();
            side.gaps[2] += (twos & odd).count();
            side.gaps[3] += (twos & even).count();
        }
    });
    side
}

fn extended<B: Bits>(field: &BoardGeometry<B>, mine: B, their: B, last_was_first: bool, out: &mut [f32]) {
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
    let late = empty & !open;
    let buried = |own: B, other: B| own & above(field, other & late & !own);
    let (dead, their_dead) = (buried(me.threats, they.threats), buried(they.threats, me.threats));
    put(dead.count() as f32);
    put(their_dead.count() as f32);

    let now = me.threats & open;
    let stacked = if field.gravity { (now << 1) & me.threats } else { B::NONE };
    put(flag(now != B::NONE));
    put(flag(now.count() >= 2));
    put(flag(stacked != B::NONE));
    put(flag(they.threats & open != B::NONE));
    let force = ThreatSearch { field, other_threats: they.threats }.first_moves(mine, their);
    put(flag(force > 0));
    put(force as f32);
    put(flag(ThreatSearch { field, other_threats: me.threats }.first_moves(their, mine) > 0));

    let mut rows = [0.0; 10];
    for (side, dead, first, sign) in
        [(&me, dead, last_was_first, 1.0), (&they, their_dead, !last_was_first, -1.0)]
    {
        let waiting = side.threats & late & !dead;
        // Only the lowest threat of a column is reached.
        let lowest = waiting & !above(field, waiting);
        for cell in lowest.cells() {
            let row = (cell % (field.height + 1)).clamp(1, 5) as usize - 1;
            rows[if first { 0 } else { 5 } + row] += sign;
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
    for first in [true, false] {
        for gaps in [me.gaps, they.gaps] {
            for count in gaps {
                put(if last_was_first == first { count as f32 } else { 0.0 });
            }
        }
    }
}

fn flag(yes: bool) -> f32 {
    if yes { 1.0 } else { 0.0 }
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
    fn bitboard_features_equal_plain_features() {
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

    /// The extended features by name.
    fn extended_of(features: &Features, board: &LineBoard) -> impl Fn(&str) -> f32 + use<> {
        let vector = features.vector(board);
        move |name: &str| vector[EXTENDED.iter().position(|known| *known == name).unwrap()]
    }

    #[test]
    fn threat_features_equal_a_scan_of_every_cell() {
        for spec in ["connect4", "connect4:6x5,obstacles=c1+d3", "mnk:6x6,k=4", "connect:7x6,k=3"] {
            let boards = boards(spec, 40);
            let features = Features::new(FeatureSet::Extended, &boards[0]).unwrap();
            for board in &boards {
                let (mine, their) = match board.turn {
                    Turn::Second => (Content::First, Content::Second),
                    _ => (Content::Second, Content::First),
                };
                let open = board.open_cells();
                let empty = |cell: usize| board.cells[cell] == Content::Empty && board.playable(cell);
                let completes = |cell: usize, player: Content| empty(cell) && board.completes(cell, player);
                let now = open.iter().filter(|&&cell| completes(cell, mine)).count();
                let feeds = |cell: usize, other: Content| {
                    let top = (cell + 1).is_multiple_of(board.height);
                    board.gravity && !top && completes(cell + 1, other)
                };
                let safe = |other: Content| open.iter().filter(|&&cell| !feeds(cell, other)).count() as f32;
                let pairs = |player: Content| {
                    let waiting = |cell: usize| completes(cell, player) && !open.contains(&cell);
                    let above = |cell: usize| !(cell + 1).is_multiple_of(board.height) && waiting(cell + 1);
                    (0..board.cells.len()).filter(|&cell| waiting(cell) && above(cell)).count() as f32
                };
                let got = extended_of(&features, board);
                assert_eq!(got("now"), flag(now > 0), "{spec} {board:?}");
                assert_eq!(got("now_two"), flag(now > 1));
                assert_eq!(got("their_now"), flag(open.iter().any(|&cell| completes(cell, their))));
                assert_eq!(got("safe"), safe(their), "{spec} {board:?}");
                assert_eq!(got("their_safe"), safe(mine));
                assert_eq!((got("pair"), got("their_pair")), (pairs(mine), pairs(their)));
            }
        }
    }

    #[test]
    fn a_forced_win_is_a_win() {
        for spec in ["connect4:4x4", "connect:4x4,k=3", "mnk:4x3,k=3"] {
            let game: Mnk<u64> = Mnk::new(Rules::parse(spec).unwrap()).unwrap();
            let start = game.start().unwrap();
            let solved = outplay_solve::memo(&game, &start, 1_000_000, &outplay_runtime::NoMonitor).unwrap();
            let features = Features::new(FeatureSet::Extended, &game.board(&start)).unwrap();
            let mut found = 0;
            for seed in 0..400 {
                let mut rng = SmallRng::seed_from_u64(seed);
                let mut pos = start;
                while game.outcome(&pos).is_none() {
                    let mut moves = Vec::new();
                    game.moves(&pos, &mut moves);
                    let got = extended_of(&features, &game.board(&pos));
                    if got("their_force") > 0.0 {
                        found += 1;
                        assert!(solved.value(&pos).unwrap().payoff() > 0, "{spec} {pos:?}");
                    }
                    pos = game.play(&pos, moves[rng.random_range(0..moves.len())]);
                }
            }
            assert!(found > 0, "{spec}");
        }
    }
}
