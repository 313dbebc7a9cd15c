//! Answer types of all commands. Their values are typed; serde writes them as JSON, whose field names are an interface
//! that scripts rely on.

use crate::Method;
use outplay_core::{Counters, Payoff, Scene, Turn, Value, Verdict};
use outplay_solve::{Split, Tally, TierTally};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;
use std::path::Path;

/// Value of a position for the player to move, or of a move for the player who makes it, as far as it is known.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// No value: a game without a start.
    None,
    /// The exact value; `tie_plies` is the distance of a tie where it is known.
    Exact {
        /// The value.
        value: Value,
        /// Plies to a tie.
        tie_plies: Option<u32>,
    },
    /// The payoff lies within bounds.
    Unknown {
        /// Lower bound.
        low: Payoff,
        /// Upper bound.
        high: Payoff,
    },
    /// Games with chance: the first player's mean payoff, in a game that pays at most `most`.
    Mean {
        /// The mean payoff.
        mean: f64,
        /// The largest payoff.
        most: Payoff,
    },
}

/// JSON form of an [`Answer`].
#[derive(Serialize)]
struct AnswerJson {
    /// `win`, `draw`, `loss` or `unknown`; null if there is no such value: a game without a start, or one with
    /// chance.
    value: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[Payoff; 2]>,
    /// The payoff, in games that pay more than 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    payoff: Option<Payoff>,
    /// Plies to the end.
    distance: Option<u32>,
    /// The draw is by repetition: neither player can force an end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repetition: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        AnswerJson {
            value: match self {
                Answer::Exact { value, .. } => Some(value.verdict().word()),
                Answer::Unknown { .. } => Some("unknown"),
                Answer::None | Answer::Mean { .. } => None,
            },
            bounds: self.bounds(),
            payoff: self.payoff(),
            distance: self.distance(),
            repetition: self.is_repetition(),
            expected: self.expected(),
            mean: self.mean(),
        }
        .serialize(serializer)
    }
}

impl Answer {
    /// Returns win, draw or loss, if that is known.
    pub fn verdict(&self) -> Option<Verdict> {
        self.value().map(Value::verdict)
    }

    /// The value, if it is known.
    pub fn value(&self) -> Option<Value> {
        match self {
            Answer::Exact { value, .. } => Some(*value),
            _ => None,
        }
    }

    /// Plies to the end, where they are known.
    pub fn distance(&self) -> Option<u32> {
        let Answer::Exact { value, tie_plies } = self else { return None };
        let tie = value.payoff() == 0 && !value.is_repetition();
        value.distance().or(if tie { *tie_plies } else { None })
    }

    /// The payoff, in games that pay more than 1.
    pub fn payoff(&self) -> Option<Payoff> {
        self.value().map(Value::payoff).filter(|payoff| payoff.abs() > 1)
    }

    /// The lowest and highest payoff that is still possible, if the value is unknown.
    pub fn bounds(&self) -> Option<[Payoff; 2]> {
        match self {
            Answer::Unknown { low, high } => Some([*low, *high]),
            _ => None,
        }
    }

    /// Whether it is a draw by repetition: neither player can force an end.
    pub fn is_repetition(&self) -> bool {
        self.value().is_some_and(Value::is_repetition)
    }

    /// Games with chance: the first player's mean payoff.
    pub fn mean(&self) -> Option<f64> {
        match self {
            Answer::Mean { mean, .. } => Some(*mean),
            _ => None,
        }
    }

    /// Games with chance: the probability that the first player wins (a tie counts as half a win) or, where a game
    /// pays more than 1, the first player's mean payoff.
    pub fn expected(&self) -> Option<f64> {
        match self {
            Answer::Mean { mean, most: ..=1 } => Some((1.0 + mean) / 2.0),
            Answer::Mean { mean, .. } => Some(*mean),
            _ => None,
        }
    }

    /// Whether the mean is a probability of winning, because the game pays at most 1.
    pub fn is_probability(&self) -> bool {
        matches!(self, Answer::Mean { most: ..=1, .. })
    }

