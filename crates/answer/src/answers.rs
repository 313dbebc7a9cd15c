//! What commands answer. Inside, values are types; serde spells them, and the field names are those of the JSON that
//! scripts rely on.

use crate::request::Method;
use outplay_core::{Counters, Payoff, Scene, Turn, Value, Verdict};
use outplay_solve::{Split, Tally, TierTally};
use serde::{Deserialize, Serialize, Serializer};
use std::collections::BTreeMap;

/// What is known of a position for the player to move, or of a move for the player who makes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answer {
    /// There is no such thing: a game without a start.
    None,
    /// Exactly this; `tie_plies` is the distance of a tie where it is known.
    Exact {
        /// The value.
        value: Value,
        /// Plies to a tie.
        tie_plies: Option<u32>,
    },
    /// The payoff lies within bounds.
    Unknown {
        /// It is at least this.
        low: Payoff,
        /// It is at most this.
        high: Payoff,
    },
    /// Games with dice: what the first player gets in the mean, where the game pays `most` at most.
    Mean {
        /// The mean payoff.
        mean: f64,
        /// The largest payoff.
        most: Payoff,
    },
}

/// An [`Answer`] as scripts see it.
#[derive(Serialize)]
struct Spelled {
    /// `win`, `draw`, `loss` or `unknown`; null where there is no such thing: a game without a start, or one whose
    /// dice have the last word.
    value: Option<&'static str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    bounds: Option<[Payoff; 2]>,
    /// The payoff, in games that pay more than 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    payoff: Option<Payoff>,
    /// Plies to the end.
    distance: Option<u32>,
    /// The draw is one by repetition: nobody can force an end.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    repetition: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    expected: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    mean: Option<f64>,
}

impl Serialize for Answer {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        Spelled {
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
    /// Win, draw or loss, if that is known.
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

    /// Whether it is a draw because nobody can force an end.
    pub fn is_repetition(&self) -> bool {
        self.value().is_some_and(Value::is_repetition)
    }

    /// Games with dice: what the first player gets in the mean.
    pub fn mean(&self) -> Option<f64> {
        match self {
            Answer::Mean { mean, .. } => Some(*mean),
            _ => None,
        }
    }

    /// Games with dice: the probability that the first player wins (a tie counts as half a win) or, where a game pays
    /// more than 1, what the first player gets in the mean.
    pub fn expected(&self) -> Option<f64> {
        match self {
            Answer::Mean { mean, most: ..=1 } => Some((1.0 + mean) / 2.0),
            Answer::Mean { mean, .. } => Some(*mean),
            _ => None,
        }
    }

    /// Whether the games's dice make the mean a probability.
    pub fn is_probability(&self) -> bool {
        matches!(self, Answer::Mean { most: ..=1, .. })
    }

    /// Whether nothing is left to find out.
    pub fn is_known(&self) -> bool {
        matches!(self, Answer::Exact { .. } | Answer::Mean { .. })
    }
}

/// Who knew a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Source {
    /// The rules: the game is over.
    Rules,
    /// A theorem: nim-sums, pairs, boards on which nobody can make a line.
    Theory,
    /// A table on disk.
    Table,
    /// A book of openings.
    Book,
    /// Something that was found before and kept in the data directory.
    Kept,
    /// Work: a solver or a search.
    Search,
}

/// How `solve` came by its answer.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum How {
    /// By a method.
    By(Method),
    /// A table had it.
    Table,
    /// A book had it.
    Book,
    /// It was found before and kept.
    Kept,
    /// By a theorem, or by the rules.
    Theory,
}

impl How {
    /// The word in JSON.
    pub fn word(self) -> &'static str {
        match self {
            How::By(method) => method.word(),
            How::Table => "table",
            How::Book => "book",
            How::Kept => "kept",
            How::Theory => "theory",
        }
    }
}

