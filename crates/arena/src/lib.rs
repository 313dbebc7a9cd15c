//! Matches with honest statistics, and tuning of evaluations.
//!
//! ```text
//!   matches       a match: openings, games, a record, standings
//!   contest       many games on several threads        opening    where they begin
//!   referee       one game, whatever the players do    scrutiny   moves held against exact knowledge
//!   record        games as lines of text               standings  the result as tables
//!   stats         what a result says: Elo, intervals, superiority, sequential tests
//!   ratings       one scale for many players          psq        games of Gomocup
//!   page          a match as one HTML file
//!   label         exact values of many positions, as rows
//!   tune          weights found by games or exact values, accepted by a test
//! ```
//!
//! Everything follows from a seed: the same seed gives the same games on any number of threads, as long as
//! players do not look at the clock.
//!
//! The doors are [`compete`] and [`tune()`], for a game that somebody opened by name; [`matches::run`] and [`tune::run`]
//! are the rooms behind them, for a [`Kit`] of one's own:
//!
//! ```
//! use outplay_arena::matches::{MatchRequest, run};
//! use outplay_core::{Game, Native, Quiet};
//! use outplay_games::mnk::{Mnk, Rules};
//! use outplay_players::Kit;
//!
//! let game: Mnk<u64> = Mnk::new(Rules::parse("tictactoe").unwrap()).unwrap();
//! let kit = Kit::new(Native::new(game).lines());
//! let mut request = MatchRequest::default();
//! request.players = vec!["greedy".into(), "random".into()];
//! let report = run(&kit, &kit.game.start().unwrap(), None, &request, &Quiet)?;
//! let greedy = &report.standings.players[0];
//! assert_eq!(greedy.games, 100);
//! assert!(greedy.score > 0.7 && greedy.strength.low > Some(100.0));
//! # Ok::<(), outplay_arena::ArenaError>(())
//! ```
//!
//! Nothing here prints, and no sentence names anybody's flags; only `record`, `psq`, `label`, `tune` and its labels touch
//! files.
//!
//! [`Kit`]: outplay_players::Kit

mod chart;
pub mod contest;
mod error;
pub mod label;
pub mod matches;
pub mod opening;
pub mod page;
pub mod psq;
pub mod ratings;
pub mod record;
pub mod referee;
mod replay;
pub mod scrutiny;
pub mod seed;
pub mod standings;
pub mod stats;
pub mod tune;

pub use error::ArenaError;
pub use matches::compete;
pub use tune::tune;