    /// Whether the value is exact.
    pub fn is_known(&self) -> bool {
        matches!(self, Answer::Exact { .. } | Answer::Mean { .. })
    }
}

/// The kind of source that supplied a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The rules: the game is over.
    Rules,
    /// A theorem: nim-sums, pairing strategies, boards on which neither player can complete a line.
    Theory,
    /// A table on disk.
    Table,
    /// An opening book.
    Book,
    /// The persistent result cache in the data directory.
    Kept,
    /// A solver or a search.
    Search,
}

/// Origin of a value that `solve` returns: a method, a table, a book, a stored result or a theorem.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum SolveOrigin {
    /// A method.
    By(Method),
    /// A table.
    Table,
    /// An opening book.
    Book,
    /// The persistent result cache.
    Kept,
    /// A theorem, or the rules.
    Theory,
}

impl SolveOrigin {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            SolveOrigin::By(method) => method.word(),
            SolveOrigin::Table => "table",
            SolveOrigin::Book => "book",
            SolveOrigin::Kept => "kept",
            SolveOrigin::Theory => "theory",
        }
    }
}

impl Serialize for SolveOrigin {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// The answer of `solve`: the value, the best moves, counts and the table.
#[derive(Clone, Debug, Serialize)]
pub struct SolveAnswer {
    /// The canonical spec.
    pub game: String,
    /// How the value was found.
    pub method: SolveOrigin,
    /// The position asked for.
    pub position: Option<String>,
    /// The player to move there.
    pub to_move: Option<Turn>,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The connect-k score, where the game has one.
    pub score: Option<i32>,
    /// The best moves there.
    pub best: Vec<String>,
    /// All legal positions, first player's view (mover's view if merged).
    #[serde(skip_serializing_if = "Option::is_none")]
    pub positions: Option<Counts>,
    /// The same, side to move's view.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub by_turn: Option<TurnCounts>,
    /// Positions are stored as mover against opponent.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub merged: bool,
    /// The longest wins and losses.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub longest: Option<LongestBySide>,
    /// Positions visited.
    pub nodes: u64,
    /// Counters of a search.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    /// Search depth in plies, or the length of the longest line visited.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Number of distinct positions at each level, the root first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<usize>>,
    /// Number of values that each sweep changed; the last sweep changed none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweeps: Option<Vec<u64>>,
    /// Σ 2ⁿ over shapes, the figure in which the speed of the dense solver is quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colourings: Option<f64>,
    /// The table that holds the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<StoredTable>,
    /// The unfinished table of a solve that timed out; the same solve resumes it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub partial: Option<PartialTable>,
    /// The file with the written proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Positions of a search that a table answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_hits: Option<u64>,
    /// Convergence of value iteration, for games with chance.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Convergence>,
    /// Time for solving, and separately for compressing and writing.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// Effects of limits, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// Convergence of value iteration, for games with chance.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Convergence {
    /// The tolerance: the largest residual (change of a value in the last sweep) that was allowed; 0 for an acyclic
    /// game.
    pub tolerance: f64,
    /// The residual that was reached.
    pub change: f64,
    /// Sweeps of value iteration over tiers with cycles.
    pub rounds: u64,
    /// Proven bound on the error of any mean. Tables of earlier versions have none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// Wall-clock and processor time of a solve, for solving and for writing the table.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Phases {
    /// Wall time of solving, in seconds.
    pub solve_seconds: f64,
    /// CPU time of solving, in seconds.
    pub solve_cpu_seconds: f64,
    /// Wall time of compressing and writing, in seconds.
    pub write_seconds: f64,
    /// CPU time of compressing and writing, in seconds.
    pub write_cpu_seconds: f64,
}

/// A complete table on disk, as `solve` reports it.
#[derive(Clone, Debug, Serialize)]
pub struct StoredTable {
    /// Its name below the data directory.
    pub name: String,
    /// The data directory.
    pub data: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Whether it existed before.
    pub found: bool,
}

impl StoredTable {
    pub(crate) fn new(name: &str, data: &Path, bytes: u64, found: bool) -> StoredTable {
        StoredTable { name: name.to_string(), data: data.display().to_string(), bytes, found }
    }
}

/// An unfinished table on disk, as `solve` reports it.
#[derive(Clone, Debug, Serialize)]
pub struct PartialTable {
    /// Its name below the data directory; the game's spec if there are several.
    pub name: String,
    /// The data directory.
    pub data: String,
    /// Its size in bytes.
    pub bytes: u64,
    /// Number of tiers written.
    pub tiers_written: usize,
    /// Number of tiers of the complete table.
    pub tiers: usize,
}

/// The answer of `verify`.
#[derive(Clone, Debug, Serialize)]
pub struct VerifyReport {
    /// The canonical spec.
    pub game: String,
    /// Positions whose value was derived again.
    pub checked: u64,
    /// Those whose value is not the best of their successors' values.
    pub wrong: u64,
    /// The first of them.
    pub first_wrong: Option<String>,
    /// A description of the mismatch.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flaw: Option<String>,
    /// Parts of the table that were not checked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// Proven bound on the error of any mean: games with chance.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// Counts of one tier in a [`StatsReport`], for the first player (for the player to move in a merged index).
#[derive(Clone, Debug, Serialize)]
pub struct StatsTier {
    /// The tier's name.
    pub tier: String,
    /// All positions of the tier.
    #[serde(flatten)]
    pub counts: Counts,
    /// Won positions by distance in plies.
    pub win_in: BTreeMap<u32, u64>,
    /// Lost positions by distance in plies.
    pub loss_in: BTreeMap<u32, u64>,
}

/// The answer of `stats`: position counts by tier, value and distance.
#[derive(Clone, Debug, Serialize)]
pub struct StatsReport {
    /// The canonical spec.
    pub game: String,
    /// Positions count as mover against opponent.
    pub merged: bool,
    /// Tier by tier.
    pub tiers: Vec<StatsTier>,
    /// All tiers.
    pub positions: Counts,
    /// The table's size.
    pub table_bytes: u64,
}

/// The answer of `bench probe`.
#[derive(Clone, Debug, Serialize)]
pub struct ProbeReport {
    /// The canonical spec.
    pub game: String,
    /// Random legal positions asked for.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// Probes per second with a cold cache.
    pub cold_per_second: f64,
    /// Probes per second when the same positions are probed again.
    pub warm_per_second: f64,
    /// The table's size.
    pub table_bytes: u64,
}

/// A number of positions that is flattened into another object: `count` in JSON, and also `positions` until 0.3.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct PlainCount(pub u64);

impl Serialize for PlainCount {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map([("count", self.0), ("positions", self.0)])
    }
}

/// Counts of wins, draws and losses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Splits {
    /// Won positions.
    pub win: u64,
    /// Drawn positions.
    pub draw: u64,
    /// Lost positions.
    pub loss: u64,
}

