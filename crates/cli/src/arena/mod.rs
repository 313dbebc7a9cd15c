//! The arena's commands: `experiment`.

mod experiment;

pub(crate) use experiment::ExperimentArgs;
