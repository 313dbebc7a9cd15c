//! A table of strings (title, column headers, rows), which the command line and the web page render.

use serde::Serialize;

/// A table of strings: title, column headers and rows.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Grid {
    /// The title; may be empty.
    pub title: String,
    /// The column headers.
    pub columns: Vec<String>,
    /// The rows, each as long as `columns`.
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
