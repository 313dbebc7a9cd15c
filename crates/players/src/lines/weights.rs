//! Weights of the linear evaluation: named feature sets, presets, and their text and file formats.
//!
//! There are two feature sets. The *paper* set is that of the Connect-4 report, in its order `[centre, fours, threes,
//! twos, block]`; the weights that the report found are `[3, 100, 1, 8, 29]`. The *extended* set also distinguishes the
//! player to move, the threats that are playable now, and the row parity of all other threats.

use super::features::EXTENDED;
use outplay_core::nearest;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use thiserror::Error;

/// Set of features of the linear evaluation: those of the report, or the extended set.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum FeatureSet {
    /// Centre, fours, threes, twos, and the opponent's threes.
    Paper,
    /// Threats by row, forks, zugzwang and more.
    Extended,
}

/// The report's features, in the report's order.
const PAPER: [&str; 5] = ["centre", "fours", "threes", "twos", "block"];
/// The result of the report's genetic algorithm.
const PAPER_WEIGHTS: [f32; 5] = [3.0, 100.0, 1.0, 8.0, 29.0];

impl FeatureSet {
    /// Both sets.
    pub const ALL: [FeatureSet; 2] = [FeatureSet::Paper, FeatureSet::Extended];

    /// The names of the features, in the order of the weights.
    pub fn names(self) -> &'static [&'static str] {
        match self {
            FeatureSet::Paper => &PAPER,
            FeatureSet::Extended => &EXTENDED,
        }
    }

    /// The name of the set.
    pub fn word(self) -> &'static str {
        match self {
            FeatureSet::Paper => "paper",
            FeatureSet::Extended => "extended",
        }
    }

    /// The set with this name.
    pub fn named(word: &str) -> Option<FeatureSet> {
        FeatureSet::ALL.into_iter().find(|set| set.word() == word)
    }

    /// The preset weights: the report's, and for the extended set weights fitted to exact values of 7x6 Connect-4.
    pub fn preset(self) -> Weights {
        let values = match self {
            FeatureSet::Paper => PAPER_WEIGHTS.to_vec(),
            FeatureSet::Extended => super::features::FITTED.to_vec(),
        };
        Weights { set: self, values, file: None }
    }
}

/// Error in the weights of a spec or a file.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum WeightsError {
    /// An unknown feature.
    #[error("there is no weight called `{name}`; {cure}")]
    Unknown {
        /// The given name.
        name: String,
        /// The suggested correction.
        cure: String,
    },
    /// Not a number, or out of range.
    #[error("`{name}={value}` is not a number from -1000000 to 1000000")]
    Number {
        /// The weight.
        name: String,
        /// The given value.
        value: String,
    },
    /// The file is for another game.
    #[error(
        "these weights were tuned for {theirs}, not for {ours}; tune weights for this game with `outplay tune {ours}`"
    )]
    OtherGame {
        /// The game in the file.
        theirs: String,
        /// The game that is played.
        ours: String,
    },
    /// The file is no weights file.
    #[error("not a file of weights: {0}; use a file written by `outplay tune`")]
    File(String),
    /// Too few or too many weights.
    #[error("the feature set `{set}` takes {expected} weights, but {given} were given")]
    Count {
        /// The set's name.
        set: &'static str,
        /// The number of features.
        expected: usize,
        /// The number of given weights.
        given: usize,
    },
}

/// Weights of the linear evaluation, for one feature set.
#[derive(Clone, Debug, PartialEq)]
pub struct Weights {
    set: FeatureSet,
    values: Vec<f32>,
    /// The file they were read from, for the spec.
    file: Option<String>,
}

/// The JSON format of a weights file.
#[derive(Serialize, Deserialize)]
struct WeightsFile {
    game: String,
    player: String,
    features: String,
    weights: BTreeMap<String, f32>,
}

impl Weights {
    /// Weights of a set, in its order.
    ///
    /// # Errors
    ///
    /// The wrong number of them.
    pub fn new(set: FeatureSet, values: Vec<f32>) -> Result<Weights, WeightsError> {
        let (expected, given) = (set.names().len(), values.len());
        if given != expected {
            return Err(WeightsError::Count { set: set.word(), expected, given });
        }
        Ok(Weights { set, values, file: None })
    }

    /// The feature set.
    pub fn set(&self) -> FeatureSet {
        self.set
    }

    /// The weights in the order of [`FeatureSet::names`].
    pub fn values(&self) -> &[f32] {
        &self.values
    }

    /// The weight of a feature.
    pub fn weight(&self, name: &str) -> Option<f32> {
        self.set.names().iter().position(|known| *known == name).map(|at| self.values[at])
    }

