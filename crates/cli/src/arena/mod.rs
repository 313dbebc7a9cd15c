//! The arena's commands: `match` and `experiment`.

mod experiment;
mod grid;
mod matches;

pub(crate) use experiment::ExperimentArgs;
pub(crate) use matches::MatchArgs;