impl Serialize for How {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// The answer of `solve`.
#[derive(Clone, Debug, Serialize)]
pub struct SolveAnswer {
    /// The canonical spec.
    pub game: String,
    /// How the value was found.
    pub method: How,
    /// The position asked for.
    pub position: Option<String>,
    /// Who moves there.
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
    /// Positions looked at.
    pub nodes: u64,
    /// What a search did.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub counters: Option<Counters>,
    /// Plies that a search looked ahead, or of the longest line that was walked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub depth: Option<u32>,
    /// Different positions of each level, the position asked for first.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub levels: Option<Vec<usize>>,
    /// How many values each sweep over all positions changed; the last one changed none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sweeps: Option<Vec<u64>>,
    /// Σ 2ⁿ over shapes, the figure in which the speed of the dense solver is quoted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub colourings: Option<f64>,
    /// The table that holds the values.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub table: Option<Stored>,
    /// The file with the written proof.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub proof: Option<String>,
    /// Positions of a search that a table answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_hits: Option<u64>,
    /// How values of a game with dice were settled.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub settled: Option<Settled>,
    /// Time for solving and for compressing and writing, apart.
    #[serde(flatten, skip_serializing_if = "Option::is_none")]
    pub phases: Option<Phases>,
    /// What a limit changed or prevented, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
}

/// How the values of a game with dice were settled.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Settled {
    /// The largest change of a value in the last round that was allowed; 0 for a game without loops.
    pub tolerance: f64,
    /// The largest change that there was.
    pub change: f64,
    /// Rounds over positions that can come back.
    pub rounds: u64,
    /// How far any mean is from the exact one at most, proven; tables of earlier versions do not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// What solving and storing took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize)]
pub struct Phases {
    /// Time on the wall for solving.
    pub solve_seconds: f64,
    /// Processor time for solving.
    pub solve_cpu_seconds: f64,
    /// Time on the wall for compressing and writing.
    pub write_seconds: f64,
    /// Processor time for compressing and writing.
    pub write_cpu_seconds: f64,
}

/// A table on disk.
#[derive(Clone, Debug, Serialize)]
pub struct Stored {
    /// Its name below the data directory.
    pub name: String,
    /// The data directory.
    pub data: String,
    /// Its size.
    pub bytes: u64,
    /// It was there before.
    pub found: bool,
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
    /// What is wrong with it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub flaw: Option<String>,
    /// What was not looked at.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub unchecked: Option<String>,
    /// How far any mean is from the exact one at most, proven: games with dice.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// One ply of a [`StatsReport`], seen by the first player (the mover if merged).
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

/// The answer of `stats`.
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
    pub positions: u64,
    /// Questions per second with nothing decoded yet.
    pub cold_per_second: f64,
    /// Questions per second when the same positions are asked again.
    pub warm_per_second: f64,
    /// The table's size.
    pub table_bytes: u64,
}

/// Win, draw and loss counts.
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

/// All legal positions of a game.
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

/// Positions by whose turn it is, seen by the player to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct TurnCounts {
    /// First player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Splits>,
    /// Second player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<Splits>,
    /// Either, where the players are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mover: Option<Splits>,
}

impl TurnCounts {
    /// Splits a tally.
    pub fn of(tally: &Tally) -> TurnCounts {
        let side = |turn| Some(Splits::from(tally.by_turn(turn)));
        if tally.merged {
            return TurnCounts { first: None, second: None, mover: side(Turn::First) };
        }
        TurnCounts { first: side(Turn::First), second: side(Turn::Second), mover: None }
    }
}

/// The longest win and loss of one side, in plies.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct Longest {
    /// Plies of the longest win.
    pub win: Option<u32>,
    /// Plies of the longest loss.
    pub loss: Option<u32>,
}

/// The longest wins and losses by whose turn it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct LongestBySide {
    /// First player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub first: Option<Longest>,
    /// Second player to move.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub second: Option<Longest>,
    /// Either, where the players are merged.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub mover: Option<Longest>,
}

impl LongestBySide {
    /// The longest of a tally.
    pub fn of(tally: &Tally) -> LongestBySide {
        let side = |turn| {
            let (win, loss) = tally.longest(turn);
            Some(Longest { win, loss })
        };
        if tally.merged {
            return LongestBySide { first: None, second: None, mover: side(Turn::First) };
        }
        LongestBySide { first: side(Turn::First), second: side(Turn::Second), mover: None }
    }
}

/// The answer of `query`.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct QueryAnswer {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// Who moves.
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
    /// Who knew it.
    pub source: Source,
    /// What a limit prevented, in sentences.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Positions of the search that a table answered.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probe_hits: Option<u64>,
    /// In a game with dice, how far any mean told here is from the exact one at most, proven; missing where that is
    /// not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bound: Option<f64>,
}

/// One move of a [`QueryAnswer`], seen by the player who makes it and counted from the asked position.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct MoveAnswer {
    /// The move.
    #[serde(rename = "move")]
    pub mv: String,
    /// The move as people of the field write it, where that differs: algebraic notation in chess.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub san: Option<String>,
    /// Its value.
    #[serde(flatten)]
    pub answer: Answer,
    /// Its connect-k score.
    pub score: Option<i32>,
    /// How likely it is, for what the dice can show.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
}

