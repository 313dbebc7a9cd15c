//! Self-contained SVG plots: series with 95 % confidence intervals, and maps of boards.
//!
//! ```text
//!   Plot::Lines   axes with units, a legend, one line per series, 95 % confidence intervals as bars
//!   Plot::Map     a grid of coloured cells with a legend of the colours
//! ```
//!
//! Pictures follow the reader's light or dark colour scheme.

use outplay_core::svg::{Element, circle, document, element, group, path, rect, style, text};
use serde::Serialize;

/// A plot of an experiment: a line plot or a map.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Plot {
    /// Series over a common axis.
    Lines(Lines),
    /// A coloured grid.
    Map(Map),
}

/// A line plot: series over a common axis.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Lines {
    /// Title.
    pub title: String,
    /// Label of the horizontal axis, with its unit.
    pub x: String,
    /// Label of the vertical axis, with its unit.
    pub y: String,
    /// Whether the vertical axis is logarithmic.
    pub logarithmic: bool,
    /// Whether the horizontal axis is logarithmic.
    pub wide: bool,
    /// Category names at 1, 2, 3 … instead of numbers; points are then not joined.
    pub names: Vec<String>,
    /// The series.
    pub series: Vec<Series>,
}

/// A series of a line plot: its name and its points.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Series {
    /// Its name in the legend.
    pub name: String,
    /// Its points, from left to right.
    pub points: Vec<Point>,
}

/// A point of a series, with its confidence interval.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct Point {
    /// Horizontal coordinate.
    pub x: f64,
    /// Vertical coordinate.
    pub y: f64,
    /// The 95 % confidence interval, if it was measured.
    pub bounds: Option<(f64, f64)>,
}

impl Lines {
    /// A plot with linear axes, labelled horizontally and vertically.
    pub(crate) fn new(title: impl Into<String>, [x, y]: [&str; 2], series: impl Into<Vec<Series>>) -> Lines {
        let (x, y, series) = (x.into(), y.into(), series.into());
        Lines { title: title.into(), x, y, series, ..Lines::default() }
    }

    /// The same with a logarithmic vertical axis.
    pub(crate) fn logarithmic(self) -> Lines {
        Lines { logarithmic: true, ..self }
    }

    /// The same with two logarithmic axes.
    pub(crate) fn log_log(self) -> Lines {
        Lines { logarithmic: true, wide: true, ..self }
    }
}

impl Series {
    /// A series without points.
    pub(crate) fn new(name: impl Into<String>) -> Series {
        Series { name: name.into(), points: Vec::new() }
    }
}

impl Point {
    /// A point that is exact.
    pub fn exact(x: f64, y: f64) -> Point {
        Point { x, y, bounds: None }
    }
}

/// A grid of coloured cells with a legend.
#[derive(Clone, Debug, Default, Serialize)]
pub struct Map {
    /// Title.
    pub title: String,
    /// The names of the columns, from left to right, and of the rows, from the top.
    pub columns: Vec<String>,
    /// See `columns`.
    pub rows: Vec<String>,
    /// Labels of columns and rows, with their units; empty if the names suffice.
    pub x: String,
    /// See `x`.
    pub y: String,
    /// The cells by row, each a class of the legend; empty for a cell without one.
    pub cells: Vec<Vec<String>>,
    /// Text in the cells, in the same order; may be empty.
    pub notes: Vec<Vec<String>>,
    /// The classes, each with its colour.
    pub legend: Vec<(String, Colour)>,
}

/// Colours of plots, which are distinguishable with colour blindness and on light and dark backgrounds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Colour {
    /// The first player wins.
    Win,
    /// A draw.
    Draw,
    /// The second player wins.
    Loss,
    /// Neutral.
    Plain,
    /// One of six that differ in lightness too, like the series of a plot.
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

/// CSS classes of cells in the colours of series.
const SERIES: [&str; 6] = ["s0 cell", "s1 cell", "s2 cell", "s3 cell", "s4 cell", "s5 cell"];

