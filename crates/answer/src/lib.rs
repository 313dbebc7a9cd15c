//! Who knows the value of this position? One ladder of sources under every command.
//!
//! An [`Entry`] is a game with everything that can be asked about it. Below it, kernels are generic and monomorphic;
//! above it, interfaces see plain data. `ladder` holds the list of sources; `query`, `solve` and `truth` are folds over
//! it, so that what one command knows, every command knows.
//!
//! | file | what it answers |
//! |---|---|
//! | `ladder`, `sources/` | who knows, and what asking costs |
//! | `query` | the value of a position and of each of its moves |
//! | `solve`, `loops`, `means` | the values of all positions, and the tables that keep them |
//! | `truth` | what players, the judge and explanations are told |
//! | `reader` | a table, open for many questions |
//! | `tables`, `shelves`, `summary`, `examples` | what is on disk: proof, statistics, positions that show them, speed |
//! | `notes`, `books` | what was found before; openings |
//! | `kernels/` | whole loops made for one game |
//! | `rules` | the game written out: its conditions, its positions, its index, a search tree |
//! | `trace`, `waves` | a search and a retrograde analysis as steps that can be replayed |
//! | `bench/` | how fast the solvers are |
//!
//! ```
//! # use outplay_core::{Game, InputError, Notation, Payoff, Turn};
//! use outplay_answer::{Entry, Place, QueryOptions};
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
//! # impl Notation for Pile {
//! #     fn spec(&self) -> String { format!("pile:{}", self.0) }
//! #     fn write_position(&self, pos: &(u8, bool)) -> String { format!("{} {}", pos.0, u8::from(pos.1)) }
//! #     fn read_position(&self, text: &str) -> Result<(u8, bool), InputError> {
//! #         Err(InputError::position(text, "not read here"))
//! #     }
//! #     fn write_move(&self, _: &(u8, bool), mv: u8) -> String { mv.to_string() }
//! # }
//!
//! // One pile of seven matches, take one or two, who takes the last one wins.
//! let entry = Entry::new(Pile(7));
//! let answer = entry.query(&Place::Start, &QueryOptions::default(), &outplay_core::Quiet)?;
//! assert_eq!((answer.best, answer.answer.distance()), (vec!["1".to_string()], Some(5)));
//! # Ok::<(), outplay_answer::Trouble>(())
//! ```

mod answers;
mod bench;
mod books;
mod clock;
mod entry;
mod evaluation;
mod examples;
mod extent;
mod forecast;
mod kernels;
mod ladder;
mod loops;
mod means;
mod notes;
mod numbers;
mod picture;
mod place;
mod planes;
mod query;
mod rates;
mod reader;
mod request;
mod rules;
mod sample;
mod shelves;
mod solve;
mod sources;
mod summary;
mod tables;
mod textbook;
mod trace;
mod trouble;
mod truth;
mod view;
mod waves;

pub use answers::{
    Answer, ChanceReport, ChanceRow, CheckReport, ChoiceAnswer, Counts, EngineReport, How, IndexReport,
    IndexTier, Longest, LongestBySide, MoveAnswer, Phases, PositionsReport, ProbeReport, Proved, QueryAnswer,
    Rules, SearchReport, Settled, SolveAnswer, Source, Splits, StatsReport, StatsTier, Stored, TreeNode,
    TreeReport, TurnCounts, VerifyReport, View,
};
pub use bench::{ClassicReport, ClassicRow};
pub use books::{BookCheck, BookInfo, book_info, build_book, check_book};
pub use clock::Clock;
pub use entry::Entry;
pub use evaluation::{CellValue, Evaluation};
pub use examples::{Example, Records, Wanted};
pub use forecast::{PlanReport, PlanRequest, Way};
pub use notes::{ListedNotes, clear_notes, list_notes};
pub use numbers::{IndexCheck, Ranked};
pub use outplay_search::{DiceMethod, TreeOrder};
pub use outplay_table::{
    Cure as TableCure, Listed, ListedTable, Sum, TableError, Values, default_data_dir, list, read_sums,
    remove, sums,
};
pub use picture::{stats_csv, stats_svg};

/// The name of a game's table with distances, and of what was kept about it.
pub fn table_name(spec: &str) -> String {
    outplay_table::name(spec, Values::Distance)
}

pub use rates::Rates;
pub use reader::{Reached, Read, Reader};
pub use request::{ChooseRequest, Method, PATIENCE, Place, QueryOptions, SolveRequest};
pub use trace::{Said, Trace, TraceNode, TraceRequest};
pub use trouble::{Cure, Trouble};
pub use truth::Oracle;
pub use view::{PlayerList, is_complete};
pub use waves::{Valued, Wave, Waves};
