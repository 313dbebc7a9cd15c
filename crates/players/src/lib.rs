//! Who moves: players of any game, each behind a spec string.
//!
//! A [`Kit`] holds a game with what it brings along and makes a [`Player`] from a spec such as
//! `alphabeta:depth=7`. A player is shown positions and answers with moves; what is really true of a position
//! it can learn only from a [`Truth`]. Nothing here does I/O.

mod alphabeta;
mod dice;
mod greedy;
mod helpful;
mod helpfulness;
mod judge;
mod kit;
mod lines;
mod look;
mod mcts;
mod noisy;
mod perfect;
mod player;
mod playout;
mod polynomial;
mod punctual;
mod random;
mod roster;
mod swindler;
mod truth;
mod words;

pub use alphabeta::AlphaBeta;
pub use dice::Falls;
pub use greedy::Greedy;
pub use helpful::{Helpful, helpful_choices};
pub use helpfulness::Form;
pub use judge::{Judge, NoOpinion};
pub use kit::{Kit, ReadFile, ToBoard};
pub use lines::{FeatureSet, Features, Weights, WeightsError, plain_features};
pub use mcts::{Mcts, MctsLimits};
pub use noisy::Noisy;
pub use perfect::Perfect;
pub use player::{Choice, PlayError, Player};
pub use playout::Playout;
pub use polynomial::Polynomial;
pub use random::Random;
pub use roster::{About, ROSTER};
pub use swindler::Swindler;
pub use truth::{Merit, Merits, Payoffs, Truth};
