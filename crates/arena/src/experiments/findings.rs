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

    /// Adds a sentence.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        self.remarks.push(sentence.into());
    }
}

/// Seconds as people write them, from nanoseconds to hours.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s < 1e-6 => format!("{:.0} ns", s * 1e9),
        s if s < 1e-3 => format!("{:.1} µs", s * 1e6),
        s if s < 1.0 => format!("{:.2} ms", s * 1e3),
        s if s < 120.0 => format!("{s:.2} s"),
        s if s < 7200.0 => format!("{:.1} min", s / 60.0),
        s if s < 200.0 * 3600.0 => format!("{:.1} h", s / 3600.0),
        s if s < 1000.0 * 86400.0 => format!("{:.0} days", s / 86400.0),
        s => format!("{:.0} years", s / (365.25 * 86400.0)),
    }
}

/// Bytes as people write them.
pub fn bytes(bytes: f64) -> String {
    match bytes {
        b if b < 1e3 => format!("{b:.0} B"),
        b if b < 1e6 => format!("{:.1} kB", b / 1e3),
        b if b < 1e9 => format!("{:.1} MB", b / 1e6),
        b => format!("{:.2} GB", b / 1e9),
    }
}

/// A count with a comma after every third digit.
pub fn count(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_read_well() {
        assert_eq!(duration(4.978), "4.98 s");
        assert_eq!(duration(607.25 * 3600.0), "25 days");
        assert_eq!(duration(0.000_12), "120.0 µs");
        assert_eq!(bytes(1e8), "100.0 MB");
        assert_eq!(count(15_038_733_958_272), "15,038,733,958,272");
        assert_eq!(count(999), "999");
    }
}