const WIDTH: f64 = 720.0;
const LEFT: f64 = 84.0;
const RIGHT: f64 = 24.0;
const TOP: f64 = 56.0;
const INSIDE: f64 = 320.0;
const CELL: f64 = 40.0;

/// Light and dark styles, and six series that differ in lightness as well as in hue.
const STYLE: &str = "text{font:13px system-ui,sans-serif;fill:#22262b}.title{font-size:16px;font-weight:600}.faint{fill:#6b7078}.paper{fill:#fff}.grid{stroke:#e2dfd8}.axis{stroke:#6b7078}.s0{--c:#1b5e9e}.s1{--c:#c4541a}.s2{--c:#1e7f4f}.s3{--c:#7a3e9d}.s4{--c:#8a6d00}.s5{--c:#5b6470}.line{fill:none;stroke:var(--c);stroke-width:2}.dot,.cell{fill:var(--c)}.bar{stroke:var(--c);stroke-width:1.4}.win{fill:#2e9e6b}.draw{fill:#d9d4c6}.loss{fill:#c4541a}.plain{fill:#f1efe9}.note{fill:#fff;font-weight:600}.mid{text-anchor:middle}.end{text-anchor:end}@media (prefers-color-scheme:dark){text{fill:#e8e6e1}.note{fill:#16191d}.faint{fill:#9aa0a8}.paper{fill:#16191d}.grid{stroke:#2c3138}.axis{stroke:#9aa0a8}.s0{--c:#6fb1f0}.s1{--c:#f0a35e}.s2{--c:#5fd39a}.s3{--c:#c79be6}.s4{--c:#e2c65a}.s5{--c:#aeb5bf}.win{fill:#2e9e6b}.draw{fill:#4a4f57}.loss{fill:#d0682f}.plain{fill:#23272d}}";

impl Plot {
    /// The picture as an SVG file.
    pub fn svg(&self) -> String {
        self.drawn().1.to_string()
    }

    /// The height of the picture, and the picture.
    fn drawn(&self) -> (f64, Element) {
        let mut body = vec![text(LEFT, 28, self.title()).class("title")];
        let height = match self {
            Plot::Lines(lines) => lines.draw(&mut body),
            Plot::Map(map) => map.draw(&mut body),
        };
        let height = height.round();
        let mut picture = document(WIDTH, height)
            .length("width", WIDTH)
            .attr("role", "img")
            .title(self.title())
            .with(style(STYLE))
            .with(rect(0, 0, WIDTH, height).class("paper"));
        picture.extend(body);
        (height, picture)
    }

    /// The title.
    pub fn title(&self) -> &str {
        match self {
            Plot::Lines(lines) => &lines.title,
            Plot::Map(map) => &map.title,
        }
    }
}

/// Stacks several plots in one file, from top to bottom.
pub fn stacked(plots: &[Plot]) -> Option<String> {
    let (mut y, mut body) = (0.0, Vec::new());
    for plot in plots {
        let (height, picture) = plot.drawn();
        body.push(picture.length("y", y).length("height", height));
        y += height;
    }
    let mut all = document(WIDTH, y).length("width", WIDTH);
    all.extend(body);
    (!plots.is_empty()).then(|| all.to_string())
}

/// About five round numbers across a range.
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

/// Formats a number for an axis.
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

/// A vertical text at the left of a plot, centred at this height.
fn vertical_label(y: f64, words: &str) -> Element {
    let place = format!("translate(20 {y:.1}) rotate(-90)");
    element("text").class("mid").attr("transform", place).words(words)
}

/// The minimum and maximum of some values; from 0 to 1 if there are none.
fn span(values: impl Iterator<Item = f64>) -> (f64, f64) {
    let (low, high) = values
        .filter(|value| value.is_finite())
        .fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
    if low > high { (0.0, 1.0) } else { (low, high) }
}

fn scaled(value: f64, logarithmic: bool) -> f64 {
    if logarithmic { value.max(1e-12).log10() } else { value }
}

/// A range of values, as powers of ten if it is logarithmic, mapped to a range of the picture.
struct Axis {
    logarithmic: bool,
    range: (f64, f64),
    start: f64,
    length: f64,
}

