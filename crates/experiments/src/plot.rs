//! What an experiment found, as pictures that stand alone: lines with bounds, and maps of boards.
//!
//! ```text
//!   Plot::Lines   axes with units, a legend, one line per series, 95 % bounds as bars
//!   Plot::Map     a grid of coloured cells with a legend of the colours
//! ```
//!
//! Pictures follow the reader's choice of light or dark.

use outplay_core::figures::escaped;
use serde::Serialize;
use std::fmt::{self, Write};

/// A picture.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Plot {
    /// Series over a common axis.
    Lines(Lines),
    /// A coloured grid.
    Map(Map),
}

/// Series over a common axis.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lines {
    /// What it shows.
    pub title: String,
    /// What the horizontal axis counts, with its unit.
    pub x: String,
    /// What the vertical axis counts, with its unit.
    pub y: String,
    /// Each step of the vertical axis multiplies by ten.
    pub logarithmic: bool,
    /// The same of the horizontal axis.
    pub wide: bool,
    /// What stands at 1, 2, 3 … where the axis has names instead of numbers; points are then not joined, for there
    /// is nothing between them.
    pub names: Vec<String>,
    /// The series.
    pub series: Vec<Series>,
}

/// A line of a plot.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// What the legend calls it.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point with what is certain about it.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Point {
    /// Where it lies.
    pub x: f64,
    /// How high.
    pub y: f64,
    /// The 95 % bounds, where it was measured.
    pub bounds: Option<(f64, f64)>,
}

impl Point {
    /// A point that is exact.
    pub fn exact(x: f64, y: f64) -> Point {
        Point { x, y, bounds: None }
    }
}

/// A coloured grid.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Map {
    /// What it shows.
    pub title: String,
    /// The names of the columns, from left to right, and of the rows, from the top.
    pub columns: Vec<String>,
    /// See `columns`.
    pub rows: Vec<String>,
    /// What columns and rows are, with their units; empty where the names say so themselves.
    pub x: String,
    /// See `x`.
    pub y: String,
    /// The cells of the rows, each a word of the legend; empty for a cell without one.
    pub cells: Vec<Vec<String>>,
    /// What is written into the cells, in the same order; may be empty.
    pub notes: Vec<Vec<String>>,
    /// The words, each with its colour.
    pub legend: Vec<(String, Colour)>,
}

/// Colours that can be told apart by everybody, in light and dark.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// The first player wins.
    Win,
    /// Nobody does.
    Draw,
    /// The second player wins.
    Loss,
    /// Nothing to see.
    Plain,
    /// One of six that are told apart by lightness too, as the lines of a plot are.
    Series(usize),
}

impl Colour {
    fn class(self) -> &'static str {
        match self {
            Colour::Win => "win",
            Colour::Draw => "draw",
            Colour::Loss => "loss",
            Colour::Plain => "plain",
            Colour::Series(number) => SERIES[number % SERIES.len()],
        }
    }
}

/// Classes of cells that are coloured as lines are.
const SERIES: [&str; 6] = ["s0 cell", "s1 cell", "s2 cell", "s3 cell", "s4 cell", "s5 cell"];

const WIDTH: f64 = 720.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const INSIDE: f64 = 320.0;
const CELL: f64 = 40.0;

/// Light and dark, and six lines that differ in lightness as well as in hue.
const STYLE: &str = "<style>text{font:13px system-ui,sans-serif;fill:#22262b}.title{font-size:16px;font-weight:600}.faint{fill:#6b7078}.paper{fill:#fff}.grid{stroke:#e2dfd8}.axis{stroke:#6b7078}.s0{--c:#1b5e9e}.s1{--c:#c4541a}.s2{--c:#1e7f4f}.s3{--c:#7a3e9d}.s4{--c:#8a6d00}.s5{--c:#5b6470}.line{fill:none;stroke:var(--c);stroke-width:2}.dot,.cell{fill:var(--c)}.bar{stroke:var(--c);stroke-width:1.4}.win{fill:#2e9e6b}.draw{fill:#d9d4c6}.loss{fill:#c4541a}.plain{fill:#f1efe9}.note{fill:#fff;font-weight:600}.mid{text-anchor:middle}.end{text-anchor:end}@media (prefers-color-scheme:dark){text{fill:#e8e6e1}.note{fill:#16191d}.faint{fill:#9aa0a8}.paper{fill:#16191d}.grid{stroke:#2c3138}.axis{stroke:#9aa0a8}.s0{--c:#6fb1f0}.s1{--c:#f0a35e}.s2{--c:#5fd39a}.s3{--c:#c79be6}.s4{--c:#e2c65a}.s5{--c:#aeb5bf}.win{fill:#2e9e6b}.draw{fill:#4a4f57}.loss{fill:#d0682f}.plain{fill:#23272d}}</style>";

