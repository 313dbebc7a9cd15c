//! The one interface behind which every game looks the same.

use crate::{
    ChanceReport, CheckReport, ChoiceAnswer, ClassicReport, History, HistoryStep, IndexReport, MoveAnswer,
    PlayerList, PositionsReport, ProbeReport, Puzzle, QueryAnswer, Rules, SearchReport, SolveAnswer,
    StatsReport, TreeReport, Trouble, VerifyReport, View, Why,
};
use outplay_arena::matches::{MatchReport, MatchRequest};
use outplay_arena::tune::{TuneReport, TuneRequest};
use outplay_core::{LineBoard, Picture, Watch};
use outplay_table::Values;
use std::fmt;
use std::path::{Path, PathBuf};
use std::str::FromStr;
use std::time::Duration;

/// Which position a command is about.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Place {
    /// The start of the game.
    #[default]
    Start,
    /// After these moves.
    Moves(String),
    /// This position in the game's notation.
    Position(String),
    /// After these moves from that position.
    MovesFrom {
        /// Where the moves begin.
        position: String,
        /// The moves.
        moves: String,
    },
}

/// How to find a value.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Method {
    /// Whatever is best for the game.
    Auto,
    /// Minimax from the top.
    Plain,
    /// Minimax with every position remembered.
    Memo,
    /// Bottom-up over an index.
    Sweep,
    /// Bottom-up over bit-planes: boards of lines only.
    Dense,
    /// From finished positions backwards: games that can go round in circles.
    Retrograde,
    /// All positions again and again until nothing changes: the lecture's way with circles.
    UntilStable,
    /// Mean payoffs: games with dice.
    Chance,
    /// The value of one position: connect-k or the generic engine.
    Search,
    /// Win, draw or loss of one board without gravity, with a proof.
    Proof,
}

impl Method {
    /// All methods, the default first.
    pub const ALL: [Method; 10] = [
        Method::Auto,
        Method::Plain,
        Method::Memo,
        Method::Sweep,
        Method::Dense,
        Method::Retrograde,
        Method::UntilStable,
        Method::Chance,
        Method::Search,
        Method::Proof,
    ];

    /// The name on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Method::Auto => "auto",
            Method::Plain => "plain",
            Method::Memo => "memo",
            Method::Sweep => "sweep",
            Method::Dense => "dense",
            Method::Retrograde => "retrograde",
            Method::UntilStable => "sweep-until-stable",
            Method::Chance => "chance",
            Method::Search => "search",
            Method::Proof => "proof",
        }
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
        let words: Vec<&str> = Method::ALL.iter().map(|method| method.word()).collect();
        Method::ALL
            .into_iter()
            .find(|method| method.word() == text)
            .ok_or_else(|| format!("`{text}` is not a method; choose one of {}", words.join(", ")))
    }
}

/// What to solve and with what.
#[derive(Clone, Debug)]
pub struct SolveRequest {
    /// The position asked for.
    pub place: Place,
    /// How.
    pub method: Method,
    /// What to find of each position.
    pub values: Values,
    /// Whether to count all positions by value, where that costs extra.
    pub counts: bool,
    /// Bytes that may be used.
    pub memory: u64,
    /// Threads that may be used.
    pub threads: usize,
    /// Bytes for the table of a search.
    pub hash: u64,
    /// When a search gives up.
    pub time: Option<Duration>,
    /// The data directory for the table; none to store nothing.
    pub data: Option<PathBuf>,
    /// Where to write a proof.
    pub proof: Option<PathBuf>,
}

/// What a query may use.
#[derive(Clone, Debug)]
pub struct QueryOptions {
    /// Bytes for remembered positions.
    pub memory: u64,
    /// Bytes for the table of a search.
    pub hash: u64,
    /// Threads of a search.
    pub threads: usize,
    /// When a search gives up.
    pub time: Option<Duration>,
    /// Where tables are looked for.
    pub data: Option<PathBuf>,
}

/// Which player is asked for a move, and where.
#[derive(Clone, Debug)]
pub struct ChooseRequest {
    /// The position asked for.
    pub place: Place,
    /// The player's spec.
    pub player: String,
    /// What the player's chance decisions follow from.
    pub seed: u64,
    /// What exact knowledge may use.
    pub options: QueryOptions,
    /// Whether the spec may name a file to read; never for somebody else's spec.
    pub files: bool,
}