impl Axis {
    /// Maps a value to a coordinate.
    fn place(&self, value: f64) -> f64 {
        let (low, high) = self.range;
        self.start + self.length * (scaled(value, self.logarithmic) - low) / (high - low).max(1e-9)
    }

    /// Round values along the axis.
    fn marks(&self) -> Vec<f64> {
        let (low, high) = self.range;
        match self.logarithmic {
            true => (low.ceil() as i32..=high.floor() as i32).map(|power| 10f64.powi(power)).collect(),
            false => ticks(low, high),
        }
    }
}

impl Lines {
    /// Draws all but the title and returns the height.
    fn draw(&self, out: &mut Vec<Element>) -> f64 {
        let axes = &self.axes();
        let below = self.draw_axes(axes, out);
        for (number, series) in self.series.iter().enumerate() {
            let y = below + 66.0 + 20.0 * number as f64;
            out.push(self.line(axes, number, y - 4.0));
            out.push(text(LEFT + 38.0, y, &series.name));
        }
        let end = below + 66.0 + 20.0 * self.series.len() as f64;
        if self.points().all(|point| point.bounds.is_none()) {
            return end;
        }
        out.push(text(LEFT, end, "bars: 95 % bounds").class("faint"));
        end + 20.0
    }

    fn points(&self) -> impl Iterator<Item = &Point> {
        self.series.iter().flat_map(|series| &series.points)
    }

    /// The horizontal and the vertical axis.
    fn axes(&self) -> [Axis; 2] {
        let (left, right) = match self.names.len() {
            0 => span(self.points().map(|point| scaled(point.x, self.wide))),
            names => (0.5, names as f64 + 0.5),
        };
        let (mut low, mut high) = span(self.points().flat_map(|point| {
            let (low, high) = point.bounds.unwrap_or((point.y, point.y));
            [low, high, point.y].map(|y| scaled(y, self.logarithmic))
        }));
        if self.logarithmic {
            (low, high) = (low.floor(), high.ceil());
        }
        if high - low < 1e-9 {
            (low, high) = (low - 0.5, high + 0.5);
        }
        let wide = WIDTH - LEFT - RIGHT;
        [
            Axis { logarithmic: self.wide, range: (left, right), start: LEFT, length: wide },
            Axis { logarithmic: self.logarithmic, range: (low, high), start: TOP + INSIDE, length: -INSIDE },
        ]
    }

    /// Draws the axes with their ticks and names, and returns their lower end.
    fn draw_axes(&self, [across, up]: &[Axis; 2], out: &mut Vec<Element>) -> f64 {
        let (floor, right) = (TOP + INSIDE, WIDTH - RIGHT);
        for mark in up.marks() {
            let y = up.place(mark);
            out.push(path(format!("M{LEFT} {y:.1}H{right:.1}")).class("grid"));
            out.push(text(LEFT - 8.0, y + 4.0, figure(mark)).class("faint end"));
        }
        let notch = |x: f64| path(format!("M{x:.1} {floor}v5")).class("axis");
        for (number, name) in self.names.iter().enumerate() {
            let x = across.place(number as f64 + 1.0);
            let place = format!("translate({x:.1} {:.1}) rotate(-60)", floor + 14.0);
            out.push(notch(x));
            out.push(element("text").class("faint end").attr("transform", place).words(name));
        }
        // Slanted names extend nearly their length below the axis, and the first one must stay in the picture.
        let longest = self.names.iter().map(|name| name.chars().count()).max().unwrap_or(0);
        let below = floor + 5.8 * longest as f64;
        let marks = if self.names.is_empty() { across.marks() } else { Vec::new() };
        for mark in marks {
            let x = across.place(mark);
            out.push(notch(x));
            out.push(text(x, floor + 20.0, figure(mark)).class("faint mid"));
        }
        out.push(path(format!("M{LEFT} {TOP}V{floor}H{right:.1}")).class("axis").fill("none"));
        out.push(text((LEFT + right) / 2.0, below + 42.0, &self.x).class("mid"));
        out.push(vertical_label(TOP + INSIDE / 2.0, &self.y));
        below
    }