impl From<Split> for Splits {
    fn from(split: Split) -> Splits {
        Splits { win: split.win, draw: split.draw, loss: split.loss }
    }
}

/// Counts of all legal positions of a game by value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// How many there are, finished ones included.
    pub legal: u64,
    /// By value.
    #[serde(flatten)]
    pub splits: Splits,
    /// Those at which the game is over.
    pub finished: u64,
}

impl Counts {
    /// Counts one tier.
    pub fn of_tier(tier: &TierTally) -> Counts {
        let view = tier.first_view();
        Counts { legal: view.total(), splits: view.into(), finished: tier.finished }
    }

    /// Counts a tally.
    pub fn of(tally: &Tally) -> Counts {
        let view = tally.first_view();
        Counts { legal: view.total(), splits: view.into(), finished: tally.finished() }
    }
}

/// A figure for each side to move, from the view of the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct BySide<T> {
    /// First player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<T>,
    /// Second player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<T>,
    /// Either, where the players are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mover: Option<T>,
}

/// Positions by whose turn it is.
pub type TurnCounts = BySide<Splits>;

/// The longest wins and losses by whose turn it is.
pub type LongestBySide = BySide<Longest>;

impl<T> BySide<T> {
    fn new(tally: &Tally, side: impl Fn(Turn) -> T) -> BySide<T> {
        if tally.merged {
            return BySide { first: None, second: None, mover: Some(side(Turn::First)) };
        }
        BySide { first: Some(side(Turn::First)), second: Some(side(Turn::Second)), mover: None }
    }
}

