//! Names become games: `mnk:4x4,k=3` becomes a [`GameHandle`] with everything that the game can do.
//!
//! Below this layer code is generic and monomorphic; above it, interfaces see only text and plain data. One
//! call through a [`GameHandle`] carries a whole command (solve, query), never a single position.
//!
//! A game of one's own joins the catalog with [`Catalog::add`]; see `examples/` of the workspace.

mod alternatives;
mod answering;
mod answers;
mod boards;
mod catalog;
mod chancing;
mod classic;
mod clock;
mod competing;
mod cycles;
mod deadline;
mod dice;
mod entry;
mod families;
mod handle;
mod history;
mod loops;
mod means;
mod openings;
mod oracle;
mod picture;
mod puzzles;
mod reasons;
mod rolling;
mod searching;
mod shelves;
mod solved;
mod solving;
mod streaming;
mod summary;
mod tables;
mod threats;
mod timing;
mod trouble;
mod viewing;
mod whole;

pub use answers::{
    Answer, ChanceReport, ChanceRow, CheckReport, ChoiceAnswer, Counts, IndexReport, IndexTier, Longest,
    LongestBySide, MoveAnswer, Phases, PositionsReport, ProbeReport, QueryAnswer, Rules, SearchReport,
    Settled, SolveAnswer, Splits, StatsReport, StatsTier, Stored, TreeReport, TurnCounts, VerifyReport, View,
};
pub use catalog::{Catalog, Family};
pub use classic::{ClassicReport, ClassicRow};
pub use competing::{ExperimentRequest, experiments};
pub use entry::Entry;
pub use handle::{ChooseRequest, GameHandle, Method, Place, QueryOptions, SolveRequest};
pub use history::{History, HistoryStep, Mistake};
pub use openings::{BookCheck, BookInfo, book_info, build_book, check_book};
pub use outplay_arena::experiments::{Findings, Grid};
pub use outplay_arena::matches::{MatchReport, MatchRequest};
pub use outplay_arena::referee::House;
pub use outplay_arena::scrutiny::Kept;
pub use outplay_arena::standings::{Judged, PairingRow, PlayerRow, SprtRow, Standings, Tally};
pub use outplay_arena::stats::{Decision, Pairs, Sprt, Strength};
pub use outplay_arena::tune::fit::FitOptions;
pub use outplay_arena::tune::labels::{Sampling, Spread};
pub use outplay_arena::tune::{By, Method as TuneMethod, TuneReport, TuneRequest, page as tune_page};
pub use outplay_check::{Claim, check as check_proof};
pub use outplay_players::{About, FeatureSet, ROSTER, Weights};
pub use outplay_table::{Listed, ListedTable, TableError, Values, default_data_dir, list, remove};
pub use picture::stats_svg;
pub use puzzles::Puzzle;
pub use reasons::{ReasonMark, ReasonMove, Why};
pub use trouble::Trouble;
pub use viewing::PlayerList;