    /// A series with its sample in the legend, which is at the height `legend`.
    fn line(&self, [across, up]: &[Axis; 2], number: usize, legend: f64) -> Element {
        let points = &self.series[number].points;
        let mut line = group().class(format!("s{}", number % 6));
        let stroke = |commands: String| {
            let stroke = path(commands).class("line");
            // Beyond six, series are dashed.
            if number < 6 { stroke } else { stroke.attr("stroke-dasharray", "6 4") }
        };
        if self.names.is_empty() || points.iter().all(|point| point.bounds.is_none()) {
            let place = |point: &Point| format!("{:.1} {:.1}", across.place(point.x), up.place(point.y));
            line.push(stroke(format!("M{}", points.iter().map(place).collect::<Vec<_>>().join("L"))));
        }
        // Offset horizontally, so that bars do not overlap.
        let aside = 3.0 * (number as f64 - (self.series.len() as f64 - 1.0) / 2.0);
        for point in points {
            let x = across.place(point.x) + if point.bounds.is_some() { aside } else { 0.0 };
            line.push(circle(x, up.place(point.y), 3).class("dot"));
            if let Some((low, high)) = point.bounds {
                line.push(path(format!("M{x:.1} {:.1}V{:.1}", up.place(low), up.place(high))).class("bar"));
            }
        }
        line.with(stroke(format!("M{LEFT} {legend:.1}h28")))
    }
}

impl Map {
    /// Draws all but the title and returns the height.
    fn draw(&self, out: &mut Vec<Element>) -> f64 {
        let longest = self.rows.iter().map(|name| name.chars().count()).max().unwrap_or(0) as f64;
        let left = LEFT.max(48.0 + 7.5 * longest);
        let room = (WIDTH - left - RIGHT) / self.columns.len().max(1) as f64;
        // Text needs wider cells than colours alone.
        let (cell, wide) = match self.notes.is_empty() {
            true => (CELL.min(room), CELL.min(room)),
            false => (CELL, (3.0 * CELL).min(room)),
        };
        for (row, name) in self.rows.iter().enumerate() {
            let y = TOP + cell * row as f64;
            out.push(text(left - 8.0, y + cell / 2.0 + 4.0, name).class("faint end"));
            self.draw_row(row, (left, y), (wide, cell), out);
        }
        let mut floor = TOP + cell * self.rows.len() as f64;
        for (column, name) in self.columns.iter().enumerate() {
            out.push(text(left + wide * (column as f64 + 0.5), floor + 16.0, name).class("faint mid"));
        }
        if !self.y.is_empty() {
            out.push(vertical_label((TOP + floor) / 2.0, &self.y));
        }
        if !self.x.is_empty() {
            floor += 22.0;
            out.push(text(left + wide * self.columns.len() as f64 / 2.0, floor + 14.0, &self.x).class("mid"));
        }
        let mut y = floor + 44.0;
        for (word, colour) in &self.legend {
            out.push(rect(left, y - 13.0, 16, 16).class(colour.class()));
            out.push(text(left + 26.0, y, word));
            y += 22.0;
        }
        y
    }

    /// Draws the cells of a row from their upper left corner on.
    fn draw_row(&self, row: usize, (left, y): (f64, f64), (wide, high): (f64, f64), out: &mut Vec<Element>) {
        let words = self.cells.get(row).into_iter().flatten();
        for (column, word) in words.enumerate() {
            let Some((_, colour)) = self.legend.iter().find(|(known, _)| known == word) else { continue };
            let x = left + wide * column as f64;
            let title = format!("{} {}: {word}", self.columns[column], self.rows[row]);
            out.push(rect(x, y, wide - 1.0, high - 1.0).class(colour.class()).title(title));
            if let Some(note) = self.notes.get(row).and_then(|notes| notes.get(column)) {
                out.push(text(x + wide / 2.0, y + high / 2.0 + 4.0, note).class("note mid"));
            }
        }
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
