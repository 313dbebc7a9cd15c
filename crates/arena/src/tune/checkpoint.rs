//! Tuning checkpoint: the state after a generation, in a checksummed file that is replaced atomically, from which an
//! interrupted run resumes.
//!
//! A checkpoint records the game, the versions of rules and program, and the settings. A checkpoint that is damaged or
//! was written by another version is renamed, and tuning starts over; a checkpoint with other settings is an error.

use super::Generation;
use super::breed::Candidate;
use super::cma::Cma;
use crate::ArenaError;
use outplay_core::{AnyGame, Game, Notation};
use outplay_files::{Contents, Identity, Links, State, encode, parse, read, set_aside, write_output};
use outplay_runtime::Monitor;
use serde::{Deserialize, Serialize};
use std::path::Path;

/// The kind of file.
const KIND: &str = "tune checkpoint";
/// The first bytes of a checkpoint of earlier versions, which had no checksums.
const OLD: &[u8] = br#"{"kind":"outplay tune 1""#;
/// Maximal size of a checkpoint in bytes.
const MAX_BYTES: u64 = 256 << 20;

/// State of a tuning run after a generation, from which the next generation is computed.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Checkpoint {
    /// The candidates of the next generation.
    pub population: Vec<Candidate>,
    /// The state of CMA-ES, if that is the method.
    pub cloud: Option<Cma>,
    /// The results of the generations so far.
    pub generations: Vec<Generation>,
}

/// The game and the settings of the tuning run that a checkpoint belongs to.
#[derive(Clone, Debug)]
pub struct Setting {
    identity: Identity,
    /// Candidates of a generation.
    population: usize,
    /// Weights of a candidate.
    weights: usize,
    /// Whether the method is CMA-ES.
    cloud: bool,
}

impl Setting {
    /// The settings of a tuning run of a game; `words` describe all parameters.
    pub fn new(game: &AnyGame, words: String, population: usize, weights: usize, cloud: bool) -> Setting {
        let identity = Identity {
            kind: KIND.into(),
            format: 2,
            game: game.spec(),
            rules: game.version(),
            program: outplay_workbench::program_version(),
            about: words,
        };
        Setting { identity, population, weights, cloud }
    }
}

impl Checkpoint {
    /// The state before the first generation.
    pub fn new(population: Vec<Candidate>, cloud: Option<Cma>) -> Checkpoint {
        Checkpoint { population, cloud, generations: Vec::new() }
    }

    /// Writes the state atomically: a kill or a full disk leaves either the old state or the new one.
    ///
    /// # Errors
    ///
    /// A file that cannot be written.
    pub fn save(&self, path: &Path, setting: &Setting) -> Result<(), ArenaError> {
        let text = serde_json::to_string(self)
            .map_err(|error| ArenaError::file(path, format!("cannot be written: {error}")))?;
        Ok(write_output(path, &encode(&setting.identity, [text.as_str()]))?)
    }

    /// Parses the bytes of a checkpoint; `None` unless they are valid and of this setting.
    pub fn parse(bytes: &[u8], setting: &Setting) -> Option<Checkpoint> {
        let Contents { state: State::Ours, records, .. } = parse(bytes, &setting.identity) else {
            return None;
        };
        let [record] = &records[..] else { return None };
        serde_json::from_str(record).ok().filter(|found: &Checkpoint| found.fits(setting))
    }

    /// Whether the state is consistent with the settings.
    fn fits(&self, setting: &Setting) -> bool {
        let Setting { population, weights, cloud, .. } = *setting;
        let sound = |list: &[f32]| list.len() == weights && list.iter().all(|weight| weight.is_finite());
        let numbered = self.generations.iter().zip(1..).all(|(one, number)| one.generation == number);
        let candidates = self.population.iter().all(|one| sound(&one.weights) && one.points.is_finite());
        let drawn = self.cloud.as_ref().is_none_or(|cloud| cloud.fits(weights, population));
        let full = self.population.len() == population || cloud && self.population.is_empty();
        let results = self.generations.iter().all(|one| sound(&one.best));
        cloud == self.cloud.is_some() && full && candidates && drawn && numbered && results
    }

