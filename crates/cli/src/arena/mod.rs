//! The arena's commands: `match`, `label`, `tune` and `experiment`.

mod experiment;
mod grid;
mod label;
mod matches;
mod tune;

pub(crate) use experiment::ExperimentArgs;
pub(crate) use label::LabelArgs;
pub(crate) use matches::MatchArgs;
pub(crate) use tune::TuneArgs;
