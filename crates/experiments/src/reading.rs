//! Exact results of the helpfulness heuristic against minimax on small boards, for each reading of an ambiguous paper.
//!
//! The paper (Hayes and Loge) leaves open the number of random opening plies, the depth of minimax, and the
//! tie-breaking; a *reading* fixes them. All openings of a length are equally likely and random ties are uniform, so
//! the probabilities of winning, drawing and losing are exact sums, not samples.
//!
//! ```text
//!   table     entries                                                 size
//!   values    payoff and distance of every position                   3^cells bytes
//!   chances   result of the heuristic against minimax by position     one map for each reading
//! ```
//!
//! A search to depth d without an evaluation finds exactly the wins and losses within d plies, so one table of
//! distances serves every depth.

use outplay_core::{Content, LineBoard, Turn};
use outplay_players::{Form, helpful_choices};
use outplay_runtime::{Monitor, Pace};
use outplay_workbench::Trouble;
use rustc_hash::FxHashMap;

/// Tie-breaking among moves of equal value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Ties {
    /// Uniformly at random.
    Random,
    /// The first in the order of the cells.
    InOrder,
    /// The last in the order of the cells.
    FromLast,
}

impl Ties {
    fn word(self) -> &'static str {
        match self {
            Ties::Random => "random",
            Ties::InOrder => "in order",
            Ties::FromLast => "from the last",
        }
    }
}

/// A reading of "the heuristic against minimax with random first moves".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Interpretation {
    /// Random plies before the first decision.
    pub(crate) plies: u32,
    /// The heuristic is the first player.
    pub(crate) helpful_first: bool,
    /// The variant of the heuristic.
    pub(crate) form: Form,
    /// Tie-breaking of the heuristic.
    pub(crate) helpful_ties: Ties,
    /// Search depth of minimax in plies; none for the end of the game.
    pub(crate) depth: Option<u32>,
    /// Whether minimax prefers faster wins and slower losses.
    pub(crate) hurry: bool,
    /// Tie-breaking of minimax.
    pub(crate) ties: Ties,
}

impl Interpretation {
    /// Random ties on both sides and a minimax that prefers fast wins: the players `helpful` and `perfect`.
    pub(crate) fn ours(plies: u32, helpful_first: bool) -> Interpretation {
        Interpretation {
            plies,
            helpful_first,
            form: Form::Revised,
            helpful_ties: Ties::Random,
            depth: None,
            hurry: true,
            ties: Ties::Random,
        }
    }

    /// The settings as cells of a table: plies, minimax, its ties, the heuristic's ties.
    pub(crate) fn cells(&self) -> Vec<String> {
        let depth = self.depth.map_or("to the end".to_string(), |plies| format!("{plies} plies"));
        let form = if self.form == Form::First { "first form, " } else { "" };
        vec![
            self.plies.to_string(),
            format!("{depth}{}", if self.hurry { ", hurries" } else { "" }),
            self.ties.word().into(),
            format!("{form}{}", self.helpful_ties.word()),
        ]
    }
}

/// The probabilities that the heuristic wins, draws and loses.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Chances {
    pub(crate) won: f64,
    pub(crate) drawn: f64,
    pub(crate) lost: f64,
}

impl Chances {
    fn sure(payoff: i32) -> Chances {
        let is = |yes: bool| f64::from(u8::from(yes));
        Chances { won: is(payoff > 0), drawn: is(payoff == 0), lost: is(payoff < 0) }
    }

    fn add(&mut self, other: Chances, part: f64) {
        self.won += other.won * part;
        self.drawn += other.drawn * part;
        self.lost += other.lost * part;
    }

    /// The base-10 logarithm of the likelihood ratio of these counts against the best-fitting reading; 0 is the
    /// maximum.
    pub(crate) fn likelihood(&self, won: u32, lost: u32, drawn: u32) -> f64 {
        let all = f64::from(won + lost + drawn);
        let one = |count: u32, chance: f64| match count {
            0 => 0.0,
            _ => f64::from(count) * (chance * all / f64::from(count)).log10(),
        };
        one(won, self.won) + one(lost, self.lost) + one(drawn, self.drawn)
    }
}

/// Not computed yet.
const UNKNOWN: i8 = i8::MIN;
/// An immediate win; each ply to it counts one less.
const WIN: i8 = 64;

/// A small board without gravity, with the values of all positions computed so far.
pub(crate) struct ExactBoard<'a> {
    empty: LineBoard,
    cells: u32,
    lines: Vec<u32>,
    powers: Vec<usize>,
    values: Vec<i8>,
    choices: FxHashMap<(u32, u32, bool), u32>,
    pace: Pace<'a>,
}