    /// Changes one weight.
    ///
    /// # Errors
    ///
    /// An unknown name, or a number out of range.
    pub fn put(&mut self, name: &str, value: &str) -> Result<(), WeightsError> {
        let names = self.set.names();
        let Some(at) = names.iter().position(|known| *known == name) else {
            let cure = match nearest(name, names.iter().copied()) {
                Some(near) => format!("did you mean `{near}`?"),
                None if EXTENDED.contains(&name) => {
                    "write `weights=extended` first to set that weight".into()
                }
                None => format!("the {} weights are {}", self.set.word(), names.join(", ")),
            };
            return Err(WeightsError::Unknown { name: name.into(), cure });
        };
        match value.parse::<f32>() {
            Ok(number) if number.abs() <= 1e6 => {
                self.values[at] = number;
                Ok(())
            }
            _ => Err(WeightsError::Number { name: name.into(), value: value.into() }),
        }
    }

    /// All weights by name, `centre=3,fours=100,…`.
    pub fn text(&self) -> String {
        let pairs = self.set.names().iter().zip(&self.values);
        pairs.map(|(name, value)| format!("{name}={value}")).collect::<Vec<_>>().join(",")
    }

    /// The shortest spec of the evaluation with these weights.
    pub fn spec(&self) -> String {
        if let Some(file) = &self.file {
            return format!("lines:weights={file}");
        }
        let preset = self.set.preset();
        if *self == preset {
            return format!("lines:weights={}", self.set.word());
        }
        match self.set {
            FeatureSet::Paper => format!("lines:{}", self.text()),
            FeatureSet::Extended => {
                let pairs = self.set.names().iter().zip(&self.values).zip(&preset.values);
                let changed = pairs.filter(|((_, mine), theirs)| mine != theirs);
                let changed: Vec<String> =
                    changed.map(|((name, value), _)| format!("{name}={value}")).collect();
                format!("lines:weights=extended,{}", changed.join(","))
            }
        }
    }

    /// The content of a file of weights for a game.
    pub fn to_file(&self, game: &str) -> String {
        let names = self.set.names().iter().map(|name| name.to_string());
        let file = WeightsFile {
            game: game.into(),
            player: "lines".into(),
            features: self.set.word().into(),
            weights: names.zip(self.values.iter().copied()).collect(),
        };
        // A map of names to numbers can always be written.
        serde_json::to_string_pretty(&file).unwrap_or_default() + "\n"
    }

    /// Parses the content of the file `name`, which must be for this game.
    ///
    /// # Errors
    ///
    /// Not a weights file, one for another game, or unknown weights.
    pub fn from_file(name: &str, content: &str, game: &str) -> Result<Weights, WeightsError> {
        let file: WeightsFile =
            serde_json::from_str(content).map_err(|error| WeightsError::File(error.to_string()))?;
        if file.player != "lines" {
            return Err(WeightsError::File(format!("it is for the player `{}`", file.player)));
        }
        if file.game != game {
            return Err(WeightsError::OtherGame { theirs: file.game, ours: game.into() });
        }
        let Some(set) = FeatureSet::named(&file.features) else {
            return Err(WeightsError::File(format!("the feature set `{}` is unknown", file.features)));
        };
        let mut weights = Weights { set, values: vec![0.0; set.names().len()], file: Some(name.into()) };
        for (name, value) in &file.weights {
            weights.put(name, &value.to_string())?;
        }
        Ok(weights)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_read_back_from_text_and_file() {
        let mut weights = FeatureSet::Paper.preset();
        assert_eq!(weights.text(), "centre=3,fours=100,threes=1,twos=8,block=29");
        assert_eq!(weights.spec(), "lines:weights=paper");
        weights.put("threes", "2.5").unwrap();
        assert_eq!(weights.spec(), "lines:centre=3,fours=100,threes=2.5,twos=8,block=29");
        let read = Weights::from_file("w.json", &weights.to_file("connect4"), "connect4").unwrap();
        assert_eq!(read.values(), weights.values());
        assert_eq!(read.spec(), "lines:weights=w.json");
    }

    #[test]
    fn bad_weights_are_one_sentence() {
        let mut weights = FeatureSet::Paper.preset();
        let unknown = weights.put("tree", "1").unwrap_err().to_string();
        assert!(unknown.contains("did you mean `threes`?"), "{unknown}");
        assert!(weights.put("twos", "nan").is_err() && weights.put("twos", "1e30").is_err());
        let file = weights.to_file("connect4:6x5");
        let other = Weights::from_file("f", &file, "connect4").unwrap_err().to_string();
        assert!(other.contains("for connect4:6x5, not for connect4"), "{other}");
        assert!(matches!(Weights::from_file("f", "{}", "connect4"), Err(WeightsError::File(_))));
        assert!(Weights::new(FeatureSet::Paper, vec![1.0]).is_err());
    }

    #[test]
    fn names_are_unique_and_at_most_sixty() {
        for set in FeatureSet::ALL {
            let mut names = set.names().to_vec();
            assert!(names.len() <= 60 && set.preset().values().len() == names.len());
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), set.names().len());
        }
    }
}
