//! Engine matches with sound statistics (Elo, SPRT), and tuning of evaluation weights.
//!
//! ```text
//!   matches       a match: openings, games, record, standings
//!   contest       game scheduler on several threads    opening    opening generator
//!   referee       one game, robust to player faults    scrutiny   move accuracy by exact values
//!   record        game record, JSON lines              standings  result tables
//!   stats         Elo, confidence intervals, likelihood of superiority, SPRT
//!   inference     intervals of proportions and paired differences, sample sizes, conclusions
//!   ratings       Bradley-Terry ratings                psq        import of Gomocup games
//!   page          HTML report of a match
//!   tune          weights by games or exact values, accepted by an SPRT
//! ```
//!
//! Invariant: all random choices derive from one seed. The same seed gives the same games on any number of threads, if
//! no player depends on the clock.
//!
//! The entry points are [`compete`] and [`tune()`] for a game of the catalog, and [`matches::run`] and [`tune::run`]
//! for a [`PlayerContext`] of the caller:
//!
//! ```
//! use outplay_arena::matches::{MatchRequest, run};
//! use outplay_core::{Game, Native};
//! use outplay_runtime::NoMonitor;
//! use outplay_games::mnk::{Mnk, Rules};
//! use outplay_players::PlayerContext;
//!
//! let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
//! let kit = PlayerContext::new(Native::new(game).lines());
//! let mut request = MatchRequest::default();
//! request.players = vec!["greedy".into(), "random".into()];
//! let report = run(&kit, &kit.game.start().unwrap(), None, &request, &NoMonitor)?;
//! let greedy = &report.standings.players[0];
//! assert_eq!(greedy.games, 100);
//! assert!(greedy.score > 0.7 && greedy.strength.low > Some(100.0));
//! # Ok::<(), outplay_arena::ArenaError>(())
//! ```
//!
//! Nothing here prints, and no message names command-line flags. Only `record`, `psq` and `tune` access files.
//!
//! [`PlayerContext`]: outplay_players::PlayerContext

mod chart;
pub mod contest;
mod error;
pub mod inference;
pub mod matches;
pub mod opening;
pub mod page;
pub mod psq;
pub mod ratings;
pub mod record;
pub mod referee;
mod replay;
pub mod scrutiny;
pub mod standings;
pub mod stats;
pub mod text;
pub mod tune;

pub use error::ArenaError;
pub use matches::compete;
pub use outplay_workbench::seed;
pub use tune::tune;
