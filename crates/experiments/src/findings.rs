//! What an experiment found, as tables of text.

use crate::Plot;
use outplay_core::figures::escaped;
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
    /// What it asks.
    pub question: String,
    /// Where the other figures come from.
    pub source: String,
    /// With what settings ours were found, so that they can be found again.
    pub setting: String,
    /// Theirs and ours.
    pub tables: Vec<Grid>,
    /// The same as pictures.
    pub plots: Vec<Plot>,
    /// What to make of it, a sentence each.
    pub remarks: Vec<String>,
    /// Whether the experiment shows what it should; `None` if there is nothing to pass or fail.
    pub holds: Option<bool>,
}

impl Findings {
    /// Findings without tables; the list of experiments knows what they are about.
    pub fn new(setting: impl Into<String>) -> Findings {
        Findings { setting: setting.into(), ..Findings::default() }
    }

    /// Says whether something holds that the experiment should show, and in a sentence what is the matter if not.
    /// The experiment passes if everything does.
    pub fn claim(&mut self, holds: bool, otherwise: impl Into<String>) {
        self.holds = Some(holds && self.holds.unwrap_or(true));
        if !holds {
            self.remark(otherwise);
        }
    }

    /// All of it as a page that stands alone.
    pub fn html(&self) -> String {
        let mut page = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#22262b;background:#fff}}table{{border-collapse:collapse;margin:1rem 0}}td,th{{padding:.25rem .75rem;border-bottom:1px solid #e2dfd8;text-align:left}}svg{{max-width:100%;height:auto}}@media (prefers-color-scheme:dark){{body{{color:#e8e6e1;background:#16191d}}td,th{{border-color:#2c3138}}}}</style><h1>{0}</h1><p><strong>{3}</strong></p><p>{1}</p><p>Source: {2}</p>",
            escaped(&self.experiment),
            escaped(&self.setting),
            escaped(&self.source),
            escaped(&self.question)
        );
        for plot in &self.plots {
            page += &format!("<figure>{}</figure>", plot.svg());
        }
        for grid in &self.tables {
            page += &format!("<h2>{}</h2><table><tr>", escaped(&grid.title));
            page.extend(grid.columns.iter().map(|head| format!("<th>{}</th>", escaped(head))));
            page += "</tr>";
            for row in &grid.rows {
                page += "<tr>";
                page.extend(row.iter().map(|cell| format!("<td>{}</td>", escaped(cell))));
                page += "</tr>";
            }
            page += "</table>";
        }
        page.extend(self.remarks.iter().map(|remark| format!("<p>{}</p>", escaped(remark))));
        page + "</html>"
    }

    /// Adds a sentence.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        self.remarks.push(sentence.into());
    }
}
