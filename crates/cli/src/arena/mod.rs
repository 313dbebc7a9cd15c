//! Commands of the arena: `match`, `label`, `tune` and `experiment`.

#[cfg(feature = "experiments")]
mod experiment;
mod grid;
mod label;
mod matches;
mod tune;

#[cfg(not(feature = "experiments"))]
pub(crate) use crate::absent::experiment;
#[cfg(feature = "experiments")]
pub(crate) use experiment::experiment;
pub(crate) use label::LabelArgs;
pub(crate) use matches::{MatchArgs, compete, import};
pub(crate) use tune::{TuneArgs, tune};
