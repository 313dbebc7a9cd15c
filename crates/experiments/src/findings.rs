//! Results of an experiment: tables, plots and remarks, for interfaces to print.

use crate::{Lines, Plot};
use outplay_core::svg::escape;
use serde::Serialize;

pub use outplay_arena::text::Grid;

/// Results of an experiment: tables, plots and remarks.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Findings {
    /// The experiment's name.
    pub experiment: String,
    /// Its question.
    pub question: String,
    /// The source of the published figures.
    pub source: String,
    /// The settings of our figures, for reproduction.
    pub setting: String,
    /// Tables of published and own figures.
    pub tables: Vec<Grid>,
    /// The same as plots.
    pub plots: Vec<Plot>,
    /// Conclusions, one sentence each.
    pub remarks: Vec<String>,
    /// Whether every claim holds; `None` if the experiment makes none.
    pub holds: Option<bool>,
}

impl Findings {
    /// Findings without tables; the list of experiments adds name and question.
    pub fn new(setting: impl Into<String>) -> Findings {
        Findings { setting: setting.into(), ..Findings::default() }
    }

    /// Records a claim of the experiment, and a remark if it does not hold. The experiment passes if all claims hold.
    pub fn claim(&mut self, holds: bool, otherwise: impl Into<String>) {
        self.holds = Some(holds && self.holds.unwrap_or(true));
        if !holds {
            self.remark(otherwise);
        }
    }

    /// Formats everything as a self-contained HTML page.
    pub fn html(&self) -> String {
        let mut page = format!(
            "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><meta name=\"viewport\" content=\"width=device-width\"><title>{0}</title><style>body{{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem;color:#22262b;background:#fff}}table{{border-collapse:collapse;margin:1rem 0}}td,th{{padding:.25rem .75rem;border-bottom:1px solid #e2dfd8;text-align:left}}svg{{max-width:100%;height:auto}}@media (prefers-color-scheme:dark){{body{{color:#e8e6e1;background:#16191d}}td,th{{border-color:#2c3138}}}}</style><h1>{0}</h1><p><strong>{3}</strong></p><p>{1}</p><p>Source: {2}</p>",
            escape(&self.experiment),
            escape(&self.setting),
            escape(&self.source),
            escape(&self.question)
        );
        for plot in &self.plots {
            page += &format!("<figure>{}</figure>", plot.svg());
        }
        for grid in &self.tables {
            page += &format!("<h2>{}</h2><table><tr>", escape(&grid.title));
            page.extend(grid.columns.iter().map(|head| format!("<th>{}</th>", escape(head))));
            page += "</tr>";
            for row in &grid.rows {
                page += "<tr>";
                page.extend(row.iter().map(|cell| format!("<td>{}</td>", escape(cell))));
                page += "</tr>";
            }
            page += "</table>";
        }
        page.extend(self.remarks.iter().map(|remark| format!("<p>{}</p>", escape(remark))));
        page + "</html>"
    }

    /// Adds a plot of series.
    pub(crate) fn plot(&mut self, lines: Lines) {
        self.plots.push(Plot::Lines(lines));
    }

    /// Adds a remark.
    pub fn remark(&mut self, sentence: impl Into<String>) {
        self.remarks.push(sentence.into());
    }
}