/// One tier of an index.
#[derive(Clone, Debug, Serialize)]
pub struct IndexTier {
    /// The tier's name.
    pub tier: String,
    /// Numbers that it uses; as text, because scripts lose digits beyond 2⁵³.
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

/// The answer of `games --check`: the lecture's conditions. `None` means that exploration did not tell.
#[derive(Clone, Debug, Serialize)]
pub struct CheckReport {
    /// The canonical spec.
    pub game: String,
    /// Both players have a move somewhere, and nobody else does.
    pub two_players: Option<bool>,
    /// One payoff serves both players: true by construction.
    pub zero_sum: bool,
    /// The exploration came to an end.
    pub finite: Option<bool>,
    /// No dice.
    pub deterministic: Option<bool>,
    /// Positions are known to both: true by construction.
    pub perfect_information: bool,
    /// Play never returns to an earlier position.
    pub acyclic: Option<bool>,
    /// Positions seen.
    pub positions: u64,
    /// Moves seen.
    pub moves: u64,
    /// Whether every position was seen.
    pub complete: bool,
}

/// A game written out as the tuple of the lecture.
#[derive(Clone, Debug, Serialize)]
pub struct Rules {
    /// The canonical spec.
    pub game: String,
    /// S: every position.
    pub positions: Vec<String>,
    /// I: the start.
    pub start: String,
    /// Succs: each position that is not finished, with its successors.
    pub successors: Vec<(String, Vec<String>)>,
    /// How likely each successor is, for each position at which dice are rolled.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub probabilities: Vec<(String, Vec<(String, f64)>)>,
    /// T and V: the finished positions and what the first player gets there.
    pub terminals: Vec<(String, i32)>,
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
    /// Plies looked ahead.
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
    /// Who looked ahead.
    pub player: String,
    /// Positions it was asked about.
    pub positions: usize,
    /// Threads.
    pub threads: usize,
    /// Plies looked ahead, in the mean.
    pub depth: f64,
    /// Positions looked at.
    pub nodes: u64,
    /// Time on the wall.
    pub seconds: f64,
    /// Time of all processors.
    pub cpu_seconds: f64,
    /// Positions a second on the wall.
    pub nodes_per_second: f64,
    /// Positions a second of a processor: what others do on the machine does not count.
    pub nodes_per_cpu_second: f64,
}

/// A search tree drawn for people.
#[derive(Clone, Debug, Serialize)]
pub struct TreeReport {
    /// The canonical spec.
    pub game: String,
    /// Positions that the search entered, drawn or not.
    pub positions: u64,
    /// What the search did.
    pub counters: Counters,
    /// The tree as data, from the root.
    pub tree: TreeNode,
    /// The tree as text.
    pub text: String,
    /// The tree as a self-contained SVG.
    pub svg: String,
}

/// A position of a [`TreeReport`].
#[derive(Clone, Debug, Serialize)]
pub struct TreeNode {
    /// The move that led here; none at the root.
    #[serde(rename = "move", skip_serializing_if = "Option::is_none")]
    pub mv: Option<String>,
    /// What it is worth to the player who chooses among the moves here, as far as the search went.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub value: Option<String>,
    /// How likely the dice lead here.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub probability: Option<f64>,
    /// One reply was looked at for a bound, and the position itself was not entered.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub glance: bool,
    /// Whether it was cut off before it was looked at.
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    pub cut: bool,
    /// Where its moves lead.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub moves: Vec<TreeNode>,
}

/// A value with its written proof.
#[derive(Clone, Debug, Serialize)]
pub struct Proved {
    /// The canonical spec.
    pub game: String,
    /// The position.
    pub position: String,
    /// What it is worth to the player to move.
    #[serde(flatten)]
    pub answer: Answer,
    /// Positions that the search looked at.
    pub nodes: u64,
    /// Steps of the proof.
    pub steps: usize,
    /// The proof as text; none if the value was not found in time.
    pub proof: Option<String>,
}

/// A position to look at.
#[derive(Clone, Debug, Serialize)]
pub struct View {
    /// The canonical spec.
    pub game: String,
    /// The position in the game's notation.
    pub position: String,
    /// Who moves; of a finished position, who would.
    pub to_move: Turn,
    /// What the first player got, if the game is over.
    pub outcome: Option<i32>,
    /// What it looks like, with the legal moves.
    pub scene: Scene,
}

/// What a player would do.
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
    /// Positions that it looked at.
    pub nodes: u64,
    /// Plies that it looked ahead.
    pub depth: u32,
    /// What it thinks of the position, in hundredths of a payoff for itself.
    pub opinion: Option<f64>,
    /// The line that it expects.
    pub line: Vec<String>,
    /// How long it thought.
    pub seconds: f64,
    /// What its search did.
    pub counters: Counters,
}

/// The answer of `bench chance` about one game: expectiminimax, Star1 and Star2 on the same positions.
#[derive(Clone, Debug, Serialize)]
pub struct ChanceReport {
    /// The canonical spec.
    pub game: String,
    /// Plies looked ahead, rolls included.
    pub depth: u32,
    /// How many random moves lead from the start to the first, second, … position.
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

/// What one method took.
#[derive(Clone, Debug, Serialize)]
pub struct ChanceRow {
    /// The method.
    pub method: &'static str,
    /// Positions entered.
    pub nodes: u64,
    /// Those that were finished or at the horizon.
    pub leaves: u64,
    /// Chance positions left early.
    pub dice_cutoffs: u64,
    /// Time on the wall.
    pub seconds: f64,
}