impl<'a> ExactBoard<'a> {
    /// A square board of at most 16 cells.
    pub(crate) fn new(side: usize, k: usize, watch: &'a dyn Monitor) -> ExactBoard<'a> {
        let empty = LineBoard::empty(side, side, k);
        let cells = empty.cells.len() as u32;
        let bits = |line: &Vec<usize>| line.iter().fold(0, |bits, cell| bits | 1 << cell);
        ExactBoard {
            lines: empty.lines().iter().map(bits).collect(),
            powers: (0..cells).map(|cell| 3usize.pow(cell)).collect(),
            values: vec![UNKNOWN; 3usize.pow(cells)],
            choices: FxHashMap::default(),
            empty,
            cells,
            pace: Pace::new(watch),
        }
    }

    fn has_line(&self, stones: u32) -> bool {
        self.lines.iter().any(|line| stones & line == *line)
    }

    fn open(&self, first: u32, second: u32) -> impl Iterator<Item = u32> + use<> {
        let mut open = !(first | second) & ((1 << self.cells) - 1);
        std::iter::from_fn(move || {
            let cell = (open != 0).then(|| open.trailing_zeros())?;
            open &= open - 1;
            Some(cell)
        })
    }

    fn first_to_move(first: u32, second: u32) -> bool {
        first.count_ones() == second.count_ones()
    }

    fn after(first: u32, second: u32, cell: u32) -> (u32, u32) {
        match ExactBoard::first_to_move(first, second) {
            true => (first | 1 << cell, second),
            false => (first, second | 1 << cell),
        }
    }

    /// The value for the player to move; `None` if cancelled.
    pub(crate) fn value(&mut self, first: u32, second: u32) -> Option<i8> {
        let place = |stones: u32| -> usize {
            (0..self.cells as usize)
                .filter(|cell| stones >> cell & 1 == 1)
                .map(|cell| self.powers[cell])
                .sum()
        };
        let code = place(first) + 2 * place(second);
        if self.values[code] != UNKNOWN {
            return Some(self.values[code]);
        }
        if self.pace.step() {
            return None;
        }
        let last = if ExactBoard::first_to_move(first, second) { second } else { first };
        let value = if self.has_line(last) {
            -WIN
        } else {
            let mut best = None;
            for cell in self.open(first, second) {
                let (first, second) = ExactBoard::after(first, second, cell);
                let child = self.value(first, second)?;
                // A win of the opponent is a loss one ply later, and vice versa.
                best = best.max(Some(-(child - child.signum())));
            }
            best.unwrap_or(0)
        };
        self.values[code] = value;
        Some(value)
    }

    /// The cells among which the heuristic chooses.
    fn helpful(&mut self, first: u32, second: u32, form: Form) -> u32 {
        let key = (first, second, form == Form::First);
        if let Some(&cells) = self.choices.get(&key) {
            return cells;
        }
        let mut board = self.empty.clone();
        for (cell, content) in board.cells.iter_mut().enumerate() {
            if first >> cell & 1 == 1 {
                *content = Content::First;
            } else if second >> cell & 1 == 1 {
                *content = Content::Second;
            }
        }
        board.turn = if ExactBoard::first_to_move(first, second) { Turn::First } else { Turn::Second };
        let open: Vec<u32> = self.open(first, second).collect();
        let cells =
            helpful_choices(&board, form).into_iter().fold(0, |cells, place| cells | 1 << open[place]);
        self.choices.insert(key, cells);
        cells
    }

    /// The cells among which minimax chooses.
    fn minimax(&mut self, first: u32, second: u32, reading: &Interpretation) -> Option<u32> {
        let (mut best, mut cells) = (i8::MIN, 0);
        for cell in self.open(first, second) {
            let (first, second) = ExactBoard::after(first, second, cell);
            let child = self.value(first, second)?;
            let plies = (WIN - child.abs()) as u32 + 1;
            let seen = reading.depth.is_none_or(|depth| plies <= depth);
            let worth = match (seen, reading.hurry) {
                (false, _) => 0,
                (true, true) => -child,
                (true, false) => -child.signum(),
            };
            if worth > best {
                (best, cells) = (worth, 0);
            }
            if worth == best {
                cells |= 1 << cell;
            }
        }
        Some(cells)
    }

    fn chances_from(
        &mut self,
        first: u32,
        second: u32,
        reading: &Interpretation,
        known: &mut FxHashMap<(u32, u32), Chances>,
    ) -> Option<Chances> {
        let first_moves = ExactBoard::first_to_move(first, second);
        let last = if first_moves { second } else { first };
        if self.has_line(last) {
            let won_by_first = !first_moves;
            return Some(Chances::sure(if won_by_first == reading.helpful_first { 1 } else { -1 }));
        }
        if (first | second).count_ones() == self.cells {
            return Some(Chances::sure(0));
        }
        if let Some(chances) = known.get(&(first, second)) {
            return Some(*chances);
        }
        let (mut cells, ties) = match first_moves == reading.helpful_first {
            true => (self.helpful(first, second, reading.form), reading.helpful_ties),
            false => (self.minimax(first, second, reading)?, reading.ties),
        };
        match ties {
            Ties::Random => {}
            Ties::InOrder => cells &= cells.wrapping_neg(),
            // The highest bit.
            Ties::FromLast => cells &= 1u32.rotate_right(1 + cells.leading_zeros()),
        }
        let (part, mut sum) = (1.0 / f64::from(cells.count_ones().max(1)), Chances::default());
        while cells != 0 {
            let cell = cells.trailing_zeros();
            cells &= cells - 1;
            let (first, second) = ExactBoard::after(first, second, cell);
            sum.add(self.chances_from(first, second, reading, known)?, part);
        }
        known.insert((first, second), sum);
        Some(sum)
    }

    /// Every unfinished position after `plies` plies.
    fn openings(&self, plies: u32) -> Vec<(u32, u32)> {
        let sets = |stones: u32| (0u32..1 << self.cells).filter(move |set| set.count_ones() == stones);
        let firsts = sets(plies.div_ceil(2)).filter(|first| !self.has_line(*first));
        let seconds: Vec<u32> = sets(plies / 2).filter(|second| !self.has_line(*second)).collect();
        firsts
            .flat_map(|first| {
                seconds.iter().filter(move |second| **second & first == 0).map(move |second| (first, *second))
            })
            .collect()
    }

    /// The result of a reading, over all its openings.
    ///
    /// # Errors
    ///
    /// A stop.
    pub(crate) fn chances(&mut self, reading: &Interpretation) -> Result<Chances, Trouble> {
        let (mut known, mut sum) = (FxHashMap::default(), Chances::default());
        // Each position has the same number of move orders, so all are equally likely.
        let openings = self.openings(reading.plies);
        let part = 1.0 / openings.len().max(1) as f64;
        for (first, second) in openings {
            let chances =
                self.chances_from(first, second, reading, &mut known).ok_or_else(Trouble::stopped)?;
            sum.add(chances, part);
        }
        Ok(sum)
    }

    /// Counts openings of `plies` plies that are won, drawn and lost for the player to move.
    ///
    /// # Errors
    ///
    /// A stop.
    pub(crate) fn verdicts(&mut self, plies: u32) -> Result<[u64; 3], Trouble> {
        let mut counts = [0; 3];
        for (first, second) in self.openings(plies) {
            let value = self.value(first, second).ok_or_else(Trouble::stopped)?;
            counts[(1 - i32::from(value.signum())) as usize] += 1;
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_runtime::NoMonitor;

    #[test]
    fn values_are_those_of_tic_tac_toe() {
        let mut board = ExactBoard::new(3, 3, &NoMonitor);
        assert_eq!(board.value(0, 0), Some(0));
        // Two in a row against one stone: an immediate win.
        assert_eq!(board.value(0b000_000_011, 0b000_011_000), Some(WIN - 1));
        assert_eq!(board.verdicts(2).unwrap(), [48, 24, 0]);
        assert_eq!(board.verdicts(1).unwrap(), [0, 9, 0]);
        // 1 + 9 + 72 + 252 and so on are reachable; the search visits no other.
        let known = board.values.iter().filter(|value| **value != UNKNOWN).count();
        assert_eq!(known, 5478);
    }

    #[test]
    fn likelihoods_are_relative() {
        let chances = Chances { won: 0.5, drawn: 0.5, lost: 0.0 };
        assert!(chances.likelihood(5, 0, 5).abs() < 1e-12);
        assert!((chances.likelihood(10, 0, 0) - 10.0 * 0.5f64.log10()).abs() < 1e-12);
        assert_eq!(chances.likelihood(1, 1, 8), f64::NEG_INFINITY);
    }

    /// Compares a depth-limited minimax with the table of distances.
    #[test]
    fn depth_limited_minimax_equals_distance_table() {
        fn look(board: &mut ExactBoard<'_>, first: u32, second: u32, depth: u32) -> i8 {
            let last = if ExactBoard::first_to_move(first, second) { second } else { first };
            if board.has_line(last) {
                return -1;
            }
            let open: Vec<u32> = board.open(first, second).collect();
            if depth == 0 || open.is_empty() {
                return 0;
            }
            let after = |cell: &u32| ExactBoard::after(first, second, *cell);
            open.iter()
                .map(after)
                .map(|(first, second)| -look(board, first, second, depth - 1))
                .max()
                .unwrap_or(0)
        }
        let mut board = ExactBoard::new(3, 3, &NoMonitor);
        for (first, second) in board.openings(3).into_iter().chain(board.openings(4)) {
            for depth in 1..=4 {
                let value = board.value(first, second).unwrap();
                let seen = (WIN - value.abs()) as u32 <= depth;
                let known = if seen { value.signum() } else { 0 };
                assert_eq!(look(&mut board, first, second, depth), known, "{first:b} {second:b} {depth}");
            }
        }
    }
}
