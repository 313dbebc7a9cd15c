//! Solver sessions: one ordered chain of value sources (table, book, cache, theory, search) behind every command.
//!
//! A [`GameHandle`] is a game with its kernels; a [`Session`] holds limits and caches. Kernels are generic and
//! monomorphic; everything above a handle is type-erased, so interfaces see plain data. `ladder` holds the chain of
//! sources, which `query`, `solve` and `truth` all use, so a value that one command can find, every command can find.
//!
//! | file | holds |
//! |---|---|
//! | `handle`, `session`, `cache` | a game with its kernels; limits, data directory and caches |
//! | `ladder`, `sources/` | the sources of a position's value in the order they are asked |
//! | `query`, `move_values` | the value of a position and of each of its moves |
//! | `solve`, `methods/`, `solve_answer`, `means` | the values of all positions, and the tables that store them |
//! | `truth` | the ladder as an exact oracle for players, the referee and explanations |
//! | `tables`, `tier_tables`, `reader`, `summary`, `sample`, `examples` | tables: verification, statistics, samples |
//! | `results`, `books` | persistent result cache; opening books |
//! | `kernels/` | solver loops monomorphised for one game |
//! | `export/` | labelled data sets: positions with exact values as rows of files |
//! | `numbers`, `conditions` | rank and unrank; checks of an index and of the properties of a game |
//! | `plan`, `extent`, `rates` | cost estimates: time, memory and disk of a solve |
//! | `bench/` | benchmarks of solvers and searches |
//!
//! ```
//! use outplay_core::{Game, Payoff, Turn};
//! use outplay_runtime::NoMonitor;
//! use outplay_workbench::{GameHandle, PositionRef, Session, query};
//! # #[derive(Clone)]
//! # struct Pile(u8);
//! # impl Game for Pile {
//! #     type Position = (u8, bool);
//! #     type Move = u8;
//! #     fn start(&self) -> Option<(u8, bool)> { Some((self.0, true)) }
//! #     fn turn(&self, pos: &(u8, bool)) -> Turn { if pos.1 { Turn::First } else { Turn::Second } }
//! #     fn moves(&self, pos: &(u8, bool), out: &mut Vec<u8>) { out.extend(1..=pos.0.min(2)) }
//! #     fn play(&self, pos: &(u8, bool), mv: u8) -> (u8, bool) { (pos.0 - mv, !pos.1) }
//! #     fn outcome(&self, pos: &(u8, bool)) -> Option<Payoff> {
//! #         (pos.0 == 0).then(|| if pos.1 { -1 } else { 1 })
//! #     }
//! # }
//!
//! // One pile of seven matches, take one or two; the player who takes the last one wins.
//! let (session, pile) = (Session::in_memory(), GameHandle::new(Pile(7)));
//! let answer = query(&session, &pile, &PositionRef::Start, &NoMonitor)?;
//! assert_eq!((answer.best, answer.answer.distance()), (vec!["1".to_string()], Some(5)));
//! # Ok::<(), outplay_workbench::Trouble>(())
//! ```

mod answers;
mod bench;
mod books;
mod cache;
mod clock;
mod conditions;
#[cfg(test)]
mod damage;
mod examples;
pub mod export;
mod extent;
mod handle;
mod kernels;
mod ladder;
#[cfg(test)]
mod ladder_tests;
mod means;
mod methods;
mod move_values;
mod numbers;
mod opinions;
mod picture;
mod plan;
mod planes;
mod plausible;
mod proven_value;
mod query;
mod rates;
mod reader;
mod request;
mod results;
mod sample;
pub mod seed;
mod session;
mod solve;
mod solve_answer;
mod sources;
mod summary;
mod tables;
mod tier_tables;
mod trouble;
mod truth;
mod view;

pub use answers::{
    Answer, BySide, ChanceReport, ChanceRow, ChoiceAnswer, Convergence, Counts, EngineReport, IndexReport,
    IndexTier, Longest, LongestBySide, MoveAnswer, Phases, PlainCount, PositionsReport, ProbeReport,
    ProvedValue, QueryAnswer, SearchReport, SolveAnswer, SolveOrigin, Source, Splits, StatsReport, StatsTier,
    StoredTable, TurnCounts, VerifyReport, View,
};
pub use bench::{
    ClassicReport, ClassicRow, chance_speed, classic_speed, engine_speed, position_speed, search_speed,
};
pub use books::{BookCheck, BookInfo, book_info, build_book, check_book};
pub use clock::Clock;
pub use conditions::{CheckReport, check_conditions};
pub use examples::{
    Example, ExampleFilter, LongestRecord, LongestRecords, Records, examples, longest, records,
};
pub use handle::{GameBuilder, GameHandle, TierSizes};
pub use methods::retrograde::solve_each;
pub use numbers::{IndexCheck, NumberedPosition, check_index, rank, unrank};
pub use outplay_proof::pairing;
pub use outplay_search::{DiceMethod, TreeOrder};
pub use outplay_table::{
    Cure as TableCure, ListedTable, Sum, TableEntry, TableError, Values, default_data_dir, list, read_sums,
    remove, sums,
};
pub use picture::{stats_csv, stats_svg};
pub use plan::{PlanReport, PlanRequest, Way, plan, slots};
pub use query::{
    is_proof_expected, is_tractable, known_answer, known_verdicts, query, query_best, query_each,
};
pub use results::{ListedResults, clear_results, count_kept, list_results};

pub(crate) use kernels::{Numbering, Numbers};
pub(crate) use ladder::{Cost, Effort, Ladder, Question, SourceResult, ValueSource};
pub(crate) use proven_value::{ProvenValue, between};
pub(crate) use solve_answer::{SolveJob, filled};

/// Revision of the solvers and rules, part of the identity of result files. Raise it when a solver or the rules of a
/// game are corrected: results that an earlier revision stored are then recomputed.
pub const SOLVER_REVISION: u32 = 1;

/// The version of the program and of its solvers, for the identity of files that hold results.
pub fn program_version() -> String {
    format!("{} r{SOLVER_REVISION}", env!("CARGO_PKG_VERSION"))
}

/// Returns the name of a game's table with distances, which is also the name of its file of cached results.
pub fn table_name(spec: &str) -> String {
    outplay_table::name(spec, Values::Distance)
}

pub use answers::PartialTable;
pub use methods::single::prove;
pub use numbers::{index_report, numbered_position};
pub use opinions::{Opinion, Opinions, add_opinions, opinions};
pub use rates::Rates;
pub use reader::{Read, Reader, open_reader};
pub use request::{ChooseRequest, Method, PositionRef, SolveRequest};
pub use sample::{verify_sample, verify_sample_together};
pub use session::{PATIENCE, Ranks, Session};
pub use solve::solve;
pub use sources::retrograde::{RetrogradeValues, retrograde_values};
pub use tables::{probe_speed, stats, verify};
pub use trouble::{Cure, Trouble, check_stop};
pub use truth::Oracle;
pub use view::{
    PlayerList, board, check_player, choose, draw, is_complete, kit, players, start_player, view,
};
