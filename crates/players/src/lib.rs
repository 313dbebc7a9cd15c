//! Who moves: players of any game, each behind a spec string.
//!
//! A [`Kit`] holds a game with what it brings along and makes a [`Player`] from a spec such as
//! `alphabeta:depth=7`. A player is shown positions and answers with moves; what is really true of a position
//! it can learn only from a [`Truth`]. Nothing here does I/O.
//!
//! ```
//! use outplay_core::{Native, Notation, Quiet};
//! use outplay_games::mnk::{Mnk, Rules};
//! use outplay_players::Kit;
//!
//! let game: Mnk<u64> = Mnk::new(Rules::parse("connect4").unwrap()).unwrap();
//! let kit = Kit::new(Native::new(game).lines());
//! let mut player = kit.player("alphabeta:depth=4,eval=lines")?;
//! player.begin(1);
//! // Three in a row at the bottom, and room for the fourth.
//! let pos = kit.game.read_position("7/7/7/7/ooo4/xxx4 x")?;
//! let choice = player.choose(&pos, &Quiet)?;
//! assert_eq!((kit.game.write_move(&pos, choice.mv), choice.opinion), ("4".to_string(), Some(100.0)));
//! # Ok::<(), outplay_players::PlayError>(())
//! ```

mod alphabeta;
mod greedy;
mod helpful;
mod helpfulness;
mod insight;
mod judge;
mod kit;
mod lines;
mod look;
mod mcts;
mod mind;
mod mobility;
mod noisy;
mod outside;
mod patterns;
mod perfect;
mod player;
mod playout;
mod polynomial;
mod punctual;
mod race;
mod random;
mod roster;
mod swindler;
mod techniques;
mod truth;
mod uct;
mod words;

pub use alphabeta::AlphaBeta;
pub use greedy::Greedy;
pub use helpful::{Helpful, helpful_choices};
pub use helpfulness::Form;
pub use insight::{CellHelp, DIRECTIONS, Insight, Part};
pub use judge::{Judge, NoOpinion, squeezed};
pub use kit::{Guest, Kit, ReadFile};
pub use lines::{FeatureSet, Features, Weights, WeightsError, plain_features};
pub use mcts::{Mcts, MctsLimits};
pub use mind::{Grove, Mind, Minds, Rolling};
pub use noisy::Noisy;
pub use outside::{Outside, PROTOCOLS, protocol};
pub use perfect::Perfect;
pub use player::{Choice, Fault, PlayError, Player};
pub use playout::Playout;
pub use polynomial::Polynomial;
pub use random::Random;
pub use roster::{About, PROGRAMS, ROSTER};
pub use swindler::Swindler;
pub use truth::{Best, Merit, Merits, Payoffs, Truth};
