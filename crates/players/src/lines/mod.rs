//! The linear evaluation of boards of lines: features of a position times weights.
//!
//! | file | what it holds |
//! |---|---|
//! | `weights` | the names of the features and what each counts for, as text and as a file |
//! | `field` | a board as bit masks: windows, threats, open cells |
//! | `features` | what is counted, by bit tricks and, as its oracle, by looking at every window |
//! | `forced` | wins by threats alone, and who profits when the board fills up |
//! | `judge` | the opinion that players and searches ask for |
//! | `search`, `player` | alpha-beta on bitboards, the fast form of the player `alphabeta` |

mod features;
mod field;
mod forced;
mod judge;
mod player;
mod search;
mod weights;

pub use features::{Features, plain_features};
pub(crate) use judge::judge;
pub(crate) use player::player;
pub use weights::{FeatureSet, Weights, WeightsError};
