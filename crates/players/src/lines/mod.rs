//! Linear evaluation of k-in-a-row boards, and a bitboard alpha-beta search with it.
//!
//! | file | contents |
//! |---|---|
//! | `weights` | feature names and weights, as text and as a file |
//! | `field` | bitboard geometry: windows, threats, playable cells |
//! | `features` | feature extraction on bitboards and, as its reference, by a scan of every window |
//! | `forced` | threat-space search, and zugzwang when the board fills up |
//! | `judge` | the evaluation function of players and searches |
//! | `search`, `player` | bitboard alpha-beta search, and the player `alphabeta` that uses it |

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