/// A game with all that it can do, its types hidden.
pub trait GameHandle: Send + Sync {
    /// The canonical spec string.
    fn spec(&self) -> String;

    /// What is odd about the game although it can be played.
    fn warning(&self) -> Option<String>;

    /// What a position looks like and which moves it has.
    ///
    /// # Errors
    ///
    /// Bad input.
    fn view(&self, place: &Place) -> Result<View, Trouble>;

    /// The move that a player would make.
    ///
    /// # Errors
    ///
    /// Bad input, a player that this game cannot have, or a stop.
    fn choose(&self, request: &ChooseRequest, watch: &dyn Watch) -> Result<ChoiceAnswer, Trouble>;

    /// Plays a match between players.
    ///
    /// # Errors
    ///
    /// Bad input, or files that are of no use. A stop is no error: what was played counts.
    fn compete(
        &self,
        place: &Place,
        request: &MatchRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<MatchReport, Trouble>;

    /// The players that this game can have, and an order of strength to choose from.
    fn players(&self, options: &QueryOptions) -> PlayerList;

    /// Whether this game can have a player.
    ///
    /// # Errors
    ///
    /// A spec that makes no sense, or that makes none here.
    fn check_player(&self, spec: &str, options: &QueryOptions) -> Result<(), Trouble>;

    /// Finds weights for the linear evaluation and tests them against the incumbent.
    ///
    /// # Errors
    ///
    /// Bad input, a game without lines, files that are of no use, or a stop.
    fn tune(
        &self,
        request: &TuneRequest,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<TuneReport, Trouble>;

    /// The value of a position, and with strong methods of every other one too.
    ///
    /// # Errors
    ///
    /// Bad input, a game beyond the method or the memory, or a stop.
    fn solve(&self, request: &SolveRequest, watch: &dyn Watch) -> Result<SolveAnswer, Trouble>;

    /// Solves every game of a set, such as `chess:all4`, handing over each answer as it is found. A game that
    /// is no set has one answer.
    ///
    /// # Errors
    ///
    /// As [`GameHandle::solve`].
    fn solve_each(
        &self,
        request: &SolveRequest,
        watch: &dyn Watch,
        each: &mut dyn FnMut(SolveAnswer),
    ) -> Result<(), Trouble> {
        each(self.solve(request, watch)?);
        Ok(())
    }

    /// The value of a position and of each of its moves.
    ///
    /// # Errors
    ///
    /// Bad input or a stop. A position whose value is out of reach has the value "unknown".
    fn query(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<QueryAnswer, Trouble> {
        self.query_each(place, options, watch, &mut |_| {})
    }

    /// The same; `found` hears of each move as soon as its value is known.
    ///
    /// # Errors
    ///
    /// As for [`GameHandle::query`].
    fn query_each(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&MoveAnswer),
    ) -> Result<QueryAnswer, Trouble>;

    /// The same from what needs no search worth the name: the rules, a table, a book, a tiny board. `None` if
    /// that does not tell.
    ///
    /// # Errors
    ///
    /// As for [`GameHandle::query`].
    fn known(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
    ) -> Result<Option<QueryAnswer>, Trouble>;

    /// Whether [`GameHandle::query`] can be expected to find exact values of a position within a minute or so.
    ///
    /// # Errors
    ///
    /// Bad input.
    fn exact(&self, place: &Place, options: &QueryOptions) -> Result<bool, Trouble>;

    /// The value of every position that a list of moves goes through, with the mistakes; `found` hears of each
    /// position as soon as it is valued, the last one first.
    ///
    /// # Errors
    ///
    /// Bad input or a stop. Positions whose value is out of reach have the value "unknown".
    fn history(
        &self,
        place: &Place,
        options: &QueryOptions,
        watch: &dyn Watch,
        found: &mut dyn FnMut(&HistoryStep),
    ) -> Result<History, Trouble>;

    /// The reason behind a position's value: threats, pairs and best play.
    ///
    /// # Errors
    ///
    /// Bad input or a stop.
    fn why(&self, place: &Place, options: &QueryOptions, watch: &dyn Watch) -> Result<Why, Trouble>;

    /// A position with exactly one move that gives nothing away; the seed decides which.
    ///
    /// # Errors
    ///
    /// No such position was found, or a stop.
    fn puzzle(&self, seed: u64, options: &QueryOptions, watch: &dyn Watch) -> Result<Puzzle, Trouble>;

    /// Derives every value of the game's table again from its successors.
    ///
    /// # Errors
    ///
    /// No table, a damaged one, or a stop.
    fn verify(&self, data: &Path, values: Option<Values>, watch: &dyn Watch)
    -> Result<VerifyReport, Trouble>;

    /// Positions by ply, value and distance, from the game's table.
    ///
    /// # Errors
    ///
    /// No table, or a damaged one.
    fn stats(&self, data: &Path, values: Option<Values>) -> Result<StatsReport, Trouble>;

    /// Times random questions to the game's table.
    ///
    /// # Errors
    ///
    /// No table, or a damaged one.
    fn probes(
        &self,
        data: &Path,
        values: Option<Values>,
        seconds: f64,
        watch: &dyn Watch,
    ) -> Result<ProbeReport, Trouble>;

    /// A picture of a position, with the values of its moves if they were found.
    ///
    /// # Errors
    ///
    /// Bad input.
    fn draw(&self, place: &Place, values: Option<&QueryAnswer>) -> Result<Picture, Trouble>;

    /// The game written out as (S, I, Succs, T, V), if it has at most `most` positions.
    ///
    /// # Errors
    ///
    /// Bad input, a larger game, or a stop.
    fn rules(&self, place: &Place, most: u64, watch: &dyn Watch) -> Result<Rules, Trouble>;

    /// A small search, recorded and drawn, so that pruning can be seen.
    ///
    /// # Errors
    ///
    /// Bad input, a game with dice, or a stop.
    fn tree(&self, place: &Place, depth: u32, prune: bool, watch: &dyn Watch) -> Result<TreeReport, Trouble>;

    /// The board of a position, for games of lines.
    ///
    /// # Errors
    ///
    /// Bad input, or a game of another kind.
    fn board(&self, place: &Place) -> Result<LineBoard, Trouble>;

    /// Solves the positions of a file ("moves score" in each line), each with an empty table.
    ///
    /// # Errors
    ///
    /// A game that the connect-k solver does not know, a line that makes no sense, or a stop.
    fn positions(
        &self,
        lines: &str,
        request: &SolveRequest,
        limit: usize,
        watch: &dyn Watch,
    ) -> Result<PositionsReport, Trouble>;

    /// Times bare alpha-beta and random games, on one thread.
    ///
    /// # Errors
    ///
    /// A game with dice, or a stop.
    fn search_speed(&self, depth: u32, watch: &dyn Watch) -> Result<SearchReport, Trouble>;

    /// Counts what expectiminimax, Star1 and Star2 visit on positions that random moves lead to.
    ///
    /// # Errors
    ///
    /// A game without dice, or a stop.
    fn chance_speed(&self, depth: u32, positions: u32, watch: &dyn Watch) -> Result<ChanceReport, Trouble>;

    /// The size of the index tier by tier; reachable positions are counted where `memory` allows.
    ///
    /// # Errors
    ///
    /// A game too large to explore that has no index of its own, or a stop.
    fn index(&self, memory: u64, count: bool, watch: &dyn Watch) -> Result<IndexReport, Trouble>;

    /// Which of the lecture's conditions the game meets, as far as exploring `most` positions tells.
    ///
    /// # Errors
    ///
    /// A fault of the rules or a stop.
    fn check(&self, most: u64, watch: &dyn Watch) -> Result<CheckReport, Trouble>;

    /// Times the classic solvers against each other, `trials` times each, giving up on a solver whose
    /// first trial takes longer than `seconds`.
    ///
    /// # Errors
    ///
    /// A game that they cannot solve, or a stop.
    fn classic(&self, trials: u32, seconds: f64, watch: &dyn Watch) -> Result<ClassicReport, Trouble>;
}