impl TurnCounts {
    /// Splits a tally.
    pub fn of(tally: &Tally) -> TurnCounts {
        BySide::new(tally, |turn| tally.by_turn(turn).into())
    }
}

/// The longest win and the longest loss of one side, in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Longest {
    /// Plies of the longest win.
    pub win: Option<u32>,
    /// Plies of the longest loss.
    pub loss: Option<u32>,
}

impl LongestBySide {
    /// The longest of a tally.
    pub fn of(tally: &Tally) -> LongestBySide {
        BySide::new(tally, |turn| {
            let (win, loss) = tally.longest(turn);
            Longest { win, loss }
        })
    }
}

/// The answer of `query`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryAnswer {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// The player to move.
    pub to_move: Turn,
    /// Its value for the side to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// The connect-k score, where the game has one.
    pub score: Option<i32>,
    /// The best moves.
    pub best: Vec<String>,
    /// Every move.
    pub moves: Vec<MoveAnswer>,
    /// One line of best play from here.
    pub line: Vec<String>,
    /// Whether the line reaches the end of the game or a repeated position; in JSON only where it is cut (false).
    #[serde(skip_serializing_if = "is_true")]
    pub line_complete: bool,
    /// The kind of source that supplied the value.
    pub source: Source,
    /// Effects of limits, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Positions of the search that a table answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_hits: Option<u64>,
    /// Games with chance: a proven bound on the error of every mean in this answer; missing where no bound is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

fn is_true(value: &bool) -> bool {
    *value
}

/// One move of a [`QueryAnswer`], from the view of the player who makes it and counted from the queried position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveAnswer {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move in the usual notation of the game, where that differs: algebraic notation in chess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub san: Option<String>,
    /// Its value.
    #[serde(flatten)]
    pub answer: Answer,
    /// Its connect-k score.
    pub score: Option<i32>,
    /// The probability of a chance outcome.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// A heuristic's estimate of the payoff, for a few of the moves of unknown value.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub opinion: Option<f64>,
}

/// Size of one tier of an index.
#[derive(Clone, Debug, Serialize)]
pub struct IndexTier {
    /// The tier's name.
    pub tier: String,
    /// Numbers that it uses; text beyond 2⁵³, where JSON readers lose digits.
    #[serde(serialize_with = "number")]
    pub size: u128,
    /// Positions that play reaches.
    pub reachable: Option<u64>,
}

/// The answer of `index`.
#[derive(Clone, Debug, Serialize)]
pub struct IndexReport {
    /// The canonical spec.
    pub game: String,
    /// `tight` (arithmetic) or `explored`.
    pub index: &'static str,
    /// The tiers, if they can be counted in 128 bits.
    pub tiers: Vec<IndexTier>,
    /// All numbers.
    #[serde(serialize_with = "maybe_number")]
    pub size: Option<u128>,
    /// All reachable positions, if they were counted.
    pub reachable: Option<u64>,
    /// Reachable positions per number.
    pub ratio: Option<f64>,
}

pub(crate) fn number<S: serde::Serializer>(value: &u128, serializer: S) -> Result<S::Ok, S::Error> {
    match u64::try_from(*value) {
        Ok(small) => serializer.serialize_u64(small),
        Err(_) => serializer.serialize_str(&value.to_string()),
    }
}

fn maybe_number<S: serde::Serializer>(value: &Option<u128>, serializer: S) -> Result<S::Ok, S::Error> {
    match value {
        Some(value) => number(value, serializer),
        None => serializer.serialize_none(),
    }
}

/// The answer of `bench positions`.
#[derive(Clone, Debug, Serialize)]
pub struct PositionsReport {
    /// The canonical spec.
    pub game: String,
    /// Positions solved.
    pub n: u64,
    /// Those whose score is not the one in the file.
    pub wrong: u64,
    /// Positions entered per position solved.
    pub mean_nodes: f64,
    /// Milliseconds per position solved.
    pub mean_ms: f64,
    /// Positions entered per second.
    pub nodes_per_second: f64,
}

