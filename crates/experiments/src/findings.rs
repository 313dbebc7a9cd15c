//! What an experiment found, as tables of text.

use serde::Serialize;

/// A table.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Grid {
    /// What it is about.
    pub title: String,
    /// The heads of its columns.
    pub columns: Vec<String>,
    /// Its rows, each as long as `columns`.
    pub rows: Vec<Vec<String>>,
}

impl Grid {
    /// A table without rows.
    pub fn new(title: impl Into<String>, columns: &[&str]) -> Grid {
        let columns = columns.iter().map(|column| (*column).to_string()).collect();
        Grid { title: title.into(), columns, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: Vec<String>) {
        self.rows.push(cells);
    }
}

/// What an experiment found.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// The experiment's name.
    pub experiment: String,
    /// Where the other figures come from.
    pub source: String,
    /// With what settings ours were found, so that they can be found again.
    pub setting: String,
    /// Theirs and ours.
    pub tables: Vec<Grid>,
    /// What to make of it, a sentence each.
    pub remarks: Vec<String>,
    /// Whether the experiment shows what it should; `None` if there is nothing to pass or fail.
    pub holds: Option<bool>,
}

impl Findings {
    /// Findings without tables.
    pub fn new(experiment: &str, source: &str, setting: impl Into<String>) -> Findings {
        Findings {
            experiment: experiment.into(),
            source: source.into(),
            setting: setting.into(),
            ..Findings::default()
        }
    }

    /// Says whether something holds that the experiment should show, and in a sentence what is the matter if not.
    /// The experiment passes if everything does.
    pub fn claim(&mut self, holds: bool, otherwise: impl Into<String>) {
        self.holds = Some(holds && self.holds.unwrap_or(true));
        if !holds {
            self.remark(otherwise);
        }
    }

    /// Adds a sentence.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        self.remarks.push(sentence.into());
    }
}