impl Plot {
    /// The picture as an SVG file.
    pub fn svg(&self) -> String {
        let mut body = String::new();
        // Writing to a string cannot fail.
        let height = match self {
            Plot::Lines(lines) => lines.draw(&mut body),
            Plot::Map(map) => map.draw(&mut body),
        }
        .unwrap_or(0.0);
        format!(
            r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height:.0}" width="{WIDTH}" role="img"><title>{}</title>{STYLE}<rect class="paper" width="{WIDTH}" height="{height:.0}"/>{body}</svg>"#,
            escaped(self.title())
        )
    }

    /// What the picture shows.
    pub fn title(&self) -> &str {
        match self {
            Plot::Lines(lines) => &lines.title,
            Plot::Map(map) => &map.title,
        }
    }
}

/// Several pictures as one file, from top to bottom.
pub fn stacked(plots: &[Plot]) -> Option<String> {
    let mut y = 0.0;
    let mut body = String::new();
    for plot in plots {
        let svg = plot.svg();
        let height: f64 = svg.split("viewBox=\"0 0 720 ").nth(1)?.split('"').next()?.parse().ok()?;
        body += &svg.replacen("<svg ", &format!("<svg y=\"{y}\" height=\"{height}\" "), 1);
        y += height;
    }
    (!plots.is_empty()).then(|| {
        format!(r#"<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {y}" width="{WIDTH}">{body}</svg>"#)
    })
}

/// Round numbers across a range, about five of them.
fn ticks(low: f64, high: f64) -> Vec<f64> {
    let rough = ((high - low) / 5.0).max(1e-12);
    let power = 10f64.powf(rough.log10().floor());
    let step = [1.0, 2.0, 5.0, 10.0].into_iter().map(|times| times * power).find(|step| *step >= rough);
    let step = step.unwrap_or(rough);
    let mut ticks = Vec::new();
    let mut at = (low / step).ceil() * step;
    while at <= high + step * 1e-9 {
        ticks.push(if at.abs() < step * 1e-9 { 0.0 } else { at });
        at += step;
    }
    ticks
}

/// A number as an axis writes it.
fn figure(value: f64) -> String {
    match value.abs() {
        0.0 => "0".into(),
        large if !(1e-3..1e6).contains(&large) => format!("{value:.0e}"),
        large if large >= 100.0 => format!("{value:.0}"),
        _ => {
            let text = format!("{value:.3}");
            text.trim_end_matches('0').trim_end_matches('.').to_string()
        }
    }
}

impl Lines {
    fn draw(&self, out: &mut String) -> Result<f64, fmt::Error> {
        let points = || self.series.iter().flat_map(|series| &series.points);
        let span = |values: &mut dyn Iterator<Item = f64>| {
            let (low, high) = values
                .filter(|value| value.is_finite())
                .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
            if low > high { (0.0, 1.0) } else { (low, high) }
        };
        let shown = |y: f64| if self.logarithmic { y.max(1e-12).log10() } else { y };
        let placed = |x: f64| if self.wide { x.max(1e-12).log10() } else { x };
        let (left, right) = match self.names.len() {
            0 => span(&mut points().map(|point| placed(point.x))),
            names => (0.5, names as f64 + 0.5),
        };
        let heights = &mut points().flat_map(|point| {
            let (low, high) = point.bounds.unwrap_or((point.y, point.y));
            [shown(low), shown(high), shown(point.y)]
        });
        let (mut low, mut high) = span(heights);
        if self.logarithmic {
            (low, high) = (low.floor(), high.ceil());
        }
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let wide = WIDTH - LEFT - RIGHT;
        let across = |x: f64| LEFT + wide * (placed(x) - left) / (right - left).max(1e-9);
        let up = |y: f64| TOP + INSIDE * (1.0 - (shown(y) - low) / (high - low));
        write!(out, r#"<text class="title" x="{LEFT}" y="28">{}</text>"#, escaped(&self.title))?;
        let marks: Vec<f64> = match self.logarithmic {
            true => (low as i32..=high as i32).map(|power| 10f64.powi(power)).collect(),
            false => ticks(low, high),
        };
        for mark in marks {
            let y = up(mark);
            write!(out, r#"<path class="grid" d="M{LEFT} {y:.1}H{:.1}"/>"#, WIDTH - RIGHT)?;
            write!(
                out,
                r#"<text class="faint end" x="{:.1}" y="{:.1}">{}</text>"#,
                LEFT - 8.0,
                y + 4.0,
                figure(mark)
            )?;
        }
        let floor = TOP + INSIDE;
        let steps: Vec<f64> = match self.wide {
            _ if !self.names.is_empty() => Vec::new(),
            true => (left.ceil() as i32..=right.floor() as i32).map(|power| 10f64.powi(power)).collect(),
            false => ticks(left, right),
        };
        for (number, name) in self.names.iter().enumerate() {
            let x = across(number as f64 + 1.0);
            let place = format!("translate({x:.1} {:.1}) rotate(-60)", floor + 14.0);
            write!(out, r#"<path class="axis" d="M{x:.1} {floor}v5"/>"#)?;
            write!(out, r#"<text class="faint end" transform="{place}">{}</text>"#, escaped(name))?;
        }
        // Steep names reach nearly their length below the axis, and the first one does not leave the picture.
        let longest = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let below = floor + 5.8 * longest as f64;
        for mark in steps {
            let x = across(mark);
            write!(out, r#"<path class="axis" d="M{x:.1} {floor}v5"/>"#)?;
            write!(
                out,
                r#"<text class="faint mid" x="{x:.1}" y="{:.1}">{}</text>"#,
                floor + 20.0,
                figure(mark)
            )?;
        }
        write!(out, r#"<path class="axis" fill="none" d="M{LEFT} {TOP}V{floor}H{:.1}"/>"#, WIDTH - RIGHT)?;
        let middle = LEFT + wide / 2.0;
        write!(
            out,
            r#"<text class="mid" x="{middle:.1}" y="{:.1}">{}</text>"#,
            below + 42.0,
            escaped(&self.x)
        )?;
        let height = TOP + INSIDE / 2.0;
        write!(
            out,
            r#"<text class="mid" transform="translate(20 {height:.1}) rotate(-90)">{}</text>"#,
            escaped(&self.y)
        )?;
        for (number, series) in self.series.iter().enumerate() {
            write!(out, r#"<g class="s{}">"#, number % 6)?;
            let path: Vec<String> = series
                .points
                .iter()
                .map(|point| format!("{:.1} {:.1}", across(point.x), up(point.y)))
                .collect();
            // Beyond six, lines are told apart by dashes.
            let dash = if number < 6 { "" } else { r#" stroke-dasharray="6 4""# };
            if self.names.is_empty() || series.points.iter().all(|point| point.bounds.is_none()) {
                write!(out, r#"<path class="line" d="M{}"{dash}/>"#, path.join("L"))?;
            }
            for point in &series.points {
                // Side by side, so that bars do not cover each other.
                let aside = 3.0 * (number as f64 - (self.series.len() as f64 - 1.0) / 2.0);
                let (x, y) =
                    (across(point.x) + if point.bounds.is_some() { aside } else { 0.0 }, up(point.y));
                write!(out, r#"<circle class="dot" cx="{x:.1}" cy="{y:.1}" r="3"/>"#)?;
                if let Some((low, high)) = point.bounds {
                    write!(out, r#"<path class="bar" d="M{x:.1} {:.1}V{:.1}"/>"#, up(low), up(high))?;
                }
            }
            let y = below + 66.0 + 20.0 * number as f64;
            write!(out, r#"<path class="line" d="M{LEFT} {:.1}h28"{dash}/></g>"#, y - 4.0)?;
            write!(out, r#"<text x="{:.1}" y="{y:.1}">{}</text>"#, LEFT + 38.0, escaped(&series.name))?;
        }
        let bounds = points().any(|point| point.bounds.is_some());
        let mut end = below + 66.0 + 20.0 * self.series.len() as f64;
        if bounds {
            write!(out, r#"<text class="faint" x="{LEFT}" y="{end:.1}">bars: 95 % bounds</text>"#)?;
            end += 20.0;
        }
        Ok(end)
    }
}

impl Map {
    fn draw(&self, out: &mut String) -> Result<f64, fmt::Error> {
        write!(out, r#"<text class="title" x="{LEFT}" y="28">{}</text>"#, escaped(&self.title))?;
        let longest = self.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let left = LEFT.max(48.0 + 7.5 * longest);
        let room = (WIDTH - left - RIGHT) / self.columns.len().max(1) as f64;
        // Words need wider cells than colours alone.
        let (cell, wide) = match self.notes.is_empty() {
            true => (CELL.min(room), CELL.min(room)),
            false => (CELL, (3.0 * CELL).min(room)),
        };
        for (row, (name, words)) in self.rows.iter().zip(&self.cells).enumerate() {
            let y = TOP + cell * row as f64;
            let middle = y + cell / 2.0 + 4.0;
            write!(
                out,
                r#"<text class="faint end" x="{:.1}" y="{middle:.1}">{}</text>"#,
                left - 8.0,
                escaped(name)
            )?;
            for (column, word) in words.iter().enumerate() {
                let Some((_, colour)) = self.legend.iter().find(|(known, _)| known == word) else { continue };
                let x = left + wide * column as f64;
                write!(
                    out,
                    r#"<rect class="{}" x="{x:.1}" y="{y:.1}" width="{:.1}" height="{:.1}"><title>{}</title></rect>"#,
                    colour.class(),
                    wide - 1.0,
                    cell - 1.0,
                    escaped(&format!("{} {name}: {word}", self.columns[column]))
                )?;
                if let Some(note) = self.notes.get(row).and_then(|notes| notes.get(column)) {
                    let x = x + wide / 2.0;
                    write!(
                        out,
                        r#"<text class="note mid" x="{x:.1}" y="{middle:.1}">{}</text>"#,
                        escaped(note)
                    )?;
                }
            }
        }
        let mut floor = TOP + cell * self.rows.len() as f64;
        for (column, name) in self.columns.iter().enumerate() {
            let x = left + wide * (column as f64 + 0.5);
            write!(
                out,
                r#"<text class="faint mid" x="{x:.1}" y="{:.1}">{}</text>"#,
                floor + 16.0,
                escaped(name)
            )?;
        }
        if !self.y.is_empty() {
            let y = (TOP + floor) / 2.0;
            write!(
                out,
                r#"<text class="mid" transform="translate(20 {y:.1}) rotate(-90)">{}</text>"#,
                escaped(&self.y)
            )?;
        }
        if !self.x.is_empty() {
            floor += 22.0;
            let x = left + wide * self.columns.len() as f64 / 2.0;
            write!(
                out,
                r#"<text class="mid" x="{x:.1}" y="{:.1}">{}</text>"#,
                floor + 14.0,
                escaped(&self.x)
            )?;
        }
        let mut y = floor + 44.0;
        for (word, colour) in &self.legend {
            write!(
                out,
                r#"<rect class="{}" x="{left}" y="{:.1}" width="16" height="16"/><text x="{:.1}" y="{y:.1}">{}</text>"#,
                colour.class(),
                y - 13.0,
                left + 26.0,
                escaped(word)
            )?;
            y += 22.0;
        }
        Ok(y)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pictures_have_axes_and_legends() {
        let series = Series {
            name: "a < b".into(),
            points: vec![Point::exact(0.0, 1.0), Point { x: 2.0, y: 3.0, bounds: Some((2.5, 3.5)) }],
        };
        let lines = Lines {
            title: "title".into(),
            x: "depth, plies".into(),
            y: "share, %".into(),
            series: vec![series],
            ..Lines::default()
        };
        let svg = Plot::Lines(lines.clone()).svg();
        for part in ["depth, plies", "share, %", "a &lt; b", "prefers-color-scheme:dark", "95 % bounds"] {
            assert!(svg.contains(part), "{part}: {svg}");
        }
        let named = Lines { names: vec!["one".into(), "two".into()], ..lines.clone() };
        let named = Plot::Lines(named).svg();
        assert!(named.contains(">two</text>"));
        let joins = |svg: &str| svg.matches(r#"class="line""#).count();
        assert_eq!((joins(&svg), joins(&named)), (2, 1), "names have nothing between them");
        let map = Map {
            title: "map".into(),
            columns: vec!["a".into()],
            rows: vec!["1".into()],
            cells: vec![vec!["win".into()]],
            legend: vec![("win".into(), Colour::Win)],
            ..Map::default()
        };
        let both = stacked(&[Plot::Lines(lines), Plot::Map(map)]).unwrap();
        assert_eq!((both.matches("<svg").count(), both.matches("</svg>").count()), (3, 3));
        assert_eq!(both.matches("<g ").count(), both.matches("</g>").count());
        assert!(stacked(&[]).is_none());
    }

    #[test]
    fn axes_have_round_numbers() {
        assert_eq!(ticks(0.0, 1.0), [0.0, 0.2, 0.4, 0.6000000000000001, 0.8, 1.0]);
        assert_eq!(ticks(1.0, 9.0), [2.0, 4.0, 6.0, 8.0]);
        assert_eq!([0.0, 0.25, 12.0, 1234.0, 2e7].map(figure), ["0", "0.25", "12", "1234", "2e7"]);
    }
}