    /// Reads a checkpoint of the same setting; `None` if there is no file, or if it is damaged or stale. Such a file is
    /// renamed, and `monitor` gets a note.
    ///
    /// # Errors
    ///
    /// A file that cannot be read, is not a checkpoint, or has other settings.
    pub fn load(
        path: &Path,
        setting: &Setting,
        monitor: &dyn Monitor,
    ) -> Result<Option<Checkpoint>, ArenaError> {
        let bytes = match read(path, Links::Follow, MAX_BYTES) {
            Err(error) if error.is_missing() => return Ok(None),
            bytes => bytes?,
        };
        if let Some(found) = Checkpoint::parse(&bytes, setting) {
            return Ok(Some(found));
        }
        let stranger =
            || ArenaError::file(path, "is not a checkpoint of `tune`; remove it, or give another path");
        let (word, why) = match parse(&bytes, &setting.identity).state {
            State::Other(found) if found.kind != KIND => return Err(stranger()),
            State::Other(found) if found.is_usable(&setting.identity) => {
                let why = format!(
                    "is a checkpoint of a run with other options ({}); repeat those options, or give another path",
                    found.about
                );
                return Err(ArenaError::file(path, why));
            }
            State::Other(found) => ("stale", found.difference(&setting.identity).unwrap_or_default()),
            State::Stranger if bytes.starts_with(OLD) => ("stale", "was made by an earlier version".into()),
            State::Stranger => return Err(stranger()),
            State::Empty | State::Ours | State::Damaged => ("damaged", "is damaged".to_string()),
        };
        let to = set_aside(path, word)
            .map_err(|error| ArenaError::file(path, format!("{why} and cannot be renamed: {error}")))?;
        monitor.note(&format!(
            "{} {why}; it was renamed to {}, and tuning starts from the beginning",
            path.display(),
            to.display()
        ));
        Ok(None)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use outplay_core::Native;
    use outplay_games::mnk::{Mnk, Rules};
    use outplay_runtime::NoMonitor;

    fn setting(words: &str) -> Setting {
        let game: Mnk<u64> = Mnk::new(Rules::parse("connect4:5x4").unwrap()).unwrap();
        Setting::new(&AnyGame::of(Native::new(game).lines()), words.into(), 4, 2, false)
    }

    fn state() -> Checkpoint {
        Checkpoint::new(vec![Candidate::new(vec![1.5, 2.0]); 4], None)
    }

    #[test]
    fn a_checkpoint_does_not_touch_the_files_beside_it() {
        let folder = tempfile::tempdir().unwrap();
        let [path, beside] = ["a.json", "a.new"].map(|name| folder.path().join(name));
        std::fs::write(&beside, "a letter").unwrap();
        state().save(&path, &setting("x")).unwrap();
        assert_eq!(std::fs::read_to_string(&beside).unwrap(), "a letter");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 2);
        assert_eq!(Checkpoint::load(&path, &setting("x"), &NoMonitor).unwrap(), Some(state()));
    }

    #[test]
    fn altered_and_senseless_checkpoints_are_set_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        let setting = setting("x");
        state().save(&path, &setting).unwrap();
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::write(&path, text.replace("1.5", "9.5")).unwrap();
        assert_eq!(Checkpoint::load(&path, &setting, &NoMonitor).unwrap(), None, "a value was altered");
        assert!(folder.path().join("a.json.damaged").exists() && !path.exists());
        // With valid checksums.
        let few = Checkpoint::new(Vec::new(), None);
        let short = Checkpoint::new(vec![Candidate::new(vec![1.0]); 4], None);
        let cloudy = Checkpoint::new(state().population, Some(Cma::new(vec![1.0], 0.1, 4)));
        for state in [few, short, cloudy] {
            state.save(&path, &setting).unwrap();
            assert_eq!(Checkpoint::load(&path, &setting, &NoMonitor).unwrap(), None);
        }
        let earlier = Identity { program: "0.0.1 r1".into(), ..setting.identity.clone() };
        std::fs::write(&path, encode(&earlier, ["{}"])).unwrap();
        assert_eq!(Checkpoint::load(&path, &setting, &NoMonitor).unwrap(), None);
        std::fs::write(&path, [OLD, b"}"].concat()).unwrap();
        assert_eq!(Checkpoint::load(&path, &setting, &NoMonitor).unwrap(), None);
        assert!(folder.path().join("a.json.stale.2").exists());
    }

    #[test]
    fn other_files_are_refused_and_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.json");
        state().save(&path, &setting("x")).unwrap();
        let other = Checkpoint::load(&path, &setting("y"), &NoMonitor).unwrap_err().to_string();
        assert!(other.contains("other options (x)"), "{other}");
        std::fs::write(&path, "dear all").unwrap();
        let letter = Checkpoint::load(&path, &setting("x"), &NoMonitor).unwrap_err().to_string();
        assert!(letter.contains("is not a checkpoint"), "{letter}");
        assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
