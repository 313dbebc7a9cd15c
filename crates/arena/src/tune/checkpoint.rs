//! The state of a search for weights, written whole after every generation.

use super::Generation;
use super::breed::Candidate;
use super::cma::Cma;
use crate::ArenaError;
use serde::{Deserialize, Serialize};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// The word by which a checkpoint is known.
const KIND: &str = "outplay tune 1";

/// All that the next generation follows from.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    kind: String,
    /// What was asked for; a checkpoint of other settings is refused.
    pub setting: String,
    /// The candidates of the next generation.
    pub population: Vec<Candidate>,
    /// The cloud they are drawn from, if there is one.
    pub cloud: Option<Cma>,
    /// What was found so far.
    pub generations: Vec<Generation>,
}

impl Checkpoint {
    /// The state before the first generation.
    pub fn new(setting: String, population: Vec<Candidate>, cloud: Option<Cma>) -> Checkpoint {
        Checkpoint { kind: KIND.into(), setting, population, cloud, generations: Vec::new() }
    }

    /// Writes the state; a kill leaves either the old state or the new one.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn save(&self, path: &Path) -> Result<(), ArenaError> {
        let trouble = |error: std::io::Error| ArenaError::file(path, format!("cannot be written: {error}"));
        let text = serde_json::to_string(self).map_err(|error| trouble(error.into()))?;
        let beside = path.with_extension("new");
        let mut file = File::create(&beside).map_err(trouble)?;
        file.write_all(text.as_bytes()).and_then(|()| file.sync_all()).map_err(trouble)?;
        std::fs::rename(&beside, path).map_err(trouble)
    }

    /// Reads a state of the same settings; `None` if there is no such file.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, or a checkpoint of something else.
    pub fn load(path: &Path, setting: &str) -> Result<Option<Checkpoint>, ArenaError> {
        if !path.exists() {
            return Ok(None);
        }
        let text = std::fs::read_to_string(path)
            .map_err(|error| ArenaError::file(path, format!("cannot be read: {error}")))?;
        let found: Checkpoint = serde_json::from_str(&text)
            .map_err(|_| ArenaError::file(path, "is no checkpoint; choose another file or remove it"))?;
        if found.kind != KIND || found.setting != setting {
            let why = format!(
                "is a checkpoint of other settings ({}); give the same words as then, or choose another file",
                found.setting
            );
            return Err(ArenaError::file(path, why));
        }
        Ok(Some(found))
    }
}
