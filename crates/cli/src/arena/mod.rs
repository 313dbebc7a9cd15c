//! The arena's commands: `match`, `tune` and `experiment`.

mod experiment;
mod grid;
mod matches;
mod tune;

pub(crate) use experiment::ExperimentArgs;
pub(crate) use matches::MatchArgs;
pub(crate) use tune::TuneArgs;