/// The answer of `bench search`.
#[derive(Clone, Debug, Serialize)]
pub struct SearchReport {
    /// The canonical spec.
    pub game: String,
    /// Search depth in plies.
    pub depth: u32,
    /// Positions entered by bare alpha-beta.
    pub nodes: u64,
    /// Positions per second.
    pub nodes_per_second: f64,
    /// Random games per second.
    pub playouts_per_second: f64,
}

/// The answer of `bench engine`.
#[derive(Clone, Debug, Serialize)]
pub struct EngineReport {
    /// The canonical spec.
    pub game: String,
    /// The spec of the player that searched.
    pub player: String,
    /// Positions it searched.
    #[serde(flatten)]
    pub positions: PlainCount,
    /// Threads.
    pub threads: usize,
    /// Mean search depth in plies.
    pub depth: f64,
    /// Positions visited.
    pub nodes: u64,
    /// Wall time in seconds.
    pub seconds: f64,
    /// CPU time of all threads, in seconds.
    pub cpu_seconds: f64,
    /// Positions per second of wall time.
    pub nodes_per_second: f64,
    /// Positions per second of CPU time, which other load on the machine does not affect.
    pub nodes_per_cpu_second: f64,
}

/// The value of a position by proof search, with the proof as text.
#[derive(Clone, Debug, Serialize)]
pub struct ProvedValue {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// Its value for the player to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// Positions that the search visited.
    pub nodes: u64,
    /// Steps of the proof.
    pub steps: usize,
    /// The proof as text; none if the value was not found in time.
    pub proof: Option<String>,
}

/// A position with everything that an interface needs to display it.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The canonical spec.
    pub game: String,
    /// The position in the game's notation.
    pub position: String,
    /// The player to move; in a finished position, the player who would be.
    pub to_move: Turn,
    /// The first player's payoff, if the game is over.
    pub outcome: Option<i32>,
    /// The picture of the position, with the legal moves.
    pub scene: Scene,
}

/// A computer player's move, with the statistics of its search.
#[derive(Clone, Debug, Serialize)]
pub struct ChoiceAnswer {
    /// The canonical spec of the game.
    pub game: String,
    /// The position.
    pub position: String,
    /// The canonical spec of the player.
    pub player: String,
    /// Its move.
    #[serde(rename = "move")]
    pub mv: String,
    /// Positions that its search visited.
    pub nodes: u64,
    /// Its search depth in plies.
    pub depth: u32,
    /// Its evaluation of the position, in hundredths of a payoff for itself.
    pub opinion: Option<f64>,
    /// Its principal variation.
    pub line: Vec<String>,
    /// Its thinking time in seconds.
    pub seconds: f64,
    /// Counters of its search.
    pub counters: Counters,
}

/// The answer of `bench chance` about one game: expectiminimax, Star1 and Star2 on the same positions.
#[derive(Clone, Debug, Serialize)]
pub struct ChanceReport {
    /// The canonical spec.
    pub game: String,
    /// Search depth in plies, chance nodes included.
    pub depth: u32,
    /// Number of random moves from the start to the first, second, … position.
    pub plies: Vec<u32>,
    /// Of these, positions whose value was exact.
    pub exact: u64,
    /// One row a method.
    pub rows: Vec<ChanceRow>,
    /// The largest difference between the methods' values of a position.
    pub difference: f64,
    /// Leaves of Star2 per leaf of expectiminimax.
    pub star2_leaves: f64,
}

/// Nodes and time of one search method in a [`ChanceReport`].
#[derive(Clone, Debug, Serialize)]
pub struct ChanceRow {
    /// The method.
    pub method: &'static str,
    /// Positions entered.
    pub nodes: u64,
    /// Those that were finished or at the horizon.
    pub leaves: u64,
    /// Cutoffs at chance nodes.
    pub dice_cutoffs: u64,
    /// Wall time in seconds.
    pub seconds: f64,
}
