//! Requests to the workbench: the position, the method and the limits of a command.

use outplay_core::AnyPosition;
use outplay_table::Values;
use std::fmt;
use std::path::PathBuf;
use std::str::FromStr;

/// Reference to the position that a command is about: the start, moves, or a position in text form.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum PositionRef {
    /// The start of the game.
    #[default]
    Start,
    /// After these moves.
    Moves(String),
    /// This position in the game's notation.
    Position(String),
    /// This position of the requested game.
    At(AnyPosition),
    /// After these moves from that position.
    MovesFrom {
        /// The position before the moves.
        position: String,
        /// The moves.
        moves: String,
    },
}

/// Method of solving a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// The best method for the game and the limits.
    Auto,
    /// Minimax without memory.
    Plain,
    /// Minimax with memoisation.
    Memo,
    /// Backward induction over an index.
    Sweep,
    /// Backward induction over bit-planes: line boards only.
    Dense,
    /// Retrograde analysis (Ströhlein 1970; Thompson 1986): required for games with cycles, possible for any.
    Retrograde,
    /// Sweeps over all positions until a fixed point: the lecture's method for cycles.
    UntilStable,
    /// Mean payoffs by value iteration: games with chance.
    Chance,
    /// The value of one position: connect-k or the generic engine.
    Search,
    /// Win, draw or loss of one board without gravity, with a proof.
    Proof,
    /// Breadth-first minimax.
    Breadth,
    /// Expectiminimax by iterative deepening.
    Expectimax,
    /// Expectiminimax with Star1 cutoffs (Ballard 1983).
    Star1,
    /// Expectiminimax with Star2 cutoffs (Ballard 1983): probes one reply to each roll first.
    Star2,
}

impl Method {
    /// All methods with their names on the command line, in the order of the enum.
    pub const NAMES: [(Method, &'static str); 14] = [
        (Method::Auto, "auto"),
        (Method::Plain, "plain"),
        (Method::Memo, "memo"),
        (Method::Sweep, "sweep"),
        (Method::Dense, "dense"),
        (Method::Retrograde, "retrograde"),
        (Method::UntilStable, "sweep-until-stable"),
        (Method::Chance, "chance"),
        (Method::Search, "search"),
        (Method::Proof, "proof"),
        (Method::Breadth, "breadth"),
        (Method::Expectimax, "expectimax"),
        (Method::Star1, "star1"),
        (Method::Star2, "star2"),
    ];

    /// The name on the command line.
    pub fn word(self) -> &'static str {
        Method::NAMES[self as usize].1
    }
}

impl fmt::Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.word())
    }
}

impl FromStr for Method {
    type Err = String;
    fn from_str(text: &str) -> Result<Method, String> {
        let found = Method::NAMES.iter().find(|(_, word)| *word == text);
        found.map(|(method, _)| *method).ok_or_else(|| {
            let words = Method::NAMES.map(|(_, word)| word).join(", ");
            format!("`{text}` is not a method; choose one of {words}")
        })
    }
}

/// A request to solve a game.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct SolveRequest {
    /// The requested position.
    pub place: PositionRef,
    /// The method.
    pub method: Method,
    /// The values to find for each position.
    pub values: Values,
    /// Whether to count all positions by value, if that costs extra.
    pub counts: bool,
    /// Whether a strong method stores its table in the data directory.
    pub store: bool,
    /// Disk limit in bytes of the table and its temporary files. Required for a board that takes more than some
    /// minutes slab by slab.
    pub disk: Option<u64>,
    /// Where to write a proof.
    pub proof: Option<PathBuf>,
}

impl Default for SolveRequest {
    /// The start of a game by the best method, with distances and counts; nothing is stored.
    fn default() -> SolveRequest {
        SolveRequest {
            place: PositionRef::Start,
            method: Method::Auto,
            values: Values::Distance,
            counts: true,
            store: false,
            disk: None,
            proof: None,
        }
    }
}

/// A request for a computer player's move.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ChooseRequest {
    /// The requested position.
    pub place: PositionRef,
    /// The player's spec.
    pub player: String,
    /// Random seed of the player.
    pub seed: u64,
    /// Whether the spec may name a file to read or a program to start; never set for untrusted specs.
    pub files: bool,
}
