//! Computer players of any game, each constructed from a spec string.
//!
//! A [`PlayerContext`] holds a game with its searchers and tables and constructs a [`Player`] from a spec such as
//! `alphabeta:depth=7`. A player maps positions to moves. Exact game-theoretic values reach a player only through an
//! [`ExactOracle`]. Nothing here does I/O.
//!
//! ```
//! use outplay_core::{Native, Notation};
//! use outplay_runtime::NoMonitor;
//! use outplay_games::mnk::{Mnk, Rules};
//! use outplay_players::PlayerContext;
//!
//! let game: Mnk<u64> = Mnk::new(Rules::parse("connect4").unwrap()).unwrap();
//! let kit = PlayerContext::new(Native::new(game).lines());
//! let mut player = kit.player("alphabeta:depth=4,eval=lines")?;
//! player.begin(1);
//! // Three in a row at the bottom, and room for the fourth.
//! let pos = kit.game.read_position("7/7/7/7/ooo4/xxx4 x")?;
//! let choice = player.choose(&pos, &NoMonitor)?;
//! assert_eq!((kit.game.write_move(&pos, choice.mv), choice.opinion), ("4".to_string(), Some(100.0)));
//! # Ok::<(), outplay_players::PlayError>(())
//! ```

mod alphabeta;
mod context;
mod distribution;
mod greedy;
mod helpful;
mod helpfulness;
mod insight;
mod judge;
mod launcher;
mod levels;
mod lines;
mod look;
mod mcts;
mod mobility;
mod noisy;
mod oracle;
mod patterns;
mod perfect;
mod player;
mod playout;
mod polynomial;
mod punctual;
mod race;
mod random;
mod roster;
mod searcher;
mod swindler;
mod techniques;
mod uct;
mod words;

pub use alphabeta::AlphaBeta;
pub use context::{Guest, PlayerContext, ReadFile};
pub use distribution::Distribution;
pub use greedy::Greedy;
pub use helpful::{Helpful, helpful_choices};
pub use helpfulness::Form;
pub use insight::{CellHelp, DIRECTIONS, Insight, Part};
pub use judge::{Judge, NoOpinion, squeezed};
pub use launcher::{EngineLauncher, PROTOCOLS, protocol};
pub use levels::{Levels, StrengthLevel};
pub use lines::{FeatureSet, Features, Weights, WeightsError, plain_features};
pub use mcts::{Mcts, MctsLimits};
pub use noisy::Noisy;
pub use oracle::{Best, ExactOracle, MoveValue, MoveValues, Payoffs};
pub use perfect::Perfect;
pub use player::{Choice, Fault, PlayError, Player};
pub use playout::Playout;
pub use polynomial::Polynomial;
pub use punctual::Punctual;
pub use random::Random;
pub use roster::{PROGRAMS, PlayerKind, ROSTER};
pub use searcher::{MctsTree, NativeChance, Searcher, SearcherFactory};
pub use swindler::Swindler;
